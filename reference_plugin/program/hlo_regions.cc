// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "api/support/xla_mesh.h"
#include "api/support/xla_message_fields.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_reader.h"
#include "reference_plugin/program/hlo_wire.h"

// Ops that apply a computation to elements, and collectives.
namespace plinth::program {
namespace {

using messages::CollectiveDeviceListProto;
using messages::HloInstructionProto;
using messages::IotaReplicaGroupListProto;
using messages::MeshAxesReplicaGroupListProto;
using messages::ReplicaGroupProto;
using messages::ScatterDimensionNumbersProto;
using messages::SourceTargetProto;
using messages::WindowDimensionProto;
using messages::WindowProto;

// Groups that are given as a formula name this many devices at most.
constexpr int64_t kMostDevices = 1 << 20;
constexpr size_t kMostDimensions = 128;

using Groups = std::vector<std::vector<int64_t>>;

// 0, 1, 2, ... in a shape, transposed, as `count` groups of `size`.
Status ExpandGroups(int64_t count, int64_t size, std::span<const int64_t> dims,
                    std::span<const int64_t> order, Groups* groups) {
  int64_t total = 1;
  bool fits = dims.size() == order.size() && dims.size() <= kMostDimensions && count > 0 &&
              size > 0 && count <= kMostDevices && size <= kMostDevices / count;
  for (const int64_t dim : dims) {
    fits = fits && dim > 0 && total <= kMostDevices / dim;
    if (fits) total *= dim;
  }
  std::vector<int64_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; fits && i < sorted.size(); ++i) fits = sorted[i] == static_cast<int64_t>(i);
  if (!fits || total != count * size) {
    return InvalidArgument("its ", count, " groups of ", size, " devices are not a permutation of ",
                           "the devices [", StrJoin(dims, ",").substr(0, 100), "]");
  }
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  std::vector<int64_t> index(dims.size(), 0);
  int64_t device = 0;
  groups->assign(static_cast<size_t>(count), {});
  for (int64_t i = 0; i < total; ++i) {
    (*groups)[static_cast<size_t>(i / size)].push_back(device);
    for (size_t d = order.size(); d-- > 0;) {
      const auto dim = static_cast<size_t>(order[d]);
      device += strides[dim];
      if (++index[d] < dims[dim]) break;
      device -= strides[dim] * dims[dim];
      index[d] = 0;
    }
  }
  return {};
}

// The groups that a formula stands for, one after the other.
Status ReadFormula(std::string_view formula, Groups* groups) {
  using Formula = IotaReplicaGroupListProto;
  return ExpandGroups(IntField(formula, Formula::kNumReplicaGroups),
                      IntField(formula, Formula::kNumDevicesPerGroup),
                      IntsField(formula, Formula::kIotaReshapeDims),
                      IntsField(formula, Formula::kIotaTransposePerm), groups);
}

// The devices of a group differ in some axes of a mesh, groups in the others.
Status ReadMeshGroups(std::string_view message, Groups* groups) {
  using List = MeshAxesReplicaGroupListProto;
  const auto reader_of = [](std::string_view bytes) {
    return protozero::pbf_reader(bytes.data(), bytes.size());
  };
  PLINTH_ASSIGN_OR_RETURN(const messages::DeviceMesh mesh,
                          messages::ReadDeviceMesh(reader_of(BytesField(message, List::kMesh))));
  std::vector<messages::MeshAxes> lists(2);
  PLINTH_RETURN_IF_ERROR(
      ForEachBytes<Status>(message, List::kAxes, [&](std::string_view axis) -> Status {
        PLINTH_ASSIGN_OR_RETURN(lists[1].emplace_back(), messages::ReadMeshAxis(reader_of(axis)));
        return {};
      }));
  PLINTH_ASSIGN_OR_RETURN(const messages::MeshOrder order,
                          messages::OrderMesh(mesh, std::move(lists), /*rest=*/0));
  const int64_t count = order.sizes[0], size = order.sizes[1];
  if (order.devices.empty()) {
    return ExpandGroups(count, size, order.iota_reshape_dims, order.iota_transpose_perm, groups);
  }
  groups->assign(static_cast<size_t>(count), {});
  for (size_t i = 0; i < order.devices.size(); ++i) {
    (*groups)[i / static_cast<size_t>(size)].push_back(order.devices[i]);
  }
  return {};
}

Groups GroupsIn(std::string_view message, uint32_t field) {
  Groups groups;
  (void)ForEachBytes<Status>(message, field, [&](std::string_view group) {
    groups.push_back(IntsField(group, ReplicaGroupProto::kReplicaIds));
    return Status();
  });
  return groups;
}

}  // namespace

