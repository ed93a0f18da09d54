// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/partition.h"

#include <algorithm>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/combine.h"
#include "reference_plugin/compiler/partition/join_gathers.h"
#include "reference_plugin/compiler/partition/merge_meshes.h"
#include "reference_plugin/compiler/partition/settle.h"
#include "reference_plugin/compiler/partition/split_ffts.h"
#include "reference_plugin/compiler/partition/walk.h"
#include "reference_plugin/compiler/passes/dead_code.h"

namespace plinth::compiler::partition {
namespace {

// Every collective lists all devices.
constexpr int64_t kMostPartitions = 4096;

}  // namespace

std::string Partitioner::PropagatedText(const PropagatedShardings& shardings) const {
  std::string text = ToString(module_, [&](const Value& value) {
    const ShardingRef& sharding = shardings.Of(&value);
    return sharding == nullptr ? std::string() : ToString(*sharding);
  });
  return StrCat(text, "results as propagated ", ToString(shardings.results), "\n");
}

Status Partitioner::CheckMesh(const Sharding& sharding) const {
  const Mesh& mesh = *sharding.mesh;
  const int64_t devices = module_.num_partitions;
  if (mesh.IsMaximal() && mesh.device_ids[0] < devices) return Status();
  if (!mesh.IsMaximal() && (mesh.axes.empty() || mesh.num_devices() == devices)) return Status();
  return InvalidArgument("the program is for ", devices, " partitions; mesh ", ToString(mesh),
                         " is of others");
}

Status Partitioner::CheckAll(std::span<const ShardingRef> shardings) const {
  for (const ShardingRef& sharding : shardings) {
    if (sharding != nullptr) PLINTH_RETURN_IF_ERROR(CheckMesh(*sharding));
  }
  return Status();
}

Status Partitioner::CheckMeshes() {
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

template <typename Values>
void Partitioner::KeepWhole(const std::vector<bool>& free, const Values& values,
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

void Partitioner::DropScalarConstraints() {
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

program::OpSharding Partitioner::InXlasForm(const Layout& layout) {
  if (layout.IsReplicated()) return {};
  Sharding sharding;
  sharding.mesh = layout.mesh;
  sharding.unreduced = layout.unreduced;
  for (const AxisList& axes : layout.dims) sharding.dims.emplace_back().axes = axes;
  return ToOpSharding(sharding);
}

std::string Partitioner::Written(const Layout& layout) {
  return program::WriteOpSharding(InXlasForm(layout));
}

void Partitioner::FitDonations() {
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

Expected<PartitionReport> Partitioner::Run() && {
  PLINTH_RETURN_IF_ERROR(CheckMeshes());
  MergeMeshes(module_);
  DropScalarConstraints();
  Function& entry = *module_.entry;
  KeepWhole(options_.free_parameters, entry.body->arguments, entry.argument_shardings);
  KeepWhole(options_.free_outputs, entry.body->terminator()->operands, entry.result_shardings);
  PLINTH_ASSIGN_OR_RETURN(PropagatedShardings shardings, Propagate(module_, rules_));
  if (options_.dumper != nullptr) {
    options_.dumper->Dump("propagated", [&] { return PropagatedText(shardings); });
  }
  // What nobody needs moves nothing. The propagation looks at it, as Shardy's does.
  passes::EliminateDeadOps(module_);
  SplitFfts(module_, shardings);
  wanted_.emplace(std::move(shardings), layouts_);
  locals_.resize(static_cast<size_t>(module_.num_values()));
  uses_.emplace(module_, *module_.entry->body);
  if (options_.settles) Settle(module_, *uses_, costs_, options_.least_gain, rules_, *wanted_);
  ahead_.emplace(*uses_, *wanted_, rules_, costs_, options_.least_gain);
  block_of_.resize(static_cast<size_t>(module_.num_ops()), nullptr);
  ForEachOp(*module_.entry->body,
            [&](Block& block, Op& op) { block_of_[static_cast<size_t>(op.id)] = &block; });
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
  const std::vector<ShardingRef>& wanted = wanted_->shardings().results;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Value* const value = body.terminator()->operands[i];
    results.push_back(LayoutOf(wanted[i].get(), value->type));
    module_.output_shardings.push_back(Written(results.back()));
  }
  PLINTH_RETURN_IF_ERROR(MapBlock(body, results));
  body.ops.insert(body.ops.begin(), emitter_.prologue().begin(), emitter_.prologue().end());
  JoinGathers(module_);
  CombineCollectives(module_, costs_);
  FitDonations();
  module_.meshes.clear();
  module_.entry->argument_shardings.clear();
  module_.entry->result_shardings.clear();
  return report_;
}

Expected<PartitionReport> Partition(Module& module, const CollectiveCosts& costs,
                                    const PartitionOptions& options) {
  if (module.num_replicas != 1) {
    return Unimplemented("the program is for ", module.num_replicas, " replicas of ",
                         module.num_partitions,
                         " partitions; replicas of partitioned programs are not supported");
  }
  if (module.num_partitions > kMostPartitions) {
    return ResourceExhausted("the program is for ", module.num_partitions, " partitions; at most ",
                             kMostPartitions, " are supported");
  }
  return Partitioner(module, costs, options).Run();
}

}  // namespace plinth::compiler::partition
