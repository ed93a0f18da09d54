// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "reference_plugin/program/text_parser_base.h"

// Attributes of `stablehlo` and `sdy` that have fields.
namespace plinth::program {

AttributeRef AttributeParser::EmptyField(const FieldSchema& field) {
  switch (field.form) {
    case FieldForm::kInt:
      return builder_.NewInt(DType::kS64, 0);
    case FieldForm::kInts:
      return builder_.NewInts({});
    case FieldForm::kBool:
      return builder_.New(Attribute::Bool(false));
    case FieldForm::kDouble:
      return builder_.New(Attribute::Float(builder_.Scalar(DType::kF64), 0));
    case FieldForm::kStructs:
    case FieldForm::kStrings:
      return builder_.NewArray({});
    default:
      return nullptr;
  }
}

AttributeRef AttributeParser::ParseFieldValue(const FieldSchema& field) {
  int64_t value;
  switch (field.form) {
    case FieldForm::kInt:
      if (!TakeInteger(&value)) return nullptr;
      if (Accept(':') && ParseType() == nullptr) return nullptr;
      return builder_.NewInt(DType::kS64, value);
    case FieldForm::kInts: {
      std::vector<int64_t> values;
      return TakeIntegerList(&values) ? builder_.NewInts(values) : nullptr;
    }
    case FieldForm::kDouble: {
      const bool negative = Accept('-');
      uint64_t bits;
      if (!FloatLiteral(negative, DType::kF64, &bits)) return nullptr;
      return builder_.New(Attribute::Float(builder_.Scalar(DType::kF64), bits));
    }
    case FieldForm::kEnum:
      return ParseEnumValue(*FindEnum(field.of));
    case FieldForm::kStruct:
      return token_.kind == TokenKind::kHash ? ParseHash() : ParseStructBody(field.of);
    case FieldForm::kString: {
      std::string_view text;
      return TakeString(&text) ? builder_.New(Attribute::String(text)) : nullptr;
    }
    case FieldForm::kType: {
      TypeRef type = ParseType();
      return type == nullptr ? nullptr : builder_.New(Attribute::OfType(type));
    }
    case FieldForm::kBool:
    case FieldForm::kStructs:
    case FieldForm::kStrings:
    case FieldForm::kAny:
      return ParseAttribute();
  }
  return nullptr;
}

// "name = value, name = value" up to `close`, which is taken too.
AttributeRef AttributeParser::ParseFields(const StructSchema& schema, char close) {
  std::vector<NamedAttribute> fields(schema.fields.size());
  const size_t start = position();
  if (!Accept(close)) {
    do {
      size_t at = 0;
      while (at < fields.size() && !token_.IsWord(schema.fields[at].name)) ++at;
      if (at == fields.size()) return Wanted(StrCat("the name of a field of #", schema.name));
      if (fields[at].value != nullptr) {
        return FailAt(position(), "field ", schema.fields[at].name, " is given twice");
      }
      Advance();
      if (!Take('=')) return nullptr;
      fields[at] = {schema.fields[at].name, ParseFieldValue(schema.fields[at])};
      if (fields[at].value == nullptr) return nullptr;
    } while (Accept(','));
    if (!Take(close)) return nullptr;
  }
  size_t kept = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    const FieldSchema& field = schema.fields[i];
    if (fields[i].value == nullptr) {
      if (field.optional) continue;
      fields[i] = {field.name, EmptyField(field)};
      if (fields[i].value == nullptr) {
        return FailAt(start, "#", schema.name, " lacks its field ", field.name);
      }
    }
    fields[kept++] = fields[i];
  }
  fields.resize(kept);
  // An alias may stand for anything.
  if (!FieldsFit(schema.name, fields)) {
    return FailAt(start, "a field of #", schema.name, " is of the wrong kind");
  }
  return builder_.NewStruct(schema.name, fields);
}

