// SPDX-License-Identifier: Apache-2.0
// Buffers and transfers through the C table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "pjrt_c_api_layouts_extension.h"
#include "plinth/support/extension_chain.h"
#include "sdk/src/test_plugin.h"

namespace plinth::sdk::testing {
namespace {

using ::testing::HasSubstr;

class BufferTest : public ::testing::Test {
 protected:
  ~BufferTest() override {
    client_.Destroy();
    EXPECT_EQ(live_buffers, 0);
    EXPECT_EQ(live_clients, 0);
  }
  PJRT_Client_BufferFromHostBuffer_Args HostArgs() {
    PLINTH_ARGS(PJRT_Client_BufferFromHostBuffer, args);
    args.client = client_.client;
    args.data = data_;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims_;
    args.num_dims = 2;
    args.memory = client_.memories[0];
    return args;
  }
  void ExpectRefused(PJRT_Client_BufferFromHostBuffer_Args args, const std::string& text,
                     StatusCode code = StatusCode::kInvalidArgument) {
    Status status = PLINTH_CALL(PJRT_Client_BufferFromHostBuffer, args);
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
    EXPECT_EQ(args.buffer, nullptr);
  }

  TestClientHandle client_;
  float data_[6] = {1, 2, 3, 4, 5, 6};
  int64_t dims_[2] = {2, 3};
};

TEST_F(BufferTest, RoundTripAndProperties) {
  PJRT_Buffer* buffer = Upload(client_, {1, 2, 3});
  EXPECT_EQ(Download(buffer), (std::vector<float>{1, 2, 3}));
  PLINTH_ARGS(PJRT_Buffer_ElementType, type);
  type.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_ElementType, type).ok());
  EXPECT_EQ(type.type, PJRT_Buffer_Type_F32);
  PLINTH_ARGS(PJRT_Buffer_UnpaddedDimensions, dims);
  dims.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_UnpaddedDimensions, dims).ok());
  ASSERT_EQ(dims.num_dims, 1u);
  EXPECT_EQ(dims.unpadded_dims[0], 3);
  PLINTH_ARGS(PJRT_Buffer_Device, device);
  device.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Device, device).ok());
  EXPECT_EQ(device.device, client_.devices[0]);
  PLINTH_ARGS(PJRT_Buffer_Memory, memory);
  memory.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Memory, memory).ok());
  EXPECT_EQ(memory.memory, client_.memories[0]);
  PLINTH_ARGS(PJRT_Buffer_OnDeviceSizeInBytes, size);
  size.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_OnDeviceSizeInBytes, size).ok());
  EXPECT_EQ(size.on_device_size_in_bytes, 12u);
  PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
  PLINTH_ARGS(PJRT_Event_Error, error);
  error.event = ready.event;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_Error, error).ok());
  Destroy(ready.event);
  PLINTH_ARGS(PJRT_Buffer_Delete, remove);
  remove.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Delete, remove).ok());
  PLINTH_ARGS(PJRT_Buffer_IsDeleted, deleted);
  deleted.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_IsDeleted, deleted).ok());
  EXPECT_TRUE(deleted.is_deleted);
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
  error.event = ready.event;
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Error, error).code(), StatusCode::kFailedPrecondition);
  Destroy(ready.event);
  Destroy(buffer);
}

