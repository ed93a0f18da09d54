// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/partition.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_sharding.h"
#include "reference_plugin/compiler/ir/print.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/ahead.h"
#include "reference_plugin/compiler/partition/combine.h"
#include "reference_plugin/compiler/partition/dynamic_slices.h"
#include "reference_plugin/compiler/partition/emitter.h"
#include "reference_plugin/compiler/partition/indexed.h"
#include "reference_plugin/compiler/partition/join_gathers.h"
#include "reference_plugin/compiler/partition/local_op.h"
#include "reference_plugin/compiler/partition/manual.h"
#include "reference_plugin/compiler/partition/moves.h"
#include "reference_plugin/compiler/partition/partials.h"
#include "reference_plugin/compiler/partition/propagate.h"
#include "reference_plugin/compiler/partition/split_ffts.h"
#include "reference_plugin/compiler/partition/uses.h"
#include "reference_plugin/compiler/passes/dead_code.h"

namespace plinth::compiler::partition {
namespace {

// Every collective lists all devices.
constexpr int64_t kMostPartitions = 4096;
constexpr size_t kMostWarnings = 100;
// Places of elements are counted in s32.
constexpr int64_t kMostIndex = int64_t{1} << 30;

bool IsTensor(const Type& type) { return type.kind == Type::Kind::kTensor; }

// An error with the op and its place.
Status At(const Op& op, Status status) {
  return status.ok() ? status : status.WithContext(Describe(op));
}

// Walks the program forward once and writes the arguments and ops of its blocks anew; the old
// values keep the types of whole arrays.
class Partitioner {
 public:
  Partitioner(Module& module, const PartitionOptions& options)
      : module_(module), options_(options), emitter_(module, module.num_partitions) {}

  Expected<PartitionReport> Run() && {
    PLINTH_RETURN_IF_ERROR(CheckMeshes());
    DropScalarConstraints();
    Function& entry = *module_.entry;
    KeepWhole(options_.free_parameters, entry.body->arguments, entry.argument_shardings);
    KeepWhole(options_.free_outputs, entry.body->terminator()->operands, entry.result_shardings);
    PLINTH_ASSIGN_OR_RETURN(shardings_, Propagate(module_));
    if (options_.dumper != nullptr) {
      options_.dumper->Dump("propagated", [&] { return PropagatedText(); });
    }
    // What nobody needs moves nothing. The propagation looks at it, as Shardy's does.
    passes::EliminateDeadOps(module_);
    SplitFfts(module_, shardings_);
    locals_.resize(static_cast<size_t>(module_.num_values()));
    uses_.emplace(module_, *module_.entry->body);
    ahead_.emplace(*uses_, shardings_, options_.least_gain);
    ForEachOp(*module_.entry->body, [&](Block& block, Op& op) { block_of_[&op] = &block; });
    Block& body = *module_.entry->body;
    module_.parameter_shardings.clear();
    std::vector<Layout> arguments;
    for (const Value* argument : body.arguments) {
      arguments.push_back(WantedOf(argument));
      module_.parameter_shardings.push_back(Written(arguments.back()));
    }
    Enter(body, arguments);
    std::vector<Layout> results;
    module_.output_shardings.clear();
    for (size_t i = 0; i < shardings_.results.size(); ++i) {
      const Value* const value = body.terminator()->operands[i];
      results.push_back(LayoutOf(shardings_.results[i].get(), value->type));
      module_.output_shardings.push_back(Written(results.back()));
    }
    PLINTH_RETURN_IF_ERROR(MapBlock(body, results));
    body.ops.insert(body.ops.begin(), emitter_.prologue().begin(), emitter_.prologue().end());
    JoinGathers(module_);
    CombineCollectives(module_);
    FitDonations();
    module_.meshes.clear();
    module_.entry->argument_shardings.clear();
    module_.entry->result_shardings.clear();
    return report_;
  }

 private:
  std::string PropagatedText() const {
    std::string text = ToString(module_, [&](const Value& value) {
      const ShardingRef& sharding = shardings_.Of(&value);
      return sharding == nullptr ? std::string() : ToString(*sharding);
    });
    return StrCat(text, "results as propagated ", ToString(shardings_.results), "\n");
  }

  // --- What is known of values.

  Status CheckMesh(const Sharding& sharding) const {
    const Mesh& mesh = *sharding.mesh;
    const int64_t devices = module_.num_partitions;
    if (mesh.IsMaximal() && mesh.device_ids[0] < devices) return Status();
    if (!mesh.IsMaximal() && (mesh.axes.empty() || mesh.num_devices() == devices)) return Status();
    return InvalidArgument("the program is for ", devices, " partitions; mesh ", ToString(mesh),
                           " is of others");
  }

  Status CheckAll(std::span<const ShardingRef> shardings) const {
    for (const ShardingRef& sharding : shardings) {
      if (sharding != nullptr) PLINTH_RETURN_IF_ERROR(CheckMesh(*sharding));
    }
    return Status();
  }

  Status CheckMeshes() {
    PLINTH_RETURN_IF_ERROR(CheckAll(module_.entry->argument_shardings));
    PLINTH_RETURN_IF_ERROR(CheckAll(module_.entry->result_shardings));
    Status status;
    ForEachOp(*module_.entry->body, [&](Block&, Op& op) {
      has_calls_of_manual_ |= IsCallOf(op, kFullToShard) || IsCallOf(op, kShardToFull);
      if (op.shardings == nullptr || !status.ok()) return;
      status = At(op, CheckAll(op.shardings->results));
      if (status.ok()) status = At(op, CheckAll(op.shardings->operands));
    });
    return status;
  }

  // Whoever compiles may forbid that parameters and results of which nothing is said are spread.
  template <typename Values>
  void KeepWhole(const std::vector<bool>& free, const Values& values,
                 std::vector<ShardingRef>& shardings) const {
    if (std::all_of(free.begin(), free.end(), [](bool is_free) { return is_free; })) return;
    const auto is_of_all = [&](const MeshRef& mesh) {
      return !mesh->axes.empty() && mesh->num_devices() == module_.num_partitions;
    };
    const auto mesh = std::find_if(module_.meshes.begin(), module_.meshes.end(), is_of_all);
    Sharding whole;
    whole.mesh = mesh == module_.meshes.end() ? FlatMesh(module_.num_partitions) : *mesh;
    shardings.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const bool is_free = free.size() == 1 ? free[0] : i >= free.size() || free[i];
      if (is_free || shardings[i] != nullptr || !IsTensor(values[i]->type)) continue;
      whole.dims.assign(static_cast<size_t>(values[i]->type.rank()), {});
      shardings[i] = std::make_shared<const Sharding>(whole);
    }
  }

  // JAX writes constraints into the regions of reductions, too: on scalars they say nothing.
  void DropScalarConstraints() {
    Replacements replacements;
    const auto drop = [&](auto&& self, Block& block) -> void {
      std::erase_if(block.ops, [&](Op* op) {
        for (Block* inner : op->blocks) self(self, *inner);
        if (op->opcode != Opcode::kShardingConstraint) return false;
        replacements.Replace(op->result(), op->operands[0]);
        return true;
      });
    };
    ForEachOp(*module_.entry->body, [&](Block&, Op& op) {
      if (!HasScalarRegions(op.opcode)) return;
      for (Block* block : op.blocks) drop(drop, *block);
    });
    if (!replacements.empty()) replacements.Apply(*module_.entry->body);
  }

