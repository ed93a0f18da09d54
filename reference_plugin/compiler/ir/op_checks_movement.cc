// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"

namespace plinth::compiler {

Status CheckConstant(const Op& op) {
  const auto& constant = op.Get<ConstantAttributes>();
  const int64_t count = constant.is_splat ? 1 : op.type().NumElements();
  const int64_t expected = count * ByteSize(op.type().dtype);
  if (static_cast<int64_t>(constant.bytes.size()) != expected) {
    return InvalidArgument("value has ", constant.bytes.size(), " bytes; expected ", expected,
                           " for ", op.type().ToString());
  }
  return Status();
}

Status CheckIota(const Op& op) {
  const Type& type = op.type();
  if ((MaskOf(InfoOf(type.dtype).kind) & (kIntegerMask | kFloatMask | kComplexMask)) == 0) {
    return InvalidArgument("the result is ", type.ToString(), "; expected elements that count");
  }
  return ExpectInRange("iota_dimension", op.Get<DimensionAttributes>().dimension, 0,
                       type.rank() - 1);
}

Status CheckBroadcastInDim(const Op& op) {
  const Type& from = op.operands[0]->type;
  const Type& to = op.type();
  const Dims& dims = op.Get<DimensionsAttributes>().dimensions;
  PLINTH_RETURN_IF_ERROR(
      ExpectCount("broadcast_dimensions", dims.size(), from.rank(), "one per operand dimension"));
  PLINTH_RETURN_IF_ERROR(ExpectDims("broadcast_dimensions", dims, to.rank()));
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t target = to.dims[static_cast<size_t>(dims[i])];
    if (from.dims[i] != 1 && from.dims[i] != target) {
      return InvalidArgument("operand dimension ", i, " of ", from.ToString(),
                             " cannot become dimension ", dims[i], " of ", to.ToString(),
                             "; expected 1 or ", target);
    }
  }
  return ExpectResult(op, 0, Type::Tensor(from.dtype, to.dims), "elements are only repeated");
}

Status CheckConcatenate(const Op& op) {
  const Type& first = op.operands[0]->type;
  const int64_t dimension = op.Get<DimensionAttributes>().dimension;
  PLINTH_RETURN_IF_ERROR(ExpectInRange("dimension", dimension, 0, first.rank() - 1));
  Type expected = first;
  int64_t& extent = expected.dims[static_cast<size_t>(dimension)];
  for (size_t i = 1; i < op.operands.size(); ++i) {
    const Type& type = op.operands[i]->type;
    bool fits = type.dtype == first.dtype && type.rank() == first.rank();
    for (int64_t d = 0; fits && d < first.rank(); ++d) {
      const size_t at = static_cast<size_t>(d);
      fits = d == dimension || type.dims[at] == first.dims[at];
    }
    if (!fits) {
      return InvalidArgument("operand ", i, " is ", type.ToString(), "; expected ",
                             first.ToString(), " but for dimension ", dimension);
    }
    // Each extent is below 2^62 and there are fewer than 2^31 operands; the sum may still wrap.
    if (__builtin_add_overflow(extent, type.dims[static_cast<size_t>(dimension)], &extent)) {
      return InvalidArgument("the extents along dimension ", dimension, " add up to over 2^63");
    }
  }
  return ExpectResult(op, 0, expected, "the operands one after another");
}

namespace {

// The operands from `first` on: one scalar integer per dimension of operand 0, all of one type.
Status CheckStartIndices(const Op& op, size_t first) {
  const Type& operand = op.operands[0]->type;
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of start indices", op.operands.size() - first,
                                     operand.rank(), "one per operand dimension"));
  for (size_t i = first; i < op.operands.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(CheckElements(op, i, kIntegerMask));
    PLINTH_RETURN_IF_ERROR(ExpectOperand(op, i, Type::Tensor(op.operands[first]->type.dtype, {}),
                                         "start indices are scalars of one type"));
  }
  return Status();
}

}  // namespace

Status CheckDynamicSlice(const Op& op) {
  const Type& operand = op.operands[0]->type;
  const Dims& sizes = op.Get<DynamicSliceAttributes>().sizes;
  PLINTH_RETURN_IF_ERROR(CheckStartIndices(op, 1));
  PLINTH_RETURN_IF_ERROR(
      ExpectCount("slice_sizes", sizes.size(), operand.rank(), "one per operand dimension"));
  for (size_t i = 0; i < sizes.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(
        ExpectInRange(StrCat("slice_sizes entry ", i), sizes[i], 0, operand.dims[i]));
  }
  return ExpectResult(op, 0, Type::Tensor(operand.dtype, sizes), "the slice sizes");
}

