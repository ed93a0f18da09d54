// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

// A remap of s32 arrays through the C API.
struct Remap {
  struct Mapping {
    size_t input, output;
    std::vector<plinth_ifrt_shard_interval> from, to;
  };
  std::vector<ArraySpec> inputs;
  std::vector<ArraySpec> outputs;
  std::vector<Mapping> mappings;

  static plinth_ifrt_shard_interval Shards(int64_t start, int64_t end, int64_t step = 1) {
    return {plinth_ifrt_shard_interval_STRUCT_SIZE, start, end, step};
  }

  template <typename Call>
  Status Run(Call call) const {
    const auto specs = [](const std::vector<ArraySpec>& list) {
      std::vector<plinth_ifrt_array_spec> c_specs;
      for (const ArraySpec& spec : list) {
        c_specs.push_back({plinth_ifrt_array_spec_STRUCT_SIZE, spec.type, spec.dims.data(),
                           spec.dims.size(), spec.sharding.get()});
      }
      return c_specs;
    };
    const auto c_inputs = specs(inputs);
    const auto c_outputs = specs(outputs);
    std::vector<plinth_ifrt_shard_mapping> c_mappings;
    for (const Mapping& one : mappings) {
      c_mappings.push_back({plinth_ifrt_shard_mapping_STRUCT_SIZE, one.input, one.output,
                            one.from.data(), one.from.size(), one.to.data(), one.to.size()});
    }
    const plinth_ifrt_remap_plan plan = {plinth_ifrt_remap_plan_STRUCT_SIZE,
                                         c_inputs.data(),
                                         c_inputs.size(),
                                         c_outputs.data(),
                                         c_outputs.size(),
                                         c_mappings.data(),
                                         c_mappings.size()};
    return Status(call(&plan));
  }
  Status Validate(const Client& client) const {
    return Run([&](const plinth_ifrt_remap_plan* plan) {
      return plinth_ifrt_remap_validate(client.get(), plan);
    });
  }
};

class CopyTest : public IfrtTest {
 protected:
  Expected<std::vector<Array>> Follow(const Remap& remap, std::vector<Array> arrays,
                                      Copy copy) const {
    std::vector<plinth_ifrt_array*> raw;
    for (const Array& array : arrays) raw.push_back(array.get());
    std::vector<plinth_ifrt_array*> made(remap.outputs.size());
    const Status status = remap.Run([&](const plinth_ifrt_remap_plan* plan) {
      return plinth_ifrt_arrays_remap(client_->get(), plan, raw.data(), raw.size(),
                                      static_cast<plinth_ifrt_copy_semantics>(copy), made.data());
    });
    if (!status.ok()) return status;
    plinth_ifrt_client_retain(client_->get());
    const internal::ClientHandle client(client_->get());
    std::vector<Array> result;
    for (plinth_ifrt_array* one : made) result.emplace_back(client, one);
    return result;
  }
};

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

