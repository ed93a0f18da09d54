// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_TEST_UTIL_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Runs programs with loops as machine code and without.
namespace plinth::cpu::native {

using Bytes = std::vector<std::byte>;

struct Run {
  std::vector<Bytes> results;
  size_t loops = 0;  // as machine code
  bool is_short = false;
};

// Runs the program with loops as machine code or without.
Run RunProgram(const std::string& text, const std::vector<Bytes>& arguments, bool native);

// How many kernels of the program have no code of their own.
size_t CountKernelsWithoutCode(const std::string& text);

// What a loop carries: its name in the body, "%a", its type, and the value of the next turn.
struct LoopCarry {
  std::string name, type, next;
};

// A program with a loop of so many turns, which carries its arguments and gives its results. The
// body also has the turn's number, the s32 %i.
std::string LoopText(const std::vector<LoopCarry>& carries, std::string_view body, int turns);

// Runs it both ways; the results of machine code.
std::vector<Bytes> ExpectSameBits(const std::string& text, const std::vector<Bytes>& arguments,
                                  size_t loops = 1);

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_TEST_UTIL_H_
