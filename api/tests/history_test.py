# SPDX-License-Identifier: Apache-2.0
"""The history is whole, and the registry as it was at any revision is what the history says."""

import json
import re
import tomllib
import unittest

from common import API

import layout as layout_module
import registry as registry_module
import revisions

REGISTRY = registry_module.load(API / "registry")
HISTORY = revisions.load_history(API / "history")
QUIRKS = tomllib.loads((API / "history/quirks.toml").read_text())


class TableHistoryTest(unittest.TestCase):
    """The tables beside PJRT's."""

    def test_registry_at_every_revision(self):
        for table in REGISTRY.tables:
            path = API / "history" / f"{table.module.path.split('/')[-1].removesuffix('.toml')}.json"
            history = revisions.load_table_history(path)
            self.assertEqual(history[-1].minor, table.minor)
            self.assertEqual(min(row.since for row in table.rows), history[0].minor)
            for revision in history:
                self.check(table, history, revision)

    def check(self, table, history, revision):
        names = {}
        for former in table.former_names:
            if revision.minor <= former["until"]:
                names |= {former["name"] + end: former["now"] + end for end in ("", "_Args")}
        layout = revisions.renamed(revision.layout, names)
        self.assertEqual(names == {}, layout == revision.layout, revision.name)
        registry = registry_module.Registry([], [], {}, {}, [], [], [table])
        view = revisions.View(registry, history, revision)
        layouts = layout_module.Layouts(view)
        structs = [s for s in table.module.structs if view.has(s)]
        self.assertEqual({s.name for s in structs} | {table.struct}, set(layout["structs"]))
        for struct in structs:
            expected = layout["structs"][struct.name]
            found = layouts.of(struct)
            places = [row.split()[:2] + row.split()[-1:] for row in expected["fields"]]
            self.assertEqual([[str(p.offset), str(p.size), p.name] for p in found.places], places,
                             f"{revision.name}: {struct.name}")
            self.assertEqual(found.sizeof, expected["sizeof"], struct.name)
        functions = sorted((f for f in table.module.functions if view.has(f)), key=lambda f: f.slot)
        self.assertEqual([f.name for f in functions], layout["functions"])
        enums = {e.name: {v.name: v.value for v in e.values if view.has(v)}
                 for e in table.module.enums if view.has(e)}
        self.assertEqual(enums, layout["enums"])


class HistoryTest(unittest.TestCase):
    def test_every_minor_is_there(self):
        self.assertEqual(sorted({r.minor for r in HISTORY}), list(range(1, HISTORY[-1].minor + 1)))
        self.assertEqual([r.minor for r in HISTORY], sorted(r.minor for r in HISTORY))
        names = [r.name for r in HISTORY]
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            self.assertRegex(name, r"^0\.\d+(-[a-h])?$")
        for minor in {r.minor for r in HISTORY}:
            labels = [r.name for r in HISTORY if r.minor == minor]
            letters = [f"0.{minor}-{letter}" for letter in "abcdefgh"[:len(labels)]]
            self.assertEqual(labels, letters if len(labels) > 1 else [f"0.{minor}"])

    def test_from_57_on_each_table_is_a_prefix_of_the_next(self):
        tables = [(r.name, r.layout["functions"]) for r in HISTORY if r.minor >= 57]
        self.assertEqual(len(tables[0][1]), 101)
        for (_, before), (name, after) in zip(tables, tables[1:]):
            self.assertEqual(after[:len(before)], before, name)

    def test_from_57_on_the_table_size_is_right(self):
        for r in HISTORY:
            table = r.layout["structs"]["PJRT_Api"]
            self.assertEqual(table["end"], 40 + 8 * len(r.layout["functions"]), r.name)
            if r.minor >= 57:
                self.assertNotIn("announced", table, r.name)
            if 40 <= r.minor <= 55:
                self.assertEqual(table["announced"], 808, r.name)

    def test_28_to_56a_are_prefixes_and_56b_is_not(self):
        today = HISTORY[-1].layout["functions"]
        for r in HISTORY:
            table = r.layout["functions"]
            if 28 <= r.minor <= 55 or r.name == "0.56-a":
                self.assertEqual(today[:len(table)], table, r.name)
        odd = revisions.find(HISTORY, "0.56-b").layout["functions"]
        self.assertEqual(odd[69], "PJRT_Buffer_CopyRawToHost")
        self.assertEqual(odd[70:], [f for f in today[69:101] if f != "PJRT_Buffer_CopyRawToHost"])

    def test_fields_never_move_from_57_on(self):
        for before, after in zip(HISTORY, HISTORY[1:]):
            if before.minor < 57:
                continue
            for name, struct in before.layout["structs"].items():
                if name not in after.layout["structs"]:
                    self.assertEqual((name, after.name), ("PJRT_KeyValueTryGetCallback_Args", "0.61-b"))
                    continue
                old = [f.split(" ")[:2] for f in struct["fields"]]
                new = [f.split(" ")[:2] for f in after.layout["structs"][name]["fields"]]
                moved = (name, after.name)
                if moved == ("PJRT_ProcessInfo", "0.75-c"):
                    self.assertNotEqual(new[:len(old)], old)
                elif len(new) < len(old):
                    self.assertIn(moved, [("PJRT_Client_Create_Args", "0.61-b"),
                                          ("PJRT_Executable_DeserializeAndLoad_Args", "0.70-c")])
                else:
                    self.assertEqual(new[:len(old)], old, f"{name} {after.name}")

    def test_registry_at_every_revision(self):
        compared = 0
        for r in HISTORY:
            if r.minor < REGISTRY.version["oldest_minor"]:
                continue
            view = revisions.View(REGISTRY, HISTORY, r)
            layouts = layout_module.Layouts(view)
            self.assertEqual([f.name for f in REGISTRY.functions if view.has(f)],
                             r.layout["functions"], r.name)
            structs = {s.name: s for s in REGISTRY.structs if view.has(s)}
            self.assertEqual(set(structs) | {"PJRT_Api"}, set(r.layout["structs"]), r.name)
            for name, struct in structs.items():
                mine, theirs = layouts.of(struct), r.layout["structs"][name]
                where = f"{name} {r.name}"
                self.assertEqual([f"{p.offset} {p.size} {p.name or '-'}" for p in mine.places],
                                 [re.sub(r"^(\d+ \d+) .* (\S+)$", r"\1 \2", f)
                                  for f in theirs["fields"]], where)
                self.assertEqual((mine.end, mine.sizeof, mine.align),
                                 (theirs["end"], theirs["sizeof"], theirs["align"]), where)
                self.assertEqual(view.announced_size(struct), theirs.get("announced"), where)
                compared += len(mine.places)
            for enum in REGISTRY.enums:
                self.assertEqual({v.name: v.value for v in enum.values if view.has(v)},
                                 r.layout["enums"].get(enum.name, {}), f"{enum.name} {r.name}")
        self.assertGreater(compared, 50000)

    def test_missing_and_broken_history_is_an_error(self):
        with self.assertRaises(revisions.HistoryError):
            revisions.load_history(API / "no_such_folder")


