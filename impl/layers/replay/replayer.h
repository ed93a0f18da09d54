#ifndef PLINTH_IMPL_LAYERS_REPLAY_REPLAYER_H_
#define PLINTH_IMPL_LAYERS_REPLAY_REPLAYER_H_

#include <set>
#include <string>
#include <unordered_map>

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
  ~Replayer() { DestroyAll(); }

  Status OnCall(const CapturedCall& call);
  // A copy of an array that the capture made here.
  Status OnRead(capture::Reader& reader);
  Status OnOutput(capture::Reader& reader, BlobStore& blobs);

  // The capture is at its end.
  void OnEnd() { report_.outputs_not_captured += reads_.size(); }

  // Whether a divergence ends the replay.
  bool IsDone() const { return report_.divergences > 0 && !options_.keep_going; }

 private:
  friend struct ReplayRow;

  // An array that was read and waits for what the capture says about it.
  struct PendingRead {
    uint64_t buffer = 0;
    DType type = DType::kInvalid;
    std::vector<int64_t> dims;
    Status status;
    std::string bytes;
    ReplayedHandle origin;  // without the handle
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
  void CompareNumbers(const CapturedCall& call, const void* args);
  // True if both succeeded; where only one did, that is a divergence.
  bool CompareStatus(const CapturedCall& call, const Status& got);
  // Why the arguments could not be built: an error if the capture is broken, else a divergence.
  Status NoArguments(const CapturedCall& call, const Status& status);
  Expected<std::string> ToHost(PJRT_Buffer* buffer, DType type, const std::vector<int64_t>& dims);

  void Diverge(ReplayDivergence divergence);
  void Note(std::string text);
  void DestroyHandle(const ReplayedHandle& handle);
  void DestroyAll();

  const ReplayOptions& options_;
  ApiCalls call_;
  ReplayReport& report_;
  HandleMap handles_;
  std::unordered_map<uint64_t, PendingRead> reads_;
  uint64_t pending_bytes_ = 0;
  std::set<std::string> notes_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_REPLAYER_H_
