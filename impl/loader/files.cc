// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "impl/loader/descriptor.h"

namespace plinth::loader {
namespace {

Status FileError(const std::string& path, int number) {
  std::string message = StrCat(path, ": ", SystemError(number));
  bool missing = number == ENOENT || number == ENOTDIR;
  bool forbidden = number == EACCES || number == EPERM;
  return Status(missing     ? StatusCode::kNotFound
                : forbidden ? StatusCode::kPermissionDenied
                            : StatusCode::kFailedPrecondition,
                std::move(message));
}

Status CheckRegular(const std::string& path, const struct stat& facts) {
  if (S_ISREG(facts.st_mode)) return Status();
  return FailedPrecondition(path, " is ", S_ISDIR(facts.st_mode) ? "a folder" : "no regular file");
}

}  // namespace

std::string SystemError(int number) { return std::generic_category().message(number); }

Expected<std::string> ReadFile(const std::string& path, size_t max_size) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return FileError(path, errno);
  struct stat facts;
  if (fstat(file.get(), &facts) != 0) return FileError(path, errno);
  PLINTH_RETURN_IF_ERROR(CheckRegular(path, facts));
  Status too_large = ResourceExhausted(path, " is larger than ", max_size, " bytes");
  if (facts.st_size < 0 || static_cast<uint64_t>(facts.st_size) > max_size) return too_large;
  // Files of /proc announce no size, and a file may grow: what is read counts.
  std::string text;
  char block[16384];
  while (true) {
    ssize_t size = read(file.get(), block, sizeof(block));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FileError(path, errno);
    if (size == 0) return text;
    if (text.size() + static_cast<size_t>(size) > max_size) return too_large;
    text.append(block, static_cast<size_t>(size));
  }
}

Status CheckRegularFile(const std::string& path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return FileError(path, errno);
  return CheckRegular(path, facts);
}

Expected<std::vector<std::string>> ReadFolder(const std::string& path, size_t max_names) {
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) return FileError(path, errno);
  std::vector<std::string> names;
  Status status;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(folder);
    if (entry == nullptr) {
      if (errno != 0) status = FileError(path, errno);
      break;
    }
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == max_names) {
      status = ResourceExhausted(path, " holds more than ", max_names, " files");
      break;
    }
    names.emplace_back(name);
  }
  closedir(folder);
  PLINTH_RETURN_IF_ERROR(status);
  std::sort(names.begin(), names.end());
  return names;
}

bool IsFolder(const std::string& path) {
  struct stat facts;
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::string FolderOf(std::string_view path) {
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string_view FileNameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string Below(std::string_view folder, std::string_view path) {
  if (!path.empty() && path.front() == '/') return std::string(path);
  return StrCat(folder, folder.empty() || folder.back() == '/' ? "" : "/", path);
}

}  // namespace plinth::loader
