// SPDX-License-Identifier: Apache-2.0
// Prints a row of limits.json: what the processors of this machine do together, each with a thread.
// Peaks are of instructions whose operands stay in registers, the widest that each type has here.
// Memory is a copy of 64 MB past the cache, in pages of 2 MB: bytes read and bytes written.

#include <immintrin.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

// Long against the start of a thread, short against a turn of the scheduler.
constexpr int kTurns = 100000;
constexpr int kChains = 12;  // Independent instructions in a turn, so that no latency shows.
constexpr int kTiles = 6;

// `kTurns` turns of INSTRUCTION on 12 registers, all of zeros.
#define PLINTH_CHAIN(INSTRUCTION, R)                                                               \
  INSTRUCTION " %%" R "12, %%" R "13, %%" R "0\n" INSTRUCTION " %%" R "12, %%" R "13, %%" R        \
              "1\n" INSTRUCTION " %%" R "12, %%" R "13, %%" R "2\n" INSTRUCTION " %%" R "12, %%" R \
              "13, %%" R "3\n" INSTRUCTION " %%" R "12, %%" R "13, %%" R "4\n" INSTRUCTION " %%" R \
              "12, %%" R "13, %%" R "5\n" INSTRUCTION " %%" R "12, %%" R "13, %%" R                \
              "6\n" INSTRUCTION " %%" R "12, %%" R "13, %%" R "7\n" INSTRUCTION " %%" R "12, %%" R \
              "13, %%" R "8\n" INSTRUCTION " %%" R "12, %%" R "13, %%" R "9\n" INSTRUCTION " %%" R \
              "12, %%" R "13, %%" R "10\n" INSTRUCTION " %%" R "12, %%" R "13, %%" R "11\n"
#define PLINTH_TURNS(INSTRUCTION, R)                                                             \
  [] {                                                                                           \
    int turns = kTurns;                                                                          \
    asm volatile("vzeroall\n1:\n" PLINTH_CHAIN(INSTRUCTION, R) "decl %0\njnz 1b\nvzeroupper"     \
                 : "+r"(turns)                                                                   \
                 :                                                                               \
                 : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                \
  }

// The shape of each of the eight tiles: 16 rows of 64 bytes (Intel SDM, volume 1, chapter 18).
struct alignas(64) TileShapes {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

#define PLINTH_TILE(INSTRUCTION, SUM) INSTRUCTION " %%tmm6, %%tmm7, %%tmm" SUM "\n"
#define PLINTH_TILES(INSTRUCTION)                                                                 \
  [] {                                                                                            \
    int turns = kTurns;                                                                           \
    const TileShapes shapes;                                                                      \
    asm volatile("ldtilecfg %1\n1:\n" PLINTH_TILE(INSTRUCTION, "0") PLINTH_TILE(INSTRUCTION, "1") \
                     PLINTH_TILE(INSTRUCTION, "2") PLINTH_TILE(INSTRUCTION, "3")                  \
                         PLINTH_TILE(INSTRUCTION, "4")                                            \
                             PLINTH_TILE(INSTRUCTION, "5") "decl %0\njnz 1b\ntilerelease"         \
                 : "+r"(turns)                                                                    \
                 : "m"(shapes)                                                                    \
                 : "cc");                                                                         \
  }

// What CPUID says of leaf 7, and whether the kernel lets this process use tiles.
struct Processor {
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = __builtin_cpu_supports("avx512f");
  bool avx512_bf16 = __builtin_cpu_supports("avx512bf16");
  bool avx512_vnni = __builtin_cpu_supports("avx512vnni");
  bool amx = false;

  Processor() {
    constexpr int kRequestState = 0x1023,
                  kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    amx = avx512_bf16 && syscall(SYS_arch_prctl, kRequestState, kTileData) == 0;
  }
};

// The most of `operations` of a call of `work` on each processor in a nanosecond.
double Peak(double operations, const std::function<void(int thread)>& work) {
  using Clock = std::chrono::steady_clock;
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  double best = 0;
  for (int round = 0; round < 100; ++round) {
    std::barrier together(threads);
    std::vector<Clock::time_point> starts(threads), ends(threads);
    std::vector<std::thread> running;
    running.reserve(threads);
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        together.arrive_and_wait();
        starts[thread] = Clock::now();
        work(thread);
        ends[thread] = Clock::now();
      });
    }
    for (std::thread& thread : running) {
      thread.join();
    }
    const std::chrono::duration<double, std::nano> passed =
        *std::max_element(ends.begin(), ends.end()) -
        *std::min_element(starts.begin(), starts.end());
    best = std::max(best, threads * operations / passed.count());
  }
  return best;
}

