# SPDX-License-Identifier: Apache-2.0
"""Reads api/registry into plain objects and refuses what contradicts itself."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ABSENT = ("required", "stub", "null")
DIRECTIONS = ("in", "out", "inout")
IF_UNKNOWN = ("drop", "refuse")
THREADS = ("any", "exclusive")
CALLS = ("once", "many")
ANSWERS = ("stable", "changing")
JUDGES = ("put", "peer", "changes", "unique", "monotone", "new", "used", "free")
CLASSES = ("contract", "robust", "undefined")
HEADS = ("args", "sized", "extension", "none", "ffi_args", "ffi_extension")

# Of the tables that stay as they are read: the keys that are needed, and those that may be there.
EXTENSION_KEYS = ({"header", "upstream_header"},
                  {"type", "type_name", "struct", "version_macro", "version", "includes", "uses",
                   "withdrawn"})
VERSION_KEYS = ({"major", "declared_minor", "reported_minor", "oldest_minor", "oldest_readable_minor"},
                set())
ENTRY_POINT_KEYS = ({"name", "returns", "since", "headers", "doc"}, set())
REQUIREMENT_KEYS = ({"id", "text", "class"}, set())


class RegistryError(Exception):
    """The registry contradicts itself; the text says where."""


@dataclass
class Entry:
    """What every row has: a name, text, and the revisions that hold it."""

    name: str
    doc: str
    since: int
    since_revision: str | None = None
    not_in: list[str] = field(default_factory=list)
    also_in: list[str] = field(default_factory=list)
    source: str | None = None


@dataclass
class Field(Entry):
    type: str = ""
    direction: str = "in"
    required: bool = False
    default: object = None
    if_unknown: str | None = None
    only_with: list[str] = field(default_factory=list)
    length_field: str | None = None
    inner_length_field: str | None = None
    length: str | None = None
    array: bool = False
    shown: bool = False
    nullable: bool = False
    owner: str | None = None
    lifetime: str | None = None
    judge: str | None = None
    absent: str | None = None
    members: list[str] = field(default_factory=list)
    earlier_type: str | None = None
    earlier_until: int | None = None
    name_source: str | None = None


@dataclass
class Struct(Entry):
    head: str = "none"
    head_since_revision: str | None = None
    frozen: bool = False
    fields: list[Field] = field(default_factory=list)
    announced_sizes: list[dict] = field(default_factory=list)
    announced_last: str | None = None  # X_STRUCT_SIZE ends with this field, not with the last
    alias: str | None = None
    function: str | None = None


@dataclass
class Function(Entry):
    slot: int | None = None
    returns: str = "PJRT_Error*"
    args: str = ""
    absent: str = "stub"
    threads: str = "any"
    client_gate: int | None = None
    answer: str | None = None
    allocates: bool = False
    before_initialize: bool = False
    opens: str | None = None
    closes: str | None = None
    provides: bool = False
    ability: str | None = None
    requirements: list[dict] = field(default_factory=list)


@dataclass
class EnumValue(Entry):
    value: int = 0


@dataclass
class Enum(Entry):
    if_unknown: str = "refuse"
    bits: bool = False  # its values are flags, and any of them may be set
    values: list[EnumValue] = field(default_factory=list)


@dataclass
class Handle(Entry):
    public_since: int | None = None


@dataclass
class Callback(Entry):
    returns: str = "void"
    threads: str = "any"
    plain: bool = False  # a function type, used as a pointer, and not a pointer type
    calls: str = "many"
    of_field: str | None = None  # "Struct.field" that spells the type out; then C has no name for it
    parameters: list[dict] = field(default_factory=list)


@dataclass
class Module:
    """One file of the registry: an object of the core, or an extension."""

    path: str
    title: str
    doc: str
    order: int
    handles: list[Handle] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    callbacks: list[Callback] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    extension: dict | None = None


@dataclass
class Export(Entry):
    """A function that a library of ours exports."""

    returns: str = "void"
    threads: str = "any"
    parameters: list[dict] = field(default_factory=list)
    errors: list[dict] = field(default_factory=list)


@dataclass
class Library:
    """The C API of one of our own libraries: types as in a module, and exported functions."""

    module: Module
    exports: list[Export]
    header: str
    minor: int
    includes: list[str]


@dataclass
class Table:
    """A function table beside PJRT's, with versions of its own."""

    module: Module
    header: str
    upstream_header: str
    struct: str
    major: int
    minor: int
    entry_point: str
    aliases: dict[str, str] = field(default_factory=dict)  # names of integer types
    former_names: list[dict] = field(default_factory=list)  # name, until (minor), now

    @property
    def rows(self) -> list[Entry]:
        module = self.module
        return module.handles + module.enums + module.callbacks + module.structs + module.functions


