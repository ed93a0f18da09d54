// SPDX-License-Identifier: Apache-2.0
// Bugs that show at some sizes, ranks or strides alone: tails, thresholds, scalars, arrays without
// elements, what lies beside the bytes that were asked for. Written from the requirements, without
// looking at the cases.

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/element_size.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

constexpr char kStrides[] = "PJRT-Client_BufferFromHostBuffer-strides";
constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kPieces[] = "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset";

using Upload = PJRT_Client_BufferFromHostBuffer_Args;
using Piece = PJRT_AsyncHostToDeviceTransferManager_TransferData_Args;

int64_t ElementsOf(const Upload& a) {
  return std::accumulate(a.dims, a.dims + a.num_dims, int64_t{1}, std::multiplies<>());
}

std::vector<int64_t> DenseStrides(const Upload& a) {
  std::vector<int64_t> strides(a.num_dims);
  int64_t step = BytesOfElement(a.type);
  for (size_t i = a.num_dims; i-- > 0; step *= a.dims[i]) strides[i] = step;
  return strides;
}

// Whether the strides are those of an array without gaps whose dimensions are in another order.
bool ArePermuted(const Upload& a) {
  if (a.byte_strides == nullptr || a.num_byte_strides != a.num_dims || ElementsOf(a) == 0)
    return false;
  std::vector<std::pair<int64_t, int64_t>> steps;
  for (size_t i = 0; i < a.num_dims; ++i) {
    if (a.dims[i] != 1) steps.emplace_back(a.byte_strides[i], a.dims[i]);
  }
  if (std::is_sorted(steps.rbegin(), steps.rend())) return false;
  std::sort(steps.begin(), steps.end());
  int64_t step = BytesOfElement(a.type);
  for (const auto& [stride, dim] : steps) {
    if (stride != step) return false;
    step *= dim;
  }
  return true;
}

// Copies an array whose dimensions are in another order byte for byte, from `min_bytes` on.
template <int64_t kMinBytes>
void CopyPermutedFlat(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(table, [](auto& a) {
    if (!ArePermuted(a) || ElementsOf(a) * BytesOfElement(a.type) < kMinBytes) return;
    a.byte_strides = nullptr;
    a.num_byte_strides = 0;
  });
}

PJRT_Buffer* SourceOf(const PJRT_Buffer_ToHostBuffer_Args& args) { return args.src; }
PJRT_Buffer* SourceOf(const PJRT_Buffer_CopyRawToHost_Args& args) { return args.buffer; }

// Runs `change` on what a read of a buffer that is ready writes, and waits for that: a large one
// may come later.
template <auto kSlot, typename Change>
void ChangeRead(PJRT_Api& table, Change) {
  Replace<kSlot>(table, [](auto* args) {
    const bool is_pending = IsPending(SourceOf(*args));
    PJRT_Error* error = (Real().*kSlot)(args);
    if (error == nullptr && args->dst != nullptr && args->event != nullptr && !is_pending &&
        !Fails(args->event))
      Change{}(*args);
    return error;
  });
}

std::vector<int64_t> DimsOf(PJRT_Buffer* buffer) {
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = buffer;
  FreeError(Real().PJRT_Buffer_Dimensions(&dims));
  return {dims.dims, dims.dims + dims.num_dims};
}

// Which bytes of `size` the elements lie on.
std::vector<bool> Covered(const std::vector<int64_t>& dims, const int64_t* strides,
                          size_t element_size, size_t size) {
  std::vector<bool> covered(size);
  std::vector<int64_t> index(dims.size());
  for (;;) {
    int64_t at = 0;
    for (size_t i = 0; i < dims.size(); ++i) at += index[i] * strides[i];
    for (size_t i = 0; i < element_size; ++i) {
      size_t byte = static_cast<size_t>(at) + i;
      if (at >= 0 && byte < size) covered[byte] = true;
    }
    size_t i = dims.size();
    while (i-- > 0 && ++index[i] == dims[i]) index[i] = 0;
    if (i == static_cast<size_t>(-1)) return covered;
  }
}

