// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_PLUGIN_SHAPE_H_
#define PLINTH_IMPL_LOADER_PLUGIN_SHAPE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "impl/loader/plugin_table.h"
#include "plinth/reflection/reflection.h"

namespace plinth::loader {

// What structs and enums are for one plugin: their sizes at its minor, the values that it can know.
// Any thread.
class PluginShape {
 public:
  // A field that has to be looked at in each call.
  struct Check {
    const reflection::Field* field;
    uint64_t known_values;  // Of an enum: one bit for each value.
    bool is_enum;           // Else a pointer to structs.
  };
  struct StructShape {
    const reflection::Struct* type = nullptr;
    std::span<const reflection::Field> fields;
    std::vector<Check> checks;
    // Fields that the plugin cannot know and that change results.
    std::vector<const reflection::Field*> refusals;
    // A required field that some revisions of the plugin's minor lack, or null.
    const reflection::Field* uncertain = nullptr;
    // Its struct_size is not where it ends.
    bool is_announced_otherwise = false;
    // Where the struct ends for the plugin; grows when it asks for more.
    std::atomic<uint32_t> size{0};
  };

  explicit PluginShape(const PluginTable& table);

  const PluginTable& table() const { return table_; }
  const StructShape& Of(int structure) const { return structs_[static_cast<size_t>(structure)]; }

  size_t SizeOf(int structure) const { return Of(structure).size.load(std::memory_order_relaxed); }
  // The struct_size to write into a struct of that size: upstream announced some wrongly.
  size_t AnnouncedTo(int structure, size_t size) const;
  // The plugin asked for a struct of this size.
  void Learn(int structure, size_t size) {
    structs_[static_cast<size_t>(structure)].size.store(static_cast<uint32_t>(size),
                                                        std::memory_order_relaxed);
  }

  // Whether every revision of the plugin's minor has the field.
  bool SurelyHas(const reflection::Field& field) const { return field.safe_since <= minor_; }
  bool Knows(const Check& check, int value) const;

  // Whether the plugin can be given the caller's struct as it is. False only means that it takes
  // a closer look. `source` is not null.
  bool FitsAsItIs(int structure, const char* source) const;

 private:
  bool NestedFits(const StructShape& shape, const reflection::Field& field,
                  const char* source) const;
  void FillStruct(int structure);

  const PluginTable& table_;
  int minor_;
  std::array<StructShape, reflection::kStructCount> structs_;
};

// A field of a struct that is known by its offsets only.
template <typename T>
T Read(const char* source, size_t offset) {
  T value;
  std::memcpy(&value, source + offset, sizeof(T));
  return value;
}

// The size of a struct of the caller, after what upstream announced wrongly.
size_t TrueSize(int structure, size_t announced);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_PLUGIN_SHAPE_H_
