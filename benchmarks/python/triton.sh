#!/usr/bin/env bash
# tuner.tune() beside triton.autotune on one bfloat16 product in Triton: the same 72 configurations, empty
# caches of Triton for each, one timer for both winners. Needs a GPU, torch and triton.
#
#   benchmarks/python/triton.sh      in the root of a checkout with a build
#
# WHEEL=tuner-*.whl takes a wheel (default: the newest in build/packages), TUNER_LIBRARY=libtuner.so a
# library with the package python/ (default: the newest in build/*/lib). SIZE=4096 (default) or another.
# Prints one line: seconds and TFLOP/s of both, the ratio, states; exit status 0 when the winner is right
# and has at least 0.98 of the other's speed.
set -u
work=$(mktemp -d /tmp/tuner-triton.XXXXXX); trap 'rm -rf "$work"' EXIT
wheel=${WHEEL:-$(ls -t build/packages/tuner-*.whl 2>/dev/null | head -1)}
if [ -n "$wheel" ]; then
  python3 -m zipfile -e "$wheel" "$work/site" && chmod +x "$work/site/tuner/prefix/bin/tuner"
  export PYTHONPATH=$work/site; unset TUNER_LIBRARY
else
  export PYTHONPATH=$PWD/python TUNER_LIBRARY=${TUNER_LIBRARY:-$(ls -t "$PWD"/build/*/lib/libtuner.so 2>/dev/null | head -1)}
fi
cat >"$work/product.py" <<'PY'
import os, sys, time
import torch
import triton
import triton.language as tl

SIZE = int(os.environ.get("SIZE", "4096"))


@triton.jit
def product_kernel(a, b, c, m, n, k, a_row, a_col, b_row, b_col, c_row, c_col,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr):
    # Tiles are taken in bands of BAND rows of tiles, so that neighbours share what is in the L2 cache.
    tile = tl.program_id(0)
    rows_of_tiles, cols_of_tiles = tl.cdiv(m, BM), tl.cdiv(n, BN)
    band = tile // (BAND * cols_of_tiles)
    height = tl.minimum(rows_of_tiles - band * BAND, BAND)
    within = tile - band * BAND * cols_of_tiles
    row, col = band * BAND + within % height, within // height
    at_m = (row * BM + tl.arange(0, BM)) % m
    at_n = (col * BN + tl.arange(0, BN)) % n
    at_k = tl.arange(0, BK)
    left = a + at_m[:, None] * a_row + at_k[None, :] * a_col
    right = b + at_k[:, None] * b_row + at_n[None, :] * b_col
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        inside = at_k < k - step * BK
        total = tl.dot(tl.load(left, mask=inside[None, :], other=0.0), tl.load(right, mask=inside[:, None], other=0.0), total)
        left += BK * a_col
        right += BK * b_row
    to_m, to_n = row * BM + tl.arange(0, BM), col * BN + tl.arange(0, BN)
    tl.store(c + to_m[:, None] * c_row + to_n[None, :] * c_col, total.to(tl.bfloat16),
             mask=(to_m[:, None] < m) & (to_n[None, :] < n))


def product(a, b, c, BM, BN, BK, BAND, STAGES, WARPS):
    m, k = a.shape
    n = b.shape[1]
    launch = product_kernel[(triton.cdiv(m, BM) * triton.cdiv(n, BN),)]
    launch(a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BM=BM, BN=BN, BK=BK, BAND=BAND, num_stages=STAGES,
           num_warps=WARPS)


def right(a, b, c):
    torch.matmul(a, b, out=c)


PARAMETERS = {"BM": [64, 128, 256], "BN": [128, 256], "BK": [32, 64], "BAND": [8], "STAGES": [2, 3, 4], "WARPS": [4, 8]}


def configurations():
    import itertools
    return [dict(zip(PARAMETERS, values)) for values in itertools.product(*PARAMETERS.values())]


def inputs():
    torch.manual_seed(7)
    a, b = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    return a, b, torch.empty_like(a)


def rate(call):
    ms = triton.testing.do_bench(call, warmup=50, rep=300, return_mode="median")
    return 2 * SIZE ** 3 / ms / 1e9
PY
cat >"$work/by_tuner.py" <<'PY'
import json, time
from product import *
a, b, c = inputs()
torch.cuda.synchronize()
begin = time.time()
import tuner
tuned = tuner.tune(product, PARAMETERS, [a, b, c], reference=right, folder="results", progress=False)
seconds = time.time() - begin
expected = a @ b
tuned(a, b, c)
close = torch.allclose(c.float(), expected.float(), rtol=5e-2, atol=1e-1)
again = time.time()
second = tuner.tune(product, PARAMETERS, [a, b, c], reference=right, folder="results", progress=False)
states = {}
for row in tuned.table:
    states[row["state"]] = states.get(row["state"], 0) + 1
print(json.dumps({"seconds": seconds, "best": tuned.best, "right": bool(close),
                  "states": states, "resumed": second.measured, "resume_seconds": time.time() - again,
                  "told_ms": tuned.time_ms, "device": tuned.device,
                  "failed": [row["message"][:300] for row in tuned.table if row["state"] not in ("ok", "dropped")][:3]}))
PY
cat >"$work/by_autotune.py" <<'PY'
import json, time
from product import *
a, b, c = inputs()
torch.cuda.synchronize()
configs = [triton.Config({key: one[key] for key in ("BM", "BN", "BK", "BAND")}, num_stages=one["STAGES"],
                         num_warps=one["WARPS"]) for one in configurations()]
kernel = triton.autotune(configs=configs, key=["m", "n", "k"])(product_kernel)


def call():
    launch = kernel[lambda meta: (triton.cdiv(SIZE, meta["BM"]) * triton.cdiv(SIZE, meta["BN"]),)]
    launch(a, b, c, SIZE, SIZE, SIZE, *a.stride(), *b.stride(), *c.stride())


begin = time.time()
call()
torch.cuda.synchronize()
seconds = time.time() - begin
won = kernel.best_config
best = {**won.kwargs, "STAGES": won.num_stages, "WARPS": won.num_warps}
told = json.load(open("t.json"))["best"]
rates = [(rate(lambda: product(a, b, c, **best)), rate(lambda: product(a, b, c, **told)),
          rate(lambda: torch.matmul(a, b, out=c))) for _ in range(3)]  # in turns: clocks change
print(json.dumps(dict(zip(("tflops", "tuned", "torch"), map(sorted, zip(*rates))), seconds=seconds, best=best)))
PY
cd "$work" || exit 1
python3 -c 'import torch, triton' || { echo "FAIL: no torch or triton"; exit 1; }  # and the files are in memory for both
TRITON_CACHE_DIR=$work/cache-t python3 by_tuner.py >t.json 2>t.err || { echo "FAIL: tune()"; tail -25 t.err; exit 1; }
TRITON_CACHE_DIR=$work/cache-a python3 by_autotune.py >a.json 2>a.err || { echo "FAIL: autotune"; tail -25 a.err; cat t.json; exit 1; }
python3 - <<'PY'
import json
t, a = (json.loads(open(name).read().strip().splitlines()[-1]) for name in ("t.json", "a.json"))
flops, tuned, matmul = (a[name][1] for name in ("tflops", "tuned", "torch"))  # medians of three
faults = [text for bad, text in ((not t["right"], "the winner is wrong"), (t["resumed"] != 0, "it measured again"),
                                 (sum(t["states"].values()) != 72, "not all 72 were measured"),
                                 (set(t["states"]) - {"ok", "dropped", "constraints"}, "states"),
                                 (tuned < 0.98 * flops, "a slower winner")) if bad]
print(f"{'FAIL ' + '; '.join(faults) if faults else 'OK'}: {t['device']}, tune {t['seconds']:.1f} s, {tuned:.0f} TFLOP/s "
      f"{t['best']}; autotune {a['seconds']:.1f} s, {flops:.0f} TFLOP/s {a['best']}; {a['seconds'] / t['seconds']:.2f} "
      f"times as fast; torch.matmul {matmul:.0f}; states {t['states']}; resumed in {t['resume_seconds']:.1f} s; told "
      f"{t['told_ms']:.4f} ms; {t['failed']}")
PY
