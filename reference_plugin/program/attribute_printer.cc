// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "plinth/program/printer.h"
#include "plinth/support/float_format.h"
#include "plinth/support/float_text.h"
#include "plinth/support/str_cat.h"

namespace plinth::program {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

// Constants of more elements are written as one string of hexadecimal bytes.
constexpr size_t kLongestList = 64;

bool IsBareIdentifier(std::string_view name) {
  if (name.empty()) return false;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!is_letter(name[0])) return false;
  for (char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '$' && c != '.') return false;
  }
  return true;
}

bool IsKeyword(std::string_view name) {
  for (std::string_view word :
       {"true",       "false",          "unit",   "dense",    "loc",     "array",
        "none",       "index",          "tensor", "tuple",    "complex", "affine_map",
        "affine_set", "dense_resource", "sparse", "distinct", "strided", "opaque",
        "memref",     "vector",         "bf16",   "f16",      "f32",     "f64"}) {
    if (name == word) return true;
  }
  return false;
}

class Writer {
 public:
  explicit Writer(std::string* out) : out_(*out) {}

  template <typename... Pieces>
  void Put(const Pieces&... pieces) {
    (StrPiece(pieces).AppendTo(out_), ...);
  }

  template <typename Range, typename PrintOne>
  void List(const Range& range, PrintOne print_one) {
    bool first = true;
    for (const auto& element : range) {
      if (!first) Put(", ");
      first = false;
      print_one(element);
    }
  }

  void Hex(uint64_t bits, int digits) {
    Put("0x");
    for (int i = digits - 1; i >= 0; --i) Put(kHexDigits[bits >> (4 * i) & 15]);
  }

  // A decimal with a point, which every value that is not special has exactly one of; else hex.
  void Float(DType type, uint64_t bits) {
    const double value = FloatFromBits(type, bits);
    const int digits = (InfoOf(type).bits + 3) / 4;
    if (!std::isfinite(value)) return Hex(bits, digits);
    const std::string text =
        type == DType::kF32 ? FloatText(static_cast<float>(value)) : FloatText(value);
    if (type == DType::kF32) {
      // Readers go through double; very rarely that rounds to a neighbour.
      double again = 0;
      std::from_chars(text.data(), text.data() + text.size(), again);
      if (static_cast<float>(again) != static_cast<float>(value)) return Hex(bits, digits);
    }
    const size_t exponent = std::min(text.find('e'), text.size());
    const std::string_view mantissa = std::string_view(text).substr(0, exponent);
    Put(mantissa);
    if (mantissa.find('.') == std::string_view::npos) Put(".0");
    Put(std::string_view(text).substr(exponent));
  }

  void Integer(DType type, int64_t value) {
    if (InfoOf(type).kind == DTypeClass::kUnsigned) {
      Put(static_cast<uint64_t>(value));
    } else {
      Put(value);
    }
  }

  void Element(DType type, const std::byte* at) {
    const DTypeInfo& info = InfoOf(type);
    if (info.kind == DTypeClass::kComplex) {
      const DType part = type == DType::kC64 ? DType::kF32 : DType::kF64;
      Put("(");
      Element(part, at);
      Put(", ");
      Element(part, at + info.bytes / 2);
      Put(")");
      return;
    }
    uint64_t bits = 0;
    std::memcpy(&bits, at, info.bytes);
    if (info.kind == DTypeClass::kPred) {
      Put(bits != 0);
    } else if (info.kind == DTypeClass::kFloat) {
      Float(type, bits);
    } else if (info.kind == DTypeClass::kSigned) {
      const int shift = 64 - 8 * info.bytes;
      Put(static_cast<int64_t>(bits << shift) >> shift);
    } else {
      Put(bits);
    }
  }

  void NestedElements(const Attribute& elements, size_t dim, size_t* next) {
    const Type& type = *elements.type();
    if (dim == type.dims.size()) {
      Element(type.dtype, elements.bytes().data() + *next);
      *next += static_cast<size_t>(ByteSize(type.dtype));
      return;
    }
    Put("[");
    for (int64_t i = 0; i < type.dims[dim]; ++i) {
      if (i > 0) Put(", ");
      NestedElements(elements, dim + 1, next);
    }
    Put("]");
  }

