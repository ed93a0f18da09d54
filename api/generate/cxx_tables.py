# SPDX-License-Identifier: Apache-2.0
"""Emits the tables that C++ reads: abi_tables.inc (X macros) and abi_version.h."""

from __future__ import annotations

from layout import Layouts
from registry import Registry
from revisions import Revision, View

INTRO = """\
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// The ABI as X macros. Define those you want, include this file, and it undefines them again.
//
//   PLINTH_PJRT_FUNCTION(slot, name, since, absent, minimum_struct_size)
//     absent: Required, Stub or Null. minimum_struct_size: the smallest struct_size of name##_Args
//     that a callee accepts; every size announced by minors from 28 on is at least that.
//   PLINTH_PJRT_ABILITY(function, ability)
//     The slot is null unless a plugin has the function; the SDK's name for that.
//   PLINTH_PJRT_STRUCT(name, since, end, minimum_struct_size, carries_struct_size)
//     end: where the last field ends, which is name##_STRUCT_SIZE.
//   PLINTH_PJRT_ANNOUNCED_SIZE(struct_name, announced, actual, first_minor, last_minor)
//     Upstream's constant was wrong in these minors: a struct_size of announced means actual.
//   PLINTH_PJRT_ENUM_VALUE(enum_name, name, value, since)
//   PLINTH_PJRT_TABLE_SIZE(minor, function_count)
//     Functions in the table of each minor from 57 on; the largest where a minor was used twice.
"""

MACROS = {
    "PLINTH_PJRT_FUNCTION": "slot, name, since, absent, minimum_struct_size",
    "PLINTH_PJRT_ABILITY": "function, ability",
    "PLINTH_PJRT_STRUCT": "name, since, end, minimum_struct_size, carries_struct_size",
    "PLINTH_PJRT_ANNOUNCED_SIZE": "struct_name, announced, actual, first_minor, last_minor",
    "PLINTH_PJRT_ENUM_VALUE": "enum_name, name, value, since",
    "PLINTH_PJRT_TABLE_SIZE": "minor, function_count",
}


def tables(registry: Registry, history: list[Revision]) -> str:
    layouts = Layouts(View(registry))
    views = [View(registry, history, r) for r in history if r.minor >= registry.version["oldest_minor"]]
    structs = {s.name: s for s in registry.structs}
    lines = [INTRO]
    for macro, parameters in MACROS.items():
        lines += [f"#ifndef {macro}", f"#define {macro}({parameters})", "#endif"]
    lines.append("")
    for f in registry.functions:
        lines.append(f"PLINTH_PJRT_FUNCTION({f.slot}, {f.name}, {f.since}, {f.absent.capitalize()}, "
                     f"{layouts.minimum_size(structs[f.args])})")
    lines.append("")
    lines += [f"PLINTH_PJRT_ABILITY({f.name}, {f.ability})" for f in registry.functions if f.ability]
    lines.append("")
    for s in registry.structs:
        carries = "true" if s.head in ("args", "sized") or s.name == "PJRT_Extension_Base" else "false"
        lines.append(f"PLINTH_PJRT_STRUCT({s.name}, {s.since}, {layouts.of(s).end}, "
                     f"{layouts.minimum_size(s)}, {carries})")
    lines.append("")
    minors = {r.name: r.minor for r in history}
    for s in registry.structs:
        for row in s.announced_sizes:
            if not row.get("ambiguous"):
                lines.append(f"PLINTH_PJRT_ANNOUNCED_SIZE({s.name}, {row['size']}, {row['means']}, "
                             f"{minors[row['from']]}, {minors[row['through']]})")
    lines.append("")
    for e in registry.enums:
        lines += [f"PLINTH_PJRT_ENUM_VALUE({e.name}, {v.name}, {v.value}, {v.since})" for v in e.values]
    lines.append("")
    counts: dict[int, int] = {}
    for view in views:
        count = sum(view.has(f) for f in registry.functions)
        counts[view.minor] = max(count, counts.get(view.minor, 0))
    lines += [f"PLINTH_PJRT_TABLE_SIZE({minor}, {count})" for minor, count in counts.items()]
    lines.append("")
    lines += [f"#undef {macro}" for macro in MACROS]
    return "\n".join(lines) + "\n"


def version_header(registry: Registry) -> str:
    v = registry.version
    return f"""\
// Generated from api/registry/version.toml by `python3 api/generate --write`. Do not edit.

#ifndef PLINTH_SUPPORT_ABI_VERSION_H_
#define PLINTH_SUPPORT_ABI_VERSION_H_

namespace plinth {{

inline constexpr int kPjrtMajor = {v["major"]};

// The newest minor that pjrt_c_api.h declares.
inline constexpr int kPjrtDeclaredMinor = {v["declared_minor"]};

// The minor that our own plugins put into their table.
inline constexpr int kPjrtReportedMinor = {v["reported_minor"]};

// The oldest minor that a loader reads without being asked to, and the oldest that can be read.
inline constexpr int kPjrtOldestMinor = {v["oldest_minor"]};
inline constexpr int kPjrtOldestReadableMinor = {v["oldest_readable_minor"]};

// Functions in the table of kPjrtDeclaredMinor.
inline constexpr int kPjrtFunctionCount = {len(registry.functions)};

}}  // namespace plinth

#endif  // PLINTH_SUPPORT_ABI_VERSION_H_
"""
