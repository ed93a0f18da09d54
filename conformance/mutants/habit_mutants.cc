// SPDX-License-Identifier: Apache-2.0
// Bugs that plugins of vendors have had or could have: after some history, for some arguments, with
// several objects alive. Written from the header and the registry, before a look at the cases.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;
using Execute = PJRT_LoadedExecutable_Execute_Args;
using Manager = PJRT_AsyncHostToDeviceTransferManager;

// ---- Extensions ---------------------------------------------------------------------------------

template <typename Slot>
struct PartsOf;
template <typename NodeType, typename ArgsType>
struct PartsOf<PJRT_Error* (*NodeType::*)(ArgsType*)> {
  using Node = NodeType;
  using Args = ArgsType;
};

// A node of that type on a chain of the table's own: the nodes behind belong to the plugin behind.
PJRT_Extension_Base* OwnNode(PJRT_Api& table, PJRT_Extension_Type type, size_t least) {
  PJRT_Extension_Base* found = nullptr;
  for (PJRT_Extension_Base** at = &table.extension_start; *at != nullptr; at = &(*at)->next) {
    auto* own = static_cast<PJRT_Extension_Base*>(std::malloc((*at)->struct_size));
    std::memcpy(own, *at, (*at)->struct_size);
    *at = own;
    if (own->type == type && own->struct_size >= least) found = own;
  }
  return found;
}

// The function behind a slot of an extension.
template <auto kSlot>
auto& Behind() {
  static PJRT_Error* (*function)(typename PartsOf<decltype(kSlot)>::Args*) = nullptr;
  return function;
}

// As Replace, for a slot of an extension.
template <auto kSlot, typename Body>
void ReplaceIn(PJRT_Api& table, PJRT_Extension_Type type, Body) {
  using Node = typename PartsOf<decltype(kSlot)>::Node;
  using Args = typename PartsOf<decltype(kSlot)>::Args;
  auto* node = reinterpret_cast<Node*>(OwnNode(table, type, sizeof(Node)));
  if (node == nullptr || node->*kSlot == nullptr) return;
  Behind<kSlot>() = node->*kSlot;
  node->*kSlot = [](Args* args) -> PJRT_Error* {
    // A struct may end before its padding does.
    if (args == nullptr || args->struct_size + sizeof(void*) <= sizeof(Args)) {
      return Behind<kSlot>()(args);
    }
    return Body{}(args);
  };
}

// ---- What is asked of the plugin behind ---------------------------------------------------------

std::string KindOf(PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Memory_Kind_Args>();
  args.memory = memory;
  Quiet<&Api::PJRT_Memory_Kind>(args);
  return std::string(args.kind == nullptr ? "" : args.kind, args.kind_size);
}

// The memory of a device that is of the same kind; null if it has none.
PJRT_Memory* SameKindOn(PJRT_Device* device, PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  args.device = device;
  Quiet<&Api::PJRT_Device_AddressableMemories>(args);
  for (size_t i = 0; i < args.num_memories; ++i) {
    if (KindOf(args.memories[i]) == KindOf(memory)) return args.memories[i];
  }
  return nullptr;
}

int IdOf(PJRT_Device* device) {
  auto description = MakeArgs<PJRT_Device_GetDescription_Args>();
  description.device = device;
  Quiet<&Api::PJRT_Device_GetDescription>(description);
  auto args = MakeArgs<PJRT_DeviceDescription_Id_Args>();
  args.device_description = description.device_description;
  Quiet<&Api::PJRT_DeviceDescription_Id>(args);
  return args.id;
}

std::string PrintOf(PJRT_LoadedExecutable* loaded) {
  auto args = MakeArgs<PJRT_LoadedExecutable_Fingerprint_Args>();
  args.executable = loaded;
  Quiet<&Api::PJRT_LoadedExecutable_Fingerprint>(args);
  if (args.executable_fingerprint == nullptr) return "";
  return std::string(args.executable_fingerprint, args.executable_fingerprint_size);
}

size_t BufferSizeOf(Manager* manager, int index) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
  args.transfer_manager = manager;
  args.buffer_index = index;
  Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(args);
  return args.buffer_size;
}

size_t NumBuffersOf(Manager* manager) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>();
  args.transfer_manager = manager;
  Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount>(args);
  return args.buffer_count;
}

int64_t BytesInUse(PJRT_Device* device) {
  auto args = MakeArgs<PJRT_Device_MemoryStats_Args>();
  args.device = device;
  Quiet<&Api::PJRT_Device_MemoryStats>(args);
  return args.bytes_in_use;
}

// Calls visit(device, index, buffer) for each argument of an execution.
template <typename Visit>
void ForEachArgument(const Execute& args, Visit visit) {
  if (args.argument_lists == nullptr) return;
  for (size_t device = 0; device < args.num_devices; ++device) {
    if (args.argument_lists[device] == nullptr) continue;
    for (size_t i = 0; i < args.num_args; ++i) {
      if (PJRT_Buffer* buffer = args.argument_lists[device][i]) visit(device, i, buffer);
    }
  }
}

// Executes with options that `change` has changed; the caller's own stay as they are.
template <typename Change>
PJRT_Error* ExecuteWith(Execute* args, Change change) {
  if (args->options == nullptr ||
      args->options->struct_size < StructOf<PJRT_ExecuteOptions>::kMinimumSize) {
    return Real().PJRT_LoadedExecutable_Execute(args);
  }
  PJRT_ExecuteOptions options = {};
  const size_t size = std::min(args->options->struct_size, StructOf<PJRT_ExecuteOptions>::kSize);
  std::memcpy(&options, args->options, size);
  options.struct_size = size;
  change(options);
  return CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
      args, [&](auto& own) { own.options = &options; });
}

// ---- What is remembered -------------------------------------------------------------------------

// Where the first of a chain of copies was.
struct Home {
  PJRT_Device* device = nullptr;
};

