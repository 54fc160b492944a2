"""The stand-in's routes of notes and threads."""

import hashlib
import time
import urllib.parse

from stand_in_data import NOTES, TASKS, THREADS


def create(handler, gateway, data, **_):
    """As the gateway does it: a key's repeat answers with the first note. `lost_replies` drops that many replies, after storing."""
    with gateway.lock:
        key = handler.headers.get("Idempotency-Key")
        made = gateway.written
        gateway.tries.append((key, data))
        known = gateway.keys.get(key)
        if known and known[1] != data:
            return handler.json(409, {"error": "the key belongs to another note", "code": "key_reused"})
        if known and known[0] not in made:
            return handler.json(409, {"error": "the note was deleted since", "code": "duplicate"})
        if not known:
            if any(one["title"] == data["title"] and one["content"] == data["content"] for one in made.values()):
                return handler.json(409, {"error": "this note is there already", "code": "duplicate"})
            number = gateway.new_id()
            made[number] = {"concepts": [], "tags": [], "threads": [], **data, "id": number}
            gateway.keys[key] = known = (number, data)
        if gateway.lost_replies > 0:
            gateway.lost_replies -= 1
            handler.close_connection = True
            return handler.connection.close()
    handler.json(201, made[known[0]])


def stored(gateway, name):
    """A note with its revision; None when there is none."""
    found = gateway.written.get(int(name)) or NOTES.get(name)
    return found and {**found, "revision": hashlib.sha256(repr([found["title"], found["content"], found["tags"]]).encode()).hexdigest()[:12]}


def change(handler, gateway, name, data, **_):
    found = stored(gateway, name)
    if found and data.pop("revision", None) not in (None, found["revision"]):
        return handler.json(409, {"error": f"note {name} has changed since it was read", "code": "conflict"})
    if found:
        gateway.written[int(name)] = {**found, **data}
    handler.json(200 if found else 404, stored(gateway, name) or {"error": f"there is no note {name}", "code": "not_found"})


def pairs(handler, gateway, parameters, **_):
    rows = [{"noteAId": 12, "noteBId": 15, "noteATitle": "Spring tide at the pier", "noteBTitle": "Neap tides", "similarity": 0.91}] if gateway.has_notes else []
    handler.json(200, {"count": len(rows), "associations": rows})


def newest(notes):
    return sorted(notes, key=lambda one: one["created_at"], reverse=True)


def page(rows, parameters, default):
    start, limit = int(parameters.get("cursor", 0)), int(parameters.get("limit", default))
    return rows[start:start + limit], ({"next_cursor": str(start + limit)} if start + limit < len(rows) else {})


def list_notes(handler, gateway, parameters, **_):
    rows, more = page(newest(NOTES.values()) if gateway.has_notes else [], parameters, 100)
    handler.json(200, {"count": len(rows), "notes": rows, **more})


def recent_notes(handler, gateway, parameters, **_):
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - float(parameters["days"]) * 86_400))
    rows, more = page([one for one in newest(NOTES.values()) if one["created_at"] >= since], parameters, 10)
    handler.json(200, {"count": len(rows), "notes": rows, **more})


