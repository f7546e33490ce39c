#!/usr/bin/env python3
"""What scripts/house.py finds in small trees, one breach of each kind, and that a clean one is clean."""

import contextlib
import importlib.util
import io
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("house", ROOT / "scripts" / "house.py")
house = importlib.util.module_from_spec(spec)
spec.loader.exec_module(house)

CMAKE = "tuner_room(base)\ntuner_room(engine DEPENDS base)\n"
CLEAN = {
    "tuner/CMakeLists.txt": CMAKE,
    "tuner/base/a.h": "#pragma once\n// Numbers.\nint twice(int x);\n",
    "tuner/base/a.cpp": '// Doubles numbers.\n#include "tuner/base/a.h"\n\nint twice(int x) { return 2 * x; }\n',
    "tuner/engine/b.cpp": '// Uses them.\n#include "tuner/base/a.h"\n\nint main() {\n  return twice(1);\n}\n',
}


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = house.main(["--check", "--root", folder])
        return status, printed.getvalue().splitlines()


class House(unittest.TestCase):
    def test_a_clean_tree_is_clean(self):
        self.assertEqual(check(CLEAN), (0, []))

    def test_an_edge_without_an_include_is_found(self):
        files = CLEAN | {"tuner/CMakeLists.txt": CMAKE + "tuner_room(app DEPENDS engine LIBS x)\n"}
        self.assertEqual(check(files), (1, [
            "tuner/CMakeLists.txt: app depends on engine and includes nothing of it"]))

    def test_a_header_that_does_not_come_first_is_found(self):
        files = CLEAN | {"tuner/base/a.cpp": "// Numbers.\n#include <vector>\n" + CLEAN["tuner/base/a.cpp"]}
        self.assertEqual(check(files), (1, ["tuner/base/a.cpp: its own header does not come first"]))

    def test_a_long_function_is_found_with_its_place(self):
        body = "  f();\n" * 61
        files = CLEAN | {"tuner/engine/c.cpp": f"// Long.\n\nvoid long_one(int a,\n    int b) {{\n{body}}}\n"}
        self.assertEqual(check(files), (1, [
            "tuner/engine/c.cpp:3: long_one has 61 lines, more than 60"]))

    def test_braces_in_strings_and_comments_do_not_count(self):
        body = '  f("{");  // {\n' * 30
        files = CLEAN | {"tuner/engine/c.cpp": f"// Two.\nvoid a() {{\n{body}}}\n\nvoid b() {{\n{body}}}\n"}
        self.assertEqual(check(files), (0, []))

    def test_a_wide_port_and_a_wide_table_are_found(self):
        functions = "".join(f"  virtual int f{i}(int x) = 0;\n" for i in range(11))
        pointers = "".join(f"  int (*f{i})(void* self);\n" for i in range(11))
        files = CLEAN | {
            "tuner/CMakeLists.txt": CMAKE + "tuner_room(ports)\ntuner_room(plugin)\n",
            "tuner/ports/p.h": f"// A port.\nclass Port {{\n public:\n  virtual ~Port() = default;\n{functions}}};\n",
            "tuner/plugin/abi.h": f"/* A table. */\ntypedef struct tuner_t {{\n  void (*destroy)(void*);\n{pointers}}} tuner_t;\n",
        }
        _, found = check(files)
        self.assertIn("tuner/ports/p.h: Port has 11 functions, more than 10", found)
        self.assertIn("tuner/plugin/abi.h: tuner_t has 11 functions, more than 10", found)

    def test_a_file_that_does_not_say_what_it_is_for_is_found(self):
        files = CLEAN | {"tuner/engine/c.h": "#pragma once\n\nstruct X {};\n"}
        self.assertEqual(check(files), (1, [
            "tuner/engine/c.h:1: does not open with a sentence that says what it is for"]))

    def test_a_function_that_nobody_calls_is_found(self):
        files = CLEAN | {"tuner/engine/b.cpp": "// Nobody calls twice.\nint main() {\n  return 1;\n}\n",
                         "tuner/CMakeLists.txt": "tuner_room(base)\ntuner_room(engine)\n"}
        self.assertEqual(check(files), (1, ["tuner/base/a.h: twice is used by tests only"]))

    def test_a_benchmark_is_a_user(self):
        files = CLEAN | {"tuner/engine/b.cpp": "// One.\nint main() {\n  return 1;\n}\n",
                         "tuner/CMakeLists.txt": "tuner_room(base)\ntuner_room(engine)\n",
                         "benchmarks/space/m.cpp": "int main() {\n  return twice(1);\n}\n"}
        self.assertEqual(check(files), (0, []))

    def test_the_tables_count_files_lines_and_medians(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(house.main([]), 0)
        self.assertRegex(printed.getvalue(), r"(?m)^base +\d+ +\d+ +\d+$")
        self.assertRegex(printed.getvalue(), r"(?m)^functions: \d{4}, median \d+ lines")

    def test_no_tree_is_said(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(house.main(["--root", folder]), 2)
        self.assertIn("there are no sources under", said.getvalue())


if __name__ == "__main__":
    unittest.main()
