// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/inline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/dump.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

TEST(Inline, CalledTwice) {
  auto module = ImportText(R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    }
    func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.add %a, %a : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @unused(%a: tensor<2xf32>) -> tensor<2xf32> {
      return %a : tensor<2xf32>
    })");
  ASSERT_NE(module, nullptr);
  ASSERT_TRUE(Inline(*module).ok());
  EXPECT_TRUE(Verify(*module).ok());
  EXPECT_EQ(Body(*module), R"(entry @main(%0: f32[2]) {
  %1 = add(%0, %0) : f32[2]
  %2 = add(%1, %1) : f32[2]
  return(%2)
}
)");
}

TEST(Inline, InsideRegions) {
  auto module = ImportText(R"(
    func.func private @less(%a: tensor<i32>) -> tensor<i1> {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %0 = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      return %0 : tensor<i1>
    }
    func.func public @main(%a: tensor<i32>) -> tensor<i32> {
      %0 = "stablehlo.while"(%a) ({
      ^bb0(%x: tensor<i32>):
        %c = func.call @less(%x) : (tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }, {
      ^bb0(%x: tensor<i32>):
        %y = stablehlo.add %x, %x : tensor<i32>
        stablehlo.return %y : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      return %0 : tensor<i32>
    })");
  ASSERT_NE(module, nullptr);
  ASSERT_TRUE(Inline(*module).ok());
  EXPECT_TRUE(Verify(*module).ok());
  EXPECT_EQ(module->functions.size(), 1u);
  EXPECT_EQ(module->entry->name, "main");
  EXPECT_EQ(Body(*module).find("call"), std::string::npos);
}

TEST(Inline, UnknownCompositeIsItsDecomposition) {
  auto module = ImportText(R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.composite "my.op" %a {decomposition = @impl} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @impl(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.negate %a : tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  ASSERT_NE(module, nullptr);
  ASSERT_TRUE(Inline(*module).ok());
  EXPECT_EQ(Body(*module),
            "entry @main(%0: f32[2]) {\n  %1 = negate(%0) : f32[2]\n  return(%1)\n}\n");
}

TEST(Inline, RecursionIsRefused) {
  auto module = ImportText(R"(
    func.func @main(%a: tensor<f32>) -> tensor<f32> {
      %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    func.func private @f(%a: tensor<f32>) -> tensor<f32> {
      %0 = call @main(%a) : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    })");
  ASSERT_NE(module, nullptr);
  const Status status = Inline(*module);
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("@main calls itself"));
}

std::string Chain(int length, int calls) {
  std::string text =
      "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
      "%0 = call @f0(%a) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }\n";
  for (int i = 0; i < length; ++i) {
    text += StrCat("func.func private @f", i, "(%a: tensor<f32>) -> tensor<f32> {\n");
    std::string last = "%a";
    for (int k = 0; k < calls && i + 1 < length; ++k) {
      text += StrCat("%", k, " = call @f", i + 1, "(", last, ") : (tensor<f32>) -> tensor<f32>\n");
      last = StrCat("%", k);
    }
    text += StrCat("%n = stablehlo.negate ", last, " : tensor<f32> return %n : tensor<f32> }\n");
  }
  return text;
}

TEST(Inline, ExponentialGrowthIsRefused) {
  auto module = ImportText(Chain(40, 2));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Inline(*module).code(), StatusCode::kResourceExhausted);
}

TEST(Inline, DeepChainsAreRefused) {
  auto module = ImportText(Chain(2000, 1));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Inline(*module).code(), StatusCode::kResourceExhausted);
  auto short_chain = ImportText(Chain(100, 1));
  ASSERT_NE(short_chain, nullptr);
  EXPECT_TRUE(Inline(*short_chain).ok());
}

TEST(Import, ElementaryCustomCalls) {
  for (std::string_view name :
       {"acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh", "tan"}) {
    for (std::string_view type : {"f32", "bf16", "f64"}) {
      auto module = ImportText(StrCat("func.func @main(%a: tensor<2x", type, ">) -> tensor<2x",
                                      type, "> {\n  %0 = stablehlo.custom_call @mhlo.", name,
                                      "(%a) : (tensor<2x", type, ">) -> tensor<2x", type,
                                      ">\n  return %0 : tensor<2x", type, ">\n}"));
      ASSERT_NE(module, nullptr);
      EXPECT_EQ(Body(*module).find("custom_call"), std::string::npos) << name;
    }
  }
}

TEST(Import, ScalarPredicateAndBoundsAreBroadcast) {
  auto module = ImportText(R"(
    func.func @main(%p: tensor<i1>, %a: tensor<2xf32>, %l: tensor<f32>) -> tensor<2xf32> {
      %0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2xf32>
      %1 = stablehlo.clamp %l, %0, %l : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    })");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Body(*module), R"(entry @main(%0: pred[], %1: f32[2], %2: f32[]) {
  %3 = broadcast_in_dim(%0) {dimensions=[]} : pred[2]
  %4 = select(%3, %1, %1) : f32[2]
  %5 = broadcast_in_dim(%2) {dimensions=[]} : f32[2]
  %6 = broadcast_in_dim(%2) {dimensions=[]} : f32[2]
  %7 = clamp(%5, %4, %6) : f32[2]
  return(%7)
}
)");
}

TEST(Import, MixedDotIsConverted) {
  auto module = ImportText(R"(
    func.func @main(%a: tensor<2xbf16>, %b: tensor<2xf32>) -> tensor<f32> {
      %0 = stablehlo.dot %a, %b : (tensor<2xbf16>, tensor<2xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    })");
  ASSERT_NE(module, nullptr);
  EXPECT_THAT(Body(*module), ::testing::HasSubstr("convert(%0) : f32[2]"));
  EXPECT_THAT(Body(*module), ::testing::HasSubstr("dot_general"));
}

TEST(Import, MixedIntegersKeepTheirSign) {
  const auto body_for = [](std::string_view result) {
    auto module = ImportText(StrCat(R"(
      func.func @main(%a: tensor<2xi8>, %b: tensor<2xui16>) -> tensor<)",
                                    result, R"(> {
        %0 = stablehlo.dot %a, %b : (tensor<2xi8>, tensor<2xui16>) -> tensor<)",
                                    result, R"(>
        return %0 : tensor<)",
                                    result, R"(>
      })"));
    return module == nullptr ? std::string("refused") : Body(*module);
  };
  EXPECT_THAT(body_for("i32"), ::testing::HasSubstr("convert(%0) : s32[2]"));
  EXPECT_THAT(body_for("f32"), ::testing::HasSubstr("convert(%0) : f32[2]"));
}

TEST(Verifier, FindsWhatPassesBreak) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
      %0 = stablehlo.negate %a : tensor<2xf32>
      %1 = stablehlo.abs %0 : tensor<2xf32>
      return %1 : tensor<2xf32>
    })";
  const auto broken = [&](auto&& change) {
    auto module = ImportText(kText);
    change(*module, *module->entry->body);
    return std::string(Verify(*module).message());
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(broken([](Module&, Block&) {}), "");
  EXPECT_THAT(broken([](Module&, Block& b) { std::swap(b.ops[0], b.ops[1]); }),
              HasSubstr("is not a value that is visible here"));
  EXPECT_THAT(broken([](Module&, Block& b) { b.ops[1]->operands[0] = b.arguments[1]; }),
              HasSubstr("result 0 is f32[2]; expected f32[3]"));
  EXPECT_THAT(broken([](Module&, Block& b) { b.ops.pop_back(); }),
              HasSubstr("does not end in return"));
  EXPECT_THAT(broken([](Module&, Block& b) { b.ops.insert(b.ops.begin(), b.ops[0]); }),
              HasSubstr("stands in two places"));
  EXPECT_THAT(broken([](Module&, Block& b) { b.ops[0]->opcode = Opcode::kIota; }),
              HasSubstr("operands"));
  EXPECT_THAT(broken([](Module& m, Block&) {
                m.donations.push_back({2, 0});
              }),
              HasSubstr("donated"));
  EXPECT_THAT(broken([](Module& m, Block&) { m.output_shardings.resize(3); }),
              HasSubstr("shardings"));
  EXPECT_THAT(broken([](Module&, Block& b) { b.ops[0]->results[0]->index = 1; }),
              HasSubstr("does not know its place"));
}

TEST(Dump, WritesStagesIntoTheDirectory) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / StrCat("plinth_dump_test.", getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  auto module = ImportText(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }");
  ASSERT_NE(module, nullptr);
  for (int compilation : {1, 2}) {
    Dumper dumper("../jit/f", folder.string());
    OptimizeOptions options;
    options.dumper = &dumper;
    ASSERT_TRUE(Optimize(*module, testing::kPlainTarget, options).ok());
    EXPECT_TRUE(
        std::filesystem::exists(folder / StrCat("___jit_f-", compilation, ".00.inline.txt")));
  }
  Dumper nowhere("f", (folder / "___jit_f-1.00.inline.txt" / "within a file").string());
  EXPECT_TRUE(nowhere.status().ok());
  nowhere.Dump("stage", [] { return ""; });
  EXPECT_EQ(nowhere.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(nowhere.status().message()),
              ::testing::HasSubstr("which PLINTH_DUMP or xla_dump_to asks for"));
  Dumper disabled("f", "");
  EXPECT_FALSE(disabled.enabled());
  disabled.Dump("stage", []() -> std::string {
    ADD_FAILURE() << "called";
    return "";
  });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace plinth::compiler::passes
