// SPDX-License-Identifier: Apache-2.0
// Bugs of authors who wrap a runtime of their own and forget what it does not ask for: the second
// time, the other thread, the failing path, the object that goes first. Here of buffers and of what
// fills them. Written from the header and the registry, before a look at the cases.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;
using Manager = PJRT_AsyncHostToDeviceTransferManager;

// What a runtime loses where its author thought of success alone.
constexpr size_t kLost = 64 << 10;

std::map<uintptr_t, size_t>& MappedRanges() {
  static auto* const ranges = new std::map<uintptr_t, size_t>;
  return *ranges;
}

// What an array was before it was seen as something else.
struct Shape {
  bool is_there = false;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims;
};

struct IsAlias {
  bool is_so = false;
};

std::map<PJRT_FulfillAliasBufferCallback*, PJRT_Buffer*>& Aliases() {
  static auto* const aliases = new std::map<PJRT_FulfillAliasBufferCallback*, PJRT_Buffer*>;
  return *aliases;
}

struct Dependent {
  PJRT_Buffer* buffer = nullptr;
};

// Addresses with a view that somebody waits for the end of.
std::set<void*>& ViewedAddresses() {
  static auto* const addresses = new std::set<void*>;
  return *addresses;
}

std::set<std::pair<Manager*, int>>& Retrieved() {
  static auto* const retrieved = new std::set<std::pair<Manager*, int>>;
  return *retrieved;
}

void ForgetMarks(PJRT_Api& table) {
  ChangeInputs<&Api::PJRT_Buffer_Destroy>(table, [](auto& a) { Unmark(a.buffer); });
}

