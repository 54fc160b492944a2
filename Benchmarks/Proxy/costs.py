#!/usr/bin/env python3
"""Measures where the CPU time of a request goes, by part of the gateway, and allocations per request.

The gateway runs with a key and its log, under 32 connections. Each sample of `perf` (CPU clock, with the stack) counts
for the first part that a function on its stack belongs to, from the innermost function outwards. The kernel's share of
a part is listed separately. A preloaded library counts allocations in a separate run.
"""
import argparse
import collections
import os
import re
import struct
import subprocess

from lib.environment import BENCHMARKS, BIN, command
from lib.load import wrk
from lib.processes import Field
from proxy import NATIVE, OWN, REPLY, SMALL

#: Parts, with patterns for the demangled names of their functions.
PARTS = [
    ("log", r"RequestLine|LogOutput|LogLine|LogClock|OutputLogHandler|Logging\.|RequestObserver\.metadata"),
    ("metrics", r"GatewayMetrics|RouteMetrics|MetricsHistogram|MetricsCounter"),
    ("key", r"AuthenticationMiddleware|KeyRing|KeyTable|KeyHash|KeyMeter|SHA256"),
    ("admission", r"Admission"),
    ("tokens of the answer", r"AnswerTokens|AnswerStream|CountScanner"),
    ("JSON", r"JSONDecoder|JSONEncoder|JSONWriter|JSONReply|JSONRequest|JSONScanner|JSONMap|Codable"),
    ("to the upstream",
     r"EndpointUse|EndpointPool|RequestAttempts|UpstreamTransport|CurlEasy|ProxyHeaders\.forUpstream|curl_easy_"),
    ("trace and headers", r"RequestFacts|ServerTiming|RequestTrace|setQueue|RequestIDMiddleware|RequestOutcome"),
    ("from the upstream",
     r"CurlTurn|CurlLoop|TransferStateMachine|Transfer\.|UpstreamBody|ProxyHeaders\.forClient|libcurl"),
    ("response encoding and write",
     r"HTTPResponseEncoder|HTTP1ToHTTPServerCodec.*write|pendingWrites|flushNow|writeToSocket|writev"),
    ("request reading and parsing", r"HTTPDecoder|c_nio_llhttp|readFromSocket|HTTP1ToHTTPServerCodec"),
    ("router and middleware", r"Hummingbird|RouterResponder|Middleware"),
    ("proxy exchange", r"ProxyExchange|ProxyHandler|ProxyPolicy|ProxyStateMachine|ClientResponse|ProxiedRequest"),
    ("tasks", r"swift_task|swift::runJob|swift_job|AsyncTask"),
    ("event loop", r"SelectableEventLoop|NIOPosix|Selector"),
]
#: Kinds of innermost functions, with patterns for their names.
LEAVES = [
    ("kernel", r"\[kernel"),
    ("libcurl", r"libcurl"),
    ("allocation", r"malloc|free|calloc|realloc|_int_|unlink_chunk|swift_(slow)?([Aa]lloc|[Dd]ealloc)"),
    ("retain, release", r"swift_(retain|release|bridge|isUnique)|doDecrement"),
    ("casts and generic metadata", r"swift_(dynamicCast|conformsTo|getAssociated)|Conformance|Metadata"),
    ("copying and hashing", r"memcpy|memmove|memset|memcmp|Hasher|SipHash"),
    ("locks", r"pthread_mutex|futex|lll_lock|MutexHandle"),
]


