// SPDX-License-Identifier: Apache-2.0
// A right program that calls nearly every function of the CPU plugin: the layer says nothing.

#include <cstring>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/validation/misuse/calls.h"
#include "impl/layers/validation/testing/table_chain.h"
#include "impl/layers/validation/testing/world.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::layers::validation {
namespace {

using ::testing::IsEmpty;

// Errors are allowed where a plugin may answer UNIMPLEMENTED; they are freed.
class Program {
 public:
  explicit Program(const PJRT_Api* api) : w_(MakeWorld(api)) {}

  void Run() {
    Plugin();
    Client();
    DevicesAndMemories();
    Buffers();
    Contents();
    MadeBuffers();
    Events();
    Errors();
    Executables();
    Executions();
    Transfers();
    Extensions();
    Threads();
    FreeWorld(&w_);
  }

 private:
  void Plugin() {
    NEW(Plugin_Attributes, attributes);
    RUN(&w_, Plugin_Attributes, attributes);
    attributes.struct_size = 24;  // as callers of 0.38 to 0.71 say
    RUN(&w_, Plugin_Attributes, attributes);
    NEW(Plugin_Initialize, initialize);
    RUN(&w_, Plugin_Initialize, initialize);
  }

// Asks what has no input but a handle.
#define ASK(function, field, value) \
  NEW(function, function);          \
  function.field = value;           \
  RUN(&w_, function, function)

  void Client() {
    for (int twice = 0; twice < 2; ++twice) {
      ASK(Client_PlatformName, client, w_.client);
      ASK(Client_PlatformVersion, client, w_.client);
      ASK(Client_ProcessIndex, client, w_.client);
      ASK(Client_Devices, client, w_.client);
      ASK(Client_AddressableDevices, client, w_.client);
      ASK(Client_AddressableMemories, client, w_.client);
      ASK(Client_TopologyDescription, client, w_.client);
      ASK(TopologyDescription_PlatformName, topology, Client_TopologyDescription.topology);
      ASK(TopologyDescription_PlatformVersion, topology, Client_TopologyDescription.topology);
      ASK(TopologyDescription_Attributes, topology, Client_TopologyDescription.topology);
      ASK(TopologyDescription_GetDeviceDescriptions, topology, Client_TopologyDescription.topology);
      ASK(TopologyDescription_Fingerprint, topology, Client_TopologyDescription.topology);
      ASK(TopologyDescription_Serialize, topology, Client_TopologyDescription.topology);
      if (TopologyDescription_Serialize.serialized_topology_deleter != nullptr) {
        TopologyDescription_Serialize.serialized_topology_deleter(
            TopologyDescription_Serialize.serialized_topology);
      }
    }
    NEW(Client_LookupDevice, lookup);
    lookup.client = w_.client;
    RUN(&w_, Client_LookupDevice, lookup);
    NEW(Client_LookupAddressableDevice, local);
    local.client = w_.client;
    RUN(&w_, Client_LookupAddressableDevice, local);
    int devices[1];
    NEW(Client_DefaultDeviceAssignment, assignment);
    assignment.client = w_.client;
    assignment.num_replicas = 1;
    assignment.num_partitions = 1;
    assignment.default_assignment = devices;
    assignment.default_assignment_size = 1;
    RUN(&w_, Client_DefaultDeviceAssignment, assignment);
    NEW(TopologyDescription_Create, create);
    create.topology_name = "";
    RUN(&w_, TopologyDescription_Create, create);
    NEW(TopologyDescription_Destroy, destroy);
    destroy.topology = create.topology;
    RUN(&w_, TopologyDescription_Destroy, destroy);
  }

  void DevicesAndMemories() {
    for (int twice = 0; twice < 2; ++twice) {
      ASK(Device_GetDescription, device, w_.device);
      PJRT_DeviceDescription* description = Device_GetDescription.device_description;
      ASK(DeviceDescription_Id, device_description, description);
      ASK(DeviceDescription_ProcessIndex, device_description, description);
      ASK(DeviceDescription_Attributes, device_description, description);
      ASK(DeviceDescription_Kind, device_description, description);
      ASK(DeviceDescription_DebugString, device_description, description);
      ASK(DeviceDescription_ToString, device_description, description);
      ASK(Device_IsAddressable, device, w_.device);
      ASK(Device_LocalHardwareId, device, w_.device);
      ASK(Device_AddressableMemories, device, w_.device);
      ASK(Device_DefaultMemory, device, w_.device);
      ASK(Device_MemoryStats, device, w_.device);
      ASK(Memory_Id, memory, w_.memory);
      ASK(Memory_Kind, memory, w_.memory);
      ASK(Memory_Kind_Id, memory, w_.memory);
      ASK(Memory_DebugString, memory, w_.memory);
      ASK(Memory_ToString, memory, w_.memory);
      ASK(Memory_AddressableByDevices, memory, w_.memory);
    }
  }

