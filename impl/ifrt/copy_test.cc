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
  EXPECT_EQ(client_->Reshard(twice, to, Copy::kDonate).status().code(), kInvalid);
  EXPECT_FALSE(array.is_deleted());
}

TEST_F(CopyTest, WrongCopies) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  EXPECT_EQ(array.CopyTo(DevicesOf({0, 1})).status().code(), kInvalid);
  EXPECT_EQ(array.CopyTo({}, "no such memory").status().code(), kInvalid);
  ASSERT_VALUE(const Array elsewhere, array.CopyTo(DevicesOf({4, 5, 6, 7})));
  plinth_ifrt_array* const both[] = {array.get(), elsewhere.get()};
  plinth_ifrt_array* made[2];
  EXPECT_EQ(Status(plinth_ifrt_arrays_copy(client_->get(), both, 2, nullptr, 0, nullptr,
                                           PLINTH_IFRT_ALWAYS_COPY, made))
                .code(),
            kInvalid);
  EXPECT_EQ(Status(plinth_ifrt_arrays_copy(client_->get(), both, 1, nullptr, 0, nullptr,
                                           static_cast<plinth_ifrt_copy_semantics>(9), made))
                .code(),
            kInvalid);
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
  EXPECT_EQ(client_->Assemble(spec, parts).status().code(), kInvalid);
  std::swap(parts[0], parts[1]);
  EXPECT_EQ(client_->Assemble({PJRT_Buffer_Type_F32, {7}, rows}, parts).status().code(), kInvalid);
  EXPECT_EQ(client_->Assemble({PJRT_Buffer_Type_S32, {8}, rows}, parts).status().code(), kInvalid);
  parts.pop_back();
  EXPECT_EQ(client_->Assemble(spec, parts).status().code(), kInvalid);
  EXPECT_EQ(array.ReplicatedShard().status().code(), kInvalid);
  ASSERT_VALUE(const Sharding replicated, client_->Replicated(devices_));
  ASSERT_VALUE(const Array everywhere, MakeIota({3}, replicated));
  ASSERT_VALUE(const Array one, everywhere.ReplicatedShard(Copy::kDonate));
  EXPECT_TRUE(everywhere.is_deleted());
  ASSERT_VALUE(const std::vector<int32_t> whole, one.ToHost<int32_t>());
  EXPECT_EQ(whole, Iota(3));
}

}  // namespace
}  // namespace plinth::ifrt::testing
