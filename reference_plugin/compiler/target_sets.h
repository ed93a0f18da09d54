// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TARGET_SETS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TARGET_SETS_H_

#include <array>
#include <cstddef>
#include <iterator>

#include "reference_plugin/compiler/target.h"

// What several targets say alike.
namespace plinth::compiler {

// Target::top_k of a back end that orders whatever has an order and at least 8 bits.
inline constexpr DTypeSet kRealTypes = {
    DType::kPred, DType::kS8,  DType::kS16, DType::kS32,  DType::kS64, DType::kU8, DType::kU16,
    DType::kU32,  DType::kU64, DType::kF16, DType::kBF16, DType::kF32, DType::kF64};

// Target::products of a back end that sums operands of any such or complex type in their own type
// or a wider one; integers of either sign in either.
constexpr std::array<DTypeSet, kNumDTypes> ProductsInOwnOrWiderType() {
  std::array<DTypeSet, kNumDTypes> products{};
  auto add = [&](DType operands, DTypeSet sums) { products[static_cast<size_t>(operands)] = sums; };
  constexpr DType kIntegers[] = {DType::kS8,  DType::kU8,  DType::kS16, DType::kU16,
                                 DType::kS32, DType::kU32, DType::kS64, DType::kU64};
  for (size_t i = 0; i < std::size(kIntegers); ++i) {
    for (size_t j = i - i % 2; j < std::size(kIntegers); ++j) {
      products[static_cast<size_t>(kIntegers[i])].Add(kIntegers[j]);
    }
  }
  add(DType::kPred, {DType::kPred});
  add(DType::kF16, {DType::kF16, DType::kF32, DType::kF64});
  add(DType::kBF16, {DType::kBF16, DType::kF32, DType::kF64});
  add(DType::kF32, {DType::kF32, DType::kF64});
  add(DType::kF64, {DType::kF64});
  add(DType::kC64, {DType::kC64, DType::kC128});
  add(DType::kC128, {DType::kC128});
  return products;
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TARGET_SETS_H_
