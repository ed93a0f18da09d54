# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of plinth, but `run`, with good and bad input; checks exit codes, texts and JSON.

  cli_test.py PLINTH PLUGIN PROGRAM
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from cli_test_util import CommandTest, FUNCTIONS, INPUT, PLINTH, PLUGIN, PROGRAM


class GeneralTest(CommandTest):
    def test_usage(self):
        self.assertIn("Exit codes:", self.plinth("--help").stdout)
        self.assertRegex(self.plinth("--version").stdout, r"^plinth \d+\.\d+\.\d+(\.dev\d+)?\n$")
        for command in ("list", "info", "doctor", "run", "compile", "replay", "completion"):
            self.assertIn("Exit codes:", self.plinth(command, "--help").stdout)
        for arguments in ((), ("nothing",), ("run",), ("run", PROGRAM, "--nothing"),
                          ("run", PROGRAM, "--repeat", "0"), ("completion", "tcsh"),
                          ("manifest",), ("info", "--timeout-ms", "-1")):
            self.assertNotEqual(self.plinth(*arguments, code=2).stderr, "", arguments)
            error = self.json(*arguments, code=2)["error"]
            self.assertEqual(error["code"], "INVALID_ARGUMENT")
        self.assertIn("there is no command 'nothing'; there are list, ",
                      self.plinth("nothing", code=2).stderr)
        self.assertRegex(self.json("--version")["version"], r"^\d+\.\d+\.\d+(\.dev\d+)?$")
        self.assertIn("complete -o", self.json("completion", "bash")["script"])

    def test_completion(self):
        script = self.plinth("completion", "bash").stdout
        self.assertIn("--input", script)
        check = ('source /dev/stdin; COMP_WORDS=(plinth run --rep); COMP_CWORD=2; _plinth; '
                 'echo "${COMPREPLY[@]}"; COMP_WORDS=(plinth do); COMP_CWORD=1; _plinth; '
                 'echo "${COMPREPLY[@]}"')
        result = subprocess.run(["bash", "-c", check], input=script, capture_output=True, text=True)
        self.assertEqual(result.stdout.split("\n")[:2], ["--replicas --repeat", "doctor"],
                         result.stderr)
        # Every command, also below another, is known as one.
        check = ('source /dev/stdin; for line in list doctor replay "manifest make"; do '
                 'COMP_WORDS=(plinth $line --js); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _plinth; '
                 'echo "${COMPREPLY[@]}"; done')
        result = subprocess.run(["bash", "-c", check], input=script, capture_output=True, text=True)
        self.assertEqual(result.stdout.split("\n"), ["--json"] * 4 + [""], result.stderr)

    def test_completion_of_other_shells(self):
        zsh, fish = (self.plinth("completion", shell).stdout for shell in ("zsh", "fish"))
        self.assertIn("#compdef plinth", zsh)
        self.assertIn("'--repeat:", zsh)
        self.assertRegex(fish, r"complete -c plinth -n .*__plinth_at .*run.* -l repeat -r")
        for script in (zsh, fish):
            shlex.split(script, comments=True)  # Without these shells, at least the quotes are closed.

    def test_manual(self):
        page = self.plinth("man").stdout
        self.assertTrue(page.startswith(".TH plinth 1\n"))
        for text in (".SS plinth run", ".SS plinth manifest make", "\\-\\-repeat", ".SH EXIT STATUS", "makes no client"):
            self.assertIn(text, page)
        # Nothing but known requests begins with a point.
        self.assertEqual(set(re.findall(r"^\.\S*", page, re.M)),
                         {".TH", ".SH", ".SS", ".TP", ".B", ".nf", ".fi"})

    def test_full_disk_is_an_error(self):
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                result = subprocess.run([PLINTH, "list"], stdout=full, stderr=subprocess.PIPE,
                                        env=self.environment)
            self.assertEqual(result.returncode, 1)


