#!/usr/bin/env python3
"""The loop of an agent, over `tuner mcp` and the protocol's official SDK (pip install mcp): agent.py [OPTIONS OF tuner mcp]

An agent writes kernels with the last verdict before its eyes; here files of the folder 'candidates' take the place of that."""

import os
import shutil
import sys
import time
from pathlib import Path

import anyio
from mcp import StdioServerParameters
from mcp.client.client import Client

HERE = Path(__file__).resolve().parent
STUDY = "softmax.yaml"


async def told(client, tool, **given):
    answer = await client.call_tool(tool, given)
    if answer.is_error:
        sys.exit(f"{tool}: {answer.content[0].text}")
    return answer.structured_content


async def judged(client, name, source, block):
    begin = time.monotonic()
    verdict = await told(client, "judge", study=STUDY, source=source, configuration=f"BLOCK={block}", timeout=2)
    found = f"{verdict['time_ms']:.4g} ms" if verdict["accepted"] else verdict["why"].splitlines()[0]
    print(f"{name:<16} BLOCK={block:<4} {verdict['verdict']:<12} {time.monotonic() - begin:5.2f} s  {found}")
    return verdict


async def loop(client):
    print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
    print("valid configurations:", (await told(client, "check", study=STUDY))["valid"])
    accepted = []
    for file in sorted((HERE / "candidates").glob("*.cu")):  # an agent writes the next one here
        for block in (256, 128, 64):
            verdict = await judged(client, file.stem, file.read_text(), block)
            if not verdict["accepted"]:
                break  # it would look at verdict["why"], and mend its kernel
            accepted.append((verdict["time_ms"], file.stem, block))
    for time_ms, name, block in sorted(accepted)[:1]:
        print(f"the best: {name} with BLOCK={block}, {time_ms:.4g} ms")


async def main():
    server = StdioServerParameters(command=shutil.which("tuner") or "tuner", args=["mcp", "--root", str(HERE), *sys.argv[1:]],
                                   env={**os.environ, "TUNER_PYTHON": sys.executable})
    async with Client(server) as client:
        await loop(client)


if __name__ == "__main__":
    anyio.run(main)
