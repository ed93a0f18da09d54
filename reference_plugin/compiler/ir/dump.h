// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_DUMP_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_DUMP_H_

#include <functional>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::compiler {

// Writes the stages of one compilation as text files "<directory>/<module>-<n>.<nn>.<stage>.txt",
// the n-th compilation of this process, when a compile option or the environment variable
// PLINTH_DUMP names a directory; privileged processes ignore the variable. A file that cannot be
// written is left out; status() tells of the first. Used by one thread.
class Dumper {
 public:
  // Reads PLINTH_DUMP.
  explicit Dumper(std::string_view module_name);
  // Into that directory, which is made if it does not exist; disabled when it is empty.
  Dumper(std::string_view module_name, std::string_view directory);

  bool enabled() const { return !prefix_.empty(); }
  // `text` is only called when enabled.
  void Dump(std::string_view stage, const std::function<std::string()>& text);
  // INVALID_ARGUMENT, naming file and reason, if a file could not be written.
  const Status& status() const { return status_; }

 private:
  std::string prefix_;
  int next_ = 0;
  Status status_;
};

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_DUMP_H_
