"""The stand-in's books: a small library, imports that go on step by step, and the routes of /api/books and /api/jobs."""

import json
import threading
import time
import urllib.parse
import zlib

from stand_in_runs import now

CHAPTERS = [
    ("The harbour", ["The harbour lies between two moles. At spring tide the water rises 4.1 m above datum, and the boats stand high against the quay.",
                     "Old Mr. Ødegård wrote each height into a book – “4,1 m bei Neumond”, as he put it – and the book was kept for forty years.",
                     "• ropes and fenders\n• a lead line\n• the lamp"]),
    ("The gauge", ["The gauge is a float in a pipe. It stuck once, in the frost of 1929, and for eleven days nobody knew the mea-\nsure of the sea.",
                   "What follows from this: a single instrument is no instrument. 潮汐は月が決める。The keeper bought a second float 🌊 that very spring."]),
    ("The storm", ["In the night of the storm both floats were torn away. The water rose to 5.3 m; it is the highest mark on the wall.",
                   "Nobody slept. In the morning the daughter read the mark, and her reading is the one we still use."]),
]
FILL = "The days were alike, and the entries in the book were short: wind, height, hour. "


def make_book(number, title, authors, pages, **more):
    """A book of so many pages: each chapter begins on a page of its own, the first four pages have roman numbers."""
    text, found, headings = "", [], []
    size = lambda: len(text.encode())
    roman = ["i", "ii", "iii", "iv"]
    for page in range(1, pages + 1):
        start, blocks = size(), []

        def add(kind, part, **extra):
            nonlocal text
            begin = size()
            text += part
            blocks.append({"kind": kind, "start": begin, "end": size(), **extra})
            text += "\n\n"

        label = roman[page - 1] if page <= 4 else str(page - 4)
        add("running_head", f"{title} · {label}")
        chapter = (page - 1) * len(CHAPTERS) // pages
        if page == 1 or (page - 2) * len(CHAPTERS) // pages != chapter:
            name, paragraphs = CHAPTERS[chapter]
            headings.append({"level": 1, "title": name, "page": page, "label": label, "start": size(), "end": 0})
            add("heading", name, level=1)
            for paragraph in paragraphs:
                if paragraph.startswith("•"):
                    for item in paragraph.split("\n"):
                        add("list_item", item)
                else:
                    add("paragraph", paragraph)
        add("paragraph", FILL * (2 + page % 4))
        add("footnote", f"1 Entry of day {page}.")
        found.append({"page": page, "label": label, "start": start, "end": size(), "blocks": blocks})
    for index, one in enumerate(headings):
        one["end"] = headings[index + 1]["start"] if index + 1 < len(headings) else size()
    book = {"id": number, "title": title, "authors": authors, "language": "en", "format": "pdf", "source": f"{title}.pdf", "state": "ready", "error": None, "bytes": 2_400_000,
            "text_bytes": size(), "pages": pages, "numbering": "labels", "passages": 40, "embedded": 40, "position": None, "is_private": False, "edition_of": None,
            "has_cover": False, "notices": [], "job": None, "added_at": now(), "updated_at": now(), **more}
    return {"book": book, "text": text, "pages": found, "headings": headings}


