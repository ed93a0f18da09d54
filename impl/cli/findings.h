#ifndef PLINTH_IMPL_CLI_FINDINGS_H_
#define PLINTH_IMPL_CLI_FINDINGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "impl/loader/json.h"

// What the answer of plinth_probe means.
namespace plinth::cli {

// Something that a person should know. Problems keep the plugin from working; warnings may.
struct Finding {
  enum class Kind { kProblem, kWarning, kNote };
  Kind kind;
  std::string text;
};
std::vector<Finding> FindingsOf(const cJSON* probe);

// What the history of the API knows of plugins of that minor.
std::vector<std::string> KnownQuirks(int minor);

// Members of an object: the text, or empty; the number, or `otherwise`.
std::string_view TextOf(const cJSON* object, const char* key);
int IntOf(const cJSON* object, const char* key, int otherwise = 0);
// The first line of what people read.
std::string FirstLine(std::string_view text);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_FINDINGS_H_
