// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/timeline_file.h"

#include <unistd.h>

#include <cstring>
#include <string>

namespace plinth::layers {
namespace {

constexpr size_t kChunkSize = size_t{64} << 10;

// What a chunk ends with, so that the comma behind its last event is followed by something.
std::string Tail() {
  return StrCat("{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":", getpid(),
                ",\"args\":{\"sort_index\":0}}\n");
}

size_t StripeOfThisThread(size_t stripes) {
  static constinit std::atomic<size_t> next{0};
  thread_local size_t stripe = next.fetch_add(1, std::memory_order_relaxed);
  return stripe % stripes;
}

}  // namespace

Expected<std::unique_ptr<TimelineFile>> TimelineFile::Create(const std::string& path,
                                                             uint64_t limit, LogSink log) {
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<GrowingFile> file, GrowingFile::Create(path));
  auto timeline =
      std::unique_ptr<TimelineFile>(new TimelineFile(std::move(file), limit, std::move(log)));
  PLINTH_RETURN_IF_ERROR(timeline->NewChunk(timeline->stripes_[0]));
  return timeline;
}

Status TimelineFile::NewChunk(Stripe& stripe) {
  std::lock_guard lock(file_mutex_);
  if (size_ + kChunkSize > limit_) {
    return ResourceExhausted("the timeline has reached its limit of ", limit_,
                             " bytes; later events are dropped (option limit=MB)");
  }
  std::string text(kChunkSize, ' ');
  size_t used = 0;
  if (size_ == 0) {
    text[0] = '[';
    text[1] = '\n';
    used = 2;
  }
  std::string tail = Tail() + ']';
  text.replace(kChunkSize - tail.size(), tail.size(), tail);
  PLINTH_ASSIGN_OR_RETURN(MappedPiece chunk, file_->Map(size_, kChunkSize));
  std::memcpy(chunk.data(), text.data(), kChunkSize);
  if (size_ > 0) PLINTH_RETURN_IF_ERROR(file_->Write(size_ - 1, ","));
  size_ += kChunkSize;
  stripe.chunk = std::move(chunk);
  stripe.used = used;
  return Status();
}

void TimelineFile::Stop(const Status& status) {
  if (!stopped_.exchange(true)) log_(StrCat("trace: ", status.ToString()));
}

void TimelineFile::Add(std::string_view event) {
  if (stopped_.load(std::memory_order_relaxed) || event.size() > kMaxEvent) return;
  constexpr size_t kReserved = 256;  // for the tail
  Stripe& stripe = stripes_[StripeOfThisThread(kStripes)];
  std::lock_guard lock(stripe.mutex);
  if (stripe.used + event.size() + 2 + kReserved > stripe.chunk.size()) {
    Status status = NewChunk(stripe);
    if (!status.ok()) return Stop(status);
  }
  char* place = stripe.chunk.data() + stripe.used;
  event.copy(place, event.size());
  place[event.size()] = ',';
  place[event.size() + 1] = '\n';
  stripe.used += event.size() + 2;
}

}  // namespace plinth::layers
