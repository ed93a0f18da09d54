// SPDX-License-Identifier: Apache-2.0
// Convolutions by vectors along the innermost spatial dimension. A task copies the planes it reads
// with their padding, and with every `step`-th element side by side, so that every vector is
// contiguous and inside.

#include <algorithm>
#include <cstring>

#include "plinth/support/integer_math.h"
#include "reference_plugin/cpu/library/convolution_parts.h"
#include "reference_plugin/cpu/library/gemm_kernels.h"
#include "reference_plugin/cpu/library/work_blocks.h"

namespace plinth::cpu::library {
namespace {

// One dimension of a plane: element `along` * step + `shift` * shift_step from `low` on.
struct PlaneDim {
  int64_t along, step, shifts, shift_step, low, extent, stride;
  int64_t size() const { return (along - 1) * step + (shifts - 1) * shift_step + 1; }
};

// How copies of planes lie in memory.
struct PlaneLayout {
  PlaneDim y, x;
  int64_t pitch, row;  // floats of one phase of a row, and of a row

  PlaneLayout(const PlaneDim& y_dim, const PlaneDim& x_dim) : y(y_dim), x(x_dim) {
    constexpr int64_t kMostLanes = 16;
    pitch = CeilDiv(x.along, kMostLanes) * kMostLanes + (x.shifts - 1) * x.shift_step / x.step + 1;
    pitch = CeilDiv(pitch, kMostLanes) * kMostLanes;
    row = pitch * std::min(x.step, x.size());
  }

  // Where the elements of one shift begin.
  int64_t Offset(int64_t y_shift, int64_t x_shift) const {
    const int64_t at = x_shift * x.shift_step;
    return y_shift * y.shift_step * row + at % x.step * pitch + at / x.step;
  }

  // Copies `rows` rows from coordinate `first` on.
  void Copy(const float* from, int64_t first, int64_t rows, float* to) const {
    const int64_t phases = row / pitch;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = first + r;
      if (at < 0 || at >= y.extent) {
        std::fill_n(to, row, 0.0f);
        to += row;
        continue;
      }
      const float* line = from + at * y.stride;
      for (int64_t p = 0; p < phases; ++p, to += pitch) {
        const int64_t start = x.low + p;
        const int64_t begin = std::min(pitch, start < 0 ? CeilDiv(-start, x.step) : 0);
        const int64_t end =
            std::clamp(start < x.extent ? CeilDiv(x.extent - start, x.step) : 0, begin, pitch);
        std::fill_n(to, begin, 0.0f);
        if (x.step == 1) {
          std::copy_n(line + start + begin, end - begin, to + begin);
        } else {
          for (int64_t i = begin; i < end; ++i) to[i] = line[start + i * x.step];
        }
        std::fill_n(to + end, pitch - end, 0.0f);
      }
    }
  }
};

// What both ways know of the arrays. Strides count elements.
struct Geometry {
  int64_t groups, batch, features, output_features;
  int64_t input_batch, input_feature;
  int64_t kernel_output, kernel_feature, kernel_first;
  int64_t output_batch, output_feature, output_first;
  ConvolutionArrays::GroupStrides group;
  Spatial y, x;
  int64_t kernel_y, kernel_x, output_y, output_x;  // per tap and per output of the part

  Geometry(const ConvolutionArrays& a, const ConvolutionPart& spatial)
      : groups(a.groups()),
        batch(a.batch()),
        features(a.features()),
        output_features(a.output_features()),
        input_batch(a.input_strides[a.conv.input_batch]),
        input_feature(a.input_strides[a.conv.input_feature]),
        kernel_output(a.kernel_strides[a.conv.kernel_output_feature]),
        kernel_feature(a.kernel_strides[a.conv.kernel_input_feature]),
        output_batch(a.output_strides[a.conv.output_batch]),
        output_feature(a.output_strides[a.conv.output_feature]),
        group(a.group_strides()),
        y{1, 0, 1, 1, 0, 1, {0, 1, 1, 0}, 1, 1},
        x(spatial.back()),
        kernel_y(0),
        output_y(0) {
    const size_t last = spatial.size() - 1;
    const int64_t kernel_stride = a.kernel_strides[a.conv.kernel_spatial[last]];
    const int64_t output_stride = a.output_strides[a.conv.output_spatial[last]];
    kernel_x = kernel_stride * x.kernel_step;
    output_x = output_stride * x.output_period;
    kernel_first = kernel_stride * x.first_tap;
    output_first = output_stride * x.first_output;
    if (last == 1) {
      const int64_t kernel_row = a.kernel_strides[a.conv.kernel_spatial[0]];
      const int64_t output_row = a.output_strides[a.conv.output_spatial[0]];
      y = spatial[0];
      kernel_y = kernel_row * y.kernel_step;
      output_y = output_row * y.output_period;
      kernel_first += kernel_row * y.first_tap;
      output_first += output_row * y.first_output;
    }
  }