def picture(width=60, height=84):
    """A PNG of two colours."""
    rows = b"".join(b"\0" + bytes(value for x in range(width) for value in ((40, 70, 120) if y < height * 2 // 3 else (210, 190, 140))) for y in range(height))
    chunk = lambda name, data: len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Library:
    """Books by id, and their imports as jobs. `steps` are (state, done, total); an import waits at each for `gate`."""

    def __init__(self, has_samples):
        self.lock = threading.Condition()
        self.items, self.jobs, self.next_job, self.next_book = {}, {}, 40, 100
        self.files = {}
        self.fails = None
        self.gate = threading.Event()
        self.gate.set()
        if has_samples:
            for item in (make_book(1, "The Keeper of the Tides", ["Ingrid Ødegård"], 12, has_cover=True),
                         make_book(2, "A Second Book", [], 3, format="epub", is_private=True, numbering="physical"),
                         make_book(3, "كتاب البحر", ["ابن ماجد"], 2, format="text", language="ar", numbering="estimated")):
                self.items[item["book"]["id"]] = item
            for page in self.items[2]["pages"] + self.items[3]["pages"]:
                page["label"] = None

    def add(self, name, size, private):
        """An import: the file is read, then embedded."""
        with self.lock:
            self.next_book += 1
            self.next_job += 1
            item = make_book(self.next_book, name.rsplit(".", 1)[0], [], 4, is_private=private)
            book = item["book"]
            book.update(state="pending", pages=0, passages=0, embedded=0, job=self.next_job, bytes=size)
            self.items[book["id"]] = item
            self.begin(book)
        return book

    def begin(self, book):
        job = {"id": book["job"], "kind": "book_import", "state": "running", "done": 0, "total": 0, "failed": 0, "revision": 1, "created_at": now()}
        self.jobs[job["id"]] = job
        threading.Thread(target=self.play, args=(book, job), daemon=True).start()

    def play(self, book, job):
        def step(state, done, total, **more):
            self.gate.wait()
            with self.lock:
                book.update(state=state, **more)
                job.update(done=done, total=total, revision=job["revision"] + 1)
                self.lock.notify_all()
            time.sleep(0.05)
        step("parsing", 0, 4)
        if self.fails:
            with self.lock:
                book.update(state="failed", error=self.fails, job=None)
                job.update(state="failed", message=self.fails["error"], revision=job["revision"] + 1)
                self.lock.notify_all()
            return
        step("parsing", 2, 4)
        step("embedding", 4, 4, pages=4, passages=40)
        step("embedding", 20, 40, embedded=20)
        with self.lock:
            book.update(state="ready", embedded=40, job=None)
            job.update(state="done", done=40, total=40, revision=job["revision"] + 1)
            self.lock.notify_all()


def with_book(route):
    def found(handler, gateway, name, *names, **more):
        item = gateway.library.items.get(int(name)) if name.isdigit() else None
        if item is None:
            return handler.json(404, {"error": f"there is no book {name}", "code": "not_found"})
        return route(handler, gateway, item, *names, **more)
    return found


def list_books(handler, gateway, parameters, **_):
    query = urllib.parse.unquote_plus(parameters.get("q", "")).lower()
    rows = [one["book"] for one in reversed(gateway.library.items.values()) if query in one["book"]["title"].lower()]
    start, limit = int(parameters.get("cursor", 0)), int(parameters.get("limit", 50))
    handler.json(200, {"books": rows[start:start + limit], "next_cursor": str(start + limit) if start + limit < len(rows) else None})


def add_book(handler, gateway, data, parameters, body, **_):
    library = gateway.library
    if "url" in (data or {}):
        if "127.0.0.1" in data["url"]:
            return handler.json(400, {"error": "the address is private", "code": "private_address"})
        return handler.json(202, library.add(data["url"], 1000, data.get("private", False)))
    name = urllib.parse.unquote_plus(parameters["name"])
    if name.endswith(".exe"):
        return handler.json(415, {"error": "no parser", "code": "unknown_format"})
    known = library.files.get(body)
    if known:
        return handler.json(200, known)
    library.files[body] = library.add(name, len(body), parameters.get("private") == "true")
    handler.json(202, library.files[body])


@with_book
def one_book(handler, gateway, item, **_):
    handler.json(200, item["book"])


@with_book
def change_book(handler, gateway, item, data, **_):
    item["book"].update(data)
    handler.json(200, item["book"])


@with_book
def delete_book(handler, gateway, item, **_):
    del gateway.library.items[item["book"]["id"]]
    handler.json(204, None)


@with_book
def retry_book(handler, gateway, item, **_):
    library, book = gateway.library, item["book"]
    if book["state"] != "failed":
        return handler.json(409, {"error": "the book did not fail", "code": "not_failed"})
    with library.lock:
        library.next_job += 1
        book.update(state="pending", error=None, job=library.next_job)
        library.begin(book)
    handler.json(202, book)


def page_json(item, page):
    raw = item["text"].encode()
    book = item["book"]
    return {"book": book["id"], "page": page["page"], "label": page["label"], "total": len(item["pages"]), "width": 400, "height": 600, "lines": lines(page), "start": page["start"], "end": page["end"],
            "text": raw[page["start"]:page["end"]].decode(), "blocks": page["blocks"], "is_estimated": book["numbering"] == "estimated"}


def lines(page):
    """A line for each block, ten points high, below one another."""
    return [{"start": block["start"], "end": block["end"], "box": [40, 30 + 20 * number, 320, 10]} for number, block in enumerate(page["blocks"])]


@with_book
def page_image(handler, gateway, item, number, **_):
    if item["book"]["format"] != "pdf":
        return handler.json(415, {"error": "the book is no PDF", "code": "no_picture"})
    handler.bytes(200, picture(400, 600), "image/png")


@with_book
def one_page(handler, gateway, item, number, **_):
    page = next((one for one in item["pages"] if str(one["page"]) == number), None)
    handler.json(200, page_json(item, page)) if page else handler.json(404, {"error": f"there is no page {number}", "code": "not_found"})


@with_book
def labelled_page(handler, gateway, item, parameters, **_):
    page = next((one for one in item["pages"] if one["label"] == urllib.parse.unquote_plus(parameters["label"])), None)
    handler.json(200, page_json(item, page)) if page else handler.json(404, {"error": "there is no such page", "code": "not_found"})


@with_book
def outline(handler, gateway, item, parameters, **_):
    position = item["book"]["position"]
    limit = position["offset"] if position and parameters.get("to_position") == "true" else 1 << 60
    handler.json(200, {"headings": [one for one in item["headings"] if one["start"] < limit]})


@with_book
def find(handler, gateway, item, parameters, **_):
    query, text = urllib.parse.unquote_plus(parameters["q"]).lower(), item["text"]
    position = item["book"]["position"]
    if position and parameters.get("to_position") == "true":
        text = text.encode()[:position["offset"]].decode()
    hits, at = [], text.lower().find(query)
    while at >= 0:
        start, end = len(text[:at].encode()), len(text[:at + len(query)].encode())
        page = next(one for one in item["pages"] if one["start"] <= start < one["end"])
        hits.append({"start": start, "end": end, "page": page["page"], "label": page["label"], "before": text[max(0, at - 30):at], "match": text[at:at + len(query)], "after": text[at + len(query):at + len(query) + 30]})
        at = text.lower().find(query, at + 1)
    start, limit = int(parameters.get("cursor", 0)), int(parameters.get("limit", 20))
    handler.json(200, {"hits": hits[start:start + limit], "total": len(hits), "next_cursor": str(start + limit) if start + limit < len(hits) else None})


@with_book
def put_position(handler, gateway, item, data, **_):
    page = next(one for one in item["pages"] if one["page"] == data.get("page") or one["end"] == data.get("offset"))
    item["book"]["position"] = {"offset": page["end"], "page": page["page"], "label": page["label"], "percent": 100 * page["end"] / len(item["text"].encode()), "updated_at": now()}
    handler.json(200, item["book"])


@with_book
def clear_position(handler, gateway, item, **_):
    item["book"]["position"] = None
    handler.json(200, item["book"])


@with_book
def book_cover(handler, gateway, item, **_):
    handler.bytes(200, *item.get("cover", (picture(), "image/png")))


@with_book
def book_text(handler, gateway, item, **_):
    handler.bytes(200, item["text"].encode(), "text/plain; charset=utf-8")


def job_events(handler, gateway, number, **_):
    library = gateway.library
    job = library.jobs.get(int(number))
    if job is None:
        return handler.json(404, {"error": "there is no such job", "code": "not_found"})
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    seen = 0
    while True:
        with library.lock:
            library.lock.wait_for(lambda: job["revision"] > seen or job["state"] != "running", timeout=2)
            seen, text = job["revision"], json.dumps(job)
        handler.wfile.write(f"id: {seen}\nevent: job\ndata: {text}\n\n".encode())
        handler.wfile.flush()
        if job["state"] != "running":
            return


ROUTES = [
    ("GET", ["api", "books"], False, list_books), ("POST", ["api", "books"], False, add_book), ("GET", ["api", "books", "*"], False, one_book),
    ("PATCH", ["api", "books", "*"], False, change_book), ("DELETE", ["api", "books", "*"], False, delete_book), ("POST", ["api", "books", "*", "retry"], False, retry_book),
    ("GET", ["api", "books", "*", "pages", "*", "image"], False, page_image), ("GET", ["api", "books", "*", "pages", "*"], False, one_page), ("GET", ["api", "books", "*", "page"], False, labelled_page), ("GET", ["api", "books", "*", "outline"], False, outline),
    ("GET", ["api", "books", "*", "find"], False, find), ("PUT", ["api", "books", "*", "position"], False, put_position), ("DELETE", ["api", "books", "*", "position"], False, clear_position),
    ("GET", ["api", "books", "*", "cover"], False, book_cover), ("GET", ["api", "books", "*", "text"], False, book_text), ("GET", ["api", "jobs", "*", "events"], False, job_events),
]
