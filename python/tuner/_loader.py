"""The parent of the workers: python -m tuner._loader CONNECTION, a file descriptor. It loads the function, and what that
imports, and forks a worker for each that is asked for. Where a fork is not safe, because the function's module
has started threads or uses a GPU as soon as it is imported, each worker loads the function anew."""

import contextlib
import ctypes
import importlib
import multiprocessing.connection
import multiprocessing.reduction
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback

from tuner import _worker
from tuner._failure import words_of

_NOT_INITIALIZED = 3  # of CUDA's driver


_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def _prctl(option, value):
    with contextlib.suppress(OSError, AttributeError):  # another system
        ctypes.CDLL(None).prctl(option, value)


def _die_with_parent(how):
    parent = os.getppid()
    _prctl(_PR_SET_PDEATHSIG, how)
    if os.getppid() != parent:
        os._exit(1)


def _parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def _children():
    me = os.getpid()
    return [int(one) for one in os.listdir("/proc") if one.isdigit() and _parent_of(one) == me]


def _end_children(but=()):
    """Also what they have started, in whatever session: a process whose parent has ended becomes a child of this one."""
    for _ in range(1000):
        found = [pid for pid in _children() if pid not in but]
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        if not found:
            return


def _is_forkable():
    """Neither another thread of Python nor CUDA is at work here: a fork would have only half of them."""
    return threading.active_count() == 1 and not _has_begun_cuda()


def _has_begun_cuda():
    try:
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return False  # nobody has loaded it
    return driver.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) != _NOT_INITIALIZED


def _become(functions, printed, *fds):
    """The new process."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _die_with_parent(signal.SIGKILL)
    os.setsid()
    for one in fds:
        os.set_inheritable(one, False)  # a program that a variant starts, and leaves, would keep the connection open
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    status = 1
    try:
        _worker.serve(functions, *fds)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _functions_of(loads):
    sys.path[:] = loads["path"]
    from tuner import _source
    functions = {name: _source.load(sent) for name, sent in loads["functions"].items()}
    for name in loads["imports"]:
        importlib.import_module(name)
    return functions


# A worker that is no fork: "loads" may be long, so it comes by a pipe.
_ALONE = "import pickle, sys; from tuner import _loader; _loader.alone(pickle.load(sys.stdin.buffer), {fds})"


def alone(loads, fds):
    _become(_functions_of(loads), *fds)


class _Loader:
    def __init__(self, connection):
        self._connection = connection
        self._loads = connection.recv()
        self._functions = _functions_of(self._loads)
        if "triton" in self._loads["imports"]:
            from tuner import _stands
            _stands.warm_up()
        self._forks = _is_forkable()
        self._popens = []
        self._workers = set()
        self._own = set(_children())  # of what was imported

    def serve(self):
        while True:
            what, told = self._connection.recv()
            if what == "begin":
                fds = [multiprocessing.reduction.recv_handle(self._connection) for _ in range(told)]
                self._workers.add(pid := self._begin(fds))
                self._connection.send(("begun", pid))
                for one in fds:
                    os.close(one)
            else:
                _, status = os.waitpid(told, 0)
                self._workers.discard(told)
                _end_children(but=self._workers | self._own)
                self._connection.send(("ended", -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)))

    def _begin(self, fds):
        if not self._forks:
            child = subprocess.Popen([sys.executable, "-c", _ALONE.format(fds=fds)], pass_fds=fds, stdin=subprocess.PIPE)
            pickle.dump(self._loads, child.stdin)
            child.stdin.close()
            self._popens.append(child)  # nobody else may hear of its end
            return child.pid
        pid = os.fork()
        if pid == 0:
            os.close(self._connection.fileno())
            _become(self._functions, *fds)
        return pid


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    _die_with_parent(signal.SIGTERM)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        _serve()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_children()


def _serve():
    connection = multiprocessing.connection.Connection(int(sys.argv[1]))
    try:
        try:
            loader = _Loader(connection)
        except Exception as error:
            connection.send(("cannot", words_of(error)))
            return
        loader.serve()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass


if __name__ == "__main__":
    main()
