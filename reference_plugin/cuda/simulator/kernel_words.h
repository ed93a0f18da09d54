// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_KERNEL_WORDS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_KERNEL_WORDS_H_

// CUDA's words for the host's compiler. The driver's library and every kernel's library include
// this; only kernels' define PLINTH_SIMULATED_KERNEL.

#include <cstddef>
#include <cstdint>

extern "C" {

struct plinth_simulator_index {
  unsigned x, y, z;
};

// Bytes that a launch may use.
struct plinth_simulator_range {
  uintptr_t begin;
  size_t size;
};

// Where the thread that runs is, and how it waits for others. The driver fills it in.
struct plinth_simulator_state {
  plinth_simulator_index thread, block, block_size, grid_size;
  void (*barrier)();
  // Waits for the other lanes of `mask` and returns what each lane brought.
  const uint64_t* (*exchange)(unsigned mask, uint64_t value);
  // An access of a type to an address that is no multiple of its alignment: a fault on a device.
  void (*misaligned)(unsigned line, uintptr_t address, unsigned alignment);
  // The shared memory of all kernels of the library.
  char *shared_begin, *shared_end;
  // The arrays of the launch. An access elsewhere, but to shared memory and to the thread's own, is
  // told to `access`; null: nobody asks.
  const plinth_simulator_range* ranges;
  unsigned num_ranges;
  void (*access)(uintptr_t address, size_t size, bool writes);
};

typedef void (*plinth_simulator_launch)(void** parameters);

// What a parameter is, for the driver: size in bytes, and what a pointer may do.
struct plinth_simulator_parameter {
  unsigned size;
  unsigned char is_pointer, is_constant;
};

struct plinth_simulator_kernel {
  const char* name;
  plinth_simulator_launch launch;
  const plinth_simulator_parameter* parameters;
  unsigned num_parameters;
  unsigned most_threads;  // of a block, by __launch_bounds__
};
}

#ifdef PLINTH_SIMULATED_KERNEL

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

// Where `__shared__` arrays lie. The linker makes these, if there are any.
extern "C" __attribute__((weak, visibility("hidden"))) char __start_plinth_shared[];
extern "C" __attribute__((weak, visibility("hidden"))) char __stop_plinth_shared[];

extern "C" __attribute__((visibility("default"))) plinth_simulator_state plinth_simulator_here;
plinth_simulator_state plinth_simulator_here = {.thread = {},
                                                .block = {},
                                                .block_size = {},
                                                .grid_size = {},
                                                .barrier = nullptr,
                                                .exchange = nullptr,
                                                .misaligned = nullptr,
                                                .shared_begin = __start_plinth_shared,
                                                .shared_end = __stop_plinth_shared,
                                                .ranges = nullptr,
                                                .num_ranges = 0,
                                                .access = nullptr};

// What -fsanitize=alignment calls: the place in the text, the type, the logarithm of its alignment.
struct plinth_simulator_mismatch {
  const char* file;
  unsigned line, column;
  const void* type;
  unsigned char log_alignment, kind;
};
extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_type_mismatch_v1(
    const plinth_simulator_mismatch* what, uintptr_t address) {
  plinth_simulator_here.misaligned(what->line, address, 1u << what->log_alignment);
}

// What -fsanitize=kernel-address, if asked for, calls before each access. No more of that
// sanitizer is used.
#define PLINTH_SIMULATOR_UNCHECKED \
  extern "C" __attribute__((visibility("hidden"), no_sanitize("kernel-address"))) void
PLINTH_SIMULATOR_UNCHECKED plinth_simulator_check(uintptr_t address, size_t size, bool writes) {
  const plinth_simulator_state& here = plinth_simulator_here;
  if (here.access == nullptr) return;
  for (unsigned r = 0; r < here.num_ranges; ++r) {
    const uintptr_t offset = address - here.ranges[r].begin;
    if (offset < here.ranges[r].size && size <= here.ranges[r].size - offset) return;
  }
  constexpr uintptr_t kStack = 64 << 10;
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (address - frame + kStack < 2 * kStack) return;
  if (address - reinterpret_cast<uintptr_t>(here.shared_begin) <
      static_cast<uintptr_t>(here.shared_end - here.shared_begin)) {
    return;
  }
  here.access(address, size, writes);
}
#define PLINTH_SIMULATOR_ACCESS(size)                                          \
  PLINTH_SIMULATOR_UNCHECKED __asan_load##size##_noabort(uintptr_t address) {  \
    plinth_simulator_check(address, size, false);                              \
  }                                                                            \
  PLINTH_SIMULATOR_UNCHECKED __asan_store##size##_noabort(uintptr_t address) { \
    plinth_simulator_check(address, size, true);                               \
  }
