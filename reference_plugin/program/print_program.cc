// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "plinth/program/hlo.h"
#include "plinth/program/program.h"

// print_program FILE: reads MLIR bytecode or text, or HLO from a file *.pb, prints the program as
// text.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: print_program FILE\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string contents(std::istreambuf_iterator<char>(in), {});
  const auto bytes = std::as_bytes(std::span<const char>(contents));
  const bool is_hlo = std::string_view(argv[1]).ends_with(".pb");
  auto module = is_hlo ? plinth::program::ReadHlo(bytes) : plinth::program::Read(bytes);
  if (!module.ok()) {
    std::cerr << argv[1] << ": " << module.status().ToString() << "\n";
    return 1;
  }
  std::cout << plinth::program::Print(*module);
  return 0;
}
