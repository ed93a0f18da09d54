// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/moves.h"

#include <algorithm>
#include <utility>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::partition {
namespace {

// Rounded up.
int64_t CeilDivide(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

// Each element is a window, and stays where it is.
bool IsElementwise(const Window& window, size_t i) {
  return window.sizes[i] == 1 && window.strides[i] == 1 && window.padding_low[i] == 0 &&
         window.padding_high[i] == 0 && window.base_dilation[i] == 1;
}

// No window reaches beyond the edges.
bool IsWithin(const Window& window) {
  const auto all_are = [](const Dims& dims, int64_t number) {
    return std::all_of(dims.begin(), dims.end(), [&](int64_t dim) { return dim == number; });
  };
  return all_are(window.padding_low, 0) && all_are(window.padding_high, 0) &&
         all_are(window.base_dilation, 1);
}

// Which of a convolution's spatial dimensions that dimension of the result is.
size_t SpatialOf(const ConvolutionAttributes& conv, size_t dim) {
  const auto* const found =
      std::find(conv.output_spatial.begin(), conv.output_spatial.end(), static_cast<int64_t>(dim));
  return static_cast<size_t>(found - conv.output_spatial.begin());
}

}  // namespace

Moves::Moves(const Op& op, const Rule& rule) : op_(op) {
  const auto add_where = [&](auto moves) {
    for (size_t d = 0; d < op.type().dims.size(); ++d) {
      if (moves(d)) dims_.push_back(d);
    }
  };
  switch (op.opcode) {
    case Opcode::kSlice: {
      const auto& slice = op.Get<SliceAttributes>();
      add_where([&](size_t d) {
        return slice.start[d] != 0 || slice.limit[d] != op.operands[0]->type.dims[d] ||
               slice.stride[d] != 1;
      });
      break;
    }
    case Opcode::kPad: {
      const auto& pad = op.Get<PadAttributes>();
      add_where(
          [&](size_t d) { return pad.low[d] != 0 || pad.high[d] != 0 || pad.interior[d] != 0; });
      break;
    }
    case Opcode::kConcatenate:
      dims_.push_back(static_cast<size_t>(op.Get<DimensionAttributes>().dimension));
      break;
    case Opcode::kReverse:
      for (int64_t dim : op.Get<DimensionsAttributes>().dimensions) {
        dims_.push_back(static_cast<size_t>(dim));
      }
      break;
    case Opcode::kReduceWindow: {
      // What is beyond the edges is the initial value here, and does not count otherwise.
      const Window& window = op.Get<WindowAttributes>().window;
      const std::optional<Opcode> combiner =
          op.results.size() == 1 ? OnlyOpOf(*op.blocks[0]) : std::nullopt;
      const bool is_neutral = combiner.has_value() && IsCommonCombiner(*combiner) &&
                              IsNeutral(op.operands[1], *combiner);
      if (!is_neutral && !IsWithin(window)) break;
      add_where([&](size_t d) { return !IsElementwise(window, d); });
      break;
    }
    case Opcode::kConvolution:
      for (int64_t dim : op.Get<ConvolutionAttributes>().output_spatial) {
        dims_.push_back(static_cast<size_t>(dim));
      }
      break;
    default:
      break;
  }
  if (rule.empty() || op.type().NumElements() == 0) dims_.clear();
  if (any()) rule_ = rule;
  const auto set_size = [&](const DimFactors& factors, int64_t size) {
    if (factors.size() == 1) rule_.factors[static_cast<size_t>(factors[0])].size = size;
  };
  for (size_t dim : dims_) {
    set_size(rule_.results[0][dim], op.type().dims[dim]);
    if (op.opcode != Opcode::kConvolution) continue;
    const auto& conv = op.Get<ConvolutionAttributes>();
    const auto kernel = static_cast<size_t>(conv.kernel_spatial[SpatialOf(conv, dim)]);
    set_size(rule_.operands[1][kernel], op.operands[1]->type.dims[kernel]);
  }
}

void Moves::Allow(SpreadWish& wish) const {
  for (size_t dim : dims_) {
    const std::optional<size_t> kernel =
        op_.opcode == Opcode::kConvolution ? SpreadKernel(dim, *wish.operands[1]) : std::nullopt;
    const DimFactors& factors = kernel ? rule_.operands[1][*kernel] : rule_.results[0][dim];
    if (factors.size() == 1) wish.spreadable[static_cast<size_t>(factors[0])] = true;
  }
}

size_t Moves::num_sources() const {
  switch (op_.opcode) {
    case Opcode::kConcatenate:
      return op_.operands.size();
    case Opcode::kReduceWindow:
      return op_.operands.size() / 2;
    default:
      return 1;
  }
}

// Whether the windows are the result, without more, along that dimension.
bool Moves::IsResultItself(size_t dim) const {
  switch (op_.opcode) {
    case Opcode::kSlice:
      return op_.Get<SliceAttributes>().stride[dim] == 1;
    case Opcode::kPad:
      return op_.Get<PadAttributes>().interior[dim] == 0;
    default:
      return op_.opcode == Opcode::kConcatenate;
  }
}

// Whether they are the result along all dimensions.
bool Moves::IsDone() const {
  return std::all_of(dims_.begin(), dims_.end(), [&](size_t dim) { return IsResultItself(dim); });
}

std::optional<size_t> Moves::SpreadKernel(size_t dim, const OpLayouts& layouts) const {
  if (op_.opcode != Opcode::kConvolution) return std::nullopt;
  return SpreadKernel(dim, layouts.operands[1]);
}

std::optional<size_t> Moves::SpreadKernel(size_t dim, const Layout& layout) const {
  const auto& conv = op_.Get<ConvolutionAttributes>();
  const size_t i = SpatialOf(conv, dim);
  const auto kernel = static_cast<size_t>(conv.kernel_spatial[i]);
  const DimFactors& factors = rule_.operands[1][kernel];
  const bool is_larger = op_.operands[1]->type.dims[kernel] > op_.type().dims[dim];
  if (!is_larger || factors.size() != 1 || layout.Of(kernel).empty() || conv.window.reversal[i]) {
    return std::nullopt;
  }
  return kernel;
}

Moves::Reach Moves::ReachOf(size_t dim, bool is_of_kernel) const {
  Reach reach{dim};
  const auto of_window = [&](const Window& window, size_t i, int64_t size) {
    reach.first = -window.padding_low[i];
    reach.stride = window.strides[i];
    reach.size = (size - 1) * window.window_dilation[i] + 1;
    reach.dilation = window.base_dilation[i];
  };
  switch (op_.opcode) {
    case Opcode::kSlice:
      reach.first = op_.Get<SliceAttributes>().start[dim];
      reach.stride = op_.Get<SliceAttributes>().stride[dim];
      break;
    case Opcode::kPad:
      reach.first = -op_.Get<PadAttributes>().low[dim];
      reach.dilation = op_.Get<PadAttributes>().interior[dim] + 1;
      break;
    case Opcode::kReduceWindow: {
      const Window& window = op_.Get<WindowAttributes>().window;
      of_window(window, dim, window.sizes[dim]);
      break;
    }
    case Opcode::kConvolution: {
      const auto& conv = op_.Get<ConvolutionAttributes>();
      const size_t i = SpatialOf(conv, dim);
      reach.dim = static_cast<size_t>(conv.input_spatial[i]);
      const int64_t size = op_.operands[1]->type.dims[static_cast<size_t>(conv.kernel_spatial[i])];
      of_window(conv.window, i, size);
      if (is_of_kernel) {
        reach.size = (op_.type().dims[dim] - 1) * reach.stride + 1;
        reach.stride = conv.window.window_dilation[i];
      }
      break;
    }
    default:
      break;
  }
  return reach;
}

bool Moves::IsSpread(std::span<const Source> sources, const OpLayouts& layouts, size_t dim) const {
  const size_t from = ReachOf(dim, false).dim;
  return !layouts.results[0].Of(dim).empty() || SpreadKernel(dim, layouts).has_value() ||
         std::any_of(sources.begin(), sources.end(),
                     [&](const Source& source) { return !source.local.layout.Of(from).empty(); });
}

// What devices need for their parts of the result, or of the kernel, along one of its dimensions.
bool Moves::WindowAlong(size_t dim, const OpLayouts& layouts, Windows& windows,
                        Local& local) const {
  const std::optional<size_t> kernel = SpreadKernel(dim, layouts);
  const AxisList& axes = kernel ? layouts.operands[1].Of(*kernel) : layouts.results[0].Of(dim);
  const int64_t whole = kernel ? op_.operands[1]->type.dims[*kernel] : op_.type().dims[dim];
  const int64_t part = whole / SizeOf(axes);
  const Reach reach = ReachOf(dim, kernel.has_value());
  if (kernel) local.size = part;
  int64_t first = reach.first, step = part * reach.stride;
  int64_t extent = (part - 1) * reach.stride + reach.size;
  if (op_.opcode == Opcode::kReverse) {
    first = whole - part;
    step = -part;
  }
  if (reach.dilation > 1) {
    // Holes are made on each device; they must be at the same places.
    if (step % reach.dilation != 0 && !axes.empty()) return false;
    const int64_t begin = CeilDivide(first, reach.dilation);
    local.low = begin * reach.dilation - first;
    if (local.low >= extent) return false;
    const int64_t count = (extent - 1 - local.low) / reach.dilation + 1;
    local.high = extent - local.low - ((count - 1) * reach.dilation + 1);
    local.dilation = reach.dilation;
    first = begin;
    step /= reach.dilation;
    extent = count;
  }
  if (!windows.layout.dims.empty()) windows.layout.dims[reach.dim] = axes;
  windows.first[reach.dim] = first;
  windows.step[reach.dim] = step;
  windows.extent[reach.dim] = extent;
  return true;
}

// Where the sources are in what the windows are of.
std::vector<Placed> Moves::Place(std::span<const Source> sources) const {
  std::vector<Placed> placed;
  int64_t at = 0;  // of what is joined
  for (size_t i = 0; i < sources.size(); ++i) {
    const Dims& dims = op_.operands[i]->type.dims;
    Placed& array = placed.emplace_back();
    array.local = sources[i].local;
    array.low = Dims(dims.size(), 0);
    array.high = dims;
    if (op_.opcode == Opcode::kConcatenate) {
      array.low[dims_[0]] = at;
      at += dims[dims_[0]];
      array.high[dims_[0]] = at;
    }
    array.offset = array.low;
    for (size_t d = 0; d < sources[i].start.size(); ++d) array.offset[d] -= sources[i].start[d];
  }
  return placed;
}

std::shared_ptr<const Attributes> Moves::LocalAttributes(const Dims& extent,
                                                         std::span<const size_t> dims,
                                                         std::span<const Local> locals) const {
  const auto set = [&](Window& window, size_t i, const Local& local) {
    window.padding_low[i] = local.low;
    window.padding_high[i] = local.high;
    if (local.size > 0) window.sizes[i] = local.size;
  };
  switch (op_.opcode) {
    case Opcode::kSlice: {
      SliceAttributes slice = op_.Get<SliceAttributes>();
      for (size_t d = 0; d < extent.size(); ++d) {
        const bool is_whole = std::find(dims_.begin(), dims_.end(), d) != dims_.end() &&
                              std::find(dims.begin(), dims.end(), d) == dims.end();
        if (is_whole) continue;
        slice.start[d] = 0;
        slice.limit[d] = extent[d];
      }
      return MakeAttributes(std::move(slice));
    }
    case Opcode::kPad: {
      PadAttributes pad = op_.Get<PadAttributes>();
      for (size_t i = 0; i < dims.size(); ++i) {
        pad.low[dims[i]] = locals[i].low;
        pad.high[dims[i]] = locals[i].high;
        pad.interior[dims[i]] = locals[i].dilation - 1;
      }
      return MakeAttributes(std::move(pad));
    }
    case Opcode::kReduceWindow: {
      WindowAttributes attributes = op_.Get<WindowAttributes>();
      for (size_t i = 0; i < dims.size(); ++i) set(attributes.window, dims[i], locals[i]);
      return MakeAttributes(std::move(attributes));
    }
    case Opcode::kConvolution: {
      ConvolutionAttributes conv = op_.Get<ConvolutionAttributes>();
      for (size_t i = 0; i < dims.size(); ++i) {
        for (size_t k = 0; k < conv.output_spatial.size(); ++k) {
          if (conv.output_spatial[k] == static_cast<int64_t>(dims[i])) {
            set(conv.window, k, locals[i]);
          }
        }
      }
      return MakeAttributes(std::move(conv));
    }
    default:
      return op_.attributes;
  }
}

std::optional<Moves::Moved> Moves::Make(Emitter& emitter, std::span<const Source> sources,
                                        std::span<Value* const> others,
                                        const OpLayouts& layouts) const {
  std::vector<size_t> dims;
  bool is_spread = false;
  for (size_t dim : dims_) {
    const bool is_spread_along = IsSpread(sources, layouts, dim);
    is_spread |= is_spread_along;
    if (is_spread_along || IsResultItself(dim)) dims.push_back(dim);
  }
  if (!is_spread) return std::nullopt;
  // Of one shape for all sources: they have one layout wherever nothing moves.
  const Layout& target = layouts.operands[0];
  const size_t rank = op_.operands[0]->type.dims.size();
  Windows windows;
  windows.layout.mesh = layouts.results[0].mesh != nullptr ? layouts.results[0].mesh : target.mesh;
  windows.layout.dims.resize(windows.layout.mesh == nullptr ? 0 : rank);
  windows.first = Dims(rank, 0);
  for (size_t d = 0; d < rank; ++d) {
    if (windows.layout.mesh != nullptr) windows.layout.dims[d] = target.Of(d);
    const int64_t part = op_.operands[0]->type.dims[d] / SizeOf(target.Of(d));
    windows.step.push_back(part);
    windows.extent.push_back(part);
  }
  std::vector<Local> locals(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!WindowAlong(dims[i], layouts, windows, locals[i])) return std::nullopt;
  }
  windows.layout.Normalize();
  const std::vector<Placed> placed = Place(sources);
  if (!CanRedistribute(emitter, placed, windows.layout)) return std::nullopt;

  Moved moved;
  const auto fill_of = [&](size_t i) {
    const bool has_fill = op_.opcode == Opcode::kPad || op_.opcode == Opcode::kReduceWindow;
    if (has_fill) return others[i];
    return emitter.Zero(op_.operands[i]->type.dtype);
  };
  if (op_.opcode == Opcode::kConcatenate) {
    moved.result = Redistribute(emitter, placed, windows, fill_of(0));
    return moved;
  }
  for (size_t i = 0; i < placed.size(); ++i) {
    moved.operands.push_back(Redistribute(emitter, {&placed[i], 1}, windows, fill_of(i)));
  }
  if (IsDone()) {
    moved.result = moved.operands[0];
    return moved;
  }
  for (Value* other : others) moved.operands.push_back(other);
  moved.attributes = LocalAttributes(windows.extent, dims, locals);
  return moved;
}

}  // namespace plinth::compiler::partition
