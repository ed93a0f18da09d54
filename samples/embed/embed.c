// SPDX-License-Identifier: Apache-2.0
/* A program that embeds libplinth and a plugin: two shared libraries, no Python, no JAX.

     embed [--measure] [PLUGIN]

   With an installed Plinth (components headers, libplinth):
     cc -std=c11 embed.c -o embed $(pkg-config --cflags --libs plinth)

   PLUGIN is the path of a plugin or the name of an installed one. The program inside is the energy
   of eight coupled springs and the forces on their ends, written in StableHLO. With --measure the
   time since the start of main and the memory in use are printed too. */

#define _POSIX_C_SOURCE 200809L /* clocks */
#include <plinth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kPoints = 9 };

static const char kSprings[] =
    "module @springs {\n"
    "  func.func public @main(%x: tensor<9xf32>) -> (tensor<f32>, tensor<9xf32>) {\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %half = stablehlo.constant dense<0.5> : tensor<8xf32>\n"
    "    %rest = stablehlo.constant dense<1.0> : tensor<8xf32>\n"
    "    %right = stablehlo.slice %x [1:9] : (tensor<9xf32>) -> tensor<8xf32>\n"
    "    %left = stablehlo.slice %x [0:8] : (tensor<9xf32>) -> tensor<8xf32>\n"
    "    %length = stablehlo.subtract %right, %left : tensor<8xf32>\n"
    "    %stretch = stablehlo.subtract %length, %rest : tensor<8xf32>\n"
    "    %square = stablehlo.multiply %stretch, %stretch : tensor<8xf32>\n"
    "    %each = stablehlo.multiply %half, %square : tensor<8xf32>\n"
    "    %energy = stablehlo.reduce(%each init: %zero) applies stablehlo.add across dimensions = "
    "[0]"
    " : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %pull = stablehlo.pad %stretch, %zero, low = [0], high = [1], interior = [0]"
    " : (tensor<8xf32>, tensor<f32>) -> tensor<9xf32>\n"
    "    %push = stablehlo.pad %stretch, %zero, low = [1], high = [0], interior = [0]"
    " : (tensor<8xf32>, tensor<f32>) -> tensor<9xf32>\n"
    "    %force = stablehlo.subtract %pull, %push : tensor<9xf32>\n"
    "    return %energy, %force : tensor<f32>, tensor<9xf32>\n"
    "  }\n"
    "}\n";

static const PJRT_Api* api;

/* Prints an error of the plugin and leaves. */
static void Check(PJRT_Error* error, const char* call) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                     .error = error};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "%s: %.*s\n", call, (int)message.message_size, message.message);
  exit(1);
}

/* Calls a function of the table with its arguments, which say their own size. */
#define CALL(function, args)                          \
  do {                                                \
    (args).struct_size = function##_Args_STRUCT_SIZE; \
    Check(api->function(&(args)), #function);         \
  } while (0)

static void Await(PJRT_Event* event) {
  PJRT_Event_Await_Args await = {.event = event};
  CALL(PJRT_Event_Await, await);
  PJRT_Event_Destroy_Args destroy = {.event = event};
  CALL(PJRT_Event_Destroy, destroy);
}

/* Finds the plugin and puts its table into `api`. */
static void Load(const char* plugin_name) {
  plinth_load_options options = {.struct_size = plinth_load_options_STRUCT_SIZE,
                                 .plugin = plugin_name};
  plinth_plugin* plugin = NULL;
  plinth_status* status = plinth_load(&options, &plugin);
  if (status != NULL) {
    fprintf(stderr, "%s\n", plinth_status_message(status));
    plinth_status_destroy(status);
    exit(1);
  }
  api = plinth_plugin_api(plugin);
  plinth_plugin_destroy(plugin); /* The table stays. */
  PJRT_Plugin_Initialize_Args initialize = {0};
  CALL(PJRT_Plugin_Initialize, initialize);
}

static PJRT_LoadedExecutable* Compile(PJRT_Client* client) {
  PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                          .code = (char*)kSprings,
                          .code_size = sizeof(kSprings) - 1,
                          .format = "mlir",
                          .format_size = strlen("mlir")};
  /* No compile options: the defaults, for one device. */
  PJRT_Client_Compile_Args compile = {.client = client, .program = &program, .compile_options = ""};
  CALL(PJRT_Client_Compile, compile);
  return compile.executable;
}

