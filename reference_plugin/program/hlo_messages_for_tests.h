// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MESSAGES_FOR_TESTS_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MESSAGES_FOR_TESTS_H_

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/support/xla_message_fields.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_types.h"

// HLO modules, written field by field.
namespace plinth::program::hlo_testing {

using messages::HloComputationProto;
using messages::HloInstructionProto;
using messages::HloModuleProto;
using messages::LayoutProto;
using messages::ShapeProto;

using Ints = std::vector<int64_t>;

// A field of a message, written; messages are these one after the other.
inline std::string Int(uint32_t field, int64_t value) {
  std::string out;
  protozero::pbf_writer(out).add_int64(field, value);
  return out;
}
inline std::string Text(uint32_t field, std::string_view value) {
  std::string out;
  protozero::pbf_writer(out).add_bytes(field, value.data(), value.size());
  return out;
}
inline std::string Packed(uint32_t field, const Ints& values) {
  std::string out;
  protozero::pbf_writer(out).add_packed_int64(field, values.begin(), values.end());
  return out;
}

inline std::string ArrayShape(DType dtype, const Ints& dims, const Ints& layout = {}) {
  return Int(ShapeProto::kElementType, FindHloElementType(dtype)->number) +
         Packed(ShapeProto::kDimensions, dims) +
         Text(ShapeProto::kLayout, Packed(LayoutProto::kMinorToMajor, layout));
}
inline std::string TupleShape(const std::vector<std::string>& elements) {
  std::string out = Int(ShapeProto::kElementType, kHloTupleType);
  for (const std::string& element : elements) out += Text(ShapeProto::kTupleShapes, element);
  return out;
}
inline const std::string kF32 = ArrayShape(DType::kF32, {});
inline const std::string kPred = ArrayShape(DType::kPred, {});

// Named after its opcode and id.
inline std::string Instruction(int64_t id, std::string_view opcode, const std::string& shape,
                               const Ints& operands = {}, const Ints& called = {},
                               const std::string& more = "") {
  return Text(HloComputationProto::kInstructions,
              Text(HloInstructionProto::kName, StrCat(opcode, ".", id)) +
                  Text(HloInstructionProto::kOpcode, opcode) +
                  Text(HloInstructionProto::kShape, shape) + Int(HloInstructionProto::kId, id) +
                  Packed(HloInstructionProto::kOperandIds, operands) +
                  Packed(HloInstructionProto::kCalledComputationIds, called) + more);
}
inline std::string Parameter(int64_t id, int64_t number, const std::string& shape) {
  return Instruction(id, "parameter", shape, {}, {},
                     Int(HloInstructionProto::kParameterNumber, number));
}
inline std::string Computation(int64_t id, int64_t root, const std::string& instructions) {
  return Text(HloModuleProto::kComputations,
              Text(HloComputationProto::kName, StrCat("computation.", id)) + instructions +
                  Int(HloComputationProto::kId, id) + Int(HloComputationProto::kRootId, root));
}
inline std::string Module(int64_t entry, const std::string& computations) {
  return Text(HloModuleProto::kName, "module") + computations +
         Int(HloModuleProto::kEntryComputationId, entry);
}
// A module of one computation.
inline std::string Simple(int64_t root, const std::string& instructions) {
  return Module(1, Computation(1, root, instructions));
}

}  // namespace plinth::program::hlo_testing

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MESSAGES_FOR_TESTS_H_
