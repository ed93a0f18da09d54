// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/walk.h"

namespace plinth::compiler::partition {
namespace {

// The device that the sharding of one of its results names. Without results there is one sharding
// all the same.
std::optional<int64_t> DeviceOf(const Op& op) {
  if (op.shardings == nullptr) return std::nullopt;
  for (const ShardingRef& sharding : op.shardings->results) {
    if (sharding != nullptr && sharding->mesh->IsMaximal()) return sharding->mesh->device_ids[0];
  }
  return std::nullopt;
}

}  // namespace

Status Partitioner::TellSharding(const Op& op) {
  const Value* const value = op.operands[0];
  for (const Value* result : op.results) Set(result, LocalValueOf(value));
  if (options_.others == nullptr || !options_.tells_shardings) return Status();
  program::OpSharding sharding;
  if (emitter_.manual().IsAll()) {
    sharding.kind = program::OpSharding::Kind::kManual;
  } else {
    sharding = InXlasForm(Reduced(WantedOf(value)));
  }
  return options_.others->Tell(op.Get<CustomCallAttributes>().backend_config, sharding);
}

Status Partitioner::MapByOthers(const Op& op) {
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

Status Partitioner::Heed(const program::OpSharding& said, const CallPartitioners::Array& told,
                         const Value& part, std::string_view what, Layout& layout) const {
  if (program::WriteOpSharding(said) != program::WriteOpSharding(told.sharding)) {
    PLINTH_ASSIGN_OR_RETURN(const ShardingRef sharding,
                            FromOpSharding(said, *told.type, FlatMesh(module_.num_partitions)));
    layout = Reduced(LayoutOf(sharding.get(), *told.type));
  }
  return CheckView(*told.type, layout, part.type)
      .WithContext(StrCat("what its partitioner says of ", what));
}

Status Partitioner::MapEffect(const Op& op) {
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

}  // namespace plinth::compiler::partition
