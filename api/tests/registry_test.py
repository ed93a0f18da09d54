# SPDX-License-Identifier: Apache-2.0
"""The registry is complete and consistent, and contradictions are found."""

import unittest
from pathlib import Path

from common import API, work_dir

import layout as layout_module
import registry as registry_module
import revisions

REGISTRY = registry_module.load(API / "registry")
STRUCTS = {s.name: s for s in REGISTRY.structs}
HISTORY = revisions.load_history(API / "history")
NEWEST = REGISTRY.version["declared_minor"]

NULL_SLOTS = {
    "PJRT_Device_GetAttributes", "PJRT_LoadedExecutable_AddressableDeviceLogicalIds",
    "PJRT_Client_Load", "PJRT_Event_Create", "PJRT_Event_Set", "PJRT_Buffer_Bitcast",
    "PJRT_Device_ClearMemoryStats", "PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace",
    "PJRT_TopologyDescription_GetMemorySpaceKindIds",
}


class ContentTest(unittest.TestCase):
    def test_it_holds_what_the_history_holds(self):
        newest = HISTORY[-1].layout
        self.assertEqual([f.name for f in REGISTRY.functions], newest["functions"])
        self.assertEqual({s.name for s in REGISTRY.structs} | {"PJRT_Api"}, set(newest["structs"]))
        self.assertEqual({e.name for e in REGISTRY.enums}, set(newest["enums"]))
        self.assertEqual({c.name for c in REGISTRY.callbacks}, set(newest["callbacks"]))
        opaque = {h.name for h in REGISTRY.handles if not h.public_since}
        self.assertEqual(opaque, set(newest["handles"]))

    def test_every_extension_is_described(self):
        types = next(e for e in REGISTRY.enums if e.name == "PJRT_Extension_Type")
        described = {m.extension["type"] for m in REGISTRY.extensions if "type" in m.extension}
        # 11 is the type that nobody knows; it has no struct.
        self.assertEqual(described, {v.value for v in types.values} - {11})

    def test_null_slots(self):
        self.assertEqual({f.name for f in REGISTRY.functions if f.absent == "null"}, NULL_SLOTS)

    def test_version(self):
        self.assertEqual(REGISTRY.version["declared_minor"], HISTORY[-1].minor)
        # Our plugins report the newest minor that a header of upstream confirms.
        confirmed = [r.minor for r in HISTORY if r.source is None]
        self.assertEqual(REGISTRY.version["reported_minor"], max(confirmed))

    def test_what_was_inferred_says_so(self):
        options = STRUCTS["PJRT_ExecuteOptions"]
        late = [f for f in options.fields if f.since > REGISTRY.version["reported_minor"]]
        self.assertEqual([f.source for f in late], ["binary", "binary"])

    def test_fields_that_change_results_are_refused(self):
        options = {f.name: f for f in STRUCTS["PJRT_ExecuteOptions"].fields}
        self.assertEqual(options["call_location"].if_unknown, "drop")
        self.assertEqual(options["custom_options"].if_unknown, "refuse")
        self.assertEqual(options["hlo_output_callbacks"].if_unknown, "refuse")

    def test_minimum_sizes_accept_every_caller_since_28(self):
        layouts = layout_module.Layouts(revisions.View(REGISTRY))
        structs = {s.name: s for s in REGISTRY.structs}
        checked = 0
        for revision in HISTORY:
            if revision.minor < 28:
                continue
            for function in REGISTRY.functions:
                past = revision.layout["structs"].get(function.args)
                if past and function.name in revision.layout["functions"]:
                    sent = past.get("announced", past["end"])
                    self.assertLessEqual(layouts.minimum_size(structs[function.args]), sent,
                                         f"{function.name} of {revision.name}")
                    checked += 1
        self.assertGreater(checked, 10000)

    def test_known_minimum_sizes(self):
        layouts = layout_module.Layouts(revisions.View(REGISTRY))
        sizes = {name: layouts.minimum_size(STRUCTS[name]) for name in (
            "PJRT_Client_Create_Args", "PJRT_Plugin_Attributes_Args", "PJRT_Device_MemoryStats_Args",
            "PJRT_Executable_GetCompiledMemoryStats_Args", "PJRT_ExecuteOptions")}
        self.assertEqual(sizes, {
            "PJRT_Client_Create_Args": 72, "PJRT_Plugin_Attributes_Args": 24,
            "PJRT_Device_MemoryStats_Args": 185,
            "PJRT_Executable_GetCompiledMemoryStats_Args": 64, "PJRT_ExecuteOptions": 52})


