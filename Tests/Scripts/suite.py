#!/usr/bin/env python3
"""Runs the tests of a built bundle, shared out over processes.

Each suite runs whole in one process, one test after another: most tests wait for sockets and child processes, so four
processes keep two cores busy. A test that takes longer than --limit is ended with its process and counts as failed; the
others of its batch run in a new one. Up to three tests that failed run once more, alone, unless a process ended early. If
all of them pass, so does the run, and its last lines list them under "flaky:"; each one listed there is repaired in
the next change.

  suite.py BUNDLE                     the whole suite
  suite.py BUNDLE --gear fast         without the tests marked .slow, and with 500 rounds at most
  suite.py BUNDLE --gear rest         what the last run of the fast gear left out
  suite.py BUNDLE --only 'Goals|Tags' tests whose id has this pattern
  suite.py BUNDLE --count 20 --busy 2 twenty runs in random order beside two busy loops; lists what did not always pass

Exit codes: 0 all passed, 1 a test failed, 2 wrong usage, 130 interrupted.
"""
import argparse
import collections
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

MOST_AGAIN = 3
# Where times of earlier runs and what the fast gear left out are kept.
STATE = ".build/suite"


def suite_of(test):
    """The suite that a test is in, the outermost one: `Module.Suite`."""
    return test.split("/", 1)[0] if "/" in test else test


def cores():
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def kept(name, default):
    try:
        with open(os.path.join(STATE, name), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return default


def keep(name, value):
    os.makedirs(STATE, exist_ok=True)
    path = os.path.join(STATE, name)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file, indent=0, sort_keys=True)
    os.replace(path + ".new", path)


class Batch:
    """Tests that run in one process, and what became of them."""

    def __init__(self, tests, exact):
        self.tests, self.exact = tests, exact

    def filter(self):
        names = self.tests if self.exact else sorted({suite_of(test) for test in self.tests})
        return "^(" + "|".join(re.escape(name) for name in names) + ")" + ("" if self.exact else "(/|$)")


