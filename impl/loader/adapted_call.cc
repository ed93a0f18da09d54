// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/adapted_call.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "pjrt_c_api.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Struct;

// A plugin that wants more than this for one struct is not believed.
constexpr size_t kLargestSize = 4096;

size_t End(const Field& field) { return static_cast<size_t>(field.offset) + field.size; }

bool IsZero(const char* bytes, size_t size) {
  return std::all_of(bytes, bytes + size, [](char byte) { return byte == 0; });
}

const Struct& TypeOf(int structure) { return reflection::Structs()[structure]; }

constexpr size_t kChainOffset = offsetof(PJRT_Client_Destroy_Args, extension_start);

bool HasExtensions(const Struct& type, const char* source) {
  if (type.num_fields < 2) return false;
  const Field& second = reflection::FieldsOf(type)[1];
  return second.base == Base::kExtensionChain && Read<void*>(source, kChainOffset) != nullptr;
}

// Where the last field ends that lies within `size`.
size_t LastWholeField(std::span<const Field> fields, size_t size) {
  size_t end = 0;
  for (size_t i = fields.size(); i-- > 0 && end == 0;) {
    if (End(fields[i]) <= size) end = End(fields[i]);
  }
  return end;
}

// The number of elements behind a pointer field, 1 where the registry names no length.
size_t CountOf(int structure, const Field& field, const char* source, size_t size) {
  if (field.length_field < 0) return 1;
  const Field& length = reflection::FieldsOf(TypeOf(structure))[field.length_field];
  return End(length) <= size ? Read<size_t>(source, length.offset) : 0;
}

}  // namespace

char* AdaptedCall::Allocate(size_t size) {
  size = (size + 15) / 16 * 16;
  if (size <= kInlineBytes - used_) {
    used_ += size;
    return inline_ + used_ - size;
  }
  more_.push_back(std::make_unique<char[]>(size));
  return more_.back().get();
}

Status AdaptedCall::Down(void* args, void** plugin_args) {
  copies_.clear();
  sent_.clear();
  used_ = 0;
  char* result = nullptr;
  PLINTH_RETURN_IF_ERROR(DownStruct(function_.args, static_cast<char*>(args), true, &result));
  *plugin_args = result;
  return {};
}

Status AdaptedCall::DownStruct(int structure, char* source, bool copy_back, char** result) {
  const PluginShape::StructShape& shape = shape_.Of(structure);
  const Struct& type = *shape.type;
  size_t announced = Read<size_t>(source, 0);
  size_t size = type.frozen ? type.end : TrueSize(structure, announced);
  if (size < type.minimum_size) {
    return InvalidArgument(function_.name, ": ", type.name, " has a struct_size of ", announced,
                           "; it needs ", type.minimum_size,
                           " at least. Set it to the X_STRUCT_SIZE of your header");
  }
  size_t plugin_size = shape_.SizeOf(structure);
  // Structs of extensions change without a new minor: nothing is cut off. A struct larger than we
  // know goes as it is to a plugin that is newer than we are.
  bool is_beyond_us = size > type.end && shape_.table().IsNewerThanUs();
  if ((IsOfExtension() || is_beyond_us) && size > plugin_size) plugin_size = size;

  char* copy = nullptr;
  bool has_old_chain =
      shape_.table().minor < kOldestMinorWithExtensions && HasExtensions(type, source);
  if (!type.frozen && (size != plugin_size || has_old_chain ||
                       shape_.AnnouncedTo(structure, plugin_size) != announced)) {
    if (!IsOfExtension()) PLINTH_RETURN_IF_ERROR(RefuseUnknown(structure, source, size));
    copy = MakeCopy(structure, source, size, plugin_size);
  }
  for (const PluginShape::Check& check : shape.checks) {
    if (End(*check.field) > size) continue;
    if (check.is_enum) {
      PLINTH_RETURN_IF_ERROR(CheckEnum(structure, check, source));
      continue;
    }
    char* replaced = nullptr;
    PLINTH_RETURN_IF_ERROR(DownField(structure, *check.field, source, size, &replaced));
    if (replaced == nullptr) continue;
    if (copy == nullptr) copy = MakeCopy(structure, source, size, plugin_size);
    std::memcpy(copy + check.field->offset, &replaced, sizeof(replaced));
  }
  if (copy != nullptr) {
    copies_.push_back({structure, source, copy, size, plugin_size, copy_back});
  }
  if (!type.frozen) sent_.push_back({structure, shape_.AnnouncedTo(structure, plugin_size)});
  *result = copy != nullptr ? copy : source;
  return {};
}

