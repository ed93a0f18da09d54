// SPDX-License-Identifier: Apache-2.0
// A plugin of two devices with a memory each that tells the truth, and one lie at a time.

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/validation/misuse/calls.h"
#include "impl/layers/validation/testing/table_chain.h"

namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Handles are addresses in here; nobody reads them.
alignas(16) char places[4096];

template <typename T>
T* HandleAt(int index) {
  return reinterpret_cast<T*>(places + 16 * index);
}

// The number of a handle that HandleAt made.
int IndexOf(const void* handle) {
  return static_cast<int>((static_cast<const char*>(handle) - places) / 16);
}

PJRT_Device* const kDevices[2] = {HandleAt<PJRT_Device>(10), HandleAt<PJRT_Device>(11)};
PJRT_Memory* const kMemories[2] = {HandleAt<PJRT_Memory>(20), HandleAt<PJRT_Memory>(21)};
constexpr int kDescription = 30;  // of device 0

class TruthTest : public ::testing::Test {
 protected:
  TruthTest() {
    On<PJRT_Client_Create_Args>(function::kPJRT_Client_Create,
                                [](auto* a) { a->client = HandleAt<PJRT_Client>(1); });
    On<PJRT_Client_Devices_Args>(function::kPJRT_Client_Devices, [](auto* a) {
      a->devices = kDevices;
      a->num_devices = 2;
    });
    On<PJRT_Client_AddressableDevices_Args>(function::kPJRT_Client_AddressableDevices, [](auto* a) {
      a->addressable_devices = kDevices;
      a->num_addressable_devices = 2;
    });
    On<PJRT_Client_AddressableMemories_Args>(function::kPJRT_Client_AddressableMemories,
                                             [](auto* a) {
                                               a->addressable_memories = kMemories;
                                               a->num_addressable_memories = 2;
                                             });
    On<PJRT_Device_GetDescription_Args>(function::kPJRT_Device_GetDescription, [](auto* a) {
      a->device_description =
          HandleAt<PJRT_DeviceDescription>(kDescription + IndexOf(a->device) - 10);
    });
    On<PJRT_DeviceDescription_Id_Args>(function::kPJRT_DeviceDescription_Id, [](auto* a) {
      a->id = IndexOf(a->device_description) - kDescription;
    });
    On<PJRT_DeviceDescription_Kind_Args>(function::kPJRT_DeviceDescription_Kind, [](auto* a) {
      a->device_kind = "two";
      a->device_kind_size = 3;
    });
    On<PJRT_Device_LocalHardwareId_Args>(function::kPJRT_Device_LocalHardwareId, [](auto* a) {
      a->local_hardware_id = IndexOf(a->device) - 10;
    });
    On<PJRT_Client_LookupDevice_Args>(function::kPJRT_Client_LookupDevice,
                                      [](auto* a) { a->device = kDevices[a->id & 1]; });
    On<PJRT_Client_LookupAddressableDevice_Args>(
        function::kPJRT_Client_LookupAddressableDevice,
        [](auto* a) { a->addressable_device = kDevices[a->local_hardware_id & 1]; });
    On<PJRT_Device_AddressableMemories_Args>(function::kPJRT_Device_AddressableMemories,
                                             [](auto* a) {
                                               a->memories = &kMemories[IndexOf(a->device) - 10];
                                               a->num_memories = 1;
                                             });
    On<PJRT_Memory_AddressableByDevices_Args>(function::kPJRT_Memory_AddressableByDevices,
                                              [](auto* a) {
                                                a->devices = &kDevices[IndexOf(a->memory) - 20];
                                                a->num_devices = 1;
                                              });
    On<PJRT_Memory_Kind_Args>(function::kPJRT_Memory_Kind, [](auto* a) {
      a->kind = "device";
      a->kind_size = 6;
    });
    On<PJRT_Memory_Id_Args>(function::kPJRT_Memory_Id, [](auto* a) { a->id = IndexOf(a->memory); });
    On<PJRT_Client_BufferFromHostBuffer_Args>(function::kPJRT_Client_BufferFromHostBuffer,
                                              [](auto* a) {
                                                a->buffer = HandleAt<PJRT_Buffer>(2);
                                                a->done_with_host_buffer = HandleAt<PJRT_Event>(3);
                                              });
    On<PJRT_Buffer_Dimensions_Args>(function::kPJRT_Buffer_Dimensions, [](auto* a) {
      a->dims = kFour;
      a->num_dims = 1;
    });
    On<PJRT_Buffer_GetMemoryLayout_Args>(function::kPJRT_Buffer_GetMemoryLayout, [](auto* a) {
      static const int64_t order[1] = {0};
      a->layout.tiled.minor_to_major = order;
      a->layout.tiled.minor_to_major_size = 1;
    });
    On<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>(
        function::kPJRT_Client_CreateBuffersForAsyncHostToDevice,
        [](auto* a) { a->transfer_manager = HandleAt<PJRT_AsyncHostToDeviceTransferManager>(5); });
    On<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>(
        function::kPJRT_AsyncHostToDeviceTransferManager_BufferCount,
        [](auto* a) { a->buffer_count = 1; });
    On<PJRT_Buffer_IsDeleted_Args>(function::kPJRT_Buffer_IsDeleted,
                                   [this](auto* a) { a->is_deleted = is_deleted_; });
    On<PJRT_Buffer_Delete_Args>(function::kPJRT_Buffer_Delete,
                                [this](auto*) { is_deleted_ = true; });
  }

