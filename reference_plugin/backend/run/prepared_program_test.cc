// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/run/prepared_program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "reference_plugin/compiler/pipeline.h"

namespace plinth::cpu {
namespace {

Expected<std::shared_ptr<const PreparedProgram>> Compile(std::string_view text, bool fusion) {
  PLINTH_ASSIGN_OR_RETURN(program::Module module, program::ReadText(std::string(text)));
  compiler::PipelineOptions options;
  options.fusion = fusion;
  PLINTH_ASSIGN_OR_RETURN(compiler::CompiledProgram compiled,
                          compiler::CompileProgram(std::move(module), options));
  return PreparedProgram::Create(std::move(compiled.plan), {});
}

Expected<int32_t> RunOn(Runtime& runtime, const PreparedProgram& program, int32_t argument) {
  PLINTH_ASSIGN_OR_RETURN(StoragePtr input, runtime.memory->Allocate(sizeof(argument)));
  std::memcpy(input->data(), &argument, sizeof(argument));
  RunArgument arguments[] = {{std::move(input), false}};
  StoragePtr output;
  PLINTH_RETURN_IF_ERROR(program.Run(runtime, arguments, {&output, 1}));
  int32_t result;
  std::memcpy(&result, output->data(), sizeof(result));
  return result;
}

// The sum of j + 1 for j < i, for i < n: a loop in a loop with a branch.
constexpr std::string_view kNested = R"(
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32>
   cond {
    %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%j = %zero, %part = %sum) : tensor<i32>, tensor<i32>
     cond {
      %less = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %next = stablehlo.add %j, %one : tensor<i32>
      %more = stablehlo.add %part, %next : tensor<i32>
      stablehlo.return %next, %more : tensor<i32>, tensor<i32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    %parity = stablehlo.and %i, %one : tensor<i32>
    %sum2 = "stablehlo.case"(%parity) ({
      stablehlo.return %q#1 : tensor<i32>
    }, {
      %negative = stablehlo.negate %q#1 : tensor<i32>
      stablehlo.return %negative : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %next, %sum2 : tensor<i32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
})";

int32_t Nested(int32_t n) {
  int32_t sum = 0;
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = 0; j < i; ++j) sum += j + 1;
    if (i % 2 == 1) sum = -sum;
  }
  return sum;
}

TEST(PreparedProgram, LoopsOfScalars) {
  Runtime runtime(1, 0);
  for (const bool fusion : {true, false}) {
    const auto program = Compile(kNested, fusion);
    ASSERT_TRUE(program.ok()) << program.status().ToString();
    for (int32_t n : {-1, 0, 1, 2, 9, 40}) {
      const Expected<int32_t> result = RunOn(runtime, **program, n);
      ASSERT_TRUE(result.ok());
      EXPECT_EQ(*result, Nested(n)) << n << " " << fusion;
    }
  }
}

// What loops work on belongs to the run.
TEST(PreparedProgram, RunsAtOnce) {
  Runtime runtime(1, 0);
  const auto program = Compile(kNested, true);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  std::vector<std::thread> threads;
  std::vector<int32_t> wrong(4, 0);
  for (int32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int32_t n = 20 + t; n < 60; n += 4) {
        const Expected<int32_t> result = RunOn(runtime, **program, n);
        if (!result.ok() || *result != Nested(n)) ++wrong[static_cast<size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int32_t>(4, 0));
}

TEST(PreparedProgram, EndlessLoopsStop) {
  const auto program = Compile(R"(
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %n) : tensor<i32>
   cond {
    %same = stablehlo.compare EQ, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %more = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go = stablehlo.or %same, %more : tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return %r : tensor<i32>
})",
                               true);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  Runtime runtime(1, 0);
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    runtime.stop = true;
  });
  EXPECT_EQ(RunOn(runtime, **program, 3).status().code(), StatusCode::kCancelled);
  stopper.join();
}

}  // namespace
}  // namespace plinth::cpu