AttributeRef AttributeParser::ParseStructBody(std::string_view name) {
  const Nesting nesting(&depth_);
  if (!Deeper(depth_)) return nullptr;
  if (name == "stablehlo.conv") return ParseConv();
  if (name == "stablehlo.bounds" || name == "stablehlo.type_extensions") return ParseBounds();
  if (name == "stablehlo.sub_axis_info" || name == "sdy.sub_axis_info") {
    return ParseSubAxis(FindStruct(name)->name);
  }
  if (name == "stablehlo.mesh") return ParseStablehloMesh();
  if (name == "sdy.mesh") return ParseSdyMesh();
  if (name == "sdy.axis_ref") return ParseAxisRef();
  if (name == "sdy.dimension_sharding") return ParseDimensionSharding();
  if (name == "sdy.sharding") return ParseSharding();
  if (name == "sdy.manual_axes") return ParseManualAxes();
  if (name == "sdy.tensor_mapping") return ParseTensorMapping();
  if (name == "sdy.dim_mapping") {
    if (!Take('<')) return nullptr;
    AttributeRef dim = ParseDimMapping();
    return dim != nullptr && Take('>') ? dim : nullptr;
  }
  if (name == "sdy.op_sharding_rule") return ParseOpShardingRule();
  if (name == "sdy.sharding_per_value") {
    if (!Take('<')) return nullptr;
    AttributeRef shardings = ParseShardingPerValue();
    return shardings != nullptr && Take('>') ? shardings : nullptr;
  }
  const StructSchema* schema = FindStruct(name);
  if (schema == nullptr) return Unknown(position(), "attribute #", name, " is not known");
  if (!Take('<')) return nullptr;
  return ParseFields(*schema, '>');
}

// "[b, 0, 1, f]"; '?' has no meaning for the dimension it stands at.
bool AttributeParser::ParseConvList(char first, char second, int64_t* first_place,
                                    int64_t* second_place, std::vector<int64_t>* spatial) {
  const size_t start = position();
  constexpr int64_t kMissing = -1;
  *first_place = *second_place = kMissing;
  int64_t place = 0;
  const bool good = TakeList('[', ']', [&] {
    const std::string_view text = token_.text;
    if (text.size() == 1 && (text[0] == first || text[0] == second)) {
      int64_t& which = text[0] == first ? *first_place : *second_place;
      if (which != kMissing) return static_cast<bool>(Wanted("each dimension once"));
      which = place;
      Advance();
    } else if (!Accept('?')) {
      int64_t number;
      const size_t at = position();
      if (!TakeInteger(&number)) return false;
      if (number < 0 || number >= 64) {
        return static_cast<bool>(FailAt(at, "expected the number of a spatial dimension"));
      }
      if (spatial->size() <= static_cast<size_t>(number)) {
        spatial->resize(static_cast<size_t>(number) + 1, kMissing);
      }
      if ((*spatial)[static_cast<size_t>(number)] != kMissing) {
        return static_cast<bool>(FailAt(at, "expected each dimension once"));
      }
      (*spatial)[static_cast<size_t>(number)] = place;
    }
    ++place;
    return true;
  });
  if (!good) return false;
  bool complete = *first_place != kMissing && *second_place != kMissing;
  for (int64_t dim : *spatial) complete = complete && dim != kMissing;
  return complete || FailAt(start, "expected '", first, "', '", second,
                            "' and the spatial dimensions from 0 on without a gap");
}

AttributeRef AttributeParser::ParseConv() {
  if (!Take('<')) return nullptr;
  if (AcceptWord("raw")) return ParseFields(*FindStruct("stablehlo.conv"), '>');
  AttributeRef conv = ParseRawConv();
  return conv != nullptr && Take('>') ? conv : nullptr;
}

// "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
AttributeRef AttributeParser::ParseRawConv() {
  int64_t places[6];
  std::vector<int64_t> input, kernel, output;
  if (!ParseConvList('b', 'f', &places[0], &places[1], &input)) return nullptr;
  if (!TakeWord("x")) return nullptr;
  if (!ParseConvList('i', 'o', &places[2], &places[3], &kernel)) return nullptr;
  if (!TakeArrow()) return nullptr;
  if (!ParseConvList('b', 'f', &places[4], &places[5], &output)) return nullptr;
  const std::vector<int64_t>* spatial[] = {&input, &kernel, &output};
  std::vector<NamedAttribute> fields;
  const std::span<const FieldSchema> schema = FindStruct("stablehlo.conv")->fields;
  for (size_t i = 0; i < 3; ++i) {
    fields.push_back({schema[3 * i].name, builder_.NewInt(DType::kS64, places[2 * i])});
    fields.push_back({schema[3 * i + 1].name, builder_.NewInt(DType::kS64, places[2 * i + 1])});
    fields.push_back({schema[3 * i + 2].name, builder_.NewInts(*spatial[i])});
  }
  return builder_.NewStruct("stablehlo.conv", fields);
}

