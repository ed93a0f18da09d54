// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "reference_plugin/program/attribute_schema.h"
#include "reference_plugin/program/elements.h"
#include "reference_plugin/program/text_op_parser.h"

// Ops in their own form: the pieces that forms are made of.
namespace plinth::program {

const OpParser::Piece OpParser::kPieces[] = {
    {"slice", &OpParser::ParseSlice},
    {"constant", &OpParser::ParseConstant},
    {"conv", &OpParser::ParseConvolutionNumbers},
    {"window", &OpParser::ParseWindow},
    {"precision", &OpParser::ParsePrecision},
    {"dot_dimensions", &OpParser::ParseDotDimensions},
    {"format", &OpParser::ParseFormat},
    {"reduce", &OpParser::ParseReduce},
    {"while", &OpParser::ParseWhile},
    {"body", &OpParser::ParseBody},
    {"barrier_operands", &OpParser::ParseBarrierOperands},
    {"direction", &OpParser::ParseDirection},
    {"composite_regions", &OpParser::ParseCompositeRegions},
    {"in_shardings", &OpParser::ParseInShardings},
    {"out_shardings", &OpParser::ParseOutShardings},
    {"optional_in_shardings", &OpParser::ParseOptionalInShardings},
    {"optional_out_shardings", &OpParser::ParseOptionalOutShardings},
    {"module", &OpParser::ParseModule},
    {"func", &OpParser::ParseFunc},
};

bool OpParser::ParseForm(OpState& state, std::string_view form) {
  while (!form.empty()) {
    const size_t end = std::min(form.find(' '), form.size());
    if (!ParsePiece(state, form.substr(0, end))) return false;
    form.remove_prefix(std::min(end + 1, form.size()));
  }
  return true;
}

bool OpParser::ParsePiece(OpState& state, std::string_view piece) {
  switch (piece[0]) {
    case '%':
      if (piece == "%*") return ParseOperands(state);
      if (piece == "%,*") {
        while (token_.kind == TokenKind::kValue) {
          state.operands.push_back(0);
          if (!ParseOperand(&state.operands.back()) || !Take(',')) return false;
        }
        return true;
      }
      state.operands.push_back(0);
      return ParseOperand(&state.operands.back());
    case '@':
      return ParseInherent(state, piece.substr(piece[1] == '@' ? 2 : 1), piece[1] == '@');
    case '?':
      return ParseOptional(state, piece.substr(1));
    case 'A':
      return !token_.Is('{') || ParseNamed(&state.attributes);
    case ':':
      return ParseTypes(state, piece[1]);
    case '$':
      for (const Piece& known : kPieces) {
        if (known.name == piece.substr(1)) return (this->*known.parse)(state);
      }
      return false;
    default:
      return piece.size() == 1 ? Take(piece[0]) : TakeWord(piece);
  }
}

// ",@name", ",word=@name" or "word=@name".
bool OpParser::ParseOptional(OpState& state, std::string_view piece) {
  if (piece[0] == ',') {
    if (!Accept(',')) return true;
    piece.remove_prefix(1);
    if (piece[0] != '@') {
      if (!TakeWord(piece.substr(0, piece.find('='))) || !Take('=')) return false;
    }
  } else {
    if (!AcceptWord(piece.substr(0, piece.find('=')))) return true;
    if (!Take('=')) return false;
  }
  return ParseInherent(state, piece.substr(piece.find('@') + 1), false);
}

bool OpParser::ParseInherent(OpState& state, std::string_view name, bool as_symbol) {
  AttributeRef value = nullptr;
  if (as_symbol) {
    std::string_view text;
    if (!TakeSymbol(&text)) return false;
    AddAttribute(state, name, builder_.New(Attribute::String(text)));
    return true;
  }
  const AttributeRule& rule = *FindRule(state.op, name);
  int64_t number;
  switch (rule.form) {
    case AttributeForm::kI64:
    case AttributeForm::kI32:
      // A colon after it begins the types of the op.
      if (!TakeInteger(&number)) return false;
      value = builder_.NewInt(rule.form == AttributeForm::kI64 ? DType::kS64 : DType::kS32, number);
      break;
    case AttributeForm::kInts:
      if (token_.Is('[')) {
        std::vector<int64_t> values;
        if (!TakeIntegerList(&values)) return false;
        value = builder_.NewInts(values);
      } else {
        value = ParseAttribute();
      }
      break;
    case AttributeForm::kString: {
      std::string_view text;
      if (!TakeString(&text)) return false;
      value = builder_.New(Attribute::String(text));
      break;
    }
    case AttributeForm::kEnum:
      value = ParseEnumValue(*FindEnum(rule.of));
      break;
    case AttributeForm::kStruct:
      value = token_.kind == TokenKind::kHash ? ParseHash() : ParseStructBody(rule.of);
      break;
    default:
      value = ParseAttribute();
      break;
  }
  if (value == nullptr) return false;
  AddAttribute(state, name, value);
  return true;
}

// ": type"; whether it is a function type.
bool OpParser::ParseFormType(TypeRef* type, bool* functional) {
  if (!Take(':')) return false;
  *functional = token_.Is('(');
  *type = ParseType();
  return *type != nullptr;
}

bool OpParser::ParseTypes(OpState& state, char kind) {
  TypeRef type;
  bool functional;
  switch (kind) {
    case 'O':
    case 'P': {
      std::vector<TypeRef> types;
      if (!state.operands.empty()) {
        if (!Take(':')) return false;
        do {
          types.push_back(ParseType());
          if (types.back() == nullptr) return false;
        } while (Accept(','));
      }
      if (kind == 'P') state.result_types = types;
      return CheckOperandTypes(state, types);
    }
    case 'F':
      if (!ParseFormType(&type, &functional)) return false;
      if (!functional) return FailAt(position(), "expected a function type before this");
      return TypeOperandsAndResults(state, type);
    case 'R':
      if (!ParseFormType(&type, &functional)) return false;
      state.result_types = {type};
      return true;
    default:
      break;
  }
  if (!ParseFormType(&type, &functional)) return false;
  if (functional) return TypeOperandsAndResults(state, type);
  state.result_types = {type};
  std::vector<TypeRef> operands(state.operands.size(), type);
  switch (kind) {
    case 'Q':  // The type read is the predicate's.
      if (!Take(',')) return false;
      operands.assign(1, type);
      type = ParseType();
      if (type == nullptr) return false;
      operands.resize(3, type);
      state.result_types = {type};
      break;
    case 'C': {
      const bool is_complex = type->dtype == DType::kC64 || type->dtype == DType::kC128;
      if (!type->IsTensor() || !is_complex) {
        return FailAt(position(), "expected a complex tensor type before this");
      }
      TypeRef part = builder_.Tensor(type->dtype == DType::kC64 ? DType::kF32 : DType::kF64, false,
                                     type->dims, type->encoding);
      operands.assign(state.operands.size(), part);
      break;
    }
    case 'T':
      if (type->kind != TypeKind::kTuple) {
        return FailAt(position(), "expected a tuple type before this");
      }
      operands.assign(type->elements.begin(), type->elements.end());
      break;
    default:
      break;
  }
  return CheckOperandTypes(state, operands);
}

// "[0:4, 2:8:3]": start, limit and stride of each dimension.
bool OpParser::ParseSlice(OpState& state) {
  std::vector<int64_t> starts, limits, strides;
  const bool good = TakeList('[', ']', [&] {
    int64_t start, limit, stride = 1;
    if (!TakeInteger(&start) || !Take(':') || !TakeInteger(&limit)) return false;
    if (Accept(':') && !TakeInteger(&stride)) return false;
    starts.push_back(start);
    limits.push_back(limit);
    strides.push_back(stride);
    return true;
  });
  if (!good) return false;
  AddAttribute(state, "start_indices", builder_.NewInts(starts));
  AddAttribute(state, "limit_indices", builder_.NewInts(limits));
  AddAttribute(state, "strides", builder_.NewInts(strides));
  return true;
}

// "dense<...> : type", or "() <{value = ...}> : () -> type" when the types differ.
bool OpParser::ParseConstant(OpState& state) {
  if (Accept('(')) {
    if (!Take(')')) return false;
    if (Accept('<') && (!ParseNamed(&state.attributes) || !Take('>'))) return false;
    return ParsePiece(state, "A") && ParseTypes(state, 'F');
  }
  if (!ParsePiece(state, "A")) return false;
  const size_t start = position();
  AttributeRef value = ParseAttribute();
  if (value == nullptr) return false;
  if (!value->Is(AttributeKind::kElements)) return FailAt(start, "expected dense<...>");
  AddAttribute(state, "value", value);
  state.result_types = {value->type()};
  return true;
}

bool OpParser::ParseConvolutionNumbers(OpState& state) {
  AttributeRef conv = token_.kind == TokenKind::kHash ? ParseHash() : ParseRawConv();
  if (conv == nullptr) return false;
  AddAttribute(state, "dimension_numbers", conv);
  return true;
}

// "[[1, 1], [0, 2]]": low and high padding of each dimension.
bool OpParser::ParseWindowPadding(OpState& state) {
  const size_t start = position();
  std::vector<int64_t> values;
  const bool good = TakeList('[', ']', [&] { return TakeIntegerList(&values); });
  if (!good) return false;
  if (values.size() % 2 != 0) return FailAt(start, "expected pairs of integers");
  const int64_t dims[] = {static_cast<int64_t>(values.size() / 2), 2};
  TypeRef type = builder_.Tensor(DType::kS64, false, dims, nullptr);
  AddAttribute(state, "padding",
               ElementsFromValues(type, std::as_bytes(std::span<const int64_t>(values)), builder_));
  return true;
}

// "{stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [..], rhs_dilate = [..], reverse = [..]}"
bool OpParser::ParseWindow(OpState& state) {
  struct Name {
    std::string_view word;
    std::string_view attribute;
  };
  constexpr Name kNames[] = {
      {"stride", "window_strides"}, {"lhs_dilate", "lhs_dilation"}, {"rhs_dilate", "rhs_dilation"}};
  return TakeList('{', '}', [&] {
    const std::string_view word = token_.text;
    if (AcceptWord("pad")) return Take('=') && ParseWindowPadding(state);
    std::vector<int64_t> values;
    if (AcceptWord("reverse")) {
      const bool good = Take('=') && TakeList('[', ']', [&] {
                          uint64_t bits;
                          if (!ParseScalarBits(DType::kPred, &bits)) return false;
                          values.push_back(static_cast<int64_t>(bits));
                          return true;
                        });
      if (!good) return false;
      AddAttribute(state, "window_reversal",
                   builder_.New(Attribute::DenseArray(builder_.Scalar(DType::kPred),
                                                      builder_.arena().Copy(values))));
      return true;
    }
    for (const Name& name : kNames) {
      if (name.word != word || token_.kind != TokenKind::kWord) continue;
      Advance();
      if (!Take('=') || !TakeIntegerList(&values)) return false;
      AddAttribute(state, name.attribute, builder_.NewInts(values));
      return true;
    }
    return static_cast<bool>(Wanted("stride, pad, lhs_dilate, rhs_dilate or reverse"));
  });
}

// ", precision = [HIGH, HIGHEST], algorithm = <...>", each part optional.
bool OpParser::ParsePrecision(OpState& state) {
  while (Accept(',')) {
    if (AcceptWord("precision")) {
      std::vector<AttributeRef> values;
      const bool good = Take('=') && TakeList('[', ']', [&] {
                          values.push_back(ParseEnumValue(*FindEnum("stablehlo.precision")));
                          return values.back() != nullptr;
                        });
      if (!good) return false;
      AddAttribute(state, "precision_config", builder_.NewArray(values));
    } else if (AcceptWord("algorithm")) {
      if (!Take('=')) return false;
      AttributeRef algorithm = token_.kind == TokenKind::kHash
                                   ? ParseHash()
                                   : ParseStructBody("stablehlo.dot_algorithm");
      if (algorithm == nullptr) return false;
      AddAttribute(state, "algorithm", algorithm);
    } else {
      return Wanted("'precision' or 'algorithm'");
    }
  }
  return true;
}

bool OpParser::ParseDimensionPair(std::vector<int64_t>* lhs, std::vector<int64_t>* rhs) {
  return Take('=') && TakeIntegerList(lhs) && TakeWord("x") && TakeIntegerList(rhs);
}

// "batching_dims = [0] x [0], contracting_dims = [2] x [1]"; the first may be missing.
bool OpParser::ParseDotDimensions(OpState& state) {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  bool more = true;
  if (AcceptWord("batching_dims")) {
    if (!ParseDimensionPair(&lhs_batch, &rhs_batch)) return false;
    // The comma may begin the contracting dimensions, or what follows them.
    const size_t comma = position();
    more = Accept(',') && token_.IsWord("contracting_dims");
    if (!more) MoveTo(comma);
  }
  if (more) {
    if (!TakeWord("contracting_dims")) return false;
    if (!ParseDimensionPair(&lhs_contract, &rhs_contract)) return false;
  }
  const NamedAttribute fields[] = {
      {"lhs_batching_dimensions", builder_.NewInts(lhs_batch)},
      {"rhs_batching_dimensions", builder_.NewInts(rhs_batch)},
      {"lhs_contracting_dimensions", builder_.NewInts(lhs_contract)},
      {"rhs_contracting_dimensions", builder_.NewInts(rhs_contract)},
  };
  AddAttribute(state, "dot_dimension_numbers", builder_.NewStruct("stablehlo.dot", fields));
  return true;
}

// "e5m10"
bool OpParser::ParseFormat(OpState& state) {
  int32_t exponent, mantissa;
  const std::string_view text = token_.text;
  const char* end = text.data() + text.size();
  if (token_.kind != TokenKind::kWord || text[0] != 'e') return Wanted("a format such as e5m10");
  const auto first = std::from_chars(text.data() + 1, end, exponent);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'm') {
    return Wanted("a format such as e5m10");
  }
  const auto second = std::from_chars(first.ptr + 1, end, mantissa);
  if (second.ec != std::errc() || second.ptr != end) return Wanted("a format such as e5m10");
  Advance();
  AddAttribute(state, "exponent_bits", builder_.NewInt(DType::kS32, exponent));
  AddAttribute(state, "mantissa_bits", builder_.NewInt(DType::kS32, mantissa));
  return true;
}

