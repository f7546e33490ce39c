#!/usr/bin/env python3
"""Which sources clang-tidy has to look at (scripts/lint.sh).

  ninja -C BUILD -t deps | lint_changed.py COMMON STAMPS >WORK
  git diff -z --numstat ... | lint_changed.py --names

Prints "SUM SOURCE" for each source of tuner/ that was compiled and whose sum is no file in the folder STAMPS:
the sum of COMMON (a text that stands for the tool and its configuration), the source and every file of this
tree that it includes. With --names it prints the files, by their names of today, that have changed lines.
Run it in the root of the tree. How many there are goes to standard error.
"""

import hashlib
import os
import sys
from pathlib import Path

from compile_commands import is_joined


def dependencies(lines, root):
    """{source: files that it includes} of sources under tuner/, by paths relative to the root; of what ninja
    recorded, where a target's line is followed by its indented files, the source first."""
    found = {}
    files = []
    for line in [*lines, ""]:
        if line.startswith(" "):
            path = line.strip().removeprefix("../../").removeprefix(f"{root}/")
            if not path.startswith("/") and "/cmake_pch." not in path:  # precompiled, of libraries only
                files.append(path)
            continue
        sources = [file for file in files if file.startswith("tuner/") and file.endswith(".cpp")]
        if files and is_joined(files[0]):  # then it is not known which of them includes what
            headers = [file for file in files[1:] if file not in sources]
            found.update(dict.fromkeys(sources, headers))
        elif files[:1] == sources[:1] and sources:
            found[files[0]] = files[1:]
        files = []
    return found


def sum_of(common, files):
    total = hashlib.sha256(f"{common}\n".encode())
    for file in files:
        total.update(Path(file).read_bytes())
    return total.hexdigest()


def changed(sources, common, stamps):
    """(sum, source) of each that is to be looked at. Generated sources are not ours to mend."""
    for source, included in sorted(sources.items()):
        if not os.path.isfile(source):
            continue
        total = sum_of(common, [source, *(file for file in included if os.path.isfile(file))])
        if not (Path(stamps) / total).exists():
            yield total, source


def names_of(numstat):
    """Names of today, of what `git diff -z --numstat` says of files with changed lines. A renamed file is
    "added TAB deleted TAB NUL old NUL new NUL", another "added TAB deleted TAB name NUL"."""
    parts = iter(numstat.split("\0"))
    for part in parts:
        if not part:
            continue
        added, deleted, name = part.split("\t")
        if not name:
            next(parts)
            name = next(parts)
        if (added, deleted) != ("0", "0"):
            yield name


def main():
    if sys.argv[1:] == ["--names"]:
        print("\n".join(names_of(sys.stdin.read())))
        return
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sources = dependencies(sys.stdin.read().splitlines(), os.getcwd())
    work = list(changed(sources, *sys.argv[1:]))
    for total, source in work:
        print(total, source)
    print(f"{len(sources)} files, {len(work)} of them changed since they were clean", file=sys.stderr)


if __name__ == "__main__":
    main()
