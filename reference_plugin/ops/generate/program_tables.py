# SPDX-License-Identifier: Apache-2.0
"""The tables of reference_plugin/program."""

from __future__ import annotations

from rows import Attribute, Count, Table, camel

NOTE = ("// SPDX-License-Identifier: Apache-2.0\n"
        "// Generated from ops.toml by `python3 reference_plugin/ops/generate --write`. Do not edit.\n"
        "// clang-format off\n")


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def k(name: str) -> str:
    """The enumerator of a word: kAllOne."""
    return f"k{camel(name)}"


class Lists:
    """Constant arrays, each written once, under the name of the first op that has it."""

    def __init__(self, type_name: str, suffix: str):
        self._type, self._suffix, self._names, self.text = type_name, suffix, {}, ""

    def name(self, op: str, entries: list[str]) -> str:
        if not entries:
            return "{}"
        key = tuple(entries)
        if key not in self._names:
            self._names[key] = f"k{op}{self._suffix}"
            self.text += f"constexpr {self._type} {self._names[key]}[] = {{\n"
            self.text += "".join(f"    {entry},\n" for entry in entries) + "};\n"
        return self._names[key]


def ops(table: Table) -> str:
    return NOTE + "// PLINTH_PROGRAM_OP(identifier, canonical name)\n" + "".join(
        f"PLINTH_PROGRAM_OP({op.identifier}, {quoted(op.name)})\n" for op in table.program_ops)


def rule(attribute: Attribute) -> str:
    of = f", {quoted(attribute.of)}" if attribute.of else ""
    return f"{{{quoted(attribute.name)}, {k(attribute.form)}, {k(attribute.absent)}{of}}}"


def number(count: Count) -> str:
    return str(count.least) if count.most == count.least else "kAnyNumber"


def schemas(table: Table) -> str:
    lists, rows = Lists("Rule", "Rules"), ""
    for op in table.program_ops:
        rules = lists.name(op.identifier, [rule(attribute) for attribute in op.attributes])
        counts = ", ".join(number(op.count(what)) for what in ("operands", "results", "regions"))
        rows += f"    {{Op::k{op.identifier}, {counts}, {rules}}},\n"
    return (NOTE + lists.text + "// Op, operands, results, regions, inherent attributes.\n"
            "constexpr OpSchema kSchemas[] = {\n" + rows + "};\n")


def vhlo_version(version: tuple[int, int] | None) -> str:
    return "kCurrent" if version is None else f"{{{version[0]}, {version[1]}}}"


def vhlo_ops(table: Table) -> str:
    lists, rows = Lists("string_view", "Names"), []
    for op in table.program_ops:
        for revision in op.vhlo:
            suffix = "" if revision.number == len(op.vhlo) else f"V{revision.number}"
            names = lists.name(op.identifier + suffix, [quoted(a) for a in revision.attributes])
            rows.append((op.base, revision.number,
                         f"    {{{quoted(op.base)}, {revision.number}, Op::k{op.identifier}, "
                         f"{vhlo_version(revision.since)}, {vhlo_version(revision.until)}, "
                         f"{names}}},\n"))
    return (NOTE + lists.text + "// Sorted by name, then revision.\n"
            "constexpr VhloOp kOps[] = {\n" + "".join(row for *_, row in sorted(rows)) + "};\n")


def hlo_ops(table: Table) -> str:
    rows = "".join(f"PLINTH_HLO_OP({quoted(row.opcode)}, k{row.op or 'Return'}, "
                   f"{row.read or 'Refused'}, {quoted(row.why)})\n" for row in table.hlo)
    return (NOTE + "// PLINTH_HLO_OP(opcode, the op it becomes, the function that reads it, why it is "
            "refused), sorted.\n" + rows)


def text_forms(table: Table) -> str:
    return NOTE + "".join(f"{quoted(op.text)},  // {op.name}\n" for op in table.program_ops)


def field(attribute: Attribute) -> str:
    optional = attribute.absent == "optional"
    parts = [quoted(attribute.name), k(attribute.form)]
    if optional or attribute.of:
        parts.append("true" if optional else "false")
    if attribute.of:
        parts.append(quoted(attribute.of))
    return "{" + ", ".join(parts) + "}"


def attributes(table: Table) -> str:
    spellings, fields = Lists("string_view", "Spellings"), Lists("FieldSchema", "Fields")
    enums = "".join(f"    {{{quoted(name)}, "
                    f"{spellings.name(identifier(name), [quoted(value) for value in values])}}},\n"
                    for name, values in table.enums.items())
    structs = "".join(f"    {{{quoted(name)}, "
                      f"{fields.name(identifier(name), [field(entry) for entry in entries])}}},\n"
                      for name, entries in table.structs.items())
    return (NOTE + spellings.text + "constexpr EnumSchema kEnums[] = {\n" + enums + "};\n" +
            fields.text + "constexpr StructSchema kStructSchemas[] = {\n" + structs + "};\n")


def identifier(name: str) -> str:
    """Of an enum or a struct: StablehloMesh."""
    return camel(name.replace(".", "_"))


def files(table: Table) -> dict[str, str]:
    """Every table, by its path below reference_plugin/ops."""
    return {"program_ops.inc": ops(table), "op_schemas.inc": schemas(table),
            "vhlo_ops.inc": vhlo_ops(table), "hlo_ops.inc": hlo_ops(table),
            "text_forms.inc": text_forms(table),
            "attribute_schemas.inc": attributes(table)}
