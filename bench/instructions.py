#!/usr/bin/env python3
"""instructions.py - machine instructions of one tools/call, by callgrind

    bench/instructions.py [--check | --save]

Counts those of two runs of the release binary that differ by CALLS calls of
`add` over one connection; threads, timers and the start cancel out. The count
hardly depends on what else the machine does, so growth can be refused:
--check fails when it is more than 5 % above bench/instructions.json, --save
writes that file. Needs valgrind.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys

import compare

FILE = os.path.join(compare.HERE, "instructions.json")
WARM, CALLS, GROWTH = 300, 1000, 1.05


def count(calls):
    """Instructions of a server that has answered so many calls."""
    port = compare.free_port()
    server = subprocess.Popen(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         compare.MCPLUAD, "--port", str(port), "--log-level", "error",
         os.path.join(compare.HERE, "app.lua")],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    connection = None
    try:
        for _ in range(600):
            try:
                connection = socket.create_connection(("127.0.0.1", port), 30)
                break
            except OSError:
                compare.time.sleep(0.1)
        body = json.dumps(compare.ADD).encode()
        head = "".join(f"{k}: {v}\r\n" for k, v in compare.headers(compare.ADD).items())
        request = (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{head}"
                   f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        for _ in range(calls):
            connection.sendall(request)
            if b'"3"' not in connection.recv(65536):
                raise SystemExit("instructions: a call was not answered")
    finally:
        if connection:
            connection.close()
        server.send_signal(signal.SIGTERM)
        text = server.communicate(timeout=60)[1]
    return int(re.search(r"Collected : (\d+)", text).group(1))


def measure():
    few, many = count(WARM), count(WARM + CALLS)
    return round((many - few) / CALLS)


def main():
    now = measure()
    print(f"tools/call add: {now} instructions")
    if "--save" in sys.argv:
        with open(FILE, "w") as f:
            json.dump({"tools/call add": now}, f, indent=2)
            f.write("\n")
    if "--check" in sys.argv:
        with open(FILE) as f:
            before = json.load(f)["tools/call add"]
        print(f"recorded: {before}, {100 * now / before - 100:+.1f} %")
        return 1 if now > before * GROWTH else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
