// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_TIMELINE_FILE_H_
#define PLINTH_IMPL_LAYERS_TRACE_TIMELINE_FILE_H_

#include <array>
#include <atomic>
#include <mutex>
#include <string_view>

#include "impl/layers/layer.h"
#include "impl/layers/trace/growing_file.h"

namespace plinth::layers {

// A file of events in Chrome's trace format, a JSON array that is complete at every moment, also if
// the process is killed. Every event is a comma and an object, written into blanks between the
// first event and the closing bracket, by one system call within one page. The file grows by blanks
// after the bracket, over which the bracket then moves.
class TimelineFile {
 public:
  static constexpr size_t kMaxEvent = 4000;

  // Stops growing at `limit` bytes; later events are dropped and the log says so once.
  static Expected<std::unique_ptr<TimelineFile>> Create(const std::string& path, uint64_t limit,
                                                        LogSink log);

  // Adds one event: a JSON object of at most kMaxEvent bytes. Any thread.
  void Add(std::string_view event);

 private:
  // Threads are spread over a few chunks of the file, so that they seldom wait for each other.
  static constexpr size_t kStripes = 16;
  struct alignas(64) Stripe {
    std::mutex mutex;
    uint64_t next = 0;  // where its next event goes
    uint64_t end = 0;
  };

  TimelineFile(std::unique_ptr<GrowingFile> file, uint64_t limit, LogSink log)
      : file_(std::move(file)), limit_(limit), log_(std::move(log)) {}
  Status NewChunk(Stripe& stripe);
  Status MoveBracket(uint64_t from, uint64_t to);
  void Stop(const Status& status);

  std::mutex file_mutex_;
  std::unique_ptr<GrowingFile> file_;
  uint64_t size_ = 0;
  const uint64_t limit_;
  const LogSink log_;
  std::atomic<bool> stopped_{false};
  std::array<Stripe, kStripes> stripes_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_TIMELINE_FILE_H_
