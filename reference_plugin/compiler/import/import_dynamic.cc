// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/import_table.h"
#include "reference_plugin/compiler/ir/scalar.h"

// Ops whose operands say what the static ops say in attributes. Shapes are known here, so each is
// the static op, if what the operands add to the shapes is a constant too.
namespace plinth::compiler::importer {
namespace {

using program::Operation;

Status ExpectOperands(const Importer& importer, size_t count) {
  const size_t found = importer.operands().size();
  if (found == count && importer.result_types().size() == 1) return Status();
  return InvalidArgument("there are ", found, " operands and ", importer.result_types().size(),
                         " results; expected ", count, " and 1");
}

// Operand i, a list of `count` integers.
Status ExpectList(const Importer& importer, size_t i, int64_t count) {
  const Type& type = importer.operands()[i]->type;
  if (type.rank() == 1 && type.dims[0] == count && IsInteger(type.dtype)) return Status();
  return InvalidArgument("operand ", i, " is ", type.ToString(), "; expected ", count, " integers");
}

bool IsConstant(const Value* value) {
  return value->op != nullptr && value->op->opcode == Opcode::kConstant;
}

// The integers of a value, whatever its shape; UNIMPLEMENTED where they are not known before the
// program runs.
Expected<Dims> ConstantIntegers(const Value* value) {
  if (!IsConstant(value)) {
    return Unimplemented(
        "an operand that decides about shapes is no constant; what is not known when the program "
        "is compiled is supported for slices with strides of 1 only");
  }
  const auto& constant = value->op->Get<ConstantAttributes>();
  const size_t size = static_cast<size_t>(ByteSize(value->type.dtype));
  const bool is_signed = InfoOf(value->type.dtype).kind == DTypeClass::kSigned;
  Dims integers;
  for (int64_t k = 0; k < value->type.NumElements(); ++k) {
    const size_t offset = constant.is_splat ? 0 : static_cast<size_t>(k) * size;
    if (size > 8 || offset + size > constant.bytes.size()) {
      return InvalidArgument("a constant has fewer elements than its type says");
    }
    uint64_t bits = 0;
    std::memcpy(&bits, constant.bytes.data() + offset, size);
    if (is_signed && size < 8 && (bits >> (8 * size - 1) & 1) != 0) {
      bits |= ~uint64_t{0} << 8 * size;
    }
    integers.push_back(static_cast<int64_t>(bits));
  }
  return integers;
}

Expected<Dims> ReadList(const Importer& importer, size_t i, int64_t count) {
  PLINTH_RETURN_IF_ERROR(ExpectList(importer, i, count));
  return ConstantIntegers(importer.operands()[i]);
}

Status DefineOne(Importer& importer, Opcode opcode, std::initializer_list<Value*> operands,
                 AttributesRef attributes) {
  PLINTH_ASSIGN_OR_RETURN(
      Value* const value,
      importer.AppendOne(opcode, operands, importer.result_types()[0], std::move(attributes)));
  return importer.Define(0, value);
}

AttributeSource SourceOf(const Importer& importer, const Operation& operation) {
  return {operation, importer.operands(), importer.result_types(), importer.owner()};
}

}  // namespace

Status CheckShapeOperand(const Importer& importer, size_t i) {
  const Type& result = importer.result_types()[0];
  const Value* const shape = importer.operands()[i];
  if (!ExpectList(importer, i, result.rank()).ok()) {
    return InvalidArgument("operand ", i, " is ", shape->type.ToString(),
                           "; expected the dimensions of ", result.ToString());
  }
  if (!IsConstant(shape)) return Status();
  PLINTH_ASSIGN_OR_RETURN(const Dims dims, ConstantIntegers(shape));
  if (dims == result.dims) return Status();
  return InvalidArgument("operand ", i, " is [", StrJoin(dims), "], the result ", result.ToString(),
                         "; expected its dimensions");
}

// (operand, dimensions of the result).
Status ImportDynamicBroadcast(Importer& importer, const Operation& operation) {
  PLINTH_RETURN_IF_ERROR(ExpectOperands(importer, 2));
  PLINTH_RETURN_IF_ERROR(ExpectList(importer, 1, importer.result_types()[0].rank()));
  PLINTH_ASSIGN_OR_RETURN(AttributesRef attributes,
                          ConvertBroadcastInDim(SourceOf(importer, operation)));
  return DefineOne(importer, Opcode::kBroadcastInDim, {importer.operands()[0]},
                   std::move(attributes));
}

// (dimensions of the result).
Status ImportDynamicIota(Importer& importer, const Operation& operation) {
  PLINTH_RETURN_IF_ERROR(ExpectOperands(importer, 1));
  PLINTH_RETURN_IF_ERROR(ExpectList(importer, 0, importer.result_types()[0].rank()));
  PLINTH_ASSIGN_OR_RETURN(AttributesRef attributes, ConvertIota(SourceOf(importer, operation)));
  return DefineOne(importer, Opcode::kIota, {}, std::move(attributes));
}

// (operand, dimensions of the result).
Status ImportDynamicReshape(Importer& importer, const Operation&) {
  PLINTH_RETURN_IF_ERROR(ExpectOperands(importer, 2));
  PLINTH_RETURN_IF_ERROR(ExpectList(importer, 1, importer.result_types()[0].rank()));
  return DefineOne(importer, Opcode::kReshape, {importer.operands()[0]}, nullptr);
}

// (operand, padding value, low, high, interior).
Status ImportDynamicPad(Importer& importer, const Operation&) {
  PLINTH_RETURN_IF_ERROR(ExpectOperands(importer, 5));
  const int64_t rank = importer.operands()[0]->type.rank();
  PadAttributes pad;
  PLINTH_ASSIGN_OR_RETURN(pad.low, ReadList(importer, 2, rank));
  PLINTH_ASSIGN_OR_RETURN(pad.high, ReadList(importer, 3, rank));
  PLINTH_ASSIGN_OR_RETURN(pad.interior, ReadList(importer, 4, rank));
  return DefineOne(importer, Opcode::kPad, {importer.operands()[0], importer.operands()[1]},
                   MakeAttributes(std::move(pad)));
}

// (operand, start indices, slice sizes): the sizes follow from the result.
Status ImportDynamicGather(Importer& importer, const Operation& operation) {
  PLINTH_RETURN_IF_ERROR(ExpectOperands(importer, 3));
  const Type& operand = importer.operands()[0]->type;
  const Type& result = importer.result_types()[0];
  PLINTH_RETURN_IF_ERROR(ExpectList(importer, 2, operand.rank()));
  PLINTH_ASSIGN_OR_RETURN(AttributesRef source, ConvertGather(SourceOf(importer, operation)));
  GatherAttributes gather = *std::get_if<GatherAttributes>(source.get());
  auto contains = [](const Dims& dims, int64_t dim) {
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
  };
  gather.slice_sizes.clear();
  size_t next = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    int64_t size = 1;
    if (!contains(gather.collapsed_slice_dims, d) && !contains(gather.operand_batching_dims, d)) {
      const int64_t from = next < gather.offset_dims.size() ? gather.offset_dims[next++] : -1;
      if (from < 0 || from >= result.rank()) {
        return InvalidArgument(
            "offset_dims do not name a dimension of the result for each that "
            "is kept of the operand");
      }
      size = result.dims[from];
    }
    gather.slice_sizes.push_back(size);
  }
  return DefineOne(importer, Opcode::kGather, {importer.operands()[0], importer.operands()[1]},
                   MakeAttributes(std::move(gather)));
}

