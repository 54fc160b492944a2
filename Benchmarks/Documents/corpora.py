#!/usr/bin/env python3
"""Reads every file of the corpora beside the repository with the gateway's parsers, each in a process of its own.

Counts crashes, hangs and memory, and compares the text with that of other programs where there is one: `pdftotext` for PDF,
python-docx's paragraphs for DOCX, readability's articles for HTML, the titles of EPUB, the bytes of text files. Exit code 1:
a crash, a hang, too much memory, or a median similarity below its goal. Exit code 0 with a message: there are no corpora.

    make corpora                  all files; SAMPLE=10 reads every tenth
    corpora.py --binary .build/debug/DocumentsBench --sample 10 --json figures.json
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = {".pdf", ".epub", ".docx", ".html", ".htm", ".md", ".txt"}
#: The least median similarity of a format, where there is something to compare with.
GOALS = {"pdf": 0.95, "docx": 0.95, "html": 0.95, "epub": 0.95, "txt": 1.0}
#: The address space of one process is not limited: the reader's own limits of work are what is tested.
ADDRESS_SPACE = 8 << 30


def files(shared):
    """The files of the corpora and of the sets of books, by folder."""
    for folder in ("corpora/pdf", "corpora/epub", "corpora/docx", "corpora/html", "books"):
        for path in sorted((shared / folder).rglob("*")):
            if path.suffix.lower() in SUFFIXES and path.is_file() and "expected" not in path.parts and \
                    path.name not in ("README.md", "LICENSE.txt"):
                yield path


def grams(text):
    """Counts of the three-character parts, compatibility forms folded and white space collapsed."""
    text = " ".join(unicodedata.normalize("NFKC", text).lower().split())
    return collections.Counter(text[i:i + 3] for i in range(max(1, len(text) - 2))) if text else collections.Counter()


def dice(one, two):
    """Dice coefficient of two counts."""
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 1.0


def words(text):
    """Words in lower case; Chinese and Japanese characters alone."""
    return collections.Counter(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u4e00-\u9fff]+", text.lower()))


class Oracles:
    """What other programs read, by the path below the corpora."""

    def __init__(self, corpora):
        self.pdf, self.docx, self.epub, self.html = {}, {}, {}, corpora / "html" / "expected"
        packed = corpora / "pdf/expected/pdftotext.jsonl.gz"
        if packed.exists():
            with gzip.open(packed, "rt", encoding="utf-8") as lines:
                for row in map(json.loads, lines):
                    if "password" not in row:
                        self.pdf[row["file"]] = row["pages"]
        for name, table in (("docx", self.docx), ("epub", self.epub)):
            path = corpora / name / "expected.jsonl"
            if path.exists():
                table.update((row["file"], row) for row in map(json.loads, path.read_text("utf-8").splitlines()))
        self.corpora = corpora

    def similarity(self, path, kind, line):
        """0 to 1; None where there is nothing to compare with."""
        text = "\n".join(line["text"])
        if kind == "pdf" and path.name in self.pdf:
            expected = " ".join(self.pdf[path.name])
            return dice(grams(text), grams(expected)) if any(map(str.isalpha, expected)) else None
        if kind == "docx" and self.corpora in path.parents:
            row = self.docx.get(str(path.relative_to(self.corpora / "docx")))
            if row and "unread" not in row:
                return dice(words(text), words(" ".join(one["text"] for one in row["paragraphs"])))
        if kind == "html" and (self.html / (path.stem + ".txt")).exists():
            return dice(words(text), words((self.html / (path.stem + ".txt")).read_text("utf-8")))
        if kind == "epub" and path.name in self.epub:
            titles = self.epub[path.name].get("title") or []
            return float(" ".join((titles or [""])[0].split()) == " ".join((line.get("title") or "").split()))
        if kind == "txt" and "books" in path.parts:
            return float(text.encode().startswith(path.read_bytes()[:1000]) or dice(grams(text), grams(path.read_text("utf-8"))) > 0.999)
        return None


def read(binary, path, seconds):
    """Runs the reader on a file: its line, how it ended, CPU seconds and peak MB."""
    command = [binary, "--text", *(["--article"] if path.suffix.startswith(".htm") else []), path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=limit)
    late = threading.Timer(seconds, process.kill)
    late.start()
    started = time.monotonic()
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    late.cancel()
    process.returncode = status
    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    if os.WIFSIGNALED(status):
        is_late = os.WTERMSIG(status) == signal.SIGKILL and time.monotonic() - started >= seconds
        return None, "hang" if is_late else f"crash (signal {os.WTERMSIG(status)})", cpu, peak
    try:
        line = json.loads(output)
    except ValueError:
        return None, f"crash (exit {os.WEXITSTATUS(status)})", cpu, peak
    # The system's figure has what this script had when it forked.
    return line, "refused: " + line["error"] if line.get("error") else "read", cpu, line.get("peak") or peak


def limit():
    """Called in the child before the reader starts."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / ".build/debug/DocumentsBench")
    parser.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared", help="the folder of corpora and books")
    parser.add_argument("--sample", type=int, default=1, help="read every so manieth file of a folder")
    parser.add_argument("--seconds", type=float, default=120, help="the time of one file; a longer one is a hang")
    parser.add_argument("--memory", type=float, default=1024, help="the most MB of one file")
    parser.add_argument("--jobs", type=int, default=1, help="files at once")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures of each file here")
    options = parser.parse_args()
    if not (options.shared / "corpora").is_dir():
        print(f"skipped: there is no {options.shared}/corpora")
        return 0
    oracles = Oracles(options.shared / "corpora")
    found = [path for index, path in enumerate(files(options.shared)) if index % max(1, options.sample) == 0]

    def one(path):
        line, end, cpu, peak = read(options.binary, path, options.seconds)
        kind = path.suffix.lower().lstrip(".").replace("htm", "html").replace("htmll", "html")
        near = oracles.similarity(path, kind, line) if end == "read" else None
        return {"file": str(path.relative_to(options.shared)), "kind": kind, "end": end, "cpu": cpu, "peak": peak,
                "pages": line["pages"] if line else 0, "similarity": near}

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = []
        for row in pool.map(one, found):
            rows.append(row)
            if not (row["end"] == "read" or row["end"].startswith("refused")) or row["peak"] > options.memory:
                print(f"{row['file']}: {row['end']}, {row['peak']:.0f} MB", flush=True)
    problems = []
    print(f"{'':6}{'files':>6}{'read':>6}{'refused':>9}{'crashes':>9}{'hangs':>7}{'pages':>8}{'CPU s':>8}{'peak MB':>9}"
          f"{'compared':>10}{'median':>8}{'mean':>7}")
    for kind in sorted({row["kind"] for row in rows}):
        own = [row for row in rows if row["kind"] == kind]
        near = [row["similarity"] for row in own if row["similarity"] is not None]
        counts = collections.Counter(row["end"].split(" ")[0].rstrip(":") for row in own)
        peak = max(row["peak"] for row in own)
        median = statistics.median(near) if near else None
        print(f"{kind:6}{len(own):6}{counts['read']:6}{counts['refused']:9}{counts['crash']:9}{counts['hang']:7}"
              f"{sum(row['pages'] for row in own):8}{sum(row['cpu'] for row in own):8.1f}{peak:9.0f}{len(near):10}"
              + (f"{median:8.3f}{statistics.mean(near):7.3f}" if near else ""))
        if counts["crash"] or counts["hang"]:
            problems.append(f"{kind}: {counts['crash']} crashes, {counts['hang']} hangs")
        if peak > options.memory:
            problems.append(f"{kind}: {peak:.0f} MB, more than {options.memory:.0f}")
        if median is not None and median < GOALS.get(kind, 0):
            problems.append(f"{kind}: median similarity {median:.3f}, below {GOALS[kind]}")
    refusals = collections.Counter((row["kind"], row["end"][9:]) for row in rows if row["end"].startswith("refused"))
    print("refused: " + ", ".join(f"{count} {kind} {why}" for (kind, why), count in sorted(refusals.items())))
    if options.json:
        options.json.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    for problem in problems:
        print("FAILED " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
