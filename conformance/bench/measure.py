# SPDX-License-Identifier: Apache-2.0
"""What the cases of bench.py are made of: their list, clocks, data."""

import contextlib
import time
import zlib

import jax
import numpy as np

MB = 1 << 20
KEY = np.array([0, 42], np.uint32)
R = np.random.RandomState(0)

cases = []  # (name, function that returns {metric: value}), in the order of their run
programs = []  # (name, make, x64) of the cases that run one program: see store_programs.py
budget = 0.35  # seconds per timed thing; set by bench.py


def case(name):
    """Its data are its own, whatever ran before: a process that goes on after a death has the same."""
    def register(f):
        def run():
            R.seed(zlib.crc32(name.encode()))
            return f()

        cases.append((name, run))
        return f

    return register


def block(x):
    return jax.block_until_ready(x)


def timeit(f, min_n=3, max_n=2000, inner=1):
    """min and median seconds of f() (which must block), adaptive count."""
    f()
    ts = []
    end = time.perf_counter() + budget
    while len(ts) < min_n or (time.perf_counter() < end and len(ts) < max_n):
        t = time.perf_counter()
        f()
        ts.append((time.perf_counter() - t) / inner)
        if len(ts) >= min_n and time.perf_counter() > end:
            break
    ts.sort()
    return ts[0], ts[len(ts) // 2]


def checksum(out):
    a = np.asarray(jax.tree_util.tree_leaves(out)[0])
    if a.dtype == np.bool_:
        a = a.astype(np.float32)
    if np.iscomplexobj(a):
        a = np.abs(a)
    with np.errstate(all="ignore"):
        return float(np.mean(np.abs(a.astype(np.float64))))


def put(*xs):
    return block([jax.device_put(x) for x in xs])


def f32(*shape):
    return np.asarray(R.standard_normal(shape), np.float32)


def u32(*shape):
    return np.asarray(R.random_sample(shape) + 0.1, np.float32)


def run_case(name, make, bytes=None, flops=None, kind=None, x64=False):
    """make() -> (function, arguments): times jit(function)(*arguments), blocking."""
    programs.append((name, make, x64))

    @case(name)
    def _():
        with jax.enable_x64(True) if x64 else contextlib.nullcontext():
            function, arguments = make()
            arguments = put(*arguments)
            jitted = jax.jit(function)
            t = time.perf_counter()
            out = block(jitted(*arguments))
            first = time.perf_counter() - t
            result = {"chk": checksum(out)}
            del out
            least, median = timeit(lambda: block(jitted(*arguments)))
            result.update(ms=least * 1e3, ms_med=median * 1e3, first_ms=first * 1e3)
            if bytes:
                result["GBps"] = bytes / least / 1e9
            if flops:
                result["GFLOPs"] = flops / least / 1e9
            if kind:
                result["kind"] = kind
            return result
