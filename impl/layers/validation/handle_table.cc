// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/handle_table.h"

#include <mutex>
#include <optional>
#include <vector>

namespace plinth::layers::validation {
namespace {

using table_internal::KeyOf;
using table_internal::Look;
using table_internal::Mix;
using table_internal::Slots;
using table_internal::SpinLock;

// The caller holds the lock.
void NextGeneration(Handle& handle) {
  uint32_t generation = handle.generation.load(std::memory_order_relaxed);
  handle.generation.store(generation + 1, std::memory_order_release);
}

// Stores are releases for readers of slots that are being filled anew: whoever sees one of them
// sees the odd version too, which was stored before.
void Insert(Slots& slots, uint64_t key, Handle* handle) {
  size_t i = Mix(key) & slots.mask;
  while (slots.slots[i].key.load(std::memory_order_relaxed) != 0) i = (i + 1) & slots.mask;
  slots.slots[i].handle.store(handle, std::memory_order_release);
  slots.slots[i].key.store(key, std::memory_order_release);
}

}  // namespace

Handle* table_internal::ShardHead::FindLocked(uint64_t key, uint64_t hash) const {
  std::lock_guard<SpinLock> guard(lock);
  return slots.load(std::memory_order_relaxed)->Find(key, hash);
}

// What only writers use of a shard.
struct HandleTable::Shard {
  table_internal::ShardHead* head = nullptr;
  uint8_t index = 0;
  size_t used = 0;
  std::vector<std::unique_ptr<Slots>> all_slots;  // outgrown ones may still be read
  std::vector<std::unique_ptr<Handle[]>> blocks;
  std::vector<Handle*> spare;

  static constexpr size_t kFirstSize = 32;
  static constexpr size_t kBlock = 32;
  size_t dead_kept = 0;

  SpinLock& lock() const { return head->lock; }
  Slots& CurrentSlots() const { return *head->slots.load(std::memory_order_relaxed); }

  void AddSlots(size_t size) {
    all_slots.push_back(std::make_unique<Slots>(size));
    head->slots.store(all_slots.back().get(), std::memory_order_release);
  }

  std::vector<Handle*> All() const {
    std::vector<Handle*> all;
    const Slots& current = CurrentSlots();
    for (size_t i = 0; i < current.size(); ++i) {
      if (current.slots[i].key.load(std::memory_order_relaxed) == 0) continue;
      all.push_back(current.slots[i].handle.load(std::memory_order_relaxed));
    }
    return all;
  }

  // The call in which a handle died; nothing if it lives. What died with its parent counts from the
  // call that made it.
  static std::optional<double> DeathOf(Handle* handle) {
    if (Look(*handle).alive()) return std::nullopt;
    return static_cast<double>(handle->Has(kAlive) ? handle->created.call : handle->freed.call);
  }

  // Makes room. The dead are remembered so that their use can be told, but not without bound: of
  // many, the older ones make room first.
  void Grow() {
    std::vector<Handle*> all = All();
    size_t num_dead = 0;
    double sum = 0;
    for (Handle* handle : all) {
      std::optional<double> death = DeathOf(handle);
      if (!death) continue;
      ++num_dead;
      sum += *death;
    }
    bool sweep = num_dead > dead_kept && num_dead > all.size() / 2;
    double mean = num_dead == 0 ? 0 : sum / static_cast<double>(num_dead);
    head->version.fetch_add(1, std::memory_order_acq_rel);
    size_t size = CurrentSlots().size();
    if (sweep) {
      Slots& current = CurrentSlots();
      for (size_t i = 0; i < size; ++i) current.slots[i].key.store(0, std::memory_order_release);
    } else {
      AddSlots(size * 2);
    }
    used = 0;
    for (Handle* handle : all) {
      if (std::optional<double> death; sweep && (death = DeathOf(handle)) && *death <= mean) {
        spare.push_back(handle);
      } else {
        Insert(KeyOf(handle->kind(), handle->address()), handle);
      }
    }
    head->version.fetch_add(1, std::memory_order_release);
  }

  void Insert(uint64_t key, Handle* handle) {
    validation::Insert(CurrentSlots(), key, handle);
    ++used;
  }

