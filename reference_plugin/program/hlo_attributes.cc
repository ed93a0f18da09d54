// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <numbers>
#include <string>

#include "api/support/xla_message_fields.h"
#include "plinth/support/float_format.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/attribute_schema.h"
#include "reference_plugin/program/elements.h"
#include "reference_plugin/program/hlo_reader.h"
#include "reference_plugin/program/hlo_wire.h"

// What instructions say besides their operands, as attributes of StableHLO's ops.
namespace plinth::program {
namespace {

using messages::CholeskyOptionsProto;
using messages::ConvolutionDimensionNumbersProto;
using messages::DotDimensionNumbersProto;
using messages::GatherDimensionNumbersProto;
using messages::HloInstructionProto;
using messages::PaddingConfigDimensionProto;
using messages::PaddingConfigProto;
using messages::PrecisionConfigProto;
using messages::ResultAccuracyProto;
using messages::SliceDimensionsProto;
using messages::ToleranceProto;
using messages::TriangularSolveOptionsProto;
using messages::WindowDimensionProto;
using messages::WindowProto;

// PrecisionConfig.Algorithm by number, from 1 on: what a product computes with.
struct DotAlgorithm {
  DType input;  // kInvalid: tf32.
  DType accumulation;
  int8_t operations;
  bool is_imprecise;
};
constexpr DotAlgorithm kDotAlgorithms[] = {
    {DType::kF8E5M2, DType::kF32, 1, false},  // ANY_F8_ANY_F8_F32
    {DType::kF8E5M2, DType::kF32, 1, true},   // ANY_F8_ANY_F8_F32_FAST_ACCUM
    {DType::kF16, DType::kF16, 1, false},     {DType::kF16, DType::kF32, 1, false},
    {DType::kBF16, DType::kBF16, 1, false},   {DType::kBF16, DType::kF32, 1, false},
    {DType::kBF16, DType::kF32, 3, false},    {DType::kBF16, DType::kF32, 6, false},
    {DType::kInvalid, DType::kF32, 1, false}, {DType::kInvalid, DType::kF32, 3, false},
    {DType::kF32, DType::kF32, 1, false},     {DType::kF64, DType::kF64, 1, false},
    {DType::kBF16, DType::kF32, 9, false},
};

}  // namespace

AttributeRef HloReader::Ints(std::span<const int64_t> values) {
  uint64_t place = values.size();
  for (const int64_t value : values) place = place * 31 + static_cast<uint64_t>(value);
  AttributeRef& known = known_lists_[(place ^ place >> 6) % known_lists_.size()];
  if (known == nullptr || !std::ranges::equal(known->integers(), values)) {
    known = builder_.NewInts(values);
  }
  return known;
}

AttributeRef HloReader::Int(int64_t value) {
  if (value < 0 || value >= std::ssize(known_ints_)) return builder_.NewInt(DType::kS64, value);
  AttributeRef& known = known_ints_[value];
  if (known == nullptr) known = builder_.NewInt(DType::kS64, value);
  return known;
}

AttributeRef HloReader::EnumOf(const EnumSchema& schema, size_t number) {
  const std::string_view spelling = schema.spellings[number];
  AttributeRef& known = known_enums_[(schema.spellings.size() + number) % known_enums_.size()];
  if (known == nullptr || known->text().data() != spelling.data() ||
      known->struct_name() != schema.name) {
    known = builder_.New(Attribute::Enum(schema.name, spelling));
  }
  return known;
}

void HloReader::AddBool(std::string_view name, bool value) {
  AttributeRef& known = known_bools_[value];
  if (known == nullptr) known = builder_.New(Attribute::Bool(value));
  Add(name, known);
}

Status HloReader::AddEnum(std::string_view name, std::string_view kind, int64_t number) {
  const EnumSchema& schema = *FindEnum(kind);
  if (number < 0 || number >= std::ssize(schema.spellings)) {
    return InvalidArgument(name, " is ", number, "; expected less than ", schema.spellings.size());
  }
  Add(name, EnumOf(schema, static_cast<size_t>(number)));
  return {};
}

Status HloReader::AddEnumText(std::string_view name, std::string_view kind,
                              std::string_view spelling) {
  const EnumSchema& schema = *FindEnum(kind);
  const auto at = std::ranges::find(schema.spellings, spelling);
  if (at == schema.spellings.end()) {
    return InvalidArgument(name, " is \"", Shortened(spelling), "\"; expected one of ",
                           StrJoin(schema.spellings, ", "));
  }
  Add(name, EnumOf(schema, static_cast<size_t>(at - schema.spellings.begin())));
  return {};
}

// dense<...> : tensor<Nx`columns`xi64>
void HloReader::AddMatrix(std::string_view name, std::span<const int64_t> values, int64_t columns) {
  const int64_t dims[] = {columns == 0 ? 0 : std::ssize(values) / columns, columns};
  const TypeRef type = builder_.Tensor(DType::kS64, false, dims, nullptr);
  Add(name, ElementsFromValues(type, std::as_bytes(values), builder_));
}

// Low and high padding of each dimension of a Window.
void HloReader::AddPadding(std::string_view window) {
  const std::vector<int64_t> low =
      ColumnOf(window, WindowProto::kDimensions, WindowDimensionProto::kPaddingLow);
  const std::vector<int64_t> high =
      ColumnOf(window, WindowProto::kDimensions, WindowDimensionProto::kPaddingHigh);
  std::vector<int64_t> both;
  for (size_t i = 0; i < low.size(); ++i) both.insert(both.end(), {low[i], high[i]});
  AddMatrix("padding", both, 2);
}

void HloReader::AddStruct(std::string_view name, std::string_view kind,
                          std::initializer_list<NamedAttribute> fields) {
  Add(name, builder_.NewStruct(FindStruct(kind)->name, fields));
}

Expected<int64_t> HloReader::OneDimension(const Instruction& in) {
  ReadIntsField(in.rest, HloInstructionProto::kDimensions, &ints_);
  if (ints_.size() == 1) return ints_[0];
  return InvalidArgument("it has ", ints_.size(), " dimensions; expected one");
}

Status HloReader::ReadAccuracy(const Instruction& in) {
  std::string_view accuracy;
  if (FindBytes(in.rest, HloInstructionProto::kResultAccuracy, &accuracy)) {
    std::string_view tolerance;
    const bool has_tolerance = FindBytes(accuracy, ResultAccuracyProto::kTolerance, &tolerance);
    const int64_t mode = IntField(accuracy, ResultAccuracyProto::kMode);
    if (mode != 0 && mode != 1) return InvalidArgument("its accuracy has the mode ", mode);
    const EnumSchema& modes = *FindEnum("stablehlo.result_accuracy_mode");
    const auto number = [&](uint32_t field) {
      uint64_t bits = 0;
      for (WireReader reader(tolerance); reader.Next();) {
        if (reader.key() == WireKey(field, WireType::kFixed64)) {
          bits = reader.Fixed64();
        } else {
          reader.Skip();
        }
      }
      return builder_.New(Attribute::Float(builder_.Scalar(DType::kF64), bits));
    };
    const NamedAttribute fields[] = {
        {"atol", number(ToleranceProto::kAtol)},
        {"rtol", number(ToleranceProto::kRtol)},
        {"ulps", builder_.NewInt(DType::kS64, IntField(tolerance, ToleranceProto::kUlps))},
        {"mode", builder_.New(Attribute::Enum(
                     modes.name, modes.spellings[has_tolerance ? 2 : static_cast<size_t>(mode)]))}};
    Add("result_accuracy", builder_.NewStruct("stablehlo.result_accuracy", fields));
  }
  return EmitPlain(in);
}

Expected<ValueId> HloReader::EmitNumber(const Instruction& in, double number) {
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, 1));
  if (in.shape->is_tuple || !in.shape->leaves[0]->IsTensor()) {
    return InvalidArgument("its shape is ", ToString(*in.shape));
  }
  const TypeRef type = in.shape->leaves[0];
  const DType dtype = type->dtype;
  const DType real = dtype == DType::kC64    ? DType::kF32
                     : dtype == DType::kC128 ? DType::kF64
                                             : dtype;
  const uint64_t bits = FloatToBits(real, number);
  std::byte bytes[16] = {};
  std::memcpy(bytes, &bits, static_cast<size_t>(ByteSize(real)));
  return EmitConstant(
      in, type, ElementsFromValues(type, {bytes, static_cast<size_t>(ByteSize(dtype))}, builder_));
}

