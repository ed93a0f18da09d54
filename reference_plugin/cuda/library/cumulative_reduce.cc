// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

constexpr int32_t kLanes = 32;
// Elements of a row that a lane has read before it goes on with the first of them: each would wait
// for memory by itself.
constexpr int32_t kAhead = 4;

// How rows are shared out. A row is cut into chunks, which threads or warps go along in order: one
// launch leaves what each chunk gives, one combines those of each row, one goes along the chunks
// again from what came before them.
struct Split {
  int64_t length, inner, rows;
  // A warp takes 32 neighbours of a row at once; else a thread goes along, and neighbouring threads
  // take rows that lie side by side.
  bool by_warps;
  int64_t chunks, chunk;  // of a row; elements of one

  int64_t parts() const { return rows * chunks; }
};

Split ChooseSplit(int64_t length, int64_t inner, int64_t rows, const Architecture& architecture) {
  Split split{length, inner, rows, inner < kLanes && length >= kLanes, 1, length};
  // What a part goes along at least, and how many parts keep the device busy.
  const int64_t least = split.by_warps ? 512 : 64;
  const int64_t enough = int64_t{architecture.multiprocessors} * (split.by_warps ? 32 : 1024);
  const int64_t most = split.by_warps ? 4096 : 256;
  const int64_t chunks = std::clamp<int64_t>(std::min(enough / rows, length / least), 1, most);
  split.chunk = RoundUp((length + chunks - 1) / chunks, split.by_warps ? kLanes : 1);
  split.chunks = (length + split.chunk - 1) / split.chunk;
  return split;
}

class ScanPrinter {
 public:
  ScanPrinter(const compiler::plan::PlanStep& step, const Split& split, bool reverse)
      : step_(step), split_(split), reverse_(reverse), count_(step.results.size()) {
    // Sums of f32 are kept in f64, those of narrower floats in f32.
    const bool is_wide = count_ == 1 && step.results[0].type.dtype == DType::kF32 &&
                         compiler::SingleOp(step.combiners[0]) == compiler::Opcode::kAdd;
    for (const auto& result : step.results) {
      const DTypeInfo& info = InfoOf(result.type.dtype);
      const bool is_narrow = info.kind == DTypeClass::kFloat && info.bits < 32;
      kept_.push_back(is_wide ? DType::kF64 : is_narrow ? DType::kF32 : result.type.dtype);
    }
    for (DType kept : kept_) {
      offsets_.push_back(scratch_bytes_);
      scratch_bytes_ += RoundUp(split.parts() * ByteSize(kept), kArrayAlignment);
    }
  }

  Status Print(PrintedStep& printed) {
    if (split_.chunks > 1) {
      printed.scratch_bytes = scratch_bytes_;
      PLINTH_RETURN_IF_ERROR(Totals(printed));
      PLINTH_RETURN_IF_ERROR(Carries(printed));
    }
    return Scan(printed);
  }

 private:
  // Elements of the row in the order of the scan, and what is kept of them.
  Status Words() {
    std::string members, values, accumulators;
    std::vector<std::string> parameters;
    for (size_t i = 0; i < count_; ++i) {
      members += StrCat(ValueType(kept_[i]), " v", i, "; ");
      parameters.push_back(StrCat("x.v", i));
    }
    for (size_t i = 0; i < count_; ++i) parameters.push_back(StrCat("y.v", i));
    for (std::string& value : CapturedValues(step_, 2 * count_)) {
      parameters.push_back(std::move(value));
    }
    code_.Line("struct Kept { ", members, "};");
    code_.Line("auto combine = [&](Kept x, Kept y) -> Kept {");
    if (kept_[0] != step_.results[0].type.dtype && kept_[0] == DType::kF64) {
      code_.Line("  return Kept{x.v0 + y.v0};");
    } else {
      PLINTH_ASSIGN_OR_RETURN(const CombinedText text,
                              CombineText(step_.combiners[0], parameters, "c"));
      for (const std::string& statement : text.statements) code_.Line("  ", statement);
      std::string results;
      for (const std::string& result : text.results) {
        results += StrCat(results.empty() ? "" : ", ", result);
      }
      code_.Line("  return Kept{", results, "};");
    }
    code_.Line("};");
    return Status();
  }

