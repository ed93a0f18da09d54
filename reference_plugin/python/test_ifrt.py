# SPDX-License-Identifier: Apache-2.0
"""plinth.ifrt on the CPU plugin with eight devices, and its index domains against JAX's.

Run as a program it is the test; with --import it tells what importing and a first result cost, and
which packages they bring beside NumPy.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

START = time.process_time()
WITH_NUMPY = set(sys.modules)
from plinth_pjrt import ifrt  # noqa: E402

ADD = """
module @add {
  func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %y : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""


class IfrtTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.client = ifrt.connect(os.environ["PLINTH_CPU_PLUGIN"], num_devices=8)

    def test_arrays_go_there_and_back(self) -> None:
        client = self.client
        mesh = ifrt.Mesh(client.devices, {"x": 4, "y": 2})
        for dtype in (np.bool_, np.int8, np.uint16, np.float16, np.float32, np.complex128):
            host = np.arange(30).reshape(5, 6).astype(dtype)
            for sharding in (client.named(mesh, ["x", "y"]), client.named(mesh, [None, ("y", "x")]),
                             client.replicated(), client.single(client.devices[3])):
                array = client.put(host, sharding)
                self.assertEqual((array.shape, array.dtype), (host.shape, host.dtype))
                np.testing.assert_array_equal(np.asarray(array), host)
        transposed = np.arange(30).reshape(5, 6).T
        np.testing.assert_array_equal(client.put(transposed, client.named(mesh, ["x", "y"])), transposed)
        backwards = np.arange(8)[::-2]
        np.testing.assert_array_equal(client.put(backwards), backwards)
        np.testing.assert_array_equal(np.from_dlpack(client.put(np.arange(4.0))), np.arange(4.0))
        columns = client.put(transposed, client.named(mesh, ["x", None]), minor_to_major=[0, 1])
        self.assertEqual(columns.layout, "{0,1}")
        np.testing.assert_array_equal(columns, transposed)
        self.assertEqual(client.put(transposed).layout, "{1,0}")
        for wrong in ([0], [1, 1]):
            with self.assertRaises(ifrt.Error):
                client.put(transposed, minor_to_major=wrong)

    def test_dlpack_shares_memory(self) -> None:
        client = self.client
        host = np.arange(1 << 18, dtype=np.float32)
        pointer = lambda a: a.__array_interface__["data"][0]
        array = client.put(host, client.single(client.devices[2]))
        view, again = np.from_dlpack(array), np.from_dlpack(array)
        self.assertEqual(pointer(view), pointer(again))
        self.assertFalse(view.flags.writeable)
        self.assertEqual(array.__dlpack_device__(), (1, 0))
        del array, again
        np.testing.assert_array_equal(view, host)
        # A capsule that nobody takes.
        client.put(host).__dlpack__(max_version=(1, 0))
        # Cut arrays are copied, unless one takes their shards; so they are for old consumers.
        rows = client.named(ifrt.Mesh(client.devices, {"x": 8}), ["x"])
        cut = client.put(host, rows)
        np.testing.assert_array_equal(np.from_dlpack(cut), host)
        np.testing.assert_array_equal(np.from_dlpack(cut.shards()[7]), host[-(1 << 15):])
        with self.assertRaises(BufferError):
            cut.__dlpack__(max_version=(1, 0), copy=False)
        copy = client.put(host).__dlpack__()
        self.assertIn('"dltensor"', repr(copy))
        # In: the plugin computes on the memory of others.
        taken = client.from_dlpack(view)
        self.assertEqual(pointer(np.from_dlpack(taken)), pointer(view))
        parts = [np.from_dlpack(shard) for shard in cut.shards()]
        joined = client.from_dlpack(parts, rows, shape=[1 << 18])
        np.testing.assert_array_equal(joined, host)
        self.assertEqual([pointer(np.from_dlpack(s)) for s in joined.shards()], [pointer(p) for p in parts])
        transposed = np.arange(6, dtype=np.int8).reshape(2, 3).T
        np.testing.assert_array_equal(client.from_dlpack(transposed), transposed)

        class Old:  # Knows no DLPack 1.x.
            def __dlpack__(self, stream: None = None) -> object:
                return host.__dlpack__()

            def __dlpack_device__(self) -> tuple[int, int]:
                return 1, 0

        np.testing.assert_array_equal(client.from_dlpack(Old()), host)
        for wrong in (lambda: client.from_dlpack([Old(), Old()], rows), lambda: client.from_dlpack([]),
                      lambda: client.from_dlpack(parts[:3], rows, shape=[1 << 18])):
            with self.assertRaises(ifrt.Error) as raised:
                wrong()
            self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")

    def test_two_processes(self) -> None:
        """Each is a process of its own; what they share lies in a folder."""
        with tempfile.TemporaryDirectory() as folder:
            runs = [subprocess.Popen([sys.executable, __file__, "--process", str(node), folder],
                                     stdout=subprocess.PIPE, text=True) for node in (0, 1)]
            outs = [run.communicate(timeout=300)[0].split() for run in runs]
        self.assertEqual([run.returncode for run in runs], [0, 0])
        # Process 0 has devices 4 to 7, and gets what devices 0 to 3 had.
        self.assertEqual(outs, [["0", "1", "2", "3"], ["14", "15", "16", "17"]])

    def test_resharding(self) -> None:
        client = self.client
        host = np.arange(64, dtype=np.int32).reshape(8, 8)
        rows = client.named(ifrt.Mesh(client.devices, {"x": 8}), ["x", None])
        pair = client.named(ifrt.Mesh(client.devices[3:5], {"x": 2}), [None, "x"])
        array = client.put(host, rows)
        moved = array.reshard(pair, copy=ifrt.DONATE)
        self.assertTrue(array.is_deleted)
        self.assertEqual(moved.sharding, pair)
        np.testing.assert_array_equal(moved, host)
        np.testing.assert_array_equal(moved.shards()[1], host[:, 4:])
        columns = moved.reshard(rows, minor_to_major=[0, 1])
        self.assertEqual(columns.layout, "{0,1}")
        np.testing.assert_array_equal(columns, host)
        for wrong in ([0], [1, 1]):
            with self.assertRaises(ifrt.Error) as raised:
                moved.reshard(rows, minor_to_major=wrong)
            self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")

    def test_programs(self) -> None:
        client = self.client
        add = client.compile(ADD, devices=[client.devices[2]])
        x = client.put(np.ones(4, np.float32), client.single(client.devices[2]))
        np.testing.assert_array_equal(add(x, np.arange(4, dtype=np.float32)), [1, 2, 3, 4])
        again = client.load(add.serialize(), format="serialized")
        np.testing.assert_array_equal(again(x, x), [2] * 4)
        with self.assertRaises(ifrt.Error) as raised:
            add(x)
        self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")
        with self.assertRaises(ifrt.Error):
            client.compile("no program").ready().wait()

    def test_what_jax_exports(self) -> None:
        import jax
        import jax.numpy as jnp
        from jax.sharding import Mesh, NamedSharding, PartitionSpec

        client = self.client
        x = np.arange(12, dtype=np.float32).reshape(4, 3)
        one = jax.export.export(jax.jit(lambda a: (jnp.sin(a), a @ a.T)))(x)
        sine, product = client.load(one.mlir_module_serialized)(x)
        np.testing.assert_allclose(sine, np.sin(x), rtol=1e-6)
        np.testing.assert_allclose(product, x @ x.T)
        # For four devices, cut as JAX said.
        mesh = Mesh(np.array(jax.devices("cpu")[:4]), ("x",))
        rows = NamedSharding(mesh, PartitionSpec("x"))
        cut = jax.export.export(jax.jit(lambda a: a - a.mean(0), in_shardings=rows, out_shardings=rows))(x)
        devices = client.devices[3:7]
        ours = client.named(ifrt.Mesh(devices, {"x": 4}), ["x", None])
        result = client.load(cut.mlir_module_serialized, devices=devices, use_shardy=True)(client.put(x, ours))
        self.assertEqual(result.sharding, ours)
        np.testing.assert_allclose(result, x - x.mean(0), rtol=1e-6)

    def test_waiting(self) -> None:
        client = self.client

        async def run() -> np.ndarray:
            add = await client.compile(ADD, devices=[client.devices[0]]).ready()
            result = add(np.ones(4, np.float32), np.ones(4, np.float32))
            return await result.to_host()

        np.testing.assert_array_equal(asyncio.run(run()), [2] * 4)

        async def fail() -> None:
            await client.compile("no program").ready()

        with self.assertRaises(ifrt.Error):
            asyncio.run(fail())

    def test_what_is_wrong_is_raised(self) -> None:
        client = self.client
        array = client.put(np.arange(4))
        array.delete()
        for wrong in (lambda: np.asarray(array), lambda: client.put(np.array(["text"])),
                      lambda: client.named(ifrt.Mesh(client.devices, {"x": 3}), ["x"]),
                      lambda: client.named(ifrt.Mesh(client.devices, {"x": 8}), ["y"]),
                      lambda: client.replicated(client.devices[:1] * 2)):
            with self.assertRaises(ifrt.Error) as raised:
                wrong()
            self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")

    def test_index_domains_are_those_of_jax(self) -> None:
        import jax
        from jax.sharding import Mesh, NamedSharding, PartitionSpec

        devices = np.array(jax.devices("cpu"))
        self.assertEqual(len(devices), 8)
        compared = 0
        for axes in ({"x": 8}, {"x": 4, "y": 2}, {"x": 2, "y": 2, "z": 2}):
            mesh = Mesh(devices.reshape(tuple(axes.values())), tuple(axes))
            own = ifrt.Mesh(self.client.devices, axes)
            choices = [None, *axes, *itertools.permutations(axes, 2)]
            for spec in itertools.product(choices, repeat=2):
                used = [a for s in spec if s for a in ([s] if isinstance(s, str) else s)]
                if len(set(used)) != len(used):
                    continue
                theirs = NamedSharding(mesh, PartitionSpec(*spec))
                ours = self.client.named(own, spec)
                shape = (16, 8)
                indices = theirs.devices_indices_map(shape)
                want = [tuple(slice(*s.indices(n)[:2]) for s, n in zip(indices[d], shape))
                        for d in mesh.devices.flat]
                self.assertEqual(ours.indices(shape), want)
                self.assertEqual(ours.shard_shape(shape), theirs.shard_shape(shape))
                message = theirs._to_xla_hlo_sharding(2).to_proto().SerializeToString()
                self.assertEqual(self.client.from_op_sharding(message), ours)
                compared += 1
        self.assertGreater(compared, 50)

    def test_brings_no_other_package(self) -> None:
        done = subprocess.run([sys.executable, __file__, "--import"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        packages = done.stdout.splitlines()[-1].split()
        self.assertEqual(packages, ["plinth_pjrt"])


def measure() -> None:
    client = ifrt.connect(os.environ["PLINTH_CPU_PLUGIN"])
    add = client.compile(ADD)
    np.asarray(add(np.ones(4, np.float32), np.ones(4, np.float32)))
    took = time.process_time() - START  # Also of threads; not what other programs take.
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(f"{took * 1000:.0f} ms of a processor beyond NumPy, {peak / 1024:.0f} MB")
    packages = {name.split(".")[0] for name in sys.modules.keys() - WITH_NUMPY}
    print(*sorted(packages - sys.stdlib_module_names - {"numpy"}))


class FolderStore:
    """What several processes share, as files."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def get(self, key: bytes, seconds: float) -> bytes:
        end = time.monotonic() + seconds
        while not (file := self._folder / key.hex()).exists():
            if time.monotonic() >= end:
                raise TimeoutError(key) if seconds else KeyError(key)
            time.sleep(0.01)
        return file.read_bytes()

    def put(self, key: bytes, value: bytes) -> None:
        draft = self._folder / f"draft-{os.getpid()}"
        draft.write_bytes(value)
        draft.rename(self._folder / key.hex())


def run_process(node: int, folder: str) -> None:
    client = ifrt.connect(os.environ["PLINTH_DEVICES_PLUGIN"], store=FolderStore(folder), num_nodes=2, node_id=node)
    mine = [device for device in client.devices if device.is_addressable]
    assert len(mine) == 4 and {device.process_index for device in mine} == {node}
    rows = client.named(ifrt.Mesh(client.devices, {"x": 8}), ["x"])
    array = client.put(np.arange(8, dtype=np.int32) + 10 * (1 - node), rows)
    other = client.copy(array, client.devices[4:] + client.devices[:4])
    print(*[int(np.asarray(shard)[0]) for shard in other.shards()])


if __name__ == "__main__":
    if "--process" in sys.argv:
        run_process(int(sys.argv[2]), sys.argv[3])
    elif "--import" in sys.argv:
        measure()
    else:
        unittest.main()
