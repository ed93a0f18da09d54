// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/backend.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "plinth/support/log_line.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/table.h"
#include "reference_plugin/compiler/ir/dump.h"
#include "reference_plugin/cuda/driver/driver.h"
#include "reference_plugin/cuda/driver/nvrtc.h"
#include "reference_plugin/cuda/jit/jit.h"
#include "reference_plugin/cuda/runtime/calls.h"
#include "reference_plugin/cuda/runtime/combine.h"
#include "reference_plugin/cuda/runtime/device.h"
#include "reference_plugin/cuda/runtime/step.h"
#include "reference_plugin/cuda/target.h"

namespace plinth::cuda {
namespace {

using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

// What the programs of one client share.
class Compiler {
 public:
  // `driver_version`: of the driver that loads the binaries; 0 if there is none.
  Compiler(const Architecture& architecture, LibraryPlaces places, int driver_version)
      : architecture_(architecture), places_(std::move(places)), driver_version_(driver_version) {
    options_.cache_directory = CacheDirectoryOfEnvironment();
  }

  // Compiles the kernels of a program, all together.
  Status Compile(std::span<const std::shared_ptr<const backend::PreparedStep>> steps) {
    std::vector<ProgramKernel*> kernels;
    for (const auto& step : steps) {
      const auto* ours = dynamic_cast<const GpuStep*>(step.get());
      if (ours == nullptr) continue;
      for (ProgramKernel& kernel : ours->kernels()) {
        if (kernel.text != nullptr && kernel.unit == nullptr) kernels.push_back(&kernel);
      }
    }
    Dump(steps);
    if (table_.Find(kernels)) return Status();
    PLINTH_RETURN_IF_ERROR(OpenNvrtc());
    const Status status = table_.Compile(kernels, architecture_, unit_compiler_, options_);
    return status.ok() ? status : Named(status, steps);
  }

  // The binaries of a program's kernels, each once.
  static std::string Keep(std::span<const std::shared_ptr<const backend::PreparedStep>> steps) {
    std::vector<std::shared_ptr<LoadedUnit>> units;
    for (const auto& step : steps) {
      const auto* ours = dynamic_cast<const GpuStep*>(step.get());
      if (ours == nullptr) continue;
      for (const ProgramKernel& kernel : ours->kernels()) {
        if (kernel.unit == nullptr) continue;
        if (std::find(units.begin(), units.end(), kernel.unit) == units.end()) {
          units.push_back(kernel.unit);
        }
      }
    }
    return KernelTable::Write(units);
  }
  Expected<std::shared_ptr<void>> Restore(std::string_view kept) {
    PLINTH_ASSIGN_OR_RETURN(auto units, table_.Read(kept));
    return std::shared_ptr<void>(
        std::make_shared<std::vector<std::shared_ptr<LoadedUnit>>>(std::move(units)));
  }

 private:
  // The error with what the kernel that it names is in the program: "add_multiply".
  static Status Named(const Status& status,
                      std::span<const std::shared_ptr<const backend::PreparedStep>> steps) {
    for (const auto& step : steps) {
      const auto* ours = dynamic_cast<const GpuStep*>(step.get());
      if (ours == nullptr) continue;
      for (const ProgramKernel& kernel : ours->kernels()) {
        if (kernel.text == nullptr) continue;
        if (status.message().find(kernel.text->name) != std::string_view::npos) {
          return status.WithContext(StrCat("\"", ours->printed().label, "\""));
        }
      }
    }
    return status;
  }
  // The text of each kernel of a program, with its launch, where PLINTH_DUMP names a folder.
  static void Dump(std::span<const std::shared_ptr<const backend::PreparedStep>> steps) {
    compiler::Dumper dumper("kernels");
    if (!dumper.enabled()) return;
    for (const auto& step : steps) {
      const auto* ours = dynamic_cast<const GpuStep*>(step.get());
      if (ours == nullptr) continue;
      for (const Action& action : ours->printed().actions) {
        if (action.kernel == nullptr) continue;
        dumper.Dump(action.kernel->name, [&] {
          return StrCat("// ", ours->printed().label, ": ", int64_t{action.grid}, " blocks of ",
                        int64_t{action.block}, " threads\n", action.kernel->text);
        });
      }
    }
  }
  // Tried again with the next program if there is none.
  Status OpenNvrtc() {
    const std::lock_guard lock(mutex_);
    if (unit_compiler_.compile != nullptr) return Status();
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const Nvrtc> nvrtc,
                            Nvrtc::Open(places_, driver_version_));
    unit_compiler_.version = StrCat("nvrtc ", VersionText(nvrtc->version()));
    unit_compiler_.compile = [nvrtc](const std::string& text,
                                     std::span<const std::string> options) {
      return nvrtc->Compile(text, options);
    };
    return Status();
  }

