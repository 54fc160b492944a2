#!/usr/bin/env python3
"""Ideas for better rankings from the same vectors, on BEIR collections with stored vectors: what each adds to nDCG@10.

    bench.py ideas COLLECTION... [--books SET... --embed URL]

A model of the hybrid search: cosine and BM25 (k1 0.9, b 0.4, English stems, title and text), 200 candidates of each leg, fused
half and half over min-max scores. Each idea changes one thing. An idea is worth building when one setting adds 0.010 on
average and takes no more than 0.005 from any collection. `selene eval` decides about what is built. The last table chooses a
setting without each collection in turn. Sets of questions about books are shown beside the collections and have no part in
the choice: an Ollama API with all-minilm embeds them.
"""
import argparse
import collections
import functools
import json
import math
import pathlib
import re

import numpy
import snowballstemmer

import book_sets

DEPTH, K1, B = 200, 0.9, 0.4
STEM = functools.cache(snowballstemmer.stemmer("english").stemWord)


def stems(text):
    return [STEM(word) for word in re.findall(r"[^\W_]+", text.lower())]


class Collection:
    def __init__(self, folder):
        self.name = folder.name

        def vectors(name):
            ids = [one for one in (folder / f"{name}_ids.txt").read_text().split("\n") if one]
            return dict(zip(ids, numpy.load(folder / f"minilm_{name}.npy").astype("float32")))

        documents, queries = vectors("docs"), vectors("queries")
        corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
        # Ties go by the reversed id, since collections often list relevant documents first.
        corpus.sort(key=lambda one: one["_id"][::-1])
        self.ids = [one["_id"] for one in corpus]
        self.matrix = numpy.stack([documents[one] for one in self.ids])
        self._read([stems(one.get("title", "")) for one in corpus],
                   [stems(one.get("title", "") + " " + one["text"]) for one in corpus])
        self.grades = collections.defaultdict(dict)
        for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]:
            query, document, grade = line.split("\t")
            self.grades[query][document] = int(grade)
        lines = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
        self.queries = [(one["_id"], stems(one["text"]), queries[one["_id"]])
                        for one in lines if one["_id"] in self.grades]

    @classmethod
    def of_books(cls, folder, options):
        """A set of questions about books, embedded by an Ollama API."""
        data = cls.__new__(cls)
        data.name = folder.name
        texts, places = book_sets.documents(folder)
        questions = book_sets.questions(folder, places)
        data.ids = [str(number) for number in range(len(texts))]
        data.matrix = book_sets.vectors(texts, options.embed, options.model, options.cache)
        data._read([[] for _ in texts], [stems(text) for text in texts])
        data.grades = {name: grades for name, _, grades in questions}
        rows = book_sets.vectors([text for _, text, _ in questions], options.embed, options.model, options.cache)
        data.queries = [(name, stems(text), row) for (name, text, _), row in zip(questions, rows)]
        return data

    def _read(self, titles, texts):
        self.titles, self.texts = titles, texts
        self.lengths = numpy.array([len(text) for text in self.texts], "float32")
        self.norms = K1 * (1 - B + B * self.lengths / self.lengths.mean())
        self.counts = [collections.Counter(text) for text in self.texts]
        self.postings = self._postings(self.counts)
        self.in_titles = self._postings([collections.Counter(title) for title in self.titles])
        self.legs = {}

    @staticmethod
    def _postings(counts):
        held = collections.defaultdict(lambda: ([], []))
        for number, count in enumerate(counts):
            for term, times in count.items():
                held[term][0].append(number)
                held[term][1].append(times)
        return {term: (numpy.array(a), numpy.array(b, "float32")) for term, (a, b) in held.items()}

    def idf(self, term):
        holders = len(self.postings[term][0]) if term in self.postings else 0
        return math.log(1 + (len(self.ids) - holders + 0.5) / (holders + 0.5))

    def words(self, weights, title=0.0, rows=None):
        """BM25 of weighted terms; `title` adds occurrences for a term in the title, `rows` leaves out all others."""
        scores = numpy.zeros(len(self.ids), "float32")
        for term, weight in weights.items():
            if term not in self.postings:
                continue
            places, times = self.postings[term]
            if title and term in self.in_titles:
                extra = numpy.zeros(len(self.ids), "float32")
                extra[self.in_titles[term][0]] = title
                times = times + extra[places]
            scores[places] += weight * self.idf(term) * times * (K1 + 1) / (times + self.norms[places])
        if rows is not None:
            mask = numpy.zeros(len(self.ids), bool)
            mask[rows] = True
            scores[~mask] = 0
        return scores

    def ndcg(self, query, ranked):
        grades = self.grades[query]
        gain = sum(max(grades.get(self.ids[row], 0), 0) / math.log2(place + 2) for place, row in enumerate(ranked[:10]))
        best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:10]
        ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(best))
        return gain / ideal if ideal else 0


