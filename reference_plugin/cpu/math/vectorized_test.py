#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vectorized_test.py OBJECT: reads from the object file of narrow.cc that the loops over pred, bf16 and
f16 work on whole vectors. At -O2 g++ 12 takes one element at a time, five times slower, and says nothing."""

import re
import subprocess
import sys

# The loops that every load and store of these types goes through, for AVX2 and AVX-512.
LOOPS = [r"MapUnary<.*LoadOp<.*Pred>", r"MapUnary<.*LoadOp<.*SmallFloat<[^>]*SmallFloatFormat\{16,", r"MapUnary<.*StoreOp<.*SmallFloat<[^>]*SmallFloatFormat\{16,",
         r"MapUnary<.*FinishOp<.*SmallFloat<[^>]*SmallFloatFormat\{16,", r"HardwareF16::LoadTile", r"HardwareF16::StoreTile",
         r"HardwareF16::FinishTile"]
# A store of a whole vector: half of one where elements become narrower.
VECTOR_STORE = re.compile(r"\bv(?:movdq|movup|movap)\S*\s+%[xyz]mm\d+.*,.*\(|\bv(?:pmov|cvtps2ph)\S*\s+.*%[yz]mm\d+.*\(")


def functions(path: str) -> dict[str, str]:
    """The code of every function, by its readable name."""
    listing = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", path], check=True, capture_output=True, text=True)
    found = {}
    for part in re.split(r"\n(?=[0-9a-f]+ <)", listing.stdout):
        if match := re.match(r"[0-9a-f]+ <(.*)>:\n", part):
            found[match[1]] = part
    return found


def main() -> int:
    problems = []
    found = functions(sys.argv[1])
    for loop in LOOPS:
        for target in ("N_AVX2", "N_AVX3"):
            names = [name for name in found if target in name and re.search(loop, name)]
            if not names:
                problems.append(f"no function {loop} for {target}")
            problems += [f"one element at a time: {name}" for name in names if not VECTOR_STORE.search(found[name])]
    print("\n".join(problems) or f"{len(LOOPS)} kinds of loops work on whole vectors")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
