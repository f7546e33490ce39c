#!/usr/bin/env python3
"""Makes the Python wheel: scripts/wheel.py --program PREFIX --library LIBTUNER.so [--to FOLDER]

The wheel is the package python/tuner with an installation beside it: program, plugins, studies and kernels of PREFIX
(a portable one needs nothing but libc), and libtuner with those libraries it is linked with that not every machine has.
"""

import argparse
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("bin/tuner", "lib/tuner/plugins", "share/tuner")
# Of the C and C++ run-time, which is there wherever Python is.
EVERYWHERE = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")


def version_of_project():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(tuner VERSION ([0-9.]+)", text).group(1)


def platform_tag(files):
    """By the newest symbol of glibc that its programs and libraries ask for."""
    binaries = [data for data in (path.read_bytes() for path in files) if data.startswith(b"\x7fELF")]
    asked = {(int(major), int(minor)) for data in binaries for major, minor in re.findall(rb"\0GLIBC_(\d+)\.(\d+)", data)}
    if not asked:
        sys.exit("a wheel is made on a machine with glibc")
    return "manylinux_{}_{}_".format(*max(asked)) + platform.machine()


def linked_with(library):
    """What the loader finds for it, by name, without what is there anyway."""
    done = subprocess.run(["ldd", library], capture_output=True, text=True, check=True)
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", done.stdout, re.MULTILINE))
    missing = re.findall(r"^\s*(\S+) => not found", done.stdout, re.MULTILINE)
    if missing:
        sys.exit(f"{library}: not found: {', '.join(missing)}")
    return {name: Path(path) for name, path in found.items() if not EVERYWHERE.match(name)}


def files_of(program, library):
    """Names in the wheel and where their bytes are."""
    package = ROOT / "python/tuner"
    files = {f"tuner/{one.name}": one for one in sorted(package.iterdir()) if one.suffix in (".py", ".typed")}
    for part in PARTS:
        whole = program / part
        if not whole.exists():
            sys.exit(f"{program} is no installation: there is no {part}")
        for one in [whole] if whole.is_file() else sorted(whole.rglob("*")):
            if one.is_file():
                files[f"tuner/prefix/{one.relative_to(program)}"] = one
    files["tuner/prefix/lib/libtuner.so"] = library
    for name, path in sorted(linked_with(library).items()):
        files[f"tuner/prefix/lib/bundled/{name}"] = path
    return files


class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, executable=False):
        entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, record):
        self.record.append(f"{record},,")
        self.zip.writestr(record, "\n".join(self.record) + "\n")
        self.zip.close()


def metadata(version):
    fields = {"Metadata-Version": "2.1", "Name": "tuner", "Version": version,
              "Summary": "Finds the fastest right variant of a CUDA kernel or a Python function",
              "License": "MIT", "Requires-Python": ">=3.8", "Keywords": "cuda,triton,autotuning",
              "Classifier": "Environment :: GPU :: NVIDIA CUDA", "Description-Content-Type": "text/markdown"}
    head = "".join(f"{name}: {text}\n" for name, text in fields.items())
    head += "Provides-Extra: mcp\nRequires-Dist: mcp>=2; extra == 'mcp'\n"  # for 'tuner mcp'
    return f"{head}\n{(ROOT / 'docs/python.md').read_text(encoding='utf-8')}"


def make(program, library, folder):
    files = files_of(program, library)
    version, tag = version_of_project(), f"py3-none-{platform_tag(files.values())}"
    info = f"tuner-{version}.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"tuner-{version}-{tag}.whl"
    wheel = Wheel(path)
    for name, source in files.items():
        wheel.add(name, source.read_bytes(), os.access(source, os.X_OK) and name.startswith("tuner/prefix/bin"))
    wheel.add(f"{info}/METADATA", metadata(version).encode())
    wheel.add(f"{info}/WHEEL", ("Wheel-Version: 1.0\nGenerator: tuner\nRoot-Is-Purelib: false\n"
                                f"Tag: {tag}\n").encode())
    wheel.add(f"{info}/entry_points.txt", b"[console_scripts]\ntuner = tuner:_main\n")
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.close(f"{info}/RECORD")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, metavar="PREFIX")
    parser.add_argument("--library", type=Path, required=True, metavar="LIBTUNER.so")
    parser.add_argument("--to", type=Path, default=Path("."), metavar="FOLDER")
    options = parser.parse_args()
    print(make(options.program, options.library.resolve(), options.to))


main()
