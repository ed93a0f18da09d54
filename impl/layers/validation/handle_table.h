// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_HANDLE_TABLE_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_HANDLE_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace plinth::layers::validation {

// A call as a report names it: its number among all calls of the layer, and its function as an
// index in reflection::Functions().
struct Origin {
  uint64_t call = 0;
  int16_t function = -1;
};

enum HandleFlag : uint32_t {
  kAlive = 1 << 0,
  kOwned = 1 << 1,      // the caller frees it
  kDeleted = 1 << 2,    // PJRT_Buffer_Delete, PJRT_LoadedExecutable_Delete
  kDonated = 1 << 3,    // to an execution, or by PJRT_Buffer_DonateWithControlDependency
  kReady = 1 << 4,      // an event that has been seen complete
  kUserEvent = 1 << 5,  // made by PJRT_Event_Create
  kSet = 1 << 6,        // an event that was set, an alias that was fulfilled
  kDonates = 1 << 7,    // an executable seen to donate arguments
  kKeeps = 1 << 8,      // an executable seen to donate none
};

enum HandleCount : int {
  kOutputs,     // of an executable
  kParameters,  // of a loaded executable
  kDevices,     // of a client or loaded executable
  kReferences,  // external ones of a buffer
  kBuffers,     // of a transfer manager
  kNumHandleCounts,
};

inline constexpr int kNumAnswers = 10;

struct Handle;

// A handle in one of its lives.
struct HandleRef {
  Handle* handle;
  uint32_t generation;

  explicit operator bool() const { return handle != nullptr; }
  inline bool IsCurrent() const;
};

// What is known of one address as a handle of one kind. Lives for ever once made, so that a pointer
// to it may be read at any time; used again for the next handle at the address. Whoever keeps a
// pointer keeps the generation too: it moves on when the handle is freed.
struct Handle {
 private:
  std::atomic<uintptr_t> address_{0};
  std::atomic<int16_t> kind_{-1};

 public:
  uint8_t shard = 0;  // whose lock it is; never changes

  uintptr_t address() const { return address_.load(std::memory_order_relaxed); }
  const void* pointer() const { return reinterpret_cast<const void*>(address()); }
  int kind() const { return kind_.load(std::memory_order_relaxed); }  // in reflection::Handles()
  // A record may become that of another handle of its shard while others still look at it.
  void Become(int kind, uintptr_t address) {
    kind_.store(static_cast<int16_t>(kind), std::memory_order_relaxed);
    address_.store(address, std::memory_order_relaxed);
  }

  std::atomic<uint32_t> flags{0};
  std::atomic<uint32_t> generation{0};
  std::atomic<uint32_t> client_generation{0};
  std::atomic<uint32_t> parent_generation{0};
  std::atomic<Handle*> client{nullptr};
  std::atomic<Handle*> parent{nullptr};  // it is dead when that is

  std::array<std::atomic<uint32_t>, kNumAnswers> answers;  // hashes; 0: not asked yet
  std::array<std::atomic<int64_t>, kNumHandleCounts> counts;

  // Guarded by the lock of the shard.
  int holds = 0;  // times that it was handed out to be freed
  Origin created;
  Origin freed;
  Origin deleted;  // or donated, or set

  bool Has(HandleFlag flag) const { return (flags.load(std::memory_order_relaxed) & flag) != 0; }
  void Add(uint32_t more) { flags.fetch_or(more, std::memory_order_relaxed); }
};

bool HandleRef::IsCurrent() const {
  return handle != nullptr && handle->generation.load(std::memory_order_acquire) == generation;
}

// What a look at a handle found; in two registers.
struct Sight {
  Handle* handle;  // null: nothing was ever known at that address
  uint32_t generation;
  uint32_t flags;  // kAlive only if what it lives with is alive too

  bool alive() const { return (flags & kAlive) != 0; }
  HandleRef ref() const { return {handle, generation}; }
  HandleRef client() const {
    return {handle->client.load(std::memory_order_relaxed),
            handle->client_generation.load(std::memory_order_relaxed)};
  }
};

namespace table_internal {

// Address and kind in one word: no address of user space has more than 56 bits.
inline uint64_t KeyOf(int kind, uintptr_t address) {
  return (static_cast<uint64_t>(address) << 8) | static_cast<uint8_t>(kind + 1);
}

inline uint64_t Mix(uint64_t key) {
  key *= 0x9E3779B97F4A7C15u;
  return key ^ (key >> 32);
}

inline Sight Look(Handle& handle) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  uint32_t flags = handle.flags.load(std::memory_order_acquire);
  uint32_t generation = handle.generation.load(kRelaxed);
  const Handle* parent = handle.parent.load(kRelaxed);
  bool is_orphan = parent != nullptr && parent->generation.load(std::memory_order_acquire) !=
                                            handle.parent_generation.load(kRelaxed);
  return {&handle, generation, is_orphan ? flags & ~uint32_t{kAlive} : flags};
}

