// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_IDS_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_IDS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace plinth::program {

// From ids to indices. XLA's follow one another, so most are places in a list. Others are any
// numbers: where a program's fall is no matter of chance, so their places are made of an address
// too, which the program does not know.
class HloIds {
 public:
  void Clear(size_t expected) {
    near_.assign(expected * 2, kNone);
    has_first_ = false;
    entries_.clear();
    count_ = 0;
  }
  // False if the id is there already.
  bool Add(int64_t id, uint32_t index) {
    if (!has_first_) {
      // Some of what comes first has a larger id than what comes later.
      first_ = static_cast<uint64_t>(id) - near_.size() / 4;
      has_first_ = true;
    }
    if (const uint64_t place = static_cast<uint64_t>(id) - first_; place < near_.size()) {
      if (near_[place] != kNone) return false;
      near_[place] = index;
      return true;
    }
    if ((count_ + 1) * 2 > entries_.size()) Grow();
    Entry& entry = entries_[PlaceOf(id)];
    if (entry.used) return false;
    entry = {id, index, true};
    ++count_;
    return true;
  }
  const uint32_t* Find(int64_t id) const {
    if (const uint64_t place = static_cast<uint64_t>(id) - first_; place < near_.size()) {
      return near_[place] == kNone ? nullptr : &near_[place];
    }
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[PlaceOf(id)];
    return entry.used ? &entry.index : nullptr;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    int64_t id = 0;
    uint32_t index = 0;
    bool used = false;
  };
  size_t PlaceOf(int64_t id) const {
    uint64_t hash = (static_cast<uint64_t>(id) ^ seed_) * 0x9E3779B97F4A7C15ull;
    size_t at = (hash ^ hash >> 32) & (entries_.size() - 1);
    while (entries_[at].used && entries_[at].id != id) at = (at + 1) & (entries_.size() - 1);
    return at;
  }
  void Grow() {
    std::vector<Entry> old(std::max<size_t>(entries_.size() * 2, 16));
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.used) entries_[PlaceOf(entry.id)] = entry;
    }
  }

  uint64_t first_ = 0;
  bool has_first_ = false;
  std::vector<uint32_t> near_;  // Of the ids from first_ on.
  std::vector<Entry> entries_;
  size_t count_ = 0;
  const uint64_t seed_ = reinterpret_cast<uintptr_t>(this);
};

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_IDS_H_
