// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_PJRT_CLIENT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_PJRT_CLIENT_H_

#include <memory>
#include <string>

#include "reference_plugin/backend/executable/client.h"
#include "reference_plugin/cpu/backend.h"

namespace plinth::cpu {

struct CpuClientOptions {
  int num_devices = 1;
  int num_threads = 0;              // 0: one per core
  int64_t memory_limit = 0;         // bytes; 0: the machine's memory
  int64_t device_memory_limit = 0;  // bytes of each device; 0: none
  backend::Subnormals subnormals = backend::Subnormals::kKept;
  library::LibraryOptions library;
  NativeOptions native;
  std::string device_kind = "cpu";
  std::shared_ptr<const backend::Backend> backend;  // null: MakeBackend
};

// Devices that share one runtime: its threads and its memory. Each has the memories "device" (the
// default), "pinned_host" and "unpinned_host", which differ by name only.
class CpuClient final : public backend::BackendClient {
 public:
  explicit CpuClient(const CpuClientOptions& options);

  std::unique_ptr<backend::ContentsBuffer> MakeBuffer(
      DType dtype, std::span<const int64_t> dims, sdk::Memory* memory, sdk::Device* device,
      backend::ContentsPtr contents, std::shared_ptr<const sdk::Layout> layout) override;
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
                                         sdk::Device* device, backend::StoragePtr storage,
                                         sdk::Event ready = {});
};

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_PJRT_CLIENT_H_
