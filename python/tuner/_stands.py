"""Arrays of PyTorch without elements, in place of those on a GPU, and Triton made to compile for a GPU that this process
does not touch: so compilation needs no context there, and disturbs nobody."""

import contextlib
import importlib
import sys
import types

from tuner import _arrays


def of(arguments):
    """What in_place_of() makes stands of, in another process; None: these arguments have none."""
    driver = sys.modules.get("triton.runtime.driver")
    arrays = [value for value in arguments.values() if _arrays.kind_of(value) is not None]
    if driver is None or not arrays or not all(_arrays.kind_of(one) is _arrays._Torch and one.is_cuda for one in arrays):
        return None
    active = driver.driver.active
    target, device = active.get_current_target(), arrays[0].device.index
    forms = {name: (_arrays._Torch.type_of(value), tuple(value.shape), value.stride())
             for name, value in arguments.items() if _arrays.kind_of(value) is not None}
    return {"order": list(arguments), "forms": forms, "device": device,
            "properties": active.utils.get_device_properties(device),
            "values": {name: value for name, value in arguments.items() if name not in forms},
            "target": (target.backend, target.arch, target.warp_size)}


def warm_up():
    """What each process that compiles would do once, half a second of it: Triton's key is a hash of all its files."""
    for module, name in (("triton.runtime.cache", "triton_key"), ("triton.compiler.compiler", "triton_key"),
                         ("triton.experimental.gluon", None)):
        with contextlib.suppress(ImportError, AttributeError):  # of other versions
            found = importlib.import_module(module)
            if name is not None:
                getattr(found, name)()


class _Driver:
    """As much of Triton's as its compiler, and functions that launch kernels, ask for."""

    def __init__(self, sent, target, device):
        self._target, self._device = target, device
        self.utils = types.SimpleNamespace(get_device_properties=lambda _: sent["properties"])

    def get_current_target(self):
        return self._target

    def get_current_device(self):
        return self._device.index

    def get_active_torch_device(self):
        return self._device

    def get_current_stream(self, _):
        return 0


def in_place_of(sent):
    """The arguments, and what is entered for a call with them."""
    import torch
    import triton
    from torch.overrides import TorchFunctionMode
    from triton.backends.compiler import GPUTarget
    gpu = torch.device("cuda", sent["device"])
    triton.runtime.driver.set_active(_Driver(sent, GPUTarget(*sent["target"]), gpu))

    class Stand(torch.Tensor):
        """Says that it is on the GPU."""
        is_cuda = property(lambda self: True)
        device = property(lambda self: gpu)

    def inside(change, value):
        return type(value)(inside(change, one) for one in value) if type(value) in (list, tuple) else change(value)

    def plain(value):
        if isinstance(value, Stand):
            return value.as_subclass(torch.Tensor)
        is_gpu = isinstance(value, (str, torch.device)) and str(value).split(":")[0] == "cuda"
        return "meta" if is_gpu else value

    def standing(value):
        return value.as_subclass(Stand) if isinstance(value, torch.Tensor) and value.is_meta else value

    class OnMeta(TorchFunctionMode):
        """What is made of stands, and what is allocated on the GPU, are stands."""

        def __torch_function__(self, function, _, words=(), named=None):
            if function is torch.device:  # a name, and nothing that is made there
                return function(*words, **(named or {}))
            with torch._C.DisableTorchFunctionSubclass():
                named = {name: inside(plain, value) for name, value in (named or {}).items()}
                return inside(standing, function(*inside(plain, words), **named))

    def stand(type_name, shape, strides):
        return torch.empty_strided(shape, strides, dtype=getattr(torch, type_name), device="meta").as_subclass(Stand)
    made = {name: stand(*form) for name, form in sent["forms"].items()}
    return {name: made[name] if name in made else sent["values"][name] for name in sent["order"]}, OnMeta()
