#!/usr/bin/env python3
"""Merges ranked CSV files of several runs of a domain into one archive, with the rows that an export looks at.

    merge.py OUT.tar.gz FROM... [--best 4] [--added NAME=VALUE...]

FROM, the newest last, are folders or .tar.gz archives of STUDY/DEVICE/SIZE.csv. Rows of a size and device that several
of them have are ranked anew; of a configuration that was measured twice the first row stays. Kept are the
configurations that are among the --best of any size of any device (0: all), with their rows at all sizes, since
predictors learn from these, too. --added: a parameter that the study has now, and the value that older files without it
were measured with."""

import argparse
import csv
import io
import pathlib
import tarfile

RANKED = ("ok", "dropped")  # states


def read(source):
    """{path: text} of the CSV files, and of what says which device they are of."""
    source = pathlib.Path(source)
    if source.is_dir():
        files = {str(path.relative_to(source)): path.read_text()
                 for pattern in ("*.csv", "device.json") for path in source.rglob(pattern)}
    else:
        with tarfile.open(source) as archive:
            files = {str(pathlib.PurePath(member.name)): archive.extractfile(member).read().decode()
                     for member in archive if member.name.endswith((".csv", "device.json"))}
    tables = {path: text for path, text in files.items() if path.endswith(".csv")}
    return tables, {path: text for path, text in files.items() if path not in tables}


def rows_of(text, added):
    lines = csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#"))
    missing = [name for name in added if name not in lines.fieldnames]
    at = lines.fieldnames.index("state") + 1
    header = lines.fieldnames[:at] + missing + lines.fieldnames[at:]
    return header, [{**added, **row} for row in lines if row["state"] in RANKED]


def configuration(row, columns):
    """The parameters: what stands between the state and the extents, which all rows of a file share."""
    return tuple(row[name] for name in columns)


def rank_of(row):
    """Finalists first: of the many others one may look faster by luck. What was dropped is last."""
    return row["state"] != "ok", row.get("basis") != "final", float(row["time_ms"])


def merged(sources, added):
    """{path: rows, fastest first and then what was dropped}, devices, all columns, the names of the parameters."""
    files, devices, header = {}, {}, []
    for source in sources:
        tables, of_devices = read(source)
        devices = {**of_devices, **devices}
        for path, text in tables.items():
            names, rows = rows_of(text, added)
            header = [*names, *(name for name in header if name not in names)]  # rare columns are in some files
            files[path] = sorted(files[path] + rows, key=rank_of) if path in files else rows
    parameters = header[header.index("state") + 1:header.index("time_ms")]
    for path, rows in files.items():
        first = {}
        for row in rows:
            first.setdefault(configuration(row, parameters), row)
        files[path] = list(first.values())
    extents = {name.strip("0123456789") for path in files for name in pathlib.PurePath(path).stem.split("_")}
    return files, devices, header, [name for name in parameters if name not in extents]


def table_of(rows, header):
    text = io.StringIO()
    table = csv.DictWriter(text, header, lineterminator="\n")
    table.writeheader()
    table.writerows({**row, "rank": rank} for rank, row in enumerate(rows, 1))
    return text.getvalue()


def write(out, files):
    with tarfile.open(out, "w:gz", compresslevel=9) as archive:
        for path, text in sorted(files.items()):
            data = text.encode()
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("sources", nargs="+", metavar="FROM")
    parser.add_argument("--best", type=int, default=4)
    parser.add_argument("--added", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    added = dict(one.split("=", 1) for one in options.added)
    files, devices, header, parameters = merged(options.sources, added)
    if options.best > 0:
        wanted = {configuration(row, parameters) for rows in files.values() for row in rows[:options.best]}
        files = {path: [row for row in rows if configuration(row, parameters) in wanted] for path, rows in files.items()}
    write(options.out, {**devices, **{path: table_of(rows, header) for path, rows in files.items()}})
    print(f"{options.out}: {sum(map(len, files.values()))} rows of {len(files)} sizes")


if __name__ == "__main__":
    main()
