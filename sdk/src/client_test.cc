// SPDX-License-Identifier: Apache-2.0
// Clients, devices, memories and topologies through the C table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "sdk/src/test_plugin.h"
#include "sdk/src/topology_text.h"

namespace plinth::sdk::testing {
namespace {

using ::testing::HasSubstr;

PJRT_NamedValue IntOption(const char* name, int64_t value) {
  PJRT_NamedValue option = {};
  option.struct_size = 1;  // Never looked at: arrays of named values cannot grow.
  option.name = name;
  option.name_size = std::strlen(name);
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = value;
  option.value_size = 1;
  return option;
}

Status Create(std::vector<PJRT_NamedValue> options, size_t struct_size = 88) {
  PLINTH_ARGS(PJRT_Client_Create, args);
  args.struct_size = struct_size;
  args.create_options = options.data();
  args.num_options = options.size();
  // What frameworks leave in here when not distributed.
  args.kv_get_callback = reinterpret_cast<PJRT_KeyValueGetCallback>(0x1234);
  args.kv_put_callback = reinterpret_cast<PJRT_KeyValuePutCallback>(0x1234);
  Status status = PLINTH_CALL(PJRT_Client_Create, args);
  EXPECT_EQ(status.ok(), args.client != nullptr);
  PLINTH_ARGS(PJRT_Client_Destroy, destroy);
  destroy.client = args.client;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Client_Destroy, destroy).ok());
  EXPECT_EQ(live_clients, 0);
  return status;
}

TEST(ClientCreate, AListWithoutALengthOfZeroIsThere) {
  PLINTH_ARGS(PJRT_Client_Create, args);
  args.num_options = 1;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_Create, args).ToString(),
            "INVALID_ARGUMENT: PJRT_Client_Create: create_options is null");
}

TEST(ClientCreate, Options) {
  EXPECT_TRUE(Create({}).ok());
  EXPECT_EQ(last_client_request.count, 7);
  EXPECT_FALSE(last_client_request.has_store);
  EXPECT_TRUE(Create({IntOption("count", 3)}, 72).ok());
  EXPECT_EQ(last_client_request.count, 3);
  EXPECT_TRUE(Create({IntOption("num_nodes", 1)}).ok());
  EXPECT_FALSE(last_client_request.has_store);

  PJRT_NamedValue text = IntOption("count", 0);
  text.type = PJRT_NamedValue_kString;
  text.string_value = "5";
  EXPECT_TRUE(Create({text}).ok());
  EXPECT_EQ(last_client_request.count, 5);

  Status unknown = Create({IntOption("cuont", 3)});
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("count (int64, default 7, from 0 to 9)"));
  PJRT_NamedValue bad_type = IntOption("count", 3);
  const int five = 5;
  std::memcpy(&bad_type.type, &five, sizeof(five));
  EXPECT_EQ(Create({bad_type}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Create({IntOption("count", 10)}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Create({IntOption("num_nodes", 2), IntOption("node_id", 2)}).code(),
            StatusCode::kInvalidArgument);
  PLINTH_ARGS(PJRT_Client_Create, null_list);
  null_list.num_options = 3;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_Create, null_list).code(), StatusCode::kInvalidArgument);
}

// A key-value store as a framework gives it.
std::map<std::string, std::string>* Store() {
  static auto* const store = new std::map<std::string, std::string>();
  return store;
}

TEST(ClientCreate, KeyValueStore) {
  static int freed = 0;
  std::vector<PJRT_NamedValue> options = {IntOption("num_nodes", 2), IntOption("node_id", 1)};
  PLINTH_ARGS(PJRT_Client_Create, args);
  args.create_options = options.data();
  args.num_options = options.size();
  args.kv_put_user_arg = Store();
  args.kv_put_callback = [](PJRT_KeyValuePutCallback_Args* put) -> PJRT_Error* {
    auto* store = static_cast<std::map<std::string, std::string>*>(put->user_arg);
    (*store)[std::string(put->key, put->key_size)] = std::string(put->value, put->value_size);
    return nullptr;
  };
  args.kv_get_user_arg = Store();
  args.kv_get_callback = [](PJRT_KeyValueGetCallback_Args* get) -> PJRT_Error* {
    auto* store = static_cast<std::map<std::string, std::string>*>(get->user_arg);
    auto found = store->find(std::string(get->key, get->key_size));
    if (found == store->end()) {
      return (*get->callback_error)(PJRT_Error_Code_DEADLINE_EXCEEDED, "no key", 6);
    }
    get->value = new char[found->second.size()];
    std::memcpy(get->value, found->second.data(), found->second.size());
    get->value_size = found->second.size();
    get->value_deleter_callback = [](char* value) {
      ++freed;
      delete[] value;
    };
    return nullptr;
  };
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_Create, args).ok());
  EXPECT_EQ(last_client_request.num_nodes, 2);
  EXPECT_EQ(last_client_request.from_store, "value");
  EXPECT_EQ(freed, 1);

  KeyValueStore store(args);
  EXPECT_EQ(store.Get("missing", std::chrono::milliseconds(1)).status().ToString(),
            "DEADLINE_EXCEEDED: no key");
  EXPECT_EQ(store.TryGet("test/key").status().code(), StatusCode::kUnimplemented);
  PLINTH_ARGS(PJRT_Client_Destroy, destroy);
  destroy.client = args.client;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Client_Destroy, destroy).ok());
}

