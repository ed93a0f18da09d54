// SPDX-License-Identifier: Apache-2.0
// Bugs in how errors, donations and readiness go on: from a buffer to what reads it, is computed
// from it or stands for it, or after a call that failed. Written from the requirements, without
// looking at the cases.

#include <atomic>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

constexpr char kErrorInput[] = "PJRT-LoadedExecutable_Execute-error-input";
constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kCarries[] = "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries";
constexpr char kReady[] = "PJRT-Buffer_ReadyEvent-after";

// Takes the event over, and gives one that becomes ready with it; where it fails, `kFailure` says
// whether the new one is fine or stays as it is.
enum class Failure { kIsFine, kIsNotTold };
template <Failure kFailure>
PJRT_Event* Instead(PJRT_Event* event) {
  struct Pair {
    PJRT_Event* real;
    PJRT_Event* told;
  };
  auto* pair = new Pair{event, PendingEvent()};
  PJRT_Event* told = pair->told;
  auto on_ready = MakeArgs<PJRT_Event_OnReady_Args>();
  on_ready.event = event;
  on_ready.user_arg = pair;
  on_ready.callback = [](PJRT_Error* error, void* arg) {
    auto* own = static_cast<Pair*>(arg);
    if (error == nullptr || kFailure == Failure::kIsFine) {
      auto set = MakeArgs<PJRT_Event_Set_Args>();
      set.event = own->told;
      FreeError(Real().PJRT_Event_Set(&set));
    }
    FreeError(error);
    Drop(own->real);
    delete own;
  };
  FreeError(Real().PJRT_Event_OnReady(&on_ready));
  return told;
}

bool IsOfOne(const PJRT_LoadedExecutable_Execute_Args& a) {
  return a.num_devices == 1 && a.num_args != 0 && a.argument_lists != nullptr &&
         a.output_lists != nullptr;
}

std::span<PJRT_Buffer* const> ArgumentsOf(const PJRT_LoadedExecutable_Execute_Args& a) {
  if (!IsOfOne(a)) return {};
  return {a.argument_lists[0], a.num_args};
}

size_t NumFailed(const PJRT_LoadedExecutable_Execute_Args& a) {
  size_t count = 0;
  for (PJRT_Buffer* buffer : ArgumentsOf(a)) count += CarriesError(buffer) ? 1 : 0;
  return count;
}

void Exchange(PJRT_Buffer*& buffer, PJRT_Buffer* other) {
  if (other == nullptr) return;
  Destroy(buffer);
  buffer = other;
}

void GiveOtherErrors(const PJRT_LoadedExecutable_Execute_Args& a) {
  for (PJRT_Buffer*& output : OutputsOf(a))
    Exchange(output, Failed(output, LastClient(), PJRT_Error_Code_INTERNAL));
}

// What a mutant remembers of buffers or events until they are destroyed.
template <typename Handle>
std::set<Handle*>& Noted() {
  static auto* const noted = new std::set<Handle*>;
  return *noted;
}
template <typename Handle>
bool IsNoted(Handle* handle) {
  std::lock_guard<std::mutex> lock(Memory());
  return Noted<Handle>().contains(handle);
}
// Whether it was not noted yet.
template <typename Handle>
bool Note(Handle* handle) {
  std::lock_guard<std::mutex> lock(Memory());
  return Noted<Handle>().insert(handle).second;
}
void ForgetBuffers(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<PJRT_Buffer>().erase(a.buffer);
  });
}
void ForgetEvents(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<PJRT_Event>().erase(a.event);
  });
}

// Reads that nobody has waited for, by the event that tells their end.
struct Read {
  PJRT_Buffer* from;
  void* to;
  size_t size;
};
std::map<PJRT_Event*, Read>& Reads() {
  static auto* const reads = new std::map<PJRT_Event*, Read>;
  return *reads;
}
void EndRead(PJRT_Event* event) {
  std::lock_guard<std::mutex> lock(Memory());
  Reads().erase(event);
}

thread_local bool is_calling_back = false;

// Refuses every call of a slot after one that failed.
template <auto kSlot>
void FailAfterFailure(PJRT_Api& table) {
  Replace<kSlot>(table, [](auto* a) {
    static std::atomic<bool> failed = false;
    if (failed) return MakeError(PJRT_Error_Code_INTERNAL, "not usable");
    PJRT_Error* error = (Real().*kSlot)(a);
    if (error != nullptr) failed = true;
    return error;
  });
}

