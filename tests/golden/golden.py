#!/usr/bin/env python3
"""What the program writes of the shipped results is, byte for byte, what it wrote before.

  golden.py --tuner TUNER             compares the sum of every output with golden.sha256
  golden.py --tuner TUNER --update    renews the list, after a change that is meant
  golden.py --tuner TUNER --write DIR also leaves the outputs in DIR, to be compared with diff -r

Inputs are the ranked CSV files under results/, the shipped studies and their kernels, and the T1 files of
the tests, each as git tracks it; what runs on this machine have left in results/ is not read. Each output has a line "sum  name". Version and dates become words, since they differ from one
day to the next. Exit status 0: all are equal; 1: some are not; 2: an output could not be made.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from tracked import copy_tracked  # noqa: E402

INPUTS = ["results", "search_spaces", "kernel_sources", "tests/data/t1"]
LIST = Path(__file__).resolve().with_name("golden.sha256")

# Strategies whose questions follow from integers and comparisons alone, on every machine.
REPLAYED = ["exhaustive", "random", "genetic", "differential_evolution", "tabu", "pattern_search",
            "iterated_local_search"]


class Broken(Exception):
    """An output could not be made, or cannot be the same everywhere."""


@dataclass
class Step:
    """One command and the outputs that it makes: names, and the files they are in (None: standard output)."""

    arguments: list
    outputs: dict
    kind: str = "text"  # "check": a report with measured figures; "study": YAML with the path of a source


class Maker:
    """Runs the steps; OUT in their arguments is a folder for their files."""

    def __init__(self, tuner, out, root):
        self.tuner, self.out, self.root = tuner, Path(out), root
        # Nothing of this machine is to be found: no plugins of others, no device, no width of a terminal.
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TUNER_")}
        self.environment |= {"HOME": str(out), "LC_ALL": "C.UTF-8", "CUDA_VISIBLE_DEVICES": "",
                             "XDG_CACHE_HOME": str(out)}
        version = self.run(["--version"]).split()
        self.version = version[-1].decode() if version else ""

    def run(self, arguments):
        words = [word.replace("OUT", str(self.out)) for word in arguments]
        done = subprocess.run([self.tuner, *words], cwd=self.root, env=self.environment, capture_output=True,
                              check=False)
        if done.returncode != 0:
            raise Broken(f"{self.command(arguments)}\n  ended with status {done.returncode}: "
                         + done.stderr.decode(errors="replace").strip())
        return done.stdout

    def command(self, arguments):
        return shlex.join([str(self.tuner), *arguments])

    def make(self, step):
        """{name: (command, normalised bytes)} of a step."""
        printed = self.run(step.arguments)
        made = {}
        for name, file in step.outputs.items():
            data = printed if file is None else Path(file.replace("OUT", str(self.out))).read_bytes()
            text = self.normalised(data, step.kind)
            for folder in (self.root, self.out):
                if str(folder).encode() in text:
                    raise Broken(f"{self.command(step.arguments)}\n  its output names the folder {folder}")
            made[name] = (self.command(step.arguments), text)
        return made

    def normalised(self, data, kind):
        if kind == "check":
            report = json.loads(data)
            for measured in ("build_seconds", "peak_bytes", "reads"):  # headers of the machine are read, too
                report.pop(measured, None)
            # What a constraint removes is counted as far as there is time for, and estimated from there.
            report["constraints"] = [one["constraint"] for one in report.get("constraints", [])]
            data = json.dumps(report, indent=1, sort_keys=True).encode()
        if kind == "study":
            data = re.sub(rb'source: ".*/', b'source: "', data)
        data = re.sub(rb"(# Unedited, so that tuner may replace it: )[0-9a-f]{32}\n", rb"\g<1>DIGEST\n", data)
        data = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?", b"DATE", data)
        if self.version:
            version = re.escape(self.version.encode())
            data = re.sub(rb"(Made by tuner |\"autotuner_version\": \"|\btuner )" + version,
                          rb"\g<1>VERSION", data)
        return data


def sizes_of(folder):
    """The labels of the ranked CSV files in a folder, such as M1024_N1024, with --size's form of each."""
    found = []
    for file in sorted(folder.glob("*.csv")):
        dims = re.findall(r"([A-Za-z]\w*?)(\d+)(?:_|$)", file.stem)
        found.append((file.stem, ",".join(f"{name}={extent}" for name, extent in dims)))
    return found


def export_steps(study, device, name):
    """Every format of one device's ranked CSV files."""
    export = ["export", study, "--from", device]

    def whole(form, *options, file=None):
        return Step([*export, *options], {f"{name}/{form}": file})

    yield whole("header", "--format", "header")
    yield whole("header-within-5%", "--format", "header", "--within", "5%")
    yield Step([*export, "--format", "launcher", "-o", f"OUT/{name}/launcher"],
               {f"{name}/launcher.hpp": f"OUT/{name}/launcher.hpp",
                f"{name}/launcher.cu": f"OUT/{name}/launcher.cu",
                f"{name}/launcher.inl": f"OUT/{name}/launcher.inl"})
    yield whole("json", "--format", "json")
    if all(size.count(",") < 3 for _, size in sizes_of(ROOT / device)):  # it knows three dimensions
        yield whole("wisdom", "--format", "wisdom")
    yield whole("evaluate", "--evaluate")


def size_steps(study, device, label, size, name):
    for form in ("csv", "t4", "defines"):
        yield Step(["export", study, "--from", f"{device}/{label}.csv", "--size", size, "--format", form],
                   {f"{name}/{form}/{label}": None})


