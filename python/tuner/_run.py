"""One run of tune(): asks, has compiled and measured, tells and records."""

import ctypes
import json
import time

from tuner import _library
from tuner._space import values_of

_FINAL_MS = 400.0
_ROUNDS = (7, 31)
_RUNNERS = 2  # of what others compile: one is timed, one begins or checks
_AHEAD = 256  # that wait to be compiled, where all will be: the longest first
_NOT_COMPILED = {"compiled": False, "compile_ms": 0.0}


class Own(_library.Closing):
    """What was measured here, in the store of `tuner run`."""

    _end = _library.LIBRARY.tuner_own_close

    def __init__(self, study, folder, context):
        self._handle = _library.call(_library.LIBRARY.tuner_own_open, _library.as_bytes(study), _library.as_bytes(folder),
                                     json.dumps(context).encode())
        self._told = None  # until something is recorded

    def record(self, trials):
        self._told = None
        self._do(_library.LIBRARY.tuner_own_record, json.dumps(trials).encode())

    def results(self):
        if self._told is not None:
            return self._told
        pieces = []
        emit = _library.EMIT(lambda _, text, size: pieces.append(ctypes.string_at(text, size)))
        self._do(_library.LIBRARY.tuner_own_results, emit, None)
        self._told = json.loads(b"".join(pieces))
        return self._told


class _CompileTimes:
    """What a compilation will take, by those that had the same values: the longest begins first, lest all wait for it."""

    def __init__(self):
        self._seen = {}  # {(name, value): (milliseconds in all, how many)}

    def learn(self, configuration, milliseconds):
        for pair in configuration.items():
            total, count = self._seen.get(pair, (0.0, 0))
            self._seen[pair] = total + milliseconds, count + 1

    def longest(self, queue):
        """Taken out of it. A value that nobody has seen yet may be the longest."""
        def expected(queued):
            seen = [self._seen.get(pair, (float("inf"), 1)) for pair in queued[0].items()]
            return sum(total / count for total, count in seen)
        return queue.pop(max(range(len(queue)), key=lambda place: expected(queue[place])))


