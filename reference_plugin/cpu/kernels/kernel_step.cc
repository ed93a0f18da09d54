// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/kernel_step.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "reference_plugin/cpu/kernels/addresses.h"
#include "reference_plugin/cpu/kernels/copy_step.h"
#include "reference_plugin/cpu/kernels/emitted_code.h"
#include "reference_plugin/cpu/kernels/past_cache.h"
#include "reference_plugin/cpu/kernels/row_code.h"
#include "reference_plugin/cpu/kernels/small_kernel.h"
#include "reference_plugin/cpu/kernels/split_run.h"
#include "reference_plugin/cpu/kernels/tile_program.h"
#include "reference_plugin/cpu/kernels/worker.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;

// A share of the work that is worth handing to another thread.
constexpr double kGrainNs = 10e3;
// Below this a kernel runs on the calling thread alone.
constexpr double kInlineNs = 20e3;
// From here on the first run gains more than code costs to make: 30 to 100 us.
constexpr double kLongNs = 500e3;

class KernelStep : public backend::PreparedStep {
 public:
  KernelStep(std::shared_ptr<const Kernel> kernel, std::unique_ptr<TileProgram> program,
             std::shared_ptr<emit::CodeCache> codes, int64_t array_bytes)
      : kernel_(std::move(kernel)), program_(std::move(program)) {
    const double tiles = static_cast<double>(program_->parallel.num_tiles);
    split_ = SplitOf(*program_);
    is_past_cache_ =
        split_.chunks == 0 && HasOutputPastCache(*kernel_, program_->domain, array_bytes);
    if (codes != nullptr) {
      const bool at_once = tiles * program_->tile_ns >= kLongNs;
      const bool whole_rows = split_.chunks == 0;
      if (is_past_cache_) {
        code_past_cache_ = std::make_unique<LazyCode>(
            *program_, EmittedCode::Options{whole_rows, /*past_cache=*/true}, codes, at_once);
      }
      code_ = std::make_unique<LazyCode>(*program_, EmittedCode::Options{whole_rows},
                                         std::move(codes), at_once);
    }
    // Only a kernel that is not split keeps its row buffers in the frame.
    if (split_.chunks == 0) {
      program_->rows_offset = program_->frame.AddRegion(RowCode::RowBufferBytes(*program_));
    }
  }

  int64_t scratch_bytes() const override { return split_.scratch_bytes; }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const TileProgram& program = *program_;
    if (program.parallel.num_tiles == 0) return Status();
    SmallVector<int64_t, 24> start(program.domain.forms.size());
    PLINTH_RETURN_IF_ERROR(
        FindAddresses(*kernel_, program.domain, operands, results, start.data()));
    const bool past_cache = is_past_cache_ && !WritesInPlace(operands, results);
    const std::unique_ptr<LazyCode>& code = past_cache ? code_past_cache_ : code_;
    const EmittedCode* const emitted = code == nullptr ? nullptr : code->Get();
    if (split_.chunks > 0) {
      const Status status = RunSplit(program, emitted, split_, start.data(), context);
      return status.ok() ? status : status.WithContext(StrCat("kernel \"", kernel_->name, "\""));
    }

    const int64_t grain = GrainOf(program.tile_ns - (emitted == nullptr ? 0 : emitted->saved_ns()));
    std::atomic<bool> out_of_memory = false, stopped = false;
    backend::ParallelFor(
        context.pool, program.parallel.num_tiles, grain, [&](int64_t begin, int64_t end) {
          std::byte* frame = ThreadFrame(program.frame.size());
          if (frame == nullptr) {
            out_of_memory = true;
            return;
          }
          TileWorker worker(program, emitted, past_cache, frame, start.data());
          while (begin < end) {
            if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) {
              stopped = true;
              return;
            }
            const int64_t next = std::min(end, begin + grain);
            worker.RunTiles(begin, next);
            begin = next;
          }
          if (past_cache) StoreFence();
        });
    if (out_of_memory) {
      return ResourceExhausted("no ", program.frame.size(), " bytes to run kernel \"",
                               kernel_->name, "\"");
    }
    if (stopped) {
      return Status(StatusCode::kCancelled,
                    StrCat("kernel \"", kernel_->name, "\" was stopped before its end"));
    }
    return Status();
  }

 private:
  // Tiles that one thread takes at a time, if each takes so long.
  int64_t GrainOf(double tile_ns) const {
    const int64_t tiles = program_->parallel.num_tiles;
    if (static_cast<double>(tiles) * tile_ns <= kInlineNs) return tiles;
    return std::max<int64_t>(1, static_cast<int64_t>(kGrainNs / tile_ns));
  }

  std::shared_ptr<const Kernel> kernel_;
  std::unique_ptr<TileProgram> program_;
  std::unique_ptr<LazyCode> code_;  // null: none is wanted
  Split split_;
  bool is_past_cache_ = false;                 // some output is, unless it lies over an input
  std::unique_ptr<LazyCode> code_past_cache_;  // null where one of these is
};

