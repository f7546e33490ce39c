#!/usr/bin/env python3
"""How long the export of each shipped domain takes, with one program or with several in turns.

    exports.py TUNER... [--rounds 1]

Each TUNER exports a header of every archive of results/domains, with its study of search_spaces/domains. Printed: the
least processor seconds of each program, and whether all headers of a domain are the same, byte for byte. Exit status
1: some are not."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def export(tuner, archive, study, header):
    """Processor seconds, and the header's text."""
    before = os.times()
    command = [tuner, "export", study, "--from", archive, "--format", "header", "-o", header]
    done = subprocess.run(command, capture_output=True, text=True)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}status {done.returncode}")
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, header.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuners", nargs="+", metavar="TUNER")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    print(f"{'domain':<18}" + "".join(f"{pathlib.Path(one).name:>16}" for one in options.tuners) + "  headers")
    all_same = True
    for archive in sorted((ROOT / "results/domains").glob("*.tar.gz")):
        name = archive.name.removesuffix(".tar.gz")
        study = ROOT / "search_spaces/domains" / f"{name}.yaml"
        seconds = [[] for _ in options.tuners]
        texts = set()
        for _ in range(options.rounds):
            for tuner, taken in zip(options.tuners, seconds):
                with tempfile.TemporaryDirectory() as folder:
                    used, text = export(tuner, archive, study, pathlib.Path(folder) / "tuned.h")
                taken.append(used)
                texts.add(text)
        all_same = all_same and len(texts) == 1
        print(f"{name:<18}" + "".join(f"{min(taken):>16.2f}" for taken in seconds)
              + ("  the same" if len(texts) == 1 else "  different"), flush=True)
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