def leg(scores, positive=False, floor=None):
    """The candidates of a leg, above a floor, with their min-max scores."""
    rows = numpy.argpartition(-scores, DEPTH)[:DEPTH]
    rows = rows[numpy.lexsort((rows, -scores[rows]))]
    floor = 0 if positive else floor
    rows = rows if floor is None else rows[scores[rows] > floor]
    own = scores[rows]
    spread = own.max() - own.min() if len(own) else 0
    return rows, (own - own.min()) / spread if spread else numpy.ones(len(rows), "float32")


def fused(vector, keyword, alpha=0.5):
    """The documents of both legs with their scores, best first; ties by number."""
    rows = numpy.union1d(vector[0], keyword[0])
    total = numpy.zeros(len(rows))
    for (own, shares), weight in ((vector, alpha), (keyword, 1 - alpha)):
        total[numpy.searchsorted(rows, own)] += weight * shares
    order = numpy.argsort(-total, kind="stable")
    return list(zip(rows[order].tolist(), total[order].tolist()))


def plain(data, terms, vector):
    """Both legs as they are; kept, since every idea begins with them."""
    key = vector.tobytes()
    if key not in data.legs:
        data.legs[key] = leg(data.matrix @ vector), leg(data.words(collections.Counter(terms)), True)
    return data.legs[key]


def baseline(data, terms, vector):
    return fused(*plain(data, terms, vector))


def rocchio(count, share):
    def run(data, terms, vector):
        first, keyword = plain(data, terms, vector)
        best = [row for row, _ in fused(first, keyword)[:count]]
        moved = vector + share * data.matrix[best].mean(0)
        return fused(leg(data.matrix @ (moved / numpy.linalg.norm(moved))), keyword)
    return run


def expansion(data, best, kind, size):
    """Weights of the terms of some documents: RM3's relevance model or Bo1's divergence, the greatest one 1."""
    weights = collections.Counter()
    if kind == "rm3":
        whole = sum(score for _, score in best) or 1
        for row, score in best:
            for term, times in data.counts[row].items():
                weights[term] += score / whole * times / max(1, data.lengths[row])
        for term in weights:
            weights[term] *= data.idf(term)
    else:
        for row, _ in best:
            weights.update(data.counts[row])
        for term, times in weights.items():
            rate = data.postings[term][1].sum() / len(data.ids)
            weights[term] = times * math.log2((1 + rate) / rate) + math.log2(1 + rate)
    top = weights.most_common(size)
    return {term: weight / top[0][1] for term, weight in top} if top else {}


def feedback(kind, count, size, share, moves=0.0, within=False):
    """Expands the words and moves the vector. `within` scores only the candidates of both legs again, without another
    pass over all documents."""
    def run(data, terms, vector):
        first, keyword = plain(data, terms, vector)
        best = fused(first, keyword)[:count]
        weights = collections.Counter(terms)
        for term, weight in expansion(data, best, kind, size).items():
            weights[term] += share * weight
        if moves:
            moved = vector + moves * data.matrix[[row for row, _ in best]].mean(0)
        if within:
            rows = numpy.union1d(first[0], keyword[0])
            known = data.words(weights, rows=rows)
            cosines = numpy.full(len(data.ids), -1, "float32")
            cosines[rows] = data.matrix[rows] @ (moved / numpy.linalg.norm(moved) if moves else vector)
            return fused(leg(cosines, floor=-1), leg(known, True))
        if moves:
            first = leg(data.matrix @ (moved / numpy.linalg.norm(moved)))
        return fused(first, leg(data.words(weights), True))
    return run


STOPS = frozenset(map(STEM, """
a about after all also am an and any are as at be because been before being between both but by can could did do does doing down
during each few for from further had has have having he her here hers him his how i if in into is it its itself just me more most
my no nor not now of off on once only or other our out over own same she should so some such than that the their them then there
these they this those through to too under until up us very was we were what when where which while who whom why will with would
you your""".split()))


