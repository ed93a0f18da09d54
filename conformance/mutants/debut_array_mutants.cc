// SPDX-License-Identifier: Apache-2.0
// More bugs of a plugin's first releases: arrays and how they get in and out.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/debut_mutants.h"
#include "conformance/mutants/element_size.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Numbers = std::vector<int64_t>;
using Manager = PJRT_AsyncHostToDeviceTransferManager;
constexpr auto kUpload = &PJRT_Api::PJRT_Client_BufferFromHostBuffer;
constexpr auto kDownload = &PJRT_Api::PJRT_Buffer_ToHostBuffer;
constexpr auto kRun = &PJRT_Api::PJRT_LoadedExecutable_Execute;
constexpr auto kManage = &PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice;
constexpr auto kUnmanage = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy;
constexpr auto kTransfer = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData;
constexpr auto kFail = &PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError;
constexpr auto kDestroy = &PJRT_Api::PJRT_Buffer_Destroy;

Numbers ShapeOf(PJRT_Buffer* buffer) {
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = buffer;
  Quiet<&PJRT_Api::PJRT_Buffer_Dimensions>(dims);
  return {dims.dims, dims.dims + dims.num_dims};
}

bool IsPlainOrder(const PJRT_Buffer_MemoryLayout* layout) {
  return layout != nullptr && layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled &&
         layout->tiled.num_tiles == 0 && layout->tiled.minor_to_major_size > 0;
}
Numbers OrderOf(const PJRT_Buffer_MemoryLayout& layout) {
  return {layout.tiled.minor_to_major,
          layout.tiled.minor_to_major + layout.tiled.minor_to_major_size};
}

// Bytes of a dense array; 0 where they are not known.
template <typename Args>
int64_t DenseBytes(const Args& args, PJRT_Buffer_Type type) {
  int64_t bytes = BytesOfElement(type, 0);
  for (size_t i = 0; i < args.num_dims; ++i) bytes *= std::clamp<int64_t>(args.dims[i], 0, 1 << 24);
  return bytes;
}

// How far the last element lies behind the first; -1 where strides or dimensions are not positive.
int64_t Reach(const Numbers& dims, const Numbers& strides) {
  int64_t reach = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] <= 0 || strides[i] <= 0) return -1;
    reach += (dims[i] - 1) * strides[i];
  }
  return reach;
}
bool HasStrides(const PJRT_Client_BufferFromHostBuffer_Args& args) {
  return args.byte_strides != nullptr && args.num_dims > 0 && args.dims != nullptr &&
         args.num_byte_strides == args.num_dims;
}

// An upload that reads by other strides, as far as those reach as far.
PJRT_Error* UploadByPlan(PJRT_Client_BufferFromHostBuffer_Args* args) {
  if (!HasStrides(*args)) return Real().PJRT_Client_BufferFromHostBuffer(args);
  static std::map<std::pair<Numbers, int>, Numbers> plans;
  const Numbers dims(args->dims, args->dims + args->num_dims);
  const Numbers strides(args->byte_strides, args->byte_strides + args->num_dims);
  Numbers plan;
  {
    std::lock_guard<std::mutex> lock(Memory());
    plan = plans.try_emplace({dims, args->type}, strides).first->second;
  }
  if (Reach(dims, strides) < 0 || Reach(dims, plan) != Reach(dims, strides)) plan = strides;
  return CallChanged<kUpload>(args, [&](auto& own) { own.byte_strides = plan.data(); });
}

// What owns the memory of a view, and has not been told yet that it is free.
struct Owner {
  void (*callback)(void*, void*) = nullptr;
  void* argument = nullptr;
  void* pointer = nullptr;
  int references = 0;
  bool is_running = false;
  bool is_told = false;

  void Tell() {
    if (std::exchange(is_told, true)) return;
    callback(pointer, argument);
  }
};
// Notes the owner of each view that has one; `told` is called when the memory is free.
template <typename Told>
void NoteOwners(PJRT_Api& table, Told) {
  Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(table, [](auto* a) {
    if (a->on_delete_callback == nullptr) return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
    auto* owner =
        Kept(Owner{a->on_delete_callback, a->on_delete_callback_arg, a->device_buffer_ptr});
    PJRT_Error* error =
        CallChanged<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [&](auto& own) {
          own.on_delete_callback_arg = owner;
          own.on_delete_callback = [](void*, void* its) { Told{}(*static_cast<Owner*>(its)); };
        });
    if (error == nullptr) Note(a->buffer, owner);
    return error;
  });
  ForgetBuffers<Owner*>(table);
}

