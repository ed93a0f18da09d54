// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/struct_values.h"

#include <cstring>
#include <vector>

namespace plinth::layers {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Struct;

template <typename T>
T Load(const void* data, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + offset, sizeof(value));
  return value;
}

bool IsNumber(Base base) {
  return base == Base::kBool || base == Base::kInteger || base == Base::kUnsigned ||
         base == Base::kFloat || base == Base::kEnum;
}

class Visit {
 public:
  Visit(const Struct& structure, const void* data, const VisitOptions& options,
        StructVisitor& visitor)
      : fields_(reflection::FieldsOf(structure)),
        data_(data),
        size_(SizeOfStruct(structure, data)),
        options_(options),
        visitor_(visitor) {}

  void Run(bool parent_is_input) {
    for (const Field& field : fields_) {
      if (!Has(field) || field.base == Base::kStructSize || field.base == Base::kExtensionChain ||
          field.base == Base::kExtensionNode || field.base == Base::kSlot) {
        continue;
      }
      Direction direction = parent_is_input ? Direction::kIn : field.direction;
      if (direction == Direction::kOut && !options_.outputs) continue;
      VisitField(field, direction);
    }
  }

 private:
  bool Has(const Field& field) const { return size_t{field.offset} + field.size <= size_; }
  const char* Place(const Field& field) const {
    return static_cast<const char*>(data_) + field.offset;
  }

  // False where the registry knows no length, or the struct ends before it.
  bool Length(int16_t index, uint64_t& length) const {
    if (index < 0 || !Has(fields_[static_cast<size_t>(index)])) return false;
    length = LengthIn(data_, fields_[static_cast<size_t>(index)]);
    return length <= options_.max_elements;
  }

  void VisitField(const Field& field, Direction direction) {
    if (field.base == Base::kUnion) return visitor_.Opaque(field, Place(field));
    if (field.depth == 0 && IsNumber(field.base)) {
      return visitor_.Numbers(field, Place(field), 1, false);
    }
    if (field.depth == 0 && field.base == Base::kStruct) {
      const void* element = Place(field);
      return VisitStructs(field, {&element, 1}, false);
    }
    const void* pointer = Load<const void*>(data_, field.offset);
    if (pointer == nullptr) return visitor_.Null(field);
    if (field.base == Base::kHandle && field.depth == 0) return visitor_.Handle(field, pointer);
    // The memory is the callee's to fill in.
    if (direction == Direction::kInout && !options_.outputs) return visitor_.Opaque(field, pointer);
    if (field.depth == 1) return VisitList(field, pointer);
    uint64_t outer = 0, inner = 0;
    if (field.base == Base::kHandle && field.depth == 2 && Length(field.length_field, outer) &&
        Length(field.inner_length_field, inner)) {
      auto* lists = static_cast<const void* const* const*>(pointer);
      bool complete = true;
      for (uint64_t i = 0; i < outer; ++i) complete &= lists[i] != nullptr || inner == 0;
      if (complete) return visitor_.HandleLists(field, lists, outer, inner);
    }
    visitor_.Opaque(field, pointer);
  }

  void VisitList(const Field& field, const void* pointer) {
    uint64_t count = 0;
    bool has_length = Length(field.length_field, count);
    if (field.base == Base::kStruct) {
      if (field.length_field < 0) return VisitStructs(field, {&pointer, 1}, false);
      if (!has_length) return visitor_.Opaque(field, pointer);
      std::vector<const void*> elements(count);
      for (uint64_t i = 0; i < count; ++i) {
        elements[i] = static_cast<const char*>(pointer) + i * field.element_size;
      }
      return VisitStructs(field, elements, true);
    }
    // Texts and memory may be longer than lists.
    if ((field.base == Base::kChar || field.base == Base::kVoid) && field.length_field >= 0 &&
        Has(fields_[static_cast<size_t>(field.length_field)])) {
      const Field& length = fields_[static_cast<size_t>(field.length_field)];
      return visitor_.Bytes(field, pointer, LengthIn(data_, length));
    }
    if (!has_length) return visitor_.Opaque(field, pointer);
    if (IsNumber(field.base)) return visitor_.Numbers(field, pointer, count, true);
    if (field.base == Base::kHandle) {
      return visitor_.Handles(field, static_cast<const void* const*>(pointer), count);
    }
    visitor_.Opaque(field, pointer);
  }

  void VisitStructs(const Field& field, std::span<const void* const> elements, bool is_list) {
    visitor_.Structs(field, reflection::Structs()[static_cast<size_t>(field.target)], elements,
                     is_list);
  }

  std::span<const Field> fields_;
  const void* data_;
  size_t size_;
  const VisitOptions& options_;
  StructVisitor& visitor_;
};

}  // namespace

uint64_t LengthIn(const void* data, const Field& field) {
  if (field.size == 8) {
    auto length = Load<int64_t>(data, field.offset);
    return field.base == Base::kInteger && length < 0 ? 0 : static_cast<uint64_t>(length);
  }
  if (field.size == 4) {
    auto length = Load<int32_t>(data, field.offset);
    return length < 0 ? 0 : static_cast<uint64_t>(length);
  }
  return 0;
}

size_t SizeOfStruct(const Struct& structure, const void* data) {
  if (data == nullptr) return 0;
  if (!structure.carries_struct_size) return structure.end;
  return Load<size_t>(data, 0);
}

void VisitStruct(const Struct& structure, const void* data, bool parent_is_input,
                 const VisitOptions& options, StructVisitor& visitor) {
  if (data != nullptr) Visit(structure, data, options, visitor).Run(parent_is_input);
}

}  // namespace plinth::layers