def samples(pid, seconds, file):
    """Samples the stacks of a process; yields each with the innermost function first."""
    subprocess.run([command("perf"), "record", "-q", "-e", "cpu-clock", "-F", "2999", "-g", "-p", str(pid), "-o", file,
                    "--", "sleep", str(seconds)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run([command("perf"), "script", "-i", file, "-F", "ip,sym,dso"], check=True,
                          capture_output=True, text=True).stdout
    plain = subprocess.run(["swift-demangle", "--simplified"], input=text, check=True, capture_output=True,
                           text=True).stdout
    for block in plain.split("\n\n"):
        frames = [line.strip().split(" ", 1)[-1] for line in block.splitlines() if line.strip()]
        if frames:
            yield frames


def first_match(table, frame):
    return next((name for name, pattern in table if re.search(pattern, frame)), None)


def part(frames):
    """The part that a stack belongs to."""
    return next((found for frame in frames if (found := first_match(PARTS, frame))), "other")


def profile(server, route, options, field):
    """Counts samples by part, kernel samples by part, and samples by kind of innermost function."""
    load = subprocess.Popen(["wrk", "-t1", "-c32", f"-d{options.seconds + 3}s", "-s", field.folder / "post.lua",
                             f"http://127.0.0.1:{server.port}{route}"], stdout=subprocess.DEVNULL)
    parts, kernel, leaves = collections.Counter(), collections.Counter(), collections.Counter()
    for frames in samples(server.process.pid, options.seconds, field.folder / "perf.data"):
        where = part(frames)
        parts[where] += 1
        kernel[where] += "[kernel" in frames[0]
        leaves[first_match(LEAVES, frames[0]) or "the rest"] += 1
        if where == options.stacks:
            print(" < ".join(frames[:options.depth]))
    load.wait()
    return parts, kernel, leaves


def allocations(field, upstream, options):
    """Counts allocations and bytes per request, by route."""
    library, counter = field.folder / "count.so", field.folder / "counters"
    source = BENCHMARKS / "lib" / "count_allocations.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    counter.write_bytes(bytes(16))
    os.environ |= {"LD_PRELOAD": str(library), "COUNT_FILE": str(counter)}
    try:
        server = field.gateway("counted", upstream, log="info", with_key=True, binary=options.binary)
    finally:
        del os.environ["LD_PRELOAD"], os.environ["COUNT_FILE"]
    found = {}
    for name, path in (("native route", NATIVE), ("own route", OWN)):
        wrk(field.folder, server, path, SMALL, 32, 1)
        before = struct.unpack("QQ", counter.read_bytes())
        load = wrk(field.folder, server, path, SMALL, 32, 2)
        after = struct.unpack("QQ", counter.read_bytes())
        found[name] = [(new - old) / load.requests for new, old in zip(after, before)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5, help="seconds of sampling (default: %(default)s)")
    parser.add_argument("--binary", default=BIN / "selene", metavar="FILE", help="another build of selene")
    parser.add_argument("--stacks", metavar="PART", help="print the stacks of this part, too")
    parser.add_argument("--depth", type=int, default=12, help="depth of those stacks (default: %(default)s)")
    options = parser.parse_args()
    with Field() as field:
        upstream = field.static_upstream(REPLY)
        server = field.gateway("profiled", upstream, log="info", with_key=True, binary=options.binary)
        for name, route in (("native route", NATIVE), ("own route", OWN)):
            cost = wrk(field.folder, server, route, SMALL, 32, options.seconds).cpu.total
            parts, kernel, leaves = profile(server, route, options, field)
            total = parts.total()
            print(f"### {name}: {cost:.0f} µs of CPU a request, {total} samples\n"
                  "| part | µs | of it kernel | % |\n|---|---:|---:|---:|")
            for where, count in parts.most_common():
                print(f"| {where} | {count / total * cost:.1f} | {kernel[where] / total * cost:.1f} "
                      f"| {count / total * 100:.1f} |")
            print("\n| innermost function | µs | % |\n|---|---:|---:|")
            for kind, count in leaves.most_common():
                print(f"| {kind} | {count / total * cost:.1f} | {count / total * 100:.1f} |")
            print(flush=True)
        print("| | allocations a request | bytes |\n|---|---:|---:|")
        for name, (calls, size) in allocations(field, upstream, options).items():
            print(f"| {name} | {calls:.0f} | {size:,.0f} |")


if __name__ == "__main__":
    main()
