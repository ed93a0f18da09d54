// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_CALL_PARTITIONERS_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_CALL_PARTITIONERS_H_

#include <map>
#include <mutex>
#include <string>

#include "pjrt_c_api.h"
#include "pjrt_c_api_custom_partitioner_extension.h"
#include "reference_plugin/compiler/partition/call_partitioners.h"

namespace plinth::backend {

// What frameworks registered through the extension Custom_Partitioner. One per process, because the
// C API registers without a client. Thread-safe.
class RegisteredPartitioners final : public compiler::partition::CallPartitioners {
 public:
  static RegisteredPartitioners& Get();

  // Takes the callbacks, for the life of the process. Others of the same name before them stay
  // alive too, since a compilation may be using them.
  Status Register(std::string_view target, JAX_CustomCallPartitioner_Callbacks* callbacks);

  bool Has(std::string_view target) const override;
  Expected<Part> Partition(const compiler::Op& op, std::span<const Array> operands,
                           std::span<const Array> results, int64_t num_partitions) override;
  Status Tell(std::string_view backend_config, const program::OpSharding& sharding) override;

 private:
  RegisteredPartitioners() = default;

  mutable std::mutex mutex_;
  std::map<std::string, JAX_CustomCallPartitioner_Callbacks*, std::less<>> callbacks_;
};

// The extension, for the plugin's table. Lives for ever.
PJRT_Extension_Base* CustomPartitionerExtension();

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_CALL_PARTITIONERS_H_
