// SPDX-License-Identifier: Apache-2.0
// Bugs in how a plugin reads what its caller sends: host memory and its strides, sizes of structs,
// extensions, lists that the caller frees, transfers in pieces. Written from the requirements,
// without looking at the cases.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/element_size.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

using FromHost = PJRT_Client_BufferFromHostBuffer_Args;

constexpr char kStrides[] = "PJRT-Client_BufferFromHostBuffer-strides";
constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kAccepted[] = "PJRT-Args-accepted";

bool IsOfNibbles(PJRT_Buffer_Type type) {
  return type == PJRT_Buffer_Type_S4 || type == PJRT_Buffer_Type_U4;
}

bool HasStrides(const FromHost& a) {
  return a.byte_strides != nullptr && a.num_byte_strides != 0 && a.num_byte_strides == a.num_dims &&
         a.dims != nullptr;
}

int64_t NumElements(const FromHost& a) {
  int64_t count = 1;
  for (size_t i = 0; i < a.num_dims; ++i) count *= a.dims[i];
  return count;
}

// A mutant that uploads with other strides; `change` may move the data, too.
template <typename Change>
void ChangeStrides(PJRT_Api& table, Change) {
  Replace<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(table, [](auto* a) {
    if (!HasStrides(*a)) return Real().PJRT_Client_BufferFromHostBuffer(a);
    std::vector<int64_t> strides(a->byte_strides, a->byte_strides + a->num_byte_strides);
    return CallChanged<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(a, [&](auto& own) {
      own.byte_strides = strides.data();
      Change{}(own, strides);
    });
  });
}

