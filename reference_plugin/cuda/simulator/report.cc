// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/simulator/report.h"

#include <stdio.h>

#include <mutex>

namespace plinth::cuda::simulator {
namespace {

struct Sink {
  std::mutex mutex;
  std::string file;
};

// Never destroyed: streams may still run when the process exits.
Sink& TheSink() {
  static Sink& sink = *new Sink();
  return sink;
}

}  // namespace

void ReportTo(const std::string& file) {
  const std::lock_guard lock(TheSink().mutex);
  TheSink().file = file;
}

void Report(const std::string& line) {
  const std::lock_guard lock(TheSink().mutex);
  FILE* file = TheSink().file.empty() ? nullptr : fopen(TheSink().file.c_str(), "a");
  fprintf(file == nullptr ? stderr : file, "simulator: %s\n", line.c_str());
  if (file != nullptr) fclose(file);
}

}  // namespace plinth::cuda::simulator
