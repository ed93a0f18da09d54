// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler {
namespace {

// Operands [first, end) and results [first_result, end) have one element per feature.
Status CheckBatchNorm(const Op& op, size_t features_end, size_t first_feature_result) {
  const Type& operand = op.operands[0]->type;
  const int64_t index = op.Get<BatchNormAttributes>().feature_index;
  PLINTH_RETURN_IF_ERROR(CheckElements(op, 0, kFloatMask));
  PLINTH_RETURN_IF_ERROR(ExpectInRange("feature_index", index, 0, operand.rank() - 1));
  const Type feature = Type::Tensor(operand.dtype, {operand.dims[static_cast<size_t>(index)]});
  for (size_t i = 1; i < features_end; ++i) {
    PLINTH_RETURN_IF_ERROR(ExpectOperand(op, i, feature, "one element per feature"));
  }
  PLINTH_RETURN_IF_ERROR(ExpectResult(op, 0, operand, "the type of operand 0"));
  for (size_t i = first_feature_result; i < op.results.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(ExpectResult(op, i, feature, "one element per feature"));
  }
  return Status();
}

// Floats of any width: passes widen those that the target does not compute.
Status CheckLinearAlgebraElements(const Op& op, size_t operand) {
  const DType dtype = op.operands[operand]->type.dtype;
  if (IsFloat(dtype) || IsComplex(dtype)) return Status();
  return InvalidArgument("operand ", operand, " is ", op.operands[operand]->type.ToString(),
                         "; expected floats or complex numbers");
}

Status CheckSquare(const Op& op, size_t operand) {
  const Type& type = op.operands[operand]->type;
  const size_t rank = type.dims.size();
  if (rank >= 2 && type.dims[rank - 1] == type.dims[rank - 2]) return Status();
  return InvalidArgument("operand ", operand, " is ", type.ToString(),
                         "; expected square matrices");
}

Status CheckPartOfBits(const Op& op) {
  const Dims& whole = op.Get<RngBitGeneratorAttributes>().whole;
  PLINTH_RETURN_IF_ERROR(ExpectCount("operands", op.operands.size(),
                                     static_cast<int64_t>(whole.size()) + 1,
                                     "the state, and where the part begins"));
  if (whole.empty()) return Status();
  const Dims& part = op.results[1]->type.dims;
  bool fits = part.size() == whole.size();
  for (size_t i = 0; fits && i < whole.size(); ++i) {
    fits = part[i] <= whole[i] && op.operands[i + 1]->type == Type::Tensor(DType::kS32, {});
  }
  if (fits) return Status();
  return InvalidArgument("result 1 is ", op.results[1]->type.ToString(), "; expected a part of ",
                         Type::Tensor(op.results[1]->type.dtype, whole).ToString(),
                         " that begins at numbers of s32");
}

}  // namespace

Status CheckBatchNormTraining(const Op& op) { return CheckBatchNorm(op, 3, 1); }
Status CheckBatchNormInference(const Op& op) { return CheckBatchNorm(op, 5, 1); }
Status CheckBatchNormGrad(const Op& op) {
  PLINTH_RETURN_IF_ERROR(CheckBatchNorm(op, 4, 1));
  return ExpectOperand(op, 4, op.operands[0]->type, "the type of operand 0");
}

Status CheckCholesky(const Op& op) {
  PLINTH_RETURN_IF_ERROR(CheckLinearAlgebraElements(op, 0));
  PLINTH_RETURN_IF_ERROR(CheckSquare(op, 0));
  return ExpectResult(op, 0, op.operands[0]->type, "the type of operand 0");
}

