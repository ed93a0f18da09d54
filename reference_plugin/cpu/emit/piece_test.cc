// SPDX-License-Identifier: Apache-2.0
// Pieces against the routines of ../math, one op after the other: the same bits.
#include "reference_plugin/cpu/emit/piece.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "reference_plugin/cpu/emit/arrange_piece.h"
#include "reference_plugin/cpu/emit/code_cache.h"
#include "reference_plugin/cpu/emit/function_code.h"
#include "reference_plugin/cpu/math/simd_name.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::emit {
namespace {

using compiler::ComparisonDirection;
using compiler::Node;
using compiler::Opcode;
using Kind = PieceValue::Kind;

// A page that ends where none is, so that who touches a byte too many is seen.
class GuardedPage {
 public:
  GuardedPage() : size_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    void* const pages = mmap(nullptr, 3 * size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return;
    pages_ = static_cast<std::byte*>(pages);
    EXPECT_EQ(mprotect(pages_ + size_, size_, PROT_READ | PROT_WRITE), 0);
  }
  ~GuardedPage() { munmap(pages_, 3 * size_); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;

  std::byte* begin() { return pages_ + size_; }
  std::byte* end() { return pages_ + 2 * size_; }

 private:
  const size_t size_;
  std::byte* pages_ = nullptr;
};

constexpr int64_t kMostLanes = 100;
constexpr size_t kMargin = 64;  // bytes before a slot

Node Op(Opcode opcode, DType type, uint8_t num_operands,
        ComparisonDirection direction = ComparisonDirection::kEq) {
  Node node;
  node.opcode = opcode;
  node.dtype = type;
  node.num_operands = num_operands;
  node.compare.direction = direction;
  return node;
}

struct Candidate {
  Node node;
  DType operand;
};

// Of one lane each, with those of two, and with short ones.
constexpr DType kTypes[] = {DType::kF32, DType::kS32, DType::kU32, DType::kPred};
constexpr DType kAllTypes[] = {DType::kF64, DType::kF32, DType::kS64, DType::kPred,
                               DType::kU64, DType::kS32, DType::kU32};
constexpr DType kShortTypes[] = {DType::kU8,  DType::kS8,  DType::kS16, DType::kU16, DType::kF32,
                                 DType::kS32, DType::kU32, DType::kF64, DType::kPred};

constexpr std::span<const DType> kTypeLists[] = {kTypes, kAllTypes, kShortTypes};

// Of the value as the routines have it.
DType TypeOf(const PieceValue& value) { return IsShort(value.memory) ? value.memory : value.type; }

std::vector<Candidate> Candidates(std::span<const DType> types) {
  std::vector<Candidate> all;
  const auto add = [&](Opcode opcode, DType operand, DType result, uint8_t num_operands,
                       ComparisonDirection direction = ComparisonDirection::kEq) {
    const Node node = Op(opcode, result, num_operands, direction);
    if (CanEmit(node, operand)) all.push_back({node, operand});
  };
  for (const DType type : types) {
    for (const Opcode opcode :
         {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide, Opcode::kMaximum,
          Opcode::kMinimum, Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kShiftLeft,
          Opcode::kShiftRightLogical, Opcode::kShiftRightArithmetic}) {
      if (math::FindTileRoutine(opcode, type, type)) add(opcode, type, type, 2);
    }
    for (const Opcode opcode :
         {Opcode::kNegate, Opcode::kAbs, Opcode::kNot, Opcode::kSqrt, Opcode::kRsqrt, Opcode::kSign,
          Opcode::kFloor, Opcode::kCeil, Opcode::kRoundNearestEven, Opcode::kExponential,
          Opcode::kTanh, Opcode::kLogistic, Opcode::kLog, Opcode::kErf, Opcode::kSine,
          Opcode::kCosine}) {
      if (math::FindTileRoutine(opcode, type, type)) add(opcode, type, type, 1);
    }
    add(Opcode::kSelect, type, type, 3);
    for (const DType to : types) {
      add(Opcode::kConvert, type, to, 1);
      add(Opcode::kBitcastConvert, type, to, 1);
    }
    for (int direction = 0; direction < 6; ++direction) {
      add(Opcode::kCompare, type, DType::kPred, 2, static_cast<ComparisonDirection>(direction));
    }
  }
  add(Opcode::kIsFinite, DType::kF32, DType::kPred, 1);
  if (types.size() > std::size(kTypes)) add(Opcode::kIsFinite, DType::kF64, DType::kPred, 1);
  return all;
}

uint64_t RandomWideBits(DType type, std::mt19937& random) {
  // As below; also numbers about the ends of 32 bits.
  static constexpr uint64_t kSpecial[] = {
      0,          0x8000000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000001,
      1,          0xFFF8123456789ABC, 0x7FF0123456789ABC, 0xFFF0000000000001, 0x8000000000000001,
      63,         0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0x3FF0000000000000,
      64,         0xBFF0000000000000, 0x41DFFFFFFFC00000, 0x41DFFFFFFFE00000, 0x41E0000000000000,
      0x80000000, 0xC1E0000000000000, 0xC1E0000000200000, 0x3FE0000000000000, 0x4004000000000000,
      0xFFFFFFFF, 0x47EFFFFFF0000000, 0x36A0000000000000, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFF80000000};
  const uint64_t number = random() | static_cast<uint64_t>(random()) << 32;
  if (number % 3 == 0) return kSpecial[(number >> 8) % std::size(kSpecial)];
  if (type != DType::kF64) return number % 3 == 1 ? number : (number >> 8) % 80;
  const double fraction = static_cast<double>(static_cast<int64_t>(number)) * 0x1p-63;
  if (number % 3 == 1) return std::bit_cast<uint64_t>(fraction * 4);
  return random() % 2 == 0 ? number : std::bit_cast<uint64_t>(fraction * 0x1p34);
}

uint32_t RandomBits(DType type, std::mt19937& random) {
  // Zeros, infinities, NaNs, subnormals, limits of conversions.
  static constexpr uint32_t kSpecial[] = {
      0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFC12345, 0x7F812345,
      0xFF800001, 1,          0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x3F800000,
      0xBF800000, 0x4F000000, 0xCF000000, 0x3F000000, 0x40200000, 31,         32};
  if (type == DType::kPred) return random() & 1;
  const uint32_t number = random();
  if (number % 3 == 0) return kSpecial[(number >> 8) % std::size(kSpecial)];
  if (type != DType::kF32) return number % 3 == 1 ? random() : (number >> 8) % 40;
  // Numbers about 1, those where exponentials overflow or vanish, and any.
  const float fraction = static_cast<float>(static_cast<int32_t>(number)) * 0x1p-31f;
  if (number % 3 == 1) return std::bit_cast<uint32_t>(fraction * 4);
  return random() % 2 == 0 ? random() : std::bit_cast<uint32_t>(fraction * 128);
}

LaneBits RandomElement(DType type, std::mt19937& random) {
  return IsWideType(type) ? LaneBits::Wide(RandomWideBits(type, random)) : RandomBits(type, random);
}

size_t BytesOf(DType type) { return math::TileElementBytes(type); }

struct RandomPiece {
  Piece piece;
  int32_t num_slots = 0;
};

RandomPiece MakePiece(const std::vector<Candidate>& candidates, std::mt19937& random,
                      int64_t num_ops, std::span<const DType> types = kTypes) {
  RandomPiece made;
  Piece& piece = made.piece;
  // An odd turn has more inputs than there are registers for their addresses.
  const auto inputs = static_cast<int32_t>(types.size()) * (random() % 4 == 0 ? 3 : 1);
  for (int32_t i = 0; i < inputs; ++i) {
    PieceValue value;
    const DType type = types[static_cast<size_t>(i) % types.size()];
    value.type = LaneTypeOf(type);
    value.memory = SlotFormOf(type);
    value.slot = made.num_slots++;
    piece.push_back(value);
  }
  for (const DType type : types) {
    PieceValue value;
    value.kind = Kind::kConstant;
    value.type = LaneTypeOf(type);
    value.memory = SlotFormOf(type);
    const uint64_t bits = RandomElement(type, random).both();
    value.bits = LaneBits::Of(type, &bits);
    piece.push_back(value);
  }
  const auto choose = [&](DType type) {
    while (true) {
      const size_t n = random() % 2 == 0
                           ? random() % piece.size()
                           : piece.size() - 1 - random() % std::min<size_t>(4, piece.size());
      if (TypeOf(piece[n]) == type) return static_cast<int32_t>(n);
      if (random() % 8 == 0) {
        for (size_t m = 0; m < piece.size(); ++m) {
          if (TypeOf(piece[m]) == type) return static_cast<int32_t>(m);
        }
      }
    }
  };
  for (int64_t k = 0; k < num_ops; ++k) {
    const Candidate& candidate = candidates[random() % candidates.size()];
    PieceValue value = ValueOfOp(candidate.node, candidate.operand, /*is_rounded=*/false);
    for (size_t i = 0; i < value.node.num_operands; ++i) {
      const bool is_pred = value.node.opcode == Opcode::kSelect && i == 0;
      value.node.operands[i] = choose(is_pred ? DType::kPred : candidate.operand);
    }
    if (value.type == DType::kF32 && value.operand_type == DType::kF32 && random() % 4 == 0) {
      value.rounded = random() % 2 == 0 ? DType::kBF16 : DType::kF16;
    }
    if (random() % 8 == 0 || k + 1 == num_ops) {
      value.slot = made.num_slots++;
      const bool is_as_it_is = value.type != DType::kPred && !IsShort(value.memory);
      value.past_cache = is_as_it_is && random() % 2 == 0;
    }
    piece.push_back(value);
  }
  return made;
}

using Lanes = std::vector<std::byte>;

// What each value is, by the routines.
std::vector<Lanes> Reference(const Piece& piece, const std::vector<Lanes>& slots, int64_t lanes) {
  std::vector<Lanes> values;
  const auto count = static_cast<size_t>(lanes);
  for (const PieceValue& value : piece) {
    const DType type = TypeOf(value);
    Lanes& out = values.emplace_back(kMostLanes * BytesOf(type));
    if (value.kind == Kind::kInput) {
      out = slots[static_cast<size_t>(value.slot)];
    } else if (value.kind == Kind::kConstant) {
      const uint64_t bits = value.bits.both() & (type == DType::kPred ? 1 : ~uint64_t{0});
      math::FindFill(BytesOf(type))(out.data(), &bits, count);
    } else {
      const bool selects = value.node.opcode == Opcode::kSelect;
      const auto operand = static_cast<size_t>(value.node.operands[selects ? 1 : 0]);
      const math::TileRoutine routine = math::FindTileRoutine(
          value.node.opcode, TypeOf(piece[operand]), type, value.node.compare);
      const void* operands[3] = {};
      for (size_t i = 0; i < value.node.num_operands; ++i) {
        operands[i] = values[static_cast<size_t>(value.node.operands[i])].data();
      }
      EXPECT_TRUE(routine && routine.finish == nullptr);
      routine.compute(out.data(), operands[0], operands[1], operands[2], count, {});
      if (IsHalf(value.rounded)) {
        math::FindFinish(value.rounded)(out.data(), out.data(), nullptr, nullptr, count, {});
      }
    }
  }
  return values;
}

using MakeElement = std::function<uint64_t(DType type, int64_t lane)>;

void Compare(const Piece& piece, PieceFunction function, int64_t lanes, const MakeElement& make) {
  // Slots end at a guard, so most are not aligned to a vector: none but those of 16, 32, ... lanes.
  std::vector<Lanes> inputs;
  std::vector<std::unique_ptr<GuardedPage>> pages;
  std::vector<std::byte*> slots;
  for (const PieceValue& value : piece) {
    if (value.slot < 0) continue;
    const DType type = TypeOf(value);
    const size_t element = BytesOf(type), bytes = element * static_cast<size_t>(lanes);
    GuardedPage& page = *pages.emplace_back(std::make_unique<GuardedPage>());
    slots.push_back(page.end() - bytes);
    std::memset(slots.back() - kMargin, 0x5A, kMargin + bytes);
    Lanes& input = inputs.emplace_back(kMostLanes * element);
    if (value.kind != Kind::kInput) continue;
    for (int64_t i = 0; i < lanes; ++i) {
      const uint64_t bits = make(type, i);
      std::memcpy(&input[static_cast<size_t>(i) * element], &bits, element);
    }
    std::memcpy(slots.back(), input.data(), bytes);
  }
  const std::vector<Lanes> expected = Reference(piece, inputs, lanes);
  function(slots.data(), lanes);
  for (size_t n = 0; n < piece.size(); ++n) {
    const PieceValue& value = piece[n];
    if (value.slot < 0) continue;
    const auto slot = static_cast<size_t>(value.slot);
    const size_t size = BytesOf(TypeOf(value));
    for (int64_t i = 0; i < lanes; ++i) {
      uint64_t got = 0, wanted = 0;
      std::memcpy(&got, slots[slot] + static_cast<size_t>(i) * size, size);
      std::memcpy(&wanted, &expected[n][static_cast<size_t>(i) * size], size);
      ASSERT_EQ(got, wanted) << "value " << n << " lane " << i << " of " << lanes << ": "
                             << compiler::Name(value.node.opcode) << " of "
                             << Name(value.operand_type);
    }
    for (const std::byte* p = slots[slot] - kMargin; p < slots[slot]; ++p) {
      ASSERT_EQ(*p, std::byte{0x5A}) << "written before the slot";
    }
  }
}

void Compare(const Piece& piece, PieceFunction function, int64_t lanes, std::mt19937& random) {
  Compare(piece, function, lanes,
          [&](DType type, int64_t) { return RandomElement(type, random).both(); });
}

// Code of each instruction set that there is, against the routines of the best one.
class PieceTest : public testing::TestWithParam<math::SimdTarget> {
 protected:
  void SetUp() override {
    if (!math::IsSupported(GetParam())) GTEST_SKIP() << "no " << math::NameOf(GetParam());
    // The baseline's functions have other bits.
    if (math::BestSimdTarget() < math::SimdTarget::kAvx2) GTEST_SKIP() << "no AVX2";
  }
  CodeCache codes_{CodeCache::kMostBytes, GetParam()};
};

TEST_P(PieceTest, EachOpIsTheRoutine) {
  std::mt19937 random(1);
  for (const std::span<const DType> types : kTypeLists) {
    for (const Candidate& candidate : Candidates(types)) {
      for (int turn = 0; turn < 10; ++turn) {
        const Piece piece = MakePiece({candidate}, random, 1, types).piece;
        const auto code = codes_.Get({{piece}});
        ASSERT_NE(code, nullptr);
        Compare(piece, code->function(0), 96 + turn % 5, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(PieceTest, RandomPiecesAreTheirRoutines) {
  std::mt19937 random(2);
  for (const std::span<const DType> types : kTypeLists) {
    const std::vector<Candidate> candidates = Candidates(types);
    for (int turn = 0; turn < 120; ++turn) {
      SCOPED_TRACE(turn);
      const Piece piece = MakePiece(candidates, random, 1 + turn % 60, types).piece;
      const auto code = codes_.Get({{piece}});
      ASSERT_NE(code, nullptr);
      for (int64_t lanes = turn % 7; lanes <= kMostLanes; lanes += 7) {
        Compare(piece, code->function(0), lanes, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Several vectors that go the common way together, and then one lane that does not.
TEST_P(PieceTest, FunctionsOfOrdinaryNumbers) {
  std::mt19937 random(4);
  constexpr DType kFloat[] = {DType::kF32};
  for (const Candidate& candidate : Candidates(kFloat)) {
    if (!FunctionCode::Has(candidate.node.opcode, candidate.operand)) continue;
    Piece piece = MakePiece({candidate}, random, 1, kFloat).piece;
    for (PieceValue& value : piece) value.rounded = DType::kInvalid;
    piece.back().node.operands[0] = 0;
    const auto code = codes_.Get({{piece}});
    ASSERT_NE(code, nullptr);
    for (int turn = 0; turn < 40; ++turn) {
      const auto rare = static_cast<int64_t>(turn % 2 == 0 ? kMostLanes : random() % kMostLanes);
      const auto make = [&](DType type, int64_t lane) -> uint64_t {
        if (lane == rare) return RandomBits(type, random);
        const float size = static_cast<float>(random()) * 0x1p-29f + 0x1p-20f;
        const bool has_sign = candidate.node.opcode != Opcode::kLog && random() % 2 == 0;
        return std::bit_cast<uint32_t>(has_sign ? -size : size);
      };
      Compare(piece, code->function(0), kMostLanes - turn % 3, make);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(PieceTest, CodeIsSharedCountedAndBounded) {
  std::mt19937 random(3);
  const std::vector<Candidate> candidates = Candidates(kTypes);
  const Piece piece = MakePiece(candidates, random, 5).piece;
  const Piece other = MakePiece(candidates, random, 6).piece;
  CodeCache codes(/*most_bytes=*/1, GetParam());
  auto code = codes.Get({{piece}});
  ASSERT_NE(code, nullptr);
  EXPECT_GT(codes.bytes(), 0);
  EXPECT_EQ(codes.Get({{piece}}), code);
  EXPECT_EQ(codes.Get({{other}}), nullptr);
  code.reset();
  EXPECT_EQ(codes.bytes(), 0);
  EXPECT_NE(codes.Get({{other}}), nullptr);
}

// The conditions of a chain of selections stand in front of it, as kernels have them.
TEST(ArrangePiece, MasksAreMadeWhereTheyAreUsed) {
  constexpr int32_t kChoices = 6;
  Piece piece(2);
  piece[0].type = piece[1].type = DType::kF32;
  piece[0].slot = 0;
  piece[1].slot = 1;
  const auto add = [&](const Node& node, std::initializer_list<int32_t> operands) {
    PieceValue& value = piece.emplace_back(ValueOfOp(node, DType::kF32, /*is_rounded=*/false));
    std::copy(operands.begin(), operands.end(), value.node.operands);
    return static_cast<int32_t>(piece.size() - 1);
  };
  for (int32_t i = 0; i < kChoices; ++i) {
    add(Op(Opcode::kCompare, DType::kPred, 2, static_cast<ComparisonDirection>(i)), {0, 1});
  }
  for (int32_t i = kChoices; i-- > 0;) {
    add(Op(Opcode::kSelect, DType::kF32, 3), {2 + i, 0, static_cast<int32_t>(piece.size()) - 1});
  }
  // The first selection has no other before it.
  piece[2 + kChoices].node.operands[2] = 1;
  piece.back().slot = 2;
  const Piece arranged = DelayMasks(piece);
  ASSERT_EQ(arranged.size(), piece.size());
  for (size_t n = 0; n < arranged.size(); ++n) {
    const Node& node = arranged[n].node;
    for (size_t i = 0; i < node.num_operands; ++i) {
      EXPECT_LT(static_cast<size_t>(node.operands[i]), n);
    }
    if (node.opcode != Opcode::kSelect) continue;
    EXPECT_EQ(static_cast<size_t>(node.operands[0]), n - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, PieceTest,
                         testing::Values(math::SimdTarget::kAvx2, math::SimdTarget::kAvx512),
                         [](const auto& target) {
                           return std::string(math::NameOf(target.param));
                         });

}  // namespace
}  // namespace plinth::cpu::emit
