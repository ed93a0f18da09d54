# SPDX-License-Identifier: Apache-2.0
"""The tables of reference_plugin/compiler."""

from __future__ import annotations

from program_tables import NOTE, k, quoted
from rows import SHARDING, WORK, Count, Op, Table, camel


def opcodes(table: Table) -> str:
    text = NOTE + "// PLINTH_OPCODE(Name, \"name\", effect, category, lower, work, commutative)\n"
    for op in table.opcodes:
        classes = ", ".join(camel(word) for word in (op.effect, op.category, op.lower, op.work))
        text += (f"PLINTH_OPCODE({op.opcode}, {quoted(op.base)}, {classes}, "
                 f"{str(op.commutative).lower()})\n")
    return text


def work_class(_: Table) -> str:
    guard = "PLINTH_REFERENCE_PLUGIN_OPS_WORK_CLASS_H_"
    words = "".join(f"  {k(word)},  // {meaning}\n" for word, meaning in WORK.items())
    return (NOTE + f"#ifndef {guard}\n#define {guard}\n\n#include <cstdint>\n\n"
            "namespace plinth::ops {\n\n"
            "// What an element of an op takes, in kinds that processors know. What a kind costs is\n"
            "// the target's business.\n"
            f"enum class WorkClass : uint8_t {{\n{words}}};\n"
            f"inline constexpr int kNumWorkClasses = {len(WORK)};\n\n"
            f"}}  // namespace plinth::ops\n\n#endif  // {guard}\n")


def count(value: Count) -> str:
    return f"{{{value.least}, {'kMany' if value.most is None else value.most}}}"


def op_rules(table: Table) -> str:
    text = NOTE + "// Operands, results, regions, attributes, check, tensors only.\n"
    for op in table.opcodes:
        counts = ", ".join(count(op.count(what, in_ir=True))
                           for what in ("operands", "results", "regions"))
        attributes = f"IndexOf<{op.ir_struct}Attributes>()" if op.ir_struct else "kNoAttributes"
        check = "CheckElementwise" if op.category == "elementwise" else op.check or "CheckNothing"
        tensors = "true" if op.values == "tensors" else "false"
        text += f"{{{counts}, {attributes}, {check}, {tensors}}},  // {op.base}\n"
    return text


def op_check_names(table: Table) -> str:
    names = sorted({op.check for op in table.opcodes if op.check} | {"CheckElementwise"})
    return NOTE + "".join(f"Status {name}(const Op& op);\n" for name in names)


def kinds(words: list[str]) -> str:
    return " | ".join(f"{k(word)}Mask" for word in words) or "0"


def elementwise_rules(table: Table) -> str:
    text = NOTE + "// Opcode, operands, types, those of them not implemented, result, check.\n"
    for op in table.opcodes:
        if op.category == "elementwise":
            text += (f"{{Opcode::k{op.opcode}, {op.count('operands').least}, {kinds(op.types)}, "
                     f"{kinds(op.unimplemented_types)}, ResultRule::{k(op.result)}, "
                     f"{op.check or 'nullptr'}}},\n")
    return text


def import_row(op: Op) -> str:
    name, convert = f"POp::k{op.identifier}", f", {op.convert}" if op.convert else ""
    if op.opcode_made == "Return":
        return f"Return({name}),\n"
    if op.build:
        arguments = f"<Opcode::k{op.opcode_made}{convert}>" if convert else ""
        return f"Build({name}, {op.build}{arguments}),\n"
    return f"Same({name}, Opcode::k{op.opcode_made}{convert}),\n"


def import_rows(table: Table) -> str:
    imported = [op for op in table.program_ops
                if op.has_opcode or op.build or op.becomes]
    return NOTE + "".join(import_row(op) for op in imported)


def import_converters(table: Table) -> str:
    names = sorted({op.convert for op in table.program_ops if op.convert})
    return NOTE + "".join(f"Expected<AttributesRef> {name}(const AttributeSource& source);\n"
                          for name in names)


def has_factors(op: Op) -> bool:
    return op.sharding not in SHARDING


def sharding_rows(table: Table) -> str:
    text = NOTE + "// Class, function of the factors; by opcode.\n"
    for op in table.opcodes:
        row = (f"ShardingClass::kFactors, {op.sharding}" if has_factors(op)
               else f"ShardingClass::{k(op.sharding)}, nullptr")
        text += f"{{{row}}},  // {op.base}\n"
    return text


def sharding_functions(table: Table) -> str:
    names = sorted({op.sharding for op in table.opcodes if has_factors(op)})
    return NOTE + "".join(f"Rule {name}(const Op& op);\n" for name in names)


def files(table: Table) -> dict[str, str]:
    """Every table, by its path below reference_plugin/ops."""
    return {"opcodes.inc": opcodes(table), "work_class.h": work_class(table),
            "op_rules.inc": op_rules(table), "op_check_names.inc": op_check_names(table),
            "elementwise_rules.inc": elementwise_rules(table),
            "sharding_rows.inc": sharding_rows(table),
            "sharding_functions.inc": sharding_functions(table),
            "import_rows.inc": import_rows(table),
            "import_converters.inc": import_converters(table)}