TEST_F(BufferTest, StridesOfTheHostAreHonoured) {
  auto args = HostArgs();
  int64_t transposed[] = {4, 8};
  args.byte_strides = transposed;
  args.num_byte_strides = 2;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_BufferFromHostBuffer, args).ok());
  Destroy(args.done_with_host_buffer);
  EXPECT_EQ(Download(args.buffer), (std::vector<float>{1, 3, 5, 2, 4, 6}));

  // Back in column-major order, through an explicit host layout in both forms.
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = 1;  // JAX leaves whatever is there.
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  int64_t order[] = {0, 1};
  layout.tiled.minor_to_major = order;
  layout.tiled.minor_to_major_size = 2;
  PLINTH_ARGS(PJRT_Buffer_ToHostBuffer, out);
  out.src = args.buffer;
  out.host_layout = &layout;
  float values[6] = {};
  out.dst = values;
  out.dst_size = sizeof(values);
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ToHostBuffer, out).ok());
  Destroy(out.event);
  EXPECT_EQ(std::vector<float>(values, values + 6), (std::vector<float>{1, 2, 3, 4, 5, 6}));

  PJRT_Buffer_MemoryLayout strided = {};
  strided.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  strided.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  int64_t gaps[] = {16, 4};
  strided.strides.byte_strides = gaps;
  strided.strides.num_byte_strides = 2;
  out.host_layout = &strided;
  out.dst = nullptr;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ToHostBuffer, out).ok());
  EXPECT_EQ(out.dst_size, 28u);
  float padded[7] = {0, 0, 0, -1, 0, 0, 0};
  out.dst = padded;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ToHostBuffer, out).ok());
  Destroy(out.event);
  EXPECT_EQ(std::vector<float>(padded, padded + 7), (std::vector<float>{1, 3, 5, -1, 2, 4, 6}));

  out.dst_size = 27;
  EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_ToHostBuffer, out).code(), StatusCode::kInvalidArgument);
  gaps[0] = -16;
  EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_ToHostBuffer, out).code(), StatusCode::kInvalidArgument);
  order[1] = 0;
  out.host_layout = &layout;
  EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_ToHostBuffer, out).code(), StatusCode::kInvalidArgument);
  layout.struct_size = 40;
  EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_ToHostBuffer, out).code(), StatusCode::kInvalidArgument);
  Destroy(args.buffer);
}

TEST_F(BufferTest, BadUploadsAreRefused) {
  auto args = HostArgs();
  args.data = nullptr;
  ExpectRefused(args, "data is null");
  args = HostArgs();
  const int bad = 77;
  std::memcpy(&args.type, &bad, sizeof(bad));
  ExpectRefused(args, "type 77 is no PJRT_Buffer_Type; known are 0 to ");
  args = HostArgs();
  args.type = PJRT_Buffer_Type_INVALID;
  ExpectRefused(args, "0 is no element type");
  args = HostArgs();
  args.dims = nullptr;
  ExpectRefused(args, "dims is null");
  args = HostArgs();
  int64_t negative[] = {2, -3};
  args.dims = negative;
  ExpectRefused(args, "negative size -3");
  int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  args.dims = huge;
  ExpectRefused(args, "2^63 or more");
  int64_t large[] = {int64_t{1} << 29, int64_t{1} << 29};
  args.dims = large;
  ExpectRefused(args, "no room for 1152921504606846976 bytes", StatusCode::kResourceExhausted);
  args = HostArgs();
  args.num_dims = 65;
  ExpectRefused(args, "at most 64");
  args = HostArgs();
  std::memcpy(&args.host_buffer_semantics, &bad, sizeof(bad));
  ExpectRefused(args, "host_buffer_semantics 77 is no PJRT_HostBufferSemantics");
  args = HostArgs();
  args.memory = nullptr;
  ExpectRefused(args, "neither a memory nor a device");
  args = HostArgs();
  args.num_byte_strides = 2;
  ExpectRefused(args, "byte_strides is null");
  args.num_byte_strides = 1;
  args.byte_strides = dims_;
  ExpectRefused(args, "1 byte strides for an array of 2");
  TestClientHandle other;
  args = HostArgs();
  args.memory = other.memories[0];
  ExpectRefused(args, "another client");
}

