// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/radix_order.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

using compiler::DimensionAttributes;

// Rows of elements that lie `inner` apart.
struct RowsToSort {
  int64_t length = 1, inner = 1, rows = 1;
  // Statements, of which the last returns whether element `a` (a position in the row that starts
  // at element `row`) comes before element `b`.
  std::string body;
  // The same as keys; none if it is not known to be an order by keys.
  std::vector<RadixKey> keys;

  std::string FirstOfRow() const {
    return StrCat("line / ", inner, "ll * ", length * inner, "ll + line % ", inner, "ll");
  }
};

// Floats of up to 32 bits are values of f32, whose lower bits are zero.
int32_t FirstBit(DType type) {
  if (type == DType::kF16) return 13;
  return type == DType::kF32 ? 0 : 16;
}

// A number that orders as elements of the type do, from an expression of one; nothing if there is
// none. `total_order`: -0 comes before 0.
std::optional<RadixKey> KeyOf(DType type, std::string_view value, bool descending,
                              bool total_order) {
  const DTypeInfo& info = InfoOf(type);
  RadixKey key;
  key.is_wide = info.bits == 64;
  key.bits = info.bits;
  std::string number;
  switch (info.kind) {
    case DTypeClass::kFloat: {
      key.first_bit = key.is_wide ? 0 : FirstBit(type);
      key.bits = (key.is_wide ? 64 : 32) - key.first_bit;
      const std::string element =
          total_order ? std::string(value) : StrCat("(", value, ") == 0 ? 0 : (", value, ")");
      number = key.is_wide ? StrCat("(u64)order_key(", element, ") ^ 0x8000000000000000ull")
                           : StrCat("(u32)order_key(", element, ") ^ 0x80000000u");
      break;
    }
    case DTypeClass::kSigned:
      number = key.is_wide
                   ? StrCat("(u64)(", value, ") ^ 0x8000000000000000ull")
                   : StrCat("(u32)(s32)(", value, ") + ", uint64_t{1} << (info.bits - 1), "u");
      break;
    case DTypeClass::kUnsigned:
    case DTypeClass::kPred:
      number = key.is_wide ? StrCat("(u64)(", value, ")") : StrCat("(u32)(", value, ")");
      if (info.kind == DTypeClass::kPred) key.bits = 1;
      break;
    default:
      return std::nullopt;
  }
  const std::string_view declared = key.is_wide ? "const u64 key = " : "const u32 key = ";
  key.body = StrCat("  ", declared, descending ? "~" : "", "(", number, ");\n");
  return key;
}

// The keys of a sort's comparator; none where it is of another kind.
Expected<std::vector<RadixKey>> KeysOf(const compiler::plan::PlanStep& step,
                                       const RowsToSort& sorted) {
  std::vector<RadixKey> keys;
  const size_t arrays = step.results.size();
  const auto found = compiler::FindSortKeys(step.combiners[0], arrays);
  if (!found.has_value()) return keys;
  std::vector<std::string> parameters;
  for (size_t i = 0; i < arrays; ++i) {
    parameters.push_back(LoadText(StrCat("i", i), "at", step.operands[i].type.dtype));
  }
  for (std::string& value : CapturedValues(step, arrays)) parameters.push_back(std::move(value));
  for (const compiler::SortKey& compared : *found) {
    PLINTH_ASSIGN_OR_RETURN(const CombinedText text, CombineText(compared.key, parameters, "c"));
    std::optional<RadixKey> key =
        KeyOf(compared.dtype, "x", compared.descending, compared.total_order);
    if (!key.has_value()) return std::vector<RadixKey>();
    std::string body =
        StrCat("  const s64 at = ", sorted.FirstOfRow(), " + (s64)p * ", sorted.inner, "ll;\n");
    for (const std::string& statement : text.statements) body += StrCat("  ", statement, "\n");
    body += StrCat("  const ", ValueType(compared.dtype), " x = ", text.results[0], ";\n");
    key->body.insert(0, body);
    keys.push_back(*std::move(key));
  }
  return keys;
}

