// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "reference_plugin/backend/run/frame.h"
#include "reference_plugin/backend/testing/backend_under_test.h"

namespace plinth::backend {
namespace {

Expected<std::shared_ptr<const PreparedProgram>> Compile(std::string_view text, bool fusion) {
  compiler::PipelineOptions options;
  options.fusion = fusion;
  return CompileUnderTest(text, options);
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
  threads.reserve(4);
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

// Doubles its operand when it is told to. Until then the run waits and no thread does.
class LateStep final : public PreparedStep {
 public:
  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& context) const override {
    auto source = std::make_shared<sdk::EventSource>();
    sdk::Event over = source->event();
    device = context.device;
    ++runs;
    finish = [=](Status status) {
      *static_cast<int32_t*>(results[0]) = 2 * *static_cast<const int32_t*>(operands[0]);
      source->Set(std::move(status));
    };
    return Outcome::WaitFor(std::move(over));
  }
  bool may_pause() const override { return true; }

  static inline std::function<void(Status)> finish;
  static inline int32_t device = -1;
  static inline int runs = 0;
};

TEST(PreparedProgram, StepsMayWait) {
  Backend backend = *BackendUnderTest();
  backend.engines.insert(backend.engines.begin(),
                         {[](const compiler::plan::PlanStep& step) {
                            return step.opcode == compiler::Opcode::kCustomCall;
                          },
                          [](const compiler::plan::PlanStep&,
                             Preparation&) -> Expected<std::unique_ptr<PreparedStep>> {
                            return std::unique_ptr<PreparedStep>(new LateStep());
                          }});
  const auto program = CompileFor(backend, R"(
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %y = stablehlo.add %x, %x : tensor<i32>
  %z = stablehlo.custom_call @late(%y) : (tensor<i32>) -> tensor<i32>
  %r = stablehlo.add %z, %y : tensor<i32>
  return %r : tensor<i32>
})");
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  EXPECT_TRUE((*program)->may_pause());
  EXPECT_FALSE((*program)->IsShort());
  Runtime runtime(1, 0);
  for (const bool fails : {false, true}) {
    StoragePtr input = *runtime.memory->Allocate(sizeof(int32_t));
    const int32_t five = 5;
    std::memcpy(input->data(), &five, sizeof(five));
    RunArgument arguments[] = {{std::move(input), false}};
    LateStep::runs = 0;
    Frame frame(**program, runtime, {.device = 7}, nullptr);
    ASSERT_TRUE(frame.Bind(arguments).ok());
    const Outcome first = frame.Run();
    ASSERT_TRUE(first.waits());
    EXPECT_FALSE(first.over().IsReady());
    // On this thread another run takes its place meanwhile.
    Frame other(**program, runtime, {}, nullptr);
    RunArgument others[] = {{*runtime.memory->Allocate(sizeof(int32_t)), false}};
    const auto finish_first = LateStep::finish;
    EXPECT_EQ(LateStep::device, 7);
    ASSERT_TRUE(other.Bind(others).ok());
    ASSERT_TRUE(other.Run().waits());
    finish_first(fails ? Internal("late") : Status());
    ASSERT_TRUE(first.over().IsReady());
    // It goes on elsewhere.
    Outcome second;
    std::thread([&] { second = frame.Run(); }).join();
    EXPECT_EQ(LateStep::runs, 2);
    if (fails) {
      EXPECT_EQ(second.status().code(), StatusCode::kInternal);
      continue;
    }
    ASSERT_TRUE(second.is_done()) << second.status().ToString();
    StoragePtr output;
    frame.TakeOutputs({&output, 1});
    EXPECT_EQ(*reinterpret_cast<const int32_t*>(output->data()), 30);
  }
}

}  // namespace
}  // namespace plinth::backend
