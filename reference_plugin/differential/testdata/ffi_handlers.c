// SPDX-License-Identifier: Apache-2.0
// Handlers for test_ffi.py, written against the C API alone.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xla/ffi/api/c_api.h"

static XLA_FFI_Error* MakeError(const XLA_FFI_Api* api, XLA_FFI_Error_Code code, const char* text) {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, text, code};
  return api->XLA_FFI_Error_Create(&args);
}

// 1 if the call asked for metadata, which is filled in.
static int IsMetadata(XLA_FFI_CallFrame* frame, int minor) {
  if (frame->extension_start == NULL ||
      frame->extension_start->type != XLA_FFI_Extension_Metadata) {
    return 0;
  }
  XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*)frame->extension_start)->metadata;
  metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  metadata->api_version.minor_version = minor;
  return 1;
}
#define HANDLER(name)                                   \
  XLA_FFI_Error* name(XLA_FFI_CallFrame* frame) {       \
    if (IsMetadata(frame, XLA_FFI_API_MINOR)) return 0; \
    return name##_call(frame);                          \
  }

static XLA_FFI_Buffer* Operand(XLA_FFI_CallFrame* frame, int i) {
  return (XLA_FFI_Buffer*)frame->args.args[i];
}
static XLA_FFI_Buffer* Result(XLA_FFI_CallFrame* frame, int i) {
  return (XLA_FFI_Buffer*)frame->rets.rets[i];
}
static int64_t Count(const XLA_FFI_Buffer* buffer) {
  int64_t count = 1;
  for (int64_t d = 0; d < buffer->rank; ++d) count *= buffer->dims[d];
  return count;
}

// The one attribute is the float "factor".
static XLA_FFI_Error* scale_call(XLA_FFI_CallFrame* frame) {
  if (frame->attrs.size != 1 || frame->attrs.types[0] != XLA_FFI_AttrType_SCALAR ||
      frame->attrs.names[0]->len != 6 || memcmp(frame->attrs.names[0]->ptr, "factor", 6) != 0) {
    return MakeError(frame->api, XLA_FFI_Error_Code_INVALID_ARGUMENT, "expected factor");
  }
  const XLA_FFI_Scalar* factor = (const XLA_FFI_Scalar*)frame->attrs.attrs[0];
  if (factor->dtype != XLA_FFI_DataType_F32 || Operand(frame, 0)->dtype != XLA_FFI_DataType_F32) {
    return MakeError(frame->api, XLA_FFI_Error_Code_INVALID_ARGUMENT, "expected f32");
  }
  const float* in = (const float*)Operand(frame, 0)->data;
  float* out = (float*)Result(frame, 0)->data;
  for (int64_t i = 0; i < Count(Operand(frame, 0)); ++i) out[i] = in[i] * *(float*)factor->value;
  return NULL;
}
HANDLER(scale)

static XLA_FFI_Error* fail_call(XLA_FFI_CallFrame* frame) {
  return MakeError(frame->api, XLA_FFI_Error_Code_OUT_OF_RANGE, "it was told to");
}
HANDLER(fail)

XLA_FFI_Error* newer(XLA_FFI_CallFrame* frame) {
  IsMetadata(frame, 1000);
  return NULL;
}

struct Work {
  const XLA_FFI_Api* api;
  const float* in;
  float* out;
  int64_t count;
  XLA_FFI_Future* future;
};
static void DoWork(void* data) {
  struct Work* work = (struct Work*)data;
  for (int64_t i = 0; i < work->count; ++i) work->out[i] = -work->in[i];
  if (work->count == 0) {
    XLA_FFI_Future_SetError_Args args = {
        XLA_FFI_Future_SetError_Args_STRUCT_SIZE, NULL, work->future,
        MakeError(work->api, XLA_FFI_Error_Code_ABORTED, "it failed later")};
    work->api->XLA_FFI_Future_SetError(&args);
  } else {
    XLA_FFI_Future_SetAvailable_Args args = {XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE, NULL,
                                             work->future};
    work->api->XLA_FFI_Future_SetAvailable(&args);
  }
  free(work);
}
static XLA_FFI_Error* asynchronous_call(XLA_FFI_CallFrame* frame) {
  XLA_FFI_Future_Create_Args create = {XLA_FFI_Future_Create_Args_STRUCT_SIZE, NULL, NULL};
  XLA_FFI_Error* error = frame->api->XLA_FFI_Future_Create(&create);
  if (error != NULL) return error;
  struct Work* work = (struct Work*)malloc(sizeof(struct Work));
  work->api = frame->api;
  work->in = (const float*)Operand(frame, 0)->data;
  work->out = (float*)Result(frame, 0)->data;
  work->count = Count(Operand(frame, 0));
  work->future = create.future;
  frame->future = create.future;
  XLA_FFI_ThreadPool_Schedule_Args schedule = {XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE, NULL,
                                               frame->ctx, DoWork, work};
  return frame->api->XLA_FFI_ThreadPool_Schedule(&schedule);
}
HANDLER(asynchronous)

