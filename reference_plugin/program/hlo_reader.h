// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_READER_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_READER_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/program/hlo_module.h"
#include "reference_plugin/program/hlo_wire.h"
#include "reference_plugin/program/module_builder.h"
#include "reference_plugin/program/op_schema.h"

namespace plinth::program {

// Every function that reads instructions, by the name that ops.toml has for it.
#define PLINTH_HLO_READS(X) \
  X(Accuracy)               \
  X(AfterAll)               \
  X(AllGather)              \
  X(AllReduce)              \
  X(AllToAll)               \
  X(AsyncStart)             \
  X(Atan)                   \
  X(BatchNorm)              \
  X(Bitcast)                \
  X(Broadcast)              \
  X(Call)                   \
  X(Cholesky)               \
  X(CollectiveBroadcast)    \
  X(CollectivePermute)      \
  X(Compare)                \
  X(Concatenate)            \
  X(Conditional)            \
  X(Constant)               \
  X(Convolution)            \
  X(CopyDone)               \
  X(CopyStart)              \
  X(CustomCall)             \
  X(Done)                   \
  X(Dot)                    \
  X(DynamicSlice)           \
  X(Elementary)             \
  X(Exp2)                   \
  X(Fft)                    \
  X(Fusion)                 \
  X(Gather)                 \
  X(GetDimensionSize)       \
  X(GetTupleElement)        \
  X(Identity)               \
  X(Iota)                   \
  X(Log2)                   \
  X(Map)                    \
  X(Pad)                    \
  X(Parameter)              \
  X(Plain)                  \
  X(Reduce)                 \
  X(ReducePrecision)        \
  X(ReduceScatter)          \
  X(ReduceWindow)           \
  X(Refused)                \
  X(Reverse)                \
  X(Rng)                    \
  X(RngBitGenerator)        \
  X(RngState)               \
  X(Scatter)                \
  X(SelectAndScatter)       \
  X(Slice)                  \
  X(Sort)                   \
  X(TopK)                   \
  X(Transpose)              \
  X(TriangularSolve)        \
  X(Tuple)                  \
  X(While)

enum class HloRead : uint8_t {
#define PLINTH_HLO_READ(name) k##name,
  PLINTH_HLO_READS(PLINTH_HLO_READ)
#undef PLINTH_HLO_READ
};

// Makes a program of an HLO module. Tuples are gone in it: a value of HLO is a list of values, its
// leaves. Computations become functions where they are called, regions where an op has them, and
// the ops of a fusion or a branch stand where it stood.
class HloReader {
 public:
  HloReader(const HloModule& module, ModuleBuilder& builder);

  // The builder is used up.
  Expected<Module> Read();

 private:
  using Instruction = HloInstruction;
  // The leaves of a value. kNoValue stands for one that only HLO has, such as a context.
  using Values = std::span<const ValueId>;
  static constexpr ValueId kNoValue = UINT32_MAX;

  // A computation whose instructions are being read.
  struct Frame {
    const HloComputation* computation = nullptr;
    LocationRef location = nullptr;
    std::span<const Values> arguments;  // By parameter number.
    std::vector<Values> values;         // By instruction.
  };

  // hlo_reader.cc
  Status ReadFunction(const HloComputation& computation, std::string_view name, bool is_entry);
  Status ReadInstructions(const HloComputation& computation, std::span<const Values> arguments,
                          Values* root);
  Status ReadInstruction(Frame& frame, size_t index);
  Status Inline(const Instruction& in, size_t called, std::span<const Values> arguments,
                std::span<const HloShape* const> shapes, Values* root);
  Status MakeRegion(Op parent, uint32_t computation, bool has_arguments,
                    std::span<const Values> captured, Region* region);
  // Called computation number `which` of an instruction that has `count` of them.
  Expected<uint32_t> Called(const Instruction& in, size_t which, size_t count) const;
  Status CheckParameters(const HloComputation& computation,
                         std::span<const HloShape* const> shapes) const;
  Status CheckSameLeaves(const Instruction& in, std::span<const TypeRef> leaves,
                         std::string_view whose) const;
  std::string_view FunctionOf(uint32_t computation);
  std::string_view UniqueName(std::string_view wanted);

  const Instruction& OperandOf(const Instruction& in, size_t i) const {
    return frame_->computation->instructions[in.operands[i]];
  }
  Values ValuesOf(const Instruction& in, size_t i) const { return frame_->values[in.operands[i]]; }
  Status NeedOperands(const Instruction& in, size_t count) const;
  // The leaves of all operands, in operands_.
  Status GatherOperands(const Instruction& in);

