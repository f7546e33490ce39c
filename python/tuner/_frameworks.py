"""What frameworks read: the best configurations of a study as Triton's Config takes them, and as vLLM reads them."""

import json
import re

from tuner._library import Error
from tuner._space import meant

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")  # of triton.Config, beside its kwargs
_OF_MOE = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M")


def _chosen(result):
    """(configuration, the trial or None) that is not slower than the baseline: the best only where it is faster by more than
    its interval. None: nothing is right."""
    best = next((trial for trial in result["trials"] if trial["rank"] == 1), None)
    baseline = result.get("baseline")
    if best is None or baseline is None or baseline["place"] is None:
        return best
    first = result["trials"][baseline["place"]]
    if first["rank"] is None:
        return best
    return best if baseline["speedup"]["low"] > 1 else first


def _renamed(configuration, names):
    for name in names:
        if name not in configuration:
            raise Error(f"'names' has '{name}', which is no parameter{meant(name, configuration)}")
    return {names.get(name, name): value for name, value in configuration.items()}


def _by_device(found, sizes):
    """{device: [(size, trial)]} of the sizes that have these extents."""
    out = {}
    for result in found["results"]:
        trial = _chosen(result)
        if trial is not None and all(result["size"].get(name, extent) == extent for name, extent in sizes.items()):
            out.setdefault(result["device"]["name"], []).append((result["size"], trial))
    if not out:
        raise Error("nothing right is stored" + (f" for {sizes}" if sizes else ""))
    return out


def triton(found, name, names, **sizes):
    files = {}
    for device, chosen in _by_device(found, sizes).items():
        configs, places = [], []
        for size, trial in chosen:
            words = _renamed(trial["configuration"], names)
            options = {key: words.pop(key) for key in _OPTIONS if key in words}
            config = {"kwargs": words, **options}
            if config not in configs:
                configs.append(config)
            places.append({"size": size, "config": configs.index(config), "time_ms": trial["time_ms"]})
        document = {"function": name, "device": device, "key": list(chosen[0][0]), "configs": configs, "sizes": places}
        slug = re.sub(r"[^A-Za-z0-9]+", "_", device)
        files[f"{name},device_name={slug}.json"] = json.dumps(document, indent=1) + "\n"
    return files


def vllm_moe(found, _, names, dtype=None, block_shape=None, **sizes):
    files = {}
    for device, chosen in _by_device(found, sizes).items():
        short = "NVIDIA_H200" if "H200" in device.split() else re.sub(r"[\s/]+", "_", device)
        end = f",dtype={dtype}" if dtype else ""
        if not isinstance(block_shape, (list, tuple, type(None))):
            raise Error(f"block_shape is {block_shape!r}: a list is needed, such as [128, 128]")
        end += f",block_shape={list(block_shape)}".replace(" ", "") if block_shape else ""
        for size, trial in chosen:
            of = {**sizes, **size}
            for key in ("E", "N", "M"):
                if key not in of:
                    raise Error(f"the file needs {key}, which is none of {', '.join(size)}: give it, {key}=...")
            words = _renamed(trial["configuration"], names)
            for key in _OF_MOE:
                if key not in words:
                    raise Error(f"the file needs {key}, which is none of {', '.join(words)}: 'names' renames parameters")
            file = files.setdefault(f"E={of['E']},N={of['N']},device_name={short}{end}.json", {})
            if file.setdefault(of["M"], words) is not words:
                others = ", ".join(f"{key}=..." for key in size if key not in ("E", "N", "M"))
                told = f"M={of['M']}, E={of['E']} and N={of['N']}"
                raise Error(f"two sizes have {told}: choose by {others}")
    return {name: json.dumps({str(m): file[m] for m in sorted(file)}, indent=4) + "\n" for name, file in files.items()}


FORMATS = {"triton": triton, "vllm_moe": vllm_moe}
