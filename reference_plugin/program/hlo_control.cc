// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "api/support/xla_message_fields.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/program/elements.h"
#include "reference_plugin/program/hlo_reader.h"
#include "reference_plugin/program/hlo_wire.h"
#include "reference_plugin/program/text_parser.h"

// Tuples, which go; what only passes values on; and ops that call computations.
namespace plinth::program {
namespace {

using messages::FrontendAttributeEntry;
using messages::FrontendAttributesProto;
using messages::HloInstructionProto;
using messages::OutputOperandAliasingProto;

constexpr int32_t kTypedFfi = 4;  // Configurations of such calls are dictionaries.

}  // namespace

Status HloReader::CheckSameLeaves(const Instruction& in, std::span<const TypeRef> leaves,
                                  std::string_view whose) const {
  if (std::ranges::equal(in.shape->leaves, leaves)) return {};
  return InvalidArgument("its shape ", ToString(*in.shape), " is not that of ", whose);
}

// It has its value from whoever opened the computation.
Status HloReader::ReadParameter(const Instruction& in) {
  Set(body_->values[static_cast<size_t>(&in - body_->instructions.data())]);
  return {};
}

Status HloReader::ReadTuple(const Instruction& in) {
  size_t count = 0;
  bool fits = in.shape->is_tuple && in.shape->elements.size() == in.num_operands;
  for (size_t i = 0; fits && i < in.num_operands; ++i) {
    const std::span<const TypeRef> leaves = OperandShape(in, i).leaves;
    fits = std::ranges::equal(leaves, in.shape->elements[i].leaves);
    count += leaves.size();
  }
  if (!fits) {
    return InvalidArgument("its shape ", ToString(*in.shape), " is not that of its ",
                           in.num_operands, " operands");
  }
  if (in.num_operands == 1) {
    Set(ValuesOf(in, 0));
    return {};
  }
  auto* const all = reinterpret_cast<ValueId*>(
      builder_.arena().Allocate(count * sizeof(ValueId), alignof(ValueId)));
  ValueId* next = all;
  for (const uint32_t operand : Operands(in)) {
    next = std::ranges::copy(body_->values[operand], next).out;
  }
  Set({all, count});
  return {};
}

Status HloReader::ReadGetTupleElement(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, 1));
  const HloShape& tuple = OperandShape(in, 0);
  const int64_t index = in.number;
  if (index < 0 || index >= std::ssize(tuple.elements)) {
    return InvalidArgument("it asks for element ", index, " of ", ToString(tuple));
  }
  const HloShape& element = tuple.elements[static_cast<size_t>(index)];
  PLINTH_RETURN_IF_ERROR(CheckSameLeaves(in, element.leaves, "that element"));
  // An array stands as often before its place as the tuple has elements: those are counted.
  size_t before = static_cast<size_t>(index);
  if (tuple.leaves.size() != tuple.elements.size()) {
    if (!builder_.SpendOnList(before, 1)) return ModuleBuilder::Disproportion();
    before = tuple.LeavesBefore(before);
  }
  Set(ValuesOf(in, 0).subspan(before, element.leaves.size()));
  return {};
}

// What only says something of its first operand: copy, domain, add-dependency.
Status HloReader::ReadIdentity(const Instruction& in) {
  if (in.num_operands == 0) return InvalidArgument("it has no operand");
  PLINTH_RETURN_IF_ERROR(CheckSameLeaves(in, OperandShape(in, 0).leaves, "its operand"));
  Set(ValuesOf(in, 0));
  return {};
}

// A tuple of the copy, the operand and a context.
Status HloReader::ReadCopyStart(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, 1));
  const std::span<const TypeRef> leaves = OperandShape(in, 0).leaves;
  if (in.shape->elements.size() < 2 || !std::ranges::equal(in.shape->elements[0].leaves, leaves) ||
      !std::ranges::equal(in.shape->elements[1].leaves, leaves)) {
    return InvalidArgument("its shape ", ToString(*in.shape), " does not begin with its operand ",
                           "twice");
  }
  Set(Join({ValuesOf(in, 0), ValuesOf(in, 0)}, in.shape->leaves.size()));
  return {};
}

