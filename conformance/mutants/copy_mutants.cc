// SPDX-License-Identifier: Apache-2.0
// Bugs in buffers that are made from others or from memory: copies, views, aliases, buffers of
// errors, other shapes, external references. Written from the requirements, without looking at the
// cases.

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

constexpr char kCopies[] = "PJRT-Buffer_CopyToDevice-contents";

std::set<PJRT_Buffer*>& Marked() {
  static auto* const marked = new std::set<PJRT_Buffer*>;
  return *marked;
}

void Mark(PJRT_Buffer* buffer) {
  std::lock_guard<std::mutex> lock(Memory());
  Marked().insert(buffer);
}
bool IsMarked(PJRT_Buffer* buffer) {
  std::lock_guard<std::mutex> lock(Memory());
  return Marked().contains(buffer);
}
void UnmarkDestroyed(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Marked().erase(a.buffer);
  });
}

// Buffers by what they were made from, or with.
std::map<PJRT_Buffer*, PJRT_Buffer*>& Copies() {
  static auto* const copies = new std::map<PJRT_Buffer*, PJRT_Buffer*>;
  return *copies;
}

void ForgetCopies(PJRT_Api& table) {
  Replace<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto* a) {
    {
      std::lock_guard<std::mutex> lock(Memory());
      Copies().erase(a->buffer);
      std::erase_if(Copies(), [&](const auto& pair) { return pair.second == a->buffer; });
    }
    return Real().PJRT_Buffer_Destroy(a);
  });
}

// Deleting an array clears what was remembered as a copy of it.
void CopiesDie(PJRT_Api& table) {
  ForgetCopies(table);
  Replace<&PJRT_Api::PJRT_Buffer_Delete>(table, [](auto* a) {
    std::lock_guard<std::mutex> lock(Memory());
    for (const auto& [copy, source] : Copies()) {
      if (source != a->buffer) continue;
      if (char* bytes = BytesOf(copy)) std::memset(bytes, 0, SizeOf(copy));
    }
    return Real().PJRT_Buffer_Delete(a);
  });
}

struct ViewEnd {
  void (*callback)(void*, void*);
  void* address;
  void* arg;
};
std::map<PJRT_Buffer*, ViewEnd>& Views() {
  static auto* const views = new std::map<PJRT_Buffer*, ViewEnd>;
  return *views;
}

