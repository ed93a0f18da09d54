// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/allocated_bytes.h"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

// What mallinfo2 tells counts as handed out what a thread has given back and keeps for itself:
// up to seven blocks of each size and thread, kilobytes that come and go. A leak of a few bytes
// does not show among them, and a plugin without one may seem to have it. So this program has
// functions of its own in place of glibc's, which count; a plugin's calls find them, because a
// program's symbols come first.
#ifdef PLINTH_IS_SANITIZED

namespace plinth::conformance {

int64_t AllocatedBytes() { return 0; }

}  // namespace plinth::conformance

#else

// glibc's own, under the names that it has for programs like this one.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace plinth::conformance {
namespace {

constinit std::atomic<int64_t> allocated{0};

// With what glibc has before each block, so that the smallest one counts as more than it holds.
int64_t SizeOf(void* block) {
  return block == nullptr ? 0 : static_cast<int64_t>(malloc_usable_size(block) + sizeof(size_t));
}

void* Count(void* block) {
  allocated.fetch_add(SizeOf(block), std::memory_order_relaxed);
  return block;
}

void Uncount(void* block) { allocated.fetch_sub(SizeOf(block), std::memory_order_relaxed); }

bool IsPowerOfTwo(size_t number) { return number != 0 && (number & (number - 1)) == 0; }

}  // namespace

int64_t AllocatedBytes() { return allocated.load(std::memory_order_relaxed); }

}  // namespace plinth::conformance

#pragma GCC visibility push(default)  // a plugin has to find them
extern "C" {

using plinth::conformance::Count;
using plinth::conformance::IsPowerOfTwo;
using plinth::conformance::SizeOf;
using plinth::conformance::Uncount;

void* malloc(size_t size) noexcept { return Count(__libc_malloc(size)); }

void* calloc(size_t count, size_t size) noexcept { return Count(__libc_calloc(count, size)); }

void* realloc(void* block, size_t size) noexcept {
  const int64_t before = SizeOf(block);
  void* const moved = __libc_realloc(block, size);
  // Where there is no memory for more, the block stays.
  if (moved == nullptr && size != 0) return nullptr;
  plinth::conformance::allocated.fetch_sub(before, std::memory_order_relaxed);
  return Count(moved);
}

void free(void* block) noexcept {
  Uncount(block);
  __libc_free(block);
}

void* memalign(size_t alignment, size_t size) noexcept {
  return Count(__libc_memalign(alignment, size));
}

void* aligned_alloc(size_t alignment, size_t size) noexcept { return memalign(alignment, size); }

int posix_memalign(void** block, size_t alignment, size_t size) noexcept {
  if (alignment % sizeof(void*) != 0 || !IsPowerOfTwo(alignment)) return EINVAL;
  const int before = errno;  // which this function does not set
  void* const found = memalign(alignment, size);
  errno = before;
  if (found == nullptr) return ENOMEM;
  *block = found;
  return 0;
}

void* valloc(size_t size) noexcept {
  return memalign(static_cast<size_t>(sysconf(_SC_PAGESIZE)), size);
}

}  // extern "C"
#pragma GCC visibility pop

#endif  // PLINTH_IS_SANITIZED
