// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/hlo_module.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "api/support/xla_message_fields.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_reader.h"
#include "reference_plugin/program/hlo_types.h"
#include "reference_plugin/program/hlo_wire.h"

namespace plinth::program {
namespace {

using messages::HloComputationProto;
using messages::HloInstructionProto;
using messages::HloModuleProto;
using messages::LayoutProto;
using messages::ShapeProto;
using protozero::pbf_reader;

constexpr int kMostTupleDepth = 64;
constexpr size_t kLongestShapeText = 200;

constexpr HloOpcode kOpcodes[] = {
#define PLINTH_HLO_OP(opcode, op, function, why) {opcode, Op::op, HloRead::k##function, why},
#include "reference_plugin/ops/hlo_ops.inc"
#undef PLINTH_HLO_OP
};

// From ids to indices. XLA's follow one another, so most are places in a list. Others are any
// numbers: where a program's fall is no matter of chance, so their places are made of an address
// too, which the program does not know.
class IdTable {
 public:
  void Clear(size_t expected) {
    near_.assign(expected * 2, kNone);
    has_first_ = false;
    entries_.clear();
    count_ = 0;
  }
  // False if the id is there already.
  bool Add(int64_t id, uint32_t index) {
    if (!has_first_) {
      // Some of what comes first has a larger id than what comes later.
      first_ = static_cast<uint64_t>(id) - near_.size() / 4;
      has_first_ = true;
    }
    if (const uint64_t place = static_cast<uint64_t>(id) - first_; place < near_.size()) {
      if (near_[place] != kNone) return false;
      near_[place] = index;
      return true;
    }
    if ((count_ + 1) * 2 > entries_.size()) Grow();
    Entry& entry = entries_[PlaceOf(id)];
    if (entry.used) return false;
    entry = {id, index, true};
    ++count_;
    return true;
  }
  const uint32_t* Find(int64_t id) const {
    if (const uint64_t place = static_cast<uint64_t>(id) - first_; place < near_.size()) {
      return near_[place] == kNone ? nullptr : &near_[place];
    }
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[PlaceOf(id)];
    return entry.used ? &entry.index : nullptr;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    int64_t id = 0;
    uint32_t index = 0;
    bool used = false;
  };
  size_t PlaceOf(int64_t id) const {
    uint64_t hash = (static_cast<uint64_t>(id) ^ seed_) * 0x9E3779B97F4A7C15ull;
    size_t at = (hash ^ hash >> 32) & (entries_.size() - 1);
    while (entries_[at].used && entries_[at].id != id) at = (at + 1) & (entries_.size() - 1);
    return at;
  }
  void Grow() {
    std::vector<Entry> old(std::max<size_t>(entries_.size() * 2, 16));
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.used) entries_[PlaceOf(entry.id)] = entry;
    }
  }

  uint64_t first_ = 0;
  bool has_first_ = false;
  std::vector<uint32_t> near_;  // Of the ids from first_ on.
  std::vector<Entry> entries_;
  size_t count_ = 0;
  const uint64_t seed_ = reinterpret_cast<uintptr_t>(this);
};

void AppendShape(const HloShape& shape, std::string* out) {
  if (out->size() > kLongestShapeText) {
    if (!out->ends_with("...")) out->append("...");
    return;
  }
  if (!shape.is_tuple) {
    const Type& type = *shape.leaves[0];
    if (!type.IsTensor()) {
      out->append("token[]");
    } else {
      out->append(StrCat(Name(type.dtype), "[", StrJoin(type.dims, ","), "]"));
    }
    return;
  }
  out->push_back('(');
  for (size_t i = 0; i < shape.elements.size() && !out->ends_with("..."); ++i) {
    if (i > 0) out->append(", ");
    AppendShape(shape.elements[i], out);
  }
  out->push_back(')');
}

class ModuleParser {
 public:
  ModuleParser(ModuleBuilder& builder, HloModule* module) : builder_(builder), module_(*module) {}

