// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/library/counter_rng.h"
#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu::library {
namespace {

using compiler::RngAlgorithm;

// Bits and states as XLA makes them, element for element. The state is (key, counter) or, for
// Philox, (key, counter, high half of the counter); with two words the key stands in for the high
// half. Elements narrower than 32 bits are the low bits of a 32-bit one.
class RngBitGeneratorStep final : public backend::PreparedStep {
 public:
  RngBitGeneratorStep(const compiler::plan::PlanStep& step, RngAlgorithm algorithm)
      : is_threefry_(algorithm == RngAlgorithm::kThreeFry),
        state_words_(step.operands[0].type.dims[0]) {
    const compiler::Type& type = step.results[1].type;
    element_bytes_ = ByteSize(type.dtype);
    const int bits = InfoOf(type.dtype).bits;
    mask_ = bits < 8 ? (uint32_t{1} << bits) - 1 : ~uint32_t{0};
    for (int64_t dim : type.dims) count_ *= dim;
    if (is_threefry_) SplitDimension(type.dims);
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    uint64_t state[3] = {0, 0, 0};
    std::memcpy(state, operands[0], static_cast<size_t>(state_words_) * sizeof(uint64_t));
    if (state_words_ == 2) state[2] = state[0];
    const int64_t counters = NumCounters();
    std::byte* out = static_cast<std::byte*>(results[1]);
    constexpr int64_t kGrain = 4096;
    backend::ParallelFor(context.pool, counters, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += kRngLanes) {
        const int64_t size = std::min<int64_t>(kRngLanes, end - i);
        if (is_threefry_) {
          RunThreeFry(state, i, size, out);
        } else {
          RunPhilox(state, i, size, out);
        }
      }
    });
    const uint64_t next = state[1] + static_cast<uint64_t>(counters);
    const uint64_t new_state[3] = {state[0], next, state[2] + (next < state[1] ? 1 : 0)};
    std::memcpy(results[0], new_state, static_cast<size_t>(state_words_) * sizeof(uint64_t));
    return Status();
  }

 private:
  // ThreeFry gives two words per counter. They are neighbours along the first even dimension, or,
  // without one, along the longest, whose last pair is then half used.
  void SplitDimension(const compiler::Dims& dims) {
    if (dims.empty()) return;
    size_t split = 0;
    while (split < dims.size() && dims[split] % 2 != 0) ++split;
    if (split == dims.size()) {
      split = static_cast<size_t>(std::max_element(dims.begin(), dims.end()) - dims.begin());
    }
    length_ = dims[split];
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d < split) outer_ *= dims[d];
      if (d > split) inner_ *= dims[d];
    }
  }

  int64_t NumCounters() const {
    if (is_threefry_) return element_bytes_ == 8 ? count_ : outer_ * ((length_ + 1) / 2) * inner_;
    const int64_t per_block = element_bytes_ == 8 ? 2 : 4;
    return (count_ + per_block - 1) / per_block;
  }

  void Store(std::byte* out, int64_t index, uint32_t word) const {
    const uint32_t bits = word & mask_;
    // The low bytes: elements are little endian.
    std::memcpy(out + index * element_bytes_, &bits,
                static_cast<size_t>(std::min<int64_t>(element_bytes_, 4)));
  }
  static void StoreWide(std::byte* out, int64_t index, uint32_t low, uint32_t high) {
    const uint64_t bits = low | (uint64_t{high} << 32);
    std::memcpy(out + index * 8, &bits, 8);
  }

  void RunPhilox(const uint64_t (&state)[3], int64_t first, int64_t size, std::byte* out) const {
    uint32_t words[4][kRngLanes];
    const uint64_t low = state[1] + static_cast<uint64_t>(first);
    FillPhiloxCounters(words, low, state[2] + (low < state[1] ? 1 : 0));
    Philox4x32(words, state[0]);
    if (element_bytes_ == 8) {
      for (int64_t i = 0; i < size; ++i) {
        const int64_t index = 2 * (first + i);
        StoreWide(out, index, words[0][i], words[1][i]);
        if (index + 1 < count_) StoreWide(out, index + 1, words[2][i], words[3][i]);
      }
      return;
    }
    for (int64_t i = 0; i < size; ++i) {
      const int64_t index = 4 * (first + i);
      const int64_t used = std::min<int64_t>(4, count_ - index);
      for (int64_t w = 0; w < used; ++w) Store(out, index + w, words[w][i]);
    }
  }

  void RunThreeFry(const uint64_t (&state)[3], int64_t first, int64_t size, std::byte* out) const {
    uint32_t words[2][kRngLanes];
    for (size_t i = 0; i < kRngLanes; ++i) {
      const uint64_t counter = state[1] + static_cast<uint64_t>(first) + i;
      words[0][i] = static_cast<uint32_t>(counter);
      words[1][i] = static_cast<uint32_t>(counter >> 32);
    }
    ThreeFry2x32(words, state[0]);
    if (element_bytes_ == 8) {
      for (int64_t i = 0; i < size; ++i) StoreWide(out, first + i, words[0][i], words[1][i]);
      return;
    }
    const int64_t half = (length_ + 1) / 2;
    int64_t inner = first % inner_;
    int64_t pair = first / inner_ % half;
    int64_t outer = first / inner_ / half;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t index = (outer * length_ + 2 * pair) * inner_ + inner;
      Store(out, index, words[0][i]);
      if (2 * pair + 1 < length_) Store(out, index + inner_, words[1][i]);
      if (++inner < inner_) continue;
      inner = 0;
      if (++pair < half) continue;
      pair = 0;
      ++outer;
    }
  }

  bool is_threefry_;
  int64_t state_words_;
  int64_t element_bytes_ = 0, count_ = 1;
  uint32_t mask_ = 0;
  int64_t outer_ = 1, length_ = 1, inner_ = 1;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareRngBitGenerator(
    const compiler::plan::PlanStep& step, const LibraryOptions&) {
  if (step.operands.size() != 1 || step.results.size() != 2 || step.attributes == nullptr ||
      !std::holds_alternative<compiler::RngBitGeneratorAttributes>(*step.attributes)) {
    return InvalidArgument("expected a state, and a state and bits as results; found ",
                           step.operands.size(), " operands and ", step.results.size(), " results");
  }
  const auto algorithm = std::get<compiler::RngBitGeneratorAttributes>(*step.attributes).algorithm;
  const compiler::Type& state = step.operands[0].type;
  const int64_t most = algorithm == RngAlgorithm::kThreeFry ? 2 : 3;
  if (state.dtype != DType::kU64 || state.dims.size() != 1 || state.dims[0] < 2 ||
      state.dims[0] > most) {
    return InvalidArgument("the state is ", state.ToString(), "; expected u64[2]",
                           most == 3 ? " or u64[3]" : "");
  }
  const DTypeClass kind = InfoOf(step.results[1].type.dtype).kind;
  if (kind != DTypeClass::kSigned && kind != DTypeClass::kUnsigned) {
    return Unimplemented("the result is ", step.results[1].type.ToString(),
                         "; only integers are supported");
  }
  return std::unique_ptr<backend::PreparedStep>(
      std::make_unique<RngBitGeneratorStep>(step, algorithm));
}

}  // namespace plinth::cpu::library
