#include "conformance/runner/json.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace plinth::conformance {
namespace {

constexpr int kMaxDepth = 64;

void AppendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Bytes of the UTF-8 sequence at the start of `text`, or 0 if there is none.
size_t Utf8Length(std::string_view text) {
  auto first = static_cast<uint8_t>(text[0]);
  size_t length = first < 0x80       ? 1
                  : first >> 5 == 6  ? 2
                  : first >> 4 == 14 ? 3
                  : first >> 3 == 30 ? 4
                                     : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expected<Json> ParseDocument() {
    PLINTH_ASSIGN_OR_RETURN(Json value, ParseValue(0));
    SkipSpace();
    if (at_ != text_.size()) return Error("nothing more");
    return value;
  }

 private:
  Status Error(std::string_view wanted) const {
    size_t line = 1, column = 1;
    for (char c : text_.substr(0, at_)) {
      column = c == '\n' ? 1 : column + 1;
      line += c == '\n';
    }
    return InvalidArgument("line ", line, ", column ", column, ": expected ", wanted);
  }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool Eat(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Expected<Json> ParseValue(int depth) {
    if (depth > kMaxDepth) return Error("less nesting");
    SkipSpace();
    if (at_ == text_.size()) return Error("a value");
    if (Eat("null")) return Json();
    if (Eat("true")) return Json(true);
    if (Eat("false")) return Json(false);
    if (text_[at_] == '"') {
      PLINTH_ASSIGN_OR_RETURN(std::string text, ParseString());
      return Json(std::move(text));
    }
    if (Eat("[")) return ParseArray(depth);
    if (Eat("{")) return ParseObject(depth);
    double number;
    const char* begin = text_.data() + at_;
    auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc() || !std::isfinite(number)) return Error("a value");
    at_ += end - begin;
    return Json(number);
  }

  Expected<Json> ParseArray(int depth) {
    Json::Array array;
    SkipSpace();
    if (Eat("]")) return Json(std::move(array));
    while (true) {
      PLINTH_ASSIGN_OR_RETURN(Json value, ParseValue(depth + 1));
      array.push_back(std::move(value));
      SkipSpace();
      if (Eat("]")) return Json(std::move(array));
      if (!Eat(",")) return Error("`,` or `]`");
    }
  }

  Expected<Json> ParseObject(int depth) {
    Json::Object object;
    SkipSpace();
    if (Eat("}")) return Json(std::move(object));
    while (true) {
      SkipSpace();
      if (at_ == text_.size() || text_[at_] != '"') return Error("a key in quotes");
      PLINTH_ASSIGN_OR_RETURN(std::string key, ParseString());
      SkipSpace();
      if (!Eat(":")) return Error("`:`");
      PLINTH_ASSIGN_OR_RETURN(Json value, ParseValue(depth + 1));
      if (!object.emplace(std::move(key), std::move(value)).second) return Error("each key once");
      SkipSpace();
      if (Eat("}")) return Json(std::move(object));
      if (!Eat(",")) return Error("`,` or `}`");
    }
  }

  Expected<std::string> ParseString() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      ++at_;
      constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
      if (at_ == text_.size()) break;
      size_t escape = kEscapes.find(text_[at_]);
      if (escape != std::string_view::npos) {
        out += kMeanings[escape];
        ++at_;
        continue;
      }
      uint32_t code;
      const char* digits = text_.data() + at_ + 1;
      if (text_[at_] != 'u' || text_.size() - at_ < 5 ||
          std::from_chars(digits, digits + 4, code, 16).ptr != digits + 4) {
        return Error("an escape of JSON");
      }
      AppendUtf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
      at_ += 5;
    }
    if (at_ == text_.size()) return Error("`\"`");
    ++at_;
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

void WriteString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (text[0] == '"' || text[0] == '\\') {
      out += '\\';
      out += text[0];
    } else if (static_cast<uint8_t>(text[0]) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += "\\u00";
      out += kDigits[text[0] >> 4];
      out += kDigits[text[0] & 15];
    } else if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

Expected<Json> Json::Parse(std::string_view text) { return Parser(text).ParseDocument(); }

const Json* Json::Find(std::string_view key) const {
  const Object* object = AsObject();
  if (object == nullptr) return nullptr;
  auto found = object->find(std::string(key));
  return found == object->end() ? nullptr : &found->second;
}

std::string Json::ToString() const {
  std::string out;
  Write(out);
  return out;
}

void Json::Write(std::string& out) const {
  if (const bool* value = AsBool()) {
    out += *value ? "true" : "false";
  } else if (const double* number = AsNumber()) {
    bool is_integer = std::trunc(*number) == *number && std::abs(*number) < 1e15;
    out += is_integer ? StrCat(static_cast<int64_t>(*number)) : StrCat(*number);
  } else if (const std::string* text = AsString()) {
    WriteString(*text, out);
  } else if (const Array* array = AsArray()) {
    out += '[';
    for (size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ", ";
      (*array)[i].Write(out);
    }
    out += ']';
  } else if (const Object* object = AsObject()) {
    out += '{';
    bool is_first = true;
    for (const auto& [key, member] : *object) {
      if (!is_first) out += ", ";
      is_first = false;
      WriteString(key, out);
      out += ": ";
      member.Write(out);
    }
    out += '}';
  } else {
    out += "null";
  }
}

}  // namespace plinth::conformance
