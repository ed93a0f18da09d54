// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/machine_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "plinth/support/parse_number.h"
#include "plinth/support/str_cat.h"
#include "plinth/support/text.h"

namespace plinth::backend {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// Of the files of the kernel, which are short; empty if there is none.
std::string ReadFile(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string text(16 << 10, '\0');
  ssize_t size = read(file, text.data(), text.size());
  close(file);
  text.resize(std::max<ssize_t>(size, 0));
  return text;
}

// The first word of a text, behind which may stand a unit.
std::optional<int64_t> FirstNumber(std::string_view text) {
  text = Trim(text);
  int64_t number;
  if (!ParseNumber(text.substr(0, text.find_first_of(" \t\n")), &number)) return std::nullopt;
  return number;
}

// The number behind `name` at the beginning of a line.
std::optional<int64_t> FindNumber(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(name)) return FirstNumber(line.substr(name.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return std::nullopt;
}

// The files of the two generations of control groups.
struct GroupFiles {
  const char* mount;
  const char* limit;
  const char* usage;
  // In memory.stat: what the kernel takes back before it ends a process. The first generation does
  // not tell how much of the kernel's own memory that is.
  std::array<const char*, 3> reclaimable;
};
constexpr GroupFiles kFirst = {"/sys/fs/cgroup/memory",
                               "/memory.limit_in_bytes",
                               "/memory.usage_in_bytes",
                               {"total_inactive_file ", "total_active_file "}};
constexpr GroupFiles kSecond = {"/sys/fs/cgroup",
                                "/memory.max",
                                "/memory.current",
                                {"inactive_file ", "active_file ", "slab_reclaimable "}};

struct GroupMemory {
  int64_t limit;
  int64_t in_use;
};

// The memory of every control group that this process is in, the outer ones too. In a container
// the path may not exist: then only what is mounted counts.
std::vector<GroupMemory> Groups(const std::string& root) {
  std::vector<GroupMemory> groups;
  std::string lines = ReadFile(root + "/proc/self/cgroup");
  std::string_view left = lines;
  while (!left.empty()) {  // "hierarchy:controllers:path"
    std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string path(line.substr(second + 1));
    if (!controllers.empty() && controllers.find("memory") == std::string_view::npos) continue;
    const GroupFiles& files = controllers.empty() ? kSecond : kFirst;
    if (path.find("..") != std::string::npos) path.clear();
    while (true) {
      while (path.ends_with('/')) path.pop_back();
      const std::string folder = StrCat(root, files.mount, path);
      std::optional<int64_t> limit = FirstNumber(ReadFile(StrCat(folder, files.limit)));
      std::optional<int64_t> usage = FirstNumber(ReadFile(StrCat(folder, files.usage)));
      if (limit && usage) {
        std::string stat = ReadFile(StrCat(folder, "/memory.stat"));
        int64_t in_use = *usage;
        for (const char* name : files.reclaimable) {
          if (name != nullptr) in_use -= FindNumber(stat, name).value_or(0);
        }
        groups.push_back({*limit, std::max<int64_t>(in_use, 0)});
      }
      if (path.empty()) break;
      size_t slash = path.rfind('/');
      path.resize(slash == std::string::npos ? 0 : slash);
    }
  }
  return groups;
}

}  // namespace

int64_t TotalMemory(const std::string& root) {
  std::string machine = ReadFile(root + "/proc/meminfo");
  std::optional<int64_t> kilobytes = FindNumber(machine, "MemTotal:");
  int64_t total = kilobytes ? *kilobytes * 1024 : sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
  for (const GroupMemory& group : Groups(root)) total = std::min(total, group.limit);
  return total;
}

int64_t AvailableMemory(const std::string& root) {
  std::string machine = ReadFile(root + "/proc/meminfo");
  std::optional<int64_t> free = FindNumber(machine, "MemAvailable:");
  int64_t swap = FindNumber(machine, "SwapFree:").value_or(0);
  int64_t available = free ? (*free + swap) * 1024 : kUnlimited;
  for (const GroupMemory& group : Groups(root)) {
    available = std::min(available, std::max<int64_t>(group.limit - group.in_use, 0));
  }
  return available;
}

}  // namespace plinth::backend
