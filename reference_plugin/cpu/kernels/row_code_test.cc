// SPDX-License-Identifier: Apache-2.0
// Random kernels of rows, by their phases' routines and by one function for rows: the same bits.
#include "reference_plugin/cpu/kernels/row_code.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "reference_plugin/cpu/kernels/kernel_step.h"
#include "reference_plugin/cpu/kernels/kernel_test_util.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::ComparisonDirection;
using compiler::Dims;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;

using Bytes = std::vector<std::byte>;

constexpr int64_t kLengths[] = {2,  7,   15,  16,  17,  33,  63,   64,
                                65, 100, 127, 128, 200, 512, 1000, 1536};
constexpr DType kTypes[] = {DType::kF32, DType::kF32,  DType::kF32, DType::kS32,
                            DType::kU32, DType::kBF16, DType::kF16};
bool IsFloat(DType type) { return type == DType::kF32 || emit::IsHalf(type); }

class RandomRows {
 public:
  // Of every other seed rows have nothing of their own but elements, so that several are done at
  // once.
  explicit RandomRows(uint32_t seed)
      : random_(seed), nans_(seed / 2 % 4), may_differ_(seed % 2 == 0) {
    Make();
  }

  Kernel kernel;
  std::vector<Bytes> operands;
  std::vector<size_t> result_sizes;
  bool first_may_be_result = true;  // result 0 may lie over operand 0

