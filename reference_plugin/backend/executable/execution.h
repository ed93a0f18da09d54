// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTION_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTION_H_

#include <memory>
#include <optional>
#include <vector>

#include "plinth/sdk/event.h"
#include "reference_plugin/backend/executable/contents.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/backend/run/call_context.h"
#include "reference_plugin/backend/run/frame.h"
#include "reference_plugin/backend/run/prepared_program.h"

namespace plinth::backend {

// Whether an output of a program is a token.
inline bool IsToken(const PreparedProgram& program, size_t output) {
  return program.plan().output_types[output].kind == compiler::Type::Kind::kToken;
}
bool HasOnlyTokens(const PreparedProgram& program);

struct ExecutionInput {
  ContentsPtr contents;  // never null
  bool is_donated = false;
};

// A run that another thread does when its inputs are ready; while a step waits for others, none
// does. It keeps alive what it needs.
class Execution : public std::enable_shared_from_this<Execution> {
 public:
  Execution(std::shared_ptr<Runtime> runtime, std::shared_ptr<const PreparedProgram> program,
            std::vector<ExecutionInput> inputs, const Lane& lane,
            std::unique_ptr<CallContext> call);

  // Contents that become ready when the run is over: with its error, if it fails. Tokens only say
  // that it is over: the framework passes the last one to the next program, failed or not.
  const std::vector<ContentsPtr>& outputs() const { return outputs_; }
  sdk::Event done() const { return done_.event(); }

  void Start();

 private:
  void RunWhen(const sdk::Event& ready);
  void Run();
  Outcome Compute();
  Status Begin();
  void Finish(Status status);

  const std::shared_ptr<Runtime> runtime_;
  const std::shared_ptr<const PreparedProgram> program_;
  std::vector<ExecutionInput> inputs_;
  std::vector<ContentsPtr> outputs_;
  const Lane lane_;
  std::unique_ptr<CallContext> call_;  // null if the program calls nothing by name
  sdk::EventSource done_;
  std::optional<Frame> frame_;            // from the first Run to the last
  std::optional<sdk::EventSource> over_;  // of tokens, if there are any; never an error of the run
};

// The storages of inputs that are all ready, for PreparedProgram::Run. A donated input that nobody
// else reads gives its storage up.
RunArgument TakeArgument(ExecutionInput& input);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_EXECUTION_H_
