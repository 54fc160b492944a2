#!/usr/bin/env python3
"""Measures what a JSON body of 8 MiB costs the server: CPU of the process and growth of its peak memory.

    bodies.py [--series 15]

Each kind of body is sent to a server of its own, warmed up by a hundred small requests: once alone, then in a series
on one connection. The server has a key and its default log.
"""
import argparse
import http.client
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Scripts"))
import stand  # noqa: E402

from lib.figures import report  # noqa: E402

SIZE = 8 << 20
TICK = os.sysconf("SC_CLK_TCK")


def filled(head, unit, tail):
    """A body of just under 8 MiB: head, repetitions of a unit, tail."""
    return head + unit * ((SIZE - len(head) - len(tail)) // len(unit)) + tail


def numbers(digits):
    unit = b"0." + b"1" * (digits - 3) + b","
    return filled(b'{"model":"qwen3:0.6b","stream":false,"prompt":"x","context":[', unit, b"0]}")


def kinds():
    generate = b'{"model":"qwen3:0.6b","stream":false,"prompt":"'
    return {
        "a string": filled(generate, b"a", b'"}'),
        "escapes": filled(generate, b"\\u00e4", b'"}'),
        "250,000 numbers": numbers(33),
        "4 million zeros": filled(b'{"model":"qwen3:0.6b","stream":false,"prompt":"x","context":[', b"0,", b"0]}"),
        "small objects": filled(b'{"model":"qwen3:0.6b","stream":false,"prompt":"x","context":[', b'{"a":1},', b"0]}"),
        "nesting": filled(b'{"model":"qwen3:0.6b","stream":false,"prompt":"x","context":', b"[", b""),
    }


def cost(process):
    """CPU seconds, resident and peak memory in MB."""
    stat = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return (int(stat[11]) + int(stat[12])) / TICK, *(int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def post(connection, key, body):
    connection.request("POST", "/api/llm/generate", body,
                       {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    response = connection.getresponse()
    response.read()
    return response.status


def measure(body, series):
    with stand.Stand(fake=["--tokens", "1"]) as s:
        key = s.key("phone", "llm")
        connection = http.client.HTTPConnection(s.url.split("//")[1], timeout=120)
        for _ in range(100):
            assert post(connection, key, b'{"model":"qwen3:0.6b","stream":false,"prompt":"x"}') == 200
        process = s.gateway_process
        pathlib.Path(f"/proc/{process.pid}/clear_refs").write_text("5")
        begin = cost(process)
        status = post(connection, key, body)
        alone = cost(process)
        for _ in range(series):
            connection.close()
            assert post(connection, key, body) == status
        end = cost(process)
        return status, alone[0] - begin[0], alone[2] - begin[1], (end[0] - alone[0]) / series, end[2] - begin[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=15)
    options = parser.parse_args()
    print("| 8 MiB of | status | CPU s | peak memory + MB | "
          f"{options.series} in a row: CPU s each | peak memory + MB |\n|---|---:|---:|---:|---:|---:|", flush=True)
    rows = []
    for name, body in kinds().items():
        row = measure(body, options.series)
        rows.append(row)
        print(f"| {name} | {row[0]} | {row[1]:.2f} | {row[2]:.0f} | {row[3]:.2f} | {row[4]:.0f} |", flush=True)
    report("bodies.cpu_s", max(max(row[1], row[3]) for row in rows))
    report("bodies.peak_mb", max(row[2] for row in rows))


if __name__ == "__main__":
    main()
