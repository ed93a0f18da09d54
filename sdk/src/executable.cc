// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/executable.h"

#include <utility>

#include "sdk/src/executable_arrays.h"
#include "sdk/src/not_offered.h"

namespace plinth::sdk {

ValueArrays::ValueArrays(const std::vector<ValueInfo>& values) {
  bool all_sharded = true;
  layouts.reserve(values.size());
  for (const ValueInfo& value : values) {
    types.push_back(plinth::ToC(value.dtype));
    dims.insert(dims.end(), value.dims.begin(), value.dims.end());
    ranks.push_back(value.dims.size());
    memory_kinds.push_back(value.memory_kind.data());
    memory_kind_sizes.push_back(value.memory_kind.size());
    all_sharded = all_sharded && value.sharding.has_value();
    layouts.push_back({value.layout, value.dims.size(), true});
    layout_pointers.push_back(&layouts.back());
  }
  if (!all_sharded) return;
  for (const ValueInfo& value : values) {
    shardings.push_back(value.sharding->data());
    sharding_sizes.push_back(value.sharding->size());
  }
}

Executable::Executable(ExecutableInfo info)
    : info_(std::move(info)), arrays_(std::make_unique<Arrays>(info_)) {}
Executable::~Executable() = default;

Expected<std::string> Executable::Serialize() const {
  return internal::NotOffered("executables of this plugin cannot be serialized; asked for \"",
                              info_.name, "\"");
}
Expected<OwnedProgram> Executable::OptimizedProgram() const {
  return internal::NotOffered("this plugin does not show optimized programs; asked for \"",
                              info_.name, "\"");
}

void ExecuteResults::SetOutput(size_t device, size_t output, std::unique_ptr<Buffer> buffer) {
  if (device >= num_devices_ || output >= num_outputs_) return;
  PJRT_Buffer*& slot = outputs_[device][output];
  delete FromC(slot);
  slot = ToC(buffer.release());
}

LoadedExecutable::LoadedExecutable(std::shared_ptr<const Executable> executable,
                                   LoadedExecutableInfo info)
    : executable_(std::move(executable)), info_(std::move(info)) {}
LoadedExecutable::~LoadedExecutable() = default;

}  // namespace plinth::sdk
