#!/usr/bin/env python3
"""Public matrix products in OpenCL, tuned as they are, and KTT beside it on one of them.

    benchmarks/opencl/gemm.py SNAPSHOTS --tuner build/release/bin/tuner [--ktt KTT_EXAMPLE] [--evaluations 200]

SNAPSHOTS holds copies of the repositories benchmark_hub and KTT; nothing in it is written. The products are CLBlast's
Xgemm through a T1 file (1024^3), and CLTune's as KTT ships it (2048^3). KTT_EXAMPLE is KTT's example ClTuneGemm, built for
OpenCL with a random searcher and a limit of as many configurations (`--ktt-source FILE` writes that source from the
example's). Every line printed is one measurement: seconds from start to end, configurations, best time.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("snapshots", type=pathlib.Path)
    parser.add_argument("--tuner", type=pathlib.Path)
    parser.add_argument("--ktt", type=pathlib.Path, help="KTT's example as a program")
    parser.add_argument("--platform", default="0", help="the number of KTT's OpenCL platform; 0 may be PoCL")
    parser.add_argument("--ktt-source", type=pathlib.Path, help="write the example's source with the limit, and end")
    parser.add_argument("--evaluations", type=int, default=200)
    parser.add_argument("--size", type=int, default=1024, help="of the product of CLBlast")
    return parser.parse_args()


def xgemm(hub, folder, size):
    """The space is the file's own. Its KernelSpecification is another kernel's and is said anew here."""
    parts = hub / "currently_unused/kernels/gemm"
    names = ["common.opencl", "xgemm_part1.opencl", "xgemm_part2.opencl", "xgemm_part3.opencl"]
    (folder / "xgemm.opencl").write_text("".join((parts / name).read_text() for name in names))
    study = json.loads((hub / "kernels/gemm_milo.json").read_text())

    def matrix(name, access):
        return {"Name": name, "Type": "float", "MemoryType": "Vector", "Size": size * size, "AccessType": access,
                "FillType": "Random", "FillValue": 1.0}

    def scalar(name, kind, value):
        return {"Name": name, "Type": kind, "MemoryType": "Scalar", "FillValue": value}

    study["KernelSpecification"] = {
        "Language": "OpenCL", "KernelName": "Xgemm", "KernelFile": "xgemm.opencl", "GlobalSizeType": "OpenCL",
        "LocalSize": {"X": "MDIMC", "Y": "NDIMC", "Z": "1"},
        "GlobalSize": {"X": f"{size} * MDIMC // MWG", "Y": f"{size} * NDIMC // NWG", "Z": "1"},
        "Arguments": [scalar("m", "int32", size), scalar("n", "int32", size), scalar("k", "int32", size),
                      scalar("alpha", "float", 1.0), scalar("beta", "float", 1.0), matrix("A", "ReadOnly"),
                      matrix("B", "ReadOnly"), matrix("C", "ReadWrite")]}
    study["General"]["BenchmarkName"] = "clblast_xgemm"
    study["BenchmarkConfig"] = {}
    path = folder / "xgemm.json"
    path.write_text(json.dumps(study, indent=1))
    return path


def limited_example(ktt, evaluations):
    source = (ktt / "Examples/ClTuneGemm/ClTuneGemm.cpp").read_text()
    call = "tuner.Tune(kernel)"
    assert source.count(call) == 1, "the example is another one than expected"
    return source.replace(
        "const auto results = " + call,
        "tuner.SetSearcher(kernel, std::make_unique<ktt::RandomSearcher>());\n    const auto results = "
        f"tuner.Tune(kernel, std::make_unique<ktt::ConfigurationCount>({evaluations}))")


def tuned(tuner, study, folder, evaluations):
    start = time.monotonic()
    run = subprocess.run([tuner, "run", study, "--backend", "opencl", "--strategy", "random", "--budget",
                          str(evaluations), "--results", folder / "results", "--fresh"], capture_output=True, text=True)
    seconds = time.monotonic() - start
    if run.returncode != 0:
        raise SystemExit(run.stdout[-2000:] + run.stderr[-2000:])
    first = next(line for line in run.stdout.splitlines() if re.match(r"\s+1 ", line)).split()
    counts = next(line for line in run.stdout.splitlines() if re.match(r"\d+ trials", line))
    print(f"{study.stem}: tuner {seconds:.1f} s, {counts}, best {first[1]} ms", flush=True)


def measured_again(tuner, study, configuration):
    """One call of KTT's best in milliseconds, by the measurement of the others."""
    said = subprocess.run([tuner, "try", study, configuration, "--backend", "opencl", "--json"], capture_output=True,
                          text=True)
    return json.loads(said.stdout)["trial"]["median_ms"] if said.returncode == 0 else float("nan")


def by_ktt(program, platform, ktt, folder, evaluations, tuner):
    example = ktt.resolve() / "Examples/ClTuneGemm"
    start = time.monotonic()
    run = subprocess.run([program.resolve(), platform, "0", example / "ClTuneGemm.cl", example / "ClTuneGemmReference.cl"],
                         cwd=folder, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if run.returncode != 0 or not (folder / "GemmOutput.xml").exists():
        raise SystemExit(f"KTT, exit status {run.returncode}: {run.stdout[-1500:]}{run.stderr[-1500:]}")
    results = xml.etree.ElementTree.parse(folder / "GemmOutput.xml").iter("KernelResult")
    ok = [one for one in results if one.get("Status") == "Ok"]
    best = min(ok, key=lambda one: float(one.get("TotalDuration")))
    configuration = ",".join(f"{pair.get('Name')}={pair.get('Value')}" for pair in best.iter("Pair"))
    again = measured_again(tuner, folder / "cltune_gemm.yaml", configuration)
    device = re.search(r"tuner for device (.*)", run.stdout)
    print(f"cltune_gemm: KTT on {device[1] if device else '?'} {seconds:.1f} s, {len(ok)} of {evaluations} ok, "
          f"best {float(best.get('TotalDuration')) / 1e3:.4g} ms, "
          f"{again:.4g} ms as measured above", flush=True)


def main():
    given = arguments()
    ktt = given.snapshots / "KTT"
    if given.ktt_source:
        given.ktt_source.write_text(limited_example(ktt, given.evaluations))
        return
    if not given.tuner:
        raise SystemExit("--tuner is missing")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "snapshots").symlink_to(given.snapshots.resolve())
        (folder / "cltune_gemm.yaml").write_text((HERE / "cltune_gemm.yaml").read_text())
        tuned(given.tuner, xgemm(given.snapshots / "benchmark_hub", folder, given.size), folder, given.evaluations)
        tuned(given.tuner, folder / "cltune_gemm.yaml", folder, given.evaluations)
        if given.ktt:
            by_ktt(given.ktt, given.platform, ktt, folder, given.evaluations, given.tuner)


if __name__ == "__main__":
    main()
