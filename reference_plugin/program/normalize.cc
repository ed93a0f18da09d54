// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "reference_plugin/program/attribute_schema.h"
#include "reference_plugin/program/op_schema.h"

// Normalize: the one place where attributes as written become attributes as the program form has
// them, so that VHLO and StableHLO text give the same program.
namespace plinth::program {
namespace {

// A splat may stand for more elements than there is input: no list of an op is that long.
constexpr int64_t kLongestSplat = 4096;

// The elements of a one-dimensional integer or boolean tensor as a list, or null.
AttributeRef ElementsToList(const Attribute& elements, DType wanted, ModuleBuilder& builder) {
  const Type& type = *elements.type();
  if (type.dtype != wanted || type.rank() > 1 || !type.HasStaticShape()) return nullptr;
  const size_t count = static_cast<size_t>(type.NumElements());
  const size_t width = static_cast<size_t>(ByteSize(wanted));
  if (elements.splat() && type.NumElements() > kLongestSplat) return nullptr;
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    const std::byte* at = elements.bytes().data() + (elements.splat() ? 0 : i * width);
    if (width == 1) {
      values[i] = std::to_integer<int64_t>(*at);
    } else {
      std::memcpy(&values[i], at, sizeof(int64_t));
    }
  }
  return builder.New(Attribute::DenseArray(builder.Scalar(wanted), builder.arena().Copy(values)));
}

// How many entries are looked at or copied for every op that has the attribute.
size_t EntriesOf(const Attribute& value, const AttributeRule& rule) {
  if (value.Is(AttributeKind::kElements)) {
    const bool to_list = rule.form == AttributeForm::kInts || rule.form == AttributeForm::kBools;
    if (!to_list) return 0;
    const size_t width = static_cast<size_t>(ByteSize(value.type()->dtype));
    if (!value.splat()) return value.bytes().size() / width;
    return static_cast<size_t>(std::min(value.type()->NumElements(), kLongestSplat));
  }
  const bool is_dictionary = rule.form == AttributeForm::kDictionary;
  return value.elements().size() + value.integers().size() +
         (is_dictionary ? value.fields().size() : 0);
}

bool IsInteger(const Attribute& attribute, DType type) {
  return attribute.Is(AttributeKind::kInteger) && attribute.type()->kind == TypeKind::kScalar &&
         attribute.type()->dtype == type;
}

AttributeRef ToSymbol(AttributeRef value, ModuleBuilder& builder) {
  if (value->Is(AttributeKind::kSymbol)) return value;
  if (!value->Is(AttributeKind::kString)) return nullptr;
  return builder.New(Attribute::Symbol(value->text()));
}

std::string_view Describe(const AttributeRule& rule) {
  switch (rule.form) {
    case AttributeForm::kI64:
      return "an i64 integer";
    case AttributeForm::kI32:
      return "an i32 integer";
    case AttributeForm::kF32:
      return "an f32 number";
    case AttributeForm::kBool:
      return "true or false";
    case AttributeForm::kUnit:
      return "a unit attribute";
    case AttributeForm::kInts:
      return "array<i64: ...>";
    case AttributeForm::kBools:
      return "array<i1: ...>";
    case AttributeForm::kElements:
    case AttributeForm::kGroups:
      return "dense<...>";
    case AttributeForm::kString:
      return "a string";
    case AttributeForm::kSymbol:
      return "a symbol";
    case AttributeForm::kSymbols:
      return "a list of symbols";
    case AttributeForm::kPrecisions:
      return "a list of stablehlo.precision";
    case AttributeForm::kArray:
      return "a list";
    case AttributeForm::kDictionary:
      return "a dictionary";
    case AttributeForm::kType:
      return "a type";
    case AttributeForm::kEnum:
    case AttributeForm::kStruct:
    case AttributeForm::kAny:
      break;
  }
  return rule.of;
}

bool AllElementsAre(const Attribute& elements, int wanted) {
  if (elements.bytes().empty()) return true;
  if (!elements.splat()) return false;
  if (std::to_integer<int>(elements.bytes()[0]) != wanted) return false;
  return std::ranges::all_of(elements.bytes().subspan(1),
                             [](std::byte byte) { return byte == std::byte{0}; });
}

bool AllAre(const Attribute& value, int64_t wanted) {
  if (value.Is(AttributeKind::kElements)) {
    return AllElementsAre(value, static_cast<int>(wanted));
  }
  return std::ranges::all_of(value.integers(), [=](int64_t i) { return i == wanted; });
}

// A struct whose integer fields are 0, floats 0, and enums their first spelling.
bool IsZeroStruct(const Attribute& value) {
  for (const NamedAttribute& field : value.fields()) {
    const Attribute& part = *field.value;
    if (part.integer() != 0 || part.float_value() != 0) return false;
    if (part.Is(AttributeKind::kEnum) &&
        part.text() != FindEnum(part.struct_name())->spellings[0]) {
      return false;
    }
  }
  return true;
}

bool IsEmpty(const Attribute& value) {
  switch (value.kind()) {
    case AttributeKind::kString:
      return value.text().empty();
    case AttributeKind::kArray:
      return value.elements().empty();
    case AttributeKind::kDictionary:
      return value.fields().empty();
    case AttributeKind::kDenseArray:
      return value.integers().empty();
    case AttributeKind::kElements:
      return value.bytes().empty();
    default:
      return false;
  }
}

bool IsDefault(const Attribute& value, const AttributeRule& rule) {
  switch (rule.absent) {
    case AttributeDefault::kRequired:
    case AttributeDefault::kOptional:
      return false;
    case AttributeDefault::kZero:
      if (value.Is(AttributeKind::kStruct)) return IsZeroStruct(value);
      return !value.Is(AttributeKind::kUnit) && value.integer() == 0;
    case AttributeDefault::kOne:
      return value.integer() == 1;
    case AttributeDefault::kMinusOne:
      return value.integer() == -1;
    case AttributeDefault::kAllZero:
      return AllAre(value, 0);
    case AttributeDefault::kAllOne:
      return AllAre(value, 1);
    case AttributeDefault::kEmpty:
      return IsEmpty(value);
    case AttributeDefault::kNoNames:
      return std::ranges::all_of(value.elements(), [](AttributeRef element) {
        return element->Is(AttributeKind::kDictionary) && element->fields().empty();
      });
    case AttributeDefault::kFirst:
      if (value.Is(AttributeKind::kEnum)) {
        return value.text() == FindEnum(value.struct_name())->spellings[0];
      }
      return std::ranges::all_of(value.elements(), [](AttributeRef element) {
        return element->text() == FindEnum(element->struct_name())->spellings[0];
      });
  }
  return false;
}

// operand_layouts and result_layouts mean something unless both are empty.
void DropEmptyLayouts(std::vector<NamedAttribute>* attributes) {
  const auto is_layouts = [](const NamedAttribute& attribute) {
    return attribute.name == "operand_layouts" || attribute.name == "result_layouts";
  };
  for (const NamedAttribute& attribute : *attributes) {
    if (is_layouts(attribute) && !attribute.value->elements().empty()) return;
  }
  std::erase_if(*attributes, is_layouts);
}

}  // namespace

