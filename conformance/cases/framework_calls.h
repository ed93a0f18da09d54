// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_FRAMEWORK_CALLS_H_
#define PLINTH_CONFORMANCE_CASES_FRAMEWORK_CALLS_H_

#include <optional>
#include <string>
#include <string_view>

#include "conformance/cases/program_pack.h"
#include "pjrt_c_api_profiler_extension.h"

// What the cases of L4 share.
namespace plinth::conformance {

// A call that JAX cannot do without: anything but success is a finding.
template <typename Args>
bool Must(Context& context, Args& args) {
  Status status = context.plugin().Call(args);
  return context.Check("PJRT-Api-full", status.ok(), FunctionOf<Args>::kName,
                       ", which JAX calls: ", status.ToString());
}

// One that it makes only where the plugin has it: a null slot says that it has not, UNIMPLEMENTED
// ends JAX's process.
template <typename Args>
bool MustIfThere(Context& context, Args& args) {
  const auto& function = reflection::Functions()[FunctionOf<Args>::kSlot];
  if (context.plugin().minor() < FunctionOf<Args>::kSince ||
      context.plugin().Slot(function) == nullptr) {
    return false;
  }
  return Must(context, args);
}

inline std::string_view View(const char* data, size_t size) {
  return data == nullptr ? std::string_view() : std::string_view(data, size);
}

std::string PlatformName(const Context& context);
size_t DeviceCount(const Context& context);
std::string KindOf(Context& context, PJRT_Memory* memory);

// A program of a pack of conformance/programs/packs/frameworks; null, with a finding, if there is
// none.
const PackedProgram* FrameworkProgram(Context& context, std::string_view pack,
                                      std::string_view name);

// The form in which JAX would send it: of the newest version that both know.
std::optional<std::string_view> FormOfJax(Context& context, const PackedProgram& program);

// What JAX hangs on the arguments of PJRT_Client_Compile and PJRT_LoadedExecutable_Execute.
struct TraceNode {
  PJRT_Profiler_Extension node = {};
  TraceNode() {
    node.base.struct_size = sizeof(node);
    node.base.type = PJRT_Extension_Type_Profiler;
    node.traceme_context_id = 77;
  }
  PJRT_Extension_Base* base() { return &node.base; }
};

// A program of a pack, compiled as JAX does it. Without an executable there is a finding or a note.
struct CompiledAsJax {
  CompiledAsJax(Context& context, std::string_view pack, std::string_view name);
  explicit operator bool() const { return static_cast<bool>(loaded); }

  const PackedProgram* program;
  OwnedLoadedExecutable loaded;
  OwnedExecutable executable;
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_FRAMEWORK_CALLS_H_