TEST(Client, NamesAndDevices) {
  TestClientHandle client;
  PLINTH_ARGS(PJRT_Client_PlatformName, name);
  name.client = client.client;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_PlatformName, name).ok());
  EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "test");
  ASSERT_EQ(client.devices.size(), 2u);
  ASSERT_EQ(client.memories.size(), 3u);

  PLINTH_ARGS(PJRT_Client_LookupDevice, lookup);
  lookup.client = client.client;
  lookup.id = 1;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Client_LookupDevice, lookup).ok());
  EXPECT_EQ(lookup.device, client.devices[1]);
  lookup.id = 9;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_LookupDevice, lookup).code(), StatusCode::kInvalidArgument);
  PLINTH_ARGS(PJRT_Client_LookupAddressableDevice, local);
  local.client = client.client;
  local.local_hardware_id = 11;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Client_LookupAddressableDevice, local).ok());
  EXPECT_EQ(local.addressable_device, client.devices[1]);

  PLINTH_ARGS(PJRT_Device_GetDescription, description);
  description.device = client.devices[1];
  EXPECT_TRUE(PLINTH_CALL(PJRT_Device_GetDescription, description).ok());
  PLINTH_ARGS(PJRT_DeviceDescription_ToString, text);
  text.device_description = description.device_description;
  EXPECT_TRUE(PLINTH_CALL(PJRT_DeviceDescription_ToString, text).ok());
  EXPECT_EQ(std::string(text.to_string, text.to_string_size), "test:1");

  PLINTH_ARGS(PJRT_Device_GetAttributes, attributes);
  attributes.device = client.devices[0];
  EXPECT_TRUE(PLINTH_CALL(PJRT_Device_GetAttributes, attributes).ok());
  ASSERT_EQ(attributes.num_attributes, 2u);
  EXPECT_EQ(attributes.attributes[0].int64_value, 4);
  EXPECT_EQ(attributes.attributes[1].type, PJRT_NamedValue_kString);
  attributes.attributes_deleter(attributes.device_attributes);

  PLINTH_ARGS(PJRT_Device_MemoryStats, stats);
  stats.device = client.devices[0];
  Status missing = PLINTH_CALL(PJRT_Device_MemoryStats, stats);
  EXPECT_EQ(missing.ToString(),
            "UNIMPLEMENTED: PJRT_Device_MemoryStats (since 0.1): device test:0 keeps no memory "
            "statistics; plugin test_plugin 1.2, PJRT C API 0.114");
  EXPECT_TRUE(missing.payloads().empty());
}

TEST(Client, MemoriesOfDevices) {
  TestClientHandle client;
  for (size_t size : {40, 32}) {  // 32 is what 0.38 to 0.45 announced for the same struct.
    PLINTH_ARGS(PJRT_Device_AddressableMemories, args);
    args.struct_size = size;
    args.device = client.devices[1];
    ASSERT_TRUE(PLINTH_CALL(PJRT_Device_AddressableMemories, args).ok());
    ASSERT_EQ(args.num_memories, 2u);
    EXPECT_EQ(args.memories[0], client.memories[1]);
    EXPECT_EQ(args.memories[1], client.memories[2]);
  }
  PLINTH_ARGS(PJRT_Device_DefaultMemory, standard);
  standard.device = client.devices[1];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Device_DefaultMemory, standard).ok());
  EXPECT_EQ(standard.memory, client.memories[1]);
  PLINTH_ARGS(PJRT_Memory_AddressableByDevices, devices);
  devices.memory = client.memories[2];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Memory_AddressableByDevices, devices).ok());
  EXPECT_EQ(devices.num_devices, 2u);
  PLINTH_ARGS(PJRT_Memory_Kind, kind);
  kind.memory = client.memories[2];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Memory_Kind, kind).ok());
  EXPECT_EQ(std::string(kind.kind, kind.kind_size), "pinned_host");
}

