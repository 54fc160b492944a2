#!/usr/bin/env python3
"""Measures the cost of a request through the gateway as users run it: with a key and the default log, to a file.

Contestants take turns within each round, all in front of one static upstream: nginx and Caddy as reverse proxies; a
bare Hummingbird echo without an upstream (the minimum for this framework); and the gateway on Ollama's own path, which
forwards bytes, and on its JSON route, with and without a key and a log. CPU per request is the user and kernel time of
the contestant's processes (/proc/PID/stat) divided by the requests that wrk counted. A busy machine affects it less
than latency. The output has medians over the rounds.
"""
import argparse
import statistics

from lib.environment import BIN
from lib.figures import report
from lib.load import wrk
from lib.processes import Field

REPLY = ('{"model":"llama3.2","created_at":"2026-01-01T00:00:00Z","response":"Hello.","done":true,"done_reason":"stop",'
         '"total_duration":5000000,"load_duration":1000000,"prompt_eval_count":3,"prompt_eval_duration":1000000,'
         '"eval_count":2,"eval_duration":3000000}')
SMALL = '{"prompt":"Say hello","model":"llama3.2"}'
LINES = 200
STREAM = '{"prompt":"x","model":"llama3.2","stream":true,"options":{"num_predict":%d}}' % (LINES - 1)
NATIVE, OWN = "/api/generate", "/api/llm/generate"


def median(loads, value):
    return statistics.median(value(load) for load in loads)


class Figures:
    """The medians of a contestant at a number of connections."""

    def __init__(self, loads):
        self.p50, self.p99 = median(loads, lambda load: load.p50), median(loads, lambda load: load.p99)
        self.rate = median(loads, lambda load: load.rate)
        self.user, self.kernel = median(loads, lambda load: load.cpu.user), median(loads, lambda load: load.cpu.kernel)
        self.cpu = median(loads, lambda load: load.cpu.total)


def take_turns(field, contestants, body, connections, options):
    """Measures every contestant once per round, and rotates the order."""
    loads = {name: {count: [] for count in connections} for name in contestants}
    names = list(contestants)
    for number in range(options.rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            server, path = contestants[name]
            for count in connections:
                loads[name][count].append(wrk(field.folder, server, path, body, count, options.seconds))
    return {name: {count: Figures(found) for count, found in counts.items()} for name, counts in loads.items()}


def small_requests(field, options):
    upstream = field.static_upstream(REPLY)
    plain = field.gateway("gateway, plain", upstream, binary=options.binary)
    keyed = field.gateway("gateway, key", upstream, with_key=True, binary=options.binary)
    full = field.gateway("gateway, key and log", upstream, log="info", with_key=True, binary=options.binary)
    contestants = {
        "upstream (static nginx)": (upstream, NATIVE),
        "nginx proxy": (field.nginx_proxy(upstream), NATIVE),
        "caddy": (field.caddy_proxy(upstream), NATIVE),
        "bare Hummingbird echo": (field.bare_echo(), NATIVE),
        "selene, native route, no key, no log": (plain, NATIVE),
        "selene, native route, key, no log": (keyed, NATIVE),
        "selene, native route, key and log": (full, NATIVE),
        "selene, own route, no key, no log": (plain, OWN),
        "selene, own route, key and log": (full, OWN),
    }
    if options.only:
        contestants = {name: one for name, one in contestants.items()
                       if any(part in name for part in options.only) or "echo" in name or "upstream" in name}
    found = take_turns(field, contestants, SMALL, (1, 32), options)
    base = found["upstream (static nginx)"][1].p50
    echo = found["bare Hummingbird echo"][32]
    print("### Small request\n"
          "| | p50 µs, 1 connection | added µs | CPU µs a request, 32 connections | user + kernel | of the echo "
          "| requests/s | of the echo | p99 µs |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, figures in found.items():
        one, many = figures[1], figures[32]
        print(f"| {name} | {one.p50:.0f} | {one.p50 - base:+.0f} | {many.cpu:.1f} "
              f"| {many.user:.1f} + {many.kernel:.1f} | {many.cpu / echo.cpu:.2f} | {many.rate:,.0f} "
              f"| {many.rate / echo.rate:.2f} | {many.p99:,.0f} |")
    print(f"\nPeak resident memory of the gateways: {plain.memory():.0f} MB without and {full.memory():.0f} MB with "
          "key and log.\n", flush=True)
    if options.only:
        return
    native, bare = (found[f"selene, native route, {kind}"][32] for kind in ("key and log", "no key, no log"))
    own = found["selene, own route, key and log"][32]
    report("proxy.native_cpu_of_echo", native.cpu / echo.cpu)
    report("proxy.key_and_log_share", (native.cpu - bare.cpu) / native.cpu)
    report("proxy.own_cpu_of_native", own.cpu / native.cpu)
    report("proxy.rate_of_echo", native.rate / echo.rate)


def streams(field, options):
    upstream = field.fake_ollama("--tokens-per-second", "0")
    gateway = field.gateway("gateway, streams", upstream, log="info", with_key=True, binary=options.binary)
    contestants = {
        "upstream (fake-ollama)": (upstream, NATIVE),
        "nginx proxy": (field.nginx_proxy(upstream, "nginx proxy, streams"), NATIVE),
        "selene, native route": (gateway, NATIVE),
        "selene, own route": (gateway, OWN),
    }
    found = take_turns(field, contestants, STREAM, (8, 100), options)
    nginx = found["nginx proxy"]
    print(f"### Streams of {LINES} lines\n"
          "| | lines/s, 8 clients | of nginx | CPU µs a line | lines/s, 100 clients | of nginx | CPU µs a line |\n"
          "|---|---:|---:|---:|---:|---:|---:|")
    for name, figures in found.items():
        cells = []
        for count in (8, 100):
            rate = figures[count].rate
            cells.append(f"{rate * LINES:,.0f} | {rate / nginx[count].rate:.2f} | {figures[count].cpu / LINES:.2f}")
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\nPeak resident memory of the gateway: {gateway.memory():.0f} MB.", flush=True)
    for count in (8, 100):
        report(f"proxy.stream_rate_of_nginx_{count}",
               found["selene, native route"][count].rate / nginx[count].rate)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=3, help="seconds of load per measurement (default: %(default)s)")
    parser.add_argument("--only", nargs="*", help="only contestants with one of these names; reports no figures")
    parser.add_argument("--binary", default=BIN / "selene", metavar="FILE", help="another build of selene")
    parser.add_argument("--no-streams", action="store_true")
    options = parser.parse_args()
    with Field() as field:
        small_requests(field, options)
    if not options.no_streams:
        with Field() as field:
            streams(field, options)


if __name__ == "__main__":
    main()
