#!/usr/bin/env python3
"""Compares the wait that the gateway expected when a request arrived (X-Expected-Wait) with the wait that it had.

The shared real upstream answers one request at once. Clients send prompts of different lengths and ask for answers of
different lengths, in bursts with pauses between them. The first bursts, from which the gateway learns, do not count.
"""
import argparse
import concurrent.futures
import http.client
import json
import pathlib
import random
import sys
import time

from lib.environment import BIN, ROOT
from lib.figures import report
from lib.processes import Field, free_port

WORDS = "the sea was calm and the old harbour smelled of tar rope and rain while gulls circled over the quay".split()


def ask(port, seed, pause):
    """Sends one request after a pause; returns how long it was expected to wait and how long it did, in seconds."""
    dice = random.Random(seed)
    time.sleep(dice.uniform(0, pause))
    prompt = " ".join(dice.choice(WORDS) for _ in range(dice.randrange(20, 1200)))
    body = {"model": "gemma3:270m", "prompt": prompt, "stream": False, "options": {"num_predict": dice.randrange(8, 96)}}
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/api/generate", json.dumps(body), {"Content-Type": "application/json"})
    reply = connection.getresponse()
    text = reply.read()
    if reply.status != 200:
        raise SystemExit(text.decode())
    expected = reply.getheader("X-Expected-Wait")
    return None if expected is None else (float(expected), float(reply.getheader("X-Queue-Wait-Ms")) / 1000)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bursts", type=int, default=14, help="bursts, the first two of which do not count (default: %(default)s)")
    parser.add_argument("--clients", type=int, default=12, help="requests of a burst (default: %(default)s)")
    parser.add_argument("--pause", type=float, default=2, help="seconds over which a burst arrives (default: %(default)s)")
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "selene", help="the gateway (default: the release build)")
    parser.add_argument("--upstream", type=pathlib.Path, default=ROOT.parent / "shared" / "upstream",
                        help="the folder of ollama_upstream.py, with its models (default: %(default)s)")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the upstream's packages")
    options = parser.parse_args()
    pairs, seed = [], 0
    with Field() as field:
        port = free_port()
        upstream = field.start("upstream", [
            options.python, options.upstream / "ollama_upstream.py", "--port", port], port, seconds=120)
        server = field.gateway("selene", upstream, binary=options.binary, max_in_flight=1)
        for burst in range(options.bursts):
            with concurrent.futures.ThreadPoolExecutor(options.clients) as pool:
                found = list(pool.map(lambda number: ask(server.port, number, options.pause), range(seed, seed + options.clients)))
            seed += options.clients
            if burst >= 2:
                pairs += [pair for pair in found if pair is not None]
    # A wait of a few milliseconds is over before anybody could act on it.
    pairs = [(expected, real) for expected, real in pairs if real >= 0.05]
    close = sum(1 for expected, real in pairs if real / 2 <= expected <= real * 2)
    ratios = sorted(expected / real for expected, real in pairs)
    tenth = len(ratios) // 10
    print(f"{len(pairs)} waits of {min(r for _, r in pairs):.2f} to {max(r for _, r in pairs):.2f} s")
    print(f"expected, of the real wait: median {ratios[len(ratios) // 2]:.2f}, tenths from {ratios[tenth]:.2f} to {ratios[-tenth - 1]:.2f}")
    print(f"within a factor of two: {close / len(pairs):.0%}")
    report("waits.within_factor_two", close / len(pairs))


if __name__ == "__main__":
    main()
