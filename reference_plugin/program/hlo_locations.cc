// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/hlo_locations.h"

#include <algorithm>

#include "api/support/xla_message_fields.h"
#include "reference_plugin/program/hlo_wire.h"

namespace plinth::program {

using messages::FileLocationProto;
using messages::HloModuleProto;
using messages::OpMetadataProto;
using messages::StackFrameIndexProto;
using messages::StackFrameProto;

HloLocations::HloLocations(ModuleBuilder& builder, std::string_view module)
    : builder_(builder), known_(module.size()) {
  const std::string_view index = BytesField(module, HloModuleProto::kStackFrameIndex);
  for (WireReader reader(index); reader.Next();) {
    switch (reader.key()) {
      case WireKey(StackFrameIndexProto::kFileNames, WireType::kBytes):
        file_names_.push_back(reader.Bytes());
        break;
      case WireKey(StackFrameIndexProto::kFileLocations, WireType::kBytes):
        file_locations_.push_back(reader.Bytes());
        break;
      case WireKey(StackFrameIndexProto::kStackFrames, WireType::kBytes):
        stack_frames_.push_back(reader.Bytes());
        break;
      default:
        reader.Skip();
    }
  }
  frame_locations_.resize(stack_frames_.size());
  file_name_copies_.resize(file_names_.size());
}

LocationRef HloLocations::Read(std::string_view metadata) {
  using Field = OpMetadataProto;
  std::string_view name, file;
  bool has_name = false, has_file = false;
  int64_t line = 0, column = 0, frame = 0;
  for (WireReader reader(metadata); reader.Next();) {
    switch (reader.key()) {
      case WireKey(Field::kOpName, WireType::kBytes):
        name = reader.Bytes();
        has_name = true;
        break;
      case WireKey(Field::kSourceFile, WireType::kBytes):
        file = reader.Bytes();
        has_file = true;
        break;
      case WireKey(Field::kSourceLine, WireType::kVarint):
        line = reader.Int();
        break;
      case WireKey(Field::kSourceColumn, WireType::kVarint):
        column = reader.Int();
        break;
      case WireKey(Field::kStackFrameId, WireType::kVarint):
        frame = reader.Int();
        break;
      default:
        reader.Skip();
    }
  }
  LocationRef source = nullptr;
  if (has_file) {
    source = NewFile(builder_.arena().Copy(file), line, column);
  } else {
    source = FrameLocation(frame);
  }
  if (has_name) source = NewName(name, source);
  return source == nullptr ? builder_.unknown_location() : source;
}

LocationRef HloLocations::NewName(std::string_view name, LocationRef inside) {
  Location location;
  location.kind = Location::Kind::kName;
  location.text = builder_.arena().Copy(name);
  if (inside != nullptr) {
    location.children = builder_.arena().Copy(std::span<const LocationRef>(&inside, 1));
  }
  return builder_.arena().New(location);
}

LocationRef HloLocations::NewFile(std::string_view file, int64_t line, int64_t column) {
  Location location;
  location.kind = Location::Kind::kFile;
  location.text = file;
  location.line = static_cast<uint32_t>(line);
  location.column = static_cast<uint32_t>(column);
  return builder_.arena().New(location);
}

LocationRef HloLocations::NewInstruction(std::string_view name, LocationRef computation,
                                         std::string_view metadata) {
  const LocationRef source = SourceOf(metadata);
  const LocationRef children[] = {computation, source};
  const size_t count = source == nullptr ? 1 : 2;
  // Of one line of a source there are many, if not one after the other.
  const size_t place = reinterpret_cast<uintptr_t>(source) / alignof(Location) % kKnownChildren;
  std::span<const LocationRef>& known = known_children_[place];
  if (!std::ranges::equal(known, std::span(children, count))) {
    known = builder_.arena().Copy(std::span<const LocationRef>(children, count));
  }
  Location location;
  location.kind = Location::Kind::kInstruction;
  location.text = builder_.arena().Copy(name);
  location.children = known;
  return builder_.arena().New(location);
}

LocationRef HloLocations::FrameLocation(int64_t stack_frame) {
  if (stack_frame < 1 || stack_frame > std::ssize(stack_frames_)) return nullptr;
  LocationRef& made = frame_locations_[static_cast<size_t>(stack_frame - 1)];
  if (made != nullptr) return made;
  const auto entry = [](const std::vector<std::string_view>& list,
                        int64_t number) -> std::string_view {
    const bool is_there = number >= 1 && number <= std::ssize(list);
    return is_there ? list[static_cast<size_t>(number - 1)] : std::string_view();
  };
  const std::string_view place = entry(file_locations_, IntField(entry(stack_frames_, stack_frame),
                                                                 StackFrameProto::kFileLocationId));
  return made = NewFile(FileName(IntField(place, FileLocationProto::kFileNameId)),
                        IntField(place, FileLocationProto::kLine),
                        IntField(place, FileLocationProto::kColumn));
}

// Many frames are in one file: its name is copied once.
std::string_view HloLocations::FileName(int64_t number) {
  if (number < 1 || number > std::ssize(file_names_)) return {};
  std::string_view& copy = file_name_copies_[static_cast<size_t>(number - 1)];
  if (copy.empty()) copy = builder_.arena().Copy(file_names_[static_cast<size_t>(number - 1)]);
  return copy;
}

}  // namespace plinth::program
