// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/text_op_parser.h"

// Ops with a form of their own: module, func, reduce and while.
namespace plinth::program {

// "module @name attributes {...} { ... }"
bool OpParser::ParseModule(OpState& state) {
  if (token_.kind == TokenKind::kSymbol && !ParseInherent(state, "sym_name", true)) return false;
  if (AcceptWord("attributes") && !ParseNamed(&state.attributes)) return false;
  return ParseRegion(state, {});
}

// "type", "(type {a = 1}, type)" or "()".
bool OpParser::ParseFuncResults(std::vector<TypeRef>* types,
                                std::vector<AttributeRef>* attributes) {
  if (!token_.Is('(')) {
    types->push_back(ParseType());
    attributes->push_back(builder_.New(Attribute::Dictionary({})));
    return types->back() != nullptr;
  }
  return TakeList('(', ')', [&] {
    types->push_back(ParseType());
    if (types->back() == nullptr) return false;
    attributes->push_back(token_.Is('{') ? ParseDictionary()
                                         : builder_.New(Attribute::Dictionary({})));
    return attributes->back() != nullptr;
  });
}

// "public @main(%a: type {a = 1}) -> (type {b}) attributes {...} { ops }"
bool OpParser::ParseFunc(OpState& state) {
  for (std::string_view visibility : {"public", "private", "nested"}) {
    if (!AcceptWord(visibility)) continue;
    AddAttribute(state, "sym_visibility", builder_.New(Attribute::String(visibility)));
    break;
  }
  if (!ParseInherent(state, "sym_name", true)) return false;
  std::vector<BlockArgument> arguments;
  std::vector<TypeRef> inputs, results;
  std::vector<AttributeRef> input_attributes, result_attributes;
  const bool good = TakeList('(', ')', [&] {
    BlockArgument argument;
    argument.location = PlaceOf(position());
    if (token_.kind == TokenKind::kValue) {
      argument.name = token_.text;
      Advance();
      if (!Take(':')) return false;
    } else if (!arguments.empty()) {
      return static_cast<bool>(Wanted("an argument (%name)"));
    }
    argument.type = ParseType();
    if (argument.type == nullptr) return false;
    inputs.push_back(argument.type);
    input_attributes.push_back(token_.Is('{') ? ParseDictionary()
                                              : builder_.New(Attribute::Dictionary({})));
    if (input_attributes.back() == nullptr) return false;
    if (!ParseOptionalLocation(&argument.location)) return false;
    // A declaration may leave out the names.
    if (!argument.name.empty()) arguments.push_back(argument);
    return true;
  });
  if (!good) return false;
  if (token_.kind == TokenKind::kArrow) {
    Advance();
    if (!ParseFuncResults(&results, &result_attributes)) return false;
  }
  if (AcceptWord("attributes") && !ParseNamed(&state.attributes)) return false;
  AddAttribute(state, "function_type",
               builder_.New(Attribute::OfType(builder_.Function(inputs, results))));
  AddAttribute(state, "arg_attrs", builder_.NewArray(input_attributes));
  AddAttribute(state, "res_attrs", builder_.NewArray(result_attributes));
  if (token_.Is('{')) {
    if (arguments.size() != inputs.size()) return Wanted("named arguments before a body");
    return ParseRegion(state, arguments);
  }
  state.regions.push_back(Region());
  return true;
}

// "(%iter = %init, ...) : types attributes {...} cond { ops } do { ops }"
bool OpParser::ParseWhile(OpState& state) {
  std::vector<BlockArgument> arguments;
  const bool good = TakeList('(', ')', [&] {
    BlockArgument argument;
    argument.location = PlaceOf(position());
    if (token_.kind != TokenKind::kValue) return static_cast<bool>(Wanted("an argument (%name)"));
    argument.name = token_.text;
    Advance();
    state.operands.push_back(0);
    if (!Take('=') || !ParseOperand(&state.operands.back())) return false;
    argument.type = value_types_[state.operands.back()];
    arguments.push_back(argument);
    return true;
  });
  if (!good || !ParseTypes(state, 'P')) return false;
  if (AcceptWord("attributes") && !ParseNamed(&state.attributes)) return false;
  if (!ReserveResults(state)) return false;
  return TakeWord("cond") && ParseRegion(state, arguments) && TakeWord("do") &&
         ParseRegion(state, arguments);
}

// "(%x init: %i), ... applies op across dimensions = [0] : type", or
// "(%x init: %i), ... across dimensions = [0] : type reducer(%a: t, %b: t) ... { ops }".
bool OpParser::ParseReduce(OpState& state) {
  std::vector<ValueId> inits;
  do {
    state.operands.push_back(0);
    inits.push_back(0);
    if (!Take('(') || !ParseOperand(&state.operands.back()) || !TakeWord("init") || !Take(':') ||
        !ParseOperand(&inits.back()) || !Take(')')) {
      return false;
    }
  } while (Accept(','));
  state.operands.insert(state.operands.end(), inits.begin(), inits.end());
  std::optional<Op> inner;
  if (AcceptWord("applies")) {
    inner = token_.kind == TokenKind::kWord ? OpFromName(token_.text) : std::nullopt;
    if (!inner.has_value()) return Wanted("a binary op such as stablehlo.add");
    const OpSchema& schema = SchemaOf(*inner);
    if (schema.operands != 2 || schema.results != 1 || !schema.attributes.empty()) {
      return Wanted("a binary op such as stablehlo.add");
    }
    Advance();
  }
  std::vector<int64_t> dimensions;
  if (!TakeWord("across") || !TakeWord("dimensions") || !Take('=') ||
      !TakeIntegerList(&dimensions)) {
    return false;
  }
  AddAttribute(state, "dimensions", builder_.NewInts(dimensions));
  if (!ParsePiece(state, "A") || !ParseTypes(state, 'F') || !ReserveResults(state)) return false;
  return inner.has_value() ? ParseReduceShort(state, *inner) : ParseReduceRegion(state);
}

// The region that "applies op" stands for.
bool OpParser::ParseReduceShort(OpState& state, Op inner) {
  TypeRef input = value_types_[state.operands[0]];
  if (state.operands.size() != 2 || !input->IsTensor()) {
    return FailAt(state.start, "'applies' is for one operand, a tensor");
  }
  // The accumulator's type; it is the init value's.
  TypeRef type = value_types_[state.operands[1]];
  if (!ParseOptionalLocation(&state.location)) return false;
  const TypeRef types[] = {type, type};
  const LocationRef locations[] = {state.location, state.location};
  Region region;
  region.has_block = true;
  region.first_argument = next_value_;
  region.argument_types = builder_.arena().Copy(std::span<const TypeRef>(types));
  region.argument_locations = builder_.arena().Copy(std::span<const LocationRef>(locations));
  const ValueId operands[] = {next_value_, next_value_ + 1};
  const ValueId result[] = {next_value_ + 2};
  Operation ops[2];
  ops[0].op = inner;
  ops[0].location = state.location;
  ops[0].operands = builder_.arena().Copy(std::span<const ValueId>(operands));
  ops[0].first_result = result[0];
  ops[0].result_types = region.argument_types.first(1);
  ops[1].op = Op::kReturn;
  ops[1].location = state.location;
  ops[1].operands = builder_.arena().Copy(std::span<const ValueId>(result));
  ops[1].first_result = next_value_ + 3;
  region.operations = builder_.arena().Copy(std::span<const Operation>(ops));
  next_value_ += 3;
  value_types_.resize(next_value_, type);
  state.regions.push_back(region);
  return true;
}

// "reducer(%a: t, %b: t) (%c: u, %d: u) { ops }": accumulators and elements in pairs; the region
// has all accumulators first.
bool OpParser::ParseReduceRegion(OpState& state) {
  if (!TakeWord("reducer")) return false;
  std::vector<BlockArgument> first, second;
  while (token_.Is('(')) {
    const size_t start = position();
    std::vector<BlockArgument> pair;
    if (!ParseTypedArguments('(', ')', &pair)) return false;
    if (pair.size() != 2) return FailAt(start, "expected a pair of arguments");
    first.push_back(pair[0]);
    second.push_back(pair[1]);
  }
  first.insert(first.end(), second.begin(), second.end());
  return ParseRegion(state, first);
}

}  // namespace plinth::program
