// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_PROCESSORS_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_PROCESSORS_H_

#include <vector>

namespace plinth::backend {

// How many processors the calling thread, and so a thread that it starts, may run on: fewer than
// the machine has under `taskset`, in a container's set of processors, and the like. At least 1.
int UsableProcessors();

// Numbers from 0 for these processors.
class ProcessorNumbers {
 public:
  ProcessorNumbers();

  // Of the processor on which the calling thread is at this moment; 0 of one that is not numbered.
  int Here() const;

 private:
  std::vector<int> number_of_;  // by the system's number
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_PROCESSORS_H_
