// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/run/prepared_program.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "plinth/support/small_vector.h"
#include "reference_plugin/backend/calls/table.h"
#include "reference_plugin/backend/host/floating_point_modes.h"
#include "reference_plugin/cpu/kernels/small_kernel.h"

namespace plinth::cpu {
namespace {

using compiler::PlanStep;
using compiler::PlanStepKind;
using compiler::StorageKind;

// A run below this is done by the caller: waking another thread takes as long.
constexpr double kShortRunNs = 20'000;

// Arena and scratch up to this size are kept by each thread from run to run.
constexpr int64_t kThreadMemory = 1 << 20;

// Pointers that a run finds for the kernels in its loops; kernels beyond are run like others.
constexpr int64_t kMostSlots = 1 << 16;

constexpr int64_t kCopyGrain = 256 << 10;  // bytes

// Memory of this thread that is free between runs, at least `size` bytes.
std::byte* ThreadMemory(int64_t size) {
  struct Memory {
    std::byte* data = nullptr;
    int64_t size = 0;
    ~Memory() { std::free(data); }
  };
  thread_local Memory memory;
  if (memory.size < size) {
    int64_t grown = std::max<int64_t>(2 * memory.size, 16 << 10);
    grown = std::max(grown, (size + kStorageAlignment - 1) / kStorageAlignment * kStorageAlignment);
    std::free(memory.data);
    memory.data = static_cast<std::byte*>(std::aligned_alloc(kStorageAlignment, grown));
    memory.size = memory.data == nullptr ? 0 : grown;
  }
  return memory.data;  // NOLINT(clang-analyzer-unix.Malloc): freed when the thread ends
}

void Copy(ThreadPool* pool, std::byte* to, const std::byte* from, int64_t size) {
  ParallelFor(pool, size, kCopyGrain, [=](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

// Copies of up to so many bytes, one element mostly, are no more than a few moves.
constexpr int64_t kSmallCopy = 64;

void CopySmall(std::byte* to, const std::byte* from, int64_t size) {
  switch (size) {
    case 1:
      std::memcpy(to, from, 1);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, size);
  }
}

int32_t ReadIndex(const std::byte* data) {
  int32_t index;
  std::memcpy(&index, data, sizeof(index));
  return index;
}

// The kernels of a program by the work they do: layers of one model often do the same.
class SharedKernels {
 public:
  Expected<std::shared_ptr<const PreparedStep>> Prepare(
      const std::shared_ptr<const compiler::Kernel>& kernel) {
    const size_t hash = compiler::WorkHash(*kernel);
    auto [first, last] = prepared_.equal_range(hash);
    for (auto same = first; same != last; ++same) {
      if (compiler::SameWork(*same->second.kernel, *kernel)) return same->second.step;
    }
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const PreparedStep> step, PrepareKernel(kernel));
    prepared_.emplace(hash, Entry{kernel.get(), step});
    return step;
  }

 private:
  struct Entry {
    const compiler::Kernel* kernel;
    std::shared_ptr<const PreparedStep> step;
  };
  std::unordered_multimap<size_t, Entry> prepared_;
};

}  // namespace

Expected<std::shared_ptr<const PreparedProgram>> PreparedProgram::Create(
    compiler::Plan plan, const LibraryOptions& library) {
  std::shared_ptr<PreparedProgram> program(new PreparedProgram(std::move(plan)));
  PLINTH_RETURN_IF_ERROR(program->Prepare(library));
  return std::shared_ptr<const PreparedProgram>(std::move(program));
}

Status PreparedProgram::Prepare(const LibraryOptions& library) {
  constants_.resize(plan_.storages.size());
  for (size_t s = 0; s < plan_.storages.size(); ++s) {
    const compiler::Storage& storage = plan_.storages[s];
    if (storage.kind != StorageKind::kConstant) continue;
    const auto& constant = *std::get_if<compiler::ConstantAttributes>(storage.constant.get());
    constants_[s] = StoragePtr::Borrow(constant.bytes.data(), storage.size, storage.constant);
  }
  SharedKernels kernels;
  AttributeBudget attribute_budget;
  steps_.reserve(plan_.steps.size());
  for (const PlanStep& source : plan_.steps) {
    Step& step = steps_.emplace_back();
    step.kind = source.kind;
    step.first_array = static_cast<int32_t>(array_storages_.size());
    step.num_operands = static_cast<int32_t>(source.operands.size());
    step.num_results = static_cast<int32_t>(source.results.size());
    step.targets = source.targets;
    for (const auto& operand : source.operands) array_storages_.push_back(operand.storage);
    for (const auto& result : source.results) array_storages_.push_back(result.storage);
    most_arrays_ = std::max(most_arrays_, step.num_operands + step.num_results);
    if (source.kind == PlanStepKind::kKernel) {
      PLINTH_ASSIGN_OR_RETURN(step.prepared, kernels.Prepare(source.kernel));
    } else if (source.kind == PlanStepKind::kLibrary &&
               source.opcode == compiler::Opcode::kCustomCall) {
      PLINTH_ASSIGN_OR_RETURN(step.prepared, PrepareCustomCall(source, library, attribute_budget));
      has_custom_calls_ = true;
      may_wait_ |= step.prepared->may_wait();
    } else if (source.kind == PlanStepKind::kLibrary) {
      PLINTH_ASSIGN_OR_RETURN(step.prepared, PrepareLibraryStep(source, library));
    } else if (source.kind == PlanStepKind::kCopy) {
      step.copy_bytes = source.results[0].type.SizeInBytes();
    }
    if (step.prepared != nullptr) {
      scratch_bytes_ = std::max(scratch_bytes_, step.prepared->scratch_bytes());
    }
  }
  FindSmallKernels();
  constexpr int64_t kMostMemory = int64_t{1} << 60;
  if (plan_.arena_size > kMostMemory || scratch_bytes_ > kMostMemory) {
    return ResourceExhausted("program '", plan_.name, "' needs more than 2^60 bytes to run");
  }
  is_short_ = plan_.cost_ns < kShortRunNs && !has_custom_calls_;
  return Status();
}

// Small kernels in loops are bound once per run and then cost little more than their routines.
void PreparedProgram::FindSmallKernels() {
  std::vector<int32_t> depth_change(steps_.size() + 1, 0);
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (int32_t target : steps_[s].targets) {
      if (static_cast<size_t>(target) > s) continue;
      ++depth_change[static_cast<size_t>(target)];
      --depth_change[s + 1];
    }
  }
  int32_t depth = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    Step& step = steps_[s];
    depth += depth_change[s];
    if (depth == 0 || step.kind != PlanStepKind::kKernel) continue;
    step.small = step.prepared->AsSmallKernel();
    if (step.small == nullptr || num_slots_ > kMostSlots) {
      step.small = nullptr;
      continue;
    }
    step.first_slot = static_cast<int32_t>(num_slots_);
    num_slots_ += static_cast<int64_t>(step.small->num_slots());
    register_bytes_ = std::max(register_bytes_, step.small->register_bytes());
  }
}

