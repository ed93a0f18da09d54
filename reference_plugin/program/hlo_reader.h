// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_READER_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_READER_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/program/attribute_schema.h"
#include "reference_plugin/program/hlo_locations.h"
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
  // `message` is a HloModuleProto.
  HloReader(std::string_view message, ModuleBuilder& builder);

  // The builder is used up.
  Expected<Module> Read();

 private:
  using Instruction = HloInstruction;
  using Values = HloValues;
  // Stands for a value that only HLO has, such as a context.
  static constexpr ValueId kNoValue = UINT32_MAX;

  // The ops of a region that is being read.
  struct Ops {
    Operation* data = nullptr;
    size_t size = 0;
    size_t capacity = 0;
  };

  // hlo_reader.cc
  // Parses a computation, whose parameters then get values. It stays until the current computation
  // opens another one.
  Expected<HloBody*> Open(uint32_t computation);
  Status ReadFunction(HloBody& body, std::string_view name, bool is_entry);
  // Parameters that have no value yet become arguments.
  Status MakeRegion(Op parent, HloBody& body, Region* region);
  void MakeArguments(HloBody& body, Region* region);
  Status ReadInstructions(HloBody& body, Values* root);
  Status ReadInstruction(HloBody& body, size_t index);
  // The ops of a computation stand where the instruction stood.
  Status Inline(const Instruction& in, Values* root, std::span<const TypeRef>* types);
  // Gives values to the parameters of a computation.
  Status Pass(HloBody& body, std::span<const HloShape* const> shapes,
              std::span<const Values> arguments);
  // The computation that an instruction calls, of which it has `count`.
  Expected<HloBody*> OpenCalled(const Instruction& in, size_t which, size_t count);
  Expected<uint32_t> Called(const Instruction& in, size_t which, size_t count) const;
  Status CheckParameters(const HloBody& body, std::span<const HloShape* const> shapes) const;
  Status CheckSameLeaves(const Instruction& in, std::span<const TypeRef> leaves,
                         std::string_view whose) const;
  std::string_view FunctionOf(uint32_t computation);
  std::string_view UniqueName(std::string_view wanted);
  std::string_view NameOf(const HloBody& body) const {
    return Shortened(module_.computations[body.computation].name);
  }

  // Instructions of the current computation, by their places in it.
  std::span<const uint32_t> Operands(const Instruction& in) const {
    return {body_->indices.data() + in.first_index, in.num_operands};
  }
  std::span<const uint32_t> CalledBy(const Instruction& in) const {
    return {body_->indices.data() + in.first_index + in.num_operands, in.num_called};
  }
  const HloShape& OperandShape(const Instruction& in, size_t i) const {
    return *body_->instructions[Operands(in)[i]].shape;
  }
  Values ValuesOf(const Instruction& in, size_t i) const { return body_->values[Operands(in)[i]]; }
  Status NeedOperands(const Instruction& in, size_t count) const;
  Status CheckOperands(const Instruction& in, size_t* num_leaves);
  // Adds the leaves of all operands to operands_.
  Status GatherOperands(const Instruction& in);

  // Makes an op of operands_, named_ and regions_, which are empty afterwards. Its results are the
  // value of the current instruction unless Set is called after it.
  Status Emit(const Instruction& in, Op op, std::span<const TypeRef> results);
  // The same of operands that the program's arena holds.
  Status Emit(const Instruction& in, Op op, std::span<const TypeRef> results, Values operands);
  // The same of the instruction's own operands.
  Status EmitPlain(const Instruction& in);
  Operation& NewOp();
  void Reserve(size_t num_ops);
  Status BeginOps(const Instruction& in);
  // Reserves the numbers of an op's results, before its regions get theirs.
  void ReserveResults(std::span<const TypeRef> results);
  std::span<Region> NewRegions(size_t count);
  void Set(Values values) { result_ = values; }
  Values NewValues(ValueId first, size_t count);
  Values Join(std::initializer_list<Values> parts, size_t count);
  Expected<ValueId> EmitConstant(const Instruction& in, TypeRef type, AttributeRef elements);
  // An array of the instruction's type whose elements are all this number.
  Expected<ValueId> EmitNumber(const Instruction& in, double number);
  // hlo_entry.cc: what is said of the entry's parameters and results, and of shardings.
  Status AddEntryAttributes(const HloBody& entry);
  Status AddModuleAttributes();
  Expected<AttributeRef> FrontendAttributes(std::string_view message);
  Status ReadDiscardable(const Instruction& in);
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
  // Programs repeat these: there is one of each where that is cheap to know.
  AttributeRef Ints(std::span<const int64_t> values);
  AttributeRef Int(int64_t value);
  AttributeRef IntsIn(std::string_view message, uint32_t field) {
    ReadIntsField(message, field, &ints_);
    return Ints(ints_);
  }
  AttributeRef ColumnIn(std::string_view message, uint32_t list, uint32_t field) {
    ReadColumn(message, list, field, &ints_);
    return Ints(ints_);
  }
  AttributeRef EnumOf(const EnumSchema& schema, size_t number);
  void AddInts(std::string_view name, std::span<const int64_t> values) { Add(name, Ints(values)); }
  // The list in a field of the instruction itself.
  void AddInts(std::string_view name, const Instruction& in, uint32_t field) {
    Add(name, IntsIn(in.rest, field));
  }
  void AddInt(std::string_view name, int64_t value) { Add(name, Int(value)); }
  void AddBool(std::string_view name, bool value);
  Status AddEnum(std::string_view name, std::string_view kind, int64_t number);
  Status AddEnumText(std::string_view name, std::string_view kind, std::string_view spelling);
  void AddMatrix(std::string_view name, std::span<const int64_t> values, int64_t columns);
  void AddPadding(std::string_view window);
  // `fields` are in the order of the struct's schema.
  void AddStruct(std::string_view name, std::string_view kind,
                 std::initializer_list<NamedAttribute> fields);
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

  HloModule module_;
  ModuleBuilder& builder_;
  HloParser parser_;
  HloLocations locations_;
  // The computations that are being read, each inside of the one before; the last one, depth_ - 1,
  // is the current one.
  std::vector<std::unique_ptr<HloBody>> bodies_;
  size_t depth_ = 0;
  HloBody* body_ = nullptr;
  struct KnownComputation {
    LocationRef location = nullptr;  // Null until it is read.
    std::string_view function;       // Its name; "" for none.
  };
  std::vector<KnownComputation> known_;  // By computation.

  // Functions, in the order in which they are called first.
  std::vector<uint32_t> functions_;  // Computations, but for the entry.
  std::unordered_set<std::string_view> used_names_;
  std::vector<Operation> function_ops_;
  std::vector<uint32_t> num_values_;

  ValueId next_value_ = 0;  // Of the current function.
  Ops ops_;                 // Of the current region.
  // Of the op being made.
  std::vector<ValueId> operands_;
  std::vector<NamedAttribute> named_;
  std::span<const Region> regions_;
  std::vector<int64_t> ints_;
  ValueId reserved_ = kNoValue;
  Values result_;

  // Of the entry.
  std::vector<AttributeRef> argument_attributes_, result_attributes_;
  std::vector<NamedAttribute> module_attributes_;

  std::span<const LocationRef> unknown_locations_;  // Of the arguments of regions.
  std::vector<std::byte> literal_;                  // The elements of the one being read.
  AttributeRef known_bools_[2] = {};
  AttributeRef known_ints_[8] = {};
  std::array<AttributeRef, 64> known_lists_ = {};
  std::array<AttributeRef, 16> known_enums_ = {};
};

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_READER_H_