def retrieve(handler, gateway, data, **_):
    """Notes that hold any of the words, those with the most first."""
    words = (data.get("query") or data.get("keywords")).lower().split()
    found = []
    for one in NOTES.values():
        if "tag" in data and data["tag"] not in one["tags"] or "thread" in data and data["thread"] not in [str(thread["id"]) for thread in one["threads"]]:
            continue
        score = sum(word in f"{one['title']} {one['content']} {' '.join(one['tags'])}".lower() for word in words) / len(words)
        if score:
            content = one["content"]
            at = max(0, content.lower().find(words[0]))
            start = len(content[:at].encode())
            leg = {"rank": 1, "score": score, "normalised": 1, "weight": 0.5}
            why = {"explanation": {"vector": leg, "keyword": None if score < 1 else leg, "relevance": score, "matched_terms": words, "spans": []}} if data.get("explain") else {}
            found.append({**one, "score": score, "passage": {"number": 0, "start": start, "end": len(content.encode())}, **why})
    found.sort(key=lambda one: -one["score"])
    found = found[:data.get("limit", 10)]
    mode = data.get("mode") if gateway.retrieval == "hybrid" and data.get("mode") else gateway.retrieval
    summary = {"explanation": {"documents": 62, "filter_matched": 62, "fusion": "convex:0.5", "terms": words, "exact": True}} if data.get("explain") else {}
    handler.json(200, {"query": data.get("query", ""), "count": len(found), "source": mode, "results": found, "timings_ms": {"vectors": 1.5} if data.get("explain") else {}, **summary,
                       **({"fallback_reason": "no embedding model"} if gateway.retrieval == "keyword_fallback" else {})})


def note(handler, gateway, name, **_):
    found = stored(gateway, name)
    handler.json(200 if found else 404, found or {"error": f"there is no note {name}", "code": "not_found"})


def related(handler, gateway, name, **_):
    found = [{**one, "score": 0.9 - 0.05 * index} for index, one in enumerate(list(NOTES.values())[:6]) if str(one["id"]) != name]
    handler.json(200, {"note_id": int(name), "count": len(found), "results": found})


def list_threads(handler, gateway, parameters, **_):
    rows, more = page(THREADS if gateway.has_notes else [], parameters, 10)
    handler.json(200, {"count": len(rows), "threads": rows, **more})


def one_thread(handler, gateway, name, parameters, **_):
    thread = next((one for one in THREADS if str(one["id"]) == urllib.parse.unquote(name)), None)
    if thread is None:
        return handler.json(404, {"error": f"there is no thread {name}", "code": "not_found"})
    rows, more = page([one for one in newest(NOTES.values()) if any(of["id"] == thread["id"] for of in one["threads"])], parameters, 20)
    handler.json(200, {**thread, "notes": rows, **more})


def tasks(handler, gateway, name, **_):
    found = [one for one in TASKS if str(one["thread_id"]) == name]
    handler.json(200, {"threadId": int(name), "count": len(found), "tasks": found})


def proposals(handler, gateway, **_):
    found = [one for one in gateway.proposals if one["state"] == "open"]
    handler.json(200, {"count": len(found), "proposals": found})


def decide(decision):
    def decided(handler, gateway, name, **_):
        found = next((one for one in gateway.proposals if str(one["id"]) == name), None)
        if found is None:
            return handler.json(404, {"error": f"there is no proposal {name}", "code": "not_found"})
        if found["state"] not in ("open", decision):
            return handler.json(409, {"error": f"proposal {name} was {found['state']}", "code": "conflict"})
        found["state"] = decision
        handler.json(200, found)
    return decided


ROUTES = [
    ("POST", ["api", "notes"], False, create), ("PATCH", ["api", "notes", "*"], False, change), ("PUT", ["api", "notes", "*"], False, change), ("GET", ["api", "briefing", "associations"], False, pairs),
    ("GET", ["api", "notes"], False, list_notes), ("GET", ["api", "notes", "recent"], False, recent_notes), ("POST", ["api", "notes", "retrieve"], False, retrieve),
    ("GET", ["api", "notes", "*"], False, note), ("GET", ["api", "notes", "*", "related"], False, related),
    ("GET", ["api", "threads", "proposals"], False, proposals), ("POST", ["api", "threads", "proposals", "*", "accept"], False, decide("accepted")),
    ("POST", ["api", "threads", "proposals", "*", "decline"], False, decide("declined")),
    ("GET", ["api", "threads"], False, list_threads), ("GET", ["api", "threads", "*"], False, one_thread), ("GET", ["api", "threads", "*", "tasks"], False, tasks),
]
