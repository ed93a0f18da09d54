// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_RUN_H_
#define PLINTH_CONFORMANCE_WINDOWS_RUN_H_

/* What moves data: buffers, transfers, a program, and what each of them says about itself. */

#include "look.h"

enum { kElements = 4 };
static const int64_t kDims[1] = {kElements};
static const float kLeft[kElements] = {1.5f, -2.0f, 0.25f, 8.0f};
static const float kRight[kElements] = {2.0f, 3.0f, -4.0f, 0.5f};
static const float kResult[kElements] = {4.5f, -8.0f, -0.75f, 12.0f}; /* a * b + a */

static const char kProgram[] =
    "module @window {\n"
    "  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.multiply %a, %b : tensor<4xf32>\n"
    "    %1 = stablehlo.add %0, %a : tensor<4xf32>\n"
    "    return %1 : tensor<4xf32>\n"
    "  }\n"
    "}\n";
/* A CompileOptionsProto: executable_build_options {num_replicas: 1, num_partitions: 1}. */
static const char kCompileOptions[] = "\x1a\x04\x20\x01\x28\x01";

static void DestroyBuffer(PJRT_Buffer* buffer) {
  if (buffer != NULL) CALL_WITH(PJRT_Buffer_Destroy, buffer, buffer);
}

static PJRT_Buffer* ToDevice(PJRT_Client* client, PJRT_Device* device, PJRT_Memory* memory,
                             const float* values, int64_t type) {
  PJRT_Buffer* buffer = NULL;
  NEW_ARGS(PJRT_Client_BufferFromHostBuffer, args);
  args->client = client;
  args->data = values;
  args->type = (PJRT_Buffer_Type)type;
  args->dims = kDims;
  args->num_dims = 1;
  args->host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
  args->device = device;
  args->memory = memory;
  if (CALL(PJRT_Client_BufferFromHostBuffer, args)) {
    buffer = args->buffer;
    Await(args->done_with_host_buffer);
  }
  FREE(args);
  return buffer;
}

static void ExpectOnHost(PJRT_Buffer* buffer, const float* expected, const char* what) {
  float values[kElements] = {0};
  NEW_ARGS(PJRT_Buffer_ToHostBuffer, args);
  args->src = buffer;
  if (CALL(PJRT_Buffer_ToHostBuffer, args)) {
    EXPECT(args->dst_size == sizeof(values), "%s: %zu bytes", what, args->dst_size);
    args->dst = values;
    args->dst_size = sizeof(values);
    if (CALL(PJRT_Buffer_ToHostBuffer, args) && Await(args->event)) {
      EXPECT(memcmp(values, expected, sizeof(values)) == 0, "%s: wrong values", what);
    }
  }
  FREE(args);
}

static void CountReady(PJRT_Error* error, void* user_arg) {
  char message[kMessageSize];
  EXPECT(TakeError(error, message) == 0, "PJRT_Event_OnReady: %s", message);
  ++*(int*)user_arg;
}

static void AwaitByCallback(PJRT_Buffer* buffer) {
  static int ready; /* Outlives this call should the plugin call late. */
  ready = 0;
  NEW_ARGS(PJRT_Buffer_ReadyEvent, event);
  event->buffer = buffer;
  if (CALL(PJRT_Buffer_ReadyEvent, event)) {
    NEW_ARGS(PJRT_Event_Await, await);
    await->event = event->event;
    CALL(PJRT_Event_Await, await);
    FREE(await);
    NEW_ARGS(PJRT_Event_IsReady, is_ready);
    is_ready->event = event->event;
    if (CALL(PJRT_Event_IsReady, is_ready)) EXPECT(is_ready->is_ready, "not ready after Await");
    FREE(is_ready);
    NEW_ARGS(PJRT_Event_Error, error);
    error->event = event->event;
    CALL(PJRT_Event_Error, error);
    FREE(error);
    NEW_ARGS(PJRT_Event_OnReady, on_ready);
    on_ready->event = event->event;
    on_ready->callback = &CountReady;
    on_ready->user_arg = &ready;
    if (CALL(PJRT_Event_OnReady, on_ready)) EXPECT(ready == 1, "%d callbacks", ready);
    FREE(on_ready);
    CALL_WITH(PJRT_Event_Destroy, event, event->event);
  }
  FREE(event);
}

