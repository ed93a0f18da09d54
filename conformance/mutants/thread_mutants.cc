// SPDX-License-Identifier: Apache-2.0
// Bugs that show when several threads call, or one hands over to another. Written from the
// requirements, without looking at the cases.

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

// Counts what calls it at a time.
class InFlight {
 public:
  explicit InFlight(std::atomic<int>& count) : count_(count), is_alone_(++count == 1) {}
  ~InFlight() { --count_; }
  bool is_alone() const { return is_alone_; }

 private:
  std::atomic<int>& count_;
  bool is_alone_;
};

constexpr Mutant kThreadMutants[] = {
    {"two_compilations_are_one", "PJRT-Threads-any",
     "of two programs that are compiled at a time both are the first",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         static std::atomic<int> count = 0;
         static auto* const current = new std::string;
         InFlight call(count);
         if (!HasText(*a)) return Real().PJRT_Client_Compile(a);
         std::string code(a->program->code, a->program->code_size);
         const std::string own_type = Between(code, "@main", "{");
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (!call.is_alone() && Between(*current, "@main", "{") == own_type) {
             code = *current;
           } else {
             *current = code;
           }
         }
         std::this_thread::yield();
         auto program = *a->program;
         program.code = code.data();
         program.code_size = code.size();
         return CallChanged<&PJRT_Api::PJRT_Client_Compile>(
             a, [&](auto& own) { own.program = &program; });
       });
     }},
    {"two_runs_are_one", "PJRT-Threads-any",
     "of two executions of an executable at a time one has no results",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         static std::atomic<int> count = 0;
         InFlight call(count);
         std::this_thread::yield();
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr && !call.is_alone()) {
           for (PJRT_Buffer* output : OutputsOf(*a)) Clear(output);
         }
         return error;
       });
     }},
    {"two_uploads_are_one", "PJRT-Threads-any",
     "of two uploads of one size at a time both have the bytes of one",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         static char staging[4096];
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error != nullptr || IsPending(a->buffer) || SizeOf(a->buffer) > sizeof(staging) ||
             SizeOf(a->buffer) == 0)
           return error;
         char* bytes = BytesOf(a->buffer);
         if (bytes == nullptr || bytes == a->data) return error;
         std::memcpy(staging, bytes, SizeOf(a->buffer));
         std::this_thread::yield();
         std::memcpy(bytes, staging, SizeOf(a->buffer));
         return error;
       });
     }},
    {"text_of_thread", "PJRT-Threads-any",
     "the text of an error is there on the thread that waited for it alone",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (error != nullptr) Note(error, std::this_thread::get_id());
         return error;
       });
       t.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args* a) {
         if (a != nullptr) {
           std::lock_guard<std::mutex> lock(Memory());
           Noted<PJRT_Error, std::thread::id>().erase(a->error);
         }
         Real().PJRT_Error_Destroy(a);
       };
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a == nullptr || a->error == nullptr) return;
         auto thread = NoteOf<std::thread::id>(const_cast<PJRT_Error*>(a->error));
         if (thread != std::thread::id() && thread != std::this_thread::get_id())
           a->message_size = 0;
       };
     }},
    {"set_on_own_thread", "PJRT-Threads-any",
     "an event that is set on another thread than it was made on stays pending",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Event_Create>(
           t, [](auto& a) { Note(a.event, std::this_thread::get_id()); });
       Replace<&PJRT_Api::PJRT_Event_Set>(t, [](auto* a) {
         auto thread = NoteOf<std::thread::id>(a->event);
         if (thread != std::thread::id() && thread != std::this_thread::get_id())
           return static_cast<PJRT_Error*>(nullptr);
         return Real().PJRT_Event_Set(a);
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event, std::thread::id>().erase(a.event);
       });
     }},
    {"forgets_on_other_threads", "PJRT-Process-memory",
     "a buffer that another thread destroys than made it leaves 256 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
           t, [](auto& a) { Note(a.buffer, std::this_thread::get_id()); });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         auto thread = NoteOf<std::thread::id>(a.buffer);
         if (thread != std::thread::id() && thread != std::this_thread::get_id()) Forget(256);
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Buffer, std::thread::id>().erase(a.buffer);
       });
     }},
    {"future_told_on_own_thread", "PJRT-Threads-any",
     "a prepared copy that another thread tells where to go never ends",
     [](PJRT_Api& t) {
       struct Future {
         void (*callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
         void* data;
         std::thread::id thread;
       };
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         a.callback_data =
             new Future{a.future_ready_callback, a.callback_data, std::this_thread::get_id()};
         a.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
           auto* future = static_cast<Future*>(args->callback_data);
           if (future->thread != std::this_thread::get_id()) return;
           auto own = *args;
           own.callback_data = future->data;
           future->callback(&own);
           delete future;
         };
       });
     }},
    {"transfers_of_own_thread", "PJRT-Threads-any",
     "a manager takes data on the thread that made it alone",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(
           t, [](auto& a) { Note(a.transfer_manager, std::this_thread::get_id()); });
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](const auto& a) {
         return a.transfer_manager != nullptr &&
                NoteOf<std::thread::id>(a.transfer_manager) != std::this_thread::get_id();
       });
     }},
};

}  // namespace

std::span<const Mutant> ThreadMutants() { return kThreadMutants; }

}  // namespace plinth::mutants
