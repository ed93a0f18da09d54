// SPDX-License-Identifier: Apache-2.0
// Plugins whose elementwise ops differ in corners: what a library, a data sheet or another language
// means by the same name. Written from the specification of StableHLO.

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

using Text = std::string;

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

bool Is(const Op& op, std::string_view name) { return op.name == name; }

Text OppositeSign(const Text& unsigned_type) { return Replaced(unsigned_type, "ui", "i"); }

// The op on integers of the other signedness with the same bits.
Text AsSigned(const Op& op, Statements& s) {
  Text type = OppositeSign(op.type);
  Text a = s.Bitcast(op.operands[0], op.type, type), b = s.Bitcast(op.operands[1], op.type, type);
  return s.Bitcast(s.Binary(op.name, a, b, type), type, op.type);
}

// The op in f32 and back, for f64 (or pairs of them).
Text InSingle(const Op& op, Statements& s) {
  return s.InType(op, IsComplex(op.type) ? "complex<f32>" : "f32");
}
bool IsDouble(const Op& op) { return Has(ElementOf(op.type), "f64"); }

Text IsNan(const Text& a, const Text& type, Statements& s) { return s.Compare("NE", a, a, type); }

constexpr Mutant kArithmeticMutants[] = {
    {"divides_down", kResults, "quotients of signed integers are rounded down, as Python does",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "divide") || !IsSigned(op.type)) return "";
         const Text &a = op.operands[0], &b = op.operands[1], &type = op.type;
         Text zero = s.Splat(0, type), p = WithElement(type, "i1");
         Text rest = s.Binary("remainder", a, b, type);
         Text has_rest = s.Compare("NE", rest, zero, type);
         Text differ =
             s.Binary("xor", s.Compare("LT", rest, zero, type), s.Compare("LT", b, zero, type), p);
         Text less = s.Convert(s.Binary("and", has_rest, differ, p), p, type);
         return s.Binary("subtract", s.Binary("divide", a, b, type), less, type);
       });
     }},
    {"remainder_of_divisor", kResults, "a remainder has the sign of the divisor",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "remainder") || !IsSigned(op.type)) return "";
         const Text &b = op.operands[1], &type = op.type;
         Text zero = s.Splat(0, type), p = WithElement(type, "i1");
         Text rest = s.Binary("remainder", op.operands[0], b, type);
         Text differ =
             s.Binary("xor", s.Compare("LT", rest, zero, type), s.Compare("LT", b, zero, type), p);
         Text moves = s.Binary("and", s.Compare("NE", rest, zero, type), differ, p);
         return s.Select(moves, s.Binary("add", rest, b, type), rest, type);
       });
     }},
    {"remainder_by_quotient", kResults, "a remainder of f32 is computed from a rounded quotient",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "remainder") || !IsFloat(op.type)) return "";
         const Text &a = op.operands[0], &b = op.operands[1], &type = op.type;
         Text q = s.Binary("divide", a, b, type);
         Text down = s.Unary("floor", s.Unary("abs", q, type), type);
         Text whole = s.Binary("multiply", s.Unary("sign", q, type), down, type);
         return s.Binary("subtract", a, s.Binary("multiply", whole, b, type), type);
       });
     }},
    {"unsigned_divides_signed", kResults, "unsigned integers are divided as signed ones",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "divide") && IsUnsigned(op.type) ? AsSigned(op, s) : "";
       });
     }},
    {"unsigned_rest_signed", kResults, "remainders of unsigned integers are those of signed ones",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "remainder") && IsUnsigned(op.type) ? AsSigned(op, s) : "";
       });
     }},
    {"unsigned_least_signed", kResults, "minima of unsigned integers are those of signed ones",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "minimum") && IsUnsigned(op.type) ? AsSigned(op, s) : "";
       });
     }},
    {"nan_is_equal", kResults, "NaN is not different from itself",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "compare") || !Has(op.text, "NE,") || !IsFloat(op.operand_types[0])) return "";
         const Text &a = op.operands[0], &b = op.operands[1], &type = op.operand_types[0];
         return s.Binary("or", s.Compare("LT", a, b, type), s.Compare("GT", a, b, type), op.type);
       });
     }},
    {"less_is_not_greater", kResults, "LE is the opposite of GT, also for NaN",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "compare") || !Has(op.text, "LE,") || !IsFloat(op.operand_types[0])) return "";
         return s.Unary("not", s.Compare("GT", op.operands[0], op.operands[1], op.operand_types[0]),
                        op.type);
       });
     }},
    {"unsigned_compares_signed", kResults, "unsigned integers are compared as signed ones",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "compare") || !IsUnsigned(op.operand_types[0]) || !Has(op.text, "GT,"))
           return "";
         Text type = OppositeSign(op.operand_types[0]);
         return s.Compare("GT", s.Bitcast(op.operands[0], op.operand_types[0], type),
                          s.Bitcast(op.operands[1], op.operand_types[0], type), type);
       });
     }},
    {"maximum_skips_nan", kResults, "the larger of a NaN and a number is the number",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "maximum") || !IsFloat(op.type)) return "";
         const Text &a = op.operands[0], &b = op.operands[1], &type = op.type;
         Text most = s.Binary("maximum", a, b, type);
         Text one = s.Select(IsNan(a, type, s), b, most, type);
         return s.Select(IsNan(b, type, s), a, one, type);
       });
     }},
    {"minimum_of_second", kResults, "the smaller of two numbers is the second if one is NaN",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "minimum") || !IsFloat(op.type)) return "";
         const Text &a = op.operands[0], &b = op.operands[1], &type = op.type;
         return s.Select(s.Compare("LT", a, b, type), a, b, type);
       });
     }},
    {"difference_turned", kResults, "a - b is -(b - a)",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "subtract") || !IsFloat(op.type)) return "";
         return s.Unary("negate", s.Binary("subtract", op.operands[1], op.operands[0], op.type),
                        op.type);
       });
     }},
    {"negates_from_zero", kResults, "-a is 0 - a",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "negate") || !IsFloat(op.type)) return "";
         return s.Binary("subtract", s.Splat(0, op.type), op.operands[0], op.type);
       });
     }},
    {"divides_by_reciprocal", kResults, "a / b is a * (1 / b)",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "divide") || !IsFloat(op.type)) return "";
         Text inverse = s.Binary("divide", s.Splat(1, op.type), op.operands[1], op.type);
         return s.Binary("multiply", op.operands[0], inverse, op.type);
       });
     }},
    {"nothing_times_anything", kResults, "0 * x is 0, also for infinity",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "multiply") || !IsFloat(op.type)) return "";
         Text zero = s.Splat(0, op.type);
         Text product = s.Binary("multiply", op.operands[0], op.operands[1], op.type);
         Text one =
             s.Select(s.Compare("EQ", op.operands[0], zero, op.type), zero, product, op.type);
         return s.Select(s.Compare("EQ", op.operands[1], zero, op.type), zero, one, op.type);
       });
     }},
    {"bytes_saturate", kResults, "sums of u8 do not wrap round",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "add") || ElementOf(op.type) != "ui8") return "";
         Text wide = WithElement(op.type, "ui16");
         Text sum = s.Binary("add", s.Convert(op.operands[0], op.type, wide),
                             s.Convert(op.operands[1], op.type, wide), wide);
         return s.Convert(s.Binary("minimum", sum, s.Splat(255, wide), wide), wide, op.type);
       });
     }},
    {"truths_add_exclusive", kResults, "the sum of two truths is their exclusive or",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "add") || ElementOf(op.type) != "i1") return "";
         return s.Binary("xor", op.operands[0], op.operands[1], op.type);
       });
     }},
    {"and_is_logical", kResults, "and of integers is 1 where both are not 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "and") || !IsSigned(op.type)) return "";
         Text zero = s.Splat(0, op.type), p = WithElement(op.type, "i1");
         Text both = s.Binary("and", s.Compare("NE", op.operands[0], zero, op.type),
                              s.Compare("NE", op.operands[1], zero, op.type), p);
         return s.Convert(both, p, op.type);
       });
     }},
    {"magnitude_by_maximum", kResults, "the magnitude of a number is the larger of x and -x",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "abs") || !IsFloat(op.operand_types[0])) return "";
         Text minus = s.Unary("negate", op.operands[0], op.type);
         Text more = s.Compare("GT", op.operands[0], minus, op.type);
         return s.Select(more, op.operands[0], minus, op.type);
       });
     }},
    {"sign_without_nan", kResults, "the sign of NaN is 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "sign") || !IsFloat(op.type)) return "";
         return s.Select(IsNan(op.operands[0], op.type, s), s.Splat(0, op.type),
                         s.Unary("sign", op.operands[0], op.type), op.type);
       });
     }},
    {"sign_of_zero", kResults, "the sign of -0 is 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "sign") || !IsFloat(op.type)) return "";
         return s.Binary("add", s.Unary("sign", op.operands[0], op.type), s.Splat(0, op.type),
                         op.type);
       });
     }},
    {"floor_by_integers", kResults, "a number is rounded down by way of s32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "floor")) return "";
         Text i = WithElement(op.type, "i32"), p = WithElement(op.type, "i1");
         Text cut = s.Convert(s.Convert(op.operands[0], op.type, i), i, op.type);
         Text above = s.Convert(s.Compare("GT", cut, op.operands[0], op.type), p, op.type);
         return s.Binary("subtract", cut, above, op.type);
       });
     }},
    {"ceiling_without_sign", kResults, "-0.5 is rounded up to 0 and not to -0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "ceil")) return "";
         return s.Binary("add", s.Unary("ceil", op.operands[0], op.type), s.Splat(0, op.type),
                         op.type);
       });
     }},
    {"rounds_even_away", kResults, "round_nearest_even rounds halves away from zero",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "round_nearest_even") ? s.Unary("round_nearest_afz", op.operands[0], op.type)
                                             : "";
       });
     }},
    {"rounds_by_adding", kResults, "halves are rounded by adding 0.5 and rounding down",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "round_nearest_afz")) return "";
         Text up = s.Binary("add", s.Unary("abs", op.operands[0], op.type), s.Splat(0.5, op.type),
                            op.type);
         return s.Binary("multiply", s.Unary("floor", up, op.type),
                         s.Unary("sign", op.operands[0], op.type), op.type);
       });
     }},
    {"narrow_bits_counted_wide", kResults, "the bits of s8 are counted in 32 bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "popcnt") || ElementOf(op.type) != "i8") return "";
         return s.InType(op, "i32");
       });
     }},
    {"leading_zeros_wide", kResults, "leading zeros of 16 bits are counted in 32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "count_leading_zeros") || BitsOf(op.type) != 16) return "";
         return s.InType(op, "ui32");
       });
     }},
    {"small_logarithms", kResults, "log_plus_one is log of 1 + x",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "log_plus_one") || !IsFloat(op.type)) return "";
         Text more = s.Binary("add", op.operands[0], s.Splat(1, op.type), op.type);
         return s.Unary("log", more, op.type);
       });
     }},
    {"small_exponentials", kResults, "exponential_minus_one is exp less 1",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "exponential_minus_one") || !IsFloat(op.type)) return "";
         return s.Binary("subtract", s.Unary("exponential", op.operands[0], op.type),
                         s.Splat(1, op.type), op.type);
       });
     }},
    {"tanh_of_quotient", kResults, "tanh is computed from e^2x",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "tanh") || !IsFloat(op.type)) return "";
         Text e = s.Unary("exponential", s.Binary("add", op.operands[0], op.operands[0], op.type),
                          op.type);
         Text one = s.Splat(1, op.type);
         return s.Binary("divide", s.Binary("subtract", e, one, op.type),
                         s.Binary("add", e, one, op.type), op.type);
       });
     }},
    {"logistic_of_quotient", kResults, "the logistic function is e^x / (1 + e^x)",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "logistic") || !IsFloat(op.type)) return "";
         Text e = s.Unary("exponential", op.operands[0], op.type);
         return s.Binary("divide", e, s.Binary("add", e, s.Splat(1, op.type), op.type), op.type);
       });
     }},
    {"cube_root_by_power", kResults, "cube roots are powers of a third",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "cbrt")) return "";
         return s.Binary("power", op.operands[0], s.Splat(1.0 / 3, op.type), op.type);
       });
     }},
    {"root_by_power", kResults, "roots are powers of a half",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "sqrt") || !IsFloat(op.type)) return "";
         return s.Binary("power", op.operands[0], s.Splat(0.5, op.type), op.type);
       });
     }},
    {"power_by_logarithm", kResults, "powers are e^(y log x)",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "power") || !IsFloat(op.type)) return "";
         Text log = s.Unary("log", op.operands[0], op.type);
         return s.Unary("exponential", s.Binary("multiply", op.operands[1], log, op.type), op.type);
       });
     }},
    {"power_of_nan", kResults, "NaN to the power of 0 is NaN",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "power") || !IsFloat(op.type)) return "";
         Text power = s.Binary("power", op.operands[0], op.operands[1], op.type);
         return s.Select(IsNan(op.operands[0], op.type, s), op.operands[0], power, op.type);
       });
     }},
    {"inverse_root_coarse", kResults, "inverse roots of f32 have 12 bits, as the instruction gives",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "rsqrt") || ElementOf(op.type) != "f32") return "";
         Text u = WithElement(op.type, "ui32");
         Text bits = s.Bitcast(s.Unary("rsqrt", op.operands[0], op.type), op.type, u);
         return s.Bitcast(s.Binary("and", bits, s.Splat(0xFFFFF000, u), u), u, op.type);
       });
     }},
    {"large_angles", kResults, "sines of large angles are those of a rounded remainder",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "sine") || !IsFloat(op.type)) return "";
         Text rest =
             s.Binary("remainder", op.operands[0], s.Splat(6.283185307179586, op.type), op.type);
         return s.Unary("sine", rest, op.type);
       });
     }},
    {"large_angles_are_zero", kResults, "cosines of angles over 2^20 are 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "cosine") || ElementOf(op.type) != "f32") return "";
         Text cosine = s.Unary("cosine", op.operands[0], op.type);
         Text large = s.Compare("GT", s.Unary("abs", op.operands[0], op.type),
                                s.Splat(1 << 20, op.type), op.type);
         return s.Select(large, s.Splat(0, op.type), cosine, op.type);
       });
     }},
    {"angle_of_quotient", kResults, "atan2 does not see the sign of a zero",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "atan2") || !IsFloat(op.type)) return "";
         Text zero = s.Splat(0, op.type);
         return s.Binary("atan2", s.Binary("add", op.operands[0], zero, op.type),
                         s.Binary("add", op.operands[1], zero, op.type), op.type);
       });
     }},
    {"exponential_clamped", kResults, "exponents above 88 are 88",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "exponential") || ElementOf(op.type) != "f32") return "";
         Text least = s.Binary("minimum", op.operands[0], s.Splat(88, op.type), op.type);
         return s.Unary("exponential", least, op.type);
       });
     }},
    {"logarithm_of_positive", kResults, "the logarithm of a negative number is that of 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "log") || !IsFloat(op.type)) return "";
         Text most = s.Binary("maximum", op.operands[0], s.Splat(0, op.type), op.type);
         return s.Unary("log", most, op.type);
       });
     }},
    {"roots_of_positive", kResults, "the root of a negative number is 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "sqrt") || !IsFloat(op.type)) return "";
         Text zero = s.Splat(0, op.type);
         Text most = s.Select(s.Compare("LT", op.operands[0], zero, op.type), zero, op.operands[0],
                              op.type);
         return s.Unary("sqrt", most, op.type);
       });
     }},
    {"finite_by_limit", kResults, "the largest number does not count as finite",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "is_finite") || ElementOf(op.operand_types[0]) != "f32") return "";
         const Text& type = op.operand_types[0];
         return s.Compare("LT", s.Unary("abs", op.operands[0], type),
                          s.SplatOfBits("0x7F7FFFFF", type), type);
       });
     }},
    {"clamps_from_above", kResults, "where limits cross, the upper one counts not",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "clamp") || op.operand_types[0] != op.type || op.operand_types[2] != op.type)
           return "";
         Text low = s.Binary("minimum", op.operands[1], op.operands[2], op.type);
         return s.Binary("maximum", low, op.operands[0], op.type);
       });
     }},
    {"clamps_nan", kResults, "NaN is clamped to the lower limit",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "clamp") || !IsFloat(op.type) || op.operand_types[0] != op.type) return "";
         Text clamped = s.Keep(op, op.text);
         return s.Select(IsNan(op.operands[1], op.type, s), op.operands[0], clamped, op.type);
       });
     }},
    {"modulus_of_squares", kResults, "the magnitude of a complex number is a root of squares",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "abs") || !IsComplex(op.operand_types[0])) return "";
         Text re = s.Part("real", op.operands[0], op.operand_types[0]);
         Text im = s.Part("imag", op.operands[0], op.operand_types[0]);
         return s.Unary("sqrt",
                        s.Binary("add", s.Binary("multiply", re, re, op.type),
                                 s.Binary("multiply", im, im, op.type), op.type),
                        op.type);
       });
     }},
    {"complex_quotient_naive", kResults, "complex numbers are divided by the squared magnitude",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "divide") || !IsComplex(op.type)) return "";
         Text f = WithElement(op.type, BitsOf(op.type) == 32 ? "f32" : "f64");
         Text a = s.Part("real", op.operands[0], op.type),
              b = s.Part("imag", op.operands[0], op.type);
         Text c = s.Part("real", op.operands[1], op.type),
              d = s.Part("imag", op.operands[1], op.type);
         auto times = [&](const Text& x, const Text& y) { return s.Binary("multiply", x, y, f); };
         Text square = s.Binary("add", times(c, c), times(d, d), f);
         Text re = s.Binary("add", times(a, c), times(b, d), f);
         Text im = s.Binary("subtract", times(b, c), times(a, d), f);
         return s.Complex(s.Binary("divide", re, square, f), s.Binary("divide", im, square, f), f);
       });
     }},
    {"complex_equal_by_real", kResults, "complex numbers are equal if their real parts are",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Is(op, "compare") || !IsComplex(op.operand_types[0]) || !Has(op.text, "EQ,"))
           return "";
         const Text& type = op.operand_types[0];
         return s.Compare("EQ", s.Part("real", op.operands[0], type),
                          s.Part("real", op.operands[1], type),
                          WithElement(type, BitsOf(type) == 32 ? "f32" : "f64"));
       });
     }},
    {"doubles_add_single", kResults, "f64 are added in f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "add") && IsDouble(op) ? InSingle(op, s) : "";
       });
     }},
    {"doubles_divide_single", kResults, "f64 are divided in f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "divide") && IsDouble(op) ? InSingle(op, s) : "";
       });
     }},
    {"doubles_log_single", kResults, "logarithms of f64 are computed in f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "log") && IsDouble(op) ? InSingle(op, s) : "";
       });
     }},
    {"doubles_angle_single", kResults, "atan2 of f64 is computed in f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "atan2") && IsDouble(op) ? InSingle(op, s) : "";
       });
     }},
    {"longs_multiply_short", kResults, "s64 are multiplied in 32 bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "multiply") && ElementOf(op.type) == "i64" ? s.InType(op, "i32") : "";
       });
     }},
    {"longs_negate_short", kResults, "s64 are negated in 32 bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "negate") && ElementOf(op.type) == "i64" ? s.InType(op, "i32") : "";
       });
     }},
    {"longs_divide_double", kResults, "s64 are divided as f64",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "divide") && ElementOf(op.type) == "i64" ? s.InType(op, "f64") : "";
       });
     }},
    {"longs_larger_double", kResults, "the larger of two s64 is found as f64",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Is(op, "maximum") && ElementOf(op.type) == "i64" ? s.InType(op, "f64") : "";
       });
     }},
};

}  // namespace

std::span<const Mutant> ArithmeticMutants() { return kArithmeticMutants; }

}  // namespace plinth::mutants
