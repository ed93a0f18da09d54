// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ASSEMBLER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ASSEMBLER_H_

#include <xbyak/xbyak.h>

#include <cstddef>
#include <cstdint>

namespace plinth::cpu::emit {

// Code that is written into memory that grows; it runs elsewhere, so it names no address of its
// own. Throws Xbyak::Error, if there is no memory.
class Assembler final : public Xbyak::CodeGenerator {
 public:
  Assembler() : CodeGenerator(kFirstBytes, Xbyak::AutoGrow) { setDefaultJmpNEAR(true); }

  // 32 bits: 0 stays, all others become all ones.
  void MaskOf(const Xbyak::Reg32& reg) {
    neg(reg);  // carry unless zero
    sbb(reg, reg);
  }
  // rsp -= a number that SetStack() gives later, which asks for the result.
  size_t ReserveStack() {
    constexpr uint32_t kOfFourBytes = 1u << 24;
    sub(rsp, kOfFourBytes);
    return getSize();
  }
  void SetStack(size_t reserved, int32_t bytes) {
    rewrite(reserved - sizeof(bytes), static_cast<uint64_t>(bytes), sizeof(bytes));
  }

 private:
  static constexpr size_t kFirstBytes = 4096;
};

// A vector register: one of AVX2, how many of whose lanes count, the instruction says, or a whole
// one of AVX-512. Of its kind it may also be a mask register.
using Vec = Xbyak::Ymm;

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ASSEMBLER_H_