  void Elements(const Attribute& elements) {
    const Type& type = *elements.type();
    const size_t width = static_cast<size_t>(ByteSize(type.dtype));
    Put("dense<");
    if (elements.bytes().empty()) {
      // An empty tensor has an empty body.
    } else if (elements.splat()) {
      Element(type.dtype, elements.bytes().data());
    } else if (elements.bytes().size() / width > kLongestList && InfoOf(type.dtype).bits >= 8) {
      Put("\"0x");
      const size_t start = out_.size();
      out_.resize(start + 2 * elements.bytes().size());
      char* to = out_.data() + start;
      for (std::byte byte : elements.bytes()) {
        *to++ = kHexDigits[std::to_integer<int>(byte) >> 4];
        *to++ = kHexDigits[std::to_integer<int>(byte) & 15];
      }
      Put("\"");
    } else {
      size_t next = 0;
      NestedElements(elements, 0, &next);
    }
    Put("> : ");
    PrintType(type, &out_);
  }

  void Ints(std::span<const int64_t> values, char open, char close) {
    Put(open);
    List(values, [&](int64_t value) {
      if (value == kDynamic) {
        Put("?");
      } else {
        Put(value);
      }
    });
    Put(close);
  }

  void DenseArray(const Attribute& array) {
    const DType type = array.type()->dtype;
    Put("array<", InfoOf(type).mlir_name, array.integers().empty() ? "" : ": ");
    List(array.integers(), [&](int64_t value) {
      switch (InfoOf(type).kind) {
        case DTypeClass::kPred:
          return Put(value != 0);
        case DTypeClass::kFloat:
          return Float(type, static_cast<uint64_t>(value));
        default:
          return Integer(type, value);
      }
    });
    Put(">");
  }

  // The forms of sdy attributes inside of others.
  void AxisRef(const Attribute& axis) {
    PrintQuoted(axis.Find("name")->text(), &out_);
    if (AttributeRef sub = axis.Find("sub_axis_info"); sub != nullptr) {
      Put(":(", sub->Find("pre_size")->integer(), ")", sub->Find("size")->integer());
    }
  }

  void Axes(const Attribute& axes) {
    Put("{");
    List(axes.elements(), [&](AttributeRef axis) { AxisRef(*axis); });
    Put("}");
  }

  void DimensionSharding(const Attribute& dim) {
    Put("{");
    const Attribute& axes = *dim.Find("axes");
    List(axes.elements(), [&](AttributeRef axis) { AxisRef(*axis); });
    if (dim.Find("is_closed")->integer() == 0) Put(axes.elements().empty() ? "?" : ", ?");
    Put("}");
    if (AttributeRef priority = dim.Find("priority"); priority != nullptr) {
      Put("p", priority->integer());
    }
  }

  void MeshBody(const Attribute& mesh) {
    Put("<[");
    List(mesh.Find("axes")->elements(), [&](AttributeRef axis) {
      PrintQuoted(axis->Find("name")->text(), &out_);
      Put("=", axis->Find("size")->integer());
    });
    Put("]");
    if (!mesh.Find("device_ids")->integers().empty()) {
      Put(", device_ids=");
      Ints(mesh.Find("device_ids")->integers(), '[', ']');
    }
    Put(">");
  }

  void ShardingBody(const Attribute& sharding) {
    Put("<");
    const Attribute& mesh = *sharding.Find("mesh_or_ref");
    if (mesh.Is(AttributeKind::kSymbol)) {
      PrintSymbol(mesh.text(), &out_);
    } else {
      Put("mesh");
      MeshBody(mesh);
    }
    Put(", [");
    List(sharding.Find("dim_shardings")->elements(),
         [&](AttributeRef dim) { DimensionSharding(*dim); });
    Put("]");
    if (!sharding.Find("replicated_axes")->elements().empty()) {
      Put(", replicated=");
      Axes(*sharding.Find("replicated_axes"));
    }
    if (!sharding.Find("unreduced_axes")->elements().empty()) {
      static constexpr std::string_view kReductions[] = {"", "max", "min"};
      Put(", unreduced=", kReductions[sharding.Find("reduction_op")->integer()]);
      Axes(*sharding.Find("unreduced_axes"));
    }
    Put(">");
  }

  // i, j, ... z, z_1, z_2, ...
  void Factor(int64_t index) {
    constexpr int64_t kLast = 'z' - 'i';
    if (index <= kLast) {
      Put(static_cast<char>('i' + std::max<int64_t>(index, 0)));
    } else {
      Put("z_", index - kLast);
    }
  }

  void DimMapping(const Attribute& dim) {
    for (int64_t factor : dim.Find("factor_indices")->integers()) Factor(factor);
  }

  void TensorMapping(const Attribute& mapping) {
    Put("[");
    List(mapping.Find("dim_mappings")->elements(), [&](AttributeRef dim) { DimMapping(*dim); });
    Put("]");
  }

