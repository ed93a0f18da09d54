#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bundle_test.sh SUITE PLUGIN PYTHON: the suite makes a bundle that holds and files that are as the
# schemas say, and needs nothing that a vendor's machine may lack.
set -euo pipefail
suite=$1 plugin=$2 python=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$("$suite" --version)
if [[ ! $version =~ ^plinth-conformance\ [0-9]+\.[0-9]+\.[0-9]+(\.dev[0-9]+)?$ ]]; then
  echo "--version says: $version"
  exit 1
fi
"$suite" --plugin "$plugin" --profile "$here/../profiles/plinth_cpu.json" --quiet \
  --bundle "$work/bundle" --html "$work/page.html" | tail -1
"$suite" verify "$work/bundle" --plugin "$plugin"
"$python" "$here/../schemas/check.py" --self-test
for kind in report profile waivers; do
  "$python" "$here/../schemas/check.py" $kind.schema.json "$work/bundle/$kind.json"
done
# What a hand would change first.
sed -i 's/"UNSUPPORTED"/"PASS"/' "$work/bundle/report.json"
if "$suite" verify "$work/bundle" >"$work/log"; then
  echo "a bundle with a changed report holds"
  exit 1
fi
# One file that a vendor submits and signs: it holds, and not when it was changed.
"$suite" statement --company Firm --product P --device D --driver none --operating_system Debian \
  --date 2026-11-22 -o "$work/statement.json"
if "$suite" statement --company Firm </dev/null 2>"$work/log"; then
  echo "a statement without answers is made"
  exit 1
fi
ssh-keygen -q -t ed25519 -N '' -f "$work/key" -C vendor
printf 'vendor@firm.example %s\n' "$(cut -d' ' -f1,2 "$work/key.pub")" >"$work/signers"
"$suite" --plugin "$plugin" --profile "$here/../profiles/plinth_cpu.json" --quiet --level L0 \
  --statement "$work/statement.json" --sign "$work/key" --bundle "$work/l0.tar.gz" | tail -1
"$suite" verify "$work/l0.tar.gz" --plugin "$plugin" --signers "$work/signers" | tee "$work/log"
grep -q '^signature: *vendor@firm.example$' "$work/log"
"$suite" verify "$work/l0.tar.gz" | grep -q '^signature: *ED25519 key SHA256:'
tar -tzf "$work/l0.tar.gz" | sort | tr '\n' ' ' | grep -qx 'bundle.json bundle.json.sig must_pass.txt profile.json report.html report.json statement.json waivers.json '
ssh-keygen -q -t ed25519 -N '' -f "$work/other" -C other
printf 'other@firm.example %s\n' "$(cut -d' ' -f1,2 "$work/other.pub")" >"$work/others"
if "$suite" verify "$work/l0.tar.gz" --signers "$work/others" >"$work/log"; then
  echo "a signature of somebody else holds"
  exit 1
fi
mkdir "$work/changed"
tar -xzf "$work/l0.tar.gz" -C "$work/changed"
sed -i 's/"minor":114/"minor":115/' "$work/changed/bundle.json"
tar -czf "$work/changed.tar.gz" -C "$work/changed" $(ls "$work/changed")
if "$suite" verify "$work/changed.tar.gz" >"$work/log"; then
  echo "a changed bundle holds"
  exit 1
fi
grep -q 'the signature does not hold' "$work/log"
"$suite" table "$work" -o "$work/table.html"
"$suite" explain PJRT-Api-struct_size | grep -q wrong_major
# A report can be gone on with, but not with that of another plugin.
run=("$suite" --plugin "$plugin" --profile "$here/../profiles/plinth_cpu.json" --quiet)
"${run[@]}" --cases 'L0/table/*' --json "$work/part.json" | tail -1
"${run[@]}" --cases 'L0/t*' --resume "$work/part.json" | tail -1
sed -i 's/"plugin_sha256": *"./&0/; s/\("plugin_sha256": *"[0-9a-f]\{64\}\)[0-9a-f]*/\1/' "$work/part.json"
if "${run[@]}" --cases 'L0/t*' --resume "$work/part.json" 2>"$work/log"; then
  echo "the report of another plugin is gone on with"
  exit 1
fi
# The page stands alone; report_page_test.py reads it.
if grep -E -i '<(link|img)|src=|https?://' "$work/page.html"; then
  echo "the page refers to something outside of it"
  exit 1
fi

needed=$(readelf -d "$suite" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for library in $needed; do
  case $library in
    libc.so.6 | libm.so.6 | libgcc_s.so.1 | libdl.so.2 | libpthread.so.0 | ld-linux*) ;;
    *)
      echo "plinth-conformance needs $library"
      exit 1
      ;;
  esac
done
newest=$(objdump -T "$suite" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
if [ "$(printf '%s\nGLIBC_2.34\n' "$newest" | sort -V | tail -1)" != GLIBC_2.34 ]; then
  echo "plinth-conformance needs $newest, newer than GLIBC_2.34"
  exit 1
fi
# Nothing but the binary and the plugin, in an empty folder without environment.
mkdir "$work/empty"
cp "$suite" "$plugin" "$work/empty"
(cd "$work/empty" && env -i "./$(basename "$suite")" --plugin "$(basename "$plugin")" --level L0 --quiet | tail -1)
