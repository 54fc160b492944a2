#!/usr/bin/env python3
"""Counts how often an Ollama that holds one model has to load, when requests for two models come by turns.

A synthetic Ollama takes its time for each load and answers one request at once. Clients with a key each send their
requests one after the other, half of them for each model. `ollama` is the upstream alone, whose queue is first in, first
out; `selene` is the gateway in front of it, with as many places as the upstream has, and `turns` the same without an order by model,
if another build of it is named with `--beside`.
"""
import argparse
import concurrent.futures
import http.client
import json
import pathlib
import time

from lib.environment import BIN
from lib.figures import report
from lib.processes import Field, free_port

MODELS = ("llama3.2", "qwen3")


def ask(port, client, rounds):
    """Sends requests one after the other; returns the seconds of each."""
    connection, times = http.client.HTTPConnection("127.0.0.1", port), []
    for turn in range(rounds):
        begin = time.monotonic()
        body = {"model": MODELS[(client + turn) % 2], "stream": False, "messages": [{"role": "user", "content": "hello"}]}
        connection.request("POST", "/api/chat", json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        text = reply.read()
        if reply.status != 200:
            raise SystemExit(text.decode())
        times.append(time.monotonic() - begin)
    return times


def statistics(port):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/_stats")
    return json.loads(connection.getresponse().read())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=16, help="clients at once (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=6, help="requests of each (default: %(default)s)")
    parser.add_argument("--load", type=float, default=2, help="seconds to load a model (default: %(default)s)")
    parser.add_argument("--answer", type=float, default=0.2, help="seconds of an answer (default: %(default)s)")
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "selene", help="the gateway (default: the release build)")
    parser.add_argument("--fake", type=pathlib.Path, default=BIN / "fake-ollama", help="the synthetic Ollama")
    parser.add_argument("--beside", type=pathlib.Path, help="a gateway without an order by model")
    options = parser.parse_args()
    whole = {}
    print(f"{'':8}{'loads':>7}{'seconds':>9}{'longest':>9}{'median':>8}")
    for name, binary in (("ollama", None), ("turns", options.beside), ("selene", options.binary)):
        if name == "turns" and binary is None:
            continue
        with Field() as field:
            port = free_port()
            upstream = field.start("upstream", [
                options.fake, "--port", port, "--load-time", options.load, "--max-loaded", 1, "--num-parallel", 1,
                "--tokens", 8, "--tokens-per-second", 8 / options.answer, *(x for model in MODELS for x in ("--model", model))], port)
            server = upstream if name == "ollama" else field.gateway(name, upstream, binary=binary, max_in_flight=1)
            begin = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(options.clients) as pool:
                times = sorted(second for part in pool.map(
                    lambda client: ask(server.port, client, options.rounds), range(options.clients)) for second in part)
            whole[name] = time.monotonic() - begin
            loads = statistics(upstream.port)["loads"]
        print(f"{name:8}{loads:7}{whole[name]:9.1f}{times[-1]:9.1f}{times[len(times) // 2]:8.1f}", flush=True)
    report("swaps.time_of_ollama", whole["selene"] / whole["ollama"])


if __name__ == "__main__":
    main()
