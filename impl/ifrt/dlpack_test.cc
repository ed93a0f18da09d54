// SPDX-License-Identifier: Apache-2.0
// Tensors of DLPack out of arrays and into them.
#include <memory>

#include "impl/ifrt/dlpack_abi.h"
#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

constexpr PJRT_Error_Code kUnimplemented = PJRT_Error_Code_UNIMPLEMENTED;

class DlpackTest : public IfrtTest {
 protected:
  // As users have it, freed by its deleter.
  using Tensor = std::unique_ptr<DlpackManaged, void (*)(DlpackManaged*)>;
  static Expected<Tensor> Out(const Array& array, std::optional<size_t> shard = std::nullopt) {
    const Expected<void*> made = array.ToDlpack(shard);
    if (!made.ok()) return made.status();
    auto* const managed = static_cast<DlpackManaged*>(*made);
    return Tensor(managed, managed->deleter);
  }
  static const int32_t* Data(const DlpackManaged& managed) {
    return static_cast<const int32_t*>(managed.tensor.data);
  }

  // A tensor over memory of the test, which counts the calls of its deleter.
  struct Lent {
    std::vector<int32_t> elements;
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
    int deleted = 0;
    DlpackManaged managed = {};

    Lent(std::vector<int64_t> shape, int32_t first) : dims(std::move(shape)) {
      size_t count = 1;
      for (const int64_t extent : dims) count *= static_cast<size_t>(extent);
      elements.resize(count + 4);
      // Aligned as most plugins want it, by the offset that tensors may have.
      size_t offset = 0;
      while (reinterpret_cast<uintptr_t>(elements.data() + offset) % 16 != 0) ++offset;
      std::iota(elements.begin() + static_cast<ptrdiff_t>(offset), elements.end(), first);
      managed.major = 1;
      managed.manager = this;
      managed.deleter = [](DlpackManaged* self) { ++static_cast<Lent*>(self->manager)->deleted; };
      DlpackTensor& tensor = managed.tensor;
      tensor.data = elements.data();
      tensor.byte_offset = 4 * offset;
      tensor.device_type = kDlpackCpu;
      tensor.type_bits = 32;
      tensor.type_lanes = 1;
      tensor.rank = static_cast<int32_t>(dims.size());
      tensor.dims = dims.data();
    }
    Lent(const Lent&) = delete;
  };
  Expected<Array> In(const ArraySpec& spec, const std::vector<Lent*>& lent) const {
    std::vector<void*> tensors;
    for (Lent* one : lent) tensors.push_back(&one->managed);
    return client_->FromDlpack(spec, tensors);
  }
  static ArraySpec S32(std::vector<int64_t> dims, Sharding sharding) {
    return {PJRT_Buffer_Type_S32, std::move(dims), std::move(sharding)};
  }
};

TEST_F(DlpackTest, EachShardAndTheWholeWhereItIsReplicated) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({8}), {{"a"}, {}}));
  ASSERT_VALUE(const Array array, MakeIota({16, 3}, rows));
  for (size_t shard = 0; shard < 8; ++shard) {
    ASSERT_VALUE(const Tensor tensor, Out(array, shard));
    EXPECT_EQ(tensor->major, 1u);
    EXPECT_EQ(tensor->flags, kDlpackReadOnly);
    EXPECT_EQ(tensor->tensor.device_type, kDlpackCpu);
    ASSERT_EQ(tensor->tensor.rank, 2);
    EXPECT_EQ(tensor->tensor.dims[0], 2);
    EXPECT_EQ(tensor->tensor.dims[1], 3);
    EXPECT_EQ(tensor->tensor.strides[0], 3);
    EXPECT_EQ(tensor->tensor.strides[1], 1);
    EXPECT_EQ(tensor->tensor.type_code, 0);
    EXPECT_EQ(tensor->tensor.type_bits, 32);
    EXPECT_EQ(tensor->tensor.type_lanes, 1);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(Data(*tensor)[i], 6 * static_cast<int>(shard) + i);
  }
  EXPECT_EQ(Out(array).status().code(), kInvalid);
  EXPECT_EQ(Out(array, 8).status().code(), kInvalid);
  ASSERT_VALUE(const Sharding everywhere, client_->Replicated(devices_));
  ASSERT_VALUE(const Array whole, MakeIota({5}, everywhere));
  ASSERT_VALUE(const Tensor tensor, Out(whole));
  EXPECT_EQ(tensor->tensor.dims[0], 5);
  EXPECT_EQ(Data(*tensor)[4], 4);
  ASSERT_VALUE(const Tensor last, Out(whole, 7));
  EXPECT_NE(Data(*last), Data(*tensor)) << "another device";
}

