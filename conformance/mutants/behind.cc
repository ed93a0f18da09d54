// SPDX-License-Identifier: Apache-2.0
#include "conformance/mutants/behind.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "plinth/reflection/reflection.h"

namespace plinth::mutants {
namespace {

// The arguments after a call with `set` inputs; as before it where it fails.
template <auto kSlot, typename Set>
auto Ask(Set set) {
  using Args = typename ArgsOfSlot<decltype(kSlot)>::Type;
  auto args = MakeArgs<Args>();
  set(args);
  auto before = args;
  PJRT_Error* error = (Real().*kSlot)(&args);
  if (error == nullptr) return args;
  FreeError(error);
  return before;
}

}  // namespace

void CopyOutputs(const char* structure, const void* from, void* to) {
  size_t reached;
  std::memcpy(&reached, to, sizeof(reached));
  const reflection::Struct* found = reflection::FindStruct(structure);
  if (found == nullptr) return;
  for (const reflection::Field& field : reflection::FieldsOf(*found)) {
    if (field.direction == reflection::Direction::kIn || field.offset + field.size > reached)
      continue;
    std::memcpy(static_cast<char*>(to) + field.offset,
                static_cast<const char*>(from) + field.offset, field.size);
  }
}

std::mutex& Memory() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

void Forget(size_t bytes) {
  static auto* const lost = new std::vector<void*>;
  std::lock_guard<std::mutex> lock(Memory());
  lost->push_back(std::memset(std::malloc(bytes), 1, bytes));
}

char* BytesOf(PJRT_Buffer* buffer) {
  PJRT_Event* ready = ReadyEventOf(buffer);
  if (ready == nullptr) return nullptr;
  bool is_there = !Fails(ready);
  Drop(ready);
  if (!is_there) return nullptr;
  return static_cast<char*>(
      Ask<&PJRT_Api::PJRT_Buffer_OpaqueDeviceMemoryDataPointer>([&](auto& args) {
        args.buffer = buffer;
      }).device_memory_ptr);
}

size_t SizeOf(PJRT_Buffer* buffer) {
  return Ask<&PJRT_Api::PJRT_Buffer_OnDeviceSizeInBytes>([&](auto& args) { args.buffer = buffer; })
      .on_device_size_in_bytes;
}

size_t RankOf(PJRT_Buffer* buffer) {
  return Ask<&PJRT_Api::PJRT_Buffer_Dimensions>([&](auto& args) { args.buffer = buffer; }).num_dims;
}

PJRT_Buffer_Type ElementTypeOf(PJRT_Buffer* buffer) {
  return Ask<&PJRT_Api::PJRT_Buffer_ElementType>([&](auto& args) { args.buffer = buffer; }).type;
}

PJRT_Device* DeviceOf(PJRT_Buffer* buffer) {
  return Ask<&PJRT_Api::PJRT_Buffer_Device>([&](auto& args) { args.buffer = buffer; }).device;
}

PJRT_Memory* MemoryOf(PJRT_Buffer* buffer) {
  return Ask<&PJRT_Api::PJRT_Buffer_Memory>([&](auto& args) { args.buffer = buffer; }).memory;
}

bool IsDeleted(PJRT_Buffer* buffer) {
  return Ask<&PJRT_Api::PJRT_Buffer_IsDeleted>([&](auto& args) { args.buffer = buffer; })
      .is_deleted;
}

bool AreEqual(PJRT_Buffer* one, PJRT_Buffer* other) {
  char *x = BytesOf(one), *y = BytesOf(other);
  return x != nullptr && y != nullptr && SizeOf(one) == SizeOf(other) &&
         std::memcmp(x, y, SizeOf(one)) == 0;
}

PJRT_Buffer* CopyOf(PJRT_Buffer* buffer) {
  return Ask<&PJRT_Api::PJRT_Buffer_CopyToDevice>([&](auto& args) {
           args.buffer = buffer;
           args.dst_device = DeviceOf(buffer);
         })
      .dst_buffer;
}

void Delete(PJRT_Buffer* buffer) {
  Ask<&PJRT_Api::PJRT_Buffer_Delete>([&](auto& args) { args.buffer = buffer; });
}

void Destroy(PJRT_Buffer* buffer) {
  Ask<&PJRT_Api::PJRT_Buffer_Destroy>([&](auto& args) { args.buffer = buffer; });
}

int IdOf(PJRT_Device* device) {
  auto description = MakeArgs<PJRT_Device_GetDescription_Args>();
  description.device = device;
  Quiet<&PJRT_Api::PJRT_Device_GetDescription>(description);
  auto args = MakeArgs<PJRT_DeviceDescription_Id_Args>();
  args.device_description = description.device_description;
  Quiet<&PJRT_Api::PJRT_DeviceDescription_Id>(args);
  return args.id;
}

PJRT_Device* FirstDevice(PJRT_Client* client) {
  auto devices =
      Ask<&PJRT_Api::PJRT_Client_AddressableDevices>([&](auto& args) { args.client = client; });
  return devices.num_addressable_devices == 0 ? nullptr : devices.addressable_devices[0];
}

PJRT_Memory* DefaultMemoryOf(PJRT_Device* device) {
  return Ask<&PJRT_Api::PJRT_Device_DefaultMemory>([&](auto& args) { args.device = device; })
      .memory;
}

PJRT_Event* PendingEvent() {
  return Ask<&PJRT_Api::PJRT_Event_Create>([](auto&) {}).event;
}

PJRT_Event* DoneEvent() {
  PJRT_Event* event = PendingEvent();
  Ask<&PJRT_Api::PJRT_Event_Set>([&](auto& args) { args.event = event; });
  return event;
}

PJRT_Event* ReadyEventOf(PJRT_Buffer* buffer) {
  return Ask<&PJRT_Api::PJRT_Buffer_ReadyEvent>([&](auto& args) { args.buffer = buffer; }).event;
}

bool IsReady(PJRT_Event* event) {
  return Ask<&PJRT_Api::PJRT_Event_IsReady>([&](auto& args) { args.event = event; }).is_ready;
}

bool Fails(PJRT_Event* event) {
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = event;
  PJRT_Error* error = Real().PJRT_Event_Await(&await);
  FreeError(error);
  return error != nullptr;
}

void Drop(PJRT_Event* event) {
  Ask<&PJRT_Api::PJRT_Event_Destroy>([&](auto& args) { args.event = event; });
}

PJRT_Buffer* Uninitialized(PJRT_Buffer* like, PJRT_Client* client, PJRT_Device* device) {
  auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = like;
  FreeError(Real().PJRT_Buffer_Dimensions(&dims));
  auto create = MakeArgs<PJRT_Client_CreateUninitializedBuffer_Args>();
  create.client = client;
  create.shape_dims = dims.dims;
  create.shape_num_dims = dims.num_dims;
  create.shape_element_type = ElementTypeOf(like);
  create.device = device;
  FreeError(Real().PJRT_Client_CreateUninitializedBuffer(&create));
  return create.buffer;
}

PJRT_Client*& LastClient() {
  static PJRT_Client* client = nullptr;
  return client;
}

void RememberClient(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(table, [](auto& a) { LastClient() = a.client; });
}

bool IsRowMajor(PJRT_Buffer* buffer) {
  auto layout = MakeArgs<PJRT_Buffer_GetMemoryLayout_Args>();
  layout.buffer = buffer;
  PJRT_Error* error = Real().PJRT_Buffer_GetMemoryLayout(&layout);
  FreeError(error);
  if (error != nullptr || layout.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled) return true;
  const auto& tiled = layout.layout.tiled;
  for (size_t i = 0; i < tiled.minor_to_major_size; ++i) {
    if (tiled.minor_to_major[i] != static_cast<int64_t>(tiled.minor_to_major_size - 1 - i))
      return false;
  }
  return true;
}

PJRT_Buffer_MemoryLayout LayoutOf(std::span<const int64_t> minor_to_major) {
  auto layout = MakeArgs<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return layout;
}

bool IsPending(PJRT_Buffer* buffer) {
  if (buffer == nullptr || IsDeleted(buffer)) return false;
  PJRT_Event* event = ReadyEventOf(buffer);
  if (event == nullptr) return false;
  bool is_pending = !IsReady(event);
  Drop(event);
  return is_pending;
}

bool CarriesError(PJRT_Buffer* buffer) {
  if (buffer == nullptr || IsDeleted(buffer) || IsPending(buffer)) return false;
  PJRT_Event* event = ReadyEventOf(buffer);
  bool fails = event != nullptr && Fails(event);
  if (event != nullptr) Drop(event);
  return fails;
}

PJRT_Buffer* Failed(PJRT_Buffer* like, PJRT_Client* client, PJRT_Error_Code code) {
  auto dims = Ask<&PJRT_Api::PJRT_Buffer_Dimensions>([&](auto& args) { args.buffer = like; });
  return Ask<&PJRT_Api::PJRT_Client_CreateErrorBuffer>([&](auto& args) {
           args.client = client;
           args.error_code = code;
           args.error_message = "";
           args.shape_dims = dims.dims;
           args.shape_num_dims = dims.num_dims;
           args.shape_element_type = ElementTypeOf(like);
           args.memory = MemoryOf(like);
         })
      .buffer;
}

PJRT_Error* UploadLater(PJRT_Client_BufferFromHostBuffer_Args* args, int64_t bytes,
                        std::chrono::milliseconds later) {
  auto spec = MakeArgs<PJRT_ShapeSpec>();
  spec.dims = args->dims;
  spec.num_dims = args->num_dims;
  spec.element_type = args->type;
  auto create = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  create.client = args->client;
  create.shape_specs = &spec;
  create.num_shape_specs = 1;
  create.memory = args->memory != nullptr ? args->memory : DefaultMemoryOf(args->device);
  if (PJRT_Error* error = Real().PJRT_Client_CreateBuffersForAsyncHostToDevice(&create))
    return error;
  auto retrieve = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  retrieve.transfer_manager = create.transfer_manager;
  FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&retrieve));
  args->buffer = retrieve.buffer_out;
  args->done_with_host_buffer = DoneEvent();
  std::thread([manager = create.transfer_manager, data = args->data, bytes, later] {
    std::this_thread::sleep_for(later);
    auto transfer = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    transfer.transfer_manager = manager;
    transfer.data = data;
    transfer.transfer_size = bytes;
    transfer.is_last_transfer = true;
    FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_TransferData(&transfer));
    if (transfer.done_with_h2d_transfer != nullptr) Drop(transfer.done_with_h2d_transfer);
    auto destroy = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
    destroy.transfer_manager = manager;
    FreeError(Real().PJRT_AsyncHostToDeviceTransferManager_Destroy(&destroy));
  }).detach();
  return nullptr;
}

