// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/kernel_step.h"

// Kernels in few words, and running them.
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

// result = f(operands), element by element, over one dimension.
inline compiler::Kernel Elementwise(int64_t size, std::vector<DType> inputs,
                                    std::vector<compiler::Node> nodes) {
  compiler::Kernel kernel;
  kernel.name = "elementwise";
  kernel.shape.extents = {size};
  kernel.shape.num_parallel = 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    kernel.shape.inputs.push_back(
        MakeAccess(static_cast<int32_t>(i), inputs[i], {ByteSize(inputs[i])}));
  }
  kernel.shape.outputs = {MakeAccess(0, nodes.back().dtype, {ByteSize(nodes.back().dtype)})};
  compiler::Phase phase;
  phase.nodes = std::move(nodes);
  phase.stores = {{static_cast<int32_t>(phase.nodes.size()) - 1, 0}};
  kernel.body.phases = {phase};
  return kernel;
}

// For the code of each instruction set that there is.
inline std::vector<std::shared_ptr<emit::CodeCache>> AllCodes() {
  std::vector<std::shared_ptr<emit::CodeCache>> all;
  for (const math::SimdTarget target : {math::SimdTarget::kAvx2, math::SimdTarget::kAvx512}) {
    if (!math::IsSupported(target)) continue;
    all.push_back(std::make_shared<emit::CodeCache>(emit::CodeCache::kMostBytes, target));
  }
  return all;
}

// Prepares the kernel and runs it once.
template <typename T>
std::vector<T> RunStep(const compiler::Kernel& kernel, std::vector<void*> operands,
                       size_t result_size, backend::ThreadPool* pool = nullptr) {
  Expected<std::unique_ptr<backend::PreparedStep>> step =
      PrepareKernel(std::make_shared<const compiler::Kernel>(kernel));
  EXPECT_TRUE(step.ok()) << step.status().ToString();
  std::vector<T> result(result_size);
  if (!step.ok()) return result;
  std::vector<std::byte> scratch(static_cast<size_t>((*step)->scratch_bytes()) + 64);
  void* aligned = scratch.data();
  size_t space = scratch.size();
  std::align(64, space - 64, aligned, space);
  backend::RunContext context;
  context.pool = pool;
  context.scratch = {static_cast<std::byte*>(aligned), space};
  void* results[] = {result.data()};
  const Status status = (*step)->Run(operands, results, context).status();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return result;
}

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_TEST_UTIL_H_
