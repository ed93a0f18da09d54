// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "reference_plugin/cpu/library/gemm.h"
#include "reference_plugin/cpu/library/test_support.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::library {
namespace {

using compiler::Dims;
using compiler::DotAttributes;
using compiler::Opcode;

LibraryOptions NoBlas() { return {{"none"}}; }

int64_t Offset(const Dims& dims, const Dims& index) {
  int64_t offset = 0;
  for (size_t d = 0; d < dims.size(); ++d) offset = offset * dims[d] + index[d];
  return offset;
}

// Visits every index of a box.
template <typename Visit>
void ForEachIndex(const Dims& sizes, const Visit& visit) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Dims index(sizes.size());
  for (;;) {
    visit(index);
    size_t d = sizes.size();
    for (;;) {
      if (d == 0) return;
      --d;
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}

struct Case {
  DotAttributes dot;
  TestArray lhs, rhs, result;

  compiler::plan::PlanStep Step() const {
    return MakeStep(Opcode::kDotGeneral, {lhs.type, rhs.type}, {result.type},
                    compiler::MakeAttributes(dot));
  }
};

bool Has(const Dims& dims, size_t dim) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(dim)) != dims.end();
}

void SetResult(Case& c, DType type) {
  Dims dims;
  for (int64_t d : c.dot.lhs_batch) dims.push_back(c.lhs.type.dims[d]);
  for (size_t d = 0; d < c.lhs.type.dims.size(); ++d) {
    if (!Has(c.dot.lhs_batch, d) && !Has(c.dot.lhs_contracting, d)) {
      dims.push_back(c.lhs.type.dims[d]);
    }
  }
  for (size_t d = 0; d < c.rhs.type.dims.size(); ++d) {
    if (!Has(c.dot.rhs_batch, d) && !Has(c.dot.rhs_contracting, d)) {
      dims.push_back(c.rhs.type.dims[d]);
    }
  }
  c.result = TestArray(type, dims);
  std::fill(c.result.bytes.begin(), c.result.bytes.end(), std::byte{0x7b});
}

DType ComputeType(const Case& c) {
  const DType type = c.result.type.dtype;
  return type == DType::kF16 || type == DType::kBF16 ? DType::kF32 : type;
}

// Checks every `stride`-th element of the result.
void CheckAgainstDefinition(const Case& c, int64_t stride = 1) {
  const Dims& a = c.lhs.type.dims;
  const Dims& b = c.rhs.type.dims;
  Dims summed;
  int64_t terms = 1;
  for (int64_t d : c.dot.lhs_contracting) summed.push_back(a[d]), terms *= a[d];
  int failures = 0;
  int64_t visited = 0;
  ForEachIndex(c.result.type.dims, [&](const Dims& out) {
    if (visited++ % stride != 0) return;
    Dims i(a.size()), j(b.size());
    size_t next = 0;
    for (size_t d = 0; d < c.dot.lhs_batch.size(); ++d, ++next) {
      i[c.dot.lhs_batch[d]] = j[c.dot.rhs_batch[d]] = out[next];
    }
    for (size_t d = 0; d < a.size(); ++d) {
      if (!Has(c.dot.lhs_batch, d) && !Has(c.dot.lhs_contracting, d)) i[d] = out[next++];
    }
    for (size_t d = 0; d < b.size(); ++d) {
      if (!Has(c.dot.rhs_batch, d) && !Has(c.dot.rhs_contracting, d)) j[d] = out[next++];
    }
    ReferenceSum sum;
    ForEachIndex(summed, [&](const Dims& k) {
      for (size_t d = 0; d < k.size(); ++d) {
        i[c.dot.lhs_contracting[d]] = j[c.dot.rhs_contracting[d]] = k[d];
      }
      sum.Add(c.lhs, Offset(a, i), c.rhs, Offset(b, j));
    });
    if (failures < 3) {
      const auto match =
          sum.Matches(c.result, Offset(c.result.type.dims, out), terms, ComputeType(c));
      EXPECT_TRUE(match);
      failures += !match;
    }
  });
}

