// SPDX-License-Identifier: Apache-2.0
// Frozen plugins are what they say. Their paths come in by name: WINDOW_PLUGIN_FOLDER.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "pjrt_c_api.h"
#include "plinth/support/extension_chain.h"
#include "plinth/support/str_cat.h"

namespace plinth::windows {
namespace {

using ::testing::HasSubstr;

const PJRT_Api* Load(const std::string& revision) {
  const std::string path = std::string(WINDOW_PLUGIN_FOLDER) + "/pjrt_frozen_" + revision + ".so";
  setenv("PLINTH_FROZEN_PLUGIN", PLUGIN_BEHIND, 1);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  return reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"))();
}

// Asks the system, so that what may not be read does not end the test.
bool CanRead(const void* address) {
  char byte;
  iovec local = {&byte, 1};
  iovec remote = {const_cast<void*>(address), 1};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

// Frees the error.
std::string MessageOf(const PJRT_Api* api, PJRT_Error* error) {
  if (error == nullptr) return "no error";
  PJRT_Error_Message_Args args = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                  .extension_start = nullptr,
                                  .error = error,
                                  .message = nullptr,
                                  .message_size = 0};
  api->PJRT_Error_Message(&args);
  std::string message(args.message, args.message_size);
  PJRT_Error_Destroy_Args destroy = {.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE,
                                     .extension_start = nullptr,
                                     .error = error};
  api->PJRT_Error_Destroy(&destroy);
  return message;
}

// A struct of the newest revision that says another size.
template <typename Args>
Args Sized(size_t size) {
  Args args;
  std::memset(&args, 0, sizeof(args));
  args.struct_size = size;
  return args;
}
#define NEW_ARGS(function) Sized<function##_Args>(function##_Args_STRUCT_SIZE)

PJRT_Client* CreateClient(const PJRT_Api* api) {
  auto args = NEW_ARGS(PJRT_Client_Create);
  EXPECT_EQ(api->PJRT_Client_Create(&args), nullptr);
  return args.client;
}

PJRT_Memory* FirstMemory(const PJRT_Api* api, PJRT_Client* client) {
  auto args = NEW_ARGS(PJRT_Client_AddressableMemories);
  args.client = client;
  EXPECT_EQ(api->PJRT_Client_AddressableMemories(&args), nullptr);
  return args.num_addressable_memories == 0 ? nullptr : args.addressable_memories[0];
}

void DestroyClient(const PJRT_Api* api, PJRT_Client* client) {
  auto args = NEW_ARGS(PJRT_Client_Destroy);
  args.client = client;
  EXPECT_EQ(api->PJRT_Client_Destroy(&args), nullptr);
}

struct Known {
  const char* name;
  int minor;
  size_t table;    // of PJRT_Api, as api/history/layouts.json has it
  size_t layouts;  // of the Layouts extension
  bool shardings;
  bool memory_head;
  bool error_head;
};

class Frozen : public testing::TestWithParam<Known> {};

INSTANTIATE_TEST_SUITE_P(Revisions, Frozen,
                         testing::Values(Known{"0.57", 57, 848, 56, false, false, false},
                                         Known{"0.63", 63, 920, 56, false, false, false},
                                         Known{"0.72-b", 72, 944, 56, false, false, false},
                                         Known{"0.78", 78, 976, 64, false, false, false},
                                         Known{"0.90-c", 90, 1064, 72, false, false, false},
                                         Known{"0.104", 104, 1120, 80, true, false, false},
                                         Known{"0.110-b", 110, 1144, 80, true, true, true},
                                         Known{"0.116", 116, 1144, 80, true, true, true}),
                         [](const auto& each) { return "At" + std::to_string(each.param.minor); });

TEST_P(Frozen, TableIsThatOfItsTime) {
  const PJRT_Api* api = Load(GetParam().name);
  ASSERT_NE(api, nullptr);
  EXPECT_EQ(api->struct_size, GetParam().table);
  EXPECT_EQ(api->pjrt_api_version.major_version, 0);
  EXPECT_EQ(api->pjrt_api_version.minor_version, GetParam().minor);
  const char* end = reinterpret_cast<const char*>(api) + GetParam().table;
  EXPECT_TRUE(CanRead(end - 1));
  EXPECT_FALSE(CanRead(end));
}

TEST_P(Frozen, ExtensionsAreThoseOfItsTime) {
  const PJRT_Api* api = Load(GetParam().name);
  ASSERT_NE(api, nullptr);
  const auto* layouts = FindExtension(api->extension_start, PJRT_Extension_Type_Layouts);
  ASSERT_NE(layouts, nullptr);
  EXPECT_EQ(layouts->struct_size, GetParam().layouts);
  EXPECT_FALSE(CanRead(reinterpret_cast<const char*>(layouts) + GetParam().layouts));
  const auto* shardings = FindExtension(api->extension_start, PJRT_Extension_Type_Shardings);
  EXPECT_EQ(shardings != nullptr, GetParam().shardings);
}

TEST_P(Frozen, HandlesHaveHeadsFromTheirMinorOn) {
  const PJRT_Api* api = Load(GetParam().name);
  ASSERT_NE(api, nullptr);
  auto initialize = Sized<PJRT_Plugin_Initialize_Args>(1);
  PJRT_Error* error = api->PJRT_Plugin_Initialize(&initialize);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(CanRead(error), GetParam().error_head);
  EXPECT_THAT(MessageOf(api, error),
              HasSubstr("Unexpected PJRT_Plugin_Initialize_Args size: expected 16, got 1"));
  PJRT_Client* client = CreateClient(api);
  PJRT_Memory* memory = FirstMemory(api, client);
  EXPECT_EQ(CanRead(memory), GetParam().memory_head);
  EXPECT_EQ(FirstMemory(api, client), memory);
  DestroyClient(api, client);
}

TEST(FrozenTest, TakesTheSizeOfItsRevisionAndNoLess) {
  const PJRT_Api* api = Load("0.57");
  ASSERT_NE(api, nullptr);
  auto args = Sized<PJRT_Client_Create_Args>(71);
  EXPECT_THAT(MessageOf(api, api->PJRT_Client_Create(&args)),
              HasSubstr("PJRT_Client_Create_Args size: expected 72, got 71"));
  args = Sized<PJRT_Client_Create_Args>(72);
  ASSERT_EQ(api->PJRT_Client_Create(&args), nullptr);
  DestroyClient(api, args.client);
}

TEST(FrozenTest, DoesNotTouchWhatItsRevisionDoesNotHave) {
  const PJRT_Api* api = Load("0.104");
  ASSERT_NE(api, nullptr);
  PJRT_Client* client = CreateClient(api);
  auto devices = NEW_ARGS(PJRT_Client_AddressableDevices);
  devices.client = client;
  ASSERT_EQ(api->PJRT_Client_AddressableDevices(&devices), nullptr);
  auto stats = NEW_ARGS(PJRT_Device_MemoryStats);
  stats.device = devices.addressable_devices[0];
  stats.peak_allocated_bytes = 4711;  // since 0.113
  PJRT_Error* error = api->PJRT_Device_MemoryStats(&stats);
  if (error != nullptr) MessageOf(api, error);
  EXPECT_EQ(stats.peak_allocated_bytes, 4711);
  EXPECT_EQ(stats.struct_size, size_t{PJRT_Device_MemoryStats_Args_STRUCT_SIZE});
  DestroyClient(api, client);
}

TEST(FrozenTest, RefusesElementTypesOfLaterRevisions) {
  const PJRT_Api* api = Load("0.57");
  ASSERT_NE(api, nullptr);
  PJRT_Client* client = CreateClient(api);
  auto args = NEW_ARGS(PJRT_Client_BufferFromHostBuffer);
  const char byte = 0;
  args.client = client;
  args.data = &byte;
  args.type = PJRT_Buffer_Type_F4E2M1FN;
  args.memory = FirstMemory(api, client);
  EXPECT_THAT(MessageOf(api, api->PJRT_Client_BufferFromHostBuffer(&args)),
              HasSubstr("element type 29 is unknown at 0.57"));
  DestroyClient(api, client);
}

TEST(FrozenTest, SaysWhatIsMissingBehindIt) {
  // A library of its own, which no other test has loaded.
  const std::string copy = StrCat(testing::TempDir(), "/pjrt_frozen_alone.", getpid(), ".so");
  std::filesystem::remove_all(copy);
  const std::string command = "cp " WINDOW_PLUGIN_FOLDER "/pjrt_frozen_0.63.so " + copy;
  ASSERT_EQ(std::system(command.c_str()), 0);
  setenv("PLINTH_FROZEN_PLUGIN", "/nowhere/plugin.so", 1);
  void* library = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const PJRT_Api* api = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"))();
  ASSERT_NE(api, nullptr);
  auto args = NEW_ARGS(PJRT_Plugin_Initialize);
  EXPECT_THAT(MessageOf(api, api->PJRT_Plugin_Initialize(&args)), HasSubstr("/nowhere/plugin.so"));
  std::filesystem::remove(copy);
}

}  // namespace
}  // namespace plinth::windows
