// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_LEAK_WORKS_H_
#define PLINTH_CONFORMANCE_CASES_LEAK_WORKS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases/subject.h"
#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

// Pieces of work that leave nothing behind.
namespace plinth::conformance::leaks {

// What work needs that is made once.
struct Made {
  OwnedLoadedExecutable add, donating;
  OwnedExecutable executable;
  OwnedBuffer buffer, wrong;
  PJRT_Device* device = nullptr;
  PJRT_Memory* memory = nullptr;
  PJRT_TopologyDescription* topology = nullptr;
  std::string serialized;
  // Of the calls of single functions.
  std::unique_ptr<Subject> subject;
  int number = -1;
  bool was_taken = false;
};

struct Work {
  std::string name;
  int rounds;
  std::function<Status(Context&, Made&)> run;
};

Expected<OwnedBuffer> UploadFour(Context& context);
std::vector<Work> AllWork();
// False, with a finding, where something cannot be made.
bool Make(Context& context, Made& made);

}  // namespace plinth::conformance::leaks

#endif  // PLINTH_CONFORMANCE_CASES_LEAK_WORKS_H_
