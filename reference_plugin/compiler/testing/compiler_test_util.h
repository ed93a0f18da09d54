// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_COMPILER_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_COMPILER_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "plinth/program/program.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/ir/verifier.h"

namespace plinth::compiler {

// The module of a program in text, verified; null with a failure recorded.
inline std::unique_ptr<Module> ImportText(std::string_view text) {
  auto program = program::ReadText(text);
  if (!program.ok()) {
    ADD_FAILURE() << program.status().ToString() << "\n" << text;
    return nullptr;
  }
  auto module = importer::Import(*std::move(program));
  if (!module.ok()) {
    ADD_FAILURE() << module.status().ToString() << "\n" << text;
    return nullptr;
  }
  const Status verified = Verify(**module);
  EXPECT_TRUE(verified.ok()) << verified.ToString() << "\n" << ToString(**module);
  return *std::move(module);
}

// The text of the module without its first line, which names it.
inline std::string Body(const Module& module) {
  std::string text = ToString(module);
  return text.substr(text.find('\n') + 1);
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_COMPILER_TEST_UTIL_H_
