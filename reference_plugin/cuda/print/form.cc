// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/form.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cuda/print/parts.h"

namespace plinth::cuda {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::KernelShape;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;

constexpr int64_t kPackBytes = 16;
// 32-bit words of a thread's row values in registers, and nodes in the loops that are then
// unrolled.
constexpr int64_t kRegisterWords = 32;
constexpr int64_t kUnrolledNodes = 1024;
// Points below which every thread takes one, and those below which it takes neighbours once: more
// threads hide more.
constexpr int64_t kPointsPerMultiprocessor = 1024, kManyPointsPerMultiprocessor = 16384;

bool HasReductions(const Kernel& kernel) {
  return std::any_of(kernel.body.phases.begin(), kernel.body.phases.end(),
                     [](const Phase& phase) { return !phase.reductions.empty(); });
}

// Values of points that later phases read: (phase, node).
std::set<std::pair<int32_t, int32_t>> KeptNodes(const Kernel& kernel) {
  std::set<std::pair<int32_t, int32_t>> kept;
  for (const Phase& phase : kernel.body.phases) {
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kRow && kernel.body.phases[node.index].over_reduced) {
        kept.insert({node.index, node.component});
      }
    }
  }
  return kept;
}

bool IsContiguous(const Access& access) {
  const bool lies_side_by_side =
      access.byte_strides[0] == ByteSize(access.dtype) && access.byte_offset == 0;
  return access.bounds.empty() && access.dynamic_offsets.empty() &&
         (lies_side_by_side || access.byte_strides[0] == 0);
}

// The form by tiles, where operands lie along a dimension that is not the innermost one: read point
// by point, each of their elements would cost a transaction of its own. Nothing if there are none,
// or if tiles would be mostly empty.
std::optional<Form> ChooseTiles(const Kernel& kernel, const Architecture& architecture) {
  const KernelShape& shape = kernel.shape;
  const auto last = static_cast<int32_t>(shape.extents.size()) - 1;
  if (last < 1 || shape.extents[static_cast<size_t>(last)] < kTile / 2) return std::nullopt;
  std::optional<Form> best;
  int64_t most = 0;
  for (int32_t dim = 0; dim < last; ++dim) {
    if (shape.extents[static_cast<size_t>(dim)] < kTile / 2) continue;
    int64_t moved = 0, shared = 0;
    for (const auto* accesses : {&shape.inputs, &shape.outputs}) {
      for (const Access& access : *accesses) {
        if (!IsTurned(access, dim)) continue;
        moved += ByteSize(access.dtype);
        shared += std::max<int64_t>(4, ByteSize(access.dtype)) * kTile * (kTile + 1);
      }
    }
    if (moved <= most || shared > architecture.shared_bytes * 3 / 4) continue;
    most = moved;
    best.emplace();
    best->kind = FormKind::kTiles;
    best->turned_dim = dim;
    // With few operands a thread takes more points, so that as much is under way.
    if (shape.inputs.size() <= 2) best->block = 128;
  }
  return best;
}

// How often a thread takes neighbours: until what it has under way hides the latency of memory.
int32_t ChooseTurns(const Kernel& kernel, int32_t vector) {
  constexpr int64_t kBytesUnderWay = 64, kMostTurns = 8, kMostNodes = 256;
  const size_t last = kernel.shape.extents.size() - 1;
  int64_t bytes = 0, nodes = 0;
  for (int32_t input : InputsAhead(kernel, vector)) {
    const Access& access = kernel.shape.inputs[static_cast<size_t>(input)];
    if (access.byte_strides[last] != 0) bytes += vector * ByteSize(access.dtype);
  }
  for (const Phase& phase : kernel.body.phases) nodes += static_cast<int64_t>(phase.nodes.size());
  if (bytes == 0) return 1;
  const int64_t turns =
      std::min({kMostTurns, (kBytesUnderWay + bytes - 1) / bytes, kMostNodes / (nodes * vector)});
  return static_cast<int32_t>(std::max<int64_t>(turns, 1));
}

