// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TEST_CLIENT_H_
#define PLINTH_IMPL_LAYERS_TEST_CLIENT_H_

#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "impl/layers/test_chain.h"
#include "plinth/support/args.h"
#include "plinth/support/error.h"

// For tests: the few calls of a client that runs a program, through a layer.
namespace plinth::layers {

class TestClient {
 public:
  explicit TestClient(const TestChain& chain) : chain_(chain) {
    auto initialize = MakeArgs<PJRT_Plugin_Initialize_Args>();
    Ok(initialize);
    auto create = MakeArgs<PJRT_Client_Create_Args>();
    Ok(create);
    client_ = create.client;
    auto devices = MakeArgs<PJRT_Client_AddressableDevices_Args>();
    devices.client = client_;
    Ok(devices);
    device_ = devices.addressable_devices[0];
  }
  ~TestClient() {
    auto destroy = MakeArgs<PJRT_Client_Destroy_Args>();
    destroy.client = client_;
    Ok(destroy);
  }

  template <typename Args>
  Status Call(Args& args) const {
    return TakeError(chain_.Call(0, FunctionOf<Args>::kSlot, &args));
  }
  template <typename Args>
  void Ok(Args& args) const {
    Status status = Call(args);
    EXPECT_TRUE(status.ok()) << FunctionOf<Args>::kName << ": " << status.ToString();
  }

  PJRT_Client* client() const { return client_; }
  PJRT_Device* device() const { return device_; }

  PJRT_LoadedExecutable* Compile(std::string_view mlir) const {
    auto program = MakeArgs<PJRT_Program>();
    program.code = const_cast<char*>(mlir.data());
    program.code_size = mlir.size();
    program.format = const_cast<char*>("mlir");
    program.format_size = 4;
    auto compile = MakeArgs<PJRT_Client_Compile_Args>();
    compile.client = client_;
    compile.program = &program;
    compile.compile_options = "";
    Ok(compile);
    return compile.executable;
  }

  PJRT_Buffer* FromHost(PJRT_Buffer_Type type, const void* data, std::vector<int64_t> dims,
                        std::vector<int64_t> strides = {}) const {
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = client_;
    args.data = data;
    args.type = type;
    args.dims = dims.data();
    args.num_dims = dims.size();
    args.byte_strides = strides.empty() ? nullptr : strides.data();
    args.num_byte_strides = strides.size();
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    args.device = device_;
    Ok(args);
    Await(args.done_with_host_buffer);
    return args.buffer;
  }

  std::vector<PJRT_Buffer*> Execute(PJRT_LoadedExecutable* executable,
                                    std::vector<PJRT_Buffer*> arguments, size_t outputs,
                                    bool with_events = true) const {
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    std::vector<PJRT_Buffer*> results(outputs);
    PJRT_Buffer* const* argument_list = arguments.data();
    PJRT_Buffer** output_list = results.data();
    PJRT_Event* event = nullptr;
    args.executable = executable;
    args.options = &options;
    args.argument_lists = &argument_list;
    args.num_devices = 1;
    args.num_args = arguments.size();
    args.output_lists = &output_list;
    args.device_complete_events = with_events ? &event : nullptr;
    Ok(args);
    if (with_events) Await(event);
    return results;
  }

  void ToHost(PJRT_Buffer* buffer, void* data, size_t size) const {
    auto args = MakeArgs<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer;
    args.dst = data;
    args.dst_size = size;
    Ok(args);
    Await(args.event);
  }

  void Await(PJRT_Event* event) const {
    auto await = MakeArgs<PJRT_Event_Await_Args>();
    await.event = event;
    Ok(await);
    auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
    destroy.event = event;
    Ok(destroy);
  }
  void Destroy(PJRT_Buffer* buffer) const {
    auto args = MakeArgs<PJRT_Buffer_Destroy_Args>();
    args.buffer = buffer;
    Ok(args);
  }
  void Destroy(PJRT_LoadedExecutable* executable) const {
    auto args = MakeArgs<PJRT_LoadedExecutable_Destroy_Args>();
    args.executable = executable;
    Ok(args);
  }

 private:
  const TestChain& chain_;
  PJRT_Client* client_;
  PJRT_Device* device_;
};

// y = 2 x + 1 of f32[2,3].
inline constexpr std::string_view kAffineProgram = R"(
module @affine {
  func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %two = stablehlo.constant dense<2.0> : tensor<2x3xf32>
    %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
    %p = stablehlo.multiply %x, %two : tensor<2x3xf32>
    %y = stablehlo.add %p, %one : tensor<2x3xf32>
    func.return %y : tensor<2x3xf32>
  }
})";

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TEST_CLIENT_H_
