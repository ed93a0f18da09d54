// SPDX-License-Identifier: Apache-2.0
// Plugins without a bug, in which a suite that takes too much for granted fails.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "plinth/reflection/reflection.h"

namespace plinth::mutants {
namespace {

// Events that threads here still set: destroying one is left out.
class LateEvents {
 public:
  void Add(PJRT_Event* event) {
    std::lock_guard<std::mutex> lock(mutex_);
    events_.insert(event);
  }
  bool Has(PJRT_Event* event) {
    std::lock_guard<std::mutex> lock(mutex_);
    return events_.contains(event);
  }

 private:
  std::mutex mutex_;
  std::set<PJRT_Event*> events_;
};
LateEvents& Late() {
  static auto* events = new LateEvents;
  return *events;
}

// Ends the process: what the client did cannot be answered.
void Check(bool condition) {
  if (!condition) abort();
}

// Sets `late` as `event` is set, and destroys that.
void Follow(PJRT_Event* event, PJRT_Event* late) {
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = event;
  PJRT_Error* error = Real().PJRT_Event_Await(&await);
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = late;
  auto message = MakeArgs<PJRT_Error_Message_Args>();
  if (error != nullptr) {
    auto code = MakeArgs<PJRT_Error_GetCode_Args>();
    code.error = message.error = error;
    (void)Real().PJRT_Error_GetCode(&code);
    Real().PJRT_Error_Message(&message);
    set.error_code = code.code;
    set.error_message = message.message;
    set.error_message_size = message.message_size;
  }
  (void)Real().PJRT_Event_Set(&set);
  auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
  destroy.event = event;
  (void)Real().PJRT_Event_Destroy(&destroy);
}

// Fills in `dst` half a millisecond late, which is the caller's to keep until the event says so:
// what it holds must not change before.
PJRT_Error* CopyLate(PJRT_Buffer_ToHostBuffer_Args* a) {
  if (a->dst == nullptr) return Real().PJRT_Buffer_ToHostBuffer(a);
  auto before = std::make_shared<std::string>(static_cast<const char*>(a->dst), a->dst_size);
  // What lies behind the contents stays.
  auto copied = std::make_shared<std::string>(*before + '\0');
  PJRT_Buffer_ToHostBuffer_Args late_args = *a;
  late_args.dst = copied->data();
  if (PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(&late_args)) return error;
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (PJRT_Error* error = Real().PJRT_Event_Create(&create)) return error;
  a->event = create.event;
  Late().Add(create.event);
  std::thread([=, dst = a->dst, event = late_args.event, late = create.event] {
    auto await = MakeArgs<PJRT_Event_Await_Args>();
    await.event = event;
    PJRT_Error* error = Real().PJRT_Event_Await(&await);
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    if (error == nullptr) {
      Check(std::memcmp(dst, before->data(), before->size()) == 0);
      std::memcpy(dst, copied->data(), before->size());
    } else {
      auto destroy = MakeArgs<PJRT_Error_Destroy_Args>();
      destroy.error = error;
      Real().PJRT_Error_Destroy(&destroy);
    }
    Follow(event, late);
  }).detach();
  return nullptr;
}

// Uploads that may use the host's memory, whose end is told when the array has gone.
class Borrowers {
 public:
  // Gives out an event in place of that of the plugin behind.
  PJRT_Event* Add(PJRT_Buffer* buffer, PJRT_Event* done) {
    std::lock_guard<std::mutex> lock(mutex_);
    PJRT_Event* told = PendingEvent();
    done_[buffer] = {done, told};
    untold_[told] = false;
    return told;
  }
  void GiveBack(PJRT_Buffer* buffer) {
    std::unique_lock<std::mutex> lock(mutex_);
    auto found = done_.find(buffer);
    if (found == done_.end()) return;
    auto [done, told] = found->second;
    done_.erase(found);
    lock.unlock();
    auto args = MakeArgs<PJRT_Event_OnReady_Args>();
    args.event = done;
    args.user_arg = told;
    args.callback = [](PJRT_Error* error, void* event) {
      if (error != nullptr) FreeError(error);
      Instance().Tell(static_cast<PJRT_Event*>(event));
    };
    Quiet<&PJRT_Api::PJRT_Event_OnReady>(args);
    Drop(done);
  }
  // Whether the event is still to be told; it is destroyed after that.
  bool DropLater(PJRT_Event* event) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = untold_.find(event);
    return found != untold_.end() && (found->second = true);
  }
  static Borrowers& Instance() {
    static auto* borrowers = new Borrowers;
    return *borrowers;
  }

