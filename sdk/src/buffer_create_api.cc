// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "sdk/src/alias_link.h"
#include "sdk/src/buffer_access.h"
#include "sdk/src/entry.h"
#include "sdk/src/hand_out.h"
#include "sdk/src/wire.h"

// The functions of a client that make buffers.

namespace plinth::sdk::internal {
namespace {

// The strides of the host's array: given or dense.
Status ReadHostStrides(const PJRT_Client_BufferFromHostBuffer_Args& args,
                       HostBufferRequest& request, std::span<int64_t> storage) {
  const int64_t element_size = ByteSize(request.dtype);
  if (args.num_byte_strides == 0) {
    DenseByteStrides(request.dims, element_size, {}, storage);
    request.byte_strides = storage;
    return {};
  }
  if (args.num_byte_strides != request.dims.size()) {
    return Invalid(args, args.num_byte_strides, " byte strides for an array of ",
                   request.dims.size(), " dimensions");
  }
  request.byte_strides = {args.byte_strides, args.num_byte_strides};
  request.is_dense = AreDense(request.dims, request.byte_strides, element_size);
  return {};
}

}  // namespace

Status Call(PJRT_Client_BufferFromHostBuffer_Args& args) {
  static constexpr char kFunction[] = "PJRT_Client_BufferFromHostBuffer";
  PLINTH_HANDLE(core, args, client);
  HostBufferRequest request;
  PLINTH_ASSIGN_OR_RETURN(request.dtype, ReadDType(kFunction, args.type));
  PLINTH_ASSIGN_OR_RETURN(request.dims, ReadDims(kFunction, args.dims, args.num_dims));
  Expected<int64_t> size = DenseSizeInBytes(request.dtype, request.dims);
  if (!size.ok()) return Invalid(args, size.status().message());
  request.size = *size;
  request.data = args.data;
  if (request.size != 0) PLINTH_NOT_NULL(args, data);
  int64_t strides[kMaxRank];
  PLINTH_RETURN_IF_ERROR(ReadHostStrides(args, request, {strides, request.dims.size()}));
  request.semantics = static_cast<HostBufferSemantics>(args.host_buffer_semantics);
  PLINTH_ASSIGN_OR_RETURN(Place place, ReadPlace(kFunction, *core, args.memory, args.device));
  request.memory = place.memory;
  request.device = place.device;
  PLINTH_ASSIGN_OR_RETURN(request.layout,
                          ReadLayout(kFunction, args.device_layout, request.dtype, request.dims));

  PLINTH_ASSIGN_OR_RETURN(HostBufferResult result, core->client->BufferFromHostBuffer(request));
  auto done = std::make_unique<PJRT_Event>(std::move(result.done_with_host_buffer));
  PLINTH_ASSIGN_OR_RETURN(args.buffer, HandOut(*core, std::move(result.buffer)));
  args.done_with_host_buffer = done.release();
  return {};
}

Status Call(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  static constexpr char kFunction[] = "PJRT_Client_CreateUninitializedBuffer";
  PLINTH_HANDLE(core, args, client);
  PLINTH_ASSIGN_OR_RETURN(Shape shape,
                          ReadShape(kFunction, args.shape_element_type, args.shape_dims,
                                    args.shape_num_dims, args.shape_layout));
  PLINTH_ASSIGN_OR_RETURN(Place place, ReadPlace(kFunction, *core, args.memory, args.device));
  PLINTH_ASSIGN_OR_RETURN(args.buffer, HandOut(*core, core->client->CreateUninitializedBuffer(
                                                          shape, place.memory, place.device)));
  return {};
}

Status Call(PJRT_Client_CreateErrorBuffer_Args& args) {
  static constexpr char kFunction[] = "PJRT_Client_CreateErrorBuffer";
  using Args = PJRT_Client_CreateErrorBuffer_Args;
  PLINTH_HANDLE(core, args, client);
  PLINTH_ASSIGN_OR_RETURN(Shape shape,
                          ReadShape(kFunction, args.shape_element_type, args.shape_dims,
                                    args.shape_num_dims, args.shape_layout));
  PLINTH_ASSIGN_OR_RETURN(Place place, ReadPlace(kFunction, *core, args.memory, nullptr));
  Status error;
  PLINTH_RETURN_IF_ERROR(ReadError(kFunction, args.error_code, args.error_message,
                                   args.error_message_size, GetField(args, &Args::payload, nullptr),
                                   GetField(args, &Args::num_payload, 0), error));
  PLINTH_ASSIGN_OR_RETURN(
      args.buffer, HandOut(*core, core->client->CreateErrorBuffer(error, shape, place.memory)));
  return {};
}

Status Call(PJRT_Client_CreateAliasBuffer_Args& args) {
  static constexpr char kFunction[] = "PJRT_Client_CreateAliasBuffer";
  PLINTH_HANDLE(core, args, client);
  PLINTH_ASSIGN_OR_RETURN(Shape shape,
                          ReadShape(kFunction, args.shape_element_type, args.shape_dims,
                                    args.shape_num_dims, args.shape_layout));
  PLINTH_ASSIGN_OR_RETURN(Place place, ReadPlace(kFunction, *core, args.memory, nullptr));
  PLINTH_ASSIGN_OR_RETURN(AliasBuffer alias, core->client->CreateAliasBuffer(shape, place.memory));
  auto fulfill = std::make_unique<PJRT_FulfillAliasBufferCallback>();
  fulfill->fulfill = std::move(alias.fulfill);
  fulfill->link = std::make_shared<AliasLink>();
  if (alias.buffer != nullptr) BufferAccess::Alias(*alias.buffer) = fulfill->link;
  PLINTH_ASSIGN_OR_RETURN(args.alias_buffer, HandOut(*core, std::move(alias.buffer)));
  args.fulfill_alias_buffer_cb = fulfill.release();
  return {};
}

Status Call(PJRT_Client_FulfillAliasBuffer_Args& args) {
  PLINTH_HANDLE(core, args, client);
  PLINTH_HANDLE(callback, args, fulfill_alias_buffer_cb);
  Status status =
      StatusFromParts(RawEnum(args.status_code), args.error_message, args.error_message_size);
  Expected<Buffer*> contents(nullptr);
  bool is_circle = false;
  if (status.ok()) {
    PLINTH_CHECKED_HANDLE(buffer, args, buffer);
    if (buffer->core != core) return Invalid(args, "buffer belongs to another client");
    contents = buffer;
    std::lock_guard lock(core->alias_mutex);
    is_circle = !callback->link->SetSource(BufferAccess::Alias(*buffer));
    if (is_circle) {
      contents = Invalid(args, "buffer waits for the alias buffer that it is to fulfill");
    }
  } else {
    contents = std::move(status);
  }
  // The callback is used up, whatever the plugin answers.
  std::unique_ptr<PJRT_FulfillAliasBufferCallback> once(callback);
  if (once->fulfill == nullptr) return Internal("the plugin gave no way to fulfill the buffer");
  if (is_circle) {
    // Whoever waits for the buffer learns it too.
    status = contents.status();
    PLINTH_RETURN_IF_ERROR(once->fulfill(std::move(contents)));
    return status;
  }
  return once->fulfill(std::move(contents));
}

namespace {

// Tells the owner of foreign memory, exactly once, that it is no longer used.
struct ForeignMemory {
  void (*on_delete)(void*, void*);
  void* address;
  void* argument;
  // Set when the view exists: a view that could not be made does not end the owner's memory.
  std::atomic<bool> is_armed{false};