// Counts of what was done with a buffer of a manager.
std::map<std::pair<void*, int>, int64_t>& Counts() {
  static auto* const counts = new std::map<std::pair<void*, int>, int64_t>;
  return *counts;
}
int64_t Count(const Piece& a, int64_t more) {
  std::lock_guard<std::mutex> lock(Memory());
  return Counts()[{a.transfer_manager, a.buffer_index}] += more;
}
void ForgetManagers(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    std::erase_if(Counts(),
                  [&](const auto& pair) { return pair.first.first == a.transfer_manager; });
  });
}
// Takes no piece that `is_lost` says.
template <typename Lost>
void LosePieces(PJRT_Api& table, Lost) {
  ForgetManagers(table);
  Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(table, [](auto* a) {
    if (!Lost{}(*a)) return Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
    a->done_with_h2d_transfer = DoneEvent();
    return static_cast<PJRT_Error*>(nullptr);
  });
}

int64_t SizeInManager(const Piece& a) {
  auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
  size.transfer_manager = a.transfer_manager;
  size.buffer_index = a.buffer_index;
  FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_BufferSize(&size));
  return static_cast<int64_t>(size.buffer_size);
}

std::set<PJRT_Buffer*>& Copies() {
  static auto* const copies = new std::set<PJRT_Buffer*>;
  return *copies;
}

