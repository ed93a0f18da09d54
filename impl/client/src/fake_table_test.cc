// SPDX-License-Identifier: Apache-2.0
// What the client does with plugins that are old, short of functions, or wrong.

#include "impl/client/src/fake_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>

#include "plinth/client/client.h"
#include "plinth/client/ffi.h"
#include "plinth/client/layouts.h"

namespace plinth::client {
namespace {

using ::testing::HasSubstr;

Api ApiOf(const FakeTable& fake) { return *Api::FromTable(&fake.table); }

TEST(ApiTest, NullTable) {
  const Expected<Api> api = Api::FromTable(nullptr);
  EXPECT_EQ(api.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(api.status().message(), HasSubstr("GetPjrtApi"));
}

TEST(ApiTest, TableTooShortForErrors) {
  FakeTable fake;
  fake.table.struct_size = 48;
  EXPECT_THAT(Api::FromTable(&fake.table).status().message(), HasSubstr("48 bytes is too short"));
}

TEST(ApiTest, NullErrorFunction) {
  FakeTable fake;
  fake.table.PJRT_Error_Message = nullptr;
  EXPECT_THAT(Api::FromTable(&fake.table).status().message(), HasSubstr("slot 1"));
}

TEST(ApiTest, OtherMajorVersion) {
  FakeTable fake;
  fake.table.pjrt_api_version.major_version = 1;
  EXPECT_THAT(Api::FromTable(&fake.table).status().message(), HasSubstr("major version 1"));
}

TEST(ApiTest, NullSlotIsUnimplementedByName) {
  FakeTable fake(90);
  const Status status = ApiOf(fake).Initialize();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("PJRT_Plugin_Initialize"));
  EXPECT_THAT(status.message(), HasSubstr("0.90"));
}

TEST(ApiTest, SlotBehindTheEndOfTheTableIsNotRead) {
  FakeTable fake(57);
  // A function where a longer table has one: it must not be called.
  fake.table.PJRT_Event_Create = +[](PJRT_Event_Create_Args*) -> PJRT_Error* {
    ADD_FAILURE() << "called behind the table's end";
    return nullptr;
  };
  fake.table.struct_size = offsetof(PJRT_Api, PJRT_Event_Create);
  const Api api = ApiOf(fake);
  EXPECT_FALSE(api.Has<PJRT_Event_Create_Args>());
  EXPECT_EQ(api.function_count(), 126);
  const Status status = Event::Create(api).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("PJRT_Event_Create came with PJRT 0.89"));
  EXPECT_THAT(status.message(), HasSubstr("0.57 and has 126 functions"));
}

TEST(ApiTest, ErrorsWithoutHeadAreReadAndFreedByTheirTable) {
  FakeTable fake;
  fake.table.PJRT_Client_Create = +[](PJRT_Client_Create_Args*) {
    return FakeTable::MakeError(PJRT_Error_Code_UNAVAILABLE, "no device");
  };
  const Status status = Client::Create(ApiOf(fake)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "no device");
  EXPECT_EQ(FakeTable::live_errors, 0);
}

TEST(ApiTest, AnErrorThatSaysOkIsStillAnError) {
  FakeTable fake;
  fake.table.PJRT_Client_Create =
      +[](PJRT_Client_Create_Args*) { return FakeTable::MakeError(PJRT_Error_Code_OK, "odd"); };
  EXPECT_EQ(Client::Create(ApiOf(fake)).status().code(), StatusCode::kUnknown);
}

TEST(ApiTest, GetCodeThatFails) {
  FakeTable fake;
  fake.table.PJRT_Error_GetCode = +[](PJRT_Error_GetCode_Args*) {
    return FakeTable::MakeError(PJRT_Error_Code_INTERNAL, "no code");
  };
  fake.table.PJRT_Client_Create = +[](PJRT_Client_Create_Args*) {
    return FakeTable::MakeError(PJRT_Error_Code_UNAVAILABLE, "no device");
  };
  const Status status = Client::Create(ApiOf(fake)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnknown);
  EXPECT_EQ(status.message(), "no device");
  EXPECT_EQ(FakeTable::live_errors, 0);
}

TEST(ApiTest, PayloadsTravel) {
  FakeTable fake(100);
  fake.table.PJRT_Error_ForEachPayload = +[](PJRT_Error_ForEachPayload_Args* args) -> PJRT_Error* {
    args->visitor("key", 3, "value", 5, args->user_arg);
    return nullptr;
  };
  fake.table.PJRT_Client_Create = +[](PJRT_Client_Create_Args*) {
    return FakeTable::MakeError(PJRT_Error_Code_UNAVAILABLE, "no device");
  };
  const Status status = Client::Create(ApiOf(fake)).status();
  ASSERT_EQ(status.payloads().size(), 1u);
  EXPECT_EQ(status.payloads()[0].key, "key");
  EXPECT_EQ(status.payloads()[0].value, "value");
}

TEST(ApiTest, SuccessWithoutResultIsInternal) {
  FakeTable fake;
  fake.table.PJRT_Client_Create = +[](PJRT_Client_Create_Args*) -> PJRT_Error* { return nullptr; };
  const Status status = Client::Create(ApiOf(fake)).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("PJRT_Client_Create"));
}

