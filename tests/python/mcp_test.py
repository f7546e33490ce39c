#!/usr/bin/env python3
"""`tuner mcp`: the tools that agents get, what they may name, and what comes back, by its schema. A client of the protocol's
official SDK calls them where the package 'mcp' is; what needs it, or jsonschema, is left out loudly elsewhere."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

from begin import begin

try:
    import anyio
    from mcp import StdioServerParameters
    from mcp.client.client import Client
except ImportError:
    Client = None
try:
    import jsonschema
except ImportError:
    jsonschema = None

needs_mcp = unittest.skipIf(Client is None, "no package 'mcp' (2.0 or later)")
needs_jsonschema = unittest.skipIf(jsonschema is None, "no package 'jsonschema'")

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ROOT / "python" / "agents"
OPTIONS = None  # of the command line, once it is read
TOOLS = {one["name"]: one for one in json.loads((AGENTS / "tools.json").read_text())["tools"]}

# What each candidate of examples/judge must be told; the others are accepted.
VERDICTS = {"wrong_beyond": "correctness", "wrong_crash": "runtime", "wrong_file": "refused", "wrong_hang": "timeout",
            "wrong_host": "refused", "wrong_input": "correctness", "wrong_name": "compile", "wrong_overflow": "correctness",
            "wrong_race": "correctness", "wrong_size": "correctness", "wrong_syntax": "compile", "wrong_tail": "correctness",
            "wrong_uniform": "correctness"}
SPACE = """schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{N: 1000}]
parameters: {BLOCK: [32, 64, 128], FORM: [right, wrong]}
constraints: ["BLOCK <= 128"]
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
reference: {entry: reference, block: [64], grid: ["ceil_div(N, 64)"]}
measure: {drop_above: 1000, min_samples: 7, max_samples: 7, finalists: 2}
"""
SOURCE = """extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * TUNE_BLOCK + threadIdx.x;
#if TUNE_FORM_IS_wrong
  const int factor = 3;
#else
  const int factor = 2;
