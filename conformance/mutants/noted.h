// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_NOTED_H_
#define PLINTH_CONFORMANCE_MUTANTS_NOTED_H_

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"

// What a mutant remembers of handles.
namespace plinth::mutants {

// Handles with something that is remembered of them until they are destroyed.
template <typename Handle, typename Value>
std::map<Handle*, Value>& Noted() {
  static auto* const noted = new std::map<Handle*, Value>;
  return *noted;
}
template <typename Value, typename Handle>
void Note(Handle* handle, Value value) {
  std::lock_guard<std::mutex> lock(Memory());
  Noted<Handle, Value>()[handle] = std::move(value);
}
template <typename Value, typename Handle>
Value NoteOf(Handle* handle) {
  std::lock_guard<std::mutex> lock(Memory());
  auto found = Noted<Handle, Value>().find(handle);
  return found == Noted<Handle, Value>().end() ? Value{} : found->second;
}
template <typename Value>
void ForgetBuffers(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<PJRT_Buffer, Value>().erase(a.buffer);
  });
}
template <typename Value>
void ForgetExecutables(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<PJRT_LoadedExecutable, Value>().erase(a.executable);
  });
}

// Whose device it is, in a table that remembers it.
inline PJRT_Client* ClientOf(PJRT_Device* device) { return NoteOf<PJRT_Client*>(device); }
inline void RememberClientsOfDevices(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(table, [](auto& created) {
    auto args = MakeArgs<PJRT_Client_AddressableDevices_Args>();
    args.client = created.client;
    Quiet<&PJRT_Api::PJRT_Client_AddressableDevices>(args);
    for (size_t i = 0; i < args.num_addressable_devices; ++i)
      Note<PJRT_Client*>(args.addressable_devices[i], created.client);
  });
}

// Handles of which one thing is remembered: that they are the ones.
template <typename Handle>
std::set<Handle*>& Marked() {
  static auto* const marked = new std::set<Handle*>;
  return *marked;
}
template <typename Handle>
void Mark(Handle* handle) {
  std::lock_guard<std::mutex> lock(Memory());
  Marked<Handle>().insert(handle);
}
template <typename Handle>
bool IsMarked(Handle* handle) {
  std::lock_guard<std::mutex> lock(Memory());
  return Marked<std::remove_const_t<Handle>>().contains(
      const_cast<std::remove_const_t<Handle>*>(handle));
}
template <typename Handle>
void Unmark(Handle* handle) {
  std::lock_guard<std::mutex> lock(Memory());
  Marked<Handle>().erase(handle);
}
// Bytes of a caller, and what they were.
struct Bytes {
  const char* at = nullptr;
  std::string were;
};

// Changes the bytes of a buffer that are there.
template <typename Change>
void ChangeBytes(PJRT_Buffer* buffer, Change change) {
  if (buffer == nullptr || IsPending(buffer)) return;
  size_t size = SizeOf(buffer);
  char* bytes = size == 0 ? nullptr : BytesOf(buffer);
  if (bytes != nullptr) change(bytes, size);
}

// Overwrites what is there.
inline void Clear(PJRT_Buffer* buffer) {
  if (buffer == nullptr || IsDeleted(buffer) || IsPending(buffer) || SizeOf(buffer) == 0) return;
  if (char* bytes = BytesOf(buffer)) std::memset(bytes, 0x5A, SizeOf(buffer));
}

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_NOTED_H_
