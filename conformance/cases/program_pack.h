// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_PROGRAM_PACK_H_
#define PLINTH_CONFORMANCE_CASES_PROGRAM_PACK_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/cases/tolerance.h"
#include "conformance/runner/context.h"

namespace plinth::conformance {

// A result that a program has to give; see conformance/programs/packs/program.py.
struct ExpectedResult {
  HostArray value;
  Tolerance tolerance;
  // One byte for each element, or empty: elements that are not asked for, and those that a plugin
  // may get wrong that flushes subnormal numbers.
  std::vector<bool> not_asked, flushed;
};

// A program with arguments and results computed by others than a plugin.
struct PackedProgram {
  std::string text;     // StableHLO, for people
  std::string options;  // CompileOptionsProto; empty: of one device
  // Arguments and results of several follow one another. Without results it is not run.
  int devices = 1;
  std::vector<std::pair<std::string, std::string>> artifacts;  // "1.13" -> bytecode
  std::vector<HostArray> arguments;
  std::vector<ExpectedResult> results;
};

// One file of programs, part of this program. What it holds is known at once, the programs
// themselves are unpacked when the first of them is needed.
class ProgramPack {
 public:
  struct Entry {
    std::string name;          // "f32/scalar"
    std::vector<DType> types;  // that a plugin has to have
  };

  // `bytes` outlive it.
  static Expected<ProgramPack> Read(std::string_view bytes);

  const std::vector<Entry>& entries() const { return entries_; }
  Expected<const PackedProgram*> Program(size_t index);

 private:
  std::string_view packed_;
  std::vector<Entry> entries_;
  std::optional<std::vector<PackedProgram>> programs_;
};

// The files of a folder of conformance/programs that are part of this program: ("add", bytes).
struct EmbeddedFile {
  std::string_view folder, name, bytes;
};
std::span<const EmbeddedFile> EmbeddedFiles();
// The packs of a folder by name, each unpacked once.
std::map<std::string_view, ProgramPack>& PacksOf(std::string_view folder);
// A program of them; null, with a finding, where there is none.
const PackedProgram* ProgramOf(Context& context, std::string_view folder, std::string_view pack,
                               std::string_view name);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_PROGRAM_PACK_H_
