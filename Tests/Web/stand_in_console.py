"""The stand-in's routes of the console: figures, requests, traffic, jobs, models, keys, invitations."""

import json
import time
import urllib.parse

from stand_in_data import MODELS
from stand_in_runs import now

QR = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 3"><path d="M0 0h1v1H0zM2 0h1v1H2zM0 2h1v1H0z"/></svg>'


class Console:
    def __init__(self):
        self.jobs = {9: {"id": 9, "kind": "backfill", "state": "running", "done": 4200, "total": 10_000, "failed": 0, "revision": 7, "created_at": now()},
                     8: {"id": 8, "kind": "associations", "state": "failed", "done": 0, "total": 0, "failed": 1, "revision": 2, "created_at": now(), "message": "the model is not there"},
                     7: {"id": 7, "kind": "books.import", "state": "done", "done": 12, "total": 12, "failed": 2, "revision": 9, "created_at": now()}}
        # What a running job does between two looks.
        self.step = 100
        self.models = {name: {"name": name, "size": 2_019_393_189, "modified_at": "2026-10-01T10:00:00Z", "details": {"parameter_size": "3.2B", "quantization_level": "Q4_K_M"}} for name in MODELS}
        self.loaded = {MODELS[0]: {"name": MODELS[0], "size": 3_000_000_000, "size_vram": 2_500_000_000, "expires_at": "2030-01-01T00:00:00Z"}}
        self.keys = {number: {"id": number, "name": name, "prefix": f"slk_{number}a", "permissions": scopes, "createdAt": now(), "lastUsedAt": now() if number == 1 else None}
                     for number, (name, scopes) in enumerate((("phone", ["llm", "notes:read"]), ("backfill", ["llm"]), ("door bell", ["push:send"])), 1)}
        self.log = log()
        self.is_logging = True
        self.live = {7: {"id": "7", "method": "POST", "route": "/api/chat", "path": "/api/chat", "phase": "streaming", "key_id": 1, "key": "phone", "model": MODELS[0], "upstream": "desk", "request_id": "77", "age_ms": 4200, "first_token_ms": 300, "generated_tokens": 180, "tokens_per_second": 46.2, "response_bytes": 21_000},
                     8: {"id": "8", "method": "POST", "route": "/v1/chat/completions", "path": "/v1/chat/completions", "phase": "queued", "place": 2, "key_id": 2, "key": "backfill", "model": MODELS[0], "request_id": "78", "age_ms": 900, "response_bytes": 0}}
        self.spans = []
        self.examined = []
        self.is_broken = False


def logged(number, **more):
    return {"id": number, "at": f"2026-11-23T10:{number % 60:02}:30.250Z", "method": "POST", "route": "/api/chat", "path": "/api/chat", "status": 200, "phase": "done", "key_id": 1, "key": "phone", "model": MODELS[0],
            "request_id": f"8f3a{number:012x}", "queue_ms": 0.4, "first_token_ms": 312.5, "total_ms": 4210.7, "prompt_tokens": 812, "generated_tokens": 240, "request_bytes": 1200, "response_bytes": 48_000, **more}


def log():
    """The latest first: chats, notes, refusals and a failure."""
    plain = {"method": "GET", "route": "/api/notes/{id}", "model": None, "first_token_ms": None, "queue_ms": None, "prompt_tokens": None, "generated_tokens": None, "total_ms": 1.8, "response_bytes": 900}
    kinds = [{}, {**plain, "path": "/api/notes/17"}, {**plain, "path": "/api/notes/99", "status": 404, "error": "not_found"}, {"status": 429, "error": "overloaded", "key_id": 2, "key": "backfill", "generated_tokens": None, "first_token_ms": None},
             {"status": 499, "cancelled": True, "phase": "streaming"}, {"status": 503, "error": "upstream_unreachable", "upstream": "attic", "first_token_ms": None, "generated_tokens": None}]
    return [logged(number, **kinds[number % len(kinds)]) for number in range(130, 0, -1)]


def admin(route):
    def checked(handler, gateway, *names, **more):
        if not gateway.is_admin:
            return handler.json(403, {"error": "the key lacks the scope admin", "code": "forbidden"})
        return route(handler, gateway.console, *names, **more)
    return checked