// Where the first prepared copy of a buffer begins.
struct FirstCopy {
  bool is_there = false;
  int64_t offset = 0;
};

// Which arguments a run that succeeded has taken.
struct Taken {
  std::set<size_t> indices;
};

// The scalars of an executable's first run, by device and index.
struct Scalars {
  std::map<std::pair<size_t, size_t>, PJRT_Buffer*> values;
};

// Callbacks of an event.
struct Registered {
  int count = 0;
};

// What was in use when a device's peaks were cleared.
struct Cleared {
  int64_t bytes = 0;
};

// The how-manieth topology it is that was asked, from 1.
struct Place {
  uint64_t number = 0;
};

struct Print {
  std::string text;
};

struct LoadedFrom {
  PJRT_Executable* executable = nullptr;
};

// The first type of data in a context.
struct FirstType {
  bool is_there = false;
  int64_t id = 0;
};

struct ViewOwner {
  void (*callback)(void*, void*);
  void* argument;
};

// How to tell the owners of views that are alive, in the order in which the views were made.
std::deque<ViewOwner>& ViewOwners() {
  static auto* const owners = new std::deque<ViewOwner>;
  return *owners;
}

// Buffers of managers with some property.
std::set<std::pair<Manager*, int>>& ManagersBuffers() {
  static auto* const buffers = new std::set<std::pair<Manager*, int>>;
  return *buffers;
}
void ForgetManager(Manager* manager) {
  std::lock_guard<std::mutex> lock(Memory());
  std::erase_if(ManagersBuffers(), [&](const auto& buffer) { return buffer.first == manager; });
}

// Fingerprints of what has run.
std::set<std::string>& PrintsOfRuns() {
  static auto* const prints = new std::set<std::string>;
  return *prints;
}

// Ranges of host memory that were mapped once and are so no more.
std::set<const void*>& Unmapped() {
  static auto* const ranges = new std::set<const void*>;
  return *ranges;
}

// How deep this thread is in callbacks of events.
int& CallbackDepth() {
  static thread_local int depth = 0;
  return depth;
}

// A device that was looked up, and for which client.
struct LookedUp {
  PJRT_Client* client;
  PJRT_Device* device;
};
std::map<int, LookedUp>& DevicesById() {
  static auto* const devices = new std::map<int, LookedUp>;
  return *devices;
}

// A callback that was registered and has not run.
struct Waiting {
  PJRT_Event* event;
  PJRT_Event_OnReadyCallback callback;
  void* argument;
  bool is_told = false;
};
std::map<PJRT_Event*, std::vector<Waiting*>>& AllWaiting() {
  static auto* const waiting = new std::map<PJRT_Event*, std::vector<Waiting*>>;
  return *waiting;
}

// Bytes of an executable that are alive.
struct Serialized {
  const PJRT_Executable* executable;
  std::string bytes;
  void (*deleter)(PJRT_SerializedExecutable*);
};
std::map<PJRT_SerializedExecutable*, Serialized>& AllSerialized() {
  static auto* const all = new std::map<PJRT_SerializedExecutable*, Serialized>;
  return *all;
}

size_t BytesOfNumber(PJRT_Buffer_Type type) {
  switch (type) {
    case PJRT_Buffer_Type_F32:
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
      return 4;
    case PJRT_Buffer_Type_F64:
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
    case PJRT_Buffer_Type_C64:
      return 8;
    default:
      return 1;
  }
}

bool HasNoElement(const int64_t* dims, size_t num_dims) {
  return dims != nullptr && std::count(dims, dims + num_dims, 0) > 0;
}

