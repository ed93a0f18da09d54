// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/export/stablehlo_attributes.h"

#include <bit>
#include <initializer_list>
#include <utility>

#include "plinth/program/printer.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/attribute_text.h"

namespace plinth::compiler {
namespace {

std::string List(std::span<const int64_t> values) {
  return StrCat("[", StrJoin(values, ", "), "]");
}

// #stablehlo.name<a = [0], b = 1>: lists that are empty are left out.
class StructText {
 public:
  explicit StructText(std::string_view name) : text_(StrCat("#stablehlo.", name, "<")) {}
  StructText& Ints(std::string_view name, std::span<const int64_t> values) {
    return values.empty() ? *this : Field(name, List(values));
  }
  StructText& Field(std::string_view name, std::string_view value) {
    text_ += StrCat(std::exchange(separator_, ", "), name, " = ", value);
    return *this;
  }
  std::string text() && { return std::move(text_) + ">"; }

 private:
  std::string text_;
  std::string_view separator_;
};

std::string_view Bool(bool value) { return value ? "true" : "false"; }

std::string ScalarType(const std::optional<DType>& type) {
  return std::string(type.has_value() ? InfoOf(*type).mlir_name : "tf32");
}

class StablehloFields {
 public:
  StablehloFields(const Op& op, const Module& module) : op_(op), module_(module) {}
  std::string text() && { return std::move(text_); }

