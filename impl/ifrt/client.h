// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_CLIENT_H_
#define PLINTH_IMPL_IFRT_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/ifrt/counted.h"
#include "plinth/client/client.h"
#include "plinth/client/key_value_store.h"
#include "plinth/support/status.h"

namespace plinth::ifrt {

class Client;
class ProgramCache;
class WorkQueue;

// A memory of a device. `raw` is null in devices of other processes.
struct Memory {
  client::Memory raw;
  std::string kind;
};

// A device of a client, also one of another process. Lives as long as the client; immutable.
struct Device {
  client::Device raw;
  const Client* client = nullptr;
  size_t index = 0;  // In Client::devices.
  int id = 0;
  int process_index = 0;
  bool is_addressable = false;
  std::string kind = {};
  std::string text = {};
  // The default one first. Empty where a plugin says nothing.
  std::vector<Memory> memories = {};

  // Null if it has none of that kind. "" means the default.
  const Memory* FindMemory(std::string_view memory_kind) const;
  // "device 3 (cpu)".
  std::string Name() const;
};

// A plugin's client and what the arrays over it share. Everything made from it keeps it alive. Any
// thread.
class Client : public Counted {
 public:
  // `store`: what `raw` uses, if it is one of several processes.
  static Expected<Ref<Client>> Create(client::Client raw,
                                      std::unique_ptr<client::KeyValueStore> store);

  const client::Client& raw() const { return raw_; }
  // In the plugin's order; those of other processes too.
  std::span<const std::unique_ptr<Device>> devices() const { return devices_; }
  // For the C API.
  const Device* const* device_list() const { return device_list_.data(); }
  const Device* FindDevice(int id) const;
  const std::string& platform_name() const { return platform_name_; }
  const std::string& platform_version() const { return platform_version_; }
  int process_index() const { return process_index_; }
  // Small programs that move elements, compiled once.
  ProgramCache& programs() const { return *programs_; }
  // Threads that compile.
  WorkQueue& work() const { return *work_; }
  // For copies between processes, all of which ask for as many.
  int64_t NextTransferKey() const { return next_transfer_key_.fetch_add(1); }

 private:
  Client(client::Client raw, std::unique_ptr<client::KeyValueStore> store);
  ~Client() override;
  Status ReadDevices();
  // PJRT does not tell what memories devices of other processes have: those of a device of the same
  // kind here.
  void InferMemories(Device* device) const;

  const std::unique_ptr<client::KeyValueStore> store_;  // Goes after `raw_`.
  client::Client raw_;
  mutable std::atomic<int64_t> next_transfer_key_{0};
  std::string platform_name_;
  std::string platform_version_;
  int process_index_ = 0;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<const Device*> device_list_;
  std::unique_ptr<ProgramCache> programs_;
  std::unique_ptr<WorkQueue> work_;
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_CLIENT_H_
