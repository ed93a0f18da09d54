// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"
#include "reference_plugin/compiler/ir/window_extent.h"

namespace plinth::compiler {
namespace {

// Operands are k inputs of one shape and k initial scalars; the region combines 2k scalars to k;
// there are k results.
Status CheckReducer(const Op& op) {
  const size_t count = op.operands.size() / 2;
  if (op.operands.size() % 2 != 0 || op.results.size() != count) {
    return InvalidArgument("there are ", op.operands.size(), " operands and ", op.results.size(),
                           " results; expected n inputs, n initial values and n results");
  }
  std::vector<Type> scalars;
  for (size_t i = 0; i < count; ++i) {
    const DType dtype = op.operands[i]->type.dtype;
    PLINTH_RETURN_IF_ERROR(ExpectOperand(op, i, Type::Tensor(dtype, op.operands[0]->type.dims),
                                         "inputs have one shape"));
    PLINTH_RETURN_IF_ERROR(ExpectOperand(op, count + i, Type::Tensor(dtype, {}),
                                         "the initial value is a scalar of its input's elements"));
    scalars.push_back(Type::Tensor(dtype, {}));
  }
  std::vector<Type> arguments = scalars;
  arguments.insert(arguments.end(), scalars.begin(), scalars.end());
  return ExpectRegion(op, 0, arguments, scalars);
}

Status ExpectResults(const Op& op, const Dims& dims, std::string_view why) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(
        ExpectResult(op, i, Type::Tensor(op.operands[i]->type.dtype, dims), why));
  }
  return Status();
}

Status CheckWindow(const Window& window, int64_t rank) {
  struct List {
    std::string_view name;
    const Dims& values;
    int64_t least;
  };
  for (const List& list :
       {List{"window_dimensions", window.sizes, 1}, List{"window_strides", window.strides, 1},
        List{"base_dilations", window.base_dilation, 1},
        List{"window_dilations", window.window_dilation, 1},
        List{"padding", window.padding_low, INT64_MIN},
        List{"padding", window.padding_high, INT64_MIN}}) {
    PLINTH_RETURN_IF_ERROR(
        ExpectCount(list.name, list.values.size(), rank, "one per operand dimension"));
    for (size_t i = 0; i < list.values.size(); ++i) {
      if (list.values[i] < list.least) {
        return InvalidArgument(list.name, " entry ", i, " is ", list.values[i],
                               "; expected at least ", list.least);
      }
    }
  }
  return Status();
}

Status WindowedDims(const Window& window, const Type& operand, Dims* dims) {
  PLINTH_RETURN_IF_ERROR(CheckWindow(window, operand.rank()));
  for (size_t i = 0; i < operand.dims.size(); ++i) {
    const auto positions = WindowPositions(window, i, operand.dims[i]);
    if (!positions) return InvalidArgument("window dimension ", i, " is too large");
    dims->push_back(*positions);
  }
  return Status();
}

}  // namespace

Status CheckMap(const Op& op) {
  const Type& operand = op.operands[0]->type;
  const Dims& dimensions = op.Get<DimensionsAttributes>().dimensions;
  PLINTH_RETURN_IF_ERROR(
      ExpectCount("dimensions", dimensions.size(), operand.rank(), "all dimensions"));
  PLINTH_RETURN_IF_ERROR(ExpectDims("dimensions", dimensions, operand.rank()));
  std::vector<Type> arguments;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const DType dtype = op.operands[i]->type.dtype;
    PLINTH_RETURN_IF_ERROR(
        ExpectOperand(op, i, Type::Tensor(dtype, operand.dims), "operands have one shape"));
    arguments.push_back(Type::Tensor(dtype, {}));
  }
  const Type scalar = Type::Tensor(op.type().dtype, {});
  PLINTH_RETURN_IF_ERROR(ExpectRegion(op, 0, arguments, {&scalar, 1}));
  return ExpectResult(op, 0, Type::Tensor(op.type().dtype, operand.dims), "one per element");
}

