// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/adapter.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/loader/testing/fake_test.h"

namespace plinth::loader {
namespace {

using reflection::Direction;
using reflection::Field;
using reflection::Function;
using reflection::Struct;
using ::testing::AllOf;
using testing::CallerStruct;
using ::testing::ElementsAre;
using testing::Fake;
using testing::FakeOptions;
using ::testing::HasSubstr;
namespace id = reflection::function;

constexpr int kMinors[] = {57, 63, 72, 78, 90, 104, 110, 116, 117};

class AdapterTest : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(Fake().LiveErrors(), 0) << "errors of the plugin were lost";
    Fake().Record(false);
    Fake().TakeCalls();
  }

  void Open(const FakeOptions& options) {
    adapter_ = nullptr;
    Expected<PluginTable> table =
        ReadPluginTable("/fake.so", Fake().Make(options), /*allow_old=*/true, LogSink());
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    table_ = *table;
    adapter_ = std::make_unique<Adapter>(table_);
  }
  void Open(int minor) {
    FakeOptions options;
    options.minor = minor;
    Open(options);
  }

  Status Call(int function, void* args) { return TakeError(adapter_->Call(function, args)); }

  PluginTable table_;
  std::unique_ptr<Adapter> adapter_;
};

// A size that a caller of that minor announces.
size_t CallerSize(const Function& function, int minor) {
  if (function.args == reflection::structure::kPJRT_Plugin_Attributes_Args && minor <= 71) {
    return 24;
  }
  return reflection::EndAt(reflection::Structs()[function.args], minor);
}

TEST_F(AdapterTest, EveryFunctionInEverySizeOnEveryPlugin) {
  for (int plugin_minor : kMinors) {
    Open(plugin_minor);
    for (int caller_minor : kMinors) {
      for (int i = 0; i < reflection::kFunctionCount; ++i) {
        const Function& function = reflection::Functions()[i];
        if (function.table >= 0 || function.since > plugin_minor || function.since > caller_minor ||
            PluginErrors::Handles(i) || i == id::kPJRT_Event_OnReady) {
          continue;
        }
        SCOPED_TRACE(
            StrCat(function.name, ", plugin 0.", plugin_minor, ", caller 0.", caller_minor));
        const Struct& type = reflection::Structs()[function.args];
        size_t size = CallerSize(function, caller_minor);
        size_t real = size == 24 && function.slot == 4 ? 32 : size;
        CallerStruct args(real);
        args.Set<size_t>(0, size);
        if (const Field* code = reflection::FindField(type, "error_code")) {
          args.Set<int>(code->offset, PJRT_Error_Code_INTERNAL);
        }
        Status status = Call(i, args.data());
        ASSERT_TRUE(status.ok()) << status.ToString();
        EXPECT_TRUE(args.IsIntact());
        for (const Field& field : reflection::FieldsOf(type)) {
          if (field.direction != Direction::kOut || field.offset + field.size > real) continue;
          int expected = field.safe_since <= plugin_minor ? testing::kWritten : 0;
          EXPECT_EQ(args.At(field.offset), expected) << field.name;
          EXPECT_EQ(args.At(field.offset + field.size - 1u), expected) << field.name;
        }
      }
    }
  }
}

TEST_F(AdapterTest, OldPluginsToo) {
  for (int minor : {28, 40, 44, 45, 55}) {
    Open(minor);
    auto args = PLINTH_NEW_ARGS(PJRT_Client_PlatformName_Args);
    PJRT_Extension_Base node{PJRT_Extension_Base_STRUCT_SIZE, PJRT_Extension_Type_Profiler,
                             nullptr};
    args.extension_start = &node;
    Fake().Record(true);
    EXPECT_TRUE(Call(id::kPJRT_Client_PlatformName, &args).ok());
    auto calls = Fake().TakeCalls();
    ASSERT_EQ(calls.size(), 1u);
    PJRT_Client_PlatformName_Args seen;
    std::memcpy(&seen, calls[0].args.data(), sizeof(seen));
    EXPECT_EQ(seen.extension_start, minor < 45 ? nullptr : &node);
    EXPECT_EQ(args.extension_start, &node);
  }
}