@dataclass
class Registry:
    modules: list[Module]
    extensions: list[Module]
    version: dict
    entry_point: dict
    requirements: list[dict]
    libraries: list[Library] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @property
    def functions(self) -> list[Function]:
        """The functions of the core table, in slot order."""
        return sorted((f for m in self.modules for f in m.functions), key=lambda f: f.slot)

    @property
    def structs(self) -> list[Struct]:
        return [s for m in self.modules for s in m.structs]

    @property
    def enums(self) -> list[Enum]:
        return [e for m in self.modules for e in m.enums]

    @property
    def handles(self) -> list[Handle]:
        return [h for m in self.modules for h in m.handles]

    @property
    def callbacks(self) -> list[Callback]:
        """The callbacks that have a C type of their own."""
        return [c for m in self.modules for c in m.callbacks if not c.of_field]


def _build(cls, table: dict, where: str, **extra):
    known = set(cls.__dataclass_fields__)
    unknown = set(table) - known
    if unknown:
        raise RegistryError(f"{where}: unknown key {', '.join(sorted(unknown))}")
    try:
        return cls(**table, **extra)
    except TypeError as error:
        raise RegistryError(f"{where}: {error}") from error


def _fields(rows: list[dict], where: str) -> list[Field]:
    return [_build(Field, {"name": "", **row}, f"{where}.{row.get('name', '')}") for row in rows]


def _checked(table: dict, keys: tuple[set[str], set[str]], where: str) -> dict:
    needed, possible = keys
    for what, names in (("unknown", set(table) - needed - possible), ("no", needed - set(table))):
        if names:
            raise RegistryError(f"{where}: {what} key {', '.join(sorted(names))}")
    return table


def _load_module(path: Path) -> tuple[Module, dict]:
    try:
        with open(path, "rb") as f:
            return _module(path.name, tomllib.load(f))
    except ValueError as error:  # No TOML, or no UTF-8.
        raise RegistryError(f"{path.name}: {error}") from error
    except KeyError as error:
        raise RegistryError(f"{path.name}: no key {error.args[0]}") from error


def _module(where: str, data: dict) -> tuple[Module, dict]:
    """A file's module, and what of the file is left."""
    module = Module(where, data.pop("title"), data.pop("doc", ""), data.pop("order", 0),
                    extension=data.pop("extension", None))
    if module.extension is not None:
        _checked(module.extension, EXTENSION_KEYS, f"{where}: extension")
    for table in data.pop("handle", []):
        module.handles.append(_build(Handle, table, f"{where}: {table.get('name')}"))
    for table in data.pop("enum", []):
        name = f"{where}: {table.get('name')}"
        values = [_build(EnumValue, v, name) for v in table.pop("values")]
        module.enums.append(_build(Enum, table, name, values=values))
    for table in data.pop("callback", []):
        module.callbacks.append(_build(Callback, table, f"{where}: {table.get('name')}"))
    for table in data.pop("struct", []):
        name = f"{where}: {table.get('name')}"
        rows = _fields(table.pop("fields", []), name)
        module.structs.append(_build(Struct, table, name, fields=rows))
    for table in data.pop("function", []):
        name = f"{where}: {table.get('name')}"
        args = table.get("args", f"{table['name']}_Args")
        if "fields" in table:
            struct = Struct(args, f"Arguments of {table['name']}.", table["since"],
                            table.get("since_revision"), table.get("not_in", []),
                            table.get("also_in", []), head=table.pop("head"),
                            fields=_fields(table.pop("fields"), name),
                            announced_sizes=table.pop("announced_sizes", []),
                            announced_last=table.pop("announced_last", None),
                            alias=table.pop("args_alias", None), function=table["name"])
            struct.since = table.pop("args_since", struct.since)
            module.structs.append(struct)
        module.functions.append(_build(Function, {"args": args, **table}, name))
    return module, data


