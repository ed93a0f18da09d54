// SPDX-License-Identifier: Apache-2.0
// What an execution asks of the heap, which is much of the time of a small one.
#ifndef PLINTH_IS_SANITIZED  // Sanitizers have an operator new of their own.

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/pjrt/plugin_test_util.h"

namespace {
thread_local int num_allocations = 0;
}  // namespace

// Visible to libstdc++, which gives back what it got here.
[[gnu::visibility("default")]] void* operator new(size_t size) {
  ++num_allocations;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::visibility("default")]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::visibility("default")]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace plinth::cpu {
namespace {

class ExecutionMemoryTest : public PluginTest {
 protected:
  // Of the second execution on this thread.
  int AllocationsOf(PJRT_LoadedExecutable* executable, const std::vector<PJRT_Buffer*>& arguments,
                    size_t num_outputs) {
    int count = 0;
    for (int run = 0; run < 2; ++run) {
      std::vector<PJRT_Buffer*> outputs(num_outputs);
      std::vector<PJRT_Buffer*> given = arguments;
      count = -num_allocations;
      EXPECT_FALSE(Execute(executable, std::move(given), outputs.data()).has_value());
      count += num_allocations;
      for (PJRT_Buffer* output : outputs) Destroy(output);
    }
    return count;
  }
};

TEST_F(ExecutionMemoryTest, ASmallProgramTakesNothingFromTheHeap) {
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(R"(
    func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %sum = stablehlo.add %x, %y : tensor<8xf32>
      %product = stablehlo.multiply %x, %y : tensor<8xf32>
      return %sum, %product : tensor<8xf32>, tensor<8xf32>
    })",
                       &executable)
                   .has_value());
  PJRT_Buffer *x, *y;
  ASSERT_FALSE(Upload(std::vector<float>(8, 1), &x).has_value());
  ASSERT_FALSE(Upload(std::vector<float>(8, 2), &y).has_value());
  EXPECT_EQ(AllocationsOf(executable, {x, y}, 2), 0);
  Destroy(x);
  Destroy(y);
  Destroy(executable);
}

// A few lists, whatever their length.
TEST_F(ExecutionMemoryTest, AHundredArgumentsTakeAFewLists) {
  std::string parameters, body, results, types;
  for (int i = 0; i < 100; ++i) {
    const char* const comma = i == 0 ? "" : ", ";
    parameters += StrCat(comma, "%x", i, ": tensor<8xf32>");
    body += StrCat("%y", i, " = stablehlo.add %x", i, ", %x", i, " : tensor<8xf32>\n");
    results += StrCat(comma, "%y", i);
    types += StrCat(comma, "tensor<8xf32>");
  }
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(StrCat("func.func @main(", parameters, ") -> (", types, ") {\n", body,
                              "return ", results, " : ", types, "\n}"),
                       &executable)
                   .has_value());
  PJRT_Buffer* x;
  ASSERT_FALSE(Upload(std::vector<float>(8, 1), &x).has_value());
  EXPECT_LE(AllocationsOf(executable, std::vector<PJRT_Buffer*>(100, x), 100), 8);
  Destroy(x);
  Destroy(executable);
}

}  // namespace
}  // namespace plinth::cpu

#endif  // PLINTH_IS_SANITIZED
