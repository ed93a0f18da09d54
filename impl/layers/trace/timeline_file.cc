// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/timeline_file.h"

#include <emmintrin.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace plinth::layers {
namespace {

// A page is at least as large as this one, and a multiple of it.
constexpr size_t kPage = 4096;
constexpr size_t kChunkSize = size_t{64} << 10;
static_assert(TimelineFile::kMaxEvent + 2 < kPage);

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
  std::string text = StrCat("[\n{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":", getpid(),
                            ",\"args\":{\"sort_index\":0}}\n");
  text.resize(kPage - 1, ' ');
  PLINTH_RETURN_IF_ERROR(timeline->file_->Write(0, text + ']'));
  timeline->size_ = kPage;
  PLINTH_RETURN_IF_ERROR(timeline->NewChunk(timeline->stripes_[0]));
  return timeline;
}

// Over blanks. Every step is one store of 16 bytes, across pages too: a process is killed between
// two instructions, so the file has one bracket always.
Status TimelineFile::MoveBracket(uint64_t from, uint64_t to) {
  constexpr uint64_t kStep = 15;
  PLINTH_ASSIGN_OR_RETURN(MappedPiece piece, file_->Map(from, to - from + 1));
  const __m128i bracket_last = _mm_insert_epi16(_mm_set1_epi8(' '), ' ' | ']' << 8, kStep / 2);
  size_t at = 0, last = piece.size() - 1;
  for (; at + kStep <= last; at += kStep) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(piece.data() + at), bracket_last);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  for (; at < last; ++at) {
    const uint16_t blank_bracket = ' ' | ']' << 8;
    std::memcpy(piece.data() + at, &blank_bracket, sizeof(blank_bracket));
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  return Status();
}

Status TimelineFile::NewChunk(Stripe& stripe) {
  std::lock_guard lock(file_mutex_);
  if (size_ + kChunkSize > limit_) {
    return ResourceExhausted("the timeline has reached its limit of ", limit_,
                             " bytes; later events are dropped (option limit=MB)");
  }
  const uint64_t start = size_, end = size_ + kChunkSize;
  PLINTH_RETURN_IF_ERROR(file_->Write(start, std::string(kChunkSize, ' ')));
  PLINTH_RETURN_IF_ERROR(MoveBracket(start - 1, end - 1));
  size_ = end;
  stripe.next = start;
  stripe.end = end - 1;  // The bracket's place.
  return Status();
}

void TimelineFile::Stop(const Status& status) {
  if (!stopped_.exchange(true)) log_(StrCat("trace: ", status.ToString()));
}

void TimelineFile::Add(std::string_view event) {
  if (stopped_.load(std::memory_order_relaxed) || event.size() > kMaxEvent) return;
  char text[kMaxEvent + 2];
  const size_t size = event.size() + 2;
  text[0] = ',';
  event.copy(text + 1, event.size());
  text[size - 1] = '\n';
  Stripe& stripe = stripes_[StripeOfThisThread(kStripes)];
  std::lock_guard lock(stripe.mutex);
  if (stripe.next % kPage + size > kPage) stripe.next += kPage - stripe.next % kPage;
  if (stripe.next + size > stripe.end) {
    Status status = NewChunk(stripe);
    if (!status.ok()) return Stop(status);
  }
  Status status = file_->Overwrite(stripe.next, std::string_view(text, size));
  if (!status.ok()) return Stop(status);
  stripe.next += size;
}

}  // namespace plinth::layers
