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
  // Registers that the function needs beside `dst`, `x` and those that are always free.
  static constexpr size_t kTemporaries = 4;

  // dst = the function of x. All are different; eax is overwritten.
  void Emit(compiler::Opcode opcode, Vec dst, Vec x,
            std::span<const Vec, kTemporaries> temporaries);

  // Behind the code that was emitted so far: for lanes that are rare.
  bool has_rest() const { return !rest_.empty(); }
  void EmitRest();

 private:
  using Temporaries = std::span<const Vec, kTemporaries>;

  const Xbyak::Operand& Float(float value);
  void LoadFloat(Vec dst, float value);
  Vec FloatOr(Vec spare, float value);  // a register that has it
  template <size_t kCount>
  void Polynomial(Vec dst, Vec x, const float (&coefficients)[kCount]);
  void LookUp(Vec dst, const float (&table)[8], Vec numbers);
  void ReduceExp(Vec x, Vec n, Vec fraction);
  void PowerOfTwo(Vec n);
  void ScaleNormal(Vec dst, Vec n);
  void AddSign(Vec dst, Vec x);
  void Exponential(Vec dst, Vec x, Vec t0, Vec t1);
  void ExponentialOfAny(Vec dst, Vec x, Vec t0, Vec t1);
  void Tanh(Vec dst, Vec x, Temporaries t);
  void Logistic(Vec dst, Vec x, Temporaries t);
  void Log(Vec dst, Vec x, Temporaries t);
  void LogOfAny(Vec dst, Vec x, Temporaries t);
  void LogOfNormal(Vec dst, Vec x, const Xbyak::Operand& bias, Temporaries t);
  void Erf(Vec dst, Vec x, Temporaries t);
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
