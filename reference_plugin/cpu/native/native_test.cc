// SPDX-License-Identifier: Apache-2.0
// Loops as machine code against the same loops step by step: the same bits.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/program/program.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/run/prepared_program.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/cpu/backend.h"
#include "reference_plugin/cpu/native/loop_test_util.h"

namespace plinth::cpu::native {
namespace {

template <class T>
Bytes BytesOf(std::initializer_list<T> elements) {
  Bytes bytes(elements.size() * sizeof(T));
  std::memcpy(bytes.data(), std::data(elements), bytes.size());
  return bytes;
}

// A loop of `turns` with carries %a and %b of `type`; `body` makes %x and %y of them and the s32
// counter %i.
std::string Loop(std::string_view type, std::string_view body, int turns = 20) {
  const std::string tensor = StrCat("tensor<", type, ">");
  return LoopText({{"%a", tensor, "%x"}, {"%b", tensor, "%y"}}, body, turns);
}

Bytes Floats(int64_t count, float first, float step) {
  Bytes bytes;
  for (int64_t i = 0; i < count; ++i) {
    const auto element =
        std::bit_cast<std::array<std::byte, 4>>(first + step * static_cast<float>(i));
    bytes.insert(bytes.end(), element.begin(), element.end());
  }
  return bytes;
}

TEST(NativeLoops, FloatsOfAllLaneCounts) {
  for (const int64_t count : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const std::string type = StrCat(count, "xf32");
    const auto op = [&](std::string_view name, std::string_view result, std::string_view operands) {
      return StrCat("%", result, " = stablehlo.", name, " ", operands, " : tensor<", type, ">\n");
    };
    ExpectSameBits(Loop(type, op("multiply", "m1", "%a, %b") + op("abs", "m2", "%m1") +
                                  op("sqrt", "m3", "%m2") + op("subtract", "x", "%m3, %b") +
                                  op("divide", "m4", "%x, %a") + op("maximum", "m5", "%m4, %a") +
                                  op("negate", "m6", "%m5") + op("minimum", "y", "%m6, %b")),
                   {Floats(count, 0.3f, 0.9f), Floats(count, -2.0f, 0.7f)});
  }
}

// The second carry becomes the first: nothing of a turn may be lost on the way.
TEST(NativeLoops, CarriesTradePlaces) {
  const std::vector<Bytes> results = ExpectSameBits(Loop("f32", R"(
        %x = stablehlo.add %b, %b : tensor<f32>
        %y = stablehlo.multiply %a, %b : tensor<f32>)"),
                                                    {Floats(1, 1.0f, 0), Floats(1, 0.5f, 0)});
  ASSERT_EQ(results.size(), 2u);
  // In every turn (1, .5).
  EXPECT_EQ(results[0], Floats(1, 1.0f, 0));
  EXPECT_EQ(results[1], Floats(1, 0.5f, 0));
}

TEST(NativeLoops, IntegersOfAnyValue) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(),
                    kMost = std::numeric_limits<int32_t>::max();
  const Bytes p = BytesOf<int32_t>({kLeast, 7, kMost, -13}), q = BytesOf<int32_t>({-1, 0, 3, 5});
  for (const std::string_view name :
       {"add", "subtract", "multiply", "divide", "remainder", "and", "or", "xor", "maximum",
        "minimum", "shift_left", "shift_right_logical", "shift_right_arithmetic"}) {
    for (const std::string_view type : {"4xi32", "4xui32"}) {
      ExpectSameBits(Loop(type, StrCat("%x = stablehlo.", name, " %a, %b : tensor<", type,
                                       ">\n%y = stablehlo.xor %b, %x : tensor<", type, ">")),
                     {p, q});
    }
  }
}

TEST(NativeLoops, ComparisonsAndSelections) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Bytes p = BytesOf<float>({1, kNan, -0.0f, 3}), q = BytesOf<float>({1, 2, 0.0f, kNan});
  const Bytes r = BytesOf<int32_t>({1, -2, 5, 9}), s = BytesOf<int32_t>({1, 3, -5, 8});
  for (const std::string_view direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    for (const std::string_view element : {"f32", "i32", "ui32"}) {
      const std::string type = StrCat("4x", element);
      const bool floats = element == "f32";
      ExpectSameBits(Loop(type, StrCat("%c = stablehlo.compare ", direction, ", %a, %b : (tensor<",
                                       type, ">, tensor<", type, ">) -> tensor<4xi1>\n",
                                       "%x = stablehlo.select %c, %b, %a : tensor<4xi1>, tensor<",
                                       type, ">\n%y = stablehlo.add %x, %b : tensor<", type, ">")),
                     {floats ? p : r, floats ? q : s});
    }
  }
}

