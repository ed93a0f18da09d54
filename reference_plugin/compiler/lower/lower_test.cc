// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"

namespace plinth::compiler::lower {
namespace {

using testing::Bytes;
using testing::CountKernels;
using testing::ExpectFusionKeepsResults;
using ::testing::HasSubstr;
using testing::kOddTarget;
using testing::kPlainTarget;
using testing::LowerText;
using testing::Parse;
using testing::RunAndPlan;

std::vector<double> Floats(const Bytes& bytes) {
  std::vector<double> values;
  for (size_t i = 0; i < bytes.size(); i += 4) values.push_back(ReadFloat(DType::kF32, &bytes[i]));
  return values;
}

Bytes FromFloats(const std::vector<double>& values) {
  Bytes bytes(values.size() * 4);
  for (size_t i = 0; i < values.size(); ++i) WriteFloat(DType::kF32, values[i], &bytes[4 * i]);
  return bytes;
}

// What the program's first result is, on either target.
std::vector<double> RunText(std::string_view text, bool fusion,
                            const std::vector<Bytes>& arguments) {
  std::vector<double> floats;
  for (const Target* target : {&kOddTarget, &kPlainTarget}) {
    const plan::Schedule schedule = LowerText(text, fusion, *target);
    const std::vector<Bytes> results = RunAndPlan(schedule, *target, arguments);
    if (results.empty()) return {};
    const std::vector<double> odd = std::exchange(floats, Floats(results[0]));
    if (target == &kPlainTarget) {
      EXPECT_EQ(odd, floats) << ToString(schedule);
    }
  }
  return floats;
}

constexpr double kNever = std::numeric_limits<double>::infinity();

TEST(Lower, EveryOpIsAStepWithoutFusion) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %a, %b : tensor<4xf32>
      %1 = stablehlo.exponential %0 : tensor<4xf32>
      %2 = stablehlo.multiply %1, %b : tensor<4xf32>
      return %2 : tensor<4xf32>
    })";
  EXPECT_EQ(CountKernels(LowerText(kText, false).entry), 3);
  EXPECT_EQ(CountKernels(LowerText(kText, true).entry), 1);
  ExpectFusionKeepsResults(kText);
}

TEST(Lower, PadWithGapsAndNegativePadding) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<4xf32>, %p: tensor<f32>) -> tensor<8xf32> {
      %0 = stablehlo.pad %a, %p, low = [-1], high = [2], interior = [1]
        : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })";
  for (bool fusion : {false, true}) {
    EXPECT_EQ(RunText(kText, fusion, {FromFloats({1, 2, 3, 4}), FromFloats({9})}),
              (std::vector<double>{9, 2, 9, 3, 9, 4, 9, 9}));
  }
}

TEST(Lower, PadWithGapsOfAnySize) {
  // The second element lands at 1; neither what is cut off nor the gap is small.
  for (bool fusion : {false, true}) {
    EXPECT_EQ(RunText(R"(
                func.func @main(%a: tensor<2xf32>, %p: tensor<f32>) -> tensor<2xf32> {
                  %0 = stablehlo.pad %a, %p, low = [-4611686018427387904], high = [0],
                      interior = [4611686018427387904]
                    : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
                  return %0 : tensor<2xf32>
                })",
                      fusion, {FromFloats({1, 2}), FromFloats({9})}),
              (std::vector<double>{9, 2}));
    // Nothing of it lands in the result.
    EXPECT_EQ(RunText(R"(
                func.func @main(%a: tensor<2xf32>, %p: tensor<f32>) -> tensor<3xf32> {
                  %0 = stablehlo.pad %a, %p, low = [-9223372036854775808],
                      high = [9223372036854775807], interior = [2]
                    : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
                  return %0 : tensor<3xf32>
                })",
                      fusion, {FromFloats({1, 2}), FromFloats({9})}),
              (std::vector<double>{9, 9, 9}));
  }
}

TEST(Lower, PadOfComputedElementsIsMasked) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<3xf32>) -> tensor<5xf32> {
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.exponential %a : tensor<3xf32>
      %1 = stablehlo.pad %0, %c, low = [1], high = [1], interior = [0]
        : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
      return %1 : tensor<5xf32>
    })";
  ExpectFusionKeepsResults(kText);
  EXPECT_EQ(RunText(kText, true, {FromFloats({0, 0, 0})}), (std::vector<double>{0, 1, 1, 1, 0}));
}

