// SPDX-License-Identifier: Apache-2.0
// plinth-cpu-steps PROGRAM ARGUMENTS THREADS: time per step of a program's plan. ARGUMENTS is a
// file with the bytes of each argument, one after the other; `plinth-bench --steps` makes it.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "plinth/program/program.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/backend/run/prepared_program.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/cpu/backend.h"

namespace plinth::cpu {
namespace {

constexpr double kSeconds = 1;
constexpr int kLeastRuns = 5;
constexpr size_t kMostLines = 40;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What one kind of step took. Written by the one thread that runs the program.
struct StepTime {
  std::string name;
  double of_run = 0, least = std::numeric_limits<double>::infinity();  // seconds
  int64_t calls = 0;                                                   // of one run

  void StartRun() { of_run = 0, calls = 0; }
  void EndRun() { least = std::min(least, of_run); }
};

class Clocked {
 public:
  explicit Clocked(StepTime* time) : time_(time), start_(Now()) {}
  ~Clocked() {
    time_->of_run += Now() - start_;
    ++time_->calls;
  }
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;

 private:
  StepTime* const time_;
  const double start_;
};

// A step with a clock around it.
class TimedStep final : public backend::PreparedStep, public backend::Bindable {
 public:
  TimedStep(std::unique_ptr<backend::PreparedStep> step, StepTime* time)
      : step_(std::move(step)), time_(time) {}

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const Clocked clocked(time_);
    return step_->Run(operands, results, context);
  }
  bool may_wait() const override { return step_->may_wait(); }
  bool may_pause() const override { return step_->may_pause(); }
  const backend::Bindable* bindable() const override {
    return step_->bindable() == nullptr ? nullptr : this;
  }
  int64_t scratch_bytes() const override { return step_->scratch_bytes(); }

  size_t num_slots() const override { return step_->bindable()->num_slots(); }
  int64_t register_bytes() const override { return step_->bindable()->register_bytes(); }
  Status Bind(std::span<void* const> operands, std::span<void* const> results, std::byte* registers,
              std::byte** slots) const override {
    return step_->bindable()->Bind(operands, results, registers, slots);
  }
  void RunBound(std::byte** slots) const override {
    const Clocked clocked(time_);
    step_->bindable()->RunBound(slots);
  }

 private:
  const std::unique_ptr<backend::PreparedStep> step_;
  StepTime* const time_;
};

std::string TextOf(const compiler::plan::PlanStep& step) {
  std::string text = step.kernel != nullptr ? StrCat("kernel ", step.kernel->name)
                                            : StrCat("library ", compiler::Name(step.opcode));
  for (const compiler::plan::ArrayRef& result : step.results) {
    text += StrCat(" ", result.type.ToString());
  }
  return text;
}

// The CPU's back end, with clocks. `times` outlives it and does not move what it holds.
backend::Backend TimedBackend(std::vector<std::unique_ptr<StepTime>>* times) {
  // Machine code of loops would go round the clocks.
  backend::Backend backend = *MakeBackend({}, {.loops = false});
  for (backend::Engine& engine : backend.engines) {
    engine.prepare =
        [inner = std::move(engine.prepare), times](
            const compiler::plan::PlanStep& step,
            backend::Preparation& shared) -> Expected<std::unique_ptr<backend::PreparedStep>> {
      PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<backend::PreparedStep> prepared, inner(step, shared));
      times->push_back(std::make_unique<StepTime>());
      times->back()->name = TextOf(step);
      return std::unique_ptr<backend::PreparedStep>(
          std::make_unique<TimedStep>(std::move(prepared), times->back().get()));
    };
  }
  return backend;
}

Expected<std::string> ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return NotFound("cannot read ", path);
  return std::move(text).str();
}

