# SPDX-License-Identifier: Apache-2.0
"""What build_wheel.py puts into a wheel, and what it refuses, on builds made up for it."""

import ast
import json
import struct
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build_wheel  # noqa: E402

X86_64, AARCH64 = 62, 183


def binary(machine, glibc="2.17"):
    """An ELF file with a section of needed versions, and a text that looks like one."""
    header = b"\x7fELF\2\1\1".ljust(18, b"\0") + struct.pack("<H", machine)
    texts = f"\0GLIBC_2.2.5\0GLIBC_{glibc}\0".encode()
    need = struct.pack("<HHIIIIHHIIIHHII", 1, 2, 0, 16, 0, 0, 0, 0, 1, 16, 0, 0, 0, 13, 0)
    sections = struct.pack("<4xI16xQQII16x", 3, 64, len(texts), 0, 0)
    sections += struct.pack("<4xI16xQQII16x", 0x6FFFFFFE, 64 + len(texts), len(need), 0, 1)
    table = 64 + len(texts) + len(need)
    return header.ljust(40, b"\0") + struct.pack("<Q10xHHH", table, 64, 2, 0) + texts + need + sections + b"\0GLIBC_2.99\0"


@pytest.fixture(name="build")
def fixture_build(tmp_path, monkeypatch):
    """A build that installs what build.files has, whatever the component."""
    class Build:
        files = {"lib/pjrt_plinth_cpu.so": binary(X86_64, "2.27")}

        def wheel(self, **settings):
            folder = tmp_path / "dist"
            folder.mkdir(exist_ok=True)
            return zipfile.ZipFile(folder / build_wheel.build_wheel(folder, settings))

    build = Build()
    build.files = dict(Build.files)

    def install(component, prefix):
        for place, data in build.files.items():
            if any(row.component == component and Path(place).match(row.pattern) for row in build_wheel.CONTENTS):
                (prefix / place).parent.mkdir(parents=True, exist_ok=True)
                (prefix / place).write_bytes(data)
        return ""

    (tmp_path / "CMakeCache.txt").write_text("CMAKE_PROJECT_VERSION:STATIC=1.2.3\nPLINTH_VERSION_SUFFIX:STRING=.dev4\n")
    monkeypatch.setenv("PLINTH_BUILD", str(tmp_path))
    monkeypatch.setattr(build_wheel, "_install", install)
    return build


def test_names_say_version_and_platform(build):
    build.files["bin/plinth"] = binary(X86_64, "2.28")
    wheel = build.wheel()
    assert wheel.filename.endswith("plinth_pjrt-1.2.3.dev4-py3-none-manylinux_2_28_x86_64.whl")
    metadata = wheel.read("plinth_pjrt-1.2.3.dev4.dist-info/METADATA").decode()
    assert "\nName: plinth-pjrt\nVersion: 1.2.3.dev4\n" in metadata
    # Nothing is needed that no extra asks for.
    assert all("; extra ==" in line for line in metadata.splitlines() if line.startswith("Requires-Dist"))


def test_a_program_becomes_a_command_and_can_be_run(build):
    build.files["bin/plinth-conformance"] = binary(X86_64)
    wheel = build.wheel()
    points = wheel.read("plinth_pjrt-1.2.3.dev4.dist-info/entry_points.txt").decode()
    assert "plinth-conformance = plinth_pjrt.command:main\n" in points and "plinth = plinth_pjrt.c" not in points
    assert wheel.getinfo("plinth_pjrt/bin/plinth-conformance").external_attr >> 16 & 0o111
    assert not wheel.getinfo("plinth_pjrt/__init__.py").external_attr >> 16 & 0o111


def test_it_says_what_is_linked_in(build):
    wheel = build.wheel()
    materials = json.loads(wheel.read("plinth_pjrt-1.2.3.dev4.dist-info/sboms/plinth.cdx.json"))
    assert {"Highway", "libstdc++"} < {c["name"] for c in materials["components"]}
    notice = wheel.read("plinth_pjrt-1.2.3.dev4.dist-info/licenses/NOTICE").decode()
    assert all(c["name"] in notice for c in materials["components"])


def test_the_same_bytes_twice(build, tmp_path, monkeypatch):
    first = Path(build.wheel().filename).read_bytes()
    assert Path(build.wheel().filename).read_bytes() == first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert build.wheel().infolist()[0].date_time == (2023, 11, 14, 22, 13, 20)


def test_cmake_finds_the_library_that_is_there(build):
    build.files["lib/libplinth.so.0"] = binary(X86_64)
    build.files["lib/cmake/libplinth/libplinthConfig.cmake"] = b'set(x "${_IMPORT_PREFIX}/lib/libplinth.so.0.1.0")'
    text = build.wheel().read("plinth_pjrt/lib/cmake/libplinth/libplinthConfig.cmake")
    assert text == b'set(x "${_IMPORT_PREFIX}/lib/libplinth.so.0")'


def test_another_architecture_is_refused(build):
    build.files["lib/pjrt_plinth_cuda.so"] = binary(AARCH64)
    with pytest.raises(ValueError, match="lib/pjrt_plinth_cuda.so is for aarch64, but lib/pjrt_plinth_cpu.so is for x86_64"):
        build.wheel()


def test_what_is_not_built_is_said(build, capsys, tmp_path):
    build.wheel()
    assert "left out" in capsys.readouterr().err
    with pytest.raises(FileNotFoundError, match="no share/plinth/plugins.d/plinth_cpu.json can be installed"):
        build.wheel(complete="1")
    build.files.clear()
    with pytest.raises(FileNotFoundError, match="no lib/pjrt_plinth_cpu.so can be installed from .*scripts/build release"):
        build.wheel()
    (tmp_path / "CMakeCache.txt").unlink()
    with pytest.raises(FileNotFoundError, match="is not a build: make one with"):
        build_wheel.version()


def _unannotated(body, prefix=""):
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _unannotated(node.body, f"{node.name}.")
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or (node.name.startswith("_") and node.name[:2] != "__"):
            continue
        arguments = node.args
        named = arguments.posonlyargs + arguments.args + arguments.kwonlyargs + [a for a in (arguments.vararg, arguments.kwarg) if a]
        missing = [a.arg for a in named if a.annotation is None and a.arg not in ("self", "cls")]
        if missing or node.returns is None:
            yield f"{prefix}{node.name}({', '.join(missing)})"


@pytest.mark.parametrize("module", ["__init__", "ifrt", "remote"])
def test_type_checkers_know_what_users_call(module):
    """py.typed says that the annotations are there, in place of stubs."""
    package = build_wheel.HERE / "plinth_pjrt"
    assert (package / "py.typed").is_file()
    assert list(_unannotated(ast.parse((package / f"{module}.py").read_text()).body)) == []
