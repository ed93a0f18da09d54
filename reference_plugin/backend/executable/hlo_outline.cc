// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/hlo_outline.h"

#include <protozero/pbf_writer.hpp>
#include <utility>

#include "plinth/support/str_cat.h"
#include "plinth/support/xla_messages.h"
#include "reference_plugin/program/hlo_types.h"

namespace plinth::backend {
namespace {

using protozero::pbf_writer;

using messages::HloComputationProto, messages::HloInstructionProto, messages::HloModuleProto,
    messages::HloModuleProtoWithConfig, messages::HloModuleConfigProto, messages::LayoutProto,
    messages::ProgramShapeProto, messages::ShapeProto;

constexpr int64_t kComputation = 1;  // the id of the only one
constexpr int32_t kUntypedCall = 1;  // API_VERSION_ORIGINAL

// XLA's number of an element type, or 0.
int32_t ElementType(DType dtype) {
  const program::HloElementType* const type = program::FindHloElementType(dtype);
  return type == nullptr ? 0 : type->number;
}

std::string ShapeOf(const sdk::ValueInfo& value) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int32(ShapeProto::kElementType, ElementType(value.dtype));
  writer.add_packed_int64(ShapeProto::kDimensions, value.dims.begin(), value.dims.end());
  std::string order;
  pbf_writer layout_writer(order);
  std::vector<int64_t> minor_to_major;
  for (size_t d = value.dims.size(); d-- > 0;) {
    minor_to_major.push_back(static_cast<int64_t>(d));
  }
  if (value.layout != nullptr) {
    minor_to_major.assign(value.layout->minor_to_major.begin(), value.layout->minor_to_major.end());
  }
  layout_writer.add_packed_int64(LayoutProto::kMinorToMajor, minor_to_major.begin(),
                                 minor_to_major.end());
  writer.add_message(ShapeProto::kLayout, order);
  return bytes;
}

// Of several results, or of none, their tuple.
std::string ResultShape(const std::vector<sdk::ValueInfo>& outputs) {
  if (outputs.size() == 1) return ShapeOf(outputs[0]);
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int32(ShapeProto::kElementType, program::kHloTupleType);
  for (const sdk::ValueInfo& output : outputs) {
    writer.add_message(ShapeProto::kTupleShapes, ShapeOf(output));
  }
  return bytes;
}

std::string NameOf(size_t parameter) { return StrCat("p", parameter); }

std::string ProgramShapeOf(const sdk::ExecutableInfo& info) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (const sdk::ValueInfo& parameter : info.parameters) {
    writer.add_message(ProgramShapeProto::kParameters, ShapeOf(parameter));
  }
  writer.add_message(ProgramShapeProto::kResult, ResultShape(info.outputs));
  // As many as there are parameters, or newer readers refuse the module without a word.
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    writer.add_string(ProgramShapeProto::kParameterNames, NameOf(i));
  }
  return bytes;
}

std::string ComputationOf(const sdk::ExecutableInfo& info) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(HloComputationProto::kName, "main");
  std::vector<int64_t> ids;
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    ids.push_back(static_cast<int64_t>(i) + 1);
    pbf_writer parameter(writer, HloComputationProto::kInstructions);
    parameter.add_string(HloInstructionProto::kName, NameOf(i));
    parameter.add_string(HloInstructionProto::kOpcode, "parameter");
    parameter.add_message(HloInstructionProto::kShape, ShapeOf(info.parameters[i]));
    parameter.add_int64(HloInstructionProto::kParameterNumber, static_cast<int64_t>(i));
    parameter.add_int64(HloInstructionProto::kId, ids.back());
  }
  const int64_t root = static_cast<int64_t>(info.parameters.size()) + 1;
  {
    pbf_writer call(writer, HloComputationProto::kInstructions);
    call.add_string(HloInstructionProto::kName, "program");
    call.add_string(HloInstructionProto::kOpcode, "custom-call");
    call.add_message(HloInstructionProto::kShape, ResultShape(info.outputs));
    call.add_string(HloInstructionProto::kCustomCallTarget, "plinth.program");
    call.add_int64(HloInstructionProto::kId, root);
    call.add_packed_int64(HloInstructionProto::kOperandIds, ids.begin(), ids.end());
    call.add_int32(HloInstructionProto::kCustomCallApiVersion, kUntypedCall);
  }
  writer.add_message(HloComputationProto::kProgramShape, ProgramShapeOf(info));
  writer.add_int64(HloComputationProto::kId, kComputation);
  writer.add_int64(HloComputationProto::kRootId, root);
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
    pbf_writer hlo(writer, HloModuleProtoWithConfig::kHloModule);
    hlo.add_string(HloModuleProto::kName, info.name);
    hlo.add_string(HloModuleProto::kEntryComputationName, "main");
    hlo.add_message(HloModuleProto::kComputations, ComputationOf(info));
    hlo.add_message(HloModuleProto::kHostProgramShape, program_shape);
    hlo.add_int64(HloModuleProto::kEntryComputationId, kComputation);
    if (AnySharding(info.outputs)) {
      hlo.add_message(HloModuleProto::kSpmdOutputSharding, OutputSharding(info.outputs));
    }
    if (AnySharding(info.parameters)) {
      for (const sdk::ValueInfo& parameter : info.parameters) {
        hlo.add_message(HloModuleProto::kSpmdParametersShardings,
                        parameter.sharding.value_or(Replicated()));
      }
    }
  }
  pbf_writer config_writer(writer, HloModuleProtoWithConfig::kConfig);
  config_writer.add_message(HloModuleConfigProto::kEntryComputationLayout, program_shape);
  config_writer.commit();
  return bytes;
}

}  // namespace plinth::backend
