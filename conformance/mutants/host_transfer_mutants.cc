// SPDX-License-Identifier: Apache-2.0
// Bugs in transfers between the host and buffers: uploads, copies to the host, raw copies. Written
// from the requirements, without looking at the cases.

#include <cfenv>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kStrides[] = "PJRT-Client_BufferFromHostBuffer-strides";

using Upload = PJRT_Client_BufferFromHostBuffer_Args;

bool HasStrides(const Upload& a) { return a.byte_strides != nullptr && a.num_byte_strides > 0; }

int64_t ElementsOf(const Upload& a) {
  return std::accumulate(a.dims, a.dims + a.num_dims, int64_t{1}, std::multiplies<>());
}

bool IsPlainFloats(const Upload& a) {
  return a.type == PJRT_Buffer_Type_F32 && !HasStrides(a) && a.device_layout == nullptr &&
         a.client != nullptr && (a.device != nullptr || a.memory != nullptr) && ElementsOf(a) > 0 &&
         a.data != nullptr;
}

// A layout of three or more dimensions with the inverse order; null where it is of fewer.
struct TurnedLayout {
  PJRT_Buffer_MemoryLayout layout;
  std::vector<int64_t> order;
};
PJRT_Buffer_MemoryLayout* Turned(const PJRT_Buffer_MemoryLayout* layout) {
  static thread_local TurnedLayout turned;
  if (layout == nullptr || layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
      layout->tiled.minor_to_major_size < 3)
    return nullptr;
  turned.layout = *layout;
  const auto& tiled = layout->tiled;
  turned.order.assign(tiled.minor_to_major_size, 0);
  // What stands at a place and the place change roles, counted from the major end.
  size_t rank = tiled.minor_to_major_size;
  for (size_t i = 0; i < rank; ++i) {
    turned.order[rank - 1 - static_cast<size_t>(tiled.minor_to_major[i])] =
        static_cast<int64_t>(rank - 1 - i);
  }
  turned.layout.tiled.minor_to_major = turned.order.data();
  return &turned.layout;
}

// Clears a buffer's bytes from `from` on.
void ClearFrom(PJRT_Buffer* buffer, size_t from) {
  size_t size = SizeOf(buffer);
  char* bytes = size > from ? BytesOf(buffer) : nullptr;
  if (bytes != nullptr) std::memset(bytes + from, 0, size - from);
}