Case MatrixProduct(int64_t m, int64_t n, int64_t k, bool a_turned, bool b_turned, DType type) {
  Case c;
  c.lhs = TestArray(type, a_turned ? Dims{k, m} : Dims{m, k});
  c.rhs = TestArray(type, b_turned ? Dims{n, k} : Dims{k, n});
  c.dot.lhs_contracting = {a_turned ? 0 : 1};
  c.dot.rhs_contracting = {b_turned ? 1 : 0};
  SetResult(c, type);
  return c;
}

void FillRun(Case& c, std::mt19937_64& random, const LibraryOptions& options) {
  c.lhs.FillRandom(random);
  c.rhs.FillRandom(random);
  const Status status = RunStep(c.Step(), {&c.lhs, &c.rhs}, {&c.result}, nullptr, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

TEST(Dot, EveryTypeShapeAndOrder) {
  std::mt19937_64 random(1);
  for (DType type : kTestTypes) {
    for (int round = 0; round < 40; ++round) {
      // Around the tile sizes, and vectors.
      auto size = [&] {
        return int64_t(random() % 4 == 0 ? 1 : random() % 4 == 1 ? 33 : random() % 50);
      };
      Case c = MatrixProduct(size(), size(), size(), random() % 2, random() % 2, type);
      SCOPED_TRACE(StrCat(Name(type), " ", c.lhs.type.dims[0], "x", c.lhs.type.dims[1], " by ",
                          c.rhs.type.dims[0], "x", c.rhs.type.dims[1], " sums ",
                          c.dot.lhs_contracting[0], " ", c.dot.rhs_contracting[0]));
      FillRun(c, random, NoBlas());
      CheckAgainstDefinition(c);
    }
  }
}

TEST(Dot, SumsLongerThanOneBlock) {
  std::mt19937_64 random(2);
  for (DType type : kTestTypes) {
    for (bool turned : {false, true}) {
      SCOPED_TRACE(Name(type));
      Case c = MatrixProduct(19, 37, 700, turned, !turned, type);
      FillRun(c, random, NoBlas());
      CheckAgainstDefinition(c);
    }
  }
}

TEST(Dot, FewRowsAndManyColumns) {
  std::mt19937_64 random(3);
  for (DType type : {DType::kF32, DType::kF64, DType::kBF16, DType::kS32}) {
    for (int64_t rows : {1, 2, 3, 7, 8}) {
      for (int layout = 0; layout < 8; ++layout) {
        SCOPED_TRACE(StrCat(Name(type), " rows ", rows, " layout ", layout));
        const bool tall = layout & 4;
        Case c =
            MatrixProduct(tall ? 1100 : rows, tall ? rows : 1100, 67, layout & 1, layout & 2, type);
        FillRun(c, random, NoBlas());
        CheckAgainstDefinition(c, 3);
      }
    }
  }
}

TEST(Dot, OneRowOfAFewVectors) {
  std::mt19937_64 random(31);
  for (DType type : {DType::kF32, DType::kF64}) {
    for (int64_t columns = 1; columns <= 150; ++columns) {
      for (int64_t sums : {1, 4, 11, 66}) {
        SCOPED_TRACE(StrCat(Name(type), " columns ", columns, " sums ", sums));
        Case c = MatrixProduct(1, columns, sums, false, false, type);
        FillRun(c, random, NoBlas());
        CheckAgainstDefinition(c);
      }
    }
  }
}

// No cache holds it: parts of the sum for threads, and reads ahead.
TEST(Dot, VectorTimesLargeMatrix) {
  std::mt19937_64 random(23);
  backend::ThreadPool pool(3);
  for (DType type : {DType::kF32, DType::kF64}) {
    for (int layout = 0; layout < 4; ++layout) {
      SCOPED_TRACE(StrCat(Name(type), " layout ", layout));
      const int64_t rows = layout & 1 ? 1 : 1030, columns = layout & 1 ? 1030 : 1;
      Case c = MatrixProduct(rows, columns, 1100, false, layout & 2, type);
      FillRun(c, random, NoBlas());
      CheckAgainstDefinition(c);
      const TestArray alone = c.result;
      ASSERT_TRUE(RunStep(c.Step(), {&c.lhs, &c.rhs}, {&c.result}, &pool, NoBlas()).ok());
      EXPECT_EQ(alone.bytes, c.result.bytes);
    }
  }
}

TEST(Dot, FewColumnsOfLongSums) {
  std::mt19937_64 random(9);
  for (DType type : {DType::kF32, DType::kF64, DType::kBF16}) {
    for (int64_t columns : {2, 8, 16}) {
      for (int layout = 0; layout < 4; ++layout) {
        SCOPED_TRACE(StrCat(Name(type), " columns ", columns, " layout ", layout));
        Case c = MatrixProduct(1100, columns, 700, layout & 1, layout & 2, type);
        FillRun(c, random, NoBlas());
        CheckAgainstDefinition(c, 41);
      }
    }
  }
}

// Where no near cache holds the long rows, they are summed in parts that end anywhere. The order of
// a sum is that of few rows, which are summed at once.
TEST(Dot, LongRowsInPartsGiveTheBitsOfWholeOnes) {
  std::mt19937_64 random(24);
  for (DType type : {DType::kF32, DType::kF64}) {
    for (int64_t columns : {4, 5, 7, 8}) {
      SCOPED_TRACE(StrCat(Name(type), " columns ", columns));
      Case many = MatrixProduct(1101, columns, 1237, false, true, type);
      FillRun(many, random, NoBlas());
      CheckAgainstDefinition(many, 41);
      Case few = MatrixProduct(19, columns, 1237, false, true, type);
      std::copy_n(many.lhs.bytes.begin(), few.lhs.bytes.size(), few.lhs.bytes.begin());
      few.rhs = many.rhs;
      ASSERT_TRUE(RunStep(few.Step(), {&few.lhs, &few.rhs}, {&few.result}, nullptr, NoBlas()).ok());
      EXPECT_TRUE(
          std::equal(few.result.bytes.begin(), few.result.bytes.end(), many.result.bytes.begin()));
    }
  }
}

// The smaller operand is packed once for all tasks, in every type.
TEST(Dot, TasksShareOneOperand) {
  std::mt19937_64 random(25);
  backend::ThreadPool pool(3);
  for (DType type : kTestTypes) {
    for (const auto& [m, n] : {std::pair(130, 300), std::pair(300, 130)}) {
      for (int layout = 0; layout < 4; ++layout) {
        SCOPED_TRACE(StrCat(Name(type), " ", m, " x ", n, " layout ", layout));
        Case c = MatrixProduct(m, n, 301, layout & 1, layout & 2, type);
        FillRun(c, random, NoBlas());
        CheckAgainstDefinition(c, 997);
        const TestArray alone = c.result;
        ASSERT_TRUE(RunStep(c.Step(), {&c.lhs, &c.rhs}, {&c.result}, &pool, NoBlas()).ok());
        EXPECT_EQ(alone.bytes, c.result.bytes);
      }
    }
  }
}

// The few columns are copied, those of each batch to a place of their own.
TEST(Dot, FewColumnsOfLongSumsInBatches) {
  std::mt19937_64 random(10);
  for (DType type : {DType::kF32, DType::kF64}) {
    for (int64_t columns : {6, 7}) {
      Case c;
      c.lhs = TestArray(type, {3, 800, 700});
      c.rhs = TestArray(type, {3, 700, columns});
      c.dot.lhs_batch = c.dot.rhs_batch = {0};
      c.dot.lhs_contracting = {2};
      c.dot.rhs_contracting = {1};
      SetResult(c, type);
      FillRun(c, random, NoBlas());
      CheckAgainstDefinition(c, 101);
    }
  }
}

// Two batch dimensions, of which the left operand has the last one first; rows that neither eight
// nor three divide; one vector of columns, parts of one, and more.
TEST(Dot, ManySmallProducts) {
  std::mt19937_64 random(11);
  for (DType type : {DType::kF32, DType::kF64}) {
    for (int64_t columns : {2, 3, 4, 7, 8, 16, 17}) {
      for (int64_t rows : {1, 3, 13, 33}) {
        SCOPED_TRACE(StrCat(Name(type), " ", rows, " x ", columns));
        Case c;
        c.dot.lhs_batch = {1, 0};
        c.dot.rhs_batch = {0, 1};
        c.dot.lhs_contracting = c.dot.rhs_contracting = {2};
        c.lhs = TestArray(type, {3, 20, 6, rows});
        c.rhs = TestArray(type, {20, 3, 6, columns});
        SetResult(c, type);
        FillRun(c, random, NoBlas());
        CheckAgainstDefinition(c);
        Expected<Gemm> gemm =
            Gemm::Make(compiler::DotProduct(c.dot, c.lhs.type, c.rhs.type, c.result.type), {});
        ASSERT_TRUE(gemm.ok());
        const GemmKind kind = type == DType::kF32 ? GemmKind::kF32 : GemmKind::kF64;
        EXPECT_EQ(gemm->method() == GemmMethod::kNarrow,
                  rows <= 32 && columns <= KernelsFor(kind).nr / 2);
      }
    }
  }
}

TEST(Dot, BatchAndSummedDimensionsAnywhere) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 150; ++round) {
    const DType type = kTestTypes[random() % std::size(kTestTypes)];
    Case c;
    const int batch = random() % 3, summed = random() % 3;
    const int a_free = random() % 3, b_free = random() % 3;
    const int a_rank = batch + summed + a_free, b_rank = batch + summed + b_free;
    std::vector<int64_t> a_order(a_rank), b_order(b_rank);
    for (int i = 0; i < a_rank; ++i) a_order[i] = i;
    for (int i = 0; i < b_rank; ++i) b_order[i] = i;
    std::shuffle(a_order.begin(), a_order.end(), random);
    std::shuffle(b_order.begin(), b_order.end(), random);
    Dims a(a_rank), b(b_rank);
    for (int64_t& dim : a) dim = 1 + random() % 6;
    for (int64_t& dim : b) dim = 1 + random() % 6;
    if (random() % 8 == 0 && a_rank > 0) a[random() % a_rank] = 0;
    for (int i = 0; i < batch + summed; ++i) {
      b[b_order[i]] = a[a_order[i]];
      (i < batch ? c.dot.lhs_batch : c.dot.lhs_contracting).push_back(a_order[i]);
      (i < batch ? c.dot.rhs_batch : c.dot.rhs_contracting).push_back(b_order[i]);
    }
    c.lhs = TestArray(type, a);
    c.rhs = TestArray(type, b);
    SetResult(c, type);
    SCOPED_TRACE(StrCat("round ", round, " ", Name(type)));
    FillRun(c, random, NoBlas());
    CheckAgainstDefinition(c);
  }
}

