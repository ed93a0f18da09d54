// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/plugin_chain.h"

#include <memory>
#include <mutex>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layers/test_client.h"
#include "impl/loader/open.h"
#include "plinth/support/extension_chain.h"

// A real plugin through a chain with a layer that passes everything on.
namespace plinth::loader {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OpenOptions Counted() {
  OpenOptions options;
  options.path = PLINTH_TEST_PLUGIN;
  options.layer_specs = {PLINTH_SAMPLE_LAYER};
  return options;
}

void RunAffine(const layers::TestClient& client) {
  PJRT_LoadedExecutable* executable = client.Compile(layers::kAffineProgram);
  const float input[6] = {0, 1, 2, 3, 4, 5};
  PJRT_Buffer* argument = client.FromHost(PJRT_Buffer_Type_F32, input, {2, 3});
  std::vector<PJRT_Buffer*> results = client.Execute(executable, {argument}, 1);
  std::vector<float> output(6);
  client.ToHost(results[0], output.data(), sizeof(input));
  EXPECT_THAT(output, ElementsAre(1, 3, 5, 7, 9, 11));
  client.Destroy(results[0]);
  client.Destroy(argument);
  client.Destroy(executable);
}

TEST(PluginChainTest, RunsAProgramThroughALayer) {
  // The chain lives as long as the process, and its layer goes on logging in later tests.
  struct Log {
    std::mutex mutex;
    std::vector<std::string> lines;
  };
  auto log = std::make_shared<Log>();
  OpenOptions options = Counted();
  options.log = [log](LogLevel, std::string_view line) {
    const std::lock_guard lock(log->mutex);
    log->lines.emplace_back(line);
  };
  Expected<const PJRT_Api*> api = OpenPlugin(options);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  layers::TestChain table(*api);
  { RunAffine(layers::TestClient(table)); }
  const std::lock_guard lock(log->mutex);
  std::string all = StrJoin(log->lines, "\n");
  EXPECT_THAT(all, HasSubstr(StrCat("caller -> ", PLINTH_SAMPLE_LAYER, " -> adapter -> ")));
  EXPECT_THAT(all, HasSubstr("PJRT_LoadedExecutable_Execute")) << "the layer saw nothing";
}

TEST(PluginChainTest, WithoutLayersItIsThePluginsOwnTable) {
  OpenOptions options;
  options.path = PLINTH_TEST_PLUGIN;
  Expected<const PJRT_Api*> api = OpenPlugin(options);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_EQ(*api, layers::TestChain::Open(PLINTH_TEST_PLUGIN));
}

TEST(PluginChainTest, ExtensionsGoThroughTheChain) {
  Expected<const PJRT_Api*> api = OpenPlugin(Counted());
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  const PJRT_Api* own = layers::TestChain::Open(PLINTH_TEST_PLUGIN);
  int nodes = 0;
  for (const auto* node = own->extension_start; node != nullptr; node = node->next) {
    const PJRT_Extension_Base* copy = FindExtension((*api)->extension_start, node->type);
    ASSERT_NE(copy, nullptr) << node->type;
    EXPECT_NE(copy, node);
    EXPECT_EQ(copy->struct_size, node->struct_size);
    ++nodes;
  }
  EXPECT_GT(nodes, 0);
}

TEST(PluginChainTest, OneChainForManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      Expected<const PJRT_Api*> api = OpenPlugin(Counted());
      ASSERT_TRUE(api.ok()) << api.status().ToString();
      layers::TestChain table(*api);
      layers::TestClient client(table);
      for (int n = 0; n < 5; ++n) RunAffine(client);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace plinth::loader
