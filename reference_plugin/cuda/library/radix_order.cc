// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/radix_order.h"

#include <algorithm>
#include <utility>

namespace plinth::cuda {
namespace {

constexpr int32_t kDigitBits = 8, kDigits = 1 << kDigitBits;
// What a block goes through at once, one element a thread, and how often.
constexpr int32_t kThreads = kDigits, kTurns = 16, kTileLength = kThreads * kTurns;
constexpr int32_t kWarps = kThreads / 32;
// Tiles of a row whose counts a thread adds up by itself.
constexpr int64_t kFewBlocks = 16;

// From the least digit of the last key to the greatest of the first: blocks count the digits of
// their tiles, one block per row adds up which elements come before, and blocks move their tiles.
// Few long rows have one block for each digit: one for all would be alone on the device.
class RadixOrder {
 public:
  RadixOrder(const compiler::plan::PlanStep& step, const OrderedRows& rows, bool has_wide_keys,
             int64_t begin, PrintedStep& printed)
      : step_(step),
        rows_(rows),
        points_(rows.rows * rows.length),
        blocks_((rows.length + kTileLength - 1) / kTileLength),
        by_digits_(blocks_ > rows.rows + kFewBlocks),
        printed_(printed) {
    for (int64_t half = 0; half < 2; ++half) {
      keys_[half] = Take(begin, points_ * (has_wide_keys ? 8 : 4));
      positions_[half] = Take(begin, points_ * 4);
    }
    counts_ = Take(begin, rows.rows * kDigits * blocks_ * 4);
    if (by_digits_) totals_ = Take(begin, rows.rows * kDigits * 4);
    end_ = begin;
  }

  int64_t end() const { return end_; }
  RadixResult result() const { return {positions_[now_], keys_[now_]}; }

  void OrderBy(const RadixKey& key, bool is_first) {
    is_wide_ = key.is_wide;
    Keys(key, is_first);
    for (int32_t bit = key.first_bit; bit < key.first_bit + key.bits; bit += kDigitBits) {
      Pass(bit);
      now_ = 1 - now_;
    }
  }

 private:
  static int64_t Take(int64_t& begin, int64_t bytes) {
    const int64_t at = begin;
    begin += RoundUp(bytes, kArrayAlignment);
    return at;
  }
  std::string_view type() const { return is_wide_ ? "u64" : "u32"; }

  // The keys in the order so far.
  void Keys(const RadixKey& key, bool is_first) {
    Code code;
    code.Line("  const s64 line = (s64)(t / ", rows_.length, "u);");
    if (is_first) {
      code.Line("  const u32 p = (u32)(t % ", rows_.length, "u);");
      code.Line("  ((u32*)(scratch + ", positions_[now_], "ll))[t] = p;");
    } else {
      code.Line("  const u32 p = ((const u32*)(scratch + ", positions_[now_], "ll))[t];");
    }
    code.Text(key.body);
    code.Line("  ((", type(), "*)(scratch + ", keys_[now_], "ll))[t] = key;");
    AppendPoints(step_, points_, code.Take(), true, printed_);
  }

  void Pass(int32_t bit) {
    const ExtraParameters extra = {
        {"u32 bit", "u64 from_keys", "u64 from_positions", "u64 to_keys", "u64 to_positions"},
        {Number(Argument::Kind::kU32, bit), Number(Argument::Kind::kU64, keys_[now_]),
         Number(Argument::Kind::kU64, positions_[now_]),
         Number(Argument::Kind::kU64, keys_[1 - now_]),
         Number(Argument::Kind::kU64, positions_[1 - now_])}};
    if (by_digits_) {
      Action clear;
      clear.kind = Action::Kind::kFill;
      clear.arguments = {{Argument::Kind::kScratch, 0, totals_, 0}};
      clear.bytes = rows_.rows * kDigits * 4;
      printed_.actions.push_back(std::move(clear));
    }
    Launch(Count(), rows_.rows * blocks_, extra);
    if (by_digits_) {
      Launch(AddOfDigit(), rows_.rows * kDigits, {});
    } else {
      Launch(Add(), rows_.rows, {});
    }
    Launch(Move(), rows_.rows * blocks_, extra);
  }
  static Argument Number(Argument::Kind kind, int64_t value) {
    return {kind, 0, 0, static_cast<uint64_t>(value)};
  }
  void Launch(std::string_view body, int64_t blocks, const ExtraParameters& extra) {
    printed_.actions.push_back(MakeStepAction(step_, body, blocks, kThreads,
                                              /*has_barriers=*/true, /*has_scratch=*/true, extra));
  }