TEST_F(BufferTest, PlaceIsMemoryBeforeDevice) {
  auto args = HostArgs();
  args.memory = nullptr;
  args.device = client_.devices[1];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_BufferFromHostBuffer, args).ok());
  PLINTH_ARGS(PJRT_Buffer_Memory, memory);
  memory.buffer = args.buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Memory, memory).ok());
  EXPECT_EQ(memory.memory, client_.memories[1]);
  Destroy(args.done_with_host_buffer);

  PLINTH_ARGS(PJRT_Buffer_CopyToDevice, copy);
  copy.buffer = args.buffer;
  copy.dst_device = client_.devices[0];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_CopyToDevice, copy).ok());
  EXPECT_EQ(Download(copy.dst_buffer), Download(args.buffer));
  PLINTH_ARGS(PJRT_Buffer_CopyToMemory, move);
  move.buffer = args.buffer;
  EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_CopyToMemory, move).code(), StatusCode::kInvalidArgument);
  move.dst_memory = client_.memories[2];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_CopyToMemory, move).ok());
  for (PJRT_Buffer* buffer : {args.buffer, copy.dst_buffer, move.dst_buffer}) Destroy(buffer);
}

TEST_F(BufferTest, ADeviceThatCannotAddressTheMemoryIsIgnored) {
  TestClientHandle other;
  for (PJRT_Device* device : {client_.devices[1], other.devices[1]}) {
    auto args = HostArgs();
    args.device = device;
    ASSERT_TRUE(PLINTH_CALL(PJRT_Client_BufferFromHostBuffer, args).ok());
    Destroy(args.done_with_host_buffer);
    PLINTH_ARGS(PJRT_Buffer_Device, where);
    where.buffer = args.buffer;
    EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Device, where).ok());
    EXPECT_EQ(where.device, client_.devices[0]);
    Destroy(args.buffer);
  }
}

// A plugin whose default is another layout has to see that row-major was asked for.
TEST_F(BufferTest, ARowMajorDeviceLayoutIsToldApartFromNone) {
  std::vector<std::string> asked;
  upload_hook = [&](const HostBufferRequest& request) -> Expected<HostBufferResult> {
    asked.push_back(request.layout == nullptr ? "any" : request.layout->ToString(2));
    return Unimplemented("only looked at");
  };
  auto args = HostArgs();
  ExpectRefused(args, "only looked at", StatusCode::kUnimplemented);
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  int64_t order[] = {1, 0};
  layout.tiled.minor_to_major = order;
  layout.tiled.minor_to_major_size = 2;
  args.device_layout = &layout;
  ExpectRefused(args, "only looked at", StatusCode::kUnimplemented);
  upload_hook = nullptr;
  EXPECT_EQ(asked, (std::vector<std::string>{"any", "{1,0}"}));
}

TEST_F(BufferTest, DeviceLayoutIsKept) {
  auto args = HostArgs();
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = ~size_t{0};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  int64_t strides[] = {4, 8};
  layout.strides.byte_strides = strides;
  layout.strides.num_byte_strides = 2;
  args.device_layout = &layout;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_BufferFromHostBuffer, args).ok());
  Destroy(args.done_with_host_buffer);
  PLINTH_ARGS(PJRT_Buffer_GetMemoryLayout, get);
  get.buffer = args.buffer;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_GetMemoryLayout, get).ok());
  ASSERT_EQ(get.layout.tiled.minor_to_major_size, 2u);
  EXPECT_EQ(get.layout.tiled.minor_to_major[0], 0);
  Destroy(args.buffer);
  args.buffer = nullptr;
  strides[1] = 16;
  ExpectRefused(args, "not those of a dense", StatusCode::kUnimplemented);
}

TEST_F(BufferTest, ExternalReferencesOutliveTheHandle) {
  PJRT_Buffer* buffer = Upload(client_, {1, 2, 3});
  PLINTH_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  decrease.buffer = buffer;
  EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease).code(),
            StatusCode::kFailedPrecondition);
  PLINTH_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  increase.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, increase).ok());
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, increase).ok());
  PLINTH_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer);
  pointer.buffer = buffer;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer).ok());
  const auto* values = static_cast<const float*>(pointer.device_memory_ptr);
  PLINTH_ARGS(PJRT_Buffer_Delete, remove);
  remove.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Delete, remove).ok());
  Destroy(buffer);
  client_.Destroy();
  EXPECT_EQ(values[2], 3.0f);  // ASan would object.
  EXPECT_EQ(live_buffers, 1);
  EXPECT_EQ(live_clients, 1);
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease).ok());
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease).ok());
}

