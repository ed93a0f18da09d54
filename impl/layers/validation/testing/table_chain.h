// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_TESTING_TABLE_CHAIN_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_TESTING_TABLE_CHAIN_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "impl/layers/layer.h"
#include "pjrt_c_api.h"
#include "plinth/support/abi_version.h"

namespace plinth::layers::validation {

// One layer in front of a plugin's table or of functions of a test, and a table in front of the
// layer. One at a time is in use: its thunks know no other way to find it.
class TableChain : public Chain {
 public:
  using Function = std::function<PJRT_Error*(void* args)>;

  // `plugin` may be null: then every function succeeds and writes nothing.
  explicit TableChain(const PJRT_Api* plugin, int minor = kPjrtReportedMinor);
  ~TableChain() override;

  // Makes the validation layer; a test stops if the options are wrong.
  void UseValidation(const std::string& options);

  // Answers a function in place of the plugin.
  void Answer(reflection::function::Id function, Function answer) {
    answers_[function] = std::move(answer);
  }
  void AskPlugin(reflection::function::Id function) { answers_.erase(function); }

  // The plugin itself, from inside of an answer.
  PJRT_Error* CallPlugin(int function, void* args) const;

  PJRT_Error* Call(int depth, int function, void* args) const override;

  // What callers use: full, with the extensions that the plugin and the registry have.
  const PJRT_Api* api() const { return &api_; }

  // Calls that came in so far; those of the layer itself are not among them.
  uint64_t num_calls() const { return num_calls_.load(std::memory_order_relaxed); }

  // The lines of the log since the last call.
  std::vector<std::string> TakeLines();

 private:
  void* Target(int function) const;
  void MakeTable();

  const PJRT_Api* plugin_;
  const int minor_;
  std::unique_ptr<Layer> layer_;
  std::map<int, Function> answers_;
  PJRT_Api api_{};
  std::vector<std::unique_ptr<char[]>> extensions_;
  mutable std::atomic<uint64_t> num_calls_{0};
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_TESTING_TABLE_CHAIN_H_