TEST_F(AdapterTest, TooSmallStructs) {
  Open(90);
  auto args = PLINTH_NEW_ARGS(PJRT_Client_Compile_Args);
  args.struct_size = 40;
  Status status = Call(id::kPJRT_Client_Compile, &args);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(),
              AllOf(HasSubstr("PJRT_Client_Compile_Args"), HasSubstr("40"), HasSubstr("56")));
  EXPECT_EQ(Call(id::kPJRT_Client_Compile, nullptr).code(), StatusCode::kInvalidArgument);
}

class ExecuteTest : public AdapterTest {
 protected:
  ExecuteTest() {
    options_.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    args_.options = &options_;
    options_.launch_id = 7;
  }
  Status Execute() {
    Fake().Record(true);
    Status status = Call(id::kPJRT_LoadedExecutable_Execute, &args_);
    auto calls = Fake().TakeCalls();
    calls_ = static_cast<int>(calls.size());
    seen_ = {};
    if (!calls.empty()) {
      seen_size_ = calls.back().options.size();
      if (seen_size_ > 0) std::memcpy(&seen_, calls.back().options.data(), seen_size_);
    }
    return status;
  }

  PJRT_ExecuteOptions options_{};
  PJRT_LoadedExecutable_Execute_Args args_ = PLINTH_NEW_ARGS(PJRT_LoadedExecutable_Execute_Args);
  PJRT_ExecuteOptions seen_{};
  size_t seen_size_ = 0;
  int calls_ = 0;
};

TEST_F(ExecuteTest, OptionsHaveTheSizeOfThePlugin) {
  constexpr struct {
    int minor;
    size_t size;
  } kSizes[] = {{57, 72},  {63, 72},  {64, 80},   {76, 88},
                {78, 112}, {97, 120}, {112, 144}, {116, 160}};
  for (const auto& [minor, size] : kSizes) {
    SCOPED_TRACE(minor);
    Open(minor);
    EXPECT_TRUE(Execute().ok());
    EXPECT_EQ(seen_size_, size);
    EXPECT_EQ(seen_.launch_id, 7);
    EXPECT_EQ(args_.options, &options_);
    EXPECT_EQ(options_.struct_size, size_t{PJRT_ExecuteOptions_STRUCT_SIZE});
  }
}

TEST_F(ExecuteTest, OptionsOfOldCallers) {
  Open(116);
  options_.struct_size = 112;
  options_.multi_slice_config = reinterpret_cast<PJRT_MultiSlice_Config*>(&options_);
  EXPECT_TRUE(Execute().ok());
  EXPECT_EQ(seen_size_, 160u);
  EXPECT_EQ(seen_.multi_slice_config, nullptr) << "read behind the caller's struct";
}

TEST_F(ExecuteTest, HintsAreDropped) {
  Open(63);
  int task = 1;
  options_.call_location = "file.py:1";
  options_.num_tasks = 1;
  options_.task_ids = &task;
  EXPECT_TRUE(Execute().ok());
  EXPECT_EQ(seen_size_, 72u);
  Open(76);
  EXPECT_TRUE(Execute().ok());
  EXPECT_STREQ(seen_.call_location, "file.py:1");
}

TEST_F(ExecuteTest, WhatChangesResultsIsRefused) {
  Open(63);
  options_.context = reinterpret_cast<PJRT_ExecuteContext*>(&options_);
  Status status = Execute();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.ToString(), AllOf(HasSubstr("PJRT_ExecuteOptions.context"), HasSubstr("0.64"),
                                       HasSubstr("/fake.so (PJRT 0.63)")));
  EXPECT_EQ(calls_, 0);
  Open(64);
  EXPECT_TRUE(Execute().ok());
  options_.use_major_to_minor_data_layout_for_callbacks = true;
  Status at_64 = Execute();
  EXPECT_TRUE(at_64.ok()) << at_64.ToString();
  options_.num_recv_ops = 1;
  EXPECT_EQ(Execute().code(), StatusCode::kUnimplemented);
}

