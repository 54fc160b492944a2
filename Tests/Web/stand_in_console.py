"""The stand-in's routes of the console: the stream of events, requests, traffic, jobs, models, keys, invitations, spaces, stored runs."""

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
        self.keys = {number: {"id": number, "name": name, "prefix": f"slk_{number}a", "kind": "header", "scopes": scopes, "models": [], "priority": "normal", "currency": "EUR", "created_at": utc(), "usage": usage(number), **({"last_used_at": utc()} if number == 1 else {}), **({"requests_per_minute": 30, "tokens_per_day": 100_000, "expires_at": "2030-01-01 00:00:00", "models": [MODELS[0]]} if number == 2 else {})}
                     for number, (name, scopes) in enumerate((("phone", ["llm", "notes:read"]), ("backfill", ["llm"]), ("door bell", ["push:send"])), 1)}
        self.log = log()
        self.is_logging = True
        # Whether a model has answered since the start.
        self.has_answers = True
        self.live = {7: {"id": "7", "method": "POST", "route": "/api/chat", "path": "/api/chat", "phase": "streaming", "key_id": 1, "key": "phone", "model": MODELS[0], "upstream": "desk", "request_id": "77", "age_ms": 4200, "first_token_ms": 300, "generated_tokens": 180, "tokens_per_second": 46.2, "response_bytes": 21_000},
                     8: {"id": "8", "method": "POST", "route": "/v1/chat/completions", "path": "/v1/chat/completions", "phase": "queued", "place": 2, "key_id": 2, "key": "backfill", "model": MODELS[0], "request_id": "78", "age_ms": 900, "response_bytes": 0}}
        self.spans = []
        self.examined = []
        self.is_broken = False
        # Readers of the stream, and how often one was opened; a cut ends those that are open.
        self.streams, self.opened, self.cut, self.interval = 0, 0, 0, 0.3
        self.refusal, self.missing = None, []
        # Further settings in force; the file at the start and now, what was sent to change it, and whether the gateway cannot do that.
        self.settings, self.started, self.stored, self.changes, self.is_older = {}, {}, {}, [], False
        self.figures = {"available": True, "notes": 120, "embedded_notes": 120}
        self.spaces = [space(1, MODELS[0], previous=True, embedded=118, waiting=0, failed=2), space(2, "bge-m3:latest", active=True, filled=True), space(3, "all-minilm:latest", embedded=40, waiting=80, passages=False)]
        self.tuning = None
        self.evaluations = {number: evaluation(number, name, shift) for number, name, shift in ((1, "before the update", 0), (2, "after the update", 0.05))}
        self.collections = [{"name": "cranfield", "bytes": 1_644_000, "has_vectors": True}, {"name": "my-notes", "bytes": 80_000, "has_vectors": False}]
        self.failed = [{"space": 2, "model": "bge-m3:latest", "note": number, "reason": "the input length exceeds the context length", "attempts": 3, **({"title": title} if title else {})} for number, title in ((17, "Tide tables of the whole year"), (23, None), (31, "A very long letter"))]
        self.prompts = {one["id"]: one for one in (prompt("bridge", "Bridge two topics", "exploratory", "curated", 0, "What connects {{one}} and {{two}} in my notes?", ("one", "two")), prompt("last-time", "The last time", "specific", "edited", 2, "When did I last write about {{what}}?\nName the notes.", ("what",)),
                                                            prompt("week", "My week", "reflective", "own", 1, "What was on my mind this week?", ()))}
        self.audit = audit()
        self.bench = {number: bench_run(number, name, speed) for number, name, speed in ((1, "before the update", 40), (2, "after the update", 52))}


