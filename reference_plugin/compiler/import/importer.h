// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORTER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORTER_H_

#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/import/import_attributes.h"
#include "reference_plugin/compiler/import/sharding_reader.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::importer {

// The state of one import: what the rows of the import table (import_table.h) work on. The op that
// is being imported is the current one; what Append makes goes to the end of the current block.
class Importer {
 public:
  Importer(std::shared_ptr<const program::Module> program, const NumDevices& asked, Module& module);

  Status Run();

  Module& module() { return module_; }
  const std::shared_ptr<const void>& owner() const { return module_.owner; }
  // Of the current op.
  std::span<Value* const> operands() const { return operands_; }
  std::span<const Type> result_types() const { return result_types_; }
  const Location& location() const { return location_; }
  // Of the current block; what is added here is not checked.
  std::vector<Op*>& ops() { return block_->ops; }

  // Makes an op, checks it and puts it to the end of the current block.
  Expected<Op*> Append(Opcode opcode, std::span<Value* const> operands,
                       std::span<const Type> results, AttributesRef attributes = nullptr);
  Expected<Value*> AppendOne(Opcode opcode, std::initializer_list<Value*> operands, Type result,
                             AttributesRef attributes = nullptr);
  // Says which value result i of the current op is; its type must be the result's.
  Status Define(size_t i, Value* value);
  Status Define(std::span<Value* const> values);

  // Whether the function that a call or composite names exists and takes its operands.
  Status CheckCallee(const Op& op);

  bool HasSeveralDevices() const {
    return module_.num_replicas != 1 || module_.num_partitions != 1;
  }
  // The current op says how its operand is spread, in a form of text; `of_result`: what is
  // returned.
  Status ImportConstraint(const program::Operation& operation, bool of_result);
  // How the custom call that the current op became may be spread.
  Status ImportCallRule(const program::Operation& operation, Op& op);
  // The current op is what a device has of its operand, or the other way round, in GSPMD's form.
  Status ImportShardingView(const program::Operation& operation);
  // Shardy's form: all operands become what each device has of them, or the other way round.
  Status ImportBorder(const program::Operation& operation, bool is_entry);
  // The operand of the current op has one sharding with those of the same group.
  Status ImportShardingGroup(int64_t group);
  // The current op is its operand; shardings pass as Shardy's PropagationDirection says.
  Status ImportPropagationBarrier(int64_t direction);

  // Imports the ops of a region at the end of the current block, with its arguments standing for
  // `arguments`; returns what the region returns.
  Expected<std::vector<Value*>> ImportInline(const program::Region& region,
                                             std::span<Value* const> arguments);

 private:
  struct FunctionEntry {
    const program::Function* source = nullptr;
    std::vector<Type> arguments, results;
  };

  Expected<const Type*> ConvertType(program::TypeRef type);
  Status ConvertTypes(std::span<const program::TypeRef> types, std::vector<Type>* converted);
  Location ConvertLocation(program::LocationRef location);

  Status DeclareFunctions();
  Status ImportFunction(const FunctionEntry& entry, Function& function);
  Status ImportEntryAttributes(const program::Function& source);
  Status ImportModuleAttributes();
  Expected<std::vector<ShardingRef>> ReadShardings(std::span<const program::Attributes> lists,
                                                   std::span<Value* const> values);
  static Expected<ShardingRef> OpenDimensions(const program::Operation& operation,
                                              const ShardingRef& sharding);
  void ApplyResultConstraints(Function& function);
  Status ImportShardings(const program::Function& source, Function& function);
  Status ImportShardings(const program::Operation& operation, Op& op);
  Status ImportShardings(const program::Operation& operation, size_t first);
  Status ImportPlaceOfEffect(const program::Operation& operation, Op& op);
  Expected<Block*> ImportRegion(const program::Region& region);
  Status ImportOperations(std::span<const program::Operation> operations);
  Status ImportOperation(const program::Operation& operation);
  Status ImportByRow(const program::Operation& operation);
  // Values of a region cease to be visible at its end.
  void Forget(const program::Region& region);

  std::shared_ptr<const program::Module> program_;
  const NumDevices asked_;
  Module& module_;
  std::unordered_map<program::TypeRef, Type> types_;
  std::unordered_map<program::LocationRef, Location> locations_;
  std::unordered_map<std::string_view, FunctionEntry> functions_;
  ShardingReader sharding_reader_;
  // Of the current function: constraints that say how what is returned is spread.
  std::unordered_set<const Op*> result_constraints_;

  const FunctionEntry* current_function_ = nullptr;
  std::vector<Value*> values_;  // By number within the current function; null: not visible.
  Block* block_ = nullptr;
  int depth_ = 0;
  bool located_ = false;  // The error on its way out names its op already.
  const program::Operation* operation_ = nullptr;
  SmallVector<Value*, 8> operands_;
  std::vector<Type> result_types_;
  Location location_;
};

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORTER_H_
