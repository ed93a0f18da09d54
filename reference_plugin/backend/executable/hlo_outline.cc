// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/hlo_outline.h"

#include <protozero/pbf_writer.hpp>
#include <utility>

#include "plinth/support/str_cat.h"
#include "plinth/support/xla_messages.h"

namespace plinth::backend {
namespace {

using protozero::pbf_writer;

// Numbers of fields, from xla/service/hlo.proto and xla/xla_data.proto.
namespace with_config {
constexpr uint32_t kHloModule = 1, kConfig = 2;
}
namespace config {
constexpr uint32_t kEntryComputationLayout = 1;
}
namespace module {
constexpr uint32_t kName = 1, kEntryComputationName = 2, kComputations = 3, kHostProgramShape = 4,
                   kEntryComputationId = 6, kSpmdOutputSharding = 12, kSpmdParametersShardings = 14;
}
namespace computation {
constexpr uint32_t kName = 1, kInstructions = 2, kProgramShape = 4, kId = 5, kRootId = 6;
}
namespace instruction {
constexpr uint32_t kName = 1, kOpcode = 2, kShape = 3, kParameterNumber = 9, kCustomCallTarget = 28,
                   kId = 35, kOperandIds = 36, kCustomCallApiVersion = 77;
}
namespace program_shape {
constexpr uint32_t kParameters = 1, kResult = 2, kParameterNames = 3;
}
namespace shape {
constexpr uint32_t kElementType = 2, kDimensions = 3, kTupleShapes = 4, kLayout = 5;
}
namespace layout {
constexpr uint32_t kMinorToMajor = 1;
}

constexpr int64_t kComputation = 1;
constexpr int32_t kTuple = 13, kToken = 17;
constexpr int32_t kUntypedCall = 1;

// XLA's number of an element type (PrimitiveType).
int32_t ElementType(DType dtype) {
  constexpr std::pair<DType, int32_t> kNumbers[] = {
      {DType::kPred, 1},        {DType::kS8, 2},          {DType::kS16, 3},
      {DType::kS32, 4},         {DType::kS64, 5},         {DType::kU8, 6},
      {DType::kU16, 7},         {DType::kU32, 8},         {DType::kU64, 9},
      {DType::kF16, 10},        {DType::kF32, 11},        {DType::kF64, 12},
      {DType::kC64, 15},        {DType::kBF16, 16},       {DType::kToken, kToken},
      {DType::kC128, 18},       {DType::kF8E5M2, 19},     {DType::kF8E4M3FN, 20},
      {DType::kS4, 21},         {DType::kU4, 22},         {DType::kF8E4M3B11FNUZ, 23},
      {DType::kF8E5M2FNUZ, 24}, {DType::kF8E4M3FNUZ, 25}, {DType::kS2, 26},
      {DType::kU2, 27},         {DType::kF8E4M3, 28},     {DType::kF8E3M4, 29},
      {DType::kS1, 30},         {DType::kU1, 31},         {DType::kF4E2M1FN, 32},
      {DType::kF8E8M0FNU, 33},
  };
  for (const auto& [type, number] : kNumbers) {
    if (type == dtype) return number;
  }
  return 0;
}

std::string ShapeOf(const sdk::ValueInfo& value) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int32(shape::kElementType, ElementType(value.dtype));
  writer.add_packed_int64(shape::kDimensions, value.dims.begin(), value.dims.end());
  std::string order;
  pbf_writer layout_writer(order);
  std::vector<int64_t> minor_to_major;
  for (size_t d = value.dims.size(); d-- > 0;) {
    minor_to_major.push_back(static_cast<int64_t>(d));
  }
  if (value.layout != nullptr) {
    minor_to_major.assign(value.layout->minor_to_major.begin(), value.layout->minor_to_major.end());
  }
  layout_writer.add_packed_int64(layout::kMinorToMajor, minor_to_major.begin(),
                                 minor_to_major.end());
  writer.add_message(shape::kLayout, order);
  return bytes;
}

// Of several results, or of none, their tuple.
std::string ResultShape(const std::vector<sdk::ValueInfo>& outputs) {
  if (outputs.size() == 1) return ShapeOf(outputs[0]);
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int32(shape::kElementType, kTuple);
  for (const sdk::ValueInfo& output : outputs) {
    writer.add_message(shape::kTupleShapes, ShapeOf(output));
  }
  return bytes;
}

std::string NameOf(size_t parameter) { return StrCat("p", parameter); }

std::string ProgramShapeOf(const sdk::ExecutableInfo& info) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (const sdk::ValueInfo& parameter : info.parameters) {
    writer.add_message(program_shape::kParameters, ShapeOf(parameter));
  }
  writer.add_message(program_shape::kResult, ResultShape(info.outputs));
  // As many as there are parameters, or newer readers refuse the module without a word.
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    writer.add_string(program_shape::kParameterNames, NameOf(i));
  }
  return bytes;
}

