// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/ladder.h"

#include <array>
#include <functional>
#include <utility>

#include "impl/ifrt/array.h"
#include "impl/ifrt/bitcast.h"
#include "impl/ifrt/device_program.h"
#include "impl/ifrt/relayout.h"
#include "impl/ifrt/reshard_identity.h"
#include "impl/ifrt/reshard_plan.h"
#include "plinth/client/cross_host.h"
#include "plinth/client/shardings.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

constexpr std::array<int64_t, 2> kTrialDims = {4, 2};
constexpr std::array<float, 8> kTrialElements = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr const char* kHostRung = "host memory";
constexpr const char* kNoRung = "none: UNIMPLEMENTED";

struct LadderRung {
  const char* name;
  std::function<Status()> trial;
};

// The first rung whose trial succeeds, else `last`.
Json FindRung(const char* operation, const std::vector<LadderRung>& rungs, const char* last) {
  std::string why;
  for (const LadderRung& rung : rungs) {
    const Status status = rung.trial();
    if (status.ok()) {
      return Json(Json::Object{{"operation", operation}, {"rung", rung.name}, {"why", why}});
    }
    why += StrCat(why.empty() ? "" : "; ", rung.name, ": ", status.ToString());
  }
  return Json(Json::Object{{"operation", operation}, {"rung", last}, {"why", why}});
}

// The contents came too.
Status TrialOutcome(const Expected<client::Buffer>& buffer) {
  return buffer.ok() ? buffer->Await() : buffer.status();
}

class Trials {
 public:
  Trials(const Client& client, std::vector<const Device*> devices)
      : client_(client), devices_(std::move(devices)), first_(*devices_[0]) {}

  Expected<Json> Run() {
    Expected<client::Buffer> made = client_.raw().BufferFromHost(View(), PlaceOn(first_));
    if (!made.ok()) return made.status().WithContext("an array from the host");
    buffer_.emplace(*std::move(made));
    Json::Array ladder;
    ladder.push_back(Strides());
    ladder.push_back(Uninitialized());
    ladder.push_back(FindRung("copy on a device", {ToMemory(first_)}, kHostRung));
    ladder.push_back(Transfer());
    ladder.push_back(FindRung("copy to another process",
                              {{"the extension CrossHostTransfers",
                                [&] { return client::CheckCrossHost(client_.raw().api()); }}},
                              kNoRung));
    ladder.push_back(FindRung("memory as a DLPack tensor",
                              {{"PJRT_Buffer_IncreaseExternalReferenceCount",
                                [&] { return buffer_->AddExternalReference().status(); }}},
                              kNoRung));
    ladder.push_back(Reshard());
    ladder.push_back(FindRung("reshard to a layout",
                              {{"a small program", [&] { return Layout(); }}}, kHostRung));
    ladder.push_back(Bitcast());
    for (Json& one : Programs()) ladder.push_back(std::move(one));
    return Json(std::move(ladder));
  }

 private:
  static client::HostView View() { return {kTrialElements.data(), DType::kF32, kTrialDims, {}}; }
  static client::Placement PlaceOn(const Device& device) { return client::Placement(device.raw); }
  LadderRung ToMemory(const Device& device) const {
    return {"PJRT_Buffer_CopyToMemory", [this, &device] {
              if (device.memories.empty()) return Unimplemented("the device has no memories");
              return TrialOutcome(buffer_->CopyToMemory(device.memories.front().raw));
            }};
  }
  Status Join() const {
    const IndexDomain whole{{0, 0}, {4, 2}};
    const IndexDomain half{{2, 0}, {2, 2}};
    const JoinPart part{whole, half};
    const client::Buffer* const argument = &*buffer_;
    return TrialOutcome(
        RunProgram(client_, *JoinProgram(DType::kF32, half, {&part, 1}), {&argument, 1}, first_));
  }

