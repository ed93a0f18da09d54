// SPDX-License-Identifier: Apache-2.0
// Handles after their end, of another kind, of another client, and what is never freed.

#include "impl/layers/validation/misuse/programs.h"

static void ask_type(World* w, PJRT_Buffer* buffer) {
  NEW(Buffer_ElementType, args);
  args.buffer = buffer;
  RUN(w, Buffer_ElementType, args);
}

void buffer_after_destroy(World* w) {
  PJRT_Buffer* buffer = new_buffer(w);
  destroy_buffer(w, buffer);
  ask_type(w, buffer);
}

void buffer_destroyed_twice(World* w) {
  PJRT_Buffer* buffer = new_buffer(w);
  destroy_buffer(w, buffer);
  destroy_buffer(w, buffer);
}

void buffer_executed_after_destroy(World* w) {
  PJRT_Buffer* buffer = new_buffer(w);
  destroy_buffer(w, buffer);
  execute(w, w->executable, buffer);
}

void event_after_destroy(World* w) {
  PJRT_Event* event = new_event(w);
  destroy_event(w, event);
  NEW(Event_IsReady, args);
  args.event = event;
  RUN(w, Event_IsReady, args);
}

void event_destroyed_twice(World* w) {
  PJRT_Event* event = new_event(w);
  destroy_event(w, event);
  destroy_event(w, event);
}

void event_error_before_ready(World* w) {
  PJRT_Event* event = new_event(w);
  NEW(Event_Error, args);
  args.event = event;
  RUN(w, Event_Error, args);
  destroy_event(w, event);
}

void event_set_twice(World* w) {
  PJRT_Event* event = new_event(w);
  set_event(w, event);
  set_event(w, event);
  destroy_event(w, event);
}

void event_set_foreign(World* w) {
  NEW(Buffer_ReadyEvent, args);
  args.buffer = w->buffer;
  RUN(w, Buffer_ReadyEvent, args);
  set_event(w, args.event);
  destroy_event(w, args.event);
}

void event_set_to_no_code(World* w) {
  PJRT_Event* event = new_event(w);
  NEW(Event_Set, args);
  args.event = event;
  memset(&args.error_code, 0x40, sizeof(args.error_code));
  RUN(w, Event_Set, args);
  destroy_event(w, event);
}

void executable_after_destroy(World* w) {
  PJRT_Executable* executable = new_executable(w);
  destroy_executable(w, executable);
  NEW(Executable_NumOutputs, args);
  args.executable = executable;
  RUN(w, Executable_NumOutputs, args);
}

void executable_destroyed_twice(World* w) {
  PJRT_Executable* executable = new_executable(w);
  destroy_executable(w, executable);
  destroy_executable(w, executable);
}

void loaded_executable_after_destroy(World* w) {
  destroy_loaded(w, w->executable);
  execute(w, w->executable, w->buffer);
  w->executable = NULL;
}

void loaded_executable_after_delete(World* w) {
  NEW(LoadedExecutable_Delete, args);
  args.executable = w->executable;
  RUN(w, LoadedExecutable_Delete, args);
  execute(w, w->executable, w->buffer);
}

void context_destroyed_twice(World* w) {
  NEW(ExecuteContext_Create, create);
  RUN(w, ExecuteContext_Create, create);
  NEW(ExecuteContext_Destroy, destroy);
  destroy.context = create.context;
  RUN(w, ExecuteContext_Destroy, destroy);
  RUN(w, ExecuteContext_Destroy, destroy);
}

void context_executed_after_destroy(World* w) {
  NEW(ExecuteContext_Create, create);
  RUN(w, ExecuteContext_Create, create);
  NEW(ExecuteContext_Destroy, destroy);
  destroy.context = create.context;
  RUN(w, ExecuteContext_Destroy, destroy);
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.options.context = create.context;
  run_execution(w, &e);
}

void buffer_for_event(World* w) {
  NEW(Event_IsReady, args);
  args.event = (PJRT_Event*)w->buffer;
  RUN(w, Event_IsReady, args);
}

