// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

class ArraysTest : public IfrtTest {};

TEST_F(ArraysTest, AnyShardingFromHostAndBack) {
  const std::vector<int64_t> dims = {5, 6};
  const std::vector<int32_t> elements = Iota(30);
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4, 2}), {{"a"}, {"b"}}));
  ASSERT_VALUE(const Sharding partial, client_->Named(MeshOf({4, 2}), {{}, {"b"}}));
  ASSERT_VALUE(const Sharding replicated, client_->Replicated(devices_));
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[3]));
  ASSERT_VALUE(const Sharding uneven,
               client_->Concrete(DevicesOf({2, 0}), dims,
                                 std::vector<IndexDomain>{{{0, 0}, {5, 1}}, {{0, 1}, {5, 5}}}));
  for (const Sharding& sharding : {rows, partial, replicated, single, uneven}) {
    ASSERT_VALUE(const Array array, client_->FromHost<int32_t>(dims, sharding, elements));
    EXPECT_EQ(array.type(), PJRT_Buffer_Type_S32);
    EXPECT_EQ(array.sharding().get(), sharding.get());
    ASSERT_VALUE(const std::vector<int32_t> back, array.ToHost<int32_t>());
    EXPECT_EQ(back, elements) << sharding.ToString();
  }
}

TEST_F(ArraysTest, StridesInAndOut) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({2}), {{"a"}, {}}));
  // Column-major in, and back into every other place.
  const std::vector<int32_t> elements = Iota(8);
  const int64_t column_major[] = {4, 16};
  ASSERT_VALUE(const Array array, client_->FromHost({PJRT_Buffer_Type_S32, {4, 2}, rows},
                                                    elements.data(), column_major));
  ASSERT_VALUE(const std::vector<int32_t> dense, array.ToHost<int32_t>());
  EXPECT_EQ(dense, (std::vector<int32_t>{0, 4, 1, 5, 2, 6, 3, 7}));
  std::vector<int32_t> sparse(16, -1);
  const int64_t every_other[] = {16, 8};
  ASSERT_VALUE(const Future<> copied, array.CopyToHost(sparse.data(), every_other));
  ASSERT_OK(copied.Await());
  EXPECT_EQ(sparse, (std::vector<int32_t>{0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1}));
  // Backwards, from the last element on.
  const int64_t backwards[] = {-8, -4};
  ASSERT_VALUE(const Array reversed, client_->FromHost({PJRT_Buffer_Type_S32, {4, 2}, rows},
                                                       elements.data() + 7, backwards));
  ASSERT_VALUE(const std::vector<int32_t> back, reversed.ToHost<int32_t>());
  EXPECT_EQ(back, (std::vector<int32_t>{7, 6, 5, 4, 3, 2, 1, 0}));
  const int64_t overlapping[] = {4, 4};
  ExpectInvalid(array.CopyToHost(sparse.data(), overlapping).status(),
                "strides [4,4] put several elements of s32[4,2] into one place");
  const int64_t far[] = {INT64_MAX, 4};
  EXPECT_EQ(array.CopyToHost(sparse.data(), far).status().code(), kInvalid);
}

