// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_RAW_FUTURES_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_RAW_FUTURES_H_

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "impl/layers/validation/handle_table.h"
#include "plinth/support/args.h"

namespace plinth::layers::validation {

struct LayerState;
struct CallState;

// What PJRT_Buffer_CopyRawToHostFuture handed out: a callback of ours in front of the plugin's, to
// see whether the client calls it, and once.
struct RawFuture {
  LayerState* layer = nullptr;
  void (*callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*) = nullptr;  // the plugin's
  void* callback_data = nullptr;
  HandleRef client = {};
  Origin at;
  std::atomic<bool> was_called{false};
};

// All of one layer. Those that were called are kept, so that a second call is told instead of
// reading freed memory; only the oldest of many are used again. Any thread.
class RawFutures {
 public:
  RawFuture& Add();
  // Calls `visit` with those of the client that were never called.
  template <typename Visit>
  void ForEachUncalled(HandleRef client, Visit visit) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const std::unique_ptr<RawFuture>& future : futures_) {
      bool is_clients =
          future->client.handle == client.handle && future->client.generation == client.generation;
      if (is_clients && !future->was_called.load(std::memory_order_acquire)) visit(*future);
    }
  }

 private:
  static constexpr size_t kKept = 4096;
  std::mutex mutex_;
  std::deque<std::unique_ptr<RawFuture>> futures_;
};

// After success of PJRT_Buffer_CopyRawToHostFuture.
void WrapRawFuture(CallState& state);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_RAW_FUTURES_H_
