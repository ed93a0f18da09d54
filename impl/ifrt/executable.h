// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_EXECUTABLE_H_
#define PLINTH_IMPL_IFRT_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/ifrt/array.h"
#include "plinth/client/client.h"

namespace plinth::ifrt {

// What to compile, or to load.
struct ProgramSpec {
  std::string code;
  std::string format;  // "mlir", "hlo"; "" for what Executable::Serialize gave.
  client::CompileOptions options;
  // Where it runs, one partition (and replica) on each; none: the plugin's default.
  std::vector<const Device*> devices;
  // Used where the plugin does not tell how it cuts outputs. One for each output, or none.
  std::vector<Ref<const Sharding>> output_shardings;
};

struct ExecuteRequest {
  std::span<Array* const> arguments;
  int launch_id = 0;
  std::span<const int64_t> non_donatable = {};
  // Of a portable program: where it runs.
  const Device* device = nullptr;
  // "" for none.
  const char* call_location = "";
  bool want_status = false;
};

// A program on devices. What it is becomes known when it is compiled: functions wait for that, and
// return its error. Any thread.
class Executable : public Counted {
 public:
  // Starts to compile on a thread of the client's, or compiles here.
  static Ref<Executable> Compile(const Ref<const Client>& client, ProgramSpec program,
                                 bool is_serial);

  // Completes when it is compiled.
  const Ref<Future>& ready() const { return ready_; }
  // Waits for that.
  Status Wait() const { return ready_->Await(-1); }

  // After Wait, which succeeded:
  const Ref<const Client>& client() const { return client_; }
  const client::LoadedExecutable& loaded() const { return *loaded_; }
  // The devices it runs on, also those of other processes; none if it is portable.
  const std::vector<const Device*>& devices() const { return devices_; }
  // The number of parameters, if the plugin tells.
  std::optional<size_t> num_parameters() const { return num_parameters_; }
  // How each parameter is cut, and where it is; none if the plugin does not tell or it is portable.
  const std::vector<Ref<const Sharding>>& parameters() const { return parameters_; }
  bool is_portable() const { return is_portable_; }
  // Type, global shape and sharding of each output. Of a portable one without sharding.
  const std::vector<ArraySpec>& outputs() const { return outputs_; }

  // Starts it. `outputs`: room for one reference to each output, which the caller gets with a
  // success; in place, so that nothing but the arrays is allocated. The result is null, or, if
  // wanted, a future that completes when every device is done. INVALID_ARGUMENT, with what is
  // wrong, for arguments that are deleted, on other devices, cut in another way, or of another
  // number. An error that an argument has becomes that of every output. What the program takes of
  // its arguments is deleted at once.
  Expected<Ref<Future>> Execute(const ExecuteRequest& request, std::span<Array*> outputs) const;
  // Lets the execution with that launch id fail, if it is not done. UNIMPLEMENTED from plugins that
  // cannot (before 0.85).
  Status Cancel(int launch_id, const Status& error) const;

 private:
  // Where the shards of an argument with this sharding and shape go.
  struct Fit {
    Ref<const Sharding> sharding;
    Dims dims;
    std::vector<size_t> places;  // In Array::shards, for each addressable device of the program.
  };
  using FitRef = std::shared_ptr<const Fit>;

  Executable(Ref<const Client> client, ProgramSpec program);
  Status DoCompile();
  Status ReadDevices();
  Status ReadShardings();
  Status ReadOutputs();
  // Over the devices of the program.
  Expected<Ref<const Sharding>> ShardingIn(const std::string& memory_kind,
                                           const Partitioning& partitioning) const;
  Expected<FitRef> MakeFit(size_t index, const Array& argument) const;
  Status FitAll(std::span<Array* const> arguments, std::span<FitRef> fits) const;
  Status CheckArguments(const ExecuteRequest& request) const;
  Expected<Ref<Future>> Run(const ExecuteRequest& request, std::span<PJRT_Buffer* const> handles,
                            size_t num_devices, std::span<Array*> outputs) const;
  Expected<std::vector<ArraySpec>> OutputSpecsOn(const Device* device) const;

  Ref<const Client> client_;
  ProgramSpec program_;
  Ref<Future> ready_;
  std::optional<client::LoadedExecutable> loaded_;
  std::vector<const Device*> devices_;
  std::vector<const Device*> addressable_;
  // Of each addressable device: its place among the addressable shards of an output.
  std::vector<size_t> output_places_;
  bool is_portable_ = false;
  // The number of parameters, if the plugin tells.
  std::optional<size_t> num_parameters_;
  std::vector<Ref<const Sharding>> parameters_;
  std::vector<ArraySpec> outputs_;
  std::vector<std::string> output_memory_kinds_;
  mutable std::shared_mutex mutex_;
  mutable std::vector<FitRef> fits_;  // The last one that was used for each parameter.
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_EXECUTABLE_H_
