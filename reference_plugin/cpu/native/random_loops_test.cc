// SPDX-License-Identifier: Apache-2.0
// Random loops as machine code against the same loops step by step: the same bits.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/native/loop_test_util.h"

namespace plinth::cpu::native {
namespace {

// The shapes of a program, for a number n: (), (n), (n, 2) and (2, n).
enum Shape { kScalar, kRow, kColumns, kRows };
constexpr Shape kShapes[] = {kScalar, kRow, kColumns, kRows};
constexpr std::string_view kElements[] = {"f32", "i32", "i1"};

struct Type {
  std::string_view element;
  Shape shape = kScalar;
  friend bool operator==(const Type&, const Type&) = default;
};
struct Value {
  std::string name;
  Type type;
};

// Writes one program.
class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {
    constexpr int64_t kCounts[] = {2, 3, 5, 8, 9, 12, 16, 21, 32, 50, 64, 100, 150};
    n_ = kCounts[random_() % std::size(kCounts)];
  }

  std::string Write(int num_ops, int turns);
  std::vector<Bytes> Arguments();

 private:
  static constexpr Type kCarries[] = {{"f32", kScalar},  {"i32", kScalar}, {"f32", kRow},
                                      {"f32", kColumns}, {"f32", kRows},   {"i32", kRow},
                                      {"i1", kRow},      {"f32", kRow}};

  size_t Below(size_t end) { return random_() % end; }
  std::string DimsOf(Shape shape) const {
    if (shape == kRow) return StrCat(n_, "x");
    if (shape == kColumns) return StrCat(n_, "x2x");
    return shape == kRows ? StrCat("2x", n_, "x") : "";
  }
  std::string Text(const Type& type) const {
    return StrCat("tensor<", DimsOf(type.shape), type.element, ">");
  }
  int64_t CountOf(Shape shape) const { return shape == kScalar ? 1 : shape == kRow ? n_ : 2 * n_; }
  std::string NewName() { return StrCat("%v", next_++); }
  std::string Line(std::string_view line) {  // of a value that gets a name
    const std::string name = NewName();
    text_ += StrCat("      ", name, " = stablehlo.", line, "\n");
    return name;
  }
  void Add(std::string_view line, const Type& type) { values_.push_back({Line(line), type}); }
  std::string Constant(std::string_view number, const Type& type) {
    return Line(StrCat("constant dense<", number, "> : ", Text(type)));
  }
  // The newest more often.
  const Value& Find(const Type& type) {
    while (true) {
      const size_t back =
          Below(2) == 0 ? Below(values_.size()) : Below(std::min<size_t>(values_.size(), 6));
      const Value& value = values_[values_.size() - 1 - back];
      if (value.type == type) return value;
      if (Below(8) > 0) continue;
      for (const Value& any : values_) {
        if (any.type == type) return any;
      }
    }
  }
  void Unary();
  void Binary();
  void Select();
  void Move();
  void Spread();
  void Iota();
  void Reduce();
  void Index();
  std::string Bounded(const Value& value);

