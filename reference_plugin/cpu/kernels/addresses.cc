// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/addresses.h"

#include <algorithm>
#include <cstring>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Access;
using compiler::Kernel;

Status Place(const Kernel& kernel, const Access& access, std::span<void* const> buffers,
             std::span<void* const> operands, int64_t* start) {
  if (static_cast<size_t>(access.buffer) >= buffers.size()) {
    return Internal("kernel \"", kernel.name, "\" uses buffer ", access.buffer, " of ",
                    buffers.size());
  }
  *start += static_cast<int64_t>(
      reinterpret_cast<uintptr_t>(buffers[static_cast<size_t>(access.buffer)]));
  for (const compiler::DynamicOffset& dynamic : access.dynamic_offsets) {
    if (static_cast<size_t>(dynamic.buffer) >= operands.size()) {
      return Internal("kernel \"", kernel.name, "\" reads an index from buffer ", dynamic.buffer,
                      " of ", operands.size());
    }
    *start +=
        ReadIndex(dynamic, operands[static_cast<size_t>(dynamic.buffer)]) * dynamic.byte_stride;
  }
  return Status();
}

}  // namespace

int64_t ReadIndex(const compiler::DynamicOffset& dynamic, const void* buffer) {
  if (dynamic.dtype == DType::kS32) {  // nearly always
    int32_t index;
    std::memcpy(&index, buffer, sizeof(index));
    return std::clamp<int64_t>(index, 0, dynamic.maximum);
  }
  const int64_t index = compiler::ReadInteger(dynamic.dtype, static_cast<const std::byte*>(buffer));
  if (index < 0) {
    // As an unsigned number it is beyond any maximum.
    return dynamic.dtype == DType::kU64 ? dynamic.maximum : 0;
  }
  return std::min(index, dynamic.maximum);
}

Status FindAddresses(const Kernel& kernel, const Domain& domain, std::span<void* const> operands,
                     std::span<void* const> results, int64_t* start) {
  size_t form = 0;
  for (const LinearForm& linear : domain.forms) start[form++] = linear.offset;
  form = 0;
  for (const Access& access : kernel.shape.inputs) {
    PLINTH_RETURN_IF_ERROR(Place(kernel, access, operands, operands, &start[form++]));
  }
  for (const Access& access : kernel.shape.outputs) {
    PLINTH_RETURN_IF_ERROR(Place(kernel, access, results, operands, &start[form++]));
  }
  return Status();
}

}  // namespace plinth::cpu::kernels
