#!/usr/bin/env python3
"""Attacks a gateway over its sockets and files, and counts attempts and successes.

    attack.py [--seconds 30] [--seed 1] [CLASS ...]

Classes: json, framing, keys, models, upstream, rows, files, slow; by default all, --seconds each. Inputs are random; the
same seed repeats them. An attack succeeds if the process ends, a request gets a 500 or no answer, a key reaches what it
must not reach, or another client waits. Exit status: 0 if no attack succeeded, 1 otherwise.
"""
import argparse
import collections
import contextlib
import gzip
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.parse

import stand

ALLOWED, FORBIDDEN = "llama3.2", "secret-model"
JSON_ROUTES = [
    ("POST", "/api/llm/generate"), ("POST", "/api/llm/embed"), ("POST", "/api/notes/retrieve"), ("POST", "/api/notes"),
    ("PUT", "/api/notes/1"), ("PATCH", "/api/notes/1"), ("POST", "/api/notes/search"), ("POST", "/webhook/api/drafts"),
    ("POST", "/api/notes/thread-assignments"), ("PUT", "/api/sessions/a"), ("POST", "/api/sessions/a/messages"),
    ("PATCH", "/api/sessions/a/pin"), ("POST", "/api/memories"), ("POST", "/api/memories/retrieve"),
    ("POST", "/api/memories/touch"), ("POST", "/api/devices/register"), ("POST", "/api/jobs/backfill"),
    ("POST", "/api/generate"), ("POST", "/api/chat"), ("POST", "/api/embed"), ("POST", "/api/show"),
    ("POST", "/v1/chat/completions"), ("POST", "/v1/messages"), ("POST", "/v1/embeddings"),
]
FIELDS = ["model", "prompt", "query", "limit", "title", "content", "tags", "threads", "stream", "messages", "keywords",
          "created_at", "embedding", "options", "text", "texts", "filter", "noteIds", "since", "id", "pinned", "role",
          "fusion", "keep_alive", "input", "diversity", "recency", "mode"]


class Report:
    """Counts attempts by status, and records successful attacks."""

    def __init__(self):
        self.tries, self.successes, self.statuses = 0, [], collections.Counter()
        self.lock = threading.Lock()

    def tried(self, status=None):
        with self.lock:
            self.tries += 1
            if status is not None:
                self.statuses[status] += 1

    def success(self, text):
        with self.lock:
            self.successes.append(text[:600])


def exchange(url, data, limit=10, half_close=False):
    """Sends bytes and returns the answer until the connection ends; None after `limit` seconds without bytes."""
    target = urllib.parse.urlsplit(url)
    received = b""
    try:
        with socket.create_connection((target.hostname, target.port), timeout=limit) as connection:
            try:
                connection.sendall(data)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # Refused in the middle: the answer may be there already.
            while chunk := connection.recv(65536):
                received += chunk
    except socket.timeout:
        return received or None
    except OSError:
        pass
    return received


def status(answer):
    """The status of an answer; 0 if it has none, None for no answer."""
    if answer is None:
        return None
    line = answer.split(b"\r\n", 1)[0].split()
    return int(line[1]) if len(line) > 1 and line[0].startswith(b"HTTP/") and line[1].isdigit() else 0


def request(method, path, body=b"", headers=()):
    """Builds a request with `Connection: close`."""
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", f"Content-Length: {len(body)}"]
    head += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join(head).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def bearer(key):
    return [("Authorization", f"Bearer {key}")]


# Generators of JSON bodies.

def scalar(rng):
    return rng.choice([
        lambda: "null", lambda: "true", lambda: str(rng.randint(-2**70, 2**70)), lambda: "1e999", lambda: "-0", lambda: "1E400",
        lambda: "9223372036854775808", lambda: "-9223372036854775809", lambda: "0." + "1" * rng.randint(1, 400),
        lambda: "NaN", lambda: '"' + "\\ud800" * rng.randint(1, 3) + '"', lambda: '"\\u0000"', lambda: '"' + "a" * rng.randint(0, 9000) + '"',
        lambda: json.dumps("".join(chr(rng.randint(1, 0x2FFF)) for _ in range(rng.randint(0, 40)))),
        lambda: '"2026-13-45T99:99:99Z"', lambda: '"0000-00-00 00:00:00"', lambda: '"%_\\\\"'])()