Status HloReader::ReadAtan(const Instruction& in) {
  PLINTH_ASSIGN_OR_RETURN(const ValueId one, EmitNumber(in, 1));
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  operands_.push_back(one);
  return Emit(in, Op::kAtan2, in.shape->leaves);
}

Status HloReader::ReadExp2(const Instruction& in) {
  PLINTH_ASSIGN_OR_RETURN(const ValueId two, EmitNumber(in, 2));
  operands_ = {two};
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  return Emit(in, Op::kPower, in.shape->leaves);
}

Status HloReader::ReadLog2(const Instruction& in) {
  PLINTH_ASSIGN_OR_RETURN(const ValueId factor, EmitNumber(in, std::numbers::log2e));
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  PLINTH_RETURN_IF_ERROR(Emit(in, Op::kLog, in.shape->leaves));
  operands_ = {result_[0], factor};
  return Emit(in, Op::kMultiply, in.shape->leaves);
}

Status HloReader::ReadBatchNorm(const Instruction& in) {
  uint32_t epsilon = 0;
  for (WireReader reader(in.rest); reader.Next();) {
    if (reader.key() == WireKey(HloInstructionProto::kEpsilon, WireType::kFixed32)) {
      epsilon = reader.Fixed32();
    } else {
      reader.Skip();
    }
  }
  Add("epsilon", builder_.New(Attribute::Float(builder_.Scalar(DType::kF32), epsilon)));
  AddInt("feature_index", IntField(in.rest, HloInstructionProto::kFeatureIndex));
  return EmitPlain(in);
}

