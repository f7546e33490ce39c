"""Arrays of whoever made them: copied, poisoned, compared and sent to another process. NumPy, CuPy, PyTorch, what speaks
DLPack or __cuda_array_interface__, and of Python itself array.array, bytearray and memoryview."""

import array
import contextlib
import ctypes
import hashlib
import math
import pickle
import sys

from tuner._library import Error

# Relative, which are those of a study, and absolute, by the type of the elements.
TOLERANCES = {"float64": (1e-10, 1e-12), "complex128": (1e-10, 1e-12), "float32": (1e-4, 1e-5),
              "complex64": (1e-4, 1e-5), "float16": (1e-2, 1e-3), "bfloat16": (5e-2, 1e-2),
              "float8_e4m3fn": (0.13, 2e-3), "float8_e5m2": (0.26, 2e-3)}


def _made_by(value, module, name):
    found = sys.modules.get(module)
    return found is not None and isinstance(value, getattr(found, name))


def known(value):
    """The argument as an array that is understood here, or as it is when it is none."""
    if kind_of(value) is not None or isinstance(value, (str, bytes, int, float, complex)):
        return value
    if hasattr(value, "__cuda_array_interface__"):
        if "torch" in sys.modules:
            return sys.modules["torch"].as_tensor(value, device="cuda")
        import cupy
        return cupy.asarray(value)
    if hasattr(value, "__dlpack__"):
        for module in ("torch", "numpy", "cupy"):
            if module in sys.modules:
                return sys.modules[module].from_dlpack(value)
    return value


def kind_of(value):
    """The class below that understands it; None: it is no array."""
    if _made_by(value, "torch", "Tensor"):
        return _Torch
    if _made_by(value, "numpy", "ndarray"):
        return _Numpy if value.dtype.kind in "biufc" else None
    if _made_by(value, "cupy", "ndarray"):
        return _Cupy if value.dtype.kind in "biufc" else None
    if isinstance(value, (array.array, bytearray)) or (isinstance(value, memoryview) and not value.readonly):
        return _Buffer
    return None


def _shared_form(x):
    return type(x), str(x.dtype), tuple(x.shape)


class _Numpy:
    """Of NumPy, and of CuPy, whose functions have the same names."""
    module = "numpy"

    @classmethod
    def xp(cls):
        return sys.modules[cls.module]

    @staticmethod
    def type_of(x):
        return str(x.dtype)

    @staticmethod
    def shape_of(x):
        return tuple(x.shape)

    @staticmethod
    def on_gpu(_):
        return False

    @staticmethod
    def form(x):
        return (*_shared_form(x), x.strides, x.flags.writeable, x.__array_interface__["data"][0])

    @staticmethod
    def copy(x):
        return x.copy(order="K")

    @staticmethod
    def put(x, other):
        x[...] = other

    @classmethod
    def poison(cls, x, right):
        """Something that is wrong everywhere."""
        x[...] = float("nan") if x.dtype.kind in "fc" else cls.xp().invert(right)

    @classmethod
    def same_bits(cls, a, b):
        return bool((a == b).all()) if a.dtype.kind not in "fc" else bool(cls.xp().array_equal(a, b, equal_nan=True))

    @classmethod
    def error(cls, x, right, rtol, atol):
        """(largest error, place of the first wrong element or None)."""
        xp = cls.xp()
        if x.dtype.kind not in "fc":
            wrong = x != right
            largest = float(xp.abs(x.astype("float64") - right.astype("float64")).max(initial=0))
        else:
            wide = "complex128" if x.dtype.kind == "c" else "float64"
            x, right = x.astype(wide), right.astype(wide)
            with xp.errstate(all="ignore") if hasattr(xp, "errstate") else contextlib.nullcontext():
                far = xp.abs(x - right)
                wrong = ~((far <= atol + rtol * xp.abs(right)) & xp.isfinite(right) | (x == right))
            largest = float(far.max(initial=0))
        places = xp.flatnonzero(wrong)
        return largest, (int(places[0]) if len(places) else None)

    @staticmethod
    def part(x, start, step):
        """Every step-th element from the start-th on, as a copy."""
        return x.reshape(-1)[start::step].copy()

    @staticmethod
    def at(x, place):
        return x.reshape(-1)[place].item() if x.ndim else x.item()

    @staticmethod
    def pack(x):
        return ("numpy", x)

    @staticmethod
    def memory(x):
        if not x.flags.c_contiguous:
            raise ValueError("it is not contiguous")
        return x.ctypes.data, x.nbytes, False


