// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/backend/calls/ffi_types.h"
#include "reference_plugin/cuda/pjrt/client_test_util.h"

// Custom calls on a GPU: code of the host on copies, code of the device on the arrays themselves.
namespace plinth::cuda {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// True if only metadata was asked for.
bool IsMetadata(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr) return false;
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  extension->metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  return true;
}

const XLA_FFI_Buffer& Operand(XLA_FFI_CallFrame* frame) {
  return *static_cast<XLA_FFI_Buffer*>(frame->args.args[0]);
}
const XLA_FFI_Buffer& Result(XLA_FFI_CallFrame* frame) {
  return *static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0]);
}

// Four floats in memory of the host.
XLA_FFI_Error* Twice(XLA_FFI_CallFrame* frame) {
  if (IsMetadata(frame)) return nullptr;
  for (int i = 0; i < 4; ++i) {
    static_cast<float*>(Result(frame).data)[i] = 2 * static_cast<float*>(Operand(frame).data)[i];
  }
  return nullptr;
}

XLA_FFI_Error* Throws(XLA_FFI_CallFrame* frame) {
  if (IsMetadata(frame)) return nullptr;
  throw std::runtime_error("not today");
}

// What a handler of the device calls CUDA by.
std::shared_ptr<const Driver> driver;

// Copies by way of scratch memory, on the stream of the run.
XLA_FFI_Error* CopyOnStream(XLA_FFI_CallFrame* frame) {
  if (IsMetadata(frame)) return nullptr;
  XLA_FFI_Stream_Get_Args stream{};
  stream.struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE;
  stream.ctx = frame->ctx;
  if (XLA_FFI_Error* error = frame->api->XLA_FFI_Stream_Get(&stream)) return error;
  XLA_FFI_DeviceMemory_Allocate_Args scratch{};
  scratch.struct_size = XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE;
  scratch.ctx = frame->ctx;
  scratch.size = 16;
  scratch.alignment = 256;
  if (XLA_FFI_Error* error = frame->api->XLA_FFI_DeviceMemory_Allocate(&scratch)) return error;
  const auto on = static_cast<CUstream>(stream.stream);
  const auto between = reinterpret_cast<CUdeviceptr>(scratch.data);
  const DriverFunctions& cuda = driver->api();
  if (between % 256 != 0 ||
      cuda.cuMemcpyDtoDAsync(between, reinterpret_cast<CUdeviceptr>(Operand(frame).data), 16, on) !=
          kCudaSuccess ||
      cuda.cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(Result(frame).data), between, 16, on) !=
          kCudaSuccess) {
    return backend::MakeFfiError(Internal("no copy"));
  }
  XLA_FFI_DeviceMemory_Free_Args free{};
  free.struct_size = XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE;
  free.ctx = frame->ctx;
  free.size = 16;
  free.data = scratch.data;
  return frame->api->XLA_FFI_DeviceMemory_Free(&free);
}

class CallsTest : public ClientTest {
 protected:
  static void Register(std::string_view target, std::string_view platform,
                       XLA_FFI_Handler* execute) {
    backend::FfiRegistry::Get().SetPlatform("cuda", /*is_default=*/true);
    sdk::FfiHandler handler;
    handler.target = target;
    handler.platform = platform;
    handler.execute = reinterpret_cast<void*>(execute);
    const Status status = backend::FfiRegistry::Get().RegisterHandler(handler);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  // 3 + call(x), five times over.
  static std::string InLoop(std::string_view target) {
    return StrCat(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = stablehlo.constant dense<3.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %d = stablehlo.custom_call @)",
                  target, R"((%c) {api_version = 4 : i32, mhlo.backend_config = {}} :
          (tensor<4xf32>) -> tensor<4xf32>
      %e = stablehlo.add %d, %three : tensor<4xf32>
      stablehlo.return %j, %e : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
})");
  }
  // A 2x2 factor by columns, as JAX asks for it, and the call's info in its last element.
  static constexpr std::string_view kFactor = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
  %f:2 = stablehlo.custom_call @cusolver_potrf_ffi(%m) {api_version = 4 : i32,
      mhlo.backend_config = {lower = true},
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
      result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0],
                                operand_index = 0, operand_tuple_indices = []>]} :
      (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  %v = stablehlo.reshape %f#0 : (tensor<2x2xf32>) -> tensor<4xf32>
  %three = stablehlo.slice %v [0:3] : (tensor<4xf32>) -> tensor<3xf32>
  %i = stablehlo.convert %f#1 : (tensor<i32>) -> tensor<f32>
  %last = stablehlo.reshape %i : (tensor<f32>) -> tensor<1xf32>
  %r = stablehlo.concatenate %three, %last, dim = 0 : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})";
};

