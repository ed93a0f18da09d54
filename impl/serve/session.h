// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_SESSION_H_
#define PLINTH_IMPL_SERVE_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "impl/serve/callbacks.h"
#include "impl/serve/convert.h"
#include "impl/serve/host_buffers.h"
#include "impl/serve/mailbox.h"
#include "impl/serve/memory_account.h"
#include "impl/serve/proxy_messages.h"
#include "plinth/ifrt.hpp"
#include "plinth/support/status.h"

namespace plinth::serve {

using ArrayHandle = ifrt::internal::ArrayHandle;
using FutureHandle = ifrt::internal::FutureHandle;
using ChargeRef = std::shared_ptr<Charge>;

// The requests of one client, in order; its arrays, executables and futures by handle. What fails
// lies under the handles that it was to make. On the thread of one connection.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // The client makes handles below this, the server from here on.
  static constexpr uint64_t kFirstServerHandle = uint64_t{1} << 48;

  // Gets an answer, on the connection's thread, and whether the client waits for it.
  using Send = std::function<void(const proxy::IfrtResponse& answer, bool is_awaited)>;

  // Before a program that is the answer to a question for its text: then come its format, a colon,
  // and the program in base64.
  static constexpr std::string_view kEncodedProgram = "plinth-program:";
  // A client sends this as an attribute of its session if it reads such answers. The others get a
  // text, or UNIMPLEMENTED where the plugin's program is bytes.
  static constexpr std::string_view kReadsEncodedPrograms = "plinth_reads_encoded_programs";

  // `mailbox` is that of the connection's thread.
  Session(ifrt::Client client, uint64_t id, const proxy::GrpcIfrtSessionMetadata& metadata,
          std::shared_ptr<HostBuffers> buffers, std::shared_ptr<Mailbox> mailbox, Send send);

  uint64_t id() const { return id_; }
  size_t num_arrays() const { return arrays_.size(); }
  size_t num_executables() const { return executables_.size(); }
  uint64_t num_requests() const { return num_requests_; }
  // Requests that are not answered yet.
  size_t num_pending() const { return num_pending_; }

  // Whether everything is here that the request needs; the request is handled when it is.
  bool IsReady(const proxy::IfrtRequest& request) const;
  // Answers at once or later.
  void Handle(const proxy::IfrtRequest& request);

 private:
  using Answer = decltype(proxy::IfrtResponse::response);
  // Nothing: it is answered later.
  using Result = Expected<std::optional<Answer>>;

  // An array, or why there is none.
  struct Entry {
    ArrayHandle array;
    Status error;
    // For its memory, shared with the arrays that share that.
    std::vector<ChargeRef> charges;
    Charge handle_charge;
  };
  struct Program;

  Result On(const proxy::InitRequest& request);
  Result On(const proxy::CheckFutureRequest& request);
  Result On(const proxy::CheckValueReadyRequest& request);
  Result On(const proxy::MakeArrayFromHostBufferRequest& request);
  Result On(const proxy::MakeArraysFromHostBufferShardsRequest& request);
  Result On(const proxy::MakeErrorArraysRequest& request);
  Result On(const proxy::AssembleArrayFromSingleDeviceArraysRequest& request);
  Result On(const proxy::RemapArraysRequest& request);
  Result On(const proxy::ReshardArraysRequest& request);
  Result On(const proxy::BitcastArraysRequest& request);
  Result On(const proxy::CopyArraysRequest& request);
  Result On(const proxy::CopyToHostBufferRequest& request);
  Result On(const proxy::DisassembleIntoSingleDeviceArraysRequest& request);
  Result On(const proxy::FullyReplicatedShardRequest& request);
  Result On(const proxy::DeleteArrayRequest& request);
  Result On(const proxy::IsArrayDeletedRequest& request);
  Result On(const proxy::DestructArrayRequest& request);
  Result On(const proxy::CompileRequest& request);
  Result On(const proxy::LoadedExecutableMetadataRequest& request);
  Result On(const proxy::LoadedExecutableCostAnalysisRequest& request);
  Result On(const proxy::LoadedExecutableHumanReadableProgramTextRequest& request);
  Result On(const proxy::LoadedExecutableExecuteRequest& request);
  Result On(const proxy::LoadedExecutableFetchExecuteResultRequest& request);
  Result On(const proxy::LoadedExecutableIsDeletedRequest& request);
  Result On(const proxy::LoadedExecutableDestructRequest& request);
  Result On(const proxy::GetDefaultDeviceAssignmentRequest& request);
  Result On(const proxy::GetDefaultLayoutRequest& request);

