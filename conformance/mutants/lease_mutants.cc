// SPDX-License-Identifier: Apache-2.0
// Bugs of how the bytes of an array are lent, placed and given back. Written from the header,
// without looking at the cases.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

bool IsNibble(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4;
}

// How many handles of one address were handed out beside the first.
struct Handles {
  int more = 0;
};

// External references of a buffer.
struct References {
  int count = 0;
};

size_t ElementsOf(PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  args.buffer = buffer;
  Quiet<&Api::PJRT_Buffer_Dimensions>(args);
  size_t count = 1;
  for (size_t i = 0; i < args.num_dims; ++i) count *= static_cast<size_t>(args.dims[i]);
  return count;
}

// Ranges of host memory that are mapped, by their begin.
std::map<const char*, size_t>& Mapped() {
  static auto* const mapped = new std::map<const char*, size_t>;
  return *mapped;
}

// How many bytes of what begins at `data` are in the range that it begins in; SIZE_MAX where it
// begins in none.
size_t BytesInMapping(const char* data) {
  std::lock_guard<std::mutex> lock(Memory());
  auto after = Mapped().upper_bound(data);
  if (after == Mapped().begin()) return SIZE_MAX;
  const auto& [begin, size] = *std::prev(after);
  return data < begin + size ? static_cast<size_t>(begin + size - data) : SIZE_MAX;
}