class ListTest(CommandTest):
    def test_nothing(self):
        self.assertIn("No plugin was found.", self.plinth("list").stdout)
        self.assertEqual(self.json("list")["plugins"], [])

    def test_variable_of_jax_and_broken_manifest(self):
        manifests = self.folder / "manifests"
        manifests.mkdir()
        (manifests / "bad.json").write_text("{")
        value = self.json("list", "--manifest-path", manifests,
                          PJRT_NAMES_AND_LIBRARY_PATHS=f"mine:{PLUGIN}")
        by_name = {plugin["name"]: plugin for plugin in value["plugins"]}
        self.assertEqual(by_name["mine"]["path"], PLUGIN)
        self.assertEqual(by_name["mine"]["source"], "PJRT_NAMES_AND_LIBRARY_PATHS")
        broken = [one for one in value["plugins"] if "ignored_because" in one]
        self.assertTrue(broken or "bad.json" in value["searched"])
        self.assertIn("Looked at:", self.plinth("list", "--searched").stdout)
        denied = self.json("list", "--deny", "m*", PJRT_NAMES_AND_LIBRARY_PATHS=f"mine:{PLUGIN}")
        self.assertIn("ignored_because", denied["plugins"][0])

    def test_texts_of_strangers_do_not_reach_the_terminal(self):
        manifests = self.folder / "manifests"
        manifests.mkdir()
        (manifests / "name.json").write_text(
            '{"manifest_version": "1.0", "name": "n\\u009b31m", "library": "n.so"}')
        done = self.plinth("list", "--manifest-path", manifests)
        self.assertIn("'n\\xc2\\x9b31m'", done.stdout)
        self.assertNotRegex(done.stdout, "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]")
        error = self.plinth("doctor", "n\x1b[31m", "--manifest-path", manifests, code=3).stderr
        self.assertIn("'n\\x1b[31m'", error)
        self.assertNotIn("\x1b", error)


class InfoTest(CommandTest):
    def test_good_plugin(self):
        plugin = self.json("info", PLUGIN)["plugin"]
        self.assertEqual(plugin["verdict"], "works")
        self.assertEqual(plugin["table"]["slots"], FUNCTIONS)
        self.assertEqual(plugin["client"]["platform_name"], "cpu")
        self.assertEqual(plugin["client"]["default_layouts"]["f32[256,256]"], "{1,0}")
        text = self.plinth("info", PLUGIN).stdout
        self.assertRegex(text, r"extensions: .*Layouts 4 \(\d+ bytes\)")
        self.assertIn("default layout:     s8[256,256] {1,0}\n", text)
        self.assertIn("client option:      num_threads = 0, the default\n", text)
        self.assertNotIn("plinth_client_option", text)

    def test_options_and_no_client(self):
        plugin = self.json("info", PLUGIN, "--option", "num_devices=3")["plugin"]
        self.assertEqual(len(plugin["client"]["devices"]), 3)
        self.assertNotIn("client", self.json("info", PLUGIN, "--no-client")["plugin"])
        value = self.json("info", PLUGIN, "--option", "no_such=1", code=4)
        self.assertIn("no_such", value["error"]["message"])
        self.json("info", PLUGIN, "--option", "nonsense", code=2)

    def test_unknown_plugins(self):
        for plugin in ("./nothing.so", "nothing"):
            value = self.json("info", plugin, code=3)
            self.assertIn("nothing", value["error"]["message"])
        self.assertIn("nothing", self.plinth("info", "nothing", code=3).stderr)

    def test_what_is_no_plugin(self):
        text = self.folder / "text.so"
        text.write_text("no library")
        # Refused before it is opened, or opened in the child.
        result = subprocess.run([PLINTH, "info", text], capture_output=True, text=True,
                                env=self.environment)
        self.assertIn(result.returncode, (1, 3))
        self.assertIn("text.so", result.stderr)

    def test_by_name(self):
        value = self.json("info", "mine", PJRT_NAMES_AND_LIBRARY_PATHS=f"mine:{PLUGIN}")
        self.assertEqual(value["plugin"]["name"], "mine")
        self.assertEqual(self.json("info", PLINTH_PLUGIN=PLUGIN)["plugin"]["path"], PLUGIN)


