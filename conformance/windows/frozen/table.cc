// SPDX-License-Identifier: Apache-2.0
// The table of a plugin frozen at one revision: exactly as long as it was then, and every call of
// it crosses to the plugin behind.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "conformance/windows/frozen/behind.h"
#include "conformance/windows/frozen/crossing.h"
#include "conformance/windows/frozen/handles.h"
#include "conformance/windows/frozen/revision.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/error.h"
#include "plinth/support/extension_chain.h"

namespace plinth::windows {
namespace {

using Call = PJRT_Error* (*)(void* args);

constexpr size_t kFirstSlot = offsetof(PJRT_Api, PJRT_Error_Destroy);
constexpr size_t kExtensionSlots = 64;

struct Instance {
  Expected<const PJRT_Api*> behind = FailedPrecondition("not loaded");
  std::array<Call, kPjrtFunctionCount> slots{};         // of the plugin behind
  std::array<Call, kExtensionSlots> extension_slots{};  // of its extensions
  size_t extension_slot_count = 0;
  const PJRT_Api* table = nullptr;
};

// Made once and never destroyed; the table is used until the process ends.
Instance* instance = nullptr;

PJRT_Error* Cross(int slot, void* args) {
  try {
    if (!instance->behind.ok()) return ErrorToCaller(MakeError(instance->behind.status()));
    Crossing crossing(kRevision.structs[kRevision.functions[slot].args], args);
    if (Status status = crossing.Enter(); !status.ok()) return ErrorToCaller(MakeError(status));
    PJRT_Error* error = instance->slots[static_cast<size_t>(slot)](crossing.args());
    if (error != nullptr) return ErrorToCaller(error);
    return ErrorToCaller(MakeError(crossing.Leave()));
  } catch (const std::bad_alloc&) {
    return ErrorToCaller(
        MakeError(ResourceExhausted(kRevision.functions[slot].name, ": out of host memory")));
  }
}

template <int kSlot>
PJRT_Error* Slot(void* args) {
  return Cross(kSlot, args);
}

// No argument struct of an extension that is passed on ever grew or holds a converted handle.
template <size_t kSlot>
PJRT_Error* ExtensionSlot(void* args) {
  return ErrorToCaller(instance->extension_slots[kSlot](args));
}

// The two functions that return nothing work without a plugin behind, so that its absence can be
// told.
void ErrorDestroy(PJRT_Error_Destroy_Args* args) {
  if (args->struct_size < PJRT_Error_Destroy_Args_STRUCT_SIZE) return;
  PJRT_Error* error = TakeFromCaller(args->error);
  if (error != nullptr) error->vtable->destroy(error);
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  if (args->struct_size < PJRT_Error_Message_Args_STRUCT_SIZE) return;
  const PJRT_Error* error = ErrorFromCaller(args->error);
  error->vtable->message(error, &args->message, &args->message_size);
}

PJRT_Error* ErrorGetCode(PJRT_Error_GetCode_Args* args) {
  constexpr size_t kSize = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  if (args->struct_size < kSize) {
    return ErrorToCaller(MakeError(InvalidArgument(
        "Unexpected PJRT_Error_GetCode_Args size: expected ", kSize, ", got ", args->struct_size)));
  }
  const PJRT_Error* error = ErrorFromCaller(args->error);
  args->code = error->vtable->get_code(error);
  return nullptr;
}

template <int... kSlots>
constexpr std::array<Call, sizeof...(kSlots)> SlotsOf(std::integer_sequence<int, kSlots...>) {
  return {&Slot<kSlots>...};
}
template <size_t... kSlots>
constexpr std::array<Call, sizeof...(kSlots)> ExtensionSlotsOf(std::index_sequence<kSlots...>) {
  return {&ExtensionSlot<kSlots>...};
}

// Memory of `size` bytes that ends where a page ends that nobody may touch: reading past the table
// ends the process.
void* GuardedBytes(size_t size) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t used = (size + page - 1) / page * page;
  void* pages =
      mmap(nullptr, used + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  char* end = static_cast<char*>(pages) + used;
  mprotect(end, page, PROT_NONE);
  return end - size;
}

// Copies of the extensions that the revision knew, each as long as it was then.
PJRT_Extension_Base* MakeExtensions(Instance& made, const PJRT_Api& behind) {
  static constexpr auto kSlots = ExtensionSlotsOf(std::make_index_sequence<kExtensionSlots>());
  std::vector<PJRT_Extension_Base*> chain;
  for (int i = 0; i < kRevision.extension_count; ++i) {
    const Extension& known = kRevision.extensions[i];
    const PJRT_Extension_Base* source = FindExtension(behind.extension_start, known.type);
    if (source == nullptr) continue;
    const size_t size = std::min<size_t>(known.size, source->struct_size);
    void* bytes = GuardedBytes(size);
    if (bytes == nullptr) continue;
    std::memcpy(bytes, source, size);
    auto* node = static_cast<PJRT_Extension_Base*>(bytes);
    node->struct_size = size;
    for (size_t offset = sizeof(*node); offset + sizeof(Call) <= size; offset += sizeof(Call)) {
      auto* slot = reinterpret_cast<Call*>(static_cast<char*>(bytes) + offset);
      if (*slot == nullptr || made.extension_slot_count == kExtensionSlots) continue;
      made.extension_slots[made.extension_slot_count] = *slot;
      *slot = kSlots[made.extension_slot_count++];
    }
    chain.push_back(node);
  }
  return LinkExtensions(chain);
}

const PJRT_Api* MakeTable(Instance& made) {
  static constexpr auto kSlots = SlotsOf(std::make_integer_sequence<int, kPjrtFunctionCount>());
  const size_t size = kFirstSlot + sizeof(Call) * static_cast<size_t>(kRevision.function_count);
  auto* bytes = static_cast<char*>(GuardedBytes(size));
  if (bytes == nullptr) return nullptr;
  auto* table = reinterpret_cast<PJRT_Api*>(bytes);
  table->struct_size = size;
  table->pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  // A plugin of a major version that does not exist yet, if a test asks for it.
  const char* major = std::getenv("PLINTH_FROZEN_MAJOR");
  table->pjrt_api_version.major_version = major == nullptr ? kPjrtMajor : std::atoi(major);
  table->pjrt_api_version.minor_version = kRevision.minor;
  for (int slot = 0; slot < kRevision.function_count; ++slot) {
    const size_t offset = kFirstSlot + sizeof(Call) * static_cast<size_t>(slot);
    Call call = kSlots[static_cast<size_t>(slot)];
    if (made.behind.ok()) {
      Call& target = made.slots[static_cast<size_t>(slot)];
      std::memcpy(&target, reinterpret_cast<const char*>(*made.behind) + offset, sizeof(target));
      if (target == nullptr) call = nullptr;
    }
    std::memcpy(bytes + offset, &call, sizeof(call));
  }
  table->PJRT_Error_Destroy = &ErrorDestroy;
  table->PJRT_Error_Message = &ErrorMessage;
  table->PJRT_Error_GetCode = &ErrorGetCode;
  if (made.behind.ok()) table->extension_start = MakeExtensions(made, **made.behind);
  return table;
}

const PJRT_Api* MakeInstance() {
  auto* made = new Instance();
  made->behind = PluginBehind();
  made->table = MakeTable(*made);
  instance = made;
  return made->table;
}

}  // namespace
}  // namespace plinth::windows

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api* const table = plinth::windows::MakeInstance();
  return table;
}
