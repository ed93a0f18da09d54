// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/past_cache.h"

#include <emmintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "reference_plugin/backend/host/core_cache.h"

namespace plinth::cpu::kernels {
namespace {

// So many caches of a core: the last cache, which others share, has no more than a few of them for
// each core. On a Xeon (AMX, 2 MB a core) 64 MB take 0.6 of the time then, added and copied.
constexpr int64_t kCaches = 24;
// A part of such an array that is written in one go, which is no few rows that are read next. Four
// arrays of 16 MB joined on that Xeon: 6.2 to 5.5 ms.
constexpr int64_t kCachesOfPart = 4;

constexpr size_t kLineBytes = 64;

}  // namespace

bool HasOutputPastCache(const compiler::Kernel& kernel, const Domain& domain, int64_t array_bytes) {
  const int64_t cache = backend::CoreCacheBytes();
  const int64_t fewest = (array_bytes >= kCaches * cache ? kCachesOfPart : kCaches) * cache;
  const auto is_large = [&](size_t output) {
    const LinearForm& form = domain.forms[kernel.shape.inputs.size() + output];
    int64_t bytes = ByteSize(kernel.shape.outputs[output].dtype);
    for (size_t d = 0; d < domain.extents.size(); ++d) {
      if (form.coefficients[d] != 0) bytes *= domain.extents[d];
    }
    return bytes >= fewest;
  };
  for (size_t output = 0; output < kernel.shape.outputs.size(); ++output) {
    if (is_large(output)) return true;
  }
  return false;
}

bool WritesInPlace(std::span<void* const> operands, std::span<void* const> results) {
  return std::find_first_of(results.begin(), results.end(), operands.begin(), operands.end()) !=
         results.end();
}

void CopyThroughCache(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }

void CopyPastCache(void* to, const void* from, size_t bytes) {
  const size_t before = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % kLineBytes);
  std::memcpy(to, from, before);
  auto* target = static_cast<std::byte*>(to) + before;
  const auto* source = static_cast<const std::byte*>(from) + before;
  const size_t lines = (bytes - before) / kLineBytes;
  for (size_t line = 0; line < lines; ++line) {
    for (size_t part = 0; part < kLineBytes; part += sizeof(__m128i)) {
      const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + part));
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + part), value);
    }
    target += kLineBytes;
    source += kLineBytes;
  }
  std::memcpy(target, source, bytes - before - lines * kLineBytes);
}

void StoreFence() { _mm_sfence(); }

}  // namespace plinth::cpu::kernels
