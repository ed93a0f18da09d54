// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/session.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "impl/serve/program.h"
#include "plinth/support/str_cat.h"
#include "plinth/support/xla_messages.h"

namespace plinth::serve {
namespace {

constexpr int64_t kHandleBytes = 512;
constexpr size_t kMaxShardings = 1024;

// Handles that a request makes, which get its error.
template <typename Request>
std::vector<uint64_t> MadeArrays(const Request& request) {
  std::vector<uint64_t> handles;
  if constexpr (requires { request.result_handles; }) handles = request.result_handles;
  if constexpr (requires { request.result_handle; }) handles = {request.result_handle};
  if constexpr (requires { request.result_array_handle; }) handles = request.result_array_handle;
  if constexpr (std::is_same_v<Request, proxy::MakeArrayFromHostBufferRequest>) {
    handles = {request.array_handle};
  }
  if constexpr (std::is_same_v<Request, proxy::MakeArraysFromHostBufferShardsRequest> ||
                std::is_same_v<Request, proxy::MakeErrorArraysRequest>) {
    handles = request.array_handles;
  }
  std::erase(handles, 0);
  return handles;
}

template <typename Request>
std::vector<uint64_t> UsedBuffers(const Request& request) {
  if constexpr (std::is_same_v<Request, proxy::MakeArrayFromHostBufferRequest>) {
    return {request.host_buffer_handle};
  }
  std::vector<uint64_t> handles;
  if constexpr (std::is_same_v<Request, proxy::MakeArraysFromHostBufferShardsRequest>) {
    for (const proxy::ShardsSpec& spec : request.specs) {
      for (const auto& buffer : spec.host_buffers) handles.push_back(buffer.host_buffer_handle);
    }
  }
  return handles;
}

uint64_t Hash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace

Session::Session(ifrt::Client client, uint64_t id, const proxy::GrpcIfrtSessionMetadata& metadata,
                 std::shared_ptr<HostBuffers> buffers, std::shared_ptr<Mailbox> mailbox, Send send)
    : client_(std::move(client)),
      id_(id),
      buffers_(std::move(buffers)),
      mailbox_(std::move(mailbox)),
      send_(std::move(send)) {
  for (const proxy::AttributeEntry& entry : metadata.initialization_data.attributes) {
    const bool* value = std::get_if<bool>(&entry.value.value);
    if (entry.key == kReadsEncodedPrograms && value != nullptr) reads_encoded_programs_ = *value;
  }
}

bool Session::IsReady(const proxy::IfrtRequest& request) const {
  return std::visit(
      [this](const auto& kind) {
        const std::vector<uint64_t> handles = UsedBuffers(kind);
        return std::all_of(handles.begin(), handles.end(),
                           [this](uint64_t handle) { return buffers_->Find(handle).has_value(); });
      },
      request.request);
}

void Session::Handle(const proxy::IfrtRequest& request) {
  op_id_ = request.request_metadata.op_id;
  ++num_requests_;
  ++num_pending_;
  const size_t index = request.request.index();
  std::visit(
      [&]<typename Request>(const Request& kind) {
        const std::vector<uint64_t> made = MadeArrays(kind);
        Result result = std::optional<Answer>();
        bool is_served = true;
        if (Status fresh = CheckNew(made); !fresh.ok()) {
          result = fresh;
        } else if constexpr (requires { On(kind); }) {
          result = On(kind);
        } else {
          is_served = false;
        }
        if (!is_served) {
          result = index == 0 ? Unimplemented("a request of a kind that this server does not know")
                              : Unimplemented("plinth-serve does not serve ",
                                              proxy::IfrtRequest::kRequestNames[index]);
        }
        for (const uint64_t handle : UsedBuffers(kind)) (void)buffers_->Delete(handle).ok();
        if (!result.ok()) InsertErrors(made, result.status());
        if constexpr (std::is_same_v<Request, proxy::LoadedExecutableExecuteRequest>) {
          if (!result.ok() && kind.result_status_handle != 0) {
            InsertFuture(kind.result_status_handle, {}, result.status());
          }
        }
        // A client that brings the handles goes on at once, as one that gives handles back does.
        const bool is_awaited = made.empty() &&
                                !std::is_same_v<Request, proxy::DestructArrayRequest> &&
                                !std::is_same_v<Request, proxy::LoadedExecutableDestructRequest>;
        Reply(op_id_, std::move(result), is_awaited);
      },
      request.request);
}

void Session::Reply(uint64_t op_id, Result result, bool is_awaited) {
  if (result.ok() && !result->has_value()) return;
  --num_pending_;
  proxy::IfrtResponse response;
  response.response_metadata.op_id = op_id;
  if (result.ok()) {
    response.response = **std::move(result);
  } else {
    response.response_metadata.status = ToProto(result.status());
  }
  send_(response, is_awaited);
}

Session::Result Session::WhenReady(const FutureHandle& future,
                                   std::function<Expected<Answer>()> then) {
  const auto finish = [](const Status& status, const std::function<Expected<Answer>()>& last) {
    if (!status.ok()) return Result(status);
    Expected<Answer> answer = last();
    if (!answer.ok()) return Result(answer.status());
    return Result(std::optional<Answer>(*std::move(answer)));
  };
  if (plinth_ifrt_future_is_ready(future.get())) {
    return finish(FromC(plinth_ifrt_future_await(future.get(), -1)), then);
  }
  PLINTH_ASSIGN_OR_RETURN(Charge charge, TakeHandles(1));
  struct Waiting {
    std::weak_ptr<Session> session;
    std::shared_ptr<Mailbox> mailbox;
    uint64_t op_id;
    std::function<Expected<Answer>()> then;
    decltype(finish) last;
    Charge charge;
  };
  plinth_ifrt_future_on_ready(
      future.get(),
      [](plinth_status* status, void* data) {
        const std::shared_ptr<Waiting> waiting(static_cast<Waiting*>(data));
        waiting->mailbox->Post([waiting, outcome = FromC(status)] {
          if (const auto session = waiting->session.lock()) {
            session->Reply(waiting->op_id, waiting->last(outcome, waiting->then));
          }
        });
      },
      new Waiting{weak_from_this(), mailbox_, op_id_, std::move(then), finish, std::move(charge)});
  return Result(std::optional<Answer>());
}

Status Session::CheckNew(std::span<const uint64_t> handles) const {
  std::unordered_set<uint64_t> seen;
  for (const uint64_t handle : handles) {
    if (handle >= kFirstServerHandle) {
      return InvalidArgument("handle ", handle, " of the client is not below 2^48");
    }
    if (arrays_.contains(handle) || (handles.size() > 1 && !seen.insert(handle).second)) {
      return InvalidArgument("array handle ", handle, " is in use");
    }
  }
  // Taken again, one by one, when the arrays are there.
  return TakeHandles(handles.size()).status();
}

Expected<Charge> Session::TakeHandles(size_t count) const {
  return Charge::Take(buffers_->account(), static_cast<int64_t>(count) * kHandleBytes,
                      count == 1 ? "a handle" : "a list of handles");
}

Expected<const Session::Entry*> Session::Find(uint64_t handle) const {
  const auto found = arrays_.find(handle);
  if (found == arrays_.end()) return NotFound("there is no array ", handle);
  if (!found->second.error.ok()) return found->second.error;
  return &found->second;
}

Expected<std::vector<plinth_ifrt_array*>> Session::Find(std::span<const uint64_t> handles) const {
  std::vector<plinth_ifrt_array*> arrays;
  arrays.reserve(handles.size());
  for (const uint64_t handle : handles) {
    PLINTH_ASSIGN_OR_RETURN(const Entry* entry, Find(handle));
    arrays.push_back(entry->array.get());
  }
  return arrays;
}

std::vector<uint64_t> Session::Insert(std::span<const uint64_t> handles,
                                      std::span<plinth_ifrt_array* const> arrays,
                                      std::vector<std::vector<ChargeRef>> charges) {
  std::vector<uint64_t> made;
  made.reserve(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const uint64_t handle = handles.empty() ? next_handle_++ : handles[i];
    Entry entry{ArrayHandle(arrays[i]), {}, {}, {}};
    if (i < charges.size()) entry.charges = std::move(charges[i]);
    Expected<Charge> charge = TakeHandles(1);
    made.push_back(handle);
    // Beyond the limit the handle stays unknown, which is an error too.
    if (!charge.ok()) continue;
    entry.handle_charge = *std::move(charge);
    arrays_.insert_or_assign(handle, std::move(entry));
  }
  return made;
}

void Session::InsertErrors(std::span<const uint64_t> handles, const Status& error) {
  for (const uint64_t handle : handles) {
    if (handle >= kFirstServerHandle || arrays_.contains(handle)) continue;
    Expected<Charge> charge = TakeHandles(1);
    if (charge.ok()) arrays_.emplace(handle, Entry{{}, error, {}, *std::move(charge)});
  }
}

void Session::InsertFuture(uint64_t handle, FutureHandle future, const Status& error) {
  Expected<Charge> charge = TakeHandles(1);
  if (charge.ok()) futures_.emplace(handle, Pending{std::move(future), error, *std::move(charge)});
}

std::vector<ChargeRef> Session::ChargesOf(std::span<const uint64_t> handles) const {
  std::vector<ChargeRef> charges;
  for (const uint64_t handle : handles) {
    const auto found = arrays_.find(handle);
    if (found == arrays_.end()) continue;
    charges.insert(charges.end(), found->second.charges.begin(), found->second.charges.end());
  }
  return charges;
}

Expected<ChargeRef> Session::ChargeFor(int64_t bytes, std::string_view what) const {
  PLINTH_ASSIGN_OR_RETURN(Charge charge, Charge::Take(buffers_->account(), bytes, what));
  return std::make_shared<Charge>(std::move(charge));
}

Expected<int64_t> Session::BytesOf(const ifrt::ArraySpec& spec) const {
  const auto type = static_cast<DType>(spec.type);
  std::vector<int64_t> dims = spec.dims;
  const auto shards = static_cast<int64_t>(spec.sharding.num_addressable());
  // Uneven and opaque shards: at most what all have.
  int64_t copies = 1;
  if (auto shape = spec.sharding.ShardShape(dims); shape.ok()) {
    dims = *std::move(shape);
    copies = shards;
  }
  int64_t bytes = std::max<int64_t>(ByteSize(type), 1) * copies;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(bytes, dim, &bytes)) {
      return ResourceExhausted("an array of more than 2^63 bytes");
    }
  }
  return bytes;
}