def audit():
    """Newest first: some of each kind, then more than a page."""
    made = [{"by": "command line", "action": "key.create", "object": f"key {number}", "object_id": str(number), "detail": "llm notes:read"} for number in range(60)]
    made += [{"by": "phone", "key_id": 1, "action": "model.pull", "object": "wombat", "outcome": "failed", "status": 200, "request_id": "71"}, {"by": "configuration file", "action": "setting.reload", "object": "generate_model, max_in_flight"},
             {"by": "phone", "key_id": 1, "action": "key.create", "object": "guest", "outcome": "refused", "status": 403, "request_id": "72"}, {"by": "phone", "key_id": 1, "action": "key.revoke", "object": "backfill of the desk", "object_id": "2", "status": 204, "request_id": "73"}]
    return [{"id": number, "at": "2026-10-01T10:00:00.000Z", "outcome": "done", **one} for number, one in enumerate(made, 1)][::-1]


def utc():
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())


def usage(number):
    """Newest first; every third day is without a request."""
    days = [time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400 * ago)) for ago in range(30)]
    return [{"day": day, "requests": 40 + place * 17 % 90 * number, "refused": place % 4, "prompt_tokens": 900 * number, "completion_tokens": 400, "cost": 0.0125 * number, "cost_elsewhere": 0.75 * number} for place, day in enumerate(days) if place % 3 != 2]


def space(number, model, **more):
    return {"id": number, "model": model, "digest": f"sha256:{number}", "dimensions": 768, "passages": True, "active": False, "previous": False, "filled": False, "embedded": 120, "notes": 120, "waiting": 0, "failed": 0, "created_at": "2026-10-01 10:00:00", **({} if number == 3 else {"activated_at": "2026-10-02 10:00:00"}), **more}


def evaluation(number, name, shift):
    modes = [{"mode": mode, "metrics": {"ndcg@10": value + shift, "recall@100": value + 0.3, "mrr@10": value + 0.1}, "intervals": {"ndcg@10": {"low": value - 0.02, "high": value + 0.07}}, "latency_ms": {"p50": 1.2, "p95": 3.4}} for mode, value in (("vector", 0.38), ("keyword", 0.33), ("hybrid", 0.41))]
    return {"id": number, "collection": "cranfield", "name": name, "created_at": f"2026-10-0{number}T10:00:00Z", "means": {one["mode"]: one["metrics"] for one in modes},
            "report": {"collection": "cranfield", "documents": 1400, "queries": 225, "modes": modes, "notes": ["2 judged documents are missing (x)"]}}


def prompt(name, title, kind, origin, number, text, variables):
    return {"id": name, "title": title, "kind": kind, "purpose": f"what {title.lower()} is for", "chat": "ask", "variables": [{"name": one, "default": "", "meaning": f"the word {one}"} for one in variables], "text": text, "origin": origin, "version": f"abc{number}", "number": number,
            **({"updated_at": "2026-10-02T10:00:00Z"} if number else {})}


def bench_run(number, name, speed):
    def spread(mean):
        return {"mean": mean, "deviation": mean / 50, "low": mean * 0.9, "high": mean * 1.1, "count": 3}
    models = [{"model": model, "answers": 6, "failed": 0, "first_token_ms": spread(300 + 90 * place - speed), "tokens_per_second": spread(speed - 20 * place), "total": spread(4000), "tokens": spread(240), "cites": 0.9, "supported": 0.8 - place / 10, "invents": 0.02 * place} for place, model in enumerate(MODELS[:2])]
    return {"id": number, "name": name, "created_at": "2026-10-0%dT10:00:00Z" % number, "report": {"name": name, "runs": 3, "planned": 12, "subjects": [{"id": "tides", "text": "When is the tide highest?"}, {"id": "bread", "text": "What did I change in the bread?"}], "models": models, "cells": [], "samples": [{}] * (12 if number == 1 else 10)}}


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


def anyone(route):
    return lambda handler, gateway, *names, **more: route(handler, gateway.console, *names, **more)


