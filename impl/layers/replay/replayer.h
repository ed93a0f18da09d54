// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_REPLAYER_H_
#define PLINTH_IMPL_LAYERS_REPLAY_REPLAYER_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "impl/layers/replay/api_calls.h"
#include "impl/layers/replay/args_builder.h"
#include "impl/layers/replay/captured_call.h"
#include "impl/layers/replay/handle_map.h"
#include "impl/layers/replay/replay.h"
#include "plinth/support/dtype.h"

namespace plinth::layers {

// The state of one replay. Its functions return errors where the replay cannot go on; what differs
// goes into the report.
class Replayer {
 public:
  Replayer(const ReplayOptions& options, const PJRT_Api* api, ReplayReport& report)
      : options_(options), call_(api), report_(report) {}
  ~Replayer();

  Status OnCall(const CapturedCall& call);
  // A copy of an array that the capture made here.
  Status OnRead(capture::Reader& reader);
  Status OnOutput(capture::Reader& reader, BlobStore& blobs);

  // The capture is at its end; truncated: it may lack what the last waits are for.
  Status OnEnd(bool truncated);

  // Adds to the report's notes, each once and not without bound.
  void Note(std::string text);

  // Whether a divergence ends the replay.
  bool IsDone() const { return report_.divergences > 0 && !options_.keep_going; }

 private:
  friend struct ReplayRow;
  using Clock = ApiCalls::Clock;

  // An array that was read, and waits for its contents and for what the capture says about it.
  struct PendingRead {
    uint64_t buffer = 0;
    DType type = DType::kInvalid;
    std::vector<int64_t> dims;
    Status status;
    std::vector<char> bytes;      // the plugin's to fill in until the event is ready
    PJRT_Event* event = nullptr;  // null: `status` and `bytes` are final
    ReplayedHandle origin;        // without the handle
    // What the capture says, once it has.
    bool has_output = false;
    uint64_t code = 0;
    std::string wanted;
    uint64_t counted = 0;  // bytes of both that the limit counts
  };

  // A wait of the captured run for an event that is not ready here yet.
  struct LateAwait {
    CapturedCall call;
    uint64_t number;  // of the call
    uint64_t id;      // of the event
    PJRT_Event* event;
    bool is_destroyed = false;  // by the captured run, and here as soon as it is ready
  };

  // How functions are replayed; see the table in replayer.cc.
  Status CallAgain(const CapturedCall& call);
  Status Query(const CapturedCall& call);
  Status CallAndCompare(const CapturedCall& call);
  Status CreateClient(const CapturedCall& call);
  Status Destroy(const CapturedCall& call);
  Status Await(const CapturedCall& call);
  Status BufferFromHost(const CapturedCall& call);
  Status TransferLiteral(const CapturedCall& call);
  Status View(const CapturedCall& call);
  Status Execute(const CapturedCall& call);

  // What a capture says whose array is not as large as its shape.
  Status OtherSize(size_t bytes) const;
  Status MakeBuffer(const CapturedCall& call, PJRT_Client_BufferFromHostBuffer_Args& args,
                    const std::string& dense);
  Status AwaitInputs(const CapturedCall& call, void* args);
  void MapOutputs(const CapturedCall& call, const void* args);
  void MapList(int function, const reflection::Field& field, const CapturedValue& value,
               const void* const* handles, size_t count);
  void Map(uint64_t id, const ReplayedHandle& handle);
  // For a call that succeeds here alone.
  void DestroyOutputs(const CapturedCall& call, const void* args);
  void CompareNumbers(const CapturedCall& call, const void* args);
  // True if both succeeded; where only one did, that is a divergence.
  bool CompareStatus(const CapturedCall& call, const Status& got, uint64_t number = 0);
  // Why the arguments could not be built: an error if the capture is broken, else a divergence.
  Status NoArguments(const CapturedCall& call, const Status& status);
  // Starts a copy of an array that the capture read.
  Status StartRead(PJRT_Buffer* buffer, PendingRead& read);
  void CompareOutput(const PendingRead& read);

  // Other threads of the captured run may have ended what it waited for by calls whose records come
  // later, or in the middle of such a call. Until then such a wait is put off.
  void TrackOpen(const CapturedCall& call);
  Clock::time_point LimitEnd() const;
  Clock::time_point WaitEnd() const;
  Status NotReady(std::string_view what) const;
  bool IsReady(PendingRead& read, Clock::time_point end);
  // Compares what was put off and is ready by then.
  void Settle(Clock::time_point end);
  Status SettleAll();

  void Diverge(ReplayDivergence divergence);
  void DestroyHandle(const ReplayedHandle& handle);
  void DestroyAll();

  const ReplayOptions& options_;
  ApiCalls call_;
  ReplayReport& report_;
  HandleMap handles_;
  std::map<uint64_t, PendingRead> reads_;
  uint64_t pending_bytes_ = 0;
  std::vector<LateAwait> late_awaits_;
  std::set<uint64_t> open_;  // what the captured run has still to fill in, fulfill or set
  int num_put_off_ = 0;
  std::set<std::string> notes_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_REPLAYER_H_
