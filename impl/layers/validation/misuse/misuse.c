// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/misuse/misuse.h"

#include "impl/layers/validation/misuse/programs.h"

#define PLINTH_ERROR(name) {#name, &name, "mode=error"},
#define PLINTH_LOG(name) {#name, &name, "mode=log"},

const Misuse kMisuses[] = {PLINTH_MISUSES(PLINTH_ERROR, PLINTH_LOG)};
const int kNumMisuses = sizeof(kMisuses) / sizeof(kMisuses[0]);