  Status Parse(std::string_view message) {
    module_.message = message;
    size_t count = 0;
    for (pbf_reader counted(message.data(), message.size());
         counted.next(HloModuleProto::kComputations); counted.skip()) {
      ++count;
    }
    computation_ids_.Clear(count);
    bool has_entry = false;
    int64_t entry_id = 0;
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      if (reader.tag() == HloModuleProto::kName && IsBytesField(reader)) {
        module_.name = ToView(reader.get_view());
      } else if (reader.tag() == HloModuleProto::kComputations && IsBytesField(reader)) {
        PLINTH_RETURN_IF_ERROR(ParseComputation(ToView(reader.get_view())));
      } else if (reader.tag() == HloModuleProto::kEntryComputationId && !IsBytesField(reader)) {
        entry_id = IntOf(reader);
        has_entry = true;
      } else {
        reader.skip();
      }
    }
    if (module_.computations.empty()) {
      return InvalidArgument("the module has no computations; a HloModuleProto was expected");
    }
    // Fields of 0 are not written.
    const uint32_t* const entry = computation_ids_.Find(entry_id);
    if (entry == nullptr) {
      return InvalidArgument("the entry computation has the id ", entry_id,
                             has_entry ? "" : " (it is not given)", ", which none of the ",
                             module_.computations.size(), " computations has");
    }
    module_.entry = *entry;
    return {};
  }

 private:
  // An instruction's id may begin with that of its computation, in 32 bits, where its users name it
  // without: XLA of 2026, which TensorFlow has, writes it so.
  static int64_t LocalId(int64_t id) { return static_cast<uint32_t>(id); }

  Status ParseComputation(std::string_view message) {
    HloComputation computation;
    computation.size = message.size();
    computation.name = BytesField(message, HloComputationProto::kName);
    Status status = ParseInstructions(message, &computation);
    if (!status.ok()) {
      return status.WithContext(StrCat("computation %", Shortened(computation.name)));
    }
    const int64_t id = IntField(message, HloComputationProto::kId);
    const uint32_t index = static_cast<uint32_t>(module_.computations.size());
    if (!computation_ids_.Add(id, index)) {
      return InvalidArgument("computation %", Shortened(computation.name), " has the id ", id,
                             ", as has another one");
    }
    module_.computations.push_back(computation);
    return {};
  }

  Status ParseInstructions(std::string_view message, HloComputation* computation) {
    size_t count = 0;
    for (pbf_reader counted(message.data(), message.size());
         counted.next(HloComputationProto::kInstructions); counted.skip()) {
      ++count;
    }
    // Room for instructions that are no more than announced would cost their writer nothing.
    if (count > message.size() / kShortestInstruction) {
      return InvalidArgument("it has ", count, " instructions in ", message.size(), " bytes");
    }
    auto* const instructions = reinterpret_cast<HloInstruction*>(
        module_.arena.Allocate(count * sizeof(HloInstruction), alignof(HloInstruction)));
    size_t next = 0;
    instruction_ids_.Clear(count);
    numbers_.clear();
    int64_t root = 0;
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      if (reader.tag() == HloComputationProto::kInstructions && IsBytesField(reader)) {
        HloInstruction& instruction = *new (instructions + next) HloInstruction;
        Status status = ParseInstruction(ToView(reader.get_view()), next++, &instruction);
        if (!status.ok()) {
          return status.WithContext(StrCat("instruction %", Shortened(instruction.name)));
        }
      } else if (reader.tag() == HloComputationProto::kRootId && !IsBytesField(reader)) {
        root = LocalId(IntOf(reader));
      } else {
        reader.skip();
      }
    }
    if (next == 0) return InvalidArgument("it has no instructions");
    const uint32_t* const found = instruction_ids_.Find(root);
    if (found == nullptr) {
      return InvalidArgument("its root has the id ", root, ", which none of its instructions has");
    }
    computation->root = *found;
    PLINTH_RETURN_IF_ERROR(OrderParameters(computation));
    computation->instructions = {instructions, next};
    return {};
  }

  Status ParseInstruction(std::string_view message, size_t index, HloInstruction* instruction) {
    std::string_view opcode, shape;
    int64_t id = 0;
    operands_.clear();
    called_.clear();
    bool has_shape = false;
    using protozero::pbf_wire_type;
    using protozero::tag_and_type;
    using Field = HloInstructionProto;
    const char *at = message.data(), *rest = nullptr, *rest_end = nullptr;
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(Field::kName, pbf_wire_type::length_delimited):
          instruction->name = ToView(reader.get_view());
          break;
        case tag_and_type(Field::kOpcode, pbf_wire_type::length_delimited):
          opcode = ToView(reader.get_view());
          break;
        case tag_and_type(Field::kShape, pbf_wire_type::length_delimited):
          shape = ToView(reader.get_view());
          has_shape = true;
          break;
        case tag_and_type(Field::kMetadata, pbf_wire_type::length_delimited):
          instruction->metadata = ToView(reader.get_view());
          break;
        case tag_and_type(Field::kSharding, pbf_wire_type::length_delimited):
          instruction->sharding = ToView(reader.get_view());
          break;
        case tag_and_type(Field::kFrontendAttributes, pbf_wire_type::length_delimited):
          instruction->frontend_attributes = ToView(reader.get_view());
          break;
        case tag_and_type(Field::kId, pbf_wire_type::varint):
          id = LocalId(IntOf(reader));
          break;
        case tag_and_type(Field::kParameterNumber, pbf_wire_type::varint):
        case tag_and_type(Field::kTupleIndex, pbf_wire_type::varint):
          instruction->number = IntOf(reader);
          break;
        case tag_and_type(Field::kOperandIds, pbf_wire_type::length_delimited):
        case tag_and_type(Field::kOperandIds, pbf_wire_type::varint):
          AppendInts(reader, &operands_);
          break;
        case tag_and_type(Field::kCalledComputationIds, pbf_wire_type::length_delimited):
        case tag_and_type(Field::kCalledComputationIds, pbf_wire_type::varint):
          AppendInts(reader, &called_);
          break;
        default:
          if (rest == nullptr) rest = at;
          reader.skip();
          rest_end = reader.data().data();
      }
      at = reader.data().data();
    }
    instruction->rest = {rest, static_cast<size_t>(rest_end - rest)};
    instruction->opcode = OpcodeOf(opcode);
    if (instruction->opcode == nullptr) {
      return Unimplemented("opcode \"", Shortened(opcode), "\" is not known");
    }
    if (!has_shape) return InvalidArgument(opcode, " has no shape");
    PLINTH_RETURN_IF_ERROR(FindShape(shape, &instruction->shape));
    for (int64_t& operand : operands_) operand = LocalId(operand);
    PLINTH_RETURN_IF_ERROR(
        Resolve(operands_, instruction_ids_, "operand", "instruction", &instruction->operands));
    PLINTH_RETURN_IF_ERROR(Resolve(called_, computation_ids_, "called computation", "computation",
                                   &instruction->called));
    if (instruction->opcode->read == HloRead::kParameter) {
      numbers_.push_back({instruction->number, static_cast<uint32_t>(index)});
    }
    if (!instruction_ids_.Add(id, static_cast<uint32_t>(index))) {
      return InvalidArgument("it has the id ", id, ", as has another instruction");
    }
    return {};
  }

  // What an id names must come before: so there are no circles.
  Status Resolve(const std::vector<int64_t>& ids, const IdTable& table, std::string_view what,
                 std::string_view kind, std::span<const uint32_t>* resolved) {
    if (ids.empty()) return {};
    indices_.clear();
    for (const int64_t id : ids) {
      const uint32_t* const index = table.Find(id);
      if (index == nullptr) {
        return InvalidArgument(what, " ", indices_.size(), " has the id ", id, ", which no ", kind,
                               " before it has");
      }
      indices_.push_back(*index);
    }
    *resolved = module_.arena.Copy(indices_);
    return {};
  }

  // Each number from 0 on, once.
  Status OrderParameters(HloComputation* computation) {
    if (numbers_.empty()) return {};
    std::vector<uint32_t> parameters(numbers_.size(), UINT32_MAX);
    for (const auto& [number, index] : numbers_) {
      if (number < 0 || number >= std::ssize(numbers_)) {
        return InvalidArgument("there is a parameter ", number, ", but ", numbers_.size(),
                               " parameters; they are numbered from 0");
      }
      uint32_t& place = parameters[static_cast<size_t>(number)];
      if (place != UINT32_MAX) return InvalidArgument("there are two parameters ", number);
      place = index;
    }
    computation->parameters = module_.arena.Copy(parameters);
    return {};
  }

  // A program has few different opcodes and shapes: each is kept at one place, until another one
  // takes it, so what a program chooses makes nothing slow.
  const HloOpcode* OpcodeOf(std::string_view name) {
    const HloOpcode*& known = opcodes_[PlaceOf(name) % std::size(opcodes_)];
    if (known == nullptr || known->name != name) known = FindHloOpcode(name);
    return known;
  }

  Status FindShape(std::string_view message, const HloShape** shape) {
    KnownShape& known = shapes_[PlaceOf(message) % std::size(shapes_)];
    if (known.shape != nullptr && known.message == message) {
      *shape = known.shape;
      return {};
    }
    HloShape parsed;
    PLINTH_RETURN_IF_ERROR(ParseHloShape(message, builder_, module_.arena, &parsed));
    *shape = module_.arena.New(parsed);
    known = {message, *shape};
    return {};
  }

  // Of the first and the last bytes, in loads of fixed sizes.
  static size_t PlaceOf(std::string_view key) {
    const auto load = [&]<typename Part>(size_t at, Part part) -> uint64_t {
      std::memcpy(&part, key.data() + at, sizeof(part));
      return part;
    };
    const auto mix = [](uint64_t hash, uint64_t part) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
      return hash ^ hash >> 32;
    };
    const size_t size = key.size();
    uint64_t hash = size;
    if (size >= 8) {
      hash = mix(hash, load(0, uint64_t{}));
      hash = mix(hash, load(size - 8, uint64_t{}));
      // Where the dimensions of most shapes are.
      if (size >= 16) hash = mix(hash, load(size - 16, uint64_t{}));
    } else if (size >= 4) {
      hash = mix(hash, load(0, uint32_t{}) | load(size - 4, uint32_t{}) << 32);
    } else if (size > 0) {
      hash = mix(hash, load(0, uint8_t{}) | load(size / 2, uint8_t{}) << 8 |
                           load(size - 1, uint8_t{}) << 16);
    }
    return hash;
  }

  struct KnownShape {
    std::string_view message;
    const HloShape* shape = nullptr;
  };
  static constexpr size_t kShortestInstruction = 8;

  ModuleBuilder& builder_;
  HloModule& module_;
  IdTable computation_ids_;
  IdTable instruction_ids_;  // Of the computation being read; likewise the next one.
  std::vector<std::pair<int64_t, uint32_t>> numbers_;  // Of parameters, and their places.
  std::vector<int64_t> operands_, called_;             // Of the instruction being read.
  std::vector<uint32_t> indices_;
  const HloOpcode* opcodes_[128] = {};
  KnownShape shapes_[256];
};

