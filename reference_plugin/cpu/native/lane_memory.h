// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_MEMORY_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_MEMORY_H_

#include <cstdint>

#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/emit/vector_code.h"
#include "reference_plugin/cpu/native/lanes.h"

namespace plinth::cpu::native {

// Reads and writes elements that lie in any order, as lanes of a register. Overwrites eax,
// ecx and the vectors that belong to one op at a time.
class LaneMemory {
 public:
  LaneMemory(emit::Assembler& code, emit::ConstantPool& pool, emit::VectorCode& vector)
      : code_(code), pool_(pool), vector_(vector) {}

  // Lane i of dst is the element with the map's number of the array, or `fill`. `size`: how many
  // elements there are to read; 0 if only those of the map.
  void Load(emit::Vec dst, const Xbyak::RegExp& array, DType type, const LaneMap& map,
            uint32_t fill, int64_t size);
  void Store(const Xbyak::RegExp& array, DType type, const LaneMap& map, emit::Vec source);

 private:
  void LoadWindow(emit::Vec dst, const Xbyak::RegExp& array, const LaneMap& map, int64_t low,
                  int64_t high, int64_t size);
  void LoadTwoWindows(emit::Vec dst, const Xbyak::RegExp& array, const LaneMap& map, int64_t low,
                      int64_t high);
  void LoadOneByOne(emit::Vec dst, const Xbyak::RegExp& array, const LaneMap& map);
  void LoadPreds(emit::Vec dst, const Xbyak::RegExp& array, const LaneMap& map);
  void StorePreds(const Xbyak::RegExp& array, const LaneMap& map, emit::Vec source);

  emit::Assembler& code_;
  emit::ConstantPool& pool_;
  emit::VectorCode& vector_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_MEMORY_H_