  Json Strides() const {
    return FindRung("strides in host memory",
                    {{"PJRT_Client_BufferFromHostBuffer",
                      [&] {
                        constexpr std::array<int64_t, 2> kTransposed = {4, 16};
                        client::HostView view = View();
                        view.byte_strides = kTransposed;
                        return TrialOutcome(client_.raw().BufferFromHost(view, PlaceOn(first_)));
                      }}},
                    "packed on the host first");
  }
  Json Uninitialized() const {
    return FindRung("arrays that are not set",
                    {{"PJRT_Client_CreateUninitializedBuffer",
                      [&] {
                        const Shape shape{DType::kF32, {kTrialDims.begin(), kTrialDims.end()}};
                        return client_.raw().CreateUninitialized(shape, PlaceOn(first_)).status();
                      }}},
                    kNoRung);
  }
  Json Transfer() const {
    if (devices_.size() < 2) return FindRung("copy to another device", {}, "not tried: one device");
    const Device& other = *devices_[1];
    return FindRung("copy to another device",
                    {ToMemory(other),
                     {"PJRT_Buffer_CopyToDevice",
                      [&] { return TrialOutcome(buffer_->CopyToDevice(other.raw)); }}},
                    kHostRung);
  }
  Json Reshard() const {
    std::vector<LadderRung> rungs = {{"small programs", [&] { return Join(); }}};
    if (devices_.size() >= 2) {
      rungs.insert(rungs.begin(), {"one program over all devices", [&] { return Identity(); }});
    }
    return FindRung("reshard of pieces", rungs, kHostRung);
  }
  Status Identity() const {
    const std::array<const Device*, 2> two = {devices_[0], devices_[1]};
    const auto self = Ref<const Client>::Share(&client_);
    PLINTH_ASSIGN_OR_RETURN(Partitioning copies, Partitioning::Replicated(2));
    constexpr std::array<int64_t, 2> kRows = {2, 1};
    constexpr std::array<int64_t, 2> kInOrder = {0, 1};
    PLINTH_ASSIGN_OR_RETURN(Partitioning rows, Partitioning::Tiled(kRows, kInOrder));
    PLINTH_ASSIGN_OR_RETURN(const auto from, Sharding::Create(self, two, "", std::move(copies)));
    PLINTH_ASSIGN_OR_RETURN(const auto to, Sharding::Create(self, two, "", std::move(rows)));
    std::vector<Ref<Shard>> shards;
    for (const Device* device : two) {
      PLINTH_ASSIGN_OR_RETURN(client::Buffer buffer,
                              client_.raw().BufferFromHost(View(), PlaceOn(*device)));
      shards.push_back(MakeRef<Shard>(std::make_shared<client::Buffer>(std::move(buffer))));
    }
    const auto array =
        MakeRef<Array>(ArraySpec{DType::kF32, Dims(kTrialDims), from}, std::move(shards));
    PLINTH_ASSIGN_OR_RETURN(const auto moved, ReshardByIdentity(client_, *array, *to, {}));
    for (const Ref<Shard>& shard : moved) PLINTH_RETURN_IF_ERROR(shard->buffer()->Await());
    return {};
  }
  Status Layout() const {
    const Device* const device = &first_;
    PLINTH_ASSIGN_OR_RETURN(Partitioning whole, Partitioning::Replicated(1));
    PLINTH_ASSIGN_OR_RETURN(const auto here, Sharding::Create(Ref<const Client>::Share(&client_),
                                                              {&device, 1}, "", std::move(whole)));
    const Dims dims(kTrialDims);
    constexpr std::array<int64_t, 2> kColumnMajor = {0, 1};
    return TrialOutcome(LayOut(*buffer_, {DType::kF32, dims, *here, 0}, kColumnMajor,
                               /*may_use_host=*/false));
  }
  Json Bitcast() const {
    return FindRung(
        "bitcast",
        {{"PJRT_Buffer_Bitcast",
          [&] {
            // The source may be taken over.
            PLINTH_ASSIGN_OR_RETURN(const client::Buffer source,
                                    client_.raw().BufferFromHost(View(), PlaceOn(first_)));
            return TrialOutcome(source.Bitcast(DType::kS32, kTrialDims));
          }},
         {"a small program",
          [&] {
            const client::Buffer* const argument = &*buffer_;
            return TrialOutcome(RunProgram(
                client_, *BitcastProgram(DType::kF32, kTrialDims, DType::kS32, kTrialDims),
                {&argument, 1}, first_));
          }}},
        kHostRung);
  }
  std::vector<Json> Programs() const {
    client::CompileOptions options;
    options.portable = true;
    const std::string text =
        "module @same { func.func public @main(%arg0: tensor<f32>) -> tensor<f32> { return %arg0 : "
        "tensor<f32> } }";
    const auto program = client_.raw().Compile(client::Program{text}, options);
    const auto with = [&](auto ask) {
      return [&program, ask] {
        return program.ok() ? Status(ask(program->executable())) : program.status();
      };
    };
    return {
        FindRung("programs", {{"StableHLO, for any device", [&] { return program.status(); }}},
                 kNoRung),
        FindRung("shardings of programs", {{"the extension Shardings", with([](const auto& one) {
                                              return client::OutputShardings(one).status();
                                            })}},
                 "the caller says them, else opaque"),
        FindRung("serialized programs", {{"PJRT_Executable_Serialize", with([](const auto& one) {
                                            return one.Serialize().status();
                                          })}},
                 kNoRung),
        FindRung("cancel",
                 {{"PJRT_Device_PoisonExecution",
                   [&] {
                     // No launch has this id.
                     return first_.raw.PoisonExecution(INT32_MAX, Internal("a trial")).status();
                   }}},
                 kNoRung)};
  }

  const Client& client_;
  const std::vector<const Device*> devices_;
  const Device& first_;
  std::optional<client::Buffer> buffer_;
};

}  // namespace

Expected<Json> LadderOf(const Client& client) {
  std::vector<const Device*> devices;
  for (const auto& device : client.devices()) {
    if (device->is_addressable) devices.push_back(device.get());
  }
  if (devices.empty()) return FailedPrecondition("this process drives no device");
  return Trials(client, std::move(devices)).Run();
}

}  // namespace plinth::ifrt
