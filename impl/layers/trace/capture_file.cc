// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/capture_file.h"

#include <zlib.h>

#include <cstring>
#include <utility>

namespace plinth::layers {

using namespace capture;  // NOLINT: the format that this file is about

namespace {

void Put(char* place, uint32_t value) { std::memcpy(place, &value, sizeof(value)); }

std::string FrameHeader(uint32_t kind, size_t stored, size_t raw) {
  std::string header(kFrameHeader, '\0');
  Put(&header[0], kind);
  Put(&header[4], static_cast<uint32_t>(stored));
  Put(&header[8], static_cast<uint32_t>(raw));
  return header;
}

}  // namespace

Expected<std::unique_ptr<CaptureFile>> CaptureFile::Create(const std::string& path, LogSink log) {
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<GrowingFile> file, GrowingFile::Create(path));
  std::string header(kMagic);
  header.resize(kFileHeader);
  Put(&header[8], kVersion);
  PLINTH_RETURN_IF_ERROR(file->Write(0, header));
  return std::unique_ptr<CaptureFile>(new CaptureFile(std::move(file), std::move(log)));
}

Status CaptureFile::OpenFrame() {
  PLINTH_ASSIGN_OR_RETURN(frame_, file_->Map(frame_start_, kFrameHeader + kMaxFrame));
  std::string header = FrameHeader(kLive, 0, 0);
  std::memcpy(frame_.data(), header.data(), header.size());
  used_ = 0;
  return Status();
}

Status CaptureFile::SealLocked() {
  if (frame_.data() == nullptr) return Status();
  std::string deflated(compressBound(used_), '\0');
  uLongf size = deflated.size();
  int code = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                       reinterpret_cast<const Bytef*>(frame_.data() + kFrameHeader), used_, 1);
  if (code != Z_OK) return Internal("zlib cannot compress a frame: code ", code);
  deflated.resize(size);
  size_t raw = std::exchange(used_, 0);
  frame_ = MappedPiece();
  PLINTH_RETURN_IF_ERROR(file_->Write(frame_start_, FrameHeader(kDeflated, size, raw) + deflated));
  frame_start_ += kFrameHeader + size;
  return Status();
}

Status CaptureFile::AddLocked(std::string_view payload) {
  if (used_ + kRecordHeader + payload.size() > kMaxFrame) PLINTH_RETURN_IF_ERROR(SealLocked());
  if (frame_.data() == nullptr) PLINTH_RETURN_IF_ERROR(OpenFrame());
  char* place = frame_.data() + kFrameHeader + used_;
  Put(place, static_cast<uint32_t>(payload.size()));
  Put(place + 4, static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(payload.data()),
                                             static_cast<uInt>(payload.size()))));
  std::memcpy(place + kRecordHeader, payload.data(), payload.size());
  used_ += kRecordHeader + payload.size();
  // Only now the record counts: a process that dies between two bytes leaves whole records.
  std::atomic_signal_fence(std::memory_order_release);
  Put(frame_.data() + 4, static_cast<uint32_t>(used_));
  Put(frame_.data() + 8, static_cast<uint32_t>(used_));
  return Status();
}

void CaptureFile::Stop(const Status& status) {
  stopped_ = true;
  log_(StrCat("trace: the capture ends here: ", status.ToString()));
}

void CaptureFile::Add(std::string_view payload) {
  Writer lost;
  if (payload.size() > kMaxRecord) {
    lost.Byte(static_cast<uint8_t>(RecordType::kLost));
    lost.Text(StrCat("a record of ", payload.size(), " bytes"));
    payload = lost.out();
  }
  std::lock_guard lock(mutex_);
  if (stopped_) return;
  Status status = AddLocked(payload);
  if (!status.ok()) Stop(status);
}

void CaptureFile::AddBlob(std::string_view contents, Writer& payload) {
  if (contents.size() <= kMaxInline) {
    payload.Varint(0);
    payload.Text(contents);
    return;
  }
  uint64_t number = next_blob_.fetch_add(1, std::memory_order_relaxed);
  payload.Varint(number);
  payload.Varint(contents.size());
  while (!contents.empty()) {
    Writer part;
    part.Byte(static_cast<uint8_t>(RecordType::kBlobPart));
    part.Varint(number);
    part.Raw(contents.data(), std::min(contents.size(), kMaxBlobPart));
    Add(part.out());
    contents.remove_prefix(std::min(contents.size(), kMaxBlobPart));
  }
}

void CaptureFile::Seal() {
  std::lock_guard lock(mutex_);
  if (stopped_) return;
  Status status = SealLocked();
  if (status.ok()) status = file_->Truncate(frame_start_);
  if (!status.ok()) Stop(status);
}

}  // namespace plinth::layers
