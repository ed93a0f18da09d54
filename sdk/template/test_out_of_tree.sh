#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the template as a vendor would: SDK installed somewhere, template copied somewhere else.
#   test_out_of_tree.sh BUILD_DIR PYTHON_WITH_JAX
# Then reads the binary (symbols, glibc) and runs it in JAX.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
python=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for component in headers support sdk; do
  cmake --install "$build" --component "$component" --prefix "$work/sdk" >/dev/null
done
cp -r "$here" "$work/template"
cmake -S "$work/template" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/sdk" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="${PLINTH_COMPILER_LAUNCHER:-}" >"$work/log" || {
  cat "$work/log"
  exit 1
}
cmake --build "$work/build" >"$work/log" || {
  cat "$work/log"
  exit 1
}
plugin=$work/build/pjrt_plugin_template.so

"$here/../../cmake/check_shared_library.sh" "$plugin" GetPjrtApi 0
lines=$(wc -l <"$here/plugin.cc")
if [ "$lines" -gt 200 ]; then
  echo "the template has $lines lines; it must stay at 200 or less"
  exit 1
fi
# The same source with what the pkg-config file says, and no CMake.
command -v pkg-config >/dev/null || {
  echo "pkg-config is missing: scripts/install_dependencies --tests"
  exit 1
}
export PKG_CONFIG_PATH=$(dirname "$(find "$work/sdk" -name plinth-sdk.pc)")
"${CXX:-c++}" -std=c++20 -O2 -fPIC -shared -fvisibility=hidden $(pkg-config --cflags plinth-sdk) \
  "$here/plugin.cc" -o "$work/by_hand.so" -static-libstdc++ \
  -Wl,--version-script="$(pkg-config --variable=exports_map plinth-sdk)" \
  -Wl,-z,defs $(pkg-config --libs plinth-sdk)

# What a plugin that was written for upstream's headers includes.
echo '#include "xla/pjrt/c/pjrt_c_api.h"' |
  "${CXX:-c++}" -fsyntax-only $(pkg-config --cflags plinth-sdk) -x c++ -

"$python" -c 'import jax' || {
  echo "$python has no JAX: scripts/install_dependencies --tests"
  exit 1
}
PJRT_NAMES_AND_LIBRARY_PATHS="plinth_template:$plugin" JAX_PLATFORMS=plinth_template \
  "$python" -P "$work/template/try_it.py" 2>&1 | tee "$work/log"
if grep -q Traceback "$work/log"; then exit 1; fi
# And through the Python package, with the library where pip would put it.
cp "$plugin" "$work/template/jax_plugins/plinth_template/"
JAX_PLATFORMS=plinth_template "$python" "$work/template/try_it.py"