  void Reply(uint64_t op_id, Result result, bool is_awaited = true);
  // The answer of `then` when the future completes; its error if it fails.
  Result WhenReady(const FutureHandle& future, std::function<Expected<Answer>()> then);

  // INVALID_ARGUMENT for handles of the client that are in use, zero, twice there or out of range;
  // RESOURCE_EXHAUSTED for too many.
  Status CheckNew(std::span<const uint64_t> handles) const;
  // The arrays behind handles. NOT_FOUND, or the error that lies there.
  Expected<std::vector<plinth_ifrt_array*>> Find(std::span<const uint64_t> handles) const;
  Expected<const Entry*> Find(uint64_t handle) const;
  // Puts arrays under the handles of the client, or new ones if it brought none. Returns those.
  // Beyond the limit of memory a handle stays unknown, which is an error too; so do those below.
  std::vector<uint64_t> Insert(std::span<const uint64_t> handles,
                               std::span<plinth_ifrt_array* const> arrays,
                               std::vector<std::vector<ChargeRef>> charges);
  void InsertErrors(std::span<const uint64_t> handles, const Status& error);
  void InsertFuture(uint64_t handle, FutureHandle future, const Status& error);
  // Arrays of which these are made share their charges.
  std::vector<ChargeRef> ChargesOf(std::span<const uint64_t> handles) const;
  Expected<ChargeRef> ChargeFor(int64_t bytes, std::string_view what = "an array") const;
  // For what is kept for handles, and for requests that wait. RESOURCE_EXHAUSTED beyond the limit.
  Expected<Charge> TakeHandles(size_t count) const;
  Expected<int64_t> BytesOf(const ifrt::ArraySpec& spec) const;
  // Gives the memory of arrays back that were donated or deleted.
  void DropDeleted(std::span<const uint64_t> handles);
  Expected<ifrt::Sharding> ShardingFor(const proxy::ShardingProto& proto);
  Expected<ifrt::ArraySpec> SpecFor(const proxy::ArraySpecProto& proto);
  Expected<std::shared_ptr<Program>> FindProgram(uint64_t handle) const;
  Expected<Answer> Compiled(const ifrt::Executable& executable, ChargeRef charge);
  Result WaitForFuture(uint64_t handle, Answer answer);
  // The memory of an array itself, if it is there, whole, dense, and the host's; else null. It
  // stays charged as long as the buffer lives, also when the array is gone.
  HostBufferRef HostMemoryOf(const Entry& entry) const;

  const ifrt::Client client_;
  const uint64_t id_;
  bool reads_encoded_programs_ = false;
  const std::shared_ptr<HostBuffers> buffers_;
  const std::shared_ptr<Mailbox> mailbox_;
  const Send send_;

  struct Pending {
    FutureHandle future;  // Null: `error` is all.
    Status error;
    Charge charge;
  };
  uint64_t next_handle_ = kFirstServerHandle;
  std::unordered_map<uint64_t, Entry> arrays_;
  std::unordered_map<uint64_t, std::shared_ptr<Program>> executables_;
  std::unordered_map<uint64_t, Pending> futures_;
  // Of programs that call functions of the client, or ask for such calls.
  CallbackChannels callbacks_;
  // What the client's shardings mean, by their bytes: it sends the same ones all the time.
  std::unordered_map<std::string, ifrt::Sharding> shardings_;
  uint64_t op_id_ = 0;  // Of the request at hand.
  uint64_t num_requests_ = 0;
  size_t num_pending_ = 0;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_SESSION_H_
