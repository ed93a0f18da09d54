// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/answers.h"

#include <cstring>

#include "conformance/cases/ask.h"

namespace plinth::conformance {

using reflection::Base;
using reflection::Direction;
using reflection::Field;

namespace {

template <typename T>
T Read(const std::vector<std::byte>& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

// What a named value says, wherever it lies.
void AddNamedValue(const PJRT_NamedValue& value, std::string& all) {
  all.append(StringOf(value.name, value.name_size));
  all += '=';
  const void* from = &value.int64_value;
  size_t size = sizeof(value.int64_value);
  switch (RawEnum(value.type)) {
    case PJRT_NamedValue_kString:
      from = value.string_value;
      size = value.value_size;
      break;
    case PJRT_NamedValue_kInt64List:
      from = value.int64_array_value;
      size = value.value_size * sizeof(int64_t);
      break;
    case PJRT_NamedValue_kFloat:
      size = sizeof(value.float_value);
      break;
    case PJRT_NamedValue_kBool:
      size = sizeof(value.bool_value);
      break;
    default:
      break;
  }
  if (from != nullptr) all.append(static_cast<const char*>(from), size);
  all += '|';
}

// The sizes of the texts of a list, where another field has them: `memory_kind_sizes` of
// `memory_kinds`.
const size_t* SizesOf(const reflection::Struct& structure, const Field& field,
                      const std::vector<std::byte>& answer) {
  std::string name(field.name.view());
  const Field* sizes = reflection::FindField(structure, name.substr(0, name.size() - 1) + "_sizes");
  return sizes == nullptr ? nullptr : Read<const size_t*>(answer, sizes->offset);
}

// `of_place`: where texts lie counts, and numbers do not.
std::string Written(const reflection::Struct& structure, const std::vector<std::byte>& answer,
                    bool of_place) {
  std::string all;
  auto add = [&](const void* from, size_t size) {
    if (from != nullptr) all.append(static_cast<const char*>(from), size);
    all += '|';
  };
  for (const Field& field : FieldsOf(structure)) {
    if (field.direction != Direction::kOut || field.base == Base::kCallback) continue;
    if (field.depth == 0) {
      if (!of_place && field.base != Base::kHandle) add(answer.data() + field.offset, field.size);
      continue;
    }
    const void* list = Read<const void*>(answer, field.offset);
    size_t count = 0;
    if (field.length_field >= 0) {
      count = Read<size_t>(answer, FieldsOf(structure)[field.length_field].offset);
    } else if (const Field* sizes = reflection::FindField(structure, "dim_sizes");
               sizes != nullptr && field.name.view() == "dims") {
      // The dimensions of all outputs, one after the other.
      const auto* each = Read<const size_t*>(answer, sizes->offset);
      size_t outputs = Read<size_t>(answer, FieldsOf(structure)[sizes->length_field].offset);
      for (size_t i = 0; i < outputs && each != nullptr; ++i) count += each[i];
    }
    if (list == nullptr || count == 0) continue;
    if (field.base == Base::kStruct) {
      if (reflection::Structs()[field.target].name.view() != "PJRT_NamedValue") continue;
      for (size_t i = 0; i < count; ++i)
        AddNamedValue(static_cast<const PJRT_NamedValue*>(list)[i], all);
    } else if (field.depth == 1) {
      add(list, count * field.element_size);
    } else {
      const size_t* sizes = SizesOf(structure, field, answer);
      for (size_t i = 0; i < count; ++i) {
        const char* text = static_cast<const char* const*>(list)[i];
        add(text, text == nullptr ? 0 : sizes == nullptr ? 1 : sizes[i]);
      }
      if (of_place) add(list, count * sizeof(void*));
    }
  }
  return all;
}

}  // namespace

const Field* OnlyHandle(const reflection::Struct& structure) {
  const Field* only = nullptr;
  for (const Field& field : FieldsOf(structure)) {
    if (field.base == Base::kStructSize || field.base == Base::kExtensionChain) continue;
    // What only holds the answer is freed by a deleter of the same struct.
    if (field.owner == reflection::Owner::kCaller &&
        reflection::FindField(structure, field.lifetime.view()) == nullptr)
      return nullptr;
    if (field.direction == Direction::kOut) continue;
    if (field.base != Base::kHandle || field.depth != 0 || only != nullptr) return nullptr;
    only = &field;
  }
  return only;
}

std::string Contents(const reflection::Struct& structure, const std::vector<std::byte>& answer) {
  return Written(structure, answer, true);
}

std::string Meaning(const reflection::Struct& structure, const std::vector<std::byte>& answer) {
  return Written(structure, answer, false);
}

}  // namespace plinth::conformance
