# SPDX-License-Identifier: Apache-2.0
"""A PEP 517 backend: puts an installed build and the Python files into a wheel. Standard library only.

PLINTH_BUILD names the build, build/release without it. What is not built is left out and said, unless
the config setting `complete` asks for all of it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

import linked_in

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = "plinth_pjrt"
DISTRIBUTION = "plinth-pjrt"


class Row(NamedTuple):
    component: str  # of the install tree
    pattern: str    # its files, below plinth_pjrt/ as below any prefix


# Everything that the wheel has beside Python files. Each program of bin/ becomes a command.
CONTENTS = (
    Row("cpu-plugin", "lib/pjrt_plinth_cpu.so"),
    Row("cpu-plugin", "share/plinth/plugins.d/plinth_cpu.json"),
    Row("cuda-plugin", "lib/pjrt_plinth_cuda.so"),
    Row("cuda-plugin", "share/plinth/plugins.d/plinth_cuda.json"),
    Row("libplinth", "lib/libplinth.so.0"),
    Row("libplinth", "lib/cmake/libplinth/*.cmake"),
    Row("libplinth", "share/plinth/manifest.schema.json"),
    Row("libplinth", "bin/plinth"),
    Row("ifrt", "lib/libplinth_ifrt.so.0"),
    Row("ifrt", "include/plinth/ifrt.hpp"),
    Row("ifrt", "lib/cmake/libplinth_ifrt/*.cmake"),
    Row("serve", "bin/plinth-serve"),
    Row("conformance", "bin/plinth-conformance"),
    Row("headers", "include/plinth/api/**/*"),
    Row("headers", "lib/cmake/plinth/*.cmake"),
)
# Without it there is no wheel.
PLUGIN = "lib/pjrt_plinth_cpu.so"

# Modules that a group of entry points names.
ENTRY_POINTS = {
    "jax_plugins": ("plinth = plinth_pjrt.jax_plugin",),
    "torch_xla.plugins": ("plinth = plinth_pjrt.torch_plugin:CpuPlugin",),
}
EXTRAS = {
    "jax": ("jax>=0.4.34",),
    "torch": ("torch==2.9.*", "torch-xla==2.9.*"),
    "blas": ("scipy-openblas32",),
    "ifrt": ("numpy",),
    "cuda": ("nvidia-cuda-nvrtc>=13", "nvidia-cublas>=13"),
}
MACHINES = {3: "i686", 62: "x86_64", 183: "aarch64", 243: "riscv64"}


def _build() -> Path:
    return Path(os.environ.get("PLINTH_BUILD", ROOT / "build/release"))


def _cached(name: str) -> str:
    """A variable of the build's CMake cache, or nothing."""
    cache = _build() / "CMakeCache.txt"
    if not cache.is_file():
        raise FileNotFoundError(f"{_build()} is not a build: make one with `scripts/build release`, or name another in "
                                "PLINTH_BUILD")
    found = re.search(rf"^{name}:\w+=(.*)$", cache.read_text(), re.M)
    return found.group(1) if found else ""


def version() -> str:
    return _cached("CMAKE_PROJECT_VERSION") + _cached("PLINTH_VERSION_SUFFIX")


def _install(component: str, prefix: Path) -> str:
    """Returns what is missing in the build, or nothing."""
    command = [_cached("CMAKE_COMMAND"), "--install", _build(), "--strip", "--component", component, "--prefix", prefix]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    missing = re.search(r'cannot find\s+"([^"]*)"', done.stderr)
    return missing.group(1) if missing else done.stderr.strip()


def _installed(prefix: Path, complete: bool) -> dict[str, Path]:
    """The files of CONTENTS by their places, installed below the prefix."""
    missing = {component: _install(component, prefix / component)
               for component in dict.fromkeys(row.component for row in CONTENTS)}
    files: dict[str, Path] = {}
    for row in CONTENTS:
        found = sorted(p for p in (prefix / row.component).glob(row.pattern) if p.is_file())
        if not found and (complete or row.pattern == PLUGIN):
            why = missing[row.component] or f"the component {row.component} does not install it there"
            raise FileNotFoundError(f"no {row.pattern} can be installed from {_build()} (missing: {why}). Build it with "
                                    "`scripts/build release`, or name another build in PLINTH_BUILD")
        if not found:
            print(f"left out, since {_build()} does not have it: {row.pattern}", file=sys.stderr)
        files |= {str(p.relative_to(prefix / row.component)): p for p in found}
    return files


def _content(place: str, path: Path) -> bytes:
    data = path.read_bytes()
    if place.endswith(".cmake"):  # A wheel has no symbolic links: of a library there is the SONAME alone.
        data = re.sub(rb"(\.so\.\d+)\.\d+\.\d+\b", rb"\1", data)
    return data


