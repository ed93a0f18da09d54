// SPDX-License-Identifier: Apache-2.0
// Buffers of the CPU plugin through its C table: how they lie, views, limits, and leaks.

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <utility>
#include <vector>

#include "pjrt_c_api.h"
#include "reference_plugin/cpu/pjrt/plugin_test_util.h"

namespace plinth::cpu {
namespace {

PJRT_Buffer_MemoryLayout TiledLayout(const std::vector<int64_t>& minor_to_major) {
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return layout;
}

TEST_F(PluginTest, BuffersLieAsAskedFor) {
  const std::vector<int64_t> column_major = {0, 1};
  PJRT_Buffer_MemoryLayout layout = TiledLayout(column_major);
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6}, columns = {1, 4, 2, 5, 3, 6};
  PJRT_Buffer* buffer;
  ASSERT_FALSE(Upload(rows, &buffer, {2, 3}, nullptr, &layout).has_value());
  PJRT_Buffer_GetMemoryLayout_Args asked{};
  asked.buffer = buffer;
  MUST(PJRT_Buffer_GetMemoryLayout, asked);
  ASSERT_EQ(asked.layout.tiled.minor_to_major_size, 2u);
  EXPECT_EQ(asked.layout.tiled.minor_to_major[0], 0);

  // Copies keep the layout; the host gets what it asks for, or the buffer's own order.
  const std::vector<int64_t> row_major = {1, 0};
  PJRT_Buffer_MemoryLayout in_rows = TiledLayout(row_major);
  PJRT_Buffer_CopyToDevice_Args copy{};
  copy.buffer = buffer;
  copy.dst_device = device_;
  MUST(PJRT_Buffer_CopyToDevice, copy);
  for (PJRT_Buffer* each : {buffer, copy.dst_buffer}) {
    std::vector<float> data(6);
    ASSERT_FALSE(Download(each, &data).has_value());
    EXPECT_EQ(data, columns);
    ASSERT_FALSE(Download(each, &data, &in_rows).has_value());
    EXPECT_EQ(data, rows);
    ASSERT_FALSE(Download(each, &data, &layout).has_value());
    EXPECT_EQ(data, columns);
    PJRT_Buffer_CopyRawToHost_Args raw{};
    raw.buffer = each;
    raw.dst = data.data();
    raw.transfer_size = 24;
    data.assign(6, 0);
    MUST(PJRT_Buffer_CopyRawToHost, raw);
    EXPECT_EQ(data, columns);
    Destroy(raw.event);
    PJRT_Buffer_UnsafePointer_Args address{};
    address.buffer = each;
    MUST(PJRT_Buffer_UnsafePointer, address);
    EXPECT_EQ(reinterpret_cast<const float*>(address.buffer_pointer)[1], 4);
  }
  // The same bytes in rows of two.
  PJRT_Buffer_Bitcast_Args bitcast{};
  const int64_t dims[] = {3, 2};
  bitcast.buffer = buffer;
  bitcast.element_type = PJRT_Buffer_Type_F32;
  bitcast.dims = dims;
  bitcast.num_dims = 2;
  MUST(PJRT_Buffer_Bitcast, bitcast);
  std::vector<float> data(6);
  ASSERT_FALSE(Download(bitcast.out_buffer, &data).has_value());
  EXPECT_EQ(data, columns);

  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
                            return %x : tensor<2x3xf32> })",
                       &executable)
                   .has_value());
  PJRT_Buffer* output;
  EXPECT_ERROR(Execute(executable, {buffer}, &output), PJRT_Error_Code_INVALID_ARGUMENT,
               "has the layout {0,1}; the program was compiled for {1,0}");
  Destroy(executable);
  for (PJRT_Buffer* each : {buffer, copy.dst_buffer, bitcast.out_buffer}) Destroy(each);
}