constexpr Mutant kOutcomeMutants[] = {
    {"late_error_of_read_lost", kCarries, "a read that began before its buffer failed succeeds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         const bool is_pending = IsPending(a->src);
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error == nullptr && is_pending && a->event != nullptr)
           a->event = Instead<Failure::kIsFine>(a->event);
         return error;
       });
     }},
    {"error_changes_on_its_way", kErrorInput,
     "the second execution that an error goes through makes another error of it",
     [](PJRT_Api& t) {
       RememberClient(t);
       ForgetBuffers(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (NumFailed(a) == 0) return;
         for (PJRT_Buffer* buffer : ArgumentsOf(a)) {
           if (IsNoted(buffer)) return GiveOtherErrors(a);
         }
         for (PJRT_Buffer* output : OutputsOf(a)) Note(output);
       });
     }},
    {"errors_of_two_arguments_lost", kErrorInput,
     "where two arguments carry errors the outputs carry another",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (NumFailed(a) > 1) GiveOtherErrors(a);
       });
     }},
    {"done_although_argument_failed", "PJRT-LoadedExecutable_Execute-asynchronous",
     "device_complete_events do not carry an error of an argument",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (IsOfOne(a) && a.device_complete_events != nullptr)
           a.device_complete_events[0] = Instead<Failure::kIsFine>(a.device_complete_events[0]);
       });
     }},
    {"copy_of_error_in_memory_is_fine", kCarries,
     "a copy in a memory of a buffer that carries an error carries none",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         if (CarriesError(a.buffer))
           Exchange(a.dst_buffer, Uninitialized(a.buffer, LastClient(), DeviceOf(a.buffer)));
       });
     }},
    {"alias_of_error_is_fine", "PJRT-Client_FulfillAliasBuffer-error",
     "an alias that stands for a buffer with an error carries none",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         if (CarriesError(a.buffer))
           a.buffer = Uninitialized(a.buffer, a.client, DeviceOf(a.buffer));
       });
     }},
    {"error_of_donated_lost", kErrorInput, "the error of a donated argument is lost",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         std::vector<bool> failed;
         for (PJRT_Buffer* buffer : ArgumentsOf(*a)) failed.push_back(CarriesError(buffer));
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) return error;
         for (size_t i = 0; i < failed.size(); ++i) {
           if (!failed[i] || !IsDeleted(a->argument_lists[0][i])) continue;
           for (PJRT_Buffer*& output : OutputsOf(*a))
             Exchange(output, Uninitialized(output, LastClient(), DeviceOf(output)));
         }
         return error;
       });
     }},
    {"text_ends_at_nul", "PJRT-Strings-size", "the text of an error ends at its first NUL",
     [](PJRT_Api& t) {
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a != nullptr && a->message != nullptr)
           a->message_size = strnlen(a->message, a->message_size);
       };
     }},
    {"second_event_is_fine", kCarries, "the second event of a buffer does not carry its error",
     [](PJRT_Api& t) {
       ForgetBuffers(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (!Note(a.buffer)) a.event = Instead<Failure::kIsFine>(a.event);
       });
     }},
    {"raw_read_of_error_is_fine", kCarries, "a raw read of a buffer with an error succeeds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) {
         const bool fails = CarriesError(a->buffer);
         PJRT_Error* error = Real().PJRT_Buffer_CopyRawToHost(a);
         if (!fails) return error;
         if (error == nullptr) Drop(a->event);
         FreeError(error);
         a->event = DoneEvent();
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"error_wakes_nobody", kCarries,
     "an event that was handed out before its buffer failed is never ready",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (IsPending(a.buffer)) a.event = Instead<Failure::kIsNotTold>(a.event);
       });
     }},
    {"donation_disturbs_read", "PJRT-Buffer_Delete-uses",
     "a read that nobody has waited for yet sees what a donation wrote",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a.dst != nullptr && a.event != nullptr) Reads()[a.event] = {a.src, a.dst, a.dst_size};
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Await>(t, [](auto& a) { EndRead(a.event); });
       ChangeInputs<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto& a) { EndRead(a.event); });
       ChangeInputs<&PJRT_Api::PJRT_Event_IsReady>(t, [](auto& a) { EndRead(a.event); });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { EndRead(a.event); });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (PJRT_Buffer* buffer : ArgumentsOf(a)) {
           if (!IsDeleted(buffer)) continue;
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [event, read] : Reads()) {
             if (read.from == buffer) std::memset(read.to, 0x5A, read.size);
           }
         }
       });
     }},
    {"two_donations_exchanged", "PJRT-LoadedExecutable_Execute-results",
     "where two arguments are donated the first two outputs are exchanged",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         size_t donated = 0;
         for (PJRT_Buffer* buffer : ArgumentsOf(a)) donated += IsDeleted(buffer) ? 1 : 0;
         auto outputs = OutputsOf(a);
         if (donated > 1 && outputs.size() > 1) std::swap(outputs[0], outputs[1]);
       });
     }},
    {"one_index_not_donated", "PJRT-LoadedExecutable_Execute-not-donated",
     "of several arguments that are not to be donated the first is not",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->struct_size < PJRT_ExecuteOptions_STRUCT_SIZE ||
             a->options->num_non_donatable_input_indices < 2)
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         options.num_non_donatable_input_indices = 1;
         return CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"deleted_argument_runs", "PJRT-LoadedExecutable_Execute-deleted",
     "a deleted argument is taken for one with other contents",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         auto arguments = ArgumentsOf(*a);
         std::vector<PJRT_Buffer*> list(arguments.begin(), arguments.end());
         std::vector<PJRT_Buffer*> made;
         for (PJRT_Buffer*& buffer : list) {
           if (buffer == nullptr || !IsDeleted(buffer)) continue;
           made.push_back(Uninitialized(buffer, LastClient(), DeviceOf(buffer)));
           if (made.back() != nullptr) buffer = made.back();
         }
         PJRT_Buffer* const* lists[] = {list.data()};
         if (made.empty()) return Real().PJRT_LoadedExecutable_Execute(a);
         PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.argument_lists = lists; });
         for (PJRT_Buffer* buffer : made) Destroy(buffer);
         return error;
       });
     }},
    {"deleted_has_no_dimensions", "PJRT-Args-output-same", "a deleted buffer has no dimensions",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         if (IsDeleted(a.buffer)) a.num_dims = 0;
       });
     }},
    {"awaited_is_not_ready", "PJRT-Event_IsReady-monotone",
     "an event that was awaited says that it is not ready",
     [](PJRT_Api& t) {
       ForgetEvents(t);
       ChangeOutputs<&PJRT_Api::PJRT_Event_Await>(t, [](auto& a) { Note(a.event); });
       ChangeOutputs<&PJRT_Api::PJRT_Event_IsReady>(t, [](auto& a) {
         if (IsNoted(a.event)) a.is_ready = false;
       });
     }},
    {"nothing_goes_on_alone", kReady,
     "results become ready when somebody waits for them, and never for who only asks",
     [](PJRT_Api& t) {
       ForgetEvents(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) { Note(a.event); });
       ChangeInputs<&PJRT_Api::PJRT_Event_Await>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event>().erase(a.event);
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event>().erase(a.event);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Event_IsReady>(t, [](auto& a) {
         if (IsNoted(a.event)) a.is_ready = false;
       });
     }},
    {"ready_event_goes_with_buffer", kReady,
     "an event of a buffer that is destroyed before it is ready never comes",
     [](PJRT_Api& t) {
       static std::map<PJRT_Buffer*, PJRT_Event*> waiting;
       Replace<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ReadyEvent(a);
         if (error != nullptr || !IsPending(a->buffer)) return error;
         PJRT_Event* real = a->event;
         a->event = PendingEvent();
         {
           std::lock_guard<std::mutex> lock(Memory());
           waiting[a->buffer] = a->event;
         }
         auto on_ready = MakeArgs<PJRT_Event_OnReady_Args>();
         on_ready.event = real;
         on_ready.user_arg = a->buffer;
         on_ready.callback = [](PJRT_Error* failure, void* arg) {
           FreeError(failure);
           std::lock_guard<std::mutex> lock(Memory());
           auto found = waiting.find(static_cast<PJRT_Buffer*>(arg));
           if (found == waiting.end()) return;
           auto set = MakeArgs<PJRT_Event_Set_Args>();
           set.event = found->second;
           FreeError(Real().PJRT_Event_Set(&set));
           waiting.erase(found);
         };
         FreeError(Real().PJRT_Event_OnReady(&on_ready));
         Drop(real);
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         waiting.erase(a.buffer);
       });
     }},
    {"callbacks_before_set_lost", "PJRT-Event_OnReady-once",
     "callbacks of an event of the caller's that is not set yet never run",
     [](PJRT_Api& t) {
       ForgetEvents(t);
       ChangeOutputs<&PJRT_Api::PJRT_Event_Create>(t, [](auto& a) { Note(a.event); });
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->callback != nullptr && IsNoted(a->event) && !IsReady(a->event)) return nullptr;
         return Real().PJRT_Event_OnReady(a);
       });
     }},
    {"no_waiting_in_callback", "PJRT-Event_OnReady-reentrant",
     "a callback may not wait, not even for what is ready",
     [](PJRT_Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         is_calling_back = true;
         callback(error, argument);
         is_calling_back = false;
       });
       Refuse<&PJRT_Api::PJRT_Event_Await, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](const auto&) { return is_calling_back; });
     }},
    {"destroy_waits", "PJRT-Args-accepted", "destroying a buffer that is not ready waits for it",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer == nullptr || !IsPending(a.buffer)) return;
         PJRT_Event* event = ReadyEventOf(a.buffer);
         Fails(event);
         Drop(event);
       });
     }},
    {"many_in_flight_refused", "PJRT-Args-accepted",
     "17 executions that wait for their arguments are one too many",
     [](PJRT_Api& t) {
       static std::set<PJRT_Event*> pending;
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_RESOURCE_EXHAUSTED>(
           t, [](const auto& a) {
             std::lock_guard<std::mutex> lock(Memory());
             std::erase_if(pending, [](PJRT_Event* event) {
               if (!IsReady(event)) return false;
               Drop(event);
               return true;
             });
             if (pending.size() >= 16) return true;
             for (PJRT_Buffer* buffer : ArgumentsOf(a)) {
               if (!IsPending(buffer)) continue;
               pending.insert(ReadyEventOf(buffer));
               break;
             }
             return false;
           });
     }},
    {"outputs_go_with_executable", "PJRT-LoadedExecutable_Execute-results",
     "what an executable that is destroyed was still to compute never comes",
     [](PJRT_Api& t) {
       static std::map<PJRT_Buffer*, PJRT_LoadedExecutable*> made;
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (!IsOfOne(a)) return;
         for (PJRT_Buffer* output : OutputsOf(a)) {
           std::lock_guard<std::mutex> lock(Memory());
           made[output] = a.executable;
         }
       });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [output, executable] : made) {
           if (executable == a.executable && IsPending(output)) Noted<PJRT_Buffer>().insert(output);
         }
         std::erase_if(made, [&](const auto& pair) { return pair.second == a.executable; });
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         made.erase(a.buffer);
         Noted<PJRT_Buffer>().erase(a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (!IsNoted(a.buffer)) return;
         Drop(a.event);
         a.event = PendingEvent();
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (!IsNoted(a.src) || a.event == nullptr) return;
         Drop(a.event);
         a.event = PendingEvent();
       });
     }},
    {"client_after_failure", kAccepted, "after a client that was refused no client can be made",
     [](PJRT_Api& t) { FailAfterFailure<&PJRT_Api::PJRT_Client_Create>(t); }},
    {"compile_after_failure", kAccepted, "after a program that was refused no program compiles",
     [](PJRT_Api& t) { FailAfterFailure<&PJRT_Api::PJRT_Client_Compile>(t); }},
    {"upload_after_failure", "PJRT-Client_BufferFromHostBuffer-type",
     "after an upload that was refused all are",
     [](PJRT_Api& t) { FailAfterFailure<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t); }},
    {"read_after_failure", kAccepted, "after a read that was refused all are",
     [](PJRT_Api& t) { FailAfterFailure<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t); }},
    {"load_after_failure", kAccepted, "after bytes that were refused all are",
     [](PJRT_Api& t) { FailAfterFailure<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t); }},
    {"piece_after_failure", kAccepted, "after a piece that was refused all are",
     [](PJRT_Api& t) {
       FailAfterFailure<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t);
     }},
    {"run_after_failure", kAccepted, "an executable that refused arguments refuses all",
     [](PJRT_Api& t) {
       ForgetExecutables<bool>(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (NoteOf<bool>(a->executable)) return MakeError(PJRT_Error_Code_INTERNAL, "not usable");
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) mutants::Note(a->executable, true);
         return error;
       });
     }},
    {"error_stays", "PJRT-LoadedExecutable_Execute-one-fails",
     "an execution after one with an argument that carries an error carries it",
     [](PJRT_Api& t) {
       RememberClient(t);
       ForgetExecutables<bool>(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         const bool failed = NoteOf<bool>(a.executable);
         bool fails = false;
         for (size_t i = 0; i < a.num_args; ++i) fails |= CarriesError(a.argument_lists[0][i]);
         mutants::Note(a.executable, fails);
         if (!failed) return;
         for (PJRT_Buffer*& output : OutputsOf(a)) {
           PJRT_Buffer* other = Failed(output, LastClient(), PJRT_Error_Code_INTERNAL);
           Destroy(output);
           output = other;
         }
       });
     }},
};

}  // namespace

std::span<const Mutant> OutcomeMutants() { return kOutcomeMutants; }

}  // namespace plinth::mutants