TEST(Client, UserDataOfMemories) {
  static int deleted = 0;
  int key_a = 0, key_b = 0, value_a = 1, value_b = 2;
  auto count = [](void* data) { deleted += *static_cast<int*>(data); };
  {
    TestClientHandle client;
    PJRT_Memory* memory = client.memories[0];
    const PJRT_Memory_FunctionTable* table = memory->vtable;
    ASSERT_EQ(table->struct_size, 40u);
    EXPECT_EQ(table->get_user_data(memory, &key_a), nullptr);
    table->set_user_data(memory, &key_a, &value_a, count);
    table->set_user_data(memory, &key_b, &value_a, count);
    table->set_user_data(memory, &key_b, &value_b, count);
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(table->get_user_data(memory, &key_a), &value_a);
    EXPECT_EQ(table->get_user_data(memory, &key_b), &value_b);
    EXPECT_EQ(table->get_user_data(client.memories[1], &key_b), nullptr);
  }
  EXPECT_EQ(deleted, 1 + 1 + 2);
}

TEST(Client, DefaultDeviceAssignment) {
  TestClientHandle client;
  int ids[2] = {-1, -1};
  PLINTH_ARGS(PJRT_Client_DefaultDeviceAssignment, args);
  args.client = client.client;
  args.num_replicas = 1;
  args.num_partitions = 2;
  args.default_assignment = ids;
  args.default_assignment_size = 2;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Client_DefaultDeviceAssignment, args).ok());
  EXPECT_EQ(ids[1], 1);
  args.default_assignment_size = 1;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_DefaultDeviceAssignment, args).code(),
            StatusCode::kInvalidArgument);
  args.num_replicas = 2;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_DefaultDeviceAssignment, args).code(),
            StatusCode::kInvalidArgument);
  args.num_replicas = 0;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_DefaultDeviceAssignment, args).code(),
            StatusCode::kInvalidArgument);
}

TEST(Topology, SurvivesSerialization) {
  TestClientHandle client;
  PLINTH_ARGS(PJRT_Client_TopologyDescription, own);
  own.client = client.client;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_TopologyDescription, own).ok());
  PLINTH_ARGS(PJRT_TopologyDescription_Serialize, serialize);
  serialize.topology = own.topology;
  ASSERT_TRUE(PLINTH_CALL(PJRT_TopologyDescription_Serialize, serialize).ok());
  const std::string bytes(serialize.serialized_bytes, serialize.serialized_bytes_size);
  serialize.serialized_topology_deleter(serialize.serialized_topology);

  PLINTH_ARGS(PJRT_TopologyDescription_Deserialize, deserialize);
  deserialize.serialized_topology = bytes.data();
  deserialize.serialized_topology_size = bytes.size();
  ASSERT_TRUE(PLINTH_CALL(PJRT_TopologyDescription_Deserialize, deserialize).ok());
  auto fingerprint = [](PJRT_TopologyDescription* topology) {
    PLINTH_ARGS(PJRT_TopologyDescription_Fingerprint, args);
    args.topology = topology;
    EXPECT_TRUE(PLINTH_CALL(PJRT_TopologyDescription_Fingerprint, args).ok());
    return args.fingerprint;
  };
  EXPECT_EQ(fingerprint(own.topology), fingerprint(deserialize.topology));
  PLINTH_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, devices);
  devices.topology = deserialize.topology;
  ASSERT_TRUE(PLINTH_CALL(PJRT_TopologyDescription_GetDeviceDescriptions, devices).ok());
  ASSERT_EQ(devices.num_descriptions, 2u);
  PLINTH_ARGS(PJRT_DeviceDescription_Attributes, attributes);
  attributes.device_description = devices.descriptions[1];
  ASSERT_TRUE(PLINTH_CALL(PJRT_DeviceDescription_Attributes, attributes).ok());
  EXPECT_EQ(attributes.num_attributes, 2u);
  PLINTH_ARGS(PJRT_TopologyDescription_GetMemorySpaceKindIds, kinds);
  kinds.topology = deserialize.topology;
  ASSERT_TRUE(PLINTH_CALL(PJRT_TopologyDescription_GetMemorySpaceKindIds, kinds).ok());
  EXPECT_EQ(kinds.num_memory_space_kind_ids, 2u);
  PLINTH_ARGS(PJRT_TopologyDescription_Destroy, destroy);
  destroy.topology = deserialize.topology;
  EXPECT_TRUE(PLINTH_CALL(PJRT_TopologyDescription_Destroy, destroy).ok());
  // The client's own stays.
  destroy.topology = own.topology;
  EXPECT_TRUE(PLINTH_CALL(PJRT_TopologyDescription_Destroy, destroy).ok());
  EXPECT_NE(fingerprint(own.topology), 0u);

  // Every damaged form is refused or read, never worse.
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const std::string& bad :
         {bytes.substr(0, i), bytes.substr(0, i) + '9' + bytes.substr(i + 1),
          bytes.substr(0, i) + "99999999" + bytes.substr(i)}) {
      deserialize.serialized_topology = bad.data();
      deserialize.serialized_topology_size = bad.size();
      Status status = PLINTH_CALL(PJRT_TopologyDescription_Deserialize, deserialize);
      if (!status.ok()) {
        EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
        continue;
      }
      destroy.topology = deserialize.topology;
      EXPECT_TRUE(PLINTH_CALL(PJRT_TopologyDescription_Destroy, destroy).ok());
    }
  }
}

