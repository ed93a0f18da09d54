// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/library.h"

#include "gtest/gtest.h"

namespace plinth::cpu::library {
namespace {

TEST(Library, OpcodeWithoutFunctionIsNamedWithItsPlace) {
  compiler::plan::PlanStep step;
  step.opcode = compiler::Opcode::kAllReduce;
  step.location = std::make_shared<const std::string>("model.py:12:3");
  const auto prepared = PrepareLibraryStep(step);
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(prepared.status().message().find("all_reduce at model.py:12:3"), std::string::npos);
}

}  // namespace
}  // namespace plinth::cpu::library