Status HloReader::ReadCopyDone(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, 1));
  const HloShape& start = OperandShape(in, 0);
  if (start.elements.empty()) return InvalidArgument("its operand is no tuple of a copy-start");
  PLINTH_RETURN_IF_ERROR(CheckSameLeaves(in, start.elements[0].leaves, "its operand's copy"));
  Set(ValuesOf(in, 0).first(in.shape->leaves.size()));
  return {};
}

// What an asynchronous op began is a tuple of its operands, its results and contexts; that of an
// all-reduce is the results alone.
Status HloReader::ReadDone(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, 1));
  const HloShape& start = OperandShape(in, 0);
  if (std::ranges::equal(start.leaves, in.shape->leaves)) {
    Set(ValuesOf(in, 0));
    return {};
  }
  if (start.elements.size() < 2) {
    return InvalidArgument("its operand is no tuple of operands and results");
  }
  PLINTH_RETURN_IF_ERROR(CheckSameLeaves(in, start.elements[1].leaves, "what was begun"));
  Set(ValuesOf(in, 0).subspan(start.elements[0].leaves.size(), in.shape->leaves.size()));
  return {};
}

Expected<uint32_t> HloReader::Called(const Instruction& in, size_t which, size_t count) const {
  if (in.num_called == count) return CalledBy(in)[which];
  return InvalidArgument("it calls ", in.num_called, " computations, not ", count);
}

Expected<HloBody*> HloReader::OpenCalled(const Instruction& in, size_t which, size_t count) {
  PLINTH_ASSIGN_OR_RETURN(const uint32_t called, Called(in, which, count));
  return Open(called);
}

Status HloReader::CheckParameters(const HloBody& body,
                                  std::span<const HloShape* const> shapes) const {
  bool fits = body.parameters.size() == shapes.size();
  for (size_t i = 0; fits && i < shapes.size(); ++i) {
    fits = std::ranges::equal(body.parameter_shape(i).leaves, shapes[i]->leaves);
  }
  if (fits) return {};
  return InvalidArgument("the ", body.parameters.size(), " parameters of computation %",
                         NameOf(body), " are not the ", shapes.size(), " values that it is given");
}

Status HloReader::Pass(HloBody& body, std::span<const HloShape* const> shapes,
                       std::span<const Values> arguments) {
  PLINTH_RETURN_IF_ERROR(CheckParameters(body, shapes));
  for (size_t i = 0; i < arguments.size(); ++i) body.values[body.parameters[i]] = arguments[i];
  return {};
}

Status HloReader::Inline(const Instruction& in, Values* root, std::span<const TypeRef>* types) {
  std::vector<Values> arguments;
  std::vector<const HloShape*> shapes;
  for (size_t i = 0; i < in.num_operands; ++i) {
    arguments.push_back(ValuesOf(in, i));
    shapes.push_back(&OperandShape(in, i));
  }
  PLINTH_ASSIGN_OR_RETURN(HloBody* const body, OpenCalled(in, 0, 1));
  PLINTH_RETURN_IF_ERROR(Pass(*body, shapes, arguments));
  *types = body->root_shape().leaves;
  return ReadInstructions(*body, root);
}

Status HloReader::ReadFusion(const Instruction& in) {
  Values root;
  std::span<const TypeRef> types;
  PLINTH_RETURN_IF_ERROR(Inline(in, &root, &types));
  PLINTH_RETURN_IF_ERROR(CheckSameLeaves(in, types, "what it calls"));
  Set(root);
  return {};
}

Status HloReader::ReadAsyncStart(const Instruction& in) {
  Values root;
  std::span<const TypeRef> types;
  PLINTH_RETURN_IF_ERROR(Inline(in, &root, &types));
  std::vector<TypeRef> leaves;
  std::vector<ValueId> values;
  for (size_t i = 0; i < in.num_operands; ++i) {
    const std::span<const TypeRef> more = OperandShape(in, i).leaves;
    leaves.insert(leaves.end(), more.begin(), more.end());
    values.insert(values.end(), ValuesOf(in, i).begin(), ValuesOf(in, i).end());
  }
  if (in.shape->elements.size() < 2 || !std::ranges::equal(in.shape->elements[0].leaves, leaves) ||
      !std::ranges::equal(in.shape->elements[1].leaves, types)) {
    return InvalidArgument("its shape ", ToString(*in.shape),
                           " does not begin with its operands and the results of what it calls");
  }
  Set(Join({values, root}, in.shape->leaves.size()));
  return {};
}

