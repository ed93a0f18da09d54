// SPDX-License-Identifier: Apache-2.0
// Bugs of executions: arguments of another kind, options that are not read, what is handed out,
// what is left of the run before. Written from the requirements, without looking at the cases.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

// Types of the arguments of @main, by executable.
std::map<PJRT_LoadedExecutable*, std::vector<std::string>>& Signatures() {
  static auto* const signatures = new std::map<PJRT_LoadedExecutable*, std::vector<std::string>>;
  return *signatures;
}

void RememberSignatures(PJRT_Api& table) {
  Replace<&PJRT_Api::PJRT_Client_Compile>(table, [](auto* a) {
    PJRT_Error* error = Real().PJRT_Client_Compile(a);
    if (error != nullptr || !HasText(*a)) return error;
    std::string list = Between({a->program->code, a->program->code_size}, "@main(", ") ->");
    std::vector<std::string> types;
    for (size_t at = 0; (at = list.find("tensor<", at)) != list.npos; ++at)
      types.push_back(list.substr(at, list.find('>', at) - at + 1));
    std::lock_guard<std::mutex> lock(Memory());
    Signatures()[a->executable] = types;
    return error;
  });
}

PJRT_Buffer_Type TypeOfName(const std::string& element) {
  if (element == "f32") return PJRT_Buffer_Type_F32;
  if (element == "i32") return PJRT_Buffer_Type_S32;
  if (element == "ui32") return PJRT_Buffer_Type_U32;
  return PJRT_Buffer_Type_INVALID;
}

// Runs with arguments of the right size in bytes seen as the program wants them.
PJRT_Error* RunBitcast(PJRT_LoadedExecutable_Execute_Args* a, bool of_types) {
  if (a->num_devices != 1 || a->argument_lists == nullptr || a->argument_lists[0] == nullptr)
    return Real().PJRT_LoadedExecutable_Execute(a);
  std::vector<std::string> types;
  {
    std::lock_guard<std::mutex> lock(Memory());
    types = Signatures()[a->executable];
  }
  if (types.size() != a->num_args) return Real().PJRT_LoadedExecutable_Execute(a);
  std::vector<PJRT_Buffer*> list(a->argument_lists[0], a->argument_lists[0] + a->num_args), made;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == nullptr || IsDeleted(list[i])) continue;
    PJRT_Buffer_Type wanted = TypeOfName(ElementOf(types[i]));
    std::vector<int64_t> dims = DimsOf(types[i]);
    auto own = MakeArgs<PJRT_Buffer_Dimensions_Args>();
    own.buffer = list[i];
    FreeError(Real().PJRT_Buffer_Dimensions(&own));
    bool same_dims = std::vector<int64_t>(own.dims, own.dims + own.num_dims) == dims;
    bool same_type = ElementTypeOf(list[i]) == wanted;
    if (wanted == PJRT_Buffer_Type_INVALID || (same_dims && same_type) ||
        (of_types ? !same_dims : !same_type))
      continue;
    auto cast = MakeArgs<PJRT_Buffer_Bitcast_Args>();
    cast.buffer = list[i];
    cast.element_type = wanted;
    cast.dims = dims.data();
    cast.num_dims = dims.size();
    PJRT_Error* error = Real().PJRT_Buffer_Bitcast(&cast);
    FreeError(error);
    if (error != nullptr) continue;
    list[i] = cast.out_buffer;
    made.push_back(cast.out_buffer);
  }
  PJRT_Buffer* const* lists[] = {list.data()};
  PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
      a, [&](auto& own) { own.argument_lists = lists; });
  for (PJRT_Buffer* buffer : made) Destroy(buffer);
  return error;
}

