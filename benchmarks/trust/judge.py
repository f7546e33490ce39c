#!/usr/bin/env python3
"""How long a verdict takes, and what it says of kernels that are wrong.

usage: judge.py TUNER [--backend cuda] [--cold 3] [--warm 50] [--timeout 2]

Judges the sum of each row of a matrix: COLD times without a server, WARM times in a row with one,
and ten times with a second between, each time another kernel, so that each is compiled; the same with compute-sanitizer, where there is
one; and kernels that hang, crash, are wrong at odd sizes, read behind their buffer, or have a
race that leaves right answers. Prints seconds as the caller sees them, process and all.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

STUDY = """schema: 1
kernel: {name: rows, source: rows.cu, entry: rows}
problem_sizes: [SIZE]
parameters: {BLOCK: [256]}
launch: {block: [BLOCK], grid: [M]}
arguments:
  - {name: x, type: float32, shape: [M, N], fill: {uniform: [0, 1]}}
  - {name: y, type: float32, shape: [M], role: out}
  - {name: m, type: int32, value: M}
  - {name: n, type: int32, value: N}
reference: {entry: plain, block: [64], grid: ["ceil_div(M, 64)"]}
verify: {y: {rtol: 1.0e-4}}
"""

PLAIN = """
extern "C" __global__ void plain(const float* x, float* y, int m, int n) {
  const int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= m) return;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[(long long)row * n + i];
  y[row] = sum;
}
"""

ROWS = """
extern "C" __global__ void rows(const float* x, float* y, int m, int n) {
  __shared__ float part[TUNE_BLOCK];
  const int t = threadIdx.x;
  const float* row = x + (long long)blockIdx.x * n;
  float sum = n == -1 ? SALT.0f : 0.0f;
  for (int i = t; i < n; i += TUNE_BLOCK) sum += row[i];
  part[t] = sum;
  __syncthreads();
  for (int s = TUNE_BLOCK / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
"""

WRONG = {
    "hangs": ("  part[t] = sum;", "  while (n > 0) part[t] = sum;"),
    "crashes": ("  part[t] = sum;", "  part[t] = sum + *(volatile float*)16;"),
    "wrong at the edge": ("i < n; i +=", "i < n / 4 * 4; i +="),
    "wrong when large": ("sum += row[i]", "sum += fminf(row[i], 1000.0f)"),
    "reads behind its buffer": ("  part[t] = sum;",
                               "  part[t] = sum + (x[(long long)m * n + 600] == 1.5f ? 1e-9f : 0.0f);"),
    "races": ("  part[t] = sum;", "  part[t] = sum; if (part[(t + 32) % TUNE_BLOCK] == 12345.5f) part[t] += 1e-9f;"),
}


class Judge:
    def __init__(self, args, folder):
        self.args, self.folder, self.salt = args, folder, 0
        size = "{M: 32, N: 512}" if args.backend == "cpu" else "{M: 2048, N: 4096}"
        (folder / "rows.yaml").write_text(STUDY.replace("SIZE", size))
        (folder / "rows.cu").write_text(ROWS.replace("SALT", "0") + PLAIN)

    def __call__(self, *options, change=None):
        self.salt += 1
        text = ROWS.replace("SALT", str(self.salt))
        if change:
            assert change[0] in text
            text = text.replace(*change)
        (self.folder / "other.cu").write_text(text)
        begin = time.monotonic()
        done = subprocess.run(
            [self.args.tuner, "judge", "other.cu", "--study", "rows.yaml", "--backend", self.args.backend,
             "--timeout", str(self.args.timeout), "--json", *options],
            cwd=self.folder, capture_output=True, text=True)
        seconds = time.monotonic() - begin
        if done.returncode not in (0, 1):
            raise SystemExit(f"judge ended with status {done.returncode}: {done.stderr}")
        return seconds, json.loads(done.stdout)


def series(what, times, verdicts):
    times = sorted(times)
    words = sorted({verdict["verdict"] for verdict in verdicts})
    print(f"{what:<34} {len(times):3d} verdicts: median {statistics.median(times):.3f} s, "
          f"{times[0]:.3f} to {times[-1]:.3f}, by its own clock {statistics.median(v['seconds'] for v in verdicts):.3f}; "
          f"{', '.join(words)}", flush=True)


def steps(verdict):
    return " ".join(f"{check['tool'] or check['inputs'] or 'x'.join(map(str, check['size'].values()))}"
                    f":{check['seconds']:.3f}" for check in verdict["checks"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tuner", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--cold", type=int, default=3)
    parser.add_argument("--warm", type=int, default=50)
    parser.add_argument("--timeout", type=float, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        judge = Judge(args, pathlib.Path(name))
        for title, more, count in (("without compute-sanitizer", ["--no-sanitizer"], args.warm),
                                   ("with it, where there is one", [], max(3, args.warm // 10))):
            cold = [judge("--server", "0", *more) for _ in range(args.cold)]
            series("cold, " + title[:24], *zip(*cold))
            print("   ", steps(cold[-1][1]))
            judge("--server", "60", *more)
            warm = [judge("--server", "60", *more) for _ in range(count)]
            series("warm, " + title[:24], *zip(*warm))
            print("   ", steps(warm[-1][1]))
            apart = []
            for _ in range(min(10, count)):
                time.sleep(1)
                apart.append(judge("--server", "60", *more))
            series("a second apart, " + title[:16], *zip(*apart))
        for what, change in WRONG.items():
            seconds, verdict = judge("--server", "60", change=change)
            print(f"{what:<34} {seconds:.3f} s: {verdict['verdict']}: {verdict['why'][:300]}", flush=True)
            print("   ", steps(verdict))
            seconds, verdict = judge("--server", "60")
            print(f"  the next one {seconds:28.3f} s: {verdict['verdict']}")


main()
