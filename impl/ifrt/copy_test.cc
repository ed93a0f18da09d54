// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

class CopyTest : public IfrtTest {};

TEST_F(CopyTest, GoesToOtherDevicesInOrder) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  const std::vector<Device> reversed = DevicesOf({7, 2, 1, 0});
  ASSERT_VALUE(const Array copy, array.CopyTo(reversed));
  EXPECT_EQ(copy.sharding().devices(), reversed);
  ASSERT_VALUE(const std::vector<int32_t> elements, copy.ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(8));
  // Every memory of every device.
  for (const std::string& kind : devices_[0].memory_kinds()) {
    ASSERT_VALUE(const Array there, array.CopyTo({}, kind));
    EXPECT_EQ(there.sharding().memory_kind(), kind);
    ASSERT_VALUE(const Array back, there.CopyTo(reversed, "device", Copy::kReuse));
    ASSERT_VALUE(const std::vector<int32_t> moved, back.ToHost<int32_t>());
    EXPECT_EQ(moved, Iota(8));
  }
}

TEST_F(CopyTest, SemanticsAreReal) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  ASSERT_VALUE(const Array always, array.CopyTo({}, "", Copy::kAlways));
  ASSERT_VALUE(const Array shared, array.CopyTo({}, "", Copy::kReuse));
  // The memory of a shared shard goes with its last array.
  array.Delete();
  ASSERT_VALUE(const std::vector<int32_t> still, shared.ToHost<int32_t>());
  EXPECT_EQ(still, Iota(8));
  // One shard stays where it is; all of the input is gone all the same.
  ASSERT_VALUE(const Array donated, always.CopyTo(DevicesOf({0, 5, 6, 7}), "", Copy::kDonate));
  EXPECT_TRUE(always.is_deleted());
  EXPECT_FALSE(shared.is_deleted()) << "the copy was none";
  ASSERT_VALUE(const std::vector<int32_t> moved, donated.ToHost<int32_t>());
  EXPECT_EQ(moved, Iota(8));
  EXPECT_EQ(always.CopyTo({}, "", Copy::kDonate).status().code(), kInvalid);
  // What is donated is gone for all who share it.
  ASSERT_VALUE(const Array sharer, donated.CopyTo({}, "", Copy::kReuse));
  ASSERT_VALUE(const Array last, donated.CopyTo({}, "", Copy::kDonate));
  EXPECT_TRUE(sharer.is_deleted());
  ASSERT_VALUE(const std::vector<int32_t> end, last.ToHost<int32_t>());
  EXPECT_EQ(end, Iota(8));
}

TEST_F(CopyTest, DonatedTwiceInOneCall) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  const Array twice[] = {array, array};
  const Sharding to[] = {rows, rows};
  ExpectInvalid(client_->Reshard(twice, to, Copy::kDonate).status(), "array 1, s32[8]");
  EXPECT_FALSE(array.is_deleted());
}

TEST_F(CopyTest, WrongCopies) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  ExpectInvalid(array.CopyTo(DevicesOf({0, 1})).status(), "over 4 needs 4 devices, not 2");
  ExpectInvalid(array.CopyTo(DevicesOf({0, 1, 2, 2})).status(), "is twice in the devices");
  ASSERT_VALUE(const Client other, Client::Create({.plugin = PluginPath()}));
  ExpectInvalid(other.CopyTo({&array, 1}, {}).status(), "array 0, s32[8]");
  std::vector<Device> others = DevicesOf({0, 1, 2});
  others.push_back(other.devices()[0]);
  ExpectInvalid(array.CopyTo(others).status(), "is of another client");
  EXPECT_FALSE(array.is_deleted());
  ExpectInvalid(array.CopyTo({}, "no such memory").status(), "no such memory");
  ASSERT_VALUE(const Array elsewhere, array.CopyTo(DevicesOf({4, 5, 6, 7})));
  const Array both[] = {array, elsewhere};
  ExpectInvalid(client_->CopyTo(both, {}).status(), "different places");
  ExpectInvalid(array.CopyTo({}, "", static_cast<Copy>(9)).status(), "copy semantics 9");
}

TEST_F(CopyTest, SeveralArraysAtOnce) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array eight, MakeIota({8}, rows));
  ASSERT_VALUE(const Array seven, MakeIota({7}, rows));
  const Array both[] = {eight, seven};
  ASSERT_VALUE(const std::vector<Array> moved, client_->CopyTo(both, DevicesOf({7, 6, 5, 4})));
  ASSERT_EQ(moved.size(), 2u);
  EXPECT_EQ(moved[1].sharding().devices(), DevicesOf({7, 6, 5, 4}));
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_VALUE(const std::vector<int32_t> elements, moved[i].ToHost<int32_t>());
    EXPECT_EQ(elements, Iota(8 - i));
  }
}

TEST_F(CopyTest, TakesApartAndPutsTogether) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array, MakeIota({7}, rows));
  ASSERT_VALUE(std::vector<Array> parts, array.Disassemble());
  ASSERT_EQ(parts.size(), 4u);
  ASSERT_VALUE(const std::vector<int32_t> last, parts[3].ToHost<int32_t>());
  EXPECT_EQ(last, std::vector<int32_t>{6});
  const ArraySpec spec = {PJRT_Buffer_Type_S32, {7}, rows};
  ASSERT_VALUE(const Array again, client_->Assemble(spec, parts));
  ASSERT_VALUE(const std::vector<int32_t> elements, again.ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(7));
  std::swap(parts[0], parts[1]);
  ExpectInvalid(client_->Assemble(spec, parts).status(), "array 0 to be a shard: ");
  std::swap(parts[0], parts[1]);
  ExpectInvalid(client_->Assemble({PJRT_Buffer_Type_F32, {7}, rows}, parts).status(),
                "its type is s32, not f32");
  ExpectInvalid(client_->Assemble({PJRT_Buffer_Type_S32, {8}, rows}, parts).status(),
                "array 3 to be a shard: its shape is [1]");
  parts.pop_back();
  ExpectInvalid(client_->Assemble(spec, parts).status(), "3 arrays are to be the shards of s32[7]");
  ExpectInvalid(array.ReplicatedShard().status(), "one shard of s32[7]");
  ASSERT_VALUE(const Sharding replicated, client_->Replicated(devices_));
  ASSERT_VALUE(const Array everywhere, MakeIota({3}, replicated));
  ASSERT_VALUE(const Array one, everywhere.ReplicatedShard(Copy::kDonate));
  EXPECT_TRUE(everywhere.is_deleted());
  ASSERT_VALUE(const std::vector<int32_t> whole, one.ToHost<int32_t>());
  EXPECT_EQ(whole, Iota(3));
}

}  // namespace
}  // namespace plinth::ifrt::testing