 private:
  void Tell(PJRT_Event* event) {
    auto set = MakeArgs<PJRT_Event_Set_Args>();
    set.event = event;
    Quiet<&PJRT_Api::PJRT_Event_Set>(set);
    std::unique_lock<std::mutex> lock(mutex_);
    const bool is_dropped = untold_.extract(event).mapped();
    lock.unlock();
    if (is_dropped) Drop(event);
  }

  std::mutex mutex_;
  std::map<PJRT_Buffer*, std::pair<PJRT_Event*, PJRT_Event*>> done_;  // of the plugin, told
  std::map<PJRT_Event*, bool> untold_;  // whether the caller destroyed it
};

// Events that are told a little after they happened, on another thread, the newest first.
class EventsInAnyOrder {
 public:
  // Takes the event, and gives another that follows it. One that has happened with an error stays:
  // some have to fail at once.
  void Delay(PJRT_Event*& event) {
    if (event == nullptr || HasFailed(event)) return;
    auto create = MakeArgs<PJRT_Event_Create_Args>();
    if (PJRT_Error* error = Real().PJRT_Event_Create(&create)) return FreeError(error);
    std::lock_guard<std::mutex> lock(mutex_);
    if (!is_running_) std::thread([this] { Run(); }).detach();
    is_running_ = true;
    waiting_.push_back({event, create.event});
    own_.insert(create.event);
    event = create.event;
  }

  bool IsOwn(PJRT_Event* event) {
    std::lock_guard<std::mutex> lock(mutex_);
    return own_.contains(event);
  }

  PJRT_Error* Destroy(PJRT_Event_Destroy_Args* a) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      own_.erase(a->event);
      for (Pair& pair : waiting_) {
        if (pair.told != a->event) continue;
        pair.is_destroyed = true;  // once it is told
        return nullptr;
      }
    }
    return Real().PJRT_Event_Destroy(a);
  }

 private:
  struct Pair {
    PJRT_Event* real;
    PJRT_Event* told;
    bool is_being_told = false;
    bool is_destroyed = false;
  };

  static bool IsReady(PJRT_Event* event) {
    auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
    ready.event = event;
    FreeError(Real().PJRT_Event_IsReady(&ready));
    return ready.is_ready;
  }

  static bool HasFailed(PJRT_Event* event) {
    if (!IsReady(event)) return false;
    auto get = MakeArgs<PJRT_Event_Error_Args>();
    get.event = event;
    PJRT_Error* error = Real().PJRT_Event_Error(&get);
    FreeError(error);
    return error != nullptr;
  }

  void Run() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      std::lock_guard<std::mutex> lock(mutex_);
      for (auto pair = waiting_.rbegin(); pair != waiting_.rend(); ++pair) {
        if (pair->is_being_told || !IsReady(pair->real)) continue;
        pair->is_being_told = true;
        // Callbacks may wait for other events.
        std::thread([this, real = pair->real, told = pair->told] { Tell(real, told); }).detach();
      }
    }
  }

  void Tell(PJRT_Event* real, PJRT_Event* told) {
    Follow(real, told);
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = std::find_if(waiting_.begin(), waiting_.end(),
                              [&](const Pair& pair) { return pair.told == told; });
    bool is_destroyed = found->is_destroyed;
    waiting_.erase(found);
    if (!is_destroyed) return;
    auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
    destroy.event = told;
    FreeError(Real().PJRT_Event_Destroy(&destroy));
  }

  std::mutex mutex_;
  std::vector<Pair> waiting_;
  std::set<PJRT_Event*> own_;  // which nobody else may set
  bool is_running_ = false;
};
EventsInAnyOrder& AnyOrder() {
  static auto* const events = new EventsInAnyOrder;
  return *events;
}

// Replaces a function whose answer has an event.
template <auto kSlot, auto kEvent>
void TellLater(PJRT_Api& table) {
  Replace<kSlot>(table, [](auto* a) {
    PJRT_Error* error = (Real().*kSlot)(a);
    if (error == nullptr) AnyOrder().Delay(a->*kEvent);
    return error;
  });
}

PJRT_Buffer_Type TypeOf(PJRT_Buffer* buffer) {
  auto type = MakeArgs<PJRT_Buffer_ElementType_Args>();
  type.buffer = buffer;
  return Real().PJRT_Buffer_ElementType(&type) == nullptr ? type.type : PJRT_Buffer_Type_INVALID;
}

