// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_LOCATIONS_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_LOCATIONS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference_plugin/program/hlo_known_parts.h"
#include "reference_plugin/program/module_builder.h"

namespace plinth::program {

// What frameworks say of instructions: names, and places in source files. Many instructions share
// one.
class HloLocations {
 public:
  // `module` is a HloModuleProto.
  HloLocations(ModuleBuilder& builder, std::string_view module);

  LocationRef NewName(std::string_view name, LocationRef inside);
  // `metadata` is an OpMetadata.
  LocationRef NewInstruction(std::string_view name, LocationRef computation,
                             std::string_view metadata);

 private:
  static constexpr size_t kKnownChildren = 64;

  // What an OpMetadata says; null if that is nothing.
  LocationRef SourceOf(std::string_view metadata) {
    if (metadata.empty()) return nullptr;
    LocationRef& known = known_.At(metadata);
    if (known == nullptr) known = Read(metadata);
    return known == builder_.unknown_location() ? nullptr : known;
  }
  LocationRef Read(std::string_view metadata);
  LocationRef NewFile(std::string_view file, int64_t line, int64_t column);
  // Where the innermost frame of a stack is; null if that is not said.
  LocationRef FrameLocation(int64_t stack_frame);
  std::string_view FileName(int64_t number);

  ModuleBuilder& builder_;
  HloKnownParts<Location> known_;  // unknown_location() for what says nothing.
  std::array<std::span<const LocationRef>, kKnownChildren> known_children_ = {};
  std::vector<LocationRef> frame_locations_;        // By stack frame; null where not made yet.
  std::vector<std::string_view> file_name_copies_;  // By file; "" where not made yet.
  std::vector<std::string_view> file_names_, file_locations_, stack_frames_;
};

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_LOCATIONS_H_
