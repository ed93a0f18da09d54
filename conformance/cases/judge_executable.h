// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_JUDGE_EXECUTABLE_H_
#define PLINTH_CONFORMANCE_CASES_JUDGE_EXECUTABLE_H_

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/examples.h"
#include "conformance/runner/context.h"

// Executables, however they were got: what they say of themselves, and what running them gives.
namespace plinth::conformance {

inline constexpr char kProgram[] = "PJRT-Executable_NumOutputs-program";
inline constexpr char kResultsOfProgram[] = "PJRT-LoadedExecutable_Execute-results";

struct Compiled {
  OwnedLoadedExecutable loaded;
  OwnedExecutable executable;
};

// A stored program, compiled by the client; false with a finding.
bool Compile(Context& context, std::string_view name, Compiled& compiled,
             std::string_view options = SingleDeviceCompileOptions());
// The executable of what was loaded; false with a finding.
bool FindExecutable(Context& context, Compiled& compiled);
// The same, compiled for a topology alone; the client's own if that is null.
Expected<OwnedExecutable> CompileAhead(Context& context, std::string_view name,
                                       std::string_view options,
                                       const PJRT_TopologyDescription* topology = nullptr);
// The bytes of an executable; nothing, with a finding unless the plugin may lack them.
std::optional<std::string> SerializedBytes(Context& context, PJRT_Executable* executable);
// What is loaded from bytes, which are overwritten after the call; null with a finding. For another
// client if one is given.
OwnedLoadedExecutable LoadBytes(Context& context, std::string_view bytes,
                                std::string_view requirement, PJRT_Client* client = nullptr);

// Takes a number off the front of a serialized message.
uint64_t TakeVarint(std::string_view& bytes);

// The numbers and the messages of a message's fields; what is no message gives few of them.
struct Wire {
  std::map<uint64_t, std::vector<uint64_t>> numbers;
  std::map<uint64_t, std::vector<std::string_view>> messages;
  explicit Wire(std::string_view bytes) {
    while (!bytes.empty()) {
      uint64_t tag = TakeVarint(bytes);
      size_t skip = 0;
      if ((tag & 7) == 0) numbers[tag >> 3].push_back(TakeVarint(bytes));
      if ((tag & 7) == 1) skip = 8;
      if ((tag & 7) == 5) skip = 4;
      if ((tag & 7) == 2) {
        size_t size = TakeVarint(bytes);
        messages[tag >> 3].push_back(bytes.substr(0, size));
        skip = size;
      }
      bytes.remove_prefix(std::min(skip, bytes.size()));
    }
  }
  uint64_t Number(uint64_t field, uint64_t fallback = 0) const {
    auto found = numbers.find(field);
    return found == numbers.end() ? fallback : found->second.back();
  }
  std::string_view Message(uint64_t field) const {
    auto found = messages.find(field);
    return found == messages.end() ? std::string_view() : found->second.back();
  }
};

// The facts of an executable that have to be the same however it was got.
struct Facts {
  std::string name, fingerprint, options;
  size_t replicas = 0, partitions = 0;
  std::vector<std::string> output_kinds, parameter_kinds;
  friend bool operator==(const Facts&, const Facts&) = default;
};

// Compares what an executable says with the program.
Facts JudgeExecutable(Context& context, const Example& example, PJRT_Executable* executable);

// Runs it and judges every output; the arguments stay as they were.
void RunAndJudge(Context& context, const Example& example, PJRT_LoadedExecutable* executable,
                 const Facts& facts, bool with_event);

// What a loaded executable says of its devices; `wanted`: replica by replica.
void JudgeDevicesOf(Context& context, PJRT_LoadedExecutable* loaded,
                    const std::vector<PJRT_Device*>& wanted, uint64_t replicas,
                    uint64_t partitions);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_JUDGE_EXECUTABLE_H_