TEST_F(BufferTest, UseAfterDeleteIsAnError) {
  PJRT_Buffer* buffer = Upload(client_, {1});
  PLINTH_ARGS(PJRT_Buffer_Delete, remove);
  remove.buffer = buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Delete, remove).ok());
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_Delete, remove).ok());
  PLINTH_ARGS(PJRT_Buffer_UnsafePointer, pointer);
  pointer.buffer = buffer;
  EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_UnsafePointer, pointer).code(),
            StatusCode::kFailedPrecondition);
  PLINTH_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  increase.buffer = buffer;
  EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, increase).code(),
            StatusCode::kFailedPrecondition);
  Destroy(buffer);
}

TEST_F(BufferTest, RawCopiesAreChecked) {
  PJRT_Buffer* buffer = Upload(client_, {1, 2, 3});
  float value = 0;
  PLINTH_ARGS(PJRT_Buffer_CopyRawToHost, raw);
  raw.buffer = buffer;
  raw.dst = &value;
  raw.offset = 4;
  raw.transfer_size = 4;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_CopyRawToHost, raw).ok());
  Destroy(raw.event);
  EXPECT_EQ(value, 2);
  for (auto [offset, size] : {std::pair<int64_t, int64_t>{-1, 4},
                              {9, 4},
                              {4, -4},
                              {13, 0},
                              {4, std::numeric_limits<int64_t>::max()}}) {
    raw.offset = offset;
    raw.transfer_size = size;
    EXPECT_EQ(PLINTH_CALL(PJRT_Buffer_CopyRawToHost, raw).code(), StatusCode::kInvalidArgument);
  }

  PLINTH_ARGS(PJRT_Buffer_CopyRawToHostFuture, future);
  future.buffer = buffer;
  future.offset = 8;
  future.transfer_size = 4;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_CopyRawToHostFuture, future).ok());
  Destroy(buffer);
  EXPECT_EQ(live_buffers, 1);  // The copy to come keeps it.
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args callback = {};
  callback.struct_size = PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE;
  callback.callback_data = future.callback_data;
  callback.dst = &value;
  future.future_ready_callback(&callback);
  PLINTH_ARGS(PJRT_Event_Await, await);
  await.event = future.event;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_Await, await).ok());
  Destroy(future.event);
  EXPECT_EQ(value, 3);
}

// Errors of a raw copy that starts later name the function that asked for it, whatever the author's
// code does.
TEST_F(BufferTest, RawCopiesThatFailLater) {
  struct Seen {
    Status status;
  };
  auto copy = [&] {
    PJRT_Buffer* buffer = Upload(client_, {1});
    PLINTH_ARGS(PJRT_Buffer_CopyRawToHostFuture, future);
    future.buffer = buffer;
    future.transfer_size = 4;
    EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_CopyRawToHostFuture, future).ok());
    PJRT_Buffer_CopyRawToHostFuture_Callback_Args callback = {};
    callback.struct_size = PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE;
    callback.callback_data = future.callback_data;
    callback.dst = data_;
    future.future_ready_callback(&callback);
    Seen seen;
    PLINTH_ARGS(PJRT_Event_OnReady, on_ready);
    on_ready.event = future.event;
    on_ready.user_arg = &seen;
    on_ready.callback = [](PJRT_Error* error, void* argument) {
      static_cast<Seen*>(argument)->status = TakeError(error);
    };
    EXPECT_TRUE(PLINTH_CALL(PJRT_Event_OnReady, on_ready).ok());
    PLINTH_ARGS(PJRT_Event_Await, await);
    await.event = future.event;
    Status awaited = PLINTH_CALL(PJRT_Event_Await, await);
    EXPECT_EQ(awaited.ToString(), seen.status.ToString());
    EXPECT_TRUE(awaited.payloads().empty());
    EXPECT_TRUE(seen.status.payloads().empty());
    Destroy(future.event);
    Destroy(buffer);
    return awaited;
  };
  raw_copy_hook = [](Buffer&) -> Expected<Event> { throw 7; };
  EXPECT_EQ(copy().ToString(),
            "INTERNAL: PJRT_Buffer_CopyRawToHostFuture: the plugin threw an unknown exception");
  raw_copy_hook = [](Buffer& buffer) { return buffer.Buffer::CopyRawToHost(nullptr, 0, 4); };
  const Status not_offered = copy();
  EXPECT_EQ(not_offered.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(not_offered.message()),
              ::testing::StartsWith("PJRT_Buffer_CopyRawToHostFuture (since 0."));
  raw_copy_hook = nullptr;
}

