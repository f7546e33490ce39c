#!/usr/bin/env python3
"""Files that mean harm: none makes the program crash, hang, or eat memory, and none gets into what it exports.

    hostile_files.py --tuner build/release/bin/tuner --rounds 2000 --seed 7
    hostile_files.py --tuner build/release/bin/tuner --minutes 30

Each round damages one file (a database, a Kernel Tuner cache, T4, ranked CSV, device.json, a study, a T1
file) by flipped bytes, a hostile cell or value, words in other places, or a cut, and runs the commands that
read it. None of them takes a minute or leaves a file outside of its folder. Then each of sixteen texts
becomes the value of a parameter, the name of a device and a metric of recorded results; headers that are exported
from them compile without a warning, and JSON gives the text back. Exit status 0 when nothing happened.
"""

import argparse
import json
import pathlib
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
DATA = TESTS / "data" / "studies"
SECONDS = 60  # for one command: busy machines are slow
STATUSES = (0, 1, 2, 3)

TEXTS = ['"', "\\", "*/", "/*", "//", "??/", ')txt"', "\n#error x", "\r", "\t", "'; DROP TABLE trials; --",
         "a b -include /etc/hostname", "$(id)", "\u202egnp", "\x1b[31m", "<script>alert(1)</script>"]

VALUES = [None, True, -1, 0, 1e308, -1e308, 1e-320, 2**63, -2**63, 2**70, "", "x" * 5000, "\x1b[31m", [], {}, [[[[]]]],
          "NaN", "1e999", {"a": {"b": {}}}]


class Bench:
    def __init__(self, tuner, gigabytes, kept):
        self.kept = pathlib.Path(kept).resolve() if kept else None
        self.memory = gigabytes << 30
        self.tuner = str(pathlib.Path(tuner).resolve())
        self.outside = pathlib.Path(tempfile.mkdtemp(prefix="tuner-hostile-"))
        self.root = self.outside / "a" / "b" / "c"
        self.failures = []
        self.commands = 0
        self.slowest = 0.0
        for folder in (self.root, self.outside / "home", self.outside / "temporary"):
            folder.mkdir(parents=True)
        self.around = self.look_around()

    def look_around(self):
        """What is beside the folder that commands work in: their home, their temporary files, the folders above."""
        return {str(path) for path in self.outside.rglob("*") if self.root not in path.parents}

    def limit(self):
        if self.memory:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))

    def run(self, *words):
        self.commands += 1
        begin = time.monotonic()
        try:
            done = subprocess.run([self.tuner, *map(str, words)], cwd=self.root, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS, check=False, errors="replace",
                                  env={"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(self.root / "cache"),
                                       "HOME": str(self.outside / "home"),
                                       "TMPDIR": str(self.outside / "temporary")},
                                  preexec_fn=self.limit)
        except subprocess.TimeoutExpired:
            self.failures.append(f"no end: {words}{self.keep(words)}")
            return None
        self.slowest = max(self.slowest, time.monotonic() - begin)
        said = done.stdout + done.stderr
        if done.returncode not in STATUSES or "std::" in done.stderr or "Sanitizer" in said:
            self.failures.append(f"status {done.returncode}: {words}\n{said[-400:]}{self.keep(words)}")
        unasked = self.look_around() - self.around
        if unasked:
            self.failures.append(f"files that nobody asked for: {words}: {sorted(unasked)}{self.keep(words)}")
            self.around |= unasked
        return done

    def keep(self, words):
        """A copy of the files that a command has read, since they are removed at the end."""
        if not self.kept:
            return ""
        folder = self.kept / str(self.commands)
        for word in words:
            if (self.root / str(word)).is_file():
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.root / str(word), folder)
        return f"\n  kept in {folder}"

    def set_up(self):
        for name in ("tiny.yaml", "tiny.cu"):
            shutil.copy(DATA / name, self.root / name)
        self.run("run", "tiny.yaml", "--backend", "cpu", "--size", "n=3000", "--progress", "none", "--budget", "6",
                 "--results", "good")
        self.run("export", "tiny.yaml", "--results", "good", "--format", "t4", "--size", "n=3000", "-o", "good.t4.json")
        for folder in (TESTS.parent / "kernel_sources", TESTS.parent / "search_spaces", DATA, TESTS / "data" / "t1"):
            shutil.copytree(folder, self.root / folder.name)
        csv = next((self.root / "good").rglob("n3000.csv"))
        (self.root / "cache.json").write_text(json.dumps(cache_of({"BLOCK": 32, "PER": 1}, {"BLOCK": 64, "PER": 2})))
        return csv


def cache_of(*configurations, device="d"):
    names = list(configurations[0])
    entries = {",".join(str(value) for value in one.values()): {**one, "time": 1.0 + place, "GFLOP/s": 5.0 + place}
               for place, one in enumerate(configurations)}
    return {"device_name": device, "kernel_name": "k", "problem_size": [3000], "tune_params_keys": names,
            "tune_params": {name: [one[name] for one in configurations] for name in names},
            "objective": "time", "cache": entries}


