"""wire.py - drive the real binary over HTTP and stdio, by the standard library

    import wire

    class Echo(wire.TestCase):
        APP = 'local mcp = require "mcp" ...'      # or APP_FILE = a path
        OPTIONS = ["--call-timeout", "1"]

        def test_answers(self):
            answer = self.server.call("echo", {"text": "hi"})
            self.assertEqual(answer.result["content"][0]["text"], "hi")

The binary is $MCPLUAD_BIN, else build/dev/mcpluad. Each server gets a free
port and a folder of its own. Stopping one sends SIGTERM and fails unless the
process ends with 0 within STOP_SECONDS and stderr holds no sanitizer report.

Run them all: ./dev test wire. One: cd tests/wire && python3 -m unittest
test_00_harness.
"""

import http.client
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import schemas
from messages import (  # noqa: F401 (given on to the tests)
    CLIENT_INFO, LEGACY, META, MODERN, NAME_MEMBER, Answer, Event, Request,
    Stream, encode, header_value, meta, modern, parse_events)

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
SHARED_DIR = os.path.join(os.path.dirname(SOURCE_DIR), "shared")
BIN = os.path.abspath(os.environ.get("MCPLUAD_BIN") or os.path.join(
    SOURCE_DIR, "build", "dev", "mcpluad"))

# Judges what the tests receive, at the end of each.
JUDGE = schemas.make(os.path.join(SHARED_DIR, "spec"), os.path.join(
    os.path.dirname(BIN), "tools", "schema_check"))

START_SECONDS = 20     # generous: ASan on a busy machine
STOP_SECONDS = 15      # 5 are promised for SIGTERM, on a machine at rest
ANSWER_SECONDS = 30

# What a sanitizer or glibc prints when it has found something.
REPORT = re.compile(
    r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|SUMMARY: \w+Sanitizer"
    r"|runtime error: |\*\*\* stack smashing|double free or corruption"
    r"|malloc\(\): |free\(\): invalid")
BANNER = re.compile(r"http://(\[[^\]]*\]|[^\s/:]+):(\d+)(/[\w/.-]*)?")


def sanitizer_env(extra=None):
    """The environment of a server under test."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("MCPLUAD_", "LUA_"))}
    env.setdefault("ASAN_OPTIONS", "detect_stack_use_after_return=0")
    env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    env.update(extra or {})
    return env


def wait_until(condition, what="it never came to be", seconds=ANSWER_SECONDS):
    """Asks until condition() is true; what it was. `what` is said when it is
    not in time, the result of it when it is a function."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(what() if callable(what) else what)
        time.sleep(0.01)