  double work() const {
    return static_cast<double>(groups * batch * features) *
           static_cast<double>(output_features * y.outputs * x.outputs) *
           static_cast<double>(y.taps * x.taps);
  }
  backend::ThreadPool* PoolFor(const backend::RunContext& context) const {
    constexpr double kInlineWork = 400e3;  // as for products
    return work() < kInlineWork ? nullptr : context.pool;
  }
};

PlaneDim AlongOutputs(const Spatial& s) {
  return {s.outputs,    s.output_step,   s.taps,         s.tap_step,
          s.window.low, s.window.extent, s.window.stride};
}
PlaneDim AlongTaps(const Spatial& s) {
  return {s.taps,       s.tap_step,      s.outputs,      s.output_step,
          s.window.low, s.window.extent, s.window.stride};
}

int Threads(const backend::ThreadPool* pool) { return pool == nullptr ? 1 : pool->parallelism(); }

// Runs body(task, memory) for every item of `blocks`.
template <typename Body>
Status ForTasks(backend::ThreadPool* pool, backend::RunContext context, const WorkBlocks& blocks,
                const Body& body) {
  context.pool = pool;
  PLINTH_RETURN_IF_ERROR(blocks.ForEach(
      context, 1, [&](int64_t first, int64_t end, int64_t stride, std::byte* memory) {
        for (int64_t t = first; t < end; t += stride) {
          if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) return;
          body(t, memory);
        }
      }));
  if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) {
    return Status(StatusCode::kCancelled, "the execution was stopped during a convolution");
  }
  return Status();
}

// Vectors along rows of the result.
class WeightedRowsStep final : public backend::PreparedStep {
 public:
  explicit WeightedRowsStep(const Geometry& geometry)
      : g_(geometry),
        layout_(AlongOutputs(g_.y), AlongOutputs(g_.x)),
        weights_(g_.groups * g_.output_features * Terms() * int64_t{sizeof(float)}),
        single_rows_(Bytes(1), g_.groups * g_.batch * g_.y.outputs, weights_.scratch_end()) {}

  int64_t scratch_bytes() const override {
    return std::max(weights_.scratch_end(), single_rows_.scratch_end());
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const int64_t terms = Terms();
    float* weights = reinterpret_cast<float*>(weights_.Get(context));
    if (weights == nullptr) return ResourceExhausted("no memory for a convolution's kernel");
    CopyWeights(static_cast<const float*>(operands[1]), weights);

    backend::ThreadPool* pool = g_.PoolFor(context);
    // Planes of a task stay in the second-level cache, and there are tasks enough.
    constexpr int64_t kTaskFloats = 64 << 10;
    const int64_t most_rows =
        kTaskFloats / (g_.features * layout_.row) - (g_.y.taps - 1) * g_.y.tap_step;
    const int64_t wanted = CeilDiv(int64_t{4} * Threads(pool), g_.batch * g_.groups);
    int64_t block = std::clamp<int64_t>(
        std::min(most_rows / g_.y.output_step, CeilDiv(g_.y.outputs, wanted)), 1, g_.y.outputs);
    // Where planned memory would be needed, it was planned for one row per task.
    if (Bytes(block) > backend::TaskMemory::kKeptBytes) block = 1;
    const int64_t blocks = CeilDiv(g_.y.outputs, block);
    const int64_t plane = PlaneSize(block);
    return ForTasks(
        pool, context,
        block == 1 ? single_rows_ : WorkBlocks(Bytes(block), g_.groups * g_.batch * blocks),
        [&](int64_t t, std::byte* memory) {
          const int64_t group = t / blocks % g_.groups, image = t / blocks / g_.groups;
          const int64_t first = t % blocks * block;
          const int64_t count = std::min(block, g_.y.outputs - first);
          int64_t* offsets = reinterpret_cast<int64_t*>(memory);
          float* planes = reinterpret_cast<float*>(offsets + terms);
          const int64_t rows = (count - 1) * g_.y.output_step + (g_.y.taps - 1) * g_.y.tap_step + 1;
          const float* input = static_cast<const float*>(operands[0]) + group * g_.group.input +
                               image * g_.input_batch;
          int64_t* offset = offsets;
          for (int64_t f = 0; f < g_.features; ++f) {
            layout_.Copy(input + f * g_.input_feature, g_.y.window.low + first * g_.y.output_step,
                         rows, planes + f * plane);
            for (int64_t y = 0; y < g_.y.taps; ++y) {
              for (int64_t x = 0; x < g_.x.taps; ++x) {
                *offset++ = f * plane + layout_.Offset(y, x);
              }
            }
          }
          float* result = static_cast<float*>(results[0]) + g_.output_first +
                          group * g_.group.output + image * g_.output_batch;
          const float* group_weights = weights + group * g_.output_features * terms;
          for (int64_t y = 0; y < count; ++y) {
            ComputeRow(terms, group_weights, offsets, planes + y * g_.y.output_step * layout_.row,
                       planes + g_.features * plane, result + (first + y) * g_.output_y);
          }
        });
  }

