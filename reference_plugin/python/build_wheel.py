# SPDX-License-Identifier: Apache-2.0
"""A PEP 517 backend: puts the built libraries and the Python files into a wheel. Standard library only."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# In the wheel below plinth/, as in the build: the command looks for libplinth in ../lib. The first
# has to be there.
BINARIES = ("lib/pjrt_plinth_cpu.so", "lib/pjrt_plinth_cuda.so", "lib/libplinth.so.0",
            "lib/libplinth_ifrt.so.0", "bin/plinth")
# What the libraries need of the system; a test reads it from them.
GLIBC = "2_34"


def _version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(plinth VERSION (\S+)", text).group(1)


def _build() -> Path:
    return Path(os.environ.get("PLINTH_BUILD", ROOT / "build/release"))


def _files() -> dict[str, Path]:
    """What goes into the wheel, by its place there."""
    files = {f"plinth/{p.name}": p for p in sorted((HERE / "plinth").glob("*.py"))}
    files |= {f"plinth/{name}": _build() / name for name in BINARIES if (_build() / name).is_file()}
    if f"plinth/{BINARIES[0]}" not in files:
        raise FileNotFoundError(f"no {BINARIES[0]} in {_build()}: build it with `scripts/build release "
                                "pjrt_plinth_cpu`, or name another build in PLINTH_BUILD")
    return files


def _metadata() -> dict[str, str]:
    version = _version()
    tag = f"py3-none-manylinux_{GLIBC}_{platform.machine()}"
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: plinth\nVersion: {version}\n"
                    "Summary: The Plinth plugins for JAX, and libplinth\n"
                    "License: Apache-2.0\nRequires-Python: >=3.9\n"
                    "Provides-Extra: cuda\nRequires-Dist: nvidia-cuda-nvrtc>=13; extra == 'cuda'\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: plinth\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "entry_points.txt": "[jax_plugins]\nplinth = plinth.jax_plugin\n\n"
                            "[console_scripts]\nplinth = plinth.command:main\n",
    }


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    version = _version()
    info = f"plinth-{version}.dist-info"
    metadata = _metadata()
    tag = re.search(r"Tag: (\S+)", metadata["WHEEL"]).group(1)
    name = f"plinth-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as wheel:

        def add(place: str, data: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(place, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{place},sha256={digest},{len(data)}")

        for place, path in _files().items():
            add(place, path.read_bytes(), 0o644 if place.endswith(".py") else 0o755)
        for legal in ("LICENSE", "NOTICE"):
            add(f"{info}/licenses/{legal}", (ROOT / legal).read_bytes(), 0o644)
        for file, text in metadata.items():
            add(f"{info}/{file}", text.encode(), 0o644)
        record.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the wheel is made from a build of the whole repository; there is no source distribution")
