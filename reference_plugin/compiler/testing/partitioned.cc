// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/partitioned.h"

#include <cmath>

#include "plinth/program/program.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/ir/op_sharding.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/partition/layout.h"
#include "reference_plugin/compiler/passes/inline.h"
#include "reference_plugin/compiler/testing/lanes.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::testing {
namespace {

// Small integers, the same for the same argument.
Numbers ArgumentNumbers(const Type& type, uint32_t seed) {
  Numbers numbers;
  uint32_t state = seed * 2654435761u + 12345;
  for (int64_t i = 0; i < type.NumElements(); ++i) {
    state = state * 1664525u + 1013904223u;
    numbers.push_back(type.dtype == DType::kPred ? (state >> 20) % 2
                                                 : static_cast<double>((state >> 20) % 5) - 2);
  }
  return numbers;
}

// Which part of an array each device has, as a client is told.
Expected<partition::Layout> LayoutOfWritten(const std::string& written, const Type& type,
                                            int64_t num_devices) {
  PLINTH_ASSIGN_OR_RETURN(const program::OpSharding sharding,
                          program::ReadOpSharding(std::as_bytes(std::span(written))));
  PLINTH_ASSIGN_OR_RETURN(const ShardingRef read,
                          FromOpSharding(sharding, type, FlatMesh(num_devices)));
  return partition::LayoutOf(read.get(), type);
}

Numbers PartOf(const Numbers& whole, const Type& type, const partition::Layout& layout,
               int64_t part) {
  std::vector<int64_t> starts(type.dims.size(), 0), index(type.dims.size(), 0);
  const Type local = partition::LocalType(type, layout);
  for (size_t dim = type.dims.size(); dim-- > 0;) {
    const int64_t parts = type.dims[dim] / std::max<int64_t>(1, local.dims[dim]);
    if (parts == 0) continue;
    starts[dim] = part % parts * local.dims[dim];
    part /= parts;
  }
  Numbers numbers;
  for (int64_t i = 0; i < local.NumElements(); ++i) {
    int64_t flat = 0, rest = i;
    for (size_t dim = index.size(); dim-- > 0;) {
      index[dim] = rest % local.dims[dim];
      rest /= local.dims[dim];
    }
    for (size_t dim = 0; dim < index.size(); ++dim) {
      flat = flat * type.dims[dim] + starts[dim] + index[dim];
    }
    numbers.push_back(whole[static_cast<size_t>(flat)]);
  }
  return numbers;
}

bool IsNear(const Numbers& a, const Numbers& b, double tolerance) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (!(std::abs(a[i] - b[i]) <= tolerance * std::max(1.0, std::abs(b[i])))) return false;
  }
  return true;
}

int CountIn(const Block& block, Opcode opcode) {
  int count = 0;
  for (const Op* op : block.ops) {
    count += op->opcode == opcode;
    for (const Block* inner : op->blocks) count += CountIn(*inner, opcode);
  }
  return count;
}

}  // namespace

Expected<std::unique_ptr<Module>> ReadInlined(std::span<const std::byte> program) {
  PLINTH_ASSIGN_OR_RETURN(program::Module source, program::Read(program));
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, importer::Import(std::move(source)));
  PLINTH_RETURN_IF_ERROR(passes::Inline(*module));
  return module;
}

Expected<partition::PartitionReport> Partition(Module& module,
                                               const partition::PartitionOptions& options) {
  return partition::Partition(module, kPlainTarget.collectives, options);
}

Expected<Partitioned> CheckPartitioned(std::span<const std::byte> program, double tolerance,
                                       const partition::PartitionOptions& options) {
  PLINTH_ASSIGN_OR_RETURN(const std::unique_ptr<Module> whole, ReadInlined(program));
  Partitioned made;
  PLINTH_ASSIGN_OR_RETURN(made.module, ReadInlined(program));
  PLINTH_ASSIGN_OR_RETURN(made.report, Partition(*made.module, options));
  PLINTH_RETURN_IF_ERROR(Verify(*made.module).WithContext(ToString(*made.module)));
  const int64_t devices = whole->num_partitions;

  const Block& body = *whole->entry->body;
  std::vector<std::vector<Numbers>> one(1), many(static_cast<size_t>(devices));
  for (size_t i = 0; i < body.arguments.size(); ++i) {
    const Type& type = body.arguments[i]->type;
    one[0].push_back(ArgumentNumbers(type, static_cast<uint32_t>(i)));
    PLINTH_ASSIGN_OR_RETURN(const partition::Layout layout,
                            LayoutOfWritten(made.module->parameter_shardings[i], type, devices));
    const std::vector<int64_t> parts = partition::PartsOf(layout, devices);
    for (size_t device = 0; device < many.size(); ++device) {
      many[device].push_back(PartOf(one[0].back(), type, layout, parts[device]));
    }
  }
  PLINTH_ASSIGN_OR_RETURN(const auto expected, RunLanes(*whole, one));
  auto results = RunLanes(*made.module, many);
  if (!results.ok()) return results.status().WithContext(ToString(*made.module));
  for (size_t i = 0; i < expected[0].size(); ++i) {
    const Type& type = body.terminator()->operands[i]->type;
    PLINTH_ASSIGN_OR_RETURN(const partition::Layout layout,
                            LayoutOfWritten(made.module->output_shardings[i], type, devices));
    const std::vector<int64_t> parts = partition::PartsOf(layout, devices);
    for (size_t device = 0; device < many.size(); ++device) {
      if (IsNear((*results)[device][i], PartOf(expected[0][i], type, layout, parts[device]),
                 tolerance)) {
        continue;
      }
      return Internal("result ", i, " differs on device ", device, "\n", ToString(*made.module));
    }
  }
  return made;
}

int Count(const Module& module, Opcode opcode) { return CountIn(*module.entry->body, opcode); }

}  // namespace plinth::compiler::testing
