// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/hlo_reader.h"

#include <algorithm>
#include <protozero/exception.hpp>

#include "api/support/xla_message_fields.h"
#include "plinth/program/hlo.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_wire.h"

// Functions, regions and values of an HLO module. What the attributes of an op say is for
// hlo_attributes.cc, control flow and tuples for hlo_control.cc.
namespace plinth::program {
namespace {

using messages::FileLocationProto;
using messages::HloModuleProto;
using messages::HloModuleProtoWithConfig;
using messages::OpMetadataProto;
using messages::StackFrameIndexProto;
using messages::StackFrameProto;

// Computations call each other by recursion; deeper programs are refused.
constexpr int kMostDepth = 200;
// What reading a computation once more costs, for each byte of its message.
constexpr uint64_t kCostOfByte = 4;

}  // namespace

HloReader::HloReader(const HloModule& module, ModuleBuilder& builder)
    : module_(module),
      builder_(builder),
      was_read_(module.computations.size()),
      function_names_(module.computations.size()) {
  const std::string_view index = BytesField(module.message, HloModuleProto::kStackFrameIndex);
  const auto collect = [&](uint32_t field, std::vector<std::string_view>* list) {
    (void)ForEachBytes<Status>(index, field, [&](std::string_view entry) {
      list->push_back(entry);
      return Status();
    });
  };
  collect(StackFrameIndexProto::kFileNames, &file_names_);
  collect(StackFrameIndexProto::kFileLocations, &file_locations_);
  collect(StackFrameIndexProto::kStackFrames, &stack_frames_);
  frame_locations_.resize(stack_frames_.size());
}

Expected<Module> HloReader::Read() {
  const HloComputation& entry = module_.computations[module_.entry];
  PLINTH_RETURN_IF_ERROR(AddModuleAttributes());
  PLINTH_RETURN_IF_ERROR(AddEntryAttributes(entry));
  used_names_.insert("main");
  PLINTH_RETURN_IF_ERROR(ReadFunction(entry, "main", /*is_entry=*/true));
  for (size_t i = 0; i < functions_.size(); ++i) {
    const uint32_t callee = functions_[i];
    PLINTH_RETURN_IF_ERROR(ReadFunction(module_.computations[callee], function_names_[callee],
                                        /*is_entry=*/false));
  }
  Region body;
  body.has_block = true;
  body.operations = builder_.arena().Copy(function_ops_);
  Operation root;
  root.op = Op::kModule;
  root.regions = builder_.arena().Copy(std::span<const Region>(&body, 1));
  root.location = builder_.unknown_location();
  PLINTH_RETURN_IF_ERROR(Normalize(Op::kModule, builder_, &module_attributes_));
  root.attributes = builder_.arena().Copy(module_attributes_);
  return builder_.Finish(root, num_values_);
}

std::string_view HloReader::UniqueName(std::string_view wanted) {
  std::string name(wanted.empty() ? std::string_view("f") : wanted);
  for (size_t i = 1; used_names_.contains(name); ++i)
    name = StrCat(wanted, ".", functions_.size() + i);
  const std::string_view copy = builder_.arena().Copy(std::string_view(name));
  used_names_.insert(copy);
  return copy;
}

std::string_view HloReader::FunctionOf(uint32_t computation) {
  std::string_view& name = function_names_[computation];
  if (name.empty()) {
    name = UniqueName(module_.computations[computation].name);
    functions_.push_back(computation);
  }
  return name;
}

Status HloReader::ReadFunction(const HloComputation& computation, std::string_view name,
                               bool is_entry) {
  next_value_ = 0;
  op_stack_.clear();
  Region body;
  const uint32_t index = static_cast<uint32_t>(&computation - module_.computations.data());
  PLINTH_RETURN_IF_ERROR(MakeRegion(Op::kFunc, index, /*has_arguments=*/true, {}, &body));
  const HloShape& result = *computation.instructions[computation.root].shape;
  std::vector<NamedAttribute> attributes = {
      {"sym_name", builder_.New(Attribute::String(name))},
      {"function_type",
       builder_.New(Attribute::OfType(builder_.Function(body.argument_types, result.leaves)))},
      {"sym_visibility", builder_.New(Attribute::String(is_entry ? "public" : "private"))}};
  if (is_entry) {
    attributes.push_back({"arg_attrs", builder_.NewArray(argument_attributes_)});
    attributes.push_back({"res_attrs", builder_.NewArray(result_attributes_)});
  }
  PLINTH_RETURN_IF_ERROR(Normalize(Op::kFunc, builder_, &attributes));
  Operation function;
  function.op = Op::kFunc;
  function.attributes = builder_.arena().Copy(attributes);
  function.regions = builder_.arena().Copy(std::span<const Region>(&body, 1));
  function.location = builder_.unknown_location();
  function_ops_.push_back(function);
  num_values_.push_back(next_value_);
  return {};
}

Status HloReader::MakeRegion(Op parent, uint32_t computation_index, bool has_arguments,
                             std::span<const Values> captured, Region* region) {
  const HloComputation& computation = module_.computations[computation_index];
  region->has_block = true;
  region->first_argument = next_value_;
  std::vector<Values> arguments(captured.begin(), captured.end());
  if (has_arguments) {
    std::vector<TypeRef> types;
    for (size_t i = 0; i < computation.parameters.size(); ++i) {
      const std::span<const TypeRef> leaves = computation.parameter(i).shape->leaves;
      types.insert(types.end(), leaves.begin(), leaves.end());
      arguments.push_back(NewValues(next_value_, leaves.size()));
      next_value_ += static_cast<ValueId>(leaves.size());
    }
    region->argument_types = builder_.arena().Copy(types);
    const std::vector<LocationRef> locations(types.size(), builder_.unknown_location());
    region->argument_locations = builder_.arena().Copy(locations);
  }
  const size_t first = op_stack_.size();
  Values root;
  PLINTH_RETURN_IF_ERROR(ReadInstructions(computation, arguments, &root));
  Operation end;
  end.op = parent == Op::kFunc ? Op::kFuncReturn : Op::kReturn;
  end.first_result = next_value_;
  end.operands = root;
  end.location = builder_.unknown_location();
  if (std::ranges::find(root, kNoValue) != root.end()) {
    return Unimplemented("computation %", Shortened(computation.name),
                         " returns the context of an asynchronous op");
  }
  op_stack_.push_back(end);
  region->operations = builder_.arena().Copy(std::span<const Operation>(op_stack_).subspan(first));
  op_stack_.resize(first);
  return {};
}

Status HloReader::ReadInstructions(const HloComputation& computation,
                                   std::span<const Values> arguments, Values* root) {
  if (depth_ >= kMostDepth) {
    return InvalidArgument("computations call each other deeper than ", kMostDepth);
  }
  // The first time is paid for by the computation itself.
  uint8_t& was_read = was_read_[static_cast<size_t>(&computation - module_.computations.data())];
  if (was_read != 0 && !builder_.Spend(computation.size * kCostOfByte)) {
    return ModuleBuilder::Disproportion();
  }
  was_read = 1;
  Frame frame;
  frame.computation = &computation;
  frame.arguments = arguments;
  frame.values.resize(computation.instructions.size());
  Location location;
  location.kind = Location::Kind::kName;
  location.text = builder_.arena().Copy(computation.name);
  frame.location = builder_.arena().New(location);

  Frame* const outer = frame_;
  frame_ = &frame;
  ++depth_;
  Status status;
  for (size_t i = 0; i < computation.instructions.size() && status.ok(); ++i) {
    status = ReadInstruction(frame, i);
  }
  --depth_;
  frame_ = outer;
  *root = frame.values[computation.root];
  return status;
}

Status HloReader::ReadInstruction(Frame& frame, size_t index) {
  using Reader = Status (HloReader::*)(const Instruction&);
  static constexpr Reader kReaders[] = {
#define PLINTH_HLO_READ(name) &HloReader::Read##name,
      PLINTH_HLO_READS(PLINTH_HLO_READ)
#undef PLINTH_HLO_READ
  };
  const Instruction& in = frame.computation->instructions[index];
  operands_.clear();
  named_.clear();
  regions_.clear();
  reserved_ = kNoValue;
  Status status = (this->*kReaders[static_cast<size_t>(in.opcode->read)])(in);
  if (status.ok()) {
    frame.values[index] = result_;
    return status;
  }
  return status.WithContext(StrCat(in.opcode->name, " %", Shortened(in.name), " of computation %",
                                   Shortened(frame.computation->name)));
}

Status HloReader::ReadPlain(const Instruction& in) { return EmitPlain(in); }

Status HloReader::ReadRefused(const Instruction& in) {
  return Unimplemented(in.opcode->name, " is not supported: ", in.opcode->why_refused);
}

Status HloReader::NeedOperands(const Instruction& in, size_t count) const {
  if (in.operands.size() == count) return {};
  return InvalidArgument("it has ", in.operands.size(), " operands, not ", count);
}

Status HloReader::GatherOperands(const Instruction& in) {
  size_t count = 0;
  for (const uint32_t operand : in.operands) count += frame_->values[operand].size();
  if (!builder_.SpendOnList(count, sizeof(ValueId))) return ModuleBuilder::Disproportion();
  for (const uint32_t operand : in.operands) {
    for (const ValueId value : frame_->values[operand]) {
      if (value == kNoValue) {
        return Unimplemented("it uses the context of an asynchronous op");
      }
      operands_.push_back(value);
    }
  }
  return {};
}

void HloReader::ReserveResults(std::span<const TypeRef> results) {
  reserved_ = next_value_;
  next_value_ += static_cast<ValueId>(results.size());
}

Status HloReader::Emit(const Instruction& in, Op op, std::span<const TypeRef> results) {
  if (reserved_ == kNoValue) ReserveResults(results);
  PLINTH_RETURN_IF_ERROR(CheckCounts(op, operands_.size(), results.size(), regions_.size()));
  PLINTH_RETURN_IF_ERROR(AddDiscardable(in));
  Operation operation;
  operation.op = op;
  operation.first_result = reserved_;
  operation.operands = builder_.arena().Copy(operands_);
  operation.result_types = results;
  if (!named_.empty() || !SchemaOf(op).attributes.empty()) {
    PLINTH_RETURN_IF_ERROR(Normalize(op, builder_, &named_));
    operation.attributes = builder_.arena().Copy(named_);
  }
  operation.regions = builder_.arena().Copy(regions_);
  operation.location = LocationOf(in);
  op_stack_.push_back(operation);
  Set(NewValues(reserved_, results.size()));
  operands_.clear();
  named_.clear();
  regions_.clear();
  reserved_ = kNoValue;
  return {};
}

HloReader::Values HloReader::NewValues(ValueId first, size_t count) {
  if (count == 0) return {};
  auto* const values = reinterpret_cast<ValueId*>(
      builder_.arena().Allocate(count * sizeof(ValueId), alignof(ValueId)));
  for (size_t i = 0; i < count; ++i) values[i] = first + static_cast<ValueId>(i);
  return {values, count};
}

// Lists one after the other, and kNoValue for what `count` asks for besides.
HloReader::Values HloReader::Join(std::initializer_list<Values> parts, size_t count) {
  std::vector<ValueId> values;
  for (const Values part : parts) values.insert(values.end(), part.begin(), part.end());
  values.resize(count, kNoValue);
  return builder_.arena().Copy(values);
}

Expected<ValueId> HloReader::EmitConstant(const Instruction& in, TypeRef type,
                                          AttributeRef elements) {
  Add("value", elements);
  PLINTH_RETURN_IF_ERROR(
      Emit(in, Op::kConstant, builder_.arena().Copy(std::span<const TypeRef>(&type, 1))));
  return result_[0];
}

// The name that the instruction has in HLO, and before it what the framework said of it.
LocationRef HloReader::LocationOf(const Instruction& in) {
  const LocationRef own = NewName(in.name, frame_->location);
  if (in.metadata.empty()) return own;
  if (in.metadata != last_metadata_) {
    last_metadata_ = in.metadata;
    last_source_ = SourceOf(in.metadata);
  }
  if (last_source_ == nullptr) return own;
  Location both;
  both.kind = Location::Kind::kFused;
  const LocationRef parts[] = {last_source_, own};
  both.children = builder_.arena().Copy(std::span<const LocationRef>(parts));
  return builder_.arena().New(both);
}

LocationRef HloReader::NewName(std::string_view text, LocationRef child) {
  Location location;
  location.kind = Location::Kind::kName;
  location.text = builder_.arena().Copy(text);
  if (child != nullptr) {
    location.children = builder_.arena().Copy(std::span<const LocationRef>(&child, 1));
  }
  return builder_.arena().New(location);
}

// What an OpMetadata says; null if that is nothing. Most instructions have one: it is read once.
LocationRef HloReader::SourceOf(std::string_view metadata) {
  using Field = OpMetadataProto;
  using protozero::pbf_wire_type;
  using protozero::tag_and_type;
  std::string_view name, file;
  bool has_name = false, has_file = false;
  int64_t line = 0, column = 0, frame = 0;
  protozero::pbf_reader reader(metadata.data(), metadata.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(Field::kOpName, pbf_wire_type::length_delimited):
        name = ToView(reader.get_view());
        has_name = true;
        break;
      case tag_and_type(Field::kSourceFile, pbf_wire_type::length_delimited):
        file = ToView(reader.get_view());
        has_file = true;
        break;
      case tag_and_type(Field::kSourceLine, pbf_wire_type::varint):
        line = reader.get_int64();
        break;
      case tag_and_type(Field::kSourceColumn, pbf_wire_type::varint):
        column = reader.get_int64();
        break;
      case tag_and_type(Field::kStackFrameId, pbf_wire_type::varint):
        frame = reader.get_int64();
        break;
      default:
        reader.skip();
    }
  }
  LocationRef source = nullptr;
  if (has_file) {
    Location location;
    location.kind = Location::Kind::kFile;
    location.text = builder_.arena().Copy(file);
    location.line = static_cast<uint32_t>(line);
    location.column = static_cast<uint32_t>(column);
    source = builder_.arena().New(location);
  } else {
    source = FrameLocation(frame);
  }
  return has_name ? NewName(name, source) : source;
}