PLINTH_SIMULATOR_ACCESS(1)
PLINTH_SIMULATOR_ACCESS(2)
PLINTH_SIMULATOR_ACCESS(4)
PLINTH_SIMULATOR_ACCESS(8)
PLINTH_SIMULATOR_ACCESS(16)
PLINTH_SIMULATOR_UNCHECKED __asan_loadN_noabort(uintptr_t address, size_t size) {
  plinth_simulator_check(address, size, false);
}
PLINTH_SIMULATOR_UNCHECKED __asan_storeN_noabort(uintptr_t address, size_t size) {
  plinth_simulator_check(address, size, true);
}
PLINTH_SIMULATOR_UNCHECKED __asan_handle_no_return() {}

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
// Blocks run one after another.
#define __shared__ __attribute__((section("plinth_shared"))) static
#define __align__(n) __attribute__((aligned(n)))
#define threadIdx (plinth_simulator_here.thread)
#define blockIdx (plinth_simulator_here.block)
#define blockDim (plinth_simulator_here.block_size)
#define gridDim (plinth_simulator_here.grid_size)

static inline void __syncthreads() { plinth_simulator_here.barrier(); }
static inline void __syncwarp(unsigned mask = ~0u) { plinth_simulator_here.exchange(mask, 0); }

namespace plinth_simulator {

inline unsigned Lane() {
  const plinth_simulator_state& here = plinth_simulator_here;
  const unsigned row = here.thread.y + here.thread.z * here.block_size.y;
  return (here.thread.x + row * here.block_size.x) % 32;
}

template <typename T>
T Exchange(unsigned mask, T value, int from, int width) {
  static_assert(sizeof(T) <= 8);
  const int lane = static_cast<int>(Lane());
  const int first = lane / width * width;
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  const uint64_t* values = plinth_simulator_here.exchange(mask, bits);
  if (from < first || from >= first + width || (mask >> from & 1) == 0) return value;
  std::memcpy(&value, &values[from], sizeof(value));
  return value;
}

// As the device does it: one after another.
template <typename T, typename Change>
T Atomic(T* place, Change change) {
  const T old = *place;
  *place = change(old);
  return old;
}

template <typename T>
constexpr plinth_simulator_parameter Describe() {
  return {sizeof(T), std::is_pointer_v<T>, std::is_const_v<std::remove_pointer_t<T>>};
}

template <typename... Types, size_t... kNumbers>
void Call(void (*kernel)(Types...), void** parameters, std::index_sequence<kNumbers...>) {
  kernel(*static_cast<std::remove_const_t<Types>*>(parameters[kNumbers])...);
}
template <typename... Types>
void Call(void (*kernel)(Types...), void** parameters) {
  Call(kernel, parameters, std::index_sequence_for<Types...>());
}
template <typename... Types>
const plinth_simulator_parameter* Parameters(void (*)(Types...)) {
  static const plinth_simulator_parameter parameters[sizeof...(Types) + 1] = {Describe<Types>()...};
  return parameters;
}
template <typename... Types>
constexpr unsigned Count(void (*)(Types...)) {
  return sizeof...(Types);
}

}  // namespace plinth_simulator

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int first = static_cast<int>(plinth_simulator::Lane()) / width * width;
  return plinth_simulator::Exchange(mask, value, first + (lane & (width - 1)), width);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  return plinth_simulator::Exchange(mask, value, static_cast<int>(plinth_simulator::Lane()) ^ bits,
                                    width);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  return plinth_simulator::Exchange(
      mask, value, static_cast<int>(plinth_simulator::Lane()) - static_cast<int>(distance), width);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  return plinth_simulator::Exchange(
      mask, value, static_cast<int>(plinth_simulator::Lane()) + static_cast<int>(distance), width);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const uint64_t* values = plinth_simulator_here.exchange(mask, predicate != 0);
  unsigned ballot = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) != 0 && values[lane] != 0) ballot |= 1u << lane;
  }
  return ballot;
}

template <typename T>
T atomicAdd(T* place, std::type_identity_t<T> value) {
  return plinth_simulator::Atomic(place, [=](T old) { return static_cast<T>(old + value); });
}
template <typename T>
T atomicMax(T* place, std::type_identity_t<T> value) {
  return plinth_simulator::Atomic(place, [=](T old) { return old < value ? value : old; });
}
template <typename T>
T atomicMin(T* place, std::type_identity_t<T> value) {
  return plinth_simulator::Atomic(place, [=](T old) { return value < old ? value : old; });
}
template <typename T>
T atomicOr(T* place, std::type_identity_t<T> value) {
  return plinth_simulator::Atomic(place, [=](T old) { return old | value; });
}
template <typename T>
T atomicExch(T* place, std::type_identity_t<T> value) {
  return plinth_simulator::Atomic(place, [=](T) { return value; });
}
template <typename T>
T atomicCAS(T* place, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return plinth_simulator::Atomic(place, [=](T old) { return old == expected ? value : old; });
}

// The device's instructions, which order zeros: 0 is greater than -0.
namespace plinth_simulator {
inline float Larger(float a, float b) {
  if (a != a || b != b) return a != a ? b : a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
inline float Smaller(float a, float b) {
  if (a != a || b != b) return a != a ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
}  // namespace plinth_simulator
#define fmaxf plinth_simulator::Larger
#define fminf plinth_simulator::Smaller

static inline void __threadfence() {}
static inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
static inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
static inline int __clz(int bits) {
  return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits));
}
static inline int __clzll(long long bits) {
  return bits == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(bits));
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

#endif  // PLINTH_SIMULATED_KERNEL

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_KERNEL_WORDS_H_
