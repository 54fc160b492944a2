"""The stand-in's briefings: cards of each kind, and days without one. And tasks with drafts, and memories."""

import time

TODAY = time.strftime("%Y-%m-%d", time.gmtime())


def note(number, title, day="2026-03-14"):
    return {"id": number, "title": title, "created_at": f"{day}T18:00:00Z"}


CARDS = [
    {"kind": "open_tasks", "title": "2 open tasks", "reason": "The first is due on 2026-11-24.", "question": "What should I do first?", "notes": [], "tasks": [{"id": 1, "title": "Ask the harbour master for 1962", "due": "2026-11-24"}, {"id": 2, "title": "Clean the float"}]},
    {"kind": "goals", "title": "2 goals due today", "reason": "“Run”: 12 of 20 km so far and 1 other.", "question": "How am I doing with my goals, and what should I do today?", "notes": [], "goals": [{"id": "1", "title": "Run", "detail": "12 of 20 km"}, {"id": "2", "title": "Read", "detail": "0 of 10 pages"}]},
    {"kind": "heating_thread", "title": "Tide gauge", "reason": "4 notes in the last 7 days, usually 1.", "question": "What is new in “Tide gauge”?", "notes": [note(12, "Spring tide at the pier"), note(15, "Neap tides", "2026-02-09")], "thread": {"id": 4, "name": "Tide gauge"}},
    {"kind": "near_pair", "title": "Spring tide at the pier and Neap tides", "reason": "The notes are 91 % similar.", "question": "How do these two notes belong together?", "notes": [note(12, "Spring tide at the pier"), note(15, "Neap tides", "2026-02-09")]},
    {"kind": "book", "title": "The Tides", "reason": "You have read 40 %.", "question": "Where was I in “The Tides”?", "notes": [], "book": {"id": 1, "title": "The Tides", "page": 3, "percent": 40}},
]


def briefing(handler, gateway, name="today", **_):
    day = TODAY if name == "today" else name
    cards = gateway.briefings.get(day)
    if cards is None:
        return handler.json(404, {"error": f"there is no briefing of {day}", "code": "not_found"})
    cards = [{"number": number, "id": f"{one['kind']}-{number}", **one} for number, one in enumerate(cards, 1)]
    text = " ".join(f"{one['title']} is here. [{one['number']}]" for one in cards) or "Nothing new today."
    handler.json(200, {"date": day, "zone": "Europe/Berlin", "made_at": f"{day}T06:00:00Z", "text": text, "count": len(cards), "cards": cards})


def sample_tasks():
    def draft(number, title, thread=None, **more):
        source = {"note_id": 12, "title": "Spring tide at the pier", "text": title, "start": 0, "end": len(title)}
        return {"id": number, "title": title, "source": source, "created_at": "2026-11-23T06:00:00Z", **({"thread": thread} if thread else {}), **more}
    house = {"id": 4, "name": "Tide gauge"}
    return {"drafts": [draft(3, "Call the surveyor", house, due="2026-11-27"), draft(2, "Buy rope"), draft(1, "Write to Ines", house)],
            "tasks": [{"id": 7, "title": "Clean the float", "thread": house, "due": "2026-11-24"}], "asked": []}


def sample_memories():
    def memory(number, content, text, state="active", **more):
        source = {"run": "r-1", "session": "chat-tide", "message": 4, "text": text, "start": 0, "end": len(text)}
        return {"id": number, "content": content, "type": "fact", "confidence": 0.9, "details": {"state": state, "origin": "rules", "is_pinned": False, "source": source, **more}}
    return [memory(1, "Lives in Hamburg", "We have just moved to Hamburg, and the flat is lovely."), memory(2, "Allergic to walnuts", "I'm allergic to walnuts."),
            {"id": 5, "content": "Likes tea", "type": "preference", "confidence": 1},
            memory(3, "Sleeps badly before concerts", "The nights before a concert are bad for me.", "proposed"),
            memory(4, "Lives in Leipzig", "I live in Leipzig.", "superseded", reason='replaced by "Lives in Hamburg"', superseded_by=1)]


