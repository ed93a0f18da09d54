#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs, partitioned and run on as many devices, give what they give on one, exactly.

Every other one is partitioned as if it were large: sums are spread wherever that is possible. Every
fifth one has two meshes of the same devices.

usage: partition_oracle_test.py PARTITION_TOOL [GRAPHS [FIRST_SEED]]
"""

import sys

import oracle
import random_sharded_program


def main() -> int:
  count = int(sys.argv[2]) if len(sys.argv) > 2 else 400
  first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
  failed = 0
  for start, what in ((first, "run"), (first + 1, "spread")):
    seeds = range(start, first + count, 2)
    programs = [random_sharded_program.make(seed, several_meshes=seed % 5 == 0)
                for seed in seeds]
    for seed, program, lines in zip(seeds, programs,
                                    oracle.run_tool(sys.argv[1], what, programs)):
      if lines and lines[0].startswith("agrees"):
        continue
      failed += 1
      if failed <= 5:
        print(f"seed {seed}, {what}: " + "\n".join(lines[:80]) + f"\n{program}")
  print(f"{count - failed} of {count} partitioned programs agree")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
