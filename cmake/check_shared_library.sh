#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What libraries of this project must be, read from the binary: nothing exported but what is meant
# to be, libstdc++ inside, no symbol newer than glibc 2.34, no library that users would have to
# install.
#   check_shared_library.sh LIBRARY EXPORTS MAX_BYTES NEEDED...
# EXPORTS: names, separated by spaces, and headers whose PLINTH_EXPORT functions count.
# MAX_BYTES: of the stripped library; 0: any. NEEDED: libraries that it may be linked to, beside
# those of glibc and libgcc_s.
set -euo pipefail
library=$1
max_bytes=$3
fail() {
  echo "$(basename "$library"): $*"
  exit 1
}

wanted=$(for name in $2; do
  if [ -f "$name" ]; then
    grep -o '^PLINTH_EXPORT .*' "$name" | grep -o 'plinth_[a-z_]*(' | tr -d '('
  else
    echo "$name"
  fi
done | sort)
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
[ "$exported" = "$wanted" ] ||
  fail "exports something else than it must (<: missing, >: too much):
$(diff <(echo "$wanted") <(echo "$exported"))"

unique=$(readelf -sW --dyn-syms "$library" | grep -w UNIQUE || true)
[ -z "$unique" ] || fail "has unique symbols, which two copies in one process would share: $unique"

newest=$(objdump -T "$library" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
[ "$(printf '%s\nGLIBC_2.34\n' "$newest" | sort -V | tail -1)" = GLIBC_2.34 ] ||
  fail "needs $newest, newer than GLIBC_2.34"

allowed="libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libgcc_s.so.1
         ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ${*:4}"
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
  grep -qw -- "$name" <<<"$allowed" || fail "is linked to $name"
done

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$library"
size=$(stat -c %s "$stripped")
[ "$max_bytes" -eq 0 ] || [ "$size" -le "$max_bytes" ] ||
  fail "has $size bytes when stripped; at most $max_bytes are allowed"
echo "$(basename "$library"): exports $(wc -w <<<"$wanted") names, needs $newest, $size bytes stripped"
