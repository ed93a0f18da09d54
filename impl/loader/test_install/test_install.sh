#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_install.sh BUILD PLUGIN: installs libplinth, and builds and runs a C program against it, by the
# CMake package and by the flags of the pkg-config file. Then looks at all components together.
set -euo pipefail
build=$1
plugin=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*"
  exit 1
}
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

for component in headers libplinth; do
  quietly cmake --install "$build" --component "$component" --prefix "$work/usr"
done

{
  echo '#include <plinth_layer.h>'
  awk '/^## /{inside = /^## Writing a layer/} /^```/{code = 0} inside && code; /^```c$/{code = 1}' \
    "$root/docs/using/layers.md"
} >"$work/skeleton.c"
grep -q plinth_layer_get "$work/skeleton.c" || fail "docs/using/layers.md has no skeleton of a layer"
quietly cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/usr" -DSKELETON="$work/skeleton.c"
quietly cmake --build "$work/build"
"$work/build/uses_libplinth" "$plugin" | grep -q '"verdict":"works"'
PLINTH_LAYERS=$(echo "$work"/build/*skeleton.so) "$work/build/uses_libplinth" "$plugin" |
  grep -q '"verdict":"works"' || fail "the skeleton of docs/using/layers.md is no layer"

command -v pkg-config >/dev/null || fail "pkg-config is missing: scripts/install_dependencies --tests"
export PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name plinth.pc)")
eval "libdir=$(pkg-config --variable=libdir plinth)"  # It quotes for a shell.
eval "cc $(pkg-config --cflags plinth) \"\$here/uses_libplinth.c\" -o \"\$work/uses\" $(pkg-config --libs plinth)"
# Not executable, as some packages install libraries: the probe does not need it.
chmod a-x "$libdir/libplinth.so"
LD_LIBRARY_PATH=$libdir "$work/uses" "$plugin" | grep -q '"verdict":"works"'

# A package of each component can be installed beside the others, and together they are everything.
for component in headers support sdk client program compiler reference libplinth ifrt cpu-plugin cuda-plugin conformance serve doc; do
  quietly cmake --install "$build" --component "$component" --prefix "$work/one/$component"
  (cd "$work/one/$component" && find . ! -type d)
done | sort >"$work/of_components"
twice=$(uniq -d "$work/of_components")
[ -z "$twice" ] || fail "in two components: $twice"
quietly cmake --install "$build" --strip --prefix "$work/all"
(cd "$work/all" && find . ! -type d | sort) | diff "$work/of_components" - ||
  fail "not the same as the components together (<: of components, >: of all)"
python3 "$root/docs/dead_links.py" "$work/all/share/doc/plinth" || fail "dead links in installed pages"
# Headers of the ABI do not lie among everybody's.
[ "$(ls "$work/all/include")" = plinth ] || fail "include/ has: $(ls "$work/all/include")"

# What plinth says of itself lies where man and shells look.
for page in man/man1/plinth.1 bash-completion/completions/plinth zsh/site-functions/_plinth fish/vendor_completions.d/plinth.fish; do
  grep -q doctor "$work/all/share/$page" || fail "share/$page is not there, or tells nothing"
done

# Where it was installed, the plugin is found without any variable.
XDG_DATA_DIRS=/nowhere "$work/all/bin/plinth" list | tee "$work/log"
grep -q pjrt_plinth_cpu.so "$work/log" || fail "plinth list does not find the installed plugin"
echo "a C program builds and runs against the installed library"
