// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_CAPTURE_FILE_H_
#define PLINTH_IMPL_LAYERS_TRACE_CAPTURE_FILE_H_

#include <atomic>
#include <mutex>
#include <string_view>

#include "impl/layers/layer.h"
#include "impl/layers/trace/capture_format.h"
#include "impl/layers/trace/growing_file.h"

namespace plinth::layers {

// Writes records into a capture file. The frame that is being filled lies in memory and belongs to
// the file already, so a process that dies loses nothing. Any thread.
class CaptureFile {
 public:
  static Expected<std::unique_ptr<CaptureFile>> Create(const std::string& path, LogSink log);

  // One record. What is larger than a record may be is replaced by a note that it was lost.
  void Add(std::string_view payload);

  // Appends contents to a payload: small ones inside, larger ones as parts that are written now.
  void AddBlob(std::string_view contents, capture::Writer& payload);

  // Compresses what there is and cuts the file to its length. Later records open a new frame.
  void Seal();

 private:
  CaptureFile(std::unique_ptr<GrowingFile> file, LogSink log)
      : file_(std::move(file)), log_(std::move(log)) {}
  Status AddLocked(std::string_view payload);
  Status OpenFrame();
  Status SealLocked();
  void Stop(const Status& status);

  std::mutex mutex_;
  std::unique_ptr<GrowingFile> file_;
  const LogSink log_;
  uint64_t frame_start_ = capture::kFileHeader;
  MappedPiece frame_;  // empty: none is open
  size_t used_ = 0;    // bytes of records in it
  bool stopped_ = false;
  std::atomic<uint64_t> next_blob_{1};
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_CAPTURE_FILE_H_
