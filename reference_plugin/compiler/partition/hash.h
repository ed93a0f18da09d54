// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_HASH_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_HASH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "reference_plugin/compiler/ir/mesh.h"

namespace plinth::compiler::partition {

// Of what tables here are looked up by.
class Hash {
 public:
  void Add(size_t value) { hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15u + (hash_ >> 29); }
  void Add(const void* pointer) { Add(reinterpret_cast<uintptr_t>(pointer)); }
  void Add(std::span<const Axis> axes) {
    Add(axes.size());
    for (const Axis& axis : axes) {
      Add(static_cast<size_t>(axis.index));
      Add(static_cast<size_t>(axis.pre_size));
      Add(static_cast<size_t>(axis.size));
    }
  }
  size_t value() const { return hash_; }

 private:
  size_t hash_ = 0;
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_HASH_H_
