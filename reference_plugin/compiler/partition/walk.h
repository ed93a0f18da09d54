// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_WALK_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_WALK_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/op_sharding.h"
#include "reference_plugin/compiler/ir/print.h"
#include "reference_plugin/compiler/partition/ahead.h"
#include "reference_plugin/compiler/partition/emitter.h"
#include "reference_plugin/compiler/partition/indexed.h"
#include "reference_plugin/compiler/partition/known.h"
#include "reference_plugin/compiler/partition/local_op.h"
#include "reference_plugin/compiler/partition/manual.h"
#include "reference_plugin/compiler/partition/partition.h"
#include "reference_plugin/compiler/partition/propagate.h"
#include "reference_plugin/compiler/partition/tables.h"
#include "reference_plugin/compiler/partition/uses.h"

// Of this folder alone.
namespace plinth::compiler::partition {

inline bool IsTensor(const Type& type) { return type.kind == Type::Kind::kTensor; }

// Walks the program forward once and writes the arguments and ops of its blocks anew; the old
// values keep the types of whole arrays. Each section is a file of its own.
class Partitioner {
 public:
  Partitioner(Module& module, const CollectiveCosts& costs, const PartitionOptions& options)
      : module_(module),
        costs_(costs),
        options_(options),
        emitter_(module, module.num_partitions) {}

  Expected<PartitionReport> Run() &&;

 private:
  // An error with the op and its place.
  static Status At(const Op& op, const Status& status) {
    return status.ok() ? status : status.WithContext(Describe(op));
  }

  // --- partition.cc: the program as a whole.

  std::string PropagatedText(const PropagatedShardings& shardings) const;
  Status CheckMesh(const Sharding& sharding) const;
  Status CheckAll(std::span<const ShardingRef> shardings) const;
  Status CheckMeshes();
  // Whoever compiles may forbid that parameters and results of which nothing is said are spread.
  template <typename Values>
  void KeepWhole(const std::vector<bool>& free, const Values& values,
                 std::vector<ShardingRef>& shardings) const;
  // JAX writes constraints into the regions of reductions, too: on scalars they say nothing.
  void DropScalarConstraints();
  static program::OpSharding InXlasForm(const Layout& layout);
  // Tokens have one too, as in XLA: JAX counts them.
  static std::string Written(const Layout& layout);
  // The parts of an argument and of the output that it is to become may differ. What is given away
  // for any output is so only if one of its size is left: it stays with its owner otherwise.
  void FitDonations();

  // --- walk.cc: blocks and ops.

  // The block gets arguments of local types.
  void Enter(Block& block, std::span<const Layout> layouts);
  // All ops but the last, which returns.
  Status MapOps(Block& block);
  Status MapBlock(Block& block, std::span<const Layout> results);
  bool UsesManual(const Op& op) const;
  Status MapOp(Op& op);
  Status MapOpWithin(Op& op);
  // The same op on these operands, with results of local types.
  Op* Emit(const Op& op, std::span<Value* const> operands, std::span<const Type> results,
           std::shared_ptr<const Attributes> attributes);
  void ReplaceCaptures(Block& block);

  // --- walk_by_rule.cc: ops on parts, as their rules say.

  SpreadWish WishOf(const Op& op, const Rule& rule);
  Status MapByRule(Op& op, const Rule& rule);
  // An op of which all arrays lie as it needs them. False: nothing is done yet.
  bool MapAsItLies(const Op& op);
  // How its result lies then: as it is wanted, or spread further, as the operands are. Null: the op
  // needs something moved. Valid until the next call.
  const Layout* LayoutAsItLies(const Op& op, const Layout& wanted);
  // Every device computes all of it.
  Status MapWhole(Op& op);
  Status CountFallback(const Op& op, int64_t bytes);

  // --- walk_terms.cc: terms of sums.

  // Whether operands that are terms of sums stay so, because the result is to be one and the op is
  // linear: by operand. Their axes are in wish.taken.
  std::vector<bool> TermsThatPass(const Op& op, SpreadWish& wish) const;
  static void AddTerms(Layout& layout, const Value* value, const SpreadWish& wish);
  // Terms of a result become the result, as it is wanted.
  LocalValue Combine(const Op& op, LocalValue terms, const Terms& how, const LocalValue& init);
  // Where all devices would compute the same of a sum, each gets a part of it.
  void SpreadSums(const Op& op, const Layout& terms, Layout& reduced);

  // --- walk_moves.cc: ops along dimensions that stay spread although the rule needs them whole.

  // Elements move among devices along dimensions that stay spread. False: nothing is done yet.
  bool MapMoves(Op& op, const Rule& rule);
  // A slice that is only joined with others is not made, but read through there.
  bool CanWait(const Op& op);
  Status MakeWaiting(const Op& op);
  // Of what is spread along a dimension, a slice moves that begins anywhere in it. False: nothing
  // is done yet.
  bool MapDynamicSlice(const Op& op, const Rule& rule);
  // Of what indices go into, each device takes what it has. False: nothing is done yet.
  bool MapGather(const Op& op, const Rule& rule);
  // The dimensions of what a scatter updates that stay spread although indices go into them; their
  // axes are in wish.taken then.
  Indexed IndexedScatter(const Op& op, SpreadWish& wish) const;
  // Each device reduces its part, and then what all have made. False: nothing is done yet.
  bool MapPartials(const Op& op, const Rule& rule);
  // Each device makes the cumulative sums of its part, and adds the totals of those before it.
  // False: nothing is done yet.
  bool MapCumulative(const Op& op, const Rule& rule);

