"""Creates load with wrk; measures clients' latency and the server's CPU time."""
import dataclasses
import re
import subprocess

from .processes import CPU


@dataclasses.dataclass(frozen=True)
class Load:
    """One run of wrk against one server; times in microseconds, CPU in microseconds per request."""
    requests: int
    rate: float
    p50: float
    p99: float
    cpu: CPU


def wrk(folder, server, path, body, connections, seconds):
    """Posts a body repeatedly; aborts the benchmark if an answer is not 2xx."""
    script = folder / "post.lua"
    key = f" wrk.headers['Authorization']='Bearer {server.key}'" if server.key else ""
    script.write_text(f"wrk.method='POST' wrk.headers['Content-Type']='application/json'{key} wrk.body='{body}'")
    before = server.cpu()
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
                          f"http://127.0.0.1:{server.port}{path}"], capture_output=True, text=True, check=True).stdout
    spent = server.cpu() - before
    if "Non-2xx" in out or "Socket errors" in out:
        raise SystemExit(f"{server.name}: {out}")
    requests = int(re.search(r"(\d+) requests in", out)[1])
    return Load(requests=requests, rate=float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), p50=percentile(out, 50),
                p99=percentile(out, 99), cpu=spent.micros(requests))


def percentile(out, share):
    number, unit = re.search(rf"{share}%\s+([\d.]+)(us|ms|s)", out).groups()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]