def figures(gateway):
    gateway.asked += 1
    known = gateway.console.figures
    return {
        "version": "1.0", "uptime_seconds": 93_784, "requests": {"total": 1200 + 40 * gateway.asked, "failed": 3, "cancelled": 1, "in_flight": 2}, "tokens": {"prompt": 90_000, "generated": 60_000 + 300 * gateway.asked} if gateway.console.has_answers else {"prompt": 0, "generated": 0},
        "admission": {"in_flight": 2, "max_in_flight": 4, "waiting": {"interactive": gateway.asked % 3, "batch": 1}, "max_waiting": 64, "granted": 900, "refused": 0, "cancelled": 1, "retry_after_seconds": 1},
        "embedding_lane": {"in_flight": 0, "calls": 10, "inputs": 20, "shared": 0, "refused": 0}, "process": {"resident_bytes": 61_000_000 + 400_000 * (gateway.asked % 5), "cpu_seconds": 12, "open_files": 30, "max_files": 1024},
        "upstream": {"url": "http://127.0.0.1:11434", "available": known["available"], "latency_ms": 1, "in_flight": 1, **({} if known["available"] else {"reason": "connection refused"})}, "connections": {"open": 7 + sum(bool(one.get("isOnline")) for one in gateway.push.devices.values()), "max": 1000, "refused": 0}, "dropped_log_lines": 0,
        "index": {"notes": known["notes"], "embedded_notes": known["embedded_notes"], "vectors": 300, "vector_bytes": 900_000, "text_bytes": 200_000}, "upstreams": upstreams(gateway),
        "keys": [{"id": 1, "name": "phone", "requests": 900, "refused": 0, "tokens": 120_000, "last_used_at": now()}, {"id": 2, "name": "backfill", "requests": 4000, "refused": 12, "tokens": 9_000}]}


def upstreams(gateway):
    return [{"name": "desk", "url": "http://127.0.0.1:11434", "in_order": True, "in_flight": 2, "loaded": ["llama3.2:latest"]},
            {"name": "attic", "url": "http://10.0.0.8:11434", "in_order": False, "in_flight": 0, "loaded": [], "reason": "connection refused",
             "breaker": {"state": "open", "since": "2026-11-24T03:58:10Z", "next_try": "2026-11-24T03:58:40Z", "failed_requests": 3, "failed_probes": 7}}]


def stats(handler, gateway, **_):
    if not gateway.is_admin:
        return handler.json(403, {"error": "the key lacks the scope admin", "code": "forbidden"})
    handler.json(200, figures(gateway))


def topics(gateway):
    """What the stream says now."""
    console = gateway.console
    for job in console.jobs.values():
        if job["state"] == "running":
            job["done"] = min(job["total"], job["done"] + console.step)
    runs = [run.json(is_short=True) for run in list(reversed(list(gateway.runs.values()))) if run]
    over = ("done", "failed", "stopped", "interrupted")
    pushes = sorted(gateway.push.deliveries.values(), key=lambda one: one["createdAt"], reverse=True)[:50]
    # A point of the traffic, as below.
    point = points("hour", console)[-1]
    return {"figures": figures(gateway), "requests": {"requests": list(console.live.values()), "total": len(console.live)}, "jobs": {"jobs": list(console.jobs.values())}, "runs": {"running": [one for one in runs if one["state"] not in over][:50], "latest": runs[:50]},
            "upstreams": {"upstreams": upstreams(gateway)}, "pushes": {"log": pushes}, "traffic": point}


def events(handler, gateway, parameters, **_):
    """The stream: all topics, then what changes. A topic of `missing` is unavailable."""
    console = gateway.console
    if console.refusal or not gateway.is_admin:
        return handler.json(*(console.refusal or (403, {"error": "the key lacks the scope admin", "code": "forbidden"})))
    if parameters.get("topics") != "all":
        return handler.json(400, {"error": "field \"topics\": is required", "code": "invalid_field"})
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    console.opened += 1
    console.streams += 1
    mine, sent, spoke = console.cut, {}, time.monotonic()
    try:
        while console.cut == mine and not gateway.is_down:
            with gateway.lock:
                now_ = topics(gateway)
            text = ""
            for name, value in now_.items():
                event, data = ("unavailable", json.dumps({"topic": name, "error": "the database is locked"})) if name in console.missing else (name, json.dumps(value))
                if sent.get(name) != (event, data):
                    sent[name] = (event, data)
                    text += f"event: {event}\ndata: {data}\n\n"
            if not text and time.monotonic() - spoke > 5:
                text = ": nothing new\n\n"
            # Bytes tell whether the reader is still there.
            handler.wfile.write((text or ":\n\n").encode())
            handler.wfile.flush()
            time.sleep(console.interval)
    except OSError:
        pass
    finally:
        console.streams -= 1


