// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTABLE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTABLE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/sdk/executable.h"
#include "reference_plugin/backend/run/prepared_program.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/pjrt/client.h"
#include "reference_plugin/program/compile_options.h"

namespace plinth::cpu {

// A compiled program.
class CpuExecutable final : public sdk::Executable {
 public:
  // Format "mlir". `options` is a serialized CompileOptionsProto.
  static Expected<std::shared_ptr<const CpuExecutable>> Compile(const sdk::Program& program,
                                                                std::string_view options,
                                                                const LibraryOptions& library);
  // What Serialize wrote: the program and its options, compiled anew (it takes about as long as
  // reading a compiled form would). INVALID_ARGUMENT for other bytes, FAILED_PRECONDITION for
  // those of another build or CPU.
  static Expected<std::shared_ptr<const CpuExecutable>> Deserialize(std::string_view serialized,
                                                                    std::string_view options,
                                                                    const LibraryOptions& library);

  const PreparedProgram& program() const { return *program_; }
  const std::shared_ptr<const PreparedProgram>& shared_program() const { return program_; }
  const program::CompileOptions& options() const { return options_; }

  Expected<std::string> Serialize() const override;
  Expected<sdk::OwnedProgram> OptimizedProgram() const override;

 private:
  CpuExecutable(sdk::ExecutableInfo info, std::string code, program::CompileOptions options,
                std::shared_ptr<const PreparedProgram> program)
      : Executable(std::move(info)),
        code_(std::move(code)),
        options_(std::move(options)),
        program_(std::move(program)) {}

  const std::string code_;  // the program as it was given
  const program::CompileOptions options_;
  const std::shared_ptr<const PreparedProgram> program_;
};

// A compiled program on devices of a client.
class CpuLoadedExecutable final : public sdk::LoadedExecutable {
 public:
  static Expected<std::unique_ptr<sdk::LoadedExecutable>> Create(
      CpuClient& client, std::shared_ptr<const CpuExecutable> executable);

  Status Execute(const sdk::ExecuteRequest& request, sdk::ExecuteResults& results) override;

 private:
  CpuLoadedExecutable(CpuClient& client, std::shared_ptr<const CpuExecutable> executable,
                      sdk::LoadedExecutableInfo info, std::vector<sdk::Memory*> output_memories)
      : LoadedExecutable(executable, std::move(info)),
        runtime_(client.runtime()),
        executable_(std::move(executable)),
        output_memories_(std::move(output_memories)) {}

  const std::shared_ptr<Runtime> runtime_;
  const std::shared_ptr<const CpuExecutable> executable_;
  const std::vector<sdk::Memory*> output_memories_;  // of the first device
};

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTABLE_H_
