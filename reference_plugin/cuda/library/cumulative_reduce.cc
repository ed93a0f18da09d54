// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {

// A thread goes along a row, in order: k operands, then k initial values; k results. Sums of f32
// are kept in f64, those of narrower floats in f32.
Expected<PrintedStep> PrintCumulativeReduce(const compiler::plan::PlanStep& step,
                                            const Architecture&) {
  const auto& attributes = std::get<compiler::DimensionAttributes>(*step.attributes);
  const compiler::Type& type = step.results[0].type;
  const size_t count = step.results.size();
  PrintedStep printed;
  if (type.NumElements() == 0) return printed;
  int64_t inner = 1;
  const int64_t length = type.dims[attributes.dimension];
  for (int64_t d = attributes.dimension + 1; d < type.rank(); ++d) inner *= type.dims[d];
  const bool is_wide = count == 1 && type.dtype == DType::kF32 &&
                       compiler::SingleOp(step.combiners[0]) == compiler::Opcode::kAdd;

  Code code;
  code.Line("const s64 row = (s64)t / ", inner, "ll * ", length * inner, "ll + (s64)t % ", inner,
            "ll;");
  for (size_t i = 0; i < count; ++i) {
    const DType element = step.results[i].type.dtype;
    code.Line(is_wide ? "double" : ValueType(element), " c", i, " = ",
              LoadText(StrCat("i", count + i), "0", element), ";");
  }
  code.Open("for (u32 k = 0; k < ", length, "u; ++k)");
  code.Line("const s64 at = row + (s64)",
            attributes.reverse ? StrCat("(", length - 1, "u - k)") : std::string("k"), " * ", inner,
            "ll;");
  std::vector<std::string> parameters;
  for (size_t i = 0; i < count; ++i) parameters.push_back(StrCat("c", i));
  for (size_t i = 0; i < count; ++i) {
    parameters.push_back(LoadText(StrCat("i", i), "at", step.operands[i].type.dtype));
  }
  for (std::string& value : CapturedValues(step, 2 * count)) parameters.push_back(std::move(value));
  if (is_wide) {
    code.Line("c0 = c0 + (double)", parameters[1], ";");
    code.Line("st<F32>(", ElementAddress("o0", "at", DType::kF32), ", (float)c0);");
  } else {
    PLINTH_ASSIGN_OR_RETURN(const CombinedText text,
                            CombineText(step.combiners[0], parameters, "x"));
    for (const std::string& statement : text.statements) code.Line(statement);
    for (size_t i = 0; i < count; ++i) {
      code.Line("const ", ValueType(step.results[i].type.dtype), " y", i, " = ", text.results[i],
                ";");
    }
    for (size_t i = 0; i < count; ++i) {
      const DType element = step.results[i].type.dtype;
      code.Line("c", i, " = y", i, ";");
      code.Line("st<", TypeText(element), ">(", ElementAddress(StrCat("o", i), "at", element),
                ", y", i, ");");
    }
  }
  code.Close();
  AppendPoints(step, type.NumElements() / length, code.Take(), false, printed);
  return printed;
}

}  // namespace plinth::cuda
