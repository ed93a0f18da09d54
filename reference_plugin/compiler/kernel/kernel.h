// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_KERNEL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/small_vector.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/compiler/ir/opcode.h"

// A kernel: one pass over a domain of points, as data. Every back end runs the same kernels; none
// of a back end's vector widths, tiles or registers appear here.
namespace plinth::compiler {

// One element of any type, in host form in the low bytes (c128 uses both words).
struct ScalarBits {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const ScalarBits&, const ScalarBits&) = default;
};

// The element at a domain point p counts only if 0 <= offset + sum(coefficients[d] * p[d]) < extent
// for every bound of its access.
struct Bound {
  Dims coefficients;  // one per domain dimension
  int64_t offset = 0;
  int64_t extent = 0;
  friend bool operator==(const Bound&, const Bound&) = default;
};

// A start index that is known only at run time (dynamic_slice, dynamic_update_slice): before the
// kernel starts, the integer scalar in `buffer` is read, clamped to [0, maximum] and adds
// clamped * byte_stride to the access's offset.
struct DynamicOffset {
  int32_t buffer = 0;
  DType dtype = DType::kS32;
  int64_t maximum = 0;
  int64_t byte_stride = 0;
  friend bool operator==(const DynamicOffset&, const DynamicOffset&) = default;
};

// A start index that is a value of the point (gather): operand i of the kGathered node, clamped to
// [0, maximum], adds clamped * byte_stride to the place.
struct ValueOffset {
  int64_t maximum = 0;
  int64_t byte_stride = 0;
  friend bool operator==(const ValueOffset&, const ValueOffset&) = default;
};

// Where the element for a domain point lies: buffer + byte_offset + sum(byte_strides[d] * p[d]).
// A zero stride broadcasts, a negative one reverses.
struct Access {
  int32_t buffer = 0;  // index into the step's operands (inputs) or results (outputs)
  DType dtype = DType::kInvalid;
  int64_t byte_offset = 0;
  Dims byte_strides;          // one per domain dimension
  std::vector<Bound> bounds;  // inputs only; points outside read `fill`
  ScalarBits fill;
  std::vector<DynamicOffset> dynamic_offsets;
  SmallVector<ValueOffset, 2>
      value_offsets;  // inputs of kGathered nodes only, which have no bounds
  friend bool operator==(const Access&, const Access&) = default;
};

enum class NodeKind : uint8_t {
  kInput,      // element of inputs[index]
  kGathered,   // element of inputs[index] at `operands`, one for each of its value_offsets
  kConstant,   // `constant`
  kIota,       // offset + stride * p[index], converted to dtype (see Node::constant)
  kParameter,  // combiners only: parameter `index`
  kOp,         // `opcode` of `operands`
  kReduced,    // reductions[index], component `component`, of an earlier phase
  kRow,        // node `component` of the earlier phase `index`, kept as a row buffer
};

// Of what type the operands of a kGathered node are, all of one.
constexpr bool IsGatherIndex(DType type) {
  return type == DType::kS32 || type == DType::kU32 || type == DType::kS64;
}

// One scalar operation of a phase; nodes stand after the nodes they use.
struct Node {
  NodeKind kind = NodeKind::kOp;
  Opcode opcode = Opcode::kAdd;   // kOp: an elementwise opcode
  DType dtype = DType::kInvalid;  // of the value this node makes
  uint8_t num_operands = 0;
  CompareAttributes compare{};                   // kCompare
  ReducePrecisionAttributes reduce_precision{};  // kReducePrecision
  int32_t operands[3] = {0, 0, 0};               // node numbers of the same phase or combiner
  int32_t index = 0;
  int32_t component = 0;
  ScalarBits constant;  // kConstant; kIota: low = offset, high = stride, as int64
  friend bool operator==(const Node&, const Node&) = default;
};

// (accumulators..., elements..., captured values...) -> new accumulators. With k reduced values
// there are 2k parameters and k results; the captured values, if any, are further parameters. It is
// associative by StableHLO's definition; whether it commutes is not assumed (elements are combined
// in index order, in a tree that depends on shape and type only).
struct Combiner {
  std::vector<Node> nodes;
  SmallVector<int32_t, 4> results;
  friend bool operator==(const Combiner&, const Combiner&) = default;
};

// k values reduced together over the kernel's reduced dimensions, from `initial` on (each initial
// value enters exactly once).
struct Reduction {
  Combiner combiner;
  SmallVector<int32_t, 4> inputs;    // node numbers of the phase
  SmallVector<int32_t, 4> initial;   // node numbers of the phase: constants or zero-stride inputs
  SmallVector<int32_t, 2> captured;  // the same, for the combiner's parameters from 2k on
  friend bool operator==(const Reduction&, const Reduction&) = default;
};

struct Store {
  int32_t node = 0;
  int32_t output = 0;  // outputs[output]
  friend bool operator==(const Store&, const Store&) = default;
};

// Scalar code run for every point of the whole domain, or (`over_reduced` false) once per point of
// the parallel dimensions; accesses then use index 0 in the reduced ones.
struct Phase {
  bool over_reduced = false;
  std::vector<Node> nodes;
  std::vector<Reduction> reductions;  // over_reduced only
  std::vector<Store> stores;
  friend bool operator==(const Phase&, const Phase&) = default;
};

// What a kernel computes, whatever the sizes and places of its arrays: the key under which back
// ends share code. Types are those of the nodes; accesses and dimensions go by number.
struct KernelBody {
  std::vector<Phase> phases;
  // Reduction r of phase p is numbered in order of appearance over all phases.
  friend bool operator==(const KernelBody&, const KernelBody&) = default;
};

// Over which points, and where the elements lie.
struct KernelShape {
  Dims extents;              // of the domain, outermost first
  int32_t num_parallel = 0;  // dimensions [0, num_parallel) are parallel, the rest reduced
  std::vector<Access> inputs;
  std::vector<Access> outputs;  // no two points store to one element of an output
  friend bool operator==(const KernelShape&, const KernelShape&) = default;
};

struct Kernel {
  std::string name;  // for dumps and profiles: "fusion.3 (add, exponential)"
  KernelBody body;
  KernelShape shape;
};

// Hashes of bodies and shapes that are equal are equal.
size_t HashOf(const KernelBody& body);
size_t HashOf(const KernelShape& shape);

// Whether two kernels do the same to their buffers, whatever their names; and a hash that is equal
// where they do.
bool SameWork(const Kernel& a, const Kernel& b);
size_t WorkHash(const Kernel& kernel);

// What always holds: indices in range, types consistent op by op, extents not negative.
Status Verify(const Kernel& kernel);
std::string ToString(const Kernel& kernel);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_KERNEL_H_