TEST(Lower, ConcatenateWritesParts) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<2x1xf32>, %b: tensor<2x0xf32>, %c: tensor<2x2xf32>)
        -> tensor<2x3xf32> {
      %0 = stablehlo.concatenate %a, %b, %c, dim = 1
        : (tensor<2x1xf32>, tensor<2x0xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    })";
  for (bool fusion : {false, true}) {
    EXPECT_EQ(RunText(kText, fusion, {FromFloats({1, 2}), {}, FromFloats({3, 4, 5, 6})}),
              (std::vector<double>{1, 3, 4, 2, 5, 6}));
  }
  EXPECT_EQ(CountKernels(LowerText(kText, false).entry), 2);
}

// A point in space computed coordinate by coordinate, one step after another: each coordinate is
// computed once for all three places that need it.
TEST(Lower, OneEntryOfAConcatenationIsOneValue) {
  std::string text = "func.func @main(%y0: tensor<3xf32>) -> tensor<3xf32> {\n";
  for (int step = 0; step < 4; ++step) {
    const std::string y = StrCat("%y", step), s = StrCat("_", step);
    for (int i = 0; i < 3; ++i) {
      text += StrCat("%s", i, s, " = stablehlo.slice ", y, " [", i, ":", i + 1,
                     "] : (tensor<3xf32>) -> tensor<1xf32>\n");
    }
    for (int i = 0; i < 3; ++i) {
      text += StrCat("%d", i, s, " = stablehlo.multiply %s", (i + 1) % 3, s, ", %s", (i + 2) % 3, s,
                     " : tensor<1xf32>\n");
    }
    text += StrCat("%d", s, " = stablehlo.concatenate %d0", s, ", %d1", s, ", %d2", s,
                   ", dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>\n");
    text += StrCat("%y", step + 1, " = stablehlo.add %y0, %d", s, " : tensor<3xf32>\n");
  }
  text += "return %y4 : tensor<3xf32>\n}";
  const plan::Schedule schedule = LowerText(text);
  ASSERT_EQ(CountKernels(schedule.entry), 1) << ToString(schedule);
  int64_t products = 0;
  for (const Node& node : schedule.entry.steps[0].kernel->body.phases[0].nodes) {
    if (node.kind == NodeKind::kOp && node.opcode == Opcode::kMultiply) ++products;
  }
  EXPECT_EQ(products, 4 * 3) << ToString(schedule);
  ExpectFusionKeepsResults(text);
}

// Many large parts are written where they belong, also where another kernel reads them.
TEST(Lower, ManyPartsAreNotSelected) {
  const auto program = [](int64_t elements) {
    const std::string part = StrCat("tensor<", elements, "xf32>");
    const std::string all = StrCat("tensor<", 5 * elements, "xf32>");
    return StrCat("func.func @main(%a: ", part, ", %b: ", part, ") -> ", all,
                  " { %0 = stablehlo.concatenate %a, %b, %a, %b, %b, dim = 0 : (", part, ", ", part,
                  ", ", part, ", ", part, ", ", part, ") -> ", all,
                  " %1 = stablehlo.negate %0 : ", all, " return %1 : ", all, " }");
  };
  EXPECT_EQ(CountKernels(LowerText(program(100), true).entry), 1);
  EXPECT_EQ(CountKernels(LowerText(program(10000), true).entry), 6);
  ExpectFusionKeepsResults(program(10000));
}

TEST(Lower, DynamicSliceAndUpdateClampTheirIndices) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<5xf32>, %u: tensor<2xf32>, %i: tensor<i32>)
        -> (tensor<5xf32>, tensor<2xf32>) {
      %0 = stablehlo.dynamic_update_slice %a, %u, %i
        : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
      %1 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<5xf32>, tensor<i32>) -> tensor<2xf32>
      return %0, %1 : tensor<5xf32>, tensor<2xf32>
    })";
  Bytes index(4);
  WriteInteger(DType::kS32, 9, index.data());
  EXPECT_EQ(RunText(kText, true, {FromFloats({1, 2, 3, 4, 5}), FromFloats({8, 9}), index}),
            (std::vector<double>{1, 2, 3, 8, 9}));
  ExpectFusionKeepsResults(kText);
}

