#!/bin/bash
# check_plugin_binary.sh PLUGIN.so: what every plugin must be, read from the binary.
set -euo pipefail
plugin=$1

symbols=$(nm -D --defined-only "$plugin" | awk '{print $3}')
if [ "$symbols" != GetPjrtApi ]; then
  echo "the plugin must export GetPjrtApi and nothing else; it exports: $symbols"
  exit 1
fi
if readelf -sW --dyn-syms "$plugin" | grep -w UNIQUE; then
  echo "the plugin has unique symbols, which keep it from being unloaded or isolated"
  exit 1
fi
newest=$(objdump -T "$plugin" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
if [ "$(printf '%s\nGLIBC_2.34\n' "$newest" | sort -V | tail -1)" != GLIBC_2.34 ]; then
  echo "the plugin needs $newest, newer than GLIBC_2.34"
  exit 1
fi
if readelf -d "$plugin" | grep -q 'libstdc++'; then
  echo "the plugin must link libstdc++ statically"
  exit 1
fi
echo "$(basename "$plugin"): exports GetPjrtApi, needs $newest, $(stat -c %s "$plugin") bytes"