void loaded_executable_for_executable(World* w) {
  NEW(Executable_Name, args);
  args.executable = (PJRT_Executable*)w->executable;
  RUN(w, Executable_Name, args);
}

void client_for_error(World* w) {
  NEW(Error_Destroy, args);
  args.error = (PJRT_Error*)w->client;
  w->api->PJRT_Error_Destroy(&args);
}

void stack_for_buffer(World* w) {
  int64_t nothing[64] = {0};
  ask_type(w, (PJRT_Buffer*)nothing);
}

void device_of_other_client(World* w) {
  NEW(Buffer_CopyToDevice, args);
  args.buffer = w->buffer;
  args.dst_device = w->other_device;
  RUN(w, Buffer_CopyToDevice, args);
}

void memory_of_other_client(World* w) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.memory = w->other_memory;
  RUN(w, Client_BufferFromHostBuffer, args);
}

void argument_of_other_client(World* w) { execute(w, w->executable, w->other_buffer); }

void topology_of_client_destroyed(World* w) {
  NEW(Client_TopologyDescription, get);
  get.client = w->client;
  RUN(w, Client_TopologyDescription, get);
  NEW(TopologyDescription_Destroy, args);
  args.topology = get.topology;
  RUN(w, TopologyDescription_Destroy, args);
}

static void destroy_other_client(World* w) { destroy_client(w, w->other_client); }

static void destroy_other_world(World* w) {
  destroy_buffer(w, w->other_buffer);
  w->other_buffer = NULL;
  destroy_other_client(w);
}

void client_destroyed_twice(World* w) {
  destroy_other_world(w);
  destroy_other_client(w);
  w->other_client = NULL;
}

void client_after_destroy(World* w) {
  destroy_other_world(w);
  NEW(Client_ProcessIndex, args);
  args.client = w->other_client;
  RUN(w, Client_ProcessIndex, args);
  w->other_client = NULL;
}

void device_after_client(World* w) {
  destroy_other_world(w);
  w->other_client = NULL;
  NEW(Device_IsAddressable, args);
  args.device = w->other_device;
  RUN(w, Device_IsAddressable, args);
}

void memory_after_client(World* w) {
  destroy_other_world(w);
  w->other_client = NULL;
  NEW(Memory_Id, args);
  args.memory = w->other_memory;
  RUN(w, Memory_Id, args);
}

void buffer_left_to_client(World* w) {
  destroy_other_client(w);
  w->other_client = NULL;
  w->other_buffer = NULL;
}

void buffer_after_client(World* w) {
  destroy_other_client(w);
  w->other_client = NULL;
  ask_type(w, w->other_buffer);
  w->other_buffer = NULL;
}

void many_things_left(World* w) {
  PJRT_Client* client = w->client;
  PJRT_Device* device = w->device;
  w->client = w->other_client;
  w->device = w->other_device;
  for (int i = 0; i < 4; ++i) new_buffer(w);
  NEW(Buffer_ReadyEvent, ready);
  ready.buffer = w->other_buffer;
  RUN(w, Buffer_ReadyEvent, ready);
  w->client = client;
  w->device = device;
  destroy_other_client(w);
  w->other_client = NULL;
  w->other_buffer = NULL;
}

void error_destroyed_twice(World* w) {
  PJRT_Error* error = new_error(w);
  drop(w, error);
  drop(w, error);
}

void error_after_destroy(World* w) {
  PJRT_Error* error = new_error(w);
  drop(w, error);
  NEW(Error_Message, args);
  args.error = error;
  w->api->PJRT_Error_Message(&args);
}

void error_left(World* w) {
  new_error(w);
  destroy_other_world(w);
  w->other_client = NULL;
  destroy_main_world(w);
}

void not_initialized(World* w) {
  NEW(Client_Create, args);
  RUN(w, Client_Create, args);
  if (args.client != NULL) destroy_client(w, args.client);
}
