#!/usr/bin/env python3
"""Tunes public kernels as they are: what is gained over their authors' configurations, and in which time.

    benchmarks/public/run.py SNAPSHOTS --tuner build/release/bin/tuner [--only llmc] [--seconds 60]

SNAPSHOTS is a folder with copies of the repositories (llm.c, SGEMM_CUDA, gpu-rodinia, cuda-samples, KTT, kernel_tuner,
BAT, benchmark_hub). Nothing is fetched and nothing in it is written: studies are copied beside a link to it, so that
their sources are found under `snapshots/`. Without a GPU, `--backend cpu` tries everything at small sizes, and
`--compile sm_90` compiles configurations only.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent

# In the order of their weight, each with the repository and a size that the cpu backend can take (none: the source fixes a large one).
STUDIES = {
    "llmc-softmax": ("llm.c", "ROWS=32,V=1003"),
    "llmc-layernorm": ("llm.c", "ROWS=64,WIDTH=768"),
    "llmc-attention": ("llm.c", "BATCH=1,LENGTH=64,CHANNELS=64,HEADS=2"),
    "llmc-matmul": ("llm.c", "ROWS=128,IN=64,OUT=128"),
    "sgemm-warptiling": ("SGEMM_CUDA", "M=256,N=256,K=64"),
    "rodinia-srad": ("gpu-rodinia", "ROWS=64,COLS=512"),
    "rodinia-hotspot": ("gpu-rodinia", "N=64"),
    "samples-transpose": ("cuda-samples", "WIDTH=128,HEIGHT=64"),
    "samples-reduction": ("cuda-samples", "N=65536"),
    "samples-scan": ("cuda-samples", "ARRAYS=1,LENGTH=65536"),
    "samples-shfl-scan": ("cuda-samples", "N=65536"),
    "kernel-tuner-matmul": ("kernel_tuner", None),
    "ktt-coulomb": ("KTT", "SIZE=32,ATOMS=16"),
    "bat-nbody": ("BAT", "N=4096"),
    "hub-convolution": ("benchmark_hub", None),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("snapshots", type=pathlib.Path)
    parser.add_argument("--tuner", required=True, type=pathlib.Path)
    parser.add_argument("--only", action="append", help="studies whose name contains this; may be repeated")
    parser.add_argument("--seconds", type=float, default=60, help="for each kernel, from start to exported result")
    parser.add_argument("--total", type=float, help="seconds for all; kernels for which no time is left are not run")
    parser.add_argument("--backend", default="auto", help="cpu: at small sizes")
    parser.add_argument("--evaluations", type=int, help="at most so many configurations of each")
    parser.add_argument("--compile", metavar="ARCH", help="check and compile only, such as for sm_90")
    parser.add_argument("--out", type=pathlib.Path, help="keep logs, results and table.json in this folder")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="write the table to this file as well")
    return parser.parse_args()


def work_folder(folder, snapshots):
    """Studies and references beside a link to the snapshots."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in [*HERE.glob("*.yaml"), HERE / "references.cu"]:
        shutil.copy(source, folder)
    link = folder / "snapshots"
    if link.is_symlink():
        link.unlink()
    link.symlink_to(snapshots.resolve(), target_is_directory=True)
    return folder


def call(command, log, limit):
    """Exit status of a command, or None past the limit; all that it says goes to the log."""
    with open(log, "wb") as file:
        try:
            return subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, timeout=limit).returncode
        except subprocess.TimeoutExpired:
            return None


def reason(log):
    """The sentence of a log that says what is wrong: what ended the program, what has a place, why all failed, else the last one."""
    lines = [line.strip() for line in log.read_text(errors="replace").split("\nnext:")[0].splitlines()]
    lines = [line for line in lines if line and not line.startswith("warning")] or ["nothing was said"]
    for wrong in ("tuner: ", r"\S+:\d+:\d+: ", "(all .* for one reason|failures by cause)", ".*nothing valid", ".*(error|cannot|not available)"):
        for at, line in enumerate(lines):
            if re.match(wrong, line):
                # What ends in a colon is said by what follows: a compiler's first error, or the first line.
                after = lines[at + 1:] if line.endswith(":") else []
                error = next((one for one in after if "error" in one), after[0] if after else "")
                return f"{line} {error}".strip()[:300]
    return lines[-1][:300]


def tune(options, work, name):
    repository, small = STUDIES[name]
    study, log, results = work / f"{name}.yaml", work / f"{name}.log", work / "results"
    # The search ends early enough for the reference before it and the final behind it.
    budget = f"{max(1, 0.7 * options.seconds):.0f}s" + (f",{options.evaluations}" if options.evaluations else "")
    command = [options.tuner, "run", study, "--results", results, "--backend", options.backend, "--budget", budget]
    if options.backend.startswith("cpu"):
        command += ["--size", small]
    row = {"kernel": name, "repository": repository}
    start = time.monotonic()
    status = call(command, log, 2 * options.seconds + 30)
    row["seconds"] = time.monotonic() - start
    exported = work / f"{name}.json"
    if call([options.tuner, "export", study, "--results", results, "--format", "json", "--force", "-o", exported],
            work / f"{name}.export.log", 60) != 0:
        return row | {"failed": "killed, it took too long" if status is None else reason(log)}
    return row | figures(json.loads(exported.read_text())["results"][0])


