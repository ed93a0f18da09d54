// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plinth/program/attribute.h"
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

using compiler::TransposeMode;

Status CheckFactorType(DType type) {
  switch (type) {
    case DType::kF32:
    case DType::kF64:
    case DType::kC64:
    case DType::kC128:
      return Status();
    default:
      return Unimplemented("elements of type ", Name(type), "; expected f32, f64, c64 or c128");
  }
}

bool IsComplex(DType type) { return InfoOf(type).kind == DTypeClass::kComplex; }
// Of the roots on a factor's diagonal.
std::string RealType(DType type) {
  return ValueType(type == DType::kC64 ? DType::kF32 : type == DType::kC128 ? DType::kF64 : type);
}
// A real number as an element.
std::string Element(DType type, const std::string& real) {
  return IsComplex(type) ? StrCat("make_complex(", real, ", ", RealType(type), "(0))") : real;
}

// A block takes a matrix, column by column of the lower factor (for the upper one, of that of the
// transpose, which is its transpose). The triangle that is no result is zero; a matrix that is not
// positive definite gives NaN. `says`: the second result says of each matrix whether it is none, as
// LAPACK's info.
Expected<PrintedStep> PrintFactor(const compiler::plan::PlanStep& step, bool lower, bool says,
                                  const Architecture& architecture) {
  const compiler::Type& type = step.operands[0].type;
  PLINTH_RETURN_IF_ERROR(CheckFactorType(type.dtype));
  PrintedStep printed;
  if (type.NumElements() == 0) return printed;
  const int64_t n = type.dims.back(), batch = type.NumElements() / (n * n);
  if (batch > architecture.grid_x || n > INT32_MAX / 2) {
    return ResourceExhausted(batch, " matrices of order ", n, " are more than a launch takes");
  }
  const std::string value = ValueType(type.dtype), real = RealType(type.dtype);
  const std::string nan = Element(type.dtype, real + "(f32_bits(0x7fc00000u))");
  Code code;
  code.Line(value, "* m = (", value, "*)o0 + (s64)blockIdx.x * ", n * n, "ll;");
  code.Line("const ", value, "* from = (const ", value, "*)i0 + (s64)blockIdx.x * ", n * n, "ll;");
  // Element (row, column) of the lower factor, wherever it lies.
  code.Line("auto at = [](s64 row, s64 column) { return ",
            lower ? StrCat("row * ", n, "ll + column") : StrCat("column * ", n, "ll + row"),
            "; };");
  code.Open("for (s64 k = threadIdx.x; k < ", n * n, "ll; k += ", kStepBlock, ")");
  code.Line("const s64 row = k / ", n, "ll, column = k % ", n, "ll;");
  code.Line("m[k] = column ", lower ? "<=" : ">=", " row ? from[k] : ", value, "{};");
  code.Close();
  code.Line("__shared__ ", real, " root;");
  code.Line("__syncthreads();");
  code.Open("for (s64 c = 0; c < ", n, "ll; ++c)");
  code.Open("if (threadIdx.x == 0)");
  code.Line("root = sqrt_of(real_of(m[at(c, c)]));");
  // Once a root is NaN, or infinite or zero, all that follows is.
  code.Line("if (!(root > 0) || !is_finite(root)) root = ", real, "(f32_bits(0x7fc00000u));");
  code.Line("m[at(c, c)] = ", Element(type.dtype, "root"), ";");
  code.Close();
  code.Line("__syncthreads();");
  code.Line("for (s64 r = c + 1 + threadIdx.x; r < ", n, "ll; r += ", kStepBlock,
            ") m[at(r, c)] = divide_by_real(m[at(r, c)], root);");
  code.Line("__syncthreads();");
  code.Line("const s64 rest = ", n, "ll - c - 1;");
  code.Open("for (s64 k = threadIdx.x; k < rest * rest; k += ", kStepBlock, ")");
  code.Line("const s64 r = c + 1 + k / rest, q = c + 1 + k % rest;");
  code.Line(
      "if (q <= r) m[at(r, q)] = "
      "multiply_add(negate(m[at(r, c)]), conjugate(m[at(q, c)]), m[at(r, q)]);");
  code.Close();
  code.Line("__syncthreads();");
  code.Close();
  const std::string last = StrCat("real_of(m[at(", n - 1, ", ", n - 1, ")])");
  if (says) {
    code.Line("if (threadIdx.x == 0) ((s32*)o1)[blockIdx.x] = is_nan(", last, ") ? ", n, " : 0;");
  }
  code.Open("if (is_nan(", last, "))");
  code.Line("for (s64 k = threadIdx.x; k < ", n * n, "ll; k += ", kStepBlock, ") m[k] = ", nan,
            ";");
  code.Close();
  printed.actions.push_back(MakeStepAction(step, code.Take(), batch, kStepBlock, true, false));
  return printed;
}

}  // namespace

Expected<PrintedStep> PrintCholesky(const compiler::plan::PlanStep& step,
                                    const Architecture& architecture) {
  const bool lower = std::get<compiler::CholeskyAttributes>(*step.attributes).lower;
  return PrintFactor(step, lower, /*says=*/false, architecture);
}