TEST_F(ExecuteTest, EmptyListsSayNothing) {
  Open(90);
  PJRT_NamedValue unused{};
  options_.custom_options = &unused;  // A pointer to no elements.
  EXPECT_TRUE(Execute().ok());
  options_.num_custom_options = 1;
  EXPECT_EQ(Execute().code(), StatusCode::kUnimplemented);
}

TEST_F(AdapterTest, LoadOptionsThatSayNothingAreDropped) {
  Open(90);
  auto args = PLINTH_NEW_ARGS(PJRT_Executable_DeserializeAndLoad_Args);
  PJRT_LoadOptions options{};
  options.struct_size = PJRT_LoadOptions_STRUCT_SIZE;
  args.load_options = &options;
  EXPECT_TRUE(Call(id::kPJRT_Executable_DeserializeAndLoad, &args).ok());
  int32_t origin = 1;
  options.computation_origin = &origin;
  options.computation_origin_size = 1;
  EXPECT_EQ(Call(id::kPJRT_Executable_DeserializeAndLoad, &args).code(),
            StatusCode::kUnimplemented);
}

TEST_F(AdapterTest, EnumValuesOfLaterMinors) {
  auto args = PLINTH_NEW_ARGS(PJRT_Client_BufferFromHostBuffer_Args);
  args.type = PJRT_Buffer_Type_F8E8M0FNU;
  Open(57);
  Status status = Call(id::kPJRT_Client_BufferFromHostBuffer, &args);
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.ToString(), AllOf(HasSubstr("PJRT_Buffer_Type_F8E8M0FNU"), HasSubstr("0.57")));
  Open(90);
  EXPECT_TRUE(Call(id::kPJRT_Client_BufferFromHostBuffer, &args).ok());
  int junk = 999;
  std::memcpy(&args.type, &junk, sizeof(junk));
  EXPECT_EQ(Call(id::kPJRT_Client_BufferFromHostBuffer, &args).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(AdapterTest, EnumValuesInArrays) {
  Open(90);
  PJRT_NamedValue values[2] = {};
  int junk = 77;
  std::memcpy(&values[1].type, &junk, sizeof(junk));
  auto args = PLINTH_NEW_ARGS(PJRT_Client_Create_Args);
  args.create_options = values;
  args.num_options = 1;
  EXPECT_TRUE(Call(id::kPJRT_Client_Create, &args).ok());
  args.num_options = 2;
  Status status = Call(id::kPJRT_Client_Create, &args);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("PJRT_NamedValue.type is 77"));
}

