// SPDX-License-Identifier: Apache-2.0
#include "impl/client/src/calls.h"
#include "plinth/client/client.h"

// How a client makes buffers.
namespace plinth::client {

using internal::NullOutput;

namespace {

Expected<Buffer> Adopt(const Client& client, PJRT_Buffer* buffer, const char* function) {
  if (buffer == nullptr) return NullOutput(function, "its buffer");
  return Buffer(Handle<PJRT_Buffer>(client.api(), buffer, client.ref()));
}

bool IsZeroCopy(HostSemantics semantics) {
  return semantics == HostSemantics::kZeroCopy || semantics == HostSemantics::kMutableZeroCopy;
}

void RunOnDelete(void* /*device_pointer*/, void* user_arg) {
  const internal::CallbackMark mark;
  std::unique_ptr<std::function<void()>> run(static_cast<std::function<void()>*>(user_arg));
  if (*run) (*run)();
}

}  // namespace

Expected<Buffer> Client::BufferFromHost(const HostView& from, const Placement& to) const {
  return BufferFromHost(from, to, HostSemantics::kDuringCall, nullptr);
}

Expected<Buffer> Client::BufferFromHost(const HostView& from, const Placement& to,
                                        HostSemantics semantics, std::function<void()> done,
                                        const Layout* layout) const {
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, HostByteSize(from.type, from.dims));
  if (from.data == nullptr && bytes != 0) {
    return InvalidArgument("the host array ", ShapeToString(from.type, from.dims),
                           " has no data: null");
  }
  if (!from.byte_strides.empty() && from.byte_strides.size() != from.dims.size()) {
    return InvalidArgument(ShapeToString(from.type, from.dims), " needs ", from.dims.size(),
                           " strides, not ", from.byte_strides.size());
  }
  static const char kNoData = 0;
  LayoutArgument c_layout(layout);
  PJRT_Client_BufferFromHostBuffer_Args args = {};
  args.client = client_;
  args.data = from.data == nullptr ? &kNoData : from.data;
  args.type = ToC(from.type);
  args.dims = from.dims.data();
  args.num_dims = from.dims.size();
  args.byte_strides = from.byte_strides.empty() ? nullptr : from.byte_strides.data();
  args.num_byte_strides = from.byte_strides.size();
  args.host_buffer_semantics = static_cast<PJRT_HostBufferSemantics>(semantics);
  args.device = to.device;
  args.memory = to.memory;
  args.device_layout = c_layout.get();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  constexpr const char* kFunction = "PJRT_Client_BufferFromHostBuffer";
  const Event event(Handle<PJRT_Event>(api_, args.done_with_host_buffer, ref_));
  Expected<Buffer> buffer = Adopt(*this, args.buffer, kFunction);
  if (!done) return buffer;
  if (event.get() == nullptr) {
    if (!buffer.ok()) return buffer;
    // A buffer that may use the memory as long as it lives goes before the caller frees it.
    if (IsZeroCopy(semantics)) return NullOutput(kFunction, "its event");
    // Nothing says when the memory is free: not before the buffer is complete.
    PLINTH_RETURN_IF_ERROR(buffer->Await());
    done();
    return buffer;
  }
  Status status = buffer.status();
  if (status.ok()) {
    status = event.OnReady([done = std::move(done)](const Status&) { done(); });
  }
  if (status.ok()) return buffer;
  // After an error the caller frees the memory, so nothing may use it any more: first the buffer,
  // then what the event stands for.
  buffer = status;
  event.Await().ok();
  return status;
}

Expected<Buffer> Client::BufferFromHost(HostArray from, const Placement& to) const {
  auto array = std::make_shared<HostArray>(std::move(from));
  const HostView view = array->view();
  return BufferFromHost(view, to, HostSemantics::kZeroCopy, [array] {});
}

Expected<Buffer> Client::CreateUninitialized(const Shape& shape, const Placement& to) const {
  PJRT_Client_CreateUninitializedBuffer_Args args = {};
  args.client = client_;
  args.shape_dims = shape.dims.data();
  args.shape_num_dims = shape.dims.size();
  args.shape_element_type = ToC(shape.dtype);
  LayoutArgument layout(shape);
  args.shape_layout = layout.get();
  args.device = to.device;
  args.memory = to.memory;
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  return Adopt(*this, args.buffer, "PJRT_Client_CreateUninitializedBuffer");
}

Expected<Buffer> Client::CreateError(const Status& error, const Shape& shape,
                                     const Memory& to) const {
  if (error.ok()) return InvalidArgument("a buffer that carries an error needs one, not a success");
  PJRT_Client_CreateErrorBuffer_Args args = {};
  args.client = client_;
  args.error_code = static_cast<PJRT_Error_Code>(error.code());
  args.error_message = error.message().data();
  args.error_message_size = error.message().size();
  args.shape_dims = shape.dims.data();
  args.shape_num_dims = shape.dims.size();
  args.shape_element_type = ToC(shape.dtype);
  LayoutArgument layout(shape);
  args.shape_layout = layout.get();
  args.memory = to.get();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  return Adopt(*this, args.buffer, "PJRT_Client_CreateErrorBuffer");
}

Expected<Buffer> Client::CreateView(void* device_pointer, const Shape& shape, const Placement& to,
                                    std::function<void()> on_delete, intptr_t stream) const {
  auto callback = std::make_unique<std::function<void()>>(std::move(on_delete));
  PJRT_Client_CreateViewOfDeviceBuffer_Args args = {};
  args.client = client_;
  args.device_buffer_ptr = device_pointer;
  args.dims = shape.dims.data();
  args.num_dims = shape.dims.size();
  args.element_type = ToC(shape.dtype);
  LayoutArgument layout(shape);
  args.layout = layout.get();
  args.device = to.device;
  args.memory = to.memory;
  args.on_delete_callback = &RunOnDelete;
  args.on_delete_callback_arg = callback.get();
  args.stream = stream;
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  callback.release();  // NOLINT(bugprone-unused-return-value): the plugin has it now.
  return Adopt(*this, args.buffer, "PJRT_Client_CreateViewOfDeviceBuffer");
}

Expected<TransferManager> Client::CreateBuffersForTransfer(std::span<const Shape> shapes,
                                                           const Memory& to) const {
  std::vector<PJRT_ShapeSpec> specs;
  for (const Shape& shape : shapes) {
    PJRT_ShapeSpec spec = {};
    spec.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
    spec.dims = shape.dims.data();
    spec.num_dims = shape.dims.size();
    spec.element_type = ToC(shape.dtype);
    specs.push_back(spec);
  }
  PJRT_Client_CreateBuffersForAsyncHostToDevice_Args args = {};
  args.client = client_;
  args.shape_specs = specs.data();
  args.num_shape_specs = specs.size();
  args.memory = to.get();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  if (args.transfer_manager == nullptr) {
    return NullOutput("PJRT_Client_CreateBuffersForAsyncHostToDevice", "its manager");
  }
  return TransferManager(
      Handle<PJRT_AsyncHostToDeviceTransferManager>(api_, args.transfer_manager, ref_));
}

}  // namespace plinth::client
