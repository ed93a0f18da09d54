# SPDX-License-Identifier: Apache-2.0
"""plinth-abi finds every kind of break, in registries, headers, plugins and upstream's own history."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
API = HERE.parent
sys.path.insert(0, str(HERE))

import compare  # noqa: E402
import promises  # noqa: E402
import sources  # noqa: E402
import new_revision  # noqa: E402  (needs the path that sources adds)
import c_header  # noqa: E402  (of api/generate)
from abi import FieldPlace, normal_type  # noqa: E402


def plinth_abi(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, str(HERE / "plinth-abi"), *arguments],
                          capture_output=True, text=True, check=False)


TODAY = sources.read(str(API / "registry"))
REGISTRY = sources.registry_module.load(API / "registry")
NEWEST = REGISTRY.version["declared_minor"]


class Temporary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("PLINTH_TEST_DIR"))
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class WithRegistry(Temporary):
    def changed(self, file: str, *changes: tuple[str, str]) -> Path:
        folder = self.folder / "registry"
        shutil.copytree(API / "registry", folder)
        text = (folder / file).read_text()
        for before, after in changes:
            self.assertEqual(text.count(before), 1, before)
            text = text.replace(before, after)
        (folder / file).write_text(text)
        return folder


class Registry(WithRegistry):
    """The registry of today against one with a change."""

    def check(self, expected: str, words: str, file: str, *changes: tuple[str, str]) -> None:
        found = compare.compare(TODAY, sources.read(str(self.changed(file, *changes))))
        self.assertEqual(compare.verdict(found), expected)
        texts = [f"{f.where}: {f.text}: {f.promise}" for f in found if f.level == expected]
        self.assertTrue(any(words in text for text in texts) or not words, texts)

    def test_nothing_changed(self):
        done = plinth_abi("check", str(API / "registry"), str(API / "registry"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.endswith(": patch\n"))

    def test_text_is_a_patch(self):
        self.check("patch", "", "memory.toml", ('title = "', 'title = "The '))

    def test_moved_slot(self):
        self.check("major", "moved from slot 126 to slot 127: a slot never moves", "event.toml",
                   ("slot = 126", "slot = X"), ("slot = 127", "slot = 126"),
                   ("slot = X", "slot = 127"))

    def test_shrunk_struct(self):
        text = (API / "registry" / "execute.toml").read_text()
        lines = [f"{line}\n" for line in text.splitlines() if "custom_options" in line]
        self.check("major", "PJRT_ExecuteOptions.custom_options: is gone", "execute.toml",
                   *[(line, "") for line in lines])

    def test_changed_type(self):
        self.check("major", "PJRT_ExecuteOptions.launch_id: was int, is float: a field never",
                   "execute.toml", ('{name = "launch_id", type = "int"',
                                    '{name = "launch_id", type = "float"'))

    def test_widened_field(self):
        self.check("major", "had 4 bytes and has 8", "execute.toml",
                   ('{name = "launch_id", type = "int"', '{name = "launch_id", type = "int64_t"'))

    def test_reused_value(self):
        self.check("major", "33 meant this and now means PJRT_Buffer_Type_OTHER: a value keeps",
                   "buffer.toml", ("PJRT_Buffer_Type_F6E3M2FN", "PJRT_Buffer_Type_OTHER"))

    def test_renumbered_value(self):
        self.check("major", "was 33 and is 34", "buffer.toml",
                   ('name = "PJRT_Buffer_Type_F6E3M2FN", value = 33',
                    'name = "PJRT_Buffer_Type_F6E3M2FN", value = 34'))

    def new_field(self) -> tuple[str, str]:
        text = (API / "registry" / "execute.toml").read_text()
        last = next(line for line in text.splitlines() if 'name = "num_custom_options"' in line)
        return last, (f'{last}\n  {{name = "more", type = "size_t", since = {NEWEST}, direction = "in", '
                      'default = 0, if_unknown = "drop", doc = "More."},')

    def test_appended_field_needs_a_new_minor(self):
        self.check("major", f"something was added and the minor is {NEWEST} as before", "execute.toml",
                   self.new_field())

    def test_appended_field_with_a_new_minor(self):
        folder = self.changed("execute.toml", self.new_field())
        version = folder / "version.toml"
        version.write_text(version.read_text().replace(f"declared_minor = {NEWEST}",
                                                       f"declared_minor = {NEWEST + 1}"))
        done = plinth_abi("check", str(API / "registry"), str(folder))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("PJRT_ExecuteOptions.more: new field at 160", done.stdout)
        self.assertTrue(done.stdout.endswith(": minor\n"))
        done = plinth_abi("check", str(API / "registry"), str(folder), "--at-most", "patch")
        self.assertEqual(done.returncode, 1)

    def changed_struct(self, name: str, change) -> list[compare.Finding]:
        """What is found if today's struct is changed in memory."""
        new = copy.deepcopy(TODAY)
        change(new.structs[name])
        return compare.compare(TODAY, new)

    def test_a_field_that_became_required(self):
        def change(struct):
            struct.fields[-1].required = True

        found = self.changed_struct("PJRT_ExecuteOptions", change)
        self.assertEqual([f.promise for f in found], [compare.SERVED])

    def test_appended_field_that_is_required(self):
        def change(struct):
            struct.fields.append(FieldPlace("more", struct.end, 8, "size_t", True))

        found = self.changed_struct("PJRT_ExecuteOptions", change)
        self.assertIn("every caller of today is refused", found[0].text)

    def test_a_struct_in_arrays_that_grows(self):
        def change(struct):
            struct.fields.append(FieldPlace("more", struct.end, 8, "size_t", False))

        for name in ("PJRT_NamedValue", "PJRT_Chunk", "PJRT_ProcessInfo"):
            found = self.changed_struct(name, change)
            self.assertEqual([f.promise for f in found], [compare.FROZEN], name)

    def test_inserted_field(self):
        def change(struct):
            struct.fields.insert(2, FieldPlace("more", 16, 8, "size_t", False))
            for later in struct.fields[3:]:
                later.offset += 8

        found = self.changed_struct("PJRT_Program", change)
        self.assertIn("PJRT_Program.more", [f.where for f in found if f.promise == compare.APPEND])
        self.assertIn("PJRT_Program.code", [f.where for f in found if f.promise == compare.FIELD])

    def test_a_callback_of_another_type(self):
        new = copy.deepcopy(TODAY)
        new.callbacks["PJRT_Event_OnReadyCallback"] = "void(*)(PJRT_Error*)"
        self.assertEqual([f.promise for f in compare.compare(TODAY, new)], [compare.CALLBACK])

    def test_other_absence(self):
        text = (API / "registry" / "event.toml").read_text()
        start = text.index('name = "PJRT_Event_Create"')
        entry = text[start:text.index("fields", start)]
        self.check("major", "was null, and is stub", "event.toml",
                   (entry, entry.replace('absent = "null"', 'absent = "stub"')))


    def test_our_own_libraries_keep_the_same_promises(self):
        def plinth(change) -> list[compare.Finding]:
            new = copy.deepcopy(TODAY)
            change(new.libraries["plinth.h"])
            return compare.compare(TODAY, new)

        found = plinth(lambda abi: abi.exports.pop("plinth_list"))
        self.assertEqual([(f.where, f.promise) for f in found],
                         [("plinth.h: plinth_list", compare.EXPORT)])
        found = plinth(lambda abi: abi.enums["plinth_log_level"].update(PLINTH_LOG_ERROR=9))
        self.assertEqual([f.promise for f in found], [compare.ENUM])
        found = plinth(lambda abi: abi.exports.update(plinth_new="void(*)()"))
        self.assertEqual([f.promise for f in found], [compare.VERSION, compare.ADDED])


    def test_a_library_that_goes_away(self):
        new = copy.deepcopy(TODAY)
        del new.libraries["plinth_layer.h"]
        self.assertEqual([(f.level, f.where, f.promise) for f in compare.compare(TODAY, new)],
                         [("major", "plinth_layer.h", compare.EXPORT)])
        self.assertEqual([(f.level, f.where) for f in compare.compare(new, TODAY)],
                         [("minor", "plinth_layer.h")])

    def test_another_major(self):
        folder = self.changed("version.toml", ("major = 0", "major = 1"))
        done = plinth_abi("check", str(API / "registry"), str(folder))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"major: version: from 0.{NEWEST} to 1.{NEWEST}", done.stdout)
        self.assertIn(f"(1.{NEWEST}): major", done.stdout)