class DoctorTest(CommandTest):
    def test_one_and_all(self):
        value = self.json("doctor", PLUGIN)
        self.assertTrue(value["plugins"][0]["works"])
        self.assertTrue(any("PJRT_NamedValue" in quirk
                            for quirk in value["plugins"][0]["known_quirks"]))
        value = self.json("doctor", PJRT_NAMES_AND_LIBRARY_PATHS=f"mine:{PLUGIN}")
        self.assertEqual([one["name"] for one in value["plugins"]], ["mine"])
        self.assertIn("searched", value)
        text = self.plinth("doctor", PLUGIN).stdout
        self.assertIn("verdict: works", text)

    def test_a_program_is_tried(self):
        value = self.json("doctor", PLUGIN, "--run", PROGRAM)["plugins"][0]["programs"][0]
        self.assertEqual((value["program"], value["works"]), (PROGRAM, True))
        self.assertGreater(value["times_ms"]["run"], 0)
        self.assertGreater(value["cost"]["flops"], 0)
        text = self.plinth("doctor", PLUGIN, "--run", PROGRAM).stdout
        self.assertRegex(text, r"softmax.mlir: compiled in [\d.]+ ms, ran in [\d.]+ ms\n")
        wrong = self.folder / "wrong.mlir"
        wrong.write_text("module { func.func @main() { stablehlo.nothing } }")
        text = self.plinth("doctor", PLUGIN, "--run", wrong, "--run", PROGRAM, code=1).stdout
        self.assertRegex(text, r"problem: UNIMPLEMENTED: .*wrong.mlir: .* stablehlo.nothing is not known\n")
        self.assertIn("softmax.mlir: compiled in", text)
        self.assertIn("verdict: does not work here", text)
        value = self.json("doctor", PLUGIN, "--run", "missing.mlir", code=1)
        self.assertIn("missing.mlir", value["plugins"][0]["programs"][0]["failure"])

    def test_a_program_that_does_not_end(self):
        endless = self.folder / "endless.mlir"
        endless.write_text("""
module { func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %x) : tensor<i32>
    cond { %t = stablehlo.constant dense<true> : tensor<i1>
           stablehlo.return %t : tensor<i1> }
    do { %n = stablehlo.add %i, %x : tensor<i32>
         stablehlo.return %n : tensor<i32> }
  return %r : tensor<i32> } }""")
        text = self.plinth("doctor", PLUGIN, "--run", endless, "--timeout-ms", 5000, code=1).stdout
        self.assertRegex(text, "`plinth run .*endless.mlir` did not end within 5000 ms")

    def test_problems(self):
        ladder = self.json("doctor", PLUGIN, "--ifrt", "--option", "num_devices=2")["plugins"][0]["ifrt"]
        rungs = {one["operation"]: one["rung"] for one in ladder}
        self.assertEqual(rungs["reshard of pieces"], "one program over all devices", ladder)
        text = self.plinth("doctor", PLUGIN, "--ifrt").stdout
        self.assertIn("    copy to another device:  not tried: one device\n", text)
        self.assertNotIn("arrays over many devices", self.plinth("doctor", PLUGIN).stdout)
        value = self.json("doctor", PLUGIN, "--option", "no_such=1", code=1)
        self.assertFalse(value["plugins"][0]["works"])
        self.assertEqual(value["plugins"][0]["findings"][0]["kind"], "problem")
        self.json("doctor", code=3)
        self.json("doctor", "./nothing.so", code=3)

    def test_missing_library(self):
        source = self.folder / "needs.c"
        source.write_text("int missing(void); const void* GetPjrtApi(void) "
                          "{ return (void*)(long)missing(); }")
        (self.folder / "missing.c").write_text("int missing(void) { return 0; }")
        subprocess.run(["cc", "-shared", "-fPIC", "missing.c", "-o", "libcudart.so.99",
                        "-Wl,-soname,libcudart.so.99"], cwd=self.folder, check=True)
        subprocess.run(["cc", "-shared", "-fPIC", "needs.c", "./libcudart.so.99", "-o",
                        "needs.so"], cwd=self.folder, check=True)
        (self.folder / "libcudart.so.99").unlink()
        value = self.json("doctor", "./needs.so", code=1)
        texts = [one["text"] for one in value["plugins"][0]["findings"]]
        self.assertTrue(any("missing libraries of CUDA: libcudart.so.99" in text and "nvidia-cuda-runtime" in text
                            for text in texts), texts)

    def test_the_library_to_blame_is_named(self):
        """Not the one that is there and needs it."""
        for name, uses in (("libccl.so.1", ""), ("libmiddle.so", "libccl.so.1"), ("upper.so", "libmiddle.so")):
            symbol = name.split(".")[0]
            used = uses.split(".")[0]
            (self.folder / "a.c").write_text(
                f"int {used or 'getpid'}(void); int {symbol}(void) {{ return {used or 'getpid'}(); }}\n"
                f"const void* GetPjrtApi(void) {{ return (void*)(long){symbol}(); }}")
            subprocess.run(["cc", "-shared", "-fPIC", "-w", "a.c", *([f"./{uses}"] if uses else []), "-o", name,
                            f"-Wl,-soname,{name}", "-Wl,-rpath,$ORIGIN"], cwd=self.folder, check=True)
        (self.folder / "libccl.so.1").unlink()
        plugin = self.json("doctor", "./upper.so", code=1)["plugins"][0]
        self.assertEqual([(m["name"], m["needed_by"].rsplit("/", 1)[-1]) for m in plugin["probe"]["missing_libraries"]],
                         [("libccl.so.1", "libmiddle.so")])
        self.assertEqual(plugin["probe"]["stage"], "open")
        self.assertIn("missing libraries of oneAPI: libccl.so.1", plugin["findings"][0]["text"])

    def table(self, name: str, major: int, minor: int, size: int) -> pathlib.Path:
        """A plugin with every slot filled, of that version and struct_size, and two old extension nodes."""
        (self.folder / "table.c").write_text(f"""
#include <stddef.h>
struct node {{ int type; struct node* next; }};
static struct node second = {{5, NULL}}, first = {{1, &second}};
static void* nothing(void* args) {{ return args == NULL ? NULL : NULL; }}
static struct {{ size_t size; void* chain; struct {{ size_t size; void* chain; int major, minor; }} version;
  void* slots[200]; }} table = {{{size}, {"&first" if minor < 45 else "NULL"}, {{24, NULL, {major}, {minor}}}, {{0}}}};
const void* GetPjrtApi(void) {{ for (int i = 0; i < 200; ++i) table.slots[i] = (void*)nothing; return &table; }}
""")
        subprocess.run(["cc", "-shared", "-fPIC", "table.c", "-o", name], cwd=self.folder, check=True)
        return self.folder / name

    def test_old_and_foreign_tables_are_read_as_the_loader_does(self):
        # struct_size lied from 0.40 to 0.55: it said 96 functions.
        old = self.json("doctor", self.table("old.so", 0, 50, 808), code=1)["plugins"][0]["probe"]
        self.assertGreater(old["table"]["slots"], 96)
        self.assertEqual(old["table"]["slots"], old["table"]["slots_filled"])
        older = self.json("doctor", self.table("older.so", 0, 40, 808), code=1)["plugins"][0]["probe"]
        self.assertEqual([e["type"] for e in older["extensions"]], [1, 5])
        foreign = self.json("doctor", self.table("foreign.so", 1, 0, 1144), code=1)["plugins"][0]
        self.assertEqual(foreign["probe"]["table"]["slots_null"], [])
        self.assertEqual(foreign["probe"]["extensions"], [])
        self.assertLess(len(foreign["findings"]), 4, foreign["findings"])

    def test_crash_is_a_finding(self):
        (self.folder / "crash.c").write_text(
            "#include <stdlib.h>\nconst void* GetPjrtApi(void) { abort(); }")
        subprocess.run(["cc", "-shared", "-fPIC", "crash.c", "-o", "crash.so"],
                       cwd=self.folder, check=True)
        value = self.json("doctor", "./crash.so", code=1)
        self.assertIn("SIGABRT", value["plugins"][0]["findings"][0]["text"])