constexpr Mutant kSizeMutants[] = {
    {"strides_of_rank_5", kStrides, "strides of dimensions behind the fourth are not read",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->byte_strides == nullptr || a->num_byte_strides < 5)
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         std::vector<int64_t> strides = DenseStrides(*a);
         std::copy(a->byte_strides, a->byte_strides + 4, strides.begin());
         return CallChanged<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
             a, [&](auto& own) { own.byte_strides = strides.data(); });
       });
     }},
    {"permuted_is_dense", kStrides, "an array without gaps is copied byte for byte",
     [](PJRT_Api& t) { CopyPermutedFlat<0>(t); }},
    {"large_permuted_is_dense", kStrides,
     "an array of 64 KiB and more without gaps is copied byte for byte",
     [](PJRT_Api& t) { CopyPermutedFlat<65536>(t); }},
    {"last_padded_row_lost", kStrides, "the last row of an array with padded rows is not copied",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.num_dims != 2 || a.num_byte_strides != 2 || a.dims[0] < 2 || a.dims[1] == 0) return;
         const auto row = static_cast<size_t>(a.dims[1] * BytesOfElement(a.type));
         if (a.byte_strides[0] <= static_cast<int64_t>(row)) return;
         ChangeBytes(a.buffer,
                     [&](char* bytes, size_t size) { std::memset(bytes + size - row, 0, row); });
       });
     }},
    {"tail_of_large_upload_lost", kContents,
     "of 64 KiB and more what is left after words of 4 bytes is not copied",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         ChangeBytes(a.buffer, [](char* bytes, size_t size) {
           if (size >= 65536) std::memset(bytes + size - size % 4, 0, size % 4);
         });
       });
     }},
    {"dimensions_of_32_bits", "PJRT-Buffer_Dimensions-asked-for", "dimensions are cut to 32 bits",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         static auto* const kept = new std::set<std::vector<int64_t>>;
         std::vector<int64_t> dims(a.dims, a.dims + a.num_dims);
         for (int64_t& dim : dims) dim = static_cast<int32_t>(dim);
         std::lock_guard<std::mutex> lock(Memory());
         a.dims = kept->insert(dims).first->data();
       });
     }},
    {"empty_is_never_taken", "PJRT-Client_BufferFromHostBuffer-done",
     "host memory of an array without elements is used for ever",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (SizeOf(a.buffer) != 0) return;
         Drop(a.done_with_host_buffer);
         a.done_with_host_buffer = PendingEvent();
       });
     }},
    {"predicate_scalars_are_false", kContents, "a pred without dimensions is false",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.num_dims != 0 || a.type != PJRT_Buffer_Type_PRED) return;
         ChangeBytes(a.buffer, [](char* bytes, size_t) { *bytes = 0; });
       });
     }},
    {"gaps_cleared", kContents, "a copy to the host with gaps clears the gaps",
     [](PJRT_Api& t) {
       ChangeRead<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         std::vector<int64_t> dims = DimsOf(a.src);
         if (a.host_layout == nullptr ||
             a.host_layout->type != PJRT_Buffer_MemoryLayout_Type_Strides ||
             a.host_layout->strides.num_byte_strides != dims.size() || SizeOf(a.src) == 0)
           return;
         auto covered =
             Covered(dims, a.host_layout->strides.byte_strides,
                     static_cast<size_t>(BytesOfElement(ElementTypeOf(a.src))), a.dst_size);
         for (size_t i = 0; i < covered.size(); ++i) {
           if (!covered[i]) static_cast<char*>(a.dst)[i] = 0;
         }
       });
     }},
    {"last_byte_of_mebibyte_lost", kContents,
     "of more than a MiB the last byte of each is not copied to the host",
     [](PJRT_Api& t) {
       ChangeRead<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         constexpr size_t kChunk = 1 << 20;
         for (size_t end = kChunk; end < std::min(a.dst_size, SizeOf(a.src)); end += kChunk)
           static_cast<char*>(a.dst)[end - 1] ^= 0x55;
       });
     }},
    {"empty_read_has_no_event", "PJRT-Args-output-handle",
     "a copy to the host of no bytes has no event",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr || SizeOf(a.src) != 0 || a.event == nullptr) return;
         Drop(a.event);
         a.event = nullptr;
       });
     }},
    {"scalars_have_no_host_layout", kAccepted,
     "a scalar is not copied to the host with a layout of no dimensions",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](const auto& a) {
         return a.src != nullptr && a.host_layout != nullptr && RankOf(a.src) == 0;
       });
     }},
    {"scalars_have_no_layout", kAccepted, "a scalar has no layout to tell",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(
           t, [](const auto& a) { return a.buffer != nullptr && RankOf(a.buffer) == 0; });
     }},
    {"raw_read_rounded_up", "PJRT-Buffer_CopyRawToHost-offset",
     "a raw read writes words of 8 bytes",
     [](PJRT_Api& t) {
       ChangeRead<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         auto size = static_cast<size_t>(a.transfer_size);
         std::memset(static_cast<char*>(a.dst) + size, 0, -size % 8);
       });
     }},
    {"raw_offset_of_16_bits", "PJRT-Buffer_CopyRawToHost-offset",
     "the offset of a raw read is cut to 16 bits",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         if (static_cast<size_t>(a.offset + a.transfer_size) <= SizeOf(a.buffer))
           a.offset &= 0xFFFF;
       });
     }},
    {"copied_scalars_have_rank_1", "PJRT-Args-output-true", "the copy of a scalar has a dimension",
     [](PJRT_Api& t) {
       static std::set<PJRT_Buffer*> copies;
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (RankOf(a.dst_buffer) == 0) copies.insert(a.dst_buffer);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         copies.erase(a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         static constexpr int64_t kOne = 1;
         std::lock_guard<std::mutex> lock(Memory());
         if (!copies.contains(a.buffer)) return;
         a.dims = &kOne;
         a.num_dims = 1;
       });
     }},
    {"odd_byte_not_copied", "PJRT-Buffer_CopyToDevice-contents",
     "a copy of an odd number of bytes lacks the last",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         ChangeBytes(a.dst_buffer, [](char* bytes, size_t size) {
           if (size % 2 != 0 && size > 1) bytes[size - 1] ^= 1;
         });
       });
     }},
    {"odd_byte_not_in_memory", "PJRT-Buffer_CopyToMemory-contents",
     "a copy in a memory of an odd number of bytes lacks the last",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         ChangeBytes(a.dst_buffer, [](char* bytes, size_t size) {
           if (size % 2 != 0 && size > 1) bytes[size - 1] ^= 1;
         });
       });
     }},
    {"large_memory_copy_repeats", "PJRT-Buffer_CopyToMemory-contents",
     "of a copy in a memory of a MiB and more the second half is the first",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         ChangeBytes(a.dst_buffer, [](char* bytes, size_t size) {
           if (size >= 1 << 20) std::memcpy(bytes + size - size / 2, bytes, size / 2);
         });
       });
     }},
    {"empty_view_never_deleted", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback of a view without elements never runs",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (std::count(a.dims, a.dims + a.num_dims, 0) != 0) a.on_delete_callback = nullptr;
       });
     }},
    {"scalar_views_refused", kAccepted, "a view of a scalar is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(
           t, [](const auto& a) { return a.num_dims == 0; });
     }},
    {"bitcast_to_scalar_refused", kAccepted, "an array of one element is not seen as a scalar",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](const auto& a) { return a.num_dims == 0; });
     }},
    {"references_of_8_bits", "PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
     "256 external references are none",
     [](PJRT_Api& t) {
       static std::map<PJRT_Buffer*, int> counts;
       Replace<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_IncreaseExternalReferenceCount(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error != nullptr || ++counts[a->buffer] % 256 != 0) return error;
         auto decrease = MakeArgs<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
         decrease.buffer = a->buffer;
         for (int i = 0; i < 256; ++i)
           FreeError(Real().PJRT_Buffer_DecreaseExternalReferenceCount(&decrease));
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         counts.erase(a.buffer);
       });
     }},
    {"piece_65_lost", kPieces, "the 65th piece of an array is not copied",
     [](PJRT_Api& t) {
       LosePieces(t, [](const auto& a) { return Count(a, 1) == 65 && !a.is_last_transfer; });
     }},
    {"pieces_of_a_byte_lost", kPieces, "a piece of one byte is not copied",
     [](PJRT_Api& t) {
       LosePieces(t, [](const auto& a) { return a.transfer_size == 1 && !a.is_last_transfer; });
     }},
    {"ready_by_sum", kPieces, "an array is ready when as many bytes came as it has",
     [](PJRT_Api& t) {
       ForgetManagers(t);
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.transfer_size > 0 && Count(a, a.transfer_size) >= SizeInManager(a))
           a.is_last_transfer = true;
       });
     }},
    {"empty_last_piece_refused", kAccepted, "a last piece without bytes is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](const auto& a) {
         return a.transfer_manager != nullptr && a.is_last_transfer && a.transfer_size == 0 &&
                SizeInManager(a) != 0;
       });
     }},
    {"written_once", kPieces, "what is written again keeps what was written first",
     [](PJRT_Api& t) {
       static std::map<std::pair<void*, int>, int64_t> first;
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(first, [&](const auto& e) { return e.first.first == a.transfer_manager; });
       });
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto* a) {
         int64_t written;
         {
           std::lock_guard<std::mutex> lock(Memory());
           int64_t& end = first[{a->transfer_manager, a->buffer_index}];
           written = end;
           if (a->offset <= end) end = std::max(end, a->offset + a->transfer_size);
         }
         if (a->transfer_size <= 0 || a->offset < 0 || a->offset + a->transfer_size > written)
           return Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
         return CallChanged<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
             a, [](auto& own) { own.transfer_size = 0; });
       });
     }},
    {"scalars_not_sent", kAccepted, "a manager of a scalar is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](const auto& a) {
         for (size_t i = 0; i < a.num_shape_specs; ++i) {
           if (a.shape_specs[i].num_dims == 0) return true;
         }
         return false;
       });
     }},
    {"eight_metadata", kAccepted, "more than eight values of metadata are refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_AddMetadata>(
           t, [](const auto& a) { return a.num_metadata > 8; });
     }},
    {"no_metadata_refused", kAccepted, "no values of metadata are refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_AddMetadata>(
           t, [](const auto& a) { return a.num_metadata == 0; });
     }},
    {"layouts_of_rank_3_lost", "PJRT-Buffer_CopyToMemory-contents",
     "a copy in a memory of an array of three and more dimensions is row-major",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_GetMemoryLayout(a);
         static std::set<std::vector<int64_t>> kept;
         std::lock_guard<std::mutex> lock(Memory());
         if (error != nullptr || !Copies().contains(a->buffer) || a->layout.tiled.num_tiles != 0 ||
             a->layout.tiled.minor_to_major_size < 3)
           return error;
         std::vector<int64_t> order(a->layout.tiled.minor_to_major_size);
         for (size_t i = 0; i < order.size(); ++i)
           order[i] = static_cast<int64_t>(order.size() - 1 - i);
         a->layout.tiled.minor_to_major = kept.insert(order).first->data();
         return error;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Copies().insert(a.dst_buffer);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Copies().erase(a.buffer);
       });
     }},
};

}  // namespace

std::span<const Mutant> SizeMutants() { return kSizeMutants; }

}  // namespace plinth::mutants
