// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/plugin_shape.h"

#include <algorithm>
#include <cstring>

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

// The first two revisions of 0.70 have 64 bytes here and announced 48, the third has and announced
// 48: 48 with room for 64 serves all of them.
constexpr AnnouncedSize kWithdrawn = {
    reflection::structure::kPJRT_Executable_DeserializeAndLoad_Args, 48, 64, 70, 70};

bool IsChecked(const reflection::Field& field) {
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

uint64_t KnownValues(const reflection::Enum& enumeration, int minor) {
  uint64_t known = 0;
  for (const reflection::EnumValue& value : reflection::ValuesOf(enumeration)) {
    if (value.since <= minor && value.value >= 0 && value.value < 64) {
      known |= uint64_t{1} << value.value;
    }
  }
  return known;
}

bool IsKnown(uint64_t known_values, int value) {
  return value >= 0 && value < 64 && ((known_values >> value) & 1) != 0;
}

}  // namespace

PluginShape::PluginShape(const PluginTable& table)
    : table_(table), minor_(std::min(table.minor, kPjrtDeclaredMinor)) {
  for (int i = 0; i < reflection::kStructCount; ++i) FillStruct(i);
}

void PluginShape::FillStruct(int structure) {
  StructShape& shape = structs_[static_cast<size_t>(structure)];
  const reflection::Struct& type = reflection::Structs()[structure];
  shape.type = &type;
  shape.fields = reflection::FieldsOf(type);
  shape.size = static_cast<uint32_t>(type.frozen ? type.end : reflection::EndAt(type, minor_));
  if (structure == kWithdrawn.structure && minor_ == kWithdrawn.first_minor) {
    shape.size = kWithdrawn.actual;
  }
  shape.is_announced_otherwise = AnnouncedTo(structure, shape.size) != shape.size;
  bool is_of_extension = type.function >= 0 && reflection::Functions()[type.function].table >= 0;
  for (const reflection::Field& field : shape.fields) {
    if (field.if_unknown == reflection::IfUnknown::kRefuse && !SurelyHas(field)) {
      shape.refusals.push_back(&field);
    }
    if (type.frozen && field.required && field.since <= minor_ && !SurelyHas(field)) {
      shape.uncertain = &field;
    }
    bool is_enum = field.base == reflection::Base::kEnum;
    if (!IsChecked(field) || field.since > minor_ || (is_of_extension && !is_enum)) continue;
    uint64_t known = is_enum ? KnownValues(reflection::Enums()[field.target], minor_) : 0;
    shape.checks.push_back({&field, known, is_enum});
  }
}

bool PluginShape::Knows(const Check& check, int value) const {
  if (IsKnown(check.known_values, value)) return true;
  // What a newer plugin knows is not ours to say.
  return table_.IsNewerThanUs() &&
         reflection::NameOf(reflection::Enums()[check.field->target], value) == nullptr;
}

bool PluginShape::FitsAsItIs(int structure, const char* source) const {
  const StructShape& shape = Of(structure);
  if (shape.is_announced_otherwise) return false;
  if (!shape.type->frozen &&
      Read<size_t>(source, 0) != shape.size.load(std::memory_order_relaxed)) {
    return false;
  }
  for (const Check& check : shape.checks) {
    if (check.is_enum ? !IsKnown(check.known_values, Read<int>(source, check.field->offset))
                      : !NestedFits(shape, *check.field, source)) {
      return false;
    }
  }
  return true;
}

bool PluginShape::NestedFits(const StructShape& shape, const reflection::Field& field,
                             const char* source) const {
  const char* pointer = Read<const char*>(source, field.offset);
  if (pointer == nullptr) return true;
  const StructShape& nested = Of(field.target);
  size_t count = 1;
  if (field.length_field >= 0) {
    count = Read<size_t>(source, shape.fields[static_cast<size_t>(field.length_field)].offset);
  }
  if (nested.uncertain != nullptr && count != 0) return false;
  for (size_t i = 0; i < count; ++i) {
    const char* element = pointer + i * field.element_size;
    if (field.depth == 2) element = Read<const char*>(pointer, i * sizeof(char*));
    if (element != nullptr && !FitsAsItIs(field.target, element)) return false;
  }
  return true;
}

size_t PluginShape::AnnouncedTo(int structure, size_t size) const {
  auto applies = [&](const AnnouncedSize& row) {
    return row.structure == structure && row.actual == size && row.first_minor <= minor_;
  };
  if (applies(kWithdrawn) && minor_ == kWithdrawn.last_minor) return kWithdrawn.announced;
  for (const AnnouncedSize& row : kAnnouncedSizes) {
    // Within its last minor upstream corrected the constant, and a plugin then refuses less; one
    // from before takes more.
    if (applies(row) && minor_ < row.last_minor) return row.announced;
  }
  return size;
}

size_t TrueSize(int structure, size_t announced) {
  // This one has always had the same size, and JAX 0.10.2 leaves the field uninitialized where it
  // makes a view of memory.
  if (structure == reflection::structure::kPJRT_Buffer_MemoryLayout) {
    return reflection::Structs()[structure].end;
  }
  for (const AnnouncedSize& row : kAnnouncedSizes) {
    if (row.structure == structure && row.announced == announced) return row.actual;
  }
  return announced;
}

}  // namespace plinth::loader
