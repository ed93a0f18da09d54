# SPDX-License-Identifier: Apache-2.0
import os
import pathlib

import pytest

import backends

HOW_TO_BUILD = "scripts/build release pjrt_plinth_cpu"
DEFAULT = pathlib.Path(__file__).resolve().parents[2] / "build/release/lib/pjrt_plinth_cpu.so"


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also the long matrix of types and shapes")
    parser.addoption("--torch", action="store_true", help="also with PyTorch, which must be installed")
    parser.addoption("--fusion", choices=["on", "off"], default="on",
                     help="compile for the plugin with or without fusion")
    parser.addoption("--hlo", action="store_true",
                     help="what runs on the plugin reaches it as HLO instead of StableHLO")
    parser.addoption("--against-itself", action="store_true",
                     help="compare the built-in backend with itself: checks the suite")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: runs with --full only")
    config.addinivalue_line("markers", "torch: runs with --torch only")
    config.addinivalue_line("markers", "plugin_only: makes no sense --against-itself")
    if config.getoption("--against-itself"):
        backends.configure(None, {})
        return
    library = pathlib.Path(os.environ.get("PLINTH_CPU_PLUGIN", DEFAULT))
    if not library.is_file():
        raise pytest.UsageError(f"no plugin at {library}: build it with `{HOW_TO_BUILD}`, or name it "
                                "in PLINTH_CPU_PLUGIN")
    options = {"fusion": False} if config.getoption("--fusion") == "off" else {}
    backends.configure(str(library.resolve()), options, hlo=config.getoption("--hlo"))


def pytest_collection_modifyitems(config, items):
    dropped = []
    for name in ("full", "torch"):
        if not config.getoption(f"--{name}"):
            dropped += [item for item in items if item.get_closest_marker(name)]
    if config.getoption("--against-itself"):
        dropped += [item for item in items if item.get_closest_marker("plugin_only")]
    if dropped:
        items[:] = [item for item in items if item not in dropped]
        config.hook.pytest_deselected(items=dropped)
