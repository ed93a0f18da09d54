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
};
constexpr Row kRows[] = {{75, 72},   {80, 108},  {86, 84},  {87, 16},   {89, 128}, {90, 132},
                         {100, 148}, {103, 148}, {110, 20}, {120, 170}, {121, 48}};

}  // namespace

Expected<Architecture> ArchitectureOf(int32_t capability) {
  if (capability < kRows[0].capability) {
    return InvalidArgument("a device of compute capability ", capability / 10, ".", capability % 10,
                           " was asked for; the least that is supported is ",
                           kRows[0].capability / 10, ".", kRows[0].capability % 10);
  }
  Architecture architecture;
  for (const Row& row : kRows) {
    if (row.capability <= capability) architecture.multiprocessors = row.multiprocessors;
  }
  architecture.capability = capability;
  return architecture;
}

}  // namespace plinth::cuda