class ContradictionTest(unittest.TestCase):
    """Each case changes one line of a copy of the registry and expects to be told."""

    def expect_problem(self, file: str, old: str, new: str, message: str):
        folder = work_dir("registry_copy")
        for path in (API / "registry").rglob("*.toml"):
            target = folder / path.relative_to(API / "registry")
            target.parent.mkdir(exist_ok=True)
            target.write_text(path.read_text())
        path = Path(folder / file)
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))
        with self.assertRaisesRegex(registry_module.RegistryError, message):
            registry_module.load(folder)

    def test_duplicate_name(self):
        self.expect_problem("event.toml", 'name = "PJRT_Event_Await"', 'name = "PJRT_Event_Error"',
                            "PJRT_Event_Error occurs twice")

    def test_gap_between_slots(self):
        self.expect_problem("event.toml", "slot = 127", f"slot = {len(REGISTRY.functions)}", "slots are not contiguous")

    def test_missing_length_field(self):
        self.expect_problem("client.toml", 'length_field = "num_options"', 'length_field = "count"',
                            "length field 'count' is not in the struct")

    def test_since_goes_down(self):
        self.expect_problem("buffer.toml", 'name = "PJRT_Buffer_Bitcast"\nslot = 131\nsince = 98',
                            'name = "PJRT_Buffer_Bitcast"\nslot = 131\nsince = 90',
                            "PJRT_Buffer_Bitcast: since 90 is below 96")

    def test_since_of_a_field_goes_down(self):
        self.expect_problem("execute.toml", 'name = "num_tasks", type = "size_t", since = 78',
                            'name = "num_tasks", type = "size_t", since = 70',
                            "PJRT_ExecuteOptions: since goes down")

    def test_since_beyond_the_declared_minor(self):
        self.expect_problem("event.toml", "slot = 127\nsince = 89", f"slot = 127\nsince = {NEWEST + 1}",
                            f"since {NEWEST + 1} is not in 1..{NEWEST}")

    def test_duplicate_requirement(self):
        self.expect_problem("event.toml", "PJRT-Event_Await-twice", "PJRT-Event_Await-independent",
                            "requirement PJRT-Event_Await-independent occurs twice")

    def test_unknown_class(self):
        self.expect_problem("event.toml", 'class = "robust"', 'class = "nice"', "class 'nice'")

    def test_unknown_absent(self):
        self.expect_problem("event.toml", 'absent = "null"', 'absent = "maybe"', "absent 'maybe'")

    def test_ability_of_a_slot_that_is_never_null(self):
        self.expect_problem("async_transfer.toml", 'absent = "stub"',
                            'absent = "stub"\nability = "x"',
                            "an ability makes the slot null, and absent is 'stub'")

    def test_opened_field_that_is_none(self):
        self.expect_problem("event.toml", 'opens = "event"', 'opens = "door"',
                            "PJRT_Event_Create: opens or closes 'door'")

    def test_unknown_key(self):
        self.expect_problem("event.toml", "slot = 127", "slot = 127\nslott = 1", "unknown key slott")

    def test_unknown_and_missing_keys_of_tables(self):
        self.expect_problem("extensions/ffi.toml", "upstream_header", "upstream_headr",
                            "ffi.toml: extension: unknown key upstream_headr")
        self.expect_problem("extensions/ffi.toml", "upstream_header", "# upstream_header",
                            "ffi.toml: extension: no key upstream_header")
        self.expect_problem("extensions/ffi.toml", 'struct = "PJRT_FFI', '# struct = "PJRT_FFI', "no struct None")
        self.expect_problem("extensions/ffi.toml", "PJRT_Extension_Type_FFI", "PJRT_Extension_Type_Ffi",
                            "type 5 is not PJRT_Extension_Type_Ffi")
        self.expect_problem("version.toml", "oldest_minor", "oldest", "version: unknown key oldest")
        self.expect_problem("version.toml", "oldest_minor", "# oldest_minor", "version: no key oldest_minor")
        self.expect_problem("version.toml", 'headers = ["pjrt_c_api_cpu', 'header = ["pjrt_c_api_cpu',
                            "entry_point: unknown key header")
        self.expect_problem("event.toml", 'class = "robust"', 'klass = "robust"', "unknown key klass")
        self.expect_problem("event.toml", "title = ", "titel = ", "event.toml: no key title")

    def test_no_toml(self):
        self.expect_problem("event.toml", "slot = 127", "slot = = 127", "event.toml: Invalid value")

    def test_required_and_default(self):
        self.expect_problem("execute.toml", 'direction = "in", default = 0',
                            'direction = "in", required = true, default = 0', "required and a default")

    def test_neither_required_nor_default(self):
        self.expect_problem("event.toml", "required = true, ", "", "neither required nor a default")

    def test_lost_function(self):
        self.expect_problem("event.toml", '[[function]]\nname = "PJRT_Event_Set"\nslot = 127',
                            '[[struct]]\nname = "PJRT_Event_Set"', "unknown key absent")

    def test_enum_value_twice(self):
        self.expect_problem("buffer.toml", 'name = "PJRT_Buffer_Type_U1", value = 31',
                            'name = "PJRT_Buffer_Type_U1", value = 30', "a value occurs twice")

    def test_callback_that_differs_from_its_field(self):
        self.expect_problem("buffer.toml",
                            '{name = "user_arg", type = "void*", doc = "As given in `on_delete_',
                            '{name = "user_arg", type = "int*", doc = "As given in `on_delete_',
                            "PJRT_Client_CreateViewOfDeviceBuffer_OnDelete: .* is not")

    def test_export_without_its_errors(self):
        self.expect_problem("libplinth/plinth.toml", 'returns = "const char*"\ndoc = "Version',
                            'returns = "plinth_status*"\ndoc = "Version',
                            "plinth_version: errors are listed by what returns a status")

    def test_struct_of_ours_without_size(self):
        self.expect_problem("libplinth/plinth.toml", 'head = "sized"', 'head = "none"',
                            "plinth_load_options: a struct of ours begins with struct_size")

    def test_no_text(self):
        self.expect_problem("plugin.toml", 'doc = "Number of `attributes`."', 'doc = ""', "no doc")


if __name__ == "__main__":
    unittest.main()