bool OpParser::ParseBarrierOperands(OpState& state) {
  if (!Accept('(')) return ParseOperands(state);
  return Take(')');
}

bool OpParser::ParseDirection(OpState& state) {
  constexpr std::string_view kDirections[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
  for (size_t i = 0; i < std::size(kDirections); ++i) {
    if (!AcceptWord(kDirections[i])) continue;
    AddAttribute(state, "allowed_direction", builder_.NewInt(DType::kS32, static_cast<int64_t>(i)));
    return true;
  }
  return Wanted("NONE, FORWARD, BACKWARD or BOTH");
}

bool OpParser::ParseCompositeRegions(OpState& state) {
  if (!token_.Is('(')) return true;
  if (!ReserveResults(state)) return false;
  return TakeList('(', ')', [&] { return ParseRegion(state, {}); });
}

bool OpParser::ParseShardings(OpState& state, std::string_view name) {
  AttributeRef shardings = ParseShardingPerValue();
  if (shardings == nullptr) return false;
  AddAttribute(state, name, shardings);
  return true;
}

bool OpParser::ParseInShardings(OpState& state) { return ParseShardings(state, "in_shardings"); }
bool OpParser::ParseOutShardings(OpState& state) { return ParseShardings(state, "out_shardings"); }

bool OpParser::ParseOptionalInShardings(OpState& state) {
  if (!AcceptWord("in_shardings")) return true;
  return Take('=') && ParseInShardings(state);
}

bool OpParser::ParseOptionalOutShardings(OpState& state) {
  if (!AcceptWord("out_shardings")) return true;
  return Take('=') && ParseOutShardings(state);
}

// "(%a: type) { ops }"
bool OpParser::ParseBody(OpState& state) {
  std::vector<BlockArgument> arguments;
  if (!ReserveResults(state) || !ParseTypedArguments('(', ')', &arguments)) return false;
  return ParseRegion(state, arguments);
}

}  // namespace plinth::program