  void Tile(Code& code) const {
    code.Line("const u32 block = blockIdx.x % ", blocks_, "u;");
    code.Line("const s64 line = (s64)(blockIdx.x / ", blocks_, "u);");
    code.Line("const ", type(), "* keys = (const ", type(), "*)(scratch + from_keys) + line * ",
              rows_.length, "ll;");
  }
  // Of this block and a thread's digit.
  std::string OwnCount() const {
    return StrCat("((u32*)(scratch + ", counts_, "ll))[(line * ", kDigits, "ll + threadIdx.x) * ",
                  blocks_, "ll + block]");
  }

  std::string Count() const {
    Code code;
    Tile(code);
    code.Line("__shared__ u32 counts[", kDigits, "];");
    code.Line("counts[threadIdx.x] = 0;");
    code.Line("__syncthreads();");
    code.Open("for (u32 e = 0; e < ", kTurns, "u; ++e)");
    code.Line("const u32 i = block * ", kTileLength, "u + e * ", kThreads, "u + threadIdx.x;");
    code.Line("if (i < ", rows_.length, "u) atomicAdd(&counts[(u32)(keys[i] >> bit) & ",
              kDigits - 1, "u], 1u);");
    code.Close();
    code.Line("__syncthreads();");
    code.Line(OwnCount(), " = counts[threadIdx.x];");
    if (by_digits_) {
      code.Line("atomicAdd((u32*)(scratch + ", totals_, "ll) + line * ", kDigits,
                "ll + threadIdx.x, counts[threadIdx.x]);");
    }
    return code.Take();
  }

  // Adds to each thread's entry of `sums` those of the threads before it.
  static void AddUp(Code& code) {
    code.Line("__syncthreads();");
    code.Open("for (u32 d = 1; d < ", kDigits, "u; d *= 2)");
    code.Line("const u32 before = threadIdx.x >= d ? sums[threadIdx.x - d] : 0u;");
    code.Line("__syncthreads();");
    code.Line("sums[threadIdx.x] += before;");
    code.Line("__syncthreads();");
    code.Close();
  }

  // Counts become the number of elements that come before: those of smaller digits, and those of
  // the digit in blocks before.
  std::string Add() const {
    Code code;
    code.Line("u32* own = (u32*)(scratch + ", counts_, "ll) + ((s64)blockIdx.x * ", kDigits,
              "ll + threadIdx.x) * ", blocks_, "ll;");
    code.Line("__shared__ u32 sums[", kDigits, "];");
    code.Line("u32 sum = 0;");
    code.Line("for (u32 b = 0; b < ", blocks_, "u; ++b) sum += own[b];");
    code.Line("sums[threadIdx.x] = sum;");
    AddUp(code);
    code.Line("u32 at = sums[threadIdx.x] - sum;");
    code.Open("for (u32 b = 0; b < ", blocks_, "u; ++b)");
    code.Line("const u32 count = own[b];");
    code.Line("own[b] = at;");
    code.Line("at += count;");
    code.Close();
    return code.Take();
  }

  // The same, with a block for each digit of a row.
  std::string AddOfDigit() const {
    Code code;
    code.Line("const u32 digit = blockIdx.x % ", kDigits, "u;");
    code.Line("const u32* totals = (const u32*)(scratch + ", totals_, "ll) + (s64)(blockIdx.x / ",
              kDigits, "u) * ", kDigits, "ll;");
    code.Line("u32* own = (u32*)(scratch + ", counts_, "ll) + (s64)blockIdx.x * ", blocks_, "ll;");
    code.Line("__shared__ u32 sums[", kDigits, "];");
    code.Line("sums[threadIdx.x] = threadIdx.x < digit ? totals[threadIdx.x] : 0u;");
    AddUp(code);
    code.Line("u32 at = sums[", kDigits - 1, "];");
    code.Open("for (u32 first = 0; first < ", blocks_, "u; first += ", kDigits, "u)");
    code.Line("const u32 b = first + threadIdx.x;");
    code.Line("const u32 count = b < ", blocks_, "u ? own[b] : 0u;");
    code.Line("__syncthreads();");
    code.Line("sums[threadIdx.x] = count;");
    AddUp(code);
    code.Line("if (b < ", blocks_, "u) own[b] = at + sums[threadIdx.x] - count;");
    code.Line("at += sums[", kDigits - 1, "];");
    code.Close();
    return code.Take();
  }

