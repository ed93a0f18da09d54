// SPDX-License-Identifier: Apache-2.0
// Where libplinth begins when it is run as a program: the child of a probe. See Probe().

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "impl/loader/probe.h"

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], plinth::loader::kProbeArgument) == 0) {
    plinth::loader::RunProbeChild(plinth::loader::kProbeRequestFile,
                                  plinth::loader::kProbeResultFile);
    // What the plugin registered for the end of the process is not what is probed.
    _exit(0);
  }
  puts("libplinth " PLINTH_VERSION ": a library that finds, adapts and watches PJRT plugins.");
  return 0;
}
