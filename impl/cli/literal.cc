// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/literal.h"

#include <unistd.h>

#include <cmath>
#include <optional>
#include <vector>

#include "impl/cli/element.h"
#include "plinth/support/parse_number.h"

namespace plinth::cli {

using client::HostArray;

namespace {

constexpr size_t kMaxRank = 64;

std::vector<std::string_view> SplitCommas(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const size_t comma = text.find(',');
    std::string_view piece = text.substr(0, comma);
    while (!piece.empty() && piece.front() == ' ') piece.remove_prefix(1);
    while (!piece.empty() && piece.back() == ' ') piece.remove_suffix(1);
    pieces.push_back(piece);
    if (comma == std::string_view::npos) return pieces;
    text.remove_prefix(comma + 1);
  }
}

// SplitMix64: the same numbers from the same seed everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  double NextUnit() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

bool IsFraction(DType type) {
  const DTypeClass kind = InfoOf(type).kind;
  return kind == DTypeClass::kFloat || kind == DTypeClass::kComplex;
}

// A number as it was written: an integer also with its 64 bits, which a double does not hold.
struct Number {
  double value = 0;
  std::optional<uint64_t> whole = std::nullopt;
};

bool ParseOne(std::string_view text, Number* number) {
  number->whole = std::nullopt;
  uint64_t positive;
  if (int64_t integer; ParseNumber(text, &integer)) {
    number->whole = static_cast<uint64_t>(integer);
  } else if (ParseNumber(text, &positive)) {
    number->whole = positive;
  }
  return ParseNumber(text, &number->value) && std::isfinite(number->value);
}

// "name", "name()" or "name(1,2)" with up to `count` numbers, which replace the defaults in
// `numbers`. False if the text is no call of that name.
Expected<bool> ParseCall(std::string_view text, std::string_view name, Number* numbers,
                         size_t count) {
  if (text.substr(0, name.size()) != name) return false;
  text.remove_prefix(name.size());
  if (text.empty()) return true;
  if (text.front() != '(' || text.back() != ')') return false;
  text = text.substr(1, text.size() - 2);
  if (text.empty()) return true;
  const std::vector<std::string_view> pieces = SplitCommas(text);
  if (pieces.size() > count) {
    return InvalidArgument(name, " takes at most ", count, " numbers, not ", pieces.size());
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!ParseOne(pieces[i], &numbers[i])) {
      return InvalidArgument("\"", pieces[i].substr(0, 40), "\" is no number, in ", name, "(...)");
    }
  }
  return true;
}

void FillRange(HostArray& array, const Number& start, const Number& step) {
  const size_t size = static_cast<size_t>(ByteSize(array.type()));
  const bool is_whole = start.whole && step.whole && !IsFraction(array.type());
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    std::byte* to = array.data() + i * size;
    if (is_whole) {
      const uint64_t bits = *start.whole + *step.whole * static_cast<uint64_t>(i);
      StoreInteger(array.type(), static_cast<int64_t>(bits), to);
    } else {
      StoreNumber(array.type(), start.value + step.value * static_cast<double>(i), to);
    }
  }
}

void FillRandom(HostArray& array, double seed, double low, double high) {
  Random random(static_cast<uint64_t>(std::fmin(std::fabs(seed), 1e18)));
  const size_t size = static_cast<size_t>(ByteSize(array.type()));
  const bool is_fraction = IsFraction(array.type());
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    const double value = low + (high - low) * random.NextUnit();
    StoreNumber(array.type(), is_fraction ? value : std::floor(value), array.data() + i * size);
  }
}

Status FillElements(HostArray& array, std::string_view text) {
  std::string flat;
  for (char c : text) {
    if (c != '[' && c != ']') flat.push_back(c);
  }
  const std::string shape = client::ShapeToString(array.type(), array.dims());
  const size_t size = static_cast<size_t>(ByteSize(array.type()));
  const int64_t wanted = array.num_elements();
  const bool is_blank = flat.find_first_not_of(' ') == std::string::npos;
  const std::vector<std::string_view> pieces =
      is_blank ? std::vector<std::string_view>() : SplitCommas(flat);
  if (pieces.size() == 1 && wanted != 1) {
    if (wanted == 0) return InvalidArgument(shape, " has no elements; \"", flat, "\" is one");
    PLINTH_RETURN_IF_ERROR(ParseElement(array.type(), pieces[0], array.data()));
    for (int64_t i = 1; i < wanted; ++i) {
      std::copy(array.data(), array.data() + size, array.data() + i * size);
    }
    return {};
  }
  if (static_cast<int64_t>(pieces.size()) != wanted) {
    return InvalidArgument(shape, " has ", wanted, " elements; ", pieces.size(), " are given");
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Status status = ParseElement(array.type(), pieces[i], array.data() + i * size);
    if (!status.ok()) return status.WithContext(StrCat("element ", i));
  }
  return {};
}

}  // namespace

bool IsLiteral(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  return ParseDType(text.substr(0, std::min(equals, text.find('[')))).ok();
}

Expected<TypeAndDims> ParseShape(std::string_view text) {
  TypeAndDims shape;
  const size_t bracket = text.find('[');
  PLINTH_ASSIGN_OR_RETURN(shape.type, ParseDType(text.substr(0, bracket)));
  if (bracket == std::string_view::npos) return shape;
  if (text.back() != ']') return InvalidArgument("\"", text, "\" has no ] at its end");
  const std::string_view dims = text.substr(bracket + 1, text.size() - bracket - 2);
  if (dims.empty()) return shape;
  for (std::string_view piece : SplitCommas(dims)) {
    int64_t& extent = shape.dims.emplace_back();
    if (!ParseNumber(piece, &extent) || extent < 0) {
      return InvalidArgument("\"", piece.substr(0, 40), "\" is no extent, in \"",
                             text.substr(0, 80), "\"");
    }
  }
  if (shape.dims.size() > kMaxRank) {
    return InvalidArgument("an array of ", shape.dims.size(), " dimensions; at most ", kMaxRank,
                           " are supported");
  }
  return shape;
}

Expected<HostArray> CreateBounded(DType type, std::span<const int64_t> dims) {
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, client::HostByteSize(type, dims));
  const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (bytes > memory / 2) {
    return ResourceExhausted(client::ShapeToString(type, dims), " takes ", bytes,
                             " bytes, more than half of this machine's memory");
  }
  return HostArray::Create(type, dims);
}

Expected<HostArray> ParseLiteral(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return InvalidArgument("\"", text.substr(0, 80), "\" is not of the form TYPE[DIMS]=VALUES");
  }
  PLINTH_ASSIGN_OR_RETURN(const TypeAndDims shape, ParseShape(text.substr(0, equals)));
  PLINTH_ASSIGN_OR_RETURN(HostArray array, CreateBounded(shape.type, shape.dims));
  const std::string_view values = text.substr(equals + 1);
  Number range[] = {{0, 0}, {1, 1}};
  PLINTH_ASSIGN_OR_RETURN(const bool is_range, ParseCall(values, "range", range, 2));
  if (is_range) {
    FillRange(array, range[0], range[1]);
    return array;
  }
  Number random[] = {{0}, {0}, {IsFraction(shape.type) ? 1.0 : 101.0}};
  if (shape.type == DType::kPred) random[2].value = 2;
  PLINTH_ASSIGN_OR_RETURN(const bool is_random, ParseCall(values, "random", random, 3));
  if (is_random) {
    FillRandom(array, random[0].value, random[1].value, random[2].value);
    return array;
  }
  PLINTH_RETURN_IF_ERROR(FillElements(array, values));
  return array;
}

}  // namespace plinth::cli