// bounds<?, 4>, or type_extensions<bounds = [?, 4]>.
AttributeRef AttributeParser::ParseBounds() {
  std::vector<int64_t> bounds;
  const auto take_bound = [&] {
    bounds.push_back(0);
    return TakeDimension(&bounds.back());
  };
  if (!Take('<')) return nullptr;
  if (AcceptWord("bounds")) {
    if (!Take('=') || !TakeList('[', ']', take_bound)) return nullptr;
  } else if (!token_.Is('>')) {
    do {
      if (!take_bound()) return nullptr;
    } while (Accept(','));
  }
  if (!Take('>')) return nullptr;
  const NamedAttribute field = {"bounds", builder_.NewInts(bounds)};
  return builder_.NewStruct("stablehlo.bounds", {&field, 1});
}

// "(2)4"
AttributeRef AttributeParser::ParseSubAxis(std::string_view name) {
  int64_t pre_size, size;
  if (!Take('(') || !TakeInteger(&pre_size) || !Take(')') || !TakeInteger(&size)) return nullptr;
  const NamedAttribute fields[] = {{"pre_size", builder_.NewInt(DType::kS64, pre_size)},
                                   {"size", builder_.NewInt(DType::kS64, size)}};
  return builder_.NewStruct(name, fields);
}

AttributeRef AttributeParser::ParseStablehloMesh() {
  std::vector<AttributeRef> axes;
  const size_t start = position();
  if (!Take('<') || !TakeWord("axes") || !Take('=')) return nullptr;
  const bool good = TakeList('[', ']', [&] {
    axes.push_back(token_.kind == TokenKind::kHash ? ParseHash()
                                                   : ParseStructBody("stablehlo.mesh_axis"));
    return axes.back() != nullptr;
  });
  if (!good) return nullptr;
  std::vector<NamedAttribute> fields = {{"axes", builder_.NewArray(axes)}};
  if (Accept(',')) {
    if (!TakeWord("device_ids") || !Take('=')) return nullptr;
    fields.push_back({"device_ids", ParseAttribute()});
    if (fields.back().value == nullptr) return nullptr;
  }
  if (!FieldsFit("stablehlo.mesh", fields)) {
    return FailAt(start, "expected every axis of the mesh to be a #stablehlo.mesh_axis");
  }
  return Take('>') ? builder_.NewStruct("stablehlo.mesh", fields) : nullptr;
}

// <["x"=2, "y"=4], device_ids=[1, 0]>
AttributeRef AttributeParser::ParseSdyMesh() {
  std::vector<AttributeRef> axes;
  std::vector<int64_t> devices;
  if (!Take('<')) return nullptr;
  const bool good = TakeList('[', ']', [&] {
    std::string_view name;
    int64_t size;
    if (!TakeString(&name) || !Take('=') || !TakeInteger(&size)) return false;
    const NamedAttribute fields[] = {{"name", builder_.New(Attribute::String(name))},
                                     {"size", builder_.NewInt(DType::kS64, size)}};
    axes.push_back(builder_.NewStruct("sdy.mesh_axis", fields));
    return true;
  });
  if (!good) return nullptr;
  if (Accept(',')) {
    if (!TakeWord("device_ids") || !Take('=') || !TakeIntegerList(&devices)) return nullptr;
  }
  if (!Take('>')) return nullptr;
  const NamedAttribute fields[] = {{"axes", builder_.NewArray(axes)},
                                   {"device_ids", builder_.NewInts(devices)}};
  return builder_.NewStruct("sdy.mesh", fields);
}

// "x", or "x":(2)4
AttributeRef AttributeParser::ParseAxisRef() {
  std::string_view name;
  if (!TakeString(&name)) return nullptr;
  std::vector<NamedAttribute> fields = {{"name", builder_.New(Attribute::String(name))}};
  if (Accept(':')) {
    fields.push_back({"sub_axis_info", ParseSubAxis("sdy.sub_axis_info")});
    if (fields.back().value == nullptr) return nullptr;
  }
  return builder_.NewStruct("sdy.axis_ref", fields);
}

AttributeRef AttributeParser::ParseAxes() {
  std::vector<AttributeRef> axes;
  const bool good = TakeList('{', '}', [&] {
    axes.push_back(ParseAxisRef());
    return axes.back() != nullptr;
  });
  return good ? builder_.NewArray(axes) : nullptr;
}

