// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/ffi_attributes.h"

#include <cstring>

#include "api/support/ffi_dtype.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/ffi_types.h"

namespace plinth::backend {
namespace {

using program::Attribute;
using program::AttributeKind;

constexpr int kMostNesting = 16;
// A splat is short in a program and may be long in memory.
constexpr int64_t kMostElements = int64_t{1} << 20;
// About what an entry takes, and a dictionary of its own.
constexpr int64_t kEntryBytes = 128;
constexpr int64_t kDictionaryBytes = 4096;

void AppendElement(std::vector<std::byte>& bytes, int64_t value, int64_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + size);
}

}  // namespace

Expected<std::unique_ptr<const FfiAttributes>> FfiAttributes::Make(program::AttributeRef dictionary,
                                                                   AttributeBudget& budget) {
  std::unique_ptr<FfiAttributes> attributes(new FfiAttributes());
  PLINTH_RETURN_IF_ERROR(attributes->Fill(dictionary, budget, 0));
  return std::unique_ptr<const FfiAttributes>(std::move(attributes));
}

Status FfiAttributes::Fill(program::AttributeRef dictionary, AttributeBudget& budget, int depth) {
  if (depth > kMostNesting) {
    return Unimplemented("dictionaries of attributes are nested more than ", kMostNesting, " deep");
  }
  if (dictionary != nullptr) {
    for (const program::NamedAttribute& field : dictionary->fields()) {
      PLINTH_RETURN_IF_ERROR(Add(field.name, *field.value, budget, depth));
    }
  }
  attrs_.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
  attrs_.size = static_cast<int64_t>(values_.size());
  attrs_.types = types_.data();
  attrs_.names = name_pointers_.data();
  attrs_.attrs = values_.data();
  return Status();
}

Status FfiAttributes::AddScalar(DType dtype, uint64_t bits) {
  const XLA_FFI_DataType type = FfiDataType(dtype);
  if (type == XLA_FFI_DataType_INVALID) return Unimplemented("numbers of type ", Name(dtype));
  scalar_bits_.push_back(bits);
  scalars_.push_back({type, &scalar_bits_.back()});
  types_.push_back(XLA_FFI_AttrType_SCALAR);
  values_.push_back(&scalars_.back());
  return Status();
}

Status FfiAttributes::AddArray(DType dtype, std::vector<std::byte> bytes) {
  const XLA_FFI_DataType type = FfiDataType(dtype);
  const auto size = static_cast<size_t>(ByteSize(dtype));
  if (type == XLA_FFI_DataType_INVALID || size == 0) {
    return Unimplemented("lists of ", Name(dtype));
  }
  array_bytes_.push_back(std::move(bytes));
  std::vector<std::byte>& kept = array_bytes_.back();
  arrays_.push_back({type, kept.size() / size, kept.data()});
  types_.push_back(XLA_FFI_AttrType_ARRAY);
  values_.push_back(&arrays_.back());
  return Status();
}

Status FfiAttributes::AddValue(const Attribute& value, AttributeBudget& budget, int depth) {
  PLINTH_RETURN_IF_ERROR(budget.Take(kEntryBytes));
  switch (value.kind()) {
    case AttributeKind::kBool:
      return AddScalar(DType::kPred, value.integer() != 0 ? 1 : 0);
    case AttributeKind::kInteger:
      return AddScalar(value.type()->dtype, static_cast<uint64_t>(value.integer()));
    case AttributeKind::kFloat:
      return AddScalar(value.type()->dtype, value.float_bits());
    case AttributeKind::kString:
    case AttributeKind::kSymbol:
      texts_.push_back({value.text().data(), value.text().size()});
      types_.push_back(XLA_FFI_AttrType_STRING);
      values_.push_back(&texts_.back());
      return Status();
    case AttributeKind::kDenseArray: {
      const int64_t size = ByteSize(value.type()->dtype);
      PLINTH_RETURN_IF_ERROR(budget.Take(size * static_cast<int64_t>(value.integers().size())));
      std::vector<std::byte> bytes;
      for (int64_t element : value.integers()) AppendElement(bytes, element, size);
      return AddArray(value.type()->dtype, std::move(bytes));
    }
    case AttributeKind::kElements: {
      const int64_t count = value.type()->NumElements();
      if (count > kMostElements) {
        return Unimplemented("a list of ", count, " numbers; handlers are given ", kMostElements,
                             " at most");
      }
      const int64_t copies = value.splat() ? count : 1;
      const auto size = static_cast<int64_t>(value.bytes().size());
      PLINTH_RETURN_IF_ERROR(budget.Take(copies * size));
      std::vector<std::byte> bytes;
      bytes.reserve(static_cast<size_t>(copies * size));
      for (int64_t i = 0; i < copies; ++i) {
        bytes.insert(bytes.end(), value.bytes().begin(), value.bytes().end());
      }
      return AddArray(value.type()->dtype, std::move(bytes));
    }
    case AttributeKind::kDictionary:
      PLINTH_RETURN_IF_ERROR(budget.Take(kDictionaryBytes));
      dictionaries_.emplace_back(new FfiAttributes());
      PLINTH_RETURN_IF_ERROR(dictionaries_.back()->Fill(&value, budget, depth + 1));
      types_.push_back(XLA_FFI_AttrType_DICTIONARY);
      values_.push_back(&dictionaries_.back()->attrs_);
      return Status();
    default:
      return Unimplemented(program::ToString(&value),
                           " is none of number, text, list of numbers and dictionary");
  }
}

Status FfiAttributes::Add(std::string_view name, const Attribute& value, AttributeBudget& budget,
                          int depth) {
  PLINTH_RETURN_IF_ERROR(
      AddValue(value, budget, depth).WithContext(StrCat("attribute \"", name, "\"")));
  texts_.push_back({name.data(), name.size()});
  name_pointers_.push_back(&texts_.back());
  return Status();
}

}  // namespace plinth::backend
