// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/capture_reader.h"

#include <sys/stat.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace plinth::layers {

using namespace capture;  // NOLINT: the format that this file is about

namespace {

uint32_t Get(const char* place) {
  uint32_t value;
  std::memcpy(&value, place, sizeof(value));
  return value;
}

}  // namespace

Status CaptureReader::Broken(std::string_view what) const {
  return Status(StatusCode::kDataLoss,
                StrCat("`", path_, "` is broken at byte ", position_, ": ", what));
}

Expected<std::unique_ptr<CaptureReader>> CaptureReader::Open(const std::string& path) {
  FILE* file = fopen(path.c_str(), "rbe");
  if (file == nullptr) {
    return NotFound("`", path, "` cannot be opened: ", std::generic_category().message(errno));
  }
  auto reader = std::unique_ptr<CaptureReader>(new CaptureReader(file, path));
  struct stat info = {};
  if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) {
    return InvalidArgument("`", path, "` is no regular file");
  }
  reader->size_ = static_cast<uint64_t>(info.st_size);
  char header[kFileHeader];
  if (fread(header, 1, sizeof(header), file) != sizeof(header) ||
      std::string_view(header, kMagic.size()) != kMagic) {
    return InvalidArgument("`", path, "` is no capture of the trace layer: it does not begin with ",
                           kMagic);
  }
  uint32_t version = Get(header + 8);
  if (version != kVersion) {
    return FailedPrecondition("`", path, "` is a capture of version ", version,
                              "; this libplinth reads version ", kVersion);
  }
  reader->position_ = sizeof(header);
  return reader;
}

Status CaptureReader::ReadFrame() {
  frame_.clear();
  used_ = 0;
  if (is_last_ || position_ == size_) {
    is_last_ = true;
    return Status();
  }
  char header[kFrameHeader];
  if (fread(header, 1, sizeof(header), file_.get()) != sizeof(header)) {
    return Broken("it ends within the head of a frame");
  }
  uint32_t kind = Get(header), stored = Get(header + 4), raw = Get(header + 8);
  if ((kind != kLive && kind != kDeflated) || Get(header + 12) != 0) {
    return Broken("no frame begins here");
  }
  if (raw > kMaxFrame || stored > compressBound(kMaxFrame) || (kind == kLive && stored != raw)) {
    return Broken("the sizes of this frame are impossible");
  }
  if (size_ - position_ - sizeof(header) < stored) return Broken("it ends within a frame");
  std::string bytes(stored, '\0');
  if (fread(bytes.data(), 1, stored, file_.get()) != stored) return Broken("it cannot be read");
  if (kind == kLive) {
    is_last_ = truncated_ = true;
    frame_ = std::move(bytes);
  } else {
    frame_.resize(raw);
    uLongf size = raw;
    int code = uncompress(reinterpret_cast<Bytef*>(frame_.data()), &size,
                          reinterpret_cast<const Bytef*>(bytes.data()), stored);
    if (code != Z_OK || size != raw) return Broken("this frame cannot be inflated");
  }
  position_ += sizeof(header) + stored;
  return Status();
}

Expected<std::optional<std::string_view>> CaptureReader::Next() {
  while (used_ == frame_.size()) {
    PLINTH_RETURN_IF_ERROR(ReadFrame());
    if (is_last_ && frame_.empty()) return std::optional<std::string_view>();
  }
  if (frame_.size() - used_ < kRecordHeader) return Broken("a frame ends within a record");
  const char* place = frame_.data() + used_;
  uint32_t size = Get(place);
  if (size > frame_.size() - used_ - kRecordHeader) {
    return Broken("a record is larger than its frame");
  }
  std::string_view payload(place + kRecordHeader, size);
  if (crc32(0, reinterpret_cast<const Bytef*>(payload.data()), size) != Get(place + 4)) {
    return Broken("the checksum of a record does not match");
  }
  used_ += kRecordHeader + size;
  return std::optional<std::string_view>(payload);
}

Status BlobStore::AddPart(uint64_t number, std::string_view bytes) {
  if (bytes.size() > limit_ - size_) {
    return ResourceExhausted("the capture holds more host data at a time than the limit of ",
                             limit_, " bytes");
  }
  constexpr size_t kMaxBlobs = size_t{1} << 16;
  if (blobs_.size() >= kMaxBlobs && !blobs_.contains(number)) {
    return ResourceExhausted("the capture holds more than ", kMaxBlobs,
                             " contents that nothing uses");
  }
  size_ += bytes.size();
  blobs_[number].append(bytes);
  return Status();
}

std::string BlobStore::Take(Reader& reader) {
  uint64_t number = reader.Varint();
  if (number == 0) return std::string(reader.Text());
  uint64_t size = reader.Varint();
  auto found = blobs_.find(number);
  if (found == blobs_.end() || found->second.size() != size) {
    reader.Fail();
    return {};
  }
  std::string bytes = std::move(found->second);
  blobs_.erase(found);
  size_ -= bytes.size();
  return bytes;
}

}  // namespace plinth::layers