  void Elements() {
    code_.Line("auto place = [&](s64 k) -> s64 { return first + ",
               reverse_ ? StrCat("(", split_.length - 1, "ll - k)") : std::string("k"), " * ",
               split_.inner, "ll; };");
    code_.Line("auto load = [&](s64 k) -> Kept {");
    code_.Line("  const s64 at = place(k);");
    std::string values;
    for (size_t i = 0; i < count_; ++i) {
      values += StrCat(i > 0 ? ", " : "", "(", ValueType(kept_[i]), ")",
                       LoadText(StrCat("i", i), "at", step_.operands[i].type.dtype));
    }
    code_.Line("  return Kept{", values, "};");
    code_.Line("};");
  }

  void Initial(std::string_view name) {
    std::string values;
    for (size_t i = 0; i < count_; ++i) {
      values += StrCat(i > 0 ? ", " : "", "(", ValueType(kept_[i]), ")",
                       LoadText(StrCat("i", count_ + i), "0", step_.results[i].type.dtype));
    }
    code_.Line("Kept ", name, " = Kept{", values, "};");
  }

  std::string Slot(size_t component, std::string_view slot) const {
    return StrCat("((", ValueType(kept_[component]), "*)(scratch + ", offsets_[component], "ll))[",
                  slot, "]");
  }
  void Leave(std::string_view slot, std::string_view value) {
    for (size_t i = 0; i < count_; ++i) code_.Line(Slot(i, slot), " = ", value, ".v", i, ";");
  }
  std::string Left(std::string_view slot) const {
    std::string values;
    for (size_t i = 0; i < count_; ++i) values += StrCat(i > 0 ? ", " : "", Slot(i, slot));
    return StrCat("Kept{", values, "}");
  }

  // Which part, chunk and row this thread or warp has: `number` counts parts.
  void Place(bool of_rows) {
    const int64_t chunks = of_rows ? 1 : split_.chunks;
    code_.Line("const s64 part = (s64)", split_.by_warps ? "(t / 32)" : "t", ";");
    if (split_.by_warps) code_.Line("const u32 lane = threadIdx.x % 32;");
    // Parts of rows that lie side by side are neighbours.
    code_.Line("const s64 beside = part % ", split_.inner, "ll, chunk = part / ", split_.inner,
               "ll % ", chunks, "ll, outer = part / ", split_.inner * chunks, "ll;");
    code_.Line("const s64 first = outer * ", split_.length * split_.inner, "ll + beside;");
    code_.Line("const s64 begin = chunk * ", split_.chunk, "ll;");
    code_.Line("const s64 end = begin + ", split_.chunk, "ll < ", split_.length, "ll ? begin + ",
               split_.chunk, "ll : ", split_.length, "ll;");
  }

  // The loop over a warp's elements: each time the lanes have x, that of the first lane is the k-th
  // of the row.
  void OpenTiles() {
    code_.Open("for (s64 first_k = begin; first_k < end; first_k += ", kAhead * kLanes, ")");
    code_.Line("Kept ahead[", kAhead, "];");
    code_.Line("#pragma unroll");
    code_.Open("for (u32 e = 0; e < ", kAhead, "; ++e)");
    code_.Line("const s64 at = first_k + (s64)(e * 32 + lane);");
    code_.Line("ahead[e] = load(at < end ? at : end - 1);");
    code_.Close();
    code_.Line("#pragma unroll");
    code_.Open("for (u32 e = 0; e < ", kAhead, "; ++e)");
    code_.Line("const s64 k = first_k + (s64)(e * 32);");
    code_.Line("if (k >= end) break;");
    code_.Line("Kept x = ahead[e];");
  }
  void CloseTiles() {
    code_.Close();
    code_.Close();
  }

  // The lanes' elements x, combined with all before them.
  void ScanWarp() {
    code_.Line("#pragma unroll");
    code_.Open("for (u32 d = 1; d < 32; d *= 2)");
    code_.Line("const Kept y = from_below(x, d);");
    code_.Line("if (lane >= d) x = combine(y, x);");
    code_.Close();
  }

  void Append(int64_t parts, PrintedStep& printed) {
    const int64_t threads = split_.by_warps ? parts * kLanes : parts;
    AppendPoints(step_, threads, code_.Take(), split_.chunks > 1, printed, {}, split_.by_warps);
  }

