// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/small_kernel.h"

#include <cstring>

#include "plinth/support/small_vector.h"
#include "reference_plugin/cpu/kernels/addresses.h"
#include "reference_plugin/cpu/kernels/frame.h"

namespace plinth::cpu::kernels {
namespace {

// Registers up to this size are on the stack.
constexpr int64_t kStackBytes = 1024;

// element(to, i) = element(from, i), `kBytes` each.
template <size_t kBytes, class To, class From>
void Move(size_t count, const To& to, const From& from) {
  for (size_t i = 0; i < count; ++i) std::memcpy(to(i), from(i), kBytes);
}

template <class To, class From>
void MoveElements(size_t bytes, size_t count, const To& to, const From& from) {
  switch (bytes) {
    case 1:
      return Move<1>(count, to, from);
    case 2:
      return Move<2>(count, to, from);
    case 4:
      return Move<4>(count, to, from);
    case 8:
      return Move<8>(count, to, from);
    default:
      return Move<16>(count, to, from);
  }
}

}  // namespace

Status SmallKernel::Bind(std::span<void* const> operands, std::span<void* const> results,
                         std::byte* registers, std::byte** slots) const {
  if (operands.size() < num_operands_ || results.size() < num_results_) {
    const bool is_operand = operands.size() < num_operands_;
    return Internal("a kernel uses buffer ", (is_operand ? num_operands_ : num_results_) - 1,
                    " of ", is_operand ? operands.size() : results.size());
  }
  // Only read: no instruction has a constant as its result.
  auto* constants = reinterpret_cast<std::byte*>(const_cast<TileElement*>(constants_.data()));
  for (size_t s = 0; s < sources_.size(); ++s) {
    const Source& source = sources_[s];
    std::byte* base =
        source.base == Source::kRegisters   ? registers
        : source.base == Source::kConstants ? constants
        : static_cast<size_t>(source.base) < num_operands_
            ? static_cast<std::byte*>(operands[static_cast<size_t>(source.base)])
            : static_cast<std::byte*>(results[static_cast<size_t>(source.base) - num_operands_]);
    slots[s] = base + source.offset;
  }
  return Status();
}

void SmallKernel::Load(const Movement& load, int64_t points, std::byte* const* slots) {
  const std::byte* memory = slots[load.memory];
  std::byte* tile = slots[load.tile];
  if (load.broadcast != nullptr) {
    load.broadcast(tile, memory, static_cast<size_t>(points));
    return;
  }
  MoveElements(
      load.bytes, load.offsets.size(), [&](size_t i) { return tile + i * load.bytes; },
      [&](size_t i) {
        const int32_t offset = load.offsets[i];
        return offset == Movement::kOutside ? reinterpret_cast<const std::byte*>(&load.fill)
                                            : memory + offset;
      });
}

void SmallKernel::Scatter(const Movement& store, std::byte* const* slots) {
  std::byte* memory = slots[store.memory];
  const std::byte* tile = slots[store.tile];
  MoveElements(
      store.bytes, store.offsets.size(), [&](size_t i) { return memory + store.offsets[i]; },
      [&](size_t i) { return tile + i * store.bytes; });
}

void SmallKernel::RunParts(std::byte** slots) const {
  for (const Address& address : addresses_) {
    int64_t offset = 0;
    for (const compiler::DynamicOffset& index : address.indices) {
      offset += ReadIndex(index, slots[index.buffer]) * index.byte_stride;
    }
    slots[address.slot] = slots[address.base] + offset;
  }
  for (const Part& part : parts_) {
    for (const Movement& load : part.loads) Load(load, part.points, slots);
    Execute(part.code, slots, part.points);
    for (const ReductionProgram& reduction : part.reductions) {
      AccumulateRow(reduction, slots, part.points, /*first=*/true);
      FoldLanes(reduction, slots, part.points);
      FinishReduction(reduction, slots, 1, /*empty=*/false);
    }
    Execute(part.stores, slots, part.points);
    for (const Movement& store : part.scattered) Scatter(store, slots);
  }
}

backend::Outcome SmallKernel::Run(std::span<void* const> operands, std::span<void* const> results,
                                  const backend::RunContext&) const {
  alignas(math::kTileAlignment) std::byte stack[kStackBytes];
  std::byte* registers = register_bytes_ <= kStackBytes ? stack : ThreadFrame(register_bytes_);
  if (registers == nullptr) return ResourceExhausted("no ", register_bytes_, " bytes for a kernel");
  SmallVector<std::byte*, 48> slots(sources_.size());
  PLINTH_RETURN_IF_ERROR(Bind(operands, results, registers, slots.data()));
  RunBound(slots.data());
  return Status();
}

}  // namespace plinth::cpu::kernels
