// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/code_memory.h"

#include <sys/mman.h>

namespace plinth::cpu::emit {

std::unique_ptr<CodeMemory> CodeMemory::Make(size_t bytes) {
  void* data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (data == MAP_FAILED) return nullptr;
  return std::unique_ptr<CodeMemory>(new CodeMemory(static_cast<uint8_t*>(data), bytes));
}

CodeMemory::~CodeMemory() { munmap(data_, bytes_); }

bool CodeMemory::Seal() { return mprotect(data_, bytes_, PROT_READ | PROT_EXEC) == 0; }

}  // namespace plinth::cpu::emit
