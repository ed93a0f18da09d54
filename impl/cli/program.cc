// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/program.h"

#include "impl/cli/stdin_file.h"
#include "impl/loader/files.h"

namespace plinth::cli {
namespace {

constexpr size_t kMaxFile = size_t{4} << 30;

// HLO protos have no magic number; MLIR is either bytecode, which has one, or text.
std::string FormatOf(const ProgramOptions& options) {
  const auto ends_with = [&](std::string_view end) {
    return options.path.size() >= end.size() &&
           std::string_view(options.path).substr(options.path.size() - end.size()) == end;
  };
  if (!options.format.empty()) return options.format;
  return ends_with(".pb") || ends_with(".hlo") ? "hlo" : "mlir";
}

}  // namespace

Expected<ProgramSource> ReadProgram(const ProgramOptions& options, bool is_portable) {
  ProgramSource source;
  PLINTH_ASSIGN_OR_RETURN(const std::string path, FilePath(options.path));
  PLINTH_ASSIGN_OR_RETURN(source.code, loader::ReadFile(path, kMaxFile));
  if (source.code.empty()) return InvalidArgument(options.path, ": the file is empty");
  source.format = FormatOf(options);
  source.is_serialized = options.is_serialized;
  if (!options.options_file.empty()) {
    PLINTH_ASSIGN_OR_RETURN(source.compile_options,
                            loader::ReadFile(options.options_file, kMaxFile));
    return source;
  }
  client::CompileOptions compile;
  compile.num_replicas = options.num_replicas;
  compile.portable = is_portable;
  for (const std::string& text : options.compile_options) {
    PLINTH_RETURN_IF_ERROR(compile.ParseOverride(text));
  }
  source.compile_options = compile.Serialize();
  return source;
}

std::string SignatureOf(const ProgramSource& source) {
  constexpr std::string_view kMain = "@main(", kTensor = "tensor<";
  if (source.is_serialized || source.format != "mlir" || source.code.starts_with("ML\xefR"))
    return {};
  const size_t main = source.code.find(kMain);
  if (main == std::string::npos) return {};
  std::string types;
  int depth = 1;
  for (size_t at = main + kMain.size(); at < source.code.size() && depth > 0; ++at) {
    const char c = source.code[at];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (source.code.compare(at, kTensor.size(), kTensor) != 0) continue;
    size_t end = at + kTensor.size();
    for (int inner = 1; end < source.code.size() && inner > 0; ++end) {
      inner += source.code[end] == '<' ? 1 : source.code[end] == '>' ? -1 : 0;
    }
    types += StrCat(types.empty() ? "" : ", ", source.code.substr(at, end - at));
    at = end - 1;
  }
  return StrCat("(", types, ")");
}

Expected<client::LoadedExecutable> CompileProgram(const client::Client& client,
                                                  const ProgramSource& source) {
  if (source.is_serialized) return client.DeserializeAndLoad(source.code);
  return client.Compile(client::Program{source.code, source.format}, source.compile_options);
}

}  // namespace plinth::cli
