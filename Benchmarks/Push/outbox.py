#!/usr/bin/env python3
"""Measures notifications from the request to the synthetic APNs, through the outbox on disk.

    outbox.py [--devices 1000] [--messages 30] [--rate 100] [--seconds 20]

First messages to all devices are sent one after another, and the time runs until the stand-in has every push. Then one device gets
messages at a steady rate, and the time of each runs from the start of its request to its arrival at the stand-in. Exits with 1 if a
push was lost or came twice.
"""
import argparse
import http.client
import json
import os
import pathlib
import subprocess
import threading
import time

from lib import environment, figures, processes

BIN = environment.ROOT / ".build" / os.environ.get("CONFIGURATION", "release")


class StandIn:
    """The synthetic APNs in a process of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen([BIN / "fake-apns", "--folder", folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.origin = self.process.stdout.readline().strip()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def account(self):
        """Everything that it knows. Costs the stand-in more the more it got, so it is asked when the pushes have come."""
        return self.ask("")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Caller:
    """One kept connection to the gateway."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method, path, body):
        self.connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise SystemExit(f"{method} {path}: {reply.status} {text[:300]}")
        return json.loads(text)


def wait_for(stand_in, count, seconds=120):
    """Waits until the stand-in accepted so many pushes; returns its account."""
    end = time.monotonic() + seconds
    while (accepted := stand_in.ask("count")["accepted"]) < count:
        if time.monotonic() > end:
            raise SystemExit(f"after {seconds} s the stand-in has {accepted} of {count} pushes")
        time.sleep(0.2)
    return stand_in.account()


def quantile(values, share):
    return sorted(values)[round((len(values) - 1) * share)]


def burst(server, stand_in, messages, devices, sent):
    """Sends messages to all devices; returns pushes per second and CPU microseconds a push."""
    caller, spent = Caller(server.port), server.cpu()
    begin, ids = time.time(), set()
    for number in range(messages):
        reply = caller.ask("POST", "/api/v1/messages", {
            "message": {"title": "Tide", "body": f"High water at the gauge: {number} cm above the mark"}})
        ids.update(delivery["id"] for delivery in reply["deliveries"])
    account = wait_for(stand_in, sent + messages * devices)
    pushes = messages * devices
    seconds = max(account["arrivals"][one.lower()] for one in ids) - begin
    if len(ids) != pushes or any(account["acceptedIDs"].get(one.lower()) != 1 for one in ids):
        raise SystemExit("a push was lost or came twice")
    return pushes / seconds, (server.cpu() - spent).total * 1e6 / pushes


def steady(server, stand_in, rate, seconds, device, sent):
    """Sends messages to one device at a rate from several connections; returns the milliseconds of each."""
    begins, lock, lanes = {}, threading.Lock(), 8
    start = time.time() + 0.2

    def lane(first):
        caller = Caller(server.port)
        for number in range(first, rate * seconds, lanes):
            due = start + number / rate
            time.sleep(max(0, due - time.time()))
            begin = time.time()
            reply = caller.ask("POST", "/api/v1/messages", {"message": {"title": f"event {number}"}, "devices": [device]})
            with lock:
                begins[reply["deliveries"][0]["id"].lower()] = begin

    threads = [threading.Thread(target=lane, args=(first,)) for first in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    account = wait_for(stand_in, sent + rate * seconds)
    if any(account["acceptedIDs"].get(one) != 1 for one in begins):
        raise SystemExit("a push was lost or came twice")
    return [(account["arrivals"][one] - begin) * 1000 for one, begin in begins.items()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--messages", type=int, default=30)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    with processes.Field() as field:
        folder = pathlib.Path(field.folder)
        stand_in = StandIn(folder)
        try:
            port = processes.free_port()
            server = field.start(
                "selene", [BIN / "selene", "serve", "--port", port], port,
                {"SELENE_DATABASE": str(folder / "n.sqlite"), "SELENE_BACKFILL": "off", "SELENE_LOG_LEVEL": "error",
                 "SELENE_PUSH_APNS_KEY": str(folder / "key.p8"), "SELENE_PUSH_APNS_KEY_ID": "ABC123DEFG",
                 "SELENE_PUSH_APNS_TEAM_ID": "TEAM123456", "SELENE_PUSH_BUNDLE_ID": "com.example.app",
                 "SELENE_PUSH_APNS_ORIGIN": stand_in.origin, "SELENE_PUSH_APNS_AUTHORITIES": str(folder / "ca.crt"),
                 "HOME": str(folder)})
            caller = Caller(port)
            for number in range(options.devices):
                caller.ask("POST", "/api/v1/devices", {"name": f"phone {number}", "apnsToken": f"{number:064x}"})
            # Opens the connection and warms up what is made once.
            caller.ask("POST", "/api/v1/messages", {"message": {"title": "first"}})
            sent = wait_for(stand_in, options.devices)["accepted"]
            rates, before = [], server.memory("VmRSS")
            for _ in range(3):
                rate, cpu = burst(server, stand_in, options.messages, options.devices, sent)
                sent += options.messages * options.devices
                rates.append(rate)
                memory = server.memory("VmHWM") - before
                print(f"burst: {rate:.0f} pushes/s from request to stand-in, {cpu:.0f} us CPU each, "
                      f"+{memory:.1f} MB since the first", flush=True)
            times = steady(server, stand_in, options.rate, options.seconds, "phone 1", sent)
            print(f"{options.rate}/s: p50 {quantile(times, .5):.1f} ms, p99 {quantile(times, .99):.1f} ms, "
                  f"worst {max(times):.1f} ms from request to stand-in", flush=True)
        finally:
            stand_in.stop()
    figures.report("push.outbox_per_second", sorted(rates)[1])
    figures.report("push.outbox_memory_mb", memory)
    figures.report("push.event_p99_ms", quantile(times, .99))


if __name__ == "__main__":
    main()
