// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/pjrt/topology.h"

#include <charconv>
#include <string>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/executable/executable.h"
#include "reference_plugin/cuda/print/program.h"
#include "reference_plugin/cuda/runtime/backend.h"

namespace plinth::cuda {
namespace {

// Source: NVIDIA's data sheets of these GPUs.
struct Model {
  std::string_view name, kind;
  int32_t capability;
  int64_t multiprocessors;
};
constexpr Model kModels[] = {
    {"t4", "Tesla T4", 75, 40},
    {"a100", "NVIDIA A100-SXM4-80GB", 80, 108},
    {"a10", "NVIDIA A10", 86, 72},
    {"l4", "NVIDIA L4", 89, 58},
    {"l40s", "NVIDIA L40S", 89, 142},
    {"h100", "NVIDIA H100 80GB HBM3", 90, 132},
    {"h200", "NVIDIA H200", 90, 132},
    {"b200", "NVIDIA B200", 100, 148},
    {"rtx5090", "NVIDIA GeForce RTX 5090", 120, 170},
};
constexpr std::string_view kDefaultModel = "h200";
constexpr std::string_view kArchitecturePrefix = "sm_";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::unique_ptr<sdk::Topology> OneDevice(std::string_view kind, int32_t capability,
                                         int64_t multiprocessors) {
  sdk::TopologyInfo info;
  sdk::DeviceDescriptionInfo& device = info.devices.emplace_back();
  device.id = 0;
  device.kind = kind;
  device.to_string = "CudaDevice(id=0)";
  device.debug_string = StrCat("plinth CUDA device 0: ", kind, ", described only");
  device.attributes = DeviceAttributes(capability, multiprocessors);
  return std::make_unique<sdk::Topology>(std::move(info));
}

// "9.0" is 90; 0 for other texts.
int32_t CapabilityOf(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot + 2 != text.size()) return 0;
  int32_t major = 0;
  const auto read = std::from_chars(text.data(), text.data() + dot, major);
  const char minor = text.back();
  if (read.ec != std::errc() || read.ptr != text.data() + dot || minor < '0' || minor > '9' ||
      major < 0 || major > 1000) {
    return 0;
  }
  return 10 * major + (minor - '0');
}

Expected<int32_t> CapabilityOf(const sdk::Topology& topology) {
  int32_t capability = 0;
  for (const auto& device : topology.devices()) {
    int32_t own = 0;
    for (const NamedValue& attribute : device->info().attributes) {
      const auto* text = std::get_if<std::string>(&attribute.value);
      if (attribute.name == "compute_capability" && text != nullptr) own = CapabilityOf(*text);
    }
    if (own == 0 || (capability != 0 && own != capability)) {
      return FailedPrecondition("the topology has device ", device->info().id, " (",
                                device->info().kind, "), whose compute_capability is ",
                                own == 0 ? "not told" : "not that of the others");
    }
    capability = own;
  }
  if (capability == 0) return FailedPrecondition("the topology has no devices");
  return capability;
}

}  // namespace

std::vector<NamedValue> DeviceAttributes(int32_t capability, int64_t multiprocessors) {
  return {{"compute_capability", StrCat(capability / 10, ".", capability % 10)},
          {"core_count", multiprocessors},
          {"device_vendor", std::string("NVIDIA Corporation")}};
}

Expected<std::unique_ptr<sdk::Topology>> MakeTopology(std::string_view name) {
  const std::string wanted = name.empty() ? std::string(kDefaultModel) : Lower(name);
  std::string names;
  for (const Model& model : kModels) {
    if (model.name == wanted) return OneDevice(model.kind, model.capability, model.multiprocessors);
    names += StrCat(model.name, ", ");
  }
  if (wanted.starts_with(kArchitecturePrefix)) {
    const char* const begin = wanted.data() + kArchitecturePrefix.size();
    const char* const end = wanted.data() + wanted.size();
    int32_t capability = 0;
    const auto read = std::from_chars(begin, end, capability);
    if (read.ec == std::errc() && read.ptr == end && begin != end) {
      PLINTH_ASSIGN_OR_RETURN(const Architecture architecture, ArchitectureOf(capability));
      return OneDevice(StrCat("NVIDIA ", wanted), capability, architecture.multiprocessors);
    }
  }
  constexpr size_t kMostText = 100;
  return InvalidArgument("no GPU is known as \"", name.substr(0, kMostText), "\"; known are ",
                         names, "and architectures by their names (sm_90)");
}

Expected<std::shared_ptr<const sdk::Executable>> AheadOfTimeCompiler::Compile(
    const sdk::Topology& topology, const sdk::Program& program, std::string_view options,
    const LibraryPlaces& places) {
  PLINTH_ASSIGN_OR_RETURN(const int32_t capability, CapabilityOf(topology));
  PLINTH_ASSIGN_OR_RETURN(const Architecture architecture, ArchitectureOf(capability));
  std::shared_ptr<const backend::Backend> backend;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const backend::Backend>& kept = backends_[capability];
    if (kept == nullptr) kept = MakeBackend(architecture, places);
    backend = kept;
  }
  PLINTH_ASSIGN_OR_RETURN(
      auto executable, backend::BackendExecutable::Compile(program, options, std::move(backend)));
  return std::shared_ptr<const sdk::Executable>(std::move(executable));
}

}  // namespace plinth::cuda