TEST_F(AdapterTest, LayoutsOfManyBuffers) {
  Open(90);
  PJRT_Buffer_MemoryLayout right{}, large{};
  right.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  large.struct_size = sizeof(PJRT_Buffer_MemoryLayout);
  PJRT_Buffer_MemoryLayout* layouts[] = {&right, nullptr, &large};
  auto args = PLINTH_NEW_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args);
  args.device_layouts = layouts;
  args.num_device_layouts = 3;
  EXPECT_TRUE(Call(id::kPJRT_Client_CreateBuffersForAsyncHostToDevice, &args).ok());
  EXPECT_THAT(layouts, ElementsAre(&right, nullptr, &large));
  int junk = 9;
  std::memcpy(&large.type, &junk, sizeof(junk));
  EXPECT_EQ(Call(id::kPJRT_Client_CreateBuffersForAsyncHostToDevice, &args).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(AdapterTest, LayoutWithoutASize) {
  Open(90);
  Fake().Record(true);
  for (size_t size : {size_t{0}, size_t{1}, size_t{140254034302968}}) {
    PJRT_Buffer_MemoryLayout layout{};
    layout.struct_size = size;
    auto args = PLINTH_NEW_ARGS(PJRT_Client_CreateViewOfDeviceBuffer_Args);
    args.layout = &layout;
    EXPECT_TRUE(Call(id::kPJRT_Client_CreateViewOfDeviceBuffer, &args).ok());
    EXPECT_EQ(layout.struct_size, size);
  }
  EXPECT_EQ(Fake().TakeCalls().size(), 3u);
}

TEST_F(AdapterTest, ProcessInfoOfUnknownLayout) {
  PJRT_ProcessInfo info{};
  info.struct_size = PJRT_ProcessInfo_STRUCT_SIZE;
  auto args = PLINTH_NEW_ARGS(PJRT_Client_UpdateGlobalProcessInfo_Args);
  args.process_infos = &info;
  args.num_process_infos = 1;
  Open(75);
  EXPECT_EQ(Call(id::kPJRT_Client_UpdateGlobalProcessInfo, &args).code(),
            StatusCode::kUnimplemented);
  Open(76);
  EXPECT_TRUE(Call(id::kPJRT_Client_UpdateGlobalProcessInfo, &args).ok());
}

TEST_F(AdapterTest, PluginThatWantsMore) {
  FakeOptions options;
  options.minor = 120;
  options.demands[reflection::structure::kPJRT_Client_PlatformName_Args] = 56;
  options.demands[reflection::structure::kPJRT_ExecuteOptions] = 200;
  Open(options);
  Fake().Record(true);
  auto args = PLINTH_NEW_ARGS(PJRT_Client_PlatformName_Args);
  EXPECT_TRUE(Call(id::kPJRT_Client_PlatformName, &args).ok());
  EXPECT_EQ(Fake().TakeCalls().size(), 2u);
  EXPECT_TRUE(Call(id::kPJRT_Client_PlatformName, &args).ok());
  auto calls = Fake().TakeCalls();
  ASSERT_EQ(calls.size(), 1u) << "the size was not remembered";
  EXPECT_EQ(calls[0].args.size(), 56u);

  PJRT_ExecuteOptions execute_options{};
  execute_options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  auto execute = PLINTH_NEW_ARGS(PJRT_LoadedExecutable_Execute_Args);
  execute.options = &execute_options;
  EXPECT_TRUE(Call(id::kPJRT_LoadedExecutable_Execute, &execute).ok());
  EXPECT_EQ(Fake().TakeCalls().size(), 2u);
  EXPECT_TRUE(Call(id::kPJRT_LoadedExecutable_Execute, &execute).ok());
  calls = Fake().TakeCalls();
  ASSERT_EQ(calls.size(), 1u) << "the size was not remembered";
  EXPECT_EQ(calls[0].options.size(), 200u);
}

TEST_F(AdapterTest, ComplaintsThatNobodyCanMeet) {
  FakeOptions options;
  options.minor = 120;
  options.demands[reflection::structure::kPJRT_Client_PlatformName_Args] = size_t{1} << 40;
  Open(options);
  auto args = PLINTH_NEW_ARGS(PJRT_Client_PlatformName_Args);
  Status status = Call(id::kPJRT_Client_PlatformName, &args);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("Unexpected"));
}

TEST_F(AdapterTest, ErrorsKeepCodeMessageAndPayloads) {
  for (int minor : {57, 98, 99, 106, 107, 117}) {
    SCOPED_TRACE(minor);
    Open(minor);
    Fake().FailNext(PJRT_Error_Code_DATA_LOSS, "lost it");
    auto args = PLINTH_NEW_ARGS(PJRT_Client_Devices_Args);
    PJRT_Error* error = adapter_->Call(id::kPJRT_Client_Devices, &args);
    ASSERT_NE(error, nullptr);
    ASSERT_NE(error->vtable, nullptr);

    auto message = PLINTH_NEW_ARGS(PJRT_Error_Message_Args);
    message.error = error;
    adapter_->Call(id::kPJRT_Error_Message, &message);
    EXPECT_EQ(std::string(message.message, message.message_size), "lost it");
    auto code = PLINTH_NEW_ARGS(PJRT_Error_GetCode_Args);
    code.error = error;
    EXPECT_EQ(adapter_->Call(id::kPJRT_Error_GetCode, &code), nullptr);
    EXPECT_EQ(code.code, PJRT_Error_Code_DATA_LOSS);
    std::string payloads;
    auto each = PLINTH_NEW_ARGS(PJRT_Error_ForEachPayload_Args);
    each.error = error;
    each.user_arg = &payloads;
    each.visitor = [](const char* key, size_t key_size, const char* value, size_t value_size,
                      void* argument) {
      static_cast<std::string*>(argument)->append(key, key_size).append(value, value_size);
    };
    EXPECT_EQ(adapter_->Call(id::kPJRT_Error_ForEachPayload, &each), nullptr);
    EXPECT_EQ(payloads, minor >= 99 ? "keyvalue" : "");
    auto destroy = PLINTH_NEW_ARGS(PJRT_Error_Destroy_Args);
    destroy.error = error;
    adapter_->Call(id::kPJRT_Error_Destroy, &destroy);
    destroy.error = nullptr;
    adapter_->Call(id::kPJRT_Error_Destroy, &destroy);
    adapter_->Call(id::kPJRT_Error_Destroy, nullptr);
  }
}

