// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_ELF_FILE_H_
#define PLINTH_IMPL_LOADER_ELF_FILE_H_

#include <string>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::loader {

// What a shared library says about itself, read from the file without opening it as a library.
struct ElfFile {
  bool for_this_machine = false;
  int machine = 0;  // e_machine of its header
  // Whether it exports GetPjrtApi, and whether it is a libplinth, which exports it too.
  bool exports_get_pjrt_api = false;
  bool is_libplinth = false;
  // False if it has no section headers; then what it exports is not known.
  bool has_symbols = false;
};

// Reads a file that may hold anything; what does not fit together is an error.
Expected<ElfFile> ReadElfFile(const std::string& path);

// What it is linked to: some hundred names at most.
struct ElfNeeds {
  std::vector<std::string> libraries;
  std::vector<std::string> folders;  // Its own, to look into for them; $ORIGIN replaced.
};
Expected<ElfNeeds> ReadElfNeeds(const std::string& path);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_ELF_FILE_H_
