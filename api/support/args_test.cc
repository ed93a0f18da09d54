// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/args.h"

#include <gtest/gtest.h>

#include "plinth/support/extension_chain.h"

namespace plinth {
namespace {

TEST(Args, FieldsEndWithTheStruct) {
  PJRT_Client_Create_Args args = {};
  args.struct_size = 72;
  using Args = PJRT_Client_Create_Args;
  EXPECT_TRUE(HasField(args, &Args::client));
  EXPECT_FALSE(HasField(args, &Args::kv_try_get_callback));
  args.struct_size = 80;
  EXPECT_TRUE(HasField(args, &Args::kv_try_get_callback));
  EXPECT_FALSE(HasField(args, &Args::kv_try_get_user_arg));
  args.kv_try_get_user_arg = &args;
  EXPECT_EQ(GetField(args, &Args::kv_try_get_user_arg, nullptr), nullptr);
  SetField(args, &Args::kv_try_get_user_arg, nullptr);
  EXPECT_EQ(args.kv_try_get_user_arg, &args);
  args.struct_size = 1000;
  EXPECT_EQ(GetField(args, &Args::kv_try_get_user_arg, nullptr), &args);
}

TEST(Args, WronglyAnnouncedSizes) {
  PJRT_Plugin_Attributes_Args attributes = {};
  attributes.struct_size = 24;
  EXPECT_TRUE(HasField(attributes, &PJRT_Plugin_Attributes_Args::num_attributes));
  attributes.struct_size = 25;
  EXPECT_FALSE(HasField(attributes, &PJRT_Plugin_Attributes_Args::num_attributes));
  PJRT_Device_AddressableMemories_Args memories = {};
  memories.struct_size = 32;
  EXPECT_TRUE(HasField(memories, &PJRT_Device_AddressableMemories_Args::num_memories));
}

TEST(Args, RegistryFacts) {
  EXPECT_STREQ(FunctionOf<PJRT_Client_Create_Args>::kName, "PJRT_Client_Create");
  EXPECT_EQ(FunctionOf<PJRT_Client_Create_Args>::kSlot, 10);
  EXPECT_EQ(StructOf<PJRT_Client_Create_Args>::kMinimumSize, 72u);
  EXPECT_EQ(StructOf<PJRT_ExecuteOptions>::kMinimumSize, 52u);
}

TEST(ExtensionChain, FindsByTypeAndToleratesTheRest) {
  PJRT_Extension_Base nodes[3] = {};
  for (PJRT_Extension_Base& node : nodes) node.struct_size = PJRT_Extension_Base_STRUCT_SIZE;
  nodes[0].type = PJRT_Extension_Type_FFI;
  const int unknown = 4711;
  std::memcpy(&nodes[1].type, &unknown, sizeof(unknown));
  nodes[2].type = PJRT_Extension_Type_Layouts;
  PJRT_Extension_Base* order[] = {&nodes[0], &nodes[1], &nodes[2]};
  const PJRT_Extension_Base* chain = LinkExtensions(order);
  EXPECT_EQ(FindExtension(chain, PJRT_Extension_Type_Layouts), &nodes[2]);
  EXPECT_EQ(FindExtension(chain, PJRT_Extension_Type_Stream), nullptr);
  EXPECT_EQ(FindExtension(nullptr, PJRT_Extension_Type_Stream), nullptr);
  EXPECT_EQ(LinkExtensions({}), nullptr);
  nodes[2].next = &nodes[0];  // A circle.
  EXPECT_EQ(FindExtension(chain, PJRT_Extension_Type_Stream), nullptr);
  nodes[1].struct_size = 8;  // Not a node: its links cannot be trusted.
  EXPECT_EQ(FindExtension(chain, PJRT_Extension_Type_Layouts), nullptr);
}

}  // namespace
}  // namespace plinth
