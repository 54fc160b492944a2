#!/usr/bin/env python3
"""Measures pushes a second through the channel of APNs, to the synthetic APNs in a process of its own.

    push.py [--pushes 50000] [--in-flight 100] [--rounds 3]

Prints pushes per second, processor time a push of the sender, the time of a push and the memory that pushing adds. Exits
with 1 if the stand-in did not get every push once.
"""
import argparse
import json
import subprocess
import tempfile

from lib import environment, figures

BIN = environment.ROOT / ".build" / "release"


def measure(pushes, in_flight):
    with tempfile.TemporaryDirectory(prefix="selene-push-") as folder:
        server = subprocess.Popen([BIN / "fake-apns", "--folder", folder], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        try:
            origin = server.stdout.readline().strip()
            output = subprocess.run(
                [BIN / "PushBench", origin, f"{folder}/ca.crt", f"{folder}/key.p8", str(pushes), str(in_flight)],
                check=True, capture_output=True, text=True).stdout
            server.stdin.write("\n")
            server.stdin.flush()
            account = json.loads(server.stdout.readline())
        finally:
            server.stdin.close()
            server.wait()
    result = json.loads(output)
    if result["accepted"] != pushes or account["accepted"] != pushes + 1:
        raise SystemExit(f"of {pushes} pushes {result['accepted']} were accepted, "
                         f"and the stand-in counts {account['accepted']} with the first one")
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pushes", type=int, default=50_000)
    parser.add_argument("--in-flight", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rounds = [measure(options.pushes, options.in_flight) for _ in range(options.rounds)]
    for result in rounds:
        added = (result["peak_kib"] - result["idle_kib"]) / 1024
        print(f"{result['per_second']:.0f} pushes/s, {result['cpu_us']:.0f} us CPU each, p50 {result['p50_ms']:.1f} ms, "
              f"p99 {result['p99_ms']:.1f} ms, +{added:.1f} MB", flush=True)
    best = sorted(rounds, key=lambda result: result["per_second"])[len(rounds) // 2]
    figures.report("push.per_second", best["per_second"])
    figures.report("push.memory_mb", (best["peak_kib"] - best["idle_kib"]) / 1024)


main()