// The stable order of each row by merging: in scratch, the first half if the number of passes is
// even, else the second. A comparator that contradicts itself gives some positions, all in range:
// what no merge writes is left from the pass before.
int64_t AppendMerges(const compiler::plan::PlanStep& step, const RowsToSort& sorted,
                     PrintedStep& printed) {
  const int64_t points = sorted.rows * sorted.length;
  const int64_t half = RoundUp(points * 4, kArrayAlignment);
  printed.scratch_bytes = 2 * half;
  Code start;
  start.Line("  ((u32*)scratch)[t] = (u32)(t % ", sorted.length, "u);");
  start.Line("  ((u32*)(scratch + ", half, "ll))[t] = (u32)(t % ", sorted.length, "u);");
  AppendPoints(step, points, start.Take(), true, printed);

  Code code;
  code.Line("const s64 line = (s64)(t / ", sorted.length, "u), row = ", sorted.FirstOfRow(), ";");
  code.Line("const u32 p = (u32)(t % ", sorted.length, "u);");
  code.Line("const u32* from = (const u32*)(scratch + from_offset) + line * ", sorted.length, ";");
  code.Line("u32* to = (u32*)(scratch + to_offset) + line * ", sorted.length, ";");
  code.Text(StrCat("auto before = [&](u32 a, u32 b) -> bool {\n", sorted.body, "};\n"));
  code.Line("const u32 run = p / width * width, first = run / (2 * width) * (2 * width);");
  code.Line("const bool is_left = run == first;");
  code.Line("u32 low = is_left ? first + width : first, high = is_left ? first + 2 * width : run;");
  code.Line("if (low > ", sorted.length, "u) low = ", sorted.length, "u;");
  code.Line("if (high > ", sorted.length, "u) high = ", sorted.length, "u;");
  code.Line("const u32 other = low, x = from[p];");
  // Of equals, those of the left run come first.
  code.Open("while (low < high)");
  code.Line("const u32 middle = low + (high - low) / 2;");
  code.Line(
      "const bool is_earlier = is_left ? before(from[middle], x) : !before(x, from[middle]);");
  code.Line("if (is_earlier) low = middle + 1; else high = middle;");
  code.Close();
  code.Line("to[first + (p - run) + (low - other)] = x;");
  const std::string body = code.Take();
  int64_t from = 0;
  for (int64_t width = 1; width < sorted.length; width *= 2) {
    ExtraParameters extra;
    extra.names = {"u32 width", "u64 from_offset", "u64 to_offset"};
    extra.arguments = {{Argument::Kind::kU32, 0, 0, static_cast<uint64_t>(width)},
                       {Argument::Kind::kU64, 0, 0, static_cast<uint64_t>(from)},
                       {Argument::Kind::kU64, 0, 0, static_cast<uint64_t>(half - from)}};
    AppendPoints(step, points, body, true, printed, extra);
    from = half - from;
  }
  return from;
}

// The offset in scratch of the stable order of each row, as positions (u32).
Expected<int64_t> AppendOrder(const compiler::plan::PlanStep& step, const RowsToSort& sorted,
                              PrintedStep& printed) {
  if (sorted.length > INT32_MAX) {
    return Unimplemented("rows of ", sorted.length, " elements; a sort takes ", INT32_MAX);
  }
  // By its digits where that moves elements no more often than merging does.
  constexpr int64_t kLeastLength = 2048;
  const auto merges =
      static_cast<int32_t>(std::bit_width(static_cast<uint64_t>(sorted.length - 1)));
  if (sorted.keys.empty() || sorted.length < kLeastLength || RadixPasses(sorted.keys) > merges) {
    return AppendMerges(step, sorted, printed);
  }
  return AppendRadixOrder(step, {sorted.rows, sorted.length}, sorted.keys, 0, printed,
                          &printed.scratch_bytes)
      .positions;
}

}  // namespace