const Mutant kNeglectArrayMutants[] = {
    // Buffers.
    {"destroyed_pending_leaks", "PJRT-Process-memory",
     "A buffer that is destroyed before its contents have come is never freed.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer != nullptr && IsPending(a.buffer)) Forget(SizeOf(a.buffer) + kLost);
       });
     }},
    {"unpadded_scratch", "PJRT-Args-output-lifetime",
     "The dimensions in use lie where a thread gets those of the next buffer.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_UnpaddedDimensions>(t, [](auto& a) {
         static thread_local int64_t scratch[8];
         if (a.num_dims > std::size(scratch)) return;
         std::copy_n(a.unpadded_dims, a.num_dims, scratch);
         a.unpadded_dims = scratch;
       });
     }},
    {"no_dynamic_count_left", "PJRT-Args-output-set",
     "The number of dynamic dimensions is not written where there is none.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_DynamicDimensionIndices>(t, [](auto* a) {
         const size_t before = a->num_dynamic_dims;
         PJRT_Error* error = Real().PJRT_Buffer_DynamicDimensionIndices(a);
         if (error == nullptr && a->num_dynamic_dims == 0) a->num_dynamic_dims = before;
         return error;
       });
     }},
    {"pending_not_deletable", "PJRT-Args-accepted",
     "A buffer whose contents are still to come is not deleted: the call is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_Delete, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.buffer != nullptr && IsPending(a.buffer); });
     }},
    {"copy_of_bitcast_forgets", "PJRT-Buffer_CopyToDevice-contents",
     "A copy of what was seen as another type or shape has those from before.",
     [](Api& t) {
       if (t.PJRT_Buffer_Bitcast == nullptr) return;
       ForgetBuffers<Shape>(t);
       ChangeOutputs<&Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
         dims.buffer = a.buffer;
         Quiet<&Api::PJRT_Buffer_Dimensions>(dims);
         Note(a.out_buffer, Shape{true, ElementTypeOf(a.buffer),
                                  std::vector<int64_t>(dims.dims, dims.dims + dims.num_dims)});
       });
       ChangeOutputs<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         const Shape before = NoteOf<Shape>(a.buffer);
         if (!before.is_there) return;
         auto cast = MakeArgs<PJRT_Buffer_Bitcast_Args>();
         cast.buffer = a.dst_buffer;
         cast.element_type = before.type;
         cast.dims = before.dims.data();
         cast.num_dims = before.dims.size();
         Quiet<&Api::PJRT_Buffer_Bitcast>(cast);
         if (cast.out_buffer == nullptr) return;
         Destroy(a.dst_buffer);
         a.dst_buffer = cast.out_buffer;
       });
     }},
    {"copy_of_error_leaks", "PJRT-Process-memory",
     "The memory for a copy of a buffer that carries an error is not given back.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (CarriesError(a.buffer)) Forget(kLost);
       });
     }},
    {"refused_download_leaks", "PJRT-Process-memory",
     "A download that is refused leaves its staging memory behind.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr) Forget(kLost);
         return error;
       });
     }},
    {"ready_of_donated_good", "PJRT-Buffer_ReadyEvent-deleted",
     "The event of a buffer that was donated, not deleted, ends well.",
     [](Api& t) {
       ForgetMarks(t);
       ChangeInputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         if (a.buffer != nullptr && !IsDeleted(a.buffer)) Mark(a.buffer);
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer == nullptr || IsMarked(a->buffer) || !IsDeleted(a->buffer)) {
           return Real().PJRT_Buffer_ReadyEvent(a);
         }
         a->event = DoneEvent();
         return nullptr;
       });
     }},
    {"bitcast_ready_early", "PJRT-Buffer_ReadyEvent-after",
     "Pending bytes that are seen as another type count as ready at once.",
     [](Api& t) {
       if (t.PJRT_Buffer_Bitcast == nullptr) return;
       ForgetMarks(t);
       ChangeOutputs<&Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         if (IsPending(a.out_buffer)) Mark(a.out_buffer);
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!IsMarked(a->buffer) || !IsPending(a->buffer)) {
           return Real().PJRT_Buffer_ReadyEvent(a);
         }
         a->event = DoneEvent();
         return nullptr;
       });
     }},
    {"other_devices_memory_refused", "PJRT-Args-accepted",
     "A copy to host memory that belongs to another device than the buffer's is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_CopyToMemory, PJRT_Error_Code_UNIMPLEMENTED>(t, [](auto& a) {
         return a.buffer != nullptr && a.dst_memory != nullptr &&
                KindOf(a.dst_memory).find("host") != std::string::npos &&
                !Reaches(DeviceOf(a.buffer), a.dst_memory);
       });
     }},
    {"views_of_one_address_joined", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "Owners of views are kept by address: of two of the same bytes the first alone is told.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) -> PJRT_Error* {
         if (a->on_delete_callback == nullptr || a->device_buffer_ptr == nullptr) {
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         }
         bool is_first;
         {
           std::lock_guard<std::mutex> lock(Memory());
           is_first = ViewedAddresses().insert(a->device_buffer_ptr).second;
         }
         if (!is_first) {
           return CallChanged<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(
               a, [](auto& own) { own.on_delete_callback = nullptr; });
         }
         struct Owner {
           void (*callback)(void*, void*);
           void* argument;
         };
         auto* owner = new Owner{a->on_delete_callback, a->on_delete_callback_arg};
         PJRT_Error* error =
             CallChanged<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [&](auto& own) {
               own.on_delete_callback_arg = owner;
               own.on_delete_callback = [](void* bytes, void* argument) {
                 const Owner its = *static_cast<Owner*>(argument);
                 delete static_cast<Owner*>(argument);
                 {
                   std::lock_guard<std::mutex> lock(Memory());
                   ViewedAddresses().erase(bytes);
                 }
                 its.callback(bytes, its.argument);
               };
             });
         if (error == nullptr) return nullptr;
         delete owner;
         std::lock_guard<std::mutex> lock(Memory());
         ViewedAddresses().erase(a->device_buffer_ptr);
         return error;
       });
     }},
    {"one_mapping_in_a_page", "PJRT-Args-accepted",
     "Host memory is mapped by pages: a range in a page of which another part is mapped is "
     "refused.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_DmaMap>(t, [](auto* a) {
         constexpr uintptr_t kPage = 4096;
         const auto begin = reinterpret_cast<uintptr_t>(a->data);
         const uintptr_t end = begin + a->size;
         if (begin == 0 || a->size == 0) return Real().PJRT_Client_DmaMap(a);
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [other, size] : MappedRanges()) {
             // Ranges that overlap are another matter.
             if (begin < other + size && other < end) continue;
             if (begin / kPage <= (other + size - 1) / kPage &&
                 other / kPage <= (end - 1) / kPage) {
               return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "the page is mapped");
             }
           }
         }
         PJRT_Error* error = Real().PJRT_Client_DmaMap(a);
         if (error != nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         MappedRanges()[begin] = a->size;
         return error;
       });
       ChangeOutputs<&Api::PJRT_Client_DmaUnmap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         MappedRanges().erase(reinterpret_cast<uintptr_t>(a.data));
       });
     }},
    {"uninitialized_of_nothing_refused", "PJRT-Args-accepted",
     "An array without elements cannot be made without contents.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto& a) {
         return a.shape_dims != nullptr &&
                std::count(a.shape_dims, a.shape_dims + a.shape_num_dims, 0) > 0;
       });
     }},
    {"alias_of_alias_ready_early", "PJRT-Client_CreateAliasBuffer-waits",
     "An alias that stands for an alias that is still to come counts as ready.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_CreateAliasBuffer>(t, [](auto& a) {
         Note(a.alias_buffer, IsAlias{true});
         std::lock_guard<std::mutex> lock(Memory());
         Aliases()[a.fulfill_alias_buffer_cb] = a.alias_buffer;
       });
       Replace<&Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto* a) {
         PJRT_Buffer* alias = nullptr;
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto found = Aliases().find(a->fulfill_alias_buffer_cb);
           if (found != Aliases().end()) {
             alias = found->second;
             Aliases().erase(found);
           }
         }
         const bool is_early = a->status_code == PJRT_Error_Code_OK && a->buffer != nullptr &&
                               NoteOf<IsAlias>(a->buffer).is_so && IsPending(a->buffer);
         PJRT_Error* error = Real().PJRT_Client_FulfillAliasBuffer(a);
         if (error == nullptr && is_early && alias != nullptr) Mark(alias);
         return error;
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!IsMarked(a->buffer) || !IsPending(a->buffer)) {
           return Real().PJRT_Buffer_ReadyEvent(a);
         }
         a->event = DoneEvent();
         return nullptr;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Buffer, IsAlias>().erase(a.buffer);
         Marked<PJRT_Buffer>().erase(a.buffer);
         std::erase_if(Aliases(), [&](const auto& it) { return it.second == a.buffer; });
       });
     }},
    {"error_buffer_layout_refused", "PJRT-Args-accepted",
     "A buffer that carries an error is refused a layout: it has no bytes.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_CreateErrorBuffer>(
           t, [](auto& a) { return a.shape_layout != nullptr; });
     }},
    {"failed_future_leaks", "PJRT-Process-memory",
     "A prepared copy that gets an error in place of a destination keeps its staging memory.",
     [](Api& t) {
       ChangeFutures(t, [](auto& own) {
         if (own.error_code != PJRT_Error_Code_OK) Forget(kLost);
       });
     }},
    {"dependent_dies_with_donor", "PJRT-Buffer_DonateWithControlDependency-waits",
     "If the handle of a donated buffer is destroyed before the new one may be used that fails.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_DonateWithControlDependency>(
           t, [](auto& a) { Note(a.buffer, Dependent{a.out_buffer}); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         auto& all = Noted<PJRT_Buffer, Dependent>();
         if (auto found = all.find(a.buffer); found != all.end()) {
           if (IsPending(found->second.buffer)) Marked<PJRT_Buffer>().insert(found->second.buffer);
           all.erase(found);
         }
         std::erase_if(all, [&](const auto& it) { return it.second.buffer == a.buffer; });
         Marked<PJRT_Buffer>().erase(a.buffer);
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!IsMarked(a->buffer)) return Real().PJRT_Buffer_ReadyEvent(a);
         a->event = FailedEvent("the memory is gone");
         return nullptr;
       });
     }},

    // Buffers that are filled piece by piece.
    {"refused_piece_spoils_buffer", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "A piece that is refused makes its buffer fail, whatever right pieces follow.",
     [](Api& t) {
       Replace<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
         if (error == nullptr || a->transfer_manager == nullptr || a->buffer_index < 0 ||
             static_cast<size_t>(a->buffer_index) >= NumBuffersOf(a->transfer_manager)) {
           return error;
         }
         auto set = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
         set.transfer_manager = a->transfer_manager;
         set.buffer_index = a->buffer_index;
         set.error_code = PJRT_Error_Code_INTERNAL;
         Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(set);
         return error;
       });
     }},
    {"error_before_retrieve_generic",
     "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "A buffer that gets its error before it was handed out has a text of the plugin's own.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Retrieved().insert({a.transfer_manager, a.buffer_index});
       });
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         static constexpr std::string_view kText = "the transfer failed";
         std::lock_guard<std::mutex> lock(Memory());
         if (Retrieved().contains({a.transfer_manager, a.buffer_index})) return;
         if (a.error_message_size == 0 || a.error_message == nullptr) return;
         a.error_message = kText.data();
         a.error_message_size = kText.size();
       });
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(Retrieved(),
                       [&](const auto& buffer) { return buffer.first == a.transfer_manager; });
       });
     }},

};

}  // namespace

std::span<const Mutant> NeglectArrayMutants() { return kNeglectArrayMutants; }

}  // namespace plinth::mutants
