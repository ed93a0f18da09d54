// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/parts.h"

#include <algorithm>
#include <vector>

namespace plinth::cuda {
namespace {

using compiler::Kernel;
using compiler::Phase;

constexpr int32_t kBlock = 256;
constexpr int64_t kMostSplits = 1024;  // which few threads combine
// Blocks that fill a multiprocessor, with what their threads have in flight; and those after which
// it no longer shows that the last ones leave some multiprocessors without work.
constexpr int64_t kBlocksAtOnce = 4, kBlocksInAll = 16;
// A part of so many bytes is worth a block, where there are enough of them.
constexpr int64_t kPartBytes = 64 << 10;
// From so many bytes on, a second launch costs less than narrow accesses.
constexpr int64_t kWideBytes = 8 << 20;

// The phase over points of a kernel that has one, with reductions.
const Phase* OnlyPhase(const Kernel& kernel) {
  const std::vector<Phase>& phases = kernel.body.phases;
  const auto over_points = [](const Phase& phase) { return phase.over_reduced; };
  const auto first = std::find_if(phases.begin(), phases.end(), over_points);
  if (first == phases.end() || first->reductions.empty()) return nullptr;
  return std::none_of(first + 1, phases.end(), over_points) ? &*first : nullptr;
}

// Of a point, what the phase reads of inputs.
int64_t PointBytes(const Kernel& kernel, const Phase& phase) {
  int64_t bytes = 0;
  for (const compiler::Node& node : phase.nodes) {
    if (node.kind == compiler::NodeKind::kInput) bytes += ByteSize(node.dtype);
  }
  return bytes;
}

int64_t CeilOf(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::optional<Form> ChooseParts(const Kernel& kernel, const Form& form,
                                const Architecture& architecture) {
  const Phase* const phase = OnlyPhase(kernel);
  const int64_t rows = NumRows(kernel.shape), length = RowLength(kernel.shape);
  if (phase == nullptr || rows == 0 || length == 0) return std::nullopt;
  Form parts = form;
  if (form.rows_fastest) {
    const int32_t dim = kernel.shape.num_parallel - 1;
    parts.columns = ChooseVector(kernel, dim, /*has_outputs=*/false);
    const auto shared = [&] { return kBlock * parts.columns * PartBytes(kernel); };
    while (parts.columns > 1 && shared() > architecture.shared_bytes / 2) parts.columns /= 2;
    if (shared() > architecture.shared_bytes / 2) return std::nullopt;
    parts.rows = std::min(kWarp, PowerOfTwoFrom(CeilOf(rows, parts.columns)));
  } else {
    if (form.rows != 1) return std::nullopt;  // short rows
    parts.rows = 1;
  }
  parts.slices = kBlock / parts.rows;
  parts.block = kBlock;

  const int64_t blocks = CeilOf(rows, int64_t{parts.rows} * parts.columns);
  const int64_t bytes = length * PointBytes(kernel, *phase);
  const int64_t block_bytes = bytes * std::min(rows, int64_t{parts.rows} * parts.columns);
  const int64_t multiprocessors = architecture.multiprocessors;
  // Parts of which a thread takes some points.
  const int64_t most = length / (form.rows_fastest ? 8 * int64_t{parts.slices} : 2048);
  const int64_t few = blocks < multiprocessors ? kBlocksAtOnce * multiprocessors / blocks : 1;
  const int64_t many = std::min(kBlocksInAll * multiprocessors / blocks, block_bytes / kPartBytes);
  const int64_t wanted = std::min({kMostSplits, most, std::max(few, many)});
  const bool is_wide = parts.columns > 1 && most > 0 && bytes * rows >= kWideBytes;
  if (wanted < 2 && !is_wide) return std::nullopt;
  parts.part = CeilOf(length, std::max<int64_t>(wanted, 1));
  // Parts that all threads share evenly need no conditions, if that costs little.
  const int64_t whole = int64_t{parts.vector} * parts.slices;
  const int64_t unit = parts.part >= 16 * whole ? whole : parts.vector;
  parts.part = CeilOf(parts.part, unit) * unit;
  parts.splits = static_cast<int32_t>(CeilOf(length, parts.part));
  return parts;
}

}  // namespace plinth::cuda