constexpr Mutant kArgumentMutants[] = {
    {"first_is_protected", "PJRT-LoadedExecutable_Execute-not-donated",
     "of the arguments that are not to be donated the first counts alone",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->num_non_donatable_input_indices < 2)
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         options.num_non_donatable_input_indices = 1;
         auto own = *a;
         own.options = &options;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"protected_in_order", "PJRT-LoadedExecutable_Execute-not-donated",
     "indices that are not to be donated count only in ascending order",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->num_non_donatable_input_indices < 2)
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         const int64_t* indices = options.non_donatable_input_indices;
         options.num_non_donatable_input_indices =
             std::is_sorted_until(indices, indices + options.num_non_donatable_input_indices) -
             indices;
         auto own = *a;
         own.options = &options;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"moves_arguments", "PJRT-LoadedExecutable_Execute-shape",
     "an argument on another device is copied instead of refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         auto devices = MakeArgs<PJRT_LoadedExecutable_AddressableDevices_Args>();
         devices.executable = a->executable;
         if (a->num_devices != 1 || a->executable == nullptr || a->execute_device != nullptr ||
             a->argument_lists == nullptr ||
             Real().PJRT_LoadedExecutable_AddressableDevices(&devices) != nullptr ||
             devices.num_addressable_devices != 1)
           return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<PJRT_Buffer*> list(a->argument_lists[0], a->argument_lists[0] + a->num_args);
         for (PJRT_Buffer*& buffer : list) {
           if (DeviceOf(buffer) == devices.addressable_devices[0]) continue;
           auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
           copy.buffer = buffer;
           copy.dst_device = devices.addressable_devices[0];
           PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(&copy);
           if (error != nullptr) return error;
           buffer = copy.dst_buffer;
         }
         PJRT_Buffer* const* lists[] = {list.data()};
         auto own = *a;
         own.argument_lists = lists;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"second_error_lost", "PJRT-LoadedExecutable_Execute-error-input",
     "an error of the second argument is not seen",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_devices != 1 || a->num_args != 2 || a->argument_lists == nullptr)
           return Real().PJRT_LoadedExecutable_Execute(a);
         PJRT_Buffer* pair[] = {a->argument_lists[0][0], a->argument_lists[0][1]};
         PJRT_Event* event = pair[1] == nullptr ? nullptr : ReadyEventOf(pair[1]);
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = event;
         if (event != nullptr) FreeError(Real().PJRT_Event_IsReady(&ready));
         if (ready.is_ready && Fails(event)) pair[1] = pair[0];
         if (event != nullptr) Drop(event);
         PJRT_Buffer* const* lists[] = {pair};
         auto own = *a;
         own.argument_lists = lists;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"done_without_error", "PJRT-LoadedExecutable_Execute-asynchronous",
     "device_complete_events succeed whatever happened",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.device_complete_events == nullptr) return;
         for (size_t i = 0; i < a.num_devices; ++i) {
           auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
           ready.event = a.device_complete_events[i];
           for (int turn = 0; turn < 4 && !ready.is_ready; ++turn) {
             std::this_thread::sleep_for(std::chrono::microseconds(turn * 500));
             FreeError(Real().PJRT_Event_IsReady(&ready));
           }
           if (!ready.is_ready || !Fails(ready.event)) continue;
           Drop(ready.event);
           a.device_complete_events[i] = DoneEvent();
         }
       });
     }},
    {"deleted_argument_internal", "PJRT-LoadedExecutable_Execute-deleted",
     "a deleted argument is answered by INTERNAL",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         for (size_t i = 0; a->num_devices == 1 && a->argument_lists != nullptr && i < a->num_args;
              ++i) {
           auto deleted = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
           deleted.buffer = a->argument_lists[0][i];
           if (deleted.buffer != nullptr && Real().PJRT_Buffer_IsDeleted(&deleted) == nullptr &&
               deleted.is_deleted)
             return MakeError(PJRT_Error_Code_INTERNAL, "the argument is deleted");
         }
         return Real().PJRT_LoadedExecutable_Execute(a);
       });
     }},
    {"device_not_chosen", "PJRT-LoadedExecutable_Execute-results",
     "an execution on a chosen device says the first one for its results",
     [](PJRT_Api& t) {
       static std::set<PJRT_Buffer*> made;
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.execute_device == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         made.insert(a.output_lists[0][0]);
       });
       Replace<&PJRT_Api::PJRT_Buffer_Device>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Device(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr && made.contains(a->buffer)) a->device = nullptr;
         return error;
       });
     }},
    {"no_arguments_no_list", "PJRT-Args-accepted",
     "a program without arguments wants a list of them",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         return a.num_args == 0 && a.num_devices == 1 &&
                (a.argument_lists == nullptr || a.argument_lists[0] == nullptr);
       });
     }},
    {"context_forgotten", "PJRT-FFI_UserData_Add-found", "an execution forgets its context",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr || a->options->struct_size < sizeof(*a->options))
           return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         options.context = nullptr;
         auto own = *a;
         own.options = &options;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"outputs_in_first_memory", "PJRT-Buffer_Memory-asked-for",
     "results say the memory of the client's first device",
     [](PJRT_Api& t) {
       static PJRT_Memory* first = nullptr;
       static std::set<PJRT_Buffer*> made;
       ChangeOutputs<&PJRT_Api::PJRT_Client_AddressableDevices>(t, [](auto& a) {
         if (a.num_addressable_devices > 0) first = DefaultMemoryOf(a.addressable_devices[0]);
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices < 2) return;
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = ExecutableOf(a.executable);
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         std::lock_guard<std::mutex> lock(Memory());
         for (size_t i = 0; i < a.num_devices && count.num_outputs > 0; ++i)
           made.insert(a.output_lists[i][0]);
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           made.erase(a->buffer);
         }
         return Real().PJRT_Buffer_Destroy(a);
       });
       Replace<&PJRT_Api::PJRT_Buffer_Memory>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Memory(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr && first != nullptr && made.contains(a->buffer)) a->memory = first;
         return error;
       });
     }},
    {"arguments_taken", "PJRT-Args-input", "an execution leaves its last argument's place empty",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_args > 1)
           const_cast<PJRT_Buffer**>(a.argument_lists[0])[a.num_args - 1] = nullptr;
       });
     }},
    {"no_devices_run", "PJRT-LoadedExecutable_Execute-count", "an execution on no devices succeeds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->executable != nullptr && a->options != nullptr && a->num_devices == 0)
           return static_cast<PJRT_Error*>(nullptr);
         return Real().PJRT_LoadedExecutable_Execute(a);
       });
     }},
    {"results_add_up", kResults, "what the run before left is added to a result",
     [](PJRT_Api& t) {
       static std::map<PJRT_LoadedExecutable*, float> left;
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         left.erase(a.executable);
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         auto outputs = OutputsOf(a);
         if (a.num_devices != 1 || outputs.empty() ||
             ElementTypeOf(outputs[0]) != PJRT_Buffer_Type_F32)
           return;
         PJRT_Event* event = ReadyEventOf(outputs[0]);
         bool is_ready = IsReady(event);
         Drop(event);
         auto* first = is_ready ? reinterpret_cast<float*>(BytesOf(outputs[0])) : nullptr;
         if (first == nullptr || SizeOf(outputs[0]) < 4) return;
         std::lock_guard<std::mutex> lock(Memory());
         float result = *first;
         *first += left[a.executable];
         left[a.executable] = result;
       });
     }},
    {"thirty_two_runs", "PJRT-Args-accepted", "an executable runs 32 times",
     [](PJRT_Api& t) {
       static std::map<PJRT_LoadedExecutable*, int> runs;
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_RESOURCE_EXHAUSTED>(
           t, [](const auto& a) {
             std::lock_guard<std::mutex> lock(Memory());
             return a.executable != nullptr && ++runs[a.executable] > 32;
           });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         runs.erase(a.executable);
       });
     }},
    {"other_shape_same_bytes", "PJRT-LoadedExecutable_Execute-type",
     "an argument of another shape with as many elements is taken",
     [](PJRT_Api& t) {
       RememberSignatures(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](auto* a) { return RunBitcast(a, false); });
     }},
    {"other_type_same_bytes", "PJRT-LoadedExecutable_Execute-type",
     "an argument of another type of the same size is taken",
     [](PJRT_Api& t) {
       RememberSignatures(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](auto* a) { return RunBitcast(a, true); });
     }},
    {"event_of_first_device", "PJRT-LoadedExecutable_Execute-done",
     "only the first of several devices has an event",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (size_t i = 1; a.device_complete_events != nullptr && i < a.num_devices; ++i) {
           Drop(a.device_complete_events[i]);
           a.device_complete_events[i] = nullptr;
         }
       });
     }},
    {"same_launch_refused", "PJRT-Args-accepted", "a launch_id serves once",
     [](PJRT_Api& t) {
       static std::set<int> ids;
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_ALREADY_EXISTS>(
           t, [](const auto& a) {
             if (a.options == nullptr || a.executable == nullptr || a.num_devices < 2) return false;
             std::lock_guard<std::mutex> lock(Memory());
             return !ids.insert(a.options->launch_id).second;
           });
     }},
    {"long_locations_refused", "PJRT-Args-accepted", "a call_location of over 255 bytes is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         return a.options != nullptr && a.options->struct_size >= 80 &&
                a.options->call_location != nullptr && strlen(a.options->call_location) > 255;
       });
     }},
    {"options_of_today", "PJRT-Args-nested-struct_size",
     "execute options of a client of 0.78 are refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](const auto& a) { return a.options != nullptr && a.options->struct_size < 144; });
     }},
    {"no_room_for_contexts", "PJRT-Args-accepted", "there are at most four contexts at a time",
     [](PJRT_Api& t) {
       static int living = 0;
       Replace<&PJRT_Api::PJRT_ExecuteContext_Create>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (living >= 4) return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "no room");
         PJRT_Error* error = Real().PJRT_ExecuteContext_Create(a);
         if (error == nullptr) ++living;
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_ExecuteContext_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a.context != nullptr) --living;
       });
     }},
    {"one_of_two_outputs", "PJRT-Args-output-new", "two outputs that are equal are one buffer",
     [](PJRT_Api& t) {
       static std::map<PJRT_Buffer*, int> shared;
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         auto outputs = OutputsOf(a);
         if (a.num_devices != 1 || outputs.size() < 2 || !AreEqual(outputs[0], outputs[1])) return;
         Destroy(outputs[1]);
         outputs[1] = outputs[0];
         std::lock_guard<std::mutex> lock(Memory());
         shared[outputs[0]] = 1;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto found = shared.find(a->buffer);
           if (found != shared.end() && found->second-- > 0)
             return static_cast<PJRT_Error*>(nullptr);
           if (found != shared.end()) shared.erase(found);
         }
         return Real().PJRT_Buffer_Destroy(a);
       });
     }},
    {"forgets_contexts", "PJRT-Process-memory", "every context leaves 64 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_ExecuteContext_Create>(t, [](auto&) { Forget(64); });
     }},
};

}  // namespace

std::span<const Mutant> ArgumentMutants() { return kArgumentMutants; }

}  // namespace plinth::mutants
