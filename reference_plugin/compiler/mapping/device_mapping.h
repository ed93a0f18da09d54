// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_DEVICE_MAPPING_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_DEVICE_MAPPING_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::mapping {

// Whether one device can run the module, which is the only mapping there is. UNIMPLEMENTED names
// what needs several: the numbers of replicas and partitions, or a collective among other devices
// than the first.
Status CheckSingleDevice(const Module& module);

}  // namespace plinth::compiler::mapping

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_DEVICE_MAPPING_H_
