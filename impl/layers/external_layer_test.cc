// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/external_layer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/test_chain.h"
#include "plinth/support/error.h"

namespace plinth::layers {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace fn = reflection::function;

std::string BrokenLayer(int kind) {
  return StrCat(PLINTH_BROKEN_LAYERS, "/libplinth_broken_layer_", kind, ".so");
}

TEST(ExternalLayerTest, TheSampleCountsCalls) {
  TestChain chain([](int function, void*) {
    return function == fn::kPJRT_Client_Compile ? MakeError(Internal("no")) : nullptr;
  });
  Expected<std::unique_ptr<Layer>> layer =
      LoadExternalLayer(PLINTH_SAMPLE_LAYER, chain.Context(""));
  ASSERT_TRUE(layer.ok()) << layer.status().ToString();
  chain.Use(*std::move(layer));
  EXPECT_EQ(chain(fn::kPJRT_Client_Create, nullptr), nullptr);
  EXPECT_EQ(TakeError(chain(fn::kPJRT_Client_Compile, nullptr)).code(), StatusCode::kInternal);
  EXPECT_EQ(TakeError(chain(fn::kPJRT_Client_Compile, nullptr)).code(), StatusCode::kInternal);
  EXPECT_EQ(chain(fn::kPJRT_Error_Destroy, nullptr), nullptr);
  EXPECT_EQ(chain(fn::kPJRT_FFI_UserData_Add, nullptr), nullptr);
  EXPECT_EQ(chain(fn::kPJRT_Client_Destroy, nullptr), nullptr);
  EXPECT_THAT(chain.log(), Contains("count_calls:        2 PJRT_Client_Compile"));
  EXPECT_THAT(chain.log(), Contains("count_calls:        1 PJRT_FFI_UserData_Add"));
  EXPECT_THAT(chain.log(), Contains("count_calls:        1 PJRT_Error_Destroy"));
}

TEST(ExternalLayerTest, BrokenLayersAreRefused) {
  struct Case {
    int kind;
    StatusCode code;
    const char* why;
  };
  for (const Case& c : {
           Case{1, StatusCode::kInvalidArgument, "does not export plinth_layer_get"},
           Case{2, StatusCode::kFailedPrecondition, "does not work with version 1"},
           Case{3, StatusCode::kInvalidArgument, "struct_size 16"},
           Case{4, StatusCode::kFailedPrecondition, "written for version 2"},
           Case{5, StatusCode::kInvalidArgument, "null `call`"},
           Case{6, StatusCode::kNotFound, "layer `broken`"},  // its create fails
       }) {
    TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
    Expected<std::unique_ptr<Layer>> layer =
        LoadExternalLayer(BrokenLayer(c.kind), chain.Context("what create says"));
    ASSERT_FALSE(layer.ok()) << c.kind;
    EXPECT_EQ(layer.status().code(), c.code) << c.kind;
    EXPECT_THAT(layer.status().message(), HasSubstr(c.why));
    EXPECT_THAT(layer.status().message(), HasSubstr(BrokenLayer(c.kind)));
  }
  TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
  Expected<std::unique_ptr<Layer>> layer = LoadExternalLayer("/nowhere.so", chain.Context(""));
  EXPECT_EQ(layer.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(layer.status().message(), HasSubstr("/nowhere.so"));
}

}  // namespace
}  // namespace plinth::layers