// (operand, start, limit, strides).
Status ImportRealDynamicSlice(Importer& importer, const Operation&) {
  PLINTH_RETURN_IF_ERROR(ExpectOperands(importer, 4));
  const Type operand = importer.operands()[0]->type;
  const Type result = importer.result_types()[0];
  SliceAttributes slice;
  PLINTH_ASSIGN_OR_RETURN(slice.stride, ReadList(importer, 3, operand.rank()));
  Value* const start = importer.operands()[1];
  const bool is_constant =
      std::all_of(importer.operands().begin() + 1, importer.operands().begin() + 3, &IsConstant);
  const bool is_dense =
      std::all_of(slice.stride.begin(), slice.stride.end(), [](int64_t s) { return s == 1; });
  if (result.rank() != operand.rank()) {
    return InvalidArgument("the result is ", result.ToString(), "; expected as many dimensions as ",
                           operand.ToString());
  }
  if (is_constant || !is_dense || operand.rank() == 0) {
    PLINTH_ASSIGN_OR_RETURN(slice.start, ReadList(importer, 1, operand.rank()));
    PLINTH_ASSIGN_OR_RETURN(slice.limit, ReadList(importer, 2, operand.rank()));
    return DefineOne(importer, Opcode::kSlice, {importer.operands()[0]},
                     MakeAttributes(std::move(slice)));
  }
  // The shape of the result says where it ends.
  PLINTH_RETURN_IF_ERROR(ExpectList(importer, 1, operand.rank()));
  PLINTH_RETURN_IF_ERROR(ExpectList(importer, 2, operand.rank()));
  SmallVector<Value*, 8> operands;
  operands.push_back(importer.operands()[0]);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    PLINTH_ASSIGN_OR_RETURN(
        Value* const one,
        importer.AppendOne(Opcode::kSlice, {start}, Type::Tensor(start->type.dtype, {1}),
                           MakeAttributes(SliceAttributes{{d}, {d + 1}, {1}})));
    PLINTH_ASSIGN_OR_RETURN(
        Value* const scalar,
        importer.AppendOne(Opcode::kReshape, {one}, Type::Tensor(start->type.dtype, {})));
    operands.push_back(scalar);
  }
  PLINTH_ASSIGN_OR_RETURN(Op* const op,
                          importer.Append(Opcode::kDynamicSlice, {operands.data(), operands.size()},
                                          importer.result_types(),
                                          MakeAttributes(DynamicSliceAttributes{result.dims})));
  return importer.Define(0, op->results[0]);
}

