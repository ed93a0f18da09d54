# SPDX-License-Identifier: Apache-2.0
"""Unmodified JAX computes through plinth-serve: on one device and on eight, with the same losses as on the plugin itself;
and what happens when the server goes away.

Needs PLINTH_SERVE (the program) and PLINTH_CPU_PLUGIN; for another plugin beside it PLINTH_CUDA_PLUGIN and
PLINTH_CUDA_SIMULATOR, the folder of a simulated driver.
"""

import importlib.metadata
import importlib.util
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock

SERVE = os.environ["PLINTH_SERVE"]
PLUGIN = os.environ["PLINTH_CPU_PLUGIN"]
CLEAN = {k: v for k, v in os.environ.items()
         if not k.startswith(("JAX_", "XLA_", "PJRT_", "PLINTH_REMOTE", "IFRT_"))}

JAXLIB = tuple(int(part) for part in importlib.metadata.version("jaxlib").split(".")[:2])
# The package of this folder, and whatever else the tests were given.
PACKAGES = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])

TRAIN = """
import json, sys
import jax, jax.numpy as jnp, numpy as np
keys = jax.random.split(jax.random.PRNGKey(0), 3)
params = [jax.random.normal(keys[0], (8, 32)) * .3, jax.random.normal(keys[1], (32, 3)) * .3]
x = jax.random.normal(keys[2], (64, 8))
loss = lambda p: ((jnp.tanh(x @ p[0]) @ p[1] - x[:, :3]) ** 2).mean()
step = jax.jit(lambda p: (loss(p), jax.tree.map(lambda a, g: a - .1 * g, p, jax.grad(loss)(p))), donate_argnums=0)
losses = []
for _ in range(10):
    value, params = step(params)
    losses.append(float(value))
"""

EIGHT = """
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
devices = jax.devices()
assert len(devices) == 8, devices
mesh = Mesh(np.array(devices).reshape(4, 2), ("a", "b"))
host = np.arange(16 * 6, dtype=np.float32).reshape(16, 6)
rows = jax.device_put(host, NamedSharding(mesh, P("a", "b")))
np.testing.assert_array_equal(np.asarray(rows), host)
product = jax.jit(lambda m: m @ m.T, out_shardings=NamedSharding(mesh, P("a")))(rows)
np.testing.assert_allclose(np.asarray(product), host @ host.T)
assert product.sharding.spec == P("a"), product.sharding
# Before 0.10 the client writes it as custom calls, which the CPU plugin refuses.
if jax.__version_info__ >= (0, 10):
    total = jax.jit(jax.shard_map(lambda s: jax.lax.psum(s.sum(), ("a", "b")), mesh=mesh, in_specs=P("a", "b"), out_specs=P()))
    assert float(total(rows)) == host.sum()
    assert "all-reduce(" in total.lower(rows).compile().as_text()
moved = jax.device_put(rows, NamedSharding(mesh, P(None, "a")) if host.shape[1] % 4 == 0 else devices[3])
np.testing.assert_array_equal(np.asarray(moved), host)
for kind in (np.int8, np.bool_, np.float16, np.complex64, np.int64):
    values = np.array([[1, 0, 3]], dtype=kind)
    np.testing.assert_array_equal(np.asarray(jax.device_put(values)), values.astype(jax.dtypes.canonicalize_dtype(kind)))
np.testing.assert_array_equal(np.asarray(jax.device_put(host.T)), host.T)  # strides
assert np.asarray(jax.device_put(np.zeros((0, 3), np.float32))).shape == (0, 3)
cost = jax.jit(lambda a: a * 2).lower(jnp.ones(3)).compile().cost_analysis()
assert cost["flops"] > 0 if jax.__version_info__ >= (0, 8) else cost is None
compiled = jax.jit(lambda a: a * 2).lower(jnp.ones((3, 2))).compile()
(layout,), _ = compiled.input_formats
assert layout.layout.major_to_minor == (0, 1), layout
if hasattr(compiled.runtime_executable(), "get_hlo_text"):
    text = compiled.as_text()
    assert text.startswith("HloModule") and "multiply(" in text, text
    assert [module.to_string() for module in compiled.runtime_executable().hlo_modules()] == [text]
else:
    assert jax.__version_info__ < (0, 10)
    try:
        raise SystemExit(compiled.as_text())
    except NotImplementedError:
        pass
# What fails reaches whoever uses it, and the session goes on.
try:
    jnp.zeros((1 << 20, 1 << 21)).block_until_ready()
    raise SystemExit("8 TiB were there")
except jax.errors.JaxRuntimeError as error:
    assert "RESOURCE_EXHAUSTED" in str(error), error
gone = jnp.ones(4)
gone.delete()
try:
    gone + 1
    raise SystemExit("a deleted array was used")
except RuntimeError as error:
    assert "delete" in str(error), error
assert float(jnp.ones(4).sum()) == 4
"""