struct Ready {
  int times = 0;
  Status status;
};

TEST_F(AdapterTest, CallbacksGetErrorsWithAHead) {
  for (int minor : {57, 106, 107}) {
    for (PJRT_Error_Code code : {PJRT_Error_Code_OK, PJRT_Error_Code_ABORTED}) {
      SCOPED_TRACE(minor);
      Open(minor);
      Ready ready;
      auto args = PLINTH_NEW_ARGS(PJRT_Event_OnReady_Args);
      PJRT_Event_OnReadyCallback callback = [](PJRT_Error* error, void* argument) {
        auto* to = static_cast<Ready*>(argument);
        ++to->times;
        to->status = TakeError(error);
      };
      args.callback = callback;
      args.user_arg = &ready;
      EXPECT_TRUE(Call(id::kPJRT_Event_OnReady, &args).ok());
      EXPECT_EQ(args.callback, callback);
      EXPECT_EQ(args.user_arg, &ready);
      EXPECT_EQ(ready.times, 0);
      Fake().CompleteEvents(code);
      EXPECT_EQ(ready.times, 1);
      EXPECT_EQ(static_cast<int>(ready.status.code()), static_cast<int>(code));
    }
  }
}

TEST_F(AdapterTest, RefusedCallbacksFreeTheirContext) {
  Open(90);
  auto args = PLINTH_NEW_ARGS(PJRT_Event_OnReady_Args);
  args.callback = [](PJRT_Error*, void*) { ADD_FAILURE(); };
  Fake().FailNext(PJRT_Error_Code_INTERNAL, "no");
  EXPECT_EQ(Call(id::kPJRT_Event_OnReady, &args).code(), StatusCode::kInternal);
}

// What the callbacks of a caller do here: they see whose user_arg they got, and fail.
struct Store {
  int gets = 0, puts = 0, tries = 0;
};

// Makes an error the way a plugin asks for, and uses it as callers of 0.107 may.
PJRT_Error* FailFrom(PJRT_CallbackError* callback_error, const char* message) {
  PJRT_Error* error = (*callback_error)(PJRT_Error_Code_ABORTED, message, std::strlen(message));
  EXPECT_EQ(PluginErrors::CodeOf(error), PJRT_Error_Code_ABORTED);
  EXPECT_EQ(PluginErrors::MessageOf(error), message);
  return error;
}

// How plugins make the errors that callbacks give back.
PJRT_CallbackError plugins_own = [](PJRT_Error_Code code, const char* message, size_t size) {
  return Fake().NewError(code, std::string(message, size));
};

