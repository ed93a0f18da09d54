// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_COMPILE_OPTIONS_H_
#define PLINTH_PROGRAM_COMPILE_OPTIONS_H_

#include "plinth/support/xla_messages.h"

// The messages that come with a program.
namespace plinth::program {

using messages::CompileOptions;
using messages::OpSharding;
using messages::UnknownField;
using plinth::DeviceAssignment;

using messages::ReadCompileOptions;
using messages::ReadDeviceAssignment;
using messages::ReadOpSharding;
using messages::WriteCompileOptions;
using messages::WriteDeviceAssignment;
using messages::WriteOpSharding;

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_COMPILE_OPTIONS_H_
