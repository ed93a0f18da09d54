// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CODE_CACHE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CODE_CACHE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "reference_plugin/cpu/emit/code_memory.h"
#include "reference_plugin/cpu/emit/piece.h"
#include "reference_plugin/cpu/emit/row.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::emit {

// The functions of some pieces and rows.
class Code {
 public:
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  PieceFunction function(size_t piece) const { return functions_[piece]; }
  RowFunction row() const { return row_; }  // null without one

 private:
  friend class CodeCache;
  Code() = default;

  std::unique_ptr<CodeMemory> memory_;
  std::vector<PieceFunction> functions_;
  RowFunction row_ = nullptr;
  int64_t bytes_ = 0;
  std::shared_ptr<std::atomic<int64_t>> total_;  // bytes of all code
};

// Code of kernels that do the same work is one, and all code together is bounded. Thread-safe.
class CodeCache {
 public:
  static constexpr int64_t kMostBytes = int64_t{64} << 20;
  // `target`: of the code, AVX2 or AVX-512. There is none for another.
  explicit CodeCache(int64_t most_bytes = kMostBytes,
                     math::SimdTarget target = math::BestSimdTarget())
      : most_bytes_(most_bytes), target_(target) {}

  // Null without such instructions, where the system gives no memory for code, or so much of it is
  // in use that none is left.
  std::shared_ptr<const Code> Get(std::span<const Piece> pieces, const Row* row = nullptr);

  int64_t bytes() const { return *total_; }

 private:
  std::shared_ptr<const Code> Make(std::span<const Piece> pieces, const Row* row) const;

  const int64_t most_bytes_;
  const math::SimdTarget target_;
  const std::shared_ptr<std::atomic<int64_t>> total_ = std::make_shared<std::atomic<int64_t>>(0);
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const Code>> codes_;  // guarded by mutex_
  size_t next_sweep_ = 64;                                  // number of entries; guarded by mutex_
};

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CODE_CACHE_H_
