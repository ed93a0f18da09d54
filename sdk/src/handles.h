// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_HANDLES_H_
#define PLINTH_SDK_SRC_HANDLES_H_

#include <memory>
#include <string>
#include <utility>

#include "plinth/sdk/client.h"
#include "plinth/sdk/topology.h"
#include "sdk/src/client_core.h"
#include "sdk/src/generation.h"
#include "sdk/src/memory_handle.h"

// The structs behind the opaque handles of the C ABI. Buffers, devices, descriptions, loaded
// executables, topologies and the like are the author's objects themselves; the rest is here.

struct PJRT_Event {
  explicit PJRT_Event(plinth::sdk::Event e)
      : event(std::move(e)), generation(plinth::sdk::internal::CurrentGeneration()) {}
  plinth::sdk::Event event;
  uint32_t generation;
  std::unique_ptr<plinth::sdk::EventSource> source;  // Only of events that the caller sets.
};

struct PJRT_Executable {
  std::shared_ptr<const plinth::sdk::Executable> executable;
  uint32_t generation = plinth::sdk::internal::CurrentGeneration();
};

struct PJRT_FulfillAliasBufferCallback {
  std::function<plinth::Status(plinth::Expected<plinth::sdk::Buffer*>)> fulfill;
  std::shared_ptr<plinth::sdk::internal::AliasLink> link;
  uint32_t generation = plinth::sdk::internal::CurrentGeneration();
};

// Bytes that a caller frees with the deleter it was given.
struct PJRT_SerializedExecutable {
  std::string bytes;
};
struct PJRT_SerializedCompileOptions {
  std::string bytes;
};
struct PJRT_SerializedTopology {
  std::string bytes;
};
struct PJRT_DeviceAssignmentSerialized {
  std::string bytes;
};
struct PJRT_Device_Attributes {
  // The attributes belong to the device; this only makes the deleter's argument non-null.
  const plinth::NamedValueArray* attributes;
};

namespace plinth::sdk::internal {

// Objects that are their own handle. The pointer is always that of the class named here, whatever
// the author derived from it.
#define PLINTH_HANDLE_CAST(CType, Type)                                         \
  inline CType* ToC(Type* object) { return reinterpret_cast<CType*>(object); }  \
  inline Type* FromC(CType* handle) { return reinterpret_cast<Type*>(handle); } \
  inline const Type* FromC(const CType* handle) { return reinterpret_cast<const Type*>(handle); }
PLINTH_HANDLE_CAST(PJRT_Client, ClientCore)
PLINTH_HANDLE_CAST(PJRT_Device, Device)
PLINTH_HANDLE_CAST(PJRT_DeviceDescription, DeviceDescription)
PLINTH_HANDLE_CAST(PJRT_LoadedExecutable, LoadedExecutable)
PLINTH_HANDLE_CAST(PJRT_TopologyDescription, Topology)
PLINTH_HANDLE_CAST(PJRT_AsyncHostToDeviceTransferManager, AsyncHostToDeviceTransferManager)
PLINTH_HANDLE_CAST(PJRT_AsyncTrackingEvent, AsyncTrackingEvent)
PLINTH_HANDLE_CAST(PJRT_ExecuteContext, ExecuteContext)
PLINTH_HANDLE_CAST(PJRT_CopyToDeviceStream, CopyToDeviceStream)
#undef PLINTH_HANDLE_CAST

using sdk::FromC;
using sdk::ToC;
inline PJRT_Event* FromC(PJRT_Event* event) { return event; }
inline const PJRT_Executable* FromC(const PJRT_Executable* executable) { return executable; }
inline PJRT_FulfillAliasBufferCallback* FromC(PJRT_FulfillAliasBufferCallback* callback) {
  return callback;
}

inline uint32_t GenerationOf(const ClientCore& object) { return object.generation; }
inline uint32_t GenerationOf(const DeviceDescription& object) { return object.generation(); }
inline uint32_t GenerationOf(const Handle& object) { return object.generation; }
inline uint32_t GenerationOf(const MemoryHandle& object) { return object.generation; }
inline uint32_t GenerationOf(const PJRT_Event& object) { return object.generation; }
inline uint32_t GenerationOf(const PJRT_Executable& object) { return object.generation; }
inline uint32_t GenerationOf(const PJRT_FulfillAliasBufferCallback& object) {
  return object.generation;
}

// Ends an object that keeps its client alive. In a child of the process that made it nothing is
// freed: destructors could wait for threads that do not exist here.
template <typename T>
void DestroyHandle(T* object) {
  if (object == nullptr || GenerationOf(*object) != CurrentGeneration()) return;
  ClientCore* core = object->core;
  delete object;
  if (core != nullptr) core->Unref();
}

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_HANDLES_H_
