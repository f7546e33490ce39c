#!/usr/bin/env python3
"""Kernels in the forms in which people have them: host_kernels.py TUNER [BACKEND]

BACKEND is cuda (default) or cpu. Structs, vectors, addresses, sequences, two compilers and the fills and
rules of answers: of each study it is known which variants are right and which are wrong. Exit status 0 when
all of them were judged so.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "kernels"

HEAD = """schema: 1
kernel: {name: k, source: k.cu, entry: k%(kernel)s}
problem_sizes: [{N: 1000}]
search: {strategy: exhaustive}
parameters: {BX: [32, 128], OFF: [0, 1]}
launch: {block: [BX], grid: ["ceil_div(N, BX)"]%(launch)s}
reference: {entry: k, configuration: {BX: 32, OFF: 0}, block: [32], grid: ["ceil_div(N, 32)"]%(launch)s}
measure: {min_samples: 5, max_samples: 20, cache: %(cache)s}
"""

I = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"

# name: (source, study below HEAD, what HEAD needs). Variants with OFF=0 are right, with OFF=1 wrong.
CASES = {
    "struct by value": (
        "struct S { int n; float f[3]; float* x; const float* bias; };\n"
        "__global__ void k(S s) { const int n = s.n;\n" + I +
        "  s.x[i] = s.x[i] * s.f[1] + (s.bias ? 1 : 0) + TUNE_OFF * (i == 999); }\n",
        "types: {S: [{n: int}, {f: [float, 3]}, {x: pointer}, {bias: pointer}]}\n"
        "arguments:\n"
        "  - {name: s, type: S, value: {n: N, f: [1, 2, 3], x: x, bias: null}}\n"
        "buffers:\n"
        "  - {name: x, type: float32, shape: [N], role: inout, fill: {uniform: [-1, 1]}}\n", {}),
    "buffer of structs": (
        "struct B { float mass; double pos[2]; int id; };\n"
        "__global__ void k(B* b, int n) {\n" + I +
        "  b[i].pos[1] += b[i].mass; b[i].id += 1 + TUNE_OFF * (i == 7); }\n",
        "types: {B: [{mass: float}, {pos: [double, 2]}, {id: int}]}\n"
        "arguments:\n"
        "  - {name: b, type: B, shape: [N], role: inout, fill: {mass: {uniform: [0, 1]}, pos: "
        "{normal: [0, 1]}, id: {sequence: [0, 1]}}}\n"
        "  - {name: n, type: int, value: N}\n", {}),
    "table of pointers, null, offset": (
        "__global__ void k(float** rows, const float* bias, const float* tail, int n) {\n" + I +
        "  rows[1][i] = rows[0][i] + (bias ? 1 : 0) + tail[0] + TUNE_OFF * (i == 5); }\n",
        "arguments:\n"
        "  - {name: rows, pointers: [x, y]}\n"
        "  - {name: bias, value: null}\n"
        "  - {name: tail, buffer: x, offset: N - 1}\n"
        "  - {name: n, type: int, value: N}\n"
        "buffers:\n"
        "  - {name: x, type: float32, shape: [N], fill: {uniform: [-1, 1]}}\n"
        "  - {name: y, type: float32, shape: [N], role: out}\n", {}),
    "vectors and bool": (
        "__global__ void k(const float4* x, const float2* c, const bool* m, float4* y, int4 v, int n) {\n" + I +
        "  float4 r = x[i]; r.y += v.z; r.x = c[i].x * c[i].y; r.w = m[i] ? r.w : TUNE_OFF; y[i] = r; }\n",
        "arguments:\n"
        "  - {name: x, type: float4, shape: [N], fill: {uniform: [1, 2]}}\n"
        "  - {name: c, type: complex64, shape: [N], fill: {uniform: [1, 2]}}\n"
        "  - {name: m, type: bool, shape: [N], fill: {choice: [0, 1]}}\n"
        "  - {name: y, type: float4, shape: [N], role: out}\n"
        "  - {name: v, type: int4, value: [1, 2, 3, 4]}\n"
        "  - {name: n, type: int, value: N}\n", {}),
    "half2 and fp8": (
        "#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n"
        "__global__ void k(const __nv_fp8_e4m3* a, const __nv_fp8_e5m2* b, const half2* h, "
        "__nv_fp8_e4m3* y, float* z, half2* w, int n) {\n" + I +
        "  const float f = float(a[i]) + 0.5f * TUNE_OFF * (i == 17);\n"
        "  y[i] = __nv_fp8_e4m3(f * 2); z[i] = float(b[i]) + f; w[i] = h[i]; }\n",
        "arguments:\n"
        "  - {name: a, type: float8_e4m3, shape: [N], fill: {uniform: [-1, 1]}}\n"
        "  - {name: b, type: float8_e5m2, shape: [N], fill: {normal: [0, 1]}}\n"
        "  - {name: h, type: half2, shape: [N], fill: {uniform: [-1, 1]}}\n"
        "  - {name: y, type: float8_e4m3, shape: [N], role: out}\n"
        "  - {name: z, type: float32, shape: [N], role: out}\n"
        "  - {name: w, type: half2, shape: [N], role: out}\n"
        "  - {name: n, type: int, value: N}\n", {}),
    "time steps": (
        "__global__ void k(const float* a, float* b, int n) {\n" + I +
        "  b[i] = 0.5f * (a[i] + a[(i + 1) % n]) + TUNE_OFF * (i == 3); }\n",
        "arguments:\n"
        "  - {name: a, type: float, shape: [N], role: inout, fill: {uniform: [0, 1]}}\n"
        "  - {name: b, type: float, shape: [N], role: inout, fill: zeros}\n"
        "  - {name: n, type: int, value: N}\n", {"launch": ", repeat: 5, swap: [[a, b]]"}),
    "a second kernel with other arguments": (
        "__global__ void k(const float* x, float* t, int n) {\n" + I + "  t[i] = x[i] + TUNE_OFF; }\n"
        "__global__ void last(float* y, const float* t, int n) {\n" + I + "  y[i] = t[n - 1 - i]; }\n",
        "arguments:\n"
        "  - {name: x, type: float, shape: [N], fill: {uniform: [0, 1]}}\n"
        "  - {name: t, type: float, shape: [N], role: inout, fill: zeros}\n"
        "  - {name: n, type: int, value: N}\n"
        "  - {name: y, type: float, shape: [N], role: out}\n",
        {"launch": ', arguments: [x, t, n], then: [{entry: last, arguments: [y, t, n], block: [128], '
                   'grid: ["ceil_div(N, 128)"]}]'}),
    "fills, order and norm": (
        "__global__ void k(const int* p, const float* s, const int* o, float* y, float* z, int n) {\n" + I +
        "  y[p[i]] = s[i] + (i > 0 && s[i] < s[i - 1]) * 100; z[i] = o[i] * (1 + TUNE_OFF); }\n",
        "arguments:\n"
        "  - {name: p, type: int32, shape: [N], fill: {permutation: true}}\n"
        "  - {name: s, type: float32, shape: [N], fill: {sorted: {uniform: [0, 1]}}}\n"
        "  - {name: o, type: int32, shape: [N], fill: {formula: \"i % 7\"}}\n"
        "  - {name: y, type: float32, shape: [N], role: out}\n"
        "  - {name: z, type: float32, shape: [N], role: out}\n"
        "  - {name: n, type: int, value: N}\n"
        "verify: {y: {order: any}, z: {norm: l2, rtol: 1e-5}}\n", {}),
    "host code by nvcc": (
        "#include <cstdio>\n#include <vector>\n"
        "template <int B> __global__ void scale(float* x, int n) {\n" + I + "  x[i] = 2 * x[i] + TUNE_OFF; }\n"
        "extern \"C\" __global__ void k(float* x, int n) {\n" + I + "  x[i] = 2 * x[i]; }\n"
        "int main() { std::vector<float> v(3); printf(\"%d\\n\", (int)v.size()); }\n",
        "arguments:\n"
        "  - {name: x, type: float, shape: [N], role: inout, fill: {uniform: [0, 1]}}\n"
        "  - {name: n, type: int, value: N}\n", {"kernel": "x, entry: \"scale<{BX}>\""}),
    "a struct in rotating caches": (
        "struct S { float* x; };\n"
        "__global__ void k(S s, int n) {\n" + I + "  s.x[i] = 3 * s.x[i] + TUNE_OFF; }\n",
        "types: {S: [{x: pointer}]}\n"
        "arguments:\n"
        "  - {name: s, type: S, value: {x: x}}\n"
        "  - {name: n, type: int, value: N}\n"
        "buffers:\n"
        "  - {name: x, type: float, shape: [N], role: inout, fill: {uniform: [0, 1]}}\n",
        {"cache": "rotate"}),
}


def states(folder, study, tuner, backend, by="OFF"):
    """The states of all trials by a parameter (none: by nothing), and what the program said."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "CUDA_CACHE_DISABLE": "1"}
    done = subprocess.run([tuner, "run", study, "--backend", backend, "--progress", "plain"], cwd=folder,
                          env=environment, text=True, stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    rows = [row for file in folder.glob("results/*/*/*.csv")
            for row in csv.DictReader(file.open(encoding="utf-8"))]
    found = {(row.get(by), row["state"]) for row in rows}
    return found, f"status {done.returncode}\n{done.stderr[-1500:]}" + "\n".join(
        f"{row.get(by)} {row['state']} {row['message'][:200]}" for row in rows[:10])


def judged(case, tuner, backend):
    source, study, head = CASES[case]
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "k.cu").write_text(source, encoding="utf-8")
        text = HEAD % {"kernel": "", "launch": "", "cache": "cold", **head}
        (folder / "k.yaml").write_text(text.replace("entry: kx, ", "") + study, encoding="utf-8")
        found, said = states(folder, "k.yaml", tuner, backend)
    right = {state for off, state in found if off == "0"}
    wrong = {state for off, state in found if off == "1"}
    return wrong == {"correctness"} and right and right <= {"ok", "dropped"}, said


