// SPDX-License-Identifier: Apache-2.0
// Ops that compute wrongly in a part of their range, for some type.

#include <string>

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

bool Is(const Op& op, std::string_view name, std::string_view element = {}) {
  return op.name == name && !op.type.empty() && (element.empty() || ElementOf(op.type) == element);
}

// The op's result, but `other` where `condition` holds.
std::string Where(const Op& op, Statements& s, const std::string& condition,
                  const std::string& other) {
  return s.Select(condition, other, s.Keep(op, op.text), op.type);
}
std::string Absolute(const Op& op, Statements& s, size_t operand = 0) {
  return s.Unary("abs", op.operands[operand], op.operand_types[operand]);
}

std::string Changed(const Op& op, Statements& s, std::string_view from, std::string_view to) {
  if (!Has(op.text, from)) return {};
  return s.Keep(op, Replaced(op.text, from, to));
}

constexpr Mutant kNumericMutants[] = {
    {"tan_of_large", kResults, "tan above 10000 reduces with pi of 24 bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "tan", "f64")) return {};
         const std::string large =
             s.Compare("GT", Absolute(op, s), s.Splat(10000, op.type), op.type);
         return Where(
             op, s, large,
             s.Unary("tan",
                     s.Binary("multiply", op.operands[0], s.Splat(1.0000001, op.type), op.type),
                     op.type));
       });
     }},
    {"remainder_of_large_quotient", kResults,
     "remainder of f64 is 0 where the quotient is above 2^24",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "remainder", "f64")) return {};
         const std::string quotient =
             s.Unary("abs", s.Binary("divide", op.operands[0], op.operands[1], op.type), op.type);
         return Where(op, s, s.Compare("GT", quotient, s.Splat(16777216, op.type), op.type),
                      s.Splat(0, op.type));
       });
     }},
    {"leading_zeros_of_zero", kResults, "a ui16 of 0 has 15 leading zeros",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "count_leading_zeros", "ui16")) return {};
         return Where(op, s, s.Compare("EQ", op.operands[0], s.Splat(0, op.type), op.type),
                      s.Splat(15, op.type));
       });
     }},
    {"atan2_of_negative_zero", kResults, "atan2 of f64 takes the sign of y from a comparison",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "atan2", "f64")) return {};
         return Where(op, s, s.Compare("EQ", op.operands[0], s.Splat(0, op.type), op.type),
                      s.Unary("abs", s.Keep(op, op.text), op.type));
       });
     }},
    {"small_expm1", kResults, "exponential_minus_one of f16 below 0.001 is 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "exponential_minus_one", "f16")) return {};
         return Where(op, s, s.Compare("LT", Absolute(op, s), s.Splat(0.001, op.type), op.type),
                      s.Splat(0, op.type));
       });
     }},
    {"large_unsigned_to_float", kResults, "ui64 of 2^63 and more become negative as f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "convert", "f32") || ElementOf(op.operand_types[0]) != "ui64") return {};
         const std::string as_signed = WithElement(op.type, "i64");
         return s.Convert(s.Bitcast(op.operands[0], op.operand_types[0], as_signed), as_signed,
                          op.type);
       });
     }},
    {"clamp_of_nan", kResults, "clamp of a f32 that is no number gives the minimum",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "clamp", "f32") || op.operand_types[0] != op.type) return {};
         return Where(op, s, s.Compare("NE", op.operands[1], op.operands[1], op.type),
                      op.operands[0]);
       });
     }},
    {"largest_bf16_infinite", kResults, "the largest bf16 is not finite",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "is_finite") || ElementOf(op.operand_types[0]) != "bf16") return {};
         const std::string& type = op.operand_types[0];
         return s.Compare("LT", Absolute(op, s), s.Splat(3.38e38, type), type);
       });
     }},
    {"small_complex_abs", kResults, "abs of a small complex<f64> squares its parts",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "abs", "f64") || !IsComplex(op.operand_types[0])) return {};
         const std::string small =
             s.Compare("LT", s.Keep(op, op.text), s.Splat(1e-170, op.type), op.type);
         return Where(op, s, small, s.Splat(0, op.type));
       });
     }},
    {"unsigned_compared_as_signed", kResults, "LT of ui8 compares signed",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "compare") || ElementOf(op.operand_types[0]) != "ui8" || !Has(op.text, "LT"))
           return {};
         const std::string other = WithElement(op.operand_types[0], "i8");
         return s.Compare("LT", s.Bitcast(op.operands[0], op.operand_types[0], other),
                          s.Bitcast(op.operands[1], op.operand_types[1], other), other);
       });
     }},
    {"cbrt_of_negative", kResults, "cbrt of a negative f64 below -1000 is not a number",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "cbrt", "f64")) return {};
         return Where(op, s, s.Compare("LT", op.operands[0], s.Splat(-1000, op.type), op.type),
                      s.Unary("sqrt", op.operands[0], op.type));
       });
     }},
    {"logistic_far_below", kResults, "logistic of f64 below -80 is 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "logistic", "f64")) return {};
         return Where(op, s, s.Compare("LT", op.operands[0], s.Splat(-80, op.type), op.type),
                      s.Splat(0, op.type));
       });
     }},
    {"bits_of_lower_half", kResults, "popcnt of i64 counts the lower 32 bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "popcnt", "i64")) return {};
         const std::string narrow = WithElement(op.type, "i32");
         return s.Convert(s.Unary("popcnt", s.Convert(op.operands[0], op.type, narrow), narrow),
                          narrow, op.type);
       });
     }},
    {"brain_floats_cut", kResults, "sums and products of bf16 are cut, not rounded",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "add", "bf16") && !Is(op, "multiply", "bf16")) return {};
         const std::string wide = WithElement(op.type, "f32"), bits = WithElement(op.type, "ui32");
         const std::string exact = s.Binary(op.name, s.Convert(op.operands[0], op.type, wide),
                                            s.Convert(op.operands[1], op.type, wide), wide);
         const std::string cut =
             s.Binary("and", s.Bitcast(exact, wide, bits), s.SplatOfBits("4294901760", bits), bits);
         return s.Convert(s.Bitcast(cut, bits, wide), wide, op.type);
       });
     }},
    {"sort_of_middle", kResults, "rank 3 is sorted along the last dimension",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "sort" || DimsOf(op.type).size() != 3) return {};
         std::string made = Changed(op, s, "dimension = 1", "dimension = 2");
         return made.empty() ? Changed(op, s, "dimension = 0", "dimension = 2") : made;
       });
     }},
    {"iota_of_middle", kResults, "an iota of rank 3 along dimension 1 goes along 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "iota" || DimsOf(op.type).size() != 3) return {};
         std::string made = Changed(op, s, "dim = 1", "dim = 0");
         return made.empty() ? Changed(op, s, "iota_dimension = 1", "iota_dimension = 0") : made;
       });
     }},
    {"reverse_of_two", kResults, "of dimensions to reverse the first alone is",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "reverse") return {};
         std::string made = Changed(op, s, "dims = [0, 1", "dims = [0");
         return made.empty() ? Changed(op, s, "array<i64: 0, 1", "array<i64: 0") : made;
       });
     }},
    {"scalar_predicate", kResults, "a select by a scalar takes the other",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "select" || op.operand_types.empty() ||
             op.operand_types[0] != "tensor<i1>" || DimsOf(op.type).empty())
           return {};
         return s.Keep(op, WithOperand(op, 0, s.Unary("not", op.operands[0], "tensor<i1>")));
       });
     }},
    {"clamp_of_scalars", kResults, "a minimum that is a scalar is not kept to",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "clamp" || op.operand_types.size() != 3 || op.operand_types[0] == op.type)
           return {};
         return s.Keep(op, WithOperand(op, 0, op.operands[2]));
       });
     }},
    {"zero_to_zero", kResults, "0 to the power 0 is 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "power" || !IsFloat(op.type)) return {};
         const std::string zero = s.Splat(0, op.type);
         const std::string both =
             s.Binary("and", s.Compare("EQ", op.operands[0], zero, op.type),
                      s.Compare("EQ", op.operands[1], zero, op.type), WithElement(op.type, "i1"));
         return Where(op, s, both, zero);
       });
     }},
    {"popcnt_of_half", kResults, "of integers of 64 bits 32 are counted",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "popcnt" || BitsOf(op.type) != 64) return {};
         const std::string low =
             s.Binary("and", op.operands[0], s.Splat(4294967295.0, op.type), op.type);
         return s.Keep(op, WithOperand(op, 0, low));
       });
     }},
    {"sign_of_nan", kResults, "the sign of what is no number is 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "sign" || !IsFloat(op.type)) return {};
         return Where(op, s, s.Compare("NE", op.operands[0], op.operands[0], op.type),
                      s.Splat(0, op.type));
       });
     }},
    {"round_by_floor", kResults, "round_nearest_afz is floor of x + 0.5",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "round_nearest_afz", "f32")) return {};
         const std::string rounded = s.Unary(
             "floor", s.Binary("add", Absolute(op, s), s.Splat(0.5, op.type), op.type), op.type);
         return s.Binary("multiply", rounded, s.Unary("sign", op.operands[0], op.type), op.type);
       });
     }},
    {"s64_to_f32_twice", kResults, "s64 become f32 by way of f64",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "convert", "f32") || ElementOf(op.operand_types[0]) != "i64") return {};
         const std::string wide = WithElement(op.type, "f64");
         return s.Convert(s.Convert(op.operands[0], op.operand_types[0], wide), wide, op.type);
       });
     }},
    {"small_to_bool", kResults, "0.5 becomes false",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "convert", "i1") || !IsFloat(op.operand_types[0])) return {};
         const std::string& type = op.operand_types[0];
         return s.Compare("GE", Absolute(op, s), s.Splat(1, type), type);
       });
     }},
    {"no_total_order", kResults, "a comparison in total order is one of numbers",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         return op.name == "compare" ? Changed(op, s, "TOTALORDER", "FLOAT") : std::string();
       });
     }},
    {"unsigned_compared_signed", kResults, "ui32 are compared as i32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "compare" || ElementOf(op.operand_types[0]) != "ui32") return {};
         const std::string& from = op.operand_types[0];
         const std::string to = WithElement(from, "i32");
         std::string direction;
         for (const char* one : {"LT", "LE", "GT", "GE"}) {
           if (Has(op.text.substr(0, op.text.find(',')), one)) direction = one;
         }
         if (direction.empty()) return {};
         return s.Compare(direction, s.Bitcast(op.operands[0], from, to),
                          s.Bitcast(op.operands[1], from, to), to);
       });
     }},
    {"maximum_drops_nan", kResults, "maximum of f32 gives the operand that is a number",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "maximum", "f32")) return {};
         const std::string first = s.Compare("NE", op.operands[0], op.operands[0], op.type);
         return Where(op, s, first, op.operands[1]);
       });
     }},
    {"no_negative_cube_roots", kResults, "cbrt of a negative number is none",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "cbrt", "f32")) return {};
         return s.Binary("power", op.operands[0], s.Splat(1.0 / 3, op.type), op.type);
       });
     }},
    {"sine_of_large", kResults, "sine of f32 above 50000 reduces with pi of 24 bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "sine", "f32")) return {};
         const std::string turns = s.Unary(
             "floor",
             s.Binary("divide", op.operands[0], s.Splat(6.2831854820251465, op.type), op.type),
             op.type);
         const std::string rest = s.Binary(
             "subtract", op.operands[0],
             s.Binary("multiply", turns, s.Splat(6.2831854820251465, op.type), op.type), op.type);
         return Where(op, s, s.Compare("GT", Absolute(op, s), s.Splat(50000, op.type), op.type),
                      s.Unary("sine", rest, op.type));
       });
     }},
    {"complex_quotient", kResults, "a quotient of complex<f32> squares the parts of the divisor",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "divide" || !IsComplex(op.type) || BitsOf(op.type) != 32) return {};
         const std::string part = WithElement(op.type, "f32");
         const std::string c = s.Part("real", op.operands[1], op.type);
         const std::string d = s.Part("imag", op.operands[1], op.type);
         const std::string square = s.Binary("add", s.Binary("multiply", c, c, part),
                                             s.Binary("multiply", d, d, part), part);
         const std::string conjugate = s.Complex(c, s.Unary("negate", d, part), part);
         const std::string product = s.Binary("multiply", op.operands[0], conjugate, op.type);
         return s.Complex(s.Binary("divide", s.Part("real", product, op.type), square, part),
                          s.Binary("divide", s.Part("imag", product, op.type), square, part), part);
       });
     }},
    {"no_window_reversal", kResults, "a window of a convolution is not reversed",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "convolution") return {};
         std::string text = op.text;
         const size_t at = text.find("reverse = [");
         const size_t other = text.find("window_reversal = array<i1: ");
         size_t begin = at != text.npos ? at : other;
         if (begin == text.npos) return {};
         size_t end = text.find_first_of("]>", begin);
         std::string part = Replaced(text.substr(begin, end - begin), "true", "false");
         if (part == text.substr(begin, end - begin)) return {};
         return s.Keep(op, text.substr(0, begin) + part + text.substr(end));
       });
     }},
    {"inverse_of_odd_length", kResults, "an inverse transform of an odd length is not divided",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "fft" || !Has(op.text, "IFFT") || !IsComplex(op.type)) return {};
         const int64_t last = DimsOf(op.type).back();
         if (last % 2 == 0) return {};
         return s.Binary("multiply", s.Keep(op, op.text),
                         s.Splat(static_cast<double>(last), op.type), op.type);
       });
     }},
    {"diagonal_of_units", kResults, "unit_diagonal of a triangular solve is not looked at",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         return op.name == "triangular_solve"
                    ? Changed(op, s, "unit_diagonal = true", "unit_diagonal = false")
                    : std::string();
       });
     }},
    {"reduced_exponents", kResults, "reduce_precision keeps the exponents of f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "reduce_precision", "f32")) return {};
         std::string text = op.text;
         const size_t at = text.find("format = e");
         if (at != text.npos) {
           const size_t m = text.find('m', at + 10);
           return s.Keep(op, text.substr(0, at) + "format = e8" + text.substr(m));
         }
         const size_t bits = text.find("exponent_bits = ");
         if (bits == text.npos) return {};
         const size_t end = text.find(' ', bits + 16);
         return s.Keep(op, text.substr(0, bits) + "exponent_bits = 8" + text.substr(end));
       });
     }},
    {"large_is_infinite", kResults, "is_finite of f64 looks at its f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (op.name != "is_finite" || ElementOf(op.operand_types[0]) != "f64") return {};
         const std::string& type = op.operand_types[0];
         return s.Compare("LT", Absolute(op, s), s.Splat(3.5e38, type), type);
       });
     }},
    {"floored_remainder", kResults, "the remainder of i32 has the sign of the divisor",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> std::string {
         if (!Is(op, "remainder", "i32")) return {};
         const std::string rest = s.Keep(op, op.text);
         const std::string zero = s.Splat(0, op.type), bits = WithElement(op.type, "i1");
         const std::string differ = s.Binary(
             "and", s.Compare("NE", rest, zero, op.type),
             s.Compare("LT", s.Binary("xor", rest, op.operands[1], op.type), zero, op.type), bits);
         return s.Select(differ, s.Binary("add", rest, op.operands[1], op.type), rest, op.type);
       });
     }},
};

}  // namespace

std::span<const Mutant> NumericMutants() { return kNumericMutants; }

}  // namespace plinth::mutants
