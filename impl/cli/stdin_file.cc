// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/stdin_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "plinth/support/str_cat.h"

namespace plinth::cli {
namespace {

constexpr size_t kMaxBytes = size_t{4} << 30;

Expected<std::string> ReadAll() {
  const int file = memfd_create("standard input", MFD_CLOEXEC);
  if (file < 0) return Internal("cannot keep standard input: ", std::strerror(errno));
  std::vector<char> block(size_t{1} << 20);
  size_t total = 0;
  while (true) {
    const ssize_t got = read(STDIN_FILENO, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return InvalidArgument("standard input: ", std::strerror(errno));
    if (got == 0) break;
    total += static_cast<size_t>(got);
    if (total > kMaxBytes) return ResourceExhausted("standard input has more than 4 GiB");
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = write(file, block.data() + done, static_cast<size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return ResourceExhausted("cannot keep standard input: ", std::strerror(errno));
      done += put;
    }
  }
  if (total == 0) return InvalidArgument("standard input is empty");
  return StrCat("/proc/self/fd/", file);
}

}  // namespace

Expected<std::string> StdinFile() {
  static const Expected<std::string> path = ReadAll();
  return path;
}

}  // namespace plinth::cli
