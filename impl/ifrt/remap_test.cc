// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

class RemapTest : public IfrtTest {
 protected:
  Expected<std::vector<Array>> Follow(const Remap& remap, const std::vector<Array>& arrays,
                                      Copy copy) const {
    return client_->Follow(remap, arrays, copy);
  }
};

TEST_F(RemapTest, ExtractsAndInterleaves) {
  ASSERT_VALUE(const Sharding two, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding second, client_->Single(devices_[1]));
  ASSERT_VALUE(const Array array, MakeIota({4}, two));
  const ArraySpec whole = {PJRT_Buffer_Type_S32, {4}, two};
  const Remap extract = {
      {whole}, {{PJRT_Buffer_Type_S32, {2}, second}}, {{0, 0, {{1, 2}}, {{0, 1}}}}};
  ASSERT_OK(client_->Validate(extract));
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
                            {{0, 0, {{0, 2}}, {{0, 4, 2}}}, {1, 0, {{0, 2}}, {{1, 4, 2}}}}};
  ExpectInvalid(Follow(interleave, {array, more}, Copy::kReuse).status(),
                "output 0 has shards of several inputs, which needs donate");
  ASSERT_VALUE(const std::vector<Array> both, Follow(interleave, {array, more}, Copy::kDonate));
  ASSERT_VALUE(const std::vector<int32_t> elements, both[0].ToHost<int32_t>());
  EXPECT_EQ(elements, (std::vector<int32_t>{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_TRUE(array.is_deleted() && more.is_deleted());
  ExpectInvalid(Follow(interleave, {array, more}, Copy::kDonate).status(),
                "was deleted or donated");
}

TEST_F(RemapTest, ExtractsByDonationToo) {
  ASSERT_VALUE(const Sharding two, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding second, client_->Single(devices_[1]));
  ASSERT_VALUE(const Array array, MakeIota({4}, two));
  const Remap extract = {{{PJRT_Buffer_Type_S32, {4}, two}},
                         {{PJRT_Buffer_Type_S32, {2}, second}},
                         {{0, 0, {{1, 2}}, {{0, 1}}}}};
  ASSERT_VALUE(const std::vector<Array> part, Follow(extract, {array}, Copy::kDonate));
  EXPECT_TRUE(array.is_deleted()) << "also what was not taken";
  ASSERT_VALUE(const std::vector<int32_t> end, part[0].ToHost<int32_t>());
  EXPECT_EQ(end, (std::vector<int32_t>{2, 3}));
}

// The shards of two arrays, each of its own type and shape, go to two arrays each, by turns.
TEST_F(RemapTest, DeinterleavesABatch) {
  ASSERT_VALUE(const Sharding four, client_->Named(MeshOf({4}), {{"a"}}));
  Mesh even = MeshOf({2});
  even.devices = DevicesOf({0, 2});
  Mesh odd = MeshOf({2});
  odd.devices = DevicesOf({1, 3});
  ASSERT_VALUE(const Sharding evens, client_->Named(even, {{"a"}}));
  ASSERT_VALUE(const Sharding odds, client_->Named(odd, {{"a"}}));
  const Remap remap = {{{PJRT_Buffer_Type_S32, {4}, four}, {PJRT_Buffer_Type_S8, {24}, four}},
                       {{PJRT_Buffer_Type_S32, {2}, evens},
                        {PJRT_Buffer_Type_S32, {2}, odds},
                        {PJRT_Buffer_Type_S8, {12}, evens},
                        {PJRT_Buffer_Type_S8, {12}, odds}},
                       {{0, 0, {{0, 4, 2}}, {{0, 2}}},
                        {0, 1, {{1, 4, 2}}, {{0, 2}}},
                        {1, 2, {{0, 4, 2}}, {{0, 2}}},
                        {1, 3, {{1, 4, 2}}, {{0, 2}}}}};
  for (const Copy copy : {Copy::kReuse, Copy::kDonate}) {
    ASSERT_VALUE(const Array numbers, MakeIota({4}, four));
    ASSERT_VALUE(const Array bytes, client_->FromHost<int8_t>({24}, four, Iota<int8_t>(24)));
    ASSERT_VALUE(const std::vector<Array> parts, Follow(remap, {numbers, bytes}, copy));
    EXPECT_EQ(numbers.is_deleted(), copy == Copy::kDonate);
    EXPECT_EQ(bytes.is_deleted(), copy == Copy::kDonate);
    ASSERT_VALUE(const std::vector<int32_t> first, parts[0].ToHost<int32_t>());
    ASSERT_VALUE(const std::vector<int32_t> second, parts[1].ToHost<int32_t>());
    EXPECT_EQ(first, (std::vector<int32_t>{0, 2}));
    EXPECT_EQ(second, (std::vector<int32_t>{1, 3}));
    ASSERT_VALUE(const std::vector<int8_t> third, parts[2].ToHost<int8_t>());
    ASSERT_VALUE(const std::vector<int8_t> fourth, parts[3].ToHost<int8_t>());
    EXPECT_EQ(third, (std::vector<int8_t>{0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17}));
    EXPECT_EQ(fourth, (std::vector<int8_t>{6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23}));
  }
}

TEST_F(RemapTest, ABatchThatStaysAsItIs) {
  ASSERT_VALUE(const Sharding two, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding others, two.WithDevices(DevicesOf({5, 4})));
  const std::vector<ArraySpec> specs = {{PJRT_Buffer_Type_S32, {4}, two},
                                        {PJRT_Buffer_Type_S32, {6}, others}};
  const Remap identity = {specs, specs, {{0, 0, {{0, 2}}, {{0, 2}}}, {1, 1, {{0, 2}}, {{0, 2}}}}};
  ASSERT_VALUE(const Array four, MakeIota({4}, two));
  ASSERT_VALUE(const Array six, MakeIota({6}, others));
  ASSERT_VALUE(const std::vector<Array> same, Follow(identity, {four, six}, Copy::kReuse));
  ASSERT_VALUE(const std::vector<int32_t> first, same[0].ToHost<int32_t>());
  ASSERT_VALUE(const std::vector<int32_t> second, same[1].ToHost<int32_t>());
  EXPECT_EQ(first, Iota(4));
  EXPECT_EQ(second, Iota(6));
}

// Where a plan does not say how arrays are cut, the shards themselves are looked at.
TEST_F(RemapTest, OfOpaqueArraysAndToThem) {
  ASSERT_VALUE(const Sharding two, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding opaque, client_->Opaque(DevicesOf({0, 1})));
  ASSERT_VALUE(const Sharding opaque_turned, client_->Opaque(DevicesOf({1, 0})));
  ASSERT_VALUE(const Sharding elsewhere, client_->Opaque(DevicesOf({2, 3})));
  const auto plan = [](const Sharding& from, const Sharding& to, int64_t size) {
    return Remap{{{PJRT_Buffer_Type_S32, {4}, from}},
                 {{PJRT_Buffer_Type_S32, {size}, to}},
                 {{0, 0, {{0, 2}}, {{0, 2}}}}};
  };
  ASSERT_VALUE(const Array array, MakeIota({4}, two));
  // The order of devices changes, which is all that the plan says.
  Remap reorder = plan(opaque, opaque_turned, 4);
  reorder.mappings[0] = {0, 0, {{0, 1}}, {{1, 2}}};
  reorder.mappings.push_back({0, 0, {{1, 2}}, {{0, 1}}});
  ASSERT_VALUE(const std::vector<Array> turned, Follow(reorder, {array}, Copy::kReuse));
  EXPECT_EQ(turned[0].sharding(), opaque_turned);
  ASSERT_VALUE(const std::vector<Array> parts, turned[0].Disassemble());
  ASSERT_VALUE(const std::vector<int32_t> first, parts[0].ToHost<int32_t>());
  EXPECT_EQ(first, (std::vector<int32_t>{2, 3}));
  // Back to a cut that is known, which the shards must go with.
  ASSERT_VALUE(const std::vector<Array> opaque_one,
               Follow(plan(two, opaque, 4), {array}, Copy::kReuse));
  ASSERT_VALUE(const std::vector<Array> known,
               Follow(plan(opaque, two, 4), {opaque_one[0]}, Copy::kReuse));
  ASSERT_VALUE(const std::vector<int32_t> elements, known[0].ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(4));
  for (const Array& from : {array, opaque_one[0]}) {
    const Status wrong = Follow(plan(opaque, two, 6), {from}, Copy::kDonate).status();
    EXPECT_EQ(wrong.code(), kInvalid);
    EXPECT_NE(wrong.message().find("has shape [2], output shard 0 [3]"), std::string::npos)
        << wrong.message();
    EXPECT_FALSE(from.is_deleted());
  }
  EXPECT_EQ(Follow(plan(elsewhere, elsewhere, 4), {array}, Copy::kReuse).status().code(), kInvalid);
}

TEST_F(RemapTest, AnErrorGoesWithItsShard) {
  ASSERT_VALUE(const Sharding two, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding second, client_->Single(devices_[1]));
  ASSERT_VALUE(const Array bad, client_->ErrorArray({PJRT_Buffer_Type_S32, {4}, two},
                                                    PJRT_Error_Code_ABORTED, "lost"));
  const Remap extract = {{{PJRT_Buffer_Type_S32, {4}, two}},
                         {{PJRT_Buffer_Type_S32, {2}, second}},
                         {{0, 0, {{1, 2}}, {{0, 1}}}}};
  for (const Copy copy : {Copy::kReuse, Copy::kDonate}) {
    ASSERT_VALUE(const std::vector<Array> part, Follow(extract, {bad}, copy));
    EXPECT_EQ(part[0].Ready().Await().code(), PJRT_Error_Code_ABORTED);
    EXPECT_EQ(part[0].Ready().Await().message(), "lost");
  }
}

TEST_F(RemapTest, WhatIsWrong) {
  ASSERT_VALUE(const Sharding two, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding moved, two.WithDevices(DevicesOf({1, 0})));
  const ArraySpec s32 = {PJRT_Buffer_Type_S32, {4}, two};
  const Remap identity = {{s32}, {s32}, {{0, 0, {{0, 2}}, {{0, 2}}}}};
  ASSERT_OK(client_->Validate(identity));
  std::string why;
  const auto wrong = [&](auto change) {
    Remap remap = identity;
    change(remap);
    const Status status = client_->Validate(remap);
    why = status.message();
    return status.code();
  };
  EXPECT_EQ(wrong([](Remap& r) { r.outputs[0].type = PJRT_Buffer_Type_F32; }), kInvalid);
  EXPECT_EQ(why, "mapping 0: an input of type s32 is mapped to an output of type f32");
  EXPECT_EQ(wrong([](Remap& r) { r.outputs[0].dims = {6}; }), kInvalid);
  EXPECT_EQ(why, "mapping 0: input shard 0 has shape [2], output shard 0 [3]");
  EXPECT_EQ(wrong([&](Remap& r) { r.outputs[0].sharding = moved; }), kInvalid);
  EXPECT_NE(why.find("mapping 0: input shard 0 is on device 0"), std::string::npos) << why;
  EXPECT_EQ(wrong([](Remap& r) { r.mappings.clear(); }), kInvalid);
  EXPECT_EQ(why, "no mapping gives output 0 its shard 0");
  EXPECT_EQ(wrong([](Remap& r) { r.mappings.push_back(r.mappings[0]); }), kInvalid);
  EXPECT_EQ(why, "mapping 1 uses shard 0 of input 0, which was used before");
  EXPECT_EQ(wrong([](Remap& r) { r.mappings[0].input = 1; }), kInvalid);
  EXPECT_EQ(why, "mapping 0 goes from input 1 of 1 to output 0 of 1");
  for (const Remap::Shards& bad : std::vector<Remap::Shards>{
           {0, 3}, {-1, 2}, {0, 2, 0}, {2, 0}, {0, 1}, {0, 2, INT64_MAX}, {0, INT64_MAX}}) {
    EXPECT_EQ(wrong([&](Remap& r) { r.mappings[0].from = {bad}; }), kInvalid) << bad.start;
  }
  EXPECT_EQ(wrong([](Remap& r) { r.mappings[0].from = {{0, 1}, {0, 1}}; }), kInvalid);
  EXPECT_EQ(why, "mapping 0 uses shard 0 of input 0, which was used before");
  // Two outputs of the same shards, which nothing else forbids.
  EXPECT_EQ(wrong([&](Remap& r) {
              r.outputs.push_back(s32);
              r.mappings.push_back(r.mappings[0]);
              r.mappings[1].output = 1;
            }),
            kInvalid);
  EXPECT_EQ(why, "mapping 1 uses shard 0 of input 0, which was used before");
  EXPECT_EQ(wrong([](Remap& r) { r.mappings[0].from = {{0, 3}}; }), kInvalid);
  EXPECT_EQ(why, "mapping 0: interval 0:3:1 is not within 0:2 with a step of at least 1");
  ASSERT_VALUE(const Array array, MakeIota({4}, moved));
  ExpectInvalid(Follow(identity, {array}, Copy::kReuse).status(),
                "array 0 is s32[4] with tiles [2] over 2, devices 1,0");
  ExpectInvalid(Follow(identity, {}, Copy::kReuse).status(), "a remap of 1 arrays was given 0");
  ASSERT_VALUE(const Array right, MakeIota({4}, two));
  ExpectInvalid(Follow(identity, {right}, Copy::kAlways).status(),
                "a remap copies nothing: give reuse or donate");
}

}  // namespace
}  // namespace plinth::ifrt::testing