void Session::DropDeleted(std::span<const uint64_t> handles) {
  for (const uint64_t handle : handles) {
    const auto found = arrays_.find(handle);
    if (found == arrays_.end() || !found->second.array) continue;
    if (plinth_ifrt_array_is_deleted(found->second.array.get())) found->second.charges.clear();
  }
}

Expected<ifrt::Sharding> Session::ShardingFor(const proxy::ShardingProto& proto) {
  const proxy::Serialized& key = proto.serialized_sharding;
  std::string bytes = StrCat(key.type_name, ":", key.data);
  if (const auto found = shardings_.find(bytes); found != shardings_.end()) return found->second;
  PLINTH_ASSIGN_OR_RETURN(ifrt::Sharding sharding, ShardingFromProto(client_, proto));
  if (shardings_.size() >= kMaxShardings) shardings_.clear();
  if (bytes.size() <= 4096) shardings_.emplace(std::move(bytes), sharding);
  return sharding;
}

Expected<ifrt::ArraySpec> Session::SpecFor(const proxy::ArraySpecProto& proto) {
  PLINTH_ASSIGN_OR_RETURN(const DType type, TypeFromProto(proto.dtype));
  PLINTH_RETURN_IF_ERROR(CheckShape(proto.shape));
  PLINTH_ASSIGN_OR_RETURN(ifrt::Sharding sharding, ShardingFor(proto.sharding));
  return ifrt::ArraySpec{ToC(type), proto.shape.dims, std::move(sharding)};
}

