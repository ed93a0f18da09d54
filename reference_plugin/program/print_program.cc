// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "plinth/program/program.h"

// print_program FILE: reads MLIR bytecode or text, prints the program as text.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: print_program FILE\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string contents(std::istreambuf_iterator<char>(in), {});
  auto module = plinth::program::Read(std::as_bytes(std::span<const char>(contents)));
  if (!module.ok()) {
    std::cerr << argv[1] << ": " << module.status().ToString() << "\n";
    return 1;
  }
  std::cout << plinth::program::Print(*module);
  return 0;
}
