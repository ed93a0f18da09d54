// SPDX-License-Identifier: Apache-2.0
// Bugs in launches on several devices and in the collectives of their programs, written from the
// requirements and not from the cases.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr char kDone[] = "PJRT-LoadedExecutable_Execute-done";
constexpr char kFailure[] = "PJRT-LoadedExecutable_Execute-failure";
constexpr char kOneFails[] = "PJRT-LoadedExecutable_Execute-one-fails";
constexpr char kNoPartner[] = "PJRT-LoadedExecutable_Execute-no-partner";
constexpr char kAssignment[] = "PJRT-Client_Compile-assignment";

bool IsOfSeveral(const PJRT_LoadedExecutable_Execute_Args* args) {
  return args->num_devices > 1 && args->num_devices < 100 && args->options != nullptr &&
         args->argument_lists != nullptr && args->output_lists != nullptr;
}

size_t OutputsOf(PJRT_LoadedExecutable* loaded) {
  auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = loaded;
  if (PJRT_Error* error = Real().PJRT_LoadedExecutable_GetExecutable(&get)) {
    FreeError(error);
    return 0;
  }
  auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
  count.executable = get.executable;
  FreeError(Real().PJRT_Executable_NumOutputs(&count));
  auto destroy = MakeArgs<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  FreeError(Real().PJRT_Executable_Destroy(&destroy));
  return count.num_outputs;
}

// Executes, and then `change` may do as it likes with what was handed out.
template <typename Change>
PJRT_Error* ExecuteAndChange(PJRT_LoadedExecutable_Execute_Args* args, Change change) {
  PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(args);
  if (error == nullptr && IsOfSeveral(args)) change();
  return error;
}

void DestroyBuffer(PJRT_Buffer* buffer) {
  auto destroy = MakeArgs<PJRT_Buffer_Destroy_Args>();
  destroy.buffer = buffer;
  FreeError(Real().PJRT_Buffer_Destroy(&destroy));
}

void ReplaceEvent(PJRT_Event*& event, bool is_ready) {
  auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
  destroy.event = event;
  FreeError(Real().PJRT_Event_Destroy(&destroy));
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  FreeError(Real().PJRT_Event_Create(&create));
  event = create.event;
  if (!is_ready) return;
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = event;
  FreeError(Real().PJRT_Event_Set(&set));
}

// Waits for a buffer and says whether it carries an error.
bool IsBroken(PJRT_Buffer* buffer) {
  auto ready = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  if (PJRT_Error* error = Real().PJRT_Buffer_ReadyEvent(&ready)) {
    FreeError(error);
    return false;
  }
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = ready.event;
  PJRT_Error* error = Real().PJRT_Event_Await(&await);
  FreeError(error);
  auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
  destroy.event = ready.event;
  FreeError(Real().PJRT_Event_Destroy(&destroy));
  return error != nullptr;
}

// Arguments of devices behind the first.
class LaterArguments {
 public:
  void Add(const PJRT_LoadedExecutable_Execute_Args* args) {
    std::lock_guard lock(mutex_);
    for (size_t d = 1; d < args->num_devices; ++d) {
      buffers_.insert(args->argument_lists[d], args->argument_lists[d] + args->num_args);
    }
  }
  bool Has(PJRT_Buffer* buffer) {
    std::lock_guard lock(mutex_);
    return buffers_.contains(buffer);
  }
  void Remove(PJRT_Buffer* buffer) {
    std::lock_guard lock(mutex_);
    buffers_.erase(buffer);
  }

 private:
  std::mutex mutex_;
  std::set<PJRT_Buffer*> buffers_;
};
LaterArguments& TheLaterArguments() {
  static LaterArguments* const arguments = new LaterArguments;
  return *arguments;
}

std::atomic<bool> has_failed = false;