def _load_library(path: Path) -> Library:
    module, rest = _load_module(path)
    module.path = f"libplinth/{path.name}"
    exports = [_build(Export, {"doc": "", **table}, f"{path.name}: {table.get('name')}")
               for table in rest.pop("export", [])]
    library = _build(Library, rest.pop("library", {}), path.name, module=module, exports=exports)
    if rest:
        raise RegistryError(f"{path.name}: unknown key {', '.join(sorted(rest))}")
    return library


def _load_table(path: Path) -> Table:
    module, rest = _load_module(path)
    module.path = f"ffi/{path.name}"
    table = _build(Table, rest.pop("table", {}), path.name, module=module)
    if rest:
        raise RegistryError(f"{path.name}: unknown key {', '.join(sorted(rest))}")
    return table


def load(folder: Path) -> Registry:
    """Reads and validates the registry. Raises RegistryError."""
    modules, extensions, version, entry_point, requirements = [], [], {}, {}, []
    for path in sorted(folder.glob("*.toml")):
        module, rest = _load_module(path)
        version |= rest.pop("version", {})
        entry_point |= rest.pop("entry_point", {})
        requirements += rest.pop("requirement", [])
        if rest:
            raise RegistryError(f"{path.name}: unknown key {', '.join(sorted(rest))}")
        modules.append(module)
    _checked(version, VERSION_KEYS, "version")
    _checked(entry_point, ENTRY_POINT_KEYS, "entry_point")
    for path in sorted((folder / "extensions").glob("*.toml")):
        module, rest = _load_module(path)
        if rest:
            raise RegistryError(f"{path.name}: unknown key {', '.join(sorted(rest))}")
        if module.extension is None:
            raise RegistryError(f"{path.name}: no key extension")
        extensions.append(module)
    modules.sort(key=lambda m: m.order)
    extensions.sort(key=lambda m: m.extension.get("type", 1 << 30))
    libraries = [_load_library(path) for path in sorted((folder / "libplinth").glob("*.toml"))]
    tables = [_load_table(path) for path in sorted((folder / "ffi").glob("*.toml"))]
    registry = Registry(modules, extensions, version, entry_point, requirements, libraries, tables)
    validate(registry)
    return registry


class _Checker:
    def __init__(self) -> None:
        self.problems: list[str] = []

    def need(self, condition: object, text: str) -> None:
        if not condition:
            self.problems.append(text)


def _check_fields(check: _Checker, struct: Struct, minor: int) -> None:
    names = [f.name for f in struct.fields if f.name]
    members = [m.rsplit(" ", 1)[1] for f in struct.fields for m in f.members]
    check.need(len(set(names + members)) == len(names + members),
               f"{struct.name}: a field name occurs twice")
    check.need(struct.head in HEADS, f"{struct.name}: head {struct.head!r} is none of {HEADS}")
    lengths = {n for f in struct.fields for n in (f.length_field, f.inner_length_field)}
    for f in struct.fields:
        where = f"{struct.name}.{f.name or 'union'}"
        check.need(f.doc, f"{where}: no doc")
        check.need(f.type, f"{where}: no type")
        check.need(f.direction in DIRECTIONS, f"{where}: direction {f.direction!r}")
        check.need(f.if_unknown is None or f.if_unknown in IF_UNKNOWN,
                   f"{where}: if_unknown {f.if_unknown!r}")
        check.need(f.absent is None or f.absent in ABSENT, f"{where}: absent {f.absent!r}")
        check.need(f.required or f.default is not None,
                   f"{where}: neither required nor a default")
        check.need(not (f.required and f.default is not None),
                   f"{where}: required and a default")
        check.need(0 < f.since <= minor, f"{where}: since {f.since} is not in 1..{minor}")
        for name in (f.length_field, f.inner_length_field):
            check.need(name is None or name in names,
                       f"{where}: length field {name!r} is not in the struct")
        check.need(not f.array or (f.type.replace("const ", "") == "void*" and not f.length_field),
                   f"{where}: array is of a void* whose length no field says")
        check.need(not f.shown or f.name in lengths, f"{where}: shown is of a length")
        check.need(not f.only_with or f.if_unknown == "refuse",
                   f"{where}: only_with says when to refuse, and if_unknown is {f.if_unknown!r}")
        for name in f.only_with:
            check.need(name in names, f"{where}: only_with {name!r} is not in the struct")
    required = [f.required for f in struct.fields if struct.head in ("args", "sized")]
    check.need(sorted(required, reverse=True) == required,
               f"{struct.name}: a required field follows one with a default")


