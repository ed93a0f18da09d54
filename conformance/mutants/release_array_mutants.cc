// SPDX-License-Identifier: Apache-2.0
// Bugs of a plugin's first releases: arrays, from the host to a device and back.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/release_mutants.h"

namespace plinth::mutants {
namespace {

using Manager = PJRT_AsyncHostToDeviceTransferManager;
constexpr auto kDestroy = &PJRT_Api::PJRT_Buffer_Destroy;
constexpr auto kUpload = &PJRT_Api::PJRT_Client_BufferFromHostBuffer;
constexpr auto kDownload = &PJRT_Api::PJRT_Buffer_ToHostBuffer;

bool HasNoElements(const int64_t* dims, size_t num_dims) {
  return dims != nullptr && std::find(dims, dims + num_dims, 0) != dims + num_dims;
}

PJRT_Buffer_Dimensions_Args DimensionsOf(PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  args.buffer = buffer;
  Quiet<&PJRT_Api::PJRT_Buffer_Dimensions>(args);
  return args;
}

void UnmarkDestroyed(PJRT_Api& table) {
  ChangeInputs<kDestroy>(table, [](auto& a) { Unmark(a.buffer); });
}

// A number for each thread, and those of threads that have ended.
std::set<int>& EndedThreads() {
  static auto* const ended = new std::set<int>;
  return *ended;
}
struct ThreadNumber {
  ThreadNumber() {
    static std::atomic<int> next = 1;
    number = next++;
  }
  ~ThreadNumber() {
    std::lock_guard<std::mutex> lock(Memory());
    EndedThreads().insert(number);
  }
  ThreadNumber(const ThreadNumber&) = delete;
  ThreadNumber& operator=(const ThreadNumber&) = delete;
  int number = 0;
};
int OwnThreadNumber() {
  static thread_local ThreadNumber own;
  return own.number;
}
bool HasEnded(int thread) {
  std::lock_guard<std::mutex> lock(Memory());
  return EndedThreads().contains(thread);
}

// Whether the caller is within on_delete_callback.
bool& InEndOfView() {
  static thread_local bool is_within = false;
  return is_within;
}

using OnDelete = void (*)(void*, void*);
struct EndCall {
  OnDelete callback;
  void* argument;
};

// The end of a view's memory, told at most once, and by whom the memory is seen.
struct EndOfView {
  OnDelete callback = nullptr;
  void* argument = nullptr;
  std::atomic<bool> is_told = false;
  std::atomic<bool> is_cast = false;
};
using SharedEnd = std::shared_ptr<EndOfView>;

void TellEnd(const SharedEnd& end, void* data) {
  if (!end->is_told.exchange(true)) end->callback(data, end->argument);
}

void* AddressOf(PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  args.buffer = buffer;
  Quiet<&PJRT_Api::PJRT_Buffer_OpaqueDeviceMemoryDataPointer>(args);
  return args.device_memory_ptr;
}

// Tells the end of a view that goes, though a cast of it stays.
void EndCastView(PJRT_Buffer* buffer) {
  SharedEnd end = NoteOf<SharedEnd>(buffer);
  if (end == nullptr || !end->is_cast || end->is_told || IsDeleted(buffer)) return;
  TellEnd(end, AddressOf(buffer));
}

// The copies that were made of an array which was still to come.
using PendingCopies = std::vector<PJRT_Buffer*>;

// Whether an array is read from rows of which each begins within the one before.
bool HasOverlappingRows(const PJRT_Client_BufferFromHostBuffer_Args& a) {
  if (a.byte_strides == nullptr || a.dims == nullptr || a.num_byte_strides != a.num_dims)
    return false;
  for (size_t i = 0; i + 1 < a.num_dims; ++i) {
    const int64_t outer = a.byte_strides[i], inner = a.byte_strides[i + 1];
    if (a.dims[i] > 1 && a.dims[i + 1] > 1 && inner > 0 && outer >= inner &&
        outer < inner * a.dims[i + 1])
      return true;
  }
  return false;
}

// Reads all dimensions after the first that runs backwards forwards.
void FlipOnce(PJRT_Client_BufferFromHostBuffer_Args& a) {
  static thread_local std::vector<int64_t> strides;
  if (a.byte_strides == nullptr || a.dims == nullptr || a.data == nullptr ||
      a.num_byte_strides != a.num_dims || HasNoElements(a.dims, a.num_dims))
    return;
  strides.assign(a.byte_strides, a.byte_strides + a.num_byte_strides);
  bool is_flipped = false;
  auto* data = static_cast<const char*>(a.data);
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] >= 0) continue;
    if (is_flipped) {
      data += strides[i] * (a.dims[i] - 1);
      strides[i] = -strides[i];
    }
    is_flipped = true;
  }
  a.data = data;
  a.byte_strides = strides.data();
}

