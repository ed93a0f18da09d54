// SPDX-License-Identifier: Apache-2.0
// Bugs that a quick look does not show, as in oversight_client_mutants.cc. Here of arrays: uploads,
// what is said of arrays, copies, references, views, aliases and transfers piece by piece. Written
// from the header and the registry, before a look at the cases.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
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

// Marks the arguments that an execution donates, until they are destroyed.
void MarkDonated(PJRT_Api& table) {
  Replace<&Api::PJRT_LoadedExecutable_Execute>(table, [](auto* a) -> PJRT_Error* {
    std::vector<PJRT_Buffer*> alive;
    for (size_t d = 0; a->argument_lists != nullptr && d < a->num_devices; ++d) {
      for (size_t i = 0; i < a->num_args; ++i) {
        PJRT_Buffer* buffer = a->argument_lists[d][i];
        if (buffer != nullptr && !IsDeleted(buffer)) alive.push_back(buffer);
      }
    }
    PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
    if (error != nullptr) return error;
    for (PJRT_Buffer* buffer : alive) {
      if (IsDeleted(buffer)) Mark(buffer);
    }
    return nullptr;
  });
  ChangeInputs<&Api::PJRT_Buffer_Destroy>(table, [](auto& a) { Unmark(a.buffer); });
}

std::span<const int64_t> DimsOfBuffer(PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  args.buffer = buffer;
  Quiet<&Api::PJRT_Buffer_Dimensions>(args);
  return {args.dims, args.num_dims};
}

size_t ElementsOf(PJRT_Buffer* buffer) {
  size_t elements = 1;
  for (int64_t dim : DimsOfBuffer(buffer)) elements *= static_cast<size_t>(dim);
  return elements;
}

bool HasFourBits(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4 ||
         type == PJRT_Buffer_Type_F4E2M1FN;
}

// A view of a caller's memory, which is kept for ever: its end may be told at two places.
struct View {
  void* bytes;
  void (*on_delete)(void*, void*);
  void* argument;
  std::atomic<bool> is_told{false};
};
void Tell(View& view) {
  if (!view.is_told.exchange(true)) view.on_delete(view.bytes, view.argument);
}

