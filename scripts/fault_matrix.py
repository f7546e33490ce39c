#!/usr/bin/env python3
"""Judges the runs of scripts/fault_matrix.sh: fault_matrix.py TIMEOUT STATES DEVICE COMPILER

Each of the three files holds what `tuner run --progress json` told of one run over tests/data/faults. The
first says whether each variant got its state; the others what a fault cost: the time from one trial to the
next, less the deadline of what was killed at one. Prints a table; exit status 0 when all is as it must be.
"""

import json
import sys

TRIALS = 26  # in the first run: two block sizes for each of 13 faults
FAULTS = 13
HANG_DEADLINE = 3  # seconds that a kernel gets at most, if --timeout does not say less
MOST_OVERHEAD = 1  # seconds that a fault may cost beyond its deadline

# A healthy variant may look slower than the best one; who counts shared memory differs: the compiler, the
# host or the driver.
STATES = {
    "ok": {"ok", "dropped"},
    "compile": {"compile"}, "compile_hang": {"compile"}, "shared": {"compile", "constraints", "launch"},
    "threads": {"constraints"},
    "illegal": {"runtime"}, "misaligned": {"runtime"}, "trap": {"runtime"},
    "hang": {"timeout"},
}
OTHERS = {"correctness"}  # those that end with a wrong answer


def trials_of(lines):
    """The trials in a run's progress; other lines, such as warnings, are passed over."""
    found = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("event") == "trial":
            found.append(event)
    return found


def fault_of(trial):
    return trial["configuration"]["FAULT"]


def wrong_states(trials):
    told = []
    for trial in trials:
        allowed = STATES.get(fault_of(trial), OTHERS)
        if trial["state"] not in allowed:
            told.append(f"WRONG: {fault_of(trial)} got {trial['state']}, must be {' or '.join(sorted(allowed))}")
    return told


def add_spent(trials, spent):
    """Adds to `spent`, {fault: [state, seconds]}, the longest time that a trial of each fault took."""
    before = None
    for trial in trials:
        now = trial["elapsed_s"]
        if trial.get("from_store"):
            before = now
            continue
        one = spent.setdefault(fault_of(trial), [trial["state"], 0.0])
        one[0] = trial["state"]
        if trial["state"] == "constraints":
            continue  # never on the device
        if before is not None:  # the first one on the device waited for it
            one[1] = max(one[1], now - before)
        before = now


def deadline_of(fault, timeout):
    return {"compile_hang": timeout, "hang": min(timeout, HANG_DEADLINE)}.get(fault, 0)


def judge(timeout, states, device, compiler):
    """The lines to print, and whether all is as it must be."""
    wrong = wrong_states(states)
    spent = {}
    add_spent(device, spent)
    add_spent(compiler, spent)
    lines = [*wrong, f"{'variant':<14} {'state':<12} {'spent':>9} {'deadline':>9} {'overhead':>9}"]
    late = 0
    for fault, (state, seconds) in spent.items():
        deadline = deadline_of(fault, timeout)
        overhead = seconds - deadline
        late += overhead > MOST_OVERHEAD
        shown = f"{deadline:g} s" if deadline else "-"
        lines.append(f"{fault:<14} {state:<12} {seconds:7.2f} s {shown:>9} {overhead:7.2f} s"
                     + ("  LATE" if overhead > MOST_OVERHEAD else ""))
    lines.append(f"{len(states)} variants, {len(wrong)} with a wrong state; the longer of two for each fault: "
                 f"{late} of {len(spent)} late")
    return lines, not wrong and not late and len(states) == TRIALS and len(spent) == FAULTS


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    runs = []
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8", errors="replace") as file:
            runs.append(trials_of(file))
    lines, right = judge(float(sys.argv[1]), *runs)
    print("\n".join(lines))
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
