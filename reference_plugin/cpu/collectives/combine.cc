// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "reference_plugin/backend/host/thread_scratch.h"
#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/collectives/collective.h"
#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::collectives {
namespace {

using backend::LaneGroupsRef;
using backend::RunContext;
using compiler::CollectiveAttributes;
using compiler::Opcode;
using compiler::Type;

constexpr int64_t kTileBytes = 8 << 10;  // of partial results, in the first cache
constexpr int64_t kTilesAtOnce = 8;      // of one thread

// Combines runs of up to `tile` elements of several arrays, one after the other in the order of
// ranks. Immutable; any thread.
class RunCombiner {
 public:
  // Runs of `tile` and, if it is not zero, `rest` elements.
  static Expected<RunCombiner> Make(const compiler::Combiner& combiner, DType type, int64_t tile,
                                    int64_t rest) {
    RunCombiner made;
    made.tile_type_ = math::TileTypeOf(type);
    const std::optional<Opcode> opcode = compiler::SingleOp(combiner);
    if (opcode.has_value() && compiler::InfoOf(*opcode).commutative) {
      // In tile form, which narrow floats leave once, at the end.
      made.routine_ = math::FindTileRoutine(*opcode, made.tile_type_, made.tile_type_);
      made.load_ = math::FindLoad(type);
      made.round_ = math::FindFinish(type);
      made.store_ = math::FindStore(type);
      if (made.routine_) return made;
    }
    made.tile_type_ = type;
    made.load_ = made.round_ = made.store_ = nullptr;
    const DType types[] = {type, type};
    for (int64_t count : {tile, rest}) {
      if (count == 0) continue;
      PLINTH_ASSIGN_OR_RETURN(library::PairCombiner pairs,
                              library::PairCombiner::Make(combiner, types, {}, count));
      made.pairs_.emplace_back(count, std::move(pairs));
    }
    return made;
  }

  // Of elements that a run works with.
  int64_t element_bytes() const { return ByteSize(tile_type_); }
  // Whether it needs no room for elements in another form than that of memory.
  bool works_in_memory() const { return load_ == nullptr && store_ == nullptr; }

  // `result` gets the elements in memory form; it and `one` have room for a run in tile form.
  // `arrays` are at least one.
  Status Run(std::span<const std::byte* const> arrays, int64_t count, std::byte* result,
             std::byte* one) const {
    const auto elements = static_cast<size_t>(count);
    if (!routine_) return RunPairs(arrays, count, result);
    const std::byte* so_far = arrays[0];
    if (load_ != nullptr) {
      load_(result, arrays[0], nullptr, nullptr, elements, {});
      so_far = result;
    }
    for (const std::byte* array : arrays.subspan(1)) {
      const std::byte* operand = array;
      if (load_ != nullptr) {
        load_(one, array, nullptr, nullptr, elements, {});
        operand = one;
      }
      routine_.compute(result, so_far, operand, nullptr, elements, {});
      so_far = result;
      if (routine_.finish != nullptr) {
        routine_.finish(result, result, nullptr, nullptr, elements, {});
      }
    }
    if (so_far != result) {
      std::memcpy(result, so_far, elements * static_cast<size_t>(element_bytes()));
    }
    if (round_ != nullptr) round_(result, result, nullptr, nullptr, elements, {});
    if (store_ != nullptr) {
      store_(one, result, nullptr, nullptr, elements, {});
      std::memcpy(result, one, elements * static_cast<size_t>(element_bytes()));
    }
    return Status();
  }

 private:
  Status RunPairs(std::span<const std::byte* const> arrays, int64_t count,
                  std::byte* result) const {
    const auto of_count = std::find_if(pairs_.begin(), pairs_.end(),
                                       [&](const auto& pairs) { return pairs.first == count; });
    if (of_count == pairs_.end()) return Internal("a run of ", count, " elements is not prepared");
    std::memcpy(result, arrays[0], static_cast<size_t>(count * element_bytes()));
    for (const std::byte* array : arrays.subspan(1)) {
      void* const parameters[] = {result, const_cast<std::byte*>(array)};
      void* const results[] = {result};
      PLINTH_RETURN_IF_ERROR(of_count->second.Run(parameters, results));
    }
    return Status();
  }

  DType tile_type_ = DType::kInvalid;
  math::TileRoutine routine_;
  math::TileFunction load_ = nullptr, round_ = nullptr, store_ = nullptr;
  std::vector<std::pair<int64_t, library::PairCombiner>> pairs_;  // by elements of a run
};

// One array of a step. What a rank gets is `outer` segments of `length` elements.
struct Segments {
  RunCombiner combiner;
  int64_t element_bytes = 0;
  int64_t outer = 1, length = 0;
  int64_t tile = 1;   // elements
  int64_t parts = 1;  // into which each operand's segments are cut: one per rank
  int64_t tiles_per_segment() const { return (length + tile - 1) / tile; }
};

// all_reduce: every rank gets all segments. reduce_scatter: each gets its part of them.
class CombineStep final : public backend::CollectiveStep {
 public:
  CombineStep(LaneGroupsRef groups, std::vector<Segments> arrays, bool scatters)
      : CollectiveStep(std::move(groups)), arrays_(std::move(arrays)), scatters_(scatters) {}

