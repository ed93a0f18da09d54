// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "reference_plugin/cpu/library/test_support.h"

namespace plinth::cpu::library {
namespace {

using compiler::ConvolutionAttributes;
using compiler::Dims;
using compiler::Opcode;

LibraryOptions NoBlas() { return {{"none"}}; }

Dims Strides(const Dims& dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) strides[d] = std::exchange(stride, stride * dims[d]);
  return strides;
}

// Row-major index `number` of a box.
Dims IndexOf(int64_t number, const Dims& sizes) {
  Dims index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = number % sizes[d];
    number /= sizes[d];
  }
  return index;
}

int64_t Product(const Dims& dims) {
  int64_t product = 1;
  for (int64_t dim : dims) product *= dim;
  return product;
}

struct Case {
  ConvolutionAttributes conv;
  int64_t batch = 1, features = 1, output_features = 1;  // of the whole input and output
  Dims spatial;
  TestArray input, kernel, output;

  compiler::plan::PlanStep Step() const {
    return MakeStep(Opcode::kConvolution, {input.type, kernel.type}, {output.type},
                    compiler::MakeAttributes(conv));
  }
};

// The order of the dimensions: "channels last" or any other.
void SetLayout(Case& c, std::mt19937_64* random) {
  const int64_t rank = static_cast<int64_t>(c.spatial.size());
  std::vector<int64_t> in(rank + 2), kernel(rank + 2), out(rank + 2);
  for (auto* order : {&in, &kernel, &out}) {
    // Positions of batch, spatial..., feature (input and output); of spatial..., in, out (kernel).
    for (int64_t i = 0; i < rank + 2; ++i) (*order)[i] = i;
    if (random != nullptr) std::shuffle(order->begin(), order->end(), *random);
  }
  c.conv.input_batch = in[0];
  c.conv.input_feature = in[rank + 1];
  c.conv.output_batch = out[0];
  c.conv.output_feature = out[rank + 1];
  c.conv.kernel_input_feature = kernel[rank];
  c.conv.kernel_output_feature = kernel[rank + 1];
  c.conv.input_spatial.assign(in.begin() + 1, in.end() - 1);
  c.conv.output_spatial.assign(out.begin() + 1, out.end() - 1);
  c.conv.kernel_spatial.assign(kernel.begin(), kernel.end() - 2);
}

int64_t OutputSize(const Case& c, size_t d) {
  const compiler::Window& w = c.conv.window;
  const int64_t size = c.spatial[d] == 0 ? 0 : (c.spatial[d] - 1) * w.base_dilation[d] + 1;
  const int64_t padded = size + w.padding_low[d] + w.padding_high[d];
  const int64_t window = w.sizes[d] == 0 ? 0 : (w.sizes[d] - 1) * w.window_dilation[d] + 1;
  return padded < window || padded <= 0 ? 0 : (padded - window) / w.strides[d] + 1;
}

void SetPlainWindow(Case& c, const Dims& sizes) {
  compiler::Window& w = c.conv.window;
  const size_t rank = sizes.size();
  w.sizes = sizes;
  w.strides = w.base_dilation = w.window_dilation = Dims(rank, 1);
  w.padding_low = w.padding_high = Dims(rank, 0);
  w.reversal.resize(rank, false);
}

void MakeArrays(Case& c, DType type, DType result) {
  const size_t rank = c.spatial.size();
  Dims in(rank + 2), kernel(rank + 2), out(rank + 2);
  in[c.conv.input_batch] = c.batch;
  in[c.conv.input_feature] = c.features;
  kernel[c.conv.kernel_input_feature] = c.features / c.conv.feature_group_count;
  kernel[c.conv.kernel_output_feature] = c.output_features;
  out[c.conv.output_batch] = c.batch / c.conv.batch_group_count;
  out[c.conv.output_feature] = c.output_features;
  for (size_t d = 0; d < rank; ++d) {
    in[c.conv.input_spatial[d]] = c.spatial[d];
    kernel[c.conv.kernel_spatial[d]] = c.conv.window.sizes[d];
    out[c.conv.output_spatial[d]] = OutputSize(c, d);
  }
  c.input = TestArray(type, in);
  c.kernel = TestArray(type, kernel);
  c.output = TestArray(result, out);
  std::fill(c.output.bytes.begin(), c.output.bytes.end(), std::byte{0x7b});
}

