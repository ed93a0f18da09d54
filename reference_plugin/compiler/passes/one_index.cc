// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/one_index.h"

#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {
namespace {

// The components of the only index vector, as scalars.
std::vector<Value*> Components(Builder& b, Value* indices) {
  const int64_t count = indices->type.NumElements();
  Value* const vector = b.Reshape(indices, {count});
  std::vector<Value*> components;
  for (int64_t i = 0; i < count; ++i) {
    components.push_back(b.Reshape(count > 1 ? b.Take(vector, 0, i) : vector, {}));
  }
  return components;
}

// The start index in each dimension of an array: a component, or zero.
std::vector<Value*> StartsOf(Builder& b, const std::vector<Value*>& components,
                             const Dims& dim_of_component, int64_t rank) {
  std::vector<Value*> starts(static_cast<size_t>(rank), nullptr);
  for (size_t i = 0; i < components.size(); ++i) {
    starts[static_cast<size_t>(dim_of_component[i])] = components[i];
  }
  Value* zero = nullptr;
  for (Value*& start : starts) {
    if (start != nullptr) continue;
    if (zero == nullptr) zero = b.SplatLike(components[0], 0);
    start = zero;
  }
  return starts;
}

Value* DynamicSlice(Builder& b, Value* array, const std::vector<Value*>& starts,
                    const Dims& sizes) {
  std::vector<Value*> operands = {array};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const Type type = Type::Tensor(array->type.dtype, sizes);
  return b
      .AddOp(Opcode::kDynamicSlice, operands, std::span<const Type>(&type, 1),
             MakeAttributes(DynamicSliceAttributes{sizes}))
      ->results[0];
}

bool HasOneIndex(const Value* array, const Value* indices, const Dims& dim_of_component,
                 const Dims& batching_dims) {
  return batching_dims.empty() && !dim_of_component.empty() &&
         indices->type.NumElements() == static_cast<int64_t>(dim_of_component.size()) &&
         array->type.NumElements() > 0;
}

}  // namespace

Value* ExpandGatherOfOneIndex(Builder& builder, const Op& op) {
  const auto& gather = op.Get<GatherAttributes>();
  Value* const array = op.operands[0];
  Value* const indices = op.operands[1];
  if (!HasOneIndex(array, indices, gather.start_index_map, gather.operand_batching_dims)) {
    return nullptr;
  }
  const std::vector<Value*> components = Components(builder, indices);
  const std::vector<Value*> starts =
      StartsOf(builder, components, gather.start_index_map, array->type.rank());
  // The dimensions of a window keep their order; all others have one element.
  return builder.Reshape(DynamicSlice(builder, array, starts, gather.slice_sizes), op.type().dims);
}

}  // namespace plinth::compiler::passes