// Finds or makes the bytes of every storage. What has to live beyond the run, or be given back
// after it, is put into `owned`.
Status PreparedProgram::BindStorages(Runtime& runtime, std::span<RunArgument> arguments,
                                     std::span<StoragePtr> owned, std::byte* arena,
                                     std::span<std::byte*> bases) const {
  for (size_t s = 0; s < bases.size(); ++s) {
    const compiler::Storage& storage = plan_.storages[s];
    switch (storage.kind) {
      case StorageKind::kArena:
        bases[s] = arena + storage.arena_offset;
        continue;
      case StorageKind::kConstant:
        owned[s] = constants_[s];
        break;
      case StorageKind::kOutput: {
        PLINTH_ASSIGN_OR_RETURN(owned[s], runtime.memory->Allocate(storage.size));
        break;
      }
      case StorageKind::kArgument: {
        RunArgument& argument = arguments[storage.index];
        bool may_write = argument.is_donated && !argument.storage->is_borrowed() &&
                         argument.storage->IsExclusive();
        if (storage.donated && !may_write) {
          PLINTH_ASSIGN_OR_RETURN(owned[s], runtime.memory->Allocate(storage.size));
          Copy(&runtime.threads, owned[s]->data(), argument.storage->data(), storage.size);
        } else {
          owned[s] = std::move(argument.storage);
        }
        break;
      }
    }
    bases[s] = owned[s]->data();
  }
  return Status();
}

