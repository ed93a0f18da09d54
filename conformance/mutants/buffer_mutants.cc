// SPDX-License-Identifier: Apache-2.0
// Bugs in what buffers say about themselves, in their deletion, references and views.

#include <algorithm>
#include <mutex>
#include <set>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

// A set of buffers, for any thread.
class Buffers {
 public:
  bool Add(PJRT_Buffer* buffer) {
    std::lock_guard lock(mutex_);
    return buffers_.insert(buffer).second;
  }
  bool Remove(PJRT_Buffer* buffer) {
    std::lock_guard lock(mutex_);
    return buffers_.erase(buffer) != 0;
  }
  bool Has(PJRT_Buffer* buffer) {
    std::lock_guard lock(mutex_);
    return buffers_.contains(buffer);
  }

 private:
  std::mutex mutex_;
  std::set<PJRT_Buffer*> buffers_;
};

Buffers& Marked() {
  static Buffers* const marked = new Buffers;
  return *marked;
}

void ForgetDestroyed(PJRT_Api& table) {
  Replace<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto* a) {
    Marked().Remove(a->buffer);
    return Real().PJRT_Buffer_Destroy(a);
  });
}

struct OnDelete {
  void (*callback)(void*, void*);
  void* arg;
};

constexpr Mutant kBufferMutants[] = {
    {"type_wrong", "PJRT-Buffer_ToHostBuffer-contents", "u32 is reported as s32",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ElementType(a);
         if (a->type == PJRT_Buffer_Type_U32) a->type = PJRT_Buffer_Type_S32;
         return error;
       });
     }},
    {"dimension_order", "PJRT-Buffer_ToHostBuffer-contents",
     "five dimensions are reported in the wrong order",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         static thread_local int64_t dims[5];
         if (a.num_dims != 5) return;
         std::reverse_copy(a.dims, a.dims + 5, dims);
         a.dims = dims;
       });
     }},
    {"delete_not_seen", "PJRT-Buffer_IsDeleted-truth", "a deleted buffer says that it is not",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) { a.is_deleted = false; });
     }},
    {"delete_again", "PJRT-Buffer_Delete-again", "deleting a buffer again is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         auto deleted = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
         deleted.buffer = a->buffer;
         bool is_deleted = a->buffer != nullptr &&
                           Real().PJRT_Buffer_IsDeleted(&deleted) == nullptr && deleted.is_deleted;
         if (!is_deleted) return Real().PJRT_Buffer_Delete(a);
         return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "deleted");
       });
     }},
    {"delete_ignored", "PJRT-Buffer_ToHostBuffer-deleted", "a deleted buffer can be read",
     [](PJRT_Api& t) {
       ForgetDestroyed(t);
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer == nullptr) return Real().PJRT_Buffer_Delete(a);
         Marked().Add(a->buffer);
         return nullptr;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         if (Marked().Has(a.buffer)) a.is_deleted = true;
       });
     }},
    {"ready_of_deleted", "PJRT-Buffer_ReadyEvent-deleted",
     "the ready event of a deleted buffer succeeds",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) {
         auto deleted = MakeArgs<PJRT_Buffer_IsDeleted_Args>();
         deleted.buffer = a->buffer;
         bool is_deleted = a->buffer != nullptr &&
                           Real().PJRT_Buffer_IsDeleted(&deleted) == nullptr && deleted.is_deleted;
         if (!is_deleted) return Real().PJRT_Buffer_ReadyEvent(a);
         auto create = MakeArgs<PJRT_Event_Create_Args>();
         if (PJRT_Error* error = Real().PJRT_Event_Create(&create)) return error;
         auto set = MakeArgs<PJRT_Event_Set_Args>();
         set.event = a->event = create.event;
         return Real().PJRT_Event_Set(&set);
       });
     }},
    {"ready_too_early", "PJRT-Buffer_ReadyEvent-after",
     "a buffer's ready event is ready before its contents are there",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ReadyEvent(a);
         if (error != nullptr) return error;
         auto ready = MakeArgs<PJRT_Event_IsReady_Args>();
         ready.event = a->event;
         if (Real().PJRT_Event_IsReady(&ready) != nullptr || ready.is_ready) return error;
         auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
         destroy.event = a->event;
         (void)Real().PJRT_Event_Destroy(&destroy);
         auto create = MakeArgs<PJRT_Event_Create_Args>();
         if (PJRT_Error* failed = Real().PJRT_Event_Create(&create)) return failed;
         auto set = MakeArgs<PJRT_Event_Set_Args>();
         set.event = a->event = create.event;
         return Real().PJRT_Event_Set(&set);
       });
     }},
    {"destroy_null_buffer", "PJRT-Buffer_Destroy-null", "destroying a null buffer is refused",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto* a) {
         if (a->buffer != nullptr) return Real().PJRT_Buffer_Destroy(a);
         return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "buffer is null");
       });
     }},
    {"references_below_zero", "PJRT-Buffer_DecreaseExternalReferenceCount-zero",
     "external references are not counted: one more may be given back than was taken",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(
           t, [](auto* a) -> PJRT_Error* {
             PJRT_Error* error = Real().PJRT_Buffer_DecreaseExternalReferenceCount(a);
             if (a->buffer == nullptr) return error;
             FreeError(error);
             return nullptr;
           });
     }},
    {"reference_not_kept", "PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
     "memory with an external reference goes when its buffer is deleted",
     [](PJRT_Api& t) {
       ForgetDestroyed(t);
       Replace<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto* a) -> PJRT_Error* {
             if (a->buffer == nullptr) return Real().PJRT_Buffer_IncreaseExternalReferenceCount(a);
             Marked().Add(a->buffer);
             return nullptr;
           });
       Replace<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(
           t, [](auto* a) -> PJRT_Error* {
             return Marked().Remove(a->buffer)
                        ? nullptr
                        : Real().PJRT_Buffer_DecreaseExternalReferenceCount(a);
           });
     }},
    {"view_never_deleted", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback of a view never runs",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(
           t, [](auto& a) { a.on_delete_callback = nullptr; });
     }},
    {"view_deleted_twice", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback of a view runs twice",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) {
         if (a->on_delete_callback == nullptr) {
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         }
         auto own = *a;
         auto* on_delete = new OnDelete{a->on_delete_callback, a->on_delete_callback_arg};
         own.on_delete_callback_arg = on_delete;
         own.on_delete_callback = [](void* memory, void* arg) {
           OnDelete copy = *static_cast<OnDelete*>(arg);
           delete static_cast<OnDelete*>(arg);
           copy.callback(memory, copy.arg);
           copy.callback(memory, copy.arg);
         };
         PJRT_Error* error = Real().PJRT_Client_CreateViewOfDeviceBuffer(&own);
         if (error != nullptr) delete on_delete;
         a->buffer = own.buffer;
         return error;
       });
     }},
    {"two_devices_one_id", "PJRT-DeviceDescription_Id-unique", "every device has the id 0",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_Id>(t, [](auto& a) { a.id = 0; });
     }},
    {"lookup_any_device", "PJRT-Client_LookupDevice-unknown", "the id of no device finds a device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_LookupDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_LookupDevice(a);
         if (error == nullptr || a->client == nullptr) return error;
         FreeError(error);
         a->id = 0;
         return Real().PJRT_Client_LookupDevice(a);
       });
     }},
    {"device_order", "PJRT-Client_AddressableDevices-subset",
     "the addressable devices come in another order once the second was looked up",
     [](PJRT_Api& t) {
       static bool is_reversed = false;
       Replace<&PJRT_Api::PJRT_Client_LookupDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_LookupDevice(a);
         is_reversed = error == nullptr && a->id == 1;
         return error;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Client_AddressableDevices>(t, [](auto& a) {
         static std::vector<PJRT_Device*> devices;
         if (!is_reversed) return;
         is_reversed = false;
         devices.assign(a.addressable_devices, a.addressable_devices + a.num_addressable_devices);
         std::reverse(devices.begin(), devices.end());
         a.addressable_devices = devices.data();
       });
     }},
    {"memory_kind", "PJRT-Device_AddressableMemories-kinds",
     "all memories of a device have the same kind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Memory_Kind>(t, [](auto& a) {
         a.kind = "device";
         a.kind_size = 6;
       });
     }},
    {"no_default_memory", "PJRT-Device_DefaultMemory-exists", "a device has no default memory",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_DefaultMemory>(t, [](auto& a) { a.memory = nullptr; });
     }},
    {"bytes_limit_not_set", "PJRT-Device_MemoryStats-bytes_limit",
     "bytes_limit holds something that is not marked as set",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         a.bytes_limit_is_set = false;
         a.bytes_limit = 12345;
       });
     }},
};

}  // namespace

std::span<const Mutant> BufferMutants() { return kBufferMutants; }

}  // namespace plinth::mutants
