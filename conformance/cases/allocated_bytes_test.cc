// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/allocated_bytes.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <thread>

namespace plinth::conformance {
namespace {

// A pointer that the compiler does not look behind: it leaves out what it can pair.
void* Opaque(void* block) {
  asm volatile("" : "+r"(block));
  return block;
}

struct Way {
  const char* name;
  size_t alignment;
  std::function<void*()> allocate;
  void (*free)(void*) = std::free;
};

const Way kWays[] = {
    {"malloc", 16, [] { return std::malloc(1000); }},
    {"calloc", 16, [] { return std::calloc(10, 100); }},
    {"realloc of nothing", 16, [] { return std::realloc(nullptr, 1000); }},
    {"realloc", 16, [] { return std::realloc(Opaque(std::malloc(10)), 1000); }},
    {"realloc to less", 16, [] { return std::realloc(Opaque(std::malloc(100000)), 1000); }},
    {"aligned_alloc", 4096, [] { return std::aligned_alloc(4096, 4096); }},
    {"memalign", 256, [] { return memalign(256, 1000); }},
    {"posix_memalign", 128,
     []() -> void* {
       void* block = nullptr;
       return posix_memalign(&block, 128, 1000) == 0 ? block : nullptr;
     }},
    {"new", 16, [] { return ::operator new(1000); }, [](void* p) { ::operator delete(p); }},
    {"new of aligned", 64, [] { return ::operator new(1000, std::align_val_t(64)); },
     [](void* p) { ::operator delete(p, std::align_val_t(64)); }},
    {"strdup, in the system's library", 16,
     []() -> void* {
       std::array<char, 1000> text;
       text.fill('a');
       text.back() = '\0';
       return strdup(text.data());
     }},
};

TEST(AllocatedBytes, CountsEachWayToTheByte) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    const int64_t before = AllocatedBytes();
    void* const block = Opaque(way.allocate());
    const int64_t taken = AllocatedBytes() - before;
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % way.alignment, 0U);
    EXPECT_EQ(taken, static_cast<int64_t>(malloc_usable_size(block) + sizeof(size_t)));
    EXPECT_GE(taken, 1000);
    way.free(block);
    EXPECT_EQ(AllocatedBytes(), before);
  }
}

TEST(AllocatedBytes, WhatAnotherThreadGivesBackIsBack) {
  const int64_t before = AllocatedBytes();
  std::array<void*, 5> blocks;
  for (void*& block : blocks) block = Opaque(std::malloc(48));
  int64_t after = 0;
  std::thread([&] {
    const int64_t with = AllocatedBytes();
    for (void* block : blocks) std::free(block);
    after = AllocatedBytes() - with;
  }).join();
  EXPECT_EQ(after, -5 * (48 + 8 + 8));
  // What a thread needs for itself may stay.
  EXPECT_LT(AllocatedBytes() - before, 1024);
}

TEST(AllocatedBytes, SeesWhatIsKept) {
  const int64_t before = AllocatedBytes();
  const std::unique_ptr<char[]> kept(static_cast<char*>(Opaque(new char[100000])));
  EXPECT_GE(AllocatedBytes() - before, 100000);
}

TEST(AllocatedBytes, RefusalsAreNotCounted) {
  const int64_t before = AllocatedBytes();
  const auto huge = reinterpret_cast<size_t>(Opaque(reinterpret_cast<void*>(SIZE_MAX / 4)));
  void* block = Opaque(std::malloc(10));
  const int64_t with = AllocatedBytes();
  EXPECT_EQ(std::malloc(huge), nullptr);
  EXPECT_EQ(std::calloc(huge, 8), nullptr);
  void* const moved = Opaque(std::realloc(Opaque(block), huge));  // the block stays
  void* none = nullptr;
  EXPECT_EQ(posix_memalign(&none, 64, huge), ENOMEM);
  EXPECT_EQ(posix_memalign(&none, 3, 10), EINVAL);
  EXPECT_EQ(AllocatedBytes(), with);
  EXPECT_EQ(moved, nullptr);
  std::free(block);
  EXPECT_EQ(AllocatedBytes(), before);
}

}  // namespace
}  // namespace plinth::conformance