Status CheckFft(const Op& op) {
  const auto& fft = op.Get<FftAttributes>();
  const Type& operand = op.operands[0]->type;
  const size_t count = fft.length.size();
  const size_t rank = operand.dims.size();
  PLINTH_RETURN_IF_ERROR(
      ExpectInRange("the number of fft_length entries", static_cast<int64_t>(count), 1, 3));
  if (rank < count) {
    return InvalidArgument("operand 0 is ", operand.ToString(), "; expected at least ", count,
                           " dimensions");
  }
  for (size_t i = 0; i < count; ++i) {
    if (fft.length[i] < 0) {
      return InvalidArgument("fft_length entry ", i, " is ", fft.length[i],
                             "; expected at least 0");
    }
  }
  const bool real_input = fft.type == FftType::kRfft;
  if (real_input) {
    if (operand.dtype != DType::kF32 && operand.dtype != DType::kF64) {
      return InvalidArgument("operand 0 is ", operand.ToString(), "; expected f32 or f64");
    }
  } else {
    PLINTH_RETURN_IF_ERROR(CheckElements(op, 0, kComplexMask));
  }
  const int64_t last = fft.length.back();
  const int64_t half = last == 0 ? 0 : last / 2 + 1;
  for (size_t i = 0; i < count; ++i) {
    const int64_t found = operand.dims[rank - count + i];
    const bool is_last = i + 1 == count;
    const int64_t expected = is_last && fft.type == FftType::kIrfft ? half : fft.length[i];
    if (found != expected) {
      return InvalidArgument("dimension ", rank - count + i, " of operand 0 has ", found,
                             " entries; expected ", expected, ", as fft_length says");
    }
  }
  Type expected = operand;
  if (real_input) {
    expected.dtype = operand.dtype == DType::kF32 ? DType::kC64 : DType::kC128;
    expected.dims.back() = half;
  } else if (fft.type == FftType::kIrfft) {
    expected.dtype = RealTypeOf(operand.dtype);
    expected.dims.back() = last;
  }
  return ExpectResult(op, 0, expected, "the transform");
}

Status CheckRng(const Op& op) {
  const DType dtype = op.type().dtype;
  const bool normal = op.Get<RngAttributes>().distribution == RngDistribution::kNormal;
  PLINTH_RETURN_IF_ERROR(
      CheckElements(op, 0, normal ? kFloatMask : kPredMask | kIntegerMask | kFloatMask));
  const Type scalar = Type::Tensor(dtype, {});
  PLINTH_RETURN_IF_ERROR(ExpectOperand(op, 0, scalar, "a scalar of the result's elements"));
  return ExpectOperand(op, 1, scalar, "a scalar of the result's elements");
}

Status CheckRngBitGenerator(const Op& op) {
  const Type& state = op.operands[0]->type;
  const RngAlgorithm algorithm = op.Get<RngBitGeneratorAttributes>().algorithm;
  const int64_t most = algorithm == RngAlgorithm::kThreeFry ? 2 : 3;
  if (state.dtype != DType::kU64 || state.rank() != 1 || state.dims[0] < 2 ||
      state.dims[0] > most) {
    return InvalidArgument("operand 0 is ", state.ToString(), "; expected u64[2]",
                           most == 3 ? " or u64[3]" : "");
  }
  PLINTH_RETURN_IF_ERROR(ExpectResult(op, 0, state, "the type of operand 0"));
  const Type& bits = op.results[1]->type;
  PLINTH_RETURN_IF_ERROR(CheckPartOfBits(op));
  if (IsInteger(bits.dtype)) return Status();
  if (IsFloat(bits.dtype)) {
    return Unimplemented("result 1 is ", bits.ToString(), "; only integers are supported");
  }
  return InvalidArgument("result 1 is ", bits.ToString(), "; expected integers");
}

Status CheckTriangularSolve(const Op& op) {
  const Type& a = op.operands[0]->type;
  const Type& b = op.operands[1]->type;
  PLINTH_RETURN_IF_ERROR(CheckLinearAlgebraElements(op, 0));
  PLINTH_RETURN_IF_ERROR(CheckSquare(op, 0));
  const size_t rank = a.dims.size();
  bool fits = b.dtype == a.dtype && b.dims.size() == rank;
  for (size_t i = 0; fits && i + 2 < rank; ++i) fits = b.dims[i] == a.dims[i];
  const bool left = op.Get<TriangularSolveAttributes>().left_side;
  fits = fits && b.dims[left ? rank - 2 : rank - 1] == a.dims[rank - 1];
  if (!fits) {
    return InvalidArgument("operand 1 is ", b.ToString(), "; expected right-hand sides for ",
                           a.ToString(), left ? " on the left" : " on the right");
  }
  return ExpectResult(op, 0, b, "the type of operand 1");
}

}  // namespace plinth::compiler