TEST_F(PluginTest, HugeArraysAreRefused) {
  PJRT_Client_CreateUninitializedBuffer_Args args{};
  int64_t dims[] = {int64_t{1} << 58};
  args.client = client_;
  args.device = device_;
  args.shape_dims = dims;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  EXPECT_ERROR(CALL(PJRT_Client_CreateUninitializedBuffer, args),
               PJRT_Error_Code_RESOURCE_EXHAUSTED, "1152921504606846976");
  constexpr char kHuge[] = R"(
    func.func public @main(%x: tensor<f32>) -> tensor<288230376151711744xf32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<288230376151711744xf32>
      return %0 : tensor<288230376151711744xf32>
    })";
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(kHuge, &executable).has_value());
  float one = 1;
  PJRT_Client_BufferFromHostBuffer_Args scalar{};
  scalar.client = client_;
  scalar.data = &one;
  scalar.type = PJRT_Buffer_Type_F32;
  scalar.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  scalar.device = device_;
  MUST(PJRT_Client_BufferFromHostBuffer, scalar);
  Destroy(scalar.done_with_host_buffer);
  PJRT_Buffer* output;
  ASSERT_FALSE(Execute(executable, {scalar.buffer}, &output).has_value());
  // What goes wrong while it runs is the ready error of the output.
  PJRT_Buffer_ReadyEvent_Args ready{};
  ready.buffer = output;
  MUST(PJRT_Buffer_ReadyEvent, ready);
  PJRT_Event_Await_Args await{};
  await.event = ready.event;
  EXPECT_ERROR(CALL(PJRT_Event_Await, await), PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of memory");
  Destroy(ready.event);
  Destroy(output);
  Destroy(scalar.buffer);
  Destroy(executable);
  ExpectStillWorks();
}