def guarded(share, moves, least=4, full=12, count=5, size=20, most=0.4, holders=2):
    """What is built in: both legs of the candidates again, without stop words. Words that fewer than `holders` of the documents
    have are left out, all added words together weigh at most `share` of the question's, and a question of up to `least` words
    gets no feedback, one of `full` words all of it."""
    def run(data, terms, vector):
        terms = [term for term in terms if term not in STOPS] or terms
        key = (vector.tobytes(), "without stops")
        if key not in data.legs:
            data.legs[key] = leg(data.matrix @ vector), leg(data.words(collections.Counter(terms)), True)
        first, keyword = data.legs[key]
        best = fused(first, keyword)[:count]
        strength = min(1, max(0, (len(set(terms)) - least) / (full - least)))
        if not strength or not len(keyword[0]):
            return fused(first, keyword)
        times, held = collections.Counter(), collections.Counter()
        for row, _ in best:
            times.update(data.counts[row])
            held.update(data.counts[row].keys())
        chosen = collections.Counter()
        for term in times:
            if held[term] >= holders and term not in STOPS and len(term) > 2:
                rate = len(data.postings[term][0]) / len(data.ids)
                chosen[term] = times[term] * math.log2((1 + rate) / rate) + math.log2(1 + rate)
        chosen = sorted(chosen.items(), key=lambda one: (-one[1], one[0]))[:size]
        weights = collections.Counter(terms)
        if chosen:
            whole = sum(weight for _, weight in chosen) / chosen[0][1]
            scale = strength * min(most, share * len(terms) / whole)
            for term, weight in chosen:
                weights[term] += scale * weight / chosen[0][1]
        rows = numpy.union1d(first[0], keyword[0])
        moved = vector + moves * strength * data.matrix[[row for row, _ in best]].mean(0)
        cosines = numpy.full(len(data.ids), -1, "float32")
        cosines[rows] = data.matrix[rows] @ (moved / numpy.linalg.norm(moved))
        return fused(leg(cosines, floor=-1), leg(data.words(weights, rows=rows), True))
    return run


def shapes(kind, strength):
    """The weight of each leg from how its own best scores stand out."""
    def certainty(shares):
        if len(shares) < 11:
            return 0.5
        return {"gap": shares[0] - shares[10], "mean": 1 - shares[:50].mean(), "spread": shares[:50].std() * 2}[kind]

    def run(data, terms, vector):
        first, keyword = plain(data, terms, vector)
        a, b = float(certainty(first[1])), float(certainty(keyword[1]))
        return fused(first, keyword, min(0.9, max(0.1, 0.5 + strength * (a - b))))
    return run


def proximity(strength):
    """Tao and Zhai (SIGIR 2007): ln(1 + exp(-d)) of the least distance d of two different terms, for the best 100."""
    def run(data, terms, vector):
        scores = data.words(collections.Counter(terms))
        wanted = set(terms)
        for row in numpy.argsort(-scores, kind="stable")[:100]:
            least, last = math.inf, None
            for place, term in enumerate(data.texts[row]):
                if term in wanted and data.idf(term) > 1:
                    if last and last[1] != term:
                        least = min(least, place - last[0])
                    last = (place, term)
            scores[row] += strength * math.log(1 + math.exp(-least)) if scores[row] else 0
        return fused(leg(data.matrix @ vector), leg(scores, True))
    return run


def titles(extra):
    def run(data, terms, vector):
        return fused(leg(data.matrix @ vector), leg(data.words(collections.Counter(terms), extra), True))
    return run


IDEAS = [("nothing", baseline)]
IDEAS += [(f"Rocchio, {k} documents, {b}", rocchio(k, b)) for k in (1, 3, 5, 10) for b in (0.2, 0.5, 1.0)]
IDEAS += [(f"{name}, {k} documents, {n} terms, {s}", feedback(name, k, n, s))
          for name in ("rm3", "bo1") for k in (3, 10) for n in (10, 30) for s in (0.2, 0.5)]
IDEAS += [(f"Rocchio {m} and {name}, {k} documents, 20 terms, {s}", feedback(name, k, 20, s, m))
          for name in ("rm3", "bo1") for k in (3, 5) for s in (0.2, 0.4) for m in (0.5,)]
IDEAS += [(f"candidates again, Rocchio {m} and {name}, {k} documents, {n} terms, {s}", feedback(name, k, n, s, m, True))
          for name in ("rm3", "bo1") for k in (5, 10) for n in (20, 30) for s in (0.2, 0.4) for m in (0.3, 0.5)]
