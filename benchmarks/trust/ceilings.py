#!/usr/bin/env python3
"""The ceilings of a device that shares of its limit refer to, beside the data sheet's and what vendors' code reaches.

usage: ceilings.py TUNER [--backend cuda] [--budget 60] [STUDY[:SIZE]...]

For each type: the ceiling, the data sheet's figure (dense, at the boost clock), a product of cuBLAS through PyTorch with
operands of zeros and with random ones; for memory a copy. Of each STUDY (search_spaces/scan.yaml:N=1048576) the share
that the winner of a short search reaches; its work is what its metric gbps, gflops or tflops divides by time. The last
line is a result that was invented 1.5 times too fast.
"""
import argparse
import csv
import json
import pathlib
import re
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


def work_of(path):
    """What the metric of a shipped study counts, or that of the one that it extends."""
    text = path.read_text(encoding="utf-8")
    metric = re.search(r"metrics: \{(gbps|[gt]flops): (.*?) / time", text)
    if not metric:
        base = path.parent / re.search(r"extends: (\S+)", text).group(1)
        return work_of(base).replace("bfloat16", "tf32" if path.stem == "matmul_tf32" else "bfloat16")
    if metric.group(1) == "gbps":
        return f'bytes: "{metric.group(2)}"'
    kind = "bfloat16" if path.stem == "matmul_bf16" else "float32"
    return f'flops: "{metric.group(2)}", type: {kind}'


def share(args, named):
    path, _, size = named.partition(":")
    path = pathlib.Path(path)
    copy = path.with_name(f"with_work_{path.name}")
    copy.write_text(f"{path.read_text(encoding='utf-8')}\nwork: {{{work_of(path)}}}\n", encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory() as folder:
            out = subprocess.run([args.tuner, "run", str(copy), "--backend", args.backend, "--budget", args.budget,
                                  *(["--size", size] if size else []), "--results", folder, "--progress", "none"],
                                 capture_output=True, text=True, check=False)
            tables = sorted(pathlib.Path(folder).glob("*/*/*.csv"))
            if not tables:
                print(f"{path.stem}: {out.stderr.strip().splitlines()[-1:]}")
            for table in tables:
                with open(table, newline="", encoding="utf-8") as file:
                    rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
                suspects = sum("suspect" in row.values() for row in rows)
                first = rows[0]
                print(f"{path.stem:18} {table.stem:26} {first.get('time_ms', '-'):>10.8} ms  "
                      f"{first.get('share_of_limit', '-'):>6.5} of {first.get('limit', '-'):9} "
                      f"{suspects} of {len(rows)} suspect")
    finally:
        copy.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuner")
    parser.add_argument("studies", nargs="*")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--budget", default="60")
    args = parser.parse_intermixed_args()
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
