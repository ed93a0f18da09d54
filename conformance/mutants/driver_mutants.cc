// SPDX-License-Identifier: Apache-2.0
// What the driver below a plugin does to arrays: rows that are padded, tiles, addresses that have
// to be aligned, tables and queues that are full. An eleventh set, written before a look at the
// cases.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

constexpr auto kUpload = &PJRT_Api::PJRT_Client_BufferFromHostBuffer;
constexpr auto kDownload = &PJRT_Api::PJRT_Buffer_ToHostBuffer;
constexpr auto kTransfer = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData;
constexpr auto kManager = &PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice;
constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kStrides[] = "PJRT-Client_BufferFromHostBuffer-strides";
constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kMemory[] = "PJRT-Process-memory";

bool IsShort(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_F16 || type == PJRT_Buffer_Type_BF16 ||
         type == PJRT_Buffer_Type_S16 || type == PJRT_Buffer_Type_U16;
}
bool IsSubByte(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4 ||
         type == PJRT_Buffer_Type_S2 || type == PJRT_Buffer_Type_U2;
}
bool IsByte(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_S8 || type == PJRT_Buffer_Type_U8 ||
         type == PJRT_Buffer_Type_PRED;
}
bool IsZeroCopy(PJRT_HostBufferSemantics semantics) {
  return semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
         semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
}
uintptr_t AddressOf(const void* data) { return reinterpret_cast<uintptr_t>(data); }

// Whether the array that its strides reach is as large as a dense one.
bool CoversDense(const PJRT_Client_BufferFromHostBuffer_Args& a) {
  if (a.num_byte_strides != a.num_dims || a.num_dims == 0) return false;
  int64_t smallest = INT64_MAX, dense = 1, reach = 0;
  for (size_t i = 0; i < a.num_dims; ++i) {
    if (a.byte_strides[i] <= 0 || a.dims[i] == 0) return false;
    smallest = std::min(smallest, a.byte_strides[i]);
    dense *= a.dims[i];
    reach += (a.dims[i] - 1) * a.byte_strides[i];
  }
  return reach + smallest >= dense * smallest;
}

// What is known of a transfer manager.
struct Transfers {
  bool is_open = false;
  bool has_failed = false;
  std::set<int> done;
};
// Copies that were made of an array in its own memory.
struct Copies {
  std::vector<PJRT_Buffer*> all;
};
struct References {
  int count = 0;
};

std::atomic<int> open_managers = 0;
std::set<void*>& Mapped() {
  static auto* const mapped = new std::set<void*>;
  return *mapped;
}