constexpr Mutant kHostTransferMutants[] = {
    {"shorts_are_signed", "PJRT-Buffer_ElementType-asked-for", "u16 is reported as s16",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto& a) {
         if (a.type == PJRT_Buffer_Type_U16) a.type = PJRT_Buffer_Type_S16;
       });
     }},
    {"eight_bits_confused", "PJRT-Buffer_ElementType-asked-for",
     "f8E5M2FNUZ is reported as f8E4M3FNUZ",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto& a) {
         if (a.type == PJRT_Buffer_Type_F8E5M2FNUZ) a.type = PJRT_Buffer_Type_F8E4M3FNUZ;
       });
     }},
    {"empty_is_flat", "PJRT-Buffer_Dimensions-asked-for",
     "an empty array of several dimensions has one",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         static const int64_t zero[] = {0};
         for (size_t i = 0; i < a.num_dims; ++i) {
           if (a.dims[i] != 0) continue;
           a.dims = zero;
           a.num_dims = 1;
         }
       });
     }},
    {"empty_is_never_ready", "PJRT-Buffer_ReadyEvent-after", "an empty array is never ready",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (IsDeleted(a.buffer) || SizeOf(a.buffer) != 0) return;
         Drop(a.event);
         a.event = PendingEvent();
       });
     }},
    {"zero_strides_dense", kStrides, "strides of 0 are read as those of a dense array",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (!HasStrides(a)) return;
         for (size_t i = 0; i < a.num_byte_strides; ++i) {
           if (a.byte_strides[i] == 0 && a.dims[i] > 1) a.num_byte_strides = 0;
         }
         if (a.num_byte_strides == 0) a.byte_strides = nullptr;
       });
     }},
    {"padded_rows_dense", kStrides, "rows with a gap behind them are read without it",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (!HasStrides(a) || a.num_dims != 2 || a.byte_strides[1] <= 0) return;
         if (a.byte_strides[0] > a.byte_strides[1] * a.dims[1]) {
           a.byte_strides = nullptr;
           a.num_byte_strides = 0;
         }
       });
     }},
    {"wide_elements_halved", kStrides, "of strided elements of 16 bytes eight arrive",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error != nullptr || a->type != PJRT_Buffer_Type_C128 || !HasStrides(*a)) return error;
         char* bytes = BytesOf(a->buffer);
         for (size_t i = 8; bytes != nullptr && i < SizeOf(a->buffer); i += 16)
           std::memset(bytes + i, 0, 8);
         return error;
       });
     }},
    {"strided_end_lost", kStrides, "of a strided array of more than 64 KiB the first 64 KiB arrive",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_BufferFromHostBuffer(a);
         if (error != nullptr || !HasStrides(*a) || SizeOf(a->buffer) <= 65536) return error;
         if (char* bytes = BytesOf(a->buffer))
           std::memset(bytes + 65536, 0, SizeOf(a->buffer) - 65536);
         return error;
       });
     }},
    {"until_done_read_later", "PJRT-Client_BufferFromHostBuffer-done",
     "with kImmutableUntilTransferCompletes the host memory is read after the event",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->host_buffer_semantics !=
                 PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes ||
             !IsPlainFloats(*a))
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         return UploadLater(a, ElementsOf(*a) * static_cast<int64_t>(4),
                            std::chrono::milliseconds(3));
       });
     }},
    {"large_read_after_call", "PJRT-Client_BufferFromHostBuffer-only-during-call",
     "more than 64 KiB are read after the call",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall ||
             !IsPlainFloats(*a) || ElementsOf(*a) < 16384)
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         return UploadLater(a, ElementsOf(*a) * static_cast<int64_t>(4),
                            std::chrono::milliseconds(3));
       });
     }},
    {"zero_copy_never_done", "PJRT-Client_BufferFromHostBuffer-done",
     "memory that was lent is never given back",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy) return;
         Drop(a.done_with_host_buffer);
         a.done_with_host_buffer = PendingEvent();
       });
     }},
    {"layout_told_row_major", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "every layout is reported as row-major",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         static const int64_t order[] = {7, 6, 5, 4, 3, 2, 1, 0};
         size_t rank = a.layout.tiled.minor_to_major_size;
         if (a.layout.type == PJRT_Buffer_MemoryLayout_Type_Tiled && rank <= 8)
           a.layout.tiled.minor_to_major = order + (8 - rank);
       });
     }},
    {"device_layout_inverse", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "the order of a layout of three dimensions is taken the other way round",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (auto* turned = Turned(a.device_layout)) a.device_layout = turned;
       });
     }},
    {"host_layout_inverse", "PJRT-Buffer_ToHostBuffer-layout",
     "the order of a host layout of three dimensions is taken the other way round",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (auto* turned = Turned(a.host_layout)) a.host_layout = turned;
       });
     }},
    {"exact_destination", "PJRT-Args-accepted", "a destination larger than needed is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](const auto& a) {
         auto size = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
         size.src = a.src;
         size.host_layout = a.host_layout;
         if (a.dst == nullptr || a.src == nullptr) return false;
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(&size);
         FreeError(error);
         return error == nullptr && a.dst_size > size.dst_size;
       });
     }},
    {"question_makes_event", "PJRT-Buffer_ToHostBuffer-dst_size",
     "asking for the size hands out an event",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr) a.event = DoneEvent();
       });
     }},
    {"nibbles_are_packed", "PJRT-Buffer_ToHostBuffer-dst_size",
     "the size of four-bit arrays is told as half of what is written",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr && ElementTypeOf(a.src) == PJRT_Buffer_Type_S4)
           a.dst_size = (a.dst_size + 1) / 2;
       });
     }},
    {"size_waits", "PJRT-Buffer_ToHostBuffer-dst_size", "asking for the size waits for contents",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         if (a->dst == nullptr && a->src != nullptr && !IsDeleted(a->src)) {
           PJRT_Event* event = ReadyEventOf(a->src);
           for (int i = 0; i < 400 && event != nullptr && !IsReady(event); ++i)
             std::this_thread::sleep_for(std::chrono::milliseconds(5));
           if (event != nullptr) {
             bool is_ready = IsReady(event);
             Drop(event);
             if (!is_ready) return MakeError(PJRT_Error_Code_DEADLINE_EXCEEDED, "not ready");
           }
         }
         return Real().PJRT_Buffer_ToHostBuffer(a);
       });
     }},
    {"error_reads_as_zeros", "PJRT-Client_CreateErrorBuffer-carries",
     "a buffer that carries an error is read as zeros",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (a->dst == nullptr || a->src == nullptr || IsDeleted(a->src)) return error;
         if (error != nullptr) {
           auto size = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
           size.src = a->src;
           PJRT_Error* sizes = Real().PJRT_Buffer_ToHostBuffer(&size);
           FreeError(sizes);
           if (sizes != nullptr || size.dst_size > a->dst_size) return error;
           FreeError(error);
         } else if (!IsReady(a->event) || !Fails(a->event)) {
           return error;
         } else {
           Drop(a->event);
         }
         std::memset(a->dst, 0, a->dst_size);
         a->event = DoneEvent();
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"raw_end_refused", "PJRT-Args-accepted", "a raw copy up to the end is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](const auto& a) {
         return a.buffer != nullptr && a.offset > 0 &&
                static_cast<size_t>(a.offset + a.transfer_size) == SizeOf(a.buffer);
       });
     }},
    {"raw_before_start", "PJRT-Buffer_CopyRawToHost-range", "a negative offset is taken as 0",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(
           t, [](auto& a) { a.offset = a.offset < 0 ? 0 : a.offset; });
     }},
    {"raw_in_words", "PJRT-Buffer_CopyRawToHost-offset", "a raw copy moves whole words only",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t,
                                                          [](auto& a) { a.offset &= ~int64_t{3}; });
     }},
    {"rounds_up_afterwards", "PJRT-Process-state", "after a transfer numbers are rounded up",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
           t, [](auto&) { std::fesetround(FE_UPWARD); });
     }},
    {"truths_of_one_bit", kContents, "a byte of a truth that is neither 0 nor 1 stays",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         char* bytes = a.type == PJRT_Buffer_Type_PRED ? BytesOf(a.buffer) : nullptr;
         if (bytes == nullptr) return;
         for (size_t i = 0; i < SizeOf(a.buffer); ++i) bytes[i] = bytes[i] == 0 ? 0 : 3;
       });
     }},
    {"nibbles_lose_sign", kContents, "negative numbers of four bits come back positive",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr || a->dst == nullptr ||
             ElementTypeOf(a->src) != PJRT_Buffer_Type_S4 || Fails(a->event))
           return error;
         for (size_t i = 0; i < a->dst_size; ++i) static_cast<char*>(a->dst)[i] &= 7;
         return error;
       });
     }},
    {"second_transfer_refused", "PJRT-Args-accepted",
     "a second copy to the host is refused while the first is not ready",
     [](PJRT_Api& t) {
       static int pending = 0;
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         if (a->dst == nullptr || a->src == nullptr || IsDeleted(a->src))
           return Real().PJRT_Buffer_ToHostBuffer(a);
         PJRT_Event* event = ReadyEventOf(a->src);
         bool waits = event != nullptr && !IsReady(event);
         if (event != nullptr) Drop(event);
         std::lock_guard<std::mutex> lock(Memory());
         if (waits && ++pending % 2 == 0)
           return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "a transfer is running");
         return Real().PJRT_Buffer_ToHostBuffer(a);
       });
     }},
    {"six_bits_refused", "PJRT-Args-accepted", "types that came with 0.114 are refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer, PJRT_Error_Code_UNIMPLEMENTED>(
           t, [](const auto& a) { return RawEnum(a.type) == 32 || RawEnum(a.type) == 33; });
     }},
    {"scalar_strides_refused", "PJRT-Args-accepted",
     "a scalar with a list of strides, of no length, is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
           t, [](const auto& a) { return a.num_dims == 0 && a.byte_strides != nullptr; });
     }},
    {"forgets_uploads", "PJRT-Process-memory", "every upload leaves 48 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto&) { Forget(48); });
     }},
    {"forgets_questions", "PJRT-Process-memory", "asking for a size leaves 64 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr) Forget(64);
       });
     }},
    {"strides_of_one", "PJRT-Client_BufferFromHostBuffer-strides",
     "the stride of a dimension of size 1 has to be the dense one",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->byte_strides != nullptr && a->num_byte_strides == a->num_dims) {
           for (size_t i = 0; i + 1 < a->num_dims; ++i) {
             if (a->dims[i] == 1 && a->byte_strides[i] != a->byte_strides[i + 1] * a->dims[i + 1])
               return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "strides are not dense");
           }
         }
         return Real().PJRT_Client_BufferFromHostBuffer(a);
       });
     }},
    {"strides_of_nothing", "PJRT-Client_BufferFromHostBuffer-strides",
     "an empty array with strides is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](const auto& a) {
         return a.byte_strides != nullptr && a.dims != nullptr &&
                std::count(a.dims, a.dims + a.num_dims, 0) > 0;
       });
     }},
    {"strides_of_last", "PJRT-Client_BufferFromHostBuffer-strides",
     "the innermost stride is taken to be the size of an element",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->byte_strides == nullptr || a->num_byte_strides < 2 ||
             a->type != PJRT_Buffer_Type_F32)
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         std::vector<int64_t> strides(a->byte_strides, a->byte_strides + a->num_byte_strides);
         strides.back() = 4;
         return CallChanged<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
             a, [&](auto& own) { own.byte_strides = strides.data(); });
       });
     }},
    {"scalars_on_first", "PJRT-Buffer_Device-asked-for", "scalars always go to the first device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         if (a->num_dims != 0 || a->client == nullptr || a->device == nullptr)
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         return CallChanged<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
             a, [&](auto& own) { own.device = FirstDevice(a->client); });
       });
     }},
    {"rounded_down_address", "PJRT-Buffer_ToHostBuffer-contents",
     "host memory that is not aligned is read from the aligned place before",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) {
         return CallChanged<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(a, [](auto& own) {
           if (own.type == PJRT_Buffer_Type_F32 || own.type == PJRT_Buffer_Type_S32) {
             own.data =
                 static_cast<const char*>(own.data) - reinterpret_cast<uintptr_t>(own.data) % 4;
           }
         });
       });
     }},
    {"last_chunk_lost", "PJRT-Buffer_ToHostBuffer-contents",
     "what an array has behind its last whole 64 KiB does not arrive",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (SizeOf(a.buffer) > 65536) ClearFrom(a.buffer, SizeOf(a.buffer) / 65536 * 65536);
       });
     }},
    {"four_mebibytes", "PJRT-Buffer_ToHostBuffer-contents", "of an array the first 4 MiB arrive",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
           t, [](auto& a) { ClearFrom(a.buffer, 4 << 20); });
     }},
    {"download_of_mebibyte", "PJRT-Buffer_ToHostBuffer-contents",
     "a copy to the host of more than 1 MiB has its second MiB at the end again",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr || a.dst_size <= 2 << 20) return;
         if (Fails(a.event)) return;
         std::memcpy(static_cast<char*>(a.dst) + a.dst_size - (1 << 20),
                     static_cast<char*>(a.dst) + (1 << 20), 1 << 20);
       });
     }},
    {"s4_is_s8", "PJRT-Buffer_ElementType-asked-for",
     "arrays of four bits say that they are of eight",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ElementType>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_ElementType(a);
         if (a->type == PJRT_Buffer_Type_S4) a->type = PJRT_Buffer_Type_S8;
         return error;
       });
     }},
    {"nan_becomes_quiet", "PJRT-Buffer_ToHostBuffer-contents",
     "signaling NaNs of 64 bits come back quiet",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr) return;
         auto type = MakeArgs<PJRT_Buffer_ElementType_Args>();
         type.buffer = a.src;
         FreeError(Real().PJRT_Buffer_ElementType(&type));
         if (type.type != PJRT_Buffer_Type_F64 || Fails(a.event)) return;
         for (size_t i = 0; i + 8 <= a.dst_size; i += 8) {
           uint64_t bits;
           std::memcpy(&bits, static_cast<char*>(a.dst) + i, 8);
           if ((bits & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000) bits |= 0x0008000000000000;
           std::memcpy(static_cast<char*>(a.dst) + i, &bits, 8);
         }
       });
     }},
    {"zero_has_no_sign", "PJRT-Buffer_ToHostBuffer-contents",
     "a negative zero of 16 bits comes back positive",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.dst == nullptr) return;
         auto type = MakeArgs<PJRT_Buffer_ElementType_Args>();
         type.buffer = a.src;
         FreeError(Real().PJRT_Buffer_ElementType(&type));
         if (type.type != PJRT_Buffer_Type_BF16 || Fails(a.event)) return;
         for (size_t i = 0; i + 2 <= a.dst_size; i += 2) {
           auto* element = static_cast<unsigned char*>(a.dst) + i;
           if (element[0] == 0 && element[1] == 0x80) element[1] = 0;
         }
       });
     }},
    {"raw_future_succeeds", "PJRT-Buffer_CopyRawToHostFuture-error",
     "the caller's error is not passed on",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         struct Told {
           void* data;
           void (*callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args*);
         };
         auto* told = new Told{a.callback_data, a.future_ready_callback};
         a.callback_data = told;
         a.future_ready_callback = [](PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
           static char nowhere[1 << 16];
           auto* own = static_cast<Told*>(args->callback_data);
           args->callback_data = own->data;
           if (RawEnum(args->error_code) != 0) args->dst = nowhere;
           args->error_code = PJRT_Error_Code_OK;
           own->callback(args);
           delete own;
         };
       });
     }},
    {"raw_copy_of_nothing", "PJRT-Args-accepted", "a raw copy of no bytes is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(
           t, [](const auto& a) { return a.transfer_size == 0; });
     }},
    {"empty_copy_refused", "PJRT-Args-accepted", "an empty array is not copied to the host",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](const auto& a) {
         return a.dst != nullptr && a.src != nullptr && a.dst_size == 0;
       });
     }},
    {"layout_of_scalar", "PJRT-Buffer_GetMemoryLayout-order",
     "the layout of a scalar names a dimension",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto* a) {
         static const int64_t zero[] = {0};
         PJRT_Error* error = Real().PJRT_Buffer_GetMemoryLayout(a);
         if (error != nullptr || a->layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
             a->layout.tiled.minor_to_major_size != 0)
           return error;
         a->layout.tiled.minor_to_major = zero;
         a->layout.tiled.minor_to_major_size = 1;
         return error;
       });
     }},
    {"upload_writes_host", "PJRT-Args-input", "an upload leaves a mark in the host's memory",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (SizeOf(a.buffer) >= 8 && a.num_byte_strides == 0 &&
             a.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall)
           static_cast<char*>(const_cast<void*>(a.data))[0] ^= 1;
       });
     }},
    {"layout_written", "PJRT-Args-input", "a copy to the host turns the order that it is given",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.host_layout == nullptr || a.host_layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled)
           return;
         auto& tiled = a.host_layout->tiled;
         auto* order = const_cast<int64_t*>(tiled.minor_to_major);
         if (tiled.minor_to_major_size > 1) std::swap(order[0], order[1]);
       });
     }},
};

}  // namespace

std::span<const Mutant> HostTransferMutants() { return kHostTransferMutants; }

}  // namespace plinth::mutants
