# SPDX-License-Identifier: Apache-2.0
"""What a plinth-serve costs JAX: a tiny call, and arrays there and back; the least of many turns.

    bench.py [--build build/release] [--plugin P] [--megabytes 256] [--turns 2000]

On loopback and on a Unix socket, there also without keep_memory of plinth_pjrt.remote, beside the
same plugin within the process. One JSON object. Seconds of processor time per gigabyte, of the server
and of the client, tell more than gigabytes a second where a machine has other work. The server's
memory is its peak while the first array arrives, in bytes of that: more than 1 is a copy of the
whole. `raw` is a client that drops what it gets (raw_client.py): what the server can do where
jaxlib's client is the limit.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import raw_client

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "reference_plugin/python"

CHILD = """
import json, os, sys, time
import numpy as np
address, megabytes, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if address != "-":
    from plinth_pjrt import remote
    remote.connect(address, keep_memory="fresh" not in sys.argv)
import jax
def least(what, count):
    best = None
    for _ in range(count):
        begin = time.perf_counter()
        end = what()
        taken = (end or time.perf_counter()) - begin
        best = taken if best is None else min(best, taken)
    return best
one = jax.device_put(np.float32(1))
step = jax.jit(lambda x: x + 1)
def wait(array):
    array.block_until_ready()
wait(step(one))
def dispatched():
    result = step(one)
    end = time.perf_counter()
    wait(result)
    return end
found = {"call_us": least(dispatched, turns) * 1e6,
         "done_us": least(lambda: wait(step(one)), turns) * 1e6}
host = np.arange(megabytes << 18, dtype=np.float32)
if address != "-":
    pid = int(sys.argv[4])
    kept = lambda name: next(int(line.split()[1]) << 10 for line in open(f"/proc/{pid}/status") if line.startswith(name))
    before = kept("VmRSS")
def processor():
    # Seconds of the server, and of this process.
    server = 0
    if address != "-":
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        server = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    own = os.times()
    return server, own.user + own.system
def move(name, prepare, turn):
    times, used = [], [0, 0]
    for _ in range(5):
        source = prepare()
        before_cpu, begin = processor(), time.perf_counter()
        turn(source)
        times.append(time.perf_counter() - begin)
        used = [u + after - before for u, after, before in zip(used, processor(), before_cpu)]
    gigabytes = host.nbytes / 1e9
    found[f"{name}_gb_s"] = gigabytes / min(times)
    found[f"{name}_server_s_per_gb"], found[f"{name}_client_s_per_gb"] = (u / 5 / gigabytes for u in used)
def fresh(array):
    # An array that has no copy in this process yet.
    other = double(array)
    wait(other)
    return other
double = jax.jit(lambda x: x * 2)
array = jax.device_put(host)
wait(array)
if address != "-":
    found["server_peak_arrays"] = (kept("VmHWM") - before) / host.nbytes
wait(double(array))
move("to_device", lambda: host, lambda source: wait(jax.device_put(source)))
move("to_host", lambda: fresh(array), np.asarray)
assert np.asarray(fresh(array))[-1] == host[-1] * 2
print(json.dumps({name: round(value, 2) for name, value in found.items()}))
"""


def clean() -> dict[str, str]:
    dirty = ("JAX_", "XLA_", "PJRT_", "PLINTH_", "IFRT_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dirty)}
    return kept | {"PYTHONPATH": str(PACKAGE), "TF_CPP_MIN_LOG_LEVEL": "3"}


def measure(address: str, options: argparse.Namespace, environment: dict[str, str], pid: int = 0, *more: str) -> dict:
    done = subprocess.run([sys.executable, "-c", CHILD, address, str(options.megabytes), str(options.turns), str(pid), *more],
                          env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


def measure_raw(address: str, megabytes: int, pid: int) -> dict:
    """The best of five arrays there and back; seconds of the server's processor for each gigabyte, of all five."""
    client = raw_client.Client(address)
    payload = bytearray(os.urandom(1 << 20)) * megabytes
    gigabytes = len(payload) / 1e9

    def processor() -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    found = {}
    for name, turn in (("to_device", lambda i: client.put(i, payload)), ("to_host", lambda i: client.to_host(i, 100 + i))):
        before = processor()
        seconds = [turn(i) for i in range(1, 6)]
        found[f"raw_{name}_gb_s"] = round(gigabytes / min(seconds), 2)
        found[f"raw_{name}_server_s_per_gb"] = round((processor() - before) / 5 / gigabytes, 2)
    client.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="build folder (%(default)s)")
    parser.add_argument("--plugin", type=Path, help="default: the CPU plugin of the build folder")
    parser.add_argument("--megabytes", type=int, default=256, help="of the array (%(default)s)")
    parser.add_argument("--turns", type=int, default=2000, help="of the tiny call (%(default)s)")
    options = parser.parse_args()
    plugin = options.plugin or options.build / "lib/pjrt_plinth_cpu.so"
    found = {"in the process": measure("-", options, clean() | {
        "PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth:{plugin}", "JAX_PLATFORMS": "plinth"})}
    with tempfile.TemporaryDirectory() as folder:
        for name, listen in (("loopback", "127.0.0.1:0"), ("socket", f"unix:{folder}/s")):
            server = subprocess.Popen([options.build / "bin/plinth-serve", "--plugin", plugin, "--listen", listen,
                                       "--log", "none"], stdout=subprocess.PIPE, text=True, env=clean())
            try:
                line = server.stdout.readline()
                if not line.startswith("listening on "):
                    raise SystemExit("the server did not start")
                address = line.split()[2]
                found[name] = measure(address, options, clean(), server.pid)
                found[name] |= measure_raw(address, options.megabytes, server.pid)
                if name == "socket":
                    found["socket, fresh memory"] = measure(address, options, clean(), server.pid, "fresh")
                    del found["socket, fresh memory"]["server_peak_arrays"]  # That of those before.
            finally:
                server.kill()
                server.communicate()
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
