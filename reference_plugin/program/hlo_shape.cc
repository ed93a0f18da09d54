// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/hlo_shape.h"

#include <algorithm>

#include "api/support/xla_message_fields.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_types.h"
#include "reference_plugin/program/hlo_wire.h"

namespace plinth::program {
namespace {

using messages::LayoutProto;
using messages::ShapeProto;

constexpr int kMostTupleDepth = 64;
constexpr size_t kLongestShapeText = 200;

void AppendShape(const HloShape& shape, std::string* out) {
  if (out->size() > kLongestShapeText) {
    if (!out->ends_with("...")) out->append("...");
    return;
  }
  if (!shape.is_tuple) {
    const Type& type = *shape.leaves[0];
    if (!type.IsTensor()) {
      out->append("token[]");
    } else {
      out->append(StrCat(Name(type.dtype), "[", StrJoin(type.dims, ","), "]"));
    }
    return;
  }
  out->push_back('(');
  for (size_t i = 0; i < shape.elements.size() && !out->ends_with("..."); ++i) {
    if (i > 0) out->append(", ");
    AppendShape(shape.elements[i], out);
  }
  out->push_back(')');
}

// Whether the numbers are those below their count, each once.
bool IsPermutation(std::span<const int64_t> numbers) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= std::ssize(numbers)) return false;
    if (std::ranges::find(numbers.first(i), numbers[i]) !=
        numbers.begin() + static_cast<ptrdiff_t>(i)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void HloShapes::ReadFields(std::string_view message) {
  element_type_ = 0;
  dims_.clear();
  minor_to_major_.clear();
  is_dynamic_ = false;
  for (WireReader reader(message); reader.Next();) {
    switch (reader.key()) {
      case WireKey(ShapeProto::kElementType, WireType::kVarint):
        element_type_ = reader.Int();
        break;
      case WireKey(ShapeProto::kDimensions, WireType::kBytes):
      case WireKey(ShapeProto::kDimensions, WireType::kVarint):
        AppendInts(reader, &dims_);
        break;
      case WireKey(ShapeProto::kIsDynamicDimension, WireType::kBytes):
      case WireKey(ShapeProto::kIsDynamicDimension, WireType::kVarint):
        reader.ForEachInt([&](int64_t is_dynamic) { is_dynamic_ |= is_dynamic != 0; });
        break;
      case WireKey(ShapeProto::kLayout, WireType::kBytes):
        ReadIntsField(reader.Bytes(), LayoutProto::kMinorToMajor, &minor_to_major_);
        break;
      default:
        reader.Skip();
    }
  }
}

Status HloShapes::ParseArray(HloShape* shape) {
  const HloElementType* const element = FindHloElementType(element_type_);
  if (element == nullptr) {
    return Unimplemented("element type ", element_type_, " of a shape is not known");
  }
  const auto text = [&] {
    return StrCat(Name(element->dtype), "[", StrJoin(dims_, ",").substr(0, 100), "]");
  };
  if (is_dynamic_) {
    return Unimplemented("a shape ", text(),
                         " has dynamic dimensions; sizes must be known when it is compiled");
  }
  TypeRef type = nullptr;
  if (element->dtype == DType::kToken) {
    type = builder_.Simple(TypeKind::kToken);
  } else if (std::ranges::none_of(dims_, [](int64_t dim) { return dim < 0; })) {
    type = builder_.Tensor(element->dtype, false, dims_, nullptr);
  }
  if (type == nullptr) return InvalidArgument("a shape ", text(), " is not possible");
  shape->leaves = builder_.arena().Copy(std::span<const TypeRef>(&type, 1));
  if (minor_to_major_.empty()) return {};
  // There are as many as dimensions of a type, so few.
  if (minor_to_major_.size() != dims_.size() || !IsPermutation(minor_to_major_)) {
    return InvalidArgument("the layout {", StrJoin(minor_to_major_, ",").substr(0, 100),
                           "} of a shape with ", dims_.size(),
                           " dimensions does not name each of them once");
  }
  shape->minor_to_major = arena_.Copy(minor_to_major_);
  return {};
}

Status HloShapes::Parse(std::string_view message, int depth, HloShape* shape) {
  if (depth > kMostTupleDepth) {
    return InvalidArgument("a shape has tuples nested deeper than ", kMostTupleDepth);
  }
  ReadFields(message);
  shape->is_tuple = element_type_ == kHloTupleType;
  if (!shape->is_tuple) return ParseArray(shape);
  size_t count = 0;
  for (WireReader reader(message); reader.Next(ShapeProto::kTupleShapes); reader.Skip()) ++count;
  auto* const elements =
      reinterpret_cast<HloShape*>(arena_.Allocate(count * sizeof(HloShape), alignof(HloShape)));
  size_t next = 0, num_leaves = 0;
  PLINTH_RETURN_IF_ERROR(
      ForEachBytes<Status>(message, ShapeProto::kTupleShapes, [&](std::string_view element) {
        HloShape& parsed = *new (elements + next++) HloShape;
        PLINTH_RETURN_IF_ERROR(ParseElement(element, depth + 1, &parsed));
        num_leaves += parsed.leaves.size();
        return Status();
      }));
  shape->elements = {elements, next};
  // Those of tuples inside of tuples are listed once a level.
  if (depth > 0 && !builder_.SpendOnList(num_leaves, sizeof(TypeRef))) {
    return ModuleBuilder::Disproportion();
  }
  auto* const leaves = reinterpret_cast<TypeRef*>(
      builder_.arena().Allocate(num_leaves * sizeof(TypeRef), alignof(TypeRef)));
  TypeRef* end = leaves;
  for (const HloShape& element : shape->elements) {
    end = std::ranges::copy(element.leaves, end).out;
  }
  shape->leaves = {leaves, num_leaves};
  return {};
}

// Only arrays are known without a look at their depth.
Status HloShapes::ParseElement(std::string_view message, int depth, HloShape* shape) {
  const HloShape*& known = known_.At(message);
  if (known != nullptr && !known->is_tuple) {
    *shape = *known;
    return {};
  }
  PLINTH_RETURN_IF_ERROR(Parse(message, depth, shape));
  if (!shape->is_tuple) known_.At(message) = arena_.New(*shape);
  return {};
}

bool HloShape::IsRowMajor() const {
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

size_t HloShape::LeavesBefore(size_t index) const {
  size_t count = 0;
  for (size_t i = 0; i < index; ++i) count += elements[i].leaves.size();
  return count;
}

std::string ToString(const HloShape& shape) {
  std::string text;
  AppendShape(shape, &text);
  return text;
}

}  // namespace plinth::program
