// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/pjrt/num_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace plinth::cpu {
namespace {

using ::testing::HasSubstr;

struct Row {
  const char *jax, *xla;
  int64_t expected;  // 0: refused
  const char* words = "";
};

TEST(NumDevices, AreThoseOfTheEnvironment) {
  for (const Row& row : {
           Row{"", "", 1},
           Row{"", "--xla_force_host_platform_device_count=8", 8},
           Row{"-1", " --xla_a=1\t--xla_force_host_platform_device_count=4 --xla_b", 4},
           Row{"",
               "--xla_force_host_platform_device_count=4 "
               "--xla_force_host_platform_device_count=2",
               2},
           Row{"16", "--xla_force_host_platform_device_count=8", 16},
           Row{"", "--xla_force_host_platform_device_counts=8", 1},
           Row{"", "file_of_flags", 1},
           Row{"0", "", 0, "JAX_NUM_CPU_DEVICES is '0'; expected a number from 1 to 1024"},
           Row{"1025", "", 0, "'1025'"},
           Row{"8x", "", 0, "'8x'"},
           Row{"", "--xla_force_host_platform_device_count=many", 0,
               "--xla_force_host_platform_device_count in the environment variable XLA_FLAGS is "
               "'many'"},
       }) {
    setenv("JAX_NUM_CPU_DEVICES", row.jax, 1);
    setenv("XLA_FLAGS", row.xla, 1);
    const Expected<int64_t> found = NumDevicesFromEnvironment();
    EXPECT_EQ(found.ok() ? *found : 0, row.expected) << row.jax << " and " << row.xla;
    if (found.ok()) continue;
    EXPECT_EQ(found.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(found.status().message()), HasSubstr(row.words));
  }
  unsetenv("JAX_NUM_CPU_DEVICES");
  unsetenv("XLA_FLAGS");
}

}  // namespace
}  // namespace plinth::cpu
