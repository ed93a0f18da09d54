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

#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/cuda/jit/jit.h"
#include "reference_plugin/cuda/print/program.h"
#include "reference_plugin/cuda/target.h"
#include "reference_plugin/program/program.h"

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
    auto module = program::ReadText(ReadFile(path));
    EXPECT_TRUE(module.ok()) << path << module.status().ToString();
    if (!module.ok()) return kernels;
    auto program = compiler::CompileProgram(*std::move(module), kTarget, {});
    EXPECT_TRUE(program.ok()) << path << program.status().ToString();
    if (!program.ok()) return kernels;
    for (const compiler::plan::PlanStep& step : program->plan.steps) {
      if (step.kind != compiler::plan::PlanStepKind::kKernel &&
          step.kind != compiler::plan::PlanStepKind::kLibrary) {
        continue;
      }
      auto printed = Print(step, architecture);
      EXPECT_TRUE(printed.ok()) << path << printed.status().ToString();
      if (!printed.ok()) continue;
      for (const Action& action : printed->actions) {
        if (action.kernel == nullptr) continue;
        labels_[action.kernel->name] = printed->label;
        kernels.push_back(action.kernel);
      }
    }
    return kernels;
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
        // Sines and the like of large arguments have an array for the digits of pi.
        const bool reduces_angles = kernel->text.find("sine(") != std::string::npos ||
                                    kernel->text.find("tan_of(") != std::string::npos;
        if (!reduces_angles) {
          EXPECT_EQ(frame->second, 0u)
              << "sm_" << capability << " spills in " << labels_[kernel->name] << "\n"
              << kernel->text;
        }
      }
    }
    std::printf("sm_%d: %zu kernels in %.2f s\n", capability, count, seconds);
    EXPECT_GT(count, 10u);
  }

  std::shared_ptr<const Nvrtc> nvrtc_;
  std::map<std::string, std::string> labels_;
};

TEST_F(NvrtcTest, CompilesTheDemo) {
  const fs::path programs[] = {"testdata/digits_step.mlir", "testdata/digits_accuracy.mlir"};
  for (int32_t capability : kArchitectures) CompileAll(programs, capability);
}

}  // namespace
}  // namespace plinth::cuda
