// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <random>

#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

class ReshardTest : public IfrtTest {
 protected:
  // Some devices, in any order.
  std::vector<Device> SomeDevices(size_t count) {
    std::vector<Device> devices = devices_;
    std::shuffle(devices.begin(), devices.end(), random_);
    devices.resize(count);
    return devices;
  }
  size_t Below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }

  // Uneven boxes: rows cut anywhere.
  Expected<Sharding> AnyRows(const std::vector<int64_t>& dims, const std::string& memory) {
    const size_t count = 1 + Below(4);
    std::vector<int64_t> cuts = {0, dims[0]};
    for (size_t i = 1; i < count; ++i) {
      cuts.push_back(static_cast<int64_t>(Below(static_cast<size_t>(dims[0]) + 1)));
    }
    std::sort(cuts.begin(), cuts.end());
    std::vector<IndexDomain> domains;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      IndexDomain domain{std::vector<int64_t>(dims.size(), 0), dims};
      domain.origin[0] = cuts[i];
      domain.extents[0] = cuts[i + 1] - cuts[i];
      domains.push_back(std::move(domain));
    }
    return client_->Concrete(SomeDevices(domains.size()), dims, domains, memory);
  }

  Expected<Sharding> AnySharding(const std::vector<int64_t>& dims) {
    const std::vector<std::string> kinds = devices_[0].memory_kinds();
    const std::string memory = kinds[Below(kinds.size())];
    if (!dims.empty() && Below(4) == 0) return AnyRows(dims, memory);
    static const std::vector<std::vector<int64_t>> kMeshes = {{1},    {2},    {3},    {8},
                                                              {2, 2}, {4, 2}, {2, 3}, {2, 2, 2}};
    Mesh mesh = MeshOf(kMeshes[Below(kMeshes.size())]);
    mesh.devices = SomeDevices(mesh.devices.size());
    AxesOfDims axes(dims.size());
    for (const Mesh::Axis& axis : mesh.axes) {
      const size_t place = Below(dims.size() + 1);
      if (place < dims.size()) axes[place].push_back(axis.name);
    }
    return client_->Named(mesh, axes, memory);
  }

  // There and back gives the same bytes, also by way of kAny where `rung` does not go.
  void ThereAndBack(Rung rung) {
    static constexpr PJRT_Buffer_Type kTypes[] = {
        PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_S4,  PJRT_Buffer_Type_U8, PJRT_Buffer_Type_BF16,
        PJRT_Buffer_Type_S32,  PJRT_Buffer_Type_F64, PJRT_Buffer_Type_C64};
    static constexpr size_t kSizes[] = {1, 1, 1, 2, 4, 8, 8};
    const size_t kind = Below(std::size(kTypes));
    std::vector<int64_t> dims(Below(4));
    size_t bytes = kSizes[kind];
    for (int64_t& extent : dims) {
      extent = static_cast<int64_t>(Below(9));
      bytes *= static_cast<size_t>(extent);
    }
    std::vector<uint8_t> contents(bytes + 1);
    for (size_t i = 0; i < bytes; ++i) contents[i] = static_cast<uint8_t>(Below(2));
    ASSERT_VALUE(const Sharding from, AnySharding(dims));
    ASSERT_VALUE(const Sharding to, AnySharding(dims));
    const std::string what = from.ToString() + " -> " + to.ToString();
    const Copy copy = Below(2) == 0 ? Copy::kAlways : Copy::kDonate;
    ASSERT_VALUE(const Array array, client_->FromHost({kTypes[kind], dims, from}, contents.data()));
    // Programs cannot move everything: then nothing has happened to the array.
    const bool may_refuse = rung == Rung::kIdentity || rung == Rung::kPrograms;
    Expected<Array> there = array.Reshard(to, copy, rung);
    if (there.ok()) ++num_moved_;
    if (may_refuse && !there.ok()) there = array.Reshard(to, copy);
    ASSERT_TRUE(there.ok()) << what << ": " << there.status().message();
    EXPECT_EQ(array.is_deleted(), copy == Copy::kDonate);
    Expected<Array> back = there->Reshard(from, copy, rung);
    if (may_refuse && !back.ok()) back = there->Reshard(from, copy);
    ASSERT_TRUE(back.ok()) << what << ": " << back.status().message();
    for (const Array& one : {*there, *back}) {
      if (one.is_deleted()) continue;
      // Every replica, not only the first.
      ASSERT_VALUE(const std::vector<IndexDomain> domains, one.sharding().IndexDomains(dims));
      std::vector<uint8_t> read(bytes + 1);
      ASSERT_VALUE(const Future<> copied, one.CopyToHost(read.data()));
      const Status status = copied.Await();
      ASSERT_TRUE(status.ok()) << what << ": " << status.message();
      EXPECT_EQ(read, contents) << what;
      ASSERT_VALUE(const std::vector<Array> parts, one.Disassemble());
      for (size_t i = 0; i < parts.size(); ++i) {
        const auto same = std::find(domains.begin(), domains.end(), domains[i]);
        if (same == domains.begin() + static_cast<ptrdiff_t>(i)) continue;
        const auto first = static_cast<size_t>(same - domains.begin());
        std::vector<uint8_t> replica(bytes + 1);
        std::vector<uint8_t> other(bytes + 1);
        ASSERT_VALUE(const Future<> a, parts[i].CopyToHost(replica.data()));
        ASSERT_VALUE(const Future<> b, parts[first].CopyToHost(other.data()));
        ASSERT_OK(a.Await());
        ASSERT_OK(b.Await());
        EXPECT_EQ(replica, other) << what;
      }
    }
  }

  // More in the parts that take long.
  static int Rounds() {
    const char* rounds = std::getenv("PLINTH_IFRT_ROUNDS");
    return rounds == nullptr ? 500 : std::atoi(rounds);
  }

  std::mt19937_64 random_{20261122};
  int num_moved_ = 0;  // Arrays that the rung of ThereAndBack took.
};