def _machine(data: bytes) -> str:
    (number,) = struct.unpack_from("<H", data, 18)
    return MACHINES.get(number, f"machine {number} of ELF")


def _glibc(data: bytes) -> int:
    """The N of the newest GLIBC_2.N that a binary of 64 bits needs, by its section of needed versions."""
    table, size, count = struct.unpack_from("<Q10xHH", data, 40)
    sections = [struct.unpack_from("<4xI16xQ8xII", data, table + i * size) for i in range(count)]
    newest = 0
    for kind, offset, link, entries in sections:
        if kind != 0x6FFFFFFE:  # SHT_GNU_verneed
            continue
        texts, need = sections[link][1], offset
        for _ in range(entries):
            names, first, following = struct.unpack_from("<2xH4xII", data, need)
            name = need + first
            for _ in range(names):
                text, next_name = struct.unpack_from("<8xII", data, name)
                found = re.match(rb"GLIBC_2\.(\d+)", data[texts + text:texts + text + 20])
                newest = max(newest, int(found.group(1)) if found else 0)
                name += next_name
            need += following
    return newest


def _platform(files: dict[str, bytes]) -> str:
    """The tag of what the binaries need."""
    binaries = {place: data for place, data in files.items() if data.startswith(b"\x7fELF")}
    machine = _machine(binaries[PLUGIN])
    glibc = 17
    for place, data in binaries.items():
        if _machine(data) != machine:
            raise ValueError(f"{place} is for {_machine(data)}, but {PLUGIN} is for {machine}: a wheel is for one; "
                             "build all of it with one compiler")
        glibc = max(glibc, _glibc(data))
    return f"manylinux_2_{glibc}_{machine}"


def _metadata(tag: str, commands: list[str]) -> dict[str, str]:
    extras = "".join(f"Provides-Extra: {extra}\n" + "".join(f"Requires-Dist: {r}; extra == '{extra}'\n" for r in needed)
                     for extra, needed in EXTRAS.items())
    groups = ENTRY_POINTS | {"console_scripts": tuple(f"{c} = plinth_pjrt.command:main" for c in commands)}
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {version()}\n"
                    "Summary: PJRT plugins for CPUs and NVIDIA GPUs, and what loads, checks and extends any plugin\n"
                    f"License: {linked_in.licenses()}\nRequires-Python: >=3.9\n"
                    "Keywords: pjrt,jax,pytorch,xla,stablehlo\n"
                    "Classifier: Operating System :: POSIX :: Linux\n"
                    "Classifier: Programming Language :: Python :: 3\n"
                    "Classifier: Typing :: Typed\n"
                    "Description-Content-Type: text/markdown\n"
                    f"{extras}\n{(HERE / 'DESCRIPTION.md').read_text()}",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: plinth\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "entry_points.txt": "\n".join(f"[{group}]\n" + "".join(f"{line}\n" for line in lines)
                                      for group, lines in groups.items()),
    }


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    with tempfile.TemporaryDirectory() as prefix:
        installed = _installed(Path(prefix), bool((config_settings or {}).get("complete")))
        binary = {place: _content(place, path) for place, path in installed.items()}
    tag = f"py3-none-{_platform(binary)}"
    commands = sorted(place.removeprefix("bin/") for place in binary if place.startswith("bin/"))
    python = {p.name: p.read_bytes() for p in (HERE / PACKAGE).iterdir() if p.suffix in (".py", ".pyi", ".typed")}
    info = f"{PACKAGE}-{version()}.dist-info"
    files = {f"{PACKAGE}/{place}": data for place, data in sorted((python | binary).items())}
    files |= {f"{info}/licenses/{legal}": (ROOT / legal).read_bytes() for legal in ("LICENSE", "NOTICE")}
    materials = linked_in.bill_of_materials(DISTRIBUTION, version())
    files[f"{info}/sboms/plinth.cdx.json"] = materials.encode()
    files |= {f"{info}/{file}": text.encode() for file, text in _metadata(tag, commands).items()}

    name = f"{PACKAGE}-{version()}-{tag}.whl"
    # The same bytes whenever it is made.
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "1577836800")), 315532800))[:6]
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:

        def add(place: str, data: bytes) -> str:
            entry = zipfile.ZipInfo(place, date)
            runs = data.startswith(b"\x7fELF")
            entry.external_attr = (0o100000 | (0o755 if runs else 0o644)) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            return f"{place},sha256={digest},{len(data)}\n"

        record = "".join(add(place, data) for place, data in files.items())
        add(f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode())
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the wheel is made from a build of the whole repository; there is no source distribution")
