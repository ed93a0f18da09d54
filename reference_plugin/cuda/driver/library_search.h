// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_LIBRARY_SEARCH_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_LIBRARY_SEARCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::cuda {

// A library that may be on this machine.
struct LibraryName {
  std::string title;                  // "the CUDA driver"
  std::vector<std::string> files;     // SONAMEs, newest first
  std::vector<std::string> wheels;    // folders below site-packages: "nvidia/cu13/lib"
  std::vector<std::string> toolkits;  // further folders: "/usr/local/cuda/lib64"
  std::string remedy;                 // what to do where there is none; a sentence
};

// A library of NVIDIA's toolkit, which wheels bring too.
struct ToolkitLibrary {
  std::string_view name;   // "NVRTC"
  std::string_view does;   // "which compiles the kernels of programs"
  std::string_view file;   // "libnvrtc.so"
  std::string_view wheel;  // "nvidia-cuda-nvrtc"
};

// That library of each major version of the toolkit that a driver for `driver_version` (1000 *
// major + 10 * minor; 0: no driver, any version) runs the work of. What version 13 compiles or
// launches is none of a driver's for CUDA 12.
LibraryName NameFor(const ToolkitLibrary& library, int driver_version);

// Where libraries may be, besides where the system looks.
struct LibraryPlaces {
  std::vector<std::string> asked;  // folders that come before all, also for the driver
  std::vector<std::string> sites;  // site-packages of the plugin and of the environment

  // `library_path`: the option, folders with colons between them; empty: the environment variable
  // PLINTH_CUDA_LIBRARY_PATH. INVALID_ARGUMENT for a folder that does not exist.
  static Expected<LibraryPlaces> OfThisProcess(std::string_view library_path);
};

struct OpenLibrary {
  void* handle = nullptr;  // of dlopen; kept for the life of the process
  std::string path;        // as the system names it
};

// In this order: the folders asked for, wheels, what this process has loaded, where the system
// looks, toolkits. UNAVAILABLE lists every place with what was wrong there.
Expected<OpenLibrary> Open(const LibraryName& library, const LibraryPlaces& places);

// Finds the functions of a library by their names.
class FunctionFinder {
 public:
  // Both outlive it.
  FunctionFinder(const OpenLibrary& opened, const LibraryName& library)
      : opened_(opened), library_(library) {}

  template <typename Function>
  void operator()(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(Address(name));
  }
  // UNAVAILABLE lists those that the library lacks.
  Status status() const;

 private:
  void* Address(const char* name);

  const OpenLibrary& opened_;
  const LibraryName& library_;
  std::string missing_;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_LIBRARY_SEARCH_H_
