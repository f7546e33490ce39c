#!/usr/bin/env python3
"""Makes the .deb of a build tree, unpacks it, and uses what is in it as an installed program."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def output_of(command, **how):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(holds, what):
    if not holds:
        sys.exit(f"not so: {what}")


def make_package(build, folder):
    output_of(["cpack", "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", folder])
    packages = list(folder.glob("*.deb"))
    check(len(packages) == 1, f"one .deb, but {packages}")
    return packages[0]


def check_control(package):
    """What dpkg and apt are told."""
    field = lambda name: output_of(["dpkg-deb", "-f", package, name]).strip()
    check(field("Package") == "tuner", "the package is called tuner")
    for library in ("libc6", "libsqlite3-0", "libyaml-cpp"):
        check(library in field("Depends"), f"Depends: names {library}: {field('Depends')}")
    for line in output_of(["dpkg-deb", "-c", package]).splitlines():
        owner, path = line.split()[1], line.split()[5]
        check(owner == "root/root", f"{path} belongs to root, not to {owner}")
        check(path == "./" or path.startswith("./usr/"), f"{path} is under /usr")


def use(root, folder):
    """Checks and tunes a study that is installed, from a folder that has nothing to do with either."""
    tuner = root / "usr/bin/tuner"
    home = folder / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "LD_LIBRARY_PATH": str(root / "usr/lib")}
    environment.pop("XDG_CACHE_HOME", None)
    run = lambda *words: output_of([tuner, *words], cwd=home, env=environment)
    check("default" in run("list", "strategies"), "plugins are found from where they were unpacked")
    study = root / "usr/share/tuner/search_spaces/reduction.yaml"
    check("no mistake found" in run("check", str(study)), "an installed study is right")
    run("run", str(study), "--backend", "cpu", "--size", "N=1000", "--budget", "3",
        "--strategy", "random", "--progress", "none")
    check((home / "results/tuner.sqlite").is_file(), "results are where the user is")


def check_library(root):
    """A program that is linked with libtuner asks for it by a name with a version."""
    dynamic = output_of(["readelf", "-d", root / "usr/lib/libtuner.so"])
    check("Library soname: [libtuner.so.0]" in dynamic, "libtuner has a version")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        package = make_package(options.build, folder)
        check_control(package)
        root = folder / "root"
        output_of(["dpkg-deb", "-x", package, root])
        check_library(root)
        use(root, folder)
    print("the package holds a program that works")


main()
