// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ASK_H_
#define PLINTH_CONFORMANCE_CASES_ASK_H_

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

// Questions to a plugin in one line: the argument struct by the field that holds the handle.
namespace plinth::conformance {

inline constexpr char kOutputTrue[] = "PJRT-Args-output-true";

template <typename Member>
struct MemberOf;
template <typename Class_, typename Field_>
struct MemberOf<Field_ Class_::*> {
  using Class = Class_;
  using Field = Field_;
};
template <auto kField>
using ArgsWith = typename MemberOf<decltype(kField)>::Class;

inline std::string_view StringOf(const char* data, size_t size) {
  return data == nullptr ? std::string_view() : std::string_view(data, size);
}

// True if the call succeeded. One that the plugin may do without is noted if it is UNIMPLEMENTED;
// everything else is a finding.
template <typename Args>
bool Succeeds(Context& context, Args& args, std::string_view requirement = "PJRT-Args-accepted",
              std::string_view how = "") {
  Status status = context.plugin().Call(args);
  if (status.ok()) return true;
  const auto& function = reflection::Functions()[FunctionOf<Args>::kSlot];
  bool may_lack =
      function.absent != reflection::Absent::kRequired || function.since > context.plugin().minor();
  if (status.code() == StatusCode::kUnimplemented && may_lack) {
    context.Note(StrCat(function.name, ": ", status.ToString()));
  } else {
    context.Fail(requirement, StrCat(function.name, how.empty() ? "" : " of ", how,
                                     ": expected success, got ", status.ToString()));
  }
  return false;
}

// The answer of a function that takes one handle: Get<&PJRT_Memory_Id_Args::memory>(context, m).
template <auto kField>
std::optional<ArgsWith<kField>> Get(
    Context& context, std::type_identity_t<typename MemberOf<decltype(kField)>::Field> handle,
    std::string_view requirement = "PJRT-Args-accepted") {
  auto args = MakeArgs<ArgsWith<kField>>();
  args.*kField = handle;
  if (!Succeeds(context, args, requirement)) return std::nullopt;
  return args;
}

// A finding if a call that has to be refused succeeds or has another code. UNIMPLEMENTED is a fair
// answer of what the plugin may do without.
inline bool Refused(Context& context, std::string_view requirement, std::string_view what,
                    const Status& status, std::initializer_list<StatusCode> codes = {}) {
  if (status.code() == StatusCode::kUnimplemented) return true;
  return context.CheckRefused(requirement, what, status, codes);
}

// The addressable devices; empty, with a finding, where there are none.
std::vector<PJRT_Device*> AddressableDevices(Context& context);
std::vector<PJRT_Memory*> MemoriesOf(Context& context, PJRT_Device* device);
// Null, with a finding, where the device has none.
PJRT_Memory* DefaultMemoryOf(Context& context, PJRT_Device* device);
std::string MemoryKindOf(Context& context, PJRT_Memory* memory);
// -1 with a finding.
int DeviceIdOf(Context& context, PJRT_Device* device);
// Bytes of the device that are in use; nothing where the plugin does not tell.
std::optional<int64_t> BytesInUse(const Context& context, PJRT_Device* device);
bool IsEventReady(Context& context, PJRT_Event* event);
// The ready event of a buffer; null with a finding.
OwnedEvent ReadyEventOf(Context& context, PJRT_Buffer* buffer);
// Waits for readiness of a buffer.
Status AwaitBuffer(Context& context, PJRT_Buffer* buffer);
// A row-major array in that memory, of any device; the host memory is free when it returns.
Expected<OwnedBuffer> UploadTo(const Context& context, const HostArray& array, PJRT_Memory* memory);
bool DeleteBuffer(Context& context, PJRT_Buffer* buffer);
bool IsBufferDeleted(Context& context, PJRT_Buffer* buffer);
// Whether a status is that error; there may be more text around.
bool Carries(const Status& status, PJRT_Error_Code code, std::string_view text);
// The same of what was computed from what carries the error: XLA's own CPU makes INTERNAL of it and
// says more, and the header leaves that open.
bool CarriesOn(const Status& status, PJRT_Error_Code code, std::string_view text);

// The topology of the client, written and read back; null where the plugin does not do it.
OwnedTopology ReadTopology(Context& context);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ASK_H_
