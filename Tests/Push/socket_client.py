#!/usr/bin/env python3
"""Checks the WebSocket of devices with the Python client `websockets`, as part of `make test-clients`.

Starts a gateway, registers a device and speaks Pulpit's protocol to it: signing in, notifications, a shortcut with its
result, replay after a broken connection, connections that are idle or reset, and what is refused.
"""
import asyncio
import json
import pathlib
import socket as tcp
import struct
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Scripts"))
import stand  # noqa: E402

try:
    import websockets
except ImportError:
    print("skipped: websockets is not installed (make test-clients installs it)")
    sys.exit(0)


IDLE_TIMEOUT = 2


def ask(s, method, path, body=None):
    request = urllib.request.Request(
        s.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {s.token}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.loads(reply.read() or b"{}")


async def call(s, method, path, body=None):
    return await asyncio.to_thread(ask, s, method, path, body)


async def sign_in(s, token, **more):
    socket = await websockets.connect(s.url.replace("http", "ws", 1) + "/ws", max_size=1 << 20)
    await socket.send(json.dumps({"type": "auth", "token": token, **more}))
    return socket, json.loads(await asyncio.wait_for(socket.recv(), 20))


async def read(socket):
    return json.loads(await asyncio.wait_for(socket.recv(), 20))


async def reset(s, token):
    """Signs in and ends the connection by a reset."""
    socket, _ = await sign_in(s, token, since=0)
    linger = struct.pack("ii", 1, 0)
    socket.transport.get_extra_info("socket").setsockopt(tcp.SOL_SOCKET, tcp.SO_LINGER, linger)
    socket.transport.abort()


async def check(s):
    device = await call(s, "POST", "/api/v1/devices", {"name": "desk", "stream": True, "isAutomationServer": True})
    token = device["registrationToken"]

    socket, welcome = await sign_in(s, token)
    assert welcome["type"] == "auth_ok" and welcome["deviceId"] == device["id"], welcome
    await asyncio.wait_for(await socket.ping(), 20)
    await socket.send(json.dumps({"type": "ping"}))
    assert (await read(socket))["type"] == "pong"

    # Lengths around the borders of the three forms of a frame's length.
    sizes = [*range(1, 200, 7), 1000, 3900]
    for size in sizes:
        await call(s, "POST", "/api/v1/messages", {"message": {"title": "t", "body": "x" * size}})
    got, last = [], 0
    for _ in sizes:
        event = await read(socket)
        assert event["type"] == "notification" and event["eventId"] > last, event
        last = event["eventId"]
        got.append(len(event["payload"]["body"]))
    assert sorted(got) == sorted(sizes), got

    run = await call(s, "POST", "/api/v1/execute", {"shortcut": "Lights", "input": "on"})
    event = await read(socket)
    assert event["type"] == "execute_shortcut" and event["shortcutName"] == "Lights" and event["input"] == "on", event
    await socket.send(json.dumps({"type": "execute_result", "id": event["id"], "success": True, "output": "done"}))
    delivery = run["deliveries"][0]["id"]
    for _ in range(200):
        if "succeeded: done" in json.dumps(await call(s, "GET", f"/api/v1/deliveries/{delivery}/explain")):
            break
        await asyncio.sleep(0.05)
    else:
        raise AssertionError("the result did not come")

    # The connection breaks without a close; what is sent meanwhile comes with the next one, once.
    last = event["eventId"]
    socket.transport.abort()
    for number in range(30):
        await call(s, "POST", "/api/v1/messages", {"message": {"title": str(number)}})
    socket, _ = await sign_in(s, token, since=last)
    titles = [(await read(socket))["payload"]["title"] for _ in range(30)]
    assert sorted(titles, key=int) == [str(number) for number in range(30)], titles
    await socket.send(b"\x00\x01")
    try:
        await asyncio.wait_for(socket.recv(), 20)
        raise AssertionError("bytes were taken")
    except websockets.ConnectionClosed as closed:
        assert closed.rcvd.code == 1003, closed

    # The idle timeout of HTTP connections does not end a WebSocket.
    socket, _ = await sign_in(s, token)
    await asyncio.sleep(IDLE_TIMEOUT + 1)
    await call(s, "POST", "/api/v1/messages", {"message": {"title": "late"}})
    assert (await read(socket))["payload"]["title"] == "late"
    await socket.close()

    # Resets in the middle of a replay leave no reader behind.
    for _ in range(5):
        await asyncio.gather(*(reset(s, token) for _ in range(20)))
    for _ in range(400):
        if not (await call(s, "GET", f"/api/v1/devices/{device['id']}"))["isOnline"]:
            break
        await asyncio.sleep(0.05)
    else:
        raise AssertionError("a reader was left behind")

    socket, _ = await sign_in(s, token, since=10**15)
    assert (await read(socket))["type"] == "reset"
    await socket.close()
    assert socket.close_code == 1000, socket.close_code
    socket, refusal = await sign_in(s, "prt_wrong")
    assert refusal["type"] == "auth_error", refusal
    await asyncio.wait_for(socket.wait_closed(), 20)
    assert socket.close_code == 1008, socket.close_code


def main():
    with stand.Stand(settings={"SELENE_CLIENT_IDLE_TIMEOUT": str(IDLE_TIMEOUT)}) as s:
        asyncio.run(check(s))
    print("the WebSocket of devices: all passed")


if __name__ == "__main__":
    main()
