// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/neutral_padding.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::passes {
namespace {

// The value that changes nothing: as a number of any type, or the least or greatest of the type.
enum class Neutral : uint8_t { kNone, kZero, kOne, kLeast, kGreatest, kAllOnes };

Neutral NeutralOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kOr:
    case Opcode::kXor:
      return Neutral::kZero;
    case Opcode::kMultiply:
      return Neutral::kOne;
    case Opcode::kMaximum:
      return Neutral::kLeast;
    case Opcode::kMinimum:
      return Neutral::kGreatest;
    case Opcode::kAnd:
      return Neutral::kAllOnes;
    default:
      return Neutral::kNone;
  }
}

std::shared_ptr<const Attributes> NeutralElement(Neutral neutral, DType dtype) {
  const bool is_real = IsIeeeFloat(dtype);
  const bool is_integral = IsInteger(dtype) || dtype == DType::kPred;
  switch (neutral) {
    case Neutral::kZero:
    case Neutral::kOne:
      if (!is_real && !is_integral && !IsComplex(dtype)) return nullptr;
      return SplatAttributes(dtype, neutral == Neutral::kOne ? 1 : 0);
    case Neutral::kLeast:
    case Neutral::kGreatest:
      if (is_real) {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        return SplatAttributes(dtype, neutral == Neutral::kLeast ? -kInfinity : kInfinity);
      }
      break;
    default:
      break;
  }
  if (!is_integral) return nullptr;
  if (dtype == DType::kPred) return SplatAttributes(dtype, neutral == Neutral::kLeast ? 0 : 1);
  // The low bits of these are the value.
  const bool is_signed = InfoOf(dtype).kind == DTypeClass::kSigned;
  const int64_t lowest =
      is_signed ? std::numeric_limits<int64_t>::min() >> (64 - InfoOf(dtype).bits) : 0;
  const int64_t value = neutral == Neutral::kAllOnes ? -1
                        : neutral == Neutral::kLeast ? lowest
                                                     : ~lowest;
  std::array<std::byte, 8> element{};
  WriteInteger(dtype, value, element.data());
  return SplatAttributes(
      std::span<const std::byte>(element.data(), static_cast<size_t>(ByteSize(dtype))));
}

bool HasPadding(const Window& window) {
  const auto any_but = [](const Dims& dims, int64_t none) {
    return std::any_of(dims.begin(), dims.end(), [&](int64_t value) { return value != none; });
  };
  return any_but(window.padding_low, 0) || any_but(window.padding_high, 0) ||
         any_but(window.base_dilation, 1);
}

}  // namespace

Value* ExpandNeutralPadding(Builder& builder, const Op& op) {
  if (op.operands.size() != 2 || !HasPadding(op.Get<WindowAttributes>().window)) return nullptr;
  const std::optional<Opcode> opcode = OnlyOpOf(*op.blocks[0]);
  if (!opcode) return nullptr;
  Value* const initial = op.operands[1];
  const auto neutral = NeutralElement(NeutralOf(*opcode), initial->type.dtype);
  if (neutral == nullptr) return nullptr;
  const std::span<const std::byte> element = std::get<ConstantAttributes>(*neutral).bytes;
  const std::span<const std::byte> given = SplatOf(initial);
  const bool is_neutral = std::equal(given.begin(), given.end(), element.begin(), element.end()) ||
                          (*opcode == Opcode::kAdd && IsSplat(initial, 0));
  if (is_neutral) return nullptr;

  Value* const operands[] = {op.operands[0],
                             builder.Add(Opcode::kConstant, {}, initial->type, neutral)};
  Op* const windows = builder.AddOp(Opcode::kReduceWindow, operands,
                                    std::span<const Type>(&op.type(), 1), op.attributes);
  windows->blocks = op.blocks;
  const Dims& dims = op.type().dims;
  Value* const first = dims.empty() ? initial : builder.Broadcast(initial, dims, {});
  return builder.Binary(*opcode, first, windows->results[0]);
}

}  // namespace plinth::compiler::passes
