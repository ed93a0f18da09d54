// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {

// First every source element finds the element of its window that is selected (the first that later
// ones do not beat): its position, or -1 for a window in the padding, goes to scratch. Then every
// element of the result combines, in their order, the sources whose windows selected it. Operands:
// operand, source, initial value. Combiners: select, scatter.
Expected<PrintedStep> PrintSelectAndScatter(const compiler::plan::PlanStep& step,
                                            const Architecture&) {
  constexpr size_t kNumOperands = 3;
  const compiler::Window& window = std::get<compiler::WindowAttributes>(*step.attributes).window;
  const compiler::Type& operand = step.operands[0].type;
  const compiler::Type& source = step.operands[1].type;
  const size_t rank = operand.dims.size();
  const DType type = operand.dtype;
  const compiler::Dims strides = compiler::DenseStrides(operand.dims);
  const compiler::Dims source_strides = compiler::DenseStrides(source.dims);
  const std::vector<std::string> captured = CapturedValues(step, kNumOperands);
  PrintedStep printed;
  if (operand.NumElements() == 0) return printed;
  printed.scratch_bytes = RoundUp(source.NumElements() * 8, kArrayAlignment);

  auto combine = [&](Code& code, const compiler::Combiner& combiner, const std::string& left,
                     const std::string& right) -> Expected<std::string> {
    std::vector<std::string> parameters = {left, right};
    parameters.insert(parameters.end(), captured.begin(), captured.end());
    PLINTH_ASSIGN_OR_RETURN(const CombinedText text, CombineText(combiner, parameters, "c"));
    for (const std::string& statement : text.statements) code.Line(statement);
    return text.results[0];
  };

  Code select;
  const std::vector<std::string> s = SplitIndex(select, source.dims, "t", "s");
  select.Line("s64 chosen = -1;");
  select.Line(ValueType(type), " best = ", ValueType(type), "();");
  for (size_t d = 0; d < rank; ++d) {
    select.Open("for (s64 w", d, " = 0; w", d, " < ", window.sizes[d], "; ++w", d, ")");
    select.Line("const s64 x", d, " = s", d, " * ", window.strides[d], "ll + w", d, " - ",
                window.padding_low[d], "ll;");
    select.Line("if ((u64)x", d, " >= ", operand.dims[d], "ull) continue;");
  }
  Terms position;
  for (size_t d = 0; d < rank; ++d) position.push_back({strides[d], StrCat("x", d)});
  select.Line("const s64 at = ", SumText(position), ";");
  select.Line("const ", ValueType(type), " v = ", LoadText("i0", "at", type), ";");
  select.Line("bool keeps = false;");
  select.Open("if (chosen >= 0)");
  PLINTH_ASSIGN_OR_RETURN(const std::string keeps, combine(select, step.combiners[0], "best", "v"));
  select.Line("keeps = ", keeps, ";");
  select.Close();
  select.Line("if (!keeps) { best = v; chosen = at; }");
  for (size_t d = 0; d < rank; ++d) select.Close();
  select.Line("((s64*)scratch)[t] = chosen;");
  AppendPoints(step, source.NumElements(), select.Take(), true, printed);

  Code scatter;
  const std::vector<std::string> x = SplitIndex(scatter, operand.dims, "t", "x");
  scatter.Line(ValueType(type), " sum = ", LoadText("i2", "0", type), ";");
  Terms from;
  for (size_t d = 0; d < rank && source.NumElements() > 0; ++d) {
    // Windows that start at or before the element and end after it.
    const int64_t stride = window.strides[d];
    scatter.Line("const s64 y", d, " = x", d, " + ", window.padding_low[d], "ll;");
    scatter.Line("s64 first", d, " = y", d, " - ", window.sizes[d] - 1, "ll;");
    scatter.Line("first", d, " = first", d, " <= 0 ? 0 : (first", d, " + ", stride - 1, "ll) / ",
                 stride, "ll;");
    scatter.Open("for (s64 s", d, " = first", d, "; s", d, " < ", source.dims[d], "ll && s", d,
                 " * ", stride, "ll <= y", d, "; ++s", d, ")");
    from.push_back({source_strides[d], StrCat("s", d)});
  }
  if (source.NumElements() > 0) {
    scatter.Line("const s64 at = ", SumText(from), ";");
    scatter.Line("if (((const s64*)scratch)[at] != (s64)t) continue;");
    PLINTH_ASSIGN_OR_RETURN(const std::string sum,
                            combine(scatter, step.combiners[1], "sum", LoadText("i1", "at", type)));
    scatter.Line("sum = ", sum, ";");
    for (size_t d = 0; d < rank; ++d) scatter.Close();
  }
  scatter.Line("st<", TypeText(type), ">(", ElementAddress("o0", "(s64)t", type), ", sum);");
  AppendPoints(step, operand.NumElements(), scatter.Take(), true, printed);
  return printed;
}

}  // namespace plinth::cuda
