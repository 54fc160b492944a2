"""The routes of the stand-in: (method, path with * for names, open without a key, function)."""

import time
import urllib.parse

import stand_in_books
import stand_in_briefing
import stand_in_console
import stand_in_goals
import stand_in_notes
import stand_in_push
from stand_in_runs import Run, now


def status(handler, gateway, **_):
    signed_in = gateway.needs_key and handler.cookie() in gateway.cookies
    handler.json(200, session_json(gateway, signed_in))


def session_json(gateway, signed_in):
    """On a gateway without keys nobody is signed in, and nobody needs to be."""
    return {"signed_in": signed_in, "needs_key": gateway.needs_key, "secure": False, "expires_at": None,
            "key": {"name": gateway.key_name, "scopes": ["llm", "notes:read", "notes:write", *gateway.scopes], "models": [], "tokens_per_day": 100_000} if signed_in else None}


def sign_in(handler, gateway, data, **_):
    pairing = gateway.pairings.get(data.get("code", ""))
    if data.get("key") != gateway.key and not (pairing and pairing["state"] == "approved" and data.get("poll") == pairing["poll"]) and data.get("code") != "BCDFGHJK":
        return handler.json(401, {"error": "the key is not valid", "code": "wrong_key"})
    cookie = f"c{len(gateway.cookies)}"
    gateway.cookies.add(cookie)
    handler.json(200, session_json(gateway, True), {"Set-Cookie": f"selene={cookie}; HttpOnly; SameSite=Strict; Path=/"})


def sign_out(handler, gateway, **_):
    gateway.cookies.discard(handler.cookie())
    handler.json(204, None, {"Set-Cookie": "selene=; Max-Age=0; Path=/"})


def browsers(handler, gateway, **_):
    handler.json(200, {"sessions": [
        {"id": 1, "name": "phone", "user_agent": "Chrome, Linux", "created_at": now(), "last_used_at": now(), "is_this": True},
        {"id": 2, "name": "tablet", "user_agent": "Safari, iPad", "created_at": now(), "last_used_at": "2026-11-20T08:00:00Z", "is_this": False}]})


