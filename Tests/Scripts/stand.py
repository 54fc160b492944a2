"""A synthetic Ollama and a gateway in front of it, for scripts. They use free ports on 127.0.0.1 and a new database.

    with stand.Stand() as s:
        key = s.key("phone", "llm")
        ... requests to s.url ...
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / ".build" / os.environ.get("CONFIGURATION", "debug")


class Stand:
    """Starts both processes on entry and stops them, by pid, on exit."""

    def __init__(self, fake=(), settings=None, token="stand-token-of-the-administrator"):
        self.fake_options, self.settings, self.token = list(fake), settings or {}, token
        self.processes = []

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-stand-"))
        try:
            self.start_upstream(0)
            self.start_gateway()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start_upstream(self, port):
        """Starts the synthetic Ollama; 0 picks a free port."""
        self.upstream_process, self.upstream = self._start(
            "upstream", [BIN / "fake-ollama", "--port", str(port), *map(str, self.fake_options)], {})
        self.upstream_port = int(self.upstream.rsplit(":", 1)[1])

    def start_gateway(self):
        """Starts the gateway on a free port."""
        self.environment = {
            **os.environ, "SELENE_DATABASE": str(self.folder / "notes.sqlite"), "SELENE_PORT": "0",
            "OLLAMA_HOST": self.upstream, "SELENE_API_TOKEN": self.token, "SELENE_WORKFLOWS": "off",
            "SELENE_MEMORIES": "off", **self.settings}
        self.gateway_process, self.url = self._start("gateway", [BIN / "selene", "serve"], self.environment)

    def _start(self, name, command, environment):
        log = self.folder / f"{name}.log"
        with log.open("ab") as output:
            begin = output.tell()
            process = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ, **environment})
        self.processes.append(process)
        return process, listening(process, log, begin)

    def key(self, name, *scopes, options=()):
        """Creates a key and returns its secret."""
        command = [BIN / "selene", "keys", "create", name, "--json", *options]
        for scope in scopes:
            command += ["--scope", scope]
        made = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        return json.loads(made.stdout)["key"]

    def signer(self, name, line, *scopes):
        """Accepts the requests that are signed with the key of a .pub file's line."""
        command = [BIN / "selene", "keys", "create", name, "--ollama", line, *(f"--scope={scope}" for scope in scopes)]
        subprocess.run(command, env=self.environment, capture_output=True, check=True)

    def get(self, path, token=None, value=None):
        """Sends a GET, or a POST with a value as JSON, and returns the body."""
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"}
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(self.url + path, data, headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read()

    def log(self):
        """The gateway's log."""
        return (self.folder / "gateway.log").read_text()


def listening(process, log, begin=0):
    """Waits until a server logs its address, and returns it."""
    end = time.time() + 60
    while time.time() < end and process.poll() is None:
        # Matches the gateway's own line; the framework logs an earlier one without a scheme.
        found = re.search(r"https?://127\.0\.0\.1:\d+(?=.*listening)|(?<=listening on )http://127\.0\.0\.1:\d+",
                          log.read_text()[begin:])
        if found:
            return found[0]
        time.sleep(0.02)
    raise SystemExit(f"{log.stem} does not listen:\n{log.read_text()}")


def stop(process, patience=40):
    """Stops a process with SIGTERM, and kills it after the timeout."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise SystemExit(f"process {process.pid} did not stop within {patience} s")