TWO = """
import sys, numpy as np
from plinth_pjrt import remote
remote.register(sys.argv[1], platform="first")
try:
    remote.register(sys.argv[2], platform="first")
    raise SystemExit("two servers of one name")
except remote.Error as error:
    assert "first" in str(error), error
remote.connect(sys.argv[2], platform="second")
import jax, jax.numpy as jnp
counts = [len(jax.devices(name)) for name in ("first", "second")]
assert counts == [int(count) for count in sys.argv[3:]], counts
assert jax.devices() == jax.devices("second")
host = np.arange(6, dtype=np.float32)
here, there = (jax.device_put(host, jax.devices(name)[-1]) for name in ("first", "second"))
double = jax.jit(lambda a: a * 2)
for array in (here, there):
    twice = double(array)
    assert twice.devices() == array.devices()
    np.testing.assert_array_equal(np.asarray(twice), host * 2)
# From one server to the other, and back.
moved = jax.device_put(double(here), jax.devices("second")[-1])
np.testing.assert_array_equal(np.asarray(jax.device_put(double(moved), jax.devices("first")[0])), host * 4)
try:
    here + there
    raise SystemExit("arrays of two servers were added")
except ValueError as error:
    assert "device" in str(error), error
"""

CALLBACKS = """
import sys, numpy as np, jax, jax.numpy as jnp
from jax.experimental import io_callback

def twice(a):
    assert isinstance(np.asarray(a), np.ndarray)
    return np.asarray(a) * 2
shape = lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype)
x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
pure = jax.jit(lambda a: jax.pure_callback(twice, shape(a), a, vmap_method="sequential") + 1)
np.testing.assert_array_equal(pure(x), np.arange(6).reshape(2, 3) * 2 + 1)
np.testing.assert_array_equal(jax.vmap(pure)(x), np.arange(6).reshape(2, 3) * 2 + 1)
large = jnp.ones((1 << 20,), jnp.float32)
assert float(pure(large).sum()) == 3 * (1 << 20)
for kind in (np.int8, np.bool_, np.float16, np.complex64, np.uint32):
    values = np.array([[1, 0, 1]], dtype=kind)
    same = jax.jit(lambda a: jax.pure_callback(lambda b: np.asarray(b), shape(a), a))(values)
    np.testing.assert_array_equal(np.asarray(same), values)
# Two operands, two results, a scalar, nothing at all.
q, r = jax.jit(lambda a, b: jax.pure_callback(lambda a, b: divmod(np.asarray(a), np.asarray(b)), (shape(a),) * 2, a, b))(17, 5)
assert (int(q), int(r)) == (3, 2)
empty = jax.jit(lambda a: jax.pure_callback(lambda b: np.asarray(b), shape(a), a))(np.zeros((0, 3), np.float32))
assert empty.shape == (0, 3)

# Order, in a loop, and a number that only this process knows.
seen = []
def note(i):
    seen.append(int(i))
    return np.int32(len(seen))
def body(i, total):
    return total + io_callback(note, jax.ShapeDtypeStruct((), jnp.int32), i, ordered=True)
total = jax.jit(lambda: jax.lax.fori_loop(0, 10, body, 0))()
assert int(total) == 55, total
assert seen == list(range(10)), seen
@jax.jit
def printing(a):
    jax.debug.print("sum is {}", a.sum())
    jax.debug.callback(lambda: seen.append("unordered"))
    return a
printing(x)
jax.effects_barrier()
assert seen[-1] == "unordered", seen

# A callback that computes with JAX, on the server again.
def nested(a):
    return np.asarray(pure(jnp.asarray(np.asarray(a))))
np.testing.assert_array_equal(
    jax.jit(lambda a: jax.pure_callback(nested, shape(a), a))(x), np.arange(6).reshape(2, 3) * 2 + 1)

# What it raises is raised where the result is used; and later calls work.
def fails(a):
    raise ValueError("the answer is not 42")
try:
    jax.block_until_ready(jax.jit(lambda a: jax.pure_callback(fails, shape(a), a))(x))
    raise SystemExit("no error")
except Exception as error:
    assert "the answer is not 42" in str(error), error
try:
    jax.block_until_ready(jax.jit(lambda a: jax.pure_callback(lambda b: np.zeros(7, np.float32), shape(a), a))(x))
    raise SystemExit("no error")
except Exception as error:
    assert "float32[7]" in str(error), error
assert float(pure(jnp.float32(2))) == 5
# Not waited for: it is printed before the process ends.
jax.jit(lambda a: jax.debug.print("the last {}", a))(jnp.int32(7))
"""

