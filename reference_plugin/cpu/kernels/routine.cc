// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/routine.h"

#include <cstring>
#include <optional>

#include "reference_plugin/compiler/kernel/combiner.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Node;
using compiler::Opcode;

template <size_t kBytes>
void CopyTile(void* result, const void* a, const void*, const void*, size_t count,
              const math::TileParameters&) {
  std::memcpy(result, a, count * kBytes);
}

}  // namespace

Status NoRoutine(const Node& node, DType operand) {
  return Unimplemented(compiler::Name(node.opcode), " of ", plinth::Name(operand), " to ",
                       plinth::Name(node.dtype), " on the CPU");
}

Status AppendRoutine(std::span<const Node> nodes, size_t n, int32_t result,
                     const int32_t (&operands)[3], std::vector<Instruction>* code) {
  const Node& node = nodes[n];
  const size_t typed = node.opcode == Opcode::kSelect ? 1 : 0;
  const DType operand = nodes[static_cast<size_t>(node.operands[typed])].dtype;
  const math::TileRoutine routine =
      math::FindTileRoutine(node.opcode, operand, node.dtype, node.compare);
  if (!routine) return NoRoutine(node, operand);
  const math::TileParameters parameters{node.reduce_precision.exponent_bits,
                                        node.reduce_precision.mantissa_bits};
  code->push_back({routine.compute, result, operands[0], operands[1], operands[2], parameters});
  if (routine.finish != nullptr) {
    code->push_back({routine.finish, result, result, 0, 0, parameters});
  }
  return Status();
}

math::TileFunction CopyFunction(int64_t tile_bytes) {
  switch (tile_bytes) {
    case 1:
      return CopyTile<1>;
    case 2:
      return CopyTile<2>;
    case 4:
      return CopyTile<4>;
    case 8:
      return CopyTile<8>;
    default:
      return CopyTile<16>;
  }
}

const Node* CommutativeOp(const compiler::Combiner& combiner) {
  const std::optional<Opcode> opcode = compiler::SingleOp(combiner);
  if (!opcode.has_value() || !compiler::InfoOf(*opcode).commutative) return nullptr;
  return &combiner.nodes[static_cast<size_t>(combiner.results[0])];
}

Status FindCommutative(const compiler::Combiner& combiner, ReductionProgram* reduction) {
  const Node* op = CommutativeOp(combiner);
  if (op == nullptr) return Status();
  const math::TileRoutine routine = math::FindTileRoutine(op->opcode, op->dtype, op->dtype);
  if (!routine) return NoRoutine(*op, op->dtype);
  // Only sums are kept unrounded: what other ops give has to be rounded or to wrap at once, but the
  // greatest of some f16 is one already.
  const bool chooses = math::TileTypeOf(op->dtype) == DType::kF32 &&
                       (op->opcode == Opcode::kMaximum || op->opcode == Opcode::kMinimum);
  if (op->opcode != Opcode::kAdd && routine.finish != nullptr && !chooses) return Status();
  reduction->commutative = routine.compute;
  reduction->opcode = op->opcode;
  reduction->type = op->dtype;
  reduction->finish = chooses ? nullptr : routine.finish;
  reduction->partials = math::FindPartials(op->opcode, math::TileTypeOf(op->dtype));
  return Status();
}

}  // namespace plinth::cpu::kernels