#endif
  if (i < n) y[i] = factor * x[i];
}
extern "C" __global__ void reference(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + x[i];
}
"""
COMMAND = """schema: 1
command: {name: sleeps, sources: [sleeps.sh], run: "sh sleeps.sh {T}"}
problem_sizes: [{N: 1}]
parameters: {T: [0, 1]}
"""


def server_module():
    spec = importlib.util.spec_from_file_location("server", AGENTS / "server.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Room(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tuner-agents-")
        self.addCleanup(folder.cleanup)
        self.room = Path(folder.name).resolve()
        self.write("twice.yaml", SPACE)
        self.write("twice.cu", SOURCE)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.room / ".cache"), "TUNER_PYTHON": sys.executable}
        self.environment.pop("XDG_RUNTIME_DIR", None)

    def write(self, name, text):
        (self.room / name).write_text(text)

    def program(self, *words, environment=None, status=0):
        done = subprocess.run([OPTIONS.tuner, *words], cwd=self.room, capture_output=True, text=True, check=False,
                              env=environment or self.environment, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done


class Schemas(Room):
    def fits(self, tool, document):
        validator = jsonschema.validators.validator_for(TOOLS[tool]["outputSchema"])
        validator.check_schema(TOOLS[tool]["outputSchema"])
        validator.check_schema(TOOLS[tool]["inputSchema"])
        self.assertEqual([error.message for error in validator(TOOLS[tool]["outputSchema"]).iter_errors(document)], [])
        # And the other way round: nothing that the program says is missing in the schema.
        self.assertEqual(unknown_fields(document, TOOLS[tool]["outputSchema"]), [])

    def test_the_program_prints_the_tools(self):
        self.assertEqual(json.loads(self.program("mcp", "--schema").stdout)["tools"], list(TOOLS.values()))
        self.assertEqual(list(TOOLS), ["judge", "check", "tune", "results", "failures", "gate"])
        for name, tool in TOOLS.items():
            self.assertEqual(json.loads(self.program("mcp", name, "--schema").stdout), tool)
        told = self.program("mcp", "judgement", "--schema", status=2).stderr
        self.assertIn("allowed: judge, check, tune, results, failures, gate", told)

    @needs_jsonschema
    def test_what_the_commands_say_fits_their_schemas(self):
        self.fits("check", json.loads(self.program("check", "twice.yaml", "--json").stdout))
        self.program("run", "twice.yaml", "--backend", "cpu", "--progress", "none")
        results = json.loads(self.program("results", "twice.yaml", "--json", "--top", "2").stdout)
        self.fits("results", results)
        self.assertEqual([one["rank"] for one in results["results"][0]["ranked"]], [1, 2])
        self.assertEqual(results["results"][0]["states"], {"ok": 3, "correctness": 3})
        self.assertEqual(results["results"][0]["size"], {"N": 1000})
        failures = json.loads(self.program("results", "twice.yaml", "--json", "--failures").stdout)
        self.fits("failures", failures)
        self.assertEqual([(one["state"], one["count"], one["configuration"]["FORM"]) for one in
                          failures["results"][0]["failures"]], [("correctness", 3, "wrong")])
        self.assertIn("FORM", failures["results"][0]["hint"])
        judged = ("judge", "twice.cu", "--study", "twice.yaml", "--backend", "cpu", "--json", "--server", "0", "--configuration")
        self.fits("judge", json.loads(self.program(*judged, "FORM=right").stdout))
        self.fits("judge", json.loads(self.program(*judged, "FORM=wrong", status=1).stdout))
        gate = ("gate", "BLOCK=64,FORM=right", "BLOCK=64,FORM=wrong", "--study", "twice.yaml", "--backend", "cpu", "--json")
        self.fits("gate", json.loads(self.program(*gate, status=1).stdout))

    def test_json_and_csv_exclude_each_other(self):
        self.assertIn("--json and --csv exclude each other",
                      self.program("results", "twice.yaml", "--json", "--csv", "-", status=2).stderr)


def unknown_fields(document, schema, place=""):
    if isinstance(document, list):
        return [one for value in document for one in unknown_fields(value, schema.get("items", {}), place + "[]")]
    if not isinstance(document, dict) or "properties" not in schema:
        return []
    known = schema["properties"]
    return [f"{place}.{name}" for name in document if name not in known] + [
        one for name, value in document.items() if name in known for one in unknown_fields(value, known[name], f"{place}.{name}")]


class Named(Room):
    """What an agent may name, without the protocol."""

    def setUp(self):
        super().setUp()
        self.server = server_module()
        self.commands = self.of(allow_commands=False)

    def of(self, **more):
        return self.server.Commands(types.SimpleNamespace(root=str(self.room), backend="cpu", **more))

    def refused(self, tool, given):
        with self.assertRaises(self.server.Refused) as caught:
            self.commands.words(tool, self.server.checked_arguments(TOOLS, tool, given))
        return str(caught.exception)

    def test_files_outside_of_the_root_are_refused(self):
        (self.room / "link.yaml").symlink_to("/etc/passwd")
        for name in ("/etc/passwd", "../twice.yaml", "link.yaml", "a/../../b", "~/../../etc/passwd/../../../../etc/passwd"):
            for tool, given in (("check", {"study": name}), ("tune", {"study": name}), ("results", {"study": name}),
                                ("results", {"results": name}), ("tune", {"study": "twice.yaml", "results": name}),
                                ("judge", {"study": "twice.yaml", "kernel": name}), ("judge", {"study": name, "source": ""}),
                                ("gate", {"study": "twice.yaml", "base": name, "head": "BLOCK=64"})):
                with self.subTest(tool=tool, given=given):
                    self.assertIn(f"is outside of {self.room}: only files in this folder", self.refused(tool, given))

    def test_words_become_those_of_the_command_line(self):
        study = str(self.room / "twice.yaml")
        self.assertEqual(self.commands.words("judge", {"study": "twice.yaml", "source": "x", "timeout": 3}),
                         ["judge", "-", "--study", study, "--json", "--backend", "cpu", "--device", "0", "--timeout", "3"])
        self.assertEqual(self.commands.words("tune", {"study": "twice.yaml", "where": "BLOCK > 8", "fresh": True}),
                         ["run", study, "--progress", "json", "--backend", "cpu", "--device", "0", "--results",
                          str(self.room / "results"), "--budget", "60s", "--where", "BLOCK > 8", "--fresh"])
        self.assertEqual(self.commands.words("failures", {}),
                         ["results", str(self.room / "results"), "--json", "--results", str(self.room / "results"), "--failures"])

    def test_wrong_arguments_are_told(self):
        for tool, given, words in (("judge", {}, "'judge' needs 'study'"), ("judge", {"study": 5}, "'study' is 5: a string"),
                                   ("judge", {"study": "a"}, "either 'kernel' (a file) or 'source'"),
                                   ("judge", {"study": "a", "sourc": ""}, "takes no 'sourc'; it takes: study, kernel, source"),
                                   ("tune", {"study": "a", "fresh": 1}, "'fresh' is 1: a boolean"),
                                   ("results", {"top": True}, "'top' is True: a integer"),
                                   ("tune", {"study": "--fresh"}, "must not begin with '-'"),
                                   ("dance", {}, "there is no tool 'dance'; there are: judge")):
            with self.subTest(tool=tool, given=given):
                self.assertIn(words, self.refused(tool, given))

    def test_programs_and_files_of_others_are_refused(self):
        self.commands.allow({"form": "kernel", "host_code": False, "reads": [str(self.room / "twice.cu"), "/usr/include/math.h"]})
        for form, words in (("command", "a 'command'"), ("launcher", "a 'launcher'"), ("kernel", "a reference in Python")):
            with self.assertRaisesRegex(self.server.Refused, f"runs {words}.*--allow-commands"):
                self.commands.allow({"form": form, "host_code": True, "reads": []})
            self.of(allow_commands=True).allow({"form": form, "host_code": True, "reads": []})
        with self.assertRaisesRegex(self.server.Refused, "the study reads '/etc/passwd', which is outside of"):
            self.commands.allow({"form": "kernel", "host_code": False, "reads": ["/etc/passwd"]})

    def test_check_says_whose_code_a_study_runs_and_what_it_reads(self):
        told = json.loads(self.program("check", "twice.yaml", "--json").stdout)
        self.assertEqual((told["form"], told["reads"]),
                         ("kernel", ["twice.cu", "twice.yaml"]))
        self.write("sleeps.yaml", COMMAND)
        self.write("sleeps.sh", "sleep $1\n")
        told = json.loads(self.program("check", "sleeps.yaml", "--json").stdout)
        self.assertEqual((told["form"], told["host_code"]), ("command", True))
        self.write("right.py", "def right(x): return 2 * x\n")
        self.write("python.yaml", "extends: twice.yaml\nschema: 1\nreference: {python: 'right.py:right'}\n")
        told = json.loads(self.program("check", "python.yaml", "--json").stdout)
        self.assertEqual((told["form"], told["host_code"]), ("kernel", True))
        self.assertIn("right.py", told["reads"])
        self.write("first.json", "[]")
        self.write("advised.yaml", "extends: twice.yaml\nschema: 1\nsearch: {advice: [{file: first.json}]}\n")
        told = json.loads(self.program("check", "advised.yaml", "--json").stdout)
        self.assertFalse(told["host_code"])
        self.assertIn("first.json", told["reads"])
        self.write("asks.yaml", "extends: twice.yaml\nschema: 1\nsearch: {advice: [{command: 'sh first.sh'}]}\n")
        self.assertTrue(json.loads(self.program("check", "asks.yaml", "--json").stdout)["host_code"])

    def test_without_the_package_or_python_one_sentence_says_how_to_get_it(self):
        (self.room / "mcp").mkdir()
        self.write("mcp/__init__.py", "raise ImportError('none')\n")
        told = self.program("mcp", environment={**self.environment, "PYTHONPATH": str(self.room)}, status=2).stderr
        self.assertEqual(told, f"tuner: 'tuner mcp' needs the package 'mcp' (2.0 or later) in {sys.executable}: "
                               "pip install mcp, or, with the wheel, pip install 'tuner[mcp]'\n")
        told = self.program("mcp", environment={**self.environment, "TUNER_PYTHON": "/no/python"}, status=2).stderr
        self.assertIn("needs Python: '/no/python' No such file or directory", told)
        self.assertIn("--root 'nowhere' is no folder", self.program("mcp", "--root", "nowhere", status=2).stderr)


@needs_mcp
class Served(Room):
    def served(self, talk, *words):
        """Runs talk(client) against a server."""
        async def run():
            backend = [] if "--backend" in words else ["--backend", "cpu"]
            server = StdioServerParameters(command=str(OPTIONS.tuner), args=["mcp", "--root", str(self.room), *backend, *words],
                                           env=self.environment)
            async with Client(server) as client:
                await client.list_tools()
                return await talk(client)
        return anyio.run(run)

    def test_an_agents_loop_gets_no_wrong_verdict(self):
        shutil.copytree(ROOT / "examples" / "judge", self.room / "judge")

        async def talk(client):
            verdicts = {}
            for file in sorted((self.room / "judge" / "candidates").glob("*.cu")):
                told = await client.call_tool("judge", {"study": "judge/softmax.yaml", "timeout": 2, "source": file.read_text()})
                self.assertFalse(told.is_error, told.content)
                verdicts[file.stem] = told.structured_content["verdict"]
            return verdicts
        verdicts = self.served(talk)
        self.assertEqual({name: word for name, word in verdicts.items() if word != "accepted"}, VERDICTS)
        self.assertEqual(len(verdicts), len(VERDICTS) + 3)

    def test_a_tuning_tells_its_progress_and_what_it_found(self):
        heard = []

        async def hear(done, total, message):
            heard.append((done, total, message))

        async def talk(client):
            tuned = (await client.call_tool("tune", {"study": "twice.yaml"}, progress_callback=hear)).structured_content
            self.assertEqual((tuned["status"], tuned["states"]), (0, {"ok": 3, "correctness": 3}))
            self.assertEqual(tuned["ranked"][0]["best"]["configuration"]["FORM"], "right")
            found = (await client.call_tool("results", {"study": "twice.yaml"})).structured_content
            self.assertEqual(len(found["results"][0]["ranked"]), 3)
            failed = (await client.call_tool("failures", {"study": "twice.yaml"})).structured_content
            self.assertEqual(failed["results"][0]["failures"][0]["count"], 3)
            gate = await client.call_tool("gate", {"study": "twice.yaml", "base": "BLOCK=64,FORM=right", "head": "BLOCK=64,FORM=wrong"})
            self.assertEqual(gate.structured_content["sizes"][0]["verdict"], "failed")
        self.served(talk)
        self.assertTrue(heard)
        self.assertEqual(heard[0][1], 6)

    def test_calls_are_served_side_by_side_on_several_devices(self):
        program = self.room / "program"
        program.write_text('#!/bin/sh\n'
                           'if [ $1 = check ]; then echo \'{"form": "kernel", "host_code": false, "reads": []}\'; exit; fi\n'
                           'for word in "$@"; do [ "$last" = --device ] && device=$word; last=$word; done\n'
                           'mkdir on_$device || exit 1\n'  # nobody else is there
                           'touch seen_$device; tries=0\n'
                           'until [ -e seen_0 ] && [ -e seen_3 ]; do tries=$((tries + 1)); [ $tries = 200 ] && exit 1; sleep 0.05; done\n'
                           'rmdir on_$device\n'
                           'echo "{\\"device\\": \\"$device\\"}"\n')
        program.chmod(0o755)
        server = server_module()
        options = types.SimpleNamespace(root=str(self.room), backend="cuda", device="0,3", program=str(program), limit=60,
                                        allow_commands=False)

        async def run():
            tools, told = server.Tools(options, TOOLS), []

            async def judge():
                told.append(await tools.call("judge", {"study": "twice.yaml", "source": "x"}, None))
            async with anyio.create_task_group() as tasks:
                for _ in range(6):
                    tasks.start_soon(judge)
            return told
        told = anyio.run(run)
        self.assertEqual([failed for _, failed in told], [False] * 6, told)
        self.assertEqual({document["device"] for document, _ in told}, {"0", "3"})

    def test_mistakes_are_answers_with_their_places(self):
        self.write("bad.yaml", SPACE.replace("block: [BLOCK]", "block: [BLOKC]"))

        async def talk(client):
            told = await client.call_tool("check", {"study": "bad.yaml"})
            self.assertTrue(told.is_error)
            found = json.loads(told.content[0].text)["mistakes"][0]
            self.assertEqual((found["line"], Path(found["file"]).name), (6, "bad.yaml"))
            told = await client.call_tool("tune", {"study": "bad.yaml"})
            self.assertTrue(told.is_error)
            self.assertIn("BLOCK", told.content[0].text)
        self.served(talk)

    def test_programs_are_run_only_where_that_is_allowed(self):
        self.write("sleeps.yaml", COMMAND)
        self.write("sleeps.sh", "sleep $1\n")
        outside = tempfile.TemporaryDirectory(prefix="tuner-outside-")
        self.addCleanup(outside.cleanup)
        Path(outside.name, "good.yaml").write_text(COMMAND)
        Path(outside.name, "sleeps.sh").write_text("")
        Path(outside.name, "bad.yaml").write_text("secret: 5\n")
        for name in ("good", "bad"):
            self.write(f"{name}.yaml", f"schema: 1\nextends: {outside.name}/{name}.yaml\n")
        self.write("reads.yaml", SPACE.replace("fill: {uniform: [1, 2]}", "fill: {file: /etc/hostname}"))

        async def talk(client):
            told = await client.call_tool("check", {"study": "bad.yaml"})
            self.assertNotIn("secret", told.content[0].text)
            return [(await client.call_tool("tune", {"study": study, "budget": "1"})).content[0].text
                    for study in ("sleeps.yaml", "reads.yaml", "good.yaml", "bad.yaml")]
        told = self.served(talk)
        self.assertIn("the study runs a 'command'", told[0])
        self.assertIn("/etc/hostname", told[1])
        self.assertIn("the study runs a 'command'", told[2])
        self.assertIn("bad.yaml', which is outside of", told[3])
        self.assertNotIn("secret", told[3])
        told = self.served(talk, "--allow-commands", "--backend", "auto")
        self.assertIn("\"states\"", told[0])
        self.assertIn("good.yaml', which is outside of", told[2])

    def test_a_call_that_is_given_up_or_too_long_ends_its_run_and_keeps_what_it_has(self):
        self.write("sleeps.yaml", COMMAND.replace("[0, 1]", "[0, 50, 60]"))
        self.write("sleeps.sh", "sleep $1\n")
        allowed = ("--allow-commands", "--backend", "auto")

        async def given_up(client):
            with anyio.move_on_after(1.5):
                await client.call_tool("tune", {"study": "sleeps.yaml"})
            self.assertFalse((await client.call_tool("check", {"study": "sleeps.yaml"})).is_error)
            while runs_in(self.room):  # until the test's time is over
                await anyio.sleep(0.05)
        self.served(given_up, *allowed)

        async def too_long(client):
            return (await client.call_tool("tune", {"study": "sleeps.yaml"})).structured_content["status"]
        self.assertEqual(self.served(too_long, *allowed, "--limit", "1.5"), 130)
        self.assertEqual(runs_in(self.room), [])


def runs_in(folder):
    """Command lines of processes that tune there."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = one.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"run" in words and any(str(folder).encode() in word for word in words):
            found.append(words)
    return found


if __name__ == "__main__":
    OPTIONS, words = begin()
    unittest.main(argv=words)