AttributeRef ConvertAttribute(AttributeRef value, const AttributeRule& rule,
                              ModuleBuilder& builder) {
  // The importer copies dictionaries.
  const bool large =
      rule.form == AttributeForm::kSymbols || rule.form == AttributeForm::kDictionary;
  const size_t entry_bytes = large ? sizeof(Attribute) : sizeof(int64_t);
  if (!builder.SpendOnList(EntriesOf(*value, rule), entry_bytes)) return nullptr;
  const auto keep_if = [&](bool fits) { return fits ? value : nullptr; };
  const auto keep = [&](AttributeKind kind) { return keep_if(value->Is(kind)); };
  switch (rule.form) {
    case AttributeForm::kI64:
      return keep_if(IsInteger(*value, DType::kS64));
    case AttributeForm::kI32:
      // VHLO's default for the version of a composite is an i64.
      if (IsInteger(*value, DType::kS64) &&
          value->integer() == static_cast<int32_t>(value->integer())) {
        return builder.NewInt(DType::kS32, value->integer());
      }
      return keep_if(IsInteger(*value, DType::kS32));
    case AttributeForm::kF32:
      return keep_if(value->Is(AttributeKind::kFloat) && value->type()->dtype == DType::kF32);
    case AttributeForm::kBool:
      return keep(AttributeKind::kBool);
    case AttributeForm::kUnit:
      if (value->Is(AttributeKind::kBool) && value->integer() == 1) {
        return builder.New(Attribute::Unit());
      }
      return keep_if(value->Is(AttributeKind::kUnit) || value->Is(AttributeKind::kBool));
    case AttributeForm::kInts:
    case AttributeForm::kBools: {
      const DType wanted = rule.form == AttributeForm::kInts ? DType::kS64 : DType::kPred;
      if (value->Is(AttributeKind::kElements)) return ElementsToList(*value, wanted, builder);
      return keep_if(value->Is(AttributeKind::kDenseArray) && value->type()->dtype == wanted);
    }
    case AttributeForm::kElements:
      return keep(AttributeKind::kElements);
    case AttributeForm::kString:
      return keep(AttributeKind::kString);
    case AttributeForm::kSymbol:
      return ToSymbol(value, builder);
    case AttributeForm::kSymbols: {
      if (!value->Is(AttributeKind::kArray)) return nullptr;
      std::vector<AttributeRef> symbols;
      for (AttributeRef element : value->elements()) {
        symbols.push_back(ToSymbol(element, builder));
        if (symbols.back() == nullptr) return nullptr;
      }
      return builder.NewArray(symbols);
    }
    case AttributeForm::kEnum:
      return keep_if(value->Is(AttributeKind::kEnum) && value->struct_name() == rule.of);
    case AttributeForm::kStruct:
      return keep_if(value->Is(AttributeKind::kStruct) && value->struct_name() == rule.of);
    case AttributeForm::kPrecisions:
      return keep_if(value->Is(AttributeKind::kArray) &&
                     std::ranges::all_of(value->elements(), [](AttributeRef element) {
                       return element->Is(AttributeKind::kEnum) &&
                              element->struct_name() == "stablehlo.precision";
                     }));
    case AttributeForm::kGroups:
      return keep_if(value->Is(AttributeKind::kElements) ||
                     value->struct_name() == "stablehlo.replica_group_mesh_axes");
    case AttributeForm::kArray:
      return keep(AttributeKind::kArray);
    case AttributeForm::kDictionary:
      return keep(AttributeKind::kDictionary);
    case AttributeForm::kType:
      return keep(AttributeKind::kType);
    case AttributeForm::kAny:
      return value;
  }
  return nullptr;
}