def list_spaces(handler, console, **_):
    handler.json(200, {"spaces": console.spaces})


def switch_space(handler, console, name=None, **_):
    wanted = next((one for one in console.spaces if (str(one["id"]) == name if name else one["previous"])), None)
    if not wanted:
        return handler.json(404, {"error": "there is no such space", "code": "not_found"})
    if wanted["waiting"]:
        return handler.json(409, {"error": f"space {name} lacks {wanted['waiting']} of 120 notes; embed them first, or lower \"at\"", "code": "space_incomplete"})
    for one in console.spaces:
        one["previous"], one["active"], one["filled"] = one["active"], one is wanted, one is wanted
    handler.json(200, {"spaces": console.spaces})


def drop_space(handler, console, name, **_):
    console.spaces = [one for one in console.spaces if str(one["id"]) != name]
    handler.json(200, {"spaces": console.spaces})


def index(handler, console, **_):
    handler.json(200, {"model": "bge-m3:latest", "dimensions": 768, "notes": 120, "embedded_notes": 118, "vectors": 310, "matrix_bytes": 952_320, "code_bytes": 238_080 if console.tuning else 0, "text_bytes": 210_000, "file": "/home/ada/.selene/space-2.index", "file_bytes": 1_400_000, "notes_beyond_file": 1,
                       "plan": "int8" if console.tuning else "exact", **({"tuning": console.tuning} if console.tuning else {}), "kernel": "avx2", "blas": "OpenBLAS", "opened_ms": 4})


def tune(handler, gateway, **_):
    gateway.console.tuning = {"candidates": 200, "recall@10": 0.998, "sample": 500, "speedup": 3.2, "measured_at": int(time.time())}
    number = gateway.new_id()
    made = {"id": number, "kind": "index.tune", "state": "done", "done": 4, "total": 4, "failed": 0, "revision": 3, "created_at": now(), "message": "int8 with 200 candidates: recall@10 0.998, 3.2 times as fast as exact"}
    gateway.console.jobs = {number: made} | gateway.console.jobs
    handler.json(202, made)


def list_bench(handler, console, **_):
    handler.json(200, {"runs": [{name: value for name, value in one.items() if name != "report"} for one in reversed(console.bench.values())]})


def one_bench(handler, console, name, **_):
    handler.json(200, console.bench[int(name)])


def drop_bench(handler, console, name, **_):
    del console.bench[int(name)]
    handler.json(200, {"id": int(name), "deleted": True})


def paged(handler, rows, name, parameters, **more):
    start, limit = int(parameters.get("cursor", 0)), int(parameters.get("limit", 50))
    handler.json(200, {name: rows[start:start + limit], **more, **({"next_cursor": str(start + limit)} if start + limit < len(rows) else {})})


def list_audit(handler, console, parameters, **_):
    query = {name: urllib.parse.unquote_plus(value) for name, value in parameters.items()}
    found = [one for one in console.audit if query.get("action", one["action"]) == one["action"] and ("key" not in query or str(one.get("key_id")) == query["key"])]
    paged(handler, found, "entries", parameters, kept=100_000)


def missing(handler):
    handler.json(404, {"error": "there is none", "code": "not_found"})


def list_evaluations(handler, console, parameters, **_):
    paged(handler, [{name: value for name, value in one.items() if name != "report"} for one in reversed(console.evaluations.values())], "evaluations", parameters)


