// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RNG_STREAM_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RNG_STREAM_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/cpu/library/counter_rng.h"

namespace plinth::cpu::library {

// Which counters an array of random bits is made of, element for element as XLA does it. The state
// is (key, counter) or, for Philox, (key, counter, high half of the counter); with two words the
// key stands in for the high half. Elements narrower than 32 bits are the low bits of a 32-bit one.
struct RngStream {
  using State = std::array<uint64_t, 3>;

  RngStream(compiler::RngAlgorithm algorithm, int64_t words, DType dtype,
            const compiler::Dims& dims)
      : is_threefry(algorithm == compiler::RngAlgorithm::kThreeFry), state_words(words) {
    element_bytes = ByteSize(dtype);
    const int bits = InfoOf(dtype).bits;
    mask = bits < 8 ? (uint32_t{1} << bits) - 1 : ~uint32_t{0};
    for (int64_t dim : dims) count *= dim;
    if (is_threefry && element_bytes < 8) SplitDimension(dims);
  }

  bool is_threefry;
  int64_t state_words;
  int64_t element_bytes = 0, count = 1;
  uint32_t mask = 0;
  // ThreeFry gives two words per counter. They are neighbours along the first even dimension, or,
  // without one, along the longest, whose last pair is then half used.
  size_t split = 0;
  int64_t outer = 1, length = 1, inner = 1;

  // Elements of one counter.
  int64_t ElementsPerCounter() const { return (is_threefry ? 8 : 16) / WordBytes(); }
  int64_t NumCounters() const {
    if (is_threefry && element_bytes < 8) return outer * ((length + 1) / 2) * inner;
    return (count + ElementsPerCounter() - 1) / ElementsPerCounter();
  }

  State Load(const void* state) const {
    State loaded{};
    std::memcpy(loaded.data(), state, static_cast<size_t>(state_words) * sizeof(uint64_t));
    if (state_words == 2) loaded[2] = loaded[0];
    return loaded;
  }
  // The state that follows.
  void StoreNext(const State& state, void* out) const {
    const uint64_t next = state[1] + static_cast<uint64_t>(NumCounters());
    const State new_state = {state[0], next, state[2] + (next < state[1] ? 1 : 0)};
    std::memcpy(out, new_state.data(), static_cast<size_t>(state_words) * sizeof(uint64_t));
  }

  void Store(std::byte* out, int64_t index, uint32_t word) const {
    const uint32_t bits = word & mask;
    // The low bytes: elements are little endian.
    std::memcpy(out + index * element_bytes, &bits,
                static_cast<size_t>(std::min<int64_t>(element_bytes, 4)));
  }
  static void StoreWide(std::byte* out, int64_t index, uint32_t low, uint32_t high) {
    const uint64_t bits = low | (uint64_t{high} << 32);
    std::memcpy(out + index * 8, &bits, 8);
  }

 private:
  int64_t WordBytes() const { return std::max<int64_t>(element_bytes, 4); }

  void SplitDimension(const compiler::Dims& dims) {
    if (dims.empty()) return;
    while (split < dims.size() && dims[split] % 2 != 0) ++split;
    if (split == dims.size()) {
      split = static_cast<size_t>(std::max_element(dims.begin(), dims.end()) - dims.begin());
    }
    length = dims[split];
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d < split) outer *= dims[d];
      if (d > split) inner *= dims[d];
    }
  }
};

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RNG_STREAM_H_
