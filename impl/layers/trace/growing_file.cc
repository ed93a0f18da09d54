// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/growing_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace plinth::layers {
namespace {

// While it lives, growing beyond the limit of a file (`ulimit -f`) is the error EFBIG alone,
// without the signal that ends a program.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    sigset_t signals = Signals(), pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~NoFileSizeSignal() {
    int code = errno;
    sigset_t signals = Signals();
    struct timespec no_wait = {};
    if (!was_pending_) sigtimedwait(&signals, nullptr, &no_wait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = code;
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  static sigset_t Signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    return signals;
  }
  sigset_t before_;
  bool was_pending_;
};

}  // namespace

MappedPiece& MappedPiece::operator=(MappedPiece&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_size_, other.mapping_size_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedPiece::~MappedPiece() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_size_);
}

Expected<std::unique_ptr<GrowingFile>> GrowingFile::Create(const std::string& path) {
  // Only regular files: a pipe or a device cannot be mapped.
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
  struct stat info = {};
  if (fd >= 0 && fstat(fd, &info) == 0 && !S_ISREG(info.st_mode)) {
    close(fd);
    return InvalidArgument("`", path, "` is no regular file, and nothing else can be written to");
  }
  auto file = std::unique_ptr<GrowingFile>(new GrowingFile(fd, path));
  if (fd < 0) return file->Failure("cannot be opened for writing");
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return FailedPrecondition("`", path,
                              "` is being written by another plugin or process; `%p` in ",
                              "a path stands for the process id");
  }
  PLINTH_RETURN_IF_ERROR(file->Truncate(0));
  return file;
}

GrowingFile::~GrowingFile() {
  if (fd_ >= 0) close(fd_);
}

Status GrowingFile::Failure(std::string_view what) const {
  int code = errno;
  return Status(code == ENOSPC || code == EDQUOT || code == EFBIG ? StatusCode::kResourceExhausted
                                                                  : StatusCode::kUnavailable,
                StrCat("`", path_, "` ", what, ": ", std::generic_category().message(code)));
}

Expected<MappedPiece> GrowingFile::Map(uint64_t offset, size_t size) {
  NoFileSizeSignal no_signal;
  if (int code = posix_fallocate(fd_, static_cast<off_t>(offset), static_cast<off_t>(size))) {
    errno = code;
    return Failure("cannot grow");
  }
  uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t start = offset / page * page;
  size_t mapping_size = size + static_cast<size_t>(offset - start);
  void* mapping = mmap(nullptr, mapping_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_,
                       static_cast<off_t>(start));
  if (mapping == MAP_FAILED) return Failure("cannot be mapped");
  return MappedPiece(mapping, mapping_size, static_cast<char*>(mapping) + (offset - start), size);
}

Status GrowingFile::Write(uint64_t offset, std::string_view bytes) {
  NoFileSizeSignal no_signal;
  return Overwrite(offset, bytes);
}

Status GrowingFile::Overwrite(uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Failure("cannot be written");
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return Status();
}

Status GrowingFile::Truncate(uint64_t size) {
  if (ftruncate(fd_, static_cast<off_t>(size)) != 0) return Failure("cannot be cut");
  return Status();
}

}  // namespace plinth::layers