  const Architecture architecture_;
  const LibraryPlaces places_;
  const int driver_version_;
  JitOptions options_;
  KernelTable table_;
  std::mutex mutex_;
  UnitCompiler unit_compiler_;  // written once, with the lock
};

// cuBLASLt of a device, opened for the first product that it may take.
class DeviceProducts final : public ProductLibrary {
 public:
  explicit DeviceProducts(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  std::optional<int64_t> Workspace(const MatrixProduct& product) override {
    const Expected<Blas*> blas = gpu_->blas();
    if (blas.ok()) return (*blas)->Workspace(product);
    if (!has_told_.exchange(true)) {
      const LogTarget log = LogTarget::OfThisProcess();
      if (!log.file.empty()) {
        AppendLogLine(log.file, "warning",
                      StrCat("products of matrices run as kernels of the CUDA plugin's own: ",
                             blas.status().message()));
      }
    }
    return std::nullopt;
  }

 private:
  const std::shared_ptr<Gpu> gpu_;
  std::atomic<bool> has_told_{false};
};

}  // namespace

std::shared_ptr<const backend::Backend> MakeBackend(const Architecture& architecture,
                                                    LibraryPlaces places,
                                                    const ProgramSettings& settings,
                                                    std::shared_ptr<Gpu> gpu) {
  const auto compiler = std::make_shared<Compiler>(architecture, std::move(places),
                                                   gpu == nullptr ? 0 : gpu->driver().version());
  backend::Backend made;
  made.name = "CUDA";
  made.hardware = StrCat("sm_", architecture.capability);
  made.target = kTarget;
  // Who asks for the library gets it.
  if (settings.library == ProgramSettings::Library::kAlways) made.target.small_products = {};
  PrintOptions options;
  options.deterministic = settings.deterministic;
  options.products.allow_tf32 = settings.allow_tf32;
  if (settings.library == ProgramSettings::Library::kAlways) options.products.least_work = 0;
  std::shared_ptr<DeviceProducts> library;
  if (gpu != nullptr && settings.library != ProgramSettings::Library::kNever) {
    library = std::make_shared<DeviceProducts>(std::move(gpu));
    options.products.library = library.get();
  }
  const backend::Engine printed = {
      [](const PlanStep& step) {
        return step.kind == PlanStepKind::kKernel || step.kind == PlanStepKind::kLibrary;
      },
      [architecture, options, library](const PlanStep& step, backend::Preparation&)
          -> Expected<std::unique_ptr<backend::PreparedStep>> {
        PLINTH_ASSIGN_OR_RETURN(PrintedStep text, Print(step, architecture, options));
        return std::unique_ptr<backend::PreparedStep>(new GpuStep(std::move(text)));
      }};
  const backend::Engine calls = backend::CallEngine(made.name, {}, AdaptCall);
  const backend::Engine other_calls = {
      [calls](const PlanStep& step) { return calls.matches(step) && !IsPrintedCall(step); },
      calls.prepare};
  made.engines = {other_calls, printed};
  made.combine = [library](const compiler::plan::Plan& plan,
                           std::span<const std::shared_ptr<const backend::PreparedStep>> steps) {
    return CombineSteps(plan, steps, library.get());
  };
  made.finish = [compiler](std::span<const std::shared_ptr<const backend::PreparedStep>> steps) {
    return compiler->Compile(steps);
  };
  made.keep = Compiler::Keep;
  made.restore = [compiler](std::string_view kept) { return compiler->Restore(kept); };
  return std::make_shared<const backend::Backend>(std::move(made));
}

}  // namespace plinth::cuda
