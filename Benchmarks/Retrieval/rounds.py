"""Runs the rounds: generates data, loads as many contestants as memory allows, and measures them."""
import contextlib
import datetime
import importlib.metadata
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import report
from lib import figures
from contestants import PAUSE, PEERS, BenchmarkFailed, Plan, Selene, Unavailable
from data import Judge, generate


def run(options):
    """Runs all sizes. Saves the figures even if a later size fails."""
    record = describe(options)
    texts = [report.header(record)]
    print(texts[0], flush=True)
    try:
        for rows in options.sizes:
            with tempfile.TemporaryDirectory(prefix="retrieval-", dir=options.folder) as folder:
                record["sizes"].append(measure_size(options, rows, folder))
            if rows == 100_000:
                note_goals(record["sizes"][-1]["contestants"])
            texts.append(report.table(record, record["sizes"][-1]))
            print(texts[-1], flush=True)
    except BenchmarkFailed as error:
        sys.exit(f"{rows} rows: {error}")
    finally:
        save(options, record, "\n".join(texts))


def note_goals(found):
    """Reports the figures that have goals."""
    exact, numpy = found["selene exact"], found.get("numpy")
    if numpy:
        median = statistics.median
        figures.report("retrieval.one_query_of_numpy", median(exact["single_ms"]) / median(numpy["single_ms"]))
        figures.report("retrieval.batch_of_numpy", median(exact["batch_ms"]) / median(numpy["batch_ms"]))
        figures.report("retrieval.clients_of_numpy",
                       median(numpy["clients_seconds"]) / median(exact["clients_seconds"]))


def save(options, record, text):
    if options.json and record["sizes"]:
        with open(options.json, "a") as file:
            file.write(json.dumps(rounded(record)) + "\n")
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write(text)


def rounded(value):
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return [rounded(inner) for inner in value] if isinstance(value, list) else value


def describe(options):
    kept = ("threads", "data", "seed", "dimensions", "rounds", "queries", "singles", "clients", "client_queries",
            "batch")
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": {"processor": processor(), "system": f"{platform.system()} {platform.machine()}",
                    "cores": os.cpu_count(), "memory_gb": round(memory("MemTotal") / 1e9), "load": os.getloadavg()[0]},
        "versions": {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, **versions()},
        **{name: getattr(options, name) for name in kept},
        "sizes": [],
    }


def versions():
    found = {}
    for name in ("numpy", "faiss-cpu", "usearch", "sqlite-vec"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def processor():
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    if sys.platform == "darwin":
        asked = subprocess.run(["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True)
        return asked.stdout.strip() or platform.processor()
    return platform.processor() or "unknown processor"


def memory(field):
    """A field of /proc/meminfo in bytes; on other systems the whole memory counts as available."""
    try:
        with open("/proc/meminfo") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def measure_size(options, rows, folder):
    bytes_of_matrix = 4 * rows * options.dimensions
    free = memory("MemAvailable")
    if free < 2.5 * bytes_of_matrix:
        raise BenchmarkFailed(f"needs {2.5 * bytes_of_matrix / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are available")
    say(rows, "data")
    matrix, queries = generate(options.data, options.seed, rows, options.dimensions, options.queries, folder)
    say(rows, "the exact answers")
    judge = Judge(matrix, queries)
    say(rows, "loading")
    result = {"rows": rows, "matrix_mb": bytes_of_matrix / 1e6, "one_at_a_time": free < 4 * bytes_of_matrix,
              "contestants": {}, "unavailable": {}, "read_ms": []}
    with contextlib.closing(Selene(options.binary, folder, rows, options.dimensions, options.threads)) as selene:
        plans = [Plan(selene, plan, queries) for plan in selene.ready["plans"]]
        for peers in groups(result["one_at_a_time"]):
            result["contestants"] |= measure_group(options, result, judge, selene, plans, peers, folder)
            plans = [plan for plan in plans if not plan.approximate]
        result["selene"] = {**selene.ready, **selene.ask("memory")}
    return result


def groups(one_at_a_time):
    """The groups of peers to measure together. If memory is short, peers that copy the vectors run one by one."""
    if not one_at_a_time:
        return [list(PEERS)]
    return [[peer for peer in PEERS if not peer.copies]] + [[peer] for peer in PEERS if peer.copies]


def measure_group(options, result, judge, selene, plans, peers, folder):
    """Runs all rounds of Selene's plans and these peers. Later groups repeat the exact plan only as a reference."""
    rows, again = result["rows"], "selene exact" in result["contestants"]
    contestants = plans + loaded(options, result, judge, peers, folder)
    if again and contestants == plans:
        return {}
    try:
        found = {one.name: prepared(options, judge, one) for one in contestants}
        for number in range(options.rounds):
            say(rows, f"round {number + 1} of {options.rounds}: {', '.join(one.name for one in contestants)}")
            result["read_ms"].append(selene.ask("read")["ms"])
            turn = number % len(contestants)
            for one in contestants[turn:] + contestants[:turn]:
                measure_round(options, judge, one, found[one.name])
    finally:
        for one in contestants:
            one.close()
    reference = found.pop("selene exact") if again else found["selene exact"]
    for name, figures in found.items():
        compared = {key: reference[key] for key in ("single_ms", "clients_seconds", "batch_ms")}
        figures["reference"] = compared if again else None
    return found


def loaded(options, result, judge, peers, folder):
    """Loads the peers that can take part; the result records why others cannot."""
    able = []
    for peer in peers:
        say(result["rows"], f"loading {peer.name}")
        try:
            able.append(peer(judge.matrix, judge.queries, options, folder))
        except (ImportError, Unavailable, MemoryError, sqlite3.Error) as error:
            result["unavailable"][peer.name] = str(error) or type(error).__name__
    return able


def prepared(options, judge, one):
    """Judges all queries' answers, which also warms the contestant up, and creates its record of figures."""
    answers = one.answers()
    if not one.approximate:
        for query, ids in enumerate(answers):
            require(judge, one, query, ids)
    one.tune(options.clients)
    return {"approximate": one.approximate, "recall": judge.recall(answers), "reported_recall": one.reported_recall,
            "memory_mb": one.memory_mb, "load_ms": one.load_ms, "call_threads": one.call_threads,
            "single_ms": [], "clients_seconds": [], "clients_ms": [], "batch_ms": []}


def require(judge, one, query, ids):
    fault = judge.fault(query, ids)
    if fault:
        raise BenchmarkFailed(f"{one.name} is exact but disagrees: {fault}")


def measure_round(options, judge, one, figures):
    time.sleep(PAUSE)
    one.single(1)
    times, ids = one.single(options.singles)
    figures["single_ms"] += times
    if not one.approximate:
        require(judge, one, (options.singles - 1) % options.queries, ids)
    time.sleep(PAUSE)
    seconds, times = one.clients(options.clients, options.client_queries)
    figures["clients_seconds"].append(seconds)
    figures["clients_ms"] += times
    if one.batches:
        time.sleep(PAUSE)
        milliseconds, answers = one.batch(options.batch)
        figures["batch_ms"].append(milliseconds)
        if not one.approximate:
            for query, ids in enumerate(answers):
                require(judge, one, query, ids)


def say(rows, what):
    print(f"{rows} rows: {what}", file=sys.stderr, flush=True)
