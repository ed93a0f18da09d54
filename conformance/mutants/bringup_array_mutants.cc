// SPDX-License-Identifier: Apache-2.0
// Bugs of a bring-up: arrays, their layouts and memories, and how they get in and out.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "conformance/mutants/bringup_mutants.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/element_size.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

constexpr auto kUpload = &PJRT_Api::PJRT_Client_BufferFromHostBuffer;
constexpr auto kDownload = &PJRT_Api::PJRT_Buffer_ToHostBuffer;
constexpr auto kManage = &PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice;
constexpr auto kTransfer = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData;
constexpr auto kFail = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError;
constexpr auto kErrorBuffer = &PJRT_Api::PJRT_Client_CreateErrorBuffer;

bool HasStrides(const PJRT_Client_BufferFromHostBuffer_Args& args) {
  return args.byte_strides != nullptr && args.dims != nullptr && args.num_dims > 0 &&
         args.num_byte_strides == args.num_dims;
}

// Whether a step in a dimension of one element is not what it is in a dense array.
bool HasLooseUnitDimension(const PJRT_Client_BufferFromHostBuffer_Args& args) {
  if (!HasStrides(args)) return false;
  int64_t dense = BytesOfElement(args.type, 0);
  if (dense == 0) return false;
  for (size_t i = args.num_dims; i-- > 0;) {
    if (args.dims[i] == 1 && args.byte_strides[i] != dense) return true;
    dense *= args.dims[i];
  }
  return false;
}

PJRT_Device* FirstDeviceOf(PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
  args.memory = memory;
  Quiet<&PJRT_Api::PJRT_Memory_AddressableByDevices>(args);
  return args.num_devices == 0 ? nullptr : args.devices[0];
}

// The first memory of that kind among those of the client.
PJRT_Memory* FirstOfKind(PJRT_Client* client, PJRT_Memory* like) {
  auto args = MakeArgs<PJRT_Client_AddressableMemories_Args>();
  args.client = client;
  Quiet<&PJRT_Api::PJRT_Client_AddressableMemories>(args);
  for (size_t i = 0; i < args.num_addressable_memories; ++i) {
    if (KindOf(args.addressable_memories[i]) == KindOf(like)) return args.addressable_memories[i];
  }
  return like;
}

// A copy of raw bytes into an array of the default layout.
PJRT_Error* CopyAsRowMajor(PJRT_Buffer_CopyToDevice_Args* args) {
  PJRT_Buffer* copy = Uninitialized(args->buffer, ClientOf(args->dst_device), args->dst_device);
  if (copy == nullptr || SizeOf(copy) != SizeOf(args->buffer)) {
    Destroy(copy);
    return Real().PJRT_Buffer_CopyToDevice(args);
  }
  char *from = BytesOf(args->buffer), *to = BytesOf(copy);
  if (from != nullptr && to != nullptr) std::memcpy(to, from, SizeOf(copy));
  args->dst_buffer = copy;
  return nullptr;
}

// How many elements an upload has that may be made from other host memory: what is refused, or lies
// in memory that has to stay the caller's, is as it was. 0 for others.
size_t NumPlainElements(const PJRT_Client_BufferFromHostBuffer_Args& args) {
  int64_t count = 1;
  for (size_t i = 0; i < args.num_dims && args.dims != nullptr; ++i) count *= args.dims[i];
  const bool is_plain = args.byte_strides == nullptr && args.data != nullptr && count > 0 &&
                        count < (1 << 20) &&
                        args.host_buffer_semantics < PJRT_HostBufferSemantics_kImmutableZeroCopy;
  return is_plain ? count : 0;
}

// An upload of what `change` makes of each element.
template <typename To, typename From, typename Change>
PJRT_Error* UploadChanged(PJRT_Client_BufferFromHostBuffer_Args* args, PJRT_Buffer_Type from,
                          PJRT_Buffer_Type to, Change change) {
  const size_t count = args->type == from ? NumPlainElements(*args) : 0;
  if (count == 0) return Real().PJRT_Client_BufferFromHostBuffer(args);
  std::vector<From> given(count);
  std::memcpy(given.data(), args->data, count * sizeof(From));
  std::vector<To> changed(count);
  std::transform(given.begin(), given.end(), changed.begin(), change);
  return CallChanged<kUpload>(args, [&](auto& own) {
    own.data = changed.data();
    own.type = to;
    own.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  });
}

// A donation of memory that only the default memory's allocator knows: from others it copies first.
PJRT_Error* DonateCopy(PJRT_Buffer_DonateWithControlDependency_Args* args) {
  PJRT_Buffer* buffer = args->buffer;
  if (buffer == nullptr || IsDeleted(buffer) || IsPending(buffer) || CarriesError(buffer) ||
      MemoryOf(buffer) == DefaultMemoryOf(DeviceOf(buffer)))
    return Real().PJRT_Buffer_DonateWithControlDependency(args);
  PJRT_Buffer* copy = CopyOf(buffer);
  PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(
      args, [&](auto& own) { own.buffer = copy; });
  if (error == nullptr) Delete(buffer);
  Destroy(copy);
  return error;
}

