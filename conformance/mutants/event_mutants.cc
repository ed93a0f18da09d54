// SPDX-License-Identifier: Apache-2.0
// Bugs in events and their callbacks.

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

// What an event was used for before, by address; forgotten when it is destroyed.
class Seen {
 public:
  // Whether the event was not there yet.
  bool Add(PJRT_Event* event) {
    std::lock_guard lock(mutex_);
    return events_.insert(event).second;
  }
  void Forget(PJRT_Event* event) {
    std::lock_guard lock(mutex_);
    events_.erase(event);
  }

 private:
  std::mutex mutex_;
  std::set<PJRT_Event*> events_;
};

Seen& SeenEvents() {
  static Seen* const seen = new Seen;
  return *seen;
}

void ForgetDestroyedEvents(PJRT_Api& table) {
  Replace<&PJRT_Api::PJRT_Event_Destroy>(table, [](auto* a) {
    SeenEvents().Forget(a->event);
    return Real().PJRT_Event_Destroy(a);
  });
}

// What was registered, to be called by a function of the mutant.
struct Registered {
  PJRT_Event_OnReadyCallback callback;
  void* user_arg;
};

// Registers `instead` with a Registered* in place of the caller's callback.
PJRT_Error* OnReadyInstead(PJRT_Event_OnReady_Args* args, PJRT_Event_OnReadyCallback instead) {
  if (args->callback == nullptr) return Real().PJRT_Event_OnReady(args);
  auto own = *args;
  auto* registered = new Registered{args->callback, args->user_arg};
  own.callback = instead;
  own.user_arg = registered;
  PJRT_Error* error = Real().PJRT_Event_OnReady(&own);
  if (error != nullptr) delete registered;
  return error;
}

std::mutex& CallbackLock() {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}

