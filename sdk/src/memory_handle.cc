// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/memory_handle.h"

namespace plinth::sdk::internal {
namespace {

UserData* FindUserData(MemoryHandle* memory, const void* key) {
  UserData* entry = memory->user_data.load(std::memory_order_acquire);
  while (entry != nullptr && entry->key != key) entry = entry->next;
  return entry;
}

void* GetUserData(PJRT_Memory* memory, const void* key) {
  if (memory == nullptr) return nullptr;
  UserData* entry = FindUserData(FromC(memory), key);
  return entry == nullptr ? nullptr : entry->data.load(std::memory_order_acquire);
}

// The replaced data is deleted after the lock was given back: its deleter may call anything.
void SetUserData(PJRT_Memory* memory, const void* key, void* data, void (*deleter)(void*)) {
  if (memory == nullptr) return;
  MemoryHandle* handle = FromC(memory);
  void* old_data = nullptr;
  void (*old_deleter)(void*) = nullptr;
  {
    std::lock_guard lock(handle->user_data_mutex);
    if (UserData* entry = FindUserData(handle, key)) {
      old_data = entry->data.exchange(data, std::memory_order_acq_rel);
      old_deleter = entry->deleter;
      entry->deleter = deleter;
    } else {
      auto* head = handle->user_data.load(std::memory_order_relaxed);
      handle->user_data.store(new UserData{head, key, data, deleter}, std::memory_order_release);
    }
  }
  if (old_data != nullptr && old_data != data && old_deleter != nullptr) old_deleter(old_data);
}

constexpr PJRT_Memory_FunctionTable kTable = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .extension_start = nullptr,
    .instance_struct_size = sizeof(PJRT_Memory),
    .get_user_data = &GetUserData,
    .set_user_data =
        [](PJRT_Memory* memory, const void* key, void* data, void (*deleter)(void*)) noexcept {
          try {
            SetUserData(memory, key, data, deleter);
          } catch (...) {
            // Without memory for the entry the data is as good as replaced at once.
            if (data != nullptr && deleter != nullptr) deleter(data);
          }
        },
};

}  // namespace

MemoryHandle::MemoryHandle(Memory* m, uint32_t g) : PJRT_Memory{&kTable}, memory(m), generation(g) {
  for (Device* device : memory->devices()) {
    devices.push_back(reinterpret_cast<PJRT_Device*>(device));
  }
}

MemoryHandle::~MemoryHandle() {
  UserData* entry = user_data.load(std::memory_order_acquire);
  while (entry != nullptr) {
    UserData* next = entry->next;
    void* data = entry->data.load(std::memory_order_relaxed);
    if (data != nullptr && entry->deleter != nullptr) entry->deleter(data);
    delete entry;
    entry = next;
  }
}

}  // namespace plinth::sdk::internal