class Process:
    """One process of the bundle and its stream of events, read while it runs."""

    def __init__(self, binary, batch, environment, limit, folder, on_end):
        self.limit, self.on_end = limit, on_end
        self.running, self.ended, self.issues, self.skipped = {}, {}, collections.defaultdict(list), {}
        self.finished, self.overdue, self.heard = False, None, time.monotonic()
        handle, self.events = tempfile.mkstemp(dir=folder, suffix=".events")
        os.close(handle)
        self.output = self.events[:-7] + ".log"
        with open(self.output, "wb") as log:
            self.process = subprocess.Popen(
                [binary, "--testing-library", "swift-testing", "--no-parallel", "--filter", batch.filter(),
                 "--event-stream-version", "0", "--event-stream-output-path", self.events],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True)

    def run(self):
        """Waits for the end; ends the process itself when a test exceeds the limit."""
        with open(self.events, encoding="utf-8", errors="replace") as stream:
            left = ""
            while True:
                over = self.process.poll() is not None
                left += stream.read()
                *lines, left = left.split("\n")
                for line in lines:
                    self.take(line)
                if over:
                    break
                late = [test for test, began in self.running.items() if time.monotonic() - began[0] > self.limit]
                if late:
                    self.overdue = late[0]
                if late or not self.running and time.monotonic() - self.heard > self.limit:
                    self.end()
                time.sleep(0.1)
        self.end()

    def end(self):
        """Ends the process and what it left running."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def take(self, line):
        try:
            payload = json.loads(line).get("payload", {})
        except ValueError:
            return
        self.heard = time.monotonic()
        kind, test = payload.get("kind"), payload.get("testID")
        instant = payload.get("instant", {}).get("absolute", 0)
        if kind == "runEnded":
            self.finished = True
        if test is None or "/" not in test and "(" not in test:
            if kind == "issueRecorded" and not payload.get("issue", {}).get("isKnown"):
                self.issues[test or "the run"].append(payload)
            return
        name = plain(test)
        # Events of a suite have its id, which has no parentheses.
        if kind == "testStarted" and name.endswith(")"):
            self.running[name] = (time.monotonic(), instant)
        elif kind == "testEnded" and name.endswith(")"):
            began = self.running.pop(name, None)
            if began is not None:
                self.ended[name] = instant - began[1]
                self.on_end()
        elif kind == "testSkipped" and name.endswith(")"):
            self.skipped[name] = " ".join(m.get("text", "") for m in payload.get("messages", []))
            self.on_end()
        elif kind == "issueRecorded" and not payload.get("issue", {}).get("isKnown"):
            self.issues[name].append(payload)


def plain(test):
    """An id without the place in the source, as `--list-tests` prints it."""
    return re.sub(r"/[^/`]+\.swift:\d+:\d+$", "", test)


class Run:
    """A run of all chosen tests."""

    def __init__(self, options, environment, folder):
        self.options, self.environment, self.folder = options, environment, folder
        self.lock = threading.Lock()
        self.times = kept("times.json", {})
        self.done, self.failures, self.skipped, self.seconds = 0, {}, {}, {}
        self.processes, self.stopped = set(), False
        # Whether a process ended early or was ended: what it left in memory may be at fault, so its failure stays.
        self.ended_early = False

    def batches(self, tests, exact, order):
        weight = lambda test: self.times.get(test, 0.2)
        groups = collections.defaultdict(list)
        for test in tests:
            groups[suite_of(test)].append(test)
        sums = {suite: sum(map(weight, group)) for suite, group in groups.items()}
        share = sum(sums.values()) / (self.options.workers * 8)
        suites = sorted(groups, key=lambda suite: (-sums[suite], suite))
        if order is not None:
            order.shuffle(suites)
        batches, current, filled = [], [], 0
        for suite in suites:
            # A filter is one argument of the process, at most 128 KiB.
            if current and (filled + sums[suite] > share or len(current) > 400):
                batches.append(Batch(current, exact))
                current, filled = [], 0
            current += groups[suite]
            filled += sums[suite]
        if current:
            batches.append(Batch(current, exact))
        return batches

    def run(self, tests, exact, order=None):
        self.total, self.began = len(tests), time.monotonic()
        self.queue = collections.deque(self.batches(tests, exact, order))
        workers = [threading.Thread(target=self.work, daemon=True) for _ in range(self.options.workers)]
        for worker in workers:
            worker.start()
        shown = time.monotonic()
        try:
            while any(worker.is_alive() for worker in workers):
                time.sleep(0.2)
                if time.monotonic() - shown >= (1 if sys.stdout.isatty() else 30):
                    shown = time.monotonic()
                    self.show()
        except KeyboardInterrupt:
            self.stopped = True
            with self.lock:
                for process in self.processes:
                    process.end()
            raise
        if sys.stdout.isatty():
            print("\r\033[K", end="")

    def show(self):
        spent = time.monotonic() - self.began
        left = f", {clock(spent / self.done * (self.total - self.done))} left" if self.done else ""
        line = f"{self.done} of {self.total} tests, {len(self.failures)} failed, {clock(spent)}{left}"
        print(f"\r\033[K{line}" if sys.stdout.isatty() else line, end="" if sys.stdout.isatty() else "\n", flush=True)

    def count(self):
        with self.lock:
            self.done += 1

    def work(self):
        while not self.stopped:
            with self.lock:
                if not self.queue:
                    return
                batch = self.queue.popleft()
            process = Process(
                self.options.bundle, batch, self.environment, self.options.limit, self.folder, self.count)
            with self.lock:
                self.processes.add(process)
            process.run()
            with self.lock:
                self.processes.discard(process)
                self.settle(batch, process)

    def settle(self, batch, process):
        """Takes over what became of the tests; what a process that ended early left is run in another one."""
        self.seconds.update(process.ended)
        self.skipped.update(process.skipped)
        for test, issues in process.issues.items():
            self.failures[test] = "\n".join(map(described, issues))
        if self.stopped or process.finished and process.process.returncode in (0, 1) and process.overdue is None:
            if process.process.returncode != 0 and not process.issues:
                self.failures["a process of tests"] = tail(process.output)
            return
        self.ended_early = True
        at_fault = [process.overdue] if process.overdue else list(process.running)
        for test in at_fault:
            why = f"exceeded its limit of {self.options.limit} s" if process.overdue else \
                f"ended its process with {process.process.returncode}"
            self.failures[test] = f"{test} {why}\n{tail(process.output)}"
            self.done += 1
        gone = set(process.ended) | set(process.skipped) | set(at_fault)
        rest = [test for test in batch.tests if test not in gone]
        if at_fault and rest:
            self.queue.append(Batch(rest, True))
        elif not at_fault:
            self.failures["a process of tests"] = tail(process.output)


def described(payload):
    place = payload.get("issue", {}).get("sourceLocation", {})
    where = f"{place.get('_filePath', '')}:{place.get('line', '')}: " if place else ""
    return where + "\n    ".join(m.get("text", "") for m in payload.get("messages", []))


def tail(path, lines=40):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(collections.deque(file, lines))


def once_more(options, environment, run):
    """Runs failed tests once more, each alone; returns those that passed, or nothing when one failed."""
    failures = run.failures
    if run.ended_early or len(failures) > MOST_AGAIN or any(not test.endswith(")") for test in failures):
        return []
    passed = []
    for test in sorted(failures):
        print(f"== once more, alone: {test}", flush=True)
        try:
            run = subprocess.run(
                [options.bundle, "--testing-library", "swift-testing", "--no-parallel", "--filter", "^" + re.escape(test)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                timeout=options.limit, env=environment)
        except subprocess.TimeoutExpired:
            return []
        print("\n".join(run.stdout.splitlines()[-12:]), flush=True)
        # A filter that matches nothing passes too: the closing line must count one test.
        if run.returncode != 0 or not re.search(r"Test run with 1 test\b", run.stdout):
            return []
        passed.append(test)
    return passed


def chosen(options, environment):
    """The ids of the tests to run, and whether processes select them one by one instead of by suites."""
    listed = subprocess.run(
        [options.bundle, "--testing-library", "swift-testing", "--list-tests"], check=True, text=True,
        stdout=subprocess.PIPE, env=environment).stdout.splitlines()
    tests = [line for line in listed if "." in line and line.endswith(")")]
    if options.gear == "rest":
        left = kept("left-out.json", None)
        if left is None:
            sys.exit("suite.py: no run of the fast gear is on record; run `make test` first")
        left = set(left)
        tests = [test for test in tests if test in left]
    if options.only:
        tests = [test for test in tests if re.search(options.only, test)]
    return tests, bool(options.only) or options.gear == "rest"


def report(options, run, tests):
    """Prints what failed, what was left out and what was slow; returns the exit code."""
    spent = time.monotonic() - run.began
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    slow = "slow, so `make test` leaves it"
    if options.gear == "fast" and not options.only:
        keep("left-out.json", sorted(test for test, why in run.skipped.items() if slow in why))
    keep("times.json", {**run.times, **{test: round(seconds, 3) for test, seconds in run.seconds.items()}})
    for why, count in collections.Counter(
            re.sub(r'^Test .* skipped(?:: )?', "", why).strip('". ') for why in run.skipped.values()).most_common():
        print(f"{count} not run: {why or 'no reason given'}")
    slowest = sorted(run.seconds.items(), key=lambda item: -item[1])[:options.slowest]
    print(f"the {len(slowest)} slowest:")
    for test, seconds in slowest:
        print(f"  {seconds:6.1f} s  {test}")
    if options.gear == "fast":
        late = [test for test, seconds in run.seconds.items() if seconds > 1]
        if late:
            print(f"{len(late)} took more than a second without .slow; those that do so on a quiet machine need it")
    missing = [test for test in tests
               if test not in run.seconds and test not in run.skipped and test not in run.failures]
    if missing:
        run.failures["tests that never ran"] = "\n".join(missing[:20])
    print(f"{len(run.seconds)} tests ran and {len(run.failures)} failed in {clock(spent)} "
          f"(processor time {clock(usage.ru_utime + usage.ru_stime)}, {options.workers} processes)")
    for test, text in run.failures.items():
        print(f"\n== failed: {test}\n{text}")
    return 1 if run.failures else 0


def nothing():
    print("suite.py: no test has this pattern", file=sys.stderr)
    return 2


def many(options, environment, folder):
    """Repeats the suite in random order beside busy loops and lists what did not pass each time."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    failed = collections.Counter()
    try:
        for number in range(options.count):
            seed = random.randrange(1 << 32) if options.seed is None else options.seed + number
            print(f"== run {number + 1} of {options.count}, order {seed}", flush=True)
            tests, exact = chosen(options, environment)
            if not tests:
                return nothing()
            run = Run(options, environment, folder)
            run.run(tests, exact, random.Random(seed))
            report(options, run, tests)
            failed.update(run.failures.keys())
    finally:
        for loop in loops:
            loop.kill()
    print(f"\n{len(failed)} of {len(tests)} tests did not pass in each of {options.count} runs")
    for test, count in failed.most_common():
        print(f"  {count} of {options.count}  {test}")
    return 1 if failed else 0


