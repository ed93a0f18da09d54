// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

class BitcastTest : public IfrtTest {
 protected:
  // The bytes on the host, whatever the type.
  static std::vector<uint8_t> BytesOf(const Array& array, size_t size) {
    std::vector<uint8_t> bytes(size);
    const Expected<Future<>> copied = array.CopyToHost(bytes.data());
    EXPECT_TRUE(copied.ok() && copied->Await().ok());
    return bytes;
  }

  static const PJRT_Api* PluginTable() {
    void* const library = dlopen(PluginPath().c_str(), RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"))();
  }

  void CheckTypesAndShapes() const {
    ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({4}), {{"a"}}));
    ASSERT_VALUE(const Sharding matrix, client_->Named(MeshOf({4}), {{"a"}, {}}));
    ASSERT_VALUE(const Array array, MakeIota({8}, rows));
    const std::vector<uint8_t> bytes = BytesOf(array, 32);
    const std::vector<ArraySpec> specs = {{PJRT_Buffer_Type_F32, {8}, rows},
                                          {PJRT_Buffer_Type_U8, {8, 4}, matrix},
                                          {PJRT_Buffer_Type_U64, {4, 1}, matrix},
                                          {PJRT_Buffer_Type_C64, {4}, rows}};
    for (const ArraySpec& spec : specs) {
      for (const Copy copy : {Copy::kAlways, Copy::kReuse}) {
        ASSERT_VALUE(const Array other, array.Bitcast(spec, copy));
        EXPECT_EQ(other.type(), spec.type);
        EXPECT_EQ(std::vector<int64_t>(other.dims().begin(), other.dims().end()), spec.dims);
        EXPECT_EQ(BytesOf(other, 32), bytes) << spec.type;
        EXPECT_FALSE(array.is_deleted());
      }
    }
    // Donated all the way and back.
    Array last = array;
    for (const ArraySpec& spec : specs) {
      ASSERT_VALUE(const Array next, last.Bitcast(spec, Copy::kDonate));
      EXPECT_TRUE(last.is_deleted());
      EXPECT_EQ(last.Bitcast(spec, Copy::kDonate).status().code(), kInvalid);
      last = next;
    }
    EXPECT_EQ(BytesOf(last, 32), bytes);
  }
};

TEST_F(BitcastTest, OtherTypesAndShapesOfTheSameBytes) { CheckTypesAndShapes(); }

// Older plugins: a program does it, and host memory where there is none either.
TEST_F(BitcastTest, WithoutTheFunctionOfThePlugin) {
  for (const bool has_compiler : {true, false}) {
    PJRT_Api table = *PluginTable();
    table.PJRT_Buffer_Bitcast = nullptr;
    if (!has_compiler) table.PJRT_Client_Compile = nullptr;
    ASSERT_VALUE(client_, Client::Create({.api = &table, .options = {"num_devices=8"}}));
    devices_ = client_->devices();
    CheckTypesAndShapes();
    ASSERT_VALUE(const Sharding one, client_->Single(devices_[0]));
    const std::vector<int8_t> small = {1, 2, 3, 4};
    ASSERT_VALUE(const Array nibbles,
                 client_->FromHost({PJRT_Buffer_Type_S4, {4}, one}, small.data()));
    EXPECT_EQ(nibbles.Bitcast({PJRT_Buffer_Type_U4, {4}, one}, Copy::kDonate).status().code(),
              PJRT_Error_Code_UNIMPLEMENTED);
    EXPECT_FALSE(nibbles.is_deleted());
    client_.reset();
    devices_.clear();
  }
}

TEST_F(BitcastTest, AReplicatedScalarBecomesACutVector) {
  ASSERT_VALUE(const Sharding both, client_->Replicated(DevicesOf({0, 1})));
  ASSERT_VALUE(const Sharding halves, client_->Named(MeshOf({2}), {{"a"}}));
  const std::vector<int32_t> seven = {7};
  ASSERT_VALUE(const Array scalar, client_->FromHost<int32_t>({}, both, seven));
  ASSERT_VALUE(const Array vector, scalar.Bitcast({PJRT_Buffer_Type_S32, {2}, halves}));
  ASSERT_VALUE(const std::vector<int32_t> elements, vector.ToHost<int32_t>());
  EXPECT_EQ(elements, (std::vector<int32_t>{7, 7}));
}

