// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/attribute_schema.h"
#include "reference_plugin/program/bytecode_attributes.h"

// The encodings of `vhlo` and `sdy`.
namespace plinth::program {
namespace {

// VHLO attribute codes that stand for an enum.
struct EnumCode {
  uint64_t code;
  std::string_view name;
};
constexpr EnumCode kEnumCodes[] = {
    {3, "stablehlo.comparison_direction"},
    {4, "stablehlo.comparison_type"},
    {7, "stablehlo.fft_type"},
    {11, "stablehlo.precision"},
    {12, "stablehlo.rng_algorithm"},
    {13, "stablehlo.rng_distribution"},
    {16, "stablehlo.transpose"},
    {19, "stablehlo.result_accuracy_mode"},
};

namespace vhlo {

// Other VHLO attribute codes.
enum VhloCode : uint64_t {
  kArray = 1,
  kBoolean = 2,
  kCustomCallApiVersion = 5,
  kDictionary = 6,
  kFloat = 8,
  kInteger = 9,
  kOutputOperandAlias = 10,
  kString = 14,
  kTensor = 15,
  kTypeAttribute = 17,
  kTypeExtensions = 18,
  kResultAccuracy = 20,
  kSubAxisInfo = 21,
  kAxisRef = 22,
  kReplicaGroupMeshAxes = 23,
  kMeshAxis = 24,
  kMesh = 25,
};

// VHLO type codes that stand for an element type.
struct ScalarCode {
  uint64_t code;
  DType type;
};
constexpr ScalarCode kScalarCodes[] = {
    {0, DType::kPred},        {2, DType::kBF16},
    {3, DType::kF16},         {4, DType::kF32},
    {5, DType::kF64},         {6, DType::kF8E4M3FN},
    {7, DType::kF8E5M2},      {10, DType::kS4},
    {11, DType::kS8},         {12, DType::kS16},
    {13, DType::kS32},        {14, DType::kS64},
    {15, DType::kU4},         {16, DType::kU8},
    {17, DType::kU16},        {18, DType::kU32},
    {19, DType::kU64},        {27, DType::kF8E4M3FNUZ},
    {28, DType::kF8E5M2FNUZ}, {29, DType::kF8E4M3B11FNUZ},
    {31, DType::kS2},         {32, DType::kU2},
    {35, DType::kF8E4M3},     {36, DType::kF8E3M4},
    {37, DType::kF4E2M1FN},   {38, DType::kF6E2M3FN},
    {39, DType::kF6E3M2FN},   {40, DType::kF8E8M0FNU},
};

// Other VHLO type codes.
enum VhloTypeCode : uint64_t {
  kComplexType = 1,
  kFunctionType = 8,
  kIndexType = 9,
  kRankedTensor = 20,
  kRankedTensorWithEncoding = 21,
  kToken = 22,
  kTuple = 23,
  kUniformQuantized = 24,
  kUnrankedTensor = 25,
  kUniformQuantizedPerAxis = 30,
  kNone = 33,
  kTf32 = 34,
  kRankedBuffer = 41,
  kFuture = 42,
};

}  // namespace vhlo

enum StablehloTypeCode : uint64_t {
  kStablehloToken = 0,
  kStablehloFuture = 1,
};

enum SdyCode : uint64_t {
  kManualAxes = 0,
  kSdyMeshAxis = 1,
  kSdyMesh = 2,
  kSdySubAxisInfo = 3,
  kSdyAxisRef = 4,
  kDimensionSharding = 5,
  kShardingV1 = 6,
  kShardingPerValueV1 = 7,
  kDimMapping = 8,
  kTensorMapping = 9,
  kOpShardingRule = 10,
  kShardingV2 = 15,
  kShardingPerValueV2 = 16,
  kShardingV3 = 17,
};

}  // namespace

AttributeRef BytecodeAttributes::ReadEnum(BytecodeCursor& at, std::string_view name) {
  const size_t offset = at.offset();
  uint64_t number;
  if (!at.Varint(&number)) return Truncated(at, "an enum value");
  const EnumSchema& schema = *FindEnum(name);
  if (number >= schema.spellings.size() || schema.spellings[number].empty()) {
    return Fail(BytecodeError(offset, number, " is no value of ", name));
  }
  return builder_.New(Attribute::Enum(schema.name, schema.spellings[number]));
}

AttributeRef BytecodeAttributes::NewStruct(const BytecodeCursor& at, std::string_view static_name,
                                           std::span<const NamedAttribute> fields) {
  if (FieldsFit(static_name, fields)) return builder_.NewStruct(static_name, fields);
  return Fail(
      BytecodeError(at.offset(), "a field of #", static_name, " before this is of the wrong kind"));
}

AttributeRef BytecodeAttributes::DecodeVhlo(uint64_t code, BytecodeCursor& at) {
  for (const EnumCode& known : kEnumCodes) {
    if (known.code == code) return ReadEnum(at, known.name);
  }
  std::vector<NamedAttribute> fields;
  int64_t first, second;
  switch (code) {
    case vhlo::kArray:
      return ReadArray(at);
    case vhlo::kBoolean: {
      const size_t offset = at.offset();
      uint64_t value;
      if (!at.Varint(&value)) return Truncated(at, "a boolean");
      if (value > 1) return Fail(BytecodeError(offset, value, " is no boolean"));
      return builder_.New(Attribute::Bool(value == 1));
    }
    case vhlo::kCustomCallApiVersion: {
      // StableHLO has it as a plain integer.
      uint64_t version;
      if (!at.Varint(&version)) return Truncated(at, "an API version");
      return builder_.NewInt(DType::kS32, static_cast<int32_t>(version));
    }
    case vhlo::kDictionary:
      return ReadDictionary(at);
    case vhlo::kFloat:
      return ReadFloat(at);
    case vhlo::kInteger:
      return ReadInteger(at);
    case vhlo::kOutputOperandAlias: {
      std::vector<int64_t> output, operand;
      if (!ReadSignedList(at, &output)) return nullptr;
      if (!at.SignedVarint(&first)) return Truncated(at, "the index of an operand");
      if (!ReadSignedList(at, &operand)) return nullptr;
      fields = {{"output_tuple_indices", builder_.NewInts(output)},
                {"operand_index", builder_.NewInt(DType::kS64, first)},
                {"operand_tuple_indices", builder_.NewInts(operand)}};
      return builder_.NewStruct("stablehlo.output_operand_alias", fields);
    }
    case vhlo::kString: {
      std::string_view text;
      return ReadString(at, &text) ? builder_.New(Attribute::String(text)) : nullptr;
    }
    case vhlo::kTensor:
      return ReadElements(at);
    case vhlo::kTypeAttribute: {
      TypeRef type = ReadType(at);
      return type == nullptr ? nullptr : builder_.New(Attribute::OfType(type));
    }
    case vhlo::kTypeExtensions: {
      std::vector<int64_t> bounds;
      if (!ReadSignedList(at, &bounds)) return nullptr;
      fields = {{"bounds", builder_.NewInts(bounds)}};
      return builder_.NewStruct("stablehlo.bounds", fields);
    }
    case vhlo::kResultAccuracy: {
      uint64_t atol, rtol;
      if (!ReadFloatBits(at, DType::kF64, &atol) || !ReadFloatBits(at, DType::kF64, &rtol)) {
        return nullptr;
      }
      if (!at.SignedVarint(&first)) return Truncated(at, "a number of ULPs");
      AttributeRef mode;
      if (!ReadAttributeOf(at, AttributeKind::kEnum, &mode)) return nullptr;
      TypeRef f64 = builder_.Scalar(DType::kF64);
      fields = {{"atol", builder_.New(Attribute::Float(f64, atol))},
                {"rtol", builder_.New(Attribute::Float(f64, rtol))},
                {"ulps", builder_.NewInt(DType::kS64, first)},
                {"mode", mode}};
      return NewStruct(at, "stablehlo.result_accuracy", fields);
    }
    case vhlo::kSubAxisInfo:
      if (!at.SignedVarint(&first) || !at.SignedVarint(&second)) {
        return Truncated(at, "the sizes of a sub-axis");
      }
      fields = {{"pre_size", builder_.NewInt(DType::kS64, first)},
                {"size", builder_.NewInt(DType::kS64, second)}};
      return builder_.NewStruct("stablehlo.sub_axis_info", fields);
    case vhlo::kAxisRef: {
      AttributeRef name;
      if (!ReadAttributeOf(at, AttributeKind::kString, &name)) return nullptr;
      fields = {{"name", name}};
      uint64_t has_sub_axis;
      if (!at.Varint(&has_sub_axis)) return Truncated(at, "a flag");
      if (has_sub_axis != 0) {
        AttributeRef sub_axis;
        if (!ReadAttributeOf(at, AttributeKind::kStruct, &sub_axis)) return nullptr;
        fields.push_back({"sub_axis_info", sub_axis});
      }
      return NewStruct(at, "stablehlo.axis_ref", fields);
    }
    case vhlo::kReplicaGroupMeshAxes: {
      AttributeRef mesh = ReadAttribute(at);
      if (mesh == nullptr) return nullptr;
      // A mesh that is given by name is a symbol in StableHLO.
      if (mesh->Is(AttributeKind::kString)) mesh = builder_.New(Attribute::Symbol(mesh->text()));
      AttributeRef axes;
      if (!ReadAttributeOf(at, AttributeKind::kArray, &axes)) return nullptr;
      fields = {{"mesh", mesh}, {"axes", axes}};
      return builder_.NewStruct("stablehlo.replica_group_mesh_axes", fields);
    }
    case vhlo::kMeshAxis: {
      AttributeRef name;
      if (!ReadAttributeOf(at, AttributeKind::kString, &name)) return nullptr;
      if (!at.SignedVarint(&first)) return Truncated(at, "the size of a mesh axis");
      fields = {{"name", name}, {"size", builder_.NewInt(DType::kS64, first)}};
      return builder_.NewStruct("stablehlo.mesh_axis", fields);
    }
    case vhlo::kMesh: {
      AttributeRef axes;
      if (!ReadAttributeOf(at, AttributeKind::kArray, &axes)) return nullptr;
      AttributeRef devices;
      if (!ReadOptionalAttribute(at, &devices)) return nullptr;
      fields = {{"axes", axes}};
      if (devices != nullptr) fields.push_back({"device_ids", devices});
      return NewStruct(at, "stablehlo.mesh", fields);
    }
    default:
      return Unknown(at, "vhlo attribute", code);
  }
}

const Type* BytecodeAttributes::DecodeVhloType(uint64_t code, BytecodeCursor& at) {
  for (const vhlo::ScalarCode& known : vhlo::kScalarCodes) {
    if (known.code == code) return builder_.Scalar(known.type);
  }
  switch (code) {
    case vhlo::kComplexType: {
      TypeRef part = ReadType(at);
      if (part == nullptr) return nullptr;
      if (part == builder_.Scalar(DType::kF32)) return builder_.Scalar(DType::kC64);
      if (part == builder_.Scalar(DType::kF64)) return builder_.Scalar(DType::kC128);
      return Fail(
          Unimplemented("MLIR bytecode at byte ", at.offset(), ": complex<", ToString(part), ">"));
    }
    case vhlo::kFunctionType: {
      std::vector<TypeRef> inputs, results;
      if (!ReadTypeList(at, &inputs) || !ReadTypeList(at, &results)) return nullptr;
      return builder_.Function(inputs, results);
    }
    case vhlo::kIndexType:
      return builder_.Simple(TypeKind::kIndex);
    case vhlo::kRankedTensor:
    case vhlo::kRankedTensorWithEncoding:
      return ReadTensor(at, code == vhlo::kRankedTensorWithEncoding);
    case vhlo::kToken:
      return builder_.Simple(TypeKind::kToken);
    case vhlo::kTuple:
    case vhlo::kFuture: {
      std::vector<TypeRef> elements;
      if (!ReadTypeList(at, &elements)) return nullptr;
      return builder_.TupleOrFuture(code == vhlo::kTuple ? TypeKind::kTuple : TypeKind::kFuture,
                                    elements);
    }
    case vhlo::kNone:
      return builder_.Simple(TypeKind::kNone);
    case vhlo::kTf32:
      return builder_.Simple(TypeKind::kTf32);
    case vhlo::kUniformQuantized:
    case vhlo::kUniformQuantizedPerAxis:
      return Unknown(at, "vhlo type (uniform_quantized)", code);
    case vhlo::kUnrankedTensor:
      return Unknown(at, "vhlo type (unranked_tensor)", code);
    case vhlo::kRankedBuffer:
      return Unknown(at, "vhlo type (buffer)", code);
    default:
      return Unknown(at, "vhlo type", code);
  }
}

const Type* BytecodeAttributes::DecodeStablehloType(uint64_t code, BytecodeCursor& at) {
  if (code == kStablehloToken) return builder_.Simple(TypeKind::kToken);
  if (code != kStablehloFuture) return Unknown(at, "stablehlo type", code);
  std::vector<TypeRef> elements;
  if (!ReadTypeList(at, &elements)) return nullptr;
  return builder_.TupleOrFuture(TypeKind::kFuture, elements);
}

AttributeRef BytecodeAttributes::ReadSharding(BytecodeCursor& at, int revision) {
  const size_t offset = at.offset();
  AttributeRef mesh = ReadAttribute(at);
  if (mesh == nullptr) return nullptr;
  if (!mesh->Is(AttributeKind::kSymbol) && mesh->struct_name() != "sdy.mesh") {
    return Fail(BytecodeError(offset, "expected a mesh or its name"));
  }
  AttributeRef dims = ReadAttributeList(at, "sdy.dimension_sharding");
  if (dims == nullptr) return nullptr;
  AttributeRef replicated = ReadAttributeList(at, "sdy.axis_ref");
  if (replicated == nullptr) return nullptr;
  AttributeRef unreduced = builder_.NewArray({});
  int64_t reduction = 0;
  if (revision >= 2) {
    unreduced = ReadAttributeList(at, "sdy.axis_ref");
    if (unreduced == nullptr) return nullptr;
  }
  if (revision >= 3 && !at.SignedVarint(&reduction)) return Truncated(at, "a reduction op");
  if (reduction < 0 || reduction > 2) {
    return Fail(BytecodeError(offset, reduction, " is no reduction op (sum, max, min)"));
  }
  const NamedAttribute fields[] = {{"mesh_or_ref", mesh},
                                   {"dim_shardings", dims},
                                   {"replicated_axes", replicated},
                                   {"unreduced_axes", unreduced},
                                   {"reduction_op", builder_.NewInt(DType::kS64, reduction)}};
  return builder_.NewStruct("sdy.sharding", fields);
}

// Numbers of factors, or their sizes.
bool BytecodeAttributes::ReadFactors(BytecodeCursor& at, std::vector<int64_t>* factors) {
  const size_t offset = at.offset();
  if (!ReadSignedList(at, factors)) return false;
  for (int64_t factor : *factors) {
    if (factor < 0 || factor > INT32_MAX) {
      return Fail(BytecodeError(offset, factor, " is no factor of a sharding rule"));
    }
  }
  return true;
}

AttributeRef BytecodeAttributes::ReadOpShardingRule(BytecodeCursor& at) {
  std::vector<NamedAttribute> fields;
  for (const FieldSchema& field : FindStruct("sdy.op_sharding_rule")->fields) {
    AttributeRef value = nullptr;
    if (field.form == FieldForm::kInts) {
      std::vector<int64_t> factors;
      if (!ReadFactors(at, &factors)) return nullptr;
      value = builder_.NewInts(factors);
    } else if (field.form == FieldForm::kStructs) {
      value = ReadAttributeList(at, field.of);
    } else {
      uint8_t flag;
      if (!at.Byte(&flag)) return Truncated(at, "a flag");
      value = builder_.New(Attribute::Bool(flag != 0));
    }
    if (value == nullptr) return nullptr;
    fields.push_back({field.name, value});
  }
  return builder_.NewStruct("sdy.op_sharding_rule", fields);
}

AttributeRef BytecodeAttributes::DecodeSdy(uint64_t code, BytecodeCursor& at) {
  std::vector<NamedAttribute> fields;
  std::string_view text;
  int64_t first, second;
  switch (code) {
    case kManualAxes: {
      const size_t offset = at.offset();
      AttributeRef axes = ReadArray(at);
      if (axes == nullptr) return nullptr;
      for (AttributeRef axis : axes->elements()) {
        if (!axis->Is(AttributeKind::kString)) {
          return Fail(BytecodeError(offset, "expected the names of axes"));
        }
      }
      fields = {{"axes", axes}};
      return builder_.NewStruct("sdy.manual_axes", fields);
    }
    case kSdyMeshAxis:
      if (!ReadString(at, &text)) return nullptr;
      if (!at.SignedVarint(&first)) return Truncated(at, "the size of a mesh axis");
      fields = {{"name", builder_.New(Attribute::String(text))},
                {"size", builder_.NewInt(DType::kS64, first)}};
      return builder_.NewStruct("sdy.mesh_axis", fields);
    case kSdyMesh: {
      AttributeRef axes = ReadAttributeList(at, "sdy.mesh_axis");
      if (axes == nullptr) return nullptr;
      std::vector<int64_t> devices;
      if (!ReadSignedList(at, &devices)) return nullptr;
      fields = {{"axes", axes}, {"device_ids", builder_.NewInts(devices)}};
      return builder_.NewStruct("sdy.mesh", fields);
    }
    case kSdySubAxisInfo:
      if (!at.SignedVarint(&first) || !at.SignedVarint(&second)) {
        return Truncated(at, "the sizes of a sub-axis");
      }
      fields = {{"pre_size", builder_.NewInt(DType::kS64, first)},
                {"size", builder_.NewInt(DType::kS64, second)}};
      return builder_.NewStruct("sdy.sub_axis_info", fields);
    case kSdyAxisRef: {
      if (!ReadString(at, &text)) return nullptr;
      const size_t offset = at.offset();
      AttributeRef sub_axis;
      if (!ReadOptionalAttribute(at, &sub_axis)) return nullptr;
      fields = {{"name", builder_.New(Attribute::String(text))}};
      if (sub_axis != nullptr) {
        if (sub_axis->struct_name() != "sdy.sub_axis_info") {
          return Fail(BytecodeError(offset, "expected #sdy.sub_axis_info"));
        }
        fields.push_back({"sub_axis_info", sub_axis});
      }
      return builder_.NewStruct("sdy.axis_ref", fields);
    }
    case kDimensionSharding: {
      AttributeRef axes = ReadAttributeList(at, "sdy.axis_ref");
      if (axes == nullptr) return nullptr;
      uint8_t is_closed;
      uint64_t priority;
      bool has_priority;
      if (!at.Byte(&is_closed) || !at.FlaggedVarint(&priority, &has_priority)) {
        return Truncated(at, "a dimension sharding");
      }
      fields = {{"axes", axes}, {"is_closed", builder_.New(Attribute::Bool(is_closed != 0))}};
      if (has_priority) {
        fields.push_back(
            {"priority", builder_.NewInt(DType::kS64, static_cast<int64_t>(priority))});
      }
      return builder_.NewStruct("sdy.dimension_sharding", fields);
    }
    case kShardingV1:
      return ReadSharding(at, 1);
    case kShardingV2:
      return ReadSharding(at, 2);
    case kShardingV3:
      return ReadSharding(at, 3);
    case kShardingPerValueV1:
    case kShardingPerValueV2: {
      AttributeRef shardings = ReadAttributeList(at, "sdy.sharding");
      if (shardings == nullptr) return nullptr;
      fields = {{"shardings", shardings}};
      return builder_.NewStruct("sdy.sharding_per_value", fields);
    }
    case kDimMapping: {
      std::vector<int64_t> factors;
      if (!ReadFactors(at, &factors)) return nullptr;
      if (factors.empty()) return Truncated(at, "at least one factor of a dimension");
      fields = {{"factor_indices", builder_.NewInts(factors)}};
      return builder_.NewStruct("sdy.dim_mapping", fields);
    }
    case kTensorMapping: {
      AttributeRef dims = ReadAttributeList(at, "sdy.dim_mapping");
      if (dims == nullptr) return nullptr;
      fields = {{"dim_mappings", dims}};
      return builder_.NewStruct("sdy.tensor_mapping", fields);
    }
    case kOpShardingRule:
      return ReadOpShardingRule(at);
    default:
      return Unknown(at, "sdy attribute", code);
  }
}

}  // namespace plinth::program
