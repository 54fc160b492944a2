"""A stand-in of the gateway's chat API for tests of the web client: sessions, runs with events, faults on demand.

    python3 Tests/Web/stand_in.py [PORT]      serves the client with sample chats on 127.0.0.1
In tests: `with StandIn() as gateway: … gateway.url`. Attributes that tests set between requests are named under "faults".
"""

import http.server
import json
import sys
import threading
import time

from stand_in_books import Library
from stand_in_briefing import CARDS, TODAY, sample_memories, sample_tasks
from stand_in_console import Console
from stand_in_data import SAMPLE, sample_sessions
from stand_in_goals import Goals
from stand_in_push import Push
from stand_in_runs import Run
from stand_in_site import CSP, Site


class StandIn:
    def __init__(self, port=0, *, needs_key=False, has_samples=True):
        self.site = Site()
        self.lock = threading.Condition()
        self.needs_key = needs_key
        self.key, self.key_name = "slk_test", "phone"
        self.cookies = set()
        self.pairings = {}
        self.sessions, self.messages = sample_sessions() if has_samples else ({}, {})
        self.library = Library(has_samples)
        self.goals = Goals(has_samples)
        self.push = Push(has_samples)
        self.console = Console()
        self.briefings = {TODAY: CARDS if has_samples else []}
        # What is proposed for threads.
        self.proposals = []
        self.memories = {"rows": sample_memories() if has_samples else [], "asked": [], "is_on": has_samples}
        self.tasks = sample_tasks() if has_samples else {"drafts": [], "tasks": [], "asked": []}
        # The scopes of the key, beside those of the notes.
        self.scopes = []
        self.has_notes = has_samples
        # Whether the gateway knows which notes link to which.
        self.has_links = True
        # Notes that a page wrote, the keys of their requests, and every try.
        self.written, self.keys, self.tries, self.lost_replies = {}, {}, [], 0
        # Files that were sent, by their paths: number and text; the sizes of the requests, and how many ran at once, now and at most.
        self.files, self.batches, self.flights, self.most_flights, self.import_time = {}, [], 0, 0, 0.0
        # What notes were: `{name: [version, …]}`, the newest first; and the names of those that are deleted.
        self.versions, self.deleted, self.erased = {}, [], []
        self.retrieval, self.search_time = "hybrid", 0.0
        self.is_admin, self.asked = True, 0
        self.runs = {}
        self.next_id = 10_000
        self.requests = []
        # How answers are played.
        self.script = SAMPLE
        self.pace = 0.004
        self.step = 7
        # Faults: see Handler.
        self.is_down = False
        self.status = {}
        # What speech is heard as; None: no model is set. And what was sent: content type and bytes.
        self.hears, self.recordings = None, []
        self.cuts = []
        self.is_silent = False
        handler = type("Handler", (Handler,), {"gateway": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def restart(self):
        """What a restart of the gateway does: connections drop, running answers are interrupted, their text is kept."""
        with self.lock:
            for run in self.runs.values():
                if run.is_working:
                    run.interrupt()
            self.lock.notify_all()

    def new_id(self):
        self.next_id += 1
        return self.next_id

    def fail(self, path, status, code="error", error="It went wrong.", times=1, **more):
        """The next requests of a path, or of "METHOD /path", are refused; `more` goes into the body, `retry_after` into the header."""
        self.status[path] = [status, {"error": error, "code": code, **more}, times]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    gateway: StandIn

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError, ValueError):
            self.close_connection = True

    def do_GET(self): self.answer("GET")
    def do_POST(self): self.answer("POST")
    def do_PUT(self): self.answer("PUT")
    def do_PATCH(self): self.answer("PATCH")
    def do_DELETE(self): self.answer("DELETE")

    def answer(self, method):
        gateway = self.gateway
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        gateway.requests.append((method, path))
        if gateway.is_down:
            self.close_connection = True
            self.connection.close()
            return
        if method == "GET" and (path in ("/", "/sw.js", "/app.webmanifest") or path.startswith("/app/")):
            return self.file(path)
        fault = gateway.status.get(f"{method} {path}") or gateway.status.get(path)
        if fault and fault[2] > 0:
            fault[2] -= 1
            return self.json(fault[0], fault[1], {"Retry-After": str(fault[1]["retry_after"])} if "retry_after" in fault[1] else {})
        if self.headers.get("X-Selene") != "1":
            return self.json(403, {"error": "the header X-Selene is missing", "code": "cross_site_request"})
        data = json.loads(body) if body and "json" in self.headers.get("Content-Type", "") else {}
        parameters = dict(part.partition("=")[::2] for part in query.split("&") if part)
        parts = path.strip("/").split("/")
        from stand_in_routes import ROUTES
        for verb, pattern, is_open, route in ROUTES:
            if verb != method or len(pattern) != len(parts):
                continue
            names = [value for name, value in zip(pattern, parts) if name == "*"]
            if all(name in ("*", value) for name, value in zip(pattern, parts)):
                if not is_open and not self.is_signed_in():
                    return self.json(401, {"error": "a key is needed", "code": "unauthorized"})
                return route(self, gateway, *names, data=data, parameters=parameters, body=body)
        self.json(404, {"error": f"there is no {path}", "code": "not_found"})

    def is_signed_in(self):
        return not self.gateway.needs_key or self.cookie() in self.gateway.cookies

    def cookie(self):
        return dict(part.strip().partition("=")[::2] for part in self.headers.get("Cookie", "").split(";")).get("selene")

    def json(self, status, value, headers={}):
        body = b"" if status == 204 else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in headers.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def bytes(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def file(self, path):
        found = self.gateway.site.find(path, self.headers.get("Accept", ""))
        if not found:
            return self.json(404, {"error": f"there is no {path}", "code": "not_found"}, {"Cache-Control": "no-store"})
        body, kind, caching = found
        packs = "gzip" in self.headers.get("Accept-Encoding", "") and "image/png" not in kind
        if packs:
            body = self.gateway.site.packed(body)
        self.send_response(200)
        if packs:
            self.send_header("Content-Encoding", "gzip")
        for name, text in {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": caching, "Content-Security-Policy": CSP,
                           "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
                           "Cross-Origin-Resource-Policy": "same-origin", "Vary": "Accept, Accept-Encoding"}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def events(self, run: Run, after):
        """Sends a run's events from an id on; a cut closes the connection after so many bytes."""
        gateway = self.gateway
        left = gateway.cuts.pop(0) if gateway.cuts else None
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        place, first = run.place_after(after)
        pending = first
        spoke = time.monotonic()
        while True:
            with gateway.lock:
                if not pending and place >= len(run.log) and not run.is_over:
                    gateway.lock.wait(0.5)
                pending += b"".join(run.log[place:])
                place = len(run.log)
                is_over = run.is_over
            if gateway.is_down:
                return
            if not pending and not is_over and time.monotonic() - spoke > 5 and not gateway.is_silent:
                pending = b": still here\n\n"
            if pending:
                spoke = time.monotonic()
                if left is not None and len(pending) >= left:
                    self.wfile.write(pending[:left])
                    self.wfile.flush()
                    return
                left = None if left is None else left - len(pending)
                self.wfile.write(pending)
                self.wfile.flush()
                pending = b""
            if is_over and place >= len(run.log):
                return


def main():
    with StandIn(int(sys.argv[1]) if len(sys.argv) > 1 else 8765) as gateway:
        gateway.pace = 0.03
        print(f"serving {gateway.url}; Ctrl-C ends", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
