// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/blas.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace plinth::cpu::library {
namespace {

TEST(Blas, NoneOpensNothing) {
  const auto blas = OpenBlas({"none"});
  ASSERT_FALSE(blas.ok());
  EXPECT_EQ(blas.status().code(), StatusCode::kNotFound);
}

TEST(Blas, ErrorNamesTheFileAskedFor) {
  const auto blas = OpenBlas({"/no/such/libopenblas.so"});
  ASSERT_FALSE(blas.ok());
  EXPECT_NE(blas.status().message().find("/no/such/libopenblas.so: "), std::string::npos);
  EXPECT_NE(blas.status().message().find("PLINTH_BLAS"), std::string::npos);
}

TEST(Blas, LogSaysWhyTheFileAskedForDoesNotServe) {
  const std::string log = ::testing::TempDir() + "/blas_test." + std::to_string(getpid());
  std::remove(log.c_str());
  setenv("PLINTH_LOG", log.c_str(), 1);
  EXPECT_FALSE(OpenBlas({"/no/such/other.so"}).ok());
  unsetenv("PLINTH_LOG");
  std::ifstream file(log);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_EQ(line.rfind("plinth warning: OpenBLAS /no/such/other.so: ", 0), 0u) << line;
}

TEST(Blas, LibraryWithoutTheSymbolsIsRefused) {
  const auto blas = OpenBlas({"libutil.so.1"});
  ASSERT_FALSE(blas.ok());
  EXPECT_NE(blas.status().message().find("cblas_sgemm"), std::string::npos);
}

TEST(Blas, FileLoadedByTheHostIsRefused) {
  const auto blas = OpenBlas({"libc.so.6"});
  ASSERT_FALSE(blas.ok());
  EXPECT_NE(blas.status().message().find("already loaded"), std::string::npos);
}

TEST(Blas, ThreadsAndClientsShareOneLibrary) {
  std::vector<const Blas*> found(4, nullptr);
  std::vector<std::thread> threads;
  for (auto& slot : found) {
    threads.emplace_back([&slot] {
      const auto blas = OpenBlas({});
      if (blas.ok()) slot = *blas;
    });
  }
  for (auto& thread : threads) thread.join();
  ASSERT_NE(found[0], nullptr) << OpenBlas({}).status().message();
  for (const Blas* blas : found) EXPECT_EQ(blas, found[0]);
  // The same file asked for by name.
  const auto named = OpenBlas({found[0]->path});
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(*named, found[0]);

  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4];
  found[0]->sgemm(Blas::kRowMajor, Blas::kNoTranspose, Blas::kTranspose, 2, 2, 2, 1, a, 2, b, 2, 0,
                  c, 2);
  EXPECT_EQ(c[0], 17);
  EXPECT_EQ(c[1], 23);
  EXPECT_EQ(c[2], 39);
  EXPECT_EQ(c[3], 53);
  EXPECT_NE(found[0]->FindSymbol("dpotrf_"), nullptr);
  EXPECT_EQ(found[0]->FindSymbol("no_such_function_"), nullptr);
}

// What `body` returns in a child of fork(), or -1 if it hangs.
template <typename Body>
int InChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The thread that has the lock, and the dynamic loader's, does not exist in the child.
TEST(Blas, ForkWhileAnotherThreadSearches) {
  const std::string pipe = ::testing::TempDir() + "/blas_test.pipe." + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::atomic<pid_t> id{0};
  std::atomic<bool> is_over{false};
  std::thread search([&] {
    id = gettid();
    EXPECT_FALSE(OpenBlas({pipe}).ok());  // dlopen opens it, and waits for who writes.
    is_over = true;
  });
  for (std::string state; state != "S"; std::this_thread::yield()) {
    if (id == 0) continue;
    std::ifstream stat("/proc/self/task/" + std::to_string(id) + "/stat");
    std::string number, name;
    stat >> number >> name >> state;
  }
  EXPECT_EQ(InChild([] {
              const auto blas = OpenBlas({});
              return !blas.ok() && blas.status().message().find("fork") != std::string::npos ? 7
                                                                                             : 8;
            }),
            7);
  // The parent's search ends.
  for (; !is_over; std::this_thread::yield()) {
    const int writer = open(pipe.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (writer >= 0) close(writer);
  }
  search.join();
  unlink(pipe.c_str());
}

TEST(Blas, ChildrenHaveTheLibrariesOfTheirParent) {
  const auto parents = OpenBlas({});
  ASSERT_TRUE(parents.ok()) << parents.status().message();
  EXPECT_EQ(InChild([&] {
              const auto again = OpenBlas({}), named = OpenBlas({(*parents)->path});
              return again.ok() && *again == *parents && named.ok() && *named == *parents ? 7 : 8;
            }),
            7);
}

}  // namespace
}  // namespace plinth::cpu::library
