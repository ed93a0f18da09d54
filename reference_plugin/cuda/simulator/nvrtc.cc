// SPDX-License-Identifier: Apache-2.0
// libnvrtc.so.13 of the simulator: keeps the text, which the driver compiles.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "reference_plugin/cuda/simulator/modules.h"

#define PLINTH_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kInvalidInput = 3, kInvalidOption = 5, kCompilation = 6;

struct Program {
  std::string text, log, binary;
};

}  // namespace

PLINTH_EXPORT const char* nvrtcGetErrorString(int result) {
  switch (result) {
    case 0:
      return "NVRTC_SUCCESS";
    case kInvalidInput:
      return "NVRTC_ERROR_INVALID_INPUT";
    case kInvalidOption:
      return "NVRTC_ERROR_INVALID_OPTION";
    case kCompilation:
      return "NVRTC_ERROR_COMPILATION";
    default:
      return "NVRTC_ERROR_INTERNAL_ERROR";
  }
}

PLINTH_EXPORT int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}

PLINTH_EXPORT int nvrtcCreateProgram(Program** program, const char* text, const char*, int,
                                     const char* const*, const char* const*) {
  if (text == nullptr) return kInvalidInput;
  *program = new Program{text, "", ""};
  return 0;
}

PLINTH_EXPORT int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}

PLINTH_EXPORT int nvrtcCompileProgram(Program* program, int num_options,
                                      const char* const* options) {
  std::string_view architecture;
  for (int o = 0; o < num_options; ++o) {
    const std::string_view option = options[o];
    const size_t at = option.find("=sm_");
    if (at != std::string_view::npos) architecture = option.substr(at + 1);
  }
  if (architecture.empty()) {
    program->log = "no option names an architecture as sm_NN";
    return kInvalidOption;
  }
  if (program->text.find("#include") != std::string::npos) {
    const auto line = 1 + std::count(program->text.begin(),
                                     program->text.begin() +
                                         static_cast<ptrdiff_t>(program->text.find("#include")),
                                     '\n');
    program->log = "kernels.cu(" + std::to_string(line) + "): there are no headers to include\n";
    return kCompilation;
  }
  program->binary = plinth::cuda::simulator::MakeBinary(architecture, program->text);
  return 0;
}

PLINTH_EXPORT int nvrtcGetProgramLogSize(Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}
PLINTH_EXPORT int nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return 0;
}
PLINTH_EXPORT int nvrtcGetCUBINSize(Program* program, size_t* size) {
  *size = program->binary.size() + 1;  // ends in a zero: the driver gets no size
  return 0;
}
PLINTH_EXPORT int nvrtcGetCUBIN(Program* program, char* binary) {
  std::memcpy(binary, program->binary.c_str(), program->binary.size() + 1);
  return 0;
}