// The called computations as regions with arguments; then attributes may be added.
Status HloReader::BeginRegions(const Instruction& in, size_t count) {
  ReserveResults(in.shape->leaves);
  const ValueId reserved = reserved_;
  const std::span<Region> regions = NewRegions(count);
  for (size_t i = 0; i < count; ++i) {
    PLINTH_ASSIGN_OR_RETURN(HloBody* const called, OpenCalled(in, i, count));
    PLINTH_RETURN_IF_ERROR(MakeRegion(in.opcode->op, *called, &regions[i]));
  }
  operands_.clear();
  named_.clear();
  regions_ = regions;
  reserved_ = reserved;
  return {};
}

Status HloReader::ReadMap(const Instruction& in) { return ReadReduce(in); }

Status HloReader::ReadReduce(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(BeginRegions(in, 1));
  AddInts("dimensions", in, HloInstructionProto::kDimensions);
  return EmitPlain(in);
}

Status HloReader::ReadReduceWindow(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(BeginRegions(in, 1));
  const std::string_view window = BytesField(in.rest, HloInstructionProto::kWindow);
  const std::vector<int64_t> reversal =
      ColumnOf(window, WindowProto::kDimensions, WindowDimensionProto::kWindowReversal);
  if (std::ranges::count(reversal, 0) != std::ssize(reversal)) {
    return Unimplemented("windows of a reduction are not read reversed");
  }
  Add("window_dimensions", ColumnIn(window, WindowProto::kDimensions, WindowDimensionProto::kSize));
  Add("window_strides", ColumnIn(window, WindowProto::kDimensions, WindowDimensionProto::kStride));
  Add("base_dilations",
      ColumnIn(window, WindowProto::kDimensions, WindowDimensionProto::kBaseDilation));
  Add("window_dilations",
      ColumnIn(window, WindowProto::kDimensions, WindowDimensionProto::kWindowDilation));
  AddPadding(window);
  return EmitPlain(in);
}

Status HloReader::ReadSelectAndScatter(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(BeginRegions(in, 2));
  const std::string_view window = BytesField(in.rest, HloInstructionProto::kWindow);
  Add("window_dimensions", ColumnIn(window, WindowProto::kDimensions, WindowDimensionProto::kSize));
  Add("window_strides", ColumnIn(window, WindowProto::kDimensions, WindowDimensionProto::kStride));
  AddPadding(window);
  return EmitPlain(in);
}

Status HloReader::ReadScatter(const Instruction& in) {
  using Numbers = ScatterDimensionNumbersProto;
  PLINTH_RETURN_IF_ERROR(BeginRegions(in, 1));
  const std::string_view numbers =
      BytesField(in.rest, HloInstructionProto::kScatterDimensionNumbers);
  const auto list = [&](uint32_t field) { return IntsIn(numbers, field); };
  AddStruct("scatter_dimension_numbers", "stablehlo.scatter",
            {{"update_window_dims", list(Numbers::kUpdateWindowDims)},
             {"inserted_window_dims", list(Numbers::kInsertedWindowDims)},
             {"input_batching_dims", list(Numbers::kInputBatchingDims)},
             {"scatter_indices_batching_dims", list(Numbers::kScatterIndicesBatchingDims)},
             {"scatter_dims_to_operand_dims", list(Numbers::kScatterDimsToOperandDims)},
             {"index_vector_dim", Int(IntField(numbers, Numbers::kIndexVectorDim))}});
  AddBool("indices_are_sorted", BoolField(in.rest, HloInstructionProto::kIndicesAreSorted));
  AddBool("unique_indices", BoolField(in.rest, HloInstructionProto::kUniqueIndices));
  return EmitPlain(in);
}

Status HloReader::ReadSort(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(BeginRegions(in, 1));
  PLINTH_ASSIGN_OR_RETURN(const int64_t dimension, OneDimension(in));
  AddInt("dimension", dimension);
  AddBool("is_stable", BoolField(in.rest, HloInstructionProto::kIsStable));
  return EmitPlain(in);
}

