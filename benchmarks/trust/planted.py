#!/usr/bin/env python3
"""How many wrong first studies are noticed: ten usual kernels, each with a wrong grid, shape, role and scalar.

usage: planted.py TUNER [KERNEL...]

The reference is the kernel itself with the same mistake, as in a draft of `tuner init`, so nothing but what `check`
and the first run on the backend cpu say can tell. Prints what was said first of each of the 40, how many were noticed,
and what was said of the ten right studies, which should be nothing.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Each kernel: its sizes, its parameters, the launch, the arguments, the source; then by kind of mistake what is written
# in place of what.
KERNELS = {
    "saxpy": ("{N: 10007}", "BLOCK: [128, 64, 256]", "[BLOCK]", '["ceil_div(N, BLOCK)"]', """
  - {name: y, type: float32, shape: [N], role: inout, fill: {normal: [0, 1]}}
  - {name: x, type: float32, shape: [N], fill: {normal: [0, 1]}}
  - {name: a, type: float32, value: 2.5}
  - {name: n, type: int32, value: N}""", """
__global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}""", {"grid": ("ceil_div(N, BLOCK)", "ceil_div(N, 128)"), "shape": ("x, type: float32, shape: [N]",
       'x, type: float32, shape: ["N // 2"]'), "role": ("role: inout", "role: out"), "scalar": ("value: 2.5", "value: 0")}),
    "stencil": ("{W: 210, H: 90}", "BX: [32, 16], BY: [4, 8]", "[BX, BY]", '["ceil_div(W, BX)", "ceil_div(H, BY)"]', """
  - {name: out, type: float32, shape: [H, W], role: out}
  - {name: in, type: float32, shape: [H, W], fill: {uniform: [0, 1]}}
  - {name: w, type: int32, value: W}
  - {name: h, type: int32, value: H}""", """
__global__ void stencil(float* out, const float* in, int w, int h) {
  int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = in[y * w + x];
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
    sum = 0.2f * (sum + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
  out[y * w + x] = sum;
}""", {"grid": ('"ceil_div(W, BX)", "ceil_div(H, BY)"', '"ceil_div(H, BX)", "ceil_div(W, BY)"'),
       "shape": ("in, type: float32, shape: [H, W]", "in, type: float32, shape: [H, H]"),
       "role": ("role: out", "fill: {uniform: [0, 1]}"), "scalar": ("value: W", "value: H")}),
    "transpose": ("{W: 130, H: 70}", "TILE: [16, 8]", "[TILE, TILE]", '["ceil_div(W, TILE)", "ceil_div(H, TILE)"]', """
  - {name: out, type: float32, shape: [W, H], role: out}
  - {name: in, type: float32, shape: [H, W], fill: {normal: [0, 1]}}
  - {name: w, type: int32, value: W}
  - {name: h, type: int32, value: H}""", """
__global__ void transpose(float* out, const float* in, int w, int h) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  x = blockIdx.x * TILE + threadIdx.y, y = blockIdx.y * TILE + threadIdx.x;
  if (x < w && y < h) out[x * h + y] = tile[threadIdx.x][threadIdx.y];
}""", {"grid": ("ceil_div(W, TILE)", "ceil_div(W, 2 * TILE)"), "shape": ("shape: [W, H]", "shape: [W, 2, H]"),
       "role": ("fill: {normal: [0, 1]}", "role: out"), "scalar": ("value: H", "value: W")}),
    "reduction": ("{N: 9973}", "BLOCK: [128, 64, 256]", "[BLOCK]", '["ceil_div(N, BLOCK)"]', """
  - {name: total, type: float32, shape: [1], role: inout, fill: {constant: 0}}
  - {name: x, type: float32, shape: [N], fill: {uniform: [0, 1]}}
  - {name: n, type: int32, value: N}""", """
__global__ void reduction(float* total, const float* x, int n) {
  __shared__ float part[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, part[0]);
}""", {"grid": ("ceil_div(N, BLOCK)", "ceil_div(N, 2 * BLOCK)"), "shape": ("x, type: float32, shape: [N]",
       "x, type: float32, shape: [2, N]"), "role": ("role: inout, fill: {constant: 0}", "role: out"),
       "scalar": ("value: N", 'value: "N // 2"')}),
    "matmul": ("{M: 100, N: 60, K: 80}", "TILE: [16, 8]", "[TILE, TILE]", '["ceil_div(N, TILE)", "ceil_div(M, TILE)"]', """
  - {name: c, type: float32, shape: [M, N], role: out}
  - {name: a, type: float32, shape: [M, K], fill: {normal: [0, 1]}}
  - {name: b, type: float32, shape: [K, N], fill: {normal: [0, 1]}}
  - {name: m, type: int32, value: M}
  - {name: n, type: int32, value: N}
  - {name: k, type: int32, value: K}""", """