class _Cupy(_Numpy):
    module = "cupy"

    @staticmethod
    def form(x):
        return (*_shared_form(x), x.strides, x.data.ptr)

    @staticmethod
    def on_gpu(_):
        return True

    @staticmethod
    def pack(x):
        return ("cupy", x.get())

    @staticmethod
    def memory(x):
        if not x.flags.c_contiguous:
            raise ValueError("it is not contiguous")
        return x.data.ptr, x.nbytes, True


class _Torch:
    @staticmethod
    def type_of(x):
        return str(x.dtype).replace("torch.", "")

    @staticmethod
    def shape_of(x):
        return tuple(x.shape)

    @staticmethod
    def on_gpu(x):
        return x.is_cuda

    @staticmethod
    def form(x):
        grad = x.grad if x.is_leaf else None
        return (*_shared_form(x), x.stride(), x.data_ptr(), x.storage_offset(), x.is_conj(), x.is_neg(), x.requires_grad,
                x.is_leaf, grad is None, getattr(x, "_backward_hooks", None) is None, not getattr(x, "__dict__", None))

    @staticmethod
    def copy(x):
        return x.detach().clone()  # keeps the strides

    @staticmethod
    def put(x, other):
        x.copy_(other)

    @staticmethod
    def poison(x, right):
        if x.is_floating_point() or x.is_complex():
            x.fill_(float("nan"))
        else:
            x.copy_(~right)

    @staticmethod
    def same_bits(a, b):
        same = a == b
        if a.is_floating_point() or a.is_complex():
            same |= (a != a) & (b != b)
        return bool(same.all())

    @staticmethod
    def error(x, right, rtol, atol):
        torch = sys.modules["torch"]
        if not (x.is_floating_point() or x.is_complex()):
            wrong, far = x != right, (x.double() - right.double()).abs()
        else:
            wide = torch.complex128 if x.is_complex() else torch.float64 if x.dtype == torch.float64 else torch.float32
            x, right = x.to(wide), right.to(wide)
            far = (x - right).abs()
            wrong = ~((far <= atol + rtol * right.abs()) & right.isfinite() | (x == right))
        largest = float(far.max()) if far.numel() else 0.0
        if not bool(wrong.any()):
            return largest, None
        return largest, int(wrong.reshape(-1).nonzero()[0])

    @staticmethod
    def part(x, start, step):
        return x.detach().reshape(-1)[start::step].clone()

    @staticmethod
    def at(x, place):
        return x.reshape(-1)[place].item()

    @classmethod
    def pack(cls, x):
        here = x.detach().cpu()
        if not x.is_contiguous() or x.numel() == 0:
            return ("torch", here, str(x.device))
        return ("torch bytes", cls.raw(here), cls.type_of(x), tuple(x.shape), str(x.device))

    @staticmethod
    def raw(x):
        x = x.contiguous()
        return ctypes.string_at(x.data_ptr(), x.numel() * x.element_size())

    @staticmethod
    def memory(x):
        if not x.is_contiguous():
            raise ValueError("it is not contiguous")
        return x.data_ptr(), x.numel() * x.element_size(), x.is_cuda


_NAMES = {"f": "float32", "d": "float64", "b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32",
          "I": "uint32", "l": "int64", "L": "uint64", "q": "int64", "Q": "uint64"}


