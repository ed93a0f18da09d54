// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_INDEXED_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_INDEXED_H_

#include <memory>
#include <span>
#include <vector>

#include "reference_plugin/compiler/partition/emitter.h"

// Gathers and scatters along dimensions that are spread and that indices go into: each device takes
// from its part, or updates it, and what is indexed never moves.
namespace plinth::compiler::partition {

class Indexed {
 public:
  // Nothing of that kind.
  Indexed() = default;
  // Of a gather or a scatter, when what is indexed lies so.
  Indexed(const Op& op, const Layout& layout);

  bool any() const { return !axes_.empty(); }
  // Along which indices find the device.
  const AxisList& axes() const { return axes_; }
  const MeshRef& mesh() const { return layout_.mesh; }
  // The layout of what is indexed, when other dimensions lie as `layout` says.
  void Stay(Layout& layout) const;

  // What the device has of a gather's result, which is of that type: where it has nothing stands
  // what changes no sum (no maximum, of predicates).
  Value* TermOfGather(Emitter& emitter, Value* operand, Value* indices, const Type& result) const;

  // Of a scatter on parts, `operands` become what it is to be done with. Indices that are not of
  // the part lead out of it, so that nothing comes of them.
  std::shared_ptr<const Attributes> PrepareScatter(Emitter& emitter,
                                                   std::span<Value*> operands) const;
  // The part again.
  Value* WithoutMargins(Emitter& emitter, Value* result, const Type& part) const;

 private:
  struct Component {
    size_t dim;      // that it goes into
    int64_t extent;  // of the whole
    int64_t window;  // how much is taken or updated along it
    bool is_spread;
  };
  Value* ComponentOf(Builder& build, Value* indices, size_t component) const;
  Value* Within(Builder& build, Value* index, int64_t low, int64_t high) const;
  Value* InPart(Emitter& emitter, Builder& build, Value* index, size_t component) const;
  Value* IsBetween(Builder& build, Value* index, int64_t low, int64_t high) const;
  Value* Joined(Builder& build, std::span<Value* const> components) const;
  Value* WithMargins(Builder& build, Value* part, double fill) const;
  bool HasMargins() const;
  int64_t PartOf(const Component& component) const {
    return component.extent / SizeOf(layout_.Of(component.dim));
  }

  const Op* op_ = nullptr;
  Layout layout_;
  std::vector<Component> components_;
  AxisList axes_;
  int64_t vector_dim_ = 0;
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_INDEXED_H_
