#!/usr/bin/env python3
"""Follows a page of the documentation as a reader would: follow.py --tuner PROGRAM PAGE.md

Works in an empty folder of its own, which a page may fill: a block behind a line that is nothing but a
file's name in backquotes and a colon is that file. Blocks of `sh` are commands and must end with status
0; a block of `text` behind one is what it prints, of which blanks, and numbers where times stand, may differ, and a
line `...` stands for any lines, `...` at the end of one for any end. `--copy FOLDER` puts files there first,
`--within FOLDER` a folder with its name. The backend is the CPU's.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)\s*$")
NAMED = re.compile(r"^`([\w./-]+)`:$")
SKIP = "<!-- not followed"


def blocks_of(page):
    """(kind, name, text, line) of each fenced block; name: of the file that it is."""
    lines = page.read_text().split("\n")
    out, at, name, skipped = [], 0, None, False
    while at < len(lines):
        line = lines[at]
        fence = FENCE.match(line)
        if fence:
            end = next(i for i in range(at + 1, len(lines)) if lines[i] == "```")
            kind = "skipped" if skipped else fence.group(1)
            out.append((kind, name, "\n".join(lines[at + 1 : end]) + "\n", at + 1))
            at, name, skipped = end, None, False
        elif line.strip():
            named = NAMED.match(line)
            name = named.group(1) if named else None
            skipped = line.startswith(SKIP)
        at += 1
    return out


def shape_of(line):
    """What two runs have in common: without numbers, signs of ties, and how far blanks reach."""
    line = re.sub(r"[±=*~]", " ", line)
    if line.startswith("rank"):  # the column is there where times were close enough for a final
        line = re.sub(r" by ", " ", line)
    line = re.sub(r"[-+]?\d[\d.,]*(e[-+]?\d+)?%?", "#", line)
    return re.sub(r"\s+", " ", line).strip()


def matches(expected, actual):
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and same(expected[0], actual[0]) and matches(expected[1:], actual[1:])


def same(expected, actual):
    if expected.endswith(" ..."):
        return actual.startswith(expected[:-3])
    return expected == actual


def shapes(text):
    return [shape for shape in map(shape_of, text.split("\n")) if shape]


class Reader:
    def __init__(self, tuner, page, folder):
        self.page = page
        self.folder = folder
        self.environment = dict(os.environ, TUNER_PLUGIN_PATH="", XDG_CACHE_HOME=str(folder / ".cache"))
        self.environment["PATH"] = f"{tuner.parent}:{os.environ['PATH']}"
        self.printed = None

    def take(self, kind, name, text, line):
        if name:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)
        elif kind == "sh":
            self.printed = "".join(self.run(command, line) for command in commands_of(text))
        elif kind == "text" and self.printed is not None:
            if not matches(shapes(text), shapes(self.printed)):
                sys.exit(f"{self.page}:{line}: it says\n{text}\nbut this is printed:\n{self.printed}")

    def run(self, command, line):
        print(f"$ {command}", flush=True)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        if done.returncode != 0:
            sys.exit(f"{self.page}:{line}: '{command}' ends with {done.returncode}:\n{done.stdout}")
        return done.stdout


def commands_of(text):
    """Lines, without those that are comments, and continued ones joined."""
    lines = text.replace("\\\n", " ").split("\n")
    return [line for line in lines if line.strip() and not line.startswith("#")]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tuner", required=True, type=pathlib.Path)
    arguments.add_argument("--copy", action="append", default=[], type=pathlib.Path)
    arguments.add_argument("--within", action="append", default=[], type=pathlib.Path)
    arguments.add_argument("page", type=pathlib.Path)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="tuner-docs-") as folder:
        for source in given.within:
            shutil.copytree(source, pathlib.Path(folder) / source.name)
        for source in given.copy:
            shutil.copytree(source, folder, dirs_exist_ok=True)
        reader = Reader(given.tuner.resolve(), given.page, pathlib.Path(folder))
        for block in blocks_of(given.page):
            reader.take(*block)
    print(f"{given.page}: everything works as it says")


if __name__ == "__main__":
    main()
