// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_MISUSE_CALLS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_MISUSE_CALLS_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "impl/layers/validation/misuse/misuse.h"

// NEW(Buffer_Delete, args): the argument struct of PJRT_Buffer_Delete, empty but for its size.
#define NEW(function, name)       \
  PJRT_##function##_Args name;    \
  memset(&name, 0, sizeof(name)); \
  name.struct_size = PJRT_##function##_Args_STRUCT_SIZE

// RUN(w, Buffer_Delete, args): the call; its error is freed.
#define RUN(w, function, name) drop((w), (w)->api->PJRT_##function(&(name)))

static inline void drop(World* w, PJRT_Error* error) {
  if (error == NULL) return;
  NEW(Error_Destroy, args);
  args.error = error;
  w->api->PJRT_Error_Destroy(&args);
}

static const int64_t kFour[1] = {4};

static inline void fill_from_host(World* w, PJRT_Client_BufferFromHostBuffer_Args* args) {
  static const float data[4] = {1, 2, 3, 4};
  memset(args, 0, sizeof(*args));
  args->struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE;
  args->client = w->client;
  args->data = data;
  args->type = PJRT_Buffer_Type_F32;
  args->dims = kFour;
  args->num_dims = 1;
  args->host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args->device = w->device;
}

static inline void destroy_event(World* w, PJRT_Event* event) {
  NEW(Event_Destroy, args);
  args.event = event;
  RUN(w, Event_Destroy, args);
}

static inline void destroy_buffer(World* w, PJRT_Buffer* buffer) {
  NEW(Buffer_Destroy, args);
  args.buffer = buffer;
  RUN(w, Buffer_Destroy, args);
}

// Sends what `args` describes and keeps the buffer.
static inline PJRT_Buffer* from_host(World* w, PJRT_Client_BufferFromHostBuffer_Args* args) {
  drop(w, w->api->PJRT_Client_BufferFromHostBuffer(args));
  if (args->done_with_host_buffer != NULL) destroy_event(w, args->done_with_host_buffer);
  return args->buffer;
}

static inline PJRT_Buffer* new_buffer(World* w) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  return from_host(w, &args);
}

static inline PJRT_Event* new_event(World* w) {
  NEW(Event_Create, args);
  RUN(w, Event_Create, args);
  return args.event;
}

static inline void set_event(World* w, PJRT_Event* event) {
  NEW(Event_Set, args);
  args.event = event;
  RUN(w, Event_Set, args);
}

static inline void destroy_loaded(World* w, PJRT_LoadedExecutable* executable) {
  NEW(LoadedExecutable_Destroy, args);
  args.executable = executable;
  RUN(w, LoadedExecutable_Destroy, args);
}

static inline void destroy_client(World* w, PJRT_Client* client) {
  NEW(Client_Destroy, args);
  args.client = client;
  RUN(w, Client_Destroy, args);
}

// The client and what is left of its things; the other client stays.
static inline void destroy_main_world(World* w) {
  if (w->buffer != NULL) destroy_buffer(w, w->buffer);
  if (w->executable != NULL) destroy_loaded(w, w->executable);
  if (w->donating != NULL) destroy_loaded(w, w->donating);
  if (w->donating_first != NULL) destroy_loaded(w, w->donating_first);
  if (w->client != NULL) destroy_client(w, w->client);
  w->buffer = NULL;
  w->executable = w->donating = w->donating_first = NULL;
  w->client = NULL;
}

static inline void delete_buffer(World* w, PJRT_Buffer* buffer) {
  NEW(Buffer_Delete, args);
  args.buffer = buffer;
  RUN(w, Buffer_Delete, args);
}

// One execution on one device, whose parts can be changed before it runs.
typedef struct Execution {
  PJRT_ExecuteOptions options;
  PJRT_Buffer* arguments[2];
  PJRT_Buffer* const* argument_lists[1];
  PJRT_Buffer* outputs[1];
  PJRT_Buffer** output_lists[1];
  PJRT_LoadedExecutable_Execute_Args args;
} Execution;

static inline void fill_execution(Execution* e, PJRT_LoadedExecutable* executable,
                                  PJRT_Buffer* argument) {
  memset(e, 0, sizeof(*e));
  e->options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  e->arguments[0] = argument;
  e->argument_lists[0] = e->arguments;
  e->output_lists[0] = e->outputs;
  e->args.struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE;
  e->args.executable = executable;
  e->args.options = &e->options;
  e->args.argument_lists = e->argument_lists;
  e->args.num_devices = 1;
  e->args.num_args = 1;
  e->args.output_lists = e->output_lists;
}

static inline void run_execution(World* w, Execution* e) {
  drop(w, w->api->PJRT_LoadedExecutable_Execute(&e->args));
  if (e->outputs[0] != NULL) destroy_buffer(w, e->outputs[0]);
}

static inline void execute(World* w, PJRT_LoadedExecutable* executable, PJRT_Buffer* argument) {
  Execution e;
  fill_execution(&e, executable, argument);
  run_execution(w, &e);
}

static inline PJRT_Executable* new_executable(World* w) {
  NEW(LoadedExecutable_GetExecutable, args);
  args.loaded_executable = w->executable;
  RUN(w, LoadedExecutable_GetExecutable, args);
  return args.executable;
}

static inline void destroy_executable(World* w, PJRT_Executable* executable) {
  NEW(Executable_Destroy, args);
  args.executable = executable;
  RUN(w, Executable_Destroy, args);
}

// An error that the caller has to free.
static inline PJRT_Error* new_error(World* w) {
  NEW(Client_LookupDevice, args);
  args.client = w->client;
  args.id = 123456;
  return w->api->PJRT_Client_LookupDevice(&args);
}

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_MISUSE_CALLS_H_