Form ChoosePointwise(const Kernel& kernel, const Architecture& architecture) {
  const KernelShape& shape = kernel.shape;
  Form form;
  int64_t points = 1;
  for (int64_t extent : shape.extents) points *= extent;
  const int32_t rank = static_cast<int32_t>(shape.extents.size());
  if (rank == 0 || points == 0) return form;
  if (const std::optional<Form> tiles = ChooseTiles(kernel, architecture)) return *tiles;
  const bool is_flat =
      rank == 1 && points <= INT32_MAX / kPackBytes &&
      std::all_of(shape.inputs.begin(), shape.inputs.end(), IsContiguous) &&
      std::all_of(shape.outputs.begin(), shape.outputs.end(), [](const Access& access) {
        return IsContiguous(access) && access.byte_strides[0] != 0;
      });
  form.takes_length = is_flat;
  if (points < architecture.multiprocessors * kPointsPerMultiprocessor) return form;
  // The rest at the end is moved element by element.
  Kernel rounded = kernel;
  if (is_flat) rounded.shape.extents[0] = kPackBytes;
  form.vector = ChooseVector(rounded, rank - 1);
  if (points >= architecture.multiprocessors * kManyPointsPerMultiprocessor) {
    form.turns = ChooseTurns(kernel, form.vector);
  }
  return form;
}

// Whether most of what phases over points move lies side by side along the rows' dimension.
bool LiesAcrossRows(const Kernel& kernel) {
  const KernelShape& shape = kernel.shape;
  const int32_t rank = static_cast<int32_t>(shape.extents.size());
  if (shape.num_parallel == 0 || shape.num_parallel == rank) return false;
  int across = 0, along = 0;
  auto count = [&](const Access& access) {
    const int64_t row = std::abs(access.byte_strides[shape.num_parallel - 1]);
    const int64_t point = std::abs(access.byte_strides[rank - 1]);
    if (row == 0 || point == 0) return;
    (row < point ? across : along) += 1;
  };
  for (const Phase& phase : kernel.body.phases) {
    if (!phase.over_reduced) continue;
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kInput) count(shape.inputs[node.index]);
    }
    for (const auto& store : phase.stores) count(shape.outputs[store.output]);
  }
  return across > along;
}

struct RowShape {
  int32_t rows, slices;
};

// A row of `length` steps, of which each thread takes at least some.
RowShape ChooseAlong(int64_t rows, int64_t length, const Architecture& architecture) {
  constexpr int32_t kBlock = 256, kMost = 1024;
  if (length <= 4) return {kBlock, 1};
  const bool is_few = rows < int64_t{architecture.multiprocessors} * 8;
  if (length <= 16 || (length <= 1024 && !is_few)) {
    const int32_t slices = std::min(kWarp, PowerOfTwoFrom((length + 1) / 2));
    return {kBlock / slices, slices};
  }
  if (length <= 64) return {kBlock / kWarp, kWarp};
  if (length >= 16384) return {1, kMost};
  return {1, std::clamp(PowerOfTwoFrom(length / 8), 64, length >= 4096 ? 512 : kBlock)};
}

RowShape ChooseAcross(int64_t rows, int64_t length, const Architecture& architecture) {
  constexpr int32_t kBlock = 256;
  if (length <= 8 || rows >= int64_t{architecture.multiprocessors} * 1024) return {kBlock, 1};
  const int32_t slices = std::clamp(PowerOfTwoFrom(length / 16), 2, 16);
  return {kWarp, slices};
}

// 32-bit words of registers that a thread needs at most for what lasts from one phase to the next,
// if it takes `turns` times `vector` points: values of points, and `inputs`, which are all read
// before their first phase.
int64_t LiveWords(const Kernel& kernel, int64_t turns, int32_t vector,
                  std::span<const int32_t> inputs) {
  const auto num_phases = static_cast<int32_t>(kernel.body.phases.size());
  std::vector<int64_t> words(static_cast<size_t>(num_phases) + 1);  // before each phase
  const auto lives = [&](int32_t from, int32_t to, int64_t each) {
    for (int32_t p = from; p <= to; ++p) words[static_cast<size_t>(p)] += each;
  };
  for (const auto& [phase, node] : KeptNodes(kernel)) {
    int32_t last = phase;
    for (int32_t p = 0; p < num_phases; ++p) {
      for (const Node& reader : kernel.body.phases[p].nodes) {
        if (reader.kind == NodeKind::kRow && reader.index == phase && reader.component == node) {
          last = p;
        }
      }
    }
    const int64_t bytes = ByteSize(kernel.body.phases[phase].nodes[node].dtype);
    lives(phase + 1, last, turns * vector * ((bytes + 3) / 4));
  }
  for (int32_t input : inputs) {
    const auto [first, last] = ReadersOf(kernel, input);
    lives(first, last, turns * ((vector * ByteSize(kernel.shape.inputs[input].dtype) + 3) / 4));
  }
  return *std::max_element(words.begin(), words.end());
}

