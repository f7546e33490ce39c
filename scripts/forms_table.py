#!/usr/bin/env python3
"""Markdown tables of the best variant of each form, from a folder of ranked CSV files.

usage: forms_table.py RESULTS

For every RESULTS/KERNEL/DEVICE/SIZE.csv: the best-ranked variant of each value of FORM (split further where a
textbook idea is a parameter of its own), its time, of the final (f) where it was in it, else of the search, and
how many times as long it takes as the best of all. Like is compared with like: two finals, or two figures of
the search. Where the file does not hold the winner's figure of the search, the fastest that it holds stands in:
"at least". Above each table: what the best is worth beside the median of all that were measured.
"""
import csv
import pathlib
import statistics
import sys

# Ideas that are not forms of their own.
IDEAS = {
    "matmul": lambda r: r["FORM"] + (f", {r['SHARED']}" if r["FORM"] in ("shared", "registers") else ""),
    "transpose": lambda r: r["FORM"] + ("" if r["FORM"] != "shared" else
                                        ", vectors" if r["VEC"] != "1" else
                                        ", swizzled" if r["SWIZZLE"] == "1" else
                                        ", padded" if r["PAD"] == "1" else ", not padded"),
    "reduction": lambda r: (r["FORM"] + (f", {r['SHARED']}" if r["FORM"] == "shared" else "") +
                            f", {r['FINISH']}"),
}
METRICS = ("tflops", "gflops", "gbps")


def number(row, column):
    return float(row[column]) if row[column] else None


def best_of_each(rows, idea):
    """The first of each, slowest first; rows come in the order of their ranks."""
    best = {}
    for row in rows:
        best.setdefault(idea(row), row)
    return list(reversed(best.items()))


def times_the_best(row, winner, searched):
    """How many times as long, as text; `searched` are all figures of the search."""
    if row is winner:
        return "1"
    if row["final_ms"] and winner["final_ms"]:
        return f"{number(row, 'final_ms') / number(winner, 'final_ms'):.2f}"
    if not row["search_ms"]:
        return ""
    known = number(winner, "search_ms")
    ratio = number(row, "search_ms") / (known or min(searched))
    return f"{'' if known else 'at least '}{ratio:.2f}"


def table_of(kernel, rows, dims):
    rows = [row for row in rows if row["rank"] and row["time_ms"]]
    forms = best_of_each(rows, IDEAS.get(kernel, lambda r: r["FORM"]))
    if not forms:
        return
    winner = rows[0]
    searched = [number(row, "search_ms") for row in rows if row["search_ms"]]
    metric = next((m for m in METRICS if m in winner), None)
    if searched:
        fastest = number(winner, "search_ms") or min(searched)
        median = statistics.median(searched)
        print(f"{len(rows)} variants measured; of the search's figures the median is {median:.4g} ms, "
              f"{'' if winner['search_ms'] else 'at least '}{median / fastest:.2f} times the best.\n")
    print(f"| form | time, ms | times the best | {metric or ''} | configuration |")
    print("|---|---:|---:|---:|---|")
    for name, row in forms:
        columns = list(row)[list(row).index("state") + 1:list(row).index("time_ms")]
        parameters = " ".join(f"{k}={row[k]}" for k in columns if k not in dims and k != "FORM")
        figure = f"{float(row[metric]):.0f}" if metric else ""
        basis = " f" if row["basis"] == "final" else ""
        print(f"| {name} | {number(row, 'time_ms'):.4g}{basis} | {times_the_best(row, winner, searched)} "
              f"| {figure} | {parameters} |")
    print()


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*/*.csv")):
        kernel, device, size = path.parts[-3], path.parts[-2], path.stem
        with open(path, newline="") as f:
            rows = list(csv.DictReader(f))
        if not rows or "FORM" not in rows[0]:
            continue
        if "basis" not in rows[0]:
            sys.exit(f"{path}: does not say which figures are the final's: an older tuner wrote it")
        print(f"### {kernel}, {size.replace('_', ', ')}, {device}\n")
        table_of(kernel, rows, {part.rstrip("0123456789") for part in size.split("_")})


if __name__ == "__main__":
    main()