  // --- walk_sources.cc: what has no operand, or only moves it.

  Status MapConstant(Op& op);
  Status MapIota(Op& op);
  Status MapConstraint(Op& op);
  // Where the device's part begins in the whole: s32.
  Value* StartAlong(const Layout& layout, const Type& part, size_t dim);
  // What each device would draw on its own differs: the first one's numbers are everybody's.
  Status MapRng(Op& op);
  // Each device makes its part of the bits.
  Status MapRngBits(Op& op);

  // --- walk_control.cc: control flow.

  Status MapBarrier(Op& op);
  // Terms of a sum stay so in a loop if it makes such terms of them each turn.
  Layout CarriedLayout(const Op& op, size_t i) const;
  Status MapWhile(Op& op);
  Status MapBranches(Op& op);

  // --- walk_calls.cc: calls of what others know, and effects.

  // Who asked how an array lies is told; the call itself is nothing.
  Status TellSharding(const Op& op);
  // Somebody else gives the program of one device's parts, and says how these lie.
  Status MapByOthers(const Op& op);
  // `layout` becomes what a partitioner says of an array. Where it says what it was told, the
  // layout stays as it is, on the mesh of the program.
  Status Heed(const program::OpSharding& said, const CallPartitioners::Array& told,
              const Value& part, std::string_view what, Layout& layout) const;
  // What has effects has them on the device that the program names, with whole operands, and all
  // devices get its results. What JAX calls partitioned, every device does with its own parts.
  Status MapEffect(const Op& op);

  // --- walk_manual.cc: what the program itself says of single devices.

  Status MapFullToShard(const Op& op);
  Status MapShardToFull(const Op& op);
  static Status CheckView(const Type& whole, const Layout& layout, const Type& part);
  // The program itself says what devices do along some axes; what goes in and out is moved, and the
  // region is partitioned over the axes that are left.
  Status MapManual(Op& op);
  // How a value of a region lies along the free axes.
  Layout LayoutInside(const Value* value) const;
  // The layout outside of a value that is `inside` in the region.
  Expected<Layout> LayoutAtBorder(const ShardingRef& said, const Value* outside,
                                  const Value* inside, const ManualAxes& manual,
                                  std::string_view what) const;
  // In the region nobody may speak of its axes.
  Status CheckFreeAxes(Block& body, const ManualAxes& manual) const;
  // A region in which every device is on its own is taken as it is.
  void CopyManual(Op& op, std::span<const Layout> arguments, std::span<const Layout> results);
  template <typename Visit>
  void ForEachCapture(Block& block, const Visit& visit);
  // In a region that is manual in part, a collective works among devices of the same place along
  // the free axes: what these spread passes through it.
  Status CheckCollective(const Op& op) const;

  // --- What is known of values.

  // What the propagation found for a value.
  const Layout& WantedOf(const Value* value) const { return wanted_->Of(value); }
  void Set(const Value* value, Value* local, const Layout& layout) {
    locals_[static_cast<size_t>(value->id)] = {local, &layouts_.Find(layout)};
  }
  void Set(const Value* value, const LocalValue& local) { Set(value, local.value, local.layout); }
  // A LocalValue whose layout is in the table.
  struct Local {
    Value* value;
    const Layout& layout;
  };
  Local LocalOf(const Value* value) const {
    static const Layout kReplicated = {};
    const Known& known = locals_[static_cast<size_t>(value->id)];
    return {known.value, known.layout == nullptr ? kReplicated : *known.layout};
  }
  LocalValue LocalValueOf(const Value* value) const {
    const Local local = LocalOf(value);
    return {local.value, local.layout};
  }
  const Block* BlockOf(const Op& op) const { return block_of_[static_cast<size_t>(op.id)]; }
  Value* As(const Value* value, const Layout& layout) {
    const Local local = LocalOf(value);
    if (local.layout == layout) return local.value;
    return emitter_.Reshard(local.value, local.layout, value->type, layout);
  }

  Module& module_;
  const CollectiveCosts& costs_;
  const PartitionOptions& options_;
  Emitter emitter_;
  OpRules rules_;
  LayoutTable layouts_;
  std::optional<WantedLayouts> wanted_;
  Layout as_it_lies_;  // of the last op; kept for its memory
  struct Known {
    Value* value = nullptr;
    const Layout* layout = nullptr;
  };
  std::vector<Known> locals_;  // by id of the value of the whole array; null: not made yet
  PartitionReport report_;
  // What GSPMD's calls make: values that are of one device.
  bool has_calls_of_manual_ = false;
  std::optional<Uses> uses_;
  std::optional<Ahead> ahead_;
  std::vector<const Block*> block_of_;        // by id of the op on whole arrays
  std::unordered_set<const Value*> waiting_;  // slices that are not made yet
  std::unordered_set<const Op*> is_made_;     // slices that have to be made after all
  std::unordered_set<const Value*> is_manual_;
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_WALK_H_
