// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/library_places.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace plinth::backend {
namespace {

namespace fs = std::filesystem;

// A folder of its own.
class LibraryPlacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ("library_places_test." + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
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

bool Has(const std::vector<std::string>& list, const std::string& entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

TEST_F(LibraryPlacesTest, ThisProcessHasLibraries) {
  const LibraryPlaces places = LibraryPlaces::OfThisProcess();
  ASSERT_FALSE(places.plugin.empty());
  EXPECT_EQ(places.plugin.front(), '/');
  EXPECT_TRUE(std::any_of(places.loaded.begin(), places.loaded.end(), [](const std::string& file) {
    return file.find("libc.so") != std::string::npos;
  }));
}

TEST_F(LibraryPlacesTest, SitePackagesInOrder) {
  LibraryPlaces places;
  EXPECT_TRUE(places.SitePackages().empty());
  EXPECT_EQ(places.PluginFolder(), "");
  Touch("env/lib/python3.11/site-packages/x.so");
  Touch("env/lib/python3.9/site-packages/x.so");
  places.plugin = "/plugin/site-packages/jax_plugins/p.so";
  places.virtual_env = Path("env");
  places.loaded = {"", "/lib/libc.so.6", "/old/dist-packages/jaxlib/_jax.so",
                   Path("env/lib/python3.9/site-packages/x.so"),
                   "/old/dist-packages/numpy/core.so"};
  EXPECT_EQ(places.SitePackages(), (std::vector<std::string>{
                                       "/plugin/site-packages",
                                       Path("env/lib/python3.11/site-packages"),
                                       Path("env/lib/python3.9/site-packages"),
                                       "/old/dist-packages",
                                   }));
  EXPECT_EQ(places.PluginFolder(), "/plugin/site-packages/jax_plugins/");
}

// Characters that mean something to glob.
TEST_F(LibraryPlacesTest, FoldersOfAnyName) {
  const std::string folder = "a[b]*?\\c";
  Touch(folder + "/lib/python3.11/site-packages/libx-1.so");
  Touch("ab-other/lib/python3.11/site-packages/libx-2.so");
  LibraryPlaces places;
  places.virtual_env = Path(folder);
  const std::string site = Path(folder + "/lib/python3.11/site-packages");
  EXPECT_EQ(places.SitePackages(), std::vector<std::string>{site});
  EXPECT_EQ(FindMatches(site, "libx-*.so"), std::vector<std::string>{site + "/libx-1.so"});
  EXPECT_TRUE(FindMatches(site, "liby-*.so").empty());
}

// The loader keeps the name that it was given; the working directory changes afterwards.
TEST_F(LibraryPlacesTest, LibrariesOpenedByARelativePath) {
  void* const original = dlopen("libutil.so.1", RTLD_NOW);
  ASSERT_NE(original, nullptr) << dlerror();
  link_map* map = nullptr;
  ASSERT_EQ(dlinfo(original, RTLD_DI_LINKMAP, &map), 0);
  const std::string copy = Path("relative/site-packages/copy.so");
  fs::create_directories(fs::path(copy).parent_path());
  fs::copy_file(map->l_name, copy);
  dlclose(original);

  const fs::path before = fs::current_path();
  fs::current_path(Path(""));
  void* const library = dlopen("relative/site-packages/copy.so", RTLD_NOW);
  fs::current_path(before);
  ASSERT_NE(library, nullptr) << dlerror();
  const LibraryPlaces places = LibraryPlaces::OfThisProcess();
  EXPECT_TRUE(Has(places.loaded, fs::canonical(copy)));
  EXPECT_TRUE(Has(places.SitePackages(), fs::canonical(Path("relative/site-packages"))));
  dlclose(library);
}

}  // namespace
}  // namespace plinth::backend
