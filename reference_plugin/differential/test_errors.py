# SPDX-License-Identifier: Apache-2.0
"""What cannot be done is refused with the right code and a message that helps; the client goes on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import backends
from processes import run_python

pytestmark = pytest.mark.plugin_only
Error = jax.errors.JaxRuntimeError


@pytest.fixture(autouse=True)
def device():
    """Each test ends with a program that still runs."""
    device = backends.plugin_device()
    with jax.default_device(device):
        yield device
        assert float(jax.jit(lambda x: jnp.sum(x * 2))(np.arange(5.0))) == 20


def _refused(code, *words):
    return pytest.raises(Error, match="(?s)" + code + ".*" + ".*".join(words))


def test_deleted_array(device):
    x = jax.device_put(np.arange(4.0), device)
    x.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        x + 1
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(x)


def test_donated_array(device):
    x = jax.device_put(np.arange(4.0), device)
    jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    with pytest.raises(RuntimeError, match="deleted|donated"):
        jax.jit(lambda x: x + 1)(x)


def test_unknown_compiler_option():
    with _refused("INVALID_ARGUMENT", "nonsense", "1 was given", "fusion"):
        jax.jit(lambda x: x, compiler_options={"nonsense": 1})(1.0)


def test_compiler_option_of_the_wrong_type():
    with _refused("INVALID_ARGUMENT", "fusion", "perhaps", "Expected", "off"):
        jax.jit(lambda x: x + 1, compiler_options={"fusion": "perhaps"})(1.0)
    with _refused("INVALID_ARGUMENT", "aéé", "..."):  # a long one is cut between characters
        jax.jit(lambda x: x + 1, compiler_options={"fusion": "a" + 100 * "é"})(1.0)


@pytest.mark.parametrize("program", [
    lambda: jnp.zeros((2**57,), np.float64),
    lambda: jnp.zeros((2**20, 2**20, 2**18), np.float32) + 1,
    # Sorted, since a sum of them needs no memory.
    lambda: jnp.sort(jax.random.normal(jax.random.key(0), (2**57,)).astype(np.float64)),
    lambda: lax.sort(jnp.ones((2**50,), np.float32)),
], ids=["zeros", "plus", "random", "sort"])
def test_more_memory_than_there_is(program):
    with _refused("RESOURCE_EXHAUSTED|INVALID_ARGUMENT", r"\d"):
        jax.block_until_ready(jax.jit(program)())


@pytest.mark.parametrize("name, program, argument", [
    ("no_such_target", lambda x: jax.ffi.ffi_call(
        "no_such_target", jax.ShapeDtypeStruct((3,), np.float64))(x), np.ones(3)),
], ids=lambda v: v if isinstance(v, str) else "")
def test_op_that_is_not_supported(name, program, argument):
    with _refused("UNIMPLEMENTED", name):
        jax.block_until_ready(jax.jit(program)(argument))


def test_debug_nans_finds_them():
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        jax.jit(lambda x: jnp.log(x))(-1.0)


def test_arguments_of_the_wrong_kind(device):
    compiled = jax.jit(lambda x, y: x + y).lower(np.ones(3), np.ones(3)).compile()
    with pytest.raises(TypeError):
        compiled(np.ones(3))
    with pytest.raises(TypeError):
        compiled(np.ones(4), np.ones(4))
    with pytest.raises(TypeError):
        compiled(np.ones(3, np.int32), np.ones(3, np.int32))


def test_arguments_on_two_backends(device):
    here, there = (jax.device_put(np.ones(3), d) for d in (device, backends.builtin_device()))
    with pytest.raises(ValueError, match="(?i)device"):
        jax.jit(lambda x, y: x + y)(here, there)


def test_serialized_executable_that_is_damaged(device):
    from jax.experimental import serialize_executable

    compiled = jax.jit(lambda x: jnp.sin(x) + 1).lower(np.ones(3)).compile()
    data, in_tree, out_tree = serialize_executable.serialize(compiled)

    def load(data):
        return serialize_executable.deserialize_and_load(
            data, in_tree, out_tree, backend=device.client, execution_devices=[device])

    np.testing.assert_allclose(load(data)(np.ones(3)), np.sin(np.ones(3)) + 1)
    # The plugin's bytes lie as they are within what JAX writes.
    start = data.index(b"plinth-cpu-exec")
    for at in (0, 30, 70, 200):
        damaged = bytearray(data)
        damaged[start + at] ^= 0x10
        with _refused("INVALID_ARGUMENT", "damaged|no executable"):
            load(bytes(damaged))


SHARED_CONFIG = """
    import resource
    import jax
    from jax._src import compiler
    from jaxlib import _jax
    from jaxlib.mlir import ir
    from jax._src.interpreters import mlir

    calls = "".join(f'%{i + 1} = stablehlo.custom_call @nobody(%{i}) {{backend_config = "{"x" * 1_000_000}"}} : '
                    "(tensor<f32>) -> tensor<f32>\\n" for i in range(2))
    with mlir.make_ir_context():
        module = ir.Module.parse("func.func @main(%0: tensor<f32>) -> tensor<f32> {\\n" + calls +
                                 "return %2 : tensor<f32>\\n}")
        block = module.body.operations[0].regions[0].blocks[0]
        call, end = block.operations[1], block.operations[2]
        for _ in range(500):
            last, call = call, call.operation.clone(ip=ir.InsertionPoint(end))
            call.operands[0] = last.results[0]
        end.operands[0] = call.results[0]
        device = jax.devices()[0]
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            device.client.compile_and_load(module, _jax.DeviceList((device,)), options)
        except jax.errors.JaxRuntimeError as error:
            assert "@nobody" in str(error), error
        else:
            raise AssertionError("nobody was called")
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100_000, f"{grown} KB for 501 calls that share 1 MB"
"""


def test_calls_share_what_they_are_configured_with():
    run_python(SHARED_CONFIG)