  Handle* FindOrAdd(uint64_t key, uint64_t hash, int kind, uintptr_t address) {
    if (Handle* handle = CurrentSlots().Find(key, hash)) return handle;
    if ((used + 1) * 3 > CurrentSlots().size() * 2) Grow();
    if (spare.empty()) {
      blocks.push_back(std::make_unique<Handle[]>(kBlock));
      for (size_t i = kBlock; i > 0; --i) {
        blocks.back()[i - 1].shard = index;
        spare.push_back(&blocks.back()[i - 1]);
      }
    }
    Handle* handle = spare.back();
    spare.pop_back();
    handle->flags.store(0, std::memory_order_relaxed);
    handle->Become(kind, address);
    Insert(key, handle);
    return handle;
  }
};

HandleTable::HandleTable(size_t dead_kept) : shards_(std::make_unique<Shard[]>(kNumShards)) {
  for (size_t i = 0; i < kNumShards; ++i) {
    shards_[i].head = &heads_[i];
    shards_[i].index = static_cast<uint8_t>(i);
    shards_[i].dead_kept = dead_kept;
    shards_[i].AddSlots(Shard::kFirstSize);
  }
}
HandleTable::~HandleTable() = default;

Sight HandleTable::Register(int kind, uintptr_t address, const NewHandle& values, bool* was_alive) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  uint64_t key = KeyOf(kind, address);
  uint64_t hash = Mix(key);
  Shard& shard = shards_[IndexOf(hash)];
  std::lock_guard<SpinLock> guard(shard.lock());
  Handle* handle = shard.FindOrAdd(key, hash, kind, address);
  Sight sight = Look(*handle);
  *was_alive = sight.alive();
  if (sight.alive()) {
    if (values.owned) ++handle->holds;
    return sight;
  }
  handle->flags.store(0, kRelaxed);
  NextGeneration(*handle);
  handle->client.store(values.client.handle, kRelaxed);
  handle->client_generation.store(values.client.generation, kRelaxed);
  handle->parent.store(values.parent.handle, kRelaxed);
  handle->parent_generation.store(values.parent.generation, kRelaxed);
  handle->holds = 1;
  handle->created = values.origin;
  handle->freed = {};
  handle->deleted = {};
  for (auto& count : handle->counts) count.store(0, kRelaxed);
  for (auto& answer : handle->answers) answer.store(0, kRelaxed);
  handle->flags.store(kAlive | (values.owned ? kOwned : 0u), std::memory_order_release);
  return Look(*handle);
}

bool HandleTable::Free(const HandleRef& ref, Origin origin) {
  Handle& handle = *ref.handle;
  std::lock_guard<SpinLock> guard(LockOf(handle));
  if (!ref.IsCurrent() || !handle.Has(kAlive)) return false;
  if (handle.holds > 1) {
    --handle.holds;
    return true;
  }
  handle.flags.fetch_and(~static_cast<uint32_t>(kAlive), std::memory_order_relaxed);
  NextGeneration(handle);
  handle.freed = origin;
  return true;
}

void HandleTable::Revive(const HandleRef& freed) {
  Handle& handle = *freed.handle;
  std::lock_guard<SpinLock> guard(LockOf(handle));
  if (handle.Has(kAlive)) {
    if (freed.IsCurrent()) ++handle.holds;
  } else if (handle.generation.load(std::memory_order_relaxed) == freed.generation + 1) {
    handle.generation.store(freed.generation, std::memory_order_release);
    handle.freed = {};
    handle.flags.fetch_or(kAlive, std::memory_order_release);
  }
}

void HandleTable::MarkDeleted(const HandleRef& ref, HandleFlag flag, Origin origin) {
  Handle& handle = *ref.handle;
  std::lock_guard<SpinLock> guard(LockOf(handle));
  if (!ref.IsCurrent() || handle.Has(flag)) return;
  handle.deleted = origin;
  handle.Add(flag);
}

History HandleTable::HistoryOf(const Handle* handle) const {
  History history;
  {
    std::lock_guard<SpinLock> guard(LockOf(*handle));
    history.flags = handle->flags.load(std::memory_order_relaxed);
    history.created = handle->created;
    history.freed = handle->freed;
    history.deleted = handle->deleted;
    history.parent = handle->parent.load(std::memory_order_relaxed);
    history.parent_is_gone =
        history.parent != nullptr && history.parent->generation.load(std::memory_order_acquire) !=
                                         handle->parent_generation.load(std::memory_order_relaxed);
  }
  if (history.parent_is_gone) {
    Handle& parent = *history.parent;
    std::lock_guard<SpinLock> guard(LockOf(parent));
    history.parent_freed = parent.freed;
  }
  return history;
}

int HandleTable::KindAt(uintptr_t address, int num_kinds) const {
  int found = -1;
  for (int kind = 0; kind < num_kinds; ++kind) {
    Sight sight = Find(kind, address);
    if (sight.alive()) return kind;
    if (sight.handle != nullptr) found = kind;
  }
  return found;
}

void HandleTable::ForEach(const std::function<void(const Handle&)>& visit) const {
  for (size_t i = 0; i < kNumShards; ++i) {
    std::lock_guard<SpinLock> guard(shards_[i].lock());
    for (const Handle* handle : shards_[i].All()) visit(*handle);
  }
}

}  // namespace plinth::layers::validation