// JAX's Cholesky on GPUs: matrices by columns, of which it uses the triangle that it asked for.
Expected<PrintedStep> PrintPotrf(const compiler::plan::PlanStep& step,
                                 const Architecture& architecture) {
  const auto& call = std::get<compiler::CustomCallAttributes>(*step.attributes);
  const program::Attribute* lower =
      call.dictionary == nullptr ? nullptr : call.dictionary->Find("lower");
  if (lower == nullptr || !lower->Is(program::AttributeKind::kBool)) {
    return InvalidArgument("the attribute \"lower\" is missing, or no bool");
  }
  if (step.operands.size() != 1 || step.results.size() != 2) {
    return InvalidArgument("it has ", step.operands.size(), " operands and ", step.results.size(),
                           " results; expected 1 and 2");
  }
  const compiler::Type& type = step.operands[0].type;
  const int64_t rank = type.rank();
  if (rank < 2 || type.dims[rank - 1] != type.dims[rank - 2] || step.results[0].type != type ||
      step.results[1].type.dtype != DType::kS32 ||
      step.results[1].type.NumElements() * type.dims[rank - 1] * type.dims[rank - 1] !=
          type.NumElements()) {
    return InvalidArgument(
        "the arrays are no batch of square matrices, their factors and one s32 "
        "for each");
  }
  // Bytes by columns are those of the transpose by rows.
  const compiler::Dims& layout = call.operand_layouts[0];
  const bool by_columns = !layout.empty() && layout[0] == rank - 2;
  if (layout != call.result_layouts[0]) {
    return Unimplemented("a factor that lies in another order than its matrix");
  }
  return PrintFactor(step, lower->integer() != 0 ? !by_columns : by_columns, /*says=*/true,
                     architecture);
}

// A thread takes the rows of one matrix.
Expected<PrintedStep> PrintPivotsToPermutation(const compiler::plan::PlanStep& step,
                                               const Architecture&) {
  if (step.operands.size() != 1 || step.results.size() != 1) {
    return InvalidArgument("it has ", step.operands.size(), " operands and ", step.results.size(),
                           " results; expected one of each");
  }
  const compiler::Type& pivots = step.operands[0].type;
  const compiler::Type& rows = step.results[0].type;
  const int64_t rank = pivots.rank();
  if (pivots.dtype != DType::kS32 || rows.dtype != DType::kS32 || rank == 0 ||
      rank != rows.rank() ||
      !std::equal(pivots.dims.begin(), pivots.dims.end() - 1, rows.dims.begin()) ||
      pivots.dims.back() > rows.dims.back()) {
    return InvalidArgument("the arrays are no s32 batches of pivots and of as many rows or more");
  }
  PrintedStep printed;
  if (rows.NumElements() == 0) return printed;
  const int64_t count = pivots.dims.back(), n = rows.dims.back();
  Code code;
  code.Line("const s32* pivot = (const s32*)i0 + (s64)t * ", count, "ll;");
  code.Line("s32* row = (s32*)o0 + (s64)t * ", n, "ll;");
  code.Line("for (s32 k = 0; k < ", n, "; ++k) row[k] = k;");
  code.Open("for (s32 k = 0; k < ", count, "; ++k)");
  // What is no pivot changes nothing.
  code.Line("const s32 with = pivot[k];");
  code.Line("if (with < 0 || with >= ", n, ") continue;");
  code.Line("const s32 value = row[k];");
  code.Line("row[k] = row[with];");
  code.Line("row[with] = value;");
  code.Close();
  AppendPoints(step, rows.NumElements() / n, code.Take(), false, printed);
  return printed;
}

// A thread takes a right-hand side.
Expected<PrintedStep> PrintTriangularSolve(const compiler::plan::PlanStep& step,
                                           const Architecture&) {
  const auto& how = std::get<compiler::TriangularSolveAttributes>(*step.attributes);
  const compiler::Type& b = step.operands[1].type;
  PLINTH_RETURN_IF_ERROR(CheckFactorType(b.dtype));
  PrintedStep printed;
  if (b.NumElements() == 0) return printed;
  const int64_t n = step.operands[0].type.dims.back();
  const int64_t columns = b.dims.back(), rows = b.dims[b.dims.size() - 2];
  const int64_t sides = how.left_side ? columns : rows;
  // From the right, the transposed system: x A = b is A^T x^T = b^T.
  const bool transposes = (how.transpose_a != TransposeMode::kNoTranspose) == how.left_side;
  const bool lower = how.lower != transposes;
  const int64_t step_along = how.left_side ? columns : 1, step_across = how.left_side ? 1 : columns;
  const std::string value = ValueType(b.dtype);
  const std::string_view conjugate = how.transpose_a == TransposeMode::kAdjoint ? "conjugate" : "";
  Code code;
  code.Line("const s64 matrix = (s64)t / ", sides, "ll, side = (s64)t % ", sides, "ll;");
  code.Line("const ", value, "* a = (const ", value, "*)i0 + matrix * ", n * n, "ll;");
  code.Line("const ", value, "* from = (const ", value, "*)i1 + matrix * ", rows * columns,
            "ll + side * ", step_across, "ll;");
  code.Line(value, "* x = (", value, "*)o0 + matrix * ", rows * columns, "ll + side * ",
            step_across, "ll;");
  code.Open("for (s64 k = 0; k < ", n, "ll; ++k)");
  code.Line("const s64 r = ", lower ? std::string("k") : StrCat(n - 1, "ll - k"), ";");
  code.Line(value, " sum = from[r * ", step_along, "ll];");
  code.Open("for (s64 j = 0; j < k; ++j)");
  code.Line("const s64 q = ", lower ? std::string("j") : StrCat(n - 1, "ll - j"), ";");
  code.Line("sum = multiply_add(negate(", conjugate, "(a[",
            transposes ? StrCat("q * ", n, "ll + r") : StrCat("r * ", n, "ll + q"), "])), x[q * ",
            step_along, "ll], sum);");
  code.Close();
  code.Line("x[r * ", step_along, "ll] = ",
            how.unit_diagonal ? std::string("sum")
                              : StrCat("divide(sum, ", conjugate, "(a[r * ", n + 1, "ll]))"),
            ";");
  code.Close();
  AppendPoints(step, b.NumElements() / n, code.Take(), false, printed);
  return printed;
}

}  // namespace plinth::cuda