// The first `last` transfer is taken for the end of the whole manager.
PJRT_Error* TransferAndFinish(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args) {
  PJRT_Error* error = Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(args);
  if (error != nullptr || !args->is_last_transfer) return error;
  const int count = static_cast<int>(NumBuffersOf(args->transfer_manager));
  for (int i = 0; i < count; ++i) {
    if (i == args->buffer_index) continue;
    auto end = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    end.transfer_manager = args->transfer_manager;
    end.buffer_index = i;
    end.data = args->data;
    end.is_last_transfer = true;
    Quiet<kTransfer>(end);
    if (end.done_with_h2d_transfer != nullptr) Drop(end.done_with_h2d_transfer);
  }
  return nullptr;
}

constexpr Mutant kBringupArrayMutants[] = {
    {"stride_last_only", "PJRT-Client_BufferFromHostBuffer-strides",
     "host memory counts as dense where its last dimension is",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (!HasStrides(a) || a.byte_strides[a.num_dims - 1] != BytesOfElement(a.type, 0)) return;
         // Negative steps are seen: the start would not be the lowest address.
         if (std::any_of(a.byte_strides, a.byte_strides + a.num_dims,
                         [](int64_t stride) { return stride <= 0; }))
           return;
         a.byte_strides = nullptr;
         a.num_byte_strides = 0;
       });
     }},
    {"unit_dimension_stride", "PJRT-Args-accepted",
     "host memory with another step than the dense one is refused also where only dimensions of "
     "one element have it",
     [](PJRT_Api& t) {
       Refuse<kUpload, PJRT_Error_Code_UNIMPLEMENTED>(
           t, [](auto& a) { return HasLooseUnitDimension(a); });
     }},
    {"host_memory_of_first_device", "PJRT-Buffer_Memory-asked-for",
     "an upload finds its memory by kind: it is always that of the first device",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (a.memory != nullptr && a.memory != DefaultMemoryOf(FirstDeviceOf(a.memory)))
           a.memory = FirstOfKind(a.client, a.memory);
       });
     }},
    {"layout_permutation_inverse", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "an order of dimensions is taken for its inverse",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         static thread_local std::vector<int64_t> inverse;
         static thread_local PJRT_Buffer_MemoryLayout layout;
         const auto* given = a.device_layout;
         if (given == nullptr || given->type != PJRT_Buffer_MemoryLayout_Type_Tiled) return;
         const size_t rank = given->tiled.minor_to_major_size;
         if (rank == 0 || given->tiled.num_tiles != 0) return;
         inverse.assign(rank, 0);
         for (size_t i = 0; i < rank; ++i) {
           const int64_t dimension = given->tiled.minor_to_major[i];
           if (dimension < 0 || dimension >= static_cast<int64_t>(rank)) return;
           inverse[dimension] = static_cast<int64_t>(i);
         }
         layout = LayoutOf(inverse);
         a.device_layout = &layout;
       });
     }},
    {"copy_loses_layout", "PJRT-Buffer_CopyToDevice-contents",
     "a copy to another device has the bytes of the original, and the default layout",
     [](PJRT_Api& t) {
       RememberClientsOfDevices(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         if (a->buffer == nullptr || a->dst_device == nullptr || IsDeleted(a->buffer) ||
             IsPending(a->buffer) || CarriesError(a->buffer) || IsRowMajor(a->buffer) ||
             a->dst_device == DeviceOf(a->buffer))
           return Real().PJRT_Buffer_CopyToDevice(a);
         return CopyAsRowMajor(a);
       });
     }},
    {"copy_of_pending", "PJRT-Buffer_CopyToDevice-contents",
     "a copy to another device does not wait for the contents of the original",
     [](PJRT_Api& t) {
       RememberClientsOfDevices(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer == nullptr || a->dst_device == nullptr || !IsPending(a->buffer))
           return Real().PJRT_Buffer_CopyToDevice(a);
         a->dst_buffer = Uninitialized(a->buffer, ClientOf(a->dst_device), a->dst_device);
         return a->dst_buffer == nullptr ? Real().PJRT_Buffer_CopyToDevice(a) : nullptr;
       });
     }},
    {"last_of_manager", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "the last transfer of one buffer completes all buffers of its manager",
     [](PJRT_Api& t) { Replace<kTransfer>(t, [](auto* a) { return TransferAndFinish(a); }); }},
    {"manager_error_code", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "each error that is set in place of data becomes INTERNAL",
     [](PJRT_Api& t) {
       ChangeInputs<kFail>(t, [](auto& a) {
         if (a.error_code > PJRT_Error_Code_OK && a.error_code <= PJRT_Error_Code_UNAUTHENTICATED)
           a.error_code = PJRT_Error_Code_INTERNAL;
       });
     }},
    {"manager_first_layout", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "all buffers of a manager that have the rank of the first get its layout",
     [](PJRT_Api& t) {
       ChangeInputs<kManage>(t, [](auto& a) {
         static thread_local std::vector<PJRT_Buffer_MemoryLayout*> layouts;
         if (a.device_layouts == nullptr || a.num_device_layouts != a.num_shape_specs) return;
         layouts.assign(a.device_layouts, a.device_layouts + a.num_device_layouts);
         for (size_t i = 1; i < layouts.size(); ++i) {
           if (a.shape_specs[i].num_dims == a.shape_specs[0].num_dims) layouts[i] = layouts[0];
         }
         a.device_layouts = layouts.data();
       });
     }},
    {"view_memory_ignored", "PJRT-Buffer_Memory-asked-for",
     "a view of memory knows only devices: it lies in the default memory of one",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (a.memory == nullptr) return;
         a.device = FirstDeviceOf(a.memory);
         a.memory = nullptr;
       });
     }},
    {"error_text_truncated", "PJRT-Client_CreateErrorBuffer-carries",
     "the text of an error that a buffer carries ends after 127 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<kErrorBuffer>(t, [](auto& a) {
         if (a.error_message != nullptr)
           a.error_message_size = std::min<size_t>(a.error_message_size, 127);
       });
     }},
    {"payload_lost", "PJRT-Client_CreateErrorBuffer-carries",
     "the payloads of an error do not get into the buffer that carries it",
     [](PJRT_Api& t) {
       ChangeInputs<kErrorBuffer>(t, [](auto& a) {
         a.payload = nullptr;
         a.num_payload = 0;
       });
     }},
    {"scalar_layout_rank_one", "PJRT-Buffer_GetMemoryLayout-order",
     "the layout of a scalar names a dimension",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         static constexpr int64_t kOrder[] = {0};
         if (a.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled || RankOf(a.buffer) != 0) return;
         a.layout.tiled.minor_to_major = kOrder;
         a.layout.tiled.minor_to_major_size = 1;
       });
     }},
    {"s64_kept_in_32_bits", "PJRT-Buffer_ToHostBuffer-contents",
     "64-bit integers lose their upper half, and the array says that it has 64 bits",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* a) {
         return UploadChanged<int64_t, int64_t>(
             a, PJRT_Buffer_Type_S64, PJRT_Buffer_Type_S64,
             [](int64_t number) { return static_cast<int32_t>(number); });
       });
     }},
    {"f64_becomes_f32", "PJRT-Buffer_ElementType-asked-for",
     "an array of 64-bit floats becomes one of 32 bits, as the device has no others",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* a) {
         return UploadChanged<float, double>(
             a, PJRT_Buffer_Type_F64, PJRT_Buffer_Type_F32,
             [](double number) { return static_cast<float>(number); });
       });
     }},
    // Bits that are no numbers are how frameworks mark what is missing.
    {"bf16_nan_canonical", "PJRT-Buffer_ToHostBuffer-contents",
     "bfloat16 goes through a converter, which makes all NaNs the same",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* a) {
         return UploadChanged<uint16_t, uint16_t>(
             a, PJRT_Buffer_Type_BF16, PJRT_Buffer_Type_BF16, [](uint16_t bits) -> uint16_t {
               return (bits & 0x7FFF) > 0x7F80 ? (bits & 0x8000) | 0x7FC0 : bits;
             });
       });
     }},
    // The address of an empty std::vector is null.
    {"empty_array_null_data", "PJRT-Args-accepted",
     "an array without elements is refused if its address is null",
     [](PJRT_Api& t) { Refuse<kUpload>(t, [](auto& a) { return a.data == nullptr; }); }},
    {"donate_moves_memory", "PJRT-Args-output-true",
     "a buffer that takes over memory of the host lies in that of the device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(
           t, [](auto* a) { return DonateCopy(a); });
     }},
    {"download_exact_size", "PJRT-Args-accepted",
     "host memory that is larger than the array is refused",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* a) {
         auto size = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
         size.src = a->src;
         size.host_layout = a->host_layout;
         if (a->src != nullptr && a->dst != nullptr) {
           Quiet<kDownload>(size);
           if (size.dst_size > 0 && a->dst_size > size.dst_size)
             return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "dst_size is not the size needed");
         }
         return Real().PJRT_Buffer_ToHostBuffer(a);
       });
     }},
    // A std::vector without elements gives a null pointer: so do frameworks for scalars.
    {"scalar_null_dims", "PJRT-Args-accepted", "a scalar whose dimensions are null is refused",
     [](PJRT_Api& t) {
       Refuse<kUpload>(t, [](auto& a) { return a.dims == nullptr && a.num_dims == 0; });
     }},
};

}  // namespace

std::span<const Mutant> BringupArrayMutants() { return kBringupArrayMutants; }

}  // namespace plinth::mutants
