"""The process that has a study's reference in Python: answering.py FILE FUNCTION OUTPUTS ARRAYS, with a socket as descriptor 3.

A request is a line of JSON and the bytes of the inputs; the answer `ok BYTES` or `error BYTES`, a line, and those bytes."""

import hashlib
import importlib.util
import inspect
import json
import os
import socket
import sys

NUMPY = {"float32": "f4", "float64": "f8", "float16": "f2", "bfloat16": "f4"}  # others have their names
TORCH = {"float8_e4m3": "float8_e4m3fn"}


class Wrong(Exception):
    """What the reference, or this machine, lacks."""


def library(name):
    try:
        return __import__(name)
    except ImportError:
        raise Wrong(f"a reference in Python needs {name} in {sys.executable}: pip install {name}") from None


def loaded(file, name):
    spec = importlib.util.spec_from_file_location("reference_of_study", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, os.path.dirname(file))
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        names = [one for one, value in vars(module).items() if inspect.isfunction(value)]
        raise Wrong(f"{file} has no function '{name}'; there are: {', '.join(names)}")
    return function


def numpy_array(one, data):
    numpy = library("numpy")
    if one["type"].startswith("float8"):
        raise Wrong(f"'{one['name']}' is of a type that NumPy has not: say 'arrays: torch'")
    if one["type"] == "bfloat16":  # the upper halves of 32-bit floats
        values = (numpy.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
    else:
        values = numpy.frombuffer(data, NUMPY.get(one["type"], one["type"])).copy()
    return values[0] if one["shape"] is None else values.reshape(one["shape"])


def torch_array(one, data):
    torch = library("torch")
    values = torch.frombuffer(bytearray(data), dtype=getattr(torch, TORCH.get(one["type"], one["type"])))
    return values[0].item() if one["shape"] is None else values.reshape(one["shape"])


def bytes_of(one, value):
    """Of what the function gave for an output, in its type."""
    if not hasattr(value, "detach"):
        value = library("numpy").asarray(value)
    if tuple(value.shape) != tuple(one["shape"]):
        raise Wrong(f"it gives an array of shape {list(value.shape)} for '{one['name']}', which has the shape {one['shape']}")
    if hasattr(value, "detach"):
        torch = library("torch")
        value = value.detach().cpu().to(getattr(torch, TORCH.get(one["type"], one["type"]))).contiguous()
        return value.reshape(-1).view(torch.uint8).numpy().tobytes()
    if one["type"].startswith("float8"):
        raise Wrong(f"'{one['name']}' is of a type that NumPy has not: say 'arrays: torch'")
    value = library("numpy").ascontiguousarray(value.astype(NUMPY.get(one["type"], one["type"])))
    if one["type"] != "bfloat16":
        return value.tobytes()
    bits = value.view("<u4")  # rounded to the nearest, of two to the even one; NaN stays NaN
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype("<u2")
    rounded[value != value] = 0x7FC0
    return rounded.tobytes()


class Reference:
    def __init__(self, file, name, outputs, arrays):
        self.function, self.outputs = loaded(file, name), outputs.split(",")
        self.array = torch_array if arrays == "torch" else numpy_array
        kinds = inspect.signature(self.function).parameters.values()
        self.takes_all = any(one.kind is one.VAR_KEYWORD for one in kinds)
        self.taken = {one.name: one.default is one.empty for one in kinds if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)}
        self.known = self.answers = None  # digest of the inputs, and what the function said of them

    def answer(self, request, pieces):
        digest = hashlib.blake2b(b"".join(pieces)).digest() + json.dumps(request["extents"]).encode()
        if digest != self.known:
            self.known, self.answers = None, self.called(request, pieces)
            self.known = digest
        name = request["output"]["name"]
        if name not in self.answers:
            raise Wrong(f"it gives no '{name}'; it gives: {', '.join(self.answers)}")
        return bytes_of(request["output"], self.answers[name])

    def called(self, request, pieces):
        given = dict(request["extents"])
        given.update((one["name"], self.array(one, data)) for one, data in zip(request["inputs"], pieces))
        for name, is_needed in self.taken.items():
            if is_needed and name not in given:
                raise Wrong(f"it takes '{name}', which is no input, scalar or extent; there are: {', '.join(given)}")
        words = given if self.takes_all else {name: value for name, value in given.items() if name in self.taken}
        said = self.function(**words)
        if said is None:  # it has written into what is read and written
            return {name: given[name] for name in self.outputs if name in given}
        if isinstance(said, dict):
            return said
        said = said if isinstance(said, (tuple, list)) else [said]
        if len(said) != len(self.outputs):
            raise Wrong(f"it returns {len(said)} arrays for {len(self.outputs)} outputs: {', '.join(self.outputs)}")
        return dict(zip(self.outputs, said))


def words_of(error):
    return str(error) if isinstance(error, Wrong) else f"{type(error).__name__}: {error}"


def main():
    stream = socket.socket(fileno=3).makefile("rwb")
    os.dup2(2, 1)  # what the function prints is no answer
    reference = None
    while line := stream.readline():
        request = json.loads(line)
        pieces = [stream.read(one["bytes"]) for one in request["inputs"]]
        try:
            reference = reference or Reference(*sys.argv[1:])
            word, told = "ok", reference.answer(request, pieces)
        except Exception as error:
            word, told = "error", words_of(error).encode()
        stream.write(f"{word} {len(told)}\n".encode() + told)
        stream.flush()


main()