Status CheckDynamicUpdateSlice(const Op& op) {
  const Type& operand = op.operands[0]->type;
  const Type& update = op.operands[1]->type;
  bool fits = update.dtype == operand.dtype && update.rank() == operand.rank();
  for (size_t i = 0; fits && i < operand.dims.size(); ++i) {
    fits = update.dims[i] <= operand.dims[i];
  }
  if (!fits) {
    return InvalidArgument("operand 1 is ", update.ToString(), "; expected a part of ",
                           operand.ToString());
  }
  PLINTH_RETURN_IF_ERROR(CheckStartIndices(op, 2));
  return ExpectResult(op, 0, operand, "the type of operand 0");
}

Status CheckPad(const Op& op) {
  const Type& operand = op.operands[0]->type;
  const auto& pad = op.Get<PadAttributes>();
  PLINTH_RETURN_IF_ERROR(
      ExpectOperand(op, 1, Type::Tensor(operand.dtype, {}), "the padding value is a scalar"));
  for (const auto& [name, list] :
       {std::pair<std::string_view, const Dims*>{"edge_padding_low", &pad.low},
        {"edge_padding_high", &pad.high},
        {"interior_padding", &pad.interior}}) {
    PLINTH_RETURN_IF_ERROR(
        ExpectCount(name, list->size(), operand.rank(), "one per operand dimension"));
  }
  Type expected = operand;
  for (size_t i = 0; i < operand.dims.size(); ++i) {
    if (pad.interior[i] < 0) {
      return InvalidArgument("interior_padding entry ", i, " is ", pad.interior[i],
                             "; expected at least 0");
    }
    const int64_t gaps = operand.dims[i] > 0 ? operand.dims[i] - 1 : 0;
    int64_t extent = 0;
    if (__builtin_mul_overflow(gaps, pad.interior[i], &extent) ||
        __builtin_add_overflow(extent, operand.dims[i], &extent) ||
        __builtin_add_overflow(extent, pad.low[i], &extent) ||
        __builtin_add_overflow(extent, pad.high[i], &extent) || extent < 0) {
      return InvalidArgument("padding makes dimension ", i, " of ", operand.ToString(),
                             " negative or too large");
    }
    expected.dims[i] = extent;
  }
  return ExpectResult(op, 0, expected, "the padded operand");
}

Status CheckReshape(const Op& op) {
  const Type& from = op.operands[0]->type;
  const Type& to = op.type();
  if (from.dtype == to.dtype && from.NumElements() == to.NumElements()) return Status();
  return InvalidArgument("the result is ", to.ToString(), "; expected ", from.NumElements(),
                         " elements of ", Name(from.dtype));
}

Status CheckReverse(const Op& op) {
  const Type& operand = op.operands[0]->type;
  PLINTH_RETURN_IF_ERROR(
      ExpectDims("dimensions", op.Get<DimensionsAttributes>().dimensions, operand.rank()));
  return ExpectResult(op, 0, operand, "the type of operand 0");
}

Status CheckSlice(const Op& op) {
  const Type& operand = op.operands[0]->type;
  const auto& slice = op.Get<SliceAttributes>();
  for (const auto& [name, list] :
       {std::pair<std::string_view, const Dims*>{"start_indices", &slice.start},
        {"limit_indices", &slice.limit},
        {"strides", &slice.stride}}) {
    PLINTH_RETURN_IF_ERROR(
        ExpectCount(name, list->size(), operand.rank(), "one per operand dimension"));
  }
  Type expected = operand;
  for (size_t i = 0; i < operand.dims.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(
        ExpectInRange(StrCat("limit_indices entry ", i), slice.limit[i], 0, operand.dims[i]));
    PLINTH_RETURN_IF_ERROR(
        ExpectInRange(StrCat("start_indices entry ", i), slice.start[i], 0, slice.limit[i]));
    if (slice.stride[i] < 1) {
      return InvalidArgument("strides entry ", i, " is ", slice.stride[i], "; expected at least 1");
    }
    const int64_t length = slice.limit[i] - slice.start[i];
    expected.dims[i] = length / slice.stride[i] + (length % slice.stride[i] != 0 ? 1 : 0);
  }
  return ExpectResult(op, 0, expected, "the slice");
}

Status CheckTranspose(const Op& op) {
  const Type& operand = op.operands[0]->type;
  const Dims& permutation = op.Get<DimensionsAttributes>().dimensions;
  PLINTH_RETURN_IF_ERROR(
      ExpectCount("permutation", permutation.size(), operand.rank(), "one per operand dimension"));
  PLINTH_RETURN_IF_ERROR(ExpectDims("permutation", permutation, operand.rank()));
  Type expected = operand;
  for (size_t i = 0; i < permutation.size(); ++i) {
    expected.dims[i] = operand.dims[static_cast<size_t>(permutation[i])];
  }
  return ExpectResult(op, 0, expected, "the permuted operand");
}

Status CheckGetDimensionSize(const Op& op) {
  PLINTH_RETURN_IF_ERROR(ExpectInRange("dimension", op.Get<DimensionAttributes>().dimension, 0,
                                       op.operands[0]->type.rank() - 1));
  return ExpectResult(op, 0, Type::Tensor(DType::kS32, {}), "a dimension size");
}

}  // namespace plinth::compiler
