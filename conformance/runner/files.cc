#include "conformance/runner/files.h"

#include <fstream>
#include <iterator>

namespace plinth::conformance {

Expected<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot read ", path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? Status() : Internal("cannot write ", path);
}

}  // namespace plinth::conformance
