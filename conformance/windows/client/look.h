// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_LOOK_H_
#define PLINTH_CONFORMANCE_WINDOWS_LOOK_H_

/* What can be asked of a client without running anything: names, devices, memories, topology. */

#include "call.h"

/* Asks for a text of one handle: `field` and `field_size` of the answer. */
#define CHECK_TEXT(function, handle_field, handle, field)              \
  do {                                                                 \
    NEW_ARGS(function, text_args);                                     \
    text_args->handle_field = (handle);                                \
    if (CALL(function, text_args)) {                                   \
      CheckText(text_args->field, text_args->field##_size, #function); \
    }                                                                  \
    FREE(text_args);                                                   \
  } while (0)

static void LookAtMemory(PJRT_Memory* memory) {
  NEW_ARGS(PJRT_Memory_Id, id);
  id->memory = memory;
  CALL(PJRT_Memory_Id, id);
  FREE(id);
  NEW_ARGS(PJRT_Memory_Kind_Id, kind_id);
  kind_id->memory = memory;
  CALL(PJRT_Memory_Kind_Id, kind_id);
  FREE(kind_id);
  CHECK_TEXT(PJRT_Memory_Kind, memory, memory, kind);
  CHECK_TEXT(PJRT_Memory_DebugString, memory, memory, debug_string);
  CHECK_TEXT(PJRT_Memory_ToString, memory, memory, to_string);
  NEW_ARGS(PJRT_Memory_AddressableByDevices, devices);
  devices->memory = memory;
  if (CALL(PJRT_Memory_AddressableByDevices, devices)) {
    EXPECT(devices->num_devices >= 1, "a memory that no device reaches");
  }
  FREE(devices);
#if PJRT_API_MINOR >= 105
  /* A framework keeps its own data at the memory, through the head, if the plugin is new enough. */
  const PJRT_Memory_FunctionTable* table = session.minor >= 105 ? memory->vtable : NULL;
  if (table != NULL && table->set_user_data != NULL && table->get_user_data != NULL) {
    static const int key = 0;
    static int value = 0;
    table->set_user_data(memory, &key, &value, NULL);
    EXPECT(table->get_user_data(memory, &key) == &value, "a memory forgot its user data");
    table->set_user_data(memory, &key, NULL, NULL);
  }
#endif
}

static void LookAtDescription(PJRT_DeviceDescription* description) {
  NEW_ARGS(PJRT_DeviceDescription_Id, id);
  id->device_description = description;
  CALL(PJRT_DeviceDescription_Id, id);
  FREE(id);
  NEW_ARGS(PJRT_DeviceDescription_ProcessIndex, process);
  process->device_description = description;
  CALL(PJRT_DeviceDescription_ProcessIndex, process);
  FREE(process);
  CHECK_TEXT(PJRT_DeviceDescription_Kind, device_description, description, device_kind);
  CHECK_TEXT(PJRT_DeviceDescription_DebugString, device_description, description, debug_string);
  CHECK_TEXT(PJRT_DeviceDescription_ToString, device_description, description, to_string);
  NEW_ARGS(PJRT_DeviceDescription_Attributes, attributes);
  attributes->device_description = description;
  if (CALL(PJRT_DeviceDescription_Attributes, attributes)) {
    CheckNamedValues(attributes->attributes, attributes->num_attributes, "device description");
  }
  FREE(attributes);
}

static void LookAtDevice(PJRT_Device* device) {
  NEW_ARGS(PJRT_Device_GetDescription, description);
  description->device = device;
  if (CALL(PJRT_Device_GetDescription, description)) {
    LookAtDescription(description->device_description);
  }
  FREE(description);
  NEW_ARGS(PJRT_Device_IsAddressable, addressable);
  addressable->device = device;
  if (CALL(PJRT_Device_IsAddressable, addressable)) {
    EXPECT(addressable->is_addressable, "an addressable device says it is not");
  }
  FREE(addressable);
  NEW_ARGS(PJRT_Device_LocalHardwareId, local);
  local->device = device;
  CALL(PJRT_Device_LocalHardwareId, local);
  FREE(local);
  NEW_ARGS(PJRT_Device_DefaultMemory, default_memory);
  default_memory->device = device;
  if (CALL(PJRT_Device_DefaultMemory, default_memory)) LookAtMemory(default_memory->memory);
  FREE(default_memory);
  NEW_ARGS(PJRT_Device_AddressableMemories, memories);
  memories->device = device;
  if (CALL(PJRT_Device_AddressableMemories, memories)) {
    for (size_t i = 0; i < memories->num_memories; ++i) LookAtMemory(memories->memories[i]);
  }
  FREE(memories);
  NEW_ARGS(PJRT_Device_MemoryStats, stats);
  stats->device = device;
  if (TRY(PJRT_Device_MemoryStats, stats)) {
    EXPECT(stats->bytes_in_use >= 0, "%lld bytes in use", (long long)stats->bytes_in_use);
  }
  FREE(stats);
#if PJRT_API_MINOR >= 92
  NEW_ARGS(PJRT_Device_GetAttributes, attributes);
  attributes->device = device;
  if (TRY(PJRT_Device_GetAttributes, attributes)) {
    CheckNamedValues(attributes->attributes, attributes->num_attributes, "device");
    if (attributes->attributes_deleter != NULL) {
      attributes->attributes_deleter(attributes->device_attributes);
    }
  }
  FREE(attributes);
#endif
}

static void LookAtTopology(const PJRT_TopologyDescription* topology_) {
  PJRT_TopologyDescription* topology = (PJRT_TopologyDescription*)topology_;
  CHECK_TEXT(PJRT_TopologyDescription_PlatformName, topology, topology, platform_name);
  CHECK_TEXT(PJRT_TopologyDescription_PlatformVersion, topology, topology, platform_version);
  NEW_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, descriptions);
  descriptions->topology = topology;
  if (CALL(PJRT_TopologyDescription_GetDeviceDescriptions, descriptions)) {
    for (size_t i = 0; i < descriptions->num_descriptions; ++i) {
      LookAtDescription(descriptions->descriptions[i]);
    }
  }
  FREE(descriptions);
  NEW_ARGS(PJRT_TopologyDescription_Attributes, attributes);
  attributes->topology = topology;
  if (TRY(PJRT_TopologyDescription_Attributes, attributes)) {
    CheckNamedValues(attributes->attributes, attributes->num_attributes, "topology");
  }
  FREE(attributes);
  NEW_ARGS(PJRT_TopologyDescription_Serialize, serialize);
  serialize->topology = topology;
  if (TRY(PJRT_TopologyDescription_Serialize, serialize)) {
#if PJRT_API_MINOR >= 75
    NEW_ARGS(PJRT_TopologyDescription_Deserialize, back);
    back->serialized_topology = serialize->serialized_bytes;
    back->serialized_topology_size = serialize->serialized_bytes_size;
    if (TRY(PJRT_TopologyDescription_Deserialize, back)) {
      CALL_WITH(PJRT_TopologyDescription_Destroy, topology, back->topology);
    }
    FREE(back);
#endif
    serialize->serialized_topology_deleter(serialize->serialized_topology);
  }
  FREE(serialize);
#if PJRT_API_MINOR >= 101
  NEW_ARGS(PJRT_TopologyDescription_Fingerprint, fingerprint);
  fingerprint->topology = topology;
  TRY(PJRT_TopologyDescription_Fingerprint, fingerprint);
  FREE(fingerprint);
#endif
#if PJRT_API_MINOR >= 110
  NEW_ARGS(PJRT_TopologyDescription_GetMemorySpaceKindIds, kinds);
  kinds->topology = topology;
  TRY(PJRT_TopologyDescription_GetMemorySpaceKindIds, kinds);
  FREE(kinds);
#endif
}