TEST_F(BufferTest, DonationWaitsForItsDependency) {
  PJRT_Buffer* buffer = Upload(client_, {1, 2});
  PLINTH_ARGS(PJRT_Buffer_DonateWithControlDependency, donate);
  donate.buffer = buffer;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_DonateWithControlDependency, donate).ok());
  PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = donate.out_buffer;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
  PLINTH_ARGS(PJRT_Event_IsReady, is_ready);
  is_ready.event = ready.event;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_IsReady, is_ready).ok());
  EXPECT_FALSE(is_ready.is_ready);
  PJRT_Buffer_DonateWithControlDependency_Callback_Args callback = {};
  callback.struct_size = PJRT_Buffer_DonateWithControlDependency_Callback_Args_STRUCT_SIZE;
  callback.callback_data = donate.callback_data;
  callback.error_code = PJRT_Error_Code_CANCELLED;
  donate.dependency_ready_callback(&callback);
  PLINTH_ARGS(PJRT_Event_Error, error);
  error.event = ready.event;
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Error, error).code(), StatusCode::kCancelled);
  Destroy(ready.event);
  Destroy(buffer);
  Destroy(donate.out_buffer);
}

TEST_F(BufferTest, ViewsTellTheirOwnerOnce) {
  static int told = 0;
  told = 0;
  PLINTH_ARGS(PJRT_Client_CreateViewOfDeviceBuffer, view);
  view.client = client_.client;
  view.device_buffer_ptr = data_;
  view.dims = dims_;
  view.num_dims = 2;
  view.element_type = PJRT_Buffer_Type_F32;
  view.device = client_.devices[0];
  view.on_delete_callback = [](void* address, void* argument) {
    EXPECT_EQ(address, argument);
    ++told;
  };
  view.on_delete_callback_arg = data_;
  for (size_t size : {112, 104}) {  // `memory` came with 0.66.
    view.struct_size = size;
    ASSERT_TRUE(PLINTH_CALL(PJRT_Client_CreateViewOfDeviceBuffer, view).ok());
    EXPECT_EQ(Download(view.buffer).size(), 6u);
    EXPECT_EQ(told, 0);
    Destroy(view.buffer);
    EXPECT_EQ(told, 1);
    told = 0;
  }
  view.stream = -1;  // The plugin refuses: the owner keeps its memory.
  EXPECT_FALSE(PLINTH_CALL(PJRT_Client_CreateViewOfDeviceBuffer, view).ok());
  view.device_buffer_ptr = nullptr;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_CreateViewOfDeviceBuffer, view).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(told, 0);
}