  void Buffers() {
    for (int twice = 0; twice < 2; ++twice) {
      ASK(Buffer_ElementType, buffer, w_.buffer);
      ASK(Buffer_Dimensions, buffer, w_.buffer);
      ASK(Buffer_UnpaddedDimensions, buffer, w_.buffer);
      ASK(Buffer_DynamicDimensionIndices, buffer, w_.buffer);
      ASK(Buffer_GetMemoryLayout, buffer, w_.buffer);
      ASK(Buffer_OnDeviceSizeInBytes, buffer, w_.buffer);
      ASK(Buffer_Device, buffer, w_.buffer);
      ASK(Buffer_Memory, buffer, w_.buffer);
      ASK(Buffer_IsDeleted, buffer, w_.buffer);
      ASK(Buffer_IsOnCpu, buffer, w_.buffer);
      ASK(Buffer_UnsafePointer, buffer, w_.buffer);
      ASK(Buffer_OpaqueDeviceMemoryDataPointer, buffer, w_.buffer);
    }
    // A reference outlives the contents and even the handle's deletion.
    PJRT_Buffer* buffer = new_buffer(&w_);
    ASK(Buffer_IncreaseExternalReferenceCount, buffer, buffer);
    delete_buffer(&w_, buffer);
    delete_buffer(&w_, buffer);
    ASK(Buffer_DecreaseExternalReferenceCount, buffer, buffer);
    ASK(Buffer_IsDeleted, buffer, buffer);
    ASK(Buffer_Dimensions, buffer, buffer);
    ASK(Buffer_ReadyEvent, buffer, buffer);
    destroy_event(&w_, Buffer_ReadyEvent.event);
    destroy_buffer(&w_, buffer);
    destroy_buffer(&w_, nullptr);
    destroy_event(&w_, nullptr);
  }

  void Await(PJRT_Event* event) {
    ASK(Event_Await, event, event);
    ASK(Event_IsReady, event, event);
    ASK(Event_Error, event, event);
    destroy_event(&w_, event);
  }

  void Contents() {
    float host[4];
    NEW(Buffer_ToHostBuffer, to_host);
    to_host.src = w_.buffer;
    RUN(&w_, Buffer_ToHostBuffer, to_host);
    EXPECT_EQ(to_host.dst_size, sizeof(host));
    to_host.dst = host;
    RUN(&w_, Buffer_ToHostBuffer, to_host);
    Await(to_host.event);
    NEW(Buffer_CopyRawToHost, raw);
    raw.buffer = w_.buffer;
    raw.dst = host;
    raw.offset = 4;
    raw.transfer_size = 12;
    RUN(&w_, Buffer_CopyRawToHost, raw);
    if (raw.event != nullptr) Await(raw.event);
    NEW(Buffer_CopyToMemory, to_memory);
    to_memory.buffer = w_.buffer;
    to_memory.dst_memory = w_.memory;
    RUN(&w_, Buffer_CopyToMemory, to_memory);
    destroy_buffer(&w_, to_memory.dst_buffer);
    NEW(Buffer_CopyToDevice, to_device);
    to_device.buffer = w_.buffer;
    to_device.dst_device = w_.device;
    RUN(&w_, Buffer_CopyToDevice, to_device);
    destroy_buffer(&w_, to_device.dst_buffer);
  }

