#include "impl/cli/output.h"

#include <cjson/cJSON.h>

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

Output::Output(bool as_json) : as_json_(as_json), json_(cJSON_CreateObject()) {}

void Output::Field(const char* key, std::string_view label, std::string_view value) {
  loader::JsonAddText(json(), key, value);
  const size_t pad = label.size() + 1 < kLabelWidth ? kLabelWidth - label.size() - 1 : 1;
  Line(label, ":", std::string(pad, ' '), value);
}

void Output::Field(const char* key, std::string_view label, int64_t value) {
  Field(key, label, StrCat(value));
  cJSON_DeleteItemFromObjectCaseSensitive(json(), key);
  loader::JsonAdd(json(), key, loader::JsonInteger(value));
}

int Output::Fail(const Status& error, ExitCode code) {
  loader::Json described(cJSON_CreateObject());
  loader::JsonAddText(described.get(), "code", StatusCodeName(error.code()));
  loader::JsonAddText(described.get(), "message", error.message());
  loader::JsonAdd(json(), "error", std::move(described));
  error_ = StrCat("plinth: ", error.ToString(), "\n");
  return code;
}

int Output::Finish(int code) {
  if (as_json_) {
    cJSON_AddNumberToObject(json(), "exit_code", code);
    char* text = cJSON_Print(json());
    text_ = text == nullptr ? "{}" : text;
    cJSON_free(text);
    text_ += '\n';
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

loader::Json NamedValuesJson(const std::vector<NamedValue>& values) {
  loader::Json object(cJSON_CreateObject());
  for (const NamedValue& value : values) {
    loader::JsonAdd(object.get(), value.name.c_str(), loader::ValueToJson(value.value));
  }
  return object;
}

loader::Json MillisecondsJson(double milliseconds) {
  return loader::Json(cJSON_CreateRaw(Fixed(milliseconds, 3).c_str()));
}

}  // namespace plinth::cli
