# SPDX-License-Identifier: Apache-2.0
"""What the tests of api/ share: paths, the generator's modules, and the compilers."""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

API = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(API / "generate"))

STRICT = ["-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror", "-fsyntax-only"]
COMPILERS = {
    "gcc C11": ["gcc", "-x", "c", "-std=c11"],
    "clang C11": ["clang", "-x", "c", "-std=c11"],
    "g++ C++17": ["g++", "-x", "c++", "-std=c++17", "-Wno-invalid-offsetof"],
    "clang++ C++17": ["clang++", "-x", "c++", "-std=c++17", "-Wno-invalid-offsetof"],
}


def work_dir(name: str) -> Path:
    """An empty folder below the build tree, or below the system's temporary folder."""
    base = Path(os.environ.get("PLINTH_TEST_DIR") or tempfile.mkdtemp())
    folder = base / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def generate(*arguments: str, api: Path = API) -> subprocess.CompletedProcess:
    command = [sys.executable, str(API / "generate"), "--api", str(api), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compile_all(jobs: list[tuple[str, list[str], Path]]) -> list[str]:
    """Compiles (compiler, include folders, source) triples; returns what failed, with the output.

    A missing compiler is a failure: the header is promised to both.
    """

    def run(job: tuple[str, list[str], Path]) -> str:
        compiler, folders, source = job
        command = COMPILERS[compiler] + STRICT + [f"-I{f}" for f in folders] + [str(source)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            return f"{compiler}: {error}"
        return f"{compiler} {source}:\n{done.stderr[:3000]}" if done.returncode else ""

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [text for text in pool.map(run, jobs) if text]
