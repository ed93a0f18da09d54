// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_HANDLE_MAP_H_
#define PLINTH_IMPL_LAYERS_REPLAY_HANDLE_MAP_H_

#include <cstdint>
#include <map>

namespace plinth::layers {

// A handle of the plugin under replay, by its number in the capture.
struct ReplayedHandle {
  void* handle = nullptr;
  int type = -1;          // index in reflection::Handles()
  bool is_owned = false;  // the replay has to destroy it
  uint64_t call = 0;      // that made it, by number
  int function = -1;      // of that call, index in reflection::Functions()
  int device = -1;        // for results of executions
  int output = -1;
};

// Ordered: handles that were made later have larger numbers.
using HandleMap = std::map<uint64_t, ReplayedHandle>;

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_HANDLE_MAP_H_