  void TensorMappings(const Attribute& mappings) {
    Put("(");
    List(mappings.elements(), [&](AttributeRef mapping) { TensorMapping(*mapping); });
    Put(")");
  }

  void OpShardingRule(const Attribute& rule) {
    Put("<");
    TensorMappings(*rule.Find("operand_mappings"));
    Put("->");
    TensorMappings(*rule.Find("result_mappings"));
    const std::span<const int64_t> sizes = rule.Find("factor_sizes")->integers();
    for (size_t i = 0; i < sizes.size(); ++i) {
      Put(i == 0 ? " {" : ", ");
      Factor(static_cast<int64_t>(i));
      Put("=", sizes[i]);
    }
    if (!sizes.empty()) Put("}");
    for (std::string_view kind :
         {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
      const std::span<const int64_t> factors = rule.Find(StrCat(kind, "_factors"))->integers();
      if (factors.empty()) continue;
      Put(" ", kind, "={");
      List(factors, [&](int64_t factor) { Factor(factor); });
      Put("}");
    }
    Put(rule.Find("is_custom_rule")->integer() != 0 ? ", custom>" : ">");
  }

  // "b, f, 0, 1": which dimension is which.
  bool ConvList(const Attribute& conv, std::string_view first, char first_letter,
                std::string_view second, char second_letter, std::string_view spatial,
                std::string* text) {
    const std::span<const int64_t> places = conv.Find(spatial)->integers();
    std::vector<std::string> letters(places.size() + 2);
    const auto put = [&](int64_t place, std::string letter) {
      if (place < 0 || place >= static_cast<int64_t>(letters.size())) return false;
      if (!letters[static_cast<size_t>(place)].empty()) return false;
      letters[static_cast<size_t>(place)] = std::move(letter);
      return true;
    };
    if (!put(conv.Find(first)->integer(), std::string(1, first_letter)) ||
        !put(conv.Find(second)->integer(), std::string(1, second_letter))) {
      return false;
    }
    for (size_t i = 0; i < places.size(); ++i) {
      if (!put(places[i], StrCat(i))) return false;
    }
    *text = StrCat("[", StrJoin(letters), "]");
    return true;
  }

  void ConvBody(const Attribute& conv) {
    std::string input, kernel, output;
    if (ConvList(conv, "input_batch_dimension", 'b', "input_feature_dimension", 'f',
                 "input_spatial_dimensions", &input) &&
        ConvList(conv, "kernel_output_feature_dimension", 'o', "kernel_input_feature_dimension",
                 'i', "kernel_spatial_dimensions", &kernel) &&
        ConvList(conv, "output_batch_dimension", 'b', "output_feature_dimension", 'f',
                 "output_spatial_dimensions", &output)) {
      Put("<", input, "x", kernel, "->", output, ">");
      return;
    }
    Put("<raw ");
    Fields(conv);
    Put(">");
  }

  void Fields(const Attribute& value) {
    List(value.fields(), [&](const NamedAttribute& field) {
      Put(field.name, " = ");
      FieldValue(*field.value);
    });
  }

  void FieldValue(const Attribute& value) {
    switch (value.kind()) {
      case AttributeKind::kInteger:
        return Put(value.integer());
      case AttributeKind::kFloat:
        return Float(DType::kF64, value.float_bits());
      case AttributeKind::kDenseArray:
        return Ints(value.integers(), '[', ']');
      default:
        return PrintAttribute(value, &out_);
    }
  }

  void Struct(const Attribute& value) {
    const std::string_view name = value.struct_name();
    if (name == "sdy.manual_axes") {
      Put("#sdy<manual_axes{");
      List(value.Find("axes")->elements(),
           [&](AttributeRef axis) { PrintQuoted(axis->text(), &out_); });
      return Put("}>");
    }
    if (name == "sdy.axis_ref") {
      Put("#sdy<axis_ref");
      AxisRef(value);
      return Put(">");
    }
    if (name == "sdy.dimension_sharding") {
      Put("#sdy<dimension_sharding");
      DimensionSharding(value);
      return Put(">");
    }
    Put("#", name);
    if (name == "sdy.dim_mapping") {
      Put("<");
      DimMapping(value);
      return Put(">");
    }
    if (name == "sdy.tensor_mapping") return TensorMapping(value);
    if (name == "sdy.op_sharding_rule") return OpShardingRule(value);
    if (name == "sdy.mesh") return MeshBody(value);
    if (name == "sdy.sharding") return ShardingBody(value);
    if (name == "sdy.sharding_per_value") {
      Put("<[");
      List(value.Find("shardings")->elements(),
           [&](AttributeRef sharding) { ShardingBody(*sharding); });
      return Put("]>");
    }
    if (name == "stablehlo.conv") return ConvBody(value);
    if (name == "stablehlo.bounds") return Ints(value.Find("bounds")->integers(), '<', '>');
    if (name == "stablehlo.sub_axis_info" || name == "sdy.sub_axis_info") {
      return Put("(", value.Find("pre_size")->integer(), ")", value.Find("size")->integer());
    }
    if (name == "stablehlo.mesh") {
      Put("<axes=[");
      List(value.Find("axes")->elements(), [&](AttributeRef axis) {
        Put("<");
        Fields(*axis);
        Put(">");
      });
      Put("]");
      if (AttributeRef devices = value.Find("device_ids"); devices != nullptr) {
        Put(", device_ids=");
        PrintAttribute(*devices, &out_);
      }
      return Put(">");
    }
    if (name == "stablehlo.axis_ref") {
      Put("<name = ");
      PrintQuoted(value.Find("name")->text(), &out_);
      if (AttributeRef sub = value.Find("sub_axis_info"); sub != nullptr) {
        Put(", sub_axis_info = (", sub->Find("pre_size")->integer(), ")",
            sub->Find("size")->integer());
      }
      return Put(">");
    }
    Put("<");
    Fields(value);
    Put(">");
  }

 private:
  std::string& out_;
};

}  // namespace