class Process:
    """The binary with its own folder and its stderr collected."""

    def __init__(self, app=None, app_file=None, options=(), files=None,
                 env=None, stdio=False):
        self.folder = tempfile.mkdtemp(prefix="mcpluad-wire-")
        for name, content in (files or {}).items():
            self.write(name, content)
        if app_file is None:
            app_file = self.write("app.lua", app)
        self.app_file = app_file
        self.arguments = [BIN, *(["--stdio"] if stdio else ["--port", "0"]),
                          *options, app_file]
        self.process = subprocess.Popen(
            self.arguments, cwd=self.folder, env=sanitizer_env(env),
            stdin=subprocess.PIPE if stdio else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.process.pid
        self._stderr = []
        self._new_line = threading.Condition()
        self._readers = [self._read(self.process.stderr, self._keep_line)]
        self._stopped = False

    def write(self, name, content):
        """Writes a file into the server's folder; the path."""
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(encode(content))
        return path

    @staticmethod
    def _read(pipe, keep):
        def loop():
            for line in pipe:
                keep(line)
            keep(None)
        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        return thread

    def _keep_line(self, line):
        with self._new_line:
            if line is None:
                self._stderr_ended = True
            else:
                self._stderr.append(line.decode("utf-8", "replace"))
            self._new_line.notify_all()

    _stderr_ended = False

    @property
    def stderr(self):
        """What the process has written to stderr so far."""
        with self._new_line:
            return "".join(self._stderr)

    def wait_stderr(self, pattern, seconds=ANSWER_SECONDS):
        """Waits for `pattern` (regular expression) on stderr; the match."""
        end = time.monotonic() + seconds
        with self._new_line:
            while True:
                found = re.search(pattern, "".join(self._stderr))
                if found:
                    return found
                left = end - time.monotonic()
                if left <= 0 or self._stderr_ended:
                    raise AssertionError("stderr never said %r, but:\n%s" % (
                        getattr(pattern, "pattern", pattern),
                        "".join(self._stderr)))
                self._new_line.wait(left)

    def wait_said(self, text, count=1, seconds=ANSWER_SECONDS):
        """Waits until stderr has `text` so often: what a handler wrote there
        when it began, say."""
        wait_until(lambda: self.stderr.count(text) >= count,
                   lambda: "stderr has not %d times %r, but:\n%s" % (
                       count, text, self.stderr), seconds)

    def signal(self, number):
        self.process.send_signal(number)

    def wait_end(self, seconds=STOP_SECONDS, code=0):
        """Waits for the end, then judges exit code and stderr."""
        if self._stopped:
            return
        self._stopped = True
        late = False
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            late = True
            self.process.kill()
            self.process.wait()
        for reader in self._readers:
            reader.join(5)
        for pipe in (self.process.stdin, self.process.stdout,
                     self.process.stderr):
            if pipe:
                pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if REPORT.search(self.stderr):
            raise AssertionError("the server's stderr has a report:\n"
                                 + self.stderr)
        if late:
            raise AssertionError("still running after %g s; stderr:\n%s"
                                 % (seconds, self.stderr))
        if code is not None and self.process.returncode != code:
            raise AssertionError("exit code %d, not %d; stderr:\n%s" % (
                self.process.returncode, code, self.stderr))

    def kill(self):
        """Ends the process at once; judges nothing but sanitizer reports."""
        if not self._stopped:
            self.process.kill()
            self.wait_end(STOP_SECONDS, None)

    def rss_kib(self):
        """Resident memory of the process."""
        with open("/proc/%d/status" % self.pid) as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.kill()


class Server(Process):
    """`mcpluad --port 0 app.lua`, ready: its banner has been read."""

    def __init__(self, app=None, **how):
        super().__init__(app, **how)
        self.stdout = []
        self._readers.append(self._read(self.process.stdout, self._keep_out))
        try:
            found = self.wait_stderr(BANNER, START_SECONDS)
        except AssertionError:
            self.kill()
            raise
        self.host, self.port = found.group(1), int(found.group(2))
        self.path = found.group(3) or "/"
        self.url = found.group(0)
        self._versions = {}  # of the sessions

    def _keep_out(self, line):
        if line is not None:
            self.stdout.append(line)

    def stop(self, seconds=STOP_SECONDS, code=0):
        """SIGTERM; fails unless it ends with `code` in time and clean."""
        if not self._stopped:
            self.signal(signal.SIGTERM)
            self.wait_end(seconds, code)

    def connection(self, timeout=ANSWER_SECONDS):
        """A keep-alive http.client connection; yours to close."""
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def _sent(self, body, headers):
        """What `body` asks, for the judge of the answer."""
        headers = {k.lower(): v for k, v in (headers or {}).items()}
        version = headers.get("mcp-protocol-version") or LEGACY[-1]
        if version not in LEGACY:
            version = MODERN
        version = self._versions.get(headers.get("mcp-session-id"), version)
        return schemas.Sent(None if body is None else encode(body), version)

    def _receive(self, sent, path, answer):
        """Gives a whole answer of the endpoint to the judge."""
        if path is not None and path.split("?")[0].rstrip("/") != self.path:
            return
        if answer.type == "text/event-stream":
            for event in answer.events:
                if event.data:
                    JUDGE.take(sent, encode(event.data))
        elif answer.type == "application/json":
            JUDGE.take(sent, answer.body)
        session = answer.headers.get("Mcp-Session-Id")
        if session is not None:
            try:
                version = json.loads(answer.body)["result"]["protocolVersion"]
            except (ValueError, KeyError, TypeError):
                return
            self._versions[session] = version

    def _send(self, connection, method, path, body, headers):
        path = self.path if path is None else path
        headers = {k: v for k, v in (headers or {}).items() if v is not None}
        connection.putrequest(method, path, skip_accept_encoding=True,
                              skip_host="Host" in headers)
        data = None if body is None else encode(body)
        if data is not None and "Content-Length" not in headers \
                and "Transfer-Encoding" not in headers:
            connection.putheader("Content-Length", str(len(data)))
        for key, value in headers.items():
            connection.putheader(key, value)
        connection.endheaders(data)

    def request(self, method, path=None, body=None, headers=None,
                connection=None, timeout=ANSWER_SECONDS):
        """One exchange, exactly these headers (plus Host, Content-Length)."""
        own = connection is None
        connection = connection or self.connection(timeout)
        try:
            self._send(connection, method, path, body, headers)
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
            self._receive(self._sent(body, headers), path, answer)
            return answer
        finally:
            if own:
                connection.close()

    def get(self, path, headers=None):
        return self.request("GET", path, None, headers)

    @staticmethod
    def _post_headers(headers):
        return {"Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                **(headers or {})}

    def post(self, body, headers=None, **how):
        """POST to the endpoint; `headers` over Content-Type and Accept, None
        removes. server.post(*modern("tools/list")) is a whole request."""
        return self.request("POST", how.pop("path", None), body,
                            self._post_headers(headers), **how)

    def stream(self, body, headers=None, method="POST", timeout=ANSWER_SECONDS):
        """As post(), but hands the response over while it arrives."""
        connection = self.connection(timeout)
        try:
            headers = self._post_headers(headers) if method == "POST" else {
                "Accept": "text/event-stream", **(headers or {})}
            self._send(connection, method, None, body, headers)
            sent = self._sent(body, headers)
            return Stream(connection, connection.getresponse(),
                          lambda data: JUDGE.take(sent, encode(data)))
        except Exception:
            connection.close()
            raise

    def rpc(self, method, params=None, **how):
        """A modern request of `method`; `how` as for modern()."""
        return self.post(*modern(method, params, **how))

    def call(self, name, arguments=None, **how):
        """A modern tools/call."""
        params = {"name": name}
        if arguments is not None:
            params["arguments"] = arguments
        return self.rpc("tools/call", params, **how)

    def session(self, version=LEGACY[0], **how):
        """A legacy session: initialize and notifications/initialized done."""
        return Session(self, version, **how)

    def socket(self, timeout=ANSWER_SECONDS):
        """A connected TCP socket; yours to close."""
        return socket.create_connection((self.host, self.port), timeout)

    def raw(self, data, timeout=ANSWER_SECONDS):
        """Sends bytes as they are, reads one response; an Answer, or None
        when the server hung up without one."""
        with self.socket(timeout) as sock:
            sock.sendall(encode(data))
            response = http.client.HTTPResponse(sock)
            try:
                response.begin()
                answer = Answer(response.status, response.headers,
                                response.read())
                head, _, body = encode(data).partition(b"\r\n\r\n")
                lines = head.decode("latin-1").split("\r\n")[1:]
                if b" " + encode(self.path) + b" " in head:
                    self._receive(self._sent(body, dict(
                        re.split(": *", line, maxsplit=1) for line in lines
                        if ":" in line)), None, answer)
                return answer
            except (http.client.BadStatusLine, ConnectionResetError):
                return None
            finally:
                response.close()


class Session:
    """A legacy (2025) client over HTTP. `id` is None when none was given."""

    def __init__(self, server, version=LEGACY[0], capabilities=None):
        self.server, self.version, self.id = server, version, None
        self.next_id = 0
        self.initialized = self.request("initialize", {
            "protocolVersion": version, "capabilities": capabilities or {},
            "clientInfo": CLIENT_INFO})
        self.id = self.initialized.headers.get("Mcp-Session-Id")
        self.version = self.initialized.result["protocolVersion"]
        self.notify("notifications/initialized")

    def headers(self):
        out = {}
        if self.id is not None:
            out["Mcp-Session-Id"] = self.id
        if self.next_id > 1:
            out["MCP-Protocol-Version"] = self.version
        return out

    def body(self, method, params=None):
        """The next request, as an object."""
        out = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        if params is not None:
            out["params"] = params
        self.next_id += 1
        return out

    def request(self, method, params=None, headers=None):
        body = self.body(method, params)
        return self.server.post(body, {**self.headers(), **(headers or {})})

    def call(self, name, arguments=None, **meta_members):
        params = {"name": name, "arguments": arguments or {}}
        if meta_members:
            params["_meta"] = meta_members
        return self.request("tools/call", params)

    def notify(self, method, params=None):
        body = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            body["params"] = params
        return self.server.post(body, self.headers())

    def stream(self, method, params=None):
        return self.server.stream(self.body(method, params), self.headers())

    def delete(self):
        return self.server.request("DELETE", None, None, self.headers())


class Stdio(Process):
    """`mcpluad --stdio app.lua`: one JSON message a line, both ways."""

    def __init__(self, app=None, **how):
        super().__init__(app, stdio=True, **how)
        self._pipe = schemas.Pipe()
        self._lines = queue.Queue()
        self._readers.append(self._read(self.process.stdout, self._lines.put))

    def send(self, message):
        """One message, or bytes as they are (a line end is added)."""
        self._pipe.note(encode(message))
        self.process.stdin.write(encode(message) + b"\n")
        self.process.stdin.flush()

    def line(self, seconds=ANSWER_SECONDS):
        """The next line of stdout as bytes; None at the end of the stream."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError("no line on stdout in %g s; stderr:\n%s"
                                 % (seconds, self.stderr)) from None
        if line is None:
            self._lines.put(None)
        else:
            JUDGE.take(self._pipe.receive(line), line)
        return line

    def receive(self, seconds=ANSWER_SECONDS):
        """The next message; fails at the end of the stream or on no JSON."""
        line = self.line(seconds)
        if line is None:
            raise AssertionError("stdout ended; stderr:\n" + self.stderr)
        if not line.endswith(b"\n"):
            raise AssertionError("a line without its end: %r" % line)
        return json.loads(line)

    def silent(self, seconds=0.3):
        """True when nothing comes for so long."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        self._lines.put(line)
        return False

    def request(self, body, seconds=ANSWER_SECONDS):
        """Sends a request, reads up to its response; the messages before it
        are left in `notifications`. Takes modern(...) too."""
        body = body.body if isinstance(body, Request) else body
        self.notifications = []
        self.send(body)
        while True:
            message = self.receive(seconds)
            if message.get("id") == body["id"] and "method" not in message:
                return message
            self.notifications.append(message)

    def initialize(self, version=LEGACY[0], capabilities=None, id=0):
        """The legacy handshake; the response to initialize."""
        answer = self.request({
            "jsonrpc": "2.0", "id": id, "method": "initialize",
            "params": {"protocolVersion": version, "clientInfo": CLIENT_INFO,
                       "capabilities": capabilities or {}}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def stop(self, seconds=STOP_SECONDS, code=0):
        """Closes stdin, the client's way to end it; judged as Server.stop."""
        if not self._stopped:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
            self.wait_end(seconds, code)


def run(*arguments, input=b"", env=None, cwd=None, seconds=START_SECONDS):
    """The binary to its end; a CompletedProcess with text output."""
    done = subprocess.run([BIN, *arguments], input=input, cwd=cwd,
                          env=sanitizer_env(env), timeout=seconds,
                          capture_output=True, check=False)
    done.stdout = done.stdout.decode("utf-8", "replace")
    done.stderr = done.stderr.decode("utf-8", "replace")
    if REPORT.search(done.stderr):
        raise AssertionError("stderr has a report:\n" + done.stderr)
    return done


class TestCase(unittest.TestCase):
    """One server per class when APP or APP_FILE is set, as `self.server`."""

    APP = None
    APP_FILE = None
    FILES = {}
    OPTIONS = ()
    ENV = {}
    server = None
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.APP is not None or cls.APP_FILE is not None:
            cls.server = Server(cls.APP, app_file=cls.APP_FILE,
                                options=cls.OPTIONS, files=cls.FILES,
                                env=cls.ENV)

    @classmethod
    def tearDownClass(cls):
        if cls.server is not None:
            server, cls.server = cls.server, None
            server.stop()
        JUDGE.judge()
        super().tearDownClass()

    def run(self, result=None):
        self.addCleanup(JUDGE.judge)  # the last to be cleaned up
        return super().run(result)

    def start(self, app=None, **how):
        """Another server for this test alone; stopped and judged after it."""
        server = Server(app, **how)
        self.addCleanup(server.stop)
        return server

    def start_stdio(self, app=None, **how):
        """A stdio process for this test alone; stopped and judged after it."""
        process = Stdio(app, **how)
        self.addCleanup(process.stop)
        return process

    def assertRejected(self, answer, status, code):
        """HTTP `status` with one application/json error of `code`."""
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.type, "application/json", answer)
        self.assertEqual(answer.error["code"], code, answer)


def needs_shared(path):
    """Decorator: skip, and say why, when ../shared/`path` is not there."""
    full = os.path.join(SHARED_DIR, path)
    return unittest.skipUnless(os.path.exists(full),
                               "needs ../shared/%s" % path)
