// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "impl/ifrt/executable.h"
#include "impl/ifrt/op_sharding.h"
#include "impl/ifrt/work_queue.h"
#include "plinth/client/shardings.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

// The shape of an array whose shards have `dims`.
Dims GlobalShape(const Partitioning& partitioning, std::span<const int64_t> dims) {
  Dims global(dims);
  const std::span<const int64_t> tiles = partitioning.tiles();
  for (size_t d = 0; d < std::min(global.size(), tiles.size()); ++d) global[d] *= tiles[d];
  return global;
}

}  // namespace

Executable::Executable(Ref<const Client> client, ProgramSpec program)
    : client_(std::move(client)), program_(std::move(program)), ready_(MakeRef<Future>(client_)) {}

Ref<Executable> Executable::Compile(const Ref<const Client>& client, ProgramSpec program,
                                    bool is_serial) {
  Ref<Executable> made = Ref<Executable>::Adopt(new Executable(client, std::move(program)));
  const auto compile = [made] {
    Status status;
    try {
      status = made->DoCompile();
    } catch (const std::bad_alloc&) {
      status = ResourceExhausted("out of host memory");
    }
    made->ready_->Complete(status);
  };
  if (is_serial) {
    compile();
  } else {
    client->work().Run(compile);
  }
  return made;
}

Status Executable::DoCompile() {
  const client::Client& raw = client_->raw();
  client::CompileOptions& options = program_.options;
  if (!program_.devices.empty()) {
    const auto count = static_cast<int>(program_.devices.size());
    if (options.num_replicas < 1 || count % options.num_replicas != 0) {
      return InvalidArgument(options.num_replicas, " replicas on ", count, " devices");
    }
    options.num_partitions = count / options.num_replicas;
    client::DeviceAssignment assignment{options.num_replicas, options.num_partitions, {}};
    for (const Device* device : program_.devices) assignment.devices.push_back(device->id);
    options.device_assignment = std::move(assignment);
  }
  is_portable_ = options.portable;
  bool is_for_given_devices = true;
  Expected<client::LoadedExecutable> loaded =
      program_.format.empty()
          ? raw.DeserializeAndLoad(program_.code, program_.devices.empty() ? nullptr : &options)
          : raw.Compile(client::Program{program_.code, program_.format}, options);
  if (!loaded.ok() && loaded.status().code() == StatusCode::kUnimplemented &&
      program_.format.empty() && !program_.devices.empty()) {
    // Before 0.71 nothing can be said of the devices; perhaps they are those that it was made for.
    is_for_given_devices = false;
    loaded = raw.DeserializeAndLoad(program_.code);
  }
  program_.code.clear();
  program_.code.shrink_to_fit();
  if (!loaded.ok()) return loaded.status();
  loaded_.emplace(*std::move(loaded));
  PLINTH_RETURN_IF_ERROR(ReadDevices());
  if (!is_for_given_devices && devices_ != program_.devices) {
    return Unimplemented(
        "the program was serialized for other devices, and the plugin loads it for those alone "
        "(before 0.71)");
  }
  PLINTH_RETURN_IF_ERROR(ReadShardings());
  return ReadOutputs();
}

Status Executable::ReadDevices() {
  PLINTH_ASSIGN_OR_RETURN(const std::vector<client::Device> addressable,
                          loaded_->AddressableDevices());
  for (const client::Device& one : addressable) {
    PLINTH_ASSIGN_OR_RETURN(const int id, one.Id());
    const Device* device = client_->FindDevice(id);
    if (device == nullptr) return Internal("the program runs on device ", id, ", of no client");
    addressable_.push_back(device);
  }
  if (is_portable_) return {};
  // Before 0.79 only those of this process are known.
  const Expected<client::DeviceAssignment> assignment = loaded_->Assignment();
  if (assignment.ok()) {
    for (const int64_t id : assignment->devices) {
      const Device* device = client_->FindDevice(static_cast<int>(id));
      if (device == nullptr) return Internal("the program runs on device ", id, ", of no client");
      devices_.push_back(device);
    }
  }
  if (devices_.size() < addressable_.size()) devices_ = addressable_;
  for (const Device* device : addressable_) {
    size_t place = 0;
    for (const Device* other : devices_) {
      if (other == device) break;
      if (other->is_addressable) ++place;
    }
    output_places_.push_back(place);
  }
  return {};
}

