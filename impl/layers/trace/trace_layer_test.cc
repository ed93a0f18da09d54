// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/trace_layer.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/test_client.h"
#include "impl/layers/trace/handle_table.h"

namespace plinth::layers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fn = reflection::function;

std::string TempPath(std::string_view name) {
  return StrCat(testing::TempDir(), "/plinth_trace_test.", getpid(), ".", name);
}

// Whether Python takes the file for a JSON array, in which `condition` holds for `events`, the
// events, and `n(x)`, the number of events for which x holds.
bool JsonHolds(const std::string& path, const std::vector<std::string>& conditions) {
  std::string script = TempPath("check.py");
  std::ofstream text(script);
  text << "import json\nevents = json.load(open('" << path
       << "'))\nnamed = lambda x: [e for e in events if e['name'] == x]\nspan = lambda c, p: [e "
          "for e "
          "in events if e.get('cat') == c and e['ph'] == p]\n";
  for (const std::string& condition : conditions) text << "assert " << condition << "\n";
  text.close();
  bool holds = std::system(StrCat("python3 ", script).c_str()) == 0;
  std::filesystem::remove(script);
  return holds;
}

std::unique_ptr<Layer> MakeLayer(TestChain& chain, std::string options) {
  Expected<std::unique_ptr<Layer>> layer = CreateTraceLayer(chain.Context(std::move(options)));
  EXPECT_TRUE(layer.ok()) << layer.status().ToString();
  return layer.ok() ? *std::move(layer) : nullptr;
}

const PJRT_Api* Plugin() {
  static const PJRT_Api* api = TestChain::Open(PLINTH_TEST_PLUGIN);
  return api;
}

TEST(HandleTableTest, WhatAClientLentIsGoneWithIt) {
  const reflection::Struct& args =
      reflection::Get(reflection::structure::kPJRT_Client_TopologyDescription_Args);
  const reflection::Field& lent = *reflection::FindField(args, "topology");
  const reflection::Field& own = *reflection::FindField(
      reflection::Get(reflection::structure::kPJRT_TopologyDescription_Create_Args), "topology");
  HandleTable table;
  int client_topology, topology;
  uint64_t first = table.IdOf(lent, &client_topology), second = table.IdOf(own, &topology);
  EXPECT_EQ(table.IdOf(own, &client_topology), first);
  table.ForgetClientOwned();
  EXPECT_NE(table.IdOf(lent, &client_topology), first);
  EXPECT_EQ(table.IdOf(own, &topology), second);
}

TEST(TraceLayerTest, TimelineOfARun) {
  ASSERT_NE(Plugin(), nullptr);
  TestChain chain(Plugin());
  std::string path = TempPath("run.json");
  chain.Use(MakeLayer(chain, "file=" + path));
  {
    TestClient client(chain);
    PJRT_LoadedExecutable* affine = client.Compile(kAffineProgram);
    std::vector<float> x = {1, 2, 3, 4, 5, 6}, y(6);
    PJRT_Buffer* input = client.FromHost(PJRT_Buffer_Type_F32, x.data(), {2, 3});
    for (bool with_events : {true, false}) {
      std::vector<PJRT_Buffer*> outputs = client.Execute(affine, {input}, 1, with_events);
      client.ToHost(outputs[0], y.data(), 24);
      EXPECT_THAT(y, ElementsAre(3, 5, 7, 9, 11, 13));
      client.Destroy(outputs[0]);
    }
    auto error = MakeArgs<PJRT_Buffer_Dimensions_Args>();
    EXPECT_FALSE(client.Call(error).ok());
    client.Destroy(input);
    client.Destroy(affine);
  }
  EXPECT_TRUE(JsonHolds(
      path, {"len(named('PJRT_LoadedExecutable_Execute')) == 2",
             "named('PJRT_Client_BufferFromHostBuffer')[0]['args']['dims'] == [2, 3]",
             "named('PJRT_Client_BufferFromHostBuffer')[0]['args']['type'] == 'F32'",
             "named('PJRT_Buffer_Dimensions')[0]['args']['error'] == 'INVALID_ARGUMENT'",
             "len(span('execution', 'b')) == 2 == len(span('execution', 'e'))",
             "'affine' in span('execution', 'b')[0]['name']", "len(span('transfer', 'e')) == 3",
             "[s['args']['bytes'] for s in span('transfer', 'b')] == [24] * 3",
             // A result has the name under which it is used later.
             "named('PJRT_LoadedExecutable_Execute')[0]['args']['outputs'][0] == "
             "named('PJRT_Buffer_ToHostBuffer')[0]['args']['src']",
             "named('live buffers')[-1]['args']['buffers'] == 0",
             "named('live bytes')[-1]['args']['bytes'] == 0"}));
  std::filesystem::remove(path);
}

