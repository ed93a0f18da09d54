// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/driver/nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "plinth/program/program.h"
#include "reference_plugin/compiler/ir/elementwise_rules.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/cuda/jit/jit.h"
#include "reference_plugin/cuda/print/combined.h"
#include "reference_plugin/cuda/print/kernel.h"
#include "reference_plugin/cuda/print/program.h"
#include "reference_plugin/cuda/target.h"
#include "reference_plugin/cuda/testing/host_device.h"

// NVIDIA's own compiler takes every kernel of stored programs, for every architecture, and keeps
// all of their values in registers. No GPU is needed.
namespace plinth::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int32_t kArchitectures[] = {80, 90, 100, 120};

template <typename T>
T ReadAt(const std::string& bytes, size_t at) {
  T value{};
  if (at + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// Bytes of local memory by kernel: what is spilled, and arrays that have no registers. The frame
// sizes (attribute 0x11) of a binary's section ".nv.info".
std::map<std::string, uint32_t> FrameSizes(const std::string& binary) {
  constexpr uint8_t kSized = 4, kFrameSize = 0x11;
  struct Section {
    uint32_t name, type;
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t alignment, entry_size;
  };
  std::map<std::string, uint32_t> frames;
  const auto table = ReadAt<uint64_t>(binary, 0x28);
  const auto count = ReadAt<uint16_t>(binary, 0x3c);
  const auto names =
      ReadAt<Section>(binary, table + ReadAt<uint16_t>(binary, 0x3e) * sizeof(Section));
  auto section_at = [&](size_t i) { return ReadAt<Section>(binary, table + i * sizeof(Section)); };
  auto name_of = [&](uint64_t strings, uint32_t at) {
    return std::string(binary.c_str() + strings + at);
  };
  uint64_t symbols = 0, symbol_names = 0;
  for (size_t i = 0; i < count; ++i) {
    const Section section = section_at(i);
    if (name_of(names.offset, section.name) != ".symtab") continue;
    symbols = section.offset;
    symbol_names = section_at(section.link).offset;
  }
  for (size_t i = 0; i < count; ++i) {
    const Section section = section_at(i);
    if (name_of(names.offset, section.name) != ".nv.info") continue;
    for (uint64_t at = section.offset; at + 4 <= section.offset + section.size;) {
      const auto format = ReadAt<uint8_t>(binary, at), attribute = ReadAt<uint8_t>(binary, at + 1);
      const auto size = ReadAt<uint16_t>(binary, at + 2);
      if (format == kSized && attribute == kFrameSize) {
        const auto symbol = ReadAt<uint32_t>(binary, at + 4);
        constexpr uint64_t kSymbolSize = 24;
        frames[name_of(symbol_names, ReadAt<uint32_t>(binary, symbols + symbol * kSymbolSize))] =
            ReadAt<uint32_t>(binary, at + 8);
      }
      at += 4 + (format == kSized ? size : 0);
    }
  }
  return frames;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class NvrtcTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto places = LibraryPlaces::OfThisProcess("");
    ASSERT_TRUE(places.ok()) << places.status().ToString();
    places->sites.push_back(PLINTH_TEST_SITE);
    auto nvrtc = Nvrtc::Open(*places);
    ASSERT_TRUE(nvrtc.ok()) << nvrtc.status().ToString()
                            << "\nscripts/install_dependencies --tests installs it.";
    nvrtc_ = *nvrtc;
  }

  // The kernels of a program, each once.
  std::vector<std::shared_ptr<const KernelText>> KernelsOf(const fs::path& path,
                                                           const Architecture& architecture) {
    std::vector<std::shared_ptr<const KernelText>> kernels;
    const std::string source = ReadFile(path);
    auto module = path.extension() == ".mlirbc"
                      ? program::ReadBytecode(std::as_bytes(std::span(source)))
                      : program::ReadText(source);
    EXPECT_TRUE(module.ok()) << path << module.status().ToString();
    if (!module.ok()) return kernels;
    auto program = compiler::CompileProgram(*std::move(module), kTarget, {});
    if (MayRefuse(program.status(), path)) return kernels;
    std::vector<PrintedStep> small;
    for (const compiler::plan::PlanStep& step : program->plan.steps) {
      if (step.kind != compiler::plan::PlanStepKind::kKernel &&
          step.kind != compiler::plan::PlanStepKind::kLibrary) {
        continue;
      }
      auto printed = Print(step, architecture);
      if (MayRefuse(printed.status(), path)) continue;
      kernels.insert(kernels.end(), printed->spare.begin(), printed->spare.end());
      for (const Action& action : printed->actions) {
        if (action.kernel == nullptr) continue;
        labels_[action.kernel->name] = printed->label;
        kernels.push_back(action.kernel);
      }
      if (MayShareLaunch(*printed)) small.push_back(*std::move(printed));
    }
    if (small.size() > 1) {
      // As if they shared no bytes.
      std::vector<SharedStep> shared;
      for (const PrintedStep& step : std::span(small).first(std::min(small.size(), size_t{8}))) {
        shared.push_back({&step, 0, 0});
      }
      kernels.push_back(Combine(shared).actions[0].kernel);
    }
    return kernels;
  }

  // Whether it is an error: one that says what is not there yet, in a program that may have it.
  bool MayRefuse(const Status& status, const fs::path& path) {
    if (status.ok()) return false;
    EXPECT_TRUE(may_refuse_ && status.code() == StatusCode::kUnimplemented)
        << path << status.ToString();
    return true;
  }

  void CompileAll(std::span<const fs::path> programs, int32_t capability) {
    auto architecture = ArchitectureOf(capability);
    ASSERT_TRUE(architecture.ok());
    std::vector<std::shared_ptr<const KernelText>> kernels;
    for (const fs::path& path : programs) {
      for (auto& kernel : KernelsOf(path, *architecture)) kernels.push_back(std::move(kernel));
    }
    const UnitCompiler compiler = {
        "", [&](const std::string& text, std::span<const std::string> options) {
          return nvrtc_->Compile(text, options);
        }};
    const auto start = std::chrono::steady_clock::now();
    auto units = Compile(kernels, *architecture, compiler, {});
    ASSERT_TRUE(units.ok()) << units.status().ToString().substr(0, 4000);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    size_t count = 0;
    for (const CompiledUnit& unit : *units) {
      const std::map<std::string, uint32_t> frames = FrameSizes(unit.binary);
      for (const auto& kernel : unit.kernels) {
        ++count;
        const auto frame = frames.find(kernel->name);
        ASSERT_NE(frame, frames.end()) << kernel->name;
        // Sines and the like of large arguments have an array for the digits of pi; most functions
        // of complex numbers have a sine.
        const auto uses = [&](const char* words) {
          return kernel->text.find(words) != std::string::npos;
        };
        const bool reduces_angles =
            uses("sine(") || uses("tan_of(") || uses("C64::V") || uses("C128::V");
        if (!reduces_angles) {
          EXPECT_EQ(frame->second, 0u)
              << "sm_" << capability << " spills in " << labels_[kernel->name] << "\n"
              << kernel->text;
        }
      }
    }
    std::printf("sm_%d: %zu kernels in %.2f s\n", capability, count, seconds);
    EXPECT_GT(count, 5u);
  }

  std::shared_ptr<const Nvrtc> nvrtc_;
  std::map<std::string, std::string> labels_;
  bool may_refuse_ = false;
};

TEST_F(NvrtcTest, CompilesTheDemo) {
  const fs::path programs[] = {"testdata/digits_step.mlir", "testdata/digits_accuracy.mlir"};
  for (int32_t capability : kArchitectures) CompileAll(programs, capability);
}

// Of these a thread has as many values in registers as any form lets it.
TEST_F(NvrtcTest, CompilesRows) {
  const fs::path programs[] = {"testdata/rows.mlir"};
  for (int32_t capability : kArchitectures) CompileAll(programs, capability);
}

// Of these a thread has several accesses under way.
TEST_F(NvrtcTest, CompilesLargeArrays) {
  const fs::path programs[] = {"testdata/large.mlir"};
  for (int32_t capability : kArchitectures) CompileAll(programs, capability);
}

TEST_F(NvrtcTest, CompilesLargeProducts) {
  const fs::path programs[] = {"testdata/products.mlir"};
  for (int32_t capability : kArchitectures) CompileAll(programs, capability);
}

// Of PLINTH_TEST_NVRTC_PROGRAMS, a folder, for all architectures: scripts/test --part cuda.
TEST_F(NvrtcTest, CompilesStoredPrograms) {
  may_refuse_ = true;
  const char* asked = getenv("PLINTH_TEST_NVRTC_PROGRAMS");
  std::vector<fs::path> programs;
  for (const auto& entry :
       fs::directory_iterator(asked == nullptr ? PLINTH_TEST_PROGRAMS "/jax-0.10.2" : asked)) {
    const std::string name = entry.path().filename();
    // The other files are the same programs in other forms.
    if (name.ends_with(".mlirbc") && !name.ends_with("vhlo-1.17.mlirbc")) {
      programs.push_back(entry.path());
    }
  }
  std::sort(programs.begin(), programs.end());
  EXPECT_GT(programs.size(), 30u);
  for (int32_t capability : kArchitectures) {
    if (asked != nullptr || capability == 90) CompileAll(programs, capability);
  }
}

// A kernel with every op that takes elements of the type.
compiler::Kernel KernelOfEveryOp(DType type) {
  using compiler::Access;
  using compiler::Node;
  using compiler::NodeKind;
  using compiler::Opcode;
  compiler::Kernel kernel;
  kernel.name = std::string("ops of ") + std::string(Name(type));
  kernel.shape.extents = {64};
  kernel.shape.num_parallel = 1;
  compiler::Phase& phase = kernel.body.phases.emplace_back();
  auto add_input = [&](DType element) {
    Access access;
    access.buffer = static_cast<int32_t>(kernel.shape.inputs.size());
    access.dtype = element;
    access.byte_strides = {ByteSize(element)};
    Node node;
    node.kind = NodeKind::kInput;
    node.dtype = element;
    node.index = access.buffer;
    kernel.shape.inputs.push_back(access);
    phase.nodes.push_back(node);
  };
  for (int i = 0; i < 3; ++i) add_input(type);
  add_input(DType::kPred);
  auto add_op = [&](Opcode opcode, int operands, DType result) {
    Node node;
    node.opcode = opcode;
    node.dtype = result;
    node.num_operands = static_cast<uint8_t>(operands);
    for (int i = 0; i < operands; ++i) node.operands[i] = i;
    if (opcode == Opcode::kSelect) node.operands[0] = 3;
    node.reduce_precision = {5, 7};
    node.compare = {compiler::ComparisonDirection::kEq, InfoOf(type).kind == DTypeClass::kFloat
                                                            ? compiler::ComparisonType::kTotalOrder
                                                            : compiler::ComparisonType::kSigned};
    Access access;
    access.buffer = static_cast<int32_t>(kernel.shape.outputs.size());
    access.dtype = result;
    access.byte_strides = {ByteSize(result)};
    phase.stores.push_back({static_cast<int32_t>(phase.nodes.size()), access.buffer});
    kernel.shape.outputs.push_back(access);
    phase.nodes.push_back(node);
  };
  const compiler::KindMask kind = compiler::MaskOf(InfoOf(type).kind);
  for (int i = 0; i < compiler::kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const compiler::ElementwiseRule* rule = compiler::FindElementwiseRule(opcode);
    if (rule == nullptr || (rule->types & kind) == 0 || (rule->unimplemented & kind) != 0) continue;
    if (opcode == Opcode::kReducePrecision && !compiler::IsIeeeFloat(type)) continue;
    DType result = type;
    switch (rule->result) {
      case compiler::ResultRule::kRealPart:
        result = compiler::RealTypeOf(type);
        break;
      case compiler::ResultRule::kPred:
        result = DType::kPred;
        break;
      case compiler::ResultRule::kComplex:
        if (type != DType::kF32 && type != DType::kF64) continue;
        result = type == DType::kF32 ? DType::kC64 : DType::kC128;
        break;
      case compiler::ResultRule::kAny:
        for (int to = 1; to < kNumDTypes; ++to) {
          const DType other = static_cast<DType>(to);
          const bool is_element =
              InfoOf(other).kind != DTypeClass::kToken && InfoOf(other).kind != DTypeClass::kNone;
          if (is_element && other != type) add_op(opcode, rule->num_operands, other);
        }
        continue;
      default:
        break;
    }
    add_op(opcode, rule->num_operands, result);
  }
  return kernel;
}

TEST_F(NvrtcTest, CompilesEveryOpOfEveryType) {
  auto architecture = ArchitectureOf(90);
  std::vector<PrintedStep> steps;
  std::vector<std::shared_ptr<const KernelText>> kernels;
  for (int number = 1; number < kNumDTypes; ++number) {
    const DType type = static_cast<DType>(number);
    const DTypeClass kind = InfoOf(type).kind;
    if (kind == DTypeClass::kToken || kind == DTypeClass::kNone) continue;
    const compiler::Kernel kernel = KernelOfEveryOp(type);
    ASSERT_TRUE(Verify(kernel).ok()) << Verify(kernel).ToString() << ToString(kernel);
    auto step = PrintKernel(kernel, *architecture);
    ASSERT_TRUE(step.ok()) << step.status().ToString();
    kernels.push_back(step->actions[0].kernel);
    steps.push_back(*std::move(step));
  }
  EXPECT_GT(kernels.size(), 25u);
  testing::HostDevice host;
  const Status on_host = host.Load(steps);
  EXPECT_TRUE(on_host.ok()) << on_host.ToString().substr(0, 4000);
  const UnitCompiler compiler = {
      "", [&](const std::string& text, std::span<const std::string> options) {
        return nvrtc_->Compile(text, options);
      }};
  auto units = Compile(kernels, *architecture, compiler, {});
  EXPECT_TRUE(units.ok()) << units.status().ToString().substr(0, 4000);
}

}  // namespace
}  // namespace plinth::cuda
