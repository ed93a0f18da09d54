// SPDX-License-Identifier: Apache-2.0
// What is wrong with arrays of some type, rank, size or order alone.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

using UploadArgs = PJRT_Client_BufferFromHostBuffer_Args;
constexpr auto kUpload = &PJRT_Api::PJRT_Client_BufferFromHostBuffer;
constexpr auto kDownload = &PJRT_Api::PJRT_Buffer_ToHostBuffer;

size_t CountOf(const int64_t* dims, size_t num_dims) {
  size_t count = 1;
  for (size_t i = 0; i < num_dims; ++i) count *= static_cast<size_t>(dims[i]);
  return count;
}
size_t CountOf(const UploadArgs& args) { return CountOf(args.dims, args.num_dims); }
bool IsDense(const UploadArgs& args) { return args.num_byte_strides == 0 && args.data != nullptr; }

// Uploads other elements where they are dense and of that type.
template <typename Word, typename Change>
PJRT_Error* UploadChanged(UploadArgs* args, PJRT_Buffer_Type type, Change change) {
  if (args->type != type || !IsDense(*args) || CountOf(*args) == 0) return (Real().*kUpload)(args);
  std::vector<Word> words(CountOf(*args));
  std::memcpy(words.data(), args->data, words.size() * sizeof(Word));
  change(words);
  return CallChanged<kUpload>(args, [&](auto& a) {
    a.data = words.data();
    a.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  });
}

// Uploads with other strides.
template <typename Change>
PJRT_Error* UploadStrided(UploadArgs* args, Change change) {
  if (args->num_byte_strides == 0) return (Real().*kUpload)(args);
  std::vector<int64_t> strides(args->byte_strides, args->byte_strides + args->num_byte_strides);
  change(strides);
  return CallChanged<kUpload>(args, [&](auto& a) { a.byte_strides = strides.data(); });
}

bool IsOrder(const PJRT_Buffer_MemoryLayout* layout, std::initializer_list<int64_t> order) {
  return layout != nullptr && layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled &&
         layout->tiled.minor_to_major_size == order.size() &&
         std::equal(order.begin(), order.end(), layout->tiled.minor_to_major);
}

template <auto kSlot, typename Body>
void ReplaceLayouts(PJRT_Api& table, Body) {
  ReplaceIn<kSlot, PJRT_Extension_Type_Layouts>(
      table, [](auto* args, auto* behind) { return Body{}(args, behind); });
}