def collections(handler, console, **_):
    handler.json(200, {"is_set": console.collections is not None, "collections": console.collections or []})


def one_evaluation(handler, console, name, **_):
    handler.json(200, console.evaluations[int(name)]) if int(name) in console.evaluations else missing(handler)


def drop_evaluation(handler, console, name, **_):
    handler.json(200, {"id": int(name), "deleted": True}) if console.evaluations.pop(int(name), None) else missing(handler)


def compare_evaluations(handler, console, name, other, parameters, **_):
    metric, modes = urllib.parse.unquote(parameters.get("metric", "ndcg@10")), [parameters.get(one, "hybrid") for one in ("before", "after")]
    sides = [{"id": number, "name": console.evaluations[number]["name"], "mode": mode, "mean": console.evaluations[number]["means"][mode][metric]} for number, mode in zip((int(name), int(other)), modes)]
    difference = sides[1]["mean"] - sides[0]["mean"]
    differences = sorted((round(((place * 37 % 41) - 17) / 60, 4) for place in range(225)), reverse=True)
    query = lambda number, text, before, after: {"id": str(number), "text": text, "before": before, "after": after}
    handler.json(200, {"collection": "cranfield", "metric": metric, "before": sides[0], "after": sides[1], "queries": 225, "difference": difference, "low": difference - 0.02, "high": difference + 0.02, "p_value": 0.0008 if abs(difference) > 0.01 else 0.6, "is_exact": False, "wins": 120, "losses": 85, "ties": 20,
                       "gains": [query(9, "papers on internal slip flow heat transfer", 0.1, 0.9), query(12, "boundary layer control", 0.2, 0.7)], "drops": [query(40, "wing body interference", 0.8, 0.3)], "differences": differences, **({} if abs(difference) > 0.01 else {"warning": "225 queries show a difference of 0.0300 or more"})})


def check_evaluation(handler, console, name, data, **_):
    wrong = [one for one in data["gates"] if "0.9" in one]
    handler.json(200, {"passed": not wrong, "failures": [f"{one}: hybrid has ndcg@10 0.410000" for one in wrong]})


def list_failed(handler, console, parameters, **_):
    paged(handler, console.failed, "notes", parameters)


def change_failed(state):
    def route(handler, console, name, other, **_):
        found = next((one for one in console.failed if (one["space"], one["note"]) == (int(name), int(other))), None)
        if not found:
            return missing(handler)
        console.failed.remove(found)
        handler.json(200, {"space": found["space"], "note": found["note"], "state": state})
    return route


def list_prompts(handler, console, **_):
    handler.json(200, {"prompts": [{name: value for name, value in one.items() if name != "text"} for one in console.prompts.values()], "count": len(console.prompts)})


def one_prompt(handler, console, name, **_):
    handler.json(200, console.prompts[name]) if name in console.prompts else missing(handler)


def save_prompt(handler, console, name, data, **_):
    known = console.prompts.get(name)
    if known and data.get("base") != known["version"]:
        return handler.json(409, {"error": "the prompt was changed meanwhile", "code": "conflict"})
    number = (known["number"] if known else 0) + 1
    console.prompts[name] = {**prompt(name, data["title"], data["kind"], known and known["origin"] != "own" and "edited" or "own", number, data["text"], [one["name"] for one in (known or {}).get("variables", [])]), "purpose": data["purpose"], "chat": data["chat"]}
    handler.json(200 if known else 201, console.prompts[name])


def drop_prompt(handler, console, name, **_):
    found = console.prompts.pop(name, None)
    if not found:
        return missing(handler)
    if found["origin"] == "edited":
        console.prompts[name] = {**found, "origin": "curated", "number": 0, "version": "abc0"}
    handler.json(200, {"status": "restored" if found["origin"] == "edited" else "deleted", "id": name})


def prompt_versions(handler, console, name, **_):
    found = console.prompts.get(name)
    if not found:
        return missing(handler)
    handler.json(200, {"id": name, "versions": [{"number": number, "version": f"abc{number}", "title": found["title"], "bytes": 120 + number, **({"created_at": f"2026-10-0{number}T10:00:00Z"} if number else {})} for number in range(found["number"], -1, -1)]})


