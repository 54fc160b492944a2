#!/usr/bin/env python3
"""Soak test: all kinds of clients and faults at once, with an account of every request.

    soak.py [--seconds 600] [--clients 48] [--seed 1]

Clients stream, embed, retrieve, read slowly, send invalid requests, hang up in the middle of a request, and leave: in
mid-stream, in the queue and before the first byte. Meanwhile the upstream cuts, stalls and refuses, and is killed and
restarted. Afterwards these must hold:
- each request, identified by its client's id, is in the gateway's log exactly once: answered, refused or cancelled,
with the status that its client saw;
- the gateway's metrics agree with the log: requests by class of status, and cancelled requests;
- nothing is in flight at the gateway or at the upstream, and no client connection is open;
- memory stayed flat: the peak of the last third exceeds that of the second third by at most a tenth plus 8 MB;
- the gateway exits with status 0 after SIGTERM.
"""
import argparse
import asyncio
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import aiohttp

import stand

# The maximum number of idle upstream connections.
IDLE = 64
MODEL, EMBED = "llama3.2", "nomic-embed-text"
FAULTS = ["cut=5@/api/chat#2", "reset=5@/api/generate#2", "drop@/api/chat#2", "status=503@/api/generate#3",
          "stall-first=0.3@/api/chat#2", "stall-mid=3:0.3@/api/generate#2", "bad-json=4@/api/chat#1",
          "error-line=3@/api/generate#1", "status=500@/api/embed#1"]


class Account:
    """The clients' view: maps each request id to the status, or to what the client did instead of waiting."""

    def __init__(self):
        self.seen, self.kinds, self.broken = {}, collections.Counter(), []
        self.number = 0

    def open(self, kind):
        self.number += 1
        self.kinds[kind] += 1
        return f"soak-{self.number}-{kind}"


