// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/backend/calls/ffi_types.h"
#include "reference_plugin/backend/run/call_context.h"
#include "reference_plugin/backend/testing/backend_under_test.h"

// Whole programs with custom calls, in a process without Python. What needs JAX is in
// ../../differential.
namespace plinth::backend {
namespace {

constexpr int64_t kCallbackListType = 7357244197867843242;

Expected<std::shared_ptr<const PreparedProgram>> Compile(std::string_view body) {
  const std::string text =
      StrCat("func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n", body, "\n}\n");
  return CompileUnderTest(text);
}

std::string Call(std::string_view target, std::string_view attributes) {
  return StrCat("%y = stablehlo.custom_call @", target, "(%x) {", attributes,
                "} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n return %y : tensor<2x3xf32>");
}

class CustomCalls : public ::testing::Test {
 protected:
  // Of {0, 1, 2, 3, 4, 5}.
  Status Run(const PreparedProgram& program, std::vector<float>* result = nullptr) {
    call_.runtime = runtime_;
    auto input = runtime_->memory->Allocate(6 * sizeof(float));
    for (int i = 0; i < 6; ++i) {
      reinterpret_cast<float*>((*input)->data())[i] = static_cast<float>(i);
    }
    RunArgument argument{*std::move(input), false};
    StoragePtr output;
    PLINTH_RETURN_IF_ERROR(program.Run(*runtime_, {&argument, 1}, {&output, 1}, {}, &call_));
    const auto* values = reinterpret_cast<const float*>(output->data());
    if (result != nullptr) result->assign(values, values + 6);
    return Status();
  }

  void ExpectCompileError(std::string_view body, StatusCode code, std::string_view words) {
    auto program = Compile(body);
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.status().code(), code) << program.status().ToString();
    EXPECT_NE(program.status().message().find(words), std::string_view::npos)
        << program.status().ToString();
  }
  void ExpectRunError(std::string_view body, StatusCode code, std::string_view words) {
    auto program = Compile(body);
    ASSERT_TRUE(program.ok()) << program.status().ToString();
    EXPECT_TRUE((*program)->may_wait());
    EXPECT_FALSE((*program)->IsShort());
    const Status status = Run(**program);
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_NE(status.message().find(words), std::string_view::npos) << status.ToString();
  }

  const std::shared_ptr<Runtime> runtime_ = std::make_shared<Runtime>(1, 0);
  CallContext call_;
};

// Fills in metadata; true if that was all.
bool IsMetadata(XLA_FFI_CallFrame* frame, int minor = XLA_FFI_API_MINOR) {
  if (frame->extension_start == nullptr) return false;
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  extension->metadata->api_version.minor_version = minor;
  return true;
}

// The bytes of the operand, in the order in which they come, doubled.
XLA_FFI_Error* Twice(XLA_FFI_CallFrame* frame) {
  if (IsMetadata(frame)) return nullptr;
  const auto* in = static_cast<XLA_FFI_Buffer*>(frame->args.args[0]);
  const auto* out = static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0]);
  if (in->rank != 2 || in->dims[0] != 2 || in->dims[1] != 3) {
    return MakeFfiError(InvalidArgument("expected [2,3]"));
  }
  for (int i = 0; i < 6; ++i) {
    static_cast<float*>(out->data)[i] = 2 * static_cast<const float*>(in->data)[i];
  }
  return nullptr;
}
XLA_FFI_Error* Newer(XLA_FFI_CallFrame* frame) {
  IsMetadata(frame, XLA_FFI_API_MINOR + 1);
  return nullptr;
}
XLA_FFI_Error* Refuses(XLA_FFI_CallFrame*) { return MakeFfiError(Internal("not today")); }

sdk::FfiHandler Typed(std::string_view target, XLA_FFI_Handler* execute) {
  sdk::FfiHandler handler;
  handler.target = target;
  handler.execute = reinterpret_cast<void*>(execute);
  return handler;
}

