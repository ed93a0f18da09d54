// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/partition/known.h"
#include "reference_plugin/compiler/partition/rule.h"
#include "reference_plugin/compiler/partition/uses.h"
#include "reference_plugin/compiler/testing/partitioned.h"

// What the partitioner makes of programs, for tests that compare it with jaxlib's passes.
namespace plinth::compiler::partition {
namespace {

std::string Contents(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void PrintRules(Module& module) {
  ForEachOp(*module.entry->body, [](Block&, Op& op) {
    const Rule rule = RuleOf(op);
    if (!rule.empty()) std::cout << Name(op.opcode) << ' ' << ToString(rule) << '\n';
  });
}

std::string Text(const ShardingRef& sharding) {
  return sharding == nullptr ? "none" : ToString(*sharding);
}

Status PrintShardings(Module& module) {
  OpRules rules;
  PLINTH_ASSIGN_OR_RETURN(const PropagatedShardings shardings, Propagate(module, rules));
  PLINTH_RETURN_IF_ERROR(Verify(module));
  for (const Value* argument : module.entry->body->arguments) {
    std::cout << "argument " << argument->index << ' ' << Text(shardings.Of(argument)) << '\n';
  }
  for (size_t i = 0; i < shardings.results.size(); ++i) {
    std::cout << "result " << i << ' ' << Text(shardings.results[i]) << '\n';
  }
  ForEachOp(*module.entry->body, [&](Block&, Op& op) {
    for (const Value* result : op.results) {
      if (result->type.rank() == 0) continue;
      std::cout << "op " << Name(op.opcode) << ' ' << result->type.ToString() << ' '
                << Text(shardings.Of(result)) << '\n';
    }
  });
  return Status();
}

Status PrintPartitioned(std::string_view contents, const PartitionOptions& options) {
  PLINTH_ASSIGN_OR_RETURN(const testing::Partitioned partitioned,
                          testing::CheckPartitioned(contents, 0, options));
  std::cout << "agrees; fallbacks " << partitioned.report.num_fallbacks << '\n';
  return Status();
}

int Main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  if (what != "rules" && what != "propagate" && what != "run" && what != "spread") {
    std::cerr << "usage: partition_tool rules|propagate|run|spread FILE...\n";
    return 2;
  }
  // As large programs are: what these do with sums, small ones do too.
  PartitionOptions options;
  if (what == "spread") options.least_gain = 0;
  for (int i = 2; i < argc; ++i) {
    std::cout << "== " << argv[i] << '\n';
    const std::string contents = Contents(argv[i]);
    if (what == "run" || what == "spread") {
      const Status status = PrintPartitioned(contents, options);
      if (!status.ok()) std::cout << "error " << status.ToString() << '\n';
      continue;
    }
    auto module = testing::ReadInlined(std::as_bytes(std::span<const char>(contents)));
    Status status = module.status();
    if (status.ok() && what == "rules") PrintRules(**module);
    if (status.ok() && what == "propagate") status = PrintShardings(**module);
    if (!status.ok()) std::cout << "error " << status.ToString() << '\n';
  }
  return 0;
}

}  // namespace
}  // namespace plinth::compiler::partition

// partition_tool WHAT FILE...: for each program what is asked for, one line each.
int main(int argc, char** argv) { return plinth::compiler::partition::Main(argc, argv); }
