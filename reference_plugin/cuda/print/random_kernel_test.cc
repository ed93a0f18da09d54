// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/random_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>

#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/cuda/print/combined.h"
#include "reference_plugin/cuda/print/form.h"
#include "reference_plugin/cuda/print/kernel.h"
#include "reference_plugin/cuda/testing/host_device.h"

namespace plinth::cuda {
namespace {

using compiler::testing::MakeRandomKernel;
using compiler::testing::RandomKernel;
using testing::GuardedArray;
using testing::HostDevice;

// The two zeros count as equal, and so do all NaNs.
bool SameElement(DType type, const std::byte* a, const std::byte* b) {
  if (std::memcmp(a, b, static_cast<size_t>(ByteSize(type))) == 0) return true;
  if (!compiler::IsIeeeFloat(type)) return false;
  const double x = compiler::ReadFloat(type, a), y = compiler::ReadFloat(type, b);
  return x == y || (std::isnan(x) && std::isnan(y));
}

std::vector<std::span<std::byte>> Spans(std::deque<GuardedArray>& arrays) {
  std::vector<std::span<std::byte>> spans;
  for (GuardedArray& array : arrays) spans.push_back(array.bytes());
  return spans;
}

std::vector<std::byte*> Pointers(std::deque<GuardedArray>& arrays) {
  std::vector<std::byte*> pointers;
  for (GuardedArray& array : arrays) pointers.push_back(array.data());
  return pointers;
}

// PLINTH_TEST_SEED chooses other kernels.
uint64_t FirstSeed() {
  const char* seed = std::getenv("PLINTH_TEST_SEED");
  constexpr uint64_t kSeedsOfARun = 1'000'000;
  return seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10) * kSeedsOfARun;
}

// Architectures differ in how finely they split: one that hardly splits takes the other branches.
class RandomKernelTest : public ::testing::TestWithParam<int32_t> {};

TEST_P(RandomKernelTest, AgreesWithTheDefinition) {
  constexpr uint64_t kSeeds = 200, kMostSeeds = 20'000;
  constexpr int kTiled = 40;  // that many more, of the form that is rare
  Architecture architecture;
  architecture.multiprocessors = GetParam();
  std::vector<uint64_t> seeds;
  std::vector<RandomKernel> kernels;
  std::vector<PrintedStep> steps;
  int tiled = 0;
  const uint64_t first = FirstSeed();
  for (uint64_t seed = first;
       seed < first + kMostSeeds && (seed < first + kSeeds || tiled < kTiled); ++seed) {
    RandomKernel random = MakeRandomKernel(seed);
    if (seed >= first + kSeeds) {
      if (ChooseForm(random.kernel, architecture).kind != FormKind::kTiles) continue;
      ++tiled;
    }
    seeds.push_back(seed);
    kernels.push_back(std::move(random));
    auto step = PrintKernel(kernels.back().kernel, architecture);
    ASSERT_TRUE(step.ok()) << step.status().ToString() << ToString(kernels.back().kernel);
    steps.push_back(*std::move(step));
  }
  EXPECT_EQ(tiled, kTiled);
  HostDevice device;
  const Status loaded = device.Load(steps);
  ASSERT_TRUE(loaded.ok()) << loaded.ToString();
  for (size_t i = 0; i < seeds.size(); ++i) {
    const uint64_t seed = seeds[i];
    const RandomKernel& random = kernels[i];
    const std::string text = steps[i].actions.empty() ? "" : steps[i].actions[0].kernel->text;
    std::deque<GuardedArray> operands, expected, actual;
    for (const auto& bytes : random.operands) operands.emplace_back(std::span(bytes));
    for (int64_t size : random.result_sizes) {
      expected.emplace_back(size);
      actual.emplace_back(size);
    }
    const std::vector<std::string> errors =
        compiler::testing::RunKernel(random.kernel, Spans(operands), Spans(expected));
    ASSERT_TRUE(errors.empty()) << errors[0];
    const Status run = device.Run(steps[i], Pointers(operands), Pointers(actual));
    ASSERT_TRUE(run.ok()) << run.ToString() << "\n" << ToString(random.kernel) << text;
    for (const compiler::Access& output : random.kernel.shape.outputs) {
      GuardedArray& is = actual[static_cast<size_t>(output.buffer)];
      GuardedArray& should = expected[static_cast<size_t>(output.buffer)];
      ASSERT_TRUE(is.IsIntact()) << "seed " << seed << ToString(random.kernel) << text;
      const size_t bytes = static_cast<size_t>(ByteSize(output.dtype));
      for (size_t at = 0; at < is.bytes().size(); at += bytes) {
        ASSERT_TRUE(SameElement(output.dtype, is.data() + at, should.data() + at))
            << "seed " << seed << " output " << output.buffer << " byte " << at << ": "
            << compiler::ElementToString(output.dtype, is.data() + at) << " is not "
            << compiler::ElementToString(output.dtype, should.data() + at) << "\n"
            << ToString(random.kernel) << text;
      }
    }
  }
}

// Several steps in one launch do what each does alone, whatever the others are.
TEST(CombinedTest, DoesWhatEachStepDoes) {
  constexpr size_t kGroup = 4;
  std::vector<RandomKernel> kernels;
  std::vector<PrintedStep> steps;
  for (uint64_t seed = 0; steps.size() < 6 * kGroup; ++seed) {
    ASSERT_LT(seed, 2000u);
    RandomKernel random = MakeRandomKernel(seed);
    auto step = PrintKernel(random.kernel, {});
    ASSERT_TRUE(step.ok());
    if (!MayShareLaunch(*step)) continue;
    kernels.push_back(std::move(random));
    steps.push_back(*std::move(step));
  }
  HostDevice device;
  ASSERT_TRUE(device.Load(steps).ok());
  for (size_t begin = 0; begin < steps.size(); begin += kGroup) {
    std::deque<GuardedArray> operands, alone, together;
    std::vector<SharedStep> shared;
    for (size_t s = begin; s < begin + kGroup; ++s) {
      std::deque<GuardedArray> own, out;
      for (const auto& bytes : kernels[s].operands) own.emplace_back(std::span(bytes));
      for (int64_t size : kernels[s].result_sizes) out.emplace_back(size);
      ASSERT_TRUE(device.Run(steps[s], Pointers(own), Pointers(out)).ok());
      for (GuardedArray& array : out) alone.emplace_back(std::span<const std::byte>(array.bytes()));
      for (const auto& bytes : kernels[s].operands) operands.emplace_back(std::span(bytes));
      for (int64_t size : kernels[s].result_sizes) together.emplace_back(size);
      shared.push_back({&steps[s], static_cast<int32_t>(kernels[s].operands.size()),
                        static_cast<int32_t>(kernels[s].result_sizes.size())});
    }
    const PrintedStep combined = Combine(shared);
    EXPECT_EQ(combined.actions.size(), 1u);
    const Status loaded = device.Load({&combined, 1});
    ASSERT_TRUE(loaded.ok()) << loaded.ToString();
    const Status run = device.Run(combined, Pointers(operands), Pointers(together));
    ASSERT_TRUE(run.ok()) << run.ToString();
    for (size_t i = 0; i < alone.size(); ++i) {
      EXPECT_TRUE(together[i].IsIntact());
      EXPECT_TRUE(
          std::equal(alone[i].bytes().begin(), alone[i].bytes().end(), together[i].bytes().begin()))
          << "array " << i << "\n"
          << combined.actions[0].kernel->text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Multiprocessors, RandomKernelTest, ::testing::Values(132, 1));

}  // namespace
}  // namespace plinth::cuda
