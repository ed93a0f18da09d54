// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "plinth/program/program.h"

// Any text: an error, or a program that prints and reads back as itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plinth::program;
  auto module = ReadText(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;
  auto again = ReadText(Print(*module));
  if (!again.ok() || !Equal(*module, *again)) std::abort();
  return 0;
}