def _check_unique(check: _Checker, what: str, names: list[str]) -> None:
    for name in sorted({n for n in names if names.count(n) > 1}):
        check.need(False, f"{what} {name} occurs twice")


def _check_callbacks(check: _Checker, modules: list[Module]) -> None:
    """Function pointers that a field spells out are entries too, and agree with the field."""
    spelled = {f"{s.name}.{f.name}": f.type for m in modules for s in m.structs for f in s.fields
               if "(*)" in f.type}
    described = {c.of_field: c for m in modules for c in m.callbacks if c.of_field}
    check.need(set(spelled) == set(described),
               "function pointers without a callback entry, or the reverse: "
               + ", ".join(sorted(set(spelled) ^ set(described))))
    for name in set(spelled) & set(described):
        callback = described[name]
        parameters = ", ".join(
            p["type"].replace("(*)", f"(*{p['name']})", 1) if "(*)" in p["type"]
            else f"{p['type']} {p['name']}" for p in callback.parameters)
        signature = f"{callback.returns} (*)({parameters})"
        check.need(signature == spelled[name],
                   f"{callback.name}: {signature} is not {spelled[name]} of {name}")
    for m in modules:
        for c in m.callbacks:
            check.need(c.calls in CALLS, f"{c.name}: calls {c.calls!r}")
            check.need(c.threads in THREADS, f"{c.name}: threads {c.threads!r}")


def _check_since(check: _Checker, structs: list[Struct]) -> None:
    for s in structs:
        if s.frozen or s.head == "extension":
            continue
        order = [f.since for f in s.fields]
        check.need(order == sorted(order), f"{s.name}: since goes down from one field to the next")


def _check_library(check: _Checker, library: Library) -> None:
    module = library.module
    for s in module.structs:
        _check_fields(check, s, library.minor)
        check.need(s.head == "sized", f"{s.name}: a struct of ours begins with struct_size")
    _check_since(check, module.structs)
    _check_callbacks(check, [module])
    everything = module.handles + module.enums + module.callbacks + module.structs + library.exports
    _check_unique(check, "name", [x.name for x in everything])
    _check_unique(check, "enum value", [v.name for e in module.enums for v in e.values])
    for x in everything:
        check.need(x.doc, f"{x.name}: no doc")
        check.need(x.name.startswith("plinth_"), f"{x.name}: names of ours begin with plinth_")
        check.need(0 < x.since <= library.minor, f"{x.name}: since {x.since} is not in 1..{library.minor}")
    for e in library.exports:
        check.need(e.threads in THREADS, f"{e.name}: threads {e.threads!r}")
        for p in e.parameters:
            check.need(p.get("doc"), f"{e.name}.{p.get('name')}: no doc")
        status = f"{e.name}: errors are listed by what returns a status, and by nothing else"
        check.need((e.returns == "plinth_status*") == bool(e.errors), status)


def _check_table(check: _Checker, table: Table) -> None:
    module = table.module
    for struct in module.structs:
        _check_fields(check, struct, table.minor)
        names = [f.name for f in struct.fields] + ["extension_start"]
        check.need(struct.announced_last is None or struct.announced_last in names,
                   f"{struct.name}: announced_last {struct.announced_last!r} is no field")
    slots = sorted(f.slot for f in module.functions)
    check.need(slots == list(range(len(slots))), f"{module.path}: slots are {slots}")
    for f in module.functions:
        check.need(f.absent in ABSENT and f.threads in THREADS, f"{f.name}: absent or threads")
    _check_callbacks(check, [module])
    rows = table.rows
    known = {row.name for row in rows}
    for former in table.former_names:
        check.need(set(former) == {"name", "until", "now"} and former.get("now") in known
                   and former.get("name") not in known, f"{module.path}: former name {former}")
    _check_unique(check, "name", [row.name for row in rows])
    for row in rows:
        check.need(row.doc, f"{row.name}: no doc")
        check.need(0 < row.since <= table.minor, f"{row.name}: since {row.since}")