TEST(NativeLoops, Conversions) {
  const Bytes q = BytesOf<float>({3e9f, -3e9f, std::numeric_limits<float>::quiet_NaN(), -2.75f});
  ExpectSameBits(Loop("4xf32", R"(
      %s = stablehlo.convert %b : (tensor<4xf32>) -> tensor<4xi32>
      %t = stablehlo.convert %s : (tensor<4xi32>) -> tensor<4xf32>
      %c = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi1>
      %d = stablehlo.convert %c : (tensor<4xi1>) -> tensor<4xf32>
      %x = stablehlo.add %t, %d : tensor<4xf32>
      %y = stablehlo.subtract %b, %d : tensor<4xf32>)"),
                 {BytesOf<float>({0.0f, 1.0f, -0.0f, 2.0f}), q});
}

// Pieces of arrays, put together in another order.
TEST(NativeLoops, SlicesAndConcatenations) {
  ExpectSameBits(Loop("7xf32", R"(
      %1 = stablehlo.slice %a [4:7] : (tensor<7xf32>) -> tensor<3xf32>
      %2 = stablehlo.slice %b [0:4] : (tensor<7xf32>) -> tensor<4xf32>
      %x = stablehlo.concatenate %1, %2, dim = 0 : (tensor<3xf32>, tensor<4xf32>) -> tensor<7xf32>
      %3 = stablehlo.reverse %a, dims = [0] : tensor<7xf32>
      %y = stablehlo.subtract %3, %b : tensor<7xf32>)"),
                 {Floats(7, 1, 1), Floats(7, -3, 0.5f)});
}

// What is outside of an array is read as a constant, or as an element that a turn computes.
TEST(NativeLoops, Pads) {
  for (const int64_t count : {6, 8, 12, 21, 64}) {
    const std::string type = StrCat(count, "xf32"), part = StrCat(count - 3, "xf32");
    const auto pad = [&](std::string_view result, std::string_view array, std::string_view value,
                         int low) {
      return StrCat("%s", result, " = stablehlo.slice %", array, " [", 3 - low, ":", count - low,
                    "] : (tensor<", type, ">) -> tensor<", part, ">\n%", result,
                    " = stablehlo.pad %s", result, ", %", value, ", low = [", low, "], high = [",
                    3 - low, "], interior = [0] : (tensor<", part, ">, tensor<f32>) -> tensor<",
                    type, ">\n");
    };
    ExpectSameBits(
        Loop(type, StrCat("%k = stablehlo.constant dense<0.0> : tensor<f32>\n"
                          "%l = stablehlo.constant dense<0.75> : tensor<f32>\n"
                          "%m = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>\n",
                          pad("u", "a", "k", 3), pad("v", "b", "l", 0), pad("w", "b", "m", 1)) +
                       StrCat("%t = stablehlo.add %u, %v : tensor<", type,
                              ">\n%x = stablehlo.multiply %t, %v : tensor<", type,
                              ">\n%y = stablehlo.subtract %w, %u : tensor<", type, ">")),
        {Floats(count, 0.3f, 0.01f), Floats(count, -0.2f, 0.02f)});
  }
}

// The sum of every number of lanes, in the order of tiles.
TEST(NativeLoops, Reductions) {
  for (const int64_t count : {1, 2, 3, 4, 5, 6, 7, 8}) {
    for (const std::string_view op : {"add", "maximum", "minimum"}) {
      const std::string type = StrCat(count, "xf32");
      ExpectSameBits(Loop(type, StrCat(R"(
            %zero = stablehlo.constant dense<0.1> : tensor<f32>
            %s = stablehlo.reduce(%a init: %zero) applies stablehlo.)",
                                       op, " across dimensions = [0] : (tensor<", type,
                                       R"(>, tensor<f32>) -> tensor<f32>
            %t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<)",
                                       type, ">\n%x = stablehlo.multiply %b, %t : tensor<", type,
                                       ">\n%y = stablehlo.subtract %a, %t : tensor<", type, ">")),
                     {Floats(count, 0.37f, 0.61f), Floats(count, 0.11f, -0.23f)});
    }
  }
}

