// L2: the transfer manager: buffers that are filled piece by piece.

#include "conformance/cases/cases.h"
#include "conformance/runner/handle.h"

namespace plinth::conformance {
namespace {

using OwnedManager =
    Owned<PJRT_AsyncHostToDeviceTransferManager, PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
          &PJRT_AsyncHostToDeviceTransferManager_Destroy_Args::transfer_manager>;

// A manager of one f32[4]; empty, with a finding, if there is none.
OwnedManager MakeManager(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return {};
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = *device;
  if (!context.Ok("", "PJRT_Device_DefaultMemory", context.plugin().Call(memory))) return {};
  int64_t dims[] = {4};
  auto shape = MakeArgs<PJRT_ShapeSpec>();
  shape.dims = dims;
  shape.num_dims = 1;
  shape.element_type = PJRT_Buffer_Type_F32;
  auto args = MakeArgs<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  args.client = context.client();
  args.shape_specs = &shape;
  args.num_shape_specs = 1;
  args.memory = memory.memory;
  if (!context.Ok("", "PJRT_Client_CreateBuffersForAsyncHostToDevice",
                  context.plugin().Call(args))) {
    return {};
  }
  context.Check("", args.transfer_manager != nullptr, "the transfer manager is null");
  return OwnedManager(context.plugin(), args.transfer_manager);
}

OwnedBuffer Retrieve(Context& context, PJRT_AsyncHostToDeviceTransferManager* manager) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  args.transfer_manager = manager;
  if (!context.Ok("", "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer",
                  context.plugin().Call(args))) {
    return {};
  }
  return OwnedBuffer(context.plugin(), args.buffer_out);
}

Status Transfer(const Context& context, PJRT_AsyncHostToDeviceTransferManager* manager, int index,
                const float* values, int64_t offset, int64_t size, bool is_last) {
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  args.transfer_manager = manager;
  args.buffer_index = index;
  args.data = values;
  args.offset = offset;
  args.transfer_size = size;
  args.is_last_transfer = is_last;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedEvent done(context.plugin(), args.done_with_h2d_transfer);
  return done ? context.Await(done.get()) : Status();
}

void InPieces(Context& context) {
  OwnedManager manager = MakeManager(context);
  if (!manager) return;
  OwnedBuffer buffer = Retrieve(context, manager.get());
  if (!buffer) return;
  const float values[] = {1, 2, 3, 4};
  context.Ok("", "the second half", Transfer(context, manager.get(), 0, values + 2, 8, 8, false));
  context.Ok("", "the first half", Transfer(context, manager.get(), 0, values, 0, 8, true));
  Expected<HostArray> array = context.Download(buffer.get());
  if (context.Ok("", "PJRT_Buffer_ToHostBuffer", array.status())) {
    context.Check("", array->AsF32() == std::vector<float>{1, 2, 3, 4}, "the values are [",
                  StrJoin(array->AsF32()), "], not [1, 2, 3, 4]");
  }
}

void SetError(Context& context) {
  OwnedManager manager = MakeManager(context);
  if (!manager) return;
  OwnedBuffer buffer = Retrieve(context, manager.get());
  if (!buffer) return;
  auto args = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  args.transfer_manager = manager.get();
  args.error_code = PJRT_Error_Code_UNAVAILABLE;
  args.error_message = "no data came";
  args.error_message_size = 12;
  if (!context.Ok("", "PJRT_AsyncHostToDeviceTransferManager_SetBufferError",
                  context.plugin().Call(args))) {
    return;
  }
  Status status = context.Download(buffer.get()).status();
  context.Check("PJRT-LoadedExecutable_Execute-error-input",
                status.code() == StatusCode::kUnavailable, "the buffer carries ", status.ToString(),
                ", not UNAVAILABLE");
}

void Ranges(Context& context) {
  OwnedManager manager = MakeManager(context);
  if (!manager) return;
  const float values[4] = {};
  context.CheckRefused(
      "PJRT-AsyncHostToDeviceTransferManager_TransferData-range", "8 bytes at 12 of 16",
      Transfer(context, manager.get(), 0, values, 12, 8, false), {StatusCode::kInvalidArgument});
  context.CheckRefused("PJRT-AsyncHostToDeviceTransferManager_TransferData-range", "index 1 of 1",
                       Transfer(context, manager.get(), 1, values, 0, 16, true),
                       {StatusCode::kInvalidArgument});
  auto size = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
  size.transfer_manager = manager.get();
  size.buffer_index = 7;
  context.CheckRefused("PJRT-AsyncHostToDeviceTransferManager_BufferSize-index",
                       "the size of buffer 7 of 1", context.plugin().Call(size),
                       {StatusCode::kInvalidArgument});
  auto retrieve = MakeArgs<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  retrieve.transfer_manager = manager.get();
  retrieve.buffer_index = -1;
  context.CheckRefused("PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-index",
                       "buffer -1 of 1", context.plugin().Call(retrieve),
                       {StatusCode::kInvalidArgument});
}

// The manager goes while its buffer waits for data: the buffer must not wait for ever.
void Abandoned(Context& context) {
  OwnedManager manager = MakeManager(context);
  if (!manager) return;
  OwnedBuffer buffer = Retrieve(context, manager.get());
  if (!buffer) return;
  context.Ok("PJRT-AsyncHostToDeviceTransferManager_Destroy-null", "destroying the manager",
             manager.Destroy());
  Status status = context.Download(buffer.get()).status();
  context.Check("PJRT-AsyncHostToDeviceTransferManager_Destroy-null", !status.ok(),
                "a buffer that never got its data was read");
}

}  // namespace

void AddAsyncTransferCases(std::vector<Case>& cases) {
  auto add = [&](std::string name, std::vector<std::string> requirements, void (*run)(Context&),
                 bool is_robust = false) {
    cases.push_back({"L2/async_transfer/" + name, Level::kL2, ClientNeed::kShared,
                     std::move(requirements), run, is_robust});
  };
  add("in_pieces", {}, InPieces);
  add("set_error", {"PJRT-LoadedExecutable_Execute-error-input"}, SetError);
  add("ranges",
      {"PJRT-AsyncHostToDeviceTransferManager_TransferData-range",
       "PJRT-AsyncHostToDeviceTransferManager_BufferSize-index",
       "PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-index"},
      Ranges);
  add("abandoned", {"PJRT-AsyncHostToDeviceTransferManager_Destroy-null"}, Abandoned, true);
}

}  // namespace plinth::conformance