TEST_F(AdapterTest, ErrorsThatCallersMakeHaveAHead) {
  for (int minor : {57, 90, 106, 107}) {
    SCOPED_TRACE(minor);
    Open(minor);
    Store store;
    auto create = PLINTH_NEW_ARGS(PJRT_Client_Create_Args);
    create.kv_get_user_arg = create.kv_put_user_arg = create.kv_try_get_user_arg = &store;
    create.kv_get_callback = [](PJRT_KeyValueGetCallback_Args* args) {
      ++static_cast<Store*>(args->user_arg)->gets;
      return FailFrom(args->callback_error, "no such key");
    };
    create.kv_put_callback = [](PJRT_KeyValuePutCallback_Args* args) -> PJRT_Error* {
      ++static_cast<Store*>(args->user_arg)->puts;
      return nullptr;
    };
    create.kv_try_get_callback = [](PJRT_KeyValueTryGetCallback_Args* args) {
      ++static_cast<Store*>(args->user_arg)->tries;
      return FailFrom(args->callback_error, "not yet");
    };
    PJRT_Client_Create_Args seen{};
    Fake().InNext([&](void* raw) {
      std::memcpy(&seen, raw, *static_cast<size_t*>(raw));
      static_cast<PJRT_Client_Create_Args*>(raw)->client = reinterpret_cast<PJRT_Client*>(&store);
    });
    ASSERT_TRUE(Call(id::kPJRT_Client_Create, &create).ok());
    EXPECT_EQ(create.client, reinterpret_cast<PJRT_Client*>(&store));
    EXPECT_EQ(create.kv_get_user_arg, &store) << "the caller's struct was changed";

    auto get = PLINTH_NEW_ARGS(PJRT_KeyValueGetCallback_Args);
    get.callback_error = &plugins_own;
    get.user_arg = seen.kv_get_user_arg;
    PJRT_Error* error = seen.kv_get_callback(&get);
    Status status = TakeError(adapter_->errors().Lift(error));
    EXPECT_EQ(status.code(), StatusCode::kAborted);
    EXPECT_EQ(status.message(), "no such key");
    EXPECT_EQ(get.callback_error, &plugins_own);

    auto put = PLINTH_NEW_ARGS(PJRT_KeyValuePutCallback_Args);
    put.callback_error = &plugins_own;
    put.user_arg = seen.kv_put_user_arg;
    EXPECT_EQ(seen.kv_put_callback(&put), nullptr);
    if (minor >= 61) {
      auto try_get = PLINTH_NEW_ARGS(PJRT_KeyValueTryGetCallback_Args);
      try_get.callback_error = &plugins_own;
      try_get.user_arg = seen.kv_try_get_user_arg;
      error = seen.kv_try_get_callback(&try_get);
      EXPECT_EQ(TakeError(adapter_->errors().Lift(error)).message(), "not yet");
    }
    EXPECT_EQ(store.gets, 1);
    EXPECT_EQ(store.puts, 1);
    EXPECT_EQ(store.tries, minor >= 61 ? 1 : 0);
    auto destroy = PLINTH_NEW_ARGS(PJRT_Client_Destroy_Args);
    destroy.client = create.client;
    EXPECT_TRUE(Call(id::kPJRT_Client_Destroy, &destroy).ok());
  }
}

TEST_F(ExecuteTest, ErrorsOfSendCallbacksHaveAHead) {
  for (bool wants_events : {true, false}) {
    Open(90);
    int sent = 0;
    PJRT_SendCallbackInfo info{};
    info.channel_id = 5;
    info.user_arg = &sent;
    info.send_callback = [](PJRT_Chunk*, PJRT_CallbackError* make, size_t, bool, void* user_arg) {
      ++*static_cast<int*>(user_arg);
      return FailFrom(make, "cannot take it");
    };
    PJRT_SendCallbackInfo* lists[1] = {&info};
    options_.send_callbacks = lists;
    options_.num_send_ops = 1;
    args_.num_devices = 1;
    PJRT_Event* events[1] = {nullptr};
    args_.device_complete_events = wants_events ? events : nullptr;
    PJRT_SendCallbackInfo seen{};
    Fake().InNext([&](void* raw) {
      auto& args = *static_cast<PJRT_LoadedExecutable_Execute_Args*>(raw);
      seen = args.options->send_callbacks[0][0];
      ASSERT_NE(args.device_complete_events, nullptr);
      args.device_complete_events[0] = reinterpret_cast<PJRT_Event*>(&sent);
    });
    ASSERT_TRUE(Execute().ok());
    EXPECT_EQ(lists[0], &info);
    EXPECT_EQ(seen.channel_id, 5);
    for (int i = 0; i < 2; ++i) {
      PJRT_Error* error = seen.send_callback(nullptr, &plugins_own, 4, i == 1, seen.user_arg);
      EXPECT_EQ(TakeError(adapter_->errors().Lift(error)).message(), "cannot take it");
    }
    EXPECT_EQ(sent, 2);
    // The completion frees what stands for the callbacks; a sanitizer sees whether.
    Fake().CompleteEvents(wants_events ? PJRT_Error_Code_OK : PJRT_Error_Code_ABORTED);
    Fake().Record(false);
  }
}

