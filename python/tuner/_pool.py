"""Worker processes: begun, given one task at a time, replaced when they die or are late.

A loader has the function and what that imports, once, and forks the workers: docs/python.md says when it must not."""

from __future__ import annotations

import atexit
import contextlib
import math
import multiprocessing.connection
import multiprocessing.reduction
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from tuner._library import Error

_START_SECONDS = 300  # importing PyTorch from a cold disk takes its time
_END_SECONDS = 5      # in which a loader ends what its workers have started
_MOST_LEFT = 4        # then it seems to be the function's way, as with pools that it keeps
_CHARGED = ("correctness", "runtime", "timeout")
_STATES = ("ok", "dropped", "constraints", "compile", *_CHARGED)


class Ended(NamedTuple):
    """A task that is over: `answer`, or `why` there is none, as (state, message)."""
    role: str
    task: Any
    answer: dict | None
    why: tuple | None
    alone: bool       # its process had run nothing before
    place: int        # in a list of configurations: the one that was at work

    @property
    def trial(self):
        return self.answer or {"state": self.why[0], "message": self.why[1], "cost_seconds": 0.0}

    @property
    def failed(self):
        return self.trial.get("state", "ok") not in ("ok", "dropped")

    @property
    def may_be_of_others(self):
        """It failed in a process that had run others, by what they may have left there."""
        return not self.alone and self.trial.get("state") in _CHARGED


def _is_sound(answer):
    """Of a process that has run other people's code: whether its figures can be figures."""
    times = [*answer.get("samples", ()), *(one for each in answer.get("taken", ()) for one in each)]
    costs = [answer.get(key, 0.0) for key in ("cost_seconds", "compile_ms")]
    return (answer.get("state", "ok") in _STATES and all(0 < one < math.inf for one in times) and
            all(0 <= one < math.inf for one in costs))


def _whatever_ends():
    """Around what is sent: that the other side has gone is seen where it is heard."""
    return contextlib.suppress(BrokenPipeError, ConnectionResetError)


def _tail(printed):
    size = os.fstat(printed.fileno()).st_size
    text = os.pread(printed.fileno(), 2000, max(0, size - 2000)).decode(errors="replace").strip()
    return f"; it had printed: {text}" if text else ""


class _Loader:
    """The parent of workers: starts them, and says how they ended. It stays for the next call with the same function."""

    _kept = []  # one, or none

    @classmethod
    def of(cls, loads):
        """One that has this loaded, or will have."""
        key = (pickle.dumps(loads, protocol=4), tuple(os.environ.items()), os.getcwd(), os.getpid())
        while cls._kept:
            kept = cls._kept.pop()
            if kept.key == key and kept.process.poll() is None:
                return kept
            kept.end()
        return cls(loads, key)

    def __init__(self, loads, key):
        ours, theirs = socket.socketpair()
        self.key, self.printed = key, tempfile.TemporaryFile()
        path = [str(Path(__file__).resolve().parents[1]), *filter(None, loads["path"])]
        # A module that asks PyTorch whether there is a GPU, as many do, does not start CUDA by that.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1",
                       "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
        if environment.pop("CUDA_LAUNCH_BLOCKING", "0") != "0":
            warnings.warn("CUDA_LAUNCH_BLOCKING is set and is left out where functions are timed: with it each launch "
                          "would wait for the device", stacklevel=2)
        self.process = subprocess.Popen([sys.executable, "-m", "tuner._loader", str(theirs.fileno())],
                                        pass_fds=(theirs.fileno(),), env=environment, stdin=subprocess.DEVNULL,
                                        stdout=self.printed, stderr=self.printed, start_new_session=True)
        theirs.close()
        self.connection = multiprocessing.connection.Connection(ours.detach())
        with _whatever_ends():
            self.connection.send(loads)
        self._beginning, self._has_begun = [], False  # workers that it was asked for; whether there ever was one

    @classmethod
    def end_kept(cls):
        while cls._kept:
            cls._kept.pop().end()

    def keep(self):
        if self._beginning or self._kept or self.process.poll() is not None:
            self.end()
        else:
            self._kept.append(self)

    def begin(self, worker, *files):
        """As the worker's own the files are what tuner._worker.serve() says."""
        self._beginning.append(worker)
        with _whatever_ends():
            self.connection.send(("begin", len(files)))
            for file in files:
                multiprocessing.reduction.send_handle(self.connection, file.fileno(), self.process.pid)

    def hear(self):
        """The next thing that it says: the process of a worker, or how one ended."""
        try:
            what, message = self.connection.recv()
        except (EOFError, OSError):
            self.process.wait()
            raise Error(f"a worker could not begin: the process ended with {self.process.returncode}"
                        f"{_tail(self.printed)}") from None
        if what == "cannot":
            raise Error(f"another process cannot have the function: {message}")
        if what == "begun":
            self._beginning.pop(0).pid, self._has_begun = message, True
            return None
        return message

    def code_of(self, worker):
        """The status of a worker whose end is near."""
        while worker.pid is None:
            self.hear()
        with _whatever_ends():
            self.connection.send(("end", worker.pid))
        code = None
        while code is None:
            code = self.hear()
        return code

    def end(self):
        if self.key[-1] == os.getpid():  # else it belongs to the process that this one was forked from
            if self._has_begun:  # there may be more than its group: it ends them
                self.process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(_END_SECONDS)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.connection.close()
        self.printed.close()