static int DescribeNumber(char* to, XLA_FFI_DataType type, const void* value) {
  switch (type) {
    case XLA_FFI_DataType_PRED:
      return sprintf(to, "pred:%d", *(const unsigned char*)value);
    case XLA_FFI_DataType_S8:
      return sprintf(to, "s8:%d", *(const signed char*)value);
    case XLA_FFI_DataType_F64:
      return sprintf(to, "f64:%g", *(const double*)value);
    default:
      return sprintf(to, "type %d", (int)type);
  }
}
static int DescribeAll(char* to, const XLA_FFI_Attrs* attrs) {
  char* at = to;
  for (int64_t i = 0; i < attrs->size; ++i) {
    at += sprintf(at, "%s%.*s=", i > 0 ? " " : "", (int)attrs->names[i]->len, attrs->names[i]->ptr);
    switch (attrs->types[i]) {
      case XLA_FFI_AttrType_SCALAR: {
        const XLA_FFI_Scalar* scalar = (const XLA_FFI_Scalar*)attrs->attrs[i];
        at += DescribeNumber(at, scalar->dtype, scalar->value);
        break;
      }
      case XLA_FFI_AttrType_STRING: {
        const XLA_FFI_ByteSpan* text = (const XLA_FFI_ByteSpan*)attrs->attrs[i];
        at += sprintf(at, "'%.*s'", (int)text->len, text->ptr);
        break;
      }
      case XLA_FFI_AttrType_ARRAY: {
        const XLA_FFI_Array* array = (const XLA_FFI_Array*)attrs->attrs[i];
        at += sprintf(at, "%s[", array->dtype == XLA_FFI_DataType_S64 ? "s64" : "?");
        for (size_t j = 0; j < array->size; ++j) {
          at += sprintf(at, "%s%lld", j > 0 ? "," : "", (long long)((int64_t*)array->data)[j]);
        }
        at += sprintf(at, "]");
        break;
      }
      case XLA_FFI_AttrType_DICTIONARY:
        at += sprintf(at, "{");
        at += DescribeAll(at, (const XLA_FFI_Attrs*)attrs->attrs[i]);
        at += sprintf(at, "}");
        break;
    }
  }
  return (int)(at - to);
}
static XLA_FFI_Error* describe_call(XLA_FFI_CallFrame* frame) {
  char text[1024];
  memset(text, 0, sizeof(text));
  DescribeAll(text, &frame->attrs);
  memcpy(Result(frame, 0)->data, text, (size_t)Count(Result(frame, 0)));
  return NULL;
}
HANDLER(describe)

static XLA_FFI_Error* many_results_call(XLA_FFI_CallFrame* frame) {
  for (int64_t i = 0; i < Count(Operand(frame, 0)); ++i) {
    for (int r = 0; r < frame->rets.size; ++r) {
      ((float*)Result(frame, r)->data)[i] = ((float*)Operand(frame, 0)->data)[i] * (float)(r + 1);
    }
  }
  return NULL;
}
HANDLER(many_results)

