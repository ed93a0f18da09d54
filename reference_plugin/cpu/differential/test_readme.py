"""The README's commands, run as a user would."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = "$PWD/build/release/lib/pjrt_plinth_cpu.so"

pytestmark = pytest.mark.plugin_only


def commands_of(title: str) -> str:
    section = (ROOT / "README.md").read_text().split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    return "".join(re.findall(r"^```sh\n(.*?)^```$", section, re.M | re.S))


def run(commands: str) -> str:
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    result = subprocess.run(["bash", "-euc", commands], cwd=ROOT, env=environment,
                            capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_commands_for_jax_work():
    install, commands = commands_of("Use the CPU plugin with JAX").split("\n", 1)
    assert install == "pip install jax==0.10.2"
    assert BUILT in commands
    output = run(commands.replace(BUILT, os.environ.get("PLINTH_CPU_PLUGIN", BUILT)))
    assert output.startswith("2.0 [")


def test_the_commands_for_any_plugin_work():
    output = run(commands_of("Look at any plugin"))
    assert "verdict: works" in output
    assert "conforms to L4" in output
    assert output.endswith("2.0\n")
