// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/testing/host_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "reference_plugin/cuda/driver/blas_dtype.h"
#include "reference_plugin/cuda/simulator/fibers.h"
#include "reference_plugin/cuda/simulator/multiply.h"

namespace plinth::cuda::testing {

namespace {

constexpr size_t kPage = 4096;
constexpr std::byte kAround{0xcd};

size_t RoundUp(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// What a library of the device would compute.
void Multiply(const MatrixProduct& product, std::span<const uint64_t> arguments) {
  const MatrixProduct::Matrix* matrices[] = {&product.left, &product.right, &product.result};
  for (int64_t n = 0; n < product.batch; ++n) {
    simulator::Matrix made[3];
    for (size_t i = 0; i < 3; ++i) {
      made[i].type = BlasType(i == 2 ? product.result_type : product.operands);
      made[i].leading = matrices[i]->leading;
      made[i].is_turned = matrices[i]->is_turned;
      auto* begin = reinterpret_cast<std::byte*>(arguments[i]);
      made[i].data = product.by_pointers
                         ? reinterpret_cast<std::byte**>(begin)[n]
                         : begin + n * matrices[i]->batch_stride *
                                       static_cast<int64_t>(simulator::SizeOf(made[i].type));
    }
    simulator::Multiply(made[0], made[1], made[2], product.rows, product.columns, product.depth,
                        /*mantissa=*/23);
  }
}

}  // namespace

Status HostDevice::Load(std::span<const PrintedStep> steps) {
  constexpr size_t kKernelsPerUnit = 64;
  std::map<std::string, const KernelText*> missing;
  for (const PrintedStep& step : steps) {
    for (const Action& action : step.actions) {
      if (action.kernel != nullptr && !kernels_.contains(action.kernel->name)) {
        missing[action.kernel->name] = action.kernel.get();
      }
    }
  }
  for (auto it = missing.begin(); it != missing.end();) {
    std::string text(Prelude());
    std::vector<std::string> names;
    for (; it != missing.end() && names.size() < kKernelsPerUnit; ++it) {
      text += "\n" + it->second->text;
      names.push_back(it->first);
    }
    std::string error;
    const std::shared_ptr<const simulator::Module> module =
        simulator::LoadText(text, /*bounds=*/false, &error);
    if (module == nullptr) return Internal(error);
    for (const std::string& name : names) kernels_[name] = {module, module->Find(name)};
  }
  return Status();
}

Status HostDevice::Run(const PrintedStep& step, std::span<std::byte* const> operands,
                       std::span<std::byte* const> results) {
  GuardedArray scratch(step.scratch_bytes, std::byte{0xa5});
  for (const Action& action : step.actions) {
    std::vector<uint64_t> values;
    for (const Argument& argument : action.arguments) {
      const size_t index = static_cast<size_t>(argument.index);
      std::byte* pointer = nullptr;
      switch (argument.kind) {
        case Argument::Kind::kOperand:
          pointer = operands[index];
          break;
        case Argument::Kind::kResult:
          pointer = results[index];
          break;
        case Argument::Kind::kScratch:
          pointer = scratch.data();
          break;
        default:
          values.push_back(argument.scalar);
          continue;
      }
      values.push_back(reinterpret_cast<uint64_t>(pointer + argument.offset));
    }
    const size_t bytes = static_cast<size_t>(action.bytes);
    if (action.kind == Action::Kind::kFill) {
      std::memset(reinterpret_cast<void*>(values[0]), action.value, bytes);
      continue;
    }
    if (action.kind == Action::Kind::kCopy) {
      std::memcpy(reinterpret_cast<void*>(values[0]), reinterpret_cast<void*>(values[1]), bytes);
      continue;
    }
    if (action.kind == Action::Kind::kProduct) {
      Multiply(*action.product, values);
      continue;
    }
    const auto found = kernels_.find(action.kernel->name);
    if (found == kernels_.end() || found->second.kernel == nullptr) {
      return Internal("kernel ", action.kernel->name, " of \"", step.label, "\" was not loaded");
    }
    const plinth_simulator_kernel& kernel = *found->second.kernel;
    if (kernel.num_parameters != values.size()) {
      return Internal("kernel ", action.kernel->name, " takes ",
                      static_cast<int64_t>(kernel.num_parameters), " parameters, not ",
                      static_cast<int64_t>(values.size()));
    }
    if (action.block > kernel.most_threads) {
      return Internal("kernel ", action.kernel->name, " is launched with ", int64_t{action.block},
                      " threads; it is compiled for ", int64_t{kernel.most_threads});
    }
    std::vector<void*> parameters;
    parameters.reserve(values.size());
    for (uint64_t& value : values) parameters.push_back(&value);
    plinth_simulator_state& state = *found->second.module->state;
    state.grid_size = {action.grid, 1, 1};
    state.block_size = {action.block, 1, 1};
    simulator::PoisonSharedMemory(state);
    const simulator::AnyOrder order(action.grid, action.grid);
    for (uint32_t i = 0; i < action.grid; ++i) {
      const uint32_t block = order[i];
      state.block = {block, 0, 0};
      const std::string error = simulator::RunBlock(state, kernel.launch, parameters.data(), block);
      if (!error.empty()) return Internal("\"", step.label, "\": ", error);
    }
  }
  if (!scratch.IsIntact()) return Internal("\"", step.label, "\" writes beyond its scratch");
  return Status();
}

void GuardedArray::Unmap::operator()(std::byte* pages) const { munmap(pages, bytes); }

GuardedArray::GuardedArray(int64_t size, std::byte fill) : size_(static_cast<size_t>(size)) {
  const size_t inside = RoundUp(size_, kPage);
  const size_t whole = inside + 2 * kPage;
  void* made = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  memory_ = {static_cast<std::byte*>(made), Unmap{whole}};
  std::byte* const begin = memory_.get() + kPage;
  if (inside > 0 && mprotect(begin, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  std::fill_n(begin, inside, kAround);
  data_ = begin + inside - RoundUp(size_, kAccessAlignment);
  std::fill_n(data_, size_, fill);
}

GuardedArray::GuardedArray(std::span<const std::byte> bytes)
    : GuardedArray(static_cast<int64_t>(bytes.size())) {
  std::copy(bytes.begin(), bytes.end(), data_);
}

bool GuardedArray::IsIntact() const {
  const std::byte* const begin = memory_.get() + kPage;
  const std::byte* const end = begin + RoundUp(size_, kPage);
  auto is_around = [](std::byte byte) { return byte == kAround; };
  return std::all_of(begin, static_cast<const std::byte*>(data_), is_around) &&
         std::all_of(static_cast<const std::byte*>(data_) + size_, end, is_around);
}

}  // namespace plinth::cuda::testing
