# SPDX-License-Identifier: Apache-2.0
"""Programs of the library, with arguments and expected results, and the file that holds them.

A file holds the programs of one op:

    file    := "PLOP" u8:version varint:bytes names varint:bytes_unpacked zlib(program*)
    names   := varint:count (text:name varint:count u8:type*)*
    program := text:stablehlo text:options u8:devices
               varint:count (text:version text:artifact)* arrays results
    arrays  := varint:count array*
    array   := u8:type varint:rank varint:dim* bytes
    results := varint:count (array u8:class varint:ulps u8:flags mask mask)*
    mask    := varint:bytes bytes         bit i for element i; none at all is 0 bytes
    text    := varint:bytes bytes

`type` is a number of PJRT_Buffer_Type, `options` a CompileOptionsProto (empty: of one device). Arrays
of several devices follow one another. A program without results is compiled and not run. Arrays are dense and row-major. The first mask marks elements that are not asked for, the second those that
a plugin which flushes subnormal numbers may get wrong.
conformance/cases/program_pack.cc reads it.
"""

import dataclasses
import struct
import zlib
from typing import Callable, Iterable

import numpy as np

from element_types import ALL, NARROW, ElementType, is_subnormal, type_of

VERSION = 1
# In the order of conformance/cases/tolerance.h.
CLASSES = ["exact", "arithmetic", "elementary", "sum", "algorithm"]
OF_MAX, ANY_ZERO_SIGN = 1, 2


@dataclasses.dataclass
class Result:
    """An expected result and how near a plugin has to come to it.

    ulps: units in the last place, of the element (of a complex number: of its modulus), or of the
      largest element of the array where `of_max`.
    not_asked: elements that the specification leaves to the implementation.
    inputs: arrays whose elements make the result's elements: where one is subnormal, a plugin that
      flushes subnormal numbers may differ.
    """

    value: np.ndarray
    kind: str = "exact"
    ulps: int = 0
    of_max: bool = False
    any_zero_sign: bool = False
    not_asked: np.ndarray | None = None
    inputs: tuple = ()


@dataclasses.dataclass
class Program:
    """One case. `name` is what follows the op's name: "f32", "f32/scalar"."""

    name: str
    text: str
    arguments: list[np.ndarray]
    results: list[Result]
    options: bytes = b""
    devices: int = 1
    artifacts: dict[str, bytes] | None = None
    versions: list[str] | None = None  # of StableHLO; None: all that the serializer makes
    inner_types: list[ElementType] = dataclasses.field(default_factory=list)

    def types(self) -> list[ElementType]:
        found = [type_of(a) for a in self.arguments] + [type_of(r.value) for r in self.results]
        return sorted(set(found + self.inner_types), key=lambda t: t.number)


@dataclasses.dataclass(frozen=True)
class Op:
    """A row of the table: for which types there are programs, and what makes them."""

    name: str
    types: list[ElementType]
    make: Callable[[ElementType], Iterable[Program]]
    folder: str = "ops"

    def programs(self) -> list[Program]:
        return [program for element in self.types for program in self.make(element)]


def tensor(element: ElementType, shape) -> str:
    return f"tensor<{''.join(f'{d}x' for d in shape)}{element.mlir}>"


def tensor_of(array: np.ndarray) -> str:
    return tensor(type_of(array), array.shape)


def main_of(arguments: list[np.ndarray], results: list[np.ndarray], body: str,
            returned: str | None = None, before: str = "") -> str:
    """A module whose @main has the arguments %a0, %a1, ... and returns `returned` (%r)."""
    if returned is None:
        returned = "%r" if len(results) == 1 else ", ".join(f"%r{i}" for i in range(len(results)))
    parameters = ", ".join(f"%a{i}: {tensor_of(a)}" for i, a in enumerate(arguments))
    types = ", ".join(tensor_of(r) for r in results)
    lines = "\n".join(f"  {line.strip()}" for line in body.strip().splitlines())
    return (f"{before}func.func public @main({parameters}) -> ({types}) {{\n{lines}\n"
            f"  return {returned} : {types}\n}}\n")


def varint(number: int) -> bytes:
    made = bytearray()
    while number >= 128:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


def _block(data: bytes) -> bytes:
    return varint(len(data)) + data


def _array(array: np.ndarray) -> bytes:
    return (bytes([type_of(array).number]) + varint(array.ndim) +
            b"".join(map(varint, array.shape)) + np.ascontiguousarray(array).tobytes())


def _mask(mask: np.ndarray | None) -> bytes:
    if mask is None or not mask.any():
        return varint(0)
    return _block(np.packbits(mask.reshape(-1), bitorder="little").tobytes())


def _result(result: Result) -> bytes:
    flushed = None
    if result.inputs:
        flushed = is_subnormal(result.value)
        for array in result.inputs:
            flushed = flushed | is_subnormal(np.broadcast_to(array, result.value.shape))
    flags = OF_MAX * result.of_max | ANY_ZERO_SIGN * result.any_zero_sign
    return (_array(result.value) + bytes([CLASSES.index(result.kind)]) + varint(result.ulps) +
            bytes([flags]) + _mask(result.not_asked) + _mask(flushed))


def encode(programs: list[Program], artifacts_of: Callable[..., dict[str, bytes]]) -> bytes:
    names, body = varint(len(programs)), b""
    for program in programs:
        types = program.types()
        names += _block(program.name.encode()) + _block(bytes(t.number for t in types))
        artifacts = program.artifacts or artifacts_of(program.text, program.versions)
        body += _block(program.text.encode()) + _block(program.options) + bytes([program.devices])
        body += varint(len(artifacts))
        for version, artifact in artifacts.items():
            body += _block(version.encode()) + _block(artifact)
        body += varint(len(program.arguments)) + b"".join(map(_array, program.arguments))
        body += varint(len(program.results)) + b"".join(map(_result, program.results))
    return (b"PLOP" + struct.pack("B", VERSION) + _block(names) +
            varint(len(body)) + zlib.compress(body, 9))


def unpacked(file: bytes) -> bytes:
    """A file without its compression, which differs with zlib's version."""
    head = file.find(b"\x78\xda")
    while head >= 0:
        try:
            return file[:head] + zlib.decompress(file[head:])
        except zlib.error:
            head = file.find(b"\x78\xda", head + 1)
    return file


class Reader:
    """Of the form above."""

    def __init__(self, data: bytes):
        self._data, self._at = data, 0

    def take(self, size: int) -> bytes:
        self._at += size
        return self._data[self._at - size:self._at]

    def varint(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def block(self) -> bytes:
        return self.take(self.varint())

    def skip_array(self) -> None:
        number = self.take(1)[0]
        size = next(t.dtype.itemsize for t in ALL + NARROW if t.number == number)
        for _ in range(self.varint()):
            size *= self.varint()
        self.take(size)


def versions_of(file: bytes) -> dict[str, list[str]]:
    """Of the programs of a file: the versions of StableHLO in which there are artifacts."""
    head = Reader(file)
    head.take(5)
    names = Reader(head.block())
    head.varint()
    body = Reader(zlib.decompress(head.take(len(file))))
    made = {}
    for _ in range(names.varint()):
        name = names.block().decode()
        names.block()
        body.block(), body.block(), body.take(1)
        made[name] = []
        for _ in range(body.varint()):
            made[name].append(body.block().decode())
            body.block()
        for _ in range(body.varint()):
            body.skip_array()
        for _ in range(body.varint()):
            body.skip_array()
            body.take(1), body.varint(), body.take(1), body.block(), body.block()
    return made