Status Executable::ReadShardings() {
  std::vector<std::string> memory_kinds;
  if (auto kinds = loaded_->executable().ParameterMemoryKinds(); kinds.ok()) {
    memory_kinds = *std::move(kinds);
    num_parameters_ = memory_kinds.size();
  }
  std::vector<std::string> told;
  if (devices_.size() > 1) {
    if (auto known = client::ParameterShardings(loaded_->executable()); known.ok()) {
      told = *std::move(known);
    }
  } else if (!devices_.empty()) {
    told.resize(memory_kinds.size());
  }
  for (size_t i = 0; i < told.size(); ++i) {
    Expected<Partitioning> partitioning = devices_.size() == 1
                                              ? Partitioning::Replicated(1)
                                              : PartitioningOfProgram(told[i], devices_.size());
    if (!partitioning.ok()) partitioning = Partitioning::Opaque(devices_.size());
    if (!partitioning.ok()) return partitioning.status();
    PLINTH_ASSIGN_OR_RETURN(
        Ref<const Sharding> sharding,
        ShardingIn(i < memory_kinds.size() ? memory_kinds[i] : "", *partitioning));
    parameters_.push_back(std::move(sharding));
  }
  return {};
}

Expected<Ref<const Sharding>> Executable::ShardingIn(const std::string& memory_kind,
                                                     const Partitioning& partitioning) const {
  Expected<Ref<const Sharding>> sharding =
      Sharding::Create(client_, devices_, memory_kind, partitioning);
  // A kind that no memory has is the plugin's mistake, not the caller's.
  if (!sharding.ok()) sharding = Sharding::Create(client_, devices_, "", partitioning);
  return sharding;
}

Status Executable::ReadOutputs() {
  PLINTH_ASSIGN_OR_RETURN(const std::vector<client::OutputShape> shapes,
                          loaded_->executable().Outputs());
  if (shapes.size() != loaded_->num_outputs()) {
    return Internal("the plugin tells the shapes of ", shapes.size(), " of ",
                    loaded_->num_outputs(), " outputs");
  }
  if (const auto kinds = loaded_->executable().OutputMemoryKinds();
      kinds.ok() && kinds->size() == shapes.size()) {
    output_memory_kinds_ = *kinds;
  }
  std::vector<std::string> shardings;
  if (devices_.size() > 1) {
    if (const auto known = client::OutputShardings(loaded_->executable());
        known.ok() && known->size() == shapes.size()) {
      shardings = *known;
    }
  }
  if (!program_.output_shardings.empty() && program_.output_shardings.size() != shapes.size()) {
    return InvalidArgument(program_.output_shardings.size(), " output shardings were given for ",
                           shapes.size(), " outputs");
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    ArraySpec spec{shapes[i].type, Dims(shapes[i].dims), {}};
    if (!devices_.empty()) {
      Expected<Partitioning> partitioning = devices_.size() == 1
                                                ? Partitioning::Replicated(1)
                                                : Partitioning::Opaque(devices_.size());
      if (!shardings.empty()) {
        Expected<Partitioning> told = PartitioningOfProgram(shardings[i], devices_.size());
        if (told.ok()) partitioning = std::move(told);
      } else if (!program_.output_shardings.empty() && devices_.size() > 1) {
        const Sharding& said = *program_.output_shardings[i];
        if (said.devices() != devices_) {
          return InvalidArgument("the sharding of output ", i,
                                 " is for other devices, or in "
                                 "another order, than those of the program");
        }
        partitioning = said.partitioning();
      }
      if (!partitioning.ok()) return partitioning.status();
      if (partitioning->kind() == Partitioning::Kind::kTiled &&
          partitioning->tiles().size() != spec.dims.size()) {
        return InvalidArgument("output ", i, " has ", spec.dims.size(),
                               " dimensions; its sharding "
                               "says ",
                               partitioning->ToString());
      }
      spec.dims = GlobalShape(*partitioning, spec.dims);
      const std::string kind = output_memory_kinds_.empty() ? "" : output_memory_kinds_[i];
      PLINTH_ASSIGN_OR_RETURN(spec.sharding, ShardingIn(kind, *partitioning));
    }
    outputs_.push_back(std::move(spec));
  }
  return {};
}

}  // namespace plinth::ifrt