TEST(ApiTest, ExtensionChainThatRunsInACircleEnds) {
  FakeTable fake;
  PJRT_Extension_Base node = {};
  node.struct_size = PJRT_Extension_Base_STRUCT_SIZE;
  node.type = PJRT_Extension_Type_Stream;
  node.next = &node;
  fake.table.extension_start = &node;
  const Api api = ApiOf(fake);
  EXPECT_EQ(api.Extensions().size(), 1000u);
  EXPECT_EQ(api.FindExtension(PJRT_Extension_Type_Layouts), nullptr);
}

int live_clients = 0;
int live_buffers = 0;

// A client with what it owns, as far as lifetimes matter.
class FakeClientTest : public ::testing::Test {
 protected:
  FakeClientTest() {
    live_clients = live_buffers = 0;
    fake_.table.PJRT_Client_Create = +[](PJRT_Client_Create_Args* args) -> PJRT_Error* {
      ++live_clients;
      args->client = reinterpret_cast<PJRT_Client*>(&live_clients);
      return nullptr;
    };
    fake_.table.PJRT_Client_Destroy = +[](PJRT_Client_Destroy_Args*) -> PJRT_Error* {
      EXPECT_EQ(live_buffers, 0) << "a buffer outlives its client";
      --live_clients;
      return nullptr;
    };
    fake_.table.PJRT_Client_BufferFromHostBuffer =
        +[](PJRT_Client_BufferFromHostBuffer_Args* args) -> PJRT_Error* {
      ++live_buffers;
      args->buffer = reinterpret_cast<PJRT_Buffer*>(&live_buffers);
      return nullptr;
    };
    fake_.table.PJRT_Buffer_Destroy = +[](PJRT_Buffer_Destroy_Args*) -> PJRT_Error* {
      --live_buffers;
      return FakeTable::MakeError(PJRT_Error_Code_INTERNAL, "a failing Destroy is dropped");
    };
  }

  Expected<Buffer> MakeBuffer(const Client& client) {
    static const float value = 1;
    return client.BufferFromHost(HostView{&value, DType::kF32, {}, {}},
                                 Device(client.api(), nullptr));
  }

  FakeTable fake_;
};

TEST_F(FakeClientTest, BuffersKeepTheirClientAlive) {
  std::optional<Buffer> buffer;
  {
    Client client = *Client::Create(ApiOf(fake_));
    buffer.emplace(*MakeBuffer(client));
  }
  EXPECT_EQ(live_clients, 1);
  buffer.reset();
  EXPECT_EQ(live_clients, 0);
  EXPECT_EQ(FakeTable::live_errors, 0);
}