// Checks every `stride`-th element against StableHLO's definition.
void CheckAgainstDefinition(const Case& c, int64_t stride = 1) {
  const ConvolutionAttributes& conv = c.conv;
  const compiler::Window& w = conv.window;
  const size_t rank = c.spatial.size();
  const Dims in = Strides(c.input.type.dims), kernel = Strides(c.kernel.type.dims);
  const DType type = c.output.type.dtype;
  const DType compute = type == DType::kF16 || type == DType::kBF16 ? DType::kF32 : type;
  const int64_t features = c.features / conv.feature_group_count;
  const int64_t group_features = c.output_features / conv.feature_group_count;
  const int64_t batch_group_features = c.output_features / conv.batch_group_count;
  const int64_t batches = c.batch / conv.batch_group_count;
  int failures = 0;
  for (int64_t e = 0; e < c.output.NumElements() && failures < 3; e += stride) {
    const Dims out = IndexOf(e, c.output.type.dims);
    const int64_t o = out[conv.output_feature];
    const int64_t batch = out[conv.output_batch] + o / batch_group_features * batches;
    const int64_t first_feature = o / group_features * features;
    ReferenceSum sum;
    for (int64_t tap = 0; tap < Product(w.sizes); ++tap) {
      const Dims t = IndexOf(tap, w.sizes);
      int64_t i = batch * in[conv.input_batch] + first_feature * in[conv.input_feature];
      int64_t k = o * kernel[conv.kernel_output_feature];
      bool inside = true;
      for (size_t d = 0; d < rank; ++d) {
        const int64_t at = out[conv.output_spatial[d]] * w.strides[d] - w.padding_low[d] +
                           t[d] * w.window_dilation[d];
        inside &= at >= 0 && at % w.base_dilation[d] == 0 && at / w.base_dilation[d] < c.spatial[d];
        i += at / w.base_dilation[d] * in[conv.input_spatial[d]];
        k += (w.reversal[d] ? w.sizes[d] - 1 - t[d] : t[d]) * kernel[conv.kernel_spatial[d]];
      }
      if (!inside) continue;
      for (int64_t f = 0; f < features; ++f) {
        sum.Add(c.input, i + f * in[conv.input_feature], c.kernel,
                k + f * kernel[conv.kernel_input_feature]);
      }
    }
    const auto match = sum.Matches(c.output, e, Product(w.sizes) * features, compute);
    EXPECT_TRUE(match);
    failures += !match;
  }
}

void FillRun(Case& c, std::mt19937_64& random, backend::ThreadPool* pool = nullptr,
             const LibraryOptions& options = NoBlas()) {
  c.input.FillRandom(random);
  c.kernel.FillRandom(random);
  const Status status = RunStep(c.Step(), {&c.input, &c.kernel}, {&c.output}, pool, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

TEST(Convolution, AnyAttributesAndTypes) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 600; ++round) {
    Case c;
    auto below = [&random](int64_t limit) { return static_cast<int64_t>(random() % limit); };
    const int64_t rank = below(4);
    SetPlainWindow(c, Dims(rank, 1));
    compiler::Window& w = c.conv.window;
    for (int64_t d = 0; d < rank; ++d) {
      c.spatial.push_back(below(12) == 0 ? 0 : 1 + below(rank == 3 ? 5 : 9));
      w.sizes[d] = below(16) == 0 ? 0 : 1 + below(4);
      w.strides[d] = 1 + below(3);
      w.base_dilation[d] = below(2) ? 1 : 1 + below(4);
      w.window_dilation[d] = below(2) ? 1 : 1 + below(3);
      w.padding_low[d] = below(6) - 2;
      w.padding_high[d] = below(6) - 2;
      w.reversal[d] = below(3) == 0;
    }
    c.batch = 1 + below(3);
    c.features = 1 + below(4);
    c.output_features = 1 + below(20);
    if (const int64_t kind = below(4); kind == 1) {
      c.conv.feature_group_count = 1 + below(6);
      c.features *= c.conv.feature_group_count;
      c.output_features *= c.conv.feature_group_count;
    } else if (kind == 2) {
      c.conv.batch_group_count = 1 + below(6);
      c.batch *= c.conv.batch_group_count;
      c.output_features = c.conv.batch_group_count * (1 + below(3));
    }
    SetLayout(c, below(3) == 0 ? nullptr : &random);
    const DType type = kTestTypes[below(std::size(kTestTypes))];
    MakeArrays(c, type, type);
    SCOPED_TRACE(StrCat("round ", round, " ", Name(type), " input ", StrJoin(c.input.type.dims),
                        " kernel ", StrJoin(c.kernel.type.dims), " output ",
                        StrJoin(c.output.type.dims)));
    FillRun(c, random);
    CheckAgainstDefinition(c);
  }
}