// How many of them leave room for what the phases compute with, in the registers that a thread of
// such a block has.
int64_t MostWords(const Kernel& kernel, int32_t block) {
  constexpr int64_t kRegisters = 65536;  // of a multiprocessor
  bool is_wide = false;
  for (const Phase& phase : kernel.body.phases) {
    for (const Node& node : phase.nodes) is_wide |= ByteSize(node.dtype) > 4;
  }
  return std::min(kRegisterWords, kRegisters / block - (is_wide ? 48 : 32));
}

// Bytes of row values that a block can have in shared memory, beside what its threads exchange.
int64_t MostRowBytes(const Architecture& architecture) {
  return architecture.most_shared_bytes - architecture.shared_bytes / 4;
}

Form ChooseRows(const Kernel& kernel, const Architecture& architecture) {
  const KernelShape& shape = kernel.shape;
  const int64_t rows = NumRows(shape), length = RowLength(shape);
  Form form;
  form.kind = FormKind::kRows;
  form.rows_fastest = LiesAcrossRows(kernel);
  for (const Phase& phase : kernel.body.phases) {
    for (const compiler::Reduction& reduction : phase.reductions) {
      form.in_order |= !Commutes(reduction.combiner);
    }
  }
  const int32_t rank = static_cast<int32_t>(shape.extents.size());
  if (!form.rows_fastest && length > 0 && shape.num_parallel < rank) {
    form.vector = ChooseVector(kernel, rank - 1);
  }
  const int64_t steps = length / form.vector;
  const RowShape chosen = form.rows_fastest ? ChooseAcross(rows, steps, architecture)
                                            : ChooseAlong(rows, steps, architecture);
  form.rows = chosen.rows;
  form.slices = chosen.slices;
  form.block = form.rows * form.slices;
  // Every thread puts down its part of each reduction: what does not fit is not split.
  const int64_t parts = form.rows_fastest ? PartBytes(kernel) : 0;
  if (form.block * parts > architecture.shared_bytes / 4) {
    form.rows = form.block = 128;
    form.slices = 1;
  }

  const auto kept = KeptNodes(kernel);
  const std::vector<int32_t> inputs = KeptInputs(kernel, form.vector);
  if (kept.empty() && inputs.empty()) {
    return ChooseParts(kernel, form, architecture).value_or(form);
  }
  int64_t nodes = 0;
  for (const Phase& phase : kernel.body.phases) nodes += static_cast<int64_t>(phase.nodes.size());
  auto fits = [&](const Form& tried, std::span<const int32_t> kept_inputs) {
    const int64_t turns = (steps + tried.slices - 1) / tried.slices;
    return LiveWords(kernel, turns, tried.vector, kept_inputs) <= MostWords(kernel, tried.block) &&
           turns * tried.vector * nodes <= kUnrolledNodes;
  };
  // More threads for each row, until it fits in their registers: whatever else it is kept in is
  // slower, and so is reading it once more.
  Form wider = form;
  const bool widens = !form.rows_fastest && !form.in_order;
  while (widens && !fits(wider, inputs) && 2 * wider.slices <= architecture.threads_per_block &&
         2 * wider.slices <= steps) {
    wider.slices *= 2;
    wider.rows = std::max(1, wider.rows / 2);
    wider.block = wider.rows * wider.slices;
  }
  if (fits(wider, inputs)) {
    form = wider;
    form.keeps_inputs = !inputs.empty();
    if (!kept.empty()) form.row_place = RowPlace::kRegisters;
  } else if (kept.empty()) {
    form.row_place = RowPlace::kNone;
  } else if (fits(form, {})) {
    form.row_place = RowPlace::kRegisters;
  } else if (const int64_t bytes = form.rows * length * RowBytes(kernel);
             bytes <= MostRowBytes(architecture)) {
    form.row_place = RowPlace::kShared;
    const bool is_little = bytes <= architecture.shared_bytes * 3 / 4;
    form.launch_shared_bytes = is_little ? 0 : static_cast<int32_t>((bytes + 15) / 16 * 16);
  } else {
    form.row_place = RowPlace::kScratch;
  }
  return form;
}

}  // namespace