static void LookAtBuffer(PJRT_Buffer* buffer) {
  NEW_ARGS(PJRT_Buffer_ElementType, type);
  type->buffer = buffer;
  if (CALL(PJRT_Buffer_ElementType, type)) {
    EXPECT(type->type == PJRT_Buffer_Type_F32, "element type %d", (int)type->type);
  }
  FREE(type);
  NEW_ARGS(PJRT_Buffer_Dimensions, dims);
  dims->buffer = buffer;
  if (CALL(PJRT_Buffer_Dimensions, dims)) {
    EXPECT(dims->num_dims == 1 && dims->dims[0] == kElements, "wrong dimensions");
  }
  FREE(dims);
  NEW_ARGS(PJRT_Buffer_UnpaddedDimensions, unpadded);
  unpadded->buffer = buffer;
  CALL(PJRT_Buffer_UnpaddedDimensions, unpadded);
  FREE(unpadded);
  NEW_ARGS(PJRT_Buffer_DynamicDimensionIndices, dynamic);
  dynamic->buffer = buffer;
  if (TRY(PJRT_Buffer_DynamicDimensionIndices, dynamic)) {
    EXPECT(dynamic->num_dynamic_dims == 0, "dynamic dimensions");
  }
  FREE(dynamic);
  NEW_ARGS(PJRT_Buffer_GetMemoryLayout, layout);
  layout->buffer = buffer;
  TRY(PJRT_Buffer_GetMemoryLayout, layout);
  FREE(layout);
  NEW_ARGS(PJRT_Buffer_OnDeviceSizeInBytes, size);
  size->buffer = buffer;
  CALL(PJRT_Buffer_OnDeviceSizeInBytes, size);
  FREE(size);
  NEW_ARGS(PJRT_Buffer_Device, device);
  device->buffer = buffer;
  if (CALL(PJRT_Buffer_Device, device)) EXPECT(device->device != NULL, "a buffer on no device");
  FREE(device);
  NEW_ARGS(PJRT_Buffer_IsOnCpu, on_cpu);
  on_cpu->buffer = buffer;
  CALL(PJRT_Buffer_IsOnCpu, on_cpu);
  FREE(on_cpu);
  CALL_WITH(PJRT_Buffer_IncreaseExternalReferenceCount, buffer, buffer);
  CALL_WITH(PJRT_Buffer_DecreaseExternalReferenceCount, buffer, buffer);
}

/* A buffer and what is done with one, through the device and through its memory. */
static void UseBuffers(PJRT_Client* client, PJRT_Device* device) {
  PJRT_Buffer* buffer = ToDevice(client, device, NULL, kLeft, PJRT_Buffer_Type_F32);
  if (buffer == NULL) return;
  LookAtBuffer(buffer);
  AwaitByCallback(buffer);
  ExpectOnHost(buffer, kLeft, "host to device and back");
  NEW_ARGS(PJRT_Buffer_Memory, memory);
  memory->buffer = buffer;
  if (CALL(PJRT_Buffer_Memory, memory)) {
    LookAtMemory(memory->memory);
    PJRT_Buffer* second = ToDevice(client, NULL, memory->memory, kRight, PJRT_Buffer_Type_F32);
    if (second != NULL) ExpectOnHost(second, kRight, "host to memory and back");
    DestroyBuffer(second);
    NEW_ARGS(PJRT_Buffer_CopyToMemory, copy);
    copy->buffer = buffer;
    copy->dst_memory = memory->memory;
    if (TRY(PJRT_Buffer_CopyToMemory, copy)) {
      ExpectOnHost(copy->dst_buffer, kLeft, "copy to memory");
      DestroyBuffer(copy->dst_buffer);
    }
    FREE(copy);
#if PJRT_API_MINOR >= 69
    NEW_ARGS(PJRT_Client_CreateUninitializedBuffer, fresh);
    fresh->client = client;
    fresh->shape_dims = kDims;
    fresh->shape_num_dims = 1;
    fresh->shape_element_type = PJRT_Buffer_Type_F32;
    fresh->memory = memory->memory;
    if (TRY(PJRT_Client_CreateUninitializedBuffer, fresh)) DestroyBuffer(fresh->buffer);
    FREE(fresh);
#endif
#if PJRT_API_MINOR >= 82
    NEW_ARGS(PJRT_Client_CreateErrorBuffer, failed);
    failed->client = client;
    failed->error_code = PJRT_Error_Code_DATA_LOSS;
    failed->error_message = "lost";
    failed->error_message_size = 4;
    failed->shape_dims = kDims;
    failed->shape_num_dims = 1;
    failed->shape_element_type = PJRT_Buffer_Type_F32;
    failed->memory = memory->memory;
    if (TRY(PJRT_Client_CreateErrorBuffer, failed)) {
      NEW_ARGS(PJRT_Buffer_ReadyEvent, event);
      event->buffer = failed->buffer;
      if (CALL(PJRT_Buffer_ReadyEvent, event)) {
        NEW_ARGS(PJRT_Event_Await, await);
        await->event = event->event;
        MUST_FAIL(PJRT_Event_Await, await, PJRT_Error_Code_DATA_LOSS);
        FREE(await);
        CALL_WITH(PJRT_Event_Destroy, event, event->event);
      }
      FREE(event);
      DestroyBuffer(failed->buffer);
    }
    FREE(failed);
#endif
  }
  FREE(memory);
  NEW_ARGS(PJRT_Buffer_CopyRawToHost, raw);
  float element = 0;
  raw->buffer = buffer;
  raw->dst = &element;
  raw->offset = sizeof(float);
  raw->transfer_size = sizeof(float);
  if (TRY(PJRT_Buffer_CopyRawToHost, raw) && Await(raw->event)) {
    EXPECT(element == kLeft[1], "raw copy: %g", (double)element);
  }
  FREE(raw);
  CALL_WITH(PJRT_Buffer_Delete, buffer, buffer);
  NEW_ARGS(PJRT_Buffer_IsDeleted, deleted);
  deleted->buffer = buffer;
  if (CALL(PJRT_Buffer_IsDeleted, deleted)) EXPECT(deleted->is_deleted, "not deleted");
  FREE(deleted);
  DestroyBuffer(buffer);
}

