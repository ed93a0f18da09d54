// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TARGET_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TARGET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/ir/lower_class.h"
#include "reference_plugin/compiler/ir/op_work.h"
#include "reference_plugin/compiler/ir/opcode.h"

// What a back end can do and what things cost there. The back end hands it to the compiler, which
// holds no cost, cache size or limit of any machine itself.
namespace plinth::compiler {

// A set of enumerators from 0 to kCount - 1.
template <typename T, int kCount>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<T> members) {
    for (T member : members) Add(member);
  }
  constexpr void Add(T member) { has_[static_cast<size_t>(member)] = true; }
  constexpr void Remove(T member) { has_[static_cast<size_t>(member)] = false; }
  constexpr bool Has(T member) const { return has_[static_cast<size_t>(member)]; }

 private:
  std::array<bool, kCount> has_{};
};
using DTypeSet = EnumSet<DType, kNumDTypes>;
using OpcodeSet = EnumSet<Opcode, kNumOpcodes>;

// Which kernels the back end handles well. Only the rank limits what a program may say; an op that
// exceeds another limit on its own is still one kernel.
struct KernelLimits {
  int32_t nodes;         // scalar ops of one kernel
  int32_t loads;         // values that it reads
  size_t instances;      // values at index maps, also those that are not computed; bounds nesting
  int32_t outputs;       // arrays that it writes
  int32_t domain_rank;   // dimensions that fusion may give a domain
  int64_t row_elements;  // longer rows are not kept from one phase to the next
  int64_t row_bytes;     // what one kernel keeps of each row, all its row buffers together
  // At most so many rows longer than row_elements: what is computed at each of their points from a
  // reduction is another kernel's; and so is a reduction of that.
  int64_t few_rows = 1;
  int64_t few_reduced_rows = 0;
  // Rows of more elements that do not lie side by side: one kernel reduces them once.
  int64_t column_elements;
  int32_t gather_indices = 0;  // at so many values an input may be read; 0: gather is no kernel
};

// When fusion computes something again, and when it joins or cuts.
struct FusionLimits {
  int64_t tiny_points;        // independent kernels over at most so many points become one
  int64_t recomputed_points;  // evaluations beyond one per element that cost less than a step
  int32_t recomputed_ops;     // ops in a row that are computed more often than they have elements
  int32_t duplicated_ops;     // ops in a row that several kernels compute
  int64_t selected_elements;  // of a concatenation that is one kernel of selects
  size_t selected_operands;   // the same
  // Rows of at most so many elements that are put together are computed and written column by
  // column, never chosen from by selects (passes/columns.h), 0: none; in arrays of at least this
  // many elements.
  int64_t columns;
  int64_t column_elements;
  // Arrays of so many elements whose fastest dimension is another one than that of others are not
  // read by a kernel with reductions, but transposed before. 0: they are read.
  int64_t turned_elements = 0;
};

// Loops that become straight code, or code of two turns (plan/linear_code.h).
struct LoopLimits {
  int32_t unrolled_turns;
  int32_t unrolled_ops;  // of one turn
  int32_t paired_steps;  // of one turn, where control flow is jumps
};

// Products that become elementwise ops and sums (passes/small_products.h). 0: none.
struct SmallProductLimits {
  int64_t multiplications;  // of each batch element
  int64_t terms;            // of each element of the result, which are added one by one
  int64_t row;              // terms of a product of two vectors, which is a sum over a row
  int64_t rows = 1;         // so many rows of each batch element times a vector of it, the same
};

// Products of all turns of a loop that are computed at once (passes/loop_products.h).
struct LoopProductLimits {
  double flops;          // of one turn: larger products are as fast in the loop
  int64_t cached_bytes;  // smaller operands stay near from turn to turn: the same
  int64_t bytes;         // of an array with the operands or results of all turns
};

// Work of elementwise ops, per element, in units of an addition.
struct WorkUnits {
  int32_t simple, division, root, remainder, function;  // by OpWork, of real floats
  int32_t integer_division;  // divide and remainder of integers and complex numbers
  int32_t cheap;             // so much is rather computed in each kernel that needs it than stored
  int32_t row_cheap;  // so much is rather computed in each phase that needs it than kept in a row

  constexpr int32_t Of(Opcode opcode) const {
    switch (WorkOf(opcode)) {
      case OpWork::kNone:
        return 0;
      case OpWork::kSimple:
        return simple;
      case OpWork::kDivision:
        return division;
      case OpWork::kRoot:
        return root;
      case OpWork::kRemainder:
        return remainder;
      case OpWork::kFunction:
        return function;
    }
    return simple;
  }
};

