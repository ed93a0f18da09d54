// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_CAPTURE_FORMAT_H_
#define PLINTH_IMPL_LAYERS_TRACE_CAPTURE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// The file of a captured run. All numbers are little-endian; a varint has seven bits a byte, the
// lowest first.
//
//   file   = "PLNTHCAP" version:u32 zero:u32 frame*
//   frame  = kind:u32 stored_size:u32 raw_size:u32 zero:u32 bytes[stored_size]
//            raw: the records themselves; deflated (zlib) if kind says so. A live frame is the one
//            that was being written; whatever follows it has no meaning.
//   record = size:u32 crc32:u32 payload[size]
//
// A payload begins with a RecordType:
//
//   run       minor:varint path:text
//   call      thread:varint extension_type+1:varint slot:varint code:varint message:text fields
//             calls are in the order in which they returned; the first has number 1
//   read      number:varint buffer:varint type:varint dims:numbers: an array that was copied then
//   output    number:varint code:varint blob: what that copy gave
//   blob part blob:varint bytes: contents that a later record refers to, in order
//   lost      reason:text: a record that was too large
//
//   fields = (offset + 1:varint Tag value)* 0:varint: fields of a struct by their offset in it,
//            which never changes
//   text   = size:varint bytes
//   blob   = number:varint (size:varint bytes if the number is 0, else size:varint)
namespace plinth::layers::capture {

inline constexpr std::string_view kMagic = "PLNTHCAP";
inline constexpr uint32_t kVersion = 2;
inline constexpr size_t kFileHeader = 16;
inline constexpr size_t kFrameHeader = 16;
inline constexpr size_t kRecordHeader = 8;

inline constexpr uint32_t kDeflated = 0x544C4644;  // "DFLT"
inline constexpr uint32_t kLive = 0x4556494C;      // "LIVE"

inline constexpr size_t kMaxFrame = size_t{1} << 20;  // raw
inline constexpr size_t kMaxRecord = kMaxFrame - kRecordHeader;
inline constexpr size_t kMaxInline = size_t{8} << 10;  // larger blobs have parts
inline constexpr size_t kMaxBlobPart = size_t{512} << 10;

// In place of the code of an output that the layer could not copy.
inline constexpr uint64_t kNotCaptured = 1000;

enum class RecordType : uint8_t {
  kRun = 1,
  kCall = 2,
  kRead = 3,
  kOutput = 4,
  kBlobPart = 5,
  kLost = 6,
};

enum class Tag : uint8_t {
  kNull = 1,
  kNumber = 2,        // size:u8 bytes
  kNumbers = 3,       // count:varint size:u8 bytes
  kBytes = 4,         // blob
  kHandle = 5,        // number:varint, 0: null or one that has no number
  kHandles = 6,       // count:varint numbers
  kHandleLists = 7,   // count:varint inner count:varint numbers
  kStruct = 8,        // fields
  kStructs = 9,       // count:varint fields each
  kNamedValues = 10,  // count:varint, each name:text alternative:u8 value
  kLayout = 11,       // type:varint, then the lists of that type as numbers
  kOpaque = 12,       // something that is not in the capture
  kHostData = 13,     // blob: the elements of an array, in row-major order without gaps
};

class Writer {
 public:
  void Byte(uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) Byte(static_cast<uint8_t>(value | 0x80));
    Byte(static_cast<uint8_t>(value));
  }
  void Raw(const void* data, size_t size) { out_.append(static_cast<const char*>(data), size); }
  void Text(std::string_view text) {
    Varint(text.size());
    Raw(text.data(), text.size());
  }
  void Numbers(const void* data, size_t count, size_t element_size) {
    Varint(count);
    Byte(static_cast<uint8_t>(element_size));
    Raw(data, count * element_size);
  }

  std::string& out() { return out_; }

 private:
  std::string out_;
};

// Reads what Writer wrote, from bytes that may be anything: after the first thing that is not there
// everything is zero and empty, and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  size_t remaining() const { return rest_.size(); }
  void Fail() {
    ok_ = false;
    rest_ = {};
  }

  uint8_t Byte() {
    if (rest_.empty()) {
      Fail();
      return 0;
    }
    auto value = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return value;
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint8_t byte = Byte();
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    Fail();
    return 0;
  }
  std::string_view Raw(uint64_t size) {
    if (size > rest_.size()) {
      Fail();
      return {};
    }
    std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  std::string_view Text() { return Raw(Varint()); }
  // A number of things of which each takes at least one byte.
  uint64_t Count() {
    uint64_t count = Varint();
    if (count <= rest_.size()) return count;
    Fail();
    return 0;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace plinth::layers::capture

#endif  // PLINTH_IMPL_LAYERS_TRACE_CAPTURE_FORMAT_H_
