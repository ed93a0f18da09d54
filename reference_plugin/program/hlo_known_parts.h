// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_KNOWN_PARTS_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_KNOWN_PARTS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace plinth::program {

// What was made of bytes that a program repeats: it has few different opcodes, shapes and sources.
// Each is kept at one place, until another one takes that, so what a program chooses makes nothing
// slow.
template <typename Part>
class HloKnownParts {
 public:
  // For a program of that many bytes.
  explicit HloKnownParts(size_t program_size)
      : entries_(std::bit_ceil(std::clamp(program_size / 128, kFewest, kMost))) {}

  // The part that was made of those bytes; null where the caller has to make it.
  const Part*& At(std::string_view bytes) {
    Entry& entry = entries_[HashOf(bytes) & (entries_.size() - 1)];
    if (!AreEqual(entry.bytes, bytes)) entry = {bytes, nullptr};
    return entry.part;
  }

 private:
  static constexpr size_t kFewest = 16, kMost = 256;

  template <typename Number>
  static uint64_t Load(const char* at) {
    Number number;
    std::memcpy(&number, at, sizeof(number));
    return number;
  }
  static uint64_t Mix(uint64_t hash, uint64_t part) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 32;
  }
  // Most are short: loads of fixed sizes have all of them, or their first and their last bytes.
  static uint64_t Short(std::string_view bytes) {
    const char* const end = bytes.data() + bytes.size();
    if (bytes.size() >= 4) return Load<uint32_t>(bytes.data()) | Load<uint32_t>(end - 4) << 32;
    if (bytes.empty()) return 0;
    return Load<uint8_t>(bytes.data()) | Load<uint8_t>(bytes.data() + bytes.size() / 2) << 8 |
           Load<uint8_t>(end - 1) << 16;
  }

  static uint64_t HashOf(std::string_view bytes) {
    const size_t size = bytes.size();
    if (size < 8) return Mix(size, Short(bytes));
    const char* const end = bytes.data() + size;
    const uint64_t hash = Mix(Mix(size, Load<uint64_t>(bytes.data())), Load<uint64_t>(end - 8));
    // Where the dimensions of most shapes are.
    return size < 16 ? hash : Mix(hash, Load<uint64_t>(end - 16));
  }
  static bool AreEqual(std::string_view a, std::string_view b) {
    const size_t size = a.size();
    if (size != b.size()) return false;
    if (size < 8) return Short(a) == Short(b);
    const auto same = [&](size_t at) {
      return Load<uint64_t>(a.data() + at) == Load<uint64_t>(b.data() + at);
    };
    if (!same(0) || !same(size - 8)) return false;
    if (size <= 16) return true;
    return size <= 32 ? same(8) && same(size - 16) : a == b;
  }

  struct Entry {
    std::string_view bytes;
    const Part* part = nullptr;
  };
  std::vector<Entry> entries_;
};

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_KNOWN_PARTS_H_