def memories(handler, gateway, parameters, **_):
    state = parameters.get("state", "active")
    rows = [one for one in gateway.memories["rows"] if one.get("details", {}).get("state", "active") == state]
    handler.json(200, {"count": len(rows), "memories": rows, "is_on": gateway.memories["is_on"]})


def change_memory(handler, gateway, name, data=None, act=None, **_):
    gateway.memories["asked"].append((handler.command, name, data))
    found = next((one for one in gateway.memories["rows"] if str(one["id"]) == name), None)
    if handler.command == "DELETE" and found:
        gateway.memories["rows"].remove(found)
        gateway.memories["gone"] = found
    elif handler.command == "PATCH" and found:
        found.update(data)
    handler.json(200, found or {"deleted": True, "id": int(name)})


def confirm_memory(handler, gateway, name, **_):
    gateway.memories["asked"].append(("CONFIRM", name, None))
    next(one for one in gateway.memories["rows"] if str(one["id"]) == name)["details"]["state"] = "active"
    handler.json(200, {})


def undo_memory(handler, gateway, name, **_):
    gateway.memories["asked"].append(("UNDO", name, None))
    if gateway.memories.get("gone"):
        gateway.memories["rows"].insert(0, gateway.memories.pop("gone"))
    handler.json(200, {"undone": "forget"})


def make_drafts(handler, gateway, data=None, **_):
    gateway.tasks["asked"].append(("MAKE", data))
    handler.json(201, {"count": 0, "drafts": []})


def drafts(handler, gateway, **_):
    rows = gateway.tasks["drafts"]
    handler.json(200, {"count": len(rows), "drafts": rows})


def all_tasks(handler, gateway, **_):
    rows = gateway.tasks["tasks"]
    handler.json(200, {"count": len(rows), "tasks": rows})


def decided(handler, gateway, name, data=None, **_):
    found = next((one for one in gateway.tasks["drafts"] if str(one["id"]) == name), None)
    gateway.tasks["asked"].append((handler.command, name, data))
    if found is None:
        return handler.json(404, {"error": f"there is no draft {name}", "code": "not_found"})
    gateway.tasks["drafts"].remove(found)
    if handler.command == "DELETE":
        return handler.json(200, {"deleted": True, "id": int(name)})
    task = {"id": 100 + found["id"], "title": found["title"], "thread": found.get("thread") or {"id": data["thread"], "name": "Chosen"}}
    gateway.tasks["tasks"].append(task)
    handler.json(201, task)


def ticked(handler, gateway, name, data=None, **_):
    gateway.tasks["asked"].append(("TICK", name, data))
    found = next((one for one in gateway.tasks["drafts"] if str(one["id"]) == name), None)
    if found is None or not found.get("box"):
        return handler.json(404 if found is None else 409, {"error": f"the draft {name} is no check box of a note", "code": "conflict"})
    gateway.tasks["drafts"].remove(found)
    handler.json(200, found)


def done(handler, gateway, name, data=None, **_):
    gateway.tasks["asked"].append((handler.command, name, data))
    gateway.tasks["tasks"] = [one for one in gateway.tasks["tasks"] if str(one["id"]) != name]
    handler.json(200, {"id": int(name)})


ROUTES = [
    ("GET", ["api", "briefing", "*"], False, briefing), ("GET", ["api", "tasks", "drafts"], False, drafts), ("GET", ["api", "tasks"], False, all_tasks),
    ("POST", ["api", "tasks", "drafts"], False, make_drafts), ("GET", ["api", "memories"], False, memories), ("PATCH", ["api", "memories", "*"], False, change_memory),
    ("DELETE", ["api", "memories", "*"], False, change_memory), ("POST", ["api", "memories", "*", "confirm"], False, confirm_memory), ("POST", ["api", "memories", "*", "undo"], False, undo_memory),
    ("PATCH", ["api", "tasks", "*"], False, done), ("DELETE", ["api", "tasks", "drafts", "*"], False, decided), ("POST", ["api", "tasks", "drafts", "*", "confirm"], False, decided),
    ("POST", ["api", "tasks", "drafts", "*", "done"], False, ticked),
]