TEST(TraceLayerTest, ItsOwnCompletionEventsAreDestroyed) {
  int events = 0;
  TestChain chain([&](int function, void* args) -> PJRT_Error* {
    if (function == fn::kPJRT_LoadedExecutable_Execute) {
      auto& execute = *static_cast<PJRT_LoadedExecutable_Execute_Args*>(args);
      EXPECT_NE(execute.device_complete_events, nullptr);
      execute.device_complete_events[0] = reinterpret_cast<PJRT_Event*>(&events);
      ++events;
    } else if (function == fn::kPJRT_Event_OnReady) {
      auto& ready = *static_cast<PJRT_Event_OnReady_Args*>(args);
      ready.callback(nullptr, ready.user_arg);
    } else if (function == fn::kPJRT_Event_Destroy) {
      --events;
    }
    return nullptr;
  });
  std::string path = TempPath("own.json");
  chain.Use(MakeLayer(chain, "file=" + path));
  PJRT_Buffer** no_outputs = nullptr;
  auto execute = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  execute.num_devices = 1;
  execute.output_lists = &no_outputs;
  EXPECT_EQ(chain(fn::kPJRT_LoadedExecutable_Execute, &execute), nullptr);
  EXPECT_EQ(execute.device_complete_events, nullptr);
  EXPECT_EQ(events, 0);
  std::filesystem::remove(path);
}

TEST(TraceLayerTest, AKilledProcessLeavesAReadableFile) {
  std::string path = TempPath("killed.json");
  pid_t child = fork();
  if (child == 0) {
    TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
    chain.Use(MakeLayer(chain, "file=" + path));
    for (int i = 0; i < 3000; ++i) chain(fn::kPJRT_Plugin_Initialize, nullptr);
    raise(SIGKILL);
  }
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  ASSERT_TRUE(WIFSIGNALED(state));
  EXPECT_TRUE(JsonHolds(path, {"len(named('PJRT_Plugin_Initialize')) == 3000"}));
  std::filesystem::remove(path);
}

