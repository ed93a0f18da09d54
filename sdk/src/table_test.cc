// SPDX-License-Identifier: Apache-2.0
// What holds for every function of the table, driven by the registry's list.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "plinth/support/abi_version.h"
#include "plinth/support/args.h"
#include "sdk/src/test_plugin.h"

namespace plinth::sdk::testing {
namespace {

using ::testing::HasSubstr;

enum class Absent { Required, Stub, Null };

TEST(Table, EverySlotIsFilledUnlessItsAbsenceIsNull) {
  const PJRT_Api* api = Api();
  ASSERT_NE(api, nullptr);
  EXPECT_EQ(api, Api());
  EXPECT_EQ(api->struct_size, 40u + 8 * kPjrtFunctionCount);
  EXPECT_EQ(api->pjrt_api_version.major_version, 0);
  EXPECT_EQ(api->pjrt_api_version.minor_version, kPjrtReportedMinor);
  EXPECT_EQ(api->pjrt_api_version.struct_size, 24u);
  int filled = 0;
#define PLINTH_PJRT_FUNCTION(slot, function, since, absent, minimum_struct_size)        \
  EXPECT_EQ(offsetof(PJRT_Api, function), 40u + 8 * slot);                              \
  EXPECT_TRUE(Absent::absent == Absent::Null || api->function != nullptr) << #function; \
  if (api->function != nullptr) ++filled;
#include "plinth/support/abi_tables.inc"
  // The test plugin has none of the four optional ones.
  EXPECT_EQ(filled, kPjrtFunctionCount - 4);
  EXPECT_EQ(api->PJRT_Buffer_Bitcast, nullptr);
  EXPECT_EQ(api->PJRT_Client_Load, nullptr);
  EXPECT_EQ(api->PJRT_Device_ClearMemoryStats, nullptr);
  EXPECT_EQ(api->PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, nullptr);
}

// The struct as an old caller has it: right behind it lies something else.
template <typename Args>
struct Truncated {
  explicit Truncated(size_t size) {
    std::memset(bytes, 0xAB, sizeof(bytes));
    std::memset(bytes, 0, sizeof(size_t));
    args()->struct_size = size;
    // A size that upstream announced too small stands for the larger one.
    end = SizeOf(*args());
    std::memset(bytes + sizeof(size_t), 0, end - sizeof(size_t));
  }
  Args* args() { return reinterpret_cast<Args*>(bytes); }
  void ExpectUntouchedBehindIt() {
    for (size_t i = end; i < sizeof(bytes); ++i) ASSERT_EQ(bytes[i], 0xAB) << "at " << i;
  }
  alignas(8) unsigned char bytes[sizeof(Args) + 16];
  size_t end;
};

template <typename Args>
void CheckSizes(PJRT_Error* (*function)(Args*)) {
  using Function = FunctionOf<Args>;
  constexpr size_t kMinimum = StructOf<Args>::kMinimumSize;
  Status null = TakeError(function(nullptr));
  EXPECT_EQ(null.code(), StatusCode::kInvalidArgument) << Function::kName;
  EXPECT_THAT(std::string(null.message()), HasSubstr(Function::kName));

  for (size_t size : {size_t{8}, kMinimum - 1}) {
    Truncated<Args> small(size);
    Status status = TakeError(function(small.args()));
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << Function::kName;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(StrCat(Function::kName, "_Args: struct_size is ", size, ", at least ",
                                 kMinimum)));
    small.ExpectUntouchedBehindIt();
  }
  // All null: an error or a success, never more than the struct written, and no crash.
  for (size_t size = kMinimum; size <= sizeof(Args); ++size) {
    Truncated<Args> nulls(size);
    Status status = TakeError(function(nulls.args()));
    EXPECT_NE(status.code(), StatusCode::kInternal) << status.ToString();
    nulls.ExpectUntouchedBehindIt();
    // What a few functions make out of nothing is given back.
    if constexpr (std::is_same_v<Args, PJRT_Event_Create_Args>) Destroy(nulls.args()->event);
    if constexpr (std::is_same_v<Args, PJRT_ExecuteContext_Create_Args>) {
      PLINTH_ARGS(PJRT_ExecuteContext_Destroy, destroy);
      destroy.context = nulls.args()->context;
      EXPECT_TRUE(PLINTH_CALL(PJRT_ExecuteContext_Destroy, destroy).ok());
    }
    if constexpr (std::is_same_v<Args, PJRT_Client_Create_Args>) {
      PLINTH_ARGS(PJRT_Client_Destroy, destroy);
      destroy.client = nulls.args()->client;
      EXPECT_TRUE(PLINTH_CALL(PJRT_Client_Destroy, destroy).ok());
    }
  }
}

// The two functions that return nothing are looked at below.
template <typename Args>
void CheckSizes(void (*)(Args*)) {}

TEST(Table, SizesAndNullsOfEveryFunction) {
  const PJRT_Api* api = Api();
#define PLINTH_PJRT_FUNCTION(slot, function, since, absent, minimum_struct_size) \
  if (api->function != nullptr) CheckSizes(+api->function);
#include "plinth/support/abi_tables.inc"
  api->PJRT_Error_Destroy(nullptr);
  api->PJRT_Error_Message(nullptr);
  Truncated<PJRT_Error_Message_Args> small(24);
  api->PJRT_Error_Message(small.args());
  small.ExpectUntouchedBehindIt();
  EXPECT_EQ(live_clients, 0);
}

TEST(Table, ErrorsCarryTheirFunctionTable) {
  PJRT_Error* error = Api()->PJRT_Client_Devices(nullptr);
  ASSERT_NE(error, nullptr);
  ASSERT_NE(error->vtable, nullptr);
  EXPECT_EQ(error->vtable->struct_size, 56u);
  EXPECT_EQ(error->vtable->instance_size, 8u);
  PLINTH_ARGS(PJRT_Error_GetCode, code);
  code.error = error;
  EXPECT_EQ(Api()->PJRT_Error_GetCode(&code), nullptr);
  EXPECT_EQ(code.code, PJRT_Error_Code_INVALID_ARGUMENT);
  PLINTH_ARGS(PJRT_Error_Message, message);
  message.error = error;
  Api()->PJRT_Error_Message(&message);
  EXPECT_EQ(std::string(message.message, message.message_size),
            "PJRT_Client_Devices: the argument struct is null");
  PLINTH_ARGS(PJRT_Error_Destroy, destroy);
  destroy.error = error;
  Api()->PJRT_Error_Destroy(&destroy);
}

TEST(Table, PayloadsAreVisited) {
  PJRT_Error* error = MakeError(Internal("x").WithPayload("a", "1").WithPayload("b", "2"));
  PLINTH_ARGS(PJRT_Error_ForEachPayload, args);
  args.error = error;
  std::string seen;
  args.user_arg = &seen;
  args.visitor = [](const char* key, size_t key_size, const char* value, size_t value_size,
                    void* out) {
    static_cast<std::string*>(out)->append(
        StrCat(std::string_view(key, key_size), "=", std::string_view(value, value_size), ";"));
  };
  EXPECT_EQ(Api()->PJRT_Error_ForEachPayload(&args), nullptr);
  EXPECT_EQ(seen, "a=1;b=2;");
  Status status = TakeError(error);
  EXPECT_EQ(status.payloads().size(), 2u);
}

// The SDK serves an error that somebody else made through its head.
TEST(Table, ForeignErrorsAreServed) {
  static int destroyed = 0;
  static const PJRT_Error_FunctionTable kTable = {
      PJRT_Error_FunctionTable_STRUCT_SIZE,
      sizeof(PJRT_Error),
      nullptr,
      [](PJRT_Error*) { ++destroyed; },
      [](const PJRT_Error*, const char** message, size_t* size) {
        *message = "foreign";
        *size = 7;
      },
      [](const PJRT_Error*) { return PJRT_Error_Code_ABORTED; },
      [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {}};
  PJRT_Error foreign = {&kTable};
  PLINTH_ARGS(PJRT_Error_GetCode, code);
  code.error = &foreign;
  EXPECT_EQ(Api()->PJRT_Error_GetCode(&code), nullptr);
  EXPECT_EQ(code.code, PJRT_Error_Code_ABORTED);
  PLINTH_ARGS(PJRT_Error_Destroy, destroy);
  destroy.error = &foreign;
  Api()->PJRT_Error_Destroy(&destroy);
  EXPECT_EQ(destroyed, 1);
}

TEST(Plugin, AttributesAreShortForOldCallers) {
  auto names = [](size_t struct_size) {
    PLINTH_ARGS(PJRT_Plugin_Attributes, args);
    args.struct_size = struct_size;
    EXPECT_TRUE(PLINTH_CALL(PJRT_Plugin_Attributes, args).ok());
    std::string result;
    for (size_t i = 0; i < args.num_attributes; ++i) {
      EXPECT_EQ(args.attributes[i].struct_size, 56u);
      result.append(
          StrCat(std::string_view(args.attributes[i].name, args.attributes[i].name_size), " "));
    }
    return result;
  };
  // The options' defaults too.
  const std::string all = "stablehlo_current_version xla_version plinth_client_option.count ";
  EXPECT_EQ(names(32), all);
  EXPECT_EQ(names(40), all);
  // 24 is what upstream's header announced for the same struct until 0.71.
  EXPECT_EQ(names(24), "xla_version ");
}

TEST(Plugin, ChainHasTheExtensionsOfTheSdk) {
  std::vector<int> types;
  for (const PJRT_Extension_Base* node = Api()->extension_start; node != nullptr;
       node = node->next) {
    types.push_back(node->type);
    const std::map<int, size_t> sizes = {{PJRT_Extension_Type_Layouts, 80},
                                         {PJRT_Extension_Type_Shardings, 40},
                                         {PJRT_Extension_Type_FFI, 48},
                                         {PJRT_Extension_Type_Gpu_Custom_Call, 33},
                                         {PJRT_Extension_Type_Stream, 40}};
    EXPECT_EQ(node->struct_size, sizes.at(node->type));
  }
  EXPECT_EQ(types, (std::vector<int>{PJRT_Extension_Type_Gpu_Custom_Call,
                                     PJRT_Extension_Type_Stream, PJRT_Extension_Type_Layouts,
                                     PJRT_Extension_Type_FFI, PJRT_Extension_Type_Shardings}));
}

TEST(Events, SetByTheCaller) {
  PLINTH_ARGS(PJRT_Event_Create, create);
  ASSERT_TRUE(PLINTH_CALL(PJRT_Event_Create, create).ok());
  PJRT_Event* event = create.event;
  PLINTH_ARGS(PJRT_Event_IsReady, ready);
  ready.event = event;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_IsReady, ready).ok());
  EXPECT_FALSE(ready.is_ready);
  PLINTH_ARGS(PJRT_Event_Error, error);
  error.event = event;
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Error, error).code(), StatusCode::kFailedPrecondition);

  Status seen;
  PLINTH_ARGS(PJRT_Event_OnReady, on_ready);
  on_ready.event = event;
  on_ready.user_arg = &seen;
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_OnReady, on_ready).code(), StatusCode::kInvalidArgument);
  on_ready.callback = [](PJRT_Error* failure, void* out) {
    *static_cast<Status*>(out) = TakeError(failure);
  };
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_OnReady, on_ready).ok());
  EXPECT_TRUE(seen.ok());

  PLINTH_ARGS(PJRT_Event_Set, set);
  set.event = event;
  set.error_code = PJRT_Error_Code_ABORTED;
  set.error_message = "stop";
  set.error_message_size = 4;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_Set, set).ok());
  EXPECT_EQ(seen.ToString(), "ABORTED: stop");
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Set, set).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Error, error).code(), StatusCode::kAborted);
  PLINTH_ARGS(PJRT_Event_Await, await);
  await.event = event;
  EXPECT_EQ(PLINTH_CALL(PJRT_Event_Await, await).code(), StatusCode::kAborted);
  Destroy(event);
}