TEST_F(ReshardTest, ThereAndBackByAnyRung) {
  for (int i = 0; i < Rounds() && !HasFailure(); ++i) ThereAndBack(Rung::kAny);
}

TEST_F(ReshardTest, ThereAndBackOverTheHost) {
  for (int i = 0; i < Rounds() && !HasFailure(); ++i) ThereAndBack(Rung::kHost);
}

TEST_F(ReshardTest, ThereAndBackByOneProgram) {
  for (int i = 0; i < Rounds() && !HasFailure(); ++i) ThereAndBack(Rung::kIdentity);
}

TEST_F(ReshardTest, ThereAndBackByPrograms) {
  for (int i = 0; i < Rounds() && !HasFailure(); ++i) ThereAndBack(Rung::kPrograms);
  EXPECT_GT(num_moved_, Rounds() / 2) << "moved by programs, which leave few to the host";
}

TEST_F(ReshardTest, ProgramsAloneMoveEveryGrid) {
  const std::vector<int64_t> dims = {4, 8};
  ASSERT_VALUE(const Sharding wide, client_->Named(MeshOf({2, 4}), {{"a"}, {"b"}}));
  ASSERT_VALUE(const Sharding tall, client_->Named(MeshOf({4, 2}), {{"a"}, {"b"}}));
  ASSERT_VALUE(const Sharding partial, client_->Named(MeshOf({4, 2}), {{}, {"b"}}));
  ASSERT_VALUE(const Sharding replicated, client_->Replicated(devices_));
  ASSERT_VALUE(const Sharding pair, client_->Replicated(DevicesOf({4, 0})));
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[6]));
  const std::vector<Sharding> all = {wide, tall, partial, replicated, pair, single};
  for (const Sharding& from : all) {
    for (const Sharding& to : all) {
      ASSERT_VALUE(const Array array, MakeIota(dims, from));
      const Expected<Array> moved = array.Reshard(to, Copy::kAlways, Rung::kPrograms);
      ASSERT_TRUE(moved.ok()) << moved.status().message();
      ASSERT_VALUE(const std::vector<int32_t> elements, moved->ToHost<int32_t>());
      EXPECT_EQ(elements, Iota(32)) << from.ToString() << " -> " << to.ToString();
    }
  }
}

