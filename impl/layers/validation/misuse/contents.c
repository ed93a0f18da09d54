// SPDX-License-Identifier: Apache-2.0
// Contents that are gone or too small, executions that cannot be, transfers beyond their buffer.

#include "impl/layers/validation/misuse/programs.h"

void deleted_buffer_executed(World* w) {
  delete_buffer(w, w->buffer);
  execute(w, w->executable, w->buffer);
}

static void copy_to_memory(World* w) {
  NEW(Buffer_CopyToMemory, args);
  args.buffer = w->buffer;
  args.dst_memory = w->memory;
  RUN(w, Buffer_CopyToMemory, args);
}

void deleted_buffer_copied(World* w) {
  delete_buffer(w, w->buffer);
  copy_to_memory(w);
}

static void to_host(World* w, size_t size) {
  float data[4];
  NEW(Buffer_ToHostBuffer, args);
  args.src = w->buffer;
  args.dst = data;
  args.dst_size = size;
  RUN(w, Buffer_ToHostBuffer, args);
}

void deleted_buffer_to_host(World* w) {
  delete_buffer(w, w->buffer);
  to_host(w, 16);
}

void deleted_buffer_pointer(World* w) {
  delete_buffer(w, w->buffer);
  NEW(Buffer_UnsafePointer, args);
  args.buffer = w->buffer;
  RUN(w, Buffer_UnsafePointer, args);
}

void deleted_buffer_referenced(World* w) {
  delete_buffer(w, w->buffer);
  NEW(Buffer_IncreaseExternalReferenceCount, args);
  args.buffer = w->buffer;
  RUN(w, Buffer_IncreaseExternalReferenceCount, args);
}

void donated_buffer_executed(World* w) {
  execute(w, w->donating, w->buffer);
  execute(w, w->executable, w->buffer);
}

void donated_buffer_executed_twice(World* w) {
  PJRT_Buffer* first = new_buffer(w);
  execute(w, w->donating, first);
  destroy_buffer(w, first);
  execute(w, w->donating, w->buffer);
  execute(w, w->donating, w->buffer);
}

void donated_buffer_twice(World* w) {
  Execution e;
  fill_execution(&e, w->donating_first, w->buffer);
  e.arguments[1] = w->buffer;
  e.args.num_args = 2;
  run_execution(w, &e);
}

void donated_buffer_copied(World* w) {
  execute(w, w->donating, w->buffer);
  copy_to_memory(w);
}

void donated_buffer_to_host(World* w) {
  execute(w, w->donating, w->buffer);
  to_host(w, 16);
}

void reference_not_held(World* w) {
  NEW(Buffer_IncreaseExternalReferenceCount, increase);
  increase.buffer = w->buffer;
  RUN(w, Buffer_IncreaseExternalReferenceCount, increase);
  NEW(Buffer_DecreaseExternalReferenceCount, decrease);
  decrease.buffer = w->buffer;
  RUN(w, Buffer_DecreaseExternalReferenceCount, decrease);
  RUN(w, Buffer_DecreaseExternalReferenceCount, decrease);
}

void host_buffer_too_small(World* w) { to_host(w, 15); }

static void raw_copy(World* w, int64_t offset, int64_t size) {
  char data[64];
  NEW(Buffer_CopyRawToHost, args);
  args.buffer = w->buffer;
  args.dst = data;
  args.offset = offset;
  args.transfer_size = size;
  RUN(w, Buffer_CopyRawToHost, args);
}

void raw_copy_beyond_end(World* w) { raw_copy(w, 8, 9); }

void raw_copy_of_negative_size(World* w) { raw_copy(w, 0, -1); }

void raw_copy_to_null(World* w) {
  NEW(Buffer_CopyRawToHost, args);
  args.buffer = w->buffer;
  args.transfer_size = 16;
  RUN(w, Buffer_CopyRawToHost, args);
}

void bitcast_to_other_size(World* w) {
  NEW(Buffer_Bitcast, args);
  args.buffer = w->buffer;
  args.element_type = PJRT_Buffer_Type_F64;
  args.dims = kFour;
  args.num_dims = 1;
  if (w->api->PJRT_Buffer_Bitcast != NULL) RUN(w, Buffer_Bitcast, args);
}

void alias_fulfilled_twice(World* w) {
  NEW(Client_CreateAliasBuffer, create);
  create.client = w->client;
  create.memory = w->memory;
  create.shape_dims = kFour;
  create.shape_num_dims = 1;
  create.shape_element_type = PJRT_Buffer_Type_F32;
  RUN(w, Client_CreateAliasBuffer, create);
  NEW(Client_FulfillAliasBuffer, fulfill);
  fulfill.client = w->client;
  fulfill.buffer = w->buffer;
  fulfill.fulfill_alias_buffer_cb = create.fulfill_alias_buffer_cb;
  RUN(w, Client_FulfillAliasBuffer, fulfill);
  RUN(w, Client_FulfillAliasBuffer, fulfill);
  destroy_buffer(w, create.alias_buffer);
}

void execute_without_options(World* w) {
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.args.options = NULL;
  run_execution(w, &e);
}

void execute_options_small(World* w) {
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.options.struct_size = 12;
  run_execution(w, &e);
}

void execute_without_argument_lists(World* w) {
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.args.argument_lists = NULL;
  run_execution(w, &e);
}

void execute_argument_list_null(World* w) {
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.argument_lists[0] = NULL;
  run_execution(w, &e);
}

void execute_argument_null(World* w) { execute(w, w->executable, NULL); }

void execute_without_output_lists(World* w) {
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.args.output_lists = NULL;
  run_execution(w, &e);
}

void execute_output_list_null(World* w) {
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.output_lists[0] = NULL;
  run_execution(w, &e);
}