// Puts the bytes of an array that is not row-major into one that is.
void TakeForRows(PJRT_Buffer*& copy, PJRT_Buffer* original, PJRT_Device* device) {
  if (IsPending(original) || IsRowMajor(original) || SizeOf(original) == 0) return;
  PJRT_Buffer* rows = Uninitialized(original, LastClient(), device);
  char* to = rows == nullptr ? nullptr : BytesOf(rows);
  const char* from = BytesOf(original);
  if (to == nullptr || from == nullptr || SizeOf(rows) != SizeOf(original)) return Destroy(rows);
  std::memcpy(to, from, SizeOf(original));
  Destroy(copy);
  copy = rows;
}

// The bytes that a read needs; 0 where it would be refused.
size_t NeededBy(const PJRT_Buffer_ToHostBuffer_Args& a) {
  auto question = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  question.src = a.src;
  question.host_layout = a.host_layout;
  Quiet<kDownload>(question);
  return question.dst_size;
}

// Which buffers of a manager have no elements.
using Indices = std::set<int64_t>;

void CompleteEmpty(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& a) {
  Indices empty;
  for (size_t i = 0; i < a.num_shape_specs; ++i) {
    if (!HasNoElements(a.shape_specs[i].dims, a.shape_specs[i].num_dims)) continue;
    auto last = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    last.transfer_manager = a.transfer_manager;
    last.buffer_index = static_cast<int>(i);
    last.is_last_transfer = true;
    Quiet<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(last);
    if (last.done_with_h2d_transfer != nullptr) Drop(last.done_with_h2d_transfer);
    empty.insert(static_cast<int64_t>(i));
  }
  Note<Indices>(a.transfer_manager, empty);
}

template <typename Value>
void ForgetManagers(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<Manager, Value>().erase(a.transfer_manager);
  });
}

// Events of arrays that are to come, which know of no error: what is marked is the event.
PJRT_Error* Hidden(PJRT_Event* event, PJRT_Error* error) {
  if (error == nullptr || !IsMarked(event)) return error;
  FreeError(error);
  return nullptr;
}
void HideErrorsOfMarkedEvents(PJRT_Api& table) {
  Replace<&PJRT_Api::PJRT_Event_Error>(
      table, [](auto* a) { return Hidden(a->event, Real().PJRT_Event_Error(a)); });
  Replace<&PJRT_Api::PJRT_Event_Await>(
      table, [](auto* a) { return Hidden(a->event, Real().PJRT_Event_Await(a)); });
  ChangeInputs<&PJRT_Api::PJRT_Event_OnReady>(table, [](auto& a) {
    struct Call {
      PJRT_Event_OnReadyCallback callback;
      void* argument;
    };
    if (a.callback == nullptr || a.event == nullptr || !IsMarked(a.event)) return;
    a.user_arg = new Call{a.callback, a.user_arg};
    a.callback = [](PJRT_Error* error, void* argument) {
      const Call call = *static_cast<Call*>(argument);
      delete static_cast<Call*>(argument);
      FreeError(error);
      call.callback(nullptr, call.argument);
    };
  });
  ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(table, [](auto& a) { Unmark(a.event); });
}

