// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "reference_plugin/cuda/pjrt/client_test_util.h"

// Products of matrices by the simulator's cuBLASLt.
namespace plinth::cuda {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// [[a b] [c d]] times itself, with `attributes` of the dot.
std::string Square(std::string_view attributes = "") {
  return StrCat(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
  %p = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0])",
                attributes, R"( : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.reshape %p : (tensor<2x2xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})");
}

// Two batch dimensions that do not merge, each of 2: [[1 2] [3 4]] by place, times 1, 2, 3, 4.
constexpr std::string_view kBatches = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %left = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x1x2x1xf32>
  %right = stablehlo.constant dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>
  %wide = stablehlo.broadcast_in_dim %left, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x80x2x1xf32>
  %p = stablehlo.dot_general %wide, %right, batching_dims = [0, 2] x [0, 1], contracting_dims = [3] x [2]
      : (tensor<2x80x2x1xf32>, tensor<2x2x1x1xf32>) -> tensor<2x2x80x1xf32>
  %s = stablehlo.slice %p [0:2, 0:2, 79:80, 0:1] : (tensor<2x2x80x1xf32>) -> tensor<2x2x1x1xf32>
  %r = stablehlo.reshape %s : (tensor<2x2x1x1xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})";

// A long sum, for which the library takes workspace: 100 times the sum of the squares, each.
constexpr std::string_view kLong = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<100x4xf32>
  %l = stablehlo.reshape %m : (tensor<100x4xf32>) -> tensor<400xf32>
  %a = stablehlo.broadcast_in_dim %l, dims = [1] : (tensor<400xf32>) -> tensor<2x400xf32>
  %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<2x400xf32>, tensor<2x400xf32>) -> tensor<2x2xf32>
  %r = stablehlo.reshape %p : (tensor<2x2xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})";

// Each element squared, 400 times over: products of long vectors.
constexpr std::string_view kDots = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x400xf32>
  %p = stablehlo.dot_general %m, %m, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x400xf32>, tensor<4x400xf32>) -> tensor<4xf32>
  return %p : tensor<4xf32>
})";

class ProductsTest : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    programs_.library = ProgramSettings::Library::kAlways;
  }
  void TearDown() override {
    ClientTest::TearDown();
    unsetenv("PLINTH_LOG");
  }
  // What the log has at the end.
  template <typename Body>
  std::string LogOf(const Body& body) {
    const std::filesystem::path file = report_.string() + ".log";
    std::filesystem::remove(file);
    setenv("PLINTH_LOG", file.c_str(), 1);
    body();
    std::ifstream in(file);
    std::string text(std::istreambuf_iterator<char>(in), {});
    std::filesystem::remove(file);
    return text;
  }
};

TEST_F(ProductsTest, TheLibraryComputesThem) {
  for (const char* seed : {"seed=1", "seed=2,delay=500"}) {
    Open(seed);
    const auto square = Run(Square());
    ASSERT_TRUE(square.ok()) << square.status().ToString();
    EXPECT_THAT(*square, ElementsAre(7, 10, 15, 22));
    const auto batches = Run(kBatches);
    ASSERT_TRUE(batches.ok()) << batches.status().ToString();
    EXPECT_THAT(*batches, ElementsAre(1, 4, 9, 16));
    const auto sum = Run(kLong);
    ASSERT_TRUE(sum.ok()) << sum.status().ToString();
    EXPECT_THAT(*sum, ElementsAre(3000, 3000, 3000, 3000));
    client_ = nullptr;
    EXPECT_THAT(Reports(), IsEmpty());
  }
}

// [[a b] [c d]] times itself, and then `body`, which makes %r of %p.
std::string SquareAnd(std::string_view body) {
  return StrCat(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
  %p = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
)",
                body, R"(
  %o = stablehlo.reshape %r : (tensor<2x2xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
})");
}
constexpr std::string_view kBias = R"(
  %v = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %b = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %s = stablehlo.add %p, %b : tensor<2x2xf32>
)";
constexpr std::string_view kRelu = R"(
  %z = stablehlo.constant dense<0.0> : tensor<2x2xf32>
  %r = stablehlo.maximum %s, %z : tensor<2x2xf32>
)";

// The library's relu makes zero of NaN, as the simulator's does, and a kernel's keeps it: so one
// can tell which it was.
TEST_F(ProductsTest, TheLibraryAddsABiasAndComputesActivations) {
  Open("seed=1");
  const auto plain = Run(SquareAnd("%r = stablehlo.add %p, %p : tensor<2x2xf32>"));
  ASSERT_TRUE(plain.ok()) << plain.status().ToString();
  EXPECT_THAT(*plain, ElementsAre(14, 20, 30, 44));
  const std::string both = SquareAnd(StrCat(kBias, kRelu));
  const auto relu = Run(both, false, {1, -2, 3, 4});
  ASSERT_TRUE(relu.ok()) << relu.status().ToString();
  EXPECT_THAT(*relu, ElementsAre(0, 0, 16, 8));  // [[-5 -10] [15 10]] + [1 -2]
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto zeros = Run(both, false, {nan, nan, nan, nan});
  ASSERT_TRUE(zeros.ok()) << zeros.status().ToString();
  EXPECT_THAT(*zeros, ElementsAre(0, 0, 0, 0));
  client_ = nullptr;
  EXPECT_THAT(Reports(), IsEmpty());

  programs_.library = ProgramSettings::Library::kNever;
  Open("seed=1");
  const auto nans = Run(both, false, {nan, nan, nan, nan});
  ASSERT_TRUE(nans.ok()) << nans.status().ToString();
  EXPECT_THAT(*nans, testing::Each(testing::IsNan()));
}