Status Normalize(Op op, ModuleBuilder& builder, std::vector<NamedAttribute>* attributes) {
  const std::span<const AttributeRule> rules = SchemaOf(op).attributes;
  uint32_t seen = 0;
  size_t kept = 0;
  for (NamedAttribute& attribute : *attributes) {
    size_t at = 0;
    while (at < rules.size() && rules[at].name != attribute.name) ++at;
    if (at < rules.size()) {
      const AttributeRule& rule = rules[at];
      AttributeRef value = ConvertAttribute(attribute.value, rule, builder);
      if (value == nullptr) {
        if (!builder.in_proportion()) return builder.Disproportion();
        return InvalidArgument("attribute \"", rule.name, "\" must be ", Describe(rule));
      }
      seen |= 1u << at;
      if (IsDefault(*value, rule)) continue;
      attribute.value = value;
    }
    (*attributes)[kept++] = attribute;
  }
  attributes->resize(kept);
  for (size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].absent == AttributeDefault::kRequired && (seen >> i & 1) == 0) {
      return InvalidArgument("attribute \"", rules[i].name, "\" is missing");
    }
  }
  if (op == Op::kCustomCall) DropEmptyLayouts(attributes);
  const auto by_name = [](const NamedAttribute& a, const NamedAttribute& b) {
    return a.name < b.name;
  };
  std::sort(attributes->begin(), attributes->end(), by_name);
  for (size_t i = 1; i < attributes->size(); ++i) {
    if ((*attributes)[i - 1].name == (*attributes)[i].name) {
      return InvalidArgument("attribute \"", (*attributes)[i].name, "\" is given twice");
    }
  }
  return {};
}

}  // namespace plinth::program
