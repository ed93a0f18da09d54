// SPDX-License-Identifier: Apache-2.0
// The functions of plinth_ifrt.h that make arrays of arrays.
#include "impl/ifrt/bitcast.h"
#include "impl/ifrt/c_api.h"
#include "impl/ifrt/remap.h"
#include "impl/ifrt/reshard.h"
#include "plinth/support/str_cat.h"

using plinth::Expected;
using plinth::InvalidArgument;
using plinth::Status;
using plinth::StrCat;
using plinth::ifrt::Array;
using plinth::ifrt::ArraysFromC;
using plinth::ifrt::ArraySpec;
using plinth::ifrt::CheckCall;
using plinth::ifrt::CopySemantics;
using plinth::ifrt::DevicesFromC;
using plinth::ifrt::ElementOf;
using plinth::ifrt::FromC;
using plinth::ifrt::GiveArrays;
using plinth::ifrt::Guarded;
using plinth::ifrt::NeedNotNull;
using plinth::ifrt::Ref;
using plinth::ifrt::SemanticsFromC;
using plinth::ifrt::Sharding;
using plinth::ifrt::ShareClient;
using plinth::ifrt::SpecsFromC;
using plinth::ifrt::ToC;

namespace {

// A plan and the lists that it points to.
struct PlanFromC {
  plinth::ifrt::RemapPlan plan;
  std::vector<std::vector<plinth::ifrt::ShardInterval>> intervals;
};

Status AddIntervals(const plinth_ifrt_shard_interval* intervals, size_t count, PlanFromC* plan) {
  std::vector<plinth::ifrt::ShardInterval>& list = plan->intervals.emplace_back();
  for (size_t i = 0; i < count; ++i) {
    PLINTH_ASSIGN_OR_RETURN(
        const plinth_ifrt_shard_interval* one,
        ElementOf(intervals, i, &plinth_ifrt_shard_interval::step, "the intervals of a remap"));
    list.push_back({one->start, one->end, one->step});
  }
  return {};
}

Expected<const plinth_ifrt_remap_plan*> SizedPlan(const plinth_ifrt_remap_plan* plan) {
  return ElementOf(plan, 0, &plinth_ifrt_remap_plan::num_mappings, "a remap plan");
}

Expected<PlanFromC> ReadPlan(const plinth_ifrt_remap_plan* plan) {
  PLINTH_ASSIGN_OR_RETURN(const plinth_ifrt_remap_plan* given, SizedPlan(plan));
  PlanFromC result;
  PLINTH_ASSIGN_OR_RETURN(result.plan.inputs, SpecsFromC(given->inputs, given->num_inputs));
  PLINTH_ASSIGN_OR_RETURN(result.plan.outputs, SpecsFromC(given->outputs, given->num_outputs));
  for (size_t i = 0; i < given->num_mappings; ++i) {
    PLINTH_ASSIGN_OR_RETURN(const plinth_ifrt_shard_mapping* one,
                            ElementOf(given->mappings, i, &plinth_ifrt_shard_mapping::num_to,
                                      "the mappings of a remap"));
    PLINTH_IFRT_RETURN_IF_ERROR(AddIntervals(one->from, one->num_from, &result));
    PLINTH_IFRT_RETURN_IF_ERROR(AddIntervals(one->to, one->num_to, &result));
    result.plan.mappings.push_back({one->input, one->output, {}, {}});
  }
  for (size_t i = 0; i < result.plan.mappings.size(); ++i) {
    result.plan.mappings[i].from = result.intervals[2 * i];
    result.plan.mappings[i].to = result.intervals[2 * i + 1];
  }
  return result;
}

}  // namespace