def store_steps(kernel, study, device, sizes):
    """The same from a store, after an import; the steps follow one another."""
    store = ["--results", f"OUT/{kernel}/store"]
    label, size = sizes[0]
    yield Step(["import", device, "--study", study, *store], {})
    yield Step(["results", study, *store], {f"{kernel}/store/results": None})
    yield Step(["export", study, *store, "--format", "header"], {f"{kernel}/store/header": None})
    yield Step(["export", study, *store, "--format", "json"], {f"{kernel}/store/json": None})
    yield Step(["results", study, *store, "--size", size, "--csv", "-"], {f"{kernel}/store/csv/{label}": None})


def replay_steps(kernel, study, device, label, size):
    """A recording written and searched again: the questions of strategies, their traces, the summary."""
    recording = f"OUT/{kernel}/recording.json"
    yield Step(["export", study, "--from", f"{device}/{label}.csv", "--size", size, "--format", "t4", "-o",
                recording], {})
    yield Step(["import", recording, "-o", f"OUT/{kernel}/space.yaml"],
               {f"{kernel}/recording/space.yaml": f"OUT/{kernel}/space.yaml"})
    for strategy in REPLAYED:
        trace = f"OUT/{kernel}/{strategy}.csv"
        yield Step(["run", "--replay", recording, "--strategy", strategy, "--repeats", "2", "--seed", "1",
                    "--budget", "120", "--trace", trace],
                   {f"{kernel}/replay/{strategy}": None, f"{kernel}/replay/{strategy}.trace": trace})


def chains(root):
    """Lists of steps; those of a list follow one another, lists do not need each other."""
    for study in sorted((root / "search_spaces").glob("*.yaml")):
        name = study.stem
        yield [Step(["check", f"search_spaces/{study.name}", "--json"], {f"{name}/check": None}, "check")]
    for t1 in sorted((root / "tests/data/t1").glob("*.json")):
        where = f"tests/data/t1/{t1.name}"
        yield [Step(["check", where, "--json"], {f"t1/{t1.stem}/check": None}, "check")]
        yield [Step(["import", where, "-o", f"OUT/{t1.stem}.yaml"],
                    {f"t1/{t1.stem}/study": f"OUT/{t1.stem}.yaml"}, "study")]
    for folder in sorted((root / "results").glob("*/nvidia-*")):
        kernel = folder.parent.name
        study, device, name = f"search_spaces/{kernel}.yaml", f"results/{kernel}/{folder.name}", \
            f"{kernel}/{folder.name}"
        sizes = sizes_of(folder)
        for step in export_steps(study, device, name):
            yield [step]
        for label, size in sizes:
            yield list(size_steps(study, device, label, size, name))
        yield list(store_steps(kernel, study, device, sizes))
        yield list(replay_steps(kernel, study, device, *sizes[0]))


def outputs_of(maker, jobs):
    """{name: (command, bytes)} of everything."""
    def follow(steps):
        made = {}
        for step in steps:
            for name in (step.arguments[-1], *filter(None, step.outputs.values())):
                if name.startswith("OUT/"):
                    Path(name.replace("OUT", str(maker.out))).parent.mkdir(parents=True, exist_ok=True)
            made.update(maker.make(step))
        return made

    outputs = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for made in pool.map(follow, chains(maker.root)):
            outputs.update(made)
    return outputs


def sums_of(outputs):
    return {name: hashlib.sha256(data).hexdigest() for name, (_, data) in outputs.items()}


def read_list(file):
    lines = file.read_text().splitlines() if file.exists() else []
    return {name: total for total, name in (line.split("  ", 1) for line in lines)}


def write_list(file, sums):
    file.write_text("".join(f"{total}  {name}\n" for name, total in sorted(sums.items())))


def differences(expected, outputs):
    """One paragraph for each output that is not as it was."""
    told = []
    sums = sums_of(outputs)
    for name in sorted(expected.keys() | sums.keys()):
        if name not in sums:
            told.append(f"GONE     {name}\n  is in the list, and nothing makes it any more")
        elif name not in expected:
            told.append(f"NEW      {name}\n  is not in the list; made by: {outputs[name][0]}")
        elif sums[name] != expected[name]:
            told.append(f"DIFFERS  {name}\n  sum {sums[name][:16]}, was {expected[name][:16]}, "
                        f"{len(outputs[name][1])} bytes\n  made by: {outputs[name][0]}")
    return told


def write_outputs(folder, outputs):
    for name, (_, data) in outputs.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


HINT = """
Run such a command in the root of the repository with the program before and after the change (OUT is any
folder), or all of them: golden.py --tuner OLD --write a, golden.py --tuner NEW --write b, diff -r a b.
If inputs changed (results/, search_spaces/, kernel_sources/), or the change is meant: golden.py --update."""


def compare(file, outputs):
    told = differences(read_list(file), outputs)
    if not told:
        print(f"{len(outputs)} outputs are as they were")
        return 0
    print("\n".join(told))
    print(f"{len(told)} of {len(outputs)} outputs are not as they were\n{HINT}")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tuner", required=True, help="the program")
    parser.add_argument("--update", action="store_true", help="write the list instead of comparing with it")
    parser.add_argument("--write", type=Path, metavar="DIR", help="leave the outputs here too")
    parser.add_argument("--list", type=Path, default=LIST, help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="commands at once")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryDirectory() as inputs:
        try:
            maker = Maker(os.path.abspath(options.tuner), out, copy_tracked(inputs, *INPUTS))
            outputs = outputs_of(maker, options.jobs)
        except Broken as broken:
            print(broken)
            return 2
    if options.write:
        write_outputs(options.write, outputs)
    if options.update:
        write_list(options.list, sums_of(outputs))
        print(f"{len(outputs)} sums written to {options.list}")
        return 0
    return compare(options.list, outputs)


if __name__ == "__main__":
    sys.exit(main())
