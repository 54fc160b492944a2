#!/usr/bin/env python3
"""What a gateway adds: small requests at 1 and 32 connections, streams of 200 lines for 8 and 100 clients.

Contestants, in turn within each round: the upstream itself, nginx as a reverse proxy in front of it, a bare Hummingbird
echo (no upstream: the floor of the framework) and the gateway, on Ollama's own path, which forwards bytes, and on
its JSON route. The upstream of small requests is nginx with a fixed
reply, that of streams the synthetic Ollama at full speed. wrk makes the load. Printed are medians over the rounds.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, SECONDS, LINES = 3, 3, 200
STATIC, PROXY, STREAM_PROXY, ECHO, GATEWAY, STREAM_GATEWAY, FAKE = range(18430, 18437)
REPLY = ('{"model":"llama3.2","created_at":"2026-01-01T00:00:00Z","response":"Hello.","done":true,"done_reason":"stop",'
         '"total_duration":5000000,"load_duration":1000000,"prompt_eval_count":3,"prompt_eval_duration":1000000,'
         '"eval_count":2,"eval_duration":3000000}')
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream static {{ server 127.0.0.1:{static}; keepalive 64; keepalive_requests 1000000000; }}
  upstream fake {{ server 127.0.0.1:{fake}; keepalive 128; keepalive_requests 1000000000; }}
  server {{ listen 127.0.0.1:{static}; location / {{ default_type application/json; return 200 '{reply}'; }} }}
  server {{ listen 127.0.0.1:{proxy}; location / {{
    proxy_pass http://static; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }} }}
  server {{ listen 127.0.0.1:{stream}; location / {{
    proxy_pass http://fake; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
    proxy_set_header Host 127.0.0.1; }} }}
}}
"""


def wait_for(port):
    for _ in range(400):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise SystemExit(f"nothing listens on {port}")


def wrk(folder, port, path, body, connections):
    script = pathlib.Path(folder, "post.lua")
    script.write_text(f"wrk.method='POST' wrk.headers['Content-Type']='application/json' wrk.body='{body}'")
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--latency", "-s", script,
                          f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        raise SystemExit(f"port {port}: {out}")
    number, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", out).groups()
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]),
            float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit])


def resident(process):
    status = pathlib.Path(f"/proc/{process.pid}/status")
    return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) / 1024 if status.exists() else float("nan")


def main():
    binaries, benches = sys.argv[1:3]
    folder = tempfile.mkdtemp(prefix="selene-bench-")
    conf = pathlib.Path(folder, "nginx.conf")
    conf.write_text(NGINX.format(folder=folder, static=STATIC, proxy=PROXY, stream=STREAM_PROXY, fake=FAKE, reply=REPLY))

    def gateway(port, upstream):
        environment = {**os.environ, "SELENE_DATABASE": f"{folder}/{port}.sqlite", "OLLAMA_HOST": f"127.0.0.1:{upstream}",
                       "SELENE_PORT": str(port), "SELENE_LOG_LEVEL": "warning", "SELENE_MAX_IN_FLIGHT": "512"}
        return subprocess.Popen([f"{binaries}/selene", "serve"], env=environment)

    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [
        subprocess.Popen(["nginx", "-c", conf, "-p", folder], **quiet),
        subprocess.Popen([f"{binaries}/fake-ollama", "--port", str(FAKE), "--tokens-per-second", "0"], **quiet),
        subprocess.Popen([f"{benches}/BareEcho", str(ECHO)], **quiet),
        gateway(GATEWAY, STATIC), gateway(STREAM_GATEWAY, FAKE),
    ]
    try:
        for port in (STATIC, PROXY, STREAM_PROXY, FAKE, ECHO, GATEWAY, STREAM_GATEWAY):
            wait_for(port)
        small = '{"prompt":"Say hello","model":"llama3.2"}'
        contestants = {"upstream (static nginx)": (STATIC, "/api/generate"), "nginx proxy": (PROXY, "/api/generate"),
                       "bare Hummingbird echo": (ECHO, "/api/generate"),
                       "selene, native route": (GATEWAY, "/api/generate"),
                       "selene, own route": (GATEWAY, "/api/llm/generate")}
        print("### Small request\n| | p50 µs, 1 connection | added µs | requests/s, 32 connections | of the echo |")
        print("|---|---:|---:|---:|---:|")
        one = {name: [] for name in contestants}
        many = {name: [] for name in contestants}
        for _ in range(ROUNDS):
            for name, (port, path) in contestants.items():
                one[name].append(wrk(folder, port, path, small, 1)[1])
                many[name].append(wrk(folder, port, path, small, 32)[0])
        base = statistics.median(one["upstream (static nginx)"])
        echo = statistics.median(many["bare Hummingbird echo"])
        for name in contestants:
            p50, rate = statistics.median(one[name]), statistics.median(many[name])
            print(f"| {name} | {p50:.0f} | {p50 - base:+.0f} | {rate:,.0f} | {rate / echo:.2f} |")

        stream = ('{"prompt":"x","model":"llama3.2","stream":true,"options":{"num_predict":%d}}' % (LINES - 1))
        contestants = {"upstream (fake-ollama)": (FAKE, "/api/generate"), "nginx proxy": (STREAM_PROXY, "/api/generate"),
                       "selene, native route": (STREAM_GATEWAY, "/api/generate"),
                       "selene, own route": (STREAM_GATEWAY, "/api/llm/generate")}
        print(f"\n### Streams of {LINES} lines\n| | lines/s, 8 clients | of nginx | lines/s, 100 clients | of nginx |")
        print("|---|---:|---:|---:|---:|")
        rates = {name: ([], []) for name in contestants}
        for _ in range(ROUNDS):
            for name, (port, path) in contestants.items():
                for slot, clients in enumerate((8, 100)):
                    rates[name][slot].append(wrk(folder, port, path, stream, clients)[0] * LINES)
        nginx = [statistics.median(found) for found in rates["nginx proxy"]]
        for name in contestants:
            few, lots = (statistics.median(found) for found in rates[name])
            print(f"| {name} | {few:,.0f} | {few / nginx[0]:.2f} | {lots:,.0f} | {lots / nginx[1]:.2f} |")
        print(f"\nPeak resident memory of the gateways: {resident(processes[3]):.0f} MB (small requests), "
              f"{resident(processes[4]):.0f} MB (streams).")
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(timeout=40)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
