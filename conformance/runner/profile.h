// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_PROFILE_H_
#define PLINTH_CONFORMANCE_RUNNER_PROFILE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"

namespace plinth::conformance {

// The form in which a plugin gets programs.
enum class ProgramForm : uint8_t {
  kArtifact,  // bytecode, of the version of StableHLO that its attributes ask for
  kText,
};

// What a vendor declares about a plugin, as data. All of it has a default.
struct Profile {
  // Options of PJRT_Client_Create.
  std::map<std::string, std::variant<std::string, int64_t, bool, double>> create_options;
  std::set<DType> types;      // that buffers may have; empty: every type of the plugin's minor
  double start_seconds = 60;  // that a client may take to come up
  double case_seconds = 30;   // that a case may take
  bool is_exclusive = false;  // one client at a time: no parallel jobs
  // Success is demanded for every struct_size since 0.28, and not only a clean refusal.
  bool accepts_all_sizes = false;
  // It reads programs at large, and not only those that it knows by name.
  bool reads_programs = true;
  // Ops of StableHLO that it does not have: "fft", or "convolution/s32" for one type.
  std::set<std::string> unsupported_ops;
  // The most partitions that a program may have, if there are as many devices.
  int max_partitions = 1 << 20;
  // Subnormal numbers are taken for zero.
  bool flushes_subnormals = false;
  // Units in the last place by which results of a class ("elementary") may be off. The suite caps
  // them.
  std::map<std::string, int64_t> tolerances;
  ProgramForm program_form = ProgramForm::kArtifact;

  // Whether a buffer may have the type.
  bool Allows(DType type) const { return types.empty() || types.contains(type); }
};

// Reads a profile: JSON, see conformance/schemas/profile.schema.json. An unknown key is an error.
Expected<Profile> ParseProfile(std::string_view json);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_PROFILE_H_