atexit.register(_Loader.end_kept)


class _Worker:
    def __init__(self, role, loader, job, *files):
        ours, theirs = socket.socketpair()
        self.role, self.loader, self.printed = role, loader, tempfile.TemporaryFile()
        self.pid = self._death = None
        self.connection = multiprocessing.connection.Connection(ours.detach())
        loader.begin(self, self.printed, theirs, *files)
        theirs.close()
        self.tell((role, job))
        self.task = None      # whose it is, while it is at work
        self.tasks = 0        # that it was ever given
        self.place = 0        # of a list of configurations
        self.ready = False    # it can be given one
        self.has_begun = False
        self.deadline = time.monotonic() + _START_SECONDS

    def end(self):
        """Its status."""
        code = None
        try:
            while self.pid is None:
                self.loader.hear()
            self.kill()
            code = self.loader.code_of(self)
        finally:
            self.connection.close()
            self.printed.close()
            if self._death is not None:
                os.close(self._death)
        return code

    def tell(self, message):
        with _whatever_ends():
            self.connection.send(message)

    def death(self):
        """A descriptor that can be read when the process has ended; None: not yet known, or there is no such thing."""
        if self._death is None and self.pid is not None and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                self._death = os.pidfd_open(self.pid)
        return self._death

    def has_ended(self):
        """Whether it ends within a second, by itself."""
        while self.pid is None:
            self.loader.hear()
        for _ in range(50):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] not in "ZX":
                    time.sleep(0.02)
                    continue
            return True
        return False

    def kill(self):
        """And what it has started."""
        with contextlib.suppress(ProcessLookupError):  # it has not come so far as to have a group
            os.killpg(self.pid, signal.SIGKILL)
        os.kill(self.pid, signal.SIGKILL)

    def hand_over(self):
        """Where the inputs lie is known to it: they are there now."""
        if self.has_begun and not self.ready:
            self.ready, self.deadline = True, None
            self.tell("inputs")


