// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/args_builder.h"

#include <algorithm>
#include <cstring>

#include "plinth/support/args.h"

namespace plinth::layers {
namespace {

using capture::Tag;
using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Struct;

Status Contradiction(const Struct& structure, const Field& field) {
  return Status(StatusCode::kDataLoss, StrCat("the capture's value of ", structure.name, ".",
                                              field.name, " is not of its type ", field.type));
}

bool IsNumber(Base base) {
  return base == Base::kBool || base == Base::kInteger || base == Base::kUnsigned ||
         base == Base::kFloat || base == Base::kEnum;
}

template <typename T>
void Put(char* place, size_t offset, const T& value) {
  std::memcpy(place + offset, &value, sizeof(value));
}

}  // namespace

void* ArgsBuilder::Allocate(size_t size) {
  memory_.push_back(std::make_unique<char[]>(std::max<size_t>(size, 8)));
  return memory_.back().get();
}

Status ArgsBuilder::PutLength(const Struct& structure, const Field& field, int16_t index,
                              uint64_t count, char* place) {
  if (index < 0) return Status();
  const Field& length = reflection::FieldsOf(structure)[static_cast<size_t>(index)];
  auto [known, is_new] = lengths_.try_emplace(place + length.offset, count);
  if (!is_new && known->second != count) return Contradiction(structure, field);
  std::memcpy(place + length.offset, &count, std::min<size_t>(length.size, sizeof(count)));
  return Status();
}

void* ArgsBuilder::Copy(const void* data, size_t size) {
  void* copy = Allocate(size);
  if (size > 0) std::memcpy(copy, data, size);
  return copy;
}

Expected<void*> ArgsBuilder::Build(const Struct& structure,
                                   const std::vector<CapturedField>& fields, bool parent_is_input) {
  auto* place = static_cast<char*>(Allocate(std::max(structure.size, structure.end)));
  PLINTH_RETURN_IF_ERROR(Fill(structure, fields, parent_is_input, place));
  return static_cast<void*>(place);
}

Status ArgsBuilder::Fill(const Struct& structure, const std::vector<CapturedField>& fields,
                         bool parent_is_input, char* place) {
  if (structure.carries_struct_size) Put(place, 0, size_t{structure.end});
  // Lengths are numbers, and are set again by the lists that they belong to.
  for (bool lists : {false, true}) {
    for (const CapturedField& captured : fields) {
      if ((captured.value.tag != Tag::kNumber) != lists) continue;
      for (const Field& field : reflection::FieldsOf(structure)) {
        if (field.offset != captured.offset) continue;
        bool is_input = parent_is_input || field.direction == Direction::kIn;
        if (!is_input && field.direction == Direction::kOut) continue;
        PLINTH_RETURN_IF_ERROR(FillField(structure, field, captured.value, is_input, place));
      }
    }
  }
  return Status();
}

Expected<void*> ArgsBuilder::HandleOf(const Field& field, uint64_t id) const {
  if (id == 0) return static_cast<void*>(nullptr);
  auto found = handles_.find(id);
  if (found == handles_.end()) {
    return NotFound(field.name, ": ", reflection::Handles()[static_cast<size_t>(field.target)], " ",
                    id, " was not made in this replay");
  }
  if (found->second.type != field.target) {
    return Status(StatusCode::kDataLoss,
                  StrCat("the capture uses handle ", id, " as ", field.type));
  }
  return found->second.handle;
}

Status ArgsBuilder::FillField(const Struct& structure, const Field& field,
                              const CapturedValue& value, bool is_input, char* place) {
  size_t count = 0;
  switch (value.tag) {
    case Tag::kOpaque:
      // A list that was too long: the call without it would be another one.
      if (is_input && field.depth > 0 && field.length_field >= 0) {
        return Unimplemented("the capture leaves out ", field.name, " of ", structure.name);
      }
      return Status();
    case Tag::kNull:
    case Tag::kHostData:
      return Status();
    case Tag::kNumber:
      if (!IsNumber(field.base) || field.depth != 0 || value.bytes.size() != field.size) break;
      std::memcpy(place + field.offset, value.bytes.data(), field.size);
      return Status();
    case Tag::kNumbers:
      if (!IsNumber(field.base) || field.depth != 1 || value.element_size != field.element_size ||
          field.length_field < 0) {
        break;
      }
      // What the callee fills in is not given back to it.
      if (!is_input) return Status();
      Put(place, field.offset, Copy(value.bytes.data(), value.bytes.size()));
      return PutLength(structure, field, field.length_field,
                       value.bytes.size() / value.element_size, place);
    case Tag::kBytes:
      if ((field.base != Base::kChar && field.base != Base::kVoid) || field.depth != 1 ||
          field.length_field < 0) {
        break;
      }
      if (!is_input) return Status();
      Put(place, field.offset, Copy(value.bytes.data(), value.bytes.size()));
      return PutLength(structure, field, field.length_field, value.bytes.size(), place);
    case Tag::kHandle: {
      if (field.base != Base::kHandle || field.depth != 0) break;
      PLINTH_ASSIGN_OR_RETURN(void* handle, HandleOf(field, value.ids[0]));
      Put(place, field.offset, handle);
      return Status();
    }
    case Tag::kHandles: {
      if (field.base != Base::kHandle || field.depth != 1 || field.length_field < 0) break;
      if (!is_input) return Status();
      auto* handles = static_cast<void**>(Allocate(value.ids.size() * sizeof(void*)));
      for (size_t i = 0; i < value.ids.size(); ++i) {
        PLINTH_ASSIGN_OR_RETURN(handles[i], HandleOf(field, value.ids[i]));
      }
      Put(place, field.offset, handles);
      return PutLength(structure, field, field.length_field, value.ids.size(), place);
    }
    case Tag::kHandleLists: {
      if (field.base != Base::kHandle || field.depth != 2) break;
      if (!is_input) return Status();
      auto* lists = static_cast<void***>(Allocate(value.outer_count * sizeof(void**)));
      for (size_t i = 0; i < value.outer_count; ++i) {
        lists[i] = static_cast<void**>(Allocate(value.inner_count * sizeof(void*)));
        for (size_t k = 0; k < value.inner_count; ++k) {
          PLINTH_ASSIGN_OR_RETURN(lists[i][k],
                                  HandleOf(field, value.ids[i * value.inner_count + k]));
        }
      }
      Put(place, field.offset, lists);
      PLINTH_RETURN_IF_ERROR(
          PutLength(structure, field, field.length_field, value.outer_count, place));
      return PutLength(structure, field, field.inner_length_field, value.inner_count, place);
    }
    case Tag::kStruct:
    case Tag::kStructs:
      if (field.base != Base::kStruct) break;
      PLINTH_RETURN_IF_ERROR(FillStructs(field, value, is_input, place, count));
      return PutLength(structure, field, field.length_field, count, place);
    case Tag::kNamedValues:
      if (field.base != Base::kStruct || field.depth != 1 ||
          field.target != reflection::structure::kPJRT_NamedValue) {
        break;
      }
      named_values_.emplace_back(value.named_values);
      Put(place, field.offset, named_values_.back().data());
      return PutLength(structure, field, field.length_field, value.named_values.size(), place);
    case Tag::kLayout:
      if (field.base != Base::kStruct || field.depth != 1 ||
          field.target != reflection::structure::kPJRT_Buffer_MemoryLayout) {
        break;
      }
      return FillLayout(field, value, place);
  }
  return Contradiction(structure, field);
}

Status ArgsBuilder::FillStructs(const Field& field, const CapturedValue& value, bool is_input,
                                char* place, size_t& count) {
  const Struct& nested = reflection::Structs()[static_cast<size_t>(field.target)];
  // These have forms of their own in a capture.
  if (field.depth > 1 || field.target == reflection::structure::kPJRT_NamedValue ||
      field.target == reflection::structure::kPJRT_Buffer_MemoryLayout) {
    return Contradiction(nested, field);
  }
  count = value.structs.size();
  if (field.depth == 0) {
    if (count != 1) return Contradiction(nested, field);
    return Fill(nested, value.structs[0], is_input, place + field.offset);
  }
  if (field.length_field < 0 && count != 1) return Contradiction(nested, field);
  auto* elements = static_cast<char*>(Allocate(count * field.element_size));
  for (size_t i = 0; i < count; ++i) {
    PLINTH_RETURN_IF_ERROR(
        Fill(nested, value.structs[i], is_input, elements + i * field.element_size));
  }
  Put(place, field.offset, elements);
  return Status();
}

Status ArgsBuilder::FillLayout(const Field& field, const CapturedValue& value, char* place) {
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = StructOf<PJRT_Buffer_MemoryLayout>::kSize;
  auto list = [&](size_t i) {
    return static_cast<const int64_t*>(
        Copy(value.layout[i].data(), value.layout[i].size() * sizeof(int64_t)));
  };
  if (value.layout.size() == 3) {
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled.struct_size = StructOf<PJRT_Buffer_MemoryLayout_Tiled>::kSize;
    layout.tiled.minor_to_major = list(0);
    layout.tiled.minor_to_major_size = value.layout[0].size();
    layout.tiled.tile_dim_sizes = reinterpret_cast<const size_t*>(list(1));
    layout.tiled.num_tiles = value.layout[1].size();
    layout.tiled.tile_dims = list(2);
  } else {
    layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
    layout.strides.struct_size = StructOf<PJRT_Buffer_MemoryLayout_Strides>::kSize;
    layout.strides.byte_strides = list(0);
    layout.strides.num_byte_strides = value.layout[0].size();
  }
  Put(place, field.offset, Copy(&layout, sizeof(layout)));
  return Status();
}

}  // namespace plinth::layers
