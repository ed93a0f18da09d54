// SPDX-License-Identifier: Apache-2.0
/* Runs a StableHLO text file on a PJRT plugin, with nothing but the C API.

     run_stablehlo PLUGIN.so PROGRAM.mlir [INPUT ...]

   With an installed Plinth (component headers):
     cc -std=c11 -I PREFIX/include/plinth/api run_stablehlo.c -o run_stablehlo -ldl

   An input is an f32 array: its sizes, a colon, its elements in row-major order ("2x3:1,2,3,4,5,6";
   ":1.5" is a scalar). Every output is printed, one line each. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

enum { kMaxArrays = 16, kMaxRank = 8 };

static const PJRT_Api* api;

/* Prints an error of the plugin and leaves; every call below goes through it. */
static void Check(PJRT_Error* error, const char* call) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                     .error = error};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "%s: %.*s\n", call, (int)message.message_size, message.message);
  PJRT_Error_Destroy_Args destroy = {.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE,
                                     .error = error};
  api->PJRT_Error_Destroy(&destroy);
  exit(1);
}

/* Calls a function of the table with its arguments, which say their own size. */
#define CALL(function, args)                          \
  do {                                                \
    (args).struct_size = function##_Args_STRUCT_SIZE; \
    Check(api->function(&(args)), #function);         \
  } while (0)

static void Fail(const char* what, const char* about) {
  fprintf(stderr, "%s: %s\n", what, about);
  exit(2);
}

/* Waits for an event and gives it back. */
static void Await(PJRT_Event* event) {
  PJRT_Event_Await_Args await = {.event = event};
  CALL(PJRT_Event_Await, await);
  PJRT_Event_Destroy_Args destroy = {.event = event};
  CALL(PJRT_Event_Destroy, destroy);
}

static char* ReadFile(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) Fail("cannot open", path);
  char* text = NULL;
  size_t capacity = 0;
  *size = 0;
  for (size_t got = 1; got > 0; *size += got) {
    if (*size + 4096 > capacity) {
      capacity = 2 * capacity + 4096;
      text = realloc(text, capacity);
      if (text == NULL) Fail("out of memory reading", path);
    }
    got = fread(text + *size, 1, 4096, file);
  }
  fclose(file);
  return text;
}

/* "2x3:1,2,3,4,5,6" as a buffer on the device. */
static PJRT_Buffer* MakeInput(PJRT_Client* client, PJRT_Device* device, const char* input) {
  int64_t dims[kMaxRank];
  size_t rank = 0, count = 1;
  const char* at = input;
  while (*at != ':') {
    char* end;
    if (rank == kMaxRank) Fail("too many dimensions", input);
    dims[rank] = strtoll(at, &end, 10);
    if (end == at || dims[rank] < 0) Fail("expected sizes and a colon", input);
    count *= (size_t)dims[rank++];
    at = *end == 'x' ? end + 1 : end;
    if (*end != 'x' && *end != ':') Fail("expected sizes and a colon", input);
  }
  float* data = calloc(count + 1, sizeof(float));
  if (data == NULL) Fail("out of memory for", input);
  ++at;
  for (size_t i = 0; i < count; ++i) {
    char* end;
    if (i > 0 && *at++ != ',') Fail("too few elements, or no comma between them", input);
    data[i] = strtof(at, &end);
    if (end == at) Fail("expected a number for every element", input);
    at = end;
  }
  if (*at != '\0') Fail("too many elements", input);
  PJRT_Client_BufferFromHostBuffer_Args args = {
      .client = client,
      .data = data,
      .type = PJRT_Buffer_Type_F32,
      .dims = dims,
      .num_dims = rank,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = device,
  };
  CALL(PJRT_Client_BufferFromHostBuffer, args);
  free(data);
  Await(args.done_with_host_buffer);
  return args.buffer;
}

