// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_FROZEN_CROSSING_H_
#define PLINTH_CONFORMANCE_WINDOWS_FROZEN_CROSSING_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "conformance/windows/frozen/callbacks.h"
#include "conformance/windows/frozen/revision.h"
#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::windows {

// One struct of a caller on its way to the plugin behind, and back: a copy of what the frozen
// revision holds, with a guard behind it, so that nothing newer is ever read or written.
class Crossing {
 public:
  Crossing(const Struct& description, void* caller);
  ~Crossing();
  Crossing(const Crossing&) = delete;
  Crossing& operator=(const Crossing&) = delete;

  // Checks what the caller sent, as strictly as plugins of that time do, and makes the copy.
  Status Enter();

  // After Enter: what the plugin behind gets.
  void* args() { return bytes_; }

  // After a call that succeeded: gives the caller what was written.
  Status Leave();

 private:
  template <typename T>
  T& At(size_t offset) {
    return *reinterpret_cast<T*>(bytes_ + offset);
  }
  // Puts another pointer in place of the caller's until Leave.
  void Replace(size_t offset, void* pointer);
  Status EnterField(const Field& field);
  Status LeaveField(const Field& field);
  Status CheckType(int type) const;
  Status CheckShapeSpecs(const Field& field);
  void AddHeads(const Field& field);

  static constexpr size_t kCapacity = 320;

  struct Replaced {
    size_t offset;
    void* original;
  };

  const Struct& description_;
  char* caller_;
  alignas(16) char bytes_[kCapacity];
  std::vector<Replaced> replaced_;
  std::vector<std::unique_ptr<Crossing>> nested_;
  std::vector<ReplacedCallback> callbacks_;
  std::vector<PJRT_ProcessInfo> process_infos_;
};

}  // namespace plinth::windows

#endif  // PLINTH_CONFORMANCE_WINDOWS_FROZEN_CROSSING_H_
