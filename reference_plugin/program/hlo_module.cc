// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/hlo_module.h"

#include <algorithm>
#include <iterator>

#include "api/support/xla_message_fields.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_reader.h"
#include "reference_plugin/program/hlo_wire.h"

namespace plinth::program {
namespace {

using messages::HloComputationProto;
using messages::HloInstructionProto;
using messages::HloModuleProto;

constexpr size_t kShortestInstruction = 8;
constexpr uint32_t kNoIndex = UINT32_MAX;

constexpr HloOpcode kOpcodes[] = {
#define PLINTH_HLO_OP(opcode, op, function, why) {opcode, Op::op, HloRead::k##function, why},
#include "reference_plugin/ops/hlo_ops.inc"
#undef PLINTH_HLO_OP
};

// An instruction's id may begin with that of its computation, in 32 bits, where its users name it
// without: XLA of 2026, which TensorFlow has, writes it so.
int64_t LocalId(int64_t id) { return static_cast<uint32_t>(id); }

bool BecomesAnOp(const HloOpcode& opcode) {
  return opcode.op != Op::kReturn && opcode.read != HloRead::kTuple &&
         opcode.read != HloRead::kGetTupleElement;
}

// All but the instructions. Its id is returned.
int64_t ParseComputation(std::string_view message, HloComputation* computation) {
  computation->message = message;
  int64_t id = 0;
  for (WireReader reader(message); reader.Next();) {
    switch (reader.key()) {
      case WireKey(HloComputationProto::kName, WireType::kBytes):
        computation->name = reader.Bytes();
        break;
      case WireKey(HloComputationProto::kInstructions, WireType::kBytes):
        reader.Skip();
        ++computation->num_instructions;
        break;
      case WireKey(HloComputationProto::kId, WireType::kVarint):
        id = reader.Int();
        break;
      case WireKey(HloComputationProto::kRootId, WireType::kVarint):
        computation->root_id = LocalId(reader.Int());
        break;
      default:
        reader.Skip();
    }
  }
  return id;
}

}  // namespace

const HloOpcode* FindHloOpcode(std::string_view name) {
  const auto* const at = std::lower_bound(
      std::begin(kOpcodes), std::end(kOpcodes), name,
      [](const HloOpcode& opcode, std::string_view wanted) { return opcode.name < wanted; });
  return at == std::end(kOpcodes) || at->name != name ? nullptr : at;
}

Status HloParser::ParseModule(std::string_view message, HloModule* module) {
  module->message = message;
  size_t count = 0;
  for (WireReader reader(message); reader.Next(HloModuleProto::kComputations); reader.Skip()) {
    ++count;
  }
  module->computation_ids.Clear(count);
  module->computations.reserve(count);
  bool has_entry = false;
  int64_t entry_id = 0;
  for (WireReader reader(message); reader.Next();) {
    switch (reader.key()) {
      case WireKey(HloModuleProto::kName, WireType::kBytes):
        module->name = reader.Bytes();
        break;
      case WireKey(HloModuleProto::kComputations, WireType::kBytes): {
        const auto index = static_cast<uint32_t>(module->computations.size());
        HloComputation& computation = module->computations.emplace_back();
        const int64_t id = ParseComputation(reader.Bytes(), &computation);
        if (!module->computation_ids.Add(id, index)) {
          return InvalidArgument("computation %", Shortened(computation.name), " has the id ", id,
                                 ", as has another one");
        }
        break;
      }
      case WireKey(HloModuleProto::kEntryComputationId, WireType::kVarint):
        entry_id = reader.Int();
        has_entry = true;
        break;
      default:
        reader.Skip();
    }
  }
  if (module->computations.empty()) {
    return InvalidArgument("the module has no computations; a HloModuleProto was expected");
  }
  // Fields of 0 are not written.
  const uint32_t* const entry = module->computation_ids.Find(entry_id);
  if (entry == nullptr) {
    return InvalidArgument("the entry computation has the id ", entry_id,
                           has_entry ? "" : " (it is not given)", ", which none of the ",
                           module->computations.size(), " computations has");
  }
  module->entry = *entry;
  return {};
}

Status HloParser::ParseBody(const HloModule& module, uint32_t computation, HloBody* body) {
  body->computation = computation;
  body->instructions.clear();
  body->indices.clear();
  body->parameters.clear();
  body->values.clear();
  body->num_ops = 0;
  Status status = ParseInstructions(module, body);
  if (status.ok()) return status;
  return status.WithContext(
      StrCat("computation %", Shortened(module.computations[computation].name)));
}

Status HloParser::ParseInstructions(const HloModule& module, HloBody* body) {
  const HloComputation& computation = module.computations[body->computation];
  const size_t count = computation.num_instructions;
  // Room for instructions that are no more than announced would cost their writer nothing.
  if (count > computation.message.size() / kShortestInstruction) {
    return InvalidArgument("it has ", count, " instructions in ", computation.message.size(),
                           " bytes");
  }
  if (count == 0) return InvalidArgument("it has no instructions");
  body->instructions.reserve(count);
  body->indices.reserve(count * 2);
  ids_.Clear(count);
  for (WireReader reader(computation.message); reader.Next();) {
    if (reader.key() != WireKey(HloComputationProto::kInstructions, WireType::kBytes)) {
      reader.Skip();
      continue;
    }
    Status status = ParseInstruction(module, reader.Bytes(), body);
    if (!status.ok()) {
      return status.WithContext(StrCat("instruction %", Shortened(body->instructions.back().name)));
    }
  }
  const uint32_t* const root = ids_.Find(computation.root_id);
  if (root == nullptr) {
    return InvalidArgument("its root has the id ", computation.root_id,
                           ", which none of its instructions has");
  }
  body->root = *root;
  body->values.resize(count);
  return OrderParameters(body);
}

Status HloParser::ParseInstruction(const HloModule& module, std::string_view message,
                                   HloBody* body) {
  using Field = HloInstructionProto;
  const auto index = static_cast<uint32_t>(body->instructions.size());
  HloInstruction& instruction = body->instructions.emplace_back();
  instruction.first_index = static_cast<uint32_t>(body->indices.size());
  called_.clear();
  std::string_view opcode, shape;
  int64_t id = 0;
  bool has_shape;
  // The first id that nothing before has, and the place where it is named.
  int64_t unknown_operand = 0, unknown_called = 0;
  size_t unknown_operand_at = SIZE_MAX, unknown_called_at = SIZE_MAX;
  const char *rest = nullptr, *rest_end = nullptr;
  WireReader reader(message);
  reader.Accept(Field::kName, &instruction.name);
  reader.Accept(Field::kOpcode, &opcode);
  has_shape = reader.Accept(Field::kShape, &shape);
  reader.Accept(Field::kMetadata, &instruction.metadata);
  for (const char* at = reader.at(); reader.Next(); at = reader.at()) {
    switch (reader.key()) {
      case WireKey(Field::kName, WireType::kBytes):
        instruction.name = reader.Bytes();
        continue;
      case WireKey(Field::kOpcode, WireType::kBytes):
        opcode = reader.Bytes();
        continue;
      case WireKey(Field::kShape, WireType::kBytes):
        shape = reader.Bytes();
        has_shape = true;
        continue;
      case WireKey(Field::kMetadata, WireType::kBytes):
        instruction.metadata = reader.Bytes();
        continue;
      case WireKey(Field::kId, WireType::kVarint):
        id = LocalId(reader.Int());
        continue;
      case WireKey(Field::kParameterNumber, WireType::kVarint):
      case WireKey(Field::kTupleIndex, WireType::kVarint):
        instruction.number = reader.Int();
        continue;
      // What an id names must come before: so there are no circles.
      case WireKey(Field::kOperandIds, WireType::kBytes):
      case WireKey(Field::kOperandIds, WireType::kVarint):
        reader.ForEachInt([&](int64_t operand) {
          const uint32_t* const found = ids_.Find(LocalId(operand));
          if (found == nullptr && unknown_operand_at == SIZE_MAX) {
            unknown_operand = LocalId(operand);
            unknown_operand_at = body->indices.size() - instruction.first_index;
          }
          body->indices.push_back(found == nullptr ? kNoIndex : *found);
        });
        continue;
      case WireKey(Field::kCalledComputationIds, WireType::kBytes):
      case WireKey(Field::kCalledComputationIds, WireType::kVarint):
        reader.ForEachInt([&](int64_t called) {
          const uint32_t* const found = module.computation_ids.Find(called);
          const bool is_before = found != nullptr && *found < body->computation;
          if (!is_before && unknown_called_at == SIZE_MAX) {
            unknown_called = called;
            unknown_called_at = called_.size();
          }
          called_.push_back(is_before ? *found : kNoIndex);
        });
        continue;
      case WireKey(Field::kSharding, WireType::kBytes):
        instruction.has_sharding = true;
        reader.Skip();
        break;
      // XLA writes an empty one into every instruction; likewise the next.
      case WireKey(Field::kFrontendAttributes, WireType::kBytes):
        if (reader.Bytes().empty()) continue;
        instruction.has_frontend_attributes = true;
        break;
      case WireKey(Field::kStatisticsViz, WireType::kBytes):
        reader.Skip();
        continue;
      default:
        reader.Skip();
    }
    if (rest == nullptr) rest = at;
    rest_end = reader.at();
  }
  instruction.rest = {rest, static_cast<size_t>(rest_end - rest)};
  instruction.num_operands = static_cast<uint32_t>(body->indices.size() - instruction.first_index);
  instruction.num_called = static_cast<uint32_t>(called_.size());
  body->indices.insert(body->indices.end(), called_.begin(), called_.end());
  const HloOpcode*& known = opcodes_.At(opcode);
  if (known == nullptr) known = FindHloOpcode(opcode);
  if (known == nullptr) {
    return Unimplemented("opcode \"", Shortened(opcode), "\" is not known");
  }
  instruction.opcode = known;
  if (!has_shape) return InvalidArgument(opcode, " has no shape");
  PLINTH_RETURN_IF_ERROR(shapes_.Read(shape, &instruction.shape));
  if (unknown_operand_at != SIZE_MAX) {
    return InvalidArgument("operand ", unknown_operand_at, " has the id ", unknown_operand,
                           ", which no instruction before it has");
  }
  if (unknown_called_at != SIZE_MAX) {
    return InvalidArgument("called computation ", unknown_called_at, " has the id ", unknown_called,
                           ", which no computation before it has");
  }
  if (known->read == HloRead::kParameter) body->parameters.push_back(index);
  body->num_ops += BecomesAnOp(*known);
  if (!ids_.Add(id, index)) {
    return InvalidArgument("it has the id ", id, ", as has another instruction");
  }
  return {};
}

// Each number from 0 on, once.
Status HloParser::OrderParameters(HloBody* body) {
  std::vector<uint32_t>& parameters = body->parameters;
  const auto number_of = [&](uint32_t index) { return body->instructions[index].number; };
  const int64_t count = std::ssize(parameters);
  for (const uint32_t index : parameters) {
    const int64_t number = number_of(index);
    if (number < 0 || number >= count) {
      return InvalidArgument("there is a parameter ", number, ", but ", count,
                             " parameters; they are numbered from 0");
    }
  }
  if (!std::ranges::is_sorted(parameters, {}, number_of)) {
    std::ranges::sort(parameters, {}, number_of);
  }
  const auto twice = std::ranges::adjacent_find(parameters, {}, number_of);
  if (twice != parameters.end()) {
    return InvalidArgument("there are two parameters ", number_of(*twice));
  }
  return {};
}

}  // namespace plinth::program
