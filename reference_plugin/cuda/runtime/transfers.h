// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_TRANSFERS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_TRANSFERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "plinth/sdk/event.h"
#include "plinth/support/status.h"
#include "reference_plugin/backend/host/storage.h"
#include "reference_plugin/cuda/runtime/device.h"

// Arrays to and from a device, by way of pinned memory.
namespace plinth::cuda {

// A new array with these bytes, which the caller may change as soon as the call returns. `arrived`,
// if not null, becomes the event after which they are there.
Expected<backend::StoragePtr> CopyIn(Gpu& gpu, std::span<const std::byte> bytes,
                                     sdk::Event* arrived = nullptr);

// Copies `size` bytes from `offset` on. When they have arrived, `take` gets them, on a thread of
// the device; then the event is ready. `take` may not throw.
Expected<sdk::Event> CopyOut(const backend::StoragePtr& source, int64_t offset, int64_t size,
                             std::function<void(const std::byte* bytes)> take);

// Copies them to `to`, which stays until the event is ready. Of a large array a few pieces at a
// time are in pinned memory, however large it is.
Expected<sdk::Event> CopyOut(const backend::StoragePtr& source, int64_t offset, int64_t size,
                             void* to);

// A new array whose bytes nobody has written.
Expected<backend::StoragePtr> AllocateUninitialized(Gpu& gpu, int64_t size);

// A new array on the device with the bytes of another, which may be pinned; on the compute stream.
Expected<backend::StoragePtr> CopyOnDevice(const backend::StoragePtr& source);

// Arrays in pinned memory of the host. One with these bytes, or, without any, with whatever is
// there; and one with the bytes of an array of the device: `arrived` becomes the event after which
// they are there.
Expected<backend::StoragePtr> MakePinned(Gpu& gpu, int64_t size, std::span<const std::byte> bytes);
Expected<backend::StoragePtr> CopyToPinned(const backend::StoragePtr& source, sdk::Event* arrived);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_TRANSFERS_H_