// Elements of a long array by an index that may lie outside of it.
TEST(NativeLoops, ElementsOfLongArrays) {
  ExpectSameBits(Loop("30xf32", R"(
      %three = stablehlo.constant dense<3> : tensor<i32>
      %k = stablehlo.subtract %i, %three : tensor<i32>
      %e = stablehlo.dynamic_slice %a, %k, sizes = [1] : (tensor<30xf32>, tensor<i32>) -> tensor<1xf32>
      %f = stablehlo.add %e, %e : tensor<1xf32>
      %l = stablehlo.add %k, %i : tensor<i32>
      %x = stablehlo.dynamic_update_slice %a, %f, %l
          : (tensor<30xf32>, tensor<1xf32>, tensor<i32>) -> tensor<30xf32>
      %y = stablehlo.add %b, %b : tensor<30xf32>)"),
                 {Floats(30, 1, 1), Floats(30, 2, 1)});
}

// Of any value: large ones lead to the last element, negative ones do not exist.
TEST(NativeLoops, IndicesWithoutSigns) {
  const std::string text = Loop("30xf32", R"(
      %three = stablehlo.constant dense<3> : tensor<i32>
      %k = stablehlo.subtract %i, %three : tensor<i32>
      %u = stablehlo.bitcast_convert %k : (tensor<i32>) -> tensor<ui32>
      %e = stablehlo.dynamic_slice %a, %u, sizes = [1]
          : (tensor<30xf32>, tensor<ui32>) -> tensor<1xf32>
      %f = stablehlo.add %e, %e : tensor<1xf32>
      %l = stablehlo.bitcast_convert %i : (tensor<i32>) -> tensor<ui32>
      %x = stablehlo.dynamic_update_slice %a, %f, %l
          : (tensor<30xf32>, tensor<1xf32>, tensor<ui32>) -> tensor<30xf32>
      %y = stablehlo.reshape %b : (tensor<30xf32>) -> tensor<30xf32>)");
  EXPECT_EQ(CountKernelsWithoutCode(text), 0u);
  ExpectSameBits(text, {Floats(30, 1, 1), Floats(30, 2, 1)});
}

// Elements at indices that may lie outside: then nothing is written.
TEST(NativeLoops, Scatters) {
  for (const std::string_view op : {"return", "add", "maximum"}) {
    const std::string combiner =
        op == "return" ? "stablehlo.return %n : tensor<f32>"
                       : StrCat("%r = stablehlo.", op,
                                " %o, %n : tensor<f32>\nstablehlo.return %r : tensor<f32>");
    ExpectSameBits(Loop("4x5xf32", StrCat(R"(
        %three = stablehlo.constant dense<3> : tensor<i32>
        %k = stablehlo.subtract %i, %three : tensor<i32>
        %l = stablehlo.remainder %i, %three : tensor<i32>
        %k1 = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
        %l1 = stablehlo.reshape %l : (tensor<i32>) -> tensor<1xi32>
        %at = stablehlo.concatenate %k1, %l1, dim = 0
            : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
        %v = stablehlo.convert %k : (tensor<i32>) -> tensor<f32>
        %x = "stablehlo.scatter"(%a, %at, %v) ({
          ^bb0(%o: tensor<f32>, %n: tensor<f32>):
            )",
                                          combiner, R"(
        }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1],
            scatter_dims_to_operand_dims = [1, 0]>, indices_are_sorted = false,
            unique_indices = false}
            : (tensor<4x5xf32>, tensor<2xi32>, tensor<f32>) -> tensor<4x5xf32>
        %y = stablehlo.negate %b : tensor<4x5xf32>)")),
                   {Floats(20, 1, 1), Floats(20, 2, 1)});
  }
}

