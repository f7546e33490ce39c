#!/usr/bin/env python3
"""The schema that `tuner check --schema` prints is docs/study.schema.json, has the keys of docs/study-*.md, and
accepts and refuses the studies that the program does. schema.py --tuner PROGRAM"""

import argparse
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = None  # Debian has them as python3-jsonschema and python3-yaml

needs_jsonschema = unittest.skipIf(jsonschema is None, "no python3-jsonschema or no python3-yaml")

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "docs" / "study.schema.json"
SCHEMA = {}  # as the program prints it
TUNER = ""

# Headings of docs/study-*.md -> where the schema has the keys of the tables below them.
TABLES = {
    "## Keys": [],
    "## kernel": ["kernel"],
    "## command": ["command"],
    "## Domains": ["problem_sizes", 1],
    "## launch": ["launch", "then", "ITEM"],
    "## arguments": ["arguments", "ITEM"],
    "### Textures and surfaces": ["arguments", "ITEM", "texture"],
    "`search`": ["search"],
    "`measure`": ["measure"],
    "## Advice": ["search", "advice", "ITEM"],
}


# A study of which each section can be changed.
GOOD = {
    "schema": 1,
    "kernel": {"name": "k", "source": "k.cu", "entry": "k"},
    "problem_sizes": [{"N": 64}],
    "parameters": {"B": [32, 64]},
    "launch": {"block": ["B"], "grid": [1]},
    "arguments": [{"name": "o", "type": "int32", "shape": ["N"], "role": "out"},
                  {"name": "i", "type": "float32", "shape": ["N"]},
                  {"name": "n", "type": "int32", "value": "N"}],
    "reference": {"entry": "r", "block": 32, "grid": 1, "arguments": ["o", "i", "n"]},
    "search": {"budget": {}},
}
SOURCE = ('// As long as the buffer that is filled from it in one of the studies below, which takes 256 bytes of it.\n__constant__ float table[4];\n'
          '// Made by a macro, so that no study below is compared with what they take.\n'
          '#define KERNEL(name) extern "C" __global__ void name(int* o, const float* i, int n) {}\n'
          'KERNEL(k)\nKERNEL(r)\n')

