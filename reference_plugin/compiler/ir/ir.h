// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_IR_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_IR_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/small_vector.h"
#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/compiler/ir/opcode.h"
#include "reference_plugin/compiler/ir/pool.h"
#include "reference_plugin/compiler/ir/sharding.h"

// The program in the compiler's own form: SSA values in nested blocks. A block may use values of
// the blocks around it. The importer makes it from a program::Module and has checked it; Verify()
// (verifier.h) states what always holds.
namespace plinth::compiler {

inline constexpr int64_t kDynamicSize = std::numeric_limits<int64_t>::min();

struct Type {
  enum class Kind : uint8_t { kTensor, kToken, kTuple };
  Kind kind = Kind::kTensor;
  DType dtype = DType::kInvalid;  // kTensor
  Dims dims;                      // kTensor; row major, kDynamicSize where not known
  std::vector<Type> elements;     // kTuple

  static Type Tensor(DType dtype, Dims dims) {
    Type type;
    type.dtype = dtype;
    type.dims = std::move(dims);
    return type;
  }
  static Type Token() {
    Type type;
    type.kind = Kind::kToken;
    type.dtype = DType::kToken;
    return type;
  }

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  bool IsScalar() const { return kind == Kind::kTensor && dims.empty(); }
  bool IsStatic() const;
  // Static tensors only; the importer has checked that neither overflows.
  int64_t NumElements() const;
  int64_t SizeInBytes() const { return NumElements() * ByteSize(dtype); }
  std::string ToString() const;  // "f32[2,3]"

  friend bool operator==(const Type& a, const Type& b) = default;
};

struct Op;
struct Block;

struct Value {
  Type type;
  Op* op = nullptr;        // The op that defines it, or
  Block* block = nullptr;  // the block whose argument it is.
  int32_t index = 0;       // Which result or argument.
  int32_t id = 0;          // Unique in the module; dense, so that passes keep side tables.
};

// Where an op comes from, for error messages: "file.py:12:3 (jit(f)/add)" or empty.
using Location = std::shared_ptr<const std::string>;

struct Op {
  Opcode opcode;
  SmallVector<Value*, 3> operands;
  SmallVector<Value*, 2> results;
  SmallVector<Block*, 2> blocks;                 // One per region.
  std::shared_ptr<const Attributes> attributes;  // Null for ops without; shared between clones.
  std::shared_ptr<const OpShardings> shardings;  // null for ops without
  Location location;
  int32_t id = 0;

  template <typename T>
  const T& Get() const {
    return *std::get_if<T>(attributes.get());
  }
  Value* result() const { return results[0]; }
  const Type& type() const { return results[0]->type; }
};

// What an op depends on or changes besides its operands and results.
Effect OwnEffectOf(const Op& op);
Effect EffectOf(const Op& op);  // with what is inside of its regions

// Straight-line code. Ops stand after what they use. The last op is kReturn.
struct Block {
  std::vector<Value*> arguments;
  std::vector<Op*> ops;

  Op* terminator() const { return ops.back(); }
};

// How an entry argument may be reused for results.
struct Donation {
  int32_t argument;
  int32_t output;  // -1: any output that fits
};

struct Function {
  std::string name;
  Block* body = nullptr;
  // One per argument and result, or empty: none of them has one.
  std::vector<ShardingRef> argument_shardings, result_shardings;
};

// Owns everything in it; blocks, ops and values have stable addresses and live as long as it.
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::string name;
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  std::vector<Function> functions;
  Function* entry = nullptr;  // Points into `functions`.
  std::vector<Donation> donations;
  std::vector<MeshRef> meshes;
  // Serialized xla.OpSharding per entry parameter and result; empty string where none was given.
  std::vector<std::string> parameter_shardings, output_shardings;
  // mhlo.memory_kind per entry parameter and result; empty string where none was given.
  std::vector<std::string> parameter_memory_kinds, output_memory_kinds;
  std::shared_ptr<const void> owner;  // Keeps what constants and locations point into alive.

  Block* NewBlock() { return &blocks_.emplace_back(); }
  Value* NewArgument(Block* block, Type type);
  // Makes an op with results of these types; the caller puts it into a block.
  Op* NewOp(Opcode opcode, std::span<Value* const> operands, std::span<const Type> result_types,
            std::shared_ptr<const Attributes> attributes = nullptr, Location location = nullptr);
  Op* NewOp(Opcode opcode, std::initializer_list<Value*> operands, Type result_type,
            std::shared_ptr<const Attributes> attributes = nullptr, Location location = nullptr);

  int32_t num_values() const { return static_cast<int32_t>(values_.size()); }
  int32_t num_ops() const { return static_cast<int32_t>(ops_.size()); }

 private:
  Pool<Block> blocks_;
  Pool<Op> ops_;
  Pool<Value> values_;
};

template <typename T>
std::shared_ptr<const Attributes> MakeAttributes(T attributes) {
  return std::make_shared<const Attributes>(std::move(attributes));
}

// The whole module as text, for PLINTH_DUMP and tests; one op per line.
std::string ToString(const Module& module);
std::string ToString(const Op& op);
// "reduce at model.py:3:4", for messages.
std::string Describe(const Op& op);

// Strides of a dense row-major array, the last dimension's being `unit`.
Dims DenseStrides(std::span<const int64_t> dims, int64_t unit = 1);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_IR_H_
