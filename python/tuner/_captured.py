"""Launches that `tuner capture` has taken from a program, as arguments and right answers for tune()."""

from __future__ import annotations

import gzip
import json
import math
import pathlib
import struct
import zlib
from os import PathLike
from typing import Any

from tuner._library import Error

_NUMBERS = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q",
            "uint64": "Q", "float16": "e", "float32": "f", "float64": "d", "bool": "?"}


class Captured:
    """One launch. `kernel`: its demangled name; `grid`, `block`: three extents each; `arguments`: arrays as the launch found
    them, and numbers, by name; `expected`: what it left in the arrays that it changed, by name."""

    def __init__(self, folder, described):
        self.folder, self._described = folder, described
        self.kernel = described["kernel"]["name"]
        self.grid, self.block = tuple(described["geometry"][:3]), tuple(described["geometry"][3:6])
        self.arguments, self.expected = {}, {}
        self._memory = {}  # contents of files

    def __repr__(self):
        return f"<Captured: {self.kernel}, {len(self.arguments)} arguments, {len(self.expected)} of them written>"

    def _read(self, name):
        if name not in self._memory:
            path = self.folder / pathlib.PurePath(name).name
            try:
                self._memory[name] = gzip.decompress(path.read_bytes())
            except (OSError, EOFError, zlib.error) as error:
                raise Error(f"{path}: {error}") from None
        return self._memory[name]

    def _add_number(self, name, kind, value):
        if kind not in _NUMBERS:
            raise Error(f"'{name}': unknown type '{kind}'; known are {', '.join(_NUMBERS)}")
        size = struct.calcsize(_NUMBERS[kind])
        if len(value) != size:
            raise Error(f"'{name}' is {len(value)} bytes in the launch, and {kind} has {size}")
        self.arguments[name] = struct.unpack("<" + _NUMBERS[kind], value)[0]

    def _behind(self, name, value):
        """The allocation that a pointer leads into, where in it, and how many bytes belong to that argument: up to the end of
        what was allocated together, or to where another argument points."""
        address = int.from_bytes(value, "little")
        found = next((one for one in self._described["allocations"]
                      if one["address"] <= address < one["address"] + one["size"]), None)
        if len(value) != 8 or found is None:
            raise Error(f"'{name}' is no pointer into memory that was captured")
        offset = address - found["address"]
        end = next((begin + size for begin, size in found.get("parts") or [] if begin <= offset < begin + size),
                   found["size"])
        for one in self._described["parameters"]:
            other = int.from_bytes(bytes.fromhex(one["bytes"]), "little") - found["address"]
            if offset < other < end:
                end = other
        return found, offset, end - offset

    def _add_array(self, name, kind, shape, value, make):
        found, offset, room = self._behind(name, value)
        size = make.size_of(name, kind)
        if shape is None:
            shape = (room // size,)
        count = size * math.prod(shape)
        if count > found["size"] - offset:
            raise Error(f"'{name}': {tuple(shape)} of {kind} are {count} bytes, and {found['size'] - offset} were captured")
        before = self._read(found["file"])[offset:offset + count]
        self.arguments[name] = make.array(before, kind, shape)
        after = self._read(found["written"])[offset:offset + count] if found.get("written") else before
        if after != before:
            self.expected[name] = make.array(after, kind, shape)


class _Numpy:
    @staticmethod
    def size_of(name, kind):
        import numpy
        try:
            return numpy.dtype(kind).itemsize
        except TypeError:
            raise Error(f"'{name}': NumPy has no type '{kind}'") from None

    @staticmethod
    def array(data, kind, shape):
        import numpy
        return numpy.frombuffer(data, dtype=kind).reshape(shape).copy()


class _Torch:
    @staticmethod
    def size_of(name, kind):
        import torch
        found = getattr(torch, kind, None)
        if not isinstance(found, torch.dtype):
            raise Error(f"'{name}': PyTorch has no type '{kind}'")
        return found.itemsize

    @staticmethod
    def array(data, kind, shape):
        import torch
        flat = torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return flat.view(getattr(torch, kind)).reshape(shape).to(device)


def captured(folder: str | PathLike[str], arguments: dict[str, Any], *, arrays: str = "numpy") -> Captured:
    """A launch that `tuner capture` has taken from a program, so that tune() runs on the program's own inputs and compares
    with its own answers. For kernels that Python launches, such as Triton's; for a kernel in CUDA there is
    `tuner init KERNEL.cu --captured FOLDER`.

    folder     the capture's folder, which has a capture.json
    arguments  what the kernel takes, in the order of the launch: names, and for a number its type ("int32"), for a pointer the
               type behind it ("float32*"), or type and shape (("float32", (1024, 768))); without a shape an array has one
               dimension and reaches to the end of the allocation, or to where another argument points. What follows the
               last one is left out: Triton adds arguments of its own
    arrays     "numpy", or "torch": tensors, on the GPU where there is one

    Returns a Captured: `arguments` and `expected` are for tune(function, parameters, arguments, reference). Raises Error for
    a folder that is no capture, and for types that do not fit what was launched."""
    if arrays not in ("numpy", "torch"):
        raise Error(f"'arrays' is \"numpy\" or \"torch\", not {arrays!r}")
    path = pathlib.Path(folder)
    try:
        described = json.loads((path / "capture.json").read_text())
        parameters = [bytes.fromhex(one["bytes"]) for one in described["parameters"]]
        out = Captured(path, described)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Error(f"{path} is no capture: {error}") from None
    if len(arguments) > len(parameters):
        raise Error(f"the launch has {len(parameters)} arguments, and {len(arguments)} are named")
    make = _Torch if arrays == "torch" else _Numpy
    for (name, kind), value in zip(arguments.items(), parameters):
        if isinstance(kind, (tuple, list)) and len(kind) == 2:
            out._add_array(name, str(kind[0]).rstrip("*"), tuple(kind[1]), value, make)
        elif isinstance(kind, str) and kind.endswith("*"):
            out._add_array(name, kind[:-1], None, value, make)
        elif isinstance(kind, str):
            out._add_number(name, kind, value)
        else:
            raise Error(f"'{name}': a type such as \"int32\" or \"float32*\", or a type and a shape, not {kind!r}")
    out._memory.clear()
    return out
