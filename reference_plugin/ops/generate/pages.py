# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/using/operations.md, between marks that name them."""

from __future__ import annotations

import re
from pathlib import Path

from rows import KINDS, Op, RowError, Table

PAGE = "docs/using/operations.md"
MARKED = re.compile(r"(<!-- ops: ([\w ]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
TYPES = {"pred": "predicates", "signed": "signed integers", "unsigned": "unsigned integers",
         "float": "floats", "complex": "complex"}


def table_text(head: str, lines: list[str]) -> str:
    columns = head.count("|") - 1
    return "\n".join([head, "|" + " --- |" * columns, *lines]) + "\n"


def names(ops: list[Op]) -> str:
    return ", ".join(f"`{op.base}`" for op in sorted(ops, key=lambda op: op.base))


def grouped(ops: list[tuple[Op, str]]) -> list[str]:
    """One line for all ops of which the same is said."""
    texts = list(dict.fromkeys(text for _, text in ops))
    return [f"| {names([op for op, said in ops if said == text])} | {text} |" for text in texts]


def refused(table: Table) -> str:
    ops = [(op, f"UNIMPLEMENTED: {op.why}") for op in table.ops if op.status == "refused"]
    several = [(op, op.why) for op in table.ops if op.status == "one_device"]
    return table_text("| op | what happens |", grouped(ops) + grouped(several))


def conditions(table: Table) -> str:
    return table_text("| op | condition |", grouped(
        [(op, op.why) for op in table.ops if op.status == "conditions"]))


def notes(table: Table) -> str:
    return table_text("| op | what is computed |", grouped(
        [(op, note) for op in table.ops for note in op.notes]))


def types(op: Op) -> str:
    taken = [kind for kind in op.types if kind not in op.unimplemented_types]
    if taken == list(KINDS):
        return "all"
    text = ", ".join(TYPES[kind] for kind in taken)
    return text.replace("signed integers, unsigned integers", "integers")


def rows_of(table: Table, *categories: str) -> list[Op]:
    return sorted((op for op in table.ops if op.category in categories and op.in_program and
                   op.dialect == "stablehlo"), key=lambda op: op.base)


def elementwise(table: Table) -> str:
    return table_text("| op | result | types |", [
        f"| `{op.base}` | {op.doc} | {types(op)} |" for op in rows_of(table, "elementwise")])


def others(table: Table) -> str:
    found = rows_of(table, "source", "movement", "combining", "algorithm", "control", "collective",
                    "rewritten")
    return table_text("| op | result |", [
        f"| `{op.base}` | {op.doc} |" for op in found if op.status != "refused"])


TABLES = {"refused": refused, "conditions": conditions, "notes": notes, "elementwise": elementwise,
          "others": others}


def files(table: Table, root: Path) -> dict[str, str]:
    """The page, by its path below the root of the repository."""
    page = (root / PAGE).read_text()
    if sorted(mark[1] for mark in MARKED.findall(page)) != sorted(TABLES):
        raise RowError(f"{PAGE}: expected one mark for each of {', '.join(TABLES)}")
    return {PAGE: MARKED.sub(lambda mark: mark[1] + TABLES[mark[2]](table) + mark[3], page)}