# (path, value) that both accept.
ACCEPTED = [
    ("kernel.define_prefix", ""), ("kernel.language", "cuda"), ("kernel.options", ["-DN={N}"]), ("kernel.include_dirs", ["."]),
    ("problem_sizes", [{"N": 1}, {"N": 2}]), ("problem_sizes", {"domain": {"N": [1, 64]}}),
    ("problem_sizes", {"domain": {"N": [1, 64]}, "kinds": ["N < 8", "N >= 8"], "weights": [1, 0.5]}),
    ("parameters.C", {"range": [1, 8]}), ("parameters.C", {"range": [1, 8, 2]}), ("parameters.C", {"pow2": [1, 8]}),
    ("parameters.C", ["a", "b"]), ("parameters.C", {"values": [1, 2]}),
    ("parameters.C", {"pow2": [1, 8], "when": "B > 32", "otherwise": 0}), ("parameters.C", [True, False]),
    ("configurations", [{"B": 32}, {"B": 64}]), ("baseline", {"B": 32}), ("derived", {"D": "B * 2"}), ("constraints", ["B > 16"]),
    ("launch.block", "B"), ("launch.block", {"x": "B", "y": 1}), ("launch.dynamic_shared_bytes", "4 * B"),
    ("launch.work", "ceil_div(N, B)"),
    ("launch.then", [{"entry": "r", "block": 32, "grid": 1, "arguments": ["o", "i", "n"], "when": "B > 32"}]),
    ("arguments.1.fill", "zeros"), ("arguments.1.fill", {"uniform": [-1, 1]}), ("arguments.1.fill", {"constant": 2}),
    ("arguments.1.fill", {"permutation": True}), ("arguments.1.fill", {"sorted": {"uniform": [0, 1]}}),
    ("arguments.1.fill", {"formula": "i % 7"}), ("arguments.1.fill", {"choice": [0, 1]}),
    ("arguments.1.fill", {"ragged": {"mean": 8, "of": "N"}}), ("arguments.1.fill", {"ragged": {"of": "N"}}),
    ("arguments.1.fill", {"file": "k.cu"}), ("arguments.1.type", "float"), ("arguments.1.type", "bf16"),
    ("arguments.1.role", "inout"), ("arguments.3", {"name": "s", "type": "float32", "shape": "B", "role": "scratch"}),
    ("arguments.3", {"name": "s", "type": "int32", "shape": ["N"], "role": "workspace", "zero": "once"}),
    ("arguments.3", {"name": "m", "tensor_map": {"of": "i", "box": ["B"], "swizzle": 0}}),
    ("constants", [{"name": "table", "type": "float32", "shape": [4], "fill": {"uniform": [0, 1]}}]),
    ("constants", [{"name": "table", "type": "float32", "value": 4}]),
    ("reference.seeds", 2), ("reference.configuration", {"B": 32}), ("reference.source", "k.cu"),
    ("reference.arguments", ["o", "n"]), ("reference.dynamic_shared_bytes", 64),
    ("verify", {"o": None}), ("verify", {"o": {"rtol": 0.001, "atol": "1e-6 * N"}}), ("verify", "none"),
    ("verify", {"o": {"norm": "l2", "rtol": 1e-5}}), ("verify", {"o": {"order": "any"}}),
    ("verify", {"o": {"rtol": 1e-5, "relative_to": "largest", "equal_nan": False}}),
    ("compiled", ["spill_bytes == 0", "registers <= 128"]), ("objective", {"minimize": "registers"}),
    ("verify", {"o": None, "deterministic": True}), ("verify", {"deterministic": False}),
    ("reference.per", ["B"]), ("reference.fills", ["large", "tiny", "equal", "special"]),
    ("metrics", {"g": "N / time"}), ("objective", {"minimize": "time"}),
    ("objective", {"minimize": "time", "beside": [{"minimize": "energy"}]}),
    ("backend", "cpu"), ("backend", {"name": "cpu", "options": {"seed": 3}}),
    ("search.strategy", "random"), ("search.options", {"population": 8}), ("search.until_loss", 0.03),
    ("search.advice", [{"command": "python3 a.py"}, {"nvmatmul": {"B": "tile_m"}}]),
    ("search.budget", {"evaluations": 5, "seconds": 0.5, "target": 1, "patience": 1}),
    ("measure", {"cache": "hot", "inputs": "same", "min_samples": 3, "max_samples": 9, "max_milliseconds": 5,
                 "confidence": 0.9, "precision": 0.01, "drop_above": 0, "finalists": 0, "simpler_within": 0}),
    ("measure.drop_above", 1.5), ("export", {"weights": {"N": 0.5}}), ("x-rows", [{"anything": 1}]),
]
# (path, value) that both refuse.
REFUSED = [
    ("arguments.1", {"name": "i", "surface": {}}), ("arguments.1", {"name": "i", "texture": {}}),
    ("arguments.1", {"name": "i", "surface": {"of": "o", "address": "clamp"}}),
    ("arguments.1", {"name": "i", "texture": {"of": "o", "array": "yes"}}),
    ("arguments.1", {"name": "i", "texture": {"of": "o", "filter": "cubic"}}),
    ("schema", 2), ("xrows", 1), ("kernel.x-rows", 1), ("kernel", "k"), ("kernel.options", "-O3"), ("launch", None),
    ("problem_sizes", []), ("problem_sizes", [{"N": 0}]), ("problem_sizes", [{"N": "big"}]),
    ("problem_sizes", {"domain": {"N": [1]}}), ("problem_sizes", {"domain": {"N": [0, 4]}}),
    ("problem_sizes", {"domain": {}}), ("problem_sizes", {"kinds": ["N > 1"]}),
    ("problem_sizes", {"domain": {"N": [1, 4]}, "kinds": []}),
    ("problem_sizes", {"domain": {"N": [1, 4]}, "weights": [0]}),
    ("parameters", {}), ("parameters.B", []), ("parameters.B", 32), ("parameters.B", {"range": [1]}),
    ("parameters.B", {"range": [1, 2], "pow2": [1, 2]}), ("parameters.B", {"pow2": [1, 2, 4]}),
    ("configurations", []), ("configurations", {"B": 32}), ("baseline", ["B"]), ("constraints", "B > 16"), ("launch.block", []), ("launch.block", [1, 1, 1, 1]),
    ("launch.block", {"y": 1}), ("launch.then", [{"entry": "r", "block": 32}]),
    ("launch.then", [{"entry": "r", "block": 32, "grid": 1}] * 16),
    ("arguments.1", {"name": "i", "type": "float32"}), ("arguments.1", {"type": "float32", "shape": [4]}),
    ("arguments.1", {"name": "i", "shape": [4]}), ("arguments.1.type", "128int"), ("arguments.1.role", "output"),
    ("arguments.1.shape", []), ("arguments.1.value", 4), ("arguments.1.zero", "once"),
    ("arguments.0.fill", "zeros"), ("arguments.1.fill", "random"), ("arguments.1.fill", {}),
    ("arguments.1.fill", {"uniform": [1]}), ("arguments.1.fill", {"uniform": [0, 1], "constant": 1}),
    ("arguments.1.fill", {"permutation": False}), ("arguments.1.fill", {"sorted": "uniform"}),
    ("arguments.1.fill", {"choice": []}), ("arguments.1.fill", {"ragged": {"mean": 8}}),
    ("arguments.2.role", "in"), ("arguments.2.fill", "zeros"),
    ("arguments.3", {"name": "m", "tensor_map": {"of": "i"}}),
    ("arguments.3", {"name": "m", "tensor_map": {"of": "i", "box": []}}),
    ("arguments.3", {"name": "m", "type": "int32", "tensor_map": {"of": "i", "box": [4]}}),
    ("constants", [{"name": "table", "type": "float32", "shape": [4], "role": "out"}]),
    ("constants", [{"name": "table", "type": "float32"}]),
    ("constants", [{"name": "m", "tensor_map": {"of": "i", "box": [4]}}]),
    ("constants", [{"name": "table", "type": "float32", "shape": [4], "zero": "once"}]),
    ("verify", {"deterministic": 2}), ("reference.fills", ["huge"]), ("reference.per", "B, C"),
    ("reference.seeds", 0), ("reference.seeds", 101), ("verify", "all"), ("verify", {"o": 0.1}),
    ("verify", {"o": {"norm": "l3", "rtol": 1e-5}}), ("verify", {"o": {"order": "given"}}),
    ("verify", {"o": {"rtol": 1e-5, "relative_to": "smallest"}}), ("verify", {"o": {"equal_nan": "yes"}}),
    ("compiled", "registers <= 128"), ("compiled", {"registers": 128}),
    ("objective", {}), ("objective", {"minimize": "time", "maximize": "time"}),
    ("objective", {"minimize": "time", "beside": [{}]}), ("backend", {"options": {"seed": 3}}),
    ("search.until_loss", 1), ("search.budget", 50), ("search.budget.evaluations", 0), ("search.budget.seconds", 0),
    ("search.advice", "a.json"), ("search.advice", [{"file": "a.json", "plugin": "p"}]), ("search.advice", [{}]),
    ("search.advice", [{"file": "a.json", "options": {"n": 3}}]), ("search.advice", [{"nvmatmul": {"B": "tile"}}]),
    ("search.options", ["a"]), ("measure.cache", "warm"), ("measure.inputs", "new"), ("measure.min_samples", 0), ("measure.confidence", 1),
    ("measure.precision", 0), ("measure.drop_above", 0.5), ("measure.finalists", -1), ("measure.simpler_within", 1),
    ("measure.max_milliseconds", 0), ("export.weights", {"N": -1}),
    ("problem", {"options": {"a": 1}}), ("problem", {"name": "p", "option": {}}), ("reference.by", "problem"),
    ("metrics", {"m": {}}), ("metrics", {"m": {"observer": "o", "values": ["a"]}}),
    ("metrics", {"m": {"counter": ["a"]}}), ("metrics", {"m": {"counter": "dram__bytes.sum", "value": "a"}}),
]


