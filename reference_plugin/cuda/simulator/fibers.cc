// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/simulator/fibers.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

// Saves the registers that a call keeps on the stack, leaves the stack's place in *saved, and goes
// on where the other stack was left. The System V ABI of x86-64.
extern "C" void plinth_simulator_switch(void** saved, void* stack);
asm(R"(
.text
.globl plinth_simulator_switch
.hidden plinth_simulator_switch
.type plinth_simulator_switch, @function
plinth_simulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size plinth_simulator_switch, .-plinth_simulator_switch
)");

namespace plinth::cuda::simulator {
namespace {

constexpr size_t kStackSize = 64 << 10;
constexpr size_t kPage = 4096;
constexpr unsigned kLanes = 32;

// Stacks with a page in front that nobody may touch. Kept for the life of the process.
class Stacks {
 public:
  std::byte* Take() {
    if (!free_.empty()) {
      std::byte* stack = free_.back();
      free_.pop_back();
      return stack;
    }
    void* made = mmap(nullptr, kStackSize + kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) throw std::bad_alloc();
    mprotect(made, kPage, PROT_NONE);
    return static_cast<std::byte*>(made) + kPage;
  }
  void Give(std::byte* stack) { free_.push_back(stack); }

 private:
  std::vector<std::byte*> free_;
};

enum class Wait : uint8_t { kNone, kBarrier, kExchange, kDone };

struct Thread {
  Wait wait = Wait::kNone;
  unsigned mask = 0;
  std::byte* stack = nullptr;
  void* saved = nullptr;
};

// Lanes that exchange values: what they brought, and what the last that went on were given. They
// read that before any other goes on.
struct Warp {
  unsigned waiting = 0;
  uint64_t brought[kLanes] = {}, given[kLanes] = {};
};

class Block {
 public:
  Block(plinth_simulator_state& state, plinth_simulator_launch launch, void** parameters,
        Stacks& stacks)
      : state_(state),
        launch_(launch),
        parameters_(parameters),
        stacks_(stacks),
        size_(state.block_size.x * state.block_size.y * state.block_size.z),
        threads_(size_),
        warps_((size_ + kLanes - 1) / kLanes) {}

  ~Block() {
    for (const Thread& thread : threads_) {
      if (thread.stack != nullptr) stacks_.Give(thread.stack);
    }
  }

  std::string Run(uint64_t seed);

  void Barrier() { Leave(Wait::kBarrier); }
  const uint64_t* Exchange(unsigned mask, uint64_t value) {
    Warp& warp = warps_[current_ / kLanes];
    warp.brought[current_ % kLanes] = value;
    threads_[current_].mask = mask;
    Leave(Wait::kExchange);
    return warp.given;
  }
  void Misaligned(unsigned line, uintptr_t address, unsigned alignment) {
    if (!misaligned_.empty()) return;
    misaligned_ = "an access at line " + std::to_string(line) + " of the unit, of alignment " +
                  std::to_string(alignment) + ", is to address ..." +
                  std::to_string(address % kPage) + " of a page";
  }
  // On the thread's own stack.
  [[noreturn]] void Body() {
    launch_(parameters_);
    Leave(Wait::kDone);
    __builtin_unreachable();
  }

 private:
  void Leave(Wait why) {
    Thread& thread = threads_[current_];
    thread.wait = why;
    plinth_simulator_switch(&thread.saved, scheduler_);
  }
  void Enter(unsigned number);
  bool ReleaseWarps(uint64_t seed);
  std::string Stuck() const;

