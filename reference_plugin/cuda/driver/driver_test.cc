// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/driver/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "reference_plugin/cuda/driver/error_latch.h"
#include "reference_plugin/cuda/driver/nvrtc.h"

namespace plinth::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The simulated driver, told by a variable what it is to be.
class DriverTest : public testing::Test {
 protected:
  void SetUp() override { unsetenv("PLINTH_CUDA_LIBRARY_PATH"); }
  void TearDown() override { unsetenv("PLINTH_SIMULATOR"); }

  static Expected<std::shared_ptr<const Driver>> OpenSimulated(const char* options) {
    setenv("PLINTH_SIMULATOR", options, 1);
    LibraryPlaces places;
    places.asked = {PLINTH_CUDA_SIMULATOR};
    return Driver::Open(places);
  }

  static std::string MessageOf(const char* options) {
    const auto driver = OpenSimulated(options);
    EXPECT_EQ(driver.status().code(), StatusCode::kUnavailable);
    return std::string(driver.status().message());
  }
};

TEST_F(DriverTest, OpensADriver) {
  const auto driver = OpenSimulated("devices=2");
  ASSERT_TRUE(driver.ok()) << driver.status().ToString();
  EXPECT_EQ((*driver)->version(), 13000);
  EXPECT_EQ((*driver)->num_devices(), 2);
  EXPECT_THAT((*driver)->path(), HasSubstr("libcuda.so.1"));
}

TEST_F(DriverTest, SaysWhatADriverLacks) {
  EXPECT_THAT(MessageOf("version=12020"),
              AllOf(HasSubstr("is for CUDA 12.2"), HasSubstr("needs one for CUDA 12.4"),
                    HasSubstr("install NVIDIA's driver 550")));
  EXPECT_THAT(MessageOf("init=34"), AllOf(HasSubstr("is the stub"), HasSubstr("LD_LIBRARY_PATH")));
  EXPECT_THAT(MessageOf("init=100"),
              AllOf(HasSubstr("sees no GPU"), HasSubstr("CUDA_VISIBLE_DEVICES"),
                    HasSubstr("CUDA_ERROR_NO_DEVICE (100)")));
  EXPECT_THAT(MessageOf("init=803"), HasSubstr("restart the machine"));
  EXPECT_THAT(MessageOf("init=802"), HasSubstr("nvidia-fabricmanager"));
  EXPECT_THAT(MessageOf("init=804"), HasSubstr("cuda-compat"));
  EXPECT_THAT(MessageOf("init=999"),
              AllOf(HasSubstr("does not start"), HasSubstr("nvidia-modprobe -u")));
  EXPECT_THAT(MessageOf("init=2"), HasSubstr("does not start"));
  EXPECT_THAT(MessageOf("devices=0"), HasSubstr("sees no GPU"));
  EXPECT_THAT(MessageOf("lacks=cuLaunchKernel"), HasSubstr("lacks cuLaunchKernel"));
}

TEST_F(DriverTest, NamesEveryPlaceWhereNoDriverIs) {
  const auto folder = std::filesystem::path(testing::TempDir()) / StrCat("no_driver_", getpid());
  std::filesystem::create_directories(folder);
  LibraryPlaces places;
  places.asked = {folder.string()};
  const LibraryName nothing = {
      "a library", {"libplinth_nothing.so.1"}, {}, {"/nowhere"}, "Install it."};
  const auto library = Open(nothing, places);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), StatusCode::kUnavailable);
  const std::string message(library.status().message());
  EXPECT_THAT(message, AllOf(HasSubstr("a library was not found. Install it."),
                             HasSubstr(folder.string() + "/libplinth_nothing.so.1: not there"),
                             HasSubstr("libplinth_nothing.so.1: cannot open shared object file"),
                             HasSubstr("/nowhere/libplinth_nothing.so.1: not there")));
  // A file that is no library.
  std::ofstream(folder / "libplinth_nothing.so.1") << "text";
  EXPECT_THAT(std::string(Open(nothing, places).status().message()), HasSubstr("file too short"));
  std::filesystem::remove_all(folder);
}