def printed_schema():
    return subprocess.run([TUNER, "check", "--schema"], check=True, capture_output=True, text=True).stdout


def resolved(node):
    while "$ref" in node:
        node = SCHEMA["definitions"][node["$ref"].rsplit("/", 1)[1]]
    return node


def keys_of(path):
    """Keys of the map that is found by a path of keys; a number is one of several forms."""
    node = SCHEMA
    for step in path:
        node = resolved(node)
        node = node["items"] if step == "ITEM" else node["anyOf"][step] if isinstance(step, int) else node["properties"][step]
    return resolved(node)["properties"]


def documented_rows(heading):
    """Names and next cell of each row of the tables whose first column has keys."""
    text = "\n".join(page.read_text() for page in sorted((ROOT / "docs").glob("study-*.md")))
    if heading.startswith("#"):
        below = text.split(f"\n{heading}\n")[1]
        text = re.split(r"\n#+ ", below)[0]
    head = rf"\| key of {heading} \|" if heading.startswith("`") else r"\| key(?: of `\w+`)? \|"
    rows = []
    for table in re.findall(rf"^{head}.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE):
        for row in table.splitlines():
            first, second = (cell.strip() for cell in row.split("|")[1:3])
            rows.append((re.findall(r"`(\w+)`", first), second))
    return rows


def changed(path, value):
    """GOOD with a value at a path; steps that are missing are made, a list grows by one."""
    study = copy.deepcopy(GOOD)
    node = study
    steps = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps[:-1]:
        node = node.setdefault(step, {}) if isinstance(node, dict) else node[step]
    if isinstance(node, list) and steps[-1] == len(node):
        node.append(value)
    else:
        node[steps[-1]] = value
    return study


class StudySchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tuner-schema-")
        pathlib.Path(cls.folder.name, "k.cu").write_text(SOURCE)
        cls.schema = jsonschema.Draft7Validator(SCHEMA) if jsonschema else None

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def read(self, study):
        """What the program complains of; empty where it accepts the study. JSON is YAML, too."""
        pathlib.Path(self.folder.name, "study.yaml").write_text(json.dumps(study))
        environment = dict(os.environ, XDG_CACHE_HOME=f"{self.folder.name}/.cache")
        done = subprocess.run([TUNER, "check", "study.yaml"], cwd=self.folder.name, env=environment,
                              capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 2), done.stderr)
        return done.stderr if done.returncode == 2 else ""

    def said_by_the_schema(self, study):
        return "; ".join(error.message for error in self.schema.iter_errors(study))

    @needs_jsonschema
    def test_it_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_the_file_in_docs_is_what_the_program_prints(self):
        same = COMMITTED.read_text() == printed_schema()
        self.assertTrue(same, "tuner check --schema > docs/study.schema.json")

    def test_tables_of_the_documentation_have_its_keys_and_defaults(self):
        for heading, path in TABLES.items():
            keys = keys_of(path)
            rows = documented_rows(heading)
            self.assertEqual({name for names, _ in rows for name in names}, set(keys), heading)
            for names, cell in rows if heading == "`measure`" else []:
                self.assertEqual(cell.replace("`", ""), ", ".join(str(keys[name]["default"]) for name in names))

    @needs_jsonschema
    def test_both_accept_what_is_right(self):
        for path, value in ACCEPTED:
            with self.subTest(path, value=value):
                study = changed(path, value)
                self.assertEqual(self.read(study), "")
                self.assertEqual(self.said_by_the_schema(study), "")

    @needs_jsonschema
    def test_both_refuse_what_is_wrong(self):
        for path, value in REFUSED:
            with self.subTest(path, value=value):
                study = changed(path, value)
                self.assertNotEqual(self.read(study), "", "the program accepts it")
                self.assertNotEqual(self.said_by_the_schema(study), "", "the schema accepts it")

    @needs_jsonschema
    def test_what_the_reader_needs_the_schema_needs(self):
        for section in ("schema", "parameters", "kernel", "launch"):
            study = copy.deepcopy(GOOD)
            del study[section]
            self.assertIn("missing key", self.read(study), section)
            self.assertNotEqual(self.said_by_the_schema(study), "", section)
        for section in ("kernel", "launch", "reference"):
            node = SCHEMA["anyOf"][0]["properties"][section]  # of a study that extends no other
            for key in node.get("required") or node["oneOf"][0]["required"]:  # of a reference: a kernel's
                study = copy.deepcopy(GOOD)
                del study[section][key]
                self.assertIn("missing key", self.read(study), f"{section} {key}")

    @needs_jsonschema
    def test_a_study_that_extends_another_says_what_it_likes(self):
        pathlib.Path(self.folder.name, "other.yaml").write_text(json.dumps(GOOD))
        good = {"schema": 1, "extends": "other.yaml", "problem_sizes": {"domain": {"N": [1, 64]}}, "search": {"until_loss": 0}}
        for more in ({}, {"kernel": {"name": "other"}}, {"parameters": {"B": [1], "C": [2]}}, {"launch": {"grid": [2]}},
                     {"arguments": [{"name": "i", "fill": {"uniform": [0, 1]}}]}, {"reference": {"block": 64}}):
            study = {**good, **more}
            self.assertEqual(self.read(study), "", more)
            self.assertEqual(self.said_by_the_schema(study), "", more)
        for wrong in ({"kernel": {"nam": "k"}}, {"extends": 3}, {"launch": {"blocks": [1]}}):
            study = {**good, **wrong}
            self.assertNotEqual(self.read(study), "", wrong)
            self.assertNotEqual(self.said_by_the_schema(study), "", wrong)

    @needs_jsonschema
    def test_every_shipped_study_is_valid(self):
        studies = [*(ROOT / "search_spaces").rglob("*.yaml"), *(ROOT / "examples").rglob("*.yaml")]
        self.assertGreater(len(studies), 8)
        for study in studies:
            with self.subTest(study.name):
                self.assertEqual(self.said_by_the_schema(yaml.safe_load(study.read_text())), "")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tuner", required=True)
    given, rest = arguments.parse_known_args()
    TUNER = str(pathlib.Path(given.tuner).resolve())
    SCHEMA = json.loads(printed_schema())
    unittest.main(argv=[sys.argv[0], *rest])
