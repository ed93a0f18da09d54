// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_FUNCTION_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_FUNCTION_CODE_H_

#include <array>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/emit/vector_code.h"

// Elementary functions of f32 as instructions, step by step what ../math/exponential.cc and
// ../math/trigonometric.cc do.
namespace plinth::cpu::emit {

class FunctionCode {
 public:
  FunctionCode(Assembler& code, VectorCode& vector)
      : code_(code), vector_(vector), scratch_(vector.scratch()), other_(vector.other_scratch()) {}

  static bool Has(compiler::Opcode opcode, DType type);
  // Registers that a function needs beside `dst`, `x` and those that are always free, at most.
  static constexpr size_t kTemporaries = 4;
  static size_t TemporariesOf(compiler::Opcode opcode);
  // Whether copies of the function are emitted in step, instruction by instruction: each waits for
  // its own results, so four of tanh take 4.8 ns each, one after the other 5.4 (AVX-512 on an
  // Emerald Rapids Xeon).
  static bool IsInStep(compiler::Opcode opcode);

  // One of some copies.
  struct Copy {
    Vec dst, x;
    std::array<Vec, kTemporaries> t;
  };
  using Copies = std::span<const Copy>;

  // dst = the function of x. All registers are different; eax is overwritten. Several copies only
  // in step.
  void Emit(compiler::Opcode opcode, Copies copies);

  // Behind the code that was emitted so far: for lanes that are rare.
  bool has_rest() const { return !rest_.empty(); }
  void EmitRest();

 private:
  using Temporaries = std::span<const Vec, kTemporaries>;
  // Registers of a copy by name.
  using Member = Vec (*)(const Copy&);

  const Xbyak::Operand& Float(float value);
  void LoadFloat(Vec dst, float value);
  Vec FloatOr(Vec spare, float value);  // a register that has it
  template <size_t kCount>
  void Polynomial(Vec dst, Vec x, const float (&coefficients)[kCount]);
  template <size_t kCount>
  void Polynomials(Copies copies, Member dst, Member x, const float (&coefficients)[kCount]);
  void LookUp(Vec dst, const float (&table)[8], Vec numbers);
  void ReduceExp(Copies copies);
  void PowerOfTwo(Vec n);
  void AddSign(Vec dst, Vec x, Vec spare);
  void LoadExponent(Vec dst, Vec x, bool of_negative);
  void Exponential(Copies copies, bool of_negative);
  void ExponentialOfAny(const Copy& copy, bool of_negative);
  void Tanh(Copies copies);
  void Logistic(Copies copies);
  void Log(Vec dst, Vec x, Temporaries t);
  void LogOfAny(Vec dst, Vec x, Temporaries t);
  void LogOfNormal(Vec dst, Vec x, const Xbyak::Operand& bias, Temporaries t);
  void Erf(Copies copies);
  void SineOrCosine(compiler::Opcode opcode, Vec dst, Vec x, Temporaries t);
  void CallRoutine(compiler::Opcode opcode, Vec dst, Vec x);
  void EmitCaller(compiler::Opcode opcode);

  Assembler& code_;
  VectorCode& vector_;
  const Vec scratch_, other_;
  std::vector<std::function<void()>> rest_;
  std::map<compiler::Opcode, Xbyak::Label> callers_;  // that call the routine of an op
};

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_FUNCTION_CODE_H_