// Views of memory that others own.
TEST_F(PluginTest, ViewsHaveToBeAligned) {
  alignas(64) static float memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  static int deleted;
  deleted = 0;
  int64_t dims[] = {4};
  PJRT_Client_CreateViewOfDeviceBuffer_Args args{};
  args.client = client_;
  args.dims = dims;
  args.num_dims = 1;
  args.element_type = PJRT_Buffer_Type_F32;
  args.device = device_;
  args.on_delete_callback = [](void*, void*) { ++deleted; };
  for (int first : {1, 2, 3}) {
    args.device_buffer_ptr = memory + first;
    EXPECT_ERROR(CALL(PJRT_Client_CreateViewOfDeviceBuffer, args), PJRT_Error_Code_INVALID_ARGUMENT,
                 "is not aligned to 16 bytes.");
  }
  EXPECT_EQ(deleted, 0);
  args.device_buffer_ptr = memory + 4;
  MUST(PJRT_Client_CreateViewOfDeviceBuffer, args);
  std::vector<float> result(4);
  ASSERT_FALSE(Download(args.buffer, &result).has_value());
  EXPECT_EQ(result, (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(deleted, 0);
  Destroy(args.buffer);
  EXPECT_EQ(deleted, 1);
}

// What lies across lines of the cache, and fits there, is copied.
TEST_F(PluginTest, LentArraysBeginWithALineOfTheCache) {
  constexpr int64_t kElements = 32 << 10;
  std::vector<float> memory(kElements + 32);
  auto* const line =
      reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  for (const bool begins_line : {true, false}) {
    PJRT_Client_BufferFromHostBuffer_Args args{};
    args.client = client_;
    args.data = line + (begins_line ? 0 : 4);
    args.type = PJRT_Buffer_Type_F32;
    args.dims = &kElements;
    args.num_dims = 1;
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
    args.device = device_;
    MUST(PJRT_Client_BufferFromHostBuffer, args);
    PJRT_Buffer_UnsafePointer_Args address{};
    address.buffer = args.buffer;
    MUST(PJRT_Buffer_UnsafePointer, address);
    EXPECT_EQ(address.buffer_pointer == reinterpret_cast<uintptr_t>(args.data), begins_line);
    Destroy(args.buffer);
    Destroy(args.done_with_host_buffer);
  }
}

TEST_F(PluginTest, BitcastsShareTheirBytes) {
  PJRT_Buffer* source;
  ASSERT_FALSE(Upload({1, -2, 0.5f, 4}, &source).has_value());
  int64_t dims[] = {2, 8};
  PJRT_Buffer_Bitcast_Args args{};
  args.buffer = source;
  args.element_type = PJRT_Buffer_Type_U8;
  args.dims = dims;
  args.num_dims = 2;
  MUST(PJRT_Buffer_Bitcast, args);
  PJRT_Buffer* const bytes = args.out_buffer;
  dims[1] = 9;
  EXPECT_ERROR(CALL(PJRT_Buffer_Bitcast, args), PJRT_Error_Code_INVALID_ARGUMENT,
               "f32[4] (16 bytes) to u8[2,9] (18 bytes)");
  Destroy(source);  // The other one keeps what it sees.
  dims[0] = 4;
  args.buffer = bytes;
  args.element_type = PJRT_Buffer_Type_F32;
  args.num_dims = 1;
  MUST(PJRT_Buffer_Bitcast, args);
  Destroy(bytes);
  std::vector<float> result(4);
  ASSERT_FALSE(Download(args.out_buffer, &result).has_value());
  EXPECT_EQ(result, (std::vector<float>{1, -2, 0.5f, 4}));
  Destroy(args.out_buffer);
}

TEST_F(PluginTest, MemoryLimitIsAnOption) {
  PJRT_NamedValue option{};
  option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  option.name = "memory_limit_bytes";
  option.name_size = std::strlen(option.name);
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = 100'000;
  option.value_size = 1;
  PJRT_Client_Create_Args create{};
  create.create_options = &option;
  create.num_options = 1;
  MUST(PJRT_Client_Create, create);
  std::swap(create.client, client_);
  PJRT_Client_AddressableDevices_Args devices{};
  devices.client = client_;
  MUST(PJRT_Client_AddressableDevices, devices);
  PJRT_Device* const other_device = std::exchange(device_, devices.addressable_devices[0]);
  PJRT_Device_MemoryStats_Args stats{};
  stats.device = device_;
  MUST(PJRT_Device_MemoryStats, stats);
  EXPECT_TRUE(stats.bytes_limit_is_set);
  EXPECT_EQ(stats.bytes_limit, 100'000);

  std::vector<PJRT_Buffer*> buffers(4);
  const std::vector<float> data(8000);
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(Upload(data, &buffers[i]).has_value());
  EXPECT_ERROR(Upload(data, &buffers[3]), PJRT_Error_Code_RESOURCE_EXHAUSTED,
               "32000 bytes were asked for, 96000 are in use and the limit is 100000");
  ExpectStillWorks();
  Destroy(buffers[0]);
  ASSERT_FALSE(Upload(data, &buffers[3]).has_value());
  for (int i = 1; i < 4; ++i) Destroy(buffers[i]);

  std::swap(create.client, client_);
  device_ = other_device;
  PJRT_Client_Destroy_Args destroy{};
  destroy.client = create.client;
  MUST(PJRT_Client_Destroy, destroy);
}

int64_t ResidentBytes() {
  int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGE_SIZE);
}

TEST_F(PluginTest, TenThousandCyclesTakeNoMemory) {
#ifdef PLINTH_IS_SANITIZED
  constexpr int kCycles = 200;  // Sanitizers keep what was freed; they find leaks themselves.
#else
  constexpr int kCycles = 10'000;
#endif
  int64_t before = 0;
  for (int i = 0; i < kCycles; ++i) {
    if (i == kCycles / 5) before = ResidentBytes();
    ExpectStillWorks();
    PJRT_LoadedExecutable* none;
    if (i % 10 == 0) {
      EXPECT_TRUE(Compile("nonsense", &none).has_value());
    }
  }
  if (kCycles == 10'000) {
    EXPECT_LT(ResidentBytes() - before, 1 << 20);
  }
}

}  // namespace
}  // namespace plinth::cpu