// Where elements lie on a device is nobody's business but that of the device: whatever is done with
// the array, its elements are the same.
TEST_F(ArraysTest, LayoutsThatAreOrdersOfDimensions) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({2}), {{"a"}, {}, {}}));
  ASSERT_VALUE(const Sharding columns, client_->Named(MeshOf({2}), {{}, {}, {"a"}}));
  ASSERT_VALUE(const Sharding elsewhere, client_->Named(MeshOf({4}), {{}, {}, {"a"}}));
  const ArraySpec spec = {PJRT_Buffer_Type_S32, {4, 3, 4}, rows};
  const std::vector<int32_t> elements = Iota(48);
  const int64_t order[] = {1, 0, 2};
  for (const Host host : {Host::kDuringCall, Host::kUntilTransferred, Host::kZeroCopy}) {
    ASSERT_VALUE(const Array array,
                 client_->FromHost(spec, elements.data(), nullptr, host, {}, order));
    ASSERT_VALUE(const std::string layout, array.Layout());
    EXPECT_EQ(layout, "{1,0,2}");
    std::vector<Array> all = {array};
    ASSERT_VALUE(all.emplace_back(), array.CopyTo(DevicesOf({6, 5})));
    ASSERT_VALUE(all.emplace_back(), array.CopyTo({}, devices_[0].memory_kinds().back()));
    for (const Array& copy : all) {
      ASSERT_VALUE(const std::string kept, copy.Layout());
      EXPECT_EQ(kept, "{1,0,2}") << copy.sharding().ToString();
    }
    for (const Rung rung : {Rung::kAny, Rung::kHost}) {
      ASSERT_VALUE(all.emplace_back(), array.Reshard(columns, Copy::kAlways, rung));
      ASSERT_VALUE(all.emplace_back(), array.Reshard(elsewhere, Copy::kAlways, rung));
    }
    for (const Array& one : all) {
      ASSERT_VALUE(const std::vector<int32_t> back, one.ToHost<int32_t>());
      EXPECT_EQ(back, elements) << one.sharding().ToString();
    }
  }
  // The same from each shard's own memory.
  const void* const halves[] = {elements.data(), elements.data() + 24};
  plinth_ifrt_host_array from = {};
  from.struct_size = plinth_ifrt_host_array_STRUCT_SIZE;
  from.type = spec.type;
  from.dims = spec.dims.data();
  from.num_dims = 3;
  from.sharding = rows.get();
  from.shard_data = halves;
  from.num_shard_data = 2;
  from.minor_to_major = order;
  plinth_ifrt_array* made = nullptr;
  ASSERT_OK(Status(plinth_ifrt_arrays_from_host(client_->get(), &from, 1, PLINTH_IFRT_DURING_CALL,
                                                nullptr, nullptr, &made)));
  plinth_ifrt_client_retain(client_->get());
  const Array of_shards(internal::ClientHandle(client_->get()), made);
  ASSERT_VALUE(const std::vector<int32_t> back, of_shards.ToHost<int32_t>());
  EXPECT_EQ(back, elements);
  ASSERT_VALUE(const std::string layout, of_shards.Layout());
  EXPECT_EQ(layout, "{1,0,2}");

  ASSERT_VALUE(const Array plain, client_->FromHost(spec, elements.data()));
  ASSERT_VALUE(const std::string standard, plain.Layout());
  EXPECT_EQ(standard, "{2,1,0}");
  for (const std::vector<int64_t>& wrong :
       std::vector<std::vector<int64_t>>{{0, 1, 1}, {0, 1, 3}, {-1, 0, 1}}) {
    ExpectInvalid(
        client_->FromHost(spec, elements.data(), nullptr, Host::kDuringCall, {}, wrong.data())
            .status(),
        "is no order of the dimensions 0 to 2");
  }
  plain.Delete();
  ExpectInvalid(plain.Layout().status(), "was deleted or donated");
  ASSERT_VALUE(const Array bad, client_->ErrorArray(spec, PJRT_Error_Code_ABORTED, "lost"));
  EXPECT_EQ(bad.Layout().status().code(), PJRT_Error_Code_ABORTED);
}

TEST_F(ArraysTest, ScalarsEmptyArraysAndSmallTypes) {
  ASSERT_VALUE(const Sharding replicated, client_->Replicated(DevicesOf({0, 5})));
  const float one = 1.5f;
  ASSERT_VALUE(const Array scalar, client_->FromHost({PJRT_Buffer_Type_F32, {}, replicated}, &one));
  ASSERT_VALUE(const std::vector<float> value, scalar.ToHost<float>());
  EXPECT_EQ(value, std::vector<float>{1.5f});
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({8}), {{"a"}, {}}));
  ASSERT_VALUE(const Array empty, client_->FromHost({PJRT_Buffer_Type_F32, {0, 1}, rows}, nullptr));
  ASSERT_OK(empty.Ready().Await());
  ASSERT_VALUE(const Future<> nothing, empty.CopyToHost(nullptr));
  ASSERT_OK(nothing.Await());
  const std::vector<int8_t> nibbles = {-8, -1, 0, 7, 1, 2, 3, 4};
  ASSERT_VALUE(const Array s4,
               client_->FromHost({PJRT_Buffer_Type_S4, {8, 1}, rows}, nibbles.data()));
  std::vector<int8_t> back(8);
  ASSERT_VALUE(const Future<> copied, s4.CopyToHost(back.data()));
  ASSERT_OK(copied.Await());
  EXPECT_EQ(back, nibbles);
}

