// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_DLPACK_ABI_H_
#define PLINTH_IMPL_IFRT_DLPACK_ABI_H_

#include <cstdint>

namespace plinth::ifrt {

// The structs of DLPack 1.x, as its specification lays them out.
struct DlpackTensor {
  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t rank;
  uint8_t type_code;
  uint8_t type_bits;
  uint16_t type_lanes;
  int64_t* dims;
  int64_t* strides;  // In elements; null for dense row-major.
  uint64_t byte_offset;
};
struct DlpackManaged {
  uint32_t major;
  uint32_t minor;
  void* manager;
  void (*deleter)(DlpackManaged* self);
  uint64_t flags;
  DlpackTensor tensor;
};
inline constexpr uint64_t kDlpackReadOnly = 1;
inline constexpr int32_t kDlpackCpu = 1;
inline constexpr int32_t kDlpackCuda = 2;

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_DLPACK_ABI_H_