def request_pairing(handler, gateway, data, **_):
    code = "WXZBCDFG"
    gateway.pairings[code] = {"state": "waiting", "poll": "secret", "name": data["name"]}
    handler.json(201, {"code": code, "poll": "secret", "expires_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 300))})


def pairing_state(handler, gateway, code, **_):
    found = gateway.pairings.get(code)
    if not found or handler.headers.get("X-Selene-Poll") != found["poll"]:
        return handler.json(404, {"error": "no such request", "code": "not_found"})
    handler.json(200, {"state": found["state"]})


def pairing_details(handler, gateway, code, **_):
    found = gateway.pairings.get(code)
    if not found:
        return handler.json(404, {"error": "there is no such code", "code": "not_found"})
    handler.json(200, {"name": found["name"], "address": "192.168.1.20", "state": found["state"], "expires_at": now()})


def approve(handler, gateway, code, **_):
    gateway.pairings[code]["state"] = "approved"
    handler.json(200, {"name": gateway.pairings[code]["name"], "state": "approved"})


def start_run(handler, gateway, data, **_):
    with gateway.lock:
        known = gateway.runs.get(data["id"])
        if known:
            if known.question == data["question"]:
                return handler.json(200, known.json())
            return handler.json(409, {"error": "the id was used for another question", "code": "run_exists"})
        session = data.get("session")
        if session is None:
            session = f"chat-{gateway.new_id()}"
            gateway.sessions[session] = {"id": session, "title": data["question"][:60], "created_at": now(), "updated_at": now(), "message_count": 0, "is_pinned": False}
            gateway.messages[session] = []
        working = next((one for one in gateway.runs.values() if one.session == session and one.is_working), None)
        if working:
            return handler.json(409, {"error": "the session has a run", "code": "session_busy", "run": working.id})
        run = Run(gateway, {**data, "session": session}, gateway.script)
        messages = gateway.messages[session]
        parent = data["parent"] if "parent" in data else (messages[-1]["id"] if messages else None)
        run.user_message = gateway.new_id()
        messages.append({"id": run.user_message, "session_id": session, "role": "user", "content": data["question"], "created_at": now(), "parent_id": parent, "run": run.id})
        gateway.sessions[session]["updated_at"] = now()
        gateway.runs[run.id] = run
    run.start()
    handler.json(201, run.json())


def with_run(route):
    def found(handler, gateway, name, **more):
        run = gateway.runs.get(name)
        if run is None:
            return handler.json(404, {"error": f"there is no run {name}", "code": "not_found"})
        return route(handler, gateway, run, **more)
    return found


@with_run
def one_run(handler, gateway, run, **_):
    handler.json(200, run.json())


@with_run
def stop_run(handler, gateway, run, **_):
    run.is_stopping = True
    for _ in range(100):
        if run.is_over:
            break
        time.sleep(0.01)
    handler.json(200, run.json())


@with_run
def continue_run(handler, gateway, run, **_):
    if run.state != "interrupted":
        return handler.json(409, {"error": "the run is not interrupted", "code": "not_interrupted"})
    run.resume()
    handler.json(200, run.json())


@with_run
def run_events(handler, gateway, run, parameters, **_):
    handler.events(run, handler.headers.get("Last-Event-ID") or parameters.get("after"))


def list_runs(handler, gateway, parameters, **_):
    session = urllib.parse.unquote(parameters.get("session", ""))
    found = [run for run in reversed(gateway.runs.values()) if (not session or run.session == session) and (parameters.get("state") != "running" or not run.is_over)]
    handler.json(200, {"runs": [run.json(is_short=True) for run in found[:int(parameters.get("limit", 50))]]})


def list_sessions(handler, gateway, parameters, **_):
    rows = sorted(gateway.sessions.values(), key=lambda one: one["updated_at"], reverse=True)
    start, limit = int(parameters.get("cursor", 0)), int(parameters.get("limit", 100))
    more = {"next_cursor": str(start + limit)} if start + limit < len(rows) else {}
    handler.json(200, {"count": len(rows), "sessions": rows[start:start + limit], **more})


def with_session(route):
    def found(handler, gateway, name, **more):
        name = urllib.parse.unquote(name)
        if name not in gateway.sessions:
            return handler.json(404, {"error": f"there is no session {name}", "code": "not_found"})
        return route(handler, gateway, name, **more)
    return found


@with_session
def put_session(handler, gateway, name, data, **_):
    gateway.sessions[name].update(data)
    handler.json(200, gateway.sessions[name])


@with_session
def pin_session(handler, gateway, name, data, **_):
    gateway.sessions[name]["is_pinned"] = data["isPinned"]
    handler.json(200, gateway.sessions[name])


@with_session
def delete_session(handler, gateway, name, **_):
    del gateway.sessions[name], gateway.messages[name]
    handler.json(200, {"id": name, "status": "deleted"})


@with_session
def list_messages(handler, gateway, name, parameters, **_):
    """Oldest first, or with `order=newest` the other way; a cursor is the last id of the page before."""
    is_newest = parameters.get("order") == "newest"
    rows = sorted(gateway.messages[name], key=lambda one: one["id"], reverse=is_newest)
    if "cursor" in parameters:
        last = int(parameters["cursor"])
        rows = [one for one in rows if (one["id"] < last if is_newest else one["id"] > last)]
    limit = int(parameters.get("limit", 100))
    more = {"next_cursor": str(rows[limit - 1]["id"])} if len(rows) > limit else {}
    handler.json(200, {"session_id": name, "count": len(rows[:limit]), "messages": rows[:limit], **more})


@with_session
def one_session(handler, gateway, name, **_):
    handler.json(200, gateway.sessions[name])


def transcriber(handler, gateway, **_):
    handler.json(200, {"available": gateway.hears is not None, "model": "whisper" if gateway.hears is not None else None})


def transcribe(handler, gateway, body, **_):
    gateway.recordings.append((handler.headers.get("Content-Type"), body))
    handler.json(200, {"text": gateway.hears, "model": "whisper"})


ROUTES = stand_in_books.ROUTES + stand_in_notes.ROUTES + stand_in_goals.ROUTES + stand_in_push.ROUTES + stand_in_console.ROUTES + stand_in_briefing.ROUTES + [
    ("GET", ["web", "session"], True, status), ("POST", ["web", "session"], True, sign_in), ("DELETE", ["web", "session"], True, sign_out),
    ("GET", ["web", "sessions"], False, browsers), ("DELETE", ["web", "sessions", "*"], False, lambda handler, gateway, name, **_: handler.json(204, None)),
    ("POST", ["web", "pairings", "requests"], True, request_pairing), ("GET", ["web", "pairings", "requests", "*"], True, pairing_state),
    ("GET", ["web", "pairings", "requests", "*", "details"], False, pairing_details), ("POST", ["web", "pairings", "requests", "*", "approve"], False, approve),
    ("POST", ["api", "chat", "runs"], False, start_run), ("GET", ["api", "chat", "runs"], False, list_runs),
    ("GET", ["api", "chat", "runs", "*"], False, one_run), ("DELETE", ["api", "chat", "runs", "*"], False, stop_run),
    ("POST", ["api", "chat", "runs", "*", "continue"], False, continue_run), ("GET", ["api", "chat", "runs", "*", "events"], False, run_events),
    ("GET", ["api", "llm", "transcribe"], False, transcriber), ("POST", ["api", "llm", "transcribe"], False, transcribe),
    ("GET", ["api", "sessions"], False, list_sessions), ("GET", ["api", "sessions", "*"], False, one_session), ("PUT", ["api", "sessions", "*"], False, put_session), ("PATCH", ["api", "sessions", "*", "pin"], False, pin_session),
    ("DELETE", ["api", "sessions", "*"], False, delete_session), ("GET", ["api", "sessions", "*", "messages"], False, list_messages),
]
