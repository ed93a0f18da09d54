// SPDX-License-Identifier: Apache-2.0
/* Times PJRT_Client_Compile alone, with nothing but the C API.

     plinth-compile-time PLUGIN.so PROGRAM.mlirbc [COMPILE_OPTIONS.pb [TIMES]]

   Prints the least and the median time in microseconds; each executable is destroyed before the
   next is made, outside of what is timed. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pjrt_c_api.h"

static const PJRT_Api* api;

static void Fail(const char* what, const char* about) {
  fprintf(stderr, "%s: %s\n", what, about);
  exit(2);
}

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

static char* ReadFile(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) Fail("cannot open", path);
  const long length = ftell(file);
  rewind(file);
  char* bytes = length < 0 ? NULL : malloc((size_t)length + 1);
  if (bytes == NULL || fread(bytes, 1, (size_t)length, file) != (size_t)length) {
    Fail("cannot read", path);
  }
  fclose(file);
  *size = (size_t)length;
  return bytes;
}

static double Microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int Compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    fprintf(stderr, "usage: %s PLUGIN.so PROGRAM.mlirbc [COMPILE_OPTIONS.pb [TIMES]]\n", argv[0]);
    return 2;
  }
  const int times = argc > 4 ? atoi(argv[4]) : 200;
  if (times < 1 || times > 1000000) Fail("expected a number of times", argv[4]);
  double* took = malloc((size_t)times * sizeof(double));
  if (took == NULL) Fail("out of memory for the times", argv[4]);

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

  PJRT_Program program = {
      .struct_size = PJRT_Program_STRUCT_SIZE, .format = "mlir", .format_size = strlen("mlir")};
  program.code = ReadFile(argv[2], &program.code_size);
  PJRT_Client_Compile_Args compile = {
      .client = create.client, .program = &program, .compile_options = ""};
  char* options = NULL;
  if (argc > 3) {
    options = ReadFile(argv[3], &compile.compile_options_size);
    compile.compile_options = options;
  }
  for (int i = 0; i < times; ++i) {
    const double start = Microseconds();
    CALL(PJRT_Client_Compile, compile);
    took[i] = Microseconds() - start;
    PJRT_LoadedExecutable_Destroy_Args destroy = {.executable = compile.executable};
    CALL(PJRT_LoadedExecutable_Destroy, destroy);
  }
  qsort(took, (size_t)times, sizeof(double), Compare);
  printf("PJRT_Client_Compile: min %.1f us, median %.1f us, %d times\n", took[0], took[times / 2],
         times);

  PJRT_Client_Destroy_Args destroy_client = {.client = create.client};
  CALL(PJRT_Client_Destroy, destroy_client);
  free(program.code);
  free(options);
  free(took);
  return 0;
}
