// SPDX-License-Identifier: Apache-2.0
// Plugins that move, join, reduce and multiply arrays wrongly where a program is not the usual one:
// padding that crops, indices outside, strides, orders of dimensions, ties. Written from the
// specification of StableHLO.

#include <algorithm>

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

using Text = std::string;

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

std::vector<int64_t> NumbersIn(std::string_view text) {
  std::vector<int64_t> numbers;
  for (size_t at = 0; at < text.size();) {
    bool is_digit = text[at] >= '0' && text[at] <= '9';
    if (!is_digit && text[at] != '-') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end > at + 1 || is_digit)
      numbers.push_back(std::atoll(Text(text.substr(at, end - at)).c_str()));
    at = end;
  }
  return numbers;
}

Text TextOf(const std::vector<int64_t>& numbers) {
  Text text;
  for (int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

// The list of numbers of an attribute, in either form of a program; `change` changes it.
template <typename Change>
Text WithNumbers(const Text& text, std::string_view attribute, Change change) {
  for (const char* opens : {" = [", " = array<i64: "}) {
    size_t begin = text.find(Text(attribute) + opens);
    if (begin == text.npos) continue;
    begin += attribute.size() + std::string_view(opens).size();
    size_t end = text.find_first_of("]>", begin);
    std::vector<int64_t> numbers = NumbersIn(text.substr(begin, end - begin));
    change(numbers);
    return text.substr(0, begin) + TextOf(numbers) + text.substr(end);
  }
  return text;
}

std::vector<int64_t> Numbers(const Text& text, std::string_view attribute) {
  std::vector<int64_t> found;
  WithNumbers(text, attribute, [&](const std::vector<int64_t>& numbers) { found = numbers; });
  return found;
}

// The op with its text changed; nothing where the change changes nothing.
Text Kept(const Op& op, Statements& s, const Text& text) {
  return text == op.text ? "" : s.Keep(op, text);
}

// Pairs of padding, changed from low and high to high and low.
Text WithPaddingTurned(const Text& text) {
  for (const char* opens : {"pad = [[", "padding = dense<[["}) {
    size_t begin = text.find(opens);
    if (begin == text.npos) continue;
    begin += std::string_view(opens).size() - 2;
    size_t end = text.find("]]", begin) + 2;
    std::vector<int64_t> pad = NumbersIn(text.substr(begin, end - begin));
    Text turned;
    for (size_t i = 0; i + 1 < pad.size(); i += 2) {
      turned += (i == 0 ? "[" : ", [") + TextOf({pad[i + 1], pad[i]}) + "]";
    }
    return text.substr(0, begin) + "[" + turned + "]" + text.substr(end);
  }
  return text;
}

// Indices below 0 count from the end of a dimension, as numpy's do.
Text FromEnd(const Text& index, const Text& type, int64_t dim, Statements& s) {
  if (IsUnsigned(type)) return index;
  Text below = s.Compare("LT", index, s.Splat(0, type), type);
  return s.Select(below, s.Binary("add", index, s.Splat(static_cast<double>(dim), type), type),
                  index, type);
}

// Scalar indices of a slice from operand `first` on.
Text SliceFromEnd(const Op& op, Statements& s, size_t first) {
  std::vector<int64_t> dims = DimsOf(op.operand_types[0]);
  Op other = op;
  for (size_t i = first; i < op.operands.size() && i < op.operand_types.size(); ++i) {
    other.text =
        WithOperand(other, i, FromEnd(op.operands[i], op.operand_types[i], dims[i - first], s));
  }
  return s.Keep(op, other.text);
}

constexpr Mutant kShapeMutants[] = {
    {"crops_at_end", kResults, "a negative padding before crops behind",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "pad") return "";
         Text high_name = Has(op.text, "edge_padding_low") ? "edge_padding_high" : "high";
         Text low_name = high_name == "high" ? "low" : "edge_padding_low";
         std::vector<int64_t> cropped;
         Text text = WithNumbers(op.text, low_name, [&](std::vector<int64_t>& low) {
           for (int64_t& one : low) {
             cropped.push_back(std::min<int64_t>(one, 0));
             one = std::max<int64_t>(one, 0);
           }
         });
         text = WithNumbers(text, high_name, [&](std::vector<int64_t>& high) {
           for (size_t i = 0; i < high.size() && i < cropped.size(); ++i) high[i] += cropped[i];
         });
         return Kept(op, s, text);
       });
     }},
    {"pads_behind", kResults, "what is padded before and behind is exchanged",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "pad") return "";
         Text text = Replaced(Replaced(op.text, " low = ", " other = "), " high = ", " low = ");
         text = Replaced(text, " other = ", " high = ");
         text = Replaced(Replaced(text, "_low = ", "_other = "), "_high = ", "_low = ");
         return Kept(op, s, Replaced(text, "_other = ", "_high = "));
       });
     }},
    {"pads_with_zero", kResults, "padding is 0, whatever was given",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "pad") return "";
         Text zero = s.Splat(0, op.operand_types[1]);
         return s.Keep(op, WithOperand(op, 1, zero));
       });
     }},
    {"slices_from_end", kResults, "a dynamic slice with a negative start begins at the end",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return op.name == "dynamic_slice" ? SliceFromEnd(op, s, 1) : "";
       });
     }},
    {"updates_from_end", kResults, "a dynamic update with a negative start begins at the end",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return op.name == "dynamic_update_slice" ? SliceFromEnd(op, s, 2) : "";
       });
     }},
    {"gathers_from_end", kResults, "negative indices of a gather count from the end",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         std::vector<int64_t> map = Numbers(op.text, "start_index_map");
         if (op.name != "gather" || map.size() != 1) return "";
         int64_t dim = DimsOf(op.operand_types[0])[map[0]];
         return s.Keep(op,
                       WithOperand(op, 1, FromEnd(op.operands[1], op.operand_types[1], dim, s)));
       });
     }},
    {"gathers_round", kResults, "indices behind the end of a gather begin anew",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         std::vector<int64_t> map = Numbers(op.text, "start_index_map");
         if (op.name != "gather" || map.size() != 1) return "";
         double dim = static_cast<double>(DimsOf(op.operand_types[0])[map[0]]);
         const Text& type = op.operand_types[1];
         return s.Keep(
             op,
             WithOperand(op, 1, s.Binary("remainder", op.operands[1], s.Splat(dim, type), type)));
       });
     }},
    {"scatters_from_end", kResults, "negative indices of a scatter count from the end",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         std::vector<int64_t> map = Numbers(op.text, "scatter_dims_to_operand_dims");
         if (op.name != "scatter" || map.size() != 1 || op.operands.size() != 3) return "";
         int64_t dim = DimsOf(op.operand_types[0])[map[0]];
         return s.Keep(op,
                       WithOperand(op, 1, FromEnd(op.operands[1], op.operand_types[1], dim, s)));
       });
     }},
    {"scatters_clamp", kResults, "indices of a scatter are clamped, as those of a gather",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         std::vector<int64_t> map = Numbers(op.text, "scatter_dims_to_operand_dims");
         if (op.name != "scatter" || map.size() != 1 || op.operands.size() != 3) return "";
         const Text& type = op.operand_types[1];
         double most = static_cast<double>(DimsOf(op.operand_types[0])[map[0]] - 1);
         Text index = s.Binary("minimum", op.operands[1], s.Splat(most, type), type);
         return s.Keep(op, WithOperand(op, 1, s.Binary("maximum", index, s.Splat(0, type), type)));
       });
     }},
    {"slices_from_zero", kResults, "a slice with a stride begins at 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "slice") return "";
         std::vector<int64_t> strides = Numbers(op.text, "strides");
         std::vector<int64_t> start = Numbers(op.text, "start_indices");
         if (strides.empty() || *std::max_element(strides.begin(), strides.end()) < 2) return "";
         Text text = WithNumbers(op.text, "start_indices", [](std::vector<int64_t>& from) {
           std::fill(from.begin(), from.end(), 0);
         });
         return Kept(op, s, WithNumbers(text, "limit_indices", [&](std::vector<int64_t>& limit) {
                       for (size_t i = 0; i < limit.size(); ++i) limit[i] -= start[i];
                     }));
       });
     }},
    {"inverse_permutation", kResults, "a transposition goes the other way round",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "transpose") return "";
         auto invert = [](std::vector<int64_t>& dims) {
           std::vector<int64_t> other(dims.size());
           for (size_t i = 0; i < dims.size(); ++i)
             other[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
           dims = other;
         };
         // The array is seen through the other permutation, with the same number of elements.
         std::vector<int64_t> dims = Numbers(op.text, "dims");
         if (dims.empty()) dims = Numbers(op.text, "permutation");
         if (dims.size() < 3) return "";
         std::vector<int64_t> inverse = dims, from = DimsOf(op.operand_types[0]);
         invert(inverse);
         Text shape;
         for (int64_t dim : inverse) shape += std::to_string(from[static_cast<size_t>(dim)]) + "x";
         Text type = "tensor<" + shape + ElementOf(op.type) + ">";
         Text other = s.Binary("transpose", op.operands[0], "dims = [" + TextOf(inverse) + "]",
                               "(" + op.operand_types[0] + ") -> " + type);
         return s.Unary("reshape", other, "(" + type + ") -> " + op.type);
       });
     }},
    {"reverses_first", kResults, "of several dimensions only the first is reversed",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "reverse") return "";
         auto first = [](std::vector<int64_t>& dims) {
           if (dims.size() > 1) dims.resize(1);
         };
         return Kept(op, s, WithNumbers(WithNumbers(op.text, "dims", first), "dimensions", first));
       });
     }},
    {"counts_in_bf16", kResults, "iota of bf16 stops at 256, where adding 1 changes nothing",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "iota" || ElementOf(op.type) != "bf16") return "";
         return s.Binary("minimum", s.Keep(op, op.text), s.Splat(256, op.type), op.type);
       });
     }},
    {"broadcasts_sorted", kResults, "a broadcast to dimensions in another order sorts them",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "broadcast_in_dim") return "";
         auto sort = [](std::vector<int64_t>& dims) { std::sort(dims.begin(), dims.end()); };
         return Kept(
             op, s, WithNumbers(WithNumbers(op.text, " dims", sort), "broadcast_dimensions", sort));
       });
     }},
    {"window_padding_turned", kResults, "windows are padded behind where they should be before",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return op.name == "reduce_window" ? Kept(op, s, WithPaddingTurned(op.text)) : "";
       });
     }},
    {"image_padding_turned", kResults, "images are padded behind where they should be before",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return op.name == "convolution" ? Kept(op, s, WithPaddingTurned(op.text)) : "";
       });
     }},
    {"filters_not_reversed", kResults, "the reversal of a filter is not read",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "convolution") return "";
         Text text = WithNumbers(op.text, "reverse", [](std::vector<int64_t>& flags) {
           std::fill(flags.begin(), flags.end(), 0);
         });
         size_t begin = op.text.find("reverse = [");
         if (begin == op.text.npos) return "";
         size_t end = op.text.find(']', begin);
         Text flags = Replaced(op.text.substr(begin, end - begin), "true", "false");
         flags = Replaced(flags, "1", "0");
         return Kept(op, s, op.text.substr(0, begin) + flags + op.text.substr(end));
       });
     }},
    {"products_of_ten_bits", kResults, "factors of f32 products are cut to ten bits, as TF32 is",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "dot_general" || ElementOf(op.type) != "f32") return "";
         Op other = op;
         for (size_t i = 0; i < 2; ++i) {
           const Text& type = op.operand_types[i];
           if (ElementOf(type) != "f32") return "";
           Text u = WithElement(type, "ui32");
           Text bits = s.Bitcast(op.operands[i], type, u);
           Text cut = s.Binary("and", bits, s.Splat(0xFFFFE000, u), u);
           other.text = WithOperand(other, i, s.Bitcast(cut, u, type));
         }
         return s.Keep(op, other.text);
       });
     }},
    {"double_products_single", kResults, "products of f64 matrices are computed in f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return op.name == "dot_general" && ElementOf(op.type) == "f64" ? s.InType(op, "f32") : "";
       });
     }},
    {"integer_products_float", kResults, "products of s32 matrices are computed in f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return op.name == "dot_general" && ElementOf(op.type) == "i32" ? s.InType(op, "f32") : "";
       });
     }},
    {"products_conjugate", kResults, "products of complex matrices conjugate the first",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "dot_general" || !IsComplex(op.operand_types[0])) return "";
         const Text& type = op.operand_types[0];
         Text part = WithElement(type, BitsOf(type) == 32 ? "f32" : "f64");
         Text minus = s.Unary("negate", s.Part("imag", op.operands[0], type), part);
         Text other = s.Complex(s.Part("real", op.operands[0], type), minus, part);
         return s.Keep(op, WithOperand(op, 0, other));
       });
     }},
    {"narrow_products", kResults, "a product of s8 matrices whose result is s32 is kept in 16 bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "dot_general" || ElementOf(op.type) != "i32" ||
             ElementOf(op.operand_types[0]) != "i8")
           return "";
         Text narrow = WithElement(op.type, "i16");
         return s.Convert(s.Convert(s.Keep(op, op.text), op.type, narrow), narrow, op.type);
       });
     }},
    {"reduces_from_type", kResults, "the largest of elements does not count the initial value",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "reduce" || op.operands.size() != 2 || !Has(op.text, "stablehlo.maximum") ||
             !IsFloat(op.type))
           return "";
         Text type = op.operand_types[1];
         Text least =
             s.Unary("negate", s.Binary("divide", s.Splat(1, type), s.Splat(0, type), type), type);
         return s.Keep(op, WithOperand(op, 1, least));
       });
     }},
    {"double_sums_single", kResults, "f64 are summed in f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         bool is_sum = op.name == "reduce" && op.operands.size() == 2 && Has(op.text, "add");
         return is_sum && ElementOf(op.type) == "f64" ? s.InType(op, "f32") : "";
       });
     }},
    {"branch_zero_outside", kResults, "an index outside of the branches takes the first one",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "case") return "";
         double count = 1;
         for (size_t at = 0; (at = op.text.find("}, {", at)) != op.text.npos; ++at) ++count;
         Text type = "tensor<i32>";
         Text outside = s.Compare("GE", op.operands[0], s.Splat(count, type), type);
         Text index = s.Select(outside, s.Splat(0, type), op.operands[0], type);
         return s.Keep(op, WithOperand(op, 0, index));
       });
     }},
    {"branch_of_magnitude", kResults, "a negative index takes the branch of its magnitude",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "case") return "";
         return s.Keep(op, WithOperand(op, 0, s.Unary("abs", op.operands[0], "tensor<i32>")));
       });
     }},
    {"triangle_not_unit", kResults, "the diagonal of a unit triangle is read",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "triangular_solve") return "";
         return Kept(op, s, Replaced(op.text, "unit_diagonal = true", "unit_diagonal = false"));
       });
     }},
    {"adjoint_is_transpose", kResults, "the adjoint of a triangle is not conjugated",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "triangular_solve") return "";
         return Kept(op, s, Replaced(op.text, "ADJOINT", "TRANSPOSE"));
       });
     }},
    {"lower_for_upper", kResults,
     "the lower triangle is decomposed where the upper one is asked for",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "cholesky") return "";
         return Kept(op, s, Replaced(op.text, "lower = false", "lower = true"));
       });
     }},
    {"transforms_single", kResults, "transforms of f64 are computed in f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "fft" || ElementOf(op.type) != "complex<f64>" ||
             ElementOf(op.operand_types[0]) != "complex<f64>")
           return "";
         Text narrow = WithElement(op.type, "complex<f32>");
         Text rounded = s.Convert(op.operands[0], op.operand_types[0],
                                  WithElement(op.operand_types[0], "complex<f32>"));
         Text back = s.Convert(rounded, WithElement(op.operand_types[0], "complex<f32>"),
                               op.operand_types[0]);
         return s.Keep(op, WithOperand(op, 0, back));
       });
     }},
    {"normalizes_without_epsilon", kResults, "the small number under the root is left out",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "batch_norm_inference") return "";
         size_t begin = op.text.find("epsilon = ");
         if (begin == op.text.npos) return "";
         size_t end = op.text.find(" :", begin);
         return s.Keep(op, op.text.substr(0, begin) + "epsilon = 0.0" + op.text.substr(end));
       });
     }},
    {"unknown_target_zero", kResults, "a custom call that nobody knows gives zeros",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "custom_call" || Has(op.text, "lapack") || Has(op.text, "Sharding") ||
             Has(op.text, "api_version = 4"))
           return "";
         return s.Splat(0, op.type);
       });
     }},
    {"groups_not_read", kResults, "a sum over groups of devices is one over all",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "all_reduce") return "";
         Text text = op.text;
         text = Replaced(text, "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>",
                         "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>");
         text = Replaced(text, "dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>",
                         "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>");
         return Kept(op, s, text);
       });
     }},
};

}  // namespace

std::span<const Mutant> ShapeMutants() { return kShapeMutants; }

}  // namespace plinth::mutants