// Functions that have code, also where a lane is one that it hands to somebody else.
TEST(NativeLoops, Functions) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> special = {0.0f, -0.0f, 3e5f, kInfinity,
                                      1.5f, -7e9f, 200,  std::numeric_limits<float>::quiet_NaN()};
  for (const int64_t count : {1, 3, 4, 5, 8, 10, 50}) {
    Bytes p;
    for (int64_t i = 0; i < count; ++i) {
      const float number = special[special.size() - 1 - static_cast<size_t>(i) % special.size()];
      const Bytes bytes = BytesOf({number});
      p.insert(p.end(), bytes.begin(), bytes.end());
    }
    const std::string type = StrCat(count, "xf32");
    for (const std::string_view name :
         {"sine", "cosine", "exponential", "log", "tanh", "logistic"}) {
      const std::string text = Loop(
          type, StrCat("%v = stablehlo.", name, " %a : tensor<", type, ">\n%w = stablehlo.", name,
                       " %b : tensor<", type, ">\n%x = stablehlo.subtract %a, %w : tensor<", type,
                       ">\n%y = stablehlo.multiply %b, %v : tensor<", type, ">"));
      EXPECT_EQ(CountKernelsWithoutCode(text), 0u) << text;
      ExpectSameBits(text, {p, Floats(count, 0.3f, 0.9f)});
      ExpectSameBits(text, {Floats(count, -2.0f, 7.7f), p});
    }
  }
}

// Ops that have no code are calls of their routines within the code, which lose no value, be it an
// array's, one that is needed afterwards, or a constant.
TEST(NativeLoops, Routines) {
  for (const int64_t count : {1, 3, 8}) {
    const std::string type = StrCat(count, "xf32");
    const auto op = [&](std::string_view name, std::string_view result, std::string_view operands) {
      return StrCat("%", result, " = stablehlo.", name, " ", operands, " : tensor<", type, ">\n");
    };
    const std::string text =
        Loop(type, StrCat("%k = stablehlo.constant dense<1.25> : tensor<", type, ">\n") +
                       op("multiply", "m1", "%a, %b") + op("add", "m2", "%a, %k") +
                       op("sine", "m3", "%m1") + op("power", "m4", "%k, %m3") +
                       op("atan2", "m5", "%m4, %m2") + op("subtract", "m6", "%m1, %m5") +
                       op("tanh", "x", "%m6") + op("cosine", "m7", "%b") +
                       op("multiply", "y", "%m7, %m3"));
    EXPECT_EQ(CountKernelsWithoutCode(text), 0u) << text;
    ExpectSameBits(text, {Floats(count, 0.3f, 0.9f), Floats(count, -2.0f, 0.7f)});
  }
  ExpectSameBits(Loop("2xi32", R"(
      %1 = stablehlo.multiply %a, %b : tensor<2xi32>
      %x = stablehlo.popcnt %1 : tensor<2xi32>
      %2 = stablehlo.divide %1, %x : tensor<2xi32>
      %y = stablehlo.subtract %2, %b : tensor<2xi32>)"),
                 {BytesOf<int32_t>({77, -123456}), BytesOf<int32_t>({3, 999})});
}

// Steps that have no code are calls, beside others that have.
TEST(NativeLoops, CallsBetween) {
  ExpectSameBits(Loop("3xf32", R"(
      %1 = stablehlo.add %a, %b : tensor<3xf32>
      %2 = stablehlo.convert %1 : (tensor<3xf32>) -> tensor<3xf64>
      %3 = stablehlo.convert %2 : (tensor<3xf64>) -> tensor<3xf32>
      %x = stablehlo.tanh %3 : tensor<3xf32>
      %y = stablehlo.subtract %b, %x : tensor<3xf32>)"),
                 {Floats(3, 0.1f, 0.2f), Floats(3, 0.4f, 0.1f)});
  // A step that is no kernel.
  ExpectSameBits(Loop("4xf32", R"(
      %1 = stablehlo.subtract %a, %b : tensor<4xf32>
      %x = "stablehlo.sort"(%1) ({
        ^bb0(%l: tensor<f32>, %r: tensor<f32>):
          %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      %y = stablehlo.negate %b : tensor<4xf32>)"),
                 {Floats(4, 3, -1), Floats(4, 0.5f, 0.25f)});
}

TEST(NativeLoops, Branches) {
  const std::string body = R"(
      %three = stablehlo.constant dense<3> : tensor<i32>
      %r = stablehlo.remainder %i, %three : tensor<i32>
      %x = "stablehlo.case"(%r) ({
          %1 = stablehlo.add %a, %b : tensor<8xf32>
          stablehlo.return %1 : tensor<8xf32>
        }, {
          %1 = stablehlo.multiply %a, %b : tensor<8xf32>
          stablehlo.return %1 : tensor<8xf32>
        }, {
          stablehlo.return %b : tensor<8xf32>
        }) : (tensor<i32>) -> tensor<8xf32>
      %y = stablehlo.negate %b : tensor<8xf32>)";
  ExpectSameBits(Loop("8xf32", body), {Floats(8, 0.5f, 0.125f), Floats(8, -1, 0.3f)});
}

TEST(NativeLoops, LoopsInLoops) {
  const std::string body = R"(
      %0:2 = stablehlo.while(%k = %i, %s = %a) : tensor<i32>, tensor<2xf32>
        cond {
          %n = stablehlo.constant dense<30> : tensor<i32>
          %1 = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        } do {
          %o = stablehlo.constant dense<1> : tensor<i32>
          %m = stablehlo.add %k, %o : tensor<i32>
          %t = stablehlo.multiply %s, %b : tensor<2xf32>
          stablehlo.return %m, %t : tensor<i32>, tensor<2xf32>
        }
      %x = stablehlo.add %0#1, %b : tensor<2xf32>
      %y = stablehlo.subtract %b, %a : tensor<2xf32>)";
  ExpectSameBits(Loop("2xf32", body), {Floats(2, 0.5f, 0.25f), Floats(2, 0.9f, 0.05f)});
}