// Rows of one length, with -1 where a group is shorter. XLA has written groups in four ways.
Status HloReader::AddGroups(const Instruction& in) {
  using Field = HloInstructionProto;
  Groups groups = GroupsIn(in.rest, Field::kReplicaGroups);
  std::string_view list, formula;
  if (!groups.empty()) {
    // As a list: through 2024.
  } else if (FindBytes(in.rest, Field::kIotaCollectiveDeviceList, &formula)) {
    PLINTH_RETURN_IF_ERROR(ReadFormula(formula, &groups));
  } else if (FindBytes(in.rest, Field::kMeshAxesReplicaGroupList, &list)) {
    PLINTH_RETURN_IF_ERROR(ReadMeshGroups(list, &groups));
  } else if (FindBytes(in.rest, Field::kCollectiveDeviceList, &list)) {
    groups = GroupsIn(list, CollectiveDeviceListProto::kReplicaGroups);
    if (FindBytes(list, CollectiveDeviceListProto::kIotaReplicaGroupList, &formula)) {
      PLINTH_RETURN_IF_ERROR(ReadFormula(formula, &groups));
    }
  }
  size_t longest = 0;
  for (const std::vector<int64_t>& group : groups) longest = std::max(longest, group.size());
  if (!builder_.SpendOnList(groups.size() * longest, sizeof(int64_t))) {
    return ModuleBuilder::Disproportion();
  }
  std::vector<int64_t> rows;
  for (std::vector<int64_t>& group : groups) {
    group.resize(longest, -1);
    rows.insert(rows.end(), group.begin(), group.end());
  }
  AddMatrix("replica_groups", rows, static_cast<int64_t>(longest));
  return {};
}

void HloReader::AddChannel(const Instruction& in) {
  const int64_t channel = IntField(in.rest, HloInstructionProto::kChannelId);
  if (channel <= 0) return;
  AddStruct("channel_handle", "stablehlo.channel_handle",
            {{"handle", Int(channel)}, {"type", Int(1)}});
}

void HloReader::AddGlobalIds(const Instruction& in) {
  if (BoolField(in.rest, HloInstructionProto::kUseGlobalDeviceIds)) {
    Add("use_global_device_ids", builder_.New(Attribute::Unit()));
  }
}

// The ops that only begin have a tuple of operands, results and contexts as their shape. They are
// done at once, and their values stand at the places of the tuple.
Status HloReader::EmitCollective(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  const bool is_start = in.opcode->name.ends_with("-start") && in.opcode->op != Op::kAllReduce;
  if (!is_start) return Emit(in, in.opcode->op, in.shape->leaves);
  const std::vector<ValueId> given = operands_;
  if (in.shape->elements.size() < 2 || in.shape->elements[0].leaves.size() != given.size()) {
    return InvalidArgument("its shape ", ToString(*in.shape),
                           " is no tuple of its operands and its results");
  }
  PLINTH_RETURN_IF_ERROR(Emit(in, in.opcode->op, in.shape->elements[1].leaves));
  Set(Join({given, result_}, in.shape->leaves.size()));
  return {};
}

Status HloReader::ReadAllGather(const Instruction& in) {
  PLINTH_ASSIGN_OR_RETURN(const int64_t dimension, OneDimension(in));
  AddInt("all_gather_dim", dimension);
  PLINTH_RETURN_IF_ERROR(AddGroups(in));
  AddChannel(in);
  AddGlobalIds(in);
  return EmitCollective(in);
}

Status HloReader::ReadAllReduce(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(BeginRegions(in, 1));
  PLINTH_RETURN_IF_ERROR(AddGroups(in));
  AddChannel(in);
  AddGlobalIds(in);
  return EmitCollective(in);
}

Status HloReader::ReadReduceScatter(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(BeginRegions(in, 1));
  PLINTH_ASSIGN_OR_RETURN(const int64_t dimension, OneDimension(in));
  AddInt("scatter_dimension", dimension);
  PLINTH_RETURN_IF_ERROR(AddGroups(in));
  AddChannel(in);
  AddGlobalIds(in);
  return EmitCollective(in);
}

