#include "impl/cli/program.h"

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

Expected<client::CompileOptions::Override> OverrideOf(const NamedValue& option) {
  using Override = client::CompileOptions::Override;
  if (auto* text = std::get_if<std::string>(&option.value)) return Override(*text);
  if (auto* integer = std::get_if<int64_t>(&option.value)) return Override(*integer);
  if (auto* number = std::get_if<float>(&option.value)) return Override(double{*number});
  if (auto* flag = std::get_if<bool>(&option.value)) return Override(*flag);
  return InvalidArgument("the compile option ", option.name, " cannot be a list");
}

}  // namespace

Expected<ProgramSource> ReadProgram(const ProgramOptions& options, bool is_portable) {
  ProgramSource source;
  PLINTH_ASSIGN_OR_RETURN(source.code, loader::ReadFile(options.path, kMaxFile));
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
  PLINTH_ASSIGN_OR_RETURN(const client::Options named, ParseOptions(options.compile_options));
  for (const NamedValue& option : named.values()) {
    PLINTH_ASSIGN_OR_RETURN(compile.overrides[option.name], OverrideOf(option));
  }
  source.compile_options = compile.Serialize();
  return source;
}

Expected<client::LoadedExecutable> CompileProgram(const client::Client& client,
                                                  const ProgramSource& source) {
  if (source.is_serialized) return client.DeserializeAndLoad(source.code);
  return client.Compile(client::Program{source.code, source.format}, source.compile_options);
}

}  // namespace plinth::cli