// {"x", ?}p1
AttributeRef AttributeParser::ParseDimensionSharding() {
  std::vector<AttributeRef> axes;
  bool closed = true;
  const bool good = TakeList('{', '}', [&] {
    if (!closed) return static_cast<bool>(Wanted("'}' after '?'"));
    if (Accept('?')) {
      closed = false;
      return true;
    }
    axes.push_back(ParseAxisRef());
    return axes.back() != nullptr;
  });
  if (!good) return nullptr;
  std::vector<NamedAttribute> fields = {{"axes", builder_.NewArray(axes)},
                                        {"is_closed", builder_.New(Attribute::Bool(closed))}};
  if (token_.kind == TokenKind::kWord && token_.text.starts_with('p')) {
    const std::string_view digits = token_.text.substr(1);
    int64_t priority;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), priority);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      return Wanted("a priority (p0, p1, ...)");
    }
    Advance();
    fields.push_back({"priority", builder_.NewInt(DType::kS64, priority)});
  }
  return builder_.NewStruct("sdy.dimension_sharding", fields);
}

// <@mesh, [{"x"}, {}], replicated={"y"}, unreduced=max{"z"}>
// "[<@mesh, ...>, #sdy.sharding<...>, #alias]"
AttributeRef AttributeParser::ParseShardingPerValue() {
  const size_t start = position();
  std::vector<AttributeRef> shardings;
  const bool good = TakeList('[', ']', [&] {
    shardings.push_back(token_.kind == TokenKind::kHash ? ParseHash() : ParseSharding());
    return shardings.back() != nullptr;
  });
  if (!good) return nullptr;
  const NamedAttribute field = {"shardings", builder_.NewArray(shardings)};
  if (!FieldsFit("sdy.sharding_per_value", {&field, 1})) {
    return FailAt(start, "what stands for a sharding is none");
  }
  return builder_.NewStruct("sdy.sharding_per_value", {&field, 1});
}

AttributeRef AttributeParser::ParseSharding() {
  AttributeRef mesh, replicated = builder_.NewArray({}), unreduced = builder_.NewArray({});
  int64_t reduction = 0;
  if (!Take('<')) return nullptr;
  if (AcceptWord("mesh")) {
    mesh = ParseSdyMesh();
    if (mesh == nullptr) return nullptr;
  } else {
    std::string_view name;
    if (!TakeSymbol(&name)) return nullptr;
    mesh = builder_.New(Attribute::Symbol(name));
  }
  std::vector<AttributeRef> dims;
  const bool good = Take(',') && TakeList('[', ']', [&] {
                      dims.push_back(ParseDimensionSharding());
                      return dims.back() != nullptr;
                    });
  if (!good) return nullptr;
  while (Accept(',')) {
    if (AcceptWord("replicated")) {
      if (!Take('=')) return nullptr;
      replicated = ParseAxes();
      if (replicated == nullptr) return nullptr;
    } else if (AcceptWord("unreduced")) {
      (void)Accept('=');
      constexpr std::string_view kReductions[] = {"sum", "max", "min"};
      for (size_t i = 0; i < std::size(kReductions); ++i) {
        if (AcceptWord(kReductions[i])) reduction = static_cast<int64_t>(i);
      }
      unreduced = ParseAxes();
      if (unreduced == nullptr) return nullptr;
    } else {
      return Wanted("'replicated' or 'unreduced'");
    }
  }
  if (!Take('>')) return nullptr;
  const NamedAttribute fields[] = {{"mesh_or_ref", mesh},
                                   {"dim_shardings", builder_.NewArray(dims)},
                                   {"replicated_axes", replicated},
                                   {"unreduced_axes", unreduced},
                                   {"reduction_op", builder_.NewInt(DType::kS64, reduction)}};
  return builder_.NewStruct("sdy.sharding", fields);
}

AttributeRef AttributeParser::ParseManualAxes() {
  std::vector<AttributeRef> axes;
  const bool good = TakeList('{', '}', [&] {
    std::string_view name;
    if (!TakeString(&name)) return false;
    axes.push_back(builder_.New(Attribute::String(name)));
    return true;
  });
  if (!good) return nullptr;
  const NamedAttribute field = {"axes", builder_.NewArray(axes)};
  return builder_.NewStruct("sdy.manual_axes", {&field, 1});
}