// The memory is the array's own, and stays when that is gone.
TEST_F(DlpackTest, SharesTheMemoryAndKeepsIt) {
  ASSERT_VALUE(const Sharding one, client_->Single(devices_[1]));
  ASSERT_VALUE(Array array, MakeIota({1000}, one));
  ASSERT_VALUE(const Tensor first, Out(array));
  ASSERT_VALUE(const Tensor second, Out(array, 0));
  EXPECT_EQ(Data(*first), Data(*second));
  array.Delete();
  EXPECT_EQ(Out(array).status().code(), kInvalid);
  EXPECT_EQ(Data(*first)[999], 999);
  array = Array();
  EXPECT_EQ(Data(*second)[999], 999);
}

TEST_F(DlpackTest, TypesHaveTheirCodes) {
  ASSERT_VALUE(const Sharding one, client_->Single(devices_[0]));
  struct Row {
    PJRT_Buffer_Type type;
    int code;
    int bits;
  };
  const Row rows[] = {{PJRT_Buffer_Type_PRED, 6, 8}, {PJRT_Buffer_Type_S8, 0, 8},
                      {PJRT_Buffer_Type_U16, 1, 16}, {PJRT_Buffer_Type_F16, 2, 16},
                      {PJRT_Buffer_Type_F64, 2, 64}, {PJRT_Buffer_Type_BF16, 4, 16},
                      {PJRT_Buffer_Type_C64, 5, 64}, {PJRT_Buffer_Type_C128, 5, 128}};
  const std::vector<char> zeros(64);
  for (const Row& row : rows) {
    ASSERT_VALUE(const Array array, client_->FromHost({row.type, {2}, one}, zeros.data()));
    ASSERT_VALUE(const Tensor tensor, Out(array));
    EXPECT_EQ(tensor->tensor.type_code, row.code) << row.type;
    EXPECT_EQ(tensor->tensor.type_bits, row.bits) << row.type;
  }
  ASSERT_VALUE(const Array half_bytes,
               client_->FromHost({PJRT_Buffer_Type_S4, {2}, one}, zeros.data()));
  EXPECT_EQ(Out(half_bytes).status().code(), kUnimplemented);
  ASSERT_VALUE(const Array empty, client_->FromHost({PJRT_Buffer_Type_S32, {0, 3}, one}, nullptr));
  ASSERT_VALUE(const Tensor nothing, Out(empty));
  EXPECT_EQ(nothing->tensor.dims[0], 0);
  ASSERT_VALUE(const Array scalar,
               client_->FromHost({PJRT_Buffer_Type_S32, {}, one}, zeros.data()));
  ASSERT_VALUE(const Tensor point, Out(scalar));
  EXPECT_EQ(point->tensor.rank, 0);
}

TEST_F(DlpackTest, ErrorsOfArraysAreReturned) {
  ASSERT_VALUE(const Sharding one, client_->Single(devices_[0]));
  ASSERT_VALUE(const Array broken,
               client_->ErrorArray(S32({4}, one), PJRT_Error_Code_DATA_LOSS, "lost"));
  const Status status = Out(broken).status();
  EXPECT_EQ(status.code(), PJRT_Error_Code_DATA_LOSS);
  EXPECT_EQ(status.message(), "lost");
}

// Out, in again, out again: the same address, since the plugin uses memory of others.
TEST_F(DlpackTest, ThereAndBackWithoutACopy) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({8}), {{"a"}}));
  constexpr int64_t kEach = 1 << 16;
  ASSERT_VALUE(Array array, MakeIota({8 * kEach}, rows));
  std::vector<void*> tensors;
  std::vector<const void*> before;
  for (size_t shard = 0; shard < 8; ++shard) {
    ASSERT_VALUE(void* const tensor, array.ToDlpack(shard));
    before.push_back(static_cast<DlpackManaged*>(tensor)->tensor.data);
    tensors.push_back(tensor);
  }
  ASSERT_VALUE(const Array again, client_->FromDlpack(S32({8 * kEach}, rows), tensors));
  array = Array();
  for (size_t shard = 0; shard < 8; ++shard) {
    ASSERT_VALUE(const Tensor tensor, Out(again, shard));
    EXPECT_EQ(tensor->tensor.data, before[shard]) << shard;
  }
  ASSERT_VALUE(const std::vector<int32_t> elements, again.ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(8 * kEach));
}