__global__ void matmul(float* c, const float* a, const float* b, int m, int n, int k) {
  int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  if (col >= n || row >= m) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}""", {"grid": (', "ceil_div(M, TILE)"', ""), "shape": ("shape: [K, N]", "shape: [N]"),
       "role": ("a, type: float32, shape: [M, K], fill: {normal: [0, 1]}", "a, type: float32, shape: [M, K], role: out"),
       "scalar": ("value: K", 'value: "K // 2"')}),
    "histogram": ("{N: 8009}", "BLOCK: [128, 64]", "[BLOCK]", '["ceil_div(N, BLOCK)"]', """
  - {name: bins, type: int32, shape: [64], role: inout, fill: {constant: 0}}
  - {name: data, type: int32, shape: [N], fill: {integers: [0, 63]}}
  - {name: n, type: int32, value: N}""", """
__global__ void histogram(int* bins, const int* data, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) atomicAdd(bins + data[i], 1);
}""", {"grid": ("ceil_div(N, BLOCK)", "ceil_div(N, 2 * BLOCK)"), "shape": ("shape: [64]", "shape: [32]"),
       "role": ("role: inout, fill: {constant: 0}", "role: scratch"), "scalar": ("value: N", "value: 64")}),
    "softmax": ("{M: 37, N: 301}", "BLOCK: [64, 32, 128]", "[BLOCK]", "[M]", """
  - {name: y, type: float32, shape: [M, N], role: out}
  - {name: x, type: float32, shape: [M, N], fill: {normal: [0, 1]}}
  - {name: cols, type: int32, value: N}""", """
__global__ void softmax(float* y, const float* x, int cols) {
  __shared__ float part[BLOCK];
  const float* row = x + blockIdx.x * cols;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < cols; i += BLOCK) most = fmaxf(most, row[i]);
  part[threadIdx.x] = most;
  __syncthreads();
  for (int i = 0; i < BLOCK; ++i) most = fmaxf(most, part[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < cols; i += BLOCK) sum += expf(row[i] - most);
  part[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < BLOCK; ++i) sum += part[i];
  for (int i = threadIdx.x; i < cols; i += BLOCK) y[blockIdx.x * cols + i] = expf(row[i] - most) / sum;
}""", {"grid": ("[M]", '["M // 2"]'), "shape": ("x, type: float32, shape: [M, N]", "x, type: float32, shape: [M]"),
       "role": ("role: out", "role: scratch"), "scalar": ("value: N", "value: 1")}),
    "convolution": ("{N: 7001}", "BLOCK: [128, 64]", "[BLOCK]", '["ceil_div(N, BLOCK)"]', """
  - {name: out, type: float32, shape: [N], role: out}
  - {name: in, type: float32, shape: ["N + 8"], fill: {normal: [0, 1]}}
  - {name: weights, type: float32, shape: [9], fill: {normal: [0, 1]}}
  - {name: radius, type: int32, value: 4}
  - {name: n, type: int32, value: N}""", """
__global__ void convolution(float* out, const float* in, const float* weights, int radius, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j <= 2 * radius; ++j) sum += weights[j] * in[i + j];
  out[i] = sum;
}""", {"grid": ("ceil_div(N, BLOCK)", "ceil_div(N, 4 * BLOCK)"), "shape": ('shape: ["N + 8"]', 'shape: [N]'),
       "role": ("shape: [9], fill: {normal: [0, 1]}", "shape: [9], role: scratch"), "scalar": ("value: 4", "value: 0")}),
    "layernorm": ("{M: 41, N: 260}", "BLOCK: [64, 32, 128]", "[BLOCK]", "[M]", """
  - {name: y, type: float32, shape: [M, N], role: out}
  - {name: x, type: float32, shape: [M, N], fill: {normal: [1, 2]}}
  - {name: gamma, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: beta, type: float32, shape: [N], fill: {normal: [0, 1]}}
  - {name: cols, type: int32, value: N}
  - {name: eps, type: float32, value: 1.0e-5}""", """
