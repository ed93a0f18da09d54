// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/c_api.h"

#include <cstdlib>

#include "plinth/support/args.h"
#include "plinth/support/error.h"

namespace plinth::loader {
namespace {

// Made when the library is loaded, so that it can be given out when nothing can be made.
plinth_status* const no_memory = new plinth_status;

std::optional<std::string> Text(const plinth_load_options& options,
                                const char* plinth_load_options::*field) {
  const char* text = GetField(options, field, nullptr);
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

LogHub::Callback MakeCallback(const plinth_load_options& options) {
  plinth_log_callback function = GetField(options, &plinth_load_options::log, nullptr);
  if (function == nullptr) return nullptr;
  return [function, data = GetField(options, &plinth_load_options::log_user_data, nullptr)](
             LogLevel level, const std::string& message) {
    function(static_cast<plinth_log_level>(level), message.c_str(), data);
  };
}

}  // namespace

plinth_status* MakeStatus(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  try {
    return new plinth_status{status, std::string(status.message())};
  } catch (...) {
    return no_memory;
  }
}

Expected<Request> ReadOptions(const plinth_load_options* given) {
  plinth_load_options defaults = {};
  defaults.struct_size = plinth_load_options_STRUCT_SIZE;
  const plinth_load_options& options = given == nullptr ? defaults : *given;
  if (options.struct_size < sizeof(size_t)) {
    return InvalidArgument("plinth_load_options: struct_size is ", options.struct_size,
                           "; set it to plinth_load_options_STRUCT_SIZE, which is ",
                           static_cast<size_t>(plinth_load_options_STRUCT_SIZE));
  }
  Request request;
  LoadRequest& load = request.load;
  load.environment = Environment::OfProcess();
  load.plugin = Text(options, &plinth_load_options::plugin);
  load.layers = Text(options, &plinth_load_options::layers);
  load.api_minor = GetField(options, &plinth_load_options::api_minor, 0);
  load.allow_old = HasField(options, &plinth_load_options::allow_old) && RawBool(options.allow_old);
  load.find.allow = Text(options, &plinth_load_options::allow);
  load.find.deny = Text(options, &plinth_load_options::deny);
  load.find.manifest_path = Text(options, &plinth_load_options::manifest_path).value_or("");
  uint32_t search = GetField(options, &plinth_load_options::search, 0);
  load.find.search = search == 0 ? kSearchAll : search;
  if ((search & ~kSearchAll) != 0) {
    return InvalidArgument("plinth_load_options: search is ", search, "; bits beyond ", kSearchAll,
                           " are not known to this libplinth");
  }
  if (load.api_minor < 0) {
    return InvalidArgument("plinth_load_options: api_minor is ", load.api_minor,
                           "; 0 means the plugin's own");
  }
  request.log = LogHub::Make(MakeCallback(options), load.environment.Get("PLINTH_LOG"));
  load.find.log = request.log->Sink();
  return request;
}

}  // namespace plinth::loader

const char* plinth_version(void) { return PLINTH_VERSION; }

plinth_status* plinth_status_create(PJRT_Error_Code code, const char* message, size_t size) {
  return plinth::loader::Guarded(
      [&] { return plinth::StatusFromParts(plinth::RawEnum(code), message, size); });
}

PJRT_Error_Code plinth_status_code(const plinth_status* status) {
  if (status == nullptr) return PJRT_Error_Code_OK;
  // The one that was made without memory holds nothing.
  if (status->status.ok()) return PJRT_Error_Code_RESOURCE_EXHAUSTED;
  return static_cast<PJRT_Error_Code>(status->status.code());
}

const char* plinth_status_message(const plinth_status* status) {
  if (status == nullptr) return "";
  return status->status.ok() ? "out of host memory" : status->message.c_str();
}

void plinth_status_destroy(plinth_status* status) {
  if (status != nullptr && !status->status.ok()) delete status;
}

void plinth_string_free(char* text) { free(text); }