class NewRevision(WithRegistry):
    """What `record` appends to the history."""

    def test_nothing_new_is_an_empty_row(self):
        newest = sources.load_history()[-1]
        self.assertEqual(new_revision.row(REGISTRY, newest),
                         {"revision": f"0.{NEWEST}", "minor": NEWEST, "commits": [],
                          "source": "registry"})

    def test_a_function_and_a_field(self):
        text = (API / "registry" / "event.toml").read_text()
        slot = len(REGISTRY.functions)
        folder = self.changed("event.toml", (text, f"""{text}
[[function]]
name = "PJRT_Event_More"
slot = {slot}
since = {NEWEST + 1}
absent = "stub"
threads = "any"
head = "args"
doc = "More."
fields = [
  {{name = "event", type = "PJRT_Event*", since = {NEWEST + 1}, direction = "in", required = true, doc = "It."}},
]
"""))
        version = folder / "version.toml"
        version.write_text(version.read_text().replace(f"declared_minor = {NEWEST}",
                                                       f"declared_minor = {NEWEST + 1}"))
        history = self.folder / "history"
        shutil.copytree(API / "history", history)
        path = history / "layouts.json"
        self.assertEqual(new_revision.append(folder, path), f"0.{NEWEST + 1}")
        self.assertIsNone(new_revision.append(folder, path))
        added = sources.revisions.load_history(history)[-1]
        self.assertEqual(added.layout["functions"][slot:], ["PJRT_Event_More"])
        self.assertEqual(added.layout["structs"]["PJRT_Api"]["end"], 48 + 8 * slot)
        self.assertEqual(added.layout["structs"]["PJRT_Event_More_Args"]["fields"][-1],
                         "16 8 PJRT_Event* event")
        before = json.loads((API / "history/layouts.json").read_text())["revisions"]
        after = json.loads(path.read_text())["revisions"]
        self.assertEqual(after[:-1], before)
        self.assertEqual(set(after[-1]["structs"]), {"PJRT_Api", "PJRT_Event_More_Args"})


