// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/client.h"

#include <utility>

#include "reference_plugin/backend/executable/executable.h"
#include "reference_plugin/backend/executable/loaded_executable.h"

namespace plinth::backend {

Expected<std::unique_ptr<sdk::LoadedExecutable>> BackendClient::Compile(const sdk::Program& program,
                                                                        std::string_view options) {
  PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const BackendExecutable> executable,
                          BackendExecutable::Compile(program, options, backend_));
  return Load(std::move(executable), {});
}

Expected<std::unique_ptr<sdk::LoadedExecutable>> BackendClient::DeserializeAndLoad(
    std::string_view serialized, std::string_view overridden_options, const sdk::LoadOptions&) {
  PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const BackendExecutable> executable,
                          BackendExecutable::Deserialize(serialized, overridden_options, backend_));
  return Load(std::move(executable), {});
}

Expected<std::unique_ptr<sdk::LoadedExecutable>> BackendClient::Load(
    std::shared_ptr<const sdk::Executable> executable, std::string_view options) {
  auto ours = std::static_pointer_cast<const BackendExecutable>(std::move(executable));
  if (ours->hardware() != backend_->hardware) {
    return FailedPrecondition("the executable was compiled for ", ours->hardware(),
                              "; the devices of this client are ", backend_->hardware,
                              ": compile the program for them");
  }
  if (options.empty()) {
    const program::CompileOptions& compiled = ours->options();
    return BackendLoadedExecutable::Create(*this, std::move(ours), compiled);
  }
  PLINTH_ASSIGN_OR_RETURN(const program::CompileOptions own,
                          program::ReadCompileOptions(std::as_bytes(std::span(options))));
  return BackendLoadedExecutable::Create(*this, std::move(ours), own);
}

}  // namespace plinth::backend
