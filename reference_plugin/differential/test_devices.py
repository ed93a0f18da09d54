# SPDX-License-Identifier: Apache-2.0
"""jit with shardings, shard_map and pmap over eight devices, on the plugin and on JAX's built-in CPU.

Each side runs the programs below in a process of its own, since the number of devices is fixed when
a process starts; the outputs are compared here.
"""

import json
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import conftest

PROGRAMS = """
import os, pickle, sys
import numpy as np
import jax, jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)

line = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
grid = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
turned = jax.sharding.Mesh(np.array(jax.devices())[::-1].reshape(4, 2), ("x", "y"))
few = jax.sharding.Mesh(np.array(jax.devices())[[6, 1, 3]], ("x",))
rng = np.random.default_rng(0)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def ints(*shape, dtype=np.int32):
    return rng.integers(-50, 50, shape).astype(dtype)


cases = {}


def case(mesh, in_specs, out_specs, *arguments, name=None):
    def register(body):
        def run():
            mapped = jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)
            return jax.jit(mapped)(*arguments)
        cases[name or body.__name__] = run
        return body
    return register


@case(line, P("x"), P(), ints(16, 3))
def psum(a):
    return lax.psum(a, "x")


@case(line, P("x"), P("x"), f32(16, 3))
def max_min(a):
    return lax.pmax(a, "x") - lax.pmin(a, "x")


@case(line, P("x"), P(), f32(64, 5))
def mean(a):
    return lax.pmean(a, "x")


@case(grid, P("x", "y"), P("x"), ints(4, 8))
def over_one_axis(a):
    return lax.psum(a, "y") * lax.axis_index("x")


@case(grid, (P("x", "y"), P("y")), (P(), P("x")), ints(4, 8), ints(8))
def two_in_two_out(a, b):
    return lax.psum(a.sum() + b.sum(), ("x", "y")), a.sum(1)


@case(turned, P("x", "y"), P(("x", "y")), ints(8, 4))
def devices_in_another_order(a):
    return lax.psum(a, "x") + lax.axis_index("y") + a


@case(few, P("x"), P("x"), ints(6, 2))
def some_of_the_devices(a):
    return lax.all_gather(a, "x", tiled=True)[:2] + a


@case(line, P("x"), P(None, "x"), ints(8, 16))
def all_to_all(a):
    return lax.all_to_all(a, "x", split_axis=1, concat_axis=0, tiled=True)


@case(line, P("x"), P("x"), ints(8, 8, 2))
def all_to_all_untiled(a):
    return lax.all_to_all(a[0], "x", 0, 0)


@case(line, P("x"), P("x"), ints(8, 3, dtype=np.int8))
def gather_into_a_new_dimension(a):
    return lax.all_gather(a, "x", axis=1)


@case(line, P(None, "x"), P("x"), ints(16, 8))
def psum_scatter(a):
    return lax.psum_scatter(a, "x", scatter_dimension=0, tiled=True)


@case(line, P("x"), P("x"), f32(8, 3))
def ppermute(a):
    return lax.ppermute(a, "x", [(i, (i + 3) % 8) for i in range(6)])


@case(line, P("x"), P("x"), f32(8, 3))
def groups(a):
    return lax.psum(a, "x", axis_index_groups=[[0, 3, 5, 6], [1, 2, 4, 7]])


@case(line, P("x"), P(), (ints(8, 4) % 2).astype(bool))
def any_of_bools(a):
    return lax.pmax(a.astype(np.int32), "x")


@case(line, P("x"), P(), (f32(8, 4) + 1j * f32(8, 4)).astype(np.complex64))
def complex_sum(a):
    return lax.psum(a, "x")


@case(line, P("x"), P("x"), ints(8, 4, dtype=np.int64))
def loop_around_a_sum(a):
    return lax.fori_loop(0, 5, lambda i, b: lax.psum(b, "x") % 101 + i, a)


@case(line, P("x"), P("x"), ints(8, 4))
def own_trip_counts(a):
    turns = lax.axis_index("x")
    b = lax.while_loop(lambda c: c[0] < turns, lambda c: (c[0] + 1, c[1] * 2), (0, a))[1]
    return b + lax.psum(b, "x")


@case(line, P("x"), P("x"), ints(8, 4))
def own_branches(a):
    return lax.psum(lax.cond(lax.axis_index("x") % 2 == 0, lambda b: b * 3, lambda b: -b, a), "x") + a


@case(line, (P("x"), P("x")), P("x"), ints(8, 4), ints(8, 4))
def callbacks_before_a_sum(a, b):
    c = jax.pure_callback(lambda v: v * 2, a, a)
    return lax.psum(c, "x") + b


@case(line, P("x"), P("x"), f32(8, 300_001))
def large_sum(a):
    return lax.psum(a, "x")


@case(line, P(), P("x"), f32(3))
def from_replicated(a):
    return a[None] * lax.axis_index("x")


def through_pmap():
    x = f32(8, 5)
    return jax.pmap(lambda a: a / lax.psum(a * a, "i"), axis_name="i")(x)


def pmap_of_some_devices():
    return jax.pmap(lambda a: lax.ppermute(a, "i", [(0, 2), (1, 0), (2, 1)]), axis_name="i",
                    devices=jax.devices()[2:5])(ints(3, 4))


def pmap_with_replicated_argument():
    return jax.pmap(lambda a, b: lax.all_gather(a + b, "i"), axis_name="i", in_axes=(0, None))(ints(8, 2), ints(2))


def gradient():
    mapped = jax.shard_map(lambda a, w: lax.pmean(jnp.sum(jnp.tanh(a @ w) ** 2)[None], "x"), mesh=line,
                           in_specs=(P("x"), P()), out_specs=P(), check_vma=False)
    return jax.jit(jax.grad(lambda w, a: mapped(a, w)[0]))(f32(4, 3), f32(16, 4))


def chain():
    step = jax.jit(jax.shard_map(lambda a: lax.psum(a, "x") % 7 + a, mesh=line, in_specs=P("x"), out_specs=P("x")),
                   donate_argnums=0)
    x = jax.device_put(ints(16, 4), NamedSharding(line, P("x")))
    for _ in range(30):
        x = step(x)
    return x


def sharded(array, mesh, *spec):
    return jax.device_put(array, NamedSharding(mesh, P(*spec)))


def sharded_add():
    return jax.jit(lambda a: a + 1)(sharded(ints(16, 3), line, "x"))


def sharded_product():
    return jax.jit(lambda a, b: a @ b)(sharded(ints(8, 16), grid, "x", "y"), sharded(ints(16, 4), grid, "y"))


def sharded_training_step():
    def loss(w, a):
        return jnp.mean(jnp.tanh(a @ w[0]) @ w[1]) ** 2
    w = sharded(f32(4, 8), grid, None, "y"), sharded(f32(8, 2), grid, "y")
    return jax.jit(jax.value_and_grad(loss))(w, sharded(f32(16, 4), grid, "x"))


def sharded_sum_then_shard_map():
    mapped = jax.shard_map(lambda a: a + lax.axis_index("x"), mesh=line, in_specs=P("x"), out_specs=P("x"),
                           check_vma=False)
    return jax.jit(lambda a: mapped(a.sum(1) * 2)[::-1])(sharded(ints(16, 8), line, None, "x"))


def partly_manual_product():
    # "x" is the program's own, "y" the partitioner's.
    def body(a, w):
        return lax.psum(jnp.tanh(a) @ w, "x") + lax.axis_index("x")
    mapped = jax.shard_map(body, mesh=grid, in_specs=(P(None, "x"), P("x")), out_specs=P("x"), axis_names={"x"},
                           check_vma=False)
    return jax.jit(mapped)(sharded(f32(16, 8), grid, "y", "x"), sharded(f32(8, 4), grid, "x"))


def manual_within_manual():
    def inner(a):
        return lax.ppermute(a, "y", [(i, (i + 1) % 4) for i in range(4)]) + lax.axis_index("x")

    def outer(a):
        b = lax.all_gather(a, "x", axis=1, tiled=True)
        return jax.shard_map(inner, in_specs=P("y"), out_specs=P("y"), axis_names={"y"}, check_vma=False)(b)
    mapped = jax.shard_map(outer, mesh=grid, in_specs=P(None, "x"), out_specs=P("x"), axis_names={"x"},
                           check_vma=False)
    with jax.set_mesh(grid):
        return jax.jit(mapped)(sharded(ints(8, 4), grid, "y", "x"))


def explicit(*axes):
    return jax.make_mesh(axes, ("x", "y")[:len(axes)], axis_types=(AxisType.Explicit,) * len(axes))


def terms_of_a_product():
    with jax.set_mesh(explicit(2, 4)) as mesh:
        a = jax.device_put(ints(8, 16), P("x", "y"))
        b = jax.device_put(ints(16, 4), P("y", None))

        @jax.jit
        def f(a, b):
            c = jnp.einsum("ij,jk->ik", a, b, out_sharding=P("x", None, unreduced={"y"}))
            return jax.sharding.reshard((c + c).T, P("y", "x"))
        return f(a, b)


def arrays_as_terms():
    with jax.set_mesh(explicit(2, 4)):
        terms = jax.sharding.reshard(jax.device_put(ints(8, 4), P("x", "y")), P("x", None, unreduced={"y"}))
        return jax.sharding.reshard(terms, P(None, "y"))


def sum_by_index():
    def f(rows, index):
        return jnp.zeros((4, 3), rows.dtype).at[index].add(rows), jnp.ones((4, 3), rows.dtype).at[index].add(rows)
    return jax.jit(f)(sharded(ints(16, 3), line, "x"), sharded(np.arange(16) % 4, line, "x"))


def batches_of_factorizations():
    a = f32(8, 5, 5)
    a = a @ a.transpose(0, 2, 1) + 5 * np.eye(5, dtype=np.float32)
    return jax.jit(lambda a: (lax.linalg.lu(a)[0], lax.linalg.eigh(a)[1]))(sharded(a, line, "x"))


def moves_along_spread_dimensions():
    def f(a):
        rolled = jnp.roll(a, 3, 0) + jnp.roll(a, (-9, 1), (0, 1))
        return (rolled, a[::-1, ::-1], a[2:10], a[1:14:3], jnp.concatenate([a, 2 * a]), lax.pad(a, np.int32(5), ((9, -1, 0), (0, 0, 0))),
                jnp.pad(a[:, :4], ((0, 0), (3, 1))), lax.pad(a, np.int32(-7), ((1, 1, 1), (0, 0, 0))))
    return jax.jit(f)(sharded(ints(16, 8), grid, "y", "x"))


def alike():
    from jax.experimental.shard_alike import shard_alike
    return jax.jit(lambda a: shard_alike(a, jnp.arange(16).reshape(8, 2))[1])(sharded(ints(8, 2), line, "x"))


for function in (sharded_add, sharded_product, sharded_training_step, sharded_sum_then_shard_map, partly_manual_product,
                 manual_within_manual, terms_of_a_product, arrays_as_terms, sum_by_index, batches_of_factorizations,
                 moves_along_spread_dimensions, alike, through_pmap, pmap_of_some_devices, pmap_with_replicated_argument, gradient, chain):
    cases[function.__name__] = function


def show(array):
    return np.asarray(array), str(array.sharding.spec if hasattr(array.sharding, "spec") else ""), [
        (shard.device.id, str(shard.index)) for shard in array.addressable_shards]


results = {}
for name, run in cases.items():
    try:
        results[name] = [show(a) for a in jax.tree.leaves(run())]
    except Exception as error:
        results[name] = f"{type(error).__name__}: {error}"
with open(sys.argv[1], "wb") as file:
    pickle.dump(results, file)
"""


