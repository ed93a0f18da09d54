// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_TEST_FILES_H_
#define REFERENCE_PLUGIN_PROGRAM_TEST_FILES_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plinth::program {

// Tests run in this folder.
inline constexpr char kSuitePrograms[] = "../../conformance/programs/suite/";
inline constexpr char kJaxPrograms[] = "../../conformance/programs/jax-0.10.2/";
inline constexpr char kTorchPrograms[] = "../../conformance/programs/pytorch-xla-2.9/";

inline std::string LoadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

inline std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text));
}

// The files of a folder whose names end so, sorted.
inline std::vector<std::filesystem::path> FilesEndingWith(const std::filesystem::path& folder,
                                                          std::string_view ending) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(ending)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The names of JAX's programs, without ending.
inline std::vector<std::string> JaxProgramNames() {
  constexpr std::string_view kEnding = ".mlir.txt";
  std::vector<std::string> names;
  for (const std::filesystem::path& path : FilesEndingWith(kJaxPrograms, kEnding)) {
    const std::string file = path.filename().string();
    names.push_back(file.substr(0, file.size() - kEnding.size()));
  }
  return names;
}

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_TEST_FILES_H_