// More arrays than registers, and more values at once.
TEST(NativeLoops, ManyValues) {
  std::string body;
  for (int v = 0; v < 24; ++v) {
    body +=
        StrCat("%c", v, " = stablehlo.constant dense<0.", v + 1, "> : tensor<5xf32>\n%v", v,
               " = stablehlo.multiply ", v % 2 == 0 ? "%a" : "%b", ", %c", v, " : tensor<5xf32>\n");
  }
  body += "%s0 = stablehlo.add %v0, %v1 : tensor<5xf32>\n";
  for (int v = 2; v < 24; ++v) {
    body += StrCat("%s", v - 1, " = stablehlo.divide %s", v - 2, ", %v", v, " : tensor<5xf32>\n");
  }
  for (int v = 0; v < 24; ++v) {
    body += StrCat("%t", v, " = stablehlo.subtract ", v == 0 ? "%s22" : StrCat("%t", v - 1), ", %v",
                   v, " : tensor<5xf32>\n");
  }
  body += R"(
      %x = stablehlo.maximum %t23, %a : tensor<5xf32>
      %y = stablehlo.minimum %t22, %b : tensor<5xf32>)";
  ExpectSameBits(Loop("5xf32", body), {Floats(5, 0.5f, 0.25f), Floats(5, 0.9f, 0.05f)});
}

// The caller itself runs what machine code makes short.
TEST(NativeLoops, AreShort) {
  const auto run = [](int turns, bool native) {
    const std::string text = Loop("f32", R"(
      %x = stablehlo.add %a, %b : tensor<f32>
      %y = stablehlo.negate %b : tensor<f32>)",
                                  turns);
    return RunProgram(text, {Floats(1, 1, 1), Floats(1, 2, 1)}, native);
  };
  EXPECT_TRUE(run(10, false).is_short);
  EXPECT_FALSE(run(500, false).is_short);
  const auto code = run(500, true);
  EXPECT_EQ(code.is_short, code.loops == 1);
  EXPECT_FALSE(run(100'000, true).is_short);
}

// A loop that never ends stops when the client goes.
TEST(NativeLoops, StopsWhenTold) {
  const std::string text = Loop("f32", R"(
      %x = stablehlo.add %a, %b : tensor<f32>
      %y = stablehlo.negate %b : tensor<f32>)",
                                2147483647);
  Expected<program::Module> module = program::Read(std::as_bytes(std::span(text)));
  ASSERT_TRUE(module.ok());
  const auto backend = MakeBackend();
  auto compiled = compiler::CompileProgram(std::move(*module), backend->target, {});
  ASSERT_TRUE(compiled.ok());
  auto program = backend::PreparedProgram::Create(std::move(compiled->plan), *backend);
  ASSERT_TRUE(program.ok());
  backend::Runtime runtime(1, 0);
  runtime.stop = true;
  std::vector<backend::RunArgument> arguments;
  for (int i = 0; i < 2; ++i) arguments.push_back({*runtime.memory->Allocate(4)});
  std::vector<backend::StoragePtr> outputs(2);
  EXPECT_EQ((*program)->Run(runtime, arguments, outputs).code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace plinth::cpu::native
