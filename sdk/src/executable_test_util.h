// SPDX-License-Identifier: Apache-2.0
#ifndef SDK_SRC_EXECUTABLE_TEST_UTIL_H_
#define SDK_SRC_EXECUTABLE_TEST_UTIL_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sdk/src/test_plugin.h"

namespace plinth::sdk::testing {

// A client of the test plugin with a program and its two arguments; nothing may be left of them.
class ExecutableTest : public ::testing::Test {
 protected:
  ExecutableTest() {
    a_ = Upload(client_, {1, 2, 3, 4});
    b_ = Upload(client_, {10, 20, 30, 40});
    add_ = Compile(client_, "add");
  }
  ~ExecutableTest() override {
    execute_hook = nullptr;
    upload_hook = nullptr;
    for (PJRT_Buffer* buffer : {a_, b_}) Destroy(buffer);
    Destroy(add_);
    client_.Destroy();
    EXPECT_EQ(live_buffers, 0);
    EXPECT_EQ(live_executables, 0);
    EXPECT_EQ(live_clients, 0);
  }
  // A call that is right; tests change one thing.
  struct Call {
    PJRT_Buffer* arguments[2];
    PJRT_Buffer* const* argument_list = arguments;
    PJRT_Buffer* outputs[1] = {nullptr};
    PJRT_Buffer** output_list = outputs;
    PJRT_Event* complete[1] = {nullptr};
    PJRT_ExecuteOptions options = {};
    PJRT_LoadedExecutable_Execute_Args args = {};
  };
  void Fill(Call& call) {
    call.arguments[0] = a_;
    call.arguments[1] = b_;
    call.options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    call.args.struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE;
    call.args.executable = add_;
    call.args.options = &call.options;
    call.args.argument_lists = &call.argument_list;
    call.args.num_devices = 1;
    call.args.num_args = 2;
    call.args.output_lists = &call.output_list;
    call.args.device_complete_events = call.complete;
  }
  template <typename Change>
  void ExpectRefused(Change change, const std::string& text,
                     StatusCode code = StatusCode::kInvalidArgument) {
    Call call;
    Fill(call);
    change(call);
    Status status = PLINTH_CALL(PJRT_LoadedExecutable_Execute, call.args);
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(text));
    EXPECT_EQ(call.outputs[0], nullptr);
    EXPECT_EQ(call.complete[0], nullptr);
  }

  TestClientHandle client_;
  PJRT_Buffer* a_;
  PJRT_Buffer* b_;
  PJRT_LoadedExecutable* add_;
};

}  // namespace plinth::sdk::testing

#endif  // SDK_SRC_EXECUTABLE_TEST_UTIL_H_
