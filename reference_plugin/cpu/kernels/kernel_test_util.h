// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_TEST_UTIL_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "reference_plugin/compiler/kernel/kernel.h"

// Kernels in few words.
namespace plinth::cpu::kernels {

inline compiler::Node Leaf(compiler::NodeKind kind, DType type, int32_t index,
                           int32_t component = 0) {
  compiler::Node node;
  node.kind = kind;
  node.dtype = type;
  node.index = index;
  node.component = component;
  return node;
}
inline compiler::Node Input(int32_t index, DType type = DType::kF32) {
  return Leaf(compiler::NodeKind::kInput, type, index);
}

template <typename T>
compiler::Node Constant(T value, DType type) {
  compiler::Node node = Leaf(compiler::NodeKind::kConstant, type, 0);
  std::memcpy(&node.constant.low, &value, sizeof(value));
  return node;
}
inline compiler::Node Constant(float value) { return Constant(value, DType::kF32); }

inline compiler::Node Operation(compiler::Opcode opcode, DType type,
                                std::initializer_list<int32_t> operands) {
  compiler::Node node;
  node.opcode = opcode;
  node.dtype = type;
  for (int32_t operand : operands) node.operands[node.num_operands++] = operand;
  return node;
}
inline compiler::Node Operation(compiler::Opcode opcode, std::initializer_list<int32_t> operands) {
  return Operation(opcode, DType::kF32, operands);
}

inline compiler::Access MakeAccess(int32_t buffer, DType type, compiler::Dims strides) {
  compiler::Access access;
  access.buffer = buffer;
  access.dtype = type;
  access.byte_strides = strides;
  return access;
}

inline compiler::Reduction Reduce(compiler::Opcode opcode, DType type, int32_t input,
                                  int32_t initial) {
  compiler::Reduction reduction;
  reduction.inputs = {input};
  reduction.initial = {initial};
  reduction.combiner.nodes = {Leaf(compiler::NodeKind::kParameter, type, 0),
                              Leaf(compiler::NodeKind::kParameter, type, 1),
                              Operation(opcode, type, {0, 1})};
  reduction.combiner.results = {2};
  return reduction;
}

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_TEST_UTIL_H_
