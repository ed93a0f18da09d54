// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {
namespace {

// Multiprocessors of the largest usual device of each capability; devices with fewer get the same
// text. Of capabilities between two rows, the lower one holds.
struct Row {
  int32_t capability, multiprocessors;
  int32_t most_shared_kilobytes;  // of one block
};
constexpr Row kRows[] = {{75, 72, 64},   {80, 108, 163}, {86, 84, 99},    {87, 16, 163},
                         {89, 128, 99},  {90, 132, 227}, {100, 148, 227}, {103, 148, 227},
                         {110, 20, 227}, {120, 170, 99}, {121, 48, 99}};

}  // namespace

Expected<Architecture> ArchitectureOf(int32_t capability) {
  if (capability < kRows[0].capability) {
    return InvalidArgument("a device of compute capability ", capability / 10, ".", capability % 10,
                           " was asked for; the least that is supported is ",
                           kRows[0].capability / 10, ".", kRows[0].capability % 10);
  }
  Architecture architecture;
  for (const Row& row : kRows) {
    if (row.capability > capability) continue;
    architecture.multiprocessors = row.multiprocessors;
    architecture.most_shared_bytes = row.most_shared_kilobytes << 10;
  }
  architecture.capability = capability;
  return architecture;
}

}  // namespace plinth::cuda
