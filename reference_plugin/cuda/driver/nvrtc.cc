// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/driver/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plinth::cuda {
namespace {

constexpr ToolkitLibrary kNvrtc = {
    .name = "NVRTC",
    .does = "which compiles the kernels of programs",
    .file = "libnvrtc.so",
    .wheel = "nvidia-cuda-nvrtc",
};

// The oldest that is known to compile what is printed: that of CUDA 12.4.
constexpr int kOldestNvrtc = 12040;

// NVRTC opens its second library by name when it first compiles, which finds none of a wheel: that
// is beside it and on no path. Once it is open, the name is enough. Where it is elsewhere, NVRTC
// has to find it.
void OpenBuiltins(const std::string& nvrtc, int major, int minor) {
  const size_t slash = nvrtc.rfind('/');
  if (slash == std::string::npos) return;
  const std::string path =
      StrCat(nvrtc.substr(0, slash), "/libnvrtc-builtins.so.", major, ".", minor);
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// The lines of the text at the first place that the log names, "kernels.cu(12)", or nothing.
std::string PlaceOf(std::string_view log, std::string_view text) {
  constexpr std::string_view kFile = "kernels.cu(";
  constexpr int64_t kAround = 3;
  const size_t at = log.find(kFile);
  if (at == std::string_view::npos) return "";
  int64_t wanted = 0;
  for (size_t i = at + kFile.size(); i < log.size() && log[i] >= '0' && log[i] <= '9'; ++i) {
    wanted = 10 * wanted + (log[i] - '0');
    if (wanted > INT32_MAX) return "";
  }
  std::string lines;
  for (int64_t line = 1; !text.empty() && line <= wanted + kAround; ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (line >= wanted - kAround) lines += StrCat("\n", line, ": ", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Expected<std::shared_ptr<const Nvrtc>> Nvrtc::Open(const LibraryPlaces& places,
                                                   int driver_version) {
  const LibraryName name = NameFor(kNvrtc, driver_version);
  PLINTH_ASSIGN_OR_RETURN(const OpenLibrary library, cuda::Open(name, places));
  std::shared_ptr<Nvrtc> nvrtc(new Nvrtc());
  nvrtc->path_ = library.path;
  FunctionFinder find(library, name);
#define PLINTH_NVRTC_FUNCTION(name, since, parameters) find(#name, nvrtc->functions_.name);
#include "reference_plugin/cuda/driver/nvrtc_functions.inc"
  find("nvrtcGetErrorString", nvrtc->functions_.nvrtcGetErrorString);
  PLINTH_RETURN_IF_ERROR(find.status());
  int major = 0, minor = 0;
  if (nvrtc->functions_.nvrtcVersion(&major, &minor) != 0) major = 0;
  nvrtc->version_ = 1000 * major + 10 * minor;
  if (nvrtc->version_ < kOldestNvrtc) {
    return Status(StatusCode::kUnavailable, StrCat(library.path, " is NVRTC ", major, ".", minor,
                                                   "; 12.4 or newer is needed. ", name.remedy));
  }
  OpenBuiltins(library.path, major, minor);
  return std::shared_ptr<const Nvrtc>(std::move(nvrtc));
}

Expected<std::string> Nvrtc::Compile(const std::string& text,
                                     std::span<const std::string> options) const {
  nvrtcProgram program = nullptr;
  auto check = [&](nvrtcResult result, const char* what) -> Status {
    if (result == 0) return Status();
    const char* words = functions_.nvrtcGetErrorString(result);
    return Internal(what, ": ", words == nullptr ? "unknown error" : words, " (", result, ")");
  };
  PLINTH_RETURN_IF_ERROR(check(
      functions_.nvrtcCreateProgram(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr),
      "nvrtcCreateProgram"));
  const auto destroy = [this](nvrtcProgram* made) { functions_.nvrtcDestroyProgram(made); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  const Status compiled = check(
      functions_.nvrtcCompileProgram(program, static_cast<int>(arguments.size()), arguments.data()),
      "nvrtcCompileProgram");
  size_t size = 0;
  if (!compiled.ok()) {
    std::string log;
    if (functions_.nvrtcGetProgramLogSize(program, &size) == 0 && size > 1) {
      log.resize(size);
      if (functions_.nvrtcGetProgramLog(program, log.data()) != 0) log.clear();
      log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    }
    return Internal(compiled.message(), "; NVRTC ", path_, " says:\n", log, PlaceOf(log, text));
  }
  PLINTH_RETURN_IF_ERROR(check(functions_.nvrtcGetCUBINSize(program, &size), "nvrtcGetCUBINSize"));
  std::string binary(size, '\0');
  PLINTH_RETURN_IF_ERROR(check(functions_.nvrtcGetCUBIN(program, binary.data()), "nvrtcGetCUBIN"));
  return binary;
}

}  // namespace plinth::cuda
