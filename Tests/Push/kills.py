#!/usr/bin/env python3
"""Kills the gateway with SIGKILL in every state of a delivery and counts what arrives: `make push-kills COUNT=10000`.

    kills.py [--count 10000] [--devices 10] [--seed 1] [--apns]

A receiver of webhooks, or with `--apns` the synthetic APNs, counts every delivery. It kills the gateway while a request is in flight, right after its answer, while
deliveries wait for a retry, for their time or for a free place, and the script kills it while messages are accepted and while it
starts. Then everything that was accepted must have arrived, and nothing else. What comes twice has the same id and content.
Exits with 1 otherwise.
"""
import argparse
import collections
import http.client
import http.server
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Scripts"))
import stand  # noqa: E402

# The kinds of kills, in the order in which they are tried again and again.
STATES = ["in flight", "answered", "retry", "later", "accepting", "held up", "starting"]
PATIENCE = 300


class Receiver:
    """Takes webhooks, and kills the gateway when it is told to."""

    def __init__(self):
        self.kill, self.lock = lambda: None, threading.Condition()
        self.copies = collections.Counter()
        self.titles = {}
        self.problems = []
        self.trap = None
        self.is_open = threading.Event()
        self.is_open.set()
        self.held = 0
        self.refused = set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status = receiver.take(self.headers.get("webhook-id"), body, self.path)
                if status is None:
                    self.close_connection = True
                    return
                try:
                    self.send_response(status)
                    if status == 503:
                        self.send_header("Retry-After", "1")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    self.wfile.flush()
                except OSError:
                    return
                receiver.answered()

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 256

            def handle_error(self, *_):
                # Connections of a killed gateway break.
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, name, body, path):
        """Counts a delivery; the status of the answer, nil for none."""
        title = json.loads(body)["data"]["message"]["title"]
        with self.lock:
            self.held += 1
        self.is_open.wait(20)
        with self.lock:
            self.held -= 1
            if self.titles.setdefault(name, (title, path)) != (title, path):
                self.problems.append(f"{name} had {self.titles[name]}, then {(title, path)}")
            trap = self.trap
            if trap == "retry" and name not in self.refused and name not in self.copies:
                self.refused.add(name)
                self.lock.notify_all()
                return 503
            self.copies[name] += 1
            if trap == "in flight":
                self.trap = None
                self.kill()
                self.lock.notify_all()
                return None
        return 200

    def answered(self):
        with self.lock:
            if self.trap == "answered":
                self.trap = None
                self.kill()
                self.lock.notify_all()

    def device(self, number):
        return {"name": f"d{number}", "webhook": {"url": f"{self.url}/{number}"}}

    def refuse(self):
        """Has some deliveries retried; whether there were any."""
        with self.lock:
            self.trap = "retry"
            before = len(self.refused)
            came = self.lock.wait_for(lambda: len(self.refused) >= before + 5, 5)
            self.trap = None
            return came

    def hold(self):
        """Kills the gateway while all its requests wait; whether there were any."""
        self.is_open.clear()
        end = time.time() + 5
        while self.held < 20 and time.time() < end:
            time.sleep(0.005)
        came = self.held > 0
        self.kill()
        self.is_open.set()
        return came

    def read(self):
        """All is counted as it comes."""

    def stop(self):
        self.server.shutdown()

    def spring(self, trap, patience=5):
        """Sets a trap and waits until it closed; whether it did."""
        with self.lock:
            self.trap = trap
            closed = self.lock.wait_for(lambda: self.trap is None, patience)
            self.trap = None
            return closed