TEST_F(BitcastTest, ThatChangesNothingSharesOrMovesNothing) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({2}), {{"a"}}));
  const ArraySpec same = {PJRT_Buffer_Type_S32, {4}, rows};
  ASSERT_VALUE(const Array array, MakeIota({4}, rows));
  ASSERT_VALUE(const Array shared, array.Bitcast(same, Copy::kReuse));
  ASSERT_VALUE(const Array moved, array.Bitcast(same, Copy::kDonate));
  EXPECT_TRUE(array.is_deleted());
  EXPECT_TRUE(shared.is_deleted()) << "it had the same memory";
  ASSERT_VALUE(const std::vector<int32_t> elements, moved.ToHost<int32_t>());
  EXPECT_EQ(elements, Iota(4));
}

TEST_F(BitcastTest, ShardsWithoutElementsAndOfHalfBytes) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Array none, MakeIota({0}, rows));
  ASSERT_VALUE(const Array other, none.Bitcast({PJRT_Buffer_Type_U8, {0}, rows}));
  EXPECT_EQ(other.dims().size(), 1u);
  EXPECT_EQ(other.dims()[0], 0);
  const std::vector<int8_t> small = {1, 2, 3, 4};
  ASSERT_VALUE(const Array nibbles,
               client_->FromHost({PJRT_Buffer_Type_S4, {4}, rows}, small.data()));
  ASSERT_VALUE(const Array unsigned_ones,
               nibbles.Bitcast({PJRT_Buffer_Type_U4, {4}, rows}, Copy::kDonate));
  EXPECT_EQ(BytesOf(unsigned_ones, 4), (std::vector<uint8_t>{1, 2, 3, 4}));
}

TEST_F(BitcastTest, AnErrorStaysWhereItIs) {
  ASSERT_VALUE(const Sharding one, client_->Single(devices_[0]));
  ASSERT_VALUE(const Array wrong, client_->ErrorArray({PJRT_Buffer_Type_S32, {4}, one},
                                                      PJRT_Error_Code_ABORTED, "broken"));
  ASSERT_VALUE(const Array cast, wrong.Bitcast({PJRT_Buffer_Type_F32, {4}, one}));
  ASSERT_VALUE(const Future<> ready, client_->Ready({&cast, 1}));
  EXPECT_EQ(ready.Await().code(), PJRT_Error_Code_ABORTED);
}

TEST_F(BitcastTest, WhatIsWrong) {
  ASSERT_VALUE(const Sharding rows, client_->Named(MeshOf({2}), {{"a"}}));
  ASSERT_VALUE(const Sharding turned, rows.WithDevices(DevicesOf({1, 0})));
  ASSERT_VALUE(const Sharding all, client_->Replicated(DevicesOf({0, 1})));
  ASSERT_VALUE(const Sharding opaque, client_->Opaque(DevicesOf({0, 1})));
  ASSERT_VALUE(const Array array, MakeIota({4}, rows));
  const auto refused = [&](const ArraySpec& spec) {
    const Status status = array.Bitcast(spec, Copy::kDonate).status();
    EXPECT_FALSE(array.is_deleted());
    return status;
  };
  EXPECT_EQ(refused({PJRT_Buffer_Type_S32, {4}, turned}).code(), kInvalid);
  EXPECT_EQ(refused({PJRT_Buffer_Type_S32, {4}, all}).code(), kInvalid) << "twice the bytes";
  EXPECT_EQ(refused({PJRT_Buffer_Type_S64, {4}, rows}).code(), kInvalid);
  EXPECT_EQ(refused({PJRT_Buffer_Type_S32, {4, 1}, rows}).code(), kInvalid) << "another rank";
  EXPECT_EQ(refused({PJRT_Buffer_Type_TOKEN, {4}, rows}).code(), kInvalid);
  EXPECT_EQ(refused({static_cast<PJRT_Buffer_Type>(99), {4}, rows}).code(), kInvalid);
  EXPECT_EQ(refused({PJRT_Buffer_Type_S32, {-4}, rows}).code(), kInvalid);
  EXPECT_EQ(refused({PJRT_Buffer_Type_S32, {4}, opaque}).code(),
            PJRT_Error_Code_FAILED_PRECONDITION);
  const Status size = refused({PJRT_Buffer_Type_S64, {4}, rows});
  EXPECT_NE(std::string(size.message()).find("s32[2]"), std::string::npos) << size.message();
  plinth_ifrt_array* const one = array.get();
  plinth_ifrt_array* made = nullptr;
  EXPECT_EQ(Status(plinth_ifrt_arrays_bitcast(client_->get(), &one, 1, nullptr,
                                              PLINTH_IFRT_ALWAYS_COPY, &made))
                .code(),
            kInvalid);
}

}  // namespace
}  // namespace plinth::ifrt::testing
