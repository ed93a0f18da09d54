# SPDX-License-Identifier: Apache-2.0
"""Where a state of the ABI can be read from."""

from __future__ import annotations

import functools
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
API = HERE.parent
sys.path.insert(0, str(API / "generate"))

import promises  # noqa: E402
import registry as registry_module  # noqa: E402
import revisions  # noqa: E402
from abi import Abi, AbiError, FieldPlace, StructLayout, normal_type  # noqa: E402
from c_assertions import CXX_TYPES  # noqa: E402
from c_reader import IN_ARRAYS, read_header  # noqa: E402
from layout import Layouts  # noqa: E402

# Runs in a process of its own: a plugin may end it.
PROBE = """
import ctypes, json, sys
library = ctypes.CDLL(sys.argv[1])
library.GetPjrtApi.restype = ctypes.c_void_p
table = library.GetPjrtApi()
word = lambda address: ctypes.c_uint64.from_address(address).value
number = lambda address: ctypes.c_int.from_address(address).value
size, chain, node = word(table), [], word(table + 8)
while node and len(chain) < 1000:
    chain.append([number(node + 8), word(node)])
    node = word(node + 16)
slots = [word(table + 40 + 8 * i) != 0 for i in range((size - 40) // 8)]
print(json.dumps({"major": number(table + 32), "minor": number(table + 36), "slots": slots,
                  "chain": chain}))
"""


@functools.cache
def load_history() -> list[revisions.Revision]:
    """Every revision, oldest first. Raises HistoryError."""
    return revisions.load_history(API / "history")


def _struct(struct, layouts: Layouts) -> StructLayout:
    layout = layouts.of(struct)
    fields = []
    for place in layout.places:
        form = place.type
        if place.field is not None and place.field.members:
            form = "union{" + ";".join(place.field.members) + "}"
        required = place.field.required if place.field is not None else True
        fields.append(FieldPlace(place.name, place.offset, place.size, normal_type(form), required))
    grows = not struct.frozen and struct.head in ("args", "sized", "extension")
    return StructLayout(fields, layout.end if fields else 0, grows and struct.name not in IN_ARRAYS)


def _signature(entry) -> str:
    parameters = ", ".join(f"{p['type']} {p['name']}" for p in entry.parameters)
    return normal_type(f"{entry.returns} (*)({parameters})")


def _add_types(abi: Abi, module, layouts: Layouts) -> None:
    abi.structs |= {s.name: _struct(s, layouts) for s in module.structs}
    abi.enums |= {e.name: {v.name: v.value for v in e.values} for e in module.enums}


def from_registry(folder: Path, name: str) -> Abi:
    try:
        registry = registry_module.load(folder)
    except (registry_module.RegistryError, OSError) as error:
        raise AbiError(f"{name}: {error}") from error
    view = revisions.View(registry)
    layouts = Layouts(view)
    abi = Abi(name, registry.version["major"], view.minor)
    abi.functions = [f.name for f in registry.functions]
    abi.absent = {f.name: f.absent for f in registry.functions}
    abi.of_extensions = {x.name for m in registry.extensions for x in [*m.structs, *m.enums]}
    for module in registry.modules + registry.extensions:
        _add_types(abi, module, layouts)
    abi.callbacks = {c.name: _signature(c) for c in registry.callbacks}
    abi.libraries = {}
    for library in registry.libraries:
        own = Abi(library.header, 0, library.minor)
        _add_types(own, library.module, layouts)
        own.callbacks = {c.name: _signature(c) for c in library.module.callbacks}
        own.exports = {e.name: _signature(e) for e in library.exports}
        abi.libraries[library.header] = own
    return abi