TEST(Lower, DynamicSliceOfAnIotaBeginsAtItsIndex) {
  // Each in a kernel, with a stride, from both ends, and of two dimensions made one.
  constexpr std::string_view kText = R"(
    func.func @main(%i: tensor<i32>, %j: tensor<ui8>) -> tensor<12xf32> {
      %z = stablehlo.constant dense<0> : tensor<ui8>
      %0 = stablehlo.iota dim = 0 : tensor<300xi32>
      %1 = stablehlo.dynamic_slice %0, %i, sizes = [3] : (tensor<300xi32>, tensor<i32>) -> tensor<3xi32>
      %2 = stablehlo.convert %1 : (tensor<3xi32>) -> tensor<3xf32>
      %3 = stablehlo.iota dim = 0 : tensor<300xf32>
      %4 = stablehlo.slice %3 [1:300:2] : (tensor<300xf32>) -> tensor<150xf32>
      %5 = stablehlo.reverse %4, dims = [0] : tensor<150xf32>
      %6 = stablehlo.dynamic_slice %5, %j, sizes = [3] : (tensor<150xf32>, tensor<ui8>) -> tensor<3xf32>
      %7 = stablehlo.iota dim = 1 : tensor<2x300xi8>
      %8 = stablehlo.dynamic_slice %7, %z, %j, sizes = [2, 3]
        : (tensor<2x300xi8>, tensor<ui8>, tensor<ui8>) -> tensor<2x3xi8>
      %9 = stablehlo.convert %8 : (tensor<2x3xi8>) -> tensor<2x3xf32>
      %10 = stablehlo.reshape %9 : (tensor<2x3xf32>) -> tensor<6xf32>
      %11 = stablehlo.concatenate %2, %6, %10, dim = 0
        : (tensor<3xf32>, tensor<3xf32>, tensor<6xf32>) -> tensor<12xf32>
      return %11 : tensor<12xf32>
    })";
  Bytes i(4), j(1);
  for (const auto& [first, second, expected] :
       {std::tuple(4, 5, std::vector<double>{4, 5, 6, 289, 287, 285, 5, 6, 7, 5, 6, 7}),
        std::tuple(-1, 100, std::vector<double>{0, 1, 2, 99, 97, 95, 100, 101, 102, 100, 101, 102}),
        std::tuple(900, 255, std::vector<double>{297, 298, 299, 5, 3, 1, -1, 0, 1, -1, 0, 1})}) {
    WriteInteger(DType::kS32, first, i.data());
    WriteInteger(DType::kU8, second, j.data());
    for (bool fusion : {false, true}) EXPECT_EQ(RunText(kText, fusion, {i, j}), expected) << fusion;
  }
  ExpectFusionKeepsResults(kText);
}

TEST(Lower, ReshapesAreViews) {
  plan::Schedule schedule = LowerText(R"(
    func.func @main(%a: tensor<2x6xf32>) -> (tensor<12xf32>, tensor<3x4xi32>) {
      %0 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<12xf32>
      %1 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<3x4xf32>
      %2 = stablehlo.bitcast_convert %1 : (tensor<3x4xf32>) -> tensor<3x4xi32>
      return %0, %2 : tensor<12xf32>, tensor<3x4xi32>
    })");
  EXPECT_TRUE(schedule.entry.steps.empty());
  for (int32_t result : schedule.entry.results) EXPECT_EQ(schedule.values[result].view_of, 0);
}

TEST(Lower, ReduceWithAnyRegion) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<3x4xf32>, %i: tensor<f32>) -> (tensor<3xf32>, tensor<3xi32>) {
      %n = stablehlo.iota dim = 1 : tensor<3x4xi32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.reduce(%a init: %i), (%n init: %z) across dimensions = [1]
          : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<3xf32>, tensor<3xi32>)
        reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
          %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %v = stablehlo.select %c, %x, %y : tensor<i1>, tensor<f32>
          %w = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
          stablehlo.return %v, %w : tensor<f32>, tensor<i32>
        }
      return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
    })";
  ExpectFusionKeepsResults(kText);
  EXPECT_EQ(
      RunText(kText, true, {FromFloats({1, 2, 3, 0, 9, 8, 7, 6, 1, 1, 5, 1}), FromFloats({-9})}),
      (std::vector<double>{3, 9, 5}));
  EXPECT_EQ(CountKernels(LowerText(kText, true).entry), 1);
  EXPECT_EQ(CountKernels(LowerText(kText, false).entry), 2);
}

