// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_SMALL_KERNEL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_SMALL_KERNEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/access.h"
#include "reference_plugin/cpu/kernels/reduction.h"
#include "reference_plugin/cpu/math/tile_functions.h"

// A kernel whose whole domain is one tile, as most are in loops over scalars: what is left of it
// is a list of routines on slots. The routines are those of other kernels, so results are the same
// bits; what goes is the walk through tiles, which costs a hundred times an addition. It may reduce
// all its elements to one, as the condition of a loop does, by an op that commutes.
namespace plinth::cpu::kernels {

class SmallKernel final : public backend::PreparedStep, public backend::Bindable {
 public:
  // Null where the domain is too large, elements are reduced in another way or an op has no
  // routine.
  static std::unique_ptr<SmallKernel> Make(const compiler::Kernel& kernel);

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override;
  const backend::Bindable* bindable() const override { return this; }

  size_t num_slots() const override { return sources_.size(); }
  int64_t register_bytes() const override { return register_bytes_; }
  Status Bind(std::span<void* const> operands, std::span<void* const> results, std::byte* registers,
              std::byte** slots) const override;
  void RunBound(std::byte** slots) const override {
    if (is_plain_) {
      Execute(parts_.front().code, slots, parts_.front().points);
    } else {
      RunParts(slots);
    }
  }

 private:
  friend class SmallKernelBuilder;

  // Where a slot points to: an operand, a result (counted behind the operands), the constants or
  // the registers.
  struct Source {
    static constexpr int32_t kConstants = -1, kRegisters = -2;
    int32_t base = 0;
    int64_t offset = 0;
  };
  // slots[slot] = slots[base] + what the indices say that the kernel reads.
  struct Address {
    int32_t slot = 0, base = 0;
    std::vector<compiler::DynamicOffset> indices;  // `buffer` is a slot
  };
  // Elements that do not lie side by side, in memory form: element i of the register at
  // offsets[i] from the other slot.
  struct Movement {
    static constexpr int32_t kOutside = INT32_MIN;  // the register holds `fill`
    int32_t memory = 0, tile = 0;                   // slots
    size_t bytes = 0;
    std::vector<int32_t> offsets;
    compiler::ScalarBits fill;
    math::FillFunction broadcast = nullptr;  // loads: not null if one element is all
  };

  // A phase.
  struct Part {
    int64_t points = 1;
    std::vector<Movement> loads;
    std::vector<Instruction> code;
    std::vector<ReductionProgram> reductions;
    std::vector<Instruction> stores;  // after the reductions, which read operands, too
    std::vector<Movement> scattered;
  };

  static void Load(const Movement& load, int64_t points, std::byte* const* slots);
  static void Scatter(const Movement& store, std::byte* const* slots);
  void RunParts(std::byte** slots) const;

  size_t num_operands_ = 0, num_results_ = 0;
  std::vector<Source> sources_;  // by slot
  std::vector<TileElement> constants_;
  int64_t register_bytes_ = 0;
  bool is_plain_ = true;  // nothing but the code of one part
  std::vector<Address> addresses_;
  std::vector<Part> parts_;
};

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_SMALL_KERNEL_H_
