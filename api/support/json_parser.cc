// SPDX-License-Identifier: Apache-2.0
#include <locale.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>

#include "plinth/support/json.h"
#include "plinth/support/text.h"

namespace plinth {
namespace {

constexpr int kMaxDepth = 32;
constexpr uint32_t kReplacement = 0xFFFD;

void AppendUtf8(std::string& out, uint32_t code) {
  auto append = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return append(code);
  if (code < 0x800) {
    append(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      append(0xE0 | code >> 12);
    } else {
      append(0xF0 | code >> 18);
      append(0x80 | (code >> 12 & 0x3F));
    }
    append(0x80 | (code >> 6 & 0x3F));
  }
  append(0x80 | (code & 0x3F));
}

// Whatever the locale of the process. strtod_l rather than std::from_chars, which brings its tables
// into libraries that are small otherwise; the C locale needs no memory.
double ToDouble(const std::string& digits) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  double value = strtod_l(digits.c_str(), nullptr, c_locale);
  freelocale(c_locale);
  return value;
}

}  // namespace

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Expected<Json> ParseDocument() {
    PLINTH_ASSIGN_OR_RETURN(Json value, ParseValue(0));
    SkipSpace();
    if (at_ != text_.size()) return Error("text after the end");
    return value;
  }

 private:
  Status Error(std::string_view what) const {
    size_t line = 1, column = 1;
    for (char c : text_.substr(0, at_)) {
      column = c == '\n' ? 1 : column + 1;
      line += c == '\n';
    }
    return InvalidArgument("line ", line, ", column ", column, ": ", what);
  }
  Status Expects(std::string_view wanted) const {
    return Error(StrCat("this is not JSON: expected ", wanted));
  }

  char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool Eat(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Expected<Json> ParseValue(int depth) {
    SkipSpace();
    const char next = Next();
    if (next == '"') {
      PLINTH_ASSIGN_OR_RETURN(std::string text, ParseText());
      return Json(std::move(text));
    }
    if (next == '[' || next == '{') {
      if (depth == kMaxDepth) return Error(StrCat("nested deeper than ", kMaxDepth));
      ++at_;
      return next == '[' ? ParseArray(depth + 1) : ParseObject(depth + 1);
    }
    if (Eat("null")) return Json();
    if (Eat("true")) return Json(true);
    if (Eat("false")) return Json(false);
    return ParseNumber();
  }

  // Whether there was a digit at least.
  bool SkipDigits() {
    const size_t begin = at_;
    while (Next() >= '0' && Next() <= '9') ++at_;
    return at_ > begin;
  }

  Expected<Json> ParseNumber() {
    const size_t begin = at_;
    const auto fail = [&] {
      at_ = begin;
      return Expects("a value");
    };
    Eat("-");
    const bool begins_with_zero = Next() == '0';
    const size_t digits = at_;
    if (!SkipDigits() || (begins_with_zero && at_ - digits > 1)) return fail();
    bool is_integer = true;
    if (Eat(".")) {
      is_integer = false;
      if (!SkipDigits()) return fail();
    }
    if (Eat("e") || Eat("E")) {
      is_integer = false;
      if (!Eat("+")) Eat("-");
      if (!SkipDigits()) return fail();
    }
    const std::string number(text_.substr(begin, at_ - begin));
    if (is_integer && number != "-0") {
      const char* end = number.data() + number.size();
      int64_t integer;
      if (std::from_chars(number.data(), end, integer).ec == std::errc()) return Json(integer);
      uint64_t whole;
      if (number[0] != '-' && std::from_chars(number.data(), end, whole).ec == std::errc()) {
        return Json(whole);
      }
    }
    const double value = ToDouble(number);
    if (!std::isfinite(value)) return fail();
    return Json(value);
  }

  Expected<Json> ParseArray(int depth) {
    Json::Array array;
    SkipSpace();
    if (Eat("]")) return Json(std::move(array));
    while (true) {
      PLINTH_ASSIGN_OR_RETURN(Json value, ParseValue(depth));
      array.push_back(std::move(value));
      SkipSpace();
      if (Eat("]")) return Json(std::move(array));
      if (!Eat(",")) return Expects("`,` or `]`");
    }
  }

  Expected<Json> ParseObject(int depth) {
    Json::Object object;
    SkipSpace();
    if (Eat("}")) return Json(std::move(object));
    while (true) {
      SkipSpace();
      if (Next() != '"') return Expects("a key in quotes");
      PLINTH_ASSIGN_OR_RETURN(std::string key, ParseText());
      SkipSpace();
      if (!Eat(":")) return Expects("`:`");
      PLINTH_ASSIGN_OR_RETURN(Json value, ParseValue(depth));
      object.members_.emplace_back(std::move(key), std::move(value));
      SkipSpace();
      if (Eat("}")) break;
      if (!Eat(",")) return Expects("`,` or `}`");
    }
    PLINTH_RETURN_IF_ERROR(CheckKeys(object));
    return Json(std::move(object));
  }

  // Sorted, so that many keys take no quadratic time.
  Status CheckKeys(const Json::Object& object) const {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : object) keys.emplace_back(key);
    std::sort(keys.begin(), keys.end());
    auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end()) return Status();
    return Error(StrCat("the key '", *twice, "' occurs twice in the object that ends here"));
  }

  Expected<std::string> ParseText() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      if (text_[at_] == '\\') {
        PLINTH_RETURN_IF_ERROR(ParseEscape(out));
        continue;
      }
      const size_t length = Utf8Length(text_.substr(at_));
      if (length == 0) return Error("bytes that are not UTF-8");
      if (text_[at_] == '\0') return Error("a NUL character");
      out += text_.substr(at_, length);
      at_ += length;
    }
    if (!Eat("\"")) return Expects("`\"`");
    return out;
  }

  Status ParseEscape(std::string& out) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (at_ + 1 < text_.size()) {
      if (size_t escape = kEscapes.find(text_[at_ + 1]); escape != std::string_view::npos) {
        out += kMeanings[escape];
        at_ += 2;
        return Status();
      }
    }
    const size_t begin = at_;
    uint32_t code;
    if (!EatCodeUnit(code)) return Expects("an escape of JSON");
    if (code == 0) {
      at_ = begin;
      return Error("a NUL character");
    }
    if (code >= 0xD800 && code < 0xE000) {
      const size_t after = at_;
      uint32_t low;
      if (code < 0xDC00 && EatCodeUnit(low) && low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      } else {
        at_ = after;
        code = kReplacement;
      }
    }
    AppendUtf8(out, code);
    return Status();
  }

  // "\u" and four digits.
  bool EatCodeUnit(uint32_t& code) {
    if (text_.substr(at_, 2) != "\\u" || text_.size() - at_ < 6) return false;
    const char* digits = text_.data() + at_ + 2;
    if (std::from_chars(digits, digits + 4, code, 16).ptr != digits + 4) return false;
    at_ += 6;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Expected<Json> Json::Parse(std::string_view text) { return JsonParser(text).ParseDocument(); }

Expected<Json::Object> Json::ParseObject(std::string_view text) {
  PLINTH_ASSIGN_OR_RETURN(Json json, Parse(text));
  auto* object = std::get_if<Object>(&json.value_);
  if (object == nullptr) return InvalidArgument("an object is needed; this is ", json.KindName());
  return std::move(*object);
}

}  // namespace plinth