// What a ShapeProto says, but for the shapes in a tuple.
struct ShapeFields {
  int64_t element_type = 0;
  std::vector<int64_t> dims, minor_to_major;
  bool is_dynamic = false;
};

void ReadShapeFields(std::string_view message, ShapeFields* fields) {
  fields->element_type = 0;
  fields->dims.clear();
  fields->minor_to_major.clear();
  fields->is_dynamic = false;
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    switch (reader.tag()) {
      case ShapeProto::kElementType:
        if (reader.wire_type() == protozero::pbf_wire_type::varint) {
          fields->element_type = reader.get_int64();
        } else {
          reader.skip();
        }
        break;
      case ShapeProto::kDimensions:
        AppendInts(reader, &fields->dims);
        break;
      case ShapeProto::kIsDynamicDimension:
        if (IsBytesField(reader)) {
          for (const bool dynamic : reader.get_packed_bool()) fields->is_dynamic |= dynamic;
        } else {
          fields->is_dynamic |= IntOf(reader) != 0;
        }
        break;
      case ShapeProto::kLayout:
        if (IsBytesField(reader)) {
          ReadIntsField(ToView(reader.get_view()), LayoutProto::kMinorToMajor,
                        &fields->minor_to_major);
        } else {
          reader.skip();
        }
        break;
      default:
        reader.skip();
    }
  }
}

