// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/partition.h"

#include <algorithm>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_sharding.h"
#include "reference_plugin/compiler/ir/print.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/combine.h"
#include "reference_plugin/compiler/partition/emitter.h"
#include "reference_plugin/compiler/partition/local_op.h"
#include "reference_plugin/compiler/partition/propagate.h"
#include "reference_plugin/compiler/partition/uses.h"

namespace plinth::compiler::partition {
namespace {

// Every collective lists all devices.
constexpr int64_t kMostPartitions = 4096;

bool IsTensor(const Type& type) { return type.kind == Type::Kind::kTensor; }

// An error with the op and its place.
Status At(const Op& op, Status status) {
  return status.ok() ? status : status.WithContext(Describe(op));
}

// Walks the program forward once and writes the arguments and ops of its blocks anew; the old
// values keep the types of whole arrays.
class Partitioner {
 public:
  Partitioner(Module& module, Dumper* dumper)
      : module_(module), dumper_(dumper), emitter_(module, module.num_partitions) {}

  Expected<PartitionReport> Run() && {
    PLINTH_RETURN_IF_ERROR(CheckMeshes());
    shardings_ = Propagate(module_);
    if (dumper_ != nullptr) dumper_->Dump("propagated", [&] { return PropagatedText(); });
    locals_.resize(static_cast<size_t>(module_.num_values()));
    Block& body = *module_.entry->body;
    module_.parameter_shardings.clear();
    std::vector<Layout> arguments;
    for (const Value* argument : body.arguments) {
      arguments.push_back(WantedOf(argument));
      module_.parameter_shardings.push_back(Written(arguments.back(), argument));
    }
    Enter(body, arguments);
    std::vector<Layout> results;
    module_.output_shardings.clear();
    for (size_t i = 0; i < shardings_.results.size(); ++i) {
      const Value* const value = body.terminator()->operands[i];
      results.push_back(LayoutOf(shardings_.results[i].get(), value->type));
      module_.output_shardings.push_back(Written(results.back(), value));
    }
    PLINTH_RETURN_IF_ERROR(MapBlock(body, results));
    body.ops.insert(body.ops.begin(), emitter_.prologue().begin(), emitter_.prologue().end());
    CombineAllReduces(module_);
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
      if (op.shardings == nullptr || !status.ok()) return;
      status = At(op, CheckAll(op.shardings->results));
      if (status.ok()) status = At(op, CheckAll(op.shardings->operands));
    });
    return status;
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

  std::string Written(const Layout& layout, const Value* value) const {
    program::OpSharding written;
    if (!layout.IsReplicated()) {
      Sharding sharding;
      sharding.mesh = layout.mesh;
      sharding.unreduced = layout.unreduced;
      for (const AxisList& axes : layout.dims) sharding.dims.emplace_back().axes = axes;
      written = ToOpSharding(sharding);
    }
    return IsTensor(value->type) ? program::WriteOpSharding(written) : std::string();
  }

  void FitDonations() {
    const Block& body = *module_.entry->body;
    for (Donation& donation : module_.donations) {
      if (donation.output < 0) continue;
      const Value* const output = body.terminator()->operands[static_cast<size_t>(donation.output)];
      if (!(output->type == body.arguments[static_cast<size_t>(donation.argument)]->type)) {
        donation.output = -1;
      }
    }
  }

  // --- Blocks and ops.

  Status MapBlock(Block& block, std::span<const Layout> results) {
    std::vector<Op*> ops;
    std::vector<Op*>* const outer = emitter_.Into(&ops);
    emitter_.BeginBlock();
    for (Op* op : block.ops) {
      emitter_.At(op->location);
      if (op->opcode != Opcode::kReturn) {
        PLINTH_RETURN_IF_ERROR(At(*op, MapOp(*op)));
        continue;
      }
      SmallVector<Value*, 8> returned;
      for (size_t i = 0; i < op->operands.size(); ++i) {
        returned.push_back(As(op->operands[i], results[i]));
      }
      emitter_.builder().AddOp(Opcode::kReturn, {returned.data(), returned.size()}, {});
    }
    emitter_.EndBlock();
    emitter_.Into(outer);
    block.ops = std::move(ops);
    return Status();
  }