TEST_F(FakeClientTest, AMovedBufferIsDestroyedOnce) {
  const Client client = *Client::Create(ApiOf(fake_));
  Buffer first = *MakeBuffer(client);
  Buffer second = *MakeBuffer(client);
  EXPECT_EQ(live_buffers, 2);
  first = std::move(second);
  EXPECT_EQ(live_buffers, 1);
}

// What the plugin and the caller still do with the caller's memory.
class FakeZeroCopyTest : public FakeClientTest {
 protected:
  FakeZeroCopyTest() {
    Log().clear();
    fake_.table.PJRT_Buffer_Destroy = +[](PJRT_Buffer_Destroy_Args*) -> PJRT_Error* {
      Log() += "buffer gone, ";
      --live_buffers;
      return nullptr;
    };
    fake_.table.PJRT_Event_Destroy =
        +[](PJRT_Event_Destroy_Args*) -> PJRT_Error* { return nullptr; };
    fake_.table.PJRT_Event_Await = +[](PJRT_Event_Await_Args*) -> PJRT_Error* {
      Log() += "awaited, ";
      return nullptr;
    };
  }
  static std::string& Log() {
    static std::string log;
    return log;
  }
  static void SetEvent(PJRT_Client_BufferFromHostBuffer_Args* args) {
    args->done_with_host_buffer = reinterpret_cast<PJRT_Event*>(&live_clients);
  }
  Status MoveIn() {
    const Client client = *Client::Create(ApiOf(fake_));
    static const float value = 1;
    std::shared_ptr<void> memory(nullptr, [](void*) { Log() += "memory freed"; });
    return client
        .BufferFromHost(HostView{&value, DType::kF32, {}, {}}, Device(client.api(), nullptr),
                        HostSemantics::kZeroCopy, [memory] { Log() += "done, "; })
        .status();
  }
};

TEST_F(FakeZeroCopyTest, WithoutAnEventIsInternal) {
  const Status status = MoveIn();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("PJRT_Client_BufferFromHostBuffer"));
  EXPECT_EQ(Log(), "buffer gone, memory freed");
}

TEST_F(FakeZeroCopyTest, EventThatCannotCallIsAwaitedBeforeTheMemoryGoes) {
  fake_.table.PJRT_Client_BufferFromHostBuffer =
      +[](PJRT_Client_BufferFromHostBuffer_Args* args) -> PJRT_Error* {
    ++live_buffers;
    args->buffer = reinterpret_cast<PJRT_Buffer*>(&live_buffers);
    SetEvent(args);
    return nullptr;
  };
  fake_.table.PJRT_Event_OnReady = +[](PJRT_Event_OnReady_Args*) {
    return FakeTable::MakeError(PJRT_Error_Code_INTERNAL, "no callbacks");
  };
  EXPECT_EQ(MoveIn().message(), "no callbacks");
  EXPECT_EQ(Log(), "buffer gone, awaited, memory freed");
}

TEST_F(FakeZeroCopyTest, EventWithoutABufferIsAwaited) {
  fake_.table.PJRT_Client_BufferFromHostBuffer =
      +[](PJRT_Client_BufferFromHostBuffer_Args* args) -> PJRT_Error* {
    SetEvent(args);
    return nullptr;
  };
  EXPECT_EQ(MoveIn().code(), StatusCode::kInternal);
  EXPECT_EQ(Log(), "awaited, memory freed");
}

TEST_F(FakeClientTest, HostArrayWithoutDataIsRefusedBeforeTheCall) {
  const Client client = *Client::Create(ApiOf(fake_));
  const int64_t dims[] = {2};
  const Status status =
      client.BufferFromHost(HostView{nullptr, DType::kF32, dims, {}}, Device(client.api(), nullptr))
          .status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(live_buffers, 0);
}

