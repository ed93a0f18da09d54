// SPDX-License-Identifier: Apache-2.0
// What implementations of IFRT are asked of assembling, copying and resharding, wherever the
// devices are.
#include "impl/ifrt/testing/worlds.h"

namespace plinth::ifrt::testing {
namespace {

class MoveChecklist : public WorldTest {
 protected:
  // Of arrays of shape [4, 8] over these devices, as many kinds as there are.
  Expected<std::vector<Sharding>> Kinds(const std::vector<Device>& devices) const {
    std::vector<Sharding> kinds;
    const auto add = [&](Expected<Sharding> made) {
      if (made.ok()) kinds.push_back(*made);
      return made.status();
    };
    const auto count = static_cast<int64_t>(devices.size());
    if (const Status status = add(client_->Replicated(devices)); !status.ok()) return status;
    if (const Status status = add(Cut(devices, {{}, {"a"}})); !status.ok()) return status;
    if (count % 2 == 0) {
      const Mesh mesh = {{{"a", 2}, {"b", count / 2}}, devices};
      if (const Status status = add(client_->Named(mesh, {{"a"}, {"b"}})); !status.ok()) {
        return status;
      }
      if (const Status status = add(client_->Named(mesh, {{}, {"a"}})); !status.ok()) {
        return status;
      }
    }
    // Uneven: the first device has what the others leave.
    std::vector<IndexDomain> domains = {{{0, 0}, {4, 9 - count}}};
    for (int64_t i = 1; i < count; ++i) domains.push_back({{0, 8 - count + i}, {4, 1}});
    const std::vector<int64_t> dims = {4, 8};
    if (const Status status = add(client_->Concrete(devices, dims, domains)); !status.ok()) {
      return status;
    }
    return kinds;
  }
};

TEST_P(MoveChecklist, TakenApartAndPutTogether) {
  ASSERT_VALUE(const std::vector<Sharding> kinds, Kinds(devices_));
  for (const Sharding& kind : kinds) {
    ASSERT_VALUE(const Array array, MakeIota({4, 8}, kind));
    for (const Copy copy : {Copy::kAlways, Copy::kReuse, Copy::kDonate}) {
      ASSERT_VALUE(const Array source, array.CopyTo({}));
      ASSERT_VALUE(const std::vector<Array> parts, source.Disassemble(copy));
      ASSERT_EQ(parts.size(), here_.size());
      EXPECT_EQ(source.is_deleted(), copy == Copy::kDonate);
      ASSERT_VALUE(const Array whole,
                   client_->Assemble({PJRT_Buffer_Type_S32, {4, 8}, kind}, parts, copy));
      EXPECT_EQ(parts[0].is_deleted(), copy == Copy::kDonate);
      ExpectContents(whole, Iota(32));
    }
  }
  // Where nobody knows who has what, shards are put together and compared one by one.
  ASSERT_VALUE(const Sharding opaque, client_->Opaque(devices_));
  ASSERT_VALUE(const Sharding rows, Cut(devices_));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  ASSERT_VALUE(const std::vector<Array> parts, array.Disassemble());
  ASSERT_VALUE(const Array assembled,
               client_->Assemble({PJRT_Buffer_Type_S32, {8}, opaque}, parts));
  ASSERT_OK(assembled.Ready().Await());
  EXPECT_EQ(assembled.sharding(), opaque);
  ASSERT_VALUE(const std::vector<Array> again, assembled.Disassemble());
  for (size_t i = 0; i < again.size(); ++i) {
    ASSERT_VALUE(const std::vector<int32_t> have, again[i].ToHost<int32_t>());
    ASSERT_VALUE(const std::vector<int32_t> want, parts[i].ToHost<int32_t>());
    EXPECT_EQ(have, want);
  }
  // One array on one device is what it was.
  ASSERT_VALUE(const Sharding single, client_->Single(here_[0]));
  ASSERT_VALUE(const Array alone, MakeIota({8}, single));
  ASSERT_VALUE(const Array same,
               client_->Assemble({PJRT_Buffer_Type_S32, {8}, single}, {&alone, 1}));
  ExpectContents(same, Iota(8));
}

TEST_P(MoveChecklist, WhatCannotBePutTogether) {
  ASSERT_VALUE(const Sharding rows, Cut(devices_));
  ASSERT_VALUE(const Array array, MakeIota({16}, rows));
  ASSERT_VALUE(std::vector<Array> parts, array.Disassemble());
  const auto assemble = [&](PJRT_Buffer_Type type, std::vector<int64_t> dims) {
    return client_->Assemble({type, std::move(dims), rows}, parts, Copy::kDonate).status();
  };
  ExpectInvalid(assemble(PJRT_Buffer_Type_F32, {16}), "its type is s32, not f32");
  ExpectInvalid(assemble(PJRT_Buffer_Type_S32, {32}), "its shape is [2]; shard");
  std::swap(parts[0], parts[1]);
  ExpectInvalid(assemble(PJRT_Buffer_Type_S32, {16}), "belongs on device");
  std::swap(parts[0], parts[1]);
  const Array last = parts.back();
  parts.pop_back();
  ExpectInvalid(assemble(PJRT_Buffer_Type_S32, {16}), "on devices of this process");
  ASSERT_VALUE(Array moved, last.CopyTo({}, last.sharding().devices()[0].memory_kinds().back()));
  if (moved.sharding().memory_kind() != last.sharding().memory_kind()) {
    parts.push_back(moved);
    ExpectInvalid(assemble(PJRT_Buffer_Type_S32, {16}), "it is in memory");
    parts.pop_back();
  }
  parts.push_back(parts[0]);
  ExpectInvalid(assemble(PJRT_Buffer_Type_S32, {16}), "belongs on device");
  // Nothing was lost by all this.
  parts.back() = last;
  EXPECT_TRUE(assemble(PJRT_Buffer_Type_S32, {16}).ok());
}

// Every memory of every device from every memory of two devices.
TEST_P(MoveChecklist, CopiesFromEverywhereToEverywhere) {
  const std::vector<int8_t> nibbles = {-8, -1, 0, 7, 1, 2, 3};
  for (const Device& from : {here_[0], here_.back()}) {
    for (const std::string& from_kind : from.memory_kinds()) {
      ASSERT_VALUE(const Sharding source, client_->Single(from, from_kind));
      ASSERT_VALUE(const Array s32, MakeIota({7}, source));
      ASSERT_VALUE(const Array s4,
                   client_->FromHost({PJRT_Buffer_Type_S4, {7}, source}, nibbles.data()));
      for (const Device& to : here_) {
        for (const std::string& to_kind : to.memory_kinds()) {
          ASSERT_VALUE(const Array wide, s32.CopyTo({&to, 1}, to_kind));
          EXPECT_EQ(wide.sharding().memory_kind(), to_kind);
          ExpectContents(wide, Iota(7));
          ASSERT_VALUE(const Array narrow, s4.CopyTo({&to, 1}, to_kind));
          ExpectContents(narrow, nibbles);
        }
      }
    }
  }
}

TEST_P(MoveChecklist, CopiesKeepTheCutAndTheOrder) {
  // Each half turned round: nothing goes to another process.
  std::vector<Device> turned(devices_.rbegin() + 4, devices_.rend());
  turned.insert(turned.end(), devices_.rbegin(), devices_.rbegin() + 4);
  ASSERT_VALUE(const std::vector<Sharding> kinds, Kinds(devices_));
  for (const Sharding& kind : kinds) {
    ASSERT_VALUE(const Array array, MakeIota({4, 8}, kind));
    ASSERT_VALUE(const Array copy, array.CopyTo(turned));
    ASSERT_VALUE(const Sharding want, kind.WithDevices(turned));
    EXPECT_EQ(copy.sharding(), want);
    ExpectContents(copy, Iota(32));
    // A list of another length is refused, and named.
    const Status status = array.CopyTo(std::span(turned).first(3)).status();
    EXPECT_EQ(status.code(), kInvalid);
    EXPECT_NE(status.message().find("3"), std::string::npos) << status.message();
  }
}

TEST_P(MoveChecklist, ShardsThatStayAndShardsThatGo) {
  const std::vector<Device> before(here_.begin(), here_.begin() + 4);
  const std::vector<Device> after = {before[0], before[2], before[1], before[3]};
  ASSERT_VALUE(const Sharding rows, Cut(before));
  for (const Copy copy : {Copy::kReuse, Copy::kDonate}) {
    ASSERT_VALUE(const Array array, MakeIota({8}, rows));
    ASSERT_VALUE(const Array moved, array.CopyTo(after, "", copy));
    EXPECT_EQ(array.is_deleted(), copy == Copy::kDonate);
    ExpectContents(moved, Iota(8));
    array.Delete();
    ExpectContents(moved, Iota(8));
  }
}

TEST_P(MoveChecklist, ArraysOfOneCopyAreInTheSamePlaces) {
  const std::vector<std::string> kinds = here_[0].memory_kinds();
  const std::vector<Device> pair = {here_[0], here_[1]};
  const std::vector<Device> turned = {here_[1], here_[0]};
  ASSERT_VALUE(const Sharding rows, Cut(pair));
  ASSERT_VALUE(const Sharding other, Cut(turned));
  ASSERT_VALUE(const Sharding back, Cut(pair, {{"a"}}, kinds.back()));
  ASSERT_VALUE(const Array array, MakeIota({4}, rows));
  for (const Sharding& sharding : {other, back}) {
    if (sharding == rows) continue;  // There is one memory only.
    ASSERT_VALUE(const Array elsewhere, MakeIota({4}, sharding));
    const Array both[] = {array, elsewhere};
    ExpectInvalid(client_->CopyTo(both, {}).status(), "different places");
  }
}

// To more devices, to fewer, to others: from each kind of cut to each.
TEST_P(MoveChecklist, ReshardsBetweenAnyNumbersOfDevices) {
  const auto some = [&](std::initializer_list<size_t> places) {
    std::vector<Device> devices;
    for (const size_t place : places) devices.push_back(here_[place % here_.size()]);
    return devices;
  };
  const std::pair<std::vector<Device>, std::vector<Device>> lists[] = {
      {here_, here_},        {some({0, 1}), here_},        {here_, some({3, 0})},
      {some({1, 0}), here_}, {some({2}), some({0, 1, 3})},
  };
  for (const auto& [from_devices, to_devices] : lists) {
    ASSERT_VALUE(const std::vector<Sharding> froms, Kinds(from_devices));
    ASSERT_VALUE(const std::vector<Sharding> tos, Kinds(to_devices));
    for (const Sharding& from : froms) {
      ASSERT_VALUE(const Array array, MakeIota({4, 8}, from));
      for (const Sharding& to : tos) {
        ASSERT_VALUE(const Array there, array.Reshard(to));
        EXPECT_EQ(there.sharding(), to);
        ExpectContents(there, Iota(32));
        ASSERT_VALUE(const Array back, there.Reshard(from, Copy::kDonate));
        EXPECT_TRUE(there.is_deleted());
        ExpectContents(back, Iota(32));
      }
    }
  }
}

TEST_P(MoveChecklist, ABatchGoesToDifferentPlaces) {
  ASSERT_VALUE(const Sharding rows, Cut(here_));
  ASSERT_VALUE(const Sharding everywhere, client_->Replicated(here_));
  ASSERT_VALUE(const Sharding single, client_->Single(here_[1], here_[1].memory_kinds().back()));
  std::vector<Array> arrays;
  for (const Sharding& from : {rows, everywhere, rows, rows}) {
    ASSERT_VALUE(Array one, MakeIota({8}, from));
    arrays.push_back(std::move(one));
  }
  ASSERT_VALUE(arrays[3], client_->ErrorArray({PJRT_Buffer_Type_S32, {8}, rows},
                                              PJRT_Error_Code_ABORTED, "lost"));
  const Sharding to[] = {everywhere, rows, single, single};
  ASSERT_VALUE(const std::vector<Array> moved, client_->Reshard(arrays, to, Copy::kDonate));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(arrays[i].is_deleted());
    EXPECT_EQ(moved[i].sharding(), to[i]);
    ExpectContents(moved[i], Iota(8));
  }
  EXPECT_EQ(moved[3].Ready().Await().code(), PJRT_Error_Code_ABORTED);
  // Nothing to move.
  ASSERT_VALUE(const Array empty, MakeIota({0}, rows));
  ASSERT_VALUE(const Array still_empty, empty.Reshard(everywhere));
  ExpectContents<int32_t>(still_empty, {});
}

INSTANTIATE_TEST_SUITE_P(Worlds, MoveChecklist,
                         ::testing::Values(World::kPlugin, World::kDenseOnly,
                                           World::kFourElsewhere),
                         NameOf);

}  // namespace
}  // namespace plinth::ifrt::testing