// Shapes of real networks, in the layouts that frameworks use.
Case Image(int64_t batch, int64_t size, int64_t features, int64_t outputs, int64_t window,
           int64_t stride, bool channels_last, DType type) {
  Case c;
  c.batch = batch;
  c.features = features;
  c.output_features = outputs;
  c.spatial = {size, size};
  SetPlainWindow(c, {window, window});
  c.conv.window.strides = {stride, stride};
  c.conv.window.padding_low = c.conv.window.padding_high = {window / 2, window / 2};
  SetLayout(c, nullptr);
  if (!channels_last) {
    c.conv.input_feature = c.conv.output_feature = 1;
    c.conv.input_spatial = c.conv.output_spatial = {2, 3};
    c.conv.kernel_output_feature = 0;
    c.conv.kernel_input_feature = 1;
    c.conv.kernel_spatial = {2, 3};
  }
  MakeArrays(c, type, type);
  return c;
}

TEST(Convolution, ImagesForwardWithThreads) {
  std::mt19937_64 random(2);
  backend::ThreadPool pool(3);
  for (bool channels_last : {true, false}) {
    for (DType type : {DType::kF32, DType::kBF16, DType::kS32}) {
      for (int64_t window : {1, 3, 7}) {
        for (int64_t stride : {1, 2}) {
          SCOPED_TRACE(StrCat(Name(type), " ", window, " / ", stride, " last ", channels_last));
          Case c = Image(2, 15, 20, 40, window, stride, channels_last, type);
          FillRun(c, random, &pool);
          CheckAgainstDefinition(c, 7);
          const std::vector<std::byte> bytes = c.output.bytes;
          ASSERT_TRUE(
              RunStep(c.Step(), {&c.input, &c.kernel}, {&c.output}, nullptr, NoBlas()).ok());
          EXPECT_EQ(bytes, c.output.bytes) << "the threads changed the result";
        }
      }
    }
  }
}

// Every way that f32 in the layouts of frameworks may take, forward and as gradients ask for it.
TEST(Convolution, FloatsInUsualLayouts) {
  std::mt19937_64 random(6);
  backend::ThreadPool pool(3);
  auto below = [&random](int64_t limit) { return static_cast<int64_t>(random() % limit); };
  for (int round = 0; round < 400; ++round) {
    const bool gradient = below(2) == 0, channels_last = below(2) == 0;
    Case c;
    const int64_t rank = 1 + below(2);
    SetPlainWindow(c, Dims(rank, 1));
    compiler::Window& w = c.conv.window;
    for (int64_t d = 0; d < rank; ++d) {
      c.spatial.push_back(1 + below(24));
      w.sizes[d] = gradient ? c.spatial[d] : 1 + below(4);
      w.strides[d] = 1 + below(2);
      (gradient ? w.window_dilation : w.base_dilation)[d] = below(3) == 0 ? 2 : 1;
      w.padding_low[d] = below(4) - 1;
      w.padding_high[d] = below(4) + (gradient ? w.sizes[d] * (w.window_dilation[d] - 1) : 0);
      w.reversal[d] = !gradient && below(3) == 0;
    }
    c.batch = 1 + below(18);
    c.features = 1 + below(gradient ? 9 : 18);
    c.output_features = 1 + below(40);
    SetLayout(c, nullptr);
    ConvolutionAttributes& conv = c.conv;
    if (!channels_last) {
      conv.input_feature = conv.output_feature = 1;
      for (int64_t d = 0; d < rank; ++d) conv.input_spatial[d] = conv.output_spatial[d] = d + 2;
      conv.kernel_output_feature = 0;
      conv.kernel_input_feature = 1;
      for (int64_t d = 0; d < rank; ++d) conv.kernel_spatial[d] = d + 2;
    }
    if (gradient) {
      // What is summed over comes first in both operands.
      conv.kernel_spatial = conv.input_spatial;
      conv.input_batch = std::exchange(conv.input_feature, 0);
      conv.kernel_output_feature = conv.input_batch;
      conv.kernel_input_feature = 0;
    }
    if (below(3) == 0) {
      const int64_t groups = 1 + below(5);
      (gradient ? conv.batch_group_count : conv.feature_group_count) = groups;
      (gradient ? c.batch : c.features) *= groups;
      c.output_features = groups * (1 + below(5));
    }
    MakeArrays(c, DType::kF32, DType::kF32);
    SCOPED_TRACE(StrCat("round ", round, gradient ? " gradient" : "", channels_last ? " last" : "",
                        " input ", StrJoin(c.input.type.dims), " kernel ",
                        StrJoin(c.kernel.type.dims), " output ", StrJoin(c.output.type.dims)));
    FillRun(c, random, &pool);
    CheckAgainstDefinition(c, 1 + c.output.NumElements() / 500);
    const std::vector<std::byte> bytes = c.output.bytes;
    ASSERT_TRUE(RunStep(c.Step(), {&c.input, &c.kernel}, {&c.output}, nullptr, NoBlas()).ok());
    ASSERT_EQ(bytes, c.output.bytes) << "the threads changed the result";
  }
}

