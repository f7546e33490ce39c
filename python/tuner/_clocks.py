"""How long a call takes: by the events of PyTorch or CuPy where its arrays are on a GPU, else by the clock of the CPU."""

import ctypes
import glob
import platform
import sys
from pathlib import Path
from random import SystemRandom
from time import monotonic, perf_counter  # as they are before a variant can set others

from tuner import _arrays
from tuner._library import LIBRARY, Sampling

random = SystemRandom().random
_MOST_FLUSHED = 256 << 20  # of a GPU
_MOST_FLUSHED_BY_CPU = 64 << 20  # which takes 10 ms
_MOST_SECONDS = 1.0  # of one variant's samples, with all that is between them


class _Cpu:
    """Samples one by one; cold: twice the last-level cache is written before each."""

    def __init__(self, cold):
        self._flushed = None
        if cold:
            self._flushed = (ctypes.c_char * min(2 * _last_level_cache(), _MOST_FLUSHED_BY_CPU))()

    def sync(self):
        pass

    def sample(self, turn, count):
        taken = []
        for _ in range(count):
            calls, total = 0, 0.0
            while calls == 0 or (self._flushed is None and total < 1e-4 and calls < 100):
                turn.before()
                if self._flushed is not None:
                    ctypes.memset(self._flushed, 1, ctypes.sizeof(self._flushed))
                begin = perf_counter()
                turn.call()
                total += perf_counter() - begin
                calls += 1
                if random() < 1 / calls:  # a look at each would take longer than the calls of a short function
                    turn.after()
            taken.append(total * 1e3 / calls)
        return taken


class _Torch:
    """Calls are queued behind the flushing of the cache, or behind a pause, so that the GPU does not wait for Python."""

    def __init__(self, cold):
        import torch
        self._torch, self._new_event, self.sync = torch, torch.cuda.Event, torch.cuda.synchronize
        self._flushed = None
        if cold:
            properties = torch.cuda.get_device_properties(torch.cuda.current_device())
            size = 2 * (getattr(properties, "L2_cache_size", 0) or _MOST_FLUSHED // 2)
            self._flushed = torch.empty(max(size, _MOST_FLUSHED // 2) // 4, dtype=torch.int32, device="cuda")

    def _event(self):
        return self._new_event(enable_timing=True)

    def _cover(self):
        if self._flushed is not None:
            self._flushed.zero_()
        else:
            self._pause()

    def _pause(self):
        if hasattr(self._torch.cuda, "_sleep"):
            self._torch.cuda._sleep(200_000)  # cycles: 0.1 ms

    def sample(self, turn, count):
        pairs = []
        self._pause()
        for _ in range(count):
            turn.before()
            self._cover()
            begin, end = self._event(), self._event()
            begin.record()
            turn.call()
            end.record()
            turn.after()
            pairs.append((begin, end))
        self.sync()
        return [begin.elapsed_time(end) for begin, end in pairs]


class _Cupy(_Torch):
    def __init__(self, cold):
        import cupy
        self._cupy = cupy
        size = 2 * cupy.cuda.Device().attributes.get("L2CacheSize", _MOST_FLUSHED // 2)
        self._flushed = cupy.empty(max(size, _MOST_FLUSHED // 2), dtype="uint8") if cold else None

    def sync(self):
        self._cupy.cuda.Device().synchronize()

    def _cover(self):
        if self._flushed is not None:
            self._flushed.fill(0)

    def sample(self, turn, count):
        pairs = []
        for _ in range(count):
            turn.before()
            self._cover()
            begin, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
            begin.record()
            turn.call()
            end.record()
            turn.after()
            pairs.append((begin, end))
        self.sync()
        return [self._cupy.cuda.get_elapsed_time(begin, end) for begin, end in pairs]


def clock_for(arguments, cold):
    """By where the arrays are."""
    kinds = {_arrays.kind_of(value) for value in arguments.values() if _arrays.kind_of(value) is not None and
             _arrays.kind_of(value).on_gpu(value)}
    if _arrays._Torch in kinds:
        return _Torch(cold)
    return _Cupy(cold) if kinds else _Cpu(cold)


def device_of(arguments):
    """{"name", "arch", "driver"} of what the arrays are on, and whether that is a GPU."""
    for value in arguments.values():
        kind = _arrays.kind_of(value)
        if kind is None or not kind.on_gpu(value):
            continue
        if kind is _arrays._Torch:
            properties = sys.modules["torch"].cuda.get_device_properties(value.device)
            return {"name": properties.name, "arch": f"sm_{properties.major}{properties.minor}",
                    "driver": _driver()}, True
        import cupy
        properties = cupy.cuda.runtime.getDeviceProperties(value.device.id)
        return {"name": properties["name"].decode(), "arch": f"sm_{properties['major']}{properties['minor']}",
                "driver": _driver()}, True
    return {"name": _cpu_name(), "arch": "cpu", "driver": ""}, False


def _driver():
    try:
        words = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8").splitlines()[0].split()
        return next((word for word in words if word[:1].isdigit() and "." in word), "")
    except OSError:
        return ""


def _cpu_name():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def _last_level_cache():
    sizes = [8 << 20]
    for file in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/size"):
        text = Path(file).read_text(encoding="utf-8").strip()
        sizes.append(int(text[:-1]) << {"K": 10, "M": 20}.get(text[-1:], 0) if text[:-1].isdigit() else 0)
    return max(sizes)


def measure(sample, best_ms, rules):
    """(samples in ms, whether they are so slow that the configuration is dropped), by the rules of a run, and never much
    longer than a second. `sample(count)` takes so many."""
    how = Sampling(*(rules[name] for name, _ in Sampling._fields_))
    begin = monotonic()
    sample(1)
    samples = sample(3)
    while True:
        step = LIBRARY.tuner_after_samples(how, (ctypes.c_double * len(samples))(*samples), len(samples), best_ms or 0)
        is_over = len(samples) >= how.min_samples and monotonic() - begin > _MOST_SECONDS
        if step != 0 or is_over:
            return samples, step == 2
        samples += sample(min(4, how.max_samples - len(samples)))