TEST_F(CustomCalls, UnknownTargets) {
  ExpectCompileError(Call("nobody", ""), StatusCode::kUnimplemented, "custom_call @nobody");
  ExpectCompileError(Call("nobody", "api_version = 4 : i32, backend_config = {a = 1 : i32}"),
                     StatusCode::kUnimplemented, "custom_call @nobody");
}

// JAX compiles such calls to look at the program.
TEST_F(CustomCalls, CallsOfNothingFailWhenTheyRun) {
  auto program = Compile(
      "stablehlo.custom_call @xla_ffi_python_cpu_callback() {has_side_effect = true, "
      "mhlo.backend_config = {}} : () -> ()\n return %x : tensor<2x3xf32>");
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  const Status status = Run(**program);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("@xla_ffi_python_cpu_callback"), std::string_view::npos);
}

TEST_F(CustomCalls, LayoutsThatAreNone) {
  ExpectCompileError(Call("nobody",
                          "operand_layouts = [dense<[0, 0]> : tensor<2xindex>], "
                          "result_layouts = [dense<[1, 0]> : tensor<2xindex>]"),
                     StatusCode::kInvalidArgument, "each dimension once");
  ExpectCompileError(Call("nobody",
                          "operand_layouts = [], "
                          "result_layouts = [dense<[1, 0]> : tensor<2xindex>]"),
                     StatusCode::kInvalidArgument, "operand_layouts");
  ExpectCompileError(Call("nobody",
                          "operand_layouts = [dense<[7, 0]> : tensor<2xindex>], "
                          "result_layouts = [dense<[1, 0]> : tensor<2xindex>]"),
                     StatusCode::kInvalidArgument, "each dimension once");
}

TEST_F(CustomCalls, AliasesThatAreNone) {
  ExpectCompileError(
      Call("nobody",
           "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
           "operand_index = 3, operand_tuple_indices = []>]"),
      StatusCode::kInvalidArgument, "output_operand_aliases");
}

TEST_F(CustomCalls, PythonCallbacks) {
  const std::string call =
      Call("xla_ffi_python_cpu_callback", "mhlo.backend_config = {index = 2 : ui64}");
  ExpectCompileError(Call("xla_ffi_python_cpu_callback", "mhlo.backend_config = {}"),
                     StatusCode::kInvalidArgument, "\"index\" is missing");
  ExpectCompileError(Call("xla_ffi_python_cpu_callback", "mhlo.backend_config = {index = \"x\"}"),
                     StatusCode::kInvalidArgument, "expected an integer");
  ExpectRunError(call, StatusCode::kFailedPrecondition, "brought no Python callbacks");
  struct {
    void** callbacks;
    uint32_t size;
  } list{nullptr, 0};
  call_.user_data.push_back({kCallbackListType, &list});
  ExpectRunError(call, StatusCode::kInvalidArgument, "callback 2; the execution brought 0");
  void* callbacks[3] = {nullptr, nullptr, nullptr};
  list = {callbacks, 3};
  ExpectRunError(call, StatusCode::kInvalidArgument, "callback 2");
  callbacks[2] = &list;  // never looked at
  ExpectRunError(call, StatusCode::kFailedPrecondition, "no Python interpreter");
}

// Their objects are jaxlib's, so what Python callbacks check comes before its handler is called.
TEST_F(CustomCalls, BufferCallbacks) {
  const std::string call =
      Call("xla_buffer_python_cpu_callback", "mhlo.backend_config = {index = 0 : ui64}");
  ExpectCompileError(Call("xla_buffer_python_cpu_callback", "mhlo.backend_config = {}"),
                     StatusCode::kInvalidArgument, "\"index\" is missing");
  ExpectCompileError(Call("xla_buffer_python_cpu_callback", "api_version = 2 : i32"),
                     StatusCode::kInvalidArgument, "");
  ExpectRunError(call, StatusCode::kFailedPrecondition, "brought no Python callbacks");
  int object = 0;
  void* callbacks[1] = {nullptr};
  struct {
    void** callbacks;
    uint32_t size;
  } list{callbacks, 1};
  call_.user_data.push_back({kCallbackListType, &list});
  ExpectRunError(call, StatusCode::kInvalidArgument, "callback 0; the execution brought 1");
  callbacks[0] = &object;  // never looked at
  ExpectRunError(call, StatusCode::kFailedPrecondition, "no Python interpreter");
}