static PJRT_Buffer* ToDevice(PJRT_Client* client, const float* values) {
  PJRT_Client_AddressableDevices_Args devices = {.client = client};
  CALL(PJRT_Client_AddressableDevices, devices);
  const int64_t dims[] = {kPoints};
  PJRT_Client_BufferFromHostBuffer_Args copy = {
      .client = client,
      .data = values,
      .type = PJRT_Buffer_Type_F32,
      .dims = dims,
      .num_dims = 1,
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = devices.addressable_devices[0],
  };
  CALL(PJRT_Client_BufferFromHostBuffer, copy);
  Await(copy.done_with_host_buffer);
  return copy.buffer;
}

/* Copies a result to the host and frees it. */
static void ToHost(PJRT_Buffer* buffer, float* values, size_t count) {
  PJRT_Buffer_ToHostBuffer_Args copy = {
      .src = buffer, .dst = values, .dst_size = count * sizeof(float)};
  CALL(PJRT_Buffer_ToHostBuffer, copy);
  Await(copy.event);
  PJRT_Buffer_Destroy_Args destroy = {.buffer = buffer};
  CALL(PJRT_Buffer_Destroy, destroy);
}

static void Run(PJRT_LoadedExecutable* executable, PJRT_Buffer* input, float* energy,
                float* forces) {
  PJRT_Buffer *inputs[] = {input}, *outputs[2] = {0};
  PJRT_Buffer* const* argument_lists[] = {inputs};
  PJRT_Buffer** output_lists[] = {outputs};
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_LoadedExecutable_Execute_Args execute = {
      .executable = executable,
      .options = &options,
      .argument_lists = argument_lists,
      .num_devices = 1,
      .num_args = 1,
      .output_lists = output_lists,
  };
  CALL(PJRT_LoadedExecutable_Execute, execute);
  ToHost(outputs[0], energy, 1);
  ToHost(outputs[1], forces, kPoints);
}

static double Milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Memory of the process that is in use now, in MB. */
static double ResidentMegabytes(void) {
  long total = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

int main(int argc, char** argv) {
  const double start = Milliseconds();
  const int is_measuring = argc > 1 && strcmp(argv[1], "--measure") == 0;
  Load(argc > 1 + is_measuring ? argv[1 + is_measuring] : NULL);
  PJRT_Client_Create_Args create = {0};
  CALL(PJRT_Client_Create, create);
  PJRT_LoadedExecutable* executable = Compile(create.client);

  float positions[kPoints], energy, forces[kPoints];
  for (int i = 0; i < kPoints; ++i) positions[i] = 1.25f * (float)i;
  positions[4] += 0.5f;
  PJRT_Buffer* input = ToDevice(create.client, positions);
  Run(executable, input, &energy, forces);
  const double first_result = Milliseconds() - start;

  printf("energy %g\nforces", energy);
  for (int i = 0; i < kPoints; ++i) printf(" %g", forces[i]);
  printf("\n");
  if (is_measuring) {
    printf("first result after %.2f ms, %.1f MB in use\n", first_result, ResidentMegabytes());
  }

  PJRT_Buffer_Destroy_Args destroy_input = {.buffer = input};
  CALL(PJRT_Buffer_Destroy, destroy_input);
  PJRT_LoadedExecutable_Destroy_Args unload = {.executable = executable};
  CALL(PJRT_LoadedExecutable_Destroy, unload);
  PJRT_Client_Destroy_Args destroy_client = {.client = create.client};
  CALL(PJRT_Client_Destroy, destroy_client);
  return 0;
}
