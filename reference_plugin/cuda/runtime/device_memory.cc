// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/device_memory.h"

#include <utility>
#include <vector>

namespace plinth::cuda {

Status DeviceBlock::BeforeRead(StreamKind kind) {
  EventPtr written;
  {
    const std::lock_guard lock(mutex_);
    if (kind == writer_ || has_waited_[static_cast<size_t>(kind)]) return Status();
    written = written_;
  }
  if (written == nullptr) return Status();
  PLINTH_RETURN_IF_ERROR(gpu_->WaitOn(kind, written));
  const std::lock_guard lock(mutex_);
  if (written_ == written) has_waited_[static_cast<size_t>(kind)] = true;
  return Status();
}

Status DeviceBlock::BeforeWrite(StreamKind kind) {
  PLINTH_RETURN_IF_ERROR(BeforeRead(kind));
  return AfterReads(kind);
}

Status DeviceBlock::AfterReads(StreamKind kind) {
  std::array<std::vector<Reading>, kNumStreams> read;
  {
    const std::lock_guard lock(mutex_);
    read = read_;
  }
  for (int s = 0; s < kNumStreams; ++s) {
    if (static_cast<StreamKind>(s) == kind) continue;
    for (const Reading& reading : read[s]) {
      PLINTH_RETURN_IF_ERROR(gpu_->WaitOn(kind, reading.over));
    }
  }
  return Status();
}

Status DeviceBlock::WaitFromOutside(CUstream stream) {
  EventPtr written;
  {
    const std::lock_guard lock(mutex_);
    written = written_;
  }
  if (written == nullptr) return Status();
  const Gpu::Current current(*gpu_);
  return gpu_->Check(gpu_->api().cuStreamWaitEvent(stream, written.get(), 0), "cuStreamWaitEvent");
}

void DeviceBlock::Wrote(StreamKind kind, EventPtr event) {
  const std::lock_guard lock(mutex_);
  writer_ = kind;
  written_ = std::move(event);
  has_waited_ = {};
  read_ = {};
}

Expected<EventPtr> DeviceBlock::RecordRead(StreamKind kind) {
  uint64_t known = 0;
  {
    const std::lock_guard lock(mutex_);
    known = num_reads_;
  }
  PLINTH_ASSIGN_OR_RETURN(EventPtr event, gpu_->Record(kind));
  const std::lock_guard lock(mutex_);
  std::vector<Reading>& read = read_[static_cast<size_t>(kind)];
  // Those that were known before are earlier on the stream. Those that have come since then may be
  // earlier or later.
  std::erase_if(read, [known](const Reading& reading) { return reading.number < known; });
  read.push_back({num_reads_++, event});
  return event;
}

}  // namespace plinth::cuda
