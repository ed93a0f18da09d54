// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numbers>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/library/counter_rng.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::library {
namespace {

using compiler::RngDistribution;

// Every prepared step draws from a stream of its own.
uint64_t NextStream() {
  static std::atomic<uint64_t> streams{0};
  return streams.fetch_add(1, std::memory_order_relaxed);
}

// Uniform numbers of [a, b), or normal ones with mean a and deviation b. Each run goes on where the
// one before ended: which numbers come out is not promised, only how they are distributed.
class RngStep final : public backend::PreparedStep {
 public:
  RngStep(const compiler::plan::PlanStep& step, RngDistribution distribution)
      : dtype_(step.results[0].type.dtype),
        is_normal_(distribution == RngDistribution::kNormal),
        key_(0x9E3779B97F4A7C15u * (NextStream() + 1)) {
    for (int64_t dim : step.results[0].type.dims) count_ *= dim;
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const uint64_t base = next_.fetch_add(static_cast<uint64_t>(count_), std::memory_order_relaxed);
    const DTypeClass kind = InfoOf(dtype_).kind;
    const int64_t bytes = ByteSize(dtype_);
    const double a = ToDouble(operands[0]), b = ToDouble(operands[1]);
    const uint64_t low = ToInteger(operands[0]), high = ToInteger(operands[1]);
    std::byte* out = static_cast<std::byte*>(results[0]);
    constexpr int64_t kGrain = 4096;
    backend::ParallelFor(context.pool, count_, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += kRngLanes) {
        const int64_t size = std::min<int64_t>(kRngLanes, end - i);
        // One counter per element: 128 bits serve the widest need, the two of a normal number.
        uint32_t words[4][kRngLanes];
        FillPhiloxCounters(words, base + static_cast<uint64_t>(i), 0);
        Philox4x32(words, key_);
        if (kind == DTypeClass::kFloat) {
          double values[kRngLanes];
          for (int64_t k = 0; k < size; ++k) values[k] = FloatOf(words, k, a, b);
          StoreFloats(values, size, a, b, out + i * bytes);
        } else {
          for (int64_t k = 0; k < size; ++k) {
            const uint64_t value = IntegerOf(words, k, low, high, kind == DTypeClass::kPred);
            std::memcpy(out + (i + k) * bytes, &value, static_cast<size_t>(bytes));
          }
        }
      }
    });
    return Status();
  }

 private:
  using Words = uint32_t[4][kRngLanes];

  static uint64_t Bits(const Words& words, int64_t lane, int first) {
    return words[first][lane] | (uint64_t{words[first + 1][lane]} << 32);
  }

  double ToDouble(const void* scalar) const {
    if (InfoOf(dtype_).kind != DTypeClass::kFloat) return 0;
    if (dtype_ == DType::kF64) {
      double value;
      std::memcpy(&value, scalar, sizeof(value));
      return value;
    }
    float value = 0;
    if (const math::TileFunction load = math::FindLoad(dtype_)) {
      load(&value, scalar, nullptr, nullptr, 1, {});
    } else {
      std::memcpy(&value, scalar, sizeof(value));
    }
    return value;
  }

  uint64_t ToInteger(const void* scalar) const {
    const DTypeInfo& info = InfoOf(dtype_);
    if (info.kind == DTypeClass::kFloat) return 0;
    uint64_t value = 0;
    std::memcpy(&value, scalar, info.bytes);
    const int unused = 64 - info.bits;
    if (info.kind == DTypeClass::kSigned) {
      return static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
    }
    return value << unused >> unused;
  }

  // As many random bits as the type has digits, so that 1 is not reached by rounding.
  int Digits() const {
    switch (dtype_) {
      case DType::kF64:
        return 53;
      case DType::kF32:
        return 24;
      case DType::kF16:
        return 11;
      case DType::kBF16:
        return 8;
      default:
        return 3;
    }
  }

  double FloatOf(const Words& words, int64_t lane, double a, double b) const {
    if (!is_normal_) {
      const double unit =
          std::ldexp(static_cast<double>(Bits(words, lane, 0) >> (64 - Digits())), -Digits());
      return a + unit * (b - a);
    }
    // Box and Muller; the logarithm's argument is from (0, 1].
    const double radius = std::ldexp(static_cast<double>((Bits(words, lane, 0) >> 11) + 1), -53);
    const double angle = std::ldexp(static_cast<double>(Bits(words, lane, 2) >> 11), -53);
    return a + b * std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * angle);
  }

  void StoreFloats(double* values, int64_t count, double a, double b, std::byte* out) const {
    const size_t size = static_cast<size_t>(count);
    const bool is_range = !is_normal_ && a < b;
    if (dtype_ == DType::kF64) {
      for (size_t i = 0; is_range && i < size; ++i) values[i] = values[i] < b ? values[i] : a;
      std::memcpy(out, values, size * sizeof(double));
      return;
    }
    // Rounded once.
    float tile[kRngLanes];
    const math::TileRoutine round =
        math::FindTileRoutine(compiler::Opcode::kConvert, DType::kF64, dtype_);
    round.compute(tile, values, nullptr, nullptr, size, {});
    if (round.finish != nullptr) round.finish(tile, tile, nullptr, nullptr, size, {});
    for (size_t i = 0; is_range && i < size; ++i) {
      tile[i] = double{tile[i]} < b ? tile[i] : static_cast<float>(a);
    }
    if (const math::TileFunction store = math::FindStore(dtype_)) {
      store(out, tile, nullptr, nullptr, size, {});
    } else {
      std::memcpy(out, tile, size * sizeof(float));
    }
  }

  // The high half of a 128-bit product maps 64 bits to the range.
  static uint64_t IntegerOf(const Words& words, int64_t lane, uint64_t low, uint64_t high,
                            bool is_pred) {
    const uint64_t bits = Bits(words, lane, 0);
    if (is_pred) return (bits & 1) != 0 ? high : low;
    __extension__ using Wide = unsigned __int128;
    const uint64_t range = high - low;
    return low + static_cast<uint64_t>((Wide{bits} * range) >> 64);
  }

  DType dtype_;
  bool is_normal_;
  uint64_t key_;
  int64_t count_ = 1;
  mutable std::atomic<uint64_t> next_{0};
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareRng(const compiler::plan::PlanStep& step,
                                                            const LibraryOptions&) {
  if (step.operands.size() != 2 || step.results.size() != 1 || step.attributes == nullptr ||
      !std::holds_alternative<compiler::RngAttributes>(*step.attributes)) {
    return InvalidArgument("expected two parameters and one result; found ", step.operands.size(),
                           " operands and ", step.results.size(), " results");
  }
  const auto distribution = std::get<compiler::RngAttributes>(*step.attributes).distribution;
  const compiler::Type& type = step.results[0].type;
  const DTypeClass kind = InfoOf(type.dtype).kind;
  const bool is_float = kind == DTypeClass::kFloat;
  const bool is_integer =
      kind == DTypeClass::kSigned || kind == DTypeClass::kUnsigned || kind == DTypeClass::kPred;
  if (!is_float && !(is_integer && distribution == RngDistribution::kUniform)) {
    return Unimplemented("the result is ", type.ToString(),
                         "; expected floats, or for the uniform distribution integers");
  }
  for (const compiler::plan::ArrayRef& operand : step.operands) {
    if (operand.type.dtype != type.dtype || !operand.type.dims.empty()) {
      return InvalidArgument("a parameter is ", operand.type.ToString(),
                             "; expected a scalar of the result's elements");
    }
  }
  return std::unique_ptr<backend::PreparedStep>(std::make_unique<RngStep>(step, distribution));
}

}  // namespace plinth::cpu::library