def interrupted(number, frame):
    """Ends the processes of tests as Ctrl-C does."""
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("--gear", choices=["fast", "rest", "all"], default="all")
    parser.add_argument("--only", help="tests whose id has this pattern")
    parser.add_argument("--workers", type=int, default=min(8, 2 * cores()))
    parser.add_argument("--limit", type=int, default=600, help="seconds for one test")
    parser.add_argument("--slowest", type=int, default=20)
    parser.add_argument("--count", type=int, default=0, help="repetitions, in random order")
    parser.add_argument("--busy", type=int, default=0, help="busy loops beside the repetitions")
    parser.add_argument("--seed", type=int, help="the order of the first repetition")
    options = parser.parse_args()
    options.bundle = os.path.abspath(options.bundle)
    environment = {**os.environ, "NO_COLOR": "1"}
    environment.pop("TEST_GEAR", None)
    if options.gear == "fast":
        environment["TEST_GEAR"] = "fast"
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    folder = tempfile.mkdtemp(prefix="suite-")
    try:
        if options.count > 0:
            return many(options, environment, folder)
        tests, exact = chosen(options, environment)
        if not tests:
            return nothing()
        run = Run(options, environment, folder)
        run.run(tests, exact)
        code = report(options, run, tests)
        if code != 0:
            flaky = once_more(options, environment, run)
            if flaky:
                print("flaky:\n" + "\n".join(f"  {test}" for test in flaky))
                code = 0
        return code
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
