// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_CAPTURE_H_
#define PLINTH_IMPL_LAYERS_TRACE_CAPTURE_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "impl/layers/trace/capture_file.h"
#include "impl/layers/trace/objects.h"
#include "impl/layers/trace/pending.h"
#include "impl/layers/trace/trace_options.h"

namespace plinth::layers {

// Records a run: every call with its arguments and results, the arrays that the client brings in,
// and copies of arrays that it reads. A copy is the layer's own, made by PJRT_Buffer_ToHostBuffer
// when the client reads (that function, or a pointer to the memory of the buffer): the client's own
// destination may be gone before the layer could look at it. Any thread.
class Capture {
 public:
  Capture(std::unique_ptr<CaptureFile> file, Objects& objects, CapturedOutputs outputs,
          const LayerContext& context);

  void AfterCall(const FinishedCall& finished);

  // Before a client goes: waits for copies of its buffers, some seconds at most.
  void BeforeClientDestroy() { copies_.Wait(std::chrono::seconds(10)); }
  // The last client is gone: everything is in the file.
  void Finish() { file_->Seal(); }

 private:
  struct Copy;

  void AddCall(const FinishedCall& finished);
  // The elements of an array that the call brought in.
  std::optional<std::string_view> ArrayOf(const FinishedCall& finished, std::string& storage);
  static std::optional<std::string_view> LiteralOf(const FinishedCall& finished);
  std::optional<std::string_view> ViewOf(const FinishedCall& finished, std::string& storage);

  void AddReads(const FinishedCall& finished);
  // Copies a buffer to the host, once in its life.
  void Read(PJRT_Buffer* buffer);
  bool StartCopy(PJRT_Buffer* buffer, std::unique_ptr<Copy>& copy, PJRT_Event*& event);
  void AddOutput(uint64_t number, uint64_t code, std::string_view bytes);
  static void CopyDone(PJRT_Error* error, void* copy);

  std::unique_ptr<CaptureFile> file_;
  Objects& objects_;
  const CapturedOutputs outputs_;
  std::atomic<uint64_t> next_read_{1};
  Pending copies_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_CAPTURE_H_
