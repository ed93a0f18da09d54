// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/error.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace plinth {
namespace {

TEST(Error, SuccessIsNull) {
  EXPECT_EQ(MakeError(Status()), nullptr);
  EXPECT_TRUE(TakeError(nullptr).ok());
}

TEST(Error, GoesThroughItsHeadAndBack) {
  const Status status = NotFound("no file").WithPayload("path", std::string("a\0b", 3));
  PJRT_Error* error = MakeError(status);
  ASSERT_NE(error, nullptr);
  const PJRT_Error_FunctionTable* table = error->vtable;
  EXPECT_EQ(table->struct_size, size_t{PJRT_Error_FunctionTable_STRUCT_SIZE});
  EXPECT_EQ(table->get_code(error), PJRT_Error_Code_NOT_FOUND);
  Status back = TakeError(error);
  EXPECT_EQ(back.ToString(), "NOT_FOUND: no file");
  ASSERT_EQ(back.payloads().size(), 1u);
  EXPECT_EQ(back.payloads()[0].value, std::string("a\0b", 3));
}

TEST(Error, WithoutAHeadItIsReported) {
  PJRT_Error headless = {nullptr};
  EXPECT_EQ(TakeError(&headless).code(), StatusCode::kInternal);
}

TEST(Error, CallbackErrorsAreNeverOk) {
  EXPECT_EQ(TakeError(MakeCallbackError(PJRT_Error_Code_ABORTED, "x", 1)).ToString(), "ABORTED: x");
  EXPECT_EQ(TakeError(MakeCallbackError(PJRT_Error_Code_OK, nullptr, 0)).code(),
            StatusCode::kInternal);
}

TEST(Error, PartsOfAnyValue) {
  EXPECT_EQ(StatusFromParts(99, "m", 1).code(), StatusCode::kUnknown);
  EXPECT_EQ(StatusFromParts(-1, nullptr, 5).code(), StatusCode::kUnknown);
  EXPECT_TRUE(StatusFromParts(0, "ignored", 7).ok());
}

}  // namespace
}  // namespace plinth
