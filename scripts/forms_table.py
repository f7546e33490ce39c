#!/usr/bin/env python3
"""Markdown tables of the best variant of each form, from a folder of ranked CSV files.

usage: forms_table.py RESULTS

For every RESULTS/KERNEL/DEVICE/SIZE.csv: the fastest verified variant of each value of FORM (split
further where a textbook idea is a parameter of its own), its time relative to the best of all, and
the configuration. Above each table: what the best is worth beside the median of all that were measured.
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
FIXED = {"rank", "state", "time_ms", "ci_low_ms", "ci_high_ms", "min_ms", "samples", "tie", "registers",
         "static_shared_bytes", "dynamic_shared_bytes", "spill_bytes", "occupancy", "compile_ms",
         "cache_hit", "max_error", "message"}
METRICS = ("tflops", "gflops", "gbps")


def best_of_each(rows, idea):
    best = {}
    for row in rows:
        if row["state"] not in ("ok", "dropped"):
            continue
        key = idea(row)
        if key not in best or float(row["time_ms"]) < float(best[key]["time_ms"]):
            best[key] = row
    return sorted(best.items(), key=lambda item: -float(item[1]["time_ms"]))


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*/*.csv")):
        kernel, device, size = path.parts[-3], path.parts[-2], path.stem
        with open(path, newline="") as f:
            rows = list(csv.DictReader(f))
        if not rows or "FORM" not in rows[0]:
            continue
        dims = set(part.rstrip("0123456789") for part in size.split("_"))
        forms = best_of_each(rows, IDEAS.get(kernel, lambda r: r["FORM"]))
        if not forms:
            continue
        fastest = float(forms[-1][1]["time_ms"])
        metric = next((m for m in METRICS if m in rows[0]), None)
        print(f"### {kernel}, {size.replace('_', ', ')}, {device}\n")
        times = [float(r["time_ms"]) for r in rows if r["state"] in ("ok", "dropped")]
        median = statistics.median(times)
        print(f"{len(times)} variants measured, median {median:.4g} ms, {median / fastest:.2f} times the best.\n")
        print(f"| form | time, ms | times the best | {metric or ''} | configuration |")
        print("|---|---:|---:|---:|---|")
        for name, row in forms:
            parameters = " ".join(f"{k}={v}" for k, v in row.items()
                                  if k not in FIXED and k not in METRICS and k not in dims and k != "FORM")
            figure = f"{float(row[metric]):.0f}" if metric else ""
            print(f"| {name} | {float(row['time_ms']):.4g} | {float(row['time_ms']) / fastest:.2f} "
                  f"| {figure} | {parameters} |")
        print()


if __name__ == "__main__":
    main()
