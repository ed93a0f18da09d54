// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/scatter_parts.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace plinth::cpu::library {
namespace {

using compiler::Opcode;

// A part has some 20 us of work at least.
constexpr int64_t kPartUpdates = 32 << 10;
constexpr int64_t kMostParts = 8;
// So many times the bytes of all copies are those of the updates: joining them takes little time.
constexpr int64_t kShare = 8;
// Copies stay in a core's cache, whatever else it holds.
constexpr int64_t kMostCopyBytes = 256 << 10;

bool IsUsualFloat(DType type) {
  return type == DType::kF16 || type == DType::kBF16 || type == DType::kF32 || type == DType::kF64;
}

bool IsUsualInteger(DType type) {
  return type == DType::kS32 || type == DType::kU32 || type == DType::kS64 || type == DType::kU64;
}

}  // namespace

Expected<ScatterParts> ScatterParts::Make(const compiler::Combiner& combiner,
                                          const compiler::Type& array, int64_t num_updates,
                                          int64_t update_bytes) {
  ScatterParts parts;
  const std::optional<Opcode> opcode = SingleOp(combiner);
  parts.is_extreme_ = opcode == Opcode::kMaximum || opcode == Opcode::kMinimum;
  if (opcode != Opcode::kAdd && !parts.is_extreme_) return parts;
  const bool is_float = IsUsualFloat(array.dtype);
  if (!is_float && !IsUsualInteger(array.dtype)) return parts;
  const int64_t bytes = array.SizeInBytes();
  if (bytes > kMostCopyBytes) return parts;
  const int64_t by_size = num_updates * update_bytes / (kShare * std::max<int64_t>(bytes, 1));
  parts.count_ = std::clamp<int64_t>(std::min(num_updates / kPartUpdates, by_size), 1, kMostParts);
  parts.array_bytes_ = bytes;
  parts.copy_bytes_ = (bytes + 63) / 64 * 64;
  parts.sign_step_ = is_float ? ByteSize(array.dtype) : 0;
  const DType types[] = {array.dtype, array.dtype};
  PLINTH_ASSIGN_OR_RETURN(parts.join_,
                          PairCombiner::Make(combiner, types, {}, array.NumElements()));
  return parts;
}

void ScatterParts::Begin(const std::byte* array, std::byte* scratch) const {
  for (int64_t part = 1; part < count_; ++part) {
    std::byte* const copy = scratch + (part - 1) * copy_bytes_;
    if (is_extreme_) {
      std::memcpy(copy, array, static_cast<size_t>(array_bytes_));
      continue;
    }
    std::memset(copy, 0, static_cast<size_t>(array_bytes_));
    // What is added to -0 and leaves it is -0.
    if (sign_step_ == 0) continue;
    for (int64_t at = sign_step_ - 1; at < array_bytes_; at += sign_step_) {
      copy[at] = static_cast<std::byte>(0x80);
    }
  }
}

Status ScatterParts::Join(std::byte* array, std::byte* scratch) const {
  for (int64_t part = 1; part < count_; ++part) {
    void* const both[] = {array, Copy(part, array, scratch)};
    PLINTH_RETURN_IF_ERROR(join_.Run(both, std::span(both).first(1)));
  }
  return Status();
}

}  // namespace plinth::cpu::library
