// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MODULE_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MODULE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plinth/program/op.h"
#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/program/hlo_ids.h"
#include "reference_plugin/program/hlo_known_parts.h"
#include "reference_plugin/program/hlo_shape.h"
#include "reference_plugin/program/module_builder.h"

// A HloModuleProto whose parts find each other: ids are indices, opcodes rows, shapes types. What
// an instruction has besides stays in its message. Computations are parsed where they are read, one
// inside of another, so that a large module takes no memory for all of its instructions at once.
// Everything refers to the module's bytes.
namespace plinth::program {

// A row of the column `hlo` of ops.toml.
enum class HloRead : uint8_t;
struct HloOpcode {
  std::string_view name;
  Op op;         // What it becomes; kReturn for none.
  HloRead read;  // The function of HloReader that does it.
  std::string_view why_refused;
};

// Null when there is no such opcode.
const HloOpcode* FindHloOpcode(std::string_view name);

struct HloInstruction {
  std::string_view name;
  const HloOpcode* opcode = nullptr;
  const HloShape* shape = nullptr;
  int64_t number = 0;         // Of a parameter; the index of a get-tuple-element.
  std::string_view metadata;  // A message; null where there is none.
  // The part of the HloInstructionProto that has all other fields: XLA writes those above first.
  std::string_view rest;
  // Places in HloBody::indices: instructions of the same computation, before this one; then
  // computations of the module, before this one's.
  uint32_t first_index = 0;
  uint32_t num_operands = 0;
  uint32_t num_called = 0;
  bool has_sharding = false;             // In `rest`.
  bool has_frontend_attributes = false;  // In `rest`.
};

struct HloComputation {
  std::string_view name;
  std::string_view message;
  int64_t root_id = 0;
  size_t num_instructions = 0;
};

struct HloModule {
  std::string_view message;  // HloModuleProto
  std::string_view name;
  std::vector<HloComputation> computations;
  HloIds computation_ids;
  uint32_t entry = 0;
};

// The leaves of a value: an array is one, a tuple has those of its elements.
using HloValues = std::span<const ValueId>;

// The instructions of a computation that is being read.
struct HloBody {
  uint32_t computation = 0;
  std::vector<HloInstruction> instructions;
  std::vector<uint32_t> indices;
  uint32_t root = 0;
  std::vector<uint32_t> parameters;  // Instructions, by parameter number.
  size_t num_ops = 0;                // About as many as it becomes.
  std::vector<HloValues> values;     // By instruction, as far as they were read.
  // What all ops of the instruction have that is being read, from its first op on.
  LocationRef location = nullptr;
  std::vector<NamedAttribute> discardable;

  const HloShape& parameter_shape(size_t number) const {
    return *instructions[parameters[number]].shape;
  }
  const HloShape& root_shape() const { return *instructions[root].shape; }
};

// Errors name the instruction and the computation. INVALID_ARGUMENT for what is malformed;
// UNIMPLEMENTED for opcodes and element types that are not known. Throws what WireReader throws.
class HloParser {
 public:
  HloParser(ModuleBuilder& builder, std::string_view message)
      : shapes_(builder, message.size()), opcodes_(message.size()) {}

  // What computations there are.
  static Status ParseModule(std::string_view message, HloModule* module);
  // What was in the body before goes.
  Status ParseBody(const HloModule& module, uint32_t computation, HloBody* body);

  HloShapes& shapes() { return shapes_; }

 private:
  Status ParseInstructions(const HloModule& module, HloBody* body);
  Status ParseInstruction(const HloModule& module, std::string_view message, HloBody* body);
  Status OrderParameters(HloBody* body);

  HloShapes shapes_;
  HloKnownParts<HloOpcode> opcodes_;
  // Of the computation being parsed.
  HloIds ids_;
  std::vector<uint32_t> called_;  // Of the instruction being parsed.
};

// The start of a name from a program, for a message.
inline std::string_view Shortened(std::string_view name) { return name.substr(0, 100); }

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MODULE_H_
