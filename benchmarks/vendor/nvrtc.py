"""NVRTC from Python, and the kernels whose variants are compiled."""
import ctypes
import dataclasses
import os
import pathlib

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
    source: str
    entry: str


KERNELS = {
    "matmul": Kernel("kernel_sources/matmul.cu", "matmul"),
    "softmax": Kernel("kernel_sources/softmax.cu", "softmax"),
    "convolution2d": Kernel("kernel_sources/convolution2d.cu", "convolution2d"),
    "matmul_bf16": Kernel("kernel_sources/matmul_tensor.cu", "matmul_tensor"),
}


def definitions(variant):
    """As the tuner gives them: of a word, for each one whether it is this, too."""
    out = []
    for name, value in variant.items():
        out.append(f"-DTUNE_{name}={value}")
        for word in WORDS.get(name, []):
            out.append(f"-DTUNE_{name}_IS_{word}={int(word == value)}")
    return out


def architecture(variant):
    return "sm_90a" if variant.get("FORM") == "wgmma" else "sm_90"


class Nvrtc:
    def __init__(self, file=LIBRARY):
        self.library = ctypes.CDLL(str(file))

    def compile(self, kernel, variant):
        """Returns the cubin."""
        options = ["--gpu-architecture=" + architecture(variant), "--std=c++17", *definitions(variant),
                   f"-I{(ROOT / kernel.source).parent}", f"-I{TOOLKIT}/include"]
        words = (ctypes.c_char_p * len(options))(*[word.encode() for word in options])
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        text = (ROOT / kernel.source).read_bytes()
        self.library.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 0, None, None)
        self.library.nvrtcAddNameExpression(program, kernel.entry.encode())
        status = self.library.nvrtcCompileProgram(program, len(options), words)
        image = b""
        if status == 0 and self.library.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0:
            buffer = ctypes.create_string_buffer(max(1, size.value))
            self.library.nvrtcGetCUBIN(program, buffer)
            image = buffer.raw[:size.value]
        log = "" if status == 0 else self.log(program)
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        if status != 0:
            raise SystemExit(f"{kernel.entry} {variant}: {log}")
        return image

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
