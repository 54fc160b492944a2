#!/usr/bin/env python3
"""Runs each test that failed once more, alone. Usage: again.py BINARY EVENTS…

EVENTS are the event streams that Swift Testing wrote for the runs that failed. A run whose process ended early has no
last event: its failure stays. Exits with 0 if at most MOST tests had failed and each of them passes alone; its last
lines list them under "flaky:". Each test listed there is repaired in the next change.
"""
import json
import re
import subprocess
import sys

MOST = 3


def failed(path):
    """The ids of the tests with issues in one event stream, and whether the run came to its end."""
    ids, ended = [], False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            payload = record.get("payload", {})
            if payload.get("kind") == "runEnded":
                ended = True
            if payload.get("kind") != "issueRecorded":
                continue
            issue = payload.get("issue", {})
            if issue.get("isKnown") or issue.get("isFailure") is False:
                continue
            identifier = payload.get("testID")
            if identifier is None:
                return [], False
            if identifier not in ids:
                ids.append(identifier)
    return ids, ended


def main():
    binary, streams = sys.argv[1], sys.argv[2:]
    ids = []
    for path in streams:
        found, ended = failed(path)
        if not ended:
            print("A run ended before its last test: nothing is run again.")
            return 1
        ids += [identifier for identifier in found if identifier not in ids]
    if not ids or len(ids) > MOST:
        print(f"{len(ids)} tests failed; up to {MOST} are run again.")
        return 1
    flaky = []
    for identifier in ids:
        print(f"== once more, alone: {identifier}", flush=True)
        run = subprocess.run(
            [binary, "--testing-library", "swift-testing", "--no-parallel", "--filter", "^" + re.escape(identifier)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
        print("\n".join(run.stdout.splitlines()[-20:]), flush=True)
        # A filter that matches nothing passes too: the closing line must count one test.
        if run.returncode != 0 or not re.search(r"Test run with 1 test\b", run.stdout):
            return 1
        flaky.append(identifier)
    print("flaky:")
    for identifier in flaky:
        print(f"  {identifier}")
    return 0


sys.exit(main())
