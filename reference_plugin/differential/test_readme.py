# SPDX-License-Identifier: Apache-2.0
"""The README's commands, run as a user would, and the Python of docs/debugging.md."""

import os
import pathlib
import re
import subprocess

import pytest

from processes import run_python

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = "$PWD/build/release/lib/pjrt_plinth_cpu.so"

pytestmark = pytest.mark.plugin_only


def commands_of(title: str) -> str:
    section = (ROOT / "README.md").read_text().split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    return "".join(re.findall(r"^```sh\n(.*?)^```$", section, re.M | re.S))


def run(commands: str) -> str:
    # A shell in which nobody has chosen an environment: Debian has no `python`, and a `pip` that refuses.
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    result = subprocess.run(["bash", "-euc", commands], cwd=ROOT, env=environment | {"PATH": "/usr/bin:/bin"},
                            capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_commands_for_jax_work():
    commands = commands_of("Use the CPU plugin with JAX")
    assert BUILT in commands
    output = run(commands.replace(BUILT, os.environ.get("PLINTH_CPU_PLUGIN", BUILT)))
    assert output.startswith("2.0 [")


def test_the_commands_for_a_server_work(tmp_path):
    commands = commands_of("JAX on devices elsewhere")
    assert commands.count("/tmp/plinth.socket") == 2
    commands = commands.replace(BUILT, os.environ.get("PLINTH_CPU_PLUGIN", BUILT))
    output = run(commands.replace("/tmp/plinth.socket", f"{tmp_path}/s"))
    assert "6.0 [" in output, output


def test_the_commands_for_any_plugin_work():
    output = run(commands_of("Look at any plugin"))
    assert "verdict: works" in output
    assert "conforms to L4" in output
    assert output.endswith("2.0\n")


def test_the_python_of_the_page_on_debugging_works():
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/debugging.md").read_text(), re.M | re.S)
    assert len(blocks) >= 2
    for block in blocks:
        run_python(block)
