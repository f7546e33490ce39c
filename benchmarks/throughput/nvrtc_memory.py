#!/usr/bin/env python3
"""What bounds many NVRTC compilations at once: cores, page faults, or memory.

usage: nvrtc_memory.py TUNER [--kernel mm] [--variants 8] [--rounds 1] [--processes 1,2,4,...] [--ways ...]

So many processes compile the same variants at the same time, each on one thread and after a first
compilation that is not counted. The ways differ in how the allocator treats what NVRTC frees: as it is
by default, kept as the compile workers keep it (mallopt), in huge pages (GLIBC_TUNABLES), and with other
allocators where they are installed (LD_PRELOAD: libjemalloc2, libtcmalloc-minimal4). All ways of a number
of processes take turns. No GPU.

Prints means over all compilations: wall, user and system milliseconds, page faults; processor time over
that as it is; the largest peak of a process; and compilations a second of all processes together, over
those of one process as it is. If user time grows with the processes, cores share something
(hyper-threads, caches, memory); if system time grows, it is the kernel's page faults; if only wall time
does, the cores are taken by others.
"""
import argparse
import ctypes
import dataclasses
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys

import nvrtc

LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
WAYS = {
    "as it is": {},
    "kept": {"KEEP": "1"},
    "huge pages": {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},
    "jemalloc": {"LD_PRELOAD": str(LIBRARIES / "libjemalloc.so.2")},
    "tcmalloc": {"LD_PRELOAD": str(LIBRARIES / "libtcmalloc_minimal.so.4")},
}


def keep_freed_memory():
    """As tuner/base/process_state.cpp."""
    m_trim_threshold, m_mmap_threshold = -1, -3
    libc = ctypes.CDLL(None)
    if libc.mallopt(m_mmap_threshold, 32 << 20) != 1 or libc.mallopt(m_trim_threshold, 128 << 20) != 1:
        raise SystemExit("mallopt refuses")


def work():
    """One of the processes: reads its task, says that it is ready, and waits for the others."""
    task = json.loads(sys.stdin.readline())
    if os.environ.get("KEEP"):
        keep_freed_memory()
    kernel = nvrtc.KERNELS[task["kernel"]]
    compiler = nvrtc.Nvrtc()
    text = nvrtc.text_of(kernel)
    compiler.compile(kernel, text, task["variants"][0])
    print("ready", flush=True)
    sys.stdin.readline()
    costs = [compiler.compile(kernel, text, variant)[0] for variant in task["variants"]]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"costs": [vars(cost) for cost in costs], "peak": peak}))


def at_once(count, way, task):
    """The answers of so many processes."""
    environment = {**os.environ, "CUDA_CACHE_DISABLE": "1", **WAYS[way]}
    command = [sys.executable, __file__, "--work"]
    started = [subprocess.Popen(command, env=environment, text=True, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE) for _ in range(count)]
    for one in started:
        one.stdin.write(json.dumps(task) + "\n")
        one.stdin.flush()
    for one in started:
        one.stdout.readline()
    for one in started:
        one.stdin.write("go\n")
        one.stdin.flush()
    return [json.loads(one.communicate()[0]) for one in started]


@dataclasses.dataclass
class Summary:
    """Of the compilations of all processes."""
    cost: nvrtc.Cost  # the mean
    peak: float       # MiB
    rate: float       # a second


def summary(count, answers):
    costs = [nvrtc.Cost(**cost) for answer in answers for cost in answer["costs"]]
    mean = nvrtc.Cost(*(statistics.mean(column) for column in zip(*map(dataclasses.astuple, costs))))
    return Summary(mean, max(answer["peak"] for answer in answers) / 1024, count / mean.wall)


def tell(count, way, now, usual, single):
    cost = now.cost
    print(f"{count:3} x {way:11} wall {1e3 * cost.wall:6.1f} user {1e3 * cost.user:6.1f} system "
          f"{1e3 * cost.system:5.1f} ms, {cost.faults:6.0f} faults, processor time "
          f"{cost.processor / usual.cost.processor:.3f}, peak {now.peak:4.0f} MiB, "
          f"{now.rate:6.2f} a second = {now.rate / single.rate:5.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tuner")
    parser.add_argument("--kernel", default="mm", choices=nvrtc.KERNELS)
    parser.add_argument("--variants", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--processes", default=None)
    parser.add_argument("--ways", default=",".join(WAYS))
    args = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    counts = [1 << i for i in range(cores.bit_length())]
    if args.processes:
        counts = [int(word) for word in args.processes.split(",")]
    usable = [way for way in args.ways.split(",")
              if pathlib.Path(WAYS[way].get("LD_PRELOAD", "/")).exists()]
    task = {"kernel": args.kernel,
            "variants": nvrtc.variants(args.tuner, nvrtc.KERNELS[args.kernel], args.variants)}
    print(f"{args.kernel}, {args.variants} variants, {cores} usable cores")
    single = None
    for count in counts:
        answers = {way: [] for way in usable}
        for _ in range(args.rounds):
            for way in usable:
                answers[way] += at_once(count, way, task)
        summaries = {way: summary(count, answers[way]) for way in usable}
        usual = summaries[usable[0]]
        single = single or usual
        for way in usable:
            tell(count, way, summaries[way], usual, single)


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()