std::string ComputationOf(const sdk::ExecutableInfo& info) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(computation::kName, "main");
  std::vector<int64_t> ids;
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    ids.push_back(static_cast<int64_t>(i) + 1);
    pbf_writer parameter(writer, computation::kInstructions);
    parameter.add_string(instruction::kName, NameOf(i));
    parameter.add_string(instruction::kOpcode, "parameter");
    parameter.add_message(instruction::kShape, ShapeOf(info.parameters[i]));
    parameter.add_int64(instruction::kParameterNumber, static_cast<int64_t>(i));
    parameter.add_int64(instruction::kId, ids.back());
  }
  const int64_t root = static_cast<int64_t>(info.parameters.size()) + 1;
  {
    pbf_writer call(writer, computation::kInstructions);
    call.add_string(instruction::kName, "program");
    call.add_string(instruction::kOpcode, "custom-call");
    call.add_message(instruction::kShape, ResultShape(info.outputs));
    call.add_string(instruction::kCustomCallTarget, "plinth.program");
    call.add_int64(instruction::kId, root);
    call.add_packed_int64(instruction::kOperandIds, ids.begin(), ids.end());
    call.add_int32(instruction::kCustomCallApiVersion, kUntypedCall);
  }
  writer.add_message(computation::kProgramShape, ProgramShapeOf(info));
  writer.add_int64(computation::kId, kComputation);
  writer.add_int64(computation::kRootId, root);
  return bytes;
}

std::string Replicated() { return messages::WriteOpSharding({}); }

// Of several outputs, the tuple of theirs.
std::string OutputSharding(const std::vector<sdk::ValueInfo>& outputs) {
  if (outputs.size() == 1) return outputs[0].sharding.value_or(Replicated());
  messages::OpSharding tuple;
  tuple.kind = messages::OpSharding::Kind::kTuple;
  for (const sdk::ValueInfo& output : outputs) {
    const std::string bytes = output.sharding.value_or(Replicated());
    auto read = messages::ReadOpSharding(std::as_bytes(std::span(bytes)));
    tuple.elements.push_back(read.ok() ? *std::move(read) : messages::OpSharding());
  }
  return messages::WriteOpSharding(tuple);
}

bool AnySharding(const std::vector<sdk::ValueInfo>& values) {
  for (const sdk::ValueInfo& value : values) {
    if (value.sharding.has_value()) return true;
  }
  return false;
}

}  // namespace

std::string HloOutline(const sdk::ExecutableInfo& info) {
  const std::string program_shape = ProgramShapeOf(info);
  std::string bytes;
  pbf_writer writer(bytes);
  {
    pbf_writer hlo(writer, with_config::kHloModule);
    hlo.add_string(module::kName, info.name);
    hlo.add_string(module::kEntryComputationName, "main");
    hlo.add_message(module::kComputations, ComputationOf(info));
    hlo.add_message(module::kHostProgramShape, program_shape);
    hlo.add_int64(module::kEntryComputationId, kComputation);
    if (AnySharding(info.outputs)) {
      hlo.add_message(module::kSpmdOutputSharding, OutputSharding(info.outputs));
    }
    if (AnySharding(info.parameters)) {
      for (const sdk::ValueInfo& parameter : info.parameters) {
        hlo.add_message(module::kSpmdParametersShardings,
                        parameter.sharding.value_or(Replicated()));
      }
    }
  }
  pbf_writer config_writer(writer, with_config::kConfig);
  config_writer.add_message(config::kEntryComputationLayout, program_shape);
  config_writer.commit();
  return bytes;
}

}  // namespace plinth::backend
