// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/device_memory.h"

#include <utility>

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
  std::array<EventPtr, kNumStreams> read;
  {
    const std::lock_guard lock(mutex_);
    read = read_;
  }
  for (int s = 0; s < kNumStreams; ++s) {
    if (read[s] == nullptr || static_cast<StreamKind>(s) == kind) continue;
    PLINTH_RETURN_IF_ERROR(gpu_->WaitOn(kind, read[s]));
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

void DeviceBlock::Read(StreamKind kind, EventPtr event) {
  const std::lock_guard lock(mutex_);
  read_[static_cast<size_t>(kind)] = std::move(event);
}

}  // namespace plinth::cuda
