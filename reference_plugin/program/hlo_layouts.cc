// SPDX-License-Identifier: Apache-2.0
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/support/xla_message_fields.h"
#include "plinth/program/hlo.h"
#include "reference_plugin/program/hlo_shape.h"
#include "reference_plugin/program/hlo_wire.h"
#include "reference_plugin/program/module_builder.h"

// Layouts outside of the program: in compile options, and for callers that ask for them.
namespace plinth::program {
namespace {

using messages::HloModuleConfigProto;
using messages::HloModuleProto;
using messages::HloModuleProtoWithConfig;
using messages::ProgramShapeProto;

// Shapes nest as deep as ParseHloShape lets them.
void AppendLayouts(const HloShape& shape, std::vector<ShapeLayout>* layouts) {
  if (shape.is_tuple) {
    for (const HloShape& element : shape.elements) AppendLayouts(element, layouts);
    return;
  }
  ShapeLayout& layout = layouts->emplace_back();
  layout.dims.assign(shape.leaves[0]->dims.begin(), shape.leaves[0]->dims.end());
  if (shape.IsRowMajor()) return;
  layout.minor_to_major.assign(shape.minor_to_major.begin(), shape.minor_to_major.end());
}

// A ProgramShapeProto with other parameters and another result, where they are given.
std::string ReplaceShapes(std::string_view program_shape, std::span<const std::string> parameters,
                          std::string_view result) {
  std::string out;
  protozero::pbf_writer writer(out);
  const auto is_replaced = [&](uint32_t field) {
    return field == ProgramShapeProto::kParameters
               ? !parameters.empty()
               : field == ProgramShapeProto::kResult && !result.empty();
  };
  for (WireReader reader(program_shape); reader.Next();) {
    if (!reader.Is(WireType::kBytes) || is_replaced(reader.field())) {
      reader.Skip();
    } else {
      const std::string_view bytes = reader.Bytes();
      writer.add_bytes(reader.field(), bytes.data(), bytes.size());
    }
  }
  for (const std::string& parameter : parameters) {
    writer.add_bytes(ProgramShapeProto::kParameters, parameter);
  }
  if (!result.empty()) writer.add_bytes(ProgramShapeProto::kResult, result.data(), result.size());
  return out;
}

}  // namespace

Expected<std::vector<ShapeLayout>> ReadShapeLayouts(std::string_view shape) {
  try {
    ModuleBuilder builder(shape.size());
    HloShapes shapes(builder, shape.size());
    const HloShape* parsed;
    PLINTH_RETURN_IF_ERROR(shapes.Read(shape, &parsed));
    std::vector<ShapeLayout> layouts;
    AppendLayouts(*parsed, &layouts);
    return layouts;
  } catch (const protozero::exception& error) {
    return InvalidArgument("malformed protocol buffer of ", shape.size(), " bytes (", error.what(),
                           ")");
  }
}

std::string AddHloConfig(std::string_view module) { return AddHloConfig(module, {}, {}); }

std::string AddHloConfig(std::string_view module, std::span<const std::string> parameters,
                         std::string_view result) {
  std::string shape;
  try {
    shape =
        ReplaceShapes(BytesField(module, HloModuleProto::kHostProgramShape), parameters, result);
  } catch (const protozero::exception&) {
    shape = {};
  }
  std::string config, out;
  protozero::pbf_writer(config).add_bytes(HloModuleConfigProto::kEntryComputationLayout, shape);
  protozero::pbf_writer writer(out);
  writer.add_bytes(HloModuleProtoWithConfig::kHloModule, module.data(), module.size());
  writer.add_bytes(HloModuleProtoWithConfig::kConfig, config);
  return out;
}

}  // namespace plinth::program