 private:
  int64_t Below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint32_t>(end));
  }
  DType AnyType() { return kTypes[Below(std::size(kTypes))]; }

  // Elements of every kind, but NaNs and infinities only where this kernel has them.
  uint32_t Element(DType type) {
    if (type == DType::kPred) return random_() & 1;
    if (emit::IsHalf(type)) {
      // Of f16 all about 1, of bf16 small ones, too.
      const uint32_t infinity = type == DType::kF16 ? 0x7C00 : 0x7F80;
      if (nans_ > 0 && random_() % 500 == 0) return infinity + (nans_ == 1 ? 0 : random_() & 3);
      return (random_() & 0x83FF) | 0x3800;
    }
    if (type != DType::kF32) return random_() % 4 == 0 ? random_() : random_() % 100;
    static constexpr uint32_t kSpecial[] = {0x7F800000, 0xFF800000, 0x7FC00001, 0xFFC12345,
                                            0x7F812345};
    if (nans_ > 0 && random_() % (nans_ == 3 ? 4 : 500) == 0)
      return kSpecial[Below(nans_ == 1 ? 2 : 5)];
    static constexpr uint32_t kPlain[] = {0, 0x80000000, 1, 0x80000001, 0xC2D40000, 0x3F800000};
    if (random_() % 8 == 0) return kPlain[Below(std::size(kPlain))];
    return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(random_())) * 0x1p-30f);
  }

  void AddInput(DType type, Dims strides, int64_t count) {
    const auto bytes = static_cast<size_t>(ByteSize(type));
    kernel.shape.inputs.push_back(MakeAccess(static_cast<int32_t>(operands.size()), type, strides));
    Bytes& operand = operands.emplace_back(static_cast<size_t>(count) * bytes);
    for (size_t i = 0; i < operand.size(); i += bytes) {
      const uint32_t element = Element(type);
      std::memcpy(&operand[i], &element, bytes);
    }
  }

  int32_t Add(const Node& node) {
    std::vector<Node>& nodes = kernel.body.phases.back().nodes;
    nodes.push_back(node);
    return static_cast<int32_t>(nodes.size()) - 1;
  }

  // A node of the type: one that is there, or a new leaf.
  int32_t Pick(DType type) {
    Phase& phase = kernel.body.phases.back();
    std::vector<int32_t> fitting;
    for (size_t n = 0; n < phase.nodes.size(); ++n) {
      if (phase.nodes[n].dtype == type) fitting.push_back(static_cast<int32_t>(n));
    }
    if (!fitting.empty() && Below(3) > 0)
      return fitting[static_cast<size_t>(Below(static_cast<int64_t>(fitting.size())))];
    const int64_t kind = Below(6);
    if (kind == 5 && (type == DType::kS32 || type == DType::kU32 || type == DType::kF32)) {
      // Numbers of a row's elements, or of rows.
      Node iota = Leaf(NodeKind::kIota, type, may_differ_ ? static_cast<int32_t>(Below(3)) : 2);
      iota.constant.low = static_cast<uint64_t>(Below(9) - 4);
      iota.constant.high = static_cast<uint64_t>(Below(7) - 3);
      return Add(iota);
    }
    if (kind == 0 && !reduced_.empty()) {
      const auto r = static_cast<size_t>(Below(static_cast<int64_t>(reduced_.size())));
      if (reduced_[r] == type) return Add(Leaf(NodeKind::kReduced, type, static_cast<int32_t>(r)));
    }
    const bool reads_row = may_differ_ ? kind == 1 : kind < 4;
    if (reads_row && kernel.body.phases.size() > 1) {
      const int64_t earlier = Below(static_cast<int64_t>(kernel.body.phases.size()) - 1);
      const std::vector<Node>& nodes = kernel.body.phases[static_cast<size_t>(earlier)].nodes;
      const int64_t n = Below(static_cast<int64_t>(nodes.size()));
      if (nodes[static_cast<size_t>(n)].dtype == type) {
        return Add(
            Leaf(NodeKind::kRow, type, static_cast<int32_t>(earlier), static_cast<int32_t>(n)));
      }
    }
    if (kind == 2 && type != DType::kPred) return Add(Constant(Element(type), type));
    std::vector<int32_t> inputs;
    for (size_t i = 0; i < kernel.shape.inputs.size(); ++i) {
      const compiler::Access& input = kernel.shape.inputs[i];
      const bool differs = input.byte_strides[1] != 0 && input.byte_strides[2] == 0;
      if (input.dtype == type && (may_differ_ || !differs)) {
        inputs.push_back(static_cast<int32_t>(i));
      }
    }
    return Add(
        Input(inputs[static_cast<size_t>(Below(static_cast<int64_t>(inputs.size())))], type));
  }

  void AddOp() {
    const DType type = AnyType();
    const bool floats = IsFloat(type);
    switch (Below(6)) {
      case 0: {
        Node node = Operation(Opcode::kCompare, DType::kPred, {Pick(type), Pick(type)});
        node.compare.direction = static_cast<ComparisonDirection>(Below(6));
        node.compare.type = floats                ? compiler::ComparisonType::kFloat
                            : type == DType::kS32 ? compiler::ComparisonType::kSigned
                                                  : compiler::ComparisonType::kUnsigned;
        Add(node);
        break;
      }
      case 1: {
        const int32_t pred = Pick(DType::kPred);
        Add(Operation(Opcode::kSelect, type, {pred, Pick(type), Pick(type)}));
        break;
      }
      case 2:
        if (floats) {
          constexpr Opcode kFunctions[] = {Opcode::kExponential, Opcode::kTanh, Opcode::kRsqrt,
                                           Opcode::kLog};
          Add(Operation(kFunctions[Below(4)], type, {Pick(type)}));
          break;
        }
        [[fallthrough]];
      case 3:
        if (floats) {
          constexpr DType kFloats[] = {DType::kF32, DType::kBF16, DType::kF16};
          Add(Operation(Opcode::kConvert, kFloats[Below(3)], {Pick(type)}));
          break;
        }
        [[fallthrough]];
      default: {
        constexpr Opcode kBinary[] = {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply,
                                      Opcode::kMaximum, Opcode::kMinimum};
        const Opcode opcode = floats && Below(8) == 0 ? Opcode::kDivide : kBinary[Below(5)];
        Add(Operation(opcode, type, {Pick(type), Pick(type)}));
      }
    }
  }

  void AddReduction() {
    const DType type = AnyType();
    constexpr Opcode kOps[] = {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum};
    const Opcode opcode = kOps[Below(3)];
    const int32_t value = Pick(type);
    const bool is_scalar = type == DType::kF32 && opcode != Opcode::kAdd && Below(4) == 0;
    const int32_t initial = is_scalar ? Add(Input(scalar_)) : Add(Constant(uint32_t{0}, type));
    kernel.body.phases.back().reductions.push_back(Reduce(opcode, type, value, initial));
    new_reduced_.push_back(type);
  }

  void AddStore(int32_t node, Dims strides, int64_t count) {
    const DType type = kernel.body.phases.back().nodes[static_cast<size_t>(node)].dtype;
    const int64_t bytes = ByteSize(type);
    for (int64_t& stride : strides) stride *= bytes;
    const auto output = static_cast<int32_t>(kernel.shape.outputs.size());
    kernel.shape.outputs.push_back(MakeAccess(output, type, strides));
    kernel.body.phases.back().stores.push_back({node, output});
    result_sizes.push_back(static_cast<size_t>(count * bytes));
  }

  void Make() {
    const int64_t lanes = kLengths[Below(std::size(kLengths))];
    // Rows of several planes are groups, because planes share some operands.
    const int64_t planes = 1 + Below(4), rows_of_plane = 1 + Below(lanes > 64 ? 4 : 20);
    const int64_t rows = planes * rows_of_plane, plane = rows_of_plane * lanes;
    kernel.name = "rows";
    kernel.shape.extents = {planes, rows_of_plane, lanes};
    kernel.shape.num_parallel = 2;
    AddInput(DType::kF32, {4 * plane, 4 * lanes, 4}, rows * lanes);
    AddInput(DType::kF32, {0, 0, 4}, lanes);
    AddInput(DType::kF32, {0, 4, 0}, rows_of_plane);
    AddInput(DType::kS32, {4 * plane, 4 * lanes, 4}, rows * lanes);
    AddInput(DType::kPred, {plane, lanes, 1}, rows * lanes);
    AddInput(DType::kPred, {rows_of_plane, 1, 0}, rows);
    AddInput(DType::kU32, {4 * plane, 4 * lanes, 4}, rows * lanes);
    AddInput(DType::kBF16, {2 * plane, 2 * lanes, 2}, rows * lanes);
    AddInput(DType::kF16, {2 * plane, 2 * lanes, 2}, rows * lanes);
    AddInput(DType::kBF16, {0, 2, 0}, rows_of_plane);
    AddInput(DType::kF16, {2 * rows_of_plane, 2, 0}, rows);
    AddInput(DType::kF32, {0, 0, 0}, 1);
    scalar_ = static_cast<int32_t>(operands.size()) - 1;

    const int64_t phases = 1 + Below(4);
    for (int64_t p = 0; p < phases; ++p) {
      kernel.body.phases.emplace_back().over_reduced = true;
      // What a row computes once, too.
      for (int64_t i = Below(3); i > 0 && !reduced_.empty(); --i) {
        const auto r = static_cast<int32_t>(Below(static_cast<int64_t>(reduced_.size())));
        const DType type = reduced_[static_cast<size_t>(r)];
        const int32_t leaf = Add(Leaf(NodeKind::kReduced, type, r));
        Add(Operation(Opcode::kMultiply, type, {leaf, leaf}));
      }
      for (int64_t i = Below(10); i >= 0; --i) AddOp();
      const bool is_last = p + 1 == phases;
      for (int64_t i = is_last && Below(4) > 0 ? 0 : 1 + Below(3); i > 0; --i) AddReduction();
      if (is_last || Below(8) == 0) {
        const auto last = static_cast<int32_t>(kernel.body.phases.back().nodes.size()) - 1;
        const int32_t node = Below(3) > 0 ? Pick(DType::kF32) : last;
        AddStore(node, {plane, lanes, 1}, rows * lanes);
        if (!is_last) first_may_be_result = false;
      }
      reduced_.insert(reduced_.end(), new_reduced_.begin(), new_reduced_.end());
      new_reduced_.clear();
    }
    first_may_be_result = first_may_be_result && kernel.shape.outputs[0].dtype == DType::kF32;
    if (reduced_.empty()) return;
    kernel.body.phases.emplace_back();
    for (size_t r = 0; r < reduced_.size(); ++r) {
      AddStore(Add(Leaf(NodeKind::kReduced, reduced_[r], static_cast<int32_t>(r))),
               {rows_of_plane, 1, 0}, rows);
    }
  }

  std::mt19937 random_;
  const uint32_t nans_;
  const bool may_differ_;
  std::vector<DType> reduced_, new_reduced_;
  int32_t scalar_ = 0;
};

