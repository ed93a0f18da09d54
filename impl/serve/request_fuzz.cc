// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request of the protocol: what is read is written, and read again, as the same; and
// a session with two arrays, a host buffer and a program answers it, once.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "impl/serve/convert.h"
#include "impl/serve/session.h"
#include "impl/serve/testing/test_client.h"

namespace {

namespace proxy = plinth::serve::proxy;
using plinth::serve::HostBuffer;
using plinth::serve::HostBuffers;
using plinth::serve::Mailbox;
using plinth::serve::MemoryAccount;
using plinth::serve::Session;

constexpr int64_t kMemory = 1 << 20;
constexpr uint64_t kArrays[] = {1, 2};
constexpr uint64_t kBuffer = 3;
constexpr std::string_view kAdd = R"(module @add {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

proxy::ShardingProto OnTheFirstDevice() {
  return {{"xla::ifrt::SingleDeviceSharding",
           proxy::Write(proxy::SingleDeviceShardingProto{0, std::nullopt})}};
}

class World {
 public:
  World() {
    for (const uint64_t handle : kArrays) {
      AddBuffer(handle);
      proxy::MakeArrayFromHostBufferRequest make;
      make.dtype = plinth::serve::ToProto(plinth::DType::kF32);
      make.shape.dims = {2};
      make.sharding = OnTheFirstDevice();
      make.host_buffer_handle = handle;
      make.array_handle = handle;
      Ask({{}, std::move(make)});
    }
    proxy::CompileRequest compile;
    compile.program = {"xla::ifrt::XlaProgram", std::string(kAdd)};
    compile.compile_options.type_name = "xla::ifrt::XlaCompileOptions";
    Ask({{}, std::move(compile)});
    Check(!IsChanged(), "a new session has two arrays and a program");
  }

  void AddBuffer(uint64_t handle) {
    if (buffers_->Find(handle)) return;
    auto bytes = HostBuffer::Create(account_, 8);
    Check(bytes.ok(), "there is no memory for a buffer");
    std::memset((*bytes)->data(), 0, 8);
    Check(buffers_->Put(handle, *std::move(bytes)).ok(), "a buffer is not taken");
  }

  void Ask(const proxy::IfrtRequest& request) {
    if (!session_->IsReady(request)) return;  // It would wait for a host buffer.
    num_answers_ = 0;
    session_->Handle(request);
    while (num_answers_ == 0) {
      if (!mailbox_->Run()) std::this_thread::yield();
    }
    (void)mailbox_->Run();
    Check(num_answers_ == 1 && session_->num_pending() == 0, "a request is not answered once");
  }

  // Whether it has more or less than a new one.
  bool IsChanged() const {
    return session_->num_arrays() != std::size(kArrays) || session_->num_executables() != 1 ||
           account_->used() > kMemory / 2;
  }

 private:
  const std::shared_ptr<MemoryAccount> account_ = std::make_shared<MemoryAccount>(kMemory);
  const std::shared_ptr<HostBuffers> buffers_ = std::make_shared<HostBuffers>(account_, [] {});
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  int num_answers_ = 0;
  const std::shared_ptr<Session> session_ = std::make_shared<Session>(
      plinth::serve::TestDevices(), 1, proxy::GrpcIfrtSessionMetadata(), buffers_, mailbox_,
      [this](const proxy::IfrtResponse&, bool) { ++num_answers_; });
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  proxy::IfrtRequest request;
  if (!proxy::Read(bytes, &request).ok()) return 0;
  const std::string written = proxy::Write(request);
  proxy::IfrtRequest again;
  Check(proxy::Read(written, &again).ok(), "what was written cannot be read");
  Check(proxy::Write(again) == written, "what was written is written in another way");
  static std::unique_ptr<World> world;
  if (world == nullptr || world->IsChanged()) world = std::make_unique<World>();
  world->AddBuffer(kBuffer);
  world->Ask(request);
  return 0;
}
