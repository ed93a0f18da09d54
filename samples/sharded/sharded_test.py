# SPDX-License-Identifier: Apache-2.0
"""Runs both samples on four devices of the CPU plugin and looks at what they print.

  sharded_test.py RUN_SHARDED PLUGIN
"""

import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
SAMPLE, PLUGIN = sys.argv[1:3]


def run(command, devices=4):
    environment = os.environ | {"PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth:{PLUGIN}",
                                "JAX_PLATFORMS": "plinth", "JAX_NUM_CPU_DEVICES": str(devices)}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=240, env=environment)


class ShardedTest(unittest.TestCase):
    def test_c(self):
        result = run([SAMPLE, PLUGIN, HERE / "mean.mlir"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "".join(
            f"device {row // 2}, row {row}: {2 * row - 7} {2 * row - 7}\n" for row in range(8)))

    def test_c_names_a_program_that_is_not_there(self):
        result = run([SAMPLE, PLUGIN, HERE.parent / "ifrt" / "nowhere.mlir"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("nowhere.mlir", result.stderr)

    def test_training(self):
        result = run([sys.executable, HERE / "train.py", "--steps", 5])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("model parallel: loss", result.stdout)
        self.assertIn("dense1 P(None, 'model')", result.stdout)
        self.assertIn("CPU 0,2│CPU 1,3", result.stdout)

    def test_training_needs_four_devices(self):
        result = run([sys.executable, HERE / "train.py"], devices=2)
        self.assertEqual(result.returncode, 1)
        self.assertIn("there are 2 devices on `cpu`; expected 4", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