constexpr Mutant kCallerMutants[] = {
    {"odd_strides_rounded", kStrides, "strides are rounded down to whole elements",
     [](PJRT_Api& t) {
       ChangeStrides(t, [](auto& a, auto& strides) {
         for (int64_t& stride : strides) stride -= stride % BytesOfElement(a.type);
       });
     }},
    {"overlapping_rows_are_dense", kStrides, "rows that overlap are read one after the other",
     [](PJRT_Api& t) {
       ChangeStrides(t, [](auto& a, auto& strides) {
         if (a.num_dims < 2 || strides[0] <= 0 || strides[0] >= a.dims[1] * BytesOfElement(a.type))
           return;
         strides[0] = a.dims[1] * BytesOfElement(a.type);
         // What lies behind the data is not there to be read.
         static auto* const large = new std::vector<char>(1 << 24);
         if (NumElements(a) * 16 < (1 << 24)) a.data = large->data();
       });
     }},
    {"large_reversed_forwards", kStrides,
     "large arrays with a negative last stride are read forwards",
     [](PJRT_Api& t) {
       ChangeStrides(t, [](auto& a, auto& strides) {
         if (strides.back() >= 0 || NumElements(a) <= 4096) return;
         a.data = static_cast<const char*>(a.data) + strides.back() * (a.dims[a.num_dims - 1] - 1);
         strides.back() = -strides.back();
       });
     }},
    {"empty_with_strides_refused", kStrides,
     "an array without elements that has strides is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(
           t, [](const auto& a) { return HasStrides(a) && NumElements(a) == 0; });
     }},
    {"nibbles_strided_by_half", kStrides, "strides of elements of four bits are halved",
     [](PJRT_Api& t) {
       ChangeStrides(t, [](auto& a, auto& strides) {
         if (!IsOfNibbles(a.type)) return;
         for (int64_t& stride : strides) stride /= 2;
       });
     }},
    {"odd_nibble_lost", kContents, "the last of an odd number of elements of four bits is 0",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (!IsOfNibbles(a.type) || NumElements(a) % 2 == 0) return;
         if (char* bytes = BytesOf(a.buffer)) bytes[NumElements(a) - 1] = 0;
       });
     }},
    {"address_rounded", kContents, "host memory is read from an aligned address on",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         auto address = reinterpret_cast<uintptr_t>(a.data);
         address -= address % static_cast<uintptr_t>(BytesOfElement(a.type));
         a.data = reinterpret_cast<const void*>(address);
       });
     }},
    {"dimensions_are_callers", "PJRT-Buffer_Dimensions-asked-for",
     "the dimensions of a buffer lie where the caller of its upload had them",
     [](PJRT_Api& t) {
       static std::map<PJRT_Buffer*, const int64_t*> lists;
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (a.num_dims != 0) lists[a.buffer] = a.dims;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         lists.erase(a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = lists.find(a.buffer);
         if (found != lists.end()) a.dims = found->second;
       });
     }},
    {"unpadded_rounded", "PJRT-Buffer_UnpaddedDimensions-static",
     "unpadded dimensions are rounded up to 8",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_UnpaddedDimensions>(t, [](auto& a) {
         static std::map<const int64_t*, std::vector<int64_t>> rounded;
         std::lock_guard<std::mutex> lock(Memory());
         auto& own = rounded[a.unpadded_dims];
         own.assign(a.unpadded_dims, a.unpadded_dims + a.num_dims);
         for (int64_t& dim : own) dim = (dim + 7) / 8 * 8;
         a.unpadded_dims = own.data();
       });
     }},
    {"every_dimension_dynamic", "PJRT-Buffer_DynamicDimensionIndices-static",
     "every dimension of a buffer is dynamic",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DynamicDimensionIndices>(t, [](auto& a) {
         static const size_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
         a.dynamic_dim_indices = all;
         a.num_dynamic_dims = std::min<size_t>(RankOf(a.buffer), 8);
       });
     }},
    {"raw_offset_rounded", "PJRT-Buffer_CopyRawToHost-offset",
     "a raw read begins at a multiple of four bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(
           t, [](auto& a) { a.offset -= a.offset % 4; });
     }},
    {"retrieving_waits", "PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-early",
     "a buffer is handed out once its data is there",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(
           t, [](auto& a) {
             PJRT_Event* event = ReadyEventOf(a.buffer_out);
             Fails(event);
             Drop(event);
           });
     }},
    {"transfer_layouts_ignored", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "device_layouts are not read",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         a.device_layouts = nullptr;
         a.num_device_layouts = 0;
       });
     }},
    {"last_of_another_lost", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "the last piece for a buffer counts only if the piece before was for it, too",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         static std::map<const void*, int> last;
         std::lock_guard<std::mutex> lock(Memory());
         auto [found, is_first] = last.try_emplace(a.transfer_manager, a.buffer_index);
         if (found->second != a.buffer_index && a.offset != 0) a.is_last_transfer = false;
         found->second = a.buffer_index;
       });
     }},
    {"upload_of_tomorrow_refused", "PJRT-Args-struct_size-larger",
     "an upload with a larger struct is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](const auto& a) {
         return a.struct_size > PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE;
       });
     }},
    {"options_of_yesterday_refused", "PJRT-Args-nested-struct_size",
     "execute options of an earlier size are refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         return a.options != nullptr && a.options->struct_size < PJRT_ExecuteOptions_STRUCT_SIZE;
       });
     }},
    {"own_size_written", "PJRT-Args-struct_size-larger",
     "a plugin writes the size that it knows into the struct",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(
           t, [](auto& a) { a.struct_size = PJRT_Buffer_Dimensions_Args_STRUCT_SIZE; });
     }},
    {"extension_of_run_refused", "PJRT-Args-extension_start",
     "an execution with an extension is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](const auto& a) { return a.extension_start != nullptr; });
     }},
    {"extension_of_options_refused", "PJRT-Args-extension_start",
     "execute options with an extension are refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         return a.options != nullptr && a.options->extension_start != nullptr;
       });
     }},
    {"extension_of_program_refused", "PJRT-Args-extension_start",
     "a program with an extension is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_Compile>(t, [](const auto& a) {
         return a.program != nullptr && a.program->extension_start != nullptr;
       });
     }},
    {"no_arguments_refused", kAccepted, "a program without arguments does not run",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](const auto& a) { return a.num_args == 0 && a.num_devices == 1; });
     }},
    {"output_places_must_be_null", kAccepted,
     "an execution is refused if something stands where its outputs go",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         return a.num_devices == 1 && a.output_lists != nullptr && a.output_lists[0] != nullptr &&
                a.executable != nullptr && NumOutputsOf(a.executable) != 0 &&
                a.output_lists[0][0] != nullptr;
       });
     }},
};

}  // namespace

std::span<const Mutant> CallerMutants() { return kCallerMutants; }

}  // namespace plinth::mutants
