// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/status.h"

#include <gtest/gtest.h>

namespace plinth {
namespace {

TEST(StatusTest, DefaultIsSuccess) {
  Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_EQ(status.ToString(), "OK");
  EXPECT_TRUE(status.payloads().empty());
}

TEST(StatusTest, CarriesCodeMessageContextAndPayloads) {
  Status status = InvalidArgument("dimension ", 3, " is ", -1.5).WithContext("op 'add'");
  EXPECT_EQ(status.ToString(), "INVALID_ARGUMENT: op 'add': dimension 3 is -1.5");
  Status with_payload = status.WithPayload("k", std::string("a\0b", 3));
  EXPECT_TRUE(status.payloads().empty());
  ASSERT_EQ(with_payload.payloads().size(), 1u);
  EXPECT_EQ(with_payload.payloads()[0].value.size(), 3u);
}

TEST(StatusTest, EveryCodeHasItsName) {
  EXPECT_EQ(StatusCodeName(StatusCode::kUnauthenticated), "UNAUTHENTICATED");
  EXPECT_EQ(StatusCodeName(StatusCode::kFailedPrecondition), "FAILED_PRECONDITION");
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(99)), "UNKNOWN");
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(-1)), "UNKNOWN");
}

Expected<int> Half(int value) {
  if (value % 2 != 0) return InvalidArgument(value, " is odd");
  return value / 2;
}

Expected<int> Quarter(int value) {
  PLINTH_ASSIGN_OR_RETURN(int half, Half(value));
  return Half(half);
}

TEST(ExpectedTest, PropagatesTheFirstError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status().message(), "3 is odd");
  EXPECT_EQ(Expected<int>(Status()).status().code(), StatusCode::kInternal);
}

TEST(StatusTest, CopiesShareAndOutliveTheOriginal) {
  Status copy;
  {
    Status original = NotFound("x");
    copy = original;
    Status moved = std::move(original);
    EXPECT_EQ(moved.message(), "x");
    moved = moved.WithContext("here");
    EXPECT_EQ(moved.message(), "here: x");
  }
  const Status& self = copy;
  copy = self;
  EXPECT_EQ(copy.ToString(), "NOT_FOUND: x");
  copy = Status();
  EXPECT_TRUE(copy.ok());
}

}  // namespace
}  // namespace plinth
