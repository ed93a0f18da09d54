// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_MISUSE_MISUSE_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_MISUSE_MISUSE_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a wrong program begins with. All of it works; what a program frees it sets to null, and the
// rest is freed after it.
typedef struct World {
  const PJRT_Api* api;
  PJRT_Client* client;
  PJRT_Client* other_client;
  PJRT_Device* device;  // of client
  PJRT_Memory* memory;
  PJRT_Device* other_device;  // of other_client
  PJRT_Memory* other_memory;
  PJRT_LoadedExecutable* executable;      // f32[4] -> f32[4]
  PJRT_LoadedExecutable* donating;        // the same, and donates its argument
  PJRT_LoadedExecutable* donating_first;  // f32[4], f32[4] -> f32[4], and donates the first
  PJRT_Buffer* buffer;                    // f32[4]
  PJRT_Buffer* other_buffer;              // the same, of other_client
} World;

// One wrong program, with the options of the layer under which it runs.
typedef struct Misuse {
  const char* name;
  void (*run)(World* world);
  const char* options;
} Misuse;

extern const Misuse kMisuses[];
extern const int kNumMisuses;

#ifdef __cplusplus
}
#endif

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_MISUSE_MISUSE_H_