def validate(registry: Registry) -> None:
    """Raises RegistryError with every contradiction found, one per line."""
    check = _Checker()
    minor = registry.version.get("declared_minor", 0)
    functions = registry.functions
    everything = registry.modules + registry.extensions

    check.need([f.slot for f in functions] == list(range(len(functions))),
               "slots are not contiguous from 0")
    # Slots from 90 on came in the order of the minors; before that upstream inserted and reordered.
    for before, after in zip(functions[90:], functions[91:]):
        check.need(before.since <= after.since,
                   f"{after.name}: since {after.since} is below {before.since} of the slot before")

    public = {h.name for m in everything for h in m.handles if h.public_since}
    _check_unique(check, "name", [n for n in
                  [x.name for m in everything for x in
                   m.handles + m.enums + m.callbacks + m.structs + m.functions]
                  if n not in public])
    _check_unique(check, "enum value", [v.name for m in everything for e in m.enums for v in e.values])
    requirements = registry.requirements + [r for m in everything for f in m.functions for r in f.requirements]
    for r in requirements:
        _checked(r, REQUIREMENT_KEYS, f"requirement {r.get('id')}")
    _check_unique(check, "requirement", [r["id"] for r in requirements])
    for r in requirements:
        check.need(r["class"] in CLASSES, f"{r['id']}: class {r['class']!r}")
        check.need(re.fullmatch(r"PJRT-[A-Za-z0-9_]+-[A-Za-z0-9_-]+", r["id"]), f"{r['id']}: bad form")
        check.need(r["text"], f"{r['id']}: no text")

    structs = {s.name for m in everything for s in m.structs}
    for m in everything:
        for e in m.enums:
            check.need(e.values and e.if_unknown in IF_UNKNOWN, f"{e.name}: bad enum")
            numbers = [v.value for v in e.values]
            check.need(len(set(numbers)) == len(numbers), f"{e.name}: a value occurs twice")
        for s in m.structs:
            _check_fields(check, s, minor)
        for f in m.functions:
            check.need(f.args in structs or any(s.alias == f.args for s in m.structs),
                       f"{f.name}: no argument struct {f.args}")
            check.need(f.absent in ABSENT, f"{f.name}: absent {f.absent!r}")
            check.need(f.threads in THREADS, f"{f.name}: threads {f.threads!r}")
            check.need(f.answer is None or f.answer in ANSWERS, f"{f.name}: answer {f.answer!r}")
            check.need(0 < f.since <= minor, f"{f.name}: since {f.since} is not in 1..{minor}")
            check.need(not f.ability or f.absent == "null",
                       f"{f.name}: an ability makes the slot null, and absent is {f.absent!r}")
            fields = {x.name for s in m.structs if f.args in (s.name, s.alias) for x in s.fields}
            for x in (x for s in m.structs if f.args == s.name for x in s.fields):
                is_judged = x.direction != "in" and m in registry.modules
                check.need(x.judge in JUDGES if is_judged else x.judge is None,
                           f"{f.name}.{x.name}: judge {x.judge!r}")
            for name in (f.opens, f.closes):
                check.need(not name or name in fields,
                           f"{f.name}: opens or closes {name!r}, which is no field of its own")
        for x in m.handles + m.enums + m.callbacks + m.structs + m.functions:
            check.need(x.doc, f"{x.name}: no doc")
    _check_since(check, registry.structs)
    _check_callbacks(check, registry.modules)

    types = next((e for e in registry.enums if e.name == "PJRT_Extension_Type"), None)
    numbers = [v.value for v in types.values] if types else []
    check.need(numbers == list(range(len(numbers))), f"extension ids are {numbers}, not 0, 1, ...")
    type_names = {v.value: v.name for v in types.values} if types else {}
    for m in registry.extensions:
        if "type" in m.extension:
            struct, name = m.extension.get("struct"), m.extension.get("type_name")
            check.need(any(s.name == struct for s in m.structs), f"{m.path}: no struct {struct}")
            check.need(type_names.get(m.extension["type"]) == name,
                       f"{m.path}: type {m.extension['type']} is not {name}")
    for library in registry.libraries:
        _check_library(check, library)
    for table in registry.tables:
        _check_table(check, table)
    if check.problems:
        raise RegistryError("\n".join(check.problems))