  void operator()(const ConstantAttributes& a) {
    program::Type type;
    type.kind = program::TypeKind::kTensor;
    type.dtype = op_.type().dtype;
    type.dims = op_.type().dims;
    std::string elements;
    program::PrintAttribute(program::Attribute::Elements(&type, a.bytes, a.is_splat), &elements);
    Write("value", elements);
  }
  void operator()(const CompareAttributes& a) {
    Enum("comparison_direction", "comparison_direction", kComparisonDirectionNames, a.direction);
    Enum("compare_type", "comparison_type", kComparisonTypeNames, a.type);
  }
  void operator()(const DimensionAttributes& a) {
    switch (op_.opcode) {
      case Opcode::kIota:
        return Int("iota_dimension", a.dimension);
      case Opcode::kCumulativeReduce:
        return WriteCumulative(a);
      case Opcode::kSort:
        Int("dimension", a.dimension);
        return Write("is_stable", Bool(a.is_stable));
      default:
        return Int("dimension", a.dimension);
    }
  }
  void operator()(const DimensionsAttributes& a) {
    const std::string_view name = op_.opcode == Opcode::kBroadcastInDim ? "broadcast_dimensions"
                                  : op_.opcode == Opcode::kTranspose    ? "permutation"
                                                                        : "dimensions";
    Ints(name, a.dimensions);
  }
  void operator()(const SliceAttributes& a) {
    Ints("start_indices", a.start);
    Ints("limit_indices", a.limit);
    Ints("strides", a.stride);
  }
  void operator()(const DynamicSliceAttributes& a) { Ints("slice_sizes", a.sizes); }
  void operator()(const PadAttributes& a) {
    Ints("edge_padding_low", a.low);
    Ints("edge_padding_high", a.high);
    Ints("interior_padding", a.interior);
  }
  void operator()(const DotAttributes& a) {
    StructText numbers("dot");
    numbers.Ints("lhs_batching_dimensions", a.lhs_batch)
        .Ints("rhs_batching_dimensions", a.rhs_batch)
        .Ints("lhs_contracting_dimensions", a.lhs_contracting)
        .Ints("rhs_contracting_dimensions", a.rhs_contracting);
    Write("dot_dimension_numbers", std::move(numbers).text());
    WritePrecision(a.precision);
    if (!a.algorithm.has_value()) return;
    const DotAlgorithm& algorithm = *a.algorithm;
    StructText text("dot_algorithm");
    text.Field("lhs_precision_type", ScalarType(algorithm.lhs_precision))
        .Field("rhs_precision_type", ScalarType(algorithm.rhs_precision))
        .Field("accumulation_type", ScalarType(algorithm.accumulation))
        .Field("lhs_component_count", StrCat(algorithm.lhs_components))
        .Field("rhs_component_count", StrCat(algorithm.rhs_components))
        .Field("num_primitive_operations", StrCat(algorithm.primitive_operations))
        .Field("allow_imprecise_accumulation", Bool(algorithm.allow_imprecise_accumulation));
    Write("algorithm", std::move(text).text());
  }
  void operator()(const WindowAttributes& a) {
    const Window& window = a.window;
    Ints("window_dimensions", window.sizes);
    Ints("window_strides", window.strides);
    WritePadding(window.padding_low, window.padding_high);
    if (op_.opcode == Opcode::kSelectAndScatter) return;
    Ints("base_dilations", window.base_dilation);
    Ints("window_dilations", window.window_dilation);
  }
  void operator()(const ConvolutionAttributes& a) {
    const Window& window = a.window;
    Ints("window_strides", window.strides);
    WritePadding(window.padding_low, window.padding_high);
    Ints("lhs_dilation", window.base_dilation);
    Ints("rhs_dilation", window.window_dilation);
    std::string reversal;
    for (bool reversed : window.reversal) {
      reversal += StrCat(reversal.empty() ? ": " : ", ", Bool(reversed));
    }
    Write("window_reversal", StrCat("array<i1", reversal, ">"));
    Write("dimension_numbers",
          StrCat("#stablehlo.conv<",
                 Roles(a.input_batch, "b", a.input_feature, "f", a.input_spatial), "x",
                 Roles(a.kernel_input_feature, "i", a.kernel_output_feature, "o", a.kernel_spatial),
                 "->", Roles(a.output_batch, "b", a.output_feature, "f", a.output_spatial), ">"));
    Int("feature_group_count", a.feature_group_count);
    Int("batch_group_count", a.batch_group_count);
    WritePrecision(a.precision);
  }
  void operator()(const GatherAttributes& a) {
    StructText numbers("gather");
    numbers.Ints("offset_dims", a.offset_dims)
        .Ints("collapsed_slice_dims", a.collapsed_slice_dims)
        .Ints("operand_batching_dims", a.operand_batching_dims)
        .Ints("start_indices_batching_dims", a.start_indices_batching_dims)
        .Ints("start_index_map", a.start_index_map)
        .Field("index_vector_dim", StrCat(a.index_vector_dim));
    Write("dimension_numbers", std::move(numbers).text());
    Ints("slice_sizes", a.slice_sizes);
    Write("indices_are_sorted", Bool(a.indices_are_sorted));
  }
  void operator()(const ScatterAttributes& a) {
    StructText numbers("scatter");
    numbers.Ints("update_window_dims", a.update_window_dims)
        .Ints("inserted_window_dims", a.inserted_window_dims)
        .Ints("input_batching_dims", a.input_batching_dims)
        .Ints("scatter_indices_batching_dims", a.scatter_indices_batching_dims)
        .Ints("scatter_dims_to_operand_dims", a.scatter_dims_to_operand_dims)
        .Field("index_vector_dim", StrCat(a.index_vector_dim));
    Write("scatter_dimension_numbers", std::move(numbers).text());
    Write("indices_are_sorted", Bool(a.indices_are_sorted));
    Write("unique_indices", Bool(a.unique_indices));
  }
  void operator()(const RngBitGeneratorAttributes& a) {
    Enum("rng_algorithm", "rng_algorithm", kRngAlgorithmNames, a.algorithm);
  }
  void operator()(const RngAttributes& a) {
    Enum("rng_distribution", "rng_distribution", kRngDistributionNames, a.distribution);
  }
  void operator()(const ReducePrecisionAttributes& a) {
    Int32("exponent_bits", a.exponent_bits);
    Int32("mantissa_bits", a.mantissa_bits);
  }
  void operator()(const FftAttributes& a) {
    Enum("fft_type", "fft_type", kFftTypeNames, a.type);
    Ints("fft_length", a.length);
  }
  void operator()(const CholeskyAttributes& a) { Write("lower", Bool(a.lower)); }
  void operator()(const TriangularSolveAttributes& a) {
    Write("left_side", Bool(a.left_side));
    Write("lower", Bool(a.lower));
    Write("unit_diagonal", Bool(a.unit_diagonal));
    Enum("transpose_a", "transpose", kTransposeModeNames, a.transpose_a);
  }
  void operator()(const BatchNormAttributes& a) {
    program::Type type;
    type.kind = program::TypeKind::kScalar;
    type.dtype = DType::kF32;
    std::string epsilon;
    program::PrintAttribute(program::Attribute::Float(&type, std::bit_cast<uint32_t>(a.epsilon)),
                            &epsilon);
    Write("epsilon", epsilon);
    Int("feature_index", a.feature_index);
  }
  // Written as another op.
  void operator()(const CallAttributes&) {}
  void operator()(const CustomCallAttributes& a) {
    Write("call_target_name", Quoted(a.target));
    Write("has_side_effect", Bool(a.has_side_effect));
    if (a.dictionary != nullptr) {
      std::string dictionary;
      program::PrintAttribute(*a.dictionary, &dictionary);
      Write("backend_config", dictionary);
    } else {
      Write("backend_config", Quoted(a.backend_config));
    }
    Int32("api_version", a.api_version);
    if (a.aliases.empty()) return;
    std::string aliases;
    for (const CustomCallAttributes::Alias& alias : a.aliases) {
      aliases += StrCat(aliases.empty() ? "" : ", ",
                        "#stablehlo.output_operand_alias<output_tuple_indices = [",
                        op_.results.size() == 1 ? "" : StrCat(alias.result),
                        "], operand_index = ", alias.operand, ", operand_tuple_indices = []>");
    }
    Write("output_operand_aliases", StrCat("[", aliases, "]"));
  }
  void operator()(const CollectiveAttributes& a) {
    const bool is_permute = op_.opcode == Opcode::kCollectivePermute;
    WriteGroups(is_permute ? "source_target_pairs" : "replica_groups", a.groups);
    // Lanes are numbered across replicas and partitions.
    if (module_.num_partitions > 1) {
      Write("channel_handle", "#stablehlo.channel_handle<handle = 1, type = 1>");
    }
    switch (op_.opcode) {
      case Opcode::kAllGather:
        Int("all_gather_dim", a.dimension);
        break;
      case Opcode::kReduceScatter:
        Int("scatter_dimension", a.dimension);
        break;
      case Opcode::kAllReduce:
        break;
      case Opcode::kAllToAll:
        Int("split_dimension", a.dimension);
        Int("concat_dimension", a.concat_dimension);
        return Int("split_count", a.split_count);
      default:
        return;
    }
    if (module_.num_partitions > 1) Write("use_global_device_ids", "unit");
  }
  void operator()(const TupleIndexAttributes& a) { Int32("index", static_cast<int32_t>(a.index)); }