def value(rng, depth=0):
    kind = rng.random()
    if kind < 0.55 or depth > 4:
        return scalar(rng)
    if kind < 0.75:
        return "[" + ",".join(value(rng, depth + 1) for _ in range(rng.randint(0, 6))) + "]"
    return body(rng, depth + 1)


def body(rng, depth=0):
    members = [f'"{rng.choice(FIELDS)}":{value(rng, depth)}' for _ in range(rng.randint(0, 7))]
    return "{" + ",".join(members) + "}"


def json_body(rng):
    kind = rng.random()
    if kind < 0.6:
        data = body(rng).encode("utf-8", "surrogatepass")
    elif kind < 0.7:
        deep = rng.randint(1, 20000)
        data = b"[" * deep + (b"]" * deep if rng.random() < 0.5 else b"")
    elif kind < 0.8:
        data = b'{"query":"tide","keywords":[' + b",".join([b'"x"'] * rng.randint(1, 30000)) + b"]}"
    elif kind < 0.9:
        data = ('{"model":"%s","messages":' % ALLOWED + '{"a":' * 70 + "1" + "}" * 70 + "}").encode()
    else:
        data = bytes(rng.getrandbits(8) for _ in range(rng.randint(0, 300)))
    for _ in range(rng.choice([0, 0, 1, 3])):
        if data:
            at = rng.randrange(len(data))
            data = data[:at] + bytes([rng.getrandbits(8)]) * rng.choice([0, 1, 2]) + data[at + 1:]
    return data[:rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data


class Attack:
    """Runs the classes of attacks, each against a new stand."""

    def __init__(self, seconds, seed):
        self.seconds, self.seed = seconds, seed

    def run(self, name):
        report = Report()
        began = time.time()
        with stand.Stand(**self.setting(name)) as place:
            place.get("/health")
            self.prepare(place)
            getattr(self, name)(place, report, random.Random(f"{self.seed}-{name}"))
            if place.gateway_process.poll() is not None:
                report.success(f"the gateway ended with {place.gateway_process.returncode}: {place.log()[-500:]}")
            else:
                end = time.time() + 10
                while status(check := exchange(place.url, request("GET", "/api/version", headers=bearer(place.token)))) != 200:
                    if time.time() > end:
                        report.success(f"the gateway does not answer any more: {check!r}")
                        break
                    time.sleep(0.2)
            if "Fatal error" in place.log():
                report.success("a fatal error in the log")
        shown = " ".join(f"{code}×{count}" for code, count in sorted(report.statuses.items(), key=str))
        print(f"{name}: {report.tries} tries in {time.time() - began:.0f} s, {len(report.successes)} got through; {shown}",
              flush=True)
        for text in report.successes[:10]:
            print("    " + text, flush=True)
        return report

    def setting(self, name):
        settings = {"SELENE_DRAIN_TIMEOUT": "2"}
        if name == "files":
            settings["SELENE_API_TOKEN"] = ""
        return {"settings": settings}

    def prepare(self, place):
        for number in range(8):
            note = json.dumps({"title": f"note {number}", "content": "tide and moon " * (number + 1), "tags": ["a"]})
            exchange(place.url, request("POST", "/api/notes", note.encode(), bearer(place.token)))

    def until(self, share=1.0):
        end = time.time() + self.seconds * share
        while time.time() < end:
            yield

    def judge(self, report, answer, what, allowed=(502, 503, 507)):
        code = status(answer)
        report.tried(code)
        if code is None:
            report.success(f"no answer: {what}")
        elif code >= 500 and code not in allowed:
            report.success(f"{code}: {what}: {answer[-300:]!r}")
        return code

    def json(self, place, report, rng):
        """Sends odd JSON to all routes that take JSON, and checks the CPU time of each request."""
        pid = place.gateway_process.pid
        for _ in self.until():
            method, path = rng.choice(JSON_ROUTES)
            data = json_body(rng)
            before = cpu(pid)
            answer = exchange(place.url, request(method, path, data, bearer(place.token)), limit=30)
            self.judge(report, answer, f"{method} {path} {data[:200]!r}")
            if cpu(pid) - before > 2:
                report.success(f"{cpu(pid) - before:.1f} s of CPU: {method} {path} {data[:200]!r}")

    def framing(self, place, report, rng):
        """Sends odd heads and framings around a request that must never run: the deletion of a note."""
        smuggled = request("DELETE", "/api/notes/1", headers=bearer(place.token))
        lengths = ["Content-Length: 5", "Content-Length: +5", "Content-Length: 5,5", "Content-Length: 5, 6", "Content-Length: 0x5",
                   "Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length: 9223372036854775807",
                   "Content-Length : 5", "Content-Length: 5\r\nContent-Length: 6", "Transfer-Encoding: chunked",
                   "Transfer-Encoding: chunked, identity", "Transfer-Encoding: xchunked", "Transfer-Encoding: identity",
                   "Transfer-Encoding:\tchunked", "Transfer-encoding: chunked\r\nContent-Length: 5", "TRANSFER-ENCODING: CHUNKED",
                   "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "X: 1\r\n Transfer-Encoding: chunked", ""]
        chunks = [b"5\r\nhello\r\n0\r\n\r\n", b"0\r\n\r\n", b"FFFFFFFFFFFFFFFFF\r\n", b"-1\r\n\r\n", b"5;a=\"\r\n0\r\n\r\n\"\r\nhello\r\n0\r\n\r\n",
                  b"5\nhello\n0\n\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello0\r\n\r\n", b"00000000000000000005\r\nhello\r\n0\r\n\r\n", b"hello"]
        for _ in self.until():
            method = rng.choice(["POST", "GET", "PUT", "HEAD", "OPTIONS", "CONNECT", "P\0ST", "GET\t", "post"])
            path = rng.choice(["/api/chat", "/api/notes/search", "/api/version", "/v1/models/../../api/delete", "//api/tags", "/api/blobs/sha256:..%2f",
                               "http://other/api/tags", "*", "/" + "a" * rng.randint(1, 70000), "/api/notes/%zz", "/api/notes/9223372036854775808"])
            lines = [f"{method} {path} HTTP/{rng.choice(['1.1', '1.0', '2.0', '1.1 ', '9.9', '0.9'])}"]
            lines += rng.choice([["Host: 127.0.0.1"], [], ["Host: a", "Host: b"], ["Host: 127.0.0.1\0"]])
            lines += [rng.choice(lengths)] + ([f"Authorization: Bearer {place.token}"] if rng.random() < 0.7 else [])
            lines += [f"X-{n}: {'v' * rng.randint(0, 900)}" for n in range(rng.choice([0, 0, 3, 120]))]
            lines += rng.choice([[], ["Expect: 100-continue"], ["Connection: upgrade", "Upgrade: websocket"], ["X-Request-Id: a\x01b"]])
            head = rng.choice(["\r\n", "\r\n", "\r\n", "\n", "\r"]).join(line for line in lines if line)
            # A request after the declared end of the body is a valid second request; only one inside the body is smuggled.
            inner = rng.choice(chunks)
            if "chunked" not in head.lower() and "Content-Length: 5" in head and rng.random() < 0.3:
                head = head.replace("Content-Length: 5", f"Content-Length: {len(smuggled)}")
                inner = smuggled
            answer = exchange(place.url, head.encode("latin-1") + b"\r\n\r\n" + inner, limit=4, half_close=rng.random() < 0.5)
            # The gateway waits for a missing body, so no answer within the limit is correct.
            code = status(answer)
            report.tried(code)
            if code and code >= 500 and code not in (501, 502, 503, 505):
                report.success(f"{code}: {head[:200]!r}")
        if status(exchange(place.url, request("GET", "/api/notes/1", headers=bearer(place.token)))) != 200:
            report.success("a smuggled request deleted the note")

    def keys(self, place, report, rng):
        """Sends invalid keys in all possible places, and valid keys beyond their scopes."""
        place.key("reader", "notes:read")
        revoked = place.key("gone", "admin")
        subprocess.run([stand.BIN / "selene", "keys", "revoke", "gone"], env=place.environment, check=True, capture_output=True)
        time.sleep(1)
        good = place.token
        forms = [lambda: good[:-1], lambda: good + "x", lambda: good.upper(), lambda: revoked, lambda: "", lambda: good + "\0", lambda: "%20" + good,
                 lambda: good.replace("-", "_"), lambda: f'"{good}"', lambda: "".join(rng.sample(good, len(good))), lambda: "a" * rng.randint(1, 60000)]
        schemes = ["Bearer ", "bearer\t", "Basic ", "Token ", "", "Bearer  Bearer ", "Bearer,", "Bearer=", "Negotiate "]
        for _ in self.until():
            token, scheme = rng.choice(forms)(), rng.choice(schemes)
            if scheme.strip(" \t").lower() == "bearer" and token.strip(" \t") == good:
                continue
            header = rng.choice(["Authorization", "Authorization", "x-api-key", "Proxy-Authorization", "Cookie", "X-Forwarded-Authorization"])
            path = rng.choice(["/api/tags", "/v1/models", "/api/notes/1", "/metrics", "/api/jobs", "/api/admin/stats", "/openapi.yaml?token=" + good,
                               "/api/notes/recent?key=" + good, "/api/../api/notes/1", "/%61pi/notes/1"])
            answer = exchange(place.url, request("GET", path, headers=[(header, (scheme if header != "x-api-key" else "") + token)]))
            if self.judge(report, answer, f"{path} {header}") == 200 and not path.startswith("/openapi"):
                report.success(f"200 for {path} with {header}: {scheme}{token[:40]!r}")

    def models(self, place, report, rng):
        """Sends all spellings of a forbidden model with a key for another model; lenient readers at the upstream judge them."""
        seen = []
        upstream = Upstream(lambda data: seen.append(data) or b'{"message":{"content":"hi"},"done":true}')
        with upstream, stand.Stand(settings={"OLLAMA_HOST": upstream.url}) as own:
            key = own.key("one", "llm", options=["--model", ALLOWED])
            routes = ["/api/chat", "/api/generate", "/api/embed", "/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/show",
                      "/v1/audio/transcriptions", "/v1/audio/speech", "/v1/images/edits"]
            for _ in self.until():
                data, headers = model_body(rng)
                del seen[:]
                answer = exchange(own.url, request("POST", rng.choice(routes), data, bearer(key) + headers), limit=15)
                self.judge(report, answer, f"{data[:300]!r}")
                for sent in seen:
                    if names_forbidden(sent):
                        report.success(f"reached {FORBIDDEN}: {sent[-300:]!r} by {data[:300]!r}")

    def upstream(self, place, report, rng):
        """Lets a broken, old or hostile upstream answer."""
        upstream = Upstream(lambda data: upstream_answer(rng), raw=True)
        with upstream, stand.Stand(settings={"OLLAMA_HOST": upstream.url}) as own:
            paths = [("GET", "/api/tags"), ("GET", "/v1/models"), ("POST", "/api/chat"), ("POST", "/api/llm/generate"), ("POST", "/api/llm/embed"),
                     ("GET", "/api/llm/health"), ("POST", "/v1/chat/completions"), ("POST", "/api/notes/retrieve"), ("GET", "/api/ps")]
            content = json.dumps({"model": ALLOWED, "prompt": "x", "text": "x", "query": "x", "messages": [], "stream": True}).encode()
            fields = {"/api/llm/generate": ["model", "prompt", "stream"], "/api/llm/embed": ["text"], "/api/notes/retrieve": ["query"]}
            for _ in self.until():
                method, path = rng.choice(paths)
                data = content
                if path in fields:
                    data = json.dumps({name: json.loads(content)[name] for name in fields[path]}).encode()
                answer = exchange(own.url, request(method, path, data if method == "POST" else b"", bearer(own.token)), limit=20)
                code = status(answer)
                report.tried(code)
                if code is None or code == 0:
                    report.success(f"no answer: {method} {path} {answer!r}")
                elif code == 500 and b'"code"' in answer:
                    report.success(f"500: {method} {path} {answer[-300:]!r}")
                if own.gateway_process.poll() is not None:
                    report.success(f"the gateway ended: {own.log()[-800:]}")
                    return

    def rows(self, place, report, rng):
        """Lets another program write any type to any column, and rebuild and drop tables, while clients read."""
        path = place.folder / "notes.sqlite"
        gets = ["/api/notes", "/api/notes/recent", "/api/notes/1", "/api/threads", "/api/threads/1", "/api/sessions", "/api/sessions/a/messages",
                "/api/messages/recent", "/api/memories?embeddings=true", "/api/briefing/associations", "/api/jobs", "/api/notes/1/related",
                "/metrics", "/api/notes/since/2020-01-01"]
        with contextlib.closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as other:
            tables = [row[0] for row in other.execute(
                "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'gateway%' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%'")]
            values = [lambda: None, lambda: rng.randint(-2**63, 2**63 - 1), lambda: rng.choice([float("inf"), -1e308, 1e-320]), lambda: b"\xff\x00" * rng.randint(0, 3000),
                      lambda: "\0", lambda: "a" * 50000, lambda: "[1,", lambda: "9999-99-99", lambda: b"", lambda: "2026-01-01T00:00:00+99:99", lambda: "￿" * 9]
            for _ in self.until():
                table = rng.choice(tables)
                columns = [(row[1], row[5]) for row in other.execute(f'PRAGMA table_info("{table}")')]
                try:
                    kind = rng.random()
                    if kind < 0.45:
                        names = [name for name, key in columns if not key or rng.random() < 0.3]
                        names = rng.sample(names, rng.randint(min(1, len(names)), len(names))) or [columns[0][0]]
                        other.execute(f'INSERT OR REPLACE INTO "{table}" ({",".join(chr(34) + n + chr(34) for n in names)}) '
                                      f'VALUES ({",".join("?" * len(names))})', [rng.choice(values)() for _ in names])
                    elif kind < 0.8:
                        name = rng.choice(columns)[0]
                        other.execute(f'UPDATE "{table}" SET "{name}" = ? WHERE rowid % 3 = ?', [rng.choice(values)(), rng.randint(0, 2)])
                    elif kind < 0.9:
                        other.execute(f'DELETE FROM "{table}" WHERE rowid % 5 = ?', [rng.randint(0, 4)])
                    else:
                        rebuild(other, table)
                except (sqlite3.IntegrityError, OverflowError):
                    pass
                except sqlite3.DatabaseError as error:
                    if "locked" not in str(error):
                        report.success(f"a write of the other program failed: {error}")
                answer = exchange(place.url, request("GET", rng.choice(gets), headers=bearer(place.token)), limit=20)
                self.judge(report, answer, f"after a write to {table}")
                if report.tries % 20 == 0:
                    answer = exchange(place.url, request("POST", "/api/notes/retrieve", b'{"query":"tide"}', bearer(place.token)), limit=20)
                    self.judge(report, answer, f"retrieval after a write to {table}")
            other.execute("INSERT INTO raw_notes (title, content, created_at, content_hash) VALUES ('fresh', 'zanzibar', '2026-01-01 00:00:00', 'fresh-hash')")
        for _ in range(100):
            answer = exchange(place.url, request("POST", "/api/notes/retrieve", b'{"query":"zanzibar","mode":"keyword"}', bearer(place.token)))
            if b'"fresh"' in (answer or b""):
                return
            time.sleep(0.1)
        report.success(f"the next note is not found: {answer!r}")

    def files(self, place, report, rng):
        """Removes, empties, breaks or cuts the configuration, and cuts the index. The gateway must neither open up nor end."""
        config = place.folder / "config.json"
        good = json.dumps({"api_token": "a-long-token-of-the-configuration"})
        config.write_text(good)
        place.environment.pop("SELENE_API_TOKEN")
        stand.stop(place.gateway_process)
        place.settings = {"SELENE_CONFIG": str(config)}
        environment = {**place.environment, "SELENE_CONFIG": str(config)}
        place.gateway_process, place.url = place._start("gateway", [stand.BIN / "selene", "serve"], environment)
        place.token = "a-long-token-of-the-configuration"
        self.prepare(place)
        for _ in self.until():
            kind = rng.randrange(8)
            if kind == 0:
                config.unlink(missing_ok=True)
            elif kind == 1:
                config.write_text("")
            elif kind == 2:
                config.write_text(good[:rng.randrange(len(good))])
            elif kind == 3:
                config.write_text('{"api_token":""}')
            elif kind == 4:
                config.unlink(missing_ok=True)
                config.mkdir(exist_ok=True)
            elif kind == 5:
                config.write_text('{"host":"0.0.0.0","api_token":null}')
            elif kind == 6:
                for file in [file for file in place.folder.rglob("*") if "index" in str(file) and file.is_file()]:
                    with contextlib.suppress(OSError):
                        os.truncate(file, rng.randint(0, 4096))
                found = exchange(place.url, request("POST", "/api/notes/retrieve", b'{"query":"tide"}', bearer(place.token)))
                self.judge(report, found, "retrieval after the index was cut")
            place.gateway_process.send_signal(signal.SIGHUP)
            for _ in range(4):
                answer = exchange(place.url, request("GET", "/api/notes/1"))
                if self.judge(report, answer, "without a key") == 200:
                    report.success(f"open after {kind}")
            with contextlib.suppress(OSError):
                if config.is_dir():
                    config.rmdir()
            config.write_text(good)

    def slow(self, place, report, rng):
        """Holds connections that send single bytes, and measures how long another key waits."""
        held, stop_at = [], time.time() + self.seconds
        target = urllib.parse.urlsplit(place.url)
        waits = []
        while time.time() < stop_at:
            for _ in range(10):
                with contextlib.suppress(OSError):
                    connection = socket.create_connection((target.hostname, target.port), timeout=5)
                    connection.sendall(rng.choice([b"P", b"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n" +
                                                   f"Authorization: Bearer {place.token}\r\n\r\n".encode(), b"GET /api/version HTTP/1.1\r\n"]))
                    held.append(connection)
            for connection in rng.sample(held, min(40, len(held))):
                with contextlib.suppress(OSError):
                    connection.sendall(b"x")
            for connection in held[:-600]:
                connection.close()
            held = held[-600:]
            began = time.time()
            answer = exchange(place.url, request("GET", "/api/version", headers=bearer(place.token)))
            waits.append(time.time() - began)
            self.judge(report, answer, "beside slow connections")
        waits.sort()
        print(f"    GET /api/version beside {len(held)} held connections: median {waits[len(waits) // 2] * 1000:.1f} ms, "
              f"p99 {waits[int(len(waits) * 0.99)] * 1000:.1f} ms")
        for connection in held:
            connection.close()


def cpu(pid):
    """The CPU time of a process, in seconds."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0


def spelled(rng, text):
    """Encodes `text` as a JSON string with random escapes."""
    return '"' + "".join(f"\\u{ord(c):04{rng.choice('xX')}}" if rng.random() < 0.2 else c for c in text) + '"'


def cased(rng, text):
    folds = {"k": "\u212a", "s": "\u017f"}
    return "".join(rng.choice([c, c, c.upper(), folds.get(c, c)]) for c in text)


def model_body(rng):
    """Builds a body, with headers, that some server might read as naming the forbidden model."""
    names = [("model", ALLOWED)] if rng.random() < 0.8 else []
    for _ in range(rng.randint(1, 2)):
        names.append((rng.choice(["model", cased(rng, "model"), cased(rng, "name"), "name", "model ", "model\\u0000", "\ufeffmodel", "models", "fallback_model"]),
                      rng.choice([FORBIDDEN, FORBIDDEN, f" {FORBIDDEN}", FORBIDDEN + ":latest", cased(rng, FORBIDDEN)])))
    rng.shuffle(names)
    members = [f"{spelled(rng, name) if rng.random() < 0.3 and chr(92) not in name else chr(34) + name + chr(34)}:{spelled(rng, text)}" for name, text in names]
    members.insert(rng.randrange(len(members) + 1), rng.choice(['"messages":[]', '"prompt":"x"', '"x":{"model":"%s"}' % FORBIDDEN, '"prompt":"' + "y" * 70000 + '"']))
    text = "{" + rng.choice([",", ",\n", ",,", ";", ",/**/", ", "]).join(members) + "}"
    text = rng.choice([text] * 6 + ["\ufeff" + text, text + text, "[" + text + "]", text + "\0" + text, "'" + text, text.replace('"', "'"), "\x1e" + text])
    data = text.encode("utf-8")
    headers = []
    kind = rng.random()
    if kind < 0.08:
        data, headers = gzip.compress(data), [("Content-Encoding", rng.choice(["gzip", "GZIP", "identity, gzip", "x-gzip"]))]
    elif kind < 0.16:
        data, headers = text.encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-7"])), [("Content-Type", "application/json; charset=utf-16")]
    elif kind < 0.28:
        edge = "x"
        parts = [f'--{edge}\r\nContent-Disposition: form-data; name="{rng.choice(["model", cased(rng, "model"), "mode" + "l;"])}"\r\n\r\n{m}\r\n'
                 for m in rng.sample([ALLOWED, FORBIDDEN, FORBIDDEN], rng.randint(1, 3))]
        data, headers = ("".join(parts) + f"--{edge}--\r\n").encode(), [("Content-Type", f"multipart/form-data; boundary={edge}")]
    elif kind < 0.34:
        data, headers = f"model={ALLOWED}&model={FORBIDDEN}".encode(), [("Content-Type", "application/x-www-form-urlencoded")]
    return data, headers


def names_forbidden(sent):
    """Whether a lenient server would read the forbidden model: from the first or last member of a name, in any letter case,
    with Unicode folding. Only `/api/show` reads `name`."""
    head, text = sent.split(b"\r\n\r\n", 1)
    members = ("model", "name") if b" /api/show " in head else ("model",)
    if FORBIDDEN.encode() not in text.lower() and b"\\u" not in text:
        return False
    try:
        pairs = json.loads(text, object_pairs_hook=lambda found: found)
    except ValueError:
        return FORBIDDEN.encode() in text.lower()
    if not isinstance(pairs, list):
        return False
    for pair in pairs:
        if isinstance(pair, tuple) and isinstance(pair[1], str) and pair[1].strip().casefold().startswith(FORBIDDEN.casefold()):
            if pair[0].casefold() in members:
                return True
    return False


def upstream_answer(rng):
    statuses = ["200 OK", "200", "099 X", "000 X", "700 X", "9999 X", "-1 X", "200 \xff\xff", "100 Continue\r\n\r\nHTTP/1.1 200 OK", "101 Switching", "204 No", "304 Not",
                "500 X", "302 Found\r\nLocation: http://127.0.0.1:1/", "401 No", "429 Later\r\nRetry-After: 99999999999999999999", "206 Part"]
    headers = ["Content-Length: 2", "Content-Length: 99999999999999999999", "Content-Length: -1", "Content-Length: 2\r\nContent-Length: 3", "Transfer-Encoding: chunked",
               "Transfer-Encoding: gzip", "Content-Encoding: gzip", "Content-Type: text/event-stream", "Content-Type: application/x-ndjson", "Set-Cookie: a=b", "X: \x01\x02",
               "Bad Header: 1", ": empty", "Connection: close, X", "X-Request-Id: no", "Access-Control-Allow-Origin: *", "X-Long: " + "v" * rng.randint(1, 90000)]
    bodies = [b"{}", b"[]", b"null", b'{"models":[{"name":1},null,{"name":"' + b"x" * 3000 + b'"}]}', b'{"response":1e999,"done":"yes"}', b'{"embeddings":[[1e999,null,"x"]]}',
              b'{"embeddings":[[]]}', b'{"embeddings":[' + b"[" * 3000, b'{"done":true,"prompt_eval_count":9223372036854775807,"eval_count":9223372036854775807}\n',
              b'{"prompt_eval_count":-5,"eval_count":1e300,"done":true}\n', b'data: {"usage":{"prompt_tokens":1e99,"completion_tokens":99999999999999999999}}\n\n', b"\xff\xfe\x00",
              b"x" * 300000, b"5\r\nhello\r\n0\r\n\r\n", b"FFFFFFFFFFFFFFFF\r\nx", b'{"error":{"error":{}}}\n', b'{"version":5}', b'{"models":' + b"[" * 5000, b"\n" * 5000, b""]
    line = f"HTTP/{rng.choice(['1.1', '1.1', '1.1', '1.0', '2', '9.9'])} {rng.choice(statuses)}"
    head = "\r\n".join([line] + rng.sample(headers, rng.randint(0, 4)))
    data = head.encode("latin-1") + b"\r\n\r\n" + rng.choice(bodies)
    if rng.random() < 0.1:
        data = bytes(rng.getrandbits(8) for _ in range(rng.randint(0, 500)))
    return data[:rng.randrange(len(data) + 1)] if rng.random() < 0.15 else data


def rebuild(database, table):
    """Rebuilds a table as migration tools do: new table, copy, drop, rename."""
    sql = database.execute("SELECT sql FROM sqlite_master WHERE type='table' AND name=?", [table]).fetchone()[0]
    fresh = sql.replace(table, f"new_{table}", 1)
    database.execute("BEGIN IMMEDIATE")
    try:
        database.execute(fresh)
        database.execute(f'INSERT INTO "new_{table}" SELECT * FROM "{table}"')
        database.execute(f'DROP TABLE "{table}"')
        database.execute(f'ALTER TABLE "new_{table}" RENAME TO "{table}"')
        database.execute("COMMIT")
    except sqlite3.DatabaseError:
        database.execute("ROLLBACK")
        raise


class Upstream:
    """A server on 127.0.0.1 that answers one request per connection and closes it."""

    def __init__(self, answer, raw=False):
        self.answer, self.raw = answer, raw
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=[connection], daemon=True).start()

    def _answer(self, connection):
        with contextlib.suppress(OSError), connection:
            connection.settimeout(10)
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65536) or b"\r\n\r\n"
            head, rest = data.split(b"\r\n\r\n", 1)
            length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
            while len(rest) < length and (more := connection.recv(65536)):
                rest += more
            body = self.answer(head + b"\r\n\r\n" + rest)
            connection.sendall(body if self.raw else b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    classes = ["json", "framing", "keys", "models", "upstream", "rows", "files", "slow"]
    parser.add_argument("classes", nargs="*", metavar="CLASS", help="; ".join(classes))
    parser.add_argument("--seconds", type=float, default=30, help="seconds per class (default: 30)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    unknown = set(options.classes) - set(classes)
    if unknown:
        parser.error(f"unknown class {', '.join(unknown)}")
    attack = Attack(options.seconds, options.seed)
    reports = [attack.run(name) for name in options.classes or classes]
    return 1 if any(report.successes for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