int32_t ChooseVector(const Kernel& kernel, int32_t dim, bool has_outputs) {
  const KernelShape& shape = kernel.shape;
  int64_t least = kPackBytes, widest = 1;
  const std::vector<Access> none;
  const std::vector<Access>& written = has_outputs ? shape.outputs : none;
  for (const auto* accesses : {&shape.inputs, &written}) {
    for (const Access& access : *accesses) {
      if (access.byte_strides[dim] == ByteSize(access.dtype)) {
        least = std::min(least, ByteSize(access.dtype));
        widest = std::max(widest, ByteSize(access.dtype));
      }
    }
  }
  const int64_t most = widest == 1 ? 16 : 8;
  for (int64_t vector = std::min(most, kPackBytes / least); vector > 1; vector /= 2) {
    if (shape.extents[dim] % vector != 0) continue;
    const int32_t count = static_cast<int32_t>(vector);
    const bool outputs = std::all_of(written.begin(), written.end(), [&](const Access& access) {
      return access.byte_strides[dim] == 0 || IsPacked(access, dim, count);
    });
    bool any = false;
    for (const auto* accesses : {&shape.inputs, &written}) {
      for (const Access& access : *accesses) any |= IsPacked(access, dim, count);
    }
    if (outputs && any) return count;
  }
  return 1;
}

int32_t PowerOfTwoFrom(int64_t value) {
  int32_t power = 1;
  while (power < value) power *= 2;
  return power;
}

int64_t PartBytes(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Phase& phase : kernel.body.phases) {
    for (const compiler::Reduction& reduction : phase.reductions) {
      for (int32_t input : reduction.inputs) {
        bytes += std::max<int64_t>(4, ByteSize(phase.nodes[input].dtype));
      }
    }
  }
  return bytes;
}

std::vector<int32_t> InputsAhead(const Kernel& kernel, int32_t phase, int32_t dim, int32_t vector) {
  const KernelShape& shape = kernel.shape;
  std::set<int32_t> inputs;
  for (const Node& node : kernel.body.phases[static_cast<size_t>(phase)].nodes) {
    if (node.kind != NodeKind::kInput) continue;
    const Access& access = shape.inputs[static_cast<size_t>(node.index)];
    const bool moves =
        std::any_of(access.byte_strides.begin() + shape.num_parallel, access.byte_strides.end(),
                    [](int64_t stride) { return stride != 0; });
    if (!moves || !access.bounds.empty()) continue;
    if (vector == 1 || IsPacked(access, dim, vector)) inputs.insert(node.index);
  }
  return {inputs.begin(), inputs.end()};
}

std::vector<int32_t> InputsAhead(const Kernel& kernel, int32_t vector) {
  std::vector<int32_t> inputs;
  for (size_t i = 0; i < kernel.shape.inputs.size(); ++i) {
    const Access& access = kernel.shape.inputs[i];
    if (access.byte_strides.empty() || !access.bounds.empty()) continue;
    const auto last = static_cast<int32_t>(access.byte_strides.size()) - 1;
    const bool is_one = vector == 1 || access.byte_strides[static_cast<size_t>(last)] == 0;
    if (is_one || IsPacked(access, last, vector)) inputs.push_back(static_cast<int32_t>(i));
  }
  return inputs;
}

int64_t TurnsAhead(const Kernel& kernel, const Form& form, int32_t phase, int64_t turns,
                   std::span<const int32_t> inputs) {
  constexpr int64_t kMostTurns = 8;
  if (inputs.empty()) return 1;
  const int32_t vector = form.vector * form.columns;
  int64_t most = MostWords(kernel, form.block);
  if (form.keeps_inputs || form.row_place == RowPlace::kRegisters) {
    const std::vector<int32_t> kept =
        form.keeps_inputs ? KeptInputs(kernel, form.vector) : std::vector<int32_t>();
    most -= LiveWords(kernel, turns, vector, kept);
  }
  const std::vector<Node>& nodes_of = kernel.body.phases[static_cast<size_t>(phase)].nodes;
  // Functions of f64 take many registers themselves.
  const bool is_wide = std::any_of(nodes_of.begin(), nodes_of.end(), [](const Node& node) {
    return node.kind == NodeKind::kOp && node.dtype == DType::kF64;
  });
  if (is_wide) most = std::min(most, kRegisterWords / 2);
  int64_t words = 0;
  for (int32_t input : inputs) {
    words += (vector * ByteSize(kernel.shape.inputs[static_cast<size_t>(input)].dtype) + 3) / 4;
  }
  const auto nodes = static_cast<int64_t>(nodes_of.size());
  const int64_t ahead = std::max<int64_t>(
      1, std::min({turns, kMostTurns, most / words, kUnrolledNodes / (vector * nodes)}));
  // Evenly, that few turns of the last time have no points.
  const int64_t times = (turns + ahead - 1) / ahead;
  return (turns + times - 1) / times;
}

