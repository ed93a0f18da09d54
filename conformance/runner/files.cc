// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/files.h"

#include <filesystem>
#include <fstream>

namespace plinth::conformance {

Expected<std::string> ReadFile(const std::string& path) {
  std::error_code no_facts;
  if (std::filesystem::is_directory(path, no_facts)) {
    return NotFound("cannot read ", path, ": it is a folder, a file is needed");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot read ", path);
  // Not by iterators over the stream's buffer, which throws when the system cannot read.
  std::string text;
  char block[16384];
  while (file.read(block, sizeof(block)) || file.gcount() > 0) {
    text.append(block, static_cast<size_t>(file.gcount()));
  }
  if (file.bad()) return NotFound("cannot read ", path, " to its end");
  return text;
}

Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? Status() : Internal("cannot write ", path);
}

}  // namespace plinth::conformance