class APNs:
    """The synthetic APNs in a process of its own: it journals each push that it accepts, and says when a trap closed."""

    TRAPS = {"in flight": "silent", "answered": "answered", "retry": "retry", "held up": "held"}

    def __init__(self, folder):
        self.journal = folder / "pushes"
        self.process = subprocess.Popen(
            [stand.BIN / "fake-apns", "--folder", folder, "--latency", "3", "--journal", self.journal],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.origin = self.process.stdout.readline().strip()
        self.settings = {
            "SELENE_PUSH_APNS_KEY": str(folder / "key.p8"), "SELENE_PUSH_APNS_KEY_ID": "ABC123DEFG",
            "SELENE_PUSH_APNS_TEAM_ID": "TEAM123456", "SELENE_PUSH_BUNDLE_ID": "com.example.app",
            "SELENE_PUSH_APNS_ORIGIN": self.origin, "SELENE_PUSH_APNS_AUTHORITIES": str(folder / "ca.crt")}
        self.lock, self.closed, self.kill = threading.Condition(), 0, lambda: None
        self.copies, self.titles, self.problems = collections.Counter(), {}, []
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            with self.lock:
                self.closed += line.startswith("trap ")
                self.lock.notify_all()

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def device(self, number):
        return {"name": f"d{number}", "apnsToken": f"{number:064x}"}

    def met(self, state, patience=5):
        """Sets the trap of a state; whether it closed, and with that the state came."""
        with self.lock:
            before = self.closed
            self.tell(self.TRAPS[state])
            return self.lock.wait_for(lambda: self.closed > before, patience)

    def spring(self, state):
        came = self.met(state)
        self.kill()
        self.tell("open")
        return came

    def refuse(self):
        came = self.met("retry")
        self.tell("open")
        return came

    def hold(self):
        """Answers nothing for a moment, so that the lane fills; then the gateway is killed."""
        self.tell("held")
        time.sleep(1)
        self.kill()
        self.tell("open")
        return True

    def read(self):
        """Counts what the journal has."""
        for line in self.journal.read_text().splitlines():
            push = json.loads(line)
            name = push["id"].lower()
            payload = json.loads(push["payload"])
            content = (payload["aps"]["alert"]["title"], f"/{int(push['path'].rsplit('/', 1)[1], 16)}")
            self.copies[name] += 1
            if self.titles.setdefault(name, content) != content:
                self.problems.append(f"{name} had {self.titles[name]}, then {content}")
            if push["collapse"].lower() != name:
                self.problems.append(f"{name} came with the collapse id {push['collapse']}")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Trial:
    def __init__(self, s, count, devices, seed, receiver):
        self.s, self.count, self.devices = s, count, devices
        self.random = random.Random(seed)
        self.accepted = {}
        self.repeated = 0
        self.messages = -(-count // devices)
        self.permits = threading.Semaphore(0)
        self.is_posting = threading.Event()
        self.is_up = threading.Event()
        self.is_up.set()
        self.receiver = receiver
        receiver.kill = self.kill
        self.kills = collections.Counter()
        self.failure = None

    def kill(self):
        self.is_up.clear()
        self.s.gateway_process.kill()
        self.s.gateway_process.wait()

    def ask(self, method, path, body=None, headers=None):
        request = urllib.request.Request(
            self.s.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.s.token}", "Content-Type": "application/json", **(headers or {})})
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.loads(reply.read() or b"{}")

    def register(self):
        for number in range(self.devices):
            self.ask("POST", "/api/v1/devices", self.receiver.device(number))

    def post(self):
        """Sends all messages; one whose answer did not come is sent again with its key."""
        try:
            for number in range(self.messages):
                self.permits.acquire()
                body = {"message": {"title": f"m{number}", "priority": self.random.choice(["low", "normal", "high"])}}
                # Some wait for their time.
                if self.random.random() < 0.2:
                    due = time.time() + self.random.uniform(0.5, 3)
                    body["notBefore"] = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(due)) + "Z"
                end = time.time() + PATIENCE
                while True:
                    if time.time() > end:
                        raise SystemExit("the gateway does not take messages")
                    self.is_up.wait(60)
                    self.is_posting.set()
                    try:
                        reply = self.ask("POST", "/api/v1/messages", body, {"Idempotency-Key": f"k{number}"})
                        break
                    except urllib.error.HTTPError as error:
                        if error.code not in (503, 507):
                            raise
                        time.sleep(0.2)
                    except (OSError, http.client.HTTPException):
                        time.sleep(0.02)
                self.repeated += reply.get("isRepeat") is True
                for delivery in reply["deliveries"]:
                    self.accepted[delivery["id"]] = (f"m{number}", delivery["name"].replace("d", "/"))
        except BaseException as error:
            self.failure = error

    def start(self):
        self.s.processes = [process for process in self.s.processes if process.poll() is None]
        self.s.start_gateway()
        self.is_up.set()

    def round(self, state):
        """Kills the gateway in a state and starts it again; whether the state came."""
        receiver = self.receiver
        came = True
        if state in ("in flight", "answered"):
            came = receiver.spring(state)
        elif state == "retry":
            came = receiver.refuse()
            self.kill()
        elif state == "held up":
            # The lane is full: every place is a request that gets no answer.
            came = receiver.hold()
        elif state == "accepting":
            self.is_posting.clear()
            came = self.is_posting.wait(2)
            time.sleep(self.random.uniform(0, 0.006))
            self.kill()
        elif state == "later":
            time.sleep(self.random.uniform(0.05, 0.3))
            self.kill()
        elif state == "starting":
            self.kill()
            # Once more while it opens the file and ends the leases of the one before.
            half = subprocess.Popen([stand.BIN / "selene", "serve"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.s.environment)
            time.sleep(self.random.uniform(0.02, 0.4))
            half.kill()
            half.wait()
        if self.s.gateway_process.poll() is None:
            self.kill()
        self.start()
        self.kills[state] += came
        return came

    def wait_for_all(self):
        end = time.time() + PATIENCE
        while time.time() < end:
            if all(not self.ask("GET", f"/api/v1/log?status={word}&limit=1")["log"] for word in ("queued", "sending")):
                return
            time.sleep(0.2)

    def run(self):
        self.register()
        begin = time.time()
        poster = threading.Thread(target=self.post, daemon=True)
        poster.start()
        rounds = len(STATES) * max(2, min(10, self.count // 1000))
        for number in range(rounds):
            # Every state is met with new work.
            self.permits.release(-(-self.messages // rounds))
            self.round(STATES[number % len(STATES)])
        self.permits.release(self.messages)
        poster.join(PATIENCE)
        if self.failure or poster.is_alive():
            raise self.failure or SystemExit("the gateway does not take all messages")
        self.wait_for_all()
        return self.verdict(time.time() - begin)

    def verdict(self, seconds):
        receiver = self.receiver
        receiver.read()
        arrived = set(receiver.copies)
        problems = list(receiver.problems)
        failed = self.ask("GET", "/api/v1/log?status=failed&limit=5")["log"]
        if failed:
            problems.append(f"given up: {failed[0]}")
        if lost := set(self.accepted) - arrived:
            problems.append(f"{len(lost)} deliveries were lost, such as {sorted(lost)[0]}")
        if foreign := arrived - set(self.accepted):
            problems.append(f"{len(foreign)} deliveries came that nobody was told of, such as {receiver.titles[sorted(foreign)[0]]}")
        if wrong := [name for name in arrived & set(self.accepted) if receiver.titles[name] != self.accepted[name]]:
            problems.append(f"{len(wrong)} came with another content or to another device, such as {wrong[0]}")
        # One id for each message and device: a repeat under another id would be seen twice.
        places = collections.Counter(receiver.titles[name] for name in arrived)
        if twice := [place for place, times in places.items() if times > 1]:
            problems.append(f"{len(twice)} came under two ids, such as {twice[0]}")
        for state in STATES:
            if self.kills[state] == 0:
                problems.append(f"the state \"{state}\" was never met")
        repeats = sum(receiver.copies.values()) - len(arrived)
        print(f"{len(self.accepted)} deliveries, {sum(self.kills.values())} kills in {seconds:.0f} s ({', '.join(f'{state} {self.kills[state]}' for state in STATES)}); "
              f"{len(arrived)} arrived, {repeats} copies under the same id, {self.repeated} requests known by their key")
        for problem in problems:
            print(f"FAILED: {problem}")
        return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--devices", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--apns", action="store_true", help="push to the synthetic APNs in place of webhooks")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="selene-kills-") as folder:
        receiver = APNs(pathlib.Path(folder)) if options.apns else Receiver()
        settings = {"SELENE_PUSH_PRIVATE_URLS": "true", "SELENE_BACKFILL": "off", **getattr(receiver, "settings", {})}
        try:
            with stand.Stand(settings=settings) as s:
                return 0 if Trial(s, options.count, options.devices, options.seed, receiver).run() else 1
        finally:
            receiver.stop()


if __name__ == "__main__":
    sys.exit(main())
