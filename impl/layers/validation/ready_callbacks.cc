// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/ready_callbacks.h"

#include <memory>
#include <mutex>
#include <utility>

#include "impl/layers/validation/errors.h"
#include "plinth/support/str_cat.h"

namespace plinth::layers::validation {
namespace {

// What a registered callback stands for. Kept for the life of the process and used again, so that a
// second run of one that already ran is told by its turn instead of reading freed memory.
struct Registration {
  std::atomic<uint32_t> turn{0};  // moves on when it runs or is given back
  std::atomic<LayerState*> layer{nullptr};
  PJRT_Event_OnReadyCallback callback = nullptr;
  void* user_arg = nullptr;
  HandleRef event = {};
  HandleRef client = {};
  Origin at;
  uint32_t index = 0;
};

// All registrations of the process: a callback knows its own only by the number that it is given.
class Registrations {
 public:
  static Registrations& Get() {
    static Registrations* const all = new Registrations;
    return *all;
  }

  // Null when a million are waiting. Each thread keeps the last one that it gave back.
  Registration* Take() {
    if (kept_ != nullptr) return std::exchange(kept_, nullptr);
    std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty() && !AddBlock()) return nullptr;
    Registration* registration = free_.back();
    free_.pop_back();
    return registration;
  }

  void GiveBack(Registration* registration) {
    if (kept_ == nullptr) {
      kept_ = registration;
      return;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(registration);
  }

  Registration& At(uint32_t index) { return blocks_[index / kBlock][index % kBlock]; }

 private:
  static constexpr uint32_t kBlock = 1024;
  static constexpr uint32_t kMaxBlocks = 1024;

  bool AddBlock() {
    if (num_blocks_ == kMaxBlocks) return false;
    blocks_[num_blocks_] = std::make_unique<Registration[]>(kBlock);
    free_.reserve((num_blocks_ + 1) * kBlock);
    for (uint32_t i = kBlock; i > 0; --i) {
      Registration& registration = blocks_[num_blocks_][i - 1];
      registration.index = num_blocks_ * kBlock + i - 1;
      free_.push_back(&registration);
    }
    ++num_blocks_;
    return true;
  }

  static thread_local constinit Registration* kept_;  // lost when the thread ends

  std::mutex mutex_;
  std::vector<Registration*> free_;
  std::unique_ptr<Registration[]> blocks_[kMaxBlocks];
  uint32_t num_blocks_ = 0;
};

thread_local constinit Registration* Registrations::kept_ = nullptr;

void* TokenOf(const Registration& registration, uint32_t turn) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(turn) << 32 | registration.index);
}

void OnReady(PJRT_Error* error, void* token) {
  uintptr_t number = reinterpret_cast<uintptr_t>(token);
  Registration& registration = Registrations::Get().At(static_cast<uint32_t>(number));
  uint32_t turn = static_cast<uint32_t>(number >> 32);
  LayerState& layer = *registration.layer.load(std::memory_order_acquire);
  if (!registration.turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acq_rel)) {
    Origin now = {layer.num_calls.load(std::memory_order_relaxed),
                  reflection::function::kPJRT_Event_OnReady};
    layer.reporter.Report(Side::kPlugin, Require("PJRT-Event_OnReady-once"), now,
                          "a callback ran that had run before, or whose registration failed");
    return;
  }
  PJRT_Event_OnReadyCallback callback = registration.callback;
  void* user_arg = registration.user_arg;
  if (registration.event.IsCurrent()) registration.event.handle->Add(kReady);
  PJRT_Error* tracked = TrackError(layer, error, registration.at, registration.client);
  Registrations::Get().GiveBack(&registration);
  callback(tracked, user_arg);
}

}  // namespace

PJRT_Error* CallOnReady(CallState& state) {
  auto& args = state.As<PJRT_Event_OnReady_Args>();
  Registration* registration = args.callback == nullptr ? nullptr : Registrations::Get().Take();
  if (registration == nullptr) return state.call.Next();
  Sight event = state.First();
  registration->layer.store(&state.layer, std::memory_order_release);
  registration->callback = args.callback;
  registration->user_arg = args.user_arg;
  registration->event = event.ref();
  registration->client = state.client;
  registration->at = state.at;
  uint32_t turn = registration->turn.load(std::memory_order_acquire);
  PJRT_Event_OnReady_Args copy = args;
  copy.struct_size = std::min(state.size, sizeof(copy));
  copy.callback = &OnReady;
  copy.user_arg = TokenOf(*registration, turn);
  PJRT_Error* error = state.call.Below(state.call.id(), &copy);
  if (error != nullptr &&
      registration->turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acq_rel)) {
    Registrations::Get().GiveBack(registration);
  }
  return error;
}

}  // namespace plinth::layers::validation