// Whether the numbers are those below their count, each once.
bool IsPermutation(std::span<const int64_t> numbers) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= std::ssize(numbers)) return false;
    if (std::ranges::find(numbers.first(i), numbers[i]) !=
        numbers.begin() + static_cast<ptrdiff_t>(i)) {
      return false;
    }
  }
  return true;
}

Status ParseArray(const ShapeFields& fields, ModuleBuilder& builder, Arena& arena,
                  HloShape* shape) {
  const std::vector<int64_t>& dims = fields.dims;
  const HloElementType* const element = FindHloElementType(fields.element_type);
  if (element == nullptr) {
    return Unimplemented("element type ", fields.element_type, " of a shape is not known");
  }
  const auto text = [&] {
    return StrCat(Name(element->dtype), "[", StrJoin(dims, ",").substr(0, 100), "]");
  };
  if (fields.is_dynamic) {
    return Unimplemented("a shape ", text(),
                         " has dynamic dimensions; sizes must be known when it is compiled");
  }
  TypeRef type = nullptr;
  if (element->dtype == DType::kToken) {
    type = builder.Simple(TypeKind::kToken);
  } else if (std::ranges::none_of(dims, [](int64_t dim) { return dim < 0; })) {
    type = builder.Tensor(element->dtype, false, dims, nullptr);
  }
  if (type == nullptr) return InvalidArgument("a shape ", text(), " is not possible");
  shape->leaves = builder.arena().Copy(std::span<const TypeRef>(&type, 1));
  const std::vector<int64_t>& layout = fields.minor_to_major;
  if (layout.empty()) return {};
  // There are as many as dimensions of a type, so few.
  if (layout.size() != dims.size() || !IsPermutation(layout)) {
    return InvalidArgument("the layout {", StrJoin(layout, ",").substr(0, 100),
                           "} of a shape with ", dims.size(),
                           " dimensions does not name each of them once");
  }
  shape->minor_to_major = arena.Copy(layout);
  return {};
}

