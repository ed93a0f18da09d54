// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "reference_plugin/program/text_forms.h"
#include "reference_plugin/program/text_op_parser.h"

// The structure of a program: ops in generic form, regions, values, the top level.
namespace plinth::program {

LocationRef OpParser::PlaceOf(size_t position) {
  const std::string_view text = lexer_.text();
  for (; counted_ < position; ++counted_) {
    if (text[counted_] == '\n') {
      ++line_;
      line_start_ = counted_ + 1;
    }
  }
  Location location;
  location.kind = Location::Kind::kFile;
  location.text = "text";
  location.line = line_;
  location.column = static_cast<uint32_t>(position - line_start_ + 1);
  return builder_.arena().New(location);
}

bool OpParser::ParseOptionalLocation(LocationRef* location) {
  if (!token_.IsWord("loc")) return true;
  *location = ParseLocation();
  return *location != nullptr;
}

bool OpParser::DefineName(std::string_view name, Value value) {
  if (!values_.emplace(name, value).second) {
    return FailAt(position(), "value ", name, " is defined twice");
  }
  names_in_scope_.push_back(name);
  return true;
}

bool OpParser::DefineArgument(const BlockArgument& argument) {
  if (!argument.type->IsValueType()) {
    return FailAt(position(), "a value of type ", ToString(argument.type));
  }
  value_types_.resize(next_value_);
  value_types_.push_back(argument.type);
  return DefineName(argument.name, {next_value_++, 1});
}

// Numbers the named results, before the regions of the op number theirs.
bool OpParser::ReserveResults(OpState& state) {
  if (state.results_defined) return true;
  state.results_defined = true;
  state.first_result = next_value_;
  const size_t count = state.num_named != 0 ? state.num_named : state.result_types.size();
  // Every value of a function has a type, or stands in a short form, of at least one character:
  // what the ops around this one promise counts too, since their types are still to come.
  if (count > lexer_.text().size() - std::min<size_t>(next_value_, lexer_.text().size())) {
    return FailAt(state.start, "an op with ", count, " results after ", next_value_,
                  " values, more than the text has types for");
  }
  next_value_ += static_cast<ValueId>(count);
  value_types_.resize(next_value_);
  return true;
}

bool OpParser::DefineResults(OpState& state) {
  if (!ReserveResults(state)) return false;
  if (state.num_named != 0 && state.num_named != state.result_types.size()) {
    return FailAt(state.start, Name(state.op), " has ", state.result_types.size(), " results, but ",
                  state.num_named, " are named");
  }
  if (state.num_named == 0 && !state.result_types.empty() && !state.regions.empty() &&
      state.op != Op::kWhile && state.op != Op::kReduce) {
    return FailAt(state.start, "name the results of an op with regions (%0 = ...)");
  }
  for (size_t i = 0; i < state.result_types.size(); ++i) {
    if (!state.result_types[i]->IsValueType()) {
      return FailAt(state.start, "a value of type ", ToString(state.result_types[i]));
    }
    value_types_[state.first_result + i] = state.result_types[i];
  }
  ValueId next = state.first_result;
  for (const auto& [name, number] : state.result_names) {
    if (!DefineName(name, {next, number})) return false;
    next += static_cast<ValueId>(number);
  }
  return true;
}

bool OpParser::ParseOperand(ValueId* value) {
  if (token_.kind != TokenKind::kValue) return Wanted("a value (%name)");
  const auto at = values_.find(token_.text);
  if (at == values_.end()) {
    return FailAt(position(), "value ", token_.text, " is used before it is defined");
  }
  Advance();
  int64_t index = 0;
  if (token_.kind == TokenKind::kHash && token_.text[1] >= '0' && token_.text[1] <= '9') {
    for (char digit : token_.text.substr(1)) {
      index = index * 10 + (digit - '0');
      if (index >= at->second.count) return FailAt(position(), "there is no such result");
    }
    Advance();
  }
  *value = at->second.first + static_cast<ValueId>(index);
  return true;
}

bool OpParser::ParseOperands(OpState& state) {
  if (token_.kind != TokenKind::kValue) return true;
  do {
    state.operands.push_back(0);
    if (!ParseOperand(&state.operands.back())) return false;
  } while (Accept(','));
  return true;
}

bool OpParser::CheckOperandTypes(const OpState& state, std::span<const TypeRef> types) {
  if (types.size() != state.operands.size()) {
    return FailAt(position(), Name(state.op), " has ", state.operands.size(), " operands, but ",
                  types.size(), " types");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    TypeRef actual = value_types_[state.operands[i]];
    if (actual != types[i]) {
      return FailAt(position(), "operand ", i, " of ", Name(state.op), " is ", ToString(actual),
                    ", not ", ToString(types[i]));
    }
  }
  return true;
}

bool OpParser::TypeOperandsAndResults(OpState& state, TypeRef functional) {
  if (!CheckOperandTypes(state, functional->elements)) return false;
  state.result_types.assign(functional->results.begin(), functional->results.end());
  return true;
}

bool OpParser::ParseResultNames(OpState& state) {
  if (token_.kind != TokenKind::kValue) return true;
  do {
    if (token_.kind != TokenKind::kValue) return Wanted("the name of a result");
    const std::string_view name = token_.text;
    const size_t start = position();
    Advance();
    int64_t count = 1;
    if (Accept(':') && !TakeInteger(&count)) return false;
    if (count < 1 || count > static_cast<int64_t>(lexer_.text().size())) {
      return FailAt(start, count, " results");
    }
    state.result_names.push_back({name, count});
    state.num_named += static_cast<size_t>(count);
  } while (Accept(','));
  return Take('=');
}

// Inside of functions "return" and "call" are those of func; at the top "module" is builtin's.
std::optional<Op> OpParser::CustomName(std::string_view name, std::optional<Op> parent) const {
  if (name == "module") return Op::kModule;
  if (const std::optional<Op> op = OpFromName(name); op.has_value()) return op;
  if (parent.has_value() && name.find('.') == name.npos) return OpFromName(StrCat("func.", name));
  return std::nullopt;
}

bool OpParser::ParseOperation(std::optional<Op> parent, int depth) {
  const Nesting nesting(&depth_);
  if (!Deeper(depth_)) return false;
  OpState state;
  state.depth = depth;
  if (!ParseResultNames(state)) return false;
  state.start = position();
  state.location = PlaceOf(state.start);
  const bool generic = token_.kind == TokenKind::kString;
  if (!generic && token_.kind != TokenKind::kWord) return Wanted("an op");
  const std::string_view name =
      generic ? token_.text.substr(1, token_.text.size() - 2) : token_.text;
  const std::optional<Op> op = generic ? OpFromName(name) : CustomName(name, parent);
  if (!op.has_value()) return Unknown(state.start, "op ", name.substr(0, 60), " is not known");
  state.op = *op;
  if (const Status place = CheckPlace(*op, parent); !place.ok()) {
    return FailAt(state.start, Name(*op), ": ", place.message());
  }
  if (*op == Op::kFunc) {
    // Mostly empty already; clearing takes as long as the largest function before was.
    if (!values_.empty()) values_.clear();
    names_in_scope_.clear();
    next_value_ = 0;
  }
  Advance();
  if (generic) {
    if (!ParseGeneric(state)) return false;
  } else {
    const std::string_view form = TextForm(*op);
    if (form.empty()) {
      return FailAt(state.start, Name(*op), " is written in generic form: \"", Name(*op),
                    "\"(...)");
    }
    if (!ParseForm(state, form)) return false;
  }
  if (!ParseOptionalLocation(&state.location)) return false;
  return FinishOperation(state, parent);
}

bool OpParser::FinishOperation(OpState& state, std::optional<Op> parent) {
  if (!DefineResults(state)) return false;
  Status status = Normalize(state.op, builder_, &state.attributes);
  if (status.ok()) {
    status = CheckCounts(state.op, state.operands.size(), state.result_types.size(),
                         state.regions.size());
  }
  for (const Region& region : state.regions) {
    if (status.ok()) status = CheckBlock(state.op, region);
  }
  if (!status.ok()) return FailAt(state.start, Name(state.op), ": ", status.message());
  Operation op;
  op.op = state.op;
  op.first_result = IsModuleLevel(state.op) ? 0 : state.first_result;
  op.location = state.location;
  op.operands = builder_.arena().Copy(state.operands);
  op.result_types = builder_.arena().Copy(state.result_types);
  op.attributes = builder_.arena().Copy(state.attributes);
  op.regions = builder_.arena().Copy(state.regions);
  if (state.op == Op::kFunc) num_values_.push_back(next_value_);
  op_stack_.push_back(op);
  return true;
}

// "name"(%0) <{a = 1}> ({...}) {b} : (types) -> types
bool OpParser::ParseGeneric(OpState& state) {
  if (!Take('(') || !ParseOperands(state) || !Take(')')) return false;
  if (token_.Is('[')) return Unknown(position(), "jumps between blocks");
  if (Accept('<')) {
    if (!ParseNamed(&state.attributes) || !Take('>')) return false;
  }
  if (token_.Is('(')) {
    if (!ReserveResults(state)) return false;
    const bool good = TakeList('(', ')', [&] { return ParseRegion(state, {}); });
    if (!good) return false;
  }
  if (token_.Is('{') && !ParseNamed(&state.attributes)) return false;
  if (!Take(':')) return false;
  if (!token_.Is('(')) return Wanted("a function type");
  TypeRef type = ParseType();
  return type != nullptr && TypeOperandsAndResults(state, type);
}

// "%a: type, %b: type", up to `close`.
bool OpParser::ParseTypedArguments(char open, char close, std::vector<BlockArgument>* arguments) {
  return TakeList(open, close, [&] {
    BlockArgument argument;
    if (token_.kind != TokenKind::kValue) return static_cast<bool>(Wanted("an argument (%name)"));
    argument.name = token_.text;
    argument.location = PlaceOf(position());
    Advance();
    if (!Take(':')) return false;
    argument.type = ParseType();
    if (argument.type == nullptr || !ParseOptionalLocation(&argument.location)) return false;
    arguments->push_back(argument);
    return true;
  });
}

bool OpParser::ParseOptionalBlockHead(std::vector<BlockArgument>* arguments) {
  if (token_.kind != TokenKind::kBlock) return true;
  Advance();
  if (token_.Is('(') && !ParseTypedArguments('(', ')', arguments)) return false;
  return Take(':');
}

// "{ ^bb0(%a: type): ops }". `arguments` are those that the op's own form has given already.
bool OpParser::ParseRegion(OpState& state, std::span<const BlockArgument> given) {
  Region region;
  region.first_argument = next_value_;
  if (!Take('{')) return false;
  std::vector<BlockArgument> arguments(given.begin(), given.end());
  region.has_block = token_.kind == TokenKind::kBlock || !token_.Is('}') || !given.empty();
  if (given.empty() && !ParseOptionalBlockHead(&arguments)) return false;
  const size_t names_outside = names_in_scope_.size();
  std::vector<TypeRef> types;
  std::vector<LocationRef> locations;
  for (const BlockArgument& argument : arguments) {
    if (!DefineArgument(argument)) return false;
    types.push_back(argument.type);
    locations.push_back(argument.location);
  }
  const size_t first = op_stack_.size();
  while (!token_.Is('}')) {
    if (token_.kind == TokenKind::kBlock) return Unknown(position(), "a second block in a region");
    if (!ParseOperation(state.op, state.depth + 1)) return false;
  }
  Advance();
  // A module's region has a block even when that is empty.
  region.has_block = region.has_block || state.op == Op::kModule;
  region.argument_types = builder_.arena().Copy(types);
  region.argument_locations = builder_.arena().Copy(locations);
  region.operations = builder_.arena().Copy(std::span<const Operation>(op_stack_).subspan(first));
  op_stack_.resize(first);
  while (names_in_scope_.size() > names_outside) {
    values_.erase(names_in_scope_.back());
    names_in_scope_.pop_back();
  }
  state.regions.push_back(region);
  return true;
}

bool OpParser::ParseTopLevel(Operation* root) {
  const std::string_view text = lexer_.text();
  // Resources are written last, but used before. What nothing closes is in a string or comment.
  const size_t metadata = text.rfind("{-#");
  if (metadata != text.npos && text.find("#-}", metadata) != text.npos) {
    const size_t start = position();
    MoveTo(metadata);
    if (!ParseMetadata()) return false;
    MoveTo(start);
  }
  std::vector<Operation> functions;
  bool wrapped = false;
  while (token_.kind != TokenKind::kEnd) {
    if (token_.kind == TokenKind::kHash) {
      if (!ParseAttributeAlias()) return false;
    } else if (token_.kind == TokenKind::kExclaim) {
      if (!ParseTypeAliasDefinition()) return false;
    } else if (token_.kind == TokenKind::kMetadata) {
      if (!ParseMetadata()) return false;
    } else if (wrapped) {
      return Wanted("the end of the text after the module");
    } else {
      const bool is_module = token_.IsWord("module") || token_.IsWord("builtin.module") ||
                             token_.text == "\"builtin.module\"";
      if (is_module && !op_stack_.empty()) return Wanted("a function");
      // Functions without a module around them are in one all the same.
      if (!ParseOperation(is_module ? std::nullopt : std::optional<Op>(Op::kModule), 0)) {
        return false;
      }
      wrapped = is_module;
    }
  }
  if (!CheckLocationAliases()) return false;
  if (wrapped) {
    *root = op_stack_[0];
    return true;
  }
  if (op_stack_.empty()) return Wanted("a module");
  Region region;
  region.has_block = true;
  region.operations = builder_.arena().Copy(op_stack_);
  root->op = Op::kModule;
  root->location = builder_.unknown_location();
  root->regions = builder_.arena().Copy(std::span<const Region>(&region, 1));
  return true;
}

plinth::Expected<Module> OpParser::ReadModule() {
  Operation root;
  if (!ParseTopLevel(&root)) return status();
  return builder_.Finish(root, num_values_);
}

Expected<Module> ReadText(std::string_view text) {
  ModuleBuilder builder(text.size());
  return OpParser(text, builder).ReadModule();
}

}  // namespace plinth::program
