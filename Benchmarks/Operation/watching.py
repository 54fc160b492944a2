#!/usr/bin/env python3
"""Measures what an open console costs a server that does nothing: CPU time of a minute with one reader of the stream of events,
and without.

    watching.py [--seconds 60]

The reader takes all topics, as the console does. The database has some notes, nothing is embedded, nobody asks.
"""
import argparse
import os
import pathlib
import sys
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Scripts"))
import stand  # noqa: E402

SETTLE = 5


def cpu(process):
    """CPU time of a process in seconds, of all its threads."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read(url, token, seen, opened):
    """Counts events until the server closes the stream."""
    request = urllib.request.Request(f"{url}/api/admin/events?topics=all", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=60) as stream:
        opened.set()
        try:
            for line in stream:
                seen["bytes"] += len(line)
                seen["events"] += line.startswith(b"event:")
        except OSError:
            pass


def measure(seconds, is_watched):
    """CPU milliseconds of a minute, events and bytes."""
    with stand.Stand(settings={"SELENE_BACKFILL": "off"}) as field:
        seen, opened = {"events": 0, "bytes": 0}, threading.Event()
        if is_watched:
            threading.Thread(target=read, args=(field.url, field.token, seen, opened), daemon=True).start()
            assert opened.wait(30), "the stream did not open"
        time.sleep(SETTLE)
        before, start, known = cpu(field.gateway_process), time.monotonic(), dict(seen)
        time.sleep(seconds)
        used = cpu(field.gateway_process) - before
        minute = 60 / (time.monotonic() - start)
        return used * 1e3 * minute, (seen["events"] - known["events"]) * minute, (seen["bytes"] - known["bytes"]) * minute


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="time of each measurement (default: %(default)s)")
    options = parser.parse_args()
    print("### A minute in which nothing happens\n| | CPU ms | events | bytes |\n|---|---:|---:|---:|")
    alone = measure(options.seconds, False)
    print(f"| no console | {alone[0]:.0f} | | |", flush=True)
    watched = measure(options.seconds, True)
    print(f"| one console | {watched[0]:.0f} | {watched[1]:.0f} | {watched[2]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