TEST(Lower, RegionsUseValuesFromOutside) {
  // Sums up to a limit, and products with it.
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<3x4xf32>, %h: tensor<f32>, %z: tensor<f32>)
        -> (tensor<3xf32>, tensor<3x4xf32>) {
      %m = stablehlo.add %h, %h : tensor<f32>
      %0 = "stablehlo.reduce"(%a, %z) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %s = stablehlo.add %x, %y : tensor<f32>
          %r = stablehlo.minimum %s, %m : tensor<f32>
          stablehlo.return %r : tensor<f32>
      }) {dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
      %1 = "stablehlo.map"(%a) ({
        ^bb0(%x: tensor<f32>):
          %r = stablehlo.multiply %x, %m : tensor<f32>
          stablehlo.return %r : tensor<f32>
      }) {dimensions = array<i64: 0, 1>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
      return %0, %1 : tensor<3xf32>, tensor<3x4xf32>
    })";
  for (bool fusion : {true, false}) {
    EXPECT_EQ(RunText(kText, fusion,
                      {FromFloats({0, 1, 2, 3, 1, 1, 1, 1, 4, 0, 0, 0}), FromFloats({2.5}),
                       FromFloats({0})}),
              (std::vector<double>{5, 4, 4}));
  }
  ExpectFusionKeepsResults(kText);
}

TEST(Lower, ReduceWindowWithPaddingStridesAndDilations) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<2x4xf32>, %i: tensor<f32>) -> tensor<2x5xf32> {
      %0 = "stablehlo.reduce_window"(%a, %i) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %s = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>,
          base_dilations = array<i64: 1, 3>, window_dilations = array<i64: 1, 2>,
          padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}
        : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x5xf32>
      return %0 : tensor<2x5xf32>
    })";
  // Row 1 2 3 4 dilated: 1 0 0 2 0 0 3 0 0 4, with one 0 in front; windows at 0 2 4 6 8 of {0, 2}.
  for (bool fusion : {false, true}) {
    EXPECT_EQ(RunText(kText, fusion, {FromFloats({1, 2, 3, 4, 0, 0, 0, 0}), FromFloats({0})}),
              (std::vector<double>{0, 2, 2, 0, 4, 0, 0, 0, 0, 0}));
  }
  ExpectFusionKeepsResults(kText);
}

TEST(Lower, ReduceWindowWritesNoHolesThatNegativePaddingCutsOff) {
  // Dilated, the input has 2^62 + 1 elements; cut to 3 of them, or past its end.
  constexpr std::string_view kText[] = {
      R"(padding = dense<[[0, -4611686018427387902]]>)",
      R"(padding = dense<[[-4611686018427387902, 0]]>)",
      R"(padding = dense<[[-4611686018427387907, 5]]>)",
  };
  const std::vector<double> kResults[] = {{1, 0, 0}, {0, 0, 3}, {0, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    std::string text = StrCat(R"(
    func.func @main(%a: tensor<3xf32>, %i: tensor<f32>) -> tensor<3xf32> {
      %0 = "stablehlo.reduce_window"(%a, %i) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %s = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {window_dimensions = array<i64: 1>, base_dilations = array<i64: 2305843009213693952>, )",
                              kText[i], R"( : tensor<1x2xi64>}
        : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    })");
    for (bool fusion : {false, true}) {
      EXPECT_EQ(RunText(text, fusion, {FromFloats({1, 2, 3}), FromFloats({0})}), kResults[i]) << i;
    }
  }
}

TEST(Lower, WhileCarriesAndCapturesOuterValues) {
  constexpr std::string_view kText = R"(
    func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<i32>, tensor<4xf32>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %y = stablehlo.sine %x : tensor<4xf32>
      %0:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<4xf32>
        cond {
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          %b = stablehlo.add %a, %y : tensor<4xf32>
          stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
        }
      return %0#0, %0#1 : tensor<i32>, tensor<4xf32>
    })";
  ExpectFusionKeepsResults(kText);
  plan::Schedule schedule = LowerText(kText);
  ASSERT_EQ(schedule.entry.steps.size(), 2u);
  const plan::ScheduleStep& loop = schedule.entry.steps[1];
  ASSERT_EQ(loop.kind, plan::StepKind::kWhile);
  EXPECT_EQ(loop.blocks[1].results.size(), 2u);
  EXPECT_EQ(loop.blocks[0].steps.size(), 1u);
  EXPECT_TRUE(std::isinf(loop.trips));
}

