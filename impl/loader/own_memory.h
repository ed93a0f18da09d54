// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_OWN_MEMORY_H_
#define PLINTH_IMPL_LOADER_OWN_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plinth::loader {

// What this process may read and run, as the system said when it was asked. Where the system says
// nothing (no /proc) everything counts as readable and as code.
class OwnMemory {
 public:
  // As it is now.
  static OwnMemory Now();
  // From lines of the form of /proc/self/maps.
  static OwnMemory FromMaps(std::string_view maps);

  bool IsReadable(const void* begin, size_t size) const;
  bool IsCode(const void* address) const;

 private:
  struct Range {
    uintptr_t begin, end;
    bool readable, executable;
  };

  std::vector<Range> ranges_;  // In ascending order, as the system lists them.
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_OWN_MEMORY_H_
