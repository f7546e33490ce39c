"""The parent of the workers: python -m tuner._loader CONNECTION, a file descriptor. It loads the function, and what that
imports, and forks a worker for each that is asked for. Where a fork is not safe, because the function's module
has started threads or uses a GPU as soon as it is imported, each worker loads the function anew."""

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


def _die_with_parent():
    parent = os.getppid()
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:
        os._exit(1)


def _is_forkable():
    """Neither another thread of Python nor CUDA is at work here: a fork would have only half of them."""
    return threading.active_count() == 1 and not _has_begun_cuda()


def _has_begun_cuda():
    try:
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return False  # nobody has loaded it
    return driver.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) != _NOT_INITIALIZED


def _become(function, printed, *fds):
    """The new process."""
    _die_with_parent()
    os.setsid()
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    status = 1
    try:
        _worker.serve(function, *fds)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _function_of(loads):
    sys.path[:] = loads["path"]
    from tuner import _source
    function = _source.load(loads["function"])
    for name in loads["imports"]:
        importlib.import_module(name)
    return function


# A worker that is no fork: "loads" may be long, so it comes by a pipe.
_ALONE = "import pickle, sys; from tuner import _loader; _loader.alone(pickle.load(sys.stdin.buffer), {fds})"


def alone(loads, fds):
    _become(_function_of(loads), *fds)


class _Loader:
    def __init__(self, connection):
        self._connection = connection
        self._loads = connection.recv()
        self._function = _function_of(self._loads)
        if "triton" in self._loads["imports"]:
            from tuner import _stands
            _stands.warm_up()
        self._forks = _is_forkable()
        self._children = []

    def serve(self):
        while True:
            what, told = self._connection.recv()
            if what == "begin":
                fds = [multiprocessing.reduction.recv_handle(self._connection) for _ in range(told)]
                self._connection.send(("begun", self._begin(fds)))
                for one in fds:
                    os.close(one)
            else:
                _, status = os.waitpid(told, 0)
                self._connection.send(("ended", -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)))

    def _begin(self, fds):
        if not self._forks:
            child = subprocess.Popen([sys.executable, "-c", _ALONE.format(fds=fds)], pass_fds=fds, stdin=subprocess.PIPE)
            pickle.dump(self._loads, child.stdin)
            child.stdin.close()
            self._children.append(child)  # nobody else may hear of its end
            return child.pid
        pid = os.fork()
        if pid == 0:
            os.close(self._connection.fileno())
            _become(self._function, *fds)
        return pid


def main():
    _die_with_parent()
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