TEST_F(DriverTest, TakesTheFoldersThatItIsTold) {
  const auto missing = LibraryPlaces::OfThisProcess("/nowhere/at/all");
  EXPECT_EQ(missing.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr("cuda_library_path names '/nowhere/at/all', which is no folder"));
  const auto both = LibraryPlaces::OfThisProcess(StrCat("/tmp::", PLINTH_CUDA_SIMULATOR));
  ASSERT_TRUE(both.ok());
  EXPECT_THAT(both->asked, testing::ElementsAre("/tmp", PLINTH_CUDA_SIMULATOR));
  setenv("PLINTH_CUDA_LIBRARY_PATH", "/tmp", 1);
  const auto variable = LibraryPlaces::OfThisProcess("");
  ASSERT_TRUE(variable.ok());
  EXPECT_THAT(variable->asked, testing::ElementsAre("/tmp"));
}

TEST_F(DriverTest, ConvertsStatuses) {
  const auto driver = OpenSimulated("");
  ASSERT_TRUE(driver.ok()) << driver.status().ToString();
  EXPECT_TRUE((*driver)->Check(kCudaSuccess, "x").ok());
  const Status memory = (*driver)->Check(kCudaOutOfMemory, "the allocation");
  EXPECT_EQ(memory.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(memory.message()),
              HasSubstr("the allocation: CUDA_ERROR_OUT_OF_MEMORY (2)"));
  EXPECT_EQ((*driver)->Check(kCudaNoDevice, "x").code(), StatusCode::kUnavailable);
  EXPECT_EQ((*driver)->Check(kCudaInvalidValue, "x").code(), StatusCode::kInternal);
  EXPECT_TRUE(Driver::IsSticky(kCudaIllegalAddress));
  EXPECT_FALSE(Driver::IsSticky(kCudaOutOfMemory));
}

TEST(ErrorLatchTest, KeepsTheFirst) {
  ErrorLatch latch;
  EXPECT_FALSE(latch.is_set());
  EXPECT_TRUE(latch.status().ok());
  EXPECT_EQ(latch.Set(Internal("first")).message(), "first");
  EXPECT_EQ(latch.Set(Internal("second")).message(), "first");
  EXPECT_TRUE(latch.is_set());
}

TEST(NvrtcTest, CompilesAndTellsTheLog) {
  LibraryPlaces places;
  places.asked = {PLINTH_CUDA_SIMULATOR};
  const auto nvrtc = Nvrtc::Open(places);
  ASSERT_TRUE(nvrtc.ok()) << nvrtc.status().ToString();
  EXPECT_EQ((*nvrtc)->version(), 13000);
  const std::string options[] = {"--gpu-architecture=sm_90"};
  const auto binary = (*nvrtc)->Compile("extern \"C\" __global__ void f() {}", options);
  ASSERT_TRUE(binary.ok()) << binary.status().ToString();
  EXPECT_THAT(*binary, HasSubstr("sm_90"));
  const auto wrong = (*nvrtc)->Compile("int a;\n#include <cstdint>\nint b;", options);
  EXPECT_EQ(wrong.status().code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(wrong.status().message()),
              AllOf(HasSubstr("NVRTC_ERROR_COMPILATION"), HasSubstr("no headers to include"),
                    HasSubstr("\n1: int a;\n2: #include <cstdint>\n3: int b;")));
}

TEST(NvrtcTest, IsNoneThatTheDriverIsTooOldFor) {
  LibraryPlaces places;
  places.asked = {PLINTH_CUDA_SIMULATOR};  // of CUDA 13
  EXPECT_TRUE(Nvrtc::Open(places, 13000).ok());
  const ToolkitLibrary library = {"a library", "for a test", "of.so", "nvidia-for-test"};
  EXPECT_THAT(NameFor(library, 12080).files, testing::ElementsAre("of.so.12"));
  EXPECT_THAT(NameFor(library, 0).files, testing::ElementsAre("of.so.13", "of.so.12"));
  EXPECT_THAT(NameFor(library, 0).wheels,
              testing::ElementsAre("nvidia/cu13/lib", "nvidia/for_test/lib"));
  const auto nvrtc = Nvrtc::Open(places, 12080);
  // A machine may have one of CUDA 12.
  if (nvrtc.ok()) {
    EXPECT_LT((*nvrtc)->version(), 13000);
  } else {
    EXPECT_THAT(std::string(nvrtc.status().message()),
                AllOf(HasSubstr("pip install nvidia-cuda-nvrtc-cu12"), HasSubstr("driver 580")));
  }
}

}  // namespace
}  // namespace plinth::cuda
