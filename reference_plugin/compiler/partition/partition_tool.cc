// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/partition/propagate.h"
#include "reference_plugin/compiler/partition/rule.h"
#include "reference_plugin/compiler/partition/uses.h"
#include "reference_plugin/compiler/passes/inline.h"
#include "reference_plugin/program/program.h"

// What the partitioner makes of programs, for tests that compare it with jaxlib's passes.
namespace plinth::compiler::partition {
namespace {

Expected<std::unique_ptr<Module>> Read(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::string contents(std::istreambuf_iterator<char>(in), {});
  PLINTH_ASSIGN_OR_RETURN(program::Module source,
                          program::Read(std::as_bytes(std::span<const char>(contents))));
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, importer::Import(std::move(source)));
  PLINTH_RETURN_IF_ERROR(passes::Inline(*module));
  return module;
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
  const PropagatedShardings shardings = Propagate(module);
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

int Main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  if (what != "rules" && what != "propagate") {
    std::cerr << "usage: partition_tool rules|propagate FILE...\n";
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    std::cout << "== " << argv[i] << '\n';
    auto module = Read(argv[i]);
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
