#ifndef PLINTH_IMPL_LAYERS_VALIDATION_HANDLE_TABLE_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_HANDLE_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

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
  kDevices,     // of a client or loaded executable
  kReferences,  // external ones of a buffer
  kBuffers,     // of a transfer manager
  kNumHandleCounts,
};

inline constexpr int kNumAnswers = 10;

// What is known of one address as a handle of one kind. Lives for ever once made, so that a pointer
// to it may be read at any time; used again for the next handle at the address. Whoever keeps a
// pointer keeps the generation too: it moves on when the handle is freed.
struct Handle {
  uintptr_t address = 0;
  int16_t kind = -1;                 // index in reflection::Handles()
  std::atomic<int16_t> used_by{-1};  // the function that entered last
  std::atomic<uint32_t> generation{0};
  std::atomic<uint32_t> flags{0};
  std::atomic<int32_t> in_flight{0};  // calls that use it now
  std::atomic<int32_t> holds{0};      // times that it was handed out to be freed

  // Guarded by the lock of the shard.
  Handle* client = nullptr;
  Handle* parent = nullptr;  // it is dead when that is
  uint32_t client_generation = 0;
  uint32_t parent_generation = 0;
  Origin created;
  Origin freed;
  Origin deleted;  // or donated, or set

  std::array<std::atomic<int64_t>, kNumHandleCounts> counts;
  std::array<std::atomic<uint32_t>, kNumAnswers> answers;  // hashes; 0: not asked yet

  bool Has(HandleFlag flag) const { return (flags.load(std::memory_order_relaxed) & flag) != 0; }
  void Add(uint32_t more) { flags.fetch_or(more, std::memory_order_relaxed); }
};

// A handle in one of its lives.
struct HandleRef {
  Handle* handle = nullptr;
  uint32_t generation = 0;

  explicit operator bool() const { return handle != nullptr; }
  bool IsCurrent() const {
    return handle != nullptr && handle->generation.load(std::memory_order_acquire) == generation;
  }
};

// What a look at a handle found; a copy.
struct Sight {
  Handle* handle = nullptr;  // null: nothing was ever known at that address
  uint32_t generation = 0;
  uint32_t flags = 0;
  bool alive = false;
  HandleRef client;

  HandleRef ref() const { return {handle, generation}; }
};

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
  HandleRef client;
  HandleRef parent;
  Origin origin;
};

// Every handle that went through the layer, by kind and address. Any thread. Nothing here calls out
// while a lock is held, except the visitor of ForEach.
class HandleTable {
 public:
  HandleTable();
  ~HandleTable();
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  Sight Find(int kind, uintptr_t address) const;

  // Find, and counts a use of a handle that is alive until Leave. A `function` of -1 is a use that
  // is not remembered as such.
  Sight Enter(int kind, uintptr_t address, int function);
  static void Leave(Handle* handle) { handle->in_flight.fetch_sub(1, std::memory_order_release); }

  // Adds a handle, or begins its next life; `was_alive` tells whether it was known and alive, in
  // which case one that is owned gets one more hold and nothing else changes.
  Sight Register(int kind, uintptr_t address, const NewHandle& values, bool* was_alive);

  // Ends the life of a handle, or takes away one hold; false if it was not alive any more.
  // `others_in_flight` counts the calls that use it, less the `own` ones.
  bool Free(const HandleRef& ref, Origin origin, int own, int* others_in_flight);
  // Takes Free back, for a call that failed.
  void Revive(const HandleRef& freed);

  void MarkDeleted(const HandleRef& ref, HandleFlag flag, Origin origin);
  History HistoryOf(const Handle* handle) const;

  // The kind of a living handle, else of any, at that address; -1 if there is none.
  int KindAt(uintptr_t address, int num_kinds) const;

  void ForEach(const std::function<void(const Handle&)>& visit) const;

 private:
  struct Shard;
  Shard& ShardOf(uint64_t key) const;

  static constexpr int kNumShards = 64;
  std::unique_ptr<Shard[]> shards_;
};

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_HANDLE_TABLE_H_