class Client:
    """One client with its own connection pool, which runs random actions one after another."""

    def __init__(self, run, number):
        self.run, self.random = run, random.Random(run.seed * 1000 + number)
        self.key = run.keys[number % len(run.keys)]

    async def live(self):
        actions = [self.stream, self.stream, self.leave, self.leave, self.leave_early, self.whole, self.slow,
                   self.embed, self.retrieve, self.own_stream, self.openai, self.wrong, self.hang_up, self.tags]
        timeout = aiohttp.ClientTimeout(total=60)
        async with aiohttp.ClientSession(self.run.stand.url, timeout=timeout) as self.http:
            while time.monotonic() < self.run.end:
                await self.random.choice(actions)()
                if self.random.random() < 0.1:
                    await asyncio.sleep(self.random.random() * 0.2)

    async def send(self, kind, path, body, consume, method="POST", key=None):
        """Sends a request. `consume` returns False when the client left before the end."""
        account = self.run.account
        name = account.open(kind)
        headers = {"Authorization": f"Bearer {key or self.key}", "X-Request-ID": name}
        data = body if isinstance(body, (bytes, str, type(None))) else json.dumps(body)
        try:
            async with self.http.request(method, path, data=data, headers=headers) as response:
                # Counts as left until the end is seen.
                account.seen[name] = ("left", response.status)
                if await consume(response) is not False:
                    account.seen[name] = ("ended", response.status)
                    if response.status >= 500 and response.status not in (500, 502, 503, 504):
                        account.broken.append(f"{name}: status {response.status}")
                else:
                    response.close()
        except (aiohttp.ClientError, asyncio.TimeoutError, ConnectionError) as error:
            # After the response began, the gateway can only close the connection; before that it must answer.
            if name not in account.seen:
                account.broken.append(f"{name}: no answer: {error!r}")
                account.seen[name] = ("lost", None)

    def chat(self, tokens, **more):
        return {"model": MODEL, "messages": [{"role": "user", "content": f"tide {self.random.random()}"}],
                "options": {"num_predict": tokens}, **more}

    @staticmethod
    async def lines(response):
        """Reads to the end; every line must be complete JSON. A failed stream ends with an error line."""
        async for line in response.content:
            if line.strip():
                try:
                    json.loads(line)
                except ValueError:
                    if b"\x00" not in line and b"not json" not in line.lower() and b"{" not in line:
                        raise

    async def stream(self):
        await self.send("stream", "/api/chat", self.chat(self.random.randint(1, 120)), self.lines)

    async def leave(self):
        patience = self.random.random() * 0.25

        async def some(response):
            try:
                async with asyncio.timeout(patience):
                    async for _ in response.content:
                        pass
            except asyncio.TimeoutError:
                return False

        await self.send("leave", "/api/chat", self.chat(400), some)

    async def leave_early(self):
        """Leaves after at most 40 ms, in any phase of the request."""
        account = self.run.account
        name = account.open("early")
        account.seen[name] = ("maybe", None)
        headers = {"Authorization": f"Bearer {self.key}", "X-Request-ID": name}
        try:
            async with asyncio.timeout(self.random.random() * 0.04):
                async with self.http.post("/api/generate", data=json.dumps(
                        {"model": MODEL, "prompt": "x", "stream": False, "options": {"num_predict": 60}}),
                        headers=headers) as response:
                    await response.read()
                    account.seen[name] = ("ended", response.status)
        except (asyncio.TimeoutError, aiohttp.ClientError):
            pass

    async def whole(self):
        body = {"model": MODEL, "prompt": "x", "stream": False, "options": {"num_predict": 20}}
        await self.send("whole", "/api/generate", body, lambda r: r.read())

    async def slow(self):
        async def slowly(response):
            while chunk := await response.content.read(512):
                await asyncio.sleep(0.002)
                if self.random.random() < 0.01:
                    return False
                del chunk

        await self.send("slow", "/api/generate", {"model": MODEL, "prompt": "x", "options": {"num_predict": 300}}, slowly)

    async def embed(self):
        texts = [f"note {self.random.randint(0, 300)}" for _ in range(self.random.randint(1, 40))]
        path = self.random.choice(["/api/embed", "/api/llm/embed"])
        await self.send("embed", path, {"model": EMBED, "input": texts}, lambda r: r.read())

    async def retrieve(self):
        query = self.random.choice(["tide gauge", "bread", "sleep and walks", "zzz"])
        await self.send("retrieve", "/api/notes/retrieve", {"query": query, "limit": 5}, lambda r: r.read())

    async def own_stream(self):
        body = {"model": MODEL, "prompt": "x", "stream": True}
        await self.send("own", "/api/llm/generate", body, lambda r: r.read())

    async def openai(self):
        body = {"model": MODEL, "messages": [{"role": "user", "content": "x"}], "stream": True, "max_tokens": 30}
        await self.send("openai", "/v1/chat/completions", body, lambda r: r.read())

    async def tags(self):
        await self.send("tags", "/api/tags", None, lambda r: r.read(), method="GET")

    async def wrong(self):
        path, body, key = self.random.choice([
            ("/api/notes/retrieve", b"{", None), ("/api/llm/generate", {"prompt": 7}, None),
            ("/api/chat", {"model": "absent", "messages": []}, None), ("/api/chat", self.chat(3), "wrong-key"),
            ("/api/delete", {"model": MODEL}, None), ("/debug/pprof", b"", None), ("/nowhere/at/all", b"", None)])
        await self.send("wrong", path, body, lambda r: r.read(), key=key)

    async def hang_up(self):
        """Sends an incomplete or invalid request and closes the connection."""
        host, port = self.run.stand.url.removeprefix("http://").split(":")
        try:
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(self.random.choice([
                b"", b"POST /api/ch", b"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\n",
                b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00"]))
            await writer.drain()
            await asyncio.sleep(self.random.random() * 0.05)
            writer.close()
            await writer.wait_closed()
        except OSError:
            pass


class Run:
    """One soak run: the faults, the clients and the figures."""

    def __init__(self, options, stand):
        self.seed, self.seconds, self.stand = options.seed, options.seconds, stand
        self.account, self.memory = Account(), []
        self.keys = [stand.key(f"client-{n}", "llm", "notes:read") for n in range(4)]
        self.pid = stand.gateway_process.pid
        self.start = time.monotonic()
        self.end = self.start + options.seconds

    async def upstream_faults(self):
        chance = random.Random(self.seed)
        while time.monotonic() < self.end:
            await asyncio.sleep(min(1.5, self.seconds / 40))
            if chance.random() < 0.12:
                self.stand.upstream_process.send_signal(signal.SIGKILL)
                self.stand.upstream_process.wait()
                await asyncio.sleep(chance.random() * 0.5)
                await asyncio.to_thread(self.stand.start_upstream, self.stand.upstream_port)
            else:
                await self.faults(chance.sample(FAULTS, 3))

    async def faults(self, kinds):
        try:
            async with aiohttp.ClientSession() as http:
                await http.post(self.stand.upstream + "/_faults", data=json.dumps(kinds))
        except aiohttp.ClientError:
            pass

    async def watch(self):
        terminal = sys.stdout.isatty()
        while time.monotonic() < self.end:
            await asyncio.sleep(0.5)
            self.memory.append(self.resident())
            passed = time.monotonic() - self.start
            if terminal or int(passed * 2) % 20 == 0:
                print(f"{passed:5.0f} s  {self.account.number:7} requests  {self.memory[-1]:6.1f} MB  "
                      f"{self.descriptors():4} descriptors", end="\r" if terminal else "\n", flush=True)

    def resident(self):
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def client_connections(self):
        """The number of open connections to the gateway's port, from /proc."""
        port, established = f":{int(self.stand.url.rsplit(':', 1)[1]):04X}", ("01", "08")
        with open("/proc/net/tcp") as file:
            rows = [line.split() for line in file.readlines()[1:]]
        return sum(row[1].endswith(port) and row[3] in established for row in rows)

    async def all(self, clients):
        before = self.descriptors()
        await asyncio.gather(self.upstream_faults(), self.watch(), *(Client(self, n).live() for n in range(clients)))
        await self.faults([])
        print()
        return before


def settle(condition, seconds=20):
    """Waits for a condition; returns whether it became true within the timeout."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def logged(text):
    """The gateway's view: maps each request id to the logged statuses."""
    found = collections.defaultdict(list)
    for line in text.splitlines():
        name, status = re.search(r"request_id=(soak-\S+)", line), re.search(r"\bstatus=(\d+)", line)
        if name and status:
            found[name[1]].append(int(status[1]))
    return found


def metrics(run):
    """Scrapes the metrics: maps name to labels to value."""
    found = collections.defaultdict(dict)
    for line in run.stand.get("/metrics").decode().splitlines():
        match = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if match and not line.startswith("#"):
            found[match[1]][match[2] or ""] = float(match[3])
    return found


# The gauges of an idle gateway; the scrape itself is one request on one connection.
GAUGES = {"selene_requests_in_flight": 1, "selene_connections_open": 1, "selene_admission_in_flight": 0,
          "selene_admission_waiting": 0, "selene_embedding_calls_in_flight": 0, "selene_upstream_requests_in_flight": 0}


def still(scrape):
    """The gauges that differ from an idle gateway's."""
    return [f"{name}{{{labels}}} is {value:g} at the end" for name, wanted in GAUGES.items()
            for labels, value in scrape.get(name, {}).items() if value != wanted]


def compare_metrics(scrape, log):
    """The differences between the metrics and the log."""
    counted = collections.Counter()
    for labels, value in scrape["selene_requests_total"].items():
        if 'route="/metrics"' not in labels:
            counted[re.search(r'status="(\w+)"', labels)[1]] += int(value)
    logged_lines = [line for line in log.splitlines() if re.search(r"\bstatus=\d+", line) and "route=/metrics" not in line]
    in_log = collections.Counter(re.search(r"\bstatus=(\d)", line)[1] + "xx" for line in logged_lines)
    left = sum("cancelled=true" in line for line in logged_lines)
    cancelled = int(sum(scrape["selene_cancelled_requests_total"].values()))
    early = sum(bool(re.search(r"\bstatus=499\b", line)) for line in logged_lines)
    print(f"metrics: {sum(counted.values())} requests, {cancelled} of them cancelled, {early} before an answer began")
    wrong = []
    if counted != in_log:
        wrong.append(f"the metrics count {dict(counted)}, the log has {dict(in_log)}")
    if cancelled != left:
        wrong.append(f"the metrics count {cancelled} cancelled requests, the log has {left}")
    if early > cancelled:
        wrong.append(f"the log has {early} requests with 499, and the metrics {cancelled} that were cancelled")
    return wrong


def check(run, before):
    """The failures of a run, as lines."""
    wrong = list(run.account.broken)
    if not settle(lambda: run.client_connections() == 0):
        wrong.append(f"{run.client_connections()} connections of clients are open")
    # Idle connections to the upstream stay open.
    if not settle(lambda: run.descriptors() <= before + IDLE):
        wrong.append(f"{run.descriptors()} descriptors are open; there were {before} before")

    def upstream_in_flight():
        import urllib.request
        with urllib.request.urlopen(run.stand.upstream + "/_stats", timeout=10) as response:
            return json.load(response).get("in_flight", 0)

    if not settle(lambda: upstream_in_flight() == 0):
        wrong.append(f"{upstream_in_flight()} requests are in flight at the upstream")
    status = run.stand.gateway_process.poll()
    scrape = {}
    if status is not None:
        wrong.append(f"the gateway ended with status {status}")
    else:
        def is_still():
            scrape.clear()
            scrape.update(metrics(run))
            return not still(scrape)

        if not settle(is_still):
            wrong += still(scrape)
        stand.stop(run.stand.gateway_process)
        if run.stand.gateway_process.returncode != 0:
            wrong.append(f"the gateway ended with status {run.stand.gateway_process.returncode}")

    log = logged(run.stand.log())
    outcomes = collections.Counter()
    for name, (how, status) in run.account.seen.items():
        lines = log.get(name, [])
        if len(lines) > 1 or (not lines and how != "maybe"):
            wrong.append(f"{name} ({how}, {status}) is in the log {len(lines)} times")
        for line in lines:
            outcomes["cancelled" if line == 499 else "answered" if line < 400 else "refused"] += 1
            if how == "ended" and line != status:
                wrong.append(f"{name} was answered with {status}, and the log says {line}")
        if not lines:
            # The client left before the gateway had read the request.
            outcomes["never arrived"] += 1
    if scrape:
        wrong += compare_metrics(scrape, run.stand.log())
        mine = run.account.number - outcomes["never arrived"]
        counted = sum(int(value) for labels, value in scrape["selene_requests_total"].items()
                      if 'route="/metrics"' not in labels)
        if counted != mine:
            wrong.append(f"{mine} requests arrived, and the metrics count {counted}")
    third = len(run.memory) // 3
    if third >= 10:
        middle, last = max(run.memory[third:2 * third]), max(run.memory[2 * third:])
        print(f"memory: peak {middle:.1f} MB in the second third, {last:.1f} MB in the last")
        if last > middle * 1.1 + 8:
            wrong.append(f"memory grew from {middle:.1f} MB to {last:.1f} MB")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(run.account.kinds.items()))
    print(f"{run.account.number} requests: {kinds}")
    print("outcomes: " + ", ".join(f"{count} {kind}" for kind, count in sorted(outcomes.items())))
    if run.account.number != sum(outcomes.values()):
        wrong.append(f"{run.account.number} requests, but {sum(outcomes.values())} outcomes")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    settings = {"SELENE_MAX_IN_FLIGHT": "24", "SELENE_MAX_WAITING": "40"}
    with stand.Stand(fake=["--tokens-per-second", "600", "--latency", "0.01"], settings=settings) as s:
        notes = stand.ROOT / "Sources" / "App" / "CLI" / "SampleNotes"
        subprocess.run([stand.BIN / "selene", "ingest", notes], env=s.environment, check=True, capture_output=True)
        run = Run(options, s)
        before = asyncio.run(run.all(options.clients))
        wrong = check(run, before)
        for line in wrong[:20]:
            print("WRONG", line)
        if len(wrong) > 20:
            print(f"WRONG and {len(wrong) - 20} more")
        if wrong:
            print("\n".join(s.log().splitlines()[-20:]))
        print("FAILED" if wrong else "all accounted for")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