// The bytes of an array as another one; without knowing how arrays lie, only what both are is
// known.
Status HloReader::ReadBitcast(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, 1));
  const HloShape& from = OperandShape(in, 0);
  if (from.is_tuple || in.shape->is_tuple || !from.IsRowMajor() || !in.shape->IsRowMajor() ||
      from.leaves[0]->dtype != in.shape->leaves[0]->dtype) {
    return Unimplemented("a bitcast from ", ToString(from), " to ", ToString(*in.shape),
                         " is only read between row-major arrays of one element type");
  }
  return EmitPlain(in);
}

Status HloReader::ReadBroadcast(const Instruction& in) {
  AddInts("broadcast_dimensions", in, HloInstructionProto::kDimensions);
  return EmitPlain(in);
}

Status HloReader::ReadCholesky(const Instruction& in) {
  const std::string_view options = BytesField(in.rest, HloInstructionProto::kCholeskyOptions);
  AddBool("lower", BoolField(options, CholeskyOptionsProto::kLower));
  return EmitPlain(in);
}

Status HloReader::ReadCompare(const Instruction& in) {
  using Field = HloInstructionProto;
  std::string_view direction, type, order;
  for (WireReader reader(in.rest); reader.Next();) {
    switch (reader.key()) {
      case WireKey(Field::kComparisonDirection, WireType::kBytes):
        direction = reader.Bytes();
        break;
      case WireKey(Field::kComparisonType, WireType::kBytes):
        type = reader.Bytes();
        break;
      case WireKey(Field::kComparisonOrder, WireType::kBytes):
        order = reader.Bytes();
        break;
      default:
        reader.Skip();
    }
  }
  PLINTH_RETURN_IF_ERROR(
      AddEnumText("comparison_direction", "stablehlo.comparison_direction", direction));
  if (!order.empty() && order != "TOTAL" && order != "PARTIAL") {
    return InvalidArgument("its order is \"", Shortened(order), "\"; expected TOTAL or PARTIAL");
  }
  // XLA of 2026 says this in place of a type. That of integers is total anyway.
  if (type.empty() && order == "TOTAL" && in.num_operands > 0) {
    const HloShape& compared = OperandShape(in, 0);
    if (!compared.is_tuple && InfoOf(compared.leaves[0]->dtype).kind == DTypeClass::kFloat) {
      type = "TOTALORDER";
    }
  }
  if (!type.empty()) {
    PLINTH_RETURN_IF_ERROR(AddEnumText("compare_type", "stablehlo.comparison_type", type));
  }
  return EmitPlain(in);
}

Status HloReader::ReadConcatenate(const Instruction& in) {
  PLINTH_ASSIGN_OR_RETURN(const int64_t dimension, OneDimension(in));
  AddInt("dimension", dimension);
  return EmitPlain(in);
}

