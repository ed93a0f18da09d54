// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/mesh.h"

// How arrays are spread over devices. Whatever form a program says it in, it is this.
namespace plinth::compiler {

struct Type;
struct Op;
struct Function;

struct DimSharding {
  AxisList axes;                   // from the major to the minor
  bool is_closed = true;           // nothing may be added
  int64_t priority = kNoPriority;  // 0 is the first to be propagated

  static constexpr int64_t kNoPriority = -1;
  friend bool operator==(const DimSharding& a, const DimSharding& b) {
    return a.axes == b.axes && a.is_closed == b.is_closed && a.priority == b.priority;
  }
};

// How values that are not reduced yet are to be.
enum class ReductionOp : uint8_t { kSum, kMax, kMin };

// A part of an axis stands in one place at most. What stands nowhere is replicated, and may be used
// by open dimensions.
struct Sharding {
  MeshRef mesh;                   // never null
  std::vector<DimSharding> dims;  // one per dimension; none for a maximal mesh
  AxisList replicated;            // stay so
  AxisList unreduced;             // each device along them has one term of the value
  ReductionOp reduction = ReductionOp::kSum;

  friend bool operator==(const Sharding& a, const Sharding& b) {
    return (a.mesh == b.mesh || *a.mesh == *b.mesh) && a.dims == b.dims &&
           a.replicated == b.replicated && a.unreduced == b.unreduced &&
           (a.unreduced.empty() || a.reduction == b.reduction);
  }
};
// Null where none was given.
using ShardingRef = std::shared_ptr<const Sharding>;

// How the dimensions of a custom call's operands and results belong together, as the program says
// it: numbers of factors by dimension, for each operand and result.
struct CallRule {
  std::vector<int64_t> factor_sizes;
  std::vector<std::vector<std::vector<int64_t>>> operands, results;
  std::vector<int64_t> reduced, replicated, permuted, blocked;  // factors
};

// Where shardings go through a barrier.
enum class Passage : uint8_t { kNowhere, kForward, kBackward, kBothWays };

// What an op says about the arrays that it makes.
struct OpShardings {
  static constexpr int64_t kNoGroup = -1;

  std::vector<ShardingRef> results;  // one per result
  // Of a manual_computation: one per operand, and the axes over which the region has its own parts.
  std::vector<ShardingRef> operands;
  std::vector<std::string> manual_axes;
  // The same in GSPMD's form: parts of the one axis of its mesh. There the calls at the border of
  // such a region and the constraints in it say so too, before they become a manual_computation.
  AxisList manual_parts;
  // Of a sharding_constraint that has no sharding itself. The operands of those of one group have
  // one sharding.
  int64_t group = kNoGroup;
  Passage passage = Passage::kBothWays;
  // Of a custom call; null: nothing is said.
  std::shared_ptr<const CallRule> call_rule;
  // Of a custom call that computes each element of its first dimensions on its own: how many.
  int64_t num_batch_dims = 0;
};

// INVALID_ARGUMENT unless the axes are of the mesh, none is used twice, and parts divide them.
Status CheckSharding(const Sharding& sharding);
// INVALID_ARGUMENT unless there is one per type, each null or a sharding of as many dimensions.
Status CheckShardings(std::span<const ShardingRef> shardings, std::span<const Type* const> types);
// The same of all that an op and a function say.
Status CheckShardings(const Op& op);
Status CheckShardings(const Function& function);

// As in MLIR text.
std::string ToString(const Sharding& sharding);
std::string ToString(std::span<const ShardingRef> shardings);
std::string ToString(const OpShardings& shardings);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_H_