Status HloReader::ReadCall(const Instruction& in) {
  PLINTH_ASSIGN_OR_RETURN(const uint32_t callee, Called(in, 0, 1));
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  const AttributeRef symbol = builder_.New(Attribute::Symbol(FunctionOf(callee)));
  if (!BoolField(in.rest, HloInstructionProto::kIsComposite)) {
    Add("callee", symbol);
    return Emit(in, Op::kCall, in.shape->leaves);
  }
  // What a composite is stands in three frontend attributes.
  std::string_view name, attributes, version;
  PLINTH_RETURN_IF_ERROR(ForEachBytes<Status>(
      BytesField(in.rest, HloInstructionProto::kFrontendAttributes), FrontendAttributesProto::kMap,
      [&](std::string_view entry) {
        const std::string_view key = BytesField(entry, FrontendAttributeEntry::kKey);
        const std::string_view value = BytesField(entry, FrontendAttributeEntry::kValue);
        if (key == "composite.name") name = value;
        if (key == "composite.attributes") attributes = value;
        if (key == "composite.version") version = value;
        return Status();
      }));
  Add("name", builder_.New(Attribute::String(builder_.arena().Copy(name))));
  Add("decomposition", symbol);
  if (!attributes.empty()) {
    PLINTH_ASSIGN_OR_RETURN(const AttributeRef read, ParseAttribute(attributes, builder_));
    Add("composite_attributes", read);
  }
  int32_t number = 0;
  for (const char digit : version.substr(0, 9)) {
    if (digit < '0' || digit > '9') {
      return InvalidArgument("composite.version is ", Shortened(version), "; expected a number");
    }
    number = number * 10 + (digit - '0');
  }
  Add("version", builder_.NewInt(DType::kS32, number));
  return Emit(in, Op::kComposite, in.shape->leaves);
}

// The first operand chooses; each branch has one of the others as its parameter.
Status HloReader::ReadConditional(const Instruction& in) {
  if (in.num_called == 0) return InvalidArgument("it has no branches");
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, in.num_called + 1));
  const Values choice = ValuesOf(in, 0);
  const TypeRef type = choice.size() == 1 ? OperandShape(in, 0).leaves[0] : nullptr;
  if (type == nullptr || choice[0] == kNoValue || !type->IsTensor()) {
    return InvalidArgument("its first operand is no array");
  }
  const bool is_if = type->dtype == DType::kPred;
  ReserveResults(in.shape->leaves);
  const ValueId reserved = reserved_;
  const std::span<Region> regions = NewRegions(in.num_called);
  for (size_t i = 0; i < regions.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(HloBody* const branch, OpenCalled(in, i, regions.size()));
    const HloShape* const shape = &OperandShape(in, i + 1);
    const Values argument = ValuesOf(in, i + 1);
    PLINTH_RETURN_IF_ERROR(Pass(*branch, {&shape, 1}, {&argument, 1}));
    PLINTH_RETURN_IF_ERROR(MakeRegion(is_if ? Op::kIf : Op::kCase, *branch, &regions[i]));
  }
  operands_.assign(choice.begin(), choice.end());
  named_.clear();
  regions_ = regions;
  reserved_ = reserved;
  return Emit(in, is_if ? Op::kIf : Op::kCase, in.shape->leaves);
}

// HLO names the body before the condition.
Status HloReader::ReadWhile(const Instruction& in) {
  PLINTH_RETURN_IF_ERROR(NeedOperands(in, 1));
  PLINTH_RETURN_IF_ERROR(CheckSameLeaves(in, OperandShape(in, 0).leaves, "its operand"));
  ReserveResults(in.shape->leaves);
  const ValueId reserved = reserved_;
  const std::span<Region> regions = NewRegions(2);
  for (const size_t i : {0, 1}) {
    PLINTH_ASSIGN_OR_RETURN(HloBody* const called, OpenCalled(in, 1 - i, 2));
    const HloShape* const shape = in.shape;
    PLINTH_RETURN_IF_ERROR(CheckParameters(*called, {&shape, 1}));
    PLINTH_RETURN_IF_ERROR(MakeRegion(Op::kWhile, *called, &regions[i]));
  }
  operands_.clear();
  named_.clear();
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  regions_ = regions;
  reserved_ = reserved;
  return Emit(in, Op::kWhile, in.shape->leaves);
}

