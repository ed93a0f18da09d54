// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_REFERENCE_DEVICE_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_REFERENCE_DEVICE_STEP_H_

#include <memory>

#include "plinth/reference/device.h"
#include "reference_plugin/backend/run/backend.h"

namespace plinth::reference {

// Runs the steps that the device takes.
backend::Engine DeviceEngine(const std::shared_ptr<const Device>& device);

}  // namespace plinth::reference

#endif  // PLINTH_REFERENCE_PLUGIN_REFERENCE_DEVICE_STEP_H_