PJRT_Executable* ExecutableOf(PJRT_LoadedExecutable* loaded) {
  return Ask<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(
             [&](auto& args) { args.loaded_executable = loaded; })
      .executable;
}

std::string KindOf(PJRT_Memory* memory) {
  auto kind = Ask<&PJRT_Api::PJRT_Memory_Kind>([&](auto& args) { args.memory = memory; });
  return kind.kind == nullptr ? "" : std::string(kind.kind, kind.kind_size);
}

std::string_view KeptText(const std::string& text) {
  static auto* const texts = new std::set<std::string>;
  std::lock_guard<std::mutex> lock(Memory());
  return *texts->insert(text).first;
}

bool Reaches(PJRT_Device* device, PJRT_Memory* memory) {
  auto all =
      Ask<&PJRT_Api::PJRT_Device_AddressableMemories>([&](auto& args) { args.device = device; });
  return std::count(all.memories, all.memories + all.num_memories, memory) > 0;
}

size_t NumBuffersOf(PJRT_AsyncHostToDeviceTransferManager* manager) {
  return Ask<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount>(
             [&](auto& args) { args.transfer_manager = manager; })
      .buffer_count;
}

std::thread::id& ThreadOfClient() {
  static std::thread::id id;
  return id;
}

void RememberThread(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(
      table, [](auto&) { ThreadOfClient() = std::this_thread::get_id(); });
}

PJRT_Event* FailedEvent(std::string_view text) {
  PJRT_Event* event = PendingEvent();
  Ask<&PJRT_Api::PJRT_Event_Set>([&](auto& args) {
    args.event = event;
    args.error_code = PJRT_Error_Code_CANCELLED;
    args.error_message = text.data();
    args.error_message_size = text.size();
  });
  return event;
}

size_t NumOutputsOf(PJRT_LoadedExecutable* loaded) {
  PJRT_Executable* executable = ExecutableOf(loaded);
  auto count =
      Ask<&PJRT_Api::PJRT_Executable_NumOutputs>([&](auto& args) { args.executable = executable; });
  Ask<&PJRT_Api::PJRT_Executable_Destroy>([&](auto& args) { args.executable = executable; });
  return count.num_outputs;
}

std::span<PJRT_Buffer*> OutputsOf(const PJRT_LoadedExecutable_Execute_Args& args, size_t device) {
  if (args.output_lists == nullptr || device >= args.num_devices) return {};
  return {args.output_lists[device], NumOutputsOf(args.executable)};
}

}  // namespace plinth::mutants
