// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/hlo_outline.h"

#include <gtest/gtest.h>

#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

#include "plinth/support/xla_messages.h"

namespace plinth::backend {
namespace {

using messages::OpSharding;

// All fields of this number, as bytes.
std::vector<std::string> Fields(const std::string& message, uint32_t number) {
  std::vector<std::string> found;
  protozero::pbf_reader reader(message);
  while (reader.next(number)) found.push_back(reader.get_string());
  return found;
}

OpSharding Tiled(std::vector<int64_t> tiles) {
  OpSharding sharding;
  sharding.kind = OpSharding::Kind::kTiled;
  sharding.tile_dimensions = std::move(tiles);
  sharding.devices = {0, 1};
  return sharding;
}

sdk::ExecutableInfo Info(size_t num_outputs) {
  sdk::ExecutableInfo info;
  info.name = "jit_f";
  info.num_partitions = 2;
  for (int i = 0; i < 3; ++i) {
    info.parameters.push_back({DType::kF32, {4, 2}, nullptr, "device", std::nullopt, false});
  }
  info.parameters[1].sharding = messages::WriteOpSharding(Tiled({2, 1}));
  for (size_t i = 0; i < num_outputs; ++i) {
    const std::string sharding = messages::WriteOpSharding(Tiled({1, 2}));
    info.outputs.push_back({DType::kBF16, {4, 2}, nullptr, "device", sharding, false});
  }
  return info;
}

TEST(HloOutline, HasTheShardingsOfParametersAndOutputs) {
  for (size_t num_outputs : {1, 2}) {
    const std::string bytes = HloOutline(Info(num_outputs));
    const auto modules = Fields(bytes, 1);
    ASSERT_EQ(modules.size(), 1u);
    const auto output = Fields(modules[0], 12);
    ASSERT_EQ(output.size(), 1u);
    const auto read = messages::ReadOpSharding(std::as_bytes(std::span(output[0])));
    ASSERT_TRUE(read.ok());
    OpSharding expected = Tiled({1, 2});
    if (num_outputs == 2) {
      expected = {};
      expected.kind = OpSharding::Kind::kTuple;
      expected.elements.assign(2, Tiled({1, 2}));
    }
    EXPECT_EQ(*read, expected);
    const auto parameters = Fields(modules[0], 14);
    ASSERT_EQ(parameters.size(), 3u);
    EXPECT_EQ(parameters[0], messages::WriteOpSharding({}));
    EXPECT_EQ(parameters[1], messages::WriteOpSharding(Tiled({2, 1})));
  }
}

TEST(HloOutline, SaysOfEachParameterTypeAndName) {
  const std::string bytes = HloOutline(Info(2));
  const std::string module = Fields(bytes, 1)[0];
  const std::string in_config = Fields(Fields(bytes, 2)[0], 1)[0];
  EXPECT_EQ(Fields(module, 4)[0], in_config);
  EXPECT_EQ(Fields(in_config, 1).size(), 3u);
  EXPECT_EQ(Fields(in_config, 3), (std::vector<std::string>{"p0", "p1", "p2"}));
  const std::string result = Fields(in_config, 2)[0];
  EXPECT_EQ(Fields(result, 4).size(), 2u);
  // Three parameters and what stands for the program.
  EXPECT_EQ(Fields(Fields(module, 3)[0], 2).size(), 4u);
}

TEST(HloOutline, SaysNothingOfShardingsThatAreNotKnown) {
  sdk::ExecutableInfo info = Info(1);
  info.outputs[0].sharding.reset();
  info.parameters[1].sharding.reset();
  const std::string module = Fields(HloOutline(info), 1)[0];
  EXPECT_TRUE(Fields(module, 12).empty());
  EXPECT_TRUE(Fields(module, 14).empty());
}

}  // namespace
}  // namespace plinth::backend
