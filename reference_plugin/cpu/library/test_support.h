// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TEST_SUPPORT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TEST_SUPPORT_H_

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/library/element.h"
#include "reference_plugin/cpu/library/library.h"

// Arrays and a runner of single steps for the tests of library operations.
namespace plinth::cpu::library {

// Every element type, read and written as the widest of its class.
struct TestArray {
  compiler::Type type;
  std::vector<std::byte> bytes;

  TestArray() = default;
  TestArray(DType dtype, compiler::Dims dims)
      : type(compiler::Type::Tensor(dtype, std::move(dims))),
        bytes(static_cast<size_t>(NumElements() * ByteSize(dtype))) {}

  int64_t NumElements() const {
    int64_t count = 1;
    for (int64_t dim : type.dims) count *= dim;
    return count;
  }

  template <typename Wide>
  Wide Get(int64_t index) const {
    switch (type.dtype) {
#define PLINTH_GET(dtype, Type)                                             \
  case DType::dtype: {                                                      \
    Type value;                                                             \
    std::memcpy(&value, bytes.data() + index * sizeof(Type), sizeof(Type)); \
    return ConvertElement<Wide>(value);                                     \
  }
      PLINTH_FOR_EACH_ELEMENT(PLINTH_GET)
#undef PLINTH_GET
      default:
        ADD_FAILURE() << "no element type";
        return Wide();
    }
  }

  template <typename Wide>
  void Set(int64_t index, Wide wide) {
    switch (type.dtype) {
#define PLINTH_SET(dtype, Type)                                             \
  case DType::dtype: {                                                      \
    const Type value = ConvertElement<Type>(wide);                          \
    std::memcpy(bytes.data() + index * sizeof(Type), &value, sizeof(Type)); \
    break;                                                                  \
  }
      PLINTH_FOR_EACH_ELEMENT(PLINTH_SET)
#undef PLINTH_SET
      default:
        ADD_FAILURE() << "no element type";
    }
  }