TEST(TraceLayerTest, ManyThreads) {
  std::string path = TempPath("threads.json");
  TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
  chain.Use(MakeLayer(chain, "file=" + path));
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t) {
    threads.emplace_back([&chain] {
      for (int i = 0; i < 500; ++i) chain(fn::kPJRT_Plugin_Initialize, nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(JsonHolds(path, {"len(named('PJRT_Plugin_Initialize')) == 10000",
                               "len({e['tid'] for e in named('PJRT_Plugin_Initialize')}) == 20"}));
  std::filesystem::remove(path);
}

TEST(TraceLayerTest, ForkedChildrenAreNotTraced) {
  std::string path = TempPath("forked.json");
  TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
  chain.Use(MakeLayer(chain, "file=" + path));
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 10; ++i) chain(fn::kPJRT_Plugin_Initialize, nullptr);
    _exit(0);
  }
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  chain(fn::kPJRT_Plugin_Initialize, nullptr);
  EXPECT_TRUE(JsonHolds(path, {"len(named('PJRT_Plugin_Initialize')) == 1"}));
  std::filesystem::remove(path);
}

// Threads that call without end, killed where they happen to be: in an event, in growth.
TEST(TraceLayerTest, AKilledProcessLeavesAWholeTimeline) {
  std::string path = TempPath("killed.json");
  for (int round = 0; round < 6; ++round) {
    pid_t child = fork();
    if (child == 0) {
      TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
      chain.Use(MakeLayer(chain, "file=" + path));
      auto call_forever = [&chain] {
        for (;;) chain(fn::kPJRT_Plugin_Initialize, nullptr);
      };
      std::thread other(call_forever);
      call_forever();
    }
    // Two chunks, each of which is there before its first event, and one event. The file grows
    // while it is read.
    std::string text(100'000, ' ');
    std::streamsize size = 0;
    while (size < 100'000 || text.find("PJRT_Plugin_Initialize") == text.npos) {
      std::ifstream file(path);
      size = file.read(text.data(), 100'000).gcount();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(371 * round));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    ASSERT_TRUE(JsonHolds(path, {"len(named('PJRT_Plugin_Initialize')) > 0"})) << round;
    std::filesystem::remove(path);
  }
}

TEST(TraceLayerTest, ALimitOnFilesEndsTheTimelineAlone) {
  std::string path = TempPath("small.json");
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {300'000, 300'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
    chain.Use(MakeLayer(chain, "file=" + path));
    for (int i = 0; i < 20000; ++i) chain(fn::kPJRT_Plugin_Initialize, nullptr);
    _exit(chain.log().size() == 1 && chain.log()[0].find("too large") != std::string::npos ? 0 : 1);
  }
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  EXPECT_TRUE(JsonHolds(path, {"len(named('PJRT_Plugin_Initialize')) > 1000"}));
  std::filesystem::remove(path);
}

TEST(TraceLayerTest, TheLimitEndsTheTimeline) {
  std::string path = TempPath("limit.json");
  TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
  chain.Use(MakeLayer(chain, StrCat("limit=1,file=", path)));
  for (int i = 0; i < 20000; ++i) chain(fn::kPJRT_Plugin_Initialize, nullptr);
  EXPECT_LE(std::filesystem::file_size(path), size_t{1} << 20);
  ASSERT_EQ(chain.log().size(), 1u);
  EXPECT_THAT(chain.log()[0], HasSubstr("limit"));
  EXPECT_TRUE(JsonHolds(path, {"len(named('PJRT_Plugin_Initialize')) > 1000"}));
  std::filesystem::remove(path);
}

// Texts of a plugin may be anything; lists may be long.
TEST(TraceLayerTest, StrangeArguments) {
  std::string path = TempPath("strange.json");
  std::string kind = "a\"\\\n\x01\xff\xc3\xa9\xed\xa0\x80";
  TestChain chain([&](int function, void* args) -> PJRT_Error* {
    if (function == fn::kPJRT_Memory_Kind) {
      static_cast<PJRT_Memory_Kind_Args*>(args)->kind = kind.data();
      static_cast<PJRT_Memory_Kind_Args*>(args)->kind_size = kind.size();
    }
    return nullptr;
  });
  chain.Use(MakeLayer(chain, "file=" + path));
  auto memory_kind = MakeArgs<PJRT_Memory_Kind_Args>();
  chain(fn::kPJRT_Memory_Kind, &memory_kind);
  std::vector<int64_t> dims(2000, -5);
  auto buffer = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  buffer.dims = dims.data();
  buffer.num_dims = dims.size();
  buffer.num_byte_strides = 7;
  std::memset(&buffer.type, 0x7F, sizeof(buffer.type));
  chain(fn::kPJRT_Client_BufferFromHostBuffer, &buffer);
  buffer.struct_size = 20;
  chain(fn::kPJRT_Client_BufferFromHostBuffer, &buffer);
  chain(fn::kPJRT_Client_BufferFromHostBuffer, nullptr);
  chain(fn::kPJRT_Buffer_Destroy, nullptr);
  EXPECT_TRUE(JsonHolds(path, {"len(events) >= 5",
                               "named('PJRT_Memory_Kind')[0]['args']['kind'] "
                               "== 'a\"\\\\\\n\\x01?\\u00e9' + 3 * '?'"}));
  std::filesystem::remove(path);
}

TEST(TraceLayerTest, ErrorsSayWhatIsWrong) {
  TestChain chain([](int, void*) -> PJRT_Error* { return nullptr; });
  std::string path = TempPath("locked.json");
  chain.Use(MakeLayer(chain, "file=" + path));
  struct Case {
    std::string options;
    const char* why;
  };
  for (const Case& c : {
           Case{"", "neither file nor capture"},
           Case{"file", "no value"},
           Case{"file=", "no value"},
           Case{"files=x", "no such option"},
           Case{"file=x,limit=0", "whole number"},
           Case{"file=x,limit=1k", "whole number"},
           Case{"file=x,outputs=some", "read, all or none"},
           Case{"file=/nowhere/at/all.json", "cannot be opened"},
           Case{"file=/dev/null", "regular file"},
           Case{"file=" + path, "%p"},
       }) {
    Expected<std::unique_ptr<Layer>> layer = CreateTraceLayer(chain.Context(c.options));
    ASSERT_FALSE(layer.ok()) << c.options;
    EXPECT_THAT(layer.status().message(), HasSubstr(c.why));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace plinth::layers
