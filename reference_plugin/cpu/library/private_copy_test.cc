// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/private_copy.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "reference_plugin/cpu/library/blas.h"
#include "reference_plugin/cpu/library/blas_places.h"

namespace plinth::cpu::library {
namespace {

// The library that SciPy brings, which JAX and so the tests' environment has.
std::string ScipysLibrary() {
  backend::LibraryPlaces places;
  places.virtual_env = backend::LibraryPlaces::OfThisProcess().virtual_env;
  // Tests run in the folder of their sources, by ctest alone too.
  if (places.virtual_env.empty()) places.virtual_env = "../../../build/venv";
  for (const std::string& file : BlasFiles(places)) {
    if (IsScipysOwn(file)) return file;
  }
  return "";
}

int NumThreads(void* library, const char* name) {
  void* const function = dlsym(library, name);
  return function == nullptr ? -1 : reinterpret_cast<int (*)()>(function)();
}

// With the same file open already under its own name, for all to see: the worst case.
TEST(PrivateCopy, ScipysThreadsStayAsTheyAre) {
  const std::string path = ScipysLibrary();
  ASSERT_FALSE(path.empty()) << "no SciPy in $VIRTUAL_ENV";
  void* const scipys = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(scipys, nullptr) << dlerror();
  constexpr const char* kGet = "scipy_openblas_get_num_threads";
  reinterpret_cast<void (*)(int)>(dlsym(scipys, "scipy_openblas_set_num_threads"))(3);
  ASSERT_EQ(NumThreads(scipys, kGet), 3);

  const auto ours = OpenBlas({path});
  ASSERT_TRUE(ours.ok()) << ours.status().message();
  EXPECT_NE((*ours)->handle, scipys);
  EXPECT_EQ(NumThreads((*ours)->handle, kGet), 1);
  EXPECT_EQ(NumThreads(scipys, kGet), 3);
  // What is asked for again is not copied again.
  EXPECT_EQ(*OpenBlas({path}), *ours);
  // It computes, with what LAPACK needs of its neighbours.
  const auto potrf =
      reinterpret_cast<void (*)(const char*, const int*, double*, const int*, int*, size_t)>(
          (*ours)->FindSymbol("dpotrf_"));
  ASSERT_NE(potrf, nullptr);
  double a[] = {4, 2, 0, 5};
  const int n = 2;
  int info = -1;
  potrf("L", &n, a, &n, &info, 1);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(a[3], 2);
  EXPECT_NE((*ours)->FindSymbol("zgesdd_"), nullptr);
}

// Whoever loads the library later, by the name that other libraries know it by, gets its own.
TEST(PrivateCopy, HasNoNameForOthers) {
  const std::string path = ScipysLibrary();
  ASSERT_FALSE(path.empty()) << "no SciPy in $VIRTUAL_ENV";
  const auto first = OpenPrivateCopy(path);
  ASSERT_TRUE(first.ok()) << first.status().message();
  const auto second = OpenPrivateCopy(path);
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_NE(*first, *second);
  const std::string name = std::filesystem::path(path).filename();
  void* const by_name = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  EXPECT_NE(by_name, *first);
  EXPECT_NE(by_name, *second);
}

TEST(PrivateCopy, SaysWhatIsWrong) {
  const std::string folder = ::testing::TempDir();
  const std::string text = folder + "/private_copy_test." + std::to_string(getpid());
  const std::string empty = text + ".empty";
  std::ofstream(text) << "no library";
  std::ofstream(empty).flush();
  struct Case {
    std::string path;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {"/no/such/file", "No such file"},
           {folder, "not a file"},
           {text, "not a shared library"},
           {empty, "mapped"},
           {"/proc/self/exe", "DT_SONAME"},
       }) {
    const auto opened = OpenPrivateCopy(c.path);
    ASSERT_FALSE(opened.ok()) << c.path;
    EXPECT_NE(opened.status().message().find(c.message), std::string::npos)
        << opened.status().message();
  }
}

// A library that was cut off, or has bytes that lead elsewhere, is an error or the loader's matter;
// its own tables are never read outside of the file.
TEST(PrivateCopy, HeadersThatLeadNowhere) {
  const std::string path =
      ::testing::TempDir() + "/private_copy_test." + std::to_string(getpid()) + ".so";
  std::ifstream library("/proc/self/exe", std::ios::binary);
  std::string bytes(4096, '\0');
  library.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  for (size_t at :
       {32, 56, 64 + 8, 64 + 32}) {  // program headers: offset, count; the first of them
    std::string wrong = bytes;
    wrong.replace(at, 4, "\xff\xff\xff\x7f");
    for (size_t size : {size_t{40}, size_t{64}, size_t{200}, wrong.size()}) {
      std::ofstream(path, std::ios::binary | std::ios::trunc) << wrong.substr(0, size);
      EXPECT_FALSE(OpenPrivateCopy(path).ok()) << at << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace plinth::cpu::library