// What reads the product itself gets it.
TEST_F(ProductsTest, AProductThatOthersReadIsComputedAlone) {
  Open("seed=1");
  const auto both = Run(SquareAnd(StrCat(kBias, R"(
  %z = stablehlo.constant dense<0.0> : tensor<2x2xf32>
  %t = stablehlo.maximum %s, %z : tensor<2x2xf32>
  %u = stablehlo.dot_general %t, %p, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.add %u, %p : tensor<2x2xf32>
)")));
  ASSERT_TRUE(both.ok()) << both.status().ToString();
  // [[8 12] [16 24]] * [[7 10] [15 22]] + [[7 10] [15 22]].
  EXPECT_THAT(*both, ElementsAre(243, 354, 487, 710));
}

// 1 + 2^-12 has more bits than TF32.
TEST_F(ProductsTest, RoundsAsProgramsAsk) {
  const float x = 1 + 0x1p-12f;
  const Floats values = {x, 0, 0, x};
  auto corner = [&](std::string_view attributes) {
    const auto result = Run(Square(attributes), false, values);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? (*result)[0] : 0;
  };
  constexpr std::string_view kHighest = ", precision = [HIGHEST, HIGHEST]";
  constexpr std::string_view kHigh = ", precision = [HIGH, HIGH]";
  constexpr std::string_view kTf32 =
      ", algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = "
      "f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
      "allow_imprecise_accumulation = false>";
  Open("");
  EXPECT_EQ(corner(""), 1);
  EXPECT_EQ(corner(kHigh), x * x);
  EXPECT_EQ(corner(kHighest), x * x);
  client_ = nullptr;
  EXPECT_THAT(Reports(), IsEmpty());
  programs_.allow_tf32 = false;
  Open("");
  EXPECT_EQ(corner(""), x * x);
  EXPECT_EQ(corner(kTf32), 1);
}

// Small ones are arithmetic like any other, in f32, unless the library is asked for.
TEST_F(ProductsTest, SmallOnesAreSpeltOut) {
  programs_.library = ProgramSettings::Library::kLarge;
  for (const std::string& program : {Square(), std::string(kDots)}) {
    Open("fail=cuLaunchKernel:1:999");
    const auto failed = Run(program);
    const std::string message(failed.status().message());
    EXPECT_THAT(message, AllOf(HasSubstr("launch of kernel"), Not(HasSubstr("dot_general"))));
    client_ = nullptr;
    Reports();
  }
  Open("");
  const auto dots = Run(kDots);
  ASSERT_TRUE(dots.ok()) << dots.status().ToString();
  EXPECT_THAT(*dots, ElementsAre(400, 1600, 3600, 6400));
}

TEST_F(ProductsTest, AnErrorNamesProgramAndStep) {
  Open("fail=cublasLtMatmul:1:13");
  const auto result = Run(Square());
  EXPECT_EQ(result.status().code(), StatusCode::kInternal);
  EXPECT_THAT(
      std::string(result.status().message()),
      AllOf(HasSubstr("program ''"), HasSubstr("dot_general"), HasSubstr("1 x 2 x 2 x 2 of f32"),
            HasSubstr("CUBLAS_STATUS_EXECUTION_FAILED (13)")));
  const auto again = Run(Square());
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_THAT(*again, ElementsAre(7, 10, 15, 22));
}

TEST_F(ProductsTest, KernelsServeWhereThereIsNoLibrary) {
  const std::string log = LogOf([this] {
    Open("blas=110000");
    for (int run = 0; run < 2; ++run) {
      const auto square = Run(Square());
      ASSERT_TRUE(square.ok()) << square.status().ToString();
      EXPECT_THAT(*square, ElementsAre(7, 10, 15, 22));
    }
  });
  EXPECT_THAT(log, AllOf(HasSubstr("warning: products of matrices run as kernels"),
                         HasSubstr("is cuBLASLt 11.0; 12.4 or newer is needed")));
  EXPECT_EQ(log.find("warning"), log.rfind("warning"));
}

TEST_F(ProductsTest, OldLibrariesTakeNoLists) {
  Open("blas=120400");
  const auto batches = Run(kBatches);
  ASSERT_TRUE(batches.ok()) << batches.status().ToString();
  EXPECT_THAT(*batches, ElementsAre(1, 4, 9, 16));
}

// Small products are not worth opening it, and who does not want it does without.
TEST_F(ProductsTest, TheLibraryIsOpenedOnlyWhereItIsUsed) {
  for (const auto library : {ProgramSettings::Library::kLarge, ProgramSettings::Library::kNever}) {
    programs_.library = library;
    Open("fail=cublasLtCreate:1:3");
    const std::string log = LogOf([this] {
      const auto square = Run(Square());
      ASSERT_TRUE(square.ok()) << square.status().ToString();
      EXPECT_THAT(*square, ElementsAre(7, 10, 15, 22));
    });
    EXPECT_THAT(log, IsEmpty());
    client_ = nullptr;
    Reports();
  }
}

// Whatever call fails once, a run ends, with its numbers or an error.
TEST_F(ProductsTest, EveryCallMayFail) {
  expects_no_report_ = false;
  int failures = 0;
  for (const char* function :
       {"cublasLtCreate", "cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute",
        "cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutSetAttribute",
        "cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"}) {
    for (int call = 1; call <= 3; ++call) {
      Open(StrCat("delay=0,fail=", function, ":", call, ":14"));
      const auto result = Run(kBatches);
      client_ = nullptr;
      if (result.ok()) {
        EXPECT_THAT(*result, ElementsAre(1, 4, 9, 16)) << function << call;
      } else {
        ++failures;
      }
      EXPECT_THAT(Reports(), IsEmpty()) << function << call;
    }
  }
  EXPECT_EQ(failures, 1);
}

}  // namespace
}  // namespace plinth::cuda