TEST_F(FakeClientTest, ListsThatAreNullAreNotRead) {
  fake_.table.PJRT_Client_Devices = +[](PJRT_Client_Devices_Args* args) -> PJRT_Error* {
    args->num_devices = 3;
    return nullptr;
  };
  fake_.table.PJRT_Client_PlatformName = +[](PJRT_Client_PlatformName_Args* args) -> PJRT_Error* {
    args->platform_name_size = 9;
    return nullptr;
  };
  const Client client = *Client::Create(ApiOf(fake_));
  EXPECT_THAT(client.Devices().status().message(), HasSubstr("PJRT_Client_Devices"));
  EXPECT_THAT(client.PlatformName().status().message(), HasSubstr("PJRT_Client_PlatformName"));
}

TEST_F(FakeClientTest, UnknownElementTypeIsNotGuessed) {
  fake_.table.PJRT_Buffer_ElementType = +[](PJRT_Buffer_ElementType_Args* args) -> PJRT_Error* {
    args->type = static_cast<PJRT_Buffer_Type>(77);
    return nullptr;
  };
  const Client client = *Client::Create(ApiOf(fake_));
  const Status status = MakeBuffer(client)->Type().status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("77"));
}

TEST_F(FakeClientTest, LayoutsNeedTheExtensionAndItsSlots) {
  const Client client = *Client::Create(ApiOf(fake_));
  EXPECT_THAT(DefaultLayoutText(client, DType::kF32, {}).status().message(),
              HasSubstr("no Layouts extension"));
  PJRT_Extension_Base node = {};
  node.struct_size = PJRT_Extension_Base_STRUCT_SIZE;
  node.type = PJRT_Extension_Type_Layouts;
  fake_.table.extension_start = &node;
  const Status status = DefaultLayoutText(client, DType::kF32, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("PJRT_Layouts_PJRT_Client_GetDefaultLayout"));
}

TEST_F(FakeClientTest, HandlersAndTheirDataNeedTheExtension) {
  const Api api = ApiOf(fake_);
  const Status status = RegisterFfiHandler(api, "x", &fake_, "Host");
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("no FFI extension"));
  EXPECT_EQ(RegisterFfiType(api, "x").status().code(), StatusCode::kUnimplemented);
  // A success without a context.
  fake_.table.PJRT_ExecuteContext_Create =
      +[](PJRT_ExecuteContext_Create_Args*) -> PJRT_Error* { return nullptr; };
  EXPECT_EQ(ExecuteContext::Create(api).status().code(), StatusCode::kInternal);
}

// A client whose programs have two outputs; each test says what Execute does.
class FakeExecutableTest : public FakeClientTest {
 protected:
  FakeExecutableTest() {
    fake_.table.PJRT_Client_Compile = +[](PJRT_Client_Compile_Args* args) -> PJRT_Error* {
      args->executable = reinterpret_cast<PJRT_LoadedExecutable*>(&live_clients);
      return nullptr;
    };
    fake_.table.PJRT_LoadedExecutable_GetExecutable =
        +[](PJRT_LoadedExecutable_GetExecutable_Args* args) -> PJRT_Error* {
      args->executable = reinterpret_cast<PJRT_Executable*>(&live_clients);
      return nullptr;
    };
    fake_.table.PJRT_Executable_NumOutputs =
        +[](PJRT_Executable_NumOutputs_Args* args) -> PJRT_Error* {
      args->num_outputs = 2;
      return nullptr;
    };
  }
};

