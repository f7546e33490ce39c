"""Worker processes: started, given one task at a time, replaced when they die or are late."""

import multiprocessing.connection
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tuner._library import Error

_START_SECONDS = 300  # importing PyTorch from a cold disk takes its time


class _Worker:
    def __init__(self, pool):
        ours, theirs = socket.socketpair()
        self.printed = tempfile.TemporaryFile()
        fds = (theirs.fileno(), pool.inputs.fileno(), pool.lock.fileno())
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(pool.path), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen([sys.executable, "-m", "tuner._worker", *map(str, fds)], pass_fds=fds,
                                        env=environment, stdin=subprocess.DEVNULL, stdout=self.printed,
                                        stderr=self.printed, start_new_session=True)
        theirs.close()
        self.connection = multiprocessing.connection.Connection(ours.detach())
        self.task = None      # whose it is, while it is at work
        self.ready = False    # it has the inputs
        self.has_function = False
        self.deadline = time.monotonic() + _START_SECONDS

    def end(self):
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.connection.close()
        self.printed.close()

    def death(self):
        """How it ended, with the end of what it printed."""
        self.process.wait()
        code = self.process.returncode
        how = f"the process was ended by {signal.Signals(-code).name}" if code < 0 else f"the process ended with {code}"
        return how + self.tail()

    def tail(self):
        size = os.fstat(self.printed.fileno()).st_size
        text = os.pread(self.printed.fileno(), 2000, max(0, size - 2000)).decode(errors="replace").strip()
        return f"; it had printed: {text}" if text else ""


class Pool:
    """`job`: what every worker is told once. `timeout`: seconds for one task, without waiting for its turn."""

    def __init__(self, job, timeout):
        self._job, self._timeout = job, timeout
        self.path = [str(Path(__file__).resolve().parents[1]), *filter(None, job["path"])]
        self.inputs, self.lock = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self._workers, self._has_inputs = [], False
        self.best_ms = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self._workers:
            worker.end()
        self.inputs.close()
        self.lock.close()

    def grow(self, count):
        while len(self._workers) < count:
            self._start()

    def _start(self):
        worker = _Worker(self)
        worker.connection.send(self._job)
        self._workers.append(worker)

    def give_inputs(self, sent):
        self.inputs.write(pickle.dumps(sent, protocol=4))
        self.inputs.flush()
        self._has_inputs = True
        for worker in self._workers:
            self._hand_over(worker)

    def _hand_over(self, worker):
        if worker.has_function and self._has_inputs and not worker.ready:
            worker.ready = True
            worker.deadline = None
            worker.connection.send("inputs")

    def idle(self):
        return [worker for worker in self._workers if worker.ready and worker.task is None]

    def is_at_work(self):
        return any(worker.task is not None for worker in self._workers)

    def size(self):
        return len(self._workers)

    def begin(self, worker, task, *words):
        worker.task = task
        worker.deadline = time.monotonic() + self._timeout
        try:
            worker.connection.send(words)
        except (BrokenPipeError, ConnectionResetError):
            pass  # wait() sees its end

    def wait(self, seconds=None):
        """(task, answer, None) or (task, None, why) of what has ended."""
        ends = [worker.deadline for worker in self._workers if worker.deadline is not None]
        left = min(ends, default=time.monotonic() + 1) - time.monotonic()
        left = max(0.0, left if seconds is None else min(left, seconds))
        ready = multiprocessing.connection.wait([worker.connection for worker in self._workers], left)
        ended = []
        for worker in list(self._workers):
            if worker.connection in ready:
                self._hear(worker, ended)
            elif worker.deadline is not None and time.monotonic() > worker.deadline:
                self._is_late(worker, ended)
        return ended

    def _hear(self, worker, ended):
        try:
            what, message = worker.connection.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            self._died(worker, ended)
            return
        if what == "cannot":
            raise Error(f"another process cannot have the function: {message}")
        if what == "loaded":
            worker.has_function = True
            self._hand_over(worker)
        elif what == "phase":
            worker.deadline = None if message == "waiting" else time.monotonic() + self._timeout
        elif what == "best":
            worker.connection.send(self.best_ms)
        else:
            task, worker.task, worker.deadline = worker.task, None, None
            if isinstance(message, dict) and message.pop("broken", False):
                self._replace(worker)
            ended.append((task, message, None))

    def _died(self, worker, ended):
        how = worker.death()
        if worker.task is None and not worker.ready:
            raise Error(f"a worker could not begin: {how}")
        if worker.task is not None:
            ended.append((worker.task, None, ("runtime", how)))
        self._replace(worker)

    def _is_late(self, worker, ended):
        if worker.task is None:
            raise Error(f"a worker did not begin within {_START_SECONDS} s{worker.tail()}")
        ended.append((worker.task, None, ("timeout", f"more than {self._timeout:g} s{worker.tail()}")))
        self._replace(worker)

    def _replace(self, worker):
        worker.end()
        self._workers.remove(worker)
        self._start()
