// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_TESTING_BACKEND_UNDER_TEST_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_TESTING_BACKEND_UNDER_TEST_H_

#include <memory>
#include <string_view>

#include "reference_plugin/backend/executable/client.h"
#include "reference_plugin/backend/run/prepared_program.h"
#include "reference_plugin/compiler/pipeline.h"

// What the cases of this folder need. Each back end that links them defines the functions.
namespace plinth::backend {

std::shared_ptr<const Backend> BackendUnderTest();
std::unique_ptr<BackendClient> ClientUnderTest(int num_devices);

// A program in text form, ready to run there.
inline Expected<std::shared_ptr<const PreparedProgram>> CompileFor(
    const Backend& backend, std::string_view text, const compiler::PipelineOptions& options = {}) {
  PLINTH_ASSIGN_OR_RETURN(program::Module module, program::ReadText(std::string(text)));
  PLINTH_ASSIGN_OR_RETURN(compiler::CompiledProgram compiled,
                          compiler::CompileProgram(std::move(module), backend.target, options));
  return PreparedProgram::Create(std::move(compiled.plan), backend);
}
inline Expected<std::shared_ptr<const PreparedProgram>> CompileUnderTest(
    std::string_view text, const compiler::PipelineOptions& options = {}) {
  return CompileFor(*BackendUnderTest(), text, options);
}

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_TESTING_BACKEND_UNDER_TEST_H_
