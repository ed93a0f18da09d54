// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/pjrt/client_test_util.h"
#include "reference_plugin/cuda/pjrt/topology.h"

// Programs compiled for GPUs that are described, and run by a client later.
namespace plinth::cuda {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTwice = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.add %x, %x : tensor<4xf32>
  return %z : tensor<4xf32>
})";

class AheadOfTimeTest : public ClientTest {
 protected:
  Expected<std::shared_ptr<const sdk::Executable>> CompileFor(std::string_view topology) {
    PLINTH_ASSIGN_OR_RETURN(auto made, MakeTopology(topology));
    LibraryPlaces places;
    places.asked = {PLINTH_CUDA_SIMULATOR};
    return compiler_.Compile(*made, {"mlir", kTwice}, {}, places);
  }
  AheadOfTimeCompiler compiler_;
};

TEST_F(AheadOfTimeTest, TopologiesHaveNames) {
  for (const char* name : {"", "h200", "H200", "sm_80", "SM_90", "rtx5090"}) {
    const auto topology = MakeTopology(name);
    ASSERT_TRUE(topology.ok()) << topology.status().ToString();
    EXPECT_EQ((*topology)->devices().size(), 1u);
  }
  EXPECT_EQ((*MakeTopology(""))->devices()[0]->info().kind, "NVIDIA H200");
  for (const char* name : {"h2000", "sm_", "sm_9x", "sm_-1", "sm_99999999999", "90"}) {
    const auto topology = MakeTopology(name);
    EXPECT_EQ(topology.status().code(), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_THAT(std::string(MakeTopology("h2000").status().message()),
              AllOf(HasSubstr("h2000"), HasSubstr("h200, "), HasSubstr("sm_90")));
  EXPECT_THAT(std::string(MakeTopology("sm_30").status().message()), HasSubstr("7.5"));
}

TEST_F(AheadOfTimeTest, WhatWasCompiledRunsLater) {
  const auto executable = CompileFor("h200");
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const auto bytes = (*executable)->Serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  // A client that finds no compiler any more.
  Open("");
  auto loaded = client_->Load(*executable, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const auto result = RunLoaded(**loaded);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_THAT(*result, ElementsAre(2, 4, 6, 8));
  auto read = client_->DeserializeAndLoad(*bytes, {}, {});
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_THAT(*RunLoaded(**read), ElementsAre(2, 4, 6, 8));
}

// The binaries travel: nothing is compiled where they are loaded, even where nothing could be.
TEST_F(AheadOfTimeTest, SerializedExecutablesBringTheirBinaries) {
  const auto executable = CompileFor("sm_90");
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const auto bytes = (*executable)->Serialize();
  ASSERT_TRUE(bytes.ok());
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / StrCat("cuda_driver_only_", getpid());
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(PLINTH_CUDA_SIMULATOR "/libcuda.so.1", folder / "libcuda.so.1");
  setenv("PLINTH_SIMULATOR", StrCat("report=", report_.string()).c_str(), 1);
  GpuClientOptions options;
  options.places.asked = {folder.string()};
  auto client = GpuClient::Create(options);
  ASSERT_TRUE(client.ok()) << client.status().ToString();
  client_ = *std::move(client);
  auto read = client_->DeserializeAndLoad(*bytes, {}, {});
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_THAT(*RunLoaded(**read), ElementsAre(2, 4, 6, 8));
  std::filesystem::remove_all(folder);
}

TEST_F(AheadOfTimeTest, AnotherArchitectureIsRefused) {
  const auto executable = CompileFor("a100");
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  Open("");  // of capability 90
  const auto loaded = client_->Load(*executable, {});
  EXPECT_EQ(loaded.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("sm_80"), HasSubstr("sm_90")));
  const auto read = client_->DeserializeAndLoad(*(*executable)->Serialize(), {}, {});
  EXPECT_EQ(read.status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(AheadOfTimeTest, TopologiesOfOtherDevicesAreRefused) {
  for (const char* capability : {"", "9", "9.x", "x.0", "-9.0", "99999999999.0"}) {
    sdk::TopologyInfo info;
    info.devices.emplace_back().attributes = {{"compute_capability", std::string(capability)}};
    const auto compiled =
        compiler_.Compile(sdk::Topology(std::move(info)), {"mlir", kTwice}, {}, {});
    EXPECT_EQ(compiled.status().code(), StatusCode::kFailedPrecondition) << capability;
  }
  const auto nothing = compiler_.Compile(sdk::Topology({}), {"mlir", kTwice}, {}, {});
  EXPECT_EQ(nothing.status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace plinth::cuda
