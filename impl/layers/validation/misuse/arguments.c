// SPDX-License-Identifier: Apache-2.0
// Wrong arguments: sizes, nulls, enum values, lists, nested structs.

#include "impl/layers/validation/misuse/programs.h"

void args_null(World* w) { drop(w, w->api->PJRT_Buffer_Dimensions(NULL)); }

void args_null_of_void_function(World* w) { w->api->PJRT_Error_Destroy(NULL); }

void struct_size_zero(World* w) {
  NEW(Client_PlatformName, args);
  args.struct_size = 0;
  args.client = w->client;
  RUN(w, Client_PlatformName, args);
}

void struct_size_small(World* w) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.struct_size = 40;
  RUN(w, Client_BufferFromHostBuffer, args);
}

void struct_size_absurd(World* w) {
  NEW(Buffer_IsDeleted, args);
  args.struct_size = (size_t)0xdeadbeef;
  args.buffer = w->buffer;
  RUN(w, Buffer_IsDeleted, args);
}

static void with_chain(World* w, PJRT_Extension_Base* chain) {
  NEW(Buffer_IsDeleted, args);
  args.extension_start = chain;
  args.buffer = w->buffer;
  RUN(w, Buffer_IsDeleted, args);
}

void chain_without_end(World* w) {
  PJRT_Extension_Base node = {sizeof(node), PJRT_Extension_Type_Unknown, &node};
  with_chain(w, &node);
}

void chain_node_short(World* w) {
  PJRT_Extension_Base node = {8, PJRT_Extension_Type_Unknown, NULL};
  with_chain(w, &node);
}

void chain_not_aligned(World* w) { with_chain(w, (PJRT_Extension_Base*)(uintptr_t)0x1003); }

void null_client(World* w) {
  NEW(Client_Devices, args);
  RUN(w, Client_Devices, args);
}

void null_buffer(World* w) {
  NEW(Buffer_ElementType, args);
  RUN(w, Buffer_ElementType, args);
}

void null_event(World* w) {
  NEW(Event_IsReady, args);
  RUN(w, Event_IsReady, args);
}

void null_executable(World* w) {
  NEW(Executable_Name, args);
  RUN(w, Executable_Name, args);
}

void null_loaded_executable(World* w) {
  NEW(LoadedExecutable_Delete, args);
  RUN(w, LoadedExecutable_Delete, args);
}

void null_device(World* w) {
  NEW(Device_DefaultMemory, args);
  RUN(w, Device_DefaultMemory, args);
}

void null_device_description(World* w) {
  NEW(DeviceDescription_Id, args);
  RUN(w, DeviceDescription_Id, args);
}

void null_memory(World* w) {
  NEW(Memory_Kind, args);
  RUN(w, Memory_Kind, args);
}

void null_second_handle(World* w) {
  NEW(Buffer_CopyToMemory, args);
  args.buffer = w->buffer;
  RUN(w, Buffer_CopyToMemory, args);
}

void null_topology(World* w) {
  NEW(TopologyDescription_PlatformName, args);
  RUN(w, TopologyDescription_PlatformName, args);
}

void null_transfer_manager(World* w) {
  NEW(AsyncHostToDeviceTransferManager_BufferCount, args);
  RUN(w, AsyncHostToDeviceTransferManager_BufferCount, args);
}

void null_error(World* w) {
  NEW(Error_GetCode, args);
  RUN(w, Error_GetCode, args);
}

void null_callback(World* w) {
  PJRT_Event* event = new_event(w);
  NEW(Event_OnReady, args);
  args.event = event;
  RUN(w, Event_OnReady, args);
  set_event(w, event);
  destroy_event(w, event);
}

static void compile(World* w, PJRT_Program* program, const char* options, size_t size) {
  NEW(Client_Compile, args);
  args.client = w->client;
  args.program = program;
  args.compile_options = options;
  args.compile_options_size = size;
  RUN(w, Client_Compile, args);
}

static PJRT_Program program(void) {
  PJRT_Program p;
  memset(&p, 0, sizeof(p));
  p.struct_size = PJRT_Program_STRUCT_SIZE;
  p.code = (char*)"module {}";
  p.code_size = 9;
  p.format = "mlir";
  p.format_size = 4;
  return p;
}

void program_null(World* w) { compile(w, NULL, "", 0); }

void program_without_code(World* w) {
  PJRT_Program p = program();
  p.code = NULL;
  compile(w, &p, "", 0);
}

void program_without_format(World* w) {
  PJRT_Program p = program();
  p.format = NULL;
  compile(w, &p, "", 0);
}

void program_small(World* w) {
  PJRT_Program p = program();
  p.struct_size = 24;
  compile(w, &p, "", 0);
}

void program_size_absurd(World* w) {
  PJRT_Program p = program();
  p.struct_size = (size_t)-1;
  compile(w, &p, "", 0);
}

void compile_options_null(World* w) {
  PJRT_Program p = program();
  compile(w, &p, NULL, 10);
}