TEST(Dot, OperandsAndResultOfDifferentTypes) {
  const DType rows[][3] = {
      {DType::kS8, DType::kS8, DType::kS32},     {DType::kU8, DType::kS8, DType::kS32},
      {DType::kBF16, DType::kBF16, DType::kF32}, {DType::kF16, DType::kBF16, DType::kF32},
      {DType::kF32, DType::kF64, DType::kF64},   {DType::kS16, DType::kS32, DType::kS64},
      {DType::kF32, DType::kC64, DType::kC64},   {DType::kS8, DType::kS8, DType::kF32},
      {DType::kU32, DType::kU32, DType::kU64},   {DType::kBF16, DType::kF32, DType::kBF16},
      {DType::kPred, DType::kS8, DType::kS32},
  };
  std::mt19937_64 random(5);
  for (const auto& row : rows) {
    SCOPED_TRACE(StrCat(Name(row[0]), " ", Name(row[1]), " ", Name(row[2])));
    Case c;
    c.lhs = TestArray(row[0], {13, 300});
    c.rhs = TestArray(row[1], {300, 21});
    c.dot.lhs_contracting = {1};
    c.dot.rhs_contracting = {0};
    SetResult(c, row[2]);
    FillRun(c, random, NoBlas());
    CheckAgainstDefinition(c);
  }
}