constexpr Mutant kReleaseArrayMutants[] = {
    {"release_stream_of_thread", "PJRT-Threads-any",
     "an array cannot be read any more once the thread that uploaded it has ended",
     [](PJRT_Api& t) {
       ForgetBuffers<int>(t);
       ChangeOutputs<kUpload>(t, [](auto& a) { Note<int>(a.buffer, OwnThreadNumber()); });
       Refuse<kDownload, PJRT_Error_Code_INTERNAL>(
           t, [](auto& a) { return HasEnded(NoteOf<int>(a.src)); });
     }},
    {"release_end_of_view_locked", "PJRT-Callback-once",
     "on_delete_callback runs with the lock held that uploads need: they are refused within",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto& a) {
         if (a.on_delete_callback == nullptr) return;
         a.on_delete_callback_arg = new EndCall{a.on_delete_callback, a.on_delete_callback_arg};
         a.on_delete_callback = [](void* data, void* argument) {
           const EndCall call = *static_cast<EndCall*>(argument);
           delete static_cast<EndCall*>(argument);
           InEndOfView() = true;
           call.callback(data, call.argument);
           InEndOfView() = false;
         };
       });
       Refuse<kUpload, PJRT_Error_Code_UNAVAILABLE>(t, [](auto&) { return InEndOfView(); });
     }},
    {"release_empty_piece_without_event", "PJRT-Args-output-handle",
     "a transfer of no bytes gives no event",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.transfer_size != 0) return;
         Drop(a.done_with_h2d_transfer);
         a.done_with_h2d_transfer = nullptr;
       });
     }},
    {"release_same_cast_is_same", "PJRT-Args-output-new",
     "an array that is seen as what it is anyway is the same buffer, held once more",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto* a) -> PJRT_Error* {
         auto dims = DimensionsOf(a->buffer);
         if (a->buffer == nullptr || a->device_layout != nullptr || a->dims == nullptr ||
             !IsRowMajor(a->buffer) || IsDeleted(a->buffer) ||
             ElementTypeOf(a->buffer) != a->element_type ||
             !std::equal(dims.dims, dims.dims + dims.num_dims, a->dims, a->dims + a->num_dims))
           return Real().PJRT_Buffer_Bitcast(a);
         Note<int>(a->buffer, NoteOf<int>(a->buffer) + 1);
         a->out_buffer = a->buffer;
         return nullptr;
       });
       Replace<kDestroy>(t, [](auto* a) -> PJRT_Error* {
         if (int more = NoteOf<int>(a->buffer); more > 0) {
           Note<int>(a->buffer, more - 1);
           return nullptr;
         }
         return Real().PJRT_Buffer_Destroy(a);
       });
     }},
    {"release_unmap_in_reverse", "PJRT-Args-accepted",
     "of the ranges of host memory that are mapped the last alone can be unmapped",
     [](PJRT_Api& t) {
       static auto* const ranges = new std::vector<void*>;
       ChangeOutputs<&PJRT_Api::PJRT_Client_DmaMap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         ranges->push_back(a.data);
       });
       Replace<&PJRT_Api::PJRT_Client_DmaUnmap>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = std::find(ranges->begin(), ranges->end(), a->data);
         if (found != ranges->end() && found + 1 != ranges->end())
           return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "other ranges are above");
         if (found != ranges->end()) ranges->erase(found);
         return Real().PJRT_Client_DmaUnmap(a);
       });
     }},
    {"release_scalar_needs_dims", "PJRT-Args-accepted",
     "an upload of a scalar is refused where its list of no dimensions is null",
     [](PJRT_Api& t) {
       Refuse<kUpload>(
           t, [](auto& a) { return a.client != nullptr && a.num_dims == 0 && a.dims == nullptr; });
     }},
    {"release_empty_needs_data", "PJRT-Args-accepted",
     "an upload of an array without elements is refused where its host memory is null",
     [](PJRT_Api& t) {
       Refuse<kUpload>(t, [](auto& a) {
         return a.client != nullptr && a.data == nullptr && HasNoElements(a.dims, a.num_dims);
       });
     }},
    {"release_peak_cleared_once", "PJRT-Device_ClearMemoryStats-peak",
     "the statistics of a device are cleared once; later calls leave its peak",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto* a) -> PJRT_Error* {
         if (a->device != nullptr && IsMarked(a->device)) return nullptr;
         PJRT_Error* error = Real().PJRT_Device_ClearMemoryStats(a);
         if (error == nullptr) Mark(a->device);
         return error;
       });
     }},
    {"release_layout_without_strides", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "device_layout is not looked at where the host memory has strides",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (a.byte_strides != nullptr && a.num_byte_strides != 0) a.device_layout = nullptr;
       });
     }},
    {"release_flips_once", "PJRT-Client_BufferFromHostBuffer-strides",
     "of several dimensions with negative strides the first alone runs backwards",
     [](PJRT_Api& t) { ChangeInputs<kUpload>(t, [](auto& a) { FlipOnce(a); }); }},
    {"release_overlapping_rows", "PJRT-Client_BufferFromHostBuffer-strides",
     "strides by which rows overlap, as sliding windows have them, are refused",
     [](PJRT_Api& t) {
       Refuse<kUpload, PJRT_Error_Code_UNIMPLEMENTED>(
           t, [](auto& a) { return a.client != nullptr && HasOverlappingRows(a); });
     }},
    {"release_packed_booleans", "PJRT-Buffer_OnDeviceSizeInBytes-enough",
     "the size of an array of booleans counts a bit for each",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_OnDeviceSizeInBytes>(t, [](auto& a) {
         if (ElementTypeOf(a.buffer) == PJRT_Buffer_Type_PRED)
           a.on_device_size_in_bytes = (a.on_device_size_in_bytes + 7) / 8;
       });
     }},
    {"release_error_on_first_device", "PJRT-Buffer_Device-asked-for",
     "a buffer that is made with an error says that it is on the client's first device",
     [](PJRT_Api& t) {
       ForgetBuffers<PJRT_Device*>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(
           t, [](auto& a) { Note(a.buffer, FirstDevice(a.client)); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Device>(t, [](auto& a) {
         if (PJRT_Device* first = NoteOf<PJRT_Device*>(a.buffer)) a.device = first;
       });
     }},
    {"release_copy_cancelled", "PJRT-Buffer_Delete-uses",
     "a copy to a device fails if the original is deleted before its contents have come",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (!IsPending(a.buffer)) return;
         PendingCopies copies = NoteOf<PendingCopies>(a.buffer);
         copies.push_back(a.dst_buffer);
         Note(a.buffer, copies);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         if (a.buffer == nullptr || !IsPending(a.buffer)) return;
         for (PJRT_Buffer* copy : NoteOf<PendingCopies>(a.buffer)) Mark(copy);
       });
       ChangeInputs<kDestroy>(t, [](auto& a) {
         Unmark(a.buffer);
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Buffer, PendingCopies>().erase(a.buffer);
         for (auto& [original, copies] : Noted<PJRT_Buffer, PendingCopies>())
           std::erase(copies, a.buffer);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (!IsMarked(a.buffer)) return;
         Drop(a.event);
         a.event = FailedEvent("the original was deleted");
       });
       Refuse<kDownload, PJRT_Error_Code_CANCELLED>(
           t, [](auto& a) { return a.src != nullptr && IsMarked(a.src); });
     }},
    {"release_failed_is_deleted", "PJRT-Buffer_IsDeleted-truth",
     "a buffer that carries an error counts as deleted",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(
           t, [](auto& a) { a.is_deleted = a.is_deleted || CarriesError(a.buffer); });
     }},
    {"release_copy_takes_rows", "PJRT-Buffer_CopyToDevice-contents",
     "an array that is not row-major is copied to another device byte by byte, without its layout",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (DeviceOf(a.buffer) != a.dst_device) TakeForRows(a.dst_buffer, a.buffer, a.dst_device);
       });
     }},
    {"release_empty_needs_byte", "PJRT-Buffer_ToHostBuffer-dst_size",
     "an array without elements is said to need a byte on the host",
     [](PJRT_Api& t) {
       ChangeOutputs<kDownload>(t, [](auto& a) {
         if (a.dst == nullptr && a.dst_size == 0) a.dst_size = 1;
       });
     }},
    {"release_too_small_later", "PJRT-Buffer_ToHostBuffer-too-small",
     "a destination that is too small is no error of the call, but of its event",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* a) {
         if (a->src == nullptr || a->dst == nullptr || a->dst_size >= NeededBy(*a))
           return Real().PJRT_Buffer_ToHostBuffer(a);
         a->event = FailedEvent("the destination is too small");
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"release_view_ends_under_cast", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "on_delete_callback runs when the view is deleted, though a cast of it sees the memory",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) {
         if (a->on_delete_callback == nullptr)
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         auto end = std::make_shared<EndOfView>();
         end->callback = a->on_delete_callback;
         end->argument = a->on_delete_callback_arg;
         PJRT_Error* error =
             CallChanged<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [&](auto& own) {
               own.on_delete_callback_arg = new SharedEnd(end);
               own.on_delete_callback = [](void* data, void* argument) {
                 const std::unique_ptr<SharedEnd> own_end(static_cast<SharedEnd*>(argument));
                 TellEnd(*own_end, data);
               };
             });
         if (error == nullptr) Note(a->buffer, end);
         return error;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         if (SharedEnd end = NoteOf<SharedEnd>(a.buffer)) end->is_cast = true;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) { EndCastView(a.buffer); });
       ChangeInputs<kDestroy>(t, [](auto& a) {
         EndCastView(a.buffer);
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Buffer, SharedEnd>().erase(a.buffer);
       });
     }},
    {"release_range_wraps", "PJRT-Buffer_CopyRawToHost-range",
     "the end of a range that is above 2^63 counts as before its start: nothing is copied",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) -> PJRT_Error* {
         if (a->offset <= 0 || a->transfer_size <= 0 ||
             a->transfer_size <= std::numeric_limits<int64_t>::max() - a->offset)
           return Real().PJRT_Buffer_CopyRawToHost(a);
         a->event = DoneEvent();
         return nullptr;
       });
     }},
    {"release_piece_before_start", "PJRT-AsyncHostToDeviceTransferManager_TransferData-range",
     "a piece at a negative offset lands at the start",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
           t, [](auto& a) { a.offset = std::max<int64_t>(a.offset, 0); });
     }},
    {"release_early_event_unaware", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "the event of a manager's array ends well if it was asked for before the error was set",
     [](PJRT_Api& t) {
       UnmarkDestroyed(t);
       HideErrorsOfMarkedEvents(t);
       ChangeOutputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(
           t, [](auto& a) { Mark(a.buffer_out); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (IsMarked(a.buffer) && !IsReady(a.event)) Mark(a.event);
       });
     }},
    {"release_empty_is_complete", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "an array without elements that is to come is ready before its last transfer",
     [](PJRT_Api& t) {
       ForgetManagers<Indices>(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(
           t, [](auto& a) { CompleteEmpty(a); });
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(
           t, [](auto* a) -> PJRT_Error* {
             if (!NoteOf<Indices>(a->transfer_manager).contains(a->buffer_index) ||
                 a->offset != 0 || a->transfer_size != 0)
               return Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
             a->done_with_h2d_transfer = DoneEvent();
             return nullptr;
           });
     }},
};

}  // namespace

std::span<const Mutant> ReleaseArrayMutants() { return kReleaseArrayMutants; }

}  // namespace plinth::mutants
