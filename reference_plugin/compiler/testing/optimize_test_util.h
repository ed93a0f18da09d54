// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_OPTIMIZE_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_OPTIMIZE_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {

// A program of one function. The body ends with what it returns.
struct Row {
  std::string_view arguments;
  std::string_view result;
  std::string_view body;
  std::string_view expected;  // the ops that remain
};

// What all passes make of a program; a second time they change nothing.
inline std::string Optimized(std::string_view text) {
  auto module = ImportText(text);
  if (module == nullptr) return "";
  OptimizeOptions options;
  options.verify = true;
  Status status = Optimize(*module, testing::kPlainTarget, options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  const std::string once = Body(*module);
  status = Optimize(*module, testing::kPlainTarget, options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Body(*module), once) << "not idempotent";
  return once;
}

// The lines between the signature and the closing brace, without indentation.
inline std::string Ops(const std::string& body) {
  std::string ops;
  size_t at = body.find('\n') + 1;
  while (at < body.size() && body[at] != '}') {
    const size_t end = body.find('\n', at);
    ops += body.substr(body.find_first_not_of(' ', at), end - body.find_first_not_of(' ', at) + 1);
    at = end + 1;
  }
  return ops;
}

inline void ExpectRows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    const std::string text =
        StrCat("func.func @main(", row.arguments, ") -> ", row.result, " {\n", row.body, "\n}");
    SCOPED_TRACE(text);
    EXPECT_EQ(Ops(Optimized(text)), StrCat(row.expected, "\n"));
  }
}

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_OPTIMIZE_TEST_UTIL_H_