  bool GivesAllTheSame() const override { return !scatters_; }

  Status Meet(int32_t, std::span<const Participant> members,
              const RunContext& context) const override {
    for (size_t a = 0; a < arrays_.size(); ++a) {
      const Segments& array = arrays_[a];
      const int64_t tiles = array.outer * array.parts * array.tiles_per_segment();
      std::atomic<bool> failed{false};
      Status failure;
      backend::ParallelFor(context.pool, tiles, kTilesAtOnce, [&](int64_t begin, int64_t end) {
        Status status = CombineTiles(array, a, members, begin, end);
        if (!status.ok() && !failed.exchange(true)) failure = std::move(status);
      });
      PLINTH_RETURN_IF_ERROR(std::move(failure));
    }
    return Status();
  }

 private:
  // Tiles are numbered through the segments of the first outer index, part by part, then of the
  // next.
  static Status CombineTiles(const Segments& array, size_t number,
                             std::span<const Participant> members, int64_t begin, int64_t end) {
    const int64_t room = array.tile * std::max(array.combiner.element_bytes(), array.element_bytes);
    thread_local backend::ThreadScratch scratch;
    std::byte* const combined = scratch.Get(2 * room);
    if (combined == nullptr) return ResourceExhausted("the system gave no ", 2 * room, " bytes");
    std::vector<const std::byte*> runs(members.size());
    const int64_t per_segment = array.tiles_per_segment();
    for (int64_t i = begin; i < end; ++i) {
      const int64_t segment = i / per_segment;
      const int64_t first = i % per_segment * array.tile;
      const int64_t count = std::min(array.tile, array.length - first);
      const int64_t offset = (segment * array.length + first) * array.element_bytes;
      for (size_t m = 0; m < members.size(); ++m) {
        runs[m] = Bytes(members[m].operands[number]) + offset;
      }
      std::span<const Participant> targets = Targets(members, number);
      int64_t target_offset = offset;
      if (array.parts > 1) {
        targets = members.subspan(static_cast<size_t>(segment % array.parts), 1);
        target_offset = (segment / array.parts * array.length + first) * array.element_bytes;
      }
      // One result of several operands is none of them: what works in place has its own per member.
      if (array.combiner.works_in_memory() && targets.size() < members.size()) {
        std::byte* const result = Bytes(targets[0].results[number]) + target_offset;
        PLINTH_RETURN_IF_ERROR(array.combiner.Run(runs, count, result, combined));
        continue;
      }
      PLINTH_RETURN_IF_ERROR(array.combiner.Run(runs, count, combined, combined + room));
      for (const Participant& target : targets) {
        std::memcpy(Bytes(target.results[number]) + target_offset, combined,
                    static_cast<size_t>(count * array.element_bytes));
      }
    }
    return Status();
  }

  const std::vector<Segments> arrays_;
  const bool scatters_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareCombine(
    const compiler::plan::PlanStep& step, LaneGroupsRef groups) {
  const auto& collective = *std::get_if<CollectiveAttributes>(step.attributes.get());
  std::vector<Segments> arrays;
  for (const compiler::plan::ArrayRef& operand : step.operands) {
    if (arrays.size() == step.results.size()) break;  // the rest is what the region captures
    const Type& type = operand.type;
    Segments& array = arrays.emplace_back();
    array.element_bytes = ByteSize(type.dtype);
    array.length = type.NumElements();
    if (step.opcode == Opcode::kReduceScatter && array.length > 0) {
      const auto dim = static_cast<size_t>(collective.dimension);
      for (size_t d = 0; d < dim; ++d) array.outer *= type.dims[d];
      array.parts = type.dims[dim] / step.results[0].type.dims[dim];
      array.length /= array.outer * array.parts;
    }
    const int64_t working = std::max<int64_t>(ByteSize(math::TileTypeOf(type.dtype)), 1);
    array.tile = std::clamp<int64_t>(kTileBytes / working, 1, std::max<int64_t>(array.length, 1));
    PLINTH_ASSIGN_OR_RETURN(
        array.combiner,
        RunCombiner::Make(step.combiners[0], type.dtype, array.tile, array.length % array.tile));
  }
  if (step.operands.size() > step.results.size()) {
    return Unimplemented("its region uses values from outside");
  }
  return std::unique_ptr<backend::PreparedStep>(
      new CombineStep(std::move(groups), std::move(arrays), step.opcode == Opcode::kReduceScatter));
}

}  // namespace plinth::cpu::collectives
