// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/attribute_text.h"

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler {
namespace {

// Constants of up to this many elements are written out.
constexpr int64_t kMaxElementsPrinted = 16;

std::string IntsToString(std::span<const int64_t> values) {
  return StrCat("[", StrJoin(values, ","), "]");
}

// "tf32 x tf32 in f32", then what is not one.
std::string AlgorithmToString(const DotAlgorithm& algorithm) {
  const auto name = [](const std::optional<DType>& type) {
    return type.has_value() ? Name(*type) : std::string_view("tf32");
  };
  std::string text = StrCat("<", name(algorithm.lhs_precision), " x ",
                            name(algorithm.rhs_precision), " in ", name(algorithm.accumulation));
  if (algorithm.lhs_components != 1 || algorithm.rhs_components != 1) {
    text += StrCat(", components ", algorithm.lhs_components, " x ", algorithm.rhs_components);
  }
  if (algorithm.primitive_operations != 1) {
    text += StrCat(", operations ", algorithm.primitive_operations);
  }
  if (algorithm.allow_imprecise_accumulation) text += ", imprecise";
  return text + ">";
}

// Writes the fields of one attributes struct.
class FieldWriter {
 public:
  explicit FieldWriter(const Op& op) : op_(op) {}
  std::string text() && { return std::move(text_); }

  void operator()(const ConstantAttributes& a) {
    const Type& type = op_.type();
    const int64_t size = ByteSize(type.dtype);
    const int64_t count = size == 0 ? 0 : static_cast<int64_t>(a.bytes.size()) / size;
    if (a.is_splat && count == 1) {
      Write("value", ElementToString(type.dtype, a.bytes.data()));
    } else if (count <= kMaxElementsPrinted) {
      std::string list;
      for (int64_t i = 0; i < count; ++i) {
        if (i > 0) list += ",";
        list += ElementToString(type.dtype, a.bytes.data() + i * size);
      }
      Write("value", StrCat("[", list, "]"));
    } else {
      Write("elements", StrCat(count));
    }
  }
  void operator()(const CompareAttributes& a) {
    Enum("direction", kComparisonDirectionNames, a.direction);
    Enum("type", kComparisonTypeNames, a.type);
  }
  void operator()(const DimensionAttributes& a) {
    Write("dimension", StrCat(a.dimension));
    Flag("reverse", a.reverse);
    Flag("stable", a.is_stable);
    if (a.count != 0) Write("count", StrCat(a.count));
  }
  void operator()(const DimensionsAttributes& a) { Ints("dimensions", a.dimensions); }
  void operator()(const SliceAttributes& a) {
    Ints("start", a.start);
    Ints("limit", a.limit);
    Unless("stride", a.stride, 1);
  }
  void operator()(const DynamicSliceAttributes& a) { Ints("sizes", a.sizes); }
  void operator()(const PadAttributes& a) {
    Ints("low", a.low);
    Ints("high", a.high);
    Unless("interior", a.interior, 0);
  }
  void operator()(const DotAttributes& a) {
    IfAny("lhs_batch", a.lhs_batch);
    IfAny("rhs_batch", a.rhs_batch);
    IfAny("lhs_contracting", a.lhs_contracting);
    IfAny("rhs_contracting", a.rhs_contracting);
    if (a.precision != Precision::kDefault) Enum("precision", kPrecisionNames, a.precision);
    if (a.algorithm.has_value()) Write("algorithm", AlgorithmToString(*a.algorithm));
  }
  void operator()(const WindowAttributes& a) { WriteWindow(a.window); }
  void operator()(const ConvolutionAttributes& a) {
    WriteWindow(a.window);
    Write("input", Layout(a.input_batch, "b", a.input_feature, "f", a.input_spatial));
    Write("kernel",
          Layout(a.kernel_input_feature, "i", a.kernel_output_feature, "o", a.kernel_spatial));
    Write("output", Layout(a.output_batch, "b", a.output_feature, "f", a.output_spatial));
    if (a.feature_group_count != 1) Write("feature_groups", StrCat(a.feature_group_count));
    if (a.batch_group_count != 1) Write("batch_groups", StrCat(a.batch_group_count));
    if (a.precision != Precision::kDefault) Enum("precision", kPrecisionNames, a.precision);
  }
  void operator()(const GatherAttributes& a) {
    IfAny("offset_dims", a.offset_dims);
    IfAny("collapsed_slice_dims", a.collapsed_slice_dims);
    IfAny("operand_batching_dims", a.operand_batching_dims);
    IfAny("start_indices_batching_dims", a.start_indices_batching_dims);
    Ints("start_index_map", a.start_index_map);
    Write("index_vector_dim", StrCat(a.index_vector_dim));
    Ints("slice_sizes", a.slice_sizes);
    Flag("sorted", a.indices_are_sorted);
  }
  void operator()(const ScatterAttributes& a) {
    IfAny("update_window_dims", a.update_window_dims);
    IfAny("inserted_window_dims", a.inserted_window_dims);
    IfAny("input_batching_dims", a.input_batching_dims);
    IfAny("scatter_indices_batching_dims", a.scatter_indices_batching_dims);
    Ints("scatter_dims_to_operand_dims", a.scatter_dims_to_operand_dims);
    Write("index_vector_dim", StrCat(a.index_vector_dim));
    Flag("sorted", a.indices_are_sorted);
    Flag("unique", a.unique_indices);
  }
  void operator()(const RngBitGeneratorAttributes& a) {
    Enum("algorithm", kRngAlgorithmNames, a.algorithm);
    if (!a.whole.empty()) Ints("whole", a.whole);
  }
  void operator()(const RngAttributes& a) {
    Enum("distribution", kRngDistributionNames, a.distribution);
  }
  void operator()(const ReducePrecisionAttributes& a) {
    Write("exponent_bits", StrCat(a.exponent_bits));
    Write("mantissa_bits", StrCat(a.mantissa_bits));
  }
  void operator()(const FftAttributes& a) {
    Enum("type", kFftTypeNames, a.type);
    Ints("length", a.length);
  }
  void operator()(const CholeskyAttributes& a) { Flag("lower", a.lower); }
  void operator()(const TriangularSolveAttributes& a) {
    Flag("left_side", a.left_side);
    Flag("lower", a.lower);
    Flag("unit_diagonal", a.unit_diagonal);
    Enum("transpose_a", kTransposeModeNames, a.transpose_a);
  }
  void operator()(const BatchNormAttributes& a) {
    Write("epsilon", StrCat(a.epsilon));
    Write("feature_index", StrCat(a.feature_index));
  }
  void operator()(const CallAttributes& a) {
    Write("callee", StrCat("@", a.callee));
    if (!a.composite_name.empty()) Write("composite", StrCat("\"", a.composite_name, "\""));
    if (a.version != 0) Write("version", StrCat(a.version));
    for (const auto& [name, value] : a.integer_attributes) Write(name, StrCat(value));
  }
  void operator()(const CustomCallAttributes& a) {
    Write("target", StrCat("@", a.target));
    if (!a.backend_config.empty()) {
      Write("backend_config", StrCat(a.backend_config.size(), " bytes"));
    } else if (a.dictionary != nullptr) {
      Write("backend_config", "a dictionary");
    }
    Write("api_version", StrCat(a.api_version));
    Flag("side_effect", a.has_side_effect);
    Layouts("operand", a.operand_layouts);
    Layouts("result", a.result_layouts);
    for (const CustomCallAttributes::Alias& alias : a.aliases) {
      Write(StrCat("result", alias.result), StrCat("operand", alias.operand));
    }
  }
  void operator()(const CollectiveAttributes& a) {
    std::string groups;
    for (const std::vector<int64_t>& group : a.groups) {
      if (!groups.empty()) groups += ",";
      groups += IntsToString(group);
    }
    Write("groups", StrCat("[", groups, "]"));
    if (a.channel_id != 0) Write("channel", StrCat(a.channel_id));
    Flag("global_ids", a.use_global_device_ids);
    if (a.dimension != 0) Write("dimension", StrCat(a.dimension));
    if (a.concat_dimension != 0) Write("concat_dimension", StrCat(a.concat_dimension));
    if (a.split_count != 1) Write("split_count", StrCat(a.split_count));
    for (const Redistribution& how : a.redistributions) {
      for (const Redistribution::Source& source : how.sources) {
        Write("from", StrCat(Text(source.parts), " in ", IntsToString(source.low), " to ",
                             IntsToString(source.high)));
      }
      Write("windows", Text(how.windows));
    }
  }
  void operator()(const TupleIndexAttributes& a) { Write("index", StrCat(a.index)); }

 private:
  void Write(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += ", ";
    text_ += StrCat(name, "=", value);
  }
  void Flag(std::string_view name, bool value) {
    if (value) Write(name, "true");
  }
  void Ints(std::string_view name, std::span<const int64_t> values) {
    Write(name, IntsToString(values));
  }
  static std::string Text(const Begins& begins) {
    std::string text = IntsToString(begins.first);
    for (const Begins::Digit& digit : begins.digits) {
      text += StrCat(" + rank / ", digit.stride, " % ", digit.size, " * ", digit.step, " in ",
                     digit.dim);
    }
    return text;
  }
  void Layouts(std::string_view name, const std::vector<Dims>& layouts) {
    for (size_t i = 0; i < layouts.size(); ++i) {
      if (!layouts[i].empty()) Ints(StrCat(name, i, "_layout"), layouts[i]);
    }
  }
  void IfAny(std::string_view name, std::span<const int64_t> values) {
    if (!values.empty()) Ints(name, values);
  }
  void Unless(std::string_view name, std::span<const int64_t> values, int64_t all_equal) {
    for (int64_t value : values) {
      if (value != all_equal) return Ints(name, values);
    }
  }
  template <typename Names, typename E>
  void Enum(std::string_view name, const Names& names, E value) {
    Write(name, names[static_cast<size_t>(value)]);
  }
  void WriteWindow(const Window& window) {
    IfAny("window", window.sizes);
    Unless("strides", window.strides, 1);
    Unless("low", window.padding_low, 0);
    Unless("high", window.padding_high, 0);
    Unless("base_dilation", window.base_dilation, 1);
    Unless("window_dilation", window.window_dilation, 1);
    for (bool reversed : window.reversal) {
      if (!reversed) continue;
      std::string bits;
      for (bool bit : window.reversal) bits += bit ? '1' : '0';
      Write("reversal", bits);
      break;
    }
  }
  // "b01f": the role of each dimension in order, as in StableHLO's convolution text.
  static std::string Layout(int64_t a, std::string_view a_name, int64_t b, std::string_view b_name,
                            std::span<const int64_t> spatial) {
    std::string text;
    for (int64_t dim = 0; dim < static_cast<int64_t>(spatial.size()) + 2; ++dim) {
      if (dim == a) text += a_name;
      if (dim == b) text += b_name;
      for (size_t i = 0; i < spatial.size(); ++i) {
        if (spatial[i] == dim) text += StrCat(i);
      }
    }
    return text;
  }

  const Op& op_;
  std::string text_;
};

}  // namespace

std::string AttributesToString(const Op& op) {
  if (op.attributes == nullptr) return "";
  FieldWriter writer(op);
  std::visit(writer, *op.attributes);
  return std::move(writer).text();
}

}  // namespace plinth::compiler
