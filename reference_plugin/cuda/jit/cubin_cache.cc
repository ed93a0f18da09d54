// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/jit/cubin_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "plinth/support/sha256.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/cuda/jit/jit.h"

namespace plinth::cuda {
namespace {

// A file is this, the digest of the binary in hexadecimal, and the binary.
constexpr std::string_view kMark = "plinth cubin 1\n";
constexpr size_t kDigestSize = 64;
constexpr int64_t kMostFileBytes = int64_t{1} << 30;

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

bool IsOurs(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool IsOwnFolder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && IsOurs(status);
}

// Makes the folder and those above it that are missing.
bool MakeFolder(const std::string& path) {
  for (size_t at = 1; at < path.size(); ++at) {
    if (path[at] == '/') mkdir(path.substr(0, at).c_str(), 0700);
  }
  mkdir(path.c_str(), 0700);
  return IsOwnFolder(path);
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<std::string> CubinCache::Find(const std::string& key) const {
  if (directory_.empty() || !IsOwnFolder(directory_)) return std::nullopt;
  // Not waiting for a writer, should the file be a pipe.
  const File file(
      open(PathOf(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !IsOurs(status) || status.st_size > kMostFileBytes) {
    return std::nullopt;
  }
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count = read(file.get(), bytes.data() + at, bytes.size() - at);
    if (count <= 0) return std::nullopt;
    at += static_cast<size_t>(count);
  }
  const std::string_view view = bytes;
  if (view.size() < kMark.size() + kDigestSize || view.substr(0, kMark.size()) != kMark) {
    return std::nullopt;
  }
  const std::string_view binary = view.substr(kMark.size() + kDigestSize);
  if (view.substr(kMark.size(), kDigestSize) != Sha256(binary)) return std::nullopt;
  // Used now.
  futimens(file.get(), nullptr);
  return std::string(binary);
}

void CubinCache::Keep(const std::string& key, std::string_view binary) const {
  if (directory_.empty() || static_cast<int64_t>(binary.size()) > most_bytes_ ||
      !MakeFolder(directory_)) {
    return;
  }
  static std::atomic<uint64_t> number{0};
  // What a process that was killed has left is trimmed as the others are.
  const std::string own =
      StrCat(PathOf(key), ".", static_cast<int64_t>(getpid()), ".", number.fetch_add(1));
  bool is_whole;
  {
    const File file(open(own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.get() < 0) return;
    is_whole = WriteAll(file.get(), StrCat(kMark, Sha256(binary))) && WriteAll(file.get(), binary);
  }
  // Whoever reads sees the old file or the new one, never a part.
  if (!is_whole || rename(own.c_str(), PathOf(key).c_str()) != 0) unlink(own.c_str());
}

void CubinCache::Trim() const {
  if (directory_.empty() || !IsOwnFolder(directory_)) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(directory_.c_str()), &closedir);
  if (folder == nullptr) return;
  struct Entry {
    std::string path;
    int64_t bytes;
    timespec used;
  };
  std::vector<Entry> entries;
  int64_t bytes = 0;
  while (const dirent* found = readdir(folder.get())) {
    if (std::string_view(found->d_name).find(".cubin") == std::string_view::npos) continue;
    Entry entry{StrCat(directory_, "/", found->d_name), 0, {}};
    struct stat status;
    if (lstat(entry.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    entry.bytes = status.st_size;
    entry.used = status.st_mtim;
    bytes += entry.bytes;
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                          : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (const Entry& entry : entries) {
    if (bytes <= most_bytes_) return;
    if (unlink(entry.path.c_str()) == 0) bytes -= entry.bytes;
  }
}

std::string CacheDirectoryOfEnvironment() {
  const char* asked = secure_getenv("PLINTH_CUDA_CACHE");
  if (asked != nullptr && *asked != '\0') {
    const std::string_view value = asked;
    if (value == "0" || value == "off" || value.front() != '/') return "";
    return asked;
  }
  const char* cache = secure_getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return StrCat(cache, "/plinth/cuda");
  const char* home = secure_getenv("HOME");
  if (home != nullptr && *home == '/') return StrCat(home, "/.cache/plinth/cuda");
  return "";
}

}  // namespace plinth::cuda
