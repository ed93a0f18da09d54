// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTABLE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTABLE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/program/compile_options.h"
#include "plinth/sdk/executable.h"
#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/backend/run/prepared_program.h"

namespace plinth::backend {

// A compiled program.
class BackendExecutable final : public sdk::Executable {
 public:
  // Format "mlir", "hlo" or "hlo_with_config". `options` is a serialized CompileOptionsProto.
  static Expected<std::shared_ptr<const BackendExecutable>> Compile(
      const sdk::Program& program, std::string_view options,
      std::shared_ptr<const Backend> backend);
  // What Serialize wrote: the program and its options, compiled anew (it takes about as long as
  // reading a compiled form would). INVALID_ARGUMENT for other bytes, FAILED_PRECONDITION for
  // those of another build or hardware.
  static Expected<std::shared_ptr<const BackendExecutable>> Deserialize(
      std::string_view serialized, std::string_view options,
      std::shared_ptr<const Backend> backend);

  const PreparedProgram& program() const { return *program_; }
  const std::shared_ptr<const PreparedProgram>& shared_program() const { return program_; }
  const program::CompileOptions& options() const { return options_; }
  // The machine that it is for: Backend::hardware.
  const std::string& hardware() const { return backend_->hardware; }

  Expected<std::string> Serialize() const override;
  Expected<sdk::OwnedProgram> OptimizedProgram() const override;

 private:
  // A program that is not new was compiled before, maybe by another process: nobody waits to hear
  // of its shardings.
  static Expected<std::shared_ptr<const BackendExecutable>> Compile(
      const sdk::Program& program, std::string_view options, std::shared_ptr<const Backend> backend,
      bool is_new);

  BackendExecutable(sdk::ExecutableInfo info, sdk::OwnedProgram source,
                    program::CompileOptions options, std::shared_ptr<const PreparedProgram> program,
                    std::shared_ptr<const Backend> backend)
      : Executable(std::move(info)),
        source_(std::move(source)),
        options_(std::move(options)),
        program_(std::move(program)),
        backend_(std::move(backend)) {}

  const sdk::OwnedProgram source_;  // the program as it was given
  const program::CompileOptions options_;
  const std::shared_ptr<const PreparedProgram> program_;
  const std::shared_ptr<const Backend> backend_;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTABLE_H_
