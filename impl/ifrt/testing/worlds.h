// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_TESTING_WORLDS_H_
#define PLINTH_IMPL_IFRT_TESTING_WORLDS_H_

#include <algorithm>
#include <string>
#include <vector>

#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {

// Eight devices: of the plugin that the tests run on, of one that compiles no StableHLO and takes
// dense arrays only, and of that one with four devices of another process.
enum class World { kPlugin, kDenseOnly, kFourElsewhere };

std::string NameOf(const ::testing::TestParamInfo<World>& info);

// Tests whose results do not depend on who drives the devices: they look at each shard that is
// here, replicas too.
class WorldTest : public IfrtTest, public ::testing::WithParamInterface<World> {
 protected:
  void SetUp() override;

  // The sharding of a mesh of these devices, cut along its one axis "a" in these dimensions.
  Expected<Sharding> Cut(std::vector<Device> devices, const AxesOfDims& axes = {{"a"}},
                         const std::string& memory_kind = "") const;
  // The box of each shard that is here holds these elements of the whole array, row-major.
  template <typename T>
  void ExpectContents(const Array& array, const std::vector<T>& whole) const;

  std::vector<Device> here_;  // Those of this process, in order.
};

// The elements of a box, row-major.
template <typename T>
std::vector<T> ElementsIn(const IndexDomain& box, const std::vector<int64_t>& dims,
                          const std::vector<T>& whole) {
  std::vector<T> elements;
  std::vector<int64_t> at = box.origin;
  int64_t count = 1;
  for (const int64_t extent : box.extents) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0;
    for (size_t d = 0; d < dims.size(); ++d) place = place * dims[d] + at[d];
    elements.push_back(whole[static_cast<size_t>(place)]);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < box.origin[d] + box.extents[d]) break;
      at[d] = box.origin[d];
    }
  }
  return elements;
}

template <typename T>
void WorldTest::ExpectContents(const Array& array, const std::vector<T>& whole) const {
  const std::vector<int64_t> dims(array.dims().begin(), array.dims().end());
  ASSERT_VALUE(const std::vector<IndexDomain> boxes,
               array.sharding().IndexDomains(dims, /*addressable_only=*/true));
  ASSERT_VALUE(const std::vector<Array> parts, array.Disassemble());
  ASSERT_EQ(parts.size(), boxes.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::vector<T> want = ElementsIn(boxes[i], dims, whole);
    std::vector<T> have(want.size());
    ASSERT_VALUE(const Future<> copied, parts[i].CopyToHost(have.data()));
    ASSERT_OK(copied.Await());
    EXPECT_EQ(have, want) << "shard " << i << " of those here, " << array.sharding().ToString();
  }
}

}  // namespace plinth::ifrt::testing

#endif  // PLINTH_IMPL_IFRT_TESTING_WORLDS_H_