LAUNCHER = """
__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}
extern "C" cudaError_t k(float* x, int n, cudaStream_t stream) {
  if (TUNE_MODE == 2) return cudaErrorInvalidValue;
  if (TUNE_MODE >= 6) {  // works in memory of its own, which it allocates for each call
    float* own = nullptr;
    const auto status = TUNE_MODE == 6 ? cudaMalloc(&own, 4 * n) : cudaMallocAsync(&own, 4 * n, stream);
    if (status != cudaSuccess) return status;
    cudaMemcpyAsync(own, x, 4 * n, cudaMemcpyDeviceToDevice, stream);
    twice<<<(n + 127) / 128, 128, 0, stream>>>(own, n);
    cudaMemcpyAsync(x, own, 4 * n, cudaMemcpyDeviceToDevice, stream);
    TUNE_MODE == 6 ? cudaFree(own) : cudaFreeAsync(own, stream);
    return cudaGetLastError();
  }
  if (TUNE_MODE == 3) {
    for (int times = 0; times < 50; ++times) twice<<<(n + 127) / 128, 128>>>(x, times ? 0 : n);
  } else if (TUNE_MODE != 4) {
    twice<<<(n + TUNE_BX - 1) / TUNE_BX, TUNE_BX, 0, stream>>>(x, n);
  }
  if (TUNE_MODE == 1) cudaStreamSynchronize(stream);
  if (TUNE_MODE == 5) *(volatile int*)0 = 1;
  return cudaGetLastError();
}
__global__ void plain(float* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 2 * x[i];
}
"""
LAUNCHER_STUDY = """schema: 1
launcher: {source: k.cu, entry: k}
problem_sizes: [{N: 4000000}]
parameters: {BX: [64, 256], MODE: [0, 1, 2, 3, 4, 5, 6, 7]}
constraints: ["MODE == 0 or BX == 64"]
arguments:
  - {name: x, type: float, shape: [N], role: inout, fill: {uniform: [0, 1]}}
  - {name: n, type: int, value: N}
reference: {entry: plain, block: [1024], grid: [1]}
search: {strategy: exhaustive}
"""