KEPT = """
import resource
array = jax.jit(lambda: jnp.arange(8 << 20, dtype=jnp.float32))()
double = jax.jit(lambda a: a * 2)
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for turn in range(6):
    if turn == 2:
        before = faults()
    fresh = double(array).block_until_ready()
    assert np.asarray(fresh)[-1] == 2 * ((8 << 20) - 1)
pages = 4 * (32 << 20) / 4096
print((faults() - before) / pages)
"""

KILLED = """
slow = jax.jit(lambda m: jax.lax.fori_loop(0, 1 << 30, lambda i, v: jnp.tanh(v @ v), m))
result = slow(jnp.ones((300, 300)))
print("at work", flush=True)
import time
try:
    result.block_until_ready()
    raise SystemExit("the work was done")
except Exception as error:
    print("raised", repr(time.time()), str(error).splitlines()[0][:200], flush=True)
"""


def child(code: str, address: str | None, options: str = "") -> subprocess.Popen:
    environment = CLEAN | {"PYTHONPATH": PACKAGES, "TF_CPP_MIN_LOG_LEVEL": "3"}
    if address is None:
        environment |= {"PJRT_NAMES_AND_LIBRARY_PATHS": f"plinth:{PLUGIN}", "JAX_PLATFORMS": "plinth"}
    else:
        code = f"from plinth_pjrt import remote\nassert remote.connect({address!r}{options})\n" + code
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


