// SPDX-License-Identifier: Apache-2.0
// A plugin whose device takes f32 additions of at least four elements, and products of matrices.

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "plinth/reference/plugin.h"
#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/cpu/pjrt/plugin_test_util.h"

namespace plinth::reference {
namespace {

std::atomic<int> num_runs{0};
bool has_own_memory = false;

// Bytes there are the complement of those of the host, so that who mistakes one for the other sees.
class OddMemory final : public DeviceMemory {
 public:
  Expected<std::shared_ptr<void>> Allocate(int64_t size) override {
    return std::shared_ptr<void>(std::malloc(static_cast<size_t>(size)), std::free);
  }
  Status CopyIn(void* to, const void* from, int64_t size) override { return Copy(to, from, size); }
  Status CopyOut(void* to, const void* from, int64_t size) override { return Copy(to, from, size); }

 private:
  static Status Copy(void* to, const void* from, int64_t size) {
    for (int64_t i = 0; i < size; ++i) {
      static_cast<unsigned char*>(to)[i] =
          static_cast<unsigned char>(~static_cast<const unsigned char*>(from)[i]);
    }
    return {};
  }
};

float Element(const void* array, int64_t i) {
  uint32_t bits;
  std::memcpy(&bits, static_cast<const char*>(array) + 4 * i, 4);
  return std::bit_cast<float>(has_own_memory ? ~bits : bits);
}

void SetElement(void* array, int64_t i, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t stored = has_own_memory ? ~bits : bits;
  std::memcpy(static_cast<char*>(array) + 4 * i, &stored, 4);
}

class TestDevice final : public Device {
 public:
  bool Takes(const Step& step) const override {
    for (const Array& array : step.operands) {
      if (array.dtype != DType::kF32) return false;
    }
    return step.matmul.has_value() ||
           (step.elementwise.has_value() && step.op == "add" && step.results[0].size >= 16);
  }

  Expected<Run> Prepare(const Step& step) const override {
    if (step.matmul.has_value()) return Run(Multiply(*step.matmul));
    return Run([arguments = step.elementwise->arguments, count = step.results[0].size / 4](
                   std::span<void* const> operands, std::span<void* const> results) {
      ++num_runs;
      for (int64_t i = 0; i < count; ++i) {
        SetElement(results[0], i,
                   Element(operands[arguments[0]], i) + Element(operands[arguments[1]], i));
      }
      return Status();
    });
  }
  DeviceMemory* memory() const override { return has_own_memory ? &memory_ : nullptr; }

 private:
  static Run Multiply(const Matmul& m) {
    return [m](std::span<void* const> operands, std::span<void* const> results) {
      ++num_runs;
      for (int64_t n = 0; n < m.batch; ++n) {
        for (int64_t i = 0; i < m.rows; ++i) {
          for (int64_t j = 0; j < m.columns; ++j) {
            float sum = 0;
            for (int64_t k = 0; k < m.inner; ++k) {
              sum += Element(operands[0], n * m.a.batch + i * m.a.row + k * m.a.column) *
                     Element(operands[1], n * m.b.batch + k * m.b.row + j * m.b.column);
            }
            SetElement(results[0], n * m.c.batch + i * m.c.row + j * m.c.column, sum);
          }
        }
      }
      return Status();
    };
  }

  mutable OddMemory memory_;
};

class TestPlugin final : public Plugin {
 public:
  TestPlugin()
      : Plugin({.name = "npu",
                .version = "1",
                .make_device = [](const sdk::Options&) -> Expected<std::shared_ptr<const Device>> {
                  return std::shared_ptr<const Device>(std::make_shared<const TestDevice>());
                }}) {}
};

}  // namespace
}  // namespace plinth::reference

PLINTH_DEFINE_PLUGIN(plinth::reference::TestPlugin)

namespace plinth::reference {
namespace {

using cpu::Error;
using cpu::Take;

// x w + x, of which the device takes the product and the sum; the sine is the host's.
constexpr char kProgram[] = R"(
func.func @main(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.add %0, %x : tensor<2x2xf32>
  %2 = stablehlo.sine %1 : tensor<2x2xf32>
  %3 = stablehlo.add %2, %2 : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
})";

class ReferenceTest : public cpu::PluginTest {
 protected:
  void TearDown() override {
    cpu::PluginTest::TearDown();
    has_own_memory = false;
  }

  // In place of the client of SetUp.
  void MakeClient(const char* fallback) {
    cpu::PluginTest::TearDown();
    PJRT_NamedValue option{};
    option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    option.name = "fallback";
    option.name_size = 8;
    option.type = PJRT_NamedValue_kString;
    option.string_value = fallback;
    option.value_size = std::strlen(fallback);
    PJRT_Client_Create_Args create{};
    create.create_options = &option;
    create.num_options = 1;
    MUST(PJRT_Client_Create, create);
    client_ = create.client;
    PJRT_Client_AddressableDevices_Args devices{};
    devices.client = client_;
    MUST(PJRT_Client_AddressableDevices, devices);
    device_ = devices.addressable_devices[0];
  }

