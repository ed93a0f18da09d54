// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/ssh_signature.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "conformance/runner/files.h"
#include "plinth/support/str_cat.h"
#include "plinth/support/text.h"

namespace plinth::conformance {
namespace {

constexpr char kNamespace[] = "plinth-conformance";

// A folder of our own that goes with its contents.
class ScratchFolder {
 public:
  ScratchFolder() {
    const char* base = std::getenv("TMPDIR");
    path_ = StrCat(base == nullptr || *base == '\0' ? "/tmp" : base, "/plinth-conformance.XXXXXX");
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~ScratchFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  bool ok() const { return !path_.empty(); }
  std::string File(std::string_view name) const { return StrCat(path_, "/", name); }

 private:
  std::string path_;
};

// Runs ssh-keygen with a file as its standard input; what it wrote, if it ended with 0.
Expected<std::string> RunSshKeygen(const ScratchFolder& folder, std::vector<std::string> arguments,
                                   const std::string& input) {
  const std::string output = folder.File("output");
  arguments.insert(arguments.begin(), "ssh-keygen");
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t pid = fork();
  if (pid < 0) return Internal("cannot start ssh-keygen");
  if (pid == 0) {
    int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int in = open(input.empty() ? "/dev/null" : input.c_str(), O_RDONLY);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return FailedPrecondition("ssh-keygen is not there: install OpenSSH's client");
  }
  PLINTH_ASSIGN_OR_RETURN(std::string text, ReadFile(output));
  text = Trim(text);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return InvalidArgument("ssh-keygen says: ", text);
  }
  return text;
}

}  // namespace

Expected<std::string> SshSign(const std::string& text, const std::string& key) {
  ScratchFolder folder;
  if (!folder.ok()) return Internal("cannot make a folder for ssh-keygen");
  const std::string file = folder.File("signed");
  PLINTH_RETURN_IF_ERROR(WriteFile(file, text));
  Expected<std::string> said =
      RunSshKeygen(folder, {"-Y", "sign", "-f", key, "-n", kNamespace, file}, "");
  if (!said.ok()) return said.status();
  return ReadFile(file + ".sig");
}

Expected<std::string> SshSigner(const std::string& text, const std::string& signature,
                                const std::string& allowed_signers) {
  ScratchFolder folder;
  if (!folder.ok()) return Internal("cannot make a folder for ssh-keygen");
  const std::string file = folder.File("signed"), sig = folder.File("signed.sig");
  PLINTH_RETURN_IF_ERROR(WriteFile(file, text));
  PLINTH_RETURN_IF_ERROR(WriteFile(sig, signature));
  if (allowed_signers.empty()) {
    PLINTH_ASSIGN_OR_RETURN(
        std::string said,
        RunSshKeygen(folder, {"-Y", "check-novalidate", "-n", kNamespace, "-s", sig}, file));
    // Good "plinth-conformance" signature with ED25519 key SHA256:...
    size_t with = said.rfind(" with ");
    return with == std::string::npos ? said : said.substr(with + 6);
  }
  PLINTH_ASSIGN_OR_RETURN(
      const std::string names,
      RunSshKeygen(folder, {"-Y", "find-principals", "-s", sig, "-f", allowed_signers}, ""));
  const std::string name(names.begin(), std::find(names.begin(), names.end(), '\n'));
  Expected<std::string> said = RunSshKeygen(
      folder, {"-Y", "verify", "-f", allowed_signers, "-I", name, "-n", kNamespace, "-s", sig},
      file);
  if (!said.ok()) return said.status();
  return name;
}

}  // namespace plinth::conformance