class Server:
    def __init__(self, *arguments: str, plugin: str = PLUGIN, environment: dict[str, str] = {}):
        self.process = subprocess.Popen([SERVE, "--plugin", plugin, "--log", "none", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=CLEAN | environment)
        line = self.process.stdout.readline()
        self.address = line.split()[2] if line.startswith("listening on ") else line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def finish(process: subprocess.Popen) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err[-4000:]
    return out


class RemoteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.socket = f"unix:{folder.name}/s"

    def test_trains_as_without_it(self):
        show = TRAIN + "print(json.dumps(losses))"
        with Server() as server:
            self.assertTrue(server.address.startswith("127.0.0.1:"), server.address)
            runs = [child(show, server.address), child(show, None)]
            remote, local = (json.loads(finish(run)) for run in runs)
        self.assertEqual(remote, local)
        self.assertLess(remote[-1], remote[0])

    def test_eight_devices_and_a_socket(self):
        with Server("--option", "num_devices=8", "--listen", self.socket) as server:
            self.assertEqual(server.address, self.socket)
            mode = stat.S_IMODE(os.stat(self.socket.removeprefix("unix:")).st_mode)
            self.assertEqual(mode, 0o600)
            finish(child(TRAIN + EIGHT, server.address))
            # Everything of the client has gone with it.
            deadline = time.time() + 20
            while True:
                told = subprocess.run([SERVE, "status", server.address], capture_output=True, text=True, check=True)
                status = json.loads(told.stdout)
                if sum(c["sessions"] for c in status["connections"]) == 0 or time.time() > deadline:
                    break
                time.sleep(0.1)
            self.assertEqual(sum(c["arrays"] for c in status["connections"]), 0)
            self.assertEqual(status["devices"], 8)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(30), 0)
            self.assertFalse(os.path.exists(self.socket.removeprefix("unix:")))

    def use_both(self, first: Server, second: Server, *counts: int) -> None:
        done = subprocess.run([sys.executable, "-c", TWO, first.address, second.address, *map(str, counts)],
                              capture_output=True, text=True, env=CLEAN | {"PYTHONPATH": PACKAGES}, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])

    def test_two_servers(self):
        with Server() as first, Server("--option", "num_devices=3", "--listen", self.socket, "--layers", "validation") as second:
            self.use_both(first, second, 1, 3)

    def test_two_servers_with_two_plugins(self):
        plugin, simulator = (os.environ.get(f"PLINTH_CUDA_{name}") for name in ("PLUGIN", "SIMULATOR"))
        if not plugin or not simulator:
            self.skipTest("PLINTH_CUDA_PLUGIN and PLINTH_CUDA_SIMULATOR are not set")
        driver = {"PLINTH_CUDA_LIBRARY_PATH": simulator, "PLINTH_CUDA_CACHE": "off"}
        with Server("--option", "num_devices=2") as first, \
                Server("--listen", self.socket, plugin=plugin, environment=driver) as second:
            self.use_both(first, second, 2, 1)

    def test_callbacks(self):
        with Server("--listen", self.socket) as server:
            out = finish(child(CALLBACKS, server.address))
            self.assertEqual(out, "sum is 15.0\nthe last 7\n")
            # A client that is killed in a callback leaves no work behind: the server ends at once.
            process = child("import time, jax, numpy as np\n"
                            "def wait(a):\n  print('called', flush=True)\n  time.sleep(1000)\n"
                            "jax.jit(lambda a: jax.pure_callback(wait, jax.ShapeDtypeStruct((), np.float32), a))"
                            "(np.float32(1)).block_until_ready()", server.address)
            self.assertEqual(process.stdout.readline(), "called\n")
            process.kill()
            process.communicate()
            finish(child("import jax.numpy as jnp; assert jnp.ones(3).sum() == 3", server.address))
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(60), 0)

    def test_kept_memory_is_used_again(self):
        with Server("--listen", self.socket) as server:
            code = "import numpy as np, jax, jax.numpy as jnp\n" + KEPT
            faults = float(finish(child(code, server.address)))
        # The array, and the messages that it comes in: 1 to 2 with keep_memory=False.
        self.assertLess(faults, 0.7, "pages that the system had to give for each page of an array")

    def test_killed_server_raises_within_a_second(self):
        with Server("--listen", self.socket) as server:
            process = child(TRAIN + KILLED, server.address)
            self.assertEqual(process.stdout.readline(), "at work\n")
            time.sleep(0.2)
            killed = time.time()
            server.process.kill()
            out, err = process.communicate(timeout=300)
        # jaxlib before 0.9 crashes as it ends, when its server is gone.
        ends = (0, -signal.SIGSEGV) if JAXLIB < (0, 9) else (0,)
        self.assertIn(process.returncode, ends, err[-4000:])
        self.assertTrue(out.startswith("raised "), out)
        self.assertLess(float(out.split()[1]) - killed, 1.0, out)

    def test_many_connections_leave_no_memory(self):
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])

        def connect(count: int) -> None:
            for _ in range(count):
                with socket.socket(socket.AF_UNIX) as one:
                    one.connect(self.socket.removeprefix("unix:"))
                    try:
                        one.sendall(preface)
                        one.recv(64)
                    except ConnectionError:
                        pass  # More than 256 at a time are closed.

        with Server("--listen", self.socket) as server:
            def kilobytes() -> int:
                lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
                return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

            connect(1000)
            before = kilobytes()
            connect(10000)
            self.assertLess(kilobytes() - before, 10000, "more than a kilobyte for each connection")

    def test_refusals(self):
        for arguments, text in ((["--listen", "0.0.0.0:0"], "--insecure-network"),
                                (["--listen", "nowhere"], "HOST:PORT"),
                                (["--plugin", "/no/such.so"], "/no/such.so"),
                                (["--no-such-option"], "--help")):
            done = subprocess.run([SERVE, *arguments], capture_output=True, text=True, env=CLEAN, timeout=60)
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(text, done.stderr)
        done = subprocess.run([SERVE, "status", self.socket], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("UNAVAILABLE", done.stderr)

    def test_size(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["strip", "-o", f"{folder}/s", SERVE], check=True)
            self.assertLessEqual(os.stat(f"{folder}/s").st_size, 1_500_000)

    def test_variable_of_the_wheel(self):
        # As JAX does with the wheel's entry point, which registers the server before anything runs.
        code = ("from plinth_pjrt import jax_plugin; jax_plugin._register_remote(); import jax; "
                "print(jax.devices()[0].client.runtime_type, len(jax.devices()), float(jax.jit(lambda x: x + 1)(1.0)))")
        run = lambda address: subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True,
            env=CLEAN | {"PYTHONPATH": PACKAGES, "PLINTH_REMOTE": address, "TF_CPP_MIN_LOG_LEVEL": "3"}, timeout=300)
        with Server("--option", "num_devices=3", "--listen", self.socket) as server:
            done = run(server.address)
            self.assertEqual(done.returncode, 0, done.stderr[-4000:])
            self.assertIn(" 3 2.0", done.stdout)
        done = run("nonsense")
        self.assertIn("PLINTH_REMOTE is not used", done.stderr)
        self.assertIn(" 1 2.0", done.stdout)  # On JAX's own CPU.

    def test_old_jaxlib_is_told_why_not(self):
        from plinth_pjrt import remote
        with mock.patch.dict(sys.modules, {"jaxlib": types.SimpleNamespace(__version__="0.6.2")}):
            with self.assertRaisesRegex(remote.Error, "0.6.2.*0.7.1"):
                remote.register("127.0.0.1:1")
        with self.assertRaisesRegex(remote.Error, "unix:PATH"):
            remote._address("here")

    def test_digits_train_the_same(self):
        if importlib.util.find_spec("sklearn") is None:
            self.skipTest("scikit-learn, which has the digits, is not here")
        train = Path(__file__).resolve().parents[2] / "samples/digits/train.py"
        with tempfile.TemporaryDirectory() as folder, Server() as server:
            code = (f"import runpy, sys; sys.path.insert(0, {str(train.parent)!r}); "
                    "sys.argv = ['train.py', '--epochs', '1', '--out', {!r}]; "
                    f"runpy.run_path({str(train)!r}, run_name='__main__')")
            runs = [child(code.format(f"{folder}/{name}"), address)
                    for name, address in (("remote", server.address), ("local", None))]
            for run in runs:
                finish(run)
            remote, local = (json.loads(Path(f"{folder}/{name}.json").read_text()) for name in ("remote", "local"))
            self.assertEqual(remote["losses"], local["losses"])
            self.assertEqual(remote["accuracy"], local["accuracy"])


if __name__ == "__main__":
    unittest.main()