Status CheckReduce(const Op& op) {
  PLINTH_RETURN_IF_ERROR(CheckReducer(op));
  const Type& operand = op.operands[0]->type;
  const Dims& dimensions = op.Get<DimensionsAttributes>().dimensions;
  PLINTH_RETURN_IF_ERROR(ExpectDims("dimensions", dimensions, operand.rank()));
  const uint64_t reduced = MaskOf(dimensions);
  Dims kept;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!Contains(reduced, d)) kept.push_back(operand.dims[static_cast<size_t>(d)]);
  }
  return ExpectResults(op, kept, "the dimensions that are not reduced");
}

Status CheckReduceWindow(const Op& op) {
  PLINTH_RETURN_IF_ERROR(CheckReducer(op));
  Dims dims;
  PLINTH_RETURN_IF_ERROR(
      WindowedDims(op.Get<WindowAttributes>().window, op.operands[0]->type, &dims));
  return ExpectResults(op, dims, "the window positions");
}

Status CheckSelectAndScatter(const Op& op) {
  const Type& operand = op.operands[0]->type;
  Dims dims;
  PLINTH_RETURN_IF_ERROR(WindowedDims(op.Get<WindowAttributes>().window, operand, &dims));
  PLINTH_RETURN_IF_ERROR(
      ExpectOperand(op, 1, Type::Tensor(operand.dtype, dims), "one per window position"));
  const Type scalar = Type::Tensor(operand.dtype, {});
  const Type predicate = Type::Tensor(DType::kPred, {});
  PLINTH_RETURN_IF_ERROR(ExpectOperand(op, 2, scalar, "the initial value is a scalar"));
  const Type arguments[] = {scalar, scalar};
  PLINTH_RETURN_IF_ERROR(ExpectRegion(op, 0, arguments, {&predicate, 1}));
  PLINTH_RETURN_IF_ERROR(ExpectRegion(op, 1, arguments, {&scalar, 1}));
  return ExpectResult(op, 0, operand, "the type of operand 0");
}

Status CheckCumulativeReduce(const Op& op) {
  PLINTH_RETURN_IF_ERROR(CheckReducer(op));
  const Type& operand = op.operands[0]->type;
  PLINTH_RETURN_IF_ERROR(
      ExpectInRange("dimension", op.Get<DimensionAttributes>().dimension, 0, operand.rank() - 1));
  return ExpectResults(op, operand.dims, "the shape of the inputs");
}

Status CheckSort(const Op& op) {
  const Type& operand = op.operands[0]->type;
  PLINTH_RETURN_IF_ERROR(
      ExpectInRange("dimension", op.Get<DimensionAttributes>().dimension, 0, operand.rank() - 1));
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of results", op.results.size(),
                                     static_cast<int64_t>(op.operands.size()), "one per operand"));
  std::vector<Type> arguments;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Type& type = op.operands[i]->type;
    PLINTH_RETURN_IF_ERROR(
        ExpectOperand(op, i, Type::Tensor(type.dtype, operand.dims), "operands have one shape"));
    PLINTH_RETURN_IF_ERROR(ExpectResult(op, i, type, "the type of its operand"));
    arguments.push_back(Type::Tensor(type.dtype, {}));
    arguments.push_back(Type::Tensor(type.dtype, {}));
  }
  const Type predicate = Type::Tensor(DType::kPred, {});
  return ExpectRegion(op, 0, arguments, {&predicate, 1});
}

Status CheckTopK(const Op& op) {
  const Type& operand = op.operands[0]->type;
  const auto& top = op.Get<DimensionAttributes>();
  PLINTH_RETURN_IF_ERROR(CheckElements(op, 0, kIntegerMask | kFloatMask));
  if (operand.rank() == 0 || top.dimension != operand.rank() - 1) {
    return InvalidArgument("operand 0 is ", operand.ToString(), " and the dimension ",
                           top.dimension, "; expected the last of at least one dimension");
  }
  PLINTH_RETURN_IF_ERROR(ExpectInRange("k", top.count, 0, operand.dims.back()));
  Dims dims = operand.dims;
  dims.back() = top.count;
  PLINTH_RETURN_IF_ERROR(
      ExpectResult(op, 0, Type::Tensor(operand.dtype, dims), "the k largest elements"));
  return ExpectResult(op, 1, Type::Tensor(DType::kS32, dims), "their indices");
}

}  // namespace plinth::compiler