template <typename Visit>
void ForEachArgument(const PJRT_LoadedExecutable_Execute_Args& args, Visit visit) {
  if (args.argument_lists == nullptr) return;
  for (size_t i = 0; i < args.num_devices; ++i)
    for (size_t j = 0; args.argument_lists[i] != nullptr && j < args.num_args; ++j)
      if (args.argument_lists[i][j] != nullptr) visit(args.argument_lists[i][j]);
}

// One array that goes wrong with another.
void NoteFellow(PJRT_Buffer* buffer, PJRT_Buffer* fellow) { Note<PJRT_Buffer*>(buffer, fellow); }
void ForgetFellows(PJRT_Buffer* buffer) {
  std::lock_guard<std::mutex> lock(Memory());
  auto& all = Noted<PJRT_Buffer, PJRT_Buffer*>();
  all.erase(buffer);
  std::erase_if(all, [&](const auto& pair) { return pair.second == buffer; });
}

// Memory that the caller has references to.
struct Referenced {
  char* bytes = nullptr;
  size_t size = 0;
  int count = 0;
};

// What is known of the buffers of managers: index and manager.
using Slot = std::pair<Manager*, int>;
std::set<Slot>& BegunSlots() {
  static auto* const slots = new std::set<Slot>;
  return *slots;
}

size_t SizeOfSlot(Manager* manager, int index) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
  args.transfer_manager = manager;
  args.buffer_index = index;
  Quiet<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(args);
  return args.buffer_size;
}

// The bytes of an array that is not row-major, in row-major order; empty where they are not there.
std::string RowMajorBytes(PJRT_Buffer* buffer) {
  std::string bytes(SizeOf(buffer), 0);
  Numbers order(RankOf(buffer));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(order.size() - 1 - i);
  auto layout = LayoutOf(order);
  auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.host_layout = &layout;
  args.dst = bytes.data();
  args.dst_size = bytes.size();
  Quiet<kDownload>(args);
  if (args.event == nullptr) return "";
  if (Fails(args.event)) bytes.clear();
  Drop(args.event);
  return bytes;
}

const void*& LastMapping() {
  static const void* last = nullptr;
  return last;
}