class QuirksTest(unittest.TestCase):
    def test_reused_minors(self):
        data = json.loads((API / "history/layouts.json").read_text())["revisions"]
        commits = {}
        for row in data:
            commits.setdefault(row["minor"], []).extend(
                (date, commit, row["revision"]) for date, commit in row["commits"])
        for minor in QUIRKS["reused"]["minors"]:
            self.assertGreater(len(commits[minor]), 1, minor)
        for minor in QUIRKS["reused"]["identical"]:
            self.assertEqual(len({name for _, _, name in commits[minor]}), 1, minor)
        for row in data:
            self.assertEqual(row["commits"] == [], "source" in row, row["revision"])
            self.assertIn(row.get("source", "binary"), ("binary", "registry"))

    def test_names_exist(self):
        functions = set(HISTORY[-1].layout["functions"])
        structs = set(HISTORY[-1].layout["structs"])
        extensions = {m.extension.get("struct") for m in REGISTRY.extensions}
        for quirk in QUIRKS["quirk"]:
            self.assertTrue(quirk.get("function") in functions or quirk.get("struct") in structs
                            or quirk.get("extension", "none") in extensions, quirk)
        for row in QUIRKS["nested_minimum"]:
            self.assertIn(row["struct"], structs)
        for row in QUIRKS["argument_minimum"]:
            self.assertIn(row["function"], functions)

    def test_registry_carries_the_clients_gates(self):
        gates = {g["of"]: g["minor"] for g in QUIRKS["framework"]["gates"] if "minor" in g}
        functions = {f.name: f for f in REGISTRY.functions}
        for name, minor in gates.items():
            if name in functions:
                self.assertEqual(functions[name].client_gate, minor, name)

    def test_registry_carries_the_null_tests(self):
        tested = {g["of"] for g in QUIRKS["framework"]["gates"] if g.get("null_test")}
        for f in REGISTRY.functions:
            if f.name in tested:
                self.assertEqual(f.absent, "null", f.name)

    def test_vendor_chains_hold_known_extensions(self):
        extensions = json.loads((API / "history/extensions.json").read_text())["extensions"]
        sizes = {e["type"]: e["size_history"] for e in extensions}
        for chain in QUIRKS["vendor_chain"]:
            minor = revisions.find(HISTORY, chain["revision"]).minor
            for number, size in chain["nodes"]:
                with self.subTest(plugin=chain["plugin"], minor=minor, extension=number):
                    self.assertIn(size, {h["end"] for h in sizes[number] if h["minor"] <= minor})

    def test_wrong_constants(self):
        wrong = {}
        for r in HISTORY:
            for name, struct in r.layout["structs"].items():
                if "announced" in struct and r.minor >= 28:
                    wrong.setdefault(name, set()).add((struct["announced"], struct["end"]))
        self.assertEqual(wrong.pop("PJRT_Plugin_Attributes_Args"), {(24, 32)})
        self.assertEqual(wrong.pop("PJRT_Device_AddressableMemories_Args"), {(32, 40)})
        self.assertEqual(wrong.pop("PJRT_ExecuteOptions"), {(52, 72)})
        self.assertEqual(wrong.pop("PJRT_Executable_DeserializeAndLoad_Args"), {(48, 64)})
        self.assertEqual(set(wrong), {"PJRT_Api"})


if __name__ == "__main__":
    unittest.main()