class Gate(WithRegistry):
    """The newest revision of the history against a registry that breaks what ours promised."""

    def gate(self, words: str, file: str, *changes: tuple[str, str]) -> None:
        done = plinth_abi("check", "newest", str(self.changed(file, *changes)))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(words, done.stdout)

    def test_other_absence(self):
        text = (API / "registry" / "event.toml").read_text()
        start = text.index('name = "PJRT_Event_Create"')
        entry = text[start:text.index("fields", start)]
        self.gate("major: PJRT_Api.PJRT_Event_Create: where it is not implemented it was null, and "
                  "is stub", "event.toml", (entry, entry.replace('absent = "null"', 'absent = "stub"')))

    def test_a_field_that_became_required(self):
        text = (API / "registry" / "client.toml").read_text()
        lines = [row for row in text.splitlines() if '{name = "kv_try_get_' in row]
        self.assertEqual(len(lines), 2)
        changes = [(row, re.sub(r'default = [^,]+, if_unknown = "\w+"', "required = true", row))
                   for row in lines]
        self.gate("major: PJRT_Client_Create_Args.kv_try_get_callback: callers that do not send it "
                  "were served", "client.toml", *changes)

    def test_an_export_of_another_type(self):
        file = "libplinth/plinth.toml"
        text = (API / "registry" / file).read_text()
        start = text.index('name = "plinth_list"')
        end = text.index("[[", start)
        entry = text[start:end]
        changed = re.sub(r'type = "[^"]*\*"', 'type = "int"', entry, count=1)
        self.assertNotEqual(entry, changed)
        self.gate("major: plinth.h: plinth_list: was ", file, (entry, changed))

    def test_everything_is_recorded(self):
        self.assertEqual(promises.of(TODAY), json.loads(promises.PATH.read_text()),
                         "run plinth-abi record")