// Sets *replaced to what the pointer has to be for the plugin, if that is not what it is.
Status AdaptedCall::DownField(int structure, const Field& field, char* source, size_t size,
                              char** replaced) {
  char* pointer = Read<char*>(source, field.offset);
  if (pointer == nullptr) return {};
  const Struct& target = TypeOf(field.target);
  bool copy_back = field.direction == Direction::kInout;
  if (field.depth == 1 && field.length_field < 0 && !target.frozen) {
    char* adapted = nullptr;
    PLINTH_RETURN_IF_ERROR(DownStruct(field.target, pointer, copy_back, &adapted));
    if (adapted != pointer) *replaced = adapted;
    return {};
  }
  size_t count = CountOf(structure, field, source, size);
  if (field.depth == 1 && target.frozen) return CheckElements(field, pointer, count);
  if (field.depth != 2 || target.frozen) return {};

  // A list of pointers to structs.
  char** list = reinterpret_cast<char**>(pointer);
  char** copy = nullptr;
  for (size_t i = 0; i < count; ++i) {
    if (list[i] == nullptr) continue;
    char* adapted = nullptr;
    PLINTH_RETURN_IF_ERROR(DownStruct(field.target, list[i], copy_back, &adapted));
    if (adapted == list[i]) continue;
    if (copy == nullptr) {
      copy = reinterpret_cast<char**>(Allocate(count * sizeof(char*)));
      std::copy(list, list + count, copy);
      *replaced = reinterpret_cast<char*>(copy);
    }
    copy[i] = adapted;
  }
  return {};
}

// Structs in arrays never grow, but their values can be unknown to the plugin.
Status AdaptedCall::CheckElements(const Field& field, char* first, size_t count) {
  const PluginShape::StructShape& shape = shape_.Of(field.target);
  if (shape.uncertain != nullptr && count != 0) {
    return Unimplemented(function_.name, ": ", shape.type->name, " changed within PJRT 0.",
                         shape_.table().minor, ", and what ", shape_.table().Describe(),
                         " takes for it cannot be told; it is certain from 0.",
                         shape.uncertain->safe_since, " on. Use a newer plugin");
  }
  for (size_t i = 0; i < count; ++i) {
    for (const PluginShape::Check& check : shape.checks) {
      if (!check.is_enum) continue;
      PLINTH_RETURN_IF_ERROR(CheckEnum(field.target, check, first + i * field.element_size));
    }
  }
  return {};
}

Status AdaptedCall::CheckEnum(int structure, const PluginShape::Check& check,
                              const char* source) const {
  const Field& field = *check.field;
  int value = Read<int>(source, field.offset);
  if (shape_.Knows(check, value)) return {};
  const reflection::Enum& enumeration = reflection::Enums()[field.target];
  for (const reflection::EnumValue& row : reflection::ValuesOf(enumeration)) {
    if (row.value != value) continue;
    return Unimplemented(function_.name, ": ", TypeOf(structure).name, ".", field.name, " is ",
                         row.name, ", which came with PJRT 0.", row.since, "; ",
                         shape_.table().Describe(), " cannot know it. Use a newer plugin");
  }
  return InvalidArgument(function_.name, ": ", TypeOf(structure).name, ".", field.name, " is ",
                         value, ", which is no ", enumeration.name);
}

bool AdaptedCall::IsDefault(int structure, const Field& field, const char* source,
                            size_t size) const {
  if (IsZero(source + field.offset, field.size)) return true;
  if (field.depth == 0) return false;
  if (field.length_field >= 0) return CountOf(structure, field, source, size) == 0;
  if (field.base != Base::kStruct || !TypeOf(field.target).carries_struct_size) return false;
  // A struct that says nothing is as good as none.
  const char* nested = Read<const char*>(source, field.offset);
  size_t nested_size = Read<size_t>(nested, 0);
  for (const Field& part : reflection::FieldsOf(TypeOf(field.target))) {
    if (part.base == Base::kStructSize || End(part) > nested_size) continue;
    if (!IsDefault(field.target, part, nested, nested_size)) return false;
  }
  return true;
}

