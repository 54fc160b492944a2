#!/usr/bin/env python3
"""The gateway beside other gateways: requests a second and memory, and what it adds to each line of 500 slow streams.

    gateway_peers.py BINARIES [--seconds 4] [--streams 500] [--rate 20]

Contestants of the first table, in turn within each round, all in front of one nginx with a fixed OpenAI reply: nginx as a
reverse proxy, Caddy, LiteLLM's proxy with one worker and its own defaults but no logging, and the gateway. The second
table's upstream stamps every line as it sends it; the client compares the stamp with its own clock.
"""
import argparse
import importlib.util
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import proxy_peers
import stream_clock

STATIC, NGINX, CADDY, LITELLM, GATEWAY, CLOCK, CLOCK_NGINX, CLOCK_GATEWAY = range(18450, 18458)
ROUNDS = 3
REPLY = ('{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"llama3.2","system_fingerprint":"fp",'
         '"choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],'
         '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}')
NGINX_CONF = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
  upstream static {{ server 127.0.0.1:{static}; keepalive 64; keepalive_requests 1000000000; }}
  server {{ listen 127.0.0.1:{static}; location / {{ default_type application/json; return 200 '{reply}'; }} }}
  server {{ listen 127.0.0.1:{nginx}; location / {{ proxy_pass http://static; }} }}
  server {{ listen 127.0.0.1:{clock_nginx}; location / {{ proxy_pass http://127.0.0.1:{clock}; }} }}
}}
"""
LITELLM_CONF = """
model_list:
  - model_name: llama3.2
    litellm_params: {{model: openai/llama3.2, api_base: "http://127.0.0.1:{static}/v1", api_key: none}}
litellm_settings: {{telemetry: false, num_retries: 0}}
"""


class Peer:
    """A server with its port and its process."""

    def __init__(self, port, process):
        self.port, self.process = port, process

    def memory(self):
        """Peak resident memory of the process and its children, in MB."""
        total = proxy_peers.resident(self.process)
        for child in subprocess.run(["ps", "--ppid", str(self.process.pid), "-o", "pid="], capture_output=True,
                                    text=True).stdout.split():
            status = pathlib.Path(f"/proc/{child}/status").read_text()
            total += int(status.split("VmHWM:")[1].split()[0]) / 1024
        return total


def wait_for(port, seconds=120):
    end = time.time() + seconds
    while time.time() < end:
        try:
            return proxy_peers.wait_for(port)
        except SystemExit:
            time.sleep(0.2)
    raise SystemExit(f"nothing listens on {port}")


def small_requests(peers, folder, seconds):
    proxy_peers.SECONDS = seconds
    body = '{"model":"llama3.2","messages":[{"role":"user","content":"Say hello"}]}'
    found = {name: ([], []) for name in peers}
    for _ in range(ROUNDS):
        for name, peer in peers.items():
            found[name][0].append(proxy_peers.wrk(folder, peer.port, "/v1/chat/completions", body, 1)[1])
            found[name][1].append(proxy_peers.wrk(folder, peer.port, "/v1/chat/completions", body, 32)[0])
    print("### Small request, `/v1/chat/completions`")
    print("| | p50 µs, 1 connection | requests/s, 32 connections | ratio of selene to it | peak MB |\n|---|---:|---:|---:|---:|")
    ours = statistics.median(found["selene"][1])
    for name, peer in peers.items():
        rate = statistics.median(found[name][1])
        memory = f"{peer.memory():.0f}" if peer.process else ""
        print(f"| {name} | {statistics.median(found[name][0]):,.0f} | {rate:,.0f} | {ours / rate:.2f} | {memory} |")


def slow_streams(peers, streams, rate, seconds):
    print(f"\n### {streams} streams of {rate:g} lines a second\n| | p50 µs | p99 µs | worst µs | lines | chunks with half a line | peak MB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, peer in peers.items():
        delays, split = stream_clock.measure(peer.port, streams, 3, seconds)
        delays.sort()
        memory = f"{peer.memory():.0f}" if peer.process else ""
        print(f"| {name} | {delays[len(delays) // 2]:.0f} | {delays[int(len(delays) * 0.99)]:.0f} | {delays[-1]:,.0f} "
              f"| {len(delays):,} | {split} | {memory} |", flush=True)
        time.sleep(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--rate", type=float, default=20)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="selene-bench-")
    home = pathlib.Path(folder)
    (home / "nginx.conf").write_text(NGINX_CONF.format(
        folder=folder, static=STATIC, nginx=NGINX, clock=CLOCK, clock_nginx=CLOCK_NGINX, reply=REPLY))
    (home / "litellm.yaml").write_text(LITELLM_CONF.format(static=STATIC))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    bin = pathlib.Path(sys.executable).parent

    def gateway(port, upstream):
        return subprocess.Popen([f"{options.binaries}/selene", "serve"], env={
            **os.environ, "SELENE_DATABASE": f"{folder}/{port}.sqlite", "OLLAMA_HOST": f"127.0.0.1:{upstream}",
            "SELENE_PORT": str(port), "SELENE_LOG_LEVEL": "warning", "SELENE_MAX_IN_FLIGHT": "1024"})

    nginx = subprocess.Popen(["nginx", "-c", home / "nginx.conf", "-p", folder], **quiet)
    started = [nginx]
    try:
        small = {"upstream (static nginx)": Peer(STATIC, None), "nginx": Peer(NGINX, nginx)}
        if (bin / "caddy").exists():
            started.append(subprocess.Popen(
                [bin / "caddy", "reverse-proxy", "--from", f"http://127.0.0.1:{CADDY}", "--to", f"127.0.0.1:{STATIC}"],
                env={**os.environ, "HOME": folder}, **quiet))
            small["caddy"] = Peer(CADDY, started[-1])
        if importlib.util.find_spec("litellm"):
            started.append(subprocess.Popen(
                [bin / "litellm", "--config", home / "litellm.yaml", "--host", "127.0.0.1", "--port", str(LITELLM),
                 "--num_workers", "1"], env={**os.environ, "LITELLM_LOG": "ERROR", "HOME": folder,
                     "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}, **quiet))
            small["litellm"] = Peer(LITELLM, started[-1])
        started.append(gateway(GATEWAY, STATIC))
        small["selene"] = Peer(GATEWAY, started[-1])
        started.append(subprocess.Popen(
            [sys.executable, stream_clock.__file__, str(CLOCK), str(options.rate)], **quiet))
        started.append(gateway(CLOCK_GATEWAY, CLOCK))
        streams = {"direct": Peer(CLOCK, None), "nginx": Peer(CLOCK_NGINX, nginx),
                   "selene": Peer(CLOCK_GATEWAY, started[-1])}
        for peer in [*small.values(), *streams.values()]:
            wait_for(peer.port)
        small_requests(small, folder, options.seconds)
        if "litellm" in small:
            # Not beside the streams.
            small["litellm"].process.send_signal(signal.SIGTERM)
            small["litellm"].process.wait(timeout=40)
        slow_streams(streams, options.streams, options.rate, options.seconds * 3)
    finally:
        for process in started:
            process.send_signal(signal.SIGTERM)
        for process in started:
            try:
                process.wait(timeout=40)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