def stats(handler, gateway, **_):
    if not gateway.is_admin:
        return handler.json(403, {"error": "the key lacks the scope admin", "code": "forbidden"})
    gateway.asked += 1
    handler.json(200, {
        "version": "1.0", "uptime_seconds": 93_784, "requests": {"total": 1200 + 40 * gateway.asked, "failed": 3, "cancelled": 1, "in_flight": 2}, "tokens": {"prompt": 90_000, "generated": 60_000 + 300 * gateway.asked},
        "admission": {"in_flight": 2, "max_in_flight": 4, "waiting": {"interactive": gateway.asked % 3, "batch": 1}, "max_waiting": 64, "granted": 900, "refused": 0, "cancelled": 1, "retry_after_seconds": 1},
        "embedding_lane": {"in_flight": 0, "calls": 10, "inputs": 20, "shared": 0, "refused": 0}, "process": {"resident_bytes": 61_000_000 + 400_000 * (gateway.asked % 5), "cpu_seconds": 12, "open_files": 30, "max_files": 1024},
        "upstream": {"url": "http://127.0.0.1:11434", "available": True, "latency_ms": 1, "in_flight": 1}, "connections": {"open": 7, "max": 1000, "refused": 0}, "dropped_log_lines": 0,
        "upstreams": [{"name": "desk", "url": "http://127.0.0.1:11434", "in_order": True, "in_flight": 2, "loaded": ["llama3.2:latest"]},
                      {"name": "attic", "url": "http://10.0.0.8:11434", "in_order": False, "in_flight": 0, "loaded": [], "reason": "connection refused"}],
        "keys": [{"id": 1, "name": "phone", "requests": 900, "refused": 0, "tokens": 120_000, "last_used_at": now()}, {"id": 2, "name": "backfill", "requests": 4000, "refused": 12, "tokens": 9_000}]})


def jobs(handler, gateway, **_):
    console = gateway.console
    for job in console.jobs.values():
        if job["state"] == "running":
            job["done"] = min(job["total"], job["done"] + console.step)
    handler.json(200, {"jobs": list(console.jobs.values())})


def change_job(state):
    def route(handler, gateway, name, **_):
        job = gateway.console.jobs[int(name)]
        if state == "running" and any(one["state"] == "running" and one["kind"] == job["kind"] for one in gateway.console.jobs.values()):
            return handler.json(409, {"error": "another job of this kind runs", "code": "job_runs"})
        job["state"] = state
        handler.json(202 if state == "running" else 200, job)
    return route


def begin(kind):
    def route(handler, gateway, **_):
        known = next((one for one in gateway.console.jobs.values() if one["kind"] == kind and one["state"] == "running"), None)
        number = gateway.new_id()
        made = known or {"id": number, "kind": kind, "state": "running", "done": 0, "total": 500, "failed": 0, "revision": 1, "created_at": now()}
        gateway.console.jobs = {made["id"]: made} | gateway.console.jobs
        handler.json(200 if known else 202, made)
    return route


def tags(handler, gateway, **_):
    handler.json(200, {"models": list(gateway.console.models.values())})


def loaded(handler, gateway, **_):
    handler.json(200, {"models": list(gateway.console.loaded.values())})


def generate(handler, console, data, **_):
    name = data["model"]
    if data.get("keep_alive") == 0:
        console.loaded.pop(name, None)
    else:
        console.loaded[name] = {"name": name, "size": 2_000_000_000, "expires_at": "2030-01-01T00:00:00Z"}
    handler.json(200, {"model": name, "response": "", "done": True})


def delete_model(handler, console, data, **_):
    handler.bytes(200 if console.models.pop(data["model"], None) else 404, b"", "text/plain")


def pull(handler, console, data, **_):
    name = data["model"]
    steps = [{"status": "pulling manifest"}, *({"status": "pulling 1a2b", "total": 2_000_000_000, "completed": part * 500_000_000} for part in range(5)), {"status": "success"}]
    if name == "wombat":
        steps = [steps[0], {"error": "pull model manifest: file does not exist"}]
    handler.send_response(200)
    handler.send_header("Content-Type", "application/x-ndjson")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    for step in steps:
        text = json.dumps(step) + "\n"
        # Lines arrive cut.
        for part in (text[:9], text[9:]):
            handler.wfile.write(part.encode())
            handler.wfile.flush()
            time.sleep(0.02)
    if name != "wombat":
        console.models[name] = {"name": name, "size": 2_000_000_000, "modified_at": now()}


def list_keys(handler, console, **_):
    handler.json(200, {"apiKeys": list(console.keys.values())})


def make_key(handler, console, data, **_):
    if any(one["name"] == data["name"] for one in console.keys.values()):
        return handler.json(409, {"error": f"there is a key {data['name']} already", "code": "exists"})
    number = max(console.keys, default=0) + 1
    console.keys[number] = {"id": number, "name": data["name"], "prefix": "slk_new", "permissions": data["permissions"], "createdAt": now(), "lastUsedAt": None}
    handler.json(201, {**console.keys[number], "key": "slk_secret"})


def revoke(handler, console, name, **_):
    handler.json(204 if console.keys.pop(int(name), None) else 404, {"error": "there is no such key", "code": "not_found"})


def invite(handler, console, data, **_):
    if not data.get("scopes"):
        return handler.json(400, {"error": "field \"scopes\": must not be empty", "code": "invalid_field"})
    console.invited = data
    handler.json(201, {"code": "BCDFGHJK", "expires_at": "2030-01-01T00:05:00Z", "url": "https://selene.example/#pair=BCDFGHJK", "qr": QR})