def prompt_diff(handler, console, name, parameters, **_):
    if name not in console.prompts:
        return missing(handler)
    side = lambda number: {"number": int(number), "version": f"abc{number}", "title": name, "bytes": 120}
    handler.json(200, {"id": name, "from": side(parameters["from"]), "to": side(parameters["to"]), "lines": [{"change": "same", "text": "title: The last time"}, {"change": "removed", "text": "When did I write about {{what}}?"}, {"change": "added", "text": "When did I last write about {{what}}?"}, {"change": "added", "text": "Name the notes."}]})


def render_prompt(handler, console, name, data, **_):
    if name not in console.prompts:
        return missing(handler)
    text = console.prompts[name]["text"]
    for key, value in (data.get("values") or {}).items():
        text = text.replace("{{" + key + "}}", value)
    values = data.get("values") or {}
    scope = {**({"timeScope": {"days": float(values["days"])}} if "days" in values else {}), **{key: values[key] for key in ("tag", "thread") if key in values}}
    handler.json(200, {"id": name, "version": "abc", "text": text, "chat": console.prompts[name].get("chat", "ask"), **({"scope": scope} if scope else {})})


def jobs(handler, gateway, **_):
    handler.json(200, {"jobs": list(gateway.console.jobs.values())})


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
    handler.json(200, {"keys": list(console.keys.values())})


def one_key(handler, console, name, **_):
    handler.json(200, console.keys[int(name)])


def make_key(handler, console, data, **_):
    if any(one["name"] == data["name"] for one in console.keys.values()):
        return handler.json(409, {"error": f"there is a key {data['name']} already", "code": "exists"})
    number = max(console.keys, default=0) + 1
    console.made = data
    console.keys[number] = {"id": number, "name": data["name"], "prefix": "slk_new", "kind": "signature" if data.get("public_key") else "path" if data.get("in_path") else "header", "scopes": data["scopes"], "models": data.get("models", []), "priority": data.get("priority", "normal"), "currency": "EUR", "created_at": utc(), "usage": [], **{name: data[name] for name in ("requests_per_minute", "tokens_per_day", "requests_at_once", "budget_per_month") if name in data}}
    handler.json(201, {**console.keys[number], **({} if data.get("public_key") else {"key": "slk_secret"})})


def change_key(handler, console, name, data, **_):
    console.changed = data
    key = console.keys[int(name)]
    for field, value in data.items():
        key[field] = value
        if value is None:
            del key[field]
    handler.json(200, key)


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


def settings(console):
    def setting(key, value, origin="default", live=False, **more):
        return {"key": key, "origin": origin, "environment": f"SELENE_{key.upper()}", "summary": f"what {key} is for", "editable": False, "live": live, **({"value": value} if value is not None else {}), **more}

    def edited(key, default, live=False, summary=None):
        """One that the page changes. What waits for a restart is its next value."""
        before, now = ({"value": values.get(key, default), "origin": "file" if key in values else "default"} for values in (console.started, console.stored))
        more = {"next": now} if now["value"] != before["value"] and not live else {}
        one = {**setting(key, None, live=live), **(now if live else before), "default": default, "editable": True, **({"summary": summary} if summary else {}), **more}
        return {name: value for name, value in one.items() if value is not None}
    return [
        setting("host", "0.0.0.0", "flag"), setting("port", "5678"), setting("api_token", "********", "environment", True),
        setting("max_connections", "4096", next={"value": "100", "origin": "environment"}), setting("export", None), setting("mcp", "off", "environment"), setting("fusion", "rrf", "flag"),
        edited("backfill", "auto", summary="embed new notes while serving: auto or off"), edited("generate_model", MODELS[0], live=True), {**edited("embed_model", "nomic-embed-text"), "value": MODELS[2], "origin": "file"},
        edited("memories", "on", summary="chats find facts about you; off: neither"), edited("transcribe_model", None), edited("workflows", "briefing,threads,actions", live=True), edited("briefing_at", "07:00", live=True), edited("goals_nudge_at", "off"), edited("chat_context", "8192"), edited("week_start", "monday", live=True), edited("load_shield", "off", live=True, summary="on: the gateway loads models"),
        edited("request_log", "on"), edited("log_level", "info", live=True)]


