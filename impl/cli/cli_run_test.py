# SPDX-License-Identifier: Apache-2.0
"""Runs `plinth run` with good and bad programs and arrays; checks exit codes, texts and JSON.

  cli_run_test.py PLINTH PLUGIN PROGRAM
"""

import array
import collections
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import unittest

from cli_test_util import CommandTest, INPUT, PLINTH, PLUGIN, PROGRAM, SCALE, read_npy, write_npy


class RunTest(CommandTest):
    def test_prints(self):
        text = self.run_program("-i", INPUT).stdout
        self.assertIn("output 1: s32[2] [0, 1]", text)
        self.assertIn("times:", text)
        value = self.run_program("-i", INPUT, json=True)
        self.assertEqual(value["outputs"][1], {"type": "s32", "shape": [2], "data": [0, 1]})
        self.assertEqual(set(value["times_ms"]),
                         {"load", "client", "compile", "inputs", "run", "outputs"})
        self.assertNotIn("output 0", self.run_program("-i", INPUT, "--quiet").stdout)

    def test_expected_results(self):
        self.run_program("-i", INPUT, "-o", "p.npy", "-o", "i.npy", "--quiet")
        text = self.run_program("-i", INPUT, "--expect", "p.npy", "--expect", "i.npy").stdout
        self.assertIn("output 1 is as expected", text)
        other = "f32[2,3]=0,0,0,1,3,2.001"
        value = self.run_program("-i", other, "--expect", "p.npy", json=True, code=1)
        self.assertRegex(value["differences"][0], r"^\d of 6 elements differ; the first, \[1,\d\] is 0\.")
        self.run_program("-i", other, "--expect", "p.npy", "--rtol", "0.1")
        self.run_program("-i", INPUT, "--expect", "i.npy", code=1)
        self.run_program("-i", INPUT, "--expect", "missing.npy", code=2)

    def test_standard_input(self):
        result = subprocess.run([PLINTH, "run", "-", "--plugin", PLUGIN, "-i", INPUT], cwd=self.folder, check=True,
                                input=pathlib.Path(PROGRAM).read_text(), text=True, capture_output=True,
                                env=self.environment)
        self.assertIn("output 1: s32[2] [0, 1]", result.stdout)
        self.run_program("-i", INPUT, "-o", "p.npy", "-q")
        with open(self.folder / "p.npy", "rb") as file:
            result = subprocess.run([PLINTH, "run", PROGRAM, "--plugin", PLUGIN, "-i", "-"], stdin=file, check=True,
                                    cwd=self.folder, capture_output=True, text=True, env=self.environment)
        self.assertIn("output 1: s32[2]", result.stdout)
        for arguments in (["-", "-i", INPUT], ["-", "-i", "-"]):
            result = subprocess.run([PLINTH, "run", *arguments, "--plugin", PLUGIN], stdin=subprocess.DEVNULL,
                                    capture_output=True, text=True, env=self.environment)
            self.assertEqual(result.returncode, 2)
            self.assertIn("standard input", result.stderr)

    def test_wrong_inputs_get_the_signature(self):
        for arguments in (("-i", "f32[3,2]=1"), (), ("-i", INPUT, "-i", INPUT)):
            error = self.run_program(*arguments, code=1, json=True)["error"]["message"]
            self.assertIn("takes (tensor<2x3xf32>)", error)

    def test_random_inputs(self):
        self.run_program("--random", "-o", "p.npy")
        self.run_program("--random", "--expect", "p.npy")
        self.run_program("--random", "-i", INPUT, code=2)
        code = self.folder / "code.mlirbc"
        code.write_bytes(b"ML\xefR\x01")
        error = self.run_program("--random", program=code, code=2, json=True)["error"]["message"]
        self.assertIn("only a plugin can read", error)

    def test_percentiles_have_units(self):
        times = self.run_program("-i", INPUT, "-q", "--repeat", "101").stdout
        self.assertRegex(times, r"again 100 times: fastest [\d.]+ [um]s, median [\d.]+ [um]s, "
                                r"p90 [\d.]+ [um]s, p99 [\d.]+ [um]s")
        self.assertNotIn("p99", self.run_program("-i", INPUT, "-q", "--repeat", "50").stdout)

    def safetensors(self, name, header, data, length=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        (self.folder / name).write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)

    def test_safetensors_there_and_back(self):
        values = struct.pack("<6f", 0, 0, 0, 1, 3, 2)
        entry = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
        self.safetensors("a.safetensors", {"__metadata__": {"by": "hand"}, "x": entry}, values)
        self.run_program("-i", "a.safetensors", "-o", "all.safetensors", "-q")
        self.run_program("-i", "a.safetensors:x", "-q", "--expect", "all.safetensors")
        content = (self.folder / "all.safetensors").read_bytes()
        size, = struct.unpack("<Q", content[:8])
        header = json.loads(content[8:8 + size])
        self.assertEqual(header["output_1"], {"dtype": "I32", "shape": [2], "data_offsets": [24, 32]})
        self.assertEqual(struct.unpack("<2i", content[8 + size + 24:]), (0, 1))
        self.run_program("-i", "a.safetensors:y", code=2)

    def test_safetensors_that_are_none(self):
        data = bytes(24)
        entry = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
        for header, contents, length in (
                ({"x": entry}, data[:20], None), ({"x": entry}, data + b"more", None),
                ({"x": entry | {"dtype": "Q4"}}, data, None), ({"x": entry | {"shape": [-2, -3]}}, data, None),
                ({"x": entry | {"shape": [2 ** 62, 2 ** 62]}}, data, None), ({"x": entry, "y": entry}, data, None),
                ({"x": entry | {"data_offsets": [24, 0]}}, data, None), ({"x": 7}, data, None),
                (b"{", data, None), ({"x": entry}, data, 2 ** 63), ({"x": entry}, b"", 1), (b"", b"", 0)):
            self.safetensors("bad.safetensors", header, contents, length)
            self.assertIn("bad.safetensors", self.run_program("-i", "bad.safetensors", code=2).stderr)
        (self.folder / "bad.safetensors").write_bytes(b"1234")
        self.run_program("-i", "bad.safetensors", code=2)

    def test_a_plugin_that_aborts_is_reported(self):
        (self.folder / "abort.c").write_text(f"""
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "pjrt_c_api.h"
static PJRT_Error* Compile(PJRT_Client_Compile_Args* args) {{ abort(); }}
static PJRT_Api table;
const PJRT_Api* GetPjrtApi(void) {{
  const PJRT_Api* (*get)(void) = (const PJRT_Api* (*)(void))dlsym(dlopen("{PLUGIN}", RTLD_NOW), "GetPjrtApi");
  memcpy(&table, get(), get()->struct_size < sizeof(table) ? get()->struct_size : sizeof(table));
  table.PJRT_Client_Compile = Compile;
  return &table;
}}
""")
        headers = pathlib.Path(__file__).resolve().parents[2] / "api/include"
        subprocess.run(["cc", "-shared", "-fPIC", "-w", f"-I{headers}", "abort.c", "-o", "abort.so"], cwd=self.folder,
                       check=True)
        arguments = ("run", PROGRAM, "--plugin", "./abort.so", "-i", INPUT)
        error = self.plinth(*arguments, code=1).stderr
        self.assertIn("crashed while compiling. `plinth doctor ./abort.so", error)
        value = json.loads(self.plinth(*arguments, "--json", code=1).stdout)
        self.assertEqual(value["exit_code"], 1)

    def test_npy_there_and_back(self):
        values = array.array("f", [0, 0, 0, 1, 3, 2])
        write_npy(self.folder / "a.npy",
                  "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", values.tobytes())
        self.run_program("-i", "a.npy", "-o", "p.npy", "-o", "i.npy")
        descr, shape, data = read_npy(self.folder / "p.npy")
        self.assertEqual((descr, shape), ("<f4", (2, 3)))
        self.assertAlmostEqual(array.array("f", data)[4], 0.66524094, places=6)
        self.assertEqual(read_npy(self.folder / "i.npy"), ("<i4", (2,), struct.pack("<2i", 0, 1)))
        write_npy(self.folder / "f.npy",
                  "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3), }",
                  struct.pack(">6f", 0, 1, 0, 3, 0, 2), version=2)
        self.run_program("-i", "f.npy", "-o", "q.npy")
        self.assertEqual(read_npy(self.folder / "q.npy"), read_npy(self.folder / "p.npy"))

    def test_types(self):
        for kind, literal, wanted in (("f64", "f64[2]=1.5,2", [3, 4]), ("i8", "s8[2]=-3,4", [-6, 8]),
                                      ("ui16", "uint16[2]=7", [14, 14]),
                                      ("bf16", "bf16[2]=1.5,0.5", [3, 1]),
                                      ("f16", "f16[2]=inf,1", ["inf", 2]),
                                      ("complex<f32>", "c64[2]=1+2i,-1", ["2+4i", "-2+0i"])):
            value = self.run_program("-i", literal, json=True, program=self.program("2", kind))
            self.assertEqual(value["outputs"][0]["data"], wanted, kind)
        value = self.run_program("-i", "f32=2.5", json=True, program=self.program("", "f32"))
        self.assertEqual(value["outputs"][0], {"type": "f32", "shape": [], "data": 5})

    def test_raw_bytes_of_a_named_type(self):
        program = self.program("2", "bf16")
        self.run_program("-i", "bf16[2]=1.5,0.5", "-o", "b.npy", program=program)
        self.assertEqual(read_npy(self.folder / "b.npy")[0], "<V2")
        value = self.run_program("-i", "bf16@b.npy", json=True, program=program)
        self.assertEqual(value["outputs"][0]["data"], [6, 2])
        self.assertIn("bf16@FILE", self.run_program("-i", "b.npy", code=2, program=program).stderr)

    def test_layouts_that_the_program_wants(self):
        program = self.folder / "layout.mlir"
        program.write_text("""
module @layout {
  func.func public @main(%x: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}) -> tensor<2x3xf32> {
    %0 = stablehlo.add %x, %x : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}""")
        value = self.run_program("-i", "f32[2,3]=range", json=True, program=program)
        self.assertEqual(value["outputs"][0]["data"], [[0, 2, 4], [6, 8, 10]])
        error = self.run_program("-i", "f32[3]=range", code=1, program=program).stderr
        self.assertIn("f32[2,3]", error)

    def test_large_results_are_shortened(self):
        program = self.program("1000", "f32")
        self.assertIn("[0, 2, 4, ..., 1994, 1996, 1998]",
                      self.run_program("-i", "f32[1000]=range", program=program).stdout)
        self.assertNotIn("...", self.run_program("-i", "f32[1000]=range", "--full",
                                                 program=program).stdout)
        value = self.run_program("-i", "f32[1000]=range", json=True, program=program)
        self.assertEqual(value["outputs"][0]["first"], [0, 2, 4, 6, 8, 10, 12, 14])

    def test_repeat_device_options_layers(self):
        value = self.run_program("-i", INPUT, "--repeat", "5", json=True)
        self.assertIn("repeat_median", value["times_ms"])
        self.run_program("-i", INPUT, "--device", "1", "--option", "num_devices=2")
        error = self.run_program("-i", INPUT, "--device", "1", code=1).stderr
        self.assertIn("there is no device 1", error)
        self.run_program("-i", INPUT, "--option", "nonsense", code=2)
        self.run_program("-i", INPUT, "--option", "no_such=1", code=4)
        self.run_program("-i", INPUT, "--layers", "trace(no_such_option=1)", code=2)

    def test_bad_input(self):
        broken = self.folder / "broken.npy"
        broken.write_bytes(b"\x93NUMPY\x01\x00\xff\xff{")
        huge = self.folder / "huge.npy"
        write_npy(huge, "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
                  b"12345678")
        for text, message in (("missing.npy", "no such file"), (broken, "within its header"),
                              (huge, "8 follow"), ("f32[2,3]=1,2", "2 are given"),
                              ("f32[2,3]=x", "\"x\" is no f32"), ("f99[2]=1", "no element type"),
                              ("f32[1000000000000]=1", "RESOURCE_EXHAUSTED"),
                              (self.folder, "no regular file")):
            error = self.run_program("-i", text, code=2).stderr
            self.assertIn(message, error)
            self.assertIn("input 0", error)
        error = self.run_program("-i", "f32[3,2]=1", code=1).stderr
        self.assertIn("f32[2,3]", error)
        self.run_program(code=1)
        self.assertIn("3 files", self.run_program("-i", INPUT, *["-o", "x.npy"] * 3, code=2).stderr)
        self.run_program("-i", INPUT, "-o", "/nowhere/x.npy", code=2)

    def test_bad_programs(self):
        self.run_program(program="missing.mlir", code=2)
        empty = self.folder / "empty.mlir"
        empty.write_text("")
        self.run_program(program=empty, code=2)
        wrong = self.folder / "wrong.mlir"
        wrong.write_text("module { nonsense }")
        value = self.run_program(program=wrong, code=1, json=True)
        self.assertIn("wrong.mlir", value["error"]["message"])
        self.run_program("--serialized", program=wrong, code=1)

    def test_hlo(self):
        proto = pathlib.Path(__file__).resolve().parents[2] / "conformance/programs/pytorch-xla-2.9/addone_1.hlo.pb"
        value = self.run_program(program=proto, json=True)
        self.assertEqual(value["outputs"][0]["data"], [2, 2, 2])
        self.assertEqual(self.json("compile", proto, "--plugin", PLUGIN)["outputs"], ["f32[3]{0}"])
        cut = self.folder / "cut.pb"
        cut.write_bytes(proto.read_bytes()[:100])
        self.assertIn("cut.pb: HLO: malformed protocol buffer of 100 bytes",
                      self.plinth("compile", cut, "--plugin", PLUGIN, code=1).stderr)

    def test_out_of_memory_is_an_error(self):
        huge = self.folder / "huge.mlir"
        huge.touch()
        os.truncate(huge, 400 << 20)
        result = subprocess.run(
            [PLINTH, "run", huge, "--plugin", PLUGIN], capture_output=True, text=True,
            env=self.environment,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20)))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("out of host memory", result.stderr)

    def test_no_plugin(self):
        error = self.plinth("run", PROGRAM, "-i", INPUT, code=3).stderr
        self.assertIn("PJRT_NAMES_AND_LIBRARY_PATHS", error)
        self.plinth("run", PROGRAM, "-i", INPUT, "--plugin", "./nothing.so", code=3)
        self.plinth("run", PROGRAM, "-i", INPUT, PLINTH_PLUGIN=PLUGIN)

    def test_asks_the_plugin_once(self):
        """What takes time is done once: it is loaded, compiled, uploaded, run and read once."""
        program = self.folder / "scale.mlir"
        program.write_text(SCALE.replace("DIMS", "3").replace("TYPE", "f32"))
        timeline = self.folder / "timeline.json"
        self.plinth("run", program, "-i", "f32[3]=1", "--plugin", PLUGIN,
                    PLINTH_LAYERS=f"trace(file={timeline})")
        events = json.loads(timeline.read_text())
        calls = collections.Counter(event["name"] for event in events if event["ph"] == "X")
        self.assertLessEqual({"PJRT_Client_Create", "PJRT_Client_Compile",
                              "PJRT_Client_BufferFromHostBuffer", "PJRT_LoadedExecutable_Execute",
                              "PJRT_Buffer_ToHostBuffer"}, calls.keys())
        # Two buffers; an event of the upload, one of the result, one of the download.
        self.assertEqual({"PJRT_Buffer_Destroy", "PJRT_Event_Await", "PJRT_Event_Destroy"},
                         {name for name, count in calls.items() if count > 1})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
