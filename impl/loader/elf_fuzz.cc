// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdint>

#include "impl/loader/elf_file.h"
#include "plinth/support/str_cat.h"

// Any bytes as a shared library.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plinth::loader;
  static const int file = memfd_create("elf_fuzz", MFD_CLOEXEC);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    return 0;
  }
  const std::string path = plinth::StrCat("/proc/self/fd/", file);
  (void)ReadElfFile(path);
  if (auto needs = ReadElfNeeds(path); needs.ok()) {
    if (needs->libraries.size() > 1000 || needs->folders.size() > 1000) __builtin_trap();
    for (const auto* texts : {&needs->libraries, &needs->folders}) {
      for (const std::string& text : *texts) {
        if (text.size() >= PATH_MAX) __builtin_trap();
      }
    }
  }
  return 0;
}