Status HloReader::AddPrecision(const Instruction& in) {
  const std::string_view config = BytesField(in.rest, HloInstructionProto::kPrecisionConfig);
  ReadIntsField(config, PrecisionConfigProto::kOperandPrecision, &ints_);
  // Most say that nothing is asked for.
  if (std::ranges::count(ints_, 0) == std::ssize(ints_)) return {};
  const EnumSchema& precisions = *FindEnum("stablehlo.precision");
  std::vector<AttributeRef> list;
  for (const int64_t number : ints_) {
    if (number < 0 || number >= std::ssize(precisions.spellings)) {
      return InvalidArgument("operand_precision is ", number);
    }
    list.push_back(EnumOf(precisions, static_cast<size_t>(number)));
  }
  Add("precision_config", builder_.NewArray(list));
  return {};
}

Status HloReader::ReadConvolution(const Instruction& in) {
  using Numbers = ConvolutionDimensionNumbersProto;
  const std::string_view window = BytesField(in.rest, HloInstructionProto::kWindow);
  const std::string_view numbers =
      BytesField(in.rest, HloInstructionProto::kConvolutionDimensionNumbers);
  const auto column = [&](uint32_t field) {
    return ColumnIn(window, WindowProto::kDimensions, field);
  };
  const auto number = [&](uint32_t field) { return Int(IntField(numbers, field)); };
  const auto list = [&](uint32_t field) { return IntsIn(numbers, field); };
  Add("window_strides", column(WindowDimensionProto::kStride));
  Add("lhs_dilation", column(WindowDimensionProto::kBaseDilation));
  Add("rhs_dilation", column(WindowDimensionProto::kWindowDilation));
  AddPadding(window);
  const std::vector<int64_t> reversal =
      ColumnOf(window, WindowProto::kDimensions, WindowDimensionProto::kWindowReversal);
  Add("window_reversal", builder_.New(Attribute::DenseArray(builder_.Scalar(DType::kPred),
                                                            builder_.arena().Copy(reversal))));
  AddStruct("dimension_numbers", "stablehlo.conv",
            {{"input_batch_dimension", number(Numbers::kInputBatchDimension)},
             {"input_feature_dimension", number(Numbers::kInputFeatureDimension)},
             {"input_spatial_dimensions", list(Numbers::kInputSpatialDimensions)},
             {"kernel_input_feature_dimension", number(Numbers::kKernelInputFeatureDimension)},
             {"kernel_output_feature_dimension", number(Numbers::kKernelOutputFeatureDimension)},
             {"kernel_spatial_dimensions", list(Numbers::kKernelSpatialDimensions)},
             {"output_batch_dimension", number(Numbers::kOutputBatchDimension)},
             {"output_feature_dimension", number(Numbers::kOutputFeatureDimension)},
             {"output_spatial_dimensions", list(Numbers::kOutputSpatialDimensions)}});
  const auto count = [&](uint32_t field) {
    const int64_t groups = IntField(in.rest, field);
    return groups == 0 ? 1 : groups;
  };
  AddInt("feature_group_count", count(HloInstructionProto::kFeatureGroupCount));
  AddInt("batch_group_count", count(HloInstructionProto::kBatchGroupCount));
  PLINTH_RETURN_IF_ERROR(AddPrecision(in));
  return EmitPlain(in);
}

Status HloReader::ReadDot(const Instruction& in) {
  using Numbers = DotDimensionNumbersProto;
  const std::string_view numbers = BytesField(in.rest, HloInstructionProto::kDotDimensionNumbers);
  const auto list = [&](uint32_t field) { return IntsIn(numbers, field); };
  AddStruct("dot_dimension_numbers", "stablehlo.dot",
            {{"lhs_batching_dimensions", list(Numbers::kLhsBatchDimensions)},
             {"rhs_batching_dimensions", list(Numbers::kRhsBatchDimensions)},
             {"lhs_contracting_dimensions", list(Numbers::kLhsContractingDimensions)},
             {"rhs_contracting_dimensions", list(Numbers::kRhsContractingDimensions)}});
  PLINTH_RETURN_IF_ERROR(AddPrecision(in));
  const int64_t number = IntField(BytesField(in.rest, HloInstructionProto::kPrecisionConfig),
                                  PrecisionConfigProto::kAlgorithm);
  if (number < 0 || number > std::ssize(kDotAlgorithms)) {
    return Unimplemented("algorithm ", number, " of products is not known");
  }
  if (number > 0) {
    const DotAlgorithm& algorithm = kDotAlgorithms[number - 1];
    const auto type = [&](DType dtype) {
      return builder_.New(Attribute::OfType(
          dtype == DType::kInvalid ? builder_.Simple(TypeKind::kTf32) : builder_.Scalar(dtype)));
    };
    const NamedAttribute fields[] = {
        {"lhs_precision_type", type(algorithm.input)},
        {"rhs_precision_type", type(algorithm.input)},
        {"accumulation_type", type(algorithm.accumulation)},
        {"lhs_component_count", builder_.NewInt(DType::kS64, 1)},
        {"rhs_component_count", builder_.NewInt(DType::kS64, 1)},
        {"num_primitive_operations", builder_.NewInt(DType::kS64, algorithm.operations)},
        {"allow_imprecise_accumulation", builder_.New(Attribute::Bool(algorithm.is_imprecise))}};
    Add("algorithm", builder_.NewStruct("stablehlo.dot_algorithm", fields));
  }
  return EmitPlain(in);
}