// (operand, size): nothing to do if the dimension has that size, as where TensorFlow makes an array
// of dynamic size of one whose size it knows. Another size would need types of dynamic sizes.
Status ImportSetDimensionSize(Importer& importer, const Operation& operation) {
  PLINTH_RETURN_IF_ERROR(ExpectOperands(importer, 2));
  const int64_t dimension = operation.Int("dimension");
  Value* const operand = importer.operands()[0];
  const Value* const size = importer.operands()[1];
  if (dimension < 0 || dimension >= operand->type.rank()) {
    return InvalidArgument("dimension is ", dimension, " of ", operand->type.ToString());
  }
  if (size->type.rank() != 0 || !IsInteger(size->type.dtype)) {
    return InvalidArgument("operand 1 is ", size->type.ToString(), "; expected an integer");
  }
  if (!IsConstant(size)) {
    return Unimplemented("the size of dimension ", dimension, " of ", operand->type.ToString(),
                         " is no constant; sizes must be known when the program is compiled");
  }
  PLINTH_ASSIGN_OR_RETURN(const Dims sizes, ConstantIntegers(size));
  if (sizes[0] != operand->type.dims[dimension]) {
    return Unimplemented("dimension ", dimension, " of ", operand->type.ToString(),
                         " becomes one of size ", sizes[0],
                         "; arrays with less elements than their type says are not supported, use "
                         "slice");
  }
  if (importer.result_types()[0] != operand->type) {
    return InvalidArgument("the result is ", importer.result_types()[0].ToString(), "; expected ",
                           operand->type.ToString());
  }
  return importer.Define(0, operand);
}

// (input, kernel, padding): the last has a row of low and high per spatial dimension.
Status ImportDynamicConvolution(Importer& importer, const Operation& operation) {
  PLINTH_RETURN_IF_ERROR(ExpectOperands(importer, 3));
  PLINTH_ASSIGN_OR_RETURN(AttributesRef source, ConvertConvolution(SourceOf(importer, operation)));
  ConvolutionAttributes convolution = *std::get_if<ConvolutionAttributes>(source.get());
  const Value* const padding = importer.operands()[2];
  const int64_t spatial = static_cast<int64_t>(convolution.input_spatial.size());
  if (padding->type.rank() != 2 || padding->type.dims[0] != spatial || padding->type.dims[1] != 2 ||
      !IsInteger(padding->type.dtype)) {
    return InvalidArgument("operand 2 is ", padding->type.ToString(), "; expected ", spatial,
                           " pairs of integers");
  }
  PLINTH_ASSIGN_OR_RETURN(const Dims pairs, ConstantIntegers(padding));
  convolution.window.padding_low.clear();
  convolution.window.padding_high.clear();
  for (int64_t d = 0; d < spatial; ++d) {
    convolution.window.padding_low.push_back(pairs[2 * d]);
    convolution.window.padding_high.push_back(pairs[2 * d + 1]);
  }
  return DefineOne(importer, Opcode::kConvolution, {importer.operands()[0], importer.operands()[1]},
                   MakeAttributes(std::move(convolution)));
}

}  // namespace plinth::compiler::importer