TEST(Events, ACallbackMayDestroyItsEvent) {
  PLINTH_ARGS(PJRT_Event_Create, create);
  ASSERT_TRUE(PLINTH_CALL(PJRT_Event_Create, create).ok());
  PLINTH_ARGS(PJRT_Event_OnReady, on_ready);
  on_ready.event = create.event;
  on_ready.user_arg = create.event;
  on_ready.callback = [](PJRT_Error* failure, void* event) {
    EXPECT_EQ(failure, nullptr);
    Destroy(static_cast<PJRT_Event*>(event));
  };
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_OnReady, on_ready).ok());
  PLINTH_ARGS(PJRT_Event_Set, set);
  set.event = create.event;
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_Set, set).ok());
}

TEST(Events, DestroyingAnUnsetEventFailsItsCallbacks) {
  PLINTH_ARGS(PJRT_Event_Create, create);
  ASSERT_TRUE(PLINTH_CALL(PJRT_Event_Create, create).ok());
  int calls = 0;
  PLINTH_ARGS(PJRT_Event_OnReady, on_ready);
  on_ready.event = create.event;
  on_ready.user_arg = &calls;
  on_ready.callback = [](PJRT_Error* failure, void* out) {
    EXPECT_FALSE(TakeError(failure).ok());
    ++*static_cast<int*>(out);
  };
  EXPECT_TRUE(PLINTH_CALL(PJRT_Event_OnReady, on_ready).ok());
  Destroy(create.event);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace plinth::sdk::testing
