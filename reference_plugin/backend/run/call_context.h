// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_CALL_CONTEXT_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_CALL_CONTEXT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "plinth/support/small_vector.h"
#include "reference_plugin/backend/host/storage.h"

namespace plinth::backend {

struct Runtime;

// What custom calls may ask about the execution that they are part of. One per execution, whose
// thread alone uses it, but for what foreign code may ask for from any thread: memory and threads.
struct CallContext {
  // Data that the framework gave the execution, by the id of its type. What it points at lives
  // until the execution has told that it is over.
  struct UserData {
    int64_t type_id;
    void* data;
  };

  // Null if there is none of that type.
  void* FindUserData(int64_t type_id) const {
    for (const UserData& entry : user_data) {
      if (entry.type_id == type_id) return entry.data;
    }
    return nullptr;
  }

  std::shared_ptr<Runtime> runtime;  // what foreign code asked for may outlive the execution
  SmallVector<UserData, 2> user_data;
  int64_t run_id = 0;  // unique in the process
  int32_t device_ordinal = 0;

  std::mutex mutex;
  std::map<const void*, StoragePtr> allocations;  // what foreign code has not given back; guarded
  // What steps keep from one run to the next within the execution, by step. Goes first: its
  // deleters may wait for work that uses the allocations.
  std::map<const void*, std::shared_ptr<void>> step_states;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_CALL_CONTEXT_H_
