// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

using compiler::RngAlgorithm;

// ThreeFry gives two words per counter. They are neighbours along the first even dimension, or,
// without one, along the longest, whose last pair is then half used.
struct Pairs {
  int64_t outer = 1, length = 1, inner = 1;
};

Pairs PairsOf(const compiler::Dims& dims) {
  Pairs pairs;
  if (dims.empty()) return pairs;
  size_t split = 0;
  while (split < dims.size() && dims[split] % 2 != 0) ++split;
  if (split == dims.size()) {
    split = static_cast<size_t>(std::max_element(dims.begin(), dims.end()) - dims.begin());
  }
  pairs.length = dims[split];
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d < split) pairs.outer *= dims[d];
    if (d > split) pairs.inner *= dims[d];
  }
  return pairs;
}

// Low bits of a 32-bit word as an element.
void StoreWord(Code& code, DType type, std::string_view at, std::string_view word) {
  const int bits = InfoOf(type).bits;
  code.Line("((", BitsType(type), "*)o1)[", at, "] = (", BitsType(type), ")(", word, " & ",
            bits < 32 ? (uint32_t{1} << bits) - 1 : ~uint32_t{0}, "u);");
}

}  // namespace

// A thread takes a counter. The state is (key, counter) for ThreeFry and, for Philox, (key,
// counter, high half of the counter), where the key stands in for a missing high half: the CPU
// plugin's bits.
Expected<PrintedStep> PrintRngBitGenerator(const compiler::plan::PlanStep& step,
                                           const Architecture&) {
  const auto& [algorithm, whole] = std::get<compiler::RngBitGeneratorAttributes>(*step.attributes);
  if (!whole.empty()) return Unimplemented("a part of random bits");
  const bool is_threefry = algorithm == RngAlgorithm::kThreeFry;
  const compiler::Type& state = step.operands[0].type;
  const compiler::Type& result = step.results[1].type;
  const int64_t most = is_threefry ? 2 : 3;
  if (state.dtype != DType::kU64 || state.dims.size() != 1 || state.dims[0] < 2 ||
      state.dims[0] > most) {
    return InvalidArgument("the state is ", state.ToString(), "; expected u64[2]",
                           most == 3 ? " or u64[3]" : "");
  }
  const DTypeClass kind = InfoOf(result.dtype).kind;
  if (kind != DTypeClass::kSigned && kind != DTypeClass::kUnsigned) {
    return Unimplemented("the result is ", result.ToString(), "; only integers are supported");
  }
  const int64_t count = result.NumElements();
  const bool is_wide = ByteSize(result.dtype) == 8;
  const Pairs pairs = PairsOf(result.dims);
  const int64_t per_counter = is_wide ? 2 : 4;
  const int64_t counters =
      is_threefry ? (is_wide ? count : pairs.outer * ((pairs.length + 1) / 2) * pairs.inner)
                  : (count + per_counter - 1) / per_counter;

  Code code;
  code.Line("const u64* state = (const u64*)i0;");
  code.Line("const u64 key = state[0], counter = state[1] + t;");
  code.Line("const u64 top = ", state.dims[0] == 3 ? "state[2]" : "key", ";");
  code.Open("if (t == 0)");
  code.Line("const u64 next = state[1] + ", counters, "ull;");
  code.Line("((u64*)o0)[0] = key;");
  code.Line("((u64*)o0)[1] = next;");
  if (state.dims[0] == 3) code.Line("((u64*)o0)[2] = top + (next < state[1] ? 1 : 0);");
  code.Close();
  // Without elements only the state is written.
  if (counters > 0) {
    code.Line("const u64 carried = top + (counter < state[1] ? 1 : 0);");
    code.Line("u32 w0 = (u32)counter, w1 = (u32)(counter >> 32), w2 = (u32)carried, w3 = (u32)(",
              "carried >> 32);");
    code.Line(is_threefry ? "threefry(key, w0, w1);" : "philox(key, w0, w1, w2, w3);");
    if (is_wide) {
      const std::string_view first = is_threefry ? "t" : "2 * (u64)t";
      code.Line("((u64*)o1)[", first, "] = w0 | ((u64)w1 << 32);");
      if (!is_threefry) {
        code.Line("if (2 * (u64)t + 1 < ", count, "ull) ((u64*)o1)[2 * (u64)t + 1] = w2 | ",
                  "((u64)w3 << 32);");
      }
    } else if (is_threefry) {
      code.Line("const s64 inner = (s64)(t % ", pairs.inner, "u), line = (s64)(t / ", pairs.inner,
                "u);");
      code.Line("const s64 pair = line % ", (pairs.length + 1) / 2, "ll, outer = line / ",
                (pairs.length + 1) / 2, "ll;");
      code.Line("const s64 at = (outer * ", pairs.length, "ll + 2 * pair) * ", pairs.inner,
                "ll + inner;");
      StoreWord(code, result.dtype, "at", "w0");
      code.Open("if (2 * pair + 1 < ", pairs.length, "ll)");
      StoreWord(code, result.dtype, StrCat("at + ", pairs.inner, "ll"), "w1");
      code.Close();
    } else {
      code.Line("const u64 at = 4 * (u64)t;");
      for (int w = 0; w < 4; ++w) {
        code.Open("if (at + ", w, " < ", count, "ull)");
        StoreWord(code, result.dtype, StrCat("at + ", w), StrCat("w", w));
        code.Close();
      }
    }
  }
  PrintedStep printed;
  AppendPoints(step, std::max<int64_t>(counters, 1), code.Take(), false, printed);
  return printed;
}

}  // namespace plinth::cuda