  // What the propagation found for a value.
  Layout WantedOf(const Value* value) const {
    return LayoutOf(shardings_.Of(value).get(), value->type);
  }

  // The block gets arguments of local types.
  void Enter(Block& block, std::span<const Layout> layouts) {
    const std::vector<Value*> old = std::exchange(block.arguments, {});
    for (size_t i = 0; i < old.size(); ++i) {
      Set(old[i], {module_.NewArgument(&block, LocalType(old[i]->type, layouts[i])), layouts[i]});
    }
  }
  void Set(const Value* value, LocalValue local) {
    locals_[static_cast<size_t>(value->id)] = std::move(local);
  }
  const LocalValue& LocalOf(const Value* value) const {
    return locals_[static_cast<size_t>(value->id)];
  }
  Value* As(const Value* value, const Layout& layout) {
    return emitter_.Reshard(LocalOf(value), value->type, layout);
  }

  static program::OpSharding InXlasForm(const Layout& layout) {
    if (layout.IsReplicated()) return {};
    Sharding sharding;
    sharding.mesh = layout.mesh;
    sharding.unreduced = layout.unreduced;
    for (const AxisList& axes : layout.dims) sharding.dims.emplace_back().axes = axes;
    return ToOpSharding(sharding);
  }

  // Tokens have one too, as in XLA: JAX counts them.
  static std::string Written(const Layout& layout) {
    return program::WriteOpSharding(InXlasForm(layout));
  }

  // The parts of an argument and of the output that it is to become may differ. What is given away
  // for any output is so only if one of its size is left: it stays with its owner otherwise.
  void FitDonations() {
    const Block& body = *module_.entry->body;
    const auto& outputs = body.terminator()->operands;
    std::vector<bool> is_taken(outputs.size(), false);
    for (Donation& donation : module_.donations) {
      if (donation.output < 0) continue;
      const size_t output = static_cast<size_t>(donation.output);
      is_taken[output] =
          outputs[output]->type == body.arguments[static_cast<size_t>(donation.argument)]->type;
      if (!is_taken[output]) donation.output = -1;
    }
    std::erase_if(module_.donations, [&](const Donation& donation) {
      if (donation.output >= 0) return false;
      const Type& type = body.arguments[static_cast<size_t>(donation.argument)]->type;
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (is_taken[i] || outputs[i]->type.SizeInBytes() != type.SizeInBytes()) continue;
        is_taken[i] = true;
        return false;
      }
      return true;
    });
  }

  // --- Blocks and ops.

  // All ops but the last, which returns.
  Status MapOps(Block& block) {
    for (Op* op : block.ops) {
      if (op->opcode == Opcode::kReturn) break;
      emitter_.At(op->location);
      PLINTH_RETURN_IF_ERROR(At(*op, MapOp(*op)));
    }
    return Status();
  }

  Status MapBlock(Block& block, std::span<const Layout> results) {
    std::vector<Op*> ops;
    std::vector<Op*>* const outer = emitter_.Into(&ops);
    emitter_.BeginBlock();
    PLINTH_RETURN_IF_ERROR(MapOps(block));
    const Op& end = *block.terminator();
    emitter_.At(end.location);
    SmallVector<Value*, 8> returned;
    for (size_t i = 0; i < end.operands.size(); ++i) {
      returned.push_back(As(end.operands[i], results[i]));
    }
    emitter_.builder().AddOp(Opcode::kReturn, {returned.data(), returned.size()}, {});
    emitter_.EndBlock();
    emitter_.Into(outer);
    block.ops = std::move(ops);
    return Status();
  }

  Status MapOp(Op& op) {
    if (!has_calls_of_manual_ || emitter_.manual().is_inside) return MapOpWithin(op);
    if (IsCallOf(op, kFullToShard)) return MapFullToShard(op);
    if (IsCallOf(op, kShardToFull)) return MapShardToFull(op);
    if (op.opcode != Opcode::kPartitionId && !UsesManual(op)) return MapOpWithin(op);
    ManualAxes all;
    all.is_inside = true;
    emitter_.Within(all);
    PLINTH_RETURN_IF_ERROR(MapOpWithin(op));
    emitter_.Within({});
    for (const Value* result : op.results) is_manual_.insert(result);
    return Status();
  }

  bool UsesManual(const Op& op) const {
    return std::any_of(op.operands.begin(), op.operands.end(),
                       [&](const Value* value) { return is_manual_.contains(value); }) ||
           std::any_of(op.blocks.begin(), op.blocks.end(), [&](const Block* block) {
             return std::any_of(block->ops.begin(), block->ops.end(),
                                [&](const Op* inner) { return UsesManual(*inner); });
           });
  }

  Status MapFullToShard(const Op& op) {
    // A result that is manual along all axes has no sharding.
    if (op.shardings != nullptr && op.shardings->results[0] != nullptr) return PartOfAxes(op);
    const LocalValue whole = LocalOf(op.operands[0]);
    const Layout layout = Reduced(whole.layout);
    PLINTH_RETURN_IF_ERROR(CheckView(op.operands[0]->type, layout, op.type()));
    Set(op.result(), {As(op.operands[0], layout), Layout()});
    is_manual_.insert(op.result());
    return Status();
  }

  Status MapShardToFull(const Op& op) {
    const Op* const maker = op.operands[0]->op;
    if (maker != nullptr && maker->opcode == Opcode::kShardingConstraint) return PartOfAxes(op);
    const OpShardings* const said = op.shardings.get();
    const Layout layout =
        said == nullptr ? Layout() : Reduced(LayoutOf(said->results[0].get(), op.type()));
    PLINTH_RETURN_IF_ERROR(CheckView(op.type(), layout, op.operands[0]->type));
    Set(op.result(), {LocalOf(op.operands[0]).value, layout});
    return Status();
  }

  static Status CheckView(const Type& whole, const Layout& layout, const Type& part) {
    const Type expected = LocalType(whole, layout);
    if (expected == part) return Status();
    return InvalidArgument("a device's part of ", whole.ToString(), " is ", part.ToString(),
                           ", its sharding says ", expected.ToString());
  }

  static Status PartOfAxes(const Op& op) {
    return Unimplemented("@", op.Get<CustomCallAttributes>().target,
                         " over some of the axes is not supported; use sdy.manual_computation");
  }

  Status MapOpWithin(Op& op) {
    switch (op.opcode) {
      case Opcode::kConstant:
        return MapConstant(op);
      case Opcode::kIota:
        return MapIota(op);
      case Opcode::kShardingConstraint:
      case Opcode::kReshard:
        return MapConstraint(op);
      case Opcode::kWhile:
        return MapWhile(op);
      case Opcode::kIf:
      case Opcode::kCase:
        return MapBranches(op);
      case Opcode::kOptimizationBarrier:
        return MapBarrier(op);
      case Opcode::kManualComputation:
        return MapManual(op);
      case Opcode::kPartitionId:
      case Opcode::kReplicaId:
        if (emitter_.manual().IsAll()) break;
        return Unimplemented("the number of a device is known where all axes are manual only");
      case Opcode::kRng:
        return MapRng(op);
      case Opcode::kCustomCall: {
        const std::string_view target = op.Get<CustomCallAttributes>().target;
        if (target == kInspectSharding && op.operands.size() == 1) return TellSharding(op);
        if (options_.others != nullptr && options_.others->Has(target)) return MapByOthers(op);
        break;
      }
      default:
        break;
    }
    // Every device is on its own.
    if (emitter_.manual().IsAll()) return MapWhole(op);
    if (InfoOf(op.opcode).category == Category::kCollective) {
      PLINTH_RETURN_IF_ERROR(CheckCollective(op));
    } else if (OwnEffectOf(op) != Effect::kPure) {
      return MapEffect(op);
    }
    const Rule rule = LocalRule(op);
    if (rule.empty() || !AllTensors(op)) return MapWhole(op);
    return MapByRule(op, rule);
  }

