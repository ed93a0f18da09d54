// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_PARTITIONED_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_PARTITIONED_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "reference_plugin/compiler/testing/partitioned.h"

namespace plinth::compiler::testing {

// CheckPartitioned; without a module, and with a failure recorded, if it fails.
inline Partitioned ExpectPartitioned(std::string_view text) {
  auto made = CheckPartitioned(text);
  EXPECT_TRUE(made.ok()) << made.status().ToString() << "\n" << text;
  return made.ok() ? *std::move(made) : Partitioned();
}

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_PARTITIONED_TEST_UTIL_H_
