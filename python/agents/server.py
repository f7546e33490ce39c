#!/usr/bin/env python3
"""The server of `tuner mcp`: tools for agents by the Model Context Protocol, on standard input and output. tools.json beside
it has them, with the schemas of what they take and give; each calls the program, and answers with its JSON.

An agent may be told anything, so it can name files below --root only, and run programs with --allow-commands only."""

import argparse
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

try:
    import anyio
    import mcp_types as types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
except ImportError:
    Server = None

HERE = Path(__file__).resolve().parent
# Headers of compilers and CUDA, and what comes with the program, which studies may read.
SHARED = ("/usr/include", "/usr/local/include", "/usr/lib/gcc", "/usr/local/cuda", str(HERE.parent))
USES_DEVICE = ("judge", "tune", "gate")
GRACE = 10.0        # seconds in which a command that was interrupted ends
PROGRESS = 0.5      # seconds between two notifications
INSTRUCTIONS = ("tuner finds the fastest right variant of a CUDA kernel, and judges kernels. A study (YAML) says what is right. "
                "Begin with 'check' of the study; then 'judge' each kernel that you write, and 'tune' its parameters.")


class Refused(Exception):
    """What an agent may not do, or has said wrongly."""


class Commands:
    """What an agent's call becomes: words of the program's command line."""

    def __init__(self, options):
        self.options, self.root = options, Path(options.root).resolve()

    def path(self, name):
        """Of a file below the root, absolute."""
        place = (self.root / name).resolve()
        if "\0" in name or not place.is_relative_to(self.root):
            raise Refused(f"'{name}' is outside of {self.root}: only files in this folder can be named")
        return str(place)

    def words(self, tool, given, device="0"):
        """Without the program's name; who may run the study is asked before."""
        on_device = ["--backend", self.options.backend, "--device", device]
        option = {name: [f"--{name}", str(given[name])] for name in
                  ("configuration", "size", "strategy", "where", "device", "top", "allow", "seconds", "timeout") if name in given}

        def some(*names):
            return [word for name in names for word in option.get(name, ())]
        if tool == "check":
            return ["check", self.path(given["study"]), "--json", *some("size")]
        if tool == "judge":
            if ("kernel" in given) == ("source" in given):
                raise Refused("either 'kernel' (a file) or 'source' (its text) is needed")
            kernel = self.path(given["kernel"]) if "kernel" in given else "-"
            return ["judge", kernel, "--study", self.path(given["study"]), "--json", *on_device,
                    *some("configuration", "size", "timeout"), *["--counters"] * given.get("counters", False)]
        if tool == "gate":
            sides = [one if "=" in one and "/" not in one else self.path(one) for one in (given["base"], given["head"])]
            return ["gate", *sides, "--study", self.path(given["study"]), "--json", *on_device,
                    *some("allow", "seconds", "size", "configuration")]
        results = ["--results", self.path(given.get("results", "results"))]
        if tool == "tune":
            return ["run", self.path(given["study"]), "--progress", "json", *on_device, *results,
                    "--budget", given.get("budget", "60s"), *some("size", "where", "strategy"),
                    *["--fresh"] * given.get("fresh", False)]
        of = [self.path(given["study"])] if "study" in given else [results[1]]
        return ["results", *of, "--json", *results, *some("size", "device", "top"), *["--failures"] * (tool == "failures")]

    def allow(self, checked):
        """Raises Refused for a study that an agent may not run: `checked` is what `check --json` says of it."""
        if checked["host_code"] and not self.options.allow_commands:
            what = "a reference in Python or a command that advises" if checked["form"] == "kernel" else f"a '{checked['form']}'"
            raise Refused(f"the study runs {what}, code of this machine outside of a kernel: 'tuner mcp --allow-commands' "
                          "allows that")
        self.readable(checked["reads"])

    def readable(self, files):
        """Raises Refused for files of others, of which an agent is told nothing."""
        for file in files:
            place = os.path.realpath(self.root / file)
            if not any(Path(place).is_relative_to(one) for one in (self.root, *SHARED)):
                raise Refused(f"the study reads '{file}', which is outside of {self.root}")


class Called:
    """A run of the program: ended with the call that it is of, and by the time limit."""

    def __init__(self, program, words, root, limit, source=None):
        self.words, self.root, self.limit, self.source = [program, *words], root, limit, source
        self.out, self.lines, self.status, self.late = b"", [], None, False

    async def run(self, hear=None):
        """`hear` gets each line of standard error."""
        process = await anyio.open_process(self.words, cwd=self.root, start_new_session=True)
        try:
            with anyio.move_on_after(self.limit) as scope:
                await self._listen(process, hear)
            if scope.cancelled_caught:  # what it prints on its way out counts
                self.late = True
                process.send_signal(signal.SIGINT)
                with anyio.move_on_after(GRACE):
                    await self._listen(process, hear)
        finally:
            with anyio.CancelScope(shield=True):
                await self._end(process)
        self.status = process.returncode

    async def _listen(self, process, hear):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._write, process)
            tasks.start_soon(self._read, process)
            tasks.start_soon(self._hear, process, hear)
        await process.wait()

    async def _write(self, process):
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            if self.source:
                await process.stdin.send(self.source.encode())
                self.source = None
            await process.stdin.aclose()

    async def _read(self, process):
        async for piece in process.stdout:
            self.out += piece

    async def _hear(self, process, hear):
        rest = b""
        async for piece in process.stderr:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self.lines.append(line.decode(errors="replace"))
                if hear is not None:
                    await hear(self.lines[-1])

    @staticmethod
    async def _end(process):
        """Interrupted, so that it ends its workers and keeps what it has; killed where that takes too long."""
        for how in (signal.SIGINT, signal.SIGKILL):
            if process.returncode is not None:
                break
            process.send_signal(how)
            with anyio.move_on_after(GRACE):
                await process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(Exception):
                await stream.aclose()


