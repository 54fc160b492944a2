#!/usr/bin/env python3
"""Compares Selene's keyword leg with tantivy in one run: eight words of a note, any may match.

Both have the same notes and get the same queries by turns. tantivy stems as Selene does, has one segment, returns the
ten best without counting, and knows no parts of words. Selene runs from its index file, in four ways: each scorer's ten
best (`bm25` looks for stems as tantivy does, `both` is the default and looks for parts of words, too), and the 200
candidates that a hybrid search takes from each leg. Wall time includes the hand-over between threads; CPU time is that of
the whole process. The medians of several rounds count for each query.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import tantivy

from lib.environment import BIN
from lib.figures import report
from lib.notes import notes

#: Name, scorer and number of best documents.
OURS = [("bm25, 10", "best bm25 1 10"), ("both, 10", "best both 1 10"),
        ("bm25, 200", "question bm25 1 10"), ("both, 200", "question both 1 10")]


class Tantivy:
    def __init__(self, folder, rows):
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field("id", stored=True, indexed=False)
        builder.add_text_field("body", stored=False, tokenizer_name="en_stem")
        is_new = not folder.exists()
        folder.mkdir(exist_ok=True)
        index = tantivy.Index(builder.build(), path=str(folder))
        started = time.perf_counter()
        if is_new:
            writer = index.writer(400_000_000, 1)
            for row in rows:
                writer.add_document(tantivy.Document(id=row["id"], body=[row["title"], row["content"]]))
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
        self.seconds = time.perf_counter() - started
        self.index, self.searcher = index, index.searcher()

    def ask(self, text, count):
        wall, cpu = time.perf_counter(), time.process_time()
        query = self.index.parse_query(text, ["body"])
        self.searcher.search(query, count, count=False)
        return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3


class Selene:
    def __init__(self, binary, rows, file):
        self.process = subprocess.Popen(
            [binary, rows, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = json.loads(self.process.stdout.readline().removeprefix("ready "))

    def ask(self, command, text):
        self.process.stdin.write(f"{command} {text}\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        return reply["ms"][0], reply["cpu_ms"][0], reply["resident_mb"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def written(path, count):
    """Writes notes a line each, unless they are there."""
    if not path.exists():
        partial = path.with_suffix(".new")
        with partial.open("w") as file:
            file.writelines(json.dumps(row) + "\n" for row in notes(count, random.Random(11)))
        partial.rename(path)


def read(path):
    with path.open() as file:
        yield from map(json.loads, file)


def queries(path, count, wanted):
    """Eight words each of some notes."""
    choice = random.Random(5)
    asked = set(choice.sample(range(count), wanted))
    found = []
    with path.open() as file:
        for number, line in enumerate(file):
            if number in asked:
                words = sorted({word for word in json.loads(line)["content"].split() if word.isalpha()})
                found.append(" ".join(choice.sample(words, 8)))
    return found


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def measure(options, count):
    with tempfile.TemporaryDirectory() as folder:
        path = options.folder or pathlib.Path(folder)
        lines = path / f"notes-{count}.jsonl"
        written(lines, count)
        texts = queries(lines, count, options.queries)
        peer = Tantivy(path / f"tantivy-{count}", read(lines))
        selene = Selene(options.binary, str(lines), str(path / f"selene-{count}.index"))
        contestants = {"tantivy, 10": lambda text: peer.ask(text, 10), "tantivy, 200": lambda text: peer.ask(text, 200)}
        for name, command in OURS:
            contestants[name] = lambda text, command=command: selene.ask(command, text)
        # By contestant: for each query the wall times and the CPU times of all rounds.
        times = {name: [([], []) for _ in texts] for name in contestants}
        resident = 0
        for round in range(options.rounds + 1):
            for number, text in enumerate(texts):
                for name, ask in contestants.items():
                    wall, cpu, *rest = ask(text)
                    resident = max([resident] + rest)
                    # The first round warms caches on both sides.
                    if round > 0:
                        times[name][number][0].append(wall)
                        times[name][number][1].append(cpu)
        selene.close()
        print(f"\n{count:,} notes, {len(texts)} queries, {options.rounds} rounds. Index built: Selene "
              f"{selene.ready['build_ms'] / 1e3:.0f} s, {selene.ready['index_mb']:.0f} MB with the text; tantivy "
              f"{peer.seconds:.0f} s without the text, {peer.searcher.num_segments} segments. Selene's memory that is "
              f"not the mapped file, at most {resident:.0f} MB.\n")
    print("| | wall p50 ms | p99 | CPU p50 ms | p99 | of tantivy's wall p50 | of its CPU p50 |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    medians = {}
    for name, pairs in times.items():
        wall, cpu = ([statistics.median(pair[kind]) for pair in pairs] for kind in (0, 1))
        medians[name] = (quantile(wall, 0.5), quantile(cpu, 0.5))
        base = medians["tantivy, " + name.split(", ")[1]]
        ratios = "" if name.startswith("tantivy") else " | ".join(
            f"{mine / other:.2f}" for mine, other in zip(medians[name], base))
        print(f"| {name} best | {medians[name][0]:.2f} | {quantile(wall, 0.99):.2f} | {medians[name][1]:.2f} "
              f"| {quantile(cpu, 0.99):.2f} | {ratios or '1 | 1'} |")
    (wall, cpu), base = medians["both, 10"], medians["tantivy, 10"]
    if count in (100_000, 1_000_000):
        report(f"words.of_tantivy_{count}", wall / base[0])
        report(f"words.cpu_of_tantivy_{count}", cpu / base[1])
    if count == 1_000_000:
        report("words.milliseconds", wall)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", nargs="*", type=int, default=[100_000, 1_000_000], help="numbers of notes")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path, help="keeps notes and indexes there, and uses those of before")
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "KeywordBench", help="another KeywordBench")
    options = parser.parse_args()
    for count in options.notes:
        measure(options, count)


if __name__ == "__main__":
    main()
