// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/manifest.h"

#include <fstream>

#include "impl/cli/commands.h"
#include "impl/cli/probe_report.h"
#include "impl/loader/files.h"

namespace plinth::cli {

int ManifestCheck(const ManifestCheckOptions& options, Output& output) {
  const Expected<std::string> text = loader::ReadFile(options.path, loader::kMaxManifestSize);
  if (!text.ok()) return output.Fail(text.status(), kUsage);
  const std::string folder = loader::FolderOf(options.path);
  const Expected<loader::Manifest> manifest = loader::ParseManifest(*text, folder);
  if (!manifest.ok()) {
    return output.Fail(manifest.status().WithContext(options.path), kUsage);
  }
  output.Field("name", "name", manifest->name);
  output.Field("library", "library", manifest->library);
  if (!manifest->create_options_json.empty()) {
    output.Field("create_options", "create options", manifest->create_options_json);
  }
  for (const std::string& warning : manifest->warnings) output.Line("warning: ", warning);
  output.json()["warnings"] = Json::Array(manifest->warnings.begin(), manifest->warnings.end());
  const Status is_there = loader::CheckRegularFile(manifest->library);
  if (!is_there.ok()) return output.Fail(is_there.WithContext("the library"), kFailed);
  return kDone;
}

int ManifestMake(const ManifestMakeOptions& options, Output& output) {
  if (!loader::IsPluginName(options.name)) {
    return output.Fail(InvalidArgument("\"", options.name,
                                       "\" cannot name a plugin: up to 100 letters, digits, _ - "
                                       "and ., not beginning with a ."),
                       kUsage);
  }
  const Expected<client::Options> create = ParseOptions(options.create_options);
  if (!create.ok()) return output.Fail(create.status(), kUsage);
  Json::Object manifest{
      {"manifest_version", "1.0"}, {"name", options.name}, {"library", options.library}};
  if (!options.description.empty()) manifest["description"] = options.description;
  if (!create->empty()) manifest["create_options"] = NamedValuesJson(create->values());
  const std::string text = Json(manifest).ToIndentedString() + "\n";
  const std::string folder =
      options.output_path.empty() ? std::string(".") : loader::FolderOf(options.output_path);
  // What is written can be read.
  const Expected<loader::Manifest> read = loader::ParseManifest(text, folder);
  if (!read.ok()) return output.Fail(read.status(), kUsage);
  const Status is_there = loader::CheckRegularFile(read->library);
  if (!is_there.ok()) return output.Fail(is_there.WithContext("the library"), kUsage);
  output.json()["manifest"] = std::move(manifest);
  if (options.output_path.empty()) {
    output.Line(std::string_view(text).substr(0, text.size() - 1));
    return kDone;
  }
  std::ofstream file(options.output_path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) {
    return output.Fail(InvalidArgument(options.output_path, ": cannot be written"), kUsage);
  }
  output.Field("file", "written", options.output_path);
  return kDone;
}

}  // namespace plinth::cli
