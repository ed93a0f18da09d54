#include "reference_plugin/cpu/custom_calls/ffi_attributes.h"

#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/custom_calls/ffi_types.h"

namespace plinth::cpu {
namespace {

using program::Attribute;
using program::AttributeKind;

constexpr int kMostNesting = 16;
// A splat is short in a program and may be long in memory.
constexpr int64_t kMostElements = int64_t{1} << 20;

void AppendElement(std::vector<std::byte>& bytes, int64_t value, int64_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + size);
}

}  // namespace

Expected<std::unique_ptr<const FfiAttributes>> FfiAttributes::Make(
    program::AttributeRef dictionary) {
  std::unique_ptr<FfiAttributes> attributes(new FfiAttributes());
  PLINTH_RETURN_IF_ERROR(attributes->Fill(dictionary, 0));
  return std::unique_ptr<const FfiAttributes>(std::move(attributes));
}

Status FfiAttributes::Fill(program::AttributeRef dictionary, int depth) {
  if (depth > kMostNesting) {
    return Unimplemented("dictionaries of attributes are nested more than ", kMostNesting, " deep");
  }
  if (dictionary != nullptr) {
    for (const program::NamedAttribute& field : dictionary->fields()) {
      PLINTH_RETURN_IF_ERROR(Add(field.name, *field.value, depth));
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

Status FfiAttributes::Add(std::string_view name, const Attribute& value, int depth) {
  Status status;
  switch (value.kind()) {
    case AttributeKind::kBool:
      status = AddScalar(DType::kPred, value.integer() != 0 ? 1 : 0);
      break;
    case AttributeKind::kInteger:
      status = AddScalar(value.type()->dtype, static_cast<uint64_t>(value.integer()));
      break;
    case AttributeKind::kFloat:
      status = AddScalar(value.type()->dtype, value.float_bits());
      break;
    case AttributeKind::kString:
    case AttributeKind::kSymbol:
      texts_.push_back({value.text().data(), value.text().size()});
      types_.push_back(XLA_FFI_AttrType_STRING);
      values_.push_back(&texts_.back());
      break;
    case AttributeKind::kDenseArray: {
      std::vector<std::byte> bytes;
      for (int64_t element : value.integers()) {
        AppendElement(bytes, element, ByteSize(value.type()->dtype));
      }
      status = AddArray(value.type()->dtype, std::move(bytes));
      break;
    }
    case AttributeKind::kElements: {
      const int64_t count = value.type()->NumElements();
      if (count > kMostElements) {
        status = Unimplemented("lists of more than ", kMostElements, " numbers");
        break;
      }
      std::vector<std::byte> bytes;
      for (int64_t i = 0; i < (value.splat() ? count : 1); ++i) {
        bytes.insert(bytes.end(), value.bytes().begin(), value.bytes().end());
      }
      status = AddArray(value.type()->dtype, std::move(bytes));
      break;
    }
    case AttributeKind::kDictionary: {
      dictionaries_.emplace_back(new FfiAttributes());
      status = dictionaries_.back()->Fill(&value, depth + 1);
      types_.push_back(XLA_FFI_AttrType_DICTIONARY);
      values_.push_back(&dictionaries_.back()->attrs_);
      break;
    }
    default:
      status = Unimplemented(program::ToString(&value),
                             " is none of number, text, list of numbers ", "and dictionary");
  }
  if (!status.ok()) return status.WithContext(StrCat("attribute \"", name, "\""));
  texts_.push_back({name.data(), name.size()});
  name_pointers_.push_back(&texts_.back());
  return Status();
}

}  // namespace plinth::cpu