TEST(Lower, CountsTheTurnsOfLoops) {
  struct {
    std::string_view type, start, step, compare, limit;
    double trips;
  } constexpr kLoops[] = {
      {"i32", "0", "add %i, %s", "LT, %i, %n", "10", 10},
      {"i32", "0", "add %s, %i", "GT, %n, %i", "10", 10},
      {"i32", "1", "add %i, %s", "LE, %i, %n", "10", 10},
      {"i32", "20", "subtract %i, %s", "GT, %i, %n", "10", 10},
      {"i32", "11", "add %i, %s", "LT, %i, %n", "10", 0},
      {"i32", "0", "add %i, %s", "NE, %i, %n", "10", 10},
      {"i32", "11", "add %i, %s", "NE, %i, %n", "10", kNever},
      {"i32", "0", "subtract %i, %s", "LT, %i, %n", "10", kNever},
      {"i32", "0", "multiply %i, %s", "LT, %i, %n", "10", kNever},
      // At the ends of a type: what wraps around never ends.
      {"i8", "100", "add %i, %s", "LT, %i, %n", "127", 27},
      {"i8", "100", "add %i, %s", "LE, %i, %n", "127", kNever},
      {"i8", "-100", "subtract %i, %s", "GE, %i, %n", "-128", kNever},
      {"ui8", "3", "subtract %i, %s", "GT, %i, %n", "0", 3},
      {"ui8", "3", "subtract %i, %s", "GE, %i, %n", "0", kNever},
      {"i64", "0", "add %i, %s", "LT, %i, %n", "9223372036854775807", kNever},
  };
  const auto text_of = [](std::string_view type, const auto& loop) {
    return StrCat(R"(
      func.func @main(%x: tensor<f32>) -> tensor<f32> {
        %z = stablehlo.constant dense<)",
                  loop.start, "> : tensor<", type, R"(>
        %s = stablehlo.constant dense<1> : tensor<)",
                  type, R"(>
        %n = stablehlo.constant dense<)",
                  loop.limit, "> : tensor<", type, R"(>
        %0:2 = stablehlo.while(%i = %z, %a = %x) : tensor<)",
                  type, R"(>, tensor<f32>
          cond {
            %c = stablehlo.compare )",
                  loop.compare, " : (tensor<", type, ">, tensor<", type,
                  R"(>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %j = stablehlo.)",
                  loop.step, " : tensor<", type, R"(>
            %b = stablehlo.sine %a : tensor<f32>
            stablehlo.return %j, %b : tensor<)",
                  type, R"(>, tensor<f32>
          }
        return %0#1 : tensor<f32>
      })");
  };
  for (const auto& loop : kLoops) {
    const std::string text = text_of(loop.type, loop);
    const plan::Schedule schedule = LowerText(text, false);
    for (const plan::ScheduleStep& step : schedule.entry.steps) {
      if (step.kind == plan::StepKind::kWhile) {
        EXPECT_EQ(step.trips, loop.trips) << text;
      }
    }
  }
}

TEST(Lower, IfAndCase) {
  constexpr std::string_view kText = R"(
    func.func @main(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = "stablehlo.if"(%p) ({
        %a = stablehlo.add %x, %x : tensor<4xf32>
        stablehlo.return %a : tensor<4xf32>
      }, {
        stablehlo.return %x : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      %1 = "stablehlo.case"(%i) ({
        stablehlo.return %x : tensor<4xf32>
      }, {
        %b = stablehlo.multiply %0, %x : tensor<4xf32>
        stablehlo.return %b : tensor<4xf32>
      }) : (tensor<i32>) -> tensor<4xf32>
      return %0, %1 : tensor<4xf32>, tensor<4xf32>
    })";
  ExpectFusionKeepsResults(kText);
}

TEST(Lower, LibrarySteps) {
  plan::Schedule schedule = LowerText(R"(
    func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x8xf32>) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %1 = "stablehlo.sort"(%a) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }) {dimension = 1 : i64, is_stable = true} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      return %0, %1 : tensor<4x2xf32>, tensor<4x8xf32>
    })");
  ASSERT_EQ(schedule.entry.steps.size(), 2u);
  EXPECT_EQ(schedule.entry.steps[0].opcode, Opcode::kDotGeneral);
  const plan::ScheduleStep& sort = schedule.entry.steps[1];
  ASSERT_EQ(sort.combiners.size(), 1u);
  EXPECT_EQ(sort.combiners[0].nodes.size(), 3u);
  EXPECT_EQ(sort.combiners[0].results.size(), 1u);
}

