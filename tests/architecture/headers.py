#!/usr/bin/env python3
"""Compiles by itself each header of tuner/ that has no source of its own: headers.py ROOT BUILD

A header with a source of the same name is the first that its source includes (scripts/house.py says
so), and with that it is compiled alone, in a build without precompiled headers. The others are compiled here, with the flags of a source in
their folder, else of any, from BUILD/compile_commands.json.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from compile_commands import options_by_source


def flags_by_folder(root, build):
    """The compiler's words for each folder of tuner/, without what to compile and where to put it."""
    found = {}
    for source, (words, _) in options_by_source(build).items():
        source = pathlib.Path(source).resolve()
        if source.is_relative_to(root / "tuner"):
            found.setdefault(source.parent, words[1:] if "ccache" in words[0] else words)
    return found


def lone_headers(root):
    return [
        header
        for header in sorted((root / "tuner").rglob("*.h"))
        if not header.with_suffix(".cpp").exists() and "runtime" not in header.parts
    ]


def complaint(header, root, words):
    """What the compiler says of it; empty when it is content."""
    text = f'#include "{header.relative_to(root)}"\n'
    done = subprocess.run(
        words + ["-fsyntax-only", f"-I{root}", "-x", "c++", "-"],
        input=text, text=True, capture_output=True, check=False)
    return "" if done.returncode == 0 else f"{header.relative_to(root)}:\n{done.stderr}"


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    flags = flags_by_folder(root, build)
    headers = lone_headers(root)
    usual = flags[root / "tuner" / "measure"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(
            lambda header: complaint(header, root, flags.get(header.parent, usual)), headers))
    bad = [one for one in said if one]
    print("\n".join(bad) or f"{len(headers)} headers compile alone")
    return 1 if bad or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
