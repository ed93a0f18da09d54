// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_RARE_H_
#define PLINTH_CONFORMANCE_WINDOWS_RARE_H_

/* What few frameworks call, and plugins may answer UNIMPLEMENTED. */

#include "program.h"
/* As it is today; it takes the types of the core from the header that is already there. What a
   plugin's node holds, its struct_size says. */
#include "pjrt_c_api_layouts_extension.h"

static void UseLayoutsExtension(PJRT_Buffer* buffer) {
  const PJRT_Extension_Base* node = session.api->extension_start;
  while (node != NULL && node->type != PJRT_Extension_Type_Layouts) node = node->next;
  if (node == NULL) return;
  const PJRT_Layouts_Extension* layouts = (const PJRT_Layouts_Extension*)node;
  NEW_ARGS(PJRT_Layouts_PJRT_Buffer_MemoryLayout, get);
  get->buffer = buffer;
  if (Ended(layouts->PJRT_Layouts_PJRT_Buffer_MemoryLayout(get), "Layouts: Buffer_MemoryLayout",
            get, true)) {
    NEW_ARGS(PJRT_Layouts_MemoryLayout_Serialize, serialize);
    serialize->layout = get->layout;
    if (Ended(layouts->PJRT_Layouts_MemoryLayout_Serialize(serialize), "Layouts: Serialize",
              serialize, false)) {
      CheckText(serialize->serialized_bytes, serialize->serialized_bytes_size, "layout");
      serialize->serialized_layout_deleter(serialize->serialized_layout);
    }
    FREE(serialize);
    NEW_ARGS(PJRT_Layouts_MemoryLayout_Destroy, destroy);
    destroy->layout = get->layout;
    Ended(layouts->PJRT_Layouts_MemoryLayout_Destroy(destroy), "Layouts: Destroy", destroy, false);
    FREE(destroy);
  }
  FREE(get);
}

static void CountDeleted(void* device_buffer_ptr, void* user_arg) {
  (void)device_buffer_ptr;
  ++*(int*)user_arg;
}

/* The bytes behind a buffer, and a view of bytes as a buffer. */
static void UsePointers(PJRT_Client* client, PJRT_Device* device, PJRT_Buffer* buffer) {
  NEW_ARGS(PJRT_Buffer_UnsafePointer, pointer);
  pointer->buffer = buffer;
  TRY(PJRT_Buffer_UnsafePointer, pointer);
  FREE(pointer);
  NEW_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, opaque);
  opaque->buffer = buffer;
  if (TRY(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, opaque)) {
    static int deleted;
    deleted = 0;
    NEW_ARGS(PJRT_Client_CreateViewOfDeviceBuffer, view);
    view->client = client;
    view->device_buffer_ptr = opaque->device_memory_ptr;
    view->dims = kDims;
    view->num_dims = 1;
    view->element_type = PJRT_Buffer_Type_F32;
    view->device = device;
    view->on_delete_callback = &CountDeleted;
    view->on_delete_callback_arg = &deleted;
    if (TRY(PJRT_Client_CreateViewOfDeviceBuffer, view)) {
      ExpectOnHost(view->buffer, kLeft, "view");
      DestroyBuffer(view->buffer);
      EXPECT(deleted == 1, "a view was deleted %d times", deleted);
    }
    FREE(view);
  }
  FREE(opaque);
#if PJRT_API_MINOR >= 67
  static char mapped[kGuardedPage];
  NEW_ARGS(PJRT_Client_DmaMap, map);
  map->client = client;
  map->data = mapped;
  map->size = sizeof(mapped);
  if (TRY(PJRT_Client_DmaMap, map)) {
    NEW_ARGS(PJRT_Client_DmaUnmap, unmap);
    unmap->client = client;
    unmap->data = mapped;
    CALL(PJRT_Client_DmaUnmap, unmap);
    FREE(unmap);
  }
  FREE(map);
#endif
}

