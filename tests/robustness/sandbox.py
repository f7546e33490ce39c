"""What the robustness tests share: a folder of their own, runs of the program in it, and a look at
what is left behind."""

import csv
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
STUDY = HERE / "kill.yaml"
HEALTHY_STUDY = HERE / "kill_healthy.yaml"
PARAMETERS = ("FAULT", "BLOCK", "ROUND")
SKIPPED = 77  # CTest's word for it: see CMakeLists.txt


class Failure(Exception):
    """A guarantee that did not hold."""


def expect(holds, message):
    if not holds:
        raise Failure(message)


class Sandbox:
    """Everything that a run touches: results, cache and temporary files. Its path is in the
    environment of every process that is started in it, which tells them from all others."""

    def __init__(self, tuner):
        self.tuner = str(pathlib.Path(tuner).resolve())
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tuner-robust-"))
        self.temporary = self.root / "tmp"
        self.temporary.mkdir()
        self.runs = 0

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def start(self, *words, cache="cache", **variables):
        self.runs += 1
        log = self.root / f"log{self.runs}"
        environment = dict(os.environ, TMPDIR=str(self.temporary),
                           XDG_CACHE_HOME=str(self.root / cache), **variables)
        with open(log, "wb") as sink:
            process = subprocess.Popen([self.tuner, *map(str, words)], cwd=self.root, stdout=sink,
                                       stderr=sink, stdin=subprocess.DEVNULL, env=environment)
        process.log = log
        return process

    def run(self, *words, **keywords):
        process = self.start(*words, **keywords)
        process.wait(timeout=300)
        return process.returncode, process.log.read_text(errors="replace")

    def processes(self):
        """Living processes of this sandbox: pid -> command line."""
        mark = str(self.root).encode()
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                environment = pathlib.Path("/proc", entry, "environ").read_bytes()
                command = pathlib.Path("/proc", entry, "cmdline").read_bytes()
            except OSError:
                continue
            if mark in environment:
                found[int(entry)] = command.replace(b"\0", b" ").decode(errors="replace").strip()
        return found

    def left_over_files(self):
        """Temporary files, wherever they may be."""
        left = [str(path) for path in self.temporary.iterdir()]
        for path in self.root.rglob("*.tmp*"):
            left.append(str(path))
        return left

    def expect_nothing_left(self, seconds=120):
        """No process, no temporary file. Children of a killed coordinator get a moment to die."""
        until = time.monotonic() + seconds
        while (self.processes() or self.left_over_files()) and time.monotonic() < until:
            time.sleep(0.02)
        expect(not self.processes(), f"orphans: {self.processes()}")
        expect(not self.left_over_files(), f"left over: {self.left_over_files()}")


def run_words(results, *more, study=STUDY):
    return ("run", study, "--backend", "cpu", "--jobs", "2", "--progress", "json", "--results",
            results, *more)


def events(process):
    """The trials that a run reported, as {configuration: event}; its last line may be torn."""
    trials = {}
    for line in process.log.read_text(errors="replace").splitlines():
        if not line.startswith("{"):
            continue
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            continue
        if event.get("event") != "trial":
            continue
        key = tuple(str(event["configuration"][name]) for name in PARAMETERS)
        expect(key not in trials, f"{key} was reported twice by one run")
        trials[key] = event
    return trials


def stored(results):
    """Trials in the database by configuration, and what is in flight: {configuration: deaths}."""
    file = pathlib.Path(results) / "tuner.sqlite"
    if not file.exists():
        return {}, {}
    database = sqlite3.connect(file)
    try:
        expect(database.execute("PRAGMA integrity_check").fetchone()[0] == "ok",
               "the database is damaged")
        if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'trials'").fetchone():
            return {}, {}

        def key(text):
            return tuple(str(json.loads(text)[name]) for name in PARAMETERS)

        trials = {key(c): state for c, state in
                  database.execute("SELECT configuration, state FROM trials")}
        flying = {key(c): deaths for c, deaths in database.execute(
            "SELECT configuration, deaths FROM in_flight WHERE session IS NOT NULL")}
        return trials, flying
    finally:
        database.close()


def ranking(results):
    """The final CSV without what a clock decides: {configuration: facts}."""
    (file,) = pathlib.Path(results).glob("twice/*/n3000.csv")
    facts = {}
    with open(file, newline="") as text:
        for row in csv.DictReader(text):
            healthy = row["state"] in ("ok", "dropped")  # a busy machine may drop any of them
            facts[tuple(row[name] for name in PARAMETERS)] = (
                "valid" if healthy else row["state"],
                # last words hold addresses and process numbers
                "" if healthy else row["message"].partition("; its last output:")[0],
                *(row[name] for name in ("registers", "static_shared_bytes", "max_error")))
    return facts


def kill(process, number=signal.SIGKILL):
    if process.poll() is None:
        process.send_signal(number)
