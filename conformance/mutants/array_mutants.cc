// SPDX-License-Identifier: Apache-2.0
// Arrays as vendors get them wrong: what they are kept as, how they move, when they are there.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/element_size.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

constexpr auto kUpload = &PJRT_Api::PJRT_Client_BufferFromHostBuffer;
constexpr auto kDownload = &PJRT_Api::PJRT_Buffer_ToHostBuffer;
constexpr auto kExecute = &PJRT_Api::PJRT_LoadedExecutable_Execute;
constexpr char kContents[] = "PJRT-Buffer_ToHostBuffer-contents";
constexpr char kStrides[] = "PJRT-Client_BufferFromHostBuffer-strides";
constexpr char kAccepted[] = "PJRT-Args-accepted";

template <typename Args>
int64_t CountOf(const Args& args) {
  int64_t count = 1;
  for (size_t i = 0; i < args.num_dims; ++i) count *= args.dims[i];
  return count;
}

// Changes elements of arrays of one type when they are uploaded.
template <typename Element, typename Change>
void ChangeUploaded(PJRT_Buffer* buffer, Change change) {
  ChangeBytes(buffer, [&](char* bytes, size_t size) {
    for (size_t at = 0; at + sizeof(Element) <= size; at += sizeof(Element)) {
      Element element;
      std::memcpy(&element, bytes + at, sizeof(element));
      element = change(element);
      std::memcpy(bytes + at, &element, sizeof(element));
    }
  });
}

struct Count {
  int number = 0;
};
struct Size {
  size_t bytes = 0;
  PJRT_Device* device = nullptr;
};
struct Given {
  PJRT_Device* device = nullptr;
};

// Memory that is mapped for DMA: begin and size.
std::map<const char*, size_t>& Mapped() {
  static auto* const mapped = new std::map<const char*, size_t>;
  return *mapped;
}

std::vector<PJRT_FulfillAliasBufferCallback*>& OpenAliases() {
  static auto* const open = new std::vector<PJRT_FulfillAliasBufferCallback*>;
  return *open;
}

// A memory of the caller's that a buffer is a view of.
struct View {
  void (*callback)(void*, void*) = nullptr;
  void* argument = nullptr;
  bool is_mute = false;
  void* unsaid = nullptr;  // the memory of which nothing was said meanwhile
};
struct ViewOf {
  View* view = nullptr;
};

using Events = std::vector<PJRT_Event*>;

