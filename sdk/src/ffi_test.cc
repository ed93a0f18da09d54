// SPDX-License-Identifier: Apache-2.0
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_gpu_extension.h"
#include "plinth/support/extension_chain.h"
#include "sdk/src/test_plugin.h"

namespace plinth::sdk::testing {
namespace {

template <typename Extension>
const Extension* Find(PJRT_Extension_Type type) {
  for (const PJRT_Extension_Base* node = Api()->extension_start; node != nullptr;
       node = node->next) {
    if (node->type == type) return reinterpret_cast<const Extension*>(node);
  }
  return nullptr;
}

const PJRT_FFI_Extension& FfiExtension() {
  return *Find<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI);
}

TEST(Ffi, Types) {
  int deleted = 0;
  PJRT_FFI_Type_Info info{[](void* object) { ++*static_cast<int*>(object); }, nullptr, nullptr};
  const auto register_type = [&](std::string name, int64_t id, PJRT_FFI_Type_Info* with,
                                 int64_t* given) {
    PLINTH_ARGS(PJRT_FFI_Type_Register, args);
    args.type_name = name.data();
    args.type_name_size = name.size();
    args.type_id = id;
    args.type_info = with;
    const Status status = TakeError(FfiExtension().type_register(&args));
    *given = args.type_id;
    return status.code();
  };
  int64_t first = 0, other = 0;
  EXPECT_EQ(register_type("a", 0, &info, &first), StatusCode::kOk);
  EXPECT_NE(first, 0);
  EXPECT_EQ(register_type("a", 0, &info, &other), StatusCode::kOk);
  EXPECT_EQ(other, first);
  EXPECT_EQ(register_type("a", first, &info, &other), StatusCode::kOk);
  EXPECT_EQ(register_type("a", first + 1, &info, &other), StatusCode::kAlreadyExists);
  EXPECT_EQ(register_type("a", 0, nullptr, &other), StatusCode::kAlreadyExists);
  EXPECT_EQ(register_type("b", first, &info, &other), StatusCode::kAlreadyExists);
  EXPECT_EQ(register_type("b", 77, nullptr, &other), StatusCode::kOk);
  EXPECT_EQ(other, 77);
  EXPECT_EQ(register_type("", 0, nullptr, &other), StatusCode::kInvalidArgument);
  EXPECT_EQ(deleted, 0);
}

TEST(Ffi, UserDataOfAContext) {
  PLINTH_ARGS(PJRT_ExecuteContext_Create, create);
  ASSERT_TRUE(PLINTH_CALL(PJRT_ExecuteContext_Create, create).ok());
  int data = 0;
  PLINTH_ARGS(PJRT_FFI_UserData_Add, args);
  EXPECT_EQ(TakeError(FfiExtension().user_data_add(&args)).code(), StatusCode::kInvalidArgument);
  args.context = create.context;
  EXPECT_EQ(TakeError(FfiExtension().user_data_add(&args)).code(), StatusCode::kInvalidArgument);
  for (int64_t type = 5; type < 9; ++type) {
    args.user_data = {type, &data};
    EXPECT_TRUE(TakeError(FfiExtension().user_data_add(&args)).ok());
  }
  EXPECT_EQ(TakeError(FfiExtension().user_data_add(&args)).code(), StatusCode::kAlreadyExists);
  const auto* context = reinterpret_cast<const ExecuteContext*>(create.context);
  ASSERT_EQ(context->user_data().size(), 4u);
  EXPECT_EQ(context->user_data()[3].type_id, 8);
  EXPECT_EQ(context->user_data()[3].data, &data);
  PLINTH_ARGS(PJRT_ExecuteContext_Destroy, destroy);
  destroy.context = create.context;
  EXPECT_TRUE(PLINTH_CALL(PJRT_ExecuteContext_Destroy, destroy).ok());
}

TEST(Ffi, Handlers) {
  int function = 0;
  PLINTH_ARGS(PJRT_FFI_Register_Handler, args);
  args.target_name = "target";
  args.target_name_size = 6;
  args.platform_name = "test";
  args.platform_name_size = 4;
  EXPECT_EQ(TakeError(FfiExtension().register_handler(&args)).code(), StatusCode::kInvalidArgument);
  args.handler = &function;
  EXPECT_TRUE(TakeError(FfiExtension().register_handler(&args)).ok());
  EXPECT_EQ(last_handler.target, "target");
  EXPECT_EQ(last_handler.platform, "test");
  EXPECT_TRUE(last_handler.is_typed);
  EXPECT_EQ(last_handler.execute, &function);
  args.target_name = "taken";
  args.target_name_size = 5;
  EXPECT_EQ(TakeError(FfiExtension().register_handler(&args)).code(),
            StatusCode::kFailedPrecondition);
  args.target_name_size = 0;
  EXPECT_EQ(TakeError(FfiExtension().register_handler(&args)).code(), StatusCode::kInvalidArgument);
  args.struct_size = 8;
  EXPECT_EQ(TakeError(FfiExtension().register_handler(&args)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ffi_calls, 1);  // When the plugin was made.
}

TEST(Ffi, HandlersOfEveryStageAndUntypedFunctions) {
  const auto& extension = *Find<PJRT_Gpu_Custom_Call>(PJRT_Extension_Type_Gpu_Custom_Call);
  EXPECT_TRUE(extension.custom_call_handles_traits);
  int instantiate = 0, execute = 0;
  PLINTH_ARGS(PJRT_Gpu_Register_Custom_Call, args);
  args.function_name = "stages";
  args.function_name_size = 6;
  args.api_version = 1;
  args.handler_instantiate = &instantiate;
  EXPECT_EQ(TakeError(extension.custom_call(&args)).code(), StatusCode::kInvalidArgument);
  args.handler_execute = &execute;
  args.traits = 1;
  EXPECT_TRUE(TakeError(extension.custom_call(&args)).ok());
  EXPECT_EQ(last_handler.instantiate, &instantiate);
  EXPECT_EQ(last_handler.traits, 1u);
  EXPECT_EQ(last_handler.platform, "");
  args.struct_size = 64;  // before traits came
  EXPECT_TRUE(TakeError(extension.custom_call(&args)).ok());
  EXPECT_EQ(last_handler.traits, 0u);
  args.api_version = 0;
  EXPECT_TRUE(TakeError(extension.custom_call(&args)).ok());
  EXPECT_FALSE(last_handler.is_typed);
  EXPECT_EQ(last_handler.instantiate, nullptr);
  args.api_version = 4;
  EXPECT_EQ(TakeError(extension.custom_call(&args)).code(), StatusCode::kInvalidArgument);
  args.struct_size = 24;  // what is behind it is not read
  EXPECT_THAT(std::string(TakeError(extension.custom_call(&args)).message()),
              ::testing::HasSubstr("handler_execute is null"));
}

}  // namespace
}  // namespace plinth::sdk::testing
