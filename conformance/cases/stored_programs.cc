// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/stored_programs.h"

#include <string>

#include "plinth/support/str_cat.h"

namespace plinth::conformance {
namespace {

struct File {
  std::string_view name, contents;
};
constexpr File kFiles[] = {
#include "conformance/stored_programs.inc"
};

constexpr StoredVersion kVersions[] = {{{0, 9}, "0.9"}, {{1, 0}, "1.0"}, {{1, 13}, "1.13"}};

std::optional<StablehloVersion> VersionOf(const PJRT_NamedValue& attribute) {
  if (RawEnum(attribute.type) != PJRT_NamedValue_kInt64List || attribute.value_size < 2 ||
      attribute.int64_array_value == nullptr) {
    return {};
  }
  return StablehloVersion{attribute.int64_array_value[0], attribute.int64_array_value[1]};
}

}  // namespace

std::span<const StoredVersion> StoredVersions() { return kVersions; }

std::string_view StoredFile(std::string_view name) {
  for (const File& file : kFiles) {
    if (file.name == name) return file.contents;
  }
  return {};
}

std::string_view StoredText(std::string_view program) {
  return StoredFile(StrCat(program, ".mlir"));
}

std::string_view StoredArtifact(std::string_view program, const StoredVersion& version) {
  return StoredFile(StrCat(program, ".vhlo-", version.name, ".mlirbc"));
}

bool StablehloRange::Promises(StablehloVersion version) const {
  if (!current.has_value() || version > *current) return false;
  return minimum.value_or(*current) <= version;
}

StablehloRange StablehloRangeOf(const Plugin& plugin) {
  StablehloRange range;
  auto args = MakeArgs<PJRT_Plugin_Attributes_Args>();
  if (!plugin.Call(args).ok() || args.attributes == nullptr) return range;
  for (size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue& attribute = args.attributes[i];
    const std::string_view name(attribute.name, attribute.name_size);
    if (name == "stablehlo_minimum_version") range.minimum = VersionOf(attribute);
    if (name == "stablehlo_current_version") range.current = VersionOf(attribute);
  }
  return range;
}

const StoredVersion* VersionFor(const StablehloRange& range) {
  const StoredVersion* newest = nullptr;
  for (const StoredVersion& stored : kVersions) {
    if (range.minimum.has_value() && stored.version < *range.minimum) continue;
    if (range.current.has_value() && stored.version > *range.current) continue;
    newest = &stored;
  }
  return newest;
}

std::string_view OpThatIsLacking(const Profile& profile, std::string_view program) {
  constexpr std::string_view kDialect = "stablehlo.";
  std::string_view text = StoredText(program);
  for (size_t at = text.find(kDialect); at != std::string_view::npos; at = text.find(kDialect)) {
    text.remove_prefix(at + kDialect.size());
    std::string_view op = text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
    if (profile.unsupported_ops.contains(std::string(op))) return op;
  }
  return {};
}

std::string_view ProgramFor(const Context& context, std::string_view program) {
  if (context.profile().program_form == ProgramForm::kText) return StoredText(program);
  const StoredVersion* version = VersionFor(StablehloRangeOf(context.plugin()));
  std::string_view artifact;
  if (version != nullptr) artifact = StoredArtifact(program, *version);
  return artifact.empty() ? StoredText(program) : artifact;
}

}  // namespace plinth::conformance