int64_t NumRows(const KernelShape& shape) {
  int64_t rows = 1;
  for (int32_t d = 0; d < shape.num_parallel; ++d) rows *= shape.extents[d];
  return rows;
}

int64_t RowLength(const KernelShape& shape) {
  int64_t length = 1;
  for (size_t d = static_cast<size_t>(shape.num_parallel); d < shape.extents.size(); ++d) {
    length *= shape.extents[d];
  }
  return length;
}

bool IsPacked(const Access& access, int32_t dim, int32_t vector) {
  const int64_t bytes = ByteSize(access.dtype);
  const int64_t unit = std::min(kPackBytes, bytes * vector);
  if (vector == 1 || access.byte_strides[dim] != bytes || !access.bounds.empty() ||
      access.byte_offset % unit != 0) {
    return false;
  }
  for (size_t d = 0; d < access.byte_strides.size(); ++d) {
    if (static_cast<int32_t>(d) != dim && access.byte_strides[d] % unit != 0) return false;
  }
  return std::all_of(
      access.dynamic_offsets.begin(), access.dynamic_offsets.end(),
      [&](const compiler::DynamicOffset& offset) { return offset.byte_stride % unit == 0; });
}

bool IsTurned(const Access& access, int32_t dim) {
  const int64_t bytes = ByteSize(access.dtype);
  const int64_t innermost = std::abs(access.byte_strides[access.byte_strides.size() - 1]);
  return std::abs(access.byte_strides[static_cast<size_t>(dim)]) == bytes && innermost != 0 &&
         innermost != bytes;
}

std::pair<int32_t, int32_t> ReadersOf(const Kernel& kernel, int32_t input) {
  std::pair<int32_t, int32_t> readers{-1, -1};
  for (size_t p = 0; p < kernel.body.phases.size(); ++p) {
    const Phase& phase = kernel.body.phases[p];
    const bool reads = std::any_of(phase.nodes.begin(), phase.nodes.end(), [&](const Node& node) {
      return node.kind == NodeKind::kInput && node.index == input;
    });
    if (!phase.over_reduced || !reads) continue;
    readers.second = static_cast<int32_t>(p);
    if (readers.first < 0) readers.first = readers.second;
  }
  return readers;
}

std::vector<int32_t> KeptInputs(const Kernel& kernel, int32_t vector) {
  const KernelShape& shape = kernel.shape;
  std::vector<int32_t> kept;
  for (size_t i = 0; i < shape.inputs.size(); ++i) {
    const Access& access = shape.inputs[i];
    const auto first = access.byte_strides.begin() + shape.num_parallel;
    const auto moves = [](int64_t stride) { return stride != 0; };
    // What all rows share, or all points of one, is near anyway.
    if (std::none_of(access.byte_strides.begin(), first, moves) ||
        std::none_of(first, access.byte_strides.end(), moves)) {
      continue;
    }
    const auto rank = static_cast<int32_t>(access.byte_strides.size());
    if (!access.bounds.empty() || (vector > 1 && !IsPacked(access, rank - 1, vector))) continue;
    const auto [begin, end] = ReadersOf(kernel, static_cast<int32_t>(i));
    if (begin != end) kept.push_back(static_cast<int32_t>(i));
  }
  return kept;
}

int64_t RowBytes(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const auto& [phase, node] : KeptNodes(kernel)) {
    bytes += ByteSize(kernel.body.phases[phase].nodes[node].dtype);
  }
  return bytes;
}

bool Commutes(const compiler::Combiner& combiner) {
  const std::optional<compiler::Opcode> op = compiler::SingleOp(combiner);
  return op.has_value() && compiler::InfoOf(*op).commutative;
}

// The table: what a kernel looks like, and the form that it takes.
Form ChooseForm(const Kernel& kernel, const Architecture& architecture) {
  const std::vector<Phase>& phases = kernel.body.phases;
  const bool points_only = std::all_of(phases.begin(), phases.end(),
                                       [](const Phase& phase) { return phase.over_reduced; });
  const bool rows_only = std::none_of(phases.begin(), phases.end(),
                                      [](const Phase& phase) { return phase.over_reduced; });
  if (rows_only || (points_only && !HasReductions(kernel))) {
    return ChoosePointwise(kernel, architecture);
  }
  return ChooseRows(kernel, architecture);
}

}  // namespace plinth::cuda