  template <typename Args>
  void On(function::Id id, std::function<void(Args*)> answer) {
    chain_.Answer(id, [answer](void* args) -> PJRT_Error* {
      answer(static_cast<Args*>(args));
      return nullptr;
    });
  }

  // Asks everything once, and takes the lines.
  std::vector<std::string> AskEverything() {
    chain_.UseValidation("");
    World* w = &world_;
    w->api = chain_.api();
    NEW(Plugin_Initialize, initialize);
    RUN(w, Plugin_Initialize, initialize);
    NEW(Client_Create, create);
    RUN(w, Client_Create, create);
    w->client = create.client;
    NEW(Client_ProcessIndex, process);
    process.client = w->client;
    RUN(w, Client_ProcessIndex, process);
    NEW(Client_AddressableDevices, mine);
    mine.client = w->client;
    RUN(w, Client_AddressableDevices, mine);
    NEW(Client_AddressableMemories, memories);
    memories.client = w->client;
    RUN(w, Client_AddressableMemories, memories);
    w->device = mine.addressable_devices[0];
    AskOfDevice(w);
    AskOfMemory(w, memories.addressable_memories[0]);
    for (int id : asked_) {
      NEW(Client_LookupDevice, lookup);
      lookup.client = w->client;
      lookup.id = id;
      RUN(w, Client_LookupDevice, lookup);
      NEW(Client_LookupAddressableDevice, local);
      local.client = w->client;
      local.local_hardware_id = id;
      RUN(w, Client_LookupAddressableDevice, local);
    }
    AskOfBuffer(w);
    AskOfManager(w);
    return chain_.TakeLines();
  }

  static void AskOfDevice(World* w) {
    NEW(Device_GetDescription, get);
    get.device = w->device;
    RUN(w, Device_GetDescription, get);
    NEW(DeviceDescription_Id, id);
    id.device_description = get.device_description;
    RUN(w, DeviceDescription_Id, id);
    NEW(DeviceDescription_Kind, kind);
    kind.device_description = get.device_description;
    RUN(w, DeviceDescription_Kind, kind);
    NEW(Device_LocalHardwareId, number);
    number.device = w->device;
    RUN(w, Device_LocalHardwareId, number);
    NEW(Device_MemoryStats, stats);
    stats.device = w->device;
    RUN(w, Device_MemoryStats, stats);
    NEW(Device_AddressableMemories, memories);
    memories.device = w->device;
    RUN(w, Device_AddressableMemories, memories);
  }

  static void AskOfMemory(World* w, PJRT_Memory* memory) {
    NEW(Memory_AddressableByDevices, devices);
    devices.memory = memory;
    RUN(w, Memory_AddressableByDevices, devices);
    NEW(Memory_Id, id);
    id.memory = memory;
    RUN(w, Memory_Id, id);
  }

  static void AskOfBuffer(World* w) {
    PJRT_Buffer* buffer = new_buffer(w);
    NEW(Buffer_GetMemoryLayout, layout);
    layout.buffer = buffer;
    RUN(w, Buffer_GetMemoryLayout, layout);
    NEW(Buffer_Delete, drop_it);
    drop_it.buffer = buffer;
    RUN(w, Buffer_Delete, drop_it);
    NEW(Buffer_IsDeleted, is_deleted);
    is_deleted.buffer = buffer;
    RUN(w, Buffer_IsDeleted, is_deleted);
    destroy_buffer(w, buffer);
  }

  static void AskOfManager(World* w) {
    PJRT_ShapeSpec shape;
    std::memset(&shape, 0, sizeof(shape));
    shape.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
    shape.dims = kFour;
    shape.num_dims = 1;
    shape.element_type = PJRT_Buffer_Type_F32;
    NEW(Client_CreateBuffersForAsyncHostToDevice, create);
    create.client = w->client;
    create.shape_specs = &shape;
    create.num_shape_specs = 1;
    create.memory = kMemories[0];
    RUN(w, Client_CreateBuffersForAsyncHostToDevice, create);
    NEW(AsyncHostToDeviceTransferManager_BufferCount, count);
    count.transfer_manager = create.transfer_manager;
    RUN(w, AsyncHostToDeviceTransferManager_BufferCount, count);
    NEW(AsyncHostToDeviceTransferManager_Destroy, destroy);
    destroy.transfer_manager = create.transfer_manager;
    RUN(w, AsyncHostToDeviceTransferManager_Destroy, destroy);
  }

