// SPDX-License-Identifier: Apache-2.0
/* Runs mean.mlir on four devices of a PJRT plugin, with nothing but the C API.

     run_sharded PLUGIN.so mean.mlir

   With an installed Plinth (component headers):
     cc -std=c11 -I PREFIX/include/plinth/api run_sharded.c -o run_sharded -ldl

   The plugin needs four devices: for the CPU plugin this program asks for them by the option
   `num_devices`. Each device is given two rows of the array and gives two back. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

enum { kDevices = 4, kRows = 2, kColumns = 2 };

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

static char program_text[1 << 16];

static PJRT_LoadedExecutable* Compile(PJRT_Client* client, const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) Fail("cannot open", path);
  PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                          .code = program_text,
                          .code_size = fread(program_text, 1, sizeof(program_text), file),
                          .format = "mlir",
                          .format_size = strlen("mlir")};
  fclose(file);
  /* A CompileOptionsProto: field 3, executable_build_options, with num_replicas = 1 (field 4),
     num_partitions = 4 (5), use_spmd_partitioning (6) and use_shardy_partitioner (19). */
  static const char options[] = {
      3 << 3 | 2, 9, 4 << 3, 1, 5 << 3, kDevices, 6 << 3, 1, (char)((19 << 3 & 0x7F) | 0x80),
      19 >> 4,    1};
  PJRT_Client_Compile_Args compile = {.client = client,
                                      .program = &program,
                                      .compile_options = options,
                                      .compile_options_size = sizeof(options)};
  CALL(PJRT_Client_Compile, compile);
  return compile.executable;
}

/* Two rows of the array on a device. */
static PJRT_Buffer* MakeRows(PJRT_Client* client, PJRT_Device* device, const float* rows) {
  static const int64_t dims[] = {kRows, kColumns};
  PJRT_Client_BufferFromHostBuffer_Args args = {
      .client = client,
      .data = rows,
      .type = PJRT_Buffer_Type_F32,
      .dims = dims,
      .num_dims = 2,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = device,
  };
  CALL(PJRT_Client_BufferFromHostBuffer, args);
  Await(args.done_with_host_buffer);
  return args.buffer;
}

static void PrintRows(PJRT_Buffer* buffer, size_t device) {
  float rows[kRows * kColumns];
  PJRT_Buffer_ToHostBuffer_Args copy = {.src = buffer, .dst = rows, .dst_size = sizeof(rows)};
  CALL(PJRT_Buffer_ToHostBuffer, copy);
  Await(copy.event);
  for (size_t r = 0; r < kRows; ++r) {
    printf("device %zu, row %zu: %g %g\n", device, device * kRows + r, rows[r * kColumns],
           rows[r * kColumns + 1]);
  }
}

static void Destroy(PJRT_Buffer* buffer) {
  PJRT_Buffer_Destroy_Args destroy = {.buffer = buffer};
  CALL(PJRT_Buffer_Destroy, destroy);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s PLUGIN.so PROGRAM.mlir\n", argv[0]);
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
  PJRT_NamedValue num_devices = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                 .name = "num_devices",
                                 .name_size = strlen("num_devices"),
                                 .type = PJRT_NamedValue_kInt64,
                                 .int64_value = kDevices,
                                 .value_size = 1};
  PJRT_Client_Create_Args create = {.create_options = &num_devices, .num_options = 1};
  CALL(PJRT_Client_Create, create);
  PJRT_LoadedExecutable* executable = Compile(create.client, argv[2]);
  /* Lane i of an execution runs on the i-th of these. */
  PJRT_LoadedExecutable_AddressableDevices_Args devices = {.executable = executable};
  CALL(PJRT_LoadedExecutable_AddressableDevices, devices);
  if (devices.num_addressable_devices != kDevices) Fail("expected four devices", argv[1]);

  float array[kDevices * kRows * kColumns];
  PJRT_Buffer *inputs[kDevices], *outputs[kDevices];
  PJRT_Buffer* const* argument_lists[kDevices];
  PJRT_Buffer** output_lists[kDevices];
  for (size_t i = 0; i < kDevices * kRows * kColumns; ++i) array[i] = (float)i;
  for (size_t d = 0; d < kDevices; ++d) {
    inputs[d] =
        MakeRows(create.client, devices.addressable_devices[d], array + d * kRows * kColumns);
    argument_lists[d] = &inputs[d];
    output_lists[d] = &outputs[d];
  }
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_LoadedExecutable_Execute_Args execute = {
      .executable = executable,
      .options = &options,
      .argument_lists = argument_lists,
      .num_devices = kDevices,
      .num_args = 1,
      .output_lists = output_lists,
  };
  CALL(PJRT_LoadedExecutable_Execute, execute);
  for (size_t d = 0; d < kDevices; ++d) {
    PrintRows(outputs[d], d);
    Destroy(inputs[d]);
    Destroy(outputs[d]);
  }
  PJRT_LoadedExecutable_Destroy_Args unload = {.executable = executable};
  CALL(PJRT_LoadedExecutable_Destroy, unload);
  PJRT_Client_Destroy_Args destroy_client = {.client = create.client};
  CALL(PJRT_Client_Destroy, destroy_client);
  return 0;
}