Status HloReader::ReadDynamicSlice(const Instruction& in) {
  AddInts("slice_sizes", in, HloInstructionProto::kDynamicSliceSizes);
  return EmitPlain(in);
}

// Functions that StableHLO has no op for are calls by name, which import knows.
Status HloReader::ReadElementary(const Instruction& in) {
  const std::string target = StrCat("mhlo.", in.opcode->name);
  Add("call_target_name",
      builder_.New(Attribute::String(builder_.arena().Copy(std::string_view(target)))));
  return EmitPlain(in);
}

Status HloReader::ReadFft(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(
      AddEnum("fft_type", "stablehlo.fft_type", IntField(in.rest, HloInstructionProto::kFftType)));
  AddInts("fft_length", in, HloInstructionProto::kFftLength);
  return EmitPlain(in);
}

Status HloReader::ReadGather(const Instruction& in) {
  using Numbers = GatherDimensionNumbersProto;
  const std::string_view numbers =
      BytesField(in.rest, HloInstructionProto::kGatherDimensionNumbers);
  const auto list = [&](uint32_t field) { return IntsIn(numbers, field); };
  AddStruct("dimension_numbers", "stablehlo.gather",
            {{"offset_dims", list(Numbers::kOffsetDims)},
             {"collapsed_slice_dims", list(Numbers::kCollapsedSliceDims)},
             {"operand_batching_dims", list(Numbers::kOperandBatchingDims)},
             {"start_indices_batching_dims", list(Numbers::kStartIndicesBatchingDims)},
             {"start_index_map", list(Numbers::kStartIndexMap)},
             {"index_vector_dim", Int(IntField(numbers, Numbers::kIndexVectorDim))}});
  AddInts("slice_sizes", in, HloInstructionProto::kGatherSliceSizes);
  AddBool("indices_are_sorted", BoolField(in.rest, HloInstructionProto::kIndicesAreSorted));
  return EmitPlain(in);
}

Status HloReader::ReadGetDimensionSize(const Instruction& in) { return ReadConcatenate(in); }

Status HloReader::ReadIota(const Instruction& in) {
  PLINTH_ASSIGN_OR_RETURN(const int64_t dimension, OneDimension(in));
  AddInt("iota_dimension", dimension);
  return EmitPlain(in);
}

Status HloReader::ReadPad(const Instruction& in) {
  const std::string_view config = BytesField(in.rest, HloInstructionProto::kPaddingConfig);
  const auto column = [&](uint32_t field) {
    return ColumnIn(config, PaddingConfigProto::kDimensions, field);
  };
  Add("edge_padding_low", column(PaddingConfigDimensionProto::kEdgePaddingLow));
  Add("edge_padding_high", column(PaddingConfigDimensionProto::kEdgePaddingHigh));
  Add("interior_padding", column(PaddingConfigDimensionProto::kInteriorPadding));
  return EmitPlain(in);
}

Status HloReader::ReadReducePrecision(const Instruction& in) {
  for (const auto& [name, field] :
       {std::pair("exponent_bits", +HloInstructionProto::kExponentBits),
        std::pair("mantissa_bits", +HloInstructionProto::kMantissaBits)}) {
    Add(name, builder_.NewInt(DType::kS32, static_cast<int32_t>(IntField(in.rest, field))));
  }
  return EmitPlain(in);
}

Status HloReader::ReadReverse(const Instruction& in) {
  AddInts("dimensions", in, HloInstructionProto::kDimensions);
  return EmitPlain(in);
}