// One array for each device of the group: they travel as the slices of one.
Status HloReader::ReadAllToAllOfTuple(const Instruction& in) {
  const size_t count = in.num_operands;
  const std::span<const TypeRef> leaves = in.shape->leaves;
  if (count == 0 || leaves.size() != count || !leaves[0]->IsTensor() ||
      std::ranges::any_of(leaves, [&](TypeRef leaf) { return leaf != leaves[0]; })) {
    return InvalidArgument("its shape ", ToString(*in.shape), " is not ", count,
                           " times one array, as are its operands");
  }
  std::vector<int64_t> dims = {1};
  dims.insert(dims.end(), leaves[0]->dims.begin(), leaves[0]->dims.end());
  const TypeRef one = builder_.Tensor(leaves[0]->dtype, false, dims, nullptr);
  dims[0] = static_cast<int64_t>(count);
  const TypeRef all = builder_.Tensor(leaves[0]->dtype, false, dims, nullptr);
  if (one == nullptr || all == nullptr) return InvalidArgument("its arrays are too large");
  const auto emit = [&](Op op, ValueId operand, TypeRef type) {
    operands_.assign(1, operand);
    return Emit(in, op, builder_.arena().Copy(std::span<const TypeRef>(&type, 1)));
  };
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  const std::vector<ValueId> given = std::exchange(operands_, {});
  std::vector<ValueId> rows;
  for (const ValueId value : given) {
    PLINTH_RETURN_IF_ERROR(emit(Op::kReshape, value, one));
    rows.push_back(result_[0]);
  }
  operands_ = rows;
  AddInt("dimension", 0);
  PLINTH_RETURN_IF_ERROR(
      Emit(in, Op::kConcatenate, builder_.arena().Copy(std::span<const TypeRef>(&all, 1))));
  PLINTH_RETURN_IF_ERROR(AddGroups(in));
  AddInt("split_dimension", 0);
  AddInt("concat_dimension", 0);
  AddInt("split_count", static_cast<int64_t>(count));
  AddChannel(in);
  PLINTH_RETURN_IF_ERROR(emit(Op::kAllToAll, result_[0], all));
  const ValueId received = result_[0];
  std::vector<ValueId> results;
  std::vector<int64_t> start(dims.size(), 0), limit = dims;
  const std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = 0; i < count; ++i) {
    start[0] = static_cast<int64_t>(i);
    limit[0] = start[0] + 1;
    AddInts("start_indices", start);
    AddInts("limit_indices", limit);
    AddInts("strides", strides);
    PLINTH_RETURN_IF_ERROR(emit(Op::kSlice, received, one));
    PLINTH_RETURN_IF_ERROR(emit(Op::kReshape, result_[0], leaves[0]));
    results.push_back(result_[0]);
  }
  Set(builder_.arena().Copy(results));
  return {};
}

Status HloReader::ReadAllToAll(const Instruction& in) {
  if (IntsField(in.rest, HloInstructionProto::kDimensions).empty()) return ReadAllToAllOfTuple(in);
  PLINTH_ASSIGN_OR_RETURN(const int64_t dimension, OneDimension(in));
  PLINTH_RETURN_IF_ERROR(AddGroups(in));
  const int64_t size = named_.back().value->type()->dims[1];
  if (size == 0) return Unimplemented("an all-to-all without replica groups is not read");
  AddInt("split_dimension", dimension);
  AddInt("concat_dimension", dimension);
  AddInt("split_count", size);
  AddChannel(in);
  return EmitCollective(in);
}

Status HloReader::ReadCollectiveBroadcast(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(AddGroups(in));
  AddChannel(in);
  return EmitCollective(in);
}

Status HloReader::ReadCollectivePermute(const Instruction& in) {
  const std::vector<int64_t> sources =
      ColumnOf(in.rest, HloInstructionProto::kSourceTargetPairs, SourceTargetProto::kSource);
  const std::vector<int64_t> targets =
      ColumnOf(in.rest, HloInstructionProto::kSourceTargetPairs, SourceTargetProto::kTarget);
  std::vector<int64_t> pairs;
  for (size_t i = 0; i < sources.size(); ++i) pairs.insert(pairs.end(), {sources[i], targets[i]});
  AddMatrix("source_target_pairs", pairs, 2);
  AddChannel(in);
  return EmitCollective(in);
}

}  // namespace plinth::program