def requests(handler, console, parameters, **_):
    query = {name: urllib.parse.unquote_plus(value) for name, value in parameters.items()}
    if not console.is_logging:
        return handler.json(409, {"error": "requests are not stored; set SELENE_REQUEST_LOG=on", "code": "request_log_off"})
    console.query = query
    status = query.get("status", "")
    found = [one for one in console.log if (not status or str(one["status"]) == status or status == f"{one['status'] // 100}xx") and query.get("text", "") in one["path"]
             and ("key" not in query or str(one["key_id"]) == query["key"]) and ("model" not in query or one["model"] == query["model"]) and ("route" not in query or one["route"] == query["route"])]
    start, limit = int(query.get("cursor", 0)), int(query.get("limit", 50))
    page = found[start:start + limit]
    handler.json(200, {"requests": [{name: value for name, value in one.items() if value is not None} for one in page], "days": 7, "dropped": 0, **({"next_cursor": str(start + limit)} if start + limit < len(found) else {})})


def live(handler, console, **_):
    handler.json(200, {"requests": list(console.live.values()), "total": len(console.live)})


def cancel(handler, console, name, **_):
    if not console.live.pop(int(name), None):
        return handler.json(404, {"error": f"no request {name} is in flight", "code": "not_found"})
    handler.json(202, {"id": name, "status": "cancelling"})


def configuration(handler, console, **_):
    def setting(key, value, origin="default", live=False, **more):
        return {"key": key, "origin": origin, "environment": f"SELENE_{key.upper()}", "summary": f"what {key} is for", "live": live, **({"value": value} if value is not None else {}), **more}
    handler.json(200, {"file": "/home/ada/.selene/config.json", **({"problem": '"port" in the configuration file is "x", but a whole number is expected'} if console.is_broken else {}), "settings": [
        setting("host", "0.0.0.0", "flag"), setting("port", "5678"), setting("api_token", "********", "environment", True), setting("log_level", "info", live=True, next={"value": "debug", "origin": "file"}),
        setting("max_connections", "4096", next={"value": "100", "origin": "environment"}), setting("export", None)]})


def doctor(handler, console, parameters, **_):
    console.examined.append(parameters.get("deep") == "true")
    if len(console.examined) == 1:
        return handler.json(429, {"error": "an examination runs already", "code": "overloaded"})
    found = [{"check": "triggers", "severity": "ok", "message": "all are in place", "fixable": False}, {"check": "permissions", "severity": "warning", "message": "other users of this machine can read /home/ada/.selene/selene.sqlite.cache (mode 644)", "remedy": "chmod 600 /home/ada/.selene/selene.sqlite.cache", "fixable": True},
             {"check": "upstreams", "severity": "problem", "message": "http://10.0.0.8:11434: connection refused", "remedy": "start it (ollama serve), or set another address (OLLAMA_HOST, SELENE_UPSTREAMS)", "fixable": False}]
    handler.json(200, {"problems": 1, "warnings": 1, "deep": console.examined[-1], "findings": found})


def traffic(handler, console, parameters, **_):
    span = parameters.get("span", "hour")
    console.spans.append(span)
    count, length = (96, 900) if span == "day" else (60, 60)
    start = int(time.time()) // length * length - (count - 1) * length
    points = []
    for place in range(count):
        # It did not run in the first quarter.
        runs = place >= count // 4 and console.is_logging
        busy = runs and place % 7 != 3
        requests = (place * 37 % 23 + 5) if busy else 0
        points.append({"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start + place * length)), "requests": requests, "failed": 2 if busy and place % 11 == 0 else 0, "prompt_tokens": requests * 90, "generated_tokens": requests * 40,
                       **({"first_token_ms": 250 + place * 13 % 90, "longest_first_token_ms": 400 + place * 29 % 900, "queue_ms": place % 5, "longest_queue_ms": place % 5 * 12} if busy else {}),
                       **({"resident_bytes": 60_000_000 + place * 250_000, "in_flight": requests // 4} if runs else {})})
    handler.json(200, {"span": span, "seconds_per_point": length, "points": points})


ROUTES = [
    ("GET", ["api", "requests"], False, admin(requests)), ("GET", ["api", "requests", "live"], False, admin(live)), ("DELETE", ["api", "requests", "live", "*"], False, admin(cancel)), ("GET", ["api", "admin", "config"], False, admin(configuration)), ("GET", ["api", "admin", "doctor"], False, admin(doctor)), ("GET", ["api", "admin", "traffic"], False, admin(traffic)),
    ("GET", ["api", "admin", "stats"], False, stats), ("GET", ["api", "jobs"], False, jobs), ("DELETE", ["api", "jobs", "*"], False, change_job("cancelled")), ("POST", ["api", "jobs", "*", "resume"], False, change_job("running")),
    ("POST", ["api", "jobs", "backfill"], False, begin("backfill")), ("POST", ["api", "briefing", "associations", "compute"], False, begin("associations")),
    ("GET", ["api", "tags"], False, tags), ("GET", ["api", "ps"], False, loaded), ("POST", ["api", "generate"], False, admin(generate)), ("DELETE", ["api", "delete"], False, admin(delete_model)), ("POST", ["api", "pull"], False, admin(pull)),
    ("GET", ["api", "v1", "api-keys"], False, admin(list_keys)), ("POST", ["api", "v1", "api-keys"], False, admin(make_key)), ("DELETE", ["api", "v1", "api-keys", "*"], False, admin(revoke)), ("POST", ["web", "pairings"], False, admin(invite)),
]
