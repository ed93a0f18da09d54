# SPDX-License-Identifier: Apache-2.0
"""What a vendor does with an installed Plinth.

  vendor_test.py --build FOLDER [--stage N]... [--compiler C++]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

arguments = argparse.Namespace()

# What one adds to the plugin of stage 3, so that the device takes a second op.
TAKES_MAXIMUM = [
    ("return step.matmul.has_value() &&",
     "return (step.matmul.has_value() || (step.elementwise.has_value() && step.op == \"maximum\")) &&"),
    ("    return Run([m =", """    if (step.elementwise.has_value()) {
      return Run([arguments = step.elementwise->arguments, count = step.results[0].size / 4](
                     std::span<void* const> operands, std::span<void* const> results) {
        const auto* a = static_cast<const float*>(operands[arguments[0]]);
        const auto* b = static_cast<const float*>(operands[arguments[1]]);
        for (int64_t i = 0; i < count; ++i) static_cast<float*>(results[0])[i] = std::max(a[i], b[i]);
        return Status();
      });
    }
    return Run([m ="""),
]
# What the host runs of a program, and that it computes what it should.
MAXIMUM = """
import jax, numpy as np
f = jax.jit(lambda x, y: jax.numpy.sin(jax.numpy.maximum(x, y)))
x, y = np.array([[1, 5], [-2, 0]], np.float32), np.array([[2, 3], [-3, 7]], np.float32)
assert np.allclose(f(x, y), np.sin(np.maximum(x, y)), atol=1e-6)
cost = f.lower(x, y).compile().cost_analysis()
print({key.split(".")[1]: int(cost[key]) for key in sorted(cost) if key.startswith("plinth_fallback.")})
"""
SINE = """
module { func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.maximum %x, %x : tensor<4xf32>
  %1 = stablehlo.sine %0 : tensor<4xf32>
  return %1 : tensor<4xf32> } }
"""
COMPONENTS = {1: ["headers", "support", "sdk", "conformance", "libplinth"],
              2: ["program"], 3: ["program", "compiler", "reference"]}


def run(*command, folder=None, fails=False, **environment):
    inherited = {name: value for name, value in os.environ.items()
                 if not name.startswith(("PJRT_", "JAX_", "PLINTH_", "PIP_"))}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, cwd=folder, env=inherited | environment)
    text = done.stdout + done.stderr
    assert fails == (done.returncode != 0), f"{command}\n{text}"
    return text


class VendorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        components = dict.fromkeys(name for stage in {1, *arguments.stage}
                                   for name in COMPONENTS[stage])
        for component in components:
            run("cmake", "--install", arguments.build, "--component", component, "--strip",
                "--prefix", cls.work / "installed")
        cls.prefix = cls.work / "opt" / "moved"
        cls.prefix.parent.mkdir()
        shutil.move(cls.work / "installed", cls.prefix)
        cls.plinth = cls.prefix / "bin/plinth"

    def stage(self, number: int) -> Path:
        """A project, built; its tests pass."""
        name = f"npu{number}"
        run(self.plinth, "new", name, "--stage", number, folder=self.work)
        project = self.work / name
        left = [path for path in project.rglob("*")
                if "template" in path.name or path.is_file() and "plinth_template" in path.read_text()]
        self.assertEqual([], left)
        run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={arguments.compiler}",
            f"-DPYTHON={sys.executable}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={arguments.launcher}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -Wno-unused-parameter")
        run("cmake", "--build", project / "build")
        print(run("ctest", "--test-dir", project / "build", "--output-on-failure"))
        return project

    def suite(self, project: Path) -> str:
        plugin = next((project / "build").glob("*.so"))
        return run(self.prefix / "bin/plinth-conformance", "--plugin", plugin, "--profile",
                   project / "profile.json", "--quiet")

    def wheel(self, project: Path):
        """Installed, JAX finds it."""
        site = project / "site"
        run(sys.executable, "-m", "pip", "wheel", project, "--no-deps", "--no-index", "-w",
            project / "dist", CMAKE_PREFIX_PATH=str(self.prefix),
            CMAKE_ARGS=f"-DCMAKE_CXX_COMPILER={arguments.compiler} "
                       f"-DCMAKE_CXX_COMPILER_LAUNCHER={arguments.launcher}")
        run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", site,
            next((project / "dist").glob("*.whl")))
        text = run(sys.executable, "-P", project / "try_it.py", PYTHONPATH=str(site),
                   JAX_PLATFORMS=project.name, folder=self.work)
        self.assertIn("OK", text)

    def stage_1(self):
        self.assertIn("conforms to L0", self.suite(self.stage(1)))

    def stage_2(self):
        project = self.stage(2)
        self.assertIn("conforms to L0", self.suite(project))
        self.wheel(project)

    def stage_3(self):
        project = self.stage(3)
        self.assertIn("conforms to L4", self.suite(project))
        self.replace_an_op(project)
        self.tell_what_the_host_runs(project)
        self.trace_and_replay(project)
        self.submit(project)
        self.wheel(project)

    def tell_what_the_host_runs(self, project: Path):
        """The doctor names it, for any program."""
        plugin = next((project / "build").glob("*.so"))
        program = project / "sine.mlir"
        program.write_text(SINE)
        said = run(self.plinth, "doctor", plugin, "--run", program)
        self.assertRegex(said, r"sine\.mlir: compiled in [\d.]+ ms, ran in [\d.]+ ms\n"
                               r" +on the host: sine \(1 step\), 32 bytes\n")

    def submit(self, project: Path):
        """A statement, a bundle of a run, and what whoever gets it reads."""
        plugin = next((project / "build").glob("*.so"))
        suite, statement = self.prefix / "bin/plinth-conformance", project / "statement.json"
        bundle = project / "bundle.tar.gz"
        run(suite, "statement", "--company", "Firm", "--product", "NPU 1", "--device", "npu",
            "--driver", "none", "--operating_system", "Debian 12", "--date", "2026-11-23",
            "-o", statement)
        run(suite, "--plugin", plugin, "--profile", project / "profile.json", "--quiet", "--level",
            "L1", "--statement", statement, "--bundle", bundle)
        said = run(suite, "verify", bundle, "--plugin", plugin)
        self.assertRegex(said, r"SHA-256: +[0-9a-f]{64}\n")
        self.assertIn("make a plugin of this hash conform to L1", said)
        self.assertIn("the word of Firm", said)

    def trace_and_replay(self, project: Path):
        """What JAX asked of the plugin, captured by libplinth in front of it, and repeated."""
        plugin = next((project / "build").glob("*.so"))
        libplinth = next(self.prefix.rglob("libplinth.so.0"))
        capture = project / "run.capture"
        run(sys.executable, "-P", "-c", MAXIMUM, JAX_PLATFORMS=project.name,
            PJRT_NAMES_AND_LIBRARY_PATHS=f"{project.name}:{libplinth}", PLINTH_PLUGIN=str(plugin),
            PLINTH_LAYERS=f"trace(capture={capture})")
        timeline = project / "timeline.json"
        run(self.plinth, "trace", "--plugin", plugin, "-o", timeline, "--", sys.executable, "-P",
            "-c", MAXIMUM)
        self.assertIn("PJRT_LoadedExecutable_Execute", timeline.read_text())
        said = run(self.plinth, "replay", capture, "--plugin", plugin)
        self.assertRegex(said, r"differences: +0\n")

    def replace_an_op(self, project: Path):
        """The device takes maximum too, which the host ran before."""
        self.assertIn("{'maximum': 1, 'sine': 1}", self.on_host(project))
        source = project / "plugin.cc"
        text = source.read_text()
        for old, new in TAKES_MAXIMUM:
            self.assertIn(old, text)
            text = text.replace(old, new)
        source.write_text(text)
        run("cmake", "--build", project / "build")
        self.assertIn("{'sine': 1}", self.on_host(project))

    def on_host(self, project: Path) -> str:
        plugin = next((project / "build").glob("*.so"))
        return run(sys.executable, "-P", "-c", MAXIMUM, JAX_PLATFORMS=project.name,
                   PJRT_NAMES_AND_LIBRARY_PATHS=f"{project.name}:{plugin}")

    def test_bad_names(self):
        for name in ("", "Npu", "my-npu", "1npu", "class", "cpu", "a" * 65, "../npu", "é"):
            with self.subTest(name):
                said = run(self.plinth, "new", name, folder=self.work, fails=True)
                self.assertIn("cannot name a plugin", said)
        self.assertIn("--stage", run(self.plinth, "new", "npu", "--stage", "4", fails=True))
        self.assertIn("--language", run(self.plinth, "new", "npu", "--language", "rust", fails=True))

    def test_a_folder_that_exists(self):
        (self.work / "taken").mkdir()
        (self.work / "dangling").symlink_to("nowhere")
        for name in ("taken", "dangling"):
            said = run(self.plinth, "new", name, folder=self.work, fails=True)
            self.assertIn(f"{name} exists already", said)
        self.assertEqual([], list((self.work / "taken").iterdir()))
        said = run(self.plinth, "new", "npu", "--folder", "/proc/npu", fails=True)
        self.assertIn("cannot be written", said)

    def test_without_the_template(self):
        alone = self.work / "alone"
        (alone / "bin").mkdir(parents=True)
        shutil.copy(self.plinth, alone / "bin")
        said = run(alone / "bin/plinth", "new", "npu", folder=self.work, fails=True,
                   LD_LIBRARY_PATH=str(next(self.prefix.rglob("libplinth.so.0")).parent))
        self.assertIn("--component sdk", said)
        self.assertIn("tar.gz", said)
        self.assertFalse((self.work / "npu").exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--stage", type=int, action="append", choices=(1, 2, 3), default=[])
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--launcher", default=os.environ.get("PLINTH_COMPILER_LAUNCHER", ""))
    arguments, rest = parser.parse_known_args()
    for number in arguments.stage:
        setattr(VendorTest, f"test_stage_{number}", getattr(VendorTest, f"stage_{number}"))
    started = time.monotonic()
    program = unittest.main(argv=[sys.argv[0], *rest], exit=False)
    print(f"{time.monotonic() - started:.1f} s")
    sys.exit(not program.result.wasSuccessful())