constexpr Mutant kDriverMutants[] = {
    {"odd_rows_of_halves", kContents,
     "rows of an odd number of 16-bit elements lose the last of every second row",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (!IsShort(a.type) || a.num_dims < 2 || a.dims[a.num_dims - 1] % 2 == 0) return;
         const size_t row = static_cast<size_t>(a.dims[a.num_dims - 1]) * 2;
         if (row < 4) return;
         ChangeBytes(a.buffer, [&](char* bytes, size_t size) {
           for (size_t at = row; at + row <= size; at += 2 * row)
             std::memset(bytes + at + row - 2, 0, 2);
         });
       });
     }},
    {"tiles_of_32", kStrides, "of a transposed array what does not fill tiles of 32 is not copied",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (a.num_byte_strides != 2 || a.num_dims != 2 || a.byte_strides == nullptr) return;
         if (a.byte_strides[0] >= a.byte_strides[1] || a.dims[0] <= 32 || a.dims[0] % 32 == 0)
           return;
         ChangeBytes(a.buffer, [&](char* bytes, size_t size) {
           const size_t row = size / static_cast<size_t>(a.dims[0]);
           std::memset(bytes + size - row, 0, row);
         });
       });
     }},
    {"raw_tail_of_cache_lines", "PJRT-Buffer_CopyRawToHost-offset",
     "a raw copy from the middle of an array copies whole lines of 64 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         if (a.offset > 0 && a.transfer_size > 64) a.transfer_size -= a.transfer_size % 64;
       });
     }},
    {"rows_of_nibbles", kContents,
     "the first element of the second row of an array of less than a byte is lost",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (!IsSubByte(a.type) || a.num_dims < 2 || a.dims[a.num_dims - 1] % 2 == 0) return;
         const size_t row = static_cast<size_t>(a.dims[a.num_dims - 1]);
         ChangeBytes(a.buffer, [&](char* bytes, size_t size) {
           if (row < size) bytes[row] = 0;
         });
       });
     }},
    {"small_copied_early", "PJRT-Buffer_CopyToDevice-contents",
     "a copy of at most 16 bytes that are not there yet has what is there",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* args) -> PJRT_Error* {
         if (!IsPending(args->buffer) || SizeOf(args->buffer) > 16)
           return Real().PJRT_Buffer_CopyToDevice(args);
         PJRT_Buffer* early = Uninitialized(args->buffer, LastClient(), DeviceOf(args->buffer));
         PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_Buffer_CopyToDevice>(
             args, [&](auto& a) { a.buffer = early; });
         Destroy(early);
         return error;
       });
     }},
    {"sixteen_managers", kAccepted, "no more than 16 transfer managers live",
     [](PJRT_Api& t) {
       Replace<kManager>(t, [](auto* args) {
         if (open_managers >= 16)
           return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "no transfer engine is free");
         PJRT_Error* error = (Real().*kManager)(args);
         if (error == nullptr) ++open_managers;
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         if (a.transfer_manager != nullptr) --open_managers;
       });
     }},
    {"thirty_two_buffers", "PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes",
     "a manager says that it has at most 32 buffers",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount>(
           t, [](auto& a) { a.buffer_count = std::min<size_t>(a.buffer_count, 32); });
     }},
    {"error_ends_manager", kAccepted,
     "after the error of a buffer its manager takes no data for the others",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(
           t, [](auto& a) {
             auto transfers = NoteOf<Transfers>(a.transfer_manager);
             transfers.has_failed = true;
             Note(a.transfer_manager, transfers);
           });
       Refuse<kTransfer>(
           t, [](const auto& a) { return NoteOf<Transfers>(a.transfer_manager).has_failed; });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(
           t, [](auto& a) { Note(a.transfer_manager, Transfers{}); });
     }},
    {"retrieved_before_data", kAccepted,
     "a buffer whose last piece has come cannot be retrieved any more",
     [](PJRT_Api& t) {
       ChangeOutputs<kTransfer>(t, [](auto& a) {
         if (!a.is_last_transfer) return;
         auto transfers = NoteOf<Transfers>(a.transfer_manager);
         transfers.done.insert(a.buffer_index);
         Note(a.transfer_manager, transfers);
       });
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(
           t, [](const auto& a) {
             return NoteOf<Transfers>(a.transfer_manager).done.contains(a.buffer_index);
           });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(
           t, [](auto& a) { Note(a.transfer_manager, Transfers{}); });
     }},
    {"own_memory_is_alias", "PJRT-Buffer_CopyToMemory-contents",
     "a copy to the memory that an array is in goes when the array is deleted",
     [](PJRT_Api& t) {
       ForgetBuffers<Copies>(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto* args) -> PJRT_Error* {
         const bool is_own = args->buffer != nullptr && args->dst_memory == MemoryOf(args->buffer);
         PJRT_Error* error = Real().PJRT_Buffer_CopyToMemory(args);
         if (error != nullptr || !is_own) return error;
         auto copies = NoteOf<Copies>(args->buffer);
         copies.all.push_back(args->dst_buffer);
         Note(args->buffer, copies);
         Mark(args->dst_buffer);
         return nullptr;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         for (PJRT_Buffer* copy : NoteOf<Copies>(a.buffer).all) {
           if (IsMarked(copy)) Delete(copy);
         }
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"zero_copy_is_dense", kStrides, "memory that is used without a copy is read as dense",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (!IsZeroCopy(a.host_buffer_semantics) || !CoversDense(a)) return;
         a.byte_strides = nullptr;
         a.num_byte_strides = 0;
       });
     }},
    {"zero_copy_has_no_layout", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "memory that is used without a copy stays as it lies, whatever the layout",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (IsZeroCopy(a.host_buffer_semantics)) a.device_layout = nullptr;
       });
     }},
    {"nibbles_to_other_device", "PJRT-Buffer_CopyToDevice-contents",
     "elements of less than a byte lose the last on the way to another device",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (!IsSubByte(ElementTypeOf(a.dst_buffer)) || IsDeleted(a.buffer) ||
             DeviceOf(a.buffer) == a.dst_device)
           return;
         ChangeBytes(a.dst_buffer, [](char* bytes, size_t size) { bytes[size - 1] ^= 1; });
       });
     }},
    {"copy_says_default_layout", "PJRT-Buffer_GetMemoryLayout-order",
     "a copy on another device says that it is laid out row-major",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) { Mark(a.dst_buffer); });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         static const int64_t falling[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
         const size_t rank = a.layout.tiled.minor_to_major_size;
         if (IsMarked(a.buffer) && a.layout.type == PJRT_Buffer_MemoryLayout_Type_Tiled &&
             rank <= 10)
           a.layout.tiled.minor_to_major = falling + 10 - rank;
       });
     }},
    {"bytes_have_no_host_layout", "PJRT-Buffer_ToHostBuffer-layout",
     "the layout for the host of an array of bytes is not looked at",
     [](PJRT_Api& t) {
       ChangeInputs<kDownload>(t, [](auto& a) {
         if (a.host_layout != nullptr && IsByte(ElementTypeOf(a.src))) a.host_layout = nullptr;
       });
     }},
    {"aligned_destination", kAccepted, "a destination that is not aligned to 4 bytes is refused",
     [](PJRT_Api& t) {
       Refuse<kDownload>(t, [](const auto& a) { return AddressOf(a.dst) % 4 != 0; });
     }},
    {"aligned_source", kContents, "an upload begins at an address that is aligned to 4 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(
           t, [](auto& a) { a.data = static_cast<const char*>(a.data) - AddressOf(a.data) % 4; });
     }},
    {"unmapped_all", kAccepted, "unmapping one region unmaps the others",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DmaMap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Mapped().insert(a.data);
       });
       Replace<&PJRT_Api::PJRT_Client_DmaUnmap>(t, [](auto* args) {
         std::lock_guard<std::mutex> lock(Memory());
         if (Mapped().empty()) return MakeError(PJRT_Error_Code_NOT_FOUND, "it is not mapped");
         Mapped().clear();
         return Real().PJRT_Client_DmaUnmap(args);
       });
     }},
    {"fifteen_references", kAccepted, "a 16th external reference is refused",
     [](PJRT_Api& t) {
       ForgetBuffers<References>(t);
       Replace<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(t, [](auto* args) {
         const int count = NoteOf<References>(args->buffer).count;
         if (count >= 15) return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "too many");
         PJRT_Error* error = Real().PJRT_Buffer_IncreaseExternalReferenceCount(args);
         if (error == nullptr) Note(args->buffer, References{count + 1});
         return error;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(
           t, [](auto& a) { Note(a.buffer, References{NoteOf<References>(a.buffer).count - 1}); });
     }},
    {"unfinished_manager_leaks", kMemory,
     "a manager that is destroyed before its last piece leaves 300 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<kManager>(t, [](auto& a) {
         Note(a.transfer_manager, Transfers{true, false, {}});
       });
       ChangeOutputs<kTransfer>(t, [](auto& a) {
         if (a.is_last_transfer) Note(a.transfer_manager, Transfers{});
       });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         if (NoteOf<Transfers>(a.transfer_manager).is_open) Forget(300);
       });
     }},
};

}  // namespace

std::span<const Mutant> DriverMutants() { return kDriverMutants; }

}  // namespace plinth::mutants
