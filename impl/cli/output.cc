// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/output.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "impl/loader/named_value_json.h"

namespace plinth::cli {
namespace {

constexpr size_t kLabelWidth = 20;

std::string Fixed(double value, int digits) {
  char text[64];
  snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

}  // namespace

Output::Output(bool as_json) : as_json_(as_json) {}

void Output::Field(const char* key, std::string_view label, std::string_view value) {
  json()[key] = value;
  const size_t pad = label.size() + 1 < kLabelWidth ? kLabelWidth - label.size() - 1 : 1;
  Line(label, ":", std::string(pad, ' '), value);
}

void Output::Field(const char* key, std::string_view label, int64_t value) {
  Field(key, label, StrCat(value));
  json()[key] = value;
}

int Output::Fail(const Status& error, ExitCode code) {
  json()["error"] =
      Json::Object{{"code", StatusCodeName(error.code())}, {"message", error.message()}};
  error_ = StrCat("plinth: ", error.ToString(), "\n");
  return code;
}

int Output::Finish(int code) {
  if (as_json_) {
    json()["exit_code"] = code;
    text_ = Json(json()).ToIndentedString() + "\n";
  }
  if (!as_json_) text_ = Printable(text_);
  const bool is_written =
      fwrite(text_.data(), 1, text_.size(), stdout) == text_.size() && fflush(stdout) == 0;
  if (!as_json_) {
    error_ = Printable(error_);
    fwrite(error_.data(), 1, error_.size(), stderr);
  }
  if (is_written || code != kDone) return code;
  fputs("plinth: standard output cannot be written\n", stderr);
  return kFailed;
}

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  const auto add_escaped = [&](char c) {
    char escaped[8];
    snprintf(escaped, sizeof(escaped), "\\x%02x", static_cast<unsigned char>(c));
    printable += escaped;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f) {
      add_escaped(text[i]);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F
      add_escaped(text[i]);
      add_escaped(text[++i]);
    } else {
      printable += text[i];
    }
  }
  return printable;
}

std::string TimeText(double milliseconds) {
  if (milliseconds >= 1e4) return StrCat(Fixed(milliseconds / 1e3, 1), " s");
  return StrCat(Fixed(milliseconds, 3), " ms");
}

std::string ShortTimeText(double milliseconds) {
  if (milliseconds < 1) return StrCat(Fixed(milliseconds * 1e3, 1), " us");
  return TimeText(milliseconds);
}

std::string BytesText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = -1;
  while (std::fabs(value) >= 1024 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  if (unit < 0) return StrCat(bytes, " bytes");
  return StrCat(Fixed(value, 1), " ", kUnits[unit], " (", bytes, " bytes)");
}

Json NamedValuesJson(const std::vector<NamedValue>& values) {
  Json::Object object;
  for (const NamedValue& value : values) object[value.name] = loader::ValueToJson(value.value);
  return object;
}

Json MillisecondsJson(double milliseconds) { return std::round(milliseconds * 1e3) / 1e3; }

}  // namespace plinth::cli
