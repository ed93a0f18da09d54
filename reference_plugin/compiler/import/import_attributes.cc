// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/import_attributes.h"

#include <algorithm>
#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/sharding_reader.h"
#include "reference_plugin/compiler/ir/attribute_text.h"
#include "reference_plugin/compiler/ir/op_checks.h"

namespace plinth::compiler::importer {
namespace {

using program::AttributeKind;
using program::AttributeRef;
using program::Operation;

Dims ToDims(std::span<const int64_t> values) { return Dims(values); }

Dims IntsOf(const Operation& op, std::string_view name) { return ToDims(op.Ints(name)); }

// An absent list stands for as many defaults as there are dimensions.
Dims IntsOr(const Operation& op, std::string_view name, size_t count, int64_t value) {
  return op.Find(name) == nullptr ? Dims(count, value) : IntsOf(op, name);
}

size_t RankOfOperand(const AttributeSource& source, size_t i = 0) {
  return i < source.operands.size() ? source.operands[i]->type.dims.size() : 0;
}

// Fields of a struct attribute; missing ones are empty.
class Fields {
 public:
  Fields(const Operation& op, std::string_view name) : attribute_(op.Find(name)) {}
  Dims Ints(std::string_view field) const {
    const AttributeRef value = Find(field);
    return value == nullptr ? Dims() : ToDims(value->integers());
  }
  int64_t Int(std::string_view field) const {
    const AttributeRef value = Find(field);
    return value == nullptr ? 0 : value->integer();
  }

