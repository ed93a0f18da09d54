// SPDX-License-Identifier: Apache-2.0
// Reshards to layouts: whatever the way, the elements are the same, and lie as they were asked to.
#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

constexpr int64_t kDims[] = {4, 6, 8};
constexpr int64_t kOrder[] = {0, 2, 1};
constexpr const char* kText = "{0,2,1}";

class RelayoutTest : public IfrtTest {
 protected:
  void SetUp() override {
    IfrtTest::SetUp();
    ASSERT_VALUE(rows_, client_->Named(MeshOf({2}), {{"a"}, {}, {}}));
    ASSERT_VALUE(columns_, client_->Named(MeshOf({2}), {{}, {}, {"a"}}));
    ASSERT_VALUE(elsewhere_, client_->Named(MeshOf({4, 2}), {{}, {"b"}, {"a"}}));
    const std::vector<Device> back_to_front = DevicesOf({7, 6});
    ASSERT_VALUE(moved_, rows_.WithDevices(back_to_front));
    ASSERT_VALUE(whole_, client_->Replicated(DevicesOf({0, 3})));
    ASSERT_VALUE(other_memory_,
                 rows_.WithDevices(DevicesOf({0, 1}), devices_[0].memory_kinds().back()));
  }
  void ExpectLies(const Array& array, const std::string& layout) {
    ASSERT_VALUE(const std::vector<Array> shards, array.Disassemble());
    for (const Array& shard : shards) {
      ASSERT_VALUE(const std::string told, shard.Layout());
      EXPECT_EQ(told, layout) << array.sharding().ToString();
    }
    ASSERT_VALUE(const std::vector<int32_t> elements, array.ToHost<int32_t>());
    EXPECT_EQ(elements, Iota(4 * 6 * 8)) << array.sharding().ToString();
  }
  Expected<Array> Plain() { return MakeIota({kDims, kDims + 3}, rows_); }

  Sharding rows_, columns_, elsewhere_, moved_, whole_, other_memory_;
};

TEST_F(RelayoutTest, ByEveryRungAndBack) {
  ASSERT_VALUE(const Array array, Plain());
  for (const Rung rung : {Rung::kAny, Rung::kHost}) {
    for (const Sharding& to : {rows_, columns_, elsewhere_, moved_, whole_, other_memory_}) {
      ASSERT_VALUE(const Array laid, array.Reshard(to, kOrder, Copy::kAlways, rung));
      ExpectLies(laid, kText);
      const int64_t row_major[] = {2, 1, 0};
      ASSERT_VALUE(const Array back, laid.Reshard(rows_, row_major, Copy::kAlways, rung));
      ExpectLies(back, "{2,1,0}");
    }
  }
}

// What a plugin's programs lay out needs no host; one whose programs do not says so.
TEST_F(RelayoutTest, ByProgramsAlone) {
  ASSERT_VALUE(const Array array, Plain());
  const Expected<Array> tried = array.Reshard(rows_, kOrder, Copy::kAlways, Rung::kPrograms);
  const bool can = tried.ok();
  for (const Sharding& to : {rows_, columns_, elsewhere_, moved_}) {
    const Expected<Array> laid = array.Reshard(to, kOrder, Copy::kAlways, Rung::kPrograms);
    ASSERT_EQ(laid.ok(), can) << laid.status().message();
    if (can) ExpectLies(*laid, kText);
  }
  const Expected<Array> at_once = array.Reshard(columns_, kOrder, Copy::kAlways, Rung::kIdentity);
  if (at_once.ok()) ExpectLies(*at_once, kText);
  ASSERT_VALUE(const std::vector<int32_t> elements, array.ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(4 * 6 * 8));
}

TEST_F(RelayoutTest, SharesWhatLiesSoAlready) {
  ASSERT_VALUE(const Array array, Plain());
  ASSERT_VALUE(const Array laid, array.Reshard(rows_, kOrder, Copy::kDonate));
  EXPECT_TRUE(array.is_deleted());
  ASSERT_VALUE(const Array same, laid.Reshard(rows_, kOrder, Copy::kReuse));
  EXPECT_FALSE(laid.is_deleted());
  ASSERT_VALUE(const Array taken, same.Reshard(rows_, kOrder, Copy::kDonate));
  EXPECT_TRUE(laid.is_deleted()) << "its shards were those of the array that was donated";
  ExpectLies(taken, kText);
  ASSERT_VALUE(const Array copy, taken.Reshard(rows_, kOrder));
  taken.Delete();
  ExpectLies(copy, kText);
}

