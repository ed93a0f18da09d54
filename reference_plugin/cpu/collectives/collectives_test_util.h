// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_COLLECTIVES_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_COLLECTIVES_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/testing/fleet.h"

namespace plinth::cpu::collectives {

using backend::Fleet;

inline std::string Module(int replicas, int partitions, std::string_view argument,
                          std::string_view result, std::string_view body) {
  return StrCat("module attributes {mhlo.num_replicas = ", replicas,
                " : i32, mhlo.num_partitions = ", partitions,
                " : i32} {\nfunc.func @main(%a: tensor<", argument, ">) -> tensor<", result,
                "> {\n", body, "\nreturn %0 : tensor<", result, ">\n}\n}");
}

inline std::string Region(std::string_view op, std::string_view type) {
  return StrCat("({\n^bb0(%x: tensor<", type, ">, %y: tensor<", type, ">):\n %s = stablehlo.", op,
                " %x, %y : tensor<", type, ">\n stablehlo.return %s : tensor<", type, ">\n})");
}

// Of all partitions, unless `groups` says otherwise.
inline std::string AllReduce(std::string_view op, int64_t count, std::string_view type,
                             std::string_view groups = "dense<> : tensor<0x0xi64>",
                             std::string_view result = "%0", std::string_view operand = "%a") {
  return StrCat(result, " = \"stablehlo.all_reduce\"(", operand, ") <{replica_groups = ", groups,
                ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, "
                "use_global_device_ids}> ",
                Region(op, type), " : (tensor<", count, "x", type, ">) -> tensor<", count, "x",
                type, ">");
}

// Each lane has other numbers.
template <typename T = float>
std::vector<std::vector<T>> Numbers(size_t lanes, size_t count) {
  std::vector<std::vector<T>> numbers(lanes, std::vector<T>(count));
  for (size_t lane = 0; lane < lanes; ++lane) {
    for (size_t i = 0; i < count; ++i) {
      numbers[lane][i] = static_cast<T>((7 * i + 13 * lane + lane * i % 5) % 50);
    }
  }
  return numbers;
}

template <typename T>
std::vector<std::vector<T>> MustRun(Fleet& fleet, std::string_view text,
                                    const std::vector<std::vector<T>>& inputs, DType dtype) {
  auto executable = fleet.Compile(text);
  EXPECT_TRUE(executable.ok()) << executable.status().ToString() << text;
  if (!executable.ok()) return {};
  auto outputs = fleet.Run<T>(**executable, inputs, dtype);
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  return outputs.ok() ? *outputs : std::vector<std::vector<T>>();
}

template <typename T>
std::vector<T> SumOf(const std::vector<std::vector<T>>& numbers, std::vector<size_t> lanes) {
  std::vector<T> sum(numbers[0].size(), T{});
  for (size_t lane : lanes) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<T>(sum[i] + numbers[lane][i]);
  }
  return sum;
}

}  // namespace plinth::cpu::collectives

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_COLLECTIVES_TEST_UTIL_H_