// Whether all fields are unset without which this one means nothing.
bool AdaptedCall::MeansNothing(int structure, const Field& field, const char* source,
                               size_t size) const {
  if (field.only_with == 0) return false;
  std::span<const Field> fields = shape_.Of(structure).fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    bool counts = (field.only_with >> i & 1) != 0 && End(fields[i]) <= size;
    if (counts && !IsDefault(structure, fields[i], source, size)) return false;
  }
  return true;
}

Status AdaptedCall::RefuseUnknown(int structure, const char* source, size_t size) const {
  const Struct& type = TypeOf(structure);
  for (const Field* refusal : shape_.Of(structure).refusals) {
    const Field& field = *refusal;
    if (End(field) > size || IsDefault(structure, field, source, size)) continue;
    if (MeansNothing(structure, field, source, size)) continue;
    return Unimplemented(function_.name, ": ", type.name, ".", field.name,
                         " is set, which came with PJRT 0.", field.safe_since, "; ",
                         shape_.table().Describe(),
                         " cannot know it, and without it the result would be another. Leave it "
                         "unset, or use a newer plugin");
  }
  return {};
}

char* AdaptedCall::MakeCopy(int structure, const char* source, size_t size, size_t plugin_size) {
  const Struct& type = TypeOf(structure);
  size_t room = std::max<size_t>(plugin_size, type.size);
  char* copy = Allocate(room);
  // Whole fields only, and what lies behind those that we know.
  size_t common = std::min(size, plugin_size);
  if (common < type.end) common = LastWholeField(shape_.Of(structure).fields, common);
  std::memcpy(copy, source, common);
  std::memset(copy + common, 0, room - common);
  if (shape_.table().minor < kOldestMinorWithExtensions && HasExtensions(type, copy)) {
    std::memset(copy + kChainOffset, 0, sizeof(void*));
  }
  size_t announced = shape_.AnnouncedTo(structure, plugin_size);
  std::memcpy(copy, &announced, sizeof(announced));
  return copy;
}

void AdaptedCall::Up() const {
  for (const Copy& copy : copies_) {
    if (!copy.copy_back) continue;
    for (const Field& field : shape_.Of(copy.structure).fields) {
      if (field.direction == Direction::kIn || End(field) > copy.caller_size) continue;
      // The caller's own pointer, which may have been replaced.
      if (field.base == Base::kStruct && field.depth > 0 && field.direction == Direction::kInout) {
        continue;
      }
      char* to = copy.caller + field.offset;
      if (End(field) <= copy.plugin_size && (IsOfExtension() || shape_.SurelyHas(field))) {
        std::memcpy(to, copy.plugin + field.offset, field.size);
      } else {
        std::memset(to, 0, field.size);
      }
    }
  }
}

bool AdaptedCall::Learn(std::string_view message) {
  SizeComplaint complaint;
  if (!ParseSizeComplaint(message, &complaint) || complaint.expected > kLargestSize) return false;
  const Sent* match = nullptr;
  for (const Sent& sent : sent_) {
    if (sent.size != complaint.got || complaint.expected <= sent.size) continue;
    std::string name = StrCat(TypeOf(sent.structure).name, " ");
    // Upstream names the wrong struct in some messages, so the name only decides between two.
    if (match == nullptr || message.find(name) != std::string_view::npos) match = &sent;
  }
  if (match == nullptr) return false;
  shape_.Learn(match->structure, complaint.expected);
  return true;
}

bool ParseSizeComplaint(std::string_view message, SizeComplaint* complaint) {
  constexpr std::string_view kExpected = " size: expected ";
  constexpr std::string_view kGot = ", got ";
  size_t position = message.find(kExpected);
  if (position == std::string_view::npos) return false;
  const char* end = message.data() + message.size();
  auto expected =
      std::from_chars(message.data() + position + kExpected.size(), end, complaint->expected);
  if (expected.ec != std::errc()) return false;
  std::string_view rest(expected.ptr, static_cast<size_t>(end - expected.ptr));
  if (rest.substr(0, kGot.size()) != kGot) return false;
  return std::from_chars(rest.data() + kGot.size(), end, complaint->got).ec == std::errc();
}

}  // namespace plinth::loader