 private:
  static constexpr int kRows = 4;

  int64_t Terms() const { return g_.features * g_.y.taps * g_.x.taps; }
  // Of the rows that so many rows of the result need.
  int64_t PlaneSize(int64_t rows) const {
    return layout_.row * ((rows - 1) * g_.y.output_step + (g_.y.taps - 1) * g_.y.tap_step + 1);
  }
  int64_t Bytes(int64_t rows) const {
    const int64_t line = g_.output_x == 1 ? 0 : g_.x.outputs * kRows;
    return (g_.features * PlaneSize(rows) + line) * int64_t{sizeof(float)} + Terms() * 8;
  }

  // One matrix per group: a row per output feature, terms in the order of the offsets.
  void CopyWeights(const float* kernel, float* to) const {
    for (int64_t i = 0; i < g_.groups * g_.output_features; ++i) {
      const float* from = kernel + g_.kernel_first + i / g_.output_features * g_.group.kernel +
                          i % g_.output_features * g_.kernel_output;
      for (int64_t f = 0; f < g_.features; ++f) {
        for (int64_t y = 0; y < g_.y.taps; ++y) {
          for (int64_t x = 0; x < g_.x.taps; ++x) {
            *to++ = from[f * g_.kernel_feature + y * g_.kernel_y + x * g_.kernel_x];
          }
        }
      }
    }
  }

  void ComputeRow(int64_t terms, const float* weights, const int64_t* offsets, const float* data,
                  float* line, float* result) const {
    const auto sums = KernelsFor(GemmKind::kF32).weighted_rows;
    for (int64_t o = 0; o < g_.output_features; o += kRows) {
      const int rows = static_cast<int>(std::min<int64_t>(kRows, g_.output_features - o));
      float* rows_at[kRows];
      for (int i = 0; i < rows; ++i) {
        rows_at[i] =
            g_.output_x == 1 ? result + (o + i) * g_.output_feature : line + i * g_.x.outputs;
      }
      sums(rows, g_.x.outputs, terms, weights + o * terms, offsets, data, rows_at);
      for (int i = 0; i < rows && g_.output_x != 1; ++i) {
        float* to = result + (o + i) * g_.output_feature;
        for (int64_t x = 0; x < g_.x.outputs; ++x) to[x * g_.output_x] = rows_at[i][x];
      }
    }
  }

  const Geometry g_;
  const PlaneLayout layout_;
  const SharedBlock weights_;
  const WorkBlocks single_rows_;  // tasks of one row of the result
};

// Vectors along rows of the kernel: a few results, each the product of two large planes.
class RowProductsStep final : public backend::PreparedStep {
 public:
  explicit RowProductsStep(const Geometry& geometry)
      : g_(geometry),
        layout_(AlongTaps(g_.y), AlongTaps(g_.x)),
        planned_block_(Block(kPlannedTasks)),
        planned_(Bytes(planned_block_), NumTasks(planned_block_)) {}