TEST(Convolution, DepthwiseForwardAndKernelGradient) {
  std::mt19937_64 random(3);
  backend::ThreadPool pool(2);
  for (DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kS8, DType::kS32, DType::kC64}) {
    for (bool gradient : {false, true}) {
      SCOPED_TRACE(StrCat(Name(type), gradient ? " gradient" : ""));
      Case c = Image(gradient ? 37 : 2, 11, gradient ? 3 : 37, 37, gradient ? 9 : 3, 1, true, type);
      (gradient ? c.conv.batch_group_count : c.conv.feature_group_count) = 37;
      if (gradient) {
        // The batch is innermost: what reverse-mode differentiation asks for.
        c.conv.input_batch = 3;
        c.conv.input_feature = 0;
      }
      MakeArrays(c, type, type);
      FillRun(c, random, &pool);
      CheckAgainstDefinition(c, 3);
    }
  }
}

TEST(Convolution, NarrowOperandsWideResult) {
  std::mt19937_64 random(4);
  Case c = Image(2, 9, 5, 33, 3, 1, true, DType::kS8);
  MakeArrays(c, DType::kS8, DType::kS32);
  FillRun(c, random);
  CheckAgainstDefinition(c, 3);
  MakeArrays(c, DType::kBF16, DType::kF32);
  FillRun(c, random);
  CheckAgainstDefinition(c, 3);
}

// What is too large to stay with the threads counts as memory of the program.
TEST(Convolution, LargeScratchIsPlanned) {
  std::mt19937_64 random(11);
  backend::ThreadPool pool(2);
  struct Shape {
    bool channels_last;
    int64_t batch, features, output_features;
    Dims spatial, window;
  } const shapes[] = {
      {true, 1, 64, 1900, {6, 6}, {3, 3}},           // the packed kernel
      {false, 1, 1, 2, {1100, 1100}, {1098, 1098}},  // planes of a kernel's gradient
      {false, 1, 4, 2, {3, 300000}, {3, 3}},         // long rows
  };
  for (const Shape& shape : shapes) {
    Case c;
    c.batch = shape.batch;
    c.features = shape.features;
    c.output_features = shape.output_features;
    c.spatial = shape.spatial;
    SetLayout(c, nullptr);
    if (!shape.channels_last) {
      c.conv.input_feature = c.conv.output_feature = 1;
      c.conv.kernel_output_feature = 0;
      c.conv.kernel_input_feature = 1;
      c.conv.input_spatial = c.conv.output_spatial = c.conv.kernel_spatial = {2, 3};
    }
    SetPlainWindow(c, shape.window);
    MakeArrays(c, DType::kF32, DType::kF32);
    FillRun(c, random, &pool);
    const bool long_sums = c.kernel.NumElements() > 2000000;
    CheckAgainstDefinition(c, c.output.NumElements() / (long_sums ? 1 : 5));
    const auto prepared = PrepareLibraryStep(c.Step());
    ASSERT_TRUE(prepared.ok());
    EXPECT_GT((*prepared)->scratch_bytes(), 4 << 20) << shape.spatial[0];
  }
}

TEST(Convolution, HugeDilationAndPaddingNeedNoMemory) {
  std::mt19937_64 random(5);
  Case c = Image(1, 3, 2, 3, 3, 1, true, DType::kF32);
  c.conv.window.base_dilation = {1000000, 1};
  c.conv.window.window_dilation = {1000000, 1};
  c.conv.window.padding_low = {0, 1};
  c.conv.window.padding_high = {0, 1};
  MakeArrays(c, DType::kF32, DType::kF32);
  FillRun(c, random);
  CheckAgainstDefinition(c);
}

}  // namespace
}  // namespace plinth::cpu::library