#if PJRT_API_MINOR >= 62
/* Piece by piece to the device. */
static void UseTransfers(PJRT_Client* client, PJRT_Device* device) {
  NEW_ARGS(PJRT_Device_DefaultMemory, memory);
  memory->device = device;
  if (CALL(PJRT_Device_DefaultMemory, memory)) {
    NEW(PJRT_ShapeSpec, shape);
    shape->dims = kDims;
    shape->num_dims = 1;
    shape->element_type = PJRT_Buffer_Type_F32;
    NEW_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
    create->client = client;
    create->shape_specs = shape;
    create->num_shape_specs = 1;
    create->memory = memory->memory;
    if (TRY(PJRT_Client_CreateBuffersForAsyncHostToDevice, create)) {
      NEW_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
      retrieve->transfer_manager = create->transfer_manager;
      NEW_ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer);
      transfer->transfer_manager = create->transfer_manager;
      transfer->data = kRight;
      transfer->transfer_size = sizeof(kRight);
      transfer->is_last_transfer = true;
      if (CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve)) {
        if (CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer)) {
          Await(transfer->done_with_h2d_transfer);
          ExpectOnHost(retrieve->buffer_out, kRight, "asynchronous transfer");
        }
        DestroyBuffer(retrieve->buffer_out);
      }
      FREE(transfer);
      FREE(retrieve);
      CALL_WITH(PJRT_AsyncHostToDeviceTransferManager_Destroy, transfer_manager,
                create->transfer_manager);
    }
    FREE(create);
    FREE(shape);
  }
  FREE(memory);
}
#endif

#if PJRT_API_MINOR >= 89
/* An event that the caller sets. */
static void UseEvents(void) {
  NEW_ARGS(PJRT_Event_Create, create);
  if (TRY(PJRT_Event_Create, create)) {
    NEW_ARGS(PJRT_Event_Set, set);
    set->event = create->event;
    set->error_code = PJRT_Error_Code_ABORTED;
    set->error_message = "stop";
    set->error_message_size = 4;
    if (CALL(PJRT_Event_Set, set)) {
      NEW_ARGS(PJRT_Event_Await, await);
      await->event = create->event;
      MUST_FAIL(PJRT_Event_Await, await, PJRT_Error_Code_ABORTED);
      FREE(await);
    }
    FREE(set);
    CALL_WITH(PJRT_Event_Destroy, event, create->event);
  }
  FREE(create);
}
#endif

#endif /* PLINTH_CONFORMANCE_WINDOWS_RUN_H_ */
