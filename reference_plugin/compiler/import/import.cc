// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/import.h"

#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/import_table.h"
#include "reference_plugin/compiler/import/importer.h"
#include "reference_plugin/compiler/import/raise_manual.h"
#include "reference_plugin/compiler/ir/op_checks.h"

namespace plinth::compiler::importer {
namespace {

// Passes walk regions recursively.
constexpr int kMaxNesting = 200;

// Tokens, tuples and tensors from the type of a value.
Expected<Type> MakeType(program::TypeRef source, int depth) {
  switch (source->kind) {
    case program::TypeKind::kTensor: {
      if (source->encoding != nullptr) {
        return Unimplemented("bounded dimensions are not supported: ", program::ToString(source));
      }
      static_assert(program::kDynamic == kDynamicSize);
      return Type::Tensor(source->dtype, Dims(source->dims));
    }
    case program::TypeKind::kToken:
      return Type::Token();
    case program::TypeKind::kFuture:
      if (source->elements.size() == 1 && depth <= 8)
        return MakeType(source->elements[0], depth + 1);
      [[fallthrough]];
    case program::TypeKind::kTuple: {
      if (depth > 8) return Unimplemented("tuples are nested more than 8 deep");
      Type type;
      type.kind = Type::Kind::kTuple;
      for (program::TypeRef element : source->elements) {
        PLINTH_ASSIGN_OR_RETURN(Type converted, MakeType(element, depth + 1));
        type.elements.push_back(std::move(converted));
      }
      return type;
    }
    default:
      return Unimplemented("values of type ", program::ToString(source), " are not supported");
  }
}

}  // namespace

Importer::Importer(std::shared_ptr<const program::Module> program, const NumDevices& asked,
                   Module& module)
    : program_(std::move(program)), asked_(asked), module_(module), sharding_reader_(module) {
  module_.owner = program_;
}

Status Importer::Run() {
  module_.name = std::string(program_->name());
  PLINTH_RETURN_IF_ERROR(ImportModuleAttributes());
  PLINTH_RETURN_IF_ERROR(sharding_reader_.ReadMeshes(*program_));
  PLINTH_RETURN_IF_ERROR(DeclareFunctions());
  for (Function& function : module_.functions) {
    const FunctionEntry& entry = functions_.find(function.name)->second;
    Status status = ImportFunction(entry, function);
    if (!status.ok()) return status.WithContext(StrCat("in @", function.name));
    if (entry.source == program_->main()) {
      module_.entry = &function;
      PLINTH_RETURN_IF_ERROR(ImportEntryAttributes(*entry.source));
    }
  }
  if (module_.entry == nullptr) {
    return InvalidArgument(
        "the program has no entry; expected a function @main, or only one that "
        "is public");
  }
  return HasSeveralDevices() ? RaiseManualCalls(module_) : Status();
}

Expected<const Type*> Importer::ConvertType(program::TypeRef type) {
  const auto found = types_.find(type);
  if (found != types_.end()) return &found->second;
  PLINTH_ASSIGN_OR_RETURN(Type converted, MakeType(type, 0));
  PLINTH_RETURN_IF_ERROR(CheckType(converted));
  return &types_.emplace(type, std::move(converted)).first->second;
}

Status Importer::ConvertTypes(std::span<const program::TypeRef> types,
                              std::vector<Type>* converted) {
  converted->clear();
  for (program::TypeRef type : types) {
    PLINTH_ASSIGN_OR_RETURN(const Type* one, ConvertType(type));
    converted->push_back(*one);
  }
  return Status();
}

Location Importer::ConvertLocation(program::LocationRef location) {
  if (location == nullptr || location->kind == program::Location::Kind::kUnknown) return nullptr;
  Location& converted = locations_[location];
  if (converted == nullptr) {
    converted = std::make_shared<const std::string>(program::ToString(location));
  }
  return converted;
}

Status Importer::DeclareFunctions() {
  const auto sources = program_->functions();
  module_.functions.reserve(sources.size());
  for (const program::Function& source : sources) {
    FunctionEntry entry;
    entry.source = &source;
    Status status = ConvertTypes(source.argument_types, &entry.arguments);
    if (status.ok()) status = ConvertTypes(source.result_types, &entry.results);
    if (!status.ok()) return status.WithContext(StrCat("in the signature of @", source.name));
    if (!functions_.emplace(source.name, std::move(entry)).second) {
      return InvalidArgument("there are two functions @", source.name);
    }
    Function& function = module_.functions.emplace_back();
    function.name = std::string(source.name);
    function.body = module_.NewBlock();
  }
  return Status();
}

Status Importer::ImportFunction(const FunctionEntry& entry, Function& function) {
  const program::Function& source = *entry.source;
  if (source.body == nullptr || !source.body->has_block) {
    return Unimplemented("the function is only declared; expected a body");
  }
  const program::Region& body = *source.body;
  if (body.argument_types.size() != entry.arguments.size()) {
    return InvalidArgument("the body takes ", body.argument_types.size(),
                           " arguments; expected what the signature says, ",
                           entry.arguments.size());
  }
  current_function_ = &entry;
  values_.assign(source.num_values, nullptr);
  block_ = function.body;
  depth_ = 0;
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    if (body.argument_types[i] != source.argument_types[i]) {
      return InvalidArgument(
          "argument ", i, " of the body is ", program::ToString(body.argument_types[i]),
          "; expected ", program::ToString(source.argument_types[i]), ", as the signature says");
    }
    Value* argument = module_.NewArgument(block_, entry.arguments[i]);
    if (body.first_argument + i >= values_.size()) {
      return Internal("values are not numbered densely");
    }
    values_[body.first_argument + i] = argument;
  }
  PLINTH_RETURN_IF_ERROR(ImportOperations(body.operations));
  const auto& returned = block_->terminator()->operands;
  if (returned.size() != entry.results.size()) {
    return InvalidArgument("the body returns ", returned.size(),
                           " values; expected what the signature says, ", entry.results.size());
  }
  for (size_t i = 0; i < entry.results.size(); ++i) {
    if (returned[i]->type == entry.results[i]) continue;
    return InvalidArgument("returned value ", i, " is ", returned[i]->type.ToString(),
                           "; expected ", entry.results[i].ToString(), ", as the signature says");
  }
  return ImportShardings(source, function);
}