TEST(Topology, NumbersThatDoNotFitAreRefused) {
  TopologyInfo info;
  info.devices.push_back({.id = 7, .process_index = 8});
  info.attributes = {{"real", 1.0f}, {"flag", true}};
  info.memory_kind_ids = {9};
  const std::string good = internal::WriteTopology(info);
  ASSERT_TRUE(internal::ReadTopology(good).ok());
  struct Case {
    const char* before;
    const char* after;
  };
  for (const Case& c :
       {Case{"1;7;8;", "1;4294967303;8;"}, Case{"1;7;8;", "1;7;4294967304;"},
        Case{";9;", ";-4294967287;"}, Case{"1065353216;", "5360320512;"}, Case{"4;1;", "4;2;"}}) {
    std::string bad = good;
    const size_t at = bad.find(c.before);
    ASSERT_NE(at, std::string::npos) << c.before;
    bad.replace(at, std::strlen(c.before), c.after);
    EXPECT_EQ(internal::ReadTopology(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

// In a child of fork old handles only tell what never changes, destroying them does nothing, and
// new clients work.
TEST(Fork, OldHandlesAreRefused) {
  TestClientHandle client;
  PJRT_Buffer* buffer = Upload(client, {1, 2, 3, 4});
  PJRT_LoadedExecutable* executable = Compile(client, "add");
  PLINTH_ARGS(PJRT_Event_Create, event);
  ASSERT_TRUE(PLINTH_CALL(PJRT_Event_Create, event).ok());
  fflush(nullptr);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int failures = 0;
    auto expect_refused = [&](const Status& status) {
      if (status.code() != StatusCode::kFailedPrecondition ||
          status.message().find("created before fork") == std::string_view::npos) {
        ++failures;
      }
    };
    PLINTH_ARGS(PJRT_Client_Devices, devices);
    devices.client = client.client;
    expect_refused(PLINTH_CALL(PJRT_Client_Devices, devices));
    PLINTH_ARGS(PJRT_Buffer_Dimensions, dims);
    dims.buffer = buffer;
    if (!PLINTH_CALL(PJRT_Buffer_Dimensions, dims).ok() || dims.dims[0] != 4) ++failures;
    PLINTH_ARGS(PJRT_LoadedExecutable_IsDeleted, deleted);
    deleted.executable = executable;
    if (!PLINTH_CALL(PJRT_LoadedExecutable_IsDeleted, deleted).ok()) ++failures;
    PLINTH_ARGS(PJRT_Memory_Kind, kind);
    kind.memory = client.memories[0];
    if (!PLINTH_CALL(PJRT_Memory_Kind, kind).ok() || kind.kind_size == 0) ++failures;
    PLINTH_ARGS(PJRT_Device_GetDescription, description);
    description.device = client.devices[0];
    if (!PLINTH_CALL(PJRT_Device_GetDescription, description).ok()) ++failures;
    PLINTH_ARGS(PJRT_Device_MemoryStats, stats);
    stats.device = client.devices[0];
    expect_refused(PLINTH_CALL(PJRT_Device_MemoryStats, stats));
    // Not entered without the author's consent: it might wait for a lock.
    PLINTH_ARGS(PJRT_Buffer_IsDeleted, gone);
    gone.buffer = buffer;
    expect_refused(PLINTH_CALL(PJRT_Buffer_IsDeleted, gone));
    PLINTH_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer);
    pointer.buffer = buffer;
    expect_refused(PLINTH_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer));
    PLINTH_ARGS(PJRT_Event_Await, await);
    await.event = event.event;
    expect_refused(PLINTH_CALL(PJRT_Event_Await, await));
    std::vector<std::vector<PJRT_Buffer*>> outputs;
    expect_refused(Execute(executable, {{buffer, buffer}}, 1, outputs));
    Destroy(event.event);
    Destroy(buffer);
    Destroy(executable);
    if (live_buffers != 1 || live_executables != 1) ++failures;
    client.Destroy();
    if (live_clients != 1) ++failures;
    TestClientHandle fresh;
    PJRT_Buffer* again = Upload(fresh, {5, 6, 7, 8});
    if (again == nullptr || Download(again) != std::vector<float>{5, 6, 7, 8}) ++failures;
    // A buffer from before the fork is no argument for a new client's executable.
    PJRT_LoadedExecutable* add = Compile(fresh, "add");
    expect_refused(Execute(add, {{buffer, again}}, 1, outputs));
    _exit(failures);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  Destroy(event.event);
  Destroy(buffer);
  Destroy(executable);
}

// Buffers whose author says so can still be read, if they were ready.
TEST(Fork, ReadyBuffersAreRead) {
  TestClientHandle client;
  PJRT_Buffer* buffer = Upload(client, {1, 2, 3, 4});
  EventSource never;
  execute_hook = [&never](const ExecuteRequest& request, ExecuteResults& results) {
    EXPECT_EQ(request.num_devices(), 1U);
    results.SetOutput(0, 0,
                      MakeTestBuffer(DType::kF32, request.arguments(0)[0].dims(),
                                     request.arguments(0)[0].memory(), never.event()));
    return Status();
  };
  PJRT_LoadedExecutable* executable = Compile(client, "add");
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  ASSERT_TRUE(Execute(executable, {{buffer, buffer}}, 1, outputs).ok());
  execute_hook = nullptr;
  PJRT_Buffer* pending = outputs[0][0];
  PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = buffer;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
  PJRT_Event* old_event = ready.event;
  buffers_are_readable_after_fork = true;
  fflush(nullptr);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    int failures = 0;
    if (Download(buffer) != std::vector<float>{1, 2, 3, 4}) ++failures;
    PLINTH_ARGS(PJRT_Event_Await, await);
    await.event = old_event;
    if (!PLINTH_CALL(PJRT_Event_Await, await).ok()) ++failures;
    PLINTH_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
    increase.buffer = buffer;
    if (!PLINTH_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, increase).ok()) ++failures;
    PLINTH_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer);
    pointer.buffer = buffer;
    if (!PLINTH_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer).ok() ||
        static_cast<float*>(pointer.device_memory_ptr)[3] != 4) {
      ++failures;
    }
    // Whatever is given back here stays: the child frees nothing.
    PLINTH_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
    decrease.buffer = buffer;
    for (int i = 0; i < 3; ++i) {
      if (!PLINTH_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease).ok()) ++failures;
    }
    Destroy(buffer);
    if (live_buffers != 2) ++failures;
    // Nobody will compute what was not ready: that is an error, and no wait.
    PLINTH_ARGS(PJRT_Buffer_ReadyEvent, lost);
    lost.buffer = pending;
    if (!PLINTH_CALL(PJRT_Buffer_ReadyEvent, lost).ok()) ++failures;
    await.event = lost.event;
    if (PLINTH_CALL(PJRT_Event_Await, await).code() != StatusCode::kFailedPrecondition) ++failures;
    pointer.buffer = pending;
    if (PLINTH_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer).code() !=
        StatusCode::kFailedPrecondition) {
      ++failures;
    }
    _exit(failures);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  buffers_are_readable_after_fork = false;
  Destroy(old_event);
  Destroy(pending);
  Destroy(buffer);
  Destroy(executable);
}

}  // namespace
}  // namespace plinth::sdk::testing
