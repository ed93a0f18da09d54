// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_CHILD_PROCESS_H_
#define PLINTH_IMPL_LOADER_CHILD_PROCESS_H_

#include <chrono>
#include <string>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::loader {

struct ChildRequest {
  std::vector<std::string> command;  // The first is the path of the program.
  bool empty_environment = false;
  std::string input;    // What it reads from descriptor 0.
  int result_file = 3;  // The descriptor that it writes its result to; 1: its standard output.
  std::chrono::milliseconds timeout{};
};

struct ChildResult {
  std::string output;  // What it wrote to that descriptor.
  std::string errors;  // The end of what else it wrote to standard output and error.
  bool timed_out = false;
  int signal = 0;      // That ended it; 0: none, or not known.
  int exit_code = -1;  // -1: it did not exit, or a handler of the process took the answer away.
  std::chrono::milliseconds elapsed{};
};

// Runs a program in a process group of its own and waits for its end or the deadline, after which
// the group is killed: nothing of it is left running, but what left the group (setsid) may be.
// Fails if it cannot be started. Any thread.
Expected<ChildResult> RunChild(const ChildRequest& request);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_CHILD_PROCESS_H_
