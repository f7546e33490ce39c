"""NVRTC from Python: the kernels whose variants are compiled, and what one compilation costs."""
import csv
import ctypes
import dataclasses
import os
import pathlib
import resource
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLKIT = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
LIBRARY = TOOLKIT / "lib64" / "libnvrtc.so"
# Parameters of words: each word is a macro, too.
WORDS = {
    "FORM": ["naive", "shared", "registers", "warptile", "three_pass", "online", "global", "mma", "wgmma"],
    "SHARED": ["static", "dynamic"],
    "DIVIDE": ["tiles", "steps"],
    "WALK": ["squares", "bricks"],
    "SHARE": ["rows", "tiles"],
    "TYPE": ["bf16"],
}


@dataclasses.dataclass
class Kernel:
    study: str
    source: str
    entry: str
    prefix: str = "TUNE_"


KERNELS = {
    "mm": Kernel("benchmarks/throughput/mm.yaml", "benchmarks/throughput/mm.cu", "mm", ""),
    "matmul": Kernel("search_spaces/matmul.yaml", "kernel_sources/matmul.cu", "matmul"),
    "softmax": Kernel("search_spaces/softmax.yaml", "kernel_sources/softmax.cu", "softmax"),
    "convolution2d": Kernel("search_spaces/convolution2d.yaml", "kernel_sources/convolution2d.cu",
                            "convolution2d"),
    "matmul_bf16": Kernel("search_spaces/matmul_bf16.yaml", "kernel_sources/matmul_tensor.cu",
                          "matmul_tensor"),
}


@dataclasses.dataclass
class Cost:
    """Of one compilation, or of several: differences and sums."""
    wall: float = 0.0
    user: float = 0.0
    system: float = 0.0
    faults: int = 0

    @staticmethod
    def now():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Cost(time.perf_counter(), used.ru_utime, used.ru_stime, used.ru_minflt)

    def since(self, before):
        return Cost(*(a - b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(before))))

    @property
    def processor(self):
        return self.user + self.system


def definitions(kernel, variant):
    """As the tuner gives them: of a word, for each one whether it is this, too."""
    out = []
    for name, value in variant.items():
        out.append(f"-D{kernel.prefix}{name}={value}")
        for word in WORDS.get(name, []):
            out.append(f"-D{kernel.prefix}{name}_IS_{word}={int(word == value)}")
    return out


def architecture(variant):
    return "sm_90a" if variant.get("FORM") == "wgmma" else "sm_90"


def variants(tuner, kernel, count):
    command = [tuner, "check", str(ROOT / kernel.study), "--sample", str(count)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(text.splitlines()))


def text_of(kernel):
    return (ROOT / kernel.source).read_text()


def without_reference(text):
    """The shipped sources have it at their end."""
    at = text.index("_reference(")
    return text[:text.rindex('extern "C"', 0, at)]


class Nvrtc:
    def __init__(self, file=LIBRARY):
        self.library = ctypes.CDLL(str(file))

    def compile(self, kernel, text, variant, extra=(), arch=None):
        """Returns the cost of the compilation, and the image (nothing where only PTX is asked for)."""
        options = ["--ptxas-options=-v", "--gpu-architecture=" + (arch or architecture(variant)),
                   "--std=c++17", *definitions(kernel, variant),
                   f"-I{(ROOT / kernel.source).parent}", f"-I{TOOLKIT}/include", *extra]
        words = (ctypes.c_char_p * len(options))(*[word.encode() for word in options])
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        before = Cost.now()
        self.library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None,
                                        None)
        self.library.nvrtcAddNameExpression(program, kernel.entry.encode())
        status = self.library.nvrtcCompileProgram(program, len(options), words)
        image = b""
        if status == 0 and self.library.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0:
            buffer = ctypes.create_string_buffer(max(1, size.value))
            self.library.nvrtcGetCUBIN(program, buffer)
            image = buffer.raw[:size.value]
        log = "" if status == 0 else self.log(program)
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        cost = Cost.now().since(before)
        if status != 0:
            raise SystemExit(f"{kernel.entry} {variant} {extra}: {log}")
        return cost, image

    def log(self, program):
        size = ctypes.c_size_t()
        self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetProgramLog(program, text)
        return text.value.decode(errors="replace")


def code_of(image, entry):
    """The machine code of a kernel in a cubin: its section .text.ENTRY."""
    number = lambda at, size: int.from_bytes(image[at:at + size], "little")
    table, size, count, names = number(0x28, 8), number(0x3A, 2), number(0x3C, 2), number(0x3E, 2)
    strings = number(table + names * size + 0x18, 8)
    for i in range(count):
        head = table + i * size
        name = image[strings + number(head, 4):].split(b"\0", 1)[0].decode()
        if name == ".text." + entry:
            begin, length = number(head + 0x18, 8), number(head + 0x20, 8)
            return image[begin:begin + length]
    return b""
