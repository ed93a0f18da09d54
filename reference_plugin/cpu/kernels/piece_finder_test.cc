// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/piece_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "reference_plugin/cpu/kernels/kernel_test_util.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Kernel;
using compiler::Opcode;
using compiler::Phase;

bool IsWide(const PhaseUnit& unit) {
  return std::any_of(unit.piece.begin(), unit.piece.end(), [](const emit::PieceValue& value) {
    return emit::IsWideType(value.type) || emit::IsWideType(value.operand_type);
  });
}

// As random numbers begin: the upper half of a counter of 64 bits, and then `narrow` ops on it.
std::vector<PhaseUnit> PiecesOfUpperHalf(int32_t narrow) {
  Kernel kernel;
  kernel.shape.extents = {4096};
  kernel.shape.num_parallel = 1;
  kernel.shape.inputs = {MakeAccess(0, DType::kU64, {8})};
  kernel.shape.outputs = {MakeAccess(1, DType::kU32, {4})};
  Phase phase;
  phase.nodes = {Input(0, DType::kU64), Constant(uint64_t{32}, DType::kU64),
                 Operation(Opcode::kShiftRightLogical, DType::kU64, {0, 1}),
                 Operation(Opcode::kConvert, DType::kU32, {2})};
  for (int32_t n = 0; n < narrow; ++n) {
    phase.nodes.push_back(Operation(Opcode::kAdd, DType::kU32, {3 + n, 3 + n / 2}));
  }
  phase.stores = {{3 + narrow, 0}};
  kernel.body.phases = {phase};
  Expected<std::unique_ptr<TileProgram>> program = MakeTileProgram(kernel);
  EXPECT_TRUE(program.ok()) << program.status().ToString();
  return FindPieces(**program, (*program)->phases[0]).units;
}

TEST(PieceFinderTest, ManyNarrowOpsAreNotHalvedByFewWideOnes) {
  const std::vector<PhaseUnit> units = PiecesOfUpperHalf(20);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_TRUE(units[0].is_piece && IsWide(units[0]));
  EXPECT_TRUE(units[1].is_piece && !IsWide(units[1]));
  EXPECT_EQ(units[0].end, 2u);
}

// One op alone is a piece then.
TEST(PieceFinderTest, WritesPastTheCacheWhatNobodyReads) {
  Kernel kernel = Elementwise(4096, {DType::kF32}, {Input(0), Operation(Opcode::kAdd, {0, 0})});
  Expected<std::unique_ptr<TileProgram>> program = MakeTileProgram(kernel);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  EXPECT_FALSE(FindPieces(**program, (*program)->phases[0]).units[0].is_piece);
  const PhasePieces found = FindPieces(**program, (*program)->phases[0], /*past_cache=*/true);
  ASSERT_EQ(found.units.size(), 1u);
  ASSERT_TRUE(found.units[0].is_piece);
  EXPECT_TRUE(found.units[0].piece.back().past_cache);
}

TEST(PieceFinderTest, OneFunctionIsAPiece) {
  Kernel kernel = Elementwise(4096, {DType::kF32}, {Input(0), Operation(Opcode::kErf, {0})});
  Expected<std::unique_ptr<TileProgram>> program = MakeTileProgram(kernel);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  EXPECT_TRUE(FindPieces(**program, (*program)->phases[0]).units[0].is_piece);
}

TEST(PieceFinderTest, FewNarrowOpsStayWithWideOnes) {
  const std::vector<PhaseUnit> units = PiecesOfUpperHalf(1);
  ASSERT_EQ(units.size(), 1u);
  EXPECT_TRUE(units[0].is_piece && IsWide(units[0]));
}

}  // namespace
}  // namespace plinth::cpu::kernels