const Mutant kHabitMutants[] = {
    // Uploads.
    {"flipped_rows_upright", "PJRT-Client_BufferFromHostBuffer-strides",
     "Where a stride before the last is negative the array is read from its lowest address "
     "upwards.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         const size_t rank = a.num_dims;
         if (rank < 2 || a.num_byte_strides != rank || a.byte_strides == nullptr ||
             a.data == nullptr || a.dims == nullptr || a.byte_strides[rank - 1] <= 0 ||
             HasNoElement(a.dims, rank)) {
           return;
         }
         static thread_local std::vector<int64_t> strides;
         strides.assign(a.byte_strides, a.byte_strides + rank);
         for (size_t i = 0; i < rank; ++i) {
           if (strides[i] >= 0) continue;
           a.data = static_cast<const char*>(a.data) + (a.dims[i] - 1) * strides[i];
           strides[i] = -strides[i];
         }
         a.byte_strides = strides.data();
       });
     }},
    {"strides_in_elements", "PJRT-Client_BufferFromHostBuffer-strides",
     "Strides are whole elements: one of 12 bytes between numbers of 8, as in records, is 8.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.num_byte_strides == 0 || a.byte_strides == nullptr) return;
         static thread_local std::vector<int64_t> strides;
         strides.assign(a.byte_strides, a.byte_strides + a.num_byte_strides);
         const auto size = static_cast<int64_t>(BytesOfNumber(a.type));
         for (int64_t& stride : strides) stride -= stride % size;
         a.byte_strides = strides.data();
       });
     }},
    {"unit_dimension_layout", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "The layout of an array with a dimension of 1 is thought to make no difference: it is "
     "default.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.dims != nullptr && std::count(a.dims, a.dims + a.num_dims, 1) > 0) {
           a.device_layout = nullptr;
         }
       });
     }},
    {"complex_read_late", "PJRT-Client_BufferFromHostBuffer-only-during-call",
     "Complex numbers of 64-bit floats are split by a thread that reads them after the call.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto* a) -> PJRT_Error* {
         if (a->type != PJRT_Buffer_Type_C128 || a->num_byte_strides > 0 ||
             a->device_layout != nullptr || a->data == nullptr || a->dims == nullptr ||
             a->client == nullptr || (a->memory == nullptr && a->device == nullptr) ||
             a->host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
           return Real().PJRT_Client_BufferFromHostBuffer(a);
         }
         int64_t bytes = 16;
         for (size_t i = 0; i < a->num_dims; ++i) bytes *= a->dims[i];
         if (bytes <= 0) return Real().PJRT_Client_BufferFromHostBuffer(a);
         return UploadLater(a, bytes, std::chrono::milliseconds(20));
       });
     }},
    {"half_nan_quieted", "PJRT-Buffer_ToHostBuffer-contents",
     "16-bit floats pass through the float unit on their way: signaling NaNs come back quiet.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         // Memory that is lent belongs to the host.
         if (a.type != PJRT_Buffer_Type_F16 ||
             a.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
             a.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy) {
           return;
         }
         ChangeBytes(a.buffer, [](char* bytes, size_t size) {
           for (size_t i = 0; i + 1 < size; i += 2) {
             uint16_t bits;
             std::memcpy(&bits, bytes + i, sizeof(bits));
             if ((bits & 0x7C00) != 0x7C00 || (bits & 0x3FF) == 0) continue;
             bits |= 0x200;
             std::memcpy(bytes + i, &bits, sizeof(bits));
           }
         });
       });
     }},

    // What is said of buffers.
    {"deleted_has_no_device", "PJRT-Args-accepted",
     "The device of a buffer that was deleted or donated is not told.",
     [](Api& t) {
       Refuse<&Api::PJRT_Buffer_Device, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.buffer != nullptr && IsDeleted(a.buffer); });
     }},
    {"layout_scratch_shared", "PJRT-Args-output-lifetime",
     "The order in a layout lies where the next layout that a thread asks for is written.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         static thread_local int64_t scratch[8];
         auto& tiled = a.layout.tiled;
         if (a.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
             tiled.minor_to_major_size > std::size(scratch)) {
           return;
         }
         std::copy_n(tiled.minor_to_major, tiled.minor_to_major_size, scratch);
         tiled.minor_to_major = scratch;
       });
     }},
    {"error_told_once", "PJRT-Buffer_ReadyEvent-after",
     "The first event of a buffer takes its error along: later ones end well.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!CarriesError(a->buffer)) return Real().PJRT_Buffer_ReadyEvent(a);
         if (!IsMarked(a->buffer)) {
           Mark(a->buffer);
           return Real().PJRT_Buffer_ReadyEvent(a);
         }
         a->event = DoneEvent();
         return nullptr;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},

    // Copies and views.
    {"copy_of_copy_home", "PJRT-Buffer_CopyToDevice-contents",
     "A copy of a copy lands on the device that the first of them was on.",
     [](Api& t) {
       ForgetBuffers<Home>(t);
       Replace<&Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) -> PJRT_Error* {
         Home home = NoteOf<Home>(a->buffer);
         PJRT_Error* error = CallChanged<&Api::PJRT_Buffer_CopyToDevice>(a, [&](auto& own) {
           if (home.device != nullptr && own.dst_device != nullptr) own.dst_device = home.device;
         });
         if (error != nullptr) return error;
         if (home.device == nullptr) home.device = DeviceOf(a->buffer);
         Note(a->dst_buffer, home);
         return nullptr;
       });
     }},
    {"copy_to_memory_stays_home", "PJRT-Buffer_CopyToMemory-contents",
     "Of the memory to copy to the kind counts alone: the copy stays with the buffer's own device.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         if (a.buffer == nullptr || a.dst_memory == nullptr) return;
         PJRT_Memory* own = SameKindOn(DeviceOf(a.buffer), a.dst_memory);
         if (own != nullptr) a.dst_memory = own;
       });
     }},
    {"reference_shared_count", "PJRT-Buffer_DecreaseExternalReferenceCount-zero",
     "External references are counted for all buffers together.",
     [](Api& t) {
       static int total = 0;
       ChangeOutputs<&Api::PJRT_Buffer_IncreaseExternalReferenceCount>(t, [](auto&) {
         std::lock_guard<std::mutex> lock(Memory());
         ++total;
       });
       Replace<&Api::PJRT_Buffer_DecreaseExternalReferenceCount>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Buffer_DecreaseExternalReferenceCount(a);
         if (a->buffer == nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         if (total == 0) return error;
         --total;
         FreeError(error);
         return nullptr;
       });
     }},
    {"views_end_in_order", "PJRT-Client_CreateViewOfDeviceBuffer-on_delete",
     "Of several views that are alive the end of any is told to the owner of the oldest.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(t, [](auto* a) -> PJRT_Error* {
         if (a->on_delete_callback == nullptr) {
           return Real().PJRT_Client_CreateViewOfDeviceBuffer(a);
         }
         const ViewOwner owner{a->on_delete_callback, a->on_delete_callback_arg};
         PJRT_Error* error =
             CallChanged<&Api::PJRT_Client_CreateViewOfDeviceBuffer>(a, [](auto& own) {
               own.on_delete_callback_arg = nullptr;
               own.on_delete_callback = [](void* bytes, void*) {
                 std::unique_lock<std::mutex> lock(Memory());
                 if (ViewOwners().empty()) return;
                 const ViewOwner oldest = ViewOwners().front();
                 ViewOwners().pop_front();
                 lock.unlock();
                 oldest.callback(bytes, oldest.argument);
               };
             });
         if (error != nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         ViewOwners().push_back(owner);
         return nullptr;
       });
     }},
    {"futures_share_offset", "PJRT-Buffer_CopyRawToHostFuture-offset",
     "A second prepared copy of a buffer begins where the first does.",
     [](Api& t) {
       ForgetBuffers<FirstCopy>(t);
       ChangeInputs<&Api::PJRT_Buffer_CopyRawToHostFuture>(t, [](auto& a) {
         if (a.buffer == nullptr || a.offset < 0 || a.transfer_size < 0) return;
         const auto size = static_cast<int64_t>(SizeOf(a.buffer));
         // Ranges that are wrong stay so.
         if (a.offset > size || a.transfer_size > size - a.offset) return;
         const FirstCopy first = NoteOf<FirstCopy>(a.buffer);
         if (!first.is_there) {
           Note(a.buffer, FirstCopy{true, a.offset});
         } else if (first.offset + a.transfer_size <= size) {
           a.offset = first.offset;
         }
       });
     }},
    {"donated_deleted_late", "PJRT-Buffer_DonateWithControlDependency-deletes",
     "A buffer that was donated counts as deleted only once the new one may be used.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto& a) {
         using Args = PJRT_Buffer_DonateWithControlDependency_Callback_Args;
         struct Call {
           PJRT_Buffer* buffer;
           void* data;
           void (*callback)(Args*);
         };
         Mark(a.buffer);
         a.callback_data = new Call{a.buffer, a.callback_data, a.dependency_ready_callback};
         a.dependency_ready_callback = [](Args* args) {
           auto* call = static_cast<Call*>(args->callback_data);
           Args own = *args;
           own.callback_data = call->data;
           Unmark(call->buffer);
           call->callback(&own);
           delete call;
         };
       });
       ChangeOutputs<&Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         if (IsMarked(a.buffer)) a.is_deleted = false;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"bitcast_scalar", "PJRT-Buffer_Bitcast-same-bytes",
     "An array that is seen as a scalar has one dimension of 1.",
     [](Api& t) {
       if (t.PJRT_Buffer_Bitcast == nullptr) return;
       ChangeInputs<&Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         static const int64_t one = 1;
         if (a.num_dims > 0) return;
         a.dims = &one;
         a.num_dims = 1;
         a.device_layout = nullptr;
       });
     }},
    {"alias_error_cached", "PJRT-Client_FulfillAliasBuffer-error",
     "The text of the first error that an alias is given in the process is that of all.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_FulfillAliasBuffer>(t, [](auto& a) {
         if (a.status_code == PJRT_Error_Code_OK || a.error_message_size == 0 ||
             a.error_message == nullptr) {
           return;
         }
         static const auto* const first = Kept(std::string(a.error_message, a.error_message_size));
         a.error_message = first->data();
         a.error_message_size = first->size();
       });
     }},
    {"dma_map_remembers", "PJRT-Args-accepted",
     "Host memory that was mapped and is so no more cannot be mapped again.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_DmaUnmap>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Unmapped().insert(a.data);
       });
       Refuse<&Api::PJRT_Client_DmaMap, PJRT_Error_Code_ALREADY_EXISTS>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         return Unmapped().contains(a.data);
       });
     }},

    // Buffers that are filled piece by piece.
    {"empty_last_chunk", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "A last transfer of no bytes is skipped, and with it that it is the last.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.transfer_size == 0) a.is_last_transfer = false;
       });
     }},
    {"end_means_last", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "The transfer that reaches the end of a buffer is taken for the last, though more comes.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         if (a.transfer_manager == nullptr || a.offset <= 0 || a.transfer_size <= 0) return;
         const auto size = static_cast<int64_t>(BufferSizeOf(a.transfer_manager, a.buffer_index));
         if (size > 0 && a.offset <= size && a.transfer_size == size - a.offset) {
           a.is_last_transfer = true;
         }
       });
     }},
    {"manager_error_spreads", "PJRT-AsyncHostToDeviceTransferManager_SetBufferError-carries",
     "An error of one buffer of a manager is that of all that are not complete.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         if (a.error_code == PJRT_Error_Code_OK) return;
         const size_t count = NumBuffersOf(a.transfer_manager);
         for (size_t i = 0; i < count; ++i) {
           auto other = a;
           other.buffer_index = static_cast<int>(i);
           if (other.buffer_index == a.buffer_index) continue;
           Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(other);
         }
       });
     }},
    {"partial_buffer_completes", "PJRT-AsyncHostToDeviceTransferManager_Destroy-unfinished",
     "A buffer of which a part has come is complete once its manager is gone.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         const std::pair<Manager*, int> buffer(a.transfer_manager, a.buffer_index);
         std::lock_guard<std::mutex> lock(Memory());
         if (a.is_last_transfer) {
           ManagersBuffers().erase(buffer);
         } else {
           ManagersBuffers().insert(buffer);
         }
       });
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         ManagersBuffers().erase({a.transfer_manager, a.buffer_index});
       });
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(t, [](auto& a) {
         std::vector<int> parts;
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [manager, index] : ManagersBuffers()) {
             if (manager == a.transfer_manager) parts.push_back(index);
           }
         }
         ForgetManager(a.transfer_manager);
         for (int index : parts) {
           const char nothing = 0;
           auto last = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
           last.transfer_manager = a.transfer_manager;
           last.buffer_index = index;
           last.data = &nothing;
           last.is_last_transfer = true;
           Quiet<&Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(last);
           if (last.done_with_h2d_transfer == nullptr) continue;
           (void)Fails(last.done_with_h2d_transfer);
           Drop(last.done_with_h2d_transfer);
         }
       });
     }},
    {"size_after_retrieve", "PJRT-AsyncHostToDeviceTransferManager_BufferSize-on-device",
     "A manager takes the size of a buffer that it handed out for 0.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         ManagersBuffers().insert({a.transfer_manager, a.buffer_index});
       });
       ChangeOutputs<&Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (ManagersBuffers().contains({a.transfer_manager, a.buffer_index})) a.buffer_size = 0;
       });
       ChangeInputs<&Api::PJRT_AsyncHostToDeviceTransferManager_Destroy>(
           t, [](auto& a) { ForgetManager(a.transfer_manager); });
     }},
    {"second_layout_ignored", "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for",
     "All buffers of a manager that have the rank of the first have its layout.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         if (a.num_device_layouts < 2 || a.num_device_layouts != a.num_shape_specs ||
             a.device_layouts == nullptr || a.shape_specs == nullptr) {
           return;
         }
         static thread_local std::vector<PJRT_Buffer_MemoryLayout*> layouts;
         layouts.assign(a.device_layouts, a.device_layouts + a.num_device_layouts);
         for (size_t i = 1; i < layouts.size(); ++i) {
           if (a.shape_specs[i].num_dims == a.shape_specs[0].num_dims) layouts[i] = layouts[0];
         }
         a.device_layouts = layouts.data();
       });
     }},

    // Executions.
    {"first_output_has_error", "PJRT-LoadedExecutable_Execute-error-input",
     "Of several outputs the first alone carries the error of an argument.",
     [](Api& t) {
       RememberClient(t);
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         bool has_error = false;
         ForEachArgument(*a, [&](size_t, size_t, PJRT_Buffer* buffer) {
           has_error = has_error || CarriesError(buffer);
         });
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || !has_error) return error;
         for (size_t device = 0; device < a->num_devices; ++device) {
           std::span<PJRT_Buffer*> outputs = OutputsOf(*a, device);
           for (size_t i = 1; i < outputs.size(); ++i) {
             PJRT_Buffer* made = Uninitialized(outputs[i], LastClient(), DeviceOf(outputs[i]));
             if (made == nullptr) continue;
             Destroy(outputs[i]);
             outputs[i] = made;
           }
         }
         return nullptr;
       });
     }},
    {"same_argument_twice", "PJRT-Args-accepted",
     "A buffer that stands twice among the arguments is refused, also where none is donated.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         std::set<PJRT_Buffer*> seen;
         bool is_twice = false;
         ForEachArgument(a, [&](size_t, size_t, PJRT_Buffer* buffer) {
           is_twice = is_twice || !seen.insert(buffer).second;
         });
         return is_twice;
       });
     }},
    {"failed_run_takes_donation", "PJRT-LoadedExecutable_Execute-failure",
     "A run that is refused takes the arguments that an earlier run of the program was donated.",
     [](Api& t) {
       ForgetExecutables<Taken>(t);
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         std::set<PJRT_Buffer*> gone;
         ForEachArgument(*a, [&](size_t, size_t, PJRT_Buffer* buffer) {
           if (IsDeleted(buffer)) gone.insert(buffer);
         });
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         Taken taken = NoteOf<Taken>(a->executable);
         ForEachArgument(*a, [&](size_t, size_t i, PJRT_Buffer* buffer) {
           if (gone.contains(buffer)) return;
           if (error == nullptr && IsDeleted(buffer)) taken.indices.insert(i);
           if (error != nullptr && taken.indices.contains(i)) Delete(buffer);
         });
         if (error == nullptr && !taken.indices.empty()) Note(a->executable, taken);
         return error;
       });
     }},
    {"one_non_donatable", "PJRT-LoadedExecutable_Execute-not-donated",
     "Of the arguments that must not be donated the first in the list is kept.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         return ExecuteWith(a, [](auto& options) {
           if (options.num_non_donatable_input_indices > 1) {
             options.num_non_donatable_input_indices = 1;
           }
         });
       });
     }},
    {"negative_launch_id", "PJRT-Args-accepted",
     "A launch id with its highest bit set, as hashes of run ids have it, is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(
           t, [](auto& a) { return a.options != nullptr && a.options->launch_id < 0; });
     }},
    {"context_used_once", "PJRT-FFI_UserData_Add-found",
     "A context serves one execution: those after it go without its data.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         return ExecuteWith(a, [](auto& options) {
           if (options.context == nullptr) return;
           if (IsMarked(options.context)) {
             options.context = nullptr;
           } else {
             Mark(options.context);
           }
         });
       });
       ChangeInputs<&Api::PJRT_ExecuteContext_Destroy>(t, [](auto& a) { Unmark(a.context); });
     }},
    {"scalar_argument_cached", "PJRT-LoadedExecutable_Execute-results",
     "Scalar integers are taken for constants: each run computes with those of the first.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto* a) -> PJRT_Error* {
         const Scalars scalars = NoteOf<Scalars>(a->executable);
         for (const auto& [place, buffer] : scalars.values) Destroy(buffer);
         {
           std::lock_guard<std::mutex> lock(Memory());
           Noted<PJRT_LoadedExecutable, Scalars>().erase(a->executable);
         }
         return Real().PJRT_LoadedExecutable_Destroy(a);
       });
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         if (a->executable == nullptr || a->argument_lists == nullptr || a->num_args == 0) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         Scalars scalars = NoteOf<Scalars>(a->executable);
         std::vector<std::vector<PJRT_Buffer*>> lists(a->num_devices);
         for (size_t device = 0; device < a->num_devices; ++device) {
           PJRT_Buffer* const* list = a->argument_lists[device];
           if (list == nullptr) return Real().PJRT_LoadedExecutable_Execute(a);
           lists[device].assign(list, list + a->num_args);
         }
         std::vector<PJRT_Buffer*> made;
         ForEachArgument(*a, [&](size_t device, size_t i, PJRT_Buffer* buffer) {
           if (IsDeleted(buffer) || IsPending(buffer) || CarriesError(buffer) ||
               ElementTypeOf(buffer) != PJRT_Buffer_Type_S32 || RankOf(buffer) != 0) {
             return;
           }
           PJRT_Buffer*& kept = scalars.values[{device, i}];
           if (kept == nullptr) {
             kept = CopyOf(buffer);
           } else if (MemoryOf(kept) == MemoryOf(buffer)) {
             if (PJRT_Buffer* copy = CopyOf(kept)) {
               made.push_back(copy);
               lists[device][i] = copy;
             }
           }
         });
         std::erase_if(scalars.values, [](const auto& value) { return value.second == nullptr; });
         Note(a->executable, scalars);
         std::vector<PJRT_Buffer* const*> pointers;
         pointers.reserve(lists.size());
         for (const auto& list : lists) pointers.push_back(list.data());
         PJRT_Error* error = CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.argument_lists = pointers.data(); });
         for (PJRT_Buffer* buffer : made) Destroy(buffer);
         return error;
       });
     }},
    {"run_options_of_today", "PJRT-Args-nested-struct_size",
     "Options of an execution that are shorter than those of the newest header are refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         return a.options != nullptr &&
                a.options->struct_size < StructOf<PJRT_ExecuteOptions>::kSize;
       });
     }},
    {"profiler_node_refused", "PJRT-Args-extension_start",
     "An execution that brings the id of a trace along is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_UNIMPLEMENTED>(t, [](auto& a) {
         for (const PJRT_Extension_Base* node = a.extension_start; node; node = node->next) {
           if (node->type == PJRT_Extension_Type_Profiler) return true;
         }
         return false;
       });
     }},

    // Events and errors.
    {"call_in_callback_refused", "PJRT-Event_OnReady-reentrant",
     "A callback of an event may neither execute nor copy to the host.",
     [](Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         ++CallbackDepth();
         callback(error, argument);
         --CallbackDepth();
       });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto&) { return CallbackDepth() > 0; });
       Refuse<&Api::PJRT_Buffer_ToHostBuffer, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto&) { return CallbackDepth() > 0; });
     }},
    {"second_callback_lost", "PJRT-Event_OnReady-once",
     "An event that is not ready has room for one callback: those after it never run.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event == nullptr || a->callback == nullptr || IsReady(a->event)) {
           return Real().PJRT_Event_OnReady(a);
         }
         const Registered registered = NoteOf<Registered>(a->event);
         if (registered.count > 0) return nullptr;
         Note(a->event, Registered{1});
         return Real().PJRT_Event_OnReady(a);
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event, Registered>().erase(a.event);
       });
     }},
    {"error_after_await", "PJRT-Event_Error-independent",
     "A wait takes the error out of an event: who asks for it later gets none.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_Await>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (error != nullptr && a->event != nullptr) Mark(a->event);
         return error;
       });
       Replace<&Api::PJRT_Event_Error>(t, [](auto* a) -> PJRT_Error* {
         return IsMarked(a->event) ? nullptr : Real().PJRT_Event_Error(a);
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
     }},
    {"error_text_ends_at_nul", "PJRT-Strings-size",
     "The text of an error ends at the first NUL in it.",
     [](Api& t) {
       Replace<&Api::PJRT_Error_Message>(t, [](auto* a) {
         Real().PJRT_Error_Message(a);
         if (a->message != nullptr) a->message_size = strnlen(a->message, a->message_size);
       });
     }},
    {"empty_payload_skipped", "PJRT-Error_ForEachPayload-once",
     "A payload whose value is empty is not shown.",
     [](Api& t) {
       ChangePayloads(t, [](int, std::string_view key, std::string_view value, auto pass) {
         if (!value.empty()) pass(key, value);
       });
     }},
    {"destroyed_event_callbacks_early", "PJRT-Event_Destroy-callbacks",
     "The callbacks of an event that is destroyed before it is ready run at once, without an "
     "error.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event == nullptr || a->callback == nullptr || IsReady(a->event)) {
           return Real().PJRT_Event_OnReady(a);
         }
         auto* waiting = new Waiting{a->event, a->callback, a->user_arg};
         {
           std::lock_guard<std::mutex> lock(Memory());
           AllWaiting()[a->event].push_back(waiting);
         }
         PJRT_Error* refused = CallChanged<&Api::PJRT_Event_OnReady>(a, [&](auto& own) {
           own.user_arg = waiting;
           own.callback = [](PJRT_Error* error, void* argument) {
             auto* it = static_cast<Waiting*>(argument);
             std::unique_lock<std::mutex> lock(Memory());
             const bool is_told = it->is_told;
             if (!is_told) std::erase(AllWaiting()[it->event], it);
             lock.unlock();
             if (is_told) {
               FreeError(error);
             } else {
               it->callback(error, it->argument);
             }
             delete it;
           };
         });
         if (refused == nullptr) return nullptr;
         std::lock_guard<std::mutex> lock(Memory());
         std::erase(AllWaiting()[a->event], waiting);
         delete waiting;
         return refused;
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::vector<Waiting> early;
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (Waiting* waiting : AllWaiting()[a.event]) {
             waiting->is_told = true;
             early.push_back(*waiting);
           }
           AllWaiting().erase(a.event);
         }
         for (const Waiting& waiting : early) waiting.callback(nullptr, waiting.argument);
       });
     }},

    // Clients, devices, topologies.
    {"lookup_cached", "PJRT-Args-output-true",
     "A device that was looked up for one client is given to another that asks for the same id.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_LookupDevice>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         a.device = DevicesById().emplace(a.id, LookedUp{a.client, a.device}).first->second.device;
       });
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(DevicesById(), [&](const auto& it) { return it.second.client == a.client; });
       });
     }},
    {"float_option_ignored", "PJRT-Client_Create-unknown-option",
     "Options that are floats are skipped: the platform knows none.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Create>(t, [](auto& a) {
         if (a.create_options == nullptr) return;
         static thread_local std::vector<PJRT_NamedValue> options;
         options.assign(a.create_options, a.create_options + a.num_options);
         std::erase_if(options, [](auto& it) { return it.type == PJRT_NamedValue_kFloat; });
         a.create_options = options.data();
         a.num_options = options.size();
       });
     }},
    {"assignment_repeats", "PJRT-Client_DefaultDeviceAssignment-devices",
     "With replicas and partitions every replica is assigned the devices of the first.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         if (a.num_replicas < 2 || a.num_partitions < 2 || a.default_assignment == nullptr) return;
         for (int i = a.num_partitions; i < a.num_replicas * a.num_partitions; ++i) {
           a.default_assignment[i] = a.default_assignment[i % a.num_partitions];
         }
       });
     }},
    {"clear_peak_to_zero", "PJRT-Device_ClearMemoryStats-peak",
     "Peaks begin again at 0, and count what comes above what is in use already.",
     [](Api& t) {
       if (t.PJRT_Device_ClearMemoryStats == nullptr) return;
       ChangeOutputs<&Api::PJRT_Device_ClearMemoryStats>(
           t, [](auto& a) { Note(a.device, Cleared{BytesInUse(a.device)}); });
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         const int64_t before = NoteOf<Cleared>(a.device).bytes;
         if (!HasField(a, &PJRT_Device_MemoryStats_Args::peak_bytes_in_use)) return;
         a.peak_bytes_in_use = std::max<int64_t>(a.peak_bytes_in_use - before, 0);
       });
     }},
    {"fingerprint_by_client", "PJRT-TopologyDescription_Fingerprint-equal",
     "The number of the client that a topology came from goes into its fingerprint.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Fingerprint>(t, [](auto& a) {
         static uint64_t asked = 0;
         std::lock_guard<std::mutex> lock(Memory());
         Place& place = Noted<const PJRT_TopologyDescription, Place>()[a.topology];
         if (place.number == 0) place.number = ++asked;
         a.fingerprint += place.number - 1;
       });
     }},
    {"attributes_rebuilt", "PJRT-Plugin_Attributes-lifetime",
     "Each call lists the plugin's attributes anew and empties the names of the list before.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         static std::vector<PJRT_NamedValue>* last = nullptr;
         std::lock_guard<std::mutex> lock(Memory());
         if (last != nullptr) {
           for (PJRT_NamedValue& value : *last) value.name_size = 0;
         }
         last = Kept(std::vector<PJRT_NamedValue>(a.attributes, a.attributes + a.num_attributes));
         a.attributes = last->data();
       });
     }},

    // Programs.
    {"fingerprint_after_run", "PJRT-Executable_Fingerprint-stable",
     "What is measured when a program runs goes into its fingerprint.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         std::string print = PrintOf(a.executable);
         std::lock_guard<std::mutex> lock(Memory());
         PrintsOfRuns().insert(std::move(print));
       });
       ChangeOutputs<&Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         std::string print(a.executable_fingerprint, a.executable_fingerprint_size);
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (!PrintsOfRuns().contains(print)) return;
         }
         const auto* text = Kept(print + "-profiled");
         a.executable_fingerprint = text->data();
         a.executable_fingerprint_size = text->size();
       });
     }},
    {"options_of_loaded_lost", "PJRT-Executable_GetCompileOptions-same",
     "A program that came from bytes has no compile options.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         if (IsMarked(a.loaded_executable)) Mark(a.executable);
       });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.serialized_bytes_size = 0;
       });
     }},
    {"output_dims_of_scalar", "PJRT-Executable_NumOutputs-program",
     "A scalar among several outputs is said to have one dimension of 1.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         if (a.num_outputs < 2) return;
         auto* sizes = Kept(std::vector<size_t>(a.dim_sizes, a.dim_sizes + a.num_outputs));
         auto* dims = Kept(std::vector<int64_t>());
         const int64_t* at = a.dims;
         for (size_t& size : *sizes) {
           dims->insert(dims->end(), at, at + size);
           at += size;
           if (size > 0) continue;
           dims->push_back(1);
           size = 1;
         }
         a.dims = dims->data();
         a.dim_sizes = sizes->data();
       });
     }},
    {"optimized_exact_only", "PJRT-Executable_OptimizedProgram-two-calls",
     "Room for the optimized program that is larger than need be is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Executable_OptimizedProgram>(t, [](auto& a) {
         if (a.executable == nullptr || a.program == nullptr || a.program->code == nullptr) {
           return false;
         }
         auto program = MakeArgs<PJRT_Program>();
         auto ask = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
         ask.executable = a.executable;
         ask.program = &program;
         PJRT_Error* error = Real().PJRT_Executable_OptimizedProgram(&ask);
         FreeError(error);
         return error == nullptr && a.program->code_size > program.code_size;
       });
     }},
    {"serialized_again", "PJRT-Executable_Serialize-lifetime",
     "The bytes of an executable are cleared when it is serialized once more.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (auto& [holder, other] : AllSerialized()) {
           if (other.executable == a.executable)
             std::fill(other.bytes.begin(), other.bytes.end(), 0);
         }
         Serialized& own = AllSerialized()[a.serialized_executable];
         own.executable = a.executable;
         own.bytes.assign(a.serialized_bytes, a.serialized_bytes_size);
         own.deleter = a.serialized_executable_deleter;
         a.serialized_bytes = own.bytes.data();
         a.serialized_executable_deleter = [](PJRT_SerializedExecutable* holder) {
           std::unique_lock<std::mutex> deleting(Memory());
           auto found = AllSerialized().find(holder);
           if (found == AllSerialized().end()) return;
           auto* deleter = found->second.deleter;
           AllSerialized().erase(found);
           deleting.unlock();
           deleter(holder);
         };
       });
     }},
    {"compile_cache_without_options", "PJRT-Client_Compile-assignment",
     "A program that was compiled before keeps the options of then.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Compile>(t, [](auto& a) {
         if (a.program == nullptr || a.program->code == nullptr || a.compile_options == nullptr) {
           return;
         }
         static auto* const options_of = new std::map<std::string, std::string>;
         std::lock_guard<std::mutex> lock(Memory());
         const std::string& options =
             options_of
                 ->emplace(std::string(a.program->code, a.program->code_size),
                           std::string(a.compile_options, a.compile_options_size))
                 .first->second;
         a.compile_options = options.data();
         a.compile_options_size = options.size();
       });
     }},
    {"addressable_sorted", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
     "The devices of a program are listed by their ids, not in the order of their logical ids.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         if (a.num_addressable_devices < 2) return;
         auto* devices = Kept(std::vector<PJRT_Device*>(
             a.addressable_devices, a.addressable_devices + a.num_addressable_devices));
         std::sort(devices->begin(), devices->end(),
                   [](auto* one, auto* other) { return IdOf(one) < IdOf(other); });
         a.addressable_devices = devices->data();
       });
     }},
    {"twin_unloaded", "PJRT-LoadedExecutable_IsDeleted-truth",
     "With a program all others that were compiled from the same text are unloaded.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Compile>(
           t, [](auto& a) { Note(a.executable, Print{PrintOf(a.executable)}); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) {
         const std::string text = NoteOf<Print>(a.executable).text;
         if (text.empty()) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [loaded, print] : Noted<PJRT_LoadedExecutable, Print>()) {
           if (print.text == text) Marked<PJRT_LoadedExecutable>().insert(loaded);
         }
       });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_IsDeleted>(
           t, [](auto& a) { a.is_deleted |= IsMarked(a.executable); });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return IsMarked(a.executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_LoadedExecutable, Print>().erase(a.executable);
         Marked<PJRT_LoadedExecutable>().erase(a.executable);
       });
     }},
    {"load_borrows_executable", "PJRT-Client_Load-again",
     "What was loaded from an executable runs only as long as the executable is there.",
     [](Api& t) {
       if (t.PJRT_Client_Load == nullptr) return;
       ChangeOutputs<&Api::PJRT_Client_Load>(
           t, [](auto& a) { Note(a.loaded_executable, LoadedFrom{a.executable}); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [loaded, from] : Noted<PJRT_LoadedExecutable, LoadedFrom>()) {
           if (from.executable == a.executable) Marked<PJRT_LoadedExecutable>().insert(loaded);
         }
       });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return IsMarked(a.executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_LoadedExecutable, LoadedFrom>().erase(a.executable);
         Marked<PJRT_LoadedExecutable>().erase(a.executable);
       });
     }},
    {"failed_compile_leaks", "PJRT-Process-memory",
     "A program that is not compiled leaves the compiler's arena behind.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error != nullptr) Forget(1 << 20);
         return error;
       });
     }},

    // Extensions.
    {"scalar_layout_text", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "The layout of a scalar is the empty text.",
     [](Api& t) {
       constexpr auto kSlot = &PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize;
       ReplaceIn<kSlot>(t, PJRT_Extension_Type_Layouts, [](auto* a) {
         PJRT_Error* error = Behind<kSlot>()(a);
         if (error == nullptr && a->serialized_bytes_size == 2) a->serialized_bytes_size = 0;
         return error;
       });
     }},
    {"output_layouts_scratch", "PJRT-Args-output-lifetime",
     "The list of the layouts of an executable's outputs is overwritten by that of the next.",
     [](Api& t) {
       constexpr auto kSlot =
           &PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts;
       ReplaceIn<kSlot>(t, PJRT_Extension_Type_Layouts, [](auto* a) {
         static thread_local PJRT_Layouts_MemoryLayout* scratch[64];
         PJRT_Error* error = Behind<kSlot>()(a);
         if (error != nullptr || a->num_outputs > std::size(scratch)) return error;
         std::copy_n(a->layouts, a->num_outputs, scratch);
         a->layouts = scratch;
         return error;
       });
     }},
    {"output_sharding_first", "PJRT-Shardings_PJRT_Executable_OutputShardings-outputs",
     "All outputs are said to be sharded as the first is.",
     [](Api& t) {
       constexpr auto kSlot =
           &PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_OutputShardings;
       ReplaceIn<kSlot>(t, PJRT_Extension_Type_Shardings, [](auto* a) {
         PJRT_Error* error = Behind<kSlot>()(a);
         if (error != nullptr || a->num_outputs < 2 || a->shardings == nullptr) return error;
         a->shardings = Kept(std::vector<const char*>(a->num_outputs, a->shardings[0]))->data();
         a->sharding_sizes =
             Kept(std::vector<size_t>(a->num_outputs, a->sharding_sizes[0]))->data();
         return error;
       });
     }},
    {"ffi_type_names_cut", "PJRT-FFI_Type_Register-ids",
     "Types whose names agree in their first 16 bytes have one id.",
     [](Api& t) {
       constexpr auto kSlot = &PJRT_FFI_Extension::type_register;
       ReplaceIn<kSlot>(t, PJRT_Extension_Type_FFI, [](auto* a) -> PJRT_Error* {
         static auto* const ids = new std::map<std::string, int64_t>;
         if (a->type_name == nullptr || a->type_name_size <= 16 || a->type_id != 0) {
           return Behind<kSlot>()(a);
         }
         const std::string head(a->type_name, 16);
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto found = ids->find(head);
           if (found != ids->end()) {
             a->type_id = found->second;
             return nullptr;
           }
         }
         PJRT_Error* error = Behind<kSlot>()(a);
         if (error != nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         ids->emplace(head, a->type_id);
         return nullptr;
       });
     }},
    {"ffi_second_user_data", "PJRT-FFI_UserData_Add-found",
     "A context has room for data of one type: those of others are dropped.",
     [](Api& t) {
       constexpr auto kSlot = &PJRT_FFI_Extension::user_data_add;
       ReplaceIn<kSlot>(t, PJRT_Extension_Type_FFI, [](auto* a) -> PJRT_Error* {
         const FirstType first = NoteOf<FirstType>(a->context);
         if (first.is_there && first.id != a->user_data.type_id) return nullptr;
         PJRT_Error* error = Behind<kSlot>()(a);
         if (error == nullptr) Note(a->context, FirstType{true, a->user_data.type_id});
         return error;
       });
       ChangeInputs<&Api::PJRT_ExecuteContext_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_ExecuteContext, FirstType>().erase(a.context);
       });
     }},
    {"handler_name_cut", "PJRT-FFI_Register_Handler-called",
     "Of the name of a handler the first 31 bytes are kept: programs do not find a longer one.",
     [](Api& t) {
       constexpr auto kSlot = &PJRT_FFI_Extension::register_handler;
       ReplaceIn<kSlot>(t, PJRT_Extension_Type_FFI, [](auto* a) {
         auto own = *a;
         own.target_name_size = std::min<size_t>(own.target_name_size, 31);
         return Behind<kSlot>()(&own);
       });
     }},
};

}  // namespace

std::span<const Mutant> HabitMutants() { return kHabitMutants; }

}  // namespace plinth::mutants
