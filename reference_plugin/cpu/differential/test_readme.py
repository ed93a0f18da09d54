"""The README's section for users of JAX, run as a user would."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.plugin_only


def test_the_commands_for_jax_work():
    section = (ROOT / "README.md").read_text().split("## Use the CPU plugin with JAX", 1)[1]
    commands = re.search(r"^```sh\n(.*?)^```$", section, re.M | re.S)[1]
    install, commands = commands.split("\n", 1)
    assert install == "pip install jax==0.10.2"
    built = "$PWD/build/release/lib/pjrt_plinth_cpu.so"
    assert built in commands
    plugin = os.environ.get("PLINTH_CPU_PLUGIN", built)
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    result = subprocess.run(["bash", "-euc", commands.replace(built, plugin)], cwd=ROOT,
                            env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("2.0 [")