  // Buffers that are made in other ways than from host data, and of odd shapes.
  void MadeBuffers() {
    static const int64_t empty[2] = {0, 7};
    PJRT_Client_BufferFromHostBuffer_Args from;
    fill_from_host(&w_, &from);
    from.data = nullptr;
    from.dims = empty;
    from.num_dims = 2;
    destroy_buffer(&w_, from_host(&w_, &from));
    fill_from_host(&w_, &from);
    from.dims = nullptr;
    from.num_dims = 0;
    from.memory = w_.memory;
    destroy_buffer(&w_, from_host(&w_, &from));

    static const int64_t order[1] = {0};
    PJRT_Buffer_MemoryLayout layout = {};
    layout.struct_size = 1;  // as JAX 0.10.2 may leave it
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled.struct_size = ~size_t{0};
    layout.tiled.minor_to_major = order;
    layout.tiled.minor_to_major_size = 1;
    fill_from_host(&w_, &from);
    from.device_layout = &layout;
    destroy_buffer(&w_, from_host(&w_, &from));

    static char bytes[64] __attribute__((aligned(64)));
    static int deleted;
    NEW(Client_CreateViewOfDeviceBuffer, view);
    view.client = w_.client;
    view.device_buffer_ptr = bytes;
    view.dims = kFour;
    view.num_dims = 1;
    view.element_type = PJRT_Buffer_Type_F32;
    view.device = w_.device;
    view.on_delete_callback = [](void*, void* count) { ++*static_cast<int*>(count); };
    view.on_delete_callback_arg = &deleted;
    RUN(&w_, Client_CreateViewOfDeviceBuffer, view);
    destroy_buffer(&w_, view.buffer);

    NEW(Client_CreateUninitializedBuffer, uninitialized);
    uninitialized.client = w_.client;
    uninitialized.shape_dims = kFour;
    uninitialized.shape_num_dims = 1;
    uninitialized.shape_element_type = PJRT_Buffer_Type_F32;
    uninitialized.device = w_.device;
    RUN(&w_, Client_CreateUninitializedBuffer, uninitialized);
    destroy_buffer(&w_, uninitialized.buffer);

    NEW(Client_CreateErrorBuffer, error);
    error.client = w_.client;
    error.error_code = PJRT_Error_Code_ABORTED;
    error.shape_dims = kFour;
    error.shape_num_dims = 1;
    error.shape_element_type = PJRT_Buffer_Type_F32;
    error.memory = w_.memory;
    RUN(&w_, Client_CreateErrorBuffer, error);
    if (error.buffer != nullptr) execute(&w_, w_.executable, error.buffer);
    destroy_buffer(&w_, error.buffer);

    NEW(Client_CreateAliasBuffer, alias);
    alias.client = w_.client;
    alias.memory = w_.memory;
    alias.shape_dims = kFour;
    alias.shape_num_dims = 1;
    alias.shape_element_type = PJRT_Buffer_Type_F32;
    // Each callback may have the address of one that was used.
    for (int i = 0; i < 5; ++i) {
      RUN(&w_, Client_CreateAliasBuffer, alias);
      if (alias.alias_buffer == nullptr) break;
      NEW(Client_FulfillAliasBuffer, fulfill);
      fulfill.client = w_.client;
      fulfill.buffer = w_.buffer;
      fulfill.fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb;
      RUN(&w_, Client_FulfillAliasBuffer, fulfill);
      destroy_buffer(&w_, alias.alias_buffer);
    }

    NEW(Buffer_Bitcast, bitcast);
    bitcast.buffer = w_.buffer;
    bitcast.element_type = PJRT_Buffer_Type_S32;
    bitcast.dims = kFour;
    bitcast.num_dims = 1;
    if (w_.api->PJRT_Buffer_Bitcast != nullptr) RUN(&w_, Buffer_Bitcast, bitcast);
    destroy_buffer(&w_, bitcast.out_buffer);
  }

  void Events() {
    PJRT_Event* event = new_event(&w_);
    ASK(Event_IsReady, event, event);
    EXPECT_FALSE(Event_IsReady.is_ready);
    static World* world;
    world = &w_;
    NEW(Event_OnReady, on_ready);
    on_ready.event = event;
    on_ready.user_arg = event;
    on_ready.callback = [](PJRT_Error* error, void* own) {
      drop(world, error);
      destroy_event(world, static_cast<PJRT_Event*>(own));
    };
    RUN(&w_, Event_OnReady, on_ready);
    NEW(Event_Set, set);
    set.event = event;
    set.error_code = PJRT_Error_Code_DATA_LOSS;
    set.error_message = "lost";
    set.error_message_size = 4;
    RUN(&w_, Event_Set, set);
    // Freed before it is set, with a callback that still runs.
    static int runs;
    NEW(Buffer_ReadyEvent, ready);
    ready.buffer = w_.buffer;
    RUN(&w_, Buffer_ReadyEvent, ready);
    on_ready.event = ready.event;
    on_ready.user_arg = &runs;
    on_ready.callback = [](PJRT_Error* error, void* count) {
      drop(world, error);
      ++*static_cast<int*>(count);
    };
    RUN(&w_, Event_OnReady, on_ready);
    destroy_event(&w_, ready.event);
  }

