// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace plinth::conformance {
namespace {

constexpr size_t kBlock = 64;
constexpr int kRounds = 64;

// The first 32 bits of the fraction of a root of the n-th prime.
struct Constants {
  std::array<uint32_t, 8> state{};
  std::array<uint32_t, kRounds> rounds{};

  Constants() {
    int found = 0;
    for (uint32_t n = 2; found < kRounds; ++n) {
      bool is_prime = true;
      for (uint32_t d = 2; d * d <= n; ++d) is_prime &= n % d != 0;
      if (!is_prime) continue;
      auto bits = [](long double root) {
        return static_cast<uint32_t>((root - std::floor(root)) * 4294967296.0L);
      };
      if (found < 8) {
        state[static_cast<size_t>(found)] = bits(std::sqrt(static_cast<long double>(n)));
      }
      rounds[static_cast<size_t>(found++)] = bits(std::cbrt(static_cast<long double>(n)));
    }
  }
};

void AddBlock(const Constants& constants, const char* block, std::array<uint32_t, 8>& state) {
  std::array<uint32_t, kRounds> words;
  for (size_t i = 0; i < 16; ++i) {
    words[i] = 0;
    for (size_t k = 0; k < 4; ++k) {
      words[i] = words[i] << 8 | static_cast<uint8_t>(block[4 * i + k]);
    }
  }
  for (size_t i = 16; i < kRounds; ++i) {
    uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  std::array<uint32_t, 8> v = state;
  for (size_t i = 0; i < kRounds; ++i) {
    uint32_t sum1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
    uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    uint32_t first = v[7] + sum1 + choice + constants.rounds[i] + words[i];
    uint32_t sum0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
    uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    v = {first + sum0 + majority, v[0], v[1], v[2], v[3] + first, v[4], v[5], v[6]};
  }
  for (size_t i = 0; i < 8; ++i) state[i] += v[i];
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  static const Constants constants;
  std::array<uint32_t, 8> state = constants.state;
  size_t whole = bytes.size() / kBlock * kBlock;
  for (size_t at = 0; at < whole; at += kBlock) AddBlock(constants, bytes.data() + at, state);
  std::string tail(bytes.substr(whole));
  tail += '\x80';
  while (tail.size() % kBlock != kBlock - 8) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) {
    tail += static_cast<char>(static_cast<uint64_t>(bytes.size()) * 8 >> shift);
  }
  for (size_t at = 0; at < tail.size(); at += kBlock) AddBlock(constants, tail.data() + at, state);
  std::string text;
  for (uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  }
  return text;
}

}  // namespace plinth::conformance