  static bool AllTensors(const Op& op) {
    const auto is_tensor = [](const Value* value) { return IsTensor(value->type); };
    return std::all_of(op.operands.begin(), op.operands.end(), is_tensor) &&
           std::all_of(op.results.begin(), op.results.end(), is_tensor);
  }

  // The same op on these operands, with results of local types.
  Op* Emit(const Op& op, std::span<Value* const> operands, std::span<const Type> results,
           std::shared_ptr<const Attributes> attributes) {
    Op* const made = emitter_.builder().AddOp(op.opcode, operands, results, std::move(attributes));
    made->blocks = op.blocks;
    // Regions of scalar code stay what they are, but for scalars from around them.
    if (HasScalarRegions(op.opcode)) {
      for (Block* block : op.blocks) ReplaceCaptures(*block);
    }
    return made;
  }

  void ReplaceCaptures(Block& block) {
    for (Op* inner : block.ops) {
      for (Value*& operand : inner->operands) {
        const size_t id = static_cast<size_t>(operand->id);
        if (id < locals_.size() && locals_[id].value != nullptr) operand = locals_[id].value;
      }
      for (Block* nested : inner->blocks) ReplaceCaptures(*nested);
    }
  }

  SpreadWish WishOf(const Op& op, const Rule& rule) const {
    SpreadWish wish;
    wish.rule = &rule;
    wish.spreadable = SpreadableFactors(op, rule);
    for (const Value* operand : op.operands) {
      wish.operands.push_back(Reduced(LocalOf(operand).layout));
      wish.operand_sizes.push_back(operand->type.NumElements());
    }
    for (const Value* result : op.results) wish.results.push_back(WantedOf(result));
    wish.moves_axes = MovesAxes(op);
    return wish;
  }