  void Errors() {
    PJRT_Error* error = new_error(&w_);
    NEW(Error_Message, message);
    message.error = error;
    w_.api->PJRT_Error_Message(&message);
    EXPECT_GT(message.message_size, 0u);
    ASK(Error_GetCode, error, error);
    NEW(Error_ForEachPayload, payloads);
    payloads.error = error;
    payloads.visitor = [](const char*, size_t, const char*, size_t, void*) {};
    RUN(&w_, Error_ForEachPayload, payloads);
    drop(&w_, error);
    NEW(Error_Destroy, nothing);
    w_.api->PJRT_Error_Destroy(&nothing);
    // From 0.107 on it may be freed without the table.
    error = new_error(&w_);
    error->vtable->destroy(error);
  }

  void Executables() {
    PJRT_Executable* executable = new_executable(&w_);
    for (int twice = 0; twice < 2; ++twice) {
      ASK(Executable_Name, executable, executable);
      ASK(Executable_NumReplicas, executable, executable);
      ASK(Executable_NumPartitions, executable, executable);
      ASK(Executable_NumOutputs, executable, executable);
      ASK(Executable_SizeOfGeneratedCodeInBytes, executable, executable);
      ASK(Executable_GetCostAnalysis, executable, executable);
      ASK(Executable_OutputMemoryKinds, executable, executable);
      ASK(Executable_OutputElementTypes, executable, executable);
      ASK(Executable_OutputDimensions, executable, executable);
      ASK(Executable_ParameterMemoryKinds, executable, executable);
      ASK(Executable_Fingerprint, executable, executable);
      ASK(Executable_GetCompiledMemoryStats, executable, executable);
      ASK(LoadedExecutable_AddressableDevices, executable, w_.executable);
      ASK(LoadedExecutable_AddressableDeviceLogicalIds, executable, w_.executable);
      ASK(LoadedExecutable_IsDeleted, executable, w_.executable);
      ASK(LoadedExecutable_Fingerprint, executable, w_.executable);
      ASK(LoadedExecutable_GetDeviceAssignment, executable, w_.executable);
      if (LoadedExecutable_GetDeviceAssignment.serialized_device_assignment_deleter != nullptr) {
        LoadedExecutable_GetDeviceAssignment.serialized_device_assignment_deleter(
            LoadedExecutable_GetDeviceAssignment.serialized_device_assignment);
      }
    }
    PJRT_Program program = {};
    program.struct_size = PJRT_Program_STRUCT_SIZE;
    NEW(Executable_OptimizedProgram, optimized);
    optimized.executable = executable;
    optimized.program = &program;
    RUN(&w_, Executable_OptimizedProgram, optimized);
    std::vector<char> code(program.code_size);
    program.code = code.data();
    RUN(&w_, Executable_OptimizedProgram, optimized);
    NEW(Executable_Serialize, serialize);
    serialize.executable = executable;
    RUN(&w_, Executable_Serialize, serialize);
    if (serialize.serialized_bytes != nullptr) {
      NEW(Executable_DeserializeAndLoad, load);
      load.client = w_.client;
      load.serialized_executable = serialize.serialized_bytes;
      load.serialized_executable_size = serialize.serialized_bytes_size;
      RUN(&w_, Executable_DeserializeAndLoad, load);
      if (load.loaded_executable != nullptr) {
        ASK(LoadedExecutable_Delete, executable, load.loaded_executable);
        ASK(LoadedExecutable_Destroy, executable, load.loaded_executable);
      }
      serialize.serialized_executable_deleter(serialize.serialized_executable);
    }
    destroy_executable(&w_, executable);
  }

  void Executions() {
    execute(&w_, w_.executable, w_.buffer);
    PJRT_Event* event = nullptr;
    NEW(ExecuteContext_Create, context);
    RUN(&w_, ExecuteContext_Create, context);
    Execution e;
    fill_execution(&e, w_.executable, w_.buffer);
    e.args.device_complete_events = &event;
    e.options.context = context.context;
    run_execution(&w_, &e);
    NEW(ExecuteContext_Destroy, destroy);
    destroy.context = context.context;
    RUN(&w_, ExecuteContext_Destroy, destroy);
    if (event != nullptr) Await(event);
    for (int i = 0; i < 3; ++i) {
      PJRT_Buffer* donated = new_buffer(&w_);
      execute(&w_, w_.donating, donated);
      destroy_buffer(&w_, donated);
    }
    // What a list of inputs keeps is not donated.
    static const int64_t kept[1] = {0};
    fill_execution(&e, w_.donating, w_.buffer);
    e.options.non_donatable_input_indices = kept;
    e.options.num_non_donatable_input_indices = 1;
    run_execution(&w_, &e);
    execute(&w_, w_.executable, w_.buffer);
  }