 private:
  AttributeRef Find(std::string_view field) const {
    return attribute_ == nullptr ? nullptr : attribute_->Find(field);
  }
  AttributeRef attribute_;
};

template <typename E, size_t N>
Expected<E> EnumOf(const Operation& op, std::string_view name,
                   const std::string_view (&spellings)[N]) {
  const std::string_view text = op.Text(name);
  for (size_t i = 0; i < N; ++i) {
    if (spellings[i] == text) return static_cast<E>(i);
  }
  return InvalidArgument(name, " is \"", text, "\"; expected one of ", StrJoin(spellings));
}

// The entries of an integer tensor attribute of two dimensions, row by row. What takes no input (a
// splat, empty rows) is limited to what a sensible program can mean by it; so is the rest, since
// many ops may share one attribute and each gets a copy.
Expected<std::vector<std::vector<int64_t>>> RowsOf(const Operation& op, std::string_view name) {
  constexpr int64_t kMostWithoutInput = 2 * 64;
  constexpr int64_t kMost = 4096;
  std::vector<std::vector<int64_t>> rows;
  const AttributeRef attribute = op.Find(name);
  if (attribute == nullptr) return rows;
  if (!attribute->Is(AttributeKind::kElements)) {
    return InvalidArgument(name, " is ", program::ToString(attribute),
                           "; expected a tensor of two dimensions");
  }
  const program::Type& type = *attribute->type();
  if (type.rank() != 2 || type.dtype != DType::kS64 || !type.HasStaticShape()) {
    return InvalidArgument(name, " is of ", program::ToString(&type),
                           "; expected two dimensions of i64");
  }
  const std::span<const std::byte> bytes = attribute->bytes();
  const int64_t written = static_cast<int64_t>(bytes.size() / sizeof(int64_t));
  const int64_t most =
      attribute->splat() ? kMostWithoutInput : std::clamp(written, kMostWithoutInput, kMost);
  if (type.dims[0] > most || type.dims[1] > most || type.NumElements() > most) {
    return InvalidArgument(name, " has ", type.dims[0], " x ", type.dims[1],
                           " entries; expected at most ", most);
  }
  rows.resize(static_cast<size_t>(type.dims[0]));
  size_t at = 0;
  for (std::vector<int64_t>& row : rows) {
    for (int64_t i = 0; i < type.dims[1]; ++i) {
      int64_t value = 0;
      const size_t offset = attribute->splat() ? 0 : at * sizeof(int64_t);
      if (offset + sizeof(int64_t) > bytes.size()) {
        return InvalidArgument(name, " has fewer entries than its type says");
      }
      std::memcpy(&value, bytes.data() + offset, sizeof(value));
      row.push_back(value);
      ++at;
    }
  }
  return rows;
}

Status ReadPadding(const Operation& op, size_t rank, Window* window) {
  if (op.Find("padding") == nullptr) {
    window->padding_low = Dims(rank, 0);
    window->padding_high = Dims(rank, 0);
    return Status();
  }
  PLINTH_ASSIGN_OR_RETURN(const auto rows, RowsOf(op, "padding"));
  for (const std::vector<int64_t>& row : rows) {
    if (row.size() != 2) {
      return InvalidArgument("padding has rows of ", row.size(), "; expected low and high");
    }
    window->padding_low.push_back(row[0]);
    window->padding_high.push_back(row[1]);
  }
  return Status();
}

// The highest of the operands' precisions.
Expected<Precision> PrecisionOf(const Operation& op) {
  Precision highest = Precision::kDefault;
  const AttributeRef config = op.Find("precision_config");
  if (config == nullptr) return highest;
  for (AttributeRef entry : config->elements()) {
    const auto* found =
        std::find(std::begin(kPrecisionNames), std::end(kPrecisionNames), entry->text());
    if (found == std::end(kPrecisionNames)) {
      return InvalidArgument("precision_config names \"", entry->text(), "\"; expected one of ",
                             StrJoin(kPrecisionNames));
    }
    highest = std::max(highest, static_cast<Precision>(found - std::begin(kPrecisionNames)));
  }
  return highest;
}

// Of a dot_general, if it asks for one.
std::optional<DotAlgorithm> AlgorithmOf(const Operation& op) {
  const AttributeRef given = op.Find("algorithm");
  if (given == nullptr) return std::nullopt;
  const Fields fields(op, "algorithm");
  const auto type = [&](std::string_view field) -> std::optional<DType> {
    const AttributeRef value = given->Find(field);
    const bool is_element = value != nullptr && value->Is(AttributeKind::kType) &&
                            value->type()->kind == program::TypeKind::kScalar;
    return is_element ? std::optional(value->type()->dtype) : std::nullopt;
  };
  DotAlgorithm algorithm;
  algorithm.lhs_precision = type("lhs_precision_type");
  algorithm.rhs_precision = type("rhs_precision_type");
  algorithm.accumulation = type("accumulation_type");
  algorithm.lhs_components = fields.Int("lhs_component_count");
  algorithm.rhs_components = fields.Int("rhs_component_count");
  algorithm.primitive_operations = fields.Int("num_primitive_operations");
  algorithm.allow_imprecise_accumulation = fields.Int("allow_imprecise_accumulation") != 0;
  return algorithm;
}

}  // namespace

Expected<AttributesRef> ConvertConstant(const AttributeSource& source) {
  const AttributeRef value = source.op.Find("value");
  if (value == nullptr || !value->Is(AttributeKind::kElements)) {
    return InvalidArgument("value is missing; expected dense elements");
  }
  const program::Type& type = *value->type();
  if (!source.results.empty() && type.dtype != source.results[0].dtype) {
    return InvalidArgument("value has elements of ", Name(type.dtype), "; expected ",
                           Name(source.results[0].dtype), " as the result");
  }
  if (!source.results.empty() &&
      !std::equal(type.dims.begin(), type.dims.end(), source.results[0].dims.begin(),
                  source.results[0].dims.end())) {
    return InvalidArgument("value is of ", program::ToString(&type), "; expected the shape of ",
                           source.results[0].ToString());
  }
  return MakeAttributes(ConstantAttributes{value->bytes(), value->splat(), source.owner});
}

Expected<AttributesRef> ConvertCompare(const AttributeSource& source) {
  PLINTH_ASSIGN_OR_RETURN(
      const auto direction,
      EnumOf<ComparisonDirection>(source.op, "comparison_direction", kComparisonDirectionNames));
  const DTypeClass kind =
      source.operands.empty() ? DTypeClass::kNone : InfoOf(source.operands[0]->type.dtype).kind;
  ComparisonType type = ComparisonType::kFloat;
  if (kind == DTypeClass::kPred || kind == DTypeClass::kUnsigned) type = ComparisonType::kUnsigned;
  if (kind == DTypeClass::kSigned) type = ComparisonType::kSigned;
  const std::string_view written = source.op.Text("compare_type");
  // Pred is compared as unsigned, whatever integer comparison the program names.
  const bool pred_as_integer = kind == DTypeClass::kPred && written == "SIGNED";
  if (!written.empty() && written != "NOTYPE" && !pred_as_integer) {
    PLINTH_ASSIGN_OR_RETURN(
        type, EnumOf<ComparisonType>(source.op, "compare_type", kComparisonTypeNames));
  }
  return MakeAttributes(CompareAttributes{direction, type});
}

Expected<AttributesRef> ConvertIota(const AttributeSource& source) {
  DimensionAttributes attributes;
  attributes.dimension = source.op.Int("iota_dimension");
  return MakeAttributes(attributes);
}

Expected<AttributesRef> ConvertDimension(const AttributeSource& source) {
  DimensionAttributes attributes;
  attributes.dimension = source.op.Int("dimension");
  return MakeAttributes(attributes);
}

Expected<AttributesRef> ConvertSort(const AttributeSource& source) {
  DimensionAttributes attributes;
  attributes.dimension = source.op.Int("dimension", -1);
  // A negative dimension counts from the last.
  if (attributes.dimension < 0) attributes.dimension += static_cast<int64_t>(RankOfOperand(source));
  attributes.is_stable = source.op.Bool("is_stable");
  return MakeAttributes(attributes);
}

Expected<AttributesRef> ConvertBroadcastInDim(const AttributeSource& source) {
  return MakeAttributes(DimensionsAttributes{IntsOf(source.op, "broadcast_dimensions")});
}

Expected<AttributesRef> ConvertBroadcast(const AttributeSource& source) {
  const Dims sizes = IntsOf(source.op, "broadcast_sizes");
  const size_t rank = RankOfOperand(source);
  bool fits = source.results.size() == 1 && source.results[0].dims.size() == sizes.size() + rank;
  for (size_t i = 0; fits && i < sizes.size(); ++i) fits = source.results[0].dims[i] == sizes[i];
  if (!fits) return InvalidArgument("the result does not begin with broadcast_sizes");
  DimensionsAttributes attributes;
  for (size_t i = 0; i < rank; ++i) {
    attributes.dimensions.push_back(static_cast<int64_t>(sizes.size() + i));
  }
  return MakeAttributes(attributes);
}

Expected<AttributesRef> ConvertTranspose(const AttributeSource& source) {
  return MakeAttributes(DimensionsAttributes{IntsOf(source.op, "permutation")});
}

Expected<AttributesRef> ConvertDimensions(const AttributeSource& source) {
  DimensionsAttributes attributes{IntsOf(source.op, "dimensions")};
  std::sort(attributes.dimensions.begin(), attributes.dimensions.end());
  return MakeAttributes(std::move(attributes));
}

Expected<AttributesRef> ConvertSlice(const AttributeSource& source) {
  return MakeAttributes(SliceAttributes{IntsOf(source.op, "start_indices"),
                                        IntsOf(source.op, "limit_indices"),
                                        IntsOf(source.op, "strides")});
}

Expected<AttributesRef> ConvertDynamicSlice(const AttributeSource& source) {
  return MakeAttributes(DynamicSliceAttributes{IntsOf(source.op, "slice_sizes")});
}

Expected<AttributesRef> ConvertPad(const AttributeSource& source) {
  return MakeAttributes(PadAttributes{IntsOf(source.op, "edge_padding_low"),
                                      IntsOf(source.op, "edge_padding_high"),
                                      IntsOf(source.op, "interior_padding")});
}

Expected<AttributesRef> ConvertDotGeneral(const AttributeSource& source) {
  const Fields numbers(source.op, "dot_dimension_numbers");
  PLINTH_ASSIGN_OR_RETURN(const Precision precision, PrecisionOf(source.op));
  return MakeAttributes(DotAttributes{
      numbers.Ints("lhs_batching_dimensions"), numbers.Ints("rhs_batching_dimensions"),
      numbers.Ints("lhs_contracting_dimensions"), numbers.Ints("rhs_contracting_dimensions"),
      precision, AlgorithmOf(source.op)});
}

Expected<AttributesRef> ConvertDot(const AttributeSource& source) {
  PLINTH_ASSIGN_OR_RETURN(const Precision precision, PrecisionOf(source.op));
  const size_t lhs = RankOfOperand(source, 0);
  const size_t rhs = RankOfOperand(source, 1);
  if (lhs < 1 || lhs > 2 || rhs < 1 || rhs > 2) {
    return InvalidArgument("the operands have ", lhs, " and ", rhs,
                           " dimensions; expected vectors or matrices");
  }
  DotAttributes attributes;
  attributes.lhs_contracting.push_back(static_cast<int64_t>(lhs) - 1);
  attributes.rhs_contracting.push_back(0);
  attributes.precision = precision;
  return MakeAttributes(std::move(attributes));
}

Expected<AttributesRef> ConvertConvolution(const AttributeSource& source) {
  const Operation& op = source.op;
  const Fields numbers(op, "dimension_numbers");
  ConvolutionAttributes conv;
  conv.input_batch = numbers.Int("input_batch_dimension");
  conv.input_feature = numbers.Int("input_feature_dimension");
  conv.input_spatial = numbers.Ints("input_spatial_dimensions");
  conv.kernel_input_feature = numbers.Int("kernel_input_feature_dimension");
  conv.kernel_output_feature = numbers.Int("kernel_output_feature_dimension");
  conv.kernel_spatial = numbers.Ints("kernel_spatial_dimensions");
  conv.output_batch = numbers.Int("output_batch_dimension");
  conv.output_feature = numbers.Int("output_feature_dimension");
  conv.output_spatial = numbers.Ints("output_spatial_dimensions");
  conv.feature_group_count = op.Int("feature_group_count", 1);
  conv.batch_group_count = op.Int("batch_group_count", 1);
  PLINTH_ASSIGN_OR_RETURN(conv.precision, PrecisionOf(op));
  const size_t rank = RankOfOperand(source);
  const size_t spatial = rank < 2 ? 0 : rank - 2;
  Window& window = conv.window;
  window.strides = IntsOr(op, "window_strides", spatial, 1);
  window.base_dilation = IntsOr(op, "lhs_dilation", spatial, 1);
  window.window_dilation = IntsOr(op, "rhs_dilation", spatial, 1);
  for (int64_t reversed : IntsOr(op, "window_reversal", spatial, 0)) {
    window.reversal.push_back(reversed != 0);
  }
  PLINTH_RETURN_IF_ERROR(ReadPadding(op, spatial, &window));
  if (source.operands.size() >= 2) {
    const Dims& kernel = source.operands[1]->type.dims;
    for (int64_t dim : conv.kernel_spatial) {
      const bool inside = dim >= 0 && dim < static_cast<int64_t>(kernel.size());
      window.sizes.push_back(inside ? kernel[static_cast<size_t>(dim)] : 0);
    }
  }
  return MakeAttributes(std::move(conv));
}

// Also select_and_scatter, which has no dilations.
Expected<AttributesRef> ConvertReduceWindow(const AttributeSource& source) {
  const Operation& op = source.op;
  const size_t rank = RankOfOperand(source);
  Window window;
  window.sizes = IntsOr(op, "window_dimensions", rank, 1);
  window.strides = IntsOr(op, "window_strides", rank, 1);
  window.base_dilation = IntsOr(op, "base_dilations", rank, 1);
  window.window_dilation = IntsOr(op, "window_dilations", rank, 1);
  PLINTH_RETURN_IF_ERROR(ReadPadding(op, rank, &window));
  return MakeAttributes(WindowAttributes{std::move(window)});
}

Expected<AttributesRef> ConvertGather(const AttributeSource& source) {
  const Fields numbers(source.op, "dimension_numbers");
  GatherAttributes gather;
  gather.offset_dims = numbers.Ints("offset_dims");
  gather.collapsed_slice_dims = numbers.Ints("collapsed_slice_dims");
  gather.operand_batching_dims = numbers.Ints("operand_batching_dims");
  gather.start_indices_batching_dims = numbers.Ints("start_indices_batching_dims");
  gather.start_index_map = numbers.Ints("start_index_map");
  gather.index_vector_dim = numbers.Int("index_vector_dim");
  gather.slice_sizes = IntsOf(source.op, "slice_sizes");
  gather.indices_are_sorted = source.op.Bool("indices_are_sorted");
  return MakeAttributes(std::move(gather));
}

Expected<AttributesRef> ConvertScatter(const AttributeSource& source) {
  const Fields numbers(source.op, "scatter_dimension_numbers");
  ScatterAttributes scatter;
  scatter.update_window_dims = numbers.Ints("update_window_dims");
  scatter.inserted_window_dims = numbers.Ints("inserted_window_dims");
  scatter.input_batching_dims = numbers.Ints("input_batching_dims");
  scatter.scatter_indices_batching_dims = numbers.Ints("scatter_indices_batching_dims");
  scatter.scatter_dims_to_operand_dims = numbers.Ints("scatter_dims_to_operand_dims");
  scatter.index_vector_dim = numbers.Int("index_vector_dim");
  scatter.indices_are_sorted = source.op.Bool("indices_are_sorted");
  scatter.unique_indices = source.op.Bool("unique_indices");
  return MakeAttributes(std::move(scatter));
}

Expected<AttributesRef> ConvertRng(const AttributeSource& source) {
  PLINTH_ASSIGN_OR_RETURN(
      const auto distribution,
      EnumOf<RngDistribution>(source.op, "rng_distribution", kRngDistributionNames));
  return MakeAttributes(RngAttributes{distribution});
}

Expected<AttributesRef> ConvertRngBitGenerator(const AttributeSource& source) {
  PLINTH_ASSIGN_OR_RETURN(const auto algorithm,
                          EnumOf<RngAlgorithm>(source.op, "rng_algorithm", kRngAlgorithmNames));
  return MakeAttributes(RngBitGeneratorAttributes{algorithm});
}

Expected<AttributesRef> ConvertReducePrecision(const AttributeSource& source) {
  // More bits than any type has change nothing more.
  const auto clip = [&](std::string_view name) {
    return static_cast<int32_t>(std::clamp<int64_t>(source.op.Int(name), -1, 63));
  };
  return MakeAttributes(ReducePrecisionAttributes{clip("exponent_bits"), clip("mantissa_bits")});
}

Expected<AttributesRef> ConvertFft(const AttributeSource& source) {
  PLINTH_ASSIGN_OR_RETURN(const auto type, EnumOf<FftType>(source.op, "fft_type", kFftTypeNames));
  return MakeAttributes(FftAttributes{type, IntsOf(source.op, "fft_length")});
}

Expected<AttributesRef> ConvertCholesky(const AttributeSource& source) {
  return MakeAttributes(CholeskyAttributes{source.op.Bool("lower")});
}

Expected<AttributesRef> ConvertTriangularSolve(const AttributeSource& source) {
  PLINTH_ASSIGN_OR_RETURN(const auto transpose,
                          EnumOf<TransposeMode>(source.op, "transpose_a", kTransposeModeNames));
  return MakeAttributes(TriangularSolveAttributes{source.op.Bool("left_side"),
                                                  source.op.Bool("lower"),
                                                  source.op.Bool("unit_diagonal"), transpose});
}

Expected<AttributesRef> ConvertBatchNorm(const AttributeSource& source) {
  const AttributeRef epsilon = source.op.Find("epsilon");
  return MakeAttributes(
      BatchNormAttributes{epsilon == nullptr ? 0.0f : static_cast<float>(epsilon->float_value()),
                          source.op.Int("feature_index")});
}

Expected<AttributesRef> ConvertCall(const AttributeSource& source) {
  CallAttributes call;
  call.callee = std::string(source.op.Text("callee"));
  return MakeAttributes(std::move(call));
}

Expected<AttributesRef> ConvertComposite(const AttributeSource& source) {
  CallAttributes call;
  call.callee = std::string(source.op.Text("decomposition"));
  call.composite_name = std::string(source.op.Text("name"));
  call.version = source.op.Int("version");
  if (const AttributeRef attributes = source.op.Find("composite_attributes")) {
    for (const program::NamedAttribute& field : attributes->fields()) {
      if (field.value->Is(AttributeKind::kInteger) || field.value->Is(AttributeKind::kBool)) {
        call.integer_attributes.emplace_back(std::string(field.name), field.value->integer());
      }
    }
  }
  return MakeAttributes(std::move(call));
}

Expected<AttributesRef> ConvertCollective(const AttributeSource& source) {
  const Operation& op = source.op;
  CollectiveAttributes collective;
  const bool permute = op.Find("source_target_pairs") != nullptr;
  const std::string_view lists = permute ? "source_target_pairs" : "replica_groups";
  const AttributeRef groups = op.Find(lists);
  DeviceGroups::Lists rows;
  if (groups != nullptr && groups->struct_name() == "stablehlo.replica_group_mesh_axes") {
    auto read = source.shardings->ReadGroups(groups);
    if (!read.ok()) return read.status().WithContext(lists);
    rows = *std::move(read);
  } else {
    PLINTH_ASSIGN_OR_RETURN(rows, RowsOf(op, lists));
  }
  if (!permute) {
    // Rows are padded with -1 where groups differ in size.
    for (std::vector<int64_t>& group : rows) std::erase(group, -1);
  }
  collective.groups = std::move(rows);
  collective.channel_id = Fields(op, "channel_handle").Int("handle");
  collective.use_global_device_ids = op.Bool("use_global_device_ids");
  for (std::string_view name : {"all_gather_dim", "scatter_dimension", "split_dimension"}) {
    if (op.Find(name) != nullptr) collective.dimension = op.Int(name);
  }
  collective.concat_dimension = op.Int("concat_dimension");
  collective.split_count = op.Int("split_count", 1);
  return MakeAttributes(std::move(collective));
}

Expected<AttributesRef> ConvertTupleIndex(const AttributeSource& source) {
  return MakeAttributes(TupleIndexAttributes{source.op.Int("index")});
}

Expected<Dims> ReadLayout(const program::Attribute& attribute) {
  Dims indices;
  if (!attribute.Is(AttributeKind::kElements) || attribute.type()->rank() != 1 ||
      ByteSize(attribute.type()->dtype) != sizeof(int64_t)) {
    return InvalidArgument("a layout is ", program::ToString(&attribute),
                           "; expected dense indices of one dimension");
  }
  const int64_t count = attribute.type()->dims[0];
  if (count < 0 || count > kMaxRank) {
    return InvalidArgument("a layout has ", count, " dimensions; expected at most ", kMaxRank);
  }
  const std::span<const std::byte> bytes = attribute.bytes();
  for (int64_t i = 0; i < count; ++i) {
    const size_t offset = attribute.splat() ? 0 : static_cast<size_t>(i) * sizeof(int64_t);
    if (offset + sizeof(int64_t) > bytes.size()) {
      return InvalidArgument("a layout has fewer dimensions than its type says");
    }
    int64_t index;
    std::memcpy(&index, bytes.data() + offset, sizeof(index));
    indices.push_back(index);
  }
  return indices;
}

}  // namespace plinth::compiler::importer