TEST_F(DlpackTest, OneTensorForAllShardsWithStrides) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({8}), {{"a"}, {}}));
  Lent lent({16, 3}, 0);
  lent.strides = {1, 16};  // The transpose of [3, 16].
  lent.managed.tensor.strides = lent.strides.data();
  {
    ASSERT_VALUE(const Array array, In(S32({16, 3}, rows), {&lent}));
    ASSERT_VALUE(const std::vector<int32_t> elements, array.ToHost<int32_t>());
    for (size_t i = 0; i < 16; ++i) {
      for (size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(elements[3 * i + j], static_cast<int32_t>(16 * j + i));
      }
    }
  }
  EXPECT_EQ(lent.deleted, 1);
}

TEST_F(DlpackTest, TheDeleterRunsWhenNothingUsesTheMemory) {
  ASSERT_VALUE(const Sharding one, client_->Single(devices_[0]));
  Lent lent({1 << 16}, 7);
  {
    ASSERT_VALUE(const Array array, In(S32({1 << 16}, one), {&lent}));
    ASSERT_VALUE(const Array sharer, array.CopyTo({}, "", Copy::kReuse));
    ASSERT_VALUE(const std::vector<int32_t> elements, sharer.ToHost<int32_t>());
    EXPECT_EQ(elements[1], 8);
  }
  EXPECT_EQ(lent.deleted, 1);
}

TEST_F(DlpackTest, WhatIsWrongStaysTheCallers) {
  ASSERT_VALUE(const Sharding one, client_->Single(devices_[0]));
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({8}), {{"a"}}));
  Lent good({4}, 0);
  const auto refused = [&](Lent& lent, const ArraySpec& spec, const std::string& text) {
    ExpectInvalid(In(spec, {&lent}).status(), text);
  };
  const auto unimplemented = [&](Lent& lent, const ArraySpec& spec) {
    EXPECT_EQ(In(spec, {&lent}).status().code(), kUnimplemented);
  };
  Lent future({4}, 0);
  future.managed.major = 2;
  refused(future, S32({4}, one), "tensor 0: it is of DLPack 2.0");
  Lent floats({4}, 0);
  floats.managed.tensor.type_code = 2;
  refused(floats, S32({4}, one), "tensor 0: its DLPack type is 2 of 32 bits");
  Lent lanes({4}, 0);
  lanes.managed.tensor.type_lanes = 4;
  refused(lanes, S32({4}, one), "4 lanes; s32 is 0 of 32, 1 lane");
  Lent far({4}, 0);
  far.managed.tensor.device_type = kDlpackCuda;
  unimplemented(far, S32({4}, one));
  Lent rank({4}, 0);
  rank.managed.tensor.rank = -1;
  refused(rank, S32({4}, one), "tensor 0: it has -1 dimensions");
  Lent nowhere({4}, 0);
  nowhere.managed.tensor.data = nullptr;
  refused(nowhere, S32({4}, one), "array 0: it has no data: null");
  refused(good, S32({5}, one), "tensor 0 has shape [4]; its shard has [5]");
  refused(good, S32({16}, rows),
          "1 tensors for s32[16], which has 8 shards");  // One of eight shards.
  unimplemented(good, {PJRT_Buffer_Type_S4, {4}, one});
  ExpectInvalid(In(S32({4}, one), {}).status(), "0 tensors for s32[4], which has 1 shard");
  ExpectInvalid(In(S32({4}, one), {&good, &good}).status(),
                "2 tensors for s32[4], which has 1 shard");
  void* const null = nullptr;
  ExpectInvalid(client_->FromDlpack(S32({4}, one), {&null, 1}).status(), "null");
  // Shards are dense; the last one is not.
  ASSERT_VALUE(const Sharding pair, client_->Named({{{"a", 2}}, DevicesOf({0, 1})}, {{"a"}}));
  Lent strided({2}, 0);
  strided.strides = {2};
  strided.managed.tensor.strides = strided.strides.data();
  Lent half({2}, 0);
  ExpectInvalid(In(S32({4}, pair), {&half, &strided}).status(), "tensor 1 is not dense row-major");
  for (const Lent* lent :
       {&good, &future, &floats, &lanes, &far, &rank, &nowhere, &strided, &half}) {
    EXPECT_EQ(lent->deleted, 0);
  }
}

}  // namespace
}  // namespace plinth::ifrt::testing