 private:
  void Write(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += ", ";
    text_ += StrCat(name, " = ", value);
  }
  void Int(std::string_view name, int64_t value) { Write(name, StrCat(value, " : i64")); }
  void Int32(std::string_view name, int32_t value) { Write(name, StrCat(value, " : i32")); }
  void Ints(std::string_view name, std::span<const int64_t> values) {
    Write(name, StrCat("array<i64", values.empty() ? "" : ": ", StrJoin(values, ", "), ">"));
  }
  template <typename Names, typename E>
  void Enum(std::string_view name, std::string_view kind, const Names& names, E value) {
    Write(name, StrCat("#stablehlo<", kind, " ", names[static_cast<size_t>(value)], ">"));
  }
  static std::string Quoted(std::string_view text) {
    std::string quoted;
    program::PrintQuoted(text, &quoted);
    return quoted;
  }
  void WritePrecision(Precision precision) {
    const std::string one =
        StrCat("#stablehlo<precision ", kPrecisionNames[static_cast<size_t>(precision)], ">");
    Write("precision_config", StrCat("[", one, ", ", one, "]"));
  }
  // dense<[[a, b], ...]> : tensor<Nx2xi64>
  void Matrix(std::string_view name, std::span<const int64_t> values, size_t columns) {
    std::string rows;
    for (size_t i = 0; i < values.size(); i += columns) {
      rows += StrCat(i == 0 ? "" : ", ", List(values.subspan(i, columns)));
    }
    Write(name, StrCat("dense<", rows.empty() ? "" : StrCat("[", rows, "]"), "> : tensor<",
                       columns == 0 ? 0 : values.size() / columns, "x", columns, "xi64>"));
  }
  void WritePadding(std::span<const int64_t> low, std::span<const int64_t> high) {
    std::vector<int64_t> both;
    for (size_t i = 0; i < low.size(); ++i) both.insert(both.end(), {low[i], high[i]});
    Matrix("padding", both, 2);
  }
  // Rows are padded with -1 where groups differ in size.
  void WriteGroups(std::string_view name, const DeviceGroups& groups) {
    size_t most = op_.opcode == Opcode::kCollectivePermute ? 2 : 0;
    for (const std::vector<int64_t>& group : groups) most = std::max(most, group.size());
    std::vector<int64_t> all;
    for (const std::vector<int64_t>& group : groups) {
      all.insert(all.end(), group.begin(), group.end());
      all.insert(all.end(), most - group.size(), -1);
    }
    Matrix(name, all, most);
  }
  // Windows of which each reaches as far as the first, or last, element.
  void WriteCumulative(const DimensionAttributes& a) {
    const Dims& dims = op_.operands[0]->type.dims;
    const size_t rank = dims.size(), axis = static_cast<size_t>(a.dimension);
    Dims sizes(rank, 1), low(rank, 0), high(rank, 0);
    const Dims ones(rank, 1);
    sizes[axis] = std::max<int64_t>(dims[axis], 1);
    (a.reverse ? high : low)[axis] = sizes[axis] - 1;
    Ints("window_dimensions", sizes);
    Ints("window_strides", ones);
    WritePadding(low, high);
    Ints("base_dilations", ones);
    Ints("window_dilations", ones);
  }
  // "[b, 0, 1, f]": the role of each dimension in order.
  static std::string Roles(int64_t a, std::string_view a_name, int64_t b, std::string_view b_name,
                           std::span<const int64_t> spatial) {
    std::vector<std::string> roles(spatial.size() + 2);
    roles[static_cast<size_t>(a)] = a_name;
    roles[static_cast<size_t>(b)] = b_name;
    for (size_t i = 0; i < spatial.size(); ++i) {
      roles[static_cast<size_t>(spatial[i])] = StrCat(i);
    }
    return StrCat("[", StrJoin(roles, ", "), "]");
  }

  const Op& op_;
  const Module& module_;
  std::string text_;
};

}  // namespace

std::string StablehloType(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kToken:
      return "!stablehlo.token";
    case Type::Kind::kTuple: {
      std::string elements;
      for (const Type& element : type.elements) {
        elements += StrCat(elements.empty() ? "" : ", ", StablehloType(element));
      }
      return StrCat("tuple<", elements, ">");
    }
    case Type::Kind::kTensor:
      break;
  }
  std::string text = "tensor<";
  for (int64_t dim : type.dims) text += dim == kDynamicSize ? "?x" : StrCat(dim, "x");
  return StrCat(text, InfoOf(type.dtype).mlir_name, ">");
}

std::string StablehloAttributes(const Op& op, const Module& module) {
  if (op.attributes == nullptr) return "";
  StablehloFields fields(op, module);
  std::visit(fields, *op.attributes);
  return std::move(fields).text();
}

}  // namespace plinth::compiler
