// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_ONE_DEVICE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_ONE_DEVICE_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::mapping {

// Takes out of a module for one device what only means something among several: meshes, shardings,
// collectives, the numbers of replica and partition. What cannot be taken out stays. Whether it
// changed anything.
bool MapToOneDevice(Module& module);

}  // namespace plinth::compiler::mapping

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_ONE_DEVICE_H_
