// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_GROWING_FILE_H_
#define PLINTH_IMPL_LAYERS_TRACE_GROWING_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::layers {

// A piece of a file in memory. What is written there is in the file at once: it survives a crash of
// the process without any flush.
class MappedPiece {
 public:
  MappedPiece() = default;
  MappedPiece(void* mapping, size_t mapping_size, char* data, size_t size)
      : mapping_(mapping), mapping_size_(mapping_size), data_(data), size_(size) {}
  MappedPiece(MappedPiece&& other) noexcept { *this = std::move(other); }
  MappedPiece& operator=(MappedPiece&& other) noexcept;
  ~MappedPiece();

  char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* mapping_ = nullptr;
  size_t mapping_size_ = 0;
  char* data_ = nullptr;
  size_t size_ = 0;
};

// A file that only this process writes, piece by piece. Not thread-safe.
class GrowingFile {
 public:
  // Makes an empty file, in place of an older one. The error says why it cannot.
  static Expected<std::unique_ptr<GrowingFile>> Create(const std::string& path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Reserves [offset, offset + size) on the disk, so that writing to it cannot fail later, and maps
  // it.
  Expected<MappedPiece> Map(uint64_t offset, size_t size);
  Status Write(uint64_t offset, std::string_view bytes);
  // The same where the file has bytes already, in one system call less. A process that is killed
  // has written all or nothing of what lies within one page: the kernel looks for signals between
  // pages only.
  Status Overwrite(uint64_t offset, std::string_view bytes);
  Status Truncate(uint64_t size);

 private:
  GrowingFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  Status Failure(std::string_view what) const;

  int fd_;
  std::string path_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_GROWING_FILE_H_
