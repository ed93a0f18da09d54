// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CODE_MEMORY_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CODE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

namespace plinth::cpu::emit {

// Pages for machine code: written first, then executable and never written again.
class CodeMemory {
 public:
  // Null if the system gives none.
  static std::unique_ptr<CodeMemory> Make(size_t bytes);
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  uint8_t* data() const { return data_; }
  // False if the system does not let this process run code that it made.
  bool Seal();

 private:
  CodeMemory(uint8_t* data, size_t bytes) : data_(data), bytes_(bytes) {}

  uint8_t* const data_;
  const size_t bytes_;
};

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_CODE_MEMORY_H_
