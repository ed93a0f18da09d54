// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/machine_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "plinth/support/str_cat.h"

namespace plinth::backend {
namespace {

constexpr int64_t kMegabyte = 1 << 20;

// A root folder with a /proc and a /sys of a machine with 1000 MB, 600 of them free.
class MachineMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(::testing::TempDir()) /
            StrCat("plinth_machine_memory_test.", getpid(), ".",
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root_);
    Write("proc/meminfo",
          "MemTotal:        1024000 kB\nMemFree:  1 kB\nMemAvailable:     614400 kB\n"
          "SwapFree:         0 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  int64_t Total() { return TotalMemory(root_.string()) / kMegabyte; }
  int64_t Available() { return AvailableMemory(root_.string()) / kMegabyte; }

  std::filesystem::path root_;
};

TEST_F(MachineMemoryTest, OfTheMachine) {
  EXPECT_EQ(Total(), 1000);
  EXPECT_EQ(Available(), 600);
  Write("proc/meminfo", "MemTotal: 1024000 kB\nMemAvailable: 614400 kB\nSwapFree: 102400 kB\n");
  EXPECT_EQ(Available(), 700);
}

TEST_F(MachineMemoryTest, OfAControlGroup) {
  Write("proc/self/cgroup", "0::/outer/inner\n");
  Write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  Write("sys/fs/cgroup/outer/inner/memory.current", "104857600\n");
  EXPECT_EQ(Total(), 1000);
  Write("sys/fs/cgroup/outer/memory.max", "524288000\n");
  Write("sys/fs/cgroup/outer/memory.current", "209715200\n");
  EXPECT_EQ(Total(), 500);
  EXPECT_EQ(Available(), 300);
  // 50, 30 and 20 MB that the kernel takes back.
  Write("sys/fs/cgroup/outer/memory.stat",
        "anon 5\nfile 104857600\ninactive_file 52428800\nactive_file 31457280\n"
        "slab_reclaimable 20971520\nslab_unreclaimable 99\n");
  EXPECT_EQ(Available(), 400);
  Write("sys/fs/cgroup/outer/memory.current", "10485760\n");  // less than what was just taken back
  EXPECT_EQ(Available(), 500);
  Write("proc/meminfo", "MemTotal: 1024000 kB\nMemAvailable: 614400 kB\nSwapFree: 102400 kB\n");
  EXPECT_EQ(Available(), 500);                                 // swap is no memory of a group
  Write("sys/fs/cgroup/outer/memory.current", "629145600\n");  // more than its limit
  EXPECT_EQ(Available(), 0);
}

TEST_F(MachineMemoryTest, OfAContainerOfTheFirstGeneration) {
  // The path is that of the host; what is mounted here is the container's own.
  Write("proc/self/cgroup", "11:cpu,cpuacct:/docker/1\n9:memory:/docker/1\n0::/\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "419430400\n");
  Write("sys/fs/cgroup/memory/memory.usage_in_bytes", "104857600\n");
  EXPECT_EQ(Total(), 400);
  EXPECT_EQ(Available(), 300);
  Write("sys/fs/cgroup/memory/memory.stat",
        "inactive_file 1\nactive_file 1\ntotal_inactive_file 20971520\n"
        "total_active_file 31457280\n");
  EXPECT_EQ(Available(), 350);
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Total(), 1000);
}

TEST_F(MachineMemoryTest, UnreadableFilesLimitNothing) {
  Write("proc/meminfo", "MemTotal: many\n");
  Write("proc/self/cgroup", "nonsense\n::\n0::/../../other\n1:memory:no-slash\n");
  EXPECT_GT(TotalMemory(root_.string()), 64 * kMegabyte);  // of this machine
  EXPECT_EQ(AvailableMemory(root_.string()), std::numeric_limits<int64_t>::max());
}

TEST(MachineMemory, OfThisMachine) {
  EXPECT_GT(TotalMemory(), 64 * kMegabyte);
  EXPECT_GT(AvailableMemory(), 0);
  EXPECT_LE(AvailableMemory(), int64_t{1} << 50);
}

}  // namespace
}  // namespace plinth::backend