TEST_F(ReshardTest, OneProgramMovesWhatIsOnTheSameDevices) {
  const std::vector<int64_t> dims = {8, 16};
  Mesh reversed = MeshOf({2, 4});
  std::reverse(reversed.devices.begin(), reversed.devices.end());
  ASSERT_VALUE(const Sharding wide, client_->Named(MeshOf({2, 4}), {{"a"}, {"b"}}));
  ASSERT_VALUE(const Sharding turned, client_->Named(reversed, {{"b"}, {"a"}}));
  ASSERT_VALUE(const Sharding partial, client_->Named(MeshOf({4, 2}), {{}, {"b"}}));
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({8}), {{"a"}, {}}));
  ASSERT_VALUE(const Sharding replicated, client_->Replicated(devices_));
  const std::vector<Sharding> all = {wide, turned, partial, rows, replicated};
  for (const Sharding& from : all) {
    for (const Sharding& to : all) {
      const std::string what = from.ToString() + " -> " + to.ToString();
      ASSERT_VALUE(const Array array, MakeIota(dims, from));
      const Expected<Array> moved = array.Reshard(to, Copy::kAlways, Rung::kIdentity);
      ASSERT_TRUE(moved.ok()) << what << ": " << moved.status().message();
      EXPECT_EQ(moved->sharding(), to);
      // Each shard, replicas too.
      ASSERT_VALUE(const std::vector<IndexDomain> domains, to.IndexDomains(dims));
      ASSERT_VALUE(const std::vector<Array> parts, moved->Disassemble());
      for (size_t i = 0; i < parts.size(); ++i) {
        ASSERT_VALUE(const std::vector<int32_t> elements, parts[i].ToHost<int32_t>());
        std::vector<int32_t> want;
        const IndexDomain& box = domains[i];
        for (int64_t row = box.origin[0]; row < box.origin[0] + box.extents[0]; ++row) {
          for (int64_t column = box.origin[1]; column < box.origin[1] + box.extents[1]; ++column) {
            want.push_back(static_cast<int32_t>(row * 16 + column));
          }
        }
        EXPECT_EQ(elements, want) << what << ", shard " << i;
      }
    }
  }
}

TEST_F(ReshardTest, WhereNoOneProgramDoes) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Sharding fewer, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding others, client_->Replicated(DevicesOf({4, 5, 6, 7})));
  ASSERT_VALUE(const Sharding copies, client_->Replicated(DevicesOf({0, 1, 2, 3})));
  const std::vector<int64_t> dims = {8};
  const std::vector<IndexDomain> rests = {{{0}, {1}}, {{1}, {3}}, {{4}, {3}}, {{7}, {1}}};
  ASSERT_VALUE(const Sharding boxes, client_->Concrete(DevicesOf({0, 1, 2, 3}), dims, rests));
  ASSERT_VALUE(const Array even, MakeIota({8}, rows));
  ASSERT_VALUE(const Array uneven, MakeIota({7}, rows));
  ASSERT_VALUE(const Array empty, MakeIota({0}, rows));
  const auto refused = [](const Array& array, const Sharding& to) {
    const Status status = array.Reshard(to, Copy::kAlways, Rung::kIdentity).status();
    EXPECT_EQ(status.code(), PJRT_Error_Code_UNIMPLEMENTED);
    return std::string(status.message());
  };
  EXPECT_NE(refused(even, fewer).find("4 shards that become 2"), std::string::npos);
  EXPECT_NE(refused(even, others).find("other devices"), std::string::npos);
  EXPECT_NE(refused(even, boxes).find("has no"), std::string::npos);
  EXPECT_NE(refused(uneven, copies).find("of one size"), std::string::npos);
  EXPECT_NE(refused(empty, copies).find("nothing to move"), std::string::npos);
}

TEST_F(ReshardTest, WhatIsInItsPlaceIsShared) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Sharding same, client_->Named(MeshOf({4, 1}), {{"a"}}));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  ASSERT_VALUE(const Array shared, array.Reshard(same, Copy::kReuse));
  ASSERT_VALUE(const Array taken, shared.Reshard(rows, Copy::kDonate));
  EXPECT_TRUE(array.is_deleted());
  ASSERT_VALUE(const std::vector<int32_t> elements, taken.ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(8));
}

TEST_F(ReshardTest, APoisonedInputPoisonsItsOwnOutputOnly) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Sharding single, client_->Single(devices_[7]));
  ASSERT_VALUE(const Array good, MakeIota({8}, rows));
  ASSERT_VALUE(const Array bad, client_->ErrorArray({PJRT_Buffer_Type_S32, {8}, rows},
                                                    PJRT_Error_Code_ABORTED, "lost"));
  const Array both[] = {good, bad};
  const Sharding to[] = {single, single};
  ASSERT_VALUE(const std::vector<Array> moved, client_->Reshard(both, to));
  ASSERT_VALUE(const std::vector<int32_t> elements, moved[0].ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(8));
  EXPECT_EQ(moved[1].Ready().Await().code(), PJRT_Error_Code_ABORTED);
}

// What the plugin is asked to move, by a table that counts.
struct Moves {
  int copies = 0;  // From device to device.
  int reads = 0;
  int writes = 0;
  friend bool operator==(const Moves&, const Moves&) = default;
};
Moves moves;
PJRT_Api plugin;

