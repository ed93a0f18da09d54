# SPDX-License-Identifier: Apache-2.0
"""Builds and runs a program per component of the installed CMake package, from a moved folder.

  components_test.py --build FOLDER [--compiler C++]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPONENTS = sorted(path.stem for path in HERE.glob("*.cc"))
arguments = argparse.Namespace()


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env=os.environ | environment)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def install(prefix: Path, *components: str) -> Path:
    for component in components:
        run("cmake", "--install", arguments.build, "--component", component, "--prefix", prefix)
    return prefix


class ComponentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        installed = install(cls.work / "installed", "headers", "support", *COMPONENTS)
        cls.prefix = cls.work / "moved"
        shutil.move(installed, cls.prefix)

    def test_by_cmake(self):
        build = self.work / "build"
        run("cmake", "-S", HERE, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCOMPONENTS={';'.join(COMPONENTS)}", f"-DCMAKE_CXX_COMPILER={arguments.compiler}",
            "-DCMAKE_CXX_COMPILER_LAUNCHER=" + os.environ.get("PLINTH_COMPILER_LAUNCHER", ""))
        run("cmake", "--build", build)
        for component in COMPONENTS:
            run(build / f"uses_{component}")
        self.assertIn("stablehlo.add at text:3:8", run(build / "uses_program"))

    def test_by_pkg_config(self):
        config = {"PKG_CONFIG_PATH": str(next(self.prefix.rglob("plinth.pc")).parent)}
        libraries = str(next(self.prefix.rglob("libplinth.so.0")).parent)
        for component in COMPONENTS:
            name = "plinth" if component == "libplinth" else f"plinth-{component}"
            flags = run("pkg-config", "--cflags", "--libs", "--static", name, **config).split()
            self.assertTrue(any(str(self.work) in flag for flag in flags), flags)
        flags = run("pkg-config", "--cflags", "--libs", "plinth-program", **config).split()
        program = self.work / "by_hand"
        run(arguments.compiler, "-std=c++20", HERE / "program.cc", "-o", program, *flags)
        run(program, LD_LIBRARY_PATH=libraries)

    def test_samples_as_they_say(self):
        """Each says in a comment how it is built elsewhere."""
        config = str(next(self.prefix.rglob("plinth.pc")).parent)
        samples = self.work / "samples"
        shutil.copytree(HERE.parents[1] / "samples", samples)
        count = 0
        for source in sorted([*samples.rglob("*.c"), *samples.rglob("*.cc")]):
            said = re.findall(r"^(?://)? +((?:cc|c\+\+) -std=.*)$", source.read_text(), re.M)
            with self.subTest(source.name):
                self.assertEqual(1, len(said), "no line says how to build it")
                run("sh", "-c", f"cd {source.parent} && "
                    + said[0].replace("PREFIX", str(self.prefix)), PKG_CONFIG_PATH=config)
            count += 1
        self.assertEqual(6, count)

    def refused(self, prefix: Path, find: str, then: str = "") -> str:
        source = self.work / f"refused_{len(list(self.work.iterdir()))}"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES NONE)\n{find}\n{then}\n")
        done = subprocess.run(["cmake", "-S", source, "-B", source / "build", "-G", "Ninja",
                               f"-DCMAKE_PREFIX_PATH={prefix}"],
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(0, done.returncode, find)
        return " ".join(done.stderr.split())

    def test_what_is_missing(self):
        prefix = install(self.work / "few", "headers", "client")
        for component, missing in (("sdk", "sdk"), ("client", "support"), ("libplinth", "libplinth")):
            said = self.refused(prefix, f"find_package(plinth REQUIRED COMPONENTS {component})")
            self.assertIn(f"--component {missing} --prefix {prefix}", said)
        said = self.refused(prefix, "find_package(plinth REQUIRED COMPONENTS sdks)")
        self.assertIn("plinth has no component sdks; it has libplinth, ifrt, support, sdk, ", said)

    def test_a_template_that_names_no_component(self):
        find = "find_package(plinth 0.1 REQUIRED)"
        said = self.refused(install(self.work / "old", "headers", "sdk"), find)
        self.assertIn("find_package(plinth COMPONENTS sdk)", said)
        said = self.refused(self.prefix, find, "plinth_plugin(a SOURCES a.cc)")
        self.assertIn("find_package(plinth COMPONENTS sdk)", said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--compiler", default="c++")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
