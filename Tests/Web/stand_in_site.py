"""The client's files with the headers that the gateway sends."""

import functools
import gzip
import hashlib
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2] / "Sources/Features/Web/Site"
CSP = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; "
       "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker")
TYPES = {".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".png": "image/png",
         ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}


def bare(name, body):
    """Scripts and styles without comments that begin a line, blank lines and indentation, as the gateway serves them; scripts without types, too."""
    if not name.endswith((".js", ".css")):
        return body
    lines, is_comment = [], False
    for line in body.split(b"\n"):
        if is_comment:
            _, ended, line = line.partition(b"*/")
            is_comment = not ended
        line = line.lstrip(b" \t")
        while not is_comment and line.startswith(b"/*"):
            _, ended, line = line[2:].partition(b"*/")
            is_comment, line = not ended, line.lstrip(b" \t")
        if line and not is_comment and not (name.endswith(".js") and line.startswith(b"//")):
            lines.append((re.sub(rb"/\*\* @.*?\*/ ?", b"", line) if name.endswith(".js") else line) + b"\n")
    return b"".join(lines)


class Site:
    def __init__(self):
        found = {str(path.relative_to(ROOT)): path.read_bytes() for path in sorted(ROOT.rglob("*")) if path.is_file()}
        self.files = {name: bare(name, body) for name, body in found.items()}
        self.hash = hashlib.sha256(b"".join(name.encode() + body for name, body in self.files.items())).hexdigest()[:16]
        self.is_off = False

    @staticmethod
    @functools.cache
    def packed(body):
        return gzip.compress(body, 6, mtime=0)

    def find(self, path, accept):
        if path == "/" and "text/html" not in accept:
            return b"Ollama is running", "text/plain", "no-cache"
        name = {"/": "index.html", "/sw.js": "sw.js", "/app.webmanifest": "app.webmanifest"}.get(path)
        if name:
            version = "off" if self.is_off and name == "sw.js" else self.hash
            return self.files[name].replace(b"{{hash}}", version.encode()), TYPES[pathlib.Path(name).suffix], "no-cache"
        name = path.removeprefix(f"/app/{self.hash}/")
        if name == path or name not in self.files:
            return None
        return self.files[name], TYPES[pathlib.Path(name).suffix], "public, max-age=31536000, immutable"