TEST(Lower, ScatterUpdatesInPlace) {
  plan::Schedule schedule = LowerText(R"(
    func.func @main(%a: tensor<8xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<8xf32> {
      %0 = "stablehlo.scatter"(%a, %i, %u) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %s = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
            scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
          indices_are_sorted = false, unique_indices = false}
        : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })");
  ASSERT_EQ(schedule.entry.steps.size(), 1u);
  ASSERT_EQ(schedule.entry.steps[0].in_place.size(), 1u);
  EXPECT_TRUE(schedule.entry.steps[0].in_place[0].required);
}

// Of the one step of such a program, on the plain target.
double CostOf(std::string_view text) {
  const plan::Schedule schedule = LowerText(text);
  if (schedule.entry.steps.size() != 1) {
    ADD_FAILURE() << ToString(schedule);
    return 0;
  }
  return schedule.entry.steps[0].cost_ns;
}

// Of `places` windows of `rows` x `columns` in an array of 1000 x 1000.
double GatherCostOf(int places, int rows, int columns) {
  const std::string n = StrCat(places), window = StrCat(rows, "x", columns);
  return CostOf(StrCat(R"(
    func.func @main(%a: tensor<1000x1000xf32>, %i: tensor<)",
                       n, R"(x2xi32>) -> tensor<)", n, "x", window, R"(xf32> {
      %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
            start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false,
          slice_sizes = array<i64: )",
                       rows, ", ", columns, R"(>}
        : (tensor<1000x1000xf32>, tensor<)",
                       n, R"(x2xi32>) -> tensor<)", n, "x", window, R"(xf32>
      return %0 : tensor<)",
                       n, "x", window, R"(xf32>
    })"));
}

TEST(Lower, GathersCostByRuns) {
  const Rates& rates = kPlainTarget.rates;
  EXPECT_GT(GatherCostOf(100, 1000, 1), 100'000 * rates.gather_ns);
  EXPECT_LT(
      GatherCostOf(100, 1, 1000),
      rates.library_start_ns + 100'000 * (8 * rates.kernel_ns_per_byte + rates.gather_ns / 2));
  EXPECT_GT(GatherCostOf(100, 1, 1), GatherCostOf(50, 1, 1));
  EXPECT_EQ(GatherCostOf(0, 1000, 1), rates.library_start_ns);
  EXPECT_TRUE(std::isfinite(GatherCostOf(5, 5, 0)));
}

// The same of updates.
double ScatterCostOf(int places, int rows, int columns, std::string_view type = "f32",
                     std::string_view combination = "add") {
  const std::string array = StrCat("tensor<1000x1000x", type, ">");
  const std::string indices = StrCat("tensor<", places, "x2xi32>");
  const std::string updates = StrCat("tensor<", places, "x", rows, "x", columns, "x", type, ">");
  return CostOf(StrCat("func.func @main(%a: ", array, ", %i: ", indices, ", %u: ", updates, ") -> ",
                       array, R"( {
      %0 = "stablehlo.scatter"(%a, %i, %u) ({
        ^bb0(%x: tensor<)",
                       type, ">, %y: tensor<", type, R"(>):
          %s = stablehlo.)",
                       combination, " %x, %y : tensor<", type, R"(>
          stablehlo.return %s : tensor<)",
                       type, R"(>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2],
            scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>,
          indices_are_sorted = false, unique_indices = false}
        : ()",
                       array, ", ", indices, ", ", updates, ") -> ", array, R"(
      return %0 : )",
                       array, R"(
    })"));
}