// The results of the last of some runs: machine code is there from the second one on.
std::vector<Bytes> ResultsOf(const RandomRows& rows, const std::shared_ptr<emit::CodeCache>& codes,
                             bool in_place) {
  std::vector<Bytes> operands = rows.operands, results;
  Expected<std::unique_ptr<backend::PreparedStep>> step =
      PrepareKernel(std::make_shared<const Kernel>(rows.kernel), codes);
  EXPECT_TRUE(step.ok()) << step.status().ToString();
  if (!step.ok()) return {};
  EXPECT_EQ((*step)->scratch_bytes(), 0);
  for (const size_t size : rows.result_sizes) results.emplace_back(size, std::byte{0x5A});
  const int runs = codes == nullptr ? 1 : 2;
  for (int run = 0; run < runs; ++run) {
    operands = rows.operands;
    std::vector<void*> inputs, outputs;
    for (Bytes& operand : operands) inputs.push_back(operand.data());
    for (Bytes& result : results) outputs.push_back(result.data());
    if (in_place) outputs[0] = inputs[0];
    const Status status = (*step)->Run(inputs, outputs, {}).status();
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (in_place) results[0] = operands[0];
  }
  return results;
}

TEST(RowCodeTest, RowsAreTheirRoutines) {
  std::vector<std::shared_ptr<emit::CodeCache>> all_codes;
  for (const math::SimdTarget target : {math::SimdTarget::kAvx2, math::SimdTarget::kAvx512}) {
    // The baseline's functions have other bits.
    if (!math::IsSupported(target) || math::BestSimdTarget() < math::SimdTarget::kAvx2) continue;
    all_codes.push_back(std::make_shared<emit::CodeCache>(emit::CodeCache::kMostBytes, target));
  }
  constexpr uint32_t kKernels = 400;
  uint32_t with_code = 0, at_once = 0;
  for (uint32_t seed = 0; seed < kKernels; ++seed) {
    SCOPED_TRACE(seed);
    const RandomRows rows(seed);
    ASSERT_TRUE(compiler::Verify(rows.kernel).ok())
        << compiler::Verify(rows.kernel).ToString() << compiler::ToString(rows.kernel);
    Expected<std::unique_ptr<TileProgram>> program = MakeTileProgram(rows.kernel);
    ASSERT_TRUE(program.ok());
    const std::optional<RowCode> code = RowCode::Describe(**program);
    with_code += code.has_value() ? 1 : 0;
    if (code.has_value() && emit::RowsAtOnce(code->row(), math::SimdTarget::kAvx2) > 1) ++at_once;
    for (const bool in_place : {false, true}) {
      if (in_place && !rows.first_may_be_result) continue;
      const std::vector<Bytes> expected = ResultsOf(rows, nullptr, in_place);
      for (const auto& codes : all_codes) {
        ASSERT_EQ(ResultsOf(rows, codes, in_place), expected) << compiler::ToString(rows.kernel);
      }
    }
  }
  EXPECT_GT(with_code, kKernels / 2);
  EXPECT_GT(at_once, kKernels / 10);
}

}  // namespace
}  // namespace plinth::cpu::kernels
