#!/usr/bin/env python3
"""Ten kernels of some microseconds on a GPU, timed from a graph. graph_ranking.py TUNER [--only NAME] [--no-profile]

Part one: does a run with `mode: graph` find the best of an exhaustive ranking, where nothing is dropped and
everything takes part in the final? The winner has to be a tie with the best there. Part two, where CUPTI and a C
compiler are found: does what the tuner says of the winner agree with the time stamps of the launches themselves, from
the beginning of a graph's first kernel to the end of its last? Prints a table; exit status 1 on a miss."""

import argparse
import csv
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WITHIN = 0.02  # of a profile
TIE = 0.01     # of the best

# Sizes of a few microseconds, and of each space a part that is small enough to be measured whole.
KERNELS = {
    "reduction-64Ki": ("reduction", "N=65536", [
        "FORM == 'shuffle'", "FINISH != 'two_pass'", "STREAM == 0", "BLOCK in [128, 256, 512]", "VEC == 4",
        "BLOCKS_PER_SM in [1, 2, 4]", "UNROLL in [1, 2]"]),
    "reduction-1Mi": ("reduction", "N=1048576", [
        "FORM == 'shuffle'", "FINISH != 'atomic'", "STREAM == 0", "BLOCK in [256, 512]", "VEC == 4",
        "BLOCKS_PER_SM in [1, 2, 4]", "UNROLL in [1, 2, 4]"]),
    "softmax-1024": ("softmax", "M=1024,N=1024", ["FORM == 'registers'", "ROWS in [1, 2]"]),
    "softmax-512": ("softmax", "M=512,N=1024", ["FORM in ['online', 'registers']", "ROWS in [1, 2]", "VEC >= 2"]),
    "transpose-1536": ("transpose", "M=1536,N=1536", [
        "FORM == 'shared'", "BM == BN", "STREAM == 'none'", "AHEAD == 0", "TM in [2, 4]", "VEC in [1, 2]",
        "ORDER == 'rows'", "SHARED == 'static'"]),
    "transpose-1024": ("transpose", "M=1024,N=1024", [
        "FORM == 'shared'", "BM == 32", "BN in [32, 64]", "STREAM == 'none'", "AHEAD == 0", "TM in [2, 4]",
        "ORDER == 'rows'", "SHARED == 'static'"]),
    "convolution-128": ("convolution2d", "H=128,W=128", [
        "FORM == 'registers'", "BM <= 16", "BN <= 64", "TM <= 4", "TN in [4, 8]", "UNROLL >= 4"]),
    "convolution-256": ("convolution2d", "H=256,W=256", [
        "FORM == 'registers'", "BM in [8, 16]", "BN <= 128", "TM <= 4", "TN == 4", "UNROLL >= 4"]),
    "matmul-128": ("matmul", "M=128,N=128,K=64", [
        "FORM == 'registers'", "BM == BN", "BK in [8, 16]", "PAD == 0", "SHARED == 'static'"]),
    "matmul_bf16-256": ("matmul_bf16", "M=256,N=256,K=256", [
        "FORM == 'mma'", "BLOCKS_PER_SM == 1", "GROUP == 4", "BM == 64", "BN in [64, 128]", "STAGES <= 6"]),
}

# Loaded into each process that uses CUDA: notes when each kernel began and ended.
INJECTION = r"""
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static FILE* out;
static void request(uint8_t** buffer, size_t* size, size_t* records) {
  *size = 1 << 16;  // small, so that little is lost where a process is ended
  *buffer = aligned_alloc(8, *size);
  *records = 0;
}
static void complete(CUcontext c, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  CUpti_Activity* record = NULL;
  (void)c; (void)stream; (void)size;
  while (out && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const CUpti_ActivityKernel9* k = (const CUpti_ActivityKernel9*)record;
    if (!k->end) continue;  // still running
    fprintf(out, "%llu %llu %u %llu %s\n", (unsigned long long)k->start, (unsigned long long)k->end,
            k->correlationId, (unsigned long long)k->graphNodeId, k->name);
  }
  if (out) fflush(out);
  free(buffer);
}
static void finish(void) { cuptiActivityFlushAll(1); }
// The process that uses the device is ended without a word: what is noted by then is all there is.
static void* flush_often(void* nothing) {
  for (;;) {
    usleep(20000);
    cuptiActivityFlushAll(1);
  }
  return nothing;
}
int InitializeInjection(void) {
  char name[4096];
  const char* folder = getenv("TUNER_PROFILE_FOLDER");
  if (!folder) return 1;
  snprintf(name, sizeof name, "%s/%d.txt", folder, (int)getpid());
  out = fopen(name, "w");
  cuptiActivityRegisterCallbacks(request, complete);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  atexit(finish);
  pthread_t thread;
  pthread_create(&thread, NULL, flush_often, NULL);
  return 1;
}
"""


def study_text(name, rules, measure):
    """The shipped study with fewer configurations, measured as asked."""
    text = (ROOT / "search_spaces" / f"{name}.yaml").read_text()
    text = text.replace("../kernel_sources", str(ROOT / "kernel_sources"))
    text = re.sub(r"^constraints:\n", lambda _: "constraints:\n" + "".join(f"  - {rule}\n" for rule in rules), text,
                  flags=re.M)
    text, changed = re.subn(r"^measure:.*$", "measure: {" + measure + "}", text, flags=re.M)
    assert changed == 1 and "constraints:" in text, name
    return text