  void ExpectRuns() {
    num_runs = 0;
    PJRT_LoadedExecutable* executable;
    const auto error = Compile(kProgram, &executable);
    ASSERT_FALSE(error.has_value()) << error->message;
    PJRT_Buffer *x, *w, *output;
    ASSERT_FALSE(Upload({1, 2, 3, 4}, &x, {2, 2}).has_value());
    ASSERT_FALSE(Upload({5, 6, 7, 8}, &w, {2, 2}).has_value());
    ASSERT_FALSE(Execute(executable, {x, w}, &output).has_value());
    std::vector<float> result(4);
    ASSERT_FALSE(Download(output, &result).has_value());
    const float sums[] = {20, 24, 46, 54};
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(result[i], 2 * std::sin(sums[i]), 1e-6f);
    EXPECT_EQ(num_runs, 3);
    for (PJRT_Buffer* buffer : {x, w, output}) Destroy(buffer);
    Destroy(executable);
  }
};

TEST_F(ReferenceTest, DeviceTakesWhatItNames) { ExpectRuns(); }

// The host makes machine code of small loops; what the device takes of them stays the device's.
TEST_F(ReferenceTest, DeviceTakesWhatLoopsName) {
  num_runs = 0;
  PJRT_LoadedExecutable* executable;
  const auto error = Compile(R"(
      func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
        %z = stablehlo.constant dense<0> : tensor<i32>
        %0:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<2x2xf32>
          cond {
            %n = stablehlo.constant dense<20> : tensor<i32>
            %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %1 : tensor<i1>
          } do {
            %one = stablehlo.constant dense<1> : tensor<i32>
            %j = stablehlo.add %i, %one : tensor<i32>
            %b = stablehlo.add %a, %x : tensor<2x2xf32>
            stablehlo.return %j, %b : tensor<i32>, tensor<2x2xf32>
          }
        return %0#1 : tensor<2x2xf32>
      })",
                             &executable);
  ASSERT_FALSE(error.has_value()) << error->message;
  PJRT_Buffer *x, *output;
  ASSERT_FALSE(Upload({1, 2, 3, 4}, &x, {2, 2}).has_value());
  ASSERT_FALSE(Execute(executable, {x}, &output).has_value());
  std::vector<float> result(4);
  ASSERT_FALSE(Download(output, &result).has_value());
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(result[i], 21.0f * static_cast<float>(i + 1));
  EXPECT_EQ(num_runs, 20);
  for (PJRT_Buffer* buffer : {x, output}) Destroy(buffer);
  Destroy(executable);
}

TEST_F(ReferenceTest, ArraysAreCopiedWhereTheMemoryIsNotTheHosts) {
  has_own_memory = true;
  MakeClient("allow");
  ExpectRuns();
}

TEST_F(ReferenceTest, CostAnalysisCountsWhatTheHostRuns) {
  PJRT_LoadedExecutable* loaded;
  ASSERT_FALSE(Compile(kProgram, &loaded).has_value());
  PJRT_LoadedExecutable_GetExecutable_Args get{};
  get.loaded_executable = loaded;
  MUST(PJRT_LoadedExecutable_GetExecutable, get);
  PJRT_Executable_GetCostAnalysis_Args cost{};
  cost.executable = get.executable;
  MUST(PJRT_Executable_GetCostAnalysis, cost);
  std::map<std::string, float> properties;
  for (size_t i = 0; i < cost.num_properties; ++i) {
    const PJRT_NamedValue& property = cost.properties[i];
    properties[std::string(property.name, property.name_size)] = property.float_value;
  }
  EXPECT_EQ(properties["plinth_fallback.sine"], 1);
  EXPECT_EQ(properties.count("plinth_fallback.add"), 0u);
  EXPECT_EQ(properties.count("plinth_fallback.dot_general"), 0u);
  EXPECT_EQ(properties["plinth_fallback_bytes"], 32);
  PJRT_Executable_Destroy_Args destroy{};
  destroy.executable = get.executable;
  MUST(PJRT_Executable_Destroy, destroy);
  Destroy(loaded);
}

TEST_F(ReferenceTest, FallbackMayBeRefused) {
  MakeClient("error");
  PJRT_LoadedExecutable* executable;
  const auto error = Compile(kProgram, &executable);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_NE(error->message.find("the npu plugin does not run sine at "), std::string::npos)
      << error->message;
}

TEST_F(ReferenceTest, FallbackMayBeWarnedOf) {
  MakeClient("warn");
  testing::internal::CaptureStderr();
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(kProgram, &executable).has_value());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("sine (1); 32 bytes"), std::string::npos);
  Destroy(executable);
}

TEST_F(ReferenceTest, HandlersOfItsOwnPlatformAreTaken) {
  ASSERT_NE(GetPjrtApi(), nullptr);
  int function = 0;
  sdk::FfiHandler handler;
  handler.target = "of_npu";
  handler.is_typed = false;
  handler.execute = &function;
  for (const char* platform : {"NPU", "npu", "cpu", "Host"}) {
    handler.platform = platform;
    EXPECT_TRUE(backend::FfiRegistry::Get().RegisterHandler(handler).ok()) << platform;
  }
  handler.platform = "tpu";
  const Status refused = backend::FfiRegistry::Get().RegisterHandler(handler);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.message().find("and of \"npu\""), std::string::npos) << refused.message();
}

}  // namespace
}  // namespace plinth::reference