static XLA_FFI_Error* facts_call(XLA_FFI_CallFrame* frame) {
  int64_t* out = (int64_t*)Result(frame, 0)->data;
  XLA_FFI_RunId_Get_Args run = {XLA_FFI_RunId_Get_Args_STRUCT_SIZE, NULL, frame->ctx, 0};
  XLA_FFI_DeviceOrdinal_Get_Args device = {XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE, NULL,
                                           frame->ctx, -1};
  int64_t threads = 0;
  XLA_FFI_ThreadPool_NumThreads_Args pool = {XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE, NULL,
                                             frame->ctx, &threads};
  XLA_FFI_DeviceMemory_Allocate_Args memory = {
      XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE, NULL, frame->ctx, 1000, 256, NULL};
  XLA_FFI_Error* error = frame->api->XLA_FFI_RunId_Get(&run);
  if (error == NULL) error = frame->api->XLA_FFI_DeviceOrdinal_Get(&device);
  if (error == NULL) error = frame->api->XLA_FFI_ThreadPool_NumThreads(&pool);
  if (error == NULL) error = frame->api->XLA_FFI_DeviceMemory_Allocate(&memory);
  if (error != NULL) return error;
  out[0] = run.run_id;
  out[1] = device.device_ordinal;
  out[2] = threads;
  out[3] = memory.data != NULL && (uintptr_t)memory.data % 256 == 0;
  memset(memory.data, 1, 1000);
  XLA_FFI_DeviceMemory_Free_Args release = {XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE, NULL,
                                            frame->ctx, 1000, memory.data};
  error = frame->api->XLA_FFI_DeviceMemory_Free(&release);
  if (error != NULL) return error;
  // Freed twice, a stream, and data that nobody gave: errors, which are destroyed here.
  XLA_FFI_Stream_Get_Args stream = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, NULL, frame->ctx, NULL};
  XLA_FFI_TypeId type = {12345};
  XLA_FFI_ExecutionContext_Get_Args get = {XLA_FFI_ExecutionContext_Get_Args_STRUCT_SIZE, NULL,
                                           frame->ctx, &type, NULL};
  XLA_FFI_Error* errors[3] = {frame->api->XLA_FFI_DeviceMemory_Free(&release),
                              frame->api->XLA_FFI_Stream_Get(&stream),
                              frame->api->XLA_FFI_ExecutionContext_Get(&get)};
  for (int i = 0; i < 3; ++i) {
    if (errors[i] == NULL) return MakeError(frame->api, XLA_FFI_Error_Code_INTERNAL, "no error");
    XLA_FFI_Error_Destroy_Args destroy = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, NULL, errors[i]};
    frame->api->XLA_FFI_Error_Destroy(&destroy);
  }
  return NULL;
}
HANDLER(facts)

// State: a number that says how many were made before, of each stage.
static XLA_FFI_TypeId state_type = {0};
static int64_t num_made[3];
static int num_live;
int live_states(void) { return num_live; }
static void DeleteState(void* state) {
  --num_live;
  free(state);
}
static XLA_FFI_Error* KeepState(XLA_FFI_CallFrame* frame) {
  XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, NULL, DeleteState};
  XLA_FFI_Type_Register_Args type = {
      sizeof(XLA_FFI_Type_Register_Args), NULL, {"stateful", 8}, &state_type, &info};
  XLA_FFI_Error* error = frame->api->XLA_FFI_Type_Register(&type);
  if (error != NULL) return error;
  int64_t* state = (int64_t*)malloc(sizeof(int64_t));
  *state = ++num_made[frame->stage];
  ++num_live;
  XLA_FFI_State_Set_Args set = {
      XLA_FFI_State_Set_Args_STRUCT_SIZE, NULL, frame->ctx, frame->stage, &state_type, state};
  error = frame->api->XLA_FFI_State_Set(&set);
  if (error != NULL) return error;
  XLA_FFI_Error* again = frame->api->XLA_FFI_State_Set(&set);
  if (again == NULL) return MakeError(frame->api, XLA_FFI_Error_Code_INTERNAL, "set twice");
  XLA_FFI_Error_Destroy_Args destroy = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, NULL, again};
  frame->api->XLA_FFI_Error_Destroy(&destroy);
  return NULL;
}
#define stateful_instantiate_call KeepState
#define stateful_prepare_call KeepState
#define stateful_initialize_call KeepState
HANDLER(stateful_instantiate)
HANDLER(stateful_prepare)
HANDLER(stateful_initialize)

static XLA_FFI_Error* stateful_execute_call(XLA_FFI_CallFrame* frame) {
  for (int stage = 0; stage < 3; ++stage) {
    XLA_FFI_State_Get_Args get = {XLA_FFI_State_Get_Args_STRUCT_SIZE, NULL,        frame->ctx,
                                  (XLA_FFI_ExecutionStage)stage,      &state_type, NULL};
    XLA_FFI_Error* error = frame->api->XLA_FFI_State_Get(&get);
    if (error != NULL) return error;
    ((int64_t*)Result(frame, 0)->data)[stage] = *(int64_t*)get.state;
  }
  return NULL;
}
HANDLER(stateful_execute)

// Untyped functions, of 4 floats.
void plain_add(void* out, const void** in) {
  for (int i = 0; i < 4; ++i)
    ((float*)out)[i] = ((const float*)in[0])[i] + ((const float*)in[1])[i];
}
void status_negate(void* out, const void** in, void* status) {
  (void)status;  // success
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = -((const float*)in[0])[i];
}