  // Within a warp, the lanes with the same digit are found by a vote on each of its bits.
  std::string Move() const {
    Code code;
    Tile(code);
    code.Line("const u32* positions = (const u32*)(scratch + from_positions) + line * ",
              rows_.length, "ll;");
    code.Line(type(), "* new_keys = (", type(), "*)(scratch + to_keys) + line * ", rows_.length,
              "ll;");
    code.Line("u32* new_positions = (u32*)(scratch + to_positions) + line * ", rows_.length, "ll;");
    code.Line("__shared__ u32 places[", kWarps, "][", kDigits, "];");
    code.Line("const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;");
    code.Line("u32 next = ", OwnCount(), ";");
    code.Open("for (u32 e = 0; e < ", kTurns, "u; ++e)");
    code.Line("const u32 i = block * ", kTileLength, "u + e * ", kThreads, "u + threadIdx.x;");
    code.Line("const bool has = i < ", rows_.length, "u;");
    code.Line("const ", type(), " key = has ? keys[i] : 0;");
    code.Line("const u32 digit = (u32)(key >> bit) & ", kDigits - 1, "u;");
    code.Line("#pragma unroll");
    code.Line("for (u32 w = 0; w < ", kWarps, "u; ++w) places[w][threadIdx.x] = 0;");
    code.Line("__syncthreads();");
    code.Line("u32 same = __ballot_sync(LANES, has);");
    code.Line("#pragma unroll");
    code.Open("for (u32 b = 0; b < ", kDigitBits, "u; ++b)");
    code.Line("const u32 ones = __ballot_sync(LANES, digit >> b & 1u);");
    code.Line("same &= (digit >> b & 1u) != 0 ? ones : ~ones;");
    code.Close();
    code.Line("const u32 before = __popc(same & ((1u << lane) - 1));");
    code.Line("if (has && before == 0) places[warp][digit] = __popc(same);");
    code.Line("__syncthreads();");
    code.Line("#pragma unroll");
    code.Open("for (u32 w = 0; w < ", kWarps, "u; ++w)");
    code.Line("const u32 count = places[w][threadIdx.x];");
    code.Line("places[w][threadIdx.x] = next;");
    code.Line("next += count;");
    code.Close();
    code.Line("__syncthreads();");
    code.Open("if (has)");
    code.Line("const u32 to = places[warp][digit] + before;");
    code.Line("new_keys[to] = key;");
    code.Line("new_positions[to] = positions[i];");
    code.Close();
    code.Line("__syncthreads();");
    code.Close();
    return code.Take();
  }

  const compiler::plan::PlanStep& step_;
  const OrderedRows rows_;
  const int64_t points_, blocks_;
  const bool by_digits_;
  PrintedStep& printed_;
  int64_t keys_[2], positions_[2], counts_, totals_ = 0, end_;
  bool is_wide_ = false;
  int now_ = 0;  // which of both halves is in order
};

}  // namespace

int32_t RadixPasses(std::span<const RadixKey> keys) {
  int32_t passes = 0;
  for (const RadixKey& key : keys) passes += (key.bits + kDigitBits - 1) / kDigitBits;
  return passes;
}

RadixResult AppendRadixOrder(const compiler::plan::PlanStep& step, const OrderedRows& rows,
                             std::span<const RadixKey> keys, int64_t begin, PrintedStep& printed,
                             int64_t* end) {
  const bool has_wide =
      std::any_of(keys.begin(), keys.end(), [](const RadixKey& key) { return key.is_wide; });
  RadixOrder order(step, rows, has_wide, begin, printed);
  for (size_t k = keys.size(); k-- > 0;) order.OrderBy(keys[k], k + 1 == keys.size());
  *end = order.end();
  return order.result();
}

}  // namespace plinth::cuda
