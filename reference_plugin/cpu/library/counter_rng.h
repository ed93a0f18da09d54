// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_COUNTER_RNG_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_COUNTER_RNG_H_

#include <bit>
#include <cstddef>
#include <cstdint>

// Counter-based random numbers: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3".
// Many counters at a time, word by word, so that the compiler vectorizes the rounds.
namespace plinth::cpu::library {

inline constexpr size_t kRngLanes = 32;

// words[w][lane]: word w of the counter of a lane, replaced by the random words.
inline void Philox4x32(uint32_t (&words)[4][kRngLanes], uint64_t key) {
  uint32_t key_low = static_cast<uint32_t>(key);
  uint32_t key_high = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (size_t i = 0; i < kRngLanes; ++i) {
      const uint64_t first = uint64_t{0xD2511F53u} * words[0][i];
      const uint64_t second = uint64_t{0xCD9E8D57u} * words[2][i];
      words[0][i] = static_cast<uint32_t>(second >> 32) ^ words[1][i] ^ key_low;
      words[1][i] = static_cast<uint32_t>(second);
      words[2][i] = static_cast<uint32_t>(first >> 32) ^ words[3][i] ^ key_high;
      words[3][i] = static_cast<uint32_t>(first);
    }
    key_low += 0x9E3779B9u;
    key_high += 0xBB67AE85u;
  }
}

// The 128-bit counters low, low + 1, ... with `high` above them.
inline void FillPhiloxCounters(uint32_t (&words)[4][kRngLanes], uint64_t low, uint64_t high) {
  for (size_t i = 0; i < kRngLanes; ++i) {
    const uint64_t counter = low + i;
    const uint64_t carried = high + (counter < low ? 1 : 0);
    words[0][i] = static_cast<uint32_t>(counter);
    words[1][i] = static_cast<uint32_t>(counter >> 32);
    words[2][i] = static_cast<uint32_t>(carried);
    words[3][i] = static_cast<uint32_t>(carried >> 32);
  }
}

// Two rows of words.
inline void ThreeFry2x32(uint32_t (*words)[kRngLanes], uint64_t key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t low = static_cast<uint32_t>(key), high = static_cast<uint32_t>(key >> 32);
  const uint32_t keys[3] = {low, high, low ^ high ^ 0x1BD11BDAu};
  for (size_t i = 0; i < kRngLanes; ++i) {
    words[0][i] += keys[0];
    words[1][i] += keys[1];
  }
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      for (size_t i = 0; i < kRngLanes; ++i) {
        words[0][i] += words[1][i];
        words[1][i] = std::rotl(words[1][i], rotation) ^ words[0][i];
      }
    }
    for (size_t i = 0; i < kRngLanes; ++i) {
      words[0][i] += keys[(group + 1) % 3];
      words[1][i] += keys[(group + 2) % 3] + group + 1;
    }
  }
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_COUNTER_RNG_H_
