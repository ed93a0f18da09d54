// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_DLPACK_H_
#define PLINTH_IMPL_IFRT_DLPACK_H_

#include <cstdint>
#include <span>

#include "impl/ifrt/array.h"
#include "impl/ifrt/dlpack_abi.h"

namespace plinth::ifrt {

// The memory of one addressable shard, without a copy, read-only; below 0: of the first, which has
// to be the whole array. Waits for the contents. The memory lives until the tensor's deleter ran,
// whatever becomes of the array. INVALID_ARGUMENT for no such shard and deleted arrays;
// UNIMPLEMENTED for types, layouts and devices that DLPack has no words for. An error that the
// shard has is returned.
Expected<DlpackManaged*> ArrayToDlpack(Array& array, int64_t shard);

// An array over host memory of others, in which a plugin may leave it: one tensor with the whole
// array, or one for each addressable shard, those dense row-major. They are the array's, and their
// deleters run when nothing uses the memory; if this fails they stay the caller's. INVALID_ARGUMENT
// for tensors of another version, number, type or shape; UNIMPLEMENTED for memory of devices.
Expected<Ref<Array>> ArrayFromDlpack(const Ref<const Client>& client, ArraySpec spec,
                                     std::span<DlpackManaged* const> tensors);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_DLPACK_H_
