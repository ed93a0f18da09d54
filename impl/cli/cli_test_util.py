# SPDX-License-Identifier: Apache-2.0
"""What the tests of the commands share. Arguments of the program: PLINTH PLUGIN PROGRAM."""

import ast
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

PLINTH, PLUGIN, PROGRAM = sys.argv[1:4]
VERSIONS = (pathlib.Path(__file__).resolve().parents[2]
            / "api/support/include/plinth/support/abi_version.h").read_text()
FUNCTIONS = int(re.search(r"kPjrtFunctionCount = (\d+)", VERSIONS)[1])
INPUT = "f32[2,3]=0,0,0,1,3,2"
SCALE = """
module @scale {
  func.func public @main(%x: tensor<DIMSxTYPE>) -> tensor<DIMSxTYPE> {
    %0 = stablehlo.add %x, %x : tensor<DIMSxTYPE>
    return %0 : tensor<DIMSxTYPE>
  }
}
"""


def write_npy(path, header, data, version=1):
    text = header.encode()
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    pathlib.Path(path).write_bytes(b"\x93NUMPY" + bytes([version, 0]) + size + text + data)


def read_npy(path):
    """(descr, shape, raw bytes), read independently of the tool."""
    content = pathlib.Path(path).read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00"
    (size,) = struct.unpack("<H", content[8:10])
    header = ast.literal_eval(content[10:10 + size].decode())
    assert (10 + size) % 64 == 0
    return header["descr"], header["shape"], content[10 + size:]


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # Nothing of this machine is found but what a test puts there.
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder),
                            "XDG_CONFIG_DIRS": str(self.folder), "XDG_DATA_DIRS": str(self.folder),
                            "PLINTH_PYTHON_PATH": str(self.folder)}

    def plinth(self, *arguments, code=0, **environment):
        result = subprocess.run([PLINTH, *map(str, arguments)], capture_output=True, text=True,
                                timeout=60, cwd=self.folder, env=self.environment | environment)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def json(self, *arguments, code=0, **environment):
        result = self.plinth(*arguments, "--json", code=code, **environment)
        self.assertEqual(result.stderr, "")
        value = json.loads(result.stdout)
        self.assertEqual(value["exit_code"], code)
        self.assertEqual("error" in value, code != 0 and "error" in value)
        return value

    def run_program(self, *arguments, code=0, json=False, program=PROGRAM):
        call = self.json if json else self.plinth
        return call("run", program, "--plugin", PLUGIN, *arguments, code=code)

    def program(self, dims, kind):
        path = self.folder / f"scale_{dims}_{kind}.mlir"
        text = SCALE.replace("DIMSx", dims + "x" if dims else "")
        path.write_text(text.replace("TYPE", kind))
        return path
