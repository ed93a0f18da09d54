// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EMITTED_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EMITTED_CODE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "reference_plugin/cpu/emit/code_cache.h"
#include "reference_plugin/cpu/kernels/row_code.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

// The plain ops of a tile program as machine code: consecutive ones are one routine, whose values
// stay in registers. What is between them runs as before. Or, better, the phases over reduced
// points are one function for a row.
namespace plinth::cpu::kernels {

class EmittedCode {
 public:
  struct Options {
    bool whole_rows = false;  // no row is cut
    bool past_cache = false;  // outputs are written so; to be followed by a StoreFence
  };
  // Null where nothing can be gained, or no code can be had.
  static std::unique_ptr<const EmittedCode> Make(const TileProgram& program, Options options,
                                                 emit::CodeCache& codes);

  // What a tile of the parallel space takes less than TileProgram::tile_ns says, roughly.
  double saved_ns() const { return saved_ns_; }

  // Whether consecutive tiles are one to the code, with the lanes of all of them: it is one piece,
  // which finds all that it needs, and nothing else, where it lies in memory.
  bool joins_tiles() const { return joins_tiles_; }

  // Null: rows run phase by phase.
  const RowCode* row() const { return row_.has_value() ? &*row_ : nullptr; }

  // In place of the phase's own: what code does not do itself, and where it finds the rest.
  const std::vector<LoadStep>& loads(size_t phase) const { return phases_[phase].loads; }
  const std::vector<IotaStep>& iotas(size_t phase) const { return phases_[phase].iotas; }
  const std::vector<StoreStep>& stores(size_t phase) const { return phases_[phase].stores; }
  const std::vector<DirectTarget>& memories(size_t phase) const { return phases_[phase].memories; }
  // In place of its instructions.
  void Execute(size_t phase, std::byte* const* slots, int64_t lanes) const {
    for (const Step& step : phases_[phase].steps) {
      if (step.piece != nullptr) {
        step.piece(slots, lanes);
        continue;
      }
      const Instruction& op = step.instruction;
      op.function(slots[op.result], slots[op.a], slots[op.b], slots[op.c],
                  static_cast<size_t>(lanes), op.parameters);
    }
  }

 private:
  struct Step {
    emit::PieceFunction piece = nullptr;
    Instruction instruction;  // without a piece
  };

  struct Phase {
    std::vector<Step> steps;
    std::vector<LoadStep> loads;
    std::vector<IotaStep> iotas;
    std::vector<StoreStep> stores;
    std::vector<DirectTarget> memories;
  };

  std::vector<Phase> phases_;
  std::optional<RowCode> row_;
  double saved_ns_ = 0;
  bool joins_tiles_ = false;
  std::shared_ptr<const emit::Code> code_;
};

// Code that is made when it begins to pay.
class LazyCode {
 public:
  // `at_once`: in the first run already. The program outlives this.
  LazyCode(const TileProgram& program, EmittedCode::Options options,
           std::shared_ptr<emit::CodeCache> codes, bool at_once)
      : program_(program), options_(options), codes_(std::move(codes)), runs_(at_once ? 1 : 0) {}

  // To be called once in each run. Null: there is none, or not yet.
  const EmittedCode* Get() {
    if (const EmittedCode* made = made_.load(std::memory_order_acquire)) return made;
    if (runs_.load(std::memory_order_relaxed) > 1) return nullptr;
    // One thread makes it; those that run meanwhile do without.
    if (runs_.fetch_add(1, std::memory_order_relaxed) != 1) return nullptr;
    code_ = EmittedCode::Make(program_, options_, *codes_);
    made_.store(code_.get(), std::memory_order_release);
    return code_.get();
  }

 private:
  const TileProgram& program_;
  const EmittedCode::Options options_;
  const std::shared_ptr<emit::CodeCache> codes_;
  std::atomic<int32_t> runs_;
  std::unique_ptr<const EmittedCode> code_;
  std::atomic<const EmittedCode*> made_ = nullptr;
};

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EMITTED_CODE_H_
