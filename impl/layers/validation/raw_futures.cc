// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/raw_futures.h"

#include <utility>

#include "impl/layers/validation/call_state.h"

namespace plinth::layers::validation {
namespace {

constexpr char kOnce[] = "PJRT-Buffer_CopyRawToHostFuture-callback";

void OnRawFuture(PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
  auto& future = *static_cast<RawFuture*>(args->callback_data);
  if (future.was_called.exchange(true, std::memory_order_acq_rel)) {
    // The plugin's own may be gone.
    LayerState& layer = *future.layer;
    layer.reporter.Report(Side::kClient, Require(kOnce), future.at,
                          "`future_ready_callback` that this call gave out was called again");
    return;
  }
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args copy = {};
  std::memcpy(&copy, args, std::min(args->struct_size, sizeof(copy)));
  copy.struct_size = std::min(args->struct_size, sizeof(copy));
  copy.callback_data = future.callback_data;
  future.callback(&copy);
}

}  // namespace

RawFuture& RawFutures::Add() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<RawFuture> future;
  if (futures_.size() >= kKept && futures_.front()->was_called.load(std::memory_order_acquire)) {
    future = std::move(futures_.front());
    futures_.pop_front();
    future->was_called.store(false, std::memory_order_release);
  } else {
    future = std::make_unique<RawFuture>();
  }
  return *futures_.emplace_back(std::move(future));
}

void WrapRawFuture(CallState& state) {
  auto& args = state.As<PJRT_Buffer_CopyRawToHostFuture_Args>();
  if (args.future_ready_callback == nullptr) return;
  RawFuture& future = state.layer.raw_futures.Add();
  future.layer = &state.layer;
  future.callback = args.future_ready_callback;
  future.callback_data = args.callback_data;
  future.client = state.client;
  future.at = state.at;
  args.future_ready_callback = &OnRawFuture;
  args.callback_data = &future;
}

}  // namespace plinth::layers::validation