  Status MapOp(Op& op) {
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
        return Unimplemented("the number of a device is known in manual computations only");
      case Opcode::kRng:
        return MapRng(op);
      default:
        break;
    }
    if (InfoOf(op.opcode).category == Category::kCollective) {
      return Unimplemented("collectives are supported in manual computations over all axes");
    }
    if (OwnEffectOf(op) != Effect::kPure) {
      return Unimplemented("it has effects; on which device it has them, nothing says");
    }
    const Rule rule = RuleOf(op);
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

  Status MapByRule(Op& op, const Rule& rule) {
    SpreadWish wish;
    wish.rule = &rule;
    wish.spreadable = SpreadableFactors(op, rule);
    for (const Value* operand : op.operands) {
      wish.operands.push_back(Reduced(LocalOf(operand).layout));
      wish.operand_sizes.push_back(operand->type.NumElements());
    }
    for (const Value* result : op.results) wish.results.push_back(WantedOf(result));
    const partition::Spread spread = ChooseSpread(wish);
    if (spread.mesh == nullptr) return MapWhole(op);
    const OpLayouts layouts = LayoutsOf(op, rule, spread.mesh, spread.axes);
    SmallVector<Value*, 8> operands;
    std::vector<Type> operand_types, result_types;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      operands.push_back(As(op.operands[i], layouts.operands[i]));
      operand_types.push_back(operands.back()->type);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      result_types.push_back(LocalType(op.results[i]->type, layouts.results[i]));
    }
    AxisList unreduced;
    if (!op.results.empty()) unreduced = layouts.results[0].unreduced;
    const std::optional<Terms> terms = unreduced.empty() ? std::nullopt : TermsOf(op);
    Value* init = nullptr;
    if (terms.has_value() && terms->counts_init) {
      init = std::exchange(operands[1], NeutralLike(operands[1], terms->combiner));
    }
    Op* const made = Emit(op, {operands.data(), operands.size()}, result_types,
                          LocalAttributes(op, operand_types, result_types));
    for (size_t i = 0; i < op.results.size(); ++i) {
      LocalValue local = {made->results[i], layouts.results[i]};
      if (terms.has_value()) local = Combine(op, std::move(local), *terms, init);
      Set(op.results[i], std::move(local));
    }
    return Status();
  }

  Value* NeutralLike(Value* init, Opcode combiner) {
    return emitter_.builder().SplatLike(init, combiner == Opcode::kMultiply ? 1 : 0);
  }