// The first factor of "ijz_2": i is 0, z is 17, z_2 is 19.
bool AttributeParser::ParseFactor(std::string_view* symbols, int64_t* factor) {
  constexpr int64_t kLast = 'z' - 'i';
  if (symbols->starts_with("z_")) {
    int64_t number;
    const char* end = symbols->data() + symbols->size();
    const auto [at, error] = std::from_chars(symbols->data() + 2, end, number);
    if (error != std::errc() || number < 1 || number > INT32_MAX) return Wanted("a factor");
    symbols->remove_prefix(static_cast<size_t>(at - symbols->data()));
    *factor = kLast + number;
    return true;
  }
  if (symbols->empty() || symbols->front() < 'i' || symbols->front() > 'z') {
    return Wanted("a factor (i to z, z_1, ...)");
  }
  *factor = symbols->front() - 'i';
  symbols->remove_prefix(1);
  return true;
}

// "ij"
AttributeRef AttributeParser::ParseDimMapping() {
  if (token_.kind != TokenKind::kWord) return Wanted("the factors of a dimension");
  std::vector<int64_t> factors;
  std::string_view symbols = token_.text;
  while (!symbols.empty()) {
    factors.push_back(0);
    if (!ParseFactor(&symbols, &factors.back())) return nullptr;
  }
  Advance();
  const NamedAttribute field = {"factor_indices", builder_.NewInts(factors)};
  return builder_.NewStruct("sdy.dim_mapping", {&field, 1});
}

// "[i, jk]"
AttributeRef AttributeParser::ParseTensorMapping() {
  std::vector<AttributeRef> dims;
  const bool good = TakeList('[', ']', [&] {
    dims.push_back(ParseDimMapping());
    return dims.back() != nullptr;
  });
  if (!good) return nullptr;
  const NamedAttribute field = {"dim_mappings", builder_.NewArray(dims)};
  return builder_.NewStruct("sdy.tensor_mapping", {&field, 1});
}

AttributeRef AttributeParser::ParseTensorMappings() {
  std::vector<AttributeRef> mappings;
  const bool good = TakeList('(', ')', [&] {
    mappings.push_back(ParseTensorMapping());
    return mappings.back() != nullptr;
  });
  return good ? builder_.NewArray(mappings) : nullptr;
}

// <([i, j])->([k]) {i=4, j=4, k=4} reduction={j}, custom>
AttributeRef AttributeParser::ParseOpShardingRule() {
  if (!Take('<')) return nullptr;
  AttributeRef operands = ParseTensorMappings();
  if (operands == nullptr || !TakeArrow()) return nullptr;
  AttributeRef results = ParseTensorMappings();
  if (results == nullptr) return nullptr;
  std::vector<int64_t> sizes;
  if (token_.Is('{')) {
    const bool good = TakeList('{', '}', [&] {
      std::string_view symbol = token_.text;
      int64_t factor;
      if (!ParseFactor(&symbol, &factor)) return false;
      if (factor != static_cast<int64_t>(sizes.size()) || !symbol.empty()) {
        return static_cast<bool>(Wanted("factors in order"));
      }
      Advance();
      sizes.push_back(0);
      return Take('=') && TakeInteger(&sizes.back());
    });
    if (!good) return nullptr;
  }
  std::vector<NamedAttribute> fields = {{"factor_sizes", builder_.NewInts(sizes)},
                                        {"operand_mappings", operands},
                                        {"result_mappings", results}};
  for (const FieldSchema& field : FindStruct("sdy.op_sharding_rule")->fields.subspan(3, 4)) {
    std::vector<int64_t> factors;
    const std::string_view word = field.name.substr(0, field.name.size() - 8);  // "_factors"
    if (AcceptWord(word)) {
      const bool good = Take('=') && TakeList('{', '}', [&] {
                          std::string_view symbol = token_.text;
                          factors.push_back(0);
                          if (!ParseFactor(&symbol, &factors.back())) return false;
                          if (!symbol.empty()) return static_cast<bool>(Wanted("one factor"));
                          Advance();
                          return true;
                        });
      if (!good) return nullptr;
    }
    fields.push_back({field.name, builder_.NewInts(factors)});
  }
  bool custom = false;
  if (Accept(',')) {
    if (!TakeWord("custom")) return nullptr;
    custom = true;
  }
  fields.push_back({"is_custom_rule", builder_.New(Attribute::Bool(custom))});
  return Take('>') ? builder_.NewStruct("sdy.op_sharding_rule", fields) : nullptr;
}

}  // namespace plinth::program