// Vectors along the batch, in parts of 16384 products.
TEST(Dot, ManyProductsInnermost) {
  std::mt19937_64 random(23);
  for (DType type : {DType::kF32, DType::kBF16, DType::kC128}) {
    Case c;
    c.lhs = TestArray(type, {2, 3, 40000});
    c.rhs = TestArray(type, {2, 3, 40000});
    c.dot.lhs_batch = c.dot.rhs_batch = {0, 2};
    c.dot.lhs_contracting = c.dot.rhs_contracting = {1};
    SetResult(c, type);
    FillRun(c, random, {});
    CheckAgainstDefinition(c, 37);
  }
}

TEST(Dot, SummingNothingGivesZero) {
  for (DType type : kTestTypes) {
    Case c = MatrixProduct(3, 5, 0, false, false, type);
    std::mt19937_64 random(6);
    FillRun(c, random, NoBlas());
    for (std::byte byte : c.result.bytes) EXPECT_EQ(byte, std::byte{0});
  }
}

TEST(Dot, LargeWithAndWithoutBlas) {
  std::mt19937_64 random(7);
  for (DType type : {DType::kF32, DType::kF64, DType::kC64, DType::kC128}) {
    for (int layout = 0; layout < 4; ++layout) {
      for (const char* blas : {"none", ""}) {
        SCOPED_TRACE(StrCat(Name(type), " layout ", layout, " blas '", blas, "'"));
        Case c = MatrixProduct(300, 270, 150, layout & 1, layout & 2, type);
        LibraryOptions options;
        options.blas.path = blas;
        FillRun(c, random, options);
        CheckAgainstDefinition(c, 41);
      }
    }
  }
}