constexpr Mutant kEventMutants[] = {
    {"callback_twice", "PJRT-Event_OnReady-once", "callbacks run twice",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         return OnReadyInstead(a, [](PJRT_Error* error, void* arg) {
           Registered registered = *static_cast<Registered*>(arg);
           delete static_cast<Registered*>(arg);
           registered.callback(error, registered.user_arg);
           registered.callback(nullptr, registered.user_arg);
         });
       });
     }},
    {"callback_never", "PJRT-Event_OnReady-once", "callbacks are accepted and never run",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         return a->event == nullptr || a->callback == nullptr ? Real().PJRT_Event_OnReady(a)
                                                              : nullptr;
       });
     }},
    {"callback_too_early", "PJRT-Event_OnReady-once", "callbacks run at once, ready or not",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event == nullptr || a->callback == nullptr) return Real().PJRT_Event_OnReady(a);
         a->callback(nullptr, a->user_arg);
         return nullptr;
       });
     }},
    {"callback_under_lock", "PJRT-Event_OnReady-reentrant",
     "callbacks run under a lock that destroying an event takes, too",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         return OnReadyInstead(a, [](PJRT_Error* error, void* arg) {
           Registered registered = *static_cast<Registered*>(arg);
           delete static_cast<Registered*>(arg);
           std::lock_guard lock(CallbackLock());
           registered.callback(error, registered.user_arg);
         });
       });
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) {
         std::lock_guard lock(CallbackLock());
         return Real().PJRT_Event_Destroy(a);
       });
     }},
    {"callback_lost_on_destroy", "PJRT-Event_OnReady-once",
     "destroying a pending event cancels its callbacks",
     [](PJRT_Api& t) {
       static std::set<PJRT_Event*>* const gone = new std::set<PJRT_Event*>;
       struct Pending {
         Registered registered;
         PJRT_Event* event;
       };
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         if (a->callback == nullptr || a->event == nullptr) return Real().PJRT_Event_OnReady(a);
         auto own = *a;
         auto* pending = new Pending{{a->callback, a->user_arg}, a->event};
         own.user_arg = pending;
         own.callback = [](PJRT_Error* error, void* arg) {
           Pending copy = *static_cast<Pending*>(arg);
           delete static_cast<Pending*>(arg);
           bool is_gone;
           {
             std::lock_guard lock(CallbackLock());
             is_gone = gone->erase(copy.event) != 0;
           }
           if (is_gone) return FreeError(error);
           copy.registered.callback(error, copy.registered.user_arg);
         };
         PJRT_Error* error = Real().PJRT_Event_OnReady(&own);
         if (error != nullptr) delete pending;
         return error;
       });
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) {
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = a->event;
         if (a->event != nullptr && Real().PJRT_Event_IsReady(&ready) == nullptr &&
             !ready.is_ready) {
           std::lock_guard lock(CallbackLock());
           gone->insert(a->event);
         }
         return Real().PJRT_Event_Destroy(a);
       });
     }},
    {"callback_error_lost", "PJRT-Event_OnReady-owns-error",
     "callbacks of failed events get no error",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         return OnReadyInstead(a, [](PJRT_Error* error, void* arg) {
           Registered registered = *static_cast<Registered*>(arg);
           delete static_cast<Registered*>(arg);
           FreeError(error);
           registered.callback(nullptr, registered.user_arg);
         });
       });
     }},
    {"event_error_lost", "PJRT-Event_Error-independent", "a failed event says that all is well",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Error>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Event_Error(a);
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = a->event;
         if (a->event == nullptr || Real().PJRT_Event_IsReady(&ready) != nullptr ||
             !ready.is_ready) {
           return error;
         }
         FreeError(error);
         return nullptr;
       });
     }},
    {"event_error_once", "PJRT-Event_Error-independent",
     "the error of an event can be asked for once",
     [](PJRT_Api& t) {
       ForgetDestroyedEvents(t);
       Replace<&PJRT_Api::PJRT_Event_Error>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Event_Error(a);
         if (error == nullptr || a->event == nullptr || SeenEvents().Add(a->event)) return error;
         FreeError(error);
         return nullptr;
       });
     }},
    {"await_once", "PJRT-Event_Await-twice", "an event can be awaited once",
     [](PJRT_Api& t) {
       ForgetDestroyedEvents(t);
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) {
         if (a->event == nullptr || SeenEvents().Add(a->event)) return Real().PJRT_Event_Await(a);
         return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "was awaited");
       });
     }},
    {"await_error_lost", "PJRT-Event_Await-independent",
     "awaiting a failed event succeeds the second time",
     [](PJRT_Api& t) {
       ForgetDestroyedEvents(t);
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (error == nullptr || a->event == nullptr || SeenEvents().Add(a->event)) return error;
         FreeError(error);
         return nullptr;
       });
     }},
    {"is_ready_flips", "PJRT-Event_IsReady-monotone", "a ready event is not ready any more",
     [](PJRT_Api& t) {
       ForgetDestroyedEvents(t);
       ChangeOutputs<&PJRT_Api::PJRT_Event_IsReady>(t, [](auto& a) {
         if (a.is_ready) a.is_ready = SeenEvents().Add(a.event);
       });
     }},
    {"is_ready_blocks", "PJRT-Event_IsReady-nonblocking",
     "asking whether an event is ready waits for it",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_IsReady>(t, [](auto* a) {
         auto await = MakeArgs<PJRT_Event_Await_Args>();
         await.event = a->event;
         if (a->event != nullptr) FreeError(Real().PJRT_Event_Await(&await));
         return Real().PJRT_Event_IsReady(a);
       });
     }},
    {"event_set_twice", "PJRT-Event_Set-once", "an event may be set again",
     [](PJRT_Api& t) {
       ForgetDestroyedEvents(t);
       Replace<&PJRT_Api::PJRT_Event_Set>(t, [](auto* a) -> PJRT_Error* {
         if (a->event == nullptr) return Real().PJRT_Event_Set(a);
         PJRT_Error* error = Real().PJRT_Event_Set(a);
         if (error == nullptr) return SeenEvents().Add(a->event), nullptr;
         if (SeenEvents().Add(a->event)) return SeenEvents().Forget(a->event), error;
         FreeError(error);
         return nullptr;
       });
     }},
    {"event_destroy_null", "PJRT-Event_Destroy-null", "destroying a null event is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) {
         if (a->event != nullptr) return Real().PJRT_Event_Destroy(a);
         return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "event is null");
       });
     }},
};

}  // namespace

std::span<const Mutant> EventMutants() { return kEventMutants; }

}  // namespace plinth::mutants