  void Transfers() {
    static const float data[4] = {1, 2, 3, 4};
    PJRT_ShapeSpec spec = {};
    spec.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
    spec.dims = kFour;
    spec.num_dims = 1;
    spec.element_type = PJRT_Buffer_Type_F32;
    NEW(Client_CreateBuffersForAsyncHostToDevice, create);
    create.client = w_.client;
    create.shape_specs = &spec;
    create.num_shape_specs = 1;
    create.memory = w_.memory;
    RUN(&w_, Client_CreateBuffersForAsyncHostToDevice, create);
    if (create.transfer_manager == nullptr) return;
    ASK(AsyncHostToDeviceTransferManager_BufferCount, transfer_manager, create.transfer_manager);
    ASK(AsyncHostToDeviceTransferManager_Device, transfer_manager, create.transfer_manager);
    ASK(AsyncHostToDeviceTransferManager_BufferSize, transfer_manager, create.transfer_manager);
    ASK(AsyncHostToDeviceTransferManager_RetrieveBuffer, transfer_manager, create.transfer_manager);
    NEW(AsyncHostToDeviceTransferManager_TransferData, transfer);
    transfer.transfer_manager = create.transfer_manager;
    transfer.data = data;
    transfer.transfer_size = sizeof(data);
    transfer.is_last_transfer = true;
    RUN(&w_, AsyncHostToDeviceTransferManager_TransferData, transfer);
    if (transfer.done_with_h2d_transfer != nullptr) Await(transfer.done_with_h2d_transfer);
    ASK(AsyncHostToDeviceTransferManager_Destroy, transfer_manager, create.transfer_manager);
    destroy_buffer(&w_, AsyncHostToDeviceTransferManager_RetrieveBuffer.buffer_out);
  }

  template <typename Extension>
  const Extension* Find(PJRT_Extension_Type type) {
    for (auto* node = w_.api->extension_start; node != nullptr; node = node->next) {
      if (node->type == type) return reinterpret_cast<const Extension*>(node);
    }
    return nullptr;
  }

  void Extensions() {
    if (auto* layouts = Find<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts)) {
      NEW(Layouts_PJRT_Buffer_MemoryLayout, get);
      get.buffer = w_.buffer;
      drop(&w_, layouts->PJRT_Layouts_PJRT_Buffer_MemoryLayout(&get));
      NEW(Layouts_MemoryLayout_Serialize, serialize);
      serialize.layout = get.layout;
      drop(&w_, layouts->PJRT_Layouts_MemoryLayout_Serialize(&serialize));
      serialize.serialized_layout_deleter(serialize.serialized_layout);
      NEW(Layouts_MemoryLayout_Destroy, destroy);
      destroy.layout = get.layout;
      drop(&w_, layouts->PJRT_Layouts_MemoryLayout_Destroy(&destroy));
    }
    if (auto* shardings = Find<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings)) {
      PJRT_Executable* executable = new_executable(&w_);
      NEW(Shardings_PJRT_Executable_OutputShardings, outputs);
      outputs.executable = executable;
      drop(&w_, shardings->PJRT_Shardings_PJRT_Executable_OutputShardings(&outputs));
      destroy_executable(&w_, executable);
    }
  }

  void Threads() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([this] {
        for (int i = 0; i < 50; ++i) {
          PJRT_Buffer* buffer = new_buffer(&w_);
          execute(&w_, w_.executable, buffer);
          execute(&w_, w_.executable, w_.buffer);
          execute(&w_, w_.donating, buffer);
          destroy_buffer(&w_, buffer);
          drop(&w_, new_error(&w_));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  World w_;
};

TEST(CorrectProgramTest, NothingIsReported) {
  ASSERT_NE(CpuPlugin(), nullptr);
  TableChain chain(CpuPlugin());
  chain.UseValidation("mode=error");
  Program program(chain.api());
  program.Run();
  EXPECT_THAT(chain.TakeLines(), IsEmpty());
  EXPECT_GT(chain.num_calls(), 500u);
}

}  // namespace
}  // namespace plinth::layers::validation