// For a few stores at a time.
class SpinLock {
 public:
  void lock() {
    while (is_held_.exchange(true, std::memory_order_acquire)) {
      for (int i = 0; is_held_.load(std::memory_order_relaxed); ++i) {
        if (i >= 64) std::this_thread::yield();
      }
    }
  }
  void unlock() { is_held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_held_{false};
};

struct Slot {
  std::atomic<uint64_t> key{0};
  std::atomic<Handle*> handle{nullptr};
};

// Slots of one size, a power of two.
struct Slots {
  explicit Slots(size_t size) : mask(size - 1), slots(std::make_unique<Slot[]>(size)) {}
  size_t size() const { return mask + 1; }

  Handle* Find(uint64_t key, uint64_t hash) const {
    // Never full; the bound is for a reader whose slots are being filled anew.
    for (size_t i = hash & mask, n = 0; n <= mask; i = (i + 1) & mask, ++n) {
      uint64_t found = slots[i].key.load(std::memory_order_acquire);
      if (found == key) return slots[i].handle.load(std::memory_order_acquire);
      if (found == 0) return nullptr;
    }
    return nullptr;
  }

  const size_t mask;
  const std::unique_ptr<Slot[]> slots;
};

// A writer holds the lock; a reader holds nothing and reads again if the slots were being filled
// anew meanwhile, which `version` tells by being odd or another one.
struct alignas(64) ShardHead {
  std::atomic<Slots*> slots{nullptr};
  std::atomic<uint32_t> version{0};
  mutable SpinLock lock;

  Handle* Find(uint64_t key, uint64_t hash) const {
    uint32_t before = version.load(std::memory_order_acquire);
    Handle* handle = slots.load(std::memory_order_acquire)->Find(key, hash);
    if ((before & 1) == 0 && version.load(std::memory_order_relaxed) == before) [[likely]] {
      return handle;
    }
    return FindLocked(key, hash);
  }

  Handle* FindLocked(uint64_t key, uint64_t hash) const;
};

}  // namespace table_internal

// The history of a handle, for a report.
struct History {
  uint32_t flags = 0;
  Origin created, freed, deleted;
  Handle* parent = nullptr;
  bool parent_is_gone = false;
  Origin parent_freed;
};

struct NewHandle {
  bool owned = false;
  HandleRef client = {};
  HandleRef parent = {};
  Origin origin;
};

// Every handle that went through the layer, by kind and address. Any thread. Finding one takes no
// lock; nothing here calls out while a lock is held, except the visitor of ForEach.
class HandleTable {
 public:
  // Of the dead a part is forgotten when one of the shards has more than `dead_kept` of them.
  explicit HandleTable(size_t dead_kept = 4096);
  ~HandleTable();
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  Sight Find(int kind, uintptr_t address) const {
    uint64_t key = table_internal::KeyOf(kind, address);
    uint64_t hash = table_internal::Mix(key);
    Handle* handle = heads_[IndexOf(hash)].Find(key, hash);
    if (handle == nullptr) return {};
    Sight sight = table_internal::Look(*handle);
    // The record of a dead handle may have become another's since it was found.
    return handle->address() == address && handle->kind() == kind ? sight : Sight{};
  }

  // Adds a handle, or begins its next life; `was_alive` tells whether it was known and alive, in
  // which case one that is owned gets one more hold and nothing else changes.
  Sight Register(int kind, uintptr_t address, const NewHandle& values, bool* was_alive);

  // Ends the life of a handle, or takes away one hold; false if it was not alive any more.
  bool Free(const HandleRef& ref, Origin origin);
  // Takes Free back, for a call that failed.
  void Revive(const HandleRef& freed);

  void MarkDeleted(const HandleRef& ref, HandleFlag flag, Origin origin);
  History HistoryOf(const Handle* handle) const;

  // The kind of a living handle, else of any, at that address; -1 if there is none.
  int KindAt(uintptr_t address, int num_kinds) const;

  void ForEach(const std::function<void(const Handle&)>& visit) const;

 private:
  struct Shard;
  table_internal::SpinLock& LockOf(const Handle& handle) const { return heads_[handle.shard].lock; }

  // The low bits of the hash choose the slot, higher ones the shard.
  static size_t IndexOf(uint64_t hash) { return (hash >> 24) % kNumShards; }

  static constexpr size_t kNumShards = 64;
  std::array<table_internal::ShardHead, kNumShards> heads_;
  std::unique_ptr<Shard[]> shards_;  // of the same index as their heads
};

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_HANDLE_TABLE_H_
