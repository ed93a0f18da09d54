// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MOVES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MOVES_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reference_plugin/compiler/partition/emitter.h"
#include "reference_plugin/compiler/partition/local_op.h"
#include "reference_plugin/compiler/partition/redistribute.h"

// Ops in which elements go to other places along a dimension, or in which a place needs those
// around it: what a device needs beside its own part comes from the others' edges, not their whole.
namespace plinth::compiler::partition {

class Moves {
 public:
  Moves(const Op& op, const Rule& rule);

  // Whether the op is of that kind.
  bool any() const { return !dims_.empty(); }
  // As the op's, but that factors along which elements move have the extents of the result, or of
  // the kernel.
  const Rule& rule() const { return rule_; }  // Of nothing, if there are none.
  // Along further factors the op may be spread.
  void Allow(SpreadWish& wish) const;

  // How many operands are arrays whose elements move. Others are scalars that stand where no
  // element is, or the kernel of a convolution.
  size_t num_sources() const;
  // Such an operand, without terms. A slice that is only joined with others need not be made:
  // then `local` is what it is a slice of, and `start` where it begins there.
  struct Source {
    LocalValue local;
    Dims start;
  };

  struct Moved {
    Value* result = nullptr;  // null: what the op makes of these
    SmallVector<Value*, 8> operands;
    std::shared_ptr<const Attributes> attributes;
  };
  // `others` are the operands that are no sources, as one device has them. Nothing: the op is not
  // spread along which elements move, or not in a way that is the same on all devices.
  std::optional<Moved> Make(Emitter& emitter, std::span<const Source> sources,
                            std::span<Value* const> others, const OpLayouts& layouts) const;

 private:
  // Of the operand, with holes between its elements where it is dilated: what element 0 of the
  // result (or of a kernel) needs, and how much further that of the next one is.
  struct Reach {
    size_t dim;  // of the operand
    int64_t first = 0, stride = 1, size = 1, dilation = 1;
  };
  // What the op does along that dimension on windows.
  struct Local {
    int64_t low = 0, high = 0, dilation = 1;
    int64_t size = 0;  // of windows; 0: as large as the op's
  };

  bool IsResultItself(size_t dim) const;
  // The dimension of a convolution's kernel that is spread, so that each device adds up its part
  // of every window: where the kernel is larger than the result, as in gradients of kernels.
  std::optional<size_t> SpreadKernel(size_t dim, const OpLayouts& layouts) const;
  std::optional<size_t> SpreadKernel(size_t dim, const Layout& layout) const;  // of the kernel
  Reach ReachOf(size_t dim, bool is_of_kernel) const;
  bool IsSpread(std::span<const Source> sources, const OpLayouts& layouts, size_t dim) const;
  bool WindowAlong(size_t dim, const OpLayouts& layouts, Windows& windows, Local& local) const;
  std::vector<Placed> Place(std::span<const Source> sources) const;
  bool IsDone() const;
  std::shared_ptr<const Attributes> LocalAttributes(const Dims& window,
                                                    std::span<const size_t> dims,
                                                    std::span<const Local> locals) const;

  const Op& op_;
  Rule rule_;
  std::vector<size_t> dims_;  // of the result, along which elements move
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MOVES_H_
