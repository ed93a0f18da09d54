// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_BAD_PROGRAMS_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_BAD_PROGRAMS_TEST_UTIL_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"

namespace plinth::compiler::importer {

// What a program gets wrong: the types of %a, %b, ... and the ops that use them.
struct BadProgram {
  std::vector<std::string_view> arguments;
  std::string_view body;
  std::string_view message;  // a part of it
  StatusCode code = StatusCode::kInvalidArgument;
};

inline constexpr std::string_view kF2 = "tensor<2xf32>";
inline constexpr std::string_view kF3 = "tensor<3xf32>";
inline constexpr std::string_view kF23 = "tensor<2x3xf32>";
inline constexpr std::string_view kF = "tensor<f32>";
inline constexpr std::string_view kI = "tensor<i32>";
inline constexpr std::string_view kI2 = "tensor<2xi32>";
inline constexpr std::string_view kC2 = "tensor<2xcomplex<f32>>";
inline constexpr std::string_view kP2 = "tensor<2xi1>";

inline void ExpectAllBad(std::span<const BadProgram> programs) {
  for (const BadProgram& bad : programs) {
    std::string text = "func.func @main(";
    for (size_t i = 0; i < bad.arguments.size(); ++i) {
      text += StrCat(i == 0 ? "" : ", ", "%", static_cast<char>('a' + i), ": ", bad.arguments[i]);
    }
    text += StrCat(") {\n  ", bad.body, "\n  return\n}\n");
    SCOPED_TRACE(text);
    auto program = program::ReadText(text);
    ASSERT_TRUE(program.ok()) << program.status().ToString();
    auto module = Import(*std::move(program));
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.status().code(), bad.code) << module.status().ToString();
    EXPECT_THAT(std::string(module.status().message()),
                ::testing::HasSubstr(std::string(bad.message)));
  }
}

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_BAD_PROGRAMS_TEST_UTIL_H_
