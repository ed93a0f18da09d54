# SPDX-License-Identifier: Apache-2.0
"""Reads ops.toml and says what is wrong with it."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

# The IR's categories, then those of ops that the IR does not have.
IR_CATEGORIES = ("elementwise", "source", "movement", "combining", "algorithm", "control",
                 "collective", "sharding")
CATEGORIES = IR_CATEGORIES + ("structure", "rewritten", "refused")
EFFECTS = ("pure", "reads_state", "ordered", "side_effect")
LOWER = ("elementwise", "source", "movement", "view", "reduction", "store", "library", "control",
         "alias", "barrier", "return", "refused")
WORK = {"none": "nothing is computed", "simple": "an instruction or two",
        "division": "an instruction that takes many cycles",
        "root": "the same; counted as transcendental", "remainder": "a loop or many instructions",
        "function": "the same; transcendental"}
SHARDING = ("elementwise", "flow", "none")  # or the name of a function
STATUS = ("runs", "conditions", "one_device", "refused")
KINDS = ("pred", "signed", "unsigned", "float", "complex")
KIND_SETS = {"any": KINDS, "integer": ("signed", "unsigned")} | {kind: (kind,) for kind in KINDS}
RESULTS = ("same", "real_part", "pred", "complex", "any", "same_bits", "select")
FORMS = ("i64", "i32", "f32", "bool", "unit", "ints", "bools", "elements", "string", "symbol",
         "symbols", "enum", "struct", "precisions", "groups", "array", "dictionary", "type", "any")
DEFAULTS = ("required", "optional", "zero", "one", "minus_one", "all_zero", "all_one", "empty",
            "no_names", "first")
FIELD_FORMS = ("int", "ints", "bool", "double", "string", "type", "enum", "struct", "structs",
               "strings", "any")
FUNCTION = re.compile(r"[A-Z][A-Za-z0-9]*")
SEVERAL = re.compile(r"any|\d+\+")


class RowError(Exception):
    """What is wrong, and where."""


@dataclasses.dataclass(frozen=True)
class Count:
    """How many operands, results or regions: `least`, or `most` too; no most is any number."""
    least: int
    most: int | None

    @staticmethod
    def of(value: int | str) -> Count:
        if isinstance(value, int):
            return Count(value, value)
        if not SEVERAL.fullmatch(value):
            raise RowError(f"{value!r} is no count; expected a number, \"any\" or \"2+\"")
        return Count(0 if value == "any" else int(value[:-1]), None)


@dataclasses.dataclass(frozen=True)
class Attribute:
    """`name: form of = absent`: an attribute of an op, or a field of a struct."""
    name: str
    form: str
    of: str = ""
    absent: str = "required"


@dataclasses.dataclass(frozen=True)
class Revision:
    """A revision of an op in VHLO: its versions, and its attributes in the order of the encoding."""
    number: int
    since: tuple[int, int]
    until: tuple[int, int] | None
    attributes: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class HloOpcode:
    """An opcode of HLO: the op it becomes ("" for none) and the function that reads it, or why not."""
    opcode: str
    op: str = ""  # identifier
    read: str = ""
    why: str = ""


@dataclasses.dataclass
class Op:
    name: str
    doc: str
    category: str
    operands: int | str
    identifier: str = ""
    results: int | str = 1
    regions: int | str = 0
    in_ir: dict = dataclasses.field(default_factory=dict)
    effect: str = "pure"
    types: list = dataclasses.field(default_factory=list)
    unimplemented_types: list = dataclasses.field(default_factory=list)
    result: str = "same"
    attributes: list = dataclasses.field(default_factory=list)
    text: str = ""
    vhlo: str | dict | list = dataclasses.field(default_factory=list)
    hlo: str | dict = ""
    ir_struct: str = ""
    becomes: str = ""
    build: str = ""
    convert: str = ""
    check: str = ""
    values: str = "tensors"
    lower: str = ""
    work: str = "simple"
    commutative: bool = False
    sharding: str = ""
    status: str = ""
    why: str = ""
    notes: list = dataclasses.field(default_factory=list)

    @property
    def dialect(self) -> str:
        return self.name.partition(".")[0]

    @property
    def base(self) -> str:
        """The name without its dialect."""
        return self.name.partition(".")[2]

    @property
    def opcode(self) -> str:
        """The identifier in the IR."""
        return camel(self.base)

    @property
    def opcode_made(self) -> str:
        """What import makes of it, unless it builds something else."""
        return camel(self.becomes or self.base)

    @property
    def in_program(self) -> bool:
        return self.dialect != "ir"

    @property
    def has_opcode(self) -> bool:
        return self.category in IR_CATEGORIES

    def count(self, what: str, in_ir: bool = False) -> Count:
        value = getattr(self, what)
        return Count.of(self.in_ir.get(what, value) if in_ir else value)


class Table:
    """All of ops.toml, checked."""

    def __init__(self, data: dict):
        unknown = data.keys() - {"enums", "structs", "attributes", "vhlo", "hlo", "op"}
        if unknown:
            raise RowError(f"unknown table: {', '.join(sorted(unknown))}")
        self.enums = data["enums"]
        self.structs = {name: [parse(field, FIELD_FORMS, ("required", "optional"), name)
                               for field in fields] for name, fields in data["structs"].items()}
        self._shared = data["attributes"]
        self._spread, self._renamed = data["vhlo"]["spread"], data["vhlo"]["renamed"]
        self.ops = [self._op(row) for row in data["op"]]
        self.hlo = sorted([self._hlo_of_row(op) for op in self.ops if op.hlo] +
                          [self._hlo_of_table(*entry) for entry in data["hlo"].items()],
                          key=lambda row: row.opcode)
        self._check()

    @staticmethod
    def _hlo_of_row(op: Op) -> HloOpcode:
        given = {"opcode": op.hlo} if isinstance(op.hlo, str) else op.hlo
        if not {"opcode"} <= given.keys() <= {"opcode", "read"}:
            raise RowError(f"{op.name}: hlo is an opcode, or {{ opcode, read }}")
        if op.status == "refused":
            return HloOpcode(given["opcode"], why=op.why)
        return HloOpcode(given["opcode"], op.identifier, given.get("read", "Plain"))

    def _hlo_of_table(self, opcode: str, given: dict) -> HloOpcode:
        if not given.keys() <= {"op", "read", "why"} or ("read" in given) == ("why" in given):
            raise RowError(f"hlo opcode {opcode}: expected read, with op if it becomes one, or why")
        found = {op.name: op.identifier for op in self.ops if op.in_program}
        if given.get("op", "func.call") not in found:
            raise RowError(f"hlo opcode {opcode}: there is no op {given['op']}")
        return HloOpcode(opcode, found[given["op"]] if "op" in given else "", given.get("read", ""),
                         given.get("why", ""))

    @property
    def program_ops(self) -> list[Op]:
        return sorted((op for op in self.ops if op.in_program), key=lambda op: op.name)

    @property
    def opcodes(self) -> list[Op]:
        return [op for op in self.ops if op.has_opcode]

    def _op(self, row: dict) -> Op:
        name = row.get("name", "an op without a name")
        unknown = row.keys() - {field.name for field in dataclasses.fields(Op)}
        if unknown:
            raise RowError(f"{name}: unknown column: {', '.join(sorted(unknown))}")
        for column in ("name", "doc", "category", "operands"):
            if column not in row:
                raise RowError(f"{name}: {column} is missing")
        op = Op(**row)
        op.identifier = op.identifier or camel(op.base)
        op.status = op.status or ("refused" if op.category == "refused" else "runs")
        if op.category == "elementwise":
            op.lower, op.sharding = op.lower or "elementwise", op.sharding or "elementwise"
            op.check = op.check or ""
        op.attributes = [self._attribute(text, name) for text in op.attributes]
        op.types = [kind for kind in KINDS if kind in self._kinds(op.types, name)]
        op.unimplemented_types = self._kinds(op.unimplemented_types, name)
        op.vhlo = self._revisions(op)
        return op

    @staticmethod
    def _kinds(sets: list, name: str) -> list[str]:
        for entry in sets:
            if entry not in KIND_SETS:
                raise RowError(f"{name}: {entry!r} is no type; known: {', '.join(KIND_SETS)}")
        return [kind for entry in sets for kind in KIND_SETS[entry]]

    def _attribute(self, text: str, op: str) -> Attribute:
        if ":" not in text:
            if text not in self._shared:
                raise RowError(f"{op}: attribute {text!r} has no form, and [attributes] none for it")
            text = f"{text}: {self._shared[text]}"
        attribute = parse(text, FORMS, DEFAULTS, op)
        known = {"enum": self.enums, "struct": self.structs}.get(attribute.form)
        if known is not None and attribute.of not in known:
            raise RowError(f"{op}: {attribute.name} is a {attribute.form} {attribute.of!r}, "
                           "which is not known")
        return attribute

    def _vhlo_names(self, attribute: Attribute) -> list[str]:
        if attribute.of in self._spread:
            return [field.name for field in self.structs[attribute.of]]
        return [self._renamed.get(attribute.name, attribute.name)]

    def _revisions(self, op: Op) -> list[Revision]:
        """A revision ends with the version before the next one."""
        given = op.vhlo if isinstance(op.vhlo, list) else [op.vhlo]
        rows = [{"since": row} if isinstance(row, str) else row for row in given]
        revisions, next_since = [], None
        for number in range(len(rows), 0, -1):
            row = rows[number - 1]
            unknown = row.keys() - {"since", "until", "with", "without"}
            if unknown or "since" not in row:
                raise RowError(f"{op.name}: revision {number} of vhlo: expected since, and until, "
                               "with and without at most")
            until = version(row["until"]) if "until" in row else None
            if until is None and next_since is not None:
                if next_since[1] == 0:
                    raise RowError(f"{op.name}: revision {number} of vhlo needs until")
                until = (next_since[0], next_since[1] - 1)
            without, names = row.get("without", []), set(row.get("with", []))
            for attribute in op.attributes:
                if attribute.name not in without:
                    names |= set(self._vhlo_names(attribute)) - set(without)
            next_since = version(row["since"])
            revisions.insert(0, Revision(number, next_since, until, tuple(sorted(names))))
        return revisions

    def _check(self):
        for name, values in (("name", [op.name for op in self.ops]),
                             ("identifier", [op.identifier for op in self.program_ops]),
                             ("opcode", [op.opcode for op in self.opcodes]),
                             ("hlo opcode", [row.opcode for row in self.hlo])):
            twice = {value for value in values if values.count(value) > 1}
            if twice:
                raise RowError(f"{name} given twice: {', '.join(sorted(twice))}")
        for row in self.hlo:
            if row.read and not FUNCTION.fullmatch(row.read):
                raise RowError(f"hlo opcode {row.opcode}: {row.read!r} is no name of a function")
        opcodes = {op.base for op in self.opcodes}
        for op in self.ops:
            problem = self._problem(op, opcodes)
            if problem:
                raise RowError(f"{op.name}: {problem}")

    @staticmethod
    def _problem(op: Op, opcodes: set[str]) -> str:
        for column, known in (("category", CATEGORIES), ("effect", EFFECTS), ("result", RESULTS),
                              ("work", WORK), ("status", STATUS), ("values", ("tensors", "any"))):
            if getattr(op, column) not in known:
                return (f"{column} is {getattr(op, column)!r}; expected one of "
                        f"{', '.join(known)}")
        for what in ("operands", "results", "regions"):
            op.count(what), op.count(what, in_ir=True)
        if (op.status == "runs") == bool(op.why):
            return "why is given if, and only if, the op does not simply run"
        for column in ("build", "convert", "check"):
            if getattr(op, column) and not FUNCTION.fullmatch(getattr(op, column)):
                return f"{column} is no name of a function: {getattr(op, column)!r}"
        if op.becomes and op.becomes not in opcodes:
            return f"it becomes {op.becomes!r}, which is no op of the IR"
        if op.category == "elementwise" and not op.types:
            return "an elementwise op needs types"
        if op.category == "elementwise" and op.count("operands").least not in (1, 2, 3):
            return "an elementwise op has one to three operands"
        if op.has_opcode:
            if op.lower not in LOWER:
                return f"lower is {op.lower!r}; expected one of {', '.join(LOWER)}"
            if op.sharding not in SHARDING and not FUNCTION.fullmatch(op.sharding):
                return (f"sharding is {op.sharding!r}; expected one of {', '.join(SHARDING)}, "
                        "or a function")
        elif op.lower or op.sharding or op.ir_struct or op.check:
            return "the IR does not have it, so lower, sharding, ir_struct and check mean nothing"
        elif op.category == "rewritten" and not (op.build or op.becomes):
            return "build or becomes must say what it is rewritten to"
        return ""


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in re.split("[_-]", name))


def version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def parse(text: str, forms, defaults, where: str) -> Attribute:
    match = re.fullmatch(r"(\w+): (\w+)(?: ([\w.]+))?(?: = (\w+))?", text)
    if not match:
        raise RowError(f"{where}: {text!r}; expected \"name: form of = absent\"")
    name, form, of, absent = match[1], match[2], match[3] or "", match[4] or "required"
    if form not in forms:
        raise RowError(f"{where}: {name} has the form {form!r}; known: {', '.join(forms)}")
    if absent not in defaults:
        raise RowError(f"{where}: {name} = {absent!r}; known: {', '.join(defaults)}")
    return Attribute(name, form, of, absent)


def load(path: Path) -> Table:
    try:
        with path.open("rb") as file:
            return Table(tomllib.load(file))
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise RowError(f"{path}: {error}") from error
