// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/arrays.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "plinth/support/integer_math.h"
#include "plinth/support/parse_number.h"
#include "plinth/support/text.h"

namespace plinth::bench {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kHugePage = 2 << 20;
constexpr int64_t kMostBytes = int64_t{1} << 36;

// SplitMix64: the same on any machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [0, 1).
  double Uniform() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }
  // The sum of four uniform numbers: mean 0, deviation 1, at most 3.5.
  double Normal() {
    const uint64_t bits = Bits();
    uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += bits >> (16 * i) & 0xffff;
    return (static_cast<double>(sum) * 0x1p-16 - 2) * 1.7320508;
  }

 private:
  uint64_t state_;
};

uint16_t ToBFloat16(double x) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(x)) >> 16);
}

// Truncates; what is below the normal numbers becomes zero.
uint16_t ToFloat16(double x) {
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude < 0x38800000) return static_cast<uint16_t>(sign);
  return static_cast<uint16_t>(sign | std::min(((magnitude - 0x38000000) >> 13), 0x7c00u));
}

template <typename T>
void PutAs(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

using Put = void (*)(std::byte* to, double value);

// Writes one element; of complex numbers one part. Null for types that no stored program has.
Put FindPut(DType dtype) {
  switch (dtype) {
    case DType::kPred:
      return [](std::byte* to, double x) { PutAs<uint8_t>(to, x != 0 ? 1 : 0); };
    case DType::kS8:
      return [](std::byte* to, double x) { PutAs(to, static_cast<int8_t>(x)); };
    case DType::kS16:
      return [](std::byte* to, double x) { PutAs(to, static_cast<int16_t>(x)); };
    case DType::kS32:
      return [](std::byte* to, double x) { PutAs(to, static_cast<int32_t>(x)); };
    case DType::kS64:
      return [](std::byte* to, double x) { PutAs(to, static_cast<int64_t>(x)); };
    case DType::kU8:
      return [](std::byte* to, double x) { PutAs(to, static_cast<uint8_t>(x)); };
    case DType::kU16:
      return [](std::byte* to, double x) { PutAs(to, static_cast<uint16_t>(x)); };
    case DType::kU32:
      return [](std::byte* to, double x) { PutAs(to, static_cast<uint32_t>(x)); };
    case DType::kU64:
      return [](std::byte* to, double x) { PutAs(to, static_cast<uint64_t>(x)); };
    case DType::kF16:
      return [](std::byte* to, double x) { PutAs(to, ToFloat16(x)); };
    case DType::kBF16:
      return [](std::byte* to, double x) { PutAs(to, ToBFloat16(x)); };
    case DType::kF32:
    case DType::kC64:
      return [](std::byte* to, double x) { PutAs(to, static_cast<float>(x)); };
    case DType::kF64:
    case DType::kC128:
      return [](std::byte* to, double x) { PutAs(to, x); };
    default:
      return nullptr;
  }
}

std::optional<DType> FindDType(std::string_view name) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (Name(dtype) == name) return dtype;
  }
  return std::nullopt;
}

// How many numbers a kind takes; -1: one or more. None: no such kind.
std::optional<int> NumbersOf(std::string_view kind) {
  if (kind == "values") return -1;
  if (kind == "constant" || kind == "distinct") return 1;
  if (kind == "uniform" || kind == "normal" || kind == "sorted" || kind == "spd" ||
      kind == "lower") {
    return 2;
  }
  return std::nullopt;
}

void FillMatrices(const ArraySpec& spec, Random& random, std::span<double> values) {
  const int64_t n = spec.dims.back();
  for (size_t matrix = 0; matrix < values.size(); matrix += static_cast<size_t>(n * n)) {
    double* const m = values.data() + matrix;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        m[i * n + j] = spec.numbers[1] * random.Normal();
        m[j * n + i] = spec.kind == "spd" ? m[i * n + j] : 0;
      }
      m[i * n + i] = spec.numbers[0];
    }
  }
}

void Fill(const ArraySpec& spec, bool is_float, Random& random, std::span<double> values) {
  const std::vector<double>& numbers = spec.numbers;
  if (spec.kind == "values") {
    std::copy(numbers.begin(), numbers.end(), values.begin());
  } else if (spec.kind == "constant") {
    std::fill(values.begin(), values.end(), numbers[0]);
  } else if (spec.kind == "uniform") {
    const double size = numbers[1] - numbers[0] + (is_float ? 0 : 1);
    for (double& value : values) {
      const double offset = size * random.Uniform();
      value = numbers[0] + (is_float ? offset : std::floor(offset));
    }
  } else if (spec.kind == "normal" || spec.kind == "sorted") {
    for (double& value : values) value = numbers[0] + numbers[1] * random.Normal();
    if (spec.kind == "sorted") std::sort(values.begin(), values.end());
  } else if (spec.kind == "distinct") {
    std::vector<double> all(static_cast<size_t>(numbers[0]));
    std::iota(all.begin(), all.end(), 0.0);
    for (size_t i = 0; i < values.size(); ++i) {
      std::swap(all[i], all[i + random.Bits() % (all.size() - i)]);
      values[i] = all[i];
    }
  } else {
    FillMatrices(spec, random, values);
  }
}