class Tuning:
    """What `run --progress json` says, as one document and as notifications."""

    def __init__(self, tell):
        self.tell, self.told = tell, 0.0
        self.document = {"status": 1, "ranked": [], "states": {}, "notes": []}
        self.total, self.before, self.error = 0, 0, None

    async def hear(self, line):
        try:
            event = json.loads(line)
        except ValueError:
            return
        kind = event.get("event")
        if kind == "begin":
            self.total += event["total"]
        elif kind == "trial":
            self.before += 1
            state = event["state"]
            self.document["states"][state] = self.document["states"].get(state, 0) + 1
            if anyio.current_time() >= self.told + PROGRESS:
                self.told = anyio.current_time()
                best = event.get("best_ms")
                await self.tell(self.before, max(self.total, self.before), f"best {best:.4g} ms" if best else "nothing valid yet")
        elif kind == "ranked":
            self.document["ranked"].append({name: value for name, value in event.items() if name not in ("event", "since_start_s")})
        elif kind == "note":
            self.document["notes"].append(event["text"])
        elif kind == "error":
            self.error = event["message"]
        elif kind == "done":
            self.document["status"] = event["status"]


class Tools:
    def __init__(self, options, tools):
        self.options, self.tools = options, tools
        self.commands = Commands(options)
        self.free = options.device.split(",")  # devices: two that measure on one would disturb each other
        self.turn = anyio.Semaphore(len(self.free))

    def called(self, words, source=None):
        return Called(self.options.program, words, self.commands.root, self.options.limit, source)

    async def call(self, name, given, tell):
        """(document, whether it is an error)"""
        try:
            words = self.commands.words(name, checked_arguments(self.tools, name, given))
            if name not in USES_DEVICE:
                return await self.answered(words)
            if (wrong := await self.check(given["study"])) is not None:
                return wrong, True
            return await self.on_a_device(name, given, tell)
        except Refused as refused:
            return mistake(str(refused)), True

    async def on_a_device(self, name, given, tell):
        async with self.turn:
            device = self.free.pop(0)
            try:
                words = self.commands.words(name, given, device)
                return await (self.tuned(words, tell) if name == "tune" else self.answered(words, given.get("source")))
            finally:
                self.free.append(device)

    async def check(self, study):
        """What is wrong with the study; None: nothing. Raises Refused."""
        checking = self.called(self.commands.words("check", {"study": study}))
        await checking.run()
        document = parsed(checking.out)
        if document is None:
            return mistake("\n".join(checking.lines) or "the study could not be checked", checking.status)
        if "mistakes" in document:
            return self.tellable(document)
        self.commands.allow(document)
        return None

    async def answered(self, words, source=None):
        called = self.called(words, source)
        await called.run()
        document = parsed(called.out)
        if called.late:
            return mistake(f"more than {self.options.limit:g} s", 130), True
        if document is None:
            return mistake("\n".join(called.lines) or f"the command ended with {called.status}", called.status), True
        return self.tellable(document), "mistakes" in document

    def tellable(self, document):
        """Mistakes may be of another file, which the study extends."""
        self.commands.readable(one["file"] for one in document.get("mistakes", ()) if one["file"])
        return document

    async def tuned(self, words, tell):
        tuning, called = Tuning(tell), self.called(words)
        await called.run(tuning.hear)
        if tuning.error is not None:
            return mistake(tuning.error, called.status), True
        return tuning.document, False


def parsed(out):
    try:
        document = json.loads(out)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def mistake(message, status=2):
    """In the form of the program: docs/contract.md."""
    return {"status": status, "mistakes": [{"file": None, "line": None, "column": None, "message": message, "suggestion": None}]}


def checked_arguments(tools, name, given):
    """By the tool's schema, as far as it goes: names and simple types."""
    if name not in tools:
        raise Refused(f"there is no tool '{name}'; there are: {', '.join(tools)}")
    schema = tools[name]["inputSchema"]
    for one in schema["required"]:
        if one not in given:
            raise Refused(f"'{name}' needs '{one}'")
    kinds = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}
    for one, value in given.items():
        if one not in schema["properties"]:
            raise Refused(f"'{name}' takes no '{one}'; it takes: {', '.join(schema['properties'])}")
        kind = schema["properties"][one]["type"]
        if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind != "boolean"):
            raise Refused(f"'{one}' is {value!r}: a {kind} is needed")
        if isinstance(value, str) and value.startswith("-"):  # would be an option
            raise Refused(f"'{one}' must not begin with '-'")
    return given


def server_of(options):
    tools = {one["name"]: one for one in json.loads((HERE / "tools.json").read_text("utf-8"))["tools"]}
    run = Tools(options, tools)

    async def list_tools(context, params):
        return types.ListToolsResult(tools=[types.Tool.model_validate(one) for one in tools.values()])

    async def call_tool(context, params):
        document, failed = await run.call(params.name, params.arguments or {}, context.session.report_progress)
        return types.CallToolResult(content=[types.TextContent(type="text", text=json.dumps(document))],
                                    structured_content=document, is_error=failed)

    return Server("tuner", instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool)


async def serve(options):
    server = server_of(options)
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("program", "root", "backend", "device"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--limit", type=float, required=True)
    parser.add_argument("--allow-commands", action="store_true")
    options = parser.parse_args()
    if Server is None:
        print(f"tuner: 'tuner mcp' needs the package 'mcp' (2.0 or later) in {sys.executable}: pip install mcp, or, "
              "with the wheel, pip install 'tuner[mcp]'", file=sys.stderr)
        return 2
    anyio.run(serve, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
