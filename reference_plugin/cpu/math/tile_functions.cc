// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/math/tile_functions.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "reference_plugin/cpu/math/simd_name.h"
#include "reference_plugin/cpu/math/tile_row.h"

namespace plinth::cpu::math {
namespace {

using compiler::Opcode;

constexpr int kNumTypes = kNumDTypes;

// All routines of one target, by what they are asked for.
struct RoutineIndex {
  // Ops whose result type follows from the operand type: [opcode][operand].
  TileFunction ops[compiler::kNumOpcodes][kNumTypes] = {};
  DType results[compiler::kNumOpcodes][kNumTypes] = {};
  TileFunction compares[kNumVariants][kNumTypes] = {};
  TileFunction converts[kNumTypes][kNumTypes] = {};
  TileFunction odd_converts[kNumTypes] = {};  // to f32, before a rounding to a narrower type
  NarrowRow narrow[kNumTypes] = {};
  IotaFunction iotas[kNumTypes] = {};
  std::span<const MemoryRow> memory;
};

int IndexOf(DType type) { return static_cast<int>(type); }

using FamilyRows = std::span<const TileRow> (*)(SimdTarget);
constexpr FamilyRows kFamilies[] = {&ArithmeticRows,  &IntegerRows,         &CompareRows,
                                    &ExponentialRows, &TrigonometricRows,   &PowerRows,
                                    &ComplexRows,     &ComplexFunctionRows, &ConvertRows};

std::unique_ptr<const RoutineIndex> MakeIndex(SimdTarget target) {
  auto index = std::make_unique<RoutineIndex>();
  for (FamilyRows family : kFamilies) {
    for (const TileRow& row : family(target)) {
      const int operand = IndexOf(row.operand);
      if (row.opcode == Opcode::kConvert) {
        auto& function = row.variant == kRoundsToOdd
                             ? index->odd_converts[operand]
                             : index->converts[operand][IndexOf(row.result)];
        function = row.function;
      } else if (row.opcode == Opcode::kCompare) {
        index->compares[row.variant][operand] = row.function;
      } else {
        index->ops[static_cast<int>(row.opcode)][operand] = row.function;
        index->results[static_cast<int>(row.opcode)][operand] = row.result;
      }
    }
  }
  for (const NarrowRow& row : NarrowRows(target)) {
    index->narrow[IndexOf(row.dtype)] = row;
    index->iotas[IndexOf(row.dtype)] = row.iota;
  }
  for (const IotaRow& row : IotaRows(target)) index->iotas[IndexOf(row.dtype)] = row.function;
  index->memory = MemoryRows(target);
  return index;
}

// Made at first use, never destroyed: routines may be looked up while the process exits.
const RoutineIndex& IndexFor(SimdTarget target) {
  static const RoutineIndex* const kBaseline = MakeIndex(SimdTarget::kBaseline).release();
  if (target == SimdTarget::kAvx512 && IsSupported(target)) {
    static const RoutineIndex* const kAvx512 = MakeIndex(SimdTarget::kAvx512).release();
    return *kAvx512;
  }
  if (target == SimdTarget::kAvx2 && IsSupported(target)) {
    static const RoutineIndex* const kAvx2 = MakeIndex(SimdTarget::kAvx2).release();
    return *kAvx2;
  }
  return *kBaseline;
}

#if defined(__x86_64__)
// Clang 14 does not know this feature by name.
bool HasF16C() {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

bool DetectAvx2() {
#if defined(__x86_64__)
  // All that Highway lets the compiler use for AVX2.
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && HasF16C() &&
         __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
#else
  return false;
#endif
}

bool DetectAvx512() {
#if defined(__x86_64__)
  return DetectAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

// Element size to row of RoutineIndex::memory, or nothing.
const MemoryRow* FindMemoryRow(size_t element_bytes, SimdTarget target) {
  const auto& rows = IndexFor(target).memory;
  if (!std::has_single_bit(element_bytes) || element_bytes > 16) return nullptr;
  return &rows[static_cast<size_t>(std::countr_zero(element_bytes))];
}

// Through the memory forms, which have the same width.
TileRoutine FindBitcast(const RoutineIndex& index, DType from, DType to, SimdTarget target) {
  const DTypeInfo& from_info = InfoOf(from);
  const DTypeInfo& to_info = InfoOf(to);
  if (from_info.bits != to_info.bits || from_info.bits == 0) return {};
  const NarrowRow& from_row = index.narrow[IndexOf(from)];
  const NarrowRow& to_row = index.narrow[IndexOf(to)];
  const MemoryRow* memory = FindMemoryRow(to_info.bytes, target);
  if (memory == nullptr) return {};
  if (from == to) {
    const MemoryRow* tile = FindMemoryRow(TileElementBytes(to), target);
    return {tile->copy, nullptr};
  }
  if (from_row.store == nullptr && to_row.load != nullptr) return {to_row.load, nullptr};
  return {from_row.store != nullptr ? from_row.store : memory->copy, to_row.widen_in_place};
}

TileRoutine FindConvert(const RoutineIndex& index, DType from, DType to) {
  const int source = IndexOf(TileTypeOf(from));
  const TileFunction finish = index.narrow[IndexOf(to)].finish;
  if (const TileFunction exact = index.converts[source][IndexOf(to)]) return {exact, finish};
  if (TileTypeOf(from) == TileTypeOf(to) && finish != nullptr) return {finish, nullptr};
  const bool rounds_twice = TileTypeOf(to) == DType::kF32 && finish != nullptr;
  const TileFunction odd = rounds_twice ? index.odd_converts[source] : nullptr;
  const TileFunction convert =
      odd != nullptr ? odd : index.converts[source][IndexOf(TileTypeOf(to))];
  if (convert == nullptr) return {};
  return {convert, finish};
}

bool IsValid(DType type) { return IndexOf(type) < kNumTypes; }

}  // namespace

bool IsSupported(SimdTarget target) {
  static const bool kHasAvx2 = DetectAvx2();
  static const bool kHasAvx512 = DetectAvx512();
  switch (target) {
    case SimdTarget::kBaseline:
      return true;
    case SimdTarget::kAvx2:
      return kHasAvx2;
    case SimdTarget::kAvx512:
      return kHasAvx512;
  }
  return false;
}

std::string_view NameOf(SimdTarget target) {
  static constexpr std::string_view kNames[kNumSimdTargets] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<size_t>(target)];
}

SimdTarget BestSimdTarget() {
  static const SimdTarget kBest = [] {
    SimdTarget best = IsSupported(SimdTarget::kAvx512) ? SimdTarget::kAvx512
                      : IsSupported(SimdTarget::kAvx2) ? SimdTarget::kAvx2
                                                       : SimdTarget::kBaseline;
    const char* wanted = secure_getenv("PLINTH_SIMD");
    for (int i = 0; wanted != nullptr && i < kNumSimdTargets; ++i) {
      auto target = static_cast<SimdTarget>(i);
      if (wanted == NameOf(target)) return std::min(best, target);
    }
    return best;
  }();
  return kBest;
}

DType TileTypeOf(DType type) {
  const DTypeInfo& info = InfoOf(type);
  if (info.kind == DTypeClass::kFloat && info.bits <= 16) return DType::kF32;
  if (info.kind == DTypeClass::kSigned && info.bits < 8) return DType::kS8;
  if (info.kind == DTypeClass::kUnsigned && info.bits < 8) return DType::kU8;
  return type;
}

TileRoutine FindTileRoutine(Opcode opcode, DType operand, DType result,
                            const compiler::CompareAttributes& compare, SimdTarget target) {
  if (!IsValid(operand) || !IsValid(result)) return {};
  const RoutineIndex& index = IndexFor(target);
  const DType tile = TileTypeOf(operand);
  if (opcode == Opcode::kConvert) return FindConvert(index, operand, result);
  if (opcode == Opcode::kBitcastConvert) return FindBitcast(index, operand, result, target);
  if (opcode == Opcode::kCompare) {
    const bool is_total_order = compare.type == compiler::ComparisonType::kTotalOrder &&
                                InfoOf(operand).kind == DTypeClass::kFloat;
    if (result != DType::kPred) return {};
    return {index.compares[VariantOf(compare.direction, is_total_order)][IndexOf(tile)], nullptr};
  }
  // A routine for the type itself comes before that of its tile type.
  const int op = static_cast<int>(opcode);
  if (op >= compiler::kNumOpcodes) return {};
  const DType found = index.ops[op][IndexOf(operand)] != nullptr ? operand : tile;
  const TileFunction compute = index.ops[op][IndexOf(found)];
  if (compute == nullptr) return {};
  const DType made = index.results[op][IndexOf(found)];
  const bool fits = made == found          ? operand == result
                    : made == DType::kPred ? result == made
                                           : result == made && operand == found;
  if (!fits) return {};
  // Only moves bits of values that are of the type already.
  if (opcode == Opcode::kSelect) return {compute, nullptr};
  return {compute, index.narrow[IndexOf(result)].finish};
}

TileFunction FindLoad(DType type, SimdTarget target) {
  return IsValid(type) ? IndexFor(target).narrow[IndexOf(type)].load : nullptr;
}

TileFunction FindStore(DType type, SimdTarget target) {
  return IsValid(type) ? IndexFor(target).narrow[IndexOf(type)].store : nullptr;
}

TileFunction FindFinish(DType type, SimdTarget target) {
  return IsValid(type) ? IndexFor(target).narrow[IndexOf(type)].finish : nullptr;
}

FillFunction FindFill(size_t element_bytes, SimdTarget target) {
  const MemoryRow* row = FindMemoryRow(element_bytes, target);
  return row == nullptr ? nullptr : row->fill;
}

RepeatFunction FindRepeat(size_t element_bytes, int64_t times, SimdTarget target) {
  const MemoryRow* row = FindMemoryRow(element_bytes, target);
  return row == nullptr || times != 8 ? nullptr : row->repeat_eight_times;
}

StridedLoadFunction FindStridedLoad(size_t element_bytes, SimdTarget target) {
  const MemoryRow* row = FindMemoryRow(element_bytes, target);
  return row == nullptr ? nullptr : row->load;
}

StridedStoreFunction FindStridedStore(size_t element_bytes, SimdTarget target) {
  const MemoryRow* row = FindMemoryRow(element_bytes, target);
  return row == nullptr ? nullptr : row->store;
}

IotaFunction FindIota(DType type, SimdTarget target) {
  return IsValid(type) ? IndexFor(target).iotas[IndexOf(type)] : nullptr;
}

}  // namespace plinth::cpu::math
