"""Question sets about books as collections for `ideas`: sections or short passages are the documents."""
import collections
import hashlib
import json
import pathlib
import re
import urllib.request

import numpy

SENTENCE = re.compile(r"\S.*?(?:[.!?][\"'”’)\]]*(?=\s|$)|\n\s*\n|$)", re.DOTALL)
SIZE, OVERLAP = 600, 120


def passages(data):
    """Byte ranges of whole sentences, at most 600 bytes where sentences allow it, with 120 bytes of overlap."""
    text = data.decode()
    places = numpy.concatenate([[0], numpy.cumsum([len(one.encode()) for one in text])])
    sentences = [(int(places[one.start()]), int(places[one.end()]))
                 for one in SENTENCE.finditer(text) if one.group().strip()]
    found, first = [], 0
    while first < len(sentences):
        last = first
        while last + 1 < len(sentences) and sentences[last + 1][1] - sentences[first][0] <= SIZE:
            last += 1
        found.append((sentences[first][0], sentences[last][1]))
        if last + 1 == len(sentences):
            break
        after = last + 1
        while after - 1 > first and sentences[last][1] - sentences[after - 1][0] <= OVERLAP:
            after -= 1
        first = after
    return found


def documents(folder):
    """The texts of a set, and their places: book, start, end."""
    sections = collections.defaultdict(list)
    if (folder / "sections.jsonl").exists() and not list((folder / "books").glob("*.epub")):
        for line in (folder / "sections.jsonl").read_text().splitlines():
            one = json.loads(line)
            sections[one["book"]].append((one["start"], one["end"]))
    texts, places = [], []
    for file in sorted((folder / "books").glob("*.txt")):
        data = file.read_bytes()
        for start, end in sections.get(file.stem) or passages(data):
            places.append((file.stem, start, end))
            texts.append(data[start:end].decode(errors="replace"))
    return texts, places


def questions(folder, places):
    """The questions, and the documents that hold at least half of a piece of evidence of each."""
    found = []
    for line in (folder / "questions.jsonl").read_text().splitlines():
        one = json.loads(line)
        grades = {}
        for evidence in one["evidence"]:
            length = evidence["end"] - evidence["start"]
            for number, (book, start, end) in enumerate(places):
                shared = min(end, evidence["end"]) - max(start, evidence["start"])
                if book == one["book"] and shared > 0 and 2 * shared >= length:
                    grades[str(number)] = 1
        found.append((one["id"], one["question"], grades))
    return found


def vectors(texts, url, model, cache):
    """Unit vectors of some texts from an Ollama API, kept in a folder."""
    file = pathlib.Path(cache) / (hashlib.sha1("\0".join([model, *texts]).encode()).hexdigest() + ".npy")
    if file.exists():
        return numpy.load(file)
    rows = []
    for start in range(0, len(texts), 32):
        body = json.dumps({"model": model, "input": texts[start:start + 32]}).encode()
        request = urllib.request.Request(f"{url}/api/embed", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            rows += json.load(answer)["embeddings"]
    matrix = numpy.array(rows, "float32")
    matrix /= numpy.linalg.norm(matrix, axis=1, keepdims=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    numpy.save(file, matrix)
    return matrix
