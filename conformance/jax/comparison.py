# SPDX-License-Identifier: Apache-2.0
"""What a plugin's verdicts are beside those of built-in CPU: data, Markdown, exit status."""

from __future__ import annotations

from collections import Counter

# Where built-in CPU passes, what the plugin's verdict is called.
KINDS = {"pass": "passed on both", "fail": "fails here only", "crash": "crash", "hang": "hang",
         "skip": "skipped here only", "missing": "skipped here only"}


def compare(expected: dict[str, dict], found: dict[str, dict]) -> dict:
    """Counts, and the tests that built-in CPU passes and the plugin does not."""
    counts = Counter({kind: 0 for kind in KINDS.values()})
    different = {}
    for name, result in found.items():
        reference = expected.get(name, {"verdict": "missing"})["verdict"]
        if reference != "pass":
            # A crash or hang is the plugin's, whatever built-in CPU says.
            if result["verdict"] in ("crash", "hang"):
                counts[KINDS[result["verdict"]]] += 1
                different[name] = {"kind": KINDS[result["verdict"]], "message": result["message"]}
            continue
        kind = KINDS[result["verdict"]]
        counts[kind] += 1
        if kind != "passed on both":
            different[name] = {"kind": kind, "message": result["message"]}
    total = sum(counts.values())
    built_in = Counter(r["verdict"] for r in expected.values())
    row = {"tests": total, "counts": dict(counts), "different": different,
           "rate": counts["passed on both"] / total if total else None, "built_in": dict(built_in)}
    if not total and set(built_in) - {"skip", "missing"}:
        # So it is where JAX itself cannot run: no verdict on the plugin.
        row["error"] = "built-in CPU passes none of these tests:\n" + next(
            r["message"] for r in expected.values() if r["verdict"] not in ("skip", "missing"))
    return row


def last_line(message: str) -> str:
    """The line of a failure that says most: the last one that names an error."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    for line in reversed(lines):
        head = line.split(":", 1)[0]
        if head and " " not in head and head.endswith(("Error", "Exception", "Failure", "Interrupt")):
            return line[:240]
    return lines[0][:240] if lines else ""


def percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.2f} %"


def markdown(report: dict) -> str:
    """Tables: one row per file and mode, then every difference with its reason in one line."""
    kinds = list(dict.fromkeys(KINDS.values()))
    lines = ["# JAX's own tests", "", f"Plugin: `{report['plugin']}`. Of the tests that built-in CPU passes:", "",
             "| file | bits | tests | " + " | ".join(kinds) + " | rate |",
             "| --- | ---: | ---: | " + "---: | " * len(kinds) + "---: |"]
    totals: Counter = Counter()
    for row in report["files"]:
        totals.update(row["counts"])
        lines.append(f"| {row['file']} | {row['bits']} | {row['tests']} | "
                     + " | ".join(str(row["counts"][k]) for k in kinds) + f" | {percent(row['rate'])} |")
    tests = sum(totals.values())
    lines.append(f"| all | | {tests} | " + " | ".join(str(totals[k]) for k in kinds)
                 + f" | {percent(totals['passed on both'] / tests if tests else None)} |")
    for row in report["files"]:
        if row.get("error"):
            lines += ["", f"## {row['file']}, {row['bits']} bits", "", "```", row["error"].strip(), "```"]
        elif row["different"]:
            lines += ["", f"## {row['file']}, {row['bits']} bits", ""]
            lines += [f"- `{name}`: {d['kind']}: {last_line(d['message'])}"
                      for name, d in row["different"].items()]
    if report.get("validation"):
        lines += ["", "## What validation reported", ""]
        lines += [f"- {count} x `{line}`" for line, count in report["validation"].items()]
    return "\n".join(lines) + "\n"


def causes(report: dict) -> Counter:
    """How often each last line occurs, numbers taken out: what to look at first."""
    found: Counter = Counter()
    for row in report["files"]:
        for difference in row["different"].values():
            line = last_line(difference["message"])
            found["".join("#" if c.isdigit() else c for c in line)] += 1
    return found


def exit_status(report: dict, required_rate: float) -> int:
    """0 if tests were compared, enough passes in every file and nothing crashes or hangs; else 1."""
    for row in report["files"]:
        if row.get("error") or row["counts"]["crash"] or row["counts"]["hang"]:
            return 1
        if row["tests"] and row["rate"] < required_rate:
            return 1
    compared = any(row["tests"] for row in report["files"])
    return 1 if report.get("validation") or not compared else 0