// Where the innermost frame of a stack is; null if that is not said.
LocationRef HloReader::FrameLocation(int64_t stack_frame) {
  if (stack_frame < 1 || stack_frame > std::ssize(stack_frames_)) return nullptr;
  LocationRef& made = frame_locations_[static_cast<size_t>(stack_frame - 1)];
  if (made != nullptr) return made;
  const auto entry = [](const std::vector<std::string_view>& list,
                        int64_t number) -> std::string_view {
    const bool is_there = number >= 1 && number <= std::ssize(list);
    return is_there ? list[static_cast<size_t>(number - 1)] : std::string_view();
  };
  const std::string_view place = entry(file_locations_, IntField(entry(stack_frames_, stack_frame),
                                                                 StackFrameProto::kFileLocationId));
  Location location;
  location.kind = Location::Kind::kFile;
  location.text =
      builder_.arena().Copy(entry(file_names_, IntField(place, FileLocationProto::kFileNameId)));
  location.line = static_cast<uint32_t>(IntField(place, FileLocationProto::kLine));
  location.column = static_cast<uint32_t>(IntField(place, FileLocationProto::kColumn));
  return made = builder_.arena().New(location);
}

Expected<Module> ReadHlo(std::span<const std::byte> proto) {
  std::string_view message(reinterpret_cast<const char*>(proto.data()), proto.size());
  try {
    // "hlo_with_config", and the HloProto that XLA dumps, have the module in their first field,
    // where a module has its name.
    if (std::string_view computation, inner;
        !FindBytes(message, HloModuleProto::kComputations, &computation) &&
        FindBytes(message, HloModuleProtoWithConfig::kHloModule, &inner)) {
      message = inner;
    }
    ModuleBuilder builder(proto.size());
    HloModule module;
    Status status = ParseHloModule(message, builder, &module);
    if (!status.ok()) return status.WithContext("HLO");
    Expected<Module> read = HloReader(module, builder).Read();
    if (!read.ok()) return read.status().WithContext("HLO");
    return read;
  } catch (const protozero::exception& error) {
    return InvalidArgument("HLO: malformed protocol buffer of ", proto.size(), " bytes (",
                           error.what(), ")");
  }
}

}  // namespace plinth::program