def from_history(name: str) -> Abi:
    try:
        history = load_history()
        revision = history[-1] if name == "newest" else revisions.find(history, name)
    except revisions.HistoryError as error:
        raise AbiError(str(error)) from error
    abi = Abi(revision.name, 0, revision.minor)
    abi.functions = list(revision.layout["functions"])
    abi.enums = revision.layout["enums"]
    abi.callbacks = {name: normal_type(re.sub(r"\(", " (*)(", text, count=1))
                     for name, text in revision.layout["callbacks"].items()}
    for struct, layout in revision.layout["structs"].items():
        if struct != "PJRT_Api":
            abi.structs[struct] = _past_struct(struct, layout)
    if revision is history[-1]:
        _add_extensions(abi)
        promises.add_to(abi)
    return abi


def _past_struct(name: str, layout: dict) -> StructLayout:
    fields = []
    for row in layout["fields"]:
        offset, size, rest = row.split(" ", 2)
        form, _, field_name = rest.rpartition(" ")
        for cxx, c in CXX_TYPES.items():
            form = form.replace(cxx, c)
        fields.append(FieldPlace("" if field_name == "-" else field_name, int(offset), int(size),
                                 normal_type(form)))
    carries = bool(fields) and fields[0].name in ("struct_size", "base")
    return StructLayout(fields, layout["end"], carries and name not in IN_ARRAYS)


def _add_extensions(abi: Abi) -> None:
    """The history has the extensions' structs of its newest revision only."""
    abi.of_extensions = set()
    for extension in json.loads((API / "history" / "extensions.json").read_text())["extensions"]:
        abi.structs |= {n: _past_struct(n, s) for n, s in extension["structs"].items()}
        abi.enums |= extension["enums"]
        abi.of_extensions |= extension["structs"].keys() | extension["enums"].keys()


def from_git(revision: str) -> Abi:
    """The registry as it was committed."""
    done = subprocess.run(["git", "archive", revision, "registry"], cwd=API, capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise AbiError(f"git:{revision}: {done.stderr.decode(errors='replace').strip()}")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            for member in filter(tarfile.TarInfo.isfile, archive):
                target = Path(folder) / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.extractfile(member).read())
        return from_registry(Path(folder) / "registry", f"git:{revision}")


def from_plugin(path: Path, header: Path | None) -> Abi:
    """What a plugin's table says; with the header it was built with also the layouts."""
    try:
        done = subprocess.run([sys.executable, "-c", PROBE, str(path.resolve())],
                              capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired as error:
        raise AbiError(f"{path}: does not load within 60 s") from error
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise AbiError(f"{path} cannot be loaded: {reason}")
    found = json.loads(done.stdout.splitlines()[-1])
    names = (read_header(header) if header else from_registry(API / "registry", "")).functions
    abi = read_header(header) if header else Abi(str(path), has_layouts=False)
    if header and len(names) != len(found["slots"]):
        raise AbiError(f"{path} has {len(found['slots'])} functions, {header} has {len(names)}: the "
                       "plugin was not built with it")
    abi.name = str(path)
    abi.major, abi.minor = found["major"], found["minor"]
    slots = found["slots"]
    abi.functions = [names[i] if i < len(names) else f"slot {i}" for i in range(len(slots))]
    abi.slots = {abi.functions[i]: "there" if there else "null" for i, there in enumerate(slots)}
    abi.extensions = dict(found["chain"])
    return abi


def read(source: str) -> Abi:
    """`source` as the command line takes it; see plinth-abi --help. Raises AbiError."""
    try:
        return _read(source)
    except (ValueError, LookupError, TypeError) as error:  # Text or data that is not what it should be.
        raise AbiError(f"{source}: {type(error).__name__}: {error}") from error


def _read(source: str) -> Abi:
    if source.startswith("git:"):
        return from_git(source[4:])
    if source == "newest" or re.fullmatch(r"0\.\d+(-[a-z])?", source):
        return from_history(source)
    if "+" in source and not Path(source).exists():
        plugin, _, header = source.rpartition("+")
        return from_plugin(Path(plugin), Path(header))
    path = Path(source)
    if path.is_dir():
        return from_registry(path, source)
    if not path.exists():
        raise AbiError(f"{source}: no revision of the history, and no such file or folder")
    if path.suffix == ".h":
        return read_header(path)
    return from_plugin(path, None)
