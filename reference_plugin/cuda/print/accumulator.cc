// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/accumulator.h"

#include <algorithm>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cuda/print/scalar_text.h"

namespace plinth::cuda {
namespace {

using compiler::Opcode;

// What changes no value that it is combined with, for the usual ops; then a thread without points
// needs no care.
std::optional<std::string> IdentityText(const compiler::Combiner& combiner, DType type) {
  const std::optional<Opcode> op = compiler::SingleOp(combiner);
  if (!op.has_value()) return std::nullopt;
  const DTypeInfo& info = InfoOf(type);
  const bool is_f64 = type == DType::kF64;
  switch (info.kind) {
    case DTypeClass::kFloat:
      if (*op == Opcode::kAdd) return is_f64 ? "-0.0" : "-0.0f";
      if (*op == Opcode::kMultiply) return is_f64 ? "1.0" : "1.0f";
      if (*op == Opcode::kMaximum) {
        return is_f64 ? "f64_bits(0xfff0000000000000ull)" : "f32_bits(0xff800000u)";
      }
      if (*op == Opcode::kMinimum) {
        return is_f64 ? "f64_bits(0x7ff0000000000000ull)" : "f32_bits(0x7f800000u)";
      }
      return std::nullopt;
    case DTypeClass::kPred:
      if (*op == Opcode::kAnd || *op == Opcode::kMinimum || *op == Opcode::kMultiply) return "true";
      if (*op == Opcode::kOr || *op == Opcode::kMaximum || *op == Opcode::kAdd) return "false";
      if (*op == Opcode::kXor) return "false";
      return std::nullopt;
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned: {
      compiler::ScalarBits bits;
      const bool is_signed = info.kind == DTypeClass::kSigned;
      const uint64_t ones = ~uint64_t{0} >> (64 - info.bits);
      switch (*op) {
        case Opcode::kAdd:
        case Opcode::kOr:
        case Opcode::kXor:
          break;
        case Opcode::kMultiply:
          bits.low = 1;
          break;
        case Opcode::kAnd:
          bits.low = ones;
          break;
        case Opcode::kMaximum:
          bits.low = is_signed ? uint64_t{1} << (info.bits - 1) : 0;
          break;
        case Opcode::kMinimum:
          bits.low = is_signed ? ones >> 1 : ones;
          break;
        default:
          return std::nullopt;
      }
      return LiteralText(type, bits);
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::string> IdentityOf(const compiler::Phase& phase,
                                      const compiler::Reduction& reduction) {
  if (reduction.inputs.size() != 1) return std::nullopt;
  return IdentityText(reduction.combiner,
                      phase.nodes[static_cast<size_t>(reduction.inputs[0])].dtype);
}

}  // namespace

Accumulator::Accumulator(KernelCode& out, const Form& form, int32_t phase,
                         const compiler::Reduction& reduction, int32_t number)
    : out_(out),
      code_(out.code()),
      form_(form),
      phase_number_(phase),
      phase_(out.kernel().body.phases[static_cast<size_t>(phase)]),
      reduction_(reduction),
      number_(number),
      identity_(IdentityOf(phase_, reduction)) {}

DType Accumulator::type(size_t component) const {
  return phase_.nodes[static_cast<size_t>(input(component))].dtype;
}

std::vector<std::string> Accumulator::Names() const {
  std::vector<std::string> names;
  for (size_t c = 0; c < num_components(); ++c) names.push_back(Name(c));
  return names;
}

void Accumulator::Declare() {
  // Without an identity the thread must know whether it has had a point.
  if (!identity_.has_value()) code_.Line("bool h", number_, " = false;");
  for (size_t c = 0; c < num_components(); ++c) {
    const std::string type_name = ValueType(type(c));
    code_.Line(type_name, " ", Name(c), " = ",
               identity_.has_value() ? *identity_ : StrCat(type_name, "()"), ";");
  }
}

Status Accumulator::Add(std::span<const std::string> elements) {
  if (identity_.has_value()) {
    code_.Open("");
  } else {
    code_.Open("if (!h", number_, ")");
    for (size_t c = 0; c < elements.size(); ++c) code_.Line(Name(c), " = ", elements[c], ";");
    code_.Line("h", number_, " = true;");
    code_.Close();
    code_.Open("else");
  }
  PLINTH_RETURN_IF_ERROR(Combine(Names(), elements));
  code_.Close();
  return Status();
}

// Statements that assign combiner(left, right) to the variables.
Status Accumulator::Combine(std::span<const std::string> left, std::span<const std::string> right) {
  std::vector<std::string> parameters(left.begin(), left.end());
  parameters.insert(parameters.end(), right.begin(), right.end());
  for (int32_t captured : reduction_.captured) {
    parameters.push_back(StrCat("(", out_.UniformValue(phase_number_, captured), ")"));
  }
  PLINTH_ASSIGN_OR_RETURN(CombinedText text, CombineText(reduction_.combiner, parameters, "x"));
  for (const std::string& statement : text.statements) code_.Line(statement);
  if (text.results.size() == 1) {
    code_.Line(Name(0), " = ", text.results[0], ";");
    return Status();
  }
  for (size_t c = 0; c < text.results.size(); ++c) {
    code_.Line("const ", ValueType(type(c)), " y", c, " = ", text.results[c], ";");
  }
  for (size_t c = 0; c < text.results.size(); ++c) code_.Line(Name(c), " = y", c, ";");
  return Status();
}

Status Accumulator::Exchange(int64_t live) {
  return form_.rows_fastest ? ThroughShared(live) : ThroughWarps(live);
}

// Warps exchange by shuffles, in the order of lanes; then the block through shared memory, in the
// order of warps.
Status Accumulator::ThroughWarps(int64_t live) {
  const int32_t width = std::min(form_.slices, kWarp);
  for (int32_t distance = 1; distance < std::min<int64_t>(width, live); distance *= 2) {
    code_.Open("");
    std::vector<std::string> right;
    for (size_t c = 0; c < num_components(); ++c) {
      right.push_back(StrCat("t", c));
      code_.Line("const ", ValueType(type(c)), " t", c, " = from_above(", Name(c), ", ", distance,
                 "u);");
    }
    // Lanes that are not at the start of their part have no use for what they compute.
    std::string condition = StrCat("slice % ", width, "u + ", distance, "u < ", width, "u");
    if (!identity_.has_value()) condition += StrCat(" && slice + ", distance, "u < ", live, "u");
    code_.Open("if (", condition, ")");
    PLINTH_RETURN_IF_ERROR(Combine(Names(), right));
    code_.Close();
    code_.Close();
  }
  if (form_.slices <= kWarp) {
    for (size_t c = 0; c < num_components(); ++c) {
      code_.Line(Name(c), " = from_lane(", Name(c), ", (threadIdx.x & 31u) & ~", form_.slices - 1,
                 "u);");
    }
    return Status();
  }
  const int32_t warps = form_.slices / kWarp;
  const int64_t live_warps = (live + kWarp - 1) / kWarp;
  for (size_t c = 0; c < num_components(); ++c) {
    code_.Line("__shared__ ", ValueType(type(c)), " m", number_, "_", c, "[", form_.rows * warps,
               "];");
    code_.Line("if (slice % 32u == 0) m", number_, "_", c, "[in_block * ", warps,
               "u + slice / 32u] = ", Name(c), ";");
  }
  code_.Line("__syncthreads();");
  for (size_t c = 0; c < num_components(); ++c) {
    code_.Line(Name(c), " = m", number_, "_", c, "[in_block * ", warps, "u];");
  }
  if (live_warps > 1) {
    code_.Open("for (u32 w = 1; w < ", live_warps, "u; ++w)");
    std::vector<std::string> right;
    for (size_t c = 0; c < num_components(); ++c) {
      right.push_back(StrCat("m", number_, "_", c, "[in_block * ", warps, "u + w]"));
    }
    PLINTH_RETURN_IF_ERROR(Combine(Names(), right));
    code_.Close();
  }
  return Status();
}

// Every thread puts down its part; all of them combine those of their row in the order of slices.
Status Accumulator::ThroughShared(int64_t live) {
  for (size_t c = 0; c < num_components(); ++c) {
    code_.Line("__shared__ ", ValueType(type(c)), " m", number_, "_", c, "[", form_.block, "];");
    code_.Line("m", number_, "_", c, "[slice * ", form_.rows, "u + in_block] = ", Name(c), ";");
  }
  code_.Line("__syncthreads();");
  for (size_t c = 0; c < num_components(); ++c) {
    code_.Line(Name(c), " = m", number_, "_", c, "[in_block];");
  }
  code_.Open("for (u32 s = 1; s < ", live, "u; ++s)");
  std::vector<std::string> right;
  for (size_t c = 0; c < num_components(); ++c) {
    right.push_back(StrCat("m", number_, "_", c, "[s * ", form_.rows, "u + in_block]"));
  }
  PLINTH_RETURN_IF_ERROR(Combine(Names(), right));
  code_.Close();
  return Status();
}

Status Accumulator::Finish(bool has_points) {
  std::vector<std::string> initial;
  for (size_t c = 0; c < num_components(); ++c) {
    initial.push_back(StrCat("z", number_, "_", c));
    code_.Line("const ", ValueType(type(c)), " ", initial.back(), " = ",
               out_.UniformValue(phase_number_, reduction_.initial[c]), ";");
  }
  if (has_points) {
    code_.Open("");
    PLINTH_RETURN_IF_ERROR(Combine(initial, Names()));
    code_.Close();
  } else {
    for (size_t c = 0; c < initial.size(); ++c) code_.Line(Name(c), " = ", initial[c], ";");
  }
  for (size_t c = 0; c < num_components(); ++c) {
    const std::string value = Name(c);
    code_.Line("const ", ValueType(type(c)), " ",
               out_.ReducedName(number_, static_cast<int32_t>(c)), " = ",
               IsWrapped(type(c)) ? StrCat(TypeText(type(c)), "::wrap(", value, ")") : value, ";");
  }
  return Status();
}

}  // namespace plinth::cuda
