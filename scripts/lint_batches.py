#!/usr/bin/env python3
"""Joins sources into few files for clang-tidy, which spends most of its time on what they include.

    lint_batches.py BUILD FOLDER < sources

Writes FOLDER/batch-<n>.cpp, some of the sources one after another, with a compile_commands.json
that has the options of batches and of single sources, and prints a line `FOLDER/batch-<n>.cpp
SOURCE...` for each batch. What is said about a batch is what would be said about each of its sources: they are of one folder, compiled with
the same options, and none mentions a name that another one declares for itself alone. If clang-tidy
has anything to say about a batch, scripts/lint.sh looks at its sources one by one.
"""

import json
import re
import sys
from pathlib import Path

from compile_commands import options_by_source

LARGEST = 12  # sources in a batch; fewer and larger ones would keep one core waiting at the end

# Would reach into the sources that follow: such a source is the last of its batch.
REACHES_FURTHER = re.compile(r"^\s*#\s*(define|undef|pragma)|^using namespace", re.M)
ALIAS = re.compile(r"(?:using|namespace) (\w+) = (.*);")
USING = re.compile(r"using (?:[\w:]+::)?(\w+);")
TYPE = re.compile(r"(?:template ?<.*> )?(?:class|struct|union|enum|enum class) (\w+)")
OTHER = re.compile(r"(?<![:\w])(\w+)(?:\(| =|\{|;|\[)")


def own_names(text):
    """What a source declares for itself alone: name -> what an alias stands for, else None."""
    names = {}
    unnamed = False
    for line in text.splitlines():
        # The code is formatted: what is in no function or class starts in the first column.
        if line.startswith("namespace {"):
            unnamed = True
        elif line.startswith("}  // namespace"):
            unnamed = False
        elif alias := ALIAS.match(line):
            names[alias[1]] = alias[2]
        elif using := USING.match(line):
            names[using[1]] = None
        elif re.match(r"[A-Za-z]", line) and (unnamed or line.startswith("static ")):
            if found := TYPE.match(line) or OTHER.search(line):
                names[found[1]] = None
    return names


class Source:
    def __init__(self, path, options):
        self.path = path
        self.text = Path(path).read_text()
        self.names = own_names(self.text)
        self.mentions = set(re.findall(r"\w+", self.text))
        self.options = options
        # A folder's sources include much the same, and no headers that they would not know alone.
        self.group = (Path(path).parent, self.options)
        self.is_last = REACHES_FURTHER.search(self.text) is not None

    def may_follow(self, earlier):
        if earlier.is_last or earlier.group != self.group:
            return False
        shared = (earlier.names.keys() & self.mentions) | (self.names.keys() & earlier.mentions)
        return all(earlier.names.get(name) and earlier.names.get(name) == self.names.get(name)
                   for name in shared)


def read_sources(build, paths):
    options = options_by_source(build)
    return [Source(path, options[str(Path.cwd() / path)]) for path in sorted(paths)]


def make_batches(sources):
    batches = []
    for source in sources:
        for batch in batches:
            if len(batch) < LARGEST and all(source.may_follow(earlier) for earlier in batch):
                batch.append(source)
                break
        else:
            batches.append([source])
    # The largest first, so that the cores end together.
    return sorted(batches, key=lambda batch: -sum(len(source.text) for source in batch))


def main():
    build, folder = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    commands = []
    sources = read_sources(build, [line.strip() for line in sys.stdin])

    def add_command(file, source):
        options, directory = source.options
        commands.append({"directory": directory, "file": file,
                         "arguments": [*options, "-c", file]})

    for number, batch in enumerate(make_batches(sources)):
        file = folder / f"batch-{number}.cpp"
        file.write_text("\n".join(source.text for source in batch))
        add_command(str(file), batch[0])
        for source in batch:
            add_command(str(Path.cwd() / source.path), source)
        print(file, *(source.path for source in batch))
    (folder / "compile_commands.json").write_text(json.dumps(commands))


if __name__ == "__main__":
    main()
