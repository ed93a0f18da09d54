// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_BENCH_BENCH_PLUGIN_H_
#define PLINTH_CONFORMANCE_BENCH_BENCH_PLUGIN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/bench/arrays.h"
#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::bench {

// A plugin with one client, reached through the C table alone. Used by one thread. It is never
// unloaded.
class Plugin {
 public:
  // `num_threads` and `blas` are the client's options of these names; below 0 and empty, they are
  // not given.
  static Expected<std::unique_ptr<Plugin>> Open(const std::string& path, int64_t num_threads,
                                                const std::string& blas);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

 private:
  friend class Program;
  Plugin() = default;
  // Takes over `error`.
  Status ToStatus(PJRT_Error* error, std::string_view call) const;
  Status Await(PJRT_Event* event, std::string_view what) const;

  const PJRT_Api* api_ = nullptr;
  PJRT_Client* client_ = nullptr;
  PJRT_Device* device_ = nullptr;
};

// A compiled program and its arguments on a plugin, which outlives it.
class Program {
 public:
  // `code` is MLIR, bytecode or text. The arguments are shared with the plugin without a copy where
  // it can do that, and outlive the program.
  static Expected<std::unique_ptr<Program>> Make(const Plugin& plugin, std::string_view code,
                                                 std::span<const ArraySpec> specs,
                                                 std::span<const Bytes> arguments);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Runs it and waits for its end; the outputs are gone when this returns.
  Status Run();
  // The bytes of all outputs of a run.
  Expected<std::string> RunForOutputs();

 private:
  explicit Program(const Plugin& plugin) : plugin_(plugin) {}
  Status Compile(std::string_view code);
  Status PutArgument(const ArraySpec& spec, const std::byte* data);
  Status Execute();
  Status ReadOutputs(std::string* all) const;
  void DestroyOutputs();

  const Plugin& plugin_;
  PJRT_LoadedExecutable* executable_ = nullptr;
  std::vector<PJRT_Buffer*> arguments_, outputs_;
};

}  // namespace plinth::bench

#endif  // PLINTH_CONFORMANCE_BENCH_BENCH_PLUGIN_H_