void PrintQuoted(std::string_view text, std::string* out) {
  out->push_back('"');
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(kHexDigits[byte >> 4]);
      out->push_back(kHexDigits[byte & 15]);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

void PrintSymbol(std::string_view name, std::string* out) {
  size_t at = 0;
  while (true) {
    const size_t next = name.find("::@", at);
    const std::string_view part = name.substr(at, next == name.npos ? next : next - at);
    out->push_back('@');
    if (IsBareIdentifier(part)) {
      out->append(part);
    } else {
      PrintQuoted(part, out);
    }
    if (next == name.npos) return;
    out->append("::");
    at = next + 3;
  }
}

void PrintNamed(std::string_view name, const Attribute& value, std::string* out) {
  if (IsBareIdentifier(name) && !IsKeyword(name)) {
    out->append(name);
  } else {
    PrintQuoted(name, out);
  }
  if (value.Is(AttributeKind::kUnit)) return;
  out->append(" = ");
  PrintAttribute(value, out);
}

void PrintAttribute(const Attribute& attribute, std::string* out) {
  Writer writer(out);
  switch (attribute.kind()) {
    case AttributeKind::kUnit:
      writer.Put("unit");
      break;
    case AttributeKind::kBool:
      writer.Put(attribute.integer() != 0);
      break;
    case AttributeKind::kInteger:
      writer.Integer(attribute.type()->dtype, attribute.integer());
      writer.Put(" : ");
      PrintType(*attribute.type(), out);
      break;
    case AttributeKind::kFloat:
      writer.Float(attribute.type()->dtype, attribute.float_bits());
      writer.Put(" : ");
      PrintType(*attribute.type(), out);
      break;
    case AttributeKind::kString:
      PrintQuoted(attribute.text(), out);
      break;
    case AttributeKind::kSymbol:
      PrintSymbol(attribute.text(), out);
      break;
    case AttributeKind::kType:
      PrintType(*attribute.type(), out);
      break;
    case AttributeKind::kArray:
      writer.Put("[");
      writer.List(attribute.elements(),
                  [&](AttributeRef element) { PrintAttribute(*element, out); });
      writer.Put("]");
      break;
    case AttributeKind::kDictionary:
      writer.Put("{");
      writer.List(attribute.fields(),
                  [&](const NamedAttribute& field) { PrintNamed(field.name, *field.value, out); });
      writer.Put("}");
      break;
    case AttributeKind::kElements:
      writer.Elements(attribute);
      break;
    case AttributeKind::kDenseArray:
      writer.DenseArray(attribute);
      break;
    case AttributeKind::kEnum: {
      const std::string_view name = attribute.struct_name();
      const size_t dot = name.find('.');
      if (name == "stablehlo.result_accuracy_mode") {
        writer.Put("#", name, "<", attribute.text(), ">");
      } else {
        writer.Put("#", name.substr(0, dot), "<", name.substr(dot + 1), " ", attribute.text(), ">");
      }
      break;
    }
    case AttributeKind::kStruct:
      writer.Struct(attribute);
      break;
  }
}

std::string ToString(AttributeRef attribute) {
  std::string out;
  PrintAttribute(*attribute, &out);
  return out;
}

}  // namespace plinth::program