class Pool:
    """`loads`: what is loaded for all workers, `job()`: what each is told once. `timeout`: seconds for one task, without
    waiting for its turn. Workers of the role "compile" need no inputs; those of the role "run" are not ready before
    give_inputs()."""

    def __init__(self, loads, job, timeout):
        self._job, self._timeout, self._has_inputs, self._workers = job, timeout, False, []
        self._left = 0  # workers that were replaced for what a variant had left there
        self._inputs, self._lock = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self._loader = _Loader.of(loads)
        self.best_ms = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Error):
            while self._loader.connection.poll():
                self._loader.hear()
            begun = [worker for worker in self._workers if worker.pid is not None]
            for worker in begun:
                worker.kill()  # all at once: a process that used a GPU takes its time to end
            for worker in begun:
                worker.end()
        self._loader.keep()
        self._inputs.close()
        self._lock.close()

    def grow(self, role, count):
        for _ in range(count - self.size(role)):
            self._workers.append(_Worker(role, self._loader, self._job(), self._inputs, self._lock))

    def give_inputs(self, sent):
        self._inputs.write(pickle.dumps(sent, protocol=4))
        self._inputs.flush()
        self._has_inputs = True
        for worker in self._workers:
            self._begin_with(worker)

    def _begin_with(self, worker):
        if self._has_inputs or worker.role == "compile":
            worker.hand_over()

    def idle(self, role, fresh=False):
        """`fresh`: only those that have run nothing yet."""
        return [worker for worker in self._workers if worker.role == role and worker.ready and worker.task is None and
                not (fresh and worker.tasks)]

    def renew_one(self):
        """An idle worker that runs variants makes room for a new one."""
        if all(worker.tasks for worker in self._workers if worker.role == "run"):
            self._replace(self.idle("run")[0])

    def size(self, role):
        return sum(worker.role == role for worker in self._workers)

    def begin(self, worker, task, *words):
        worker.task, worker.place = task, 0
        worker.tasks += 1
        worker.deadline = time.monotonic() + self._timeout
        worker.tell(words)

    def wait(self):
        """What has ended."""
        ends = [worker.deadline for worker in self._workers if worker.deadline is not None]
        left = max(0.0, min(ends, default=time.monotonic() + 1) - time.monotonic())
        heard = [self._loader.connection, *(worker.connection for worker in self._workers)]
        deaths = {worker.death(): worker for worker in self._workers if worker.death() is not None}
        heard += deaths
        ready = multiprocessing.connection.wait(heard, left)
        if self._loader.connection in ready:
            self._loader.hear()
        ended, dead = [], [deaths[one] for one in ready if one in deaths]
        for worker in list(self._workers):
            if worker.connection in ready:
                self._hear(worker, ended)
            elif worker in dead:  # while what it has started still holds the connection
                self._died(worker, ended)
            elif worker.deadline is not None and time.monotonic() > worker.deadline:
                self._is_late(worker, ended)
        return ended

    def _hear(self, worker, ended):
        try:
            what, message = worker.connection.recv()
            if worker.task is None and what == "done":
                raise EOFError  # a copy of the process says it, too
        except Exception:  # also what is no message
            self._died(worker, ended)
            return
        if what == "cannot":
            raise Error(f"another process cannot have the function: {message}")
        if what == "begun":
            worker.has_begun = True
            self._begin_with(worker)
        elif what == "phase":
            worker.deadline = None if message == "waiting" else time.monotonic() + self._timeout
        elif what == "at":
            worker.place, worker.deadline = message, time.monotonic() + self._timeout
        elif what == "best":
            worker.tell(self.best_ms)
        else:
            if not _is_sound(message):
                message = {"state": "runtime", "message": "what its process says of it makes no sense", "broken": True}
            told = self._ended(worker, message, None)
            worker.task = worker.deadline = None
            left = message.pop("left", False) and self._left < _MOST_LEFT
            self._left += left
            if message.pop("broken", False) or left or told.may_be_of_others:
                self._replace(worker)
            ended.append(told)

    def _ended(self, worker, answer, why):
        return Ended(worker.role, worker.task, answer, why, worker.tasks == 1, worker.place)

    def _died(self, worker, ended):
        printed, has_ended = _tail(worker.printed), worker.has_ended()
        code = self._replace(worker)
        how = (f"the process was ended by {signal.Signals(-code).name}" if code < 0 else f"the process ended with {code}")
        if not has_ended:
            how = "its process closed the connection to this one, or wrote into it"
        if worker.task is None and not worker.ready:
            raise Error(f"a worker could not begin: {how}{printed}")
        if worker.task is not None:
            ended.append(self._ended(worker, None, ("runtime", how + printed)))

    def _is_late(self, worker, ended):
        printed = _tail(worker.printed)
        if worker.task is None:
            raise Error(f"a worker did not begin within {_START_SECONDS} s{printed}")
        ended.append(self._ended(worker, None, ("timeout", f"more than {self._timeout:g} s{printed}")))
        self._replace(worker)

    def _replace(self, worker):
        self._workers.remove(worker)
        code = worker.end()
        self.grow(worker.role, self.size(worker.role) + 1)
        return code
