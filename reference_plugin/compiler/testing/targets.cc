// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/targets.h"

#include <limits>

namespace plinth::compiler::testing {
namespace {

constexpr OpcodeSet kLibrary = {Opcode::kDotGeneral,
                                Opcode::kConvolution,
                                Opcode::kGather,
                                Opcode::kScatter,
                                Opcode::kSort,
                                Opcode::kTopK,
                                Opcode::kRng,
                                Opcode::kRngBitGenerator,
                                Opcode::kSelectAndScatter,
                                Opcode::kReplicaId,
                                Opcode::kCumulativeReduce,
                                Opcode::kPartitionId,
                                Opcode::kCustomCall,
                                Opcode::kTriangularSolve,
                                Opcode::kCholesky,
                                Opcode::kFft};

constexpr DType kIntegers[] = {DType::kS8, DType::kS16, DType::kS32, DType::kS64,
                               DType::kU8, DType::kU16, DType::kU32, DType::kU64};
constexpr DType kFloats[] = {DType::kF16, DType::kBF16, DType::kF32, DType::kF64};
constexpr DType kComplex[] = {DType::kC64, DType::kC128};

constexpr DTypeSet SetOf(std::span<const DType> types) {
  DTypeSet set;
  for (DType type : types) set.Add(type);
  return set;
}

// Of elements of any type, summed in any type of its kind.
constexpr std::array<DTypeSet, kNumDTypes> AllProducts() {
  std::array<DTypeSet, kNumDTypes> products{};
  for (const std::span<const DType> kind :
       {std::span<const DType>(kIntegers), std::span<const DType>(kFloats),
        std::span<const DType>(kComplex)}) {
    for (DType type : kind) products[static_cast<size_t>(type)] = SetOf(kind);
  }
  products[static_cast<size_t>(DType::kPred)] = {DType::kPred};
  return products;
}

// Of 32 and 64 bits, summed in their own type.
constexpr std::array<DTypeSet, kNumDTypes> FewProducts() {
  std::array<DTypeSet, kNumDTypes> products{};
  for (DType type : {DType::kS32, DType::kU32, DType::kS64, DType::kU64, DType::kF32, DType::kF64,
                     DType::kC64, DType::kC128}) {
    products[static_cast<size_t>(type)] = {type};
  }
  return products;
}

constexpr DTypeSet RealTypes() {
  DTypeSet types = {DType::kPred};
  for (DType type : kIntegers) types.Add(type);
  for (DType type : kFloats) types.Add(type);
  return types;
}

constexpr ScatterLoop kScatterLoops[] = {
    {Opcode::kAdd, {}, {DType::kF32}},
    {Opcode::kMultiply, {DType::kF32}, {}},
};

constexpr InPlaceRule kInPlace[] = {
    {Opcode::kCholesky, 0, 0}, {Opcode::kFft, 0, 0}, {Opcode::kTriangularSolve, 1, 0}};

}  // namespace

constexpr Target kPlainTarget = {
    .name = "plain",
    .kernels = {.nodes = 128,
                .loads = 40,
                .instances = 512,
                .outputs = 16,
                .domain_rank = 8,
                .row_elements = 32768,
                .row_bytes = std::numeric_limits<int64_t>::max(),
                .column_elements = 32768,
                .gather_indices = 2},
    .fusion = {.tiny_points = 1024,
               .recomputed_points = 4096,
               .recomputed_ops = 2,
               .duplicated_ops = 4,
               .selected_elements = 8192,
               .selected_operands = 4,
               .columns = 4,
               .column_elements = 1024},
    // Tests of loops have few turns.
    .loops = {.unrolled_turns = 0, .unrolled_ops = 0, .paired_steps = 64},
    .loop_products = {.flops = 1e6, .cached_bytes = 0, .bytes = 1 << 20},
    .small_products = {.multiplications = 0, .terms = 0, .row = 0},
    .hoisted_bytes = 0,
    .work = {.simple = 1,
             .division = 4,
             .root = 4,
             .remainder = 4,
             .function = 12,
             .integer_division = 12,
             .cheap = 2,
             .row_cheap = 4},
    .rates = {.kernel_start_ns = 50,
              .kernel_ns_per_unit = 0.04,
              .kernel_ns_per_byte = 0.1,
              .library_start_ns = 150,
              .library_ns_per_byte = 0.1,
              .library_flops_per_ns = 50,
              .sort_ns = 3,
              .scan_ns = 2,
              .gather_ns = 1,
              .scatter_ns = 2,
              .scatter_call_ns = 20,
              .window_ns = 2,
              .fft_ns = 0.3,
              .random_ns = 1,
              .copy_ns_per_byte = 0.2,
              .loop_turn_ns = 20},
    .collectives = {.start_bytes = 1 << 15,
                    .meeting_bytes = 1 << 20,
                    .multiplication_bytes = 0.25,
                    .product_terms = 8,
                    .parted_sum_bytes = 1 << 16,
                    .waiting_bytes = 1 << 20,
                    .waiting_sum_bytes = 1 << 16},
    .library = kLibrary,
    .products = AllProducts(),
    .factors = {DType::kF32, DType::kF64, DType::kC64, DType::kC128},
    .top_k = RealTypes(),
    .in_place = kInPlace,
    .scatter_loops = kScatterLoops,
    .kernels_work_in_place = true,
    .control_flow = ControlFlow::kJumps,
    .arena_alignment = 64,
};

constexpr Target kOddTarget = {
    .name = "odd",
    .kernels = {.nodes = 3,
                .loads = 2,
                .instances = 6,
                .outputs = 1,
                .domain_rank = 1,
                .row_elements = 3,
                .row_bytes = 8,
                .column_elements = 3},
    .fusion = {.tiny_points = 0,
               .recomputed_points = 0,
               .recomputed_ops = 0,
               .duplicated_ops = 0,
               .selected_elements = 0,
               .selected_operands = 1,
               .columns = 3,
               .column_elements = 1},
    .loops = {.unrolled_turns = 3, .unrolled_ops = 100, .paired_steps = 0},
    .loop_products = {.flops = 0, .cached_bytes = 0, .bytes = 0},
    .small_products = {.multiplications = 12, .terms = 2, .row = 5},
    .hoisted_bytes = 0,
    .work = {.simple = 5,
             .division = 1,
             .root = 1,
             .remainder = 1,
             .function = 1,
             .integer_division = 1,
             .cheap = 0,
             .row_cheap = 0},
    .rates = {.kernel_start_ns = 5000,
              .kernel_ns_per_unit = 0.001,
              .kernel_ns_per_byte = 0.001,
              .library_start_ns = 10000,
              .library_ns_per_byte = 0.001,
              .library_flops_per_ns = 10000,
              .sort_ns = 0.01,
              .scan_ns = 0.01,
              .gather_ns = 0.01,
              .scatter_ns = 0.01,
              .scatter_call_ns = 0,
              .window_ns = 0.01,
              .fft_ns = 0.01,
              .random_ns = 0.01,
              .copy_ns_per_byte = 0.001,
              .loop_turn_ns = 5000},
    .collectives = {.start_bytes = 1,
                    .meeting_bytes = 1,
                    .multiplication_bytes = 1,
                    .product_terms = 1,
                    .parted_sum_bytes = 0,
                    .waiting_bytes = 0,
                    .waiting_sum_bytes = 0},
    .library = kLibrary,
    .products = FewProducts(),
    .factors = {DType::kF32, DType::kF64},
    .top_k = {DType::kS32, DType::kU32, DType::kF32, DType::kF64},
    .in_place = {},
    .scatter_loops = {},
    .kernels_work_in_place = false,
    .control_flow = ControlFlow::kRegions,
    .arena_alignment = 256,
};

}  // namespace plinth::compiler::testing
