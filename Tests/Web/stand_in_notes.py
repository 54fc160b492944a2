"""The stand-in's routes of notes and threads."""

import hashlib
import re
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


def bring(handler, gateway, data, **_):
    """As the gateway does it: the same file again changes nothing, one without text is not stored. A request takes `import_time`."""
    with gateway.lock:
        gateway.flights += 1
        gateway.most_flights = max(gateway.most_flights, gateway.flights)
        gateway.batches.append(len(data["files"]))
    time.sleep(gateway.import_time)
    counts = {"created": 0, "updated": 0, "unchanged": 0, "empty": [], "remarks": []}
    with gateway.lock:
        gateway.flights -= 1
        for one in data["files"]:
            path, text = one["path"], one["content"]
            if not text.strip():
                counts["empty"].append(path)
                continue
            number, before = gateway.files.get(path, (None, None))
            counts["created" if number is None else "unchanged" if before == text else "updated"] += 1
            if number is None:
                number = gateway.new_id()
                gateway.console.figures["notes"] += 1
            gateway.files[path] = (number, text)
            if text.startswith("---\nbroken"):
                counts["remarks"].append({"path": path, "kind": "read_as", "message": "its front matter is not valid YAML; read line by line, and kept in the text"})
    handler.json(200, counts)


def sent(gateway):
    """Notes of files that were sent."""
    return [{"id": number, "title": text.strip().split("\n")[0].lstrip("# "), "content": text, "created_at": "2030-01-01T00:00:00Z", "tags": [], "threads": [], "external_id": f"upload:{path}"} for path, (number, text) in gateway.files.items()]


def stored(gateway, name):
    """A note with its revision; None when there is none."""
    found = None if name in gateway.deleted else gateway.written.get(int(name)) or NOTES.get(name)
    return found and {**found, "revision": hashlib.sha256(repr([found["title"], found["content"], found["tags"]]).encode()).hexdigest()[:12]}


def change(handler, gateway, name, data, **_):
    found = stored(gateway, name)
    if found and data.pop("revision", None) not in (None, found["revision"]):
        return handler.json(409, {"error": f"note {name} has changed since it was read", "code": "conflict"})
    if found:
        keep(gateway, name, found, "edited")
        gateway.written[int(name)] = {**found, **data}
    handler.json(200 if found else 404, stored(gateway, name) or {"error": f"there is no note {name}", "code": "not_found"})


def keep(gateway, name, found, reason):
    """Keeps a note as a version, under the next number."""
    version = {"note_id": int(name), "version": gateway.new_id(), "replaced_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "reason": reason, "title": found["title"], "created_at": found["created_at"],
               "bytes": len(found["content"].encode()), "kept_until": "2027-01-01T00:00:00Z", "start": found["content"][:200], "tags": found["tags"], "threads": [], "external_ids": [f"Daily/{name}.md"]}
    gateway.versions.setdefault(name, []).insert(0, (version, found))


def delete(handler, gateway, name, parameters, **_):
    found = stored(gateway, name)
    if found is None:
        return handler.json(404, {"error": f"there is no note {name}", "code": "not_found"})
    if parameters.get("revision") not in (None, found["revision"]):
        return handler.json(409, {"error": f"note {name} has changed since it was read", "code": "conflict"})
    keep(gateway, name, found, "deleted")
    gateway.deleted.insert(0, name)
    handler.json(200, {"status": "deleted", "id": int(name)})


def history(handler, gateway, name, **_):
    versions = [version for version, _ in gateway.versions.get(name, [])]
    if not versions and stored(gateway, name) is None:
        return handler.json(404, {"error": f"there is no note {name}, neither stored nor deleted", "code": "not_found"})
    handler.json(200, {"note_id": int(name), "deleted": name in gateway.deleted, "count": len(versions), "versions": versions})


def version(handler, gateway, name, second, **_):
    found = next((one for one in gateway.versions.get(name, []) if str(one[0]["version"]) == second), None)
    handler.json(200 if found else 404, {**found[0], "content": found[1]["content"]} if found else {"error": "there is no such version", "code": "not_found"})


def restore(handler, gateway, name, data, **_):
    versions = gateway.versions.get(name, [])
    found = next((one for one in versions if data.get("version") in (None, one[0]["version"])), None)
    if found is None:
        return handler.json(404, {"error": "there is no such version", "code": "not_found"})
    if name in gateway.deleted:
        gateway.deleted.remove(name)
        gateway.versions[name] = versions[1:] if found is versions[0] else versions
    else:
        keep(gateway, name, stored(gateway, name), "restored")
    gateway.written[int(name)] = {key: value for key, value in found[1].items() if key != "revision"}
    handler.json(200, stored(gateway, name))


def erase(handler, gateway, name, **_):
    count = len(gateway.versions.pop(name, []))
    if name in gateway.deleted:
        gateway.deleted.remove(name)
        gateway.erased.append(name)
    handler.json(200, {"status": "erased", "id": int(name), "versions": count})


def deleted_notes(handler, gateway, **_):
    rows = [gateway.versions[name][0][0] for name in gateway.deleted]
    handler.json(200, {"count": len(rows), "notes": rows})


