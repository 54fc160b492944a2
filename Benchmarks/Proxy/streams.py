#!/usr/bin/env python3
"""Measures 500 slow streams of 20 lines per second: delay per line, resident memory, CPU.

The upstream stamps each line when it sends it, and the client compares the stamp with the same clock. The gateway runs
with a key and its log, as users run it. Contestants run one after another, each with all streams.
"""
import argparse
import sys

import stream_clock
from lib.environment import BIN
from lib.figures import report
from lib.processes import Field, free_port


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=500, help="number of streams (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=20, help="lines per second of each stream (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=12, help="seconds of measurement (default: %(default)s)")
    parser.add_argument("--binary", default=BIN / "selene", metavar="FILE", help="another build of selene")
    options = parser.parse_args()
    with Field() as field:
        port = free_port()
        clock = field.start("direct", [sys.executable, stream_clock.__file__, port, options.rate], port)
        servers = [clock, field.nginx_proxy(clock, "nginx", kept=512), field.caddy_proxy(clock),
                   field.gateway("selene", clock, log="info", with_key=True, binary=options.binary)]
        print(f"### {options.streams} streams of {options.rate:g} lines a second\n"
              "| | p50 µs | p99 µs | worst µs | lines | chunks with half a line | CPU µs a line | CPU, % of a core "
              "| resident MB | of it anonymous |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        found = {}
        for server in servers:
            run = stream_clock.measure(server.port, options.streams, 3, options.seconds, server.key, server)
            delays, lines = sorted(run.delays), len(run.delays)
            cpu = run.cpu.total
            print(f"| {server.name} | {delays[lines // 2]:.0f} | {delays[int(lines * 0.99)]:.0f} | {delays[-1]:,.0f} "
                  f"| {lines:,} | {run.split} | {cpu * 1e6 / lines:.1f} | {100 * cpu / options.seconds:.0f} "
                  f"| {run.resident:.0f} | {run.anonymous:.0f} |", flush=True)
            found[server.name] = (cpu / lines, delays[int(lines * 0.99)], run)
        cpu, p99, run = found["selene"]
        report("streams.resident_mb", run.resident)
        report("streams.cpu_of_nginx", cpu / found["nginx"][0])
        report("streams.added_p99_ms", (p99 - found["direct"][1]) / 1e3)
        report("streams.split_lines", run.split)


if __name__ == "__main__":
    main()
