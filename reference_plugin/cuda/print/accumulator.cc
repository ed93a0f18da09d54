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
  const bool one = form_.columns == 1;
  const std::string count = one ? "" : StrCat("[", form_.columns, "]");
  // Without an identity the thread must know whether it has had a point.
  if (!identity_.has_value()) code_.Line("bool h", number_, count, one ? " = false;" : ";");
  for (size_t c = 0; c < num_components(); ++c) {
    const std::string type_name = ValueType(type(c));
    const std::string value = identity_.has_value() ? *identity_ : StrCat(type_name, "()");
    code_.Line(type_name, " c", number_, "_", c, count, one ? StrCat(" = ", value) : "", ";");
    if (one) continue;
    code_.Line("#pragma unroll");
    code_.Line("for (u32 j = 0; j < ", form_.columns, "; ++j) ", Name(c), " = ", value, ";");
  }
  if (one || identity_.has_value()) return;
  code_.Line("#pragma unroll");
  code_.Line("for (u32 j = 0; j < ", form_.columns, "; ++j) ", HasName(), " = false;");
}

Status Accumulator::ForEachColumn(const std::function<Status()>& body) {
  if (form_.columns == 1) return body();
  code_.Line("#pragma unroll");
  code_.Open("for (u32 j = 0; j < ", form_.columns, "; ++j)");
  PLINTH_RETURN_IF_ERROR(body());
  code_.Close();
  return Status();
}

Status Accumulator::Add(std::span<const std::string> elements) {
  if (identity_.has_value()) {
    code_.Open("");
  } else {
    code_.Open("if (!", HasName(), ")");
    for (size_t c = 0; c < elements.size(); ++c) code_.Line(Name(c), " = ", elements[c], ";");
    code_.Line(HasName(), " = true;");
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

Status Accumulator::Exchange(int64_t most, std::string_view live, bool for_all) {
  return form_.rows_fastest ? ThroughShared(most, live, for_all) : ThroughWarps(most, live);
}

// Warps exchange by shuffles, in the order of lanes; then the block through shared memory, in the
// order of warps.
Status Accumulator::ThroughWarps(int64_t most, std::string_view live) {
  const int32_t width = std::min(form_.slices, kWarp);
  for (int32_t distance = 1; distance < std::min<int64_t>(width, most); distance *= 2) {
    code_.Open("");
    std::vector<std::string> right;
    for (size_t c = 0; c < num_components(); ++c) {
      right.push_back(StrCat("t", c));
      code_.Line("const ", ValueType(type(c)), " t", c, " = from_above(", Name(c), ", ", distance,
                 "u);");
    }
    // Lanes that are not at the start of their part have no use for what they compute.
    std::string condition = StrCat("slice % ", width, "u + ", distance, "u < ", width, "u");
    if (!identity_.has_value()) condition += StrCat(" && slice + ", distance, "u < ", live);
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
  if (most > kWarp) {
    code_.Open("for (u32 w = 1; w < (", live, " + 31u) / 32u; ++w)");
    std::vector<std::string> right;
    for (size_t c = 0; c < num_components(); ++c) {
      right.push_back(StrCat("m", number_, "_", c, "[in_block * ", warps, "u + w]"));
    }
    PLINTH_RETURN_IF_ERROR(Combine(Names(), right));
    code_.Close();
  }
  return Status();
}

// Every thread puts down its part; then every other one combines it with its neighbour's, every
// fourth one with that of the next but one, and so on.
Status Accumulator::ThroughShared(int64_t most, std::string_view live, bool for_all) {
  const std::string column = form_.columns > 1 ? StrCat(") * ", form_.columns, "u + j") : ")";
  const auto place = [&](size_t c, std::string_view slice) {
    return StrCat("m", number_, "_", c, "[(", slice, " * ", form_.rows, "u + in_block", column,
                  "]");
  };
  for (size_t c = 0; c < num_components(); ++c) {
    code_.Line("__shared__ ", ValueType(type(c)), " m", number_, "_", c, "[",
               form_.block * form_.columns, "];");
  }
  const auto put = [&] {
    for (size_t c = 0; c < num_components(); ++c)
      code_.Line(place(c, "slice"), " = ", Name(c), ";");
    return Status();
  };
  PLINTH_RETURN_IF_ERROR(ForEachColumn(put));
  for (int64_t distance = 1; distance < most; distance *= 2) {
    code_.Line("__syncthreads();");
    code_.Open("if (slice % ", 2 * distance, "u == 0 && slice + ", distance, "u < ", live, ")");
    std::vector<std::string> right;
    for (size_t c = 0; c < num_components(); ++c) {
      right.push_back(place(c, StrCat("(slice + ", distance, "u)")));
    }
    PLINTH_RETURN_IF_ERROR(ForEachColumn([&] {
      PLINTH_RETURN_IF_ERROR(Combine(Names(), right));
      return put();
    }));
    code_.Close();
  }
  if (!for_all) return Status();
  code_.Line("__syncthreads();");
  for (size_t c = 0; c < num_components(); ++c) {
    code_.Line(Name(c), " = ", place(c, "0u"), ";");
  }
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