class History(unittest.TestCase):
    """What upstream did, judged."""

    def findings(self, old: str, new: str) -> list[compare.Finding]:
        return compare.compare(sources.from_history(old), sources.from_history(new))

    def majors(self, old: str, new: str) -> list[str]:
        return [f"{f.where}: {f.text}" for f in self.findings(old, new) if f.level == compare.MAJOR]

    def test_known_breaks(self):
        self.assertIn("PJRT_ProcessInfo.task_id: moved from 0 to 8", self.majors("0.75-b", "0.75-c"))
        self.assertIn("PJRT_Client_Create_Args.kv_try_get_callback: is gone; it was at 72",
                      self.majors("0.61-a", "0.61-b"))
        self.assertIn("PJRT_Extension_Type_PhaseCompile: 9 is gone", self.majors("0.69-b", "0.70-a"))

    def test_an_addition_without_a_new_minor(self):
        self.assertEqual(self.majors("0.90-b", "0.90-c"),
                         ["version: something was added and the minor is 90 as before"])

    def test_ordinary_releases_are_minors(self):
        for old, new in (("0.57", "0.60"), ("0.78", "0.79"), ("0.104", "0.105"), ("0.114", f"0.{NEWEST}")):
            with self.subTest(old=old, new=new):
                self.assertEqual(self.majors(old, new), [])
                self.assertEqual(compare.verdict(self.findings(old, new)), compare.MINOR)

    def test_const_is_no_break(self):
        found = self.findings("0.67-b", "0.68")
        self.assertTrue(any("const PJRT_TopologyDescription*" in f.text for f in found))
        self.assertEqual(compare.verdict(found), compare.MINOR)

    def test_extensions_keep_the_promises_too(self):
        old = sources.from_history("newest")
        new = copy.deepcopy(TODAY)
        layouts = new.structs["PJRT_Layouts_Extension"]
        layouts.fields.append(FieldPlace("more", layouts.end, 8, "void*", False))
        self.assertEqual([f.promise for f in compare.compare(old, new)],
                         [compare.ADDED_TO_EXTENSION])
        del layouts.fields[3]
        self.assertIn(compare.FIELD, [f.promise for f in compare.compare(old, new)])

    def test_the_registry_is_the_newest_revision(self):
        found = compare.compare(sources.from_history("newest"), sources.read(str(API / "registry")))
        self.assertEqual([vars(f) for f in found], [])


class WithHeaders(Temporary):
    def header(self, revision: str) -> Path:
        history = sources.load_history()
        view = sources.revisions.View(REGISTRY, history, sources.revisions.find(history, revision))
        path = self.folder / revision / "pjrt_c_api.h"
        path.parent.mkdir(exist_ok=True)
        path.write_text(c_header.header(view))
        return path