TEST_F(CopyTest, RemapExtractsAndInterleaves) {
  ASSERT_VALUE(const Sharding two, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding second, client_->Single(devices_[1]));
  ASSERT_VALUE(const Array array, MakeIota({4}, two));
  const ArraySpec whole = {PJRT_Buffer_Type_S32, {4}, two};
  const Remap extract = {{whole},
                         {{PJRT_Buffer_Type_S32, {2}, second}},
                         {{0, 0, {Remap::Shards(1, 2)}, {Remap::Shards(0, 1)}}}};
  ASSERT_OK(extract.Validate(*client_));
  ASSERT_VALUE(const std::vector<Array> part, Follow(extract, {array}, Copy::kReuse));
  ASSERT_VALUE(const std::vector<int32_t> end, part[0].ToHost<int32_t>());
  EXPECT_EQ(end, (std::vector<int32_t>{2, 3}));

  Mesh others = MeshOf({2});
  others.devices = DevicesOf({2, 3});
  ASSERT_VALUE(const Sharding other, client_->Named(others, {{"a"}}));
  Mesh mixed = MeshOf({4});
  mixed.devices = DevicesOf({0, 2, 1, 3});
  ASSERT_VALUE(const Sharding four, client_->Named(mixed, {{"a"}}));
  ASSERT_VALUE(const Array more, MakeIota({4}, other));
  const Remap interleave = {{whole, {PJRT_Buffer_Type_S32, {4}, other}},
                            {{PJRT_Buffer_Type_S32, {8}, four}},
                            {{0, 0, {Remap::Shards(0, 2)}, {Remap::Shards(0, 4, 2)}},
                             {1, 0, {Remap::Shards(0, 2)}, {Remap::Shards(1, 4, 2)}}}};
  const auto refused = Follow(interleave, {array, more}, Copy::kReuse);
  EXPECT_EQ(refused.status().code(), kInvalid);
  ASSERT_VALUE(const std::vector<Array> both, Follow(interleave, {array, more}, Copy::kDonate));
  ASSERT_VALUE(const std::vector<int32_t> elements, both[0].ToHost<int32_t>());
  EXPECT_EQ(elements, (std::vector<int32_t>{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_TRUE(array.is_deleted() && more.is_deleted());
  EXPECT_EQ(Follow(interleave, {array, more}, Copy::kDonate).status().code(), kInvalid);
}

TEST_F(CopyTest, WhatIsWrongWithARemap) {
  ASSERT_VALUE(const Sharding two, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding moved, two.WithDevices(DevicesOf({1, 0})));
  const ArraySpec s32 = {PJRT_Buffer_Type_S32, {4}, two};
  const Remap identity = {{s32}, {s32}, {{0, 0, {Remap::Shards(0, 2)}, {Remap::Shards(0, 2)}}}};
  ASSERT_OK(identity.Validate(*client_));
  const auto wrong = [&](auto change) {
    Remap remap = identity;
    change(remap);
    return remap.Validate(*client_).code();
  };
  EXPECT_EQ(wrong([](Remap& r) { r.outputs[0].type = PJRT_Buffer_Type_F32; }), kInvalid);
  EXPECT_EQ(wrong([](Remap& r) { r.outputs[0].dims = {6}; }), kInvalid);
  EXPECT_EQ(wrong([&](Remap& r) { r.outputs[0].sharding = moved; }), kInvalid);
  EXPECT_EQ(wrong([](Remap& r) { r.mappings.clear(); }), kInvalid);
  EXPECT_EQ(wrong([](Remap& r) { r.mappings.push_back(r.mappings[0]); }), kInvalid);
  EXPECT_EQ(wrong([](Remap& r) { r.mappings[0].input = 1; }), kInvalid);
  for (const plinth_ifrt_shard_interval bad :
       {Remap::Shards(0, 3), Remap::Shards(-1, 2), Remap::Shards(0, 2, 0), Remap::Shards(2, 0),
        Remap::Shards(0, 1), Remap::Shards(0, 2, INT64_MAX), Remap::Shards(0, INT64_MAX)}) {
    EXPECT_EQ(wrong([&](Remap& r) { r.mappings[0].from = {bad}; }), kInvalid) << bad.start;
  }
  EXPECT_EQ(wrong([](Remap& r) {
              r.mappings[0].from = {Remap::Shards(0, 1), Remap::Shards(0, 1)};
            }),
            kInvalid);
  // Two outputs of the same shards, which nothing else forbids.
  EXPECT_EQ(wrong([&](Remap& r) {
              r.outputs.push_back(s32);
              r.mappings.push_back(r.mappings[0]);
              r.mappings[1].output = 1;
            }),
            kInvalid);
  ASSERT_VALUE(const Array array, MakeIota({4}, moved));
  EXPECT_EQ(Follow(identity, {array}, Copy::kReuse).status().code(), kInvalid);
  EXPECT_EQ(Follow(identity, {}, Copy::kReuse).status().code(), kInvalid);
  ASSERT_VALUE(const Array right, MakeIota({4}, two));
  EXPECT_EQ(Follow(identity, {right}, Copy::kAlways).status().code(), kInvalid);
}

}  // namespace
}  // namespace plinth::ifrt::testing