// `fields` is for its own use.
Status ParseShape(std::string_view message, int depth, ModuleBuilder& builder, Arena& arena,
                  ShapeFields* fields, HloShape* shape) {
  if (depth > kMostTupleDepth) {
    return InvalidArgument("a shape has tuples nested deeper than ", kMostTupleDepth);
  }
  ReadShapeFields(message, fields);
  shape->is_tuple = fields->element_type == kHloTupleType;
  if (!shape->is_tuple) return ParseArray(*fields, builder, arena, shape);
  std::vector<HloShape> elements;
  std::vector<TypeRef> leaves;
  Status status =
      ForEachBytes<Status>(message, ShapeProto::kTupleShapes, [&](std::string_view element) {
        PLINTH_RETURN_IF_ERROR(
            ParseShape(element, depth + 1, builder, arena, fields, &elements.emplace_back()));
        const auto& more = elements.back().leaves;
        leaves.insert(leaves.end(), more.begin(), more.end());
        return Status();
      });
  if (!status.ok()) return status;
  // Those of tuples inside of tuples are listed once a level.
  if (depth > 0 && !builder.SpendOnList(leaves.size(), sizeof(TypeRef))) {
    return ModuleBuilder::Disproportion();
  }
  shape->elements = arena.Copy(elements);
  shape->leaves = builder.arena().Copy(leaves);
  return {};
}

}  // namespace

bool HloShape::IsRowMajor() const {
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

size_t HloShape::LeavesBefore(size_t index) const {
  size_t count = 0;
  for (size_t i = 0; i < index; ++i) count += elements[i].leaves.size();
  return count;
}

const HloOpcode* FindHloOpcode(std::string_view name) {
  const auto* const at = std::lower_bound(
      std::begin(kOpcodes), std::end(kOpcodes), name,
      [](const HloOpcode& opcode, std::string_view wanted) { return opcode.name < wanted; });
  return at == std::end(kOpcodes) || at->name != name ? nullptr : at;
}

Status ParseHloModule(std::string_view message, ModuleBuilder& builder, HloModule* module) {
  return ModuleParser(builder, module).Parse(message);
}

Status ParseHloShape(std::string_view message, ModuleBuilder& builder, Arena& arena,
                     HloShape* shape) {
  ShapeFields fields;
  return ParseShape(message, 0, builder, arena, &fields, shape);
}

std::string ToString(const HloShape& shape) {
  std::string text;
  AppendShape(shape, &text);
  return text;
}

}  // namespace plinth::program
