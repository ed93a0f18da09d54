// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "api/support/xla_message_fields.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/elements.h"
#include "reference_plugin/program/hlo_reader.h"
#include "reference_plugin/program/hlo_types.h"
#include "reference_plugin/program/hlo_wire.h"

// Constants.
namespace plinth::program {
namespace {

using messages::HloInstructionProto;
using messages::LiteralProto;

constexpr int kMostLiteralDepth = 64;

// Gathers elements as they are in memory. Never more of them than the shape has.
class ElementSink {
 public:
  ElementSink(size_t count, size_t width, std::vector<std::byte>* bytes)
      : most_(count * width), width_(width), bytes_(*bytes) {
    bytes_.clear();
  }

  bool Append(const void* bytes, size_t size) {
    if (size > most_ - bytes_.size()) return false;
    const auto* const first = static_cast<const std::byte*>(bytes);
    bytes_.insert(bytes_.end(), first, first + size);
    return true;
  }
  // The lowest bytes of a number.
  bool AppendInt(uint64_t value) { return Append(&value, width_); }

 private:
  const size_t most_;
  const size_t width_;
  std::vector<std::byte>& bytes_;
};

// False: there are more elements than there may be.
bool ReadList(WireReader& reader, const HloElementType& type, ElementSink& sink) {
  if (type.form == HloLiteralForm::kVarints) {
    bool fits = true;
    reader.ForEachInt([&](int64_t number) {
      const auto value = static_cast<uint64_t>(number);
      fits = fits && sink.AppendInt(type.dtype == DType::kPred ? value != 0 : value);
    });
    return fits;
  }
  if (reader.Is(WireType::kBytes)) {
    const std::string_view bytes = reader.Bytes();
    return sink.Append(bytes.data(), bytes.size());
  }
  if (type.form == HloLiteralForm::kFixed && reader.Is(WireType::kFixed32)) {
    const uint32_t value = reader.Fixed32();
    return sink.Append(&value, sizeof(value));
  }
  if (type.form == HloLiteralForm::kFixed && reader.Is(WireType::kFixed64)) {
    const uint64_t value = reader.Fixed64();
    return sink.Append(&value, sizeof(value));
  }
  reader.Skip();
  return true;
}

// Older writers pack elements of less than a byte, the first into the lowest bits.
void Unpack(size_t count, int bits, std::vector<std::byte>* bytes) {
  const size_t per_byte = 8 / static_cast<size_t>(bits);
  if (bytes->size() == count || bytes->size() != (count + per_byte - 1) / per_byte) return;
  std::vector<std::byte> unpacked(count);
  for (size_t i = 0; i < count; ++i) {
    unpacked[i] = (*bytes)[i / per_byte] >> (i % per_byte * static_cast<size_t>(bits));
  }
  *bytes = std::move(unpacked);
}

// The elements of an array whose dimensions lie in another order, in row-major order.
std::vector<std::byte> ToRowMajor(const std::vector<std::byte>& bytes, const HloShape& shape,
                                  size_t width) {
  const std::span<const int64_t> dims = shape.leaves[0]->dims;
  const size_t rank = dims.size();
  std::vector<size_t> strides(rank);
  size_t stride = width;
  for (const int64_t dim : shape.minor_to_major) {
    strides[static_cast<size_t>(dim)] = stride;
    stride *= static_cast<size_t>(dims[static_cast<size_t>(dim)]);
  }
  std::vector<std::byte> out(bytes.size());
  std::vector<int64_t> index(rank, 0);
  size_t from = 0;
  for (size_t to = 0; to < out.size(); to += width) {
    std::memcpy(out.data() + to, bytes.data() + from, width);
    for (size_t d = rank; d-- > 0;) {
      from += strides[d];
      if (++index[d] < dims[d]) break;
      from -= strides[d] * static_cast<size_t>(dims[d]);
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

Expected<AttributeRef> HloReader::ReadLiteral(std::string_view message, const HloShape& shape) {
  const HloShape* own = nullptr;
  std::string_view bytes;
  if (FindBytes(message, LiteralProto::kShape, &bytes)) {
    PLINTH_RETURN_IF_ERROR(parser_.shapes().Read(bytes, &own));
  }
  const TypeRef type = shape.leaves[0];
  if (own == nullptr || own->is_tuple || own->leaves[0] != type) {
    return InvalidArgument("its literal has the shape ", own == nullptr ? "()" : ToString(*own),
                           ", not ", ToString(shape));
  }
  const HloElementType* const element = FindHloElementType(type->dtype);
  if (!type->IsTensor() || element->form == HloLiteralForm::kNone) {
    return Unimplemented("there are no literals of ", ToString(shape));
  }
  const auto count = static_cast<size_t>(type->NumElements());
  const auto width = static_cast<size_t>(ByteSize(type->dtype));
  ElementSink sink(count, width, &literal_);
  for (WireReader reader(message); reader.Next(element->literal_field);) {
    if (!ReadList(reader, *element, sink)) {
      return InvalidArgument("its literal has more than the ", count, " elements of ",
                             ToString(shape));
    }
  }
  const int bits = InfoOf(type->dtype).bits;
  if (bits < 8 && type->dtype != DType::kPred && 8 % bits == 0) Unpack(count, bits, &literal_);
  if (literal_.size() != count * width) {
    return InvalidArgument("its literal has ", literal_.size(), " bytes of elements, not the ",
                           count, " elements of ", width, " bytes of ", ToString(shape));
  }
  if (!own->IsRowMajor()) literal_ = ToRowMajor(literal_, *own, width);
  const AttributeRef elements = ElementsFromValues(type, literal_, builder_);
  if (elements == nullptr) return InvalidArgument("a constant of ", ToString(shape));
  return elements;
}

// A tuple of constants is several.
Status HloReader::ReadConstantLeaves(const Instruction& in, std::string_view literal,
                                     const HloShape& shape, int depth,
                                     std::vector<ValueId>* leaves) {
  if (!shape.is_tuple) {
    PLINTH_ASSIGN_OR_RETURN(const AttributeRef elements, ReadLiteral(literal, shape));
    PLINTH_ASSIGN_OR_RETURN(const ValueId value, EmitConstant(in, shape.leaves[0], elements));
    leaves->push_back(value);
    return {};
  }
  if (depth > kMostLiteralDepth) return InvalidArgument("its literal is nested too deep");
  size_t next = 0;
  PLINTH_RETURN_IF_ERROR(ForEachBytes<Status>(
      literal, LiteralProto::kTupleLiterals, [&](std::string_view element) -> Status {
        if (next >= shape.elements.size()) return InvalidArgument("its literal is too long");
        return ReadConstantLeaves(in, element, shape.elements[next++], depth + 1, leaves);
      }));
  if (next == shape.elements.size()) return {};
  return InvalidArgument("its literal has ", next, " of the ", shape.elements.size(),
                         " elements of ", ToString(shape));
}

Status HloReader::ReadConstant(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, 0));
  std::string_view literal;
  if (!FindBytes(in.rest, HloInstructionProto::kLiteral, &literal)) {
    return InvalidArgument("it has no literal");
  }
  if (!in.shape->is_tuple) {
    PLINTH_ASSIGN_OR_RETURN(const AttributeRef elements, ReadLiteral(literal, *in.shape));
    Add("value", elements);
    return Emit(in, Op::kConstant, in.shape->leaves);
  }
  std::vector<ValueId> leaves;
  PLINTH_RETURN_IF_ERROR(ReadConstantLeaves(in, literal, *in.shape, 0, &leaves));
  Set(builder_.arena().Copy(leaves));
  return {};
}

}  // namespace plinth::program