def mutate_bytes(draw, raw):
    raw = bytearray(raw)
    kind = draw.randrange(3)
    if kind == 0 and len(raw) > 1:
        return bytes(raw[:draw.randrange(1, len(raw))])
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(raw))
        if kind == 1:
            raw[at] = draw.randrange(256)
        else:
            raw[at:at] = draw.choice([b"\x00", b"{", b"[" * 200, b'"', b"-1e999", b"\xff", b",,,", b"\n"])
    return bytes(raw)


WORDS = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*|[0-9.]+|\s+|.", re.DOTALL)
PARTS = [b"*a", b"&a ", b"<<: ", b"- ", b"{", b"[", b"\t", b"\r\n", b"\xef\xbb\xbf", b"---\n", b"!!binary ", b"|\n",
         b"%", b"\\", b"device", b"2**62", b"-1", b"0", b"1e999", b"0x", b"range", b"{range: [1, 99999999]}", b"../", b"/dev/zero",
         b"ceil_div(", b"// 0", b"in", b"not", b"for", b"'", b'"', "\u202e\u00e9".encode(), b"\xed\xa0\x80"]


def mutate_words(draw, raw):
    """A text whose words or lines change places, go, come twice, or give way to others."""
    by_line = draw.random() < 0.4
    words = raw.splitlines(keepends=True) if by_line else WORDS.findall(raw)
    for _ in range(draw.randrange(1, 4)):
        at, other = draw.randrange(len(words)), draw.randrange(len(words))
        kind = draw.randrange(5)
        if kind == 0:
            words[at], words[other] = words[other], words[at]
        elif kind == 1 and len(words) > 1:
            del words[at]
        elif kind == 2:
            words.insert(at, words[other])
        elif kind == 3:
            words.insert(at, draw.choice(PARTS))
        else:
            words[at] = draw.choice(PARTS)
    return b"".join(words)


def places(document, path=()):
    """Every place of a JSON document, by path."""
    yield path
    items = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def mutate_json(draw, raw):
    try:
        document = json.loads(raw)
    except ValueError:
        return mutate_bytes(draw, raw)
    path = draw.choice([place for place in places(document) if place])
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = draw.choice(VALUES)
    return json.dumps(document).encode()


def mutate_csv(draw, raw):
    lines = raw.decode().split("\n")
    row = draw.randrange(len(lines) - 1)
    cells = lines[row].split(",")
    cells[draw.randrange(len(cells))] = str(draw.choice(VALUES + TEXTS + ["300000000", "999999999999", "-5"]))
    lines[row] = ",".join(cells)
    return "\n".join(lines).encode()


def mutate_store(draw, file):
    if draw.random() < 0.5:
        file.write_bytes(mutate_bytes(draw, file.read_bytes()))
        return
    database = sqlite3.connect(file)
    try:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = draw.choice(tables)
        column = draw.choice([row[1] for row in database.execute(f"PRAGMA table_info({table})")])
        value = draw.choice([None, -1, 2**62, 0.5, "", "x" * 9999, b"\xff\x00" * 50, "{", '{"a":[[[[[', "\x1b[31m"])
        database.execute(f"UPDATE {table} SET {column} = ?", (value,))
        database.commit()
    except sqlite3.Error:
        pass  # this cell takes no such value
    finally:
        database.close()


def damage_store(bench, draw):
    folder = bench.root / "bad"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(bench.root / "good", folder)
    mutate_store(draw, folder / "tuner.sqlite")
    bench.run("results", "bad")
    bench.run("results", "tiny.yaml", "--results", "bad")
    bench.run("export", "tiny.yaml", "--results", "bad", "--format", "json")
    bench.run("import", "bad/tuner.sqlite", "--results", "into")
    shutil.rmtree(bench.root / "into", ignore_errors=True)


def damage_recording(bench, draw, name):
    raw = (bench.root / name).read_bytes()
    bad = bench.root / "bad.json"
    bad.write_bytes(mutate_json(draw, raw) if draw.random() < 0.6 else mutate_bytes(draw, raw))
    bench.run("run", "--replay", bad, "--strategy", "random", "--progress", "none")
    bench.run("import", bad, "--study", "tiny.yaml", "--size", "n=3000", "--device", "d", "--results", "into")
    shutil.rmtree(bench.root / "into", ignore_errors=True)


def damage_folder(bench, draw, csv):
    folder = bench.root / "rows"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(csv.parent.parent, folder)
    device = next(folder.rglob("device.json"))
    rows = next(folder.rglob("*.csv"))
    if draw.random() < 0.5:
        device.write_bytes(mutate_json(draw, device.read_bytes()))
    else:
        rows.write_bytes(mutate_csv(draw, rows.read_bytes()) if draw.random() < 0.6
                         else mutate_bytes(draw, rows.read_bytes()))
    bench.run("export", "tiny.yaml", "--from", "rows", "--format", "header")
    bench.run("export", "tiny.yaml", "--from", "rows", "--format", "json")