TEST_F(ArraysTest, DoneRunsOnceForEverySemantics) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  for (const Host host : {Host::kDuringCall, Host::kUntilTransferred, Host::kZeroCopy}) {
    std::atomic<int> calls = 0;
    auto elements = std::make_unique<std::vector<int32_t>>(Iota(1000));
    std::optional<Array> array;
    {
      ASSERT_VALUE(array, client_->FromHost({PJRT_Buffer_Type_S32, {1000}, rows}, elements->data(),
                                            nullptr, host, [&calls] { ++calls; }));
    }
    EXPECT_TRUE(host != Host::kDuringCall || calls == 1);
    if (host != Host::kZeroCopy) {
      ASSERT_OK(array->Ready().Await());
      while (calls == 0) std::this_thread::yield();
      std::fill(elements->begin(), elements->end(), -1);
      elements.reset();
    }
    ASSERT_VALUE(const std::vector<int32_t> back, array->ToHost<int32_t>());
    EXPECT_EQ(back, Iota(1000));
    array.reset();
    while (calls == 0) std::this_thread::yield();
    EXPECT_EQ(calls, 1);
  }
  int calls = 0;
  EXPECT_EQ(client_
                ->FromHost({PJRT_Buffer_Type_S32, {1000}, rows}, nullptr, nullptr,
                           Host::kUntilTransferred, [&calls] { ++calls; })
                .status()
                .code(),
            kInvalid);
  EXPECT_EQ(calls, 0);
}

TEST_F(ArraysTest, ShardsFromHost) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({2}), {{"a"}}));
  const std::vector<int32_t> first = {1, 2};
  const std::vector<int32_t> second = {3};
  const void* const shards[] = {first.data(), second.data()};
  ASSERT_VALUE(const Array array,
               client_->FromHostShards({PJRT_Buffer_Type_S32, {3}, rows}, shards));
  ASSERT_VALUE(const std::vector<int32_t> back, array.ToHost<int32_t>());
  EXPECT_EQ(back, (std::vector<int32_t>{1, 2, 3}));
  const void* const one[] = {first.data()};
  EXPECT_EQ(client_->FromHostShards({PJRT_Buffer_Type_S32, {3}, rows}, one).status().code(),
            kInvalid);
  const void* const with_null[] = {first.data(), nullptr};
  EXPECT_EQ(client_->FromHostShards({PJRT_Buffer_Type_S32, {3}, rows}, with_null).status().code(),
            kInvalid);
}

TEST_F(ArraysTest, ErrorArraysHaveTheirErrorEverywhere) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array,
               client_->ErrorArray({PJRT_Buffer_Type_F32, {8}, rows}, PJRT_Error_Code_DATA_LOSS,
                                   "the disk is gone"));
  EXPECT_EQ(std::vector<int64_t>(array.dims().begin(), array.dims().end()),
            std::vector<int64_t>{8});
  ASSERT_VALUE(const Array good, client_->FromHost<float>({8}, rows, Iota<float>(8)));
  ASSERT_VALUE(const Array copy, array.CopyTo(DevicesOf({4, 5, 6, 7})));
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[0]));
  ASSERT_VALUE(const Array resharded, array.Reshard(single));
  for (const Array& one : {array, copy, resharded}) {
    const Array both[] = {good, one};
    ASSERT_VALUE(const Future<> ready, client_->Ready(both));
    const Status status = ready.Await();
    EXPECT_EQ(status.code(), PJRT_Error_Code_DATA_LOSS);
    EXPECT_EQ(status.message(), "the disk is gone");
    EXPECT_EQ(one.ToHost<float>().status().code(), PJRT_Error_Code_DATA_LOSS);
  }
  EXPECT_EQ(client_->ErrorArray({PJRT_Buffer_Type_F32, {8}, rows}, PJRT_Error_Code_OK, "")
                .status()
                .code(),
            kInvalid);
}

