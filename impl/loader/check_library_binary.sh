#!/bin/bash
# check_library_binary.sh LIBPLINTH PLINTH_H MAX_BYTES: what libplinth must be, read from the binary.
set -euo pipefail
library=$1
header=$2
max_bytes=$3

wanted=$( (grep -o '^PLINTH_EXPORT .*' "$header" | grep -o 'plinth_[a-z_]*(' | tr -d '('; echo GetPjrtApi) | sort)
symbols=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
if [ "$symbols" != "$wanted" ]; then
  echo "the library must export what plinth.h declares, and GetPjrtApi:"
  diff <(echo "$wanted") <(echo "$symbols")
  exit 1
fi
if readelf -sW --dyn-syms "$library" | grep -w UNIQUE; then
  echo "the library has unique symbols, which two copies in one process would share"
  exit 1
fi
newest=$(objdump -T "$library" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
if [ "$(printf '%s\nGLIBC_2.34\n' "$newest" | sort -V | tail -1)" != GLIBC_2.34 ]; then
  echo "the library needs $newest, newer than GLIBC_2.34"
  exit 1
fi
if readelf -d "$library" | grep -q 'libstdc++'; then
  echo "the library must link libstdc++ statically"
  exit 1
fi
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$library"
size=$(stat -c %s "$stripped")
if [ "$size" -gt "$max_bytes" ]; then
  echo "the stripped library has $size bytes; at most $max_bytes are allowed"
  exit 1
fi
echo "$(basename "$library"): exports plinth.h and GetPjrtApi, needs $newest, $size bytes stripped"