def run(tuner, folder, name, measure, extra=(), env=None):
    """Rows of the ranking of one kernel, best first, and the parameters' names."""
    family, size, rules = KERNELS[name]
    study = folder / f"{family}.yaml"
    study.write_text(study_text(family, rules, measure))
    results = folder / "results"
    shutil.rmtree(results, ignore_errors=True)
    done = subprocess.run([tuner, "run", study, "--backend", "cuda", "--size", size, "--results", results,
                           "--progress", "plain", *extra], capture_output=True, text=True, env=env, check=False)
    files = sorted(results.rglob("*.csv"))
    if done.returncode != 0 or not files:
        raise RuntimeError(f"{name}: {done.stdout[-1500:]}{done.stderr[-1500:]}")
    with open(files[0], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = list(rows[0])
    return rows, columns[2:columns.index("time_ms")]


def values(row, parameters):
    return tuple(row[p] for p in parameters)


def rank(tuner, folder, name):
    """The winner of a usual run, and what an exhaustive ranking says of it."""
    usual, parameters = run(tuner, folder, name, "mode: graph, cache: hot", ["--budget", "60,20s", "--fresh"])
    every, _ = run(tuner, folder, name,
                   "mode: graph, cache: hot, drop_above: 0, finalists: 1000, min_samples: 15",
                   ["--strategy", "exhaustive", "--fresh"])
    ranked = [row for row in every if row["rank"]]
    best = float(ranked[0]["time_ms"])
    winner = values(usual[0], parameters)
    found = next((row for row in ranked if values(row, parameters) == winner), None)
    ms = float(found["time_ms"]) if found else float("inf")
    tie = found is not None and (found["tie"] == "true" or ms <= best * (1 + TIE))
    return {"winner": dict(zip(parameters, winner)), "best_us": 1000 * best, "winner_us": 1000 * ms, "hit": tie,
            "measured": len(ranked)}


def profiler(folder):
    """A library that notes kernels' times; or why there is none."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None, "no C compiler"
    for home in filter(None, homes):
        for part in ("", "extras/CUPTI"):
            include = pathlib.Path(home, part, "include")
            libraries = [p for p in (pathlib.Path(home, part, d) for d in ("lib64", "lib")) if list(p.glob("libcupti.so*"))]
            if not (include / "cupti.h").exists() or not libraries:
                continue
            source, library = folder / "profile.c", folder / "libprofile.so"
            source.write_text("#include <pthread.h>\n#include <unistd.h>\n" + INJECTION)
            found = sorted(libraries[0].glob("libcupti.so*"))[0]
            done = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-pthread", source, "-o", library, f"-I{include}",
                                   f"-I{home}/include", found, f"-Wl,-rpath,{libraries[0]}"],
                                  capture_output=True, text=True, check=False)
            return (library, "") if done.returncode == 0 else (None, done.stderr.strip().splitlines()[-1])
    return None, "no CUPTI (set CUDA_HOME)"


def graphs_in(folder):
    """Microseconds of one launch in each graph of the longest kind, by what was noted of the kernels."""
    launches = {}
    for file in folder.glob("*.txt"):
        whole = file.read_text().rpartition("\n")[0]  # a worker that is ended may leave half a line
        for line in whole.splitlines():
            start, end, correlation, node, kernel = line.split(" ", 4)
            if int(node) != 0:
                launches.setdefault((file, correlation), []).append((int(start), int(end), kernel))
    if not launches:
        return []
    longest = max(len(one) for one in launches.values())
    each = max(len({kernel for _, _, kernel in one}) for one in launches.values())  # kernels of a launch
    return [(max(end for _, end, _ in one) - min(start for start, _, _ in one)) / 1000 / (longest / each)
            for one in launches.values() if len(one) == longest]


def profile(tuner, folder, name, winner, library):
    """What the tuner and the profiler say of the same launches, in microseconds of one."""
    notes = folder / "notes"
    shutil.rmtree(notes, ignore_errors=True)
    notes.mkdir()
    env = dict(os.environ, CUDA_INJECTION64_PATH=str(library), TUNER_PROFILE_FOLDER=str(notes))
    family, size, rules = KERNELS[name]
    only = [f"{p} == {v}" if re.fullmatch(r"[-\d.]+|true|false", v) else f"{p} == '{v}'" for p, v in winner.items()]
    KERNELS["profiled"] = (family, size, rules + [f'"{rule}"' for rule in only])
    rows, _ = run(tuner, folder, "profiled", "mode: graph, cache: hot, finalists: 0, min_samples: 100, max_samples: 100",
                  ["--fresh"], env)
    del KERNELS["profiled"]
    spans = graphs_in(notes)
    if not spans:
        return None
    return 1000 * float(rows[0]["search_ms"]), statistics.median(spans)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuner")
    parser.add_argument("--only", choices=KERNELS, action="append")
    parser.add_argument("--no-profile", action="store_true")
    options = parser.parse_args()
    tuner = str(pathlib.Path(options.tuner).resolve())
    misses = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        library, reason = (None, "not asked for") if options.no_profile else profiler(folder)
        print(f"{'kernel':18} {'of':>4} {'best us':>9} {'winner us':>9}  tie   {'tuner us':>9} {'profile us':>10}")
        for name in options.only or list(KERNELS):
            found = rank(tuner, folder, name)
            misses += not found["hit"]
            line = (f"{name:18} {found['measured']:4} {found['best_us']:9.3f} {found['winner_us']:9.3f}  "
                    f"{'yes' if found['hit'] else 'NO':4}")
            both = profile(tuner, folder, name, found["winner"], library) if library else None
            if library and not both:
                line += "  the profiler saw no graph"
            if both:
                off = both[0] / both[1] - 1
                misses += abs(off) > WITHIN
                line += f"  {both[0]:9.3f} {both[1]:10.3f}  {100 * off:+.1f} %{'' if abs(off) <= WITHIN else '  MISS'}"
            print(line, flush=True)
        if library is None:
            print(f"no profile: {reason}")
    print(f"{misses} misses")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