class Run:
    """Asks, has measured, tells and records, until nothing is left."""

    def __init__(self, task, own, search, heard):
        self.task, self.own, self.search, self.heard = task, own, search, heard
        self.known = {_key(one["configuration"]): one for result in own.results()["results"] for one in result["trials"]}
        self.before = len(self.known)
        self.best_ms = min((one["search_ms"] for one in self.known.values() if one["state"] in ("ok", "dropped")),
                           default=0.0)
        self.counted, self.asked, self.stopped = set(), {}, False  # keys of what the search, or the user, has asked for
        options = task.options
        self.most = options["evaluations"] or float("inf")
        self.end = time.monotonic() + options["seconds"] if options["seconds"] else float("inf")
        self.first = [one for one in (options["baseline"], *options["first"]) if one]
        self.from_store = 0  # answers of earlier calls that the search was given

    def next(self):
        """A configuration that is not known yet; None: none now."""
        while self.first:
            configuration = self.first.pop(0)
            if _key(configuration) not in self.known and _key(configuration) not in self.asked:
                self.asked[_key(configuration)] = None
                return configuration
        while not self.stopped and self._begun() < self.most and time.monotonic() < self.end:
            question = self.search.ask()
            if question is None:
                return None
            number, configuration = question
            key = _key(configuration)
            if key in self.known:
                self.from_store += key not in self.counted
                self.tell(number, self.known[key])
            elif key in self.asked:  # the baseline, which is at work already
                self.asked[key] = number
            else:
                self.asked[key] = number
                return configuration
        return None

    def _begun(self):
        """How many the budget counts: answered or at work."""
        return len(self.counted) + sum(key not in self.counted for key in self.asked)

    def tell(self, number, trial):
        self.counted.add(_key(trial["configuration"]))
        if trial["state"] in ("ok", "dropped"):
            self.search.tell(number, trial["search_ms"], trial["cost_seconds"])
        else:
            self.search.fail(number)

    def take(self, configuration, trial):
        trial["configuration"] = configuration
        self.own.record([trial])
        if "samples" in trial:
            trial["samples_ms"] = trial.pop("samples")
            trial["search_ms"] = sorted(trial["samples_ms"])[len(trial["samples_ms"]) // 2]
            self.best_ms = min(self.best_ms or float("inf"), trial["search_ms"])
        key = _key(configuration)
        self.known[key] = trial
        self.counted.add(key)
        number = self.asked.pop(key, None)
        if number is not None:
            self.tell(number, trial)
        told = {name: trial.get(name) for name in ("configuration", "state", "max_error", "compile_ms", "cost_seconds")}
        told["configuration"] = values_of(configuration)
        told.update(time_ms=trial.get("search_ms"), message=trial.get("message", ""), samples_ms=trial.get("samples_ms"))
        if self.heard(told, self.best_ms, self.from_store) is True:
            self.stopped = True

    def go(self, pool, jobs, inputs):
        """Until nothing is left to ask for and nothing at work."""
        apart = self.task.apart is not None
        # (configuration, what is known of its compilation); "again": what failed behind others in its process
        queues = {"compile": [], "run": [], "again": []}
        runners, given, times = _RUNNERS if apart else jobs, False, _CompileTimes()
        ahead = jobs if not apart else _AHEAD if self.task.measures_all() else jobs + _RUNNERS
        while True:
            while len(self.asked) < ahead and (configuration := self.next()) is not None:
                queues["compile" if apart else "run"].append((configuration, _NOT_COMPILED))
            if self.stopped:
                self._forget(queues)
            if not self.asked:
                return
            if apart:
                pool.grow("compile", min(jobs, len(self.asked)))
            pool.grow("run", min(runners, len(self.asked)))
            if not given:
                pool.give_inputs(inputs())  # while the workers begin
                given = True
            pool.best_ms = self.best_ms
            for worker in pool.idle("compile")[:len(queues["compile"])]:
                configuration, _ = times.longest(queues["compile"])
                pool.begin(worker, configuration, "compile", values_of(configuration))
            for worker in pool.idle("run", fresh=True)[:len(queues["again"])]:
                configuration, compiled = queues["again"].pop(0)
                pool.begin(worker, configuration, "variant", values_of(configuration), compiled)
            for worker in pool.idle("run")[:len(queues["run"])]:
                configuration, compiled = queues["run"].pop(0)
                pool.begin(worker, configuration, "variant", values_of(configuration), compiled)
            for ended in pool.wait():
                if ended.role == "run" and ended.may_be_of_others:
                    queues["again"].append((ended.task, _NOT_COMPILED))
                elif ended.role == "run":
                    self.take(ended.task, ended.trial)
                elif ended.why is not None:  # if that is its own fault, those who run it will see it again
                    queues["run"].append((ended.task, _NOT_COMPILED))
                else:
                    queues["run"].append((ended.task, ended.answer))
                    times.learn(ended.task, ended.answer["compile_ms"])
                    if ended.answer["cannot"]:  # so those who run it compile, and side by side
                        runners = min(runners + 1, jobs)

    def _forget(self, queues):
        for queue in queues.values():
            for configuration, _ in queue:
                del self.asked[_key(configuration)]
            queue.clear()

    def final(self, pool, inputs):
        """The best few in turns, by one worker, where one is due. What fails there is tried alone before that counts: it
        may be the fault of another."""
        left_out = set()
        while True:
            finalists = [one for one in self.own.results()["finalists"] if _key(one) not in left_out]
            if len(finalists) < 2:
                return
            if pool.size("run") == 0:
                pool.grow("run", 1)
                pool.give_inputs(inputs())
            ended = self._turns(pool, finalists)
            if not ended.failed:
                self._record_final(finalists, ended.answer["taken"])
                return
            accused = finalists[(ended.answer or {}).get("failed", ended.place)]
            left_out.add(_key(accused))
            ended = self._turns(pool, [accused], fresh=True)
            if ended.failed:
                trial = {**ended.trial, "message": "in the final: " + ended.trial["message"]}
                self.take(accused, {key: trial[key] for key in ("state", "message", "cost_seconds") if key in trial})

    def _turns(self, pool, finalists, fresh=False):
        rounds = int(_FINAL_MS / (len(finalists) * max(self.best_ms, 1e-3)))
        rounds = min(max(rounds, _ROUNDS[0]), _ROUNDS[1])
        while not pool.idle("run", fresh):
            if fresh and pool.idle("run"):
                pool.renew_one()
            pool.wait()
        pool.begin(pool.idle("run", fresh)[0], "final", "final", list(map(values_of, finalists)), self.task.options["seed"], rounds)
        while not (ended := pool.wait()):
            pass
        return ended[0]

    def _record_final(self, finalists, all_taken):
        trials = []
        for configuration, taken in zip(finalists, all_taken):
            before = self.known[_key(configuration)]
            trials.append({**{key: before[key] for key in ("configuration", "state", "compile_ms", "cost_seconds",
                                                           "max_error") if before.get(key) is not None},
                           "samples": before["samples_ms"], "final": taken})
        self.own.record(trials)


def _key(configuration):
    return json.dumps(configuration, sort_keys=True)
