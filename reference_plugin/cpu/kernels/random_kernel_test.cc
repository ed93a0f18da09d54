// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/random_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/cpu/kernels/kernel_step.h"
#include "reference_plugin/cpu/kernels/kernel_test_util.h"

namespace plinth::cpu::kernels {
namespace {

using Buffers = std::vector<std::vector<std::byte>>;

std::vector<void*> Pointers(Buffers& buffers) {
  std::vector<void*> pointers;
  for (std::vector<std::byte>& buffer : buffers) pointers.push_back(buffer.data());
  return pointers;
}

std::vector<std::span<std::byte>> Spans(Buffers& buffers) {
  return {buffers.begin(), buffers.end()};
}

// Bytes that nobody wrote keep this value.
Buffers MakeResults(const compiler::testing::RandomKernel& random) {
  Buffers results;
  for (int64_t size : random.result_sizes) {
    results.emplace_back(static_cast<size_t>(size), std::byte{0x5a});
  }
  return results;
}

// The two zeros count as equal, and so do all NaNs.
bool SameElement(DType type, const std::byte* a, const std::byte* b) {
  if (std::memcmp(a, b, static_cast<size_t>(ByteSize(type))) == 0) return true;
  if (!compiler::IsIeeeFloat(type)) return false;
  const double x = compiler::ReadFloat(type, a), y = compiler::ReadFloat(type, b);
  return x == y || (std::isnan(x) && std::isnan(y));
}

// What a step wants besides its buffers, exactly as much.
struct Scratch {
  explicit Scratch(const backend::PreparedStep& step)
      : bytes(static_cast<size_t>(step.scratch_bytes()) + 64) {
    void* aligned = bytes.data();
    size_t space = bytes.size();
    std::align(64, space - 64, aligned, space);
    context.scratch = {static_cast<std::byte*>(aligned), space};
  }

  std::vector<std::byte> bytes;
  backend::RunContext context;
};

class RandomKernelTest : public testing::TestWithParam<int> {
 protected:
  int over_inputs_ = 0;  // outputs that were written over inputs
};

// Runs a kernel in every way, and compares with the definition and each with the other.
void ExpectAgreement(compiler::testing::RandomKernel random, uint64_t seed,
                     backend::ThreadPool& pool,
                     const std::vector<std::shared_ptr<emit::CodeCache>>& all_codes) {
  const auto kernel = std::make_shared<const compiler::Kernel>(random.kernel);
  ASSERT_TRUE(compiler::Verify(*kernel).ok())
      << compiler::Verify(*kernel).ToString() << compiler::ToString(*kernel);
  Expected<std::unique_ptr<backend::PreparedStep>> step = PrepareKernel(kernel);
  ASSERT_TRUE(step.ok()) << step.status().ToString() << compiler::ToString(*kernel);

  Buffers expected = MakeResults(random), actual = MakeResults(random);
  Buffers threaded = MakeResults(random);
  const std::vector<void*> operands = Pointers(random.operands);
  const std::vector<std::string> errors =
      compiler::testing::RunKernel(*kernel, Spans(random.operands), Spans(expected));
  ASSERT_TRUE(errors.empty()) << errors[0] << "\n" << compiler::ToString(*kernel);
  Scratch scratch(**step);
  backend::RunContext& context = scratch.context;
  ASSERT_TRUE((*step)->Run(operands, Pointers(actual), context).is_done());
  context.pool = &pool;
  ASSERT_TRUE((*step)->Run(operands, Pointers(threaded), context).is_done());

  // Machine code is there from the second run on.
  for (const std::shared_ptr<emit::CodeCache>& codes : all_codes) {
    Expected<std::unique_ptr<backend::PreparedStep>> emitted = PrepareKernel(kernel, codes);
    ASSERT_TRUE(emitted.ok());
    for (int run = 0; run < 3; ++run) {
      Buffers again = MakeResults(random);
      ASSERT_TRUE((*emitted)->Run(operands, Pointers(again), context).is_done());
      ASSERT_EQ(actual, again) << "seed " << seed << compiler::ToString(*kernel);
    }
  }

  for (const compiler::Access& output : kernel->shape.outputs) {
    const size_t buffer = static_cast<size_t>(output.buffer);
    const int64_t bytes = ByteSize(output.dtype);
    for (int64_t at = 0; at < static_cast<int64_t>(actual[buffer].size()); at += bytes) {
      ASSERT_TRUE(SameElement(output.dtype, &actual[buffer][at], &expected[buffer][at]))
          << "seed " << seed << " output " << buffer << " byte " << at << ": "
          << compiler::ElementToString(output.dtype, &actual[buffer][at]) << " is not "
          << compiler::ElementToString(output.dtype, &expected[buffer][at]) << "\n"
          << compiler::ToString(*kernel);
    }
    ASSERT_EQ(actual[buffer], threaded[buffer]) << "seed " << seed << compiler::ToString(*kernel);
  }
}

TEST_P(RandomKernelTest, AgreesWithTheDefinition) {
  backend::ThreadPool pool(3);
  const auto all_codes = AllCodes();
  constexpr int kSeedsPerTest = 20;
  for (int i = 0; i < kSeedsPerTest; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam() * kSeedsPerTest + i);
    for (bool gathers : {false, true}) {
      ExpectAgreement(compiler::testing::MakeRandomKernel(seed, {.gathers = gathers}), seed, pool,
                      all_codes);
      if (HasFatalFailure()) return;
    }
  }
}

// Which outputs may lie over which inputs' buffers, as the compiler allows it; of each buffer one.
std::vector<std::pair<size_t, size_t>> OutputsOverInputs(const compiler::Kernel& kernel) {
  std::vector<std::pair<size_t, size_t>> pairs;
  const auto& inputs = kernel.shape.inputs;
  std::vector<bool> is_read_later(inputs.size());
  for (size_t p = 1; p < kernel.body.phases.size(); ++p) {
    for (const compiler::Node& node : kernel.body.phases[p].nodes) {
      const bool reads =
          node.kind == compiler::NodeKind::kInput || node.kind == compiler::NodeKind::kGathered;
      if (reads) is_read_later[static_cast<size_t>(node.index)] = true;
    }
  }
  std::set<int32_t> used;
  for (size_t o = 0; o < kernel.shape.outputs.size(); ++o) {
    const compiler::Access& output = kernel.shape.outputs[o];
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_alone = std::count_if(inputs.begin(), inputs.end(), [&](const auto& other) {
                              return other.buffer == inputs[i].buffer;
                            }) == 1;
      if (!is_alone || is_read_later[i] || inputs[i].byte_offset != output.byte_offset ||
          inputs[i].byte_strides != output.byte_strides || !inputs[i].bounds.empty() ||
          !inputs[i].dynamic_offsets.empty() || !inputs[i].value_offsets.empty() ||
          ByteSize(inputs[i].dtype) != ByteSize(output.dtype) ||
          !used.insert(inputs[i].buffer).second) {
        continue;
      }
      pairs.emplace_back(static_cast<size_t>(output.buffer), static_cast<size_t>(inputs[i].buffer));
      break;
    }
  }
  return pairs;
}