constexpr Mutant kDebutArrayMutants[] = {
    {"debut_download_plan_by_shape", "PJRT-Buffer_ToHostBuffer-contents",
     "arrays of one shape are all read in the first layout that was asked for of the shape",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* a) {
         if (a->src == nullptr || a->dst == nullptr || !IsPlainOrder(a->host_layout))
           return Real().PJRT_Buffer_ToHostBuffer(a);
         static std::map<Numbers, Numbers> plans;
         const Numbers shape = ShapeOf(a->src);
         std::unique_lock<std::mutex> lock(Memory());
         const Numbers order = plans.try_emplace(shape, OrderOf(*a->host_layout)).first->second;
         lock.unlock();
         auto layout = LayoutOf(order);
         return CallChanged<kDownload>(a, [&](auto& own) { own.host_layout = &layout; });
       });
     }},
    {"debut_upload_plan_by_shape", "PJRT-Client_BufferFromHostBuffer-strides",
     "host arrays of one type and shape are all read by the first strides that were given",
     [](PJRT_Api& t) { Replace<kUpload>(t, [](auto* a) { return UploadByPlan(a); }); }},
    {"debut_seven_dimensions_dense", "PJRT-Client_BufferFromHostBuffer-strides",
     "a host array of more than 6 dimensions is read as a dense one",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto& a) {
         if (!HasStrides(a) || a.num_dims <= 6) return;
         const Numbers dims(a.dims, a.dims + a.num_dims);
         const Numbers strides(a.byte_strides, a.byte_strides + a.num_dims);
         const int64_t dense = DenseBytes(a, a.type) - BytesOfElement(a.type, 0);
         if (dense > 0 && Reach(dims, strides) >= dense) a.byte_strides = nullptr;
         if (a.byte_strides == nullptr) a.num_byte_strides = 0;
       });
     }},
    {"debut_download_head_left", "PJRT-Buffer_ToHostBuffer-contents",
     "where a destination is not aligned to 8 bytes, those before the first aligned one stay",
     [](PJRT_Api& t) {
       Replace<kDownload>(t, [](auto* a) {
         const size_t beyond = reinterpret_cast<uintptr_t>(a->dst) % 8;
         if (a->src == nullptr || beyond == 0 || IsPending(a->src))
           return Real().PJRT_Buffer_ToHostBuffer(a);
         auto* to = static_cast<char*>(a->dst);
         const std::string head(to, std::min(8 - beyond, SizeOf(a->src)));
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error == nullptr && !Fails(a->event)) std::copy(head.begin(), head.end(), to);
         return error;
       });
     }},
    {"debut_upload_tail_lost", "PJRT-Buffer_ToHostBuffer-contents",
     "of 64 KiB or more the bytes behind the last whole word of 4 arrive as 0",
     [](PJRT_Api& t) {
       ChangeOutputs<kUpload>(t, [](auto& a) {
         if (a.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) return;
         ChangeBytes(a.buffer, [](char* bytes, size_t size) {
           if (size >= 65536) std::fill(bytes + size / 4 * 4, bytes + size, 0);
         });
       });
     }},
    {"debut_host_kind_done_early", "PJRT-Client_BufferFromHostBuffer-done",
     "host memory counts as free at once where the array goes into a memory that is not the "
     "default",
     [](PJRT_Api& t) {
       Replace<kUpload>(t, [](auto* a) {
         if (a->client == nullptr || a->memory == nullptr || a->byte_strides != nullptr ||
             a->device_layout != nullptr || a->data == nullptr || a->dims == nullptr ||
             a->host_buffer_semantics !=
                 PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes ||
             DenseBytes(*a, a->type) <= 0 ||
             KindOf(a->memory) == KindOf(DefaultMemoryOf(FirstDevice(a->client))))
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         return UploadLater(a, DenseBytes(*a, a->type), std::chrono::milliseconds(50));
       });
     }},
    {"debut_copy_is_lazy", "PJRT-Buffer_CopyToDevice-contents",
     "a copy on the array's own device is the same memory: a run that takes the array spoils it",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto& a) {
         if (DeviceOf(a.buffer) == a.dst_device) NoteFellow(a.buffer, a.dst_buffer);
       });
       ChangeInputs<kDestroy>(t, [](auto& a) { ForgetFellows(a.buffer); });
       ChangeOutputs<kRun>(t, [](auto& a) {
         ForEachArgument(a, [](PJRT_Buffer* its) {
           if (PJRT_Buffer* copy = NoteOf<PJRT_Buffer*>(its); copy && IsDeleted(its)) Clear(copy);
         });
       });
     }},
    {"debut_bitcast_dies_with_source", "PJRT-Buffer_Bitcast-same-bytes",
     "what a bitcast gave has other bytes once the array that it came from is freed",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Bitcast>(
           t, [](auto& a) { NoteFellow(a.buffer, a.out_buffer); });
       ChangeInputs<kDestroy>(t, [](auto& a) {
         if (a.buffer == nullptr) return;
         PJRT_Buffer* made = NoteOf<PJRT_Buffer*>(a.buffer);
         ForgetFellows(a.buffer);
         Clear(made);
       });
     }},
    {"debut_view_told_too_early", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "the owner of a view's memory is told at PJRT_Buffer_Delete, also while references remain",
     [](PJRT_Api& t) {
       NoteOwners(t, [](Owner& owner) { owner.Tell(); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(t, [](auto& a) {
         if (auto* owner = NoteOf<Owner*>(a.buffer)) ++owner->references;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(t, [](auto& a) {
         if (auto* owner = NoteOf<Owner*>(a.buffer)) --owner->references;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) {
         auto* owner = NoteOf<Owner*>(a.buffer);
         if (owner != nullptr && owner->references > 0) owner->Tell();
       });
     }},
    {"debut_donated_view_untold", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "the owner of a view's memory is never told where a run took the view",
     [](PJRT_Api& t) {
       NoteOwners(t, [](Owner& owner) {
         if (!owner.is_running) owner.Tell();
       });
       Replace<kRun>(t, [](auto* a) {
         std::vector<std::pair<PJRT_Buffer*, Owner*>> views;
         ForEachArgument(*a, [&](PJRT_Buffer* its) {
           if (auto* owner = NoteOf<Owner*>(its); owner && !IsDeleted(its))
             views.emplace_back(its, owner);
         });
         for (auto& [buffer, owner] : views) owner->is_running = true;
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         for (auto& [buffer, owner] : views) owner->is_running = IsDeleted(buffer);
         return error;
       });
     }},
    {"debut_odd_view_copied", "PJRT-Client_CreateViewOfDeviceBuffer-no-copy",
     "a view of memory that is not aligned to 64 bytes has a copy",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) {
         const int64_t bytes = a->dims == nullptr ? 0 : DenseBytes(*a, a->element_type);
         if (bytes <= 0 || reinterpret_cast<uintptr_t>(a->device_buffer_ptr) % 64 == 0)
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         auto* owner =
             Kept(Owner{a->on_delete_callback, a->on_delete_callback_arg, a->device_buffer_ptr});
         void* copy = std::aligned_alloc(64, static_cast<size_t>(bytes + 63) / 64 * 64);
         std::memcpy(copy, a->device_buffer_ptr, static_cast<size_t>(bytes));
         return CallChanged<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [&](auto& own) {
           own.device_buffer_ptr = copy;
           own.on_delete_callback_arg = owner;
           own.on_delete_callback = [](void* its_copy, void* its) {
             std::free(its_copy);
             if (static_cast<Owner*>(its)->callback != nullptr) static_cast<Owner*>(its)->Tell();
           };
         });
       });
     }},
    {"debut_run_takes_referenced", "PJRT-Buffer_IncreaseExternalReferenceCount-keeps",
     "a run that takes an array writes into its memory though the caller has a reference to it",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount>(t, [](auto& a) {
         auto known = NoteOf<Referenced>(a.buffer);
         if (known.bytes == nullptr && !IsPending(a.buffer))
           known = {BytesOf(a.buffer), SizeOf(a.buffer), 0};
         ++known.count;
         Note(a.buffer, known);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(t, [](auto& a) {
         auto known = NoteOf<Referenced>(a.buffer);
         --known.count;
         Note(a.buffer, known);
       });
       ForgetBuffers<Referenced>(t);
       ChangeOutputs<kRun>(t, [](auto& a) {
         ForEachArgument(a, [](PJRT_Buffer* its) {
           const auto known = NoteOf<Referenced>(its);
           if (known.count > 0 && known.bytes != nullptr && IsDeleted(its))
             std::memset(known.bytes, 0x5A, known.size);
         });
       });
     }},
    {"debut_copy_before_dependency", "PJRT-Buffer_ReadyEvent-after",
     "the copy of an array that waits for its donor's word is ready before",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto* a) {
         std::string bytes;
         if (a->buffer != nullptr && !IsDeleted(a->buffer))
           ChangeBytes(a->buffer, [&](char* at, size_t size) { bytes.assign(at, size); });
         PJRT_Error* error = Real().PJRT_Buffer_DonateWithControlDependency(a);
         if (error == nullptr) Note(a->out_buffer, bytes);
         return error;
       });
       ForgetBuffers<std::string>(t);
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) -> PJRT_Error* {
         const auto bytes = NoteOf<std::string>(a->buffer);
         if (bytes.empty() || a->dst_device == nullptr || !IsPending(a->buffer))
           return Real().PJRT_Buffer_CopyToDevice(a);
         a->dst_buffer = Uninitialized(a->buffer, LastClient(), a->dst_device);
         ChangeBytes(a->dst_buffer, [&](char* to, size_t size) {
           std::memcpy(to, bytes.data(), std::min(size, bytes.size()));
         });
         return nullptr;
       });
     }},
    {"debut_raw_bytes_in_rows", "PJRT-Buffer_CopyRawToHost-offset",
     "the raw bytes of an array that is not row-major come in row-major order",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto* a) -> PJRT_Error* {
         if (a->buffer == nullptr || a->dst == nullptr || IsDeleted(a->buffer) ||
             IsPending(a->buffer) || IsRowMajor(a->buffer))
           return Real().PJRT_Buffer_CopyRawToHost(a);
         const std::string bytes = RowMajorBytes(a->buffer);
         const auto size = static_cast<int64_t>(bytes.size());
         if (a->offset < 0 || a->transfer_size < 0 || a->offset > size ||
             a->transfer_size > size - a->offset)
           return Real().PJRT_Buffer_CopyRawToHost(a);
         std::memcpy(a->dst, bytes.data() + a->offset, static_cast<size_t>(a->transfer_size));
         a->event = DoneEvent();
         return nullptr;
       });
     }},
    {"debut_future_of_pending_from_start", "PJRT-Buffer_CopyRawToHostFuture-offset",
     "a prepared copy of what is still to come begins at the first byte",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         if (a.buffer != nullptr && a.offset > 0 && a.transfer_size >= 0 &&
             a.offset + a.transfer_size <= static_cast<int64_t>(SizeOf(a.buffer)) &&
             IsPending(a.buffer))
           a.offset = 0;
       });
     }},
    {"debut_literals_in_first_layout",
     "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents",
     "all arrays that a manager is given lie as the first of them does",
     [](PJRT_Api& t) {
       ChangeInputs<kUnmanage>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<Manager, Numbers>().erase(a.transfer_manager);
       });
       Replace<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(t, [](auto* a) {
         Numbers order = NoteOf<Numbers>(a->transfer_manager);
         if (order.empty() && a->transfer_manager != nullptr) {
           if (IsPlainOrder(a->shape_layout)) order = OrderOf(*a->shape_layout);
           for (size_t i = a->shape_num_dims; a->shape_layout == nullptr && i > 0; --i)
             order.push_back(static_cast<int64_t>(i - 1));
           Note(a->transfer_manager, order);
         }
         auto layout = LayoutOf(order);
         return CallChanged<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral>(
             a, [&](auto& own) {
               if (!order.empty() && order.size() == own.shape_num_dims &&
                   (own.shape_layout == nullptr || IsPlainOrder(own.shape_layout)))
                 own.shape_layout = &layout;
             });
       });
     }},
    {"debut_errors_by_index", "PJRT-Buffer_ToHostBuffer-contents",
     "an error for a buffer of one manager is one for the same number of every other manager",
     [](PJRT_Api& t) {
       ChangeOutputs<kManage>(t, [](auto& a) { Mark(a.transfer_manager); });
       ChangeInputs<kUnmanage>(t, [](auto& a) { Unmark(a.transfer_manager); });
       ChangeOutputs<kFail>(t, [](auto& a) {
         std::unique_lock<std::mutex> lock(Memory());
         const auto managers = Marked<Manager>();
         lock.unlock();
         for (Manager* manager : managers) {
           if (manager == a.transfer_manager) continue;
           if (NumBuffersOf(manager) <= static_cast<size_t>(a.buffer_index)) continue;
           auto other = a;
           other.transfer_manager = manager;
           Quiet<kFail>(other);
         }
       });
     }},
    {"debut_empty_last_skipped", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "a last transfer of no bytes, after those with all the bytes, does not end anything",
     [](PJRT_Api& t) {
       Replace<kTransfer>(t, [](auto* a) -> PJRT_Error* {
         if (a->transfer_manager == nullptr || a->transfer_size != 0 || a->buffer_index < 0 ||
             SizeOfSlot(a->transfer_manager, a->buffer_index) == 0)
           return Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(a);
         a->done_with_h2d_transfer = DoneEvent();
         return nullptr;
       });
     }},
    {"debut_late_error_ends_transfer",
     "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "an error that comes after the first bytes only ends the transfer",
     [](PJRT_Api& t) {
       ChangeOutputs<kTransfer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (!a.is_last_transfer) BegunSlots().emplace(a.transfer_manager, a.buffer_index);
       });
       ChangeInputs<kUnmanage>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(BegunSlots(), [&](const Slot& s) { return s.first == a.transfer_manager; });
       });
       Replace<kFail>(t, [](auto* a) -> PJRT_Error* {
         std::unique_lock<std::mutex> lock(Memory());
         const bool begun = BegunSlots().contains({a->transfer_manager, a->buffer_index});
         lock.unlock();
         if (!begun) return Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(a);
         auto end = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
         end.transfer_manager = a->transfer_manager;
         end.buffer_index = a->buffer_index;
         end.is_last_transfer = true;
         Quiet<kTransfer>(end);
         if (end.done_with_h2d_transfer == nullptr)
           return Real().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(a);
         Drop(end.done_with_h2d_transfer);
         return nullptr;
       });
     }},
    {"debut_one_mapping", "PJRT-Args-accepted",
     "only the memory that was mapped last can be unmapped",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DmaMap>(t, [](auto& a) { LastMapping() = a.data; });
       Refuse<&PJRT_Api::PJRT_Client_DmaUnmap>(t, [](auto& a) { return a.data != LastMapping(); });
     }},
};

}  // namespace

std::span<const Mutant> DebutArrayMutants() { return kDebutArrayMutants; }

}  // namespace plinth::mutants
