// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_FUSION_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_FUSION_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "plinth/support/small_vector.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/lower/lower_context.h"
#include "reference_plugin/compiler/lower/lower_index_map.h"

// Which ops share a kernel. A group becomes one kernel: a domain, and instances of values read
// through index maps. An instance is a load until the op that makes its value joins the group.
namespace plinth::compiler::lower {

// The pass over the rows that stores what needs their reductions.
inline constexpr uint64_t kLastPass = uint64_t{1} << 63;

enum class InstanceKind : uint8_t {
  kLoad,
  kConstant,  // a splat or one-element constant
  kIota,
  kElementwise,  // kOp of its operands
  kMap,          // kMap's region on its operands
  kAlias,        // a movement op: the operand, read through another map
  kPadded,       // operand 0 where the bounds of its map hold, else operand 1
  kConcatenate,  // the first operand whose own bounds hold, or else the last
  kReduced,      // a result of a reduction
  kGathered,     // an element of operand 0 at the indices that the other operands are
};

struct Instance {
  InstanceKind kind = InstanceKind::kLoad;
  bool in_reduction = false;  // needed by what a reduction takes in
  uint8_t duplicated = 0;     // ops in a row, from here to the store, that other groups compute too
  uint8_t recomputed = 0;     // ops in a row that are computed more often than they have elements
  uint64_t passes = 0;        // over the rows that need it: a bit per reduction, kLastPass
  int32_t map = 0;
  int32_t own_bounds_from = 0;     // kPadded, kConcatenate: bounds before it come from outside
  SmallVector<int32_t, 4> chosen;  // kConcatenate: maps whose own bounds choose an operand
  int32_t reduction = -1;          // kReduced
  int32_t component = 0;           // kReduced
  const Value* value = nullptr;
  const Op* op = nullptr;
  SmallVector<int32_t, 4> operands;
};

struct GroupReduction {
  const Op* op = nullptr;
  SmallVector<int32_t, 4> inputs, initial, captured;  // instances
};

// Where the elements of an instance go. A whole value, or a part of `value` at an address of its
// own (concatenate, dynamic_update_slice, pad with gaps).
struct GroupOutput {
  int32_t instance = 0;
  const Value* value = nullptr;
  bool is_part = false;
  IndexMap address;                // is_part: index into `value` for each point of the domain
  const Value* updated = nullptr;  // is_part: holds the rest, if no other group writes it
};

struct Group {
  Dims extents;
  int32_t num_parallel = 0;
  bool has_reduced = false;
  std::vector<IndexMap> maps;
  std::vector<Instance> instances;
  std::vector<GroupReduction> reductions;
  std::vector<GroupOutput> outputs;
  int32_t num_nodes = 0, num_loads = 0;
  int32_t first_output = 0;   // position of the first op whose result it stores
  int32_t last_position = 0;  // of the last op in it
  int32_t unit = -1;
  // Parts of one value: the groups that write theirs before and after.
  int32_t previous_part = -1;
  int32_t next_part = -1;
  // Values this group needs in memory before it starts: run-time indices, what it updates.
  SmallVector<const Value*, 4> needed;
  Location location;

  int32_t rank() const { return static_cast<int32_t>(extents.size()); }
  int32_t AddMap(IndexMap map);
  bool IsUpdate() const;  // of at least one array in place
  int64_t NumPoints() const;
  int64_t NumRows() const;  // points of the parallel dimensions
  // Whether rows have more elements: nothing is kept from one pass to the next.
  bool HasRowsAbove(int64_t elements) const;
  // How often an instance with that map is computed.
  int64_t Evaluations(const IndexMap& map) const;
  bool UsesReduced(const IndexMap& map) const;
  void SplitDim(int32_t dim, int64_t inner);
  void AppendReduced(std::span<const int64_t> extents);
};

// Whether each element of a value of these dims is needed at exactly one point (of the whole
// domain, or of its parallel part), so that it can be stored from there.
enum class Coverage : uint8_t { kNone, kPoints, kRows };
Coverage CoverageOf(const Group& group, const IndexMap& map, std::span<const int64_t> dims);

// How a reduction whose results are needed through `map` fits into a group.
enum class ReductionFit : uint8_t {
  kNone,
  kNewDims,       // reduced dimensions are added to the domain
  kExistingDims,  // over the group's reduced dimensions
  kLastDims,      // over the last parallel dimensions, which become the reduced ones
};
ReductionFit FitReduction(const Group& group, const KernelLimits& limits, const IndexMap& map,
                          std::span<const int64_t> dims, std::span<const int64_t> reduced_sizes,
                          int32_t& first_reduced);

// Whether a value of these dims, needed through `map`, is one element for all points along the last
// dimensions [first, rank) of a group without reductions. `count`: of such points; 1 (and false)
// where it has an element for each point.
bool IsPerRow(const Group& group, const IndexMap& map, std::span<const int64_t> dims,
              int32_t& first, int64_t& count);

// The reduced dimensions from `first` on as rows of an index: row i enumerates sizes[i].
bool RowsOverReduced(const Group& group, int32_t first, std::span<const int64_t> sizes,
                     std::vector<Dims>& rows);

// Something that becomes steps: a group, or an op on its own.
struct Unit {
  const Op* op = nullptr;
  int32_t group = -1;
  SmallVector<const Value*, 4> captures;  // control: outer values that its blocks use
  std::vector<std::unique_ptr<struct FusedBlock>> blocks;
};

// A block of the program as units, in reverse order of their last ops.
struct FusedBlock {
  const Block* block = nullptr;
  int32_t number = 0;
  std::deque<Group> groups;
  std::vector<Unit> units;
  SmallVector<const Value*, 4> captures;
};

// Divides a block into units. `context` collects which values must be in memory.
Expected<std::unique_ptr<FusedBlock>> FuseBlock(LowerContext& context, const Block& block);

}  // namespace plinth::compiler::lower

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_FUSION_H_