TEST_F(BufferTest, ErrorBuffersCarryTheirError) {
  PJRT_NamedValue payload = {};
  payload.name = "key";
  payload.name_size = 3;
  payload.type = PJRT_NamedValue_kString;
  payload.string_value = "why";
  payload.value_size = 3;
  PLINTH_ARGS(PJRT_Client_CreateErrorBuffer, args);
  args.client = client_.client;
  args.error_code = PJRT_Error_Code_ABORTED;
  args.error_message = "gone";
  args.error_message_size = 4;
  args.shape_dims = dims_;
  args.shape_num_dims = 2;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  args.memory = client_.memories[0];
  args.payload = &payload;
  args.num_payload = 1;
  for (size_t size : {112, 96}) {  // The payload came with 0.103.
    args.struct_size = size;
    ASSERT_TRUE(PLINTH_CALL(PJRT_Client_CreateErrorBuffer, args).ok());
    PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
    ready.buffer = args.buffer;
    ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
    PLINTH_ARGS(PJRT_Event_Await, await);
    await.event = ready.event;
    Status status = PLINTH_CALL(PJRT_Event_Await, await);
    EXPECT_EQ(status.ToString(), "ABORTED: gone");
    EXPECT_EQ(status.payloads().size(), size == 112 ? 1u : 0u);
    Destroy(ready.event);
    Destroy(args.buffer);
  }
  args.error_code = PJRT_Error_Code_OK;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_CreateErrorBuffer, args).code(), StatusCode::kInvalidArgument);
  // The SDK's own mark is no payload for callers: it would change what the error says.
  args.error_code = PJRT_Error_Code_ABORTED;
  args.struct_size = 112;
  payload.name = "plinth.sdk.not_offered";
  payload.name_size = 22;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_CreateErrorBuffer, args).code(), StatusCode::kInvalidArgument);
}

TEST_F(BufferTest, LayoutsExtensionSpeaksXlaText) {
  const auto* layouts = reinterpret_cast<const PJRT_Layouts_Extension*>(
      FindExtension(Api()->extension_start, PJRT_Extension_Type_Layouts));
  ASSERT_NE(layouts, nullptr);
  auto args = HostArgs();
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_BufferFromHostBuffer, args).ok());
  Destroy(args.done_with_host_buffer);
  PLINTH_ARGS(PJRT_Layouts_PJRT_Buffer_MemoryLayout, get);
  get.buffer = args.buffer;
  ASSERT_EQ(layouts->PJRT_Layouts_PJRT_Buffer_MemoryLayout(&get), nullptr);
  PLINTH_ARGS(PJRT_Layouts_MemoryLayout_Serialize, serialize);
  serialize.layout = get.layout;
  ASSERT_EQ(layouts->PJRT_Layouts_MemoryLayout_Serialize(&serialize), nullptr);
  EXPECT_EQ(std::string(serialize.serialized_bytes, serialize.serialized_bytes_size), "{1,0}");
  serialize.serialized_layout_deleter(serialize.serialized_layout);
  PLINTH_ARGS(PJRT_Layouts_MemoryLayout_Destroy, destroy);
  destroy.layout = get.layout;
  EXPECT_EQ(layouts->PJRT_Layouts_MemoryLayout_Destroy(&destroy), nullptr);
  PLINTH_ARGS(PJRT_Layouts_PJRT_Client_GetDefaultLayout, standard);
  standard.client = client_.client;
  standard.type = PJRT_Buffer_Type_F32;
  standard.dims = dims_;
  standard.num_dims = 1;
  ASSERT_EQ(layouts->PJRT_Layouts_PJRT_Client_GetDefaultLayout(&standard), nullptr);
  destroy.layout = standard.layout;
  EXPECT_EQ(layouts->PJRT_Layouts_MemoryLayout_Destroy(&destroy), nullptr);
  Destroy(args.buffer);
}

TEST_F(BufferTest, ThreadsShareBuffers) {
  PJRT_Buffer* shared = Upload(client_, {1, 2, 3, 4});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        PLINTH_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
        increase.buffer = shared;
        EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, increase).ok());
        PJRT_Buffer* own = Upload(client_, {5, 6});
        EXPECT_EQ(Download(shared).size(), 4u);
        Destroy(own);
        PLINTH_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
        decrease.buffer = shared;
        EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Destroy(shared);
}

}  // namespace
}  // namespace plinth::sdk::testing
