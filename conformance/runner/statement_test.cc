// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/statement.h"

#include <sstream>

#include "gtest/gtest.h"

namespace plinth::conformance {
namespace {

constexpr char kGood[] = R"({"company": "C", "product": "P 1", "device": "D", "driver": "none",
                            "operating_system": "Debian 12", "date": "2026-11-22"})";

TEST(StatementTest, AsksForWhatIsNotKnown) {
  Statement known{{{"company", "C"}, {"date", "2026-11-22"}}};
  std::istringstream in("P 1\n D \nnone\nDebian 12\n");
  std::ostringstream out;
  Expected<Statement> statement = AskStatement(known, in, out);
  ASSERT_TRUE(statement.ok()) << statement.status().ToString();
  EXPECT_EQ(out.str().find("Company"), std::string::npos);
  EXPECT_NE(out.str().find("Product"), std::string::npos);
  EXPECT_EQ(statement->Get("device"), "D");
  EXPECT_EQ(ToJson(*statement), ToJson(*ParseStatement(kGood)));
  std::istringstream nothing;
  EXPECT_EQ(AskStatement(known, nothing, out).status().code(), StatusCode::kFailedPrecondition);
}

TEST(StatementTest, WhatIsNoneIsRefused) {
  EXPECT_TRUE(ParseStatement(kGood).ok());
  std::string text = kGood;
  auto with = [&](std::string from, std::string to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return ParseStatement(changed);
  };
  EXPECT_FALSE(with("\"C\"", "\"\"").ok());
  EXPECT_FALSE(with("\"C\"", "7").ok());
  EXPECT_FALSE(with("2026-11-22", "today").ok());
  EXPECT_FALSE(with("\"company\"", "\"firm\"").ok());
  EXPECT_FALSE(with("\"company\"", "\"more\": 1, \"company\"").ok());
  EXPECT_FALSE(ParseStatement("").ok());
}

}  // namespace
}  // namespace plinth::conformance
