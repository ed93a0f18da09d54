// SPDX-License-Identifier: Apache-2.0
#include "conformance/windows/frozen/handles.h"

#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "conformance/windows/frozen/opaque.h"
#include "conformance/windows/frozen/revision.h"

namespace plinth::windows {
namespace {

bool ErrorsAreOpaque() { return kRevision.minor < kFirstMinorWithErrorHead; }
bool MemoriesAreOpaque() { return kRevision.minor < kFirstMinorWithMemoryHead; }

// Never destroyed: a caller may use its handles until the process ends.
OpaqueHandles& Errors() {
  static auto* handles = new OpaqueHandles();
  return *handles;
}
OpaqueHandles& Memories() {
  static auto* handles = new OpaqueHandles();
  return *handles;
}

}  // namespace

PJRT_Error* ErrorToCaller(PJRT_Error* error) {
  if (!ErrorsAreOpaque()) return error;
  return static_cast<PJRT_Error*>(Errors().Wrap(error, /*same=*/false));
}

PJRT_Error* ErrorFromCaller(const PJRT_Error* error) {
  if (!ErrorsAreOpaque()) return const_cast<PJRT_Error*>(error);
  return static_cast<PJRT_Error*>(Errors().Unwrap(error));
}

PJRT_Error* TakeFromCaller(const PJRT_Error* error) {
  if (!ErrorsAreOpaque()) return const_cast<PJRT_Error*>(error);
  return static_cast<PJRT_Error*>(Errors().Release(error));
}

PJRT_Memory* MemoryToCaller(PJRT_Memory* memory) {
  if (!MemoriesAreOpaque()) return memory;
  return static_cast<PJRT_Memory*>(Memories().Wrap(memory, /*same=*/true));
}

PJRT_Memory* MemoryFromCaller(const PJRT_Memory* memory) {
  if (!MemoriesAreOpaque()) return const_cast<PJRT_Memory*>(memory);
  return static_cast<PJRT_Memory*>(Memories().Unwrap(memory));
}

PJRT_Memory* const* MemoriesToCaller(PJRT_Memory* const* memories, size_t count) {
  if (!MemoriesAreOpaque()) return memories;
  static auto* mutex = new std::mutex();
  static auto* arrays = new std::set<std::vector<PJRT_Memory*>>();
  std::vector<PJRT_Memory*> wrapped(count);
  for (size_t i = 0; i < count; ++i) wrapped[i] = MemoryToCaller(memories[i]);
  std::lock_guard lock(*mutex);
  return arrays->insert(std::move(wrapped)).first->data();
}

}  // namespace plinth::windows
