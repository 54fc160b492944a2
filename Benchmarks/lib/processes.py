"""Starts, measures and stops servers. All of them listen on 127.0.0.1."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from .environment import BIN, command

TICK = os.sysconf("SC_CLK_TCK")


def free_port():
    """Finds a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, seconds, process):
    """Waits until a process listens on a port; returns False if the process ends or the timeout passes first."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.02)
    return False


@dataclasses.dataclass(frozen=True)
class CPU:
    """Seconds of CPU time from /proc/PID/stat. The total is exact; the split into user and kernel is sampled."""
    user: float = 0
    kernel: float = 0

    @property
    def total(self):
        return self.user + self.kernel

    def __sub__(self, other):
        return CPU(self.user - other.user, self.kernel - other.kernel)

    def __add__(self, other):
        return CPU(self.user + other.user, self.kernel + other.kernel)

    def micros(self, count):
        """Converts to microseconds per request, for `count` requests."""
        return CPU(self.user * 1e6 / count, self.kernel * 1e6 / count)


class Server:
    """A running process and its port."""

    def __init__(self, name, process, port, key=None):
        self.name, self.process, self.port, self.key = name, process, port, key

    @property
    def pids(self):
        """The process ids of the process and its descendants."""
        found = [self.process.pid]
        for pid in found:
            tasks = pathlib.Path(f"/proc/{pid}/task")
            for task in tasks.iterdir() if tasks.exists() else []:
                found += [int(child) for child in (task / "children").read_text().split()]
        return found

    def cpu(self):
        """The CPU time so far, of all threads and descendants."""
        spent = CPU()
        for pid in self.pids:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            spent += CPU(int(fields[11]) / TICK, int(fields[12]) / TICK)
        return spent

    def memory(self, field="VmHWM"):
        """The peak resident memory in megabytes; with `VmRSS` or `RssAnon` the current value."""
        total = 0
        for pid in self.pids:
            found = re.search(rf"{field}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
            total += int(found[1]) / 1024 if found else 0
        return total

    def stop(self, timeout=40):
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Field:
    """A folder and the servers of one run, which are stopped in reverse order at its end."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-bench-"))
        self.servers = []
        return self

    def __exit__(self, *_):
        for server in reversed(self.servers):
            server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, name, arguments, port, environment=None, output=subprocess.DEVNULL, key=None, seconds=30):
        """Starts a server and waits until it listens."""
        process = subprocess.Popen([str(argument) for argument in arguments], stdout=output, stderr=output,
                                   env={**clean_environment(), **(environment or {})})
        server = Server(name, process, port, key)
        self.servers.append(server)
        if not wait_for(port, seconds, process):
            raise SystemExit(f"{name} does not listen on port {port}: {' '.join(map(str, arguments))}")
        return server

    def nginx(self, name, server, upstreams="", connections=4096):
        """Starts nginx with one worker process; `server` is the content of its server block."""
        port, folder = free_port(), self.folder / name.replace(" ", "-").replace("/", "-")
        folder.mkdir()
        (folder / "nginx.conf").write_text(f"""
            daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;
            events {{ worker_connections {connections}; }}
            http {{
              access_log off; keepalive_requests 1000000000; client_body_temp_path {folder}/b;
              proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
              scgi_temp_path {folder}/s;
              proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
              {upstreams}
              server {{ listen 127.0.0.1:{port} backlog=1024; {server} }}
            }}""")
        return self.start(name, [command("nginx"), "-c", folder / "nginx.conf", "-p", folder], port)

    def static_upstream(self, reply, name="upstream (static nginx)"):
        """Starts an upstream that answers every request with the same JSON."""
        return self.nginx(name, f"location / {{ default_type application/json; return 200 '{reply}'; }}")

    def nginx_proxy(self, upstream, name="nginx proxy", kept=256):
        """Starts nginx as a reverse proxy with kept connections and without buffering."""
        pool = (f"upstream pool {{ server 127.0.0.1:{upstream.port}; keepalive {kept}; "
                "keepalive_requests 1000000000; }")
        # A location that sets one header inherits none: without the empty `Connection` nothing would be kept.
        return self.nginx(name, "location / { proxy_pass http://pool; proxy_set_header Host 127.0.0.1; "
                          'proxy_set_header Connection ""; }', pool)

    def caddy_proxy(self, upstream, name="caddy"):
        """Starts Caddy as a reverse proxy with its defaults."""
        port = free_port()
        file = self.folder / "Caddyfile"
        file.write_text(f"{{\n  admin off\n  auto_https off\n}}\nhttp://127.0.0.1:{port} {{\n  bind 127.0.0.1\n"
                        f"  reverse_proxy 127.0.0.1:{upstream.port}\n}}\n")
        return self.start(name, [command("caddy"), "run", "--adapter", "caddyfile", "--config", file], port,
                          {"HOME": str(self.folder)})

    def bare_echo(self, name="bare Hummingbird echo"):
        port = free_port()
        return self.start(name, [BIN / "BareEcho", port], port)

    def fake_ollama(self, *options, name="upstream (fake-ollama)"):
        port = free_port()
        return self.start(name, [BIN / "fake-ollama", "--port", port, *options], port)

    def gateway(self, name, upstream, log=None, with_key=False, binary=None, **settings):
        """Starts a gateway in front of an upstream.

        `log` is the log level (None for warnings); the log goes to a file. With a key, all requests need it.
        """
        port = free_port()
        slug = re.sub(r"\W+", "-", name)
        binary = binary or BIN / "selene"
        environment = {
            "SELENE_DATABASE": str(self.folder / f"{slug}.sqlite"), "OLLAMA_HOST": f"127.0.0.1:{upstream.port}",
            "SELENE_PORT": str(port), "SELENE_LOG_LEVEL": log or "warning", "SELENE_MAX_IN_FLIGHT": "1024",
            # Nothing begins by itself in the middle of a measurement, in versions of any default.
            "SELENE_BRIEFING_AT": "23:59", "SELENE_MEMORIES": "off",
            **{f"SELENE_{setting.upper()}": str(value) for setting, value in settings.items()}}
        key = None
        if with_key:
            made = subprocess.run([binary, "keys", "create", "bench", "--scope", "llm", "--scope", "notes:read", "--json"], check=True,
                                  capture_output=True, text=True, env={**clean_environment(), **environment})
            key = json.loads(made.stdout)["key"]
        with (self.folder / f"{slug}.log").open("wb") as output:
            return self.start(name, [binary, "serve"], port, environment, output, key)


def clean_environment():
    """The environment without the gateway's settings."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith("SELENE_") and name != "OLLAMA_HOST"}
