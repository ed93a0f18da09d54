// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MODULE_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MODULE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plinth/program/op.h"
#include "plinth/support/status.h"
#include "reference_plugin/program/module_builder.h"

// A HloModuleProto whose parts have found each other: ids are indices, opcodes rows, shapes types.
// What an instruction has besides stays in its message. Everything refers to the message's bytes
// and to the arena of the builder.
namespace plinth::program {

// An array, a token, or a tuple of shapes.
struct HloShape {
  bool is_tuple = false;
  std::span<const HloShape> elements;  // Of a tuple.
  std::span<const TypeRef> leaves;     // Arrays and tokens in the order of the text.
  // Of an array: the order of its dimensions in memory, the fastest varying first.
  std::span<const int64_t> minor_to_major;

  bool IsRowMajor() const;
  // The number of leaves before element `index` of a tuple.
  size_t LeavesBefore(size_t index) const;
};

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
  std::span<const uint32_t> operands;  // Instructions of the same computation, before this one.
  std::span<const uint32_t> called;    // Computations of the module, before this one's.
  int64_t number = 0;                  // Of a parameter; the index of a get-tuple-element.
  // Messages; null where there is none.
  std::string_view metadata, sharding, frontend_attributes;
  // The part of the HloInstructionProto that has all other fields: XLA writes those above first.
  std::string_view rest;
};

struct HloComputation {
  std::string_view name;
  std::span<const HloInstruction> instructions;
  uint32_t root = 0;
  std::span<const uint32_t> parameters;  // Instructions, by parameter number.
  size_t size = 0;                       // Bytes of its message.

  const HloInstruction& parameter(size_t number) const { return instructions[parameters[number]]; }
};

struct HloModule {
  Arena arena;  // Of all but types; goes when the program is made.
  std::string_view name;
  std::vector<HloComputation> computations;
  uint32_t entry = 0;
  std::string_view message;  // HloModuleProto
};

// Errors name the instruction and the computation. INVALID_ARGUMENT for what is malformed;
// UNIMPLEMENTED for opcodes and element types that are not known. Throws what protozero throws.
Status ParseHloModule(std::string_view message, ModuleBuilder& builder, HloModule* module);

// The shape in a ShapeProto. Tuples nest 64 deep at most.
Status ParseHloShape(std::string_view message, ModuleBuilder& builder, Arena& arena,
                     HloShape* shape);

// "f32[2,3]" and "(f32[], (s32[4]))", cut where it is long.
std::string ToString(const HloShape& shape);

// The start of a name from a program, for a message.
inline std::string_view Shortened(std::string_view name) { return name.substr(0, 100); }

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_MODULE_H_
