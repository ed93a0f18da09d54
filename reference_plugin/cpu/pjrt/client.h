// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_PJRT_CLIENT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_PJRT_CLIENT_H_

#include <memory>
#include <string>
#include <string_view>

#include "plinth/sdk/client.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu {

struct CpuClientOptions {
  int num_devices = 1;
  int num_threads = 0;       // 0: one per core
  int64_t memory_limit = 0;  // bytes; 0: the machine's memory
  LibraryOptions library;
};

// Devices that share one runtime: its threads and its memory. Each has the memories "device" (the
// default), "pinned_host" and "unpinned_host", which differ by name only.
class CpuClient final : public sdk::Client {
 public:
  explicit CpuClient(const CpuClientOptions& options);
  ~CpuClient() override;

  const std::shared_ptr<Runtime>& runtime() const { return runtime_; }
  const LibraryOptions& library_options() const { return library_options_; }

  Expected<std::unique_ptr<sdk::LoadedExecutable>> Compile(const sdk::Program& program,
                                                           std::string_view options) override;
  Expected<std::unique_ptr<sdk::LoadedExecutable>> DeserializeAndLoad(
      std::string_view serialized, std::string_view overridden_options,
      const sdk::LoadOptions& load) override;
  Expected<std::unique_ptr<sdk::LoadedExecutable>> Load(
      std::shared_ptr<const sdk::Executable> executable, std::string_view options) override;

  Expected<sdk::HostBufferResult> BufferFromHostBuffer(
      const sdk::HostBufferRequest& request) override;
  Expected<std::unique_ptr<sdk::Buffer>> CreateUninitializedBuffer(const sdk::Shape& shape,
                                                                   sdk::Memory* memory,
                                                                   sdk::Device* device) override;
  Expected<std::unique_ptr<sdk::Buffer>> CreateErrorBuffer(const Status& error,
                                                           const sdk::Shape& shape,
                                                           sdk::Memory* memory) override;
  Expected<sdk::AliasBuffer> CreateAliasBuffer(const sdk::Shape& shape,
                                               sdk::Memory* memory) override;
  Expected<std::unique_ptr<sdk::Buffer>> CreateViewOfDeviceBuffer(
      const sdk::ViewRequest& request) override;
  // All memory is the host's: there is nothing to map.
  Status DmaMap(void* data, size_t size) override { return Status(); }
  Status DmaUnmap(void* data) override { return Status(); }

 private:
  std::unique_ptr<sdk::Buffer> NewBuffer(const sdk::Shape& shape, sdk::Memory* memory,
                                         sdk::Device* device, StoragePtr storage,
                                         sdk::Event ready = {});

  std::shared_ptr<Runtime> runtime_;
  LibraryOptions library_options_;
};

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_PJRT_CLIENT_H_
