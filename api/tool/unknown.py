# SPDX-License-Identifier: Apache-2.0
"""What a plugin, or the plugin in a wheel, has that the registry does not know.

Nothing is made with the plugin: its table is read, and each function is called with arguments of
one byte, which it refuses. Strict plugins say then how large its arguments have to be.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from abi import Abi, AbiError

SECONDS = 120
# Functions that return nothing, and the one that ends the process of upstream's plugins.
NOT_ASKED = ("PJRT_Error_Destroy", "PJRT_Error_Message", "PJRT_Client_CreateViewOfDeviceBuffer")

# Runs in a process of its own; each call in a child of that, because it may end the process.
PROBE = r"""
import ctypes, json, os, re, signal, sys
library = ctypes.CDLL(sys.argv[1])
library.GetPjrtApi.restype = ctypes.c_void_p
table = library.GetPjrtApi()
word = lambda address: ctypes.c_uint64.from_address(address).value
number = lambda address: ctypes.c_int.from_address(address).value
slots = [word(table + 40 + 8 * i) for i in range((word(table) - 40) // 8)]
message = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(slots[1])

def ask(slot):
    args = (ctypes.c_uint64 * 512)(1)
    error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(slot)(ctypes.addressof(args))
    if not error:
        return None
    text = (ctypes.c_uint64 * 5)(40, 0, error)
    message(ctypes.addressof(text))
    said = ctypes.string_at(text[3], text[4]).decode(errors="replace")
    found = re.search(r"expected (?:at least )?(\d+)", said) or re.search(r"needs? (\d+)", said)
    return int(found[1]) if found else None

def in_child(slot):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        size = ask(slot)
        os.write(write, str(size or "").encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return int(said) if said else None

skipped = set(json.loads(sys.argv[2]))
wanted = {i: in_child(slot) for i, slot in enumerate(slots) if slot and i not in skipped}
print(json.dumps({str(i): size for i, size in wanted.items() if size is not None}))
"""


@dataclasses.dataclass
class Fact:
    where: str
    text: str


def plugin_in(path: Path, folder: Path) -> Path:
    """The library itself, or the one that a wheel has, unpacked into `folder`."""
    if path.suffix != ".whl":
        return path
    with zipfile.ZipFile(path) as wheel:
        for member in wheel.namelist():
            if ".so" in member.rsplit("/", 1)[-1] and b"GetPjrtApi" in wheel.read(member):
                return Path(wheel.extract(member, folder))
    raise AbiError(f"{path}: no library in it has GetPjrtApi")


def argument_sizes(plugin: Path, skipped: list[int]) -> dict[int, int]:
    """By slot, how large a strict plugin says that the arguments are at least."""
    try:
        done = subprocess.run([sys.executable, "-c", PROBE, str(plugin.resolve()),
                               json.dumps(skipped)],
                              capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise AbiError(f"{plugin}: its functions do not answer within {SECONDS} s") from error
    if done.returncode != 0:
        raise AbiError(f"{plugin}: asking its functions failed: {done.stderr.strip()[-300:]}")
    return {int(slot): size for slot, size in json.loads(done.stdout.splitlines()[-1]).items()}


def compare(plugin: Abi, sizes: dict[int, int], registry: Abi,
            extensions: dict[int, tuple[str, int]]) -> list[Fact]:
    """`extensions`: of each type its struct and how large that is."""
    facts = []
    if plugin.major != registry.major:
        return [Fact("version", f"major {plugin.major}; nothing else of it can be read")]
    if plugin.minor > registry.minor:
        facts.append(Fact("version", f"0.{plugin.minor}; the registry ends at 0.{registry.minor}"))
    for slot in range(len(registry.functions), len(plugin.functions)):
        facts.append(Fact(f"slot {slot}", "a function that the registry does not have"))
    for slot, size in sorted(sizes.items()):
        if slot >= len(registry.functions):
            continue
        name = f"{registry.functions[slot]}_Args"
        if name in registry.structs and size > registry.structs[name].end:
            facts.append(Fact(name, f"{size} bytes at least; the registry has "
                                    f"{registry.structs[name].end}"))
    for kind, size in sorted(plugin.extensions.items()):
        if kind not in extensions:
            facts.append(Fact(f"extension {kind}", f"unknown, {size} bytes"))
        elif size > extensions[kind][1]:
            facts.append(Fact(extensions[kind][0], f"{size} bytes; the registry has "
                                                   f"{extensions[kind][1]}"))
    return facts


def examine(path: Path, sources) -> list[Fact]:
    """`sources` is the module: it reads plugins and the registry."""
    registry = sources.read(str(sources.API / "registry"))
    modules = sources.registry_module.load(sources.API / "registry").extensions
    extensions = {m.extension["type"]: (m.extension["struct"],
                                        registry.structs[m.extension["struct"]].end)
                  for m in modules if m.extension.get("type") is not None}
    with tempfile.TemporaryDirectory() as folder:
        library = plugin_in(path, Path(folder))
        plugin = sources.read(str(library))
        skipped = [registry.functions.index(name) for name in NOT_ASKED]
        sizes = {} if plugin.major != registry.major else argument_sizes(library, skipped)
        return compare(plugin, sizes, registry, extensions)
