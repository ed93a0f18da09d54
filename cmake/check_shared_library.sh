#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the binaries of this project must be, read from them: nothing exported but what is meant to
# be, libstdc++ inside, no symbol newer than a release of glibc, no library that users would have to
# install, and hardened.
#   check_shared_library.sh [--glibc VERSION] [--hardened] BINARY EXPORTS MAX_BYTES NEEDED...
# --glibc: the newest that it may need, 2.34 by default. What is too new is named, with the object
# that brought it in if the linker's map lies beside the binary (BINARY.map).
# --hardened: compiled with the flags of Hardening.cmake too. The linker's are always asked for.
# EXPORTS: names, separated by spaces, and headers whose PLINTH_EXPORT functions count; `program`:
# a program, which exports nothing; `any`: not looked at. MAX_BYTES: of the stripped file; 0: any. NEEDED: libraries that
# it may be linked to, beside those of glibc and libgcc_s.
set -euo pipefail
glibc=2.34
hardened=false
while [[ "$1" == --* ]]; do
  case $1 in
    --glibc) glibc=$2 && shift ;;
    --hardened) hardened=true ;;
    *) echo "check_shared_library.sh: no option $1" && exit 2 ;;
  esac
  shift
done
library=$1
max_bytes=$3
fail() {
  echo "$(basename "$library"): $*"
  exit 1
}
program=false
case $2 in program | any) program=true ;; esac

wanted=$($program || for name in $2; do
  if [ -f "$name" ]; then
    grep -o '^PLINTH_EXPORT .*' "$name" | grep -o 'plinth_[a-z_]*(' | tr -d '('
  else
    echo "$name"
  fi
done | sort)
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
# Variables of libc that a program has a copy of.
! $program || exported=$(grep -vE '@GLIBC_|^_IO_stdin_used$' <<<"$exported" || true)
[ "$2" != any ] || exported=
[ "$exported" = "$wanted" ] ||
  fail "exports something else than it must (<: missing, >: too much):
$(diff <(echo "$wanted") <(echo "$exported"))"

unique=$(readelf -sW --dyn-syms "$library" | grep -w UNIQUE || true)
[ -z "$unique" ] || $program || fail "has unique symbols, which two copies in one process would share: $unique"

# Who refers to a symbol, of the objects that the linker's map says it has read: their paths begin at
# the folder that it ran in, one of those above the binary.
brought_by() {
  [ -f "$library.map" ] || return 0
  local path above
  sed -n 's/^LOAD \(.*\.[ao]\)$/\1/p' "$library.map" | sort -u | while read -r path; do
    above=$(dirname "$(realpath "$library")")
    while [[ "$path" != /* && ! -f "$above/$path" && "$above" != / ]]; do above=$(dirname "$above"); done
    [[ "$path" == /* ]] || path=$above/$path
    [ ! -f "$path" ] || nm -A --undefined-only "$path" 2>/dev/null
  done | awk -v symbol="$1" '$NF == symbol { sub(/: *U .*|: *w .*/, ""); print }' | sort -u | head -3 |
    sed 's/^/, from /' | tr -d '\n'
}
# Lines "VERSION NAME" of what it takes from glibc.
versions=$(objdump -T "$library" | sed -nE 's/.*\*UND\*.*\(?GLIBC_([0-9.]+)\)? +(.*)/\1 \2/p' | sort -uV)
newest=$(cut -d' ' -f1 <<<"$versions" | sort -uV | tail -1)
newer=$(while read -r version name; do
  [ "$(printf '%s\n%s\n' "$version" "$glibc" | sort -V | tail -1)" = "$glibc" ] ||
    echo "  $name, of GLIBC_$version$(brought_by "$name")"
done <<<"$versions")
[ -z "$newer" ] || fail "may need GLIBC_$glibc at most. What is newer gets an old version in
cmake/old_glibc.c, or goes:
$newer"

allowed="libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libgcc_s.so.1
         ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ${*:4}"
dynamic=$(readelf -dW "$library")
for name in $(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic"); do
  grep -qw -- "$name" <<<"$allowed" || fail "is linked to $name"
done

# What the linker does against exploits.
segments=$(readelf -lW "$library")
grep -q 'Elf file type is DYN' <<<"$segments" || fail "is not position independent (-pie)"
grep -q GNU_RELRO <<<"$segments" || fail "has tables that stay writable (-Wl,-z,relro)"
grep -qE '\((FLAGS|FLAGS_1)\).*NOW' <<<"$dynamic" || fail "is bound late, so tables stay writable (-Wl,-z,now)"
grep -qE 'GNU_STACK .* RW +0x' <<<"$segments" || fail "has an executable stack (-Wl,-z,noexecstack)"
! grep -q TEXTREL <<<"$dynamic" || fail "has code that is changed when it is loaded (-fPIC)"
while IFS= read -r entry; do
  # shellcheck disable=SC2016  # The loader's word, not the shell's.
  [[ "$entry" == '$ORIGIN' || "$entry" == '$ORIGIN/'* ]] ||
    fail "looks for libraries in '$entry' (RUNPATH), which is not relative to itself"
done < <(sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]/\2/p' <<<"$dynamic" | tr ':' '\n')

if $hardened; then
  undefined=$(nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//')
  grep -qx __stack_chk_fail <<<"$undefined" || fail "has no canaries (-fstack-protector-strong)"
  # Where the compiler sees that a call is sound it leaves the check out; nowhere all of them.
  grep -xE '__[a-z]+_chk' <<<"$undefined" | grep -qvx __fdelt_chk ||
    fail "has no checked calls of libc (-D_FORTIFY_SOURCE)"
  if [[ $(readelf -hW "$library") == *X86-64* ]]; then
    marks=$(objdump -d --no-show-raw-insn "$library" | grep -c endbr64 || true)
    ((marks >= 10)) || fail "has $marks marks of where jumps may lead (-fcf-protection)"
  fi
fi

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$library"
size=$(stat -c %s "$stripped")
[ "$max_bytes" -eq 0 ] || [ "$size" -le "$max_bytes" ] ||
  fail "has $size bytes when stripped; at most $max_bytes are allowed"
echo "$(basename "$library"): exports $(wc -w <<<"$wanted") names, needs GLIBC_$newest, $size bytes stripped"
