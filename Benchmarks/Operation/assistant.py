#!/usr/bin/env python3
"""Measures MCP: `selene mcp` from launch to its first answers over N notes with vectors, and what `/mcp` adds to a route.

An assistant launches `selene mcp` itself, so its start is what a user waits for. The database, the index and the
synthetic Ollama are those of the benchmark `startup`. The added latency compares a call of `search_notes` with
`POST /api/notes/retrieve` for the same questions, over one kept connection each, in turns.
"""
import argparse
import http.client
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

from lib.environment import BIN
from lib.figures import report
from lib.processes import free_port
from startup import DIMENSIONS, MODEL, fill, stop, wait

REVISION = "2025-11-25"


def message(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def launch(binary, environment):
    """Milliseconds from launch to the answers of an assistant's first requests, sent one after the other."""
    started = time.perf_counter()
    server = subprocess.Popen([binary, "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    requests = [
        ("initialize", message(1, "initialize", protocolVersion=REVISION, capabilities={},
                               clientInfo={"name": "bench", "version": "1"})),
        ("tools/list", message(2, "tools/list")),
        ("find_text", message(3, "tools/call", name="find_text", arguments={"text": "harbour"})),
        ("search_notes", message(4, "tools/call", name="search_notes", arguments={"query": "harbour lantern gauge"})),
    ]
    times = {}
    for name, line in requests:
        server.stdin.write(line + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        if "result" not in answer or answer["result"].get("isError"):
            raise SystemExit(f"{name}: {answer}")
        times[name] = (time.perf_counter() - started) * 1e3
    server.stdin.close()
    server.wait(timeout=30)
    return times


def added(port, rounds):
    """Milliseconds at p50 that a call of the tool takes beyond the route."""
    connections = [http.client.HTTPConnection("127.0.0.1", port) for _ in range(2)]
    words = "harbour lantern gauge bread committee window violin theory".split()

    def ask(connection, path, body, headers=None):
        begin = time.perf_counter()
        connection.request("POST", path, body, {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise SystemExit(text.decode())
        return (time.perf_counter() - begin) * 1e3

    route, tool = [], []
    for number in range(rounds + 10):
        question = f"{words[number % len(words)]} {words[number // len(words) % len(words)]}"
        query = json.dumps({"query": question, "limit": 10})
        # The vector of the question is in the cache for both.
        ask(connections[0], "/api/notes/retrieve", query)
        one = ask(connections[0], "/api/notes/retrieve", query)
        two = ask(connections[1], "/mcp", message(number, "tools/call", name="search_notes",
                                                  arguments={"query": question, "limit": 10}),
                  {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": REVISION})
        if number >= 10:
            route.append(one)
            tool.append(two)
    return statistics.median(route), statistics.median(tool)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=100_000, help="notes (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=9, help="launches (default: %(default)s)")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-assistant-"))
    selene, (ollama_port, port) = BIN / "selene", (free_port(), free_port())
    environment = {**os.environ, "SELENE_DATABASE": str(folder / "n.sqlite"), "SELENE_LOG_LEVEL": "warning",
                   "SELENE_PORT": str(port), "SELENE_EMBED_MODEL": MODEL, "OLLAMA_HOST": f"127.0.0.1:{ollama_port}"}
    ollama = subprocess.Popen([BIN / "fake-ollama", "--port", str(ollama_port), "--dimensions", str(DIMENSIONS)],
                              stdout=subprocess.DEVNULL)
    server = None
    try:
        models = json.loads(wait(ollama_port, "/api/tags"))["models"]
        digest = next(model["digest"] for model in models if model["name"].startswith(MODEL))
        subprocess.run([selene, "index", "status"], env=environment, check=True, stdout=subprocess.DEVNULL)
        fill(folder / "n.sqlite", options.notes, digest)
        subprocess.run([selene, "index", "build"], env=environment, check=True, stdout=subprocess.DEVNULL)
        launches = [launch(selene, environment) for _ in range(options.rounds)]
        print(f"{options.notes:,} notes of {DIMENSIONS} dimensions, `selene mcp`, ms from launch to the answer of (median, worst "
              f"of {options.rounds}):")
        for name in launches[0]:
            times = [times[name] for times in launches]
            print(f"  {name:14} {statistics.median(times):7.1f} {max(times):7.1f}")
        report("mcp.first_answer_ms", statistics.median(times["initialize"] for times in launches))
        server = subprocess.Popen([selene, "serve"], env=environment)
        wait(port)
        route, tool = added(port, 300)
        print(f"`/mcp`, search_notes: {tool:.2f} ms at p50; the route with the same question {route:.2f} ms; {tool - route:+.2f} ms")
        report("mcp.added_ms", tool - route)
    finally:
        for process in filter(None, (server, ollama)):
            stop(process)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