TEST_F(CallsTest, CodeOfTheHostWorksOnCopies) {
  Register("twice_of_host", "Host", Twice);
  for (const char* seed : {"seed=1", "seed=2,delay=500"}) {
    Open(seed);
    const auto result = Run(InLoop("twice_of_host"));
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_THAT(*result, ElementsAre(125, 157, 189, 221));
    client_ = nullptr;
    Reports();
  }
}

TEST_F(CallsTest, CodeOfTheDeviceGetsTheStreamAndScratch) {
  Register("copy_on_stream", "", CopyOnStream);
  Register("copy_on_stream", "CUDA", CopyOnStream);
  // A handler of the same name for the host is not the one that is called.
  Register("copy_on_stream", "Host", Throws);
  Open("seed=3,delay=300");
  LibraryPlaces places;
  places.asked = {PLINTH_CUDA_SIMULATOR};
  auto opened = Driver::Open(places);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  driver = *std::move(opened);
  const auto result = Run(InLoop("copy_on_stream"));
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  if (result.ok()) {
    EXPECT_THAT(*result, ElementsAre(16, 17, 18, 19));
  }
  driver = nullptr;
}

TEST_F(CallsTest, AnExceptionIsTheErrorOfTheRun) {
  Register("throws_on_host", "Host", Throws);
  Open("");
  const auto result = Run(InLoop("throws_on_host"));
  EXPECT_EQ(result.status().code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(result.status().message()),
              AllOf(HasSubstr("not today"), HasSubstr("program '")));
}

TEST_F(CallsTest, UnknownTargetsAreRefusedByName) {
  Open("");
  const auto result = Run(InLoop("cusolver_getrf_ffi"));
  EXPECT_EQ(result.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("cusolver_getrf_ffi"));
}

TEST_F(CallsTest, FactorsByColumns) {
  Open("");
  const auto factor = Run(kFactor, false, {4, 2, 2, 5});
  ASSERT_TRUE(factor.ok()) << factor.status().ToString();
  EXPECT_THAT(*factor, ElementsAre(2, 0, 1, 0));
  const auto none = Run(kFactor, false, {1, 2, 2, 1});
  ASSERT_TRUE(none.ok()) << none.status().ToString();
  EXPECT_TRUE(std::isnan((*none)[0]));
  EXPECT_GT((*none)[3], 0);
}

TEST_F(CallsTest, PivotsBecomeAPermutation) {
  Open("");
  // Row 0 with 2, 1 with 1, 2 with 3, and one that is no row.
  const auto result = Run(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>
  %r = stablehlo.custom_call @cu_lu_pivots_to_permutation(%p) {api_version = 4 : i32,
      mhlo.backend_config = {}} : (tensor<4xi32>) -> tensor<4xi32>
  %y = stablehlo.convert %r : (tensor<4xi32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
})",
                          false, {2, 1, 3, 99});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_THAT(*result, ElementsAre(2, 1, 3, 0));
}

// Whatever call of the driver fails once, a run with a call ends, with its numbers or an error.
TEST_F(CallsTest, EveryDriverCallMayFail) {
  expects_no_report_ = false;
  Register("twice_of_host", "Host", Twice);
  int failures = 0;
  for (int call = 1; call <= 120; call += 3) {
    auto client = Make(StrCat("delay=0,fail=any:", call, ":999"));
    if (!client.ok()) {
      ++failures;
      continue;
    }
    client_ = *std::move(client);
    const auto result = Run(InLoop("twice_of_host"));
    client_ = nullptr;
    if (result.ok()) {
      EXPECT_THAT(*result, ElementsAre(125, 157, 189, 221)) << call;
    } else {
      ++failures;
    }
    const std::string reports = Reports();
    for (const char* words : {"without an event", "wrote after", "wrote before", "was freed"}) {
      EXPECT_EQ(reports.find(words), std::string::npos) << call << ": " << reports;
    }
    std::filesystem::remove(report_);
  }
  EXPECT_GT(failures, 10);
}

}  // namespace
}  // namespace plinth::cuda