def configuration(handler, console, **_):
    further = {one["key"]: one for one in settings(console)}
    for key, value in console.settings.items():
        further[key] = {**further.get(key, {"key": key, "environment": f"SELENE_{key.upper()}", "summary": f"what {key} is for", "live": False}), "value": value, "origin": "default"}
    found = list(further.values())
    if console.is_older:
        found = [{name: value for name, value in one.items() if name not in ("editable", "default")} for one in found]
    handler.json(200, {"file": "/home/ada/.selene/config.json", **({"problem": '"port" in the configuration file is "x", but a whole number is expected'} if console.is_broken else {}), "settings": found})


def change_setting(handler, console, data, **_):
    key, value = data["key"], data.get("value")
    found = next((one for one in settings(console) if one["key"] == key), None)
    console.changes.append((key, value))
    if not found or not found["editable"]:
        return handler.json(409, {"error": f'"{key}" cannot be changed here: the environment variable SELENE_{key.upper()} sets it', "code": "fixed_setting"})
    if key == "chat_context" and value is not None and int(value) < 512:
        return handler.json(400, {"error": f'"chat_context" is {value}, but 512 or more is expected', "code": "invalid_field"})
    if value is None:
        console.stored.pop(key, None)
    else:
        console.stored[key] = value
    configuration(handler, console)


def doctor(handler, console, parameters, **_):
    console.examined.append(parameters.get("deep") == "true")
    if len(console.examined) == 1:
        return handler.json(429, {"error": "an examination runs already", "code": "overloaded"})
    found = [{"check": "triggers", "severity": "ok", "message": "all are in place", "fixable": False}, {"check": "permissions", "severity": "warning", "message": "other users of this machine can read /home/ada/.selene/selene.sqlite.cache (mode 644)", "remedy": "chmod 600 /home/ada/.selene/selene.sqlite.cache", "fixable": True},
             {"check": "upstreams", "severity": "problem", "message": "http://10.0.0.8:11434: connection refused", "remedy": "start it (ollama serve), or set another address (OLLAMA_HOST, SELENE_UPSTREAMS)", "fixable": False}]
    handler.json(200, {"problems": 1, "warnings": 1, "deep": console.examined[-1], "findings": found})