  ~ForeignMemory() {
    if (is_armed.load(std::memory_order_acquire)) on_delete(address, argument);
  }
};

}  // namespace

Status Call(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  static constexpr char kFunction[] = "PJRT_Client_CreateViewOfDeviceBuffer";
  using Args = PJRT_Client_CreateViewOfDeviceBuffer_Args;
  PLINTH_HANDLE(core, args, client);
  ViewRequest request;
  PLINTH_ASSIGN_OR_RETURN(request.shape, ReadShape(kFunction, args.element_type, args.dims,
                                                   args.num_dims, args.layout));
  PLINTH_ASSIGN_OR_RETURN(int64_t size, DenseSizeInBytes(request.shape.dtype, request.shape.dims));
  if (size != 0) PLINTH_NOT_NULL(args, device_buffer_ptr);
  PLINTH_ASSIGN_OR_RETURN(
      Place place,
      ReadPlace(kFunction, *core, GetField(args, &Args::memory, nullptr), args.device));
  request.data = args.device_buffer_ptr;
  request.memory = place.memory;
  request.device = place.device;
  request.stream = args.stream;
  std::shared_ptr<ForeignMemory> owner;
  if (args.on_delete_callback != nullptr) {
    owner = std::make_shared<ForeignMemory>();
    owner->on_delete = args.on_delete_callback;
    owner->address = args.device_buffer_ptr;
    owner->argument = args.on_delete_callback_arg;
    request.owner = owner;
  }
  PLINTH_ASSIGN_OR_RETURN(args.buffer,
                          HandOut(*core, core->client->CreateViewOfDeviceBuffer(request)));
  if (owner != nullptr) owner->is_armed.store(true, std::memory_order_release);
  return {};
}

}  // namespace plinth::sdk::internal