PJRT_Error* CopyToMemory(PJRT_Buffer_CopyToMemory_Args* args) {
  ++moves.copies;
  return plugin.PJRT_Buffer_CopyToMemory(args);
}
PJRT_Error* ToHost(PJRT_Buffer_ToHostBuffer_Args* args) {
  if (args->dst != nullptr) ++moves.reads;
  return plugin.PJRT_Buffer_ToHostBuffer(args);
}
PJRT_Error* FromHost(PJRT_Client_BufferFromHostBuffer_Args* args) {
  ++moves.writes;
  return plugin.PJRT_Client_BufferFromHostBuffer(args);
}

TEST_F(ReshardTest, EachShardGoesOnceToEachTarget) {
  plugin = *client_->api();
  static PJRT_Api table = plugin;
  table.PJRT_Buffer_CopyToMemory = &CopyToMemory;
  table.PJRT_Buffer_ToHostBuffer = &ToHost;
  table.PJRT_Client_BufferFromHostBuffer = &FromHost;
  ASSERT_VALUE(const Client client, Client::Create({.api = &table, .options = {"num_devices=8"}}));
  const std::vector<Device> devices = client.devices();
  const std::span<const Device> all(devices);
  const auto some = [&](size_t from, size_t count) {
    return std::vector<Device>(devices.begin() + static_cast<ptrdiff_t>(from),
                               devices.begin() + static_cast<ptrdiff_t>(from + count));
  };
  ASSERT_VALUE(const Sharding rows, client.Named({{{"a", 4}}, some(0, 4)}, {{"a"}}));
  ASSERT_VALUE(const Sharding elsewhere, rows.WithDevices(some(4, 4)));
  ASSERT_VALUE(const Sharding half_there, rows.WithDevices(some(2, 4)));
  ASSERT_VALUE(const Sharding pair, client.Replicated(all.subspan(5, 2)));
  ASSERT_VALUE(const Array array, client.FromHost<int32_t>({8}, rows, Iota(8)));
  const auto moves_to = [&](const Sharding& to, Copy copy, Rung rung) {
    moves = {};
    const Expected<Array> moved = array.Reshard(to, copy, rung);
    const Moves seen = moves;
    const Expected<std::vector<int32_t>> elements =
        moved.ok() ? moved->ToHost<int32_t>() : moved.status();
    EXPECT_TRUE(elements.ok() && *elements == Iota(8)) << elements.status().message();
    return seen;
  };
  EXPECT_EQ(moves_to(elsewhere, Copy::kAlways, Rung::kAny), (Moves{4, 0, 0}));
  EXPECT_EQ(moves_to(half_there, Copy::kAlways, Rung::kAny), (Moves{4, 0, 0}));
  EXPECT_EQ(moves_to(rows, Copy::kReuse, Rung::kAny), (Moves{0, 0, 0}));
  // Both targets want every shard, which is read once.
  EXPECT_EQ(moves_to(pair, Copy::kAlways, Rung::kHost), (Moves{0, 4, 2}));
}

TEST_F(ReshardTest, WrongTargets) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
  ASSERT_VALUE(const Sharding planes, client_->Named(MeshOf({4}), {{"a"}, {}}));
  ASSERT_VALUE(const Sharding opaque, client_->Opaque(devices_));
  ASSERT_VALUE(const Array array, MakeIota({8}, rows));
  ExpectInvalid(array.Reshard(planes, Copy::kDonate).status(),
                "array 0: a sharding with tiles [4,1] over 4 is for arrays of 2 dimensions");
  EXPECT_EQ(array.Reshard(opaque, Copy::kDonate).status().code(),
            PJRT_Error_Code_FAILED_PRECONDITION);
  ExpectInvalid(array.Reshard(Sharding(), Copy::kDonate).status(),
                "the new sharding of array 0 is null");
  ExpectInvalid(array.Reshard(rows, Copy::kDonate, static_cast<Rung>(9)).status(), "rung 9");
  ASSERT_VALUE(const Client other, Client::Create({.plugin = PluginPath()}));
  ASSERT_VALUE(const Sharding elsewhere, other.Single(other.devices()[0]));
  ExpectInvalid(array.Reshard(elsewhere, Copy::kDonate).status(),
                "the new sharding of array 0 is of another client");
  EXPECT_FALSE(array.is_deleted());
}

}  // namespace
}  // namespace plinth::ifrt::testing