Session::Result Session::On(const proxy::InitRequest&) {
  proxy::InitResponse init;
  init.session_id = id_;
  init.platform_name = client_.platform_name();
  init.platform_version = client_.platform_version();
  init.platform_id = Hash(init.platform_name);
  init.process_index = static_cast<uint64_t>(client_.process_index());
  init.runtime_type = "plinth";
  for (const ifrt::Device& device : client_.devices()) {
    proxy::InitDevice& one = init.all_devices.emplace_back();
    one.id = device.id();
    one.local_device_id = device.id();
    one.local_hardware_id = device.id();
    one.platform_name = init.platform_name;
    one.device_kind = device.kind();
    one.to_string = plinth_ifrt_device_text(device.get());
    one.debug_string = one.to_string;
    init.primary_device_ids.push_back(one.id);
    if (device.is_addressable()) init.addressable_device_ids.push_back(one.id);
    // PJRT shares memories between devices; the proxy's client asks only what each device has.
    for (const std::string& kind : device.memory_kinds()) {
      proxy::InitMemory& memory = init.memories.emplace_back();
      memory.id = static_cast<int32_t>(init.memories.size() - 1);
      memory.memory_space_kind = kind;
      memory.kind_id = static_cast<int32_t>(Hash(kind) & 0x7fffffff);
      memory.device_ids = {one.id};
      memory.to_string = StrCat(one.to_string, " ", kind);
      memory.debug_string = memory.to_string;
      if (one.memory_ids.empty()) one.default_memory_id = memory.id;
      one.memory_ids.push_back(memory.id);
    }
  }
  return std::optional<Answer>(std::move(init));
}