Status Importer::ImportOperations(std::span<const program::Operation> operations) {
  for (const program::Operation& operation : operations) {
    if (!block_->ops.empty() && block_->terminator()->opcode == Opcode::kReturn) {
      return InvalidArgument("a block goes on after its return");
    }
    PLINTH_RETURN_IF_ERROR(ImportOperation(operation));
  }
  if (block_->ops.empty() || block_->terminator()->opcode != Opcode::kReturn) {
    return InvalidArgument("a block ends without a return");
  }
  return Status();
}

Expected<Block*> Importer::ImportRegion(const program::Region& region) {
  if (!region.has_block) return InvalidArgument("a region is empty; expected one block");
  if (++depth_ > kMaxNesting) {
    return ResourceExhausted("regions are nested more than ", kMaxNesting, " deep");
  }
  Block* const block = module_.NewBlock();
  std::vector<Type> arguments;
  PLINTH_RETURN_IF_ERROR(ConvertTypes(region.argument_types, &arguments));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (region.first_argument + i >= values_.size()) {
      return Internal("values are not numbered densely");
    }
    values_[region.first_argument + i] = module_.NewArgument(block, std::move(arguments[i]));
  }
  Block* const outer = std::exchange(block_, block);
  PLINTH_RETURN_IF_ERROR(ImportOperations(region.operations));
  block_ = outer;
  Forget(region);
  --depth_;
  return block;
}

Expected<std::vector<Value*>> Importer::ImportInline(const program::Region& region,
                                                     std::span<Value* const> arguments) {
  if (!region.has_block) return InvalidArgument("a region is empty; expected one block");
  if (region.argument_types.size() != arguments.size()) {
    return InvalidArgument("the region takes ", region.argument_types.size(),
                           " arguments; expected ", arguments.size());
  }
  if (++depth_ > kMaxNesting) {
    return ResourceExhausted("regions are nested more than ", kMaxNesting, " deep");
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(const Type* type, ConvertType(region.argument_types[i]));
    if (!(arguments[i]->type == *type)) {
      return InvalidArgument("argument ", i, " of the region is ", type->ToString(), "; expected ",
                             arguments[i]->type.ToString());
    }
    if (region.first_argument + i >= values_.size()) {
      return Internal("values are not numbered densely");
    }
    values_[region.first_argument + i] = arguments[i];
  }
  const program::Operation* const outer = operation_;
  const Location location = location_;
  PLINTH_RETURN_IF_ERROR(ImportOperations(region.operations));
  operation_ = outer;
  location_ = location;
  const auto& returned = block_->terminator()->operands;
  std::vector<Value*> results(returned.begin(), returned.end());
  block_->ops.pop_back();
  Forget(region);
  --depth_;
  return results;
}

void Importer::Forget(const program::Region& region) {
  const auto forget = [&](program::ValueId first, size_t count) {
    for (size_t i = 0; i < count && first + i < values_.size(); ++i) values_[first + i] = nullptr;
  };
  forget(region.first_argument, region.argument_types.size());
  for (const program::Operation& operation : region.operations) {
    forget(operation.first_result, operation.result_types.size());
  }
}

Status Importer::ImportOperation(const program::Operation& operation) {
  Status status = ImportByRow(operation);
  // The innermost op is the one that is at fault.
  if (status.ok() || located_) return status;
  located_ = true;
  return status.WithContext(
      StrCat(program::Name(operation.op), " at ", program::ToString(operation.location)));
}