def damage_study(bench, draw, studies):
    sound = draw.choice(studies)
    whole = sound.read_bytes()
    study = sound.parent / "bad.yaml"
    study.write_bytes(mutate_words(draw, whole) if draw.random() < 0.7 else mutate_bytes(draw, whole))
    small = b"tiny.cu" in whole
    compiled = ["--compile", "--arch", "cpu", "--limit", "2", "--timeout", "15"] if draw.random() < 0.3 else []
    bench.run("check", study, *(compiled or draw.choice([[], ["--json"], ["--sample", "3"]])))
    if small and draw.random() < 0.5:
        bench.run("results", study, "--results", "good")
        form = draw.choice(["header", "json", "defines", "launcher"])
        bench.run("export", study, "--results", "good", "--format", form, "-o", "out")


def damage_t1(bench, draw, spaces):
    sound = draw.choice(spaces)
    raw = sound.read_bytes()
    bad = bench.root / "t1" / "bad.json"
    bad.write_bytes(mutate_json(draw, raw) if draw.random() < 0.6 else mutate_words(draw, raw)
                    if draw.random() < 0.7 else mutate_bytes(draw, raw))
    bench.run("check", bad, *draw.choice([[], ["--json"], ["--sample", "3"]]))
    bench.run("import", bad, "-o", "imported.yaml", "--force")


def inject(bench, text):
    """The text in every place of exported files that recorded results can reach."""
    quoted = json.dumps(text)
    bench.root.joinpath("hostile.yaml").write_text(
        "schema: 1\nkernel: {name: k, source: k.cu, entry: k}\nproblem_sizes: [{n: 3000}]\n"
        f"parameters:\n  S: [{quoted}, plain]\n  N: [1, 2]\nconstraints: ['S != \"other\"']\n"
        "launch: {block: [N], grid: [1]}\narguments: [{name: y, type: float32, shape: [n], role: out}]\n",
        encoding="utf-8")
    bench.root.joinpath("k.cu").write_text('extern "C" __global__ void k(float* y) { y[0] = 1; }\n')
    recording = cache_of({"S": text, "N": 1}, {"S": "plain", "N": 2}, device="d" + text)
    bench.root.joinpath("hostile.json").write_text(json.dumps(recording))
    shutil.rmtree(bench.root / "into", ignore_errors=True)
    done = bench.run("import", "hostile.json", "--study", "hostile.yaml", "--size", "n=3000", "--results", "into")
    if done is None or done.returncode != 0:
        return f"not imported: {done.stderr if done else ''}"
    shown = bench.run("results", "into")
    if "\x1b" in shown.stdout or "\u202e" in shown.stdout:
        return "reaches the terminal"
    whole = json.loads(bench.run("export", "hostile.yaml", "--results", "into", "--format", "json").stdout)
    if text not in json.dumps(whole, ensure_ascii=False) and quoted not in json.dumps(whole):
        return "is not in the JSON"
    bench.run("export", "hostile.yaml", "--results", "into", "--format", "header", "-o", "hostile.h", "--force")
    launcher = bench.run("export", "hostile.yaml", "--results", "into", "--format", "launcher", "-o", "launch_k", "--force")
    if launcher.returncode not in (0, 2):
        return "no launcher: " + launcher.stderr
    bench.root.joinpath("use.cpp").write_text('#include "hostile.h"\nint main() {}\n')
    compiled = subprocess.run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "use.cpp"],
                              cwd=bench.root, capture_output=True, text=True, check=False)
    return compiled.stderr[-400:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tuner", required=True)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--minutes", type=float, help="go on for that long, whatever the rounds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gigabytes", type=int, default=3, help="of addresses for a command; 0: no limit")
    parser.add_argument("--keep", help="a folder for the studies that failed")
    options = parser.parse_args()
    bench = Bench(options.tuner, options.gigabytes, options.keep)
    draw = random.Random(options.seed)
    rounds = 0
    try:
        csv = bench.set_up()
        small = [bench.root / "studies" / name for name in ("tiny.yaml", "domain.yaml", "stencil.yaml")]
        studies = small * 4 + sorted((bench.root / "search_spaces").rglob("*.yaml"))
        spaces = [bench.root / "t1" / "scale.json", *sorted((TESTS / "data" / "spaces").glob("*.json"))]
        kinds = [lambda: damage_store(bench, draw), lambda: damage_recording(bench, draw, "cache.json"),
                 lambda: damage_recording(bench, draw, "good.t4.json"), lambda: damage_folder(bench, draw, csv),
                 lambda: damage_study(bench, draw, studies), lambda: damage_t1(bench, draw, spaces)]
        until = time.monotonic() + 60 * (options.minutes or 0)
        while time.monotonic() < until if options.minutes else rounds < options.rounds:
            kinds[rounds % len(kinds)]()
            rounds += 1
        for text in TEXTS:
            wrong = inject(bench, text)
            if wrong:
                bench.failures.append(f"{text!r}: {wrong}")
    finally:
        shutil.rmtree(bench.outside, ignore_errors=True)
    for failure in bench.failures[:20]:
        print(failure)
    print(f"{rounds} damaged files, {bench.commands} commands, {len(TEXTS)} texts, {bench.slowest:.1f} s at most: "
          f"{len(bench.failures)} failures (seed {options.seed})")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