  // Makes an op of operands_, named_ and regions_, which are empty afterwards. Its results are the
  // value of the current instruction unless Set is called after it.
  Status Emit(const Instruction& in, Op op, std::span<const TypeRef> results);
  Status EmitPlain(const Instruction& in) {
    PLINTH_RETURN_IF_ERROR(GatherOperands(in));
    return Emit(in, in.opcode->op, in.shape->leaves);
  }
  // Reserves the numbers of an op's results, before its regions get theirs.
  void ReserveResults(std::span<const TypeRef> results);
  void Set(Values values) { result_ = values; }
  Values NewValues(ValueId first, size_t count);
  Values Join(std::initializer_list<Values> parts, size_t count);
  Expected<ValueId> EmitConstant(const Instruction& in, TypeRef type, AttributeRef elements);
  // An array of the instruction's type whose elements are all this number.
  Expected<ValueId> EmitNumber(const Instruction& in, double number);
  LocationRef LocationOf(const Instruction& in);
  LocationRef NewName(std::string_view text, LocationRef child);
  LocationRef SourceOf(std::string_view metadata);
  LocationRef FrameLocation(int64_t stack_frame);
  Status AddDiscardable(const Instruction& in);

  // hlo_entry.cc: what is said of the entry's parameters and results, and of shardings.
  Status AddEntryAttributes(const HloComputation& entry);
  Status AddModuleAttributes();
  Expected<AttributeRef> FrontendAttributes(std::string_view message);
  // Texts of the shardings of the leaves, null for none. `message` is an OpSharding.
  Status ReadShardings(std::string_view message, const HloShape& shape,
                       std::span<AttributeRef> leaves);

  // hlo_regions.cc
  Status BeginRegions(const Instruction& in, size_t count);
  Status AddGroups(const Instruction& in);
  void AddChannel(const Instruction& in);
  void AddGlobalIds(const Instruction& in);
  Status EmitCollective(const Instruction& in);
  Status ReadAllToAllOfTuple(const Instruction& in);

  // hlo_attributes.cc
  void Add(std::string_view name, AttributeRef value) { named_.push_back({name, value}); }
  void AddInts(std::string_view name, std::span<const int64_t> values) {
    Add(name, builder_.NewInts(values));
  }
  // The list in a field of the instruction itself.
  void AddInts(std::string_view name, const Instruction& in, uint32_t field) {
    ReadIntsField(in.rest, field, &ints_);
    AddInts(name, ints_);
  }
  void AddInt(std::string_view name, int64_t value) {
    Add(name, builder_.NewInt(DType::kS64, value));
  }
  void AddBool(std::string_view name, bool value) {
    Add(name, builder_.New(Attribute::Bool(value)));
  }
  Status AddEnum(std::string_view name, std::string_view kind, int64_t number);
  Status AddEnumText(std::string_view name, std::string_view kind, std::string_view spelling);
  void AddMatrix(std::string_view name, std::span<const int64_t> values, int64_t columns);
  void AddPadding(std::string_view window);
  void AddStruct(std::string_view name, std::string_view kind,
                 std::initializer_list<std::pair<std::string_view, std::vector<int64_t>>> lists);
  Status AddPrecision(const Instruction& in);
  // The only one of the instruction's `dimensions`.
  Expected<int64_t> OneDimension(const Instruction& in);

  // hlo_literal.cc
  Expected<AttributeRef> ReadLiteral(std::string_view message, const HloShape& shape);
  Status ReadConstantLeaves(const Instruction& in, std::string_view literal, const HloShape& shape,
                            int depth, std::vector<ValueId>* leaves);

#define PLINTH_HLO_READ(name) Status Read##name(const Instruction& in);
  PLINTH_HLO_READS(PLINTH_HLO_READ)
#undef PLINTH_HLO_READ

  const HloModule& module_;
  ModuleBuilder& builder_;
  Arena scratch_;  // Of shapes that stand in other messages.
  Frame* frame_ = nullptr;
  int depth_ = 0;
  std::vector<uint8_t> was_read_;  // Of each computation.

  // Functions, in the order in which they are called first.
  std::vector<std::string_view> function_names_;  // By computation; "" for none.
  std::vector<uint32_t> functions_;               // Computations, but for the entry.
  std::unordered_set<std::string_view> used_names_;
  std::vector<Operation> function_ops_;
  std::vector<uint32_t> num_values_;

  ValueId next_value_ = 0;  // Of the current function.
  std::vector<Operation> op_stack_;
  // Of the op being made.
  std::vector<ValueId> operands_;
  std::vector<NamedAttribute> named_;
  std::vector<Region> regions_;
  std::vector<int64_t> ints_;
  ValueId reserved_ = kNoValue;
  Values result_;

  // Of the entry.
  std::vector<AttributeRef> argument_attributes_, result_attributes_;
  std::vector<NamedAttribute> module_attributes_;
  // Instructions that one line of a source made come one after the other.
  std::string_view last_metadata_;
  LocationRef last_source_ = nullptr;
  std::vector<LocationRef> frame_locations_;  // By stack frame; null where not made yet.
  std::vector<std::string_view> file_names_, file_locations_, stack_frames_;
};

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_READER_H_