/* The extension chain, followed as far as a caller that knows no extension follows it. */
static void LookAtExtensions(const PJRT_Extension_Base* node) {
  for (int i = 0; node != NULL; node = node->next, ++i) {
    EXPECT(node->struct_size >= PJRT_Extension_Base_STRUCT_SIZE, "extension %d has size %zu",
           (int)node->type, node->struct_size);
    if (i == 100) {
      FAIL("the extension chain has no end");
      break;
    }
  }
}

/* All of it. Returns the first addressable device, or null. */
static PJRT_Device* LookAtClient(PJRT_Client* client) {
  PJRT_Device* device = NULL;
  CHECK_TEXT(PJRT_Client_PlatformName, client, client, platform_name);
  CHECK_TEXT(PJRT_Client_PlatformVersion, client, client, platform_version);
  NEW_ARGS(PJRT_Client_ProcessIndex, process);
  process->client = client;
  CALL(PJRT_Client_ProcessIndex, process);
  FREE(process);
  NEW_ARGS(PJRT_Client_Devices, devices);
  devices->client = client;
  if (CALL(PJRT_Client_Devices, devices)) EXPECT(devices->num_devices > 0, "no device");
  FREE(devices);
  NEW_ARGS(PJRT_Client_AddressableDevices, addressable);
  addressable->client = client;
  if (CALL(PJRT_Client_AddressableDevices, addressable)) {
    EXPECT(addressable->num_addressable_devices > 0, "no addressable device");
    session.devices = addressable->num_addressable_devices;
    if (session.devices > 0) device = addressable->addressable_devices[0];
  }
  FREE(addressable);
  NEW_ARGS(PJRT_Client_AddressableMemories, memories);
  memories->client = client;
  if (CALL(PJRT_Client_AddressableMemories, memories)) {
    for (size_t i = 0; i < memories->num_addressable_memories; ++i) {
      LookAtMemory(memories->addressable_memories[i]);
    }
  }
  FREE(memories);
  NEW_ARGS(PJRT_Client_LookupDevice, lookup);
  lookup->client = client;
  lookup->id = -7;
  MUST_FAIL(PJRT_Client_LookupDevice, lookup, PJRT_Error_Code_INVALID_ARGUMENT);
  FREE(lookup);
  NEW_ARGS(PJRT_Client_TopologyDescription, topology);
  topology->client = client;
  if (TRY(PJRT_Client_TopologyDescription, topology)) LookAtTopology(topology->topology);
  FREE(topology);
  NEW_ARGS(PJRT_Client_DefaultDeviceAssignment, assignment);
  int assigned = -1;
  assignment->client = client;
  assignment->num_replicas = 1;
  assignment->num_partitions = 1;
  assignment->default_assignment = &assigned;
  assignment->default_assignment_size = 1;
  if (CALL(PJRT_Client_DefaultDeviceAssignment, assignment)) {
    EXPECT(assigned >= 0, "device %d is assigned", assigned);
  }
  FREE(assignment);
  if (device != NULL) LookAtDevice(device);
  return device;
}

#endif /* PLINTH_CONFORMANCE_WINDOWS_LOOK_H_ */