def points(span, console):
    count, length = (96, 900) if span == "day" else (60, 60)
    start = int(time.time()) // length * length - (count - 1) * length
    found = []
    for place in range(count):
        # It did not run in the first quarter.
        runs = place >= count // 4 and console.is_logging
        busy = runs and place % 7 != 3
        requests = (place * 37 % 23 + 5) if busy else 0
        found.append({"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start + place * length)), "requests": requests, "failed": 2 if busy and place % 11 == 0 else 0, "prompt_tokens": requests * 90 * console.has_answers, "generated_tokens": requests * 40 * console.has_answers,
                      **({"first_token_ms": 250 + place * 13 % 90, "longest_first_token_ms": 400 + place * 29 % 900} if busy and console.has_answers else {}), **({"queue_ms": place % 5, "longest_queue_ms": place % 5 * 12} if busy else {}),
                      **({"resident_bytes": 60_000_000 + place * 250_000, "in_flight": requests // 4} if runs else {})})
    return found


def traffic(handler, console, parameters, **_):
    span = parameters.get("span", "hour")
    console.spans.append(span)
    handler.json(200, {"span": span, "seconds_per_point": 900 if span == "day" else 60, "points": points(span, console)})


ROUTES = [
    ("GET", ["api", "audit"], False, admin(list_audit)), ("GET", ["api", "requests"], False, admin(requests)), ("GET", ["api", "requests", "live"], False, admin(live)), ("DELETE", ["api", "requests", "live", "*"], False, admin(cancel)), ("GET", ["api", "admin", "config"], False, admin(configuration)), ("PATCH", ["api", "admin", "config"], False, admin(change_setting)), ("GET", ["api", "admin", "doctor"], False, admin(doctor)), ("GET", ["api", "admin", "traffic"], False, admin(traffic)),
    ("GET", ["api", "admin", "stats"], False, stats), ("GET", ["api", "jobs"], False, jobs), ("DELETE", ["api", "jobs", "*"], False, change_job("cancelled")), ("POST", ["api", "jobs", "*", "resume"], False, change_job("running")),
    ("POST", ["api", "jobs", "backfill"], False, begin("backfill")), ("POST", ["api", "briefing", "associations", "compute"], False, begin("associations")),
    ("GET", ["api", "tags"], False, tags), ("GET", ["api", "ps"], False, loaded), ("POST", ["api", "generate"], False, admin(generate)), ("DELETE", ["api", "delete"], False, admin(delete_model)), ("POST", ["api", "pull"], False, admin(pull)),
    ("GET", ["api", "admin", "events"], False, events), ("GET", ["api", "admin", "spaces"], False, admin(list_spaces)), ("POST", ["api", "admin", "spaces", "rollback"], False, admin(switch_space)), ("POST", ["api", "admin", "spaces", "*", "switch"], False, admin(switch_space)), ("DELETE", ["api", "admin", "spaces", "*"], False, admin(drop_space)),
    ("GET", ["api", "admin", "index"], False, admin(index)), ("POST", ["api", "jobs", "tune"], False, tune), ("GET", ["api", "bench"], False, admin(list_bench)), ("GET", ["api", "bench", "*"], False, admin(one_bench)), ("DELETE", ["api", "bench", "*"], False, admin(drop_bench)),
    ("GET", ["api", "admin", "evaluations"], False, admin(list_evaluations)), ("GET", ["api", "admin", "evaluations", "collections"], False, admin(collections)), ("GET", ["api", "admin", "evaluations", "*"], False, admin(one_evaluation)), ("DELETE", ["api", "admin", "evaluations", "*"], False, admin(drop_evaluation)),
    ("GET", ["api", "admin", "evaluations", "*", "compare", "*"], False, admin(compare_evaluations)), ("POST", ["api", "admin", "evaluations", "*", "gates"], False, admin(check_evaluation)), ("POST", ["api", "jobs", "evaluation"], False, begin("evaluation")),
    ("GET", ["api", "admin", "failed-notes"], False, admin(list_failed)), ("POST", ["api", "admin", "failed-notes", "*", "*", "retry"], False, admin(change_failed("queued"))), ("DELETE", ["api", "admin", "failed-notes", "*", "*"], False, admin(change_failed("discarded"))),
    ("GET", ["api", "prompts"], False, anyone(list_prompts)), ("GET", ["api", "prompts", "*"], False, anyone(one_prompt)), ("PUT", ["api", "prompts", "*"], False, admin(save_prompt)), ("DELETE", ["api", "prompts", "*"], False, admin(drop_prompt)), ("GET", ["api", "prompts", "*", "versions"], False, admin(prompt_versions)),
    ("GET", ["api", "prompts", "*", "diff"], False, admin(prompt_diff)), ("POST", ["api", "prompts", "*", "render"], False, anyone(render_prompt)),
    ("GET", ["api", "admin", "keys"], False, admin(list_keys)), ("POST", ["api", "admin", "keys"], False, admin(make_key)), ("GET", ["api", "admin", "keys", "*"], False, admin(one_key)), ("PATCH", ["api", "admin", "keys", "*"], False, admin(change_key)), ("DELETE", ["api", "admin", "keys", "*"], False, admin(revoke)), ("POST", ["web", "pairings"], False, admin(invite)),
]
