#!/usr/bin/env python3
"""Measures answers as runs: delay per delta with many readers, memory and CPU of a run, attaching, the first token.

The model writes the time of each piece, and readers compare it with the same clock. The gateway runs with a key and its
log, as users run it.
"""
import argparse
import asyncio
import json
import re
import sys
import time

import stamped_model
from lib.environment import BIN
from lib.figures import report
from lib.processes import Field, free_port

STAMP = re.compile(rb" (\d{19})")


class Client:
    """One connection with a key."""

    def __init__(self, port, key):
        self.port, self.head = port, f"Host: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"

    async def open(self, method, path, body=None, more=""):
        """Sends a request; returns the reader behind the response's head, and the writer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        data = b"" if body is None else json.dumps(body).encode()
        writer.write(f"{method} {path} HTTP/1.1\r\n{self.head}{more}Content-Type: application/json\r\n"
                     f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        head = await reader.readuntil(b"\r\n\r\n")
        if not re.match(rb"HTTP/1.1 20\d", head):
            raise SystemExit(head.decode() + (await reader.read(500)).decode())
        return reader, writer, head

    async def call(self, method, path, body=None):
        reader, writer, head = await self.open(method, path, body)
        size = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        data = json.loads(await reader.readexactly(size))
        writer.close()
        return data


async def follow(client, run, delays, measuring, ends):
    reader, writer, _ = await client.open("GET", f"/api/chat/runs/{run}/events")
    while not ends.is_set():
        data = await reader.read(1 << 18)
        arrived = time.monotonic_ns()
        if not data:
            break
        if measuring.is_set():
            delays.extend((arrived - int(stamp)) / 1e6 for stamp in STAMP.findall(data))
    writer.close()


async def many(client, server, runs, readers, warm, seconds):
    """Many runs with readers: delays in milliseconds, CPU seconds, megabytes for all runs."""
    delays, measuring, ends = [], asyncio.Event(), asyncio.Event()
    before = server.memory("VmRSS")
    for number in range(runs):
        await client.call("POST", "/api/chat/runs", {"id": f"m-{number}", "kind": "plain", "question": "go rate=20"})
    tasks = [asyncio.ensure_future(follow(client, f"m-{number}", delays, measuring, ends))
             for number in range(runs) for _ in range(readers)]
    await asyncio.sleep(warm)
    measuring.set()
    spent = server.cpu()
    await asyncio.sleep(seconds)
    measuring.clear()
    spent = (server.cpu() - spent).total
    memory = server.memory("VmRSS") - before
    ends.set()
    for number in range(runs):
        await client.call("DELETE", f"/api/chat/runs/m-{number}")
    await asyncio.gather(*tasks, return_exceptions=True)
    return sorted(delays), spent, memory


async def attach(client, tokens):
    """Milliseconds to get a whole run of many tokens that has ended, and one that still goes on."""
    times = []
    await client.call("POST", "/api/chat/runs", {"id": "long", "kind": "plain",
                                                 "question": f"go rate=0 count={tokens}"})
    while (await client.call("GET", "/api/chat/runs/long"))["state"] not in ("done", "stopped"):
        await asyncio.sleep(0.2)
    for _ in range(7):
        begin = time.monotonic()
        reader, writer, _ = await client.open("GET", "/api/chat/runs/long/events")
        data = b""
        while b"event: done" not in data[-4096:]:
            piece = await reader.read(1 << 20)
            if not piece:
                break
            data += piece
        times.append((time.monotonic() - begin) * 1000)
        found = len(STAMP.findall(data))
        writer.close()
        if found != tokens:
            raise SystemExit(f"{found} of {tokens} pieces arrived")
    return sorted(times)[3]


async def first_token(client, direct, rounds):
    """Milliseconds to the first piece: through a run (begun, then read), and past the gateway."""
    through, past = [], []
    for number in range(rounds):
        begin = time.monotonic()
        run = await client.call("POST", "/api/chat/runs",
                                {"id": f"f-{number}", "kind": "plain", "question": "go rate=0 count=3"})
        reader, writer, _ = await client.open("GET", f"/api/chat/runs/{run['id']}/events")
        data = b""
        while not STAMP.search(data):
            data += await reader.read(65536)
        through.append((time.monotonic() - begin) * 1000)
        writer.close()
        begin = time.monotonic()
        reader, writer, _ = await direct.open("POST", "/api/chat", {
            "model": "llama3.2", "messages": [{"role": "user", "content": "go rate=0 count=3"}]})
        data = b""
        while not STAMP.search(data):
            data += await reader.read(65536)
        past.append((time.monotonic() - begin) * 1000)
        writer.close()
    return sorted(through)[rounds // 2], sorted(past)[rounds // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200, help="runs at once (default: %(default)s)")
    parser.add_argument("--readers", type=int, default=2, help="readers of each (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=12, help="seconds of measurement (default: %(default)s)")
    parser.add_argument("--binary", default=BIN / "selene", metavar="FILE", help="another build of selene")
    options = parser.parse_args()
    with Field() as field:
        port = free_port()
        model = field.start("model", [sys.executable, stamped_model.__file__, port], port)
        server = field.gateway("selene", model, log="info", with_key=True, binary=options.binary, backfill="off",
                               chat_context=131072)
        client, direct = Client(server.port, server.key), Client(model.port, "none")
        through, past = asyncio.run(first_token(client, direct, 101))
        print(f"first token: {through:.2f} ms through a run, {past:.2f} ms past the gateway: {through - past:.2f} ms added")
        report("chat.added_first_token_ms", through - past)
        attached = asyncio.run(attach(client, 20_000))
        print(f"attaching to a run of 20,000 tokens: {attached:.1f} ms until its last byte")
        report("chat.attach_ms", attached)
        delays, cpu, memory = asyncio.run(many(client, server, options.runs, options.readers, 3, options.seconds))
        count = len(delays)
        p99 = delays[int(count * 0.99)]
        print(f"{options.runs} runs, {options.readers} readers each, 20 tokens/s: {count:,} deltas, delay p50 "
              f"{delays[count // 2]:.2f} ms, p99 {p99:.2f} ms, worst {delays[-1]:.1f} ms; CPU {cpu * 1e6 / count:.0f} µs a "
              f"delta, {100 * cpu / options.seconds / options.runs:.2f}% of a core a run; {memory * 1024 / options.runs:.0f} KB a run")
        report("chat.delta_p99_ms", p99)
        report("chat.kilobytes_a_run", memory * 1024 / options.runs)
        report("chat.core_percent_a_run", 100 * cpu / options.seconds / options.runs)


if __name__ == "__main__":
    main()