/* Buffers made from buffers. */
static void UseCopies(PJRT_Client* client, PJRT_Device* device, PJRT_Buffer* buffer) {
  (void)client;
  NEW_ARGS(PJRT_Buffer_CopyToDevice, copy);
  copy->buffer = buffer;
  copy->dst_device = device;
  if (TRY(PJRT_Buffer_CopyToDevice, copy)) {
    ExpectOnHost(copy->dst_buffer, kLeft, "copy to device");
    DestroyBuffer(copy->dst_buffer);
  }
  FREE(copy);
#if PJRT_API_MINOR >= 77
  NEW_ARGS(PJRT_Buffer_Memory, memory);
  memory->buffer = buffer;
  if (CALL(PJRT_Buffer_Memory, memory)) {
    NEW_ARGS(PJRT_Client_CreateAliasBuffer, alias);
    alias->client = client;
    alias->memory = memory->memory;
    alias->shape_dims = kDims;
    alias->shape_num_dims = 1;
    alias->shape_element_type = PJRT_Buffer_Type_F32;
    if (TRY(PJRT_Client_CreateAliasBuffer, alias)) {
      NEW_ARGS(PJRT_Client_FulfillAliasBuffer, fulfill);
      fulfill->client = client;
      fulfill->buffer = buffer;
      fulfill->status_code = PJRT_Error_Code_OK;
      fulfill->fulfill_alias_buffer_cb = alias->fulfill_alias_buffer_cb;
      if (CALL(PJRT_Client_FulfillAliasBuffer, fulfill)) {
        ExpectOnHost(alias->alias_buffer, kLeft, "alias");
      }
      FREE(fulfill);
      DestroyBuffer(alias->alias_buffer);
    }
    FREE(alias);
  }
  FREE(memory);
#endif
#if PJRT_API_MINOR >= 98
  NEW_ARGS(PJRT_Buffer_Bitcast, bitcast);
  bitcast->buffer = buffer;
  bitcast->element_type = PJRT_Buffer_Type_S32;
  bitcast->dims = kDims;
  bitcast->num_dims = 1;
  if (TRY(PJRT_Buffer_Bitcast, bitcast)) {
    ExpectOnHost(bitcast->out_buffer, kLeft, "bitcast");
    DestroyBuffer(bitcast->out_buffer);
  }
  FREE(bitcast);
#endif
}

#if PJRT_API_MINOR >= 62
static void UseTransferManager(PJRT_Client* client, PJRT_Memory* memory) {
  NEW(PJRT_ShapeSpec, shape);
  shape->dims = kDims;
  shape->num_dims = 1;
  shape->element_type = PJRT_Buffer_Type_F32;
  NEW_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  create->client = client;
  create->shape_specs = shape;
  create->num_shape_specs = 1;
  create->memory = memory;
  if (TRY(PJRT_Client_CreateBuffersForAsyncHostToDevice, create)) {
    PJRT_AsyncHostToDeviceTransferManager* manager = create->transfer_manager;
    NEW_ARGS(PJRT_AsyncHostToDeviceTransferManager_Device, on);
    on->transfer_manager = manager;
    CALL(PJRT_AsyncHostToDeviceTransferManager_Device, on);
    FREE(on);
    NEW_ARGS(PJRT_AsyncHostToDeviceTransferManager_BufferCount, count);
    count->transfer_manager = manager;
    if (CALL(PJRT_AsyncHostToDeviceTransferManager_BufferCount, count)) {
      EXPECT(count->buffer_count == 1, "%zu buffers", count->buffer_count);
    }
    FREE(count);
    NEW_ARGS(PJRT_AsyncHostToDeviceTransferManager_BufferSize, size);
    size->transfer_manager = manager;
    CALL(PJRT_AsyncHostToDeviceTransferManager_BufferSize, size);
    FREE(size);
    NEW_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
    retrieve->transfer_manager = manager;
    if (CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve)) {
      NEW_ARGS(PJRT_AsyncHostToDeviceTransferManager_SetBufferError, failed);
      failed->transfer_manager = manager;
      failed->error_code = PJRT_Error_Code_ABORTED;
      failed->error_message = "stop";
      failed->error_message_size = 4;
      CALL(PJRT_AsyncHostToDeviceTransferManager_SetBufferError, failed);
      FREE(failed);
      DestroyBuffer(retrieve->buffer_out);
    }
    FREE(retrieve);
    CALL_WITH(PJRT_AsyncHostToDeviceTransferManager_Destroy, transfer_manager, manager);
  }
  FREE(create);
  FREE(shape);
}
#endif

