#!/usr/bin/env python3
"""scripts/lint_batches.py joins only sources that clang-tidy would judge alike one by one."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "scripts" / "lint_batches.py"


class LintBatches(unittest.TestCase):
    def batches(self, sources, options=()):
        """Sets of the sources that stand together; `options` are those of single sources."""
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            commands = []
            for path, text in sources.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
                words = ["c++", *dict(options).get(path, []), "-c", str(root / path), "-o", "x.o"]
                commands.append({"directory": name, "file": str(root / path), "arguments": words})
            (root / "compile_commands.json").write_text(json.dumps(commands))
            done = subprocess.run([sys.executable, PROGRAM, root, root / "out"], cwd=root, check=True,
                                  input="\n".join(sources), capture_output=True, text=True)
            together = []
            for line in done.stdout.splitlines():
                batch, *paths = line.split()
                joined = Path(batch).read_text()
                for path in paths:
                    self.assertIn(sources[path], joined)
                together.append(set(paths))
            self.written = json.loads((root / "out" / "compile_commands.json").read_text())
            self.assertEqual(len(self.written), len(together) + len(sources))
        self.assertEqual(sorted(p for paths in together for p in paths), sorted(sources))
        return together

    def test_strangers_are_joined(self):
        self.assertEqual(self.batches({"a.cpp": "int f() { return 1; }\n",
                                       "b.cpp": "int g() { return 2; }\n"}),
                         [{"a.cpp", "b.cpp"}])

    def test_sources_that_cmake_joined_have_the_options_of_the_joined_file(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            joined = root / "build" / "Unity" / "unity_0_cxx.cxx"
            joined.parent.mkdir(parents=True)
            paths = [root / "a.cpp", root / "b.cpp"]
            for path in paths:
                path.write_text(f"int {path.stem}() {{ return 1; }}\n")
            joined.write_text("".join(f'#include "{path}"\n\n' for path in paths))
            (root / "compile_commands.json").write_text(json.dumps(
                [{"directory": name, "file": str(joined),
                  "command": f"c++ -DX=1 -Xclang -include -Xclang {root}/cmake_pch.hxx -o x.o -c {joined}"}]))
            subprocess.run([sys.executable, PROGRAM, root, root / "out"], cwd=root, check=True,
                           input="a.cpp\nb.cpp", capture_output=True, text=True)
            written = json.loads((root / "out" / "compile_commands.json").read_text())
        self.assertEqual({entry["file"]: entry["arguments"] for entry in written[1:]},
                         {str(path): ["c++", "-DX=1", "-c", str(path)] for path in paths})

    def test_a_name_of_its_own_that_another_mentions_keeps_them_apart(self):
        own = "namespace {\nint helper() { return 1; }\n}  // namespace\n"
        self.assertEqual(len(self.batches({"a.cpp": own, "b.cpp": own})), 2)
        self.assertEqual(len(self.batches({"a.cpp": own, "b.cpp": "int helper(int);\n"})), 2)
        constant, mention = "static int kMost = 1;\n", "int f(int kMost);\n"
        self.assertEqual(len(self.batches({"a.cpp": constant, "b.cpp": mention})), 2)
        self.assertEqual(len(self.batches({"a.cpp": mention, "b.cpp": constant})), 2)

    def test_the_same_alias_does_not_keep_them_apart_but_another_one_does(self):
        self.assertEqual(len(self.batches({"a.cpp": "namespace fs = std::filesystem;\n",
                                           "b.cpp": "namespace fs = std::filesystem;\n"})), 1)
        self.assertEqual(len(self.batches({"a.cpp": "namespace fs = std::filesystem;\n",
                                           "b.cpp": "namespace fs = boost::filesystem;\n"})), 2)

    def test_nothing_follows_what_reaches_further(self):
        for line in ("#define N 1\n", "#pragma once\n", "using namespace std;\n"):
            with self.subTest(line=line):
                found = self.batches({"a.cpp": line, "b.cpp": "int b;\n", "c.cpp": "int c;\n"})
                self.assertIn({"b.cpp", "c.cpp"}, found)

    def test_folders_and_options_stay_apart(self):
        self.assertEqual(len(self.batches({"x/a.cpp": "int a;\n", "y/b.cpp": "int b;\n"})), 2)
        self.assertEqual(len(self.batches({"a.cpp": "int a;\n", "b.cpp": "int b;\n"},
                                          {"a.cpp": ["-DX=1"]})), 2)

    def test_precompiled_headers_are_not_used(self):
        for words in (["-Xclang", "-include-pch", "-Xclang", "x/cmake_pch.hxx.pch", "-Xclang", "-include",
                       "-Xclang", "x/cmake_pch.hxx"], ["-include", "x/cmake_pch.hxx"]):
            with self.subTest(words=words):
                self.batches({"a.cpp": "int a;\n"}, {"a.cpp": ["-Wall", *words, "-include", "own.h"]})
                for entry in self.written:
                    self.assertEqual(entry["arguments"],
                                     ["c++", "-Wall", "-include", "own.h", "-c", entry["file"]])

    def test_a_batch_holds_twelve(self):
        found = self.batches({f"s{i}.cpp": f"int v{i};\n" for i in range(30)})
        self.assertEqual(sorted(len(paths) for paths in found), [6, 12, 12])


if __name__ == "__main__":
    unittest.main()