def listed(found, parameters):
    """A note of a list: with `content=false` its beginning in place of its text."""
    return {**found, "content": "", "snippet": found["content"][:240].replace("\n", " ").replace("**", "")} if parameters.get("content") == "false" else found


def pairs(handler, gateway, parameters, **_):
    rows = [{"noteAId": 12, "noteBId": 15, "noteATitle": "Spring tide at the pier", "noteBTitle": "Neap tides", "similarity": 0.91}] if gateway.has_notes else []
    handler.json(200, {"count": len(rows), "associations": rows})


def newest(notes):
    return sorted(notes, key=lambda one: one["created_at"], reverse=True)


def page(rows, parameters, default):
    start, limit = int(parameters.get("cursor", 0)), int(parameters.get("limit", default))
    return rows[start:start + limit], ({"next_cursor": str(start + limit)} if start + limit < len(rows) else {})


def list_notes(handler, gateway, parameters, **_):
    rows, more = page(newest([*sent(gateway), *([one for name, one in NOTES.items() if name not in gateway.deleted] if gateway.has_notes else [])]), parameters, 100)
    handler.json(200, {"count": len(rows), "notes": [listed(one, parameters) for one in rows], **more})


def recent_notes(handler, gateway, parameters, **_):
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - float(parameters["days"]) * 86_400))
    rows, more = page([one for one in newest(NOTES.values()) if one["created_at"] >= since], parameters, 10)
    handler.json(200, {"count": len(rows), "notes": [listed(one, parameters) for one in rows], **more})


def retrieve(handler, gateway, data, **_):
    """Notes that hold any of the words, those with the most first."""
    time.sleep(gateway.search_time)
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
            shown = {"content": "" if data.get("content") is False else content, **({"snippet": content[at:at + 240]} if data.get("snippet") else {}), "external_id": f"Daily/{one['id']}.md"}
            found.append({**one, **shown, "score": score, "passage": {"number": 0, "start": start, "end": len(content.encode())}, **why})
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


def links(handler, gateway, name, **_):
    """Where the `[[links]]` of a note lead, and which notes link to it."""
    notes = {**{one["id"]: one for one in NOTES.values()}, **gateway.written}
    if not gateway.has_links or int(name) not in notes:
        return handler.json(404, {"error": f"there is no /api/notes/{name}/links", "code": "not_found"})
    ids = {one["title"]: number for number, one in notes.items()}

    def targets(one):
        return dict.fromkeys(re.split(r"[|#]", inside)[0].strip() for inside in re.findall(r"\[\[([^\]]+)\]\]", one["content"]))

    title = notes[int(name)]["title"]
    backlinks = [{"id": one["id"], "title": one["title"], "created_at": one["created_at"], "excerpt": one["content"].replace("\n", " ")[:160]} for one in notes.values() if title in targets(one)]
    handler.json(200, {"id": int(name), "links": [{"target": target, "id": ids.get(target), "title": target if target in ids else None} for target in targets(notes[int(name)])], "backlinks": backlinks})


def list_threads(handler, gateway, parameters, **_):
    rows, more = page(THREADS if gateway.has_notes else [], parameters, 10)
    handler.json(200, {"count": len(rows), "threads": rows, **more})


def one_thread(handler, gateway, name, parameters, **_):
    thread = next((one for one in THREADS if str(one["id"]) == urllib.parse.unquote(name)), None)
    if thread is None:
        return handler.json(404, {"error": f"there is no thread {name}", "code": "not_found"})
    rows, more = page([one for one in newest(NOTES.values()) if any(of["id"] == thread["id"] for of in one["threads"])], parameters, 20)
    handler.json(200, {**thread, "notes": [listed(one, parameters) for one in rows], **more})


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
    ("GET", ["api", "notes", "deleted"], False, deleted_notes), ("DELETE", ["api", "notes", "*"], False, delete), ("GET", ["api", "notes", "*", "history"], False, history),
    ("GET", ["api", "notes", "*", "history", "*"], False, version), ("POST", ["api", "notes", "*", "restore"], False, restore), ("DELETE", ["api", "notes", "*", "history"], False, erase),
    ("POST", ["api", "notes", "import"], False, bring), ("POST", ["api", "notes"], False, create), ("PATCH", ["api", "notes", "*"], False, change), ("PUT", ["api", "notes", "*"], False, change), ("GET", ["api", "briefing", "associations"], False, pairs),
    ("GET", ["api", "notes"], False, list_notes), ("GET", ["api", "notes", "recent"], False, recent_notes), ("POST", ["api", "notes", "retrieve"], False, retrieve),
    ("GET", ["api", "notes", "*"], False, note), ("GET", ["api", "notes", "*", "related"], False, related), ("GET", ["api", "notes", "*", "links"], False, links),
    ("GET", ["api", "threads", "proposals"], False, proposals), ("POST", ["api", "threads", "proposals", "*", "accept"], False, decide("accepted")),
    ("POST", ["api", "threads", "proposals", "*", "decline"], False, decide("declined")),
    ("GET", ["api", "threads"], False, list_threads), ("GET", ["api", "threads", "*"], False, one_thread), ("GET", ["api", "threads", "*", "tasks"], False, tasks),
]
