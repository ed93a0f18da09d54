// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/target.h"

#include <limits>

#include "reference_plugin/backend/host/storage.h"
#include "reference_plugin/compiler/target_sets.h"

namespace plinth::cpu {
namespace {

using compiler::Opcode;

constexpr compiler::KernelLimits kKernels = {
    .nodes = 256,
    .loads = 40,
    .instances = 1024,
    .outputs = 16,
    .domain_rank = 8,
    // Longer rows do not stay in a core's cache between two phases.
    .row_elements = 32768,
    .row_bytes = std::numeric_limits<int64_t>::max(),
    .column_elements = 32768,
    .gather_indices = 2,
};

constexpr compiler::FusionLimits kFusion = {
    .tiny_points = 1024,
    .recomputed_points = 4096,
    .recomputed_ops = 2,
    .duplicated_ops = 4,
    // As many as loops have code for. Selects read all parts at every point, and rows of 64 between
    // columns of one took 3.8 us for 66 x 66 elements, as three parts 0.9.
    .selected_elements = 512,
    .selected_operands = 4,
    // What reads one column of several has a run of one element per row, and bounds to check.
    .columns = 8,
    .column_elements = 32,
};

// Threefry, which all random numbers are made with, is a loop of five turns of some 50 ops.
constexpr compiler::LoopLimits kLoops = {
    .unrolled_turns = 8, .unrolled_ops = 64, .paired_steps = 256};

// A product of this size takes 2 ms: what starting, sharing and packing it cost is little. Measured
// on cells of 16 rows: with weights of 4 MB, one product for all turns takes half the time; with
// weights of 128 KB, a tenth more.
constexpr compiler::LoopProductLimits kLoopProducts = {
    .flops = 200e6, .cached_bytes = 512 << 10, .bytes = 64 << 20};

// Measured on 100,000 products at once, Zen 5, one thread, library and spelled out: of points of 3
// 1,180 and 85 us, of 3 x 3 matrices 2,700 and 2,100, of 4 x 4 matrices 3,700 and 7,100. Rows of 64
// that are summed take 14 ns each, the library 15; longer ones are the same.
constexpr compiler::SmallProductLimits kSmallProducts = {
    .multiplications = 27, .terms = 8, .row = 128, .rows = 64};

constexpr compiler::WorkUnits kWork = {
    .simple = 1,
    .division = 4,
    .root = 4,
    .remainder = 4,
    .function = 12,
    // No cheaper than a transcendental.
    .integer_division = 12,
    .cheap = 2,
    .row_cheap = 4,
};

constexpr compiler::Rates kRates = {
    .kernel_start_ns = 50,
    .kernel_ns_per_unit = 0.04,
    // In the cache, where arrays of short runs are: 64 KB that are read and written take 2 us.
    .kernel_ns_per_byte = 0.02,
    .library_start_ns = 150,
    .library_ns_per_byte = 0.1,
    .library_flops_per_ns = 50,
    .sort_ns = 3,
    .scan_ns = 2,
    // 20,000 rows of 8 floats that are added take 22 us on a Zen 3.
    .gather_ns = 1,
    .scatter_ns = 1,
    // Columns of a matrix take 11 on a Zen 3, complex numbers 30, products of f16 57.
    .scatter_call_ns = 30,
    .window_ns = 2,
    .fft_ns = 0.3,
    .random_ns = 1,
    .copy_ns_per_byte = 0.2,
    .loop_turn_ns = 20,
};

// All devices are threads of one process. Rough, and looked at by the plans that come of them:
// GPT training steps on 4 x 2 and 8 devices.
constexpr compiler::CollectiveCosts kCollectives = {
    .start_bytes = 1 << 15,
    .meeting_bytes = 1 << 20,
    .multiplication_bytes = 0.25,
    .product_terms = 8,
    .parted_sum_bytes = 1 << 16,
    .waiting_bytes = 1 << 20,
    .waiting_sum_bytes = 1 << 16,
};

constexpr compiler::DTypeSet UpToEightBytes() {
  compiler::DTypeSet types;
  for (int type = 0; type < kNumDTypes; ++type) types.Add(static_cast<DType>(type));
  types.Remove(DType::kC128);
  return types;
}

// As library/scatter_scalars.cc has them.
constexpr compiler::ScatterLoop kScatterLoops[] = {
    {Opcode::kReturn, UpToEightBytes(), {}},
    {Opcode::kAdd,
     {DType::kS64, DType::kU32},
     {DType::kF32, DType::kF64, DType::kS32, DType::kBF16}},
    {Opcode::kMaximum,
     {DType::kS64, DType::kU32, DType::kBF16},
     {DType::kF32, DType::kF64, DType::kS32}},
    {Opcode::kMinimum,
     {DType::kS64, DType::kU32, DType::kBF16},
     {DType::kF32, DType::kF64, DType::kS32}},
    {Opcode::kMultiply, {DType::kF32, DType::kF64, DType::kS32}, {}},
};

// Each line of a transform, each matrix, each element of all lanes is read before it is written.
constexpr compiler::InPlaceRule kInPlace[] = {
    {Opcode::kAllReduce, 0, 0},
    {Opcode::kCholesky, 0, 0},
    {Opcode::kFft, 0, 0},
    {Opcode::kTriangularSolve, 1, 0},
};

}  // namespace

constexpr compiler::Target kTarget = {
    .name = "cpu",
    .kernels = kKernels,
    .fusion = kFusion,
    .loops = kLoops,
    .loop_products = kLoopProducts,
    .small_products = kSmallProducts,
    .hoisted_bytes = kLoopProducts.bytes,
    // Few elements are a loop's or a small kernel's, whose code has vectors of s32 alone.
    .quotient_elements = 1024,
    // The predicates are written as bytes before, in a step of its own.
    .predicate_rows = 1024,
    .work = kWork,
    .rates = kRates,
    .collectives = kCollectives,
    // library/: see library.h.
    .library = {Opcode::kDotGeneral,
                Opcode::kConvolution,
                Opcode::kGather,
                Opcode::kScatter,
                Opcode::kSort,
                Opcode::kTopK,
                Opcode::kSelectAndScatter,
                Opcode::kRngBitGenerator,
                Opcode::kRng,
                Opcode::kCumulativeReduce,
                Opcode::kPartitionId,
                Opcode::kReplicaId,
                Opcode::kCustomCall,
                Opcode::kCholesky,
                Opcode::kFft,
                Opcode::kTriangularSolve,
                Opcode::kAllGather,
                Opcode::kAllReduce,
                Opcode::kAllToAll,
                Opcode::kCollectiveBroadcast,
                Opcode::kCollectivePermute,
                Opcode::kReduceScatter,
                Opcode::kRedistribute},
    // gemm.h packs operands of any of these types.
    .products = compiler::ProductsInOwnOrWiderType(),
    .factors = {DType::kF32, DType::kF64},
    .top_k = compiler::kRealTypes,
    .in_place = kInPlace,
    .scatter_loops = kScatterLoops,
    .kernels_work_in_place = true,
    .control_flow = compiler::ControlFlow::kJumps,
    .arena_alignment = backend::kStorageAlignment,
};

}  // namespace plinth::cpu
