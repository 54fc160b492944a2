#!/usr/bin/env python3
"""Compares the gateway with LiteLLM's proxy on `/v1/chat/completions`: requests per second, CPU per request, memory.

Contestants take turns within each round, all in front of one nginx with a fixed OpenAI reply: nginx and Caddy as
reverse proxies, LiteLLM with one worker and its own defaults but no logging, and the gateway with a key and its log.
"""
import argparse
import pathlib
import statistics
import sys

from lib.figures import report
from lib.load import wrk
from lib.processes import Field, free_port

PATH = "/v1/chat/completions"
BODY = '{"model":"llama3.2","messages":[{"role":"user","content":"Say hello"}]}'
REPLY = ('{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"llama3.2",'
         '"system_fingerprint":"fp",'
         '"choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],'
         '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}')
LITELLM = """
model_list:
  - model_name: llama3.2
    litellm_params: {{model: openai/llama3.2, api_base: "http://127.0.0.1:{port}/v1", api_key: none}}
litellm_settings: {{telemetry: false, num_retries: 0}}
"""


def litellm(field, upstream):
    """Starts LiteLLM from this environment, which takes a minute."""
    file, port = field.folder / "litellm.yaml", free_port()
    file.write_text(LITELLM.format(port=upstream.port))
    return field.start(
        "litellm", [pathlib.Path(sys.executable).parent / "litellm", "--config", file, "--host", "127.0.0.1", "--port",
                    port, "--num_workers", "1"], port,
        {"LITELLM_LOG": "ERROR", "HOME": str(field.folder),
         "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}, seconds=180)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=4, help="seconds of load per measurement (default: %(default)s)")
    options = parser.parse_args()
    with Field() as field:
        upstream = field.static_upstream(REPLY)
        servers = [upstream, field.nginx_proxy(upstream, "nginx"), field.caddy_proxy(upstream),
                   litellm(field, upstream), field.gateway("selene", upstream, log="info", with_key=True)]
        one, many = {server: [] for server in servers}, {server: [] for server in servers}
        for _ in range(options.rounds):
            for server in servers:
                one[server].append(wrk(field.folder, server, PATH, BODY, 1, options.seconds))
                many[server].append(wrk(field.folder, server, PATH, BODY, 32, options.seconds))

        def median(loads, field):
            return statistics.median(field(load) for load in loads)

        print("### Small request, `/v1/chat/completions`\n| | p50 µs, 1 connection | requests/s, 32 connections "
              "| selene's, times | CPU µs a request | peak MB |\n|---|---:|---:|---:|---:|---:|")
        rates = {server.name: median(many[server], lambda load: load.rate) for server in servers}
        for server in servers:
            print(f"| {server.name} | {median(one[server], lambda load: load.p50):,.0f} | {rates[server.name]:,.0f} "
                  f"| {rates['selene'] / rates[server.name]:.2f} "
                  f"| {median(many[server], lambda load: load.cpu.total):,.1f} | {server.memory():.0f} |")
        report("gateways.rate_of_litellm", rates["selene"] / rates["litellm"])
        report("gateways.memory_of_litellm", servers[-1].memory() / servers[-2].memory())


if __name__ == "__main__":
    main()
