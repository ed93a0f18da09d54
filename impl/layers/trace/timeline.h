// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_TIMELINE_H_
#define PLINTH_IMPL_LAYERS_TRACE_TIMELINE_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "impl/layers/trace/objects.h"
#include "impl/layers/trace/pending.h"
#include "impl/layers/trace/timeline_file.h"

namespace plinth::layers {

// Turns calls into events of the timeline: one for each call, spans of what happens after a call
// returns (executions, transfers), and counters of live buffers. Any thread.
class Timeline {
 public:
  Timeline(std::unique_ptr<TimelineFile> file, Objects& objects, std::string_view plugin_path);

  // Hands an execution down; if the client asked for no completion events, with some of its own,
  // which AfterCall destroys.
  static PJRT_Error* Execute(const Call& call, std::vector<PJRT_Event*>& own_events);

  void AfterCall(const FinishedCall& finished);

  // Before a client goes: waits for its spans to end, a second at most.
  void BeforeClientDestroy() { spans_.Wait(std::chrono::seconds(1)); }

 private:
  struct Span;

  void AddCall(const FinishedCall& finished);
  void AddSpans(const FinishedCall& finished);
  void AddCounters(const FinishedCall& finished);
  void CountBuffer(PJRT_Buffer* buffer);
  void CountNewBuffers(const FinishedCall& finished);
  void WriteCounters(int64_t now_ns);
  void NameThread(int thread);

  void Executions(const FinishedCall& finished);
  // A span from the call's start until the event is ready.
  void Transfer(const FinishedCall& finished, std::string name, uint64_t bytes, PJRT_Event* event);
  void TransferToBuffer(const FinishedCall& finished, std::string name, PJRT_Buffer* buffer);
  void Begin(std::unique_ptr<Span> span, int64_t start_ns, uint64_t bytes, PJRT_Event* event);
  static void End(PJRT_Error* error, void* span);

  uint64_t BytesOf(PJRT_Buffer* buffer) const;

  std::unique_ptr<TimelineFile> file_;
  Objects& objects_;
  const int process_;
  const uint64_t number_;  // tells the timelines of a process apart
  std::atomic<uint64_t> next_span_{1};
  Pending spans_;
  std::atomic<int64_t> live_buffers_{0}, live_bytes_{0};
  std::atomic<int64_t> counters_written_ns_{0};
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_TIMELINE_H_