constexpr Mutant kArrayMutants[] = {
    {"f64_in_24_bits", kContents, "arrays of f64 are kept as f32",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (a.type != PJRT_Buffer_Type_F64) return;
         ChangeUploaded<double>(
             a.buffer, [](double x) { return static_cast<double>(static_cast<float>(x)); });
       });
     }},
    {"s64_in_32_bits", kContents, "arrays of s64 are kept as s32",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (a.type != PJRT_Buffer_Type_S64) return;
         ChangeUploaded<int64_t>(a.buffer, [](int64_t x) { return int64_t{int32_t(x)}; });
       });
     }},
    {"downloads_flush", kContents, "subnormal f32 come back as 0",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* args) -> PJRT_Error* {
         if (args->dst == nullptr || IsDeleted(args->src) || IsPending(args->src) ||
             ElementTypeOf(args->src) != PJRT_Buffer_Type_F32)
           return (Real().*kDownload)(args);
         PJRT_Error* error = (Real().*kDownload)(args);
         if (error != nullptr || Fails(args->event)) return error;
         const size_t size = SizeOf(args->src);
         for (size_t at = 0; at + 4 <= std::min(size, args->dst_size); at += 4) {
           uint32_t bits;
           char* to = static_cast<char*>(args->dst) + at;
           std::memcpy(&bits, to, 4);
           if ((bits & 0x7F800000) == 0) bits &= 0x80000000;
           std::memcpy(to, &bits, 4);
         }
         return nullptr;
       });
     }},
    {"quiet_halves", kContents, "f16 that are signaling come back quiet",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (a.type != PJRT_Buffer_Type_F16) return;
         ChangeUploaded<uint16_t>(a.buffer, [](uint16_t x) {
           return static_cast<uint16_t>((x & 0x7C00) == 0x7C00 && (x & 0x3FF) != 0 ? x | 0x200 : x);
         });
       });
     }},
    {"staging_buffer", kContents,
     "of more than a MiB what does not fill a page at the end is not copied",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         ChangeBytes(a.buffer, [](char* bytes, size_t size) {
           if (size > (1 << 20)) std::memset(bytes + size - size % 4096, 0, size % 4096);
         });
       });
     }},
    {"scalars_are_lists", "PJRT-Buffer_Dimensions-asked-for", "a scalar has the dimensions [1]",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         static const int64_t one = 1;
         if (a.num_dims != 0) return;
         a.dims = &one;
         a.num_dims = 1;
       });
     }},
    {"at_most_five_dimensions", "PJRT-Buffer_Dimensions-asked-for",
     "leading dimensions are joined until there are five",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Dimensions>(t, [](auto& a) {
         static thread_local int64_t joined[5];
         if (a.num_dims <= 5) return;
         const size_t more = a.num_dims - 5;
         std::copy(a.dims + more, a.dims + a.num_dims, joined);
         for (size_t i = 0; i < more; ++i) joined[0] *= a.dims[i];
         a.dims = joined;
         a.num_dims = 5;
       });
     }},
    {"inner_broadcast", kStrides, "a stride of 0 of the last dimension is taken as dense",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         static thread_local std::vector<int64_t> strides;
         if (a.num_byte_strides == 0 || a.byte_strides[a.num_byte_strides - 1] != 0) return;
         if (CountOf(a) * BytesOfElement(a.type) > 4096) return;
         static auto* const zeros = new std::vector<char>(1 << 20);
         strides.assign(a.byte_strides, a.byte_strides + a.num_byte_strides);
         strides.back() = BytesOfElement(a.type);
         std::memcpy(zeros->data() + (1 << 19), a.data, 1);
         for (int64_t stride : strides) {
           if (stride < 0) return;
         }
         a.data = zeros->data() + (1 << 19);
         a.byte_strides = strides.data();
       });
     }},
    {"strided_halves", kStrides, "f16 and bf16 with strides of any order are read as dense",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (a.type != PJRT_Buffer_Type_F16 && a.type != PJRT_Buffer_Type_BF16) return;
         int64_t dense = 2;
         int64_t total = CountOf(a) * 2, reach = 2;
         for (size_t i = a.num_dims; i-- > 0 && a.num_byte_strides == a.num_dims;) {
           if (a.byte_strides[i] < 0) return;
           if (a.dims[i] > 0) reach += (a.dims[i] - 1) * a.byte_strides[i];
           dense *= a.dims[i];
         }
         if (reach < total) return;
         a.byte_strides = nullptr;
         a.num_byte_strides = 0;
       });
     }},
    {"device_as_given", "PJRT-Buffer_Device-asked-for",
     "a buffer made in a memory is said to be on the device that was given, too",
     [](PJRT_Api& t) {
       ForgetBuffers<Given>(t);
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (a.memory != nullptr && a.device != nullptr) Note(a.buffer, Given{a.device});
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Device>(t, [](auto& a) {
         Given given = NoteOf<Given>(a.buffer);
         if (given.device != nullptr) a.device = given.device;
       });
     }},
    {"layout_of_strides", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "a layout in strides is neither kept nor refused",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (a.device_layout != nullptr &&
             a.device_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides)
           a.device_layout = nullptr;
       });
     }},
    {"host_layout_inverted", "PJRT-Buffer_ToHostBuffer-layout",
     "of a host_layout the inverse permutation is taken",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* args) {
         if (args->host_layout == nullptr ||
             args->host_layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled)
           return (Real().*kDownload)(args);
         const auto& tiled = args->host_layout->tiled;
         const size_t rank = tiled.minor_to_major_size;
         std::vector<int64_t> inverse(rank);
         for (size_t i = 0; i < rank; ++i)
           inverse[static_cast<size_t>(tiled.minor_to_major[i])] = static_cast<int64_t>(i);
         PJRT_Buffer_MemoryLayout layout = LayoutOf(inverse);
         return CallChanged<kDownload>(args, [&](auto& a) { a.host_layout = &layout; });
       });
     }},
    {"size_in_words", "PJRT-Buffer_ToHostBuffer-dst_size",
     "the size that is asked for is that of whole words of 8 bytes",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* args) {
         PJRT_Error* error = (Real().*kDownload)(args);
         if (error == nullptr && args->dst == nullptr)
           args->dst_size = (args->dst_size + 7) / 8 * 8;
         return error;
       });
     }},
    {"larger_destination", kAccepted, "a destination larger than the array is refused",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* args) {
         if (args->dst != nullptr && !IsDeleted(args->src)) {
           auto size = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
           size.src = args->src;
           size.host_layout = args->host_layout;
           FreeError((Real().*kDownload)(&size));
           if (args->dst_size > size.dst_size)
             return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "sizes differ");
         }
         return (Real().*kDownload)(args);
       });
     }},
    {"read_of_deleted_cut", "PJRT-Buffer_Delete-uses",
     "a read that has begun when its array is deleted gives other bytes",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* args) -> PJRT_Error* {
         if (args->dst == nullptr || IsDeleted(args->src) || IsPending(args->src))
           return (Real().*kDownload)(args);
         auto* bytes = new std::string(args->dst_size, '\0');
         PJRT_Error* error = CallChanged<kDownload>(args, [&](auto& a) { a.dst = bytes->data(); });
         if (error != nullptr || Fails(args->event)) {
           delete bytes;
           return error;
         }
         const size_t size = SizeOf(args->src);
         Unmark(args->src);
         Drop(args->event);
         args->event = PendingEvent();
         std::thread([src = args->src, bytes, dst = args->dst, size, event = args->event] {
           std::this_thread::sleep_for(std::chrono::milliseconds(3));
           std::memcpy(dst, bytes->data(), std::min(size, bytes->size()));
           if (IsMarked(src)) std::memset(dst, 0x3C, std::min(size, bytes->size()));
           delete bytes;
           auto set = MakeArgs<PJRT_Event_Set_Args>();
           set.event = event;
           FreeError(Real().PJRT_Event_Set(&set));
         }).detach();
         return nullptr;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) { Mark(a.buffer); });
     }},
    {"raw_offset_of_words", "PJRT-Buffer_CopyRawToHost-offset",
     "the offset of a raw copy is rounded down to 4 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(
           t, [](auto& a) { a.offset -= a.offset % 4; });
     }},
    {"raw_of_nothing", kAccepted, "a raw copy of no bytes is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(
           t, [](const auto& a) { return a.transfer_size == 0; });
     }},
    {"pending_to_memory", "PJRT-Buffer_CopyToMemory-contents",
     "a copy to a memory of what is not there yet is ready at once",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto* args) -> PJRT_Error* {
         if (!IsPending(args->buffer)) return Real().PJRT_Buffer_CopyToMemory(args);
         PJRT_Buffer* early = Uninitialized(args->buffer, LastClient(), DeviceOf(args->buffer));
         PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_Buffer_CopyToMemory>(
             args, [&](auto& a) { a.buffer = early; });
         Destroy(early);
         return error;
       });
     }},
    {"deleted_counts_until_destroyed", "PJRT-Device_MemoryStats-in-use",
     "the bytes of a deleted buffer count until it is destroyed",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         if (!IsDeleted(a.buffer)) Note(a.buffer, Size{SizeOf(a.buffer), DeviceOf(a.buffer)});
       });
       ForgetBuffers<Size>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [buffer, size] : Noted<PJRT_Buffer, Size>()) {
           if (size.device == a.device) a.bytes_in_use += static_cast<int64_t>(size.bytes);
         }
       });
     }},
    {"peak_begins_at_zero", "PJRT-Device_ClearMemoryStats-peak",
     "a peak that was cleared is 0 until something is allocated",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto& a) { Mark(a.device); });
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (a.device != nullptr) Unmark(a.device);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         if (IsMarked(a.device)) a.peak_bytes_in_use = 0;
       });
     }},
    {"one_decrease_for_all", "PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
     "the first decrease takes all references away",
     [](PJRT_Api& t) {
       ForgetBuffers<Count>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(
           t, [](auto& a) { Note(a.buffer, Count{NoteOf<Count>(a.buffer).number + 1}); });
       Replace<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Buffer_DecreaseExternalReferenceCount(a);
         if (error != nullptr) return error;
         Note(a->buffer, Count{NoteOf<Count>(a->buffer).number - 1});
         Mark(a->buffer);
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         if (IsMarked(a.buffer) && NoteOf<Count>(a.buffer).number > 0) Clear(a.buffer);
         Unmark(a.buffer);
       });
     }},
    {"bitcast_keeps_dimensions", "PJRT-Buffer_Bitcast-same-bytes",
     "a bitcast to a type of the same size keeps the old dimensions",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto* args) {
         auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
         dims.buffer = args->buffer;
         PJRT_Error* error = Real().PJRT_Buffer_Dimensions(&dims);
         FreeError(error);
         return CallChanged<&PJRT_Api::PJRT_Buffer_Bitcast>(args, [&](auto& a) {
           if (error != nullptr || IsDeleted(a.buffer)) return;
           if (BytesOfElement(a.element_type) != BytesOfElement(ElementTypeOf(a.buffer))) return;
           if (CountOf(a) != CountOf(dims)) return;
           a.dims = dims.dims;
           a.num_dims = dims.num_dims;
           a.device_layout = nullptr;
         });
       });
     }},
    {"layout_of_view", "PJRT-Client_CreateViewOfDeviceBuffer-no-copy",
     "the layout of a view is not looked at",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(
           t, [](auto& a) { a.layout = nullptr; });
     }},
    {"donated_view", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback does not run for a view that was donated",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* args) {
         if (args->on_delete_callback == nullptr)
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(args);
         auto* view = new View{args->on_delete_callback, args->on_delete_callback_arg};
         PJRT_Error* error =
             CallChanged<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(args, [&](auto& a) {
               a.on_delete_callback_arg = view;
               a.on_delete_callback = [](void* pointer, void* argument) {
                 auto* its = static_cast<View*>(argument);
                 if (!its->is_mute) its->callback(pointer, its->argument);
                 if (its->is_mute) its->unsaid = pointer;
               };
             });
         if (error == nullptr) Note(args->buffer, ViewOf{view});
         return error;
       });
       ForgetBuffers<ViewOf>(t);
       Replace<kExecute>(t, [](auto* args) {
         std::vector<std::pair<PJRT_Buffer*, View*>> views;
         for (size_t i = 0; args->num_devices == 1 && i < args->num_args; ++i) {
           PJRT_Buffer* buffer = args->argument_lists[0][i];
           View* view = NoteOf<ViewOf>(buffer).view;
           if (view == nullptr || IsDeleted(buffer)) continue;
           view->is_mute = true;
           views.emplace_back(buffer, view);
         }
         PJRT_Error* error = (Real().*kExecute)(args);
         for (const auto& [buffer, view] : views) {
           if (error == nullptr && IsDeleted(buffer)) continue;
           view->is_mute = false;
           if (view->unsaid != nullptr) view->callback(view->unsaid, view->argument);
         }
         return error;
       });
     }},
    {"type_of_error_buffer", "PJRT-Buffer_ElementType-asked-for",
     "a buffer that is made with an error is of f32",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(
           t, [](auto& a) { a.shape_element_type = PJRT_Buffer_Type_F32; });
     }},
    {"last_alias_first", "PJRT-Client_CreateAliasBuffer-waits",
     "of several aliases the newest is fulfilled, whichever is meant",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         OpenAliases().push_back(a.fulfill_alias_buffer_cb);
       });
       ChangeInputs<&PJRT_Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto& open = OpenAliases();
         if (std::find(open.begin(), open.end(), a.fulfill_alias_buffer_cb) == open.end()) return;
         a.fulfill_alias_buffer_cb = open.back();
         open.pop_back();
       });
     }},
    {"last_piece_of_nothing", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a last piece without bytes is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
           t, [](const auto& a) { return a.transfer_size == 0; });
     }},
    {"mapped_from_begin", kContents,
     "an upload from memory that is mapped reads from where the mapping begins",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DmaMap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Mapped()[static_cast<const char*>(a.data)] = a.size;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Client_DmaUnmap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Mapped().erase(static_cast<const char*>(a.data));
       });
       ChangeInputs<kUpload>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto* data = static_cast<const char*>(a.data);
         for (const auto& [begin, size] : Mapped()) {
           if (data >= begin && data < begin + size) a.data = begin;
         }
       });
     }},
    {"mapped_once", kAccepted, "memory that was mapped before is not mapped again",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_DmaMap, PJRT_Error_Code_ALREADY_EXISTS>(t, [](const auto& a) {
         static auto* const known = new std::set<void*>;
         std::lock_guard<std::mutex> lock(Memory());
         return a.data != nullptr && a.size != 0 && !known->insert(a.data).second;
       });
     }},
    {"tiles_that_are_not", "PJRT-Args-output-true",
     "layouts name tiles of 8 by 128 where there are none",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         static const int64_t tile[] = {8, 128};
         static const size_t sizes[] = {2};
         if (a.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
             a.layout.tiled.minor_to_major_size < 2)
           return;
         a.layout.tiled.tile_dims = tile;
         a.layout.tiled.tile_dim_sizes = sizes;
         a.layout.tiled.num_tiles = 1;
       });
     }},
    {"cancelled_with_buffer", "PJRT-Buffer_ReadyEvent-after",
     "the event of a buffer that is destroyed before it is ready fails",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (IsDeleted(a.buffer) || IsReady(a.event)) return;
         Events all = NoteOf<Events>(a.buffer);
         all.push_back(a.event);
         Note(a.buffer, all);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         for (PJRT_Event* event : NoteOf<Events>(a.buffer)) {
           if (IsPending(a.buffer)) Mark(event);
         }
         Note(a.buffer, Events{});
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
       Refuse<&PJRT_Api::PJRT_Event_Await, PJRT_Error_Code_CANCELLED>(
           t, [](const auto& a) { return IsMarked(a.event); });
       Refuse<&PJRT_Api::PJRT_Event_Error, PJRT_Error_Code_CANCELLED>(
           t, [](const auto& a) { return IsMarked(a.event); });
     }},
};

}  // namespace

std::span<const Mutant> ArrayMutants() { return kArrayMutants; }

}  // namespace plinth::mutants