TEST_F(CustomCalls, HandlersSeeTheirOrder) {
  ASSERT_TRUE(FfiRegistry::Get().RegisterHandler(Typed("twice", Twice)).ok());
  std::vector<float> result;
  auto program = Compile(Call("twice", "mhlo.backend_config = {}"));
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  ASSERT_TRUE(Run(**program, &result).ok());
  EXPECT_EQ(result, (std::vector<float>{0, 2, 4, 6, 8, 10}));
  // Column by column on one side only.
  program = Compile(Call("twice",
                         "mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : "
                         "tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]"));
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  ASSERT_TRUE(Run(**program, &result).ok());
  EXPECT_EQ(result, (std::vector<float>{0, 6, 2, 8, 4, 10}));
}

// A task of a handler that blocks until the test wakes it.
struct BlockingTask {
  std::promise<void> begun, woken, over;
};
BlockingTask* blocking_task = nullptr;

XLA_FFI_Error* SchedulesATask(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) return Twice(frame);
  XLA_FFI_ThreadPool_Schedule_Args args{};
  args.struct_size = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.data = blocking_task;
  args.task = [](void* data) {
    auto* const task = static_cast<BlockingTask*>(data);
    task->begun.set_value();
    task->woken.get_future().wait();
    task->over.set_value();
  };
  if (XLA_FFI_Error* error = GetFfiApi()->XLA_FFI_ThreadPool_Schedule(&args)) return error;
  return Twice(frame);
}

TEST_F(CustomCalls, TasksThatBlockLeaveAWorkerToPrograms) {
  BlockingTask task;
  blocking_task = &task;
  ASSERT_TRUE(FfiRegistry::Get().RegisterHandler(Typed("schedules", SchedulesATask)).ok());
  auto program = Compile(Call("schedules", "mhlo.backend_config = {}"));
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  const Status status = Run(**program);
  ASSERT_TRUE(status.ok()) << status.ToString();
  task.begun.get_future().wait();
  std::promise<void> other;
  runtime_->threads.Schedule([&] { other.set_value(); });
  EXPECT_EQ(other.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
  task.woken.set_value();
  task.over.get_future().wait();
}

#if defined(__x86_64__)
// What a library that was built with -ffast-math does when it is loaded.
XLA_FFI_Error* SubnormalsAreZero(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr) _mm_setcsr(_mm_getcsr() | 0x8040);
  return Twice(frame);
}

TEST_F(CustomCalls, HandlersMayLeaveOtherFloatingPointModes) {
  ASSERT_TRUE(FfiRegistry::Get().RegisterHandler(Typed("fast_math", SubnormalsAreZero)).ok());
  const auto program = Compile(R"(
    %twice = stablehlo.custom_call @fast_math(%x) {mhlo.backend_config = {}}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %tiny = stablehlo.constant dense<0x00000100> : tensor<2x3xf32>
    %y = stablehlo.multiply %twice, %tiny : tensor<2x3xf32>
    return %y : tensor<2x3xf32>)");
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  std::vector<float> result;
  const unsigned before = _mm_getcsr();
  const Status status = Run(**program, &result);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  ASSERT_TRUE(status.ok()) << status.ToString();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(result[i], static_cast<float>(2 * i) * 0x1p-141f);
  EXPECT_EQ(after | 0x3f, before | 0x3f);
}

unsigned handlers_modes = 0;
XLA_FFI_Error* TellsModes(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr) handlers_modes = _mm_getcsr();
  return Twice(frame);
}

