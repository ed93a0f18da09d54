// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/ffi_registry.h"

#include <algorithm>
#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/ffi_types.h"

namespace plinth::backend {
namespace {

// Names that frameworks use for the host; an empty one stands for it too, by default.
constexpr std::string_view kHost[] = {"", "cpu", "host"};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool Same(const FfiRegistry::Handler& a, const FfiRegistry::Handler& b) {
  return a.is_typed == b.is_typed && a.function == b.function &&
         a.bundle.instantiate == b.bundle.instantiate && a.bundle.prepare == b.bundle.prepare &&
         a.bundle.initialize == b.bundle.initialize && a.bundle.execute == b.bundle.execute;
}

}  // namespace

Status CheckFfiHandler(XLA_FFI_Handler* handler) {
  XLA_FFI_Metadata metadata;
  std::memset(&metadata, 0, sizeof(metadata));
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  metadata.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension extension;
  std::memset(&extension, 0, sizeof(extension));
  extension.extension_base.struct_size = XLA_FFI_Metadata_Extension_STRUCT_SIZE;
  extension.extension_base.type = XLA_FFI_Extension_Metadata;
  extension.metadata = &metadata;
  XLA_FFI_CallFrame frame;
  std::memset(&frame, 0, sizeof(frame));
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  frame.api = GetFfiApi();
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  frame.args.struct_size = XLA_FFI_Args_STRUCT_SIZE;
  frame.rets.struct_size = XLA_FFI_Rets_STRUCT_SIZE;
  frame.attrs.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
  PLINTH_RETURN_IF_ERROR(TakeFfiError(handler(&frame)).WithContext("asked for its metadata"));
  const XLA_FFI_Api_Version& version = metadata.api_version;
  if (version.major_version != XLA_FFI_API_MAJOR || version.minor_version > XLA_FFI_API_MINOR) {
    return FailedPrecondition("it was built for XLA FFI ", version.major_version, ".",
                              version.minor_version, "; this plugin serves ", XLA_FFI_API_MAJOR,
                              ".0 to ", XLA_FFI_API_MAJOR, ".", XLA_FFI_API_MINOR);
  }
  return Status();
}

FfiRegistry& FfiRegistry::Get() {
  static FfiRegistry* const registry = new FfiRegistry();
  return *registry;
}

void FfiRegistry::SetPlatform(std::string_view platform, bool is_default) {
  platform_ = Lower(platform);
  unnamed_ = is_default ? platform_ : "";
}

Status FfiRegistry::RegisterHandler(const sdk::FfiHandler& source) {
  if (source.target.empty()) return InvalidArgument("a handler needs a name");
  if (source.execute == nullptr) {
    return InvalidArgument("the handler of \"", source.target, "\" has no execute function");
  }
  const std::string platform = source.platform.empty() ? unnamed_ : Lower(source.platform);
  const bool is_of_host =
      std::find(std::begin(kHost), std::end(kHost), platform) != std::end(kHost);
  if (!is_of_host && platform != platform_) {
    return InvalidArgument("the handler of \"", source.target, "\" is for platform \"",
                           source.platform, "\"; this plugin calls those of \"cpu\" (or \"Host\")",
                           platform_.empty() ? "" : StrCat(" and of \"", platform_, "\""));
  }
  Handler handler;
  handler.is_typed = source.is_typed;
  handler.is_of_platform = !is_of_host;
  if (source.is_typed) {
    handler.bundle.instantiate = reinterpret_cast<XLA_FFI_Handler*>(source.instantiate);
    handler.bundle.prepare = reinterpret_cast<XLA_FFI_Handler*>(source.prepare);
    handler.bundle.initialize = reinterpret_cast<XLA_FFI_Handler*>(source.initialize);
    handler.bundle.execute = reinterpret_cast<XLA_FFI_Handler*>(source.execute);
    for (XLA_FFI_Handler* function : {handler.bundle.instantiate, handler.bundle.prepare,
                                      handler.bundle.initialize, handler.bundle.execute}) {
      if (function == nullptr) continue;
      PLINTH_RETURN_IF_ERROR(
          CheckFfiHandler(function).WithContext(StrCat("the handler of \"", source.target, "\"")));
    }
  } else {
    handler.function = source.execute;
  }
  const std::lock_guard lock(mutex_);
  Handlers& handlers = is_of_host ? of_host_ : of_platform_;
  const auto [known, is_new] = handlers.emplace(source.target, handler);
  if (!is_new && !Same(known->second, handler)) {
    return Status(StatusCode::kAlreadyExists,
                  StrCat("\"", source.target, "\" has another handler already"));
  }
  return Status();
}

std::optional<FfiRegistry::Handler> FfiRegistry::Find(std::string_view target) const {
  const std::lock_guard lock(mutex_);
  for (const Handlers* handlers : {&of_platform_, &of_host_}) {
    const auto found = handlers->find(target);
    if (found != handlers->end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace plinth::backend
