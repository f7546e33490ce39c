"""Every shared piece of the shipped kernels compiles alone: it includes what it needs, and asks for no names of its users."""
import ctypes
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "lib64/libnvrtc.so"
SKIPPED = 77


def complaint(nvrtc, file):
    """What the compiler says of a file by itself; nothing where it takes it."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    # Templates that nobody uses are read, not compiled further: PTX is enough.
    options = [b"--gpu-architecture=compute_90a", b"--std=c++17", b"-I" + str(file.parent).encode()]
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), file.read_bytes(), file.name.encode(), 0, None, None)
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return log.value.decode(errors="replace") if status else ""


def main():
    if not LIBRARY.exists():
        print(f"skipped: no {LIBRARY}")
        return SKIPPED
    nvrtc = ctypes.CDLL(str(LIBRARY))
    pieces = sorted((ROOT / "kernel_sources").glob("*.cuh"))
    assert len(pieces) > 30, pieces
    failed = [(piece.name, said) for piece in pieces if (said := complaint(nvrtc, piece))]
    for name, said in failed:
        print(f"{name} does not compile alone:\n{said}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
