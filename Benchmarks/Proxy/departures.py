#!/usr/bin/env python3
"""Measures clients that leave and clients that flood: how soon the upstream notices, and how long others wait.

    departures.py [--aborts 10000] [--seconds 10] [--only aborts|flood|shares]

1. Aborts in each phase: before the first byte, in mid-stream, in a whole answer, and in the queue. This process is both
   the client and the upstream, so both ends use one clock. Prints milliseconds from the client's close to the end of the
   upstream connection, and the gateway's memory and descriptors afterwards.
2. One key floods while another asks one question after another: the second key's p95, alone and during the flood.
3. One key scans, uploads slowly or keeps connections idle, while another requests the version and chats: the second
   key's latencies, alone and during that load.
"""
import argparse
import asyncio
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Scripts"))
import stand  # noqa: E402
from lib.figures import report  # noqa: E402


class Upstream:
    """The upstream: records when requests arrive and when their connections end; sends no answer or part of one."""

    def __init__(self):
        self.arrived, self.gone, self.waiters = {}, {}, {}

    async def start(self):
        self.server = await asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=1024)
        return self.server.sockets[0].getsockname()[1]

    async def connection(self, reader, writer):
        name = None
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
                await reader.readexactly(int(fields.get("content-length", 0)))
                name = fields["x-request-id"]
                self.arrived[name] = time.perf_counter()
                if waiter := self.waiters.pop(name, None):
                    waiter.set_result(None)
                if "stream" in name:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
                    writer.write(b"12\r\n{\"response\":\"xy\"}\n\r\n")
                elif "whole" in name:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            if name:
                self.gone[name] = time.perf_counter()
                if waiter := self.waiters.pop("gone " + name, None):
                    waiter.set_result(None)
            writer.close()

    async def seen(self, name):
        if name not in self.arrived:
            self.waiters[name] = asyncio.get_running_loop().create_future()
            await asyncio.wait_for(self.waiters[name], 20)

    async def left(self, name):
        if name not in self.gone:
            self.waiters["gone " + name] = asyncio.get_running_loop().create_future()
            await asyncio.wait_for(self.waiters["gone " + name], 20)