// One way to compute with a type.
struct Way {
  bool here;
  double operations;  // Of an instruction: a product and a sum are two.
  int instructions;   // In a turn.
  void (*turns)();
};

// The first of `ways` that this processor has; 0 if it has none.
double PeakOf(const std::vector<Way>& ways) {
  for (const Way& way : ways) {
    if (way.here) {
      return Peak(way.operations * way.instructions * kTurns, [&](int) { way.turns(); });
    }
  }
  return 0;
}

// Copies of 64 MB in all. 0 if there is no memory for it.
double PeakOfMemory() {
  constexpr size_t kBytes = size_t{64} << 20, kPage = size_t{2} << 20;
  const size_t threads = std::max(1u, std::thread::hardware_concurrency());
  const size_t part = kBytes / threads / 64 * 64;
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  auto pages = [&] {
    std::unique_ptr<std::byte, Free> bytes(
        static_cast<std::byte*>(std::aligned_alloc(kPage, kBytes)));
    if (bytes != nullptr) {
      madvise(bytes.get(), kBytes, MADV_HUGEPAGE);
      std::memset(bytes.get(), 1, kBytes);
    }
    return bytes;
  };
  const auto from = pages();
  const auto to = pages();
  if (from == nullptr || to == nullptr) {
    return 0;
  }
  return Peak(2.0 * part, [&](int thread) {
    const auto* source = reinterpret_cast<const __m128i*>(from.get() + thread * part);
    auto* target = reinterpret_cast<__m128i*>(to.get() + thread * part);
    for (size_t i = 0; i < part / sizeof(__m128i); ++i) {
      _mm_stream_si128(target + i, _mm_load_si128(source + i));
    }
    _mm_sfence();
  });
}

}  // namespace

int main() {
  const Processor has;
  const Way f32_512{has.avx512, 32, kChains, PLINTH_TURNS("vfmadd231ps", "zmm")};
  const Way f32_256{has.avx2, 16, kChains, PLINTH_TURNS("vfmadd231ps", "ymm")};
  const double f32 = PeakOf({f32_512, f32_256});
  const double f64 = PeakOf({{has.avx512, 16, kChains, PLINTH_TURNS("vfmadd231pd", "zmm")},
                             {has.avx2, 8, kChains, PLINTH_TURNS("vfmadd231pd", "ymm")}});
  const double bf16 = PeakOf({{has.amx, 16 * 16 * 64, kTiles, PLINTH_TILES("tdpbf16ps")},
                              {has.avx512_bf16, 64, kChains, PLINTH_TURNS("vdpbf16ps", "zmm")},
                              f32_512,
                              f32_256});
  const double int8 = PeakOf({{has.amx, 16 * 16 * 128, kTiles, PLINTH_TILES("tdpbssd")},
                              {has.avx512_vnni, 128, kChains, PLINTH_TURNS("vpdpbusd", "zmm")},
                              f32_512,
                              f32_256});
  std::printf("{\"f32\": %.0f, \"f64\": %.0f, \"bf16\": %.0f, \"int8\": %.0f, \"mem\": %.0f}\n",
              f32, f64, bf16, int8, PeakOfMemory());
  return 0;
}