constexpr Mutant kLaunchMutants[] = {
    {"devices_swap_outputs", kResults, "the first two devices have each other's outputs",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         return ExecuteAndChange(a, [&] {
           if (OutputsOf(a->executable) == 0) return;
           std::swap(a->output_lists[0][0], a->output_lists[1][0]);
         });
       });
     }},
    {"last_device_idle", kResults, "the last device has its argument as output",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Buffer* copy = nullptr;
         if (IsOfSeveral(a) && a->num_args > 0) {
           auto where = MakeArgs<PJRT_Buffer_Memory_Args>();
           where.buffer = a->argument_lists[a->num_devices - 1][0];
           FreeError(Real().PJRT_Buffer_Memory(&where));
           auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
           args.buffer = where.buffer;
           args.dst_memory = where.memory;
           PJRT_Error* error = Real().PJRT_Buffer_CopyToMemory(&args);
           if (error == nullptr) copy = args.dst_buffer;
           FreeError(error);
         }
         PJRT_Error* error = ExecuteAndChange(a, [&] {
           if (copy == nullptr || OutputsOf(a->executable) != 1) return;
           std::swap(a->output_lists[a->num_devices - 1][0], copy);
         });
         if (copy != nullptr) DestroyBuffer(copy);
         return error;
       });
     }},
    {"other_devices_never_done", kDone, "the events of devices behind the first never come",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         return ExecuteAndChange(a, [&] {
           for (size_t d = 1; a->device_complete_events != nullptr && d < a->num_devices; ++d) {
             ReplaceEvent(a->device_complete_events[d], false);
           }
         });
       });
     }},
    {"groups_turned", kResults, "all_reduce sums over columns of replica_groups",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]", "stablehlo.all_reduce");
       });
     }},
    {"groups_sorted", kResults, "all_gather takes groups in the order of numbers",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "[[3, 1], [2, 0]]", "[[1, 3], [0, 2]]", "stablehlo.all_gather");
       });
     }},
    {"permutes_backwards", kResults, "collective_permute sends from targets to sources",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "[[0, 1], [1, 2], [2, 3]]", "[[1, 0], [2, 1], [3, 2]]",
                                "stablehlo.collective_permute");
       });
     }},
    {"all_reduce_adds", kResults, "all_reduce adds where its region takes the smaller",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "stablehlo.minimum", "stablehlo.add", "stablehlo.all_reduce");
       });
     }},
    {"last_of_group_broadcasts", kResults, "collective_broadcast sends what the second has",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "[[1, 0]]", "[[0, 1]]", "stablehlo.collective_broadcast");
       });
     }},
    {"partition_is_replica", kResults, "partition_id gives the replica",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "stablehlo.partition_id", "stablehlo.replica_id",
                                "stablehlo.partition_id");
       });
     }},
    {"mesh_axes_mixed_up", kResults, "groups by the axis x are groups by the axis y",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "axis_ref<name = \"x\">", "axis_ref<name = \"y\">",
                                "replica_group_mesh_axes");
       });
     }},
    {"mesh_order_forgotten", kResults, "the order of a mesh's devices is not heeded",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, ", device_ids=[3, 1, 2, 0]", "", "replica_group_mesh_axes");
       });
     }},
    {"one_device_keeps_donated", "PJRT-LoadedExecutable_Execute-donation",
     "what other devices than the first donated does not count as deleted",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](auto* a) { return ExecuteAndChange(a, [&] { TheLaterArguments().Add(a); }); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         if (TheLaterArguments().Has(a.buffer)) a.is_deleted = false;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         TheLaterArguments().Remove(a->buffer);
         return Real().PJRT_Buffer_Destroy(a);
       });
     }},
    {"donates_what_is_protected", "PJRT-LoadedExecutable_Execute-not-donated",
     "non_donatable_input_indices are not heeded on several devices",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (!IsOfSeveral(a)) return Real().PJRT_LoadedExecutable_Execute(a);
         auto options = *a->options;
         options.num_non_donatable_input_indices = 0;
         auto own = *a;
         own.options = &options;
         return Real().PJRT_LoadedExecutable_Execute(&own);
       });
     }},
    {"refused_and_consumed", kFailure,
     "a call that is refused for one device deletes the others' arguments",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr || !IsOfSeveral(a)) return error;
         for (size_t d = 0; d < a->num_devices; ++d) {
           for (size_t i = 0; i < a->num_args; ++i) {
             auto remove = MakeArgs<PJRT_Buffer_Delete_Args>();
             remove.buffer = a->argument_lists[d][i];
             FreeError(Real().PJRT_Buffer_Delete(&remove));
           }
         }
         return error;
       });
     }},
    {"refused_and_handed_out", kFailure, "a call that is refused hands out an event",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr || !IsOfSeveral(a) || a->device_complete_events == nullptr) {
           return error;
         }
         auto create = MakeArgs<PJRT_Event_Create_Args>();
         FreeError(Real().PJRT_Event_Create(&create));
         a->device_complete_events[0] = create.event;
         return error;
       });
     }},
    {"failure_stays_on_its_device", kOneFails,
     "the event of one device is ready though the launch has failed",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         return ExecuteAndChange(a, [&] {
           if (a->device_complete_events == nullptr || OutputsOf(a->executable) == 0) return;
           if (IsBroken(a->output_lists[0][0])) ReplaceEvent(a->device_complete_events[1], true);
         });
       });
     }},
    {"failure_stays_for_ever", kOneFails, "after a launch has failed every other does",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (has_failed) return MakeError(PJRT_Error_Code_INTERNAL, "the devices are lost");
         return ExecuteAndChange(a, [&] {
           if (OutputsOf(a->executable) > 0 && IsBroken(a->output_lists[0][0])) has_failed = true;
         });
       });
     }},
    {"lost_partner_has_another_code", kNoPartner, "who waits in vain has the code INTERNAL",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Error_GetCode>(t, [](auto& a) {
         if (a.code == PJRT_Error_Code_FAILED_PRECONDITION) {
           a.code = PJRT_Error_Code_INTERNAL;
         }
       });
     }},
    {"lost_partner_has_no_name", kNoPartner, "who waits in vain is told no op",
     [](PJRT_Api& t) {
       t.PJRT_Error_Message = [](PJRT_Error_Message_Args* a) {
         Real().PJRT_Error_Message(a);
         if (a == nullptr || a->message == nullptr) return;
         if (std::string_view(a->message, a->message_size).find("waits") == std::string_view::npos)
           return;
         static constexpr std::string_view kText = "a device waits";
         a->message = kText.data();
         a->message_size = kText.size();
       };
     }},
    {"lost_partner_is_not_missed", kNoPartner, "who waits in vain goes on without",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         return CompileReplaced(a, "[[0, 1]]> : tensor<1x2xi64>", "[[0], [1]]> : tensor<2x1xi64>",
                                "stablehlo.case");
       });
     }},
    {"devices_sorted", kAssignment, "an executable tells its devices in the order of ids",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         if (a.num_addressable_devices < 2) return;
         // Devices lie in one array in the order of their ids.
         static std::mutex mutex;
         static std::set<std::vector<PJRT_Device*>>* const lists =
             new std::set<std::vector<PJRT_Device*>>;
         std::vector<PJRT_Device*> sorted(a.addressable_devices,
                                          a.addressable_devices + a.num_addressable_devices);
         std::sort(sorted.begin(), sorted.end());
         std::lock_guard lock(mutex);
         a.addressable_devices = lists->insert(std::move(sorted)).first->data();
       });
     }},
    {"bad_assignment_is_default", kAssignment,
     "an assignment that cannot be is taken as that of the first device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error == nullptr || a->compile_options == nullptr) return error;
         auto own = *a;
         own.compile_options = nullptr;
         own.compile_options_size = 0;
         PJRT_Error* again = Real().PJRT_Client_Compile(&own);
         if (again != nullptr) {
           FreeError(again);
           return error;
         }
         FreeError(error);
         a->executable = own.executable;
         return again;
       });
     }},
    {"partitions_renumbered", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
     "logical ids are those of the devices in reverse",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDeviceLogicalIds>(t, [](auto& a) {
         if (a.num_addressable_device_logical_ids < 2) return;
         static std::mutex mutex;
         static auto* const lists = new std::vector<std::vector<PJRT_LogicalDeviceIds>>;
         std::vector<PJRT_LogicalDeviceIds> turned(
             a.addressable_device_logical_ids,
             a.addressable_device_logical_ids + a.num_addressable_device_logical_ids);
         std::reverse(turned.begin(), turned.end());
         std::lock_guard lock(mutex);
         lists->push_back(std::move(turned));
         a.addressable_device_logical_ids = lists->back().data();
       });
     }},
};

}  // namespace

std::span<const Mutant> LaunchMutants() { return kLaunchMutants; }

}  // namespace plinth::mutants