// The shape is an operand in StableHLO.
Status HloReader::ReadRng(const Instruction& in) {
  if (in.shape->is_tuple || !in.shape->leaves[0]->IsTensor()) {
    return InvalidArgument("its shape is ", ToString(*in.shape));
  }
  const std::span<const int64_t> dims = in.shape->leaves[0]->dims;
  const int64_t rank = std::ssize(dims);
  const TypeRef type = builder_.Tensor(DType::kS64, false, {&rank, 1}, nullptr);
  PLINTH_ASSIGN_OR_RETURN(
      const ValueId shape,
      EmitConstant(in, type, ElementsFromValues(type, std::as_bytes(dims), builder_)));
  PLINTH_RETURN_IF_ERROR(AddEnum("rng_distribution", "stablehlo.rng_distribution",
                                 IntField(in.rest, HloInstructionProto::kDistribution)));
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  operands_.push_back(shape);
  return Emit(in, Op::kRng, in.shape->leaves);
}

Status HloReader::ReadRngBitGenerator(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(AddEnum("rng_algorithm", "stablehlo.rng_algorithm",
                                 IntField(in.rest, HloInstructionProto::kRngAlgorithm)));
  return EmitPlain(in);
}

// A state that nobody knows the first of: each is a new random number.
Status HloReader::ReadRngState(const Instruction& in) {
  if (in.shape->is_tuple || in.shape->leaves[0]->dtype != DType::kU64) {
    return InvalidArgument("its shape is ", ToString(*in.shape), "; expected u64[2]");
  }
  const TypeRef scalar = builder_.Tensor(DType::kU64, false, {}, nullptr);
  ValueId bounds[2];
  for (const size_t i : {0, 1}) {
    const uint64_t bound = i == 0 ? 0 : UINT64_MAX;
    PLINTH_ASSIGN_OR_RETURN(
        bounds[i],
        EmitConstant(in, scalar,
                     ElementsFromValues(scalar, std::as_bytes(std::span(&bound, 1)), builder_)));
  }
  const std::span<const int64_t> dims = in.shape->leaves[0]->dims;
  const int64_t rank = std::ssize(dims);
  const TypeRef type = builder_.Tensor(DType::kS64, false, {&rank, 1}, nullptr);
  PLINTH_ASSIGN_OR_RETURN(
      const ValueId shape,
      EmitConstant(in, type, ElementsFromValues(type, std::as_bytes(dims), builder_)));
  PLINTH_RETURN_IF_ERROR(AddEnumText("rng_distribution", "stablehlo.rng_distribution", "UNIFORM"));
  operands_ = {bounds[0], bounds[1], shape};
  return Emit(in, Op::kRng, in.shape->leaves);
}

Status HloReader::ReadSlice(const Instruction& in) {
  const auto column = [&](uint32_t field) {
    return ColumnIn(in.rest, HloInstructionProto::kSliceDimensions, field);
  };
  Add("start_indices", column(SliceDimensionsProto::kStart));
  Add("limit_indices", column(SliceDimensionsProto::kLimit));
  Add("strides", column(SliceDimensionsProto::kStride));
  return EmitPlain(in);
}

Status HloReader::ReadTopK(const Instruction& in) {
  Add("call_target_name", builder_.New(Attribute::String("mhlo.topk")));
  Add("mhlo.attributes",
      builder_.NewDictionary(
          {{"k", builder_.NewInt(DType::kS64, IntField(in.rest, HloInstructionProto::kK))},
           {"largest",
            builder_.New(Attribute::Bool(BoolField(in.rest, HloInstructionProto::kLargest)))}}));
  return EmitPlain(in);
}

Status HloReader::ReadTranspose(const Instruction& in) {
  AddInts("permutation", in, HloInstructionProto::kDimensions);
  return EmitPlain(in);
}

Status HloReader::ReadTriangularSolve(const Instruction& in) {
  using Options = TriangularSolveOptionsProto;
  const std::string_view options =
      BytesField(in.rest, HloInstructionProto::kTriangularSolveOptions);
  AddBool("left_side", BoolField(options, Options::kLeftSide));
  AddBool("lower", BoolField(options, Options::kLower));
  AddBool("unit_diagonal", BoolField(options, Options::kUnitDiagonal));
  PLINTH_RETURN_IF_ERROR(
      AddEnum("transpose_a", "stablehlo.transpose", IntField(options, Options::kTransposeA)));
  return EmitPlain(in);
}

}  // namespace plinth::program
