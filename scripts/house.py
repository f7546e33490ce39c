#!/usr/bin/env python3
"""Measures the house of docs/architecture.md and checks the rules that a compiler does not know.

    house.py            one table: files, lines and median per room, then what breaks a rule
    house.py --check    only what breaks a rule; exit status 1 if anything does

The rules: a room includes something of each room that CMake lets it see (tests/architecture looks at the
other direction); a source includes its own header
first (so that each header is compiled alone); no port and no ABI table has more than 10 functions; no
function has more than 60 lines; nothing that a room's header declares is used by tests only; each file
opens with a sentence that says what it is for.

Sources are read as text. That is enough because clang-format lays all of them out alike.
"""

import argparse
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

MOST_FUNCTION_LINES = 60
MOST_INTERFACE_FUNCTIONS = 10

NOT_A_FUNCTION = re.compile(
    r"^\s*(namespace|class|struct|union|enum|extern|if|for|while|switch|do|else|try|catch|return|case|"
    r"default|static const|constexpr|inline constexpr|typedef|using|template <[^(]*> struct)\b")


def without_comments(text):
    """The text with comments, string and character literals blanked; lines stay where they are."""
    pattern = re.compile(
        r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'
        r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'", re.S)

    def blank(match):
        found = match.group(0)
        kept = '""' if found[0] in 'R"' else ""
        return kept + "\n" * found.count("\n")
    without_macros = re.sub(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" *
                            m.group(0).count("\n"), pattern.sub(blank, text), flags=re.M)
    return without_macros


class Source:
    """One file of the house, or of the benchmarks, which use it."""

    def __init__(self, root, path):
        self.path = path
        self.name = path.relative_to(root).as_posix()
        parts = path.relative_to(root).parts[1:]
        self.room = "/".join(parts[:2]) if parts[0] == "plugins" else parts[0]
        self.text = path.read_text(encoding="utf-8")
        self.code = without_comments(self.text)
        self.lines = self.text.count("\n")

    def includes(self):
        return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', self.text, re.M)


def read_sources(root, folder):
    files = sorted(p for p in (root / folder).rglob("*") if p.suffix in (".h", ".cpp"))
    return [Source(root, path) for path in files]


# ---- functions ---------------------------------------------------------------------------------

def functions_of(code):
    """(name, first line, lines) of every function body; clang-format closes a body at the column
    where its statement began."""
    lines = code.split("\n")
    found = []
    for at, line in enumerate(lines):
        if not line.rstrip().endswith("{"):
            continue
        first = at
        while first > 0 and is_continued(lines[first - 1]):
            first -= 1
        head = " ".join(part.strip() for part in lines[first:at + 1])
        if "(" not in head or NOT_A_FUNCTION.match(head) or re.search(r"[=(,]\s*(\[|\{$)", head):
            continue
        name = re.search(r"([\w:~]+|operator\S+)\s*\(", head)
        indent = len(lines[first]) - len(lines[first].lstrip())
        end = next((i for i in range(at + 1, len(lines))
                    if lines[i].startswith(" " * indent + "}")), None)
        if name and end is not None:
            found.append((name.group(1), first + 1, end - at - 1))
    return found


def is_continued(line):
    """Whether the statement of this line goes on in the next."""
    text = line.strip()
    return bool(text) and text[-1] not in ";{}:" and not text.startswith("#")


def long_functions(house):
    return [f"{source.name}:{line}: {name} has {length} lines, more than {MOST_FUNCTION_LINES}"
            for source in house
            for name, line, length in functions_of(source.code) if length > MOST_FUNCTION_LINES]


# ---- interfaces --------------------------------------------------------------------------------

def interfaces_of(source):
    """(name, number of functions) of the classes with virtual functions and of the tables of function
    pointers in a header."""
    for match in re.finditer(r"^(?:class|struct|typedef struct) (\w+)[^;{]*\{\n(.*?)^\}", source.code,
                             re.M | re.S):
        name, body = match.groups()
        virtual = re.findall(r"^\s*virtual [^~;]*?\b\w+\(", body, re.M)
        pointers = re.findall(r"\(\*(?!destroy)\w+\)\(", body)
        yield name, len(virtual) + len(pointers)


def wide_interfaces(house):
    for source in house:
        is_boundary = source.room == "ports" or source.name.startswith("tuner/plugin/abi")
        if source.path.suffix != ".h" or not is_boundary:
            continue
        for name, functions in interfaces_of(source):
            if functions > MOST_INTERFACE_FUNCTIONS:
                yield (f"{source.name}: {name} has {functions} functions, more than "
                       f"{MOST_INTERFACE_FUNCTIONS}")


# ---- rooms -------------------------------------------------------------------------------------

def declared_edges(cmake):
    """room -> rooms that tuner_room(room DEPENDS ...) names."""
    edges = {}
    for call in re.findall(r"tuner_room\(([^)]*)\)", cmake):
        words = call.split()
        rooms, listed = [], False
        for word in words[1:]:
            if word in ("DEPENDS", "LIBS"):
                listed = word == "DEPENDS"
            elif listed:
                rooms.append(word)
        edges[words[0]] = set(rooms)
    return edges


def included_edges(house):
    """room -> rooms that its files include; what is for authors of plugins needs none."""
    edges = defaultdict(set)
    for source in house:
        for include in source.includes():
            parts = include.split("/")
            if include == "tuner/plugin/abi.h" or include.startswith("tuner/plugin/sdk"):
                continue
            if parts[0] == "tuner" and len(parts) > 2 and parts[1] != source.room:
                edges[source.room].add(parts[1])
    return edges


def wrong_edges(house, cmake):
    declared, included = declared_edges(cmake), included_edges(house)
    for room, below in sorted(declared.items()):
        for other in sorted(below - included[room]):
            yield f"tuner/CMakeLists.txt: {room} depends on {other} and includes nothing of it"


def headers_not_first(house):
    """A header with a source of its own is compiled alone when that source includes it first."""
    names = {source.name for source in house}
    for source in house:
        header = source.name[:-len(".cpp")] + ".h"
        if source.path.suffix != ".cpp" or header not in names:
            continue
        includes = source.includes()
        if not includes or includes[0] != header:
            yield f"{source.name}: its own header does not come first"


def without_a_sentence(house):
    for source in house:
        if not re.match(r"(#pragma once\n|#ifndef \w+\n)?\s*(//|/\*)", source.text):
            yield f"{source.name}:1: does not open with a sentence that says what it is for"


# ---- names that only tests use -------------------------------------------------------------------

# What a library calls by these names.
CALLED_BY_LIBRARIES = {"to_json", "from_json"}

DECLARED = re.compile(r"^(?: {2})?(?=\S)(?!return|else|using|typedef|friend|#)"
                      r"(?:[\w:<>,&*\[\]\s~]+?[\s&*>])(?P<name>[a-z]\w*)\(", re.M)


def words_of(code):
    return re.findall(r"[A-Za-z_]\w*", code)


def only_for_tests(house, others=()):
    """Functions that a header of the house declares and that neither it nor `others` call."""
    called = defaultdict(set)  # word -> files that have it where a call can be
    for source in [*house, *others]:
        for word in words_of(calling_lines(source)):
            called[word].add(source.name)
    for source in house:
        is_sdk = source.name.startswith(("tuner/plugin/sdk", "tuner/plugin/abi"))
        is_public = source.name in ("tuner/library/tuner.h", "tuner/library/tuner_c.h")
        if source.path.suffix != ".h" or source.room.startswith("plugins/") or is_sdk or is_public:
            continue  # for authors of plugins, and for applications
        for name in sorted({m.group("name") for m in DECLARED.finditer(source.code)}):
            if (called[name] - {source.name} or name in CALLED_BY_LIBRARIES or
                    is_called_inline(source.code, name)):
                continue
            if not overrides(source.code, name):
                yield f"{source.name}: {name} is used by tests only"


def calling_lines(source):
    """What is indented in a source, since definitions begin in the first column; all of a header."""
    if source.path.suffix == ".h":
        return source.code
    lines = source.code.split("\n")
    return "\n".join(line if line.startswith(" ") else line.partition("{")[2] for line in lines)


def is_called_inline(code, name):
    """Called in a header, or handed on there as a function."""
    return re.search(rf"(?:[.(!{{=]\s*|->|return ){name}\(|[,{{(]\s*&?{name}\s*[,}})]", code) is not None


def overrides(code, name):
    return re.search(rf"\b{name}\([^;{{]*\b(override|final)\b", code) is not None


# ---- the report --------------------------------------------------------------------------------

def breaches(house, benchmarks, cmake):
    return [*wrong_edges(house, cmake), *headers_not_first(house), *wide_interfaces(house),
            *long_functions(house), *without_a_sentence(house), *only_for_tests(house, benchmarks)]


def table(house, benchmarks):
    rooms = defaultdict(list)
    for source in house:
        rooms[source.room].append(source.lines)
    rows = [f"{'room':<20} {'files':>6} {'lines':>7} {'median':>7}"]
    for room, lines in [*sorted(rooms.items()), ("all", [s.lines for s in house])]:
        rows.append(f"{room:<20} {len(lines):>6} {sum(lines):>7} {int(statistics.median(lines)):>7}")
    every = [length for source in house for _, _, length in functions_of(source.code)]
    rows.append(f"functions: {len(every)}, median {int(statistics.median(every))} lines, "
                f"{sum(n > MOST_FUNCTION_LINES for n in every)} over {MOST_FUNCTION_LINES}")
    wide = [b for b in wide_interfaces(house)]
    rows.append(f"interfaces over {MOST_INTERFACE_FUNCTIONS} functions: {len(wide)}")
    unused = list(only_for_tests(house, benchmarks))
    rows.append(f"names used by tests only: {len(unused)}")
    rows.append(f"files without an opening sentence: {len(list(without_a_sentence(house)))}")
    return "\n".join(rows)


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only what breaks a rule")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args(words)
    house = read_sources(options.root, "tuner")
    if not house:
        print(f"there are no sources under {options.root / 'tuner'}", file=sys.stderr)
        return 2
    benchmarks = read_sources(options.root, "benchmarks")
    cmake = (options.root / "tuner" / "CMakeLists.txt").read_text(encoding="utf-8")
    found = breaches(house, benchmarks, cmake)
    if not options.check:
        print(table(house, benchmarks))
    for line in found:
        print(line)
    return 1 if options.check and found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