  std::mt19937 random_;
  int64_t n_;
  int next_ = 0;
  std::string text_;
  std::vector<Value> values_;
};

void Writer::Unary() {
  constexpr std::string_view kOfFloats[] = {"abs",  "negate",      "floor", "sqrt",
                                            "sign", "exponential", "tanh",  "sine",
                                            "log",  "logistic",    "cosine"};
  const Shape shape = kShapes[Below(4)];
  const Type type = {kElements[Below(3)], shape};
  const std::string x = Find(type).name;
  if (Below(3) == 0) {
    const Type to = {kElements[Below(3)], shape};
    return Add(StrCat("convert ", x, " : (", Text(type), ") -> ", Text(to)), to);
  }
  const std::string_view op = type.element == "f32"   ? kOfFloats[Below(std::size(kOfFloats))]
                              : type.element == "i32" ? "negate"
                                                      : "not";
  Add(StrCat(op, " ", x, " : ", Text(type)), type);
}

void Writer::Binary() {
  constexpr std::string_view kOfAll[] = {"add", "multiply", "maximum", "minimum"};
  constexpr std::string_view kOfFloats[] = {"subtract", "divide"};
  constexpr std::string_view kOfIntegers[] = {"subtract", "xor", "shift_left",
                                              "shift_right_logical"};
  constexpr std::string_view kOfPreds[] = {"xor"};
  const Type type = {kElements[Below(3)], kShapes[Below(4)]};
  const std::string x = Find(type).name, y = Find(type).name;
  const auto some = [&](auto& ops) { return ops[Below(std::size(ops))]; };
  const std::string_view op = Below(2) == 0           ? some(kOfAll)
                              : type.element == "f32" ? some(kOfFloats)
                              : type.element == "i32" ? some(kOfIntegers)
                                                      : some(kOfPreds);
  Add(StrCat(op, " ", x, ", ", y, " : ", Text(type)), type);
}

void Writer::Select() {
  constexpr std::string_view kDirections[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const Shape shape = kShapes[Below(4)];
  const Type compared = {kElements[Below(3)], shape}, chosen = {kElements[Below(3)], shape};
  const Type pred = {"i1", shape};
  Add(StrCat("compare ", kDirections[Below(6)], ", ", Find(compared).name, ", ",
             Find(compared).name, " : (", Text(compared), ", ", Text(compared), ") -> ",
             Text(pred)),
      pred);
  Add(StrCat("select ", values_.back().name, ", ", Find(chosen).name, ", ", Find(chosen).name,
             " : ", Text(pred), ", ", Text(chosen)),
      chosen);
}

// Elements change their places.
void Writer::Move() {
  const std::string_view element = kElements[Below(3)];
  const Type row = {element, kRow}, columns = {element, kColumns}, rows = {element, kRows};
  const int64_t k = 1 + static_cast<int64_t>(Below(static_cast<size_t>(n_ - 1)));
  const auto part = [&](int64_t count) { return StrCat("tensor<", count, "x", element, ">"); };
  switch (Below(6)) {
    case 0: {  // rolled
      const std::string x = Find(row).name;
      const std::string a =
          Line(StrCat("slice ", x, " [", k, ":", n_, "] : (", Text(row), ") -> ", part(n_ - k)));
      const std::string b =
          Line(StrCat("slice ", x, " [0:", k, "] : (", Text(row), ") -> ", part(k)));
      return Add(StrCat("concatenate ", a, ", ", b, ", dim = 0 : (", part(n_ - k), ", ", part(k),
                        ") -> ", Text(row)),
                 row);
    }
    case 1: {  // shifted
      const std::string x = Find(row).name, zero = Find({element, kScalar}).name;
      const bool low = Below(2) == 0;
      const std::string a = Line(StrCat("slice ", x, " [", low ? 0 : k, ":", low ? n_ - k : n_,
                                        "] : (", Text(row), ") -> ", part(n_ - k)));
      return Add(StrCat("pad ", a, ", ", zero, ", low = [", low ? k : 0, "], high = [", low ? 0 : k,
                        "], interior = [0] : (", part(n_ - k), ", ", Text({element, kScalar}),
                        ") -> ", Text(row)),
                 row);
    }
    case 2: {
      const Type type = Below(2) == 0 ? row : columns;
      return Add(StrCat("reverse ", Find(type).name, ", dims = [0] : ", Text(type)), type);
    }
    case 3: {  // a column
      const int c = static_cast<int>(Below(2));
      const std::string a =
          Line(StrCat("slice ", Find(columns).name, " [0:", n_, ", ", c, ":", c + 1, "] : (",
                      Text(columns), ") -> tensor<", n_, "x1x", element, ">"));
      return Add(StrCat("reshape ", a, " : (tensor<", n_, "x1x", element, ">) -> ", Text(row)),
                 row);
    }
    case 4: {  // two columns
      const std::string one = StrCat("tensor<", n_, "x1x", element, ">");
      const std::string a =
          Line(StrCat("reshape ", Find(row).name, " : (", Text(row), ") -> ", one));
      const std::string b =
          Line(StrCat("reshape ", Find(row).name, " : (", Text(row), ") -> ", one));
      return Add(StrCat("concatenate ", a, ", ", b, ", dim = 1 : (", one, ", ", one, ") -> ",
                        Text(columns)),
                 columns);
    }
    default:
      return Add(StrCat("transpose ", Find(columns).name, ", dims = [1, 0] : (", Text(columns),
                        ") -> ", Text(rows)),
                 rows);
  }
}

void Writer::Spread() {
  const std::string_view element = kElements[Below(3)];
  const Shape to = kShapes[1 + Below(3)];
  const Shape from = to == kRow || Below(2) == 0 ? kScalar : kRow;
  const std::string_view dims = from == kScalar ? "" : to == kColumns ? "0" : "1";
  Add(StrCat("broadcast_in_dim ", Find({element, from}).name, ", dims = [", dims, "] : (",
             Text({element, from}), ") -> ", Text({element, to})),
      {element, to});
}

void Writer::Iota() {
  const Type type = {kElements[Below(2)], kShapes[1 + Below(3)]};
  const size_t dim = type.shape == kRow ? 0 : Below(2);
  Add(StrCat("iota dim = ", dim, " : ", Text(type)), type);
}

void Writer::Reduce() {
  constexpr std::string_view kOps[] = {"add", "maximum", "minimum"};
  const Type type = {kElements[Below(2)], kShapes[1 + Below(3)]};
  const Type one = {type.element, kScalar};
  Add(StrCat("reduce(", Find(type).name, " init: ", Find(one).name, ") applies stablehlo.",
             kOps[Below(3)], " across dimensions = [", type.shape == kRow ? "0" : "0, 1", "] : (",
             Text(type), ", ", Text(one), ") -> ", Text(one)),
      one);
}

// Elements, and rows, that an index leads to.
void Writer::Index() {
  const std::string_view element = kElements[Below(3)];
  const std::string at = Below(2) == 0 ? "%i" : Find({"i32", kScalar}).name;
  const std::string zero = Constant("0", {"i32", kScalar});
  const Type row = {element, kRow}, rows = {element, kRows}, one = {element, kScalar};
  const std::string short_row = StrCat("tensor<1x", element, ">");
  const std::string wide_row = StrCat("tensor<1x", n_, "x", element, ">");
  constexpr std::string_view kIndex = "tensor<i32>";
  switch (Below(4)) {
    case 0: {
      const std::string a =
          Line(StrCat("dynamic_slice ", Find(row).name, ", ", at, ", sizes = [1] : (", Text(row),
                      ", ", kIndex, ") -> ", short_row));
      return Add(StrCat("reshape ", a, " : (", short_row, ") -> ", Text(one)), one);
    }
    case 1: {
      const std::string a =
          Line(StrCat("reshape ", Find(one).name, " : (", Text(one), ") -> ", short_row));
      return Add(StrCat("dynamic_update_slice ", Find(row).name, ", ", a, ", ", at, " : (",
                        Text(row), ", ", short_row, ", ", kIndex, ") -> ", Text(row)),
                 row);
    }
    case 2: {
      const std::string a =
          Line(StrCat("dynamic_slice ", Find(rows).name, ", ", at, ", ", zero, ", sizes = [1, ", n_,
                      "] : (", Text(rows), ", ", kIndex, ", ", kIndex, ") -> ", wide_row));
      return Add(StrCat("reshape ", a, " : (", wide_row, ") -> ", Text(row)), row);
    }
    default: {
      const std::string a =
          Line(StrCat("reshape ", Find(row).name, " : (", Text(row), ") -> ", wide_row));
      return Add(
          StrCat("dynamic_update_slice ", Find(rows).name, ", ", a, ", ", at, ", ", zero, " : (",
                 Text(rows), ", ", wide_row, ", ", kIndex, ", ", kIndex, ") -> ", Text(rows)),
          rows);
    }
  }
}

// Else all floats would soon be NaN or infinite.
std::string Writer::Bounded(const Value& value) {
  if (value.type.element != "f32") return value.name;
  const Type pred = {"i1", value.type.shape};
  const std::string text = Text(value.type), most = Constant("30.0", value.type),
                    other = Constant("0.37", value.type);
  const std::string magnitude = Line(StrCat("abs ", value.name, " : ", text));
  const std::string is_small = Line(
      StrCat("compare LT, ", magnitude, ", ", most, " : (", text, ", ", text, ") -> ", Text(pred)));
  return Line(
      StrCat("select ", is_small, ", ", value.name, ", ", other, " : ", Text(pred), ", ", text));
}

std::string Writer::Write(int num_ops, int turns) {
  for (size_t c = 0; c < std::size(kCarries); ++c) {
    values_.push_back({StrCat("%c", c), kCarries[c]});
  }
  for (const Shape shape : kShapes) {
    values_.push_back({Constant("1.5", {"f32", shape}), {"f32", shape}});
    values_.push_back({Constant("3", {"i32", shape}), {"i32", shape}});
    values_.push_back({Constant("true", {"i1", shape}), {"i1", shape}});
  }
  void (Writer::*const kWriters[])() = {
      &Writer::Unary, &Writer::Binary, &Writer::Binary, &Writer::Select, &Writer::Move,
      &Writer::Move,  &Writer::Spread, &Writer::Iota,   &Writer::Reduce, &Writer::Index};
  for (int k = 0; k < num_ops; ++k) (this->*kWriters[Below(std::size(kWriters))])();
  std::vector<LoopCarry> carries;
  for (size_t c = 0; c < std::size(kCarries); ++c) {
    carries.push_back({StrCat("%c", c), Text(kCarries[c]), Bounded(Find(kCarries[c]))});
  }
  return LoopText(carries, text_, turns);
}

std::vector<Bytes> Writer::Arguments() {
  std::vector<Bytes> arguments;
  for (const Type& type : kCarries) {
    Bytes& bytes = arguments.emplace_back();
    for (int64_t i = 0; i < CountOf(type.shape); ++i) {
      if (type.element == "i1") {
        bytes.push_back(static_cast<std::byte>(Below(2)));
        continue;
      }
      const float fraction = static_cast<float>(random_() % 2000) * 0.004f - 4;
      const auto number =
          type.element == "f32" ? std::bit_cast<uint32_t>(fraction) : random_() % 90;
      for (int shift = 0; shift < 32; shift += 8) {
        bytes.push_back(static_cast<std::byte>(number >> shift & 0xFF));
      }
    }
  }
  return arguments;
}

TEST(RandomLoops, GiveTheBitsOfTheirSteps) {
  constexpr int kPrograms = 200, kMostTurns = 30;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    Writer writer(seed);
    const std::string text = writer.Write(/*num_ops=*/5 + static_cast<int>(seed % 40), kMostTurns);
    ExpectSameBits(text, writer.Arguments());
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace plinth::cpu::native
