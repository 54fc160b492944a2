#!/usr/bin/env python3
"""Compares Selene's keyword leg with SQLite's LIKE and FTS5 in one run: patterns and questions over N notes.

Each round measures all contestants once per pattern. SQLite counts the rows; Selene also scores and ranks them. For
ASCII patterns, where SQLite folds case as Selene does, the counts must agree.
"""
import argparse
import json
import pathlib
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time

from lib.environment import BIN
from lib.figures import report
from lib.notes import notes

PATTERNS = [
    ("rare word", "zyxwquartz"), ("rare part of a word", "xwquar"), ("common word", "the"),
    ("common part of a word", "ation"), ("one letter", "e"), ("two words", "ing st"), ("sign", "%"),
    ("number with sign", "50%"), ("in no note", "qqqqzzzz"),
]
QUERIES = [("eight words", "harbour lantern gauge bread committee window violin theory")]


def escaped(pattern):
    return "%" + pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


class SQLite:
    """A plain scan with LIKE, as most programs do it."""

    def __init__(self, path, rows):
        self.connection = sqlite3.connect(path)
        self.connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, content TEXT)")
        self.connection.executemany("INSERT INTO notes VALUES (:id, :title, :content)", rows)
        self.connection.commit()

    def count(self, pattern):
        like = escaped(pattern)
        return self.connection.execute(
            "SELECT count(*) FROM notes WHERE title LIKE ? ESCAPE '\\' OR content LIKE ? ESCAPE '\\'",
            (like, like)).fetchone()[0]


class FullText:
    """FTS5 with the stemming tokenizer, ranked by BM25."""

    def __init__(self, path, rows):
        self.connection = sqlite3.connect(path)
        self.connection.execute("CREATE VIRTUAL TABLE notes USING fts5(title, content, tokenize = 'porter')")
        self.connection.executemany("INSERT INTO notes (rowid, title, content) VALUES (:id, :title, :content)", rows)
        self.connection.commit()

    def search(self, query):
        any_word = " OR ".join(f'"{word}"' for word in query.split())
        return self.connection.execute(
            "SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT 10", (any_word,)).fetchall()


class Selene:
    def __init__(self, binary, path):
        self.process = subprocess.Popen(
            [binary, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = json.loads(self.process.stdout.readline().removeprefix("ready "))

    def ask(self, kind, count, text):
        self.process.stdin.write(f"{kind} {count} {text}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(function, *arguments):
    started = time.perf_counter()
    result = function(*arguments)
    return (time.perf_counter() - started) * 1e3, result


def measure(binary, count, rounds):
    rows = list(notes(count, random.Random(11)))
    text_bytes = sum(len(row["title"]) + len(row["content"]) for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "notes.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        plain, full = SQLite(path / "plain.sqlite", rows), FullText(path / "full.sqlite", rows)
        selene = Selene(binary, str(path / "notes.jsonl"))
        ours, theirs, plans, counts = {}, {}, {}, {}
        for _ in range(rounds):
            for name, pattern in PATTERNS:
                milliseconds, found = timed(plain.count, pattern)
                theirs.setdefault(name, []).append(milliseconds)
                reply = selene.ask("pattern", 5, pattern)
                ours.setdefault(name, []).extend(reply["ms"])
                plans[name], counts[name] = reply["plan"], (reply["found"], found)
            for name, query in QUERIES:
                theirs.setdefault(name, []).append(timed(full.search, query)[0])
                reply = selene.ask("query", 5, query)
                ours.setdefault(name, []).extend(reply["ms"])
                plans[name], counts[name] = reply["plan"], (reply["found"], None)
        selene.close()
    print(f"\n{count} notes, {text_bytes / 1e6:.0f} MB of text, {rounds} rounds; index {selene.ready['index_mb']:.0f} MB, "
          f"built in {selene.ready['build_ms'] / 1e3:.1f} s\n")
    print("| pattern | notes | plan | selene ms | sqlite ms | ratio |\n|---|---:|---|---:|---:|---:|")
    worst = 0
    for name, _ in PATTERNS + QUERIES:
        mine, other = statistics.median(ours[name]), statistics.median(theirs[name])
        found, expected = counts[name]
        assert expected is None or found == expected, f"{name}: selene finds {found}, SQLite {expected}"
        peer = "FTS5 " if expected is None else ""
        if count == 100_000 and expected is not None:
            worst = max(worst, mine / other)
        print(f"| {name} | {found} | {plans[name]} | {mine:.2f} | {peer}{other:.2f} | {mine / other:.3f} |")
    if count == 100_000:
        report("keywords.slowest_of_sqlite", worst)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", nargs="*", type=int, default=[10_000, 100_000], help="numbers of notes")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for count in options.notes:
        measure(BIN / "KeywordBench", count, options.rounds)


if __name__ == "__main__":
    main()