  int64_t scratch_bytes() const override { return planned_.scratch_end(); }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const GemmKernels& kernels = KernelsFor(GemmKind::kF32);
    const int64_t lanes = Lanes(), taps = g_.y.outputs * g_.x.outputs;
    backend::ThreadPool* pool = g_.PoolFor(context);
    int64_t block = Block(int64_t{4} * Threads(pool));
    if (Bytes(block) > backend::TaskMemory::kKeptBytes) block = planned_block_;
    const int64_t blocks = CeilDiv(g_.output_features, block);
    return ForTasks(
        pool, context,
        block == planned_block_ ? planned_ : WorkBlocks(Bytes(block), NumTasks(block)),
        [&](int64_t t, std::byte* memory) {
          const int64_t group = t / blocks % g_.groups, image = t / blocks / g_.groups;
          const int64_t first = t % blocks * block;
          const int64_t count = std::min(block, g_.output_features - first);
          int64_t* offsets = reinterpret_cast<int64_t*>(memory);
          float* sums = reinterpret_cast<float*>(offsets + taps);
          float* copy = sums + block * taps * lanes;
          for (int64_t i = 0; i < taps; ++i) {
            offsets[i] = layout_.Offset(i / g_.x.outputs, i % g_.x.outputs);
          }
          std::fill_n(sums, count * taps * lanes, 0.0f);
          const float* input = static_cast<const float*>(operands[0]) + group * g_.group.input +
                               image * g_.input_batch;
          const float* kernel = static_cast<const float*>(operands[1]) + g_.kernel_first +
                                group * g_.group.kernel + first * g_.kernel_output;
          for (int64_t f = 0; f < g_.features; ++f) {
            layout_.Copy(input + f * g_.input_feature, layout_.y.low, layout_.y.size(), copy);
            kernels.row_products(static_cast<int>(count), taps, g_.y.taps, g_.x.taps,
                                 kernel + f * g_.kernel_feature, g_.kernel_output, g_.kernel_y,
                                 copy, layout_.y.step * layout_.row, offsets, sums);
          }
          float* result = static_cast<float*>(results[0]) + g_.output_first +
                          group * g_.group.output + image * g_.output_batch;
          for (int64_t i = 0; i < count * taps; ++i) {
            float sum = 0;
            for (int64_t l = 0; l < lanes; ++l) sum += sums[i * lanes + l];
            result[(first + i / taps) * g_.output_feature + i % taps / g_.x.outputs * g_.output_y +
                   i % g_.x.outputs * g_.output_x] = sum;
          }
        });
  }

 private:
  static constexpr int64_t kPlannedTasks = 64;

  // Output features of a task, when there should be so many tasks.
  int64_t Block(int64_t tasks) const {
    const int64_t wanted = CeilDiv(tasks, g_.batch * g_.groups);
    return CeilDiv(g_.output_features, std::min(wanted, g_.output_features));
  }
  int64_t NumTasks(int64_t block) const {
    return g_.groups * g_.batch * CeilDiv(g_.output_features, block);
  }
  static int64_t Lanes() { return KernelsFor(GemmKind::kF32).nr / 2; }
  int64_t Bytes(int64_t features) const {
    const int64_t taps = g_.y.outputs * g_.x.outputs;
    const int64_t floats = layout_.row * layout_.y.size() + features * taps * Lanes();
    return floats * int64_t{sizeof(float)} + taps * 8;
  }

  const Geometry g_;
  const PlaneLayout layout_;
  const int64_t planned_block_;  // for tasks that need more memory than a thread keeps
  const WorkBlocks planned_;
};

}  // namespace

std::unique_ptr<backend::PreparedStep> MakeRowConvolution(const ConvolutionArrays& arrays,
                                                          const ConvolutionPart& spatial) {
  const auto& conv = arrays.conv;
  for (const compiler::Type* type : {&arrays.input, &arrays.kernel, &arrays.output}) {
    if (type->dtype != DType::kF32 || type->NumElements() == 0) return nullptr;
  }
  if (spatial.empty() || spatial.size() > 2 ||
      arrays.input_strides[conv.input_spatial.back()] != 1) {
    return nullptr;
  }
  for (const Spatial& s : spatial) {
    if (s.window.dilation != 1 || s.taps == 0 || s.outputs == 0) return nullptr;
    // Steps far beyond the array would be copied as padding.
    const int64_t most = 4 * (s.window.extent + s.taps + s.outputs);
    if (AlongOutputs(s).size() > most || s.window.low < -most || s.window.low > most) {
      return nullptr;
    }
  }
  const Geometry g(arrays, spatial);
  constexpr int64_t kFewFeatures = 8, kFewTerms = 64, kMostTerms = 4096;
  const int64_t outputs = g.y.outputs * g.x.outputs;
  if (outputs <= kFewTerms && g.kernel_x == 1 &&
      g.x.taps >= (g.output_features <= kFewFeatures ? 4 : 12) && g.y.taps * g.x.taps > outputs) {
    return std::make_unique<RowProductsStep>(g);
  }
  const int64_t terms = g.features * g.y.taps * g.x.taps;
  if (arrays.output_strides[conv.output_spatial.back()] == 1 && g.x.outputs >= 4 &&
      (g.output_features <= kFewFeatures ? terms <= kMostTerms : terms <= kFewTerms)) {
    return std::make_unique<WeightedRowsStep>(g);
  }
  return nullptr;
}

}  // namespace plinth::cpu::library
