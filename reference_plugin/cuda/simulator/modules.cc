// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/simulator/modules.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "reference_plugin/cuda/simulator/kernel_words_text.h"

namespace plinth::cuda::simulator {
namespace {

// Rounded as the device does it: nothing contracted, nothing reassociated. Accesses, and those that
// are misaligned, are told to kernel_words.h, not to the sanitizers' own libraries, which are
// therefore not linked.
constexpr const char* kCompiler =
    "g++ -x c++ -std=c++20 -O1 -shared -fPIC -w -ffp-contract=off -fno-math-errno "
    "-fno-strict-aliasing -fvisibility=hidden -fsanitize=alignment -nodefaultlibs";
constexpr const char* kTellsAccesses =
    " -fsanitize=kernel-address --param asan-instrumentation-with-call-threshold=0 "
    "--param asan-stack=0 --param asan-globals=0";
constexpr const char* kLibraries = " -lstdc++ -lm -lgcc -lc";

std::string Folder() {
  const char* asked = getenv("PLINTH_SIMULATOR_CACHE");
  if (asked != nullptr && *asked != '\0') return asked;
  const char* temporary = getenv("TMPDIR");
  return std::string(temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary) +
         "/plinth_simulator_" + std::to_string(getuid());
}

// FNV-1a, twice: names of files, not secrets.
std::string Hash(const std::string& text) {
  uint64_t a = 0xcbf29ce484222325, b = 0x84222325cbf29ce4;
  for (const char c : text) {
    a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    b = (b ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    b ^= b >> 29;
  }
  char digits[33];
  snprintf(digits, sizeof(digits), "%016llx%016llx", static_cast<unsigned long long>(a),
           static_cast<unsigned long long>(b));
  return digits;
}

std::string HostText(const std::string& text) {
  std::string whole = "#define PLINTH_SIMULATED_KERNEL 1\n";
  whole += kKernelWords;
  whole += "\n#line 1 \"kernels.cu\"\n" + text + "\n#line 1 \"launchers\"\n";
  const auto add = [&whole](std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) whole += part;
  };
  const std::vector<KernelName> names = KernelNames(text);
  for (const auto& [name, most_threads] : names) {
    add({"static void launch_", name, "(void** p) { plinth_simulator::Call(&", name, ", p); }\n"});
  }
  whole +=
      "extern \"C\" __attribute__((visibility(\"default"
      "\"))) const plinth_simulator_kernel* plinth_simulator_kernels(unsigned* count) {\n"
      "  static const plinth_simulator_kernel kernels[] = {\n";
  for (const auto& [name, most_threads] : names) {
    add({"    {\"", name, "\", &launch_", name, ", plinth_simulator::Parameters(&", name,
         "), plinth_simulator::Count(&", name, "), ", std::to_string(most_threads), "},\n"});
  }
  return whole + "  };\n  *count = " + std::to_string(names.size()) + ";\n  return kernels;\n}\n";
}

bool Exists(const std::string& file) {
  struct stat found;
  return stat(file.c_str(), &found) == 0;
}

// Of two that compile the same at once, the last one stays; both are whole.
bool Compile(const std::string& compiler, const std::string& text, const std::string& library,
             std::string* error) {
  static std::atomic<int> number{0};
  const std::string own =
      library + "." + std::to_string(getpid()) + "_" + std::to_string(number.fetch_add(1));
  std::ofstream(own + ".cc") << text;
  const std::string command =
      compiler + " " + own + ".cc -o " + own + ".so" + kLibraries + " 2> " + own + ".log";
  const bool compiled = system(command.c_str()) == 0;
  if (!compiled) {
    std::ifstream log(own + ".log");
    *error = "g++ refuses the kernels (" + own +
             ".cc): " + std::string(std::istreambuf_iterator<char>(log), {});
  } else {
    rename((own + ".so").c_str(), library.c_str());
    unlink((own + ".cc").c_str());
  }
  unlink((own + ".log").c_str());
  return compiled;
}

}  // namespace

std::string MakeBinary(std::string_view architecture, std::string_view text) {
  std::string binary(kBinaryMark);
  binary += architecture;
  binary += '\n';
  binary += text;
  return binary;
}

std::vector<KernelName> KernelNames(const std::string& text) {
  constexpr std::string_view kBounds = "__launch_bounds__(";
  std::vector<KernelName> names;
  for (size_t at = text.find("__global__"); at != std::string::npos;
       at = text.find("__global__", at + 1)) {
    const size_t line_end = text.find('\n', at);
    const std::string line = text.substr(at, line_end - at);
    // The name stands before the first parenthesis that is not that of __launch_bounds__.
    size_t open = line.find('(');
    unsigned most_threads = 1024;
    if (const size_t bounds = line.find(kBounds); bounds != std::string::npos) {
      open = line.find('(', line.find(')', bounds));
      most_threads = static_cast<unsigned>(atoi(line.c_str() + bounds + kBounds.size()));
    }
    if (open == std::string::npos) continue;
    size_t begin = open;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(line[begin - 1])) != 0 ||
                         line[begin - 1] == '_')) {
      --begin;
    }
    if (begin < open) names.push_back({line.substr(begin, open - begin), most_threads});
  }
  return names;
}

const plinth_simulator_kernel* Module::Find(std::string_view name) const {
  for (unsigned k = 0; k < num_kernels; ++k) {
    if (name == kernels[k].name) return &kernels[k];
  }
  return nullptr;
}

std::shared_ptr<const Module> LoadText(const std::string& text, bool bounds, std::string* error) {
  const std::string compiler = std::string(kCompiler) + (bounds ? kTellsAccesses : "");
  const std::string whole = HostText(text);
  const std::string folder = Folder();
  mkdir(folder.c_str(), 0700);
  const std::string library = folder + "/" + Hash(compiler + whole) + ".so";
  if (!Exists(library) && !Compile(compiler, whole, library, error)) return nullptr;
  // A text loaded twice is one library, as kernels keep nothing between launches.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    *error = dlerror();
    return nullptr;
  }
  auto module = std::make_shared<Module>();
  module->state = static_cast<plinth_simulator_state*>(dlsym(handle, "plinth_simulator_here"));
  auto* kernels = reinterpret_cast<const plinth_simulator_kernel* (*)(unsigned*)>(
      dlsym(handle, "plinth_simulator_kernels"));
  if (module->state == nullptr || kernels == nullptr) {
    *error = library + " has no kernels";
    return nullptr;
  }
  module->kernels = kernels(&module->num_kernels);
  return module;
}

}  // namespace plinth::cuda::simulator