def launcher(tuner, backend, mode="stream"):
    """Right, waiting, returning an error, in another stream, doing nothing, crashing, allocating."""
    if backend != "cuda":
        return True, ""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "k.cu").write_text(LAUNCHER, encoding="utf-8")
        (folder / "k.yaml").write_text(f"{LAUNCHER_STUDY}measure: {{mode: {mode}}}\n", encoding="utf-8")
        found, said = states(folder, "k.yaml", tuner, backend, "MODE")
    seen = {number: {state for one, state in found if one == number} for number in "01234567"}
    fine = ["0", "7"] if mode == "graph" else ["0", "1", "6", "7"]
    good = (all(seen[one] and seen[one] <= {"ok", "dropped"} for one in fine)
            and seen["2"] == seen["5"] == {"runtime"} and seen["4"] == {"correctness"}
            and seen["3"] and seen["3"] <= {"launch", "correctness"})
    if mode == "graph":  # what waits for the device, or may do so, cannot be captured
        good = good and seen["1"] == seen["6"] == {"runtime"} and said.count("stream is capturing") == 2
    return good, said


def without_stream(tuner, backend):
    """A function that takes no stream is refused, and the message says so."""
    if backend != "cuda":
        return True, ""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "k.cu").write_text(LAUNCHER + "extern \"C\" int k_alone(float* x, int n) { return x == nullptr; }\n",
                                     encoding="utf-8")
        study = LAUNCHER_STUDY.replace("entry: k}", "entry: k_alone}").replace("[0, 1, 2, 3, 4, 5, 6, 7]", "[0]")
        (folder / "k.yaml").write_text(study, encoding="utf-8")
        found, said = states(folder, "k.yaml", tuner, backend, "MODE")
    return all(state != "ok" for _, state in found) and "last parameter is no cudaStream_t" in said, said