void execute_on_no_device(World* w) {
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.args.num_devices = 0;
  run_execution(w, &e);
}

void execute_indices_null(World* w) {
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.options.num_non_donatable_input_indices = 2;
  run_execution(w, &e);
}

void execute_tasks_null(World* w) {
  static int64_t lives[1] = {1};
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.options.num_tasks = 1;
  e.options.incarnation_ids = lives;
  run_execution(w, &e);
}

static PJRT_AsyncHostToDeviceTransferManager* new_manager(World* w) {
  PJRT_ShapeSpec spec;
  memset(&spec, 0, sizeof(spec));
  spec.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
  spec.dims = kFour;
  spec.num_dims = 1;
  spec.element_type = PJRT_Buffer_Type_F32;
  NEW(Client_CreateBuffersForAsyncHostToDevice, args);
  args.client = w->client;
  args.shape_specs = &spec;
  args.num_shape_specs = 1;
  args.memory = w->memory;
  RUN(w, Client_CreateBuffersForAsyncHostToDevice, args);
  return args.transfer_manager;
}

static void destroy_manager(World* w, PJRT_AsyncHostToDeviceTransferManager* manager) {
  NEW(AsyncHostToDeviceTransferManager_Destroy, args);
  args.transfer_manager = manager;
  RUN(w, AsyncHostToDeviceTransferManager_Destroy, args);
}

void manager_after_destroy(World* w) {
  PJRT_AsyncHostToDeviceTransferManager* manager = new_manager(w);
  destroy_manager(w, manager);
  NEW(AsyncHostToDeviceTransferManager_BufferCount, args);
  args.transfer_manager = manager;
  RUN(w, AsyncHostToDeviceTransferManager_BufferCount, args);
}

void manager_index_out_of_range(World* w) {
  PJRT_AsyncHostToDeviceTransferManager* manager = new_manager(w);
  NEW(AsyncHostToDeviceTransferManager_RetrieveBuffer, args);
  args.transfer_manager = manager;
  args.buffer_index = 1;
  RUN(w, AsyncHostToDeviceTransferManager_RetrieveBuffer, args);
  destroy_manager(w, manager);
}

void manager_size_out_of_range(World* w) {
  PJRT_AsyncHostToDeviceTransferManager* manager = new_manager(w);
  NEW(AsyncHostToDeviceTransferManager_BufferSize, args);
  args.transfer_manager = manager;
  args.buffer_index = 1;
  RUN(w, AsyncHostToDeviceTransferManager_BufferSize, args);
  destroy_manager(w, manager);
}

void manager_error_index_negative(World* w) {
  PJRT_AsyncHostToDeviceTransferManager* manager = new_manager(w);
  NEW(AsyncHostToDeviceTransferManager_SetBufferError, args);
  args.transfer_manager = manager;
  args.buffer_index = -1;
  args.error_code = PJRT_Error_Code_INTERNAL;
  RUN(w, AsyncHostToDeviceTransferManager_SetBufferError, args);
  destroy_manager(w, manager);
}

static void transfer(World* w, const void* data, int64_t offset, int64_t size) {
  PJRT_AsyncHostToDeviceTransferManager* manager = new_manager(w);
  NEW(AsyncHostToDeviceTransferManager_TransferData, args);
  args.transfer_manager = manager;
  args.data = data;
  args.offset = offset;
  args.transfer_size = size;
  RUN(w, AsyncHostToDeviceTransferManager_TransferData, args);
  destroy_manager(w, manager);
}

void transfer_beyond_end(World* w) {
  static const float data[8] = {0};
  transfer(w, data, 4, 16);
}

void transfer_from_null(World* w) { transfer(w, NULL, 0, 16); }

void shapes_null(World* w) {
  NEW(Client_CreateBuffersForAsyncHostToDevice, args);
  args.client = w->client;
  args.num_shape_specs = 2;
  args.memory = w->memory;
  RUN(w, Client_CreateBuffersForAsyncHostToDevice, args);
}

void execute_too_many_arguments(World* w) {
  PJRT_Buffer* two[2] = {w->buffer, w->buffer};
  Execution e;
  fill_execution(&e, w->executable, w->buffer);
  e.argument_lists[0] = two;
  e.args.num_args = 2;
  run_execution(w, &e);
}

static void execute_array(World* w, PJRT_Buffer_Type type, const int64_t* dims, size_t rank) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.type = type;
  args.dims = dims;
  args.num_dims = rank;
  PJRT_Buffer* buffer = from_host(w, &args);
  execute(w, w->executable, buffer);
  destroy_buffer(w, buffer);
}

void execute_other_type(World* w) { execute_array(w, PJRT_Buffer_Type_S32, kFour, 1); }

void execute_other_shape(World* w) {
  static const int64_t two_by_two[2] = {2, 2};
  execute_array(w, PJRT_Buffer_Type_F32, two_by_two, 2);
}

static void copy_raw_later(World* w, int times) {
  static float data[4];
  NEW(Buffer_CopyRawToHostFuture, args);
  args.buffer = w->buffer;
  args.transfer_size = 16;
  RUN(w, Buffer_CopyRawToHostFuture, args);
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args ready;
  memset(&ready, 0, sizeof(ready));
  ready.struct_size = PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE;
  ready.callback_data = args.callback_data;
  ready.dst = data;
  for (int i = 0; i < times; ++i) args.future_ready_callback(&ready);
  if (times > 0) {
    NEW(Event_Await, wait);
    wait.event = args.event;
    RUN(w, Event_Await, wait);
  }
  destroy_event(w, args.event);
}

void raw_future_called_twice(World* w) { copy_raw_later(w, 2); }

void raw_future_never_called(World* w) {
  copy_raw_later(w, 0);
  destroy_main_world(w);
}
