#include "impl/layers/validation/handle_table.h"

#include <thread>

namespace plinth::layers::validation {
namespace {

// Address and kind in one word: no address of user space has more than 56 bits.
uint64_t KeyOf(int kind, uintptr_t address) {
  return (static_cast<uint64_t>(address) << 8) | static_cast<uint8_t>(kind + 1);
}

uint64_t Mix(uint64_t key) {
  key *= 0x9E3779B97F4A7C15u;
  return key ^ (key >> 32);
}

bool IsAlive(const Handle& handle) {
  if (!handle.Has(kAlive)) return false;
  return handle.parent == nullptr ||
         handle.parent->generation.load(std::memory_order_acquire) == handle.parent_generation;
}

Sight SightOf(Handle& handle) {
  Sight sight;
  sight.handle = &handle;
  sight.generation = handle.generation.load(std::memory_order_relaxed);
  sight.flags = handle.flags.load(std::memory_order_relaxed);
  sight.alive = IsAlive(handle);
  sight.client = {handle.client, handle.client_generation};
  return sight;
}

// Held for some tens of nanoseconds; the thread that holds it may lose its core, hence the yield.
class SpinLock {
 public:
  void lock() {
    for (int spins = 0; held_.test_and_set(std::memory_order_acquire); ++spins) {
      if (spins >= 64) std::this_thread::yield();
    }
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_ = ATOMIC_FLAG_INIT;
};

class Hold {
 public:
  explicit Hold(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~Hold() { lock_.unlock(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace

struct alignas(64) HandleTable::Shard {
  struct Slot {
    uint64_t key = 0;
    Handle* handle = nullptr;
  };

  mutable SpinLock lock;
  std::vector<Slot> slots = std::vector<Slot>(32);
  size_t used = 0;
  std::vector<std::unique_ptr<Handle[]>> blocks;
  std::vector<Handle*> spare;

  static constexpr size_t kBlock = 32;
  static constexpr size_t kDeadKept = 4096;

  Handle* Find(uint64_t key, uint64_t hash) const {
    for (size_t i = hash & (slots.size() - 1);; i = (i + 1) & (slots.size() - 1)) {
      if (slots[i].key == key) return slots[i].handle;
      if (slots[i].key == 0) return nullptr;
    }
  }

  void Insert(uint64_t key, Handle* handle) {
    for (size_t i = Mix(key) & (slots.size() - 1);; i = (i + 1) & (slots.size() - 1)) {
      if (slots[i].key != 0) continue;
      slots[i] = {key, handle};
      ++used;
      return;
    }
  }

  // Makes room. The dead are remembered so that their use can be told, but not without bound: of
  // many, the older ones make room first.
  void Grow() {
    size_t num_dead = 0;
    double sum = 0;
    for (const Slot& slot : slots) {
      if (slot.key == 0 || slot.handle->Has(kAlive)) continue;
      ++num_dead;
      sum += static_cast<double>(slot.handle->freed.call);
    }
    bool sweep = num_dead > kDeadKept && num_dead > used / 2;
    double mean = num_dead == 0 ? 0 : sum / static_cast<double>(num_dead);
    std::vector<Slot> old(sweep ? slots.size() : slots.size() * 2);
    old.swap(slots);
    used = 0;
    for (const Slot& slot : old) {
      if (slot.key == 0) continue;
      Handle& handle = *slot.handle;
      if (sweep && !handle.Has(kAlive) && static_cast<double>(handle.freed.call) <= mean &&
          handle.in_flight.load(std::memory_order_acquire) == 0) {
        spare.push_back(slot.handle);
      } else {
        Insert(slot.key, slot.handle);
      }
    }
  }

  Handle* FindOrAdd(uint64_t key, uint64_t hash, int kind, uintptr_t address) {
    if (Handle* handle = Find(key, hash)) return handle;
    if ((used + 1) * 3 > slots.size() * 2) Grow();
    if (spare.empty()) {
      blocks.push_back(std::make_unique<Handle[]>(kBlock));
      for (size_t i = kBlock; i > 0; --i) spare.push_back(&blocks.back()[i - 1]);
    }
    Handle* handle = spare.back();
    spare.pop_back();
    handle->address = address;
    handle->kind = static_cast<int16_t>(kind);
    handle->flags.store(0, std::memory_order_relaxed);
    Insert(key, handle);
    return handle;
  }
};

HandleTable::HandleTable() : shards_(std::make_unique<Shard[]>(kNumShards)) {}
HandleTable::~HandleTable() = default;

// The low bits of the hash choose the slot, higher ones the shard.
HandleTable::Shard& HandleTable::ShardOf(uint64_t hash) const {
  return shards_[(hash >> 24) % kNumShards];
}

Sight HandleTable::Find(int kind, uintptr_t address) const {
  uint64_t key = KeyOf(kind, address);
  uint64_t hash = Mix(key);
  Shard& shard = ShardOf(hash);
  Hold hold(shard.lock);
  Handle* handle = shard.Find(key, hash);
  return handle == nullptr ? Sight{} : SightOf(*handle);
}

Sight HandleTable::Enter(int kind, uintptr_t address, int function) {
  uint64_t key = KeyOf(kind, address);
  uint64_t hash = Mix(key);
  Shard& shard = ShardOf(hash);
  Hold hold(shard.lock);
  Handle* handle = shard.Find(key, hash);
  if (handle == nullptr) return {};
  Sight sight = SightOf(*handle);
  if (sight.alive) {
    handle->in_flight.fetch_add(1, std::memory_order_relaxed);
    if (function >= 0) {
      handle->used_by.store(static_cast<int16_t>(function), std::memory_order_relaxed);
    }
  }
  return sight;
}

Sight HandleTable::Register(int kind, uintptr_t address, const NewHandle& values, bool* was_alive) {
  uint64_t key = KeyOf(kind, address);
  uint64_t hash = Mix(key);
  Shard& shard = ShardOf(hash);
  Hold hold(shard.lock);
  Handle* handle = shard.FindOrAdd(key, hash, kind, address);
  *was_alive = IsAlive(*handle);
  if (*was_alive) {
    if (values.owned) handle->holds.fetch_add(1, std::memory_order_relaxed);
    return SightOf(*handle);
  }
  handle->generation.fetch_add(1, std::memory_order_release);
  handle->in_flight.store(0, std::memory_order_relaxed);
  handle->used_by.store(-1, std::memory_order_relaxed);
  handle->holds.store(1, std::memory_order_relaxed);
  handle->client = values.client.handle;
  handle->client_generation = values.client.generation;
  handle->parent = values.parent.handle;
  handle->parent_generation = values.parent.generation;
  handle->created = values.origin;
  handle->freed = {};
  handle->deleted = {};
  for (auto& count : handle->counts) count.store(0, std::memory_order_relaxed);
  for (auto& answer : handle->answers) answer.store(0, std::memory_order_relaxed);
  handle->flags.store(kAlive | (values.owned ? kOwned : 0u), std::memory_order_relaxed);
  return SightOf(*handle);
}

bool HandleTable::Free(const HandleRef& ref, Origin origin, int own, int* others_in_flight) {
  *others_in_flight = 0;
  Handle& handle = *ref.handle;
  Hold hold(ShardOf(Mix(KeyOf(handle.kind, handle.address))).lock);
  if (!ref.IsCurrent() || !handle.Has(kAlive)) return false;
  if (handle.holds.load(std::memory_order_relaxed) > 1) {
    handle.holds.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
  *others_in_flight = handle.in_flight.load(std::memory_order_acquire) - own;
  handle.flags.fetch_and(~static_cast<uint32_t>(kAlive), std::memory_order_relaxed);
  handle.generation.fetch_add(1, std::memory_order_release);
  handle.freed = origin;
  return true;
}

void HandleTable::Revive(const HandleRef& freed) {
  Handle& handle = *freed.handle;
  Hold hold(ShardOf(Mix(KeyOf(handle.kind, handle.address))).lock);
  if (handle.Has(kAlive)) {
    handle.holds.fetch_add(1, std::memory_order_relaxed);
  } else if (handle.generation.load(std::memory_order_relaxed) == freed.generation + 1) {
    handle.generation.store(freed.generation, std::memory_order_release);
    handle.flags.fetch_or(kAlive, std::memory_order_relaxed);
    handle.freed = {};
  }
}

void HandleTable::MarkDeleted(const HandleRef& ref, HandleFlag flag, Origin origin) {
  Handle& handle = *ref.handle;
  Hold hold(ShardOf(Mix(KeyOf(handle.kind, handle.address))).lock);
  if (!ref.IsCurrent() || handle.Has(flag)) return;
  handle.deleted = origin;
  handle.Add(flag);
}

History HandleTable::HistoryOf(const Handle* handle) const {
  History history;
  {
    Hold hold(ShardOf(Mix(KeyOf(handle->kind, handle->address))).lock);
    history.flags = handle->flags.load(std::memory_order_relaxed);
    history.created = handle->created;
    history.freed = handle->freed;
    history.deleted = handle->deleted;
    history.parent = handle->parent;
    history.parent_is_gone =
        handle->parent != nullptr &&
        handle->parent->generation.load(std::memory_order_acquire) != handle->parent_generation;
  }
  if (history.parent_is_gone) {
    Handle& parent = *history.parent;
    Hold hold(ShardOf(Mix(KeyOf(parent.kind, parent.address))).lock);
    history.parent_freed = parent.freed;
  }
  return history;
}

int HandleTable::KindAt(uintptr_t address, int num_kinds) const {
  int found = -1;
  for (int kind = 0; kind < num_kinds; ++kind) {
    Sight sight = Find(kind, address);
    if (sight.alive) return kind;
    if (sight.handle != nullptr) found = kind;
  }
  return found;
}

void HandleTable::ForEach(const std::function<void(const Handle&)>& visit) const {
  for (int i = 0; i < kNumShards; ++i) {
    Hold hold(shards_[i].lock);
    for (const Shard::Slot& slot : shards_[i].slots) {
      if (slot.key != 0) visit(*slot.handle);
    }
  }
}

}  // namespace plinth::layers::validation
