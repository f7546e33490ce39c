#!/usr/bin/env python3
"""Prints how many configurations each study has at a size, and a digest of them whatever their order.

usage: same_configurations.py TUNER STUDY SIZE [STUDY SIZE]...

Run it before and after a study is written in another way: what it prints must not change. Columns are
sorted by name, rows by their text.
"""
import csv
import hashlib
import subprocess
import sys


def main(tuner, *rest):
    if not rest or len(rest) % 2 != 0:
        sys.exit(__doc__)
    for study, size in zip(rest[::2], rest[1::2]):
        listed = subprocess.run([tuner, "check", study, "--list", "--size", size],
                                capture_output=True, text=True)
        if listed.returncode != 0:
            sys.exit(listed.stderr)
        rows = sorted(repr(sorted(row.items())) for row in csv.DictReader(listed.stdout.splitlines()))
        digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]
        print(f"{study} {size}: {len(rows)} configurations, {digest}")


if __name__ == "__main__":
    main(*sys.argv[1:])