plinth_status* plinth_ifrt_array_assemble(plinth_ifrt_client* client,
                                          const plinth_ifrt_array_spec* spec,
                                          plinth_ifrt_array* const* shards, size_t num_shards,
                                          plinth_ifrt_copy_semantics semantics,
                                          plinth_ifrt_array** output) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, shards, num_shards, output, 1));
    PLINTH_ASSIGN_OR_RETURN(const CopySemantics how, SemanticsFromC(semantics));
    PLINTH_ASSIGN_OR_RETURN(std::vector<ArraySpec> specs, SpecsFromC(spec, 1));
    PLINTH_ASSIGN_OR_RETURN(Ref<Array> made,
                            plinth::ifrt::AssembleArray(ShareClient(client), std::move(specs[0]),
                                                        ArraysFromC(shards, num_shards), how));
    *output = ToC(made.Give());
    return {};
  });
}

plinth_status* plinth_ifrt_array_disassemble(plinth_ifrt_array* array,
                                             plinth_ifrt_copy_semantics semantics,
                                             plinth_ifrt_array** outputs) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(array, "the array"));
    Array& given = *FromC(array);
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(ToC(given.sharding()->client().get()), array, 1, outputs,
                                          given.sharding()->addressable().size()));
    PLINTH_ASSIGN_OR_RETURN(const CopySemantics how, SemanticsFromC(semantics));
    PLINTH_ASSIGN_OR_RETURN(std::vector<Ref<Array>> made,
                            plinth::ifrt::DisassembleArray(given, how));
    GiveArrays(std::move(made), outputs);
    return {};
  });
}

plinth_status* plinth_ifrt_array_replicated_shard(plinth_ifrt_array* array,
                                                  plinth_ifrt_copy_semantics semantics,
                                                  plinth_ifrt_array** output) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(output, "`output`"));
    *output = nullptr;
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(array, "the array"));
    PLINTH_ASSIGN_OR_RETURN(const CopySemantics how, SemanticsFromC(semantics));
    PLINTH_ASSIGN_OR_RETURN(Ref<Array> made, plinth::ifrt::ReplicatedShard(*FromC(array), how));
    *output = ToC(made.Give());
    return {};
  });
}

plinth_status* plinth_ifrt_arrays_copy(plinth_ifrt_client* client, plinth_ifrt_array* const* arrays,
                                       size_t num_arrays, const plinth_ifrt_device* const* devices,
                                       size_t num_devices, const char* memory_kind,
                                       plinth_ifrt_copy_semantics semantics,
                                       plinth_ifrt_array** outputs) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, arrays, num_arrays, outputs, num_arrays));
    PLINTH_ASSIGN_OR_RETURN(const CopySemantics how, SemanticsFromC(semantics));
    std::optional<std::span<const plinth::ifrt::Device* const>> to;
    if (devices != nullptr) to = DevicesFromC(devices, num_devices);
    std::optional<std::string> kind;
    if (memory_kind != nullptr) kind = memory_kind;
    PLINTH_ASSIGN_OR_RETURN(
        std::vector<Ref<Array>> made,
        plinth::ifrt::CopyArrays(ShareClient(client), ArraysFromC(arrays, num_arrays), to,
                                 std::move(kind), how));
    GiveArrays(std::move(made), outputs);
    return {};
  });
}

plinth_status* plinth_ifrt_remap_validate(plinth_ifrt_client* client,
                                          const plinth_ifrt_remap_plan* plan) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(client, "the client"));
    PLINTH_ASSIGN_OR_RETURN(const PlanFromC given, ReadPlan(plan));
    return given.plan.Validate(*FromC(client));
  });
}

