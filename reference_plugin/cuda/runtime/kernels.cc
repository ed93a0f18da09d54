// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/kernels.h"

#include <utility>

#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {

// Nothing that uses it is enqueued: runs keep their program until the device is done.
LoadedUnit::~LoadedUnit() {
  for (const OnDevice& device : devices_) {
    if (device.gpu->latch().is_set()) continue;
    const Gpu::Current current(*device.gpu);
    device.gpu->api().cuModuleUnload(device.module);
  }
}

CUfunction LoadedUnit::Find(const Gpu& gpu, const std::string& kernel, CUmodule* module) {
  const std::lock_guard lock(mutex_);
  for (const OnDevice& device : devices_) {
    if (device.gpu.get() != &gpu) continue;
    *module = device.module;
    const auto found = device.functions.find(kernel);
    return found == device.functions.end() ? nullptr : found->second;
  }
  return nullptr;
}

// Of two threads that load it at once, the first one's stays.
Expected<CUmodule> LoadedUnit::Load(Gpu& gpu, const std::string& kernel) {
  CUmodule module = nullptr;
  PLINTH_RETURN_IF_ERROR(gpu.Check(gpu.api().cuModuleLoadData(&module, unit_.binary.data()),
                                   StrCat("cuModuleLoadData of kernel ", kernel)));
  CUmodule first = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (const OnDevice& device : devices_) {
      if (device.gpu.get() == &gpu) first = device.module;
    }
    if (first == nullptr) {
      devices_.push_back({gpu.shared_from_this(), module, {}});
      return module;
    }
  }
  gpu.api().cuModuleUnload(module);
  return first;
}

Expected<CUfunction> LoadedUnit::Function(Gpu& gpu, const std::string& kernel,
                                          uint32_t shared_bytes) {
  CUmodule module = nullptr;
  CUfunction function = Find(gpu, kernel, &module);
  if (function != nullptr) return function;
  if (module == nullptr) {
    PLINTH_ASSIGN_OR_RETURN(module, Load(gpu, kernel));
  }
  PLINTH_RETURN_IF_ERROR(gpu.Check(gpu.api().cuModuleGetFunction(&function, module, kernel.c_str()),
                                   StrCat("cuModuleGetFunction of kernel ", kernel)));
  if (shared_bytes > 0) {
    PLINTH_RETURN_IF_ERROR(
        gpu.Check(gpu.api().cuFuncSetAttribute(function, kCudaMaxDynamicSharedSizeBytes,
                                               static_cast<int>(shared_bytes)),
                  StrCat("cuFuncSetAttribute of kernel ", kernel, ", ", shared_bytes,
                         " bytes of shared memory")));
  }
  const std::lock_guard lock(mutex_);
  for (OnDevice& device : devices_) {
    if (device.gpu.get() == &gpu) device.functions.emplace(kernel, function);
  }
  return function;
}

bool KernelTable::Find(std::span<ProgramKernel* const> kernels) {
  bool has_all = true;
  const std::lock_guard lock(mutex_);
  for (ProgramKernel* kernel : kernels) {
    kernel->unit = units_[kernel->text->name].lock();
    has_all = has_all && kernel->unit != nullptr;
  }
  return has_all;
}

Status KernelTable::Compile(std::span<ProgramKernel* const> kernels,
                            const Architecture& architecture, const UnitCompiler& compiler,
                            const JitOptions& options) {
  std::vector<std::shared_ptr<const KernelText>> missing;
  if (Find(kernels)) return Status();
  for (const ProgramKernel* kernel : kernels) {
    if (kernel->unit == nullptr) missing.push_back(kernel->text);
  }
  PLINTH_ASSIGN_OR_RETURN(std::vector<CompiledUnit> compiled,
                          cuda::Compile(missing, architecture, compiler, options));
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::shared_ptr<LoadedUnit>> made;
  for (CompiledUnit& unit : compiled) {
    const std::vector<std::shared_ptr<const KernelText>> texts = unit.kernels;
    const auto loaded = std::make_shared<LoadedUnit>(std::move(unit));
    for (const auto& text : texts) {
      made[text->name] = loaded;
      units_[text->name] = loaded;
    }
  }
  for (ProgramKernel* kernel : kernels) {
    if (kernel->unit == nullptr) kernel->unit = made[kernel->text->name];
    if (kernel->unit == nullptr) {
      return Internal("kernel ", kernel->text->name, " is missing among what was compiled");
    }
  }
  std::erase_if(units_, [](const auto& entry) { return entry.second.expired(); });
  return Status();
}

// Each unit: the number of its kernels, their names, its binary; texts with their sizes.
std::string KernelTable::Write(std::span<const std::shared_ptr<LoadedUnit>> units) {
  std::string bytes;
  const auto number = [&bytes](uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(value >> shift));
  };
  const auto text = [&](std::string_view value) {
    number(value.size());
    bytes.append(value);
  };
  for (const std::shared_ptr<LoadedUnit>& unit : units) {
    number(unit->compiled().kernels.size());
    for (const auto& kernel : unit->compiled().kernels) text(kernel->name);
    text(unit->compiled().binary);
  }
  return bytes;
}

Expected<std::vector<std::shared_ptr<LoadedUnit>>> KernelTable::Read(std::string_view bytes) {
  bool is_whole = true;
  const auto number = [&]() -> uint64_t {
    uint64_t value = 0;
    if (bytes.size() < sizeof(value)) {
      is_whole = false;
      return 0;
    }
    for (size_t i = 0; i < sizeof(value); ++i) {
      value |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    bytes.remove_prefix(sizeof(value));
    return value;
  };
  const auto text = [&]() -> std::string {
    const uint64_t size = number();
    if (size > bytes.size()) {
      is_whole = false;
      return {};
    }
    std::string value(bytes.substr(0, size));
    bytes.remove_prefix(size);
    return value;
  };
  std::vector<std::shared_ptr<LoadedUnit>> units;
  while (is_whole && !bytes.empty()) {
    CompiledUnit unit;
    for (uint64_t left = number(); is_whole && left > 0; --left) {
      unit.kernels.push_back(
          std::make_shared<const KernelText>(KernelText{.name = text(), .text = {}}));
    }
    unit.binary = text();
    units.push_back(std::make_shared<LoadedUnit>(std::move(unit)));
  }
  if (!is_whole) return InvalidArgument("the binaries of an executable are cut off");
  const std::lock_guard lock(mutex_);
  for (std::shared_ptr<LoadedUnit>& unit : units) {
    for (const auto& kernel : unit->compiled().kernels) {
      std::weak_ptr<LoadedUnit>& known = units_[kernel->name];
      if (known.expired()) known = unit;
    }
  }
  return units;
}

}  // namespace plinth::cuda
