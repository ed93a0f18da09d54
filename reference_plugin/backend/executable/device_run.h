// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_DEVICE_RUN_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_DEVICE_RUN_H_

#include <memory>
#include <vector>

#include "plinth/sdk/event.h"
#include "reference_plugin/backend/executable/contents.h"
#include "reference_plugin/backend/executable/launch.h"
#include "reference_plugin/backend/run/call_context.h"
#include "reference_plugin/backend/run/prepared_program.h"

namespace plinth::backend {

// One run of a program on a device that works through a queue of its own.
struct DeviceRunRequest {
  std::shared_ptr<const PreparedProgram> program;
  std::vector<ExecutionInput> inputs;
  Lane lane;
  std::unique_ptr<CallContext> call;  // null if the program calls nothing by name
};

// What it gives, at once: contents that are placed when everything is enqueued and ready when the
// device is done; with the run's error if it fails, but for tokens.
struct DeviceRun {
  std::vector<ContentsPtr> outputs;
  sdk::Event done;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_DEVICE_RUN_H_
