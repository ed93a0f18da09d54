// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

using compiler::RngDistribution;

// As many random bits as the type has digits, so that 1 is not reached by rounding.
int DigitsOf(DType type) {
  switch (type) {
    case DType::kF64:
      return 53;
    case DType::kF32:
      return 24;
    case DType::kF16:
      return 11;
    case DType::kBF16:
      return 8;
    default:
      return 3;
  }
}

}  // namespace

// Uniform numbers of [a, b), or normal ones with mean a and deviation b. Each run goes on where the
// one before ended: which numbers come out is not promised, only how they are distributed. One
// counter per element: 128 bits serve the widest need, the two of a normal number. The CPU plugin
// makes the same numbers of a key and a counter.
Expected<PrintedStep> PrintRng(const compiler::plan::PlanStep& step, const Architecture&) {
  const auto distribution = std::get<compiler::RngAttributes>(*step.attributes).distribution;
  const compiler::Type& type = step.results[0].type;
  const DTypeClass kind = InfoOf(type.dtype).kind;
  const bool is_normal = distribution == RngDistribution::kNormal;
  if (kind == DTypeClass::kComplex || (kind != DTypeClass::kFloat && is_normal)) {
    return Unimplemented("the result is ", type.ToString(),
                         "; expected floats, or for the uniform distribution integers");
  }
  const std::string element = TypeText(type.dtype);
  Code code;
  code.Line("const u64 counter = drawn + t;");
  code.Line("u32 w0 = (u32)counter, w1 = (u32)(counter >> 32), w2 = counter < drawn, w3 = 0;");
  code.Line("philox(key, w0, w1, w2, w3);");
  code.Line("const u64 bits = w0 | ((u64)w1 << 32);");
  code.Line("const ", ValueType(type.dtype), " low = ", LoadText("i0", "0", type.dtype),
            ", high = ", LoadText("i1", "0", type.dtype), ";");
  switch (kind) {
    case DTypeClass::kPred:
      code.Line("const bool x = (bits & 1) != 0 ? high : low;");
      break;
    case DTypeClass::kFloat:
      code.Line("const double a = low, b = high;");
      if (is_normal) {
        // Box and Muller; the logarithm's argument is from (0, 1].
        code.Line("const double radius = (double)((bits >> 11) + 1) * 0x1p-53;");
        code.Line("const double angle = (double)((w2 | ((u64)w3 << 32)) >> 11) * 0x1p-53;");
        code.Line("const ", ValueType(type.dtype), " x = ", element,
                  "::of(a + b * sqrt(-2 * log(radius)) * cos(6.283185307179586 * angle));");
      } else {
        const int digits = DigitsOf(type.dtype);
        code.Line("const double unit = (double)(bits >> ", 64 - digits, ") * 0x1p-", digits, ";");
        code.Line("const ", ValueType(type.dtype), " rounded = ", element,
                  "::of(a + unit * (b - a));");
        code.Line("const ", ValueType(type.dtype), " x = a < b && !(rounded < b) ? ", element,
                  "::of(a) : rounded;");
      }
      break;
    default:
      // The high half of a 128-bit product maps 64 bits to the range.
      code.Line("const u64 range = (u64)(s64)high - (u64)(s64)low;");
      code.Line("const ", ValueType(type.dtype), " x = ", element,
                "::wrap((u64)(s64)low + __umul64hi(bits, range));");
  }
  code.Line("st<", element, ">(", ElementAddress("o0", "(s64)t", type.dtype), ", x);");
  ExtraParameters extra;
  extra.names = {"u64 key", "u64 drawn"};
  extra.arguments = {{Argument::Kind::kStreamKey, 0, 0, 0},
                     {Argument::Kind::kDrawn, 0, 0, static_cast<uint64_t>(type.NumElements())}};
  PrintedStep printed;
  AppendPoints(step, type.NumElements(), code.Take(), false, printed, extra);
  return printed;
}

}  // namespace plinth::cuda
