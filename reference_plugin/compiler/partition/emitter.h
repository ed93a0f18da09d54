// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_EMITTER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_EMITTER_H_

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/partition/layout.h"
#include "reference_plugin/compiler/partition/manual.h"
#include "reference_plugin/compiler/partition/tables.h"

namespace plinth::compiler::partition {

// A value of the partitioned program: what one device has of an array.
struct LocalValue {
  Value* value = nullptr;
  Layout layout;
};

// Writes the ops of a partitioned program. What depends on the device alone is written once, at the
// begin of the program, and used from everywhere.
class Emitter {
 public:
  Emitter(Module& module, int64_t num_devices) : module_(module), num_devices_(num_devices) {}

  Module& module() { return module_; }
  int64_t num_devices() const { return num_devices_; }
  // Where ops go from now on; returns where they went before.
  std::vector<Op*>* Into(std::vector<Op*>* ops) { return std::exchange(ops_, ops); }
  std::vector<Op*>& ops() { return *ops_; }
  void At(Location location) { location_ = std::move(location); }
  Builder builder() { return Builder(module_, *ops_, location_); }
  // What stands before all else.
  std::vector<Op*>& prologue() { return prologue_; }

  // Which part along these axes the device has: s32.
  Value* IndexAlong(const Mesh& mesh, const AxisList& axes);

  // The value in another layout of the same array; moved once for each, where both are seen.
  Value* Reshard(Value* value, const Layout& from, const Type& global, const Layout& to);
  // The op that made `local`, of an operand that is `operand` there: of an operand that every
  // device has whole, it is rather made again than gathered.
  void Remember(const Op& op, const Value* local, Value* operand, bool is_whole);
  // Blocks of control flow see what is around them, but not the other way round.
  void BeginBlock() { seen_.emplace_back(); }
  void EndBlock() { seen_.pop_back(); }

  // Groups and the rest as the op has them; the channel is given here. The same of the same values
  // is there once. `combiner`: of a reduction.
  Value* Collective(Opcode opcode, std::span<Value* const> operands, const Type& type,
                    CollectiveAttributes attributes, std::optional<Opcode> combiner = std::nullopt);
  // Of a mesh, as GroupsOf: those of the same axes share their lists.
  const DeviceGroups& Groups(const Mesh& mesh, const AxisList& axes) {
    return groups_.Find(mesh, axes);
  }
  // A scalar.
  Value* Zero(DType dtype);
  // Combines what each device of a group has: add, maximum, ...
  Value* AllReduce(Value* value, Opcode combiner, const Mesh& mesh, const AxisList& axes);

  // A region of two scalars that does this.
  Block* CombinerOf(Opcode opcode, DType dtype);

  // What the first device has; within a manual computation, the first along its free axes.
  Value* BroadcastFirst(Value* value);
  // What one device has; outside of manual computations.
  Value* BroadcastFrom(int64_t device, Value* value);
  // The number of the device: s32.
  Value* PartitionId();

  // The manual computation that ops are written for from now on; returns the one before. Nothing
  // is moved along its axes.
  ManualAxes Within(ManualAxes manual) { return std::exchange(manual_, std::move(manual)); }
  const ManualAxes& manual() const { return manual_; }

 private:
  Value* SplatIn(Value* value, const Layout& from, const Type& global, const Layout& to);
  Value* Move(LocalValue from, const Type& global, const Layout& to);
  void ReduceUnreduced(LocalValue& now, const Layout& to);
  void SpreadAsTerms(LocalValue& now, const Layout& to);
  void MaskTerms(LocalValue& now, const Layout& to);
  Value* WholeOf(const Value* local, const Type& global, bool makes);
  bool SliceOne(LocalValue& now, const Layout& to);
  bool ExchangeOne(LocalValue& now, const Layout& to);
  bool GatherOne(LocalValue& now, const Layout& to);
  bool Permute(LocalValue& now, const Layout& to);
  Value* PlaceInMesh(const Mesh& mesh);
  Value* Collective(Opcode opcode, Value* value, const Type& type,
                    CollectiveAttributes attributes) {
    return Collective(opcode, {&value, 1}, type, std::move(attributes));
  }

  Module& module_;
  int64_t num_devices_;
  std::vector<Op*>* ops_ = nullptr;
  std::vector<Op*> prologue_;
  Location location_;
  ManualAxes manual_;
  Value* partition_id_ = nullptr;
  GroupTable groups_;
  std::map<std::string, Value*> indices_;  // along axes of a mesh
  // What has been moved, in this block and those around it: nothing moves twice to one place.
  struct Resharded {
    Layout to;
    Value* value;
  };
  struct Seen {
    std::unordered_map<const Value*, std::vector<Resharded>> resharded;
    std::unordered_map<const Value*, Value*> made_whole;
    std::unordered_map<const Value*, std::vector<Op*>> collectives;  // by the first operand
  };
  std::vector<Seen> seen_;
  std::map<DType, Value*> zeros_;
  std::unordered_map<const Value*, Value*> whole_of_;  // of slices
  struct Maker {
    const Op* op;    // on whole arrays
    Value* operand;  // of one device
    bool is_whole;   // that operand
  };
  std::unordered_map<const Value*, Maker> makers_;
  int64_t num_collectives_ = 0;
};

// The combiner of values that are not reduced yet.
Opcode CombinerOf(ReductionOp reduction);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_EMITTER_H_
