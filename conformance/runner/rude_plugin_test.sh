#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rude_plugin_test.sh SUITE PLUGIN CC: a plugin that closes standard output, ignores SIGTERM, takes
# signals over and leaves a process behind is judged by its calls alone.
set -euo pipefail
suite=$1 plugin=$2 cc=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/rude.c" <<'END'
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
#include "pjrt_c_api.h"
static void Ignore(int number) { (void)number; }
const PJRT_Api* GetPjrtApi(void) {
  close(STDOUT_FILENO);
  signal(SIGTERM, SIG_IGN);
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, Ignore);
  if (fork() == 0) {
    sleep(1);
    _exit(0);
  }
  const PJRT_Api* (*get)(void);
  *(void**)&get = dlsym(dlopen(PLUGIN, RTLD_NOW), "GetPjrtApi");
  return get();
}
END
"$cc" -shared -fPIC -DPLUGIN="\"$plugin\"" -I"$here/../../api/include" "$work/rude.c" -o "$work/rude.so" -ldl
"$suite" --plugin "$work/rude.so" --profile "$here/../profiles/plinth_cpu.json" --quick --quiet | tee "$work/log"
grep -q '^conforms to L3$' "$work/log"