TEST_F(ArraysTest, DeletedArraysAreRefused) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  EXPECT_FALSE(array.is_deleted());
  array.Delete();
  array.Delete();
  EXPECT_TRUE(array.is_deleted());
  ExpectInvalid(array.ToHost<int32_t>().status(), "was deleted or donated");
  ExpectInvalid(array.Reshard(rows).status(), "was deleted or donated");
  ExpectInvalid(array.Ready().Await(), "was deleted or donated");
  ASSERT_VALUE(const Array other, MakeIota({8}, rows));
  const Array both[] = {other, array};
  const Sharding to[] = {rows, rows};
  ExpectInvalid(client_->Reshard(both, to).status(), "array 1, s32[8]");
}

TEST_F(ArraysTest, WhatIsWrongWithTheArguments) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  const auto status = [&](const ArraySpec& spec) {
    const std::vector<int32_t> elements = Iota(64);
    return client_->FromHost(spec, elements.data()).status();
  };
  ExpectInvalid(status({PJRT_Buffer_Type_S32, {8, 8}, rows}),
                "is for arrays of 1 dimensions, not for [8,8]");
  ExpectInvalid(status({PJRT_Buffer_Type_INVALID, {8}, rows}), "element type 0");
  ExpectInvalid(status({PJRT_Buffer_Type_TOKEN, {8}, rows}), "element type");
  ExpectInvalid(status({static_cast<PJRT_Buffer_Type>(1000), {8}, rows}), "element type 1000");
  ExpectInvalid(status({PJRT_Buffer_Type_S32, {-8}, rows}), "-8");
  ExpectInvalid(status({PJRT_Buffer_Type_S32, {INT64_MAX}, rows}), "9223372036854775807");
  ExpectInvalid(status({PJRT_Buffer_Type_S32, {8}, Sharding()}), "sharding");
  const int64_t far[] = {INT64_MIN};
  const int32_t element = 0;
  ExpectInvalid(client_->FromHost({PJRT_Buffer_Type_S32, {8}, rows}, &element, far).status(),
                "stride -9223372036854775808 of dimension 0");
  ASSERT_VALUE(const Client other, Client::Create({.plugin = PluginPath()}));
  ASSERT_VALUE(const Sharding elsewhere, other.Single(other.devices()[0]));
  ExpectInvalid(status({PJRT_Buffer_Type_S32, {8}, elsewhere}), "is of another client");
}

TEST_F(ArraysTest, UninitializedArraysHaveTheirShape) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Array array, client_->Uninitialized({PJRT_Buffer_Type_F32, {6}, rows}));
  ASSERT_VALUE(const std::vector<float> any, array.ToHost<float>());
  EXPECT_EQ(any.size(), 6u);
}

// A callback may drop the last reference to everything, the client too.
TEST_F(ArraysTest, FuturesOutliveWhatTheyCameFrom) {
  std::atomic<bool> called = false;
  {
    ASSERT_VALUE(Client own,
                 Client::Create({.plugin = PluginPath(), .options = {"num_devices=2"}}));
    ASSERT_VALUE(const Sharding all, own.Replicated(own.devices()));
    ASSERT_VALUE(Array array, own.FromHost<int32_t>({1 << 20}, all, Iota(1 << 20)));
    auto held = std::make_shared<Array>(std::move(array));
    const Future<> ready = held->Ready();
    ready.Then([held, &called](const Status& status) mutable {
      EXPECT_TRUE(status.ok());
      held.reset();
      called = true;
    });
  }
  while (!called) std::this_thread::yield();
}

TEST_F(ArraysTest, AwaitHasADeadline) {
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[0]));
  ASSERT_VALUE(const Array array, MakeIota({8}, single));
  EXPECT_TRUE(array.Ready().Await(10'000).ok());
}

TEST_F(ArraysTest, ManyThreads) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4, 2}), {{"a"}, {"b"}}));
  ASSERT_VALUE(const Sharding columns, client_->Named(MeshOf({4, 2}), {{"b"}, {"a"}}));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        const Expected<Array> array = MakeIota({8, 8}, rows);
        const Expected<Array> moved = array->Reshard(columns);
        const Expected<std::vector<int32_t>> back = moved->ToHost<int32_t>();
        if (!back.ok() || *back != Iota(64)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace plinth::ifrt::testing