// And where a product is so large that our own is slower.
TEST(Dot, OpenBlasServesWhereItsVectorsAreAsWideAsOurs) {
  const auto blas = OpenBlas({});
  ASSERT_TRUE(blas.ok()) << blas.status().message();
  const bool wide = math::BestSimdTarget() == math::SimdTarget::kAvx512;
  const bool is_narrow = wide && !(*blas)->has_avx512;
  for (DType type : {DType::kF32, DType::kF64, DType::kC64}) {
    for (int64_t size : {600, 1600}) {
      const auto square = compiler::Type::Tensor(type, {size, size});
      DotAttributes dot;
      dot.lhs_contracting = {1};
      dot.rhs_contracting = {0};
      const auto gemm = Gemm::Make(compiler::DotProduct(dot, square, square, square), {});
      ASSERT_TRUE(gemm.ok());
      const bool is_large = size == 1600 || type == DType::kC64 || !wide;
      EXPECT_EQ(gemm->method(), is_large && !is_narrow ? GemmMethod::kBlas : GemmMethod::kPacked)
          << Name(type) << " " << size;
    }
  }
}

TEST(Dot, SameBitsForAnyNumberOfThreads) {
  std::mt19937_64 random(8);
  struct Shape {
    int64_t m, n, k;
  };
  for (DType type : {DType::kF32, DType::kF64, DType::kBF16, DType::kC64}) {
    for (const Shape& s : {Shape{300, 500, 600}, Shape{200, 130, 600}, Shape{4, 3000, 500},
                           Shape{150, 150, 150}, Shape{1, 2000, 1000}, Shape{2000, 8, 500}}) {
      for (const char* blas : {"none", ""}) {
        for (bool turned : {false, true}) {
          Case c = MatrixProduct(s.m, s.n, s.k, false, turned, type);
          LibraryOptions options;
          options.blas.path = blas;
          FillRun(c, random, options);
          for (int threads : {1, 2, 5}) {
            backend::ThreadPool pool(threads);
            TestArray again(type, c.result.type.dims);
            ASSERT_TRUE(RunStep(c.Step(), {&c.lhs, &c.rhs}, {&again}, &pool, options).ok());
            EXPECT_EQ(again.bytes, c.result.bytes) << Name(type) << " " << threads << " threads";
          }
        }
      }
    }
  }
}

TEST(Dot, SetStopFlagCancels) {
  Case c = MatrixProduct(64, 64, 64, false, false, DType::kS32);
  auto prepared = PrepareLibraryStep(c.Step());
  ASSERT_TRUE(prepared.ok());
  std::atomic<bool> stop = true;
  backend::RunContext context;
  context.stop = &stop;
  void* operands[] = {c.lhs.bytes.data(), c.rhs.bytes.data()};
  void* results[] = {c.result.bytes.data()};
  EXPECT_EQ((*prepared)->Run(operands, results, context).status().code(), StatusCode::kCancelled);
}

TEST(Dot, TypeWithoutProductIsNamed) {
  Case c = MatrixProduct(2, 2, 2, false, false, DType::kF8E5M2);
  auto step = c.Step();
  step.location = std::make_shared<const std::string>("f.py:3");
  const auto prepared = PrepareLibraryStep(step);
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(prepared.status().message().find("dot_general at f.py:3"), std::string::npos);
  EXPECT_NE(prepared.status().message().find("f8e5m2"), std::string::npos);
}

}  // namespace
}  // namespace plinth::cpu::library