__global__ void layernorm(float* y, const float* x, const float* gamma, const float* beta, int cols, float eps) {
  __shared__ float part[2][BLOCK];
  const float* row = x + blockIdx.x * cols;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < cols; i += BLOCK) sum += row[i], squares += row[i] * row[i];
  part[0][threadIdx.x] = sum, part[1][threadIdx.x] = squares;
  __syncthreads();
  sum = squares = 0;
  for (int i = 0; i < BLOCK; ++i) sum += part[0][i], squares += part[1][i];
  float mean = sum / cols, scale = rsqrtf(squares / cols - mean * mean + eps);
  for (int i = threadIdx.x; i < cols; i += BLOCK)
    y[blockIdx.x * cols + i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}""", {"grid": ("[M]", '["M - 1"]'), "shape": ("gamma, type: float32, shape: [N]", 'gamma, type: float32, shape: ["N // 2"]'),
       "role": ("role: out", "fill: {normal: [0, 1]}"), "scalar": ("value: 1.0e-5", "value: 1.0e+30")}),
    "gather": ("{N: 6007, M: 500}", "BLOCK: [128, 64, 256]", "[BLOCK]", '["ceil_div(N, BLOCK)"]', """
  - {name: y, type: float32, shape: [N], role: out}
  - {name: x, type: float32, shape: [M], fill: {normal: [0, 1]}}
  - {name: index, type: int32, shape: [N], fill: {integers: [0, 499]}}
  - {name: n, type: int32, value: N}""", """
__global__ void gather(float* y, const float* x, const int* index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i]];
}""", {"grid": ("ceil_div(N, BLOCK)", "N // BLOCK"), "shape": ("index, type: int32, shape: [N]",
       'index, type: int32, shape: ["N // 4"]'), "role": ("fill: {integers: [0, 499]}", "role: out"),
       "scalar": ("value: N", 'value: "N + 1000"')}),
}

STUDY = """schema: 1
kernel: {{name: {name}, source: {name}.cu, entry: {name}, define_prefix: ""}}
problem_sizes: [{sizes}]
parameters: {{{parameters}}}
launch: {{block: {block}, grid: {grid}}}
arguments:{arguments}
reference: {{entry: {name}, configuration: {{{first}}}, block: {first_block}, grid: {first_grid}}}
verify: {verify}
"""


def study(name, replaced=("", "")):
    sizes, parameters, block, grid, arguments = (part.replace(*replaced, 1) if all(replaced) or replaced[0] else part
                                                 for part in KERNELS[name][:5])
    values = dict(re.findall(r"(\w+): \[(\d+)", parameters))
    first = {key: re.sub(r"\w+", lambda word: values.get(word[0], word[0]), text)
             for key, text in (("block", block), ("grid", grid))}
    outputs = re.findall(r"name: (\w+), type: (\w+)[^\n]*role: (?:out|inout)", arguments)
    verify = "{" + ", ".join(f"{output}: {{tolerance: usual}}" for output, _ in outputs) + "}"
    return STUDY.format(name=name, sizes=sizes, parameters=parameters, block=block, grid=grid, arguments=arguments,
                        first=", ".join(f"{key}: {value}" for key, value in values.items()), first_block=first["block"],
                        first_grid=first["grid"], verify=verify if outputs else "none")


def said(tuner, name, text):
    """The first line that says that something is wrong; nothing where all is well."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / f"{name}.cu").write_text(KERNELS[name][5])
        (root / "s.yaml").write_text(text)
        for command in ["check"], ["run", "--backend", "cpu", "--budget", "8", "--progress", "none"]:
            ended = subprocess.run([tuner, command[0], "s.yaml", *command[1:]], cwd=root, capture_output=True,
                                   text=True, timeout=300)
            lines = (ended.stderr + ended.stdout).splitlines()
            telling = [line.strip() for line in lines
                       if re.search(r"warning: |\d+ x |not verified|nothing valid", line) or
                       ended.returncode == 2 and "s.yaml" in line]
            if telling or ended.returncode:
                return f"{command[0]}: {(telling or lines)[0]}"
    return ""


def main():
    tuner, names = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or list(KERNELS)
    caught = planted = 0
    for name in names:
        print(f"{name:12} right   {said(tuner, name, study(name)) or '-'}", flush=True)
        for kind, replaced in KERNELS[name][6].items():
            answer = said(tuner, name, study(name, replaced))
            caught, planted = caught + bool(answer), planted + 1
            print(f"{name:12} {kind:7} {answer[:150] or 'NOT NOTICED'}", flush=True)
    print(f"noticed: {caught} of {planted}")


if __name__ == "__main__":
    main()