  // Integers of the whole range, so that products wrap; floats of [-1, 1). What is longer than the
  // period repeats: nobody sees it, and making numbers would take most of a test's time.
  void FillRandom(std::mt19937_64& random) {
    constexpr int64_t kPeriod = 65'537;  // prime: lines of an array differ
    const int64_t made = std::min(NumElements(), kPeriod);
    for (int64_t i = 0; i < made; ++i) {
      switch (InfoOf(type.dtype).kind) {
        case DTypeClass::kPred:
          Set(i, static_cast<int64_t>(random() % 4 == 0));
          break;
        case DTypeClass::kFloat:
          Set(i, std::uniform_real_distribution<double>(-1, 1)(random));
          break;
        case DTypeClass::kComplex: {
          std::uniform_real_distribution<double> part(-1, 1);
          const double real = part(random);
          Set(i, std::complex<double>(real, part(random)));
          break;
        }
        default:
          Set(i, static_cast<int64_t>(random()));
      }
    }
    for (size_t done = made * ByteSize(type.dtype); done < bytes.size();) {
      const size_t size = std::min(done, bytes.size() - done);
      std::memcpy(bytes.data() + done, bytes.data(), size);
      done += size;
    }
  }
};

// The distance of neighbouring numbers at 1.
inline double Epsilon(DType type) {
  switch (type) {
    case DType::kBF16:
      return 0x1p-7;
    case DType::kF16:
      return 0x1p-10;
    case DType::kF32:
    case DType::kC64:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

// Sums of products in the widest arithmetic of the result's class, with the sum of magnitudes
// that bounds the error.
struct ReferenceSum {
  std::complex<double> sum = 0;
  double magnitude = 0;
  uint64_t bits = 0;
  bool any = false;

  void Add(const TestArray& a, int64_t i, const TestArray& b, int64_t j) {
    const DTypeClass kind = InfoOf(a.type.dtype).kind;
    if (kind == DTypeClass::kComplex || InfoOf(b.type.dtype).kind == DTypeClass::kComplex) {
      const auto x = a.Get<std::complex<double>>(i), y = b.Get<std::complex<double>>(j);
      sum += x * y;
      magnitude += std::abs(x) * std::abs(y);
      return;
    }
    const double product = a.Get<double>(i) * b.Get<double>(j);
    sum += product;
    magnitude += std::abs(product);
    if (kind == DTypeClass::kFloat) return;
    const auto x = a.Get<uint64_t>(i), y = b.Get<uint64_t>(j);
    bits += x * y;
    any |= x != 0 && y != 0;
  }

  // Whether `result`[i] is this sum within the rounding of `terms` additions.
  ::testing::AssertionResult Matches(const TestArray& result, int64_t i, int64_t terms,
                                     DType compute) const {
    const DType type = result.type.dtype;
    switch (InfoOf(type).kind) {
      case DTypeClass::kPred:
        if (result.Get<int64_t>(i) == static_cast<int64_t>(any)) break;
        return ::testing::AssertionFailure() << "pred element " << i;
      case DTypeClass::kFloat:
      case DTypeClass::kComplex: {
        const auto got = result.Get<std::complex<double>>(i);
        const double tolerance = Epsilon(type) * std::abs(sum) +
                                 Epsilon(compute) * static_cast<double>(terms + 2) * magnitude +
                                 (type == DType::kF16 ? 0x1p-24 : 0);
        if (std::abs(got - sum) <= tolerance) break;
        return ::testing::AssertionFailure()
               << "element " << i << " is " << got << ", expected " << sum << " +- " << tolerance;
      }
      default: {
        TestArray expected(type, {1});
        expected.Set(0, bits);
        if (std::memcmp(expected.bytes.data(), result.bytes.data() + i * ByteSize(type),
                        static_cast<size_t>(ByteSize(type))) == 0) {
          break;
        }
        return ::testing::AssertionFailure() << "element " << i << " is " << result.Get<int64_t>(i)
                                             << ", expected " << expected.Get<int64_t>(0);
      }
    }
    return ::testing::AssertionSuccess();
  }
};

inline compiler::plan::PlanStep MakeStep(compiler::Opcode opcode,
                                         std::vector<compiler::Type> operands,
                                         std::vector<compiler::Type> results,
                                         std::shared_ptr<const compiler::Attributes> attributes) {
  compiler::plan::PlanStep step;
  step.kind = compiler::plan::PlanStepKind::kLibrary;
  step.opcode = opcode;
  for (auto& type : operands) step.operands.push_back({0, std::move(type)});
  for (auto& type : results) step.results.push_back({0, std::move(type)});
  step.attributes = std::move(attributes);
  return step;
}

inline Status RunStep(const compiler::plan::PlanStep& step, std::vector<const TestArray*> operands,
                      std::vector<TestArray*> results, backend::ThreadPool* pool = nullptr,
                      const LibraryOptions& options = {}) {
  PLINTH_ASSIGN_OR_RETURN(auto prepared, PrepareLibraryStep(step, options));
  std::vector<void*> in, out;
  for (const TestArray* array : operands) in.push_back(const_cast<std::byte*>(array->bytes.data()));
  for (TestArray* array : results) out.push_back(array->bytes.data());
  std::vector<std::byte> scratch(static_cast<size_t>(prepared->scratch_bytes() + 64));
  const size_t skip = (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
  backend::RunContext context;
  context.pool = pool;
  context.scratch = std::span(scratch).subspan(skip, scratch.size() - 64);
  return prepared->Run(in, out, context).status();
}

inline constexpr DType kTestTypes[] = {DType::kPred, DType::kS8,  DType::kS16,  DType::kS32,
                                       DType::kS64,  DType::kU8,  DType::kU16,  DType::kU32,
                                       DType::kU64,  DType::kF16, DType::kBF16, DType::kF32,
                                       DType::kF64,  DType::kC64, DType::kC128};

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TEST_SUPPORT_H_