TEST_F(CustomCalls, HandlersKeepSubnormalsWhereProgramsFlushThem) {
  runtime_->subnormals = Subnormals::kFlushed;
  ASSERT_TRUE(FfiRegistry::Get().RegisterHandler(Typed("tells_modes", TellsModes)).ok());
  const auto program = Compile(R"(
    %twice = stablehlo.custom_call @tells_modes(%x) {mhlo.backend_config = {}}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %tiny = stablehlo.constant dense<0x00000100> : tensor<2x3xf32>
    %y = stablehlo.multiply %twice, %tiny : tensor<2x3xf32>
    return %y : tensor<2x3xf32>)");
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  std::vector<float> result;
  const Status status = Run(**program, &result);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(handlers_modes & 0x8040, 0u);
  EXPECT_EQ(result, std::vector<float>(6));
}
#endif

TEST_F(CustomCalls, Registration) {
  FfiRegistry& registry = FfiRegistry::Get();
  EXPECT_EQ(registry.RegisterHandler(Typed("", Twice)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(registry.RegisterHandler(Typed("null", nullptr)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(registry.RegisterHandler(Typed("newer", Newer)).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(registry.RegisterHandler(Typed("refuses", Refuses)).code(), StatusCode::kInternal);
  sdk::FfiHandler elsewhere = Typed("elsewhere", Twice);
  elsewhere.platform = "CUDA";
  EXPECT_EQ(registry.RegisterHandler(elsewhere).code(), StatusCode::kInvalidArgument);
  elsewhere.platform = "Host";
  EXPECT_TRUE(registry.RegisterHandler(elsewhere).ok());
  EXPECT_TRUE(registry.RegisterHandler(elsewhere).ok());
  elsewhere.is_typed = false;
  EXPECT_EQ(registry.RegisterHandler(elsewhere).code(), StatusCode::kAlreadyExists);
  ExpectCompileError(Call("elsewhere", "api_version = 2 : i32"), StatusCode::kInvalidArgument,
                     "api_version 2");
  ExpectCompileError(Call("elsewhere", "mhlo.backend_config = {a = [1 : i32, \"b\"]}"),
                     StatusCode::kUnimplemented, "attribute \"a\"");
  ExpectCompileError(
      Call("elsewhere", "mhlo.backend_config = {a = dense<1> : tensor<9999999xi32>}"),
      StatusCode::kUnimplemented, "attribute \"a\"");
}

TEST_F(CustomCalls, FunctionsOfTheTableCheckTheirArguments) {
  const XLA_FFI_Api& api = *GetFfiApi();
  XLA_FFI_RunId_Get_Args run{};
  Status status = TakeFfiError(api.XLA_FFI_RunId_Get(&run));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  run.struct_size = XLA_FFI_RunId_Get_Args_STRUCT_SIZE;
  status = TakeFfiError(api.XLA_FFI_RunId_Get(&run));
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  status = TakeFfiError(api.XLA_FFI_State_Get(nullptr));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  XLA_FFI_Error_Create_Args create{};
  create.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  create.errc = static_cast<XLA_FFI_Error_Code>(99);
  status = TakeFfiError(api.XLA_FFI_Error_Create(&create));
  EXPECT_EQ(status.code(), StatusCode::kUnknown);
}

XLA_FFI_Error* BuiltFor04(XLA_FFI_CallFrame* frame) {
  return IsMetadata(frame, 4) ? nullptr : Twice(frame);
}

// What was built with an older header announces the sizes of that header.
TEST_F(CustomCalls, CallersOfOlderMinors) {
  const XLA_FFI_Api& api = *GetFfiApi();
  EXPECT_TRUE(FfiRegistry::Get().RegisterHandler(Typed("built_for_04", BuiltFor04)).ok());
  XLA_FFI_Error* error = MakeFfiError(InvalidArgument("no"));
  XLA_FFI_Error_GetDetails_Args details{};
  details.struct_size = 32;  // 0.3 ends in front of errc
  details.error = error;
  details.errc = XLA_FFI_Error_Code_DATA_LOSS;
  api.XLA_FFI_Error_GetDetails(&details);
  EXPECT_STREQ(details.message, "no");
  EXPECT_EQ(details.errc, XLA_FFI_Error_Code_DATA_LOSS);
  details.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
  api.XLA_FFI_Error_GetDetails(&details);
  EXPECT_EQ(details.errc, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(TakeFfiError(error).message(), "no");

  struct Register03 {
    size_t struct_size;
    void* extension_start;
    XLA_FFI_ByteSpan name, platform;
    XLA_FFI_Handler* bundle[4];
    XLA_FFI_Handler_Traits traits;
    char behind[64];
  } old{84, nullptr, {"of_03", 5}, {"Host", 4}, {nullptr, nullptr, nullptr, Twice}, 0, {}};
  std::memset(old.behind, 0xA5, sizeof(old.behind));
  auto* args = reinterpret_cast<XLA_FFI_Handler_Register_Args*>(&old);
  Status status = TakeFfiError(api.XLA_FFI_Handler_Register(args));
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(FfiRegistry::Get().Find("of_03").has_value());
  old.struct_size = 83;
  status = TakeFfiError(api.XLA_FFI_Handler_Register(args));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

TEST_F(CustomCalls, NoExtensionsAndNoOptions) {
  const XLA_FFI_Api& api = *GetFfiApi();
  XLA_FFI_Extension extension{};
  XLA_FFI_InvokeContext_FindExtension_Args find{};
  find.struct_size = XLA_FFI_InvokeContext_FindExtension_Args_STRUCT_SIZE;
  find.extension = &extension;
  EXPECT_TRUE(TakeFfiError(api.XLA_FFI_InvokeContext_FindExtension(&find)).ok());
  EXPECT_EQ(find.extension, nullptr);
  XLA_FFI_CustomOptions_Get_Args options{};
  options.struct_size = XLA_FFI_CustomOptions_Get_Args_STRUCT_SIZE;
  EXPECT_TRUE(TakeFfiError(api.XLA_FFI_CustomOptions_Get(&options)).ok());
  ASSERT_NE(options.attrs, nullptr);
  EXPECT_EQ(options.attrs->size, 0);
  options.struct_size = 0;
  EXPECT_FALSE(TakeFfiError(api.XLA_FFI_CustomOptions_Get(&options)).ok());
}

// Of names that no string can hold: what is thrown inside comes out as an error.
TEST_F(CustomCalls, NoExceptionLeavesTheTable) {
  const XLA_FFI_Api& api = *GetFfiApi();
  const std::string text(4096, 'x');
  const XLA_FFI_ByteSpan endless = {text.data(), SIZE_MAX / 4 * 3};
  XLA_FFI_TypeId id{};
  XLA_FFI_Type_Register_Args type{};
  type.struct_size = XLA_FFI_Type_Register_Args_STRUCT_SIZE;
  type.name = endless;
  type.type_id = &id;
  Status status = TakeFfiError(api.XLA_FFI_Type_Register(&type));
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("exception"), std::string_view::npos);
  XLA_FFI_Handler_Register_Args handler{};
  handler.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
  handler.name = endless;
  handler.bundle.execute = &Twice;
  EXPECT_FALSE(TakeFfiError(api.XLA_FFI_Handler_Register(&handler)).ok());
}

TEST_F(CustomCalls, AttributesHaveABudget) {
  ASSERT_TRUE(FfiRegistry::Get().RegisterHandler(Typed("budgeted", &Twice)).ok());
  const auto splats = [](int calls) {
    std::string body = "%0 = stablehlo.add %x, %x : tensor<2x3xf32>\n";
    for (int i = 1; i <= calls; ++i) {
      body += StrCat("%", i, " = stablehlo.custom_call @budgeted(%", i - 1,
                     ") {mhlo.backend_config = {a = dense<(1.0, 2.0)> : "
                     "tensor<1000000xcomplex<f64>>}} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n");
    }
    return StrCat(body, "return %", calls, " : tensor<2x3xf32>");
  };
  EXPECT_TRUE(Compile(splats(2)).ok());
  ExpectCompileError(splats(20), StatusCode::kResourceExhausted, "attribute \"a\"");
}

}  // namespace
}  // namespace plinth::backend