  Status MapByRule(Op& op, const Rule& rule) {
    if (CanWait(op)) return Status();
    if (MapCumulative(op, rule) || MapMoves(op, rule) || MapDynamicSlice(op, rule) ||
        MapGather(op, rule) || MapPartials(op, rule)) {
      return Status();
    }
    PLINTH_RETURN_IF_ERROR(MakeWaiting(op));
    SpreadWish wish = WishOf(op, rule);
    const std::vector<bool> are_terms = TermsThatPass(op, wish);
    const Indexed indexed = are_terms.empty() ? IndexedScatter(op, wish) : Indexed();
    partition::Spread spread = ChooseSpread(wish);
    if (spread.mesh == nullptr) {
      if (are_terms.empty() && !indexed.any()) return MapWhole(op);
      spread = {wish.results[0].mesh, std::vector<AxisList>(rule.factors.size())};
    }
    if (indexed.any() && !SameDevices(spread.mesh, indexed.mesh())) {
      spread = {indexed.mesh(), std::vector<AxisList>(rule.factors.size())};
    }
    OpLayouts layouts = LayoutsOf(op, rule, spread.mesh, spread.axes);
    for (size_t i = 0; indexed.any() && i < op.results.size(); ++i) {
      indexed.Stay(layouts.operands[i]);
      indexed.Stay(layouts.results[i]);
    }
    for (size_t i = 0; i < are_terms.size(); ++i) {
      if (are_terms[i]) AddTerms(layouts.operands[i], op.operands[i], wish);
    }
    AxisList unreduced;
    if (!op.results.empty()) unreduced = layouts.results[0].unreduced;
    if (!are_terms.empty()) AddTerms(layouts.results[0], op.results[0], wish);
    const std::optional<Terms> terms = unreduced.empty() ? std::nullopt : TermsOf(op);
    LocalValue init;
    SmallVector<Value*, 8> operands;
    std::vector<Type> operand_types, result_types;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (terms.has_value() && terms->counts_init && terms->init == i) {
        init = LocalOf(op.operands[i]);
        operands.push_back(
            emitter_.builder().Splat(LocalType(op.operands[i]->type, layouts.operands[i]),
                                     terms->combiner == Opcode::kMultiply ? 1 : 0));
      } else {
        operands.push_back(As(op.operands[i], layouts.operands[i]));
      }
      operand_types.push_back(operands.back()->type);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      result_types.push_back(LocalType(op.results[i]->type, layouts.results[i]));
    }
    std::shared_ptr<const Attributes> attributes = LocalAttributes(op, operand_types, result_types);
    if (indexed.any()) {
      attributes = indexed.PrepareScatter(emitter_, {operands.data(), operands.size()});
      for (size_t i = 0; i < op.results.size(); ++i) result_types[i] = operands[i]->type;
    }
    Op* const made =
        Emit(op, {operands.data(), operands.size()}, result_types, std::move(attributes));
    if (op.operands.size() == 1 && op.results.size() == 1 && are_terms.empty()) {
      emitter_.Remember(op, made->result(), operands[0], layouts.operands[0].IsReplicated());
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      LocalValue local = {made->results[i], layouts.results[i]};
      if (indexed.any()) {
        local.value = indexed.WithoutMargins(emitter_, local.value, operand_types[i]);
      }
      if (terms.has_value()) local = Combine(op, std::move(local), *terms, init);
      Set(op.results[i], std::move(local));
    }
    return Status();
  }

  // Elements move among devices along dimensions that stay spread. False: nothing is done yet.
  bool MapMoves(Op& op, const Rule& rule) {
    const Moves moves(op, rule);
    if (!moves.any()) return false;
    SpreadWish wish = WishOf(op, moves.rule());
    moves.Allow(wish.spreadable);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (waiting_.contains(op.operands[i])) {
        wish.operands[i] = Reduced(LocalOf(op.operands[i]->op->operands[0]).layout);
      }
    }
    if (!TermsThatPass(op, wish).empty()) return false;
    partition::Spread spread = ChooseSpread(wish);
    for (size_t i = 0; i < moves.num_sources() && spread.mesh == nullptr; ++i) {
      spread = {wish.operands[i].mesh, std::vector<AxisList>(rule.factors.size())};
    }
    if (spread.mesh == nullptr) return false;
    const OpLayouts layouts = LayoutsOf(op, moves.rule(), spread.mesh, spread.axes);
    std::vector<Moves::Source> sources;
    SmallVector<Value*, 8> others;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const Value* from = op.operands[i];
      if (i >= moves.num_sources()) {
        others.push_back(As(from, layouts.operands[i]));
        continue;
      }
      Moves::Source& source = sources.emplace_back();
      if (waiting_.contains(from)) {
        source.start = from->op->Get<SliceAttributes>().start;
        from = from->op->operands[0];
      }
      source.local.layout = Reduced(LocalOf(from).layout);
      source.local.value = As(from, source.local.layout);
    }
    std::optional<Moves::Moved> moved =
        moves.Make(emitter_, sources, {others.data(), others.size()}, layouts);
    if (!moved.has_value()) return false;
    if (moved->result != nullptr) {
      Set(op.result(), {moved->result, Reduced(layouts.results[0])});
      return true;
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.results.size(); ++i) {
      types.push_back(LocalType(op.results[i]->type, layouts.results[i]));
    }
    Op* const made =
        Emit(op, {moved->operands.data(), moved->operands.size()}, types, moved->attributes);
    for (size_t i = 0; i < op.results.size(); ++i) {
      LocalValue local = {made->results[i], layouts.results[i]};
      if (!local.layout.unreduced.empty()) local = Combine(op, std::move(local), *TermsOf(op), {});
      Set(op.results[i], std::move(local));
    }
    return true;
  }

  // Of what is spread along a dimension, a slice moves that begins anywhere in it. False: nothing
  // is done yet.
  bool MapDynamicSlice(const Op& op, const Rule& rule) {
    const bool updates = op.opcode == Opcode::kDynamicUpdateSlice;
    if (!updates && op.opcode != Opcode::kDynamicSlice) return false;
    const Type& global = op.operands[0]->type;
    const Dims& sizes = updates ? op.operands[1]->type.dims : op.type().dims;
    SpreadWish wish = WishOf(op, rule);
    const Layout operand = wish.operands[0];
    if (operand.IsReplicated() || op.type().NumElements() == 0) return false;
    std::vector<bool> is_spread;
    AxisList axes;
    for (size_t d = 0; d < sizes.size(); ++d) {
      is_spread.push_back(sizes[d] != global.dims[d] && !operand.Of(d).empty());
      if (is_spread[d] && (sizes[d] == 0 || global.dims[d] > kMostIndex)) return false;
      for (const Axis& axis : operand.Of(d)) {
        if (is_spread[d]) axes.push_back(axis);
      }
    }
    if (axes.empty() || !TermsThatPass(op, wish).empty()) return false;
    wish.taken = axes;
    partition::Spread spread = ChooseSpread(wish);
    if (spread.mesh == nullptr) {
      spread = {operand.mesh, std::vector<AxisList>(rule.factors.size())};
    }
    if (!SameDevices(spread.mesh, operand.mesh)) return false;
    OpLayouts layouts = LayoutsOf(op, rule, spread.mesh, spread.axes);
    const auto stay = [&](Layout& layout) {
      layout.mesh = operand.mesh;
      layout.dims.resize(sizes.size());
      for (size_t d = 0; d < sizes.size(); ++d) {
        if (is_spread[d]) layout.dims[d] = operand.Of(d);
      }
    };
    stay(layouts.operands[0]);
    const LocalValue part = {As(op.operands[0], layouts.operands[0]), layouts.operands[0]};
    std::vector<Value*> starts;
    for (size_t i = updates ? 2 : 1; i < op.operands.size(); ++i) {
      starts.push_back(As(op.operands[i], Layout()));
    }
    Layout& result = layouts.results[0];
    if (updates) {
      stay(result);
      Value* const update = As(op.operands[1], layouts.operands[1]);
      Set(op.result(), {UpdatePart(emitter_, part, global, update, starts, is_spread), result});
      return true;
    }
    Value* const term =
        TermOfSlice(emitter_, part, global, starts, LocalType(op.type(), result).dims, is_spread);
    result.mesh = operand.mesh;
    result.dims.resize(sizes.size());
    result.unreduced = axes;
    SortAndMerge(result.unreduced);
    Terms how;
    if (global.dtype == DType::kPred) how.combiner = Opcode::kMaximum;
    Set(op.result(), Combine(op, {term, result}, how, {}));
    return true;
  }

  // Each device reduces its part, and then what all have made. False: nothing is done yet.
  bool MapPartials(const Op& op, const Rule& rule) {
    if (op.opcode != Opcode::kReduce || TermsOf(op).has_value() || !MayCountInitsAgain(op)) {
      return false;
    }
    SpreadWish wish = WishOf(op, rule);
    for (size_t i = 0; i < rule.factors.size(); ++i) {
      if (rule.factors[i].kind == FactorKind::kReduction) wish.spreadable[i] = true;
    }
    const partition::Spread spread = ChooseSpread(wish);
    if (spread.mesh == nullptr) return false;
    const OpLayouts layouts = LayoutsOf(op, rule, spread.mesh, spread.axes);
    const AxisList axes = layouts.results[0].unreduced;
    if (axes.empty()) return false;
    SmallVector<Value*, 8> operands, results(op.results.size());
    std::vector<Type> types;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      operands.push_back(As(op.operands[i], layouts.operands[i]));
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      types.push_back(LocalType(op.results[i]->type, layouts.results[i]));
    }
    const Op* const local = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
    CombinePartials(emitter_, *local, *spread.mesh, axes, {results.data(), results.size()});
    for (size_t i = 0; i < op.results.size(); ++i) {
      Set(op.results[i], {results[i], Reduced(layouts.results[i])});
    }
    return true;
  }

  // Each device makes the cumulative sums of its part, and adds the totals of those before it.
  // False: nothing is done yet.
  bool MapCumulative(const Op& op, const Rule& rule) {
    const std::optional<Cumulative> how = CumulativeOf(op);
    if (!how.has_value()) return false;
    SpreadWish wish = WishOf(op, rule);
    const Layout operand = wish.operands[0];
    const AxisList axes = operand.Of(how->dim);
    if (axes.empty()) return false;
    wish.taken = axes;
    partition::Spread spread = ChooseSpread(wish);
    if (spread.mesh == nullptr) {
      spread = {operand.mesh, std::vector<AxisList>(rule.factors.size())};
    }
    if (!SameDevices(spread.mesh, operand.mesh)) return false;
    Layout layout = LayoutsOf(op, rule, spread.mesh, spread.axes).results[0];
    layout.mesh = operand.mesh;
    layout.dims.resize(operand.dims.size());
    layout.dims[how->dim] = axes;
    Value* const operands[] = {As(op.operands[0], layout), As(op.operands[1], Layout())};
    const Type& type = operands[0]->type;
    WindowAttributes window = op.Get<WindowAttributes>();
    window.window.sizes[how->dim] = type.dims[how->dim];
    (how->is_reverse ? window.window.padding_high : window.window.padding_low)[how->dim] =
        type.dims[how->dim] - 1;
    const Op* const local = Emit(op, operands, {&type, 1}, MakeAttributes(std::move(window)));
    Set(op.result(),
        {WithTotalsBefore(emitter_, *how, local->result(), operands[1], *operand.mesh, axes),
         layout});
    return true;
  }

  // Of what indices go into, each device takes what it has. False: nothing is done yet.
  bool MapGather(const Op& op, const Rule& rule) {
    if (op.opcode != Opcode::kGather) return false;
    SpreadWish wish = WishOf(op, rule);
    const Indexed indexed(op, wish.operands[0]);
    if (!indexed.any() || op.type().NumElements() == 0 || !TermsThatPass(op, wish).empty()) {
      return false;
    }
    wish.taken = indexed.axes();
    partition::Spread spread = ChooseSpread(wish);
    if (spread.mesh == nullptr) {
      spread = {indexed.mesh(), std::vector<AxisList>(rule.factors.size())};
    }
    if (!SameDevices(spread.mesh, indexed.mesh())) return false;
    OpLayouts layouts = LayoutsOf(op, rule, spread.mesh, spread.axes);
    // All of the result moves, or else all of what it is taken from.
    const Type type = LocalType(op.type(), layouts.results[0]);
    if (type.NumElements() > LocalType(op.operands[0]->type, layouts.operands[0]).NumElements()) {
      return false;
    }
    indexed.Stay(layouts.operands[0]);
    Value* const part = As(op.operands[0], layouts.operands[0]);
    Value* const indices = As(op.operands[1], layouts.operands[1]);
    Layout result = layouts.results[0];
    Value* const term = indexed.TermOfGather(emitter_, part, indices, type);
    result.mesh = indexed.mesh();
    result.dims.resize(type.dims.size());
    result.unreduced = indexed.axes();
    Terms how;
    if (type.dtype == DType::kPred) how.combiner = Opcode::kMaximum;
    Set(op.result(), Combine(op, {term, result}, how, {}));
    return true;
  }

  // The dimensions of what a scatter updates that stay spread although indices go into them; their
  // axes are in wish.taken then.
  Indexed IndexedScatter(const Op& op, SpreadWish& wish) const {
    if (op.opcode != Opcode::kScatter || op.type().NumElements() == 0) return {};
    Indexed indexed(op, Reduced(wish.results[0]));
    if (!indexed.any()) indexed = Indexed(op, wish.operands[0]);
    if (!indexed.any()) return {};
    // All updates go to each device along these axes. Or each device has some updates, and its
    // terms of the result move.
    const size_t updates = op.results.size() + 1;
    const Layout& layout = wish.operands[updates];
    const AxisList axes = layout.AllAxes();
    const bool conflict = std::any_of(
        axes.begin(), axes.end(), [&](const Axis& axis) { return Overlap(axis, indexed.axes()); });
    if (conflict && wish.operand_sizes[updates] > wish.operand_sizes[0] && TermsOf(op)) return {};
    if (!layout.IsReplicated() && !SameDevices(layout.mesh, indexed.mesh())) return {};
    wish.taken = indexed.axes();
    return indexed;
  }

  // A slice that is only joined with others is not made, but read through there.
  bool CanWait(const Op& op) {
    if (op.opcode != Opcode::kSlice || has_calls_of_manual_ || is_made_.contains(&op)) return false;
    const auto& slice = op.Get<SliceAttributes>();
    const auto& uses = uses_->Of(op.result());
    const bool is_joined =
        !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
          return use.op->opcode == Opcode::kConcatenate && block_of_[use.op] == block_of_[&op];
        });
    if (!is_joined || std::any_of(slice.stride.begin(), slice.stride.end(),
                                  [](int64_t stride) { return stride != 1; })) {
      return false;
    }
    waiting_.insert(op.result());
    return true;
  }
  Status MakeWaiting(const Op& op) {
    for (Value* operand : op.operands) {
      if (waiting_.erase(operand) == 0) continue;
      is_made_.insert(operand->op);
      PLINTH_RETURN_IF_ERROR(MapOpWithin(*operand->op));
    }
    return Status();
  }

  // Whether operands that are terms of sums stay so, because the result is to be one and the op is
  // linear: by operand. Their axes are in wish.taken.
  std::vector<bool> TermsThatPass(const Op& op, SpreadWish& wish) const {
    if (op.results.size() != 1 || wish.results[0].unreduced.empty() ||
        wish.results[0].reduction != ReductionOp::kSum) {
      return {};
    }
    AxisList passing;
    std::vector<bool> has_terms;
    for (const Value* operand : op.operands) {
      const Layout& layout = LocalOf(operand).layout;
      const bool may_pass =
          SameDevices(layout.mesh, wish.results[0].mesh) && layout.reduction == ReductionOp::kSum;
      has_terms.push_back(!layout.unreduced.empty());
      for (const Axis& axis : layout.unreduced) {
        const bool is_wanted =
            std::any_of(wish.results[0].unreduced.begin(), wish.results[0].unreduced.end(),
                        [&](const Axis& wanted) { return Contains(wanted, axis); });
        if (may_pass && is_wanted && !Overlap(axis, passing)) passing.push_back(axis);
      }
    }
    if (passing.empty()) return {};
    SortAndMerge(passing);
    std::vector<bool> are_terms = TermOperands(op, has_terms);
    if (!are_terms.empty()) wish.taken = std::move(passing);
    return are_terms;
  }

  static void AddTerms(Layout& layout, const Value* value, const SpreadWish& wish) {
    if (layout.IsReplicated()) {
      layout.mesh = wish.results[0].mesh;
      layout.dims.resize(static_cast<size_t>(value->type.rank()));
    }
    for (const Axis& axis : wish.taken) layout.unreduced.push_back(axis);
    SortAndMerge(layout.unreduced);
  }

  // Terms of a result become the result, as it is wanted.
  LocalValue Combine(const Op& op, LocalValue terms, const Terms& how, const LocalValue& init) {
    Layout reduced = Reduced(terms.layout);
    const Layout wanted = WantedOf(op.result());
    if (how.combiner == Opcode::kAdd || how.combiner == Opcode::kMaximum ||
        how.combiner == Opcode::kMinimum) {
      terms.layout.reduction = how.combiner == Opcode::kMaximum   ? ReductionOp::kMax
                               : how.combiner == Opcode::kMinimum ? ReductionOp::kMin
                                                                  : ReductionOp::kSum;
      // Spread further where that is wanted, a device needs a part of the sum only.
      if (IsFurther(Reduced(wanted), reduced)) reduced = Reduced(wanted);
      if (init.value == nullptr) KeepTerms(terms.layout, wanted, reduced);
      SpreadSums(op, terms.layout, reduced);
      terms = {emitter_.Reshard(terms, op.result()->type, reduced), reduced};
    } else {
      terms = {
          emitter_.AllReduce(terms.value, how.combiner, *terms.layout.mesh, terms.layout.unreduced),
          reduced};
    }
    if (init.value == nullptr) return terms;
    // The initial value of a scatter is an array as the result.
    const Type& whole = op.operands[how.init]->type;
    const bool is_array = whole.dims == op.type().dims;
    Value* all = emitter_.Reshard(init, whole, is_array ? terms.layout : Layout());
    Builder build = emitter_.builder();
    if (!is_array) all = build.Broadcast(all, terms.value->type.dims, {});
    terms.value = build.Binary(how.combiner, terms.value, all);
    return terms;
  }

  // Where all devices would compute the same of a sum, each gets a part of it.
  void SpreadSums(const Op& op, const Layout& terms, Layout& reduced) {
    for (const Axis& axis : terms.unreduced) {
      if (Overlap(axis, reduced.AllAxes()) || Overlap(axis, reduced.unreduced)) continue;
      const std::optional<size_t> dim = ahead_->DimToSpread(op.result(), reduced, terms.mesh, axis);
      if (!dim.has_value()) continue;
      if (reduced.IsReplicated()) {
        reduced.mesh = terms.mesh;
        reduced.dims.resize(terms.dims.size());
      }
      reduced.dims[*dim] = {axis};
    }
  }

  // What is wanted as terms is not reduced.
  static void KeepTerms(const Layout& terms, const Layout& wanted, Layout& reduced) {
    if (!SameDevices(terms.mesh, wanted.mesh) || terms.reduction != wanted.reduction) return;
    AxisList kept;
    for (const Axis& axis : terms.unreduced) {
      if (std::any_of(wanted.unreduced.begin(), wanted.unreduced.end(),
                      [&](const Axis& all) { return Contains(all, axis); })) {
        kept.push_back(axis);
      }
    }
    if (kept.empty()) return;
    if (reduced.IsReplicated()) {
      reduced.mesh = terms.mesh;
      reduced.dims.resize(terms.dims.size());
    }
    reduced.unreduced = std::move(kept);
    reduced.reduction = terms.reduction;
  }

  // Whether each dimension of `a` begins as that of `b`.
  static bool IsFurther(const Layout& a, const Layout& b) {
    if (a.IsReplicated() || !a.unreduced.empty()) return false;
    if (b.IsReplicated()) return true;
    if (!SameDevices(a.mesh, b.mesh)) return false;
    for (size_t i = 0; i < a.dims.size(); ++i) {
      if (!IsListPrefixOf(b.dims[i], a.dims[i])) return false;
    }
    return true;
  }

  // Who asked how an array lies is told; the call itself is nothing.
  Status TellSharding(const Op& op) {
    const Value* const value = op.operands[0];
    for (const Value* result : op.results) Set(result, LocalOf(value));
    if (options_.others == nullptr || !options_.tells_shardings) return Status();
    program::OpSharding sharding;
    if (emitter_.manual().IsAll()) {
      sharding.kind = program::OpSharding::Kind::kManual;
    } else {
      sharding = InXlasForm(Reduced(WantedOf(value)));
    }
    return options_.others->Tell(op.Get<CustomCallAttributes>().backend_config, sharding);
  }

  // Somebody else gives the program of one device's parts, and says how these lie.
  Status MapByOthers(const Op& op) {
    std::vector<Layout> operands, results;
    std::vector<CallPartitioners::Array> operand_arrays, result_arrays;
    for (const Value* operand : op.operands) {
      operands.push_back(Reduced(LocalOf(operand).layout));
      operand_arrays.push_back({&operand->type, InXlasForm(operands.back())});
    }
    for (const Value* result : op.results) {
      results.push_back(Reduced(WantedOf(result)));
      result_arrays.push_back({&result->type, InXlasForm(results.back())});
    }
    PLINTH_ASSIGN_OR_RETURN(
        const CallPartitioners::Part part,
        options_.others->Partition(op, operand_arrays, result_arrays, module_.num_partitions));
    const Block& body = *part.module->entry->body;
    const auto& returned = body.terminator()->operands;
    if (part.operands.size() != operands.size() || part.results.size() != results.size() ||
        body.arguments.size() != operands.size() || returned.size() != results.size()) {
      return InvalidArgument("its partitioner speaks of ", part.operands.size(), " operands and ",
                             part.results.size(), " results, and its program has ",
                             body.arguments.size(), " and ", returned.size(), "; expected ",
                             operands.size(), " and ", results.size());
    }
    Cloner cloner(module_);
    for (size_t i = 0; i < operands.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(Heed(part.operands[i], operand_arrays[i], *body.arguments[i],
                                  StrCat("operand ", i), operands[i]));
      cloner.Map(body.arguments[i], As(op.operands[i], operands[i]));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(
          Heed(part.results[i], result_arrays[i], *returned[i], StrCat("result ", i), results[i]));
    }
    for (const Op* inner : body.ops) {
      if (inner->opcode != Opcode::kReturn) emitter_.ops().push_back(cloner.Clone(*inner));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      Set(op.results[i], {cloner.Find(returned[i]), results[i]});
    }
    // What was cloned refers to what the other module keeps alive.
    using Owners = std::vector<std::shared_ptr<const void>>;
    module_.owner = std::make_shared<const Owners>(Owners{module_.owner, part.module->owner});
    return Status();
  }

  // `layout` becomes what a partitioner says of an array. Where it says what it was told, the
  // layout stays as it is, on the mesh of the program.
  Status Heed(const program::OpSharding& said, const CallPartitioners::Array& told,
              const Value& part, std::string_view what, Layout& layout) const {
    if (program::WriteOpSharding(said) != program::WriteOpSharding(told.sharding)) {
      PLINTH_ASSIGN_OR_RETURN(const ShardingRef sharding,
                              FromOpSharding(said, *told.type, FlatMesh(module_.num_partitions)));
      layout = Reduced(LayoutOf(sharding.get(), *told.type));
    }
    return CheckView(*told.type, layout, part.type)
        .WithContext(StrCat("what its partitioner says of ", what));
  }

  // What has effects has them on the device that the program names, with whole operands, and all
  // devices get its results. What JAX calls partitioned, every device does with its own parts.
  Status MapEffect(const Op& op) {
    constexpr std::string_view kOfEach = "xla_ffi_partitioned_python_cpu_callback";
    if (IsCallOf(op, kOfEach) && op.results.empty()) {
      SmallVector<Value*, 8> parts;
      for (const Value* operand : op.operands) parts.push_back(LocalOf(operand).value);
      Emit(op, {parts.data(), parts.size()}, {}, op.attributes);
      return Status();
    }
    const std::optional<int64_t> device = DeviceOf(op);
    if (!device.has_value() || emitter_.manual().is_inside) {
      return Unimplemented("it has effects; on which device it has them, nothing says");
    }
    SmallVector<Value*, 8> operands;
    for (const Value* operand : op.operands) {
      operands.push_back(IsTensor(operand->type) ? As(operand, Layout()) : LocalOf(operand).value);
    }
    std::vector<Type> types;
    for (const Value* result : op.results) types.push_back(result->type);
    Value* const id = emitter_.PartitionId();
    Builder build = emitter_.builder();
    Value* const is_here = build.Compare(ComparisonDirection::kEq, id,
                                         build.SplatLike(id, static_cast<double>(*device)));
    Op* const branch = build.AddOp(Opcode::kIf, {&is_here, 1}, types);
    for (const bool does : {true, false}) {
      Block* const block = module_.NewBlock();
      std::vector<Op*>* const outer = emitter_.Into(&block->ops);
      SmallVector<Value*, 8> returned;
      if (does) {
        const Op* const call = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
        for (Value* result : call->results) returned.push_back(result);
      } else {
        for (const Type& type : types) {
          Builder other = emitter_.builder();
          returned.push_back(IsTensor(type)
                                 ? other.Splat(type, 0)
                                 : other.AddOp(Opcode::kAfterAll, {}, {&type, 1})->result());
        }
      }
      emitter_.builder().AddOp(Opcode::kReturn, {returned.data(), returned.size()}, {});
      emitter_.Into(outer);
      branch->blocks.push_back(block);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      Value* const result = branch->results[i];
      Set(op.results[i],
          {IsTensor(types[i]) ? emitter_.BroadcastFrom(*device, result) : result, Layout()});
    }
    return Status();
  }

  // The device that the sharding of one of its results names. Without results there is one sharding
  // all the same.
  static std::optional<int64_t> DeviceOf(const Op& op) {
    if (op.shardings == nullptr) return std::nullopt;
    for (const ShardingRef& sharding : op.shardings->results) {
      if (sharding != nullptr && sharding->mesh->IsMaximal()) return sharding->mesh->device_ids[0];
    }
    return std::nullopt;
  }

  // Every device computes all of it.
  Status MapWhole(Op& op) {
    SmallVector<Value*, 8> operands;
    int64_t gathered = 0;
    for (const Value* operand : op.operands) {
      if (!Reduced(LocalOf(operand).layout).IsReplicated()) {
        gathered += operand->type.SizeInBytes();
      }
      operands.push_back(As(operand, Layout()));
    }
    if (gathered > 0) PLINTH_RETURN_IF_ERROR(CountFallback(op, gathered));
    std::vector<Type> types;
    for (const Value* result : op.results) types.push_back(result->type);
    Op* const made = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
    for (size_t i = 0; i < op.results.size(); ++i) {
      Set(op.results[i], {made->results[i], Layout()});
    }
    return Status();
  }

  Status CountFallback(const Op& op, int64_t bytes) {
    if (options_.fallback == Fallback::kError) {
      return Unimplemented("it would be computed whole by every device, after ", bytes,
                           " bytes were gathered, and partitioner_fallback is error");
    }
    ++report_.num_fallbacks;
    report_.fallback_bytes += bytes;
    if (options_.fallback == Fallback::kWarn && report_.warnings.size() < kMostWarnings) {
      report_.warnings.push_back(StrCat(Describe(op), " is computed whole by every device, after ",
                                        bytes, " bytes were gathered"));
    }
    return Status();
  }

  // --- Ops of their own.

  Status MapConstant(Op& op) {
    const Layout wanted = Reduced(WantedOf(op.result()));
    const bool is_splat = op.Get<ConstantAttributes>().is_splat;
    const Type type = is_splat ? LocalType(op.type(), wanted) : op.type();
    Op* const made = Emit(op, {}, {&type, 1}, op.attributes);
    LocalValue local = {made->result(), is_splat ? wanted : Layout()};
    if (!is_splat) local = {emitter_.Reshard(local, op.type(), wanted), wanted};
    Set(op.result(), std::move(local));
    return Status();
  }

  Status MapIota(Op& op) {
    const Layout wanted = Reduced(WantedOf(op.result()));
    const Type type = LocalType(op.type(), wanted);
    Value* value = Emit(op, {}, {&type, 1}, op.attributes)->result();
    const size_t dim = static_cast<size_t>(op.Get<DimensionAttributes>().dimension);
    if (!wanted.IsReplicated() && !wanted.Of(dim).empty()) {
      Builder build = emitter_.builder();
      Value* const index = emitter_.IndexAlong(*wanted.mesh, wanted.Of(dim));
      Value* const extent = build.SplatLike(index, static_cast<double>(type.dims[dim]));
      Value* const first =
          build.Convert(build.Binary(Opcode::kMultiply, index, extent), type.dtype);
      value = build.Binary(Opcode::kAdd, value, build.Broadcast(first, type.dims, {}));
    }
    Set(op.result(), {value, wanted});
    return Status();
  }

  Status MapConstraint(Op& op) {
    // What only says of its operand that it is one of a group.
    if (op.shardings != nullptr && op.shardings->group != OpShardings::kNoGroup) return Status();
    const Layout wanted = emitter_.manual().IsAll() ? Layout() : WantedOf(op.result());
    Set(op.result(), {As(op.operands[0], wanted), wanted});
    return Status();
  }

  Status MapBarrier(Op& op) {
    SmallVector<Value*, 8> operands;
    std::vector<Type> types;
    for (const Value* operand : op.operands) {
      operands.push_back(LocalOf(operand).value);
      types.push_back(operands.back()->type);
    }
    Op* const made = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
    for (size_t i = 0; i < op.results.size(); ++i) {
      Set(op.results[i], {made->results[i], LocalOf(op.operands[i]).layout});
    }
    return Status();
  }

  // What each device would draw on its own differs: the first one's numbers are everybody's.
  Status MapRng(Op& op) {
    PLINTH_RETURN_IF_ERROR(MapWhole(op));
    Set(op.result(), {emitter_.BroadcastFirst(LocalOf(op.result()).value), Layout()});
    return Status();
  }

  // Terms of a sum stay so in a loop if it makes such terms of them each turn.
  Layout CarriedLayout(const Op& op, size_t i) const {
    Layout carried = Reduced(WantedOf(op.results[i]));
    if (op.results[i]->type.kind != Type::Kind::kTensor) return carried;
    const Layout& before = LocalOf(op.operands[i]).layout;
    const Layout made = WantedOf(op.blocks[1]->terminator()->operands[i]);
    const bool may_stay = carried.IsReplicated() || SameDevices(carried.mesh, made.mesh);
    if (made.unreduced.empty() || !SameDevices(before.mesh, made.mesh) || !may_stay ||
        !(before.unreduced == made.unreduced) || before.reduction != made.reduction) {
      return carried;
    }
    if (carried.IsReplicated()) {
      carried.mesh = made.mesh;
      carried.dims.resize(static_cast<size_t>(op.results[i]->type.rank()));
    }
    for (const Axis& axis : made.unreduced) {
      if (Overlap(axis, carried.AllAxes())) return Reduced(std::move(carried));
    }
    carried.unreduced = made.unreduced;
    carried.reduction = made.reduction;
    return carried;
  }

  Status MapWhile(Op& op) {
    std::vector<Layout> carries;
    SmallVector<Value*, 8> operands;
    std::vector<Type> types;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      carries.push_back(CarriedLayout(op, i));
      operands.push_back(As(op.operands[i], carries.back()));
      types.push_back(LocalType(op.results[i]->type, carries.back()));
    }
    for (Block* block : op.blocks) Enter(*block, carries);
    const Layout predicate = {};
    PLINTH_RETURN_IF_ERROR(MapBlock(*op.blocks[0], {&predicate, 1}));
    PLINTH_RETURN_IF_ERROR(MapBlock(*op.blocks[1], carries));
    Op* const made = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
    for (size_t i = 0; i < carries.size(); ++i) Set(op.results[i], {made->results[i], carries[i]});
    return Status();
  }

  Status MapBranches(Op& op) {
    std::vector<Layout> results;
    std::vector<Type> types;
    for (const Value* result : op.results) {
      results.push_back(Reduced(WantedOf(result)));
      types.push_back(LocalType(result->type, results.back()));
    }
    Value* const selector = As(op.operands[0], Layout());
    for (Block* block : op.blocks) PLINTH_RETURN_IF_ERROR(MapBlock(*block, results));
    Op* const made = Emit(op, {&selector, 1}, types, op.attributes);
    for (size_t i = 0; i < results.size(); ++i) Set(op.results[i], {made->results[i], results[i]});
    return Status();
  }

  // The program itself says what devices do along some axes; what goes in and out is moved, and the
  // region is partitioned over the axes that are left.
  Status MapManual(Op& op) {
    const OpShardings* const said = op.shardings.get();
    if (said == nullptr || said->operands.size() != op.operands.size() ||
        said->results.size() != op.results.size()) {
      return InvalidArgument("it does not say how all of its operands and results are spread");
    }
    PLINTH_ASSIGN_OR_RETURN(ManualAxes manual, ManualAxesOf(op, emitter_.manual()));
    Block& body = *op.blocks[0];
    const auto& returned = body.terminator()->operands;
    std::vector<Layout> arguments, results;  // as they are outside
    for (size_t i = 0; i < op.operands.size(); ++i) {
      PLINTH_ASSIGN_OR_RETURN(arguments.emplace_back(),
                              LayoutAtBorder(said->operands[i], op.operands[i], body.arguments[i],
                                             manual, StrCat("argument ", i)));
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      PLINTH_ASSIGN_OR_RETURN(results.emplace_back(),
                              LayoutAtBorder(said->results[i], op.results[i], returned[i], manual,
                                             StrCat("result ", i)));
    }
    if (manual.IsAll() && !HasManual(body) && !InspectsShardings(body)) {
      CopyManual(op, arguments, results);
      return Status();
    }
    std::vector<Value*> entering;
    for (size_t i = 0; i < op.operands.size(); ++i)
      entering.push_back(As(op.operands[i], arguments[i]));
    // What the region uses of what is around it, every device has whole, or spread along free axes.
    std::vector<std::pair<const Value*, LocalValue>> captures;
    ForEachCapture(body, [&](const Value* value) {
      const Layout& layout = LocalOf(value).layout;
      const AxisList axes = layout.AllAxes();
      const bool is_free = std::none_of(
          axes.begin(), axes.end(), [&](const Axis& axis) { return Overlap(axis, manual.axes); });
      if (layout.IsReplicated() || (is_free && SameDevices(layout.mesh, manual.mesh))) return;
      captures.emplace_back(value, LocalOf(value));
      Set(value, {As(value, Layout()), Layout()});
    });
    for (size_t i = 0; i < op.operands.size(); ++i) {
      Set(body.arguments[i], {entering[i], LayoutInside(body.arguments[i])});
    }
    const ManualAxes outer = emitter_.Within(manual);
    PLINTH_RETURN_IF_ERROR(CheckFreeAxes(body, manual));
    PLINTH_RETURN_IF_ERROR(MapOps(body));
    emitter_.At(op.location);
    for (size_t i = 0; i < op.results.size(); ++i) {
      Set(op.results[i], {As(returned[i], LayoutInside(returned[i])), results[i]});
    }
    emitter_.Within(outer);
    // One may be met twice: the first time it was as it is outside.
    for (size_t i = captures.size(); i > 0; --i) {
      Set(captures[i - 1].first, std::move(captures[i - 1].second));
    }
    return Status();
  }

  // How a value of a region lies along the free axes.
  Layout LayoutInside(const Value* value) const {
    return shardings_.Of(value) == nullptr ? Layout() : Reduced(WantedOf(value));
  }

  // The layout outside of a value that is `inside` in the region.
  Expected<Layout> LayoutAtBorder(const ShardingRef& said, const Value* outside,
                                  const Value* inside, const ManualAxes& manual,
                                  std::string_view what) const {
    // What is known inside is not of the types outside, so the region's axes are looked at alone.
    PLINTH_ASSIGN_OR_RETURN(const Layout own,
                            LayoutOutside(said, outside->type, Layout(), manual.axes));
    if (const Type expected = LocalType(outside->type, own); !(expected == inside->type)) {
      return InvalidArgument(what, " of the region is ", inside->type.ToString(), "; expected ",
                             expected.ToString(), ", a part of ", outside->type.ToString());
    }
    return LayoutOutside(said, outside->type, LayoutInside(inside), manual.axes);
  }

  static bool HasManual(const Block& block) {
    return std::any_of(block.ops.begin(), block.ops.end(), [](const Op* op) {
      return op->opcode == Opcode::kManualComputation ||
             std::any_of(op->blocks.begin(), op->blocks.end(),
                         [](const Block* inner) { return HasManual(*inner); });
    });
  }

  static bool InspectsShardings(Block& body) {
    bool does = false;
    ForEachOp(body, [&](Block&, Op& op) { does |= IsCallOf(op, kInspectSharding); });
    return does;
  }

  // In the region nobody may speak of its axes.
  Status CheckFreeAxes(Block& body, const ManualAxes& manual) const {
    Status status;
    const auto check = [&](const std::vector<ShardingRef>& shardings, const Op& op) {
      for (const ShardingRef& sharding : shardings) {
        if (sharding == nullptr || manual.mesh == nullptr || !status.ok() ||
            !SameDevices(sharding->mesh, manual.mesh)) {
          continue;
        }
        for (const DimSharding& dim : sharding->dims) {
          for (const Axis& axis : dim.axes) {
            if (!Overlap(axis, manual.axes)) continue;
            status = At(
                op, InvalidArgument("the sharding ", ToString(*sharding), " has axis ",
                                    ToString(*manual.mesh, axis), ", which is manual around it"));
          }
        }
      }
    };
    ForEachOp(body, [&](Block&, Op& op) {
      if (op.shardings == nullptr) return;
      check(op.shardings->results, op);
      check(op.shardings->operands, op);
    });
    return status;
  }

  // A region in which every device is on its own is taken as it is.
  void CopyManual(Op& op, std::span<const Layout> arguments, std::span<const Layout> results) {
    Block& body = *op.blocks[0];
    Cloner cloner(module_);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      cloner.Map(body.arguments[i], As(op.operands[i], arguments[i]));
    }
    ForEachCapture(body, [&](const Value* value) { cloner.Map(value, As(value, Layout())); });
    const auto& returned = body.terminator()->operands;
    for (const Op* inner : body.ops) {
      if (inner->opcode == Opcode::kReturn) continue;
      Op* const copy = cloner.Clone(*inner);
      copy->shardings = nullptr;
      emitter_.ops().push_back(copy);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      Set(op.results[i], {cloner.Find(returned[i]), results[i]});
    }
  }

  template <typename Visit>
  void ForEachCapture(Block& block, const Visit& visit) {
    for (Op* inner : block.ops) {
      for (Value* operand : inner->operands) {
        const size_t id = static_cast<size_t>(operand->id);
        if (id < locals_.size() && locals_[id].value != nullptr) visit(operand);
      }
      for (Block* nested : inner->blocks) ForEachCapture(*nested, visit);
    }
  }

  // In a region that is manual in part, a collective works among devices of the same place along
  // the free axes: what these spread passes through it.
  Status CheckCollective(const Op& op) const {
    const ManualAxes& manual = emitter_.manual();
    if (!manual.is_inside) {
      return Unimplemented("collectives are supported in manual computations only");
    }
    Layout free;
    free.mesh = manual.mesh;
    free.dims = {manual.Free()};
    const std::vector<int64_t> places = PartsOf(free, module_.num_partitions);
    for (const std::vector<int64_t>& group : op.Get<CollectiveAttributes>().groups) {
      for (int64_t id : group) {
        const auto place_of = [&](int64_t device) { return places[static_cast<size_t>(device)]; };
        if (id < 0 || id >= module_.num_partitions || group[0] < 0 ||
            group[0] >= module_.num_partitions || place_of(id) == place_of(group[0])) {
          continue;
        }
        return InvalidArgument("it works between the devices ", group[0], " and ", id,
                               ", which differ along axes that are not manual");
      }
    }
    return Status();
  }

  Module& module_;
  const PartitionOptions& options_;
  Emitter emitter_;
  PropagatedShardings shardings_;
  std::vector<LocalValue> locals_;  // by id of the value of the whole array
  PartitionReport report_;
  // What GSPMD's calls make: values that are of one device.
  bool has_calls_of_manual_ = false;
  std::optional<Uses> uses_;
  std::optional<Ahead> ahead_;
  std::unordered_map<const Op*, const Block*> block_of_;
  std::unordered_set<const Value*> waiting_;  // slices that are not made yet
  std::unordered_set<const Op*> is_made_;     // slices that have to be made after all
  std::unordered_set<const Value*> is_manual_;
};

}  // namespace

Expected<PartitionReport> Partition(Module& module, const PartitionOptions& options) {
  if (module.num_replicas != 1) {
    return Unimplemented("the program is for ", module.num_replicas, " replicas of ",
                         module.num_partitions,
                         " partitions; replicas of partitioned programs are not supported");
  }
  if (module.num_partitions > kMostPartitions) {
    return ResourceExhausted("the program is for ", module.num_partitions, " partitions; at most ",
                             kMostPartitions, " are supported");
  }
  return Partitioner(module, options).Run();
}

}  // namespace plinth::compiler::partition