Expected<PrintedStep> PrintSort(const compiler::plan::PlanStep& step, const Architecture&) {
  const auto& attributes = std::get<DimensionAttributes>(*step.attributes);
  const compiler::Type& type = step.operands[0].type;
  const size_t arrays = step.results.size();
  PrintedStep printed;
  if (type.NumElements() == 0) return printed;
  RowsToSort sorted;
  sorted.length = type.dims[attributes.dimension];
  for (int64_t d = 0; d < type.rank(); ++d) {
    if (d > attributes.dimension) sorted.inner *= type.dims[d];
    if (d != attributes.dimension) sorted.rows *= type.dims[d];
  }
  std::vector<std::string> parameters;
  const std::string place = StrCat(" * ", sorted.inner, "ll");
  for (size_t i = 0; i < arrays; ++i) {
    for (const char* which : {"a", "b"}) {
      parameters.push_back(
          LoadText(StrCat("i", i), StrCat("row + ", which, place), step.operands[i].type.dtype));
    }
  }
  for (std::string& value : CapturedValues(step, arrays)) parameters.push_back(std::move(value));
  PLINTH_ASSIGN_OR_RETURN(const CombinedText text, CombineText(step.combiners[0], parameters, "c"));
  for (const std::string& statement : text.statements) {
    sorted.body += StrCat("  ", statement, "\n");
  }
  sorted.body += StrCat("  return ", text.results[0], ";\n");
  PLINTH_ASSIGN_OR_RETURN(sorted.keys, KeysOf(step, sorted));
  PLINTH_ASSIGN_OR_RETURN(const int64_t order, AppendOrder(step, sorted, printed));

  Code move;
  move.Line("const s64 line = (s64)(t / ", sorted.length, "u), row = ", sorted.FirstOfRow(), ";");
  move.Line("const s64 to = row + (s64)(t % ", sorted.length, "u) * ", sorted.inner, "ll;");
  move.Line("const s64 from = row + (s64)((const u32*)(scratch + ", order, "ll))[t] * ",
            sorted.inner, "ll;");
  for (size_t i = 0; i < arrays; ++i) {
    const DType element = step.results[i].type.dtype;
    const std::string bits = BitsType(element);
    move.Line("*(", bits, "*)(", ElementAddress(StrCat("o", i), "to", element), ") = *(const ",
              bits, "*)(", ElementAddress(StrCat("i", i), "from", element), ");");
  }
  AppendPoints(step, type.NumElements(), move.Take(), true, printed);
  return printed;
}

// The largest first, in total order, the earlier first among equals: the start of a sorted row.
Expected<PrintedStep> PrintTopK(const compiler::plan::PlanStep& step, const Architecture&) {
  const compiler::Type& type = step.operands[0].type;
  const int64_t count = step.results[0].type.dims.back();
  PrintedStep printed;
  if (type.NumElements() == 0 || count == 0) return printed;
  if (step.results[1].type.dtype != DType::kS32) {
    return Unimplemented("positions of type ", Name(step.results[1].type.dtype));
  }
  RowsToSort sorted;
  sorted.length = type.dims.back();
  sorted.rows = type.NumElements() / sorted.length;
  const bool is_float = InfoOf(type.dtype).kind == DTypeClass::kFloat;
  const std::string_view key = is_float ? "order_key" : "";
  sorted.body = StrCat("  return ", key, "(", LoadText("i0", "row + a", type.dtype), ") > ", key,
                       "(", LoadText("i0", "row + b", type.dtype), ");\n");
  const std::string at = StrCat("line * ", sorted.length, "ll + p");
  if (auto found = KeyOf(type.dtype, LoadText("i0", at, type.dtype), /*descending=*/true,
                         /*total_order=*/true)) {
    sorted.keys.push_back(*std::move(found));
  }
  PLINTH_ASSIGN_OR_RETURN(const int64_t order, AppendOrder(step, sorted, printed));
  Code move;
  move.Line("const s64 row = (s64)(t / ", count, "u);");
  move.Line("const u32 from = ((const u32*)(scratch + ", order, "ll))[row * ", sorted.length,
            "ll + t % ", count, "u];");
  const std::string bits = BitsType(type.dtype);
  move.Line("((", bits, "*)o0)[t] = ((const ", bits, "*)i0)[row * ", sorted.length, "ll + from];");
  move.Line("((s32*)o1)[t] = (s32)from;");
  AppendPoints(step, sorted.rows * count, move.Take(), true, printed);
  return printed;
}

}  // namespace plinth::cuda
