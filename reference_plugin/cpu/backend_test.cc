// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/backend.h"

#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/testing/backend_under_test.h"
#include "reference_plugin/cpu/pjrt/client.h"

namespace plinth::backend {

std::shared_ptr<const Backend> BackendUnderTest() { return cpu::MakeBackend(); }

std::unique_ptr<BackendClient> ClientUnderTest(int num_devices) {
  cpu::CpuClientOptions options;
  options.num_devices = num_devices;
  options.num_threads = 1;
  return std::make_unique<cpu::CpuClient>(options);
}

}  // namespace plinth::backend

namespace plinth::cpu {
namespace {

void ExpectCompileError(std::string_view body, std::string_view words) {
  const auto program = backend::CompileUnderTest(
      StrCat("func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n", body, "\n}\n"));
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), StatusCode::kInvalidArgument) << program.status().ToString();
  EXPECT_NE(program.status().message().find(words), std::string_view::npos)
      << program.status().ToString();
}

TEST(CpuCalls, LapackCallsSayWhatTheyFound) {
  ExpectCompileError(
      "%y:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : "
      "ui8}, "
      "operand_layouts = [dense<[0, 1]> : tensor<2xindex>], "
      "result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : "
      "(tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)\n return %y#0 : tensor<2x3xf32>",
      "operand 0 is f32[2,3]; expected square matrices");
  ExpectCompileError(
      "%y = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} "
      ": (tensor<2x3xf32>) -> tensor<2x3xf32>\n return %y : tensor<2x3xf32>",
      "1 operands and 1 results; expected 1 and 2");
}

}  // namespace
}  // namespace plinth::cpu
