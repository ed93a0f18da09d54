// SPDX-License-Identifier: Apache-2.0
// The driver's functions for streams and events.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "reference_plugin/cuda/simulator/world.h"

namespace plinth::cuda::simulator {
namespace {

// What another thread does next may come before what this one does next.
void ReturnLate() {
  constexpr uint64_t kOneIn = 8;
  static std::atomic<uint64_t> num_calls{0};
  const Options& options = TheWorld().options;
  if (options.delay <= 0) return;
  std::mt19937_64 random(options.seed + num_calls.fetch_add(1));
  if (random() % kOneIn != 0) return;
  const auto longest = static_cast<uint64_t>(options.delay);
  std::this_thread::sleep_for(std::chrono::microseconds(random() % longest));
}

std::shared_ptr<Mark> MarkOf(CUevent event) {
  const std::lock_guard lock(event->mutex);
  return event->mark;
}

}  // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  PLINTH_SIMULATOR_ENTER(cuStreamCreate, true);
  World& world = TheWorld();
  *stream = new CUstream_st(world.options.seed, world.options.delay);
  ++world.num_streams;
  return kCudaSuccess;
}
CUresult cuStreamDestroy(CUstream stream) {
  // What is enqueued still runs.
  stream->Finish();
  --TheWorld().num_streams;
  delete stream;
  PLINTH_SIMULATOR_ENTER(cuStreamDestroy, true);
  return kCudaSuccess;
}
CUresult cuStreamSynchronize(CUstream stream) {
  PLINTH_SIMULATOR_ENTER(cuStreamSynchronize, true);
  const std::shared_ptr<Mark> mark = stream->Record();
  mark->Wait();
  HostWaitedFor(mark->clock);
  return TheWorld().sticky.load();
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  PLINTH_SIMULATOR_ENTER(cuStreamWaitEvent, true);
  std::shared_ptr<Mark> mark;
  {
    const std::lock_guard lock(event->mutex);
    mark = event->mark;
  }
  if (mark == nullptr) return kCudaSuccess;
  if (stream == nullptr) {
    // The default stream: the host waits for all that is on it, here at once.
    mark->Wait();
    HostWaitedFor(mark->clock);
    return kCudaSuccess;
  }
  stream->WaitFor(std::move(mark));
  return kCudaSuccess;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  PLINTH_SIMULATOR_ENTER(cuEventCreate, true);
  *event = new CUevent_st();
  ++TheWorld().num_events;
  return kCudaSuccess;
}
CUresult cuEventDestroy(CUevent event) {
  delete event;
  --TheWorld().num_events;
  PLINTH_SIMULATOR_ENTER(cuEventDestroy, true);
  return kCudaSuccess;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  PLINTH_SIMULATOR_ENTER(cuEventRecord, true);
  std::shared_ptr<Mark> mark = stream->Record();
  {
    const std::lock_guard lock(event->mutex);
    event->mark = std::move(mark);
  }
  ReturnLate();
  return kCudaSuccess;
}
CUresult cuEventQuery(CUevent event) {
  PLINTH_SIMULATOR_ENTER(cuEventQuery, true);
  const std::shared_ptr<Mark> mark = MarkOf(event);
  if (mark != nullptr && !mark->IsDone()) return kCudaNotReady;
  if (mark != nullptr) HostWaitedFor(mark->clock);
  return TheWorld().sticky.load();
}
CUresult cuEventSynchronize(CUevent event) {
  PLINTH_SIMULATOR_ENTER(cuEventSynchronize, true);
  const std::shared_ptr<Mark> mark = MarkOf(event);
  if (mark != nullptr) {
    mark->Wait();
    HostWaitedFor(mark->clock);
  }
  return TheWorld().sticky.load();
}

}  // namespace plinth::cuda::simulator
