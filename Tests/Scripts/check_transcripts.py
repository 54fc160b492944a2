#!/usr/bin/env python3
"""Runs every transcript of README.md and Documentation/ against a live gateway and compares the output. Looks also for
links, in these and in the other documents, to files and headings that do not exist.

A block ```console … ``` holds commands, on lines that begin with `$ `, and their expected output. `…` in an expected
line matches any text, including line ends. Each file gets its own scratch folder, database and synthetic Ollama. The
line `selene serve &` starts a gateway on port 5678.

A comment `<!-- prepare: WORD … -->` runs preparations that readers do not need to see, in order: notes (a folder with
two notes), vault (a folder as Obsidian has it), book (a short book), collection (a judged collection), ingest, backfill,
serve.

    check_transcripts.py [FILE …]
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / ".build" / os.environ.get("CONFIGURATION", "debug")
GATEWAY, OLLAMA = 5678, 11999


def steps(text):
    """Yields a file's preparations ("prepare", words) and commands ("run", command, expected lines), in order."""
    for found in re.finditer(r"^<!-- prepare: (.*?) -->$|^```console\n(.*?)^```", text, re.S | re.M):
        if found[1]:
            yield "prepare", found[1].split(), None
            continue
        command, expected = None, []
        for line in found[2].splitlines():
            if line.startswith("$ "):
                if command:
                    yield "run", command, expected
                command, expected = line[2:], []
            elif command and command.endswith("\\"):
                command = command[:-1] + line.strip()
            else:
                expected.append(line)
        if command:
            yield "run", command, expected


def pattern(lines):
    """A regular expression for the expected lines; `…` matches any text."""
    text = "\n".join(lines).strip()
    return re.compile(r"\s*" + re.escape(text).replace("…", "(?s:.*?)") + r"\s*\Z")


def wait_for(port, seconds=15):
    end = time.time() + seconds
    while time.time() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


class Scene:
    """A scratch folder with a synthetic Ollama and, once started, a gateway."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="selene-transcripts-"))
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("SELENE_")},
            "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(self.folder),
            "OLLAMA_HOST": f"http://127.0.0.1:{OLLAMA}", "SELENE_LOG_LEVEL": "error", "SELENE_WORKFLOWS": "off", "NO_COLOR": "1", "TERM": "dumb",
        }
        self.processes = []
        # The models in the transcripts have 768 dimensions.
        self.start([BIN / "fake-ollama", "--port", str(OLLAMA), "--tokens-per-second", "0", "--tokens", "3",
                    "--dimensions", "768"], OLLAMA)
        pull = urllib.request.Request(f"http://127.0.0.1:{OLLAMA}/api/pull", b'{"model": "embeddinggemma"}')
        urllib.request.urlopen(pull, timeout=10).read()
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, command, port):
        self.processes.append(subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_for(port)

    def run(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True,
                              text=True, timeout=120)

    def prepare(self, word):
        if word == "notes":
            self.write("notes/2026-03-14 spring tide.md",
                       "---\ntype: reference\nthreads: [Tide gauge]\n---\n"
                       "The greatest range comes a day and a half after full moon.\n")
            self.write("notes/sourdough.md",
                       "---\ntitle: Sourdough\ndate: 2026-03-15\ntype: task\n---\n"
                       "Feed the starter tonight, 80% hydration.\n")
        elif word == "vault":
            self.write("Vault/.obsidian/app.json", "{}\n")
            self.write("Vault/Daily/2026-08-16.md",
                       "The electrician wants 76 mm² cable, see [[House]]. #house\n\n- [ ] order the cable\n")
            self.write("Vault/Diary.md", "---\ntags: [private]\n---\nSlept badly before the exam.\n")
            self.write("Vault/House.md",
                       "---\naliases: [Home]\ntags: [house]\n---\nThe fuse box is in the cellar.\n")
            self.write("Vault/Templates/Daily.md", "# {{title}}\n\nWhat was good today?\n")
            self.write("Vault/plan.png", "no picture\n")
        elif word == "book":
            self.write("gull.md",
                       "# The Gull\n\n## The lamp\n\nAnna Brandt lit the lamp at nine. The gull had not come back.\n\n"
                       "## The gauge\n\nIn May the harbour gauge stopped. Otto Weiss repaired it with a spoon.\n")
        elif word == "collection":
            texts = {"a": "spring tides at full moon", "b": "bread with a long rise", "c": "the moon pulls the sea",
                     "d": "a cello"}
            self.write("collection/corpus.jsonl",
                       "".join(f'{{"_id": "{k}", "title": "", "text": "{v}"}}\n' for k, v in texts.items()))
            self.write("collection/queries.jsonl",
                       '{"_id": "1", "text": "moon and tides"}\n{"_id": "2", "text": "baking bread"}\n')
            self.write("collection/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tc\t1\n2\tb\t1\n")
        elif word == "serve":
            self.start(["selene", "serve"], GATEWAY)
        elif word in ("ingest", "backfill"):
            done = self.run("selene ingest notes" if word == "ingest" else "selene backfill")
            if done.returncode:
                raise SystemExit(f"cannot prepare {word}: {done.stderr}")
        else:
            raise SystemExit(f"unknown preparation {word!r}")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def check(path):
    """Runs one file; returns the numbers of commands and of failures."""
    found = list(steps(path.read_text()))
    if not any(kind == "run" for kind, *_ in found):
        return 0, 0
    ran = failures = 0
    with Scene() as scene:
        for kind, what, expected in found:
            if kind == "prepare":
                for word in what:
                    scene.prepare(word)
            elif what.endswith("&"):
                scene.start(what[:-1].split(), GATEWAY)
            else:
                result = scene.run(what)
                ran += 1
                if what.startswith("selene keys"):
                    time.sleep(0.3)  # a running server applies a new key within 250 ms
                if not pattern(expected).match(result.stdout):
                    failures += 1
                    print(f"{path.relative_to(ROOT)} differs: $ {what}\n--- expected\n" + "\n".join(expected)
                          + f"\n--- got (exit {result.returncode})\n{result.stdout}{result.stderr}", file=sys.stderr)
    return ran, failures


def headings(path):
    """The anchors of a document's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    found = set()
    for title in re.findall(r"^#+ (.*)$", text, re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = 1
        while f"{anchor}-{number}" in found:
            number += 1
        found.add(f"{anchor}-{number}" if anchor in found else anchor)
    return found


def broken_links(path):
    """Yields links to files and headings that do not exist."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text(), flags=re.S | re.M)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
        file = path.parent / target if target else path
        if not file.exists():
            print(f"{path.relative_to(ROOT)}: there is no {target}", file=sys.stderr)
            yield target
        elif anchor and file.suffix == ".md" and anchor not in headings(file):
            print(f"{path.relative_to(ROOT)}: {target} has no heading for #{anchor}", file=sys.stderr)
            yield f"{target}#{anchor}"


def main():
    files = [pathlib.Path(f).resolve() for f in sys.argv[1:]]
    everything = not files
    files = files or [ROOT / "README.md", *sorted((ROOT / "Documentation").rglob("*.md"))]
    others = [*ROOT.glob("*.md"), *(ROOT / "Benchmarks").rglob("*.md")] if everything else []
    ran = failures = 0
    for path in {*files, *others}:
        failures += len(list(broken_links(path)))
    for path in files:
        more, failed = check(path)
        ran, failures = ran + more, failures + failed
    print(f"{ran - failures} passed, {failures} failed")
    sys.exit(1 if failures or not ran else 0)


if __name__ == "__main__":
    main()