  Status Totals(PrintedStep& printed) {
    Place(false);
    PLINTH_RETURN_IF_ERROR(Words());
    Elements();
    if (split_.by_warps) {
      code_.Line("Kept c = load(begin);");
      OpenTiles();
      ScanWarp();
      code_.Line("x = from_lane(x, end - k < 32 ? (u32)(end - k) - 1 : 31u);");
      code_.Line("c = k == begin ? x : combine(c, x);");
      CloseTiles();
      code_.Open("if (lane == 0)");
      Leave("part", "c");
      code_.Close();
    } else {
      code_.Line("Kept c = load(begin);");
      code_.Line("for (s64 k = begin + 1; k < end; ++k) c = combine(c, load(k));");
      Leave("part", "c");
    }
    Append(split_.parts(), printed);
    return Status();
  }

  // What comes before each chunk takes the place of what it gives.
  Status Carries(PrintedStep& printed) {
    Place(true);
    PLINTH_RETURN_IF_ERROR(Words());
    Initial("c");
    code_.Line("auto slot = [&](s64 k) -> s64 { return (outer * ", split_.chunks, "ll + k) * ",
               split_.inner, "ll + beside; };");
    if (split_.by_warps) {
      code_.Open("for (s64 k = 0; k < ", split_.chunks, "ll; k += 32)");
      code_.Line("const s64 own = k + lane < ", split_.chunks,
                 "ll ? k + lane : ", split_.chunks - 1, "ll;");
      code_.Line("Kept x = ", Left("slot(own)"), ";");
      ScanWarp();
      code_.Line("x = combine(c, x);");
      code_.Line("const Kept y = from_below(x, 1), before = lane == 0 ? c : y;");
      code_.Line("c = from_lane(x, 31);");
      code_.Open("if (k + lane < ", split_.chunks, "ll)");
      Leave("slot(own)", "before");
      code_.Close();
      code_.Close();
    } else {
      code_.Open("for (s64 k = 0; k < ", split_.chunks, "ll; ++k)");
      code_.Line("const Kept x = ", Left("slot(k)"), ";");
      Leave("slot(k)", "c");
      code_.Line("c = combine(c, x);");
      code_.Close();
    }
    Append(split_.rows, printed);
    return Status();
  }

  Status Scan(PrintedStep& printed) {
    Place(false);
    PLINTH_RETURN_IF_ERROR(Words());
    Elements();
    if (split_.chunks > 1) {
      code_.Line("Kept c = ", Left("part"), ";");
    } else {
      Initial("c");
    }
    if (split_.by_warps) {
      OpenTiles();
      ScanWarp();
      code_.Line("x = combine(c, x);");
      code_.Line("c = from_lane(x, 31);");
      code_.Open("if (k + lane < end)");
      Store("k + lane", "x");
      code_.Close();
      CloseTiles();
    } else {
      code_.Open("for (s64 k = begin; k < end; ++k)");
      code_.Line("c = combine(c, load(k));");
      Store("k", "c");
      code_.Close();
    }
    Append(split_.parts(), printed);
    return Status();
  }

  void Store(std::string_view k, std::string_view value) {
    code_.Line("const s64 at = place(", k, ");");
    for (size_t i = 0; i < count_; ++i) {
      const DType element = step_.results[i].type.dtype;
      code_.Line("st<", TypeText(element), ">(", ElementAddress(StrCat("o", i), "at", element),
                 ", (", ValueType(element), ")", value, ".v", i, ");");
    }
  }

  const compiler::plan::PlanStep& step_;
  const Split split_;
  const bool reverse_;
  const size_t count_;
  std::vector<DType> kept_;       // what is kept of each component
  std::vector<int64_t> offsets_;  // of each component's parts, in scratch
  int64_t scratch_bytes_ = 0;
  Code code_;
};

}  // namespace

// k operands, then k initial values; k results.
Expected<PrintedStep> PrintCumulativeReduce(const compiler::plan::PlanStep& step,
                                            const Architecture& architecture) {
  const auto& attributes = std::get<compiler::DimensionAttributes>(*step.attributes);
  const compiler::Type& type = step.results[0].type;
  PrintedStep printed;
  if (type.NumElements() == 0) return printed;
  int64_t inner = 1;
  const int64_t length = type.dims[attributes.dimension];
  for (int64_t d = attributes.dimension + 1; d < type.rank(); ++d) inner *= type.dims[d];
  const Split split = ChooseSplit(length, inner, type.NumElements() / length, architecture);
  PLINTH_RETURN_IF_ERROR(ScanPrinter(step, split, attributes.reverse).Print(printed));
  return printed;
}

}  // namespace plinth::cuda