void option_without_value(World* w) {
  PJRT_NamedValue option;
  memset(&option, 0, sizeof(option));
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = "devices";
  option.name_size = 7;
  option.type = PJRT_NamedValue_kString;
  option.value_size = 5;
  NEW(Client_Create, args);
  args.create_options = &option;
  args.num_options = 1;
  RUN(w, Client_Create, args);
}

void option_of_no_type(World* w) {
  PJRT_NamedValue option;
  memset(&option, 0, sizeof(option));
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = "devices";
  option.name_size = 7;
  memset(&option.type, 0x11, sizeof(option.type));
  NEW(Client_Create, args);
  args.create_options = &option;
  args.num_options = 1;
  RUN(w, Client_Create, args);
}

void options_null(World* w) {
  NEW(Client_Create, args);
  args.num_options = 3;
  RUN(w, Client_Create, args);
}

void assignment_too_small(World* w) {
  int devices[1];
  NEW(Client_DefaultDeviceAssignment, args);
  args.client = w->client;
  args.num_replicas = 2;
  args.num_partitions = 2;
  args.default_assignment = devices;
  args.default_assignment_size = 1;
  RUN(w, Client_DefaultDeviceAssignment, args);
}

void dims_null(World* w) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.dims = NULL;
  RUN(w, Client_BufferFromHostBuffer, args);
}

void dims_negative(World* w) {
  static const int64_t dims[2] = {3, -1};
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.dims = dims;
  args.num_dims = 2;
  RUN(w, Client_BufferFromHostBuffer, args);
}

void dims_overflow(World* w) {
  static const int64_t dims[3] = {INT64_MAX, 2, 5};
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.dims = dims;
  args.num_dims = 3;
  RUN(w, Client_BufferFromHostBuffer, args);
}

void strides_null(World* w) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.num_byte_strides = 1;
  RUN(w, Client_BufferFromHostBuffer, args);
}

void strides_of_other_rank(World* w) {
  static const int64_t strides[2] = {4, 4};
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.byte_strides = strides;
  args.num_byte_strides = 2;
  RUN(w, Client_BufferFromHostBuffer, args);
}

void data_null(World* w) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.data = NULL;
  RUN(w, Client_BufferFromHostBuffer, args);
}

void type_out_of_range(World* w) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  memset(&args.type, 0x7f, sizeof(args.type));
  RUN(w, Client_BufferFromHostBuffer, args);
}

void semantics_out_of_range(World* w) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  memset(&args.host_buffer_semantics, 0xff, sizeof(args.host_buffer_semantics));
  RUN(w, Client_BufferFromHostBuffer, args);
}

static void with_layout(World* w, PJRT_Buffer_MemoryLayout* layout) {
  PJRT_Client_BufferFromHostBuffer_Args args;
  fill_from_host(w, &args);
  args.device_layout = layout;
  RUN(w, Client_BufferFromHostBuffer, args);
}

static PJRT_Buffer_MemoryLayout tiled_layout(void) {
  static const int64_t order[1] = {0};
  PJRT_Buffer_MemoryLayout layout;
  memset(&layout, 0, sizeof(layout));
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = order;
  layout.tiled.minor_to_major_size = 1;
  return layout;
}

void layout_without_strides(World* w) {
  PJRT_Buffer_MemoryLayout layout = tiled_layout();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.struct_size = PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE;
  layout.strides.byte_strides = NULL;
  layout.strides.num_byte_strides = 1;
  with_layout(w, &layout);
}

void layout_of_no_type(World* w) {
  PJRT_Buffer_MemoryLayout layout = tiled_layout();
  memset(&layout.type, 0x01, sizeof(layout.type));
  with_layout(w, &layout);
}

void layout_without_tiles(World* w) {
  PJRT_Buffer_MemoryLayout layout = tiled_layout();
  layout.tiled.num_tiles = 1;
  with_layout(w, &layout);
}

void layout_without_order(World* w) {
  PJRT_Buffer_MemoryLayout layout = tiled_layout();
  layout.tiled.minor_to_major = NULL;
  with_layout(w, &layout);
}

void error_buffer_of_ok(World* w) {
  NEW(Client_CreateErrorBuffer, args);
  args.client = w->client;
  args.error_code = PJRT_Error_Code_OK;
  args.shape_dims = kFour;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  args.memory = w->memory;
  RUN(w, Client_CreateErrorBuffer, args);
}

void error_message_null(World* w) {
  NEW(Client_CreateErrorBuffer, args);
  args.client = w->client;
  args.error_code = PJRT_Error_Code_INTERNAL;
  args.error_message_size = 5;
  args.shape_dims = kFour;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  args.memory = w->memory;
  RUN(w, Client_CreateErrorBuffer, args);
}

void layouts_of_null(World* w) {
  PJRT_Extension_Base* node = w->api->extension_start;
  while (node != NULL && node->type != PJRT_Extension_Type_Layouts) node = node->next;
  if (node == NULL) return;
  NEW(Layouts_PJRT_Buffer_MemoryLayout, args);
  drop(w, ((PJRT_Layouts_Extension*)node)->PJRT_Layouts_PJRT_Buffer_MemoryLayout(&args));
}
