// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_TARGET_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_TARGET_H_

#include "reference_plugin/compiler/target.h"

namespace plinth::cpu {

// What this back end tells the compiler. The numbers were measured on x86-64 servers; they are the
// same on every machine, so that a program compiles to the same plan everywhere.
extern const compiler::Target kTarget;

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_TARGET_H_
