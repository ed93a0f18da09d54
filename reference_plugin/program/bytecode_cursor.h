// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_BYTECODE_CURSOR_H_
#define REFERENCE_PLUGIN_PROGRAM_BYTECODE_CURSOR_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::program {

// Reads the primitives of MLIR bytecode from a part of the input. A read that fails (the part ends,
// or a size reaches beyond it) returns false and stays where it was, so offset() is the place of
// the error. Small; copied freely.
class BytecodeCursor {
 public:
  BytecodeCursor() = default;
  // `file_offset` is where `data` begins in the input.
  BytecodeCursor(std::span<const std::byte> data, size_t file_offset)
      : begin_(reinterpret_cast<const uint8_t*>(data.data())),
        at_(begin_),
        end_(begin_ + data.size()),
        file_offset_(file_offset) {}

  size_t remaining() const { return static_cast<size_t>(end_ - at_); }
  bool empty() const { return at_ == end_; }
  size_t offset() const { return file_offset_ + static_cast<size_t>(at_ - begin_); }

  [[nodiscard]] bool Byte(uint8_t* value) {
    if (at_ == end_) return false;
    *value = *at_++;
    return true;
  }

  [[nodiscard]] bool Varint(uint64_t* value) {
    if (at_ == end_) return false;
    const uint8_t first = *at_;
    if (first & 1) {
      *value = first >> 1;
      ++at_;
      return true;
    }
    const int extra = first == 0 ? 8 : std::countr_zero(first);
    if (remaining() <= static_cast<size_t>(extra)) return false;
    uint64_t raw = 0;
    if (first == 0) {
      std::memcpy(&raw, at_ + 1, 8);
      *value = raw;
    } else {
      std::memcpy(&raw, at_, static_cast<size_t>(extra) + 1);
      *value = raw >> (extra + 1);
    }
    at_ += extra + 1;
    return true;
  }

  [[nodiscard]] bool SignedVarint(int64_t* value) {
    uint64_t raw;
    if (!Varint(&raw)) return false;
    *value = static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
    return true;
  }

  [[nodiscard]] bool FlaggedVarint(uint64_t* value, bool* flag) {
    if (!Varint(value)) return false;
    *flag = *value & 1;
    *value >>= 1;
    return true;
  }

  // The number of things that follow, each of at least `smallest` bytes.
  [[nodiscard]] bool Count(uint64_t* count, size_t smallest = 1) {
    const uint8_t* start = at_;
    if (!Varint(count)) return false;
    if (*count <= remaining() / smallest) return true;
    at_ = start;
    return false;
  }

  [[nodiscard]] bool Bytes(uint64_t size, std::span<const std::byte>* bytes) {
    if (size > remaining()) return false;
    *bytes = {reinterpret_cast<const std::byte*>(at_), static_cast<size_t>(size)};
    at_ += size;
    return true;
  }

  [[nodiscard]] bool Blob(std::span<const std::byte>* bytes) {
    uint64_t size;
    return Varint(&size) && Bytes(size, bytes);
  }

  // Up to the next zero byte, which is consumed.
  [[nodiscard]] bool NullTerminated(std::string_view* text) {
    if (empty()) return false;
    const void* end = std::memchr(at_, 0, remaining());
    if (end == nullptr) return false;
    *text = {reinterpret_cast<const char*>(at_),
             static_cast<size_t>(static_cast<const uint8_t*>(end) - at_)};
    at_ += text->size() + 1;
    return true;
  }

  // The offsets of aligned data count from the start of the input.
  [[nodiscard]] bool AlignTo(uint64_t alignment) {
    if (!std::has_single_bit(alignment) || alignment > (uint64_t{1} << 20)) return false;
    while (offset() & (alignment - 1)) {
      if (at_ == end_ || *at_ != 0xCB) return false;
      ++at_;
    }
    return true;
  }

 private:
  const uint8_t* begin_ = nullptr;
  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  size_t file_offset_ = 0;
};

// "malformed MLIR bytecode at byte 12: expected ..., found ..."
template <typename... Pieces>
Status BytecodeError(size_t offset, const Pieces&... pieces) {
  return InvalidArgument("malformed MLIR bytecode at byte ", offset, ": ", pieces...);
}

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_BYTECODE_CURSOR_H_
