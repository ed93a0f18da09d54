// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/target.h"

#include "reference_plugin/compiler/target_sets.h"

namespace plinth::cuda {
namespace {

using compiler::Opcode;

constexpr compiler::KernelLimits kKernels = {
    .nodes = 128,
    .loads = 40,
    .instances = 512,
    .outputs = 16,
    .domain_rank = 8,
    // One block takes a row: nothing of longer ones is kept.
    .row_elements = 32768,
    // Shared memory of a block that asks for it, on the devices that have most.
    .row_bytes = 215 << 10,
    // About as many as multiprocessors: several kernels that share each row take less time than
    // blocks that go over a long one several times.
    .few_rows = 132,
    .few_reduced_rows = 132,
    // Neighbouring threads take neighbouring columns: they read each element again from memory.
    .column_elements = 64,
};

// Fusion of points may change the fastest dimension: the form by tiles (print/tiles.cc) takes what
// then lies along another one. Rows have no such form.
constexpr compiler::FusionLimits kFusion = {
    // A launch costs about as much as so many points.
    .tiny_points = 1 << 16, .recomputed_points = 1 << 20, .recomputed_ops = 4,
    .duplicated_ops = 8,    .selected_elements = 1 << 16, .selected_operands = 4,
    .columns = 0,           .column_elements = 0,         .turned_elements = 1 << 12,
};

// A kernel of products gives each of them a block, and the library a call; spelled out, a thread
// has an element, reads what its neighbours read, and works in f32. Sums of rows are read once,
// however long they are. Not measured.
constexpr compiler::SmallProductLimits kSmallProducts = {
    .multiplications = 1 << 12, .terms = 8, .row = 1 << 30};

constexpr compiler::WorkUnits kWork = {
    .simple = 1,
    .division = 8,
    .root = 8,
    .remainder = 16,
    .function = 16,
    .integer_division = 20,
    .cheap = 4,
    // What is kept of a row is a barrier, or registers.
    .row_cheap = 16,
};

// Of a device with about 4 TB/s, as one core: they order candidates.
constexpr compiler::Rates kRates = {
    .kernel_start_ns = 3000,
    .kernel_ns_per_unit = 0.0001,
    .kernel_ns_per_byte = 0.0003,
    .library_start_ns = 3000,
    .library_ns_per_byte = 0.0003,
    .library_flops_per_ns = 50000,
    .sort_ns = 0.02,
    .scan_ns = 0.01,
    .gather_ns = 0.005,
    .scatter_ns = 0.01,
    .scatter_call_ns = 0,
    .window_ns = 0.005,
    .fft_ns = 0.002,
    .random_ns = 0.001,
    .copy_ns_per_byte = 0.0005,
    .loop_turn_ns = 10000,
};

// Each matrix is read before it is written.
constexpr compiler::InPlaceRule kInPlace[] = {
    {Opcode::kCholesky, 0, 0},
    {Opcode::kTriangularSolve, 1, 0},
};

}  // namespace

constexpr compiler::Target kTarget = {
    .name = "cuda",
    .kernels = kKernels,
    .fusion = kFusion,
    .loops = {.unrolled_turns = 0, .unrolled_ops = 0, .paired_steps = 0},
    .loop_products = {.flops = 0, .cached_bytes = 0, .bytes = 0},
    .small_products = kSmallProducts,
    .hoisted_bytes = 0,
    .work = kWork,
    .rates = kRates,
    // Not measured: the programs of today are for one device.
    .collectives = {.start_bytes = 1 << 20,
                    .meeting_bytes = 1 << 20,
                    .multiplication_bytes = 0.02,
                    .product_terms = 64,
                    .parted_sum_bytes = 1 << 16,
                    .waiting_bytes = 1 << 20,
                    .waiting_sum_bytes = 1 << 16},
    // library/: see library.h.
    .library = {Opcode::kDotGeneral, Opcode::kConvolution, Opcode::kGather, Opcode::kScatter,
                Opcode::kSort, Opcode::kTopK, Opcode::kSelectAndScatter, Opcode::kRngBitGenerator,
                Opcode::kRng, Opcode::kCumulativeReduce, Opcode::kPartitionId, Opcode::kReplicaId,
                Opcode::kCustomCall, Opcode::kCholesky, Opcode::kTriangularSolve, Opcode::kFft},
    .products = compiler::ProductsInOwnOrWiderType(),
    .factors = {DType::kF32, DType::kF64},
    .top_k = compiler::kRealTypes,
    .in_place = kInPlace,
    // No combiner is called.
    .scatter_loops = {},
    .kernels_work_in_place = true,
    .control_flow = compiler::ControlFlow::kRegions,
    .arena_alignment = 256,
};

}  // namespace plinth::cuda
