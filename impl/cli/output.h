// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_OUTPUT_H_
#define PLINTH_IMPL_CLI_OUTPUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/exit_code.h"
#include "plinth/support/json.h"
#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

namespace plinth::cli {

using tools::ExitCode;
using tools::kDone;
using tools::kFailed;
using tools::kNoClient;
using tools::kNoPlugin;
using tools::kUsage;

// What a command has to say: lines for people or one JSON object, written at the end. Errors go to
// standard error, or into the object as "error".
class Output {
 public:
  explicit Output(bool as_json);

  bool as_json() const { return as_json_; }
  // The JSON object; also filled in when nobody will see it.
  Json::Object& json() { return json_; }

  // A line for people.
  template <typename... Pieces>
  void Line(const Pieces&... pieces) {
    text_ += StrCat(pieces...);
    text_ += '\n';
  }
  // A line "name:   value", aligned, in front of `value` as "key" in the JSON object.
  void Field(const char* key, std::string_view label, std::string_view value);
  void Field(const char* key, std::string_view label, int64_t value);

  // Reports an error, after everything else; the exit code to return.
  int Fail(const Status& error, ExitCode code);

  // Writes everything to standard output. Returns `code`, or kFailed if that could not be written.
  int Finish(int code);

 private:
  bool as_json_;
  Json::Object json_;
  std::string text_;
  std::string error_;
};

// For a terminal: control characters but newline and tab as \xNN. Plugins and manifests may come
// from strangers, and their texts are shown.
std::string Printable(std::string_view text);
// "1.234 ms", "12.3 s".
std::string TimeText(double milliseconds);
// The same with the unit that shows it: "12.3 us", "1.234 ms", "12.3 s".
std::string ShortTimeText(double milliseconds);
// "0 bytes", "1.5 MiB (1572864 bytes)".
std::string BytesText(int64_t bytes);
// An object of the values by name.
Json NamedValuesJson(const std::vector<NamedValue>& values);
// Milliseconds with three digits at most.
Json MillisecondsJson(double milliseconds);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_OUTPUT_H_
