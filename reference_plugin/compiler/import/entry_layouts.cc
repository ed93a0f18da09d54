// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/entry_layouts.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/import_attributes.h"

namespace plinth::compiler::importer {
namespace {

constexpr std::string_view kLayoutMode = "mhlo.layout_mode";

std::string PlaceOf(const char* kind, size_t number) {
  return StrCat(kLayoutMode, " of ", kind, " ", number);
}

// "{0,1}" as 0, 1. "{0,1:E(4)}" says that elements have 4 bits, as their type does: they take a
// byte each, here and on XLA's CPU.
Expected<Dims> ReadLayoutMode(std::string_view text, const std::string& place) {
  Dims dims;
  if (text.empty() || text == "auto" || text == "default") return dims;
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view more = text.substr(colon);
  if (!more.empty() && more != ":E(2)}" && more != ":E(4)}") {
    return Unimplemented(place, " is \"", text, "\": arrays have no tiles here");
  }
  const Status malformed = InvalidArgument(
      place, " is \"", text, "\"; expected \"auto\", \"default\" or dimensions as in \"{1,0}\"");
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return malformed;
  const char* at = text.data() + 1;
  const char* const end = text.data() + std::min(colon, text.size() - 1);
  while (at != end) {
    int64_t dim = 0;
    const auto [after, error] = std::from_chars(at, end, dim);
    if (error != std::errc()) return malformed;
    dims.push_back(dim);
    at = after;
    if (at == end) break;
    if (*at != ',' || ++at == end) return malformed;
  }
  return dims;
}

Expected<std::vector<Dims>> ReadLayoutModes(std::span<const program::Attributes> values,
                                            const char* kind) {
  std::vector<Dims> layouts;
  for (size_t i = 0; i < values.size(); ++i) {
    const program::AttributeRef mode = program::Find(values[i], kLayoutMode);
    if (mode == nullptr) continue;
    PLINTH_ASSIGN_OR_RETURN(Dims layout, ReadLayoutMode(mode->text(), PlaceOf(kind, i)));
    if (layout.empty()) continue;
    layouts.resize(values.size());
    layouts[i] = std::move(layout);
  }
  return layouts;
}

bool IsAuto(const program::Attributes& value) {
  const program::AttributeRef mode = program::Find(value, kLayoutMode);
  return mode != nullptr && mode->text() == "auto";
}

// The op of a function's body that makes a value, or null.
const program::Operation* MakerOf(const program::Function& function, program::ValueId value) {
  for (const program::Operation& op : function.body->operations) {
    if (value >= op.first_result && value - op.first_result < op.result_types.size()) return &op;
  }
  return nullptr;
}

// What the program says by @LayoutConstraint of a value that it returns, beside where it is spread;
// empty if nothing.
Expected<Dims> LayoutConstraintOf(const program::Function& entry, size_t result) {
  const program::Operation& end = entry.body->operations.back();
  const program::Operation* op =
      result < end.operands.size() ? MakerOf(entry, end.operands[result]) : nullptr;
  while (op != nullptr && op->operands.size() == 1) {
    const std::string_view target = op->Text("call_target_name");
    const program::AttributeRef layouts = op->Find("result_layouts");
    if (target == "LayoutConstraint" && layouts != nullptr && layouts->elements().size() == 1) {
      return ReadLayout(*layouts->elements()[0]);
    }
    if (op->op != program::Op::kShardingConstraint && target != "Sharding") break;
    op = MakerOf(entry, op->operands[0]);
  }
  return Dims();
}

// What the compile options say of all values of a kind takes the place of what the program says.
Status TakeAsked(const std::optional<std::vector<program::ShapeLayout>>& asked,
                 std::span<const program::TypeRef> types, std::string_view option,
                 std::vector<Dims>* layouts) {
  if (!asked.has_value()) return {};
  if (asked->size() != types.size()) {
    return InvalidArgument(option, " of the compile options is for ", asked->size(),
                           " arrays; the program has ", types.size());
  }
  layouts->assign(types.size(), {});
  for (size_t i = 0; i < types.size(); ++i) {
    const program::ShapeLayout& layout = (*asked)[i];
    if (!std::ranges::equal(layout.dims, types[i]->dims)) {
      return InvalidArgument(option, " of the compile options has [", StrJoin(layout.dims, ","),
                             "] at place ", i, ", where the program has ",
                             program::ToString(types[i]));
    }
    (*layouts)[i].assign(layout.minor_to_major.begin(), layout.minor_to_major.end());
  }
  return {};
}

// Whether there is something to do for a value; then `layout` is an order of its dimensions.
Expected<bool> TakeLayout(Dims& layout, const Type& type, const std::string& place) {
  if (layout.empty()) return false;
  Dims row_major;
  for (size_t d = layout.size(); d > 0; --d) row_major.push_back(static_cast<int64_t>(d - 1));
  if (type.kind != Type::Kind::kTensor || layout.size() != type.dims.size() ||
      !std::is_permutation(layout.begin(), layout.end(), row_major.begin(), row_major.end())) {
    return InvalidArgument(place, " is {", StrJoin(layout, ","),
                           "}, which is no order of the dimensions of ", type.ToString());
  }
  if (layout != row_major) return true;
  layout.clear();
  return false;
}

// The order of a value that lies as what it is a transpose of; empty if it is none.
Dims LayoutOfTranspose(const Value& value) {
  Dims layout;
  if (value.op == nullptr || value.op->opcode != Opcode::kTranspose) return layout;
  const Dims& dims = value.op->Get<DimensionsAttributes>().dimensions;
  layout.resize(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    layout[dims.size() - 1 - static_cast<size_t>(dims[d])] = static_cast<int64_t>(d);
  }
  return layout;
}

// The value's dimension for each in memory.
Dims MajorToMinor(const Dims& minor_to_major) {
  Dims order = minor_to_major;
  std::reverse(order.begin(), order.end());
  return order;
}

Type EntryTypeInMemory(const Type& type, const Dims& layout) {
  Dims dims;
  for (int64_t dim : MajorToMinor(layout)) dims.push_back(type.dims[static_cast<size_t>(dim)]);
  return Type::Tensor(type.dtype, std::move(dims));
}

// What the program calls the parameter becomes the result of a transpose of the new one.
Op* TransposeParameter(Module& module, size_t number, const Dims& layout) {
  Block& body = *module.entry->body;
  Value* value = body.arguments[number];
  const Dims order = MajorToMinor(layout);
  Dims back(order.size(), 0);
  for (size_t d = 0; d < order.size(); ++d) {
    back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  }
  Op* op = module.NewOp(Opcode::kTranspose, {value}, EntryTypeInMemory(value->type, layout),
                        MakeAttributes(DimensionsAttributes{std::move(back)}));
  Value* parameter = op->result();
  parameter->op = nullptr;
  parameter->block = &body;
  parameter->index = value->index;
  body.arguments[number] = parameter;
  value->op = op;
  value->block = nullptr;
  value->index = 0;
  op->operands[0] = parameter;
  op->results[0] = value;
  return op;
}

}  // namespace

Expected<EntryLayouts> ReadEntryLayouts(const program::Module& source, const AskedLayouts& asked) {
  EntryLayouts layouts;
  const program::Function* entry = source.main();
  if (entry == nullptr) return layouts;
  PLINTH_ASSIGN_OR_RETURN(layouts.parameters,
                          ReadLayoutModes(entry->argument_attributes, "argument"));
  PLINTH_ASSIGN_OR_RETURN(layouts.outputs, ReadLayoutModes(entry->result_attributes, "result"));
  if (!asked.outputs.has_value()) {
    for (size_t i = 0; i < entry->result_attributes.size(); ++i) {
      bool is_open = IsAuto(entry->result_attributes[i]);
      if (is_open) {
        PLINTH_ASSIGN_OR_RETURN(Dims layout, LayoutConstraintOf(*entry, i));
        is_open = layout.empty();
        layouts.outputs.resize(entry->result_attributes.size());
        layouts.outputs[i] = std::move(layout);
      }
      layouts.open_outputs.push_back(is_open);
    }
  }
  PLINTH_RETURN_IF_ERROR(
      TakeAsked(asked.parameters, entry->argument_types, "argument_layouts", &layouts.parameters));
  PLINTH_RETURN_IF_ERROR(
      TakeAsked(asked.outputs, entry->result_types, "result_layout", &layouts.outputs));
  return layouts;
}

Status ApplyEntryLayouts(EntryLayouts& layouts, Module& module) {
  Block& body = *module.entry->body;
  std::vector<Op*> first;
  for (size_t i = 0; i < layouts.parameters.size() && i < body.arguments.size(); ++i) {
    Dims& layout = layouts.parameters[i];
    PLINTH_ASSIGN_OR_RETURN(const bool moves,
                            TakeLayout(layout, body.arguments[i]->type, PlaceOf("argument", i)));
    if (!moves) continue;
    first.push_back(TransposeParameter(module, i, layout));
  }
  body.ops.insert(body.ops.begin(), first.begin(), first.end());
  auto& outputs = body.terminator()->operands;
  for (size_t i = 0; i < layouts.open_outputs.size() && i < outputs.size(); ++i) {
    if (!layouts.open_outputs[i]) continue;
    layouts.outputs.resize(std::max(layouts.outputs.size(), outputs.size()));
    layouts.outputs[i] = LayoutOfTranspose(*outputs[i]);
  }
  for (size_t i = 0; i < layouts.outputs.size() && i < outputs.size(); ++i) {
    Dims& layout = layouts.outputs[i];
    PLINTH_ASSIGN_OR_RETURN(const bool moves,
                            TakeLayout(layout, outputs[i]->type, PlaceOf("result", i)));
    if (!moves) continue;
    Op* op =
        module.NewOp(Opcode::kTranspose, {outputs[i]}, EntryTypeInMemory(outputs[i]->type, layout),
                     MakeAttributes(DimensionsAttributes{MajorToMinor(layout)}));
    body.ops.insert(body.ops.end() - 1, op);
    outputs[i] = op->result();
  }
  for (Donation& donation : module.donations) {
    if (donation.output < 0) continue;
    const auto argument = static_cast<size_t>(donation.argument);
    const auto output = static_cast<size_t>(donation.output);
    if (body.arguments[argument]->type != outputs[output]->type) donation.output = -1;
  }
  return Status();
}

Dims DimsOfLayout(const Dims& memory_dims, const Dims& minor_to_major) {
  if (minor_to_major.empty()) return memory_dims;
  Dims dims(memory_dims.size(), 0);
  const Dims order = MajorToMinor(minor_to_major);
  for (size_t d = 0; d < order.size(); ++d) dims[static_cast<size_t>(order[d])] = memory_dims[d];
  return dims;
}

}  // namespace plinth::compiler::importer