def figures(result):
    """What counts of an exported result."""
    trials, states = result["trials"], {}
    for trial in trials:
        states[trial["state"]] = states.get(trial["state"], 0) + 1
    device = result["device"]
    row = {"machine": f"{device['name']}, driver {device['driver']}", "compiler": result["compiler"], "size": result["label"], "tried": len(trials), "states": states,
           "right": states.get("ok", 0) + states.get("dropped", 0)}
    if row["right"]:
        row |= {"best_ms": trials[0]["time_ms"], "best": trials[0]["configuration"]}
    else:
        row["failed"] = next((trial["message"] for trial in trials if trial.get("message")), "no variant is right")
    baseline = result.get("baseline", {})
    if baseline.get("place") is not None:
        row["authors"] = baseline["configuration"]
        row["authors_ms"] = trials[baseline["place"]].get("time_ms")
        row["speedup"] = baseline["speedup"]
    return row


def compile_only(options, work, name):
    log = work / f"{name}.log"
    command = [options.tuner, "check", work / f"{name}.yaml", "--compile", "--arch", options.compile]
    command += ["--limit", str(options.evaluations or 0)]
    start = time.monotonic()
    status = call(command, log, None)
    row = {"kernel": name, "repository": STUDIES[name][0], "seconds": time.monotonic() - start}
    return row if status == 0 else row | {"failed": reason(log)}


def line(row):
    if "failed" in row:
        return f"{row['kernel']:20} {row['repository']:14} {row.get('tried', ''):>5} {row.get('right', ''):>5}  FAILED {row['failed']}"
    if "best_ms" not in row:
        return f"{row['kernel']:20} {row['repository']:14} compiles, {row['seconds']:.1f} s"
    gain = row.get("speedup") or {}
    factor = f"{gain['ratio']:6.3f} {gain['low']:.3f} to {gain['high']:.3f}" if gain else "the authors' failed"
    authors = f"{row['authors_ms']:10.4f}" if row.get("authors_ms") else " " * 10
    return (f"{row['kernel']:20} {row['repository']:14} {row['tried']:5} {row['right']:5} {authors} {row['best_ms']:10.4f} "
            f"{factor:24} {row['seconds']:6.1f}")


def markdown(rows):
    """The table of what was tuned, and sentences about the rest."""
    out = [f"{words}." for words in machines(rows)]
    out += ["", "| kernel | repository | tried, right | authors ms | best ms | speed-up, 95 % interval | seconds |",
            "|---|---|--:|--:|--:|--:|--:|"]
    for row in (row for row in rows if "best_ms" in row):
        authors, gain = row.get("authors_ms"), row.get("speedup") or {}
        factor = f"{gain['ratio']:.3f}, {gain['low']:.3f} to {gain['high']:.3f}" if gain else "the authors' failed"
        out.append(f"| {row['kernel']} | {row['repository']} | {row['tried']}, {row['right']} | "
                   f"{'' if authors is None else f'{authors:.4f}'} | {row['best_ms']:.4f} | {factor} | {row['seconds']:.1f} |")
    failed = [f"`{row['kernel']}` failed: {row['failed']}." for row in rows if "failed" in row]
    return "\n".join([*out, *([""] if failed else []), *failed]) + "\n"


def machines(rows):
    """Devices with their drivers, mostly one, then compilers."""
    return [", ".join(sorted({row[key] for row in rows if key in row})) or f"no {key}" for key in ("machine", "compiler")]


def main():
    options = arguments()
    options.tuner = options.tuner.resolve()
    names = [name for name in STUDIES if not options.only or any(part in name for part in options.only)]
    if options.backend.startswith("cpu"):
        names = [name for name in names if STUDIES[name][1]]
    end = time.monotonic() + (options.total or 1e9)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        work = work_folder(options.out or pathlib.Path(scratch), options.snapshots)
        print(f"{'kernel':20} {'repository':14} {'tried':>5} {'right':>5} {'authors ms':>10} {'best ms':>10} speed-up, interval"
              f"{'':6} seconds", flush=True)
        for name in names:
            if time.monotonic() + options.seconds > end:
                rows.append({"kernel": name, "repository": STUDIES[name][0], "failed": "not run, no time was left"})
            else:
                rows.append((compile_only if options.compile else tune)(options, work, name))
            print(line(rows[-1]), flush=True)
            (work / "table.json").write_text(json.dumps(rows, indent=1) + "\n")
    if not options.compile:
        print("\n".join(machines(rows)))
    if options.markdown:
        options.markdown.write_text(markdown(rows))
    return 1 if any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
