// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "impl/cli/commands.h"
#include "impl/loader/files.h"
#include "plinth/support/str_cat.h"

namespace plinth::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostFileBytes = 1 << 20;
constexpr size_t kLongestName = 64;

// What Python, C++ and JAX use already.
constexpr std::string_view kTaken[] = {
    "and",    "as",    "asm",     "assert", "async",  "auto",    "await",     "break",   "case",
    "class",  "const", "cpu",     "cuda",   "def",    "del",     "default",   "do",      "double",
    "elif",   "else",  "enum",    "except", "extern", "finally", "float",     "for",     "from",
    "global", "goto",  "gpu",     "if",     "import", "in",      "int",       "is",      "jax",
    "lambda", "long",  "metal",   "new",    "not",    "or",      "pass",      "plinth",  "raise",
    "return", "rocm",  "short",   "sizeof", "static", "struct",  "switch",    "test",    "this",
    "throw",  "tpu",   "try",     "union",  "using",  "void",    "volatile",  "while",   "with",
    "yield",  "sdk",   "program", "client", "jaxlib", "main",    "namespace", "nonlocal"};

Status CheckName(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool fits =
      !name.empty() && name.size() <= kLongestName && is_letter(name[0]) &&
      std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  if (!fits) {
    return InvalidArgument("\"", name.substr(0, 2 * kLongestName),
                           "\" cannot name a plugin: it becomes the name of a platform of JAX, a "
                           "Python package and C++ classes, so up to ",
                           kLongestName, " of a-z, 0-9 and _, beginning with a letter");
  }
  if (std::ranges::find(kTaken, name) != std::end(kTaken)) {
    return InvalidArgument("\"", name, "\" cannot name a plugin: Python, C++ or JAX use the word");
  }
  return Status();
}

// "my_npu" as "MyNpu".
std::string ClassName(std::string_view name) {
  std::string result;
  bool begins = true;
  for (const char c : name) {
    if (c == '_') {
      begins = true;
      continue;
    }
    result += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  return result;
}

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The template is a project of its own, with names that are nowhere else.
std::string Renamed(std::string text, std::string_view name) {
  std::string with_dashes(name);
  std::ranges::replace(with_dashes, '_', '-');
  const std::string class_name = ClassName(name);
  Replace(text, "pjrt_plugin_template", StrCat("pjrt_", name));
  Replace(text, "plinth_template", name);
  Replace(text, "jax-plinth-template", StrCat("jax-", with_dashes));
  Replace(text, "the template", StrCat("the ", name, " plugin"));
  Replace(text, "\"template\"", StrCat("\"", name, "\""));
  for (const std::string_view part : {"Plugin", "Client", "Buffer", "Executable", "Device"}) {
    Replace(text, StrCat("Template", part), StrCat(class_name, part));
  }
  return text;
}

// share/plinth/template beside the folder of this command.
Expected<fs::path> TemplateFolder(const std::string& chosen) {
  if (!chosen.empty()) return fs::path(chosen);
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = command.parent_path().parent_path() / "share" / "plinth" / "template";
  if (fs::is_regular_file(folder / "plugin.cc", error)) return folder;
  return NotFound("there is no template in ", folder.string(),
                  ": it comes with the component sdk (cmake --install <build of Plinth> "
                  "--component sdk) and with Plinth's tar.gz, not with the wheel");
}

struct File {
  fs::path path;  // in the project
  std::string text;
};

// The files of the template, those of the stage in place of others of their names.
Expected<std::vector<File>> ReadTemplate(const fs::path& folder, int stage, std::string_view name) {
  std::vector<File> files;
  const auto read = [&](const fs::path& root, bool is_stage) -> Status {
    std::error_code error;
    for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
         at.increment(error)) {
      const fs::path relative = at->path().lexically_relative(root);
      const std::string first = relative.begin()->string();
      if (!is_stage && first.starts_with("stage")) {
        at.disable_recursion_pending();
        continue;
      }
      if (!at->is_regular_file(error) || relative.extension() == ".sh") continue;
      const Expected<std::string> text = loader::ReadFile(at->path().string(), kMostFileBytes);
      if (!text.ok()) return text.status();
      File file{Renamed(relative.string(), name), Renamed(*text, name)};
      const auto same =
          std::ranges::find_if(files, [&](const File& f) { return f.path == file.path; });
      if (same == files.end()) {
        files.push_back(std::move(file));
      } else {
        *same = std::move(file);
      }
    }
    if (error) return NotFound(root.string(), ": ", error.message());
    return Status();
  };
  PLINTH_RETURN_IF_ERROR(read(folder, false));
  if (stage > 1) PLINTH_RETURN_IF_ERROR(read(folder / StrCat("stage", stage), true));
  std::ranges::sort(files, {}, &File::path);
  return files;
}

Status Write(const fs::path& project, const std::vector<File>& files) {
  for (const File& file : files) {
    const fs::path path = project / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << file.text;
    stream.close();
    if (error || !stream) return InvalidArgument(path.string(), ": cannot be written");
  }
  return Status();
}

}  // namespace

int New(const NewOptions& options, Output& output) {
  const Status name = CheckName(options.name);
  if (!name.ok()) return output.Fail(name, kUsage);
  const fs::path project = options.folder.empty() ? options.name : options.folder;
  std::error_code error;
  if (fs::exists(fs::symlink_status(project, error))) {
    return output.Fail(InvalidArgument(project.string(), " exists already"), kUsage);
  }
  const Expected<fs::path> folder = TemplateFolder(options.template_folder);
  if (!folder.ok()) return output.Fail(folder.status(), kFailed);
  const auto files = ReadTemplate(*folder, options.stage, options.name);
  if (!files.ok()) return output.Fail(files.status(), kFailed);
  const Status written = Write(project, *files);
  if (!written.ok()) return output.Fail(written, kUsage);
  Json::Array names;
  for (const File& file : *files) names.push_back(file.path.string());
  output.json()["files"] = std::move(names);
  output.Field("folder", "made", project.string());
  const std::string prefix = fs::weakly_canonical(*folder / ".." / ".." / "..", error).string();
  output.Line("next: cmake -S ", project.string(), " -B ", (project / "build").string(),
              " -DCMAKE_PREFIX_PATH=", prefix, " && cmake --build ", (project / "build").string());
  return kDone;
}

}  // namespace plinth::cli
