// SPDX-License-Identifier: Apache-2.0
// What implementations of IFRT are asked of arrays from and to the host, of errors and of waiting,
// wherever the devices are.
#include <atomic>
#include <thread>

#include "impl/ifrt/testing/worlds.h"

namespace plinth::ifrt::testing {
namespace {

class ArrayChecklist : public WorldTest {
 protected:
  static plinth_ifrt_host_array Whole(const ArraySpec& spec, const void* data) {
    plinth_ifrt_host_array from = {};
    from.struct_size = plinth_ifrt_host_array_STRUCT_SIZE;
    from.type = spec.type;
    from.dims = spec.dims.data();
    from.num_dims = spec.dims.size();
    from.sharding = spec.sharding.get();
    from.data = data;
    return from;
  }
  Expected<std::vector<Array>> FromHost(std::span<const plinth_ifrt_host_array> from) const {
    std::vector<plinth_ifrt_array*> made(from.size());
    const Status status(plinth_ifrt_arrays_from_host(client_->get(), from.data(), from.size(),
                                                     PLINTH_IFRT_DURING_CALL, nullptr, nullptr,
                                                     made.data()));
    if (!status.ok()) return status;
    return Own(made);
  }
  std::vector<Array> Own(const std::vector<plinth_ifrt_array*>& made) const {
    plinth_ifrt_client_retain(client_->get());
    const internal::ClientHandle client(client_->get());
    std::vector<Array> arrays;
    for (plinth_ifrt_array* one : made) arrays.emplace_back(client, one);
    return arrays;
  }
};

TEST_P(ArrayChecklist, IsWhatItWasMadeAs) {
  ASSERT_VALUE(const Sharding rows, Cut(devices_, {{"a"}, {}}));
  ASSERT_VALUE(const Array array, MakeIota({16, 3}, rows));
  EXPECT_EQ(array.type(), PJRT_Buffer_Type_S32);
  EXPECT_EQ(std::vector<int64_t>(array.dims().begin(), array.dims().end()),
            (std::vector<int64_t>{16, 3}));
  EXPECT_EQ(array.sharding().get(), rows.get()) << "the same, not an equal one";
  ExpectContents(array, Iota(48));
}

TEST_P(ArrayChecklist, EachMemoryOfEachDevice) {
  for (const Device& device : here_) {
    for (const std::string& kind : device.memory_kinds()) {
      ASSERT_VALUE(const Sharding there, client_->Single(device, kind));
      EXPECT_EQ(there.memory_kind(), kind);
      ASSERT_VALUE(const Array array, MakeIota({5}, there));
      ASSERT_VALUE(const std::vector<int32_t> back, array.ToHost<int32_t>());
      EXPECT_EQ(back, Iota(5)) << device.id() << " " << kind;
    }
  }
}

TEST_P(ArrayChecklist, StridesThatLeaveGapsOnEveryDevice) {
  ASSERT_VALUE(const Sharding everywhere, client_->Replicated(devices_));
  const std::vector<int8_t> host = Iota<int8_t>(16);
  const int64_t transposed_with_gaps[] = {2, 4};
  ASSERT_VALUE(const Array array, client_->FromHost({PJRT_Buffer_Type_S8, {2, 3}, everywhere},
                                                    host.data(), transposed_with_gaps));
  ExpectContents<int8_t>(array, {0, 4, 8, 2, 6, 10});
  // And out again, where the gaps stay as they are.
  std::vector<int8_t> back(12, -1);
  ASSERT_VALUE(const Future<> copied, array.CopyToHost(back.data(), transposed_with_gaps));
  ASSERT_OK(copied.Await());
  EXPECT_EQ(back, (std::vector<int8_t>{0, -1, 2, -1, 4, -1, 6, -1, 8, -1, 10, -1}));
}

TEST_P(ArrayChecklist, SeveralArraysOfShardsInOneCall) {
  ASSERT_VALUE(const Sharding rows, Cut(here_));
  const auto count = static_cast<int64_t>(here_.size());
  const std::vector<int32_t> elements = Iota(2 * here_.size());
  std::vector<const void*> forwards;
  for (const int32_t& element : elements) {
    if (element % 2 == 0) forwards.push_back(&element);
  }
  const std::vector<const void*> backwards(forwards.rbegin(), forwards.rend());
  std::vector<plinth_ifrt_host_array> from;
  const ArraySpec spec = {PJRT_Buffer_Type_S32, {2 * count}, rows};
  for (const std::vector<const void*>* shards : {&std::as_const(forwards), &backwards}) {
    from.push_back(Whole(spec, nullptr));
    from.back().shard_data = shards->data();
    from.back().num_shard_data = shards->size();
  }
  ASSERT_VALUE(const std::vector<Array> arrays, FromHost(from));
  ExpectContents(arrays[0], elements);
  std::vector<int32_t> turned;
  for (const void* shard : backwards) {
    const auto* pair = static_cast<const int32_t*>(shard);
    turned.insert(turned.end(), pair, pair + 2);
  }
  ExpectContents(arrays[1], turned);
}

TEST_P(ArrayChecklist, ArraysOfOneCallMayBeInDifferentPlaces) {
  const std::vector<std::string> kinds = here_[0].memory_kinds();
  ASSERT_VALUE(const Sharding first, client_->Single(here_[0]));
  ASSERT_VALUE(const Sharding last, client_->Single(here_.back(), kinds.back()));
  ASSERT_VALUE(const Sharding rows, Cut(devices_));
  const std::vector<int32_t> elements = Iota(8);
  const ArraySpec specs[] = {{PJRT_Buffer_Type_S32, {8}, first},
                             {PJRT_Buffer_Type_S32, {2, 4}, last},
                             {PJRT_Buffer_Type_S32, {8}, rows}};
  std::vector<plinth_ifrt_host_array> from;
  for (const ArraySpec& spec : specs) from.push_back(Whole(spec, elements.data()));
  ASSERT_VALUE(const std::vector<Array> arrays, FromHost(from));
  for (const Array& array : arrays) ExpectContents(array, elements);
}

// The host's memory goes as soon as it may, and is overwritten first.
TEST_P(ArrayChecklist, TheHostsMemoryIsUsedNoLongerThanSaid) {
  ASSERT_VALUE(const Sharding rows, Cut(devices_));
  for (const Host host :
       {Host::kDuringCall, Host::kUntilTransferred, Host::kZeroCopy, Host::kMutableZeroCopy}) {
    auto elements = std::make_shared<std::vector<int32_t>>(Iota(4000));
    std::atomic<int> calls = 0;
    std::optional<Array> array;
    ASSERT_VALUE(array, client_->FromHost({PJRT_Buffer_Type_S32, {4000}, rows}, elements->data(),
                                          nullptr, host, [&calls, elements] {
                                            std::fill(elements->begin(), elements->end(), -1);
                                            ++calls;
                                          }));
    elements.reset();
    EXPECT_TRUE(host != Host::kDuringCall || calls == 1);
    ExpectContents(*array, Iota(4000));
    array.reset();
    while (calls == 0) std::this_thread::yield();
    EXPECT_EQ(calls, 1);
  }
}

// A done callback may drop the last reference to everything.
TEST_P(ArrayChecklist, DoneMayThrowAwayTheClient) {
  for (const Host host :
       {Host::kDuringCall, Host::kUntilTransferred, Host::kZeroCopy, Host::kMutableZeroCopy}) {
    const std::string plugin =
        GetParam() == World::kPlugin ? PluginPath() : PLINTH_TEST_DEVICES_PLUGIN;
    std::atomic<bool> is_gone = false;
    const std::vector<int32_t> elements = Iota(1000);
    {
      ASSERT_VALUE(Client made, Client::Create({.plugin = plugin}));
      auto own = std::make_shared<std::optional<Client>>(std::move(made));
      std::optional<Device> device;
      for (const Device& one : (*own)->devices()) {
        if (one.is_addressable()) device = one;
      }
      ASSERT_VALUE(const Sharding single, (*own)->Single(*device));
      // Nothing else keeps the client when the arrays and shardings of this block have gone.
      ASSERT_VALUE(const Array array,
                   (*own)->FromHost({PJRT_Buffer_Type_S32, {1000}, single}, elements.data(),
                                    nullptr, host, [own, &is_gone] {
                                      own->reset();
                                      is_gone = true;
                                    }));
    }
    while (!is_gone) std::this_thread::yield();
  }
}

TEST_P(ArrayChecklist, ScalarsNothingAndHalfBytes) {
  ASSERT_VALUE(const Sharding everywhere, client_->Replicated(devices_));
  ASSERT_VALUE(const Array scalar, MakeIota({}, everywhere));
  ExpectContents<int32_t>(scalar, {0});
  ASSERT_VALUE(const Sharding rows, Cut(devices_, {{}, {"a"}}));
  ASSERT_VALUE(const Array nothing,
               client_->FromHost({PJRT_Buffer_Type_F32, {0, 8}, rows}, nullptr));
  ASSERT_OK(nothing.Ready().Await());
  ExpectContents<float>(nothing, {});
  ASSERT_VALUE(const Array copy, nothing.CopyTo({}));
  ExpectContents<float>(copy, {});
  const std::vector<int8_t> nibbles = {-8, -1, 0, 7, 1, 2, 3, 4};
  ASSERT_VALUE(const Array s4,
               client_->FromHost({PJRT_Buffer_Type_S4, {1, 8}, rows}, nibbles.data()));
  ExpectContents(s4, nibbles);
}

TEST_P(ArrayChecklist, ErrorsHaveCodeAndTextInEveryPlace) {
  ASSERT_VALUE(const Sharding rows, Cut(devices_));
  ASSERT_VALUE(const Sharding everywhere, client_->Replicated(devices_));
  const std::vector<int64_t> eight = {8};
  const std::vector<int64_t> none = {0, 3};
  const plinth_ifrt_array_spec specs[] = {
      {plinth_ifrt_array_spec_STRUCT_SIZE, PJRT_Buffer_Type_F32, eight.data(), 1, rows.get()},
      {plinth_ifrt_array_spec_STRUCT_SIZE, PJRT_Buffer_Type_S4, none.data(), 2, everywhere.get()}};
  std::vector<plinth_ifrt_array*> made(2);
  ASSERT_OK(Status(plinth_ifrt_arrays_error(client_->get(), specs, 2, PJRT_Error_Code_DATA_LOSS,
                                            "the disk is gone", made.data())));
  std::vector<Array> arrays = Own(made);
  EXPECT_EQ(arrays[0].dims()[0], 8) << "of the whole array, not of a shard";
  EXPECT_EQ(arrays[0].sharding(), rows);
  // To every memory of every device that is here, from the first and from the others.
  for (const Device& from : {here_[0], here_[1]}) {
    ASSERT_VALUE(const Sharding single, client_->Single(from));
    ASSERT_VALUE(const Array bad,
                 client_->ErrorArray({PJRT_Buffer_Type_F32, {0}, single}, PJRT_Error_Code_DATA_LOSS,
                                     "the disk is gone"));
    for (const Device& to : here_) {
      for (const std::string& kind : to.memory_kinds()) {
        for (const Copy copy : {Copy::kAlways, Copy::kReuse}) {
          ASSERT_VALUE(Array moved, bad.CopyTo({&to, 1}, kind, copy));
          arrays.push_back(std::move(moved));
        }
      }
    }
  }
  for (const Array& array : arrays) {
    const Status ready = array.Ready().Await();
    EXPECT_EQ(ready.code(), PJRT_Error_Code_DATA_LOSS) << array.sharding().ToString();
    EXPECT_EQ(ready.message(), "the disk is gone");
    ASSERT_VALUE(const std::vector<Array> parts, array.Disassemble());
    for (const Array& part : parts) {
      EXPECT_EQ(part.Ready().Await().code(), PJRT_Error_Code_DATA_LOSS);
    }
  }
}

TEST_P(ArrayChecklist, AFutureOfManyArrays) {
  ASSERT_VALUE(const Sharding rows, Cut(devices_));
  std::vector<Array> arrays;
  for (int i = 0; i < 4; ++i) {
    ASSERT_VALUE(Array one, MakeIota({8}, rows));
    arrays.push_back(std::move(one));
  }
  ASSERT_VALUE(const Future<> all, client_->Ready(arrays));
  ASSERT_OK(all.Await());
  ASSERT_VALUE(arrays[2], client_->ErrorArray({PJRT_Buffer_Type_S32, {8}, rows},
                                              PJRT_Error_Code_ABORTED, "lost"));
  ASSERT_VALUE(const Future<> failed, client_->Ready(arrays));
  EXPECT_EQ(failed.Await().code(), PJRT_Error_Code_ABORTED);
  ASSERT_VALUE(const Future<> of_none, client_->Ready({}));
  ASSERT_OK(of_none.Await());
}

TEST_P(ArrayChecklist, DeletedAtOnceAndAgain) {
  ASSERT_VALUE(const Sharding rows, Cut(devices_));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  ASSERT_VALUE(const std::vector<Array> parts, array.Disassemble());
  array.Delete();
  EXPECT_TRUE(array.is_deleted());
  array.Delete();
  EXPECT_TRUE(array.is_deleted());
  EXPECT_EQ(array.CopyTo({}).status().code(), kInvalid);
  // Its shards have arrays of their own, which keep the memory.
  for (const Array& part : parts) {
    EXPECT_FALSE(part.is_deleted());
    EXPECT_TRUE(part.ToHost<int32_t>().ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, ArrayChecklist,
                         ::testing::Values(World::kPlugin, World::kDenseOnly,
                                           World::kFourElsewhere),
                         NameOf);

}  // namespace
}  // namespace plinth::ifrt::testing
