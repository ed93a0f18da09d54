// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/hlo_wire.h"

#include <bit>

namespace plinth::program {
namespace {

static_assert(std::endian::native == std::endian::little);

const char* EndOfBytes(uint64_t size, const char* at, const char* end) {
  if (size > static_cast<uint64_t>(end - at)) throw protozero::end_of_buffer_exception();
  return at + size;
}

}  // namespace

WireReader::Number WireReader::LongVarint(const char* at, const char* end) {
  if (end - at >= 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    if (const uint64_t ends = ~word & 0x8080808080808080; ends != 0) {
      // Seven bits of each byte, up to the first one that ends it, side by side. The ids of
      // instructions have five bytes and more.
      word &= ends ^ (ends - 1);
      word = (word & 0x7F007F007F007F00) >> 1 | (word & 0x007F007F007F007F);
      word = (word & 0x3FFF00003FFF0000) >> 2 | (word & 0x00003FFF00003FFF);
      word = (word & 0x0FFFFFFF00000000) >> 4 | (word & 0x000000000FFFFFFF);
      return {word, at + std::countr_zero(ends) / 8 + 1};
    }
  }
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at == end) throw protozero::end_of_buffer_exception();
    const auto byte = static_cast<uint8_t>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return {value, at};
  }
  throw protozero::varint_too_long_exception();
}

const char* WireReader::EndOfValue(uint32_t key, const char* at, const char* end) {
  const bool is_short = at != end && static_cast<uint8_t>(*at) < 0x80;
  switch (static_cast<WireType>(key & 7)) {
    case WireType::kVarint:
      return is_short ? at + 1 : LongVarint(at, end).end;
    case WireType::kFixed64:
      return EndOfBytes(8, at, end);
    case WireType::kBytes: {
      if (is_short) return EndOfBytes(static_cast<uint8_t>(*at), at + 1, end);
      const Number size = LongVarint(at, end);
      return EndOfBytes(size.value, size.end, end);
    }
    case WireType::kFixed32:
      return EndOfBytes(4, at, end);
  }
  throw protozero::unknown_pbf_wire_type_exception();
}

}  // namespace plinth::program
