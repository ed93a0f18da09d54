// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TEST_COMBINERS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TEST_COMBINERS_H_

#include <cstdint>
#include <memory>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/kernel/combiner.h"

// Combiners and comparators, node by node.
namespace plinth::cpu::library {

inline compiler::Node Parameter(int32_t index, DType dtype) {
  compiler::Node node;
  node.kind = compiler::NodeKind::kParameter;
  node.index = index;
  node.dtype = dtype;
  return node;
}

inline compiler::Node Binary(compiler::Opcode opcode, DType dtype, int32_t a, int32_t b) {
  compiler::Node node;
  node.opcode = opcode;
  node.dtype = dtype;
  node.num_operands = 2;
  node.operands[0] = a;
  node.operands[1] = b;
  return node;
}

inline compiler::Node Compare(compiler::ComparisonDirection direction,
                              compiler::ComparisonType type, int32_t a, int32_t b) {
  compiler::Node node = Binary(compiler::Opcode::kCompare, DType::kPred, a, b);
  node.compare = {direction, type};
  return node;
}

inline compiler::Combiner OfTwo(compiler::Opcode opcode, DType dtype) {
  return {{Parameter(0, dtype), Parameter(1, dtype), Binary(opcode, dtype, 0, 1)}, {2}};
}

inline compiler::Combiner ComparatorOfTwo(compiler::ComparisonDirection direction,
                                          compiler::ComparisonType type, DType dtype) {
  return {{Parameter(0, dtype), Parameter(1, dtype), Compare(direction, type, 0, 1)}, {2}};
}

inline std::shared_ptr<const compiler::Attributes> AlongDimension(int64_t dimension,
                                                                  bool reverse = false) {
  compiler::DimensionAttributes attributes;
  attributes.dimension = dimension;
  attributes.reverse = reverse;
  attributes.is_stable = true;
  return compiler::MakeAttributes(attributes);
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TEST_COMBINERS_H_