// Changes bits of what comes back that say nothing: what two or four bits leave of a byte. Small
// arrays are there when the call returns.
PJRT_Error* CopyOtherBits(PJRT_Buffer_ToHostBuffer_Args* a) {
  PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
  if (error != nullptr || a->dst == nullptr) return error;
  unsigned char unused = 0;
  switch (TypeOf(a->src)) {
    case PJRT_Buffer_Type_S4:
    case PJRT_Buffer_Type_U4:
      unused = 0xF0;
      break;
    case PJRT_Buffer_Type_S2:
    case PJRT_Buffer_Type_U2:
      unused = 0xFC;
      break;
    default:
      return nullptr;
  }
  // One byte for each element, and nothing between them; what is not there yet stays as it comes.
  if (a->host_layout != nullptr && a->host_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides)
    return nullptr;
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = a->src;
  if (!IsReady(a->event) || Real().PJRT_Buffer_Dimensions(&dims) != nullptr) return nullptr;
  int64_t count = 1;
  for (size_t i = 0; i < dims.num_dims; ++i) count *= dims.dims[i];
  auto* bytes = static_cast<unsigned char*>(a->dst);
  for (int64_t i = 0; i < count && i < static_cast<int64_t>(a->dst_size); ++i) bytes[i] ^= unused;
  return nullptr;
}

// In every second array of floats that comes back the last place of the first differs, as if it
// were the result of a function.
PJRT_Error* CopyOtherRounding(PJRT_Buffer_ToHostBuffer_Args* a) {
  PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
  if (error != nullptr || a->dst == nullptr || a->dst_size == 0) return error;
  static std::atomic<int> count = 0;
  if (TypeOf(a->src) == PJRT_Buffer_Type_F32 && count.fetch_add(1) % 2 == 1)
    static_cast<unsigned char*>(a->dst)[0] ^= 1;
  return nullptr;
}

// Callbacks handed out that were not called yet.
std::atomic<int> num_duties = 0;

// A callback of the plugin behind, counted until it is called.
template <typename Args, typename Callback>
struct Duty {
  void* data;
  void (*callback)(Callback*);

  static void Done(Callback* args) {
    --num_duties;
    auto* duty = static_cast<Duty*>(args->callback_data);
    args->callback_data = duty->data;
    duty->callback(args);
    delete duty;
  }
  static void Add(Args& args, void (*Args::*field)(Callback*)) {
    ++num_duties;
    args.callback_data = new Duty{args.callback_data, args.*field};
    args.*field = &Done;
  }
};

PJRT_Error* NotImplemented(void*) { return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "not here"); }

// Puts a function that answers UNIMPLEMENTED into the slot.
void TakeAway(PJRT_Api& table, const reflection::Function& function) {
  auto* none = &NotImplemented;
  std::memcpy(reinterpret_cast<char*>(&table) + function.offset, &none, sizeof(none));
}

// Runs a callback a little later, on another thread.
struct LateCallback {
  PJRT_Event_OnReadyCallback callback;
  void* arg;
  static void Run(PJRT_Error* error, void* arg) {
    std::thread([error, arg] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::unique_ptr<LateCallback> late(static_cast<LateCallback*>(arg));
      late->callback(error, late->arg);
    }).detach();
  }
};

bool IsRowMajor(const PJRT_Buffer_MemoryLayout* layout) {
  if (layout == nullptr) return true;
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled) return false;
  for (size_t i = 0; i < layout->tiled.minor_to_major_size; ++i) {
    if (layout->tiled.minor_to_major[i] !=
        static_cast<int64_t>(layout->tiled.minor_to_major_size - 1 - i))
      return false;
  }
  return true;
}

// As plugins that keep properties in hash tables: each executable has an order of its own.
std::map<PJRT_Executable*, std::vector<PJRT_NamedValue>>& Properties() {
  static auto* const properties = new std::map<PJRT_Executable*, std::vector<PJRT_NamedValue>>;
  return *properties;
}
void TellInAnyOrder(PJRT_Executable_GetCostAnalysis_Args& args) {
  static size_t executables = 0;
  std::lock_guard<std::mutex> lock(Memory());
  auto [found, is_new] = Properties().try_emplace(args.executable);
  std::vector<PJRT_NamedValue>& values = found->second;
  if (is_new && args.num_properties > 0) {
    values.assign(args.properties, args.properties + args.num_properties);
    const auto first = static_cast<ptrdiff_t>(executables++ % values.size());
    std::rotate(values.begin(), values.begin() + first, values.end());
  }
  args.properties = values.data();
}

