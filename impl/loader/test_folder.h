// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_TEST_FOLDER_H_
#define PLINTH_IMPL_LOADER_TEST_FOLDER_H_

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace plinth::loader {

// An empty folder that goes away with this object. For tests.
class TestFolder {
 public:
  TestFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "plinth_loader_XXXXXX";
    path_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string Path(std::string_view name = "") const { return name.empty() ? path_ : path_ / name; }

  // Makes the folders on the way too; returns the path.
  std::string Write(std::string_view name, std::string_view text) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::string Copy(const std::string& from, std::string_view name) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::copy_file(from, file, std::filesystem::copy_options::overwrite_existing);
    return file;
  }
  std::string MakeFolder(std::string_view name) const {
    std::filesystem::create_directories(path_ / name);
    return path_ / name;
  }
  std::string Link(const std::string& target, std::string_view name) const {
    std::filesystem::create_symlink(target, path_ / name);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_TEST_FOLDER_H_