  void ExpectLie(const char* requirement, const char* text) {
    EXPECT_THAT(AskEverything(), ElementsAre(AllOf(HasSubstr("misuse by the plugin ["),
                                                   HasSubstr(requirement), HasSubstr(text))));
  }

  TableChain chain_{nullptr};
  World world_ = {};
  bool is_deleted_ = false;
  std::vector<int> asked_ = {0, 1};
};

TEST_F(TruthTest, NothingIsSaidOfTheTruth) { EXPECT_THAT(AskEverything(), IsEmpty()); }

TEST_F(TruthTest, ProcessIndex) {
  On<PJRT_Client_ProcessIndex_Args>(function::kPJRT_Client_ProcessIndex,
                                    [](auto* a) { a->process_index = -2; });
  ExpectLie("PJRT-Client_ProcessIndex-not-negative", "`process_index` = -2");
}

TEST_F(TruthTest, AnotherDeviceIsFound) {
  asked_ = {1};
  On<PJRT_Client_LookupDevice_Args>(function::kPJRT_Client_LookupDevice,
                                    [](auto* a) { a->device = kDevices[0]; });
  ExpectLie("PJRT-Client_LookupDevice-found", "`id` = 1, the device that was found has 0");
}

TEST_F(TruthTest, AnotherLocalDeviceIsFound) {
  asked_ = {1};
  On<PJRT_Client_LookupAddressableDevice_Args>(
      function::kPJRT_Client_LookupAddressableDevice,
      [](auto* a) { a->addressable_device = kDevices[0]; });
  ExpectLie("PJRT-Client_LookupAddressableDevice-found", "the device that was found has 0");
}

TEST_F(TruthTest, WhatDoesNotExistIsFound) {
  asked_ = {6};
  EXPECT_THAT(AskEverything(),
              ElementsAre(AllOf(HasSubstr("PJRT-Client_LookupDevice-unknown"),
                                HasSubstr("`id` = 6, which no device has")),
                          AllOf(HasSubstr("PJRT-Client_LookupAddressableDevice-unknown"),
                                HasSubstr("`local_hardware_id` = 6, which no device has"))));
}

TEST_F(TruthTest, OneDescriptionForTwo) {
  On<PJRT_Device_GetDescription_Args>(function::kPJRT_Device_GetDescription, [](auto* a) {
    a->device_description = HandleAt<PJRT_DeviceDescription>(kDescription);
  });
  asked_ = {0};
  ExpectLie("PJRT-Device_GetDescription-own", "is also that of device");
}

TEST_F(TruthTest, OneIdForTwo) {
  On<PJRT_DeviceDescription_Id_Args>(function::kPJRT_DeviceDescription_Id,
                                     [](auto* a) { a->id = 0; });
  asked_ = {0};
  ExpectLie("PJRT-DeviceDescription_Id-unique", "`id` = 0 is also that of device");
}

TEST_F(TruthTest, NoKind) {
  On<PJRT_DeviceDescription_Kind_Args>(function::kPJRT_DeviceDescription_Kind,
                                       [](auto* a) { a->device_kind = ""; });
  ExpectLie("PJRT-DeviceDescription_Kind-named", "`device_kind` is empty");
}

TEST_F(TruthTest, OneHardwareIdForTwo) {
  On<PJRT_Device_LocalHardwareId_Args>(function::kPJRT_Device_LocalHardwareId,
                                       [](auto* a) { a->local_hardware_id = 0; });
  asked_ = {0};
  ExpectLie("PJRT-Device_LocalHardwareId-unique", "`local_hardware_id` = 0 is also");
}

TEST_F(TruthTest, HardwareIdsMayBeUnknown) {
  On<PJRT_Device_LocalHardwareId_Args>(function::kPJRT_Device_LocalHardwareId,
                                       [](auto* a) { a->local_hardware_id = -1; });
  asked_ = {};
  EXPECT_THAT(AskEverything(), IsEmpty());
}

