#!/usr/bin/env python3
"""The ceilings of a device that shares of its limit refer to, beside the data sheet's and what vendors' code reaches.

usage: ceilings.py TUNER [--backend cuda] [STUDY...]

For each type: the ceiling, the data sheet's figure (dense, at the boost clock), a product of cuBLAS through PyTorch with
operands of zeros and with random ones; for memory a copy. Of each STUDY, which says its work, the share that the winner
of 60 random configurations reaches at its first size. The last line is a result that was invented 1.5 times too fast.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

TYPES = ["float32", "float64", "tf32", "float16", "bfloat16", "float8_e4m3", "int8"]
STUDY = """schema: 1
kernel: {{name: copied, source: k.cu, entry: copied}}
problem_sizes: [{{N: {n}}}]
parameters: {{BLOCK: [256]}}
work: {{{work}}}
launch: {{block: [BLOCK], grid: [N // BLOCK]}}
arguments: [{{name: from, type: float32, shape: [4 * N]}}, {{name: to, type: float32, shape: [4 * N], role: out}}]
verify: none
"""
KERNEL = """extern "C" __global__ void copied(const float4* from, float4* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}
"""
# Teraoperations a second, and TB/s of memory.
SHEETS = {"H100 80GB HBM3": {"memory": 3.35, "float32": 67, "float64": 67, "tf32": 494.7, "float16": 989.4,
                             "bfloat16": 989.4, "float8_e4m3": 1978.9, "int8": 1978.9},
          "H200": {"memory": 4.8, "float32": 67, "float64": 67, "tf32": 494.7, "float16": 989.4,
                   "bfloat16": 989.4, "float8_e4m3": 1978.9, "int8": 1978.9}}


def tried(args, work, n=256):
    """The trial, and the device, of a copy of 16 * n bytes that says that it has this to do."""
    with tempfile.TemporaryDirectory() as folder:
        study = pathlib.Path(folder) / "k.yaml"
        study.write_text(STUDY.format(work=work, n=n))
        (study.parent / "k.cu").write_text(KERNEL)
        out = subprocess.run([args.tuner, "try", str(study), "BLOCK=256", "--backend", args.backend, "--json"],
                             capture_output=True, text=True, check=False)
        if not out.stdout:
            raise SystemExit(out.stderr)
        found = json.loads(out.stdout.splitlines()[0])
    return found["trial"], found["device"]


def rate(trial, amount):
    limit = trial.get("limit")
    return amount / limit["ms"] / 1e9 if limit else None  # T a second


def milliseconds(program):
    """The shortest of calls that follow each other, alone on the device."""
    import torch
    times = []
    for _ in range(12):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        program()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return min(times[2:])


def product(kind, fill):
    """Teraoperations a second of a square product; None where PyTorch has none."""
    import torch
    n = 2048 if kind in ("float64",) else 8192
    stored = {"tf32": torch.float32, "float8_e4m3": torch.float8_e4m3fn}.get(kind) or getattr(torch, kind)
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    a = fill(n).to(stored)
    b = fill(n).to(stored).t()
    one = torch.ones((), device="cuda")
    calls = {"int8": lambda: torch._int_mm(a, b),
             "float8_e4m3": lambda: torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16, use_fast_accum=True)}
    try:
        return 2 * n ** 3 / milliseconds(calls.get(kind, lambda: a @ b)) / 1e9
    except (RuntimeError, AttributeError):
        return None


def copied():
    """TB/s, read and written, of what fits into no cache."""
    import torch
    n = 1 << 29
    a, b = torch.empty(n, dtype=torch.uint8, device="cuda"), torch.empty(n, dtype=torch.uint8, device="cuda")
    return 2 * n / milliseconds(lambda: b.copy_(a)) / 1e9


def vendors():
    """By what: with zeros, with random numbers. Empty without PyTorch."""
    try:
        import torch
        if not torch.cuda.is_available():
            return {}
    except ImportError:
        return {}
    zeros = lambda n: torch.zeros(n, n, device="cuda")
    normal = lambda n: torch.randn(n, n, device="cuda") * 8
    found = {kind: (product(kind, zeros), product(kind, normal)) for kind in TYPES}
    found["memory"] = (copied(), None)
    return found


def text(value):
    return f"{value:9.2f}" if value else "        -"


def ceilings(args):
    amount = 1e15
    trial, device = tried(args, "bytes: 1000000000000000")
    rates = {"memory": rate(trial, amount)}
    trial, _ = tried(args, "bytes: 32000000")
    rates["cache"] = rate(trial, 32e6)
    for kind in TYPES:
        trial, _ = tried(args, f"flops: 1000000000000000, type: {kind}")
        rates[kind] = rate(trial, amount)
    sheet = next((s for name, s in SHEETS.items() if name in device), {})
    vendor = vendors()
    print(f"{device}: T a second\n{'':12} {'ceiling':>9} {'sheet':>9} {'zeros':>9} {'random':>9}")
    for what in ["memory", "cache", *TYPES]:
        zeros, random = vendor.get(what, (None, None))
        print(f"{what:12} {text(rates[what])} {text(sheet.get(what))} {text(zeros)} {text(random)}")
    return rates, vendor


def share(args, study):
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.run([args.tuner, "run", study, "--backend", args.backend, "--budget", "60", "--strategy",
                              "random", "--results", folder, "--progress", "none"],
                             capture_output=True, text=True, check=False)
        for path in sorted(pathlib.Path(folder).glob("*/*/*.csv")):
            with open(path, newline="", encoding="utf-8") as file:
                first = next(csv.DictReader(line for line in file if not line.startswith("#")), {})
            print(f"{pathlib.Path(study).stem:20} {path.stem:28} {first.get('time_ms', '-'):>10} ms"
                  f"  {first.get('share_of_limit', '-'):>8} of {first.get('limit', '-')}")
        if out.returncode not in (0, 3):
            print(f"{study}: {out.stderr.strip().splitlines()[-1:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuner")
    parser.add_argument("studies", nargs="*")
    parser.add_argument("--backend", default="cuda")
    args = parser.parse_args()
    rates, vendor = ceilings(args)
    wrong = [what for what, both in vendor.items()
             if rates.get(what) and max(both[0] or 0, both[1] or 0) * 0.9 > rates[what]]
    print(f"vendors' code above a ceiling: {', '.join(wrong) or 'nothing'}")
    for study in args.studies:
        share(args, study)
    n = 1 << (25 if args.backend == "cuda" else 20)
    honest, _ = tried(args, "bytes: 32 * N", n)
    faster = 1.5 * honest["median_ms"] / honest["limit"]["ms"]
    invented, _ = tried(args, f"bytes: {faster} * 32 * N", n)
    print(f"a copy: {honest['state']}, {100 * honest['limit']['ms'] / honest['median_ms']:.0f} % of the limit; "
          f"as if it were 1.5 times faster than that: {invented['state']}: {invented.get('message', '')}")


if __name__ == "__main__":
    main()
