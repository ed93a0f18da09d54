// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/dynamic_slices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::partition {
namespace {

class Slicer {
 public:
  Slicer(Emitter& emitter, const LocalValue& operand, const Type& global,
         std::span<Value* const> starts, const Dims& sizes, const std::vector<bool>& is_spread)
      : build_(emitter.builder()),
        operand_(operand),
        sizes_(sizes),
        part_(operand.value->type.dims),
        is_spread_(is_spread) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (!is_spread_[d]) {
        window_.push_back(sizes[d]);
        starts_.push_back(Within(starts[d], part_[d] - sizes[d]));
        offsets_.push_back(nullptr);
        continue;
      }
      window_.push_back(std::min(sizes[d], part_[d]));
      Value* const start = Within(starts[d], global.dims[d] - sizes[d]);
      Value* const index = emitter.IndexAlong(*operand.layout.mesh, operand.layout.Of(d));
      Value* const first = build_.Binary(Opcode::kMultiply, index, Number(part_[d]));
      Value* const here = build_.Binary(Opcode::kSubtract, start, first);
      starts_.push_back(Clamped(here, part_[d] - window_[d]));
      offsets_.push_back(build_.Binary(Opcode::kSubtract, starts_.back(), here));
    }
  }

  // As much as the device may have of the slice.
  Value* Window() { return Slice(operand_.value, starts_, window_); }

  // The window where it is in the slice. Beside it is room for what is not in the slice.
  Value* InSlice(Value* window, double fill) {
    Dims room = sizes_;
    SmallVector<Value*, 8> operands = {nullptr, window};
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (is_spread_[d]) room[d] += 2 * window_[d];
      operands.push_back(is_spread_[d] ? InRoom(d) : Number(0));
    }
    const Type type = Type::Tensor(window->type.dtype, room);
    operands[0] = build_.Splat(type, fill);
    Value* const placed =
        build_.AddOp(Opcode::kDynamicUpdateSlice, {operands.data(), operands.size()}, {&type, 1})
            ->result();
    SliceAttributes slice;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      slice.start.push_back(is_spread_[d] ? window_[d] : 0);
      slice.limit.push_back(slice.start.back() + sizes_[d]);
      slice.stride.push_back(1);
    }
    return build_.Add(Opcode::kSlice, {placed}, Type::Tensor(type.dtype, sizes_),
                      MakeAttributes(std::move(slice)));
  }

  // What the update has for the window, and where it has nothing, the window.
  Value* Updated(Value* window, Value* update) {
    PadAttributes pad;
    Dims room = sizes_;
    std::vector<Value*> starts;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      const int64_t margin = is_spread_[d] ? window_[d] : 0;
      pad.low.push_back(margin);
      pad.high.push_back(margin);
      pad.interior.push_back(0);
      room[d] += 2 * margin;
      starts.push_back(is_spread_[d] ? InRoom(d) : Number(0));
    }
    Value* const zero = build_.Splat(Type::Tensor(update->type.dtype, {}), 0);
    Value* const padded =
        build_.Add(Opcode::kPad, {update, zero}, Type::Tensor(update->type.dtype, room),
                   MakeAttributes(std::move(pad)));
    return build_.Select(IsInSlice(), Slice(padded, starts, window_), window);
  }

  Value* Put(Value* window) {
    SmallVector<Value*, 8> operands = {operand_.value, window};
    for (Value* start : starts_) operands.push_back(start);
    return build_
        .AddOp(Opcode::kDynamicUpdateSlice, {operands.data(), operands.size()},
               {&operand_.value->type, 1})
        ->result();
  }

 private:
  Value* Number(int64_t number) {
    return build_.Splat(Type::Tensor(DType::kS32, {}), static_cast<double>(number));
  }
  Value* Clamped(Value* x, int64_t most) {
    return build_.Add(Opcode::kClamp, {Number(0), x, Number(most)}, x->type);
  }
  // Where a slice begins is moved until all of it is in the array.
  Value* Within(Value* start, int64_t most) {
    if (ByteSize(start->type.dtype) < 4) start = build_.Convert(start, DType::kS32);
    start = build_.Add(
        Opcode::kClamp,
        {build_.SplatLike(start, 0), start, build_.SplatLike(start, static_cast<double>(most))},
        start->type);
    return build_.Convert(start, DType::kS32);
  }
  // Where the window begins in the slice with room on both sides.
  Value* InRoom(size_t d) {
    Value* const place = build_.Binary(Opcode::kAdd, offsets_[d], Number(window_[d]));
    return Clamped(place, sizes_[d] + window_[d]);
  }

  Value* Slice(Value* array, const std::vector<Value*>& starts, const Dims& sizes) {
    SmallVector<Value*, 8> operands = {array};
    for (Value* start : starts) operands.push_back(start);
    const Type type = Type::Tensor(array->type.dtype, sizes);
    return build_
        .AddOp(Opcode::kDynamicSlice, {operands.data(), operands.size()}, {&type, 1},
               MakeAttributes(DynamicSliceAttributes{sizes}))
        ->result();
  }

  Value* IsInSlice() {
    Value* all = nullptr;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (!is_spread_[d]) continue;
      const Type type = Type::Tensor(DType::kS32, window_);
      Value* const along = build_.Add(Opcode::kIota, {}, type,
                                      MakeAttributes(DimensionAttributes{static_cast<int64_t>(d)}));
      Value* const place =
          build_.Binary(Opcode::kAdd, along, build_.Broadcast(offsets_[d], window_, {}));
      Value* const is_after =
          build_.Compare(ComparisonDirection::kGe, place, build_.SplatLike(place, 0));
      Value* const is_before = build_.Compare(
          ComparisonDirection::kLt, place, build_.SplatLike(place, static_cast<double>(sizes_[d])));
      Value* const is_in = build_.Binary(Opcode::kAnd, is_after, is_before);
      all = all == nullptr ? is_in : build_.Binary(Opcode::kAnd, all, is_in);
    }
    return all;
  }

  Builder build_;
  const LocalValue& operand_;
  const Dims sizes_;  // of the slice
  const Dims part_;   // of what the device has
  Dims window_;       // of the part, the most that can be in the slice
  const std::vector<bool>& is_spread_;
  std::vector<Value*> starts_;   // of the window in the part
  std::vector<Value*> offsets_;  // of the window from the slice's begin; null: not spread
};

}  // namespace

Value* TermOfSlice(Emitter& emitter, const LocalValue& operand, const Type& global,
                   std::span<Value* const> starts, const Dims& sizes,
                   const std::vector<bool>& is_spread) {
  Slicer slicer(emitter, operand, global, starts, sizes, is_spread);
  // A sum of -0 and anything is that, -0 too.
  return slicer.InSlice(slicer.Window(),
                        IsInteger(global.dtype) || global.dtype == DType::kPred ? 0.0 : -0.0);
}

Value* UpdatePart(Emitter& emitter, const LocalValue& operand, const Type& global, Value* update,
                  std::span<Value* const> starts, const std::vector<bool>& is_spread) {
  Slicer slicer(emitter, operand, global, starts, update->type.dims, is_spread);
  return slicer.Put(slicer.Updated(slicer.Window(), update));
}

}  // namespace plinth::compiler::partition
