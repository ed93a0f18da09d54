// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_COMPILER_COMPILER_H_
#define PLINTH_COMPILER_COMPILER_H_

// The compiler, for a back end outside of this project: a program as plinth::program reads it and a
// compiler::Target become a compiler::plan::Plan, or on the way a Schedule.
// docs/extending/back-end.md explains them. Unstable: these headers follow the compiler, and
// releases change them.
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/compiler/target.h"

#endif  // PLINTH_COMPILER_COMPILER_H_
