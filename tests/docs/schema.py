#!/usr/bin/env python3
"""docs/study.schema.json has all the keys that the reader of studies knows, and takes every study that is shipped."""

import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "study.schema.json").read_text())
FIELDS = re.compile(r'"\'(\w+)\'",\s*\{((?:\s*"\w+",?)+)\s*\}')
NAME = re.compile(r'"(\w+)"')


def known_by_the_reader():
    """Keys of each section, as the reader's own lists have them."""
    out = {}
    for source in (ROOT / "tuner" / "study").glob("*.cpp"):
        if source.name.startswith("t1_"):
            continue
        for section, names in FIELDS.findall(source.read_text()):
            out[section] = set(NAME.findall(names))
    return out


def in_the_schema(section):
    properties = SCHEMA["properties"]
    places = {
        "budget": properties["search"]["properties"]["budget"],
        "tensor_map": SCHEMA["definitions"]["argument"]["properties"]["tensor_map"],
    }
    return set(places.get(section, properties.get(section, {})).get("properties", {}))


class StudySchema(unittest.TestCase):
    def test_it_has_the_keys_of_the_reader(self):
        reader = known_by_the_reader()
        for section in ("kernel", "launch", "reference", "objective", "search", "budget", "measure",
                        "export", "tensor_map"):
            self.assertIn(section, reader)
            self.assertLessEqual(reader[section], in_the_schema(section), section)

    def test_it_has_the_sections_of_the_reader(self):
        text = (ROOT / "tuner" / "study" / "yaml_reader.cpp").read_text()
        block = text[text.index('"schema",') : text.index("}", text.index('"schema",'))]
        self.assertLessEqual(set(NAME.findall(block)), set(SCHEMA["properties"]))

    def test_every_shipped_study_is_valid(self):
        try:
            import jsonschema
            import yaml
        except ImportError as missing:
            self.skipTest(str(missing))
        studies = [*(ROOT / "search_spaces").glob("*.yaml"), *(ROOT / "examples").rglob("*.yaml")]
        self.assertGreater(len(studies), 8)
        for study in studies:
            with self.subTest(study.name):
                jsonschema.validate(yaml.safe_load(study.read_text()), SCHEMA)


if __name__ == "__main__":
    unittest.main()
