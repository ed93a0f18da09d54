// SPDX-License-Identifier: Apache-2.0
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pjrt_c_api_stream_extension.h"
#include "plinth/support/extension_chain.h"
#include "sdk/src/test_plugin.h"

namespace plinth::sdk::testing {
namespace {

const PJRT_Stream_Extension& StreamExtension() {
  const PJRT_Extension_Base* node = Api()->extension_start;
  while (node->type != PJRT_Extension_Type_Stream) node = node->next;
  return *reinterpret_cast<const PJRT_Stream_Extension*>(node);
}

TEST(Streams, OfADevice) {
  const TestClientHandle client;
  PLINTH_ARGS(PJRT_Get_Stream_For_External_Ready_Events, args);
  EXPECT_EQ(TakeError(StreamExtension().get_stream(&args)).code(), StatusCode::kInvalidArgument);
  args.device = client.devices[1];
  ASSERT_TRUE(TakeError(StreamExtension().get_stream(&args)).ok());
  EXPECT_EQ(args.stream, 101);
}

TEST(Streams, WaitForABuffer) {
  const TestClientHandle client;
  PJRT_Buffer* buffer = Upload(client, {1, 2, 3});
  PLINTH_ARGS(PJRT_Wait_Until_Buffer_Ready_On_Stream, args);
  args.stream = 55;
  EXPECT_EQ(TakeError(StreamExtension().wait_stream(&args)).code(), StatusCode::kInvalidArgument);
  args.buffer = buffer;
  EXPECT_TRUE(TakeError(StreamExtension().wait_stream(&args)).ok());
  EXPECT_EQ(waiting_stream, 55);
  Destroy(buffer);
}

}  // namespace
}  // namespace plinth::sdk::testing