class _Buffer:
    """Of Python itself: elements one by one, so for small ones."""

    @staticmethod
    def type_of(x):
        form = memoryview(x).format
        return _NAMES.get(form, form)

    @staticmethod
    def shape_of(x):
        return memoryview(x).shape

    @staticmethod
    def on_gpu(_):
        return False

    @staticmethod
    def form(x):
        view = memoryview(x)
        return type(x), view.format, view.shape, view.strides, view.readonly

    @staticmethod
    def flat(x):
        view = memoryview(x)
        return view.cast("B").cast(view.format) if view.ndim > 1 else view

    @staticmethod
    def copy(x):
        if not isinstance(x, memoryview):
            return x[:]
        return memoryview(bytearray(x)).cast(x.format, x.shape) if x.ndim else memoryview(bytearray(x)).cast(x.format)

    @staticmethod
    def put(x, other):
        memoryview(x).cast("B")[:] = memoryview(other).cast("B")

    @classmethod
    def poison(cls, x, right):
        to, view = cls.flat(x), cls.flat(right)
        if view.format in "fd":
            for i in range(len(to)):
                to[i] = math.nan
        else:
            memoryview(x).cast("B")[:] = bytes(255 - one for one in memoryview(right).cast("B"))

    @staticmethod
    def same_bits(a, b):
        return bytes(memoryview(a).cast("B")) == bytes(memoryview(b).cast("B"))

    @classmethod
    def error(cls, x, right, rtol, atol):
        largest, first = 0.0, None
        for place, (mine, other) in enumerate(zip(cls.flat(x).tolist(), cls.flat(right).tolist())):
            far = abs(mine - other)
            largest = max(largest, far) if far == far else math.nan
            if first is None and mine != other and not (math.isfinite(other) and far <= atol + rtol * abs(other)):
                first = place
        return largest, first

    @classmethod
    def part(cls, x, start, step):
        view = cls.flat(x)[start::step]
        return memoryview(bytearray(view.tobytes())).cast(view.format)

    @classmethod
    def at(cls, x, place):
        return cls.flat(x)[place]

    @staticmethod
    def pack(x):
        return ("memoryview", bytes(x), x.format, x.shape) if isinstance(x, memoryview) else ("plain", x)

    @staticmethod
    def memory(x):
        view = memoryview(x).cast("B")
        return ctypes.addressof(ctypes.c_char.from_buffer(view)), view.nbytes, False


def memory_of(name, value):
    """(address, bytes, whether on a GPU) of an array's own memory."""
    value = known(value)
    kind = kind_of(value)
    if kind is None:
        raise Error(f"'{name}' needs an array, or (address, bytes) of device memory, not {type(value).__name__}")
    try:
        return kind.memory(value)
    except ValueError as error:
        raise Error(f"'{name}': {error}") from None


def form(value):
    """Everything of an array but its elements: what a call may change so that others cannot go on with it. None: there is
    nothing left that could be asked."""
    kind = kind_of(value)
    try:
        return kind.form(value)
    except Exception:
        return None


def count(value):
    return math.prod(kind_of(value).shape_of(value))


def describe(value):
    """What an array is, without its elements."""
    kind = kind_of(value)
    return f"{kind.type_of(value)}{list(kind.shape_of(value))}" if kind is not None else type(value).__name__


def pack(name, value):
    """What unpack() makes the same array of in another process; other values as they are."""
    kind = kind_of(value)
    if kind is not None:
        return kind.pack(value)
    try:
        return ("value", pickle.dumps(value, protocol=4))
    except Exception as error:
        raise Error(f"the argument '{name}', a {type(value).__name__}, cannot be sent to another process: {error}") from None


def unpack(packed):
    kind, *rest = packed
    if kind == "value":
        return pickle.loads(rest[0])
    if kind == "torch":
        return rest[0].to(rest[1])
    if kind == "torch bytes":
        import torch
        data, type_name, shape, device = rest
        return torch.frombuffer(bytearray(data), dtype=getattr(torch, type_name)).reshape(shape).to(device)
    if kind == "cupy":
        import cupy
        return cupy.asarray(rest[0])
    if kind == "memoryview":
        return memoryview(bytearray(rest[0])).cast("B").cast(rest[1], rest[2])
    return rest[0]


def digest(packed):
    """Of the elements, type and shape."""
    kind, first, *rest = packed
    hasher = hashlib.sha256()
    if kind == "torch":  # as pickle has it, it would say where it lies
        rest, first = [str(first.dtype), tuple(first.shape), first.stride(), *rest], _Torch.raw(first)
    hasher.update(repr((kind, rest)).encode())
    hasher.update(first if isinstance(first, bytes) else pickle.dumps(first, protocol=4))
    return hasher.hexdigest()


def copies(arguments):
    """Each array once more, {name: array}; two names of one array stay two names of one."""
    made = {}
    out = {}
    for name, value in arguments.items():
        kind = kind_of(value)
        if kind is not None and id(value) not in made:
            made[id(value)] = kind.copy(value)
        out[name] = value if kind is None else made[id(value)]
    return out


def returned_arrays(value):
    """What a function returned, as a list of arrays; None where it is nothing that could be compared."""
    value = known(value)
    if kind_of(value) is not None:
        return [value]
    if isinstance(value, (tuple, list)):
        found = [known(one) for one in value]
        return found if found and all(kind_of(one) is not None for one in found) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [array.array("d", [float(value)])]
    return None