TEST_F(FakeExecutableTest, MissingOutputIsInternalAndTheOtherIsFreed) {
  fake_.table.PJRT_LoadedExecutable_Execute =
      +[](PJRT_LoadedExecutable_Execute_Args* args) -> PJRT_Error* {
    ++live_buffers;
    args->output_lists[0][0] = reinterpret_cast<PJRT_Buffer*>(&live_buffers);
    return nullptr;
  };
  const Client client = *Client::Create(ApiOf(fake_));
  const Expected<LoadedExecutable> executable = client.Compile(Program{"x"});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  EXPECT_EQ(executable->num_outputs(), 2u);
  const Status status = executable->ExecuteOne({}).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("PJRT_LoadedExecutable_Execute"));
  EXPECT_EQ(live_buffers, 0);

  const Buffer* null_argument[] = {nullptr};
  EXPECT_EQ(executable->ExecuteOne(null_argument).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(executable->Execute({}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(FakeExecutableTest, OptimizedProgramOfAnySizeIsAnError) {
  fake_.table.PJRT_Executable_OptimizedProgram =
      +[](PJRT_Executable_OptimizedProgram_Args* args) -> PJRT_Error* {
    args->program->code_size = PTRDIFF_MAX;
    return nullptr;
  };
  const Client client = *Client::Create(ApiOf(fake_));
  const Expected<LoadedExecutable> executable = client.Compile(Program{"x"});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const auto program = executable->executable().OptimizedProgram();
  EXPECT_EQ(program.status().code(), StatusCode::kInternal);
  EXPECT_THAT(program.status().message(), HasSubstr("9223372036854775807 bytes"));
}

TEST_F(FakeExecutableTest, SeveralDevicesHaveTheirOwnLists) {
  static int handles[8];
  fake_.table.PJRT_Buffer_Destroy =
      +[](PJRT_Buffer_Destroy_Args*) -> PJRT_Error* { return nullptr; };
  fake_.table.PJRT_Event_Destroy = +[](PJRT_Event_Destroy_Args*) -> PJRT_Error* { return nullptr; };
  fake_.table.PJRT_LoadedExecutable_Execute =
      +[](PJRT_LoadedExecutable_Execute_Args* args) -> PJRT_Error* {
    EXPECT_EQ(args->num_devices, 2u);
    EXPECT_EQ(args->num_args, 1u);
    EXPECT_EQ(args->argument_lists[0][0], reinterpret_cast<PJRT_Buffer*>(&handles[0]));
    EXPECT_EQ(args->argument_lists[1][0], reinterpret_cast<PJRT_Buffer*>(&handles[1]));
    EXPECT_EQ(args->options->num_non_donatable_input_indices, 1u);
    EXPECT_EQ(args->options->non_donatable_input_indices[0], 7);
    for (int i = 0; i < 4; ++i) {
      args->output_lists[i / 2][i % 2] = reinterpret_cast<PJRT_Buffer*>(&handles[2 + i]);
    }
    for (int device = 0; device < 2; ++device) {
      args->device_complete_events[device] = reinterpret_cast<PJRT_Event*>(&handles[6 + device]);
    }
    return nullptr;
  };
  const Client client = *Client::Create(ApiOf(fake_));
  const Expected<LoadedExecutable> executable = client.Compile(Program{"x"});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const auto buffer = [&](int i) {
    return Buffer(Handle<PJRT_Buffer>(client.api(), reinterpret_cast<PJRT_Buffer*>(&handles[i]),
                                      client.ref()));
  };
  const Buffer first = buffer(0), second = buffer(1);
  std::vector<const Buffer*> arguments[] = {{&first}, {&second}};
  const int64_t keep[] = {7};
  ExecuteOptions options;
  options.non_donatable = keep;
  options.want_done_events = true;
  const Expected<ExecuteResult> result = executable->Execute(arguments, options);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->outputs[1][0].get(), reinterpret_cast<PJRT_Buffer*>(&handles[4]));
  EXPECT_EQ(result->done[1].get(), reinterpret_cast<PJRT_Event*>(&handles[7]));
  arguments[1].push_back(&first);
  EXPECT_EQ(executable->Execute(arguments).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(FakeClientTest, EventCallbackRunsOnceAndTakesTheError) {
  fake_.table.PJRT_Event_OnReady = +[](PJRT_Event_OnReady_Args* args) -> PJRT_Error* {
    args->callback(FakeTable::MakeError(PJRT_Error_Code_DATA_LOSS, "late"), args->user_arg);
    return nullptr;
  };
  const Event event(Handle<PJRT_Event>(ApiOf(fake_), nullptr, nullptr));
  int runs = 0;
  Status outcome;
  ASSERT_TRUE(event
                  .OnReady([&](Status status) {
                    ++runs;
                    outcome = std::move(status);
                  })
                  .ok());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(outcome.code(), StatusCode::kDataLoss);
  EXPECT_EQ(FakeTable::live_errors, 0);
}

// A plugin may join its threads when its client goes, which one of them cannot do.
TEST_F(FakeClientTest, AClientNeverEndsOnAThreadThatCallsBack) {
  static std::promise<std::thread::id>* destroyed;
  std::promise<std::thread::id> on_thread;
  destroyed = &on_thread;
  fake_.table.PJRT_Client_Destroy = +[](PJRT_Client_Destroy_Args*) -> PJRT_Error* {
    destroyed->set_value(std::this_thread::get_id());
    return nullptr;
  };
  fake_.table.PJRT_Event_OnReady = +[](PJRT_Event_OnReady_Args* args) -> PJRT_Error* {
    args->callback(nullptr, args->user_arg);
    return nullptr;
  };
  const Event event(Handle<PJRT_Event>(ApiOf(fake_), nullptr, nullptr));
  auto client = std::make_unique<Client>(*Client::Create(ApiOf(fake_)));
  ASSERT_TRUE(event.OnReady([held = std::make_shared<Client>(std::move(*client))](Status) {}).ok());
  client.reset();
  EXPECT_NE(on_thread.get_future().get(), std::this_thread::get_id());
}

TEST_F(FakeClientTest, KeyValueStoreIsReachedAndItsErrorsAreThePlugins) {
  class Store : public KeyValueStore {
   public:
    Expected<std::string> Get(std::string_view key, std::chrono::milliseconds timeout) override {
      EXPECT_EQ(timeout.count(), 250);
      return std::string(key) + "!";
    }
    Expected<std::string> TryGet(std::string_view key) override { return NotFound("no ", key); }
    Status Put(std::string_view key, std::string_view value) override {
      put = std::string(key) + "=" + std::string(value);
      return {};
    }
    std::string put;
  };
  fake_.table.PJRT_Client_Create = +[](PJRT_Client_Create_Args* args) -> PJRT_Error* {
    PJRT_CallbackError make_error = +[](PJRT_Error_Code code, const char* message, size_t size) {
      return FakeTable::MakeError(code, std::string(message, size));
    };
    PJRT_KeyValuePutCallback_Args put = {};
    put.key = "k";
    put.key_size = 1;
    put.value = "v";
    put.value_size = 1;
    put.callback_error = &make_error;
    put.user_arg = args->kv_put_user_arg;
    EXPECT_EQ(args->kv_put_callback(&put), nullptr);
    PJRT_KeyValueGetCallback_Args get = {};
    get.key = "k";
    get.key_size = 1;
    get.timeout_in_ms = 250;
    get.callback_error = &make_error;
    get.user_arg = args->kv_get_user_arg;
    EXPECT_EQ(args->kv_get_callback(&get), nullptr);
    EXPECT_EQ(std::string(get.value, get.value_size), "k!");
    get.value_deleter_callback(get.value);
    PJRT_KeyValueTryGetCallback_Args try_get = {};
    try_get.key = "q";
    try_get.key_size = 1;
    try_get.callback_error = &make_error;
    try_get.user_arg = args->kv_try_get_user_arg;
    return args->kv_try_get_callback(&try_get);
  };
  Store store;
  const Status status = Client::Create(ApiOf(fake_), {}, &store).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no q");
  EXPECT_EQ(store.put, "k=v");
}

}  // namespace
}  // namespace plinth::client
