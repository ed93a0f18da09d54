#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# own_abi_test.sh LIBRARY...: every symbol that a release of the library exported is still there.
set -euo pipefail
dumps=$(cd "$(dirname "$0")/../../api/history/own" && pwd)
if ! command -v abidiff >/dev/null; then
  echo "abidiff is missing: install abigail-tools (scripts/install_dependencies --tests does)"
  exit 1
fi
# Bits of abidiff's exit status: it failed, was called wrongly, found a break.
wrong=$((1 | 2 | 8))

compare() { # OLD NEW: 0 if nothing went away
  local status=0
  abidiff --exported-interfaces-only --no-show-locs "$1" "$2" || status=$?
  (((status & wrong) == 0))
}

dump_of() {
  local name
  name=$(basename "$1")
  echo "$dumps/${name%%.so*}.abi"
}
for library in "$@"; do
  dump=$(dump_of "$library")
  if ! compare "$dump" "$library"; then
    echo "$library lacks or changes what its release exported: a break, see docs/using/compatibility.md"
    exit 1
  fi
done
# A release that exported one symbol more would be broken by these libraries.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$1
sed "s|</elf-function-symbols>|<elf-symbol name='plinth_that_went' type='func-type' binding='global-binding' visibility='default-visibility' is-defined='yes'/></elf-function-symbols>|" \
  "$(dump_of "$library")" >"$work/old.abi"
if compare "$work/old.abi" "$library" >"$work/log"; then
  echo "a symbol that went away was not found"
  cat "$work/log"
  exit 1
fi
echo "nothing that was released went away"
