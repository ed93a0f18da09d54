# SPDX-License-Identifier: Apache-2.0
"""The same as reshard.cc, with NumPy alone: reshard.py PLUGIN PROGRAM.mlir"""

import sys

import numpy as np
from plinth_pjrt import ifrt


def show(what: str, array: ifrt.Array) -> None:
    print(f"{what} ({repr(array.sharding)[1:-1]}):", *(f"{x:g}" for x in np.asarray(array).flat))


def main(plugin: str, program: str) -> None:
    client = ifrt.connect(plugin, num_devices=8)
    mesh = ifrt.Mesh(client.devices, {"x": 4, "y": 2})
    # Rows along x, columns along y: every device has an f32[2,4].
    array = client.put(np.arange(64, dtype=np.float32).reshape(8, 8), client.named(mesh, ["x", "y"]))
    # One program over all devices, each with its part.
    result = client.load(program, devices=client.devices)(array)
    show("program", result)
    # The result, cut the other way round, then on two devices.
    cut = result.reshard(client.named(mesh, [None, ("x", "y")]), copy=ifrt.DONATE)
    show("columns", cut)
    pair = ifrt.Mesh([client.devices[6], client.devices[1]], {"x": 2})
    show("pair", cut.reshard(client.named(pair, ["x", None]), copy=ifrt.DONATE))


if __name__ == "__main__":
    main(*sys.argv[1:])
