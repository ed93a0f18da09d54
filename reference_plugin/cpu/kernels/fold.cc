// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/fold.h"

#include <bit>
#include <type_traits>

namespace plinth::cpu::kernels {
namespace {

using compiler::Opcode;

struct AddOp {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }
};

// A NaN wins, and +0 is greater than -0, as for the elementwise ops. Equal operands differ in
// nothing but the sign of a zero.
template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

struct MaximumOp {
  template <typename T>
  static T Apply(T a, T b) {
    const T larger = a != a || a > b ? a : b;
    if constexpr (std::is_floating_point_v<T>) {
      const BitsOf<T> both = std::bit_cast<BitsOf<T>>(a) & std::bit_cast<BitsOf<T>>(b);
      return a == b ? std::bit_cast<T>(both) : larger;
    }
    return larger;
  }
};
struct MinimumOp {
  template <typename T>
  static T Apply(T a, T b) {
    const T smaller = a != a || a < b ? a : b;
    if constexpr (std::is_floating_point_v<T>) {
      const BitsOf<T> either = std::bit_cast<BitsOf<T>>(a) | std::bit_cast<BitsOf<T>>(b);
      return a == b ? std::bit_cast<T>(either) : smaller;
    }
    return smaller;
  }
};

template <typename T, typename Op, int kHalf>
inline void Halve(T* lanes) {
  for (int i = 0; i < kHalf; ++i) lanes[i] = Op::Apply(lanes[i], lanes[i + kHalf]);
}

template <typename T, typename Op>
void Fold(void* data, int64_t count) {
  T* lanes = static_cast<T*>(data);
  int64_t half = 1;
  while (2 * half < count) half *= 2;
  if (count != 2 * half) {
    for (int64_t i = 0; i < count - half; ++i) lanes[i] = Op::Apply(lanes[i], lanes[i + half]);
    count = half;
  }
  switch (count) {
    case 64:
      Halve<T, Op, 32>(lanes);
      [[fallthrough]];
    case 32:
      Halve<T, Op, 16>(lanes);
      [[fallthrough]];
    case 16:
      Halve<T, Op, 8>(lanes);
      [[fallthrough]];
    case 8:
      Halve<T, Op, 4>(lanes);
      [[fallthrough]];
    case 4:
      Halve<T, Op, 2>(lanes);
      [[fallthrough]];
    case 2:
      Halve<T, Op, 1>(lanes);
      [[fallthrough]];
    default:
      break;
  }
}

template <typename T>
FoldFunction FoldOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return Fold<T, AddOp>;
    case Opcode::kMaximum:
      return Fold<T, MaximumOp>;
    case Opcode::kMinimum:
      return Fold<T, MinimumOp>;
    default:
      return nullptr;
  }
}

}  // namespace

FoldFunction FindFold(Opcode opcode, DType type) {
  switch (type) {
    case DType::kF32:
      return FoldOf<float>(opcode);
    case DType::kF64:
      return FoldOf<double>(opcode);
    case DType::kS32:
      return FoldOf<int32_t>(opcode);
    case DType::kS64:
      return FoldOf<int64_t>(opcode);
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::kernels
