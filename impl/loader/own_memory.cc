// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/own_memory.h"

#include <charconv>
#include <cstdio>
#include <string>

#include "plinth/support/text.h"

namespace plinth::loader {
namespace {

// Takes "7f12-" or "7f34 " off the front of a line.
bool TakeAddress(std::string_view& line, char end, uintptr_t& address) {
  auto [last, error] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
  if (error != std::errc() || last == line.data() + line.size() || *last != end) return false;
  line.remove_prefix(static_cast<size_t>(last - line.data()) + 1);
  return true;
}

}  // namespace

OwnMemory OwnMemory::Now() {
  std::string maps;
  // Files of /proc announce no size.
  if (FILE* file = fopen("/proc/self/maps", "re")) {
    char block[16384];
    while (size_t size = fread(block, 1, sizeof(block), file)) maps.append(block, size);
    fclose(file);
  }
  return FromMaps(maps);
}

OwnMemory OwnMemory::FromMaps(std::string_view maps) {
  OwnMemory memory;
  for (const std::string& text : Split(maps, '\n')) {
    std::string_view line = text;
    Range range;
    if (!TakeAddress(line, '-', range.begin) || !TakeAddress(line, ' ', range.end) ||
        line.size() < 4) {
      continue;
    }
    range.readable = line[0] == 'r';
    range.executable = line[2] == 'x';
    memory.ranges_.push_back(range);
  }
  return memory;
}

bool OwnMemory::IsReadable(const void* begin, size_t size) const {
  if (ranges_.empty()) return true;
  auto at = reinterpret_cast<uintptr_t>(begin);
  if (at + size < at) return false;
  const uintptr_t end = at + size;
  // A block may lie across ranges that touch.
  for (const Range& range : ranges_) {
    if (at >= end) break;
    if (range.readable && range.begin <= at && at < range.end) at = range.end;
  }
  return at >= end;
}

bool OwnMemory::IsCode(const void* address) const {
  if (ranges_.empty()) return true;
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (const Range& range : ranges_) {
    if (range.begin <= at && at < range.end) return range.executable;
  }
  return false;
}

}  // namespace plinth::loader