TEST_F(TruthTest, TwoMemoriesOfOneKind) {
  On<PJRT_Device_AddressableMemories_Args>(function::kPJRT_Device_AddressableMemories, [](auto* a) {
    a->memories = kMemories;
    a->num_memories = 2;
  });
  On<PJRT_Memory_AddressableByDevices_Args>(function::kPJRT_Memory_AddressableByDevices,
                                            [](auto* a) {
                                              a->devices = kDevices;
                                              a->num_devices = 2;
                                            });
  ExpectLie("PJRT-Device_AddressableMemories-kinds", "have the kind \"device\"");
}

TEST_F(TruthTest, AMemoryThatDoesNotKnowItsDevice) {
  On<PJRT_Memory_AddressableByDevices_Args>(function::kPJRT_Memory_AddressableByDevices,
                                            [](auto* a) {
                                              a->devices = &kDevices[21 - IndexOf(a->memory)];
                                              a->num_devices = 1;
                                            });
  EXPECT_THAT(AskEverything(),
              ElementsAre(AllOf(HasSubstr("PJRT-Device_AddressableMemories-kinds"),
                                HasSubstr("does not name device")),
                          AllOf(HasSubstr("PJRT-Memory_AddressableByDevices-mutual"),
                                HasSubstr("does not name memory"))));
}

TEST_F(TruthTest, OneMemoryIdForTwo) {
  On<PJRT_Memory_Id_Args>(function::kPJRT_Memory_Id, [](auto* a) { a->id = 7; });
  ExpectLie("PJRT-Memory_Id-unique", "`id` = 7 is also that of memory");
}

TEST_F(TruthTest, ALimitThatIsNotSet) {
  On<PJRT_Device_MemoryStats_Args>(function::kPJRT_Device_MemoryStats,
                                   [](auto* a) { a->bytes_limit = 99; });
  ExpectLie("PJRT-Device_MemoryStats-bytes_limit", "`bytes_limit` = 99");
}

TEST_F(TruthTest, APeakBelowWhatIsInUse) {
  On<PJRT_Device_MemoryStats_Args>(function::kPJRT_Device_MemoryStats, [](auto* a) {
    a->bytes_in_use = 9;
    a->peak_bytes_in_use = 8;
    a->peak_bytes_in_use_is_set = true;
  });
  ExpectLie("PJRT-Device_MemoryStats-peak", "`peak_bytes_in_use` = 8, `bytes_in_use` = 9");
}

TEST_F(TruthTest, ADeletedBufferSaysThatItIsNot) {
  On<PJRT_Buffer_IsDeleted_Args>(function::kPJRT_Buffer_IsDeleted,
                                 [](auto* a) { a->is_deleted = false; });
  ExpectLie("PJRT-Buffer_IsDeleted-truth", "`is_deleted` is false: created by call");
}

TEST_F(TruthTest, AnOrderThatIsNone) {
  On<PJRT_Buffer_GetMemoryLayout_Args>(function::kPJRT_Buffer_GetMemoryLayout, [](auto* a) {
    static const int64_t order[1] = {1};
    a->layout.tiled.minor_to_major = order;
    a->layout.tiled.minor_to_major_size = 1;
  });
  ExpectLie("PJRT-Buffer_GetMemoryLayout-order", "no order of 1 dimensions");
}

TEST_F(TruthTest, AnotherNumberOfBuffers) {
  On<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>(
      function::kPJRT_AsyncHostToDeviceTransferManager_BufferCount,
      [](auto* a) { a->buffer_count = 2; });
  ExpectLie("PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes",
            "`buffer_count` = 2, the manager was made of 1 shapes");
}

TEST_F(TruthTest, ADeletedExecutableSaysThatItIsNot) {
  On<PJRT_Client_Compile_Args>(function::kPJRT_Client_Compile,
                               [](auto* a) { a->executable = HandleAt<PJRT_LoadedExecutable>(6); });
  EXPECT_THAT(AskEverything(), IsEmpty());
  World* w = &world_;
  PJRT_Program program;
  std::memset(&program, 0, sizeof(program));
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  char code[] = "x";
  program.code = code;
  program.code_size = 1;
  program.format = "mlir";
  program.format_size = 4;
  NEW(Client_Compile, compile);
  compile.client = w->client;
  compile.program = &program;
  RUN(w, Client_Compile, compile);
  NEW(LoadedExecutable_IsDeleted, question);
  question.executable = compile.executable;
  RUN(w, LoadedExecutable_IsDeleted, question);
  EXPECT_THAT(chain_.TakeLines(), IsEmpty());
  NEW(LoadedExecutable_Delete, unload);
  unload.executable = compile.executable;
  RUN(w, LoadedExecutable_Delete, unload);
  RUN(w, LoadedExecutable_IsDeleted, question);
  EXPECT_THAT(chain_.TakeLines(), ElementsAre(HasSubstr("PJRT-LoadedExecutable_IsDeleted-truth")));
}

}  // namespace
}  // namespace plinth::layers::validation