def _run(path, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "PJRT_", "XLA_"))}
    settings = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    done = subprocess.run([sys.executable, "-c", PROGRAMS, str(path)], env=clean | settings | environment,
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    with open(path, "rb") as file:
        return pickle.load(file)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("devices")
    library = os.path.abspath(os.environ.get("PLINTH_CPU_PLUGIN", str(conftest.DEFAULT)))
    ours = _run(folder / "ours", PJRT_NAMES_AND_LIBRARY_PATHS=f"plinth:{library}", JAX_PLATFORMS="plinth,cpu")
    return ours, _run(folder / "built_in", JAX_PLATFORMS="cpu")


def _names():
    """Of the cases, without running JAX here."""
    lines = PROGRAMS.splitlines()
    decorated = [lines[i + 1] for i, line in enumerate(lines) if line.startswith("@case")]
    plain = PROGRAMS[PROGRAMS.index("for function in (") + len("for function in ("):]
    return [line.split("(")[0].removeprefix("def ") for line in decorated] + [
        name.strip() for name in plain[:plain.index(")")].split(",")]


@pytest.mark.plugin_only
@pytest.mark.parametrize("name", _names())
def test_as_on_the_built_in_devices(both, name):
    ours, built_in = (results[name] for results in both)
    assert not isinstance(built_in, str), built_in
    assert not isinstance(ours, str), ours
    assert len(ours) == len(built_in)
    for (array, spec, shards), (other, other_spec, other_shards) in zip(ours, built_in, strict=True):
        assert spec == other_spec
        assert shards == other_shards
        assert array.dtype == other.dtype
        if np.issubdtype(array.dtype, np.inexact):
            np.testing.assert_allclose(array, other, rtol=1e-5, atol=1e-5)
        else:
            np.testing.assert_array_equal(array, other)


def _on_eight(program, **environment):
    from processes import run_python

    # Callbacks want a device of "cpu", too.
    return run_python(program, XLA_FLAGS="--xla_force_host_platform_device_count=8",
                      JAX_PLATFORMS="plinth,cpu", **environment)


START = """
    import jax, numpy as np
    from jax import lax
    from jax.sharding import AxisType, PartitionSpec as P
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    def mapped(f, out=P("x")):
        return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=out, check_vma=False))
    x = np.arange(16, dtype=np.float32)
    def expect_error(f, *words):
        try:
            jax.block_until_ready(mapped(f)(x))
        except jax.errors.JaxRuntimeError as error:
            for word in words:
                assert word in str(error), error
        else:
            raise SystemExit("no error")
        after = mapped(lambda a: lax.psum(a, "x"), P())(x)
        assert np.array_equal(after, x.reshape(8, 2).sum(0)), after
"""


@pytest.mark.plugin_only
def test_custom_partitioners_and_inspected_shardings():
    _on_eight("""
    import jax, jax.numpy as jnp, numpy as np
    from jax.experimental.custom_partitioning import custom_partitioning
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    x = jax.device_put(np.arange(64, dtype=np.float32).reshape(8, 8), NamedSharding(mesh, P("x", "y")))
    seen, parts = [], []

    @custom_partitioning
    def total(a):
        return jnp.sum(a, axis=1), a + 1
    def partition(mesh, arguments, results):
        def lower(a):
            parts.append(a.shape)
            return jax.lax.psum(jnp.sum(a, axis=1), "y"), a + 1
        rows = NamedSharding(mesh, P(arguments[0].sharding.spec[0]))
        return mesh, lower, (rows, arguments[0].sharding), (arguments[0].sharding,)
    total.def_partition(partition, sharding_rule="i j -> i, i j", infer_sharding_from_operands=None)

    @jax.jit
    def f(a):
        jax.debug.inspect_array_sharding(a * 2, callback=seen.append)
        return total(a)
    sums, more = f(x)
    assert np.array_equal(sums, np.asarray(x).sum(1)) and np.array_equal(more, np.asarray(x) + 1)
    assert parts == [(2, 4)] and more.sharding.spec == P("x", "y"), (parts, more.sharding)
    assert [s.spec for s in seen] == [P("x", "y")], seen

    @custom_partitioning
    def wrong(a):
        return a
    def raises(*_):
        raise ValueError("no way to spread it")
    wrong.def_partition(raises, sharding_rule="i j -> i j", infer_sharding_from_operands=None)
    try:
        jax.jit(wrong)(x)
    except jax.errors.JaxRuntimeError as error:
        assert "no way to spread it" in str(error), error
    else:
        raise SystemExit("no error")
    """)


@pytest.mark.plugin_only
def test_callbacks_run_on_one_device_or_on_each():
    _on_eight("""
    import jax, jax.experimental, numpy as np
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    x = jax.device_put(np.arange(16), NamedSharding(mesh, P("x")))
    whole, parts = [], []
    @jax.jit
    def f(a):
        jax.debug.callback(lambda b: whole.append(np.asarray(b).tolist()), a * 2)
        jax.debug.callback(lambda b: parts.append(np.asarray(b).tolist()), a, partitioned=True)
        return jax.experimental.io_callback(lambda b: np.asarray(b) + 1, jax.ShapeDtypeStruct((16,), a.dtype), a)
    assert np.array_equal(f(x), np.arange(16) + 1)
    jax.effects_barrier()
    assert whole == [list(range(0, 32, 2))], whole
    assert sorted(parts) == [[2 * i, 2 * i + 1] for i in range(8)], parts
    """)


@pytest.mark.plugin_only
@pytest.mark.parametrize("shardy", [True, False])
def test_ordered_callbacks_of_sharded_arrays(shardy):
    _on_eight(f"""
    import jax, jax.experimental, numpy as np
    jax.config.update("jax_use_shardy_partitioner", {shardy})
    """ + """
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    x = jax.device_put(np.arange(16), NamedSharding(mesh, P("x")))
    seen = []
    @jax.jit
    def f(a):
        def note(b):
            seen.append(int(b.sum()))
        jax.experimental.io_callback(note, None, a, ordered=True)
        same = jax.ShapeDtypeStruct((16,), a.dtype)
        a = jax.experimental.io_callback(lambda b: np.asarray(b) + 1, same, a, ordered=True)
        jax.experimental.io_callback(note, None, a, ordered=True)
        return a
    for turn in range(3):
        assert np.array_equal(f(x), np.arange(16) + 1)
    jax.effects_barrier()
    assert seen == 3 * [120, 136], seen
    """)


@pytest.mark.plugin_only
def test_a_callback_that_raises_before_a_sum():
    _on_eight(START + """
    def host(i, b):
        if i == 3:
            raise ValueError("device three says no")
        return b
    expect_error(lambda a: lax.psum(jax.pure_callback(host, a, lax.axis_index("x"), a), "x"), "device three says no")
    """)


@pytest.mark.plugin_only
def test_a_loop_that_diverges_around_a_sum():
    _on_eight(START + """
    def body(a):
        turns = lax.axis_index("x")
        return lax.while_loop(lambda c: c[0] <= turns, lambda c: (c[0] + 1, lax.psum(c[1], "x")), (0, a))[1]
    expect_error(body, "FAILED_PRECONDITION", "all_reduce", "has ended")
    """)


@pytest.mark.plugin_only
def test_every_way_to_ask_for_devices():
    from processes import run_python

    show = "import jax; print(len(jax.devices()))"
    flags = "--xla_force_host_platform_device_count=3"
    assert run_python(show).split() == ["1"]
    assert run_python(show, XLA_FLAGS=flags).split() == ["3"]
    assert run_python(show, JAX_NUM_CPU_DEVICES="5").split() == ["5"]
    assert run_python(show, XLA_FLAGS=flags, JAX_PJRT_CLIENT_CREATE_OPTIONS="num_devices:2").split() == ["2"]


@pytest.mark.plugin_only
def test_memory_is_counted_by_device():
    _on_eight("""
    import jax, numpy as np
    devices = jax.devices()
    one = jax.device_put(np.float32(1), devices[5])
    before = [d.memory_stats()["bytes_in_use"] for d in devices]
    x = jax.block_until_ready(jax.jit(lambda a: jax.numpy.full(1 << 20, a))(one))
    after = [d.memory_stats()["bytes_in_use"] for d in devices]
    assert [b - a for a, b in zip(before, after)] == [0] * 5 + [4 << 20] + [0] * 2, after
    """)


@pytest.mark.plugin_only
def test_executables_of_several_devices_are_cached(tmp_path):
    program = START + """
    print(np.asarray(mapped(lambda a: a + lax.psum(a, "x"))(x)).tolist())
    """
    cache = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
             "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0"}
    first = _on_eight(program, **cache)
    kept = sorted(tmp_path.iterdir())
    assert kept
    assert json.loads(_on_eight(program, **cache)) == json.loads(first)
    assert [p for p in sorted(tmp_path.iterdir()) if p.name.endswith("-cache")] == [
        p for p in kept if p.name.endswith("-cache")]


def test_texts_are_programs():
    compile(PROGRAMS, "programs", "exec")
    compile(textwrap.dedent(START), "start", "exec")


@pytest.mark.plugin_only
def test_what_cannot_be_spread_is_said_or_refused(tmp_path):
    log = tmp_path / "log"
    _on_eight("""
        import jax, numpy as np
        from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
        mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
        x = jax.device_put(np.arange(16), NamedSharding(mesh, P("x")))
        def sorted_by(fallback):
            return jax.jit(jax.numpy.sort, compiler_options={"partitioner_fallback": fallback})(x)
        for fallback, words in (("error", ("UNIMPLEMENTED", "sort")), ("no", ("expected allow, warn or error",))):
            try:
                sorted_by(fallback)
            except jax.errors.JaxRuntimeError as error:
                assert all(word in str(error) for word in words), error
            else:
                raise SystemExit("no error")
        for fallback in ("allow", "warn"):
            assert np.array_equal(sorted_by(fallback), np.arange(16))
        """, PLINTH_LOG=str(log))
    lines = log.read_text().splitlines()
    assert len([line for line in lines if "warning" in line and "sort" in line]) == 1, lines