  plinth_simulator_state& state_;
  const plinth_simulator_launch launch_;
  void** const parameters_;
  Stacks& stacks_;
  const unsigned size_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  void* scheduler_ = nullptr;
  unsigned current_ = 0;
  unsigned num_done_ = 0, num_at_barrier_ = 0;
  std::string misaligned_;  // the first such access
};

Block* running = nullptr;  // One at a time.

void Begin() { running->Body(); }

void Block::Enter(unsigned number) {
  Thread& thread = threads_[number];
  if (thread.stack == nullptr) {
    thread.stack = stacks_.Take();
    // The first entry "returns" to Begin, on a stack as a call leaves it.
    auto** top = reinterpret_cast<void**>(thread.stack + kStackSize) - 2;
    *top = reinterpret_cast<void*>(&Begin);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    thread.saved = top;
  }
  current_ = number;
  const unsigned plane = state_.block_size.x * state_.block_size.y;
  state_.thread = {number % state_.block_size.x, number % plane / state_.block_size.x,
                   number / plane};
  thread.wait = Wait::kNone;
  plinth_simulator_switch(&scheduler_, thread.saved);
  switch (thread.wait) {
    case Wait::kDone:
      stacks_.Give(thread.stack);
      thread.stack = nullptr;
      ++num_done_;
      break;
    case Wait::kBarrier:
      ++num_at_barrier_;
      break;
    default:
      warps_[number / kLanes].waiting |= 1u << number % kLanes;
  }
}

// Lets lanes go on whose whole mask is there. Whether there were any.
bool Block::ReleaseWarps(uint64_t seed) {
  bool released = false;
  const auto num_warps = static_cast<unsigned>(warps_.size());
  const AnyOrder order(num_warps, seed), lanes(kLanes, seed);
  for (unsigned i = 0; i < num_warps; ++i) {
    const unsigned w = order[i];
    Warp& warp = warps_[w];
    if (warp.waiting == 0) continue;
    const unsigned first = w * kLanes;
    const auto lane = static_cast<unsigned>(__builtin_ctz(warp.waiting));
    unsigned all = threads_[first + lane].mask;
    if (size_ - first < kLanes) all &= (1u << (size_ - first)) - 1;  // lanes that do not exist
    if ((warp.waiting & all) != all) continue;
    std::memcpy(warp.given, warp.brought, sizeof(warp.given));
    warp.waiting &= ~all;
    for (unsigned l = 0; l < kLanes; ++l) {
      if ((all >> lanes[l] & 1) != 0) Enter(first + lanes[l]);
    }
    released = true;
  }
  return released;
}

std::string Block::Stuck() const {
  unsigned at_exchange = 0;
  for (const Warp& warp : warps_) at_exchange += __builtin_popcount(warp.waiting);
  return "divergent barriers: of " + std::to_string(size_) + " threads " +
         std::to_string(num_at_barrier_) + " wait at __syncthreads, " +
         std::to_string(at_exchange) + " at an exchange within a warp, " +
         std::to_string(num_done_) + " have returned";
}

std::string Block::Run(uint64_t seed) {
  running = this;
  auto enter_all = [&] {
    const AnyOrder order(size_, seed++);
    for (unsigned t = 0; t < size_; ++t) Enter(order[t]);
  };
  enter_all();
  while (num_done_ < size_) {
    if (ReleaseWarps(seed)) {
      ++seed;
      continue;
    }
    if (num_at_barrier_ != size_) return Stuck();
    num_at_barrier_ = 0;
    enter_all();
  }
  return misaligned_;
}

}  // namespace

void PoisonSharedMemory(const plinth_simulator_state& state) {
  if (state.shared_begin == state.shared_end) return;
  std::memset(state.shared_begin, 0xff, static_cast<size_t>(state.shared_end - state.shared_begin));
}

std::string RunBlock(plinth_simulator_state& state, plinth_simulator_launch launch,
                     void** parameters, uint64_t seed) {
  static Stacks& stacks = *new Stacks();
  Block block(state, launch, parameters, stacks);
  state.barrier = [] { running->Barrier(); };
  state.exchange = [](unsigned mask, uint64_t value) { return running->Exchange(mask, value); };
  state.misaligned = [](unsigned line, uintptr_t address, unsigned alignment) {
    running->Misaligned(line, address, alignment);
  };
  return block.Run(seed);
}

}  // namespace plinth::cuda::simulator