TEST_F(RelayoutTest, SmallTypesAndNothing) {
  const std::vector<int8_t> nibbles = {-8, -1, 0, 7, 1, 2, 3, 4, 5, 6, -7, -6};
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({2}), {{"a"}, {}}));
  ASSERT_VALUE(const Array s4,
               client_->FromHost({PJRT_Buffer_Type_S4, {4, 3}, rows}, nibbles.data()));
  const int64_t column_major[] = {0, 1};
  for (const Rung rung : {Rung::kAny, Rung::kHost}) {
    ASSERT_VALUE(const Array laid, s4.Reshard(rows, column_major, Copy::kAlways, rung));
    std::vector<int8_t> back(nibbles.size());
    ASSERT_VALUE(const Future<> copied, laid.CopyToHost(back.data()));
    ASSERT_OK(copied.Await());
    // Programs leave the other half of the byte as they like.
    for (size_t i = 0; i < nibbles.size(); ++i) EXPECT_EQ(back[i] & 15, nibbles[i] & 15) << i;
  }
  ASSERT_VALUE(const Array empty, client_->FromHost({PJRT_Buffer_Type_F32, {0, 3}, rows}, nullptr));
  ASSERT_VALUE(const Array still_empty, empty.Reshard(rows, column_major));
  ASSERT_OK(still_empty.Ready().Await());
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[1]));
  ASSERT_VALUE(const Array scalar, MakeIota({}, single));
  ASSERT_VALUE(const Array still_scalar, scalar.Reshard(single, std::span<const int64_t>()));
  ASSERT_VALUE(const std::vector<int32_t> value, still_scalar.ToHost<int32_t>());
  EXPECT_EQ(value, std::vector<int32_t>{0});
}

TEST_F(RelayoutTest, AnErrorStaysWhatItIs) {
  ASSERT_VALUE(const Array bad,
               client_->ErrorArray({PJRT_Buffer_Type_S32, {kDims, kDims + 3}, rows_},
                                   PJRT_Error_Code_DATA_LOSS, "the disk is gone"));
  ASSERT_VALUE(const Array laid, bad.Reshard(columns_, kOrder));
  EXPECT_EQ(laid.Ready().Await().message(), "the disk is gone");
}

TEST_F(RelayoutTest, WhatIsWrong) {
  ASSERT_VALUE(const Array array, Plain());
  const int64_t too_few[] = {0, 1};
  ExpectInvalid(array.Reshard(rows_, too_few).status(), "each dimension once");
  for (const std::vector<int64_t>& wrong :
       std::vector<std::vector<int64_t>>{{0, 1, 1}, {0, 1, 3}, {-1, 0, 1}}) {
    ExpectInvalid(array.Reshard(rows_, wrong, Copy::kDonate).status(), "array 0: the layout {");
    EXPECT_FALSE(array.is_deleted());
  }
  // In a list of several, none for some.
  plinth_ifrt_array* const arrays[] = {array.get(), array.get(), nullptr};
  const plinth_ifrt_sharding* const to[] = {columns_.get(), columns_.get(), columns_.get()};
  const int64_t* const orders[] = {nullptr, kOrder, kOrder};
  plinth_ifrt_array* made[3] = {};
  ASSERT_OK(Status(plinth_ifrt_arrays_reshard_to_layouts(
      client_->get(), arrays, 2, to, orders, PLINTH_IFRT_ALWAYS_COPY, PLINTH_IFRT_ANY_RUNG, made)));
  for (size_t i = 0; i < 2; ++i) {
    char* layout = nullptr;
    ASSERT_OK(Status(plinth_ifrt_array_layout(made[i], &layout)));
    EXPECT_EQ(internal::TakeText(layout), i == 0 ? "{2,1,0}" : kText);
  }
  plinth_ifrt_arrays_release(made, 2);
  ExpectInvalid(Status(plinth_ifrt_arrays_reshard_to_layouts(client_->get(), arrays, 3, to, orders,
                                                             PLINTH_IFRT_ALWAYS_COPY,
                                                             PLINTH_IFRT_ANY_RUNG, made)),
                "array 2 is null");
}

}  // namespace
}  // namespace plinth::ifrt::testing