// Rough times, in nanoseconds on one core or what the back end takes for one. They order candidates
// and decide whether a run is short; results never depend on them.
struct Rates {
  double kernel_start_ns;
  double kernel_ns_per_unit;  // of WorkUnits, per point
  double kernel_ns_per_byte;  // read or written
  double library_start_ns;
  double library_ns_per_byte;   // read or written
  double library_flops_per_ns;  // of products and factorizations; a multiply-add is two
  double sort_ns;               // per element and halving of the sorted length
  double scan_ns;               // per element of top_k and cumulative_reduce
  double gather_ns;             // per run of elements that are neighbours in both arrays
  double scatter_ns;            // the same
  double scatter_call_ns;       // besides, for each run that a combiner is called for
  double window_ns;             // per element of the windows of select_and_scatter
  double fft_ns;                // per element of the result and halving of the length
  double random_ns;             // per element
  double copy_ns_per_byte;
  double loop_turn_ns;  // besides the steps of the turn
};

// What collectives cost, in what a device does alone in that time. They order candidates of the
// partitioner; results depend on them in the order of sums alone.
struct CollectiveCosts {
  double start_bytes;  // of a collective beside what it moves: bytes read or written
  // The same with the wait for the slowest device: bytes of results computed element by element.
  double meeting_bytes;
  double multiplication_bytes;  // of a product, for one multiplication: bytes read or written
  int64_t product_terms;        // so many terms of a product cost as one more op on its result
  int64_t parted_sum_bytes;     // smaller sums are not made in parts for a collective more
  int64_t waiting_bytes;        // so much is held until others like it join a collective
  int64_t waiting_sum_bytes;    // larger sums end the wait of those that they are made of
};

// Library steps of `opcode` may write `result` over `operand` where both are of one type.
struct InPlaceRule {
  Opcode opcode;
  int32_t operand, result;
};

// A combiner of the library's scatter, of one op or (kReturn) of none, that is a loop: over single
// elements of some types, or over runs of neighbours. Others are called for each run, which takes
// Rates::scatter_call_ns.
struct ScatterLoop {
  Opcode combiner;
  DTypeSet elements, runs;
};

// How plans say loops and branches.
enum class ControlFlow : uint8_t {
  kJumps,    // flat steps with jumps
  kRegions,  // the same, and Plan::regions beside them
};

// Immutable; what spans show lives as long as the target is used.
struct Target {
  std::string_view name;  // "cpu", for messages
  KernelLimits kernels;
  FusionLimits fusion;
  LoopLimits loops;
  LoopProductLimits loop_products;
  SmallProductLimits small_products;
  // The most that an op of a loop may give to be computed before the loop where no turn changes it
  // (passes/loop_invariants.h): it lives as long as the loop runs. 0: all ops stay.
  int64_t hoisted_bytes;
  // Arrays of s32 from so many elements on are divided by constants as f64
  // (passes/integer_quotients.h). 0: none are.
  int64_t quotient_elements = 0;
  // From so many rows of predicates on, rows of 4 or 8 are summed up as words
  // (passes/predicate_sums.h). 0: none are.
  int64_t predicate_rows = 0;
  WorkUnits work;
  Rates rates;
  CollectiveCosts collectives;

  // Ops that become library steps. An op that lowering can also write as kernels is one where it is
  // not in this set; an op that it cannot is refused.
  OpcodeSet library;
  // Which products (dot_general, convolution) exist: of operands of a type, the types in which they
  // may be summed. Other products become one of these between conversions.
  std::array<DTypeSet, kNumDTypes> products;
  // Floats of which cholesky and triangular_solve are computed. Others are converted to f32, and
  // the result is rounded once.
  DTypeSet factors;
  // Elements that top_k orders. Others are converted to the next wider type of their kind.
  DTypeSet top_k;

  std::span<const InPlaceRule> in_place;
  std::span<const ScatterLoop> scatter_loops;
  // Whether a kernel may write a result over an operand of which every point reads just the element
  // that it writes.
  bool kernels_work_in_place;

  ControlFlow control_flow;
  int64_t arena_alignment;  // of arrays in the arena, in bytes; a power of two

  LowerClass ClassOf(Opcode opcode) const {
    if (library.Has(opcode)) return LowerClass::kLibrary;
    const LowerClass lower_class = LowerClassOf(opcode);
    return lower_class == LowerClass::kLibrary ? LowerClass::kRefused : lower_class;
  }
};

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TARGET_H_
