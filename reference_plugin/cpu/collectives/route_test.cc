// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/collectives/route.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::cpu::collectives {
namespace {

using backend::CollectiveStep;
using compiler::Begins;
using compiler::Dims;
using compiler::Redistribution;

constexpr int32_t kNothing = std::numeric_limits<int32_t>::min();

// What each rank has of one array, and the window that it gets.
struct Setting {
  Redistribution::Source source;
  Begins windows;
  Dims part, window;
  int64_t ranks = 1;
};

int64_t NumElements(const Dims& dims) {
  int64_t count = 1;
  for (int64_t extent : dims) count *= extent;
  return count;
}

// Calls visit(index, number) for each element.
template <typename Visit>
void ForEachElement(const Dims& dims, const Visit& visit) {
  for (int64_t number = 0; number < NumElements(dims); ++number) {
    Dims index = dims;
    int64_t rest = number;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
    visit(index, static_cast<size_t>(number));
  }
}

class Fleet {
 public:
  // `differ`: copies of a part have other numbers on each rank.
  Fleet(const Setting& setting, bool differ) : setting_(setting) {
    const auto ranks = static_cast<size_t>(setting.ranks);
    for (size_t rank = 0; rank < ranks; ++rank) {
      std::vector<int32_t>& array = arrays_.emplace_back(NumElements(setting.part));
      ForEachElement(setting.part, [&](Dims index, size_t number) {
        int64_t place = differ ? static_cast<int64_t>(rank) : 0;
        for (size_t d = 0; d < index.size(); ++d) {
          place = 100 * place + setting.source.parts.Of(static_cast<int64_t>(rank), d) + index[d];
        }
        array[number] = static_cast<int32_t>(place);
      });
      results_.emplace_back(NumElements(setting.window), kNothing);
    }
    for (std::vector<int32_t>& array : arrays_) operands_.push_back(array.data());
    for (size_t rank = 0; rank < ranks; ++rank) members_.push_back({{&operands_[rank], 1}, {}});
  }

  // In a few calls, each of some pieces.
  void Run(const Route& route, std::mt19937& random) {
    for (int64_t target = 0; target < setting_.ranks; ++target) {
      auto* const to = reinterpret_cast<std::byte*>(results_[static_cast<size_t>(target)].data());
      const int64_t pieces = route.NumPieces(target);
      for (int64_t begin = 0, end = 0; begin < pieces; begin = end) {
        end = std::min<int64_t>(pieces, begin + 1 + static_cast<int64_t>(random() % 7));
        route.Copy(target, begin, end, members_, to);
      }
    }
  }

  const std::vector<int32_t>& Result(int64_t rank) const {
    return results_[static_cast<size_t>(rank)];
  }

  // Every element is looked for on every rank.
  std::vector<int32_t> Expected(int64_t target) const {
    std::vector<int32_t> expected;
    ForEachElement(setting_.window, [&](Dims index, size_t) {
      for (size_t d = 0; d < index.size(); ++d) index[d] += setting_.windows.Of(target, d);
      expected.push_back(Find(index));
    });
    return expected;
  }

 private:
  int32_t Find(const Dims& index) const {
    for (int64_t rank = 0; rank < setting_.ranks; ++rank) {
      int64_t at = 0;
      bool is_there = true;
      for (size_t d = 0; d < index.size(); ++d) {
        const int64_t within = index[d] - setting_.source.parts.Of(rank, d);
        is_there &= within >= 0 && within < setting_.part[d] &&
                    index[d] >= setting_.source.low[d] && index[d] < setting_.source.high[d];
        at = at * setting_.part[d] + within;
      }
      if (is_there) return arrays_[static_cast<size_t>(rank)][static_cast<size_t>(at)];
    }
    return kNothing;
  }

  const Setting& setting_;
  std::vector<std::vector<int32_t>> arrays_, results_;
  std::vector<void*> operands_;
  std::vector<CollectiveStep::Participant> members_;
};

// Axes of a group, each along a dimension, or along none.
Setting RandomSetting(std::mt19937& random) {
  const auto below = [&](int64_t end) {
    return static_cast<int64_t>(random() % static_cast<uint32_t>(end));
  };
  Setting setting;
  const int64_t num_dims = below(4);
  for (int64_t d = 0; d < num_dims; ++d) {
    setting.part.push_back(below(8) == 0 ? 0 : 1 + below(3));
    setting.window.push_back(below(2) == 0 ? setting.part.back() : 1 + below(5));
    setting.source.parts.first.push_back(below(5) - 2);
    setting.windows.first.push_back(below(5) - 2);
    setting.source.low.push_back(below(4) == 0 ? below(4) : -10);
    setting.source.high.push_back(below(4) == 0 ? below(8) : 100);
  }
  Dims further = setting.part;
  for (int64_t axes = below(4); axes-- > 0;) {
    const int64_t size = 2 + below(2);
    if (const int64_t dim = below(num_dims + 1); dim < num_dims) {
      const auto d = static_cast<size_t>(dim);
      setting.source.parts.digits.push_back({setting.ranks, size, d, further[d]});
      further[d] *= size;
    }
    if (const int64_t dim = below(num_dims + 1); dim < num_dims) {
      setting.windows.digits.push_back(
          {setting.ranks, size, static_cast<size_t>(dim), below(7) - 2});
    }
    setting.ranks *= size;
  }
  return setting;
}

Route RouteOf(const Setting& setting) {
  return Route(0, setting.source, setting.windows, setting.part, setting.window, sizeof(int32_t),
               setting.ranks);
}

TEST(Route, GivesEachWindowWhatIsInIt) {
  std::mt19937 random(1);
  int64_t copied = 0;
  for (int round = 0; round < 500; ++round) {
    const Setting setting = RandomSetting(random);
    const Route route = RouteOf(setting);
    Fleet fleet(setting, false);
    fleet.Run(route, random);
    for (int64_t rank = 0; rank < setting.ranks; ++rank) {
      const std::vector<int32_t> expected = fleet.Expected(rank);
      EXPECT_EQ(fleet.Result(rank), expected) << "round " << round << ", rank " << rank;
      const int64_t found = std::ssize(expected) - std::ranges::count(expected, kNothing);
      EXPECT_EQ(route.NumElements(rank), found) << "round " << round << ", rank " << rank;
      copied += found;
    }
  }
  EXPECT_GT(copied, 1000);
}

// Two parts, of each two copies.
TEST(Route, TakesTheCopyThatIsNearest) {
  Setting setting;
  setting.ranks = 4;
  setting.part = {2};
  setting.window = {4};
  setting.source.parts = {{0}, {{1, 2, 0, 2}}};
  setting.source.low = {0};
  setting.source.high = {4};
  setting.windows = {{0}, {}};
  std::mt19937 random(1);
  Fleet fleet(setting, true);
  fleet.Run(RouteOf(setting), random);
  EXPECT_EQ(fleet.Result(0), (std::vector<int32_t>{0, 1, 102, 103}));
  EXPECT_EQ(fleet.Result(1), fleet.Result(0));
  EXPECT_EQ(fleet.Result(2), (std::vector<int32_t>{200, 201, 302, 303}));
  EXPECT_EQ(fleet.Result(3), fleet.Result(2));
}

}  // namespace
}  // namespace plinth::cpu::collectives
