// SPDX-License-Identifier: Apache-2.0
// Buffers whose contents come later, through the C table: aliases and transfer managers.

#include <gtest/gtest.h>

#include <thread>

#include "sdk/src/test_plugin.h"

namespace plinth::sdk::testing {
namespace {

class PendingBufferTest : public ::testing::Test {
 protected:
  ~PendingBufferTest() override {
    client_.Destroy();
    EXPECT_EQ(live_buffers, 0);
    EXPECT_EQ(live_clients, 0);
  }

  // An f32[2] whose contents come later.
  PJRT_Client_CreateAliasBuffer_Args Alias() {
    int64_t dims[] = {2};
    PLINTH_ARGS(PJRT_Client_CreateAliasBuffer, alias);
    alias.client = client_.client;
    alias.memory = client_.memories[0];
    alias.shape_dims = dims;
    alias.shape_num_dims = 1;
    alias.shape_element_type = PJRT_Buffer_Type_F32;
    EXPECT_TRUE(PLINTH_CALL(PJRT_Client_CreateAliasBuffer, alias).ok());
    alias.shape_dims = nullptr;
    return alias;
  }

  TestClientHandle client_;
  float data_[6] = {1, 2, 3, 4, 5, 6};
};

// HoldMemory may wait for the contents, and callbacks on their way may use the same buffer.
TEST_F(PendingBufferTest, HoldingAPendingBufferHoldsNoLock) {
  PJRT_Buffer* source = Upload(client_, {7, 8});
  const PJRT_Client_CreateAliasBuffer_Args alias = Alias();
  PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = alias.alias_buffer;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
  PLINTH_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, address);
  address.buffer = alias.alias_buffer;
  PLINTH_ARGS(PJRT_Event_OnReady, on_ready);
  on_ready.event = ready.event;
  on_ready.user_arg = &address;
  on_ready.callback = [](PJRT_Error* error, void* argument) {
    EXPECT_EQ(error, nullptr);
    auto& asked = *static_cast<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args*>(argument);
    EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, asked).ok());
  };
  ASSERT_TRUE(PLINTH_CALL(PJRT_Event_OnReady, on_ready).ok());
  hold_calls = 0;
  std::thread holder([&] {
    PLINTH_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, hold);
    hold.buffer = alias.alias_buffer;
    EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, hold).ok());
  });
  while (hold_calls == 0) std::this_thread::yield();
  PLINTH_ARGS(PJRT_Client_FulfillAliasBuffer, fulfill);
  fulfill.client = client_.client;
  fulfill.fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb;
  fulfill.buffer = source;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Client_FulfillAliasBuffer, fulfill).ok());
  holder.join();
  EXPECT_NE(address.device_memory_ptr, nullptr);
  PLINTH_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, drop);
  drop.buffer = alias.alias_buffer;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, drop).ok());
  Destroy(ready.event);
  Destroy(source);
  Destroy(alias.alias_buffer);
}

TEST_F(PendingBufferTest, AliasBuffersAreFulfilledOnce) {
  PJRT_Buffer* source = Upload(client_, {7, 8});
  const PJRT_Client_CreateAliasBuffer_Args alias = Alias();
  PLINTH_ARGS(PJRT_Client_FulfillAliasBuffer, fulfill);
  fulfill.client = client_.client;
  fulfill.fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_FulfillAliasBuffer, fulfill).code(),
            StatusCode::kInvalidArgument);
  fulfill.buffer = source;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_FulfillAliasBuffer, fulfill).ok());
  EXPECT_EQ(Download(alias.alias_buffer), (std::vector<float>{7, 8}));
  Destroy(source);
  Destroy(alias.alias_buffer);
}

