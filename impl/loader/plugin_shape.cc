#include "impl/loader/plugin_shape.h"

#include <algorithm>

namespace plinth::loader {
namespace {

struct AnnouncedSize {
  int structure;
  uint16_t announced, actual;
  int16_t first_minor, last_minor;
};

constexpr AnnouncedSize kAnnouncedSizes[] = {
#define PLINTH_PJRT_ANNOUNCED_SIZE(name, announced, actual, first, last) \
  {reflection::structure::k##name, announced, actual, first, last},
#include "plinth/support/abi_tables.inc"
};

bool HasToBeChecked(const reflection::Field& field) {
  if (field.direction == reflection::Direction::kOut) return false;
  switch (field.base) {
    case reflection::Base::kEnum:
      return field.depth == 0;
    case reflection::Base::kStruct:
      // Structs without struct_size are objects or never change.
      return field.depth > 0 && reflection::Structs()[field.target].carries_struct_size;
    default:
      return false;
  }
}

}  // namespace

PluginShape::PluginShape(const PluginTable& table)
    : table_(table),
      minor_(std::min(table.minor, kPjrtDeclaredMinor)),
      sizes_(reflection::kStructCount),
      checks_(reflection::kStructCount) {
  for (int i = 0; i < reflection::kStructCount; ++i) {
    const reflection::Struct& structure = reflection::Structs()[i];
    Learn(i, reflection::EndAt(structure, minor_));
    std::span<const reflection::Field> fields = reflection::FieldsOf(structure);
    for (size_t f = 0; f < fields.size(); ++f) {
      if (HasToBeChecked(fields[f])) checks_[i].push_back(static_cast<int16_t>(f));
    }
  }
  for (const reflection::Enum& enumeration : reflection::Enums()) {
    uint64_t known = 0;
    for (const reflection::EnumValue& value : reflection::ValuesOf(enumeration)) {
      if (value.since <= minor_ && value.value >= 0 && value.value < 64) {
        known |= uint64_t{1} << value.value;
      }
    }
    known_values_.push_back(known);
  }
}

bool PluginShape::Knows(int enumeration, int value) const {
  if (value >= 0 && value < 64 && ((known_values_[enumeration] >> value) & 1) != 0) return true;
  // What a newer plugin knows is not ours to say.
  return table_.IsNewerThanUs() &&
         reflection::NameOf(reflection::Enums()[enumeration], value) == nullptr;
}

size_t PluginShape::AnnouncedTo(int structure, size_t size) const {
  for (const AnnouncedSize& row : kAnnouncedSizes) {
    if (row.structure == structure && row.actual == size && row.first_minor <= minor_ &&
        minor_ <= row.last_minor) {
      return row.announced;
    }
  }
  return size;
}

size_t TrueSize(int structure, size_t announced) {
  for (const AnnouncedSize& row : kAnnouncedSizes) {
    if (row.structure == structure && row.announced == announced) return row.actual;
  }
  return announced;
}

}  // namespace plinth::loader
