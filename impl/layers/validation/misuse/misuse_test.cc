// SPDX-License-Identifier: Apache-2.0
// Runs every wrong program on the CPU plugin through the layer, and compares what it says, word for
// word, with expected.txt.

#include "impl/layers/validation/misuse/misuse.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "gtest/gtest.h"
#include "impl/layers/validation/testing/table_chain.h"
#include "impl/layers/validation/testing/world.h"
#include "plinth/support/str_cat.h"

// Some of the programs leave things behind: that is what is wrong with them.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace plinth::layers::validation {
namespace {

// "0x55d0" becomes "<1>" and so on in the order of appearance; "call #12" is counted from the first
// call of the program, those before it are all "call (setup)".
std::string Normalize(const std::string& line, uint64_t base,
                      std::map<std::string, int>* addresses) {
  std::string out;
  for (size_t i = 0; i < line.size();) {
    if (line.compare(i, 2, "0x") == 0) {
      size_t end = i + 2;
      while (end < line.size() && std::isxdigit(static_cast<unsigned char>(line[end]))) ++end;
      auto [found, is_new] =
          addresses->try_emplace(line.substr(i, end - i), static_cast<int>(addresses->size()) + 1);
      out += StrCat("<", found->second, ">");
      i = end;
    } else if (line[i] == '#') {
      char* end = nullptr;
      uint64_t number = std::strtoull(line.c_str() + i + 1, &end, 10);
      out += number > base ? StrCat("#", number - base) : "(setup)";
      i = static_cast<size_t>(end - line.c_str());
    } else {
      out += line[i++];
    }
  }
  return out;
}

std::map<std::string, std::vector<std::string>> ReadExpected(const std::string& path) {
  std::map<std::string, std::vector<std::string>> expected;
  std::ifstream file(path);
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("  ")) {
      expected[name].push_back(line.substr(2));
    } else if (!line.empty() && line[0] != '#') {
      name = line;
      expected[name];
    }
  }
  return expected;
}

std::vector<std::string> LinesOf(const Misuse& misuse) {
  TableChain chain(CpuPlugin());
  chain.UseValidation(misuse.options);
  bool initialize = std::string(misuse.name) != "not_initialized";
  World world = initialize ? MakeWorld(chain.api()) : World{};
  world.api = chain.api();
  EXPECT_TRUE(chain.TakeLines().empty()) << "the setup of " << misuse.name << " is not right";
  uint64_t base = chain.num_calls();
  misuse.run(&world);
  std::vector<std::string> lines;
  std::map<std::string, int> addresses;
  for (const std::string& line : chain.TakeLines()) {
    lines.push_back(Normalize(line, base, &addresses));
  }
  FreeWorld(&world);
  EXPECT_TRUE(chain.TakeLines().empty()) << "what is left of " << misuse.name << " is not whole";
  return lines;
}

TEST(MisuseTest, EveryProgramGivesItsLine) {
  ASSERT_NE(CpuPlugin(), nullptr);
  auto expected = ReadExpected("misuse/expected.txt");
  std::map<std::string, std::vector<std::string>> found;
  std::set<std::string> requirements;
  for (int i = 0; i < kNumMisuses; ++i) {
    const Misuse& misuse = kMisuses[i];
    found[misuse.name] = LinesOf(misuse);
    EXPECT_EQ(found[misuse.name], expected[misuse.name]) << misuse.name;
    for (const std::string& line : found[misuse.name]) {
      size_t open = line.find('[');
      requirements.insert(line.substr(open + 1, line.find(']') - open - 1));
    }
  }
  EXPECT_EQ(expected.size(), static_cast<size_t>(kNumMisuses))
      << "expected.txt names programs that there are not";
  EXPECT_GE(kNumMisuses, 60);
  EXPECT_GE(requirements.size(), 60u);
  if (HasFailure()) {
    const std::string path = StrCat(::testing::TempDir(), "plinth_misuse_found.", getpid(), ".txt");
    std::ofstream file(path);
    for (const auto& [name, lines] : found) {
      file << name << "\n";
      for (const std::string& line : lines) file << "  " << line << "\n";
    }
    ADD_FAILURE() << "what was found is in " << path;
  }
}

}  // namespace
}  // namespace plinth::layers::validation