constexpr Mutant kCorrect[] = {
    {"no_optional", "", "nothing: what a plugin may do without is UNIMPLEMENTED",
     [](PJRT_Api& t) {
       for (const reflection::Function& function : reflection::Functions()) {
         std::string_view name = function.name.view();
         bool is_needed = name.ends_with("_Destroy") || name == "PJRT_Error_ForEachPayload";
         if (function.table < 0 && function.absent == reflection::Absent::kStub && !is_needed)
           TakeAway(t, function);
       }
     }},
    {"no_extensions", "", "nothing: there is no extension",
     [](PJRT_Api& t) { t.extension_start = nullptr; }},
    {"late_callbacks", "", "nothing: callbacks come a little later, on other threads",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         if (a->callback == nullptr) return Real().PJRT_Event_OnReady(a);
         auto own = *a;
         auto* late = new LateCallback{a->callback, a->user_arg};
         own.callback = LateCallback::Run;
         own.user_arg = late;
         PJRT_Error* error = Real().PJRT_Event_OnReady(&own);
         if (error != nullptr) delete late;
         return error;
       });
     }},
    {"any_order", "",
     "nothing: events are told later, on another thread, the newest first; costs in any order",
     [](PJRT_Api& t) {
       TellLater<&PJRT_Api::PJRT_Buffer_ReadyEvent, &PJRT_Buffer_ReadyEvent_Args::event>(t);
       TellLater<&PJRT_Api::PJRT_Buffer_ToHostBuffer, &PJRT_Buffer_ToHostBuffer_Args::event>(t);
       TellLater<&PJRT_Api::PJRT_Buffer_CopyRawToHost, &PJRT_Buffer_CopyRawToHost_Args::event>(t);
       TellLater<&PJRT_Api::PJRT_Client_BufferFromHostBuffer,
                 &PJRT_Client_BufferFromHostBuffer_Args::done_with_host_buffer>(t);
       TellLater<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData,
                 &PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::done_with_h2d_transfer>(
           t);
       TellLater<
           &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral,
           &PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::done_with_h2d_transfer>(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || a->device_complete_events == nullptr) return error;
         for (size_t i = 0; i < a->num_devices; ++i) AnyOrder().Delay(a->device_complete_events[i]);
         return error;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(
           t, [](auto& a) { TellInAnyOrder(a); });
       Replace<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           Properties().erase(a->executable);
         }
         return Real().PJRT_Executable_Destroy(a);
       });
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) { return AnyOrder().Destroy(a); });
       Replace<&PJRT_Api::PJRT_Event_Set>(t, [](auto* a) {
         if (AnyOrder().IsOwn(a->event))
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "it is the plugin's to set");
         return Real().PJRT_Event_Set(a);
       });
     }},
    {"column_major", "", "nothing: what is uploaded without a layout gets that of Fortran",
     [](PJRT_Api& t) {
       t.extension_start = nullptr;  // its default layout would be another
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->device_layout != nullptr || a->num_dims < 2)
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         std::vector<int64_t> order(a->num_dims);
         std::iota(order.begin(), order.end(), 0);
         PJRT_Buffer_MemoryLayout layout = LayoutOf(order);
         auto own = *a;
         own.device_layout = &layout;
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(&own);
         if (error != nullptr) return error;
         a->buffer = own.buffer;
         a->done_with_host_buffer = own.done_with_host_buffer;
         return error;
       });
     }},
    {"more_extensions", "", "nothing: there are extensions that few plugins have",
     [](PJRT_Api& t) { AddRareExtensions(t); }},
    {"not_on_cpu", "", "nothing: device memory is no host memory",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_IsOnCpu>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_IsOnCpu(a);
         if (error == nullptr) a->is_on_cpu = false;
         return error;
       });
       TakeAway(t, reflection::Get(reflection::function::kPJRT_Buffer_UnsafePointer));
     }},
    {"no_statistics", "", "nothing: memory is not counted",
     [](PJRT_Api& t) {
       TakeAway(t, reflection::Get(reflection::function::kPJRT_Device_MemoryStats));
     }},
    {"copies_always", "", "nothing: host memory is never used without a copy",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         auto own = *a;
         if (own.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
             own.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy)
           own.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(&own);
         if (error != nullptr) return error;
         a->buffer = own.buffer;
         a->done_with_host_buffer = own.done_with_host_buffer;
         return error;
       });
     }},
    {"borrows_always", "",
     "nothing: host memory that may be used is used, in every layout, while the array is there",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error != nullptr ||
             (a->host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy &&
              a->host_buffer_semantics != PJRT_HostBufferSemantics_kMutableZeroCopy))
           return error;
         a->done_with_host_buffer = Borrowers::Instance().Add(a->buffer, a->done_with_host_buffer);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Delete(a);
         if (error == nullptr) Borrowers::Instance().GiveBack(a->buffer);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Destroy(a);
         if (error == nullptr) Borrowers::Instance().GiveBack(a->buffer);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) -> PJRT_Error* {
         if (Borrowers::Instance().DropLater(a->event)) return nullptr;
         return Real().PJRT_Event_Destroy(a);
       });
     }},
    {"refuses_layouts", "", "nothing: layouts other than the usual are refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->device_layout != nullptr)
           return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "no layouts");
         return Real().PJRT_Client_BufferFromHostBuffer(a);
       });
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         if (!IsRowMajor(a->host_layout))
           return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "no layouts");
         return Real().PJRT_Buffer_ToHostBuffer(a);
       });
     }},
    {"no_serialization", "", "nothing: executables are not written",
     [](PJRT_Api& t) {
       TakeAway(t, reflection::Get(reflection::function::kPJRT_Executable_Serialize));
       TakeAway(t, reflection::Get(reflection::function::kPJRT_Executable_DeserializeAndLoad));
       TakeAway(t, reflection::Get(reflection::function::kPJRT_Executable_GetCompileOptions));
     }},
    {"padded_sizes", "", "nothing: buffers take whole pages",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_OnDeviceSizeInBytes>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_OnDeviceSizeInBytes(a);
         if (error == nullptr)
           a->on_device_size_in_bytes = (a->on_device_size_in_bytes + 4095) / 4096 * 4096;
         return error;
       });
     }},
    {"older", "", "nothing: the table is of 0.90",
     [](PJRT_Api& t) {
       t.pjrt_api_version.minor_version = 90;
       t.struct_size = 40 + 8 * 128;
     }},
    {"one_device", "", "nothing: there is one device", [](PJRT_Api&) {}},
    {"eight_devices", "", "nothing: there are eight devices", [](PJRT_Api&) {}},
    {"artifacts", "", "nothing: programs come as artifacts", [](PJRT_Api&) {}},
    {"slow_copies", "", "nothing: copies to the host take their time",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) { return CopyLate(a); });
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) -> PJRT_Error* {
         return Late().Has(a->event) ? nullptr : Real().PJRT_Event_Destroy(a);
       });
     }},
    {"other_bits", "", "nothing: bits that say nothing differ",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) { return CopyOtherBits(a); });
     }},
    {"other_rounding", "", "nothing: what functions compute is rounded otherwise",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t,
                                                    [](auto* a) { return CopyOtherRounding(a); });
     }},
    {"slow_clients", "", "nothing: clients take their time",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Create>(t, [](auto* a) {
         std::this_thread::sleep_for(std::chrono::seconds(5));
         return Real().PJRT_Client_Create(a);
       });
     }},
    {"needs_option", "", "nothing: there is no client without its option",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Create>(t, [](auto* a) {
         for (size_t i = 0; i < a->num_options; ++i) {
           const PJRT_NamedValue& option = a->create_options[i];
           if (std::string_view(option.name, option.name_size) == "num_devices") {
             return Real().PJRT_Client_Create(a);
           }
         }
         return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "num_devices is needed");
       });
     }},
    {"counts_duties", "", "nothing: what a client owes has to be done before it goes",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto* a) {
         using Args = PJRT_Buffer_CopyRawToHostFuture_Args;
         PJRT_Error* error = Real().PJRT_Buffer_CopyRawToHostFuture(a);
         if (error == nullptr) {
           Duty<Args, PJRT_Buffer_CopyRawToHostFuture_Callback_Args>::Add(
               *a, &Args::future_ready_callback);
         }
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto* a) {
         using Args = PJRT_Buffer_DonateWithControlDependency_Args;
         PJRT_Error* error = Real().PJRT_Buffer_DonateWithControlDependency(a);
         if (error == nullptr) {
           Duty<Args, PJRT_Buffer_DonateWithControlDependency_Callback_Args>::Add(
               *a, &Args::dependency_ready_callback);
         }
         return error;
       });
       Replace<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_CreateAliasBuffer(a);
         if (error == nullptr) ++num_duties;
         return error;
       });
       Replace<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_FulfillAliasBuffer(a);
         if (error == nullptr) --num_duties;
         return error;
       });
       Replace<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto* a) {
         Check(num_duties == 0);
         return Real().PJRT_Client_Destroy(a);
       });
     }},
};

}  // namespace

std::span<const Mutant> CorrectPlugins() { return kCorrect; }

}  // namespace plinth::mutants