  // Terms of a result become the result, as it is wanted.
  LocalValue Combine(const Op& op, LocalValue terms, const Terms& how, Value* init) {
    Layout reduced = Reduced(terms.layout);
    const Layout wanted = WantedOf(op.result());
    if (how.combiner == Opcode::kAdd || how.combiner == Opcode::kMaximum ||
        how.combiner == Opcode::kMinimum) {
      terms.layout.reduction = how.combiner == Opcode::kMaximum   ? ReductionOp::kMax
                               : how.combiner == Opcode::kMinimum ? ReductionOp::kMin
                                                                  : ReductionOp::kSum;
      // Spread further where that is wanted, a device needs a part of the sum only.
      if (IsFurther(wanted, reduced)) reduced = wanted;
      terms = {emitter_.Reshard(terms, op.result()->type, reduced), reduced};
    } else {
      terms = {
          emitter_.AllReduce(terms.value, how.combiner, *terms.layout.mesh, terms.layout.unreduced),
          reduced};
    }
    if (init == nullptr) return terms;
    Builder build = emitter_.builder();
    Value* const all = build.Broadcast(init, terms.value->type.dims, {});
    terms.value = build.Binary(how.combiner, terms.value, all);
    return terms;
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

  // Every device computes all of it.
  Status MapWhole(Op& op) {
    SmallVector<Value*, 8> operands;
    bool gathers = false;
    for (const Value* operand : op.operands) {
      const LocalValue& local = LocalOf(operand);
      operands.push_back(As(operand, Layout()));
      if (local.layout.IsReplicated()) continue;
      gathers = true;
      report_.fallback_bytes += operands.back()->type.SizeInBytes();
    }
    report_.num_fallbacks += gathers ? 1 : 0;
    std::vector<Type> types;
    for (const Value* result : op.results) types.push_back(result->type);
    Op* const made = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
    for (size_t i = 0; i < op.results.size(); ++i) {
      Set(op.results[i], {made->results[i], Layout()});
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
    const Layout wanted = WantedOf(op.result());
    if (!wanted.unreduced.empty()) {
      return Unimplemented("it asks for a value that is not reduced");
    }
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

  Status MapWhile(Op& op) {
    std::vector<Layout> carries;
    SmallVector<Value*, 8> operands;
    std::vector<Type> types;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      carries.push_back(Reduced(WantedOf(op.results[i])));
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

  // The program itself says what each device does; only what goes in and out is moved.
  Status MapManual(Op& op) {
    const OpShardings* const said = op.shardings.get();
    if (said == nullptr || said->operands.size() != op.operands.size() ||
        said->results.size() != op.results.size()) {
      return InvalidArgument("it does not say how all of its operands and results are spread");
    }
    Block& body = *op.blocks[0];
    const auto layout_of = [&](const ShardingRef& sharding, const Type& global, const Type& local,
                               std::string_view what, size_t i, Layout* layout) -> Status {
      if (sharding != nullptr) PLINTH_RETURN_IF_ERROR(CheckAllManual(*sharding, said->manual_axes));
      *layout = LayoutOf(sharding.get(), global);
      if (LocalType(global, *layout) == local) return Status();
      return InvalidArgument(what, " ", i, " of the region is ", local.ToString(), "; expected ",
                             LocalType(global, *layout).ToString(), ", a part of ",
                             global.ToString());
    };
    Cloner cloner(module_);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      Layout layout;
      PLINTH_RETURN_IF_ERROR(layout_of(said->operands[i], op.operands[i]->type,
                                       body.arguments[i]->type, "argument", i, &layout));
      cloner.Map(body.arguments[i], As(op.operands[i], layout));
    }
    MapCaptures(body, cloner);
    const auto& returned = body.terminator()->operands;
    std::vector<Layout> layouts(op.results.size());
    for (size_t i = 0; i < op.results.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(layout_of(said->results[i], op.results[i]->type, returned[i]->type,
                                       "result", i, &layouts[i]));
    }
    for (const Op* inner : body.ops) {
      if (inner->opcode == Opcode::kReturn) continue;
      if (inner->opcode == Opcode::kManualComputation) {
        return Unimplemented("manual computations in one another are not supported yet");
      }
      Op* const copy = cloner.Clone(*inner);
      copy->shardings = nullptr;
      emitter_.ops().push_back(copy);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      Set(op.results[i], {cloner.Find(returned[i]), layouts[i]});
    }
    return Status();
  }

  // What the region uses of what is around it, every device has whole.
  void MapCaptures(Block& block, Cloner& cloner) {
    for (const Op* inner : block.ops) {
      for (Value* operand : inner->operands) {
        const size_t id = static_cast<size_t>(operand->id);
        if (id < locals_.size() && locals_[id].value != nullptr) {
          cloner.Map(operand, As(operand, Layout()));
        }
      }
      for (Block* nested : inner->blocks) MapCaptures(*nested, cloner);
    }
  }

  static Status CheckAllManual(const Sharding& sharding, const std::vector<std::string>& manual) {
    for (const MeshAxis& axis : sharding.mesh->axes) {
      if (axis.size == 1 || std::find(manual.begin(), manual.end(), axis.name) != manual.end()) {
        continue;
      }
      return Unimplemented("axis \"", axis.name,
                           "\" is not manual; computations that are manual in part are not "
                           "supported yet");
    }
    return Status();
  }

  Module& module_;
  Dumper* const dumper_;
  Emitter emitter_;
  PropagatedShardings shardings_;
  std::vector<LocalValue> locals_;  // by id of the value of the whole array
  PartitionReport report_;
};

}  // namespace

Expected<PartitionReport> Partition(Module& module, Dumper* dumper) {
  if (module.num_replicas != 1) {
    return Unimplemented("the program is for ", module.num_replicas, " replicas of ",
                         module.num_partitions,
                         " partitions; replicas of partitioned programs are not supported");
  }
  if (module.num_partitions > kMostPartitions) {
    return ResourceExhausted("the program is for ", module.num_partitions, " partitions; at most ",
                             kMostPartitions, " are supported");
  }
  return Partitioner(module, dumper).Run();
}

}  // namespace plinth::compiler::partition