const Mutant kLeaseMutants[] = {
    {"mutable_zero_copy_refused", "PJRT-Args-accepted",
     "An upload from memory that may be written, too, is refused: the value came with 0.48.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         return a.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
       });
     }},
    {"zero_copy_needs_alignment", "PJRT-Args-accepted",
     "An upload that may use the host's memory is refused where that is not aligned to 64 bytes.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         return a.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy &&
                reinterpret_cast<uintptr_t>(a.data) % 64 != 0;
       });
     }},
    {"view_needs_deleter", "PJRT-Args-accepted",
     "A view that nobody is told the end of is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(
           t, [](auto& a) { return a.on_delete_callback == nullptr; });
     }},
    {"view_of_aligned_memory", "PJRT-Client_CreateViewOfDeviceBuffer-no-copy",
     "A view begins at the last multiple of 64 bytes up to the address that is given.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         a.device_buffer_ptr = reinterpret_cast<void*>(
             reinterpret_cast<uintptr_t>(a.device_buffer_ptr) & ~uintptr_t{63});
       });
     }},
    {"copy_in_place_is_handle", "PJRT-Args-output-new",
     "A copy to the device that a buffer is on is one more hold on the same buffer.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer == nullptr || a->dst_device == nullptr || IsDeleted(a->buffer) ||
             DeviceOf(a->buffer) != a->dst_device) {
           return Real().PJRT_Buffer_CopyToDevice(a);
         }
         std::lock_guard<std::mutex> lock(Memory());
         ++Noted<PJRT_Buffer, Handles>()[a->buffer].more;
         a->dst_buffer = a->buffer;
         return nullptr;
       });
       Replace<&Api::PJRT_Buffer_Destroy>(t, [](auto* a) -> PJRT_Error* {
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto& all = Noted<PJRT_Buffer, Handles>();
           auto found = all.find(a->buffer);
           if (found != all.end() && found->second.more-- > 0) return nullptr;
           if (found != all.end()) all.erase(found);
         }
         return Real().PJRT_Buffer_Destroy(a);
       });
     }},
    {"padded_host_size_dense", "PJRT-Buffer_ToHostBuffer-dst_size",
     "The size that a layout of strides needs on the host is told without its gaps.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr && a.host_layout != nullptr &&
             a.host_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
           a.host_layout = nullptr;
         }
       });
     }},
    {"literal_of_nibbles_packed", "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents",
     "A literal of four-bit numbers is read as two in a byte.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(t, [](auto& a) {
         if (!IsNibble(a.shape_element_type) || a.data == nullptr || a.shape_dims == nullptr)
           return;
         int64_t count = 1;
         for (size_t i = 0; i < a.shape_num_dims; ++i) count *= a.shape_dims[i];
         auto* bytes = Kept(std::vector<char>(count));
         for (int64_t i = 0; i < count; ++i) {
           const char both = static_cast<const char*>(a.data)[i / 2];
           (*bytes)[i] = static_cast<char>(both >> (i % 2 * 4) & 15);
         }
         a.data = bytes->data();
       });
     }},
    {"manager_indices_of_8_bits", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "Of the number of a manager's buffer the lower eight bits count.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.buffer_index > 0) a.buffer_index &= 255;
       });
     }},
    {"bitcast_needs_same_width", "PJRT-Args-accepted",
     "An array is not seen as one of elements of another width.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_Bitcast, PJRT_Error_Code_UNIMPLEMENTED>(t, [](auto& a) {
         if (a.dims == nullptr || a.buffer == nullptr) return false;
         size_t count = 1;
         for (size_t i = 0; i < a.num_dims; ++i) count *= static_cast<size_t>(a.dims[i]);
         return count != ElementsOf(a.buffer) && SizeOf(a.buffer) > 0;
       });
     }},
    {"bitcast_waits", "PJRT-Args-accepted",
     "A bitcast of what is still to come waits until it is there.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         if (!IsPending(a.buffer)) return;
         PJRT_Event* ready = ReadyEventOf(a.buffer);
         (void)Fails(ready);
         Drop(ready);
       });
     }},
    {"alias_layout_forgotten", "PJRT-Args-output-true", "The layout of an alias is not looked at.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateAliasBuffer>(t,
                                                         [](auto& a) { a.shape_layout = nullptr; });
     }},
    {"size_of_31_bits", "PJRT-Buffer_OnDeviceSizeInBytes-enough",
     "The size of an array of 2 GiB and more is cut to 31 bits.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_OnDeviceSizeInBytes>(
           t, [](auto& a) { a.on_device_size_in_bytes &= 0x7FFFFFFF; });
     }},
    {"reference_forbids_delete", "PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
     "A buffer with an external reference is not deleted: the call is refused.",
     [](Api& t) {
       ForgetBuffers<References>(t);
       ChangeOutputs<&Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto& a) { Note(a.buffer, References{NoteOf<References>(a.buffer).count + 1}); });
       ChangeOutputs<&Api::PJRT_Buffer_DecreaseExternalReferenceCount>(
           t, [](auto& a) { Note(a.buffer, References{NoteOf<References>(a.buffer).count - 1}); });
       Refuse<&Api::PJRT_Buffer_Delete, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return NoteOf<References>(a.buffer).count > 0; });
     }},
    {"upload_ends_with_mapping", "PJRT-Buffer_ToHostBuffer-contents",
     "Of an array that begins in mapped memory what lies behind its end is not uploaded.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_DmaMap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Mapped()[static_cast<const char*>(a.data)] = a.size;
       });
       ChangeInputs<&Api::PJRT_Client_DmaUnmap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Mapped().erase(static_cast<const char*>(a.data));
       });
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.type != PJRT_Buffer_Type_F32 || a.num_byte_strides > 0 || a.dims == nullptr) return;
         size_t bytes = sizeof(float);
         for (size_t i = 0; i < a.num_dims; ++i) bytes *= static_cast<size_t>(a.dims[i]);
         const size_t mapped = BytesInMapping(static_cast<const char*>(a.data));
         if (mapped >= bytes) return;
         auto* own = Kept(std::vector<char>(bytes));
         std::memcpy(own->data(), a.data, mapped);
         a.data = own->data();
       });
     }},
    {"fulfilling_takes_buffer", "PJRT-Buffer_IsDeleted-truth",
     "The buffer that an alias stands for counts as deleted from then on.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         if (a.status_code == PJRT_Error_Code_OK && a.buffer != nullptr) Mark(a.buffer);
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
       ChangeOutputs<&Api::PJRT_Buffer_IsDeleted>(
           t, [](auto& a) { a.is_deleted |= IsMarked(a.buffer); });
     }},
    {"future_error_without_text", "PJRT-Buffer_CopyRawToHostFuture-error",
     "An error that a prepared copy gets in place of a destination loses its text.",
     [](Api& t) {
       ChangeFutures(t, [](auto& own) {
         own.error_message = nullptr;
         own.error_message_size = 0;
       });
     }},
};

}  // namespace

std::span<const Mutant> LeaseMutants() { return kLeaseMutants; }

}  // namespace plinth::mutants
