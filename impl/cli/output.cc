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
  const bool is_written =
      fwrite(text_.data(), 1, text_.size(), stdout) == text_.size() && fflush(stdout) == 0;
  if (!as_json_) fwrite(error_.data(), 1, error_.size(), stderr);
  if (is_written || code != kDone) return code;
  fputs("plinth: standard output cannot be written\n", stderr);
  return kFailed;
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
