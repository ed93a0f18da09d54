// SPDX-License-Identifier: Apache-2.0
// Plugins that convert numbers as some hardware does: by way of another type, with saturation where
// there is none, or cutting bits. Written from the specification of StableHLO.

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

using Text = std::string;

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

// Whether the op converts between elements of those names.
bool Converts(const Op& op, std::string_view from, std::string_view to) {
  return op.name == "convert" && op.operand_types.size() == 1 &&
         ElementOf(op.operand_types[0]) == from && ElementOf(op.type) == to;
}

// By way of a third type.
Text Through(const Op& op, Statements& s, std::string_view element) {
  Text between = WithElement(op.type, element);
  return s.Convert(s.Convert(op.operands[0], op.operand_types[0], between), between, op.type);
}

// With numbers outside of [least, most] taken for these.
Text Limited(const Op& op, Statements& s, double least, double most) {
  const Text& type = op.operand_types[0];
  Text low = s.Binary("maximum", op.operands[0], s.Splat(least, type), type);
  return s.Convert(s.Binary("minimum", low, s.Splat(most, type), type), type, op.type);
}

constexpr Mutant kConversionMutants[] = {
    {"bf16_cut", kResults, "f32 becomes bf16 by dropping bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Converts(op, "f32", "bf16")) return "";
         Text u = WithElement(op.type, "ui32"), n = WithElement(op.type, "ui16");
         Text bits = s.Bitcast(op.operands[0], op.operand_types[0], u);
         Text high = s.Binary("shift_right_logical", bits, s.Splat(16, u), u);
         return s.Bitcast(s.Convert(high, u, n), n, op.type);
       });
     }},
    {"eight_bits_saturate", kResults, "f32 too large for f8E4M3FN becomes its largest number",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "f32", "f8E4M3FN") ? Limited(op, s, -448, 448) : "";
       });
     }},
    {"five_exponent_bits_saturate", kResults, "f32 too large for f8E5M2 becomes its largest number",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "f32", "f8E5M2") ? Limited(op, s, -57344, 57344) : "";
       });
     }},
    {"halves_saturate", kResults, "f32 too large for f16 becomes its largest number",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "f32", "f16") ? Limited(op, s, -65504, 65504) : "";
       });
     }},
    {"eight_bits_through_half", kResults, "f32 becomes f8E4M3FN by way of f16",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "f32", "f8E4M3FN") ? Through(op, s, "f16") : "";
       });
     }},
    {"long_through_double", kResults, "s64 becomes f32 by way of f64",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "i64", "f32") ? Through(op, s, "f64") : "";
       });
     }},
    {"double_through_single", kResults, "f64 becomes s64 by way of f32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "f64", "i64") ? Through(op, s, "f32") : "";
       });
     }},
    {"truth_of_whole", kResults, "a number below 1 is false",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "f32", "i1") ? Through(op, s, "i32") : "";
       });
     }},
    {"truth_of_low_bits", kResults, "an s32 is true if its low byte is not 0",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "i32", "i1") ? Through(op, s, "i8") : "";
       });
     }},
    {"unsigned_long_signed", kResults, "u64 becomes f64 by way of s64",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "ui64", "f64") ? Through(op, s, "i64") : "";
       });
     }},
    {"unsigned_word_signed", kResults, "u32 becomes f32 by way of s32",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         return Converts(op, "ui32", "f32") ? Through(op, s, "i32") : "";
       });
     }},
    {"nibbles_without_sign", kResults, "s4 becomes s32 without its sign",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (!Converts(op, "i4", "i32")) return "";
         Text wide = s.Convert(op.operands[0], op.operand_types[0], op.type);
         return s.Binary("and", wide, s.Splat(15, op.type), op.type);
       });
     }},
    {"bytes_in_other_order", kResults, "bytes become words with the highest byte first",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "bitcast_convert") return "";
         const Text& type = op.operand_types[0];
         auto from = DimsOf(type), to = DimsOf(op.type);
         if (from.size() != to.size() + 1) return "";
         Text last = std::to_string(from.size() - 1);
         Text turned = s.Unary("reverse", op.operands[0] + ", dims = [" + last + "]", type);
         return s.Bitcast(turned, type, op.type);
       });
     }},
    {"precision_not_reduced", kResults, "reduce_precision does nothing",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         if (op.name != "reduce_precision") return "";
         return s.Convert(op.operands[0], op.type, op.type);
       });
     }},
    {"precision_cut", kResults, "reduce_precision to bf16 drops bits",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) -> Text {
         bool is_bf16 = Has(op.text, "e8m7") ||
                        (Has(op.text, "exponent_bits = 8") && Has(op.text, "mantissa_bits = 7"));
         if (op.name != "reduce_precision" || !is_bf16 || ElementOf(op.type) != "f32") return "";
         Text u = WithElement(op.type, "ui32");
         Text bits = s.Bitcast(op.operands[0], op.type, u);
         return s.Bitcast(s.Binary("and", bits, s.Splat(0xFFFF0000, u), u), u, op.type);
       });
     }},
};

}  // namespace

std::span<const Mutant> ConversionMutants() { return kConversionMutants; }

}  // namespace plinth::mutants