TEST_F(ExecuteTest, NothingIsReadBehindSmallStructs) {
  Open(100);  // Its errors have no head, so callbacks are looked for.
  CallerStruct args(24);
  Status status = Call(id::kPJRT_LoadedExecutable_Execute, args.data());
  EXPECT_THAT(status.ToString(), HasSubstr("has a struct_size of 24"));

  CallerStruct options(24);
  args_.options = static_cast<PJRT_ExecuteOptions*>(options.data());
  EXPECT_THAT(Execute().ToString(),
              AllOf(HasSubstr("PJRT_ExecuteOptions"), HasSubstr("has a struct_size of 24")));
  EXPECT_EQ(calls_, 0);
}

TEST_F(AdapterTest, AbsentFunctionsSayWhy) {
  Open(63);
  auto args = PLINTH_NEW_ARGS(PJRT_Client_DmaMap_Args);
  Status status = Call(id::kPJRT_Client_DmaMap, &args);
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.ToString(), AllOf(HasSubstr("PJRT_Client_DmaMap"),
                                       HasSubstr("/fake.so (PJRT 0.63)"), HasSubstr("0.67")));
  FakeOptions options;
  options.minor = 90;
  options.null_slots = {id::kPJRT_Client_DmaMap};
  Open(options);
  status = Call(id::kPJRT_Client_DmaMap, &args);
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.ToString(), HasSubstr("/fake.so (PJRT 0.90)"));
}

TEST_F(AdapterTest, Emulations) {
  FakeOptions options;
  options.minor = 90;
  options.null_slots = {id::kPJRT_Plugin_Initialize, id::kPJRT_Plugin_Attributes,
                        id::kPJRT_Buffer_CopyToDevice, id::kPJRT_Buffer_UnpaddedDimensions,
                        id::kPJRT_Executable_SizeOfGeneratedCodeInBytes};
  Open(options);
  auto initialize = PLINTH_NEW_ARGS(PJRT_Plugin_Initialize_Args);
  EXPECT_TRUE(Call(id::kPJRT_Plugin_Initialize, &initialize).ok());
  auto attributes = PLINTH_NEW_ARGS(PJRT_Plugin_Attributes_Args);
  attributes.num_attributes = 9;
  EXPECT_TRUE(Call(id::kPJRT_Plugin_Attributes, &attributes).ok());
  EXPECT_EQ(attributes.num_attributes, 0u);

  Fake().Record(true);
  auto copy = PLINTH_NEW_ARGS(PJRT_Buffer_CopyToDevice_Args);
  EXPECT_TRUE(Call(id::kPJRT_Buffer_CopyToDevice, &copy).ok());
  auto calls = Fake().TakeCalls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].function, id::kPJRT_Device_DefaultMemory);
  EXPECT_EQ(calls[1].function, id::kPJRT_Buffer_CopyToMemory);
  EXPECT_NE(copy.dst_buffer, nullptr);

  auto size = PLINTH_NEW_ARGS(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args);
  EXPECT_TRUE(Call(id::kPJRT_Executable_SizeOfGeneratedCodeInBytes, &size).ok());
  EXPECT_EQ(size.size_in_bytes, 0x5a5a5a5a5a5a5a5a);

  // The fake says that there are dynamic dimensions.
  auto dims = PLINTH_NEW_ARGS(PJRT_Buffer_UnpaddedDimensions_Args);
  EXPECT_EQ(Call(id::kPJRT_Buffer_UnpaddedDimensions, &dims).code(), StatusCode::kUnimplemented);

  options.null_slots.insert(id::kPJRT_Buffer_CopyToMemory);
  Open(options);
  EXPECT_EQ(Call(id::kPJRT_Buffer_CopyToDevice, &copy).code(), StatusCode::kUnimplemented);
  EXPECT_FALSE(adapter_->Offers(id::kPJRT_Buffer_CopyToDevice));
}

}  // namespace
}  // namespace plinth::loader
