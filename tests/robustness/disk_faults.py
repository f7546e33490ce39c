#!/usr/bin/env python3
"""A full disk, a read-only one, and a file where a folder should be, at every place that the tuner
writes to:

    disk_faults.py --tuner build/release/bin/tuner

Each time: a clear message that names the place, an exit status that is not 0, and earlier results
that are whole and readable; a trouble with the artifact cache costs only a warning. Small file systems
in memory are mounted, in a mount namespace of their own, for which it takes root or user namespaces;
where there are neither the test is skipped.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from sandbox import (SKIPPED, STUDY, Failure, Sandbox, events, expect, ranking, run_words, stored)

NAMESPACE = "TUNER_DISK_FAULTS_NAMESPACE"
FULL = r"disk is full|No space left on device"
READ_ONLY = r"read-only|Read-only file system"
NO_FOLDER = r"Not a directory|File exists|unable to open"


BUILT_COMMAND = """schema: 1
command:
  name: built
  sources: [p]
  run: ./p {N}
  metrics: {pattern: "time: (?<time_s>[0-9.]+) s"}
problem_sizes:
  - {N: 1}
parameters: {A: [1, 2]}
"""


def enter_namespace():
    """Starts this program again where it may mount; does not return unless it already has been."""
    if os.environ.get(NAMESPACE):
        return
    ways = [["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]]
    probe = ["sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]
    for way in ways[os.geteuid() != 0:]:
        try:
            tried = subprocess.run([*way, *probe], capture_output=True, check=False)
        except FileNotFoundError:
            break
        if tried.returncode == 0:
            os.environ[NAMESPACE] = "1"
            os.execvp(way[0], [*way, sys.executable, *sys.argv])
    print("SKIPPED: no file system can be mounted here: disk faults are not tested")
    sys.exit(SKIPPED)


class Disk:
    """A small file system in memory."""

    def __init__(self, folder, kib=2048):
        self.folder = folder
        self.filler = folder / "filler"
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder], check=True)

    def fill(self, free_kib=0):
        """Leaves so much room."""
        facts = os.statvfs(self.folder)
        size = facts.f_bavail * facts.f_frsize - free_kib * 1024
        with open(self.filler, "wb") as file:
            for _ in range(size // 4096):
                file.write(bytes(4096))

    def empty(self):
        self.filler.unlink(missing_ok=True)

    def remount(self, how):
        subprocess.run(["mount", "-o", f"remount,{how}", self.folder], check=True)

    def close(self):
        """What cleans up behind a compiler that was killed may outlive the run for a moment."""
        for _ in range(50):
            if subprocess.run(["umount", self.folder], stderr=subprocess.DEVNULL).returncode == 0:
                return
            time.sleep(0.1)
        subprocess.run(["umount", self.folder], check=True)


class Faults:
    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.root = sandbox.root
        self.cases = 0
        status, text = sandbox.run(*run_words("undisturbed"))
        expect(status == 0, text)
        self.undisturbed = ranking(self.root / "undisturbed")

    def expect_refusal(self, case, outcome, reason, place):
        """A message with a reason and the place, and not a word from a crash."""
        self.cases += 1
        status, text = outcome
        last = text[-1500:]
        expect(status in (1, 2, 3), f"{case}: status {status}\n{last}")
        expect(re.search(reason, text), f"{case}: no reason\n{last}")
        expect(place in text, f"{case}: no word of {place}\n{last}")
        expect("terminate called" not in text, f"{case}: {last}")

    def expect_right(self, case, results, **keywords):
        status, text = self.sandbox.run(*run_words(results), **keywords)
        expect(status == 0, f"{case}: status {status}\n{text}")
        expect(ranking(self.root / results) == self.undisturbed, f"{case}: another ranking")

    def with_earlier_results(self, folder, budget=8):
        status, text = self.sandbox.run(*run_words(folder, "--budget", budget))
        expect(status == 0, text)
        return stored(self.root / folder)[0]

    def expect_earlier(self, case, folder, earlier):
        """They are there, and `tuner results` shows them."""
        now, _ = stored(self.root / folder)
        for key, state in earlier.items():
            expect(now.get(key) == state, f"{case}: {key} was {state} and is {now.get(key)}")
        status, text = self.sandbox.run("results", folder)
        expect(status == 0, f"{case}: results: {text}")

    def store(self):
        for free in (0, 4, 16, 40, 48, 64, 96, 128, 192, 256):
            case = f"store, {free} KiB free"
            disk = Disk(self.root / "disk")
            earlier = self.with_earlier_results("disk")
            disk.fill(free)
            process = self.sandbox.start(*run_words("disk"))
            status = process.wait(timeout=300)
            text = process.log.read_text()
            if status != 0:  # else there was room enough
                self.expect_refusal(case, (status, text), FULL, "disk")
            disk.empty()
            reported = {key: event["state"] for key, event in events(process).items()}
            self.expect_earlier(case, "disk", {**earlier, **reported})
            self.expect_right(case, "disk")
            disk.close()
        disk = Disk(self.root / "disk")
        disk.fill()
        self.expect_refusal("store, nothing there and full", self.sandbox.run(*run_words("disk")),
                            FULL, "disk")
        disk.close()
        disk = Disk(self.root / "disk")
        earlier = self.with_earlier_results("disk")
        disk.remount("ro")
        self.expect_refusal("store, read-only", self.sandbox.run(*run_words("disk")), READ_ONLY,
                            "disk")
        status, text = self.sandbox.run("results", STUDY, "--results", "disk")
        expect(status == 0 and "stale" not in text, f"reading from a read-only disk: {text}")
        disk.remount("rw")
        self.expect_earlier("store, read-only", "disk", earlier)
        self.expect_right("store, read-only", "disk")
        disk.close()
        (self.root / "file").write_text("")
        self.expect_refusal("store in a file", self.sandbox.run(*run_words("file")), NO_FOLDER,
                            "file")

    def csv(self):
        """Only the folder of the rankings: everything is measured, nothing is lost."""
        for case, break_it, reason in (
                ("CSV, full", lambda disk: disk.fill(), FULL),
                ("CSV, read-only", lambda disk: disk.remount("ro"), READ_ONLY)):
            disk = Disk(self.root / "csv" / "twice")
            break_it(disk)
            self.expect_refusal(case, self.sandbox.run(*run_words("csv")), reason, "n3000.csv")
            expect(len(stored(self.root / "csv")[0]) == len(self.undisturbed), f"{case}: lost")
            disk.close()
            self.expect_right(case, "csv")
            shutil.rmtree(self.root / "csv")
        (self.root / "csv").mkdir()
        (self.root / "csv" / "twice").write_text("")
        self.expect_refusal("CSV, a file instead of a folder",
                            self.sandbox.run(*run_words("csv")), NO_FOLDER, "twice")

    def output(self):
        """What the user names: --trace, -o, --csv."""
        results = str(self.root / "undisturbed")
        commands = {
            "trace": run_words("undisturbed", "--trace", "out/file"),
            "export": ("export", STUDY, "--results", results, "--format", "json", "-o", "out/file"),
            "results": ("results", STUDY, "--results", results, "--csv", "out/file")}
        for name, words in commands.items():
            disk = Disk(self.root / "out", 64)
            disk.fill()
            self.expect_refusal(f"{name}, full", self.sandbox.run(*words), FULL, "out/file")
            disk.empty()
            disk.remount("ro")
            self.expect_refusal(f"{name}, read-only", self.sandbox.run(*words), READ_ONLY,
                                "out/file")
            disk.close()
            (self.root / "out").rmdir()
            (self.root / "out").write_text("")
            self.expect_refusal(f"{name}, a file instead of a folder", self.sandbox.run(*words),
                                NO_FOLDER, "out/file")
            (self.root / "out").unlink()
            status, text = self.sandbox.run(*words)
            expect(status == 0 and (self.root / "out" / "file").stat().st_size > 0, text)
            shutil.rmtree(self.root / "out")

    def cache(self):
        """A warning, and a run as good as any."""
        def blocked(folder):
            (folder / "tuner").write_text("")

        for case, break_it, says in (
                ("cache, full", lambda disk: disk.fill(), "are not kept"),
                ("cache, full after a while", lambda disk: disk.fill(40), "are not kept"),
                ("cache, read-only", lambda disk: disk.remount("ro"), "are not kept"),
                ("cache, a file instead of a folder", lambda disk: blocked(disk.folder),
                 "are not kept")):
            self.cases += 1
            disk = Disk(self.root / "cache-disk")
            break_it(disk)
            status, text = self.sandbox.run(*run_words("cached"), cache="cache-disk")
            expect(status == 0, f"{case}: status {status}\n{text}")
            expect(says is None or says in text, f"{case}: no warning\n{text}")
            expect(ranking(self.root / "cached") == self.undisturbed, f"{case}: another ranking")
            shutil.rmtree(self.root / "cached")
            disk.close()

    def temporary(self):
        """The compile workers' own files. No variant may be blamed for the disk."""
        for case, break_it, reason in (
                ("temporary files, full", lambda disk: disk.fill(), FULL),
                ("temporary files, full after a while", lambda disk: disk.fill(40), FULL),
                ("temporary files, read-only", lambda disk: disk.remount("ro"), READ_ONLY)):
            disk = Disk(self.sandbox.temporary)
            break_it(disk)
            outcome = self.sandbox.run(*run_words("temporary"), cache=f"cold {case}")
            self.expect_refusal(case, outcome, reason, "temporary")
            for key, state in stored(self.root / "temporary")[0].items():
                expect(state == "compile" if key[0] == "compile" else state != "compile",
                       f"{case}: {key} is blamed")
            disk.close()
            self.expect_right(case, "temporary", cache=f"cold {case}")
            shutil.rmtree(self.root / "temporary")


    def not_executable(self):
        """A temporary folder as hardened systems mount it, and a command that runs a file of its folder."""
        case = "temporary files, noexec"
        self.cases += 1
        (self.root / "built.yaml").write_text(BUILT_COMMAND)
        (self.root / "p").write_text("#!/bin/sh\necho time: 1 s\n")
        (self.root / "p").chmod(0o755)
        disk = Disk(self.sandbox.temporary)
        disk.remount("noexec")
        status, text = self.sandbox.run("run", "built.yaml", "--results", "built", cache="cold built")
        expect(status == 3 and "is mounted noexec" in text, f"{case}: status {status}\n{text}")
        expect("\n0 trials\n" in text, f"{case}: a variant is blamed\n{text}")
        disk.close()
        status, text = self.sandbox.run("run", "built.yaml", "--results", "built", cache="cold built")
        expect(status == 0, f"{case}, mended: status {status}\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuner", required=True)
    options = parser.parse_args()
    enter_namespace()
    sandbox = Sandbox(options.tuner)
    try:
        faults = Faults(sandbox)
        for place in (faults.store, faults.csv, faults.output, faults.cache, faults.temporary,
                      faults.not_executable):
            before = faults.cases
            place()
            sandbox.expect_nothing_left()
            print(f"{place.__name__}: {faults.cases - before} faults survived", flush=True)
        return 0
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    finally:
        sandbox.close()  # the mounts end with the namespace


if __name__ == "__main__":
    sys.exit(main())
