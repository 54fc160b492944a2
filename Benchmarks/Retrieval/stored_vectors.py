"""An Ollama API with one model, whose vectors are those that a collection has stored.

Texts of the collection get their own vector. A passage of a document gets the document's vector, and a part of a
question, which `analyze` sends without its days, that of the question with the fewest other words. Any other text is
refused, so that no figure rests on a vector of something else.
"""
import hashlib
import http.server
import json
import re
import threading

import numpy

MODEL = "stored"


def words(text):
    return tuple(re.findall(r"\w+", text.lower()))


class StoredVectors:
    """The server; a context that stops it."""

    def __init__(self, collection):
        documents = self._rows(collection, "docs")
        queries = self._rows(collection, "queries")
        self.vectors, self.queries, self.passages = {}, [], []
        for line in (collection / "corpus.jsonl").read_text().splitlines():
            one = json.loads(line)
            vector = documents[one["_id"]]
            title, text = one.get("title", ""), one["text"]
            for form in (f"{title}\n{text}", f"{title} {text}", text):
                self.vectors.setdefault(words(form), vector)
            self.passages.append(("".join(words(f"{title} {text}")), vector))
        for line in (collection / "queries.jsonl").read_text().splitlines():
            one = json.loads(line)
            if one["_id"] in queries:
                self.vectors[words(one["text"])] = queries[one["_id"]]
                self.queries.append((set(words(one["text"])), queries[one["_id"]]))
        self.shortened = 0
        handler = type("Handler", (Handler,), {"vectors": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    @staticmethod
    def _rows(collection, name):
        ids = (collection / f"{name}_ids.txt").read_text().split("\n")
        rows = numpy.load(collection / f"minilm_{name}.npy").astype("float32")
        return dict(zip([one for one in ids if one], rows))

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def vector(self, text):
        """The vector of a text; None for one that is not the collection's."""
        own = words(text)
        known = self.vectors.get(own)
        if known is not None or not own:
            return known
        # A passage repeats the title, and may begin and end within a word.
        title, _, rest = text.partition("\n")
        title, rest = "".join(words(title)), "".join(words(rest))
        for whole, vector in self.passages:
            if "".join(own) in whole or (rest and whole.startswith(title) and rest in whole):
                return vector
        longer = [(len(whole), number) for number, (whole, _) in enumerate(self.queries) if whole >= set(own)]
        if not longer:
            return None
        self.shortened += 1
        return self.queries[min(longer)[1]][1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    digest = hashlib.sha256(MODEL.encode()).hexdigest()

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        name = f"{MODEL}:latest"
        details = {"family": "bert", "families": ["bert"], "format": "gguf", "parameter_size": "23M",
                   "quantization_level": "F16", "parent_model": ""}
        if self.path == "/api/version":
            return self.reply(200, {"version": "0.12.0"})
        if self.path in ("/api/tags", "/api/ps"):
            return self.reply(200, {"models": [
                {"name": name, "model": name, "digest": self.digest, "size": 1, "details": details,
                 "modified_at": "2026-01-01T00:00:00Z"}]})
        return self.reply(404, {"error": "not found"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path == "/api/show":
            return self.reply(200, {"details": {"family": "bert", "format": "gguf"}, "capabilities": ["embedding"],
                                    "model_info": {"general.architecture": "bert", "bert.embedding_length": 384,
                                                   "bert.context_length": 8192}})
        if self.path != "/api/embed":
            return self.reply(404, {"error": "not found"})
        texts = body.get("input", [])
        texts = [texts] if isinstance(texts, str) else texts
        rows = [self.vectors.vector(text) for text in texts]
        if any(row is None for row in rows):
            return self.reply(400, {"error": "a text is not of the collection"})
        return self.reply(200, {"model": body.get("model", MODEL), "embeddings": [row.tolist() for row in rows]})