// Nothing could ever come: who reads it learns why.
TEST_F(PendingBufferTest, AliasBuffersDoNotWaitForEachOther) {
  for (int length : {1, 2, 50'000}) {
    std::vector<PJRT_Client_CreateAliasBuffer_Args> aliases;
    for (int i = 0; i < length; ++i) aliases.push_back(Alias());
    for (int i = 0; i < length; ++i) {
      PLINTH_ARGS(PJRT_Client_FulfillAliasBuffer, fulfill);
      fulfill.client = client_.client;
      fulfill.fulfill_alias_buffer_cb = aliases[i].fulfill_alias_buffer_cb;
      fulfill.buffer = aliases[(i + 1) % length].alias_buffer;
      EXPECT_EQ(PLINTH_CALL(PJRT_Client_FulfillAliasBuffer, fulfill).code(),
                i + 1 < length ? StatusCode::kOk : StatusCode::kInvalidArgument);
    }
    PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
    ready.buffer = aliases[length - 1].alias_buffer;
    ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
    PLINTH_ARGS(PJRT_Event_Await, await);
    await.event = ready.event;
    EXPECT_EQ(PLINTH_CALL(PJRT_Event_Await, await).code(), StatusCode::kInvalidArgument);
    Destroy(ready.event);
    for (const PJRT_Client_CreateAliasBuffer_Args& alias : aliases) Destroy(alias.alias_buffer);
  }
}

TEST_F(PendingBufferTest, TransferManagerGathersChunks) {
  int64_t dims[] = {4};
  PJRT_ShapeSpec specs[2] = {};
  for (PJRT_ShapeSpec& spec : specs) {
    spec.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
    spec.dims = dims;
    spec.num_dims = 1;
    spec.element_type = PJRT_Buffer_Type_F32;
  }
  PLINTH_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  create.client = client_.client;
  create.shape_specs = specs;
  create.num_shape_specs = 2;
  create.memory = client_.memories[1];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_CreateBuffersForAsyncHostToDevice, create).ok());
  PLINTH_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
  retrieve.transfer_manager = create.transfer_manager;
  ASSERT_TRUE(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve).ok());
  PJRT_Buffer* first = retrieve.buffer_out;
  EXPECT_EQ(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve).code(),
            StatusCode::kFailedPrecondition);
  retrieve.buffer_index = 1;
  ASSERT_TRUE(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve).ok());
  PJRT_Buffer* second = retrieve.buffer_out;
  retrieve.buffer_index = 2;
  EXPECT_EQ(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve).code(),
            StatusCode::kInvalidArgument);

  PLINTH_ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer);
  transfer.transfer_manager = create.transfer_manager;
  transfer.data = data_ + 2;
  transfer.offset = 8;
  transfer.transfer_size = 8;
  ASSERT_TRUE(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer).ok());
  Destroy(transfer.done_with_h2d_transfer);
  transfer.offset = 12;
  EXPECT_EQ(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer).code(),
            StatusCode::kInvalidArgument);
  transfer.data = data_;
  transfer.offset = 0;
  transfer.is_last_transfer = true;
  ASSERT_TRUE(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer).ok());
  Destroy(transfer.done_with_h2d_transfer);
  EXPECT_EQ(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(Download(first), (std::vector<float>{1, 2, 3, 4}));

  // A manager that ends before its last transfer fails what is still open.
  PLINTH_ARGS(PJRT_AsyncHostToDeviceTransferManager_Destroy, destroy);
  destroy.transfer_manager = create.transfer_manager;
  EXPECT_TRUE(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_Destroy, destroy).ok());
  PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = second;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
  PLINTH_ARGS(PJRT_Event_Error, error);
  error.event = ready.event;
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Error, error).code(), StatusCode::kCancelled);
  Destroy(ready.event);
  Destroy(first);
  Destroy(second);
}

TEST_F(PendingBufferTest, ATransferThatMakesNoBufferIsAnError) {
  int64_t dims[] = {2};
  PJRT_ShapeSpec spec = {};
  spec.struct_size = PJRT_ShapeSpec_STRUCT_SIZE;
  spec.dims = dims;
  spec.num_dims = 1;
  spec.element_type = PJRT_Buffer_Type_F32;
  PLINTH_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  create.client = client_.client;
  create.shape_specs = &spec;
  create.num_shape_specs = 1;
  create.memory = client_.memories[0];
  ASSERT_TRUE(PLINTH_CALL(PJRT_Client_CreateBuffersForAsyncHostToDevice, create).ok());
  PLINTH_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
  retrieve.transfer_manager = create.transfer_manager;
  ASSERT_TRUE(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve).ok());
  upload_hook = [](const HostBufferRequest&) { return HostBufferResult(); };
  PLINTH_ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer);
  transfer.transfer_manager = create.transfer_manager;
  transfer.data = data_;
  transfer.transfer_size = 8;
  transfer.is_last_transfer = true;
  EXPECT_EQ(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer).code(),
            StatusCode::kInternal);
  upload_hook = nullptr;
  PLINTH_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = retrieve.buffer_out;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Buffer_ReadyEvent, ready).ok());
  PLINTH_ARGS(PJRT_Event_Await, await);
  await.event = ready.event;
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Await, await).code(), StatusCode::kInternal);
  Destroy(ready.event);
  Destroy(retrieve.buffer_out);
  PLINTH_ARGS(PJRT_AsyncHostToDeviceTransferManager_Destroy, destroy);
  destroy.transfer_manager = create.transfer_manager;
  EXPECT_TRUE(PLINTH_CALL(PJRT_AsyncHostToDeviceTransferManager_Destroy, destroy).ok());
}

}  // namespace
}  // namespace plinth::sdk::testing
