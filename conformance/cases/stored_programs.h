// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_STORED_PROGRAMS_H_
#define PLINTH_CONFORMANCE_CASES_STORED_PROGRAMS_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "conformance/runner/context.h"

// The programs of conformance/programs/suite, which are part of plinth-conformance.
namespace plinth::conformance {

struct StablehloVersion {
  int64_t major = 0;
  int64_t minor = 0;
  friend auto operator<=>(const StablehloVersion&, const StablehloVersion&) = default;
};

// A version at which every program is stored as a portable artifact.
struct StoredVersion {
  StablehloVersion version;
  std::string_view name;  // "0.9"
};
// Oldest first.
std::span<const StoredVersion> StoredVersions();

// The contents of a file of conformance/programs/suite.
std::string_view StoredFile(std::string_view name);
std::string_view StoredText(std::string_view program);
std::string_view StoredArtifact(std::string_view program, const StoredVersion& version);

// What PJRT_Plugin_Attributes says about StableHLO.
struct StablehloRange {
  std::optional<StablehloVersion> minimum, current;

  // Whether the plugin says that it reads artifacts of the version. One that names no oldest
  // version speaks of `current` alone.
  bool Promises(StablehloVersion version) const;
};
StablehloRange StablehloRangeOf(const Plugin& plugin);

// The version in which a client that goes by `range` sends a program: the newest stored one that
// lies in it, where nothing is said the newest of all. Null where none is new enough.
const StoredVersion* VersionFor(const StablehloRange& range);

// An op of the program that the profile's `unsupported_ops` name; empty if there is none.
std::string_view OpThatIsLacking(const Profile& profile, std::string_view program);

// A program in the form that suits the plugin: as its profile says, or else as the artifact that
// its attributes ask for, or text where none is stored.
std::string_view ProgramFor(const Context& context, std::string_view program);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_STORED_PROGRAMS_H_
