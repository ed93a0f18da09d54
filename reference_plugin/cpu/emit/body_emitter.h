// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_BODY_EMITTER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_BODY_EMITTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "reference_plugin/cpu/emit/arrange_piece.h"
#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/emit/function_code.h"
#include "reference_plugin/cpu/emit/piece.h"
#include "reference_plugin/cpu/emit/vector_code.h"

namespace plinth::cpu::emit {

// The ops of pieces as instructions in a function, whose loops are its caller's. rdi points to the
// pointers to slots, rcx is the lane at which the ops work; rax and rsi may be overwritten.
class BodyEmitter {
 public:
  // `is_half`: as VectorCode says; if there are wide types.
  BodyEmitter(math::SimdTarget target, Assembler& code, ConstantPool& pool, bool is_half = false);
  BodyEmitter(const BodyEmitter&) = delete;
  BodyEmitter& operator=(const BodyEmitter&) = delete;

  VectorCode& vector() { return vector_; }
  int64_t lanes() const { return lanes_; }  // of a vector

  // The first instructions and the last; what is between may use these slots.
  void Begin(std::vector<int32_t> slots);
  void End();
  // The pointer to a slot.
  Xbyak::RegExp BaseOf(int32_t slot);
  // What `emit` emits for a piece that writes past the cache, which runs where the slots that are
  // written so are aligned, and then for one that does not, which runs elsewhere.
  void EmitPastCacheIfAligned(const Piece& piece, const std::function<void(bool past_cache)>& emit);
  // The register that has it all the time; nothing: it is read from rdi's pointers each time.
  std::optional<Xbyak::Reg64> PointerOf(int32_t slot) const;

  // Whether the values of so many copies, and so many more of each, fit into registers at once.
  bool Fits(const Piece& piece, int copies, int more = 0) const;
  // How many copies of a piece are best done at a time: few are put aside for results then.
  int BestCopies(const Piece& piece) const;
  // From here on registers that the values of this piece do not need have its constants: a
  // processor reads less from memory than it computes. Those of an earlier piece go.
  void PinConstants(const Piece& piece);
  // `is_tail`: only rsi lanes of the vector are there, of which the piece has one.
  void Emit(const Piece& piece, bool is_tail);

  // From here on pieces work on so many rows at once, those of a slot so many bytes apart. Then
  // what is kept has one lane for each row (VectorCode::LaneOfRow), of which a copy of a piece
  // reads that of its row.
  void SetRows(int rows, std::vector<int64_t> apart);
  // Where a value of all lanes is kept while the function runs.
  Xbyak::Address Kept(int32_t number);
  // Room for 64 bits on the stack while the function runs.
  Xbyak::Address NewNumber();

  // kCombine of slot r and vector c of row i works on accumulator (r * rows + i) * of_each + c, in
  // a register or on the stack; so many reductions are of_each * rows accumulators each. `are_set`:
  // they hold values; else what is combined with one first and only sets it.
  void MakeAccumulators(int reductions, int of_each, bool are_set);
  // The accumulator, which is loaded into the other register if need be.
  Vec LoadAccumulator(int number, Vec spare);
  void StoreAccumulator(int number, Vec value);

 private:
  // Of AVX-512 the mask of the lanes that a tail has.
  static constexpr int kTailMask = 3;

  // Where a value is while a body is emitted.
  struct State {
    std::optional<Vec> reg;
    std::optional<Xbyak::Address> memory;  // a whole register: kept, or put aside
    bool is_element = false;               // one lane is there, for all of them
    std::vector<int32_t> users;            // ops, ascending
    size_t used = 0;                       // so many of them are done
    bool stored = false;                   // or need not be

    bool is_live() const { return used < users.size() || !stored; }
  };

  const PieceValue& ValueOf(int32_t n) const { return piece_[static_cast<size_t>(n)]; }
  State& StateOf(int32_t n) { return states_[static_cast<size_t>(n)]; }

  int num_vectors() const;  // for values and constants
  void UseVectors(int count);
  void FindUsers();
  void EmitTailMask();
  void EmitOp(int32_t n);
  void Round(int32_t n);
  bool EmitOnMemory(int32_t n);
  bool EmitExtreme(int32_t n);
  int32_t CountFunctions(int32_t n);
  void EmitFunctions(int32_t n, int32_t count);
  void EmitCombine(int32_t n);
  void EmitStores();
  void LoadInput(int32_t n, Vec reg);
  void LoadPred(const PieceValue& value, const Xbyak::Address& from, Vec reg);
  void LoadHalf(const PieceValue& value, const Xbyak::Address& from, Vec reg);
  void LoadShort(const PieceValue& value, Vec reg);
  // Without masks, the elements of the tail as they lie in memory, one after the other.
  void LoadTail(const PieceValue& value, int bytes, Xbyak::Xmm reg);
  void StoreTail(const PieceValue& value, int bytes, Xbyak::Xmm reg);
  void LoadScalar(const PieceValue& value, Vec reg);
  void LoadLane(const PieceValue& value, Vec reg);
  void Store(int32_t n);
  void StorePred(const PieceValue& value, Vec reg);
  void StoreHalf(const PieceValue& value, Vec reg);
  void StoreShort(const PieceValue& value, Vec reg);
  Xbyak::RegExp AddressOf(const PieceValue& value);
  // The part of the register that has all elements of one lane.
  Xbyak::Xmm LanesOfElements(Vec reg) const;
  int32_t NextUse(int32_t n);
  bool IsMask(const PieceValue& value) const {
    return vector_.has_masks() && value.type == DType::kPred;
  }
  std::optional<int32_t>* OwnerOf(Vec reg);
  Vec NewRegister(bool is_mask = false);
  Vec Register(int32_t n);
  void Use(int32_t n);
  void ReleaseIfDead(int32_t n);
  void SetRegister(int32_t n, Vec reg);
  void LockOwned(Vec reg);
  Xbyak::Address NewOnStack();
  // For the rest of the function.
  Xbyak::Address NewKept();

  const math::SimdTarget target_;
  const bool is_half_;
  const int64_t lanes_;
  Assembler& code_;
  ConstantPool& pool_;
  VectorCode vector_;
  FunctionCode functions_;
  std::vector<int32_t> slots_;  // the first have a register of their own
  size_t reserved_ = 0;         // where the size of the stack is written
  std::vector<Xbyak::Address> kept_;
  int accumulators_of_each_ = 0, accumulator_registers_ = 0;
  bool are_accumulators_set_ = false;
  int rows_ = 1;
  std::vector<int64_t> apart_;                // by slot
  std::vector<Xbyak::Address> accumulators_;  // none if they are in registers

  // Of the piece that is emitted.
  Piece piece_;
  std::vector<State> states_;
  std::vector<Vec> registers_;                  // that hold values
  std::vector<std::optional<int32_t>> owners_;  // of each of them
  int vectors_used_ = 0;                        // so many of the first held any value
  std::vector<Vec> locked_;
  int32_t last_load_ = -1;  // the op that is the last to load an input
  bool is_tail_ = false;
  // Tail of AVX2: the elements that there are, of one lane and of two.
  Xbyak::Address mask_, wide_mask_;
  int32_t stack_begin_ = 0, stack_ = 0, stack_end_ = 0;
};

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_BODY_EMITTER_H_
