// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/cumulative_rows.h"

#include <complex>

#include "reference_plugin/cpu/library/combine.h"
#include "reference_plugin/cpu/library/element.h"

namespace plinth::cpu::library {
namespace {

using compiler::Opcode;

// A running sum of one row; narrow floats are kept in a wider type.
template <typename T>
struct RunningSum {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
};
template <>
struct RunningSum<Half> {
  using Wide = float;
};
template <>
struct RunningSum<BFloat16> {
  using Wide = float;
};

template <typename T>
void SumRow(void* result, const void* operand, const void* initial, int64_t length,
            int64_t step_elements) {
  using Wide = typename RunningSum<T>::Wide;
  auto* to = static_cast<T*>(result);
  auto* from = static_cast<const T*>(operand);
  Wide sum = ConvertElement<Wide>(*static_cast<const T*>(initial));
  for (int64_t i = 0; i < length; ++i) {
    // Unsigned, so that integers wrap.
    if constexpr (std::is_integral_v<T>) {
      using Bits = std::make_unsigned_t<T>;
      sum = static_cast<T>(static_cast<Bits>(sum) + static_cast<Bits>(*from));
    } else {
      sum += ConvertElement<Wide>(*from);
    }
    *to = ConvertElement<T>(sum);
    to += step_elements;
    from += step_elements;
  }
}

template <typename T>
void ProductRow(void* result, const void* operand, const void* initial, int64_t length,
                int64_t step_elements) {
  auto* to = static_cast<T*>(result);
  auto* from = static_cast<const T*>(operand);
  T product = *static_cast<const T*>(initial);
  for (int64_t i = 0; i < length; ++i, to += step_elements, from += step_elements) {
    product = MultiplyElements::Apply(product, *from);
    *to = product;
  }
}

template <class Extremum, typename T>
void ExtremumRow(void* result, const void* operand, const void* initial, int64_t length,
                 int64_t step_elements) {
  auto* to = static_cast<T*>(result);
  auto* from = static_cast<const T*>(operand);
  T extremum = *static_cast<const T*>(initial);
  for (int64_t i = 0; i < length; ++i, to += step_elements, from += step_elements) {
    // A branch, which is foreseen: the extremum hardly ever changes, or always.
    if (!Extremum::Keeps(extremum, *from)) extremum = Extremum::Apply(extremum, *from);
    *to = extremum;
  }
}

template <typename T>
CumulativeRow RowOf(Opcode opcode) {
  if (opcode == Opcode::kAdd) return SumRow<T>;
  if constexpr (!kIsComplex<T>) {
    if (opcode == Opcode::kMaximum) return ExtremumRow<MaximumOfElements, T>;
    if (opcode == Opcode::kMinimum) return ExtremumRow<MinimumOfElements, T>;
    // Narrow products are rounded by tiles, as f16 by the processor's instructions.
    if constexpr (!kIsNarrowFloat<T>) {
      if (opcode == Opcode::kMultiply) return ProductRow<T>;
    }
  }
  return nullptr;
}

}  // namespace

CumulativeRow FindCumulativeRow(Opcode opcode, DType type) {
  switch (type) {
#define PLINTH_ROW(dtype, Type) \
  case DType::dtype:            \
    return RowOf<Type>(opcode);
    PLINTH_ROW(kS8, int8_t)
    PLINTH_ROW(kS16, int16_t)
    PLINTH_ROW(kS32, int32_t)
    PLINTH_ROW(kS64, int64_t)
    PLINTH_ROW(kU8, uint8_t)
    PLINTH_ROW(kU16, uint16_t)
    PLINTH_ROW(kU32, uint32_t)
    PLINTH_ROW(kU64, uint64_t)
    PLINTH_ROW(kF16, Half)
    PLINTH_ROW(kBF16, BFloat16)
    PLINTH_ROW(kF32, float)
    PLINTH_ROW(kF64, double)
    PLINTH_ROW(kC64, std::complex<float>)
    PLINTH_ROW(kC128, std::complex<double>)
#undef PLINTH_ROW
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::library
