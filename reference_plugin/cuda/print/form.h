// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_FORM_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_FORM_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cuda/print/program.h"

// Which form a kernel takes. What is chosen here follows from the kernel and the architecture, so
// that the order of a float sum does too. docs/extending/kernel-form.md says how to add one.
namespace plinth::cuda {

inline constexpr int32_t kWarp = 32;  // threads, on all devices there are
inline constexpr int32_t kTile = 32;  // points along each side of a tile

enum class FormKind : uint8_t {
  kPointwise,  // threads take points
  kTiles,      // blocks take tiles of points, in two dimensions
  kRows,       // threads, or several of them, take rows
};

// Where the values of a row stay from one phase to the next. Each thread meets only those that it
// has kept itself.
enum class RowPlace : uint8_t {
  kNone,
  kRegisters,
  kShared,
  kScratch,  // of the launch, in device memory
};

struct Form {
  FormKind kind = FormKind::kPointwise;
  int32_t block = 256;  // threads
  // Neighbouring points that a thread takes at once, along the innermost dimension (of the reduced
  // ones, for rows); some accesses then move up to 16 bytes.
  int32_t vector = 1;
  // kPointwise: the text does not have the length of the only dimension, the launch has.
  bool takes_length = false;
  // kPointwise: times that a thread takes `vector` points, a block's threads apart. It reads those
  // of all times before it computes.
  int32_t turns = 1;

  // kTiles: the dimension, beside the innermost one, along which some operands lie.
  int32_t turned_dim = 0;

  // kRows: a block is `rows` rows times `slices` threads of each, `block` together.
  int32_t rows = 1, slices = 1;
  // Of rows in parts whose neighbours lie side by side: how many of them each thread takes instead
  // of one, so that some accesses move up to 16 bytes.
  int32_t columns = 1;
  // Neighbouring threads take neighbouring rows, not neighbouring points of one.
  bool rows_fastest = false;
  // Each thread takes a run of points, and what they give is combined in the order of threads: for
  // combiners that are not known to commute.
  bool in_order = false;
  RowPlace row_place = RowPlace::kNone;
  // kShared: bytes that the launch asks for; 0 if what there always is is enough.
  int32_t launch_shared_bytes = 0;
  // A thread reads its part of the inputs of KeptInputs once, all of it before it computes, and has
  // it in registers.
  bool keeps_inputs = false;
  // Parts of a row that blocks of their own take: `splits` of them, all of `part` points but the
  // last, which may be shorter. What they give is combined, in their order, by a second launch.
  // Without parts, `part` is 0.
  int32_t splits = 1;
  int64_t part = 0;
};

Form ChooseForm(const compiler::Kernel& kernel, const Architecture& architecture);

// How many points along `dim` a thread takes at once: as many as all outputs that lie along it, and
// at least one access, can be moved by as packs. `has_outputs`: whether the launch writes any.
int32_t ChooseVector(const compiler::Kernel& kernel, int32_t dim, bool has_outputs = true);

// The least power of two that is not less.
int32_t PowerOfTwoFrom(int64_t value);

// Points of the parallel dimensions; of the reduced ones.
int64_t NumRows(const compiler::KernelShape& shape);
int64_t RowLength(const compiler::KernelShape& shape);

// Whether `vector` elements from a multiple of `vector` on, along dimension `dim`, lie side by side
// at a multiple of their size (16 bytes, if they are more).
bool IsPacked(const compiler::Access& access, int32_t dim, int32_t vector);

// Whether neighbours along dimension `dim` are neighbours in memory, and those along the innermost
// one lie apart.
bool IsTurned(const compiler::Access& access, int32_t dim);

// Inputs over the points of rows that more than one phase reads, and that a thread which takes
// `vector` neighbours at once can keep.
std::vector<int32_t> KeptInputs(const compiler::Kernel& kernel, int32_t vector);

// Inputs of a phase over points that a thread may read for several turns before it computes the
// first: those that it finds along the points, packs if it takes `vector` neighbours along `dim`.
std::vector<int32_t> InputsAhead(const compiler::Kernel& kernel, int32_t phase, int32_t dim,
                                 int32_t vector);

// The same of a kernel without reductions: those of which `vector` neighbours along the innermost
// dimension are a pack or one element.
std::vector<int32_t> InputsAhead(const compiler::Kernel& kernel, int32_t vector);

// Of so many turns of a thread, those whose `inputs`, which only this phase reads, it has in
// registers before it computes the first of them.
int64_t TurnsAhead(const compiler::Kernel& kernel, const Form& form, int32_t phase, int64_t turns,
                   std::span<const int32_t> inputs);

// The first and the last phase over points that read the input; {-1, -1} if none does.
std::pair<int32_t, int32_t> ReadersOf(const compiler::Kernel& kernel, int32_t input);

// What a thread's parts of all reductions take; a value takes four bytes or more.
int64_t PartBytes(const compiler::Kernel& kernel);

// Bytes that a kernel keeps of each row.
int64_t RowBytes(const compiler::Kernel& kernel);

// Whether the order in which elements are combined is free.
bool Commutes(const compiler::Combiner& combiner);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_FORM_H_