async def leave(upstream, port, name):
    """Sends a request and leaves; returns the seconds until the upstream connection ended."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = b'{"model":"m","prompt":"x"}'
    writer.write(f"POST /api/generate HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: {name}\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await upstream.seen(name)
    if "wait" not in name:
        await reader.read(1)
    # Waits for bytes in flight, so that the client leaves in the intended phase.
    await asyncio.sleep(0.001)
    left = time.perf_counter()
    writer.transport.abort() if random.random() < 0.5 else writer.close()
    await upstream.left(name)
    return upstream.gone[name] - left


async def leave_queue(port, name):
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    body = b'{"model":"m","prompt":"x"}'
    writer.write(f"POST /api/generate HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: {name}\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await asyncio.sleep(0.002)
    writer.transport.abort()


def holdings(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6, len(os.listdir(f"/proc/{pid}/fd"))


def row(name, seconds):
    ordered = sorted(seconds)
    at = lambda share: ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1e3  # noqa: E731
    print(f"| {name} | {len(ordered):,} | {at(0.5):.2f} | {at(0.99):.2f} | {ordered[-1] * 1e3:.2f} |", flush=True)


async def aborts(count):
    upstream = Upstream()
    upstream_port = await upstream.start()
    settings = {"OLLAMA_HOST": f"127.0.0.1:{upstream_port}", "SELENE_MAX_IN_FLIGHT": "16", "SELENE_LOG_LEVEL": "notice"}
    with stand.Stand(settings=settings, token="") as s:
        port, pid = int(s.url.rsplit(":", 1)[1]), s.gateway_process.pid
        for n in range(200):
            await leave(upstream, port, f"warm-wait-{n}")
        memory, descriptors = holdings(pid)
        print("### Clients that leave\n| phase | aborts | p50 ms | p99 ms | worst ms |\n|---|---:|---:|---:|---:|")
        each, slowest = count // 4, 0
        for phase in ("wait for the first byte", "stream", "whole answer"):
            delays = []
            for n in range(0, each, 8):
                delays += await asyncio.gather(*(leave(upstream, port, f"{phase.split()[0]}-{n + k}") for k in range(8)))
            row(phase, delays)
            slowest = max(slowest, sorted(delays)[int(len(delays) * 0.99)])
        # For the queue phase, waiting requests take all places.
        holders = []
        body = b'{"model":"m","prompt":"x"}'
        for n in range(16):
            holder = await asyncio.open_connection("127.0.0.1", port)
            holder[1].write(f"POST /api/generate HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: wait-hold-{n}\r\n"
                            f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            holders.append(holder)
        for n in range(16):
            await upstream.seen(f"wait-hold-{n}")
        for n in range(0, each, 16):
            await asyncio.gather(*(leave_queue(port, f"wait-queue-{n + k}") for k in range(16)))
        for n, (_, writer) in enumerate(holders):
            writer.close()
            await upstream.left(f"wait-hold-{n}")
        await leave(upstream, port, "wait-last")
        reached = sum("queue" in name for name in upstream.arrived)
        print(f"| in the queue | {each:,} | reached the upstream: {reached} | | |")
        after, open_now = holdings(pid)
        report("departures.p99_ms", slowest * 1e3)
        report("departures.queued_aborts_upstream", reached)
        report("departures.leaked_mb", after - memory)
        print(f"\nMemory {memory:.1f} MB before and {after:.1f} MB after, descriptors {descriptors} and {open_now}.")


async def ask(http, url, key, tokens):
    begin = time.perf_counter()
    body = {"model": "llama3.2", "prompt": "x", "stream": False, "options": {"num_predict": tokens}}
    async with http.post(url + "/api/generate", data=json.dumps(body),
                         headers={"Authorization": f"Bearer {key}"}) as response:
        await response.read()
        return response.status, time.perf_counter() - begin


async def flood():
    import aiohttp

    options = ["--tokens-per-second", "200", "--num-parallel", "4"]
    settings = {"SELENE_MAX_IN_FLIGHT": "4", "SELENE_LOG_LEVEL": "notice"}
    print("\n### One key floods, another asks\n| | questions | p50 ms | p95 ms | of alone |\n|---|---:|---:|---:|---:|")
    with stand.Stand(fake=options, settings=settings) as s:
        loud, quiet = s.key("loud", "llm"), s.key("quiet", "llm")
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as http:
            async def questions(url, key):
                return sorted([(await ask(http, url, key, 20))[1] for _ in range(60)])

            alone = await questions(s.url, quiet)
            flooding, refused = True, 0

            async def shout(url):
                nonlocal refused
                while flooding:
                    status, _ = await ask(http, url, loud, 20)
                    refused += status in (429, 503)
                    if status != 200:
                        await asyncio.sleep(0.05)

            for title, url in (("through the gateway", s.url), ("the same, past the gateway", s.upstream)):
                flooding = True
                shouting = [asyncio.create_task(shout(url)) for _ in range(64)]
                await asyncio.sleep(1)
                beside = await questions(url, quiet)
                flooding = False
                await asyncio.gather(*shouting)
                p95 = lambda times: times[int(len(times) * 0.95)]  # noqa: E731
                if title.startswith("through"):
                    report("departures.beside_flood", p95(beside) / p95(alone))
                    print(f"| alone | {len(alone)} | {alone[len(alone) // 2] * 1e3:.0f} | {p95(alone) * 1e3:.0f} | 1.00 |")
                print(f"| {title} | {len(beside)} | {beside[len(beside) // 2] * 1e3:.0f} | {p95(beside) * 1e3:.0f} "
                      f"| {p95(beside) / p95(alone):.2f} |")


NOTES = 40_000
THREADS = 5_000
WORDS = "tide moon gauge harbour bread flour cello garden pump valve letter winter".split()


def write_notes(path):
    """Writes notes of about 600 bytes to a JSONL file."""
    choose = random.Random(7)
    with open(path, "w") as file:
        for n in range(NOTES):
            text = " ".join(choose.choice(WORDS) for _ in range(100))
            file.write(json.dumps({"title": f"note {n}", "content": f"{n} {text}"}) + "\n")


async def timed(http, method, url, key, body=None):
    """Sends a request and reads the whole answer; returns the seconds to its first byte, and its status."""
    begin = time.perf_counter()
    async with http.request(method, url, data=body, headers={"Authorization": f"Bearer {key}"}) as response:
        await response.content.readany()
        first = time.perf_counter() - begin
        await response.read()
        return first, response.status


async def quiet_times(url, key, seconds):
    """Measures one key's small requests and first tokens, one after another; returns sorted seconds."""
    import aiohttp

    versions, tokens = [], []
    chat = json.dumps({"model": "llama3.2", "messages": [{"role": "user", "content": "x"}], "options": {"num_predict": 5}})
    async with aiohttp.ClientSession() as http:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for _ in range(20):
                taken, status = await timed(http, "GET", url + "/api/version", key)
                assert status == 200, status
                versions.append(taken)
                await asyncio.sleep(0.01)
            taken, status = await timed(http, "POST", url + "/api/chat", key, chat)
            assert status == 200, status
            tokens.append(taken)
    return sorted(versions), sorted(tokens)