// A copy whose destination is still to be named.
struct Prepared {
  PJRT_Buffer* buffer;
  void* data;
  void (*callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
  bool is_deleted = false;
};
std::set<Prepared*>& AllPrepared() {
  static auto* const all = new std::set<Prepared*>;
  return *all;
}

// A text and how many living arrays carry it.
struct Interned {
  std::string text;
  int living = 0;
};
std::map<int, Interned>& InternedByCode() {
  static auto* const interned = new std::map<int, Interned>;
  return *interned;
}

const Mutant kOversightArrayMutants[] = {
    // Uploads.
    {"stride_of_single_row_refused", "PJRT-Args-accepted",
     "An upload is refused where the stride of a dimension of size 1 leads past the array.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.byte_strides == nullptr || a.dims == nullptr || a.num_byte_strides != a.num_dims)
           return false;
         int64_t span = 16;
         for (size_t i = 0; i < a.num_dims; ++i)
           span += std::abs(a.byte_strides[i]) * std::max<int64_t>(a.dims[i] - 1, 0);
         for (size_t i = 0; i < a.num_dims; ++i) {
           if (a.dims[i] == 1 && std::abs(a.byte_strides[i]) > span) return true;
         }
         return false;
       });
     }},
    {"scalar_goes_to_the_device", "PJRT-Client_BufferFromHostBuffer-memory-wins",
     "A scalar goes to the default memory of `device` where `memory` is given too.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.num_dims == 0 && a.device != nullptr) a.memory = nullptr;
       });
     }},
    {"layout_needs_a_device", "PJRT-Client_CreateUninitializedBuffer-asked-for",
     "An array without contents that is made by memory alone has the default layout.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto& a) {
         if (a.device == nullptr) a.shape_layout = nullptr;
       });
     }},
    {"errors_of_a_code_share_text", "PJRT-Client_CreateErrorBuffer-carries",
     "An array that carries an error has the text of a living one that carries the same code.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_CreateErrorBuffer>(t, [](auto* a) -> PJRT_Error* {
         std::string text(a->error_message == nullptr ? "" : a->error_message,
                          a->error_message == nullptr ? 0 : a->error_message_size);
         {
           std::lock_guard<std::mutex> lock(Memory());
           const Interned& interned = InternedByCode()[a->error_code];
           if (interned.living > 0) text = interned.text;
         }
         PJRT_Error* error = CallChanged<&Api::PJRT_Client_CreateErrorBuffer>(a, [&](auto& own) {
           if (own.error_message == nullptr && own.error_message_size != 0) return;
           own.error_message = text.data();
           own.error_message_size = text.size();
         });
         if (error != nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         Interned& interned = InternedByCode()[a->error_code];
         interned.text = text;
         ++interned.living;
         Noted<PJRT_Buffer, PJRT_Error_Code>()[a->buffer] = a->error_code;
         return nullptr;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = Noted<PJRT_Buffer, PJRT_Error_Code>().find(a.buffer);
         if (found == Noted<PJRT_Buffer, PJRT_Error_Code>().end()) return;
         --InternedByCode()[found->second].living;
         Noted<PJRT_Buffer, PJRT_Error_Code>().erase(found);
       });
     }},

    // What is said of arrays.
    {"donated_array_forgets_its_shape", "PJRT-Args-output-same",
     "An argument that an execution took has no dimensions any more.",
     [](Api& t) {
       MarkDonated(t);
       ChangeOutputs<&Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         if (IsMarked(a.buffer)) a.num_dims = 0;
       });
     }},
    {"empty_dimension_is_dynamic", "PJRT-Buffer_DynamicDimensionIndices-static",
     "The last dimension of size 0 is told as dynamic.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_DynamicDimensionIndices>(t, [](auto& a) {
         static const size_t kIndices[] = {0, 1, 2, 3, 4, 5, 6, 7};
         const auto dims = DimsOfBuffer(a.buffer);
         for (size_t i = 0; i < dims.size() && i < std::size(kIndices); ++i) {
           if (dims[i] != 0) continue;
           a.dynamic_dim_indices = &kIndices[i];
           a.num_dynamic_dims = 1;
         }
       });
     }},
    {"bitcast_tells_layout_of_source", "PJRT-Buffer_GetMemoryLayout-order",
     "A bitcast to another rank tells the order of dimensions of what it was made from.",
     [](Api& t) {
       if (t.PJRT_Buffer_Bitcast == nullptr) return;
       using Order = std::vector<int64_t>;
       ChangeOutputs<&Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         auto layout = MakeArgs<PJRT_Buffer_GetMemoryLayout_Args>();
         layout.buffer = a.buffer;
         Quiet<&Api::PJRT_Buffer_GetMemoryLayout>(layout);
         if (layout.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled) return;
         const auto& tiled = layout.layout.tiled;
         if (tiled.minor_to_major_size != a.num_dims) {
           Note(a.out_buffer,
                Order(tiled.minor_to_major, tiled.minor_to_major + tiled.minor_to_major_size));
         }
       });
       ForgetBuffers<Order>(t);
       ChangeOutputs<&Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = Noted<PJRT_Buffer, Order>().find(a.buffer);
         if (found == Noted<PJRT_Buffer, Order>().end()) return;
         a.layout.tiled.minor_to_major = found->second.data();
         a.layout.tiled.minor_to_major_size = found->second.size();
       });
     }},
    {"odd_nibbles_round_down", "PJRT-Buffer_OnDeviceSizeInBytes-enough",
     "An odd number of elements of 4 bits is told to take half a byte less than it does.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_OnDeviceSizeInBytes>(t, [](auto& a) {
         const size_t elements = ElementsOf(a.buffer);
         if (HasFourBits(ElementTypeOf(a.buffer)) && elements % 2 == 1)
           a.on_device_size_in_bytes = elements / 2;
       });
     }},
    {"donor_is_ready", "PJRT-Buffer_ReadyEvent-deleted",
     "The event of an array that was donated with a control dependency succeeds.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_DonateWithControlDependency>(
           t, [](auto& a) { Mark(a.buffer); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
       ChangeOutputs<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (!IsMarked(a.buffer)) return;
         Drop(a.event);
         a.event = DoneEvent();
       });
     }},
    {"empty_array_has_two_addresses", "PJRT-Buffer_UnsafePointer-same",
     "The unsafe address of an array without elements is another than the opaque one.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_UnsafePointer>(t, [](auto& a) {
         if (ElementsOf(a.buffer) == 0) a.buffer_pointer += 64;
       });
     }},

    // Copies.
    {"copy_in_place_goes_with_source", "PJRT-Buffer_CopyToMemory-contents",
     "A copy into the memory that the original lies in is overwritten once that is deleted.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         if (a.dst_memory == MemoryOf(a.buffer)) Note<PJRT_Buffer*>(a.dst_buffer, a.buffer);
       });
       ChangeInputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         std::vector<PJRT_Buffer*> copies;
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [copy, source] : Noted<PJRT_Buffer, PJRT_Buffer*>()) {
             if (source == a.buffer) copies.push_back(copy);
           }
         }
         for (PJRT_Buffer* copy : copies) Clear(copy);
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(Noted<PJRT_Buffer, PJRT_Buffer*>(), [&](const auto& copy) {
           return copy.first == a.buffer || copy.second == a.buffer;
         });
       });
     }},
    {"scalar_is_copied_too_early", "PJRT-Buffer_CopyToDevice-contents",
     "A scalar that is not there yet is copied to another device as a zero.",
     [](Api& t) {
       RememberClientsOfDevices(t);
       Replace<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer == nullptr || a->dst_device == nullptr || RankOf(a->buffer) != 0 ||
             a->dst_device == DeviceOf(a->buffer) || !IsPending(a->buffer))
           return Real().PJRT_Buffer_CopyToDevice(a);
         PJRT_Client* client = ClientOf(a->dst_device);
         PJRT_Buffer* copy =
             client == nullptr ? nullptr : Uninitialized(a->buffer, client, a->dst_device);
         if (copy == nullptr) return Real().PJRT_Buffer_CopyToDevice(a);
         ChangeBytes(copy, [](char* bytes, size_t size) { std::memset(bytes, 0, size); });
         a->dst_buffer = copy;
         return nullptr;
       });
     }},
    {"host_copy_is_kept", "PJRT-Buffer_ToHostBuffer-contents",
     "An array that is read again gives the bytes of the first time, whatever layout is wanted.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) -> PJRT_Error* {
         if (a->dst == nullptr || a->src == nullptr || IsPending(a->src))
           return Real().PJRT_Buffer_ToHostBuffer(a);
         auto ask = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
         ask.src = a->src;
         ask.host_layout = a->host_layout;
         Quiet<&Api::PJRT_Buffer_ToHostBuffer>(ask);
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr || Fails(a->event) || ask.dst_size == 0) return error;
         const auto kept = NoteOf<std::string>(a->src);
         if (kept.size() == ask.dst_size) std::memcpy(a->dst, kept.data(), kept.size());
         if (kept.empty())
           Note(a->src, std::string(static_cast<const char*>(a->dst), ask.dst_size));
         return nullptr;
       });
       ForgetBuffers<std::string>(t);
     }},
    {"raw_part_loses_error", "PJRT-Args-output-true",
     "A raw copy that begins after the first byte of an array that carries an error succeeds.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         if (a.offset == 0 || !CarriesError(a.buffer)) return;
         Drop(a.event);
         a.event = DoneEvent();
       });
     }},
    {"prepared_copy_ends_with_delete", "PJRT-Buffer_Delete-uses",
     "A prepared copy fails if its array is deleted before the destination is named.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         auto* prepared = new Prepared{a.buffer, a.callback_data, a.future_ready_callback};
         {
           std::lock_guard<std::mutex> lock(Memory());
           AllPrepared().insert(prepared);
         }
         a.callback_data = prepared;
         a.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
           auto* named = static_cast<Prepared*>(args->callback_data);
           {
             std::lock_guard<std::mutex> lock(Memory());
             AllPrepared().erase(named);
           }
           auto own = *args;
           own.callback_data = named->data;
           if (named->is_deleted && own.error_code == PJRT_Error_Code_OK) {
             own.error_code = PJRT_Error_Code_CANCELLED;
             own.error_message = "the array is deleted";
             own.error_message_size = std::strlen(own.error_message);
           }
           named->callback(&own);
           delete named;
         };
       });
       ChangeInputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (Prepared* prepared : AllPrepared()) {
           if (prepared->buffer == a.buffer) prepared->is_deleted = true;
         }
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (Prepared* prepared : AllPrepared()) {
           if (prepared->buffer == a.buffer) prepared->buffer = nullptr;
         }
       });
     }},

    // References, views and aliases.
    {"references_are_a_flag", "PJRT-Args-accepted",
     "Of two external references to an array the second cannot be given back.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto& a) { Mark(a.buffer); });
       Replace<&Api::PJRT_Buffer_DecreaseExternalReferenceCount>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer != nullptr && !IsMarked(a->buffer))
           return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "no external reference");
         Unmark(a->buffer);
         return Real().PJRT_Buffer_DecreaseExternalReferenceCount(a);
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"view_ends_under_reference", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "A view that is deleted calls its owner although an external reference is held.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) -> PJRT_Error* {
         if (a->on_delete_callback == nullptr)
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         auto* view =
             new View{a->device_buffer_ptr, a->on_delete_callback, a->on_delete_callback_arg};
         PJRT_Error* error =
             CallChanged<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [&](auto& own) {
               own.on_delete_callback_arg = view;
               own.on_delete_callback = [](void*, void* argument) {
                 Tell(*static_cast<View*>(argument));
               };
             });
         if (error == nullptr) Note<View*>(a->buffer, view);
         return error;
       });
       ChangeOutputs<&Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto& a) { Note<int>(a.buffer, NoteOf<int>(a.buffer) + 1); });
       ChangeOutputs<&Api::PJRT_Buffer_DecreaseExternalReferenceCount>(
           t, [](auto& a) { Note<int>(a.buffer, NoteOf<int>(a.buffer) - 1); });
       ChangeInputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         View* view = NoteOf<View*>(a.buffer);
         if (view != nullptr && NoteOf<int>(a.buffer) > 0) Tell(*view);
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Buffer, View*>().erase(a.buffer);
         Noted<PJRT_Buffer, int>().erase(a.buffer);
       });
     }},
    {"wordless_failure_of_alias_succeeds", "PJRT-Client_FulfillAliasBuffer-error",
     "An alias that is said to have failed, without a text, is there and holds anything.",
     [](Api& t) {
       using Callback = PJRT_FulfillAliasBufferCallback;
       ChangeOutputs<&Api::PJRT_Client_CreateAliasBuffer>(
           t, [](auto& a) { Note<PJRT_Buffer*>(a.fulfill_alias_buffer_cb, a.alias_buffer); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(Noted<Callback, PJRT_Buffer*>(),
                       [&](const auto& alias) { return alias.second == a.buffer; });
       });
       Replace<&Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Buffer* alias = NoteOf<PJRT_Buffer*>(a->fulfill_alias_buffer_cb);
         {
           std::lock_guard<std::mutex> lock(Memory());
           Noted<Callback, PJRT_Buffer*>().erase(a->fulfill_alias_buffer_cb);
         }
         if (alias == nullptr || a->client == nullptr || a->status_code < 1 ||
             a->status_code > PJRT_Error_Code_UNAUTHENTICATED || a->error_message_size != 0)
           return Real().PJRT_Client_FulfillAliasBuffer(a);
         PJRT_Buffer* other = Uninitialized(alias, a->client, DeviceOf(alias));
         if (other == nullptr) return Real().PJRT_Client_FulfillAliasBuffer(a);
         PJRT_Error* error = CallChanged<&Api::PJRT_Client_FulfillAliasBuffer>(a, [&](auto& own) {
           own.status_code = PJRT_Error_Code_OK;
           own.buffer = other;
         });
         Destroy(other);
         return error;
       });
     }},

    // Transfers piece by piece.
    {"last_piece_goes_to_the_end", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "The last of several pieces lands at the end of the array, whatever its offset.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (!a.is_last_transfer || a.transfer_size <= 0 || a.offset < 0) return;
         auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
         size.transfer_manager = a.transfer_manager;
         size.buffer_index = a.buffer_index;
         Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(size);
         const auto end = static_cast<int64_t>(size.buffer_size);
         if (a.offset + a.transfer_size < end) a.offset = end - a.transfer_size;
       });
     }},
    {"error_reaches_later_arrays", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "An error that is set of one array of a manager is that of all arrays after it too.",
     [](Api& t) {
       Replace<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto* a) -> PJRT_Error* {
             PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(a);
             if (error != nullptr) return error;
             auto later = *a;
             const int count = static_cast<int>(NumBuffersOf(a->transfer_manager));
             while (++later.buffer_index < count)
               Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(later);
             return nullptr;
           });
     }},
    {"literal_of_high_rank_has_no_layout",
     "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents",
     "The layout of an array of three or more dimensions that is transferred whole is not read.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(t, [](auto& a) {
         if (a.shape_num_dims > 2) a.shape_layout = nullptr;
       });
     }},
};

}  // namespace

std::span<const Mutant> OversightArrayMutants() { return kOversightArrayMutants; }

}  // namespace plinth::mutants
