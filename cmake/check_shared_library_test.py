# SPDX-License-Identifier: Apache-2.0
"""check_shared_library.sh finds what it is to find, in small libraries with one fault each.

  check_shared_library_test.py [COMPILER]
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "cc"
# Enough functions for marks, and a buffer for canaries.
CODE = """
#include <stdio.h>
#include <string.h>
void Use(char*);
#define TWICE(n) __attribute__((visibility("default"))) void f##n(void) {} void g##n(void) { char b[64]; Use(b); }
TWICE(0) TWICE(1) TWICE(2) TWICE(3) TWICE(4)
__attribute__((noinline)) void Use(char* b) { char c[9]; memcpy(c, b, strlen(b)); fputs(c, stderr); }
"""
EXPORTS = "f0 f1 f2 f3 f4"
HARDENED = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-fcf-protection"]
LINKED = ["-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack"]


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, *, compiled=HARDENED, linked=LINKED, code=CODE, shared=("-shared",)):
        source, library = self.folder / "a.c", self.folder / "a.so"
        source.write_text(code)
        subprocess.run([COMPILER, "-O2", "-fPIC", "-fvisibility=hidden", *compiled, "-c", source, "-o", self.folder / "a.o"],
                       check=True)
        subprocess.run([COMPILER, *shared, self.folder / "a.o", "-o", library, f"-Wl,-Map={library}.map", *linked], check=True, stderr=subprocess.DEVNULL)
        return library

    def check(self, library, *options, exports=EXPORTS, size="0"):
        done = subprocess.run([HERE / "check_shared_library.sh", *options, library, exports, size], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def assert_says(self, words, library, *options, **arguments):
        code, text = self.check(library, *options, **arguments)
        self.assertEqual(code, 1, text)
        self.assertIn(words, text)

    def test_sound(self):
        code, text = self.check(self.build(), "--hardened", "--glibc", "2.27")
        self.assertEqual(code, 0, text)
        self.assertIn("exports 5 names", text)

    def test_exports_and_size(self):
        library = self.build()
        self.assert_says("exports something else", library, exports="f0 f1 f2 f3")
        self.assert_says("exports something else", library, exports=EXPORTS + " f5")
        self.assertEqual(self.check(library, exports="any")[0], 0)
        self.assert_says("at most 1000 are allowed", library, size="1000")

    def test_a_newer_symbol_is_named_with_its_object(self):
        code = CODE + "#include <math.h>\ndouble h(double x) { return exp(x); }\ndouble (*keep)(double) = h;\n"
        library = self.build(code=code, linked=[*LINKED, "-lm"])
        self.assert_says(f"  exp, of GLIBC_2.29, from {self.folder / 'a.o'}", library, "--glibc", "2.27")
        self.assertEqual(self.check(library, "--glibc", "2.29")[0], 0)

    def test_other_libraries(self):
        library = self.build(linked=[*LINKED, "-Wl,--no-as-needed", "-lstdc++"])
        self.assert_says("is linked to libstdc++.so.6", library)

    def test_what_the_linker_does(self):
        self.assert_says("stay writable (-Wl,-z,relro)", self.build(linked=["-Wl,-z,norelro", "-Wl,-z,now"]))
        self.assert_says("is bound late", self.build(linked=["-Wl,-z,relro", "-Wl,-z,lazy"]))
        self.assert_says("executable stack", self.build(linked=["-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,execstack"]))
        main = CODE + "int main(void) { return 0; }\n"
        self.assert_says("not position independent", self.build(code=main, shared=("-no-pie",)), exports="program")

    def test_where_libraries_are_looked_for(self):
        for path, found in (("$ORIGIN:/home/me", "'/home/me'"), ("$ORIGIN/../lib:", "''"), ("lib", "'lib'")):
            self.assert_says(f"looks for libraries in {found} (RUNPATH)", self.build(linked=[*LINKED, f"-Wl,-rpath,{path}"]))
        code, text = self.check(self.build(linked=[*LINKED, "-Wl,-rpath,$ORIGIN:$ORIGIN/../lib"]))
        self.assertEqual(code, 0, text)

    def test_what_the_compiler_does(self):
        for flag, other, words in ((0, "-fno-stack-protector", "has no canaries"),
                                   (2, "-D_FORTIFY_SOURCE=0", "has no checked calls of libc"),
                                   (3, "-fcf-protection=none", "marks of where jumps may lead")):
            flags = list(HARDENED)
            flags[flag] = other
            library = self.build(compiled=flags)
            self.assert_says(words, library, "--hardened")
            self.assertEqual(self.check(library)[0], 0)

    def test_options(self):
        done = subprocess.run([HERE / "check_shared_library.sh", "--soft", "a.so", "any", "0"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, "check_shared_library.sh: no option --soft\n"))


if __name__ == "__main__":
    unittest.main()
