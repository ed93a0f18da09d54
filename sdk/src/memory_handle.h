// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_MEMORY_HANDLE_H_
#define PLINTH_SDK_SRC_MEMORY_HANDLE_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/sdk/device.h"

namespace plinth::sdk::internal {

// What a framework stored under a key of its own. Entries are never removed, so that looking up
// needs no lock: it happens for every result of every execution.
struct UserData {
  UserData* next;
  const void* key;
  std::atomic<void*> data;
  void (*deleter)(void*);  // Under MemoryHandle::user_data_mutex.
};

// What stands behind a PJRT_Memory: it begins with the function table of 0.105.
struct MemoryHandle : PJRT_Memory {
  MemoryHandle(Memory* memory, uint32_t generation);
  ~MemoryHandle();

  Memory* const memory;
  const uint32_t generation;
  std::vector<PJRT_Device*> devices;
  std::atomic<UserData*> user_data{nullptr};
  std::mutex user_data_mutex;  // For writers.
};

inline MemoryHandle* FromC(PJRT_Memory* memory) { return static_cast<MemoryHandle*>(memory); }

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_MEMORY_HANDLE_H_