Status CheckShape(const ArraySpec& spec, std::string_view text) {
  int64_t bytes = ByteSize(spec.dtype);
  for (int64_t dim : spec.dims) {
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes) || bytes > kMostBytes) {
      return InvalidArgument("'", text, "' has a dimension that is negative or too large");
    }
  }
  const int64_t elements = spec.num_elements();
  const bool is_matrix = spec.dims.size() >= 2 && spec.dims.back() == spec.dims.end()[-2];
  if (spec.kind == "values" && static_cast<int64_t>(spec.numbers.size()) != elements) {
    return InvalidArgument("'", text, "' has ", spec.numbers.size(), " values for ", elements,
                           " elements");
  }
  if (spec.kind == "distinct" &&
      (spec.numbers[0] < static_cast<double>(elements) || spec.numbers[0] > 0x1p32)) {
    return InvalidArgument("'", text, "': there are not so many distinct numbers");
  }
  if ((spec.kind == "spd" || spec.kind == "lower") && !is_matrix) {
    return InvalidArgument("'", text, "' has no square matrices");
  }
  return Status();
}

// The pieces between separators, empty ones too.
std::vector<std::string_view> Pieces(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

int64_t ArraySpec::num_elements() const {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

int64_t ArraySpec::num_bytes() const { return num_elements() * ByteSize(dtype); }

Expected<ArraySpec> ParseArraySpec(std::string_view text) {
  const std::vector<std::string_view> pieces = Pieces(text, ':');
  if (pieces.size() < 4) {
    return InvalidArgument("'", text, "' is no argument; expected TYPE:DIMS:KIND:NUMBER...");
  }
  ArraySpec spec;
  const std::optional<DType> dtype = FindDType(pieces[0]);
  if (!dtype.has_value() || FindPut(*dtype) == nullptr) {
    return InvalidArgument("'", text, "' is of type '", pieces[0], "', which bench does not make");
  }
  spec.dtype = *dtype;
  if (!pieces[1].empty()) {
    for (std::string_view dim : Pieces(pieces[1], 'x')) {
      if (!ParseNumber(dim, &spec.dims.emplace_back())) {
        return InvalidArgument("'", text, "': '", dim, "' is no dimension");
      }
    }
  }
  spec.kind = pieces[2];
  for (size_t i = 3; i < pieces.size(); ++i) {
    double& number = spec.numbers.emplace_back();
    if (!ParseNumber(pieces[i], &number)) {
      return InvalidArgument("'", text, "': '", pieces[i], "' is no number");
    }
  }
  const std::optional<int> wanted = NumbersOf(spec.kind);
  if (!wanted.has_value()) return InvalidArgument("'", text, "': no kind is '", spec.kind, "'");
  if (*wanted >= 0 && static_cast<int>(spec.numbers.size()) != *wanted) {
    return InvalidArgument("'", text, "' has ", spec.numbers.size(), " numbers; ", spec.kind,
                           " takes ", *wanted);
  }
  PLINTH_RETURN_IF_ERROR(CheckShape(spec, text));
  return spec;
}

Expected<Bytes> MakeArray(const ArraySpec& spec, uint64_t seed) {
  const int64_t bytes = spec.num_bytes();
  const int64_t alignment = bytes < kHugePage ? kAlignment : kHugePage;
  const int64_t size = RoundUp(std::max<int64_t>(bytes, 1), alignment);
  Bytes array(static_cast<std::byte*>(
      std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(size))));
  // As results of programs are.
  if (array != nullptr && bytes >= kHugePage) {
    madvise(array.get(), static_cast<size_t>(size), MADV_HUGEPAGE);
  }
  if (array == nullptr) return ResourceExhausted("no memory for an argument of ", bytes, " bytes");
  const DTypeClass type_class = InfoOf(spec.dtype).kind;
  const bool is_complex = type_class == DTypeClass::kComplex;
  const bool is_float = is_complex || type_class == DTypeClass::kFloat;
  std::vector<double> values(static_cast<size_t>(spec.num_elements() * (is_complex ? 2 : 1)));
  Random random(seed);
  if (!values.empty()) Fill(spec, is_float, random, values);
  const int64_t part_bytes = ByteSize(spec.dtype) / (is_complex ? 2 : 1);
  const Put put = FindPut(spec.dtype);
  std::byte* to = array.get();
  for (double value : values) {
    put(to, value);
    to += part_bytes;
  }
  return array;
}

Expected<std::vector<StoredProgram>> ParseProgramList(std::string_view text) {
  std::vector<StoredProgram> programs;
  size_t number = 0;
  for (std::string_view line : Pieces(text, '\n')) {
    ++number;
    const std::vector<std::string> words = Split(line.substr(0, line.find('#')), ' ');
    if (words.empty()) continue;
    if (words.size() < 2)
      return InvalidArgument("line ", number, ": expected NAME FILE ARGUMENT...");
    StoredProgram& program = programs.emplace_back(StoredProgram{words[0], words[1], {}});
    for (size_t i = 2; i < words.size(); ++i) {
      Expected<ArraySpec> spec = ParseArraySpec(words[i]);
      if (!spec.ok()) return spec.status().WithContext(StrCat("line ", number));
      program.arguments.push_back(*std::move(spec));
    }
  }
  return programs;
}

}  // namespace plinth::bench