// Kernels of those types of which machine code knows most ops: of others each is a routine.
TEST_P(RandomKernelTest, MachineCodeAgreesWithRoutines) {
  static constexpr DType kTypes[] = {DType::kF32, DType::kF32, DType::kS32, DType::kU32,
                                     DType::kPred};
  static constexpr DType kHalves[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kBF16,
                                      DType::kPred};
  static constexpr DType kWide[] = {DType::kF64, DType::kF64, DType::kF32, DType::kS64,
                                    DType::kU64, DType::kS32, DType::kPred};
  static constexpr DType kShort[] = {DType::kU8,  DType::kS8,  DType::kS16, DType::kU16,
                                     DType::kF32, DType::kS32, DType::kPred};
  static constexpr std::span<const DType> kAll[] = {kTypes, kHalves, kWide, kShort};
  const auto all_codes = AllCodes();
  constexpr int kSeedsPerTest = 60;
  for (int i = 0; i < kSeedsPerTest; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam() * kSeedsPerTest + i);
    compiler::testing::RandomKernel random = compiler::testing::MakeRandomKernel(
        seed, {.types = kAll[static_cast<size_t>(i) % std::size(kAll)],
               .more_ops = static_cast<int64_t>(seed % 40)});
    const auto kernel = std::make_shared<const compiler::Kernel>(random.kernel);
    ASSERT_TRUE(compiler::Verify(*kernel).ok()) << compiler::ToString(*kernel);
    const std::vector<void*> operands = Pointers(random.operands);
    for (const std::shared_ptr<emit::CodeCache>& codes : all_codes) {
      Expected<std::unique_ptr<backend::PreparedStep>> step = PrepareKernel(kernel, codes);
      ASSERT_TRUE(step.ok()) << step.status().ToString() << compiler::ToString(*kernel);
      const Scratch scratch(**step);
      Buffers by_routines = MakeResults(random);
      for (int run = 0; run < 3; ++run) {
        Buffers results = MakeResults(random);
        ASSERT_TRUE((*step)->Run(operands, Pointers(results), scratch.context).is_done());
        if (run == 0) by_routines = results;
        ASSERT_EQ(results, by_routines) << "seed " << seed << compiler::ToString(*kernel);
      }
      Buffers inputs = random.operands, results = MakeResults(random);
      std::vector<void*> from = Pointers(inputs), to = Pointers(results);
      const auto pairs = OutputsOverInputs(*kernel);
      for (const auto& [result, operand] : pairs) to[result] = from[operand];
      ASSERT_TRUE((*step)->Run(from, to, scratch.context).is_done());
      for (const auto& [result, operand] : pairs) results[result] = inputs[operand];
      over_inputs_ += static_cast<int>(pairs.size());
      for (const compiler::Access& output : kernel->shape.outputs) {
        const auto buffer = static_cast<size_t>(output.buffer);
        const size_t bytes = std::min(results[buffer].size(), by_routines[buffer].size());
        for (size_t at = 0; at < bytes; ++at) {
          if (by_routines[buffer][at] == std::byte{0x5a}) continue;  // perhaps nobody wrote it
          ASSERT_EQ(results[buffer][at], by_routines[buffer][at])
              << "seed " << seed << " over inputs" << compiler::ToString(*kernel);
        }
      }
    }
  }
  EXPECT_GT(over_inputs_, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomKernelTest, testing::Range(0, 10));

}  // namespace
}  // namespace plinth::cpu::kernels
