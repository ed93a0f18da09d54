// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/hlo_reader.h"

#include <algorithm>
#include <memory>
#include <protozero/exception.hpp>
#include <utility>

#include "api/support/xla_message_fields.h"
#include "plinth/program/hlo.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/hlo_wire.h"

// Functions, regions and values of an HLO module. What the attributes of an op say is for
// hlo_attributes.cc, control flow and tuples for hlo_control.cc.
namespace plinth::program {
namespace {

using messages::HloModuleProto;
using messages::HloModuleProtoWithConfig;

// Computations call each other by recursion; deeper programs are refused.
constexpr size_t kMostDepth = 200;
// What reading a computation once more costs, for each byte of its message.
constexpr uint64_t kCostOfByte = 4;

}  // namespace

HloReader::HloReader(std::string_view message, ModuleBuilder& builder)
    : builder_(builder), parser_(builder, message), locations_(builder, message) {
  module_.message = message;
}

Expected<Module> HloReader::Read() {
  PLINTH_RETURN_IF_ERROR(HloParser::ParseModule(module_.message, &module_));
  known_.resize(module_.computations.size());
  PLINTH_ASSIGN_OR_RETURN(HloBody* const entry, Open(module_.entry));
  PLINTH_RETURN_IF_ERROR(AddModuleAttributes());
  PLINTH_RETURN_IF_ERROR(AddEntryAttributes(*entry));
  used_names_.insert("main");
  PLINTH_RETURN_IF_ERROR(ReadFunction(*entry, "main", /*is_entry=*/true));
  for (size_t i = 0; i < functions_.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(HloBody* const callee, Open(functions_[i]));
    PLINTH_RETURN_IF_ERROR(
        ReadFunction(*callee, known_[functions_[i]].function, /*is_entry=*/false));
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
  std::string_view& name = known_[computation].function;
  if (name.empty()) {
    name = UniqueName(module_.computations[computation].name);
    functions_.push_back(computation);
  }
  return name;
}

Expected<HloBody*> HloReader::Open(uint32_t computation) {
  if (depth_ >= kMostDepth) {
    return InvalidArgument("computations call each other deeper than ", kMostDepth);
  }
  const HloComputation& opened = module_.computations[computation];
  LocationRef& location = known_[computation].location;
  // The first time is paid for by the computation itself.
  if (location != nullptr && !builder_.Spend(opened.message.size() * kCostOfByte)) {
    return ModuleBuilder::Disproportion();
  }
  if (location == nullptr) {
    location = locations_.NewName(opened.name, nullptr);
  }
  if (bodies_.size() == depth_) bodies_.push_back(std::make_unique<HloBody>());
  HloBody* const body = bodies_[depth_].get();
  PLINTH_RETURN_IF_ERROR(parser_.ParseBody(module_, computation, body));
  return body;
}

Status HloReader::ReadFunction(HloBody& body, std::string_view name, bool is_entry) {
  next_value_ = 0;
  Region region;
  PLINTH_RETURN_IF_ERROR(MakeRegion(Op::kFunc, body, &region));
  const TypeRef type = builder_.Function(region.argument_types, body.root_shape().leaves);
  std::vector<NamedAttribute> attributes = {
      {"sym_name", builder_.New(Attribute::String(name))},
      {"function_type", builder_.New(Attribute::OfType(type))},
      {"sym_visibility", builder_.New(Attribute::String(is_entry ? "public" : "private"))}};
  if (is_entry) {
    attributes.push_back({"arg_attrs", builder_.NewArray(argument_attributes_)});
    attributes.push_back({"res_attrs", builder_.NewArray(result_attributes_)});
  }
  PLINTH_RETURN_IF_ERROR(Normalize(Op::kFunc, builder_, &attributes));
  Operation function;
  function.op = Op::kFunc;
  function.attributes = builder_.arena().Copy(attributes);
  function.regions = builder_.arena().Copy(std::span<const Region>(&region, 1));
  function.location = builder_.unknown_location();
  function_ops_.push_back(function);
  num_values_.push_back(next_value_);
  return {};
}

void HloReader::MakeArguments(HloBody& body, Region* region) {
  const auto types_of = [&](uint32_t parameter) -> std::span<const TypeRef> {
    if (!body.values[parameter].empty()) return {};
    return body.instructions[parameter].shape->leaves;
  };
  size_t count = 0;
  for (const uint32_t parameter : body.parameters) {
    const std::span<const TypeRef> types = types_of(parameter);
    count += types.size();
    region->argument_types = types;
  }
  if (count == 0) return;
  // One that is all of them lends its list.
  if (body.parameters.size() > 1) {
    auto* const all = reinterpret_cast<TypeRef*>(
        builder_.arena().Allocate(count * sizeof(TypeRef), alignof(TypeRef)));
    TypeRef* next = all;
    for (const uint32_t parameter : body.parameters) {
      next = std::ranges::copy(types_of(parameter), next).out;
    }
    region->argument_types = {all, count};
  }
  for (const uint32_t parameter : body.parameters) {
    const size_t size = types_of(parameter).size();
    if (size == 0) continue;
    body.values[parameter] = NewValues(next_value_, size);
    next_value_ += static_cast<ValueId>(size);
  }
  if (unknown_locations_.size() < count) {
    unknown_locations_ = builder_.arena().Copy(
        std::vector<LocationRef>(std::max<size_t>(count * 2, 4), builder_.unknown_location()));
  }
  region->argument_locations = unknown_locations_.first(count);
}

Status HloReader::MakeRegion(Op parent, HloBody& body, Region* region) {
  region->has_block = true;
  region->first_argument = next_value_;
  MakeArguments(body, region);
  const Ops outer = std::exchange(ops_, {});
  Reserve(body.num_ops + 1);
  Values root;
  PLINTH_RETURN_IF_ERROR(ReadInstructions(body, &root));
  if (std::ranges::find(root, kNoValue) != root.end()) {
    return Unimplemented("computation %", NameOf(body),
                         " returns the context of an asynchronous op");
  }
  Operation& end = NewOp();
  end.op = parent == Op::kFunc ? Op::kFuncReturn : Op::kReturn;
  end.first_result = next_value_;
  end.operands = root;
  end.location = builder_.unknown_location();
  region->operations = {ops_.data, ops_.size};
  ops_ = outer;
  return {};
}

Status HloReader::ReadInstructions(HloBody& body, Values* root) {
  HloBody* const outer = std::exchange(body_, &body);
  ++depth_;
  Status status;
  for (size_t i = 0; i < body.instructions.size() && status.ok(); ++i) {
    status = ReadInstruction(body, i);
  }
  --depth_;
  body_ = outer;
  *root = body.values[body.root];
  return status;
}

Status HloReader::ReadInstruction(HloBody& body, size_t index) {
  using Reader = Status (HloReader::*)(const Instruction&);
  static constexpr Reader kReaders[] = {
#define PLINTH_HLO_READ(name) &HloReader::Read##name,
      PLINTH_HLO_READS(PLINTH_HLO_READ)
#undef PLINTH_HLO_READ
  };
  const Instruction& in = body.instructions[index];
  operands_.clear();
  named_.clear();
  regions_ = {};
  reserved_ = kNoValue;
  body.location = nullptr;
  Status status = (this->*kReaders[static_cast<size_t>(in.opcode->read)])(in);
  if (status.ok()) {
    body.values[index] = result_;
    return status;
  }
  return status.WithContext(
      StrCat(in.opcode->name, " %", Shortened(in.name), " of computation %", NameOf(body)));
}

Status HloReader::ReadPlain(const Instruction& in) { return EmitPlain(in); }

Status HloReader::ReadRefused(const Instruction& in) {
  return Unimplemented(in.opcode->name, " is not supported: ", in.opcode->why_refused);
}

Status HloReader::NeedOperands(const Instruction& in, size_t count) const {
  if (in.num_operands == count) return {};
  return InvalidArgument("it has ", in.num_operands, " operands, not ", count);
}

Status HloReader::CheckOperands(const Instruction& in, size_t* num_leaves) {
  *num_leaves = 0;
  for (const uint32_t operand : Operands(in)) *num_leaves += body_->values[operand].size();
  if (!builder_.SpendOnList(*num_leaves, sizeof(ValueId))) return ModuleBuilder::Disproportion();
  for (const uint32_t operand : Operands(in)) {
    if (std::ranges::find(body_->values[operand], kNoValue) != body_->values[operand].end()) {
      return Unimplemented("it uses the context of an asynchronous op");
    }
  }
  return {};
}

Status HloReader::GatherOperands(const Instruction& in) {
  size_t count;
  PLINTH_RETURN_IF_ERROR(CheckOperands(in, &count));
  for (const uint32_t operand : Operands(in)) {
    const Values values = body_->values[operand];
    operands_.insert(operands_.end(), values.begin(), values.end());
  }
  return {};
}

Status HloReader::EmitPlain(const Instruction& in) {
  size_t count;
  PLINTH_RETURN_IF_ERROR(CheckOperands(in, &count));
  const std::span<const uint32_t> operands = Operands(in);
  // One operand lends its list.
  if (operands.size() == 1) {
    return Emit(in, in.opcode->op, in.shape->leaves, body_->values[operands[0]]);
  }
  auto* const all = reinterpret_cast<ValueId*>(
      builder_.arena().Allocate(count * sizeof(ValueId), alignof(ValueId)));
  ValueId* next = all;
  for (const uint32_t operand : operands) {
    for (const ValueId value : body_->values[operand]) *next++ = value;
  }
  return Emit(in, in.opcode->op, in.shape->leaves, {all, count});
}

void HloReader::ReserveResults(std::span<const TypeRef> results) {
  reserved_ = next_value_;
  next_value_ += static_cast<ValueId>(results.size());
}

std::span<Region> HloReader::NewRegions(size_t count) {
  auto* const regions =
      reinterpret_cast<Region*>(builder_.arena().Allocate(count * sizeof(Region), alignof(Region)));
  for (size_t i = 0; i < count; ++i) new (regions + i) Region;
  return {regions, count};
}

void HloReader::Reserve(size_t capacity) {
  auto* const data = reinterpret_cast<Operation*>(
      builder_.arena().Allocate(capacity * sizeof(Operation), alignof(Operation)));
  std::uninitialized_copy_n(ops_.data, ops_.size, data);
  ops_.data = data;
  ops_.capacity = capacity;
}

Operation& HloReader::NewOp() {
  if (ops_.size == ops_.capacity) Reserve(std::max<size_t>(ops_.capacity * 2, 4));
  return *new (ops_.data + ops_.size++) Operation;
}

Status HloReader::Emit(const Instruction& in, Op op, std::span<const TypeRef> results) {
  const Values operands = builder_.arena().Copy(operands_);
  operands_.clear();
  return Emit(in, op, results, operands);
}

Status HloReader::Emit(const Instruction& in, Op op, std::span<const TypeRef> results,
                       Values operands) {
  if (reserved_ == kNoValue) ReserveResults(results);
  PLINTH_RETURN_IF_ERROR(CheckCounts(op, operands.size(), results.size(), regions_.size()));
  if (body_->location == nullptr) PLINTH_RETURN_IF_ERROR(BeginOps(in));
  named_.insert(named_.end(), body_->discardable.begin(), body_->discardable.end());
  if (!named_.empty() || !SchemaOf(op).attributes.empty()) {
    PLINTH_RETURN_IF_ERROR(Normalize(op, builder_, &named_));
  }
  Operation& operation = NewOp();
  operation.op = op;
  operation.first_result = reserved_;
  operation.operands = operands;
  operation.result_types = results;
  operation.attributes = builder_.arena().Copy(named_);
  operation.regions = regions_;
  operation.location = body_->location;
  Set(NewValues(reserved_, results.size()));
  named_.clear();
  regions_ = {};
  reserved_ = kNoValue;
  return {};
}

// An instruction may become many ops, which share what it says of all of them.
Status HloReader::BeginOps(const Instruction& in) {
  body_->location =
      locations_.NewInstruction(in.name, known_[body_->computation].location, in.metadata);
  body_->discardable.clear();
  if (!in.has_sharding && !in.has_frontend_attributes) return {};
  return ReadDiscardable(in);
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
    Expected<Module> read = HloReader(message, builder).Read();
    if (!read.ok()) return read.status().WithContext("HLO");
    return read;
  } catch (const protozero::exception& error) {
    return InvalidArgument("HLO: malformed protocol buffer of ", proto.size(), " bytes (",
                           error.what(), ")");
  }
}

}  // namespace plinth::program
