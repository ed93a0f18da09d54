// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/device_program.h"

#include "impl/ifrt/program_cache.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {

std::string TensorType(DType type, std::span<const int64_t> dims) {
  return StrCat("tensor<", StrJoin(dims, "x"), dims.empty() ? "" : "x", InfoOf(type).mlir_name,
                ">");
}

bool IsDefaultMemory(const Device& device, const std::string& kind) {
  return device.memories.empty() || kind.empty() || device.memories.front().kind == kind;
}

Expected<client::Buffer> RunProgram(const Client& client, const std::string& text,
                                    std::span<const client::Buffer* const> arguments,
                                    const Device& device) {
  PLINTH_ASSIGN_OR_RETURN(const ProgramCache::Program program,
                          client.programs().Get(client.raw(), text));
  client::ExecuteOptions options;
  options.device = device.raw;
  PLINTH_ASSIGN_OR_RETURN(std::vector<client::Buffer> outputs,
                          program->ExecuteOne(arguments, options));
  if (outputs.size() != 1) return Internal("a program of one output has ", outputs.size());
  return std::move(outputs[0]);
}

}  // namespace plinth::ifrt