Status HloReader::ReadAfterAll(const Instruction& in) {
  if (in.num_operands == 0) return Emit(in, Op::kCreateToken, in.shape->leaves);
  return EmitPlain(in);
}

Status HloReader::ReadCustomCall(const Instruction& in) {
  const std::string_view message = in.rest;
  const auto copy = [&](std::string_view text) { return builder_.arena().Copy(text); };
  // Called computations may be those of the framework alone; they are functions here.
  std::vector<AttributeRef> called;
  for (const uint32_t computation : CalledBy(in)) {
    called.push_back(builder_.New(Attribute::Symbol(FunctionOf(computation))));
  }
  PLINTH_RETURN_IF_ERROR(GatherOperands(in));
  Add("call_target_name", builder_.New(Attribute::String(
                              copy(BytesField(message, HloInstructionProto::kCustomCallTarget)))));
  AddBool("has_side_effect", BoolField(message, HloInstructionProto::kCustomCallHasSideEffect));
  const int64_t version = IntField(message, HloInstructionProto::kCustomCallApiVersion);
  Add("api_version",
      builder_.NewInt(DType::kS32, version == 0 ? 1 : static_cast<int32_t>(version)));
  if (!called.empty()) Add("called_computations", builder_.NewArray(called));
  const std::string_view config = BytesField(message, HloInstructionProto::kBackendConfig);
  if (!BytesField(message, HloInstructionProto::kBackendConfigPayload).empty()) {
    return Unimplemented("its backend_config is a payload of the module, which is not read");
  }
  if (version == kTypedFfi && !config.empty()) {
    auto dictionary = ParseAttribute(config, builder_);
    if (!dictionary.ok()) return dictionary.status().WithContext("backend_config");
    Add("backend_config", *dictionary);
  } else if (!config.empty()) {
    Add("backend_config", builder_.New(Attribute::String(copy(config))));
  }

  if (BoolField(message, HloInstructionProto::kConstrainLayout)) {
    const auto layout_of = [&](const HloShape& shape) {
      const auto rank = static_cast<int64_t>(shape.minor_to_major.size());
      const TypeRef type = builder_.Tensor(DType::kS64, true, {&rank, 1}, nullptr);
      return ElementsFromValues(type, std::as_bytes(shape.minor_to_major), builder_);
    };
    std::vector<AttributeRef> layouts;
    const auto append = [&](const auto& self, const HloShape& shape) -> void {
      if (!shape.is_tuple) layouts.push_back(layout_of(shape));
      for (const HloShape& element : shape.elements) self(self, element);
    };
    Status status = ForEachBytes<Status>(
        message, HloInstructionProto::kOperandShapesWithLayout, [&](std::string_view bytes) {
          const HloShape* shape;
          PLINTH_RETURN_IF_ERROR(parser_.shapes().Read(bytes, &shape));
          append(append, *shape);
          return Status();
        });
    if (!status.ok()) return status;
    Add("operand_layouts", builder_.NewArray(layouts));
    layouts.clear();
    append(append, *in.shape);
    Add("result_layouts", builder_.NewArray(layouts));
  }

  std::vector<AttributeRef> aliases;
  PLINTH_RETURN_IF_ERROR(ForEachBytes<Status>(
      message, HloInstructionProto::kOutputOperandAliasing, [&](std::string_view entry) {
        const NamedAttribute fields[] = {
            {"output_tuple_indices", IntsIn(entry, OutputOperandAliasingProto::kOutputShapeIndex)},
            {"operand_index",
             builder_.NewInt(DType::kS64,
                             IntField(entry, OutputOperandAliasingProto::kOperandIndex))},
            {"operand_tuple_indices",
             IntsIn(entry, OutputOperandAliasingProto::kOperandShapeIndex)}};
        aliases.push_back(builder_.NewStruct("stablehlo.output_operand_alias", fields));
        return Status();
      }));
  if (!aliases.empty()) Add("output_operand_aliases", builder_.NewArray(aliases));
  return Emit(in, Op::kCustomCall, in.shape->leaves);
}

}  // namespace plinth::program
