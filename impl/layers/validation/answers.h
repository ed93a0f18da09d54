// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_ANSWERS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_ANSWERS_H_

#include <cstring>

#include "impl/layers/validation/check_tables.h"

// Answers that never change are known by a hash.
namespace plinth::layers::validation {

namespace answers_internal {

template <typename T>
T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

class Hash {
 public:
  void AddWord(uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 29;
  }
  void Add(const char* from, size_t size) {
    for (; size >= 8; size -= 8, from += 8) AddWord(Load<uint64_t>(from));
    if (size >= 4) {
      // The two may overlap.
      AddWord(uint64_t{Load<uint32_t>(from)} << 32 | Load<uint32_t>(from + size - 4));
    } else {
      for (size_t i = 0; i < size; ++i) AddWord(static_cast<uint8_t>(from[i]));
    }
  }
  // Never 0.
  uint32_t Value() const { return static_cast<uint32_t>(state_ >> 32) | 1; }

 private:
  uint64_t state_ = 0x2545F4914F6CDD1Du;
};

}  // namespace answers_internal

// Elements of a list that are looked at.
inline constexpr uint64_t kMaxAnswerElements = 1 << 16;

// Of what a function with an answer wrote to `args`, of which `size` bytes are there. Lists count
// to their end: by an equal answer the layer takes all handles in it for known.
inline uint32_t HashOfAnswer(const CallChecks& checks, const char* args, size_t size) {
  using answers_internal::Load;
  answers_internal::Hash hash;
  for (const FieldCheck& row : checks.answers) {
    if (row.end > size) continue;
    if (row.length_size == 0) {
      hash.Add(args + row.offset, row.element_size);
      continue;
    }
    uint64_t length = row.length_size == 8 ? Load<uint64_t>(args + row.length_offset)
                                           : Load<uint32_t>(args + row.length_offset);
    hash.AddWord(length);
    const char* list = Load<const char*>(args + row.offset);
    if (length > kMaxAnswerElements) length = kMaxAnswerElements;
    if (list != nullptr) hash.Add(list, length * row.element_size);
  }
  return hash.Value();
}

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_ANSWERS_H_