class CompileTest(CommandTest):
    def test_compile_and_run_again(self):
        value = self.json("compile", PROGRAM, "--plugin", PLUGIN, "-o", "softmax.exe",
                          "--optimized", "optimized")
        self.assertEqual(value["outputs"], ["f32[2,3]{1,0}", "s32[2]{0}"])
        self.assertEqual(value["memory"]["arguments"], 24)
        self.assertGreater(value["cost"]["flops"], 0)
        self.assertTrue((self.folder / "optimized").stat().st_size > 0)
        value = self.run_program("--serialized", "-i", INPUT, json=True, program="softmax.exe")
        self.assertEqual(value["outputs"][1]["data"], [0, 1])
        self.assertIn("flops", self.plinth("compile", PROGRAM, "--plugin", PLUGIN).stdout)

    def test_errors(self):
        self.plinth("compile", "missing.mlir", "--plugin", PLUGIN, code=2)
        self.plinth("compile", PROGRAM, "--plugin", PLUGIN, "--topology", "x", "--serialized", code=2)
        self.assertIn('asked for "x"', self.plinth("compile", PROGRAM, "--plugin", PLUGIN, "--topology", "x", code=1).stderr)
        self.plinth("compile", PROGRAM, "--plugin", "./nothing.so", code=3)
        self.plinth("compile", PROGRAM, "--plugin", PLUGIN, "-o", "/nowhere/x", code=2)
        self.plinth("compile", PROGRAM, "--plugin", PLUGIN, "--compile-option", "l=[1,2]", code=2)
        self.plinth("compile", PROGRAM, "--plugin", PLUGIN, "--compile-option",
                    "x=99999999999999999999", code=2)


