#!/bin/bash
# test_install.sh BUILD PLUGIN: installs libplinth, and builds and runs a C program against it, by the
# CMake package and by the flags of the pkg-config file.
set -euo pipefail
build=$1
plugin=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component libplinth --prefix "$work/usr" >/dev/null
(cd "$work/usr" && find . -type f | sort)

cmake -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/usr" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/build/uses_libplinth" "$plugin" | grep -q '"verdict":"works"'

command -v pkg-config >/dev/null || { echo "pkg-config is missing: apt-get install pkgconf"; exit 1; }
export PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name plinth.pc)")
libdir=$(pkg-config --variable=libdir plinth)
cc $(pkg-config --cflags plinth) "$here/uses_libplinth.c" -o "$work/uses" $(pkg-config --libs plinth)
# Not executable, as some packages install libraries: the probe does not need it.
chmod a-x "$libdir/libplinth.so"
LD_LIBRARY_PATH=$libdir "$work/uses" "$plugin" | grep -q '"verdict":"works"'
echo "a C program builds and runs against the installed library"