class Headers(WithHeaders):
    def test_a_header_is_read_as_the_history_has_it(self):
        for revision in ("0.57", "0.75-b", "0.75-c", f"0.{NEWEST}"):
            with self.subTest(revision=revision):
                found = compare.compare(sources.from_history(revision),
                                        sources.read(str(self.header(revision))))
                self.assertEqual([vars(f) for f in found], [])

    def test_enum_values_by_name(self):
        header = self.header("0.57")
        text = header.read_text()
        header.write_text(text + "enum More { MORE_A = 3, MORE_B, MORE_C = MORE_A, MORE_D };\n")
        self.assertEqual(sources.read(str(header)).enums["More"],
                         {"MORE_A": 3, "MORE_B": 4, "MORE_C": 3, "MORE_D": 4})
        header.write_text(text + "enum More { MORE_A = ELSEWHERE };\n")
        done = plinth_abi("check", "0.57", str(header))
        self.assertEqual(done.returncode, 2)
        self.assertIn("ELSEWHERE", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_a_header_of_another_is_refused(self):
        other = self.folder / "other.h"
        other.write_text("int x;\n")
        done = plinth_abi("check", "0.57", str(other))
        self.assertEqual(done.returncode, 2)
        self.assertIn("does not define PJRT_API_MINOR", done.stderr)


PLUGIN = """
#include "pjrt_c_api.h"
#include <string.h>
static PJRT_Api api;
static PJRT_Error* Answer(void* args) { (void)args; return 0; }
const PJRT_Api* GetPjrtApi(void) {
  void* answer = (void*)&Answer;
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
  for (size_t at = offsetof(PJRT_Api, PJRT_Error_Destroy); at < sizeof(api); at += sizeof(answer)) {
    memcpy((char*)&api + at, &answer, sizeof(answer));
  }
#ifdef WITHOUT_MEMORY_STATS
  api.PJRT_Device_MemoryStats = 0;
#endif
  return &api;
}
"""


class Plugins(WithHeaders):
    def plugin(self, revision: str, *flags: str) -> str:
        header = self.header(revision)
        source = self.folder / "plugin.c"
        source.write_text(PLUGIN)
        library = self.folder / f"plugin_{revision}{len(flags)}.so"
        subprocess.run(["cc", "-shared", "-fPIC", f"-I{header.parent}", *flags, str(source), "-o",
                        str(library)], check=True)
        return f"{library}+{header}"

    def test_a_path_with_a_plus(self):
        library, header = self.plugin("0.78").split("+")
        folder = self.folder / "c++"
        folder.mkdir()
        shutil.copy(library, folder)
        done = plinth_abi("check", "0.78", f"{folder / Path(library).name}+{header}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_plugin_may_have_what_the_history_calls_optional(self):
        done = plinth_abi("check", "newest", self.plugin(f"0.{NEWEST}"), "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_newer_plugin_is_a_minor(self):
        done = plinth_abi("check", self.plugin("0.78"), self.plugin("0.90"), "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["verdict"], "minor")
        self.assertIn("PJRT_Api.PJRT_Event_Set", [f["where"] for f in report["findings"]])

    def test_a_slot_that_became_null(self):
        before, after = self.plugin("0.78"), self.plugin("0.78", "-DWITHOUT_MEMORY_STATS")
        for side in (lambda s: s, lambda s: s.split("+")[0]):  # with the header and without
            done = plinth_abi("check", side(before), side(after))
            self.assertEqual(done.returncode, 1)
            self.assertIn("PJRT_Api.PJRT_Device_MemoryStats: where it is not implemented it was there, "
                          "and is null", done.stdout)

    def test_a_shorter_table(self):
        done = plinth_abi("check", self.plugin("0.90"), self.plugin("0.78"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("slot 127 is gone", done.stdout)

    def test_a_plugin_with_another_header(self):
        library = self.plugin("0.90").split("+")[0]
        done = plinth_abi("check", "0.57", f"{library}+{self.header('0.57')}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("was not built with it", done.stderr)

    def test_no_plugin(self):
        broken = self.folder / "broken.so"
        broken.write_text("no library")
        done = plinth_abi("check", "0.57", str(broken))
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be loaded", done.stderr)


UNKNOWN_PLUGIN = """
#include <stddef.h>
#include <string.h>
#include "pjrt_c_api.h"
static struct { PJRT_Api api; void* later[2]; } table;
static PJRT_Extension_Base unknown = {40, (PJRT_Extension_Type)99, 0};
static PJRT_Extension_Base grown = {4096, PJRT_Extension_Type_Layouts, &unknown};
static PJRT_Error error;
static PJRT_Error* Refuse(size_t* args) {
  if (*args > 1) return 0;
  return &error;
}
static PJRT_Error* End(void* args) { (void)args; __builtin_trap(); }
static void Message(PJRT_Error_Message_Args* args) {
  args->message = "Unexpected size: expected 4000, got 1";
  args->message_size = strlen(args->message);
}
const PJRT_Api* GetPjrtApi(void) {
  for (size_t at = offsetof(PJRT_Api, PJRT_Error_Destroy); at < sizeof(table); at += sizeof(void*)) {
    void* refuse = (void*)&Refuse;
    memcpy((char*)&table + at, &refuse, sizeof(refuse));
  }
  table.api.struct_size = sizeof(table);
  table.api.extension_start = &grown;
  table.api.pjrt_api_version.major_version = MAJOR;
  table.api.pjrt_api_version.minor_version = 999;
  table.api.PJRT_Error_Message = &Message;
  memcpy(&table.api.PJRT_Client_Compile, &(void*){(void*)&End}, sizeof(void*));
  return &table.api;
}
"""


class Unknown(WithHeaders):
    def library(self, major: int) -> Path:
        source = self.folder / "plugin.c"
        source.write_text(UNKNOWN_PLUGIN)
        library = self.folder / f"plugin_{major}.so"
        subprocess.run(["cc", "-shared", "-fPIC", f"-DMAJOR={major}", f"-I{API / 'include'}", str(source),
                        "-o", str(library)], check=True)
        return library

    def test_everything_that_is_new(self):
        done = plinth_abi("unknown", str(self.library(0)))
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        for line in (f"version: 0.999; the registry ends at 0.{NEWEST}\n",
                     f"slot {len(TODAY.functions)}: a function that the registry does not have\n",
                     f"slot {len(TODAY.functions) + 1}: ",
                     "PJRT_Client_Devices_Args: 4000 bytes at least; the registry has 40\n",
                     "extension 99: unknown, 40 bytes\n",
                     "PJRT_Layouts_Extension: 4096 bytes; the registry has 80\n"):
            self.assertIn(line, done.stdout)
        self.assertNotIn("PJRT_Client_Compile_Args", done.stdout, "it ended the process that asked")

    def test_a_wheel(self):
        wheel = self.folder / "plugin.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("other.so", "not this one")
            archive.write(self.library(0), "vendor/plugin.so")
        self.assertIn("extension 99", plinth_abi("unknown", str(wheel)).stdout)
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("other.so", "not this one")
        done = plinth_abi("unknown", str(wheel))
        self.assertEqual(done.returncode, 2)
        self.assertIn("no library in it has GetPjrtApi", done.stderr)

    def test_another_major(self):
        done = plinth_abi("unknown", str(self.library(1)))
        self.assertEqual(done.returncode, 1)
        self.assertIn("version: major 1; nothing else of it can be read", done.stdout)

    def test_what_is_known(self):
        library = Plugins.plugin(self, f"0.{NEWEST}").split("+")[0]
        done = plinth_abi("unknown", library)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)


class Commands(Temporary):
    def test_damaged_sources(self):
        registry = self.folder / "registry"
        shutil.copytree(API / "registry", registry)
        version = (registry / "version.toml").read_text()
        latin = self.folder / "latin.h"
        latin.write_bytes(b"// \xe9\n")
        for text in ("= broken", "", version.replace(f"declared_minor = {NEWEST}", 'declared_minor = "x"')):
            for source in (registry, latin):
                with self.subTest(text=text[:20], source=source.name):
                    (registry / "version.toml").write_text(text)
                    done = plinth_abi("check", "0.57", str(source))
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(str(source), done.stderr)
                    self.assertNotIn("Traceback", done.stderr)

    def test_unknown_sources(self):
        for source, words in (("0.999", "no revision 0.999"), ("/nowhere", "no such file"),
                              ("git:no-such-revision", "git:no-such-revision")):
            with self.subTest(source=source):
                done = plinth_abi("check", source, "0.57")
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)
                self.assertNotIn("Traceback", done.stderr)

    def test_a_commit(self):
        repository = self.folder / "clone"
        shutil.copytree(API, repository / "api", ignore=shutil.ignore_patterns("__pycache__"))
        git = ["git", "-C", repository, "-c", "user.name=test", "-c", "user.email=test@localhost"]
        for command in (["init", "-q"], ["add", "api/registry"], ["commit", "-q", "-m", "registry"]):
            subprocess.run([*git, *command], check=True)
        done = subprocess.run([sys.executable, repository / "api/tool/plinth-abi", "check", "git:HEAD",
                               API / "registry"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_types(self):
        for text, form in (("const char * name", "const char*name"),
                           ("void (*deleter)(PJRT_X* x, void (*done)(void* data))",
                            "void(*)(PJRT_X*,void(*)(void*))"),
                           ("union{8 const char* a; 4 float b}", "union{const char*;float}")):
            self.assertEqual(normal_type(text), form)


if __name__ == "__main__":
    unittest.main()
