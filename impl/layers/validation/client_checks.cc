// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "impl/layers/validation/call_state.h"
#include "impl/layers/validation/special_checks.h"
#include "plinth/support/str_cat.h"

// Plugin and clients: order of the first calls, and what is left at the end.
namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

constexpr size_t kMaxLeaksNamed = 3;  // of a kind

void AfterInitialize(CallState& state) {
  state.layer.is_initialized.store(true, std::memory_order_relaxed);
}

void CreateFailed(CallState& state) {
  const void* client = state.As<PJRT_Client_Create_Args>().client;
  if (client == nullptr) return;
  state.Fault(Require("PJRT-Client_Create-failure"),
              StrCat("the call failed and `client` = ", Hex(client)));
}

void AfterDevices(CallState& state) {
  Sight client = state.First();
  if (client.handle == nullptr) return;
  client.handle->counts[kDevices].store(
      static_cast<int64_t>(state.As<PJRT_Client_Devices_Args>().num_devices),
      std::memory_order_relaxed);
}

void BeforeAssignment(CallState& state) {
  auto& args = state.As<PJRT_Client_DefaultDeviceAssignment_Args>();
  if (args.num_replicas < 0 || args.num_partitions < 0) return;
  uint64_t needed =
      static_cast<uint64_t>(args.num_replicas) * static_cast<uint64_t>(args.num_partitions);
  if (args.default_assignment == nullptr && args.default_assignment_size > 0) {
    state.InvalidArgument(
        state.Of("default_assignment", "PJRT-Args-array"),
        StrCat("`default_assignment` is null and its length is ", args.default_assignment_size));
  }
  if (args.default_assignment_size >= needed) return;
  state.InvalidArgument(
      Require("PJRT-Client_DefaultDeviceAssignment-too-small"),
      StrCat("`default_assignment_size` = ", args.default_assignment_size, " for ",
             args.num_replicas, " replicas of ", args.num_partitions, " partitions"));
}

struct Leak {
  int kind;
  uint64_t call;  // that made it
  const Handle* handle;
};

// What is left: the oldest of each kind by name, the others by number.
void BeforeDestroy(CallState& state) {
  Sight client = state.First();
  LayerState& layer = state.layer;
  if (client.handle == nullptr || !layer.reporter.options().leaks) return;
  int num_clients = 0;
  std::vector<Leak> leaks;
  std::vector<Leak> errors;
  layer.table.ForEach([&](const Handle& handle) {
    if (!handle.Has(kAlive) || !handle.Has(kOwned)) return;
    if (handle.kind() == layer.kinds.client) ++num_clients;
    HandleRef owner = {handle.client.load(std::memory_order_relaxed),
                       handle.client_generation.load(std::memory_order_relaxed)};
    bool is_clients = owner.handle == client.handle && owner.generation == client.generation;
    Leak leak = {handle.kind(), handle.created.call, &handle};
    if (handle.kind() == layer.kinds.error) {
      if (is_clients || !owner) errors.push_back(leak);
    } else if (is_clients) {
      leaks.push_back(leak);
    }
  });
  layer.raw_futures.ForEachUncalled(client.ref(), [&](const RawFuture& future) {
    layer.reporter.Report(Side::kClient, Require("PJRT-Buffer_CopyRawToHostFuture-callback"),
                          future.at,
                          "`future_ready_callback` that this call gave out was never called");
  });
  // An error may belong to any client, or to none.
  if (num_clients == 1) leaks.insert(leaks.end(), errors.begin(), errors.end());
  std::sort(leaks.begin(), leaks.end(), [](const Leak& a, const Leak& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.call < b.call;
  });
  for (size_t begin = 0; begin < leaks.size();) {
    size_t end = begin;
    while (end < leaks.size() && leaks[end].kind == leaks[begin].kind) ++end;
    std::string named;
    for (size_t i = begin; i < end && i < begin + kMaxLeaksNamed; ++i) {
      named += StrCat(i == begin ? "" : "; ", Hex(leaks[i].handle->address()), " ",
                      Describe(layer.table, leaks[i].handle));
    }
    bool is_error = leaks[begin].kind == layer.kinds.error;
    // The leak is no reason to keep the client from being destroyed.
    layer.reporter.Report(
        Side::kClient, Require(is_error ? "PJRT-Error-caller-frees" : "PJRT-Client_Destroy-owned"),
        state.at,
        StrCat(end - begin, " ", reflection::Handles()[leaks[begin].kind],
               end - begin == 1 ? " is" : " are", " left: ", named,
               end - begin > kMaxLeaksNamed ? "; and others" : ""));
    begin = end;
  }
}

constexpr SpecialCheck kClientChecks[] = {
    {function::kPJRT_Plugin_Initialize, nullptr, &AfterInitialize},
    {function::kPJRT_Client_Create, nullptr, nullptr, &CreateFailed},
    {function::kPJRT_Client_Devices, nullptr, &AfterDevices},
    {function::kPJRT_Client_DefaultDeviceAssignment, &BeforeAssignment, nullptr},
    {function::kPJRT_Client_Destroy, &BeforeDestroy, nullptr},
};

}  // namespace

std::span<const SpecialCheck> ClientChecks() { return kClientChecks; }

}  // namespace plinth::layers::validation
