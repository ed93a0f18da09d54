// SPDX-License-Identifier: Apache-2.0
// How arrays lie on their devices, where a client says so. The bytes that a client reads are
// row-major whatever it said; how they lie is seen in a bitcast, which keeps the memory as it is.
#include "impl/serve/layouts.h"

#include "impl/serve/testing/fixture.h"

namespace plinth::serve {
namespace {

constexpr float kElements[] = {1, 2, 3, 4, 5, 6};
constexpr float kColumnMajor[] = {1, 4, 2, 5, 3, 6};

// Layouts of 2 x 3 as clients write them.
proxy::LayoutProto Compact(std::vector<int32_t> major_to_minor) {
  return {{"xla::ifrt::CompactLayout",
           proxy::Write(proxy::CompactLayoutProto{std::move(major_to_minor), 0})}};
}
proxy::LayoutProto OfPjrt(std::vector<int64_t> minor_to_major,
                          std::vector<std::string> tiles = {}) {
  return {{"xla::ifrt::PjRtLayout",
           proxy::Write(proxy::PjRtLayoutProto{{std::move(minor_to_major), std::move(tiles)}, 0})}};
}

class LayoutsTest : public ServeTest {
 protected:
  LayoutsTest() { client_.Begin(); }

  proxy::ArraySpecProto Spec(std::vector<int64_t> dims, std::optional<std::string> layout) {
    return {ToProto(DType::kF32), {std::move(dims)}, OnDevice(1), std::move(layout)};
  }
  // 2 x 3 in that layout.
  proxy::IfrtResponse MakeIn(uint64_t handle, std::optional<proxy::LayoutProto> layout) {
    EXPECT_TRUE(client_.Store(handle, Bytes(kElements)).ok());
    auto request = Make(handle, {2, 3}, OnDevice(1));
    request.layout = std::move(layout);
    return client_.Ask(request);
  }
  void ExpectMemory(uint64_t array, std::span<const float> memory) {
    EXPECT_EQ(Read(client_, array, next_), Bytes(kElements));
    EXPECT_TRUE(StatusIn(client_.Ask(proxy::BitcastArraysRequest{
                             {array}, {Spec({6}, std::nullopt)}, /*reuse*/ 2, {next_ + 1}}))
                    .ok());
    EXPECT_EQ(Read(client_, next_ + 1, next_ + 2), Bytes(memory));
    next_ += 10;
  }

  TestClient client_{&service_};
  uint64_t next_ = 1000;
};

TEST_F(LayoutsTest, OfArraysFromTheHost) {
  EXPECT_TRUE(StatusIn(MakeIn(1, std::nullopt)).ok());
  ExpectMemory(1, kElements);
  EXPECT_TRUE(StatusIn(MakeIn(2, Compact({1, 0}))).ok());
  ExpectMemory(2, kColumnMajor);
  EXPECT_TRUE(StatusIn(MakeIn(3, OfPjrt({0, 1}))).ok());
  ExpectMemory(3, kColumnMajor);
  EXPECT_TRUE(StatusIn(MakeIn(4, OfPjrt({1, 0}))).ok());
  ExpectMemory(4, kElements);
}

TEST_F(LayoutsTest, OfArraysFromShards) {
  EXPECT_TRUE(client_.Store(1, Bytes(kElements)).ok());
  proxy::ShardsSpec shards;
  shards.addressable_shard_indices = {{{0}}};
  shards.host_buffers = {{ToProto(DType::kF32), {{2, 3}}, 1, std::nullopt}};
  shards.array_spec = Spec({2, 3}, "{0,1}");
  EXPECT_TRUE(
      StatusIn(client_.Ask(proxy::MakeArraysFromHostBufferShardsRequest{{shards}, {5}})).ok());
  ExpectMemory(5, kColumnMajor);
}

TEST_F(LayoutsTest, OfReshards) {
  EXPECT_TRUE(StatusIn(MakeIn(1, std::nullopt)).ok());
  const auto reshard = [&](const char* layout, uint64_t result) {
    return client_.Ask(proxy::ReshardArraysRequest{{1}, {Spec({2, 3}, layout)}, 1, {result}});
  };
  EXPECT_TRUE(StatusIn(reshard("{0,1}", 2)).ok());
  ExpectMemory(2, kColumnMajor);
  EXPECT_TRUE(StatusIn(reshard("{1,0}", 3)).ok());
  ExpectMemory(3, kElements);
  EXPECT_REFUSED(reshard("{0,0}", 4), kInvalidArgument, "no order of the dimensions");
  EXPECT_REFUSED(reshard("{0}", 5), kInvalidArgument, "the layout {0} for 2 dimensions");
  EXPECT_REFUSED(reshard("{1,0:T(8,128)}", 6), kUnimplemented, "tiles");
  EXPECT_REFUSED(reshard("row-major", 7), kUnimplemented, "row-major");
}

TEST_F(LayoutsTest, ThatCannotBe) {
  EXPECT_REFUSED(MakeIn(1, Compact({0})), kInvalidArgument, "the layout {0} for 2 dimensions");
  EXPECT_REFUSED(MakeIn(2, Compact({0, 2})), kInvalidArgument, "no order of the dimensions");
  EXPECT_REFUSED(MakeIn(3, OfPjrt({1, 0}, {"\x08\x08"})), kUnimplemented, "1 tiles");
  EXPECT_REFUSED(MakeIn(4, proxy::LayoutProto{{"xla::ifrt::NewLayout", ""}}), kUnimplemented,
                 "xla::ifrt::NewLayout");
  EXPECT_REFUSED(MakeIn(5, proxy::LayoutProto{{"xla::ifrt::PjRtLayout", "\xff"}}), kInvalidArgument,
                 "");
  EXPECT_TRUE(StatusIn(MakeIn(6, std::nullopt)).ok());
  EXPECT_REFUSED(client_.Ask(proxy::BitcastArraysRequest{{6}, {Spec({6}, "{0}")}, 2, {7}}),
                 kUnimplemented, "a bitcast to the layout {0}");
}

}  // namespace
}  // namespace plinth::serve
