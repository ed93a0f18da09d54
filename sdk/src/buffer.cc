// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/buffer.h"

#include <utility>

#include "sdk/src/not_offered.h"

namespace plinth::sdk {

Buffer::Buffer(DType dtype, std::span<const int64_t> dims, Memory* memory, Device* device,
               std::shared_ptr<const Layout> layout)
    : memory_(memory), device_(device), layout_(std::move(layout)), dtype_(dtype), dims_(dims) {
  if (device_ == nullptr && memory_ != nullptr && !memory_->devices().empty()) {
    device_ = memory_->devices().front();
  }
}
Buffer::~Buffer() = default;

Expected<int64_t> Buffer::OnDeviceSizeInBytes() { return DenseSizeInBytes(dtype_, dims_); }

Expected<std::shared_ptr<void>> Buffer::HoldMemory() {
  return internal::NotOffered("this plugin's buffers do not give out their address");
}
Expected<std::unique_ptr<Buffer>> Buffer::CopyToMemory(Memory* memory) {
  return internal::NotOffered("this plugin's buffers cannot be copied to memory ",
                              memory->info().to_string);
}
Expected<std::unique_ptr<Buffer>> Buffer::CopyToDevice(Device* device) {
  if (device->default_memory() == nullptr) {
    return InvalidArgument("device ", device->description().info().to_string,
                           " has no memory here to copy to");
  }
  return CopyToMemory(device->default_memory());
}
Expected<Event> Buffer::CopyRawToHost(void*, int64_t offset, int64_t size) {
  return internal::NotOffered("this plugin's buffers have no raw copies; asked for ", size,
                              " bytes from offset ", offset);
}
Status Buffer::WaitUntilReadyOnStream(intptr_t) {
  return internal::NotOffered("this plugin's buffers know no streams");
}
// NOLINTNEXTLINE(performance-unnecessary-value-param): those that override it keep it.
Expected<std::unique_ptr<Buffer>> Buffer::DonateWithControlDependency(Event) {
  return internal::NotOffered("this plugin's buffers cannot be donated with a control dependency");
}
Expected<std::unique_ptr<Buffer>> Buffer::Bitcast(const Shape& shape) {
  return internal::NotOffered("this plugin's buffers cannot be seen as ",
                              ToString(shape.dtype, shape.dims));
}
Expected<Dims> Buffer::UnpaddedDims() { return dims_; }

}  // namespace plinth::sdk
