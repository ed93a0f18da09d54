// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "plinth/program/hlo.h"

// Any bytes: an error, or a program that prints and reads back as itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plinth::program;
  auto module = ReadHlo(std::as_bytes(std::span(data, size)));
  if (!module.ok()) return 0;
  auto again = ReadText(Print(*module));
  if (!again.ok() || !Equal(*module, *again)) std::abort();
  return 0;
}