IDEAS += [("no stop words", guarded(0, 0, least=99, full=100))]
IDEAS += [(f"guarded, words {a}, mean {b}, {c} to {d} words", guarded(a, b, c, d))
          for a in (0.1, 0.2) for b in (0.3, 0.5) for c, d in ((0, 1), (4, 12))]
IDEAS += [(f"weights by {kind}, {s}", shapes(kind, s)) for kind in ("gap", "mean", "spread") for s in (0.25, 0.5, 1.0)]
IDEAS += [(f"proximity, {s}", proximity(s)) for s in (0.5, 1.0, 2.0)]
IDEAS += [(f"{n} more occurrences in the title", titles(n)) for n in (1, 2, 4)]


def details(sets, figures, before):
    """The 95% interval of each collection's change (bootstrap over queries), and the change of both halves of the queries."""
    random = numpy.random.default_rng(7)
    parts = []
    for data, one, old in zip(sets, figures, before):
        change = one - old
        means = change[random.integers(0, len(change), (2000, len(change)))].mean(1)
        low, high = numpy.percentile(means, [2.5, 97.5])
        parts.append(f"{data.name} {low:+.3f} to {high:+.3f}, halves {change[::2].mean():+.3f} and {change[1::2].mean():+.3f}")
    print(f"| | {'; '.join(parts)} |", flush=True)


def left_out(sets, changes):
    """What a setting adds to a collection that had no part in choosing it: the best on the others that takes at most 0.005
    from any of them, for each collection in turn."""
    print("\n| left out | chosen on the others | adds there | adds to the one left out |\n|---|---|---:|---:|")
    kept = []
    for place, data in enumerate(sets):
        others = {name: [one for at, one in enumerate(own) if at != place] for name, own in changes.items()}
        allowed = [name for name, own in others.items() if min(own) >= -0.005]
        if not allowed:
            print(f"| {data.name} | none | | |")
            kept.append(0.0)
            continue
        best = max(allowed, key=lambda name: sum(others[name]))
        kept.append(changes[best][place])
        mean = sum(others[best]) / len(others[best])
        print(f"| {data.name} | {best} | {mean:+.4f} | {kept[-1]:+.4f} |")
    print(f"| mean | | | {sum(kept) / len(kept):+.4f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="bench.py ideas", description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="+", type=pathlib.Path)
    parser.add_argument("--only", default="", help="ideas whose name has this text")
    parser.add_argument("--books", nargs="*", default=[], type=pathlib.Path, help="sets of questions about books")
    parser.add_argument("--embed", default="http://127.0.0.1:11434", help="the Ollama API that embeds the books")
    parser.add_argument("--model", default="all-minilm", help="its model")
    parser.add_argument("--cache", default=".build/ideas", help="a folder for the vectors")
    options = parser.parse_args()
    sets = [Collection(folder) for folder in options.collections]
    judged = len(sets)
    sets += [Collection.of_books(folder, options) for folder in options.books]
    names = " | ".join(data.name for data in sets)
    print(f"| idea | {names} | mean | worst | |\n|---|{'---:|' * (len(sets) + 2)}---|")
    base, first_figures = None, None
    all_changes = {}
    for name, run in IDEAS:
        if name != "nothing" and options.only not in name:
            continue
        figures = [numpy.array([data.ndcg(query, [row for row, _ in run(data, terms, vector)])
                                for query, terms, vector in data.queries]) for data in sets]
        means = [one.mean() for one in figures]
        base = base or means
        first_figures = figures if name == "nothing" else first_figures
        changes = [one - old for one, old in zip(means, base)]
        if name == "nothing":
            print(f"| nothing | {' | '.join(f'{one:.4f}' for one in means)} | | | |", flush=True)
            continue
        own = changes[:judged]
        all_changes[name] = [float(one) for one in own]
        adopted = sum(own) / len(own) >= 0.010 and min(changes) >= -0.005
        print(f"| {name} | {' | '.join(f'{one:+.4f}' for one in changes)} | {sum(own) / len(own):+.4f} | "
              f"{min(changes):+.4f} | {'passes' if adopted else ''} |", flush=True)
        if adopted:
            details(sets, figures, first_figures)
    if judged > 1 and all_changes:
        left_out(sets[:judged], all_changes)


if __name__ == "__main__":
    main()
