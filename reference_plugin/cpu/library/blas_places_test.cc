// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/blas_places.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace plinth::cpu::library {
namespace {

namespace fs = std::filesystem;

// A folder of its own, with empty files. (CTest runs this program three times, at once.)
class BlasPlacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ("blas_places_test." + std::to_string(getpid()));
    fs::remove_all(root_);
    Touch("env/lib/python3.11/site-packages/scipy.libs/libscipy_openblas-6cdc.so");
    Touch("env/lib/python3.11/site-packages/scipy.libs/libscipy_openblas64_-32a4.so");
    Touch("env/lib/python3.11/site-packages/scipy.libs/libgfortran-0400.so.5");
    Touch("old/site-packages/scipy.libs/libopenblasp-r0-23e5.3.21.dev.so");
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Path(const std::string& name) const { return root_ / name; }
  void Touch(const std::string& name) {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << '\n';
  }

 private:
  fs::path root_;
};

TEST_F(BlasPlacesTest, WheelThenSystemThenScipysOwn) {
  backend::LibraryPlaces places;
  places.plugin = Path("plugin/site-packages/jax_plugins/p.so");
  places.virtual_env = Path("env");
  places.loaded = {"", "/lib/libc.so.6", Path("old/site-packages/jaxlib/_jax.so"),
                   Path("old/site-packages/numpy/core.so")};
  const std::string env = Path("env/lib/python3.11/site-packages");
  EXPECT_EQ(BlasFiles(places),
            (std::vector<std::string>{
                Path("plugin/site-packages/jax_plugins/libopenblas.so.0"),
                Path("plugin/site-packages/jax_plugins/libscipy_openblas.so"),
                Path("plugin/site-packages/scipy_openblas32/lib/libscipy_openblas.so"),
                env + "/scipy_openblas32/lib/libscipy_openblas.so",
                Path("old/site-packages/scipy_openblas32/lib/libscipy_openblas.so"),
                "libopenblas.so.0",
                env + "/scipy.libs/libscipy_openblas-6cdc.so",
                Path("old/site-packages/scipy.libs/libopenblasp-r0-23e5.3.21.dev.so"),
            }));
}

TEST_F(BlasPlacesTest, NothingButTheSystem) {
  EXPECT_EQ(BlasFiles({}), std::vector<std::string>{"libopenblas.so.0"});
}

TEST_F(BlasPlacesTest, ScipysOwnIsKnownByItsFolder) {
  EXPECT_TRUE(IsScipysOwn("/a/site-packages/scipy.libs/libscipy_openblas-6cdc.so"));
  EXPECT_FALSE(IsScipysOwn("/a/scipy_openblas32/lib/libscipy_openblas.so"));
  EXPECT_FALSE(IsScipysOwn("/a/scipy.libs/b/libscipy_openblas.so"));
  EXPECT_FALSE(IsScipysOwn("libopenblas.so.0"));
}

}  // namespace
}  // namespace plinth::cpu::library
