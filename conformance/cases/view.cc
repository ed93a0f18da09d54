// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/view.h"

#include <chrono>
#include <thread>

#include "conformance/cases/ask.h"

namespace plinth::conformance {

void WaitForEnd(const Viewed& viewed) {
  for (int i = 0; i < 3000 && viewed.calls == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

OwnedBuffer MakeView(Context& context, const HostArray& array, const Place& where,
                     std::shared_ptr<Viewed>& viewed, size_t further, const Viewed* other) {
  Expected<OwnedBuffer> probe = context.Upload(HostArray::F32({1}, {0}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", probe.status())) return {};
  auto on_cpu = Get<&PJRT_Buffer_IsOnCpu_Args::buffer>(context, probe->get());
  if (!on_cpu || !RawBool(on_cpu->is_on_cpu)) {
    context.Unsupported("device memory is not host memory");
    return {};
  }
  viewed = std::make_shared<Viewed>(array, further);
  std::vector<int64_t> dims = array.dims;
  auto args = MakeArgs<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  args.client = context.client();
  args.device_buffer_ptr = other == nullptr ? viewed->data : other->data;
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.element_type = ToC(array.type);
  args.device = where.device;
  args.memory = where.memory;
  // It stays, for a callback that comes late.
  args.on_delete_callback_arg = new std::shared_ptr<Viewed>(viewed);
  args.on_delete_callback = [](void*, void* arg) {
    Viewed& told = **static_cast<std::shared_ptr<Viewed>*>(arg);
    if (told.work) told.work();
    ++told.calls;
  };
  Status status = context.plugin().Call(args);
  std::fill(dims.begin(), dims.end(), 99);  // borrowed for the call
  if (further > 0 && !status.ok()) return context.Unsupported(status.ToString()), OwnedBuffer();
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_CreateViewOfDeviceBuffer", status)) return {};
  return OwnedBuffer(context.plugin(), args.buffer);
}

}  // namespace plinth::conformance
