// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/jit/jit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "plinth/support/str_cat.h"

namespace plinth::cuda {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const KernelText> Kernel(int number) {
  auto kernel = std::make_shared<KernelText>();
  kernel->name = StrCat("k", number);
  kernel->text = StrCat("text of k", number, "\n");
  return kernel;
}

// Counts what it compiles; the binary says what it was.
struct FakeCompiler {
  std::atomic<int> calls{0};
  std::string version = "fake 1";
  UnitCompiler Get() {
    return {version,
            [this](const std::string& text,
                   std::span<const std::string> options) -> Expected<std::string> {
              ++calls;
              if (const size_t at = text.find("text of k13\n"); at != std::string::npos) {
                const auto line = std::count(text.begin(), text.begin() + at, '\n') + 1;
                return Internal("kernels.cu(", line, "): this is wrong");
              }
              return StrCat(options[0], " ", text.substr(Prelude().size()));
            }};
  }
};

class JitTest : public testing::Test {
 protected:
  JitTest() {
    std::string pattern = fs::temp_directory_path() / "plinth_jit_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    options_.cache_directory = folder_ + "/cache";
  }
  ~JitTest() override { fs::remove_all(folder_); }

  std::string CompileOne(int number = 1) {
    const std::shared_ptr<const KernelText> kernels[] = {Kernel(number)};
    auto units = Compile(kernels, architecture_, compiler_.Get(), options_);
    if (!units.ok()) return units.status().ToString();
    return units->at(0).binary;
  }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(options_.cache_directory)) {
      files.push_back(entry.path());
    }
    return files;
  }

  std::string folder_;
  Architecture architecture_;
  FakeCompiler compiler_;
  JitOptions options_;
};

TEST_F(JitTest, EqualTextsAreOneKernelAndUnitsAreBounded) {
  std::vector<std::shared_ptr<const KernelText>> kernels;
  for (int i = 20; i < 60; ++i) kernels.push_back(Kernel(20 + i / 2));
  options_.kernels_per_unit = 8;
  auto units = Compile(kernels, architecture_, compiler_.Get(), options_);
  ASSERT_TRUE(units.ok()) << units.status().ToString();
  ASSERT_EQ(units->size(), 3u);
  EXPECT_EQ(units->at(0).kernels.size(), 8u);
  EXPECT_EQ(units->at(2).kernels.size(), 4u);
  EXPECT_EQ(compiler_.calls, 3);
  EXPECT_THAT(units->at(2).binary, testing::HasSubstr("text of k49\n"));
}

TEST_F(JitTest, KeepsWhatItCompiled) {
  const std::string binary = CompileOne();
  EXPECT_EQ(CompileOne(), binary);
  EXPECT_EQ(compiler_.calls, 1);
  // Another architecture, text or version is another binary.
  architecture_.capability = 80;
  EXPECT_NE(CompileOne(), binary);
  CompileOne(2);
  compiler_.version = "fake 2";
  CompileOne(2);
  EXPECT_EQ(compiler_.calls, 4);
}

TEST_F(JitTest, ErrorsAreNotKept) {
  EXPECT_THAT(CompileOne(13), testing::HasSubstr("this is wrong"));
  EXPECT_THAT(CompileOne(13), testing::HasSubstr("this is wrong"));
  EXPECT_EQ(compiler_.calls, 2);
}

TEST_F(JitTest, ErrorsNameTheKernel) {
  for (const int first : {8, 12, 13}) {
    std::vector<std::shared_ptr<const KernelText>> kernels;
    for (int i = first; i < first + 7; ++i) kernels.push_back(Kernel(i));
    const auto units = Compile(kernels, architecture_, compiler_.Get(), options_);
    ASSERT_FALSE(units.ok());
    EXPECT_THAT(std::string(units.status().message()), testing::StartsWith("kernel k13: "));
  }
}

TEST_F(JitTest, DamageIsAMiss) {
  const std::string binary = CompileOne();
  ASSERT_EQ(Files().size(), 1u);
  const fs::path file = Files()[0];
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::string changed = whole;
  changed.back() ^= 1;
  for (const std::string& damaged : {std::string(), whole.substr(0, 10),
                                     whole.substr(0, whole.size() - 1), whole + "x", changed}) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
    const int before = compiler_.calls;
    EXPECT_EQ(CompileOne(), binary);
    EXPECT_EQ(compiler_.calls, before + 1) << damaged.size();
  }
  CompileOne();
  EXPECT_EQ(compiler_.calls, 6);
}

TEST_F(JitTest, WhatOthersMayWriteIsAMiss) {
  CompileOne();
  const fs::path file = Files()[0];
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  CompileOne();
  EXPECT_EQ(compiler_.calls, 2);  // and has replaced it
  CompileOne();
  EXPECT_EQ(compiler_.calls, 2);
  ASSERT_EQ(chmod(options_.cache_directory.c_str(), 0777), 0);
  CompileOne();
  EXPECT_EQ(compiler_.calls, 3);
}

TEST_F(JitTest, LinksPipesAndMissingFoldersAreMisses) {
  CompileOne();
  const fs::path file = Files()[0];
  fs::rename(file, folder_ + "/elsewhere");
  fs::create_symlink(folder_ + "/elsewhere", file);
  CompileOne();
  EXPECT_EQ(compiler_.calls, 2);
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  CompileOne();
  EXPECT_EQ(compiler_.calls, 3);
  options_.cache_directory = "/proc/none/of/this";
  CompileOne();
  CompileOne();
  EXPECT_EQ(compiler_.calls, 5);
}

TEST_F(JitTest, TheOldestGoFirst) {
  CompileOne(100);
  const auto size = static_cast<int64_t>(fs::file_size(Files()[0]));
  const fs::path oldest = Files()[0];
  fs::last_write_time(oldest, fs::last_write_time(oldest) - std::chrono::hours(1));
  options_.cache_bytes = 2 * size + 8;
  CompileOne(101);
  EXPECT_EQ(Files().size(), 2u);
  CompileOne(102);
  EXPECT_EQ(Files().size(), 2u);
  EXPECT_FALSE(fs::exists(oldest));
}

TEST_F(JitTest, WhatAKilledWriterLeftGoesToo) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few = {16, 16};
    setrlimit(RLIMIT_FSIZE, &few);
    CompileOne(100);  // SIGXFSZ
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(Files().size(), 1u);
  const fs::path left = Files()[0];
  fs::last_write_time(left, fs::last_write_time(left) - std::chrono::hours(1));
  CompileOne(101);
  const auto whole = static_cast<int64_t>(fs::file_size(Files()[Files()[0] == left ? 1 : 0]));
  options_.cache_bytes = whole + 8;
  CompileOne(102);
  EXPECT_FALSE(fs::exists(left));
}

TEST(CacheDirectoryOfEnvironment, Choices) {
  setenv("PLINTH_CUDA_CACHE", "/some/where", 1);
  EXPECT_EQ(CacheDirectoryOfEnvironment(), "/some/where");
  for (const char* none : {"off", "0", "relative/path"}) {
    setenv("PLINTH_CUDA_CACHE", none, 1);
    EXPECT_EQ(CacheDirectoryOfEnvironment(), "");
  }
  unsetenv("PLINTH_CUDA_CACHE");
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(CacheDirectoryOfEnvironment(), "/caches/plinth/cuda");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(CacheDirectoryOfEnvironment(), "/home/me/.cache/plinth/cuda");
}

}  // namespace
}  // namespace plinth::cuda
