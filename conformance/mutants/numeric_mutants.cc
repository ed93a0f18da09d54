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
};

}  // namespace

std::span<const Mutant> NumericMutants() { return kNumericMutants; }

}  // namespace plinth::mutants
