#!/usr/bin/env python3
"""The project of docs/build.md with tuner's sources as a part of its build: subproject.py --source FOLDER --compiler C++

It is configured, and its steps are listed, not run: that tuner builds is shown by the build that runs this test.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from follow import blocks_of


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ends with {done.returncode}:\n{done.stdout}")
    return done.stdout


def check(holds, what, shown):
    if not holds:
        sys.exit(f"not so: {what}\n{shown}")


def project_of(source):
    """Its CMakeLists.txt, with the fetched sources in place of a program on PATH."""
    blocks = blocks_of(source / "docs" / "build.md")
    text = next(text for _, name, text, _ in blocks if name == "CMakeLists.txt")
    fetched = next(text for kind, name, text, _ in blocks if kind == "cmake" and not name and "FetchContent" in text)
    found = re.search(r"^find_program\(TUNER .*\n", text, re.M).group()
    return text.replace(found, fetched)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--source", required=True, type=pathlib.Path)
    arguments.add_argument("--compiler", required=True)
    given = arguments.parse_args()
    source, compiler = given.source, given.compiler
    with tempfile.TemporaryDirectory(prefix="tuner-subproject-") as folder:
        folder = pathlib.Path(folder)
        for file in (source / "examples" / "saxpy").iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        (folder / "CMakeLists.txt").write_text(project_of(source))
        build = folder / "build"
        told = output_of("cmake", "-S", folder, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                         f"-DCMAKE_CXX_COMPILER={compiler}", f"-DFETCHCONTENT_SOURCE_DIR_TUNER={source}")
        check("Warning" not in told, "it is configured without a warning", told)
        steps = output_of("ninja", "-C", build, "-t", "commands", "all").splitlines()
        number_of = lambda word: next((i for i, step in enumerate(steps) if word in step), -1)
        export, plugin = number_of("tuner-build/bin/tuner export"), number_of("plugins/classic.so")
        check(0 <= plugin < export, "the export waits for the program's plugins", "\n".join(steps))
        check(number_of("_test") < 0 and number_of("libtuner.so") < 0, "nothing else is built", "\n".join(steps))
        check(not (build / "CPackConfig.cmake").exists(), "packages are the project's own", told)
        installs = (build / "cmake_install.cmake").read_text()
        check("tuner-build" not in installs, "tuner is not installed with the project", installs)
    print("tuner's sources can be a part of a build")


if __name__ == "__main__":
    main()
