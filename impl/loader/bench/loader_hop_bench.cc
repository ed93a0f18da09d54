// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "impl/loader/open.h"
#include "impl/loader/thunks.h"

namespace {

constexpr int kCalls = 200000;
constexpr int kRounds = 50;

double ThreadNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Nanoseconds of one call: the fastest of several rounds, of this thread's own time.
template <typename Body>
double Time(Body body) {
  double fastest = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    double start = ThreadNanoseconds();
    for (int i = 0; i < kCalls; ++i) body();
    fastest = std::min(fastest, (ThreadNanoseconds() - start) / kCalls);
  }
  return fastest;
}

template <typename Call>
void Compare(const char* what, const PJRT_Api* own, const PJRT_Api* chain, Call call) {
  double direct = Time([&] { call(own); });
  double through = Time([&] { call(chain); });
  std::printf("%-52s own %6.2f ns, loader %6.2f ns, hop %6.2f ns\n", what, direct, through,
              through - direct);
}

}  // namespace

int main() {
  void* library = dlopen(PLINTH_BENCH_PLUGIN, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return 1;
  auto get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  const PJRT_Api* own = get();
  plinth::loader::OpenOptions options;
  options.path = PLINTH_BENCH_PLUGIN;
  plinth::Expected<const PJRT_Api*> chain = plinth::loader::OpenPlugin(options);
  if (!chain.ok()) {
    std::printf("%s\n", chain.status().ToString().c_str());
    return 1;
  }

  PJRT_Client_PlatformName_Args name{};
  name.struct_size = PJRT_Client_PlatformName_Args_STRUCT_SIZE;
  Compare("same size, nothing nested", own, *chain,
          [&](const PJRT_Api* api) { api->PJRT_Client_PlatformName(&name); });
  PJRT_Client_BufferFromHostBuffer_Args buffer{};
  buffer.struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE;
  Compare("same size, enums checked", own, *chain,
          [&](const PJRT_Api* api) { api->PJRT_Client_BufferFromHostBuffer(&buffer); });
  PJRT_ExecuteOptions execute_options{};
  execute_options.struct_size = 121;
  PJRT_LoadedExecutable_Execute_Args execute{};
  execute.struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE;
  execute.options = &execute_options;
  Compare("Execute, options of the same size", own, *chain,
          [&](const PJRT_Api* api) { api->PJRT_LoadedExecutable_Execute(&execute); });
  execute_options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  Compare("Execute, options of a newer caller", own, *chain,
          [&](const PJRT_Api* api) { api->PJRT_LoadedExecutable_Execute(&execute); });

  // The chains after the compiler's: a table for each minor, the last by libffi's functions.
  for (int i = 0; i < plinth::loader::kThunkInstances; ++i) {
    options.api_minor = (*chain)->pjrt_api_version.minor_version - i;
    plinth::Expected<const PJRT_Api*> next = plinth::loader::OpenPlugin(options);
    if (!next.ok()) {
      std::printf("%s\n", next.status().ToString().c_str());
      return 1;
    }
    if (i == 1) {
      Compare("same size, a function of the compiler", own, *next,
              [&](const PJRT_Api* api) { api->PJRT_Client_PlatformName(&name); });
    }
    if (i + 1 == plinth::loader::kThunkInstances) {
      Compare("same size, a function of libffi", own, *next,
              [&](const PJRT_Api* api) { api->PJRT_Client_PlatformName(&name); });
    }
  }
  return 0;
}