Status Importer::ImportByRow(const program::Operation& operation) {
  operation_ = &operation;
  operands_.clear();
  for (program::ValueId id : operation.operands) {
    if (id >= values_.size() || values_[id] == nullptr) {
      return InvalidArgument("operand ", operands_.size(), " is not visible here");
    }
    operands_.push_back(values_[id]);
  }
  PLINTH_RETURN_IF_ERROR(ConvertTypes(operation.result_types, &result_types_));
  location_ = ConvertLocation(operation.location);

  const ImportRow& row = ImportRowOf(operation.op);
  switch (row.how) {
    case ImportRow::How::kRefused:
      return Unimplemented("this op is not supported");
    case ImportRow::How::kBuild: {
      const size_t first = block_->ops.size();
      PLINTH_RETURN_IF_ERROR(row.build(*this, operation));
      return ImportShardings(operation, first);
    }
    case ImportRow::How::kReturn:
      block_->ops.push_back(
          module_.NewOp(Opcode::kReturn, operands_, std::span<const Type>(), nullptr, location_));
      return Status();
    case ImportRow::How::kOp:
      break;
  }
  AttributesRef attributes;
  if (row.attributes != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(attributes, row.attributes({operation, operands_, result_types_,
                                                        owner(), &sharding_reader_}));
  }
  Op* const op =
      module_.NewOp(row.opcode, operands_, result_types_, std::move(attributes), location_);
  for (const program::Region& region : operation.regions) {
    PLINTH_ASSIGN_OR_RETURN(Block * block, ImportRegion(region));
    op->blocks.push_back(block);
  }
  PLINTH_RETURN_IF_ERROR(CheckOp(*op));
  if (row.opcode == Opcode::kCall) {
    PLINTH_RETURN_IF_ERROR(CheckCallee(*op));
  }
  PLINTH_RETURN_IF_ERROR(ImportShardings(operation, *op));
  block_->ops.push_back(op);
  for (size_t i = 0; i < op->results.size(); ++i) {
    const size_t id = operation.first_result + i;
    if (id >= values_.size()) return Internal("values are not numbered densely");
    values_[id] = op->results[i];
  }
  return Status();
}

Status Importer::CheckCallee(const Op& op) {
  const std::string& name = op.Get<CallAttributes>().callee;
  const auto callee = functions_.find(name);
  if (callee == functions_.end()) return InvalidArgument("there is no function @", name);
  return CheckCall(op, callee->second.arguments, callee->second.results);
}

Expected<Op*> Importer::Append(Opcode opcode, std::span<Value* const> operands,
                               std::span<const Type> results, AttributesRef attributes) {
  Op* const op = module_.NewOp(opcode, operands, results, std::move(attributes), location_);
  PLINTH_RETURN_IF_ERROR(CheckOp(*op));
  block_->ops.push_back(op);
  return op;
}

Expected<Value*> Importer::AppendOne(Opcode opcode, std::initializer_list<Value*> operands,
                                     Type result, AttributesRef attributes) {
  PLINTH_ASSIGN_OR_RETURN(Op* const op,
                          Append(opcode, std::span<Value* const>(operands.begin(), operands.size()),
                                 std::span<const Type>(&result, 1), std::move(attributes)));
  return op->results[0];
}

Status Importer::Define(size_t i, Value* value) {
  if (i >= operation_->result_types.size()) {
    return InvalidArgument("there are ", operation_->result_types.size(),
                           " results; expected more");
  }
  PLINTH_ASSIGN_OR_RETURN(const Type* type, ConvertType(operation_->result_types[i]));
  if (!(value->type == *type)) {
    return InvalidArgument("result ", i, " is ", type->ToString(), "; expected ",
                           value->type.ToString());
  }
  const size_t id = operation_->first_result + i;
  if (id >= values_.size()) return Internal("values are not numbered densely");
  values_[id] = value;
  return Status();
}

Status Importer::Define(std::span<Value* const> values) {
  if (values.size() != operation_->result_types.size()) {
    return InvalidArgument("there are ", operation_->result_types.size(), " results; expected ",
                           values.size());
  }
  for (size_t i = 0; i < values.size(); ++i) PLINTH_RETURN_IF_ERROR(Define(i, values[i]));
  return Status();
}

Expected<std::unique_ptr<Module>> Import(program::Module program, const NumDevices& asked) {
  return Import(std::make_shared<const program::Module>(std::move(program)), asked);
}

Expected<std::unique_ptr<Module>> Import(std::shared_ptr<const program::Module> program,
                                         const NumDevices& asked) {
  auto module = std::make_unique<Module>();
  PLINTH_RETURN_IF_ERROR(Importer(std::move(program), asked, *module).Run());
  return module;
}

}  // namespace plinth::compiler::importer