class Scans:
    """Runs concurrent searches of all notes or threads in a loop."""

    def __init__(self, url, key, path, count=64):
        self.url, self.key, self.path, self.count, self.statuses = url, key, path, count, {}

    async def __aenter__(self):
        import aiohttp

        self.http = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        self.running = True
        self.tasks = [asyncio.create_task(self.scan(n)) for n in range(self.count)]
        await asyncio.sleep(1)

    async def scan(self, number):
        while self.running:
            body = json.dumps({"query": f"nowhere {number}"}) if self.path.endswith("search") else None
            path = self.path if body else self.path + f"nowhere%20{number}"
            _, status = await timed(self.http, "POST" if body else "GET", self.url + path, self.key, body)
            self.statuses[status] = self.statuses.get(status, 0) + 1

    async def __aexit__(self, *_):
        self.running = False
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.http.close()


class Uploads:
    """Runs uploads that announce 100 MB, send 70 KB, and then one byte every two seconds."""

    def __init__(self, url, key, count=64):
        self.port, self.key, self.count = int(url.rsplit(":", 1)[1]), key, count

    async def __aenter__(self):
        self.tasks = [asyncio.create_task(self.upload()) for _ in range(self.count)]
        await asyncio.sleep(1)

    async def upload(self):
        while True:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                head = (f"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.key}\r\n"
                        "Content-Length: 100000000\r\n\r\n")
                writer.write(head.encode() + b'{"model":"llama3.2","x":"' + b"x" * 70_000)
                while True:
                    await writer.drain()
                    await asyncio.sleep(2)
                    writer.write(b"x")
            except ConnectionError:
                pass
            finally:
                writer.close()

    async def __aexit__(self, *_):
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


class Idle:
    """Keeps connections idle after one request with a key."""

    def __init__(self, url, key, count=1000):
        self.port, self.key, self.count, self.writers = int(url.rsplit(":", 1)[1]), key, count, []

    async def __aenter__(self):
        for _ in range(self.count):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            self.writers.append(writer)
            writer.write(f"GET /api/version HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.key}\r\n\r\n".encode())
            await reader.readuntil(b"}")

    async def __aexit__(self, *_):
        for writer in self.writers:
            writer.close()


async def shares(seconds):
    settings = {"SELENE_LOG_LEVEL": "notice", "SELENE_BACKFILL": "off"}
    with stand.Stand(fake=["--tokens-per-second", "200"], settings=settings) as s:
        notes = s.folder / "notes.jsonl"
        write_notes(notes)
        subprocess.run([stand.BIN / "selene", "ingest", notes], env=s.environment, check=True, capture_output=True)
        loud = s.key("loud", "llm", "notes:read", "notes:write")
        for n in range(THREADS // 100):
            names = [f"{WORDS[k % len(WORDS)]} {n} {k}" for k in range(100)]
            body = json.dumps({"title": f"threads {n}", "content": f"threads {n}", "threads": names}).encode()
            urllib.request.urlopen(urllib.request.Request(
                s.url + "/api/notes", data=body, headers={"Authorization": f"Bearer {loud}"}), timeout=60).read()
        quiet = s.key("quiet", "llm")
        print(f"\n### One key's work beside another's ({NOTES:,} notes, {THREADS:,} threads)\n"
              "| | requests | version p50 ms | p99 ms | first token p50 ms | p95 ms | of alone (p95) |\n|---|---:|---:|---:|---:|---:|---:|")
        alone = None
        searches = Scans(s.url, loud, "/api/notes/search")
        names = Scans(s.url, loud, "/api/threads/search/")
        for title, work in (("alone", None), ("beside 64 searches of all notes", searches),
                            ("beside 64 searches of threads by name", names),
                            ("beside 64 slow uploads", Uploads(s.url, loud)),
                            ("beside 1,000 idle connections", Idle(s.url, loud))):
            try:
                if work:
                    await work.__aenter__()
                versions, tokens = await asyncio.wait_for(quiet_times(s.url, quiet, seconds), seconds * 6 + 30)
                at = lambda times, share: times[min(len(times) - 1, int(len(times) * share))] * 1e3  # noqa: E731
                alone = alone or at(tokens, 0.95)
                print(f"| {title} | {len(versions) + len(tokens):,} | {at(versions, 0.5):.1f} | {at(versions, 0.99):.1f} "
                      f"| {at(tokens, 0.5):.0f} | {at(tokens, 0.95):.0f} | {at(tokens, 0.95) / alone:.2f} |", flush=True)
            except asyncio.TimeoutError:
                print(f"| {title} | no answer in time | | | | | |", flush=True)
            finally:
                if work:
                    await work.__aexit__()
        print(f"\nAnswers to the searches meanwhile: of notes {searches.statuses}, of threads {names.statuses}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aborts", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10, help="seconds for each line of the last table")
    parser.add_argument("--only", choices=["aborts", "flood", "shares"])
    options = parser.parse_args()
    if options.only in (None, "aborts"):
        asyncio.run(aborts(options.aborts))
    if options.only in (None, "flood"):
        asyncio.run(flood())
    if options.only in (None, "shares"):
        asyncio.run(shares(options.seconds))


if __name__ == "__main__":
    main()