static void PrintOutput(PJRT_Buffer* buffer) {
  PJRT_Buffer_ElementType_Args type = {.buffer = buffer};
  CALL(PJRT_Buffer_ElementType, type);
  PJRT_Buffer_Dimensions_Args shape = {.buffer = buffer};
  CALL(PJRT_Buffer_Dimensions, shape);
  size_t count = 1;
  for (size_t d = 0; d < shape.num_dims; ++d) count *= (size_t)shape.dims[d];
  if (type.type != PJRT_Buffer_Type_F32 && type.type != PJRT_Buffer_Type_S32) {
    printf("(an output of element type %d)\n", (int)type.type);
    return;
  }
  union {
    float f32;
    int32_t s32;
  }* data = calloc(count + 1, sizeof(*data));
  if (data == NULL) Fail("out of memory for", "an output");
  PJRT_Buffer_ToHostBuffer_Args copy = {
      .src = buffer, .dst = data, .dst_size = count * sizeof(*data)};
  CALL(PJRT_Buffer_ToHostBuffer, copy);
  Await(copy.event);
  for (size_t d = 0; d < shape.num_dims; ++d) {
    printf("%s%lld", d > 0 ? "x" : "", (long long)shape.dims[d]);
  }
  printf(":");
  for (size_t i = 0; i < count; ++i) {
    if (type.type == PJRT_Buffer_Type_F32) {
      printf("%s%g", i > 0 ? "," : "", data[i].f32);
    } else {
      printf("%s%d", i > 0 ? "," : "", (int)data[i].s32);
    }
  }
  printf("\n");
  free(data);
}

int main(int argc, char** argv) {
  if (argc < 3 || argc > 3 + kMaxArrays) {
    fprintf(stderr, "usage: %s PLUGIN.so PROGRAM.mlir [SIZES:ELEMENTS ...]\n", argv[0]);
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) Fail("cannot load the plugin", dlerror());
  const PJRT_Api* (*get_api)(void) = NULL;
  *(void**)&get_api = dlsym(library, "GetPjrtApi");
  if (get_api == NULL) Fail("the plugin has no GetPjrtApi", argv[1]);
  api = get_api();

  PJRT_Plugin_Initialize_Args initialize = {0};
  CALL(PJRT_Plugin_Initialize, initialize);
  PJRT_Client_Create_Args create = {0};
  CALL(PJRT_Client_Create, create);
  PJRT_Client_AddressableDevices_Args devices = {.client = create.client};
  CALL(PJRT_Client_AddressableDevices, devices);
  if (devices.num_addressable_devices == 0) Fail("no device", argv[1]);
  PJRT_Device* device = devices.addressable_devices[0];

  PJRT_Program program = {
      .struct_size = PJRT_Program_STRUCT_SIZE, .format = "mlir", .format_size = strlen("mlir")};
  program.code = ReadFile(argv[2], &program.code_size);
  /* No compile options: the defaults, for one device. */
  PJRT_Client_Compile_Args compile = {
      .client = create.client, .program = &program, .compile_options = ""};
  CALL(PJRT_Client_Compile, compile);
  free(program.code);
  PJRT_LoadedExecutable_GetExecutable_Args get = {.loaded_executable = compile.executable};
  CALL(PJRT_LoadedExecutable_GetExecutable, get);
  PJRT_Executable_NumOutputs_Args outputs_of = {.executable = get.executable};
  CALL(PJRT_Executable_NumOutputs, outputs_of);
  if (outputs_of.num_outputs > kMaxArrays) Fail("too many outputs", argv[2]);

  size_t num_inputs = (size_t)argc - 3;
  PJRT_Buffer *inputs[kMaxArrays], *outputs[kMaxArrays] = {0};
  for (size_t i = 0; i < num_inputs; ++i) {
    inputs[i] = MakeInput(create.client, device, argv[3 + i]);
  }
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_Buffer* const* argument_lists[1] = {inputs};
  PJRT_Buffer** output_lists[1] = {outputs};
  PJRT_LoadedExecutable_Execute_Args execute = {
      .executable = compile.executable,
      .options = &options,
      .argument_lists = argument_lists,
      .num_devices = 1,
      .num_args = num_inputs,
      .output_lists = output_lists,
  };
  CALL(PJRT_LoadedExecutable_Execute, execute);
  for (size_t o = 0; o < outputs_of.num_outputs; ++o) PrintOutput(outputs[o]);

  for (size_t o = 0; o < outputs_of.num_outputs; ++o) {
    PJRT_Buffer_Destroy_Args destroy = {.buffer = outputs[o]};
    CALL(PJRT_Buffer_Destroy, destroy);
  }
  for (size_t i = 0; i < num_inputs; ++i) {
    PJRT_Buffer_Destroy_Args destroy = {.buffer = inputs[i]};
    CALL(PJRT_Buffer_Destroy, destroy);
  }
  PJRT_Executable_Destroy_Args destroy_executable = {.executable = get.executable};
  CALL(PJRT_Executable_Destroy, destroy_executable);
  PJRT_LoadedExecutable_Destroy_Args unload = {.executable = compile.executable};
  CALL(PJRT_LoadedExecutable_Destroy, unload);
  PJRT_Client_Destroy_Args destroy_client = {.client = create.client};
  CALL(PJRT_Client_Destroy, destroy_client);
  return 0;
}
