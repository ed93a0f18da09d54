// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_CAPTURE_READER_H_
#define PLINTH_IMPL_LAYERS_REPLAY_CAPTURE_READER_H_

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "impl/layers/trace/capture_format.h"
#include "plinth/support/status.h"

namespace plinth::layers {

// Reads the records of a capture file, one frame in memory at a time. Files may be broken or
// hostile: every size is checked before memory is asked for.
class CaptureReader {
 public:
  static Expected<std::unique_ptr<CaptureReader>> Open(const std::string& path);

  // The payload of the next record, valid until the next call; nothing at the end. DATA_LOSS says
  // where the file is broken.
  Expected<std::optional<std::string_view>> Next();

  // Whether the writing process died before it completed the file.
  bool truncated() const { return truncated_; }
  uint64_t position() const { return position_; }
  uint64_t size() const { return size_; }

 private:
  struct CloseFile {
    void operator()(FILE* file) const { fclose(file); }
  };

  CaptureReader(FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  Status ReadFrame();
  Status Broken(std::string_view what) const;

  std::unique_ptr<FILE, CloseFile> file_;
  std::string path_;
  uint64_t size_ = 0, position_ = 0;
  std::string frame_;
  size_t used_ = 0;  // of frame_
  bool is_last_ = false, truncated_ = false;
};

// Contents that are larger than a record, from when their parts are read until they are used.
class BlobStore {
 public:
  explicit BlobStore(uint64_t limit) : limit_(limit) {}

  // RESOURCE_EXHAUSTED if all of them together are more than the limit.
  Status AddPart(uint64_t number, std::string_view bytes);
  // A blob as a record refers to it. Fails the reader if it is not there.
  std::string Take(capture::Reader& reader);

 private:
  const uint64_t limit_;
  uint64_t size_ = 0;
  std::unordered_map<uint64_t, std::string> blobs_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_CAPTURE_READER_H_
