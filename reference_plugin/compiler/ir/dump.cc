// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/dump.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "plinth/support/str_cat.h"

namespace plinth::compiler {
namespace {

// A module's name is the program's choice: it must not lead out of the directory.
std::string FileNameOf(std::string_view name) {
  std::string file;
  for (char c : name.substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    file += plain ? c : '_';
  }
  return file.empty() ? "module" : file;
}

// Creates `directory` and those above it. What cannot be created shows when a file is opened in it.
void CreateDirectories(const std::string& directory) {
  for (size_t end = 0; end != std::string::npos;) {
    end = directory.find('/', end + 1);
    mkdir(directory.substr(0, end).c_str(), 0777);
  }
}

std::string_view DirectoryFromEnvironment() {
  const char* directory = secure_getenv("PLINTH_DUMP");
  return directory == nullptr ? std::string_view() : std::string_view(directory);
}

}  // namespace

Dumper::Dumper(std::string_view module_name) : Dumper(module_name, DirectoryFromEnvironment()) {}

Dumper::Dumper(std::string_view module_name, std::string_view directory) {
  if (directory.empty()) return;
  CreateDirectories(std::string(directory));
  static std::atomic<int> compilations{0};  // Many modules have one name: jit__lambda.
  prefix_ = StrCat(directory, "/", FileNameOf(module_name), "-", ++compilations, ".");
}

void Dumper::Dump(std::string_view stage, const std::function<std::string()>& text) {
  if (!enabled()) return;
  const std::string number = StrCat(next_ < 10 ? "0" : "", next_);
  ++next_;
  const std::string path = StrCat(prefix_, number, ".", FileNameOf(stage), ".txt");
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    if (status_.ok()) {
      status_ = InvalidArgument(
          "cannot write '", path,
          "', which PLINTH_DUMP or xla_dump_to asks for: ", std::generic_category().message(errno));
    }
    return;
  }
  const std::string contents = text();
  std::fwrite(contents.data(), 1, contents.size(), file);
  std::fclose(file);
}

}  // namespace plinth::compiler