Expected<std::vector<backend::StoragePtr>> Arguments(const compiler::plan::Plan& plan,
                                                     backend::MemoryPool& memory,
                                                     const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<backend::StoragePtr> arguments;
  for (const compiler::Type& type : plan.argument_types) {
    PLINTH_ASSIGN_OR_RETURN(backend::StoragePtr storage, memory.Allocate(type.SizeInBytes()));
    if (!file.read(reinterpret_cast<char*>(storage->data()), storage->size())) {
      return InvalidArgument(path, " ends before argument ", arguments.size());
    }
    arguments.push_back(std::move(storage));
  }
  return arguments;
}

void Print(std::vector<std::unique_ptr<StepTime>>& times, double run, int runs) {
  std::sort(times.begin(), times.end(),
            [](const auto& x, const auto& y) { return x->least > y->least; });
  double steps = 0;
  for (const auto& time : times) steps += time->calls > 0 ? time->least : 0;
  std::printf("%.2f us per run with clocks, the least of %d\n", run * 1e6, runs);
  std::printf("%6s %12s %8s  %s\n", "%", "us", "calls", "step");
  auto print = [&](double seconds, int64_t calls, const char* name) {
    std::printf("%6.1f %12.2f %8lld  %s\n", 100 * seconds / run, seconds * 1e6,
                static_cast<long long>(calls), name);
  };
  for (size_t i = 0; i < std::min(times.size(), kMostLines); ++i) {
    if (times[i]->calls > 0) print(times[i]->least, times[i]->calls, times[i]->name.c_str());
  }
  print(run - steps, 0, "the rest: copies, jumps, memory");
}

Status TimeSteps(const char* program_path, const char* arguments_path, int threads) {
  PLINTH_ASSIGN_OR_RETURN(const std::string code, ReadFile(program_path));
  PLINTH_ASSIGN_OR_RETURN(program::Module module,
                          program::Read(std::as_bytes(std::span(code.data(), code.size()))));
  std::vector<std::unique_ptr<StepTime>> times;
  const backend::Backend backend = TimedBackend(&times);
  PLINTH_ASSIGN_OR_RETURN(compiler::CompiledProgram compiled,
                          compiler::CompileProgram(std::move(module), backend.target, {}));
  PLINTH_ASSIGN_OR_RETURN(const std::shared_ptr<const backend::PreparedProgram> program,
                          backend::PreparedProgram::Create(std::move(compiled.plan), backend));
  if (program->has_custom_calls()) return Unimplemented("programs with custom calls");
  backend::Runtime runtime(threads, 0);
  PLINTH_ASSIGN_OR_RETURN(const std::vector<backend::StoragePtr> storages,
                          Arguments(program->plan(), *runtime.memory, arguments_path));
  double least = std::numeric_limits<double>::infinity();
  int runs = 0;
  for (const double start = Now(); runs < kLeastRuns || Now() - start < kSeconds; ++runs) {
    std::vector<backend::RunArgument> arguments;
    arguments.reserve(storages.size());
    for (const backend::StoragePtr& storage : storages) arguments.push_back({storage});
    std::vector<backend::StoragePtr> outputs(program->plan().outputs.size());
    for (const auto& time : times) time->StartRun();
    const double begin = Now();
    PLINTH_RETURN_IF_ERROR(program->Run(runtime, arguments, outputs));
    outputs.clear();
    least = std::min(least, Now() - begin);
    for (const auto& time : times) time->EndRun();
  }
  Print(times, least, runs);
  return Status();
}

}  // namespace
}  // namespace plinth::cpu

int main(int argc, char** argv) {
  const int threads = argc == 4 ? std::atoi(argv[3]) : 0;
  if (threads < 1) {
    std::fprintf(stderr, "usage: plinth-cpu-steps PROGRAM ARGUMENTS THREADS\n");
    return 2;
  }
  const plinth::Status status = plinth::cpu::TimeSteps(argv[1], argv[2], threads);
  if (status.ok()) return 0;
  std::fprintf(stderr, "plinth-cpu-steps: %s\n", status.ToString().c_str());
  return 1;
}