bool IsHalf(DType type) { return type == DType::kF16 || type == DType::kBF16; }

// Whether the kernel has f16 or bf16 values, and no op reads or makes them but to choose.
bool OnlyMovesHalves(const Kernel& kernel) {
  bool has_halves = false;
  for (const Phase& phase : kernel.body.phases) {
    if (!phase.reductions.empty()) return false;
    for (const Node& node : phase.nodes) {
      const bool makes = IsHalf(node.dtype);
      bool reads = false;
      for (size_t i = 0; i < node.num_operands; ++i) {
        reads = reads || IsHalf(phase.nodes[static_cast<size_t>(node.operands[i])].dtype);
      }
      has_halves = has_halves || makes;
      const bool moves = node.kind == NodeKind::kInput || node.kind == NodeKind::kConstant ||
                         node.kind == NodeKind::kGathered ||
                         (node.kind == NodeKind::kOp && node.opcode == compiler::Opcode::kSelect);
      if ((makes || reads) && !moves) return false;
    }
  }
  return has_halves;
}

// Halves that are only moved are moved as bits: to f32 and back takes time, and quiets NaNs.
std::shared_ptr<const Kernel> MoveAsBits(std::shared_ptr<const Kernel> kernel) {
  if (!OnlyMovesHalves(*kernel)) return kernel;
  auto moves = std::make_shared<Kernel>(*kernel);
  const auto change = [](DType* type) {
    if (IsHalf(*type)) *type = DType::kU16;
  };
  for (compiler::Access& input : moves->shape.inputs) change(&input.dtype);
  for (compiler::Access& output : moves->shape.outputs) change(&output.dtype);
  for (Phase& phase : moves->body.phases) {
    for (Node& node : phase.nodes) change(&node.dtype);
  }
  return moves;
}

// How a kernel is to be prepared.
struct Options {
  const std::shared_ptr<emit::CodeCache>& codes;
  int64_t array_bytes;
};

Expected<std::unique_ptr<backend::PreparedStep>> PrepareSmall(
    const std::shared_ptr<const Kernel>& kernel, const Options&) {
  return std::unique_ptr<backend::PreparedStep>(SmallKernel::Make(*kernel));
}

Expected<std::unique_ptr<backend::PreparedStep>> PrepareCopy(
    const std::shared_ptr<const Kernel>& kernel, const Options& options) {
  return MakeCopyStep(kernel, options.array_bytes);
}

Expected<std::unique_ptr<backend::PreparedStep>> PrepareTiles(
    const std::shared_ptr<const Kernel>& kernel, const Options& options) {
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<TileProgram> program, MakeTileProgram(*kernel));
  return std::unique_ptr<backend::PreparedStep>(
      std::make_unique<KernelStep>(kernel, std::move(program), options.codes, options.array_bytes));
}

// The ways to run a kernel; the first that takes it runs it. Null: not this one.
using KernelEngine = Expected<std::unique_ptr<backend::PreparedStep>> (*)(
    const std::shared_ptr<const Kernel>& kernel, const Options& options);
constexpr KernelEngine kEngines[] = {PrepareSmall, PrepareCopy, PrepareTiles};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareKernel(
    std::shared_ptr<const Kernel> kernel, const std::shared_ptr<emit::CodeCache>& codes,
    int64_t array_bytes) {
  PLINTH_RETURN_IF_ERROR(Verify(*kernel));
  kernel = MoveAsBits(std::move(kernel));
  for (const KernelEngine engine : kEngines) {
    auto prepared = engine(kernel, {codes, array_bytes});
    if (!prepared.ok()) {
      return prepared.status().WithContext(StrCat("kernel \"", kernel->name, "\""));
    }
    if (*prepared != nullptr) return prepared;
  }
  return Unimplemented("kernel \"", kernel->name, "\"");
}

}  // namespace plinth::cpu::kernels
