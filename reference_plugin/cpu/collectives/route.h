// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_ROUTE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_ROUTE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference_plugin/backend/run/collective_step.h"
#include "reference_plugin/compiler/ir/attributes.h"

namespace plinth::cpu::collectives {

// How the parts of one array, of which each rank has one, get into the windows of one result. What
// windows and parts have in common is kept dimension by dimension: there are as many such overlaps
// as windows and parts along each, not as pairs of ranks. A target gets every choice of one overlap
// per dimension as a block, in pieces that threads share.
class Route {
 public:
  // `array`: which operand. Of each of the ranks it has a part of the extents `part`, of the result
  // a window of the extents `window`.
  Route(size_t array, const compiler::Redistribution::Source& source,
        const compiler::Begins& windows, const compiler::Dims& part, const compiler::Dims& window,
        int64_t element_bytes, int64_t ranks);

  // What the rank `target` gets.
  int64_t NumElements(int64_t target) const;
  int64_t NumPieces(int64_t target) const;
  int64_t piece_bytes() const { return piece_bytes_; }  // at most
  // Copies pieces [begin, end) of it.
  void Copy(int64_t target, int64_t begin, int64_t end,
            std::span<const backend::CollectiveStep::Participant> members, std::byte* to) const;

 private:
  class Copier;

  struct Overlap {
    int64_t rank = 0;  // what it adds to that of the sender
    int64_t extent = 0;
    int64_t from = 0, to = 0;  // bytes from where the part begins, and the window
  };
  // Of a window along one dimension.
  struct Overlaps {
    size_t begin = 0, end = 0;
    int64_t elements = 0, pieces = 0;
  };
  // A dimension with more than one overlap, or none.
  struct Choice {
    size_t dim = 0;
    std::vector<Overlap> overlaps;  // of window 0, in the order of the parts, of window 1, ...
    std::vector<Overlaps> windows;
  };

  int64_t RowBytes(const compiler::Dims& extents) const;  // of a block
  // In how many pieces an overlap along dimension `d` cuts a block.
  int64_t Pieces(size_t d, const Overlap& overlap) const;
  void FindTargets(const compiler::Redistribution::Source& source, const compiler::Begins& windows,
                   int64_t ranks);
  // The numbers of a target: its sender if nothing is added, and its window for each choice.
  std::span<const int32_t> NumbersOf(int64_t target) const {
    const size_t count = choices_.size() + 1;
    return std::span(targets_).subspan(static_cast<size_t>(target) * count, count);
  }
  const Overlaps& WindowOf(size_t choice, std::span<const int32_t> numbers) const {
    return choices_[choice].windows[static_cast<size_t>(numbers[choice + 1])];
  }

  const size_t array_;
  const int64_t element_bytes_;
  const compiler::Dims from_strides_, to_strides_;  // in bytes
  compiler::Dims extents_;                          // of blocks, where there is no choice
  std::vector<Choice> choices_;
  Overlap first_;  // of all dimensions without a choice; the extent says nothing
  int64_t elements_ = 1, pieces_ = 1;  // along them
  std::vector<int32_t> targets_;
  size_t row_ = 0;  // from this dimension on, blocks are contiguous
  int64_t piece_bytes_ = 1;
};

}  // namespace plinth::cpu::collectives

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_ROUTE_H_