static void UseDevice(PJRT_Client* client, PJRT_Device* device) {
  NEW_ARGS(PJRT_Client_LookupAddressableDevice, lookup);
  NEW_ARGS(PJRT_Device_LocalHardwareId, local);
  local->device = device;
  if (CALL(PJRT_Device_LocalHardwareId, local)) {
    lookup->client = client;
    lookup->local_hardware_id = local->local_hardware_id;
    if (CALL(PJRT_Client_LookupAddressableDevice, lookup)) {
      EXPECT(lookup->addressable_device == device, "another device has its hardware id");
    }
  }
  FREE(local);
  FREE(lookup);
  NEW_ARGS(PJRT_Device_DefaultMemory, memory);
  memory->device = device;
  if (CALL(PJRT_Device_DefaultMemory, memory)) {
#if PJRT_API_MINOR >= 62
    UseTransferManager(client, memory->memory);
#endif
  }
  FREE(memory);
#if PJRT_API_MINOR >= 85
  NEW_ARGS(PJRT_Device_PoisonExecution, poison);
  poison->device = device;
  poison->launch_id = 12345;
  poison->error_code = PJRT_Error_Code_ABORTED;
  poison->error_message = "stop";
  poison->error_message_size = 4;
  TRY(PJRT_Device_PoisonExecution, poison);
  FREE(poison);
#endif
#if PJRT_API_MINOR >= 86
  NEW_ARGS(PJRT_Device_CreateAsyncTrackingEvent, track);
  track->device = device;
  track->description = "span";
  track->description_size = 4;
  if (TRY(PJRT_Device_CreateAsyncTrackingEvent, track)) {
    CALL_WITH(PJRT_AsyncTrackingEvent_Destroy, event, track->event);
  }
  FREE(track);
#endif
#if PJRT_API_MINOR >= 106
  NEW_ARGS(PJRT_Device_ClearMemoryStats, clear);
  clear->device = device;
  TRY(PJRT_Device_ClearMemoryStats, clear);
  FREE(clear);
#endif
}

/* A topology without a client, and a program compiled for one. */
static void UseTopology(PJRT_Client* client) {
  NEW_ARGS(PJRT_Client_TopologyDescription, topology);
  topology->client = client;
  if (TRY(PJRT_Client_TopologyDescription, topology)) {
    NEW(PJRT_Program, program);
    program->code = (char*)kProgram;
    program->code_size = sizeof(kProgram) - 1;
    program->format = "mlir";
    program->format_size = 4;
    NEW_ARGS(PJRT_Compile, compile);
    compile->topology = topology->topology;
    compile->program = program;
    compile->compile_options = kCompileOptions;
    compile->compile_options_size = sizeof(kCompileOptions) - 1;
    if (TRY(PJRT_Compile, compile)) {
      CALL_WITH(PJRT_Executable_Destroy, executable, compile->executable);
    }
    FREE(compile);
    FREE(program);
  }
  FREE(topology);
  NEW_ARGS(PJRT_TopologyDescription_Create, create);
  if (TRY(PJRT_TopologyDescription_Create, create)) {
    CALL_WITH(PJRT_TopologyDescription_Destroy, topology, create->topology);
  }
  FREE(create);
  NEW_ARGS(PJRT_ExecuteContext_Create, context);
  if (TRY(PJRT_ExecuteContext_Create, context)) {
    CALL_WITH(PJRT_ExecuteContext_Destroy, context, context->context);
  }
  FREE(context);
}

static void UseRare(PJRT_Client* client, PJRT_Device* device) {
  UseDevice(client, device);
  UseTopology(client);
  PJRT_Buffer* buffer = ToDevice(client, device, NULL, kLeft, PJRT_Buffer_Type_F32);
  if (buffer == NULL) return;
  UseLayoutsExtension(buffer);
  UsePointers(client, device, buffer);
  UseCopies(client, device, buffer);
  DestroyBuffer(buffer);
}

#endif /* PLINTH_CONFORMANCE_WINDOWS_RARE_H_ */