class ReplayTest(CommandTest):
    def test_same_and_different(self):
        program = self.program("4", "f32")
        self.run_program("-i", "f32[4]=range", "--layers", "trace(capture=run.capture)",
                         program=program)
        value = self.json("replay", "run.capture", "--plugin", PLUGIN)
        self.assertEqual((value["outputs_compared"], value["divergences"]), (1, 0))
        self.assertIn("differences:        0",
                      self.plinth("replay", "run.capture", "--plugin", PLUGIN).stdout)
        # One that was cut off is an error or a part of the run, never more.
        capture = (self.folder / "run.capture").read_bytes()
        (self.folder / "cut.capture").write_bytes(capture[:len(capture) // 2])
        result = subprocess.run([PLINTH, "replay", "cut.capture", "--plugin", PLUGIN],
                                cwd=self.folder, env=self.environment, capture_output=True)
        self.assertIn(result.returncode, (0, 1, 2))

    def test_bad_files(self):
        (self.folder / "text").write_text("no capture")
        self.assertIn("text", self.plinth("replay", "text", "--plugin", PLUGIN, code=2).stderr)
        self.json("replay", "missing", "--plugin", PLUGIN, code=2)
        self.plinth("replay", "text", "--plugin", "./nothing.so", code=3)


class BenchTest(CommandTest):
    def test_two_plugins(self):
        value = self.json("bench", PLUGIN, PLUGIN, PROGRAM, self.program("4", "f32"), "--rounds", "3")
        self.assertEqual(len(value["programs"]), 2)
        for key in ("compile", "latency", "throughput"):
            for side in value["programs"][0][key]:
                self.assertGreater(side["least_ms"], 0)
                self.assertLessEqual(side["least_ms"], side["median_ms"])
            self.assertGreater(value["programs"][0][key + "_ratio"], 0)
        text = self.plinth("bench", PLUGIN, PLUGIN, PROGRAM, "--rounds", "2", "-i", INPUT).stdout
        self.assertRegex(text, r"latency: +least [\d.]+ [um]s, median .* \|  least .* \|  A is [\d.]+ of B")

    def test_bytecode_is_compiled_only(self):
        bench = pathlib.Path(__file__).resolve().parents[2] / "conformance/programs/bench"
        value = self.json("bench", PLUGIN, PLUGIN, bench / "mlp_grad.mlirbc", "--compile-options-file",
                          bench / "mlp_grad.compileopts.pb", "--compile-rounds", "2")
        self.assertEqual(set(value["programs"][0]), {"program", "compile", "compile_ratio"})

    def test_what_goes_wrong(self):
        self.plinth("bench", PLUGIN, "./nothing.so", PROGRAM, code=3)
        self.plinth("bench", PLUGIN, PLUGIN, "missing.mlir", code=2)
        self.plinth("bench", PLUGIN, PLUGIN, code=2)
        self.plinth("bench", PLUGIN, PLUGIN, PROGRAM, "-i", "f32[3]=1", "--rounds", "1", code=1)


class TraceTest(CommandTest):
    def test_a_command_is_traced(self):
        # The plugin that the variables name, as a framework would load it.
        (self.folder / "load.py").write_text("""
import ctypes, os
library = ctypes.CDLL(os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"].split(":", 1)[1])
library.GetPjrtApi.restype = ctypes.POINTER(ctypes.c_char)
table = library.GetPjrtApi()
class Args(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extensions", ctypes.c_void_p)]
words = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
args = Args(16, None)
# struct_size, chain, version (24 bytes), then the slots; Plugin_Initialize is the fourth.
ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Args))(words[5 + 3])(ctypes.byref(args))
""")
        text = self.plinth("trace", "--plugin", PLUGIN, "-o", "t.json", "--", sys.executable, "load.py").stdout
        self.assertIn("t.json", text)
        self.assertIn("perfetto", text)
        self.assertIn("PJRT_Plugin_Initialize", (self.folder / "t.json").read_text())

    def test_what_goes_wrong(self):
        self.plinth("trace", code=2)
        self.plinth("trace", "--plugin", "./nothing.so", "--", "true", code=3)
        self.assertIn("made no call", self.plinth("trace", "--plugin", PLUGIN, "--", "true", code=1).stderr)
        self.plinth("trace", "--plugin", PLUGIN, "--", "false", code=1)
        self.plinth("trace", "--plugin", PLUGIN, "--", "./no-such-command", code=2)
        self.plinth("trace", "--plugin", PLUGIN, "-o", "a,b.json", "--", "true", code=2)


class ManifestTest(CommandTest):
    def test_make_check_and_use(self):
        value = self.json("manifest", "make", "--name", "mine", "--library", PLUGIN, "--option",
                          "num_devices=2", "-o", "mine.json")
        self.assertEqual(value["manifest"]["create_options"], {"num_devices": 2})
        value = self.json("manifest", "check", "mine.json")
        self.assertEqual((value["name"], value["library"]), ("mine", PLUGIN))
        # Its options reach the client.
        self.plinth("run", PROGRAM, "-i", INPUT, "--plugin", "mine", "--manifest-path", "mine.json",
                    "--device", "1")
        value = self.json("manifest", "make", "--name", "mine", "--library", PLUGIN, "--option",
                          "x=0.1")
        self.assertEqual(value["manifest"]["create_options"], {"x": 0.1})
        printed = self.plinth("manifest", "make", "--name", "mine", "--library", PLUGIN).stdout
        self.assertEqual(json.loads(printed)["name"], "mine")

    def test_bad(self):
        self.json("manifest", "make", "--name", "a b", "--library", PLUGIN, code=2)
        self.json("manifest", "make", "--name", "a", "--library", "nothing.so", code=2)
        self.json("manifest", "make", "--name", "a", "--library", PLUGIN, "--option", "x", code=2)
        self.json("manifest", "check", "missing.json", code=2)
        path = self.folder / "bad.json"
        for text in ("{", "[]", "{}", '{"manifest_version": "9.0", "name": "a", "library": "b"}'):
            path.write_text(text)
            self.json("manifest", "check", path, code=2)
        path.write_text('{"manifest_version": "1.0", "name": "a", "library": "nothing.so", "odd": 1}')
        value = self.json("manifest", "check", path, code=1)
        self.assertIn("odd", value["warnings"][0])
        self.assertIn("nothing.so", value["error"]["message"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