// Of 2000 x 8 elements, 200 columns that were added took 5 ms and were taken to cost 35 us.
TEST(Lower, ScattersCostByRunsAndCalls) {
  const Rates& rates = kPlainTarget.rates;
  EXPECT_GT(ScatterCostOf(100, 1000, 1), 100'000 * rates.scatter_call_ns);
  const double bytes_ns = 4 * rates.kernel_ns_per_byte;
  const double row_ns = 1000 * bytes_ns;
  EXPECT_NEAR(ScatterCostOf(100, 1, 1000),
              rates.library_start_ns + 100 * (row_ns + rates.scatter_ns), 1);
  // Rows of complex numbers, products of rows and ops that have no loop are called for.
  const double called_ns = rates.scatter_ns + rates.scatter_call_ns;
  EXPECT_GT(ScatterCostOf(100, 1, 1, "complex<f32>"), 100 * called_ns);
  EXPECT_GT(ScatterCostOf(100, 1, 1, "f16"), 100 * called_ns);
  EXPECT_GT(ScatterCostOf(100, 1, 8, "f32", "multiply"), 100 * (called_ns + 8 * bytes_ns));
  EXPECT_GT(ScatterCostOf(100, 1, 1, "f32", "power"), 100 * called_ns);
  EXPECT_LT(ScatterCostOf(100, 1, 1, "f32", "multiply"), rates.library_start_ns + 100 * called_ns);
  EXPECT_EQ(ScatterCostOf(0, 1000, 1), rates.library_start_ns);
  EXPECT_TRUE(std::isfinite(ScatterCostOf(5, 5, 0)));
}

TEST(Lower, RefusesByName) {
  struct Case {
    std::string_view text, message;
  };
  std::string many_captures =
      "func.func @main(%a: tensor<4xf32>, %s: tensor<40xf32>) -> tensor<f32> {\n";
  std::string region = "%s0 = stablehlo.add %x, %y : tensor<f32>\n";
  for (int i = 0; i < 40; ++i) {
    many_captures += StrCat("%t", i, " = stablehlo.slice %s [", i, ":", i + 1,
                            "] : (tensor<40xf32>) -> tensor<1xf32>\n%c", i,
                            " = stablehlo.reshape %t", i, " : (tensor<1xf32>) -> tensor<f32>\n");
    region += StrCat("%s", i + 1, " = stablehlo.add %s", i, ", %c", i, " : tensor<f32>\n");
  }
  many_captures += StrCat(R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce"(%a, %z) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        )",
                          region, R"(stablehlo.return %s40 : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32> })");
  for (const Case& c : {
           Case{R"(func.func @main() -> tensor<4xf32> {
                  %t = "stablehlo.create_token"() : () -> !stablehlo.token
                  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
                  return %0#0 : tensor<4xf32> })",
                "infeed"},
           Case{R"(func.func @main(%a: tensor<4x4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
                  %0 = "stablehlo.reduce"(%a, %s) ({
                    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                      %m = "stablehlo.slice"(%a) {start_indices = array<i64: 0, 0>,
                        limit_indices = array<i64: 1, 1>, strides = array<i64: 1, 1>}
                        : (tensor<4x4xf32>) -> tensor<1x1xf32>
                      %n = stablehlo.reshape %m : (tensor<1x1xf32>) -> tensor<f32>
                      %r = stablehlo.add %n, %y : tensor<f32>
                      stablehlo.return %r : tensor<f32>
                  }) {dimensions = array<i64: 1>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
                  return %0 : tensor<4xf32> })",
                "which makes no scalar"},
           Case{many_captures, "from outside of the region"},
       }) {
    std::unique_ptr<Module> module = Parse(c.text);
    ASSERT_NE(module, nullptr);
    Status status = passes::Legalize(*module, kPlainTarget);
    if (status.ok()) status = lower::Lower(*module, kPlainTarget, {}).status();
    EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(c.message)));
  }
}

TEST(Lower, EmptyArrays) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<0x3xf32>, %i: tensor<f32>) -> (tensor<3xf32>, tensor<0x3xf32>) {
      %0 = stablehlo.exponential %a : tensor<0x3xf32>
      %1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = [0]
        : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
      return %1, %0 : tensor<3xf32>, tensor<0x3xf32>
    })";
  EXPECT_EQ(RunText(kText, true, {{}, FromFloats({2})}), (std::vector<double>{2, 2, 2}));
  ExpectFusionKeepsResults(kText);
}

}  // namespace
}  // namespace plinth::compiler::lower