constexpr Mutant kKindMutants[] = {
    {"odd_narrow_upload", "PJRT-Buffer_ToHostBuffer-contents",
     "the last element of an odd number of 4-bit integers is not stored",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         return UploadChanged<uint8_t>(args, PJRT_Buffer_Type_U4, [](auto& words) {
           if (words.size() % 2 == 1) words.back() = 0;
         });
       });
     }},
    {"half_subnormals_flushed", "PJRT-Buffer_ToHostBuffer-contents",
     "subnormal numbers of f16 are stored as zero",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         return UploadChanged<uint16_t>(args, PJRT_Buffer_Type_F16, [](auto& words) {
           for (uint16_t& word : words)
             if ((word & 0x7C00) == 0) word &= 0x8000;
         });
       });
     }},
    {"double_nan_quieted", "PJRT-Buffer_ToHostBuffer-contents",
     "signalling NaN of f64 are stored as quiet ones",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         return UploadChanged<uint64_t>(args, PJRT_Buffer_Type_F64, [](auto& words) {
           for (uint64_t& word : words) {
             if ((word << 1) > (uint64_t{0x7FF} << 53)) word |= uint64_t{1} << 51;
           }
         });
       });
     }},
    {"large_u64_rounded", "PJRT-Buffer_ToHostBuffer-contents",
     "u64 above 2^53 are stored as a double holds them",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         return UploadChanged<uint64_t>(args, PJRT_Buffer_Type_U64, [](auto& words) {
           for (uint64_t& word : words)
             if ((word >> 53) != 0) word &= ~uint64_t{0x7FF};
         });
       });
     }},
    {"e3m4_negative_zero", "PJRT-Buffer_ToHostBuffer-contents",
     "negative zero of f8E3M4 is stored as positive zero",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         return UploadChanged<uint8_t>(args, PJRT_Buffer_Type_F8E3M4, [](auto& words) {
           for (uint8_t& word : words)
             if (word == 0x80) word = 0;
         });
       });
     }},
    {"strides_of_rank_five", "PJRT-Client_BufferFromHostBuffer-strides",
     "from rank 5 on the strides of the last two dimensions are swapped",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         const size_t n = args->num_dims;
         const bool fits =
             n >= 5 && args->num_byte_strides == n && args->dims[n - 1] <= args->dims[n - 2];
         return UploadStrided(args, [&](auto& strides) {
           if (fits) std::swap(strides[n - 1], strides[n - 2]);
         });
       });
     }},
    {"zero_stride_inside", "PJRT-Client_BufferFromHostBuffer-strides",
     "a stride of zero in the last dimension of several is read as one byte",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         return UploadStrided(args, [&](auto& strides) {
           if (strides.size() > 1 && strides.back() == 0) strides.back() = 1;
         });
       });
     }},
    {"long_negative_stride", "PJRT-Client_BufferFromHostBuffer-strides",
     "a dimension of more than 64 with a negative stride repeats its first element",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* args) {
         return UploadStrided(args, [&](auto& strides) {
           for (size_t i = 0; i < strides.size(); ++i)
             if (strides[i] < 0 && args->dims[i] > 64) strides[i] = 0;
         });
       });
     }},
    {"empty_has_no_event", "PJRT-Args-output-handle",
     "an upload of no elements gives no done_with_host_buffer",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (CountOf(a) != 0) return;
         Drop(a.done_with_host_buffer);
         a.done_with_host_buffer = nullptr;
       });
     }},
    {"empty_in_default_memory", "PJRT-Buffer_Memory-asked-for",
     "an array without elements is in the first device's memory, whatever was asked for",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (a.memory != nullptr && CountOf(a) == 0)
           a.memory = DefaultMemoryOf(FirstDevice(a.client));
       });
     }},
    {"rank_eight_refused", "PJRT-Args-accepted", "arrays of more than seven dimensions are refused",
     [](PJRT_Api& t) {
       Refuse<kUpload, PJRT_Error_Code_UNIMPLEMENTED>(t, [](auto& a) { return a.num_dims > 7; });
     }},
    {"packed_dst_size", "PJRT-Buffer_ToHostBuffer-dst_size",
     "4-bit integers are said to need half a byte each",
     [](PJRT_Api& t) {
       ChangeOutputs<kDownload>(t, [](auto& a) {
         if (a.dst == nullptr && ElementTypeOf(a.src) == PJRT_Buffer_Type_S4)
           a.dst_size = (a.dst_size + 1) / 2;
       });
     }},
    {"odd_download_overruns", "PJRT-Buffer_ToHostBuffer-contents",
     "a download of an odd number of bytes writes one more",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* args) {
         auto ask = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
         ask.src = args->src;
         ask.host_layout = args->host_layout;
         FreeError((Real().*kDownload)(&ask));
         PJRT_Error* error = (Real().*kDownload)(args);
         if (error == nullptr && args->dst != nullptr && ask.dst_size % 2 == 1)
           static_cast<char*>(args->dst)[ask.dst_size] = 0;
         return error;
       });
     }},
    {"square_not_transposed", "PJRT-Buffer_ToHostBuffer-contents",
     "a square array is downloaded row-major though column-major was asked for",
     [](PJRT_Api& t) {
       ChangeInputs<kDownload>(t, [](auto& a) {
         auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
         dims.buffer = a.src;
         if (!IsOrder(a.host_layout, {0, 1})) return;
         FreeError(Real().PJRT_Buffer_Dimensions(&dims));
         if (dims.dims[0] == dims.dims[1] && IsRowMajor(a.src)) a.host_layout = nullptr;
       });
     }},
    {"failed_empty_downloads", "PJRT-Client_CreateErrorBuffer-carries",
     "a download of an array without elements that carries an error succeeds",
     [](PJRT_Api& t) {
       ChangeOutputs<kDownload>(t, [](auto& a) {
         if (a.dst == nullptr || SizeOf(a.src) != 0 || !CarriesError(a.src)) return;
         Drop(a.event);
         a.event = DoneEvent();
       });
     }},
    {"raw_read_last_byte", "PJRT-Buffer_CopyRawToHost-offset",
     "a raw read of the end of an odd number of bytes leaves out the last byte",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         const auto size = static_cast<int64_t>(SizeOf(a.buffer));
         if (a.offset > 0 && a.transfer_size > 0 && size % 2 == 1 &&
             a.offset + a.transfer_size == size)
           --a.transfer_size;
       });
     }},
    {"raw_future_far_offset", "PJRT-Buffer_CopyRawToHostFuture-offset",
     "an offset of 4096 and more is not looked at",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         if (a.offset >= 4096 &&
             a.offset + a.transfer_size <= static_cast<int64_t>(SizeOf(a.buffer)))
           a.offset = 0;
       });
     }},
    {"third_size_of_second", "PJRT-AsyncHostToDeviceTransferManager_BufferSize-on-device",
     "the size of the third buffer is that of the second",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(t, [](auto& a) {
         if (a.buffer_index == 2) a.buffer_index = 1;
       });
     }},
    {"chunk_rounded_down", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a chunk lands at the multiple of four below its offset",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.offset > 0) a.offset -= a.offset % 4;
       });
     }},
    {"layout_text_two_digits", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "a dimension of two digits stands as its last one",
     [](PJRT_Api& t) {
       ReplaceLayouts<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize>(
           t, [](auto* args, auto* behind) {
             PJRT_Error* error = behind(args);
             if (error != nullptr) return error;
             const std::string text(args->serialized_bytes, args->serialized_bytes_size);
             auto* other = new std::string;
             for (size_t i = 0; i < text.size(); ++i) {
               if (i + 1 < text.size() && isdigit(text[i]) && isdigit(text[i + 1])) continue;
               *other += text[i];
             }
             args->serialized_bytes = other->data();
             args->serialized_bytes_size = other->size();
             return error;
           });
     }},
    {"scalar_layout_of_vector", "PJRT-Layouts_PJRT_Client_GetDefaultLayout-default",
     "the default layout of a scalar is that of a vector",
     [](PJRT_Api& t) {
       ReplaceLayouts<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Client_GetDefaultLayout>(
           t, [](auto* args, auto* behind) {
             static const int64_t one = 1;
             auto own = *args;
             if (own.num_dims == 0) own.dims = &one, own.num_dims = 1;
             PJRT_Error* error = behind(&own);
             args->layout = own.layout;
             return error;
           });
     }},
    {"outputs_share_a_layout", "PJRT-Layouts_PJRT_Executable_GetOutputLayouts-outputs",
     "all outputs are said to have the layout of the first",
     [](PJRT_Api& t) {
       ReplaceLayouts<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts>(
           t, [](auto* args, auto* behind) {
             PJRT_Error* error = behind(args);
             if (error == nullptr && args->num_outputs > 1) {
               auto* all =
                   new std::vector<PJRT_Layouts_MemoryLayout*>(args->num_outputs, args->layouts[0]);
               args->layouts = all->data();
             }
             return error;
           });
     }},
    {"uninitialized_rank_three", "PJRT-Client_CreateUninitializedBuffer-asked-for",
     "the layout of an uninitialized array of rank 3 is not looked at",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto& a) {
         if (a.shape_num_dims == 3) a.shape_layout = nullptr;
       });
     }},
    {"one_payload_kept", "PJRT-Client_CreateErrorBuffer-carries",
     "of several payloads the first is kept",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(
           t, [](auto& a) { a.num_payload = std::min<size_t>(a.num_payload, 1); });
     }},
    {"error_text_until_nul", "PJRT-Strings-size",
     "the text of an error buffer ends at its first NUL",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t, [](auto& a) {
         if (a.error_message != nullptr)
           a.error_message_size = strnlen(a.error_message, a.error_message_size);
       });
     }},
    {"large_copy_lacks_end", "PJRT-Buffer_CopyToMemory-contents",
     "the last 64 bytes of a copy of more than 65536 to another memory are zero",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         if (IsPending(a.buffer) || SizeOf(a.dst_buffer) <= 65536 ||
             MemoryOf(a.buffer) == MemoryOf(a.dst_buffer))
           return;
         if (char* bytes = BytesOf(a.dst_buffer))
           std::memset(bytes + SizeOf(a.dst_buffer) - 64, 0, 64);
       });
     }},
    {"pending_copy_ready", "PJRT-Buffer_ReadyEvent-after",
     "the copy of an array that is still to come is ready at once",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* args) -> PJRT_Error* {
         if (args->dst_device == nullptr || !IsPending(args->buffer))
           return Real().PJRT_Buffer_CopyToDevice(args);
         args->dst_buffer = Uninitialized(args->buffer, LastClient(), args->dst_device);
         return nullptr;
       });
     }},
    {"error_not_copied_across", "PJRT-Client_CreateErrorBuffer-carries",
     "the copy of an array that carries an error to another device carries none",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* args) -> PJRT_Error* {
         if (args->dst_device == nullptr || !CarriesError(args->buffer) ||
             args->dst_device == DeviceOf(args->buffer))
           return Real().PJRT_Buffer_CopyToDevice(args);
         args->dst_buffer = Uninitialized(args->buffer, LastClient(), args->dst_device);
         return nullptr;
       });
     }},
    {"third_device_is_second", "PJRT-Buffer_CopyToDevice-contents",
     "a copy to the third device lands on the second",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         auto all = MakeArgs<PJRT_Client_Devices_Args>();
         all.client = LastClient();
         FreeError(Real().PJRT_Client_Devices(&all));
         if (all.num_devices > 2 && a.dst_device == all.devices[2]) a.dst_device = all.devices[1];
       });
     }},
};

}  // namespace

std::span<const Mutant> KindMutants() { return kKindMutants; }

}  // namespace plinth::mutants