def best_ms(folder, study, tuner):
    """The best time of a run from nothing."""
    states(folder, study, tuner, "cuda")
    rows = [row for file in folder.glob(f"results/{Path(study).stem}/*/*.csv")
            for row in csv.DictReader(file.open(encoding="utf-8"))]
    return float(rows[0]["time_ms"])


def overhead(tuner, backend):
    """A kernel takes as long from a launcher as by itself: 3 % and 0.1 us are what two runs differ by."""
    if backend != "cuda":
        return True, ""
    said = ""
    good = True
    for count in (1000, 4000000):
        with tempfile.TemporaryDirectory() as path:
            folder = Path(path)
            (folder / "k.cu").write_text(LAUNCHER, encoding="utf-8")
            study = LAUNCHER_STUDY.replace("4000000", str(count)).replace("[0, 1, 2, 3, 4, 5, 6, 7]", "[0]")
            (folder / "launcher.yaml").write_text(study.replace("entry: k}", "entry: k, name: launcher}"),
                                                  encoding="utf-8")
            (folder / "kernel.yaml").write_text(
                study.replace("launcher: {source: k.cu, entry: k}",
                              "kernel: {name: kernel, source: k.cu, entry: twice, compiler: nvcc}\n"
                              'launch: {block: [BX], grid: ["ceil_div(N, BX)"]}'), encoding="utf-8")
            alone, called = best_ms(folder, "kernel.yaml", tuner), best_ms(folder, "launcher.yaml", tuner)
        said += f"  {count}: {alone:.6f} ms by itself, {called:.6f} ms from a launcher\n"
        good = good and abs(called - alone) <= 0.03 * alone + 0.0001
    print(said, end="")
    return good, said


def example(name, tuner, backend):
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        for file in EXAMPLES.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        found, said = states(folder, name, tuner, backend)
    return found and {state for _, state in found} <= {"ok", "dropped", "constraints"}, said


def main():
    tuner = str(Path(sys.argv[1]).resolve())
    backend = sys.argv[2] if len(sys.argv) > 2 else "cuda"
    only = sys.argv[3:]
    checks = [(case, lambda c=case: judged(c, tuner, backend)) for case in CASES]
    checks.append(("launchers", lambda: launcher(tuner, backend)))
    checks.append(("launchers in graphs", lambda: launcher(tuner, backend, "graph")))
    checks.append(("a launcher without a stream", lambda: without_stream(tuner, backend)))
    checks.append(("what a launcher costs", lambda: overhead(tuner, backend)))
    checks += [(file.name, lambda f=file.name: example(f, tuner, backend))
               for file in sorted(EXAMPLES.glob("*.yaml"))]
    failed = 0
    for name, check in checks:
        if only and name not in only:
            continue
        good, said = check()
        failed += not good
        print(f"{'right' if good else 'WRONG'}  {name}" + ("" if good else "\n" + said), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