Session::Result Session::On(const proxy::CheckFutureRequest& request) {
  return WaitForFuture(request.future_handle, proxy::CheckFutureResponse());
}

Session::Result Session::WaitForFuture(uint64_t handle, Answer answer) {
  const auto found = futures_.find(handle);
  if (found == futures_.end()) return NotFound("there is no future ", handle);
  Pending pending = std::move(found->second);
  futures_.erase(found);
  if (!pending.future) {
    if (!pending.error.ok()) return pending.error;
    return std::optional<Answer>(std::move(answer));
  }
  return WhenReady(pending.future, [answer = std::move(answer)] { return Expected(answer); });
}

Session::Result Session::On(const proxy::CheckValueReadyRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(const auto arrays, Find(request.value_handles));
  plinth_ifrt_future* ready = nullptr;
  PLINTH_RETURN_IF_ERROR(
      FromC(plinth_ifrt_arrays_ready(client_.get(), arrays.data(), arrays.size(), &ready)));
  return WhenReady(FutureHandle(ready),
                   [] { return Expected<Answer>(proxy::CheckValueReadyResponse()); });
}

Session::Result Session::On(const proxy::GetDefaultDeviceAssignmentRequest& request) {
  const std::vector<ifrt::Device> devices = client_.devices();
  if (request.num_replicas == 0 || request.num_partitions == 0 ||
      request.num_replicas > devices.size() ||
      request.num_partitions > devices.size() / request.num_replicas) {
    return InvalidArgument(request.num_replicas, " replicas of ", request.num_partitions,
                           " partitions on ", devices.size(), " devices");
  }
  DeviceAssignment assignment{
      static_cast<int>(request.num_replicas), static_cast<int>(request.num_partitions), {}};
  for (size_t i = 0; i < request.num_replicas * request.num_partitions; ++i) {
    assignment.devices.push_back(devices[i].id());
  }
  return std::optional<Answer>(
      proxy::GetDefaultDeviceAssignmentResponse{messages::WriteDeviceAssignment(assignment)});
}

Session::Result Session::On(const proxy::GetDefaultLayoutRequest& request) {
  PLINTH_RETURN_IF_ERROR(TypeFromProto(request.dtype).status());
  std::string layout = "{";
  for (size_t d = request.dims.size(); d-- > 0;) layout += StrCat(d, d == 0 ? "" : ",");
  return std::optional<Answer>(proxy::GetDefaultLayoutResponse{layout + "}"});
}

}  // namespace plinth::serve