constexpr Mutant kCopyMutants[] = {
    {"copies_bytes_alone", kCopies, "a copy has the bytes of the original, but another layout",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(a);
         if (error != nullptr || IsRowMajor(a->buffer)) return error;
         PJRT_Buffer* other = Uninitialized(a->buffer, LastClient(), a->dst_device);
         char *from = BytesOf(a->buffer), *to = other == nullptr ? nullptr : BytesOf(other);
         if (from == nullptr || to == nullptr) return error;
         std::memcpy(to, from, SizeOf(a->buffer));
         Destroy(a->dst_buffer);
         a->dst_buffer = other;
         return error;
       });
     }},
    {"copy_of_bf16_is_u16", "PJRT-Args-output-true",
     "a copy of bf16 in a memory says that it is u16",
     [](PJRT_Api& t) {
       UnmarkDestroyed(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) { Mark(a.dst_buffer); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto& a) {
         if (IsMarked(a.buffer) && a.type == PJRT_Buffer_Type_BF16) a.type = PJRT_Buffer_Type_U16;
       });
     }},
    {"copy_of_error_is_fine", "PJRT-Client_CreateErrorBuffer-carries",
     "a copy of a buffer that carries an error carries none",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         if (!CarriesError(a->buffer)) return Real().PJRT_Buffer_CopyToDevice(a);
         a->dst_buffer = Uninitialized(a->buffer, LastClient(), a->dst_device);
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"deleted_is_copied", kCopies, "a deleted buffer can be copied",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         if (a->buffer == nullptr || a->dst_device == nullptr || !IsDeleted(a->buffer))
           return Real().PJRT_Buffer_CopyToDevice(a);
         a->dst_buffer = Uninitialized(a->buffer, LastClient(), a->dst_device);
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"empty_is_not_copied", "PJRT-Args-accepted", "an empty array is not copied to a device",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](const auto& a) {
         return a.buffer != nullptr && !IsDeleted(a.buffer) && SizeOf(a.buffer) == 0;
       });
     }},
    {"large_copy_cut", kCopies, "of a copy on a device the first MiB arrives",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         size_t size = SizeOf(a.dst_buffer);
         if (size <= 1 << 20) return;
         if (char* bytes = BytesOf(a.dst_buffer))
           std::memset(bytes + (1 << 20), 0, size - (1 << 20));
       });
     }},
    {"large_memory_copy_cut", "PJRT-Buffer_CopyToMemory-contents",
     "of a copy in a memory the first 64 KiB arrive",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         size_t size = SizeOf(a.dst_buffer);
         if (size <= 1 << 16) return;
         if (char* bytes = BytesOf(a.dst_buffer))
           std::memset(bytes + (1 << 16), 0, size - (1 << 16));
       });
     }},
    {"pending_is_not_copied", "PJRT-Args-accepted", "a buffer that is not ready is not copied",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_CopyToDevice, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](const auto& a) { return IsPending(a.buffer); });
     }},
    {"references_of_all", "PJRT-Buffer_DecreaseExternalReferenceCount-zero",
     "external references are counted for all buffers together",
     [](PJRT_Api& t) {
       static int64_t count = 0;
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(t, [](auto&) {
         std::lock_guard<std::mutex> lock(Memory());
         ++count;
       });
       Replace<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_DecreaseExternalReferenceCount(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (a->buffer != nullptr && count > 0) {
           --count;
           FreeError(error);
           error = nullptr;
         }
         return error;
       });
     }},
    {"donation_ignores_references", "PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
     "a donated argument with an external reference is overwritten",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto& a) { Mark(a.buffer); });
       UnmarkDestroyed(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_devices != 1 || a->num_args == 0 || a->argument_lists == nullptr)
           return Real().PJRT_LoadedExecutable_Execute(a);
         PJRT_Buffer* first = a->argument_lists[0][0];
         char* bytes =
             first != nullptr && IsMarked(first) && !IsDeleted(first) ? BytesOf(first) : nullptr;
         size_t size = bytes == nullptr ? 0 : SizeOf(first);
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error == nullptr && bytes != nullptr && IsDeleted(first))
           std::memset(bytes, 0x5A, size);
         return error;
       });
     }},
    {"view_layout_row_major", "PJRT-Args-output-true", "the layout of a view is not read",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(
           t, [](auto& a) { a.layout = nullptr; });
     }},
    {"view_is_copy", "PJRT-Client_CreateViewOfDeviceBuffer-no-copy", "a view copies its memory",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (a.element_type != PJRT_Buffer_Type_F32 || a.device_buffer_ptr == nullptr) return;
         size_t size = 4;
         for (size_t i = 0; i < a.num_dims; ++i) size *= static_cast<size_t>(a.dims[i]);
         void* copy = std::aligned_alloc(64, (size + 63) / 64 * 64);
         a.device_buffer_ptr = std::memcpy(copy, a.device_buffer_ptr, size);
       });
     }},
    {"view_ends_at_once", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback runs when the view is made",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) {
         PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(
             a, [](auto& own) { own.on_delete_callback = nullptr; });
         if (error == nullptr && a->on_delete_callback != nullptr)
           a->on_delete_callback(a->device_buffer_ptr, a->on_delete_callback_arg);
         return error;
       });
     }},
    {"second_alias_gets_first", "PJRT-Client_CreateAliasBuffer-waits",
     "every second alias stands for what the one before stood for",
     [](PJRT_Api& t) {
       static PJRT_Buffer* last = nullptr;
       static int count = 0;
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a.buffer == last) last = nullptr;
       });
       ChangeInputs<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a.buffer == nullptr) return;
         if (++count % 2 == 0 && last != nullptr && !IsDeleted(last) &&
             SizeOf(last) == SizeOf(a.buffer) && ElementTypeOf(last) == ElementTypeOf(a.buffer)) {
           a.buffer = last;
         } else {
           last = a.buffer;
         }
       });
     }},
    {"pending_is_no_argument", "PJRT-Args-accepted", "an argument that is not ready is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](const auto& a) {
             return a.num_devices == 1 && a.num_args > 0 && a.argument_lists != nullptr &&
                    IsPending(a.argument_lists[0][0]);
           });
     }},
    {"pending_is_read_early", "PJRT-LoadedExecutable_Execute-results",
     "an execution does not wait for its arguments",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_devices != 1 || a->num_args == 0 || a->argument_lists == nullptr ||
             !IsPending(a->argument_lists[0][0]))
           return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<PJRT_Buffer*> list(a->argument_lists[0], a->argument_lists[0] + a->num_args);
         list[0] = Uninitialized(list[0], LastClient(), DeviceOf(list[0]));
         PJRT_Buffer* const* lists[] = {list.data()};
         PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.argument_lists = lists; });
         Destroy(list[0]);
         return error;
       });
     }},
    {"error_buffer_is_scalar", "PJRT-Args-output-true", "a buffer of an error has no dimensions",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto& a) {
         a.shape_num_dims = 0;
         a.shape_layout = nullptr;
       });
     }},
    {"second_output_is_fine", "PJRT-LoadedExecutable_Execute-error-input",
     "only the first output carries the error of an argument",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices != 1 || a.num_args != 1 || !CarriesError(a.argument_lists[0][0])) return;
         auto outputs = OutputsOf(a);
         if (outputs.size() < 2) return;
         PJRT_Buffer* other = Uninitialized(outputs[1], LastClient(), DeviceOf(outputs[1]));
         if (other == nullptr) return;
         Destroy(outputs[1]);
         outputs[1] = other;
       });
     }},
    {"dependency_error_lost", "PJRT-Buffer_DonateWithControlDependency-waits",
     "a dependency that fails counts as done",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto& a) {
         struct Told {
           void* data;
           void (*callback)(PJRT_Buffer_DonateWithControlDependency_Callback_Args*);
         };
         a.callback_data = new Told{a.callback_data, a.dependency_ready_callback};
         a.dependency_ready_callback =
             [](PJRT_Buffer_DonateWithControlDependency_Callback_Args* args) {
               auto* told = static_cast<Told*>(args->callback_data);
               args->callback_data = told->data;
               args->error_code = PJRT_Error_Code_OK;
               told->callback(args);
               delete told;
             };
       });
     }},
    {"bitcast_takes", "PJRT-Buffer_IsDeleted-truth", "an array that gets another shape is deleted",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto& a) { Delete(a.buffer); });
     }},
    {"deleted_is_never_ready", "PJRT-Buffer_ReadyEvent-deleted",
     "the ready event of a deleted buffer never comes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (!IsDeleted(a.buffer)) return;
         Drop(a.event);
         a.event = PendingEvent();
       });
     }},
    {"one_ready_event", "PJRT-Args-output-new", "all ready events of a buffer are one",
     [](PJRT_Api& t) {
       static std::map<PJRT_Buffer*, PJRT_Event*> events;
       static std::map<PJRT_Event*, int> holders;
       Replace<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = events.find(a->buffer);
         if (a->buffer != nullptr && found != events.end() && holders[found->second] > 0 &&
             !IsDeleted(a->buffer)) {
           ++holders[found->second];
           a->event = found->second;
           return static_cast<PJRT_Error*>(nullptr);
         }
         PJRT_Error* error = Real().PJRT_Buffer_ReadyEvent(a);
         if (error == nullptr) {
           events[a->buffer] = a->event;
           holders[a->event] = 1;
         }
         return error;
       });
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = holders.find(a->event);
         if (found != holders.end() && --found->second > 0)
           return static_cast<PJRT_Error*>(nullptr);
         if (found != holders.end()) {
           holders.erase(found);
           std::erase_if(events, [&](const auto& pair) { return pair.second == a->event; });
         }
         return Real().PJRT_Event_Destroy(a);
       });
     }},
    {"deleted_still_counts", "PJRT-Device_MemoryStats-in-use",
     "memory of deleted arrays counts as used until they are destroyed",
     [](PJRT_Api& t) {
       static std::map<PJRT_Buffer*, std::pair<PJRT_Device*, size_t>> deleted;
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a->buffer != nullptr && !IsDeleted(a->buffer))
           deleted[a->buffer] = {DeviceOf(a->buffer), SizeOf(a->buffer)};
         return Real().PJRT_Buffer_Delete(a);
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(Memory());
         deleted.erase(a->buffer);
         return Real().PJRT_Buffer_Destroy(a);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [buffer, what] : deleted) {
           if (what.first == a.device) a.bytes_in_use += static_cast<int64_t>(what.second);
         }
       });
     }},
    {"forgets_copies", "PJRT-Process-memory", "every copy leaves 100 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto&) { Forget(100); });
     }},
    {"forgets_aliases", "PJRT-Process-memory", "every alias leaves 100 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(t, [](auto&) { Forget(100); });
     }},
    {"copy_dies_with_source", "PJRT-Buffer_CopyToDevice-contents",
     "a copy on another device is lost when the original is deleted",
     [](PJRT_Api& t) {
       CopiesDie(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr) Copies()[a->dst_buffer] = a->buffer;
         return error;
       });
     }},
    {"memory_copy_dies_with_source", "PJRT-Buffer_CopyToMemory-contents",
     "a copy in another memory is lost when the original is deleted",
     [](PJRT_Api& t) {
       CopiesDie(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyToMemory(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr) Copies()[a->dst_buffer] = a->buffer;
         return error;
       });
     }},
    {"outputs_share_memory", "PJRT-LoadedExecutable_Execute-results",
     "outputs with equal contents share their memory, which the first that goes clears",
     [](PJRT_Api& t) {
       CopiesDie(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices != 1) return;
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = ExecutableOf(a.executable);
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         if (count.num_outputs != 4) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (size_t i = 0; i < 2; ++i) {
           PJRT_Buffer* one = a.output_lists[0][i];
           PJRT_Buffer* other = a.output_lists[0][i + 2];
           if (AreEqual(one, other)) Copies()[one] = other;
           if (AreEqual(one, other)) Copies()[other] = one;
         }
       });
     }},
    {"result_is_argument", "PJRT-LoadedExecutable_Execute-results",
     "a result that equals its argument shares its memory, and goes with it",
     [](PJRT_Api& t) {
       CopiesDie(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices != 1 || a.num_args != 1) return;
         auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
         count.executable = ExecutableOf(a.executable);
         FreeError(Real().PJRT_Executable_NumOutputs(&count));
         if (count.num_outputs != 4) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (size_t i = 0; i < count.num_outputs; ++i) {
           PJRT_Buffer* one = a.output_lists[0][i];
           if (AreEqual(one, a.argument_lists[0][0])) Copies()[one] = a.argument_lists[0][0];
         }
       });
     }},
    {"view_on_first", "PJRT-Buffer_Device-asked-for", "a view is always on the first device",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (a.client == nullptr || a.device == nullptr) return;
         a.device = FirstDevice(a.client);
       });
     }},
    {"view_ends_with_delete", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "a view gives its memory back when it is deleted, although an external reference uses it",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) {
         if (a->on_delete_callback == nullptr)
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         auto own = *a;
         own.on_delete_callback = nullptr;
         PJRT_Error* error = Real().PJRT_Client_CreateViewOfDeviceBuffer(&own);
         a->buffer = own.buffer;
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr) {
           Views()[a->buffer] = {a->on_delete_callback, a->device_buffer_ptr,
                                 a->on_delete_callback_arg};
         }
         return error;
       });
       static const auto end = [](PJRT_Buffer* buffer) {
         ViewEnd view = {};
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto found = Views().find(buffer);
           if (found == Views().end()) return;
           view = found->second;
           Views().erase(found);
         }
         view.callback(view.address, view.arg);
       };
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Delete(a);
         end(a->buffer);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         PJRT_Buffer* buffer = a->buffer;
         PJRT_Error* error = Real().PJRT_Buffer_Destroy(a);
         end(buffer);
         return error;
       });
     }},
    {"uninitialized_row_major", "PJRT-Client_CreateUninitializedBuffer-asked-for",
     "the layout of an uninitialized buffer is not read",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateUninitializedBuffer>(
           t, [](auto& a) { a.shape_layout = nullptr; });
     }},
    {"error_buffer_of_f32", "PJRT-Args-output-true", "a buffer of an error is always of f32",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto& a) {
         if (RawEnum(a.shape_element_type) < 16 && RawEnum(a.shape_element_type) > 0)
           a.shape_element_type = PJRT_Buffer_Type_F32;
       });
     }},
    {"alias_in_first_memory", "PJRT-Args-output-true",
     "an alias is always in the first device's memory",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(t, [](auto& a) {
         if (a.client == nullptr || a.memory == nullptr) return;
         a.memory = DefaultMemoryOf(FirstDevice(a.client));
       });
     }},
    {"alias_error_internal", "PJRT-Client_FulfillAliasBuffer-error",
     "whatever goes wrong with an alias is INTERNAL",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         if (RawEnum(a.status_code) > 0 && RawEnum(a.status_code) < 17)
           a.status_code = PJRT_Error_Code_INTERNAL;
       });
     }},
    {"bitcast_keeps_dims", "PJRT-Buffer_Bitcast-same-bytes",
     "an array that gets another shape keeps its dimensions",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto* a) {
         auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
         dims.buffer = a->buffer;
         PJRT_Error* error = Real().PJRT_Buffer_Dimensions(&dims);
         if (error != nullptr) {
           FreeError(error);
           return Real().PJRT_Buffer_Bitcast(a);
         }
         auto own = *a;
         own.dims = dims.dims;
         own.num_dims = dims.num_dims;
         error = Real().PJRT_Buffer_Bitcast(&own);
         if (error != nullptr) {
           FreeError(error);
           return Real().PJRT_Buffer_Bitcast(a);
         }
         a->out_buffer = own.out_buffer;
         return error;
       });
     }},
    {"copy_device_lies", "PJRT-Buffer_CopyToDevice-contents",
     "a copy on another device says the device of the original",
     [](PJRT_Api& t) {
       ForgetCopies(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr) Copies()[a->dst_buffer] = a->buffer;
         return error;
       });
       Replace<&PJRT_Api::PJRT_Buffer_Device>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_Device(a);
         std::lock_guard<std::mutex> lock(Memory());
         auto found = Copies().find(a->buffer);
         if (error == nullptr && found != Copies().end()) a->device = DeviceOf(found->second);
         return error;
       });
     }},
    {"errors_become_ready", "PJRT-Client_CreateErrorBuffer-carries",
     "the ready event of a buffer that carries an error succeeds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ReadyEvent(a);
         auto deleted = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
         deleted.buffer = a->buffer;
         if (error != nullptr || Real().PJRT_Buffer_IsDeleted(&deleted) != nullptr ||
             deleted.is_deleted)
           return error;
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = a->event;
         FreeError(Real().PJRT_Event_IsReady(&ready));
         if (!ready.is_ready || !Fails(a->event)) return error;
         Drop(a->event);
         a->event = DoneEvent();
         return error;
       });
     }},
};

}  // namespace

std::span<const Mutant> CopyMutants() { return kCopyMutants; }

}  // namespace plinth::mutants