Status PreparedProgram::Run(Runtime& runtime, std::span<RunArgument> arguments,
                            std::span<StoragePtr> outputs, CallContext* call) const {
  const DefaultFloatingPoint modes;
  StoragePtr pooled;
  std::byte* memory = nullptr;
  // Foreign code may run another program on this thread, which would take the thread's memory.
  if (memory_size() > kThreadMemory || may_wait_) {
    PLINTH_ASSIGN_OR_RETURN(pooled, runtime.memory->Allocate(memory_size()));
    memory = pooled->data();
  } else if (memory_size() > 0) {
    memory = ThreadMemory(memory_size());
    if (memory == nullptr) return ResourceExhausted("the system gave no ", memory_size(), " bytes");
  }

  constexpr size_t kFewStorages = 16;
  size_t num_storages = plan_.storages.size();
  StoragePtr few_owned[kFewStorages];
  std::vector<StoragePtr> many_owned(num_storages > kFewStorages ? num_storages : 0);
  std::span<StoragePtr> owned =
      many_owned.empty() ? std::span(few_owned, num_storages) : std::span<StoragePtr>(many_owned);
  SmallVector<std::byte*, kFewStorages> bases(num_storages);
  PLINTH_RETURN_IF_ERROR(
      BindStorages(runtime, arguments, owned, memory, std::span(bases.data(), bases.size())));
  RunContext context;
  context.pool = &runtime.threads;
  context.stop = &runtime.stop;
  context.call = call;
  context.scratch = {memory + scratch_offset(), static_cast<size_t>(scratch_bytes_)};
  PLINTH_RETURN_IF_ERROR(RunSteps(context, std::span(bases.data(), bases.size()), memory));
  for (size_t o = 0; o < outputs.size(); ++o) {
    outputs[o] = std::move(owned[plan_.outputs[o].storage]);
  }
  return Status();
}

// The addresses of a step's operands, then of its results, in `arrays`.
std::span<void* const> PreparedProgram::ArraysOf(const Step& step,
                                                 std::span<std::byte* const> bases,
                                                 std::span<void*> arrays) const {
  const int32_t* storages = array_storages_.data() + step.first_array;
  const int32_t count = step.num_operands + step.num_results;
  for (int32_t i = 0; i < count; ++i) arrays[i] = bases[storages[i]];
  return arrays.first(count);
}

Status PreparedProgram::BindLoops(std::span<std::byte* const> bases, std::span<void*> arrays,
                                  std::byte* memory) const {
  auto** slots = reinterpret_cast<std::byte**>(memory + slots_offset());
  for (const Step& step : steps_) {
    if (step.small == nullptr) continue;
    const std::span<void* const> found = ArraysOf(step, bases, arrays);
    PLINTH_RETURN_IF_ERROR(step.small->Bind(found.first(step.num_operands),
                                            found.subspan(step.num_operands),
                                            memory + registers_offset(), slots + step.first_slot));
  }
  return Status();
}

Status PreparedProgram::RunSteps(const RunContext& context, std::span<std::byte* const> bases,
                                 std::byte* memory) const {
  SmallVector<void*, 16> few_arrays(std::max(most_arrays_, 1));
  const std::span<void*> arrays(few_arrays.data(), few_arrays.size());
  std::byte** slots = nullptr;
  if (num_slots_ > 0) {
    PLINTH_RETURN_IF_ERROR(BindLoops(bases, arrays, memory));
    slots = reinterpret_cast<std::byte**>(memory + slots_offset());
  }
  const auto array = [&](const Step& step, int32_t number) {
    return bases[array_storages_[step.first_array + number]];
  };
  const Step* const first = steps_.data();
  const Step* const last = first + steps_.size();
  for (const Step* next = first; next != last;) {
    const Step& step = *next++;
    switch (step.kind) {
      case PlanStepKind::kKernel:
        if (step.small != nullptr) {
          step.small->RunBound(slots + step.first_slot);
          continue;
        }
        [[fallthrough]];
      case PlanStepKind::kLibrary: {
        const std::span<void* const> found = ArraysOf(step, bases, arrays);
        std::optional<DefaultFloatingPoint> modes;  // which foreign code may change
        if (may_wait_ && step.prepared->may_wait()) modes.emplace();
        PLINTH_RETURN_IF_ERROR(step.prepared->Run(found.first(step.num_operands),
                                                  found.subspan(step.num_operands), context));
        break;
      }
      case PlanStepKind::kCopy:
        if (step.copy_bytes <= kSmallCopy) {
          CopySmall(array(step, 1), array(step, 0), step.copy_bytes);
          continue;
        }
        Copy(context.pool, array(step, 1), array(step, 0), step.copy_bytes);
        break;
      case PlanStepKind::kJump:
        next = first + step.targets[0];
        break;
      case PlanStepKind::kJumpUnless:
        if (*array(step, 0) == std::byte{0}) next = first + step.targets[0];
        break;
      case PlanStepKind::kSwitch: {
        const int32_t index = ReadIndex(array(step, 0));
        const int32_t others = static_cast<int32_t>(step.targets.size()) - 1;
        next = first + step.targets[index < 0 || index > others ? others : index];
        break;
      }
    }
    // What takes little time does not get here; every loop does, at its jumps.
    if (context.stop->load(std::memory_order_relaxed)) {
      return Status(StatusCode::kCancelled, "the client was destroyed while the program ran");
    }
  }
  return Status();
}

}  // namespace plinth::cpu
