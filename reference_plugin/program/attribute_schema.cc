// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/attribute_schema.h"

#include <algorithm>

namespace plinth::program {
namespace {

using std::string_view;
using enum FieldForm;

constexpr string_view kComparisonDirection[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr string_view kComparisonType[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr string_view kFftType[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr string_view kPrecision[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr string_view kRngAlgorithm[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr string_view kRngDistribution[] = {"", "UNIFORM", "NORMAL"};
constexpr string_view kTranspose[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr string_view kAccuracyMode[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

constexpr EnumSchema kEnums[] = {
    {"stablehlo.comparison_direction", kComparisonDirection},
    {"stablehlo.comparison_type", kComparisonType},
    {"stablehlo.fft_type", kFftType},
    {"stablehlo.precision", kPrecision},
    {"stablehlo.rng_algorithm", kRngAlgorithm},
    {"stablehlo.rng_distribution", kRngDistribution},
    {"stablehlo.transpose", kTranspose},
    {"stablehlo.result_accuracy_mode", kAccuracyMode},
};

constexpr FieldSchema kDot[] = {
    {"lhs_batching_dimensions", kInts},
    {"rhs_batching_dimensions", kInts},
    {"lhs_contracting_dimensions", kInts},
    {"rhs_contracting_dimensions", kInts},
};
constexpr FieldSchema kDotAlgorithm[] = {
    {"lhs_precision_type", kType},
    {"rhs_precision_type", kType},
    {"accumulation_type", kType},
    {"lhs_component_count", kInt},
    {"rhs_component_count", kInt},
    {"num_primitive_operations", kInt},
    {"allow_imprecise_accumulation", kBool},
};
constexpr FieldSchema kConv[] = {
    {"input_batch_dimension", kInt},           {"input_feature_dimension", kInt},
    {"input_spatial_dimensions", kInts},       {"kernel_input_feature_dimension", kInt},
    {"kernel_output_feature_dimension", kInt}, {"kernel_spatial_dimensions", kInts},
    {"output_batch_dimension", kInt},          {"output_feature_dimension", kInt},
    {"output_spatial_dimensions", kInts},
};
constexpr FieldSchema kGather[] = {
    {"offset_dims", kInts},           {"collapsed_slice_dims", kInts},
    {"operand_batching_dims", kInts}, {"start_indices_batching_dims", kInts},
    {"start_index_map", kInts},       {"index_vector_dim", kInt},
};
constexpr FieldSchema kScatter[] = {
    {"update_window_dims", kInts},           {"inserted_window_dims", kInts},
    {"input_batching_dims", kInts},          {"scatter_indices_batching_dims", kInts},
    {"scatter_dims_to_operand_dims", kInts}, {"index_vector_dim", kInt},
};
constexpr FieldSchema kChannelHandle[] = {{"handle", kInt}, {"type", kInt}};
constexpr FieldSchema kOutputOperandAlias[] = {
    {"output_tuple_indices", kInts},
    {"operand_index", kInt},
    {"operand_tuple_indices", kInts},
};
constexpr FieldSchema kResultAccuracy[] = {
    {"atol", kDouble},
    {"rtol", kDouble},
    {"ulps", kInt},
    {"mode", kEnum, false, "stablehlo.result_accuracy_mode"},
};
constexpr FieldSchema kBounds[] = {{"bounds", kInts}};
constexpr FieldSchema kSubAxisInfo[] = {{"pre_size", kInt}, {"size", kInt}};
constexpr FieldSchema kStablehloAxisRef[] = {
    {"name", kString},
    {"sub_axis_info", kStruct, true, "stablehlo.sub_axis_info"},
};
constexpr FieldSchema kMeshAxis[] = {{"name", kString}, {"size", kInt}};
constexpr FieldSchema kStablehloMesh[] = {
    {"axes", kStructs, false, "stablehlo.mesh_axis"},
    {"device_ids", kAny, true},
};
constexpr FieldSchema kReplicaGroupMeshAxes[] = {{"mesh", kAny}, {"axes", kAny}};

constexpr FieldSchema kManualAxes[] = {{"axes", kStrings}};
constexpr FieldSchema kSdyMesh[] = {
    {"axes", kStructs, false, "sdy.mesh_axis"},
    {"device_ids", kInts},
};
constexpr FieldSchema kSdyAxisRef[] = {
    {"name", kString},
    {"sub_axis_info", kStruct, true, "sdy.sub_axis_info"},
};
constexpr FieldSchema kDimensionSharding[] = {
    {"axes", kStructs, false, "sdy.axis_ref"},
    {"is_closed", kBool},
    {"priority", kInt, true},
};
constexpr FieldSchema kSharding[] = {
    {"mesh_or_ref", kAny},
    {"dim_shardings", kStructs, false, "sdy.dimension_sharding"},
    {"replicated_axes", kStructs, false, "sdy.axis_ref"},
    {"unreduced_axes", kStructs, false, "sdy.axis_ref"},
    {"reduction_op", kInt},
};
constexpr FieldSchema kShardingPerValue[] = {{"shardings", kStructs, false, "sdy.sharding"}};

constexpr FieldSchema kDimMapping[] = {{"factor_indices", kInts}};
constexpr FieldSchema kTensorMapping[] = {{"dim_mappings", kStructs, false, "sdy.dim_mapping"}};
constexpr FieldSchema kOpShardingRule[] = {
    {"factor_sizes", kInts},
    {"operand_mappings", kStructs, false, "sdy.tensor_mapping"},
    {"result_mappings", kStructs, false, "sdy.tensor_mapping"},
    {"reduction_factors", kInts},
    {"need_replication_factors", kInts},
    {"permutation_factors", kInts},
    {"blocked_propagation_factors", kInts},
    {"is_custom_rule", kBool},
};

constexpr StructSchema kStructSchemas[] = {
    {"stablehlo.dot", kDot},
    {"stablehlo.dot_algorithm", kDotAlgorithm},
    {"stablehlo.conv", kConv},
    {"stablehlo.gather", kGather},
    {"stablehlo.scatter", kScatter},
    {"stablehlo.channel_handle", kChannelHandle},
    {"stablehlo.output_operand_alias", kOutputOperandAlias},
    {"stablehlo.result_accuracy", kResultAccuracy},
    {"stablehlo.bounds", kBounds},
    {"stablehlo.sub_axis_info", kSubAxisInfo},
    {"stablehlo.axis_ref", kStablehloAxisRef},
    {"stablehlo.mesh_axis", kMeshAxis},
    {"stablehlo.mesh", kStablehloMesh},
    {"stablehlo.replica_group_mesh_axes", kReplicaGroupMeshAxes},
    {"sdy.manual_axes", kManualAxes},
    {"sdy.mesh_axis", kMeshAxis},
    {"sdy.mesh", kSdyMesh},
    {"sdy.sub_axis_info", kSubAxisInfo},
    {"sdy.axis_ref", kSdyAxisRef},
    {"sdy.dimension_sharding", kDimensionSharding},
    {"sdy.sharding", kSharding},
    {"sdy.sharding_per_value", kShardingPerValue},
    {"sdy.dim_mapping", kDimMapping},
    {"sdy.tensor_mapping", kTensorMapping},
    {"sdy.op_sharding_rule", kOpShardingRule},
};

bool Fits(const Attribute& value, const FieldSchema& field) {
  const auto all = [&](auto fits) {
    return value.Is(AttributeKind::kArray) && std::ranges::all_of(value.elements(), fits);
  };
  switch (field.form) {
    case kInt:
      return value.Is(AttributeKind::kInteger);
    case kInts:
      return value.Is(AttributeKind::kDenseArray);
    case kBool:
      return value.Is(AttributeKind::kBool);
    case kDouble:
      return value.Is(AttributeKind::kFloat);
    case kString:
      return value.Is(AttributeKind::kString);
    case kType:
      return value.Is(AttributeKind::kType);
    case kEnum:
    case kStruct:
      return value.struct_name() == field.of;
    case kStructs:
      return all([&](AttributeRef element) { return element->struct_name() == field.of; });
    case kStrings:
      return all([](AttributeRef element) { return element->Is(AttributeKind::kString); });
    case kAny:
      return true;
  }
  return false;
}

}  // namespace

const EnumSchema* FindEnum(string_view name) {
  for (const EnumSchema& schema : kEnums) {
    if (schema.name == name) return &schema;
  }
  return nullptr;
}

string_view FindSpelling(const EnumSchema& schema, string_view spelling) {
  for (string_view known : schema.spellings) {
    if (known == spelling) return known;
  }
  return {};
}

const StructSchema* FindStruct(string_view name) {
  for (const StructSchema& schema : kStructSchemas) {
    if (schema.name == name) return &schema;
  }
  return nullptr;
}

bool FieldsFit(string_view struct_name, std::span<const NamedAttribute> fields) {
  for (const FieldSchema& field : FindStruct(struct_name)->fields) {
    for (const NamedAttribute& given : fields) {
      if (given.name == field.name && !Fits(*given.value, field)) return false;
    }
  }
  return true;
}

}  // namespace plinth::program