plinth_status* plinth_ifrt_arrays_remap(plinth_ifrt_client* client,
                                        const plinth_ifrt_remap_plan* plan,
                                        plinth_ifrt_array* const* arrays, size_t num_arrays,
                                        plinth_ifrt_copy_semantics semantics,
                                        plinth_ifrt_array** outputs) {
  return Guarded([&]() -> Status {
    PLINTH_ASSIGN_OR_RETURN(const plinth_ifrt_remap_plan* sized, SizedPlan(plan));
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, arrays, num_arrays, outputs, sized->num_outputs));
    PLINTH_ASSIGN_OR_RETURN(const PlanFromC given, ReadPlan(plan));
    PLINTH_ASSIGN_OR_RETURN(const CopySemantics how, SemanticsFromC(semantics));
    PLINTH_ASSIGN_OR_RETURN(std::vector<Ref<Array>> made,
                            plinth::ifrt::RemapArrays(ShareClient(client), given.plan,
                                                      ArraysFromC(arrays, num_arrays), how));
    GiveArrays(std::move(made), outputs);
    return {};
  });
}

plinth_status* plinth_ifrt_arrays_reshard(plinth_ifrt_client* client,
                                          plinth_ifrt_array* const* arrays, size_t num_arrays,
                                          const plinth_ifrt_sharding* const* shardings,
                                          plinth_ifrt_copy_semantics semantics,
                                          plinth_ifrt_reshard_rung rung,
                                          plinth_ifrt_array** outputs) {
  return plinth_ifrt_arrays_reshard_to_layouts(client, arrays, num_arrays, shardings, nullptr,
                                               semantics, rung, outputs);
}

plinth_status* plinth_ifrt_arrays_reshard_to_layouts(
    plinth_ifrt_client* client, plinth_ifrt_array* const* arrays, size_t num_arrays,
    const plinth_ifrt_sharding* const* shardings, const int64_t* const* minor_to_major,
    plinth_ifrt_copy_semantics semantics, plinth_ifrt_reshard_rung rung,
    plinth_ifrt_array** outputs) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, arrays, num_arrays, outputs, num_arrays));
    PLINTH_ASSIGN_OR_RETURN(const CopySemantics how, SemanticsFromC(semantics));
    const int raw = plinth::RawEnum(rung);
    if (raw < 0 || raw > static_cast<int>(plinth::ifrt::ReshardRung::kIdentity)) {
      return InvalidArgument("rung ", raw, " of a reshard is not known");
    }
    std::vector<Ref<const Sharding>> to;
    for (size_t i = 0; i < num_arrays; ++i) {
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(shardings, "the list of shardings"));
      to.push_back(Ref<const Sharding>::Share(FromC(shardings[i])));
    }
    const std::span<Array* const> given = ArraysFromC(arrays, num_arrays);
    std::vector<std::span<const int64_t>> orders;
    for (size_t i = 0; minor_to_major != nullptr && i < num_arrays; ++i) {
      orders.emplace_back();
      if (minor_to_major[i] == nullptr) continue;
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(arrays[i], StrCat("array ", i)));
      orders.back() = {minor_to_major[i], given[i]->dims().size()};
    }
    PLINTH_ASSIGN_OR_RETURN(
        std::vector<Ref<Array>> made,
        plinth::ifrt::ReshardArrays(ShareClient(client), given, to, orders, how,
                                    static_cast<plinth::ifrt::ReshardRung>(raw)));
    GiveArrays(std::move(made), outputs);
    return {};
  });
}

plinth_status* plinth_ifrt_arrays_bitcast(plinth_ifrt_client* client,
                                          plinth_ifrt_array* const* arrays, size_t num_arrays,
                                          const plinth_ifrt_array_spec* specs,
                                          plinth_ifrt_copy_semantics semantics,
                                          plinth_ifrt_array** outputs) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(CheckCall(client, arrays, num_arrays, outputs, num_arrays));
    PLINTH_ASSIGN_OR_RETURN(const CopySemantics how, SemanticsFromC(semantics));
    PLINTH_ASSIGN_OR_RETURN(const std::vector<ArraySpec> to, SpecsFromC(specs, num_arrays));
    PLINTH_ASSIGN_OR_RETURN(
        std::vector<Ref<Array>> made,
        plinth::ifrt::BitcastArrays(ShareClient(client), ArraysFromC(arrays, num_arrays), to, how));
    GiveArrays(std::move(made), outputs);
    return {};
  });
}
