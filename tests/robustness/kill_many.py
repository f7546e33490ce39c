#!/usr/bin/env python3
r"""Kills tuners and their workers at random moments, and checks that nothing is lost:

    kill_many.py --tuner build/release/bin/tuner --coordinator 100 --healthy 100 --worker 100 --terminate 50 \
        --together 10

After each kill -9 of the coordinator: every trial that was reported is in the database, which opens
and is whole; the next run measures nothing again that was recorded, unless it says that the device has
become faster or slower; no process and no temporary file is left. After kills of workers, and at the end of every chain of killed runs: the ranking is that of
an undisturbed run, apart from times. However often a run of healthy variants is killed, all of them are
valid in the end. SIGTERM once ends a run cleanly, twice at once. Two tuners on
one results folder both do their work.
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import sys
import time

sys.dont_write_bytecode = True

from sandbox import (HEALTHY_STUDY, Failure, Sandbox, events, expect, kill, ranking, run_words, stored)

LONGEST_CHAIN = 4  # kills before a run is left alone
MOST_DEATHS = 3  # as in store.h: of the last of them one variant is held responsible
AGAIN = ("than when these results were measured", "stored results are measured again")
HEALTHY = {"ok", "dropped"}
AT_ONCE_SECONDS = 60  # after three it ends whatever it does, if the machine lets it


class Undisturbed:
    """What a run gives, and how long it takes, when nobody disturbs it."""

    def __init__(self, sandbox):
        self.seconds = {}
        for kind in ("cold", "warm"):
            begin = time.monotonic()
            status, text = sandbox.run(*run_words(f"undisturbed-{kind}"))
            expect(status == 0, f"an undisturbed run ended with {status}:\n{text}")
            self.seconds[kind] = time.monotonic() - begin
        self.ranking = ranking(sandbox.root / "undisturbed-warm")
        expect_as_undisturbed(sandbox, self, "undisturbed-cold")


class Counts(collections.Counter):
    def __str__(self):
        return ", ".join(f"{number} {what}" for what, number in self.items())


def cache_for(sandbox, random_source, chain):
    """Mostly compiled already, sometimes not: then it is the compile workers that are busy."""
    if random_source.random() < 0.7:
        return "cache", "warm"
    return f"cold-cache-{chain}", "cold"


def expect_as_undisturbed(sandbox, undisturbed, results, blamed=()):
    found = ranking(sandbox.root / results)
    for key in blamed:  # whoever dies so often while one variant runs has to suspect that variant
        expect(found[key][0] == "runtime" and "took the tuner down" in found[key][1],
               f"{key} is {found[key]} after {MOST_DEATHS} deaths")
        found[key] = undisturbed.ranking[key]
    for key in set(found) | set(undisturbed.ranking):
        expect(found.get(key) == undisturbed.ranking.get(key),
               f"{key}: {found.get(key)} instead of {undisturbed.ranking.get(key)}")


def check_trials(sandbox, process, results, before, blamed=()):
    """Returns what the database holds now. The next run writes down who is blamed, when it comes that
    far."""
    reported = events(process)
    trials, flying = stored(sandbox.root / results)
    # A run that says so measures again what gave a right answer when the device was faster or slower.
    log = process.log.read_text(errors="replace")
    again = any(words in log for words in AGAIN)

    def same(one, other):
        return one == other or (again and {one, other} <= HEALTHY)

    for key, event in reported.items():
        expect(key in trials, f"{key} was reported and is lost")
        expect(trials[key] == event["state"], f"{key}: {event['state']} became {trials[key]}")
        may_be_again = again and before.get(key) in HEALTHY
        expect(event["from_store"] == (key in before) or may_be_again,
               f"{key} was measured twice")
    for key, state in before.items():
        if key in blamed and key not in trials:
            continue
        expect(same(trials.get(key), state), f"{key} was {state} and is {trials.get(key)}")
    # The one on the device, and the one before it while its verdict is being written down: the device
    # does not wait for the disk.
    expect(len(flying) <= 2, f"more than two in flight: {flying}")
    return trials, flying, len(reported)


def kill_coordinators(sandbox, undisturbed, wanted, random_source):
    counts = Counts()
    chain = 0
    while counts["kills"] < wanted:
        chain += 1
        results = f"coordinator-{chain}"
        cache, kind = cache_for(sandbox, random_source, chain)
        trials, blamed, kills = {}, set(), 0
        while True:
            process = sandbox.start(*run_words(results), cache=cache)
            if kills < LONGEST_CHAIN and counts["kills"] < wanted:
                try:
                    process.wait(random_source.uniform(0, undisturbed.seconds[kind]))
                except Exception:
                    kill(process)
            status = process.wait(timeout=300)
            sandbox.expect_nothing_left()
            known = {**trials, **{key: "runtime" for key in blamed}}
            trials, flying, reported = check_trials(sandbox, process, results, known, blamed)
            if status != -signal.SIGKILL:
                break
            kills += 1
            counts["kills"] += 1
            counts["of them while trials came in"] += reported > 0
            counts["with a configuration in flight"] += bool(flying)
            # The database counts a death when the next run comes to it, which it may not live to do:
            # the same flight may be seen here again.
            for key, deaths in flying.items():
                if deaths == MOST_DEATHS - 1 and key not in blamed:
                    blamed.add(key)
                    counts["configurations held responsible"] += 1
        expect(status == 0, f"the last run of chain {chain} ended with {status}:\n"
               + process.log.read_text())
        expect_as_undisturbed(sandbox, undisturbed, results, blamed)
        counts["runs resumed to the end"] += kills > 0
        shutil.rmtree(sandbox.root / results)
    return counts


def kill_among_healthy(sandbox, _undisturbed, wanted, random_source):
    """One run, killed and begun again: each variant is valid in the end, whatever was in flight."""
    counts = Counts()
    begin = time.monotonic()
    status, text = sandbox.run(*run_words("healthy-undisturbed", study=HEALTHY_STUDY))
    expect(status == 0, f"an undisturbed run ended with {status}:\n{text}")
    seconds = time.monotonic() - begin
    chain = 0
    while counts["kills"] < wanted:
        chain += 1
        results = f"healthy-{chain}"
        status = -signal.SIGKILL
        while status == -signal.SIGKILL:
            process = sandbox.start(*run_words(results, study=HEALTHY_STUDY))
            if counts["kills"] < wanted:
                try:
                    process.wait(random_source.uniform(0, seconds))
                except Exception:
                    kill(process)
            status = process.wait(timeout=300)
            sandbox.expect_nothing_left()
            killed = status == -signal.SIGKILL
            counts["kills"] += killed
            counts["with a configuration in flight"] += killed and bool(stored(sandbox.root / results)[1])
        expect(status == 0, f"the last run of chain {chain} ended with {status}:\n" + process.log.read_text())
        found = ranking(sandbox.root / results)
        wrong = {key: facts for key, facts in found.items() if facts[0] != "valid"}
        expect(len(found) == 88 and not wrong, f"of {len(found)} healthy variants these are not valid: {wrong}")
        counts["runs that came to an end, all 88 valid"] += 1
        shutil.rmtree(sandbox.root / results)
    return counts


def workers_of(process):
    """Its workers by role; a run worker is the child of a keeper, which has a role of its own. A compile worker's
    children look the same, but clean up behind it: nothing would clean up behind them."""
    workers = {}
    for entry in os.listdir("/proc"):
        try:
            if not entry.isdigit():
                continue
            words = pathlib.Path("/proc", entry, "cmdline").read_bytes().split(b"\0")
            stat = pathlib.Path("/proc", entry, "stat").read_text()
        except OSError:
            continue
        state, parent = stat.rpartition(")")[2].split()[:2]
        if state != "Z" and words[1:2] == [b"worker"]:
            workers[int(entry)] = (words[2].decode(), int(parent))
    own = {pid for pid, (_, parent) in workers.items() if parent == process.pid}
    own |= {pid for pid, (_, parent) in workers.items() if parent in own and workers[parent][0] == "keep"}
    return [(workers[pid][0], pid) for pid in own]


def kill_workers(sandbox, undisturbed, wanted, random_source):
    counts = Counts()
    chain = 0
    while counts["kills"] < wanted:
        chain += 1
        results = f"worker-{chain}"
        cache, kind = cache_for(sandbox, random_source, chain)
        process = sandbox.start(*run_words(results), cache=cache)
        for _ in range(LONGEST_CHAIN):
            time.sleep(random_source.uniform(0, undisturbed.seconds[kind] / LONGEST_CHAIN))
            workers = workers_of(process)
            if process.poll() is not None or not workers or counts["kills"] == wanted:
                break
            role = random_source.choice(sorted({role for role, _ in workers}))
            pid = random_source.choice([pid for one, pid in workers if one == role])
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            counts["kills"] += 1
            counts[f"of {role} workers"] += 1
        status = process.wait(timeout=300)
        text = process.log.read_text(errors="replace")
        expect(status == 0, f"a run whose workers were killed ended with {status}:\n{text}")
        check_trials(sandbox, process, results, {})
        sandbox.expect_nothing_left()
        expect_as_undisturbed(sandbox, undisturbed, results)
        counts["runs"] += 1
        shutil.rmtree(sandbox.root / results)
    return counts


def terminate(sandbox, undisturbed, wanted, random_source):
    counts = Counts()
    while counts["runs"] < wanted:
        counts["runs"] += 1
        results = f"terminate-{counts['runs']}"
        signals = counts["runs"] % 2 + 1
        process = sandbox.start(*run_words(results))
        time.sleep(random_source.uniform(0.1, undisturbed.seconds["warm"]))
        begin = time.monotonic()
        for _ in range(signals):
            kill(process, signal.SIGTERM)
            time.sleep(0.02)
        status = process.wait(timeout=300)
        seconds = time.monotonic() - begin
        # -SIGTERM: it came before the run began to listen, and before anything was done.
        expect(status in (0, 130, -signal.SIGTERM), f"SIGTERM ended a run with {status}")
        expect(signals == 1 or seconds < AT_ONCE_SECONDS, f"SIGTERM twice took {seconds:.1f} s")
        sandbox.expect_nothing_left()
        trials, flying, _ = check_trials(sandbox, process, results, {})
        expect(not flying, f"interrupted, and {flying} is still in flight")
        counts["ended by one signal" if signals == 1 else "ended by two"] += status == 130
        again = sandbox.start(*run_words(results))
        expect(again.wait(timeout=300) == 0, "a resumed run failed:\n" + again.log.read_text())
        check_trials(sandbox, again, results, trials)
        expect_as_undisturbed(sandbox, undisturbed, results)
        shutil.rmtree(sandbox.root / results)
    return counts


def work_together(sandbox, undisturbed, wanted, random_source):
    """Two tuners on one results folder, one of them killed now and then."""
    counts = Counts()
    while counts["pairs"] < wanted:
        counts["pairs"] += 1
        results = f"together-{counts['pairs']}"
        first, second = (sandbox.start(*run_words(results)) for _ in range(2))
        if counts["pairs"] % 2 == 0:
            time.sleep(random_source.uniform(0.2, undisturbed.seconds["warm"]))
            counts["of them with one killed"] += first.poll() is None
            kill(first)
        for process in (first, second):
            status = process.wait(timeout=300)
            killed = process is first and status == -signal.SIGKILL
            expect(status == 0 or killed, f"one of two ended with {status}:\n"
                   + process.log.read_text())
        sandbox.expect_nothing_left()
        trials, _ = stored(sandbox.root / results)
        for process in (first, second):
            for key in events(process):
                expect(key in trials, f"{key} was reported and is lost")
        again = sandbox.start(*run_words(results))
        expect(again.wait(timeout=300) == 0, "a run after two failed:\n" + again.log.read_text())
        check_trials(sandbox, again, results, trials)
        expect_as_undisturbed(sandbox, undisturbed, results)
        shutil.rmtree(sandbox.root / results)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuner", required=True)
    parser.add_argument("--coordinator", type=int, default=5, help="kills of the coordinator")
    parser.add_argument("--healthy", type=int, default=5, help="kills among healthy variants only")
    parser.add_argument("--worker", type=int, default=5, help="kills of a worker")
    parser.add_argument("--terminate", type=int, default=4, help="runs that get SIGTERM")
    parser.add_argument("--together", type=int, default=2, help="pairs of tuners on one folder")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    random_source = random.Random(options.seed)
    sandbox = Sandbox(options.tuner)
    try:
        undisturbed = Undisturbed(sandbox)
        print(f"seed {options.seed}; {len(undisturbed.ranking)} configurations; undisturbed: "
              + ", ".join(f"{s:.1f} s {kind}" for kind, s in undisturbed.seconds.items()))
        for name, what, wanted in (("kill -9 of the coordinator", kill_coordinators,
                                    options.coordinator),
                                   ("kill -9 among 88 healthy variants", kill_among_healthy,
                                    options.healthy),
                                   ("kill -9 of a worker", kill_workers, options.worker),
                                   ("SIGTERM", terminate, options.terminate),
                                   ("two at once", work_together, options.together)):
            print(f"{name}: {what(sandbox, undisturbed, wanted, random_source)}", flush=True)
        print("nothing lost, nothing measured twice, nothing left behind")
        return 0
    except Failure as failure:
        print(f"FAILED (seed {options.seed}): {failure}", file=sys.stderr)
        return 1
    finally:
        for process in sandbox.processes():
            os.kill(process, signal.SIGKILL)
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
