// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference_plugin/compiler/partition/partition.h"
#include "reference_plugin/compiler/testing/partitioned.h"

// In partition_fuzz.cc.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr std::string_view kNumbers[] = {
    "0", "1", "3", "8", "-1", "1048577", "9223372036854775807"};
constexpr size_t kPlaces = 60;  // that are changed, in a file, with each number

void Try(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

// Where numbers stand, and how long they are.
std::vector<std::pair<size_t, size_t>> NumbersOf(const std::string& text) {
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    size_t end = i;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    found.emplace_back(i, end - i);
    i = end;
  }
  return found;
}

// Programs of several devices as JAX writes them, with other numbers, other bytes, and cut off.
TEST(PartitionFuzzTest, ChangedProgramsAreHarmless) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("testdata/partition_fuzz")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string input((std::istreambuf_iterator<char>(file)), {});
    const auto module = plinth::compiler::testing::ReadInlined(std::as_bytes(std::span(input)));
    ASSERT_TRUE(module.ok()) << entry.path() << ": " << module.status().ToString();
    const auto report = plinth::compiler::testing::Partition(**module);
    EXPECT_TRUE(report.ok()) << entry.path() << ": " << report.status().ToString();
    const auto numbers = NumbersOf(input);
    for (size_t i = 0; i < numbers.size(); i += 1 + numbers.size() / kPlaces) {
      for (std::string_view number : kNumbers) {
        Try(std::string(input).replace(numbers[i].first, numbers[i].second, number));
      }
    }
    for (size_t i = 0; i < input.size(); i += 1 + input.size() / kPlaces) {
      std::string changed = input;
      changed[i] = static_cast<char>(changed[i] ^ (1 + i % 31));
      Try(changed);
      Try(input.substr(0, i));
    }
    ++files;
  }
  EXPECT_GT(files, 10);
}

}  // namespace
