# SPDX-License-Identifier: Apache-2.0
"""Runs tests of one file in this process and says so line by line.

  worker.py FILE EVENTS_FD     the names of the tests, one per line, come from stdin

Events are JSON lines: {"list": [...]} answers the single line "?", {"start": NAME}, and {"end": NAME, "verdict": ...,
"seconds": ..., "message": ...}. What the tests print goes to this process's own output.
"""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import json
import os
import sys
import time
import unittest
from pathlib import Path

MESSAGE_CHARACTERS = 4000
# A fixture that fails takes its tests with it; they are reported under its name.
FIXTURES = ("setUpClass ", "tearDownClass ", "setUpModule ", "tearDownModule ")


def shortened(text: str) -> str:
    """The start and the end of a long message: what was asked, and what went wrong."""
    if len(text) <= MESSAGE_CHARACTERS:
        return text
    return text[:MESSAGE_CHARACTERS // 4] + "\n[...]\n" + text[-3 * MESSAGE_CHARACTERS // 4:]


def name_of(test: unittest.TestCase) -> str:
    # Not id(), which parameterized tests change to something long that is not unique.
    return f"{type(test).__name__}.{test._testMethodName}"


class Events(unittest.TestResult):
    """Writes what happens to each test as it happens: the process may not live to tell it later."""

    def __init__(self, file):
        super().__init__()
        self._file = file
        self._verdict = "pass"
        self._message = ""
        self._start = 0.0

    def _write(self, **event):
        self._file.write(json.dumps(event) + "\n")
        self._file.flush()

    def startTest(self, test):
        super().startTest(test)
        self._verdict, self._message, self._start = "pass", "", time.monotonic()
        self._write(start=name_of(test))

    def stopTest(self, test):
        super().stopTest(test)
        self._write(end=name_of(test), verdict=self._verdict, message=shortened(self._message),
                    seconds=round(time.monotonic() - self._start, 3))
        self.failures.clear()
        self.errors.clear()

    def _fail(self, test, error):
        text = self._exc_info_to_string(error, test)
        if test.id().startswith(FIXTURES):
            self._write(fixture=test.id(), message=shortened(text))
            return
        self._verdict, self._message = "fail", self._message + text

    def addError(self, test, err):
        self._fail(test, err)

    def addFailure(self, test, err):
        self._fail(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._fail(test, err)

    def addSkip(self, test, reason):
        if test.id().startswith(FIXTURES):
            self._write(fixture=test.id(), message=reason)
        elif self._verdict == "pass":
            self._verdict, self._message = "skip", reason

    def addExpectedFailure(self, test, err):
        self._verdict = "pass"

    def addUnexpectedSuccess(self, test):
        self._verdict, self._message = "fail", "passed, but was expected to fail"


def load(path: Path):
    """The module, as its own main program would see it."""
    sys.path[:0] = [str(path.parent), str(path.parent.parent)]
    helpers = path.parent.parent / "jax" / "_src"
    if helpers.is_dir():
        import jax._src  # What the tag has and the wheel has not.
        jax._src.__path__.append(str(helpers))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def create_options() -> dict[str, str]:
    given = os.environ.get("JAX_TESTS_CREATE_OPTIONS", "")
    return dict(option.split(":", 1) for option in given.split(",") if option)


def replace_cpu(library: str) -> None:
    """From here on the backend that JAX calls cpu is the plugin."""
    from functools import partial

    from jax._src import xla_bridge
    from jaxlib import xla_client

    def options():
        devices = xla_bridge.num_cpu_devices.value
        return {**({"num_devices": devices} if devices > 0 else {}), **create_options()}

    api = xla_client.load_pjrt_plugin_dynamically("plinth", library)
    del xla_bridge._backend_factories["cpu"]
    xla_bridge.register_backend_factory(
        "cpu", partial(xla_bridge.make_pjrt_c_api_client, "plinth", options=options), priority=0,
        fail_quietly=False, make_topology=partial(xla_client.make_c_api_device_topology, api), c_api=api)


def replace_cuda(library: str) -> None:
    """From here on the backend that JAX calls cuda is the plugin."""
    for version in (12, 13):
        sys.modules[f"jax_plugins.xla_cuda{version}"] = None  # The name is the plugin's.
    from jax._src import hardware_utils, xla_bridge

    # JAX looks for the files of a GPU before it makes a client of this name; a simulated one has none.
    hardware_utils.has_visible_nvidia_gpu = lambda: True
    xla_bridge.register_plugin("cuda", library_path=library, priority=500, options=create_options())


def cases(suite) -> list[unittest.TestCase]:
    if isinstance(suite, unittest.TestCase):
        return [suite]
    return [case for part in suite for case in cases(part)]


def main() -> None:
    path, descriptor = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    os.set_inheritable(descriptor, False)
    events = os.fdopen(descriptor, "w")
    faulthandler.enable()
    wanted = sys.stdin.read().split("\n")
    sys.argv = [str(path)]
    if library := os.environ.get("JAX_TESTS_REPLACE_CPU"):
        replace_cpu(library)
    if library := os.environ.get("JAX_TESTS_REPLACE_CUDA"):
        replace_cuda(library)
    if setup := os.environ.get("JAX_TESTS_SETUP"):
        folder, module, function = setup.split(":")
        sys.path.insert(0, folder)
        getattr(importlib.import_module(module), function)()
    if "JAX_TESTS_ONE_DEVICE" in os.environ:
        from jax._src import test_util
        test_util.request_cpu_devices = lambda number: None
    found = {name_of(case): case
             for case in cases(unittest.defaultTestLoader.loadTestsFromModule(load(path)))}
    if wanted == ["?"]:
        events.write(json.dumps({"list": list(found)}) + "\n")
        events.flush()
        os._exit(0)
    result = Events(events)
    for name in wanted:
        if name not in found:
            result._write(end=name, verdict="missing", message="there is no such test here", seconds=0)
    unittest.TestSuite(found[name] for name in wanted if name in found).run(result)
    events.write(json.dumps({"done": True}) + "\n")
    events.flush()
    # Not to be judged here: what the interpreter's end does with a framework's threads.
    os._exit(0)


if __name__ == "__main__":
    main()
