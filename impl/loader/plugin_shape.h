#ifndef PLINTH_IMPL_LOADER_PLUGIN_SHAPE_H_
#define PLINTH_IMPL_LOADER_PLUGIN_SHAPE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "impl/loader/plugin_table.h"
#include "plinth/reflection/reflection.h"

namespace plinth::loader {

// What structs and enums are for one plugin: their sizes at its minor, the values that it can know.
// Any thread.
class PluginShape {
 public:
  explicit PluginShape(const PluginTable& table);

  const PluginTable& table() const { return table_; }

  // Where a struct ends for the plugin.
  size_t SizeOf(int structure) const { return sizes_[structure].load(std::memory_order_relaxed); }
  // The struct_size to write into a struct of that size: upstream announced some wrongly.
  size_t AnnouncedTo(int structure, size_t size) const;
  // The plugin asked for a struct of this size.
  void Learn(int structure, size_t size) {
    sizes_[structure].store(static_cast<uint32_t>(size), std::memory_order_relaxed);
  }

  // Whether every revision of the plugin's minor has the field.
  bool SurelyHas(const reflection::Field& field) const { return field.safe_since <= minor_; }
  // Whether some revision of it has.
  bool MayHave(const reflection::Field& field) const { return field.since <= minor_; }
  bool Knows(int enumeration, int value) const;

  // Fields of a struct, counted within it, that have to be looked at in each call: enums, and
  // structs behind pointers.
  const std::vector<int16_t>& Checks(int structure) const { return checks_[structure]; }

 private:
  const PluginTable& table_;
  int minor_;
  std::vector<std::atomic<uint32_t>> sizes_;
  std::vector<uint64_t> known_values_;  // One bit for each value.
  std::vector<std::vector<int16_t>> checks_;
};

// The size of a struct of the caller, after what upstream announced wrongly.
size_t TrueSize(int structure, size_t announced);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_PLUGIN_SHAPE_H_
